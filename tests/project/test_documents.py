"""Every console block in README and docs shows what its command really prints.

A block holds one command after `$ `; the rest is its output, where a line `...` stands for any
lines. `pytest --update-golden` rewrites blocks that hold no `...`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tdsl.check.modules import check_source
from tdsl.cli.main import app
from tdsl.lowering.stages import STAGES
from tdsl.syntax.source import Source

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```console\n\$ (?P<command>[^\n]*)\n(?P<output>.*?)^```$", re.M | re.S)


def run(command: str, folder: Path) -> str:
    """What the command prints, as a reader would see it: output and errors together."""
    binaries = Path(sys.executable).parent
    done = subprocess.run(
        ["bash", "-c", command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=folder,
        env=os.environ
        | {"PATH": f"{binaries}:{os.environ['PATH']}", "COLUMNS": "100", "NO_COLOR": "1"},
        check=False,
    )
    return done.stdout


def matches(shown: str, printed: str) -> bool:
    parts = [re.escape(part) for part in re.split(r"^\.\.\.\n", shown, flags=re.M)]
    return re.fullmatch("(?:.*\n)*?".join(parts), printed) is not None


def test_a_wrong_output_is_noticed() -> None:
    assert matches("a\n...\nb\n", "a\nx\ny\nb\n")
    assert not matches("a\n", "b\n")
    assert not matches("a\n...\nb\n", "a\nx\n")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_console_blocks_are_true(document: Path, pytestconfig: pytest.Config) -> None:
    text = document.read_text()
    update = pytestconfig.getoption("--update-golden")

    def renewed(match: re.Match[str]) -> str:
        if "\n..." in match["output"] or not update:
            return match[0]
        return f"```console\n$ {match['command']}\n{run(match['command'], ROOT)}```"

    if update:
        text = BLOCK.sub(renewed, text)
        document.write_text(text)
    for match in BLOCK.finditer(text):
        printed = run(match["command"], ROOT)
        assert matches(match["output"], printed), f"`{match['command']}` now prints:\n{printed}"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_links_lead_somewhere(document: Path) -> None:
    prose = re.sub(r"^```.*?^```$|`[^`\n]*`", "", document.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        if "://" not in target:
            assert (document.parent / target).exists(), f"{document.name} links to {target}"


def test_readme_shows_two_commands_for_a_clean_machine() -> None:
    commands = re.findall(r"^    (python3 .*)$", (ROOT / "README.md").read_text(), re.M)
    assert len(commands) >= 2
    assert "programs/attention.py" in commands[0]
    assert "pytest" in commands[1]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_whole_programs_are_right(document: Path) -> None:
    for text in re.findall(
        r"^```(?:tdsl)?\n(tdsl 0\.1\n.*?)^```$", document.read_text(), re.M | re.S
    ):
        assert check_source(Source(document.name, text), None).diagnostics == ()


def test_the_documents_hold_programs() -> None:
    assert (ROOT / "README.md").read_text().count("tdsl 0.1\n") >= 1
    assert (ROOT / "docs/language.md").read_text().count("```tdsl") >= 3


def test_the_expressions_for_users_of_numpy_are_right() -> None:
    text = (ROOT / "docs/from-numpy.md").read_text()
    rows = re.findall(r"^\| [^|]* \| ([^|]*) \|$", text, re.M)[1:]
    assert len(rows) >= 15
    head = (
        "tdsl 0.1\nfrom std.nn import gelu, layer_norm, linear, masked_softmax, softmax\n"
        "fn f[B, M, N, O, K, static n: int](x: f32[M, N], y: f32[M, N], v: f32[N], u: f32[M],\n"
        "  q: f32[B, M, N], w: f32[O, N], b: f32[O], mask: bool[M, N], ids: i32[K]) -> i64 {\n"
    )
    for row in rows:
        for code in set(re.findall(r"`([^`]*)`", row)) - {"std.nn"}:
            found = check_source(Source("row.tdsl", f"{head}    let a = {code}\n    1\n}}\n"), None)
            errors = [each.message for each in found.diagnostics if each.severity == "error"]
            assert not errors, f"{code}: {errors}"


def test_readme_lists_every_stage_and_every_command() -> None:
    text = (ROOT / "README.md").read_text()
    (row,) = re.findall(r"^\| `tdslc model.tdsl --emit=mlir` \|(.*)$", text, re.M)
    assert set(re.findall(r"`(\w+)`", row)) == {stage.name for stage in STAGES}
    listed = set(re.findall(r"^\| `tdslc (\w+)", text, re.M))
    commands = {command.name or command.callback.__name__ for command in app.registered_commands}  # type: ignore[union-attr]
    assert listed >= commands - {"emit"}


README_ARRAYS = """
import numpy as np
rng = np.random.default_rng(0)
shapes = {"x": (5, 768), "gain": (768,), "bias": (768,), "qkv_weight": (768, 2304)}
shapes |= {"qkv_bias": (2304,), "out_weight": (768, 768), "out_bias": (768,)}
globals().update({n: rng.standard_normal(s).astype(np.float32) for n, s in shapes.items()})
"""


def test_the_python_of_readme_runs(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S)
    assert len(blocks) >= 2
    script = tmp_path / "readme.py"
    encoder = "tdsl 0.1\npub fn encode[N](x: f32[N]) -> f32[N] { x }\n"
    (tmp_path / "encoder.tdsl").write_text(encoder)
    called = "print(fast(x, gain, bias, qkv_weight, qkv_bias, out_weight, out_bias).shape)"
    script.write_text("\n".join([README_ARRAYS, *blocks, called]))
    printed = run(f"{sys.executable} {script}", ROOT)
    assert printed.startswith("<tdsl function attend(x: E[T, C], "), printed
    assert "\nencode = <tdsl function encode(x: f32[N]) -> f32[N]>" in printed
    assert printed.endswith("(5, 768)\n"), printed
