"""Format a source: one layout for every program, with comments and meaning kept."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from tdsl.syntax import ast
from tdsl.syntax.formatting.items import format_tree
from tdsl.syntax.formatting.pieces import read_pieces
from tdsl.syntax.formatting.tree import build_tree
from tdsl.syntax.layout import lay_out
from tdsl.syntax.lexer import tokenize
from tdsl.syntax.parser import parse
from tdsl.syntax.source import Source, Span
from tdsl.syntax.tables import load_tables


def format_source(source: Source) -> str:
    """The text in its canonical layout. Raises DiagnosticError if it is no program.

    The layout depends on nothing but the tokens, the comments, and a few choices that stay the
    author's: empty lines, blocks and structs on one line, rows in brackets, attributes.
    """
    before = parse(source)
    tables = load_tables()
    tokens = tokenize(source, tables)
    laid = lay_out(tokens, 0, len(source.text))
    pieces = read_pieces(source, tokens)
    text = format_tree(build_tree(tables, laid.tokens, pieces), pieces[len(source.text)])
    # Whatever may be wrong with the formatter, it must not change what a program means.
    if not same_meaning(before, parse(Source(source.name, text))):
        raise AssertionError("the formatted text would mean something else")
    return text


def same_meaning(left: ast.Module, right: ast.Module) -> bool:
    """Whether two trees differ in nothing but their places."""
    pending: list[tuple[Any, Any]] = [(left, right)]
    while pending:
        one, other = pending.pop()
        if type(one) is not type(other):
            return False
        if isinstance(one, ast.Node):
            pending += [
                (getattr(one, field.name), getattr(other, field.name))
                for field in fields(one)
                if field.name != "signature_end"
            ]
        elif isinstance(one, tuple):
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif not isinstance(one, (Source, Span)) and one != other:
            return False
    return True
