"""The types of expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tdsl.types.dtypes import AnyDType, DTypeVariable, WeakKind
from tdsl.types.sizes import Pack, Shape, Size, Symbol


@dataclass(frozen=True, slots=True)
class TensorType:
    """An array; with an empty shape, a scalar known only at run time."""

    dtype: AnyDType
    shape: Shape = ()


@dataclass(frozen=True, slots=True)
class WeakType:
    """A compile-time number without a dtype: it takes the dtype that it meets."""

    kind: WeakKind


@dataclass(frozen=True, slots=True)
class StringType:
    """A string literal, as an argument of a builtin."""


@dataclass(frozen=True, slots=True)
class DTypeType:
    """A dtype used as a value: `zeros([N], f32)`, `x.dtype`."""

    dtype: AnyDType


@dataclass(frozen=True, slots=True)
class TupleType:
    items: tuple[Type, ...]


@dataclass(frozen=True, slots=True)
class ListType:
    """`[item; length]`; all items have one type."""

    item: Type
    length: Size


@dataclass(frozen=True, slots=True)
class StructType:
    """A struct with its arguments; `module` and `name` say which definition. `order` has a letter
    for each parameter of that, to show the arguments as they are written: `d` a dtype, `s` a size,
    `p` a pack."""

    module: str
    name: str
    sizes: Shape = ()
    dtypes: tuple[AnyDType, ...] = ()
    order: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class PoisonType:
    """The type of an expression with an error: fits everything, and says nothing more."""


Type = (
    TensorType | WeakType | StringType | DTypeType | TupleType | ListType | StructType | PoisonType
)
POISON = PoisonType()


@dataclass(frozen=True)
class Substitution:
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
