#ij = affine_map<(i, j) -> (i, j)>
#ij_j = affine_map<(i, j) -> (j)>

func.func @linear(%x: tensor<6x8xf32>, %weight: tensor<8x32xf32>, %bias: tensor<32xf32>) -> tensor<6x32xf32> {
  %zero = arith.constant 0.0 : f32 loc("mlp.tdsl":9:5)
  %empty = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":9:5)
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<6x32xf32>) -> tensor<6x32xf32> loc("mlp.tdsl":9:5)
  %matmul = linalg.matmul ins(%x, %weight : tensor<6x8xf32>, tensor<8x32xf32>) outs(%filled : tensor<6x32xf32>) -> tensor<6x32xf32> loc("mlp.tdsl":9:5)
  %empty_1 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":9:5)
  %add = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul, %bias : tensor<6x32xf32>, tensor<32xf32>)
      outs(%empty_1 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("mlp.tdsl":9:5)
      linalg.yield %0 : f32 loc("mlp.tdsl":9:5)
  } -> tensor<6x32xf32> loc("mlp.tdsl":9:5)
  return %add : tensor<6x32xf32> loc("mlp.tdsl":9:5)
} loc("mlp.tdsl":9:5)

func.func @gelu(%x: tensor<6x32xf32>) -> tensor<6x32xf32> {
  %empty = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:5)
  %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x32xf32>)
      outs(%empty : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.5 : f32 loc("mlp.tdsl":14:5)
      %1 = arith.mulf %0, %in : f32 loc("mlp.tdsl":14:5)
      linalg.yield %1 : f32 loc("mlp.tdsl":14:5)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:5)
  %empty_1 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:60)
  %mul_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<6x32xf32>)
      outs(%empty_1 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("mlp.tdsl":14:60)
      linalg.yield %0 : f32 loc("mlp.tdsl":14:60)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:60)
  %empty_2 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:60)
  %mul_2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mul_1 : tensor<6x32xf32>, tensor<6x32xf32>)
      outs(%empty_2 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("mlp.tdsl":14:60)
      linalg.yield %0 : f32 loc("mlp.tdsl":14:60)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:60)
  %empty_3 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:49)
  %mul_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_2 : tensor<6x32xf32>)
      outs(%empty_3 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.044715 : f32 loc("mlp.tdsl":14:49)
      %1 = arith.mulf %0, %in : f32 loc("mlp.tdsl":14:49)
      linalg.yield %1 : f32 loc("mlp.tdsl":14:49)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:49)
  %empty_4 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:45)
  %add = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mul_3 : tensor<6x32xf32>, tensor<6x32xf32>)
      outs(%empty_4 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("mlp.tdsl":14:45)
      linalg.yield %0 : f32 loc("mlp.tdsl":14:45)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:45)
  %empty_5 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:27)
  %mul_4 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add : tensor<6x32xf32>)
      outs(%empty_5 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.7978846 : f32 loc("mlp.tdsl":14:27)
      %1 = arith.mulf %0, %in : f32 loc("mlp.tdsl":14:27)
      linalg.yield %1 : f32 loc("mlp.tdsl":14:27)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:27)
  %empty_6 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:22)
  %tanh = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_4 : tensor<6x32xf32>)
      outs(%empty_6 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.tanh %in : f32 loc("mlp.tdsl":14:22)
      linalg.yield %0 : f32 loc("mlp.tdsl":14:22)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:22)
  %empty_7 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:16)
  %add_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%tanh : tensor<6x32xf32>)
      outs(%empty_7 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0 : f32 loc("mlp.tdsl":14:16)
      %1 = arith.addf %0, %in : f32 loc("mlp.tdsl":14:16)
      linalg.yield %1 : f32 loc("mlp.tdsl":14:16)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:16)
  %empty_8 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:5)
  %mul_5 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul, %add_1 : tensor<6x32xf32>, tensor<6x32xf32>)
      outs(%empty_8 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("mlp.tdsl":14:5)
      linalg.yield %0 : f32 loc("mlp.tdsl":14:5)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:5)
  return %mul_5 : tensor<6x32xf32> loc("mlp.tdsl":14:5)
} loc("mlp.tdsl":14:5)

