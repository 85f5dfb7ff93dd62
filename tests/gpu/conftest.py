"""A stub of the GPU's driver for a test, which leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from driver_support import check_clean, stub
from stub_driver import StubDriver


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[StubDriver]:
    with stub(monkeypatch) as made:
        yield made
        check_clean(made)
