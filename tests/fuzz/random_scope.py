"""What a random program has in scope: its values with their types, and literals that fit them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random

from tdsl.types.sizes import Size, Symbol

FLOATS = ("f64", "f32", "f16", "bf16")
INTEGERS = ("i64", "i32", "i16", "i8", "u32", "u8")
ONE = Size.of(1)


@dataclass(frozen=True)
class Var:
    """A name in scope. `exact`: NumPy and native code give the same bits, so that what jumps
    (comparisons, rounding, casts to integers) may be computed from it. `tame`: of absolute values
    around 1, so that a rounding error stays one."""

    name: str
    dtype: str  # "E" for the parameter
    shape: tuple[Size, ...]
    exact: bool = False
    tame: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def floating(self) -> bool:
        return self.dtype == "E" or self.dtype in FLOATS


@cache
def symbol(name: str) -> Size:
    return Size.of(Symbol(name, "f"))


class Scope:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.vars: list[Var] = []
        self.generic = random.random() < 0.35
        self.divisible = random.random() < 0.3
        self.sizes = ["N", "M", "K"][: random.randint(1, 3)]
        self.statics = ["h"] if self.divisible or random.random() < 0.2 else []
        self.count = 0

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def axis_sizes(self) -> list[Size]:
        found = [symbol(name) for name in self.sizes]
        found += [symbol(name) for name in self.statics]
        if self.divisible:
            found += [symbol("h") * symbol("q")] * 2 + [symbol("q")]
        return found

    def dimension(self) -> Size:
        choice = self.random.random()
        base = self.random.choice(self.axis_sizes())
        if choice < 0.6:
            return base
        if choice < 0.75:
            return base * self.random.randint(2, 3)
        if choice < 0.85:
            return base + self.random.randint(1, 3)
        if choice < 0.95:
            return base + self.random.choice(self.axis_sizes())
        return Size.of(self.random.randint(1, 5))

    def shape(self, most: int = 3) -> tuple[Size, ...]:
        return tuple(self.dimension() for _ in range(self.random.randint(0, most)))

    def show(self, size: Size) -> str:
        return str(size).replace("q", "(C//h)")

    def show_shape(self, shape: tuple[Size, ...]) -> str:
        return "[" + ", ".join(map(self.show, shape)) + "]"

    def type(self, var: Var) -> str:
        return var.dtype + (self.show_shape(var.shape) if var.shape else "")

    def dtype(self) -> str:
        if self.generic and self.chance(0.5):
            return "E"
        return self.random.choice(FLOATS[:2] * 3 + FLOATS + INTEGERS + ("bool",))

    def let(
        self,
        text: str,
        dtype: str,
        shape: tuple[Size, ...],
        exact: bool = False,
        tame: bool = False,
    ) -> Var:
        name = f"v{self.count}"
        self.count += 1
        var = Var(name, dtype, shape, exact or not (dtype == "E" or dtype in FLOATS), tame)
        note = f": {self.type(var)}" if self.chance(0.15) else ""
        self.lines.append(f"let {name}{note} = {text}")
        self.vars.append(var)
        return var

    def pick(self, wanted: Callable[[Var], bool] = lambda v: True) -> Var | None:
        found = [v for v in self.vars if wanted(v)]
        if not found:
            return None
        # What is younger is used more, so that chains grow long.
        return self.random.choice(found[-6:] if self.chance(0.6) else found)

    def number(self, var: Var) -> str:
        """A literal that the dtype of a value can take."""
        if var.floating:
            return self.random.choice(
                ("0.5", "2.0", "1.25", "-0.75", "1", "3", "-2", "1.0e-3", "pi")
            )
        if var.dtype[0] == "u":
            return self.random.choice(("1", "2", "3", "7", "200"))
        return self.random.choice(("1", "2", "-3", "7", "-1", "100"))

    def like(self, var: Var, wanted: Callable[[Var], bool] = lambda v: True) -> str:
        """An operand that broadcasts to a value's shape."""
        fits = self.pick(
            lambda v: (
                v.dtype == var.dtype
                and wanted(v)
                and v.rank <= var.rank
                and all(a in (b, ONE) for a, b in zip(v.shape[::-1], var.shape[::-1], strict=False))
            )
        )
        return fits.name if fits is not None and self.chance(0.8) else self.number(var)
