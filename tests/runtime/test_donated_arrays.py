"""Arrays that are donated: results in their memory, no copy, and no use of them afterwards."""

from __future__ import annotations

import gc
import pickle
import re
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bound_support import bind, cache, module, other, random

import tdsl

TEXT = """tdsl 0.1

pub struct Pair[N] { a: f32[N], b: f32[N] }

pub fn put[N](x: f32[N], y: f32, at: i32) -> f32[N] { update(x, reshape(y, [1]), at=[at]) }
pub fn decay[N](m: f32[N], g: f32[N]) -> f32[N] { 0.5*m + g }
pub fn shifted[N](x: f32[N]) -> f32[N] where N >= 2 { concat([x[1:N], x[0:1]], axis=0) }
pub fn backwards[N](x: f32[N]) -> f32[N] { x + flip(x, axis=0) }
pub fn swap[N](a: f32[N], b: f32[N]) -> (f32[N], f32[N]) { (b, a) }
pub fn crossed[N](a: f32[N], b: f32[N]) -> (f32[N], f32[N]) { (a + b, a - b) }
pub fn before[N](x: f32[N], at: i32) -> (f32[N], f32[N]) {
    (update(x, zeros([1], f32), at=[at]), x * 2.0)
}
pub fn after[N](x: f32[N], at: i32) -> (f32[N], f32) {
    let y = update(x, zeros([1], f32), at=[at])
    (y, sum(y))
}
pub fn same[N](x: f32[N]) -> f32[N] { x }
pub fn rows[M, N](x: f32[M, N], y: f32[N], at: i32) -> f32[M, N] {
    update(x, reshape(y, [1, N]), at=[at, 0])
}
pub fn summed[M, N](x: f32[M, N]) -> f32[M, N] {
    let (_, found) = scan s = zeros([N], f32) for row in [x[i] for i in 0..M] {
        (s + row, s + row)
    }
    stack(found, axis=0)
}
pub fn steps[L, N](x: [f32[N]; L], y: f32[N]) -> ([f32[N]; L], f32[N]) {
    let (z, found) = scan s = y for row in x {
        let new = row * 0.5 + s
        (new, new)
    }
    (found, z)
}
pub fn looked[L, N](x: [f32[N]; L]) -> [f32[N]; L] {
    let (_, found) = scan s = zeros([N], f32) for row in x { (s + row, row + s) }
    found
}
pub fn pair[N](p: Pair[N], at: i32) -> (Pair[N], f32[N]) {
    let a = update(p.a, p.b[0:1], at=[at])
    (Pair(a=a, b=p.b * 2.0), a + p.b)
}
pub fn longer[N](x: f32[N]) -> f32[N + 1] { concat([x, zeros([1], f32)], axis=0) }
"""


@pytest.fixture(scope="module")
def m() -> Any:
    return tdsl.loads(TEXT, name="donating")


@pytest.fixture(scope="module")
def net() -> Any:
    return module()


