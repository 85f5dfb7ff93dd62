"""Random ways to come to a value of a given shape: inputs behind slices, groupings, transposes."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from random_scope import ONE, Var, symbol
from random_shapes import Shapes

from tdsl.types.sizes import Size, divide_exactly

Shape = tuple[Size, ...]
LITERALS = (1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9)


def joint(a: Shape, b: Shape) -> Shape | None:
    """The shape of two that broadcast; None where they do not, or where both would grow."""
    rank = max(len(a), len(b))
    a, b = (ONE,) * (rank - len(a)) + a, (ONE,) * (rank - len(b)) + b
    if any(p != q and ONE not in (p, q) for p, q in zip(a, b, strict=True)):
        return None
    both = tuple(q if p == ONE else p for p, q in zip(a, b, strict=True))
    return both if both in (a, b) else None


class Views(Shapes):
    """`made(shape)` works backwards: from the shape that is wanted to those of inputs."""

    def __init__(self, random: Random) -> None:
        super().__init__(random)
        self.generic, self.divisible, self.statics = False, False, []
        self.sizes = random.choice(([], [], ["N"], ["N", "M"]))
        self.main = random.choice(("f32",) * 8 + ("f64", "f64", "bf16", "f16"))
        self.parameters: list[Var] = []
        self.focus: Var | None = None
        self.large = random.choice(((17, 33, 65), (17, 33, 65), (50, 130, 270)))
        # Few sizes, so that many axes are of the same: what reads a wrong one is then no error.
        count = random.choice((1, 2, 2, 3, 3))
        literals = [self.literal() for _ in range(count)]
        self.palette = literals if not self.sizes else [*map(symbol, self.sizes), literals[0]]
        self.budget = random.choice((0, 2, 5, 10))

    def literal(self) -> Size:
        return Size.of(self.random.choice(self.large) if self.chance(0.05) else self.small())

    def small(self) -> int:
        return self.random.choice(LITERALS)

    def size(self) -> Size:
        return self.random.choice(self.palette) if self.chance(0.85) else self.literal()

    def axis_sizes(self) -> list[Size]:
        return self.palette

    def pick(self, wanted: Callable[[Var], bool] = lambda v: True) -> Var | None:
        if self.focus is None:
            return super().pick(wanted)
        return self.focus if wanted(self.focus) else None

    def put(self, text: str, shape: Shape, dtype: str | None = None, exact: bool = False) -> Var:
        return self.let(text, dtype or self.main, shape, exact)

    def input(self, shape: Shape, dtype: str) -> Var:
        same = [v for v in self.parameters if v.shape == shape and v.dtype == dtype]
        if same and self.chance(0.3):
            return self.random.choice(same)
        var = Var(f"x{len(self.parameters)}", dtype, shape, True, True)
        self.parameters.append(var)
        return var

    def viewed(self, x: Var, times: int = 1) -> Var:
        """A random view of a value."""
        steps = (
            (self.cut, 5), (self.reshaped, 4), (self.transposed, 4), (self.broadcasted, 1),
            (self.flipped, 1), (self.stacked, 1), (self.halved, 3),
        )  # fmt: skip
        for _ in range(times):
            self.focus = x
            before = self.count
            self.random.choices([s for s, _ in steps], [w for _, w in steps])[0]()
            self.focus = None
            if self.count > before:
                x = self.vars[-1]
        return x

    def halved(self) -> None:
        """Every other one along an axis, or a packed half."""
        assert self.focus is not None
        x = self.focus
        for axis in self.random.sample(range(x.rank), x.rank):
            half = divide_exactly(x.shape[axis], Size.of(2))
            if half is None:
                continue
            before, after = x.shape[:axis], x.shape[axis + 1 :]
            cut = self.show_shape((*before, half, Size.of(2), *after))
            colons = ":, " * axis
            self.put(
                f"reshape({x.name}, {cut})[{colons}:, {self.random.randrange(2)}]",
                (*before, half, *after), x.dtype, x.exact,
            )  # fmt: skip
            return

    # --- backwards

    def made(self, shape: Shape, dtype: str | None = None, exact: bool = False) -> Var:
        """A value of this shape. `exact`: moved about only, not computed."""
        dtype = dtype or self.main
        same = [v for v in self.vars if v.shape == shape and v.dtype == dtype and v.tame >= exact]
        if same and self.chance(0.15):
            return self.random.choice(same)
        if self.budget <= 0 or self.chance(0.3):
            return self.input(shape, dtype)
        self.budget -= 1
        forms: list[Callable[[Shape, str, bool], Var | None]] = [
            self.from_transposed, self.from_transposed, self.from_transposed,
            self.from_slice, self.from_slice, self.from_packed, self.from_packed,
            self.from_item, self.from_joined, self.from_joined, self.from_split,
            self.from_one, self.from_one, self.from_broadcast, self.from_broadcast,
            self.from_pieces, self.from_repeated, self.from_position, self.from_cast,
        ]  # fmt: skip
        if not exact and dtype not in ("bool", "i32"):
            forms += [self.from_product, self.from_product, self.from_bias, self.from_number]
        found = self.random.choice(forms)(shape, dtype, exact)
        return found if found is not None else self.input(shape, dtype)

    def _let(self, text: str, x: Var, shape: Shape, exact: bool) -> Var:
        return self.let(text, x.dtype, shape, exact, exact)

    def from_transposed(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        if len(shape) < 2:
            return None
        order = list(range(len(shape)))
        self.random.shuffle(order)
        source: list[Size] = [ONE] * len(shape)
        for place, axis in enumerate(order):
            source[axis] = shape[place]
        x = self.made(tuple(source), dtype, exact)
        return self._let(f"transpose({x.name}, {order})", x, shape, exact)

    def from_slice(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        if not shape:
            return None
        axis = self.random.randrange(len(shape))
        low, high = self.random.randint(0, 2), self.random.randint(0, 2)
        source = (*shape[:axis], shape[axis] + low + high, *shape[axis + 1 :])
        x = self.made(source, dtype, exact)
        item = f"{low}:{self.show(shape[axis] + low)}"
        return self._let(f"{x.name}[{':, ' * axis}{item}]", x, shape, exact)

    def from_packed(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        """One of a few parts that stand behind each other, of a value that others read, too."""
        if not shape:
            return None
        axis = self.random.choice((len(shape) - 1, self.random.randrange(len(shape))))
        d, parts = shape[axis], self.random.randint(2, 3)
        i = self.random.randrange(parts)
        x = self.made((*shape[:axis], d * parts, *shape[axis + 1 :]), dtype, exact)
        item = f"{self.show(d * i)}:{self.show(d * (i + 1))}"
        return self._let(f"{x.name}[{':, ' * axis}{item}]", x, shape, exact)

    def from_item(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        if len(shape) > 3:
            return None
        axis, count = self.random.randint(0, len(shape)), self.random.randint(1, 3)
        x = self.made((*shape[:axis], Size.of(count), *shape[axis:]), dtype, exact)
        return self._let(f"{x.name}[{':, ' * axis}{self.random.randrange(count)}]", x, shape, exact)

    def from_joined(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        """Two axes apart that are one in the source."""
        if len(shape) < 2:
            return None
        a = self.random.randrange(len(shape) - 1)
        source = (*shape[:a], shape[a] * shape[a + 1], *shape[a + 2 :])
        x = self.made(source, dtype, exact)
        return self._let(f"reshape({x.name}, {self.show_shape(shape)})", x, shape, exact)

    def from_split(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        if not shape or len(shape) > 3:
            return None
        a = self.random.randrange(len(shape))
        by = self.random.choice([*self.palette, Size.of(2), Size.of(3)])
        part = divide_exactly(shape[a], by)
        if part is None:
            return None
        pair = (by, part) if self.chance(0.5) else (part, by)
        x = self.made((*shape[:a], *pair, *shape[a + 1 :]), dtype, exact)
        return self._let(f"reshape({x.name}, {self.show_shape(shape)})", x, shape, exact)

    def from_one(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        """An axis of size 1 that comes or goes."""
        ones = [axis for axis, d in enumerate(shape) if d == ONE]
        if ones and self.chance(0.7):
            axis = self.random.choice(ones)
            x = self.made((*shape[:axis], *shape[axis + 1 :]), dtype, exact)
            text = f"{x.name}[{':, ' * axis}newaxis]"
            if self.chance(0.3) or not x.shape:
                text = f"reshape({x.name}, {self.show_shape(shape)})"
            return self._let(text, x, shape, exact)
        if len(shape) > 3:
            return None
        axis = self.random.randint(0, len(shape))
        x = self.made((*shape[:axis], ONE, *shape[axis:]), dtype, exact)
        return self._let(f"reshape({x.name}, {self.show_shape(shape)})", x, shape, exact)

    def from_broadcast(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        if not shape:
            return None
        axis = self.random.randrange(len(shape))
        source = (*shape[:axis], ONE, *shape[axis + 1 :]) if axis or self.chance(0.4) else shape[1:]
        x = self.made(source, dtype, exact)
        return self._let(f"broadcast({x.name}, {self.show_shape(shape)})", x, shape, exact)

    def from_pieces(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        long = [a for a, d in enumerate(shape) if (d.literal or 0) >= 2]
        if not long:
            return None
        axis = self.random.choice(long)
        first = self.random.randint(1, (shape[axis].literal or 0) - 1)
        parts = [
            self.made((*shape[:axis], d, *shape[axis + 1 :]), dtype, exact)
            for d in (Size.of(first), shape[axis] - first)
        ]
        names = ", ".join(x.name for x in parts)
        return self._let(f"concat([{names}], axis={axis})", parts[0], shape, exact)

    def from_repeated(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        """Fewer heads, repeated: each several times, or all of them several times."""
        if not shape:
            return None
        axis = self.random.choice((0, 0, self.random.randrange(len(shape))))
        by = Size.of(self.random.randint(2, 3))
        few = divide_exactly(shape[axis], by)
        if few is None:
            return None
        before, after = shape[:axis], shape[axis + 1 :]
        x = self.made((*before, few, *after), dtype, exact)
        each = self.chance(0.6)
        put = f"{x.name}[{':, ' * (axis + each)}newaxis]"
        pair = (few, by) if each else (by, few)
        wide = self.show_shape((*before, *pair, *after))
        text = f"reshape(broadcast({put}, {wide}), {self.show_shape(shape)})"
        return self._let(text, x, shape, exact)

    def from_position(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        if not shape:
            return None
        axis = self.random.randrange(len(shape))
        # Positions are drawn from 0 to 2.
        x = self.made((*shape[:axis], shape[axis] + 2, *shape[axis + 1 :]), dtype, exact)
        at = ", ".join(self.input((), "i32").name if a == axis else "0" for a in range(len(shape)))
        text = f"slice({x.name}, at=[{at}], size={self.show_shape(shape)})"
        return self._let(text, x, shape, exact)

    def from_cast(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        stored = {"f32": ("bf16", "f16"), "f64": ("f32",)}.get(dtype)
        if stored is None:
            return None
        x = self.made(shape, self.random.choice(stored), exact)
        return self.let(f"{dtype}({x.name})", dtype, shape, exact, exact)

    def from_product(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        if not shape:
            return None
        k = self.size()
        w = self.made((k, shape[-1]), dtype)
        x = self.made((*shape[:-1], k), dtype)
        bias = f" + {self.made((shape[-1],), dtype).name}" if self.chance(0.4) else ""
        return self.let(f"({x.name} @ {w.name}) * 0.5{bias}", dtype, shape)

    def from_bias(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        x, y = self.made(shape, dtype), self.made(self.fitting(shape), dtype)
        return self.let(f"{x.name} {self.random.choice('+*-')} {y.name}", dtype, shape)

    def from_number(self, shape: Shape, dtype: str, exact: bool) -> Var | None:
        x = self.made(shape, dtype)
        text = self.random.choice(("{} * 0.5", "{} / 2.0", "tanh({})", "-{}", "0.25 * {}"))
        return self.let(text.format(x.name), dtype, shape)

    def fitting(self, shape: Shape) -> Shape:
        """A shape that broadcasts to another."""
        start = self.random.choice((0, 0, self.random.randint(0, len(shape))))
        return tuple(ONE if self.chance(0.35) else d for d in shape[start:])
