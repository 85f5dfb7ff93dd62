"""From a typed function and the values of its parameters to the graph of one instance."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from tdsl.check import typed
from tdsl.graph.arguments import argument_inputs, check_sizes_are_known, open_sizes, refused
from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import Graph, Node
from tdsl.graph.loops import Body, Steps, length_of
from tdsl.graph.subscripts import subscripted
from tdsl.graph.values import F64, Layout, Number, Stacked, Value, joined, natural
from tdsl.ops.builtins import BUILTINS
from tdsl.ops.primitive import BOOL, I64, InternalError
from tdsl.ops.primitives import PRIMITIVES
from tdsl.ops.table import Builtin
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DTypeVariable
from tdsl.types.numbers import read
from tdsl.types.sizes import Pack, Size, Symbol
from tdsl.types.types import ListType, Substitution, TensorType, TupleType, WeakType

_CONDITION: Final = TensorType(BOOL)

Step = Generator[tuple[typed.Expression, "Frame"], Value, Value]


class Frame(msgspec.Struct, frozen=True):
    """One call in progress: what its parameters and names stand for. Depth 0 is the instance."""

    parameters: Substitution
    values: dict[int, Value]
    depth: int = 0

    def with_index(self, index: Symbol, value: Size | int) -> Frame:
        sizes = {**self.parameters.sizes, index: Size.of(value)}
        return replace(self, parameters=replace(self.parameters, sizes=sizes))

    def with_values(self, values: dict[int, Value]) -> Frame:
        return replace(self, values={**self.values, **values})


def elaborate(
    program: typed.Program,
    reference: typed.FunctionReference,
    parameters: Substitution,
    name: str | None = None,
) -> Graph:
    """The graph of a function for these sizes (literal, or symbols that stay open) and dtypes.

    Calls are inlined, comprehensions over literal ranges unrolled, `if` decided, compile-time
    numbers computed; loops stay loops, lists are arrays of one more axis. What cannot be is refused
    by a DiagnosticError.
    """
    function = program.function(reference)
    signature = function.signature
    builder = GraphBuilder()
    layout = Layout(program)
    inputs: list[Node] = []
    values: dict[int, Value] = {}
    arguments = zip(signature.parameters, signature.parameter_spans, function.locals, strict=True)
    for (parameter, type_), span, local in arguments:
        builder.span = span
        values[local.index] = argument_inputs(
            builder, layout, inputs, parameter, parameters.type(type_)
        )
    result_type = parameters.type(signature.result)
    value = _Elaborator(program, builder, layout).run(function.body, Frame(parameters, values))
    builder.span = function.body.span
    results = (
        *layout.leaves(builder, value, result_type),
        *(debugged.node for debugged in builder.debugged),
    )
    graph = Graph(
        name or reference.name,
        tuple(inputs),
        results,
        open_sizes(inputs),
        builder.names,
        result_type,
        tuple(builder.debugged),
        builder.kept(results),
    )
    check_sizes_are_known(graph, function)
    return graph


def elaborate_test(program: typed.Program, test: typed.Test, name: str) -> Graph:
    """A `test` block as a function without arguments: its results are the conditions of the
    assertions, in order."""
    builder = GraphBuilder()
    layout = Layout(program)
    elaborator = _Elaborator(program, builder, layout)
    elaborator.run(test.body, Frame(Substitution({}, {}, {}), {}))
    results = tuple(
        node
        for value in elaborator.conditions
        for node in layout.leaves(builder, value, _CONDITION)
    )
    debugged = tuple(builder.debugged)
    everything = (*results, *(one.node for one in debugged))
    return Graph(
        name,
        (),
        everything,
        {},
        builder.names,
        TupleType((_CONDITION,) * len(results)),
        debugged,
        builder.kept(everything),
    )


class _Elaborator:
    def __init__(self, program: typed.Program, builder: GraphBuilder, layout: Layout) -> None:
        self._program = program
        self._builder = builder  # of the innermost loop's body
        self._layout = layout
        self.conditions: list[Value] = []  # of assertions

    def run(self, expression: typed.Expression, frame: Frame) -> Value:
        """Evaluate with a stack of its own: programs nest deeper than Python's calls may."""
        stack = [self._step(expression, frame)]
        value: Any = None
        while stack:
            try:
                child, inner = stack[-1].send(value)
            except StopIteration as stop:
                stack.pop()
                value = stop.value
            else:
                stack.append(self._step(child, inner))
                value = None
        result: Value = value
        return result

    def _step(self, expression: typed.Expression, frame: Frame) -> Step:
        """Evaluate one expression; yields each expression whose value it needs, with its frame."""
        match expression:
            case typed.Number(value=number):
                return number
            case typed.SizeNumber(size=size):
                return self._static(expression, frame.parameters.size(size))
            case typed.Local(index=index):
                return frame.values[index]
            case typed.Convert(value=inner):
                value = yield inner, frame
                return self._convert(value, frame.parameters.dtype(expression.dtype), expression)
            case typed.Apply():
                operands = []
                for operand in expression.operands:
                    operands.append((yield operand, frame))
                return self._apply(expression, operands, frame)
            case typed.Index(value=inner):
                value = yield inner, frame
                self._builder.span = expression.span
                return subscripted(self._builder, _array(value), expression.items, frame.parameters)
            case typed.CallFunction():
                return (yield from self._call(expression, frame))
            case (
                typed.MakeTuple(items=items)
                | typed.MakeList(items=items)
                | typed.MakeStruct(fields=items)
            ):
                made = []
                for item in items:
                    made.append((yield item, frame))
                return tuple(made)
            case typed.Comprehension():
                return (yield from self._comprehension(expression, frame))
            case typed.Item(value=inner):
                value = yield inner, frame
                return self._item(
                    value, frame.parameters.size(expression.position), expression, frame
                )
            case typed.FieldOf(value=inner, position=place):
                value = yield inner, frame
                assert isinstance(value, tuple)
                return value[place]
            case typed.Zip(lists=lists):
                return (yield from self._zip(lists, frame))
            case typed.Loop():
                return (yield from self._loop(expression, frame))
            case typed.Sequence():
                return (yield from self._sequence(expression, frame))
            case typed.SameDType(left=left, right=right):
                return frame.parameters.dtype(left) == frame.parameters.dtype(right)
            case typed.Conditional():
                condition = yield expression.condition, frame
                chosen = self._decide(condition, expression)
                return (yield (expression.then if chosen else expression.otherwise), frame)
        raise InternalError(f"{type(expression).__name__} cannot be part of a graph")

    # --- structure

    def _sequence(self, expression: typed.Sequence, frame: Frame) -> Step:
        for statement in expression.statements:
            if isinstance(statement, typed.Assertion):
                self.conditions.append((yield statement.condition, frame))
                continue
            value = yield statement.value, frame
            frame.values[statement.local.index] = value
            if isinstance(value, Node):
                self._builder.name(value, statement.local.name, 2 * frame.depth)
        return (yield expression.value, frame)

    def _call(self, expression: typed.CallFunction, frame: Frame) -> Step:
        function = self._program.function(expression.function)
        values: dict[int, Value] = {}
        for local, argument in zip(function.locals, expression.arguments, strict=True):
            values[local.index] = yield argument, frame
        inner = Frame(_composed(expression.parameters, frame.parameters), values, frame.depth + 1)
        result = yield function.body, inner
        if isinstance(result, Node):
            self._builder.name(result, expression.function.name, 2 * frame.depth + 1)
        return result

    def _comprehension(self, expression: typed.Comprehension, frame: Frame) -> Step:
        start = frame.parameters.size(expression.start)
        stop = frame.parameters.size(expression.stop)
        first, last = start.literal, stop.literal
        if first is None or last is None:
            return (yield from self._list_loop(expression, start, stop, frame))
        items = []
        for position in range(first, last):
            items.append((yield expression.body, frame.with_index(expression.index, position)))
        return tuple(items)

    def _list_loop(
        self, expression: typed.Comprehension, start: Size, stop: Size, frame: Frame
    ) -> Step:
        """A number of items that is open: a loop without a state."""
        outer = self._builder
        outer.span = expression.span
        type_ = frame.parameters.type(expression.type)
        assert isinstance(type_, ListType)
        body = Body.of_list(outer, self._layout, type_, expression.index, start)
        self._builder = body.builder
        value = yield expression.body, frame.with_values({})
        self._builder = outer
        outer.span = expression.span
        return body.finish(value)

    def _zip(self, lists: tuple[typed.Expression, ...], frame: Frame) -> Step:
        values: list[Value] = []
        types: list[ListType] = []
        for one in lists:
            values.append((yield one, frame))
            type_ = frame.parameters.type(one.type)
            assert isinstance(type_, ListType)
            types.append(type_)
        return self._layout.zipped(self._builder, values, types)

    def _item(self, value: Value, position: Size, expression: typed.Item, frame: Frame) -> Value:
        if isinstance(value, tuple) and position.literal is not None:
            return value[position.literal]
        self._builder.span = expression.span
        if not isinstance(value, Stacked):
            type_ = frame.parameters.type(expression.value.type)
            assert isinstance(type_, ListType)
            value = self._layout.stacked(self._builder, value, type_)
        return self._layout.item(self._builder, value, position)

    # --- loops

    def _loop(self, expression: typed.Loop, frame: Frame) -> Step:
        parameters = frame.parameters
        initial = yield expression.initial, frame
        start, stop = parameters.size(expression.start), parameters.size(expression.stop)
        iterated: Value | None = None
        if expression.iterated is not None:
            iterated = yield expression.iterated, frame
            start, stop = Size.of(0), length_of(iterated)
        steps = Steps(expression, initial, iterated, start, stop)
        if steps.unrolled(parameters):
            return (yield from self._unrolled(steps, frame))
        outer = self._builder
        outer.span = expression.span
        body = Body.around(outer, self._layout, parameters, steps)
        self._builder = body.builder
        value = yield expression.body, frame.with_values(body.values)
        self._builder = outer
        outer.span = expression.span
        return body.finish(value)

    def _unrolled(self, steps: Steps, frame: Frame) -> Step:
        state, made = steps.initial, []
        for step in range(steps.trip or 0):
            inner = frame.with_values(steps.values(self._layout, self._builder, state, step))
            if steps.loop.index is not None:
                inner = inner.with_index(steps.loop.index, steps.start + step)
            state = yield steps.loop.body, inner
            if steps.loop.kind == "scan":
                assert isinstance(state, tuple)
                state, item = state
                made.append(item)
        return (state, tuple(made)) if steps.loop.kind == "scan" else state

    def _decide(self, condition: Value, expression: typed.Conditional) -> bool:
        if isinstance(condition, Node):
            raise refused(
                "E0206",
                "this `if` depends on a size that is open in this instance",
                expression.condition.span,
                "its value is known only when the function is called",
                "give the size a fixed value: `dynamic=()` in Python, `--bind` on the command line",
            )
        return bool(condition)

    # --- numbers

    def _static(self, expression: typed.SizeNumber, size: Size) -> Value:
        """A size, or a static bool or number, which an instance always fixes."""
        kind = expression.type.kind if isinstance(expression.type, WeakType) else "int"
        if kind == "int" or size.literal is None:
            return self._size(size, expression.span)
        return read("number" if kind == "float" else kind, size.literal)

    def _size(self, size: Size, span: Span) -> Value:
        if size.literal is not None:
            return size.literal
        self._builder.span = span
        return self._builder.size(size)

    def _convert(self, value: Value, dtype: Any, expression: typed.Convert) -> Value:
        self._builder.span = expression.span
        match value:
            case Node():
                return self._builder.cast(value, dtype)
            case tuple():
                return tuple(self._convert(item, dtype, expression) for item in value)
            case Stacked(item=item, length=length):
                return Stacked(self._convert(item, dtype, expression), length)
        return self._builder.number(value, dtype)

    def _apply(self, expression: typed.Apply, operands: list[Value], frame: Frame) -> Value:
        parameters = frame.parameters
        builtin = BUILTINS[expression.builtin]
        attributes = {key: _substituted(value, parameters) for key, value in expression.attributes}
        self._builder.span = expression.span
        if isinstance(expression.type, WeakType):
            if not any(isinstance(operand, Node) for operand in operands):
                return _number(builtin.reference(*operands, **attributes))
            return self._open_number(builtin, operands, attributes, expression.type)
        if builtin.name in ("stack", "concat") and isinstance(operands[0], Stacked):
            new = builtin.name == "stack"
            return joined(self._builder, operands[0], attributes["axis"], new=new)
        result_dtype = (
            parameters.dtype(expression.type.dtype)
            if isinstance(expression.type, TensorType)
            else None
        )
        values = [self._operand(operand, result_dtype) for operand in operands]
        result: Value = builtin.expand(self._builder, *values, **attributes)
        # A primitive's name says nothing new, and a broadcast is not computed.
        if isinstance(result, Node) and builtin.name not in PRIMITIVES:
            self._builder.name(result, builtin.name, 2 * frame.depth + 1)
        return result

    def _operand(self, operand: Value, dtype: Any) -> Any:
        match operand:
            case tuple():
                return tuple(self._operand(item, dtype) for item in operand)
            case Node():
                return operand
            case Stacked(length=length):
                if length.literal is None:
                    self._builder.refuse(
                        "E0414",
                        f"this list has {length} items, a number that is open in this instance",
                        "its items are written out where the instance is built",
                        "give the size a fixed value, or use `fold` or `scan`",
                    )
                items = range(length.literal)
                return tuple(self._layout.item(self._builder, operand, Size.of(i)) for i in items)
        return self._builder.number(operand, dtype or natural(operand))

    def _open_number(
        self, builtin: Builtin, operands: list[Value], attributes: dict[str, Any], type_: WeakType
    ) -> Value:
        """A compile-time number that depends on an open size: computed by the function itself,
        in f64 or i64, as Python would."""
        nodes: list[Node] = []
        for operand in operands:
            if isinstance(operand, tuple | Stacked):
                raise InternalError("a list among compile-time numbers")
            if not isinstance(operand, Node):
                operand = self._builder.number(operand, natural(operand))
            nodes.append(operand)
        floats = type_.kind == "float" or any(node.type.dtype.is_float for node in nodes)
        wanted = F64 if floats else I64
        lifted = [
            node if node.type.dtype == BOOL else self._builder.cast(node, wanted) for node in nodes
        ]
        result: Value = builtin.expand(self._builder, *lifted, **attributes)
        return result


