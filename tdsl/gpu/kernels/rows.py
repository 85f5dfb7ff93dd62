"""GPU kernels for chains over rows: softmax, layer_norm, and whatever else reduces the last axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from tdsl.gpu.kernels.elements import Elements, store, widest, written
from tdsl.gpu.kernels.generator import FixedSizes
from tdsl.gpu.kernels.tiles import MOST_BLOCKS, ROW_LANE_ELEMENTS, ROW_THREADS, ROW_WARPS
from tdsl.gpu.kernels.writer import WARP, Flag, Index, KernelCode
from tdsl.lowering.claims.body import Combine, Reduce, Tensor, Unreadable
from tdsl.lowering.claims.chain import Chain
from tdsl.lowering.claims.code import Value
from tdsl.lowering.claims.evaluate import Operand, Place, Places
from tdsl.lowering.kernels import GridLaunch, Kernel, Refused
from tdsl.lowering.options import Options

_MOST_LANES = 4


class RowsKernel:
    """A warp for each row, or a block of threads. What a thread reads and computes of a row it
    keeps in registers, from one reduction to the next, if it is no more than a few elements."""

    def __init__(
        self,
        function: Any,
        operands: Sequence[Any],
        result: Any,
        aligned: frozenset[int] = frozenset(),
        threads: int | None = None,
    ) -> None:
        """`threads` for a row: 32 is a warp of a block with other rows in it."""
        self.chain = chain = Chain.of(function)
        self.aligned = aligned
        self.operands = [Operand(f"%in{at}", type_) for at, type_ in enumerate(operands)]
        self.result = Operand("%out", result)
        self.length = int(chain.phases[0][0].source.type.shape[-1])
        self.shape = [int(size) for size in chain.body.result.type.shape[: chain.rank]]
        self.rows = 1
        for size in self.shape:
            self.rows *= size
        self.lanes = self._lanes()
        self.threads = threads or self._threads()
        self.together = ROW_WARPS if self.threads == WARP else 1
        """Rows of a block."""
        self.blocks = -(-self.rows // self.together)
        if self.blocks > MOST_BLOCKS:
            raise Refused(f"it has {self.rows} rows, which are more than a grid has blocks for")
        self.code = KernelCode(self.threads * self.together)
        self.sums: dict[Reduce, Value] = {}
        self.row: Places = ()
        self.thread: Index = 0

    def _lanes(self) -> int:
        """Elements that are read at once, as most of the operands that rows run along allow."""
        found = [1]
        for value in self.chain.body.values():
            for operand, access in value.inputs:
                if operand in self.chain.body.arguments and self.chain.rank in access:
                    place = self.chain.body.arguments.index(operand)
                    axis = access.index(self.chain.rank)
                    aligned = place in self.aligned
                    found.append(widest(self.operands[place], axis, aligned=aligned))
        lanes = min(max(found), _MOST_LANES)
        while lanes > 1 and self.length % lanes:
            lanes //= 2
        return lanes

    def _threads(self) -> int:
        if self.length <= WARP * ROW_LANE_ELEMENTS:
            return WARP
        warps = -(-self.length // (WARP * ROW_LANE_ELEMENTS))
        return min(warps * WARP, ROW_THREADS)

    def text(self, symbol: str) -> str:
        code = self.code
        row: Index = code.block()
        self.thread = code.thread
        inside: Flag = True
        if self.together > 1:
            self.thread = code.rem(code.thread, WARP)
            row = code.add(code.mul(row, self.together), code.div(code.thread, WARP))
            if self.rows % self.together:
                inside = code.below(row, self.rows)
        if isinstance(inside, str):
            code.line(f"scf.if {inside} {{")
        self.row = tuple(Place(code.at(index)) for index in code.split(row, self.shape))
        self._phases()
        if isinstance(inside, str):
            code.line("}")
        return code.kernel(symbol, [*self.operands, self.result], (self.blocks, 1, 1))

    # --- phases

    def _phases(self) -> None:
        step = self.threads * self.lanes
        slots = -(-self.length // step)
        if slots * self.lanes <= ROW_LANE_ELEMENTS:
            self._held(slots)
        else:
            self._again()

    def _held(self, slots: int) -> None:
        """All elements of a thread in registers: what was computed for one phase is there for the
        next, because each slot is evaluated by one object."""
        code = self.code
        evaluators = [self._elements() for _ in range(slots)]
        places, flags = [], []
        for slot in range(slots):
            first = code.mul(code.add(self.thread, slot * self.threads), self.lanes)
            whole = (slot + 1) * self.threads * self.lanes <= self.length
            flags.append(True if whole else code.below(first, self.length))
            # The last elements stand in for what is beyond.
            here = first if whole else code.least(first, self.length - self.lanes)
            places.append(self._at(here))
        for phase in self.chain.phases:
            totals: list[Value] = []
            for reduction in phase:
                neutral = self._neutral(reduction)
                found: Value | None = None
                for evaluator, place, flag in zip(evaluators, places, flags, strict=True):
                    value = self._read(evaluator, reduction, place)
                    value = code.choose(flag, value, neutral)
                    found = value if found is None else self._combined(reduction, found, value)
                assert found is not None
                totals.append(found)
            self._total(phase, totals)
        if not self.chain.rows:
            self._one()
            return
        for evaluator, place, flag in zip(evaluators, places, flags, strict=True):
            value = evaluator.at(self.chain.body.result, (*self.row, place))
            self.code.only_if(flag, partial(self._write, place, value))

    def _again(self) -> None:
        """Rows too long for that: each phase reads and computes them anew."""
        code = self.code
        first = code.at(code.mul(self.thread, self.lanes))
        end, step = code.index(self.length), self.threads * self.lanes
        for phase in self.chain.phases:

            def add(j: str, carried: list[Value], phase: tuple[Reduce, ...] = phase) -> list[Value]:
                evaluator = self._elements()
                return [
                    self._combined(one, total, self._read(evaluator, one, self._at(j)))
                    for one, total in zip(phase, carried, strict=True)
                ]

            neutral = [self._neutral(one) for one in phase]
            self._total(phase, code.loop(first, end, step, neutral, add))
        if not self.chain.rows:
            self._one()
            return

        def finish(j: str, _: list[Value]) -> tuple[()]:
            place = self._at(j)
            self._write(place, self._elements().at(self.chain.body.result, (*self.row, place)))
            return ()

        code.loop(first, end, step, [], finish)

    def _at(self, index: Index) -> Place:
        return Place(self.code.at(index), self.lanes if self.lanes > 1 else 0)

    def _elements(self) -> Elements:
        known: Mapping[Tensor, Callable[[Places], Value]] = _Sums(self.sums)
        return Elements(self.code, self.operands, known, self.aligned)

    def _read(self, evaluator: Elements, reduction: Reduce, place: Place) -> Value:
        source, access = reduction.inputs[0]
        places = (*self.row, place)
        value = evaluator.at(
            source, tuple(Place(None) if at is None else places[at] for at in access)
        )
        return self.code.spread(value, place.lanes)

    def _write(self, place: Place, value: Value) -> None:
        value = self.code.spread(value, place.lanes)
        last = self.chain.rank
        wide = widest(self.result, last, aligned=len(self.operands) in self.aligned)
        written(self.code, self.result, (*self.row, place), value, wide=wide)

    def _one(self) -> None:
        """A result for the row, not for its elements: one thread writes it."""
        code, result = self.code, self.chain.body.result
        rest = () if result.rank == self.chain.rank else (Place(code.index(0)),)

        def write() -> None:
            value = self._elements().at(result, (*self.row, *rest))
            written(code, self.result, (*self.row, *rest), value, wide=1)

        self.code.only_if(code.below(self.thread, 1), write)

    # --- reductions

    def _neutral(self, reduction: Reduce) -> Value:
        infinity = float("inf")
        value = {"add": 0.0, "mul": 1.0, "max": -infinity, "min": infinity}[reduction.combine]
        lanes = self.lanes if self.lanes > 1 else 0
        return self.code.constant(value, _element(reduction), lanes)

    def _combined(self, reduction: Reduce, x: Value, y: Value) -> Value:
        return combine(self.code, reduction.combine, x, y)

    def _total(self, phase: Sequence[Reduce], totals: Sequence[Value]) -> None:
        """What all threads of the row have found, known to each of them."""
        code = self.code
        warps = self.threads // WARP
        found = []
        for one, total in zip(phase, totals, strict=True):
            lanes = [code.lane(total, at) for at in range(max(total.lanes, 1))]
            while len(lanes) > 1:
                lanes = [self._combined(one, *lanes[at : at + 2]) for at in range(0, len(lanes), 2)]
            found.append(across(code, one.combine, lanes[0], WARP))
        if warps == 1:
            self.sums.update(zip(phase, found, strict=True))
            return
        lane, warp = code.rem(code.thread, WARP), code.div(code.thread, WARP)
        # Memory of its own for each reduction: none of it is written a second time.
        memories = [code.shared(total.element, warps) for total in found]

        def keep() -> None:
            for memory, total in zip(memories, found, strict=True):
                store(code, memory, [warp], total)

        self.code.only_if(code.below(lane, 1), keep)
        code.barrier()
        width = 1 << (warps - 1).bit_length()
        place = code.rem(lane, width)
        for one, memory in zip(phase, memories, strict=True):
            part = code.least(place, warps - 1) if warps < width else place
            value = Value(
                code.emit(f"memref.load {memory.name}[{code.at(part)}] : {memory.type}"),
                memory.element,
            )
            if warps < width:
                neutral = code.lane(self._neutral(one), 0)
                value = code.choose(code.below(place, warps), value, neutral)
            self.sums[one] = across(code, one.combine, value, width)


class _Sums(Mapping[Tensor, Callable[[Places], Value]]):
    """The totals that are known so far, to one who computes elements."""

    def __init__(self, sums: Mapping[Any, Value]) -> None:
        self._sums = sums

    def __getitem__(self, key: Tensor) -> Callable[[Places], Value]:
        value = self._sums[key]
        return lambda _: value

    def __contains__(self, key: object) -> bool:
        return key in self._sums

    def __iter__(self) -> Any:
        return iter(self._sums)

    def __len__(self) -> int:
        return len(self._sums)


def _element(value: Tensor) -> str:
    return "f64" if value.element == "f64" else "f32"


def combine(code: KernelCode, kind: Combine, x: Value, y: Value) -> Value:
    """NaN, once there, stays."""
    name = {"add": "addf", "mul": "mulf", "max": "maximumf", "min": "minimumf"}[kind]
    return code.apply(f"arith.{name}", x, y)


def across(code: KernelCode, kind: Combine, value: Value, lanes: int) -> Value:
    """The combination over this many neighbouring lanes, the same in all of them."""
    distance = lanes // 2
    while distance:
        value = combine(code, kind, value, code.shuffle(value, distance))
        distance //= 2
    return value


def kernel(
    symbol: str,
    function: Any,
    operands: Sequence[Any],
    result: Any,
    *,
    aligned: frozenset[int] = frozenset(),
    threads: int | None = None,
) -> Kernel:
    """The kernel for a claim of kind rows."""
    try:
        made = RowsKernel(function, operands, result, aligned, threads)
        text = made.text(symbol)
    except Unreadable as reason:
        raise Refused(str(reason)) from reason
    arguments = tuple(range(len(operands) + 1))
    launch = GridLaunch(symbol, (made.blocks, 1, 1), (made.code.threads, 1, 1), arguments)
    return Kernel(symbol, text, None, (launch,))


class Rows(FixedSizes):
    """The generator of kernels for claims of kind rows."""

    def write(
        self,
        symbol: str,
        function: Any,
        operands: Sequence[Any],
        result: Any,
        options: Options,
        aligned: frozenset[int] = frozenset(),
    ) -> Kernel:
        return kernel(symbol, function, operands, result, aligned=aligned)
