"""Sizes in written types: one axis, or those that a pack stands for."""

from __future__ import annotations

from tdsl.check.context import Context
from tdsl.check.sizes import size_of
from tdsl.check.values import PackValue
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help
from tdsl.syntax.source import Span
from tdsl.types.sizes import Shape, Size


def dimensions_of(context: Context, node: ast.Dimension) -> Shape | None:
    """The axes that one argument of an array's type stands for: one, or those of a pack."""
    if isinstance(node, ast.PackDimension):
        return pack_axes(context, node.name)
    if isinstance(node, ast.NamedDimension):
        context.fail(node, "E0808", "sizes of an array are written in order, without names")
        return None
    if isinstance(node, ast.AnyDimension):
        context.fail(node, "E0514", "`_` stands for a size only in the type of a `let`")
        return None
    if isinstance(node, ast.Variable):
        pack = context.environment.find(f"...{node.name}")
        if pack is not None:
            edit = Edit(Span(node.span.source, node.span.start, node.span.start), "...")
            context.fail(
                node,
                "E0514",
                f"`{node.name}` stands for any number of axes",
                more=[(pack.span, "bound here")],
                helps=[Help(f"write `...{node.name}`", (edit,))],
            )
            return None
    size = size_in_type(context, node)
    return None if size is None else (size,)


def size_in_type(context: Context, node: ast.Expression) -> Size | None:
    size = size_of(context, context.check(node), "a size in a type")
    if size is None:
        return None
    if size.literal is not None and size.literal < 1:
        context.fail(node, "E0413", f"sizes are 1 or more, not {size.literal}")
        return None
    return size


def pack_axes(context: Context, name: ast.Name) -> Shape | None:
    bound = context.environment.find(f"...{name.text}")
    if bound is not None:
        bound.used = True
        assert isinstance(bound.value, PackValue)
        return bound.value.shape
    other = context.environment.find(name.text)
    if other is not None:
        edit = Edit(Span(name.span.source, name.span.start - 3, name.span.start), "")
        context.fail(
            name,
            "E0514",
            f"`{name.text}` is one size, not any number of axes",
            more=[(other.span, "bound here")],
            helps=[Help(f"write `{name.text}`, or bind `...{name.text}`", (edit,))],
        )
        return None
    context.fail(
        name,
        "E0801",
        f"unknown pack `...{name.text}`",
        helps=[Help(f"bind it among the parameters: `[...{name.text}]`")],
    )
    return None
