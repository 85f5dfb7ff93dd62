"""Members of imported modules: `module.name` as a value, a function or a type."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from tdsl.check.context import Context
from tdsl.check.scope import BrokenEntry, Entry, ModuleEntry, PathEntry
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Edit, Help


def module_path(
    context: Context, node: ast.Expression
) -> ModuleEntry | PathEntry | BrokenEntry | None:
    """The module, or the way to one, that a dotted expression names."""
    if isinstance(node, ast.Variable):
        if context.environment.find(node.name) is not None:
            return None
        entry = context.module.entries.get(node.name)
        return entry if isinstance(entry, (ModuleEntry, PathEntry, BrokenEntry)) else None
    if isinstance(node, ast.Attribute):
        outer = module_path(context, node.value)
        if isinstance(outer, PathEntry):
            return outer.members.get(node.name.text)
        if isinstance(outer, BrokenEntry):
            return outer
    return None


def member_of(context: Context, node: ast.Attribute) -> Entry | None:
    """The entry that `module.name` is; None where what stands before the dot is no module."""
    path = module_path(context, node.value)
    if path is None:
        return None
    name = node.name.text
    if isinstance(path, BrokenEntry):
        return path
    if isinstance(path, PathEntry):
        found = path.members.get(name)
        if found is not None:
            return found
        context.fail(node.name, "E0804", f"`{node.value.span.text}` has no module `{name}`")
        return BrokenEntry()
    module = path.module
    entry = module.entries.get(name)
    if module.broken:
        return BrokenEntry()
    if entry is None or name not in module.public:
        report_missing(context, module.name, node.name, entry is not None, sorted(module.public))
        return BrokenEntry()
    return entry


def member_type(context: Context, node: ast.NamedType) -> Entry | None:
    """The entry that the type `module.Name` is; None after a report."""
    first, *rest = (*node.modules, node.name)
    written: ast.Expression = ast.Variable(first.span, first.text)
    for name in rest:
        span = first.span.source.span(first.span.start, name.span.end)
        written = ast.Attribute(span, written, name)
    assert isinstance(written, ast.Attribute)
    entry = member_of(context, written)
    if entry is None and isinstance(written.value, ast.Attribute):
        # A part of the path that is not there is reported as such.
        entry = member_of(context, written.value) and BrokenEntry()
    if entry is None:
        what = written.value.span.text
        context.fail(
            written.value,
            "E0806",
            f"`{what}` is no module, so `{written.span.text}` is no type",
            helps=_to_import(context, first) if len(rest) == 1 else [],
        )
    return entry


def _to_import(context: Context, name: ast.Name) -> list[Help]:
    close = get_close_matches(
        name.text,
        [key for key, entry in context.module.entries.items() if isinstance(entry, ModuleEntry)],
        1,
    )
    return [Help(f"did you mean `{close[0]}`?", (Edit(name.span, close[0]),))] if close else []


def report_missing(
    context: Context,
    module: str,
    name: ast.Name,
    private: bool,
    public: Sequence[str],
    *,
    imported: bool = False,
) -> None:
    def edits(other: str) -> tuple[Edit, ...]:
        # An imported name is mentioned elsewhere too, so one edit would not do.
        return () if imported else (Edit(name.span, other),)

    helps = []
    close = get_close_matches(name.text, public, 1)
    if private:
        message = f"`{name.text}` of `{module}` is not public"
        helps = [Help(f"write `pub` before it in `{module}`")]
    else:
        message = f"`{module}` has no public `{name.text}`"
        if close:
            helps = [Help(f"did you mean `{close[0]}`?", edits(close[0]))]
    context.fail(name, "E0804", message, helps=helps)
