"""Failed calls as diagnostics: the two types side by side, who fixed each size, and edits that fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from tdsl.check.call_failures import (
    CallFailure,
    Contradiction,
    Fixed,
    Indivisible,
    MissingStatic,
    Origin,
    Poisoned,
    TooComplex,
    TooSmall,
    Undetermined,
    UnknownParameter,
    Unproved,
    WrongCount,
    WrongDType,
    WrongPack,
    WrongSize,
    WrongType,
)
from tdsl.check.call_text import declared, headline, involved, role, wanted_type
from tdsl.check.calls import Static, solve_call
from tdsl.check.typed import Signature
from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.source import Span
from tdsl.types.dtypes import DType
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size
from tdsl.types.solve import without_common_factor
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


def diagnose_call(failure: CallFailure, site: CallSite) -> Diagnostic | None:
    """The message about a failed call; None where another message says it already."""
    if isinstance(failure, Poisoned):
        return None
    return _Message(failure, site).diagnostic()


class _Message:
    def __init__(self, failure: CallFailure, site: CallSite) -> None:
        self.failure = failure
        self.site = site
        self.signature = site.signature
        self.function = site.signature.function.name
        self.labels: list[Label] = []
        self.notes: list[str] = []
        self.helps: list[Help] = []

    def diagnostic(self) -> Diagnostic:
        match self.failure:
            case WrongType() as failure:
                self.wrong_type(failure)
            case WrongSize() as failure:
                self.wrong_size(failure)
            case WrongPack() as failure:
                self.wrong_pack(failure)
            case WrongCount() as failure:
                self.wrong_count(failure)
            case Indivisible() as failure:
                self.indivisible(failure)
            case Contradiction() as failure:
                self.label(self.at(failure.origin), f"{failure.origin.name} is given here")
                self.note_fixed(failure.fixed)
            case Undetermined() as failure:
                self.undetermined(failure)
            case Unproved() as failure:
                self.unproved(failure)
            case TooSmall() as failure:
                self.too_small(failure)
            case MissingStatic() as failure:
                self.missing_static(failure)
            case TooComplex():
                self.label(self.site.span)
            case UnknownParameter() as failure:
                self.unknown_parameter(failure)
            case WrongDType() as failure:
                self.label(self.site.static_spans.get(failure.variable.name, self.site.span))
        message = headline(self.failure, self.signature, self.site.names)
        return Diagnostic(
            self.failure.code, message, tuple(self.labels), tuple(self.notes), tuple(self.helps)
        )

    # --- parts

    def label(self, span: Span, text: str = "") -> None:
        if all(known.span != span for known in self.labels):
            self.labels.append(Label(span, text))

    def label_or_note(self, span: Span, text: str) -> None:
        """A place in another file is told, not shown."""
        if span.source is self.site.span.source:
            self.label(span, text)
        else:
            self.notes.append(f"{text}: {span!r}")

    def at(self, origin: Origin) -> Span:
        if origin.kind == "argument":
            return self.site.argument_spans[origin.index]
        return self.site.static_spans.get(origin.name, self.site.span)

    def label_argument(self, index: int) -> None:
        argument = self.site.arguments[index]
        if argument is None:
            self.label(self.site.argument_spans[index])
            return
        found = self.site.names.type(argument)
        shown = declared(self.signature, index)
        self.label(
            self.site.argument_spans[index],
            f"this is {found}; `{self.function}` declares `{shown}`",
        )

    def value(self, known: Fixed) -> str:
        """`N = 3*C`; with a name that the caller has too, `N` of `linear` = N - 1."""
        shown = self.site.names.size(known.value)
        if known.name in self.site.names.order:
            return f"`{known.name}` of `{self.function}` = {shown}"
        return f"{known.name} = {shown}"

    def label_fixed(self, fixed: Sequence[Fixed], blamed: Origin) -> None:
        """Point at what fixed the sizes that the blamed argument should have."""
        for known in fixed:
            value, origin = self.value(known), known.origin
            if origin is None:
                continue
            if origin.kind == "argument" and origin.index == blamed.index:
                what = role(self.signature)
                self.notes.append(f"{value} was fixed by axis {origin.axis} of the same {what}")
            elif origin.kind == "argument":
                shown = declared(self.signature, origin.index)
                self.label(
                    self.at(origin), f"{value} was fixed by this {role(self.signature)} (`{shown}`)"
                )
            elif origin.kind == "static":
                self.label(self.at(origin), f"{value} was given here")
            else:
                self.notes.append(f"{value} is the default of `{self.function}`")

    def note_fixed(self, fixed: Sequence[Fixed], told: Sequence[Fixed] = ()) -> None:
        """`M = T, K = C (from `x`)`, for what no label says."""
        groups: dict[str, list[str]] = {}
        for known in fixed:
            origin = known.origin
            shown = self.site.names.size(known.value)
            if known in told or origin is None or shown == known.name:
                continue
            place = {
                "argument": f"from `{origin.name}`",
                "static": "given",
                "default": "the default",
            }[origin.kind]
            groups.setdefault(place, []).append(self.value(known))
        if groups:
            texts = [f"{', '.join(values)} ({place})" for place, values in groups.items()]
            self.notes.append(", ".join(texts))

    def where(self, clause: str) -> None:
        if self.site.add_where is not None:
            self.helps.append(self.site.add_where(clause))

    # --- kinds of failures

    def wrong_type(self, failure: WrongType) -> None:
        index = failure.index
        self.label_argument(index)
        if failure.dtype_origin is not None and failure.dtype is not None:
            name = failure.part.dtype.name if isinstance(failure.part, TensorType) else "dtype"
            self.label(self.at(failure.dtype_origin), f"{name} = {failure.dtype.name} by this")
        if index in self.site.declarations:
            self.label(self.site.declarations[index][1], "declared here")
        self.help_cast(failure)
        if not self.helps and failure.reason in ("rank", "kind"):
            self.help_swap(index)
        self.note_fixed(failure.fixed)

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
            self.helps.append(Help(f"cast it: `{dtype.name}({_short(span)})`", edits))

    def wrong_size(self, failure: WrongSize) -> None:
        index = failure.origin.index
        self.label_argument(index)
        reasons = involved(failure, self.signature)
        self.label_fixed(reasons, failure.origin)
        argument = self.site.arguments[index]
        if index in self.site.declarations and argument is not None:
            shown = self.site.names.type(argument)
            self.label(self.site.declarations[index][1], f"declared {shown} here")
        own = [
            known
            for known in failure.fixed
            if known.origin is not None and known.origin.index == index
        ]
        self.note_fixed(failure.fixed, (*reasons, *own))
        for known in reasons:
            if known.origin is not None and known.origin.kind == "default":
                self.help_static(known.name, failure.found)
        if not self.helps:
            self.help_transpose(index)
        if not self.helps:
            self.help_swap(index)
        if not self.helps:
            self.help_declare(failure, index)
            self.help_equal(failure.wanted, failure.found)

    def wrong_pack(self, failure: WrongPack) -> None:
        if failure.origin.kind == "argument":
            self.label_argument(failure.origin.index)
        else:
            self.label(self.at(failure.origin))
        axes = self.site.names.shape(failure.wanted)
        self.label(self.at(failure.first), f"...{failure.pack.name} = {axes} was fixed by this")
        if failure.origin.kind == "argument":
            self.help_transpose(failure.origin.index)
            if not self.helps:
                self.help_swap(failure.origin.index)

    def wrong_count(self, failure: WrongCount) -> None:
        count = len(self.signature.parameters)
        self.label(self.site.span)
        if failure.given > failure.wanted:
            self.label(self.site.argument_spans[count], "one too many from here")
            shown = ", ".join(declared(self.signature, index) for index in range(count))
            self.notes.append(f"it is declared `{self.function}({shown})`")
        else:
            missing = [f"`{declared(self.signature, i)}`" for i in range(failure.given, count)]
            verb = "is" if len(missing) == 1 else "are"
            self.notes.append(f"{', '.join(missing)} {verb} missing")

    def indivisible(self, failure: Indivisible) -> None:
        if failure.origin.kind == "argument":
            self.label_argument(failure.origin.index)
        else:
            self.label(self.at(failure.origin))
        reasons = involved(failure, self.signature)
        self.label_fixed(reasons, failure.origin)
        if failure.constraint is not None:
            self.label_or_note(failure.constraint.span, f"`{self.function}` requires this")
        self.note_fixed(failure.fixed, reasons)
        if not failure.never:
            divisor, dividend = without_common_factor(failure.divisor, failure.dividend)
            if dividend.symbol is not None and divisor.literal != 1:
                names = self.site.names
                self.where(f"{names.size(divisor)} divides {names.size(dividend)}")

    def undetermined(self, failure: Undetermined) -> None:
        self.label(self.site.callee, "nothing in this call fixes " + " and ".join(failure.names))
        dtypes = {dtype.name for dtype in self.signature.dtypes}
        if dtypes & {*failure.names}:
            self.notes.append("compile-time numbers have no dtype of their own")
        given = ", ".join(f"{name}=" + ("f32" if name in dtypes else "…") for name in failure.names)
        text = self.with_static(given)
        self.helps.append(Help(f"pass it by name: `{text}`"))
        self.note_fixed(failure.fixed)

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

    def unproved(self, failure: Unproved) -> None:
        names = self.site.names
        left, right = names.sizes_apart(failure.left, failure.right)
        relation = failure.constraint.relation
        self.label(self.site.span, f"here this is {left} {relation} {right}")
        self.label_or_note(failure.constraint.span, f"`{self.function}` requires this")
        self.note_fixed(failure.fixed)
        if not failure.never:
            self.where(f"{left} {relation} {right}")

    def too_small(self, failure: TooSmall) -> None:
        origin = failure.origin
        if origin is not None and origin.kind == "argument":
            self.label_argument(origin.index)
        else:
            self.label(self.at(origin) if origin is not None else self.site.span)
        self.notes.append(f"{failure.name} is a size of `{self.function}`: {failure.least} or more")
        constant = next((factor for monomial, factor in failure.value.terms if not monomial), 0)
        if failure.value.literal is None:
            varying = self.site.names.size(failure.value - constant)
            self.where(f"{varying} >= {failure.least - constant}")

    def missing_static(self, failure: MissingStatic) -> None:
        self.label(self.site.callee)
        self.notes.append("a static is passed by name and never inferred")
        if failure.value is None:
            return
        self.help_static(failure.name, failure.value)

    def unknown_parameter(self, failure: UnknownParameter) -> None:
        span = self.site.static_spans.get(failure.name, self.site.span)
        self.label(span)
        close = get_close_matches(failure.name, failure.known, 1)
        if close and span.text.startswith(failure.name):
            name = span.source.span(span.start, span.start + len(failure.name))
            self.helps.append(Help(f"did you mean `{close[0]}`?", (Edit(name, close[0]),)))
        elif failure.known:
            self.notes.append(f"its parameters are {', '.join(failure.known)}")

    # --- advice, each tried before it is given

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
        if not batch and span.text.isidentifier():
            edits: tuple[Edit, ...] = (Edit(span.source.span(span.end, span.end), ".T"),)
            text = f"{span.text}.T"
        elif any(not isinstance(axis, Size) for axis in batch):
            return
        else:
            count = len(batch)
            order = [*range(count), count + 1, count]
            edits = _around(span, "transpose(", f", {order})")
            text = f"transpose({_short(span)}, {order})"
        self.helps.append(Help(f"its axes are the other way round; transpose it: `{text}`", edits))

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
