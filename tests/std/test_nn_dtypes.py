"""Every function of the library against a formula in NumPy's float64: in every float dtype, by the
evaluator and as native code with all kernels and with none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import erf

import tdsl
from tdsl.check import typed
from tdsl.check.calls import solve_call
from tdsl.check.modules import load_program
from tdsl.reference.evaluate import evaluate
from tdsl.types.dtypes import DTYPES, DType, of_numpy
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution, TensorType

STD = Path(__file__).parent.parent.parent / "tdsl" / "std" / "nn.tdsl"
FLOATS = [DTYPES[name] for name in ("f32", "f64", "bf16", "f16")]
# Without kernels the dtypes differ only in how they are stored: two of them are enough there.
WAYS = [
    (dtype, way)
    for dtype in FLOATS
    for way in ("evaluator", "all", "none")
    if way != "none" or dtype.name in ("f32", "bf16")
]
# (rtol, atol) for a few dozen roundings of numbers around 1.
TOLERANCES = {
    "f64": (1e-11, 1e-12),
    "f32": (2e-5, 2e-6),
    "f16": (2e-2, 5e-3),
    "bf16": (1e-1, 5e-2),
}

Array = np.ndarray[Any, Any]


def normal(*shape: int, seed: int = 0, scale: float = 1.0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape) * scale


# --- the formulas; float64 in, float64 out


def softmax(x: Array) -> Array:
    shares = np.exp(x - x.max(-1, keepdims=True))
    return shares / shares.sum(-1, keepdims=True)


def masked_softmax(x: Array, mask: Array) -> Array:
    result = np.zeros_like(x)
    for place in np.ndindex(*x.shape[:-1]):
        seen = mask[place]
        if seen.any():
            result[place][seen] = softmax(x[place][seen])
    return result


def gelu(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def layer_norm(x: Array, gain: Array, bias: Array, epsilon: float = 1e-5) -> Array:
    spread = np.sqrt(x.var(-1, keepdims=True) + epsilon)
    return (x - x.mean(-1, keepdims=True)) / spread * gain + bias


def rotary(x: Array, positions: Array, base: float = 10000.0) -> Array:
    """As complex numbers, turned."""
    half = x.shape[-1] // 2
    rates = base ** (-2.0 * np.arange(half) / x.shape[-1])
    turned = (x[..., :half] + 1j * x[..., half:]) * np.exp(1j * np.outer(positions, rates))
    return np.concatenate([turned.real, turned.imag], -1)


def masked_attention(q: Array, k: Array, v: Array, mask: Array) -> Array:
    scores = np.einsum("hqd,hnd->hqn", q, k) / math.sqrt(q.shape[-1])
    return np.einsum("hqn,hnv->hqv", masked_softmax(scores, mask), v)


def attention(x: Array, qkv: Array, qkv_bias: Array, out: Array, out_bias: Array) -> Array:
    tokens, width = x.shape
    parts = (x @ qkv + qkv_bias).reshape(tokens, 3, HEADS, width // HEADS).transpose(1, 2, 0, 3)
    seen = np.broadcast_to(np.tri(tokens, dtype=np.bool_), (HEADS, tokens, tokens))
    mixed = masked_attention(*parts, seen)
    return mixed.transpose(1, 0, 2).reshape(tokens, width) @ out + out_bias


def feedforward(
    x: Array, gain: Array, bias: Array, up: Array, up_bias: Array, down: Array, down_bias: Array
) -> Array:
    return x + gelu(layer_norm(x, gain, bias) @ up + up_bias) @ down + down_bias


def cross_entropy(logits: Array, labels: Array) -> Array:
    rows, places = logits.reshape(-1, logits.shape[-1]), labels.reshape(-1)
    shares = softmax(rows)
    return np.mean([-math.log(row[place]) for row, place in zip(shares, places, strict=True)])


# --- the cases


@dataclass(frozen=True)
class Case:
    """`arrays` in float64 are cast to the dtype that is tried; others stay as they are."""

    name: str
    arrays: tuple[Any, ...]
    formula: Callable[..., Any]
    statics: dict[str, int] = field(default_factory=dict)
    label: str = ""


HEADS = 2
_X, _ROWS = normal(3, 4, 5, scale=2), normal(6, 7, scale=2)
_WIDE, _EIGHT = normal(5, 8, seed=3), normal(8, seed=4)
_MASK = np.random.default_rng(5).integers(0, 2, (6, 7)).astype(np.bool_)
_MASK[2] = False
_QKV = (normal(8, 24, seed=6, scale=0.3), normal(24, seed=7))
_OUT = (normal(8, 8, seed=8, scale=0.3), normal(8, seed=9))
_UP = (normal(8, 16, seed=10, scale=0.3), normal(16, seed=11))
_DOWN = (normal(16, 8, seed=12, scale=0.3), normal(8, seed=13))
_SEEN = np.random.default_rng(14).integers(0, 2, (2, 3, 5)).astype(np.bool_)
_SEEN[0, 1] = False

CASES = [
    Case("linear", (_X, normal(5, 6, seed=1), normal(6, seed=2)), lambda x, w, b: x @ w + b),
    Case("linear", (_X[0, 0], normal(5, 6, seed=1), normal(6, seed=2)), lambda x, w, b: x @ w + b),
    Case("relu", (_X,), lambda x: np.maximum(x, 0)),
    Case("gelu", (_X,), gelu),
    Case("gelu_exact", (_X,), lambda x: 0.5 * x * (1 + erf(x / math.sqrt(2)))),
    Case("silu", (_X,), lambda x: x / (1 + np.exp(-x))),
    Case("softmax", (_ROWS,), softmax),
    Case("log_softmax", (_ROWS,), lambda x: np.log(softmax(x))),
    Case("masked_softmax", (_ROWS, _MASK), masked_softmax),
    Case("layer_norm", (_WIDE, _EIGHT, normal(8, seed=5)), layer_norm),
    Case("layer_norm", (_WIDE, _EIGHT, normal(8, seed=5), np.float64(0.5)), layer_norm),
    Case(
        "rms_norm",
        (_WIDE, _EIGHT),
        lambda x, gain: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gain,
    ),
    Case("rotary", (normal(2, 5, 8, seed=2), np.array([0, 1, 7, 100, 2], np.int32)), rotary),
    Case("rotary", (normal(5, 2, seed=2), np.arange(5)), rotary),
    Case("attention", (_WIDE, *_QKV, *_OUT), attention, {"heads": HEADS}),
    Case(
        "masked_attention",
        (normal(2, 3, 4, seed=1), normal(2, 5, 4, seed=2), normal(2, 5, 6, seed=3), _SEEN),
        masked_attention,
    ),
    Case(
        "attend",
        (_WIDE, _EIGHT, normal(8, seed=5), *_QKV, *_OUT),
        lambda x, gain, bias, *rest: x + attention(layer_norm(x, gain, bias), *rest),
        {"heads": HEADS},
    ),
    Case("feedforward", (_WIDE, _EIGHT, normal(8, seed=5), *_UP, *_DOWN), feedforward),
    Case("cross_entropy", (_ROWS, np.array([0, 6, 3, 3, 1, 2], np.int32)), cross_entropy),
    Case("cross_entropy", (_X, np.array([[0, 4, 2, 1]] * 3, np.uint8)), cross_entropy),
    Case("cross_entropy", (_ROWS[0], np.int64(3)), cross_entropy),
]


@cache
def program() -> typed.Program:
    return load_program(STD)


@cache
def module(kernels: str) -> tdsl.Module:
    return tdsl.load(STD, kernels=kernels)


def in_evaluator(name: str, arrays: list[Array], statics: dict[str, int]) -> Array:
    signature = program().root.functions[name].signature
    for default in signature.argument_defaults[len(arrays) :]:
        assert isinstance(default, typed.Convert)
        assert isinstance(default.value, typed.Number)
        dtype = default.dtype.numpy if isinstance(default.dtype, DType) else arrays[0].dtype
        arrays = [*arrays, np.asarray(default.value.value).astype(dtype)]
    types = []
    for array in arrays:
        dtype = of_numpy(array.dtype)
        assert dtype is not None
        types.append(TensorType(dtype, tuple(map(Size.of, array.shape))))
    sizes = {key: Size.of(value) for key, value in statics.items()}
    solved = solve_call(signature, types, sizes, Facts())
    assert isinstance(solved, Substitution), solved
    return np.asarray(evaluate(program(), signature.function, arrays, solved))


@pytest.mark.parametrize(("dtype", "way"), WAYS, ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_as_the_formula(case: Case, dtype: DType, way: str) -> None:
    given = [
        np.asarray(a).astype(dtype.numpy) if np.asarray(a).dtype == np.float64 else np.asarray(a)
        for a in case.arrays
    ]
    if way == "evaluator":
        found = in_evaluator(case.name, given, case.statics)
    else:
        found = getattr(module(way), case.name)(*given, **case.statics)
    exact = [a.astype(np.float64) if a.dtype == dtype.numpy else a for a in given]
    expected = case.formula(*exact)
    assert found.dtype == dtype.numpy
    rtol, atol = TOLERANCES[dtype.name]
    np.testing.assert_allclose(np.asarray(found).astype(np.float64), expected, rtol, atol)


def test_every_public_function_is_tried() -> None:
    public = {name for name, function in program().root.functions.items() if function.public}
    assert public == {case.name for case in CASES} | {"causal"}


@pytest.mark.parametrize("way", ["evaluator", "all", "none"])
def test_causal(way: str) -> None:
    for queries, keys, start in ((4, 4, 0), (1, 6, 3), (2, 6, 4), (3, 2, 0)):
        statics = {"Q": queries, "N": keys}
        place = np.asarray(start, np.int32)
        if way == "evaluator":
            found = in_evaluator("causal", [place], statics)
        else:
            found = module(way).causal(place, **statics)
        expected = np.arange(keys) <= start + np.arange(queries)[:, None]
        assert found.dtype == np.bool_
        np.testing.assert_array_equal(found, expected)


# --- what only the ends of the range show


def everywhere(name: str, *arrays: Array, **statics: int) -> list[Array]:
    found = [in_evaluator(name, list(map(np.asarray, arrays)), statics)]
    return found + [getattr(module(k), name)(*arrays, **statics) for k in ("all", "none")]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", ["gelu", "gelu_exact", "silu", "relu"])
def test_activations_far_out(name: str, dtype: DType) -> None:
    far = np.array([45, 52.45, 100, 1e4, np.inf]).astype(dtype.numpy)
    x = np.concatenate([far, -far, np.array([np.nan]).astype(dtype.numpy)])
    for found in everywhere(name, x):
        np.testing.assert_array_equal(found[:5].astype(np.float64), far.astype(np.float64))
        np.testing.assert_allclose(found[5:10].astype(np.float64), 0, atol=1e-15)
        assert np.isnan(found[10])


def test_silu_far_below_is_small_and_not_0() -> None:
    x = np.array([-200.0, -700.0])
    for found in everywhere("silu", x):
        np.testing.assert_allclose(found, x * np.exp(x), rtol=1e-12)


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
def test_nan_and_infinities_in_rows_as_numpy(name: str) -> None:
    rows = np.zeros((4, 5), np.float32)
    rows[0, 2], rows[1], rows[2, 1], rows[3, 0] = np.nan, -np.inf, np.inf, -np.inf
    wide = rows.astype(np.float64)
    with np.errstate(all="ignore"):
        expected = softmax(wide) if name == "softmax" else np.log(softmax(wide))
    for found in everywhere(name, rows):
        np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_masked_softmax_at_the_ends() -> None:
    x = np.array(
        [
            [np.nan, 1, 2],  # NaN hidden: not seen
            [np.nan, 1, 2],  # NaN seen: the whole row, as in softmax
            [3e38, -3e38, 0],
            [3e38, 3e38, -3e38],  # the largest hidden
            [np.inf, 0, 0],
            [1, 2, 3],
            [-np.inf, -np.inf, 0],  # what is seen is hidden by its value
        ],
        np.float32,
    )
    t, f = True, False
    mask = np.array([[f, t, t], [t, t, t], [t, t, t], [f, f, t], [t, t, t], [f, f, f], [t, t, f]])
    half = softmax(np.array([1.0, 2.0]))
    nothing = [np.nan] * 3
    expected = np.array([[0, *half], nothing, [1, 0, 0], [0, 0, 1], nothing, [0, 0, 0], [0, 0, 0]])
    for found in everywhere("masked_softmax", x, mask):
        seen = np.where(mask, found, 0)  # hidden entries are 0 whatever the row is
        np.testing.assert_allclose(seen, np.where(mask, expected, 0), rtol=1e-6)
        np.testing.assert_array_equal(found[[0, 2, 3, 5]][~mask[[0, 2, 3, 5]]], 0)


def test_cross_entropy_is_stable_and_checks_its_labels() -> None:
    logits = np.array([[1e4, 0, -1e4], [3e38, 0, 0], [0, -np.inf, 0]], np.float32)
    labels = np.array([0, 0, 2], np.int32)
    for found in everywhere("cross_entropy", logits, labels):
        np.testing.assert_allclose(found, math.log(2) / 3, rtol=1e-6)
    for found in everywhere("cross_entropy", logits, np.array([0, 0, 1], np.int32)):
        assert found == np.inf
    for wrong in (-1, 3):
        bad = np.array([0, wrong, 0], np.int32)
        with pytest.raises(IndexError, match=f"index {wrong} is out of range") as reference:
            in_evaluator("cross_entropy", [logits, bad], {})
        for kernels in ("all", "none"):
            with pytest.raises(IndexError) as native:
                module(kernels).cross_entropy(logits, bad)
            assert str(native.value) == str(reference.value)


def test_rotary_of_far_positions_keeps_its_digits() -> None:
    x = normal(3, 64).astype(np.float32)
    places = np.array([0, 100_003, 1_000_003], np.int64)
    expected = rotary(x.astype(np.float64), places)
    for found in everywhere("rotary", x, places):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_layer_norm_and_rms_norm_of_constant_rows() -> None:
    x = np.full((2, 8), 3.0, np.float32)
    gain, bias = np.full(8, 2.0, np.float32), np.full(8, 0.5, np.float32)
    for found in everywhere("layer_norm", x, gain, bias):
        np.testing.assert_array_equal(found, np.full((2, 8), 0.5))
    for found in everywhere("rms_norm", x, gain):
        np.testing.assert_allclose(found, np.full((2, 8), 2.0), rtol=1e-5)


@pytest.mark.parametrize("dtype", [DTYPES["f16"], DTYPES["bf16"]])
@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_norms_of_rows_whose_squares_are_too_large(name: str, dtype: DType) -> None:
    x = normal(5, 48, scale=3000.0).astype(dtype.numpy)
    with np.errstate(over="ignore"):
        assert not np.isfinite((x * x).astype(np.float16)).all()
    gain, bias = (normal(48, seed=seed).astype(dtype.numpy) for seed in (1, 2))
    wide = x.astype(np.float64)
    if name == "layer_norm":
        centred = wide - wide.mean(-1, keepdims=True)
        expected = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
        expected = expected * gain.astype(np.float64) + bias.astype(np.float64)
        given = (x, gain, bias)
    else:
        expected = wide / np.sqrt((wide**2).mean(-1, keepdims=True) + 1e-5)
        expected = expected * gain.astype(np.float64)
        given = (x, gain)
    # One rounding of the result, and no more.
    half = {"f16": 2.0**-11, "bf16": 2.0**-8}[dtype.name]
    for found in everywhere(name, *given):
        np.testing.assert_allclose(found.astype(np.float64), expected, rtol=1.01 * half, atol=1e-6)
