"""Documentation of a module in Markdown: what it offers, as its author wrote and explained it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from tdsl.check import typed
from tdsl.check.dump import value_text
from tdsl.check.walk import children
from tdsl.syntax import ast
from tdsl.syntax.parser import parse
from tdsl.types.naming import Names
from tdsl.types.types import Substitution


def module_page(program: typed.Program, *, title: str = "", private: bool = False) -> str:
    """The page of the program's root module; `title` is the name that it is imported by, where
    that is not the file's; `private` takes in what is not `pub`."""
    return _Page(program, title or program.root.name, private).text()


class _Page:
    def __init__(self, program: typed.Program, title: str, private: bool) -> None:
        self.title = title
        self.module = program.root
        self.items = parse(self.module.source).items
        self.private = private
        shown = {i.name.text for i in self.items if isinstance(i, ast.Function) and self.shown(i)}
        self.tests = _tests_by_function(self.items, self.module, shown)

    def shown(self, item: ast.Item) -> bool:
        return item.public or self.private

    def text(self) -> str:
        parts = [f"# `{self.title}`\n"]
        if self.module.docs:
            parts.append(_prose(self.module.docs))
        functions = [i for i in self.items if isinstance(i, ast.Function) and self.shown(i)]
        structs = [i for i in self.items if isinstance(i, ast.Struct) and self.shown(i)]
        constants = [i for i in self.items if isinstance(i, ast.Constant) and self.shown(i)]
        aliases = [i for i in self.items if isinstance(i, ast.Alias) and self.shown(i)]
        if len(functions) > 1:
            links = (f"[{item.name.text}](#fn-{item.name.text})" for item in functions)
            parts.append("Functions: " + " · ".join(links) + "\n")
        parts += _chapter("Constants", [self.constant(item) for item in constants])
        parts += _chapter("Types", [self.alias(item) for item in aliases])
        parts += _chapter("Structs", [self.struct(item) for item in structs])
        parts += _chapter("Functions", [self.function(item) for item in functions])
        loose = self.tests.get(None, [])
        if loose:
            parts.append("## Tests\n")
            parts.append(_list(loose))
        return "\n".join(parts)

    # --- items

    def constant(self, item: ast.Constant) -> str:
        return _entry(item.name.text, _code(item.span.text), item.docs)

    def alias(self, item: ast.Alias) -> str:
        return _entry(item.name.text, _code(item.span.text), item.docs)

    def struct(self, item: ast.Struct) -> str:
        struct = self.module.structs[item.name.text]
        text = item.span.source.text
        opening = text.index("{", item.name.span.start)
        head = f"struct {' '.join(text[item.name.span.start : opening].split())}"
        names = Names({}, tuple(parameter.name for parameter in struct.sizes))
        rows = ["| field | type | |", "|---|---|---|"]
        for field in struct.fields:
            docs = " ".join(field.docs).strip().replace("|", "\\|")
            rows.append(
                f"| `{field.name}` | `{names.type(field.type)}` | {docs} |".replace("  ", " ")
            )
        return _entry(item.name.text, _code(head), item.docs, "\n".join(rows) + "\n")

    def function(self, item: ast.Function) -> str:
        name, source = item.name.text, item.span.source
        head = source.text[item.name.span.start : item.signature_end]
        parts = [*self.examples(name)]
        tests = self.tests.get(name)
        if tests:
            parts.append("Tested: " + ", ".join(f"“{test}”" for test in tests) + ".\n")
        anchor = f'<a id="fn-{name}"></a>\n\n'
        return anchor + _entry(name, _code(f"fn {head}"), item.docs, *parts)

    def examples(self, name: str) -> Iterator[str]:
        """Instances, each with the types that its arguments then have."""
        signature = self.module.functions[name].signature
        found = [e for e in self.module.examples if e.function == name]
        if found:
            word = "Example" if len(found) == 1 else "Examples"
            lines = [_instance(signature, example.parameters) for example in found]
            yield f"{word}:\n\n```\n" + "\n".join(lines) + "\n```\n"


def _instance(signature: typed.Signature, values: Substitution) -> str:
    """`linear[E=f32, K=3](x: f32[2, 3]) -> …`: what was given, and the types that follow."""
    names = Names()
    given = [f"{dtype.name}={values.dtype(dtype)}" for dtype in signature.dtypes]
    given += [f"{pack.name}={names.shape(values.packs[pack])}" for pack in signature.packs]
    given += [
        f"{parameter.name}={value_text(parameter, values.size(parameter.value), names)}"
        for parameter in signature.sizes
    ]
    brackets = f"[{', '.join(given)}]" if given else ""
    arguments = ", ".join(
        f"{name}: {names.type(values.type(type_))}" for name, type_ in signature.parameters
    )
    result = names.type(values.type(signature.result))
    return f"{signature.function.name}{brackets}({arguments}) -> {result}"


def _tests_by_function(
    items: Sequence[ast.AnyItem], module: typed.Module, shown: Collection[str]
) -> Mapping[str | None, list[str]]:
    """The names of tests, each with the last function above it that it calls; None without one."""
    bodies = {test.span.start: test for test in module.tests}
    found: dict[str | None, list[str]] = {}
    above: list[str] = []
    for item in items:
        if isinstance(item, ast.Function) and item.name.text in shown:
            above.insert(0, item.name.text)
        elif isinstance(item, ast.Test):
            test = bodies.get(item.span.start)
            calls = set() if test is None else {c.name for c in _calls(test.body)}
            tested = next((name for name in above if name in calls), None)
            found.setdefault(tested, []).append(item.name)
    return found


def _calls(expression: typed.Expression) -> Iterator[typed.FunctionReference]:
    pending = [expression]
    while pending:
        current = pending.pop()
        if isinstance(current, typed.CallFunction):
            yield current.function
        pending += children(current)


# --- Markdown


def _chapter(title: str, entries: Sequence[str]) -> list[str]:
    return [f"## {title}\n", *entries] if entries else []


def _entry(name: str, head: str, docs: Sequence[str], *rest: str) -> str:
    parts = [f"### `{name}`\n", head]
    if docs:
        parts.append(_prose(docs))
    return "\n".join([*parts, *rest])


def _prose(docs: Sequence[str]) -> str:
    return "\n".join(docs).strip() + "\n"


def _code(text: str) -> str:
    return f"```\n{text.strip()}\n```\n"


def _list(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) + "\n"
