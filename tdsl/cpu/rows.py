"""Kernels for chains over rows: softmax, layer_norm, and whatever else reduces along the last axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from mlir import ir

from tdsl.cpu.memory import plain_memory
from tdsl.cpu.ranges import ELEMENTS, Range, worth
from tdsl.cpu.running import Running
from tdsl.cpu.vectors import exp_of_negative
from tdsl.lowering.claims.body import Map, Reduce, Tensor, Unreadable
from tdsl.lowering.claims.chain import Chain
from tdsl.lowering.claims.code import Code, Value
from tdsl.lowering.claims.evaluate import ONLY, Evaluator, Operand, Place, Places, store
from tdsl.lowering.claims.softmax import as_products, flushable, operation, plain
from tdsl.lowering.kernels import Kernel, KernelRequest, Refused
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block

# Sums that go on side by side: adding takes several cycles, and several can be under way.
_STREAMS: Final = 4
# Kept rows lie on the stack, which threads have little of.
_KEPT_BYTES: Final = 1 << 16

_COSTLY: Final = frozenset(
    {
        "math.exp", "math.exp2", "math.expm1", "math.log", "math.log2", "math.log1p", "math.tanh",
        "math.erf", "math.sin", "math.cos", "math.powf", "math.sqrt", "math.rsqrt", "arith.divf",
    }
)  # fmt: skip


def kernel(
    name: str,
    function: Any,
    operands: Sequence[Any],
    result: Any,
    vector_bytes: int,
    threads: int = 1,
) -> str:
    """The text of `@name(operands…, result)` and of the part of it that does a range of rows."""
    chain = Chain.of(function)
    wide = any(value.element == "f64" for value in chain.body.values())
    writer = _Writer(chain, operands, result, vector_bytes // (8 if wide else 4))
    return writer.text(name, threads)


class Rows:
    """The generator of kernels for claims of kind rows."""

    def accept(self, function: Any, machine: Machine, options: Options) -> None:
        operands, result = plain_memory(function)
        try:
            # Written once to see whether it can be: layouts make no difference to that.
            kernel("probe", function, operands, result, machine.vector_bytes)
        except Unreadable as reason:
            raise Refused(str(reason)) from reason

    def unit_last(self, function: Any) -> tuple[bool, ...]:
        return (True,) * (len(as_block(function).arguments) + 1)

    def generate(self, request: KernelRequest) -> Kernel:
        machine = request.machine
        text = kernel(
            request.symbol,
            request.function,
            request.operands,
            request.result,
            machine.vector_bytes,
            machine.threads,
        )
        return Kernel(request.symbol, text)


class _Writer:
    def __init__(self, chain: Chain, operands: Sequence[Any], result: Any, lanes: int) -> None:
        self.chain = chain
        self.lanes = lanes
        self.code = Code()
        self.operands = [Operand(f"%in{i}", type) for i, type in enumerate(operands)]
        self.result = Operand("%out", result)
        self.flush = flushable(chain.body)
        self.products = as_products(chain.body)
        self.sums: dict[Reduce, Value] = {}
        self.kept: dict[Tensor, Operand] = {}
        self.row: Places = ()
        self.length = self._length(self.code, chain.phases[0][0].source)

    def text(self, name: str, threads: int) -> str:
        code = self.code
        arguments = [(one.name, str(one.type)) for one in (*self.operands, self.result)]
        code.loop("%begin", "%end", 1, [], self._row)
        part = code.function(f"{name}.part", [*arguments, ("%begin", "index"), ("%end", "index")])
        outer = Code()
        count = outer.index(1)
        sizes = [self._size(outer, self.result, axis) for axis in range(self.chain.rank)]
        for size in sizes:
            count = outer.index_op("muli", count, size)
        length = self._length(outer, self.chain.phases[0][0].source)
        known = [outer.known(size) for size in (*sizes, length)]
        rows = Range(f"{name}.part", arguments, worth(threads, ELEMENTS, known))
        some = outer.index_op("maxui", length, outer.index(1))
        grain = outer.index_op("ceildivui", outer.index(ELEMENTS), some)
        outer.line(rows.call(outer.index(0), count, grain))
        return part + rows.declaration() + outer.function(name, arguments)

    @staticmethod
    def _size(code: Code, operand: Operand, axis: int) -> str:
        literal = operand.type.shape[axis]
        if not ir.ShapedType.is_dynamic_size(literal):
            return code.index(literal)
        return code.top(f"memref.dim {operand.name}, {code.index(axis)} : {operand.type}")

    def _length(self, code: Code, source: Tensor) -> str:
        """How many elements a row has."""
        literal = source.type.shape[-1]
        if not ir.ShapedType.is_dynamic_size(literal):
            return code.index(literal)
        if self.chain.rows:
            return self._size(code, self.result, self.chain.rank)
        for value in self.chain.body.values():
            for operand, access in value.inputs:
                # An argument that a row runs along has its length; one that stretches has 1.
                if operand in self.chain.body.arguments and self.chain.rank in access:
                    place = self.chain.body.arguments.index(operand)
                    axis = access.index(self.chain.rank)
                    if operand.type.shape[axis] == literal:
                        return self._size(code, self.operands[place], axis)
        raise Unreadable("the length of rows is not known")

    # --- one row

    def _row(self, unit: str, _: list[Value]) -> Sequence[Value]:
        code, rank = self.code, self.chain.rank
        places: list[Place] = []
        for axis in reversed(range(rank)):
            if self.result.type.shape[axis] == 1:
                places.append(Place(code.index(0)))
            elif all(size == 1 for size in self.result.type.shape[:axis]):
                places.append(Place(unit))
                unit = code.index(0)
            else:
                size = self._size(code, self.result, axis)
                places.append(Place(code.index_op("remui", unit, size)))
                unit = code.index_op("divui", unit, size)
        self.row = tuple(reversed(places))
        self.sums.clear()
        self.kept.clear()
        for number, phase in enumerate(self.chain.phases):
            self._reduce(phase, number)
        self._finish()
        return ()

    def _evaluator(self, mask: str | None = None, *, last: bool = False) -> Evaluator:
        special: dict[Tensor, Callable[[Places], Value]] = {}
        for reduction, total in self.sums.items():
            special[reduction] = partial(_known, total)
        evaluator = Evaluator(self.code, self.operands, special, mask, contract=last)
        for exponential in self.flush:
            special[exponential] = partial(self._exponential, evaluator, exponential)
        for quotient in self.products:
            special[quotient] = partial(self._product, evaluator, quotient)
        for kept, memory in self.kept.items():
            special[kept] = partial(self._recalled, evaluator, memory)
        return evaluator

    def _leading(self, memory: Operand) -> Places:
        return self.row if memory is self.result else ()

    def _exponential(self, evaluator: Evaluator, value: Tensor, places: Places) -> Value:
        ((argument, access),) = value.inputs
        return exp_of_negative(self.code, evaluator.at(argument, _through(access, places)))

    def _recalled(self, evaluator: Evaluator, memory: Operand, places: Places) -> Value:
        return evaluator.load(memory, (*self._leading(memory), places[-1]))

    def _product(self, evaluator: Evaluator, quotient: Tensor, places: Places) -> Value:
        parts = operation(quotient, "arith.divf")
        assert parts is not None
        assert isinstance(quotient, Map)
        found = []
        for part in parts:
            access = next(access for operand, access in quotient.inputs if operand is part)
            assert isinstance(part, Tensor)
            found.append(evaluator.at(part, _through(access, places)))
        x, y = found
        if y.lanes:
            return self.code.apply("arith.divf", x, y)
        one = self.code.constant(1.0, y.element)
        return self.code.apply("arith.mulf", x, self.code.apply("arith.divf", one, y))

    # --- phases

    def _reduce(self, phase: tuple[Reduce, ...], number: int) -> None:
        code = self.code
        keep = self._to_keep(number)
        neutral = [self._neutral(one) for one in phase]

        def step(evaluator: Evaluator, j: str, mask: str | None) -> list[Value]:
            found = []
            for one, nothing in zip(phase, neutral, strict=True):
                source, access = one.inputs[0]
                places = (*self.row, Place(j, self.lanes))
                value = code.spread(evaluator.at(source, _through(access, places)), self.lanes)
                if mask is not None:
                    value = code.select(Value(mask, "i1", self.lanes), value, nothing)
                found.append(value)
            for kept, memory in keep.items():
                places = (*self.row, Place(j, self.lanes))
                indices = [place.base or code.index(0) for place in self._leading(memory)]
                value = code.spread(evaluator.at(kept, places), self.lanes)
                store(code, memory, [*indices, j], value, mask)
            return found

        for one, total in zip(phase, self._along(step, phase, neutral), strict=True):
            self.sums[one] = total
        self.kept.update(keep)

    def _neutral(self, reduction: Reduce) -> Value:
        infinity = float("inf")
        value = {"add": 0.0, "mul": 1.0, "max": -infinity, "min": infinity}[reduction.combine]
        element = "f64" if reduction.element == "f64" else "f32"
        return self.code.constant(value, element, self.lanes)

    def _finish(self) -> None:
        chain, code = self.chain, self.code
        if not chain.rows:
            rest = () if chain.body.result.rank == chain.rank else (Place(code.index(0)),)
            value = self._evaluator().at(chain.body.result, (*self.row, *rest))
            indices = [place.base or code.index(0) for place in (*self.row, *rest)]
            store(code, self.result, indices, value)
            return

        def step(evaluator: Evaluator, j: str, mask: str | None) -> list[Value]:
            places = (*self.row, Place(j, self.lanes))
            value = code.spread(evaluator.at(chain.body.result, places), self.lanes)
            indices = [place.base or code.index(0) for place in self.row]
            store(code, self.result, [*indices, j], value, mask)
            return []

        self._along(step, (), (), last=True)

    def _along(
        self,
        step: Callable[[Evaluator, str, str | None], list[Value]],
        reductions: tuple[Reduce, ...],
        neutral: Sequence[Value],
        *,
        last: bool = False,
    ) -> list[Value]:
        """All of a row: several vectors at a time, one at a time, and then some of the lanes. The
        sums of what `step` gives for each."""
        code, lanes = self.code, self.lanes
        count = code.known(self.length)
        wide = lanes * _STREAMS
        zero = code.index(0)
        running = [Running(code, one.combine) for one in reductions]
        first = zero

        def add(carried: list[Value], found: Sequence[list[Value]]) -> list[Value]:
            """What several streams found, to what is carried for as many."""
            given: list[Value] = []
            for place, one in enumerate(running):
                mine = [carried.pop(0) for _ in range(one.carried(len(found)))]
                given.extend(one.step(mine, [values[place] for values in found]))
            return given

        def start(streams: int) -> list[Value]:
            pairs = zip(running, neutral, strict=True)
            return [value for one, nothing in pairs for value in one.start(nothing, streams)]

        totals = start(1)
        if count is None or count >= wide:
            end = code.index(count - count % wide) if count is not None else self._floor(wide)

            def several(j: str, carried: list[Value]) -> list[Value]:
                found = [
                    step(self._evaluator(last=last), code.plus(j, stream * lanes), None)
                    for stream in range(_STREAMS)
                ]
                return add(carried, found)

            carried = code.loop(zero, end, wide, start(_STREAMS), several)
            totals = []
            for one in running:
                mine = [carried.pop(0) for _ in range(one.carried(_STREAMS))]
                totals.extend(one.join(mine))
            first = end
        if count is None or count % wide >= lanes:
            end = code.index(count - count % lanes) if count is not None else self._floor(lanes)
            totals = code.loop(
                first,
                end,
                lanes,
                totals,
                lambda j, carried: add(carried, [step(self._evaluator(last=last), j, None)]),
            )
            first = end
        if count is None or count % lanes:
            rest = (
                code.index(count % lanes)
                if count is not None
                else code.index_op("subi", self.length, first)
            )

            def tail() -> list[Value]:
                mask = code.emit(f"vector.create_mask {rest} : vector<{lanes}xi1>")
                return add(list(totals), [step(self._evaluator(mask, last=last), first, mask)])

            if count is not None:
                totals = tail()
            else:
                some = code.less("sgt", rest, zero)
                totals = code.when(some, tail, lambda: totals, totals)
        return [one.end([totals.pop(0) for _ in range(one.carried(1))]) for one in running]

    def _floor(self, step: int) -> str:
        rest = self.code.index_op("remui", self.length, self.code.index(step))
        return self.code.index_op("subi", self.length, rest)

    # --- what is kept from one phase to the next

    def _to_keep(self, number: int) -> dict[Tensor, Operand]:
        """Costly values of this phase that later ones read again, and where they are kept: in the
        row of the result that is still to be written, or on the stack if rows are short."""
        found: dict[Tensor, Operand] = {}
        phases = self.chain.phases
        now = self._reached([one.source for one in phases[number]])
        later: list[Tensor] = [one.source for phase in phases[number + 1 :] for one in phase]
        later.append(self.chain.body.result)
        count = self.code.known(self.length)
        for value in self._tops(later, now):
            taken = {*self.kept.values(), *found.values()}
            if self.chain.rows and self.result not in taken and self._fits(value):
                found[value] = self.result
            elif count is not None and count * 8 <= _KEPT_BYTES:
                element = "f64" if value.element == "f64" else "f32"
                type_ = ir.MemRefType.get([count], ir.Type.parse(element))
                memory = self.code.top(f"memref.alloca() {{alignment = 64}} : {type_}")
                place = len(taken)
                if place and any(memory == one.name for one in taken):
                    memory = self.code.top(
                        f"memref.alloca() {{alignment = 64, tdsl.row = {place}}} : {type_}"
                    )
                found[value] = Operand(memory, type_)
        return found

    def _fits(self, value: Tensor) -> bool:
        return value.element == self.result.element and value.element in ("f32", "f64")

    def _reached(self, roots: Sequence[Tensor]) -> set[Tensor]:
        found: set[Tensor] = set()
        stack = list(roots)
        while stack:
            value = stack.pop()
            if value not in found and isinstance(value, Map) and value not in self.kept:
                found.add(value)
                stack.extend(operand for operand, _ in value.inputs)
        return found

    def _tops(self, roots: Sequence[Tensor], now: set[Tensor]) -> list[Tensor]:
        found: list[Tensor] = []
        seen: set[Tensor] = set()
        stack = list(roots)
        while stack:
            value = stack.pop()
            if value in seen or not isinstance(value, Map) or value in self.kept:
                continue
            seen.add(value)
            if plain(value) is value and value in now and self._costs(value):
                found.append(value)
                continue
            stack.extend(operand for operand, _ in value.inputs)
        return found

    def _is_row(self, value: Tensor) -> bool:
        whole = self.chain.phases[0][0].source.type.shape
        return list(value.type.shape) == list(whole)

    def _costs(self, value: Tensor) -> bool:
        """Whether computing the value again takes long; elements of rows only."""
        if not isinstance(value, Map) or not self._is_row(value) or value in self.kept:
            return False
        if any(one.operation.name in _COSTLY for one in value.work()):
            return True
        return any(self._costs(operand) for operand, _ in value.inputs)


def _known(value: Value, _: Places) -> Value:
    return value


def _through(access: tuple[int | None, ...], places: Places) -> Places:
    return tuple(ONLY if loop is None else places[loop] for loop in access)
