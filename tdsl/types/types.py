"""The types of expressions."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from tdsl.types.dtypes import AnyDType, DTypeVariable, WeakKind
from tdsl.types.sizes import Pack, Shape, Size, Symbol


class TensorType(msgspec.Struct, frozen=True):
    """An array; with an empty shape, a scalar known only at run time."""

    dtype: AnyDType
    shape: Shape = ()


class WeakType(msgspec.Struct, frozen=True):
    """A compile-time number without a dtype: it takes the dtype that it meets."""

    kind: WeakKind


class StringType(msgspec.Struct, frozen=True):
    """A string literal, as an argument of a builtin."""


class DTypeType(msgspec.Struct, frozen=True):
    """A dtype used as a value: `zeros([N], f32)`, `x.dtype`."""

    dtype: AnyDType


class TupleType(msgspec.Struct, frozen=True):
    items: tuple[Type, ...]


class ListType(msgspec.Struct, frozen=True):
    """`[item; length]`; all items have one type."""

    item: Type
    length: Size


class StructType(msgspec.Struct, frozen=True):
    """A struct with its arguments; `module` and `name` say which definition. `order` has a letter
    for each parameter of that, to show the arguments as they are written: `d` a dtype, `s` a size,
    `p` a pack; it takes no part in comparisons."""

    module: str
    name: str
    sizes: Shape = ()
    dtypes: tuple[AnyDType, ...] = ()
    order: str = ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StructType) and (
            (self.name, self.module, self.sizes, self.dtypes)
            == (other.name, other.module, other.sizes, other.dtypes)
        )

    def __hash__(self) -> int:
        return hash((self.name, self.module, self.sizes, self.dtypes))


class PoisonType(msgspec.Struct, frozen=True):
    """The type of an expression with an error: fits everything, and says nothing more."""


Type = (
    TensorType | WeakType | StringType | DTypeType | TupleType | ListType | StructType | PoisonType
)
POISON = PoisonType()


class Substitution(msgspec.Struct, frozen=True):
    """Values for the size, pack and dtype parameters of one function."""

    sizes: Mapping[Symbol, Size]
    packs: Mapping[Pack, Shape]
    dtypes: Mapping[DTypeVariable, AnyDType]

    def dtype(self, dtype: AnyDType) -> AnyDType:
        return self.dtypes.get(dtype, dtype) if isinstance(dtype, DTypeVariable) else dtype

    def size(self, size: Size) -> Size:
        return size.substitute(self.sizes, self.packs)

    def shape(self, shape: Shape) -> Shape:
        result: list[Size | Pack] = []
        for dimension in shape:
            if isinstance(dimension, Pack):
                result.extend(self.packs.get(dimension, (dimension,)))
            else:
                result.append(self.size(dimension))
        return tuple(result)

    def type(self, type_: Type) -> Type:
        match type_:
            case TensorType(dtype, shape):
                return TensorType(self.dtype(dtype), self.shape(shape))
            case TupleType(items):
                return TupleType(tuple(self.type(item) for item in items))
            case ListType(item, length):
                return ListType(self.type(item), self.size(length))
            case StructType(module, name, sizes, dtypes):
                given = tuple(map(self.dtype, dtypes))
                return StructType(module, name, self.shape(sizes), given, type_.order)
            case DTypeType(dtype):
                return DTypeType(self.dtype(dtype))
            case _:
                return type_
