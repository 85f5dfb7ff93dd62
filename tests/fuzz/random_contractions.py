"""Statements that sum up: reductions, running sums, products of matrices."""

from __future__ import annotations

from random_scope import ONE, Scope


class Contractions(Scope):
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
