"""Runs one builtin by itself: its rule, its reference, its expansion on a NumPy builder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import ml_dtypes
import numpy as np

from tdsl.ops import weak
from tdsl.ops.builtins import BUILTINS
from tdsl.ops.primitives import PRIMITIVES
from tdsl.ops.table import REQUIRED, Given, Typing
from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.source import Source, Span
from tdsl.types.dtypes import DTYPES, DType, DTypeVariable, of_numpy
from tdsl.types.sizes import Pack, PackProduct, Size, Symbol
from tdsl.types.types import ListType, TensorType, TupleType, WeakType

ALL = list(DTYPES.values())
FLOATS = [d for d in ALL if d.is_float]
INTEGERS = [d for d in ALL if d.is_integer]
NUMBERS = [*FLOATS, *INTEGERS]
BOOL = DTYPES["bool"]
SHAPES = [(), (1,), (7,), (129,), (3, 5), (2, 1, 3)]


# --- sizes and types for tests: "f32[M, K]" and the like


def size(text: str | int) -> Size:
    """A size from a product of names and numbers."""
    result = Size.of(1)
    for factor in str(text).split("*"):
        factor = factor.strip()
        result = result * (Size.of(int(factor)) if factor.isdigit() else Size.of(Symbol(factor)))
    return result


def shape(text: str) -> tuple[Size | Pack, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return tuple(Pack(p[3:]) if p.startswith("...") else size(p) for p in parts)


VARIABLES = {
    "E": DTypeVariable("E", "float"),
    "G": DTypeVariable("G", "float"),
    "I": DTypeVariable("I", "int"),
    "R": DTypeVariable("R", "number"),
    "A": DTypeVariable("A", "any"),
}


def type_of(text: str) -> Any:
    if text in ("int", "float"):
        return WeakType(text)  # type: ignore[arg-type]
    if text == "weak bool":
        return WeakType("bool")
    name, _, rest = text.partition("[")
    dtype = DTYPES.get(name) or VARIABLES[name]
    return TensorType(dtype, shape(rest.rstrip("]")))


def show(thing: Any) -> str:
    match thing:
        case TensorType(dtype, ()):
            return str(dtype)
        case TensorType(dtype, dims):
            return f"{dtype}[{', '.join(map(show, dims))}]"
        case WeakType(kind):
            return {"int": "a compile-time integer", "float": "a compile-time number"}.get(
                kind, "a compile-time bool"
            )
        case Pack(name=name):
            return f"...{name}"
        case ListType(item, length):
            return f"[{show(item)}; {length}]"
        case tuple():
            return f"[{', '.join(map(show, thing))}]"
        case _:
            return str(thing)


class Refused(Exception):
    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(f"{diagnostic.code}: {diagnostic.message}")
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class FakeChecking:
    """Reports by raising; proves what follows from every symbol being at least 1."""

    span: Span

    def show(self, thing: Any) -> str:
        return show(thing)

    def at_least(self, size: Size, least: int) -> bool:
        shifted = Size.of(0)
        for monomial, factor in size.terms:
            product = Size.of(factor)
            for atom, power in monomial:
                product = product * (Size.of(atom) + 1) ** power
            shifted = shifted + product
        return all(factor >= 0 for monomial, factor in (shifted - least).terms)

    def where(self, left: Size, relation: str, right: Size) -> Help | None:
        return Help(f"add `where {left} {relation} {right}`", (Edit(self.span, ""),))

    def fail(
        self,
        code: str,
        message: str,
        *,
        labels: Sequence[tuple[Span, str]] = (),
        notes: Sequence[str] = (),
        helps: Sequence[Help] = (),
    ) -> NoReturn:
        marks = tuple(Label(span, text) for span, text in labels) or (Label(self.span),)
        raise Refused(Diagnostic(code, message, marks, tuple(notes), tuple(helps)))


def check(name: str, *arguments: Any, **statics: Any) -> Typing:
    """Apply a builtin's rule. Value arguments are types as text, lists of them, or (type, value)
    for a known number; the others are static values."""
    builtin = BUILTINS[name]
    written = [a if isinstance(a, str) else repr(a) for a in arguments]
    text = f"{name}({', '.join('xyzuvw'[i] for i in range(len(written)))})"
    source = Source("test.tdsl", text)
    given: dict[str, Given] = {}
    supplied = dict(zip([p.name for p in builtin.parameters], arguments, strict=False)) | statics
    places = {p.name: len(name) + 1 + 3 * i for i, p in enumerate(builtin.parameters)}
    for parameter in builtin.parameters:
        start = places[parameter.name]
        span = Span(source, start, start + 1)
        if parameter.name not in supplied:
            assert parameter.default is not REQUIRED, parameter
            given[parameter.name] = Given(span, None, parameter.default)
            continue
        value = supplied[parameter.name]
        if parameter.kind == "value":
            known = None
            if isinstance(value, tuple):
                value, known = value
            type_ = type_of(value) if isinstance(value, str) else value
            given[parameter.name] = Given(span, type_, known)
        elif parameter.kind == "values":
            if isinstance(value, list):
                types = [type_of(v) if isinstance(v, str) else v for v in value]
                same = all(t == types[0] for t in types)
                value = ListType(types[0], Size.of(len(types))) if same else TupleType(tuple(types))
            given[parameter.name] = Given(span, value)
        elif parameter.kind == "starts":
            items = tuple(Given(span, type_, known) for type_, known in value)
            given[parameter.name] = Given(span, None, None, items)
        else:
            if parameter.kind == "shape" and isinstance(value, str):
                parts = [p.strip() for p in value.split(",") if p.strip()]
                value = tuple(None if p == "_" else shape(p)[0] for p in parts)
            elif parameter.kind == "size" and not isinstance(value, Size):
                value = size(value)
            given[parameter.name] = Given(span, None, value)
    return builtin.rule(FakeChecking(Span(source, 0, len(text))), given)


def result(name: str, *arguments: Any, **statics: Any) -> str:
    return show(check(name, *arguments, **statics).result)


def refusal(name: str, *arguments: Any, **statics: Any) -> Diagnostic:
    try:
        typing = check(name, *arguments, **statics)
    except Refused as refused:
        return refused.diagnostic
    raise AssertionError(f"{name} was accepted and gives {show(typing.result)}")


def edited(diagnostic: Diagnostic, help_: int = 0) -> str:
    """The source after the edits of one help."""
    edits = diagnostic.helps[help_].edits
    text = diagnostic.span.source.text
    for edit in sorted(edits, key=lambda e: (e.span.start, e.span.end), reverse=True):
        text = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    return text


# --- values


@dataclass(frozen=True)
class _Type:
    dtype: DType
    shape: tuple[Size, ...]


@dataclass(frozen=True, eq=False)
class Built:
    """A value of the NumPy builder; its primitives' `infer` gave the type."""

    array: np.ndarray[Any, Any]
    type: _Type
    known: Any = None


