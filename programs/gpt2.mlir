#ij = affine_map<(i, j) -> (i, j)>
#ij_i = affine_map<(i, j) -> (i)>
#ij_i0 = affine_map<(i, j) -> (i, 0)>
#ij_j = affine_map<(i, j) -> (j)>
#ijk = affine_map<(i, j, k) -> (i, j, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#scalar = affine_map<() -> ()>
#ij_scalar = affine_map<(i, j) -> ()>
#ijk_ij0 = affine_map<(i, j, k) -> (i, j, 0)>

func.func @feed(%x: tensor<?x?xf32>, %p.ln_1.gain: tensor<?xf32>, %p.ln_1.bias: tensor<?xf32>, %p.qkv.weight: tensor<?x?xf32>, %p.qkv.bias: tensor<?xf32>, %p.out.weight: tensor<?x?xf32>, %p.out.bias: tensor<?xf32>, %p.ln_2.gain: tensor<?xf32>, %p.ln_2.bias: tensor<?xf32>, %p.up.weight: tensor<?x?xf32>, %p.up.bias: tensor<?xf32>, %p.down.weight: tensor<?x?xf32>, %p.down.bias: tensor<?xf32>) -> tensor<?x?xf32> {
  %zero = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
  %c0 = arith.constant 0 : index loc("<std.nn>":214:23)
  %T = tensor.dim %x, %c0 : tensor<?x?xf32> loc("<std.nn>":214:23)
  %empty = tensor.empty(%T) : tensor<?xf32> loc("<std.nn>":214:23)
  %initial = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32> loc("<std.nn>":214:23)
  %sum = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>)
      outs(%initial : tensor<?xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<?xf32> loc("<std.nn>":214:23)
  %c1 = arith.constant 1 : index loc("<std.nn>":214:23)
  %C = tensor.dim %x, %c1 : tensor<?x?xf32> loc("<std.nn>":214:23)
  %C_i64 = arith.index_cast %C : index to i64 loc("<std.nn>":214:23)
  %sitofp = arith.sitofp %C_i64 : i64 to f32 loc("<std.nn>":214:23)
  %empty_1 = tensor.empty(%T) : tensor<?x1xf32> loc("<std.nn>":214:23)
  %mean = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?xf32>)
      outs(%empty_1 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.divf %in, %sitofp : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<?x1xf32> loc("<std.nn>":214:23)
  %empty_2 = tensor.empty(%T, %C) : tensor<?x?xf32> loc("<std.nn>":214:19)
  %centred = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<?x?xf32>, tensor<?x1xf32>)
      outs(%empty_2 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<?x?xf32> loc("<std.nn>":214:19)
  %empty_3 = tensor.empty(%T, %C) : tensor<?x?xf32> loc("<std.nn>":215:25)
  %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred : tensor<?x?xf32>)
      outs(%empty_3 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<?x?xf32> loc("<std.nn>":215:25)
  %empty_4 = tensor.empty(%T) : tensor<?xf32> loc("<std.nn>":215:20)
  %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_4 : tensor<?xf32>) -> tensor<?xf32> loc("<std.nn>":215:20)
  %sum_1 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul : tensor<?x?xf32>)
      outs(%initial_1 : tensor<?xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<?xf32> loc("<std.nn>":215:20)
  %empty_5 = tensor.empty(%T) : tensor<?x1xf32> loc("<std.nn>":215:20)
  %variance = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_1 : tensor<?xf32>)
      outs(%empty_5 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.divf %in, %sitofp : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<?x1xf32> loc("<std.nn>":215:20)
  %empty_6 = tensor.empty(%T) : tensor<?x1xf32> loc("<std.nn>":216:21)
  %add = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%variance : tensor<?x1xf32>)
      outs(%empty_6 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<?x1xf32> loc("<std.nn>":216:21)
  %empty_7 = tensor.empty(%T) : tensor<?x1xf32> loc("<std.nn>":216:15)
  %rsqrt = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add : tensor<?x1xf32>)
      outs(%empty_7 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<?x1xf32> loc("<std.nn>":216:15)
  %empty_8 = tensor.empty(%T, %C) : tensor<?x?xf32> loc("<std.nn>":216:5)
  %mul_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %rsqrt : tensor<?x?xf32>, tensor<?x1xf32>)
      outs(%empty_8 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<?x?xf32> loc("<std.nn>":216:5)
  %empty_9 = tensor.empty(%T, %C) : tensor<?x?xf32> loc("<std.nn>":216:5)
  %mul_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_1, %p.ln_2.gain : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_9 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<?x?xf32> loc("<std.nn>":216:5)
  %empty_10 = tensor.empty(%T, %C) : tensor<?x?xf32> loc("<std.nn>":216:5)
  %layer_norm = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_2, %p.ln_2.bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_10 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<?x?xf32> loc("<std.nn>":216:5)
  %F = tensor.dim %p.up.weight, %c1 : tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_11 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %filled = linalg.fill ins(%zero : f32) outs(%empty_11 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %matmul = linalg.matmul ins(%layer_norm, %p.up.weight : tensor<?x?xf32>, tensor<?x?xf32>) outs(%filled : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_12 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %linear = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul, %p.up.bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_12 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_13 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":58:13)
  %y = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%linear : tensor<?x?xf32>)
      outs(%empty_13 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant -10000.0 : f32 loc("<std.nn>":58:13)
      %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":58:13)
      linalg.yield %1 : f32 loc("<std.nn>":58:13)
  } -> tensor<?x?xf32> loc("<std.nn>":58:13)
  %empty_14 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":59:5)
  %mul_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x?xf32>)
      outs(%empty_14 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.5 : f32 loc("<std.nn>":59:5)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:5)
      linalg.yield %1 : f32 loc("<std.nn>":59:5)
  } -> tensor<?x?xf32> loc("<std.nn>":59:5)
  %empty_15 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":59:60)
  %mul_4 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x?xf32>)
      outs(%empty_15 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":59:60)
      linalg.yield %0 : f32 loc("<std.nn>":59:60)
  } -> tensor<?x?xf32> loc("<std.nn>":59:60)
  %empty_16 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":59:60)
  %mul_5 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y, %mul_4 : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty_16 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:60)
      linalg.yield %0 : f32 loc("<std.nn>":59:60)
  } -> tensor<?x?xf32> loc("<std.nn>":59:60)
  %empty_17 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":59:49)
  %mul_6 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_5 : tensor<?x?xf32>)
      outs(%empty_17 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.044715 : f32 loc("<std.nn>":59:49)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:49)
      linalg.yield %1 : f32 loc("<std.nn>":59:49)
  } -> tensor<?x?xf32> loc("<std.nn>":59:49)
  %empty_18 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":59:45)
  %add_1 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y, %mul_6 : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty_18 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":59:45)
      linalg.yield %0 : f32 loc("<std.nn>":59:45)
  } -> tensor<?x?xf32> loc("<std.nn>":59:45)
  %empty_19 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":59:27)
  %mul_7 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_1 : tensor<?x?xf32>)
      outs(%empty_19 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.7978846 : f32 loc("<std.nn>":59:27)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:27)
      linalg.yield %1 : f32 loc("<std.nn>":59:27)
  } -> tensor<?x?xf32> loc("<std.nn>":59:27)
  %empty_20 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":59:22)
  %tanh = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_7 : tensor<?x?xf32>)
      outs(%empty_20 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.tanh %in : f32 loc("<std.nn>":59:22)
      linalg.yield %0 : f32 loc("<std.nn>":59:22)
  } -> tensor<?x?xf32> loc("<std.nn>":59:22)
  %empty_21 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":59:16)
  %add_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%tanh : tensor<?x?xf32>)
      outs(%empty_21 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0 : f32 loc("<std.nn>":59:16)
      %1 = arith.addf %0, %in : f32 loc("<std.nn>":59:16)
      linalg.yield %1 : f32 loc("<std.nn>":59:16)
  } -> tensor<?x?xf32> loc("<std.nn>":59:16)
  %empty_22 = tensor.empty(%T, %F) : tensor<?x?xf32> loc("<std.nn>":59:5)
  %hidden = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_3, %add_2 : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty_22 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:5)
      linalg.yield %0 : f32 loc("<std.nn>":59:5)
  } -> tensor<?x?xf32> loc("<std.nn>":59:5)
  %empty_23 = tensor.empty(%T, %C) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_23 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %matmul_1 = linalg.matmul ins(%hidden, %p.down.weight : tensor<?x?xf32>, tensor<?x?xf32>) outs(%filled_1 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_24 = tensor.empty(%T, %C) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %linear_1 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_1, %p.down.bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_24 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_25 = tensor.empty(%T, %C) : tensor<?x?xf32> loc("<std.nn>":404:5)
  %feedforward = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %linear_1 : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty_25 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":404:5)
      linalg.yield %0 : f32 loc("<std.nn>":404:5)
  } -> tensor<?x?xf32> loc("<std.nn>":404:5)
  return %feedforward : tensor<?x?xf32> loc("<std.nn>":404:5)
} loc("<std.nn>":404:5)

