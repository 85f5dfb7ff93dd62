"""`fold` and `scan`: the state keeps its type, and the body is checked once for all steps."""

from __future__ import annotations

import dataclasses

from msgspec.structs import replace

from tdsl.check import typed
from tdsl.check.advice import wrap
from tdsl.check.binders import with_binders
from tdsl.check.context import Context
from tdsl.check.convert import convert
from tdsl.check.lists import depends_on, empty_range, index_facts, iterated_list
from tdsl.check.patterns import bind_pattern, claim_name
from tdsl.check.report import Reporter
from tdsl.check.scope import Bound
from tdsl.check.sizes import size_of
from tdsl.check.statements import check_block, fit
from tdsl.check.values import is_poisoned, poison, size_number
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Diagnostic, Help, Label
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import ListType, PoisonType, TensorType, TupleType, Type, WeakType


@dataclasses.dataclass(frozen=True)
class _Walk:
    """What a loop goes over: a list, or a range whose index is a size."""

    iterated: typed.Expression | None
    item: typed.Local | None
    index: Symbol | None
    start: Size
    stop: Size


def check_loop(context: Context, node: ast.Loop) -> typed.Expression:
    initial = context.check(node.initial)
    walk = _walk(context, node)
    if is_poisoned(initial) or walk is None:
        # What else is wrong in the body is still worth saying.
        _body(context, node, walk, poison(node.initial.span))
        return poison(node.span)
    if _has_number(initial.type):
        initial = _with_dtypes(context, node, walk, initial)
        if is_poisoned(initial):
            return poison(node.span)
    state, body = _body(context, node, walk, initial)
    if is_poisoned(body):
        return poison(node.span)
    count = walk.stop - walk.start
    result: Type
    if node.kind == "fold":
        fitted = fit(context, body, initial.type)
        result = initial.type
    else:
        if not isinstance(body.type, TupleType) or len(body.type.items) != 2:
            return context.fail(
                body.span,
                "E0601",
                "the body of a `scan` gives two values: the next state, and an item",
                f"this is {context.show(body.type)}",
                more=[(node.initial.span, f"the state starts as {context.show(initial.type)}")],
            )
        item = body.type.items[1]
        if isinstance(item, WeakType):
            return context.fail(
                body.span,
                "E0601",
                "the items of a `scan` have a dtype, but this is a compile-time number",
                notes=["a dtype's name makes a number one of it: `f32(0.0)`"],
            )
        if walk.index is not None and depends_on(item, walk.index):
            return context.fail(
                body.span,
                "E0208",
                "the items of a list have one type, but here each depends on the index",
                f"this is {context.show(item)}",
            )
        fitted = fit(context, body, TupleType((initial.type, item)))
        result = TupleType((initial.type, ListType(item, count)))
    if fitted is None:
        return _other_state(context, node, initial, body)
    return typed.Loop(
        result,
        node.span,
        node.kind,
        initial,
        state,
        walk.iterated,
        walk.item,
        walk.index,
        walk.start,
        walk.stop,
        fitted,
        node.unroll,
    )


def _walk(context: Context, node: ast.Loop) -> _Walk | None:
    """None after a report."""
    if isinstance(node.iterated, ast.Range):
        if isinstance(node.pattern, ast.SequencePattern):
            context.fail(node.pattern, "E0202", "an index is one number; it cannot be taken apart")
            return None
        start = size_of(context, context.check(node.iterated.start), "the start of a range")
        stop = size_of(context, context.check(node.iterated.stop), "the end of a range")
        if start is None or stop is None:
            return None
        if not context.facts.at_least(stop - start, 1):
            empty_range(context, node.iterated, start, stop)
            return None
        name = node.pattern.name if isinstance(node.pattern, ast.NamePattern) else "_"
        index, _ = index_facts(context, name, start, stop)
        return _Walk(None, None, index, start, stop)
    iterated = iterated_list(context, node.iterated)
    if iterated is None:
        return None
    assert isinstance(iterated.type, ListType)
    local = context.new_local(_name(node.pattern), iterated.type.item, node.pattern.span)
    return _Walk(iterated, local, None, Size.of(0), iterated.type.length)


def _body(
    context: Context, node: ast.Loop, walk: _Walk | None, initial: typed.Expression
) -> tuple[typed.Local, typed.Expression]:
    """The state's name, and one step: patterns are taken apart inside it."""
    facts = context.facts
    if walk is not None and walk.index is not None:
        symbol = Size.of(walk.index)
        facts = facts.assume(symbol - walk.start).assume(walk.stop - symbol - 1)
    inner = context.inside(facts)
    state = inner.new_local(_name(node.state), initial.type, node.state.span)
    start = poison(state.span) if is_poisoned(initial) else state
    bindings = _bind(inner, node.state, start, is_state=True)
    if walk is None:
        bindings += bind_pattern(inner, node.pattern, poison(node.pattern.span))
    elif walk.item is not None:
        bindings += _bind(inner, node.pattern, walk.item)
    elif walk.index is not None and isinstance(node.pattern, ast.NamePattern):
        if not node.unroll:
            context.owner.loop_indices.add(walk.index)
        if claim_name(inner, node.pattern.name, node.pattern.span):
            value = size_number(Size.of(walk.index), node.pattern.span)
            bound = Bound(value, node.pattern.span, used=True)
            inner.environment.bind(node.pattern.name, bound)
    body = check_block(inner, node.body)
    if bindings and not is_poisoned(body):
        body = typed.Sequence(body.type, body.span, tuple(bindings), body)
    return state, body


