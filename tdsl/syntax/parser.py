"""Parse a source to its syntax tree: a driver for the LALR tables, with errors in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tdsl.syntax import ast
from tdsl.syntax.build import EDITIONS, Builder
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError, Edit, Help, Label
from tdsl.syntax.documentation import Documentation, find_documentation
from tdsl.syntax.layout import Laid, lay_out
from tdsl.syntax.lexer import Token, tokenize
from tdsl.syntax.source import Source, Span
from tdsl.syntax.tables import ABSENT, END, Tables, load_tables

# Later passes walk the tree recursively: this many levels stay well inside Python's limit of a
# thousand frames.
MOST_LEVELS = 150

# A file that is no TDSL at all needs no longer list.
MOST_ERRORS = 50

# The rules that add a level to the tree.
_DEEPENS = frozenset(
    [
        "binary",
        "unary",
        "subscripted",
        "call",
        "attribute_of",
        "tuple",
        "list",
        "comprehension",
        "if_",
        "loop",
        "named_type",
        "list_type",
        "tuple_type",
        "tuple_pattern",
        "list_pattern",
    ]
)
# An item begins with one of these at the first column: there parsing starts again after an error.
_ITEM_STARTS = frozenset(
    ["pub", "fn", "struct", "const", "type", "import", "from", "test", "example", "@"]
)


def parse(source: Source) -> ast.Module:
    """The tree of a whole file; raises DiagnosticError with every independent syntax error."""
    return parse_with_warnings(source)[0]


def parse_with_warnings(source: Source) -> tuple[ast.Module, tuple[Diagnostic, ...]]:
    """The tree and the lints of its form (W0002, W0003, W0005)."""
    tables = load_tables()
    raw = tokenize(source, tables)
    documentation = find_documentation(raw)
    builder = Builder(source, documentation)
    errors: list[Diagnostic] = []
    module: ast.Module | None = None
    first = 0
    laid = lay_out(raw, first, len(source.text))
    ambiguous = laid.ambiguous
    while True:
        try:
            module = _drive(tables, laid, builder, source)
            break
        except _Stop as stop:
            errors.append(stop.diagnostic)
            builder.abandon_item()
            again = _next_item(source, raw, first, stop.offset)
            if again is None or len(errors) == MOST_ERRORS:
                break
            first = again
            laid = lay_out(raw, first, len(source.text))
    errors += builder.errors
    if errors or module is None:
        raise DiagnosticError(sorted(errors, key=lambda error: error.span.start))
    return module, _warnings(source, module, documentation, ambiguous)


class _Stop(Exception):
    """Parsing cannot go on; `offset` is where the trouble is."""

    def __init__(self, diagnostic: Diagnostic, offset: int) -> None:
        super().__init__()
        self.diagnostic = diagnostic
        self.offset = offset


def _drive(tables: Tables, laid: Laid, builder: Builder, source: Source) -> ast.Module:
    """Run the tables over the tokens. Nothing here recurses, whatever the input."""
    actions, gotos, rules, final = tables.actions, tables.gotos, tables.rules, tables.end
    states = [tables.start]
    values: list[Any] = []
    starts: list[int] = []
    ends: list[int] = []
    heights: list[int] = []
    callbacks = [
        getattr(builder, rule.callback) if rule.callback not in ("", "*") else None
        for rule in rules
    ]
    tokens = laid.tokens
    for position, token in enumerate(tokens):
        kind = token.type
        while True:
            action = actions[states[-1]].get(kind)
            if action is None:
                if kind == END and states[-1] == final:
                    module: ast.Module = values[-1]
                    return module
                raise _unexpected(source, tables, tokens, position)
            if action >= 0:
                states.append(action)
                values.append(token)
                starts.append(token.start)
                ends.append(token.end)
                heights.append(0)
                break
            rule = rules[~action]
            length = rule.length
            if length == 1 and rule.callback == "":
                states.pop()
                states.append(gotos[states[-1]][rule.origin])
                continue
            if length:
                children = values[-length:]
                start, end = starts[-length], ends[-1]
                height = max(heights[-length:])
                if rule.callback in _DEEPENS:
                    height += 1
                    if height > MOST_LEVELS:
                        raise _too_deep(source, children, starts[-length:], ends[-length:])
                del states[-length:], values[-length:]
                del starts[-length:], ends[-length:], heights[-length:]
            else:
                children = []
                start = end = token.start
                height = 0
            callback = callbacks[~action]
            if callback is None and rule.callback == "":
                value = children[rule.children[0]]
            else:
                kept: list[Any] = []
                for index in rule.children:
                    if index >= 0:
                        kept.append(children[index])
                    elif index == ABSENT:
                        kept.append(None)
                    else:
                        kept += children[-2 - index]
                value = kept if callback is None else callback(kept, start, end)
            states.append(gotos[states[-1]][rule.origin])
            values.append(value)
            starts.append(start)
            ends.append(end)
            heights.append(height)
    raise AssertionError("the tokens do not end with $END")


def _unexpected(source: Source, tables: Tables, tokens: Sequence[Token], position: int) -> _Stop:
    # Imported here: a program that is right needs none of the explanations.
    from tdsl.syntax.expected import Situation
    from tdsl.syntax.explain import explain

    states = _states_before(tables, tokens, position)
    situation = Situation(source, tables, tokens, position, states)
    return _Stop(explain(situation), tokens[position].start)


def _states_before(tables: Tables, tokens: Sequence[Token], position: int) -> list[int]:
    """The stack of states before this token was looked at: the reductions that a wrong token
    still sets off would hide what could have stood in its place."""
    actions, gotos, rules = tables.actions, tables.gotos, tables.rules
    states = [tables.start]
    for token in tokens[:position]:
        while (action := actions[states[-1]][token.type]) < 0:
            rule = rules[~action]
            if rule.length:
                del states[-rule.length :]
            states.append(gotos[states[-1]][rule.origin])
        states.append(action)
    return states


def _too_deep(
    source: Source, children: Sequence[Any], starts: Sequence[int], ends: Sequence[int]
) -> _Stop:
    """Point at the operation that is one too many: what follows the first operand, or the
    opening bracket."""
    start = starts[0]
    end = start + 1
    message = f"this is nested more than {MOST_LEVELS} levels deep"
    label = f"level {MOST_LEVELS + 1} begins here"
    if len(starts) > 1 and not isinstance(children[0], Token):
        start, end = starts[1], ends[1]
        message = f"this is a chain of more than {MOST_LEVELS} operations"
        label = f"operation {MOST_LEVELS + 1} is here"
    diagnostic = Diagnostic(
        "E0111",
        message,
        (Label(Span(source, start, end), label),),
        helps=(Help("name parts of it with `let`"),),
    )
    return _Stop(diagnostic, start)


def _next_item(source: Source, raw: Sequence[Token], first: int, offset: int) -> int | None:
    """The index of the next token that surely begins an item, at or after the offset."""
    text = source.text
    for index in range(first + 1, len(raw)):
        token = raw[index]
        if (
            token.start >= offset
            and token.type in _ITEM_STARTS
            and (token.start == 0 or text[token.start - 1] == "\n")
        ):
            return index
    return None


def _warnings(
    source: Source,
    module: ast.Module,
    documentation: Documentation,
    ambiguous: Sequence[tuple[Token, Token]],
) -> tuple[Diagnostic, ...]:
    result: list[Diagnostic] = []
    if module.edition is None:
        edition = f"tdsl {EDITIONS[-1]}\n"
        start = source.text.startswith("\ufeff")
        place = Span(source, int(start), int(start))
        result.append(
            Diagnostic(
                "W0002",
                "this file does not say which edition of the language it is written in",
                (Label(place, f"the newest is taken, {EDITIONS[-1]}"),),
                helps=(Help(f"add the line `{edition.strip()}`", (Edit(place, edition),)),),
            )
        )
    for token, statement in ambiguous:
        warning = _ambiguous_start(source, token, statement)
        if warning is not None:
            result.append(warning)
    for token in documentation.left_over():
        result.append(
            Diagnostic(
                "W0005",
                "this `##` documents nothing",
                (Label(Span(source, token.start, token.end), "no item or field is beside it"),),
                helps=(
                    Help(
                        "write an ordinary comment",
                        (Edit(Span(source, token.start, token.start + 2), "#"),),
                    ),
                ),
            )
        )
    result += [
        _documented_import(source, item)
        for item in module.items
        if isinstance(item, ast.ImportModule | ast.ImportNames) and item.docs
    ]
    return tuple(sorted(result, key=lambda warning: warning.span.start))


def _documented_import(source: Source, item: ast.Item) -> Diagnostic:
    """W0005 for what was most likely meant for the module."""
    line = source.line_and_column(item.span.start)[0]
    while not source.line_text(line).lstrip().startswith("##"):
        line -= 1
    start = source.line_starts[line - 1]
    start += len(source.line_text(line)) - len(source.line_text(line).lstrip())
    span = Span(source, start, source.line_starts[line - 1] + len(source.line_text(line)))
    return Diagnostic(
        "W0005",
        "this `##` documents nothing",
        (Label(span, "an import has no documentation"),),
        helps=(Help("what is said of the whole module stands above the line `tdsl …`"),),
    )


def _ambiguous_start(source: Source, token: Token, statement: Token) -> Diagnostic | None:
    """W0003 where the reader may take a new statement for more of the one before: always for a
    sign, for brackets if they are indented further than that statement."""
    if token.type == "@" and source.text.startswith("unroll", token.end):
        return None
    column = source.line_and_column(token.start)[1]
    deeper = column > source.line_and_column(statement.start)[1]
    if token.type in ("(", "[") and not deeper:
        return None
    span = Span(source, token.start, token.end)
    first = Span(source, statement.start, statement.end)
    return Diagnostic(
        "W0003",
        f"this `{token.type}` begins a new statement; it does not continue the line before",
        (Label(span, "a new statement"), Label(first, "this one has ended")),
        helps=(
            Help(
                f"to continue, end the line before with `{token.type}`; "
                "otherwise write parentheses around the statement"
                if token.type in ("-", "@")
                else "to continue, put the bracket at the end of the line before"
            ),
        ),
    )
