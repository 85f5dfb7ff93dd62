"""The reference evaluator: the meaning of a checked program, computed with NumPy."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tdsl.check import typed
from tdsl.ops import numeric, weak
from tdsl.ops.builtins import BUILTINS
from tdsl.ops.primitive import InternalError
from tdsl.reference.failures import AssertionFailure, OutOfRange, explain
from tdsl.reference.values import as_declared, definition
from tdsl.types.dtypes import DType, DTypeVariable
from tdsl.types.numbers import read
from tdsl.types.sizes import Pack, Size, Symbol
from tdsl.types.types import Substitution, WeakType

# An array (rank 0 included), a compile-time number, or values in a tuple, a list, or for a struct
# a dict by the names of its fields.
Value = Any
Step = Generator[tuple[typed.Expression, "_Frame"], Value, Value]

_NOTHING = Substitution({}, {}, {})


def evaluate(
    program: typed.Program,
    reference: typed.FunctionReference,
    arguments: Sequence[Value],
    parameters: Substitution = _NOTHING,
) -> Value:
    """The result of a function: arrays, in tuples, lists and (for structs) dicts where its type
    has them. Arguments are arrays of the declared dtypes and shapes, nested likewise; a list may
    also be stacked, with the items along a first axis of every array. `parameters` has a literal
    value for every size, pack and dtype parameter. OutOfRange, an IndexError, for a run-time
    position that is not there."""
    function = program.function(reference)
    declared = [type_ for _, type_ in function.signature.parameters]
    values = {
        local.index: as_declared(program, type_, argument)
        for local, type_, argument in zip(function.locals, declared, arguments, strict=True)
    }
    return _run(program, function.body, _Frame(parameters, values))


def run_test(
    program: typed.Program, module: typed.Module, test: typed.Test
) -> AssertionFailure | None:
    """The first assertion of a test that does not hold, or the run-time position that is out of
    range; None where the test passes. `module` is where it stands."""
    assert any(test is one for one in module.tests)
    try:
        _run(program, test.body, _Frame(_NOTHING, {}))
    except _AssertionFailed as failed:
        return failed.failure
    except OutOfRange as error:
        return AssertionFailure(error.span, error.message, label="out of range")
    return None


class _AssertionFailed(Exception):
    def __init__(self, failure: AssertionFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True)
class _Frame:
    """What the body of one call sees: values of its parameters, and of its locals by index."""

    parameters: Substitution
    values: dict[int, Value]

    def at_index(self, index: Symbol, position: int) -> _Frame:
        """The same names, at one position of a loop."""
        sizes = {**self.parameters.sizes, index: Size.of(position)}
        inner = Substitution(sizes, self.parameters.packs, self.parameters.dtypes)
        return _Frame(inner, self.values)

    def size(self, size: Size) -> int:
        found = self.parameters.size(size).literal
        if found is None:
            raise InternalError(f"the size {size} has no value")
        return found

    def dtype(self, dtype: DType | DTypeVariable) -> DType:
        found = self.parameters.dtype(dtype)
        if not isinstance(found, DType):
            raise InternalError(f"the dtype parameter {found} has no value")
        return found


def _run(program: typed.Program, expression: typed.Expression, frame: _Frame) -> Value:
    """Evaluate with a stack of our own: programs nest deeper than Python's calls may."""
    stack: list[Step] = [_step(program, expression, frame)]
    value: Value = None
    with np.errstate(all="ignore"):
        while stack:
            try:
                inner, its_frame = stack[-1].send(value)
            except StopIteration as finished:
                stack.pop()
                value = finished.value
            else:
                stack.append(_step(program, inner, its_frame))
                value = None
    return value


def _step(program: typed.Program, expression: typed.Expression, frame: _Frame) -> Step:
    """The value of one expression; yields every expression that it needs the value of."""
    match expression:
        case typed.Number(value=number):
            return number
        case typed.SizeNumber(size=size):
            return _size_number(expression, frame.size(size))
        case typed.Local(index=index):
            return frame.values[index]
        case typed.Convert(value=inner):
            return _convert((yield inner, frame), frame.dtype(expression.dtype))
        case typed.Apply(operands=operands):
            found = []
            for operand in operands:
                found.append((yield operand, frame))
            return _apply(expression, found, frame)
        case typed.Index(value=inner, items=items):
            return _index((yield inner, frame), items, frame)
        case typed.CallFunction():
            return (yield from _call(program, expression, frame))
        case typed.MakeTuple(items=items):
            return tuple((yield from _each(items, frame)))
        case typed.MakeList(items=items):
            return (yield from _each(items, frame))
        case typed.Comprehension(body=body, index=index):
            made = []
            for position in range(frame.size(expression.start), frame.size(expression.stop)):
                made.append((yield body, frame.at_index(index, position)))
            return made
        case typed.Item(value=inner, position=position):
            return (yield inner, frame)[frame.size(position)]
        case typed.Sequence(statements=statements, value=last):
            for statement in statements:
                yield from _statement(statement, frame)
            return (yield last, frame)
        case typed.Conditional(condition=condition, then=then, otherwise=otherwise):
            chosen = then if (yield condition, frame) else otherwise
            return (yield chosen, frame)
        case typed.SameDType(left=left, right=right):
            return frame.dtype(left) == frame.dtype(right)
        case typed.MakeStruct(fields=fields):
            names = [field.name for field in definition(program, expression.type).fields]
            return dict(zip(names, (yield from _each(fields, frame)), strict=True))
        case typed.FieldOf(value=inner, name=name):
            return (yield inner, frame)[name]
        case typed.Zip(lists=lists):
            return list(zip(*(yield from _each(lists, frame)), strict=True))
        case typed.Loop():
            return (yield from _loop(expression, frame))
    raise InternalError(f"{type(expression).__name__} cannot be evaluated")


