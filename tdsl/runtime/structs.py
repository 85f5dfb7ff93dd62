"""Classes of structs: what `m.GPT2` is, made from the definition in the program."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import msgspec

from tdsl.check import typed
from tdsl.runtime.layout import python_name
from tdsl.runtime.lists import donated_error, shown
from tdsl.types.naming import Names
from tdsl.types.types import ListType, StructType, TupleType, Type

if TYPE_CHECKING:
    from tdsl.runtime.bound import Bound
    from tdsl.runtime.resident import ResidentWeights
    from tdsl.runtime.weights.renaming import Names as NameTable


class Home(msgspec.Struct, frozen=True):
    """Where a class came from: the program that defines the struct, and the other classes of it."""

    classes: StructClasses
    program: typed.Program
    definition: typed.Struct


_GIVEN_TO = "__donated__"


class Blueprint(msgspec.Struct, frozen=True, dict=True):
    """All that a class is made of: plain data, so that instances can be sent to a process that
    never saw the program."""

    module: str  # of the Python class
    name: str
    declared: str  # `GPT2[V, N, C, F, L]`
    fields: tuple[tuple[str, str, str], ...]  # name, type as declared, documentation
    docs: str

    @cached_property
    def made(self) -> type[Struct]:
        """The class; one for each blueprint."""
        namespace: dict[str, Any] = {"__doc__": self._documentation(), "__tdsl__": self}
        made = dataclasses.make_dataclass(
            self.name,
            [
                (python_name(name), type_, dataclasses.field(metadata={"doc": docs}))
                for name, type_, docs in self.fields
            ],
            bases=(Struct,),
            namespace=namespace,
            frozen=True,
            eq=False,  # arrays have no one answer to ==
            repr=False,
        )
        made.__module__ = self.module
        return made

    def _documentation(self) -> str:
        lines = [
            f"{name}: {type_}" + (f"  {docs}" if docs else "") for name, type_, docs in self.fields
        ]
        head = f"{self.docs}\n\n" if self.docs else ""
        return f"{head}struct {self.declared}\n\n" + "\n".join(f"    {line}" for line in lines)

    def __reduce__(self) -> tuple[Any, ...]:
        return (Blueprint, (self.module, self.name, self.declared, self.fields, self.docs))

    def __deepcopy__(self, memo: object) -> Blueprint:
        return self


class Struct:
    """The base of all classes that come from TDSL structs: frozen dataclasses whose fields hold
    whatever a call then takes for them, arrays above all. Nothing is checked before a call.

    There is one class for each struct of a loaded module. Functions also take dicts, dataclasses
    and other objects with the same fields; results are instances.
    """

    __slots__ = ()
    __tdsl__: ClassVar[Blueprint]
    __home__: ClassVar[Any] = None  # of a class of a loaded module: what it was made from

    @overload
    @classmethod
    def bind(
        cls,
        source: Any,
        *,
        rename: NameTable | Mapping[str, str | tuple[str, ...]] | None = None,
        layout: Literal["conv1d", "torch"] | None = None,
        cast: Any = False,
        as_is: Sequence[str] = (),
        ignore: Sequence[str] = (),
        progress: bool | Callable[[int, int], None] | None = None,
        device: None = None,
    ) -> Bound: ...

    @overload
    @classmethod
    def bind(
        cls,
        source: Any,
        *,
        rename: NameTable | Mapping[str, str | tuple[str, ...]] | None = None,
        layout: Literal["conv1d", "torch"] | None = None,
        cast: Any = False,
        as_is: Sequence[str] = (),
        ignore: Sequence[str] = (),
        progress: bool | Callable[[int, int], None] | None = None,
        device: str | int,
    ) -> ResidentWeights: ...

    @classmethod
    def bind(
        cls,
        source: Any,
        *,
        rename: NameTable | Mapping[str, str | tuple[str, ...]] | None = None,
        layout: Literal["conv1d", "torch"] | None = None,
        cast: Any = False,
        as_is: Sequence[str] = (),
        ignore: Sequence[str] = (),
        progress: bool | Callable[[int, int], None] | None = None,
        device: str | int | None = None,
    ) -> Bound | ResidentWeights:
        """Weights for this struct, checked once and ready for any number of calls.

        `source` is what holds them: `tdsl.safetensors(path)`, `tdsl.gguf(path)`, `tdsl.npz(path)`,
        a state dict of torch, nested dicts and lists, a dataclass, any object with attributes.
        All that is missing, unknown or of another dtype or shape is told in one `tdsl.BindError`.

        rename   what the source calls the fields: a table of `tdsl.names`, or a dict such as
                 {"layers.*.up": "encoder.*.dense"}; `*` is the number of an item
        layout   how matrices of linear maps lie there: "conv1d", [in, out], or "torch", [out, in];
                 by default as the table says, else "conv1d"
        cast     True: convert floats to the dtype that is declared; a dtype such as "bf16":
                 also what a dtype parameter becomes; False: never
        as_is    fields that no layout transposes, such as embeddings
        ignore   names in the source that no field needs; `*` is anything
        progress a bar for large files on a terminal; True or False: always or never; or what to
                 call with the bytes that are read and with all there are
        device   "cuda:0": have the weights on that GPU, for functions that run there
        """
        from tdsl.runtime.weights.binding import bind

        if cls.__home__ is None:
            raise TypeError(
                f"this class {cls.__name__} came from another process, without its program:"
                " bind with the class of a loaded module"
            )
        weights = bind(cls.__home__, source, rename, layout, cast, as_is, ignore, progress)
        if device is None:
            return weights
        from tdsl.runtime.resident import resident

        return resident(weights, device)

    def __repr__(self) -> str:
        function = vars(self).get(_GIVEN_TO)
        return shown(self) if function is None else f"<{type(self).__name__} donated to {function}>"

    def give_up(self, function: str) -> None:
        """Have no fields from now on: their memory holds a result of this function."""
        vars(self).clear()
        vars(self)[_GIVEN_TO] = function

    def __getattr__(self, name: str) -> Any:
        # Reached only where there is no such attribute.
        function = vars(self).get(_GIVEN_TO)
        if function is not None and not name.startswith("__"):
            raise donated_error(f"this {type(self).__name__}", function)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        values = tuple(getattr(self, python_name(name)) for name, _, _ in self.__tdsl__.fields)
        return (restore, (self.__tdsl__, values))


def restore(blueprint: Blueprint, values: tuple[Any, ...]) -> Struct:
    """An unpickled instance."""
    return class_of(blueprint)(*values)


def class_of(blueprint: Blueprint) -> type[Struct]:
    """The class of a module that was imported, if it has the same one; else one made now."""
    module = sys.modules.get(blueprint.module)
    known = getattr(module, blueprint.name, None) if module is not None else None
    if isinstance(known, type) and getattr(known, "__tdsl__", None) == blueprint:
        return known
    return blueprint.made


class StructClasses:
    """The classes of the structs that one loaded module works with, each made once."""

    def __init__(self, program: typed.Program, python_module: str) -> None:
        self._program = program
        self._python_module = python_module
        self._made: dict[tuple[str, str], type[Struct]] = {}

    def of(self, type_: StructType) -> type[Struct]:
        return self.of_definition(self._program.modules[type_.module].structs[type_.name])

    def of_definition(self, definition: typed.Struct) -> type[Struct]:
        key = (definition.module, definition.name)
        found = self._made.get(key)
        if found is None:
            # setdefault: two threads asking at once get the same class.
            made = self._blueprint(definition).made
            made.__home__ = Home(self, self._program, definition)
            found = self._made.setdefault(key, made)
        return found

    def names(self) -> list[str]:
        """Of the classes there are so far."""
        return [name for _, name in self._made]

    def find(self, name: str) -> typed.Struct | None:
        """A struct of the module, or one that it works with, by its name."""
        root = self._program.root
        own = root.structs.get(name)
        if own is not None:
            return own
        found = {
            (type_.module, type_.name): self._program.modules[type_.module].structs[type_.name]
            for type_ in used_structs(self._program, root)
            if type_.name == name
        }
        return next(iter(found.values())) if len(found) == 1 else None

    def _blueprint(self, definition: typed.Struct) -> Blueprint:
        own = definition.module == self._program.root.name
        names = Names({}, (), f"{definition.module}.{definition.name}")
        parameters = [p.name for p in definition.sizes]
        parameters = [v.name for v in definition.dtypes] + parameters
        listed = f"[{', '.join(parameters)}]" if parameters else ""
        return Blueprint(
            self._python_module if own else definition.module,
            definition.name,
            definition.name + listed,
            tuple((f.name, names.type(f.type), " ".join(f.docs)) for f in definition.fields),
            "\n".join(definition.docs),
        )


def used_structs(program: typed.Program, module: typed.Module) -> Iterator[StructType]:
    """The structs in the types of a module's functions and structs, each once."""
    waiting = [field.type for s in module.structs.values() for field in s.fields]
    for function in module.declarations.values():
        signature = function.signature
        waiting += [signature.result, *(type_ for _, type_ in signature.parameters)]
    seen: set[tuple[str, str]] = set()
    while waiting:
        type_: Type = waiting.pop()
        match type_:
            case TupleType(items):
                waiting += items
            case ListType(item):
                waiting.append(item)
            case StructType(home, name) if (home, name) not in seen:
                seen.add((home, name))
                yield type_
                definition = program.modules[home].structs[name]
                waiting += [field.type for field in definition.fields]