class NumpyBuilder:
    """Executes primitives as they are asked for, and checks that typing and values agree."""

    def __init__(self) -> None:
        self.used: list[str] = []

    def wrap(self, array: Any) -> Built:
        array = np.asarray(array)
        dtype = of_numpy(array.dtype)
        assert dtype is not None
        return Built(array, _Type(dtype, tuple(map(Size.of, array.shape))))

    def literal(self, written: Any, converted: Any) -> Built:
        """A value that is known where a Python number was written."""
        wrapped = self.wrap(converted)
        return Built(wrapped.array, wrapped.type, written if weak.is_number(written) else None)

    def _do(self, name: str, inputs: Sequence[Built], **attributes: Any) -> Built:
        self.used.append(name)
        row = PRIMITIVES[name]
        assert set(attributes) <= set(row.attributes), (name, attributes)
        dtype, sizes = row.infer([x.type for x in inputs], attributes)
        array = row.reference([x.array for x in inputs], attributes)
        assert of_numpy(array.dtype) == dtype, (name, array.dtype, dtype)
        assert array.shape == tuple(s.literal for s in sizes), (name, array.shape, sizes)
        return Built(array, _Type(dtype, sizes))

    def elementwise(self, operation: str, *operands: Built) -> Built:
        return self._do(operation, operands)

    def cast(self, x: Built, dtype: DType) -> Built:
        return x if x.type.dtype == dtype else self._do("cast", [x], dtype=dtype)

    def constant(self, value: Any, dtype: DType) -> Built:
        built = self._do("constant", [], value=value, dtype=dtype)
        return Built(built.array, built.type, value)

    def known(self, x: Built) -> Any:
        return x.known

    def size(self, size: Size) -> Built:
        return self._do("size", [], size=size)

    def iota(self, shape: Any, axis: int, dtype: DType) -> Built:
        return self._do("iota", [], shape=shape, axis=axis, dtype=dtype)

    def broadcast_in_dim(self, x: Built, shape: Any, axes: Any) -> Built:
        return self._do("broadcast_in_dim", [x], shape=shape, axes=axes)

    def broadcast_to(self, x: Built, shape: Any) -> Built:
        rank, have = len(shape), len(x.type.shape)
        return self.broadcast_in_dim(x, shape, tuple(range(rank - have, rank)))

    def reshape(self, x: Built, shape: Any) -> Built:
        return self._do("reshape", [x], shape=shape)

    def transpose(self, x: Built, permutation: Any) -> Built:
        return self._do("transpose", [x], permutation=permutation)

    def slice(self, x: Built, starts: Any, sizes: Any) -> Built:
        return self._do("slice", [x], starts=starts, sizes=sizes)

    def concat(self, xs: Sequence[Built], axis: int) -> Built:
        return self._do("concat", xs, axis=axis)

    def pad(self, x: Built, low: Any, high: Any, value: Built) -> Built:
        return self._do("pad", [x, value], low=low, high=high)

    def reverse(self, x: Built, axes: Any) -> Built:
        return self._do("reverse", [x], axes=axes)

    def reduce(self, operation: str, x: Built, axes: Any) -> Built:
        return self._do(f"reduce_{operation}", [x], axes=axes) if axes else x

    def arg_reduce(self, operation: str, x: Built, axis: int) -> Built:
        return self._do(f"arg{operation}", [x], axis=axis)

    def cumsum(self, x: Built, axis: int) -> Built:
        return self._do("cumsum", [x], axis=axis)

    def matmul(self, a: Built, b: Built) -> Built:
        return self._do("batch_matmul" if len(a.type.shape) == 3 else "matmul", [a, b])

    def select(self, condition: Built, x: Built, y: Built) -> Built:
        return self._do("select", [condition, x, y])

    def gather(self, x: Built, ids: Built, axis: int) -> Built:
        return self._do("gather", [x, ids], axis=axis)

    def dynamic_slice(self, x: Built, starts: Sequence[Built], sizes: Any) -> Built:
        return self._do("dynamic_slice", [x, *starts], sizes=sizes)

    def dynamic_update(self, x: Built, part: Built, starts: Sequence[Built]) -> Built:
        return self._do("dynamic_update", [x, part, *starts])


