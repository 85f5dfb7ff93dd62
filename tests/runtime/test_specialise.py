"""Which instance a call gets: sizes stay fixed until they vary, and are open from then on."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from tdsl.check.typed import SizeParameter
from tdsl.runtime.specialise import Instances, Point
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError, Label
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES, DTypeVariable
from tdsl.types.sizes import Pack, Size, Symbol
from tdsl.types.types import Substitution

T, C, H = Symbol("T", "f"), Symbol("C", "f"), Symbol("H", "f")
E, S = DTypeVariable("E", "float", "f"), Pack("S", "f")
NONE: frozenset[Symbol] = frozenset()


def point(t: int = 5, c: int = 8, h: int = 2, dtype: str = "f32", *pack: int) -> Point:
    sizes = {T: Size.of(t), C: Size.of(c), H: Size.of(h)}
    packs = {S: tuple(map(Size.of, pack))}
    return Point(Substitution(sizes, packs, {E: DTYPES[dtype]}), frozenset({H}))


class Builds:
    """Stands for the compiler: remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[Substitution] = []

    def __call__(self, parameters: Substitution, passing: object = None) -> object:
        self.asked.append(parameters)
        return object()


def opened(instances: Instances, at: Point, asked: frozenset[Symbol] = NONE, may: bool = True):
    instance, compiled = instances.find(at, asked, may)
    found = {s.name for s, size in instance.parameters.sizes.items() if size.literal is None}
    return found, compiled


def test_a_size_that_varies_is_open_from_then_on() -> None:
    builds = Builds()
    instances = Instances(builds)  # type: ignore[arg-type]
    assert opened(instances, point()) == (set(), True)
    assert opened(instances, point()) == (set(), False)
    assert opened(instances, point(t=6)) == ({"T"}, True)
    assert opened(instances, point(t=7)) == ({"T"}, False)
    assert opened(instances, point()) == (set(), False)
    assert opened(instances, point(t=7, c=16)) == ({"T", "C"}, True)
    assert opened(instances, point(t=8, c=24)) == ({"T", "C"}, False)
    assert opened(instances, point(t=9)) == ({"T", "C"}, False)
    assert len(builds.asked) == len(instances) == 3


def test_a_static_and_a_dtype_choose_instances_and_are_never_open() -> None:
    instances = Instances(Builds())  # type: ignore[arg-type]
    assert opened(instances, point()) == (set(), True)
    assert opened(instances, point(h=4)) == (set(), True)
    assert opened(instances, point(h=1)) == (set(), True)
    assert opened(instances, point(dtype="f64")) == (set(), True)
    assert len(instances) == 4


def test_open_sizes_can_be_asked_for_and_forbidden() -> None:
    instances = Instances(Builds())  # type: ignore[arg-type]
    assert opened(instances, point(), frozenset({T})) == ({"T"}, True)
    assert opened(instances, point(t=6), frozenset({T}), may=False) == ({"T"}, False)
    for c in (1, 2, 3):
        assert opened(instances, point(c=c), may=False) == (set(), True)


def test_the_axes_of_a_pack_open_one_by_one() -> None:
    instances = Instances(Builds())  # type: ignore[arg-type]
    instances.find(point(5, 8, 2, "f32", 3, 4), NONE, True)
    instance, _ = instances.find(point(5, 8, 2, "f32", 3, 6), NONE, True)
    first, second = instance.parameters.packs[S]
    assert first == Size.of(3)
    assert isinstance(second, Size)
    assert second.literal is None
    other, compiled = instances.find(point(5, 8, 2, "f32", 3), NONE, True)
    assert compiled, "another rank is another instance"
    assert other.parameters.packs[S] == (Size.of(3),)


def test_a_size_that_cannot_be_open_gets_an_instance_for_each_value() -> None:
    source = Source("m", "x")

    def build(parameters: Substitution, passing: object) -> object:
        if parameters.sizes[T].literal is None:
            raise DiagnosticError([Diagnostic("E0414", "m", (Label(source.span(0, 1)),))])
        return object()

    instances = Instances(build)  # type: ignore[arg-type]
    assert opened(instances, point()) == (set(), True)
    assert opened(instances, point(t=6)) == (set(), True)
    assert opened(instances, point(t=7)) == (set(), True)
    with pytest.raises(DiagnosticError):
        instances.find(point(t=8), frozenset({T}), True)


def test_threads_that_want_the_same_instance_compile_it_once() -> None:
    asked = []

    def build(parameters: Substitution, passing: object) -> object:
        asked.append(parameters)
        time.sleep(0.05)
        return object()

    instances = Instances(build)  # type: ignore[arg-type]
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(instances.find(point(), NONE, True)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == 1
    assert len({id(instance) for instance, _ in found}) == 1
    assert sum(compiled for _, compiled in found) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_fork_while_a_thread_compiles_leaves_no_lock_held() -> None:
    parent, started, done = os.getpid(), threading.Event(), threading.Event()

    def build(parameters: Substitution, passing: object = None) -> object:
        if os.getpid() == parent:
            started.set()
            done.wait(30)
        return object()

    instances = Instances(build)  # type: ignore[arg-type]
    thread = threading.Thread(target=instances.find, args=(point(), NONE, True))
    thread.start()
    started.wait(30)
    child = os.fork()
    if child == 0:
        signal.alarm(20)  # ends a child that waits for the lock
        try:
            instances.find(point(), NONE, True)
            os._exit(0)
        except BaseException:
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    done.set()
    thread.join()
    assert status == 0


def test_a_failed_compilation_is_tried_again() -> None:
    tries = []

    def build(parameters: Substitution, passing: object) -> object:
        tries.append(parameters)
        if len(tries) == 1:
            raise MemoryError
        return object()

    instances = Instances(build)  # type: ignore[arg-type]
    with pytest.raises(MemoryError):
        instances.find(point(), NONE, True)
    assert opened(instances, point()) == (set(), True)


def test_an_instance_says_what_it_is_for() -> None:
    instances = Instances(Builds())  # type: ignore[arg-type]
    instance, _ = instances.find(point(5, 8, 2, "f32", 3), frozenset({T}), True)
    span = Source("m", "x").span(0, 1)
    declared = [
        SizeParameter("T", False, Size.of(T), None, span),
        SizeParameter("F", False, Size.of(C) * 4, None, span),
        SizeParameter("H", True, Size.of(H), None, span),
    ]
    assert instance.describe(declared) == "T=?, F=32, H=2, S=[3], E=f32"
