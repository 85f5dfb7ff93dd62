#ijk = affine_map<(i, j, k) -> (i, j, k)>
#ij = affine_map<(i, j) -> (i, j)>
#ij_i = affine_map<(i, j) -> (i)>
#ij_scalar = affine_map<(i, j) -> ()>
#ij_i0 = affine_map<(i, j) -> (i, 0)>
#ij_j = affine_map<(i, j) -> (j)>
#i = affine_map<(i) -> (i)>
#i_scalar = affine_map<(i) -> ()>
#ijk_jk = affine_map<(i, j, k) -> (j, k)>
#ijk_ij = affine_map<(i, j, k) -> (i, j)>
#ijk_ij0 = affine_map<(i, j, k) -> (i, j, 0)>
#scalar = affine_map<() -> ()>

func.func @forward(%ids: tensor<4xi32>, %p.tokens: tensor<11x8xf32>, %p.blocks.norm_1: tensor<2x8xf32>, %p.blocks.query: tensor<2x8x8xf32>, %p.blocks.key: tensor<2x8x4xf32>, %p.blocks.value: tensor<2x8x4xf32>, %p.blocks.out: tensor<2x8x8xf32>, %p.blocks.norm_2: tensor<2x8xf32>, %p.blocks.gate: tensor<2x8x20xf32>, %p.blocks.up: tensor<2x8x20xf32>, %p.blocks.down: tensor<2x20x8xf32>, %p.norm: tensor<8xf32>, %p.head: tensor<11x8xf32>, %epsilon: tensor<f32>, %theta: tensor<f64>) -> tensor<4x11xf32> {
  %empty = tensor.empty() : tensor<4x8xf32> loc("llama.tdsl":72:22)
  %c0 = arith.constant 0 : index loc("llama.tdsl":72:22)
  %c4 = arith.constant 4 : index loc("llama.tdsl":72:22)
  %c1 = arith.constant 1 : index loc("llama.tdsl":72:22)
  %take = scf.for %place = %c0 to %c4 step %c1 iter_args(%rows = %empty) -> (tensor<4x8xf32>) {
    %position = tensor.extract %ids[%place] : tensor<4xi32> loc("llama.tdsl":72:22)
    %extsi = arith.extsi %position : i32 to i64 loc("llama.tdsl":72:22)
    %c11_i64 = arith.constant 11 : i64 loc("llama.tdsl":72:22)
    %c10_i64 = arith.constant 10 : i64 loc("llama.tdsl":72:22)
    func.call @tdsl.check_position(%extsi, %c10_i64, %c11_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/llama.tdsl:72:22"} : (i64, i64, i64) -> () loc("llama.tdsl":72:22)
    %c0_i64 = arith.constant 0 : i64 loc("llama.tdsl":72:22)
    %inside = arith.maxsi %extsi, %c0_i64 : i64 loc("llama.tdsl":72:22)
    %inside_1 = arith.minsi %inside, %c10_i64 : i64 loc("llama.tdsl":72:22)
    %at = arith.index_cast %inside_1 : i64 to index loc("llama.tdsl":72:22)
    %row = tensor.extract_slice %p.tokens[%at, 0] [1, 8] [1, 1] : tensor<11x8xf32> to tensor<8xf32> loc("llama.tdsl":72:22)
    %put = tensor.insert_slice %row into %rows[%place, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<4x8xf32> loc("llama.tdsl":72:22)
    scf.yield %put : tensor<4x8xf32> loc("llama.tdsl":72:22)
  } loc("llama.tdsl":72:22)
  %c2 = arith.constant 2 : index loc("llama.tdsl":72:13)
  %looped = scf.for %step = %c0 to %c2 step %c1 iter_args(%x = %take) -> (tensor<4x8xf32>) {
    %b.norm_1 = tensor.extract_slice %p.blocks.norm_1[%step, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32> loc("llama.tdsl":72:13)
    %b.query = tensor.extract_slice %p.blocks.query[%step, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32> loc("llama.tdsl":72:13)
    %b.key = tensor.extract_slice %p.blocks.key[%step, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32> loc("llama.tdsl":72:13)
    %b.value = tensor.extract_slice %p.blocks.value[%step, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32> loc("llama.tdsl":72:13)
    %b.out = tensor.extract_slice %p.blocks.out[%step, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32> loc("llama.tdsl":72:13)
    %b.norm_2 = tensor.extract_slice %p.blocks.norm_2[%step, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32> loc("llama.tdsl":72:13)
    %b.gate = tensor.extract_slice %p.blocks.gate[%step, 0, 0] [1, 8, 20] [1, 1, 1] : tensor<2x8x20xf32> to tensor<8x20xf32> loc("llama.tdsl":72:13)
    %b.up = tensor.extract_slice %p.blocks.up[%step, 0, 0] [1, 8, 20] [1, 1, 1] : tensor<2x8x20xf32> to tensor<8x20xf32> loc("llama.tdsl":72:13)
    %b.down = tensor.extract_slice %p.blocks.down[%step, 0, 0] [1, 20, 8] [1, 1, 1] : tensor<2x20x8xf32> to tensor<20x8xf32> loc("llama.tdsl":72:13)
    %empty_1 = tensor.empty() : tensor<4x4x4xi8> loc("llama.tdsl":44:19)
    %broadcast = linalg.generic {indexing_maps = [#ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        outs(%empty_1 : tensor<4x4x4xi8>) {
      ^bb0(%_: i8):
        %0 = linalg.index 2 : index loc("llama.tdsl":44:19)
        %1 = arith.index_cast %0 : index to i64 loc("llama.tdsl":44:19)
        %2 = arith.constant 0 : i64 loc("llama.tdsl":44:19)
        %3 = linalg.index 1 : index loc("llama.tdsl":44:19)
        %4 = arith.index_cast %3 : index to i64 loc("llama.tdsl":44:19)
        %5 = arith.addi %2, %4 : i64 loc("llama.tdsl":44:19)
        %6 = arith.cmpi sle, %1, %5 : i64 loc("llama.tdsl":44:19)
        %7 = arith.extui %6 : i1 to i8 loc("llama.tdsl":44:19)
        linalg.yield %7 : i8 loc("llama.tdsl":44:19)
    } -> tensor<4x4x4xi8> loc("llama.tdsl":44:19)
    %shape = arith.constant dense<[2, 8, 4]> : tensor<3xindex> loc("llama.tdsl":44:19)
    %visible = tensor.reshape %broadcast(%shape) : (tensor<4x4x4xi8>, tensor<3xindex>) -> tensor<2x8x4xi8> loc("llama.tdsl":44:19)
    %empty_2 = tensor.empty() : tensor<4x8xf32> loc("<std.nn>":254:20)
    %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<4x8xf32>)
        outs(%empty_2 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":254:20)
        linalg.yield %0 : f32 loc("<std.nn>":254:20)
    } -> tensor<4x8xf32> loc("<std.nn>":254:20)
    %zero = arith.constant 0.0 : f32 loc("<std.nn>":254:15)
    %empty_3 = tensor.empty() : tensor<4xf32> loc("<std.nn>":254:15)
    %initial = linalg.fill ins(%zero : f32) outs(%empty_3 : tensor<4xf32>) -> tensor<4xf32> loc("<std.nn>":254:15)
    %sum = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%mul : tensor<4x8xf32>)
        outs(%initial : tensor<4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<4xf32> loc("<std.nn>":254:15)
    %empty_4 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":254:15)
    %mean = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum : tensor<4xf32>)
        outs(%empty_4 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 8.0 : f32 loc("<std.nn>":254:15)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":254:15)
        linalg.yield %1 : f32 loc("<std.nn>":254:15)
    } -> tensor<4x1xf32> loc("<std.nn>":254:15)
    %empty_5 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":254:15)
    %add = linalg.generic {indexing_maps = [#ij, #ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mean, %epsilon : tensor<4x1xf32>, tensor<f32>)
        outs(%empty_5 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<4x1xf32> loc("<std.nn>":254:15)
    %empty_6 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":254:9)
    %rsqrt = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add : tensor<4x1xf32>)
        outs(%empty_6 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":254:9)
        linalg.yield %0 : f32 loc("<std.nn>":254:9)
    } -> tensor<4x1xf32> loc("<std.nn>":254:9)
    %empty_7 = tensor.empty() : tensor<4x8xf32> loc("<std.nn>":254:5)
    %mul_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x, %rsqrt : tensor<4x8xf32>, tensor<4x1xf32>)
        outs(%empty_7 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<4x8xf32> loc("<std.nn>":254:5)
    %empty_8 = tensor.empty() : tensor<4x8xf32> loc("<std.nn>":254:5)
    %y = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_1, %b.norm_1 : tensor<4x8xf32>, tensor<8xf32>)
        outs(%empty_8 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<4x8xf32> loc("<std.nn>":254:5)
    %empty_9 = tensor.empty() : tensor<4x8xf32> loc("llama.tdsl":54:35)
    %filled = linalg.fill ins(%zero : f32) outs(%empty_9 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("llama.tdsl":54:35)
    %matmul = linalg.matmul ins(%y, %b.query : tensor<4x8xf32>, tensor<8x8xf32>) outs(%filled : tensor<4x8xf32>) -> tensor<4x8xf32> loc("llama.tdsl":54:35)
    %shape_1 = arith.constant dense<[4, 4, 2]> : tensor<3xindex> loc("llama.tdsl":35:15)
    %reshaped = tensor.reshape %matmul(%shape_1) : (tensor<4x8xf32>, tensor<3xindex>) -> tensor<4x4x2xf32> loc("llama.tdsl":35:15)
    %empty_10 = tensor.empty() : tensor<4x4x2xf32> loc("llama.tdsl":35:5)
    %split_heads = linalg.transpose ins(%reshaped : tensor<4x4x2xf32>) outs(%empty_10 : tensor<4x4x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":35:5)
    %first = tensor.extract_slice %split_heads[0, 0, 0] [4, 4, 1] [1, 1, 1] : tensor<4x4x2xf32> to tensor<4x4x1xf32> loc("<std.nn>":281:17)
    %empty_11 = tensor.empty() : tensor<1xf64> loc("<std.nn>":277:16)
    %div = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]}
        outs(%empty_11 : tensor<1xf64>) {
      ^bb0(%_: f64):
        %0 = linalg.index 0 : index loc("<std.nn>":277:16)
        %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":277:16)
        %2 = arith.sitofp %1 : i64 to f64 loc("<std.nn>":277:16)
        %3 = arith.constant -1.0 : f64 loc("<std.nn>":277:16)
        %4 = arith.divf %2, %3 : f64 loc("<std.nn>":277:16)
        linalg.yield %4 : f64 loc("<std.nn>":277:16)
    } -> tensor<1xf64> loc("<std.nn>":277:16)
    %empty_12 = tensor.empty() : tensor<1xf64> loc("<std.nn>":277:16)
    %rate = linalg.generic {indexing_maps = [#i_scalar, #i, #i], iterator_types = ["parallel"]}
        ins(%theta, %div : tensor<f64>, tensor<1xf64>)
        outs(%empty_12 : tensor<1xf64>) {
      ^bb0(%in: f64, %in_1: f64, %_: f64):
        %0 = math.powf %in, %in_1 : f64 loc("<std.nn>":277:16)
        linalg.yield %0 : f64 loc("<std.nn>":277:16)
    } -> tensor<1xf64> loc("<std.nn>":277:16)
    %empty_13 = tensor.empty() : tensor<4xf64> loc("<std.nn>":278:17)
    %cast = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]}
        outs(%empty_13 : tensor<4xf64>) {
      ^bb0(%_: f64):
        %0 = arith.constant 0 : i64 loc("<std.nn>":278:17)
        %1 = linalg.index 0 : index loc("<std.nn>":278:17)
        %2 = arith.index_cast %1 : index to i64 loc("<std.nn>":278:17)
        %3 = arith.addi %0, %2 : i64 loc("<std.nn>":278:17)
        %4 = arith.sitofp %3 : i64 to f64 loc("<std.nn>":278:17)
        linalg.yield %4 : f64 loc("<std.nn>":278:17)
    } -> tensor<4xf64> loc("<std.nn>":278:17)
    %empty_14 = tensor.empty() : tensor<4x1xf64> loc("<std.nn>":278:17)
    %angle = linalg.generic {indexing_maps = [#ij_i, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%cast, %rate : tensor<4xf64>, tensor<1xf64>)
        outs(%empty_14 : tensor<4x1xf64>) {
      ^bb0(%in: f64, %in_1: f64, %_: f64):
        %0 = arith.mulf %in, %in_1 : f64 loc("<std.nn>":278:17)
        linalg.yield %0 : f64 loc("<std.nn>":278:17)
    } -> tensor<4x1xf64> loc("<std.nn>":278:17)
    %empty_15 = tensor.empty() : tensor<4x1xf64> loc("<std.nn>":279:20)
    %cos = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%angle : tensor<4x1xf64>)
        outs(%empty_15 : tensor<4x1xf64>) {
      ^bb0(%in: f64, %_: f64):
        %0 = math.cos %in : f64 loc("<std.nn>":279:20)
        linalg.yield %0 : f64 loc("<std.nn>":279:20)
    } -> tensor<4x1xf64> loc("<std.nn>":279:20)
    %empty_16 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":279:18)
    %cosine = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%cos : tensor<4x1xf64>)
        outs(%empty_16 : tensor<4x1xf32>) {
      ^bb0(%in: f64, %_: f32):
        %0 = arith.truncf %in : f64 to f32 loc("<std.nn>":279:18)
        linalg.yield %0 : f32 loc("<std.nn>":279:18)
    } -> tensor<4x1xf32> loc("<std.nn>":279:18)
    %empty_17 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":283:13)
    %mul_2 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first, %cosine : tensor<4x4x1xf32>, tensor<4x1xf32>)
        outs(%empty_17 : tensor<4x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<4x4x1xf32> loc("<std.nn>":283:13)
    %second = tensor.extract_slice %split_heads[0, 0, 1] [4, 4, 1] [1, 1, 1] : tensor<4x4x2xf32> to tensor<4x4x1xf32> loc("<std.nn>":282:18)
    %empty_18 = tensor.empty() : tensor<4x1xf64> loc("<std.nn>":280:18)
    %sin = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%angle : tensor<4x1xf64>)
        outs(%empty_18 : tensor<4x1xf64>) {
      ^bb0(%in: f64, %_: f64):
        %0 = math.sin %in : f64 loc("<std.nn>":280:18)
        linalg.yield %0 : f64 loc("<std.nn>":280:18)
    } -> tensor<4x1xf64> loc("<std.nn>":280:18)
    %empty_19 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":280:16)
    %sine = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sin : tensor<4x1xf64>)
        outs(%empty_19 : tensor<4x1xf32>) {
      ^bb0(%in: f64, %_: f32):
        %0 = arith.truncf %in : f64 to f32 loc("<std.nn>":280:16)
        linalg.yield %0 : f32 loc("<std.nn>":280:16)
    } -> tensor<4x1xf32> loc("<std.nn>":280:16)
    %empty_20 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":283:26)
    %mul_3 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second, %sine : tensor<4x4x1xf32>, tensor<4x1xf32>)
        outs(%empty_20 : tensor<4x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:26)
        linalg.yield %0 : f32 loc("<std.nn>":283:26)
    } -> tensor<4x4x1xf32> loc("<std.nn>":283:26)
    %empty_21 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":283:13)
    %sub = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_2, %mul_3 : tensor<4x4x1xf32>, tensor<4x4x1xf32>)
        outs(%empty_21 : tensor<4x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<4x4x1xf32> loc("<std.nn>":283:13)
    %empty_22 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":283:39)
    %mul_4 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second, %cosine : tensor<4x4x1xf32>, tensor<4x1xf32>)
        outs(%empty_22 : tensor<4x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<4x4x1xf32> loc("<std.nn>":283:39)
    %empty_23 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":283:53)
    %mul_5 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first, %sine : tensor<4x4x1xf32>, tensor<4x1xf32>)
        outs(%empty_23 : tensor<4x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:53)
        linalg.yield %0 : f32 loc("<std.nn>":283:53)
    } -> tensor<4x4x1xf32> loc("<std.nn>":283:53)
    %empty_24 = tensor.empty() : tensor<4x4x1xf32> loc("<std.nn>":283:39)
    %add_1 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_4, %mul_5 : tensor<4x4x1xf32>, tensor<4x4x1xf32>)
        outs(%empty_24 : tensor<4x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<4x4x1xf32> loc("<std.nn>":283:39)
    %empty_25 = tensor.empty() : tensor<4x4x2xf32> loc("<std.nn>":283:5)
    %part = tensor.insert_slice %sub into %empty_25[0, 0, 0] [4, 4, 1] [1, 1, 1] : tensor<4x4x1xf32> into tensor<4x4x2xf32> loc("<std.nn>":283:5)
    %q = tensor.insert_slice %add_1 into %part[0, 0, 1] [4, 4, 1] [1, 1, 1] : tensor<4x4x1xf32> into tensor<4x4x2xf32> loc("<std.nn>":283:5)
    %shape_2 = arith.constant dense<[2, 8, 2]> : tensor<3xindex> loc("llama.tdsl":45:30)
    %reshaped_1 = tensor.reshape %q(%shape_2) : (tensor<4x4x2xf32>, tensor<3xindex>) -> tensor<2x8x2xf32> loc("llama.tdsl":45:30)
    %empty_26 = tensor.empty() : tensor<4x4xf32> loc("llama.tdsl":55:35)
    %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_26 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("llama.tdsl":55:35)
    %matmul_1 = linalg.matmul ins(%y, %b.key : tensor<4x8xf32>, tensor<8x4xf32>) outs(%filled_1 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("llama.tdsl":55:35)
    %shape_3 = arith.constant dense<[4, 2, 2]> : tensor<3xindex> loc("llama.tdsl":35:15)
    %reshaped_2 = tensor.reshape %matmul_1(%shape_3) : (tensor<4x4xf32>, tensor<3xindex>) -> tensor<4x2x2xf32> loc("llama.tdsl":35:15)
    %empty_27 = tensor.empty() : tensor<2x4x2xf32> loc("llama.tdsl":35:5)
    %split_heads_1 = linalg.transpose ins(%reshaped_2 : tensor<4x2x2xf32>) outs(%empty_27 : tensor<2x4x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":35:5)
    %first_1 = tensor.extract_slice %split_heads_1[0, 0, 0] [2, 4, 1] [1, 1, 1] : tensor<2x4x2xf32> to tensor<2x4x1xf32> loc("<std.nn>":281:17)
    %empty_28 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":283:13)
    %mul_6 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first_1, %cosine : tensor<2x4x1xf32>, tensor<4x1xf32>)
        outs(%empty_28 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<2x4x1xf32> loc("<std.nn>":283:13)
    %second_1 = tensor.extract_slice %split_heads_1[0, 0, 1] [2, 4, 1] [1, 1, 1] : tensor<2x4x2xf32> to tensor<2x4x1xf32> loc("<std.nn>":282:18)
    %empty_29 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":283:26)
    %mul_7 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second_1, %sine : tensor<2x4x1xf32>, tensor<4x1xf32>)
        outs(%empty_29 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:26)
        linalg.yield %0 : f32 loc("<std.nn>":283:26)
    } -> tensor<2x4x1xf32> loc("<std.nn>":283:26)
    %empty_30 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":283:13)
    %sub_1 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_6, %mul_7 : tensor<2x4x1xf32>, tensor<2x4x1xf32>)
        outs(%empty_30 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<2x4x1xf32> loc("<std.nn>":283:13)
    %empty_31 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":283:39)
    %mul_8 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second_1, %cosine : tensor<2x4x1xf32>, tensor<4x1xf32>)
        outs(%empty_31 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<2x4x1xf32> loc("<std.nn>":283:39)
    %empty_32 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":283:53)
    %mul_9 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first_1, %sine : tensor<2x4x1xf32>, tensor<4x1xf32>)
        outs(%empty_32 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:53)
        linalg.yield %0 : f32 loc("<std.nn>":283:53)
    } -> tensor<2x4x1xf32> loc("<std.nn>":283:53)
    %empty_33 = tensor.empty() : tensor<2x4x1xf32> loc("<std.nn>":283:39)
    %add_2 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_8, %mul_9 : tensor<2x4x1xf32>, tensor<2x4x1xf32>)
        outs(%empty_33 : tensor<2x4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<2x4x1xf32> loc("<std.nn>":283:39)
    %empty_34 = tensor.empty() : tensor<2x4x2xf32> loc("<std.nn>":283:5)
    %part_1 = tensor.insert_slice %sub_1 into %empty_34[0, 0, 0] [2, 4, 1] [1, 1, 1] : tensor<2x4x1xf32> into tensor<2x4x2xf32> loc("<std.nn>":283:5)
    %k = tensor.insert_slice %add_2 into %part_1[0, 0, 1] [2, 4, 1] [1, 1, 1] : tensor<2x4x1xf32> into tensor<2x4x2xf32> loc("<std.nn>":283:5)
    %empty_35 = tensor.empty() : tensor<2x2x4xf32> loc("<std.nn>":357:24)
    %transposed = linalg.transpose ins(%k : tensor<2x4x2xf32>) outs(%empty_35 : tensor<2x2x4xf32>) permutation = [0, 2, 1] loc("<std.nn>":357:24)
    %empty_36 = tensor.empty() : tensor<2x8x4xf32> loc("<std.nn>":357:20)
    %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_36 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32> loc("<std.nn>":357:20)
    %matmul_2 = linalg.batch_matmul ins(%reshaped_1, %transposed : tensor<2x8x2xf32>, tensor<2x2x4xf32>) outs(%filled_2 : tensor<2x8x4xf32>) -> tensor<2x8x4xf32> loc("<std.nn>":357:20)
    %empty_37 = tensor.empty() : tensor<2x8x4xf32> loc("<std.nn>":357:20)
    %div_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%matmul_2 : tensor<2x8x4xf32>)
        outs(%empty_37 : tensor<2x8x4xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.4142135 : f32 loc("<std.nn>":357:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":357:20)
        linalg.yield %1 : f32 loc("<std.nn>":357:20)
    } -> tensor<2x8x4xf32> loc("<std.nn>":357:20)
    %empty_38 = tensor.empty() : tensor<2x8x4xf32> loc("<std.nn>":156:16)
    %seen = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%visible, %div_1 : tensor<2x8x4xi8>, tensor<2x8x4xf32>)
        outs(%empty_38 : tensor<2x8x4xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":156:16)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":156:16)
        %2 = arith.constant 0xFF800000 : f32 loc("<std.nn>":156:16)
        %3 = arith.select %1, %in_1, %2 : f32 loc("<std.nn>":156:16)
        linalg.yield %3 : f32 loc("<std.nn>":156:16)
    } -> tensor<2x8x4xf32> loc("<std.nn>":156:16)
    %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":157:15)
    %empty_39 = tensor.empty() : tensor<2x8xf32> loc("<std.nn>":157:15)
    %initial_1 = linalg.fill ins(%minus_infinity : f32) outs(%empty_39 : tensor<2x8xf32>) -> tensor<2x8xf32> loc("<std.nn>":157:15)
    %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%seen : tensor<2x8x4xf32>)
        outs(%initial_1 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":157:15)
        linalg.yield %0 : f32 loc("<std.nn>":157:15)
    } -> tensor<2x8xf32> loc("<std.nn>":157:15)
    %empty_40 = tensor.empty() : tensor<2x8x1xi8> loc("<std.nn>":159:31)
    %equal = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%max : tensor<2x8xf32>)
        outs(%empty_40 : tensor<2x8x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0xFF800000 : f32 loc("<std.nn>":159:31)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":159:31)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":159:31)
        linalg.yield %2 : i8 loc("<std.nn>":159:31)
    } -> tensor<2x8x1xi8> loc("<std.nn>":159:31)
    %empty_41 = tensor.empty() : tensor<2x8x1xf32> loc("<std.nn>":159:24)
    %select = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal, %max : tensor<2x8x1xi8>, tensor<2x8xf32>)
        outs(%empty_41 : tensor<2x8x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":159:24)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":159:24)
        %2 = arith.constant 0.0 : f32 loc("<std.nn>":159:24)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":159:24)
        linalg.yield %3 : f32 loc("<std.nn>":159:24)
    } -> tensor<2x8x1xf32> loc("<std.nn>":159:24)
    %empty_42 = tensor.empty() : tensor<2x8x4xf32> loc("<std.nn>":159:17)
    %sub_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%seen, %select : tensor<2x8x4xf32>, tensor<2x8x1xf32>)
        outs(%empty_42 : tensor<2x8x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":159:17)
        linalg.yield %0 : f32 loc("<std.nn>":159:17)
    } -> tensor<2x8x4xf32> loc("<std.nn>":159:17)
    %empty_43 = tensor.empty() : tensor<2x8x4xf32> loc("<std.nn>":159:13)
    %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sub_2 : tensor<2x8x4xf32>)
        outs(%empty_43 : tensor<2x8x4xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.exp %in : f32 loc("<std.nn>":159:13)
        linalg.yield %0 : f32 loc("<std.nn>":159:13)
    } -> tensor<2x8x4xf32> loc("<std.nn>":159:13)
    %empty_44 = tensor.empty() : tensor<2x8xf32> loc("<std.nn>":160:17)
    %initial_2 = linalg.fill ins(%zero : f32) outs(%empty_44 : tensor<2x8xf32>) -> tensor<2x8xf32> loc("<std.nn>":160:17)
    %sum_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%e : tensor<2x8x4xf32>)
        outs(%initial_2 : tensor<2x8xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":160:17)
        linalg.yield %0 : f32 loc("<std.nn>":160:17)
    } -> tensor<2x8xf32> loc("<std.nn>":160:17)
    %empty_45 = tensor.empty() : tensor<2x8x1xi8> loc("<std.nn>":161:16)
    %equal_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_1 : tensor<2x8xf32>)
        outs(%empty_45 : tensor<2x8x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0.0 : f32 loc("<std.nn>":161:16)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":161:16)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":161:16)
        linalg.yield %2 : i8 loc("<std.nn>":161:16)
    } -> tensor<2x8x1xi8> loc("<std.nn>":161:16)
    %empty_46 = tensor.empty() : tensor<2x8x1xf32> loc("<std.nn>":161:9)
    %select_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal_1, %sum_1 : tensor<2x8x1xi8>, tensor<2x8xf32>)
        outs(%empty_46 : tensor<2x8x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":161:9)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":161:9)
        %2 = arith.constant 1.0 : f32 loc("<std.nn>":161:9)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":161:9)
        linalg.yield %3 : f32 loc("<std.nn>":161:9)
    } -> tensor<2x8x1xf32> loc("<std.nn>":161:9)
    %empty_47 = tensor.empty() : tensor<2x8x4xf32> loc("<std.nn>":161:5)
    %masked_softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%e, %select_1 : tensor<2x8x4xf32>, tensor<2x8x1xf32>)
        outs(%empty_47 : tensor<2x8x4xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":161:5)
        linalg.yield %0 : f32 loc("<std.nn>":161:5)
    } -> tensor<2x8x4xf32> loc("<std.nn>":161:5)
    %empty_48 = tensor.empty() : tensor<4x4xf32> loc("llama.tdsl":56:34)
    %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_48 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("llama.tdsl":56:34)
    %matmul_3 = linalg.matmul ins(%y, %b.value : tensor<4x8xf32>, tensor<8x4xf32>) outs(%filled_3 : tensor<4x4xf32>) -> tensor<4x4xf32> loc("llama.tdsl":56:34)
    %reshaped_3 = tensor.reshape %matmul_3(%shape_3) : (tensor<4x4xf32>, tensor<3xindex>) -> tensor<4x2x2xf32> loc("llama.tdsl":35:15)
    %empty_49 = tensor.empty() : tensor<2x4x2xf32> loc("llama.tdsl":35:5)
    %v = linalg.transpose ins(%reshaped_3 : tensor<4x2x2xf32>) outs(%empty_49 : tensor<2x4x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":35:5)
    %empty_50 = tensor.empty() : tensor<2x8x2xf32> loc("<std.nn>":357:5)
    %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_50 : tensor<2x8x2xf32>) -> tensor<2x8x2xf32> loc("<std.nn>":357:5)
    %masked_attention = linalg.batch_matmul ins(%masked_softmax, %v : tensor<2x8x4xf32>, tensor<2x4x2xf32>) outs(%filled_4 : tensor<2x8x2xf32>) -> tensor<2x8x2xf32> loc("<std.nn>":357:5)
    %grouped_attention = tensor.reshape %masked_attention(%shape_1) : (tensor<2x8x2xf32>, tensor<3xindex>) -> tensor<4x4x2xf32> loc("llama.tdsl":45:5)
    %empty_51 = tensor.empty() : tensor<4x4x2xf32> loc("llama.tdsl":63:25)
    %transposed_1 = linalg.transpose ins(%grouped_attention : tensor<4x4x2xf32>) outs(%empty_51 : tensor<4x4x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":63:25)
    %shape_4 = arith.constant dense<[4, 8]> : tensor<2xindex> loc("llama.tdsl":63:17)
    %reshaped_4 = tensor.reshape %transposed_1(%shape_4) : (tensor<4x4x2xf32>, tensor<2xindex>) -> tensor<4x8xf32> loc("llama.tdsl":63:17)
    %empty_52 = tensor.empty() : tensor<4x8xf32> loc("llama.tdsl":63:17)
    %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_52 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("llama.tdsl":63:17)
    %matmul_4 = linalg.matmul ins(%reshaped_4, %b.out : tensor<4x8xf32>, tensor<8x8xf32>) outs(%filled_5 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("llama.tdsl":63:17)
    %empty_53 = tensor.empty() : tensor<4x8xf32> loc("llama.tdsl":63:13)
    %y_1 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x, %matmul_4 : tensor<4x8xf32>, tensor<4x8xf32>)
        outs(%empty_53 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("llama.tdsl":63:13)
        linalg.yield %0 : f32 loc("llama.tdsl":63:13)
    } -> tensor<4x8xf32> loc("llama.tdsl":63:13)
    %empty_54 = tensor.empty() : tensor<4x8xf32> loc("<std.nn>":254:20)
    %mul_10 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1 : tensor<4x8xf32>)
        outs(%empty_54 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":254:20)
        linalg.yield %0 : f32 loc("<std.nn>":254:20)
    } -> tensor<4x8xf32> loc("<std.nn>":254:20)
    %empty_55 = tensor.empty() : tensor<4xf32> loc("<std.nn>":254:15)
    %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_55 : tensor<4xf32>) -> tensor<4xf32> loc("<std.nn>":254:15)
    %sum_2 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%mul_10 : tensor<4x8xf32>)
        outs(%initial_3 : tensor<4xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<4xf32> loc("<std.nn>":254:15)
    %empty_56 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":254:15)
    %mean_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum_2 : tensor<4xf32>)
        outs(%empty_56 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 8.0 : f32 loc("<std.nn>":254:15)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":254:15)
        linalg.yield %1 : f32 loc("<std.nn>":254:15)
    } -> tensor<4x1xf32> loc("<std.nn>":254:15)
    %empty_57 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":254:15)
    %add_3 = linalg.generic {indexing_maps = [#ij, #ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mean_1, %epsilon : tensor<4x1xf32>, tensor<f32>)
        outs(%empty_57 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<4x1xf32> loc("<std.nn>":254:15)
    %empty_58 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":254:9)
    %rsqrt_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_3 : tensor<4x1xf32>)
        outs(%empty_58 : tensor<4x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":254:9)
        linalg.yield %0 : f32 loc("<std.nn>":254:9)
    } -> tensor<4x1xf32> loc("<std.nn>":254:9)
    %empty_59 = tensor.empty() : tensor<4x8xf32> loc("<std.nn>":254:5)
    %mul_11 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1, %rsqrt_1 : tensor<4x8xf32>, tensor<4x1xf32>)
        outs(%empty_59 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<4x8xf32> loc("<std.nn>":254:5)
    %empty_60 = tensor.empty() : tensor<4x8xf32> loc("<std.nn>":254:5)
    %normed = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_11, %b.norm_2 : tensor<4x8xf32>, tensor<8xf32>)
        outs(%empty_60 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<4x8xf32> loc("<std.nn>":254:5)
    %empty_61 = tensor.empty() : tensor<4x20xf32> loc("llama.tdsl":65:15)
    %filled_6 = linalg.fill ins(%zero : f32) outs(%empty_61 : tensor<4x20xf32>) -> tensor<4x20xf32> loc("llama.tdsl":65:15)
    %matmul_5 = linalg.matmul ins(%normed, %b.gate : tensor<4x8xf32>, tensor<8x20xf32>) outs(%filled_6 : tensor<4x20xf32>) -> tensor<4x20xf32> loc("llama.tdsl":65:15)
    %empty_62 = tensor.empty() : tensor<4x20xf32> loc("<std.nn>":94:13)
    %y_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul_5 : tensor<4x20xf32>)
        outs(%empty_62 : tensor<4x20xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant -10000.0 : f32 loc("<std.nn>":94:13)
        %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":94:13)
        linalg.yield %1 : f32 loc("<std.nn>":94:13)
    } -> tensor<4x20xf32> loc("<std.nn>":94:13)
    %empty_63 = tensor.empty() : tensor<4x20xf32> loc("<std.nn>":95:9)
    %sigmoid = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_2 : tensor<4x20xf32>)
        outs(%empty_63 : tensor<4x20xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0 : f32 loc("<std.nn>":95:9)
        %1 = math.absf %in : f32 loc("<std.nn>":95:9)
        %2 = arith.negf %1 : f32 loc("<std.nn>":95:9)
        %3 = math.exp %2 : f32 loc("<std.nn>":95:9)
        %4 = arith.constant 0.0 : f32 loc("<std.nn>":95:9)
        %5 = arith.cmpf oge, %in, %4 : f32 loc("<std.nn>":95:9)
        %6 = arith.select %5, %0, %3 : f32 loc("<std.nn>":95:9)
        %7 = arith.addf %0, %3 : f32 loc("<std.nn>":95:9)
        %8 = arith.divf %6, %7 : f32 loc("<std.nn>":95:9)
        linalg.yield %8 : f32 loc("<std.nn>":95:9)
    } -> tensor<4x20xf32> loc("<std.nn>":95:9)
    %empty_64 = tensor.empty() : tensor<4x20xf32> loc("<std.nn>":95:5)
    %silu = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_2, %sigmoid : tensor<4x20xf32>, tensor<4x20xf32>)
        outs(%empty_64 : tensor<4x20xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":95:5)
        linalg.yield %0 : f32 loc("<std.nn>":95:5)
    } -> tensor<4x20xf32> loc("<std.nn>":95:5)
    %empty_65 = tensor.empty() : tensor<4x20xf32> loc("llama.tdsl":65:35)
    %filled_7 = linalg.fill ins(%zero : f32) outs(%empty_65 : tensor<4x20xf32>) -> tensor<4x20xf32> loc("llama.tdsl":65:35)
    %matmul_6 = linalg.matmul ins(%normed, %b.up : tensor<4x8xf32>, tensor<8x20xf32>) outs(%filled_7 : tensor<4x20xf32>) -> tensor<4x20xf32> loc("llama.tdsl":65:35)
    %empty_66 = tensor.empty() : tensor<4x20xf32> loc("llama.tdsl":65:10)
    %mul_12 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%silu, %matmul_6 : tensor<4x20xf32>, tensor<4x20xf32>)
        outs(%empty_66 : tensor<4x20xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("llama.tdsl":65:10)
        linalg.yield %0 : f32 loc("llama.tdsl":65:10)
    } -> tensor<4x20xf32> loc("llama.tdsl":65:10)
    %empty_67 = tensor.empty() : tensor<4x8xf32> loc("llama.tdsl":65:9)
    %filled_8 = linalg.fill ins(%zero : f32) outs(%empty_67 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("llama.tdsl":65:9)
    %matmul_7 = linalg.matmul ins(%mul_12, %b.down : tensor<4x20xf32>, tensor<20x8xf32>) outs(%filled_8 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("llama.tdsl":65:9)
    %empty_68 = tensor.empty() : tensor<4x8xf32> loc("llama.tdsl":65:5)
    %finish = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1, %matmul_7 : tensor<4x8xf32>, tensor<4x8xf32>)
        outs(%empty_68 : tensor<4x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("llama.tdsl":65:5)
        linalg.yield %0 : f32 loc("llama.tdsl":65:5)
    } -> tensor<4x8xf32> loc("llama.tdsl":65:5)
    scf.yield %finish : tensor<4x8xf32> loc("llama.tdsl":72:13)
  } loc("llama.tdsl":72:13)
  %empty_69 = tensor.empty() : tensor<4x8xf32> loc("<std.nn>":254:20)
  %mul_13 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%looped : tensor<4x8xf32>)
      outs(%empty_69 : tensor<4x8xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":254:20)
      linalg.yield %0 : f32 loc("<std.nn>":254:20)
  } -> tensor<4x8xf32> loc("<std.nn>":254:20)
  %zero_1 = arith.constant 0.0 : f32 loc("<std.nn>":254:15)
  %empty_70 = tensor.empty() : tensor<4xf32> loc("<std.nn>":254:15)
  %initial_4 = linalg.fill ins(%zero_1 : f32) outs(%empty_70 : tensor<4xf32>) -> tensor<4xf32> loc("<std.nn>":254:15)
  %sum_3 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul_13 : tensor<4x8xf32>)
      outs(%initial_4 : tensor<4xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":254:15)
      linalg.yield %0 : f32 loc("<std.nn>":254:15)
  } -> tensor<4xf32> loc("<std.nn>":254:15)
  %empty_71 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":254:15)
  %mean_2 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_3 : tensor<4xf32>)
      outs(%empty_71 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 8.0 : f32 loc("<std.nn>":254:15)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":254:15)
      linalg.yield %1 : f32 loc("<std.nn>":254:15)
  } -> tensor<4x1xf32> loc("<std.nn>":254:15)
  %empty_72 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":254:15)
  %add_4 = linalg.generic {indexing_maps = [#ij, #ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mean_2, %epsilon : tensor<4x1xf32>, tensor<f32>)
      outs(%empty_72 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":254:15)
      linalg.yield %0 : f32 loc("<std.nn>":254:15)
  } -> tensor<4x1xf32> loc("<std.nn>":254:15)
  %empty_73 = tensor.empty() : tensor<4x1xf32> loc("<std.nn>":254:9)
  %rsqrt_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_4 : tensor<4x1xf32>)
      outs(%empty_73 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":254:9)
      linalg.yield %0 : f32 loc("<std.nn>":254:9)
  } -> tensor<4x1xf32> loc("<std.nn>":254:9)
  %empty_74 = tensor.empty() : tensor<4x8xf32> loc("<std.nn>":254:5)
  %mul_14 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%looped, %rsqrt_2 : tensor<4x8xf32>, tensor<4x1xf32>)
      outs(%empty_74 : tensor<4x8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
      linalg.yield %0 : f32 loc("<std.nn>":254:5)
  } -> tensor<4x8xf32> loc("<std.nn>":254:5)
  %empty_75 = tensor.empty() : tensor<4x8xf32> loc("<std.nn>":254:5)
  %rms_norm = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_14, %p.norm : tensor<4x8xf32>, tensor<8xf32>)
      outs(%empty_75 : tensor<4x8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
      linalg.yield %0 : f32 loc("<std.nn>":254:5)
  } -> tensor<4x8xf32> loc("<std.nn>":254:5)
  %empty_76 = tensor.empty() : tensor<8x11xf32> loc("llama.tdsl":76:44)
  %transposed_2 = linalg.transpose ins(%p.head : tensor<11x8xf32>) outs(%empty_76 : tensor<8x11xf32>) permutation = [1, 0] loc("llama.tdsl":76:44)
  %empty_77 = tensor.empty() : tensor<4x11xf32> loc("llama.tdsl":76:5)
  %filled_9 = linalg.fill ins(%zero_1 : f32) outs(%empty_77 : tensor<4x11xf32>) -> tensor<4x11xf32> loc("llama.tdsl":76:5)
  %matmul_8 = linalg.matmul ins(%rms_norm, %transposed_2 : tensor<4x8xf32>, tensor<8x11xf32>) outs(%filled_9 : tensor<4x11xf32>) -> tensor<4x11xf32> loc("llama.tdsl":76:5)
  return %matmul_8 : tensor<4x11xf32> loc("llama.tdsl":76:5)
} loc("llama.tdsl":76:5)

