#ij = affine_map<(i, j) -> (i, j)>
#ij_j = affine_map<(i, j) -> (j)>
#ijk = affine_map<(i, j, k) -> (i, j, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#i = affine_map<(i) -> (i)>

func.func @attention_reference(%x: tensor<5x12xf32>, %qkv_weight: tensor<12x36xf32>, %qkv_bias: tensor<36xf32>, %out_weight: tensor<12x12xf32>, %out_bias: tensor<12xf32>) -> tensor<5x12xf64> {
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
  %slice = tensor.extract_slice %qkv[0, 0] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("attention_reference.tdsl":21:27)
  %shape = arith.constant dense<[5, 2, 6]> : tensor<3xindex> loc("attention_reference.tdsl":21:19)
  %reshaped = tensor.reshape %slice(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("attention_reference.tdsl":21:19)
  %empty_2 = tensor.empty() : tensor<2x5x6xf32> loc("attention_reference.tdsl":21:9)
  %q = linalg.transpose ins(%reshaped : tensor<5x2x6xf32>) outs(%empty_2 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("attention_reference.tdsl":21:9)
  %slice_1 = tensor.extract_slice %qkv[0, 12] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("attention_reference.tdsl":21:27)
  %reshaped_1 = tensor.reshape %slice_1(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("attention_reference.tdsl":21:19)
  %empty_3 = tensor.empty() : tensor<2x5x6xf32> loc("attention_reference.tdsl":21:9)
  %k = linalg.transpose ins(%reshaped_1 : tensor<5x2x6xf32>) outs(%empty_3 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("attention_reference.tdsl":21:9)
  %empty_4 = tensor.empty() : tensor<2x6x5xf32> loc("attention_reference.tdsl":23:22)
  %transposed = linalg.transpose ins(%k : tensor<2x5x6xf32>) outs(%empty_4 : tensor<2x6x5xf32>) permutation = [0, 2, 1] loc("attention_reference.tdsl":23:22)
  %empty_5 = tensor.empty() : tensor<2x5x5xf32> loc("attention_reference.tdsl":23:18)
  %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_5 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32> loc("attention_reference.tdsl":23:18)
  %matmul_1 = linalg.batch_matmul ins(%q, %transposed : tensor<2x5x6xf32>, tensor<2x6x5xf32>) outs(%filled_1 : tensor<2x5x5xf32>) -> tensor<2x5x5xf32> loc("attention_reference.tdsl":23:18)
  %empty_6 = tensor.empty() : tensor<2x5x5xf64> loc("attention_reference.tdsl":23:18)
  %cast = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%matmul_1 : tensor<2x5x5xf32>)
      outs(%empty_6 : tensor<2x5x5xf64>) {
    ^bb0(%in: f32, %_: f64):
      %0 = arith.extf %in : f32 to f64 loc("attention_reference.tdsl":23:18)
      linalg.yield %0 : f64 loc("attention_reference.tdsl":23:18)
  } -> tensor<2x5x5xf64> loc("attention_reference.tdsl":23:18)
  %empty_7 = tensor.empty() : tensor<2x5x5xf64> loc("attention_reference.tdsl":23:18)
  %div = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%cast : tensor<2x5x5xf64>)
      outs(%empty_7 : tensor<2x5x5xf64>) {
    ^bb0(%in: f64, %_: f64):
      %0 = arith.constant 2.449489742783178 : f64 loc("attention_reference.tdsl":23:18)
      %1 = arith.divf %in, %0 : f64 loc("attention_reference.tdsl":23:18)
      linalg.yield %1 : f64 loc("attention_reference.tdsl":23:18)
  } -> tensor<2x5x5xf64> loc("attention_reference.tdsl":23:18)
  %empty_8 = tensor.empty() : tensor<5x5xf64> loc("attention_reference.tdsl":23:18)
  %cast_1 = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
      outs(%empty_8 : tensor<5x5xf64>) {
    ^bb0(%_: f64):
      %0 = linalg.index 1 : index loc("attention_reference.tdsl":23:18)
      %1 = arith.index_cast %0 : index to i64 loc("attention_reference.tdsl":23:18)
      %2 = linalg.index 0 : index loc("attention_reference.tdsl":23:18)
      %3 = arith.index_cast %2 : index to i64 loc("attention_reference.tdsl":23:18)
      %4 = arith.cmpi sgt, %1, %3 : i64 loc("attention_reference.tdsl":23:18)
      %5 = arith.constant -1.0e10 : f32 loc("attention_reference.tdsl":23:18)
      %6 = arith.constant 0.0 : f32 loc("attention_reference.tdsl":23:18)
      %7 = arith.select %4, %5, %6 : f32 loc("attention_reference.tdsl":23:18)
      %8 = arith.extf %7 : f32 to f64 loc("attention_reference.tdsl":23:18)
      linalg.yield %8 : f64 loc("attention_reference.tdsl":23:18)
  } -> tensor<5x5xf64> loc("attention_reference.tdsl":23:18)
  %empty_9 = tensor.empty() : tensor<2x5x5xf64> loc("attention_reference.tdsl":23:18)
  %scores = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%div, %cast_1 : tensor<2x5x5xf64>, tensor<5x5xf64>)
      outs(%empty_9 : tensor<2x5x5xf64>) {
    ^bb0(%in: f64, %in_1: f64, %_: f64):
      %0 = arith.addf %in, %in_1 : f64 loc("attention_reference.tdsl":23:18)
      linalg.yield %0 : f64 loc("attention_reference.tdsl":23:18)
  } -> tensor<2x5x5xf64> loc("attention_reference.tdsl":23:18)
  %minus_infinity = arith.constant 0xFFF0000000000000 : f64 loc("<std.nn>":112:21)
  %empty_10 = tensor.empty() : tensor<2x5xf64> loc("<std.nn>":112:21)
  %initial = linalg.fill ins(%minus_infinity : f64) outs(%empty_10 : tensor<2x5xf64>) -> tensor<2x5xf64> loc("<std.nn>":112:21)
  %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%scores : tensor<2x5x5xf64>)
      outs(%initial : tensor<2x5xf64>) {
    ^bb0(%in: f64, %acc: f64):
      %0 = arith.maximumf %in, %acc : f64 loc("<std.nn>":112:21)
      linalg.yield %0 : f64 loc("<std.nn>":112:21)
  } -> tensor<2x5xf64> loc("<std.nn>":112:21)
  %empty_11 = tensor.empty() : tensor<2x5x5xf64> loc("<std.nn>":112:17)
  %sub = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores, %max : tensor<2x5x5xf64>, tensor<2x5xf64>)
      outs(%empty_11 : tensor<2x5x5xf64>) {
    ^bb0(%in: f64, %in_1: f64, %_: f64):
      %0 = arith.subf %in, %in_1 : f64 loc("<std.nn>":112:17)
      linalg.yield %0 : f64 loc("<std.nn>":112:17)
  } -> tensor<2x5x5xf64> loc("<std.nn>":112:17)
  %empty_12 = tensor.empty() : tensor<2x5x5xf64> loc("<std.nn>":112:13)
  %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sub : tensor<2x5x5xf64>)
      outs(%empty_12 : tensor<2x5x5xf64>) {
    ^bb0(%in: f64, %_: f64):
      %0 = math.exp %in : f64 loc("<std.nn>":112:13)
      linalg.yield %0 : f64 loc("<std.nn>":112:13)
  } -> tensor<2x5x5xf64> loc("<std.nn>":112:13)
  %zero_1 = arith.constant 0.0 : f64 loc("<std.nn>":113:9)
  %empty_13 = tensor.empty() : tensor<2x5xf64> loc("<std.nn>":113:9)
  %initial_1 = linalg.fill ins(%zero_1 : f64) outs(%empty_13 : tensor<2x5xf64>) -> tensor<2x5xf64> loc("<std.nn>":113:9)
  %sum = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<2x5x5xf64>)
      outs(%initial_1 : tensor<2x5xf64>) {
    ^bb0(%in: f64, %acc: f64):
      %0 = arith.addf %in, %acc : f64 loc("<std.nn>":113:9)
      linalg.yield %0 : f64 loc("<std.nn>":113:9)
  } -> tensor<2x5xf64> loc("<std.nn>":113:9)
  %empty_14 = tensor.empty() : tensor<2x5x5xf64> loc("<std.nn>":113:5)
  %softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %sum : tensor<2x5x5xf64>, tensor<2x5xf64>)
      outs(%empty_14 : tensor<2x5x5xf64>) {
    ^bb0(%in: f64, %in_1: f64, %_: f64):
      %0 = arith.divf %in, %in_1 : f64 loc("<std.nn>":113:5)
      linalg.yield %0 : f64 loc("<std.nn>":113:5)
  } -> tensor<2x5x5xf64> loc("<std.nn>":113:5)
  %slice_2 = tensor.extract_slice %qkv[0, 24] [5, 12] [1, 1] : tensor<5x36xf32> to tensor<5x12xf32> loc("attention_reference.tdsl":21:27)
  %reshaped_2 = tensor.reshape %slice_2(%shape) : (tensor<5x12xf32>, tensor<3xindex>) -> tensor<5x2x6xf32> loc("attention_reference.tdsl":21:19)
  %empty_15 = tensor.empty() : tensor<2x5x6xf32> loc("attention_reference.tdsl":21:9)
  %v = linalg.transpose ins(%reshaped_2 : tensor<5x2x6xf32>) outs(%empty_15 : tensor<2x5x6xf32>) permutation = [1, 0, 2] loc("attention_reference.tdsl":21:9)
  %empty_16 = tensor.empty() : tensor<2x5x6xf64> loc("attention_reference.tdsl":24:35)
  %cast_2 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%v : tensor<2x5x6xf32>)
      outs(%empty_16 : tensor<2x5x6xf64>) {
    ^bb0(%in: f32, %_: f64):
      %0 = arith.extf %in : f32 to f64 loc("attention_reference.tdsl":24:35)
      linalg.yield %0 : f64 loc("attention_reference.tdsl":24:35)
  } -> tensor<2x5x6xf64> loc("attention_reference.tdsl":24:35)
  %empty_17 = tensor.empty() : tensor<2x5x6xf64> loc("attention_reference.tdsl":24:17)
  %filled_2 = linalg.fill ins(%zero_1 : f64) outs(%empty_17 : tensor<2x5x6xf64>) -> tensor<2x5x6xf64> loc("attention_reference.tdsl":24:17)
  %mixed = linalg.batch_matmul ins(%softmax, %cast_2 : tensor<2x5x5xf64>, tensor<2x5x6xf64>) outs(%filled_2 : tensor<2x5x6xf64>) -> tensor<2x5x6xf64> loc("attention_reference.tdsl":24:17)
  %empty_18 = tensor.empty() : tensor<5x2x6xf64> loc("attention_reference.tdsl":25:26)
  %transposed_1 = linalg.transpose ins(%mixed : tensor<2x5x6xf64>) outs(%empty_18 : tensor<5x2x6xf64>) permutation = [1, 0, 2] loc("attention_reference.tdsl":25:26)
  %shape_1 = arith.constant dense<[5, 12]> : tensor<2xindex> loc("attention_reference.tdsl":25:18)
  %merged = tensor.reshape %transposed_1(%shape_1) : (tensor<5x2x6xf64>, tensor<2xindex>) -> tensor<5x12xf64> loc("attention_reference.tdsl":25:18)
  %empty_19 = tensor.empty() : tensor<12x12xf64> loc("attention_reference.tdsl":26:14)
  %cast_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%out_weight : tensor<12x12xf32>)
      outs(%empty_19 : tensor<12x12xf64>) {
    ^bb0(%in: f32, %_: f64):
      %0 = arith.extf %in : f32 to f64 loc("attention_reference.tdsl":26:14)
      linalg.yield %0 : f64 loc("attention_reference.tdsl":26:14)
  } -> tensor<12x12xf64> loc("attention_reference.tdsl":26:14)
  %empty_20 = tensor.empty() : tensor<5x12xf64> loc("attention_reference.tdsl":26:5)
  %filled_3 = linalg.fill ins(%zero_1 : f64) outs(%empty_20 : tensor<5x12xf64>) -> tensor<5x12xf64> loc("attention_reference.tdsl":26:5)
  %matmul_2 = linalg.matmul ins(%merged, %cast_3 : tensor<5x12xf64>, tensor<12x12xf64>) outs(%filled_3 : tensor<5x12xf64>) -> tensor<5x12xf64> loc("attention_reference.tdsl":26:5)
  %empty_21 = tensor.empty() : tensor<12xf64> loc("attention_reference.tdsl":26:27)
  %cast_4 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
      ins(%out_bias : tensor<12xf32>)
      outs(%empty_21 : tensor<12xf64>) {
    ^bb0(%in: f32, %_: f64):
      %0 = arith.extf %in : f32 to f64 loc("attention_reference.tdsl":26:27)
      linalg.yield %0 : f64 loc("attention_reference.tdsl":26:27)
  } -> tensor<12xf64> loc("attention_reference.tdsl":26:27)
  %empty_22 = tensor.empty() : tensor<5x12xf64> loc("attention_reference.tdsl":26:5)
  %add = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_2, %cast_4 : tensor<5x12xf64>, tensor<12xf64>)
      outs(%empty_22 : tensor<5x12xf64>) {
    ^bb0(%in: f64, %in_1: f64, %_: f64):
      %0 = arith.addf %in, %in_1 : f64 loc("attention_reference.tdsl":26:5)
      linalg.yield %0 : f64 loc("attention_reference.tdsl":26:5)
  } -> tensor<5x12xf64> loc("attention_reference.tdsl":26:5)
  return %add : tensor<5x12xf64> loc("attention_reference.tdsl":26:5)
} loc("attention_reference.tdsl":26:5)
