"""What a primitive is, and the builder that expansions into primitives use."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, Protocol

import numpy as np

from tdsl.types.dtypes import DTYPES, DType
from tdsl.types.sizes import Size

Array = np.ndarray[Any, Any]
Sizes = tuple[Size, ...]
Attributes = Mapping[str, Any]
Family = Literal["source", "elementwise", "reduction", "shape", "product"]
Reduction = Literal["sum", "prod", "max", "min"]

Domain = Literal["number", "float", "bool", "any"]
DOMAINS: Mapping[Domain, frozenset[str]] = {
    "number": frozenset({"float", "int", "uint"}),
    "float": frozenset({"float"}),
    "bool": frozenset({"bool"}),
    "any": frozenset({"float", "int", "uint", "bool"}),
}

ONE = Size.of(1)
BOOL, I64 = DTYPES["bool"], DTYPES["i64"]


class InternalError(Exception):
    """A broken promise between two stages: never the fault of a program."""


class ArrayLike(Protocol):
    """What typing needs of an operand: a graph's ArrayType has it."""

    @property
    def dtype(self) -> DType: ...
    @property
    def shape(self) -> Sizes: ...


class Value(Protocol):
    """A value under construction: a graph's Node has it."""

    @property
    def type(self) -> ArrayLike: ...


class Builder(Protocol):
    """What a builtin's `expand` builds with. Sizes may be literal or polynomials over open symbols.

    `elementwise` broadcasts by NumPy's rule and takes the names of the elementwise primitives
    except `cast`. No method writes into an operand; each gives a value.
    """

    def elementwise(self, operation: str, *operands: Any) -> Any: ...
    def cast(self, x: Any, dtype: DType) -> Any:
        """The same value where the dtype is already right."""
        ...

    def constant(self, value: int | float | bool, dtype: DType) -> Any:
        """A rank-0 value."""
        ...

    def known(self, x: Any) -> int | float | bool | None:
        """The number that every element of this value is known to be, or None."""
        ...

    def size(self, size: Size) -> Any:
        """A size as a rank-0 i64."""
        ...

    def iota(self, shape: Sizes, axis: int, dtype: DType) -> Any: ...
    def broadcast_in_dim(self, x: Any, shape: Sizes, axes: tuple[int, ...]) -> Any:
        """axes[i] is where axis i of x stands in the result; size 1 stretches."""
        ...

    def broadcast_to(self, x: Any, shape: Sizes) -> Any:
        """By NumPy's rule: aligned from the right."""
        ...

    def reshape(self, x: Any, shape: Sizes) -> Any: ...
    def transpose(self, x: Any, permutation: tuple[int, ...]) -> Any: ...
    def slice(self, x: Any, starts: Sizes, sizes: Sizes) -> Any: ...
    def concat(self, xs: Sequence[Any], axis: int) -> Any: ...
    def pad(self, x: Any, low: Sizes, high: Sizes, value: Any) -> Any:
        """`value` is a rank-0 value of x's dtype."""
        ...

    def reverse(self, x: Any, axes: tuple[int, ...]) -> Any: ...
    def reduce(self, operation: Reduction, x: Any, axes: tuple[int, ...]) -> Any:
        """Drops the axes. No axes: x itself."""
        ...

    def arg_reduce(self, operation: Literal["max", "min"], x: Any, axis: int) -> Any:
        """The first place of the extreme, as i64; NaN is more extreme than any number."""
        ...

    def cumsum(self, x: Any, axis: int) -> Any: ...
    def matmul(self, a: Any, b: Any) -> Any:
        """[M, K] by [K, N], or [B, M, K] by [B, K, N]; operands of one dtype, which the result
        has and in which the products are summed."""
        ...

    def select(self, condition: Any, x: Any, y: Any) -> Any: ...
    def gather(self, x: Any, ids: Any, axis: int) -> Any:
        """Positions of an axis by run-time integers; the axes of `ids` take the axis' place."""
        ...

    def dynamic_slice(self, x: Any, starts: Sequence[Any], sizes: Sizes) -> Any:
        """A start for each axis: a rank-0 integer value, or a size."""
        ...

    def dynamic_update(self, x: Any, part: Any, starts: Sequence[Any]) -> Any:
        """x with `part` in it from these starts on."""
        ...

    def debug(self, x: Any, label: str) -> None:
        """Have this value printed under the label."""
        ...

    def refuse(self, code: str, message: str, label: str, note: str) -> NoReturn:
        """Report, at the expression that is being built, that it cannot be in this instance."""
        ...


Infer = Callable[[Sequence[ArrayLike], Attributes], tuple[DType, Sizes]]


@dataclass(frozen=True, slots=True)
class Primitive:
    """One primitive. `attributes` names what a node of it carries; `infer` types a node (raising
    InternalError on what a checked program cannot give); `reference` computes it with NumPy from
    arrays and attributes whose sizes are literal."""

    name: str
    family: Family
    attributes: tuple[str, ...]
    doc: str
    infer: Infer
    reference: Callable[[Sequence[Array], Attributes], Array]


def concrete(size: Size | int) -> int:
    """The value of a literal size."""
    value = size if isinstance(size, int) else size.literal
    if value is None:
        raise InternalError(f"the size {size} is not literal")
    return value


def concrete_shape(shape: Sequence[Size]) -> tuple[int, ...]:
    return tuple(concrete(size) for size in shape)


def broadcast(shapes: Sequence[Sizes]) -> Sizes:
    """NumPy's rule; only the literal 1 stretches."""
    rank = max(map(len, shapes))
    result = []
    for place in range(-rank, 0):
        sizes = {shape[place] for shape in shapes if len(shape) >= -place} - {ONE}
        if len(sizes) > 1:
            raise InternalError(f"shapes do not broadcast: {show(shapes)}")
        result.append(sizes.pop() if sizes else ONE)
    return tuple(result)


def show(shapes: Sequence[Sizes]) -> str:
    return " and ".join(f"[{', '.join(map(str, shape))}]" for shape in shapes)


def require(condition: bool, message: str) -> None:
    if not condition:
        raise InternalError(message)


def check_axis(axis: int, rank: int) -> int:
    require(0 <= axis < rank, f"axis {axis} of rank {rank}")
    return axis
