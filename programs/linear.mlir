#ij = affine_map<(i, j) -> (i, j)>
#ij_j = affine_map<(i, j) -> (j)>

func.func @linear(%x: tensor<3x5xf32>, %weight: tensor<5x7xf32>, %bias: tensor<7xf32>) -> tensor<3x7xf32> {
  %zero = arith.constant 0.0 : f32 loc("linear.tdsl":9:5)
  %empty = tensor.empty() : tensor<3x7xf32> loc("linear.tdsl":9:5)
  %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<3x7xf32>) -> tensor<3x7xf32> loc("linear.tdsl":9:5)
  %matmul = linalg.matmul ins(%x, %weight : tensor<3x5xf32>, tensor<5x7xf32>) outs(%filled : tensor<3x7xf32>) -> tensor<3x7xf32> loc("linear.tdsl":9:5)
  %empty_1 = tensor.empty() : tensor<3x7xf32> loc("linear.tdsl":9:5)
  %add = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul, %bias : tensor<3x7xf32>, tensor<7xf32>)
      outs(%empty_1 : tensor<3x7xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("linear.tdsl":9:5)
      linalg.yield %0 : f32 loc("linear.tdsl":9:5)
  } -> tensor<3x7xf32> loc("linear.tdsl":9:5)
  return %add : tensor<3x7xf32> loc("linear.tdsl":9:5)
} loc("linear.tdsl":9:5)
