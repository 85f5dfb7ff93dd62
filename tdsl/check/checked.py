"""What checking a program gives."""

from __future__ import annotations

import msgspec

from tdsl.check import typed
from tdsl.syntax.diagnostics import Diagnostic


class CheckResult(msgspec.Struct, frozen=True):
    """The program, where it has no errors, and what is to be said of it."""

    program: typed.Program | None
    diagnostics: tuple[Diagnostic, ...]
