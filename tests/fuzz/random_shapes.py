"""Statements that change shapes: subscripts, reshapes, joins, parts."""

from __future__ import annotations

from random_scope import ONE, Scope, Var

from tdsl.types.sizes import Size, divide_exactly


class Shapes(Scope):
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
