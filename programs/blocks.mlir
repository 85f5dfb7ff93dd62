#ij = affine_map<(i, j) -> (i, j)>
#ij_i = affine_map<(i, j) -> (i)>
#ij_i0 = affine_map<(i, j) -> (i, 0)>
#ij_j = affine_map<(i, j) -> (j)>
#ijk = affine_map<(i, j, k) -> (i, j, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>

func.func @attend(%x: tensor<5x12xf32>, %gain: tensor<12xf32>, %bias: tensor<12xf32>, %qkv_weight: tensor<12x36xf32>, %qkv_bias: tensor<36xf32>, %out_weight: tensor<12x12xf32>, %out_bias: tensor<12xf32>) -> tensor<5x12xf32> {
  %zero = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
  %empty = tensor.empty() : tensor<5xf32> loc("<std.nn>":214:23)
  %initial = linalg.fill ins(%zero : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32> loc("<std.nn>":214:23)
  %sum = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x12xf32>)
      outs(%initial : tensor<5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<5xf32> loc("<std.nn>":214:23)
  %empty_1 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":214:23)
  %mean = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<5xf32>)
      outs(%empty_1 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 12.0 : f32 loc("<std.nn>":214:23)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
      linalg.yield %1 : f32 loc("<std.nn>":214:23)
  } -> tensor<5x1xf32> loc("<std.nn>":214:23)
  %empty_2 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":214:19)
  %centred = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<5x12xf32>, tensor<5x1xf32>)
      outs(%empty_2 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<5x12xf32> loc("<std.nn>":214:19)
  %empty_3 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":215:25)
  %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred : tensor<5x12xf32>)
      outs(%empty_3 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<5x12xf32> loc("<std.nn>":215:25)
  %empty_4 = tensor.empty() : tensor<5xf32> loc("<std.nn>":215:20)
  %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_4 : tensor<5xf32>) -> tensor<5xf32> loc("<std.nn>":215:20)
  %sum_1 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul : tensor<5x12xf32>)
      outs(%initial_1 : tensor<5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<5xf32> loc("<std.nn>":215:20)
  %empty_5 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":215:20)
  %variance = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_1 : tensor<5xf32>)
      outs(%empty_5 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 12.0 : f32 loc("<std.nn>":215:20)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
      linalg.yield %1 : f32 loc("<std.nn>":215:20)
  } -> tensor<5x1xf32> loc("<std.nn>":215:20)
  %empty_6 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":216:21)
  %add = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%variance : tensor<5x1xf32>)
      outs(%empty_6 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<5x1xf32> loc("<std.nn>":216:21)
  %empty_7 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":216:15)
  %rsqrt = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add : tensor<5x1xf32>)
      outs(%empty_7 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<5x1xf32> loc("<std.nn>":216:15)
  %empty_8 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %mul_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %rsqrt : tensor<5x12xf32>, tensor<5x1xf32>)
      outs(%empty_8 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_9 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %mul_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_1, %gain : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_9 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_10 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %normed = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_2, %bias : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_10 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_11 = tensor.empty() : tensor<5x36xf32> loc("<std.nn>":22:5)
  %filled = linalg.fill ins(%zero : f32) outs(%empty_11 : tensor<5x36xf32>) -> tensor<5x36xf32> loc("<std.nn>":22:5)
  %matmul = linalg.matmul ins(%normed, %qkv_weight : tensor<5x12xf32>, tensor<12x36xf32>) outs(%filled : tensor<5x36xf32>) -> tensor<5x36xf32> loc("<std.nn>":22:5)
  %empty_12 = tensor.empty() : tensor<5x36xf32> loc("<std.nn>":22:5)
  %qkv = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul, %qkv_bias : tensor<5x36xf32>, tensor<36xf32>)
      outs(%empty_12 : tensor<5x36xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<5x36xf32> loc("<std.nn>":22:5)
  %slice = tensor.extract_slice %qkv[0, 0] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("<std.nn>":315:27)
  %shape = arith.constant dense<[5, 2, 6]> : tensor<3xindex> loc("<std.nn>":315:19)
  %reshaped = tensor.reshape %slice(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("<std.nn>":315:19)
  %empty_13 = tensor.empty() : tensor<2x5x6xf32> loc("<std.nn>":315:9)
  %q = linalg.transpose ins(%reshaped : tensor<5x2x6xf32>) outs(%empty_13 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("<std.nn>":315:9)
  %slice_1 = tensor.extract_slice %qkv[0, 12] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("<std.nn>":315:27)
  %reshaped_1 = tensor.reshape %slice_1(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("<std.nn>":315:19)
  %empty_14 = tensor.empty() : tensor<2x5x6xf32> loc("<std.nn>":315:9)
  %k = linalg.transpose ins(%reshaped_1 : tensor<5x2x6xf32>) outs(%empty_14 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("<std.nn>":315:9)
  %empty_15 = tensor.empty() : tensor<2x6x5xf32> loc("<std.nn>":317:22)
  %transposed = linalg.transpose ins(%k : tensor<2x5x6xf32>) outs(%empty_15 : tensor<2x6x5xf32>) permutation = [0, 2, 1] loc("<std.nn>":317:22)
  %empty_16 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_16 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %matmul_1 = linalg.batch_matmul ins(%q, %transposed : tensor<2x5x6xf32>, tensor<2x6x5xf32>) outs(%filled_1 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %empty_17 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %div = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%matmul_1 : tensor<2x5x5xf32>)
      outs(%empty_17 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 2.4494898 : f32 loc("<std.nn>":317:18)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":317:18)
      linalg.yield %1 : f32 loc("<std.nn>":317:18)
  } -> tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %empty_18 = tensor.empty() : tensor<5x5xf32> loc("<std.nn>":317:18)
  %causal_mask = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
      outs(%empty_18 : tensor<5x5xf32>) {
    ^bb0(%_: f32):
      %0 = linalg.index 1 : index loc("<std.nn>":317:18)
      %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":317:18)
      %2 = linalg.index 0 : index loc("<std.nn>":317:18)
      %3 = arith.index_cast %2 : index to i64 loc("<std.nn>":317:18)
      %4 = arith.cmpi sgt, %1, %3 : i64 loc("<std.nn>":317:18)
      %5 = arith.constant -1.0e10 : f32 loc("<std.nn>":317:18)
      %6 = arith.constant 0.0 : f32 loc("<std.nn>":317:18)
      %7 = arith.select %4, %5, %6 : f32 loc("<std.nn>":317:18)
      linalg.yield %7 : f32 loc("<std.nn>":317:18)
  } -> tensor<5x5xf32> loc("<std.nn>":317:18)
  %empty_19 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %scores = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%div, %causal_mask : tensor<2x5x5xf32>, tensor<5x5xf32>)
      outs(%empty_19 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":317:18)
      linalg.yield %0 : f32 loc("<std.nn>":317:18)
  } -> tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":112:21)
  %empty_20 = tensor.empty() : tensor<2x5xf32> loc("<std.nn>":112:21)
  %initial_2 = linalg.fill ins(%minus_infinity : f32) outs(%empty_20 : tensor<2x5xf32>) -> tensor<2x5xf32> loc("<std.nn>":112:21)
  %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<2x5x5xf32>)
      outs(%initial_2 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":112:21)
      linalg.yield %0 : f32 loc("<std.nn>":112:21)
  } -> tensor<2x5xf32> loc("<std.nn>":112:21)
  %empty_21 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":112:17)
  %sub = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %max : tensor<2x5x5xf32>, tensor<2x5xf32>)
      outs(%empty_21 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":112:17)
      linalg.yield %0 : f32 loc("<std.nn>":112:17)
  } -> tensor<2x5x5xf32> loc("<std.nn>":112:17)
  %empty_22 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":112:13)
  %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sub : tensor<2x5x5xf32>)
      outs(%empty_22 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.exp %in : f32 loc("<std.nn>":112:13)
      linalg.yield %0 : f32 loc("<std.nn>":112:13)
  } -> tensor<2x5x5xf32> loc("<std.nn>":112:13)
  %empty_23 = tensor.empty() : tensor<2x5xf32> loc("<std.nn>":113:9)
  %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_23 : tensor<2x5xf32>) -> tensor<2x5xf32> loc("<std.nn>":113:9)
  %sum_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<2x5x5xf32>)
      outs(%initial_3 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":113:9)
      linalg.yield %0 : f32 loc("<std.nn>":113:9)
  } -> tensor<2x5xf32> loc("<std.nn>":113:9)
  %empty_24 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":113:5)
  %softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum_2 : tensor<2x5x5xf32>, tensor<2x5xf32>)
      outs(%empty_24 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":113:5)
      linalg.yield %0 : f32 loc("<std.nn>":113:5)
  } -> tensor<2x5x5xf32> loc("<std.nn>":113:5)
  %slice_2 = tensor.extract_slice %qkv[0, 24] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("<std.nn>":315:27)
  %reshaped_2 = tensor.reshape %slice_2(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("<std.nn>":315:19)
  %empty_25 = tensor.empty() : tensor<2x5x6xf32> loc("<std.nn>":315:9)
  %v = linalg.transpose ins(%reshaped_2 : tensor<5x2x6xf32>) outs(%empty_25 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("<std.nn>":315:9)
  %empty_26 = tensor.empty() : tensor<2x5x6xf32> loc("<std.nn>":318:17)
  %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_26 : tensor<2x5x6xf32>) -> tensor<2x5x6xf32> loc("<std.nn>":318:17)
  %mixed = linalg.batch_matmul ins(%softmax, %v : tensor<2x5x5xf32>, tensor<2x5x6xf32>) outs(%filled_2 : tensor<2x5x6xf32>) -> tensor<2x5x6xf32> loc("<std.nn>":318:17)
  %empty_27 = tensor.empty() : tensor<5x2x6xf32> loc("<std.nn>":319:20)
  %transposed_1 = linalg.transpose ins(%mixed : tensor<2x5x6xf32>) outs(%empty_27 : tensor<5x2x6xf32>) permutation = [1, 0, 2] loc("<std.nn>":319:20)
  %shape_1 = arith.constant dense<[5, 12]> : tensor<2xindex> loc("<std.nn>":319:12)
  %reshaped_3 = tensor.reshape %transposed_1(%shape_1) : (tensor<5x2x6xf32>, tensor<2xindex>) -> tensor<5x12xf32> loc("<std.nn>":319:12)
  %empty_28 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":22:5)
  %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_28 : tensor<5x12xf32>) -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %matmul_2 = linalg.matmul ins(%reshaped_3, %out_weight : tensor<5x12xf32>, tensor<12x12xf32>) outs(%filled_3 : tensor<5x12xf32>) -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %empty_29 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":22:5)
  %attention = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_2, %out_bias : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_29 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %empty_30 = tensor.empty() : tensor<5x12xf32> loc("blocks.tdsl":12:5)
  %add_1 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %attention : tensor<5x12xf32>, tensor<5x12xf32>)
      outs(%empty_30 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("blocks.tdsl":12:5)
      linalg.yield %0 : f32 loc("blocks.tdsl":12:5)
  } -> tensor<5x12xf32> loc("blocks.tdsl":12:5)
  return %add_1 : tensor<5x12xf32> loc("blocks.tdsl":12:5)
} loc("blocks.tdsl":12:5)

