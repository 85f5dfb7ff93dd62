"""One error for all that is wrong with a source of weights, and the change that would mend it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from tdsl.check.calls import signature_names
from tdsl.errors import BindError
from tdsl.runtime.arrays import describe_type
from tdsl.runtime.fitting import Misfit
from tdsl.runtime.layout import Layout as Arrays
from tdsl.runtime.weights.matching import Match, Missing, Request, match, shown_path
from tdsl.runtime.weights.renaming import Names
from tdsl.runtime.weights.stored import Source, printable
from tdsl.syntax.diagnostics import Diagnostic, Label
from tdsl.types.sizes import Size

MOST_LINES = 8  # of each kind of fault
MOST_SOUGHT = 2
MOST_COMPARED = 500
_NUMBERS = re.compile(r"\d+")


def refusal(arrays: Arrays, source: Source, request: Request, found: Match) -> BindError:
    return _Refusal(arrays, source, request, found).error()


class _Refusal:
    def __init__(self, arrays: Arrays, source: Source, request: Request, found: Match) -> None:
        self.arrays = arrays
        self.source = source
        self.request = request
        self.found = found
        self.names = signature_names(arrays.signature)
        self.parts = {part.name: part for part in found.parts}

    def error(self) -> BindError:
        found = self.found
        misfits = found.fit.misfits
        dtypes = [trouble for trouble in found.troubles if trouble.is_dtype]
        others = len(found.troubles) - len(dtypes)
        counts = (
            (len(found.missing), "field is missing", "fields are missing"),
            (len(found.unknown), "name is unknown", "names are unknown"),
            (len(dtypes), "array has another dtype", "arrays have another dtype"),
            (others, "field cannot be filled", "fields cannot be filled"),
            (len(misfits), "array has another shape", "arrays have another shape"),
        )
        told = ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in counts if n)
        (parameter,) = self.arrays.signature.parameters
        message = f"{self.source.title} does not fit `{self.arrays.shown(parameter[1])}`: {told}"
        helps = list(self.helps())
        troubles = ((t.name, f"`{shown_path(t.name)}`", t.text) for t in found.troubles)
        wrong = (
            (m.fact.path, f"`{shown_path(m.fact.path)}`", self.misfit_text(m)) for m in misfits
        )
        lines = [
            *_capped(self.missing_lines()),
            *_capped(self.unknown_lines()),
            *_capped(_grouped(troubles)),
            *_capped(_grouped(wrong)),
        ]
        fixed = self.fixed(misfits)
        lines += [f"{name} = {value} was fixed by {why}" for name, (value, why) in fixed.items()]
        lines += _capped(self.idle_lines())
        span = self.arrays.signature.span
        nodes = [missing.node for missing in found.missing]
        nodes += [trouble.node for trouble in found.troubles]
        nodes += [self.parts[m.fact.path].node for m in misfits if m.fact.path in self.parts]
        spans = dict.fromkeys(node.span for node in nodes)
        labels = (Label(span, "declared here"), *(Label(one) for one in list(spans)[:4]))
        message = printable(message)
        lines, helps = [*map(printable, lines)], [*map(printable, helps)]
        text = (f"[E0701] {message}", f"declared at {span!r}", *lines, *helps)
        return BindError(
            "\n  ".join(text),
            diagnostics=(Diagnostic("E0701", message, labels, (*lines, *helps)),),
            missing=[shown_path(missing.name) for missing in found.missing],
            unknown=found.unknown,
            wrong=dict.fromkeys(
                shown_path(name)
                for name in (
                    *(t.name for t in found.troubles),
                    *(misfit.fact.path for misfit in misfits),
                )
            ),
            fixed=fixed,
        )

    # --- lines

    def missing_lines(self) -> list[str]:
        # Of fields that differ in their numbers alone one is looked up: that takes time.
        told: dict[str, str] = {}
        rows = []
        for missing in self.found.missing:
            like = _NUMBERS.sub("#", missing.name)
            if like not in told:
                told[like] = self.sought(missing) if len(told) < MOST_LINES else ""
            field = f"`{shown_path(missing.name)}: {self.arrays.shown(missing.node.type)}`"
            rows.append((missing.name, f"missing {field}", told[like]))
        return _grouped(rows)

    def sought(self, missing: Missing) -> str:
        """Under which names, and which one in the source is nearly one of them."""
        near = self.found.unknown[:MOST_COMPARED]
        if missing.sought == (missing.name,):
            close = difflib.get_close_matches(missing.name, near, 1, 0.75)
            return f"(is it `{close[0]}`?)" if close else ""
        names = " or ".join(f"`{name}`" for name in missing.sought[:MOST_SOUGHT])
        close = difflib.get_close_matches(missing.sought[0], near, 1, 0.8)
        hint = f" (is it `{close[0]}`?)" if close else ""
        return f", sought as {names}{hint}"

    def unknown_lines(self) -> list[str]:
        rows = []
        for name in self.found.unknown:
            stored = self.source.find(name)
            shape = getattr(stored, "shape", None)
            type_ = "" if shape is None else f" {describe_type(stored.dtype, shape)}"  # type: ignore[union-attr]
            rows.append((name, f"unknown `{name[:200]}`{type_}", ""))
        return _grouped(rows)

    def idle_lines(self) -> list[str]:
        """Of the user's own table: what is of no use, as a key with a wrong letter is."""
        names = [*self.parts, *(missing.name for missing in self.found.missing)]
        names += [trouble.name for trouble in self.found.troubles]
        if self.request.names.about or len(names) > MOST_COMPARED:
            return []
        lines = []
        for key in self.request.names.idle(names):
            beginnings = {name[: len(name) - len(rest)] for name in names for rest in _tails(name)}
            close = difflib.get_close_matches(key, [_NUMBERS.sub("*", b) for b in beginnings], 1)
            hint = f" (is it `{close[0]}`?)" if close else ""
            lines.append(f"`{key[:80]}` of rename is no field{hint}")
        return lines

    def called(self, name: str) -> str:
        """The name in the source, where it is another one."""
        part = self.parts.get(name)
        if part is None or part.stored.name == name:
            return ""
        return f" (`{part.stored.name}`)"

    def misfit_text(self, misfit: Misfit) -> str:
        part = self.parts.get(misfit.fact.path)
        if part is None:
            wanted = misfit.fact.declared[0]
            assert isinstance(wanted, Size)
            value = wanted.substitute(self.found.fit.values)
            return f"has {misfit.fact.found[0]} items: wants {self.names.size(wanted)} = {value}"
        shown = self.arrays.shown(part.node.stacked_type(part.lengths))
        text = f"is {describe_type(part.stored.dtype, part.stored.shape)}{self.called(part.name)}"
        if part.turned:
            text += f", taken as {describe_type(part.stored.dtype, part.shape)}"
        text += f": wants {shown}"
        if misfit.wanted is not None:
            text += f" = [{', '.join(map(str, misfit.wanted))}]"
        if misfit.transposed:
            text += "; matches as it is" if part.turned else "; matches if transposed"
        return text

    def fixed(self, misfits: Sequence[Misfit]) -> dict[str, tuple[str, str]]:
        """For each size in the shapes at fault: its value, and the arrays that say so."""
        names = {
            symbol.name
            for misfit in misfits
            for axis, size, _ in misfit.fact.pairs
            if axis in misfit.axes
            for symbol in self.names.abbreviate(size).symbols()
        }
        bad = {misfit.fact.path for misfit in misfits}
        found: dict[str, tuple[str, str]] = {}
        for parameter in self.arrays.signature.sizes:
            value = parameter.value.substitute(self.found.fit.values).literal
            if parameter.name not in names or value is None:
                continue
            alike = [
                fact.path
                for fact in self.found.facts
                if fact.path not in bad
                and any(s == parameter.value and n == value for _, s, n in fact.pairs)
            ]
            if alike:
                more = f" (and {len(alike) - 1} more)" if len(alike) > 1 else ""
                found[parameter.name] = (str(value), f"`{shown_path(alike[0])}`{more}")
        return found

    # --- what would mend it

    def helps(self) -> Iterable[str]:
        """Other ways of reading, each tried before it is offered."""
        turned = {m.fact.path for m in self.found.fit.misfits if m.transposed}
        for words, other in self.others():
            tried = match(self.arrays, self.source, other)
            if tried.fits:
                yield f"help: it fits with {words}"
                return
            if all(t.is_dtype for t in tried.troubles) and not (
                tried.missing or tried.unknown or tried.fit.misfits
            ):
                with_cast = replace(other, cast=True)
                if match(self.arrays, self.source, with_cast).fits:
                    yield (
                        f"help: it fits with {words}, cast=True"
                        if words
                        else ("help: nothing is cast silently: it fits with cast=True")
                    )
                    return
        if turned:
            which = [n for n in turned if n in self.parts and self.parts[n].turned]
            if which:
                yield f"help: what is no linear map is taken as it is with as_is=({which[0]!r}, …)"
            else:
                yield 'help: transpose these, or give layout="torch" if all linear maps lie so'
        only_unknown = self.found.unknown and self.found.faults == len(self.found.unknown)
        if only_unknown:
            yield f"help: leave them out with ignore=({self.found.unknown[0]!r}, …)"

    def others(self) -> Iterable[tuple[str, Request]]:
        from tdsl import names

        yield "", self.request
        # Before other layouts: of a square matrix no shape tells that it lies the wrong way then.
        whole = _taken_turned(self.found, self.request)
        if whole:
            yield f"as_is={whole!r}", replace(self.request, as_is=whole)
        if self.request.names.fields:
            yield "the names as they are, without rename", replace(self.request, names=Names({}))
        for layout in ("torch", "conv1d"):
            if layout != self.request.layout:
                words = f"layout={layout!r}".replace("'", '"')
                other = replace(self.request, layout=layout)
                yield words, other
                whole = _taken_turned(match(self.arrays, self.source, other), other)
                if whole:
                    yield f"{words}, as_is={whole!r}", replace(other, as_is=whole)
        for name, table in vars(names).items():
            if isinstance(table, Names) and table != self.request.names:
                request = replace(self.request, names=table, layout=table.layout)
                yield f"rename=tdsl.names.{name}", request


