"""The graph builder: equal values are one node, and what needs no node gets none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from tdsl.graph.builder import MOST_NODES, GraphBuilder
from tdsl.graph.graph import ArrayType, Node
from tdsl.graph.simplify import REWRITES, lossless
from tdsl.ops.primitives import PRIMITIVES
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size, Symbol

F16, F32, F64, I32, I64 = (DTYPES[name] for name in ("f16", "f32", "f64", "i32", "i64"))


def shape(*sizes: int) -> tuple[Size, ...]:
    return tuple(map(Size.of, sizes))


@pytest.fixture
def build() -> GraphBuilder:
    return GraphBuilder()


@pytest.fixture
def x(build: GraphBuilder) -> Node:
    return build.input("x", 0, ArrayType(F32, shape(2, 3, 4)))


def test_equal_values_are_one_node(build: GraphBuilder, x: Node) -> None:
    assert build.elementwise("exp", x) is build.elementwise("exp", x)
    assert build.transpose(x, (1, 0, 2)) is build.transpose(x, (1, 0, 2))
    assert build.transpose(x, (1, 0, 2)) is not build.transpose(x, (0, 2, 1))
    assert build.constant(0.5, F32) is build.constant(0.5, F32)
    assert build.constant(1, F32) is not build.constant(1, F64)
    assert build.constant(0.0, F32) is not build.constant(-0.0, F32)
    assert build.constant(math.nan, F32) is build.constant(math.nan, F32)
    assert build.constant(True, DTYPES["bool"]) is not build.constant(1, I64)


def test_constants_are_rounded_once(build: GraphBuilder) -> None:
    assert build.known(build.constant(0.1, F32)) == float(np.float32(0.1))
    assert build.known(build.constant(1e300, F32)) == math.inf
    assert build.known(build.constant(-1e10, F16)) == -math.inf
    assert build.known(build.constant(300, DTYPES["u8"])) == 300 - 256


def test_constants_are_folded(build: GraphBuilder) -> None:
    two, three = build.constant(2.0, F32), build.constant(3.0, F32)
    assert build.elementwise("mul", two, three) is build.constant(6.0, F32)
    assert build.cast(three, I64) is build.constant(3, I64)
    less = build.elementwise("less", two, three)
    assert build.known(less) is True
    filled = build.broadcast_to(two, shape(2, 3, 4))
    product = build.elementwise("mul", filled, three)
    assert build.known(product) == 6.0
    assert product.type.shape == shape(2, 3, 4)
    # In the dtype itself: 2**24 + 1 is not an f32.
    big = build.elementwise("add", build.constant(2.0**24, F32), build.constant(1.0, F32))
    assert build.known(big) == 2.0**24


@pytest.mark.parametrize(
    "same",
    [
        lambda b, x: b.reshape(x, x.type.shape),
        lambda b, x: b.transpose(x, (0, 1, 2)),
        lambda b, x: b.transpose(b.transpose(x, (1, 2, 0)), (2, 0, 1)),
        lambda b, x: b.cast(x, F32),
        lambda b, x: b.cast(b.cast(x, F64), F32),
        lambda b, x: b.broadcast_to(x, x.type.shape),
        lambda b, x: b.slice(x, shape(0, 0, 0), x.type.shape),
        lambda b, x: b.reshape(b.reshape(x, shape(24)), x.type.shape),
        lambda b, x: b.concat([x], 1),
        lambda b, x: b.pad(x, shape(0, 0, 0), shape(0, 0, 0), b.constant(1.0, F32)),
        lambda b, x: b.reverse(x, ()),
        lambda b, x: b.reduce("sum", x, ()),
        lambda b, x: b.elementwise("mul", x, b.constant(1.0, F32)),
        lambda b, x: b.elementwise("mul", b.constant(1.0, F32), x),
        lambda b, x: b.elementwise("div", x, b.constant(1.0, F32)),
        lambda b, x: b.elementwise("sub", x, b.constant(0.0, F32)),
        lambda b, x: b.select(b.constant(True, DTYPES["bool"]), x, b.elementwise("exp", x)),
    ],
)
def test_nothing_is_done_to_get_the_same_value(build: GraphBuilder, x: Node, same: Any) -> None:
    assert same(build, x) is x


@pytest.mark.parametrize(
    "other",
    [
        lambda b, x: b.elementwise("add", x, b.constant(0.0, F32)),  # -0 + 0 is 0
        lambda b, x: b.elementwise("sub", x, b.constant(-0.0, F32)),
        lambda b, x: b.elementwise("mul", x, b.constant(0.0, F32)),  # NaN
        lambda b, x: b.cast(b.cast(x, F16), F32),
        lambda b, x: b.elementwise("div", b.constant(1.0, F32), x),
        lambda b, x: b.elementwise("mul", b.broadcast_to(b.constant(1.0, F32), shape(5, 1, 1, 1)), x),
    ],
)  # fmt: skip
def test_what_may_differ_is_kept(build: GraphBuilder, x: Node, other: Any) -> None:
    assert other(build, x) is not x


def test_chains_become_one_step(build: GraphBuilder, x: Node) -> None:
    row = build.reduce("max", x, (2,))
    twice = build.broadcast_to(
        build.broadcast_in_dim(row, shape(2, 3, 1), (0, 1)), shape(5, 2, 3, 4)
    )
    assert twice.inputs == (row,)
    assert twice.attributes["axes"] == (1, 2)
    part = build.slice(
        build.slice(x, shape(1, 0, 1), shape(1, 3, 3)), shape(0, 1, 1), shape(1, 2, 2)
    )
    assert part.inputs == (x,)
    assert part.attributes["starts"] == shape(1, 1, 2)
    flat = build.reshape(build.reshape(x, shape(6, 4)), shape(24))
    assert flat.inputs == (x,)
    turned = build.transpose(build.transpose(x, (2, 0, 1)), (0, 2, 1))
    assert turned.inputs == (x,)
    assert turned.attributes["permutation"] == (2, 1, 0)


def test_the_matrix_transpose_of_moved_rows_stays_for_the_product(
    build: GraphBuilder, x: Node
) -> None:
    heads = build.transpose(x, (1, 0, 2))
    columns = build.transpose(heads, (0, 2, 1))
    assert columns.inputs == (heads,)
    assert build.transpose(columns, (0, 2, 1)) is heads


def test_every_rewrite_is_of_a_primitive() -> None:
    assert set(REWRITES) <= set(PRIMITIVES)


def test_lossless_means_every_value_survives() -> None:
    for source in DTYPES.values():
        for target in DTYPES.values():
            if lossless(source, target) and source.kind != "bool":
                values = _extremes(source)
                back = values.astype(target.numpy).astype(source.numpy)
                np.testing.assert_array_equal(back, values, err_msg=f"{source} {target}")
    assert not lossless(I32, F32)
    assert not lossless(I64, F64)
    assert not lossless(DTYPES["bf16"], F16)
    assert lossless(I32, F64)


def _extremes(dtype: Any) -> Any:
    if dtype.is_float:
        return np.array([1 / 3, -1e4, 65504.0, 3.0]).astype(dtype.numpy)
    limits = np.iinfo(dtype.numpy)
    return np.array([limits.min, limits.max, limits.max - 1, 1], dtype.numpy)


# --- limits


def refusal(build: GraphBuilder, make: Any) -> DiagnosticError:
    source = Source("f.tdsl", "zeros([N], f32)")
    build.span = source.span(0, 5)
    with pytest.raises(DiagnosticError) as caught:
        make()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "E0704"
    assert diagnostic.span is build.span
    return caught.value


@pytest.mark.parametrize(
    "sizes", [(1 << 45,), (1 << 40, 1 << 40), (3, 1 << 44), (1 << 63, 1 << 63)]
)
def test_too_many_bytes_are_refused(build: GraphBuilder, sizes: tuple[int, ...]) -> None:
    zero = build.constant(0.0, F32)
    assert "bytes" in str(refusal(build, lambda: build.broadcast_to(zero, shape(*sizes))))


def test_the_largest_arrays_are_fine(build: GraphBuilder) -> None:
    zero = build.constant(0.0, F32)
    build.broadcast_to(zero, shape((1 << 45) - 1))
    build.broadcast_to(zero, shape(*[1] * 16))
    # What stays open is checked at the call.
    build.broadcast_to(zero, (Size.of(Symbol("N")), Size.of(1 << 44)))


def test_too_many_axes_are_refused(build: GraphBuilder) -> None:
    zero = build.constant(0.0, F32)
    assert "17 axes" in str(refusal(build, lambda: build.broadcast_to(zero, shape(*[1] * 17))))


def test_too_many_operations_are_refused(build: GraphBuilder, x: Node) -> None:
    def grow() -> None:
        value = x
        for _ in range(MOST_NODES + 1):
            value = build.elementwise("add", value, x)

    assert "operations" in str(refusal(build, grow))
