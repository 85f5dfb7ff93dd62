"""The library against NumPy written out, and against what it promises of itself."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tdsl.check import typed
from tdsl.check.calls import solve_call
from tdsl.check.modules import load_program
from tdsl.reference.evaluate import evaluate, run_test
from tdsl.types.dtypes import DTypeVariable, of_numpy
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution, TensorType

ROOT = Path(__file__).parent.parent.parent
STD = ROOT / "tdsl" / "std" / "nn.tdsl"
PROGRAMS = sorted((ROOT / "programs").glob("*.tdsl"))

Array = np.ndarray[Any, Any]


@cache
def program(path: Path) -> typed.Program:
    return load_program(path)


# Programs over arrays alone; whole models have tests of their own in tests/project.
PARTS = [path for path in PROGRAMS if not program(path).root.structs]


def default_value(default: typed.Expression | None) -> Array:
    """The array that stands for an argument left out."""
    assert isinstance(default, typed.Convert)
    assert isinstance(default.value, typed.Number)
    dtype = np.float32 if isinstance(default.dtype, DTypeVariable) else default.dtype.numpy
    return np.asarray(default.value.value, dtype)


def call(name: str, *arrays: Array, path: Path = STD, **statics: int) -> Array:
    found = program(path)
    function = found.root.functions[name]
    arrays += tuple(map(default_value, function.signature.argument_defaults[len(arrays) :]))
    types = []
    for array in arrays:
        dtype = of_numpy(array.dtype)
        assert dtype is not None
        types.append(TensorType(dtype, tuple(map(Size.of, array.shape))))
    sizes = {key: Size.of(value) for key, value in statics.items()}
    solved = solve_call(function.signature, types, sizes, Facts())
    assert isinstance(solved, Substitution), solved
    result = evaluate(found, function.signature.function, list(arrays), solved)
    declared = solved.type(function.signature.result)
    assert isinstance(declared, TensorType)
    assert tuple(Size.of(size) for size in result.shape) == declared.shape
    assert of_numpy(result.dtype) == declared.dtype
    return result


def normal(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape, dtype=np.float32)


# --- tests and examples written in the sources


@pytest.mark.parametrize("path", [STD, *PARTS], ids=lambda path: path.stem)
def test_the_tests_in_the_source_hold(path: Path) -> None:
    found = program(path)
    assert found.root.tests
    for test in found.root.tests:
        assert run_test(found, found.root, test) is None, test.name


@pytest.mark.parametrize("path", [STD, *PARTS], ids=lambda path: path.stem)
def test_a_false_assertion_would_be_noticed(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / path.name
    copy.write_text(path.read_text() + '\ntest "false" {\n    assert 1 == 2\n}\n')
    found = load_program(copy)
    assert run_test(found, found.root, found.root.tests[-1]) is not None


def test_every_public_function_has_documentation_and_an_example() -> None:
    found = program(STD)
    examples = {example.function for example in found.root.examples}
    for name, function in found.root.functions.items():
        if function.public:
            assert function.docs, name
            assert name in examples


def test_every_program_is_documented_and_shows_an_instance() -> None:
    for path in PROGRAMS:
        assert program(path).root.docs, path.stem
        assert program(path).root.examples, path.stem


@pytest.mark.parametrize("path", PARTS, ids=lambda path: path.stem)
def test_every_program_fixes_an_instance_of_what_it_shows(path: Path) -> None:
    found = program(path)
    examples = {example.function for example in found.root.examples}
    shown = {"blocks": {"attend", "feedforward", "block"}}.get(path.stem, {path.stem})
    assert shown <= examples
    assert all(found.root.functions[name].docs for name in shown)


def test_the_signatures_are_those_of_the_language() -> None:
    from tdsl.check.dump import dump_function

    found = program(STD)
    heads = {
        name: dump_function(function, found).partition(" {")[0]
        for name, function in found.root.functions.items()
    }
    assert heads["attention"] == (
        "fn attention[E: dtype(float), T, C, static heads](x: E[T, C], qkv_weight: E[C, 3*C], "
        "qkv_bias: E[3*C], out_weight: E[C, C], out_bias: E[C]) -> E[T, C] where heads divides C"
    )
    assert heads["softmax"] == "fn softmax[E: dtype(float), ...S, N](x: E[...S, N]) -> E[...S, N]"
    names = {
        name: tuple(parameter for parameter, _ in function.signature.parameters)
        for name, function in found.root.functions.items()
    }
    assert names["linear"] == ("x", "weight", "bias")
    assert names["layer_norm"][:3] == ("x", "gain", "bias")
    projections = ("qkv_weight", "qkv_bias", "out_weight", "out_bias")
    assert names["attend"] == ("x", "gain", "bias", *projections)
    assert names["feedforward"] == (
        *("x", "gain", "bias", "up_weight", "up_bias", "down_weight", "down_bias"),
    )


# --- values


@pytest.mark.parametrize("shape", [(5,), (3, 5), (2, 3, 5)])
def test_linear(shape: tuple[int, ...]) -> None:
    x, w, b = normal(*shape), normal(5, 7, seed=1), normal(7, seed=2)
    expected = x.astype(np.float64) @ w + b
    np.testing.assert_allclose(call("linear", x, w, b), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_functions_keep_their_dtype(dtype: type) -> None:
    x = normal(3, 4).astype(dtype)
    for name in ("relu", "gelu", "softmax"):
        assert call(name, x).dtype == dtype


def test_relu_and_gelu() -> None:
    x = np.linspace(-60, 60, 241, dtype=np.float32)
    np.testing.assert_array_equal(call("relu", x), np.maximum(x, 0))
    expected = [
        0.5 * v * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))
        for v in x.tolist()
    ]
    np.testing.assert_allclose(call("gelu", x), expected, rtol=1e-5, atol=1e-6)
    extreme = np.array([-1e4, 1e4, np.inf], np.float32)
    np.testing.assert_array_equal(call("gelu", extreme), [0, 1e4, np.inf])


def test_softmax_of_large_and_of_masked_rows() -> None:
    x = np.array([[1e4, -1e4, 0], [3e38, 0, -3e38], [0, -np.inf, 0]], np.float32)
    found = call("softmax", x)
    np.testing.assert_allclose(found, [[1, 0, 0], [1, 0, 0], [0.5, 0, 0.5]], atol=1e-7)
    assert np.isnan(call("softmax", np.full((1, 3), -np.inf, np.float32))).all()


def test_layer_norm_far_from_0() -> None:
    gain, bias = np.ones(4, np.float32), np.zeros(4, np.float32)
    for row in ([40000, 40001, 40002, 40003], normal(4) + 2000):
        x = np.array([row], np.float32)
        wide = x.astype(np.float64)
        expected = (wide - wide.mean()) / np.sqrt(wide.var() + 1e-5)
        np.testing.assert_allclose(call("layer_norm", x, gain, bias), expected, atol=1e-3)


def attention_by_hand(
    x: Array, qkv_weight: Array, qkv_bias: Array, out_weight: Array, out_bias: Array, heads: int
) -> Array:
    """Position by position and head by head, in float64."""
    wide = x.astype(np.float64) @ qkv_weight + qkv_bias
    tokens, width = x.shape
    depth = width // heads
    merged = np.zeros((tokens, width))
    for head in range(heads):
        columns = [
            slice(k * width + head * depth, k * width + (head + 1) * depth) for k in range(3)
        ]
        q, k, v = (wide[:, part] for part in columns)
        for place in range(tokens):
            scores = k[: place + 1] @ q[place] / math.sqrt(depth)
            weights = np.exp(scores - scores.max())
            merged[place, columns[0].start : columns[0].stop] = (
                weights @ v[: place + 1] / weights.sum()
            )
    return merged @ out_weight + out_bias


@pytest.mark.parametrize(
    ("tokens", "width", "heads"), [(1, 1, 1), (5, 12, 2), (4, 6, 6), (3, 4, 1)]
)
def test_attention_and_attend(tokens: int, width: int, heads: int) -> None:
    weights = (
        normal(width, 3 * width, seed=1) / math.sqrt(width),
        normal(3 * width, seed=2),
        normal(width, width, seed=3) / math.sqrt(width),
        normal(width, seed=4),
    )
    weights = tuple(weight.astype(np.float32) for weight in weights)
    x = normal(tokens, width)
    expected = attention_by_hand(x, *weights, heads=heads)
    found = call("attention", x, *weights, heads=heads)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    again = call("attention", x, *weights, path=ROOT / "programs" / "attention.tdsl", heads=heads)
    np.testing.assert_allclose(again, expected, rtol=1e-4, atol=1e-5)
    gain, bias = normal(width, seed=5), normal(width, seed=6)
    normed = call("layer_norm", x, gain, bias)
    np.testing.assert_allclose(
        call("attend", x, gain, bias, *weights, heads=heads),
        x + attention_by_hand(normed, *weights, heads=heads),
        rtol=1e-4,
        atol=1e-5,
    )


def test_the_reference_promotes_as_numpy_does() -> None:
    x, width, heads = normal(5, 12), 12, 2
    weights = (
        normal(12, 36, seed=1),
        normal(36, seed=2),
        normal(12, 12, seed=3),
        normal(12, seed=4),
    )
    path = ROOT / "programs" / "attention_reference.tdsl"
    found = call("attention_reference", x, *weights, path=path, heads=heads)
    qkv = x @ weights[0] + weights[1]
    q, k, v = (
        part.reshape(5, heads, width // heads).transpose(1, 0, 2)
        for part in np.split(qkv, 3, axis=1)
    )
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(np.float64(width // heads))
    assert scores.dtype == np.float64
    scores += np.triu(np.full((5, 5), -1e10, np.float32), k=1)
    shares = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    expected = (shares @ v).transpose(1, 0, 2).reshape(5, 12) @ weights[2] + weights[3]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_feedforward() -> None:
    x, gain, bias = normal(5, 8), normal(8, seed=1), normal(8, seed=2)
    up, up_bias = normal(8, 16, seed=3), normal(16, seed=4)
    down, down_bias = normal(16, 8, seed=5), normal(8, seed=6)
    hidden = call("gelu", call("linear", call("layer_norm", x, gain, bias), up, up_bias))
    expected = x + (hidden.astype(np.float64) @ down + down_bias)
    found = call("feedforward", x, gain, bias, up, up_bias, down, down_bias)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("path", [STD, *PARTS], ids=lambda path: path.stem)
def test_no_body_fails_on_a_shape_after_it_was_accepted(path: Path) -> None:
    """Every function at its example and at sizes of one: the result is as declared."""
    found = program(path)
    for example in found.root.examples:
        signature = found.root.functions[example.function].signature
        values = example.parameters
        ones = Substitution(
            {symbol: Size.of(1) for symbol in values.sizes},
            {pack: (Size.of(1),) * 2 for pack in values.packs},
            values.dtypes,
        )
        for parameters in (values, ones):
            arrays = []
            for _, declared in signature.parameters:
                type_ = parameters.type(declared)
                assert isinstance(type_, TensorType)
                shape = tuple(size.literal for size in type_.shape)  # type: ignore[union-attr]
                assert not isinstance(type_.dtype, DTypeVariable)
                drawn = normal(*shape) if type_.dtype.is_float else np.zeros(shape)  # type: ignore[arg-type]
                arrays.append(np.asarray(drawn).astype(type_.dtype.numpy))
            result = evaluate(found, signature.function, arrays, parameters)
            promised = parameters.type(signature.result)
            assert isinstance(promised, TensorType)
            assert tuple(map(Size.of, result.shape)) == promised.shape
