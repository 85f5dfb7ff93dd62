"""The command line in this process: a process of its own costs most of a second."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tdsl.cli import main as command_line


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


@pytest.fixture
def tdslc(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    monkeypatch.setenv("COLUMNS", "200")
    for name in ("NO_COLOR", "FORCE_COLOR", "TDSL_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object) -> Result:
        with pytest.raises(SystemExit) as ended:
            command_line.main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(int(ended.value.code or 0), captured.out, captured.err)

    return run
