"""Building a graph node by node: typed, simplified, and each value only once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NoReturn

import numpy as np

from tdsl.graph.graph import CHECK, LOOP, LOOP_RESULT, ArrayType, Debugged, LoopBody, Node
from tdsl.graph.positions import POSITIONED, in_range, positions_of
from tdsl.graph.simplify import known, simplified
from tdsl.ops.primitive import BOOL, I64, InternalError, Reduction
from tdsl.ops.primitives import PRIMITIVES
from tdsl.ops.weak import to_dtype
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError, Label
from tdsl.syntax.source import Source, Span
from tdsl.types.dtypes import DType
from tdsl.types.limits import MOST_AXES, MOST_BYTES
from tdsl.types.sizes import Size

# MLIR would take forever for more.
MOST_NODES: Final = 4000
FREE_OPERATIONS: Final = 24
"""An expression of indices and constants with no more is computed anew wherever it is read: in the
body of a loop, and by each operation that reads it."""

_NOWHERE: Final = Source("<graph>", "").span(0, 0)


class GraphBuilder:
    """The `Builder` that expansions of builtins work on. `span` is the expression that nodes made
    from now on stand for."""

    def __init__(self, around: GraphBuilder | None = None) -> None:
        self.span: Span | None = around.span if around is not None else None
        self.names: dict[Node, str] = {}
        # What the body of a loop reads from around it, and as which input it does.
        self.captured: dict[Node, Node] = {}
        self.debugged: list[Debugged] = []
        self._around = around
        self._root: GraphBuilder = around._root if around is not None else self
        self._own: set[Node] = set()
        self._nodes: dict[Any, Node] = {}
        self._priorities: dict[Node, int] = {}
        # What may find a position out of range: by the operation itself, or in the body of a loop.
        self._positioned: list[Node] = []
        self._count = 0
        self._loops = 0  # in which `dbg` looks at something

    # --- nodes

    def add(self, operation: str, inputs: Sequence[Node], **attributes: Any) -> Node:
        """The value of a primitive: an equal one that exists, a simpler one, or a new node."""
        operands = tuple(map(self.here, inputs)) if self._around else tuple(inputs)
        key = (operation, operands, tuple(sorted(attributes.items())))
        if key in self._nodes:
            return self._nodes[key]
        dtype, shape = PRIMITIVES[operation].infer([x.type for x in operands], attributes)
        type_ = ArrayType(dtype, tuple(shape))
        self._check_limits(type_)
        node = simplified(self, operation, operands, attributes, type_)
        if node is None:
            node = self._new(operation, operands, attributes, type_)
        self._nodes[key] = node
        return node

    def _new(
        self, operation: str, inputs: tuple[Node, ...], attributes: dict[str, Any], type_: ArrayType
    ) -> Node:
        self._root._count += 1
        if self._root._count > MOST_NODES:
            self._refuse(
                f"this function instance needs more than {MOST_NODES} operations",
                "the operation that is one too many",
                "unrolled loops and calls count once for each time; write long repetitions as "
                "`fold`, or split the function",
            )
        node = Node(operation, inputs, attributes, type_, self.span)
        self._own.add(node)
        if operation in POSITIONED and not in_range(node):
            self._positioned.append(node)
        return node

    def kept(self, results: Sequence[Node]) -> tuple[Node, ...]:
        """What must be computed besides the results, because it may find a position out of range:
        loops, and checks in place of operations. In the order of the program."""
        needed: set[Node] = set()
        kept: list[Node] = []
        _reach(results, needed)
        # Backwards, for one may give the positions of a later one.
        for node in reversed(self._positioned):
            if node not in needed:
                one = node if node.operation == LOOP else self._check(node)
                kept.append(one)
                _reach([one], needed)
        return tuple(reversed(kept))

    def _check(self, node: Node) -> Node:
        positions = positions_of(node)
        attributes = {
            "checked": node.operation,
            "axes": tuple(position.axis for position in positions),
            "sizes": tuple(position.size for position in positions),
            "taken": tuple(position.taken for position in positions),
        }
        inputs = tuple(position.node for position in positions)
        return Node(CHECK, inputs, attributes, ArrayType(BOOL, ()), node.span)

    # --- bodies of loops

    def here(self, node: Node) -> Node:
        """The value in this body: what comes from around it is captured; what costs nothing to
        compute is computed again."""
        if self._around is None or node in self._own:
            return node
        if _cost(node) <= FREE_OPERATIONS:
            return self._again(node)
        outer = self._around.here(node)
        if outer not in self.captured:
            name = outer.attributes.get("name") or self._around.names.get(outer)
            self.captured[outer] = self.parameter(
                str(name or f"captured_{len(self.captured)}"), outer.type
            )
        return self.captured[outer]

    def _again(self, node: Node) -> Node:
        if node.operation == "constant":
            return self.number(node.attributes["value"], node.type.dtype)
        return self.add(node.operation, node.inputs, **node.attributes)

    def parameter(self, name: str, type_: ArrayType) -> Node:
        """An input of a body, equal to no other."""
        attributes = {"name": name, "dtype": type_.dtype, "shape": type_.shape}
        return self._new("input", (), attributes, type_)

    def loop(
        self,
        body: LoopBody,
        initial: Sequence[Node],
        stacked: Sequence[Node],
        captured: Sequence[Node],
        trip: Size,
        start: Size,
    ) -> tuple[Node, ...]:
        """The last states, and what the steps added to each stacked result."""
        initial = tuple(map(self.here, initial))
        inputs = (*initial, *map(self.here, (*stacked, *captured)))
        count = len(initial)
        for before, after in zip(initial, body.results[:count], strict=True):
            if before.type != after.type:
                raise InternalError(f"a state of {before.type} becomes {after.type}")
        types = [node.type for node in body.results[:count]]
        types += [
            ArrayType(node.type.dtype, (trip, *node.type.shape)) for node in body.results[count:]
        ]
        for type_ in types:
            self._check_limits(type_)
        attributes = {
            "body": body,
            "states": count,
            "scanned": len(stacked),
            "trip": trip,
            "start": start,
        }
        node = self._new(LOOP, inputs, attributes, types[0])
        if _may_fail(body):
            self._positioned.append(node)
        return tuple(
            self._new(LOOP_RESULT, (node,), {"index": place}, type_)
            for place, type_ in enumerate(types)
        )

    def _check_limits(self, type_: ArrayType) -> None:
        if type_.rank > MOST_AXES:
            self._refuse(
                f"an array of {type_.rank} axes is needed here",
                f"this is {type_}",
                f"arrays have {MOST_AXES} axes at most",
            )
        size = type_.dtype.numpy.itemsize
        for axis in type_.shape:
            # Sizes that stay open count as 1: what they really are is checked at the call.
            size *= axis.literal or 1
        if size >= MOST_BYTES:
            self._refuse(
                f"an array of {size:,} bytes is needed here",
                f"this is {type_}",
                f"arrays are smaller than 2**47 ({MOST_BYTES:,}) bytes",
            )

    def _refuse(self, message: str, label: str, note: str) -> None:
        self.refuse("E0704", message, label, note)

    def debug(self, x: Node, label: str) -> None:
        self.debugged.append(Debugged(label, self.span, self.here(x)))

    def debug_steps(self, debugged: Sequence[Debugged], stacked: Sequence[Node]) -> None:
        """What the steps of a loop looked at, of all of them, stacked."""
        self._root._loops += 1
        loop = self._root._loops
        for one, node in zip(debugged, stacked, strict=True):
            self.debugged.append(Debugged(one.label, one.span, node, (loop, *one.loops)))

    def refuse(self, code: str, message: str, label: str, note: str) -> NoReturn:
        labels = (Label(self.span or _NOWHERE, label),)
        raise DiagnosticError([Diagnostic(code, message, labels, notes=(note,))])

    def name(self, node: Node, name: str, priority: int = 0) -> None:
        """Call a value by a name of the program. The smallest priority wins, then the first."""
        if node.operation in ("input", "constant", "broadcast_in_dim"):
            return
        if priority < self._priorities.get(node, priority + 1):
            self._priorities[node] = priority
            self.names[node] = name

    def input(self, name: str, index: int, type_: ArrayType) -> Node:
        return self.add("input", (), name=name, index=index, dtype=type_.dtype, shape=type_.shape)

    def number(self, value: Any, dtype: DType) -> Node:
        """A rank-0 constant; the value is rounded to the dtype here, once."""
        array = np.asarray(value) if isinstance(value, np.generic) else to_dtype(value, dtype)
        rounded = array.astype(dtype.numpy)
        exact = float(rounded) if dtype.is_float else rounded.item()
        # Of equal numbers -0.0 is another, and a NaN equals none: they are told apart by text.
        key = ("constant", repr(exact), dtype)
        if key not in self._nodes:
            attributes = {"value": exact, "dtype": dtype}
            self._nodes[key] = self._new("constant", (), attributes, ArrayType(dtype, ()))
        return self._nodes[key]

    # --- the protocol of ops.primitive.Builder

    def elementwise(self, operation: str, *operands: Node) -> Node:
        return self.add(operation, operands)

    def cast(self, x: Node, dtype: DType) -> Node:
        return self.add("cast", [x], dtype=dtype)

    def constant(self, value: int | float | bool, dtype: DType) -> Node:
        return self.number(value, dtype)

    def known(self, x: Node) -> int | float | bool | None:
        value: int | float | bool | None = known(x)
        return value

    def size(self, size: Size) -> Node:
        if size.literal is not None:
            return self.number(size.literal, I64)
        return self.add("size", (), size=size)

    def iota(self, shape: tuple[Size, ...], axis: int, dtype: DType) -> Node:
        return self.add("iota", (), shape=tuple(shape), axis=axis, dtype=dtype)

    def broadcast_in_dim(self, x: Node, shape: tuple[Size, ...], axes: tuple[int, ...]) -> Node:
        return self.add("broadcast_in_dim", [x], shape=tuple(shape), axes=tuple(axes))

    def broadcast_to(self, x: Node, shape: tuple[Size, ...]) -> Node:
        first = len(shape) - x.type.rank
        return self.broadcast_in_dim(x, shape, tuple(range(first, len(shape))))

    def reshape(self, x: Node, shape: tuple[Size, ...]) -> Node:
        return self.add("reshape", [x], shape=tuple(shape))

    def transpose(self, x: Node, permutation: tuple[int, ...]) -> Node:
        return self.add("transpose", [x], permutation=tuple(permutation))

    def slice(self, x: Node, starts: tuple[Size, ...], sizes: tuple[Size, ...]) -> Node:
        return self.add(
            "slice", [x], starts=tuple(map(Size.of, starts)), sizes=tuple(map(Size.of, sizes))
        )

    def concat(self, xs: Sequence[Node], axis: int) -> Node:
        return self.add("concat", xs, axis=axis % xs[0].type.rank)

    def pad(self, x: Node, low: tuple[Size, ...], high: tuple[Size, ...], value: Node) -> Node:
        return self.add(
            "pad", [x, value], low=tuple(map(Size.of, low)), high=tuple(map(Size.of, high))
        )

    def reverse(self, x: Node, axes: tuple[int, ...]) -> Node:
        return self.add("reverse", [x], axes=_places(axes, x))

    def reduce(self, operation: Reduction, x: Node, axes: tuple[int, ...]) -> Node:
        return self.add(f"reduce_{operation}", [x], axes=tuple(sorted(_places(axes, x))))

    def arg_reduce(self, operation: Literal["max", "min"], x: Node, axis: int) -> Node:
        return self.add(f"arg{operation}", [x], axis=axis % x.type.rank)

    def cumsum(self, x: Node, axis: int) -> Node:
        return self.add("cumsum", [x], axis=axis % x.type.rank)

    def matmul(self, a: Node, b: Node) -> Node:
        return self.add("matmul" if a.type.rank == 2 else "batch_matmul", [a, b])

    def select(self, condition: Node, x: Node, y: Node) -> Node:
        return self.add("select", [condition, x, y])

    def gather(self, x: Node, ids: Node, axis: int) -> Node:
        return self.add("gather", [x, ids], axis=axis % x.type.rank)

    def dynamic_slice(
        self, x: Node, starts: Sequence[Node | Size | int], sizes: tuple[Size, ...]
    ) -> Node:
        return self.add(
            "dynamic_slice", [x, *map(self._start, starts)], sizes=tuple(map(Size.of, sizes))
        )

    def dynamic_update(self, x: Node, part: Node, starts: Sequence[Node | Size | int]) -> Node:
        return self.add("dynamic_update", [x, part, *map(self._start, starts)])

    def _start(self, start: Node | Size | int) -> Node:
        return start if isinstance(start, Node) else self.size(Size.of(start))


def _reach(roots: Sequence[Node], found: set[Node]) -> None:
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(node.inputs)


def _may_fail(body: LoopBody) -> bool:
    """Whether a position in the body may be out of range."""
    if body.kept:
        return True
    needed: set[Node] = set()
    _reach(body.results, needed)
    return any(
        _may_fail(node.attributes["body"])
        if node.operation == LOOP
        else node.operation in POSITIONED and not in_range(node)
        for node in needed
    )


def _places(axes: Sequence[int], x: Node) -> tuple[int, ...]:
    """Axes counted from the left; those beyond a pack were counted from the right."""
    return tuple(axis % x.type.rank for axis in axes)


def _cost(node: Node) -> int:
    """Of an expression of indices, sizes and constants, how many operations; more than are free
    for any other."""
    if node.operation in ("constant", "size", "iota"):
        return 0
    if node.operation == "broadcast_in_dim":
        return _cost(node.inputs[0])
    if node.operation not in PRIMITIVES or PRIMITIVES[node.operation].family != "elementwise":
        return FREE_OPERATIONS + 1
    total = 1
    for operand in node.inputs:
        total += _cost(operand)
        if total > FREE_OPERATIONS:
            break
    return total
