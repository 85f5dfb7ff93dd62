"""Whole programs through the driver runtime give the numbers of this processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from driver_support import check_clean, stub
from stub_driver import StubDriver

import tdsl
from tdsl.check import typed
from tdsl.check.modules import check_file
from tdsl.gpu.driver import opened
from tdsl.gpu.driver.array import DeviceArray, to_device
from tdsl.gpu.emulator import ORDERS
from tdsl.runtime.assembling import leaves_of
from tdsl.runtime.inputs import seeded_inputs
from tdsl.runtime.layout import layout_of
from tdsl.runtime.lists import mapped
from tdsl.runtime.module import module_of

PROGRAMS = Path(__file__).parents[2] / "programs"


def checked(name: str) -> typed.Program:
    program = check_file(PROGRAMS / f"{name}.tdsl").program
    assert program is not None
    return program


def on_gpu(value: Any) -> Any:
    return mapped(
        value,
        lambda one: to_device(one, opened.device()) if isinstance(one, np.ndarray) else one,
    )


def close(mine: np.ndarray, theirs: np.ndarray) -> None:
    largest = float(np.abs(theirs.astype(np.float64)).max())
    np.testing.assert_allclose(mine, theirs, rtol=2e-5, atol=2e-6 * largest)


@pytest.mark.parametrize(
    ("name", "function"),
    [("gpt2", "forward"), ("gpt2", "step"), ("attention", "attention"), ("bert", "classify")],
)
def test_the_driver_gives_the_numbers_of_the_processor(
    driver: StubDriver, name: str, function: str
) -> None:
    program = checked(name)
    made = seeded_inputs(program, program.root.functions[function], {}, {}, 3)
    arguments = [
        one % 2 if isinstance(one, np.ndarray) and one.dtype.kind == "i" else one
        for one in made.arguments
    ]
    layout = layout_of(program, program.root.functions[function].signature).result
    wanted = leaves_of(layout, getattr(module_of(program), function)(*arguments, **made.statics))
    f = getattr(module_of(program, target="nvptx:sm_80"), function)
    there = [on_gpu(one) for one in arguments]
    for order in (ORDERS[0], ORDERS[-1]):
        driver.order = order
        for given, kind in ((arguments, np.ndarray), (there, DeviceArray)):
            found = f(*given, **made.statics)
            kinds: set[type] = set()
            mapped(found, lambda one, kinds=kinds: kinds.add(type(one)) or one)
            assert kinds == {kind}
            for mine, theirs in zip(leaves_of(layout, found), wanted, strict=True):
                close(mine, theirs)


def test_a_text_is_continued_with_weights_and_cache_on_the_device(driver: StubDriver) -> None:
    program = checked("gpt2")
    made = seeded_inputs(program, program.root.functions["forward"], {}, {}, 3)
    ids = np.array([3, 1, 4, 1], np.int32)
    m = module_of(program, target="nvptx:sm_80")
    p = m.GPT2.bind(made.arguments[1], device="cuda:0")
    wanted = module_of(program).forward(ids, made.arguments[1], **made.statics)
    close(m.forward(ids, p, **made.statics), wanted)
    step = m.step.compile(donate="cache")
    caches = [
        {"k": np.zeros((2, 8, 3), np.float32), "v": np.zeros((2, 8, 3), np.float32)}
        for _ in range(2)
    ]
    caches = on_gpu(tdsl.stack(caches))
    kept = caches.stacked["k"].pointer
    for position, token in enumerate(ids):
        before = len(driver.calls)
        logits, caches = step(np.array([token]), np.int32(position), caches, p)
        made_calls = driver.calls[before:]
        assert "cuStreamSynchronize" not in made_calls
        close(logits.numpy()[0], wanted[position])
        assert caches.stacked.k.pointer == kept


def test_the_disk_cache_keeps_code_for_gpus(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import tdsl.gpu.compiler as compiler

    text = "tdsl 0.1\npub fn f[N](x: f32[N], i: i32[1]) -> f32[1] { take(x, i, axis=0) + 1 }"
    for round_ in range(2):
        with stub(monkeypatch, tmp_path) as driver:
            if round_:
                monkeypatch.setattr(compiler, "compile_ptx", None)
            path = tmp_path / str(round_) / "at.tdsl"
            path.parent.mkdir()
            path.write_text(text)
            m = tdsl.load(path, target="nvptx:sm_80")
            assert m.f(np.float32([1, 2]), np.int32([1])).tolist() == [3]
            with pytest.raises(IndexError, match=rf"{round_}/at\.tdsl:2:\d+"):
                m.f(np.float32([1, 2]), np.int32([2]))
            check_clean(driver)
