"""Random programs near what kernels are put in place of: attention, rows, products, takes."""

from __future__ import annotations

import re
from random import Random

from random_pieces import Pieces
from random_scope import ONE, Var
from random_views import joint

from tdsl.types.sizes import Size

HEAD = (
    "tdsl 0.1\n\nfrom std.nn import softmax, log_softmax, masked_softmax, causal, layer_norm, "
    "rms_norm, gelu\n\n"
)


class Claims(Pieces):
    # --- attention

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


def generate_claims(seed: int) -> str:
    return Claims(Random(seed)).program()
