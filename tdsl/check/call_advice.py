"""Edits that make a failed call fit; each is tried on the signature before it is offered."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from tdsl.check.call_failures import CallFailure, WrongSize, WrongType
from tdsl.check.call_text import wanted_type
from tdsl.check.calls import Static, solve_call
from tdsl.check.typed import Signature
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DType
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size
from tdsl.types.types import TensorType, Type


@dataclass(frozen=True)
class CallSite:
    """A call as written, with all that its message may point at.

    `callee` is the function's name as written, after which static arguments stand; `declarations`
    gives, for an argument that is plainly a parameter of the caller, the name and the written type
    of that parameter; `add_where` makes the advice to add a clause to the caller.
    """

    signature: Signature
    span: Span
    callee: Span
    arguments: tuple[Type | None, ...]
    argument_spans: tuple[Span, ...]
    facts: Facts
    names: Names
    statics: Mapping[str, Static] = field(default_factory=dict)
    static_spans: Mapping[str, Span] = field(default_factory=dict)
    declarations: Mapping[int, tuple[str, Span]] = field(default_factory=dict)
    add_where: Callable[[str], Help] | None = None


class Advice:
    """The helps of one message, collected in `helps`."""

    def __init__(self, site: CallSite) -> None:
        self.site = site
        self.signature = site.signature
        self.helps: list[Help] = []

    def where(self, clause: str) -> None:
        if self.site.add_where is not None:
            self.helps.append(self.site.add_where(clause))

    def with_static(self, given: str) -> str:
        """The call as written, with more static arguments."""
        span, callee = self.site.span, self.site.callee
        source = span.source.text
        known = ", ".join(spans.text for spans in self.site.static_spans.values())
        arguments = source[callee.end : span.end]
        if known:
            arguments = arguments.partition("]")[2]
            given = f"{known}, {given}"
        if len(arguments) > 40 or "\n" in arguments:
            arguments = "(…)"
        return f"{source[span.start : callee.end]}[{given}]{arguments}"

    def help_cast(self, failure: WrongType) -> None:
        found = failure.found
        dtype = failure.dtype
        if dtype is None and isinstance(failure.part, TensorType):
            dtype = failure.part.dtype
        if failure.reason != "dtype" or not isinstance(dtype, DType):
            return
        if failure.part is not failure.declared and failure.part != failure.declared:
            return
        shape = found.shape if isinstance(found, TensorType) else ()
        if self.fits(failure.index, TensorType(dtype, shape)):
            span = self.site.argument_spans[failure.index]
            edits = _around(span, f"{dtype.name}(", ")")
            self.helps.append(Help(f"cast it: `{dtype.name}({_short(span)})`", edits, stands=True))

    def help_static(self, name: str, value: Size) -> None:
        site = self.site
        found = solve_call(
            site.signature, site.arguments, {**site.statics, name: value}, site.facts
        )
        if isinstance(found, CallFailure):
            return
        given = f"{name}={site.names.size(value)}"
        spans = list(site.static_spans.values())
        at = spans[-1].end if spans else site.callee.end
        edit = Edit(site.span.source.span(at, at), f", {given}" if spans else f"[{given}]")
        self.helps.append(Help(f"pass it: `{self.with_static(given)}`", (edit,)))

    def fits(self, index: int, type_: Type) -> bool:
        arguments = list(self.site.arguments)
        arguments[index] = type_
        return self.fit(arguments)

    def fit(self, arguments: Sequence[Type | None]) -> bool:
        site = self.site
        result = solve_call(site.signature, arguments, site.statics, site.facts)
        return not isinstance(result, CallFailure)

    def help_transpose(self, index: int) -> None:
        found = self.site.arguments[index]
        if not isinstance(found, TensorType) or len(found.shape) < 2:
            return
        *batch, one, two = found.shape
        if not self.fits(index, replace(found, shape=(*batch, two, one))):
            return
        span = self.site.argument_spans[index]
        if not batch and span.text.endswith(".T"):
            edits: tuple[Edit, ...] = (Edit(span.source.span(span.end - 2, span.end), ""),)
            self.helps.append(Help("it fits without its `.T`", edits, True))
            return
        if not batch and re.fullmatch(r"[\w.]+", span.text):
            edits = (Edit(span.source.span(span.end, span.end), ".T"),)
            text = f"{span.text}.T"
        elif any(not isinstance(axis, Size) for axis in batch):
            return
        else:
            count = len(batch)
            order = [*range(count), count + 1, count]
            edits = _around(span, "transpose(", f", {order})")
            text = f"transpose({_short(span)}, {order})"
        # True of this call by itself: where the weights of a whole struct are stored so, the next
        # one is wrong, too, and no edit of this call alone leaves an error less.
        advice = f"it fits transposed: `{text}`"
        self.helps.append(Help(advice, edits, stands=True))

    def help_broadcast(self, index: int, wanted: Type | None) -> None:
        """Axes that only repeat what is there, as of a mask that all heads share."""
        found, span = self.site.arguments[index], self.site.argument_spans[index]
        if not isinstance(found, TensorType) or not isinstance(wanted, TensorType):
            return
        wanted = replace(wanted, dtype=found.dtype)
        added = len(wanted.shape) - len(found.shape)
        pairs = zip(found.shape, wanted.shape[added:], strict=True) if added >= 1 else ()
        repeats = all(
            one == two or (isinstance(one, Size) and one.literal == 1) for one, two in pairs
        )
        if added < 1 or not found.shape or not repeats or not self.fits(index, wanted):
            return
        shape = self.site.names.shape(wanted.shape)
        text = f"broadcast({_short(span)}, {shape})"
        edits = _around(span, "broadcast(", f", {shape})")
        self.helps.append(Help(f"to repeat it along the axes that it lacks write `{text}`", edits))

    def help_swap(self, index: int) -> None:
        arguments, spans = list(self.site.arguments), self.site.argument_spans
        for other in range(len(arguments)):
            if other == index:
                continue
            swapped = list(arguments)
            swapped[index], swapped[other] = swapped[other], swapped[index]
            if self.fit(swapped):
                edits = (
                    Edit(spans[index], spans[other].text),
                    Edit(spans[other], spans[index].text),
                )
                names = [f"`{self.signature.parameters[place][0]}`" for place in (other, index)]
                self.helps.append(
                    Help(
                        f"the arguments for {names[0]} and {names[1]} fit the other way round",
                        edits,
                    )
                )
                return

    def help_declare(self, failure: WrongSize, index: int) -> None:
        """Another type for the caller's own parameter."""
        wanted = wanted_type(self.signature, index, failure.fixed)
        if index not in self.site.declarations or wanted is None or not self.fits(index, wanted):
            return
        symbols = failure.wanted.symbols()
        if not all(symbol.owner == self.site.names.owner for symbol in symbols):
            return
        name, span = self.site.declarations[index]
        text = self.site.names.type(wanted)
        self.helps.append(Help(f"declare `{name}: {text}`", (Edit(span, text),)))

    def help_equal(self, wanted: Size, found: Size) -> None:
        """`where C == H*D`, where one side is a parameter of the caller."""
        for one, two in ((wanted, found), (found, wanted)):
            symbol = one.symbol
            own = symbol is not None and symbol.owner == self.site.names.owner
            if own and symbol not in two.symbols() and self.site.facts.at_least(two, 1):
                names = self.site.names
                self.where(f"{names.size(one)} == {names.size(two)}")
                return


def _around(span: Span, before: str, after: str) -> tuple[Edit, ...]:
    source = span.source
    return (
        Edit(source.span(span.start, span.start), before),
        Edit(source.span(span.end, span.end), after),
    )


def _short(span: Span) -> str:
    return span.text if len(span.text) <= 30 and "\n" not in span.text else "…"