func.func @mlp(%x: tensor<6x8xf32>, %up_weight: tensor<8x32xf32>, %up_bias: tensor<32xf32>, %down_weight: tensor<32x8xf32>, %down_bias: tensor<8xf32>) -> tensor<6x8xf32> {
  %zero = arith.constant 0.0 : f32 loc("mlp.tdsl":9:5)
  %empty = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":9:5)
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<6x32xf32>) -> tensor<6x32xf32> loc("mlp.tdsl":9:5)
  %matmul = linalg.matmul ins(%x, %up_weight : tensor<6x8xf32>, tensor<8x32xf32>) outs(%filled : tensor<6x32xf32>) -> tensor<6x32xf32> loc("mlp.tdsl":9:5)
  %empty_1 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":9:5)
  %linear = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul, %up_bias : tensor<6x32xf32>, tensor<32xf32>)
      outs(%empty_1 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("mlp.tdsl":9:5)
      linalg.yield %0 : f32 loc("mlp.tdsl":9:5)
  } -> tensor<6x32xf32> loc("mlp.tdsl":9:5)
  %empty_2 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:5)
  %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%linear : tensor<6x32xf32>)
      outs(%empty_2 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.5 : f32 loc("mlp.tdsl":14:5)
      %1 = arith.mulf %0, %in : f32 loc("mlp.tdsl":14:5)
      linalg.yield %1 : f32 loc("mlp.tdsl":14:5)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:5)
  %empty_3 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:60)
  %mul_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%linear : tensor<6x32xf32>)
      outs(%empty_3 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("mlp.tdsl":14:60)
      linalg.yield %0 : f32 loc("mlp.tdsl":14:60)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:60)
  %empty_4 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:60)
  %mul_2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%linear, %mul_1 : tensor<6x32xf32>, tensor<6x32xf32>)
      outs(%empty_4 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("mlp.tdsl":14:60)
      linalg.yield %0 : f32 loc("mlp.tdsl":14:60)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:60)
  %empty_5 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:49)
  %mul_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_2 : tensor<6x32xf32>)
      outs(%empty_5 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.044715 : f32 loc("mlp.tdsl":14:49)
      %1 = arith.mulf %0, %in : f32 loc("mlp.tdsl":14:49)
      linalg.yield %1 : f32 loc("mlp.tdsl":14:49)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:49)
  %empty_6 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:45)
  %add = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%linear, %mul_3 : tensor<6x32xf32>, tensor<6x32xf32>)
      outs(%empty_6 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("mlp.tdsl":14:45)
      linalg.yield %0 : f32 loc("mlp.tdsl":14:45)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:45)
  %empty_7 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:27)
  %mul_4 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add : tensor<6x32xf32>)
      outs(%empty_7 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.7978846 : f32 loc("mlp.tdsl":14:27)
      %1 = arith.mulf %0, %in : f32 loc("mlp.tdsl":14:27)
      linalg.yield %1 : f32 loc("mlp.tdsl":14:27)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:27)
  %empty_8 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:22)
  %tanh = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_4 : tensor<6x32xf32>)
      outs(%empty_8 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.tanh %in : f32 loc("mlp.tdsl":14:22)
      linalg.yield %0 : f32 loc("mlp.tdsl":14:22)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:22)
  %empty_9 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:16)
  %add_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%tanh : tensor<6x32xf32>)
      outs(%empty_9 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0 : f32 loc("mlp.tdsl":14:16)
      %1 = arith.addf %0, %in : f32 loc("mlp.tdsl":14:16)
      linalg.yield %1 : f32 loc("mlp.tdsl":14:16)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:16)
  %empty_10 = tensor.empty() : tensor<6x32xf32> loc("mlp.tdsl":14:5)
  %hidden = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul, %add_1 : tensor<6x32xf32>, tensor<6x32xf32>)
      outs(%empty_10 : tensor<6x32xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("mlp.tdsl":14:5)
      linalg.yield %0 : f32 loc("mlp.tdsl":14:5)
  } -> tensor<6x32xf32> loc("mlp.tdsl":14:5)
  %empty_11 = tensor.empty() : tensor<6x8xf32> loc("mlp.tdsl":9:5)
  %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_11 : tensor<6x8xf32>) -> tensor<6x8xf32> loc("mlp.tdsl":9:5)
  %matmul_1 = linalg.matmul ins(%hidden, %down_weight : tensor<6x32xf32>, tensor<32x8xf32>) outs(%filled_1 : tensor<6x8xf32>) -> tensor<6x8xf32> loc("mlp.tdsl":9:5)
  %empty_12 = tensor.empty() : tensor<6x8xf32> loc("mlp.tdsl":9:5)
  %linear_1 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_1, %down_bias : tensor<6x8xf32>, tensor<8xf32>)
      outs(%empty_12 : tensor<6x8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("mlp.tdsl":9:5)
      linalg.yield %0 : f32 loc("mlp.tdsl":9:5)
  } -> tensor<6x8xf32> loc("mlp.tdsl":9:5)
  return %linear_1 : tensor<6x8xf32> loc("mlp.tdsl":9:5)
} loc("mlp.tdsl":9:5)
