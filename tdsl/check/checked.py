"""What checking a program gives."""

from __future__ import annotations

from dataclasses import dataclass

from tdsl.check import typed
from tdsl.syntax.diagnostics import Diagnostic


@dataclass(frozen=True)
class CheckResult:
    """The program, where it has no errors, and what is to be said of it."""

    program: typed.Program | None
    diagnostics: tuple[Diagnostic, ...]
