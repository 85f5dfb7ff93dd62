"""Failed calls as diagnostics: the two types side by side, who fixed each size, and edits that fit."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from msgspec.structs import replace

from tdsl.check.advice import less
from tdsl.check.call_advice import Advice, CallSite
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
from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.source import Span
from tdsl.types.solve import without_common_factor
from tdsl.types.types import TensorType


def diagnose_call(failure: CallFailure, site: CallSite) -> Diagnostic | None:
    """The message about a failed call; None where another message says it already."""
    if isinstance(failure, Poisoned):
        return None
    return _Message(failure, site).diagnostic()


class _Message(Advice):
    def __init__(self, failure: CallFailure, site: CallSite) -> None:
        super().__init__(site)
        self.failure = failure
        self.function = site.signature.function.name
        self.labels: list[Label] = []
        self.notes: list[str] = []

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
        if failure.reason == "rank":
            self.help_broadcast(index, wanted_type(self.signature, index, failure.fixed))
        if not self.helps and failure.reason in ("rank", "kind"):
            self.help_swap(index)
        self.note_fixed(failure.fixed)

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
            found = self.site.arguments[failure.origin.index]
            if isinstance(found, TensorType) and not self.helps:
                rest = found.shape[len(failure.found) :]
                if found.shape[: len(failure.found)] == failure.found:
                    wanted = replace(found, shape=(*failure.wanted, *rest))
                    self.help_broadcast(failure.origin.index, wanted)
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

    def unproved(self, failure: Unproved) -> None:
        names = self.site.names
        left, right = names.sizes_apart(failure.left, failure.right)
        relation = failure.constraint.relation
        self.label(self.site.span, f"here this is {left} {relation} {right}")
        self.label_or_note(failure.constraint.span, f"`{self.function}` requires this")
        self.note_fixed(failure.fixed)
        if not failure.never:
            clause = f"{left} {relation} {right}"
            low, high = failure.left, failure.right
            if relation == ">":
                low, high = high, low
            with_number = (low.literal is None) != (high.literal is None)
            own = (names.size(failure.left), names.size(failure.right)) == (left, right)
            if relation in ("<", ">") and with_number and own:
                clause = less(names, low, high)
            self.where(clause)

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
