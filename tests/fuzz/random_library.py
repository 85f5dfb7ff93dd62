"""Statements that call functions: of the library, and helpers that the program has; comprehensions."""

from __future__ import annotations

from random_scope import Scope, Var, symbol

from tdsl.types.sizes import Size, divide_exactly

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


class Calls(Scope):
    def called(self) -> None:
        forms = (
            self.scaled,
            self.softmaxed,
            self.halved,
            self.repeated,
            self.headed,
            self.affine,
            self.normed,
            self.masked,
            self.attended,
        )
        self.random.choice(forms)()

    def tame(self, rank: int) -> Var | None:
        return self.pick(lambda v: v.floating and v.tame and v.rank >= rank)

    def scaled(self) -> None:
        if x := self.pick(lambda v: v.floating):
            self.let(f"scaled({x.name}, {self.number(x)})", x.dtype, x.shape)

    def softmaxed(self) -> None:
        if x := self.pick(lambda v: v.floating and v.rank > 0):
            self.let(f"softmax({x.name})", x.dtype, x.shape, False, True)

    def halved(self) -> None:
        x = self.pick(lambda v: v.rank > 0)
        half = divide_exactly(x.shape[-1], Size.of(2)) if x else None
        if x is None or half is None:
            return
        names = [f"v{self.count}", f"v{self.count + 1}"]
        self.count += 2
        self.lines.append(f"let ({names[0]}, {names[1]}) = halves({x.name})")
        shape = (*x.shape[:-1], half)
        self.vars += [Var(n, x.dtype, shape, x.exact, x.tame) for n in names]

    def repeated(self) -> None:
        x = self.pick(lambda v: v.rank == 1)
        if x is None:
            return
        times = self.random.choice([Size.of(2), Size.of(3), *map(symbol, self.statics)])
        call = f"repeated[times={times}]({x.name})"
        if self.chance(0.3):
            call = f"{x.name}.repeated[times={times}]()"
        self.let(call, x.dtype, (x.shape[0] * times,), x.exact, x.tame)

    def headed(self) -> None:
        x = self.pick(lambda v: v.rank == 2)
        count = self.random.choice([Size.of(1), Size.of(2), *map(symbol, self.statics)])
        part = divide_exactly(x.shape[1], count) if x else None
        if x is not None and part is not None:
            shape = (count, x.shape[0], part)
            self.let(f"heads_of[heads={count}]({x.name})", x.dtype, shape, x.exact, x.tame)

    def affine(self) -> None:
        x = self.tame(1)
        if x is None:
            return
        dtype, inner = x.dtype, x.shape[-1]
        w = self.pick(lambda v: v.dtype == dtype and v.tame and v.rank == 2 and v.shape[0] == inner)
        if w is None:
            return
        last = w.shape[1]
        b = self.pick(lambda v: v.dtype == dtype and v.shape == (last,))
        if b is not None:
            name = self.random.choice(("affine", "linear"))
            self.let(f"{name}({x.name}, {w.name}, {b.name})", dtype, (*x.shape[:-1], last))

    def normed(self) -> None:
        x = self.tame(1)
        if x is None:
            return
        dtype, last = x.dtype, x.shape[-1]
        b = self.pick(lambda v: v.dtype == dtype and v.shape == (last,))
        if b is not None:
            # The mean of squares is far from 0 only by the constant added.
            self.let(f"layer_norm({x.name}, {b.name}, {b.name}, epsilon=0.5)", dtype, x.shape)

    def masked(self) -> None:
        x = self.tame(1)
        if x is None:
            return
        shape = x.shape
        mask = self.pick(lambda v: v.dtype == "bool" and v.shape == shape)
        shown = mask.name if mask else f"full({self.show_shape(shape)}, true, bool)"
        self.let(f"masked_softmax({x.name}, {shown})", x.dtype, shape, False, True)

    def attended(self) -> None:
        """softmax(q @ k.T) @ v, by the batch where there is one."""
        x = self.tame(2)
        if x is None:
            return
        dtype, shape = x.dtype, x.shape
        y = self.pick(lambda v: v.dtype == dtype and v.tame and v.shape == shape) or x
        turned = [*range(x.rank - 2), x.rank - 1, x.rank - 2]
        scores = (*shape[:-1], shape[-2])
        product = f"{x.name} @ transpose({y.name}, {turned})"
        if x.rank == 2 and self.chance(0.5):
            product += f" + causal_mask({self.show(shape[0])}, {dtype})"
        function = self.random.choice(("softmax", "softmax", "log_softmax", "rms_norm"))
        if function == "rms_norm":
            gain = f"full([{self.show(shape[-2])}], 1.0, {dtype})"
            self.let(f"rms_norm({product}, {gain}, epsilon=0.5)", dtype, scores)
            return
        tame = function == "softmax"
        shares = self.let(f"{function}({product})", dtype, scores, False, tame)
        if tame:
            self.let(f"{shares.name} @ {x.name}", dtype, shape, False, True)

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
