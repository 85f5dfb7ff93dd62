"""Check a program: its file, what it imports, and the parts of the library that it uses."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from tdsl.check import typed
from tdsl.check.checked import CheckResult
from tdsl.check.checker import RULES, ModuleChecker, find_recursion
from tdsl.check.context import Context, Owner
from tdsl.check.helps import try_helps
from tdsl.check.lookup import FOREIGN_MODULES, STANDARD
from tdsl.check.members import report_missing
from tdsl.check.patterns import unusable_as_item
from tdsl.check.promotion import warn_of_promotion
from tdsl.check.report import Reporter
from tdsl.check.scope import (
    AliasEntry,
    BrokenEntry,
    ConstantEntry,
    Entry,
    Environment,
    FunctionEntry,
    ModuleEntry,
    ModuleScope,
    PathEntry,
    StructEntry,
)
from tdsl.check.structs import find_circles
from tdsl.syntax import ast
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError, Edit, Help
from tdsl.syntax.parser import parse_with_warnings
from tdsl.syntax.reading import read_source
from tdsl.syntax.resources import library_file, standard_library
from tdsl.syntax.source import Source, Span
from tdsl.types.dtypes import DTYPES
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts

# Modules that import one another in a row.
MOST_IMPORTS = 50

_NONE: Mapping[str, Source] = {}


def check_file(path: Path | str) -> CheckResult:
    """Check the program in a file. Raises OSError where the file itself cannot be read."""
    file = Path(path)
    try:
        source = read_source(file)
    except DiagnosticError as error:
        return CheckResult(None, error.diagnostics)
    return _check(source, file.stem, file.absolute().parent)


def check_source(source: Source, root: Path | None) -> CheckResult:
    """Check a program given as text; imports are looked for under `root`, or only in `std`."""
    return _check(source, _module_name(source), root)


def check_again(name: str, sources: Mapping[str, Source]) -> CheckResult:
    """Check a program whose modules were all read before; `name` is that of its root."""
    return _check(sources[name], name, None, sources)


def load_program(path: Path | str) -> typed.Program:
    """The program in a file; raises DiagnosticError where it has errors."""
    result = check_file(path)
    if result.program is None:
        raise DiagnosticError(result.diagnostics)
    return result.program


def _module_name(source: Source) -> str:
    stem = Path(source.name.strip("<>")).stem
    name = "".join(character if character.isalnum() else "_" for character in stem)
    return name or "text"


def _check(
    source: Source, name: str, root: Path | None, known: Mapping[str, Source] = _NONE
) -> CheckResult:
    run = _Run(root, known)
    program = run.check(source, name)
    diagnostics = run.reporter.in_order()
    if program is not None:
        return CheckResult(program, diagnostics)

    def again(changed: Source, only: frozenset[str] | None) -> tuple[Diagnostic, ...]:
        """The errors of the functions named in a changed version of the source."""
        other = _Run(root, known)
        other.check(changed, name, only)
        return other.reporter.in_order()

    # What is unused may be so by an error.
    told = tuple(found for found in diagnostics if found.code not in ("W0001", "W0004"))
    return CheckResult(None, try_helps(source, told, again))


@lru_cache(maxsize=32)
def _parse_standard(name: str) -> tuple[ast.Module, tuple[Diagnostic, ...]] | None:
    """A module of the library; None where there is none of that name."""
    file = library_file(name)
    if not file.is_file():
        return None
    source = Source(f"<{name}>", file.read_text(encoding="utf-8"))
    return parse_with_warnings(source)


class _Run:
    """One check of a program: the modules read so far, and the diagnostics."""

    def __init__(self, root: Path | None, known: Mapping[str, Source]) -> None:
        self.root = root
        self.known = known  # modules that need not be looked for
        self.reporter = Reporter()
        self.scopes: dict[str, ModuleScope] = {}
        self.checkers: dict[str, ModuleChecker] = {}
        self.loading: list[str] = []

    def check(
        self, source: Source, name: str, only: frozenset[str] | None = None
    ) -> typed.Program | None:
        """The program of a root module; None where it has errors. `only` names the functions to
        look at where the others are known."""
        scope = self.read(source, name)
        if scope is None:
            return None
        checker = self.checkers[name]
        checker.trial = only is not None
        if only is not None:
            checker.check_all(only)
            return None
        checker.check_items()
        checker.check_all()
        examples, tests = checker.examples(), checker.tests()
        for other in self.checkers.values():
            if other is not checker and not other.scope.name.startswith("std."):
                other.check_items()
                other.check_all()
        self.check_used()
        find_circles(
            {
                (other.scope.name, entry.node.name.text): entry
                for other in self.checkers.values()
                for entry in other.struct_entries()
            },
            self.reporter,
        )
        calls = {
            caller: called
            for other in self.checkers.values()
            for caller, called in other.calls.items()
        }
        find_recursion(calls, self.reporter)
        if self.reporter.errors:
            return None
        modules = {
            other.scope.name: self.module(other, (), ())
            for other in self.checkers.values()
            if other is not checker
        }
        main = self.module(checker, examples, tests)
        modules[main.name] = main
        warn_of_promotion(main, checker.scope.tree, self.reporter)
        return typed.Program(main, modules)

    def check_used(self) -> None:
        """The functions of the library that the program reaches."""
        pending = [
            callee
            for checker in self.checkers.values()
            for called in checker.calls.values()
            for callee, _ in called
        ]
        while pending:
            reference = pending.pop()
            checker = self.checkers[reference.module]
            if reference in checker.calls:
                continue
            entry = checker.scope.entries[reference.name]
            assert isinstance(entry, FunctionEntry)
            checker.check_function(entry)
            pending += [callee for callee, _ in checker.calls[reference]]

    def module(
        self,
        checker: ModuleChecker,
        examples: tuple[typed.Example, ...],
        tests: tuple[typed.Test, ...],
    ) -> typed.Module:
        scope = checker.scope
        names = {
            name: entry.reference
            for name, entry in scope.entries.items()
            if isinstance(entry, FunctionEntry)
        }
        return typed.Module(
            scope.name,
            scope.tree.source,
            scope.tree.docs,
            checker.checked,
            names,
            examples,
            tests,
            checker.structs(),
        )

    # --- reading

    def read(self, source: Source, name: str) -> ModuleScope | None:
        """The scope of a module, with its imports read; None where it does not parse."""
        try:
            tree, warnings = parse_with_warnings(source)
        except DiagnosticError as error:
            self.reporter.extend(error.diagnostics)
            return None
        self.reporter.extend(warnings)
        return self.enter(tree, name)

    def enter(self, tree: ast.Module, name: str) -> ModuleScope:
        scope = ModuleScope(name, tree, modules=self.scopes)
        self.scopes[name] = scope
        self.checkers[name] = ModuleChecker(scope, self.reporter)
        self.loading.append(name)
        for item in tree.items:
            self.item(scope, item)
        self.loading.pop()
        return scope

    def item(self, scope: ModuleScope, item: ast.AnyItem) -> None:
        match item:
            case ast.ImportModule():
                self.import_module(scope, item)
            case ast.ImportNames():
                self.import_names(scope, item)
            case ast.Function():
                self.define(scope, item.name, FunctionEntry(scope, item), item.public)
            case ast.Constant():
                self.define(scope, item.name, ConstantEntry(scope, item), item.public)
            case ast.Alias():
                self.define(scope, item.name, AliasEntry(scope, item), item.public)
            case ast.Struct():
                self.define(scope, item.name, StructEntry(scope, item), item.public)
            case _:
                pass

    def define(self, scope: ModuleScope, name: ast.Name, entry: Entry, public: bool) -> None:
        text = name.text
        reserved = unusable_as_item(text)
        if reserved is not None:
            self.reporter.report(
                "E0809",
                f"`{text}` is {reserved} of the language; it cannot be defined again",
                name.span,
                helps=[Help("choose another name")],
            )
            if text not in DTYPES:
                scope.entries.setdefault(text, BrokenEntry())
            return
        if text in scope.entries:
            more = []
            if text in scope.spans:
                more = [(scope.spans[text], "first defined here")]
            self.reporter.report(
                "E0802", f"`{text}` is defined twice", name.span, "defined again here", more=more
            )
            return
        scope.entries[text] = entry
        scope.spans[text] = name.span
        if public:
            scope.public.add(text)

    # --- imports

    def import_module(self, scope: ModuleScope, item: ast.ImportModule) -> None:
        module = self.load(scope, item.path)
        entry: Entry = BrokenEntry() if module is None else ModuleEntry(module)
        if item.alias is not None or len(item.path) == 1:
            name = item.alias or item.path[0]
            self.define(scope, name, entry, item.public)
            return
        # `import a.b` is used as `a.b`: what lies on the way is entered, or shared.
        first = item.path[0].text
        known = scope.entries.get(first)
        if not isinstance(known, PathEntry):
            known = PathEntry()
            self.define(scope, item.path[0], known, item.public)
        for part in item.path[1:-1]:
            inner = known.members.setdefault(part.text, PathEntry())
            if not isinstance(inner, PathEntry):
                return
            known = inner
        assert isinstance(entry, (ModuleEntry, BrokenEntry))
        known.members[item.path[-1].text] = entry

    def import_names(self, scope: ModuleScope, item: ast.ImportNames) -> None:
        module = self.load(scope, item.path)
        for imported in item.names:
            name = imported.alias or imported.name
            entry: Entry = BrokenEntry()
            if module is not None:
                found = module.entries.get(imported.name.text)
                if found is not None and imported.name.text in module.public:
                    entry = found
                elif not module.broken:
                    report_missing(
                        self.context(scope),
                        module.name,
                        imported.name,
                        found is not None,
                        sorted(module.public),
                        imported=True,
                    )
            self.define(scope, name, entry, item.public)

    def context(self, scope: ModuleScope) -> Context:
        owner = Owner(scope.name)
        return Context(scope, self.reporter, owner, Environment(), Facts(), Names(), RULES)

    def load(self, scope: ModuleScope, path: tuple[ast.Name, ...]) -> ModuleScope | None:
        """The module of an import; None after a report."""
        name = ".".join(part.text for part in path)
        span = path[0].span.to(path[-1].span)
        if name in self.loading:
            circle = [*self.loading[self.loading.index(name) :], name]
            route = " → ".join(f"`{module}`" for module in circle)
            self.reporter.report(
                "E0805",
                "modules cannot import each other in a circle",
                span,
                notes=[f"the circle is {route}"],
            )
            return None
        if name in self.scopes:
            return self.scopes[name]
        if name in self.known:
            return self.read(self.known[name], name)
        if len(self.loading) > MOST_IMPORTS:
            self.reporter.report(
                "E0111", f"modules import one another more than {MOST_IMPORTS} levels deep", span
            )
            return None
        if path[0].text == "std":
            return self.load_standard(name, span)
        return self.load_file(scope, path, name, span)

    def load_standard(self, name: str, span: Span) -> ModuleScope | None:
        parsed = _parse_standard(name) if name != "std" else None
        if parsed is None:
            folder = standard_library()
            known = sorted(
                "std." + file.name.removesuffix(".tdsl")
                for file in folder.iterdir()
                if file.name.endswith(".tdsl")
            )
            self.no_module(name, span, known, "the library has " + ", ".join(known))
            return None
        tree, _ = parsed
        return self.enter(tree, name)

    def load_file(
        self, scope: ModuleScope, path: tuple[ast.Name, ...], name: str, span: Span
    ) -> ModuleScope | None:
        if self.root is None:
            self.no_module(
                name, span, [], "a text without a file can import only from the library, `std`"
            )
            return None
        relative = Path(*(part.text for part in path)).with_suffix(".tdsl")
        file = self.root / relative
        try:
            source = read_source(file)
        except DiagnosticError as error:
            self.reporter.extend(error.diagnostics)
            return None
        except OSError:
            folder = file.parent
            prefix = name.rpartition(".")[0]
            known = []
            if folder.is_dir():
                known = [
                    f"{prefix}.{other.stem}".lstrip(".") for other in sorted(folder.glob("*.tdsl"))
                ]
            self.no_module(
                name, span, known, f"looked for {relative.as_posix()} beside the program"
            )
            return None
        module = self.read(source, name)
        if module is None:
            module = ModuleScope(name, scope.tree, broken=True)
            self.scopes[name] = module
        return module

    def no_module(self, name: str, span: Span, known: list[str], note: str) -> None:
        close = get_close_matches(name, known, 1)
        helps = [Help(f"did you mean `{close[0]}`?", (Edit(span, close[0]),))] if close else []
        if name.partition(".")[0] in FOREIGN_MODULES:
            helps = [Help("leave it out: builtins such as `exp` need no import")]
        elif f"std.{name}" in STANDARD:
            helps = [Help(f"did you mean `std.{name}`?", (Edit(span, f"std.{name}"),), stands=True)]
        self.reporter.report(
            "E0803", f"there is no module `{name}`", span, notes=[note], helps=helps
        )
