"""Statements that work element by element: arithmetic, comparisons, choices, casts."""

from __future__ import annotations

from random_scope import INTEGERS, Scope

from tdsl.types.dtypes import DTYPES, promote


class Elementwise(Scope):
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
        x = self.pick(lambda v: v.dtype not in ("E", "bool"))
        if x is None:
            return
        y = self.pick(lambda v: v.dtype not in ("E", "bool") and v.shape == x.shape)
        if y is None:
            return
        dtype = promote(DTYPES[x.dtype], DTYPES[y.dtype]).name
        operation = self.random.choice("+-*")
        self.let(f"{x.name} {operation} {y.name}", dtype, x.shape)
