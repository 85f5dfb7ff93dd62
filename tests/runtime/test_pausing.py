"""The collector of reference cycles stands still while a function is compiled, and goes on after."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

import tdsl
from tdsl.graph import elaborate
from tdsl.runtime.pausing import collector_paused

TEXT = "tdsl 0.1\npub fn f[N](x: f32[N]) -> f32[N] { x + 1.0 }\n"


@pytest.fixture(autouse=True)
def _on() -> Iterator[None]:
    gc.enable()
    yield
    gc.enable()


def test_it_goes_on_afterwards_and_where_it_was_off_stays_off() -> None:
    with collector_paused():
        assert not gc.isenabled()
        with collector_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    with collector_paused():
        pass
    assert not gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(KeyError), collector_paused():
        raise KeyError
    assert gc.isenabled()


def test_compiling_pauses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    build = elaborate.elaborate

    def watched(*arguments: Any) -> Any:
        seen.append(gc.isenabled())
        return build(*arguments)

    monkeypatch.setattr(elaborate, "elaborate", watched)
    monkeypatch.setenv("TDSL_CACHE", "0")
    tdsl.loads(TEXT, name="paused").f.compile(dynamic=("N",))
    assert seen
    assert False in seen
    assert gc.isenabled()
