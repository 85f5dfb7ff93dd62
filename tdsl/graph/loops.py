"""Loops of a program as nodes: the body once, whatever the number of steps."""

from __future__ import annotations

import msgspec

from tdsl.check import typed
from tdsl.graph.arguments import refused
from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import LoopBody, Node
from tdsl.graph.values import Layout, Stacked, Value
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import ListType, Substitution, TupleType, Type, WeakType


def has_numbers(type_: Type) -> bool:
    """Whether a part of the type is a compile-time number."""
    match type_:
        case WeakType():
            return True
        case TupleType(items):
            return any(map(has_numbers, items))
        case ListType(item):
            return has_numbers(item)
    return False


def length_of(value: Value) -> Size:
    """The length of a list."""
    assert isinstance(value, tuple | Stacked)
    return value.length if isinstance(value, Stacked) else Size.of(len(value))


class Steps(msgspec.Struct, frozen=True):
    """A loop with the values that it starts from and goes through."""

    loop: typed.Loop
    initial: Value
    iterated: Value | None
    start: Size
    stop: Size

    @property
    def trip(self) -> int | None:
        return (self.stop - self.start).literal

    def unrolled(self, parameters: Substitution) -> bool:
        """Whether every step is written out: where that was asked for, and where a part of what
        goes round is a number of the compiler's, which an array could not stay."""
        loop = self.loop
        if self.trip is None:
            if loop.unroll:
                raise refused(
                    "E0414",
                    f"this loop has {self.stop - self.start} steps, a number that is open in this "
                    "instance",
                    loop.span,
                    "`@unroll` needs a number of steps that is known here",
                    "give the sizes of the range fixed values, or leave `@unroll` out",
                )
            return False
        types = [parameters.type(one.type) for one in (loop.state, loop.item) if one is not None]
        return loop.unroll or self.trip == 1 or any(map(has_numbers, types))

    def values(
        self, layout: Layout, builder: GraphBuilder, state: Value, step: int
    ) -> dict[int, Value]:
        """What the names of the loop stand for in one step that is written out."""
        values = {self.loop.state.index: state}
        if self.loop.item is not None:
            if isinstance(self.iterated, Stacked):
                item = layout.item(builder, self.iterated, Size.of(step))
            else:
                assert isinstance(self.iterated, tuple)
                item = self.iterated[step]
            values[self.loop.item.index] = item
        return values


class Body(msgspec.Struct, frozen=True):
    """The body of a loop under construction: `values` are what its names stand for inside."""

    outer: GraphBuilder
    builder: GraphBuilder
    layout: Layout
    values: dict[int, Value]
    states: tuple[Node, ...]
    items: tuple[Node, ...]
    initial: tuple[Node, ...]
    stacked: tuple[Node, ...]
    state_type: Type | None  # None: a list without a state
    made_type: ListType | None  # of the list that the steps make
    index: Symbol
    start: Size
    trip: Size

    @staticmethod
    def around(outer: GraphBuilder, layout: Layout, parameters: Substitution, steps: Steps) -> Body:
        """A body inside of what the outer builder builds."""
        loop = steps.loop
        inner = GraphBuilder(outer)
        trip = steps.stop - steps.start
        state_type = parameters.type(loop.state.type)
        states = tuple(
            inner.parameter(path, leaf)
            for path, leaf in layout.types(state_type, _name(loop.state, "state"))
        )
        values = {loop.state.index: layout.of_leaves(state_type, iter(states))}
        items: tuple[Node, ...] = ()
        stacked: tuple[Node, ...] = ()
        if loop.item is not None:
            assert steps.iterated is not None
            item_type = parameters.type(loop.item.type)
            stacked = tuple(layout.leaves(outer, steps.iterated, ListType(item_type, trip)))
            named = _name(loop.item, "item")
            paths = [
                # An item without a name of its own is called as what it is an item of.
                str(array.attributes.get("name", path)) if loop.item.name == "_" else path
                for array, (path, _) in zip(stacked, layout.types(item_type, named), strict=True)
            ]
            items = tuple(
                inner.parameter(path, leaf)
                for path, (_, leaf) in zip(paths, layout.types(item_type), strict=True)
            )
            values[loop.item.index] = layout.of_leaves(item_type, iter(items))
        made_type: ListType | None = None
        if loop.kind == "scan":
            assert isinstance(loop.type, TupleType)
            made = parameters.type(loop.type.items[1])
            assert isinstance(made, ListType)
            made_type = ListType(made.item, trip)
        return Body(
            outer,
            inner,
            layout,
            values,
            states,
            items,
            tuple(layout.leaves(outer, steps.initial, state_type)),
            stacked,
            state_type,
            made_type,
            # A loop over a list does not name the number of the step.
            loop.index or Symbol("step", "loop", 0),
            steps.start,
            trip,
        )

    @staticmethod
    def of_list(
        outer: GraphBuilder, layout: Layout, type_: ListType, index: Symbol, start: Size
    ) -> Body:
        """A body that makes the items of a list, each of its own."""
        inner = GraphBuilder(outer)
        return Body(
            outer, inner, layout, {}, (), (), (), (), None, type_, index, start, type_.length
        )

    def finish(self, value: Value) -> Value:
        """The value of the loop, out of that of its body."""
        inner, layout = self.builder, self.layout
        results: list[Node] = []
        made = value
        if self.state_type is not None:
            state = value
            if self.made_type is not None:
                assert isinstance(value, tuple)
                state, made = value
            results += layout.leaves(inner, state, self.state_type)
        if self.made_type is not None:
            results += layout.leaves(inner, made, self.made_type.item)
        made_count = len(results)
        results += (debugged.node for debugged in inner.debugged)
        own = tuple(map(inner.here, results))  # may capture more
        body = LoopBody(
            self.states,
            self.items,
            tuple(inner.captured.values()),
            self.index,
            own,
            inner.names,
            inner.kept(own),
        )
        given = self.outer.loop(
            body, self.initial, self.stacked, tuple(inner.captured), self.trip, self.start
        )
        if inner.debugged:
            self.outer.debug_steps(inner.debugged, given[made_count:])
        leaves = iter(given)
        last = layout.of_leaves(self.state_type, leaves) if self.state_type is not None else ()
        if self.made_type is None:
            return last
        stacked = layout.of_leaves(self.made_type, leaves)
        return (last, stacked) if self.state_type is not None else stacked


def _name(local: typed.Local, otherwise: str) -> str:
    return otherwise if local.name == "_" else local.name
