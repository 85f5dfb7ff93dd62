"""Every elementwise primitive on every dtype, run natively, against its NumPy function."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from emission_support import Making, reference, run

from tdsl.graph.graph import CHECK
from tdsl.lowering.emit import EMITTERS
from tdsl.ops.primitives import PRIMITIVES
from tdsl.types.dtypes import DTYPES, DType

UNARY = ["neg", "abs", "sign", "exp", "exp2", "expm1", "log", "log2", "log1p", "sqrt", "rsqrt"]
UNARY += ["reciprocal", "sin", "cos", "tanh", "erf", "sigmoid", "floor", "ceil", "round", "isnan"]
UNARY += ["isfinite", "logical_not"]
BINARY = ["add", "sub", "mul", "div", "floordiv", "mod", "pow", "minimum", "maximum", "equal"]
BINARY += ["not_equal", "less", "less_equal", "greater", "greater_equal", "logical_and"]
BINARY += ["logical_or"]


def test_every_primitive_has_an_emission() -> None:
    assert set(EMITTERS) == {*PRIMITIVES, CHECK}


def test_these_lists_are_complete() -> None:
    elementwise = {name for name, p in PRIMITIVES.items() if p.family == "elementwise"}
    assert set(UNARY) | set(BINARY) | {"select", "cast"} == elementwise


def edge_values(dtype: DType) -> Any:
    if dtype.kind == "bool":
        return np.array([False, True])
    if dtype.is_float:
        values = [0.0, -0.0, 1, -1, 0.5, 1.5, 2.5, -2.5, 3, 7.25, -7.25, 60, -60, 1e-3, -1e-3]
        values += [float("inf"), float("-inf"), float("nan"), 300.0, 1e4, -1e4]
        return np.array(values).astype(dtype.numpy)
    limits = np.iinfo(dtype.numpy)
    values = [0, 1, 2, 3, 7, 10, 31, 100, limits.max, limits.max - 1, limits.min, limits.min + 1]
    if dtype.kind == "int":
        values += [-1, -2, -3, -7, -10]
    return np.array(values, dtype.numpy)


def pairs(dtype: DType) -> tuple[Any, Any]:
    values = edge_values(dtype)
    left, right = np.meshgrid(values, values)
    return left.ravel(), right.ravel()


def applies(name: str, dtype: DType, arity: int) -> bool:
    making = Making()
    x = making.input("x", dtype.name, 2)
    try:
        making.raw(name, *[x] * arity)
    except Exception:
        return False
    return True


def assert_close(name: str, found: Any, wanted: Any, dtype: DType) -> None:
    assert found.dtype == wanted.dtype, name
    if found.dtype.kind in "iub":
        np.testing.assert_array_equal(found, wanted, err_msg=name)
        return
    tolerance = {"f64": 1e-13, "f32": 3e-6, "f16": 2e-3, "bf16": 1.6e-2}[dtype.name]
    found, wanted = found.astype(np.float64), wanted.astype(np.float64)
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance * 1e-2, err_msg=name)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_unary(dtype: DType) -> None:
    names = [name for name in UNARY if applies(name, dtype, 1)]
    values = edge_values(dtype)
    making = Making()
    x = making.input("x", dtype.name, len(values))
    graph = making.graph(*(making.raw(name, x) for name in names))
    for name, found, wanted in zip(
        names, run(graph, [values]), reference(graph, [values]), strict=True
    ):
        assert_close(name, found, wanted, dtype)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_binary(dtype: DType) -> None:
    names = [name for name in BINARY if applies(name, dtype, 2)]
    left, right = pairs(dtype)
    making = Making()
    x, y = (making.input(name, dtype.name, len(left)) for name in "xy")
    condition = making.input("c", "bool", len(left))
    results = [making.raw(name, x, y) for name in names]
    graph = making.graph(*results, making.raw("select", condition, x, y))
    chosen = np.arange(len(left)) % 3 == 0
    arrays = [left, right, chosen]
    for name, found, wanted in zip(
        [*names, "select"], run(graph, arrays), reference(graph, arrays), strict=True
    ):
        assert_close(name, found, wanted, dtype)


@pytest.mark.parametrize("dtype", DTYPES.values(), ids=str)
def test_casts_to_every_dtype(dtype: DType) -> None:
    values = edge_values(dtype)
    if dtype.is_float:  # beyond an integer dtype's range a float's value there is not specified
        wide = values.astype(np.float64)
        values = values[np.isfinite(wide) & (np.abs(wide) < 128)]
    making = Making()
    x = making.input("x", dtype.name, len(values))
    targets = [target for target in DTYPES.values() if target != dtype]
    graph = making.graph(*(making.raw("cast", x, dtype=target) for target in targets))
    for target, found, wanted in zip(
        targets, run(graph, [values]), reference(graph, [values]), strict=True
    ):
        negative = dtype.is_float and target.kind == "uint"
        keep = values.astype(np.float64) >= 0 if negative else slice(None)
        np.testing.assert_array_equal(found[keep], wanted[keep], err_msg=str(target))


def test_f64_to_f16_rounds_once() -> None:
    # Each lies just beside the middle of two f16 numbers, where rounding by way of f32 lands.
    halves = np.arange(1024, 2048, dtype=np.float64) + 0.5
    values = np.concatenate([halves * (1 + 2.0**-40), halves * (1 - 2.0**-40), -halves, halves])
    making = Making()
    x = making.input("x", "f64", len(values))
    graph = making.graph(making.raw("cast", x, dtype=DTYPES["f16"]))
    (found,) = run(graph, [values])
    np.testing.assert_array_equal(found, values.astype(np.float16))
