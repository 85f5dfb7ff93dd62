"""Calls of functions that were compiled for a GPU: arrays from wherever they are, results on the GPU."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tdsl.errors import CallError
from tdsl.gpu.driver import opened
from tdsl.gpu.driver.array import DeviceArray
from tdsl.gpu.driver.device import Device
from tdsl.gpu.driver.foreign import (
    Foreign,
    NotUsable,
    giver_like,
    is_on_gpu,
    look_at,
    ordinal_of,
)
from tdsl.gpu.driver.launching import Loaded
from tdsl.gpu.driver.status import Pending
from tdsl.gpu.driver.streams import current_stream, handle_of
from tdsl.gpu.driver.work import Work
from tdsl.gpu.object import GpuObject
from tdsl.ops.looking import show_all
from tdsl.runtime.arguments import Reading, call_error, convert
from tdsl.runtime.arrays import (
    Array,
    Wanted,
    WeakNumber,
    as_array,
    dtype_error,
    plain,
    weak_array,
)
from tdsl.runtime.assembling import classes_of, nested
from tdsl.runtime.bound import Bound
from tdsl.runtime.calling import Code, Plan
from tdsl.runtime.donating import give_up
from tdsl.runtime.giving import giver
from tdsl.runtime.lists import MOST_DEPTH, StackedList, children
from tdsl.runtime.passing import Donated, Passing, donations, parameters_of
from tdsl.runtime.resident import ResidentWeights

if TYPE_CHECKING:
    from tdsl.runtime.calls import Calls

_ALIGNMENT = 16  # of what callers give: kernels read so many bytes at a time


class DeviceCode(Code):
    """Code for GPUs: loaded on each device that it is called on."""

    __slots__ = ("_loaded", "made")

    def __init__(self, made: GpuObject) -> None:
        self.address = 0
        self.entry = _no_entry
        self.owner = None
        self.arenas: list[Array] = []
        self.made = made
        self._loaded: dict[int, Loaded] = {}

    def on(self, device: Device) -> Loaded:
        found = self._loaded.get(device.ordinal)
        if found is None:
            found = self._loaded.setdefault(device.ordinal, Loaded(device, self.made))
        return found


def _no_entry(data: bytes, sizes: bytes) -> int:
    raise AssertionError("code for a GPU is called by OnDevice")


class _Stack(msgspec.Struct, frozen=True):
    """Arrays of which at least one is on a GPU, to lie there one after another."""

    items: tuple[_Source, ...]


_Source = Array | DeviceArray | Foreign | _Stack


class _Given(msgspec.Struct):
    """What is known of a call's arrays on GPUs. To the checks they are arrays of the same dtype and
    shape that have no elements."""

    stream: int
    ordinal: int
    where: str
    """The argument that says on which GPU the call is."""
    sources: dict[int, tuple[Array, _Source]] = msgspec.field(default_factory=dict)

    def read(self, value: object, wanted: Wanted) -> Array | WeakNumber:
        if not is_on_gpu(value):
            return as_array(value, wanted)
        source: DeviceArray | Foreign
        try:
            if isinstance(value, DeviceArray):
                ordinal, source = value.on.ordinal, value
                value.block  # noqa: B018  (an error if it was donated)
            else:
                ordinal = ordinal_of(value, opened.device(self.ordinal).api)
                source = look_at(value, ordinal, self.stream)
        except NotUsable as problem:
            raise dtype_error(
                wanted, problem.found, problem.help.format(name=wanted.name)
            ) from problem
        if ordinal != self.ordinal:
            raise dtype_error(
                wanted,
                f"an array on cuda:{ordinal}, where {self.where} is on cuda:{self.ordinal}",
                "have all arrays of a call on one GPU",
            )
        return self._stand_in(source.dtype, source.shape, source)

    def _stand_in(self, dtype: np.dtype[Any], shape: tuple[int, ...], source: _Source) -> Array:
        made = np.broadcast_to(np.zeros((), dtype), shape)
        self.sources[id(made)] = made, source
        return made

    def stack(self, arrays: Sequence[Array], axis: int) -> Array:
        sources = tuple(self.source(array) for array in arrays)
        if all(isinstance(one, np.ndarray) for one in sources):
            return np.stack(arrays, axis)
        if axis:
            raise CallError(
                "[E0702] lists in lists, of arrays on a GPU, are given stacked: one array a field",
                code="E0702",
            )
        first = arrays[0]
        return self._stand_in(first.dtype, (len(arrays), *first.shape), _Stack(sources))

    def source(self, array: Array) -> _Source:
        found = self.sources.get(id(array))
        return array if found is None else found[1]


class OnDevice:
    """The way to call one function on GPUs. A part of Calls, whose tables it uses."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._classes = classes_of_parameters(calls)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        calls, layout = self._calls, self._calls._layout
        stream = self._option(keywords, "stream")
        donated = calls._donated
        names = self._option(keywords, "donate")
        if names is not None:
            donated = donations(layout, (names,) if isinstance(names, str) else tuple(names))
        statics, values = calls._place(arguments, keywords)
        # Where results go is for what a call is about to say, not for the weights.
        arrays = [*_arrays_in((v for v in values if not isinstance(v, ResidentWeights)), 0)]
        values = [self._unbound(place, value) for place, value in enumerate(values)]
        like = next((one for one in arrays if is_on_gpu(one)), None)
        given = self._given(stream, values, like)
        named = {**calls._named, **statics}
        found = convert(layout, values, named, calls._given, Reading(given.read, given.stack))
        outlines = self._outlines(found)
        plan = calls._lookup(found, statics, outlines, Passing(donated=donated))
        leaves: list[_Source] = []
        for leaf, value in enumerate(found):
            if isinstance(value, WeakNumber):
                leaves.append(weak_array(value, calls._wanted[leaf], plan.dtypes[leaf]))
            else:
                leaves.append(given.source(value))
        outputs = self._run(plan, given, leaves, values, donated)
        return self._give(plan, outputs, like, arrays, on_gpu=like is not None)

    def _option(self, keywords: dict[str, Any], name: str) -> Any:
        """A keyword that is no parameter of the function."""
        if name in self._calls._names or name in self._calls._statics:
            return None
        return keywords.pop(name, None)

    def _unbound(self, place: int, value: Any) -> Any:
        if isinstance(value, ResidentWeights):
            return value.struct
        if isinstance(value, Bound):
            name = self._calls._names[place]
            raise call_error(
                self._calls._signature,
                "E0502",
                f"argument `{name}` of `{self._calls.__name__}` is bound in main memory, and the"
                " function runs on a GPU",
                'help: have the weights there: `bind(…, device="cuda:0")`',
                argument=name,
            )
        return value

    def _given(self, stream: Any, values: Sequence[Any], like: Any) -> _Given:
        """Which GPU a call is on: that of its arrays; and on which stream."""
        ordinal, where = 0, "a call with arrays in main memory"
        first = like if like is not None else next(_device_arrays_in(values), None)
        if first is not None:
            api = opened.device(0).api
            ordinal = first.on.ordinal if isinstance(first, DeviceArray) else ordinal_of(first, api)
            where = "another argument"
        if stream is not None:
            return _Given(handle_of(stream), ordinal, where)
        current = None if like is None else current_stream(like, ordinal)
        return _Given(current or 0, ordinal, where)

    def _outlines(self, found: Iterable[Array | WeakNumber]) -> list[Any]:
        """The values with arrays without elements in the places of those on GPUs."""
        arrays = iter([one.value if isinstance(one, WeakNumber) else one for one in found])
        layout, classes = self._calls._layout, self._classes
        return [nested(node, classes)(arrays) for node in layout.parameters]  # type: ignore[arg-type]

    # --- running

    def _run(
        self,
        plan: Plan,
        given: _Given,
        leaves: Sequence[_Source],
        values: Sequence[Any],
        donated: Donated,
    ) -> list[Any]:
        code = plan.code
        assert isinstance(code, DeviceCode)
        device = opened.device(given.ordinal)
        homes = {result: leaf for leaf, result in donated}
        with device.use():
            device.poll()
            loaded = code.on(device)
            kept = self._check_donated(leaves, donated)
            with Work(device, given.stream) as work:
                inputs = [_place(work, leaf, n in kept) for n, leaf in enumerate(leaves)]
                outputs: list[Any] = [
                    _of_donated(leaves[homes[n]]) if n in homes else _fresh(work, shape, dtype)
                    for n, (shape, dtype) in enumerate(plan.results)
                ]
                addresses = [
                    one.address if isinstance(one, Foreign) else one.pointer for one in outputs
                ]
                try:
                    own = loaded.run(work, inputs, addresses)
                finally:
                    self._give_up(leaves, values, donated)
            assert work.done is not None
            self._hold(device, leaves, given.stream, work)
            pending = [one for leaf in leaves for one in _pending_of(leaf)]
            if own is not None:
                pending.append(own)
            return [self._finished(device, one, pending) for one in outputs]

    def _finished(self, device: Device, output: Any, pending: list[Pending]) -> Any:
        if isinstance(output, Foreign):
            for one in pending:
                device.watch(one)
            return output.value
        return DeviceArray(output.block, output.dtype, output.shape, pending)

    def _hold(self, device: Device, leaves: Iterable[_Source], stream: int, work: Work) -> None:
        """Keep arrays of others, unless these know that the stream uses them."""
        assert work.done is not None
        for leaf in leaves:
            for one in leaf.items if isinstance(leaf, _Stack) else (leaf,):
                if isinstance(one, Foreign) and current_stream(one.value, one.ordinal) != stream:
                    device.hold(one.owner, work.done)

    # --- donating

    def _check_donated(self, leaves: Sequence[_Source], donated: Donated) -> frozenset[int]:
        for leaf, _ in donated:
            wanted, source = self._calls._wanted[leaf], leaves[leaf]
            if not isinstance(source, DeviceArray | Foreign):
                raise self._refusal(
                    wanted, "is not on the GPU", "pass an array that is, such as a result"
                )
            if isinstance(source, Foreign) and source.read_only:
                raise self._refusal(wanted, "is read-only", "pass a copy")
            if isinstance(source, DeviceArray) and not source.is_whole:
                raise self._refusal(
                    wanted, "is a view of memory that belongs to something else", "pass a copy"
                )
            if _address(source) % _ALIGNMENT:
                raise self._refusal(
                    wanted, f"does not begin at a multiple of {_ALIGNMENT} bytes", "copy it"
                )
            low, high = _address(source), _address(source) + source.nbytes
            for number, other in enumerate(leaves):
                for one in other.items if isinstance(other, _Stack) else (other,):
                    if number == leaf or not isinstance(one, DeviceArray | Foreign):
                        continue
                    if low < _address(one) + one.nbytes and _address(one) < high:
                        name = self._calls._wanted[number].name
                        raise self._refusal(
                            wanted, f"shares memory with `{name}`", "pass a copy of one"
                        )
        return frozenset(leaf for leaf, _ in donated)

    def _refusal(self, wanted: Wanted, why: str, help: str) -> CallError:
        return call_error(
            self._calls._signature,
            "E0707",
            f"argument `{wanted.name}` of `{wanted.function}` cannot be donated: it {why}",
            f"help: {help}",
            argument=wanted.name,
        )

    def _give_up(self, leaves: Sequence[_Source], values: Sequence[Any], donated: Donated) -> None:
        for leaf, _ in donated:
            source = leaves[leaf]
            if isinstance(source, DeviceArray):
                source.give_up(self._calls.__name__)
        for parameter in parameters_of(self._calls._layout, donated):
            give_up(values[parameter], self._calls.__name__)

    # --- results

    def _give(
        self, plan: Plan, outputs: list[Any], like: Any, arrays: Sequence[Any], on_gpu: bool
    ) -> Any:
        if plan.debugged:
            first = len(outputs) - len(plan.debugged)
            show_all(plan.debugged, [_to_numpy(one) for one in outputs[first:]])
            del outputs[first:]
        if on_gpu:
            give = giver_like(like)
            outputs = [give(one) if isinstance(one, DeviceArray) else one for one in outputs]
            return outputs[0] if plan.assemble is None else plan.assemble(outputs)
        copies = [_to_numpy(one) for one in outputs]
        result = copies[0] if plan.assemble is None else plan.assemble(copies)
        return giver(arrays)(result)