func.func @step(%ids: tensor<1xi32>, %start: tensor<i32>, %cache.k: tensor<2x2x8x2xf32>, %cache.v: tensor<2x2x8x2xf32>, %p.tokens: tensor<11x8xf32>, %p.blocks.norm_1: tensor<2x8xf32>, %p.blocks.query: tensor<2x8x8xf32>, %p.blocks.key: tensor<2x8x4xf32>, %p.blocks.value: tensor<2x8x4xf32>, %p.blocks.out: tensor<2x8x8xf32>, %p.blocks.norm_2: tensor<2x8xf32>, %p.blocks.gate: tensor<2x8x20xf32>, %p.blocks.up: tensor<2x8x20xf32>, %p.blocks.down: tensor<2x20x8xf32>, %p.norm: tensor<8xf32>, %p.head: tensor<11x8xf32>, %epsilon: tensor<f32>, %theta: tensor<f64>) -> (tensor<1x11xf32>, tensor<2x2x8x2xf32>, tensor<2x2x8x2xf32>) {
  %empty = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":87:14)
  %c0 = arith.constant 0 : index loc("llama.tdsl":87:14)
  %c1 = arith.constant 1 : index loc("llama.tdsl":87:14)
  %take = scf.for %place = %c0 to %c1 step %c1 iter_args(%rows = %empty) -> (tensor<1x8xf32>) {
    %position = tensor.extract %ids[%place] : tensor<1xi32> loc("llama.tdsl":87:14)
    %extsi = arith.extsi %position : i32 to i64 loc("llama.tdsl":87:14)
    %c11_i64 = arith.constant 11 : i64 loc("llama.tdsl":87:14)
    %c10_i64 = arith.constant 10 : i64 loc("llama.tdsl":87:14)
    func.call @tdsl.check_position(%extsi, %c10_i64, %c11_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/llama.tdsl:87:14"} : (i64, i64, i64) -> () loc("llama.tdsl":87:14)
    %c0_i64 = arith.constant 0 : i64 loc("llama.tdsl":87:14)
    %inside = arith.maxsi %extsi, %c0_i64 : i64 loc("llama.tdsl":87:14)
    %inside_1 = arith.minsi %inside, %c10_i64 : i64 loc("llama.tdsl":87:14)
    %at = arith.index_cast %inside_1 : i64 to index loc("llama.tdsl":87:14)
    %row = tensor.extract_slice %p.tokens[%at, 0] [1, 8] [1, 1] : tensor<11x8xf32> to tensor<8xf32> loc("llama.tdsl":87:14)
    %put = tensor.insert_slice %row into %rows[%place, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<1x8xf32> loc("llama.tdsl":87:14)
    scf.yield %put : tensor<1x8xf32> loc("llama.tdsl":87:14)
  } loc("llama.tdsl":87:14)
  %empty_1 = tensor.empty() : tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
  %empty_2 = tensor.empty() : tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
  %c2 = arith.constant 2 : index loc("llama.tdsl":87:5)
  %looped:3 = scf.for %step = %c0 to %c2 step %c1 iter_args(%x = %take, %keyss = %empty_1, %valuess = %empty_2) -> (tensor<1x8xf32>, tensor<2x2x8x2xf32>, tensor<2x2x8x2xf32>) {
    %p.blocks.norm_1_1 = tensor.extract_slice %p.blocks.norm_1[%step, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32> loc("llama.tdsl":87:5)
    %p.blocks.query_1 = tensor.extract_slice %p.blocks.query[%step, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32> loc("llama.tdsl":87:5)
    %p.blocks.key_1 = tensor.extract_slice %p.blocks.key[%step, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32> loc("llama.tdsl":87:5)
    %p.blocks.value_1 = tensor.extract_slice %p.blocks.value[%step, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32> loc("llama.tdsl":87:5)
    %p.blocks.out_1 = tensor.extract_slice %p.blocks.out[%step, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32> loc("llama.tdsl":87:5)
    %p.blocks.norm_2_1 = tensor.extract_slice %p.blocks.norm_2[%step, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32> loc("llama.tdsl":87:5)
    %p.blocks.gate_1 = tensor.extract_slice %p.blocks.gate[%step, 0, 0] [1, 8, 20] [1, 1, 1] : tensor<2x8x20xf32> to tensor<8x20xf32> loc("llama.tdsl":87:5)
    %p.blocks.up_1 = tensor.extract_slice %p.blocks.up[%step, 0, 0] [1, 8, 20] [1, 1, 1] : tensor<2x8x20xf32> to tensor<8x20xf32> loc("llama.tdsl":87:5)
    %p.blocks.down_1 = tensor.extract_slice %p.blocks.down[%step, 0, 0] [1, 20, 8] [1, 1, 1] : tensor<2x20x8xf32> to tensor<20x8xf32> loc("llama.tdsl":87:5)
    %cache.k_1 = tensor.extract_slice %cache.k[%step, 0, 0, 0] [1, 2, 8, 2] [1, 1, 1, 1] : tensor<2x2x8x2xf32> to tensor<2x8x2xf32> loc("llama.tdsl":87:5)
    %cache.v_1 = tensor.extract_slice %cache.v[%step, 0, 0, 0] [1, 2, 8, 2] [1, 1, 1, 1] : tensor<2x2x8x2xf32> to tensor<2x8x2xf32> loc("llama.tdsl":87:5)
    %empty_3 = tensor.empty() : tensor<i64> loc("llama.tdsl":53:18)
    %cast = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
        ins(%start : tensor<i32>)
        outs(%empty_3 : tensor<i64>) {
      ^bb0(%in: i32, %_: i64):
        %0 = arith.extsi %in : i32 to i64 loc("llama.tdsl":53:18)
        linalg.yield %0 : i64 loc("llama.tdsl":53:18)
    } -> tensor<i64> loc("llama.tdsl":53:18)
    %empty_4 = tensor.empty() : tensor<1x1xi64> loc("<std.nn>":186:28)
    %add = linalg.generic {indexing_maps = [#ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%cast : tensor<i64>)
        outs(%empty_4 : tensor<1x1xi64>) {
      ^bb0(%in: i64, %_: i64):
        %0 = linalg.index 0 : index loc("<std.nn>":186:28)
        %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":186:28)
        %2 = arith.addi %in, %1 : i64 loc("<std.nn>":186:28)
        linalg.yield %2 : i64 loc("<std.nn>":186:28)
    } -> tensor<1x1xi64> loc("<std.nn>":186:28)
    %empty_5 = tensor.empty() : tensor<1x8xi8> loc("<std.nn>":186:5)
    %causal = linalg.generic {indexing_maps = [#ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add : tensor<1x1xi64>)
        outs(%empty_5 : tensor<1x8xi8>) {
      ^bb0(%in: i64, %_: i8):
        %0 = linalg.index 1 : index loc("<std.nn>":186:5)
        %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":186:5)
        %2 = arith.cmpi sle, %1, %in : i64 loc("<std.nn>":186:5)
        %3 = arith.extui %2 : i1 to i8 loc("<std.nn>":186:5)
        linalg.yield %3 : i8 loc("<std.nn>":186:5)
    } -> tensor<1x8xi8> loc("<std.nn>":186:5)
    %empty_6 = tensor.empty() : tensor<4x1x8xi8> loc("llama.tdsl":44:19)
    %broadcast = linalg.generic {indexing_maps = [#ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%causal : tensor<1x8xi8>)
        outs(%empty_6 : tensor<4x1x8xi8>) {
      ^bb0(%in: i8, %_: i8):
        %0 = arith.constant 0 : i8 loc("llama.tdsl":44:19)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("llama.tdsl":44:19)
        %2 = arith.extui %1 : i1 to i8 loc("llama.tdsl":44:19)
        linalg.yield %2 : i8 loc("llama.tdsl":44:19)
    } -> tensor<4x1x8xi8> loc("llama.tdsl":44:19)
    %shape = arith.constant dense<[2, 2, 8]> : tensor<3xindex> loc("llama.tdsl":44:19)
    %visible = tensor.reshape %broadcast(%shape) : (tensor<4x1x8xi8>, tensor<3xindex>) -> tensor<2x2x8xi8> loc("llama.tdsl":44:19)
    %empty_7 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:20)
    %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<1x8xf32>)
        outs(%empty_7 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":254:20)
        linalg.yield %0 : f32 loc("<std.nn>":254:20)
    } -> tensor<1x8xf32> loc("<std.nn>":254:20)
    %zero = arith.constant 0.0 : f32 loc("<std.nn>":254:15)
    %empty_8 = tensor.empty() : tensor<1xf32> loc("<std.nn>":254:15)
    %initial = linalg.fill ins(%zero : f32) outs(%empty_8 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":254:15)
    %sum = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%mul : tensor<1x8xf32>)
        outs(%initial : tensor<1xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<1xf32> loc("<std.nn>":254:15)
    %empty_9 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
    %mean = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum : tensor<1xf32>)
        outs(%empty_9 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 8.0 : f32 loc("<std.nn>":254:15)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":254:15)
        linalg.yield %1 : f32 loc("<std.nn>":254:15)
    } -> tensor<1x1xf32> loc("<std.nn>":254:15)
    %empty_10 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
    %add_1 = linalg.generic {indexing_maps = [#ij, #ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mean, %epsilon : tensor<1x1xf32>, tensor<f32>)
        outs(%empty_10 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<1x1xf32> loc("<std.nn>":254:15)
    %empty_11 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:9)
    %rsqrt = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_1 : tensor<1x1xf32>)
        outs(%empty_11 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":254:9)
        linalg.yield %0 : f32 loc("<std.nn>":254:9)
    } -> tensor<1x1xf32> loc("<std.nn>":254:9)
    %empty_12 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
    %mul_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x, %rsqrt : tensor<1x8xf32>, tensor<1x1xf32>)
        outs(%empty_12 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<1x8xf32> loc("<std.nn>":254:5)
    %empty_13 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
    %y = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_1, %p.blocks.norm_1_1 : tensor<1x8xf32>, tensor<8xf32>)
        outs(%empty_13 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<1x8xf32> loc("<std.nn>":254:5)
    %empty_14 = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":54:35)
    %filled = linalg.fill ins(%zero : f32) outs(%empty_14 : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":54:35)
    %matmul = linalg.matmul ins(%y, %p.blocks.query_1 : tensor<1x8xf32>, tensor<8x8xf32>) outs(%filled : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":54:35)
    %shape_1 = arith.constant dense<[1, 4, 2]> : tensor<3xindex> loc("llama.tdsl":35:15)
    %reshaped = tensor.reshape %matmul(%shape_1) : (tensor<1x8xf32>, tensor<3xindex>) -> tensor<1x4x2xf32> loc("llama.tdsl":35:15)
    %empty_15 = tensor.empty() : tensor<4x1x2xf32> loc("llama.tdsl":35:5)
    %split_heads = linalg.transpose ins(%reshaped : tensor<1x4x2xf32>) outs(%empty_15 : tensor<4x1x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":35:5)
    %first = tensor.extract_slice %split_heads[0, 0, 0] [4, 1, 1] [1, 1, 1] : tensor<4x1x2xf32> to tensor<4x1x1xf32> loc("<std.nn>":281:17)
    %empty_16 = tensor.empty() : tensor<1xi64> loc("llama.tdsl":53:18)
    %places = linalg.generic {indexing_maps = [#i_scalar, #i], iterator_types = ["parallel"]}
        ins(%cast : tensor<i64>)
        outs(%empty_16 : tensor<1xi64>) {
      ^bb0(%in: i64, %_: i64):
        %0 = linalg.index 0 : index loc("llama.tdsl":53:18)
        %1 = arith.index_cast %0 : index to i64 loc("llama.tdsl":53:18)
        %2 = arith.addi %in, %1 : i64 loc("llama.tdsl":53:18)
        linalg.yield %2 : i64 loc("llama.tdsl":53:18)
    } -> tensor<1xi64> loc("llama.tdsl":53:18)
    %empty_17 = tensor.empty() : tensor<1xf64> loc("<std.nn>":278:17)
    %cast_1 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
        ins(%places : tensor<1xi64>)
        outs(%empty_17 : tensor<1xf64>) {
      ^bb0(%in: i64, %_: f64):
        %0 = arith.sitofp %in : i64 to f64 loc("<std.nn>":278:17)
        linalg.yield %0 : f64 loc("<std.nn>":278:17)
    } -> tensor<1xf64> loc("<std.nn>":278:17)
    %empty_18 = tensor.empty() : tensor<1xf64> loc("<std.nn>":277:16)
    %div = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]}
        outs(%empty_18 : tensor<1xf64>) {
      ^bb0(%_: f64):
        %0 = linalg.index 0 : index loc("<std.nn>":277:16)
        %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":277:16)
        %2 = arith.sitofp %1 : i64 to f64 loc("<std.nn>":277:16)
        %3 = arith.constant -1.0 : f64 loc("<std.nn>":277:16)
        %4 = arith.divf %2, %3 : f64 loc("<std.nn>":277:16)
        linalg.yield %4 : f64 loc("<std.nn>":277:16)
    } -> tensor<1xf64> loc("<std.nn>":277:16)
    %empty_19 = tensor.empty() : tensor<1xf64> loc("<std.nn>":277:16)
    %rate = linalg.generic {indexing_maps = [#i_scalar, #i, #i], iterator_types = ["parallel"]}
        ins(%theta, %div : tensor<f64>, tensor<1xf64>)
        outs(%empty_19 : tensor<1xf64>) {
      ^bb0(%in: f64, %in_1: f64, %_: f64):
        %0 = math.powf %in, %in_1 : f64 loc("<std.nn>":277:16)
        linalg.yield %0 : f64 loc("<std.nn>":277:16)
    } -> tensor<1xf64> loc("<std.nn>":277:16)
    %empty_20 = tensor.empty() : tensor<1x1xf64> loc("<std.nn>":278:17)
    %angle = linalg.generic {indexing_maps = [#ij_i, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%cast_1, %rate : tensor<1xf64>, tensor<1xf64>)
        outs(%empty_20 : tensor<1x1xf64>) {
      ^bb0(%in: f64, %in_1: f64, %_: f64):
        %0 = arith.mulf %in, %in_1 : f64 loc("<std.nn>":278:17)
        linalg.yield %0 : f64 loc("<std.nn>":278:17)
    } -> tensor<1x1xf64> loc("<std.nn>":278:17)
    %empty_21 = tensor.empty() : tensor<1x1xf64> loc("<std.nn>":279:20)
    %cos = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%angle : tensor<1x1xf64>)
        outs(%empty_21 : tensor<1x1xf64>) {
      ^bb0(%in: f64, %_: f64):
        %0 = math.cos %in : f64 loc("<std.nn>":279:20)
        linalg.yield %0 : f64 loc("<std.nn>":279:20)
    } -> tensor<1x1xf64> loc("<std.nn>":279:20)
    %empty_22 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":279:18)
    %cosine = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%cos : tensor<1x1xf64>)
        outs(%empty_22 : tensor<1x1xf32>) {
      ^bb0(%in: f64, %_: f32):
        %0 = arith.truncf %in : f64 to f32 loc("<std.nn>":279:18)
        linalg.yield %0 : f32 loc("<std.nn>":279:18)
    } -> tensor<1x1xf32> loc("<std.nn>":279:18)
    %empty_23 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:13)
    %mul_2 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first, %cosine : tensor<4x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_23 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:13)
    %second = tensor.extract_slice %split_heads[0, 0, 1] [4, 1, 1] [1, 1, 1] : tensor<4x1x2xf32> to tensor<4x1x1xf32> loc("<std.nn>":282:18)
    %empty_24 = tensor.empty() : tensor<1x1xf64> loc("<std.nn>":280:18)
    %sin = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%angle : tensor<1x1xf64>)
        outs(%empty_24 : tensor<1x1xf64>) {
      ^bb0(%in: f64, %_: f64):
        %0 = math.sin %in : f64 loc("<std.nn>":280:18)
        linalg.yield %0 : f64 loc("<std.nn>":280:18)
    } -> tensor<1x1xf64> loc("<std.nn>":280:18)
    %empty_25 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":280:16)
    %sine = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sin : tensor<1x1xf64>)
        outs(%empty_25 : tensor<1x1xf32>) {
      ^bb0(%in: f64, %_: f32):
        %0 = arith.truncf %in : f64 to f32 loc("<std.nn>":280:16)
        linalg.yield %0 : f32 loc("<std.nn>":280:16)
    } -> tensor<1x1xf32> loc("<std.nn>":280:16)
    %empty_26 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:26)
    %mul_3 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second, %sine : tensor<4x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_26 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:26)
        linalg.yield %0 : f32 loc("<std.nn>":283:26)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:26)
    %empty_27 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:13)
    %sub = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_2, %mul_3 : tensor<4x1x1xf32>, tensor<4x1x1xf32>)
        outs(%empty_27 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:13)
    %empty_28 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:39)
    %mul_4 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second, %cosine : tensor<4x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_28 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:39)
    %empty_29 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:53)
    %mul_5 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first, %sine : tensor<4x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_29 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:53)
        linalg.yield %0 : f32 loc("<std.nn>":283:53)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:53)
    %empty_30 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:39)
    %add_2 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_4, %mul_5 : tensor<4x1x1xf32>, tensor<4x1x1xf32>)
        outs(%empty_30 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:39)
    %empty_31 = tensor.empty() : tensor<4x1x2xf32> loc("<std.nn>":283:5)
    %part = tensor.insert_slice %sub into %empty_31[0, 0, 0] [4, 1, 1] [1, 1, 1] : tensor<4x1x1xf32> into tensor<4x1x2xf32> loc("<std.nn>":283:5)
    %q = tensor.insert_slice %add_2 into %part[0, 0, 1] [4, 1, 1] [1, 1, 1] : tensor<4x1x1xf32> into tensor<4x1x2xf32> loc("<std.nn>":283:5)
    %shape_2 = arith.constant dense<[2, 2, 2]> : tensor<3xindex> loc("llama.tdsl":45:30)
    %reshaped_1 = tensor.reshape %q(%shape_2) : (tensor<4x1x2xf32>, tensor<3xindex>) -> tensor<2x2x2xf32> loc("llama.tdsl":45:30)
    %empty_32 = tensor.empty() : tensor<1x4xf32> loc("llama.tdsl":55:35)
    %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_32 : tensor<1x4xf32>) -> tensor<1x4xf32> loc("llama.tdsl":55:35)
    %matmul_1 = linalg.matmul ins(%y, %p.blocks.key_1 : tensor<1x8xf32>, tensor<8x4xf32>) outs(%filled_1 : tensor<1x4xf32>) -> tensor<1x4xf32> loc("llama.tdsl":55:35)
    %shape_3 = arith.constant dense<[1, 2, 2]> : tensor<3xindex> loc("llama.tdsl":35:15)
    %reshaped_2 = tensor.reshape %matmul_1(%shape_3) : (tensor<1x4xf32>, tensor<3xindex>) -> tensor<1x2x2xf32> loc("llama.tdsl":35:15)
    %empty_33 = tensor.empty() : tensor<2x1x2xf32> loc("llama.tdsl":35:5)
    %split_heads_1 = linalg.transpose ins(%reshaped_2 : tensor<1x2x2xf32>) outs(%empty_33 : tensor<2x1x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":35:5)
    %first_1 = tensor.extract_slice %split_heads_1[0, 0, 0] [2, 1, 1] [1, 1, 1] : tensor<2x1x2xf32> to tensor<2x1x1xf32> loc("<std.nn>":281:17)
    %empty_34 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:13)
    %mul_6 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first_1, %cosine : tensor<2x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_34 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:13)
    %second_1 = tensor.extract_slice %split_heads_1[0, 0, 1] [2, 1, 1] [1, 1, 1] : tensor<2x1x2xf32> to tensor<2x1x1xf32> loc("<std.nn>":282:18)
    %empty_35 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:26)
    %mul_7 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second_1, %sine : tensor<2x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_35 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:26)
        linalg.yield %0 : f32 loc("<std.nn>":283:26)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:26)
    %empty_36 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:13)
    %sub_1 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_6, %mul_7 : tensor<2x1x1xf32>, tensor<2x1x1xf32>)
        outs(%empty_36 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:13)
    %empty_37 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:39)
    %mul_8 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second_1, %cosine : tensor<2x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_37 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:39)
    %empty_38 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:53)
    %mul_9 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first_1, %sine : tensor<2x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_38 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:53)
        linalg.yield %0 : f32 loc("<std.nn>":283:53)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:53)
    %empty_39 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:39)
    %add_3 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_8, %mul_9 : tensor<2x1x1xf32>, tensor<2x1x1xf32>)
        outs(%empty_39 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:39)
    %empty_40 = tensor.empty() : tensor<2x1x2xf32> loc("<std.nn>":283:5)
    %part_1 = tensor.insert_slice %sub_1 into %empty_40[0, 0, 0] [2, 1, 1] [1, 1, 1] : tensor<2x1x1xf32> into tensor<2x1x2xf32> loc("<std.nn>":283:5)
    %k = tensor.insert_slice %add_3 into %part_1[0, 0, 1] [2, 1, 1] [1, 1, 1] : tensor<2x1x1xf32> into tensor<2x1x2xf32> loc("<std.nn>":283:5)
    %start_1 = tensor.extract %cast[] : tensor<i64> loc("llama.tdsl":89:20)
    %c8_i64 = arith.constant 8 : i64 loc("llama.tdsl":89:20)
    %c7_i64 = arith.constant 7 : i64 loc("llama.tdsl":89:20)
    func.call @tdsl.check_position(%start_1, %c7_i64, %c8_i64) {tdsl.site = "update", tdsl.kind = "start", tdsl.axis = 1 : i64, tdsl.at = "programs/llama.tdsl:89:20"} : (i64, i64, i64) -> () loc("llama.tdsl":89:20)
    %c0_i64_1 = arith.constant 0 : i64 loc("llama.tdsl":89:20)
    %inside_2 = arith.maxsi %start_1, %c0_i64_1 : i64 loc("llama.tdsl":89:20)
    %inside_3 = arith.minsi %inside_2, %c7_i64 : i64 loc("llama.tdsl":89:20)
    %at_1 = arith.index_cast %inside_3 : i64 to index loc("llama.tdsl":89:20)
    %keys = tensor.insert_slice %k into %cache.k_1[0, %at_1, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x2xf32> into tensor<2x8x2xf32> loc("llama.tdsl":89:20)
    %empty_41 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":357:24)
    %transposed = linalg.transpose ins(%keys : tensor<2x8x2xf32>) outs(%empty_41 : tensor<2x2x8xf32>) permutation = [0, 2, 1] loc("<std.nn>":357:24)
    %empty_42 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":357:20)
    %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_42 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32> loc("<std.nn>":357:20)
    %matmul_2 = linalg.batch_matmul ins(%reshaped_1, %transposed : tensor<2x2x2xf32>, tensor<2x2x8xf32>) outs(%filled_2 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32> loc("<std.nn>":357:20)
    %empty_43 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":357:20)
    %div_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%matmul_2 : tensor<2x2x8xf32>)
        outs(%empty_43 : tensor<2x2x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.4142135 : f32 loc("<std.nn>":357:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":357:20)
        linalg.yield %1 : f32 loc("<std.nn>":357:20)
    } -> tensor<2x2x8xf32> loc("<std.nn>":357:20)
    %empty_44 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":156:16)
    %seen = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%visible, %div_1 : tensor<2x2x8xi8>, tensor<2x2x8xf32>)
        outs(%empty_44 : tensor<2x2x8xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":156:16)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":156:16)
        %2 = arith.constant 0xFF800000 : f32 loc("<std.nn>":156:16)
        %3 = arith.select %1, %in_1, %2 : f32 loc("<std.nn>":156:16)
        linalg.yield %3 : f32 loc("<std.nn>":156:16)
    } -> tensor<2x2x8xf32> loc("<std.nn>":156:16)
    %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":157:15)
    %empty_45 = tensor.empty() : tensor<2x2xf32> loc("<std.nn>":157:15)
    %initial_1 = linalg.fill ins(%minus_infinity : f32) outs(%empty_45 : tensor<2x2xf32>) -> tensor<2x2xf32> loc("<std.nn>":157:15)
    %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%seen : tensor<2x2x8xf32>)
        outs(%initial_1 : tensor<2x2xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":157:15)
        linalg.yield %0 : f32 loc("<std.nn>":157:15)
    } -> tensor<2x2xf32> loc("<std.nn>":157:15)
    %empty_46 = tensor.empty() : tensor<2x2x1xi8> loc("<std.nn>":159:31)
    %equal = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%max : tensor<2x2xf32>)
        outs(%empty_46 : tensor<2x2x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0xFF800000 : f32 loc("<std.nn>":159:31)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":159:31)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":159:31)
        linalg.yield %2 : i8 loc("<std.nn>":159:31)
    } -> tensor<2x2x1xi8> loc("<std.nn>":159:31)
    %empty_47 = tensor.empty() : tensor<2x2x1xf32> loc("<std.nn>":159:24)
    %select = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal, %max : tensor<2x2x1xi8>, tensor<2x2xf32>)
        outs(%empty_47 : tensor<2x2x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":159:24)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":159:24)
        %2 = arith.constant 0.0 : f32 loc("<std.nn>":159:24)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":159:24)
        linalg.yield %3 : f32 loc("<std.nn>":159:24)
    } -> tensor<2x2x1xf32> loc("<std.nn>":159:24)
    %empty_48 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":159:17)
    %sub_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%seen, %select : tensor<2x2x8xf32>, tensor<2x2x1xf32>)
        outs(%empty_48 : tensor<2x2x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":159:17)
        linalg.yield %0 : f32 loc("<std.nn>":159:17)
    } -> tensor<2x2x8xf32> loc("<std.nn>":159:17)
    %empty_49 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":159:13)
    %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sub_2 : tensor<2x2x8xf32>)
        outs(%empty_49 : tensor<2x2x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.exp %in : f32 loc("<std.nn>":159:13)
        linalg.yield %0 : f32 loc("<std.nn>":159:13)
    } -> tensor<2x2x8xf32> loc("<std.nn>":159:13)
    %empty_50 = tensor.empty() : tensor<2x2xf32> loc("<std.nn>":160:17)
    %initial_2 = linalg.fill ins(%zero : f32) outs(%empty_50 : tensor<2x2xf32>) -> tensor<2x2xf32> loc("<std.nn>":160:17)
    %sum_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%e : tensor<2x2x8xf32>)
        outs(%initial_2 : tensor<2x2xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":160:17)
        linalg.yield %0 : f32 loc("<std.nn>":160:17)
    } -> tensor<2x2xf32> loc("<std.nn>":160:17)
    %empty_51 = tensor.empty() : tensor<2x2x1xi8> loc("<std.nn>":161:16)
    %equal_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_1 : tensor<2x2xf32>)
        outs(%empty_51 : tensor<2x2x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0.0 : f32 loc("<std.nn>":161:16)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":161:16)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":161:16)
        linalg.yield %2 : i8 loc("<std.nn>":161:16)
    } -> tensor<2x2x1xi8> loc("<std.nn>":161:16)
    %empty_52 = tensor.empty() : tensor<2x2x1xf32> loc("<std.nn>":161:9)
    %select_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal_1, %sum_1 : tensor<2x2x1xi8>, tensor<2x2xf32>)
        outs(%empty_52 : tensor<2x2x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":161:9)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":161:9)
        %2 = arith.constant 1.0 : f32 loc("<std.nn>":161:9)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":161:9)
        linalg.yield %3 : f32 loc("<std.nn>":161:9)
    } -> tensor<2x2x1xf32> loc("<std.nn>":161:9)
    %empty_53 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":161:5)
    %masked_softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%e, %select_1 : tensor<2x2x8xf32>, tensor<2x2x1xf32>)
        outs(%empty_53 : tensor<2x2x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":161:5)
        linalg.yield %0 : f32 loc("<std.nn>":161:5)
    } -> tensor<2x2x8xf32> loc("<std.nn>":161:5)
    %empty_54 = tensor.empty() : tensor<1x4xf32> loc("llama.tdsl":56:34)
    %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_54 : tensor<1x4xf32>) -> tensor<1x4xf32> loc("llama.tdsl":56:34)
    %matmul_3 = linalg.matmul ins(%y, %p.blocks.value_1 : tensor<1x8xf32>, tensor<8x4xf32>) outs(%filled_3 : tensor<1x4xf32>) -> tensor<1x4xf32> loc("llama.tdsl":56:34)
    %reshaped_3 = tensor.reshape %matmul_3(%shape_3) : (tensor<1x4xf32>, tensor<3xindex>) -> tensor<1x2x2xf32> loc("llama.tdsl":35:15)
    %empty_55 = tensor.empty() : tensor<2x1x2xf32> loc("llama.tdsl":35:5)
    %v = linalg.transpose ins(%reshaped_3 : tensor<1x2x2xf32>) outs(%empty_55 : tensor<2x1x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":35:5)
    %start_2 = tensor.extract %cast[] : tensor<i64> loc("llama.tdsl":90:22)
    func.call @tdsl.check_position(%start_2, %c7_i64, %c8_i64) {tdsl.site = "update", tdsl.kind = "start", tdsl.axis = 1 : i64, tdsl.at = "programs/llama.tdsl:90:22"} : (i64, i64, i64) -> () loc("llama.tdsl":90:22)
    %inside_4 = arith.maxsi %start_2, %c0_i64_1 : i64 loc("llama.tdsl":90:22)
    %inside_5 = arith.minsi %inside_4, %c7_i64 : i64 loc("llama.tdsl":90:22)
    %at_2 = arith.index_cast %inside_5 : i64 to index loc("llama.tdsl":90:22)
    %values = tensor.insert_slice %v into %cache.v_1[0, %at_2, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x2xf32> into tensor<2x8x2xf32> loc("llama.tdsl":90:22)
    %empty_56 = tensor.empty() : tensor<2x2x2xf32> loc("<std.nn>":357:5)
    %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_56 : tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("<std.nn>":357:5)
    %masked_attention = linalg.batch_matmul ins(%masked_softmax, %values : tensor<2x2x8xf32>, tensor<2x8x2xf32>) outs(%filled_4 : tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("<std.nn>":357:5)
    %shape_4 = arith.constant dense<[4, 1, 2]> : tensor<3xindex> loc("llama.tdsl":45:5)
    %mixed = tensor.reshape %masked_attention(%shape_4) : (tensor<2x2x2xf32>, tensor<3xindex>) -> tensor<4x1x2xf32> loc("llama.tdsl":45:5)
    %empty_57 = tensor.empty() : tensor<1x4x2xf32> loc("llama.tdsl":63:25)
    %transposed_1 = linalg.transpose ins(%mixed : tensor<4x1x2xf32>) outs(%empty_57 : tensor<1x4x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":63:25)
    %shape_5 = arith.constant dense<[1, 8]> : tensor<2xindex> loc("llama.tdsl":63:17)
    %reshaped_4 = tensor.reshape %transposed_1(%shape_5) : (tensor<1x4x2xf32>, tensor<2xindex>) -> tensor<1x8xf32> loc("llama.tdsl":63:17)
    %empty_58 = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":63:17)
    %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_58 : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":63:17)
    %matmul_4 = linalg.matmul ins(%reshaped_4, %p.blocks.out_1 : tensor<1x8xf32>, tensor<8x8xf32>) outs(%filled_5 : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":63:17)
    %empty_59 = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":63:13)
    %y_1 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x, %matmul_4 : tensor<1x8xf32>, tensor<1x8xf32>)
        outs(%empty_59 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("llama.tdsl":63:13)
        linalg.yield %0 : f32 loc("llama.tdsl":63:13)
    } -> tensor<1x8xf32> loc("llama.tdsl":63:13)
    %empty_60 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:20)
    %mul_10 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1 : tensor<1x8xf32>)
        outs(%empty_60 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":254:20)
        linalg.yield %0 : f32 loc("<std.nn>":254:20)
    } -> tensor<1x8xf32> loc("<std.nn>":254:20)
    %empty_61 = tensor.empty() : tensor<1xf32> loc("<std.nn>":254:15)
    %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_61 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":254:15)
    %sum_2 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%mul_10 : tensor<1x8xf32>)
        outs(%initial_3 : tensor<1xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<1xf32> loc("<std.nn>":254:15)
    %empty_62 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
    %mean_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum_2 : tensor<1xf32>)
        outs(%empty_62 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 8.0 : f32 loc("<std.nn>":254:15)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":254:15)
        linalg.yield %1 : f32 loc("<std.nn>":254:15)
    } -> tensor<1x1xf32> loc("<std.nn>":254:15)
    %empty_63 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
    %add_4 = linalg.generic {indexing_maps = [#ij, #ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mean_1, %epsilon : tensor<1x1xf32>, tensor<f32>)
        outs(%empty_63 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<1x1xf32> loc("<std.nn>":254:15)
    %empty_64 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:9)
    %rsqrt_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_4 : tensor<1x1xf32>)
        outs(%empty_64 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":254:9)
        linalg.yield %0 : f32 loc("<std.nn>":254:9)
    } -> tensor<1x1xf32> loc("<std.nn>":254:9)
    %empty_65 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
    %mul_11 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1, %rsqrt_1 : tensor<1x8xf32>, tensor<1x1xf32>)
        outs(%empty_65 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<1x8xf32> loc("<std.nn>":254:5)
    %empty_66 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
    %normed = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_11, %p.blocks.norm_2_1 : tensor<1x8xf32>, tensor<8xf32>)
        outs(%empty_66 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<1x8xf32> loc("<std.nn>":254:5)
    %empty_67 = tensor.empty() : tensor<1x20xf32> loc("llama.tdsl":65:15)
    %filled_6 = linalg.fill ins(%zero : f32) outs(%empty_67 : tensor<1x20xf32>) -> tensor<1x20xf32> loc("llama.tdsl":65:15)
    %matmul_5 = linalg.matmul ins(%normed, %p.blocks.gate_1 : tensor<1x8xf32>, tensor<8x20xf32>) outs(%filled_6 : tensor<1x20xf32>) -> tensor<1x20xf32> loc("llama.tdsl":65:15)
    %empty_68 = tensor.empty() : tensor<1x20xf32> loc("<std.nn>":94:13)
    %y_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul_5 : tensor<1x20xf32>)
        outs(%empty_68 : tensor<1x20xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant -10000.0 : f32 loc("<std.nn>":94:13)
        %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":94:13)
        linalg.yield %1 : f32 loc("<std.nn>":94:13)
    } -> tensor<1x20xf32> loc("<std.nn>":94:13)
    %empty_69 = tensor.empty() : tensor<1x20xf32> loc("<std.nn>":95:9)
    %sigmoid = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_2 : tensor<1x20xf32>)
        outs(%empty_69 : tensor<1x20xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0 : f32 loc("<std.nn>":95:9)
        %1 = math.absf %in : f32 loc("<std.nn>":95:9)
        %2 = arith.negf %1 : f32 loc("<std.nn>":95:9)
        %3 = math.exp %2 : f32 loc("<std.nn>":95:9)
        %4 = arith.constant 0.0 : f32 loc("<std.nn>":95:9)
        %5 = arith.cmpf oge, %in, %4 : f32 loc("<std.nn>":95:9)
        %6 = arith.select %5, %0, %3 : f32 loc("<std.nn>":95:9)
        %7 = arith.addf %0, %3 : f32 loc("<std.nn>":95:9)
        %8 = arith.divf %6, %7 : f32 loc("<std.nn>":95:9)
        linalg.yield %8 : f32 loc("<std.nn>":95:9)
    } -> tensor<1x20xf32> loc("<std.nn>":95:9)
    %empty_70 = tensor.empty() : tensor<1x20xf32> loc("<std.nn>":95:5)
    %silu = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_2, %sigmoid : tensor<1x20xf32>, tensor<1x20xf32>)
        outs(%empty_70 : tensor<1x20xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":95:5)
        linalg.yield %0 : f32 loc("<std.nn>":95:5)
    } -> tensor<1x20xf32> loc("<std.nn>":95:5)
    %empty_71 = tensor.empty() : tensor<1x20xf32> loc("llama.tdsl":65:35)
    %filled_7 = linalg.fill ins(%zero : f32) outs(%empty_71 : tensor<1x20xf32>) -> tensor<1x20xf32> loc("llama.tdsl":65:35)
    %matmul_6 = linalg.matmul ins(%normed, %p.blocks.up_1 : tensor<1x8xf32>, tensor<8x20xf32>) outs(%filled_7 : tensor<1x20xf32>) -> tensor<1x20xf32> loc("llama.tdsl":65:35)
    %empty_72 = tensor.empty() : tensor<1x20xf32> loc("llama.tdsl":65:10)
    %mul_12 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%silu, %matmul_6 : tensor<1x20xf32>, tensor<1x20xf32>)
        outs(%empty_72 : tensor<1x20xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("llama.tdsl":65:10)
        linalg.yield %0 : f32 loc("llama.tdsl":65:10)
    } -> tensor<1x20xf32> loc("llama.tdsl":65:10)
    %empty_73 = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":65:9)
    %filled_8 = linalg.fill ins(%zero : f32) outs(%empty_73 : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":65:9)
    %matmul_7 = linalg.matmul ins(%mul_12, %p.blocks.down_1 : tensor<1x20xf32>, tensor<20x8xf32>) outs(%filled_8 : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":65:9)
    %empty_74 = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":65:5)
    %finish = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1, %matmul_7 : tensor<1x8xf32>, tensor<1x8xf32>)
        outs(%empty_74 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("llama.tdsl":65:5)
        linalg.yield %0 : f32 loc("llama.tdsl":65:5)
    } -> tensor<1x8xf32> loc("llama.tdsl":65:5)
    %put_1 = tensor.insert_slice %keys into %keyss[%step, 0, 0, 0] [1, 2, 8, 2] [1, 1, 1, 1] : tensor<2x8x2xf32> into tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
    %put_2 = tensor.insert_slice %values into %valuess[%step, 0, 0, 0] [1, 2, 8, 2] [1, 1, 1, 1] : tensor<2x8x2xf32> into tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
    scf.yield %finish, %put_1, %put_2 : tensor<1x8xf32>, tensor<2x2x8x2xf32>, tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
  } loc("llama.tdsl":87:5)
  %empty_75 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:20)
  %mul_13 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%looped#0 : tensor<1x8xf32>)
      outs(%empty_75 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":254:20)
      linalg.yield %0 : f32 loc("<std.nn>":254:20)
  } -> tensor<1x8xf32> loc("<std.nn>":254:20)
  %zero_1 = arith.constant 0.0 : f32 loc("<std.nn>":254:15)
  %empty_76 = tensor.empty() : tensor<1xf32> loc("<std.nn>":254:15)
  %initial_4 = linalg.fill ins(%zero_1 : f32) outs(%empty_76 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":254:15)
  %sum_3 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul_13 : tensor<1x8xf32>)
      outs(%initial_4 : tensor<1xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":254:15)
      linalg.yield %0 : f32 loc("<std.nn>":254:15)
  } -> tensor<1xf32> loc("<std.nn>":254:15)
  %empty_77 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
  %mean_2 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_3 : tensor<1xf32>)
      outs(%empty_77 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 8.0 : f32 loc("<std.nn>":254:15)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":254:15)
      linalg.yield %1 : f32 loc("<std.nn>":254:15)
  } -> tensor<1x1xf32> loc("<std.nn>":254:15)
  %empty_78 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
  %add_5 = linalg.generic {indexing_maps = [#ij, #ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mean_2, %epsilon : tensor<1x1xf32>, tensor<f32>)
      outs(%empty_78 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":254:15)
      linalg.yield %0 : f32 loc("<std.nn>":254:15)
  } -> tensor<1x1xf32> loc("<std.nn>":254:15)
  %empty_79 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:9)
  %rsqrt_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_5 : tensor<1x1xf32>)
      outs(%empty_79 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":254:9)
      linalg.yield %0 : f32 loc("<std.nn>":254:9)
  } -> tensor<1x1xf32> loc("<std.nn>":254:9)
  %empty_80 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
  %mul_14 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%looped#0, %rsqrt_2 : tensor<1x8xf32>, tensor<1x1xf32>)
      outs(%empty_80 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
      linalg.yield %0 : f32 loc("<std.nn>":254:5)
  } -> tensor<1x8xf32> loc("<std.nn>":254:5)
  %empty_81 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
  %rms_norm = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_14, %p.norm : tensor<1x8xf32>, tensor<8xf32>)
      outs(%empty_81 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
      linalg.yield %0 : f32 loc("<std.nn>":254:5)
  } -> tensor<1x8xf32> loc("<std.nn>":254:5)
  %empty_82 = tensor.empty() : tensor<8x11xf32> loc("llama.tdsl":105:45)
  %transposed_2 = linalg.transpose ins(%p.head : tensor<11x8xf32>) outs(%empty_82 : tensor<8x11xf32>) permutation = [1, 0] loc("llama.tdsl":105:45)
  %empty_83 = tensor.empty() : tensor<1x11xf32> loc("llama.tdsl":105:6)
  %filled_9 = linalg.fill ins(%zero_1 : f32) outs(%empty_83 : tensor<1x11xf32>) -> tensor<1x11xf32> loc("llama.tdsl":105:6)
  %matmul_8 = linalg.matmul ins(%rms_norm, %transposed_2 : tensor<1x8xf32>, tensor<8x11xf32>) outs(%filled_9 : tensor<1x11xf32>) -> tensor<1x11xf32> loc("llama.tdsl":105:6)
  return %matmul_8, %looped#1, %looped#2 : tensor<1x11xf32>, tensor<2x2x8x2xf32>, tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
} loc("llama.tdsl":87:5)

