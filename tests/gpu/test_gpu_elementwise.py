"""Every elementwise primitive and every builtin on every dtype, on the emulator and as PTX."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from lowering.emission_support import Making, reference

from tdsl.check.modules import check_source
from tdsl.gpu.compiler import compile_emulated, compile_ptx
from tdsl.graph.graph import Graph
from tdsl.lowering.device import DEVICES
from tdsl.lowering.emit import emit_module
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Options
from tdsl.ops.builtins import BUILTINS, STRUCTURAL
from tdsl.ops.primitives import PRIMITIVES
from tdsl.runtime import testing
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES, DType

Array = np.ndarray[Any, Any]
ELEMENTWISE = [
    name
    for name, primitive in PRIMITIVES.items()
    if primitive.family == "elementwise" and name not in ("select", "cast")
]
TOLERANCE = {"f64": 1e-13, "f32": 3e-6, "f16": 2e-3, "bf16": 1.6e-2}


def values(dtype: DType) -> Array:
    if dtype.kind == "bool":
        return np.array([False, True])
    if dtype.is_float:
        found = [0.0, -0.0, 1, -1, 0.5, 2.5, -2.5, 3, -7.25, 60, 1e-3]
        return np.array([*found, np.inf, -np.inf, np.nan, 300.0, -1e4]).astype(dtype.numpy)
    limits = np.iinfo(dtype.numpy)
    found = [0, 1, 2, 7, 31, limits.max, limits.min, limits.min + 1]
    return np.array(found + [-1, -3, -7] * (dtype.kind == "int"), dtype.numpy)


def run(graph: Graph, arrays: list[Array]) -> list[Array]:
    """The results on the emulator; that there is PTX is checked on the way."""
    text, interface = emit_module(graph, (), locations=False), Interface.of_graph(graph)
    for chip in ("sm_80", "sm_90"):
        made = compile_ptx(text, Options(), interface, DEVICES[chip])
        assert made.ptx.count(".entry ") == len(made.plan.kernels)
    program = compile_emulated(text, Options(), interface, DEVICES["sm_80"])
    results = [
        np.empty([size.literal or 0 for size in node.type.shape], node.type.dtype.numpy)
        for node in graph.results
    ]
    program.run([a.ctypes.data for a in arrays], [a.ctypes.data for a in results])
    return results


def applying(dtype: DType, arity: int) -> list[str]:
    found = []
    for name in ELEMENTWISE:
        making = Making()
        x = making.input("x", dtype.name, 2)
        try:
            making.raw(name, *[x] * arity)
        except Exception:
            continue
        found.append(name)
    return found


def close(name: str, found: Array, wanted: Array, dtype: DType) -> None:
    assert found.dtype == wanted.dtype, name
    if found.dtype.kind in "iub":
        np.testing.assert_array_equal(found, wanted, err_msg=name)
        return
    tolerance = TOLERANCE[dtype.name]
    np.testing.assert_allclose(
        found.astype(np.float64),
        wanted.astype(np.float64),
        rtol=tolerance,
        atol=tolerance * 1e-2,
        err_msg=name,
    )


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_elementwise_primitives(dtype: DType) -> None:
    one = values(dtype)
    left, right = (side.ravel().copy() for side in np.meshgrid(one, one))
    making = Making()
    x, y = (making.input(name, dtype.name, len(left)) for name in "xy")
    names = [(name, 1) for name in applying(dtype, 1)]
    names += [(name, 2) for name in applying(dtype, 2) if (name, 1) not in names]
    graph = making.graph(*(making.raw(name, *(x, y)[:arity]) for name, arity in names))
    arrays = [left, right]
    with np.errstate(all="ignore"):
        wanted = reference(graph, arrays)
    for (name, _), mine, theirs in zip(names, run(graph, arrays), wanted, strict=True):
        close(name, mine, theirs, dtype)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_casts(dtype: DType) -> None:
    given = values(dtype)
    if dtype.is_float:  # elsewhere an integer's value is not specified
        wide = given.astype(np.float64)
        given = given[np.isfinite(wide) & (wide >= 0) & (wide < 128)]
    making = Making()
    x = making.input("x", dtype.name, len(given))
    targets = [target for target in DTYPES.values() if target != dtype]
    graph = making.graph(*(making.raw("cast", x, dtype=target) for target in targets))
    for target, mine, theirs in zip(
        targets, run(graph, [given]), reference(graph, [given]), strict=True
    ):
        np.testing.assert_array_equal(mine, theirs, err_msg=str(target))


NAMES = [*BUILTINS, *STRUCTURAL]
EACH = 12


@pytest.mark.parametrize("first", range(0, len(NAMES), EACH))
def test_the_examples_of_builtins_hold(first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one test block of assertions, which becomes one function."""
    build = testing.build
    monkeypatch.setattr(testing, "build", lambda *given: build(*given, target="gpu-emulator"))
    assertions = "\n".join(
        f"    assert {(BUILTINS.get(name) or STRUCTURAL[name]).example}"
        for name in NAMES[first : first + EACH]
    )
    text = f'tdsl 0.1\ntest "examples" {{\n{assertions}\n}}\n'
    program = check_source(Source("example.tdsl", text), None).program
    assert program is not None
    (verdict,) = testing.run_tests(program)
    assert verdict.diagnostics == ()
    assert testing.NATIVE in verdict.ways
