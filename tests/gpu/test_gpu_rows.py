"""GPU kernels of chains over rows in the emulator, against NumPy in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from claim_kernels import ALL, Emulated, barriers, made, without_barrier
from claim_programs import CHAINS, Making, chain, given, softmax

from tdsl.gpu.kernels import rows
from tdsl.gpu.kernels.tiles import ROW_LANE_ELEMENTS, ROW_THREADS
from tdsl.lowering.kernels import Refused

TOLERANCES = {"f32": (3e-6, 3e-6), "f64": (1e-13, 1e-13), "bf16": (8e-3, 2e-3), "f16": (1e-3, 1e-3)}
# The longest row that a warp holds, and the longest that a block holds.
WARP_HOLDS = 32 * ROW_LANE_ELEMENTS
BLOCK_HOLDS = ROW_THREADS * ROW_LANE_ELEMENTS


def emulated(
    text: str, *, aligned: bool = True, threads: int | None = None, edit: Any = lambda x: x
) -> Emulated:
    return Emulated(
        text,
        lambda function, operands, result: rows.kernel(
            "k",
            function,
            operands,
            result,
            aligned=ALL if aligned else frozenset(),
            threads=threads,
        ),
        edit=edit,
    )


def text_of(name: str, shape: tuple[int, ...], dtype: str = "f32") -> str:
    making = chain(name, shape, dtype)
    return making.text(making.result)  # type: ignore[attr-defined]


def expected(name: str, arrays: list[Any]) -> Any:
    wide = [a.astype(np.float64) if a.dtype.kind != "i" else a.astype(bool) for a in arrays]
    return CHAINS[name][1](*wide)


def check(kernel: Emulated, name: str, shape: tuple[int, ...], dtype: str = "f32") -> None:
    arrays = given(name, shape, dtype)
    wanted = expected(name, arrays)
    found = kernel.in_every_order(*arrays)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.astype(np.float64), wanted, *TOLERANCES[dtype])


@pytest.mark.parametrize("name", CHAINS)
@pytest.mark.parametrize("length", [33, WARP_HOLDS + 4])
def test_each_chain(name: str, length: int) -> None:
    """By a warp, and by a block of two."""
    check(emulated(text_of(name, (5, length))), name, (5, length))


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("length", [1, 2, 31, 32, 64, 127, WARP_HOLDS, WARP_HOLDS + 1])
def test_any_length(length: int, aligned: bool) -> None:
    shape = (3, length)
    check(emulated(text_of("masked_softmax", shape), aligned=aligned), "masked_softmax", shape)


@pytest.mark.parametrize("threads", [32, 96, 160, 1024])
def test_any_number_of_threads(threads: int) -> None:
    """Also when they hold all of a row several times over, or cannot hold it."""
    shape = (2, 700)
    check(emulated(text_of("layer_norm", shape), threads=threads), "layer_norm", shape)


def test_rows_longer_than_registers() -> None:
    length = BLOCK_HOLDS + 5
    kernel = emulated(text_of("softmax", (1, length)))
    assert "scf.for" in kernel.kernel.text
    check(kernel, "softmax", (1, length))


@pytest.mark.parametrize("shape", [(7,), (1, 1, 1), (2, 3, 21), (3, 1, 18), (9, 2)], ids=str)
def test_any_number_of_axes(shape: tuple[int, ...]) -> None:
    for name in ("rms_norm", "variance"):
        check(emulated(text_of(name, shape)), name, shape)


@pytest.mark.parametrize("dtype", ["f64", "bf16", "f16"])
@pytest.mark.parametrize("length", [40, WARP_HOLDS + 8])
def test_dtypes(dtype: str, length: int) -> None:
    check(emulated(text_of("layer_norm", (3, length), dtype)), "layer_norm", (3, length), dtype)


def test_nan_and_infinity_go_where_numpy_has_them() -> None:
    x = given("softmax", (6, 40))[0]
    x[1, 3], x[2, 5], x[3, 7] = np.nan, np.inf, -np.inf
    x[4] = -np.inf
    found = emulated(text_of("softmax", (6, 40))).in_every_order(x)
    np.testing.assert_allclose(found, softmax(x.astype(np.float64)), 3e-6, 3e-6)
    masked = emulated(text_of("masked_softmax", (6, 40)))
    nothing = masked(x, np.zeros((6, 40), np.int8))
    assert (nothing == 0).all()
    largest = emulated(text_of("max", (6, 40)))(x)
    np.testing.assert_array_equal(largest, x.max(-1))


@pytest.mark.parametrize("name", ["softmax", "layer_norm", "sum"])
@pytest.mark.parametrize("barrier", [0, 1])
def test_every_barrier_is_needed(name: str, barrier: int) -> None:
    shape = (2, 300)
    text, arrays = text_of(name, shape), given(name, shape)
    phases = {"softmax": 2, "layer_norm": 2, "sum": 1}[name]
    if barrier >= phases:
        assert barriers(made(text, lambda *x: rows.kernel("k", *x, threads=128)).text) == phases
        return
    kernel = emulated(text, threads=128, edit=without_barrier(barrier))
    assert kernel.shows_a_fault(expected(name, arrays), 1e-4, *arrays)


def test_a_warp_needs_no_barrier() -> None:
    kernel = made(text_of("layer_norm", (5, 64)), lambda *x: rows.kernel("k", *x))
    assert barriers(kernel.text) == 0
    assert kernel.launches[0].grid == (2, 1, 1)


def test_a_grid_has_a_limit() -> None:
    making = Making()
    x = making.argument(2**33, 1024)
    with pytest.raises(Refused, match="more than a grid has blocks for"):
        made(making.text(making.softmax(x)), lambda *x: rows.kernel("k", *x))
