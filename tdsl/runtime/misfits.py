"""One error for all that is wrong with the arguments of a call: missing, unknown and wrong parts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches

import msgspec
import numpy as np

from tdsl.check.calls import Static, signature_names
from tdsl.errors import CallError, DTypeError, ShapeError
from tdsl.runtime.arrays import can_convert, conversion_words, describe
from tdsl.runtime.fitting import Fact, Fit, Misfit, fit
from tdsl.runtime.gathering import Conversion, Given, Many, Problem, Ragged, first_items
from tdsl.runtime.layout import Layout
from tdsl.syntax.diagnostics import Diagnostic, Label
from tdsl.types.sizes import Size, Symbol

MOST_LINES = 16


class _Line(msgspec.Struct, frozen=True):
    name: str
    text: str
    like: object  # lines that say the same of several items are shown once
    before: str = ""


class Refusal:
    """What is known about a call that does not fit."""

    def __init__(
        self,
        layout: Layout,
        given: Sequence[Given],
        problems: Sequence[Problem],
        conversions: Sequence[Conversion],
        named: Mapping[str, Static],
        compiled_for: Mapping[str, object],
    ) -> None:
        self.compiled_for = compiled_for
        self.layout = layout
        self.names = signature_names(layout.signature)
        self.function = layout.signature.function.name
        self.problems = problems
        self.errors = [c for c in conversions if c.error is not None]
        self.named = named
        self.arrays = {
            c.one.path: c
            for c in conversions
            if isinstance(c.value, np.ndarray) and c.error is None
        }
        facts = [self._fact(c) for c in self.arrays.values()] + _lengths(given)
        self.fit: Fit = fit(facts, self._known())
        self.facts = facts

    def _fact(self, conversion: Conversion) -> Fact:
        one = conversion.one
        assert isinstance(conversion.value, np.ndarray)
        own = one.array.type.shape
        declared = (*one.lengths, *own)
        return Fact(one.path, declared, conversion.value.shape, len(own))

    def _known(self) -> dict[Symbol, Size]:
        found: dict[Symbol, Size] = {}
        for parameter in self.layout.signature.sizes:
            value = self.named.get(parameter.name, parameter.default)
            symbol = parameter.value.symbol
            if parameter.kind == "size" and isinstance(value, int | Size) and symbol is not None:
                size = Size.of(value)
                if size.literal is not None and (parameter.static or parameter.name in self.named):
                    found[symbol] = size
        return found

    @property
    def anything(self) -> bool:
        return bool(self.problems or self.errors or self.fit.misfits)

    def error(self) -> CallError:
        """The error to raise; only where there is anything to say."""
        if not self.problems and not self.fit.misfits and len(self.errors) == 1:
            error = self.errors[0].error
            assert error is not None
            return error
        if not self.problems and not self.errors and len(self.fit.misfits) == 1:
            return self._one_misfit(self.fit.misfits[0])
        return self._many()

    def ragged(self, ragged: Ragged) -> CallError:
        """The error for items of a list that differ."""
        if self.anything:
            return self.error()
        # Only axes that a pack stands for: no size is at fault.
        first, _ = first_items(ragged.given.items[0])
        other, _ = first_items(ragged.given.items[ragged.number])
        wanted = self.layout.wanted_at(other.array, other.path, other.lengths)
        dtype = describe(self.arrays[other.path].value).partition("[")[0]

        def type_of(shape: tuple[int, ...]) -> str:
            return f"{dtype}[{', '.join(map(str, shape))}]"

        message = (
            f"argument `{other.path}` of `{self.function}` has another shape than"
            f" `{first.path}`: the items of a list have one shape"
        )
        found = type_of(ragged.found)
        lines = [f"found {found}", f"`{first.path}` is {type_of(ragged.first)}"]
        return ShapeError(
            "\n  ".join((f"[E0703] {message}", wanted.where, *lines)),
            diagnostics=(wanted.diagnostic("E0703", message, *lines),),
            argument=other.path,
            expected=wanted.shown,
            found=found,
        )

    # --- one array of another shape

    def _one_misfit(self, misfit: Misfit) -> CallError:
        fact = misfit.fact
        axis = misfit.axes[0]
        declared = next(size for place, size, _ in fact.pairs if place == axis)
        wanted = declared.substitute(self.fit.values)
        shown = self.names.size(declared)
        value = shown if wanted == declared else f"{shown} = {wanted}"
        conversion = self.arrays.get(fact.path)
        if conversion is None:
            message = (
                f"argument `{fact.path}` of `{self.function}` has the wrong length:"
                f" wants {value}, found {fact.found[0]}"
            )
            signature = self.layout.signature
            name = fact.path.partition(".")[0].partition("[")[0]
            place = [name for name, _ in signature.parameters].index(name)
            span = signature.parameter_spans[place]
            lines = self._fixed_lines([misfit])
            expected, found = shown, str(fact.found[0])
            type_ = self.layout.shown(signature.parameters[place][1])
            where = [f"declared `{name}: {type_}` at {span!r}"]
        else:
            one = conversion.one
            wanted_ = self.layout.wanted_at(one.array, one.path, one.lengths)
            message = (
                f"argument `{fact.path}` of `{self.function}` has the wrong size on axis {axis}:"
                f" wants {value}, found {fact.found[axis]}"
            )
            span = wanted_.span
            expected, found = wanted_.shown, describe(conversion.value)
            where = [wanted_.where, f"found {found}"]
            lines = self._fixed_lines([misfit])
            if misfit.transposed:
                lines.append(
                    f"help: it fits transposed: `{fact.path}.T`"
                    if not one.lengths
                    else f"help: it fits transposed: `{fact.path}.swapaxes(-1, -2)`"
                )
        return ShapeError(
            "\n  ".join((f"[E0703] {message}", *where, *lines)),
            diagnostics=(Diagnostic("E0703", message, (Label(span, "declared here"),), (*lines,)),),
            argument=fact.path,
            expected=expected,
            found=found,
            fixed=self._fixed([misfit]),
        )

    # --- several things at once

    def _many(self) -> CallError:
        missing = [p for p in self.problems if p.kind == "missing"]
        unknown = [p for p in self.problems if p.kind == "unknown"]
        kinds = [p for p in self.problems if p.kind == "kind"]
        misfits = self.fit.misfits
        dtypes = [c for c in self.errors if isinstance(c.error, DTypeError)]
        empty = [c for c in self.errors if isinstance(c.value, np.ndarray) and 0 in c.value.shape]
        ranks = len(self.errors) - len(dtypes) - len(empty)
        counts = [
            (len(missing), "part is missing", "parts are missing"),
            (len(unknown), "part is unknown", "parts are unknown"),
            (len(kinds), "part is of another kind", "parts are of another kind"),
            (len(dtypes), "array has another dtype", "arrays have another dtype"),
            (len(empty), "array is empty", "arrays are empty"),
            (ranks, "array has another rank", "arrays have another rank"),
            (len(misfits), "array has another shape", "arrays have another shape"),
        ]
        told = ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts if n)
        parameters = self._parameters()
        which = " and ".join(
            f"`{name}: {self.layout.shown(type_)}`"
            for name, type_ in self.layout.signature.parameters
            if name in parameters
        )
        plural = len(parameters) > 1
        message = (
            f"argument{'s' * plural} {which} of `{self.function}` {'do' if plural else 'does'} not"
            f" fit: {told}"
        )
        alone = len(self.problems) == 1 and not self.errors and not misfits
        if alone:
            message = self._single(self.problems[0])
        lines = _shortened([_Line(p.text, _meant(p, unknown), p, "missing ") for p in missing])
        lines += _shortened([_Line(p.text, "", p, "unknown ") for p in unknown])
        lines += _shortened([_Line(f"`{p.path}`", p.text, p) for p in kinds])
        lines += _shortened([self._error_line(c) for c in self.errors])
        lines += _shortened([self._misfit_line(m) for m in misfits])
        if len(lines) > MOST_LINES:
            lines[MOST_LINES:] = [f"… and {len(lines) - MOST_LINES} more"]
        lines += self._fixed_lines(misfits)
        first = next((c.one for c in dtypes if can_convert(c.one.value)), None)
        if first is not None:
            wanted = self.layout.wanted_at(first.array, first.path, first.lengths)
            how = conversion_words(wanted, first.value)
            lines.append(f"help: nothing is cast silently: convert, as with {how}")
        if any(m.transposed for m in misfits):
            lines.append("help: transpose what fits so: `.T` of a matrix")
        if alone:
            lines = []
        signature = self.layout.signature
        labels = tuple(
            Label(span, "declared here")
            for (name, _), span in zip(signature.parameters, signature.parameter_spans, strict=True)
            if name in parameters
        )
        types = dict(signature.parameters)
        where = [
            f"declared `{name}: {self.layout.shown(types[name])}` at {label.span!r}"
            for name, label in zip(parameters, labels, strict=True)
        ]
        kind: type[CallError] = CallError
        code = "E0502" if alone and kinds else "E0701"
        if (
            not self.problems
            and not misfits
            and all(isinstance(c.error, DTypeError) for c in self.errors)
        ):
            kind, code = DTypeError, "E0702"
        elif not self.problems and all(isinstance(c.error, ShapeError) for c in self.errors):
            kind, code = ShapeError, "E0703"
        return kind(
            "\n  ".join((f"[{code}] {message}", *where, *lines)),
            diagnostics=(Diagnostic(code, message, labels, tuple(lines)),),
            argument=next(iter(parameters)) if len(parameters) == 1 else None,
            fixed=self._fixed(misfits),
        )

    def _single(self, problem: Problem) -> str:
        name = problem.path.partition(".")[0].partition("[")[0]
        match problem.kind:
            case "missing":
                return f"argument `{name}` of `{self.function}` lacks {problem.text}"
            case "unknown":
                return f"argument `{name}` of `{self.function}` has an unknown part {problem.text}"
            case _:
                return f"argument `{problem.path}` of `{self.function}` {problem.text}"

    def _parameters(self) -> dict[str, None]:
        """The names of the parameters at fault, in order."""
        paths = [p.path for p in self.problems] + [c.one.path for c in self.errors]
        paths += [m.fact.path for m in self.fit.misfits]
        heads = {path.partition(".")[0].partition("[")[0] for path in paths}
        return dict.fromkeys(n for n, _ in self.layout.signature.parameters if n in heads)

    def _error_line(self, conversion: Conversion) -> _Line:
        one, error = conversion.one, conversion.error
        assert error is not None
        array = conversion.value
        found = error.found or (describe(array) if array is not None else None)
        wanted = self.layout.wanted_at(one.array, one.path, one.lengths).shown
        if found is None or (isinstance(array, np.ndarray) and 0 in array.shape):
            text = str(error).partition("\n")[0].partition("] ")[2]
            own = f"argument `{one.path}` of `{self.function}` "
            text = text.removeprefix(own) if text.startswith(own) else f"cannot be taken: {text}"
            return _Line(f"`{one.path}`", text, one.array.leaf)
        return _Line(f"`{one.path}`", f"is {found}: wants {wanted}", (one.array.leaf, found))

    def _misfit_line(self, misfit: Misfit) -> _Line:
        fact = misfit.fact
        conversion = self.arrays.get(fact.path)
        if conversion is None:
            declared = fact.declared[0]
            assert isinstance(declared, Size)
            shown = self.names.size(declared)
            known = declared.substitute(self.fit.values).literal
            value = f"{shown} = {known}" if known is not None and shown != str(known) else shown
            return _Line(f"`{fact.path}`", f"has {fact.found[0]} items: wants {value}", fact.path)
        one = conversion.one
        wanted = self.layout.wanted_at(one.array, one.path, one.lengths).shown
        text = f"is {describe(conversion.value)}: wants {wanted}"
        if misfit.wanted is not None:
            text += f" = {one.array.type.dtype.name}[{', '.join(map(str, misfit.wanted))}]"
        if misfit.transposed:
            text += "; matches if transposed"
        return _Line(f"`{one.path}`", text, (one.array.leaf, text))

    # --- what fixed each size

    def _fixed(self, misfits: Sequence[Misfit]) -> dict[str, tuple[str, str]]:
        """For each size that the declared shapes show: its value, and who says so."""
        shown: set[str] = set()
        for misfit in misfits:
            for axis, size, _ in misfit.fact.pairs:
                if axis in misfit.axes:
                    shown |= {s.name for s in self.names.abbreviate(size).symbols()}
        found: dict[str, tuple[str, str]] = {}
        bad = {misfit.fact.path for misfit in self.fit.misfits}
        for parameter in self.layout.signature.sizes:
            value = parameter.value.substitute(self.fit.values)
            if parameter.name in shown and value.literal is not None:
                source = self._source(parameter.name, parameter.value, value.literal, bad)
                found[parameter.name] = (str(value), source)
        return found

    def _source(self, name: str, declared: Size, value: int, bad: set[str]) -> str:
        if name in self.compiled_for:
            return f"`compile({name}={self.compiled_for[name]})`"
        if name in self.named:
            return f"argument `{name}`"
        alike = 0
        first: Fact | None = None
        for fact in self.facts:
            if fact.path not in bad and any(
                size == declared and found == value for _, size, found in fact.pairs
            ):
                alike += 1
                first = first or fact
        if first is None:
            return ""
        conversion = self.arrays.get(first.path)
        if conversion is None:
            return f"the length of `{first.path}`"
        one = conversion.one
        wanted = self.layout.wanted_at(one.array, one.path, one.lengths)
        more = f" (and {alike - 1} more)" if alike > 1 else ""
        return f"`{one.path}: {wanted.shown}`, which is {describe(conversion.value)}{more}"

    def _fixed_lines(self, misfits: Sequence[Misfit]) -> list[str]:
        return [
            f"{name} = {value} was fixed by {source}"
            for name, (value, source) in self._fixed(misfits).items()
            if source
        ]


def _meant(missing: Problem, unknown: Sequence[Problem]) -> str:
    """Which unknown part beside a missing one is it under another name: the only one, or one that
    is spelt nearly so. Nothing where the unknown part says that itself."""
    parent, _, name = missing.path.rpartition(".")
    beside = []
    for one in unknown:
        other, _, found = one.path.rpartition(".")
        if other == parent and "did you mean" in one.text:
            return ""
        if other == parent:
            beside.append(found)
    near = beside if len(beside) == 1 else get_close_matches(name, beside, 1)
    return f"(is it `{parent}.{near[0]}`?)" if near else ""


def _shortened(lines: Sequence[_Line]) -> list[str]:
    """`p.blocks[0].ln_1.g` and 11 more like it are one line."""
    groups: dict[object, list[_Line]] = {}
    for line in lines:
        like = line.like
        if isinstance(like, Problem):
            like = re.sub(r"\[\d+\]", "[]", f"{like.path} {like.text}")
        groups.setdefault(like, []).append(line)
    found = []
    for group in groups.values():
        first = group[0]
        more = f" (and {len(group) - 1} more like it)" if len(group) > 1 else ""
        found.append(f"{first.before}{first.name}{more} {first.text}".rstrip())
    return found


def _lengths(given: Sequence[Given]) -> list[Fact]:
    """The lists that are given by their items; stacked ones show their length as an axis."""
    found: dict[str, Fact] = {}

    def add(one: Given) -> None:
        if isinstance(one, Many):
            found.setdefault(one.path, Fact(one.path, (one.length,), (len(one.items),), 0))
            for item in one.items:
                add(item)

    for one in given:
        add(one)
    return [*found.values()]