def _array(value: Value) -> Node:
    if not isinstance(value, Node):
        raise InternalError("a subscript of something that is no array")
    return value


def _number(value: Any) -> Number:
    """As a plain Python number, whatever the reference gave."""
    if isinstance(value, int | float | bool) and type(value) in (int, float, bool):
        return value
    number: Number = value.item()
    return number


def _substituted(attribute: Any, parameters: Substitution) -> Any:
    match attribute:
        case Size():
            return parameters.size(attribute)
        case DTypeVariable():
            return parameters.dtype(attribute)
        case tuple():
            items: list[Any] = []
            for item in attribute:
                if isinstance(item, Pack):
                    items.extend(parameters.shape((item,)))
                else:
                    items.append(_substituted(item, parameters))
            return tuple(items)
    return attribute


def _composed(inner: Substitution, outer: Substitution) -> Substitution:
    """The callee's parameters, which are over the caller's, over what the caller's stand for."""
    packs: dict[Pack, tuple[Size | Pack, ...]] = {
        pack: outer.shape(shape) for pack, shape in inner.packs.items()
    }
    return Substitution(
        {symbol: outer.size(size) for symbol, size in inner.sizes.items()},
        packs,
        {variable: outer.dtype(dtype) for variable, dtype in inner.dtypes.items()},
    )
