"""Print a syntax tree as indented text, one node a line with its place: `--emit=ast`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from tdsl.syntax import ast
from tdsl.syntax.source import Source, Span

# What follows from the places of other nodes.
_LEFT_OUT = frozenset(("signature_end",))


def dump(node: ast.Node) -> str:
    """A node is `Kind start-end` and its simple fields; nodes below it are indented, with the name
    of the field they fill. Places are line:column, the end just past the last character."""
    lines: list[str] = []
    # A stack instead of recursion: the tree may be as deep as the parser lets it be.
    pending: list[tuple[int, str, Any]] = [(0, "", node)]
    while pending:
        depth, name, value = pending.pop()
        label = f"{name}: " if name else ""
        indent = "  " * depth
        if not isinstance(value, ast.Node):
            lines.append(f"{indent}{label}{_simple(value)}")
            continue
        below: list[tuple[int, str, Any]] = []
        simple: list[str] = []
        for field in fields(value):
            if field.name in _LEFT_OUT:
                continue
            child = getattr(value, field.name)
            if isinstance(child, (Span, Source)):
                if field.name == "operator_span":
                    simple.append(f"at {_position(child)}" if isinstance(child, Span) else "")
            elif isinstance(child, ast.Name):
                simple.append(f"{field.name}={child.text}")
            elif isinstance(child, ast.Node):
                below.append((depth + 1, field.name, child))
            elif isinstance(child, tuple):
                below += [
                    (depth + 1, f"{field.name}[{index}]", item) for index, item in enumerate(child)
                ]
            elif child is not None and child is not False:
                simple.append(f"{field.name}={_simple(child)}")
        kind = type(value).__name__.rstrip("_")
        place = f"{_position(value.span)}-{value.span.end_line}:{value.span.end_column}"
        lines.append(" ".join([f"{indent}{label}{kind}", place, *simple]))
        pending += reversed(below)
    return "\n".join(lines) + "\n"


def _position(span: Span) -> str:
    return f"{span.line}:{span.column}"


def _simple(value: object) -> str:
    return value if isinstance(value, str) and value.isidentifier() else repr(value)
