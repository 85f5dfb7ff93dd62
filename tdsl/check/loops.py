"""`fold` and `scan`: parsed, but not yet checked."""

from __future__ import annotations

from tdsl.check import typed
from tdsl.check.context import Context
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Help


def check_loop(context: Context, node: ast.Loop) -> typed.Expression:
    return context.fail(
        node.span.source.span(node.span.start, node.span.start + len(node.kind))
        if node.span.text.startswith(node.kind)
        else node.span,
        "E0112",
        f"`{node.kind}` is not yet in this version",
        helps=[Help("a comprehension `[… for i in a..b]` repeats an expression")],
    )