func.func @next(%ids: tensor<1xi32>, %start: tensor<i32>, %cache.k: tensor<2x2x8x2xf32>, %cache.v: tensor<2x2x8x2xf32>, %p.tokens: tensor<11x8xf32>, %p.blocks.norm_1: tensor<2x8xf32>, %p.blocks.query: tensor<2x8x8xf32>, %p.blocks.key: tensor<2x8x4xf32>, %p.blocks.value: tensor<2x8x4xf32>, %p.blocks.out: tensor<2x8x8xf32>, %p.blocks.norm_2: tensor<2x8xf32>, %p.blocks.gate: tensor<2x8x20xf32>, %p.blocks.up: tensor<2x8x20xf32>, %p.blocks.down: tensor<2x20x8xf32>, %p.norm: tensor<8xf32>, %p.head: tensor<11x8xf32>, %epsilon: tensor<f32>, %theta: tensor<f64>) -> (tensor<11xf32>, tensor<2x2x8x2xf32>, tensor<2x2x8x2xf32>) {
  %empty = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":87:14)
  %c0 = arith.constant 0 : index loc("llama.tdsl":87:14)
  %c1 = arith.constant 1 : index loc("llama.tdsl":87:14)
  %take = scf.for %place = %c0 to %c1 step %c1 iter_args(%rows = %empty) -> (tensor<1x8xf32>) {
    %position = tensor.extract %ids[%place] : tensor<1xi32> loc("llama.tdsl":87:14)
    %extsi = arith.extsi %position : i32 to i64 loc("llama.tdsl":87:14)
    %c11_i64 = arith.constant 11 : i64 loc("llama.tdsl":87:14)
    %c10_i64 = arith.constant 10 : i64 loc("llama.tdsl":87:14)
    func.call @tdsl.check_position(%extsi, %c10_i64, %c11_i64) {tdsl.site = "take", tdsl.kind = "index", tdsl.axis = 0 : i64, tdsl.at = "programs/llama.tdsl:87:14"} : (i64, i64, i64) -> () loc("llama.tdsl":87:14)
    %c0_i64 = arith.constant 0 : i64 loc("llama.tdsl":87:14)
    %inside = arith.maxsi %extsi, %c0_i64 : i64 loc("llama.tdsl":87:14)
    %inside_1 = arith.minsi %inside, %c10_i64 : i64 loc("llama.tdsl":87:14)
    %at = arith.index_cast %inside_1 : i64 to index loc("llama.tdsl":87:14)
    %row = tensor.extract_slice %p.tokens[%at, 0] [1, 8] [1, 1] : tensor<11x8xf32> to tensor<8xf32> loc("llama.tdsl":87:14)
    %put = tensor.insert_slice %row into %rows[%place, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<1x8xf32> loc("llama.tdsl":87:14)
    scf.yield %put : tensor<1x8xf32> loc("llama.tdsl":87:14)
  } loc("llama.tdsl":87:14)
  %empty_1 = tensor.empty() : tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
  %empty_2 = tensor.empty() : tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
  %c2 = arith.constant 2 : index loc("llama.tdsl":87:5)
  %looped:3 = scf.for %step = %c0 to %c2 step %c1 iter_args(%x = %take, %keyss = %empty_1, %valuess = %empty_2) -> (tensor<1x8xf32>, tensor<2x2x8x2xf32>, tensor<2x2x8x2xf32>) {
    %p.blocks.norm_1_1 = tensor.extract_slice %p.blocks.norm_1[%step, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32> loc("llama.tdsl":87:5)
    %p.blocks.query_1 = tensor.extract_slice %p.blocks.query[%step, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32> loc("llama.tdsl":87:5)
    %p.blocks.key_1 = tensor.extract_slice %p.blocks.key[%step, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32> loc("llama.tdsl":87:5)
    %p.blocks.value_1 = tensor.extract_slice %p.blocks.value[%step, 0, 0] [1, 8, 4] [1, 1, 1] : tensor<2x8x4xf32> to tensor<8x4xf32> loc("llama.tdsl":87:5)
    %p.blocks.out_1 = tensor.extract_slice %p.blocks.out[%step, 0, 0] [1, 8, 8] [1, 1, 1] : tensor<2x8x8xf32> to tensor<8x8xf32> loc("llama.tdsl":87:5)
    %p.blocks.norm_2_1 = tensor.extract_slice %p.blocks.norm_2[%step, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32> loc("llama.tdsl":87:5)
    %p.blocks.gate_1 = tensor.extract_slice %p.blocks.gate[%step, 0, 0] [1, 8, 20] [1, 1, 1] : tensor<2x8x20xf32> to tensor<8x20xf32> loc("llama.tdsl":87:5)
    %p.blocks.up_1 = tensor.extract_slice %p.blocks.up[%step, 0, 0] [1, 8, 20] [1, 1, 1] : tensor<2x8x20xf32> to tensor<8x20xf32> loc("llama.tdsl":87:5)
    %p.blocks.down_1 = tensor.extract_slice %p.blocks.down[%step, 0, 0] [1, 20, 8] [1, 1, 1] : tensor<2x20x8xf32> to tensor<20x8xf32> loc("llama.tdsl":87:5)
    %cache.k_1 = tensor.extract_slice %cache.k[%step, 0, 0, 0] [1, 2, 8, 2] [1, 1, 1, 1] : tensor<2x2x8x2xf32> to tensor<2x8x2xf32> loc("llama.tdsl":87:5)
    %cache.v_1 = tensor.extract_slice %cache.v[%step, 0, 0, 0] [1, 2, 8, 2] [1, 1, 1, 1] : tensor<2x2x8x2xf32> to tensor<2x8x2xf32> loc("llama.tdsl":87:5)
    %empty_3 = tensor.empty() : tensor<i64> loc("llama.tdsl":53:18)
    %cast = linalg.generic {indexing_maps = [#scalar, #scalar], iterator_types = []}
        ins(%start : tensor<i32>)
        outs(%empty_3 : tensor<i64>) {
      ^bb0(%in: i32, %_: i64):
        %0 = arith.extsi %in : i32 to i64 loc("llama.tdsl":53:18)
        linalg.yield %0 : i64 loc("llama.tdsl":53:18)
    } -> tensor<i64> loc("llama.tdsl":53:18)
    %empty_4 = tensor.empty() : tensor<1x1xi64> loc("<std.nn>":186:28)
    %add = linalg.generic {indexing_maps = [#ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%cast : tensor<i64>)
        outs(%empty_4 : tensor<1x1xi64>) {
      ^bb0(%in: i64, %_: i64):
        %0 = linalg.index 0 : index loc("<std.nn>":186:28)
        %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":186:28)
        %2 = arith.addi %in, %1 : i64 loc("<std.nn>":186:28)
        linalg.yield %2 : i64 loc("<std.nn>":186:28)
    } -> tensor<1x1xi64> loc("<std.nn>":186:28)
    %empty_5 = tensor.empty() : tensor<1x8xi8> loc("<std.nn>":186:5)
    %causal = linalg.generic {indexing_maps = [#ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add : tensor<1x1xi64>)
        outs(%empty_5 : tensor<1x8xi8>) {
      ^bb0(%in: i64, %_: i8):
        %0 = linalg.index 1 : index loc("<std.nn>":186:5)
        %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":186:5)
        %2 = arith.cmpi sle, %1, %in : i64 loc("<std.nn>":186:5)
        %3 = arith.extui %2 : i1 to i8 loc("<std.nn>":186:5)
        linalg.yield %3 : i8 loc("<std.nn>":186:5)
    } -> tensor<1x8xi8> loc("<std.nn>":186:5)
    %empty_6 = tensor.empty() : tensor<4x1x8xi8> loc("llama.tdsl":44:19)
    %broadcast = linalg.generic {indexing_maps = [#ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%causal : tensor<1x8xi8>)
        outs(%empty_6 : tensor<4x1x8xi8>) {
      ^bb0(%in: i8, %_: i8):
        %0 = arith.constant 0 : i8 loc("llama.tdsl":44:19)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("llama.tdsl":44:19)
        %2 = arith.extui %1 : i1 to i8 loc("llama.tdsl":44:19)
        linalg.yield %2 : i8 loc("llama.tdsl":44:19)
    } -> tensor<4x1x8xi8> loc("llama.tdsl":44:19)
    %shape = arith.constant dense<[2, 2, 8]> : tensor<3xindex> loc("llama.tdsl":44:19)
    %visible = tensor.reshape %broadcast(%shape) : (tensor<4x1x8xi8>, tensor<3xindex>) -> tensor<2x2x8xi8> loc("llama.tdsl":44:19)
    %empty_7 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:20)
    %mul = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x : tensor<1x8xf32>)
        outs(%empty_7 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":254:20)
        linalg.yield %0 : f32 loc("<std.nn>":254:20)
    } -> tensor<1x8xf32> loc("<std.nn>":254:20)
    %zero = arith.constant 0.0 : f32 loc("<std.nn>":254:15)
    %empty_8 = tensor.empty() : tensor<1xf32> loc("<std.nn>":254:15)
    %initial = linalg.fill ins(%zero : f32) outs(%empty_8 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":254:15)
    %sum = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%mul : tensor<1x8xf32>)
        outs(%initial : tensor<1xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<1xf32> loc("<std.nn>":254:15)
    %empty_9 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
    %mean = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum : tensor<1xf32>)
        outs(%empty_9 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 8.0 : f32 loc("<std.nn>":254:15)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":254:15)
        linalg.yield %1 : f32 loc("<std.nn>":254:15)
    } -> tensor<1x1xf32> loc("<std.nn>":254:15)
    %empty_10 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
    %add_1 = linalg.generic {indexing_maps = [#ij, #ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mean, %epsilon : tensor<1x1xf32>, tensor<f32>)
        outs(%empty_10 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<1x1xf32> loc("<std.nn>":254:15)
    %empty_11 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:9)
    %rsqrt = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_1 : tensor<1x1xf32>)
        outs(%empty_11 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":254:9)
        linalg.yield %0 : f32 loc("<std.nn>":254:9)
    } -> tensor<1x1xf32> loc("<std.nn>":254:9)
    %empty_12 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
    %mul_1 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x, %rsqrt : tensor<1x8xf32>, tensor<1x1xf32>)
        outs(%empty_12 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<1x8xf32> loc("<std.nn>":254:5)
    %empty_13 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
    %y = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_1, %p.blocks.norm_1_1 : tensor<1x8xf32>, tensor<8xf32>)
        outs(%empty_13 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<1x8xf32> loc("<std.nn>":254:5)
    %empty_14 = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":54:35)
    %filled = linalg.fill ins(%zero : f32) outs(%empty_14 : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":54:35)
    %matmul = linalg.matmul ins(%y, %p.blocks.query_1 : tensor<1x8xf32>, tensor<8x8xf32>) outs(%filled : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":54:35)
    %shape_1 = arith.constant dense<[1, 4, 2]> : tensor<3xindex> loc("llama.tdsl":35:15)
    %reshaped = tensor.reshape %matmul(%shape_1) : (tensor<1x8xf32>, tensor<3xindex>) -> tensor<1x4x2xf32> loc("llama.tdsl":35:15)
    %empty_15 = tensor.empty() : tensor<4x1x2xf32> loc("llama.tdsl":35:5)
    %split_heads = linalg.transpose ins(%reshaped : tensor<1x4x2xf32>) outs(%empty_15 : tensor<4x1x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":35:5)
    %first = tensor.extract_slice %split_heads[0, 0, 0] [4, 1, 1] [1, 1, 1] : tensor<4x1x2xf32> to tensor<4x1x1xf32> loc("<std.nn>":281:17)
    %empty_16 = tensor.empty() : tensor<1xi64> loc("llama.tdsl":53:18)
    %places = linalg.generic {indexing_maps = [#i_scalar, #i], iterator_types = ["parallel"]}
        ins(%cast : tensor<i64>)
        outs(%empty_16 : tensor<1xi64>) {
      ^bb0(%in: i64, %_: i64):
        %0 = linalg.index 0 : index loc("llama.tdsl":53:18)
        %1 = arith.index_cast %0 : index to i64 loc("llama.tdsl":53:18)
        %2 = arith.addi %in, %1 : i64 loc("llama.tdsl":53:18)
        linalg.yield %2 : i64 loc("llama.tdsl":53:18)
    } -> tensor<1xi64> loc("llama.tdsl":53:18)
    %empty_17 = tensor.empty() : tensor<1xf64> loc("<std.nn>":278:17)
    %cast_1 = linalg.generic {indexing_maps = [#i, #i], iterator_types = ["parallel"]}
        ins(%places : tensor<1xi64>)
        outs(%empty_17 : tensor<1xf64>) {
      ^bb0(%in: i64, %_: f64):
        %0 = arith.sitofp %in : i64 to f64 loc("<std.nn>":278:17)
        linalg.yield %0 : f64 loc("<std.nn>":278:17)
    } -> tensor<1xf64> loc("<std.nn>":278:17)
    %empty_18 = tensor.empty() : tensor<1xf64> loc("<std.nn>":277:16)
    %div = linalg.generic {indexing_maps = [#i], iterator_types = ["parallel"]}
        outs(%empty_18 : tensor<1xf64>) {
      ^bb0(%_: f64):
        %0 = linalg.index 0 : index loc("<std.nn>":277:16)
        %1 = arith.index_cast %0 : index to i64 loc("<std.nn>":277:16)
        %2 = arith.sitofp %1 : i64 to f64 loc("<std.nn>":277:16)
        %3 = arith.constant -1.0 : f64 loc("<std.nn>":277:16)
        %4 = arith.divf %2, %3 : f64 loc("<std.nn>":277:16)
        linalg.yield %4 : f64 loc("<std.nn>":277:16)
    } -> tensor<1xf64> loc("<std.nn>":277:16)
    %empty_19 = tensor.empty() : tensor<1xf64> loc("<std.nn>":277:16)
    %rate = linalg.generic {indexing_maps = [#i_scalar, #i, #i], iterator_types = ["parallel"]}
        ins(%theta, %div : tensor<f64>, tensor<1xf64>)
        outs(%empty_19 : tensor<1xf64>) {
      ^bb0(%in: f64, %in_1: f64, %_: f64):
        %0 = math.powf %in, %in_1 : f64 loc("<std.nn>":277:16)
        linalg.yield %0 : f64 loc("<std.nn>":277:16)
    } -> tensor<1xf64> loc("<std.nn>":277:16)
    %empty_20 = tensor.empty() : tensor<1x1xf64> loc("<std.nn>":278:17)
    %angle = linalg.generic {indexing_maps = [#ij_i, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%cast_1, %rate : tensor<1xf64>, tensor<1xf64>)
        outs(%empty_20 : tensor<1x1xf64>) {
      ^bb0(%in: f64, %in_1: f64, %_: f64):
        %0 = arith.mulf %in, %in_1 : f64 loc("<std.nn>":278:17)
        linalg.yield %0 : f64 loc("<std.nn>":278:17)
    } -> tensor<1x1xf64> loc("<std.nn>":278:17)
    %empty_21 = tensor.empty() : tensor<1x1xf64> loc("<std.nn>":279:20)
    %cos = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%angle : tensor<1x1xf64>)
        outs(%empty_21 : tensor<1x1xf64>) {
      ^bb0(%in: f64, %_: f64):
        %0 = math.cos %in : f64 loc("<std.nn>":279:20)
        linalg.yield %0 : f64 loc("<std.nn>":279:20)
    } -> tensor<1x1xf64> loc("<std.nn>":279:20)
    %empty_22 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":279:18)
    %cosine = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%cos : tensor<1x1xf64>)
        outs(%empty_22 : tensor<1x1xf32>) {
      ^bb0(%in: f64, %_: f32):
        %0 = arith.truncf %in : f64 to f32 loc("<std.nn>":279:18)
        linalg.yield %0 : f32 loc("<std.nn>":279:18)
    } -> tensor<1x1xf32> loc("<std.nn>":279:18)
    %empty_23 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:13)
    %mul_2 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first, %cosine : tensor<4x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_23 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:13)
    %second = tensor.extract_slice %split_heads[0, 0, 1] [4, 1, 1] [1, 1, 1] : tensor<4x1x2xf32> to tensor<4x1x1xf32> loc("<std.nn>":282:18)
    %empty_24 = tensor.empty() : tensor<1x1xf64> loc("<std.nn>":280:18)
    %sin = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%angle : tensor<1x1xf64>)
        outs(%empty_24 : tensor<1x1xf64>) {
      ^bb0(%in: f64, %_: f64):
        %0 = math.sin %in : f64 loc("<std.nn>":280:18)
        linalg.yield %0 : f64 loc("<std.nn>":280:18)
    } -> tensor<1x1xf64> loc("<std.nn>":280:18)
    %empty_25 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":280:16)
    %sine = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sin : tensor<1x1xf64>)
        outs(%empty_25 : tensor<1x1xf32>) {
      ^bb0(%in: f64, %_: f32):
        %0 = arith.truncf %in : f64 to f32 loc("<std.nn>":280:16)
        linalg.yield %0 : f32 loc("<std.nn>":280:16)
    } -> tensor<1x1xf32> loc("<std.nn>":280:16)
    %empty_26 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:26)
    %mul_3 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second, %sine : tensor<4x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_26 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:26)
        linalg.yield %0 : f32 loc("<std.nn>":283:26)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:26)
    %empty_27 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:13)
    %sub = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_2, %mul_3 : tensor<4x1x1xf32>, tensor<4x1x1xf32>)
        outs(%empty_27 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:13)
    %empty_28 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:39)
    %mul_4 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second, %cosine : tensor<4x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_28 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:39)
    %empty_29 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:53)
    %mul_5 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first, %sine : tensor<4x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_29 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:53)
        linalg.yield %0 : f32 loc("<std.nn>":283:53)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:53)
    %empty_30 = tensor.empty() : tensor<4x1x1xf32> loc("<std.nn>":283:39)
    %add_2 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_4, %mul_5 : tensor<4x1x1xf32>, tensor<4x1x1xf32>)
        outs(%empty_30 : tensor<4x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<4x1x1xf32> loc("<std.nn>":283:39)
    %empty_31 = tensor.empty() : tensor<4x1x2xf32> loc("<std.nn>":283:5)
    %part = tensor.insert_slice %sub into %empty_31[0, 0, 0] [4, 1, 1] [1, 1, 1] : tensor<4x1x1xf32> into tensor<4x1x2xf32> loc("<std.nn>":283:5)
    %q = tensor.insert_slice %add_2 into %part[0, 0, 1] [4, 1, 1] [1, 1, 1] : tensor<4x1x1xf32> into tensor<4x1x2xf32> loc("<std.nn>":283:5)
    %shape_2 = arith.constant dense<[2, 2, 2]> : tensor<3xindex> loc("llama.tdsl":45:30)
    %reshaped_1 = tensor.reshape %q(%shape_2) : (tensor<4x1x2xf32>, tensor<3xindex>) -> tensor<2x2x2xf32> loc("llama.tdsl":45:30)
    %empty_32 = tensor.empty() : tensor<1x4xf32> loc("llama.tdsl":55:35)
    %filled_1 = linalg.fill ins(%zero : f32) outs(%empty_32 : tensor<1x4xf32>) -> tensor<1x4xf32> loc("llama.tdsl":55:35)
    %matmul_1 = linalg.matmul ins(%y, %p.blocks.key_1 : tensor<1x8xf32>, tensor<8x4xf32>) outs(%filled_1 : tensor<1x4xf32>) -> tensor<1x4xf32> loc("llama.tdsl":55:35)
    %shape_3 = arith.constant dense<[1, 2, 2]> : tensor<3xindex> loc("llama.tdsl":35:15)
    %reshaped_2 = tensor.reshape %matmul_1(%shape_3) : (tensor<1x4xf32>, tensor<3xindex>) -> tensor<1x2x2xf32> loc("llama.tdsl":35:15)
    %empty_33 = tensor.empty() : tensor<2x1x2xf32> loc("llama.tdsl":35:5)
    %split_heads_1 = linalg.transpose ins(%reshaped_2 : tensor<1x2x2xf32>) outs(%empty_33 : tensor<2x1x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":35:5)
    %first_1 = tensor.extract_slice %split_heads_1[0, 0, 0] [2, 1, 1] [1, 1, 1] : tensor<2x1x2xf32> to tensor<2x1x1xf32> loc("<std.nn>":281:17)
    %empty_34 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:13)
    %mul_6 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first_1, %cosine : tensor<2x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_34 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:13)
    %second_1 = tensor.extract_slice %split_heads_1[0, 0, 1] [2, 1, 1] [1, 1, 1] : tensor<2x1x2xf32> to tensor<2x1x1xf32> loc("<std.nn>":282:18)
    %empty_35 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:26)
    %mul_7 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second_1, %sine : tensor<2x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_35 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:26)
        linalg.yield %0 : f32 loc("<std.nn>":283:26)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:26)
    %empty_36 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:13)
    %sub_1 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_6, %mul_7 : tensor<2x1x1xf32>, tensor<2x1x1xf32>)
        outs(%empty_36 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":283:13)
        linalg.yield %0 : f32 loc("<std.nn>":283:13)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:13)
    %empty_37 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:39)
    %mul_8 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%second_1, %cosine : tensor<2x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_37 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:39)
    %empty_38 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:53)
    %mul_9 = linalg.generic {indexing_maps = [#ijk, #ijk_jk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%first_1, %sine : tensor<2x1x1xf32>, tensor<1x1xf32>)
        outs(%empty_38 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":283:53)
        linalg.yield %0 : f32 loc("<std.nn>":283:53)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:53)
    %empty_39 = tensor.empty() : tensor<2x1x1xf32> loc("<std.nn>":283:39)
    %add_3 = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%mul_8, %mul_9 : tensor<2x1x1xf32>, tensor<2x1x1xf32>)
        outs(%empty_39 : tensor<2x1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":283:39)
        linalg.yield %0 : f32 loc("<std.nn>":283:39)
    } -> tensor<2x1x1xf32> loc("<std.nn>":283:39)
    %empty_40 = tensor.empty() : tensor<2x1x2xf32> loc("<std.nn>":283:5)
    %part_1 = tensor.insert_slice %sub_1 into %empty_40[0, 0, 0] [2, 1, 1] [1, 1, 1] : tensor<2x1x1xf32> into tensor<2x1x2xf32> loc("<std.nn>":283:5)
    %k = tensor.insert_slice %add_3 into %part_1[0, 0, 1] [2, 1, 1] [1, 1, 1] : tensor<2x1x1xf32> into tensor<2x1x2xf32> loc("<std.nn>":283:5)
    %start_1 = tensor.extract %cast[] : tensor<i64> loc("llama.tdsl":89:20)
    %c8_i64 = arith.constant 8 : i64 loc("llama.tdsl":89:20)
    %c7_i64 = arith.constant 7 : i64 loc("llama.tdsl":89:20)
    func.call @tdsl.check_position(%start_1, %c7_i64, %c8_i64) {tdsl.site = "update", tdsl.kind = "start", tdsl.axis = 1 : i64, tdsl.at = "programs/llama.tdsl:89:20"} : (i64, i64, i64) -> () loc("llama.tdsl":89:20)
    %c0_i64_1 = arith.constant 0 : i64 loc("llama.tdsl":89:20)
    %inside_2 = arith.maxsi %start_1, %c0_i64_1 : i64 loc("llama.tdsl":89:20)
    %inside_3 = arith.minsi %inside_2, %c7_i64 : i64 loc("llama.tdsl":89:20)
    %at_1 = arith.index_cast %inside_3 : i64 to index loc("llama.tdsl":89:20)
    %keys = tensor.insert_slice %k into %cache.k_1[0, %at_1, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x2xf32> into tensor<2x8x2xf32> loc("llama.tdsl":89:20)
    %empty_41 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":357:24)
    %transposed = linalg.transpose ins(%keys : tensor<2x8x2xf32>) outs(%empty_41 : tensor<2x2x8xf32>) permutation = [0, 2, 1] loc("<std.nn>":357:24)
    %empty_42 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":357:20)
    %filled_2 = linalg.fill ins(%zero : f32) outs(%empty_42 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32> loc("<std.nn>":357:20)
    %matmul_2 = linalg.batch_matmul ins(%reshaped_1, %transposed : tensor<2x2x2xf32>, tensor<2x2x8xf32>) outs(%filled_2 : tensor<2x2x8xf32>) -> tensor<2x2x8xf32> loc("<std.nn>":357:20)
    %empty_43 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":357:20)
    %div_1 = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%matmul_2 : tensor<2x2x8xf32>)
        outs(%empty_43 : tensor<2x2x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.4142135 : f32 loc("<std.nn>":357:20)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":357:20)
        linalg.yield %1 : f32 loc("<std.nn>":357:20)
    } -> tensor<2x2x8xf32> loc("<std.nn>":357:20)
    %empty_44 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":156:16)
    %seen = linalg.generic {indexing_maps = [#ijk, #ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%visible, %div_1 : tensor<2x2x8xi8>, tensor<2x2x8xf32>)
        outs(%empty_44 : tensor<2x2x8xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":156:16)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":156:16)
        %2 = arith.constant 0xFF800000 : f32 loc("<std.nn>":156:16)
        %3 = arith.select %1, %in_1, %2 : f32 loc("<std.nn>":156:16)
        linalg.yield %3 : f32 loc("<std.nn>":156:16)
    } -> tensor<2x2x8xf32> loc("<std.nn>":156:16)
    %minus_infinity = arith.constant 0xFF800000 : f32 loc("<std.nn>":157:15)
    %empty_45 = tensor.empty() : tensor<2x2xf32> loc("<std.nn>":157:15)
    %initial_1 = linalg.fill ins(%minus_infinity : f32) outs(%empty_45 : tensor<2x2xf32>) -> tensor<2x2xf32> loc("<std.nn>":157:15)
    %max = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%seen : tensor<2x2x8xf32>)
        outs(%initial_1 : tensor<2x2xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.maximumf %in, %acc : f32 loc("<std.nn>":157:15)
        linalg.yield %0 : f32 loc("<std.nn>":157:15)
    } -> tensor<2x2xf32> loc("<std.nn>":157:15)
    %empty_46 = tensor.empty() : tensor<2x2x1xi8> loc("<std.nn>":159:31)
    %equal = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%max : tensor<2x2xf32>)
        outs(%empty_46 : tensor<2x2x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0xFF800000 : f32 loc("<std.nn>":159:31)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":159:31)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":159:31)
        linalg.yield %2 : i8 loc("<std.nn>":159:31)
    } -> tensor<2x2x1xi8> loc("<std.nn>":159:31)
    %empty_47 = tensor.empty() : tensor<2x2x1xf32> loc("<std.nn>":159:24)
    %select = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal, %max : tensor<2x2x1xi8>, tensor<2x2xf32>)
        outs(%empty_47 : tensor<2x2x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":159:24)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":159:24)
        %2 = arith.constant 0.0 : f32 loc("<std.nn>":159:24)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":159:24)
        linalg.yield %3 : f32 loc("<std.nn>":159:24)
    } -> tensor<2x2x1xf32> loc("<std.nn>":159:24)
    %empty_48 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":159:17)
    %sub_2 = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%seen, %select : tensor<2x2x8xf32>, tensor<2x2x1xf32>)
        outs(%empty_48 : tensor<2x2x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.subf %in, %in_1 : f32 loc("<std.nn>":159:17)
        linalg.yield %0 : f32 loc("<std.nn>":159:17)
    } -> tensor<2x2x8xf32> loc("<std.nn>":159:17)
    %empty_49 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":159:13)
    %e = linalg.generic {indexing_maps = [#ijk, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sub_2 : tensor<2x2x8xf32>)
        outs(%empty_49 : tensor<2x2x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.exp %in : f32 loc("<std.nn>":159:13)
        linalg.yield %0 : f32 loc("<std.nn>":159:13)
    } -> tensor<2x2x8xf32> loc("<std.nn>":159:13)
    %empty_50 = tensor.empty() : tensor<2x2xf32> loc("<std.nn>":160:17)
    %initial_2 = linalg.fill ins(%zero : f32) outs(%empty_50 : tensor<2x2xf32>) -> tensor<2x2xf32> loc("<std.nn>":160:17)
    %sum_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%e : tensor<2x2x8xf32>)
        outs(%initial_2 : tensor<2x2xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":160:17)
        linalg.yield %0 : f32 loc("<std.nn>":160:17)
    } -> tensor<2x2xf32> loc("<std.nn>":160:17)
    %empty_51 = tensor.empty() : tensor<2x2x1xi8> loc("<std.nn>":161:16)
    %equal_1 = linalg.generic {indexing_maps = [#ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%sum_1 : tensor<2x2xf32>)
        outs(%empty_51 : tensor<2x2x1xi8>) {
      ^bb0(%in: f32, %_: i8):
        %0 = arith.constant 0.0 : f32 loc("<std.nn>":161:16)
        %1 = arith.cmpf oeq, %in, %0 : f32 loc("<std.nn>":161:16)
        %2 = arith.extui %1 : i1 to i8 loc("<std.nn>":161:16)
        linalg.yield %2 : i8 loc("<std.nn>":161:16)
    } -> tensor<2x2x1xi8> loc("<std.nn>":161:16)
    %empty_52 = tensor.empty() : tensor<2x2x1xf32> loc("<std.nn>":161:9)
    %select_1 = linalg.generic {indexing_maps = [#ijk, #ijk_ij, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%equal_1, %sum_1 : tensor<2x2x1xi8>, tensor<2x2xf32>)
        outs(%empty_52 : tensor<2x2x1xf32>) {
      ^bb0(%in: i8, %in_1: f32, %_: f32):
        %0 = arith.constant 0 : i8 loc("<std.nn>":161:9)
        %1 = arith.cmpi ne, %in, %0 : i8 loc("<std.nn>":161:9)
        %2 = arith.constant 1.0 : f32 loc("<std.nn>":161:9)
        %3 = arith.select %1, %2, %in_1 : f32 loc("<std.nn>":161:9)
        linalg.yield %3 : f32 loc("<std.nn>":161:9)
    } -> tensor<2x2x1xf32> loc("<std.nn>":161:9)
    %empty_53 = tensor.empty() : tensor<2x2x8xf32> loc("<std.nn>":161:5)
    %masked_softmax = linalg.generic {indexing_maps = [#ijk, #ijk_ij0, #ijk], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%e, %select_1 : tensor<2x2x8xf32>, tensor<2x2x1xf32>)
        outs(%empty_53 : tensor<2x2x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.divf %in, %in_1 : f32 loc("<std.nn>":161:5)
        linalg.yield %0 : f32 loc("<std.nn>":161:5)
    } -> tensor<2x2x8xf32> loc("<std.nn>":161:5)
    %empty_54 = tensor.empty() : tensor<1x4xf32> loc("llama.tdsl":56:34)
    %filled_3 = linalg.fill ins(%zero : f32) outs(%empty_54 : tensor<1x4xf32>) -> tensor<1x4xf32> loc("llama.tdsl":56:34)
    %matmul_3 = linalg.matmul ins(%y, %p.blocks.value_1 : tensor<1x8xf32>, tensor<8x4xf32>) outs(%filled_3 : tensor<1x4xf32>) -> tensor<1x4xf32> loc("llama.tdsl":56:34)
    %reshaped_3 = tensor.reshape %matmul_3(%shape_3) : (tensor<1x4xf32>, tensor<3xindex>) -> tensor<1x2x2xf32> loc("llama.tdsl":35:15)
    %empty_55 = tensor.empty() : tensor<2x1x2xf32> loc("llama.tdsl":35:5)
    %v = linalg.transpose ins(%reshaped_3 : tensor<1x2x2xf32>) outs(%empty_55 : tensor<2x1x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":35:5)
    %start_2 = tensor.extract %cast[] : tensor<i64> loc("llama.tdsl":90:22)
    func.call @tdsl.check_position(%start_2, %c7_i64, %c8_i64) {tdsl.site = "update", tdsl.kind = "start", tdsl.axis = 1 : i64, tdsl.at = "programs/llama.tdsl:90:22"} : (i64, i64, i64) -> () loc("llama.tdsl":90:22)
    %inside_4 = arith.maxsi %start_2, %c0_i64_1 : i64 loc("llama.tdsl":90:22)
    %inside_5 = arith.minsi %inside_4, %c7_i64 : i64 loc("llama.tdsl":90:22)
    %at_2 = arith.index_cast %inside_5 : i64 to index loc("llama.tdsl":90:22)
    %values = tensor.insert_slice %v into %cache.v_1[0, %at_2, 0] [2, 1, 2] [1, 1, 1] : tensor<2x1x2xf32> into tensor<2x8x2xf32> loc("llama.tdsl":90:22)
    %empty_56 = tensor.empty() : tensor<2x2x2xf32> loc("<std.nn>":357:5)
    %filled_4 = linalg.fill ins(%zero : f32) outs(%empty_56 : tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("<std.nn>":357:5)
    %masked_attention = linalg.batch_matmul ins(%masked_softmax, %values : tensor<2x2x8xf32>, tensor<2x8x2xf32>) outs(%filled_4 : tensor<2x2x2xf32>) -> tensor<2x2x2xf32> loc("<std.nn>":357:5)
    %shape_4 = arith.constant dense<[4, 1, 2]> : tensor<3xindex> loc("llama.tdsl":45:5)
    %mixed = tensor.reshape %masked_attention(%shape_4) : (tensor<2x2x2xf32>, tensor<3xindex>) -> tensor<4x1x2xf32> loc("llama.tdsl":45:5)
    %empty_57 = tensor.empty() : tensor<1x4x2xf32> loc("llama.tdsl":63:25)
    %transposed_1 = linalg.transpose ins(%mixed : tensor<4x1x2xf32>) outs(%empty_57 : tensor<1x4x2xf32>) permutation = [1, 0, 2] loc("llama.tdsl":63:25)
    %shape_5 = arith.constant dense<[1, 8]> : tensor<2xindex> loc("llama.tdsl":63:17)
    %reshaped_4 = tensor.reshape %transposed_1(%shape_5) : (tensor<1x4x2xf32>, tensor<2xindex>) -> tensor<1x8xf32> loc("llama.tdsl":63:17)
    %empty_58 = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":63:17)
    %filled_5 = linalg.fill ins(%zero : f32) outs(%empty_58 : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":63:17)
    %matmul_4 = linalg.matmul ins(%reshaped_4, %p.blocks.out_1 : tensor<1x8xf32>, tensor<8x8xf32>) outs(%filled_5 : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":63:17)
    %empty_59 = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":63:13)
    %y_1 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%x, %matmul_4 : tensor<1x8xf32>, tensor<1x8xf32>)
        outs(%empty_59 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("llama.tdsl":63:13)
        linalg.yield %0 : f32 loc("llama.tdsl":63:13)
    } -> tensor<1x8xf32> loc("llama.tdsl":63:13)
    %empty_60 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:20)
    %mul_10 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1 : tensor<1x8xf32>)
        outs(%empty_60 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.mulf %in, %in : f32 loc("<std.nn>":254:20)
        linalg.yield %0 : f32 loc("<std.nn>":254:20)
    } -> tensor<1x8xf32> loc("<std.nn>":254:20)
    %empty_61 = tensor.empty() : tensor<1xf32> loc("<std.nn>":254:15)
    %initial_3 = linalg.fill ins(%zero : f32) outs(%empty_61 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":254:15)
    %sum_2 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
        ins(%mul_10 : tensor<1x8xf32>)
        outs(%initial_3 : tensor<1xf32>) {
      ^bb0(%in: f32, %acc: f32):
        %0 = arith.addf %in, %acc : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<1xf32> loc("<std.nn>":254:15)
    %empty_62 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
    %mean_1 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%sum_2 : tensor<1xf32>)
        outs(%empty_62 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 8.0 : f32 loc("<std.nn>":254:15)
        %1 = arith.divf %in, %0 : f32 loc("<std.nn>":254:15)
        linalg.yield %1 : f32 loc("<std.nn>":254:15)
    } -> tensor<1x1xf32> loc("<std.nn>":254:15)
    %empty_63 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
    %add_4 = linalg.generic {indexing_maps = [#ij, #ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mean_1, %epsilon : tensor<1x1xf32>, tensor<f32>)
        outs(%empty_63 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":254:15)
        linalg.yield %0 : f32 loc("<std.nn>":254:15)
    } -> tensor<1x1xf32> loc("<std.nn>":254:15)
    %empty_64 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:9)
    %rsqrt_1 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%add_4 : tensor<1x1xf32>)
        outs(%empty_64 : tensor<1x1xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = math.rsqrt %in : f32 loc("<std.nn>":254:9)
        linalg.yield %0 : f32 loc("<std.nn>":254:9)
    } -> tensor<1x1xf32> loc("<std.nn>":254:9)
    %empty_65 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
    %mul_11 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1, %rsqrt_1 : tensor<1x8xf32>, tensor<1x1xf32>)
        outs(%empty_65 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<1x8xf32> loc("<std.nn>":254:5)
    %empty_66 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
    %normed = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%mul_11, %p.blocks.norm_2_1 : tensor<1x8xf32>, tensor<8xf32>)
        outs(%empty_66 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
        linalg.yield %0 : f32 loc("<std.nn>":254:5)
    } -> tensor<1x8xf32> loc("<std.nn>":254:5)
    %empty_67 = tensor.empty() : tensor<1x20xf32> loc("llama.tdsl":65:15)
    %filled_6 = linalg.fill ins(%zero : f32) outs(%empty_67 : tensor<1x20xf32>) -> tensor<1x20xf32> loc("llama.tdsl":65:15)
    %matmul_5 = linalg.matmul ins(%normed, %p.blocks.gate_1 : tensor<1x8xf32>, tensor<8x20xf32>) outs(%filled_6 : tensor<1x20xf32>) -> tensor<1x20xf32> loc("llama.tdsl":65:15)
    %empty_68 = tensor.empty() : tensor<1x20xf32> loc("<std.nn>":94:13)
    %y_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%matmul_5 : tensor<1x20xf32>)
        outs(%empty_68 : tensor<1x20xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant -10000.0 : f32 loc("<std.nn>":94:13)
        %1 = arith.maximumf %in, %0 : f32 loc("<std.nn>":94:13)
        linalg.yield %1 : f32 loc("<std.nn>":94:13)
    } -> tensor<1x20xf32> loc("<std.nn>":94:13)
    %empty_69 = tensor.empty() : tensor<1x20xf32> loc("<std.nn>":95:9)
    %sigmoid = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_2 : tensor<1x20xf32>)
        outs(%empty_69 : tensor<1x20xf32>) {
      ^bb0(%in: f32, %_: f32):
        %0 = arith.constant 1.0 : f32 loc("<std.nn>":95:9)
        %1 = math.absf %in : f32 loc("<std.nn>":95:9)
        %2 = arith.negf %1 : f32 loc("<std.nn>":95:9)
        %3 = math.exp %2 : f32 loc("<std.nn>":95:9)
        %4 = arith.constant 0.0 : f32 loc("<std.nn>":95:9)
        %5 = arith.cmpf oge, %in, %4 : f32 loc("<std.nn>":95:9)
        %6 = arith.select %5, %0, %3 : f32 loc("<std.nn>":95:9)
        %7 = arith.addf %0, %3 : f32 loc("<std.nn>":95:9)
        %8 = arith.divf %6, %7 : f32 loc("<std.nn>":95:9)
        linalg.yield %8 : f32 loc("<std.nn>":95:9)
    } -> tensor<1x20xf32> loc("<std.nn>":95:9)
    %empty_70 = tensor.empty() : tensor<1x20xf32> loc("<std.nn>":95:5)
    %silu = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_2, %sigmoid : tensor<1x20xf32>, tensor<1x20xf32>)
        outs(%empty_70 : tensor<1x20xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":95:5)
        linalg.yield %0 : f32 loc("<std.nn>":95:5)
    } -> tensor<1x20xf32> loc("<std.nn>":95:5)
    %empty_71 = tensor.empty() : tensor<1x20xf32> loc("llama.tdsl":65:35)
    %filled_7 = linalg.fill ins(%zero : f32) outs(%empty_71 : tensor<1x20xf32>) -> tensor<1x20xf32> loc("llama.tdsl":65:35)
    %matmul_6 = linalg.matmul ins(%normed, %p.blocks.up_1 : tensor<1x8xf32>, tensor<8x20xf32>) outs(%filled_7 : tensor<1x20xf32>) -> tensor<1x20xf32> loc("llama.tdsl":65:35)
    %empty_72 = tensor.empty() : tensor<1x20xf32> loc("llama.tdsl":65:10)
    %mul_12 = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%silu, %matmul_6 : tensor<1x20xf32>, tensor<1x20xf32>)
        outs(%empty_72 : tensor<1x20xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.mulf %in, %in_1 : f32 loc("llama.tdsl":65:10)
        linalg.yield %0 : f32 loc("llama.tdsl":65:10)
    } -> tensor<1x20xf32> loc("llama.tdsl":65:10)
    %empty_73 = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":65:9)
    %filled_8 = linalg.fill ins(%zero : f32) outs(%empty_73 : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":65:9)
    %matmul_7 = linalg.matmul ins(%mul_12, %p.blocks.down_1 : tensor<1x20xf32>, tensor<20x8xf32>) outs(%filled_8 : tensor<1x8xf32>) -> tensor<1x8xf32> loc("llama.tdsl":65:9)
    %empty_74 = tensor.empty() : tensor<1x8xf32> loc("llama.tdsl":65:5)
    %finish = linalg.generic {indexing_maps = [#ij, #ij, #ij], iterator_types = ["parallel", "parallel"]}
        ins(%y_1, %matmul_7 : tensor<1x8xf32>, tensor<1x8xf32>)
        outs(%empty_74 : tensor<1x8xf32>) {
      ^bb0(%in: f32, %in_1: f32, %_: f32):
        %0 = arith.addf %in, %in_1 : f32 loc("llama.tdsl":65:5)
        linalg.yield %0 : f32 loc("llama.tdsl":65:5)
    } -> tensor<1x8xf32> loc("llama.tdsl":65:5)
    %put_1 = tensor.insert_slice %keys into %keyss[%step, 0, 0, 0] [1, 2, 8, 2] [1, 1, 1, 1] : tensor<2x8x2xf32> into tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
    %put_2 = tensor.insert_slice %values into %valuess[%step, 0, 0, 0] [1, 2, 8, 2] [1, 1, 1, 1] : tensor<2x8x2xf32> into tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
    scf.yield %finish, %put_1, %put_2 : tensor<1x8xf32>, tensor<2x2x8x2xf32>, tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
  } loc("llama.tdsl":87:5)
  %empty_75 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:20)
  %mul_13 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%looped#0 : tensor<1x8xf32>)
      outs(%empty_75 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.mulf %in, %in : f32 loc("<std.nn>":254:20)
      linalg.yield %0 : f32 loc("<std.nn>":254:20)
  } -> tensor<1x8xf32> loc("<std.nn>":254:20)
  %zero_1 = arith.constant 0.0 : f32 loc("<std.nn>":254:15)
  %empty_76 = tensor.empty() : tensor<1xf32> loc("<std.nn>":254:15)
  %initial_4 = linalg.fill ins(%zero_1 : f32) outs(%empty_76 : tensor<1xf32>) -> tensor<1xf32> loc("<std.nn>":254:15)
  %sum_3 = linalg.generic {indexing_maps = [#ij, #ij_i], iterator_types = ["parallel", "reduction"]}
      ins(%mul_13 : tensor<1x8xf32>)
      outs(%initial_4 : tensor<1xf32>) {
    ^bb0(%in: f32, %acc: f32):
      %0 = arith.addf %in, %acc : f32 loc("<std.nn>":254:15)
      linalg.yield %0 : f32 loc("<std.nn>":254:15)
  } -> tensor<1xf32> loc("<std.nn>":254:15)
  %empty_77 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
  %mean_2 = linalg.generic {indexing_maps = [#ij_i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%sum_3 : tensor<1xf32>)
      outs(%empty_77 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = arith.constant 8.0 : f32 loc("<std.nn>":254:15)
      %1 = arith.divf %in, %0 : f32 loc("<std.nn>":254:15)
      linalg.yield %1 : f32 loc("<std.nn>":254:15)
  } -> tensor<1x1xf32> loc("<std.nn>":254:15)
  %empty_78 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:15)
  %add_5 = linalg.generic {indexing_maps = [#ij, #ij_scalar, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mean_2, %epsilon : tensor<1x1xf32>, tensor<f32>)
      outs(%empty_78 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.addf %in, %in_1 : f32 loc("<std.nn>":254:15)
      linalg.yield %0 : f32 loc("<std.nn>":254:15)
  } -> tensor<1x1xf32> loc("<std.nn>":254:15)
  %empty_79 = tensor.empty() : tensor<1x1xf32> loc("<std.nn>":254:9)
  %rsqrt_2 = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%add_5 : tensor<1x1xf32>)
      outs(%empty_79 : tensor<1x1xf32>) {
    ^bb0(%in: f32, %_: f32):
      %0 = math.rsqrt %in : f32 loc("<std.nn>":254:9)
      linalg.yield %0 : f32 loc("<std.nn>":254:9)
  } -> tensor<1x1xf32> loc("<std.nn>":254:9)
  %empty_80 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
  %mul_14 = linalg.generic {indexing_maps = [#ij, #ij_i0, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%looped#0, %rsqrt_2 : tensor<1x8xf32>, tensor<1x1xf32>)
      outs(%empty_80 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
      linalg.yield %0 : f32 loc("<std.nn>":254:5)
  } -> tensor<1x8xf32> loc("<std.nn>":254:5)
  %empty_81 = tensor.empty() : tensor<1x8xf32> loc("<std.nn>":254:5)
  %rms_norm = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%mul_14, %p.norm : tensor<1x8xf32>, tensor<8xf32>)
      outs(%empty_81 : tensor<1x8xf32>) {
    ^bb0(%in: f32, %in_1: f32, %_: f32):
      %0 = arith.mulf %in, %in_1 : f32 loc("<std.nn>":254:5)
      linalg.yield %0 : f32 loc("<std.nn>":254:5)
  } -> tensor<1x8xf32> loc("<std.nn>":254:5)
  %empty_82 = tensor.empty() : tensor<8x11xf32> loc("llama.tdsl":118:66)
  %transposed_2 = linalg.transpose ins(%p.head : tensor<11x8xf32>) outs(%empty_82 : tensor<8x11xf32>) permutation = [1, 0] loc("llama.tdsl":118:66)
  %empty_83 = tensor.empty() : tensor<1x11xf32> loc("llama.tdsl":118:18)
  %filled_9 = linalg.fill ins(%zero_1 : f32) outs(%empty_83 : tensor<1x11xf32>) -> tensor<1x11xf32> loc("llama.tdsl":118:18)
  %logits = linalg.matmul ins(%rms_norm, %transposed_2 : tensor<1x8xf32>, tensor<8x11xf32>) outs(%filled_9 : tensor<1x11xf32>) -> tensor<1x11xf32> loc("llama.tdsl":118:18)
  %shape_6 = arith.constant dense<[11]> : tensor<1xindex> loc("llama.tdsl":119:6)
  %reshaped_5 = tensor.reshape %logits(%shape_6) : (tensor<1x11xf32>, tensor<1xindex>) -> tensor<11xf32> loc("llama.tdsl":119:6)
  return %reshaped_5, %looped#1, %looped#2 : tensor<11xf32>, tensor<2x2x8x2xf32>, tensor<2x2x8x2xf32> loc("llama.tdsl":87:5)
} loc("llama.tdsl":87:5)

func.func private @tdsl.check_position(i64, i64, i64)
