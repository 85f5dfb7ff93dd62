"""Offer only edits that were tried: after the edit, the error is gone and no other has come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError, Edit, Help
from tdsl.syntax.parser import parse
from tdsl.syntax.source import Source, Span

# With more errors than this, the first ones are mended first; trying all would only take time.
MOST_ERRORS = 10
MOST_TRIES = 6
# Characters read again in all, so that a long file with many errors stays quick.
MOST_TEXT = 300_000

Again = Callable[[Source, frozenset[str] | None], tuple[Diagnostic, ...]]


def try_helps(
    source: Source, diagnostics: Sequence[Diagnostic], again: Again
) -> tuple[Diagnostic, ...]:
    """The diagnostics without the edits that do not help. `again` checks a changed source, of
    which only the functions named."""
    errors = [found for found in diagnostics if found.severity == "error"]
    try:
        tree = parse(source)
    except DiagnosticError:
        # Of a text that does not parse, the parser's own advice stands.
        return tuple(diagnostics)
    if len(errors) >= MOST_ERRORS:
        return tuple(map(_without_edits, diagnostics))
    trial = _Trial(source, tree, errors, again)
    return tuple(
        replace(found, helps=trial.good(found)) if found in errors else found
        for found in diagnostics
    )


def _without_edits(diagnostic: Diagnostic) -> Diagnostic:
    return replace(diagnostic, helps=tuple(Help(help_.text) for help_ in diagnostic.helps))


class _Trial:
    def __init__(
        self, source: Source, tree: ast.Module, errors: Sequence[Diagnostic], again: Again
    ) -> None:
        self.source = source
        self.functions = [item for item in tree.items if isinstance(item, ast.Function)]
        self.errors = errors
        self.again = again
        self.left = MOST_TEXT

    def good(self, diagnostic: Diagnostic) -> tuple[Help, ...]:
        kept: list[Help] = []
        tries = 0
        for help_ in diagnostic.helps:
            if not help_.edits:
                kept.append(help_)
                continue
            if any(edit.span.source is not self.source for edit in help_.edits):
                kept.append(Help(help_.text))
                continue
            tries += 1
            if tries > MOST_TRIES or self.left < len(self.source.text):
                continue
            self.left -= len(self.source.text)
            if self.helps(diagnostic, help_):
                kept.append(help_)
            elif help_.stands:
                kept.append(Help(help_.text))
        return tuple(kept)

    def helps(self, diagnostic: Diagnostic, help_: Help) -> bool:
        names = self.touched(diagnostic, help_)
        # Outside of functions everything is looked at again.
        before = Counter(
            (found.code, found.message)
            for found in self.errors
            if not names or self.inside(found.span) & names
        )
        before[(diagnostic.code, diagnostic.message)] -= 1
        changed = apply_edits(self.source, help_.edits)
        after = Counter(
            (found.code, found.message)
            for found in self.again(changed, names or None)
            if found.severity == "error"
        )
        return not after - before

    def touched(self, diagnostic: Diagnostic, help_: Help) -> frozenset[str]:
        names = self.inside(diagnostic.span)
        for edit in help_.edits:
            names |= self.inside(edit.span)
        return names

    def inside(self, span: Span) -> frozenset[str]:
        return frozenset(
            item.name.text
            for item in self.functions
            if item.span.source is span.source
            and item.span.start <= span.start
            and span.end <= item.span.end
        )


def apply_edits(source: Source, edits: Sequence[Edit]) -> Source:
    """The source after all edits, which do not overlap."""
    text = source.text
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        text = text[: edit.span.start] + edit.replacement + text[edit.span.end :]
    return Source(source.name, text)
