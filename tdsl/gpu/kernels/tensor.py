"""Products on tensor cores: `mma.sync` on operands of 16 bits or TF32, with sums in f32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from tdsl.gpu.kernels.elements import load, store
from tdsl.gpu.kernels.form import MatmulForm
from tdsl.gpu.kernels.staging import Staging, as_type, whole
from tdsl.gpu.kernels.tiles import TensorTile
from tdsl.gpu.kernels.writer import WARP, Index, KernelCode
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Operand

_STEP: Final = 8
"""Words along the depth that one instruction multiplies."""
_ROWS, _COLUMNS = 16, 8
"""The size of its result."""


@dataclass(frozen=True)
class Multiplicand:
    """A type that tensor cores multiply: how many elements a word of 32 bits has, and how the
    instruction is spelled."""

    element: str
    pack: int
    ptx: str
    word: str
    depth: int


TYPES: Final = MappingProxyType(
    {
        "tf32": Multiplicand("f32", 1, "tf32", "i32", 8),
        "bf16": Multiplicand("bf16", 2, "bf16", "i32", 16),
        "f16": Multiplicand("f16", 2, "f16", "vector<2xf16>", 16),
    }
)


class TensorKernel:
    """Tiles lie in shared memory as words of 32 bits along the depth, each one TF32 number or two
    of 16 bits: [rows, words] where the depth is contiguous in memory, else [words, rows]. Both are
    padded so that the words of a fragment lie in different banks."""

    def __init__(self, form: MatmulForm, tile: TensorTile, type_: Multiplicand) -> None:
        self.form, self.tile, self.type = form, tile, type_
        self.code = code = KernelCode(tile.threads)
        self.depth = tile.words * type_.pack
        self.left = Staging(code, form.left, tile.rows, self.depth, type_.pack, 8)
        self.right = Staging(code, form.right, tile.columns, self.depth, type_.pack, 8)
        self.left_tile = self._memory(self.left)
        self.right_tile = self._memory(self.right)
        self.height = tile.rows // (tile.warp_rows * _ROWS)
        self.width = tile.columns // (tile.warp_columns * _COLUMNS)

    def _memory(self, staging: Staging) -> Operand:
        words = self.tile.words
        if staging.along_k:
            return self.code.shared("i32", 2, staging.rows, words + 4)
        return self.code.shared("i32", 2, words, staging.rows + 8)

    def text(self, symbol: str) -> str:
        form, tile, code = self.form, self.tile, self.code
        batch, row, column = form.tile(code, tile.rows, tile.columns)
        self.left.start(batch, row)
        self.right.start(batch, column)
        warp, lane = code.div(code.thread, WARP), code.rem(code.thread, WARP)
        # As the fragments have it: a group of four lanes holds a row.
        group, member = code.div(lane, 4), code.rem(lane, 4)
        down = code.mul(code.div(warp, tile.warp_columns), self.height * _ROWS)
        across = code.mul(code.rem(warp, tile.warp_columns), self.width * _COLUMNS)
        self._put(0, self._read(0))
        code.barrier()
        sums = [code.constant(0.0, "f32")] * (self.height * self.width * 4)

        def step(k: str, carried: list[Value]) -> Sequence[Value]:
            half = code.rem(code.div(k, self.depth), 2)
            following = self._read(code.add(k, self.depth))
            places = (code.add(down, group), code.add(across, group), member)
            found = self._multiply(half, places, carried)
            self._put(code.sub(1, half), following)
            code.barrier()
            return found

        sums = code.loop(code.index(0), code.index(form.k), self.depth, sums, step)
        column = code.add(code.add(column, across), code.mul(member, 2))
        self._finish(batch, code.add(code.add(row, down), group), column, sums)
        grid = form.grid(tile.rows, tile.columns)
        exact = form.is_exact(tile.rows, tile.columns, self.depth)
        together = tile.blocks if exact else 1
        return code.kernel(symbol, form.arguments, grid, together)

    # --- tiles

    def _read(self, k: Index) -> list[Value]:
        return [*self.left.read(k), *self.right.read(k)]

    def _put(self, half: Index, values: Sequence[Value]) -> None:
        count = len(self.left.types)
        self._put_side(self.left, self.left_tile, half, values[:count])
        self._put_side(self.right, self.right_tile, half, values[count:])

    def _put_side(
        self, staging: Staging, memory: Operand, half: Index, values: Sequence[Value]
    ) -> None:
        code, pack = self.code, self.type.pack
        for part, pieces in staging.pairs(values):
            word = code.div(part.k, pack)
            if staging.along_k:
                found = self._words(as_type(code, whole(code, pieces), self.type.element))
                self._store(memory, [half, part.row, word], found)
            elif pack == 1:
                found = self._words(as_type(code, pieces[0], self.type.element))
                self._store(memory, [half, word, part.row], found)
            else:
                rows = [as_type(code, one, self.type.element) for one in pieces]
                self._store(memory, [half, word, part.row], self._interleaved(*rows))

    def _interleaved(self, low: Value, high: Value) -> Value:
        """Words of two numbers from neighbouring rows."""
        code = self.code
        if not low.lanes:
            return self._words(code.joined([low, high]))
        order = [at + half * low.lanes for at in range(low.lanes) for half in (0, 1)]
        made = Value("", low.element, 2 * low.lanes)
        name = code.emit(
            f"vector.shuffle {low.name}, {high.name} [{', '.join(map(str, order))}] : "
            f"{low.type}, {low.type}"
        )
        return self._words(Value(name, made.element, made.lanes))

    def _words(self, value: Value) -> Value:
        """Numbers as words of 32 bits."""
        code = self.code
        if self.type.pack == 2:
            return code.bits(value, "i32", value.lanes // 2)
        return self._rounded(value)

    def _rounded(self, value: Value) -> Value:
        """The bits of f32 numbers rounded to TF32, as the instruction wants them: it ignores the
        last 13. NaN stays one."""
        code = self.code
        bits = code.convert("arith.bitcast", value, "i32")
        nearest = code.apply(
            "arith.andi",
            code.apply("arith.addi", bits, code.constant(1 << 12, "i32", value.lanes)),
            code.constant(-(1 << 13), "i32", value.lanes),
        )
        return code.select(code.compare("uno", value, value), bits, nearest)

    def _store(self, memory: Operand, indices: list[Index], words: Value) -> None:
        """At most four words at once."""
        code = self.code
        if words.lanes <= 4:
            store(code, memory, indices, words)
            return
        for start in range(0, words.lanes, 4):
            part = code.joined([code.lane(words, start + at) for at in range(4)])
            store(code, memory, [*indices[:-1], code.add(indices[-1], start)], part)

    # --- arithmetic

    def _multiply(
        self, half: Index, places: tuple[Index, Index, Index], sums: Sequence[Value]
    ) -> list[Value]:
        code = self.code
        row, column, member = places
        found = list(sums)
        for start in range(0, self.tile.words, _STEP):
            words = [code.add(member, start), code.add(member, start + _STEP // 2)]
            left = [
                [
                    self._fragment(self.left, self.left_tile, half, code.add(row, i * _ROWS + r), w)
                    for w in words
                    for r in (0, 8)
                ]
                for i in range(self.height)
            ]
            right = [
                [
                    self._fragment(
                        self.right, self.right_tile, half, code.add(column, j * _COLUMNS), w
                    )
                    for w in words
                ]
                for j in range(self.width)
            ]
            for i, a in enumerate(left):
                for j, b in enumerate(right):
                    at = (i * self.width + j) * 4
                    found[at : at + 4] = self._mma(a, b, found[at : at + 4])
        return found

    def _fragment(
        self, staging: Staging, memory: Operand, half: Index, row: Index, word: Index
    ) -> str:
        code = self.code
        indices = [half, row, word] if staging.along_k else [half, word, row]
        if self.type.word == "i32":
            return load(code, memory, indices, 0).name
        one = load(code, memory, indices, 1)
        return code.bits(one, self.type.element, 2).name

    def _mma(self, a: Sequence[str], b: Sequence[str], c: Sequence[Value]) -> list[Value]:
        code, type_ = self.code, self.type
        struct = "!llvm.struct<(f32, f32, f32, f32)>"
        multiplicand = f"#nvvm.mma_type<{type_.ptx}>"
        shape = f"#nvvm.shape<m = {_ROWS}, n = {_COLUMNS}, k = {type_.depth}>"
        name = code.emit(
            f"nvvm.mma.sync A[{', '.join(a)}] B[{', '.join(b)}] "
            f"C[{', '.join(one.name for one in c)}] "
            f"{{layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, "
            f"multiplicandAPtxType = {multiplicand}, multiplicandBPtxType = {multiplicand}, "
            f"shape = {shape}}} : ({type_.word}, {type_.word}, f32) -> {struct}"
        )
        return [
            Value(code.emit(f"llvm.extractvalue {name}[{at}] : {struct}"), "f32") for at in range(4)
        ]

    # --- the end

    def _finish(self, batch: Index, row: Index, column: Index, sums: Sequence[Value]) -> None:
        code = self.code
        for i in range(self.height):
            for half in (0, 1):
                pieces: list[tuple[Index, list[Value]]] = []
                for j in range(self.width):
                    at = (i * self.width + j) * 4 + 2 * half
                    pieces.append((code.add(column, j * _COLUMNS), list(sums[at : at + 2])))
                here = code.add(row, i * _ROWS + 8 * half)
                self.form.finish(code, batch, here, pieces)