func.func @feedforward(%x: tensor<5x12xf32>, %gain: tensor<12xf32>, %bias: tensor<12xf32>, %up_weight: tensor<12x48xf32>, %up_bias: tensor<48xf32>, %down_weight: tensor<48x12xf32>, %down_bias: tensor<12xf32>) -> tensor<5x12xf32> {
  %zero = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
  %empty = tensor.empty() : tensor<5xf32> loc("<std.nn>":214:23)
  %initial = linalg.fill ins(%zero : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32> loc("<std.nn>":214:23)
  %sum = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x12xf32>)
      outs(%initial : tensor<5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<5xf32> loc("<std.nn>":214:23)
  %empty_1 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":214:23)
  %mean = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<5xf32>)
      outs(%empty_1 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 12.0 : f32 loc("<std.nn>":214:23)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
      linalg.yield %1 : f32 loc("<std.nn>":214:23)
  } -> tensor<5x1xf32> loc("<std.nn>":214:23)
  %empty_2 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":214:19)
  %centred = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<5x12xf32>, tensor<5x1xf32>)
      outs(%empty_2 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<5x12xf32> loc("<std.nn>":214:19)
  %empty_3 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":215:25)
  %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred : tensor<5x12xf32>)
      outs(%empty_3 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<5x12xf32> loc("<std.nn>":215:25)
  %empty_4 = tensor.empty() : tensor<5xf32> loc("<std.nn>":215:20)
  %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_4 : tensor<5xf32>) -> tensor<5xf32> loc("<std.nn>":215:20)
  %sum_1 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul : tensor<5x12xf32>)
      outs(%initial_1 : tensor<5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<5xf32> loc("<std.nn>":215:20)
  %empty_5 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":215:20)
  %variance = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_1 : tensor<5xf32>)
      outs(%empty_5 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 12.0 : f32 loc("<std.nn>":215:20)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
      linalg.yield %1 : f32 loc("<std.nn>":215:20)
  } -> tensor<5x1xf32> loc("<std.nn>":215:20)
  %empty_6 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":216:21)
  %add = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%variance : tensor<5x1xf32>)
      outs(%empty_6 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<5x1xf32> loc("<std.nn>":216:21)
  %empty_7 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":216:15)
  %rsqrt = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add : tensor<5x1xf32>)
      outs(%empty_7 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<5x1xf32> loc("<std.nn>":216:15)
  %empty_8 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %mul_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %rsqrt : tensor<5x12xf32>, tensor<5x1xf32>)
      outs(%empty_8 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_9 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %mul_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_1, %gain : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_9 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_10 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %layer_norm = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_2, %bias : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_10 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_11 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":22:5)
  %filled = linalg.fill ins(%zero : f32) outs(%empty_11 : tensor<5x48xf32>) -> tensor<5x48xf32> loc("<std.nn>":22:5)
  %matmul = linalg.matmul ins(%layer_norm, %up_weight : tensor<5x12xf32>, tensor<12x48xf32>) outs(%filled : tensor<5x48xf32>) -> tensor<5x48xf32> loc("<std.nn>":22:5)
  %empty_12 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":22:5)
  %linear = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul, %up_bias : tensor<5x48xf32>, tensor<48xf32>)
      outs(%empty_12 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<5x48xf32> loc("<std.nn>":22:5)
  %empty_13 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":58:13)
  %y = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%linear : tensor<5x48xf32>)
      outs(%empty_13 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant -10000.0 : f32 loc("<std.nn>":58:13)
      %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":58:13)
      linalg.yield %1 : f32 loc("<std.nn>":58:13)
  } -> tensor<5x48xf32> loc("<std.nn>":58:13)
  %empty_14 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:5)
  %mul_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<5x48xf32>)
      outs(%empty_14 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.5 : f32 loc("<std.nn>":59:5)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:5)
      linalg.yield %1 : f32 loc("<std.nn>":59:5)
  } -> tensor<5x48xf32> loc("<std.nn>":59:5)
  %empty_15 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:60)
  %mul_4 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<5x48xf32>)
      outs(%empty_15 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":59:60)
      linalg.yield %0 : f32 loc("<std.nn>":59:60)
  } -> tensor<5x48xf32> loc("<std.nn>":59:60)
  %empty_16 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:60)
  %mul_5 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y, %mul_4 : tensor<5x48xf32>, tensor<5x48xf32>)
      outs(%empty_16 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:60)
      linalg.yield %0 : f32 loc("<std.nn>":59:60)
  } -> tensor<5x48xf32> loc("<std.nn>":59:60)
  %empty_17 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:49)
  %mul_6 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_5 : tensor<5x48xf32>)
      outs(%empty_17 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.044715 : f32 loc("<std.nn>":59:49)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:49)
      linalg.yield %1 : f32 loc("<std.nn>":59:49)
  } -> tensor<5x48xf32> loc("<std.nn>":59:49)
  %empty_18 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:45)
  %add_1 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y, %mul_6 : tensor<5x48xf32>, tensor<5x48xf32>)
      outs(%empty_18 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":59:45)
      linalg.yield %0 : f32 loc("<std.nn>":59:45)
  } -> tensor<5x48xf32> loc("<std.nn>":59:45)
  %empty_19 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:27)
  %mul_7 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_1 : tensor<5x48xf32>)
      outs(%empty_19 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.7978846 : f32 loc("<std.nn>":59:27)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:27)
      linalg.yield %1 : f32 loc("<std.nn>":59:27)
  } -> tensor<5x48xf32> loc("<std.nn>":59:27)
  %empty_20 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:22)
  %tanh = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_7 : tensor<5x48xf32>)
      outs(%empty_20 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.tanh %in : f32 loc("<std.nn>":59:22)
      linalg.yield %0 : f32 loc("<std.nn>":59:22)
  } -> tensor<5x48xf32> loc("<std.nn>":59:22)
  %empty_21 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:16)
  %add_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%tanh : tensor<5x48xf32>)
      outs(%empty_21 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0 : f32 loc("<std.nn>":59:16)
      %1 = arith.addf %0, %in : f32 loc("<std.nn>":59:16)
      linalg.yield %1 : f32 loc("<std.nn>":59:16)
  } -> tensor<5x48xf32> loc("<std.nn>":59:16)
  %empty_22 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:5)
  %hidden = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_3, %add_2 : tensor<5x48xf32>, tensor<5x48xf32>)
      outs(%empty_22 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:5)
      linalg.yield %0 : f32 loc("<std.nn>":59:5)
  } -> tensor<5x48xf32> loc("<std.nn>":59:5)
  %empty_23 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":22:5)
  %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_23 : tensor<5x12xf32>) -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %matmul_1 = linalg.matmul ins(%hidden, %down_weight : tensor<5x48xf32>, tensor<48x12xf32>) outs(%filled_1 : tensor<5x12xf32>) -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %empty_24 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":22:5)
  %linear_1 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_1, %down_bias : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_24 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %empty_25 = tensor.empty() : tensor<5x12xf32> loc("blocks.tdsl":21:5)
  %add_3 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %linear_1 : tensor<5x12xf32>, tensor<5x12xf32>)
      outs(%empty_25 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("blocks.tdsl":21:5)
      linalg.yield %0 : f32 loc("blocks.tdsl":21:5)
  } -> tensor<5x12xf32> loc("blocks.tdsl":21:5)
  return %add_3 : tensor<5x12xf32> loc("blocks.tdsl":21:5)
} loc("blocks.tdsl":21:5)

