#ijk = affine_map<(i, j, k) -> (i, j, k)>
#ijk_k = affine_map<(i, j, k) -> (k)>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#ijk_ij0 = affine_map<(i, j, k) -> (i, j, 0)>
#ijkl = affine_map<(i, j, k, l) -> (i, j, k, l)>
#ijkl_ijk = affine_map<(i, j, k, l) -> (i, j, k)>
#ij = affine_map<(i, j) -> (i, j)>
#ij_i = affine_map<(i, j) -> (i)>
#ij_i0 = affine_map<(i, j) -> (i, 0)>
#ij_j = affine_map<(i, j) -> (j)>

func.func @classify(%images: tensor<2x3x8x12xf32>, %p.patch: tensor<3x4x4x6xf32>, %p.patch_bias: tensor<6xf32>, %p.token: tensor<6xf32>, %p.positions: tensor<7x6xf32>, %p.blocks.norm_1.gain: tensor<2x6xf32>, %p.blocks.norm_1.bias: tensor<2x6xf32>, %p.blocks.qkv.weight: tensor<2x6x18xf32>, %p.blocks.qkv.bias: tensor<2x18xf32>, %p.blocks.out.weight: tensor<2x6x6xf32>, %p.blocks.out.bias: tensor<2x6xf32>, %p.blocks.norm_2.gain: tensor<2x6xf32>, %p.blocks.norm_2.bias: tensor<2x6xf32>, %p.blocks.up.weight: tensor<2x6x24xf32>, %p.blocks.up.bias: tensor<2x24xf32>, %p.blocks.down.weight: tensor<2x24x6xf32>, %p.blocks.down.bias: tensor<2x6xf32>, %p.norm.gain: tensor<6xf32>, %p.norm.bias: tensor<6xf32>, %p.head.weight: tensor<6x5xf32>, %p.head.bias: tensor<5xf32>) -> tensor<2x5xf32> {
  %shape = arith.constant dense<[2, 3, 2, 4, 3, 4]> : tensor<6xindex> loc("vit.tdsl":46:15)
  %cut = tensor.reshape %images(%shape) : (tensor<2x3x8x12xf32>, tensor<6xindex>) -> tensor<2x3x2x4x3x4xf32> loc("vit.tdsl":46:15)
  %empty = tensor.empty() : tensor<2x2x3x3x4x4xf32> loc("vit.tdsl":47:13)
  %transposed = linalg.transpose ins(%cut : tensor<2x3x2x4x3x4xf32>) outs(%empty : tensor<2x2x3x3x4x4xf32>) permutation = [0, 2, 4, 1, 3, 5] loc("vit.tdsl":47:13)
  %shape_1 = arith.constant dense<[12, 48]> : tensor<2xindex> loc("vit.tdsl":72:16)
  %reshaped = tensor.reshape %transposed(%shape_1) : (tensor<2x2x3x3x4x4xf32>, tensor<2xindex>) -> tensor<12x48xf32> loc("vit.tdsl":72:16)
  %shape_2 = arith.constant dense<[48, 6]> : tensor<2xindex> loc("vit.tdsl":72:39)
  %reshaped_1 = tensor.reshape %p.patch(%shape_2) : (tensor<3x4x4x6xf32>, tensor<2xindex>) -> tensor<48x6xf32> loc("vit.tdsl":72:39)
  %zero = arith.constant 0.0 : f32 loc("vit.tdsl":72:16)
  %empty_1 = tensor.empty() : tensor<12x6xf32> loc("vit.tdsl":72:16)
  %filled = linalg.fill ins(%zero : f32) outs(%empty_1 : tensor<12x6xf32>) -> tensor<12x6xf32> loc("vit.tdsl":72:16)
  %matmul = linalg.matmul ins(%reshaped, %reshaped_1 : tensor<12x48xf32>, tensor<48x6xf32>) outs(%filled : tensor<12x6xf32>) -> tensor<12x6xf32> loc("vit.tdsl":72:16)
  %shape_3 = arith.constant dense<[2, 6, 6]> : tensor<3xindex> loc("vit.tdsl":72:16)
  %reshaped_2 = tensor.reshape %matmul(%shape_3) : (tensor<12x6xf32>, tensor<3xindex>) -> tensor<2x6x6xf32> loc("vit.tdsl":72:16)
  %empty_2 = tensor.empty() : tensor<2x6x6xf32> loc("vit.tdsl":72:16)
  %rows = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%reshaped_2, %p.patch_bias : tensor<2x6x6xf32>, tensor<6xf32>)
      outs(%empty_2 : tensor<2x6x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("vit.tdsl":72:16)
      linalg.yield %0 : f32 loc("vit.tdsl":72:16)
  } -> tensor<2x6x6xf32> loc("vit.tdsl":72:16)
  %empty_3 = tensor.empty() : tensor<2x1x6xf32> loc("vit.tdsl":73:18)
  %broadcast = linalg.generic {indexing_maps = [#ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%p.token : tensor<6xf32>)
      outs(%empty_3 : tensor<2x1x6xf32>) {
    ^bb0(%in: f32, %_: f32):
      linalg.yield %in : f32 loc("vit.tdsl":73:18)
  } -> tensor<2x1x6xf32> loc("vit.tdsl":73:18)
  %empty_4 = tensor.empty() : tensor<2x7x6xf32> loc("vit.tdsl":73:18)
  %part = tensor.insert_slice %broadcast into %empty_4[0, 0, 0] [2, 1, 6] [1, 1, 1] : tensor<2x1x6xf32> into tensor<2x7x6xf32> loc("vit.tdsl":73:18)
  %joined = tensor.insert_slice %rows into %part[0, 1, 0] [2, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> into tensor<2x7x6xf32> loc("vit.tdsl":73:18)
  %empty_5 = tensor.empty() : tensor<2x7x6xf32> loc("vit.tdsl":73:18)
  %tokens = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%joined, %p.positions : tensor<2x7x6xf32>, tensor<7x6xf32>)
      outs(%empty_5 : tensor<2x7x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("vit.tdsl":73:18)
      linalg.yield %0 : f32 loc("vit.tdsl":73:18)
  } -> tensor<2x7x6xf32> loc("vit.tdsl":73:18)
  %c0 = arith.constant 0 : index loc("vit.tdsl":74:13)
  %c2 = arith.constant 2 : index loc("vit.tdsl":74:13)
  %c1 = arith.constant 1 : index loc("vit.tdsl":74:13)
  %looped = scf.for %step = %c0 to %c2 step %c1 iter_args(%x = %tokens) -> (tensor<2x7x6xf32>) {
    %b.norm_1.gain = tensor.extract_slice %p.blocks.norm_1.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("vit.tdsl":74:13)
    %b.norm_1.bias = tensor.extract_slice %p.blocks.norm_1.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("vit.tdsl":74:13)
    %b.qkv.weight = tensor.extract_slice %p.blocks.qkv.weight[%step, 0, 0] [1, 6, 18] [1, 1, 1] : tensor<2x6x18xf32> to tensor<6x18xf32> loc("vit.tdsl":74:13)
    %b.qkv.bias = tensor.extract_slice %p.blocks.qkv.bias[%step, 0] [1, 18] [1, 1] : tensor<2x18xf32> to tensor<18xf32> loc("vit.tdsl":74:13)
    %b.out.weight = tensor.extract_slice %p.blocks.out.weight[%step, 0, 0] [1, 6, 6] [1, 1, 1] : tensor<2x6x6xf32> to tensor<6x6xf32> loc("vit.tdsl":74:13)
    %b.out.bias = tensor.extract_slice %p.blocks.out.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("vit.tdsl":74:13)
    %b.norm_2.gain = tensor.extract_slice %p.blocks.norm_2.gain[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("vit.tdsl":74:13)
    %b.norm_2.bias = tensor.extract_slice %p.blocks.norm_2.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("vit.tdsl":74:13)
    %b.up.weight = tensor.extract_slice %p.blocks.up.weight[%step, 0, 0] [1, 6, 24] [1, 1, 1] : tensor<2x6x24xf32> to tensor<6x24xf32> loc("vit.tdsl":74:13)
    %b.up.bias = tensor.extract_slice %p.blocks.up.bias[%step, 0] [1, 24] [1, 1] : tensor<2x24xf32> to tensor<24xf32> loc("vit.tdsl":74:13)
    %b.down.weight = tensor.extract_slice %p.blocks.down.weight[%step, 0, 0] [1, 24, 6] [1, 1, 1] : tensor<2x24x6xf32> to tensor<24x6xf32> loc("vit.tdsl":74:13)
    %b.down.bias = tensor.extract_slice %p.blocks.down.bias[%step, 0] [1, 6] [1, 1] : tensor<2x6xf32> to tensor<6xf32> loc("vit.tdsl":74:13)
    %empty_6 = tensor.empty() : tensor<2x7xf32> loc("<std.nn>":214:23)
    %initial = linalg.fill ins(%zero : f32) outs(%empty_6 : tensor<2x7xf32>) -> tensor<2x7xf32> loc("<std.nn>":214:23)
    %sum = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%x : tensor<2x7x6xf32>)
        outs(%initial : tensor<2x7xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x7xf32> loc("<std.nn>":214:23)
    %empty_7 = tensor.empty() : tensor<2x7x1xf32> loc("<std.nn>":214:23)
    %mean = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum : tensor<2x7xf32>)
        outs(%empty_7 : tensor<2x7x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x7x1xf32> loc("<std.nn>":214:23)
    %empty_8 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":214:19)
    %centred = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %mean : tensor<2x7x6xf32>, tensor<2x7x1xf32>)
        outs(%empty_8 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<2x7x6xf32> loc("<std.nn>":214:19)
    %empty_9 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":215:25)
    %mul = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred : tensor<2x7x6xf32>)
        outs(%empty_9 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<2x7x6xf32> loc("<std.nn>":215:25)
    %empty_10 = tensor.empty() : tensor<2x7xf32> loc("<std.nn>":215:20)
    %initial_1 = linalg.fill ins(%zero : f32) outs(%empty_10 : tensor<2x7xf32>) -> tensor<2x7xf32> loc("<std.nn>":215:20)
    %sum_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%mul : tensor<2x7x6xf32>)
        outs(%initial_1 : tensor<2x7xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x7xf32> loc("<std.nn>":215:20)
    %empty_11 = tensor.empty() : tensor<2x7x1xf32> loc("<std.nn>":215:20)
    %variance = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_1 : tensor<2x7xf32>)
        outs(%empty_11 : tensor<2x7x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x7x1xf32> loc("<std.nn>":215:20)
    %empty_12 = tensor.empty() : tensor<2x7x1xf32> loc("<std.nn>":216:21)
    %add = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%variance : tensor<2x7x1xf32>)
        outs(%empty_12 : tensor<2x7x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-6 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<2x7x1xf32> loc("<std.nn>":216:21)
    %empty_13 = tensor.empty() : tensor<2x7x1xf32> loc("<std.nn>":216:15)
    %rsqrt = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add : tensor<2x7x1xf32>)
        outs(%empty_13 : tensor<2x7x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<2x7x1xf32> loc("<std.nn>":216:15)
    %empty_14 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %mul_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred, %rsqrt : tensor<2x7x6xf32>, tensor<2x7x1xf32>)
        outs(%empty_14 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %empty_15 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %mul_2 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_1, %b.norm_1.gain : tensor<2x7x6xf32>, tensor<6xf32>)
        outs(%empty_15 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %empty_16 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %norm = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_2, %b.norm_1.bias : tensor<2x7x6xf32>, tensor<6xf32>)
        outs(%empty_16 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %shape_4 = arith.constant dense<[14, 6]> : tensor<2xindex> loc("<std.nn>":22:5)
    %reshaped_3 = tensor.reshape %norm(%shape_4) : (tensor<2x7x6xf32>, tensor<2xindex>) -> tensor<14x6xf32> loc("<std.nn>":22:5)
    %empty_17 = tensor.empty() : tensor<14x18xf32> loc("<std.nn>":22:5)
    %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_17 : tensor<14x18xf32>) -> tensor<14x18xf32> loc("<std.nn>":22:5)
    %matmul_1 = linalg.matmul ins(%reshaped_3, %b.qkv.weight : tensor<14x6xf32>, tensor<6x18xf32>) outs(%filled_1 : tensor<14x18xf32>) -> tensor<14x18xf32> loc("<std.nn>":22:5)
    %shape_5 = arith.constant dense<[2, 7, 18]> : tensor<3xindex> loc("<std.nn>":22:5)
    %reshaped_4 = tensor.reshape %matmul_1(%shape_5) : (tensor<14x18xf32>, tensor<3xindex>) -> tensor<2x7x18xf32> loc("<std.nn>":22:5)
    %empty_18 = tensor.empty() : tensor<2x7x18xf32> loc("<std.nn>":22:5)
    %dense = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_4, %b.qkv.bias : tensor<2x7x18xf32>, tensor<18xf32>)
        outs(%empty_18 : tensor<2x7x18xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x7x18xf32> loc("<std.nn>":22:5)
    %shape_6 = arith.constant dense<[2, 7, 3, 2, 3]> : tensor<5xindex> loc("vit.tdsl":54:17)
    %parts = tensor.reshape %dense(%shape_6) : (tensor<2x7x18xf32>, tensor<5xindex>) -> tensor<2x7x3x2x3xf32> loc("vit.tdsl":54:17)
    %reshaped_5 = tensor.extract_slice %parts[0, 0, 0, 0, 0] [2, 7, 1, 2, 3] [1, 1, 1, 1, 1] : tensor<2x7x3x2x3xf32> to tensor<2x7x2x3xf32> loc("vit.tdsl":55:32)
    %empty_19 = tensor.empty() : tensor<2x2x7x3xf32> loc("vit.tdsl":55:22)
    %q = linalg.transpose ins(%reshaped_5 : tensor<2x7x2x3xf32>) outs(%empty_19 : tensor<2x2x7x3xf32>) permutation = [0, 2, 1, 3] loc("vit.tdsl":55:22)
    %shape_7 = arith.constant dense<[4, 7, 3]> : tensor<3xindex> loc("vit.tdsl":56:25)
    %reshaped_6 = tensor.reshape %q(%shape_7) : (tensor<2x2x7x3xf32>, tensor<3xindex>) -> tensor<4x7x3xf32> loc("vit.tdsl":56:25)
    %reshaped_7 = tensor.extract_slice %parts[0, 0, 1, 0, 0] [2, 7, 1, 2, 3] [1, 1, 1, 1, 1] : tensor<2x7x3x2x3xf32> to tensor<2x7x2x3xf32> loc("vit.tdsl":55:32)
    %empty_20 = tensor.empty() : tensor<2x2x7x3xf32> loc("vit.tdsl":55:22)
    %k = linalg.transpose ins(%reshaped_7 : tensor<2x7x2x3xf32>) outs(%empty_20 : tensor<2x2x7x3xf32>) permutation = [0, 2, 1, 3] loc("vit.tdsl":55:22)
    %empty_21 = tensor.empty() : tensor<2x2x3x7xf32> loc("vit.tdsl":56:29)
    %transposed_1 = linalg.transpose ins(%k : tensor<2x2x7x3xf32>) outs(%empty_21 : tensor<2x2x3x7xf32>) permutation = [0, 1, 3, 2] loc("vit.tdsl":56:29)
    %shape_8 = arith.constant dense<[4, 3, 7]> : tensor<3xindex> loc("vit.tdsl":56:25)
    %reshaped_8 = tensor.reshape %transposed_1(%shape_8) : (tensor<2x2x3x7xf32>, tensor<3xindex>) -> tensor<4x3x7xf32> loc("vit.tdsl":56:25)
    %empty_22 = tensor.empty() : tensor<4x7x7xf32> loc("vit.tdsl":56:25)
    %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_22 : tensor<4x7x7xf32>) -> tensor<4x7x7xf32> loc("vit.tdsl":56:25)
    %matmul_2 = linalg.batch_matmul ins(%reshaped_6, %reshaped_8 : tensor<4x7x3xf32>, tensor<4x3x7xf32>) outs(%filled_2 : tensor<4x7x7xf32>) -> tensor<4x7x7xf32> loc("vit.tdsl":56:25)
    %shape_9 = arith.constant dense<[2, 2, 7, 7]> : tensor<4xindex> loc("vit.tdsl":56:25)
    %reshaped_9 = tensor.reshape %matmul_2(%shape_9) : (tensor<4x7x7xf32>, tensor<4xindex>) -> tensor<2x2x7x7xf32> loc("vit.tdsl":56:25)
    %empty_23 = tensor.empty() : tensor<2x2x7x7xf32> loc("vit.tdsl":56:25)
    %div = linalg.generic {indexing_maps = [#ijkl, #ijkl], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%reshaped_9 : tensor<2x2x7x7xf32>)
        outs(%empty_23 : tensor<2x2x7x7xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.7320508 : f32 loc("vit.tdsl":56:25)
        %1 = arith.divf %in, %0 : f32 loc("vit.tdsl":56:25)
        linalg.yield %1 : f32 loc("vit.tdsl":56:25)
    } -> tensor<2x2x7x7xf32> loc("vit.tdsl":56:25)
    %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":112:21)
    %empty_24 = tensor.empty() : tensor<2x2x7xf32> loc("<std.nn>":112:21)
    %initial_2 = linalg.fill ins(%minus_infinity : f32) outs(%empty_24 : tensor<2x2x7xf32>) -> tensor<2x2x7xf32> loc("<std.nn>":112:21)
    %max = linalg.generic {indexing_maps = [#ijkl, #ijkl_ijk], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%div : tensor<2x2x7x7xf32>)
        outs(%initial_2 : tensor<2x2x7xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":112:21)
        linalg.yield %0 : f32 loc("<std.nn>":112:21)
    } -> tensor<2x2x7xf32> loc("<std.nn>":112:21)
    %empty_25 = tensor.empty() : tensor<2x2x7x7xf32> loc("<std.nn>":112:17)
    %sub = linalg.generic {indexing_maps = [#ijkl, #ijkl_ijk, #ijkl], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%div, %max : tensor<2x2x7x7xf32>, tensor<2x2x7xf32>)
        outs(%empty_25 : tensor<2x2x7x7xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":112:17)
        linalg.yield %0 : f32 loc("<std.nn>":112:17)
    } -> tensor<2x2x7x7xf32> loc("<std.nn>":112:17)
    %empty_26 = tensor.empty() : tensor<2x2x7x7xf32> loc("<std.nn>":112:13)
    %e = linalg.generic {indexing_maps = [#ijkl, #ijkl], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%sub : tensor<2x2x7x7xf32>)
        outs(%empty_26 : tensor<2x2x7x7xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.exp %in : f32 loc("<std.nn>":112:13)
        linalg.yield %0 : f32 loc("<std.nn>":112:13)
    } -> tensor<2x2x7x7xf32> loc("<std.nn>":112:13)
    %empty_27 = tensor.empty() : tensor<2x2x7xf32> loc("<std.nn>":113:9)
    %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_27 : tensor<2x2x7xf32>) -> tensor<2x2x7xf32> loc("<std.nn>":113:9)
    %sum_2 = linalg.generic {indexing_maps = [#ijkl, #ijkl_ijk], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%e : tensor<2x2x7x7xf32>)
        outs(%initial_3 : tensor<2x2x7xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":113:9)
        linalg.yield %0 : f32 loc("<std.nn>":113:9)
    } -> tensor<2x2x7xf32> loc("<std.nn>":113:9)
    %empty_28 = tensor.empty() : tensor<2x2x7x7xf32> loc("<std.nn>":113:5)
    %softmax = linalg.generic {indexing_maps = [#ijkl, #ijkl_ijk, #ijkl], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%e, %sum_2 : tensor<2x2x7x7xf32>, tensor<2x2x7xf32>)
        outs(%empty_28 : tensor<2x2x7x7xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":113:5)
        linalg.yield %0 : f32 loc("<std.nn>":113:5)
    } -> tensor<2x2x7x7xf32> loc("<std.nn>":113:5)
    %shape_10 = arith.constant dense<[4, 7, 7]> : tensor<3xindex> loc("vit.tdsl":56:17)
    %reshaped_10 = tensor.reshape %softmax(%shape_10) : (tensor<2x2x7x7xf32>, tensor<3xindex>) -> tensor<4x7x7xf32> loc("vit.tdsl":56:17)
    %reshaped_11 = tensor.extract_slice %parts[0, 0, 2, 0, 0] [2, 7, 1, 2, 3] [1, 1, 1, 1, 1] : tensor<2x7x3x2x3xf32> to tensor<2x7x2x3xf32> loc("vit.tdsl":55:32)
    %empty_29 = tensor.empty() : tensor<2x2x7x3xf32> loc("vit.tdsl":55:22)
    %v = linalg.transpose ins(%reshaped_11 : tensor<2x7x2x3xf32>) outs(%empty_29 : tensor<2x2x7x3xf32>) permutation = [0, 2, 1, 3] loc("vit.tdsl":55:22)
    %reshaped_12 = tensor.reshape %v(%shape_7) : (tensor<2x2x7x3xf32>, tensor<3xindex>) -> tensor<4x7x3xf32> loc("vit.tdsl":56:17)
    %empty_30 = tensor.empty() : tensor<4x7x3xf32> loc("vit.tdsl":56:17)
    %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_30 : tensor<4x7x3xf32>) -> tensor<4x7x3xf32> loc("vit.tdsl":56:17)
    %matmul_3 = linalg.batch_matmul ins(%reshaped_10, %reshaped_12 : tensor<4x7x7xf32>, tensor<4x7x3xf32>) outs(%filled_3 : tensor<4x7x3xf32>) -> tensor<4x7x3xf32> loc("vit.tdsl":56:17)
    %shape_11 = arith.constant dense<[2, 2, 7, 3]> : tensor<4xindex> loc("vit.tdsl":56:17)
    %mixed = tensor.reshape %matmul_3(%shape_11) : (tensor<4x7x3xf32>, tensor<4xindex>) -> tensor<2x2x7x3xf32> loc("vit.tdsl":56:17)
    %empty_31 = tensor.empty() : tensor<2x7x2x3xf32> loc("vit.tdsl":57:13)
    %transposed_2 = linalg.transpose ins(%mixed : tensor<2x2x7x3xf32>) outs(%empty_31 : tensor<2x7x2x3xf32>) permutation = [0, 2, 1, 3] loc("vit.tdsl":57:13)
    %reshaped_13 = tensor.reshape %transposed_2(%shape_4) : (tensor<2x7x2x3xf32>, tensor<2xindex>) -> tensor<14x6xf32> loc("<std.nn>":22:5)
    %empty_32 = tensor.empty() : tensor<14x6xf32> loc("<std.nn>":22:5)
    %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_32 : tensor<14x6xf32>) -> tensor<14x6xf32> loc("<std.nn>":22:5)
    %matmul_4 = linalg.matmul ins(%reshaped_13, %b.out.weight : tensor<14x6xf32>, tensor<6x6xf32>) outs(%filled_4 : tensor<14x6xf32>) -> tensor<14x6xf32> loc("<std.nn>":22:5)
    %shape_12 = arith.constant dense<[2, 7, 6]> : tensor<3xindex> loc("<std.nn>":22:5)
    %reshaped_14 = tensor.reshape %matmul_4(%shape_12) : (tensor<14x6xf32>, tensor<3xindex>) -> tensor<2x7x6xf32> loc("<std.nn>":22:5)
    %empty_33 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":22:5)
    %attention = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_14, %b.out.bias : tensor<2x7x6xf32>, tensor<6xf32>)
        outs(%empty_33 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x7x6xf32> loc("<std.nn>":22:5)
    %empty_34 = tensor.empty() : tensor<2x7x6xf32> loc("vit.tdsl":64:13)
    %y = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%x, %attention : tensor<2x7x6xf32>, tensor<2x7x6xf32>)
        outs(%empty_34 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("vit.tdsl":64:13)
        linalg.yield %0 : f32 loc("vit.tdsl":64:13)
    } -> tensor<2x7x6xf32> loc("vit.tdsl":64:13)
    %empty_35 = tensor.empty() : tensor<2x7xf32> loc("<std.nn>":214:23)
    %initial_4 = linalg.fill ins(%zero : f32) outs(%empty_35 : tensor<2x7xf32>) -> tensor<2x7xf32> loc("<std.nn>":214:23)
    %sum_3 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%y : tensor<2x7x6xf32>)
        outs(%initial_4 : tensor<2x7xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
        linalg.yield %0 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x7xf32> loc("<std.nn>":214:23)
    %empty_36 = tensor.empty() : tensor<2x7x1xf32> loc("<std.nn>":214:23)
    %mean_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_3 : tensor<2x7xf32>)
        outs(%empty_36 : tensor<2x7x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
        linalg.yield %1 : f32 loc("<std.nn>":214:23)
    } -> tensor<2x7x1xf32> loc("<std.nn>":214:23)
    %empty_37 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":214:19)
    %centred_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y, %mean_1 : tensor<2x7x6xf32>, tensor<2x7x1xf32>)
        outs(%empty_37 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
        linalg.yield %0 : f32 loc("<std.nn>":214:19)
    } -> tensor<2x7x6xf32> loc("<std.nn>":214:19)
    %empty_38 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":215:25)
    %mul_3 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_1 : tensor<2x7x6xf32>)
        outs(%empty_38 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
        linalg.yield %0 : f32 loc("<std.nn>":215:25)
    } -> tensor<2x7x6xf32> loc("<std.nn>":215:25)
    %empty_39 = tensor.empty() : tensor<2x7xf32> loc("<std.nn>":215:20)
    %initial_5 = linalg.fill ins(%zero : f32) outs(%empty_39 : tensor<2x7xf32>) -> tensor<2x7xf32> loc("<std.nn>":215:20)
    %sum_4 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%mul_3 : tensor<2x7x6xf32>)
        outs(%initial_5 : tensor<2x7xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
        linalg.yield %0 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x7xf32> loc("<std.nn>":215:20)
    %empty_40 = tensor.empty() : tensor<2x7x1xf32> loc("<std.nn>":215:20)
    %variance_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_4 : tensor<2x7xf32>)
        outs(%empty_40 : tensor<2x7x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
        linalg.yield %1 : f32 loc("<std.nn>":215:20)
    } -> tensor<2x7x1xf32> loc("<std.nn>":215:20)
    %empty_41 = tensor.empty() : tensor<2x7x1xf32> loc("<std.nn>":216:21)
    %add_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%variance_1 : tensor<2x7x1xf32>)
        outs(%empty_41 : tensor<2x7x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0e-6 : f32 loc("<std.nn>":216:21)
        %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
        linalg.yield %1 : f32 loc("<std.nn>":216:21)
    } -> tensor<2x7x1xf32> loc("<std.nn>":216:21)
    %empty_42 = tensor.empty() : tensor<2x7x1xf32> loc("<std.nn>":216:15)
    %rsqrt_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%add_1 : tensor<2x7x1xf32>)
        outs(%empty_42 : tensor<2x7x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
        linalg.yield %0 : f32 loc("<std.nn>":216:15)
    } -> tensor<2x7x1xf32> loc("<std.nn>":216:15)
    %empty_43 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %mul_4 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%centred_1, %rsqrt_1 : tensor<2x7x6xf32>, tensor<2x7x1xf32>)
        outs(%empty_43 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %empty_44 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %mul_5 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_4, %b.norm_2.gain : tensor<2x7x6xf32>, tensor<6xf32>)
        outs(%empty_44 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %empty_45 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %norm_1 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_5, %b.norm_2.bias : tensor<2x7x6xf32>, tensor<6xf32>)
        outs(%empty_45 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
        linalg.yield %0 : f32 loc("<std.nn>":216:5)
    } -> tensor<2x7x6xf32> loc("<std.nn>":216:5)
    %reshaped_15 = tensor.reshape %norm_1(%shape_4) : (tensor<2x7x6xf32>, tensor<2xindex>) -> tensor<14x6xf32> loc("<std.nn>":22:5)
    %empty_46 = tensor.empty() : tensor<14x24xf32> loc("<std.nn>":22:5)
    %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_46 : tensor<14x24xf32>) -> tensor<14x24xf32> loc("<std.nn>":22:5)
    %matmul_5 = linalg.matmul ins(%reshaped_15, %b.up.weight : tensor<14x6xf32>, tensor<6x24xf32>) outs(%filled_5 : tensor<14x24xf32>) -> tensor<14x24xf32> loc("<std.nn>":22:5)
    %shape_13 = arith.constant dense<[2, 7, 24]> : tensor<3xindex> loc("<std.nn>":22:5)
    %reshaped_16 = tensor.reshape %matmul_5(%shape_13) : (tensor<14x24xf32>, tensor<3xindex>) -> tensor<2x7x24xf32> loc("<std.nn>":22:5)
    %empty_47 = tensor.empty() : tensor<2x7x24xf32> loc("<std.nn>":22:5)
    %dense_1 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_16, %b.up.bias : tensor<2x7x24xf32>, tensor<24xf32>)
        outs(%empty_47 : tensor<2x7x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x7x24xf32> loc("<std.nn>":22:5)
    %empty_48 = tensor.empty() : tensor<2x7x24xf32> loc("<std.nn>":79:13)
    %y_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%dense_1 : tensor<2x7x24xf32>)
        outs(%empty_48 : tensor<2x7x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant -10000.0 : f32 loc("<std.nn>":79:13)
        %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":79:13)
        linalg.yield %1 : f32 loc("<std.nn>":79:13)
    } -> tensor<2x7x24xf32> loc("<std.nn>":79:13)
    %empty_49 = tensor.empty() : tensor<2x7x24xf32> loc("<std.nn>":80:5)
    %mul_6 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y_1 : tensor<2x7x24xf32>)
        outs(%empty_49 : tensor<2x7x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.5 : f32 loc("<std.nn>":80:5)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":80:5)
        linalg.yield %1 : f32 loc("<std.nn>":80:5)
    } -> tensor<2x7x24xf32> loc("<std.nn>":80:5)
    %empty_50 = tensor.empty() : tensor<2x7x24xf32> loc("<std.nn>":80:26)
    %mul_7 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y_1 : tensor<2x7x24xf32>)
        outs(%empty_50 : tensor<2x7x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 0.70710677 : f32 loc("<std.nn>":80:26)
        %1 = arith.mulf %0, %in : f32 loc("<std.nn>":80:26)
        linalg.yield %1 : f32 loc("<std.nn>":80:26)
    } -> tensor<2x7x24xf32> loc("<std.nn>":80:26)
    %empty_51 = tensor.empty() : tensor<2x7x24xf32> loc("<std.nn>":80:22)
    %erf = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_7 : tensor<2x7x24xf32>)
        outs(%empty_51 : tensor<2x7x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.erf %in : f32 loc("<std.nn>":80:22)
        linalg.yield %0 : f32 loc("<std.nn>":80:22)
    } -> tensor<2x7x24xf32> loc("<std.nn>":80:22)
    %empty_52 = tensor.empty() : tensor<2x7x24xf32> loc("<std.nn>":80:16)
    %add_2 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%erf : tensor<2x7x24xf32>)
        outs(%empty_52 : tensor<2x7x24xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0 : f32 loc("<std.nn>":80:16)
        %1 = arith.addf %0, %in : f32 loc("<std.nn>":80:16)
        linalg.yield %1 : f32 loc("<std.nn>":80:16)
    } -> tensor<2x7x24xf32> loc("<std.nn>":80:16)
    %empty_53 = tensor.empty() : tensor<2x7x24xf32> loc("<std.nn>":80:5)
    %gelu_exact = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_6, %add_2 : tensor<2x7x24xf32>, tensor<2x7x24xf32>)
        outs(%empty_53 : tensor<2x7x24xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":80:5)
        linalg.yield %0 : f32 loc("<std.nn>":80:5)
    } -> tensor<2x7x24xf32> loc("<std.nn>":80:5)
    %shape_14 = arith.constant dense<[14, 24]> : tensor<2xindex> loc("<std.nn>":22:5)
    %reshaped_17 = tensor.reshape %gelu_exact(%shape_14) : (tensor<2x7x24xf32>, tensor<2xindex>) -> tensor<14x24xf32> loc("<std.nn>":22:5)
    %empty_54 = tensor.empty() : tensor<14x6xf32> loc("<std.nn>":22:5)
    %filled_6 = linalg.fill ins(%zero : f32) outs(%empty_54 : tensor<14x6xf32>) -> tensor<14x6xf32> loc("<std.nn>":22:5)
    %matmul_6 = linalg.matmul ins(%reshaped_17, %b.down.weight : tensor<14x24xf32>, tensor<24x6xf32>) outs(%filled_6 : tensor<14x6xf32>) -> tensor<14x6xf32> loc("<std.nn>":22:5)
    %reshaped_18 = tensor.reshape %matmul_6(%shape_12) : (tensor<14x6xf32>, tensor<3xindex>) -> tensor<2x7x6xf32> loc("<std.nn>":22:5)
    %empty_55 = tensor.empty() : tensor<2x7x6xf32> loc("<std.nn>":22:5)
    %dense_2 = linalg.generic {indexing_maps = [#ijk, #ijk_k, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%reshaped_18, %b.down.bias : tensor<2x7x6xf32>, tensor<6xf32>)
        outs(%empty_55 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
        linalg.yield %0 : f32 loc("<std.nn>":22:5)
    } -> tensor<2x7x6xf32> loc("<std.nn>":22:5)
    %empty_56 = tensor.empty() : tensor<2x7x6xf32> loc("vit.tdsl":65:5)
    %block = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%y, %dense_2 : tensor<2x7x6xf32>, tensor<2x7x6xf32>)
        outs(%empty_56 : tensor<2x7x6xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("vit.tdsl":65:5)
        linalg.yield %0 : f32 loc("vit.tdsl":65:5)
    } -> tensor<2x7x6xf32> loc("vit.tdsl":65:5)
    scf.yield %block : tensor<2x7x6xf32> loc("vit.tdsl":74:13)
  } loc("vit.tdsl":74:13)
  %reshaped_19 = tensor.extract_slice %looped[0, 0, 0] [2, 1, 6] [1, 1, 1] : tensor<2x7x6xf32> to tensor<2x6xf32> loc("vit.tdsl":75:5)
  %empty_57 = tensor.empty() : tensor<2xf32> loc("<std.nn>":214:23)
  %initial_6 = linalg.fill ins(%zero : f32) outs(%empty_57 : tensor<2xf32>) -> tensor<2xf32> loc("<std.nn>":214:23)
  %sum_5 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%reshaped_19 : tensor<2x6xf32>)
      outs(%initial_6 : tensor<2xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":214:23)
      linalg.yield %0 : f32 loc("<std.nn>":214:23)
  } -> tensor<2xf32> loc("<std.nn>":214:23)
  %empty_58 = tensor.empty() : tensor<2x1xf32> loc("<std.nn>":214:23)
  %mean_2 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_5 : tensor<2xf32>)
      outs(%empty_58 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":214:23)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":214:23)
      linalg.yield %1 : f32 loc("<std.nn>":214:23)
  } -> tensor<2x1xf32> loc("<std.nn>":214:23)
  %empty_59 = tensor.empty() : tensor<2x6xf32> loc("<std.nn>":214:19)
  %centred_2 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%reshaped_19, %mean_2 : tensor<2x6xf32>, tensor<2x1xf32>)
      outs(%empty_59 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":214:19)
      linalg.yield %0 : f32 loc("<std.nn>":214:19)
  } -> tensor<2x6xf32> loc("<std.nn>":214:19)
  %empty_60 = tensor.empty() : tensor<2x6xf32> loc("<std.nn>":215:25)
  %mul_8 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred_2 : tensor<2x6xf32>)
      outs(%empty_60 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":215:25)
      linalg.yield %0 : f32 loc("<std.nn>":215:25)
  } -> tensor<2x6xf32> loc("<std.nn>":215:25)
  %empty_61 = tensor.empty() : tensor<2xf32> loc("<std.nn>":215:20)
  %initial_7 = linalg.fill ins(%zero : f32) outs(%empty_61 : tensor<2xf32>) -> tensor<2xf32> loc("<std.nn>":215:20)
  %sum_6 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul_8 : tensor<2x6xf32>)
      outs(%initial_7 : tensor<2xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":215:20)
      linalg.yield %0 : f32 loc("<std.nn>":215:20)
  } -> tensor<2xf32> loc("<std.nn>":215:20)
  %empty_62 = tensor.empty() : tensor<2x1xf32> loc("<std.nn>":215:20)
  %variance_2 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_6 : tensor<2xf32>)
      outs(%empty_62 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 6.0 : f32 loc("<std.nn>":215:20)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":215:20)
      linalg.yield %1 : f32 loc("<std.nn>":215:20)
  } -> tensor<2x1xf32> loc("<std.nn>":215:20)
  %empty_63 = tensor.empty() : tensor<2x1xf32> loc("<std.nn>":216:21)
  %add_3 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%variance_2 : tensor<2x1xf32>)
      outs(%empty_63 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 1.0e-6 : f32 loc("<std.nn>":216:21)
      %1 = arith.addf %in, %0 : f32 loc("<std.nn>":216:21)
      linalg.yield %1 : f32 loc("<std.nn>":216:21)
  } -> tensor<2x1xf32> loc("<std.nn>":216:21)
  %empty_64 = tensor.empty() : tensor<2x1xf32> loc("<std.nn>":216:15)
  %rsqrt_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_3 : tensor<2x1xf32>)
      outs(%empty_64 : tensor<2x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":216:15)
      linalg.yield %0 : f32 loc("<std.nn>":216:15)
  } -> tensor<2x1xf32> loc("<std.nn>":216:15)
  %empty_65 = tensor.empty() : tensor<2x6xf32> loc("<std.nn>":216:5)
  %mul_9 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%centred_2, %rsqrt_2 : tensor<2x6xf32>, tensor<2x1xf32>)
      outs(%empty_65 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x6xf32> loc("<std.nn>":216:5)
  %empty_66 = tensor.empty() : tensor<2x6xf32> loc("<std.nn>":216:5)
  %mul_10 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_9, %p.norm.gain : tensor<2x6xf32>, tensor<6xf32>)
      outs(%empty_66 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x6xf32> loc("<std.nn>":216:5)
  %empty_67 = tensor.empty() : tensor<2x6xf32> loc("<std.nn>":216:5)
  %norm_2 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_10, %p.norm.bias : tensor<2x6xf32>, tensor<6xf32>)
      outs(%empty_67 : tensor<2x6xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":216:5)
      linalg.yield %0 : f32 loc("<std.nn>":216:5)
  } -> tensor<2x6xf32> loc("<std.nn>":216:5)
  %empty_68 = tensor.empty() : tensor<2x5xf32> loc("<std.nn>":22:5)
  %filled_7 = linalg.fill ins(%zero : f32) outs(%empty_68 : tensor<2x5xf32>) -> tensor<2x5xf32> loc("<std.nn>":22:5)
  %matmul_7 = linalg.matmul ins(%norm_2, %p.head.weight : tensor<2x6xf32>, tensor<6x5xf32>) outs(%filled_7 : tensor<2x5xf32>) -> tensor<2x5xf32> loc("<std.nn>":22:5)
  %empty_69 = tensor.empty() : tensor<2x5xf32> loc("<std.nn>":22:5)
  %dense_3 = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%matmul_7, %p.head.bias : tensor<2x5xf32>, tensor<5xf32>)
      outs(%empty_69 : tensor<2x5xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":22:5)
      linalg.yield %0 : f32 loc("<std.nn>":22:5)
  } -> tensor<2x5xf32> loc("<std.nn>":22:5)
  return %dense_3 : tensor<2x5xf32> loc("<std.nn>":22:5)
} loc("<std.nn>":22:5)
