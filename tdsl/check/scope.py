"""What names mean: in a module, its items and imports; in a body, what is bound so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tdsl.check import typed
from tdsl.syntax import ast
from tdsl.syntax.source import Span

if TYPE_CHECKING:
    from tdsl.check.declarations import Declaration


@dataclass(eq=False)
class FunctionEntry:
    """A function of a module, or what builds the struct `builds`. Its signature is resolved when
    first asked for."""

    module: ModuleScope
    node: ast.Function
    declaration: Declaration | None = None
    builds: ast.Struct | None = None

    @property
    def reference(self) -> typed.FunctionReference:
        return typed.FunctionReference(self.module.name, self.node.name.text)


@dataclass(eq=False)
class ConstantEntry:
    """`const`; its value is computed when first asked for. `computing` finds cycles."""

    module: ModuleScope
    node: ast.Constant
    value: typed.Expression | None = None
    computing: bool = False


@dataclass(eq=False)
class AliasEntry:
    """`type Name[…] = …`; expanded at each use. `expanding` finds cycles."""

    module: ModuleScope
    node: ast.Alias
    expanding: bool = False
    circular: bool = False


@dataclass(eq=False)
class StructEntry:
    """A struct of a module; `builder` is the function that its name is."""

    module: ModuleScope
    node: ast.Struct
    builder: FunctionEntry | None = None


@dataclass(eq=False)
class ModuleEntry:
    """A module under the name that an import gives it."""

    module: ModuleScope


@dataclass(eq=False)
class PathEntry:
    """The `a` of `import a.b`: only its members mean something."""

    members: dict[str, ModuleEntry | PathEntry | BrokenEntry] = field(default_factory=dict)


@dataclass(eq=False)
class BrokenEntry:
    """A name whose definition or import has an error that is reported already."""


Entry = (
    FunctionEntry | ConstantEntry | AliasEntry | StructEntry | ModuleEntry | PathEntry | BrokenEntry
)


@dataclass(eq=False)
class ModuleScope:
    """The names of one module while it is checked."""

    name: str
    tree: ast.Module
    entries: dict[str, Entry] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    public: set[str] = field(default_factory=set)
    # All modules of the program, by name.
    modules: Mapping[str, ModuleScope] = field(default_factory=dict)
    # A module that could not be read: every name in it is taken for right.
    broken: bool = False

    def functions(self) -> Iterator[FunctionEntry]:
        """The module's own functions, in source order."""
        for item in self.tree.items:
            if isinstance(item, ast.Function):
                entry = self.entries.get(item.name.text)
                if isinstance(entry, FunctionEntry) and entry.node is item:
                    yield entry


@dataclass(eq=False)
class Bound:
    """What a local name stands for. `span` is where it was bound; `is_state`, that a loop carries
    it from step to step."""

    value: typed.Expression
    span: Span
    used: bool = False
    is_state: bool = False


class Environment:
    """Local names, with those of the enclosing blocks behind them."""

    def __init__(self, outer: Environment | None = None) -> None:
        self._outer = outer
        self._names: dict[str, Bound] = {}

    def find(self, name: str) -> Bound | None:
        environment: Environment | None = self
        while environment is not None:
            bound = environment._names.get(name)
            if bound is not None:
                return bound
            environment = environment._outer
        return None

    def bind(self, name: str, bound: Bound) -> None:
        self._names[name] = bound

    def names(self) -> Iterator[str]:
        environment: Environment | None = self
        while environment is not None:
            yield from environment._names
            environment = environment._outer

    def own(self) -> Mapping[str, Bound]:
        """Those bound in this block itself."""
        return self._names
