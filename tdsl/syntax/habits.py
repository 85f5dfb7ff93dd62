"""Habits from other languages, as tables: what people write, and what TDSL has for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Habit:
    """`message` says what the language does instead; a `replacement` goes in its place, if one
    can. `{text}` stands for what was written."""

    code: str
    message: str
    help: str = ""
    replacement: str | None = None


def _assignment(operator: str) -> Habit:
    return Habit(
        "E0110",
        "names are bound once, there is no `{text}`",
        f"bind a new name: `let y = x {operator} …`; in a loop, `fold` carries a state",
    )


# Signs of other languages. None stands in a program that is right, so the lexer may know them.
FOREIGN_SIGNS: dict[str, Habit] = {
    **{f"{operator}=": _assignment(operator) for operator in ("+", "-", "*", "/", "@", "%")},
    "//=": _assignment("//"),
    "**=": _assignment("**"),
    "++": Habit("E0110", "names are bound once, there is no `++`", "a loop counts by `i in 0..n`"),
    ":=": Habit("E0110", "a name is bound by `let`", "write `let name = value`"),
    "=>": Habit("E0117", "TDSL has no `=>`", "write `>=` to compare, `->` before a result type"),
    "..=": Habit("E0117", "a range never holds its end", "write `a..b + 1`"),
    "&&": Habit("E0117", "`and` is a word in TDSL", "write `and`", "and"),
    "||": Habit("E0117", "`or` is a word in TDSL", "write `or`", "or"),
    "!": Habit("E0117", "`not` is a word in TDSL", "write `not`", "not"),
    "&": Habit("E0117", "TDSL has no `&`", "on truth values write `and`", "and"),
    "|": Habit("E0117", "TDSL has no `|`", "on truth values write `or`", "or"),
    "~": Habit("E0117", "TDSL has no `~`", "on truth values write `not`", "not"),
    "^": Habit("E0117", "a power is written `**`", "write `**`", "**"),
    "?": Habit(
        "E0117",
        "a choice is written in words",
        "write `select(condition, a, b)` for values, `if condition { a } else { b }` for statics",
    ),
    "\\": Habit(
        "E0117",
        "a line is not continued by `\\`",
        "a line goes on after an operator or a comma, and inside brackets",
    ),
}


# What other libraries call parameters of builtins.
KEYWORDS: dict[str, str] = {"dim": "axis", "dims": "axis", "axes": "axis", "keepdim": "keepdims"}


def _missing(help_: str) -> Habit:
    return Habit("E0117", "TDSL has no `{text}`", help_)


_LOOP = "write `fold state = start for i in 0..n { … }`, `scan`, or `[… for i in 0..n]`"
_FUNCTION = Habit("E0108", "a function is defined with `fn`", "write `fn`", "fn")
_LET = Habit("E0117", "a name is bound by `let`", "write `let`", "let")

# Words of other languages. They are ordinary names, so they are looked at only where the text is
# wrong: the first group wherever it stands there, the second where it begins a statement or item.
ANYWHERE: dict[str, Habit] = {
    "lambda": _missing("define a function with `fn` at the top of the file"),
    "return": Habit("E0117", "a block's last expression is its value", "leave out `return`", ""),
    "elif": Habit("E0117", "`elif` is written in two words", "write `else if`", "else if"),
    "elseif": Habit("E0117", "`elseif` is written in two words", "write `else if`", "else if"),
    "mut": Habit("E0117", "nothing in TDSL can be changed", "leave out `mut`", ""),
    "is": Habit("E0117", "values are compared by `==`", "write `==`", "=="),
}
AT_START: dict[str, Habit] = {
    "def": _FUNCTION,
    "func": _FUNCTION,
    "function": _FUNCTION,
    "fun": _FUNCTION,
    "class": Habit("E0117", "data is described by a `struct`", "write `struct Name[N] { … }`"),
    "record": Habit("E0117", "data is described by a `struct`", "write `struct Name[N] { … }`"),
    "enum": _missing("a `struct` describes data"),
    "use": Habit("E0117", "modules are imported by `import`", "write `import a.b`", "import"),
    "using": Habit("E0117", "modules are imported by `import`", "write `import a.b`", "import"),
    "mod": _missing("one file is one module"),
    "var": _LET,
    "val": _LET,
    "auto": _LET,
    "while": _missing(_LOOP),
    "loop": _missing(_LOOP),
    "do": _missing(_LOOP),
    "match": _missing("`if` chooses by statics, `select` by values"),
    "switch": _missing("`if` chooses by statics, `select` by values"),
    "try": _missing("nothing is raised and caught"),
    "raise": _missing("state what must hold in a `where` clause"),
    "with": _missing("nothing needs to be opened and closed"),
    "del": _missing("values are freed when they are no longer used"),
    "pass": _missing("a block ends with an expression, its value"),
    "yield": _missing("`scan` and comprehensions give many values"),
    "impl": _missing("any function is called as a method too: `x.f(y)` is `f(x, y)`"),
    "trait": _missing("a `dtype` parameter makes a function generic"),
    "static_assert": _missing("state what must hold in a `where` clause"),
}

# Names that are values elsewhere: refused wherever they are used as one.
FOREIGN_VALUES: dict[str, Habit] = {
    "True": Habit("E0117", "truth is written `true`", "write `true`", "true"),
    "False": Habit("E0117", "falsehood is written `false`", "write `false`", "false"),
    "None": Habit(
        "E0117",
        "TDSL has no `None`",
        "an index adds an axis by `newaxis`; elsewhere every expression has a value",
    ),
}

# Characters that look like a sign of the language, or that editors and web pages put for one.
LOOKALIKES: dict[str, str] = {
    "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
    "−": "-", "–": "-", "—": "-", "×": "*", "·": "*", "÷": "/", "⁄": "/",
    "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "⇒": "->", "…": "...",
    "\u00a0": " ", "\u3000": " ", "\u2009": " ", "\u202f": " ", "\ufeff": "", "\u200b": "",
    "（": "(", "）": ")", "［": "[", "］": "]", "｛": "{", "｝": "}",
    "，": ",", "：": ":", "；": ";", "＝": "=", "∧": "and", "∨": "or", "¬": "not",
    "π": "pi", "∞": "inf",
}  # fmt: skip
