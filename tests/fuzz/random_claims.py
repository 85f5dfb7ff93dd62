"""Random programs near what kernels are put in place of: attention, rows, products, takes."""

from __future__ import annotations

import re
from random import Random

from random_scope import ONE, Var
from random_views import Shape, Views, joint

from tdsl.types.sizes import Size

HEAD = (
    "tdsl 0.1\n\nfrom std.nn import softmax, log_softmax, masked_softmax, causal, layer_norm, "
    "rms_norm, gelu\n\n"
)
SOFTMAXES = ("softmax({})",) * 3 + ("exp(log_softmax({}))",)


class Claims(Views):
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

    # --- attention

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

    def attended(self, q: Var | None = None) -> Var:
        dtype = self.main
        if q is None:
            lead = tuple(self.size() for _ in range(self.random.choice((0, 1, 1, 1, 2))))
            q = self.made((*lead, self.size(), self.depth()))
        s = self.put_product(q, self.size())
        if dtype in ("bf16", "f16") and self.chance(0.5):
            s = self.put(f"f32({s.name})", s.shape, "f32")
        for _ in range(self.random.choice((0, 1, 1, 2, 3))):
            s = self.changed(s)
        p, total = self.shares(s)
        if p.dtype != dtype:
            p = self.put(f"{dtype}({p.name})", p.shape, dtype)
        p = self.detour(p, 0.05)
        if self.chance(0.05):
            y = self.made(self.fitting(p.shape))
            p = self.put(f"{p.name} * {y.name}", p.shape)
        o = self.put_product(p, self.depth(), 0.85)
        if total is not None and joint(o.shape, total.shape) == o.shape:
            by = total.name if total.dtype == dtype else f"{dtype}({total.name})"
            o = self.put(f"{o.name} / {by}", o.shape)
        return o

    def depth(self) -> Size:
        return self.size() if self.chance(0.2) else self.literal()

    def put_product(self, x: Var, n: Size, plain: float = 0.4) -> Var:
        """The product of x and something else, with n columns."""
        shape = (*x.shape[:-1], n)
        if self.chance(plain) and x.rank > 1:
            y = self.made((*x.shape[:-2], x.shape[-1], n), x.dtype)
            return self.put(f"{x.name} @ {y.name}", shape, x.dtype)
        return self.product(x, shape)

    def merged(self, o: Var) -> Var:
        """Heads behind each other again."""
        if o.rank < 3 or not self.chance(0.6):
            return o
        order = list(range(o.rank))
        order[-3], order[-2] = order[-2], order[-3]
        o = self.put(f"transpose({o.name}, {order})", tuple(o.shape[a] for a in order), o.dtype)
        if self.chance(0.7):
            shape = (*o.shape[:-2], o.shape[-2] * o.shape[-1])
            o = self.put(f"reshape({o.name}, {self.show_shape(shape)})", shape, o.dtype)
        return o

    # --- blocks over a state

    def heads_of(self, x: Var, heads: int, depth: int) -> Var:
        """Columns of a matrix, as heads in front of rows."""
        t = x.shape[0]
        shape = (t, Size.of(heads), Size.of(depth))
        if self.chance(0.25):
            other = (t, Size.of(depth), Size.of(heads))
            text = f"transpose(reshape({x.name}, {self.show_shape(other)}), [2, 0, 1])"
        else:
            text = f"transpose(reshape({x.name}, {self.show_shape(shape)}), [1, 0, 2])"
        return self.put(text, (shape[1], t, shape[2]), x.dtype)

    def block(self, x: Var, weights: Var | None, heads: int, depth: int) -> Var:
        """x [T, C] and the attention of its rows; weights are C x 3C, cut into columns."""
        t, c = x.shape
        h = x
        if self.chance(0.4):
            h = self.normed(x)
        w = weights or self.made((c, c * 3))
        packed = self.put(f"({h.name} @ {w.name}) * 0.3", (t, c * 3))
        if self.chance(0.3):
            packed = self.put(f"{packed.name} + {self.made((c * 3,)).name}", packed.shape)
        parts = []
        for i in self.random.choice(((0, 1, 2), (0, 1, 2), (1, 1, 2), (2, 0, 1), (0, 1, 1))):
            cut = f"{packed.name}[:, {self.show(c * i)}:{self.show(c * (i + 1))}]"
            parts.append(self.heads_of(self.put(cut, (t, c)), heads, depth))
        q, k, v = parts
        if self.chance(0.15):
            q = self.put(f"{q.name}[:, -1:]", (q.shape[0], ONE, q.shape[2]))
        s = self.put(f"{q.name} @ transpose({k.name}, [0, 2, 1])", (q.shape[0], q.shape[1], t))
        for _ in range(self.random.choice((0, 1, 1, 2))):
            changed = self.changed(s)
            s = changed if changed.shape == s.shape else s
        p, total = self.shares(s)
        o = self.put(f"{p.name} @ {v.name}", q.shape)
        if total is not None and joint(o.shape, total.shape) == o.shape:
            o = self.put(f"{o.name} / {total.name}", o.shape)
        merged = (q.shape[1], c)
        o = self.put(f"reshape(transpose({o.name}, [1, 0, 2]), {self.show_shape(merged)})", merged)
        if self.chance(0.4):
            o = self.put_product(o, c)
        if joint(x.shape, o.shape) == x.shape and self.chance(0.8):
            o = self.put(f"{x.name} + {o.name}", x.shape)
        if self.chance(0.2):
            up = self.put_product(o, self.literal())
            up = self.put(f"gelu({up.name})", up.shape)
            y = self.put_product(up, c)
            o = self.put(f"{o.name} + {y.name}", o.shape)
        return o

    def layered(self) -> Var:
        """A fold or scan over lists of weights, with attention as the body."""
        heads, depth = self.random.choice(((1, 2), (2, 2), (2, 3), (3, 2), (2, 4), (4, 1)))
        if self.chance(0.15):
            heads, depth = self.random.choice(((1, 48), (3, 16), (2, 24)))
        c, t = Size.of(heads * depth), self.size()
        x = self.made((t, c))
        if self.chance(0.2):
            x = self.block(x, None, heads, depth)
            return x if x.shape == (t, c) and self.chance(0.3) else self.last_rows(x)
        form = self.random.random()
        steps = self.random.randint(1, 3)
        before, outer, count = self.lines, len(self.vars), self.count
        self.lines, self.count = [], count + 2
        state = Var(f"v{count}", self.main, (t, c))
        weights = Var(f"v{count + 1}", self.main, (c, c * 3))
        self.vars += [state]
        by_index = form < 0.3
        y = self.block(state, None if by_index else weights, heads, depth)
        if y.shape != state.shape:
            y = self.put(f"{state.name} + {y.name}", state.shape)
        body = "\n".join("    " + line for line in self.lines)
        kept = [v for v in self.vars[outer:] if v.name != state.name and v.shape == state.shape]
        item = self.random.choice(kept) if kept else y
        self.lines = before
        del self.vars[outer:]
        if by_index:
            over = f"v{count + 1} in 0..{steps}"
        else:
            ws = Var(f"x{len(self.parameters)}", f"{steps}", weights.shape)
            self.parameters.append(ws)
            over = f"{weights.name} in {ws.name}"
        if form < 0.8:
            name = f"v{self.count}"
            self.count += 1
            text = f"fold {state.name} = {x.name} for {over} {{\n{body}\n        {y.name}\n    }}"
            self.lines.append(f"let {name} = {text}")
            found = Var(name, self.main, state.shape)
            self.vars.append(found)
            return self.last_rows(found)
        names = f"v{self.count}", f"v{self.count + 1}"
        self.count += 2
        self.lines.append(
            f"let ({names[0]}, {names[1]}) = scan {state.name} = {x.name} for {over} {{\n{body}\n"
            f"        ({y.name}, {item.name})\n    }}"
        )
        found = Var(names[0], self.main, state.shape)
        self.vars.append(found)
        self.put(f"{names[1]}[{self.random.randrange(steps)}]", state.shape)
        return self.last_rows(found)

    def last_rows(self, x: Var) -> Var:
        if self.chance(0.3):
            return x
        item = self.random.choice(("-1", "-1", "0", "-1:", ":1"))
        shape = x.shape[1:] if item in ("-1", "0") else (ONE, *x.shape[1:])
        x = self.put(f"{x.name}[{item}]", shape)
        return self.put_product(x, self.literal()) if self.chance(0.3) else x

    # --- rows, products, takes

    def normed(self, x: Var) -> Var:
        c = x.shape[-1]
        if self.chance(0.3):
            return self.put(
                f"rms_norm({x.name}, {self.made((c,), x.dtype).name})", x.shape, x.dtype
            )
        if self.chance(0.5):
            names = f"{self.made((c,), x.dtype).name}, {self.made((c,), x.dtype).name}"
            return self.put(f"layer_norm({x.name}, {names})", x.shape, x.dtype)
        mean = self.reduced("mean", self.detour(x, 0.05), self.axis(x))
        d = self.put(f"{x.name} - {mean.name}", x.shape, x.dtype)
        square = self.put(f"{d.name} * {d.name}", x.shape, x.dtype)
        variance = self.reduced("mean", self.detour(square, 0.05), self.axis(x))
        way = self.random.choice(("{} / sqrt({} + 0.1)", "{} * rsqrt({} + 0.1)"))
        y = self.put(way.format(d.name, variance.name), x.shape, x.dtype)
        if self.chance(0.6):
            gain = self.made(self.fitting(x.shape), x.dtype)
            y = self.put(f"{y.name} * {gain.name}", x.shape, x.dtype)
        return y

    def rows(self) -> Var:
        x = self.made(tuple(self.size() for _ in range(self.random.randint(1, 4))))
        for _ in range(self.random.randint(1, 4)):
            form = self.random.randrange(7)
            if form == 0:
                x = self.normed(x)
            elif form == 1:
                x, _ = self.shares(x)
            elif form == 2:
                x = self.changed(x)
            elif form == 3 and x.rank > 1:
                axes = sorted(self.random.sample(range(x.rank), self.random.randint(1, x.rank)))
                shape = tuple(ONE if a in axes else d for a, d in enumerate(x.shape))
                y = self.put(f"mean({x.name}, axis={axes}, keepdims=true)", shape, x.dtype)
                x = self.put(f"{x.name} - {y.name}", x.shape, x.dtype)
            elif form == 4:
                y = self.reduced(self.random.choice(("sum", "max", "min")), x, self.axis(x, 0.3))
                shape = joint(x.shape, y.shape) or x.shape
                way = self.random.choice(("{} + {}", "{} - {}", "{} * tanh({})"))
                x = self.put(way.format(x.name, y.name), shape, x.dtype)
            elif form == 5:
                y = self.made(self.fitting(x.shape), x.dtype)
                x = self.put(f"{x.name} * {y.name}", x.shape, x.dtype)
            else:
                x = self.viewed(x) if self.chance(0.5) else self.detour(x, 1.0)
            if not x.rank:
                break
        if x.rank and self.chance(0.3):
            axis = self.axis(x, 0.3)
            shape = (*x.shape[:axis], *x.shape[axis + 1 :])
            x = self.put(f"sum({x.name} * {x.name}, axis={axis})", shape, x.dtype)
        return x

    def products(self) -> Var:
        x = self.made(tuple(self.size() for _ in range(self.random.choice((1, 2, 2, 2, 3)))))
        for _ in range(self.random.randint(1, 3)):
            if not x.rank:
                break
            n = Size.of(self.random.choice((48, 96, 144))) if self.chance(0.1) else self.size()
            x = self.put_product(x, n)
            for _ in range(self.random.randint(0, 3)):
                form = self.random.randrange(5)
                if form == 0:
                    x = self.put(f"gelu({x.name})", x.shape)
                elif form == 1:
                    y = self.made(self.fitting(x.shape))
                    x = self.put(f"{x.name} {self.random.choice('+*-')} {y.name}", x.shape)
                elif form == 2:
                    x = self.put(f"{x.name} + {self.detour(x, 1.0).name}", x.shape)
                else:
                    for _ in range(self.random.randint(1, 2)):
                        y = self.viewed(x)
                        if not self.chance(0.4) or not y.rank:
                            continue
                        x = y
        return x

    def taken(self) -> Var:
        shape = (
            self.size() + 2,
            *(self.size() for _ in range(self.random.choice((0, 1, 1, 1, 2)))),
        )
        table = self.made(shape)
        ids = self.made(
            tuple(self.size() for _ in range(self.random.choice((1, 1, 1, 1, 2)))), "i32", True
        )
        x = self.put(f"take({table.name}, {ids.name}, axis=0)", (*ids.shape, *shape[1:]))
        for _ in range(self.random.randint(1, 3)):
            form = self.random.randrange(4)
            if form == 0:
                x = self.put(f"{x.name} * 2.0", x.shape)
            else:
                wide = tuple(self.size() if d == ONE and form == 1 else d for d in x.shape)
                y = self.made((wide, self.fitting(x.shape), x.shape)[form - 1])
                x = self.put(f"{x.name} + {y.name}", joint(x.shape, y.shape) or x.shape)
        return self.normed(x) if x.rank and self.chance(0.3) else x

    # --- the program

    def program(self) -> str:
        form = self.random.random()
        if form < 0.55:
            x = self.attended()
            if self.chance(0.15):
                x = self.attended(x if x.rank > 1 else None)
            x = self.merged(x)
        elif form < 0.75:
            x = self.layered()
        elif form < 0.87:
            x = self.rows()
        elif form < 0.94:
            x = self.products()
        else:
            x = self.taken()
        results = [x]
        if self.chance(0.15) and x.rank > 1:
            results = [self.put_product(x, self.literal())]
        elif self.chance(0.15) and x.rank > 0:
            results = [self.normed(x)]
        if self.chance(0.35):
            results = [self.viewed(results[0], self.random.randint(1, 2))]
            if self.chance(0.3):
                results.append(self.viewed(x))
        if self.chance(0.12):
            results.append(self.random.choice(self.vars or results))
        value = ", ".join(v.name for v in results)
        type_ = ", ".join(map(self.type, results))
        if len(results) > 1:
            value, type_ = f"({value})", f"({type_})"
        shown: list[str] = []
        for v in self.parameters:
            # Of a list the field `dtype` holds the number of its items.
            one = self.type(v)
            if v.dtype.isdigit():
                one = f"[{self.main}{self.show_shape(v.shape)}; {v.dtype}]"
            shown.append(f"{v.name}: {one}")
        # A size has to be the whole of an axis somewhere.
        for name in self.sizes:
            if re.search(rf"\b{name}\b", "".join(shown) + "".join(self.lines)):
                shown.append(f"n{name}: i32[{name}]")
        used = [name for name in self.sizes if f"n{name}: i32[{name}]" in shown]
        brackets = f"[{', '.join(used)}]" if used else ""
        body = "".join(f"    {line}\n" for line in self.lines)
        return (
            f"{HEAD}pub fn f{brackets}({', '.join(shown)}) -> {type_} {{\n{body}    {value}\n}}\n"
        )


def _product(shape: Shape) -> Size:
    total = ONE
    for d in shape:
        total = total * d
    return total


def generate_claims(seed: int) -> str:
    return Claims(Random(seed)).program()
