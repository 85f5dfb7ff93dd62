"""What the emitted module says: one idea a test, matched with FileCheck."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from emission_support import Making, file_check, mlir_opt, shape

from tdsl.graph.claims import find_claims
from tdsl.graph.graph import ArrayType, Node
from tdsl.lowering.emit import emit_module
from tdsl.lowering.spelling import identifier, number
from tdsl.lowering.text import mlir_text, verify
from tdsl.ops.primitive import InternalError
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size, Symbol

F32, F64, I64 = DTYPES["f32"], DTYPES["f64"], DTYPES["i64"]


def test_a_linear_layer_is_fill_matmul_and_one_generic(tmp_path: Path) -> None:
    making = Making()
    x, w = making.input("x", "f32", 2, 3), making.input("weight", "f32", 3, 4)
    bias = making.input("bias", "f32", 4)
    product = making.build.matmul(x, w)
    graph = making.graph(making.build.elementwise("add", product, bias), name="linear")
    text = mlir_text(graph)
    file_check(
        text,
        """
CHECK: #ij = affine_map<(i, j) -> (i, j)>
CHECK: #ij_j = affine_map<(i, j) -> (j)>
CHECK: func.func @linear(%x: tensor<2x3xf32>, %weight: tensor<3x4xf32>, %bias: tensor<4xf32>) -> tensor<2x4xf32> {
CHECK-NEXT: %zero = arith.constant 0.0 : f32
CHECK-NEXT: %empty = tensor.empty() : tensor<2x4xf32>
CHECK-NEXT: %filled = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x4xf32>)
CHECK-NEXT: %matmul = linalg.matmul ins(%x, %weight : tensor<2x3xf32>, tensor<3x4xf32>) outs(%filled : tensor<2x4xf32>) -> tensor<2x4xf32>
CHECK-NEXT: %empty_1 = tensor.empty()
CHECK-NEXT: %add = linalg.generic {indexing_maps = [#ij, #ij_j, #ij], iterator_types = ["parallel", "parallel"]}
CHECK-NEXT: ins(%matmul, %bias : tensor<2x4xf32>, tensor<4xf32>)
CHECK-NOT: linalg.broadcast
CHECK: return %add : tensor<2x4xf32>
""",
        tmp_path,
    )
    assert "linalg.matmul" in mlir_opt(text)


def test_batches_are_batch_matmul(tmp_path: Path) -> None:
    making = Making()
    a, b = making.input("a", "f32", 2, 3, 5), making.input("b", "f32", 2, 5, 4)
    file_check(
        mlir_text(making.graph(making.build.matmul(a, b))),
        """
CHECK: linalg.fill ins(%zero : f32)
CHECK-NEXT: linalg.batch_matmul ins(%a, %b : tensor<2x3x5xf32>, tensor<2x5x4xf32>) outs(%filled : tensor<2x3x4xf32>)
""",
        tmp_path,
    )


def test_slices_reshapes_and_transposes_keep_their_names(tmp_path: Path) -> None:
    making = Making()
    build = making.build
    x = making.input("qkv", "f32", 5, 24)
    heads = build.reshape(build.slice(x, shape(0, 8), shape(5, 8)), shape(5, 2, 4))
    text = mlir_text(making.graph(build.transpose(heads, (1, 0, 2))))
    file_check(
        text,
        """
CHECK: %slice = tensor.extract_slice %qkv[0, 8] [5, 8] [1, 1] : tensor<5x24xf32> to tensor<5x8xf32>
CHECK-NEXT: %shape = arith.constant dense<[5, 2, 4]> : tensor<3xindex>
CHECK-NEXT: %reshaped = tensor.reshape %slice(%shape) : (tensor<5x8xf32>, tensor<3xindex>) -> tensor<5x2x4xf32>
CHECK: linalg.transpose ins(%reshaped : tensor<5x2x4xf32>) outs(%{{.*}} : tensor<2x5x4xf32>) permutation = [1, 0, 2]
CHECK-NOT: collapse_shape
CHECK-NOT: expand_shape
""",
        tmp_path,
    )


def test_one_position_of_an_axis_is_a_slice_of_lower_rank(tmp_path: Path) -> None:
    making = Making()
    build = making.build
    x = making.input("x", "f32", 5, 8)
    row = build.reshape(build.slice(x, shape(2, 0), shape(1, 8)), shape(8))
    file_check(
        mlir_text(making.graph(row)),
        """
CHECK: tensor.extract_slice %x[2, 0] [1, 8] [1, 1] : tensor<5x8xf32> to tensor<8xf32>
CHECK-NOT: tensor.reshape
""",
        tmp_path,
    )


def test_a_mask_is_one_generic_over_indices(tmp_path: Path) -> None:
    making = Making()
    build = making.build
    query, key = (build.iota(shape(5, 5), axis, I64) for axis in (0, 1))
    visible = build.elementwise("less_equal", key, query)
    mask = build.select(visible, build.constant(0.0, F32), build.constant(-1e10, F32))
    build.name(mask, "mask")
    x = making.input("scores", "f32", 5, 5)
    text = mlir_text(making.graph(build.elementwise("add", x, mask)))
    file_check(
        text,
        """
CHECK: %mask = linalg.generic {indexing_maps = [#ij], iterator_types = ["parallel", "parallel"]}
CHECK-NEXT: outs(%empty : tensor<5x5xf32>) {
CHECK-NEXT: ^bb0(%_: f32):
CHECK-DAG: linalg.index 0 : index
CHECK-DAG: linalg.index 1 : index
CHECK: arith.cmpi sle
CHECK: arith.constant -1.0e10 : f32
CHECK: arith.select
CHECK-NEXT: linalg.yield
CHECK-NOT: dense<
""",
        tmp_path,
    )
    assert text.count("linalg.generic") == 2


def test_casts_are_explicit(tmp_path: Path) -> None:
    making = Making()
    build = making.build
    scores, scale = making.input("scores", "f32", 2, 3), build.constant(np.sqrt(8), F64)
    wide = build.elementwise("div", build.cast(scores, F64), scale)
    file_check(
        mlir_text(making.graph(wide)),
        """
CHECK: %cast = linalg.generic
CHECK: arith.extf %in : f32 to f64
CHECK: linalg.generic
CHECK: arith.constant 2.8284271247461903 : f64
CHECK: arith.divf %in, %0 : f64
""",
        tmp_path,
    )


def test_open_sizes_are_read_and_computed(tmp_path: Path) -> None:
    t, c = (Size.of(Symbol(name)) for name in "TC")
    making = Making()
    build = making.build
    x = making.input("x", "f32", t, 3 * c)
    y = making.input("y", "f32", c)
    part = build.slice(x, (Size.of(0), 2 * c), (t, c))
    text = mlir_text(making.graph(build.elementwise("add", part, y)))
    file_check(
        text,
        """
CHECK: func.func @f(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32>
CHECK: %C = tensor.dim %y, %c0 : tensor<?xf32>
CHECK: %size = arith.muli %C, %c2 : index
CHECK: %T = tensor.dim %x, %c0
CHECK: tensor.extract_slice %x[0, %size] [%T, %C] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
CHECK: tensor.empty(%T, %C) : tensor<?x?xf32>
""",
        tmp_path,
    )


def test_claims_become_private_functions(tmp_path: Path) -> None:
    making = Making()
    build = making.build
    x, w = making.input("x", "f32", 2, 3), making.input("w", "f32", 4, 3)
    v = making.input("v", "f32", 4, 3)
    results = [build.matmul(x, build.transpose(side, (1, 0))) for side in (w, v)]
    graph = making.graph(*results, name="tied")
    claims, remarks = find_claims(graph)
    text = mlir_text(graph, claims)
    file_check(
        text,
        """
CHECK: func.func @tied(
CHECK-NEXT: %matmul = call @tied.matmul_0(%x, %w)
CHECK-NEXT: %matmul_1 = call @tied.matmul_0(%x, %v)
CHECK-NEXT: return %matmul, %matmul_1
CHECK: func.func private @tied.matmul_0(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) -> tensor<2x4xf32> attributes {tdsl.claim = "matmul", tdsl.layout = "nt"} {
CHECK: linalg.matmul indexing_maps = [#ijk_ik, #ijk_jk, #ijk_ij] ins(%a, %b
CHECK-NOT: func.func
""",
        tmp_path,
    )
    assert [remark.claimed for remark in remarks] == [True, True]


def test_a_bool_is_a_byte_in_tensors_and_a_bit_in_bodies(tmp_path: Path) -> None:
    making = Making()
    x = making.input("flags", "bool", 3)
    file_check(
        mlir_text(making.graph(making.build.elementwise("logical_not", x))),
        """
CHECK: func.func @f(%flags: tensor<3xi8>) -> tensor<3xi8>
CHECK: %[[FALSE:.*]] = arith.constant 0 : i8
CHECK: arith.cmpi ne, %in, %[[FALSE]] : i8
CHECK: arith.xori
CHECK: arith.extui %{{.*}} : i1 to i8
CHECK-NOT: tensor<3xi1>
""",
        tmp_path,
    )


def test_values_are_called_as_in_the_program_and_never_clash() -> None:
    making = Making()
    build = making.build
    x = making.input("in", "f32", 3)
    y = making.input("empty", "f32", 3)
    total = build.elementwise("add", x, y)
    again = build.elementwise("mul", total, total)
    build.name(total, "out")
    build.name(again, "out")
    text = mlir_text(making.graph(again, name="f"))
    assert "@f(%in_value: tensor<3xf32>, %empty: tensor<3xf32>)" in text
    assert "%out = linalg.generic" in text
    assert "%out_1 = linalg.generic" in text


def test_every_operation_has_the_place_of_its_expression() -> None:
    source = Source("some/folder/model.tdsl", "fn f() {\n  exp(x)\n}\n")
    making = Making()
    x = making.input("x", "f32", 3)
    start = source.text.index("exp")
    node = Node(
        "exp", (x,), {}, ArrayType(F32, shape(3)), source.span(start, start + len("exp(x)"))
    )
    graph = making.graph(node)
    text = emit_module(graph)
    assert 'math.exp %in : f32 loc("model.tdsl":2:3)' in text
    assert '} -> tensor<3xf32> loc("model.tdsl":2:3)' in text
    verify(text)
    assert "loc(" not in mlir_text(graph)


def test_invalid_text_is_reported_as_our_fault() -> None:
    with pytest.raises(InternalError, match="not valid MLIR"):
        verify("func.func @f() -> tensor<2xf32> { return }")


@pytest.mark.parametrize(
    ("value", "dtype", "spelled"),
    [
        (0.1, "f32", "0.1"),
        (1e-05, "f32", "1.0e-5"),
        (-1e10, "f32", "-1.0e10"),
        (1e300, "f32", "0x7F800000"),
        (float("-inf"), "f32", "0xFF800000"),
        (float("nan"), "f64", "0x7FF8000000000000"),
        (float("inf"), "f16", "0x7C00"),
        (-1e10, "f16", "0xFC00"),
        (float("-inf"), "bf16", "0xFF80"),
        (3, "f32", "3.0"),
        (-0.0, "f64", "-0.0"),
        (1e22, "f64", "1.0e22"),
        (5e-324, "f64", "5.0e-324"),
        (True, "bool", "true"),
        (2, "i64", "2"),
    ],
)
def test_numbers(value: float, dtype: str, spelled: str) -> None:
    assert number(value, DTYPES[dtype]) == spelled


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16"])
def test_numbers_read_back_exactly(dtype: str) -> None:
    generator = np.random.default_rng(0)
    known = DTYPES[dtype]
    values = generator.standard_normal(200) * 10.0 ** generator.integers(-6, 5, 200)
    values = values.astype(known.numpy)
    lines = "\n".join(
        f"%v{place} = arith.constant {number(float(value), known)} : {dtype}"
        for place, value in enumerate(values)
    )
    printed = mlir_opt(f"func.func @f() {{\n{lines}\nreturn }}", "-mlir-print-op-generic")
    read = [
        float(line.split("value = ")[1].split(" :")[0])
        for line in printed.splitlines()
        if "arith.constant" in line
    ]
    assert np.array(read).astype(known.numpy).tolist() == values.tolist()


def test_identifiers() -> None:
    assert identifier("C//H") == "C_H"
    assert identifier("größe") == "gr_e"
    assert identifier("2nd") == "_2nd"
    assert identifier("α") == "_"
