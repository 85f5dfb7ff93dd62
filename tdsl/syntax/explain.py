"""Turn the place where the parser stopped into a diagnostic: rules from special to general."""

from __future__ import annotations

from collections.abc import Callable

from tdsl.syntax.diagnostics import Diagnostic, Edit, Help, Label
from tdsl.syntax.expected import (
    ITEMS,
    Situation,
    expected_words,
    found_words,
    matching,
    opener_of,
)
from tdsl.syntax.foreign import (
    bad_character,
    docstring,
    foreign_sign,
    foreign_word,
    point,
    prefixed_string,
    problem,
    span_of,
)
from tdsl.syntax.layout import COMPARISONS
from tdsl.syntax.source import Span
from tdsl.syntax.tables import END, FLOAT, INT, NAME, NEWLINE

_DTYPES = frozenset("f64 f32 f16 bf16 i64 i32 i16 i8 u32 u8 bool".split())  # noqa: SIM905


def explain(situation: Situation) -> Diagnostic:
    """The first rule that knows the case decides."""
    for rule in _RULES:
        diagnostic = rule(situation)
        if diagnostic is not None:
            return diagnostic
    expected = expected_words(situation.acceptable)
    more: tuple[Label, ...] = ()
    if situation.open_brackets:
        last = situation.open_brackets[-1]
        lines = situation.source.text[last.start : situation.token.start]
        # A bracket of an earlier line that could end here is often the one not closed.
        if last.type != "{" and matching(last.type) in situation.acceptable and "\n" in lines:
            more = (Label(span_of(situation, last), f"this `{last.type}` is still open"),)
    return problem(
        situation,
        "E0102" if situation.token.type == END else "E0101",
        f"expected {expected}, found {found_words(situation.token)}",
        f"expected {expected}",
        more=more,
    )


# --- signatures


def _generic(s: Situation) -> Diagnostic | None:
    """`fn f<T>`, `f32<3>`: brackets that the language spells `[]`."""
    if s.token.type == "<" and "[" in s.acceptable and "+" not in s.acceptable:
        edits: list[Edit] = [Edit(s.span, "[")]
        for distance in range(1, 40):
            token = s.neighbour(distance)
            if token.type in (">", NEWLINE, END, "{", "<"):
                if token.type == ">":
                    edits.append(Edit(span_of(s, token), "]"))
                break
        helps = (Help("write `[…]`", tuple(edits)),) if len(edits) == 2 else (Help("write `[…]`"),)
        return problem(s, "E0117", "parameters and sizes stand in `[]`", "", *helps)
    return None


def _result_type(s: Situation) -> Diagnostic | None:
    if s.acceptable != {"->"}:
        return None
    token, end = s.token, s.previous.end
    if token.text in (":", "=>", "-"):
        following = s.source.text[token.end : s.neighbour(1).start or token.end]
        if "\n" in following or s.neighbour(1).type in (NEWLINE, END):
            return _block_colon(s)
        arrow = Edit(Span(s.source, end, token.end), " ->")
        return problem(
            s, "E0104", f"a result type is written after `->`, found {found_words(token)}",
            "write `->` here", Help(f"write `->` for `{token.text}`", (arrow,)),
        )  # fmt: skip
    if token.type in ("{", NEWLINE, END):
        return problem(
            s, "E0104", "the function does not say what it gives",
            "the result type is missing", Help("write `-> f32[N]`, with the type of the body"),
            span=point(s, end),
        )  # fmt: skip
    if token.type in (NAME, "[", "("):
        return problem(
            s, "E0104", "a result type is written after `->`", "write `->` before it",
            Help("add `->`", (Edit(point(s, token.start), "-> "),)),
        )  # fmt: skip
    return None


def _untyped(s: Situation) -> Diagnostic | None:
    if s.acceptable == {":"} and s.token.type in (",", ")", "}", NEWLINE, "="):
        name = s.previous
        example = f"{name.text}: f32" + (" = …" if s.token.type == "=" else "[N]")
        return problem(
            s, "E0101", f"`{name.text}` has no type", f"write `{example}`, for example",
            span=span_of(s, name),
        )  # fmt: skip
    return None


# --- blocks and statements


