"""Options and paths shared by all tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="rewrite expected outputs (refused in CI)"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden is refused in CI: goldens are reviewed, not made")
    if not hasattr(config, "workerinput"):  # workers of pytest-xdist inherit the folder
        folder = tempfile.TemporaryDirectory(prefix="tdsl-tests-")
        os.environ["TDSL_CACHE_DIR"] = folder.name
        config.add_cleanup(folder.cleanup)
    # A crash of LLVM is one failing test, not the end of all; TDSL_COMPILE=here to debug one.
    os.environ.setdefault("TDSL_COMPILE", "isolated")


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture
def golden(request: pytest.FixtureRequest):  # type: ignore[no-untyped-def]
    """Compare a text with a file; `--update-golden` writes the file."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"{path} is missing: run pytest --update-golden"
        assert text == path.read_text(), f"{path} differs: run pytest --update-golden and review"

    return compare


@pytest.fixture
def busy_core() -> Iterator[int]:
    """One core kept busy by another process."""
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("processes cannot be bound to a core here")
    core = max(os.sched_getaffinity(0))
    code = f"import os\nos.sched_setaffinity(0, {{{core}}})\nprint(1, flush=True)\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()
    yield core
    process.kill()
    process.wait()
    process.stdout.close()
