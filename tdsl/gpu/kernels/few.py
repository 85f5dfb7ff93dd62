"""Products of a few rows, or columns: one operand is read once, and nothing but its speed counts."""

from __future__ import annotations

from collections.abc import Sequence

from tdsl.gpu.kernels.elements import load, store
from tdsl.gpu.kernels.form import MatmulForm, Source
from tdsl.gpu.kernels.rows import across
from tdsl.gpu.kernels.staging import as_type
from tdsl.gpu.kernels.tiles import BUSY_BLOCKS, FEW_STEPS, FEW_WARPS, MOST_BLOCKS
from tdsl.gpu.kernels.writer import WARP, Flag, Index, KernelCode
from tdsl.lowering.claims.code import Value
from tdsl.lowering.kernels import Refused

_MOST_LANES = 4


class FewKernel:
    """One side is a matrix of few rows, the other one of many columns; if it is the product that
    has few columns, then the other way round. Where columns are neighbours in memory, the threads
    of a warp have neighbouring columns, and the warps of a block share the depth. Else a warp has a
    column, and its threads the depth."""

    def __init__(self, form: MatmulForm) -> None:
        self.form = form
        swapped = form.m > form.n
        self.few, self.many = (form.right, form.left) if swapped else (form.left, form.right)
        self.swapped = swapped
        self.rows, self.size = (form.n, form.m) if swapped else (form.m, form.n)
        """Few rows, and many columns."""
        self.code = KernelCode(FEW_WARPS * WARP)
        self.by_columns = self.many.along != "k"
        self.lanes = self._lanes()
        self.columns = WARP * self.lanes if self.by_columns else FEW_WARPS
        """Columns of a block."""
        self.blocks = -(-self.size // self.columns) * form.batches
        if self.blocks > MOST_BLOCKS:
            raise Refused(f"it takes {self.blocks} blocks, and a grid has at most {MOST_BLOCKS}")

    def _lanes(self) -> int:
        form = self.form
        if not self.by_columns:
            return min(self.many.wide["k"], self.few.wide["k"], _MOST_LANES)
        lanes = min(self.many.wide[self.many.row], _MOST_LANES)
        while lanes > 1 and -(-self.size // (WARP * lanes)) * form.batches < BUSY_BLOCKS:
            lanes //= 2
        return lanes

    @property
    def _wide(self) -> int:
        return self.lanes if self.lanes > 1 else 0

    def text(self, symbol: str) -> str:
        code, form = self.code, self.form
        across_n = -(-self.size // self.columns)
        block: Index = code.block() if self.blocks > 1 else 0
        batch = code.div(block, across_n)
        first = code.mul(code.rem(block, across_n), self.columns)
        warp, lane = code.div(code.thread, WARP), code.rem(code.thread, WARP)
        if self.by_columns:
            self._by_columns(batch, first, warp, lane)
        else:
            self._by_depth(batch, code.add(first, warp), lane)
        together = 4 if self.rows == 1 else 2  # more rows are more sums in registers
        return code.kernel(symbol, form.arguments, (self.blocks, 1, 1), together)

    # --- columns are neighbours

    def _by_columns(self, batch: Index, first: Index, warp: Index, lane: Index) -> None:
        code, form, wide = self.code, self.form, self._wide
        column = code.add(first, code.mul(lane, self.lanes))
        in_columns = code.below(column, self.size) if self.size % self.columns else True
        zero = code.constant(0.0, form.element, wide)

        def step(k: str, sums: list[Value]) -> Sequence[Value]:
            # All are asked for before the first one is needed.
            places = [code.add(k, at * FEW_WARPS) for at in range(FEW_STEPS)]
            flags = [self._in_depth(place, FEW_WARPS * FEW_STEPS) for place in places]
            rights = [
                self._read(self.many, batch, column, place, code.both(in_columns, flag), wide)
                for place, flag in zip(places, flags, strict=True)
            ]
            found = list(sums)
            for place, flag, right in zip(places, flags, rights, strict=True):
                for row in range(self.rows):
                    left = self._read(self.few, batch, row, place, flag, 0)
                    found[row] = code.fused(code.spread(left, wide), right, found[row])
            return found

        end = code.index(form.k)
        sums = code.loop(code.at(warp), end, FEW_WARPS * FEW_STEPS, [zero] * self.rows, step)
        memory = code.shared(form.element, FEW_WARPS, self.rows, self.columns)
        for row in range(self.rows):
            store(code, memory, [warp, row, code.mul(lane, self.lanes)], sums[row])
        code.barrier()
        count = self.rows * self.columns
        for start in range(0, count, code.threads):
            place = code.add(code.thread, start)
            part: tuple[Index, Index] = (
                code.div(place, self.columns),
                code.rem(place, self.columns),
            )

            def finish(part: tuple[Index, Index] = part) -> None:
                row, here = part
                total = load(code, memory, [0, row, here], 0)
                for other in range(1, FEW_WARPS):
                    total = code.apply(
                        "arith.addf", total, load(code, memory, [other, row, here], 0)
                    )
                self._finish(batch, row, code.add(first, here), total)

            code.only_if(code.below(place, count) if count < start + code.threads else True, finish)

    # --- a warp has a column

    def _by_depth(self, batch: Index, column: Index, lane: Index) -> None:
        code, form, wide = self.code, self.form, self._wide
        span = WARP * self.lanes
        inside: Flag = code.below(column, self.size) if self.size % self.columns else True
        zero = code.constant(0.0, form.element, wide)

        def whole() -> None:
            def step(k: str, sums: list[Value]) -> Sequence[Value]:
                places = [code.add(k, at * span) for at in range(FEW_STEPS)]
                flags = [self._in_depth(place, span * FEW_STEPS) for place in places]
                rights = [
                    self._read(self.many, batch, column, place, flag, wide)
                    for place, flag in zip(places, flags, strict=True)
                ]
                found = list(sums)
                for place, flag, right in zip(places, flags, rights, strict=True):
                    for row in range(self.rows):
                        left = self._read(self.few, batch, row, place, flag, wide)
                        found[row] = code.fused(left, right, found[row])
                return found

            start = code.at(code.mul(lane, self.lanes))
            sums = code.loop(start, code.index(form.k), span * FEW_STEPS, [zero] * self.rows, step)
            for row in range(self.rows):
                lanes = [code.lane(sums[row], at) for at in range(self.lanes)]
                while len(lanes) > 1:
                    lanes = [
                        code.apply("arith.addf", *lanes[at : at + 2])
                        for at in range(0, len(lanes), 2)
                    ]
                total = across(code, "add", lanes[0], WARP)
                code.only_if(
                    code.below(lane, 1),
                    lambda row=row, total=total: self._finish(batch, row, column, total),  # type: ignore[misc]
                )

        code.only_if(inside, whole)

    def _finish(self, batch: Index, row: Index, column: Index, total: Value) -> None:
        if self.swapped:
            row, column = column, row
        self.form.finish(self.code, batch, row, [(column, [total])])

    # --- operands

    def _in_depth(self, k: Index, step: int) -> Flag:
        return True if self.form.k % step == 0 else self.code.below(k, self.form.k)

    def _read(
        self, source: Source, batch: Index, row: Index, k: Index, inside: Flag, lanes: int
    ) -> Value:
        """As the type that is computed in; 0 where nothing is to be read."""
        code = self.code
        value = source.load_if(code, inside, batch, row, k, lanes)
        return as_type(code, value, self.form.element)
