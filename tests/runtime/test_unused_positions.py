"""Positions of a value that nobody reads: out of range, they raise natively as in the evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tdsl
from tdsl.graph.elaborate import elaborate
from tdsl.graph.graph import CHECK
from tdsl.graph.printer import print_graph
from tdsl.reference.evaluate import evaluate
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution

TEXT = """tdsl 0.1

pub fn taken[N](x: f32[N], at: i32) -> f32[N] {
    let _rows = take(x, stack([i32(0), at, at + 1]))
    x + 1
}
pub fn cut[N](x: f32[N], at: i32) -> f32[N] where 2 <= N {
    let _part = slice(x * 2, at=[at], size=[2])
    x + 1
}
pub fn put[N](x: f32[N], at: i32) -> f32[N] where 2 <= N {
    let _new = update(x, x[0:2], at=[at])
    x + 1
}
pub fn matrix[N](x: f32[N], at: i32) -> f32[N] where 2 <= N {
    let _part = slice(x[:, newaxis] * x[newaxis, :], at=[i32(0), at], size=[2, 2])
    x + 1
}
pub fn chain[N](x: f32[N], at: i32) -> f32[N] {
    let found = i32(take(x, at))
    let _again = take(x * 3, found)
    x + 1
}
pub fn ids[N](x: f32[N], at: i32) -> f32[N] {
    let _rows = take(x, stack([stack([i32(0), at]), stack([at, i32(0)])]))
    x + 1
}
pub fn stepwise[N](x: f32[N], at: i32) -> f32[N] {
    fold s = x for i in 0..3 {
        let _row = take(s, at + 1 - i32(i))
        s + 1
    }
}
pub fn unused_loop[N](x: f32[N], at: i32) -> f32[N] {
    let _loop = fold s = f32(0) for i in 0..3 { s + take(x, at) }
    x + 1
}
pub fn nested[N](x: f32[N], at: i32) -> f32[N] {
    fold s = x for i in 0..2 {
        let _inner = fold t = s for j in 0..2 {
            let _row = take(t, at + i32(j))
            t * 2
        }
        s + 1
    }
}
pub fn unused_list[N](x: f32[N], at: i32) -> f32[N] {
    let _list = [take(x, at + i32(i)) for i in 0..N]
    x + 1
}
"""
NAMES = [line.split("[")[0].removeprefix("pub fn ") for line in TEXT.splitlines() if "fn" in line]
X = np.arange(5, dtype=np.float32)


def evaluated(module: Any, name: str, at: int) -> Any:
    function = getattr(module, name)
    sizes = {
        symbol: Size.of(5)
        for parameter in function._signature.sizes
        for symbol in parameter.value.symbols()
    }
    try:
        return evaluate(
            function._program,
            function._signature.function,
            [X, np.asarray(at, np.int32)],
            Substitution(sizes, {}, {}),
        )
    except IndexError as problem:
        return str(problem)


def native(call: Any, at: int) -> Any:
    try:
        return call(X, np.int32(at))
    except IndexError as problem:
        return str(problem)


@pytest.mark.parametrize("kernels", ["all", "none"])
@pytest.mark.parametrize("dynamic", [(), ("N",)])
@pytest.mark.parametrize("name", NAMES)
def test_it_raises_as_the_evaluator_does(name: str, dynamic: tuple[str, ...], kernels: str) -> None:
    module = tdsl.loads(TEXT, name="unused", kernels=kernels)
    call = getattr(module, name).compile(dynamic=dynamic)
    wanted = [evaluated(module, name, at) for at in range(-2, 7)]
    assert {type(one) for one in wanted} == {str, np.ndarray} or name == "unused_list"
    assert any(isinstance(one, str) for one in wanted)
    for at, one in zip(range(-2, 7), wanted, strict=True):
        found = native(call, at)
        if isinstance(one, str):
            assert found == one, at
        else:
            np.testing.assert_array_equal(found, one)


@pytest.mark.parametrize("name", NAMES)
def test_where_bounds_are_not_checked_nothing_is(name: str) -> None:
    call = getattr(tdsl.loads(TEXT, bounds="clamp"), name)
    for at in (-2, 9):
        found = call(X, np.int32(at))
        np.testing.assert_array_equal(found, call(X, np.int32(0)))


def graph_of(name: str, text: str = TEXT) -> Any:
    function = getattr(tdsl.loads(text, name="unused"), name)
    sizes = {
        symbol: Size.of(5)
        for parameter in function._signature.sizes
        for symbol in parameter.value.symbols()
    }
    return elaborate(function._program, function._signature.function, Substitution(sizes, {}, {}))


def test_only_the_positions_are_computed() -> None:
    graph = graph_of("cut")
    (kept,) = graph.kept
    assert kept.operation == CHECK
    assert [node.operation for node in kept.inputs] == ["cast"]
    assert "mul" not in {node.operation for node in graph.nodes()}
    assert "  check dynamic_slice(%1 in axis 0 of 5)  # <unused>:8:17" in print_graph(graph)
    # The first take gives the positions of the second, and checks its own.
    operations = [node.operation for node in graph_of("chain").nodes()]
    assert operations.count("gather") == 1
    assert operations.count(CHECK) == 1


def test_what_is_used_and_what_cannot_fail_is_not_kept() -> None:
    text = """tdsl 0.1
pub fn used[N](x: f32[N], at: i32) -> f32 { take(x, at) }
pub fn inside[N](x: f32[N]) -> f32[N] where 2 <= N {
    let _part = slice(x, at=[i32(1)], size=[2])
    x + 1
}
pub fn unused_loop[N](x: f32[N]) -> f32[N] {
    let _loop = fold s = f32(0) for i in 0..3 { s + x[0] }
    x + 1
}
"""
    for name in ("used", "inside", "unused_loop"):
        assert graph_of(name, text).kept == ()


def test_a_size_that_is_only_checked_must_be_known() -> None:
    text = """tdsl 0.1
pub fn f[static H, N](x: f32[N], at: i32) -> f32[N] {
    let _row = take(zeros([H], f32), at)
    x
}
"""
    function = tdsl.loads(text, name="unused").f
    (open_,) = (p.value for p in function._signature.sizes if p.static)
    sizes = {
        symbol: Size.of(5)
        for p in function._signature.sizes
        for symbol in p.value.symbols()
        if not p.static
    }
    (symbol,) = open_.symbols()
    reference = function._signature.function
    with pytest.raises(DiagnosticError, match="no argument of `f` has it as an axis"):
        elaborate(function._program, reference, Substitution({**sizes, symbol: open_}, {}, {}))
