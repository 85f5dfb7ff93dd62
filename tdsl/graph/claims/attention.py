"""Claims of attention: a product, its softmax along the keys, and the product of that with values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import msgspec

from tdsl.graph.claims.aligned import is_aligned, keeps_rows
from tdsl.graph.claims.common import (
    PRODUCTS,
    SOURCES,
    Uses,
    in_order_of_use,
    is_elementwise,
    sizes_are_known,
)
from tdsl.graph.graph import Claim, Graph, Node, Remark
from tdsl.graph.simplify import known
from tdsl.types.sizes import Size

KIND: Final = "attention"
MOST_DEPTH: Final = 1024
_MOST_STEPS: Final = 24
"""Elementwise operations between the first product and the softmax."""


class _Near(Exception):
    """What is nearly attention; the message says what is missing."""


class _Other(Exception):
    """What is not attention at all."""


def find(
    graph: Graph, taken: frozenset[Node] = frozenset()
) -> tuple[tuple[Claim, ...], tuple[Remark, ...]]:
    """A claim for each second product of attention; remarks on what is nearly one."""
    claims: list[Claim] = []
    remarks: list[Remark] = []
    order = list(graph.nodes())
    uses = graph.uses()
    for node in order:
        if node.operation not in PRODUCTS or not node.type.dtype.is_float or node in taken:
            continue
        try:
            claim = _Match(graph, node, uses).claim(order)
        except _Near as near:
            remarks.append(Remark(KIND, node.span, False, str(near)))
        except _Other:
            continue
        else:
            if taken.isdisjoint(claim.inner):
                claims.append(claim)
                remarks.append(Remark(KIND, node.span, True, claim.reason))
    return tuple(claims), tuple(remarks)


def _bare(node: Node) -> Node:
    """The value behind broadcasts, groupings of axes, and casts between floats."""
    while node.operation in ("broadcast_in_dim", "reshape") or _is_float_cast(node):
        node = node.inputs[0]
    return node


def _uncast(node: Node) -> Node:
    while _is_float_cast(node):
        node = node.inputs[0]
    return node


def _is_float_cast(node: Node) -> bool:
    return (
        node.operation == "cast" and node.type.dtype.is_float and node.inputs[0].type.dtype.is_float
    )


def _is(node: Node, operation: str) -> bool:
    return node.operation == operation


def _quotient(node: Node) -> tuple[Node, Node] | None:
    """x and y of x / y, also of x * (1 / y)."""
    if _is(node, "div"):
        return node.inputs[0], node.inputs[1]
    if not _is(node, "mul"):
        return None
    for x, y in (node.inputs, node.inputs[::-1]):
        inverse = _bare(y)
        if _is(inverse, "reciprocal"):
            return x, inverse.inputs[0]
        if _is(inverse, "div") and known(inverse.inputs[0]) == 1:
            return x, inverse.inputs[1]
    return None


def _difference(node: Node) -> tuple[Node, Node] | None:
    """x and y of x - y, also of x + -y and -(y - x)."""
    if _is(node, "sub"):
        return node.inputs[0], node.inputs[1]
    if _is(node, "add"):
        for x, y in (node.inputs, node.inputs[::-1]):
            if _is(_bare(y), "neg"):
                return x, _bare(y).inputs[0]
    if _is(node, "neg") and _is(_bare(node.inputs[0]), "sub"):
        y, x = _bare(node.inputs[0]).inputs
        return x, y
    return None


def _replaced(node: Node, what: float, by: float) -> Node:
    """x, where the node is x with one number replaced by another; else the node."""
    if not _is(node, "select"):
        return node
    condition, chosen, otherwise = node.inputs
    condition = _bare(condition)
    if known(chosen) != by or not _is(condition, "equal"):
        return node
    for x, number in (condition.inputs, condition.inputs[::-1]):
        if known(number) == what and _bare(x) is _bare(otherwise):
            return _bare(otherwise)
    return node


class _Match(msgspec.Struct):
    graph: Graph
    mixed: Node
    uses: Uses
    inner: list[Node] = msgspec.field(default_factory=list)
    inputs: list[Node] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)

    def claim(self, order: Sequence[Node]) -> Claim:
        shares, values = self.mixed.inputs
        exponential, scores = self._softmax(shares)
        product = self._scores(scores)
        self._check_depth(product.inputs[0].type.shape[-1], values.type.shape[-1])
        self._check_dtypes(exponential)
        self.inner.append(self.mixed)
        for operand in (*product.inputs, values):
            self._absorb(operand)
        self._check_private()
        root = self._root()
        inner = set(self.inner)
        inputs = [node for node in self.inputs if node not in inner]
        if not sizes_are_known(inner, inputs):
            raise _Near("an open size cannot be read from the shape of an operand")
        place = {node: number for number, node in enumerate(order)}
        ordered = tuple(sorted(inner, key=place.__getitem__))
        found = in_order_of_use(ordered, inputs)
        queries, keys = product.inputs
        text = f"softmax({queries.type} @ {keys.type}) @ {values.type}"
        return Claim(KIND, root, ordered, found, "; ".join([text, *self.notes]))

    # --- softmax

    def _softmax(self, shares: Node) -> tuple[Node, Node]:
        """The exponential and the scores of the softmax that the left operand is."""
        outer = self._through(shares)
        parts = _quotient(outer)
        if parts is None:
            if _has_softmax(outer):
                raise _Near(
                    f"{outer.operation} comes between the softmax and the product with the values"
                )
            raise _Other
        if not is_aligned(shares, (outer,)):
            raise _Near("the shares are regrouped or repeated before the product with the values")
        exponential = self._through(parts[0])
        total = self._through(parts[1])
        replaced = _replaced(total, 0.0, 1.0)
        if replaced is not total:
            self.inner += [total, _bare(total.inputs[0])]
            self._between(total.inputs[0])
            self._between(total.inputs[2])
            total = replaced
        if not _is(total, "reduce_sum"):
            if _has_softmax(parts[0]) or _is(exponential, "exp"):
                raise _Near("what the exponentials are divided by is not their sum")
            raise _Other
        summed = self._through(total.inputs[0])
        same = summed is exponential and total.inputs[0].type.shape == summed.type.shape
        if not _is(exponential, "exp") or not same:
            if _has_softmax(exponential):
                raise _Near("what is summed is not what is divided")
            raise _Other
        self._check_axis(total)
        if not is_aligned(outer, (exponential, total)):
            raise _Near("the exponentials are divided by the sums of other rows")
        argument = self._through(exponential.inputs[0])
        parts = _difference(argument)
        if parts is None:
            raise _Near("the largest score of each row is not taken off before exp")
        scores = _uncast(parts[0])
        top = self._through(parts[1])
        replaced = _replaced(top, -math.inf, 0.0)
        if replaced is not top:
            self.inner += [top, _bare(top.inputs[0])]
            self._between(top.inputs[0])
            self._between(top.inputs[2])
            top = replaced
        if not _is(top, "reduce_max") or _uncast(top.inputs[0]) is not scores:
            raise _Near("what is taken off before exp is not the largest score of the row")
        self._check_axis(top)
        if not is_aligned(argument, (scores, top)):
            raise _Near("the largest scores of other rows are taken off before exp")
        self._between(parts[0])
        self._between(top.inputs[0])
        self._spelling(argument)
        self.inner += [outer, total, exponential, argument, top]
        self._spelling(outer)
        return exponential, scores

    def _through(self, node: Node) -> Node:
        self._between(node)
        return _bare(node)

    def _between(self, node: Node) -> None:
        """What lies between a value and what it is made of belongs to the claim."""
        end = _bare(node)
        while node is not end:
            self.inner.append(node)
            node = node.inputs[0]

    def _spelling(self, node: Node) -> None:
        """The operations that a quotient or difference is spelled with."""
        for operand in node.inputs:
            inverse = _bare(operand)
            if (
                inverse.operation in ("reciprocal", "neg")
                or (_is(inverse, "div") and known(inverse.inputs[0]) == 1)
                or (_is(node, "neg") and _is(inverse, "sub"))
            ):
                self._between(operand)
                self.inner.append(inverse)
                for inner in inverse.inputs:
                    self._between(inner)

    def _check_axis(self, reduction: Node) -> None:
        last = reduction.inputs[0].type.rank - 1
        axes = reduction.attributes["axes"]
        if axes != (last,):
            shown = " and ".join(map(str, axes))
            raise _Near(f"the softmax runs along axis {shown}, not along the keys")

    # --- scores

    def _scores(self, scores: Node) -> Node:
        """The first product; everything between it and the softmax is elementwise."""
        products: list[Node] = []
        seen: set[Node] = set()
        stack = [scores]
        steps = 0
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            if node.operation in PRODUCTS:
                products.append(node)
                self.inner.append(node)
            elif self._holds_product(node):
                if node.operation == "reshape" and not keeps_rows(node):
                    raise _Near("the axes of the scores are regrouped before the softmax")
                if node.operation == "pow" and not node.type.dtype.is_float:
                    raise _Near("a power of integers comes between the scores and the softmax")
                steps += is_elementwise(node)
                self.inner.append(node)
                stack.extend(node.inputs)
            elif self._is_cheap(node):
                self.inner.append(node)
                stack.extend(node.inputs)
            else:
                self.inputs.append(node)
        if not products:
            for node in self.inputs:
                if any(operand.operation in PRODUCTS for operand in node.inputs):
                    raise _Near(f"{node.operation} comes between the scores and the softmax")
            raise _Other
        if len(products) > 1:
            raise _Near("the scores are made of several products")
        if steps > _MOST_STEPS:
            raise _Near(f"{steps} operations come between the scores and the softmax")
        if not is_aligned(scores, products):
            raise _Near("the product is repeated or read in other places than its own")
        return products[0]

    def _holds_product(self, node: Node) -> bool:
        stack = [node]
        seen: set[Node] = set()
        while stack:
            one = stack.pop()
            if one in seen or len(seen) > 4 * _MOST_STEPS:
                continue
            seen.add(one)
            if one.operation in PRODUCTS:
                return True
            if is_elementwise(one) or one.operation in ("reshape", "broadcast_in_dim"):
                stack.extend(one.inputs)
        return False

    def _is_cheap(self, node: Node) -> bool:
        """Masks of positions, and what is broadcast: read or computed where it is needed."""
        if node.operation in (*SOURCES, "broadcast_in_dim"):
            return True
        if not is_elementwise(node) or node.operation in ("pow", "floordiv", "mod"):
            return False
        return _weight(node) <= _MOST_STEPS or self._is_private_mask(node)

    def _is_private_mask(self, node: Node) -> bool:
        """A mask that is written out for these scores alone, such as select(visible, 0, -inf)."""
        return node.operation in ("select", "cast", "logical_not") and all(
            user in self.inner for user in self._users(node)
        )

    def _users(self, node: Node) -> tuple[Node, ...]:
        return self.uses.get(id(node), ())

    # --- operands and the result

    def _absorb(self, operand: Node) -> None:
        """Views that the kernel reads through. Slices and groupings of axes at the end stay
        outside: in memory they are nothing but another way to count."""
        path: list[Node] = []
        node = operand
        while True:
            if (
                node.operation in ("transpose", "broadcast_in_dim")
                or _is_float_cast(node)
                or (node.operation == "reshape" and keeps_rows(node))
            ):
                following = node.inputs[0]
            elif node.operation in ("mul", "div") and self._users(node) and self._scaled(node):
                following = node.inputs[0] if known(node.inputs[1]) is not None else node.inputs[1]
            else:
                break
            path.append(node)
            node = following
        while path and path[-1].operation == "reshape":
            node = path.pop()
        self.inner.extend(path)
        for one in path:
            for other in one.inputs:
                self._free(other)
        self.inputs.append(node)

    def _scaled(self, node: Node) -> bool:
        """Whether a value is another one times a number, for this product alone."""
        numbers = [known(x) is not None for x in node.inputs]
        alone = len(self._users(node)) == 1 and node not in self.graph.results
        return alone and (numbers[1] or (numbers[0] and node.operation == "mul"))

    def _free(self, node: Node) -> None:
        while node.operation == "broadcast_in_dim" and known(node) is not None:
            self.inner.append(node)
            node = node.inputs[0]
        if node.operation == "constant":
            self.inner.append(node)

    def _root(self) -> Node:
        """The result, past transposes and what they need to be views."""
        path: list[Node] = []
        node = self.mixed
        while node not in self.graph.results:
            users = self._users(node)
            if len(users) != 1:
                break
            (user,) = users
            if user.operation == "transpose":
                permutation = user.attributes["permutation"]
                if permutation[-1] != len(permutation) - 1:
                    break
            elif user.operation != "reshape" or not keeps_rows(user):
                break
            path.append(user)
            node = user
        while path and path[-1].operation == "reshape":
            path.pop()
        self.inner.extend(path)
        return path[-1] if path else self.mixed

    # --- conditions

    def _check_depth(self, *sizes: Size) -> None:
        """A block of queries is held on the stack."""
        for size in sizes:
            if size.literal is None:
                raise _Near("the depth of a head is open")
            if size.literal > MOST_DEPTH:
                raise _Near(f"heads of depth {size.literal} are more than a kernel holds")

    def _check_dtypes(self, exponential: Node) -> None:
        """One precision for all of it: f64 scores of an f32 product are not computed in f32."""
        dtypes = {
            node.type.dtype.name
            for node in (*self.inner, self.mixed, exponential)
            if node.type.dtype.is_float
        }
        if "f64" in dtypes and len(dtypes) > 1:
            raise _Near(f"it is computed in several precisions: {', '.join(sorted(dtypes))}")

    def _check_private(self) -> None:
        """What is computed inside, other than cheap views and masks, is needed nowhere else."""
        inside = set(self.inner)
        for node in inside:
            if node is self.mixed or _is_shareable(node) or _weight(node) <= _MOST_STEPS:
                continue
            outside = node in self.graph.results or any(
                user not in inside for user in self._users(node)
            )
            if outside:
                name = self.graph.names.get(node)
                shown = f"`{name}`" if name else f"the {node.operation} in it"
                raise _Near(f"{shown} is needed elsewhere, too")


def _is_shareable(node: Node) -> bool:
    return node.operation in (*SOURCES, "broadcast_in_dim", "transpose", "reshape") or (
        _is_float_cast(node) and node.inputs[0].operation not in PRODUCTS
    )


def _weight(node: Node) -> int:
    """Of an expression of positions and constants, how many operations; a large number for any
    other."""
    stack, total = [node], 0
    while stack:
        one = stack.pop()
        if one.operation in SOURCES:
            continue
        if one.operation == "input" and one.type.rank == 0:
            continue  # a run-time position
        if one.operation != "broadcast_in_dim":
            if not is_elementwise(one) or (one.type.rank == 0 and one.operation != "cast"):
                return _MOST_STEPS + 1
            total += 1
        if total > _MOST_STEPS:
            break
        stack.extend(one.inputs)
    return total


def _has_softmax(node: Node) -> bool:
    """Whether an exponential is not far behind."""
    stack, steps = [node], 0
    while stack and steps < _MOST_STEPS:
        one = stack.pop()
        steps += 1
        if _is(one, "exp"):
            return True
        if is_elementwise(one) or one.operation in ("broadcast_in_dim", "reshape"):
            stack.extend(one.inputs)
    return False