func.func @forward(%ids: tensor<4xi32>, %p.wte: tensor<11x6xf32>, %p.wpe: tensor<8x6xf32>, %p.blocks.ln_1.gain: tensor<2x6xf32>, %p.blocks.ln_1.bias: tensor<2x6xf32>, %p.blocks.qkv.weight: tensor<2x6x18xf32>, %p.blocks.qkv.bias: tensor<2x18xf32>, %p.blocks.out.weight: tensor<2x6x6xf32>, %p.blocks.out.bias: tensor<2x6xf32>, %p.blocks.ln_2.gain: tensor<2x6xf32>, %p.blocks.ln_2.bias: tensor<2x6xf32>, %p.blocks.up.weight: tensor<2x6x24xf32>, %p.blocks.up.bias: tensor<2x24xf32>, %p.blocks.down.weight: tensor<2x24x6xf32>, %p.blocks.down.bias: tensor<2x6xf32>, %p.ln_f.gain: tensor<6xf32>, %p.ln_f.bias: tensor<6xf32>) -> tensor<4x11xf32> {
  %empty = tensor.empty() : tensor<4x6xf32> loc("gpt2.tdsl":50:20)
  %c0 = arith.constant 0 : index loc("gpt2.tdsl":50:20)
  %c4 = arith.constant 4 : index loc("gpt2.tdsl":50:20)
  %c1 = arith.constant 1 : index loc("gpt2.tdsl":50:20)
  %take = scf.for %place = %c0 to %c4 step %c1 iter_args(%rows = %empty) -> (tensor<4x6xf32>) {
    %position = tensor.extract %ids[%place] : tensor<4xi32> loc("gpt2.tdsl":50:20)
    %extsi = arith.extsi %position : i32 to i64 loc("gpt2.tdsl":50:20)
    %c11_i64 = arith.constant 11 : i64 loc("gpt2.tdsl":50:20)
    %c10_i64 = arith.constant 10 : i64 loc("gpt2.tdsl":50:20)
    func.call @tdsl.check_position(%extsi, %c10_i64, %c11_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/gpt2.tdsl:50:20"} : (i64, i64, i64) -> () loc("gpt2.tdsl":50:20)
    %c0_i64 = arith.constant 0 : i64 loc("gpt2.tdsl":50:20)
    %inside = arith.maxsi %extsi, %c0_i64 : i64 loc("gpt2.tdsl":50:20)
    %inside_1 = arith.minsi %inside, %c10_i64 : i64 loc("gpt2.tdsl":50:20)
    %at = arith.index_cast %inside_1 : i64 to index loc("gpt2.tdsl":50:20)
    %row = tensor.extract_slice %p.wte[%at, 0] [1, 6] [1, 1] : tensor<11x6xf32> to tensor<6xf32> loc("gpt2.tdsl":50:20)
    %put = tensor.insert_slice %row into %rows[%place, 0] [1, 6] [1, 1] : tensor<6xf32> into tensor<4x6xf32> loc("gpt2.tdsl":50:20)
    scf.yield %put : tensor<4x6xf32> loc("gpt2.tdsl":50:20)
  } loc("gpt2.tdsl":50:20)
  %slice = tensor.extract_slice %p.wpe[0, 0] [4, 6] [1, 1] : tensor<8x6xf32> to tensor<4x6xf32> loc("gpt2.tdsl":50:47)
  %empty_1 = tensor.empty() : tensor<4x6xf32> loc("gpt2.tdsl":50:20)
  %embedded = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%take, %slice : tensor<4x6xf32>, tensor<4x6xf32>)
      outs(%empty_1 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("gpt2.tdsl":50:20)
      linalg.yield %0 : f32 loc("gpt2.tdsl":50:20)
  } -> tensor<4x6xf32> loc("gpt2.tdsl":50:20)
  %c2 = arith.constant 2 : index loc("gpt2.tdsl":51:13)
  %looped = scf.for %step = %c0 to %c2 step %c1 iter_args(%x = %embedded) -> (tensor<4x6xf32>) {
    %b.ln_1.gain = tensor.extract_slice %p.blocks.ln_1.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":51:13)
    %b.ln_1.bias = tensor.extract_slice %p.blocks.ln_1.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":51:13)
    %b.qkv.weight = tensor.extract_slice %p.blocks.qkv.weight[%step, 0, 0] [1, 6, 18] [1, 1, 1] : tensor<2x6x18xf32> to tensor<6x18xf32> loc("gpt2.tdsl":51:13)
    %b.qkv.bias = tensor.extract_slice %p.blocks.qkv.bias[%step, 0] [1, 18] [1, 1] : tensor<2x18xf32> to tensor<18xf32> loc("gpt2.tdsl":51:13)
    %b.out.weight = tensor.extract_slice %p.blocks.out.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("gpt2.tdsl":51:13)
    %b.out.bias = tensor.extract_slice %p.blocks.out.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":51:13)
    %b.ln_2.gain = tensor.extract_slice %p.blocks.ln_2.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":51:13)
    %b.ln_2.bias = tensor.extract_slice %p.blocks.ln_2.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":51:13)
    %b.up.weight = tensor.extract_slice %p.blocks.up.weight[%step, 0, 0] [1, 6, 24] [1, 1, 1] : tensor<2x6x24xf32> to tensor<6x24xf32> loc("gpt2.tdsl":51:13)
    %b.up.bias = tensor.extract_slice %p.blocks.up.bias[%step, 0] [1, 24] [1, 1] : tensor<2x24xf32> to tensor<24xf32> loc("gpt2.tdsl":51:13)
    %b.down.weight = tensor.extract_slice %p.blocks.down.weight[%step, 0, 0] [1, 24, 6] [1, 1, 1] : tensor<2x24x6xf32> to tensor<24x6xf32> loc("gpt2.tdsl":51:13)
    %b.down.bias = tensor.extract_slice %p.blocks.down.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":51:13)
    %zero = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
    %empty_2 = tensor.empty() : tensor<4xf32> loc("<std.nn>":214:23)
    %initial = linalg.fill ins(%zero : f32) outs(%empty_2 : tensor<4xf32>) -> tensor<4xf32> loc("<std.nn>":214:23)
    %sum = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<4x6xf32>)
        outs(%initial : tensor<4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<4xf32> loc("<std.nn>":214:23)
    %empty_3 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":214:23)
    %mean = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum : tensor<4xf32>)
        outs(%empty_3 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<4x1xf32> loc("<std.nn>":214:23)
    %empty_4 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":214:19)
    %centred = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x, %mean : tensor<4x6xf32>, tensor<4x1xf32>)
        outs(%empty_4 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<4x6xf32> loc("<std.nn>":214:19)
    %empty_5 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":215:25)
    %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%centred : tensor<4x6xf32>)
        outs(%empty_5 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<4x6xf32> loc("<std.nn>":215:25)
    %empty_6 = tensor.empty() : tensor<4xf32> loc("<std.nn>":215:20)
    %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_6 : tensor<4xf32>) -> tensor<4xf32> loc("<std.nn>":215:20)
    %sum_1 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%mul : tensor<4x6xf32>)
        outs(%initial_1 : tensor<4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<4xf32> loc("<std.nn>":215:20)
    %empty_7 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":215:20)
    %variance = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum_1 : tensor<4xf32>)
        outs(%empty_7 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<4x1xf32> loc("<std.nn>":215:20)
    %empty_8 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":216:21)
    %add = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%variance : tensor<4x1xf32>)
        outs(%empty_8 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<4x1xf32> loc("<std.nn>":216:21)
    %empty_9 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":216:15)
    %rsqrt = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add : tensor<4x1xf32>)
        outs(%empty_9 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<4x1xf32> loc("<std.nn>":216:15)
    %empty_10 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":216:5)
    %mul_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%centred, %rsqrt : tensor<4x6xf32>, tensor<4x1xf32>)
        outs(%empty_10 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<4x6xf32> loc("<std.nn>":216:5)
    %empty_11 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":216:5)
    %mul_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_1, %b.ln_1.gain : tensor<4x6xf32>, tensor<6xf32>)
        outs(%empty_11 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<4x6xf32> loc("<std.nn>":216:5)
    %empty_12 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":216:5)
    %layer_norm = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_2, %b.ln_1.bias : tensor<4x6xf32>, tensor<6xf32>)
        outs(%empty_12 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<4x6xf32> loc("<std.nn>":216:5)
    %empty_13 = tensor.empty() : tensor<4x18xf32> loc("<std.nn>":22:5)
    %filled = linalg.fill ins(%zero : f32) outs(%empty_13 : tensor<4x18xf32>) -> tensor<4x18xf32> loc("<std.nn>":22:5)
    %matmul = linalg.matmul ins(%layer_norm, %b.qkv.weight : tensor<4x6xf32>, tensor<6x18xf32>) outs(%filled : tensor<4x18xf32>) -> tensor<4x18xf32> loc("<std.nn>":22:5)
    %empty_14 = tensor.empty() : tensor<4x18xf32> loc("<std.nn>":22:5)
    %qkv = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul, %b.qkv.bias : tensor<4x18xf32>, tensor<18xf32>)
        outs(%empty_14 : tensor<4x18xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<4x18xf32> loc("<std.nn>":22:5)
    %slice_1 = tensor.extract_slice %qkv[0, 0] [4, 6] [1, 1] : tensor<4x18xf32> to tensor<4x6xf32> loc("<std.nn>":315:27)
    %shape = arith.constant dense<[4, 2, 3]> : tensor<3xindex> loc("<std.nn>":315:19)
    %reshaped = tensor.reshape %slice_1(%shape) : (tensor<4x6xf32>, tensor<3xindex>) -> tensor<4x2x3xf32> loc("<std.nn>":315:19)
    %empty_15 = tensor.empty() : tensor<2x4x3xf32> loc("<std.nn>":315:9)
    %q = linalg.transpose ins(%reshaped : tensor<4x2x3xf32>) outs(%empty_15 : tensor<2x4x3xf32>) permutation = [1, 0, 2] loc("<std.nn>":315:9)
    %slice_2 = tensor.extract_slice %qkv[0, 6] [4, 6] [1, 1] : tensor<4x18xf32> to tensor<4x6xf32> loc("<std.nn>":315:27)
    %reshaped_1 = tensor.reshape %slice_2(%shape) : (tensor<4x6xf32>, tensor<3xindex>) -> tensor<4x2x3xf32> loc("<std.nn>":315:19)
    %empty_16 = tensor.empty() : tensor<2x4x3xf32> loc("<std.nn>":315:9)
    %k = linalg.transpose ins(%reshaped_1 : tensor<4x2x3xf32>) outs(%empty_16 : tensor<2x4x3xf32>) permutation = [1, 0, 2] loc("<std.nn>":315:9)
    %empty_17 = tensor.empty() : tensor<2x3x4xf32> loc("<std.nn>":317:22)
    %transposed = linalg.transpose ins(%k : tensor<2x4x3xf32>) outs(%empty_17 : tensor<2x3x4xf32>) permutation = [0, 2, 1] loc("<std.nn>":317:22)
    %empty_18 = tensor.empty() : tensor<2x4x4xf32> loc("<std.nn>":317:18)
    %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_18 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32> loc("<std.nn>":317:18)
    %matmul_1 = linalg.batch_matmul ins(%q, %transposed : tensor<2x4x3xf32>, tensor<2x3x4xf32>) outs(%filled_1 : tensor<2x4x4xf32>) -> tensor<2x4x4xf32> loc("<std.nn>":317:18)
    %empty_19 = tensor.empty() : tensor<2x4x4xf32> loc("<std.nn>":317:18)
    %div = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%matmul_1 : tensor<2x4x4xf32>)
        outs(%empty_19 : tensor<2x4x4xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.7320508 : f32 loc("<std.nn>":317:18)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":317:18)
        linalg.yield %1 : f32 loc("<std.nn>":317:18)
    } -> tensor<2x4x4xf32> loc("<std.nn>":317:18)
    %empty_20 = tensor.empty() : tensor<4x4xf32> loc("<std.nn>":317:18)
    %causal_mask = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
        outs(%empty_20 : tensor<4x4xf32>) {
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
    } -> tensor<4x4xf32> loc("<std.nn>":317:18)
    %empty_21 = tensor.empty() : tensor<2x4x4xf32> loc("<std.nn>":317:18)
    %scores = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%div, %causal_mask : tensor<2x4x4xf32>, tensor<4x4xf32>)
        outs(%empty_21 : tensor<2x4x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":317:18)
        linalg.yield %0 : f32 loc("<std.nn>":317:18)
    } -> tensor<2x4x4xf32> loc("<std.nn>":317:18)
    %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":112:21)
    %empty_22 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":112:21)
    %initial_2 = linalg.fill ins(%minus_infinity : f32) outs(%empty_22 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":112:21)
    %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%scores : tensor<2x4x4xf32>)
        outs(%initial_2 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":112:21)
        linalg.yield %0 : f32 loc("<std.nn>":112:21)
    } -> tensor<2x4xf32> loc("<std.nn>":112:21)
    %empty_23 = tensor.empty() : tensor<2x4x4xf32> loc("<std.nn>":112:17)
    %sub = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%scores, %max : tensor<2x4x4xf32>, tensor<2x4xf32>)
        outs(%empty_23 : tensor<2x4x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":112:17)
        linalg.yield %0 : f32 loc("<std.nn>":112:17)
    } -> tensor<2x4x4xf32> loc("<std.nn>":112:17)
    %empty_24 = tensor.empty() : tensor<2x4x4xf32> loc("<std.nn>":112:13)
    %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sub : tensor<2x4x4xf32>)
        outs(%empty_24 : tensor<2x4x4xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.exp %in : f32 loc("<std.nn>":112:13)
        linalg.yield %0 : f32 loc("<std.nn>":112:13)
    } -> tensor<2x4x4xf32> loc("<std.nn>":112:13)
    %empty_25 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":113:9)
    %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_25 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":113:9)
    %sum_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%e : tensor<2x4x4xf32>)
        outs(%initial_3 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":113:9)
        linalg.yield %0 : f32 loc("<std.nn>":113:9)
    } -> tensor<2x4xf32> loc("<std.nn>":113:9)
    %empty_26 = tensor.empty() : tensor<2x4x4xf32> loc("<std.nn>":113:5)
    %softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%e, %sum_2 : tensor<2x4x4xf32>, tensor<2x4xf32>)
        outs(%empty_26 : tensor<2x4x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":113:5)
        linalg.yield %0 : f32 loc("<std.nn>":113:5)
    } -> tensor<2x4x4xf32> loc("<std.nn>":113:5)
    %slice_3 = tensor.extract_slice %qkv[0, 12] [4, 6] [1, 1] : tensor<4x18xf32> to tensor<4x6xf32> loc("<std.nn>":315:27)
    %reshaped_2 = tensor.reshape %slice_3(%shape) : (tensor<4x6xf32>, tensor<3xindex>) -> tensor<4x2x3xf32> loc("<std.nn>":315:19)
    %empty_27 = tensor.empty() : tensor<2x4x3xf32> loc("<std.nn>":315:9)
    %v = linalg.transpose ins(%reshaped_2 : tensor<4x2x3xf32>) outs(%empty_27 : tensor<2x4x3xf32>) permutation = [1, 0, 2] loc("<std.nn>":315:9)
    %empty_28 = tensor.empty() : tensor<2x4x3xf32> loc("<std.nn>":318:17)
    %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_28 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32> loc("<std.nn>":318:17)
    %mixed = linalg.batch_matmul ins(%softmax, %v : tensor<2x4x4xf32>, tensor<2x4x3xf32>) outs(%filled_2 : tensor<2x4x3xf32>) -> tensor<2x4x3xf32> loc("<std.nn>":318:17)
    %empty_29 = tensor.empty() : tensor<4x2x3xf32> loc("<std.nn>":319:20)
    %transposed_1 = linalg.transpose ins(%mixed : tensor<2x4x3xf32>) outs(%empty_29 : tensor<4x2x3xf32>) permutation = [1, 0, 2] loc("<std.nn>":319:20)
    %shape_1 = arith.constant dense<[4, 6]> : tensor<2xindex> loc("<std.nn>":319:12)
    %reshaped_3 = tensor.reshape %transposed_1(%shape_1) : (tensor<4x2x3xf32>, tensor<2xindex>) -> tensor<4x6xf32> loc("<std.nn>":319:12)
    %empty_30 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":22:5)
    %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_30 : tensor<4x6xf32>) -> tensor<4x6xf32> loc("<std.nn>":22:5)
    %matmul_2 = linalg.matmul ins(%reshaped_3, %b.out.weight : tensor<4x6xf32>, tensor<6x6xf32>) outs(%filled_3 : tensor<4x6xf32>) -> tensor<4x6xf32> loc("<std.nn>":22:5)
    %empty_31 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":22:5)
    %attention = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul_2, %b.out.bias : tensor<4x6xf32>, tensor<6xf32>)
        outs(%empty_31 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<4x6xf32> loc("<std.nn>":22:5)
    %empty_32 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":383:5)
    %y = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x, %attention : tensor<4x6xf32>, tensor<4x6xf32>)
        outs(%empty_32 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":383:5)
        linalg.yield %0 : f32 loc("<std.nn>":383:5)
    } -> tensor<4x6xf32> loc("<std.nn>":383:5)
    %empty_33 = tensor.empty() : tensor<4xf32> loc("<std.nn>":214:23)
    %initial_4 = linalg.fill ins(%zero : f32) outs(%empty_33 : tensor<4xf32>) -> tensor<4xf32> loc("<std.nn>":214:23)
    %sum_3 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%y : tensor<4x6xf32>)
        outs(%initial_4 : tensor<4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<4xf32> loc("<std.nn>":214:23)
    %empty_34 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":214:23)
    %mean_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum_3 : tensor<4xf32>)
        outs(%empty_34 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<4x1xf32> loc("<std.nn>":214:23)
    %empty_35 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":214:19)
    %centred_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y, %mean_1 : tensor<4x6xf32>, tensor<4x1xf32>)
        outs(%empty_35 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<4x6xf32> loc("<std.nn>":214:19)
    %empty_36 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":215:25)
    %mul_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%centred_1 : tensor<4x6xf32>)
        outs(%empty_36 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<4x6xf32> loc("<std.nn>":215:25)
    %empty_37 = tensor.empty() : tensor<4xf32> loc("<std.nn>":215:20)
    %initial_5 = linalg.fill ins(%zero : f32) outs(%empty_37 : tensor<4xf32>) -> tensor<4xf32> loc("<std.nn>":215:20)
    %sum_4 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%mul_3 : tensor<4x6xf32>)
        outs(%initial_5 : tensor<4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<4xf32> loc("<std.nn>":215:20)
    %empty_38 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":215:20)
    %variance_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum_4 : tensor<4xf32>)
        outs(%empty_38 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<4x1xf32> loc("<std.nn>":215:20)
    %empty_39 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":216:21)
    %add_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%variance_1 : tensor<4x1xf32>)
        outs(%empty_39 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<4x1xf32> loc("<std.nn>":216:21)
    %empty_40 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":216:15)
    %rsqrt_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_1 : tensor<4x1xf32>)
        outs(%empty_40 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<4x1xf32> loc("<std.nn>":216:15)
    %empty_41 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":216:5)
    %mul_4 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%centred_1, %rsqrt_1 : tensor<4x6xf32>, tensor<4x1xf32>)
        outs(%empty_41 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<4x6xf32> loc("<std.nn>":216:5)
    %empty_42 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":216:5)
    %mul_5 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_4, %b.ln_2.gain : tensor<4x6xf32>, tensor<6xf32>)
        outs(%empty_42 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<4x6xf32> loc("<std.nn>":216:5)
    %empty_43 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":216:5)
    %layer_norm_1 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_5, %b.ln_2.bias : tensor<4x6xf32>, tensor<6xf32>)
        outs(%empty_43 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<4x6xf32> loc("<std.nn>":216:5)
    %empty_44 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":22:5)
    %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_44 : tensor<4x24xf32>) -> tensor<4x24xf32> loc("<std.nn>":22:5)
    %matmul_3 = linalg.matmul ins(%layer_norm_1, %b.up.weight : tensor<4x6xf32>, tensor<6x24xf32>) outs(%filled_4 : tensor<4x24xf32>) -> tensor<4x24xf32> loc("<std.nn>":22:5)
    %empty_45 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":22:5)
    %linear = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul_3, %b.up.bias : tensor<4x24xf32>, tensor<24xf32>)
        outs(%empty_45 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<4x24xf32> loc("<std.nn>":22:5)
    %empty_46 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":58:13)
    %y_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%linear : tensor<4x24xf32>)
        outs(%empty_46 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant -10000.0 : f32 loc("<std.nn>":58:13)
        %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":58:13)
        linalg.yield %1 : f32 loc("<std.nn>":58:13)
    } -> tensor<4x24xf32> loc("<std.nn>":58:13)
    %empty_47 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":59:5)
    %mul_6 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1 : tensor<4x24xf32>)
        outs(%empty_47 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.5 : f32 loc("<std.nn>":59:5)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:5)
        linalg.yield %1 : f32 loc("<std.nn>":59:5)
    } -> tensor<4x24xf32> loc("<std.nn>":59:5)
    %empty_48 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":59:60)
    %mul_7 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1 : tensor<4x24xf32>)
        outs(%empty_48 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":59:60)
        linalg.yield %0 : f32 loc("<std.nn>":59:60)
    } -> tensor<4x24xf32> loc("<std.nn>":59:60)
    %empty_49 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":59:60)
    %mul_8 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1, %mul_7 : tensor<4x24xf32>, tensor<4x24xf32>)
        outs(%empty_49 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:60)
        linalg.yield %0 : f32 loc("<std.nn>":59:60)
    } -> tensor<4x24xf32> loc("<std.nn>":59:60)
    %empty_50 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":59:49)
    %mul_9 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_8 : tensor<4x24xf32>)
        outs(%empty_50 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.044715 : f32 loc("<std.nn>":59:49)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:49)
        linalg.yield %1 : f32 loc("<std.nn>":59:49)
    } -> tensor<4x24xf32> loc("<std.nn>":59:49)
    %empty_51 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":59:45)
    %add_2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1, %mul_9 : tensor<4x24xf32>, tensor<4x24xf32>)
        outs(%empty_51 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":59:45)
        linalg.yield %0 : f32 loc("<std.nn>":59:45)
    } -> tensor<4x24xf32> loc("<std.nn>":59:45)
    %empty_52 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":59:27)
    %mul_10 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_2 : tensor<4x24xf32>)
        outs(%empty_52 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.7978846 : f32 loc("<std.nn>":59:27)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:27)
        linalg.yield %1 : f32 loc("<std.nn>":59:27)
    } -> tensor<4x24xf32> loc("<std.nn>":59:27)
    %empty_53 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":59:22)
    %tanh = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_10 : tensor<4x24xf32>)
        outs(%empty_53 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.tanh %in : f32 loc("<std.nn>":59:22)
        linalg.yield %0 : f32 loc("<std.nn>":59:22)
    } -> tensor<4x24xf32> loc("<std.nn>":59:22)
    %empty_54 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":59:16)
    %add_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%tanh : tensor<4x24xf32>)
        outs(%empty_54 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0 : f32 loc("<std.nn>":59:16)
        %1 = arith.addf %0, %in : f32 loc("<std.nn>":59:16)
        linalg.yield %1 : f32 loc("<std.nn>":59:16)
    } -> tensor<4x24xf32> loc("<std.nn>":59:16)
    %empty_55 = tensor.empty() : tensor<4x24xf32> loc("<std.nn>":59:5)
    %hidden = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_6, %add_3 : tensor<4x24xf32>, tensor<4x24xf32>)
        outs(%empty_55 : tensor<4x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:5)
        linalg.yield %0 : f32 loc("<std.nn>":59:5)
    } -> tensor<4x24xf32> loc("<std.nn>":59:5)
    %empty_56 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":22:5)
    %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_56 : tensor<4x6xf32>) -> tensor<4x6xf32> loc("<std.nn>":22:5)
    %matmul_4 = linalg.matmul ins(%hidden, %b.down.weight : tensor<4x24xf32>, tensor<24x6xf32>) outs(%filled_5 : tensor<4x6xf32>) -> tensor<4x6xf32> loc("<std.nn>":22:5)
    %empty_57 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":22:5)
    %linear_1 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul_4, %b.down.bias : tensor<4x6xf32>, tensor<6xf32>)
        outs(%empty_57 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<4x6xf32> loc("<std.nn>":22:5)
    %empty_58 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":404:5)
    %block = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y, %linear_1 : tensor<4x6xf32>, tensor<4x6xf32>)
        outs(%empty_58 : tensor<4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":404:5)
        linalg.yield %0 : f32 loc("<std.nn>":404:5)
    } -> tensor<4x6xf32> loc("<std.nn>":404:5)
    scf.yield %block : tensor<4x6xf32> loc("gpt2.tdsl":51:13)
  } loc("gpt2.tdsl":51:13)
  %zero_1 = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
  %empty_59 = tensor.empty() : tensor<4xf32> loc("<std.nn>":214:23)
  %initial_6 = linalg.fill ins(%zero_1 : f32) outs(%empty_59 : tensor<4xf32>) -> tensor<4xf32> loc("<std.nn>":214:23)
  %sum_5 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%looped : tensor<4x6xf32>)
      outs(%initial_6 : tensor<4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<4xf32> loc("<std.nn>":214:23)
  %empty_60 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":214:23)
  %mean_2 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_5 : tensor<4xf32>)
      outs(%empty_60 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
      linalg.yield %1 : f32 loc("<std.nn>":214:23)
  } -> tensor<4x1xf32> loc("<std.nn>":214:23)
  %empty_61 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":214:19)
  %centred_2 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%looped, %mean_2 : tensor<4x6xf32>, tensor<4x1xf32>)
      outs(%empty_61 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<4x6xf32> loc("<std.nn>":214:19)
  %empty_62 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":215:25)
  %mul_11 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred_2 : tensor<4x6xf32>)
      outs(%empty_62 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<4x6xf32> loc("<std.nn>":215:25)
  %empty_63 = tensor.empty() : tensor<4xf32> loc("<std.nn>":215:20)
  %initial_7 = linalg.fill ins(%zero_1 : f32) outs(%empty_63 : tensor<4xf32>) -> tensor<4xf32> loc("<std.nn>":215:20)
  %sum_6 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul_11 : tensor<4x6xf32>)
      outs(%initial_7 : tensor<4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<4xf32> loc("<std.nn>":215:20)
  %empty_64 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":215:20)
  %variance_2 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_6 : tensor<4xf32>)
      outs(%empty_64 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
      linalg.yield %1 : f32 loc("<std.nn>":215:20)
  } -> tensor<4x1xf32> loc("<std.nn>":215:20)
  %empty_65 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":216:21)
  %add_4 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%variance_2 : tensor<4x1xf32>)
      outs(%empty_65 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<4x1xf32> loc("<std.nn>":216:21)
  %empty_66 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":216:15)
  %rsqrt_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_4 : tensor<4x1xf32>)
      outs(%empty_66 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<4x1xf32> loc("<std.nn>":216:15)
  %empty_67 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":216:5)
  %mul_12 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred_2, %rsqrt_2 : tensor<4x6xf32>, tensor<4x1xf32>)
      outs(%empty_67 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<4x6xf32> loc("<std.nn>":216:5)
  %empty_68 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":216:5)
  %mul_13 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_12, %p.ln_f.gain : tensor<4x6xf32>, tensor<6xf32>)
      outs(%empty_68 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<4x6xf32> loc("<std.nn>":216:5)
  %empty_69 = tensor.empty() : tensor<4x6xf32> loc("<std.nn>":216:5)
  %layer_norm_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_13, %p.ln_f.bias : tensor<4x6xf32>, tensor<6xf32>)
      outs(%empty_69 : tensor<4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<4x6xf32> loc("<std.nn>":216:5)
  %empty_70 = tensor.empty() : tensor<6x11xf32> loc("gpt2.tdsl":52:47)
  %transposed_2 = linalg.transpose ins(%p.wte : tensor<11x6xf32>) outs(%empty_70 : tensor<6x11xf32>) permutation = [1, 0] loc("gpt2.tdsl":52:47)
  %empty_71 = tensor.empty() : tensor<4x11xf32> loc("gpt2.tdsl":52:5)
  %filled_6 = linalg.fill ins(%zero_1 : f32) outs(%empty_71 : tensor<4x11xf32>) -> tensor<4x11xf32> loc("gpt2.tdsl":52:5)
  %matmul_5 = linalg.matmul ins(%layer_norm_2, %transposed_2 : tensor<4x6xf32>, tensor<6x11xf32>) outs(%filled_6 : tensor<4x11xf32>) -> tensor<4x11xf32> loc("gpt2.tdsl":52:5)
  return %matmul_5 : tensor<4x11xf32> loc("gpt2.tdsl":52:5)
} loc("gpt2.tdsl":52:5)

