"""Solve the sizes of a call with real arrays; say in words why there is no solution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from msgspec.structs import replace

from tdsl.check import call_failures as failures
from tdsl.check.call_failures import CallFailure, Fixed, Origin
from tdsl.check.calls import Static, signature_names, solve_call
from tdsl.errors import CallError, ShapeError, SizeError
from tdsl.runtime.arguments import call_error, refuse_misfits, shown_signature
from tdsl.runtime.arrays import Array, WeakNumber, describe, dtype_error, type_of
from tdsl.runtime.gathering import first_items, gather
from tdsl.runtime.layout import Layout
from tdsl.syntax.diagnostics import Diagnostic, Label
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size
from tdsl.types.types import Substitution, TensorType, Type


def solve_arguments(
    layout: Layout,
    given: Sequence[Array | WeakNumber],
    named: Mapping[str, Static],
    compiled_for: Mapping[str, object],
    values: Sequence[Any] = (),
) -> Substitution:
    """Literal values for all parameters of the function, or ShapeError, DTypeError, CallError.

    `named` are statics and what `compile` fixed; the latter are also in `compiled_for`. `values`
    are the arguments as they were, for what is said of their parts.
    """
    types: list[Type | None] = [
        type_of(value, wanted) for value, wanted in zip(given, layout.wanted, strict=True)
    ]
    result = solve_call(layout.flat, types, named, Facts())
    if isinstance(result, CallFailure):
        if not layout.is_flat:
            refuse_misfits(layout, values, named, compiled_for)
        _Refusal(layout, given, named, compiled_for, result, values).refuse()
    return result


class _Refusal:
    """One failure in words: what was wanted, what was found, and what fixed each size."""

    def __init__(
        self,
        layout: Layout,
        given: Sequence[Array | WeakNumber],
        named: Mapping[str, Static],
        compiled_for: Mapping[str, object],
        failure: CallFailure,
        values: Sequence[Any],
    ) -> None:
        signature = layout.signature
        self.signature = signature
        self.flat = layout.flat
        self.names = signature_names(signature)
        self.wanted = {wanted.name: wanted for wanted in layout.wanted}
        self.given = {w.name: value for w, value in zip(layout.wanted, given, strict=True)}
        self.named = named
        self.compiled_for = compiled_for
        self.failure = failure
        self.function = signature.function.name
        self.leaf_of = {name: name for name in self.wanted}
        if not layout.is_flat and values:
            self.speak_of_items(layout, values)

    def speak_of_items(self, layout: Layout, values: Sequence[Any]) -> None:
        """Lists that the caller gave by their items lie stacked here: name the first items, with
        the axes that these have."""
        gathered, _ = gather(layout, [*values])
        items: dict[str, tuple[str, dict[int, str]]] = {}
        for wanted, one in zip(layout.wanted, gathered, strict=True):
            first, lists = first_items(one)
            array = self.given[wanted.name]
            if not lists or isinstance(array, WeakNumber):
                continue
            items[wanted.name] = first.path, lists
            self.leaf_of[first.path] = wanted.name
            self.wanted[first.path] = layout.wanted_at(first.array, first.path, first.lengths)
            place = tuple(0 if axis in lists else slice(None) for axis in range(array.ndim))
            self.given[first.path] = array[(*place, ...)]
        self.failure = _renamed(self.failure, items)

    def refuse(self) -> NoReturn:
        from tdsl.check.call_text import headline  # a call that fits has no use for it

        failure = self.failure
        message = headline(failure, self.flat, Names())
        match failure:
            case failures.WrongSize(origin=origin, declared=declared, wanted=wanted, found=found):
                self.wrong_size(origin, declared, wanted, found)
            case failures.WrongPack(origin=origin, pack=pack, wanted=axes, first=first):
                fixed = f"...{pack.name} = {Names().shape(axes)} was fixed by {self.origin(first)}"
                self.shape("E0703", message, origin, fixed)
            case failures.Indivisible(origin=origin, constraint=constraint, declared=declared):
                sizes = (declared,) if constraint is None else (constraint.left, constraint.right)
                self.shape("E0703", message, origin, *self.fixed_in(*sizes))
            case failures.Contradiction(origin=origin):
                self.shape("E0505", message, origin, *self.fixed_lines())
            case failures.TooSmall(origin=small):
                self.shape("E0508", message, small, *self.fixed_lines(), kind=SizeError)
            case failures.Unproved(constraint=clause):
                self.shape("E0507", message, None, *self.fixed_in(clause.left, clause.right))
            case failures.MissingStatic(name=name, value=value):
                literal = value.literal if value is not None else None
                hint = "…" if literal is None else str(literal)
                raise self.call("E0510", message, f"help: pass it by name: `{name}={hint}`", name)
            case failures.Undetermined(names=names) if self.are_static(names):
                fixing = ", ".join(f"{name}=…" for name in names)
                listed = " and ".join(f"`{name}`" for name in names)
                plural = "s" * (len(names) > 1)
                message = f"`{self.function}` needs its static parameter{plural} {listed}"
                raise self.call("E0510", message, f"help: pass by name: `{fixing}`", names[0])
            case failures.Undetermined(names=names):
                fixing = ", ".join(f"{name}=…" for name in names)
                help = f"help: fix it: `{self.function}.compile({fixing})(…)`"
                raise self.call("E0506", message, help, names[0])
            case failures.WrongType():
                self.wrong_type(failure)
            case _:
                raise self.call(failure.code, message)

    def are_static(self, names: Sequence[str]) -> bool:
        return {*names} <= {p.name for p in self.signature.sizes if p.static}

    def call(
        self, code: str, message: str, help: str | None = None, argument: str | None = None
    ) -> CallError:
        lines = (help,) if help is not None else ()
        return call_error(self.signature, code, message, *lines, argument=argument)

    def wrong_size(self, origin: Origin, declared: Size, wanted: Size, found: Size) -> NoReturn:
        shown = self.names.size(declared)
        value = shown if wanted == declared else f"{shown} = {wanted}"
        message = (
            f"argument `{origin.name}` of `{self.function}` has the wrong size on axis"
            f" {origin.axis}: wants {value}, found {found}"
        )
        lines = self.fixed_lines(declared)
        array = self.given.get(origin.name)
        if (
            isinstance(array, WeakNumber)
            or array is None
            or array.ndim != 2
            or not self.fits_transposed(origin)
        ):
            self.shape("E0703", message, origin, *lines)
        self.shape("E0703", message, origin, *lines, f"help: it fits transposed: `{origin.name}.T`")

    def fits_transposed(self, origin: Origin) -> bool:
        """Whether the call is right with this argument the other way round: never just a guess."""
        types: list[Type] = []
        for (name, _), type_ in zip(self.flat.parameters, self.types_of_call() or (), strict=False):
            if name == self.leaf_of.get(origin.name) and isinstance(type_, TensorType):
                type_ = TensorType(type_.dtype, type_.shape[::-1])
            types.append(type_)
        if len(types) != len(self.flat.parameters):
            return False
        result = solve_call(self.flat, types, self.named, Facts())
        return isinstance(result, Substitution)

    def types_of_call(self) -> list[Type] | None:
        found: list[Type] = []
        for name, _ in self.flat.parameters:
            value = self.given.get(name)
            if value is None:
                return None
            found.append(type_of(value, self.wanted[name]))
        return found

    def wrong_type(self, failure: failures.WrongType) -> NoReturn:
        """Dtypes and ranks were checked before; what is left is about what `compile` fixed."""
        wanted = self.wanted.get(failure.name) or next(iter(self.wanted.values()))
        found = describe(self.given.get(wanted.name))
        notes = []
        if failure.dtype is not None and failure.dtype_origin is not None:
            notes.append(f"{failure.dtype} was fixed by {self.origin(failure.dtype_origin)}")
        raise dtype_error(wanted, found, "nothing is cast silently: convert it", *notes)

    # --- what fixed what

    def fixed_lines(self, declared: Size | None = None) -> list[str]:
        """Those sizes that the declared one consists of; without one, all."""
        lines = []
        for fixed in self.failure.fixed:
            if declared is not None and not self.concerns(fixed, declared):
                continue
            if fixed.origin is not None:
                lines.append(
                    f"{fixed.name} = {fixed.value} was fixed by {self.origin(fixed.origin)}"
                )
        return lines

    def fixed_in(self, *sizes: Size) -> list[str]:
        """Those sizes that a clause names; all, where it shows none that is known."""
        names = {s.name for size in sizes for s in (*size.symbols(), *self.shown(size).symbols())}
        every = self.fixed_lines()
        return [line for line in every if line.partition(" ")[0] in names] or every

    def shown(self, size: Size) -> Size:
        return self.names.abbreviate(size)

    def concerns(self, fixed: Fixed, declared: Size) -> bool:
        value = next(p.value for p in self.signature.sizes if p.name == fixed.name)
        return bool(value.symbols() & declared.symbols())

    def origin(self, origin: Origin) -> str:
        if origin.kind == "default":
            return f"the default of `{origin.name}`"
        if origin.kind == "static":
            return self.by_name(origin.name)
        wanted = self.wanted.get(origin.name)
        if wanted is None and origin.axis == 0:
            return f"the length of `{origin.name}`"
        if wanted is None:
            return f"argument `{origin.name}`"
        return f"`{origin.name}: {wanted.shown}`, which is {describe(self.given[origin.name])}"

    def by_name(self, name: str) -> str:
        if name in self.compiled_for:
            return f"`compile({name}={self.compiled_for[name]})`"
        return f"argument `{name}`"

    def shape(
        self,
        code: str,
        message: str,
        origin: Origin | None,
        *lines: str,
        kind: type[ShapeError] = ShapeError,
    ) -> NoReturn:
        wanted = self.wanted.get(origin.name) if origin is not None else None
        found: str | None = None
        if wanted is not None:
            label = Label(wanted.span, f"declared `{wanted.shown}` here")
            found = describe(self.given[wanted.name])
            where = [wanted.where, f"found {found}"]
        else:
            label = Label(self.signature.span, "declared here")
            where = [f"declared `{shown_signature(self.signature)}` at {self.signature.span!r}"]
        raise kind(
            "\n  ".join((f"[{code}] {message}", *where, *lines)),
            diagnostics=(Diagnostic(code, message, (label,), lines),),
            argument=origin.name if origin is not None else None,
            expected=wanted.shown if wanted is not None else None,
            found=found,
            fixed={
                fixed.name: (str(fixed.value), self.origin(fixed.origin) if fixed.origin else "")
                for fixed in self.failure.fixed
            },
        )


def _renamed(part: Any, items: Mapping[str, tuple[str, Mapping[int, str]]]) -> Any:
    """A failure, or a part of one, that speaks of items instead of arrays in which they lie."""
    match part:
        case Origin(name=name, axis=axis) if name in items:
            path, lists = items[name]
            if axis is not None and axis in lists:
                return replace(part, name=lists[axis], axis=0)
            before = sum(one < axis for one in lists) if axis is not None else 0
            return replace(part, name=path, axis=None if axis is None else axis - before)
        case failures.WrongType(name=name) if name in items:
            part = replace(part, name=items[name][0])
        case tuple():
            return tuple(_renamed(one, items) for one in part)
    if isinstance(part, CallFailure | Fixed):
        changed = {name: _renamed(getattr(part, name), items) for name in part.__struct_fields__}
        return replace(part, **changed)
    return part
