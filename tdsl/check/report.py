"""Collect diagnostics: each problem once, in source order."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from tdsl.syntax.diagnostics import Diagnostic, Help, Label
from tdsl.syntax.source import Span


class Reporter:
    """The diagnostics of one run. A body that is checked several times (an unrolled
    comprehension) says the same only once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, int, int], Diagnostic] = {}

    def add(self, diagnostic: Diagnostic) -> None:
        span = diagnostic.span
        helps: list[Help] = []
        for help_ in diagnostic.helps:
            if all((one.text, one.edits) != (help_.text, help_.edits) for one in helps):
                helps.append(help_)
        diagnostic = replace(diagnostic, helps=tuple(helps))
        self._found.setdefault((diagnostic.code, id(span.source), span.start, span.end), diagnostic)

    def report(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        *,
        more: Sequence[tuple[Span, str]] = (),
        notes: Iterable[str] = (),
        helps: Iterable[Help] = (),
    ) -> None:
        labels = (Label(span, label), *(Label(other, text) for other, text in more))
        self.add(Diagnostic(code, message, labels, tuple(notes), tuple(helps)))

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            self.add(diagnostic)

    @property
    def errors(self) -> int:
        return sum(found.severity == "error" for found in self._found.values())

    def in_order(self) -> tuple[Diagnostic, ...]:
        """By source, then by position."""
        sources: dict[int, int] = {}
        for found in self._found.values():
            sources.setdefault(id(found.span.source), len(sources))
        return tuple(
            sorted(
                self._found.values(),
                key=lambda found: (sources[id(found.span.source)], found.span.start, found.code),
            )
        )