func.func @block_step(%x: tensor<?x?xf32>, %p.ln_1.gain: tensor<?xf32>, %p.ln_1.bias: tensor<?xf32>, %p.qkv.weight: tensor<?x?xf32>, %p.qkv.bias: tensor<?xf32>, %p.out.weight: tensor<?x?xf32>, %p.out.bias: tensor<?xf32>, %p.ln_2.gain: tensor<?xf32>, %p.ln_2.bias: tensor<?xf32>, %p.up.weight: tensor<?x?xf32>, %p.up.bias: tensor<?xf32>, %p.down.weight: tensor<?x?xf32>, %p.down.bias: tensor<?xf32>, %cache.k: tensor<?x?x?xf32>, %cache.v: tensor<?x?x?xf32>, %start: tensor<i32>) -> (tensor<?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32>) {
  %empty = tensor.empty() : tensor<i64> loc("gpt2.tdsl":63:42)
  %cast = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
      ins(%start : tensor<i32>)
      outs(%empty : tensor<i64>) {
    ^bb0(%in: i32, %_: i64):
      %0 = arith.extsi %in : i32 to i64 loc("gpt2.tdsl":63:42)
      linalg.yield %0 : i64 loc("gpt2.tdsl":63:42)
  } -> tensor<i64> loc("gpt2.tdsl":63:42)
  %c0 = arith.constant 0 : index loc("<std.nn>":186:28)
  %S = tensor.dim %x, %c0 : tensor<?x?xf32> loc("<std.nn>":186:28)
  %empty_1 = tensor.empty(%S) : tensor<?x1xi64> loc("<std.nn>":186:28)
  %add = linalg.generic {indexing_maps = [#ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%cast : tensor<i64>)
      outs(%empty_1 : tensor<?x1xi64>) {
    ^bb0(%in: i64, %_: i64):
      %0 = linalg.index 0 : index loc("<std.nn>":186:28)
      %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":186:28)
      %2 = arith.addi %in, %1 : i64 loc("<std.nn>":186:28)
      linalg.yield %2 : i64 loc("<std.nn>":186:28)
  } -> tensor<?x1xi64> loc("<std.nn>":186:28)
  %c1 = arith.constant 1 : index loc("<std.nn>":186:5)
  %N = tensor.dim %cache.k, %c1 : tensor<?x?x?xf32> loc("<std.nn>":186:5)
  %empty_2 = tensor.empty(%S, %N) : tensor<?x?xi8> loc("<std.nn>":186:5)
  %causal = linalg.generic {indexing_maps = [#ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add : tensor<?x1xi64>)
      outs(%empty_2 : tensor<?x?xi8>) {
    ^bb0(%in: i64, %_: i8):
      %0 = linalg.index 1 : index loc("<std.nn>":186:5)
      %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":186:5)
      %2 = arith.cmpi sle, %1, %in : i64 loc("<std.nn>":186:5)
      %3 = arith.extui %2 : i1 to i8 loc("<std.nn>":186:5)
      linalg.yield %3 : i8 loc("<std.nn>":186:5)
  } -> tensor<?x?xi8> loc("<std.nn>":186:5)
  %zero = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
  %empty_3 = tensor.empty(%S) : tensor<?xf32> loc("<std.nn>":214:23)
  %initial = linalg.fill ins(%zero : f32) outs(%empty_3 : tensor<?xf32>) -> tensor<?xf32> loc("<std.nn>":214:23)
  %sum = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>)
      outs(%initial : tensor<?xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<?xf32> loc("<std.nn>":214:23)
  %size = tensor.dim %x, %c1 : tensor<?x?xf32> loc("<std.nn>":214:23)
  %size_i64 = arith.index_cast %size : index to i64 loc("<std.nn>":214:23)
  %sitofp = arith.sitofp %size_i64 : i64 to f32 loc("<std.nn>":214:23)
  %empty_4 = tensor.empty(%S) : tensor<?x1xf32> loc("<std.nn>":214:23)
  %mean = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum : tensor<?xf32>)
      outs(%empty_4 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.divf %in, %sitofp : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<?x1xf32> loc("<std.nn>":214:23)
  %empty_5 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":214:19)
  %centred = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %mean : tensor<?x?xf32>, tensor<?x1xf32>)
      outs(%empty_5 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<?x?xf32> loc("<std.nn>":214:19)
  %empty_6 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":215:25)
  %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred : tensor<?x?xf32>)
      outs(%empty_6 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<?x?xf32> loc("<std.nn>":215:25)
  %empty_7 = tensor.empty(%S) : tensor<?xf32> loc("<std.nn>":215:20)
  %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_7 : tensor<?xf32>) -> tensor<?xf32> loc("<std.nn>":215:20)
  %sum_1 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul : tensor<?x?xf32>)
      outs(%initial_1 : tensor<?xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<?xf32> loc("<std.nn>":215:20)
  %empty_8 = tensor.empty(%S) : tensor<?x1xf32> loc("<std.nn>":215:20)
  %variance = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_1 : tensor<?xf32>)
      outs(%empty_8 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.divf %in, %sitofp : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<?x1xf32> loc("<std.nn>":215:20)
  %empty_9 = tensor.empty(%S) : tensor<?x1xf32> loc("<std.nn>":216:21)
  %add_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%variance : tensor<?x1xf32>)
      outs(%empty_9 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<?x1xf32> loc("<std.nn>":216:21)
  %empty_10 = tensor.empty(%S) : tensor<?x1xf32> loc("<std.nn>":216:15)
  %rsqrt = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_1 : tensor<?x1xf32>)
      outs(%empty_10 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<?x1xf32> loc("<std.nn>":216:15)
  %empty_11 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":216:5)
  %mul_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred, %rsqrt : tensor<?x?xf32>, tensor<?x1xf32>)
      outs(%empty_11 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<?x?xf32> loc("<std.nn>":216:5)
  %empty_12 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":216:5)
  %mul_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_1, %p.ln_1.gain : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_12 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<?x?xf32> loc("<std.nn>":216:5)
  %empty_13 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":216:5)
  %layer_norm = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_2, %p.ln_1.bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_13 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<?x?xf32> loc("<std.nn>":216:5)
  %size_1 = tensor.dim %p.qkv.weight, %c1 : tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_14 = tensor.empty(%S, %size_1) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %filled = linalg.fill ins(%zero : f32) outs(%empty_14 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %matmul = linalg.matmul ins(%layer_norm, %p.qkv.weight : tensor<?x?xf32>, tensor<?x?xf32>) outs(%filled : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_15 = tensor.empty(%S, %size_1) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %qkv = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul, %p.qkv.bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_15 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %slice = tensor.extract_slice %qkv[0, 0] [%S, %size] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32> loc("gpt2.tdsl":62:40)
  %H = tensor.dim %cache.k, %c0 : tensor<?x?x?xf32> loc("gpt2.tdsl":62:32)
  %c2 = arith.constant 2 : index loc("gpt2.tdsl":62:32)
  %D = tensor.dim %cache.k, %c2 : tensor<?x?x?xf32> loc("gpt2.tdsl":62:32)
  %shape = tensor.from_elements %S, %H, %D : tensor<3xindex> loc("gpt2.tdsl":62:32)
  %reshaped = tensor.reshape %slice(%shape) : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<?x?x?xf32> loc("gpt2.tdsl":62:32)
  %empty_16 = tensor.empty(%H, %S, %D) : tensor<?x?x?xf32> loc("gpt2.tdsl":62:22)
  %q = linalg.transpose ins(%reshaped : tensor<?x?x?xf32>) outs(%empty_16 : tensor<?x?x?xf32>) permutation = [1, 0, 2] loc("gpt2.tdsl":62:22)
  %slice_1 = tensor.extract_slice %qkv[0, %size] [%S, %size] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32> loc("gpt2.tdsl":62:40)
  %shape_1 = tensor.from_elements %S, %H, %D : tensor<3xindex> loc("gpt2.tdsl":62:32)
  %reshaped_1 = tensor.reshape %slice_1(%shape_1) : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<?x?x?xf32> loc("gpt2.tdsl":62:32)
  %empty_17 = tensor.empty(%H, %S, %D) : tensor<?x?x?xf32> loc("gpt2.tdsl":62:22)
  %k = linalg.transpose ins(%reshaped_1 : tensor<?x?x?xf32>) outs(%empty_17 : tensor<?x?x?xf32>) permutation = [1, 0, 2] loc("gpt2.tdsl":62:22)
  %start_1 = tensor.extract %cast[] : tensor<i64> loc("gpt2.tdsl":63:16)
  %extent = arith.index_cast %N : index to i64 loc("gpt2.tdsl":63:16)
  %size_2 = arith.subi %N, %S : index loc("gpt2.tdsl":63:16)
  %extent_1 = arith.index_cast %size_2 : index to i64 loc("gpt2.tdsl":63:16)
  func.call @tdsl.check_position(%start_1, %extent_1, %extent) {tdsl.site = "update", tdsl.kind = "start", tdsl.axis = 1 : i64, tdsl.at = "programs/gpt2.tdsl:63:16"} : (i64, i64, i64) -> () loc("gpt2.tdsl":63:16)
  %c0_i64 = arith.constant 0 : i64 loc("gpt2.tdsl":63:16)
  %inside = arith.maxsi %start_1, %c0_i64 : i64 loc("gpt2.tdsl":63:16)
  %inside_1 = arith.minsi %inside, %extent_1 : i64 loc("gpt2.tdsl":63:16)
  %at = arith.index_cast %inside_1 : i64 to index loc("gpt2.tdsl":63:16)
  %keys = tensor.insert_slice %k into %cache.k[0, %at, 0] [%H, %S, %D] [1, 1, 1] : tensor<?x?x?xf32> into tensor<?x?x?xf32> loc("gpt2.tdsl":63:16)
  %empty_18 = tensor.empty(%H, %D, %N) : tensor<?x?x?xf32> loc("<std.nn>":357:24)
  %transposed = linalg.transpose ins(%keys : tensor<?x?x?xf32>) outs(%empty_18 : tensor<?x?x?xf32>) permutation = [0, 2, 1] loc("<std.nn>":357:24)
  %empty_19 = tensor.empty(%H, %S, %N) : tensor<?x?x?xf32> loc("<std.nn>":357:20)
  %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_19 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32> loc("<std.nn>":357:20)
  %matmul_1 = linalg.batch_matmul ins(%q, %transposed : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%filled_1 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32> loc("<std.nn>":357:20)
  %D_i64 = arith.index_cast %D : index to i64 loc("<std.nn>":357:55)
  %sitofp_1 = arith.sitofp %D_i64 : i64 to f64 loc("<std.nn>":357:50)
  %sqrt = math.sqrt %sitofp_1 : f64 loc("<std.nn>":357:50)
  %truncf = arith.truncf %sqrt : f64 to f32 loc("<std.nn>":357:50)
  %empty_20 = tensor.empty(%H, %S, %N) : tensor<?x?x?xf32> loc("<std.nn>":357:20)
  %div = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%matmul_1 : tensor<?x?x?xf32>)
      outs(%empty_20 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.divf %in, %truncf : f32 loc("<std.nn>":357:20)
      linalg.yield %0 : f32 loc("<std.nn>":357:20)
  } -> tensor<?x?x?xf32> loc("<std.nn>":357:20)
  %empty_21 = tensor.empty(%H, %S, %N) : tensor<?x?x?xf32> loc("<std.nn>":156:16)
  %seen = linalg.generic {indexing_maps = [#ijk_jk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%causal, %div : tensor<?x?xi8>, tensor<?x?x?xf32>)
      outs(%empty_21 : tensor<?x?x?xf32>) {
    ^bb0(%in: i8, %in_1: f32, %_: f32):
      %0 = arith.constant 0 : i8 loc("<std.nn>":156:16)
      %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":156:16)
      %2 = arith.constant 0xFF800000 : f32 loc("<std.nn>":156:16)
      %3 = arith.select %1, %in_1, %2 : f32 loc("<std.nn>":156:16)
      linalg.yield %3 : f32 loc("<std.nn>":156:16)
  } -> tensor<?x?x?xf32> loc("<std.nn>":156:16)
  %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":157:15)
  %empty_22 = tensor.empty(%H, %S) : tensor<?x?xf32> loc("<std.nn>":157:15)
  %initial_2 = linalg.fill ins(%minus_infinity : f32) outs(%empty_22 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":157:15)
  %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%seen : tensor<?x?x?xf32>)
      outs(%initial_2 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":157:15)
      linalg.yield %0 : f32 loc("<std.nn>":157:15)
  } -> tensor<?x?xf32> loc("<std.nn>":157:15)
  %empty_23 = tensor.empty(%H, %S) : tensor<?x?x1xi8> loc("<std.nn>":159:31)
  %equal = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%max : tensor<?x?xf32>)
      outs(%empty_23 : tensor<?x?x1xi8>) {
    ^bb0(%in: f32, %_: i8):
      %0 = arith.constant 0xFF800000 : f32 loc("<std.nn>":159:31)
      %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":159:31)
      %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":159:31)
      linalg.yield %2 : i8 loc("<std.nn>":159:31)
  } -> tensor<?x?x1xi8> loc("<std.nn>":159:31)
  %empty_24 = tensor.empty(%H, %S) : tensor<?x?x1xf32> loc("<std.nn>":159:24)
  %select = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%equal, %max : tensor<?x?x1xi8>, tensor<?x?xf32>)
      outs(%empty_24 : tensor<?x?x1xf32>) {
    ^bb0(%in: i8, %in_1: f32, %_: f32):
      %0 = arith.constant 0 : i8 loc("<std.nn>":159:24)
      %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":159:24)
      %2 = arith.constant 0.0 : f32 loc("<std.nn>":159:24)
      %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":159:24)
      linalg.yield %3 : f32 loc("<std.nn>":159:24)
  } -> tensor<?x?x1xf32> loc("<std.nn>":159:24)
  %empty_25 = tensor.empty(%H, %S, %N) : tensor<?x?x?xf32> loc("<std.nn>":159:17)
  %sub = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%seen, %select : tensor<?x?x?xf32>, tensor<?x?x1xf32>)
      outs(%empty_25 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":159:17)
      linalg.yield %0 : f32 loc("<std.nn>":159:17)
  } -> tensor<?x?x?xf32> loc("<std.nn>":159:17)
  %empty_26 = tensor.empty(%H, %S, %N) : tensor<?x?x?xf32> loc("<std.nn>":159:13)
  %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sub : tensor<?x?x?xf32>)
      outs(%empty_26 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.exp %in : f32 loc("<std.nn>":159:13)
      linalg.yield %0 : f32 loc("<std.nn>":159:13)
  } -> tensor<?x?x?xf32> loc("<std.nn>":159:13)
  %empty_27 = tensor.empty(%H, %S) : tensor<?x?xf32> loc("<std.nn>":160:17)
  %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_27 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":160:17)
  %sum_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%e : tensor<?x?x?xf32>)
      outs(%initial_3 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":160:17)
      linalg.yield %0 : f32 loc("<std.nn>":160:17)
  } -> tensor<?x?xf32> loc("<std.nn>":160:17)
  %empty_28 = tensor.empty(%H, %S) : tensor<?x?x1xi8> loc("<std.nn>":161:16)
  %equal_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum_2 : tensor<?x?xf32>)
      outs(%empty_28 : tensor<?x?x1xi8>) {
    ^bb0(%in: f32, %_: i8):
      %0 = arith.constant 0.0 : f32 loc("<std.nn>":161:16)
      %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":161:16)
      %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":161:16)
      linalg.yield %2 : i8 loc("<std.nn>":161:16)
  } -> tensor<?x?x1xi8> loc("<std.nn>":161:16)
  %empty_29 = tensor.empty(%H, %S) : tensor<?x?x1xf32> loc("<std.nn>":161:9)
  %select_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%equal_1, %sum_2 : tensor<?x?x1xi8>, tensor<?x?xf32>)
      outs(%empty_29 : tensor<?x?x1xf32>) {
    ^bb0(%in: i8, %in_1: f32, %_: f32):
      %0 = arith.constant 0 : i8 loc("<std.nn>":161:9)
      %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":161:9)
      %2 = arith.constant 1.0 : f32 loc("<std.nn>":161:9)
      %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":161:9)
      linalg.yield %3 : f32 loc("<std.nn>":161:9)
  } -> tensor<?x?x1xf32> loc("<std.nn>":161:9)
  %empty_30 = tensor.empty(%H, %S, %N) : tensor<?x?x?xf32> loc("<std.nn>":161:5)
  %masked_softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%e, %select_1 : tensor<?x?x?xf32>, tensor<?x?x1xf32>)
      outs(%empty_30 : tensor<?x?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":161:5)
      linalg.yield %0 : f32 loc("<std.nn>":161:5)
  } -> tensor<?x?x?xf32> loc("<std.nn>":161:5)
  %size_3 = arith.muli %D, %H : index loc("gpt2.tdsl":62:40)
  %size_4 = arith.muli %size_3, %c2 : index loc("gpt2.tdsl":62:40)
  %slice_2 = tensor.extract_slice %qkv[0, %size_4] [%S, %size] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32> loc("gpt2.tdsl":62:40)
  %shape_2 = tensor.from_elements %S, %H, %D : tensor<3xindex> loc("gpt2.tdsl":62:32)
  %reshaped_2 = tensor.reshape %slice_2(%shape_2) : (tensor<?x?xf32>, tensor<3xindex>) -> tensor<?x?x?xf32> loc("gpt2.tdsl":62:32)
  %empty_31 = tensor.empty(%H, %S, %D) : tensor<?x?x?xf32> loc("gpt2.tdsl":62:22)
  %v = linalg.transpose ins(%reshaped_2 : tensor<?x?x?xf32>) outs(%empty_31 : tensor<?x?x?xf32>) permutation = [1, 0, 2] loc("gpt2.tdsl":62:22)
  %start_2 = tensor.extract %cast[] : tensor<i64> loc("gpt2.tdsl":64:18)
  %extent_2 = arith.index_cast %N : index to i64 loc("gpt2.tdsl":64:18)
  %extent_3 = arith.index_cast %size_2 : index to i64 loc("gpt2.tdsl":64:18)
  func.call @tdsl.check_position(%start_2, %extent_3, %extent_2) {tdsl.site = "update", tdsl.kind = "start", tdsl.axis = 1 : i64, tdsl.at = "programs/gpt2.tdsl:64:18"} : (i64, i64, i64) -> () loc("gpt2.tdsl":64:18)
  %inside_2 = arith.maxsi %start_2, %c0_i64 : i64 loc("gpt2.tdsl":64:18)
  %inside_3 = arith.minsi %inside_2, %extent_3 : i64 loc("gpt2.tdsl":64:18)
  %at_1 = arith.index_cast %inside_3 : i64 to index loc("gpt2.tdsl":64:18)
  %values = tensor.insert_slice %v into %cache.v[0, %at_1, 0] [%H, %S, %D] [1, 1, 1] : tensor<?x?x?xf32> into tensor<?x?x?xf32> loc("gpt2.tdsl":64:18)
  %empty_32 = tensor.empty(%H, %S, %D) : tensor<?x?x?xf32> loc("<std.nn>":357:5)
  %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_32 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32> loc("<std.nn>":357:5)
  %mixed = linalg.batch_matmul ins(%masked_softmax, %values : tensor<?x?x?xf32>, tensor<?x?x?xf32>) outs(%filled_2 : tensor<?x?x?xf32>) -> tensor<?x?x?xf32> loc("<std.nn>":357:5)
  %empty_33 = tensor.empty(%S, %H, %D) : tensor<?x?x?xf32> loc("gpt2.tdsl":67:26)
  %transposed_1 = linalg.transpose ins(%mixed : tensor<?x?x?xf32>) outs(%empty_33 : tensor<?x?x?xf32>) permutation = [1, 0, 2] loc("gpt2.tdsl":67:26)
  %shape_3 = tensor.from_elements %S, %size : tensor<2xindex> loc("gpt2.tdsl":67:18)
  %merged = tensor.reshape %transposed_1(%shape_3) : (tensor<?x?x?xf32>, tensor<2xindex>) -> tensor<?x?xf32> loc("gpt2.tdsl":67:18)
  %empty_34 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_34 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %matmul_2 = linalg.matmul ins(%merged, %p.out.weight : tensor<?x?xf32>, tensor<?x?xf32>) outs(%filled_3 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_35 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %linear = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_2, %p.out.bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_35 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_36 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("gpt2.tdsl":68:11)
  %add_2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %linear : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty_36 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("gpt2.tdsl":68:11)
      linalg.yield %0 : f32 loc("gpt2.tdsl":68:11)
  } -> tensor<?x?xf32> loc("gpt2.tdsl":68:11)
  %empty_37 = tensor.empty(%S) : tensor<?xf32> loc("<std.nn>":214:23)
  %initial_4 = linalg.fill ins(%zero : f32) outs(%empty_37 : tensor<?xf32>) -> tensor<?xf32> loc("<std.nn>":214:23)
  %sum_3 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%add_2 : tensor<?x?xf32>)
      outs(%initial_4 : tensor<?xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<?xf32> loc("<std.nn>":214:23)
  %empty_38 = tensor.empty(%S) : tensor<?x1xf32> loc("<std.nn>":214:23)
  %mean_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_3 : tensor<?xf32>)
      outs(%empty_38 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.divf %in, %sitofp : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<?x1xf32> loc("<std.nn>":214:23)
  %empty_39 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":214:19)
  %centred_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_2, %mean_1 : tensor<?x?xf32>, tensor<?x1xf32>)
      outs(%empty_39 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<?x?xf32> loc("<std.nn>":214:19)
  %empty_40 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":215:25)
  %mul_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred_1 : tensor<?x?xf32>)
      outs(%empty_40 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<?x?xf32> loc("<std.nn>":215:25)
  %empty_41 = tensor.empty(%S) : tensor<?xf32> loc("<std.nn>":215:20)
  %initial_5 = linalg.fill ins(%zero : f32) outs(%empty_41 : tensor<?xf32>) -> tensor<?xf32> loc("<std.nn>":215:20)
  %sum_4 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul_3 : tensor<?x?xf32>)
      outs(%initial_5 : tensor<?xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<?xf32> loc("<std.nn>":215:20)
  %empty_42 = tensor.empty(%S) : tensor<?x1xf32> loc("<std.nn>":215:20)
  %variance_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_4 : tensor<?xf32>)
      outs(%empty_42 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.divf %in, %sitofp : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<?x1xf32> loc("<std.nn>":215:20)
  %empty_43 = tensor.empty(%S) : tensor<?x1xf32> loc("<std.nn>":216:21)
  %add_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%variance_1 : tensor<?x1xf32>)
      outs(%empty_43 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<?x1xf32> loc("<std.nn>":216:21)
  %empty_44 = tensor.empty(%S) : tensor<?x1xf32> loc("<std.nn>":216:15)
  %rsqrt_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_3 : tensor<?x1xf32>)
      outs(%empty_44 : tensor<?x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<?x1xf32> loc("<std.nn>":216:15)
  %empty_45 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":216:5)
  %mul_4 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred_1, %rsqrt_1 : tensor<?x?xf32>, tensor<?x1xf32>)
      outs(%empty_45 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<?x?xf32> loc("<std.nn>":216:5)
  %empty_46 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":216:5)
  %mul_5 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_4, %p.ln_2.gain : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_46 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<?x?xf32> loc("<std.nn>":216:5)
  %empty_47 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":216:5)
  %layer_norm_1 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_5, %p.ln_2.bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_47 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<?x?xf32> loc("<std.nn>":216:5)
  %F = tensor.dim %p.up.weight, %c1 : tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_48 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_48 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %matmul_3 = linalg.matmul ins(%layer_norm_1, %p.up.weight : tensor<?x?xf32>, tensor<?x?xf32>) outs(%filled_4 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_49 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %linear_1 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_3, %p.up.bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_49 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_50 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":58:13)
  %y = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%linear_1 : tensor<?x?xf32>)
      outs(%empty_50 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant -10000.0 : f32 loc("<std.nn>":58:13)
      %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":58:13)
      linalg.yield %1 : f32 loc("<std.nn>":58:13)
  } -> tensor<?x?xf32> loc("<std.nn>":58:13)
  %empty_51 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":59:5)
  %mul_6 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x?xf32>)
      outs(%empty_51 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.5 : f32 loc("<std.nn>":59:5)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:5)
      linalg.yield %1 : f32 loc("<std.nn>":59:5)
  } -> tensor<?x?xf32> loc("<std.nn>":59:5)
  %empty_52 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":59:60)
  %mul_7 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x?xf32>)
      outs(%empty_52 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":59:60)
      linalg.yield %0 : f32 loc("<std.nn>":59:60)
  } -> tensor<?x?xf32> loc("<std.nn>":59:60)
  %empty_53 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":59:60)
  %mul_8 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y, %mul_7 : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty_53 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:60)
      linalg.yield %0 : f32 loc("<std.nn>":59:60)
  } -> tensor<?x?xf32> loc("<std.nn>":59:60)
  %empty_54 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":59:49)
  %mul_9 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_8 : tensor<?x?xf32>)
      outs(%empty_54 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.044715 : f32 loc("<std.nn>":59:49)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:49)
      linalg.yield %1 : f32 loc("<std.nn>":59:49)
  } -> tensor<?x?xf32> loc("<std.nn>":59:49)
  %empty_55 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":59:45)
  %add_4 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%y, %mul_9 : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty_55 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":59:45)
      linalg.yield %0 : f32 loc("<std.nn>":59:45)
  } -> tensor<?x?xf32> loc("<std.nn>":59:45)
  %empty_56 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":59:27)
  %mul_10 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_4 : tensor<?x?xf32>)
      outs(%empty_56 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 0.7978846 : f32 loc("<std.nn>":59:27)
      %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:27)
      linalg.yield %1 : f32 loc("<std.nn>":59:27)
  } -> tensor<?x?xf32> loc("<std.nn>":59:27)
  %empty_57 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":59:22)
  %tanh = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_10 : tensor<?x?xf32>)
      outs(%empty_57 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.tanh %in : f32 loc("<std.nn>":59:22)
      linalg.yield %0 : f32 loc("<std.nn>":59:22)
  } -> tensor<?x?xf32> loc("<std.nn>":59:22)
  %empty_58 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":59:16)
  %add_5 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%tanh : tensor<?x?xf32>)
      outs(%empty_58 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0 : f32 loc("<std.nn>":59:16)
      %1 = arith.addf %0, %in : f32 loc("<std.nn>":59:16)
      linalg.yield %1 : f32 loc("<std.nn>":59:16)
  } -> tensor<?x?xf32> loc("<std.nn>":59:16)
  %empty_59 = tensor.empty(%S, %F) : tensor<?x?xf32> loc("<std.nn>":59:5)
  %hidden = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_6, %add_5 : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty_59 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:5)
      linalg.yield %0 : f32 loc("<std.nn>":59:5)
  } -> tensor<?x?xf32> loc("<std.nn>":59:5)
  %empty_60 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_60 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %matmul_4 = linalg.matmul ins(%hidden, %p.down.weight : tensor<?x?xf32>, tensor<?x?xf32>) outs(%filled_5 : tensor<?x?xf32>) -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_61 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":22:5)
  %linear_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_4, %p.down.bias : tensor<?x?xf32>, tensor<?xf32>)
      outs(%empty_61 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<?x?xf32> loc("<std.nn>":22:5)
  %empty_62 = tensor.empty(%S, %size) : tensor<?x?xf32> loc("<std.nn>":404:5)
  %feed = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_2, %linear_2 : tensor<?x?xf32>, tensor<?x?xf32>)
      outs(%empty_62 : tensor<?x?xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":404:5)
      linalg.yield %0 : f32 loc("<std.nn>":404:5)
  } -> tensor<?x?xf32> loc("<std.nn>":404:5)
  return %feed, %keys, %values : tensor<?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?xf32> loc("gpt2.tdsl":64:18)
} loc("gpt2.tdsl":64:18)

