"""Explain what comes from elsewhere: characters, signs and words that the language lacks."""

from __future__ import annotations

import unicodedata

from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.expected import Situation
from tdsl.syntax.habits import ANYWHERE, AT_START, FOREIGN_SIGNS, LOOKALIKES, Habit
from tdsl.syntax.lexer import BAD, FOREIGN, Token
from tdsl.syntax.source import Span
from tdsl.syntax.tables import NAME, STRING


def problem(
    situation: Situation,
    code: str,
    message: str,
    label: str = "",
    *helps: Help,
    span: Span | None = None,
    more: tuple[Label, ...] = (),
) -> Diagnostic:
    return Diagnostic(code, message, (Label(span or situation.span, label), *more), helps=helps)


def span_of(situation: Situation, token: Token) -> Span:
    return Span(situation.source, token.start, token.end)


def point(situation: Situation, offset: int) -> Span:
    return Span(situation.source, offset, offset)


def from_habit(situation: Situation, token: Token, habit: Habit) -> Diagnostic:
    span = span_of(situation, token)
    message = habit.message.replace("{text}", token.text)
    edits: tuple[Edit, ...] = ()
    if habit.replacement == "":
        # A word is taken out with the space after it.
        after = situation.source.text[span.end : span.end + 1]
        edits = (Edit(Span(span.source, span.start, span.end + (after == " ")), ""),)
    elif habit.replacement is not None:
        text = situation.source.text
        before, after = text[span.start - 1 : span.start], text[span.end : span.end + 1]
        word = habit.replacement.isalpha()
        padded = (
            (" " if word and (before.isalnum() or before in (")", "]")) else "")
            + habit.replacement
            + (" " if word and (after.isalnum() or after in ("(", "[", "_")) else "")
        )
        edits = (Edit(span, padded),)
    helps = (Help(habit.help, edits),) if habit.help else ()
    return problem(situation, habit.code, message, "", *helps, span=span)


# --- characters and signs that the language lacks


def docstring(s: Situation) -> Diagnostic | None:
    if (
        s.previous.text == '""'
        and s.previous.end == s.token.start
        and s.source.text.startswith('"', s.token.start)
    ):
        span = Span(s.source, s.previous.start, s.token.end)
        help_ = Help("write the documentation after `##`, on the lines before the function")
        return problem(s, "E0117", "documentation is not a string", "", help_, span=span)
    return None


def prefixed_string(s: Situation) -> Diagnostic | None:
    """`f"…"`, `r"…"`: the letter is read as a name that stands before a string."""
    for letter, string in ((s.token, s.neighbour(1)), (s.previous, s.token)):
        if letter.type != NAME or string.type != STRING or letter.end != string.start:
            continue
        if letter.text.lower() not in ("f", "r", "b", "u", "rb", "br", "fr", "rf"):
            continue
        formats = "f" in letter.text.lower()
        message = "a string is plain text" + ", nothing is put into it" * formats
        helps = [Help(f"leave out the `{letter.text}`", (Edit(span_of(s, letter), ""),))]
        if formats:
            helps.append(Help('to see values while a test runs: `dbg(x, "label")`'))
        return problem(s, "E0117", message, "", *helps, span=span_of(s, letter))
    return None


def bad_character(s: Situation) -> Diagnostic | None:
    if s.token.type != BAD:
        return None
    character, text = s.token.text, s.source.text
    line_end = text.find("\n", s.token.start)
    line_end = len(text) if line_end < 0 else line_end
    if character == '"':
        span = Span(s.source, s.token.start, s.token.start + 1)
        return problem(
            s, "E0103", "this string is not closed on its line", 'no `"` follows', span=span
        )
    if character == "'":
        close = text.find("'", s.token.end, line_end)
        edits: tuple[Edit, ...] = ()
        span = s.span
        if close > 0:
            span = Span(s.source, s.token.start, close + 1)
            if '"' not in span.text and "\\" not in span.text:
                edits = (Edit(span, '"' + span.text[1:-1] + '"'),)
        help_ = Help('write `"…"`', edits)
        return problem(s, "E0103", "strings stand in double quotes", "", help_, span=span)
    if character == "\r":
        return problem(
            s, "E0103", "a carriage return without a line feed", "lines end with LF or CR LF"
        )
    if character in LOOKALIKES:
        good = LOOKALIKES[character]
        what = (
            f"write `{good}`" if good.strip() else "use an ordinary space" if good else "delete it"
        )
        return problem(
            s, "E0103", f"{_describe(character)} is not a sign of the language", "",
            Help(what, (Edit(s.span, good),)),
        )  # fmt: skip
    label = ""
    if character.isalpha() or unicodedata.combining(character):
        label = "names are made of the letters a to z, digits and `_`"
    return problem(s, "E0103", f"the language has no {_describe(character)}", label)


def _describe(character: str) -> str:
    try:
        name = unicodedata.name(character)
    except ValueError:
        return f"character U+{ord(character):04X}"
    return f"`{character}` ({name})" if character.isprintable() else f"character {name}"


def foreign_sign(s: Situation) -> Diagnostic | None:
    if s.token.type != FOREIGN:
        return None
    if s.token.text == "=>" and s.acceptable == {"->"}:
        return None
    return from_habit(s, s.token, FOREIGN_SIGNS[s.token.text])


def _leads_in_block(s: Situation) -> bool:
    """Whether the token is the first on its line, in a block: the line before went on in it."""
    line = s.source.text[s.source.line_starts[s.span.line - 1] : s.token.start]
    return not line.strip() and bool(s.open_brackets) and s.open_brackets[-1].type == "{"


def _where_call(s: Situation) -> Diagnostic | None:
    """`where(mask, a, b)`, `np.where(mask, a, b)`."""
    if not (s.wants_expression or s.previous.type == "."):
        return None
    start = s.neighbour(-2).start if s.previous.type == "." else s.token.start
    module = s.source.text[start : s.token.start] in ("", "np.", "torch.", "jnp.", "numpy.")
    edits = (Edit(Span(s.source, start, s.token.end), "select"),) if module else ()
    return problem(
        s, "E0117", "`where` states facts about sizes; a choice by element is `select`", "",
        Help("write `select(condition, a, b)`", edits),
    )  # fmt: skip


def foreign_word(s: Situation) -> Diagnostic | None:
    for distance in (-1, 0):
        token = s.neighbour(distance)
        if token.type != NAME:
            continue
        if token.text in ANYWHERE:
            return from_habit(s, token, ANYWHERE[token.text])
        if token.text in AT_START and s.begins_statement(distance):
            return from_habit(s, token, AT_START[token.text])
    if s.token.type == "for" and (s.begins_statement(0) or _leads_in_block(s)):
        return from_habit(
            s, s.token, Habit("E0117", "a loop is an expression", AT_START["while"].help)
        )
    if s.token.type == "where" and s.neighbour(1).type == "(":
        return _where_call(s)
    if s.token.type == "//" or (s.token.type == "/" and s.neighbour(1).text.startswith("*")):
        return problem(
            s, "E0117", "a comment begins with `#`", "", Help("write `#`", (Edit(s.span, "#"),))
        )
    if s.token.type == "*" and s.previous.type == "import":
        return problem(
            s, "E0117", "names are imported one by one", "",
            Help("`import a.b as m` gives all of them as `m.name`"),
        )  # fmt: skip
    return None
