"""Random well-typed programs, of the parts of the language that have no loop and no struct."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random

from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size, Symbol, divide_exactly

FLOATS = ("f64", "f32", "f16", "bf16")
INTEGERS = ("i64", "i32", "i16", "i8", "u32", "u8")
ONE = Size.of(1)

# Helpers that a program may call; the generator knows what they give.
HELPERS = """\
from std.nn import softmax, log_softmax, masked_softmax, layer_norm, rms_norm, linear

fn scaled[E: dtype(float), ...S](x: E[...S], by: E) -> E[...S] {
    x * by
}

fn affine[E: dtype(float), ...S, K, P](x: E[...S, K], w: E[K, P], b: E[P]) -> E[...S, P] {
    let y = x @ w
    y + b
}

fn halves[E: dtype(any), ...S, D](x: E[...S, 2*D]) -> (E[...S, D], E[...S, D]) {
    (x[..., :D], x[..., D:])
}

fn repeated[E: dtype(any), P, static times](x: E[P]) -> E[P*times] {
    reshape(broadcast(x[newaxis], [times, P]), [P*times])
}

fn heads_of[E: dtype(any), T, C, static heads](x: E[T, C]) -> E[heads, T, C//heads] where heads divides C {
    transpose(reshape(x, [T, heads, C//heads]), [1, 0, 2])
}
"""


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


@dataclass(frozen=True)
class Program:
    """A program with one function `f` to call; what its parameters are, by name."""

    text: str
    arguments: tuple[tuple[str, str, tuple[Size, ...]], ...]
    sizes: tuple[str, ...]
    statics: tuple[str, ...]
    divisible: bool  # where h divides C
    generic: bool  # has the dtype parameter E


@cache
def symbol(name: str) -> Size:
    return Size.of(Symbol(name, "f"))


class Generator:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[str] = []
        self.vars: list[Var] = []
        self.generic = random.random() < 0.35
        self.divisible = random.random() < 0.3
        self.sizes = ["N", "M", "K"][: random.randint(1, 3)]
        self.statics = ["h"] if self.divisible or random.random() < 0.2 else []
        self.count = 0

    # --- pieces

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

    # --- one statement each

    def unary_float(self) -> None:
        x = self.pick(lambda v: v.floating)
        if x is None:
            return
        n = x.name
        text, tame = self.random.choice(
            (
                (f"tanh({n})", True),
                (f"sin({n})", True) if x.tame else (f"tanh({n})", True),
                (f"cos({n})", True) if x.tame else (f"sigmoid({n})", True),
                (f"sigmoid({n})", True),
                (f"erf({n})", True),
                (f"exp(-abs({n}))", True),
                (f"exp2(tanh({n}))", True),
                (f"expm1(-abs({n}))", True),
                (f"log(abs({n}) + 1.0)", x.tame),
                (f"log2(abs({n}) + 1.0)", x.tame),
                (f"log1p(abs({n}))", x.tame),
                (f"sqrt(abs({n}) + 0.5)", x.tame),
                (f"rsqrt(abs({n}) + 0.5)", True),
                (f"reciprocal(abs({n}) + 1.0)", True),
                (f"clip({n}, -1.5, 2)", True),
                (f"({n})**2", False),
                (f"(abs({n}) + 0.5)**0.5", x.tame),
                (f"(-{n})", x.tame),
                (f"abs({n})", x.tame),
            )
        )
        exact = x.exact and (text.startswith(("clip", "(-", "abs(")))
        self.let(text, x.dtype, x.shape, exact, tame)

    def rounding(self) -> None:
        x = self.pick(lambda v: v.floating and v.exact)
        if x is None:
            return
        function = self.random.choice(("floor", "ceil", "round", "sign"))
        self.let(f"{function}({x.name})", x.dtype, x.shape, True, x.tame)

    def binary(self) -> None:
        x = self.pick(lambda v: v.dtype != "bool")
        if x is None:
            return
        y = self.like(x)
        one, two = (x.name, y) if self.chance(0.5) else (y, x.name)
        if x.floating:
            operation = self.random.choice(("+", "-", "*", "/", "max", "min"))
            if operation == "/":
                text = f"{x.name} / (abs({y}) + 1.0)"
            elif operation in ("max", "min"):
                text = f"{operation}imum({one}, {two})"
            else:
                text = f"{one} {operation} {two}"
            known = next((v for v in self.vars if v.name == y), None)
            exact = operation in ("max", "min") and x.exact and (known is None or known.exact)
            self.let(text, x.dtype, x.shape, exact, operation in ("max", "min") and x.tame)
        else:
            operation = self.random.choice(("+", "-", "*", "//", "%", "max", "min", "**"))
            if operation in ("max", "min"):
                text = f"{operation}imum({one}, {two})"
            elif operation == "**":
                text = f"{x.name}**{self.random.randint(0, 4)}"
            else:
                text = f"{one} {operation} {two}"
            self.let(text, x.dtype, x.shape)

    def unary_integer(self) -> None:
        x = self.pick(lambda v: not v.floating and v.dtype != "bool")
        if x is None:
            return
        text = self.random.choice(
            (f"abs({x.name})", f"-{x.name}", f"sign({x.name})", f"clip({x.name}, 1, 5)")
        )
        if text[0] == "-" and x.dtype[0] == "u":
            return
        self.let(text, x.dtype, x.shape)

    def comparison(self) -> None:
        x = self.pick(lambda v: v.exact and v.dtype != "bool")
        if x is None:
            return
        y = self.like(x, lambda v: v.exact)
        operation = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        self.let(f"{x.name} {operation} {y}", "bool", x.shape)

    def logic(self) -> None:
        x = self.pick(lambda v: v.dtype == "bool")
        if x is None:
            return
        y = self.like(x)
        if not y.startswith("v"):
            y = self.random.choice(("true", "false"))
        text = self.random.choice((f"{x.name} and {y}", f"{x.name} or {y}", f"not {x.name}"))
        self.let(text, "bool", x.shape)

    def choice(self) -> None:
        c = self.pick(lambda v: v.dtype == "bool")
        if c is None:
            return
        x = self.pick(lambda v: v.shape == c.shape)
        if x is None:
            return
        y = self.like(x) if x.dtype != "bool" else "true"
        known = next((v for v in self.vars if v.name == y), None)
        exact = x.exact and (known is None or known.exact)
        self.let(f"select({c.name}, {x.name}, {y})", x.dtype, x.shape, exact)

    def cast(self) -> None:
        x = self.pick()
        if x is None:
            return
        to = self.dtype()
        integral = to in INTEGERS
        if x.floating and to == "bool" and not x.exact:
            return
        if x.floating and integral:
            if not x.exact:
                return
            self.let(f"{to}(clip({x.name}, 0, 100))", to, x.shape)
            return
        self.let(f"{to}({x.name})", to, x.shape, x.exact, x.tame or to == "bool")

    def mixed(self) -> None:
        """Two dtypes meet: NumPy's lattice."""
        from tdsl.types.dtypes import promote

        x = self.pick(lambda v: v.dtype not in ("E", "bool"))
        if x is None:
            return
        y = self.pick(lambda v: v.dtype not in ("E", "bool") and v.shape == x.shape)
        if y is None:
            return
        dtype = promote(DTYPES[x.dtype], DTYPES[y.dtype]).name
        operation = self.random.choice("+-*")
        self.let(f"{x.name} {operation} {y.name}", dtype, x.shape)

    def reduction(self) -> None:
        x = self.pick(lambda v: v.rank > 0)
        if x is None:
            return
        axes = self.random.sample(range(x.rank), self.random.randint(1, x.rank))
        written = [a - x.rank if self.chance(0.4) else a for a in axes]
        keep = self.chance(0.4)
        shape = tuple(
            ONE if a in axes else d for a, d in enumerate(x.shape) if keep or a not in axes
        )
        axis = (
            str(written[0])
            if len(axes) == 1 and self.chance(0.7)
            else f"[{', '.join(map(str, written))}]"
        )
        options = f", axis={axis}"
        if len(axes) == x.rank and self.chance(0.5):
            options = ""
        if keep:
            options += ", keepdims=true"
        if x.dtype == "bool":
            name = self.random.choice(("any", "all", "sum", "max", "min", "argmax"))
        elif x.floating:
            name = self.random.choice(
                ("sum", "mean", "max", "min") + (("argmax", "argmin") if x.exact else ())
            )
        else:
            name = self.random.choice(("sum", "mean", "max", "min", "prod", "argmax", "argmin"))
        if name.startswith("arg"):
            if len(axes) > 1:
                return
            options = f", axis={written[0]}" + (", keepdims=true" if keep else "")
            self.let(f"{name}({x.name}{options})", "i64", shape)
        elif name in ("sum", "mean", "prod") and not x.floating:
            self.let(f"{name}({x.name}{options})", "f64" if name == "mean" else "i64", shape)
        else:
            still = name in ("max", "min", "mean")
            self.let(
                f"{name}({x.name}{options})",
                x.dtype,
                shape,
                name in ("max", "min", "any", "all") and x.exact,
                still and x.tame,
            )

    def running(self) -> None:
        x = self.pick(lambda v: v.rank > 0)
        if x is None:
            return
        axis = self.random.randrange(-x.rank, x.rank)
        dtype = x.dtype if x.floating else "i64"
        self.let(f"cumsum({x.name}, axis={axis})", dtype, x.shape)

    def cut(self) -> None:
        x = self.pick(lambda v: v.rank > 0)
        if x is None:
            return
        items, shape = [], []
        for d in x.shape:
            choice = self.random.random()
            # Sizes are 1 or more: what is at least n+1 can lose n.
            least = sum(factor for _, factor in d.terms)
            if choice < 0.45:
                items.append(":")
                shape.append(d)
            elif choice < 0.6:
                items.append(self.random.choice(("0", "-1")))
            elif least > 1:
                take = self.random.randint(1, least - 1)
                form = self.random.randrange(3)
                if form == 0:
                    items.append(f"{take}:")
                    shape.append(d - take)
                elif form == 1:
                    items.append(f":{take}")
                    shape.append(Size.of(take))
                else:
                    items.append(f":{self.show(d - take)}")
                    shape.append(d - take)
            else:
                items.append(":1")
                shape.append(ONE)
        if self.chance(0.15):
            place = self.random.randint(0, len(items))
            before = sum(1 for i in items[:place] if ":" in i)
            items.insert(place, "newaxis")
            shape.insert(before, ONE)
        self.let(f"{x.name}[{', '.join(items)}]", x.dtype, tuple(shape), x.exact, x.tame)

    def reshaped(self) -> None:
        x = self.pick(lambda v: v.rank > 0)
        if x is None:
            return
        form = self.random.randrange(4)
        if form == 0:
            total = ONE
            for d in x.shape:
                total = total * d
            shape: tuple[Size, ...] = (total,)
            written = self.random.choice(("[_]", self.show_shape(shape)))
        elif form == 1 and x.rank >= 2:
            a = self.random.randrange(x.rank - 1)
            shape = (*x.shape[:a], x.shape[a] * x.shape[a + 1], *x.shape[a + 2 :])
            written = self.show_shape(shape)
        elif form == 2:
            a = self.random.randrange(x.rank)
            by = self.random.choice([*self.axis_sizes(), Size.of(2), Size.of(3)])
            part = divide_exactly(x.shape[a], by)
            if part is None:
                return
            shape = (
                *x.shape[:a],
                *((by, part) if self.chance(0.5) else (part, by)),
                *x.shape[a + 1 :],
            )
            written = self.show_shape(shape)
        else:
            a = self.random.randint(0, x.rank)
            shape = (*x.shape[:a], ONE, *x.shape[a:])
            written = self.show_shape(shape)
        self.let(f"reshape({x.name}, {written})", x.dtype, shape, x.exact, x.tame)

    def transposed(self) -> None:
        x = self.pick(lambda v: v.rank > 1)
        if x is None:
            return
        if x.rank == 2 and self.chance(0.5):
            self.let(f"{x.name}.T", x.dtype, x.shape[::-1], x.exact, x.tame)
            return
        order = list(range(x.rank))
        self.random.shuffle(order)
        shape = tuple(x.shape[a] for a in order)
        self.let(f"transpose({x.name}, {order})", x.dtype, shape, x.exact, x.tame)

    def broadcasted(self) -> None:
        x = self.pick(lambda v: v.rank < 4)
        if x is None:
            return
        shape = tuple(self.dimension() if d == ONE else d for d in x.shape)
        if x.rank < 3 and self.chance(0.6):
            shape = (self.dimension(), *shape)
        self.let(f"broadcast({x.name}, {self.show_shape(shape)})", x.dtype, shape, x.exact, x.tame)

    def joined(self) -> None:
        x = self.pick(lambda v: v.rank > 0)
        if x is None:
            return
        axis = self.random.randrange(x.rank)
        fits = [
            v
            for v in self.vars
            if v.dtype == x.dtype
            and v.rank == x.rank
            and all(
                a == axis or p == q for a, (p, q) in enumerate(zip(v.shape, x.shape, strict=True))
            )
        ]
        items = [self.random.choice(fits) for _ in range(self.random.randint(1, 3))]
        total = Size.of(0)
        for v in items:
            total = total + v.shape[axis]
        shape = (*x.shape[:axis], total, *x.shape[axis + 1 :])
        names = ", ".join(v.name for v in items)
        written = axis - x.rank if self.chance(0.3) else axis
        self.let(
            f"concat([{names}], axis={written})",
            x.dtype,
            shape,
            all(v.exact for v in items),
            all(v.tame for v in items),
        )

    def stacked(self) -> None:
        x = self.pick(lambda v: v.rank < 4)
        if x is None:
            return
        fits = [v for v in self.vars if v.dtype == x.dtype and v.shape == x.shape]
        items = [self.random.choice(fits) for _ in range(self.random.randint(1, 3))]
        axis = self.random.randint(0, x.rank)
        shape = (*x.shape[:axis], Size.of(len(items)), *x.shape[axis:])
        names = ", ".join(v.name for v in items)
        self.let(
            f"stack([{names}], axis={axis})",
            x.dtype,
            shape,
            all(v.exact for v in items),
            all(v.tame for v in items),
        )

    def padded(self) -> None:
        x = self.pick(lambda v: v.rank > 0 and v.dtype != "bool")
        if x is None:
            return
        pairs = [(self.random.randint(0, 2), self.random.randint(0, 2)) for _ in x.shape]
        shape = tuple(d + a + b for d, (a, b) in zip(x.shape, pairs, strict=True))
        written = ", ".join(f"[{a}, {b}]" for a, b in pairs)
        self.let(f"pad({x.name}, [{written}], {self.number(x)})", x.dtype, shape, x.exact, x.tame)

    def flipped(self) -> None:
        x = self.pick(lambda v: v.rank > 0)
        if x is None:
            return
        axis = self.random.choice(("", f", axis={self.random.randrange(-x.rank, x.rank)}"))
        self.let(f"flip({x.name}{axis})", x.dtype, x.shape, x.exact, x.tame)

    def parted(self) -> None:
        x = self.pick(lambda v: v.rank > 0)
        if x is None:
            return
        axis = self.random.randrange(x.rank)
        parts = self.random.randint(1, 3)
        size = divide_exactly(x.shape[axis], Size.of(parts))
        if size is None:
            return
        shape = (*x.shape[:axis], size, *x.shape[axis + 1 :])
        names = [f"v{self.count + i}" for i in range(parts)]
        self.count += parts
        self.lines.append(f"let [{', '.join(names)}] = split({x.name}, {parts}, axis={axis})")
        self.vars += [Var(name, x.dtype, shape, x.exact, x.tame) for name in names]

    def product(self) -> None:
        numeric = [
            v for v in self.vars if v.dtype != "bool" and v.rank > 0 and (v.tame or not v.floating)
        ]
        if not numeric:
            return
        a = self.random.choice(numeric)
        pairs = []
        for b in numeric:
            if b.dtype != a.dtype:
                continue
            if b.rank == 1 and a.shape[-1] == b.shape[0]:
                pairs.append((b.name, a.shape[:-1], b))
            if b.rank == 2 and a.shape[-1] == b.shape[0]:
                pairs.append((b.name, (*a.shape[:-1], b.shape[1]), b))
            if b.rank == 2 and a.shape[-1] == b.shape[1]:
                pairs.append((f"{b.name}.T", (*a.shape[:-1], b.shape[0]), b))
            if (
                b.rank > 2
                and a.rank == b.rank
                and a.shape[:-2] == b.shape[:-2]
                and a.shape[-1] == b.shape[-2]
            ):
                pairs.append((b.name, (*a.shape[:-1], b.shape[-1]), b))
            if (
                b.rank == 3
                and a.rank == 3
                and a.shape[0] == b.shape[0]
                and a.shape[-1] == b.shape[-1]
            ):
                pairs.append((f"transpose({b.name}, [0, 2, 1])", (*a.shape[:-1], b.shape[1]), b))
        if not pairs:
            return
        text, shape, _ = self.random.choice(pairs)
        # i8 and u8 products are i32 sums.
        dtype = a.dtype
        if dtype in ("i8", "u8"):
            text, dtype = f"i32({a.name} @ {text})", "i32"
        else:
            text = f"{a.name} @ {text}"
        self.let(text, dtype, shape)

    def called(self) -> None:
        form = self.random.randrange(9)
        if form == 0 and (x := self.pick(lambda v: v.floating)):
            by = self.number(x)
            self.let(f"scaled({x.name}, {by})", x.dtype, x.shape)
        elif form == 1 and (x := self.pick(lambda v: v.floating and v.rank > 0)):
            self.let(f"softmax({x.name})", x.dtype, x.shape, False, True)
        elif form == 2 and (x := self.pick(lambda v: v.rank > 0)):
            half = divide_exactly(x.shape[-1], Size.of(2))
            if half is not None:
                names = [f"v{self.count}", f"v{self.count + 1}"]
                self.count += 2
                self.lines.append(f"let ({names[0]}, {names[1]}) = halves({x.name})")
                self.vars += [
                    Var(n, x.dtype, (*x.shape[:-1], half), x.exact, x.tame) for n in names
                ]
        elif form == 3 and (x := self.pick(lambda v: v.rank == 1)):
            times = self.random.choice([Size.of(2), Size.of(3), *map(symbol, self.statics)])
            call = (
                f"{x.name}.repeated[times={times}]()"
                if self.chance(0.3)
                else f"repeated[times={times}]({x.name})"
            )
            self.let(call, x.dtype, (x.shape[0] * times,), x.exact, x.tame)
        elif form == 4 and (x := self.pick(lambda v: v.rank == 2)):
            by = self.random.choice([Size.of(1), Size.of(2), *map(symbol, self.statics)])
            part = divide_exactly(x.shape[1], by)
            if part is not None:
                self.let(
                    f"heads_of[heads={by}]({x.name})",
                    x.dtype,
                    (by, x.shape[0], part),
                    x.exact,
                    x.tame,
                )
        elif form == 5 and (x := self.pick(lambda v: v.floating and v.tame and v.rank > 0)):
            w = self.pick(
                lambda v: (
                    v.dtype == x.dtype and v.tame and v.rank == 2 and v.shape[0] == x.shape[-1]
                )
            )
            if w is not None:
                b = self.pick(lambda v: v.dtype == x.dtype and v.shape == (w.shape[1],))
                if b is not None:
                    name = self.random.choice(("affine", "linear"))
                    self.let(
                        f"{name}({x.name}, {w.name}, {b.name})",
                        x.dtype,
                        (*x.shape[:-1], w.shape[1]),
                    )
        elif form == 6 and (x := self.pick(lambda v: v.floating and v.tame and v.rank > 0)):
            b = self.pick(lambda v: v.dtype == x.dtype and v.shape == (x.shape[-1],))
            if b is not None:
                # The mean of squares is far from 0 only by the constant added.
                self.let(f"layer_norm({x.name}, {b.name}, {b.name}, epsilon=0.5)", x.dtype, x.shape)
        elif form == 7 and (x := self.pick(lambda v: v.floating and v.tame and v.rank > 0)):
            mask = self.pick(lambda v: v.dtype == "bool" and v.shape == x.shape)
            shown = (
                mask.name if mask is not None else f"full({self.show_shape(x.shape)}, true, bool)"
            )
            self.let(f"masked_softmax({x.name}, {shown})", x.dtype, x.shape, False, True)
        elif form == 8 and (x := self.pick(lambda v: v.floating and v.tame and v.rank > 1)):
            # softmax(q @ k.T) @ v, by the batch where there is one.
            y = self.pick(lambda v: v.dtype == x.dtype and v.tame and v.shape == x.shape) or x
            turned = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
            scores = (*x.shape[:-1], x.shape[-2])
            product = f"{x.name} @ transpose({y.name}, {turned})"
            if x.rank == 2 and self.chance(0.5):
                product += f" + causal_mask({self.show(x.shape[0])}, {x.dtype})"
            function = self.random.choice(("softmax", "softmax", "log_softmax", "rms_norm"))
            if function == "rms_norm":
                self.let(
                    f"rms_norm({product}, full([{self.show(x.shape[-2])}], 1.0, {x.dtype}), epsilon=0.5)",
                    x.dtype,
                    scores,
                )
            else:
                shares = self.let(
                    f"{function}({product})", x.dtype, scores, False, function == "softmax"
                )
                if function == "softmax":
                    self.let(f"{shares.name} @ {x.name}", x.dtype, x.shape, False, True)

    def comprehended(self) -> None:
        x = self.pick(lambda v: v.rank in (1, 2, 3))
        if x is None:
            return
        d = x.shape[0]
        literal = d.literal
        if literal is not None and literal <= 4:
            self.let(
                f"stack([{x.name}[i] for i in 0..{literal}])", x.dtype, x.shape, x.exact, x.tame
            )
        elif self.statics and (part := divide_exactly(d, symbol("h"))) is not None:
            shape = (symbol("h"), part, *x.shape[1:])
            p = f"({self.show(part)})"
            self.let(
                f"stack([{x.name}[i*{p} : (i + 1)*{p}] for i in 0..h])",
                x.dtype,
                shape,
                x.exact,
                x.tame,
            )

    def made(self) -> None:
        shape = self.shape(2)
        form = self.random.randrange(4)
        dtype = self.dtype()
        if dtype == "bool":
            dtype = "f32"
        fp = dtype == "E" or dtype in FLOATS
        if form == 0:
            self.let(f"zeros({self.show_shape(shape)}, {dtype})", dtype, shape, True, True)
        elif form == 1:
            self.let(
                f"full({self.show_shape(shape)}, {'0.5' if fp else '3'}, {dtype})",
                dtype,
                shape,
                True,
                True,
            )
        elif form == 2:
            d = self.dimension()
            if fp:
                self.let(f"{dtype}(iota({self.show(d)})) / 8", dtype, (d,), False, True)
            else:
                self.let(f"{dtype}(iota({self.show(d)}))", dtype, (d,), True)
        else:
            d = self.dimension()
            if fp:
                self.let(f"eye({self.show(d)}, {dtype})", dtype, (d, d), True, True)

    def branched(self) -> None:
        if not self.statics:
            return
        x = self.pick(lambda v: v.dtype != "bool")
        if x is None:
            return
        self.let(f"if h == 2 {{ {x.name} + 1 }} else {{ {x.name} * 2 }}", x.dtype, x.shape)

    # --- the whole

    def program(self, length: int) -> Program:
        arguments = []
        for number in range(self.random.randint(1, 4)):
            shape = self.shape()
            if number == 0 and self.divisible:
                shape = (symbol("N"), symbol("h") * symbol("q"))
            var = Var(f"x{number}", self.dtype(), shape, True, True)
            arguments.append(var)
        shown = {s for v in arguments for d in v.shape for s in d.symbols()}
        for name in self.sizes:
            if not any(v.shape == (symbol(name),) for v in arguments):
                arguments.append(
                    Var(f"x{len(arguments)}", self.dtype(), (symbol(name),), True, True)
                )
        if self.generic and all(v.dtype != "E" for v in arguments):
            arguments.append(Var(f"x{len(arguments)}", "E", (), True, True))
        del shown
        self.vars += arguments
        kinds: list[tuple[Callable[[], None], int]] = [
            (self.unary_float, 6),
            (self.rounding, 1),
            (self.binary, 8),
            (self.unary_integer, 2),
            (self.comparison, 2),
            (self.logic, 1),
            (self.choice, 2),
            (self.cast, 3),
            (self.mixed, 2),
            (self.reduction, 5),
            (self.running, 1),
            (self.cut, 5),
            (self.reshaped, 4),
            (self.transposed, 3),
            (self.broadcasted, 3),
            (self.joined, 3),
            (self.stacked, 2),
            (self.padded, 1),
            (self.flipped, 1),
            (self.parted, 2),
            (self.product, 8),
            (self.called, 6),
            (self.comprehended, 2),
            (self.made, 2),
            (self.branched, 1),
        ]
        steps = [k for k, _ in kinds]
        weights = [w for _, w in kinds]
        tries = 0
        while len(self.lines) < length and tries < 10 * length:
            tries += 1
            self.random.choices(steps, weights)[0]()
        # What no other statement uses, mostly: all else is in those.
        body = "\n".join(self.lines)
        unused = [
            v for v in self.vars if not re.search(rf"\b{v.name}\b.*\n(.*\n)*.*\b{v.name}\b", body)
        ]
        unused = [v for v in unused if v not in arguments][-5:] or self.vars[-1:]
        found = self.random.sample(unused, self.random.randint((len(unused) + 1) // 2, len(unused)))
        if self.chance(0.1):
            found.append(self.random.choice(self.vars))
        names = ", ".join(v.name for v in found)
        value = names if len(found) == 1 else f"({names})"
        types = ", ".join(map(self.type, found))
        result = types if len(found) == 1 else f"({types})"
        parameters = (["E: dtype(float)"] if self.generic else []) + list(self.sizes)
        if self.divisible:
            parameters.append("C")
        parameters += [f"static {name}" for name in self.statics]
        where = " where h divides C" if self.divisible else ""
        declared = ", ".join(f"{v.name}: {self.type(v)}" for v in arguments)
        body = "\n".join(f"    {line}" for line in self.lines)
        text = (
            f"tdsl 0.1\n\n{HELPERS}\npub fn f[{', '.join(parameters)}]({declared}) -> {result}{where} {{\n"
            f"{body}\n    {value}\n}}\n"
        )
        text = re.sub(r"\bh\*\(C//h\)(?!\*\*)", "C", text)
        return Program(
            text,
            tuple((v.name, v.dtype, v.shape) for v in arguments),
            tuple(self.sizes),
            tuple(self.statics),
            self.divisible,
            self.generic,
        )


def generate(seed: int, length: int = 8) -> Program:
    return Generator(Random(seed)).program(length)