def _block_colon(s: Situation) -> Diagnostic | None:
    if s.token.type != ":" or not ({"{", "->"} & s.acceptable or s.previous.text == "else"):
        return None
    return problem(
        s, "E0109", "a block stands in braces, not after `:`", "",
        Help("write `{` here, and `}` at the end of the block"),
    )  # fmt: skip


def _chained(s: Situation) -> Diagnostic | None:
    if s.token.type not in COMPARISONS or s.wants_expression or "+" not in s.acceptable:
        return None
    # The operand before stands on the parser's stack, maybe in pieces; the comparison too.
    tokens = s.tokens
    index, depth = s.position - 1, 0
    while index >= 0:
        kind = tokens[index].type
        depth += kind in (")", "]", "}")
        depth -= kind in ("(", "[", "{")
        if depth < 0 or (depth == 0 and (kind in COMPARISONS or kind == NEWLINE)):
            break
        index -= 1
    first = tokens[index]
    if first.type not in COMPARISONS:
        return None
    middle = s.source.text[tokens[index + 1].start : s.previous.end]
    in_where = any(token.type == "where" for token in tokens[max(0, index - 40) : index]) and (
        not s.open_brackets
    )
    joint = ", " if in_where else " and "
    return problem(
        s, "E0106", "comparisons do not chain", "this is the second comparison",
        Help(
            "compare twice",
            (Edit(point(s, s.previous.end), f"{joint}{middle}"),),
        ),
        more=(Label(span_of(s, first), "this is the first"),),
    )  # fmt: skip


def _binding(s: Situation) -> Diagnostic | None:
    """`x = 1`, `x: f32 = 1` and `x[0] = 1` in a block; `x = 1` among the items."""
    if s.wants_item and s.token.type in (NAME, "let") and not s.open_brackets:
        if s.token.type == "let":
            edit = Edit(s.span, "const")
            return problem(
                s, "E0110", "`let` stands inside a function", "",
                Help("at the top of a file a constant is `const name = value`", (edit,)),
            )  # fmt: skip
        if s.neighbour(1).type in ("=", ":"):
            return problem(
                s, "E0110", "a constant is bound by `const`", "",
                Help("write `const`", (Edit(point(s, s.token.start), "const "),)),
            )  # fmt: skip
        return None
    if s.token.type not in ("=", ":") or "+" not in s.acceptable:
        return None
    index = s.position - 1
    while index > 0 and s.tokens[index - 1].type not in (NEWLINE, "{"):
        index -= 1
    first = s.tokens[index]
    if s.token.type == "=" and first.type in ("if", "assert", "fn", "where"):
        return problem(
            s, "E0101", "values are compared by `==`", "", Help("write `==`", (Edit(s.span, "=="),))
        )
    if first.type != NAME or (s.open_brackets and s.open_brackets[-1].type != "{"):
        return None
    if index == s.position - 1:
        return problem(
            s, "E0110", "a name is bound by `let`", "", 
            Help("write `let`", (Edit(point(s, first.start), "let "),)),
            span=span_of(s, first),
        )  # fmt: skip
    if s.token.type == "=":
        return problem(
            s, "E0110", "nothing in TDSL can be changed, also no part of an array", "",
            Help("`update(x, y, at=…)` gives a changed copy, `select(mask, a, b)` chooses"),
        )  # fmt: skip
    return None


def _semicolon(s: Situation) -> Diagnostic | None:
    if s.token.type != ";":
        return None
    if s.neighbour(1).type in (NEWLINE, "}", END):
        helps = (Help("leave it out", (Edit(s.span, ""),)),)
    else:
        edit = Edit(s.span.to(point(s, s.neighbour(1).start)), "\n" + _indentation(s))
        helps = (Help("begin a new line instead", (edit,)),)
    return problem(s, "E0117", "a statement ends with its line, not with `;`", "", *helps)


def _indentation(s: Situation) -> str:
    text = s.source.line_text(s.span.line)
    return text[: len(text) - len(text.lstrip(" \t"))]


def _in_comprehension(s: Situation) -> bool:
    """Whether the innermost bracket is one of `[… for i in …`."""
    if not s.open_brackets or s.open_brackets[-1].type != "[":
        return False
    start = s.open_brackets[-1].start
    return any(token.type == "for" and token.start > start for token in s.tokens[: s.position])