def classes_of_parameters(calls: Calls) -> Mapping[tuple[str, str], Any]:
    found: dict[tuple[str, str], Any] = {}
    for node in calls._layout.parameters:
        found |= classes_of(node, calls._classes)
    return found


def _arrays_in(values: Iterable[Any], depth: int) -> Iterator[Any]:
    """The arrays among arguments, in structs, tuples and lists, too; but not the bound weights."""
    for value in values:
        if (
            isinstance(value, np.ndarray | np.generic)
            or is_on_gpu(value)
            or hasattr(value, "__dlpack__")
        ):
            yield value
        elif depth < MOST_DEPTH:
            if isinstance(value, StackedList):
                yield from _arrays_in([value.stacked], depth + 1)
            elif isinstance(value, list):
                yield from _arrays_in(value, depth + 1)
            else:
                yield from _arrays_in((children(value) or {}).values(), depth + 1)


def _device_arrays_in(values: Iterable[Any]) -> Iterator[DeviceArray]:
    return (one for one in _arrays_in(values, 0) if isinstance(one, DeviceArray))


def _address(source: DeviceArray | Foreign) -> int:
    return source.address if isinstance(source, Foreign) else source.pointer


def _place(work: Work, source: _Source, donated: bool) -> int:
    """The address of an input on the device; what is not there, or not as kernels need it, is copied."""
    if isinstance(source, np.ndarray):
        return work.upload(plain(source))
    if isinstance(source, _Stack):
        address = work.temporary(sum(map(_bytes, source.items)))
        _fill(work, address, source)
        return address
    if isinstance(source, DeviceArray):
        if donated:
            work.writes(source.block)
        else:
            work.reads(source.block)
    elif source.stream is not None and source.stream != work.stream:
        ready = work.device.record(source.stream)
        work.device.api.wait(work.stream, ready.handle)
    address = _address(source)
    if address % _ALIGNMENT:
        copied = work.temporary(source.nbytes)
        work.device.api.copy(copied, address, source.nbytes, work.stream)
        return copied
    return address


def _bytes(source: _Source) -> int:
    return sum(map(_bytes, source.items)) if isinstance(source, _Stack) else source.nbytes


def _fill(work: Work, address: int, source: _Source) -> None:
    if isinstance(source, _Stack):
        for item in source.items:
            _fill(work, address, item)
            address += _bytes(item)
    elif isinstance(source, np.ndarray):
        work.put(address, plain(source))
    else:
        start = _place(work, source, donated=False)
        work.device.api.copy(address, start, source.nbytes, work.stream)


def _fresh(work: Work, shape: tuple[int, ...], dtype: np.dtype[Any]) -> DeviceArray:
    count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    return DeviceArray(work.block(count), dtype, shape)


def _of_donated(source: _Source) -> Any:
    if isinstance(source, DeviceArray):
        return DeviceArray(source.block, source.dtype, source.shape)
    return source


def _pending_of(source: _Source) -> Iterator[Pending]:
    if isinstance(source, DeviceArray):
        yield from source._pending
    elif isinstance(source, _Stack):
        for item in source.items:
            yield from _pending_of(item)


def _to_numpy(output: Any) -> Array:
    made: Array = output.numpy() if isinstance(output, DeviceArray) else np.asarray(output)
    return made