def _loop(loop: typed.Loop, frame: _Frame) -> Step:
    state = yield loop.initial, frame
    items: Sequence[Value]
    if loop.iterated is not None:
        items = yield loop.iterated, frame
    else:
        items = range(frame.size(loop.start), frame.size(loop.stop))
    made = []
    for item in items:
        frame.values[loop.state.index] = state
        if loop.item is not None:
            frame.values[loop.item.index] = item
        inner = frame if loop.index is None else frame.at_index(loop.index, item)
        state = yield loop.body, inner
        if loop.kind == "scan":
            state, result = state
            made.append(result)
    return (state, made) if loop.kind == "scan" else state


def _each(items: Sequence[typed.Expression], frame: _Frame) -> Generator[Any, Value, list[Value]]:
    made = []
    for item in items:
        made.append((yield item, frame))
    return made


def _statement(
    statement: typed.Binding | typed.Assertion, frame: _Frame
) -> Generator[Any, Value, None]:
    if isinstance(statement, typed.Binding):
        frame.values[statement.local.index] = yield statement.value, frame
        return
    # A comparison is evaluated by its sides, so that a failure can show them.
    condition, whole = statement.condition, False
    if isinstance(condition, typed.Apply) and condition.builtin == "all":
        inner = condition.operands[0]
        if isinstance(inner, typed.Apply) and inner.builtin in _COMPARISONS:
            condition, whole = inner, True
    if not isinstance(condition, typed.Apply) or condition.builtin not in _COMPARISONS:
        if not (yield condition, frame):
            raise _AssertionFailed(AssertionFailure(statement.span, statement.message))
        return
    left, right = yield from _each(condition.operands, frame)
    holds = _apply(condition, [left, right], frame)
    if not (np.all(holds) if whole else holds):
        attributes = _attributes(condition, frame)
        explanation = explain(condition.builtin, left, right, attributes)
        raise _AssertionFailed(
            AssertionFailure(statement.span, statement.message, left, right, explanation)
        )


_COMPARISONS = frozenset(
    {"allclose", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}
)


def _call(program: typed.Program, expression: typed.CallFunction, frame: _Frame) -> Step:
    function = program.function(expression.function)
    arguments = yield from _each(expression.arguments, frame)
    values = {
        local.index: argument for local, argument in zip(function.locals, arguments, strict=True)
    }
    outer, given = frame.parameters, expression.parameters
    parameters = Substitution(
        {symbol: outer.size(size) for symbol, size in given.sizes.items()},
        {pack: outer.shape(shape) for pack, shape in given.packs.items()},
        {variable: outer.dtype(dtype) for variable, dtype in given.dtypes.items()},
    )
    return (yield function.body, _Frame(parameters, values))


def _size_number(expression: typed.SizeNumber, value: int) -> int | float | bool:
    """Statics of the kinds number and bool are sizes too, while a program is checked."""
    kind = expression.type.kind if isinstance(expression.type, WeakType) else "int"
    return read("number" if kind == "float" else kind, value)


def _convert(value: Value, dtype: DType) -> Value:
    if isinstance(value, list | tuple):
        return type(value)(_convert(item, dtype) for item in value)
    if isinstance(value, dict):
        return {name: _convert(field, dtype) for name, field in value.items()}
    if weak.is_number(value):
        return weak.to_dtype(value, dtype)
    return numeric.cast(value, dtype.numpy)


def _apply(expression: typed.Apply, operands: Sequence[Value], frame: _Frame) -> Value:
    builtin = BUILTINS[expression.builtin]
    try:
        found = builtin.reference(*operands, **_attributes(expression, frame))
    except IndexError as error:
        raise OutOfRange(str(error), expression.span) from None
    if isinstance(found, tuple):
        return [np.asarray(item) for item in found]
    return found if isinstance(expression.type, WeakType) else np.asarray(found)


def _attributes(expression: typed.Apply, frame: _Frame) -> Mapping[str, Any]:
    return {name: _concrete(value, frame) for name, value in expression.attributes}


def _concrete(attribute: Any, frame: _Frame) -> Any:
    """An attribute with its sizes as ints, packs spliced in, and dtype parameters replaced."""
    match attribute:
        case Size():
            return frame.size(attribute)
        case DTypeVariable():
            return frame.dtype(attribute)
        case tuple():
            items: list[Any] = []
            for item in attribute:
                if isinstance(item, Pack):
                    items.extend(_concrete(frame.parameters.shape((item,)), frame))
                else:
                    items.append(_concrete(item, frame))
            return tuple(items)
        case _:
            return attribute


def _index(value: Value, items: Sequence[typed.IndexItem], frame: _Frame) -> Value:
    key: list[int | slice | None] = []
    for item in items:
        match item:
            case typed.IndexAt(position=position):
                key.append(frame.size(position))
            case typed.IndexRange(start=start, stop=stop):
                key.append(slice(frame.size(start), frame.size(stop)))
            case typed.IndexNew():
                key.append(None)
            case typed.IndexAll(shape=shape):
                key.extend([slice(None)] * len(frame.parameters.shape(shape)))
    return np.asarray(value[tuple(key)])
