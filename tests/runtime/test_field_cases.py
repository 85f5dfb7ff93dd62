"""The cases that a release must get right (tests/data/cases.md, by number)."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import tdsl

PROGRAM = """tdsl 0.1
from std.nn import softmax, layer_norm, gelu

pub fn turn[M, N](x: f32[M, N]) -> f32[N, M] { reshape(x, [N, M]) }
pub fn double[...S](x: f32[...S]) -> f32[...S] { x * 2.0 }
pub fn same[...S](x: f32[...S]) -> f32[...S] { x }
pub fn twice[N](x: f32[N]) -> f32[2*N] { concat([x * 2, x], axis=0) }
fn g[N](x: f32[N]) -> f32[N] { x * 3.0 }
pub fn add_g[N](x: f32[N]) -> f32[N] { x + g(x) }
pub fn pair[N](x: f32[N]) -> (f32[N], f32[N]) { (x, x) }
pub fn equal_results[N](x: f32[N]) -> (f32[N], f32[N]) { (x * 2.0, x * 2.0) }
pub fn unused[N, M](x: f32[N], y: f32[M]) -> f32[N] { x + 1.0 }
pub fn rows[M, N](x: f32[M, N]) -> (f32[M], f32[M]) { (sum(x, axis=1), max(x, axis=1)) }
pub fn soft[M, N](x: f32[M, N]) -> f32[M, N] { softmax(x) }
pub fn norm[M, N](x: f32[M, N], g: f32[N], b: f32[N]) -> f32[M, N] { layer_norm(x, g, b) }
pub fn smooth[N](x: f32[N]) -> (f32[N], f32[N]) { (tanh(x), gelu(x)) }
"""


@pytest.fixture(scope="module")
def m() -> tdsl.Module:
    return tdsl.loads(PROGRAM, name="cases")


def numbers(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


def test_1_a_transposed_argument_is_read_in_its_order(m: tdsl.Module) -> None:
    a = numbers(6, 4)
    np.testing.assert_array_equal(m.turn(a.T), np.ascontiguousarray(a.T).reshape(6, 4))


def test_2_strides_of_all_kinds(m: tdsl.Module) -> None:
    big = np.full((12, 15), np.nan, np.float32)
    big[::2, 1::3] = numbers(6, 5)
    for view in (big[::2, 1::3], numbers(4, 5)[::-1], np.broadcast_to(numbers(5), (4, 5))):
        for _ in range(20):
            np.testing.assert_array_equal(m.double(view), np.array(view) * 2)


def test_3_rank_zero_in_and_out(m: tdsl.Module) -> None:
    for value in (np.array(3.0, np.float32), np.float32(3), 3.0, 3):
        y = m.double(value)
        assert isinstance(y, np.ndarray)
        assert y.shape == ()
        assert y.dtype == np.float32
        assert y == 6


def test_4_byte_order_alignment_and_read_only(m: tdsl.Module, tmp_path: Path) -> None:
    a = numbers(4, 5)
    misaligned = np.zeros(a.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(a.shape)
    misaligned[:] = a
    a.tofile(tmp_path / "a.bin")
    mapped = np.memmap(tmp_path / "a.bin", np.float32, "r", shape=a.shape)
    frozen = a.copy()
    frozen.flags.writeable = False
    for x in (a.astype(">f4"), misaligned, mapped, frozen):
        before = x.tobytes()
        for _ in range(3):  # also where the shapes are known from an earlier call
            np.testing.assert_array_equal(m.double(x), a * 2)
        assert x.tobytes() == before


def test_5_results_share_no_memory_with_inputs(m: tdsl.Module) -> None:
    x = numbers(4, 5)
    y, z = m.same(x), m.double(x)
    kept = x.copy()
    assert not np.shares_memory(x, y)
    x[:] = 0
    np.testing.assert_array_equal(y, kept)
    np.testing.assert_array_equal(z, kept * 2)


def test_6_inputs_are_never_written(m: tdsl.Module) -> None:
    x = numbers(37)
    before = x.tobytes()
    np.testing.assert_array_equal(m.twice(x), np.concatenate([x * 2, x]))
    np.testing.assert_allclose(m.add_g(x), x + x * 3, rtol=1e-6)
    assert x.tobytes() == before


def resident_megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory use from /proc")
def test_7_memory_stays_flat_and_results_outlive_the_module() -> None:
    module = tdsl.loads(PROGRAM)
    x = numbers(1 << 18)
    backwards = x[::-1]  # copied first, and so called in another way
    for _ in range(50):
        y = module.double(backwards)
        y = module.double(x)
    gc.collect()
    before = resident_megabytes()
    for argument, calls in ((backwards, 500), (x, 20_000)):
        for call in range(calls):
            y = module.double(argument)
            if call % 100 == 0:  # in time, before all memory is gone
                assert resident_megabytes() - before < 50
    double = module.double
    del module
    gc.collect()
    np.testing.assert_array_equal(y, x * 2)
    np.testing.assert_array_equal(double(x), x * 2)
    del double
    gc.collect()
    np.testing.assert_array_equal(y, x * 2)


def test_8_sizes_of_one(m: tdsl.Module) -> None:
    for shape in ((1, 1), (1, 5), (5, 1)):
        x = numbers(*shape)
        total, largest = m.rows(x)
        np.testing.assert_allclose(total, x.sum(1), rtol=1e-6)
        np.testing.assert_array_equal(largest, x.max(1))
    np.testing.assert_array_equal(m.soft(numbers(3, 1)), np.ones((3, 1)))
    attention = tdsl.load(Path(__file__).parents[2] / "programs/attention.tdsl").attention
    x, qkv, bias, out, out_bias = (
        numbers(1, 1),
        numbers(1, 3),
        numbers(3),
        numbers(1, 1),
        numbers(1),
    )
    expected = (x @ qkv + bias)[:, 2:] @ out + out_bias
    np.testing.assert_allclose(attention(x, qkv, bias, out, out_bias, heads=1), expected, rtol=1e-5)


def test_10_tanh_and_gelu_far_out(m: tdsl.Module) -> None:
    far = np.array([45, 52.45, 100, 1e4, np.inf], np.float32)
    x = np.concatenate([far, -far])
    hyperbolic, smooth = m.smooth(x)
    np.testing.assert_allclose(hyperbolic, np.sign(x), rtol=1e-6)
    np.testing.assert_allclose(smooth[:5], far, rtol=1e-6)
    np.testing.assert_allclose(smooth[5:], 0, atol=1e-6)


def test_11_nan_anywhere_in_a_row(m: tdsl.Module) -> None:
    for length in (1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 66, 67):
        for place in {0, length // 2, length - 1}:
            x = numbers(2, length)
            x[1, place] = np.nan
            _, largest = m.rows(x)
            assert np.isnan(largest[1])
            assert not np.isnan(largest[0])
            soft = m.soft(x)
            assert np.isnan(soft[1]).all()
            assert not np.isnan(soft[0]).any()


def test_12_layer_norm_far_from_zero(m: tdsl.Module) -> None:
    for x in (
        np.array([[40000, 40001, 40002, 40003]], np.float32),
        (numbers(3, 64) + 2000).astype(np.float32),
    ):
        width = x.shape[1]
        gain, bias = np.ones(width, np.float32), np.zeros(width, np.float32)
        exact = x.astype(np.float64)
        centred = exact - exact.mean(1, keepdims=True)
        expected = centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5)
        np.testing.assert_allclose(m.norm(x, gain, bias), expected, atol=1e-3)


def test_13_large_logits(m: tdsl.Module) -> None:
    x = np.array([[1e4, -1e4, 0], [3e38, -3e38, 3e38]], np.float32)
    np.testing.assert_allclose(m.soft(x), [[1, 0, 0], [0.5, 0, 0.5]], atol=1e-6)


def test_14_many_threads_compile() -> None:
    texts = [
        f"tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {{ x * {number}.0 + 1.0 }}" for number in range(24)
    ]
    shared = tdsl.loads(texts[0]).f
    x = numbers(5)
    wrong: list[object] = []
    start = threading.Barrier(24)

    def work(number: int) -> None:
        try:
            start.wait()
            np.testing.assert_allclose(shared(x), x * 0 + 1)
            own = tdsl.loads(texts[number]).f
            np.testing.assert_allclose(own(x), x * number + 1, rtol=1e-6)
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    info = shared.cache_info()
    assert info.currsize == 1
    assert info.misses == 1


FORK = """
import os, sys
import numpy as np, tdsl
m = tdsl.loads("tdsl 0.1\\nfn f[N](x: f32[N]) -> f32[N] { x * 2.0 }\\nfn g[N, M](x: f32[N, M], y: f32[M, N]) -> f32[N, N] { x @ y }\\n")
x, y = np.ones(5, np.float32), np.ones((7, 7), np.float32)
m.f(x); m.g(y, y)
child = os.fork()
if child == 0:
    good = m.f(x).tolist() == [2.0] * 5 and (m.g(y, y) == 7).all()
    good = good and m.f(np.ones(9, np.float32)).tolist() == [2.0] * 9  # compiled in the child
    os._exit(0 if good else 1)