func.func @step(%ids: tensor<1xi32>, %start: tensor<i32>, %cache.k: tensor<2x2x8x3xf32>, %cache.v: tensor<2x2x8x3xf32>, %p.wte: tensor<11x6xf32>, %p.wpe: tensor<8x6xf32>, %p.blocks.ln_1.gain: tensor<2x6xf32>, %p.blocks.ln_1.bias: tensor<2x6xf32>, %p.blocks.qkv.weight: tensor<2x6x18xf32>, %p.blocks.qkv.bias: tensor<2x18xf32>, %p.blocks.out.weight: tensor<2x6x6xf32>, %p.blocks.out.bias: tensor<2x6xf32>, %p.blocks.ln_2.gain: tensor<2x6xf32>, %p.blocks.ln_2.bias: tensor<2x6xf32>, %p.blocks.up.weight: tensor<2x6x24xf32>, %p.blocks.up.bias: tensor<2x24xf32>, %p.blocks.down.weight: tensor<2x24x6xf32>, %p.blocks.down.bias: tensor<2x6xf32>, %p.ln_f.gain: tensor<6xf32>, %p.ln_f.bias: tensor<6xf32>) -> (tensor<1x11xf32>, tensor<2x2x8x3xf32>, tensor<2x2x8x3xf32>) {
  %empty = tensor.empty() : tensor<1x6xf32> loc("gpt2.tdsl":78:20)
  %c0 = arith.constant 0 : index loc("gpt2.tdsl":78:20)
  %c1 = arith.constant 1 : index loc("gpt2.tdsl":78:20)
  %take = scf.for %place = %c0 to %c1 step %c1 iter_args(%rows = %empty) -> (tensor<1x6xf32>) {
    %position = tensor.extract %ids[%place] : tensor<1xi32> loc("gpt2.tdsl":78:20)
    %extsi = arith.extsi %position : i32 to i64 loc("gpt2.tdsl":78:20)
    %c11_i64 = arith.constant 11 : i64 loc("gpt2.tdsl":78:20)
    %c10_i64 = arith.constant 10 : i64 loc("gpt2.tdsl":78:20)
    func.call @tdsl.check_position(%extsi, %c10_i64, %c11_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/gpt2.tdsl:78:20"} : (i64, i64, i64) -> () loc("gpt2.tdsl":78:20)
    %c0_i64 = arith.constant 0 : i64 loc("gpt2.tdsl":78:20)
    %inside = arith.maxsi %extsi, %c0_i64 : i64 loc("gpt2.tdsl":78:20)
    %inside_1 = arith.minsi %inside, %c10_i64 : i64 loc("gpt2.tdsl":78:20)
    %at = arith.index_cast %inside_1 : i64 to index loc("gpt2.tdsl":78:20)
    %row = tensor.extract_slice %p.wte[%at, 0] [1, 6] [1, 1] : tensor<11x6xf32> to tensor<6xf32> loc("gpt2.tdsl":78:20)
    %put = tensor.insert_slice %row into %rows[%place, 0] [1, 6] [1, 1] : tensor<6xf32> into tensor<1x6xf32> loc("gpt2.tdsl":78:20)
    scf.yield %put : tensor<1x6xf32> loc("gpt2.tdsl":78:20)
  } loc("gpt2.tdsl":78:20)
  %empty_1 = tensor.empty() : tensor<i64> loc("gpt2.tdsl":78:64)
  %cast = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
      ins(%start : tensor<i32>)
      outs(%empty_1 : tensor<i64>) {
    ^bb0(%in: i32, %_: i64):
      %0 = arith.extsi %in : i32 to i64 loc("gpt2.tdsl":78:64)
      linalg.yield %0 : i64 loc("gpt2.tdsl":78:64)
  } -> tensor<i64> loc("gpt2.tdsl":78:64)
  %start_1 = tensor.extract %cast[] : tensor<i64> loc("gpt2.tdsl":78:47)
  %c8_i64 = arith.constant 8 : i64 loc("gpt2.tdsl":78:47)
  %c7_i64 = arith.constant 7 : i64 loc("gpt2.tdsl":78:47)
  func.call @tdsl.check_position(%start_1, %c7_i64, %c8_i64) {tdsl.site = "slice", tdsl.kind = "start", tdsl.axis = 0 : i64, tdsl.at = "programs/gpt2.tdsl:78:47"} : (i64, i64, i64) -> () loc("gpt2.tdsl":78:47)
  %c0_i64_1 = arith.constant 0 : i64 loc("gpt2.tdsl":78:47)
  %inside_2 = arith.maxsi %start_1, %c0_i64_1 : i64 loc("gpt2.tdsl":78:47)
  %inside_3 = arith.minsi %inside_2, %c7_i64 : i64 loc("gpt2.tdsl":78:47)
  %at_1 = arith.index_cast %inside_3 : i64 to index loc("gpt2.tdsl":78:47)
  %slice = tensor.extract_slice %p.wpe[%at_1, 0] [1, 6] [1, 1] : tensor<8x6xf32> to tensor<1x6xf32> loc("gpt2.tdsl":78:47)
  %empty_2 = tensor.empty() : tensor<1x6xf32> loc("gpt2.tdsl":78:20)
  %embedded = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%take, %slice : tensor<1x6xf32>, tensor<1x6xf32>)
      outs(%empty_2 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("gpt2.tdsl":78:20)
      linalg.yield %0 : f32 loc("gpt2.tdsl":78:20)
  } -> tensor<1x6xf32> loc("gpt2.tdsl":78:20)
  %empty_3 = tensor.empty() : tensor<2x2x8x3xf32> loc("gpt2.tdsl":79:22)
  %empty_4 = tensor.empty() : tensor<2x2x8x3xf32> loc("gpt2.tdsl":79:22)
  %c2 = arith.constant 2 : index loc("gpt2.tdsl":79:22)
  %looped:3 = scf.for %step = %c0 to %c2 step %c1 iter_args(%x = %embedded, %keyss = %empty_3, %valuess = %empty_4) -> (tensor<1x6xf32>, tensor<2x2x8x3xf32>, tensor<2x2x8x3xf32>) {
    %p.blocks.ln_1.gain_1 = tensor.extract_slice %p.blocks.ln_1.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.ln_1.bias_1 = tensor.extract_slice %p.blocks.ln_1.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.qkv.weight_1 = tensor.extract_slice %p.blocks.qkv.weight[%step, 0, 0] [1, 6, 18] [1, 1, 1] : tensor<2x6x18xf32> to tensor<6x18xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.qkv.bias_1 = tensor.extract_slice %p.blocks.qkv.bias[%step, 0] [1, 18] [1, 1] : tensor<2x18xf32> to tensor<18xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.out.weight_1 = tensor.extract_slice %p.blocks.out.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.out.bias_1 = tensor.extract_slice %p.blocks.out.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.ln_2.gain_1 = tensor.extract_slice %p.blocks.ln_2.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.ln_2.bias_1 = tensor.extract_slice %p.blocks.ln_2.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.up.weight_1 = tensor.extract_slice %p.blocks.up.weight[%step, 0, 0] [1, 6, 24] [1, 1, 1] : tensor<2x6x24xf32> to tensor<6x24xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.up.bias_1 = tensor.extract_slice %p.blocks.up.bias[%step, 0] [1, 24] [1, 1] : tensor<2x24xf32> to tensor<24xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.down.weight_1 = tensor.extract_slice %p.blocks.down.weight[%step, 0, 0] [1, 24, 6] [1, 1, 1] : tensor<2x24x6xf32> to tensor<24x6xf32> loc("gpt2.tdsl":79:22)
    %p.blocks.down.bias_1 = tensor.extract_slice %p.blocks.down.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("gpt2.tdsl":79:22)
    %cache.k_1 = tensor.extract_slice %cache.k[%step, 0, 0, 0] [1, 2, 8, 3] [1, 1, 1, 1] : tensor<2x2x8x3xf32> to tensor<2x8x3xf32> loc("gpt2.tdsl":79:22)
    %cache.v_1 = tensor.extract_slice %cache.v[%step, 0, 0, 0] [1, 2, 8, 3] [1, 1, 1, 1] : tensor<2x2x8x3xf32> to tensor<2x8x3xf32> loc("gpt2.tdsl":79:22)
    %empty_5 = tensor.empty() : tensor<i64> loc("gpt2.tdsl":63:42)
    %cast_1 = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
        ins(%start : tensor<i32>)
        outs(%empty_5 : tensor<i64>) {
      ^bb0(%in: i32, %_: i64):
        %0 = arith.extsi %in : i32 to i64 loc("gpt2.tdsl":63:42)
        linalg.yield %0 : i64 loc("gpt2.tdsl":63:42)
    } -> tensor<i64> loc("gpt2.tdsl":63:42)
    %empty_6 = tensor.empty() : tensor<1x1xi64> loc("<std.nn>":186:28)
    %add = linalg.generic {indexing_maps = [#ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%cast_1 : tensor<i64>)
        outs(%empty_6 : tensor<1x1xi64>) {
      ^bb0(%in: i64, %_: i64):
        %0 = linalg.index 0 : index loc("<std.nn>":186:28)
        %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":186:28)
        %2 = arith.addi %in, %1 : i64 loc("<std.nn>":186:28)
        linalg.yield %2 : i64 loc("<std.nn>":186:28)
    } -> tensor<1x1xi64> loc("<std.nn>":186:28)
    %empty_7 = tensor.empty() : tensor<1x8xi8> loc("<std.nn>":186:5)
    %causal = linalg.generic {indexing_maps = [#ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add : tensor<1x1xi64>)
        outs(%empty_7 : tensor<1x8xi8>) {
      ^bb0(%in: i64, %_: i8):
        %0 = linalg.index 1 : index loc("<std.nn>":186:5)
        %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":186:5)
        %2 = arith.cmpi sle, %1, %in : i64 loc("<std.nn>":186:5)
        %3 = arith.extui %2 : i1 to i8 loc("<std.nn>":186:5)
        linalg.yield %3 : i8 loc("<std.nn>":186:5)
    } -> tensor<1x8xi8> loc("<std.nn>":186:5)
    %zero = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
    %empty_8 = tensor.empty() : tensor<1xf32> loc("<std.nn>":214:23)
    %initial = linalg.fill ins(%zero : f32) outs(%empty_8 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":214:23)
    %sum = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<1x6xf32>)
        outs(%initial : tensor<1xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<1xf32> loc("<std.nn>":214:23)
    %empty_9 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":214:23)
    %mean = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum : tensor<1xf32>)
        outs(%empty_9 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<1x1xf32> loc("<std.nn>":214:23)
    %empty_10 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":214:19)
    %centred = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x, %mean : tensor<1x6xf32>, tensor<1x1xf32>)
        outs(%empty_10 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<1x6xf32> loc("<std.nn>":214:19)
    %empty_11 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":215:25)
    %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%centred : tensor<1x6xf32>)
        outs(%empty_11 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<1x6xf32> loc("<std.nn>":215:25)
    %empty_12 = tensor.empty() : tensor<1xf32> loc("<std.nn>":215:20)
    %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_12 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":215:20)
    %sum_1 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%mul : tensor<1x6xf32>)
        outs(%initial_1 : tensor<1xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<1xf32> loc("<std.nn>":215:20)
    %empty_13 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":215:20)
    %variance = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum_1 : tensor<1xf32>)
        outs(%empty_13 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<1x1xf32> loc("<std.nn>":215:20)
    %empty_14 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":216:21)
    %add_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%variance : tensor<1x1xf32>)
        outs(%empty_14 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<1x1xf32> loc("<std.nn>":216:21)
    %empty_15 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":216:15)
    %rsqrt = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_1 : tensor<1x1xf32>)
        outs(%empty_15 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<1x1xf32> loc("<std.nn>":216:15)
    %empty_16 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":216:5)
    %mul_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%centred, %rsqrt : tensor<1x6xf32>, tensor<1x1xf32>)
        outs(%empty_16 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<1x6xf32> loc("<std.nn>":216:5)
    %empty_17 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":216:5)
    %mul_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_1, %p.blocks.ln_1.gain_1 : tensor<1x6xf32>, tensor<6xf32>)
        outs(%empty_17 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<1x6xf32> loc("<std.nn>":216:5)
    %empty_18 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":216:5)
    %layer_norm = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_2, %p.blocks.ln_1.bias_1 : tensor<1x6xf32>, tensor<6xf32>)
        outs(%empty_18 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<1x6xf32> loc("<std.nn>":216:5)
    %empty_19 = tensor.empty() : tensor<1x18xf32> loc("<std.nn>":22:5)
    %filled = linalg.fill ins(%zero : f32) outs(%empty_19 : tensor<1x18xf32>) -> tensor<1x18xf32> loc("<std.nn>":22:5)
    %matmul = linalg.matmul ins(%layer_norm, %p.blocks.qkv.weight_1 : tensor<1x6xf32>, tensor<6x18xf32>) outs(%filled : tensor<1x18xf32>) -> tensor<1x18xf32> loc("<std.nn>":22:5)
    %empty_20 = tensor.empty() : tensor<1x18xf32> loc("<std.nn>":22:5)
    %qkv = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul, %p.blocks.qkv.bias_1 : tensor<1x18xf32>, tensor<18xf32>)
        outs(%empty_20 : tensor<1x18xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<1x18xf32> loc("<std.nn>":22:5)
    %slice_1 = tensor.extract_slice %qkv[0, 0] [1, 6] [1, 1] : tensor<1x18xf32> to tensor<1x6xf32> loc("gpt2.tdsl":62:40)
    %shape = arith.constant dense<[1, 2, 3]> : tensor<3xindex> loc("gpt2.tdsl":62:32)
    %reshaped = tensor.reshape %slice_1(%shape) : (tensor<1x6xf32>, tensor<3xindex>) -> tensor<1x2x3xf32> loc("gpt2.tdsl":62:32)
    %empty_21 = tensor.empty() : tensor<2x1x3xf32> loc("gpt2.tdsl":62:22)
    %q = linalg.transpose ins(%reshaped : tensor<1x2x3xf32>) outs(%empty_21 : tensor<2x1x3xf32>) permutation = [1, 0, 2] loc("gpt2.tdsl":62:22)
    %slice_2 = tensor.extract_slice %qkv[0, 6] [1, 6] [1, 1] : tensor<1x18xf32> to tensor<1x6xf32> loc("gpt2.tdsl":62:40)
    %reshaped_1 = tensor.reshape %slice_2(%shape) : (tensor<1x6xf32>, tensor<3xindex>) -> tensor<1x2x3xf32> loc("gpt2.tdsl":62:32)
    %empty_22 = tensor.empty() : tensor<2x1x3xf32> loc("gpt2.tdsl":62:22)
    %k = linalg.transpose ins(%reshaped_1 : tensor<1x2x3xf32>) outs(%empty_22 : tensor<2x1x3xf32>) permutation = [1, 0, 2] loc("gpt2.tdsl":62:22)
    %start_2 = tensor.extract %cast_1[] : tensor<i64> loc("gpt2.tdsl":63:16)
    func.call @tdsl.check_position(%start_2, %c7_i64, %c8_i64) {tdsl.site = "update", tdsl.kind = "start", tdsl.axis = 1 : i64, tdsl.at = "programs/gpt2.tdsl:63:16"} : (i64, i64, i64) -> () loc("gpt2.tdsl":63:16)
    %inside_4 = arith.maxsi %start_2, %c0_i64_1 : i64 loc("gpt2.tdsl":63:16)
    %inside_5 = arith.minsi %inside_4, %c7_i64 : i64 loc("gpt2.tdsl":63:16)
    %at_2 = arith.index_cast %inside_5 : i64 to index loc("gpt2.tdsl":63:16)
    %keys = tensor.insert_slice %k into %cache.k_1[0, %at_2, 0] [2, 1, 3] [1, 1, 1] : tensor<2x1x3xf32> into tensor<2x8x3xf32> loc("gpt2.tdsl":63:16)
    %empty_23 = tensor.empty() : tensor<2x3x8xf32> loc("<std.nn>":357:24)
    %transposed = linalg.transpose ins(%keys : tensor<2x8x3xf32>) outs(%empty_23 : tensor<2x3x8xf32>) permutation = [0, 2, 1] loc("<std.nn>":357:24)
    %empty_24 = tensor.empty() : tensor<2x1x8xf32> loc("<std.nn>":357:20)
    %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_24 : tensor<2x1x8xf32>) -> tensor<2x1x8xf32> loc("<std.nn>":357:20)
    %matmul_1 = linalg.batch_matmul ins(%q, %transposed : tensor<2x1x3xf32>, tensor<2x3x8xf32>) outs(%filled_1 : tensor<2x1x8xf32>) -> tensor<2x1x8xf32> loc("<std.nn>":357:20)
    %empty_25 = tensor.empty() : tensor<2x1x8xf32> loc("<std.nn>":357:20)
    %div = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%matmul_1 : tensor<2x1x8xf32>)
        outs(%empty_25 : tensor<2x1x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.7320508 : f32 loc("<std.nn>":357:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":357:20)
        linalg.yield %1 : f32 loc("<std.nn>":357:20)
    } -> tensor<2x1x8xf32> loc("<std.nn>":357:20)
    %empty_26 = tensor.empty() : tensor<2x1x8xf32> loc("<std.nn>":156:16)
    %seen = linalg.generic {indexing_maps = [#ijk_jk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%causal, %div : tensor<1x8xi8>, tensor<2x1x8xf32>)
        outs(%empty_26 : tensor<2x1x8xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":156:16)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":156:16)
        %2 = arith.constant 0xFF800000 : f32 loc("<std.nn>":156:16)
        %3 = arith.select %1, %in_1, %2 : f32 loc("<std.nn>":156:16)
        linalg.yield %3 : f32 loc("<std.nn>":156:16)
    } -> tensor<2x1x8xf32> loc("<std.nn>":156:16)
    %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":157:15)
    %empty_27 = tensor.empty() : tensor<2x1xf32> loc("<std.nn>":157:15)
    %initial_2 = linalg.fill ins(%minus_infinity : f32) outs(%empty_27 : tensor<2x1xf32>) -> tensor<2x1xf32> loc("<std.nn>":157:15)
    %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%seen : tensor<2x1x8xf32>)
        outs(%initial_2 : tensor<2x1xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":157:15)
        linalg.yield %0 : f32 loc("<std.nn>":157:15)
    } -> tensor<2x1xf32> loc("<std.nn>":157:15)
    %empty_28 = tensor.empty() : tensor<2x1x1xi8> loc("<std.nn>":159:31)
    %equal = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%max : tensor<2x1xf32>)
        outs(%empty_28 : tensor<2x1x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0xFF800000 : f32 loc("<std.nn>":159:31)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":159:31)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":159:31)
        linalg.yield %2 : i8 loc("<std.nn>":159:31)
    } -> tensor<2x1x1xi8> loc("<std.nn>":159:31)
    %empty_29 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":159:24)
    %select = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal, %max : tensor<2x1x1xi8>, tensor<2x1xf32>)
        outs(%empty_29 : tensor<2x1x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":159:24)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":159:24)
        %2 = arith.constant 0.0 : f32 loc("<std.nn>":159:24)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":159:24)
        linalg.yield %3 : f32 loc("<std.nn>":159:24)
    } -> tensor<2x1x1xf32> loc("<std.nn>":159:24)
    %empty_30 = tensor.empty() : tensor<2x1x8xf32> loc("<std.nn>":159:17)
    %sub = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%seen, %select : tensor<2x1x8xf32>, tensor<2x1x1xf32>)
        outs(%empty_30 : tensor<2x1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":159:17)
        linalg.yield %0 : f32 loc("<std.nn>":159:17)
    } -> tensor<2x1x8xf32> loc("<std.nn>":159:17)
    %empty_31 = tensor.empty() : tensor<2x1x8xf32> loc("<std.nn>":159:13)
    %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sub : tensor<2x1x8xf32>)
        outs(%empty_31 : tensor<2x1x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.exp %in : f32 loc("<std.nn>":159:13)
        linalg.yield %0 : f32 loc("<std.nn>":159:13)
    } -> tensor<2x1x8xf32> loc("<std.nn>":159:13)
    %empty_32 = tensor.empty() : tensor<2x1xf32> loc("<std.nn>":160:17)
    %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_32 : tensor<2x1xf32>) -> tensor<2x1xf32> loc("<std.nn>":160:17)
    %sum_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%e : tensor<2x1x8xf32>)
        outs(%initial_3 : tensor<2x1xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":160:17)
        linalg.yield %0 : f32 loc("<std.nn>":160:17)
    } -> tensor<2x1xf32> loc("<std.nn>":160:17)
    %empty_33 = tensor.empty() : tensor<2x1x1xi8> loc("<std.nn>":161:16)
    %equal_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_2 : tensor<2x1xf32>)
        outs(%empty_33 : tensor<2x1x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0.0 : f32 loc("<std.nn>":161:16)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":161:16)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":161:16)
        linalg.yield %2 : i8 loc("<std.nn>":161:16)
    } -> tensor<2x1x1xi8> loc("<std.nn>":161:16)
    %empty_34 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":161:9)
    %select_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal_1, %sum_2 : tensor<2x1x1xi8>, tensor<2x1xf32>)
        outs(%empty_34 : tensor<2x1x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":161:9)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":161:9)
        %2 = arith.constant 1.0 : f32 loc("<std.nn>":161:9)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":161:9)
        linalg.yield %3 : f32 loc("<std.nn>":161:9)
    } -> tensor<2x1x1xf32> loc("<std.nn>":161:9)
    %empty_35 = tensor.empty() : tensor<2x1x8xf32> loc("<std.nn>":161:5)
    %masked_softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%e, %select_1 : tensor<2x1x8xf32>, tensor<2x1x1xf32>)
        outs(%empty_35 : tensor<2x1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":161:5)
        linalg.yield %0 : f32 loc("<std.nn>":161:5)
    } -> tensor<2x1x8xf32> loc("<std.nn>":161:5)
    %slice_3 = tensor.extract_slice %qkv[0, 12] [1, 6] [1, 1] : tensor<1x18xf32> to tensor<1x6xf32> loc("gpt2.tdsl":62:40)
    %reshaped_2 = tensor.reshape %slice_3(%shape) : (tensor<1x6xf32>, tensor<3xindex>) -> tensor<1x2x3xf32> loc("gpt2.tdsl":62:32)
    %empty_36 = tensor.empty() : tensor<2x1x3xf32> loc("gpt2.tdsl":62:22)
    %v = linalg.transpose ins(%reshaped_2 : tensor<1x2x3xf32>) outs(%empty_36 : tensor<2x1x3xf32>) permutation = [1, 0, 2] loc("gpt2.tdsl":62:22)
    %start_3 = tensor.extract %cast_1[] : tensor<i64> loc("gpt2.tdsl":64:18)
    func.call @tdsl.check_position(%start_3, %c7_i64, %c8_i64) {tdsl.site = "update", tdsl.kind = "start", tdsl.axis = 1 : i64, tdsl.at = "programs/gpt2.tdsl:64:18"} : (i64, i64, i64) -> () loc("gpt2.tdsl":64:18)
    %inside_6 = arith.maxsi %start_3, %c0_i64_1 : i64 loc("gpt2.tdsl":64:18)
    %inside_7 = arith.minsi %inside_6, %c7_i64 : i64 loc("gpt2.tdsl":64:18)
    %at_3 = arith.index_cast %inside_7 : i64 to index loc("gpt2.tdsl":64:18)
    %values = tensor.insert_slice %v into %cache.v_1[0, %at_3, 0] [2, 1, 3] [1, 1, 1] : tensor<2x1x3xf32> into tensor<2x8x3xf32> loc("gpt2.tdsl":64:18)
    %empty_37 = tensor.empty() : tensor<2x1x3xf32> loc("<std.nn>":357:5)
    %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_37 : tensor<2x1x3xf32>) -> tensor<2x1x3xf32> loc("<std.nn>":357:5)
    %mixed = linalg.batch_matmul ins(%masked_softmax, %values : tensor<2x1x8xf32>, tensor<2x8x3xf32>) outs(%filled_2 : tensor<2x1x3xf32>) -> tensor<2x1x3xf32> loc("<std.nn>":357:5)
    %empty_38 = tensor.empty() : tensor<1x2x3xf32> loc("gpt2.tdsl":67:26)
    %transposed_1 = linalg.transpose ins(%mixed : tensor<2x1x3xf32>) outs(%empty_38 : tensor<1x2x3xf32>) permutation = [1, 0, 2] loc("gpt2.tdsl":67:26)
    %shape_1 = arith.constant dense<[1, 6]> : tensor<2xindex> loc("gpt2.tdsl":67:18)
    %merged = tensor.reshape %transposed_1(%shape_1) : (tensor<1x2x3xf32>, tensor<2xindex>) -> tensor<1x6xf32> loc("gpt2.tdsl":67:18)
    %empty_39 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":22:5)
    %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_39 : tensor<1x6xf32>) -> tensor<1x6xf32> loc("<std.nn>":22:5)
    %matmul_2 = linalg.matmul ins(%merged, %p.blocks.out.weight_1 : tensor<1x6xf32>, tensor<6x6xf32>) outs(%filled_3 : tensor<1x6xf32>) -> tensor<1x6xf32> loc("<std.nn>":22:5)
    %empty_40 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":22:5)
    %linear = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul_2, %p.blocks.out.bias_1 : tensor<1x6xf32>, tensor<6xf32>)
        outs(%empty_40 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<1x6xf32> loc("<std.nn>":22:5)
    %empty_41 = tensor.empty() : tensor<1x6xf32> loc("gpt2.tdsl":68:11)
    %add_2 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x, %linear : tensor<1x6xf32>, tensor<1x6xf32>)
        outs(%empty_41 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("gpt2.tdsl":68:11)
        linalg.yield %0 : f32 loc("gpt2.tdsl":68:11)
    } -> tensor<1x6xf32> loc("gpt2.tdsl":68:11)
    %empty_42 = tensor.empty() : tensor<1xf32> loc("<std.nn>":214:23)
    %initial_4 = linalg.fill ins(%zero : f32) outs(%empty_42 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":214:23)
    %sum_3 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%add_2 : tensor<1x6xf32>)
        outs(%initial_4 : tensor<1xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<1xf32> loc("<std.nn>":214:23)
    %empty_43 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":214:23)
    %mean_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum_3 : tensor<1xf32>)
        outs(%empty_43 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<1x1xf32> loc("<std.nn>":214:23)
    %empty_44 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":214:19)
    %centred_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_2, %mean_1 : tensor<1x6xf32>, tensor<1x1xf32>)
        outs(%empty_44 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<1x6xf32> loc("<std.nn>":214:19)
    %empty_45 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":215:25)
    %mul_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%centred_1 : tensor<1x6xf32>)
        outs(%empty_45 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<1x6xf32> loc("<std.nn>":215:25)
    %empty_46 = tensor.empty() : tensor<1xf32> loc("<std.nn>":215:20)
    %initial_5 = linalg.fill ins(%zero : f32) outs(%empty_46 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":215:20)
    %sum_4 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%mul_3 : tensor<1x6xf32>)
        outs(%initial_5 : tensor<1xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<1xf32> loc("<std.nn>":215:20)
    %empty_47 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":215:20)
    %variance_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum_4 : tensor<1xf32>)
        outs(%empty_47 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<1x1xf32> loc("<std.nn>":215:20)
    %empty_48 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":216:21)
    %add_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%variance_1 : tensor<1x1xf32>)
        outs(%empty_48 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<1x1xf32> loc("<std.nn>":216:21)
    %empty_49 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":216:15)
    %rsqrt_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_3 : tensor<1x1xf32>)
        outs(%empty_49 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<1x1xf32> loc("<std.nn>":216:15)
    %empty_50 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":216:5)
    %mul_4 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%centred_1, %rsqrt_1 : tensor<1x6xf32>, tensor<1x1xf32>)
        outs(%empty_50 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<1x6xf32> loc("<std.nn>":216:5)
    %empty_51 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":216:5)
    %mul_5 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_4, %p.blocks.ln_2.gain_1 : tensor<1x6xf32>, tensor<6xf32>)
        outs(%empty_51 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<1x6xf32> loc("<std.nn>":216:5)
    %empty_52 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":216:5)
    %layer_norm_1 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_5, %p.blocks.ln_2.bias_1 : tensor<1x6xf32>, tensor<6xf32>)
        outs(%empty_52 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<1x6xf32> loc("<std.nn>":216:5)
    %empty_53 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":22:5)
    %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_53 : tensor<1x24xf32>) -> tensor<1x24xf32> loc("<std.nn>":22:5)
    %matmul_3 = linalg.matmul ins(%layer_norm_1, %p.blocks.up.weight_1 : tensor<1x6xf32>, tensor<6x24xf32>) outs(%filled_4 : tensor<1x24xf32>) -> tensor<1x24xf32> loc("<std.nn>":22:5)
    %empty_54 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":22:5)
    %linear_1 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul_3, %p.blocks.up.bias_1 : tensor<1x24xf32>, tensor<24xf32>)
        outs(%empty_54 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<1x24xf32> loc("<std.nn>":22:5)
    %empty_55 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":58:13)
    %y = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%linear_1 : tensor<1x24xf32>)
        outs(%empty_55 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant -10000.0 : f32 loc("<std.nn>":58:13)
        %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":58:13)
        linalg.yield %1 : f32 loc("<std.nn>":58:13)
    } -> tensor<1x24xf32> loc("<std.nn>":58:13)
    %empty_56 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":59:5)
    %mul_6 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y : tensor<1x24xf32>)
        outs(%empty_56 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.5 : f32 loc("<std.nn>":59:5)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:5)
        linalg.yield %1 : f32 loc("<std.nn>":59:5)
    } -> tensor<1x24xf32> loc("<std.nn>":59:5)
    %empty_57 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":59:60)
    %mul_7 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y : tensor<1x24xf32>)
        outs(%empty_57 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":59:60)
        linalg.yield %0 : f32 loc("<std.nn>":59:60)
    } -> tensor<1x24xf32> loc("<std.nn>":59:60)
    %empty_58 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":59:60)
    %mul_8 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y, %mul_7 : tensor<1x24xf32>, tensor<1x24xf32>)
        outs(%empty_58 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:60)
        linalg.yield %0 : f32 loc("<std.nn>":59:60)
    } -> tensor<1x24xf32> loc("<std.nn>":59:60)
    %empty_59 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":59:49)
    %mul_9 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_8 : tensor<1x24xf32>)
        outs(%empty_59 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.044715 : f32 loc("<std.nn>":59:49)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:49)
        linalg.yield %1 : f32 loc("<std.nn>":59:49)
    } -> tensor<1x24xf32> loc("<std.nn>":59:49)
    %empty_60 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":59:45)
    %add_4 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y, %mul_9 : tensor<1x24xf32>, tensor<1x24xf32>)
        outs(%empty_60 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":59:45)
        linalg.yield %0 : f32 loc("<std.nn>":59:45)
    } -> tensor<1x24xf32> loc("<std.nn>":59:45)
    %empty_61 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":59:27)
    %mul_10 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_4 : tensor<1x24xf32>)
        outs(%empty_61 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.7978846 : f32 loc("<std.nn>":59:27)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":59:27)
        linalg.yield %1 : f32 loc("<std.nn>":59:27)
    } -> tensor<1x24xf32> loc("<std.nn>":59:27)
    %empty_62 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":59:22)
    %tanh = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_10 : tensor<1x24xf32>)
        outs(%empty_62 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.tanh %in : f32 loc("<std.nn>":59:22)
        linalg.yield %0 : f32 loc("<std.nn>":59:22)
    } -> tensor<1x24xf32> loc("<std.nn>":59:22)
    %empty_63 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":59:16)
    %add_5 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%tanh : tensor<1x24xf32>)
        outs(%empty_63 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0 : f32 loc("<std.nn>":59:16)
        %1 = arith.addf %0, %in : f32 loc("<std.nn>":59:16)
        linalg.yield %1 : f32 loc("<std.nn>":59:16)
    } -> tensor<1x24xf32> loc("<std.nn>":59:16)
    %empty_64 = tensor.empty() : tensor<1x24xf32> loc("<std.nn>":59:5)
    %hidden = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_6, %add_5 : tensor<1x24xf32>, tensor<1x24xf32>)
        outs(%empty_64 : tensor<1x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":59:5)
        linalg.yield %0 : f32 loc("<std.nn>":59:5)
    } -> tensor<1x24xf32> loc("<std.nn>":59:5)
    %empty_65 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":22:5)
    %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_65 : tensor<1x6xf32>) -> tensor<1x6xf32> loc("<std.nn>":22:5)
    %matmul_4 = linalg.matmul ins(%hidden, %p.blocks.down.weight_1 : tensor<1x24xf32>, tensor<24x6xf32>) outs(%filled_5 : tensor<1x6xf32>) -> tensor<1x6xf32> loc("<std.nn>":22:5)
    %empty_66 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":22:5)
    %linear_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul_4, %p.blocks.down.bias_1 : tensor<1x6xf32>, tensor<6xf32>)
        outs(%empty_66 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<1x6xf32> loc("<std.nn>":22:5)
    %empty_67 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":404:5)
    %feed = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_2, %linear_2 : tensor<1x6xf32>, tensor<1x6xf32>)
        outs(%empty_67 : tensor<1x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":404:5)
        linalg.yield %0 : f32 loc("<std.nn>":404:5)
    } -> tensor<1x6xf32> loc("<std.nn>":404:5)
    %put_1 = tensor.insert_slice %keys into %keyss[%step, 0, 0, 0] [1, 2, 8, 3] [1, 1, 1, 1] : tensor<2x8x3xf32> into tensor<2x2x8x3xf32> loc("gpt2.tdsl":79:22)
    %put_2 = tensor.insert_slice %values into %valuess[%step, 0, 0, 0] [1, 2, 8, 3] [1, 1, 1, 1] : tensor<2x8x3xf32> into tensor<2x2x8x3xf32> loc("gpt2.tdsl":79:22)
    scf.yield %feed, %put_1, %put_2 : tensor<1x6xf32>, tensor<2x2x8x3xf32>, tensor<2x2x8x3xf32> loc("gpt2.tdsl":79:22)
  } loc("gpt2.tdsl":79:22)
  %zero_1 = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
  %empty_68 = tensor.empty() : tensor<1xf32> loc("<std.nn>":214:23)
  %initial_6 = linalg.fill ins(%zero_1 : f32) outs(%empty_68 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":214:23)
  %sum_5 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%looped#0 : tensor<1x6xf32>)
      outs(%initial_6 : tensor<1xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<1xf32> loc("<std.nn>":214:23)
  %empty_69 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":214:23)
  %mean_2 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_5 : tensor<1xf32>)
      outs(%empty_69 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
      linalg.yield %1 : f32 loc("<std.nn>":214:23)
  } -> tensor<1x1xf32> loc("<std.nn>":214:23)
  %empty_70 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":214:19)
  %centred_2 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%looped#0, %mean_2 : tensor<1x6xf32>, tensor<1x1xf32>)
      outs(%empty_70 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<1x6xf32> loc("<std.nn>":214:19)
  %empty_71 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":215:25)
  %mul_11 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred_2 : tensor<1x6xf32>)
      outs(%empty_71 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<1x6xf32> loc("<std.nn>":215:25)
  %empty_72 = tensor.empty() : tensor<1xf32> loc("<std.nn>":215:20)
  %initial_7 = linalg.fill ins(%zero_1 : f32) outs(%empty_72 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":215:20)
  %sum_6 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul_11 : tensor<1x6xf32>)
      outs(%initial_7 : tensor<1xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<1xf32> loc("<std.nn>":215:20)
  %empty_73 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":215:20)
  %variance_2 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_6 : tensor<1xf32>)
      outs(%empty_73 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
      linalg.yield %1 : f32 loc("<std.nn>":215:20)
  } -> tensor<1x1xf32> loc("<std.nn>":215:20)
  %empty_74 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":216:21)
  %add_6 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%variance_2 : tensor<1x1xf32>)
      outs(%empty_74 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-5 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<1x1xf32> loc("<std.nn>":216:21)
  %empty_75 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":216:15)
  %rsqrt_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_6 : tensor<1x1xf32>)
      outs(%empty_75 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<1x1xf32> loc("<std.nn>":216:15)
  %empty_76 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":216:5)
  %mul_12 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred_2, %rsqrt_2 : tensor<1x6xf32>, tensor<1x1xf32>)
      outs(%empty_76 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<1x6xf32> loc("<std.nn>":216:5)
  %empty_77 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":216:5)
  %mul_13 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_12, %p.ln_f.gain : tensor<1x6xf32>, tensor<6xf32>)
      outs(%empty_77 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<1x6xf32> loc("<std.nn>":216:5)
  %empty_78 = tensor.empty() : tensor<1x6xf32> loc("<std.nn>":216:5)
  %layer_norm_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_13, %p.ln_f.bias : tensor<1x6xf32>, tensor<6xf32>)
      outs(%empty_78 : tensor<1x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<1x6xf32> loc("<std.nn>":216:5)
  %empty_79 = tensor.empty() : tensor<6x11xf32> loc("gpt2.tdsl":82:48)
  %transposed_2 = linalg.transpose ins(%p.wte : tensor<11x6xf32>) outs(%empty_79 : tensor<6x11xf32>) permutation = [1, 0] loc("gpt2.tdsl":82:48)
  %empty_80 = tensor.empty() : tensor<1x11xf32> loc("gpt2.tdsl":82:6)
  %filled_6 = linalg.fill ins(%zero_1 : f32) outs(%empty_80 : tensor<1x11xf32>) -> tensor<1x11xf32> loc("gpt2.tdsl":82:6)
  %matmul_5 = linalg.matmul ins(%layer_norm_2, %transposed_2 : tensor<1x6xf32>, tensor<6x11xf32>) outs(%filled_6 : tensor<1x11xf32>) -> tensor<1x11xf32> loc("gpt2.tdsl":82:6)
  return %matmul_5, %looped#1, %looped#2 : tensor<1x11xf32>, tensor<2x2x8x3xf32>, tensor<2x2x8x3xf32> loc("gpt2.tdsl":79:22)
} loc("gpt2.tdsl":79:22)

func.func private @tdsl.check_position(i64, i64, i64)