def _else(s: Situation) -> Diagnostic | None:
    if s.acceptable == {"else"}:
        return problem(
            s, "E0101", "an `if` is an expression and needs an `else`", "`else { … }` is missing",
            span=point(s, s.previous.end),
        )  # fmt: skip
    if s.token.type == "else" and "}" in s.acceptable and s.open_brackets:
        return problem(
            s, "E0101", "a `}` is missing before this `else`", "",
            more=(Label(span_of(s, s.open_brackets[-1]), "opened here"),),
        )  # fmt: skip
    if s.token.type == "if" and _in_comprehension(s):
        return problem(
            s, "E0117", "a list takes every item that its `for` goes through", "",
            Help("leave some out by the range, as in `for i in 1..N`; `select` puts others there"),
        )  # fmt: skip
    if s.token.type == "if" and (NEWLINE in s.acceptable or "+" in s.acceptable):
        return problem(
            s, "E0117", "a choice begins with `if`", "",
            Help("write `if condition { a } else { b }`, or `select(condition, a, b)` for values"),
        )  # fmt: skip
    return None


def _needs_parentheses(s: Situation) -> Diagnostic | None:
    if s.wants_expression and s.token.type in ("if", "fold", "scan", "not"):
        return problem(
            s, "E0101", f"`{s.token.text}` cannot be an operand as it stands",
            "put it in parentheses, or bind it to a name first",
        )  # fmt: skip
    if s.token.type == "+" and s.wants_expression:
        return problem(
            s, "E0101", "there is no sign `+` before a number", "",
            Help("leave it out", (Edit(s.span, ""),)),
        )  # fmt: skip
    return None


def _nested_function(s: Situation) -> Diagnostic | None:
    leads = s.span.column == 1
    if s.token.type == "fn" and s.wants_expression and not leads:
        return problem(
            s, "E0117", "a function cannot stand inside another, and is no value", "",
            Help("define it at the top of the file, and call it by its name"),
        )  # fmt: skip
    return None


def _statement_on_line(s: Situation) -> Diagnostic | None:
    if NEWLINE in s.acceptable and s.token.type in ("let", "assert", "fn", "struct", "const"):
        gap = Span(s.source, s.previous.end, s.token.start)
        return problem(
            s, "E0101", f"`{s.token.text}` begins a new statement, which stands on its own line", "",
            Help("begin a new line", (Edit(gap, "\n" + _indentation(s)),)),
        )  # fmt: skip
    return None


def _open_tuple(s: Situation) -> Diagnostic | None:
    """`a, b` as the last line of a block."""
    if s.token.type != "," or not s.open_brackets or s.open_brackets[-1].type != "{":
        return None
    if "+" not in s.acceptable:
        return None
    return problem(
        s, "E0101", "a tuple stands in parentheses", "", Help("write `(a, b)`")
    )  # fmt: skip


def _struct_literal(s: Situation) -> Diagnostic | None:
    """`Linear { w: x }`."""
    name = s.previous
    if s.token.type != "{" or name.type != NAME or not name.text[:1].isupper():
        return None
    if "+" not in s.acceptable:
        return None
    return problem(
        s, "E0117", "a struct is built by a call", "",
        Help(f"write `{name.text}(field=value)`, with its fields by name or in order"),
    )  # fmt: skip


# --- words, numbers, brackets


def _number(s: Situation) -> Diagnostic | None:
    if s.previous.type in (INT, FLOAT) and s.token.start == s.previous.end and s.token.type == NAME:
        span = span_of(s, s.previous).to(s.span)
        helps: tuple[Help, ...] = ()
        if s.token.text in _DTYPES:
            text = f"{s.token.text}({s.previous.text})"
            helps = (Help("a dtype's name is the cast", (Edit(span, text),)),)
        return problem(s, "E0101", "letters follow this number directly", "", *helps, span=span)
    if s.token.type == ".." and s.open_brackets and s.open_brackets[-1].type == "[":
        help_ = Help("write `:`", (Edit(s.span, ":"),))
        return problem(s, "E0117", "a slice is written with `:`", "", help_)
    if s.token.type == "." and s.wants_expression and s.neighbour(1).type == INT:
        help_ = Help("write `0.`", (Edit(point(s, s.token.start), "0"),))
        return problem(s, "E0117", "a number begins with a digit", "", help_)
    if s.previous.type == "." and s.token.type in (INT, FLOAT):
        return problem(
            s, "E0117", "items of a tuple are not numbered", "",
            Help("take the tuple apart: `let (a, b) = …`"),
        )  # fmt: skip
    return None


