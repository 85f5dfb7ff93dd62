"""Pieces of random programs near kernels: reductions, shares, masks, changed scores, products."""

from __future__ import annotations

from random_scope import ONE, Var
from random_views import Shape, Views, joint

from tdsl.types.sizes import Size

SOFTMAXES = ("softmax({})",) * 3 + ("exp(log_softmax({}))",)


class Pieces(Views):
    # --- what a softmax is made of

    def reduced(self, operation: str, x: Var, axis: int) -> Var:
        """A reduction, put back so that it broadcasts: mostly as it should."""
        gone = (*x.shape[:axis], *x.shape[axis + 1 :])
        kept = (*x.shape[:axis], ONE, *x.shape[axis + 1 :])
        shown = axis if self.chance(0.5) else axis - x.rank
        text = f"{operation}({x.name}, axis={shown}"
        form = self.random.random()
        if form < 0.5:
            return self.put(f"{text}, keepdims=true)", kept, x.dtype)
        plain = self.put(f"{text})", gone, x.dtype)
        if form < 0.75 and gone:
            return self.put(f"{plain.name}[{':, ' * axis}newaxis]", kept, x.dtype)
        ways = [(kept, f"reshape({plain.name}, {self.show_shape(kept)})")]
        if joint(x.shape, gone) == x.shape:
            ways += [(gone, plain.name)] * 2
        for place in range(x.rank):
            shape = (*gone[:place], ONE, *gone[place:])
            if joint(x.shape, shape) == x.shape and gone:
                ways.append((shape, f"{plain.name}[{':, ' * place}newaxis]"))
        shape, written = self.random.choice(ways)
        found = self.put(written, shape, x.dtype)
        if self.chance(0.2):
            found = self.put(
                f"broadcast({found.name}, {self.show_shape(x.shape)})", x.shape, x.dtype
            )
        return found

    def axis(self, x: Var, other: float = 0.12) -> int:
        return self.random.randrange(x.rank) if self.chance(other) else x.rank - 1

    def detour(self, x: Var, often: float = 0.12) -> Var:
        """Mostly the value; or of its shape, but what lies where may be another thing."""
        if not self.chance(often):
            return x
        form = self.random.randrange(6)
        shape = self.show_shape(x.shape)
        if form == 0 and x.rank > 1:
            flat = self.put(f"reshape({x.name}, [_])", (_product(x.shape),), x.dtype)
            return self.put(f"reshape({flat.name}, {shape})", x.shape, x.dtype)
        if form == 1:
            order = list(range(x.rank))
            self.random.shuffle(order)
            if tuple(x.shape[a] for a in order) == x.shape:
                return self.put(f"transpose({x.name}, {order})", x.shape, x.dtype)
        if form == 2 and x.rank > 1:
            order = list(range(x.rank))
            self.random.shuffle(order)
            text = f"reshape(transpose({x.name}, {order}), {shape})"
            return self.put(text, x.shape, x.dtype)
        if form == 3:
            return self.put(f"flip({x.name}, axis={self.axis(x, 0.5)})", x.shape, x.dtype)
        if form == 4 and x.rank < 4:
            return self.put(f"{x.name}[newaxis][0]", x.shape, x.dtype)
        fits = [v for v in self.vars if v.shape == x.shape and v.dtype == x.dtype]
        return self.random.choice(fits) if fits else x

    def shares(self, s: Var) -> tuple[Var, Var | None]:
        """A softmax; or its exponentials, and the sums that they are yet to be divided by."""
        form = self.random.random()
        if form < 0.25:
            text = self.random.choice(SOFTMAXES).format(s.name)
            return self.put(text, s.shape, s.dtype), None
        if form < 0.33:
            mask = self.mask(s)
            return self.put(f"masked_softmax({s.name}, {mask.name})", s.shape, s.dtype), None
        axis = self.axis(s, 0.08)
        argument = s.name
        if self.chance(0.93):
            top = self.reduced("max", self.detour(s, 0.08), self.axis(s, 0.05))
            if self.chance(0.1):
                text = f"select({top.name} == -inf, 0.0, {top.name})"
                top = self.put(text, top.shape, s.dtype)
            ways = ("{0} - {1}", "{0} - {1}", "{0} + -{1}", "-{1} + {0}", "-({1} - {0})")
            argument = self.random.choice(ways).format(s.name, top.name)
        if self.chance(0.08):
            argument = self.detour(self.put(argument, s.shape, s.dtype), 1.0).name
        e = self.put(f"exp({argument})", s.shape, s.dtype)
        total = self.reduced("sum", self.detour(e, 0.08), axis)
        if self.chance(0.1):
            text = f"select({total.name} == 0.0, 1.0, {total.name})"
            total = self.put(text, total.shape, s.dtype)
        e = self.detour(e, 0.06)
        if self.chance(0.12):
            return e, total
        way = self.random.choice(("{} / {}", "{} / {}", "{} * (1.0 / {})", "{} * reciprocal({})"))
        return self.put(way.format(e.name, total.name), s.shape, s.dtype), None

    def mask(self, s: Var) -> Var:
        """What hides some scores, of their shape."""
        queries, keys = s.shape[-2:] if s.rank > 1 else (ONE, s.shape[-1])
        form = self.random.randrange(5)
        t, n = self.show(queries), self.show(keys)
        if form == 0:
            m = self.made(self.fitting(s.shape), exact=True)
            m = self.put(f"{m.name} > -0.5", m.shape, "bool", True)
        elif form == 1 or s.rank < 2:
            m = self.made(self.fitting(s.shape), "bool", True)
        elif form == 2:
            at = self.input((), "i32")
            m = self.put(f"causal[Q={t}, N={n}]({at.name})", (queries, keys), "bool", True)
        else:
            relation = self.random.choice(("<=", "<=", "<", ">=", "!="))
            plus = self.random.choice(("", " + 1", f" + ({n} - {t})"))
            text = f"iota({n})[newaxis, :] {relation} iota({t})[:, newaxis]{plus}"
            if self.chance(0.15):
                text = f"iota({n})[:, newaxis] {relation} iota({t})[newaxis, :]"
                queries, keys = keys, queries
            m = self.put(text, (queries, keys), "bool", True)
        if joint(m.shape, s.shape) != s.shape:
            m = self.made(s.shape, "bool", True)
        if self.chance(0.1):
            m = self.put(f"not {m.name}", m.shape, "bool", True)
        if m.shape != s.shape:
            m = self.put(f"broadcast({m.name}, {self.show_shape(s.shape)})", s.shape, "bool", True)
        return m

    def changed(self, s: Var) -> Var:
        """Scores with something done to them."""
        form = self.random.choices(
            ("number", "array", "stretched", "masked", "causal", "function", "twice", "regrouped",
             "repeated", "viewed", "detour"),
            (6, 4, 2, 6, 4, 2, 1, 2, 1, 1, 1),
        )[0]  # fmt: skip
        if form == "number":
            text = self.random.choice(("{} * 0.5", "{} / 2.0", "0.5 * {}", "{} / sqrt(3)", "-{}"))
            return self.put(text.format(s.name), s.shape, s.dtype)
        if form == "array":
            y = self.made(self.fitting(s.shape), s.dtype)
            text = self.random.choice(("{} + {}", "{} + {}", "{} * {}", "{} - {}"))
            names = (s.name, y.name) if self.chance(0.7) else (y.name, s.name)
            return self.put(text.format(*names), s.shape, s.dtype)
        if form == "stretched":
            shape = tuple(self.size() if d == ONE else d for d in s.shape)
            if s.rank < 4 and self.chance(0.3):
                shape = (self.size(), *shape)
            y = self.made(shape, s.dtype)
            return self.put(f"{s.name} + {y.name}", shape, s.dtype)
        if form == "masked":
            m = self.mask(s)
            low = self.random.choice(("-1.0e10", "-30.0", "-inf"))
            text = f"select({m.name}, {s.name}, {low})"
            if self.chance(0.3):
                text = f"{s.name} + select({m.name}, {s.dtype}(0.0), {low})"
            elif self.chance(0.2):
                text = f"select({m.name}, {low}, {s.name})"
            return self.put(text, s.shape, s.dtype)
        if form == "causal" and s.rank > 1 and s.shape[-1] == s.shape[-2]:
            text = f"causal_mask({self.show(s.shape[-1])}, {s.dtype})"
            if self.chance(0.1):
                text += ".T"
            return self.put(f"{s.name} + {text}", s.shape, s.dtype)
        if form == "function":
            text = self.random.choice(("tanh({})", "abs({})", "2.0 * tanh({0} / 2.0)", "{0} * {0}"))
            return self.put(text.format(s.name), s.shape, s.dtype)
        if form == "twice":
            y = self.detour(s, 1.0)
            return self.put(f"{s.name} + {y.name}", s.shape, s.dtype)
        if form == "regrouped":
            before, self.focus = self.count, s
            self.reshaped()
            self.focus = None
            return self.vars[-1] if self.count > before and self.vars[-1].rank else s
        if form == "repeated" and s.rank < 4:
            place = self.random.randint(0, s.rank)
            shape = (*s.shape[:place], self.size(), *s.shape[place:])
            text = f"{s.name}[{':, ' * place}newaxis]"
            return self.put(f"broadcast({text}, {self.show_shape(shape)})", shape, s.dtype)
        if form == "viewed":
            x = self.viewed(s)
            return x if x.rank else s
        return self.detour(s, 1.0)

    # --- products

    def product(self, x: Var, shape: Shape) -> Var:
        """x times something, of this shape, which differs from x's in the last axis; as it may be
        spelled."""
        k, n = x.shape[-1], shape[-1]
        lead = x.shape[:-2]
        form = self.random.random()
        if form < 0.1 or x.rank < 2:
            y = self.made((k, n), x.dtype)
            return self.put(f"{x.name} @ {y.name}", shape, x.dtype)
        last = list(range(x.rank))
        last[-2:] = last[:-3:-1]
        if form < 0.55:
            y = self.made((*lead, n, k), x.dtype)
            return self.put(f"{x.name} @ transpose({y.name}, {last})", shape, x.dtype)
        if form < 0.65:
            y = self.made((*lead, n, k), x.dtype)
            text = f"transpose({y.name} @ transpose({x.name}, {last}), {last})"
            return self.put(text, shape, x.dtype)
        if form < 0.72 and len(lead) > 1:
            y = self.made((*lead, k, n), x.dtype)
            flat = (_product(lead),)
            a = self.show_shape((*flat, *x.shape[-2:]))
            b = self.show_shape((*flat, k, n))
            text = f"reshape({x.name}, {a}) @ reshape({y.name}, {b})"
            return self.put(f"reshape({text}, {self.show_shape(shape)})", shape, x.dtype)
        y = self.made((*lead, k, n), x.dtype)
        return self.put(f"{x.name} @ {y.name}", shape, x.dtype)

    def depth(self) -> Size:
        return self.size() if self.chance(0.2) else self.literal()

    def put_product(self, x: Var, n: Size, plain: float = 0.4) -> Var:
        """The product of x and something else, with n columns."""
        shape = (*x.shape[:-1], n)
        if self.chance(plain) and x.rank > 1:
            y = self.made((*x.shape[:-2], x.shape[-1], n), x.dtype)
            return self.put(f"{x.name} @ {y.name}", shape, x.dtype)
        return self.product(x, shape)


def _product(shape: Shape) -> Size:
    total = ONE
    for d in shape:
        total = total * d
    return total
