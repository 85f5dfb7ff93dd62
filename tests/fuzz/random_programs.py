"""Random well-typed programs, of the parts of the language that have no loop and no struct."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from random_contractions import Contractions
from random_elementwise import Elementwise
from random_library import HELPERS, Calls
from random_scope import FLOATS, Var, symbol
from random_shapes import Shapes

from tdsl.types.sizes import Size


@dataclass(frozen=True)
class Program:
    """A program with one function `f` to call; what its parameters are, by name."""

    text: str
    arguments: tuple[tuple[str, str, tuple[Size, ...]], ...]
    sizes: tuple[str, ...]
    statics: tuple[str, ...]
    divisible: bool  # where h divides C
    generic: bool  # has the dtype parameter E


class Generator(Elementwise, Shapes, Contractions, Calls):
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