def _bind(
    context: Context, pattern: ast.Pattern, value: typed.Expression, *, is_state: bool = False
) -> list[typed.Binding]:
    """Without a second name for what has one already."""
    if isinstance(pattern, ast.NamePattern) and isinstance(value, typed.Local):
        if claim_name(context, pattern.name, pattern.span):
            bound = Bound(value, pattern.span, is_state=is_state)
            context.environment.bind(pattern.name, bound)
        return []
    return bind_pattern(context, pattern, value)


def _name(pattern: ast.Pattern) -> str:
    return pattern.name if isinstance(pattern, ast.NamePattern) else "_"


# --- numbers as the initial state


def _has_number(type_: Type) -> bool:
    if isinstance(type_, TupleType):
        return any(map(_has_number, type_.items))
    return isinstance(type_, WeakType)


def _number_in(value: typed.Expression) -> typed.Expression:
    """The first number without a dtype in a tuple, or the value itself."""
    while isinstance(value, typed.MakeTuple):
        value = next(item for item in value.items if _has_number(item.type))
    return value


def _with_dtypes(
    context: Context, node: ast.Loop, walk: _Walk, initial: typed.Expression
) -> typed.Expression:
    """A number in the initial state takes the dtype that the first step gives it."""
    owner = dataclasses.replace(context.owner, calls=[], unknown=set(context.owner.unknown))
    silent = dataclasses.replace(context, reporter=Reporter(), owner=owner)
    _, body = _body(silent, node, walk, initial)
    found = body.type
    if node.kind == "scan" and isinstance(found, TupleType) and len(found.items) == 2:
        found = found.items[0]
    if isinstance(found, PoisonType):
        _body(context, node, walk, initial)  # for its errors
        return poison(initial.span)
    given = _take_dtypes(context, initial, found)
    if not is_poisoned(given) and _has_number(given.type):
        number = _number_in(given)
        return context.fail(
            number.span,
            "E0601",
            "the state of a loop has a dtype, but nothing gives this number one",
            f"this is {context.show(number.type)}",
            notes=["a dtype's name makes a number one of it: `f32(0.0)`"],
        )
    return given


def _take_dtypes(context: Context, value: typed.Expression, wanted: Type) -> typed.Expression:
    if isinstance(value.type, WeakType):
        if isinstance(wanted, TensorType) and not wanted.shape:
            return convert(context, value, wanted.dtype)
        return value
    if isinstance(value, typed.MakeTuple) and isinstance(wanted, TupleType):
        if len(value.items) != len(wanted.items):
            return value
        items = [
            _take_dtypes(context, item, type_)
            for item, type_ in zip(value.items, wanted.items, strict=True)
        ]
        if any(map(is_poisoned, items)):
            return poison(value.span)
        type_ = TupleType(tuple(item.type for item in items))
        return typed.MakeTuple(type_, value.span, tuple(items))
    return value


def _other_state(
    context: Context, node: ast.Loop, initial: typed.Expression, body: typed.Expression
) -> typed.Expression:
    found = body.type
    span: Span = node.body.statements[-1].span
    if node.kind == "scan" and isinstance(found, TupleType):
        found = found.items[0]
        value = body.value if isinstance(body, typed.Sequence) else body
        if isinstance(value, typed.MakeTuple):
            span = value.items[0].span
    shown, given = context.names.types_apart(initial.type, found)
    diagnostic = Diagnostic(
        "E0601",
        f"the state of this `{node.kind}` is `{shown}`, but its body gives `{given}`",
        (
            Label(span, f"the next state would be {given}"),
            Label(node.initial.span, f"the state starts as {shown}"),
        ),
        (
            *_changes(context, initial.type, found),
            "each step gives the next state, so its type stays the same",
        ),
        tuple(_helps(node, initial.type, found, span)),
    )
    context.reporter.add(with_binders(context.owner, diagnostic))
    return poison(span)


def _changes(context: Context, state: Type, found: Type, where: str = "") -> list[str]:
    """What differs between two types of one form: `axis 0 changes from C to F`."""
    names = context.names
    match state, found:
        case TensorType(), TensorType() if len(state.shape) == len(found.shape):
            texts = [
                f"axis {axis} changes from {names.shape((old,))[1:-1]} to {names.shape((new,))[1:-1]}"
                for axis, (old, new) in enumerate(zip(state.shape, found.shape, strict=True))
                if old != new
            ]
            if state.dtype != found.dtype:
                texts.append(f"the dtype changes from {state.dtype.name} to {found.dtype.name}")
            return [where + ", ".join(texts)] if texts else []
        case TensorType(), TensorType():
            old_rank, new_rank = len(state.shape), len(found.shape)
            return [f"{where}the number of axes changes from {old_rank} to {new_rank}"]
        case ListType(), ListType() if state.length != found.length:
            old, new = names.size(state.length), names.size(found.length)
            return [f"{where}the length changes from {old} to {new}"]
        case TupleType(), TupleType() if len(state.items) == len(found.items):
            return [
                text
                for position, (one, other) in enumerate(zip(state.items, found.items, strict=True))
                for text in _changes(context, one, other, f"{where}item {position}: ")
            ]
        case _:
            return []


def _helps(node: ast.Loop, state: Type, found: Type, span: Span) -> list[Help]:
    if node.kind == "fold" and isinstance(found, TupleType) and found.items[0] == state:
        return [
            Help("a `fold` gives the next state alone; `scan` also collects an item of each step")
        ]
    if isinstance(state, TensorType) and isinstance(found, TensorType):
        if isinstance(state.dtype, DType) and replace(found, dtype=state.dtype) == state:
            cast = f"{state.dtype.name}("
            return [Help(f"cast the next state: `{cast}…)`", wrap(span, cast, ")"))]
        if len(state.shape) == 2 and replace(found, shape=found.shape[::-1]) == state:
            edits = wrap(span, "transpose(", ", [1, 0])")
            return [Help("its axes are the other way round; transpose it", edits)]
    return []