def _literal(attribute: Any) -> Any:
    if isinstance(attribute, Size):
        return attribute.literal
    return tuple(map(_literal, attribute)) if isinstance(attribute, tuple) else attribute


def _as_type(value: Any) -> Any:
    if weak.is_number(value):
        kind = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "float"
        return WeakType(kind)  # type: ignore[arg-type]
    dtype = of_numpy(np.asarray(value).dtype)
    assert dtype is not None
    return TensorType(dtype, tuple(map(Size.of, np.asarray(value).shape)))


def _converted(value: Any, dtype: DType | None) -> Any:
    if isinstance(value, list):
        return [_converted(item, dtype) for item in value]
    if dtype is None:
        return value
    with np.errstate(all="ignore"):
        if weak.is_number(value):
            return weak.to_dtype(value, dtype)
        return np.asarray(value).astype(dtype.numpy)


@dataclass(frozen=True)
class Ran:
    reference: Any
    expanded: Any
    used: tuple[str, ...]


def run(name: str, *arguments: Any, **statics: Any) -> Ran:
    """A builtin on arrays and Python numbers, by its reference and by its expansion; both have the
    type that its rule gives."""
    builtin = BUILTINS[name]
    types: list[Any] = []
    operands: list[tuple[str, Any]] = []
    for parameter, argument in zip(builtin.parameters, arguments, strict=False):
        if parameter.kind == "value":
            known = argument if weak.is_number(argument) else None
            types.append((_as_type(argument), known))
            operands.append((parameter.name, argument))
        elif parameter.kind == "values":
            types.append([_as_type(item) for item in argument])
            operands.append((parameter.name, list(argument)))
        elif parameter.kind == "starts":
            # Python integers stand for literals, arrays for what is known at run time.
            known_starts = [Size.of(x) if weak.is_number(x) else None for x in argument]
            starts = zip(map(_as_type, argument), known_starts, strict=True)
            types.append(list(starts))
            operands.append((parameter.name, list(argument)))
        else:
            types.append(_static(parameter.kind, argument))
    kinds = {p.name: p.kind for p in builtin.parameters}
    named = {
        key: _static(kinds[key], value) for key, value in statics.items() if kinds[key] != "value"
    }
    for key, value in statics.items():
        if kinds[key] == "value":
            named[key] = (_as_type(value), value if weak.is_number(value) else None)
            operands.append((key, value))
    typing = check(name, *types, **named)
    ready = [_converted(value, typing.convert.get(key)) for key, value in operands]
    literal: Mapping[str, Any] = {k: _literal(v) for k, v in typing.attributes.items()}
    reference = builtin.reference(*ready, **literal)
    if isinstance(typing.result, WeakType):
        assert weak.is_number(reference), reference
        return Ran(reference, reference, ())
    builder = NumpyBuilder()
    built = []
    for (_, original), value in zip(operands, ready, strict=True):
        if isinstance(value, list):
            built.append(tuple(map(builder.literal, original, value)))
            continue
        built.append(builder.literal(original, value))
    expanded = builtin.expand(builder, *built, **typing.attributes)
    used = tuple(builder.used)
    if isinstance(typing.result, ListType):
        for part in reference:
            assert _as_type(part) == typing.result.item
        return Ran(reference, tuple(part.array for part in expanded), used)
    assert _as_type(reference) == typing.result, (show(_as_type(reference)), show(typing.result))
    assert TensorType(expanded.type.dtype, expanded.type.shape) == typing.result
    return Ran(np.asarray(reference), expanded.array, used)


