"""Lists, tuples and comprehensions: written out, unrolled, or checked once for every index."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from tdsl.check import typed
from tdsl.check.advice import add_where, less
from tdsl.check.context import Context
from tdsl.check.convert import convert
from tdsl.check.patterns import bind_pattern
from tdsl.check.scope import Bound
from tdsl.check.sizes import size_of
from tdsl.check.values import is_poisoned, kind_of, poison, size_number, static_size
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.naming import dimensions
from tdsl.types.proofs import Facts
from tdsl.types.sizes import UNBOUNDED, Size, Symbol
from tdsl.types.types import ListType, StructType, TensorType, TupleType, Type, WeakType

# More items than this in one function make a program that no compiler likes.
MOST_UNROLLED = 4096


def check_tuple(context: Context, node: ast.Tuple) -> typed.Expression:
    items = [context.check(item) for item in node.items]
    if any(map(is_poisoned, items)):
        return poison(node.span)
    type_ = TupleType(tuple(item.type for item in items))
    return typed.MakeTuple(type_, node.span, tuple(items))


def check_list(context: Context, node: ast.List | ast.Comprehension) -> typed.Expression:
    """A list as a value: its items have one type."""
    found = list_items(context, node)
    if not isinstance(found, typed.MakeList) or isinstance(found.type, ListType):
        return found
    return _homogeneous(context, found)


def list_items(context: Context, node: ast.List | ast.Comprehension) -> typed.Expression:
    """A list whose items may differ in size: its type is then a TupleType. Some builtins take it
    so (`concat`); elsewhere check_list asks for one type."""
    if isinstance(node, ast.Comprehension):
        return _comprehension(context, node)
    if not node.items:
        return context.fail(node, "E0208", "a list has one item or more")
    items = [context.check(item) for item in node.items]
    return _make_list(items, node)


def _make_list(items: Sequence[typed.Expression], node: ast.Node) -> typed.Expression:
    if any(map(is_poisoned, items)):
        return poison(node.span)
    types = [item.type for item in items]
    if all(type_ == types[0] for type_ in types):
        type_: Type = ListType(types[0], Size.of(len(items)))
    else:
        type_ = TupleType(tuple(types))
    return typed.MakeList(type_, node.span, tuple(items))


def _homogeneous(context: Context, found: typed.MakeList) -> typed.Expression:
    """One type for all items: compile-time numbers take the dtype of the scalars among them."""
    types = [item.type for item in found.items]
    length = Size.of(len(types))
    if all(isinstance(type_, WeakType) and type_.kind != "bool" for type_ in types):
        weak = WeakType("float")
        return replace(found, type=ListType(weak, length))
    typed_ = (item for item in found.items if not isinstance(item.type, WeakType))
    first = next(typed_, found.items[0])
    for position, item in enumerate(found.items):
        if item.type == first.type:
            continue
        if isinstance(item.type, WeakType) and _is_scalar(first.type):
            continue
        return context.fail(
            item.span,
            "E0208",
            "the items of a list have one type, but these differ: "
            f"{_quoted(context, first.type)} and {_quoted(context, item.type)}",
            f"item {position} is {context.show(item.type)}",
            more=[(first.span, f"this is {context.show(first.type)}")]
            if first.span != item.span
            else [],
            notes=["a tuple `(a, b)` may hold values of different types"],
        )
    assert isinstance(first.type, TensorType)
    items = tuple(convert(context, item, first.type.dtype) for item in found.items)
    if any(map(is_poisoned, items)):
        return poison(found.span)
    return typed.MakeList(ListType(first.type, length), found.span, items)


def _quoted(context: Context, type_: Type) -> str:
    shown = context.show(type_)
    return shown if isinstance(type_, WeakType) else f"`{shown}`"


def _is_scalar(type_: Type) -> bool:
    return isinstance(type_, TensorType) and not type_.shape


# --- comprehensions


def _comprehension(context: Context, node: ast.Comprehension) -> typed.Expression:
    if isinstance(node.iterated, ast.Range):
        return _over_range(context, node, node.iterated)
    iterated = iterated_list(context, node.iterated)
    if iterated is None:
        return poison(node.span)
    assert isinstance(iterated.type, ListType)
    length = iterated.type.length.literal
    if length is None:
        return _over_list(context, node, iterated)
    results = []
    for position in range(length):
        inner = context.inside()
        item = item_of(iterated, Size.of(position), node.iterated.span)
        results.append(_with_bindings(inner, node, item))
    return _make_list(results, node)


def iterated_list(context: Context, node: ast.Expression) -> typed.Expression | None:
    """The list that a loop goes over; None after a report."""
    iterated = context.check(node)
    if is_poisoned(iterated):
        return None
    if isinstance(iterated.type, ListType):
        return iterated
    helps = []
    if static_size(iterated) is not None:
        text = f"0..{node.span.text}"
        helps = [Help(f"a range is written `{text}`", (Edit(node.span, text),))]
    elif isinstance(iterated.type, TensorType) and iterated.type.shape:
        helps = [Help("the rows of an array are `x[i]` for `i in 0..N`")]
    elif isinstance(iterated.type, StructType):
        helps = [Help(f"L of them are a list of the type `[{context.show(iterated.type)}; L]`")]
    context.fail(
        node,
        "E0603",
        f"only ranges and lists can be iterated, not {kind_of(iterated.type)}",
        f"this is {context.show(iterated.type)}",
        helps=helps,
    )
    return None


def item_of(value: typed.Expression, position: Size, span: Span) -> typed.Expression:
    """One item of a list; of lists that are walked together, the tuple of theirs."""
    assert isinstance(value.type, ListType)
    literal = position.literal
    if isinstance(value, typed.MakeList) and literal is not None:
        return value.items[literal]
    if isinstance(value, typed.Zip):
        parts = tuple(item_of(part, position, span) for part in value.lists)
        return typed.MakeTuple(value.type.item, span, parts)
    return typed.Item(value.type.item, span, value, position)


def _with_bindings(
    context: Context, node: ast.Comprehension, item: typed.Expression
) -> typed.Expression:
    statements = bind_pattern(context, node.pattern, item)
    body = context.check(node.body)
    if statements and not is_poisoned(body):
        body = typed.Sequence(body.type, body.span, tuple(statements), body)
    return body


def _over_list(
    context: Context, node: ast.Comprehension, iterated: typed.Expression
) -> typed.Expression:
    """The body for any item of a list whose length is a size."""
    assert isinstance(iterated.type, ListType)
    start, stop = Size.of(0), iterated.type.length
    index, facts = index_facts(context, "_", start, stop)
    bindings: list[typed.Binding] = []
    if not _is_at_hand(iterated):
        local = context.new_local("_", iterated.type, iterated.span)
        bindings.append(typed.Binding(local, iterated))
        iterated = local
    item = item_of(iterated, Size.of(index), node.iterated.span)
    body = _with_bindings(context.inside(facts), node, item)
    if is_poisoned(body):
        return poison(node.span)
    type_ = ListType(body.type, stop)
    made: typed.Expression = typed.Comprehension(type_, node.span, body, index, start, stop)
    if bindings:
        made = typed.Sequence(type_, node.span, tuple(bindings), made)
    return made


def _is_at_hand(value: typed.Expression) -> bool:
    """Whether taking items again and again computes nothing again."""
    if isinstance(value, typed.Zip):
        return all(map(_is_at_hand, value.lists))
    while isinstance(value, (typed.FieldOf, typed.Item)):
        value = value.value
    return isinstance(value, typed.Local)


def check_zip(
    context: Context, lists: Sequence[ast.Expression | typed.Expression], span: Span
) -> typed.Expression:
    """`zip(xs, ys)`: the lists side by side; their lengths are equal for all sizes."""
    if len(lists) < 2:
        return context.fail(span, "E0503", "`zip` takes two lists or more")
    checked = [
        value if isinstance(value, typed.Expression) else context.check(value) for value in lists
    ]
    if any(map(is_poisoned, checked)):
        return poison(span)
    for value in checked:
        if not isinstance(value.type, ListType):
            return context.fail(
                value.span,
                "E0308",
                f"`zip` takes lists, not {kind_of(value.type)}",
                f"this is {context.show(value.type)}",
            )
    first = checked[0].type
    assert isinstance(first, ListType)
    for value in checked[1:]:
        assert isinstance(value.type, ListType)
        if value.type.length != first.length:
            names = context.names
            left, right = names.size(first.length), names.size(value.type.length)
            return context.fail(
                value.span,
                "E0407",
                f"`zip` walks lists of one length: {left} and {right} differ",
                f"this is {context.show(value.type)}",
                more=[(checked[0].span, f"this is {context.show(first)}")],
                helps=[add_where(context, f"{left} == {right}")],
            )
    items = TupleType(
        tuple(value.type.item for value in checked if isinstance(value.type, ListType))
    )
    return typed.Zip(ListType(items, first.length), span, tuple(checked))


def _over_range(context: Context, node: ast.Comprehension, range_: ast.Range) -> typed.Expression:
    if isinstance(node.pattern, ast.SequencePattern):
        return context.fail(
            node.pattern, "E0202", "an index is one number; it cannot be taken apart"
        )
    start = size_of(context, context.check(range_.start), "the start of a range")
    stop = size_of(context, context.check(range_.stop), "the end of a range")
    if start is None or stop is None:
        return poison(node.span)
    count = stop - start
    if not context.facts.at_least(count, 1):
        return empty_range(context, range_, start, stop)
    literal = count.literal
    if literal is not None:
        context.owner.unrolled += literal
        if context.owner.unrolled > MOST_UNROLLED:
            return context.fail(
                range_,
                "E0704",
                f"this would write out more than {MOST_UNROLLED} items",
                "a literal range is unrolled",
            )
        results = []
        for position in range(literal):
            inner = context.inside()
            _bind_index(inner, node.pattern, start + position)
            results.append(inner.check(node.body))
        return _make_list(results, node)
    return _once(context, node, start, stop)


def _once(context: Context, node: ast.Comprehension, start: Size, stop: Size) -> typed.Expression:
    """The body for any index at once: start <= index < stop is all that is known of it."""
    name = node.pattern.name if isinstance(node.pattern, ast.NamePattern) else "_"
    index, facts = index_facts(context, name, start, stop)
    symbol = Size.of(index)
    inner = context.inside(facts)
    _bind_index(inner, node.pattern, symbol)
    body = inner.check(node.body)
    if is_poisoned(body):
        return poison(node.span)
    if depends_on(body.type, index):
        return context.fail(
            node.body,
            "E0208",
            f"the items of a list have one type, but here each depends on `{name}`",
            f"this is {context.show(body.type)}",
        )
    type_ = ListType(body.type, stop - start)
    return typed.Comprehension(type_, node.span, body, index, start, stop)


def index_facts(context: Context, name: str, start: Size, stop: Size) -> tuple[Symbol, Facts]:
    """A new index, and that start <= index < stop."""
    least = start.literal
    if least is None:
        least = 0 if context.facts.at_least(start, 0) else UNBOUNDED
    index = context.new_index(name, least)
    context.owner.ranges[index] = (start, stop)
    symbol = Size.of(index)
    return index, context.facts.assume(symbol - start).assume(stop - symbol - 1)


def depends_on(type_: Type, index: Symbol) -> bool:
    """Whether some size of a type changes with an index."""
    return any(index in size.symbols() for size in dimensions(type_) if isinstance(size, Size))


def _bind_index(context: Context, pattern: ast.Pattern, value: Size) -> None:
    if isinstance(pattern, ast.NamePattern):
        context.environment.bind(
            pattern.name, Bound(size_number(value, pattern.span), pattern.span, used=True)
        )


def empty_range(context: Context, range_: ast.Range, start: Size, stop: Size) -> typed.Expression:
    """Report a range without an index, or that has none for some sizes."""
    low, high = context.names.size(start), context.names.size(stop)
    certain = context.facts.at_least(start - stop)
    if not certain:
        helps = [add_where(context, less(context.names, start, stop))]
    elif start == stop:
        helps = []
    else:
        helps = [Help("a range counts upwards; from the end it is `n - 1 - i` for i in 0..n")]
    return context.fail(
        range_,
        "E0602",
        f"the range {low}..{high} {'is' if certain else 'may be'} empty",
        "a range has one index or more",
        helps=helps,
    )
