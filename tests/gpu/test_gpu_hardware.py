"""On a GPU, where there is one: `pytest -m gpu`. Elsewhere each test is skipped, and says why."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdsl
from tdsl.check.modules import check_file
from tdsl.gpu.driver import binding, opened
from tdsl.gpu.driver.array import DeviceArray, to_device
from tdsl.runtime.assembling import leaves_of
from tdsl.runtime.inputs import seeded_inputs
from tdsl.runtime.layout import layout_of
from tdsl.runtime.module import module_of

pytestmark = pytest.mark.gpu
PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.tdsl"))


@cache
def why_not() -> str:
    """Why there is nothing to run on here; "" where there is."""
    try:
        binding.load_binding()
        assert opened.device().chip
    except (tdsl.TargetError, tdsl.DriverError) as problem:
        return str(problem).splitlines()[0]
    return ""


@pytest.fixture(autouse=True)
def _a_gpu() -> None:
    if why_not():
        pytest.skip(why_not())


def test_the_reason_is_the_error_of_a_load() -> None:
    tdsl.loads("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x }", target="nvptx")


@pytest.mark.parametrize("path", PROGRAMS, ids=[path.stem for path in PROGRAMS])
def test_programs_give_the_numbers_of_the_processor(path: Path) -> None:
    program = check_file(path).program
    assert program is not None
    here, there = module_of(program), module_of(program, target=f"nvptx:{opened.device().chip}")
    for name in dict.fromkeys(example.function for example in program.root.examples):
        function = program.root.functions[name]
        made = seeded_inputs(program, function, {}, {}, 3)
        arguments = [
            one % 2
            if isinstance(one, np.ndarray) and one.dtype.kind == "i"
            else abs(one) + 1
            if isinstance(one, np.ndarray) and one.ndim == 0
            else one
            for one in made.arguments
        ]
        layout = layout_of(program, function.signature).result
        wanted = leaves_of(layout, getattr(here, name)(*arguments, **made.statics))
        found = leaves_of(layout, getattr(there, name)(*arguments, **made.statics))
        for mine, theirs in zip(found, wanted, strict=True):
            largest = float(np.abs(theirs.astype(np.float64)).max())
            np.testing.assert_allclose(
                mine.astype(np.float64), theirs.astype(np.float64), rtol=1e-4, atol=1e-5 * largest
            )


@pytest.mark.parametrize("precision", ["f32", "tf32", "bf16", "f16"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (33, 65, 129), (128, 128, 128), (257, 512, 384)])
def test_products(shape: tuple[int, int, int], precision: str) -> None:
    m, k, n = shape
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(s).astype(np.float32) for s in ((m, k), (k, n)))
    text = "tdsl 0.1\npub fn f[M, K, N](a: f32[M, K], b: f32[K, N]) -> f32[M, N] { a @ b }"
    f = tdsl.loads(text, target="nvptx", precision=precision).f
    bits = {"f32": 22, "tf32": 9, "bf16": 6, "f16": 9}[precision]
    wanted = a.astype(np.float64) @ b.astype(np.float64)
    assert np.abs(f(a, b) - wanted).max() < 2.0**-bits * 4 * k**0.5


def test_positions_out_of_range() -> None:
    f = tdsl.loads(
        "tdsl 0.1\npub fn f[V, T](w: f32[V], at: i64[T]) -> f32[T] { take(w, at, axis=0) }",
        target="nvptx",
    ).f
    w = to_device(np.arange(5, dtype=np.float32), opened.device())
    with pytest.raises(IndexError, match="index 9"):
        f(w, np.array([9])).numpy()
    assert f(w, np.array([4])).numpy().tolist() == [4]


def test_pytorch_shares_memory_and_streams() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch has no CUDA")
    f = tdsl.loads("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { exp(x) * 2 }", target="nvptx").f
    for stream in (torch.cuda.current_stream(), torch.cuda.Stream()):
        with torch.cuda.stream(stream):
            x = torch.randn(1 << 20, device="cuda")
            for _ in range(10):
                found: Any = f(x * 0.5)
                torch.testing.assert_close(found, torch.exp(x * 0.5) * 2)
            assert found.device == x.device


def test_memory_does_not_grow() -> None:
    f = tdsl.loads("tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x + 1 }", target="nvptx").f
    x: Any = to_device(np.zeros(1 << 24, np.float32), opened.device())
    for _ in range(2000):  # 128 GiB, were nothing given back
        x = f(x)
    assert isinstance(x, DeviceArray)
    assert x[0].numpy() == 2000