def _static(kind: str, value: Any) -> Any:
    if kind == "shape":
        return tuple(None if s is None else Size.of(s) for s in value)
    if kind == "size":
        return Size.of(value)
    if kind == "pairs":
        return tuple((Size.of(a), Size.of(b)) for a, b in value)
    return tuple(value) if isinstance(value, list) else value


# --- inputs and comparison

_ULPS = {"f64": 2e-15, "f32": 5e-7, "f16": 2e-3, "bf16": 1.6e-2}


def sample(dtype: DType, shape: Sequence[int], seed: int = 0, positive: bool = False) -> Any:
    random = np.random.default_rng(seed)
    count = int(np.prod(shape, dtype=np.int64))
    if dtype == BOOL:
        return random.integers(0, 2, count).astype(np.bool_).reshape(shape)
    if dtype.is_integer:
        low = 1 if positive or dtype.kind == "uint" else -9
        return random.integers(low, 10, count).astype(dtype.numpy).reshape(shape)
    values = random.standard_normal(count) * 2
    values = np.abs(values) + 0.1 if positive else values
    return values.astype(dtype.numpy).reshape(shape)


def assert_close(found: Any, expected: Any, dtype: DType, scale: float = 1.0) -> None:
    """Equal up to a few roundings of the dtype; NaN equals NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == dtype.numpy, (found.dtype, dtype)
    assert found.shape == expected.shape, (found.shape, expected.shape)
    if not dtype.is_float:
        np.testing.assert_array_equal(found, expected)
        return
    with np.errstate(all="ignore"):
        wide = np.asarray(expected).astype(dtype.numpy).astype(np.float64)
    tolerance = _ULPS[dtype.name] * scale
    np.testing.assert_allclose(found.astype(np.float64), wide, rtol=tolerance, atol=tolerance * 0.1)


def special(dtype: DType) -> Any:
    """NaN, infinities, zeros of both signs, the smallest and the largest."""
    info = ml_dtypes.finfo(dtype.numpy)
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 2.5, 1.5]
    tiny = [float(info.tiny), float(info.max), -float(info.max), 45.0, -45.0]
    return np.array([*values, *tiny]).astype(dtype.numpy)


def pack_elements(name: str) -> Size:
    return Size.of(PackProduct(Pack(name)))