def _taken_turned(found: Match, request: Request) -> tuple[str, ...]:
    """What `as_is` has to hold for what fits only as it lies; nothing where nothing is so."""
    parts = {part.name: part for part in found.parts}
    names = [m.fact.path for m in found.fit.misfits if m.transposed]
    names = [name for name in names if name in parts and parts[name].turned]
    added = dict.fromkeys(_NUMBERS.sub("*", name) for name in names)
    return (*request.as_is, *added) if added else ()


def _tails(name: str) -> Iterable[str]:
    """What may be left of a dotted name after its beginning."""
    parts = name.split(".")
    return (
        ".".join(["", *parts[count:]]) if count < len(parts) else ""
        for count in range(1, len(parts) + 1)
    )


def _capped(lines: list[str]) -> list[str]:
    if len(lines) <= MOST_LINES + 1:
        return lines
    return [*lines[:MOST_LINES], f"… and {len(lines) - MOST_LINES} more lines like these"]


def _grouped(rows: Iterable[tuple[str, str, str]]) -> list[str]:
    """What is said of `layers[0].up` and 11 more like it is one line."""
    groups: dict[str, list[str]] = {}
    for name, head, tail in rows:
        like = _NUMBERS.sub("#", name) + re.sub(r"(?<=[\[.])\d+(?=[\].])", "#", tail)
        groups.setdefault(like, []).append(f"{head}\0{tail}")
    found = []
    for group in groups.values():
        more = f" (and {len(group) - 1} more like it)" if len(group) > 1 else ""
        head, _, tail = group[0].partition("\0")
        joint = "" if not tail or tail.startswith(",") else " "
        found.append(f"{head}{more}{joint}{tail}")
    return found
