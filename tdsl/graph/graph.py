"""The graph of one function instance: SSA of primitives on arrays of known dtype."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from tdsl.ops.looking import Looked
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Size, Symbol
from tdsl.types.types import Type

LOOP: Final = "loop"
LOOP_RESULT: Final = "loop_result"
CHECK: Final = "check"


class ArrayType(msgspec.Struct, frozen=True):
    """A dtype and sizes; each a literal, or a polynomial over the graph's open symbols."""

    dtype: DType
    shape: tuple[Size, ...]

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


class Node(msgspec.Struct, frozen=True, eq=False):
    """One operation and its result. `operation` is a name of ops/primitives.py; two nodes are the
    same only if they are the same object.

    Three operations stand for no primitive. A "loop" takes its first states, then arrays stacked
    along their first axis of which each step gets an item, then what its body captures; its
    attributes: body, states and scanned (how many of each), trip and start (the steps are numbered
    start … start + trip). A "loop_result" (index) is what a loop gives: the last states, then
    arrays with what each step added along their first axis. A "check" (checked, taken, sizes, axes)
    has no value: it makes sure of the positions that an operation of this name would use for its
    value, which nobody reads.
    """

    operation: str
    inputs: tuple[Node, ...]
    attributes: Mapping[str, Any]
    type: ArrayType
    span: Span | None

    def __repr__(self) -> str:
        return f"<{self.operation} {self.type}>"


class LoopBody(msgspec.Struct, frozen=True, eq=False):
    """One step of a node of operation "loop". Its nodes are its own: whatever it reads from around
    it are `captured`, of operation "input", like the present `states` and the `items` of this
    step. `results` are the next states, then what the step adds to each stacked result. `index` is
    the number of the step, a size known inside. `kept` is as a graph's."""

    states: tuple[Node, ...]
    items: tuple[Node, ...]
    captured: tuple[Node, ...]
    index: Symbol
    results: tuple[Node, ...]
    names: Mapping[Node, str] = msgspec.field(default_factory=dict)
    kept: tuple[Node, ...] = ()

    def graph(self, name: str) -> Graph:
        """The step as a function."""
        inputs = (*self.states, *self.items, *self.captured)
        return Graph(name, inputs, self.results, {}, self.names, kept=self.kept)


class Claim(msgspec.Struct, frozen=True):
    """A group of nodes that a backend may compute in its own way.

    `root` gives the group's result; `inner` holds every node computed inside (root included), in
    order; `inputs` what comes from outside, in order. `kind` names the kernel family; `attributes`
    are what a kernel must know besides (in MLIR's spelling, shown as `tdsl.<key>`).
    """

    kind: str
    root: Node
    inner: tuple[Node, ...]
    inputs: tuple[Node, ...]
    reason: str
    attributes: Mapping[str, str] = msgspec.field(default_factory=dict)


class Remark(msgspec.Struct, frozen=True):
    """A claim made or nearly made, for `--remarks`."""

    kind: str
    span: Span | None
    claimed: bool
    reason: str


class Debugged(msgspec.Struct, frozen=True):
    """A value that `dbg` looks at, there in the program. Inside of `loops`, each a number of its
    own, outermost first, the node has what their steps looked at along its first axes."""

    label: str
    span: Span | None
    node: Node
    loops: tuple[int, ...] = ()

    @property
    def looked(self) -> Looked:
        return Looked(self.label, self.loops)


class Graph(msgspec.Struct, frozen=True):
    """A whole instance. `inputs` are nodes of operation "input" with attributes name and index,
    one per array argument; `results` in the order of the flattened result; `open_sizes` are the
    symbols that stay unknown until the call, each with (input index, axis) where it is read: an
    axis that is linear in this symbol and has no other. `names` are what the program calls values
    (of `let`, or of the function that gave them), for people; `result_type` is the shape of the
    whole result, into which the flattened ones fit (None: a plain sequence). What is `debugged`
    comes last among the results, in the order in which it is printed, and is no part of the whole
    result. Nodes that are `kept` are no results, but may find fault with a position: checks, and
    loops with checks or positions in their body."""

    name: str
    inputs: tuple[Node, ...]
    results: tuple[Node, ...]
    open_sizes: Mapping[Symbol, tuple[int, int]] = msgspec.field(default_factory=dict)
    names: Mapping[Node, str] = msgspec.field(default_factory=dict)
    result_type: Type | None = None
    debugged: tuple[Debugged, ...] = ()
    kept: tuple[Node, ...] = ()

    @property
    def roots(self) -> tuple[Node, ...]:
        """What everything that is computed leads to."""
        return (*self.inputs, *self.results, *self.kept)

    def nodes(self) -> Iterator[Node]:
        """Every node that a root needs, operands before users."""
        done: set[int] = set()
        stack: list[tuple[Node, bool]] = [(node, False) for node in reversed(self.roots)]
        while stack:
            node, ready = stack.pop()
            if id(node) in done:
                continue
            if ready:
                done.add(id(node))
                yield node
            else:
                stack.append((node, True))
                stack.extend(
                    (operand, False) for operand in reversed(node.inputs) if id(operand) not in done
                )

    def rebuilt(self, made: Mapping[Node, Node], names: Mapping[Node, str]) -> Graph:
        """The graph with what was made of its nodes; `names` are those of new nodes."""
        replace = msgspec.structs.replace
        kept_names = {made[node]: name for node, name in self.names.items() if node in made}
        return replace(
            self,
            results=tuple(made[node] for node in self.results),
            names={**names, **kept_names},
            debugged=tuple(replace(one, node=made[one.node]) for one in self.debugged),
            kept=tuple(made[node] for node in self.kept),
        )

    def everything(self) -> Iterator[Node]:
        """The nodes, and those in the bodies of loops in front of their loop."""
        for node in self.nodes():
            if node.operation == LOOP:
                yield from node.attributes["body"].graph(self.name).everything()
            yield node

    def uses(self) -> Mapping[int, tuple[Node, ...]]:
        """By id of a node, the nodes that read it (a node reading twice stands twice)."""
        found: dict[int, list[Node]] = {}
        for node in self.nodes():
            for operand in node.inputs:
                found.setdefault(id(operand), []).append(node)
        return {key: tuple(users) for key, users in found.items()}