def _list_length(s: Situation) -> Diagnostic | None:
    """`[Block[C]]` for `[Block[C]; L]`."""
    if s.token.type not in ("]", ",") or ";" not in s.acceptable:
        return None
    taken = {token.text for token in s.tokens}
    length = next(name for name in ("L", "K", "N", "M", "count") if name not in taken)
    edits = [Edit(point(s, s.token.start), f"; {length}"), *_bound(s, length)]
    help_ = Help(
        f"give it one: a size like `{length}`, bound in the brackets of the head, or a number",
        tuple(edits),
    )
    return problem(
        s, "E0101", "the type of a list has its length: expected `;`", "expected `;` and a size", help_
    )  # fmt: skip


def _bound(s: Situation, name: str) -> list[Edit]:
    """Bind a size in the head of the item that the trouble is in."""
    starts = [i for i in range(s.position) if s.tokens[i].type in ("fn", "struct", "type")]
    for start in starts[-1:]:
        after = start + 2
        if s.tokens[after].type != "[":
            return [Edit(point(s, s.tokens[start + 1].end), f"[{name}]")]
        depth = 0
        for token in s.tokens[after : s.position]:
            depth += (token.type == "[") - (token.type == "]")
            if depth == 0:
                return [Edit(point(s, token.start), f", {name}")]
    return []


def _reserved(s: Situation) -> Diagnostic | None:
    word = s.token.type
    if NAME in s.acceptable and not s.wants_expression and word.isidentifier() and word.islower():
        return problem(
            s, "E0101", f"`{word}` is a word of the language and cannot be a name",
            "choose another name",
        )  # fmt: skip
    return None


def _brackets(s: Situation) -> Diagnostic | None:
    opened = s.open_brackets
    kind = s.token.type
    if opener_of(kind) is not None and (not opened or opened[-1].type != opener_of(kind)):
        elsewhere = opener_of(kind) in {token.type for token in opened}
        if not elsewhere and (not opened or opened[-1].type == "{"):
            return problem(
                s, "E0101", f"this `{kind}` closes nothing", f"no `{opener_of(kind)}` is open"
            )
        last = opened[-1]
        return problem(
            s, "E0101", f"`{last.type}` is closed by `{matching(last.type)}`, found `{kind}`",
            f"expected `{matching(last.type)}`",
            more=(Label(span_of(s, last), "opened here"),),
        )  # fmt: skip
    new_item = (
        kind in ITEMS and kind not in s.acceptable and s.source.text[: s.token.start][-1:] == "\n"
    )
    if opened and (kind == END or new_item):
        last = opened[-1]
        more = [Label(span_of(s, last), "opened here")]
        if s.suspect is not None:
            more.append(Label(span_of(s, s.suspect), "or this one, by the indentation"))
        what = "the file ends" if kind == END else "the next item begins"
        return problem(
            s, "E0102" if kind == END else "E0101",
            f"{what} before this `{last.type}` is closed",
            f"`{matching(last.type)}` is missing", more=tuple(more),
        )  # fmt: skip
    return None


def _body(s: Situation) -> Diagnostic | None:
    if "{" in s.acceptable and s.token.type in (NEWLINE, NAME, END, "=", "let"):
        return problem(
            s, "E0101" if s.token.type != END else "E0102",
            f"expected `{{` and a block, found {found_words(s.token)}", "`{` is missing",
            span=point(s, s.previous.end),
        )  # fmt: skip
    return None


_RULES: tuple[Callable[[Situation], Diagnostic | None], ...] = (
    docstring,
    bad_character,
    prefixed_string,
    _result_type,
    foreign_sign,
    foreign_word,
    _generic,
    _untyped,
    _binding,
    _block_colon,
    _chained,
    _open_tuple,
    _struct_literal,
    _semicolon,
    _else,
    _needs_parentheses,
    _nested_function,
    _statement_on_line,
    _number,
    _list_length,
    _brackets,
    _reserved,
    _body,
)
