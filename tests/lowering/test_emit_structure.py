"""Reductions, shape operations and products, run natively, against their NumPy functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from emission_support import Making, reference, run, shape

from tdsl.graph.claims import find_claims
from tdsl.graph.graph import Graph, Node
from tdsl.lowering.emit import emit_module
from tdsl.lowering.options import Kernels, Options
from tdsl.types.dtypes import DTYPES, DType
from tdsl.types.sizes import Size, Symbol, opaque

F32, I64 = DTYPES["f32"], DTYPES["i64"]


def random(dtype: DType, *sizes: int) -> Any:
    generator = np.random.default_rng(sum(sizes))
    if dtype.kind == "bool":
        return generator.random(sizes) < 0.7
    if dtype.is_float:
        return generator.standard_normal(sizes).astype(dtype.numpy)
    return generator.integers(0 if dtype.kind == "uint" else -9, 9, sizes).astype(dtype.numpy)


def check(graph: Graph, arrays: list[Any], sizes: dict[Symbol, int] | None = None) -> None:
    found = run(graph, arrays, sizes=sizes or {})
    wanted = reference(graph, arrays, sizes or {})
    for node, left, right in zip(graph.results, found, wanted, strict=True):
        dtype = node.type.dtype
        assert left.shape == right.shape
        assert left.dtype == right.dtype
        if dtype.is_float:
            tolerance = {"f64": 1e-13, "f32": 2e-6, "f16": 5e-3, "bf16": 5e-2}[dtype.name]
            left, right = left.astype(np.float64), right.astype(np.float64)
            np.testing.assert_allclose(left, right, tolerance, tolerance, err_msg=str(node))
        else:
            np.testing.assert_array_equal(left, right, err_msg=str(node))


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_reductions(dtype: DType) -> None:
    making = Making()
    x = making.input("x", dtype.name, 3, 1, 5)
    build = making.build
    names = ["max", "min"] + ([] if dtype.kind == "bool" else ["sum", "prod"])
    results = [
        making.raw(f"reduce_{name}", x, axes=axes)
        for name in names
        for axes in ((0,), (2,), (1,), (0, 2), (0, 1, 2))
    ]
    results += [making.raw(name, x, axis=axis) for name in ("argmax", "argmin") for axis in (0, 2)]
    if dtype.kind != "bool":
        results += [build.cumsum(x, 2), build.cumsum(x, 0), making.raw("cumsum", x, axis=1)]
    check(making.graph(*results), [random(dtype, 3, 1, 5)])


@pytest.mark.parametrize("place", [0, 7, 15, 16, 32])
def test_nan_anywhere_in_a_row(place: int) -> None:
    row = np.linspace(-3, 3, 33, dtype=np.float32)
    row[place] = np.nan
    making = Making()
    x = making.input("x", "f32", 33)
    results = [making.build.reduce(name, x, (0,)) for name in ("max", "min", "sum")]
    results += [making.build.arg_reduce("max", x, 0), making.build.arg_reduce("min", x, 0)]
    check(making.graph(*results), [row])


def test_rows_of_one_infinity() -> None:
    making = Making()
    x = making.input("x", "f32", 2, 3)
    results = [making.build.arg_reduce(name, x, 1) for name in ("max", "min")]
    results += [making.build.reduce(name, x, (1,)) for name in ("max", "min")]
    check(making.graph(*results), [np.full((2, 3), -np.inf, "f4")])
    check(making.graph(*results), [np.full((2, 3), np.inf, "f4")])


@pytest.mark.parametrize(
    "dtype", [DTYPES[name] for name in ("f32", "bool", "bf16", "i64")], ids=str
)
def test_shapes(dtype: DType) -> None:
    making = Making()
    build = making.build
    x = making.input("x", dtype.name, 4, 6)
    y = making.input("y", dtype.name, 4, 1)
    scalar = making.input("scalar", dtype.name)
    part = build.slice(x, shape(1, 2), shape(2, 3))
    column = build.slice(x, shape(0, 2), shape(4, 1))
    results = [
        build.reshape(x, shape(2, 2, 6)),
        build.reshape(part, shape(3, 2)),
        build.reshape(build.slice(x, shape(3, 5), shape(1, 1)), ()),
        build.reshape(column, shape(4)),
        build.reshape(scalar, shape(1, 1)),
        build.transpose(x, (1, 0)),
        build.transpose(build.reshape(x, shape(2, 2, 6)), (2, 0, 1)),
        part,
        build.concat([x, y, x], 1),
        build.concat([x, part_of_six(making, x), x], 0),
        build.concat([build.broadcast_in_dim(x, shape(1, 4, 6), (1, 2))] * 2, 0),
        build.broadcast_to(y, shape(3, 4, 5)),
        build.broadcast_to(scalar, shape(2, 2)),
        build.broadcast_in_dim(x, shape(4, 3, 6), (0, 2)),
        build.pad(x, shape(1, 0), shape(0, 2), scalar),
        build.pad(x, shape(0, 3), shape(0, 0), build.constant(1, dtype)),
        build.reverse(x, (0,)),
        build.reverse(x, (0, 1)),
        build.iota(shape(3, 2), 0, dtype) if dtype.kind != "bool" else x,
        build.broadcast_to(build.constant(1, dtype), shape(2, 3)),
        build.constant(1, dtype),
        scalar,
    ]
    check(making.graph(*results), [random(dtype, 4, 6), random(dtype, 4, 1), random(dtype)])


def part_of_six(making: Making, x: Node) -> Node:
    return making.build.slice(x, shape(2, 0), shape(1, 6))


@pytest.mark.parametrize("start", [0, 5, 10])
def test_slice_reshape_transpose_alone(start: int) -> None:
    making = Making()
    build = making.build
    x = making.input("x", "f32", 7, 15)
    taken = build.slice(x, shape(0, start), shape(7, 5))
    split = build.reshape(build.slice(x, shape(0, start), shape(7, 4)), shape(7, 2, 2))
    turned = build.transpose(split, (1, 0, 2))
    check(making.graph(taken, split, turned), [random(F32, 7, 15)])


def test_elementwise_operands_that_broadcast() -> None:
    making = Making()
    build = making.build
    x = making.input("x", "f32", 3, 4)
    row, column = making.input("row", "f32", 4), making.input("column", "f32", 3, 1)
    scalar = making.input("scalar", "f32")
    means = build.broadcast_in_dim(build.reduce("max", x, (1,)), shape(3, 1), (0,))
    results = [
        build.elementwise("add", x, row),
        build.elementwise("mul", column, row),
        build.elementwise("sub", scalar, x),
        build.elementwise("sub", x, means),
        build.elementwise("add", build.broadcast_to(column, shape(2, 3, 4)), x),
        build.elementwise("mul", scalar, scalar),
    ]
    arrays = [random(F32, 3, 4), random(F32, 4), random(F32, 3, 1), random(F32)]
    check(making.graph(*results), arrays)


@pytest.mark.parametrize("dtype", ["f32", "f64", "i32", "i64", "u32"])
@pytest.mark.parametrize("kernels", ["all", "none", "matmul:loops"])
def test_products(dtype: str, kernels: str) -> None:
    making = Making()
    build = making.build
    a, b = making.input("a", dtype, 3, 5), making.input("b", dtype, 5, 7)
    c, d = making.input("c", dtype, 2, 3, 5), making.input("d", dtype, 2, 7, 5)
    at = build.transpose(build.transpose(a, (1, 0)), (1, 0))
    results = [
        build.matmul(a, b),
        build.matmul(build.transpose(b, (1, 0)), build.transpose(a, (1, 0))),
        build.matmul(at, build.transpose(a, (1, 0))),
        build.matmul(c, build.transpose(d, (0, 2, 1))),
        build.matmul(build.slice(a, shape(0, 1), shape(3, 2)), build.slice(b, shape(2, 0), shape(2, 7))),
        making.raw("matmul", build.slice(a, shape(0, 0), shape(1, 1)), build.slice(b, shape(0, 0), shape(1, 1))),
    ]  # fmt: skip
    graph = making.graph(*results)
    arrays = [random(DTYPES[dtype], *sizes) for sizes in ((3, 5), (5, 7), (2, 3, 5), (2, 7, 5))]
    options = Options(kernels=Kernels.parse(kernels))
    claims, _ = find_claims(graph, options.kernels.kinds)
    found = run(graph, arrays, claims, options=options)
    for left, right in zip(found, reference(graph, arrays), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-5)


def test_without_the_fill_a_product_is_wrong() -> None:
    making = Making()
    a, b = making.input("a", "f32", 3, 5), making.input("b", "f32", 5, 7)
    graph = making.graph(making.build.matmul(a, b))
    arrays = [random(F32, 3, 5), random(F32, 5, 7)]
    text = emit_module(graph, locations=False)
    fill = next(line for line in text.splitlines() if "linalg.fill" in line)
    unfilled = text.replace(f"{fill}\n", "").replace("%filled", "%empty")
    loops = Options(kernels=Kernels.none())
    (right,) = run(graph, arrays, text=text, options=loops)
    (wrong,) = run(graph, arrays, text=unfilled, options=loops)
    np.testing.assert_allclose(right, arrays[0] @ arrays[1], rtol=2e-6, atol=2e-6)
    # The product adds to what it finds, and `run` leaves ones in the results.
    np.testing.assert_allclose(wrong, right + 1, rtol=2e-6, atol=2e-6)


def test_open_sizes() -> None:
    t, n = Symbol("T"), Symbol("N")
    T, N = Size.of(t), Size.of(n)
    making = Making()
    build = making.build
    x, y = making.input("x", "f32", T, 3 * N), making.input("y", "f32", N, 2)
    part = build.slice(x, (Size.of(0), N), (T, N))
    length = build.cast(build.elementwise("sqrt", build.cast(build.size(T), DTYPES["f64"])), F32)
    results = [
        build.matmul(part, y),
        build.elementwise("div", part, length),
        build.reshape(x, (T, Size.of(3), N)),
        build.reshape(x, (T * 3 * N,)),
        build.transpose(x, (1, 0)),
        build.concat([x, part], 1),
        build.pad(y, shape(0, 1), (N, Size.of(0)), length),
        build.reverse(x, (1,)),
        build.cumsum(x, 1),
        build.reduce("sum", x, (0,)),
        build.arg_reduce("max", x, 1),
        build.iota((T, N), 0, F32),
        build.elementwise("less_equal", build.iota((T, T), 1, DTYPES["i64"]), build.iota((T, T), 0, DTYPES["i64"])),
        build.broadcast_to(build.constant(2, F32), (T, T)),
        length,
        build.size(T * N - 1),
    ]  # fmt: skip
    graph = making.graph(*results)
    for sizes in ({t: 1, n: 1}, {t: 5, n: 2}, {t: 9, n: 129}):
        arrays = [random(F32, sizes[t], 3 * sizes[n]), random(F32, sizes[n], 2)]
        check(graph, arrays, sizes)


def test_an_open_size_read_off_an_axis_with_a_factor() -> None:
    q = Symbol("q")
    making = Making()
    x = making.input("x", "f32", 4 * Size.of(q) + 2)
    graph = making.graph(making.build.iota((Size.of(q),), 0, DTYPES["i64"]), x)
    assert "arith.floordivsi" in emit_module(graph, locations=False)
    check(graph, [random(F32, 14)], {q: 3})


def test_open_sizes_with_division_and_choice() -> None:
    a, b = Symbol("A"), Symbol("B")
    A, B = Size.of(a), Size.of(b)
    making = Making()
    x = making.input("x", "f32", A, B)
    derived = [opaque("//", A, B), opaque("%", A - 7, B), opaque("min", A, B), opaque("max", A, B * 2)]  # fmt: skip
    graph = making.graph(
        *map(making.build.size, derived), making.build.iota((derived[3],), 0, I64), x
    )
    for sizes in ({a: 5, b: 3}, {a: 3, b: 5}, {a: 7, b: 7}):
        check(graph, [random(F32, sizes[a], sizes[b])], sizes)


def test_results_are_memory_of_their_own() -> None:
    making = Making()
    x, unused = making.input("x", "f32", 4), making.input("unused", "f32", 2)
    doubled = making.build.elementwise("add", x, x)
    graph = making.graph(x, doubled, doubled, making.build.reshape(x, shape(2, 2)))
    arrays = [random(F32, 4), random(F32, 2)]
    before = [array.copy() for array in arrays]
    check(graph, arrays)
    for array, kept in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, kept)
    assert unused in graph.inputs
