"""The parts of an explanation."""

from __future__ import annotations

import msgspec


class Explanation(msgspec.Struct, frozen=True):
    """`text` says why and what to do; `wrong` and `right` are bodies below the edition line."""

    text: str
    wrong: str = ""
    right: str = ""
