"""Matching declared types with given ones: equations between sizes, values of packs and dtypes."""

from __future__ import annotations

from msgspec.structs import replace

from tdsl.check.call_failures import Origin, Reason
from tdsl.check.typed import Signature
from tdsl.types.dtypes import BOUNDS, AnyDType, DTypeVariable
from tdsl.types.sizes import Pack, Shape, Size
from tdsl.types.solve import Equation
from tdsl.types.types import (
    ListType,
    PoisonType,
    StructType,
    TensorType,
    TupleType,
    Type,
    WeakType,
)


class Mismatch(Exception):
    """Two types, or inner ones of them, that no sizes make equal."""

    def __init__(
        self,
        part: Type,
        found: Type,
        reason: Reason,
        dtype: AnyDType | None = None,
        origin: Origin | None = None,
    ) -> None:
        super().__init__(part, found, reason, dtype, origin)
        self.part = part
        self.found = found
        self.reason = reason
        self.dtype = dtype
        self.origin = origin


class PackMismatch(Exception):
    """A pack that stands for other axes in the argument `first`."""

    def __init__(
        self, origin: Origin, pack: Pack, wanted: Shape, found: Shape, first: Origin
    ) -> None:
        super().__init__(origin, pack, wanted, found, first)
        self.origin = origin
        self.pack = pack
        self.wanted = wanted
        self.found = found
        self.first = first


class Matching:
    """What the arguments of one call say about the parameters of its signature."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.equations: list[Equation] = []
        self.packs: dict[Pack, Shape] = {}
        self.pack_origins: dict[Pack, Origin] = {}
        self.dtypes: dict[DTypeVariable, AnyDType] = {}
        self.dtype_origins: dict[DTypeVariable, Origin] = {}
        # Weak numbers for parameters of an open dtype: checked when all arguments are matched.
        self.weak: list[tuple[Origin, DTypeVariable, TensorType, WeakType]] = []

    def equate(self, wanted: Size, found: Size, origin: Origin) -> None:
        self.equations.append(Equation(wanted, found, origin))

    def match(self, declared: Type, found: Type, origin: Origin) -> None:
        match declared, found:
            case _, PoisonType():
                return
            case TensorType(), WeakType():
                self.match_weak(declared, found, origin)
            case TensorType(), TensorType():
                self.match_shape(declared, found, origin)
                self.match_dtype(declared, found, origin)
            case TupleType(items), TupleType(found_items):
                if len(items) != len(found_items):
                    raise Mismatch(declared, found, "length")
                for item, found_item in zip(items, found_items, strict=True):
                    self.match(item, found_item, inside(origin, found_item))
            case ListType(item, length), ListType(found_item, found_length):
                self.match(item, found_item, inside(origin, found_item))
                self.equate(length, found_length, inside(origin, found))
            case StructType(), StructType():
                self.match_struct(declared, found, origin)
            case _:
                if declared != found:
                    raise Mismatch(declared, found, "kind")

    def match_struct(self, declared: StructType, found: StructType, origin: Origin) -> None:
        same = (declared.module, declared.name) == (found.module, found.name)
        if not same or len(declared.dtypes) != len(found.dtypes):
            raise Mismatch(declared, found, "kind")
        for dtype, found_dtype in zip(declared.dtypes, found.dtypes, strict=True):
            self.bind_dtype(dtype, found_dtype, declared, found, origin)
        self.match_dimensions(
            declared.sizes, found.sizes, declared, found, inside(origin, found), counted=False
        )

    def match_weak(self, declared: TensorType, found: WeakType, origin: Origin) -> None:
        """A weak number takes the declared dtype; it has no axes."""
        open_packs = [axis for axis in declared.shape if isinstance(axis, Pack)]
        if len(open_packs) < len(declared.shape):
            raise Mismatch(declared, found, "kind")
        for pack in open_packs:
            self.bind_pack(pack, (), origin)
        if isinstance(declared.dtype, DTypeVariable):
            self.weak.append((origin, declared.dtype, declared, found))
        elif not takes(declared.dtype, found):
            raise Mismatch(declared, found, "weak")

    def match_dtype(self, declared: TensorType, found: TensorType, origin: Origin) -> None:
        self.bind_dtype(declared.dtype, found.dtype, declared, found, origin)

    def bind_dtype(
        self, dtype: AnyDType, found_dtype: AnyDType, part: Type, found: Type, origin: Origin
    ) -> None:
        if not isinstance(dtype, DTypeVariable) or dtype not in self.signature.dtypes:
            if dtype != found_dtype:
                raise Mismatch(part, found, "dtype")
            return
        known = self.dtypes.get(dtype)
        if known is None:
            if not within(found_dtype, dtype):
                raise Mismatch(part, found, "bound")
            self.dtypes[dtype], self.dtype_origins[dtype] = found_dtype, origin
        elif known != found_dtype:
            raise Mismatch(part, found, "dtype", known, self.dtype_origins[dtype])

    def match_shape(self, declared: TensorType, found: TensorType, origin: Origin) -> None:
        if origin.inside is not None:
            origin = inside(origin, found)
        self.match_dimensions(declared.shape, found.shape, declared, found, origin, counted=True)

    def match_dimensions(
        self, wanted: Shape, given: Shape, part: Type, found: Type, origin: Origin, counted: bool
    ) -> None:
        """Pair sizes off from both ends; the one pack, if any, takes what is left between."""
        packs = [place for place, axis in enumerate(wanted) if isinstance(axis, Pack)]
        if len(packs) > 1:
            raise Mismatch(part, found, "pack")
        if len(given) < len(wanted) - 1 if packs else len(given) != len(wanted):
            raise Mismatch(part, found, "rank")
        before = packs[0] if packs else len(wanted)
        after = len(wanted) - before - 1
        places = [*range(before), *(len(given) - after + place for place in range(max(after, 0)))]
        sizes = [axis for axis in wanted if isinstance(axis, Size)]
        for axis, place in zip(sizes, places, strict=True):
            found_axis = given[place]
            if isinstance(found_axis, Pack):
                raise Mismatch(part, found, "rank")
            self.equate(axis, found_axis, replace(origin, axis=place) if counted else origin)
        if packs:
            pack = wanted[before]
            assert isinstance(pack, Pack)
            self.bind_pack(pack, given[before : len(given) - after], origin)

    def bind_pack(self, pack: Pack, found: Shape, origin: Origin) -> None:
        known = self.packs.get(pack)
        if known is None:
            self.packs[pack], self.pack_origins[pack] = found, origin
        elif known != found:
            first = self.pack_origins[pack]
            raise PackMismatch(origin, pack, known, found, first)


def inside(origin: Origin, found: Type) -> Origin:
    return replace(origin, inside=found, axis=None)


def within(dtype: AnyDType, variable: DTypeVariable) -> bool:
    """Whether a dtype, or any that another parameter may stand for, is within the bound."""
    if isinstance(dtype, DTypeVariable):
        return BOUNDS[dtype.bound] <= BOUNDS[variable.bound]
    return dtype.kind in BOUNDS[variable.bound]


def takes(dtype: AnyDType, weak: WeakType) -> bool:
    """Whether a weak number can become the dtype without changing what it is."""
    if isinstance(dtype, DTypeVariable):
        kinds = BOUNDS[dtype.bound]
    else:
        kinds = frozenset({dtype.kind})
    if weak.kind == "bool":
        return kinds == {"bool"}
    if weak.kind == "float":
        return kinds == {"float"}
    return "bool" not in kinds
