"""Habits from other languages: what people write, and what TDSL has for it."""

from __future__ import annotations

# Signs of other languages, longest match first. They never stand in a program that is right.
FOREIGN_SIGNS: dict[str, str] = {
    "+=": "",
    "-=": "",
    "*=": "",
    "/=": "",
    "@=": "",
    "//=": "",
    "**=": "",
    "%=": "",
    "&&": "",
    "||": "",
    "++": "",
    ":=": "",
    "=>": "",
    "..=": "",
    "!": "",
    "?": "",
    "&": "",
    "|": "",
    "^": "",
    "~": "",
    "$": "",
    "\\": "",
    "`": "",
}

# Names that stand for values or statements elsewhere: what TDSL writes, and a remark.
FOREIGN_VALUES: dict[str, tuple[str, str]] = {
    "True": ("true", "in TDSL it is `true`"),
    "False": ("false", "in TDSL it is `false`"),
    "None": ("", "every expression has a value; there is no empty one"),
}