def vector(count: int = 8, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(count).astype(np.float32)


def leaves(value: Any) -> list[np.ndarray]:
    if isinstance(value, tuple):
        return [one for item in value for one in leaves(item)]
    if isinstance(value, tdsl.StackedList):
        return leaves(value.stacked)
    if isinstance(value, tdsl.Struct):
        return [one for item in vars(value).values() for one in leaves(item)]
    return [np.asarray(value)]


AT = np.int32(3)
CASES: dict[str, tuple[Callable[[], list[Any]], tuple[str, ...]]] = {
    "put": (lambda: [vector(), np.float32(9), AT], ("x",)),
    "decay": (lambda: [vector(), vector(seed=1)], ("m",)),
    "shifted": (lambda: [vector()], ("x",)),
    "backwards": (lambda: [vector()], ("x",)),
    "swap": (lambda: [vector(), vector(seed=1)], ("a", "b")),
    "crossed": (lambda: [vector(), vector(seed=1)], ("a", "b")),
    "before": (lambda: [vector(), AT], ("x",)),
    "after": (lambda: [vector(), AT], ("x",)),
    "same": (lambda: [vector()], ("x",)),
    "rows": (lambda: [random(5, 7), vector(7), AT], ("x",)),
    "summed": (lambda: [random(5, 7)], ("x",)),
    "steps": (lambda: [random(5, 7), vector(7)], ("x",)),
    "looked": (lambda: [random(5, 7)], ("x",)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("open_sizes", [False, True])
def test_results_are_the_same_and_lie_there(m: Any, name: str, open_sizes: bool) -> None:
    make, names = CASES[name]
    function = getattr(m, name)
    if open_sizes:
        if name in ("summed",):
            pytest.skip("unrolls over a size")
        sizes = {"rows": ("M", "N"), "steps": ("L", "N"), "looked": ("L", "N")}.get(name, ("N",))
        function = function.compile(dynamic=sizes)
    wanted = leaves(function(*make()))
    parameters = [*function.__signature__.parameters]
    for _ in range(3):
        given = make()
        where = {name: given[parameters.index(name)].ctypes.data for name in names}
        found = leaves(function(*given, donate=names))
        for one, expected in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(one, expected)
        assert {*where.values()} <= {one.ctypes.data for one in found}


@pytest.mark.parametrize("name", ["put", "decay", "after", "same", "rows", "steps"])
def test_nothing_is_copied(m: Any, name: str) -> None:
    """The same function needs no memory for it beyond what it needs anyway."""
    from tdsl.lowering.interface import evaluate

    make, names = CASES[name]
    function = getattr(m, name).compile()
    function(*make())
    function(*make(), donate=names)
    plain, donated = [instance.built for instance in function._instances]
    assert donated.interface.donated
    assert evaluate(donated.scratch, {}) <= evaluate(plain.scratch, {})


def test_structs(m: Any) -> None:
    wanted = leaves(m.pair(m.Pair(a=vector(), b=vector(seed=1)), AT))
    p = m.Pair(a=vector(), b=vector(seed=1))
    a, b = p.a, p.b
    found = m.pair(p, AT, donate="p")
    for one, expected in zip(leaves(found), wanted, strict=True):
        np.testing.assert_array_equal(one, expected)
    assert found[0].a.ctypes.data == a.ctypes.data
    assert found[0].b.ctypes.data == b.ctypes.data
    assert repr(p) == "<Pair donated to pair>"
    with pytest.raises(tdsl.CallError, match="this Pair was donated to `pair`") as caught:
        p.a  # noqa: B018
    assert caught.value.code == "E0707"
    with pytest.raises(tdsl.CallError, match="this Pair was donated to `pair`"):
        m.pair(p, AT)
    with pytest.raises(tdsl.CallError, match=r"`p.a` of `pair` was donated to `pair`"):
        m.pair({"a": a, "b": vector()}, AT)


def test_the_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (Path(__file__).parents[2] / "docs" / "running.md").read_text()
    page = page[page.index("## Giving arrays up") :]
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", page, re.M | re.S)
    assert [kind for kind, _ in blocks[:2]] == ["tdsl", "python"]
    (tmp_path / "put.tdsl").write_text(blocks[0][1])
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks[1][1], "<running.md>", "exec"), {})


# --- a cache


def test_a_cache_is_updated_in_place_step_after_step(net: Any) -> None:
    weights = other(net)
    p = bind(net, weights)
    plain, held = cache(net), cache(net)
    address = held.stacked.x.ctypes.data, held.stacked.y.ctypes.data
    function = net.put.compile(donate=("cache",))
    for at in range(6):
        x = random(20, seed=at)
        wanted, plain = net.put(x, np.int32(at), plain, weights)
        found, held = function(x, at, held, p)
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(held.stacked.x, plain.stacked.x)
        np.testing.assert_array_equal(held.stacked.y, plain.stacked.y)
        assert (held.stacked.x.ctypes.data, held.stacked.y.ctypes.data) == address
        assert held.stacked.x.flags.writeable
        assert len(held) == 3
    assert function._quick.calls in (0, 5)


def test_a_step_allocates_no_cache(net: Any) -> None:
    function = net.put.compile(donate="cache")
    p, held = bind(net, other(net)), cache(net, 4000)
    size = held.stacked.x.nbytes
    x = random(20)
    for at in range(3):
        _, held = function(x, np.int32(at), held, p)
    built = [*function._instances][-1].built
    assert built.scratch.literal is not None
    assert built.scratch.literal < size / 10
    tracemalloc.start()
    try:
        for at in range(3):
            _, held = function(x, np.int32(at), held, p)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < size / 10


def test_a_long_chain_of_steps_keeps_nothing_alive(net: Any) -> None:
    from tdsl.runtime import donating

    function = net.put.compile(donate="cache")
    p, held, x = bind(net, other(net)), cache(net), random(20)
    for at in range(50):
        _, held = function(x, np.int32(at % 6), held, p)
    gc.collect()
    before = len(donating._DONATED)
    for at in range(50):
        _, held = function(x, np.int32(at % 6), held, p)
    gc.collect()
    assert len(donating._DONATED) <= before
    assert held.stacked.x.base.base is None


# --- afterwards


def test_a_donated_array_is_refused_by_every_function(m: Any) -> None:
    x = vector()
    y = m.decay(x, vector(seed=1), donate=("m",))
    for call in (
        lambda: m.decay(x, vector()),
        lambda: m.decay(vector(), x),
        lambda: m.decay(x, vector(), donate="m"),
        lambda: m.same(x),
        lambda: tdsl.loads(TEXT).same(x),
        lambda: m.same.compile(N=8)(x),
    ):
        with pytest.raises(tdsl.CallError, match="was donated to `decay`") as caught:
            call()
        assert caught.value.code == "E0707"
        assert "use the result in its place" in str(caught.value)
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    np.testing.assert_array_equal(m.same(y), y)
    z = m.decay(y, vector(), donate="m")
    assert z.ctypes.data == x.ctypes.data
    with pytest.raises(tdsl.CallError, match="`m` of `decay` was donated"):
        m.decay(y, vector())


def test_a_donated_list_is_refused(net: Any) -> None:
    held, x, weights = cache(net), random(20), other(net)
    net.put(x, AT, held, weights, donate="cache")
    assert repr(held) == "<tdsl.StackedList donated to put>"
    for call in (
        lambda: held.stacked,
        lambda: held[0],
        lambda: net.put(x, AT, held, weights),
    ):
        with pytest.raises(tdsl.CallError, match="this list was donated to `put`"):
            call()


def test_an_error_in_the_code_does_not_give_it_back(m: Any) -> None:
    for _ in range(2):
        x = vector()
        with pytest.raises(IndexError):
            m.put(x, np.float32(1), np.int32(99), donate="x")
        with pytest.raises(tdsl.CallError, match="was donated to `put`"):
            m.same(x)


def test_an_error_in_the_code_takes_structs_too(net: Any) -> None:
    weights, x = other(net), random(20)
    for _ in range(3):
        held = cache(net)
        with pytest.raises(IndexError):
            net.put(x, np.int32(99), held, weights, donate="cache")
        with pytest.raises(tdsl.CallError, match="this list was donated to `put`"):
            held.stacked  # noqa: B018


def test_a_list_of_which_a_part_is_taken_gives_the_rest_back(net: Any) -> None:
    """Two threads that donate lists with one array in common: nothing is lost for the slower."""
    from tdsl.runtime.donating import donated_to, take_over

    function = net.put.compile(donate="cache")
    held = cache(net)
    x, y = held.stacked.x, held.stacked.y
    wanted = function._wanted
    arrays = [x, y]
    take_over([y], ((0, 0),), "put", wanted)
    with pytest.raises(tdsl.CallError, match="was donated to `put`"):
        take_over(arrays, ((0, 0), (1, 1)), "put", wanted)
    assert donated_to(x) is None
    assert x.flags.aligned
    assert donated_to(y) == "put"


def test_a_call_that_does_not_fit_leaves_it_alone(m: Any) -> None:
    x = vector()
    m.decay(vector(), vector(), donate="m")
    for wrong in (vector(9), vector().astype(np.float64), "no"):
        with pytest.raises(tdsl.CallError):
            m.decay(x, wrong, donate="m")
    m.decay(x, vector(), donate="m")


def test_another_array_at_the_same_address_is_fine(m: Any) -> None:
    for _ in range(20):
        x = vector()
        m.decay(x, x.copy(), donate="m")
        del x
        m.same(vector())


# --- what may not be donated


def refused(call: Callable[[], Any], match: str) -> None:
    with pytest.raises(tdsl.CallError, match=match) as caught:
        call()
    assert caught.value.code == "E0707"


def test_what_is_not_the_callers_alone_is_refused(m: Any) -> None:
    m.decay(vector(), vector(), donate="m")  # the native way is there
    x = vector()
    refused(lambda: m.decay(x, x, donate="m"), "shares memory with `g`")
    whole = vector(16)
    refused(lambda: m.decay(whole[:8], vector(), donate="m"), "is a view of memory")
    refused(lambda: m.decay(x.view(), vector(), donate="m"), "is a view of memory")
    x.flags.writeable = False
    refused(lambda: m.decay(x, vector(), donate="m"), "is read-only")
    given = bytearray(32)
    foreign = np.frombuffer(given, np.float32)
    refused(lambda: m.decay(foreign, vector(), donate="m"), "is a view of memory")
    assert given == bytearray(32)


def test_what_would_be_converted_is_refused(m: Any, net: Any) -> None:
    refused(lambda: m.decay(vector(16)[::2], vector(), donate="m"), "is converted first")
    swapped = vector().astype(">f4")
    refused(lambda: m.decay(swapped, vector(), donate="m"), "is converted first")
    refused(lambda: m.put(vector(), 1.0, AT, donate="y"), "gives no f32")
    items = [cache(net)[at] for at in range(3)]
    refused(
        lambda: net.put(random(20), AT, items, other(net), donate="cache"), "is converted first"
    )


def test_bound_memory_is_not_donated(net: Any) -> None:
    w = random(20, 20)
    p = bind(net, net.Other(w=w, b=random(20)))
    held = cache(net, 5, 20, 4)
    net.put(random(20), AT, cache(net, 5, 20, 4), p, donate="cache")
    net.put(random(20), AT, cache(net, 5, 20, 4), p, donate="cache")
    shared = net.Other(w=random(20, 20), b=held.stacked.x.reshape(-1)[:20])
    q = bind(net, shared)
    net.put(random(20), AT, cache(net, 5, 20, 4), q, donate="cache")
    refused(lambda: net.put(random(20), AT, held, q, donate="cache"), "shares memory")


def test_names_and_types(m: Any) -> None:
    refused(lambda: m.decay(vector(), vector(), donate="z"), "`decay` has no parameter `z`")
    refused(lambda: m.put.compile(donate="xs"), "help: did you mean `x`")
    assert repr(m.put.compile(donate="x")).endswith(" -> f32[N] for donate=('x',)>")
    refused(lambda: m.longer(vector(), donate="x"), r"`x` cannot be donated: `longer` gives no f32")
    refused(lambda: m.decay(vector(), vector(), donate=("m", "g")), "gives no other f32")
    refused(lambda: m.longer.compile(donate=("x",)), "cannot be donated")


def test_compile_and_pickle(m: Any) -> None:
    function = pickle.loads(pickle.dumps(m.decay.compile(N=8, donate=("m",))))
    x, g = vector(), vector(seed=1)
    wanted = 0.5 * x + g
    found = function(x, g)
    np.testing.assert_array_equal(found, wanted)
    assert found.ctypes.data == x.ctypes.data
    with pytest.raises(tdsl.CallError, match="was donated"):
        function(x, g)
    again = m.decay.compile(donate="m").compile(N=8)
    y = vector()
    assert again(y, g).ctypes.data == y.ctypes.data


def test_one_of_many_threads_gets_it(m: Any) -> None:
    function = m.decay.compile(N=8, donate="m")
    function(vector(), vector())
    function(vector(), vector())
    for _ in range(20):
        x, g = vector(), vector(seed=1)
        wanted = 0.5 * x + g
        barrier = threading.Barrier(4)
        results: list[Any] = []

        def work(x: Any = x, g: Any = g, barrier: Any = barrier, results: Any = results) -> None:
            barrier.wait()
            try:
                results.append(function(x, g))
            except tdsl.CallError:
                results.append(None)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        (found,) = [one for one in results if one is not None]
        np.testing.assert_array_equal(found, wanted)


def test_every_kind_of_value_comes_to_go_the_native_way(net: Any) -> None:
    function = net.put.compile(donate="cache")
    weights, x = other(net), random(20)
    p = bind(net, weights)
    held = tdsl.stack([{"x": random(6, 20), "y": random(6, 20)} for _ in range(3)])
    for at in (np.int32(0), 1, np.array(2, np.int32), 3):
        _, held = function(x, at, held, p)  # first dicts, then the struct of the result
    if function._quick.calls == 0:
        pytest.skip("no native calls here")
    assert function._quick.calls == 2
    _, held = function(x, 4, held, weights)
    _, held = function(x, 4, held, weights)
    assert function._quick.calls == 3


def test_fields_may_be_called_as_methods_are() -> None:
    module = tdsl.loads(
        "tdsl 0.1\npub struct S[N] { give_up: f32[N], bind: f32[N] }\n"
        "pub fn halved[N](s: S[N]) -> S[N] { S(give_up=s.give_up / 2.0, bind=s.bind / 2.0) }\n"
    )
    given = module.S(np.ones(3, np.float32), np.ones(3, np.float32))
    result = module.halved(given, donate="s")
    assert result.give_up.tolist() == result.bind.tolist() == [0.5] * 3
    assert "donated to halved" in repr(given)
