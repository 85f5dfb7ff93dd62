"""The direction of imports, and what may import what, read from the source."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "tdsl"

# Each layer may import itself and what stands in an earlier row.
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"syntax"}),
    frozenset({"types"}),
    frozenset({"ops"}),
    frozenset({"check"}),
    frozenset({"reference", "graph"}),
    frozenset({"lowering"}),
    frozenset({"engine"}),
    frozenset({"cpu", "gpu"}),
    frozenset({"runtime"}),
    frozenset({"importer"}),
    frozenset({"cli"}),
)
MAY_IMPORT_MLIR = {"lowering", "engine", "cpu", "gpu"}


def layer(name: str) -> int:
    return next(i for i, names in enumerate(LAYERS) if name in names)


def imported(path: Path) -> set[str]:
    """Every module imported anywhere in the file, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            assert node.module
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def part(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


FILES = sorted(p for p in PACKAGE.rglob("*.py") if p.parent != PACKAGE or p.name == "importer.py")


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    mine = part(path)
    for name in imported(path):
        if name == "tdsl" or not name.startswith("tdsl."):
            continue
        other = name.split(".")[1]
        if other not in {n for names in LAYERS for n in names}:
            continue  # a public name of the package itself
        assert layer(other) <= layer(mine), f"{mine} imports {name}"
        assert layer(other) < layer(mine) or other == mine, f"{mine} imports its sibling {name}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_the_lowering_and_the_backends_import_mlir(path: Path) -> None:
    if part(path) not in MAY_IMPORT_MLIR:
        assert not {n for n in imported(path) if n.split(".")[0] == "mlir"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_first_line_states_the_responsibility(path: Path) -> None:
    if path.name == "__init__.py" and not path.read_text().strip():
        return
    docstring = ast.get_docstring(ast.parse(path.read_text()))
    assert docstring, f"{path} does not say what it is for"
    assert docstring.splitlines()[0].strip()


def test_checking_works_without_mlir(tmp_path: Path) -> None:
    code = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("mlir", "llvm", "scipy_openblas32"):
            raise ImportError(name + " is not to be imported")
sys.meta_path.insert(0, Refuse())
from tdsl.check.modules import check_file
result = check_file(sys.argv[1])
errors = [d for d in result.diagnostics if d.severity == "error"]
assert result.program and not errors, errors
"""
    for name in ("linear", "mlp", "attention", "attention_reference", "blocks"):
        program = PACKAGE.parent / "programs" / f"{name}.tdsl"
        subprocess.run([sys.executable, "-c", code, str(program)], check=True, cwd=tmp_path)