func.func @block(%x: tensor<5x12xf32>, %gain_1: tensor<12xf32>, %bias_1: tensor<12xf32>, %qkv_weight: tensor<12x36xf32>, %qkv_bias: tensor<36xf32>, %out_weight: tensor<12x12xf32>, %out_bias: tensor<12xf32>, %gain_2: tensor<12xf32>, %bias_2: tensor<12xf32>, %up_weight: tensor<12x48xf32>, %up_bias: tensor<48xf32>, %down_weight: tensor<48x12xf32>, %down_bias: tensor<12xf32>) -> tensor<5x12xf32> {
  %zero = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
  %empty = tensor.empty() : tensor<5xf32> loc("<std.nn>":214:23)
  %initial = linalg.fill ins(%zero : f32) outs(%empty : tensor<5xf32>) -> tensor<5xf32> loc("<std.nn>":214:23)
  %sum = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<5x12xf32>)
      outs(%initial : tensor<5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<5xf32> loc("<std.nn>":214:23)
  %empty_1 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":214:23)
  %mean = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<5xf32>)
      outs(%empty_1 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 12.0 : f32 loc("<std.nn>":214:23)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
      linalg.yield %1 : f32 loc("<std.nn>":214:23)
  } -> tensor<5x1xf32> loc("<std.nn>":214:23)
  %empty_2 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":214:19)
  %centred = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<5x12xf32>, tensor<5x1xf32>)
      outs(%empty_2 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<5x12xf32> loc("<std.nn>":214:19)
  %empty_3 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":215:25)
  %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred : tensor<5x12xf32>)
      outs(%empty_3 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<5x12xf32> loc("<std.nn>":215:25)
  %empty_4 = tensor.empty() : tensor<5xf32> loc("<std.nn>":215:20)
  %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_4 : tensor<5xf32>) -> tensor<5xf32> loc("<std.nn>":215:20)
  %sum_1 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul : tensor<5x12xf32>)
      outs(%initial_1 : tensor<5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<5xf32> loc("<std.nn>":215:20)
  %empty_5 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":215:20)
  %variance = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_1 : tensor<5xf32>)
      outs(%empty_5 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 12.0 : f32 loc("<std.nn>":215:20)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
      linalg.yield %1 : f32 loc("<std.nn>":215:20)
  } -> tensor<5x1xf32> loc("<std.nn>":215:20)
  %empty_6 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":216:21)
  %add = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%variance : tensor<5x1xf32>)
      outs(%empty_6 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<5x1xf32> loc("<std.nn>":216:21)
  %empty_7 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":216:15)
  %rsqrt = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add : tensor<5x1xf32>)
      outs(%empty_7 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<5x1xf32> loc("<std.nn>":216:15)
  %empty_8 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %mul_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %rsqrt : tensor<5x12xf32>, tensor<5x1xf32>)
      outs(%empty_8 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_9 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %mul_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_1, %gain_1 : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_9 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_10 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %normed = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_2, %bias_1 : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_10 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_11 = tensor.empty() : tensor<5x36xf32> loc("<std.nn>":22:5)
  %filled = linalg.fill ins(%zero : f32) outs(%empty_11 : tensor<5x36xf32>) -> tensor<5x36xf32> loc("<std.nn>":22:5)
  %matmul = linalg.matmul ins(%normed, %qkv_weight : tensor<5x12xf32>, tensor<12x36xf32>) outs(%filled : tensor<5x36xf32>) -> tensor<5x36xf32> loc("<std.nn>":22:5)
  %empty_12 = tensor.empty() : tensor<5x36xf32> loc("<std.nn>":22:5)
  %qkv = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul, %qkv_bias : tensor<5x36xf32>, tensor<36xf32>)
      outs(%empty_12 : tensor<5x36xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<5x36xf32> loc("<std.nn>":22:5)
  %slice = tensor.extract_slice %qkv[0, 0] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("<std.nn>":315:27)
  %shape = arith.constant dense<[5, 2, 6]> : tensor<3xindex> loc("<std.nn>":315:19)
  %reshaped = tensor.reshape %slice(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("<std.nn>":315:19)
  %empty_13 = tensor.empty() : tensor<2x5x6xf32> loc("<std.nn>":315:9)
  %q = linalg.transpose ins(%reshaped : tensor<5x2x6xf32>) outs(%empty_13 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("<std.nn>":315:9)
  %slice_1 = tensor.extract_slice %qkv[0, 12] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("<std.nn>":315:27)
  %reshaped_1 = tensor.reshape %slice_1(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("<std.nn>":315:19)
  %empty_14 = tensor.empty() : tensor<2x5x6xf32> loc("<std.nn>":315:9)
  %k = linalg.transpose ins(%reshaped_1 : tensor<5x2x6xf32>) outs(%empty_14 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("<std.nn>":315:9)
  %empty_15 = tensor.empty() : tensor<2x6x5xf32> loc("<std.nn>":317:22)
  %transposed = linalg.transpose ins(%k : tensor<2x5x6xf32>) outs(%empty_15 : tensor<2x6x5xf32>) permutation = [0, 2, 1] loc("<std.nn>":317:22)
  %empty_16 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_16 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %matmul_1 = linalg.batch_matmul ins(%q, %transposed : tensor<2x5x6xf32>, tensor<2x6x5xf32>) outs(%filled_1 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %empty_17 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %div = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%matmul_1 : tensor<2x5x5xf32>)
      outs(%empty_17 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 2.4494898 : f32 loc("<std.nn>":317:18)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":317:18)
      linalg.yield %1 : f32 loc("<std.nn>":317:18)
  } -> tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %empty_18 = tensor.empty() : tensor<5x5xf32> loc("<std.nn>":317:18)
  %causal_mask = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
      outs(%empty_18 : tensor<5x5xf32>) {
    ^bb0(%_: f32):
      %0 = linalg.index 1 : index loc("<std.nn>":317:18)
      %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":317:18)
      %2 = linalg.index 0 : index loc("<std.nn>":317:18)
      %3 = arith.index_cast %2 : index to i64 loc("<std.nn>":317:18)
      %4 = arith.cmpi sgt, %1, %3 : i64 loc("<std.nn>":317:18)
      %5 = arith.constant -1.0e10 : f32 loc("<std.nn>":317:18)
      %6 = arith.constant 0.0 : f32 loc("<std.nn>":317:18)
      %7 = arith.select %4, %5, %6 : f32 loc("<std.nn>":317:18)
      linalg.yield %7 : f32 loc("<std.nn>":317:18)
  } -> tensor<5x5xf32> loc("<std.nn>":317:18)
  %empty_19 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %scores = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%div, %causal_mask : tensor<2x5x5xf32>, tensor<5x5xf32>)
      outs(%empty_19 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":317:18)
      linalg.yield %0 : f32 loc("<std.nn>":317:18)
  } -> tensor<2x5x5xf32> loc("<std.nn>":317:18)
  %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":112:21)
  %empty_20 = tensor.empty() : tensor<2x5xf32> loc("<std.nn>":112:21)
  %initial_2 = linalg.fill ins(%minus_infinity : f32) outs(%empty_20 : tensor<2x5xf32>) -> tensor<2x5xf32> loc("<std.nn>":112:21)
  %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<2x5x5xf32>)
      outs(%initial_2 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":112:21)
      linalg.yield %0 : f32 loc("<std.nn>":112:21)
  } -> tensor<2x5xf32> loc("<std.nn>":112:21)
  %empty_21 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":112:17)
  %sub = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %max : tensor<2x5x5xf32>, tensor<2x5xf32>)
      outs(%empty_21 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":112:17)
      linalg.yield %0 : f32 loc("<std.nn>":112:17)
  } -> tensor<2x5x5xf32> loc("<std.nn>":112:17)
  %empty_22 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":112:13)
  %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sub : tensor<2x5x5xf32>)
      outs(%empty_22 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.exp %in : f32 loc("<std.nn>":112:13)
      linalg.yield %0 : f32 loc("<std.nn>":112:13)
  } -> tensor<2x5x5xf32> loc("<std.nn>":112:13)
  %empty_23 = tensor.empty() : tensor<2x5xf32> loc("<std.nn>":113:9)
  %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_23 : tensor<2x5xf32>) -> tensor<2x5xf32> loc("<std.nn>":113:9)
  %sum_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<2x5x5xf32>)
      outs(%initial_3 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":113:9)
      linalg.yield %0 : f32 loc("<std.nn>":113:9)
  } -> tensor<2x5xf32> loc("<std.nn>":113:9)
  %empty_24 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":113:5)
  %softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum_2 : tensor<2x5x5xf32>, tensor<2x5xf32>)
      outs(%empty_24 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":113:5)
      linalg.yield %0 : f32 loc("<std.nn>":113:5)
  } -> tensor<2x5x5xf32> loc("<std.nn>":113:5)
  %slice_2 = tensor.extract_slice %qkv[0, 24] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("<std.nn>":315:27)
  %reshaped_2 = tensor.reshape %slice_2(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("<std.nn>":315:19)
  %empty_25 = tensor.empty() : tensor<2x5x6xf32> loc("<std.nn>":315:9)
  %v = linalg.transpose ins(%reshaped_2 : tensor<5x2x6xf32>) outs(%empty_25 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("<std.nn>":315:9)
  %empty_26 = tensor.empty() : tensor<2x5x6xf32> loc("<std.nn>":318:17)
  %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_26 : tensor<2x5x6xf32>) -> tensor<2x5x6xf32> loc("<std.nn>":318:17)
  %mixed = linalg.batch_matmul ins(%softmax, %v : tensor<2x5x5xf32>, tensor<2x5x6xf32>) outs(%filled_2 : tensor<2x5x6xf32>) -> tensor<2x5x6xf32> loc("<std.nn>":318:17)
  %empty_27 = tensor.empty() : tensor<5x2x6xf32> loc("<std.nn>":319:20)
  %transposed_1 = linalg.transpose ins(%mixed : tensor<2x5x6xf32>) outs(%empty_27 : tensor<5x2x6xf32>) permutation = [1, 0, 2] loc("<std.nn>":319:20)
  %shape_1 = arith.constant dense<[5, 12]> : tensor<2xindex> loc("<std.nn>":319:12)
  %reshaped_3 = tensor.reshape %transposed_1(%shape_1) : (tensor<5x2x6xf32>, tensor<2xindex>) -> tensor<5x12xf32> loc("<std.nn>":319:12)
  %empty_28 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":22:5)
  %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_28 : tensor<5x12xf32>) -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %matmul_2 = linalg.matmul ins(%reshaped_3, %out_weight : tensor<5x12xf32>, tensor<12x12xf32>) outs(%filled_3 : tensor<5x12xf32>) -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %empty_29 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":22:5)
  %attention = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_2, %out_bias : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_29 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %empty_30 = tensor.empty() : tensor<5x12xf32> loc("blocks.tdsl":12:5)
  %y = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %attention : tensor<5x12xf32>, tensor<5x12xf32>)
      outs(%empty_30 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("blocks.tdsl":12:5)
      linalg.yield %0 : f32 loc("blocks.tdsl":12:5)
  } -> tensor<5x12xf32> loc("blocks.tdsl":12:5)
  %empty_31 = tensor.empty() : tensor<5xf32> loc("<std.nn>":214:23)
  %initial_4 = linalg.fill ins(%zero : f32) outs(%empty_31 : tensor<5xf32>) -> tensor<5xf32> loc("<std.nn>":214:23)
  %sum_3 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<5x12xf32>)
      outs(%initial_4 : tensor<5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<5xf32> loc("<std.nn>":214:23)
  %empty_32 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":214:23)
  %mean_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_3 : tensor<5xf32>)
      outs(%empty_32 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 12.0 : f32 loc("<std.nn>":214:23)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
      linalg.yield %1 : f32 loc("<std.nn>":214:23)
  } -> tensor<5x1xf32> loc("<std.nn>":214:23)
  %empty_33 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":214:19)
  %centred_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y, %mean_1 : tensor<5x12xf32>, tensor<5x1xf32>)
      outs(%empty_33 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<5x12xf32> loc("<std.nn>":214:19)
  %empty_34 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":215:25)
  %mul_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred_1 : tensor<5x12xf32>)
      outs(%empty_34 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<5x12xf32> loc("<std.nn>":215:25)
  %empty_35 = tensor.empty() : tensor<5xf32> loc("<std.nn>":215:20)
  %initial_5 = linalg.fill ins(%zero : f32) outs(%empty_35 : tensor<5xf32>) -> tensor<5xf32> loc("<std.nn>":215:20)
  %sum_4 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul_3 : tensor<5x12xf32>)
      outs(%initial_5 : tensor<5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<5xf32> loc("<std.nn>":215:20)
  %empty_36 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":215:20)
  %variance_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_4 : tensor<5xf32>)
      outs(%empty_36 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 12.0 : f32 loc("<std.nn>":215:20)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
      linalg.yield %1 : f32 loc("<std.nn>":215:20)
  } -> tensor<5x1xf32> loc("<std.nn>":215:20)
  %empty_37 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":216:21)
  %add_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%variance_1 : tensor<5x1xf32>)
      outs(%empty_37 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<5x1xf32> loc("<std.nn>":216:21)
  %empty_38 = tensor.empty() : tensor<5x1xf32> loc("<std.nn>":216:15)
  %rsqrt_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_1 : tensor<5x1xf32>)
      outs(%empty_38 : tensor<5x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<5x1xf32> loc("<std.nn>":216:15)
  %empty_39 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %mul_4 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred_1, %rsqrt_1 : tensor<5x12xf32>, tensor<5x1xf32>)
      outs(%empty_39 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_40 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %mul_5 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_4, %gain_2 : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_40 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_41 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":216:5)
  %layer_norm = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_5, %bias_2 : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_41 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<5x12xf32> loc("<std.nn>":216:5)
  %empty_42 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":22:5)
  %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_42 : tensor<5x48xf32>) -> tensor<5x48xf32> loc("<std.nn>":22:5)
  %matmul_3 = linalg.matmul ins(%layer_norm, %up_weight : tensor<5x12xf32>, tensor<12x48xf32>) outs(%filled_4 : tensor<5x48xf32>) -> tensor<5x48xf32> loc("<std.nn>":22:5)
  %empty_43 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":22:5)
  %linear = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_3, %up_bias : tensor<5x48xf32>, tensor<48xf32>)
      outs(%empty_43 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<5x48xf32> loc("<std.nn>":22:5)
  %empty_44 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":58:13)
  %y_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%linear : tensor<5x48xf32>)
      outs(%empty_44 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant -10000.0 : f32 loc("<std.nn>":58:13)
      %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":58:13)
      linalg.yield %1 : f32 loc("<std.nn>":58:13)
  } -> tensor<5x48xf32> loc("<std.nn>":58:13)
  %empty_45 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:5)
  %mul_6 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y_1 : tensor<5x48xf32>)
      outs(%empty_45 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.5 : f32 loc("<std.nn>":59:5)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:5)
      linalg.yield %1 : f32 loc("<std.nn>":59:5)
  } -> tensor<5x48xf32> loc("<std.nn>":59:5)
  %empty_46 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:60)
  %mul_7 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y_1 : tensor<5x48xf32>)
      outs(%empty_46 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":59:60)
      linalg.yield %0 : f32 loc("<std.nn>":59:60)
  } -> tensor<5x48xf32> loc("<std.nn>":59:60)
  %empty_47 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:60)
  %mul_8 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y_1, %mul_7 : tensor<5x48xf32>, tensor<5x48xf32>)
      outs(%empty_47 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:60)
      linalg.yield %0 : f32 loc("<std.nn>":59:60)
  } -> tensor<5x48xf32> loc("<std.nn>":59:60)
  %empty_48 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:49)
  %mul_9 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_8 : tensor<5x48xf32>)
      outs(%empty_48 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.044715 : f32 loc("<std.nn>":59:49)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:49)
      linalg.yield %1 : f32 loc("<std.nn>":59:49)
  } -> tensor<5x48xf32> loc("<std.nn>":59:49)
  %empty_49 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:45)
  %add_2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y_1, %mul_9 : tensor<5x48xf32>, tensor<5x48xf32>)
      outs(%empty_49 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":59:45)
      linalg.yield %0 : f32 loc("<std.nn>":59:45)
  } -> tensor<5x48xf32> loc("<std.nn>":59:45)
  %empty_50 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:27)
  %mul_10 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_2 : tensor<5x48xf32>)
      outs(%empty_50 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.7978846 : f32 loc("<std.nn>":59:27)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:27)
      linalg.yield %1 : f32 loc("<std.nn>":59:27)
  } -> tensor<5x48xf32> loc("<std.nn>":59:27)
  %empty_51 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:22)
  %tanh = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_10 : tensor<5x48xf32>)
      outs(%empty_51 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.tanh %in : f32 loc("<std.nn>":59:22)
      linalg.yield %0 : f32 loc("<std.nn>":59:22)
  } -> tensor<5x48xf32> loc("<std.nn>":59:22)
  %empty_52 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:16)
  %add_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%tanh : tensor<5x48xf32>)
      outs(%empty_52 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0 : f32 loc("<std.nn>":59:16)
      %1 = arith.addf %0, %in : f32 loc("<std.nn>":59:16)
      linalg.yield %1 : f32 loc("<std.nn>":59:16)
  } -> tensor<5x48xf32> loc("<std.nn>":59:16)
  %empty_53 = tensor.empty() : tensor<5x48xf32> loc("<std.nn>":59:5)
  %hidden = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_6, %add_3 : tensor<5x48xf32>, tensor<5x48xf32>)
      outs(%empty_53 : tensor<5x48xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:5)
      linalg.yield %0 : f32 loc("<std.nn>":59:5)
  } -> tensor<5x48xf32> loc("<std.nn>":59:5)
  %empty_54 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":22:5)
  %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_54 : tensor<5x12xf32>) -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %matmul_4 = linalg.matmul ins(%hidden, %down_weight : tensor<5x48xf32>, tensor<48x12xf32>) outs(%filled_5 : tensor<5x12xf32>) -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %empty_55 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":22:5)
  %linear_1 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_4, %down_bias : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_55 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %empty_56 = tensor.empty() : tensor<5x12xf32> loc("blocks.tdsl":21:5)
  %feedforward = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y, %linear_1 : tensor<5x12xf32>, tensor<5x12xf32>)
      outs(%empty_56 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("blocks.tdsl":21:5)
      linalg.yield %0 : f32 loc("blocks.tdsl":21:5)
  } -> tensor<5x12xf32> loc("blocks.tdsl":21:5)
  return %feedforward : tensor<5x12xf32> loc("blocks.tdsl":21:5)
} loc("blocks.tdsl":21:5)
