"""The parts of an explanation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Explanation:
    """`text` says why and what to do; `wrong` and `right` are bodies below the edition line."""

    text: str
    wrong: str = ""
    right: str = ""
