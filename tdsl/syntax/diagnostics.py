"""Diagnostics as data: what went wrong, where, and what would fix it. Rendering is in render.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from tdsl.syntax.source import Span

Severity = Literal["error", "warning"]


class Label(msgspec.Struct, frozen=True):
    """A remark under a piece of source. The first label of a diagnostic is its position."""

    span: Span
    text: str = ""


class Edit(msgspec.Struct, frozen=True):
    """Replace the span (empty: insert) by the text. Machine-applicable: it was tried."""

    span: Span
    replacement: str


class Help(msgspec.Struct, frozen=True):
    """Advice; with edits, a change to the source after which this diagnostic is gone.

    Where the edits do not mend all that is wrong, they are taken off, and the advice with them,
    unless it `stands`: then its text is true also without them.
    """

    text: str
    edits: tuple[Edit, ...] = ()
    stands: bool = False


class Diagnostic(msgspec.Struct, frozen=True):
    """One problem. `code` is a key of CODES; `labels[0]` says where it is."""

    code: str
    message: str
    labels: tuple[Label, ...]
    notes: tuple[str, ...] = ()
    helps: tuple[Help, ...] = ()

    def __post_init__(self) -> None:
        from tdsl.syntax.codes import CODES  # with all that explains them: a lot of text

        assert self.code in CODES, f"unregistered diagnostic code {self.code}"
        assert self.labels, f"{self.code} has no position"

    @property
    def span(self) -> Span:
        return self.labels[0].span

    @property
    def severity(self) -> Severity:
        return "warning" if self.code.startswith("W") else "error"


class DiagnosticError(Exception):
    """A program that cannot be used; carries every independent error found, in source order."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(f"{d.span!r}: {d.code}: {d.message}" for d in self.diagnostics))
