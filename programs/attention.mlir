#ij = affine_map<(i, j) -> (i, j)>
#ij_j = affine_map<(i, j) -> (j)>
#ijk = affine_map<(i, j, k) -> (i, j, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>

func.func @attention(%x: tensor<5x12xf32>, %qkv_weight: tensor<12x36xf32>, %qkv_bias: tensor<36xf32>, %out_weight: tensor<12x12xf32>, %out_bias: tensor<12xf32>) -> tensor<5x12xf32> {
  %zero = arith.constant 0.0 : f32 loc("<std.nn>":22:5)
  %empty = tensor.empty() : tensor<5x36xf32> loc("<std.nn>":22:5)
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<5x36xf32>) -> tensor<5x36xf32> loc("<std.nn>":22:5)
  %matmul = linalg.matmul ins(%x, %qkv_weight : tensor<5x12xf32>, tensor<12x36xf32>) outs(%filled : tensor<5x36xf32>) -> tensor<5x36xf32> loc("<std.nn>":22:5)
  %empty_1 = tensor.empty() : tensor<5x36xf32> loc("<std.nn>":22:5)
  %qkv = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul, %qkv_bias : tensor<5x36xf32>, tensor<36xf32>)
      outs(%empty_1 : tensor<5x36xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<5x36xf32> loc("<std.nn>":22:5)
  %slice = tensor.extract_slice %qkv[0, 0] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("attention.tdsl":30:45)
  %shape = arith.constant dense<[5, 2, 6]> : tensor<3xindex> loc("attention.tdsl":10:15)
  %reshaped = tensor.reshape %slice(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("attention.tdsl":10:15)
  %empty_2 = tensor.empty() : tensor<2x5x6xf32> loc("attention.tdsl":10:5)
  %q = linalg.transpose ins(%reshaped : tensor<5x2x6xf32>) outs(%empty_2 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("attention.tdsl":10:5)
  %slice_1 = tensor.extract_slice %qkv[0, 12] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("attention.tdsl":30:45)
  %reshaped_1 = tensor.reshape %slice_1(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("attention.tdsl":10:15)
  %empty_3 = tensor.empty() : tensor<2x5x6xf32> loc("attention.tdsl":10:5)
  %k = linalg.transpose ins(%reshaped_1 : tensor<5x2x6xf32>) outs(%empty_3 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("attention.tdsl":10:5)
  %empty_4 = tensor.empty() : tensor<2x6x5xf32> loc("attention.tdsl":17:22)
  %transposed = linalg.transpose ins(%k : tensor<2x5x6xf32>) outs(%empty_4 : tensor<2x6x5xf32>) permutation = [0, 2, 1] loc("attention.tdsl":17:22)
  %empty_5 = tensor.empty() : tensor<2x5x5xf32> loc("attention.tdsl":17:18)
  %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_5 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32> loc("attention.tdsl":17:18)
  %matmul_1 = linalg.batch_matmul ins(%q, %transposed : tensor<2x5x6xf32>, tensor<2x6x5xf32>) outs(%filled_1 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32> loc("attention.tdsl":17:18)
  %empty_6 = tensor.empty() : tensor<2x5x5xf32> loc("attention.tdsl":17:18)
  %scores = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%matmul_1 : tensor<2x5x5xf32>)
      outs(%empty_6 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 2.4494898 : f32 loc("attention.tdsl":17:18)
      %1 = arith.divf %in, %0 : f32 loc("attention.tdsl":17:18)
      linalg.yield %1 : f32 loc("attention.tdsl":17:18)
  } -> tensor<2x5x5xf32> loc("attention.tdsl":17:18)
  %empty_7 = tensor.empty() : tensor<5x5xf32> loc("attention.tdsl":18:13)
  %causal_mask = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
      outs(%empty_7 : tensor<5x5xf32>) {
    ^bb0(%_: f32):
      %0 = linalg.index 1 : index loc("attention.tdsl":18:13)
      %1 = arith.index_cast %0 : index to i64 loc("attention.tdsl":18:13)
      %2 = linalg.index 0 : index loc("attention.tdsl":18:13)
      %3 = arith.index_cast %2 : index to i64 loc("attention.tdsl":18:13)
      %4 = arith.cmpi sgt, %1, %3 : i64 loc("attention.tdsl":18:13)
      %5 = arith.constant -1.0e10 : f32 loc("attention.tdsl":18:13)
      %6 = arith.constant 0.0 : f32 loc("attention.tdsl":18:13)
      %7 = arith.select %4, %5, %6 : f32 loc("attention.tdsl":18:13)
      linalg.yield %7 : f32 loc("attention.tdsl":18:13)
  } -> tensor<5x5xf32> loc("attention.tdsl":18:13)
  %empty_8 = tensor.empty() : tensor<2x5x5xf32> loc("attention.tdsl":18:13)
  %add = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %causal_mask : tensor<2x5x5xf32>, tensor<5x5xf32>)
      outs(%empty_8 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("attention.tdsl":18:13)
      linalg.yield %0 : f32 loc("attention.tdsl":18:13)
  } -> tensor<2x5x5xf32> loc("attention.tdsl":18:13)
  %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":112:21)
  %empty_9 = tensor.empty() : tensor<2x5xf32> loc("<std.nn>":112:21)
  %initial = linalg.fill ins(%minus_infinity : f32) outs(%empty_9 : tensor<2x5xf32>) -> tensor<2x5xf32> loc("<std.nn>":112:21)
  %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%add : tensor<2x5x5xf32>)
      outs(%initial : tensor<2x5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":112:21)
      linalg.yield %0 : f32 loc("<std.nn>":112:21)
  } -> tensor<2x5xf32> loc("<std.nn>":112:21)
  %empty_10 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":112:17)
  %sub = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%add, %max : tensor<2x5x5xf32>, tensor<2x5xf32>)
      outs(%empty_10 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":112:17)
      linalg.yield %0 : f32 loc("<std.nn>":112:17)
  } -> tensor<2x5x5xf32> loc("<std.nn>":112:17)
  %empty_11 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":112:13)
  %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sub : tensor<2x5x5xf32>)
      outs(%empty_11 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.exp %in : f32 loc("<std.nn>":112:13)
      linalg.yield %0 : f32 loc("<std.nn>":112:13)
  } -> tensor<2x5x5xf32> loc("<std.nn>":112:13)
  %empty_12 = tensor.empty() : tensor<2x5xf32> loc("<std.nn>":113:9)
  %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_12 : tensor<2x5xf32>) -> tensor<2x5xf32> loc("<std.nn>":113:9)
  %sum = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<2x5x5xf32>)
      outs(%initial_1 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":113:9)
      linalg.yield %0 : f32 loc("<std.nn>":113:9)
  } -> tensor<2x5xf32> loc("<std.nn>":113:9)
  %empty_13 = tensor.empty() : tensor<2x5x5xf32> loc("<std.nn>":113:5)
  %softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<2x5x5xf32>, tensor<2x5xf32>)
      outs(%empty_13 : tensor<2x5x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":113:5)
      linalg.yield %0 : f32 loc("<std.nn>":113:5)
  } -> tensor<2x5x5xf32> loc("<std.nn>":113:5)
  %slice_2 = tensor.extract_slice %qkv[0, 24] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("attention.tdsl":30:45)
  %reshaped_2 = tensor.reshape %slice_2(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("attention.tdsl":10:15)
  %empty_14 = tensor.empty() : tensor<2x5x6xf32> loc("attention.tdsl":10:5)
  %v = linalg.transpose ins(%reshaped_2 : tensor<5x2x6xf32>) outs(%empty_14 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("attention.tdsl":10:5)
  %empty_15 = tensor.empty() : tensor<2x5x6xf32> loc("attention.tdsl":18:5)
  %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_15 : tensor<2x5x6xf32>) -> tensor<2x5x6xf32> loc("attention.tdsl":18:5)
  %mix = linalg.batch_matmul ins(%softmax, %v : tensor<2x5x5xf32>, tensor<2x5x6xf32>) outs(%filled_2 : tensor<2x5x6xf32>) -> tensor<2x5x6xf32> loc("attention.tdsl":18:5)
  %empty_16 = tensor.empty() : tensor<5x2x6xf32> loc("attention.tdsl":31:26)
  %transposed_1 = linalg.transpose ins(%mix : tensor<2x5x6xf32>) outs(%empty_16 : tensor<5x2x6xf32>) permutation = [1, 0, 2] loc("attention.tdsl":31:26)
  %shape_1 = arith.constant dense<[5, 12]> : tensor<2xindex> loc("attention.tdsl":31:18)
  %merged = tensor.reshape %transposed_1(%shape_1) : (tensor<5x2x6xf32>, tensor<2xindex>) -> tensor<5x12xf32> loc("attention.tdsl":31:18)
  %empty_17 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":22:5)
  %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_17 : tensor<5x12xf32>) -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %matmul_2 = linalg.matmul ins(%merged, %out_weight : tensor<5x12xf32>, tensor<12x12xf32>) outs(%filled_3 : tensor<5x12xf32>) -> tensor<5x12xf32> loc("<std.nn>":22:5)
  %empty_18 = tensor.empty() : tensor<5x12xf32> loc("<std.nn>":22:5)
  %linear = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_2, %out_bias : tensor<5x12xf32>, tensor<12xf32>)
      outs(%empty_18 : tensor<5x12xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<5x12xf32> loc("<std.nn>":22:5)
  return %linear : tensor<5x12xf32> loc("<std.nn>":22:5)
} loc("<std.nn>":22:5)
