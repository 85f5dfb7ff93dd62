#ijk = affine_map<(i, j, k) -> (i, j, k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#ijk_ij0 = affine_map<(i, j, k) -> (i, j, 0)>
#ijk_k = affine_map<(i, j, k) -> (k)>
#ijkl_il = affine_map<(i, j, k, l) -> (i, l)>
#ijkl = affine_map<(i, j, k, l) -> (i, j, k, l)>
#ij = affine_map<(i, j) -> (i, j)>
#ij_j = affine_map<(i, j) -> (j)>
#ijk_ik = affine_map<(i, j, k) -> (i, k)>
#ij_i = affine_map<(i, j) -> (i)>
#ij_i0 = affine_map<(i, j) -> (i, 0)>

func.func @states(%ids: tensor<2x4xi32>, %kinds: tensor<2x4xi32>, %mask: tensor<2x4xi8>, %p.words: tensor<11x6xf32>, %p.positions: tensor<8x6xf32>, %p.kinds: tensor<2x6xf32>, %p.norm.gain: tensor<6xf32>, %p.norm.bias: tensor<6xf32>, %p.layers.query.weight: tensor<2x6x6xf32>, %p.layers.query.bias: tensor<2x6xf32>, %p.layers.key.weight: tensor<2x6x6xf32>, %p.layers.key.bias: tensor<2x6xf32>, %p.layers.value.weight: tensor<2x6x6xf32>, %p.layers.value.bias: tensor<2x6xf32>, %p.layers.out.weight: tensor<2x6x6xf32>, %p.layers.out.bias: tensor<2x6xf32>, %p.layers.norm_1.gain: tensor<2x6xf32>, %p.layers.norm_1.bias: tensor<2x6xf32>, %p.layers.up.weight: tensor<2x6x24xf32>, %p.layers.up.bias: tensor<2x24xf32>, %p.layers.down.weight: tensor<2x24x6xf32>, %p.layers.down.bias: tensor<2x6xf32>, %p.layers.norm_2.gain: tensor<2x6xf32>, %p.layers.norm_2.bias: tensor<2x6xf32>) -> tensor<2x4x6xf32> {
  %empty = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %c0 = arith.constant 0 : index loc("bert.tdsl":79:20)
  %c2 = arith.constant 2 : index loc("bert.tdsl":79:20)
  %c1 = arith.constant 1 : index loc("bert.tdsl":79:20)
  %take = scf.for %place = %c0 to %c2 step %c1 iter_args(%rows = %empty) -> (tensor<2x4x6xf32>) {
    %c4 = arith.constant 4 : index loc("bert.tdsl":79:20)
    %take_1 = scf.for %place_1 = %c0 to %c4 step %c1 iter_args(%rows_1 = %rows) -> (tensor<2x4x6xf32>) {
      %position = tensor.extract %ids[%place, %place_1] : tensor<2x4xi32> loc("bert.tdsl":79:20)
      %extsi = arith.extsi %position : i32 to i64 loc("bert.tdsl":79:20)
      %c11_i64 = arith.constant 11 : i64 loc("bert.tdsl":79:20)
      %c10_i64 = arith.constant 10 : i64 loc("bert.tdsl":79:20)
      func.call @tdsl.check_position(%extsi, %c10_i64, %c11_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/bert.tdsl:79:20"} : (i64, i64, i64) -> () loc("bert.tdsl":79:20)
      %c0_i64 = arith.constant 0 : i64 loc("bert.tdsl":79:20)
      %inside = arith.maxsi %extsi, %c0_i64 : i64 loc("bert.tdsl":79:20)
      %inside_1 = arith.minsi %inside, %c10_i64 : i64 loc("bert.tdsl":79:20)
      %at = arith.index_cast %inside_1 : i64 to index loc("bert.tdsl":79:20)
      %row = tensor.extract_slice %p.words[%at, 0] [1, 6] [1, 1] : tensor<11x6xf32> to tensor<6xf32> loc("bert.tdsl":79:20)
      %put = tensor.insert_slice %row into %rows_1[%place, %place_1, 0] [1, 1, 6] [1, 1, 1] : tensor<6xf32> into tensor<2x4x6xf32> loc("bert.tdsl":79:20)
      scf.yield %put : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
    } loc("bert.tdsl":79:20)
    scf.yield %take_1 : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  } loc("bert.tdsl":79:20)
  %slice = tensor.extract_slice %p.positions[0, 0] [4, 6] [1, 1] : tensor<8x6xf32> to tensor<4x6xf32> loc("bert.tdsl":79:41)
  %empty_1 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %add = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%take, %slice : tensor<2x4x6xf32>, tensor<4x6xf32>)
      outs(%empty_1 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":79:20)
      linalg.yield %0 : f32 loc("bert.tdsl":79:20)
  } -> tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %empty_2 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:60)
  %take_2 = scf.for %place_2 = %c0 to %c2 step %c1 iter_args(%rows_2 = %empty_2) -> (tensor<2x4x6xf32>) {
    %c4_1 = arith.constant 4 : index loc("bert.tdsl":79:60)
    %take_3 = scf.for %place_3 = %c0 to %c4_1 step %c1 iter_args(%rows_3 = %rows_2) -> (tensor<2x4x6xf32>) {
      %position_1 = tensor.extract %kinds[%place_2, %place_3] : tensor<2x4xi32> loc("bert.tdsl":79:60)
      %extsi_1 = arith.extsi %position_1 : i32 to i64 loc("bert.tdsl":79:60)
      %c2_i64 = arith.constant 2 : i64 loc("bert.tdsl":79:60)
      %c1_i64 = arith.constant 1 : i64 loc("bert.tdsl":79:60)
      func.call @tdsl.check_position(%extsi_1, %c1_i64, %c2_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/bert.tdsl:79:60"} : (i64, i64, i64) -> () loc("bert.tdsl":79:60)
      %c0_i64_1 = arith.constant 0 : i64 loc("bert.tdsl":79:60)
      %inside_2 = arith.maxsi %extsi_1, %c0_i64_1 : i64 loc("bert.tdsl":79:60)
      %inside_3 = arith.minsi %inside_2, %c1_i64 : i64 loc("bert.tdsl":79:60)
      %at_1 = arith.index_cast %inside_3 : i64 to index loc("bert.tdsl":79:60)
      %row_1 = tensor.extract_slice %p.kinds[%at_1, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":79:60)
      %put_1 = tensor.insert_slice %row_1 into %rows_3[%place_2, %place_3, 0] [1, 1, 6] [1, 1, 1] : tensor<6xf32> into tensor<2x4x6xf32> loc("bert.tdsl":79:60)
      scf.yield %put_1 : tensor<2x4x6xf32> loc("bert.tdsl":79:60)
    } loc("bert.tdsl":79:60)
    scf.yield %take_3 : tensor<2x4x6xf32> loc("bert.tdsl":79:60)
  } loc("bert.tdsl":79:60)
  %empty_3 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %embedded = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%add, %take_2 : tensor<2x4x6xf32>, tensor<2x4x6xf32>)
      outs(%empty_3 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":79:20)
      linalg.yield %0 : f32 loc("bert.tdsl":79:20)
  } -> tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %zero = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
  %empty_4 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":214:23)
  %initial = linalg.fill ins(%zero : f32) outs(%empty_4 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":214:23)
  %sum = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%embedded : tensor<2x4x6xf32>)
      outs(%initial : tensor<2x4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<2x4xf32> loc("<std.nn>":214:23)
  %empty_5 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":214:23)
  %mean = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum : tensor<2x4xf32>)
      outs(%empty_5 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
      linalg.yield %1 : f32 loc("<std.nn>":214:23)
  } -> tensor<2x4x1xf32> loc("<std.nn>":214:23)
  %empty_6 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":214:19)
  %centred = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%embedded, %mean : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
      outs(%empty_6 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<2x4x6xf32> loc("<std.nn>":214:19)
  %empty_7 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":215:25)
  %mul = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%centred : tensor<2x4x6xf32>)
      outs(%empty_7 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<2x4x6xf32> loc("<std.nn>":215:25)
  %empty_8 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":215:20)
  %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_8 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":215:20)
  %sum_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%mul : tensor<2x4x6xf32>)
      outs(%initial_1 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<2x4xf32> loc("<std.nn>":215:20)
  %empty_9 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":215:20)
  %variance = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum_1 : tensor<2x4xf32>)
      outs(%empty_9 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
      linalg.yield %1 : f32 loc("<std.nn>":215:20)
  } -> tensor<2x4x1xf32> loc("<std.nn>":215:20)
  %empty_10 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:21)
  %add_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%variance : tensor<2x4x1xf32>)
      outs(%empty_10 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-12 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<2x4x1xf32> loc("<std.nn>":216:21)
  %empty_11 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:15)
  %rsqrt = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%add_1 : tensor<2x4x1xf32>)
      outs(%empty_11 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<2x4x1xf32> loc("<std.nn>":216:15)
  %empty_12 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %mul_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%centred, %rsqrt : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
      outs(%empty_12 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %empty_13 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %mul_2 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mul_1, %p.norm.gain : tensor<2x4x6xf32>, tensor<6xf32>)
      outs(%empty_13 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %empty_14 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %norm = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mul_2, %p.norm.bias : tensor<2x4x6xf32>, tensor<6xf32>)
      outs(%empty_14 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %looped = scf.for %step = %c0 to %c2 step %c1 iter_args(%x = %norm) -> (tensor<2x4x6xf32>) {
    %b.query.weight = tensor.extract_slice %p.layers.query.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.query.bias = tensor.extract_slice %p.layers.query.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.key.weight = tensor.extract_slice %p.layers.key.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.key.bias = tensor.extract_slice %p.layers.key.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.value.weight = tensor.extract_slice %p.layers.value.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.value.bias = tensor.extract_slice %p.layers.value.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.out.weight = tensor.extract_slice %p.layers.out.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.out.bias = tensor.extract_slice %p.layers.out.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_1.gain = tensor.extract_slice %p.layers.norm_1.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_1.bias = tensor.extract_slice %p.layers.norm_1.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.up.weight = tensor.extract_slice %p.layers.up.weight[%step, 0, 0] [1, 6, 24] [1, 1, 1] : tensor<2x6x24xf32> to tensor<6x24xf32> loc("bert.tdsl":80:5)
    %b.up.bias = tensor.extract_slice %p.layers.up.bias[%step, 0] [1, 24] [1, 1] : tensor<2x24xf32> to tensor<24xf32> loc("bert.tdsl":80:5)
    %b.down.weight = tensor.extract_slice %p.layers.down.weight[%step, 0, 0] [1, 24, 6] [1, 1, 1] : tensor<2x24x6xf32> to tensor<24x6xf32> loc("bert.tdsl":80:5)
    %b.down.bias = tensor.extract_slice %p.layers.down.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_2.gain = tensor.extract_slice %p.layers.norm_2.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_2.bias = tensor.extract_slice %p.layers.norm_2.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %empty_15 = tensor.empty() : tensor<2x2x4x4xi8> loc("bert.tdsl":62:43)
    %broadcast = linalg.generic {indexing_maps = [#ijkl_il, #ijkl], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%mask : tensor<2x4xi8>)
        outs(%empty_15 : tensor<2x2x4x4xi8>) {
      ^bb0(%in: i8, %_: i8):
        %0 = arith.constant 0 : i8 loc("bert.tdsl":62:43)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("bert.tdsl":62:43)
        %2 = arith.extui %1 : i1 to i8 loc("bert.tdsl":62:43)
        linalg.yield %2 : i8 loc("bert.tdsl":62:43)
    } -> tensor<2x2x4x4xi8> loc("bert.tdsl":62:43)
    %shape = arith.constant dense<[4, 4, 4]> : tensor<3xindex> loc("bert.tdsl":62:43)
    %reshaped = tensor.reshape %broadcast(%shape) : (tensor<2x2x4x4xi8>, tensor<3xindex>) -> tensor<4x4x4xi8> loc("bert.tdsl":62:43)
    %shape_1 = arith.constant dense<[8, 6]> : tensor<2xindex> loc("<std.nn>":22:5)
    %reshaped_1 = tensor.reshape %x(%shape_1) : (tensor<2x4x6xf32>, tensor<2xindex>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %empty_16 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled = linalg.fill ins(%zero : f32) outs(%empty_16 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul = linalg.matmul ins(%reshaped_1, %b.query.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %shape_2 = arith.constant dense<[2, 4, 6]> : tensor<3xindex> loc("<std.nn>":22:5)
    %reshaped_2 = tensor.reshape %matmul(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_17 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_2, %b.query.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_17 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %shape_3 = arith.constant dense<[2, 4, 2, 3]> : tensor<4xindex> loc("bert.tdsl":52:17)
    %parts = tensor.reshape %dense(%shape_3) : (tensor<2x4x6xf32>, tensor<4xindex>) -> tensor<2x4x2x3xf32> loc("bert.tdsl":52:17)
    %empty_18 = tensor.empty() : tensor<2x2x4x3xf32> loc("bert.tdsl":53:13)
    %transposed = linalg.transpose ins(%parts : tensor<2x4x2x3xf32>) outs(%empty_18 : tensor<2x2x4x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":53:13)
    %shape_4 = arith.constant dense<[4, 4, 3]> : tensor<3xindex> loc("bert.tdsl":53:5)
    %q = tensor.reshape %transposed(%shape_4) : (tensor<2x2x4x3xf32>, tensor<3xindex>) -> tensor<4x4x3xf32> loc("bert.tdsl":53:5)
    %empty_19 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_19 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_1 = linalg.matmul ins(%reshaped_1, %b.key.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled_1 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_3 = tensor.reshape %matmul_1(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_20 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense_1 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_3, %b.key.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_20 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %parts_1 = tensor.reshape %dense_1(%shape_3) : (tensor<2x4x6xf32>, tensor<4xindex>) -> tensor<2x4x2x3xf32> loc("bert.tdsl":52:17)
    %empty_21 = tensor.empty() : tensor<2x2x4x3xf32> loc("bert.tdsl":53:13)
    %transposed_1 = linalg.transpose ins(%parts_1 : tensor<2x4x2x3xf32>) outs(%empty_21 : tensor<2x2x4x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":53:13)
    %k = tensor.reshape %transposed_1(%shape_4) : (tensor<2x2x4x3xf32>, tensor<3xindex>) -> tensor<4x4x3xf32> loc("bert.tdsl":53:5)
    %empty_22 = tensor.empty() : tensor<4x3x4xf32> loc("<std.nn>":357:24)
    %transposed_2 = linalg.transpose ins(%k : tensor<4x4x3xf32>) outs(%empty_22 : tensor<4x3x4xf32>) permutation = [0, 2, 1] loc("<std.nn>":357:24)
    %empty_23 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_23 : tensor<4x4x4xf32>) -> tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %matmul_2 = linalg.batch_matmul ins(%q, %transposed_2 : tensor<4x4x3xf32>, tensor<4x3x4xf32>) outs(%filled_2 : tensor<4x4x4xf32>) -> tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %empty_24 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %div = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%matmul_2 : tensor<4x4x4xf32>)
        outs(%empty_24 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.7320508 : f32 loc("<std.nn>":357:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":357:20)
        linalg.yield %1 : f32 loc("<std.nn>":357:20)
    } -> tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %empty_25 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":156:16)
    %seen = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped, %div : tensor<4x4x4xi8>, tensor<4x4x4xf32>)
        outs(%empty_25 : tensor<4x4x4xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":156:16)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":156:16)
        %2 = arith.constant 0xFF800000 : f32 loc("<std.nn>":156:16)
        %3 = arith.select %1, %in_1, %2 : f32 loc("<std.nn>":156:16)
        linalg.yield %3 : f32 loc("<std.nn>":156:16)
    } -> tensor<4x4x4xf32> loc("<std.nn>":156:16)
    %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":157:15)
    %empty_26 = tensor.empty() : tensor<4x4xf32> loc("<std.nn>":157:15)
    %initial_2 = linalg.fill ins(%minus_infinity : f32) outs(%empty_26 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("<std.nn>":157:15)
    %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%seen : tensor<4x4x4xf32>)
        outs(%initial_2 : tensor<4x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":157:15)
        linalg.yield %0 : f32 loc("<std.nn>":157:15)
    } -> tensor<4x4xf32> loc("<std.nn>":157:15)
    %empty_27 = tensor.empty() : tensor<4x4x1xi8> loc("<std.nn>":159:31)
    %equal = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%max : tensor<4x4xf32>)
        outs(%empty_27 : tensor<4x4x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0xFF800000 : f32 loc("<std.nn>":159:31)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":159:31)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":159:31)
        linalg.yield %2 : i8 loc("<std.nn>":159:31)
    } -> tensor<4x4x1xi8> loc("<std.nn>":159:31)
    %empty_28 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":159:24)
    %select = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal, %max : tensor<4x4x1xi8>, tensor<4x4xf32>)
        outs(%empty_28 : tensor<4x4x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":159:24)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":159:24)
        %2 = arith.constant 0.0 : f32 loc("<std.nn>":159:24)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":159:24)
        linalg.yield %3 : f32 loc("<std.nn>":159:24)
    } -> tensor<4x4x1xf32> loc("<std.nn>":159:24)
    %empty_29 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":159:17)
    %sub = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%seen, %select : tensor<4x4x4xf32>, tensor<4x4x1xf32>)
        outs(%empty_29 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":159:17)
        linalg.yield %0 : f32 loc("<std.nn>":159:17)
    } -> tensor<4x4x4xf32> loc("<std.nn>":159:17)
    %empty_30 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":159:13)
    %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sub : tensor<4x4x4xf32>)
        outs(%empty_30 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.exp %in : f32 loc("<std.nn>":159:13)
        linalg.yield %0 : f32 loc("<std.nn>":159:13)
    } -> tensor<4x4x4xf32> loc("<std.nn>":159:13)
    %empty_31 = tensor.empty() : tensor<4x4xf32> loc("<std.nn>":160:17)
    %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_31 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("<std.nn>":160:17)
    %sum_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%e : tensor<4x4x4xf32>)
        outs(%initial_3 : tensor<4x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":160:17)
        linalg.yield %0 : f32 loc("<std.nn>":160:17)
    } -> tensor<4x4xf32> loc("<std.nn>":160:17)
    %empty_32 = tensor.empty() : tensor<4x4x1xi8> loc("<std.nn>":161:16)
    %equal_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_2 : tensor<4x4xf32>)
        outs(%empty_32 : tensor<4x4x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0.0 : f32 loc("<std.nn>":161:16)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":161:16)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":161:16)
        linalg.yield %2 : i8 loc("<std.nn>":161:16)
    } -> tensor<4x4x1xi8> loc("<std.nn>":161:16)
    %empty_33 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":161:9)
    %select_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal_1, %sum_2 : tensor<4x4x1xi8>, tensor<4x4xf32>)
        outs(%empty_33 : tensor<4x4x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":161:9)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":161:9)
        %2 = arith.constant 1.0 : f32 loc("<std.nn>":161:9)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":161:9)
        linalg.yield %3 : f32 loc("<std.nn>":161:9)
    } -> tensor<4x4x1xf32> loc("<std.nn>":161:9)
    %empty_34 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":161:5)
    %masked_softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%e, %select_1 : tensor<4x4x4xf32>, tensor<4x4x1xf32>)
        outs(%empty_34 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":161:5)
        linalg.yield %0 : f32 loc("<std.nn>":161:5)
    } -> tensor<4x4x4xf32> loc("<std.nn>":161:5)
    %empty_35 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_35 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_3 = linalg.matmul ins(%reshaped_1, %b.value.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled_3 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_4 = tensor.reshape %matmul_3(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_36 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense_2 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_4, %b.value.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_36 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %parts_2 = tensor.reshape %dense_2(%shape_3) : (tensor<2x4x6xf32>, tensor<4xindex>) -> tensor<2x4x2x3xf32> loc("bert.tdsl":52:17)
    %empty_37 = tensor.empty() : tensor<2x2x4x3xf32> loc("bert.tdsl":53:13)
    %transposed_3 = linalg.transpose ins(%parts_2 : tensor<2x4x2x3xf32>) outs(%empty_37 : tensor<2x2x4x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":53:13)
    %v = tensor.reshape %transposed_3(%shape_4) : (tensor<2x2x4x3xf32>, tensor<3xindex>) -> tensor<4x4x3xf32> loc("bert.tdsl":53:5)
    %empty_38 = tensor.empty() : tensor<4x4x3xf32> loc("<std.nn>":357:5)
    %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_38 : tensor<4x4x3xf32>) -> tensor<4x4x3xf32> loc("<std.nn>":357:5)
    %mixed = linalg.batch_matmul ins(%masked_softmax, %v : tensor<4x4x4xf32>, tensor<4x4x3xf32>) outs(%filled_4 : tensor<4x4x3xf32>) -> tensor<4x4x3xf32> loc("<std.nn>":357:5)
    %shape_5 = arith.constant dense<[2, 2, 4, 3]> : tensor<4xindex> loc("bert.tdsl":63:28)
    %reshaped_5 = tensor.reshape %mixed(%shape_5) : (tensor<4x4x3xf32>, tensor<4xindex>) -> tensor<2x2x4x3xf32> loc("bert.tdsl":63:28)
    %empty_39 = tensor.empty() : tensor<2x4x2x3xf32> loc("bert.tdsl":63:18)
    %merged = linalg.transpose ins(%reshaped_5 : tensor<2x2x4x3xf32>) outs(%empty_39 : tensor<2x4x2x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":63:18)
    %reshaped_6 = tensor.reshape %merged(%shape_1) : (tensor<2x4x2x3xf32>, tensor<2xindex>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %empty_40 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_40 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_4 = linalg.matmul ins(%reshaped_6, %b.out.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled_5 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_7 = tensor.reshape %matmul_4(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_41 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %attention = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_7, %b.out.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_41 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_42 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":71:18)
    %add_2 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %attention : tensor<2x4x6xf32>, tensor<2x4x6xf32>)
        outs(%empty_42 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":71:18)
        linalg.yield %0 : f32 loc("bert.tdsl":71:18)
    } -> tensor<2x4x6xf32> loc("bert.tdsl":71:18)
    %empty_43 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":214:23)
    %initial_4 = linalg.fill ins(%zero : f32) outs(%empty_43 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %sum_3 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%add_2 : tensor<2x4x6xf32>)
        outs(%initial_4 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %empty_44 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %mean_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_3 : tensor<2x4xf32>)
        outs(%empty_44 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %empty_45 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %centred_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_2, %mean_1 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_45 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %empty_46 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %mul_3 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_1 : tensor<2x4x6xf32>)
        outs(%empty_46 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %empty_47 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":215:20)
    %initial_5 = linalg.fill ins(%zero : f32) outs(%empty_47 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %sum_4 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%mul_3 : tensor<2x4x6xf32>)
        outs(%initial_5 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %empty_48 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %variance_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_4 : tensor<2x4xf32>)
        outs(%empty_48 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %empty_49 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %add_3 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%variance_1 : tensor<2x4x1xf32>)
        outs(%empty_49 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-12 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %empty_50 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %rsqrt_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_3 : tensor<2x4x1xf32>)
        outs(%empty_50 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %empty_51 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_4 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_1, %rsqrt_1 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_51 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_52 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_5 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_4, %b.norm_1.gain : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_52 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_53 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %y = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_5, %b.norm_1.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_53 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %reshaped_8 = tensor.reshape %y(%shape_1) : (tensor<2x4x6xf32>, tensor<2xindex>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %empty_54 = tensor.empty() : tensor<8x24xf32> loc("<std.nn>":22:5)
    %filled_6 = linalg.fill ins(%zero : f32) outs(%empty_54 : tensor<8x24xf32>) -> tensor<8x24xf32> loc("<std.nn>":22:5)
    %matmul_5 = linalg.matmul ins(%reshaped_8, %b.up.weight : tensor<8x6xf32>, tensor<6x24xf32>) outs(%filled_6 : tensor<8x24xf32>) -> tensor<8x24xf32> loc("<std.nn>":22:5)
    %shape_6 = arith.constant dense<[2, 4, 24]> : tensor<3xindex> loc("<std.nn>":22:5)
    %reshaped_9 = tensor.reshape %matmul_5(%shape_6) : (tensor<8x24xf32>, tensor<3xindex>) -> tensor<2x4x24xf32> loc("<std.nn>":22:5)
    %empty_55 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":22:5)
    %dense_3 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_9, %b.up.bias : tensor<2x4x24xf32>, tensor<24xf32>)
        outs(%empty_55 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x24xf32> loc("<std.nn>":22:5)
    %empty_56 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":79:13)
    %y_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%dense_3 : tensor<2x4x24xf32>)
        outs(%empty_56 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant -10000.0 : f32 loc("<std.nn>":79:13)
        %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":79:13)
        linalg.yield %1 : f32 loc("<std.nn>":79:13)
    } -> tensor<2x4x24xf32> loc("<std.nn>":79:13)
    %empty_57 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %mul_6 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y_1 : tensor<2x4x24xf32>)
        outs(%empty_57 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.5 : f32 loc("<std.nn>":80:5)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":80:5)
        linalg.yield %1 : f32 loc("<std.nn>":80:5)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %empty_58 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:26)
    %mul_7 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y_1 : tensor<2x4x24xf32>)
        outs(%empty_58 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.70710677 : f32 loc("<std.nn>":80:26)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":80:26)
        linalg.yield %1 : f32 loc("<std.nn>":80:26)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:26)
    %empty_59 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:22)
    %erf = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_7 : tensor<2x4x24xf32>)
        outs(%empty_59 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.erf %in : f32 loc("<std.nn>":80:22)
        linalg.yield %0 : f32 loc("<std.nn>":80:22)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:22)
    %empty_60 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:16)
    %add_4 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%erf : tensor<2x4x24xf32>)
        outs(%empty_60 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0 : f32 loc("<std.nn>":80:16)
        %1 = arith.addf %0, %in : f32 loc("<std.nn>":80:16)
        linalg.yield %1 : f32 loc("<std.nn>":80:16)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:16)
    %empty_61 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %gelu_exact = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_6, %add_4 : tensor<2x4x24xf32>, tensor<2x4x24xf32>)
        outs(%empty_61 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":80:5)
        linalg.yield %0 : f32 loc("<std.nn>":80:5)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %shape_7 = arith.constant dense<[8, 24]> : tensor<2xindex> loc("<std.nn>":22:5)
    %reshaped_10 = tensor.reshape %gelu_exact(%shape_7) : (tensor<2x4x24xf32>, tensor<2xindex>) -> tensor<8x24xf32> loc("<std.nn>":22:5)
    %empty_62 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_7 = linalg.fill ins(%zero : f32) outs(%empty_62 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_6 = linalg.matmul ins(%reshaped_10, %b.down.weight : tensor<8x24xf32>, tensor<24x6xf32>) outs(%filled_7 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_11 = tensor.reshape %matmul_6(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_63 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense_4 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_11, %b.down.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_63 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_64 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":72:10)
    %add_5 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y, %dense_4 : tensor<2x4x6xf32>, tensor<2x4x6xf32>)
        outs(%empty_64 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":72:10)
        linalg.yield %0 : f32 loc("bert.tdsl":72:10)
    } -> tensor<2x4x6xf32> loc("bert.tdsl":72:10)
    %empty_65 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":214:23)
    %initial_6 = linalg.fill ins(%zero : f32) outs(%empty_65 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %sum_5 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%add_5 : tensor<2x4x6xf32>)
        outs(%initial_6 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %empty_66 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %mean_2 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_5 : tensor<2x4xf32>)
        outs(%empty_66 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %empty_67 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %centred_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_5, %mean_2 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_67 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %empty_68 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %mul_8 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_2 : tensor<2x4x6xf32>)
        outs(%empty_68 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %empty_69 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":215:20)
    %initial_7 = linalg.fill ins(%zero : f32) outs(%empty_69 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %sum_6 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%mul_8 : tensor<2x4x6xf32>)
        outs(%initial_7 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %empty_70 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %variance_2 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_6 : tensor<2x4xf32>)
        outs(%empty_70 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %empty_71 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %add_6 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%variance_2 : tensor<2x4x1xf32>)
        outs(%empty_71 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-12 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %empty_72 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %rsqrt_2 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_6 : tensor<2x4x1xf32>)
        outs(%empty_72 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %empty_73 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_9 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_2, %rsqrt_2 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_73 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_74 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_10 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_9, %b.norm_2.gain : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_74 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_75 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %layer = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_10, %b.norm_2.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_75 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    scf.yield %layer : tensor<2x4x6xf32> loc("bert.tdsl":80:5)
  } loc("bert.tdsl":80:5)
  return %looped : tensor<2x4x6xf32> loc("bert.tdsl":80:5)
} loc("bert.tdsl":80:5)

func.func @classify(%ids: tensor<2x4xi32>, %kinds: tensor<2x4xi32>, %mask: tensor<2x4xi8>, %p.words: tensor<11x6xf32>, %p.positions: tensor<8x6xf32>, %p.kinds: tensor<2x6xf32>, %p.norm.gain: tensor<6xf32>, %p.norm.bias: tensor<6xf32>, %p.layers.query.weight: tensor<2x6x6xf32>, %p.layers.query.bias: tensor<2x6xf32>, %p.layers.key.weight: tensor<2x6x6xf32>, %p.layers.key.bias: tensor<2x6xf32>, %p.layers.value.weight: tensor<2x6x6xf32>, %p.layers.value.bias: tensor<2x6xf32>, %p.layers.out.weight: tensor<2x6x6xf32>, %p.layers.out.bias: tensor<2x6xf32>, %p.layers.norm_1.gain: tensor<2x6xf32>, %p.layers.norm_1.bias: tensor<2x6xf32>, %p.layers.up.weight: tensor<2x6x24xf32>, %p.layers.up.bias: tensor<2x24xf32>, %p.layers.down.weight: tensor<2x24x6xf32>, %p.layers.down.bias: tensor<2x6xf32>, %p.layers.norm_2.gain: tensor<2x6xf32>, %p.layers.norm_2.bias: tensor<2x6xf32>, %head.pooler.weight: tensor<6x6xf32>, %head.pooler.bias: tensor<6xf32>, %head.out.weight: tensor<6x3xf32>, %head.out.bias: tensor<3xf32>) -> tensor<2x3xf32> {
  %empty = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %c0 = arith.constant 0 : index loc("bert.tdsl":79:20)
  %c2 = arith.constant 2 : index loc("bert.tdsl":79:20)
  %c1 = arith.constant 1 : index loc("bert.tdsl":79:20)
  %take = scf.for %place = %c0 to %c2 step %c1 iter_args(%rows = %empty) -> (tensor<2x4x6xf32>) {
    %c4 = arith.constant 4 : index loc("bert.tdsl":79:20)
    %take_1 = scf.for %place_1 = %c0 to %c4 step %c1 iter_args(%rows_1 = %rows) -> (tensor<2x4x6xf32>) {
      %position = tensor.extract %ids[%place, %place_1] : tensor<2x4xi32> loc("bert.tdsl":79:20)
      %extsi = arith.extsi %position : i32 to i64 loc("bert.tdsl":79:20)
      %c11_i64 = arith.constant 11 : i64 loc("bert.tdsl":79:20)
      %c10_i64 = arith.constant 10 : i64 loc("bert.tdsl":79:20)
      func.call @tdsl.check_position(%extsi, %c10_i64, %c11_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/bert.tdsl:79:20"} : (i64, i64, i64) -> () loc("bert.tdsl":79:20)
      %c0_i64 = arith.constant 0 : i64 loc("bert.tdsl":79:20)
      %inside = arith.maxsi %extsi, %c0_i64 : i64 loc("bert.tdsl":79:20)
      %inside_1 = arith.minsi %inside, %c10_i64 : i64 loc("bert.tdsl":79:20)
      %at = arith.index_cast %inside_1 : i64 to index loc("bert.tdsl":79:20)
      %row = tensor.extract_slice %p.words[%at, 0] [1, 6] [1, 1] : tensor<11x6xf32> to tensor<6xf32> loc("bert.tdsl":79:20)
      %put = tensor.insert_slice %row into %rows_1[%place, %place_1, 0] [1, 1, 6] [1, 1, 1] : tensor<6xf32> into tensor<2x4x6xf32> loc("bert.tdsl":79:20)
      scf.yield %put : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
    } loc("bert.tdsl":79:20)
    scf.yield %take_1 : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  } loc("bert.tdsl":79:20)
  %slice = tensor.extract_slice %p.positions[0, 0] [4, 6] [1, 1] : tensor<8x6xf32> to tensor<4x6xf32> loc("bert.tdsl":79:41)
  %empty_1 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %add = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%take, %slice : tensor<2x4x6xf32>, tensor<4x6xf32>)
      outs(%empty_1 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":79:20)
      linalg.yield %0 : f32 loc("bert.tdsl":79:20)
  } -> tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %empty_2 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:60)
  %take_2 = scf.for %place_2 = %c0 to %c2 step %c1 iter_args(%rows_2 = %empty_2) -> (tensor<2x4x6xf32>) {
    %c4_1 = arith.constant 4 : index loc("bert.tdsl":79:60)
    %take_3 = scf.for %place_3 = %c0 to %c4_1 step %c1 iter_args(%rows_3 = %rows_2) -> (tensor<2x4x6xf32>) {
      %position_1 = tensor.extract %kinds[%place_2, %place_3] : tensor<2x4xi32> loc("bert.tdsl":79:60)
      %extsi_1 = arith.extsi %position_1 : i32 to i64 loc("bert.tdsl":79:60)
      %c2_i64 = arith.constant 2 : i64 loc("bert.tdsl":79:60)
      %c1_i64 = arith.constant 1 : i64 loc("bert.tdsl":79:60)
      func.call @tdsl.check_position(%extsi_1, %c1_i64, %c2_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/bert.tdsl:79:60"} : (i64, i64, i64) -> () loc("bert.tdsl":79:60)
      %c0_i64_1 = arith.constant 0 : i64 loc("bert.tdsl":79:60)
      %inside_2 = arith.maxsi %extsi_1, %c0_i64_1 : i64 loc("bert.tdsl":79:60)
      %inside_3 = arith.minsi %inside_2, %c1_i64 : i64 loc("bert.tdsl":79:60)
      %at_1 = arith.index_cast %inside_3 : i64 to index loc("bert.tdsl":79:60)
      %row_1 = tensor.extract_slice %p.kinds[%at_1, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":79:60)
      %put_1 = tensor.insert_slice %row_1 into %rows_3[%place_2, %place_3, 0] [1, 1, 6] [1, 1, 1] : tensor<6xf32> into tensor<2x4x6xf32> loc("bert.tdsl":79:60)
      scf.yield %put_1 : tensor<2x4x6xf32> loc("bert.tdsl":79:60)
    } loc("bert.tdsl":79:60)
    scf.yield %take_3 : tensor<2x4x6xf32> loc("bert.tdsl":79:60)
  } loc("bert.tdsl":79:60)
  %empty_3 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %embedded = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%add, %take_2 : tensor<2x4x6xf32>, tensor<2x4x6xf32>)
      outs(%empty_3 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":79:20)
      linalg.yield %0 : f32 loc("bert.tdsl":79:20)
  } -> tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %zero = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
  %empty_4 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":214:23)
  %initial = linalg.fill ins(%zero : f32) outs(%empty_4 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":214:23)
  %sum = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%embedded : tensor<2x4x6xf32>)
      outs(%initial : tensor<2x4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<2x4xf32> loc("<std.nn>":214:23)
  %empty_5 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":214:23)
  %mean = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum : tensor<2x4xf32>)
      outs(%empty_5 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
      linalg.yield %1 : f32 loc("<std.nn>":214:23)
  } -> tensor<2x4x1xf32> loc("<std.nn>":214:23)
  %empty_6 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":214:19)
  %centred = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%embedded, %mean : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
      outs(%empty_6 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<2x4x6xf32> loc("<std.nn>":214:19)
  %empty_7 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":215:25)
  %mul = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%centred : tensor<2x4x6xf32>)
      outs(%empty_7 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<2x4x6xf32> loc("<std.nn>":215:25)
  %empty_8 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":215:20)
  %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_8 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":215:20)
  %sum_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%mul : tensor<2x4x6xf32>)
      outs(%initial_1 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<2x4xf32> loc("<std.nn>":215:20)
  %empty_9 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":215:20)
  %variance = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum_1 : tensor<2x4xf32>)
      outs(%empty_9 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
      linalg.yield %1 : f32 loc("<std.nn>":215:20)
  } -> tensor<2x4x1xf32> loc("<std.nn>":215:20)
  %empty_10 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:21)
  %add_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%variance : tensor<2x4x1xf32>)
      outs(%empty_10 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-12 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<2x4x1xf32> loc("<std.nn>":216:21)
  %empty_11 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:15)
  %rsqrt = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%add_1 : tensor<2x4x1xf32>)
      outs(%empty_11 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<2x4x1xf32> loc("<std.nn>":216:15)
  %empty_12 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %mul_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%centred, %rsqrt : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
      outs(%empty_12 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %empty_13 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %mul_2 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mul_1, %p.norm.gain : tensor<2x4x6xf32>, tensor<6xf32>)
      outs(%empty_13 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %empty_14 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %norm = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mul_2, %p.norm.bias : tensor<2x4x6xf32>, tensor<6xf32>)
      outs(%empty_14 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %looped = scf.for %step = %c0 to %c2 step %c1 iter_args(%x = %norm) -> (tensor<2x4x6xf32>) {
    %b.query.weight = tensor.extract_slice %p.layers.query.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.query.bias = tensor.extract_slice %p.layers.query.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.key.weight = tensor.extract_slice %p.layers.key.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.key.bias = tensor.extract_slice %p.layers.key.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.value.weight = tensor.extract_slice %p.layers.value.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.value.bias = tensor.extract_slice %p.layers.value.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.out.weight = tensor.extract_slice %p.layers.out.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.out.bias = tensor.extract_slice %p.layers.out.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_1.gain = tensor.extract_slice %p.layers.norm_1.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_1.bias = tensor.extract_slice %p.layers.norm_1.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.up.weight = tensor.extract_slice %p.layers.up.weight[%step, 0, 0] [1, 6, 24] [1, 1, 1] : tensor<2x6x24xf32> to tensor<6x24xf32> loc("bert.tdsl":80:5)
    %b.up.bias = tensor.extract_slice %p.layers.up.bias[%step, 0] [1, 24] [1, 1] : tensor<2x24xf32> to tensor<24xf32> loc("bert.tdsl":80:5)
    %b.down.weight = tensor.extract_slice %p.layers.down.weight[%step, 0, 0] [1, 24, 6] [1, 1, 1] : tensor<2x24x6xf32> to tensor<24x6xf32> loc("bert.tdsl":80:5)
    %b.down.bias = tensor.extract_slice %p.layers.down.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_2.gain = tensor.extract_slice %p.layers.norm_2.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_2.bias = tensor.extract_slice %p.layers.norm_2.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %empty_15 = tensor.empty() : tensor<2x2x4x4xi8> loc("bert.tdsl":62:43)
    %broadcast = linalg.generic {indexing_maps = [#ijkl_il, #ijkl], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%mask : tensor<2x4xi8>)
        outs(%empty_15 : tensor<2x2x4x4xi8>) {
      ^bb0(%in: i8, %_: i8):
        %0 = arith.constant 0 : i8 loc("bert.tdsl":62:43)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("bert.tdsl":62:43)
        %2 = arith.extui %1 : i1 to i8 loc("bert.tdsl":62:43)
        linalg.yield %2 : i8 loc("bert.tdsl":62:43)
    } -> tensor<2x2x4x4xi8> loc("bert.tdsl":62:43)
    %shape = arith.constant dense<[4, 4, 4]> : tensor<3xindex> loc("bert.tdsl":62:43)
    %reshaped = tensor.reshape %broadcast(%shape) : (tensor<2x2x4x4xi8>, tensor<3xindex>) -> tensor<4x4x4xi8> loc("bert.tdsl":62:43)
    %shape_1 = arith.constant dense<[8, 6]> : tensor<2xindex> loc("<std.nn>":22:5)
    %reshaped_1 = tensor.reshape %x(%shape_1) : (tensor<2x4x6xf32>, tensor<2xindex>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %empty_16 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled = linalg.fill ins(%zero : f32) outs(%empty_16 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul = linalg.matmul ins(%reshaped_1, %b.query.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %shape_2 = arith.constant dense<[2, 4, 6]> : tensor<3xindex> loc("<std.nn>":22:5)
    %reshaped_2 = tensor.reshape %matmul(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_17 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_2, %b.query.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_17 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %shape_3 = arith.constant dense<[2, 4, 2, 3]> : tensor<4xindex> loc("bert.tdsl":52:17)
    %parts = tensor.reshape %dense(%shape_3) : (tensor<2x4x6xf32>, tensor<4xindex>) -> tensor<2x4x2x3xf32> loc("bert.tdsl":52:17)
    %empty_18 = tensor.empty() : tensor<2x2x4x3xf32> loc("bert.tdsl":53:13)
    %transposed = linalg.transpose ins(%parts : tensor<2x4x2x3xf32>) outs(%empty_18 : tensor<2x2x4x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":53:13)
    %shape_4 = arith.constant dense<[4, 4, 3]> : tensor<3xindex> loc("bert.tdsl":53:5)
    %q = tensor.reshape %transposed(%shape_4) : (tensor<2x2x4x3xf32>, tensor<3xindex>) -> tensor<4x4x3xf32> loc("bert.tdsl":53:5)
    %empty_19 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_19 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_1 = linalg.matmul ins(%reshaped_1, %b.key.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled_1 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_3 = tensor.reshape %matmul_1(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_20 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense_1 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_3, %b.key.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_20 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %parts_1 = tensor.reshape %dense_1(%shape_3) : (tensor<2x4x6xf32>, tensor<4xindex>) -> tensor<2x4x2x3xf32> loc("bert.tdsl":52:17)
    %empty_21 = tensor.empty() : tensor<2x2x4x3xf32> loc("bert.tdsl":53:13)
    %transposed_1 = linalg.transpose ins(%parts_1 : tensor<2x4x2x3xf32>) outs(%empty_21 : tensor<2x2x4x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":53:13)
    %k = tensor.reshape %transposed_1(%shape_4) : (tensor<2x2x4x3xf32>, tensor<3xindex>) -> tensor<4x4x3xf32> loc("bert.tdsl":53:5)
    %empty_22 = tensor.empty() : tensor<4x3x4xf32> loc("<std.nn>":357:24)
    %transposed_2 = linalg.transpose ins(%k : tensor<4x4x3xf32>) outs(%empty_22 : tensor<4x3x4xf32>) permutation = [0, 2, 1] loc("<std.nn>":357:24)
    %empty_23 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_23 : tensor<4x4x4xf32>) -> tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %matmul_2 = linalg.batch_matmul ins(%q, %transposed_2 : tensor<4x4x3xf32>, tensor<4x3x4xf32>) outs(%filled_2 : tensor<4x4x4xf32>) -> tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %empty_24 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %div = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%matmul_2 : tensor<4x4x4xf32>)
        outs(%empty_24 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.7320508 : f32 loc("<std.nn>":357:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":357:20)
        linalg.yield %1 : f32 loc("<std.nn>":357:20)
    } -> tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %empty_25 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":156:16)
    %seen = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped, %div : tensor<4x4x4xi8>, tensor<4x4x4xf32>)
        outs(%empty_25 : tensor<4x4x4xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":156:16)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":156:16)
        %2 = arith.constant 0xFF800000 : f32 loc("<std.nn>":156:16)
        %3 = arith.select %1, %in_1, %2 : f32 loc("<std.nn>":156:16)
        linalg.yield %3 : f32 loc("<std.nn>":156:16)
    } -> tensor<4x4x4xf32> loc("<std.nn>":156:16)
    %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":157:15)
    %empty_26 = tensor.empty() : tensor<4x4xf32> loc("<std.nn>":157:15)
    %initial_2 = linalg.fill ins(%minus_infinity : f32) outs(%empty_26 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("<std.nn>":157:15)
    %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%seen : tensor<4x4x4xf32>)
        outs(%initial_2 : tensor<4x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":157:15)
        linalg.yield %0 : f32 loc("<std.nn>":157:15)
    } -> tensor<4x4xf32> loc("<std.nn>":157:15)
    %empty_27 = tensor.empty() : tensor<4x4x1xi8> loc("<std.nn>":159:31)
    %equal = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%max : tensor<4x4xf32>)
        outs(%empty_27 : tensor<4x4x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0xFF800000 : f32 loc("<std.nn>":159:31)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":159:31)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":159:31)
        linalg.yield %2 : i8 loc("<std.nn>":159:31)
    } -> tensor<4x4x1xi8> loc("<std.nn>":159:31)
    %empty_28 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":159:24)
    %select = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal, %max : tensor<4x4x1xi8>, tensor<4x4xf32>)
        outs(%empty_28 : tensor<4x4x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":159:24)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":159:24)
        %2 = arith.constant 0.0 : f32 loc("<std.nn>":159:24)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":159:24)
        linalg.yield %3 : f32 loc("<std.nn>":159:24)
    } -> tensor<4x4x1xf32> loc("<std.nn>":159:24)
    %empty_29 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":159:17)
    %sub = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%seen, %select : tensor<4x4x4xf32>, tensor<4x4x1xf32>)
        outs(%empty_29 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":159:17)
        linalg.yield %0 : f32 loc("<std.nn>":159:17)
    } -> tensor<4x4x4xf32> loc("<std.nn>":159:17)
    %empty_30 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":159:13)
    %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sub : tensor<4x4x4xf32>)
        outs(%empty_30 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.exp %in : f32 loc("<std.nn>":159:13)
        linalg.yield %0 : f32 loc("<std.nn>":159:13)
    } -> tensor<4x4x4xf32> loc("<std.nn>":159:13)
    %empty_31 = tensor.empty() : tensor<4x4xf32> loc("<std.nn>":160:17)
    %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_31 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("<std.nn>":160:17)
    %sum_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%e : tensor<4x4x4xf32>)
        outs(%initial_3 : tensor<4x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":160:17)
        linalg.yield %0 : f32 loc("<std.nn>":160:17)
    } -> tensor<4x4xf32> loc("<std.nn>":160:17)
    %empty_32 = tensor.empty() : tensor<4x4x1xi8> loc("<std.nn>":161:16)
    %equal_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_2 : tensor<4x4xf32>)
        outs(%empty_32 : tensor<4x4x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0.0 : f32 loc("<std.nn>":161:16)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":161:16)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":161:16)
        linalg.yield %2 : i8 loc("<std.nn>":161:16)
    } -> tensor<4x4x1xi8> loc("<std.nn>":161:16)
    %empty_33 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":161:9)
    %select_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal_1, %sum_2 : tensor<4x4x1xi8>, tensor<4x4xf32>)
        outs(%empty_33 : tensor<4x4x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":161:9)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":161:9)
        %2 = arith.constant 1.0 : f32 loc("<std.nn>":161:9)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":161:9)
        linalg.yield %3 : f32 loc("<std.nn>":161:9)
    } -> tensor<4x4x1xf32> loc("<std.nn>":161:9)
    %empty_34 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":161:5)
    %masked_softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%e, %select_1 : tensor<4x4x4xf32>, tensor<4x4x1xf32>)
        outs(%empty_34 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":161:5)
        linalg.yield %0 : f32 loc("<std.nn>":161:5)
    } -> tensor<4x4x4xf32> loc("<std.nn>":161:5)
    %empty_35 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_35 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_3 = linalg.matmul ins(%reshaped_1, %b.value.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled_3 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_4 = tensor.reshape %matmul_3(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_36 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense_2 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_4, %b.value.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_36 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %parts_2 = tensor.reshape %dense_2(%shape_3) : (tensor<2x4x6xf32>, tensor<4xindex>) -> tensor<2x4x2x3xf32> loc("bert.tdsl":52:17)
    %empty_37 = tensor.empty() : tensor<2x2x4x3xf32> loc("bert.tdsl":53:13)
    %transposed_3 = linalg.transpose ins(%parts_2 : tensor<2x4x2x3xf32>) outs(%empty_37 : tensor<2x2x4x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":53:13)
    %v = tensor.reshape %transposed_3(%shape_4) : (tensor<2x2x4x3xf32>, tensor<3xindex>) -> tensor<4x4x3xf32> loc("bert.tdsl":53:5)
    %empty_38 = tensor.empty() : tensor<4x4x3xf32> loc("<std.nn>":357:5)
    %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_38 : tensor<4x4x3xf32>) -> tensor<4x4x3xf32> loc("<std.nn>":357:5)
    %mixed = linalg.batch_matmul ins(%masked_softmax, %v : tensor<4x4x4xf32>, tensor<4x4x3xf32>) outs(%filled_4 : tensor<4x4x3xf32>) -> tensor<4x4x3xf32> loc("<std.nn>":357:5)
    %shape_5 = arith.constant dense<[2, 2, 4, 3]> : tensor<4xindex> loc("bert.tdsl":63:28)
    %reshaped_5 = tensor.reshape %mixed(%shape_5) : (tensor<4x4x3xf32>, tensor<4xindex>) -> tensor<2x2x4x3xf32> loc("bert.tdsl":63:28)
    %empty_39 = tensor.empty() : tensor<2x4x2x3xf32> loc("bert.tdsl":63:18)
    %merged = linalg.transpose ins(%reshaped_5 : tensor<2x2x4x3xf32>) outs(%empty_39 : tensor<2x4x2x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":63:18)
    %reshaped_6 = tensor.reshape %merged(%shape_1) : (tensor<2x4x2x3xf32>, tensor<2xindex>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %empty_40 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_40 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_4 = linalg.matmul ins(%reshaped_6, %b.out.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled_5 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_7 = tensor.reshape %matmul_4(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_41 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %attention = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_7, %b.out.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_41 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_42 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":71:18)
    %add_2 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %attention : tensor<2x4x6xf32>, tensor<2x4x6xf32>)
        outs(%empty_42 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":71:18)
        linalg.yield %0 : f32 loc("bert.tdsl":71:18)
    } -> tensor<2x4x6xf32> loc("bert.tdsl":71:18)
    %empty_43 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":214:23)
    %initial_4 = linalg.fill ins(%zero : f32) outs(%empty_43 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %sum_3 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%add_2 : tensor<2x4x6xf32>)
        outs(%initial_4 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %empty_44 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %mean_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_3 : tensor<2x4xf32>)
        outs(%empty_44 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %empty_45 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %centred_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_2, %mean_1 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_45 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %empty_46 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %mul_3 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_1 : tensor<2x4x6xf32>)
        outs(%empty_46 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %empty_47 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":215:20)
    %initial_5 = linalg.fill ins(%zero : f32) outs(%empty_47 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %sum_4 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%mul_3 : tensor<2x4x6xf32>)
        outs(%initial_5 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %empty_48 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %variance_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_4 : tensor<2x4xf32>)
        outs(%empty_48 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %empty_49 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %add_3 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%variance_1 : tensor<2x4x1xf32>)
        outs(%empty_49 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-12 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %empty_50 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %rsqrt_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_3 : tensor<2x4x1xf32>)
        outs(%empty_50 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %empty_51 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_4 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_1, %rsqrt_1 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_51 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_52 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_5 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_4, %b.norm_1.gain : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_52 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_53 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %y = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_5, %b.norm_1.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_53 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %reshaped_8 = tensor.reshape %y(%shape_1) : (tensor<2x4x6xf32>, tensor<2xindex>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %empty_54 = tensor.empty() : tensor<8x24xf32> loc("<std.nn>":22:5)
    %filled_6 = linalg.fill ins(%zero : f32) outs(%empty_54 : tensor<8x24xf32>) -> tensor<8x24xf32> loc("<std.nn>":22:5)
    %matmul_5 = linalg.matmul ins(%reshaped_8, %b.up.weight : tensor<8x6xf32>, tensor<6x24xf32>) outs(%filled_6 : tensor<8x24xf32>) -> tensor<8x24xf32> loc("<std.nn>":22:5)
    %shape_6 = arith.constant dense<[2, 4, 24]> : tensor<3xindex> loc("<std.nn>":22:5)
    %reshaped_9 = tensor.reshape %matmul_5(%shape_6) : (tensor<8x24xf32>, tensor<3xindex>) -> tensor<2x4x24xf32> loc("<std.nn>":22:5)
    %empty_55 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":22:5)
    %dense_3 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_9, %b.up.bias : tensor<2x4x24xf32>, tensor<24xf32>)
        outs(%empty_55 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x24xf32> loc("<std.nn>":22:5)
    %empty_56 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":79:13)
    %y_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%dense_3 : tensor<2x4x24xf32>)
        outs(%empty_56 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant -10000.0 : f32 loc("<std.nn>":79:13)
        %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":79:13)
        linalg.yield %1 : f32 loc("<std.nn>":79:13)
    } -> tensor<2x4x24xf32> loc("<std.nn>":79:13)
    %empty_57 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %mul_6 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y_1 : tensor<2x4x24xf32>)
        outs(%empty_57 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.5 : f32 loc("<std.nn>":80:5)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":80:5)
        linalg.yield %1 : f32 loc("<std.nn>":80:5)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %empty_58 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:26)
    %mul_7 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y_1 : tensor<2x4x24xf32>)
        outs(%empty_58 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.70710677 : f32 loc("<std.nn>":80:26)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":80:26)
        linalg.yield %1 : f32 loc("<std.nn>":80:26)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:26)
    %empty_59 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:22)
    %erf = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_7 : tensor<2x4x24xf32>)
        outs(%empty_59 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.erf %in : f32 loc("<std.nn>":80:22)
        linalg.yield %0 : f32 loc("<std.nn>":80:22)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:22)
    %empty_60 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:16)
    %add_4 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%erf : tensor<2x4x24xf32>)
        outs(%empty_60 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0 : f32 loc("<std.nn>":80:16)
        %1 = arith.addf %0, %in : f32 loc("<std.nn>":80:16)
        linalg.yield %1 : f32 loc("<std.nn>":80:16)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:16)
    %empty_61 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %gelu_exact = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_6, %add_4 : tensor<2x4x24xf32>, tensor<2x4x24xf32>)
        outs(%empty_61 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":80:5)
        linalg.yield %0 : f32 loc("<std.nn>":80:5)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %shape_7 = arith.constant dense<[8, 24]> : tensor<2xindex> loc("<std.nn>":22:5)
    %reshaped_10 = tensor.reshape %gelu_exact(%shape_7) : (tensor<2x4x24xf32>, tensor<2xindex>) -> tensor<8x24xf32> loc("<std.nn>":22:5)
    %empty_62 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_7 = linalg.fill ins(%zero : f32) outs(%empty_62 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_6 = linalg.matmul ins(%reshaped_10, %b.down.weight : tensor<8x24xf32>, tensor<24x6xf32>) outs(%filled_7 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_11 = tensor.reshape %matmul_6(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_63 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense_4 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_11, %b.down.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_63 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_64 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":72:10)
    %add_5 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y, %dense_4 : tensor<2x4x6xf32>, tensor<2x4x6xf32>)
        outs(%empty_64 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":72:10)
        linalg.yield %0 : f32 loc("bert.tdsl":72:10)
    } -> tensor<2x4x6xf32> loc("bert.tdsl":72:10)
    %empty_65 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":214:23)
    %initial_6 = linalg.fill ins(%zero : f32) outs(%empty_65 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %sum_5 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%add_5 : tensor<2x4x6xf32>)
        outs(%initial_6 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %empty_66 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %mean_2 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_5 : tensor<2x4xf32>)
        outs(%empty_66 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %empty_67 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %centred_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_5, %mean_2 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_67 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %empty_68 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %mul_8 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_2 : tensor<2x4x6xf32>)
        outs(%empty_68 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %empty_69 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":215:20)
    %initial_7 = linalg.fill ins(%zero : f32) outs(%empty_69 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %sum_6 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%mul_8 : tensor<2x4x6xf32>)
        outs(%initial_7 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %empty_70 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %variance_2 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_6 : tensor<2x4xf32>)
        outs(%empty_70 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %empty_71 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %add_6 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%variance_2 : tensor<2x4x1xf32>)
        outs(%empty_71 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-12 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %empty_72 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %rsqrt_2 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_6 : tensor<2x4x1xf32>)
        outs(%empty_72 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %empty_73 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_9 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_2, %rsqrt_2 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_73 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_74 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_10 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_9, %b.norm_2.gain : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_74 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_75 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %layer = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_10, %b.norm_2.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_75 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    scf.yield %layer : tensor<2x4x6xf32> loc("bert.tdsl":80:5)
  } loc("bert.tdsl":80:5)
  %first = tensor.extract_slice %looped[0, 0, 0] [2, 1, 6] [1, 1, 1] : tensor<2x4x6xf32> to tensor<2x6xf32> loc("bert.tdsl":88:17)
  %empty_76 = tensor.empty() : tensor<2x6xf32> loc("<std.nn>":22:5)
  %filled_8 = linalg.fill ins(%zero : f32) outs(%empty_76 : tensor<2x6xf32>) -> tensor<2x6xf32> loc("<std.nn>":22:5)
  %matmul_7 = linalg.matmul ins(%first, %head.pooler.weight : tensor<2x6xf32>, tensor<6x6xf32>) outs(%filled_8 : tensor<2x6xf32>) -> tensor<2x6xf32> loc("<std.nn>":22:5)
  %empty_77 = tensor.empty() : tensor<2x6xf32> loc("<std.nn>":22:5)
  %dense_5 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_7, %head.pooler.bias : tensor<2x6xf32>, tensor<6xf32>)
      outs(%empty_77 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<2x6xf32> loc("<std.nn>":22:5)
  %empty_78 = tensor.empty() : tensor<2x6xf32> loc("bert.tdsl":89:5)
  %tanh = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%dense_5 : tensor<2x6xf32>)
      outs(%empty_78 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.tanh %in : f32 loc("bert.tdsl":89:5)
      linalg.yield %0 : f32 loc("bert.tdsl":89:5)
  } -> tensor<2x6xf32> loc("bert.tdsl":89:5)
  %empty_79 = tensor.empty() : tensor<2x3xf32> loc("<std.nn>":22:5)
  %filled_9 = linalg.fill ins(%zero : f32) outs(%empty_79 : tensor<2x3xf32>) -> tensor<2x3xf32> loc("<std.nn>":22:5)
  %matmul_8 = linalg.matmul ins(%tanh, %head.out.weight : tensor<2x6xf32>, tensor<6x3xf32>) outs(%filled_9 : tensor<2x3xf32>) -> tensor<2x3xf32> loc("<std.nn>":22:5)
  %empty_80 = tensor.empty() : tensor<2x3xf32> loc("<std.nn>":22:5)
  %dense_6 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_8, %head.out.bias : tensor<2x3xf32>, tensor<3xf32>)
      outs(%empty_80 : tensor<2x3xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<2x3xf32> loc("<std.nn>":22:5)
  return %dense_6 : tensor<2x3xf32> loc("<std.nn>":22:5)
} loc("<std.nn>":22:5)

func.func @embed(%ids: tensor<2x4xi32>, %kinds: tensor<2x4xi32>, %mask: tensor<2x4xi8>, %p.words: tensor<11x6xf32>, %p.positions: tensor<8x6xf32>, %p.kinds: tensor<2x6xf32>, %p.norm.gain: tensor<6xf32>, %p.norm.bias: tensor<6xf32>, %p.layers.query.weight: tensor<2x6x6xf32>, %p.layers.query.bias: tensor<2x6xf32>, %p.layers.key.weight: tensor<2x6x6xf32>, %p.layers.key.bias: tensor<2x6xf32>, %p.layers.value.weight: tensor<2x6x6xf32>, %p.layers.value.bias: tensor<2x6xf32>, %p.layers.out.weight: tensor<2x6x6xf32>, %p.layers.out.bias: tensor<2x6xf32>, %p.layers.norm_1.gain: tensor<2x6xf32>, %p.layers.norm_1.bias: tensor<2x6xf32>, %p.layers.up.weight: tensor<2x6x24xf32>, %p.layers.up.bias: tensor<2x24xf32>, %p.layers.down.weight: tensor<2x24x6xf32>, %p.layers.down.bias: tensor<2x6xf32>, %p.layers.norm_2.gain: tensor<2x6xf32>, %p.layers.norm_2.bias: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %empty = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %c0 = arith.constant 0 : index loc("bert.tdsl":79:20)
  %c2 = arith.constant 2 : index loc("bert.tdsl":79:20)
  %c1 = arith.constant 1 : index loc("bert.tdsl":79:20)
  %take = scf.for %place = %c0 to %c2 step %c1 iter_args(%rows = %empty) -> (tensor<2x4x6xf32>) {
    %c4 = arith.constant 4 : index loc("bert.tdsl":79:20)
    %take_1 = scf.for %place_1 = %c0 to %c4 step %c1 iter_args(%rows_1 = %rows) -> (tensor<2x4x6xf32>) {
      %position = tensor.extract %ids[%place, %place_1] : tensor<2x4xi32> loc("bert.tdsl":79:20)
      %extsi = arith.extsi %position : i32 to i64 loc("bert.tdsl":79:20)
      %c11_i64 = arith.constant 11 : i64 loc("bert.tdsl":79:20)
      %c10_i64 = arith.constant 10 : i64 loc("bert.tdsl":79:20)
      func.call @tdsl.check_position(%extsi, %c10_i64, %c11_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/bert.tdsl:79:20"} : (i64, i64, i64) -> () loc("bert.tdsl":79:20)
      %c0_i64 = arith.constant 0 : i64 loc("bert.tdsl":79:20)
      %inside = arith.maxsi %extsi, %c0_i64 : i64 loc("bert.tdsl":79:20)
      %inside_1 = arith.minsi %inside, %c10_i64 : i64 loc("bert.tdsl":79:20)
      %at = arith.index_cast %inside_1 : i64 to index loc("bert.tdsl":79:20)
      %row = tensor.extract_slice %p.words[%at, 0] [1, 6] [1, 1] : tensor<11x6xf32> to tensor<6xf32> loc("bert.tdsl":79:20)
      %put = tensor.insert_slice %row into %rows_1[%place, %place_1, 0] [1, 1, 6] [1, 1, 1] : tensor<6xf32> into tensor<2x4x6xf32> loc("bert.tdsl":79:20)
      scf.yield %put : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
    } loc("bert.tdsl":79:20)
    scf.yield %take_1 : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  } loc("bert.tdsl":79:20)
  %slice = tensor.extract_slice %p.positions[0, 0] [4, 6] [1, 1] : tensor<8x6xf32> to tensor<4x6xf32> loc("bert.tdsl":79:41)
  %empty_1 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %add = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%take, %slice : tensor<2x4x6xf32>, tensor<4x6xf32>)
      outs(%empty_1 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":79:20)
      linalg.yield %0 : f32 loc("bert.tdsl":79:20)
  } -> tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %empty_2 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:60)
  %take_2 = scf.for %place_2 = %c0 to %c2 step %c1 iter_args(%rows_2 = %empty_2) -> (tensor<2x4x6xf32>) {
    %c4_1 = arith.constant 4 : index loc("bert.tdsl":79:60)
    %take_3 = scf.for %place_3 = %c0 to %c4_1 step %c1 iter_args(%rows_3 = %rows_2) -> (tensor<2x4x6xf32>) {
      %position_1 = tensor.extract %kinds[%place_2, %place_3] : tensor<2x4xi32> loc("bert.tdsl":79:60)
      %extsi_1 = arith.extsi %position_1 : i32 to i64 loc("bert.tdsl":79:60)
      %c2_i64 = arith.constant 2 : i64 loc("bert.tdsl":79:60)
      %c1_i64 = arith.constant 1 : i64 loc("bert.tdsl":79:60)
      func.call @tdsl.check_position(%extsi_1, %c1_i64, %c2_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/bert.tdsl:79:60"} : (i64, i64, i64) -> () loc("bert.tdsl":79:60)
      %c0_i64_1 = arith.constant 0 : i64 loc("bert.tdsl":79:60)
      %inside_2 = arith.maxsi %extsi_1, %c0_i64_1 : i64 loc("bert.tdsl":79:60)
      %inside_3 = arith.minsi %inside_2, %c1_i64 : i64 loc("bert.tdsl":79:60)
      %at_1 = arith.index_cast %inside_3 : i64 to index loc("bert.tdsl":79:60)
      %row_1 = tensor.extract_slice %p.kinds[%at_1, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":79:60)
      %put_1 = tensor.insert_slice %row_1 into %rows_3[%place_2, %place_3, 0] [1, 1, 6] [1, 1, 1] : tensor<6xf32> into tensor<2x4x6xf32> loc("bert.tdsl":79:60)
      scf.yield %put_1 : tensor<2x4x6xf32> loc("bert.tdsl":79:60)
    } loc("bert.tdsl":79:60)
    scf.yield %take_3 : tensor<2x4x6xf32> loc("bert.tdsl":79:60)
  } loc("bert.tdsl":79:60)
  %empty_3 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %embedded = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%add, %take_2 : tensor<2x4x6xf32>, tensor<2x4x6xf32>)
      outs(%empty_3 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":79:20)
      linalg.yield %0 : f32 loc("bert.tdsl":79:20)
  } -> tensor<2x4x6xf32> loc("bert.tdsl":79:20)
  %zero = arith.constant 0.0 : f32 loc("<std.nn>":214:23)
  %empty_4 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":214:23)
  %initial = linalg.fill ins(%zero : f32) outs(%empty_4 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":214:23)
  %sum = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%embedded : tensor<2x4x6xf32>)
      outs(%initial : tensor<2x4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<2x4xf32> loc("<std.nn>":214:23)
  %empty_5 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":214:23)
  %mean = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum : tensor<2x4xf32>)
      outs(%empty_5 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
      linalg.yield %1 : f32 loc("<std.nn>":214:23)
  } -> tensor<2x4x1xf32> loc("<std.nn>":214:23)
  %empty_6 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":214:19)
  %centred = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%embedded, %mean : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
      outs(%empty_6 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<2x4x6xf32> loc("<std.nn>":214:19)
  %empty_7 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":215:25)
  %mul = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%centred : tensor<2x4x6xf32>)
      outs(%empty_7 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<2x4x6xf32> loc("<std.nn>":215:25)
  %empty_8 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":215:20)
  %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_8 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":215:20)
  %sum_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%mul : tensor<2x4x6xf32>)
      outs(%initial_1 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<2x4xf32> loc("<std.nn>":215:20)
  %empty_9 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":215:20)
  %variance = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%sum_1 : tensor<2x4xf32>)
      outs(%empty_9 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
      linalg.yield %1 : f32 loc("<std.nn>":215:20)
  } -> tensor<2x4x1xf32> loc("<std.nn>":215:20)
  %empty_10 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:21)
  %add_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%variance : tensor<2x4x1xf32>)
      outs(%empty_10 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-12 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<2x4x1xf32> loc("<std.nn>":216:21)
  %empty_11 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:15)
  %rsqrt = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%add_1 : tensor<2x4x1xf32>)
      outs(%empty_11 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<2x4x1xf32> loc("<std.nn>":216:15)
  %empty_12 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %mul_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%centred, %rsqrt : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
      outs(%empty_12 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %empty_13 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %mul_2 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mul_1, %p.norm.gain : tensor<2x4x6xf32>, tensor<6xf32>)
      outs(%empty_13 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %empty_14 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %norm = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mul_2, %p.norm.bias : tensor<2x4x6xf32>, tensor<6xf32>)
      outs(%empty_14 : tensor<2x4x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
  %looped = scf.for %step = %c0 to %c2 step %c1 iter_args(%x = %norm) -> (tensor<2x4x6xf32>) {
    %b.query.weight = tensor.extract_slice %p.layers.query.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.query.bias = tensor.extract_slice %p.layers.query.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.key.weight = tensor.extract_slice %p.layers.key.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.key.bias = tensor.extract_slice %p.layers.key.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.value.weight = tensor.extract_slice %p.layers.value.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.value.bias = tensor.extract_slice %p.layers.value.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.out.weight = tensor.extract_slice %p.layers.out.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("bert.tdsl":80:5)
    %b.out.bias = tensor.extract_slice %p.layers.out.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_1.gain = tensor.extract_slice %p.layers.norm_1.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_1.bias = tensor.extract_slice %p.layers.norm_1.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.up.weight = tensor.extract_slice %p.layers.up.weight[%step, 0, 0] [1, 6, 24] [1, 1, 1] : tensor<2x6x24xf32> to tensor<6x24xf32> loc("bert.tdsl":80:5)
    %b.up.bias = tensor.extract_slice %p.layers.up.bias[%step, 0] [1, 24] [1, 1] : tensor<2x24xf32> to tensor<24xf32> loc("bert.tdsl":80:5)
    %b.down.weight = tensor.extract_slice %p.layers.down.weight[%step, 0, 0] [1, 24, 6] [1, 1, 1] : tensor<2x24x6xf32> to tensor<24x6xf32> loc("bert.tdsl":80:5)
    %b.down.bias = tensor.extract_slice %p.layers.down.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_2.gain = tensor.extract_slice %p.layers.norm_2.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %b.norm_2.bias = tensor.extract_slice %p.layers.norm_2.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("bert.tdsl":80:5)
    %empty_15 = tensor.empty() : tensor<2x2x4x4xi8> loc("bert.tdsl":62:43)
    %broadcast = linalg.generic {indexing_maps = [#ijkl_il, #ijkl], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%mask : tensor<2x4xi8>)
        outs(%empty_15 : tensor<2x2x4x4xi8>) {
      ^bb0(%in: i8, %_: i8):
        %0 = arith.constant 0 : i8 loc("bert.tdsl":62:43)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("bert.tdsl":62:43)
        %2 = arith.extui %1 : i1 to i8 loc("bert.tdsl":62:43)
        linalg.yield %2 : i8 loc("bert.tdsl":62:43)
    } -> tensor<2x2x4x4xi8> loc("bert.tdsl":62:43)
    %shape = arith.constant dense<[4, 4, 4]> : tensor<3xindex> loc("bert.tdsl":62:43)
    %reshaped = tensor.reshape %broadcast(%shape) : (tensor<2x2x4x4xi8>, tensor<3xindex>) -> tensor<4x4x4xi8> loc("bert.tdsl":62:43)
    %shape_1 = arith.constant dense<[8, 6]> : tensor<2xindex> loc("<std.nn>":22:5)
    %reshaped_1 = tensor.reshape %x(%shape_1) : (tensor<2x4x6xf32>, tensor<2xindex>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %empty_16 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled = linalg.fill ins(%zero : f32) outs(%empty_16 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul = linalg.matmul ins(%reshaped_1, %b.query.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %shape_2 = arith.constant dense<[2, 4, 6]> : tensor<3xindex> loc("<std.nn>":22:5)
    %reshaped_2 = tensor.reshape %matmul(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_17 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_2, %b.query.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_17 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %shape_3 = arith.constant dense<[2, 4, 2, 3]> : tensor<4xindex> loc("bert.tdsl":52:17)
    %parts = tensor.reshape %dense(%shape_3) : (tensor<2x4x6xf32>, tensor<4xindex>) -> tensor<2x4x2x3xf32> loc("bert.tdsl":52:17)
    %empty_18 = tensor.empty() : tensor<2x2x4x3xf32> loc("bert.tdsl":53:13)
    %transposed = linalg.transpose ins(%parts : tensor<2x4x2x3xf32>) outs(%empty_18 : tensor<2x2x4x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":53:13)
    %shape_4 = arith.constant dense<[4, 4, 3]> : tensor<3xindex> loc("bert.tdsl":53:5)
    %q = tensor.reshape %transposed(%shape_4) : (tensor<2x2x4x3xf32>, tensor<3xindex>) -> tensor<4x4x3xf32> loc("bert.tdsl":53:5)
    %empty_19 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_19 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_1 = linalg.matmul ins(%reshaped_1, %b.key.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled_1 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_3 = tensor.reshape %matmul_1(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_20 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense_1 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_3, %b.key.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_20 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %parts_1 = tensor.reshape %dense_1(%shape_3) : (tensor<2x4x6xf32>, tensor<4xindex>) -> tensor<2x4x2x3xf32> loc("bert.tdsl":52:17)
    %empty_21 = tensor.empty() : tensor<2x2x4x3xf32> loc("bert.tdsl":53:13)
    %transposed_1 = linalg.transpose ins(%parts_1 : tensor<2x4x2x3xf32>) outs(%empty_21 : tensor<2x2x4x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":53:13)
    %k = tensor.reshape %transposed_1(%shape_4) : (tensor<2x2x4x3xf32>, tensor<3xindex>) -> tensor<4x4x3xf32> loc("bert.tdsl":53:5)
    %empty_22 = tensor.empty() : tensor<4x3x4xf32> loc("<std.nn>":357:24)
    %transposed_2 = linalg.transpose ins(%k : tensor<4x4x3xf32>) outs(%empty_22 : tensor<4x3x4xf32>) permutation = [0, 2, 1] loc("<std.nn>":357:24)
    %empty_23 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_23 : tensor<4x4x4xf32>) -> tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %matmul_2 = linalg.batch_matmul ins(%q, %transposed_2 : tensor<4x4x3xf32>, tensor<4x3x4xf32>) outs(%filled_2 : tensor<4x4x4xf32>) -> tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %empty_24 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %div = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%matmul_2 : tensor<4x4x4xf32>)
        outs(%empty_24 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.7320508 : f32 loc("<std.nn>":357:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":357:20)
        linalg.yield %1 : f32 loc("<std.nn>":357:20)
    } -> tensor<4x4x4xf32> loc("<std.nn>":357:20)
    %empty_25 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":156:16)
    %seen = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped, %div : tensor<4x4x4xi8>, tensor<4x4x4xf32>)
        outs(%empty_25 : tensor<4x4x4xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":156:16)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":156:16)
        %2 = arith.constant 0xFF800000 : f32 loc("<std.nn>":156:16)
        %3 = arith.select %1, %in_1, %2 : f32 loc("<std.nn>":156:16)
        linalg.yield %3 : f32 loc("<std.nn>":156:16)
    } -> tensor<4x4x4xf32> loc("<std.nn>":156:16)
    %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":157:15)
    %empty_26 = tensor.empty() : tensor<4x4xf32> loc("<std.nn>":157:15)
    %initial_2 = linalg.fill ins(%minus_infinity : f32) outs(%empty_26 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("<std.nn>":157:15)
    %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%seen : tensor<4x4x4xf32>)
        outs(%initial_2 : tensor<4x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":157:15)
        linalg.yield %0 : f32 loc("<std.nn>":157:15)
    } -> tensor<4x4xf32> loc("<std.nn>":157:15)
    %empty_27 = tensor.empty() : tensor<4x4x1xi8> loc("<std.nn>":159:31)
    %equal = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%max : tensor<4x4xf32>)
        outs(%empty_27 : tensor<4x4x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0xFF800000 : f32 loc("<std.nn>":159:31)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":159:31)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":159:31)
        linalg.yield %2 : i8 loc("<std.nn>":159:31)
    } -> tensor<4x4x1xi8> loc("<std.nn>":159:31)
    %empty_28 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":159:24)
    %select = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal, %max : tensor<4x4x1xi8>, tensor<4x4xf32>)
        outs(%empty_28 : tensor<4x4x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":159:24)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":159:24)
        %2 = arith.constant 0.0 : f32 loc("<std.nn>":159:24)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":159:24)
        linalg.yield %3 : f32 loc("<std.nn>":159:24)
    } -> tensor<4x4x1xf32> loc("<std.nn>":159:24)
    %empty_29 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":159:17)
    %sub = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%seen, %select : tensor<4x4x4xf32>, tensor<4x4x1xf32>)
        outs(%empty_29 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":159:17)
        linalg.yield %0 : f32 loc("<std.nn>":159:17)
    } -> tensor<4x4x4xf32> loc("<std.nn>":159:17)
    %empty_30 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":159:13)
    %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sub : tensor<4x4x4xf32>)
        outs(%empty_30 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.exp %in : f32 loc("<std.nn>":159:13)
        linalg.yield %0 : f32 loc("<std.nn>":159:13)
    } -> tensor<4x4x4xf32> loc("<std.nn>":159:13)
    %empty_31 = tensor.empty() : tensor<4x4xf32> loc("<std.nn>":160:17)
    %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_31 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("<std.nn>":160:17)
    %sum_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%e : tensor<4x4x4xf32>)
        outs(%initial_3 : tensor<4x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":160:17)
        linalg.yield %0 : f32 loc("<std.nn>":160:17)
    } -> tensor<4x4xf32> loc("<std.nn>":160:17)
    %empty_32 = tensor.empty() : tensor<4x4x1xi8> loc("<std.nn>":161:16)
    %equal_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_2 : tensor<4x4xf32>)
        outs(%empty_32 : tensor<4x4x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0.0 : f32 loc("<std.nn>":161:16)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":161:16)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":161:16)
        linalg.yield %2 : i8 loc("<std.nn>":161:16)
    } -> tensor<4x4x1xi8> loc("<std.nn>":161:16)
    %empty_33 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":161:9)
    %select_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal_1, %sum_2 : tensor<4x4x1xi8>, tensor<4x4xf32>)
        outs(%empty_33 : tensor<4x4x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":161:9)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":161:9)
        %2 = arith.constant 1.0 : f32 loc("<std.nn>":161:9)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":161:9)
        linalg.yield %3 : f32 loc("<std.nn>":161:9)
    } -> tensor<4x4x1xf32> loc("<std.nn>":161:9)
    %empty_34 = tensor.empty() : tensor<4x4x4xf32> loc("<std.nn>":161:5)
    %masked_softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%e, %select_1 : tensor<4x4x4xf32>, tensor<4x4x1xf32>)
        outs(%empty_34 : tensor<4x4x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":161:5)
        linalg.yield %0 : f32 loc("<std.nn>":161:5)
    } -> tensor<4x4x4xf32> loc("<std.nn>":161:5)
    %empty_35 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_35 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_3 = linalg.matmul ins(%reshaped_1, %b.value.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled_3 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_4 = tensor.reshape %matmul_3(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_36 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense_2 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_4, %b.value.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_36 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %parts_2 = tensor.reshape %dense_2(%shape_3) : (tensor<2x4x6xf32>, tensor<4xindex>) -> tensor<2x4x2x3xf32> loc("bert.tdsl":52:17)
    %empty_37 = tensor.empty() : tensor<2x2x4x3xf32> loc("bert.tdsl":53:13)
    %transposed_3 = linalg.transpose ins(%parts_2 : tensor<2x4x2x3xf32>) outs(%empty_37 : tensor<2x2x4x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":53:13)
    %v = tensor.reshape %transposed_3(%shape_4) : (tensor<2x2x4x3xf32>, tensor<3xindex>) -> tensor<4x4x3xf32> loc("bert.tdsl":53:5)
    %empty_38 = tensor.empty() : tensor<4x4x3xf32> loc("<std.nn>":357:5)
    %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_38 : tensor<4x4x3xf32>) -> tensor<4x4x3xf32> loc("<std.nn>":357:5)
    %mixed = linalg.batch_matmul ins(%masked_softmax, %v : tensor<4x4x4xf32>, tensor<4x4x3xf32>) outs(%filled_4 : tensor<4x4x3xf32>) -> tensor<4x4x3xf32> loc("<std.nn>":357:5)
    %shape_5 = arith.constant dense<[2, 2, 4, 3]> : tensor<4xindex> loc("bert.tdsl":63:28)
    %reshaped_5 = tensor.reshape %mixed(%shape_5) : (tensor<4x4x3xf32>, tensor<4xindex>) -> tensor<2x2x4x3xf32> loc("bert.tdsl":63:28)
    %empty_39 = tensor.empty() : tensor<2x4x2x3xf32> loc("bert.tdsl":63:18)
    %merged = linalg.transpose ins(%reshaped_5 : tensor<2x2x4x3xf32>) outs(%empty_39 : tensor<2x4x2x3xf32>) permutation = [0, 2, 1, 3] loc("bert.tdsl":63:18)
    %reshaped_6 = tensor.reshape %merged(%shape_1) : (tensor<2x4x2x3xf32>, tensor<2xindex>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %empty_40 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_40 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_4 = linalg.matmul ins(%reshaped_6, %b.out.weight : tensor<8x6xf32>, tensor<6x6xf32>) outs(%filled_5 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_7 = tensor.reshape %matmul_4(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_41 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %attention = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_7, %b.out.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_41 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_42 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":71:18)
    %add_2 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %attention : tensor<2x4x6xf32>, tensor<2x4x6xf32>)
        outs(%empty_42 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":71:18)
        linalg.yield %0 : f32 loc("bert.tdsl":71:18)
    } -> tensor<2x4x6xf32> loc("bert.tdsl":71:18)
    %empty_43 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":214:23)
    %initial_4 = linalg.fill ins(%zero : f32) outs(%empty_43 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %sum_3 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%add_2 : tensor<2x4x6xf32>)
        outs(%initial_4 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %empty_44 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %mean_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_3 : tensor<2x4xf32>)
        outs(%empty_44 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %empty_45 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %centred_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_2, %mean_1 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_45 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %empty_46 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %mul_3 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_1 : tensor<2x4x6xf32>)
        outs(%empty_46 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %empty_47 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":215:20)
    %initial_5 = linalg.fill ins(%zero : f32) outs(%empty_47 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %sum_4 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%mul_3 : tensor<2x4x6xf32>)
        outs(%initial_5 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %empty_48 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %variance_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_4 : tensor<2x4xf32>)
        outs(%empty_48 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %empty_49 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %add_3 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%variance_1 : tensor<2x4x1xf32>)
        outs(%empty_49 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-12 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %empty_50 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %rsqrt_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_3 : tensor<2x4x1xf32>)
        outs(%empty_50 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %empty_51 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_4 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_1, %rsqrt_1 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_51 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_52 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_5 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_4, %b.norm_1.gain : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_52 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_53 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %y = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_5, %b.norm_1.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_53 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %reshaped_8 = tensor.reshape %y(%shape_1) : (tensor<2x4x6xf32>, tensor<2xindex>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %empty_54 = tensor.empty() : tensor<8x24xf32> loc("<std.nn>":22:5)
    %filled_6 = linalg.fill ins(%zero : f32) outs(%empty_54 : tensor<8x24xf32>) -> tensor<8x24xf32> loc("<std.nn>":22:5)
    %matmul_5 = linalg.matmul ins(%reshaped_8, %b.up.weight : tensor<8x6xf32>, tensor<6x24xf32>) outs(%filled_6 : tensor<8x24xf32>) -> tensor<8x24xf32> loc("<std.nn>":22:5)
    %shape_6 = arith.constant dense<[2, 4, 24]> : tensor<3xindex> loc("<std.nn>":22:5)
    %reshaped_9 = tensor.reshape %matmul_5(%shape_6) : (tensor<8x24xf32>, tensor<3xindex>) -> tensor<2x4x24xf32> loc("<std.nn>":22:5)
    %empty_55 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":22:5)
    %dense_3 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_9, %b.up.bias : tensor<2x4x24xf32>, tensor<24xf32>)
        outs(%empty_55 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x24xf32> loc("<std.nn>":22:5)
    %empty_56 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":79:13)
    %y_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%dense_3 : tensor<2x4x24xf32>)
        outs(%empty_56 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant -10000.0 : f32 loc("<std.nn>":79:13)
        %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":79:13)
        linalg.yield %1 : f32 loc("<std.nn>":79:13)
    } -> tensor<2x4x24xf32> loc("<std.nn>":79:13)
    %empty_57 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %mul_6 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y_1 : tensor<2x4x24xf32>)
        outs(%empty_57 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.5 : f32 loc("<std.nn>":80:5)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":80:5)
        linalg.yield %1 : f32 loc("<std.nn>":80:5)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %empty_58 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:26)
    %mul_7 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y_1 : tensor<2x4x24xf32>)
        outs(%empty_58 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.70710677 : f32 loc("<std.nn>":80:26)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":80:26)
        linalg.yield %1 : f32 loc("<std.nn>":80:26)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:26)
    %empty_59 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:22)
    %erf = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_7 : tensor<2x4x24xf32>)
        outs(%empty_59 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.erf %in : f32 loc("<std.nn>":80:22)
        linalg.yield %0 : f32 loc("<std.nn>":80:22)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:22)
    %empty_60 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:16)
    %add_4 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%erf : tensor<2x4x24xf32>)
        outs(%empty_60 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0 : f32 loc("<std.nn>":80:16)
        %1 = arith.addf %0, %in : f32 loc("<std.nn>":80:16)
        linalg.yield %1 : f32 loc("<std.nn>":80:16)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:16)
    %empty_61 = tensor.empty() : tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %gelu_exact = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_6, %add_4 : tensor<2x4x24xf32>, tensor<2x4x24xf32>)
        outs(%empty_61 : tensor<2x4x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":80:5)
        linalg.yield %0 : f32 loc("<std.nn>":80:5)
    } -> tensor<2x4x24xf32> loc("<std.nn>":80:5)
    %shape_7 = arith.constant dense<[8, 24]> : tensor<2xindex> loc("<std.nn>":22:5)
    %reshaped_10 = tensor.reshape %gelu_exact(%shape_7) : (tensor<2x4x24xf32>, tensor<2xindex>) -> tensor<8x24xf32> loc("<std.nn>":22:5)
    %empty_62 = tensor.empty() : tensor<8x6xf32> loc("<std.nn>":22:5)
    %filled_7 = linalg.fill ins(%zero : f32) outs(%empty_62 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %matmul_6 = linalg.matmul ins(%reshaped_10, %b.down.weight : tensor<8x24xf32>, tensor<24x6xf32>) outs(%filled_7 : tensor<8x6xf32>) -> tensor<8x6xf32> loc("<std.nn>":22:5)
    %reshaped_11 = tensor.reshape %matmul_6(%shape_2) : (tensor<8x6xf32>, tensor<3xindex>) -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_63 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %dense_4 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_11, %b.down.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_63 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":22:5)
    %empty_64 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":72:10)
    %add_5 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y, %dense_4 : tensor<2x4x6xf32>, tensor<2x4x6xf32>)
        outs(%empty_64 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("bert.tdsl":72:10)
        linalg.yield %0 : f32 loc("bert.tdsl":72:10)
    } -> tensor<2x4x6xf32> loc("bert.tdsl":72:10)
    %empty_65 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":214:23)
    %initial_6 = linalg.fill ins(%zero : f32) outs(%empty_65 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %sum_5 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%add_5 : tensor<2x4x6xf32>)
        outs(%initial_6 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4xf32> loc("<std.nn>":214:23)
    %empty_66 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %mean_2 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_5 : tensor<2x4xf32>)
        outs(%empty_66 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x4x1xf32> loc("<std.nn>":214:23)
    %empty_67 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %centred_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_5, %mean_2 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_67 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<2x4x6xf32> loc("<std.nn>":214:19)
    %empty_68 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %mul_8 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_2 : tensor<2x4x6xf32>)
        outs(%empty_68 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<2x4x6xf32> loc("<std.nn>":215:25)
    %empty_69 = tensor.empty() : tensor<2x4xf32> loc("<std.nn>":215:20)
    %initial_7 = linalg.fill ins(%zero : f32) outs(%empty_69 : tensor<2x4xf32>) -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %sum_6 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%mul_8 : tensor<2x4x6xf32>)
        outs(%initial_7 : tensor<2x4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4xf32> loc("<std.nn>":215:20)
    %empty_70 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %variance_2 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_6 : tensor<2x4xf32>)
        outs(%empty_70 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x4x1xf32> loc("<std.nn>":215:20)
    %empty_71 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %add_6 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%variance_2 : tensor<2x4x1xf32>)
        outs(%empty_71 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-12 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:21)
    %empty_72 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %rsqrt_2 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_6 : tensor<2x4x1xf32>)
        outs(%empty_72 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<2x4x1xf32> loc("<std.nn>":216:15)
    %empty_73 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_9 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_2, %rsqrt_2 : tensor<2x4x6xf32>, tensor<2x4x1xf32>)
        outs(%empty_73 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_74 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %mul_10 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_9, %b.norm_2.gain : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_74 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %empty_75 = tensor.empty() : tensor<2x4x6xf32> loc("<std.nn>":216:5)
    %layer = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_10, %b.norm_2.bias : tensor<2x4x6xf32>, tensor<6xf32>)
        outs(%empty_75 : tensor<2x4x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x4x6xf32> loc("<std.nn>":216:5)
    scf.yield %layer : tensor<2x4x6xf32> loc("bert.tdsl":80:5)
  } loc("bert.tdsl":80:5)
  %empty_76 = tensor.empty() : tensor<2x4x6xf32> loc("bert.tdsl":97:16)
  %seen_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%mask, %looped : tensor<2x4xi8>, tensor<2x4x6xf32>)
      outs(%empty_76 : tensor<2x4x6xf32>) {
    ^bb0(%in: i8, %in_1: f32, %_: f32):
      %0 = arith.constant 0 : i8 loc("bert.tdsl":97:16)
      %1 = arith.cmpi ne, %in, %0 : i8 loc("bert.tdsl":97:16)
      %2 = arith.constant 0.0 : f32 loc("bert.tdsl":97:16)
      %3 = arith.select %1, %in_1, %2 : f32 loc("bert.tdsl":97:16)
      linalg.yield %3 : f32 loc("bert.tdsl":97:16)
  } -> tensor<2x4x6xf32> loc("bert.tdsl":97:16)
  %empty_77 = tensor.empty() : tensor<2x6xf32> loc("bert.tdsl":98:17)
  %initial_8 = linalg.fill ins(%zero : f32) outs(%empty_77 : tensor<2x6xf32>) -> tensor<2x6xf32> loc("bert.tdsl":98:17)
  %total = linalg.generic {indexing_maps = [#ijk, #ijk_ik], iterator_types = ["parallel", "reduction", "parallel"]}
      ins(%seen_1 : tensor<2x4x6xf32>)
      outs(%initial_8 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("bert.tdsl":98:17)
      linalg.yield %0 : f32 loc("bert.tdsl":98:17)
  } -> tensor<2x6xf32> loc("bert.tdsl":98:17)
  %empty_78 = tensor.empty() : tensor<2x6xf32> loc("bert.tdsl":99:31)
  %mul_11 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%total : tensor<2x6xf32>)
      outs(%empty_78 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("bert.tdsl":99:31)
      linalg.yield %0 : f32 loc("bert.tdsl":99:31)
  } -> tensor<2x6xf32> loc("bert.tdsl":99:31)
  %empty_79 = tensor.empty() : tensor<2xf32> loc("bert.tdsl":99:27)
  %initial_9 = linalg.fill ins(%zero : f32) outs(%empty_79 : tensor<2xf32>) -> tensor<2xf32> loc("bert.tdsl":99:27)
  %sum_7 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul_11 : tensor<2x6xf32>)
      outs(%initial_9 : tensor<2xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("bert.tdsl":99:27)
      linalg.yield %0 : f32 loc("bert.tdsl":99:27)
  } -> tensor<2xf32> loc("bert.tdsl":99:27)
  %empty_80 = tensor.empty() : tensor<2x1xf32> loc("bert.tdsl":99:19)
  %maximum = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_7 : tensor<2xf32>)
      outs(%empty_80 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-12 : f32 loc("bert.tdsl":99:19)
      %1 = arith.maximumf %in, %0 : f32 loc("bert.tdsl":99:19)
      linalg.yield %1 : f32 loc("bert.tdsl":99:19)
  } -> tensor<2x1xf32> loc("bert.tdsl":99:19)
  %empty_81 = tensor.empty() : tensor<2x1xf32> loc("bert.tdsl":99:13)
  %rsqrt_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%maximum : tensor<2x1xf32>)
      outs(%empty_81 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("bert.tdsl":99:13)
      linalg.yield %0 : f32 loc("bert.tdsl":99:13)
  } -> tensor<2x1xf32> loc("bert.tdsl":99:13)
  %empty_82 = tensor.empty() : tensor<2x6xf32> loc("bert.tdsl":99:5)
  %mul_12 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%total, %rsqrt_3 : tensor<2x6xf32>, tensor<2x1xf32>)
      outs(%empty_82 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("bert.tdsl":99:5)
      linalg.yield %0 : f32 loc("bert.tdsl":99:5)
  } -> tensor<2x6xf32> loc("bert.tdsl":99:5)
  return %mul_12 : tensor<2x6xf32> loc("bert.tdsl":99:5)
} loc("bert.tdsl":99:5)

func.func private @tdsl.check_position(i64, i64, i64)