_, status = os.waitpid(child, 0)
assert m.f(x).tolist() == [2.0] * 5
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_15_calls_work_after_a_fork() -> None:
    subprocess.run([sys.executable, "-c", FORK], check=True, timeout=60)


@pytest.mark.parametrize(
    "body",
    [
        "(" * 3000 + "x" + ")" * 3000,
        " + ".join(["x"] * 5000),
        "\n".join(["let a = x", *["let a = a + x"] * 5000, "a"]),
    ],
    ids=["3000 parentheses", "5000 terms", "5000 lets"],
)
def test_16_long_programs_give_a_result_or_a_position(body: str) -> None:
    text = f"tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] {{\n{body}\n}}\n"
    line: int | None = None
    value = 0.0
    try:
        value = tdsl.loads(text).f(np.ones(2, np.float32))[0]
    except tdsl.CompileError as error:
        line = error.lineno
    assert value in (1, 5000, 5001) if line is None else line >= 2


def test_17_unused_arguments_and_equal_results(m: tdsl.Module) -> None:
    x = numbers(5)
    np.testing.assert_array_equal(m.unused(x, numbers(3)), x + 1)
    for one, two in (m.pair(x), m.equal_results(x)):
        np.testing.assert_array_equal(one, two)
        assert not np.shares_memory(one, two)
        assert not np.shares_memory(one, x)
        kept = two.copy()
        one[:] = 0
        np.testing.assert_array_equal(two, kept)
