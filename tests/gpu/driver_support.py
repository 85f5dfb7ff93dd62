"""What tests of the driver runtime share: the stub in place of the driver, and a look at what is left."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mlir import ir
from stub_driver import Programs, StubDriver

import tdsl.gpu.compiler as compiler
from tdsl.gpu.driver import binding, dlpack, opened
from tdsl.gpu.emulator import Emulator

PROGRAMS = Programs()
"""Kernels by their PTX, of all tests: what the disk cache has is not compiled again."""


def to_ptx(module: Any, device: Any, original: Any) -> str:
    """PTX, and the same kernels for the emulator."""
    copy = ir.Module.parse(str(module))
    ptx: str = original(module, device)
    if PROGRAMS.of(ptx) is None:
        PROGRAMS.add(ptx, Emulator.of_code(*compiler.compile_kernels(copy)))
    return ptx


@contextmanager
def stub(
    monkeypatch: pytest.MonkeyPatch, cache: Path | None = None, **options: Any
) -> Iterator[StubDriver]:
    """The stub as the driver of this process; `cache` is a folder to keep code in."""
    made = StubDriver(PROGRAMS, **options)
    original = compiler.to_ptx
    with monkeypatch.context() as patch:
        patch.setenv("TDSL_CACHE", "0" if cache is None else "1")
        if cache is not None:
            patch.setenv("TDSL_CACHE_DIR", str(cache))
        patch.setattr(binding, "load_binding", lambda: made)
        patch.setattr(opened, "_OPENED", opened.Opened())
        patch.setattr(compiler, "to_ptx", lambda m, d: to_ptx(m, d, original))
        yield made


def devices() -> list[Any]:
    return [*opened._OPENED._devices.values()]


def check_clean(driver: StubDriver) -> None:
    """Nothing is left of any call: no memory, no event, no context that is current."""
    driver.fail_at = None
    gc.collect()
    dlpack.reclaim()
    driver.finish()
    for device in devices():
        device.unchecked.clear()
        device._held.clear()
        device._free_pinned.clear()
    gc.collect()
    driver.finish()
    assert driver.depth == 0
    assert driver.live == []
    assert driver.live_events == 0
    assert driver.live_pinned == 0
