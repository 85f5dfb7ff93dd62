"""`--emit=pyi`: stubs that say what modules are, accepted by type checkers with code that uses them."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tdsl
from tdsl.check.modules import check_source, load_program
from tdsl.runtime.stub import module_stub
from tdsl.syntax.source import Source

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.tdsl"))

MODEL = '''## Layers.
tdsl 0.1
from std.nn import relu
## One \\layer with """quotes".
pub struct Linear[I, O] { weight: f32[I, O], lambda: f32[O] }
pub fn layer[I, O, static scale: number = 1.0](x: f32[I], p: Linear[I, O], by: f32 = 2.0) -> f32[O] {
    relu(x @ p.weight + p.lambda) * scale * by
}
pub fn any_of[E: dtype(any), N](x: E[N], static by: int = N) -> E[N] { x }
pub fn two[N](x: bf16[N], ids: i32[N]) -> (bf16[N], i32[N]) { (x, ids) }
fn hidden[N](x: f32[N]) -> f32[N] { x }
'''.replace(
    "any_of[E: dtype(any), N](x: E[N], static by: int = N)", "any_of[E: dtype(any), N](x: E[N])"
)

RIGHT = """
from typing import assert_type
import numpy as np
from numpy.typing import NDArray
import model
import tdsl

x = np.ones(3, np.float32)
p = model.Linear(np.ones((3, 2), np.float32), x)
assert_type(model.layer(x, p, scale=2.0), NDArray[np.float32])
assert_type(model.layer(x, {"weight": x, "lambda": x}, 3.0), NDArray[np.float32])
fast = model.layer.compile(dynamic=("I",), scale=1)
assert_type(fast, tdsl.CompiledFunction)
text: str = model.layer.mlir()
weights: tdsl.Bound = model.Linear.bind({"weight": np.ones((3, 2), np.float32), "lambda": x})
assert_type(model.layer(x, weights), NDArray[np.float32])
ids: NDArray[np.int32] = np.zeros(2, np.int32)
weight: NDArray[np.float32] = p.weight
"""

WRONG = {
    "import model\nimport numpy as np\nmodel.layer(np.ones(3), {})\n": "layer",
    "import model\nmodel.layer()\n": "layer",
    "import model\nmodel.lair\n": "lair",
    "import model\nimport numpy as np\nmodel.layer(np.ones(3, np.float32), {}, scle=2.0)\n": "scle",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("stub")
    checked = check_source(Source("model.tdsl", MODEL), None)
    assert checked.program is not None, checked.diagnostics
    (path / "model.pyi").write_text(module_stub(checked.program))
    return path


def mypy(folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    cache = str(folder / "mypy-cache")
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, *files],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def test_a_type_checker_accepts_right_uses_and_refuses_wrong_ones(folder: Path) -> None:
    (folder / "right.py").write_text(RIGHT)
    for number, text in enumerate(WRONG):
        (folder / f"wrong{number}.py").write_text(text)
    wrong = [f"wrong{number}.py" for number in range(len(WRONG))]
    done = mypy(folder, "model.pyi", "right.py", *wrong)
    assert "right.py" not in done.stdout, done.stdout
    assert "model.pyi" not in done.stdout, done.stdout
    for file, named in zip(wrong, WRONG.values(), strict=True):
        lines = [line for line in done.stdout.splitlines() if line.startswith(file)]
        assert lines, f"{file} was accepted: {done.stdout}"
        assert any(named in line for line in lines), lines


def test_the_stubs_of_all_programs_are_accepted(folder: Path) -> None:
    for path in PROGRAMS:
        (folder / f"{path.stem}.pyi").write_text(module_stub(load_program(path)))
    done = mypy(folder, *(f"{path.stem}.pyi" for path in PROGRAMS))
    assert done.returncode == 0, done.stdout


def test_pyright_accepts_them_too(folder: Path) -> None:
    beside = str(Path(sys.executable).parent)
    names = ("pyright", "basedpyright")
    found = [
        path for name in names for path in (shutil.which(name), shutil.which(name, path=beside))
    ]
    pyright = next(filter(None, found), None)
    if pyright is None:
        pytest.skip("pyright is not installed")
    (folder / "right.py").write_text(RIGHT)
    # It knows no `.tdsl` files, and misses the source of the stub.
    settings = '{"typeCheckingMode": "strict", "reportMissingModuleSource": "none"}'
    (folder / "pyrightconfig.json").write_text(settings)
    done = subprocess.run(
        [pyright, "--pythonpath", sys.executable, "model.pyi", "right.py"],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


def test_what_is_not_public_is_not_told_and_docs_are(folder: Path) -> None:
    text = (folder / "model.pyi").read_text()
    tree = ast.parse(text)
    assert "hidden" not in text
    assert ast.get_docstring(tree) == "Layers."
    (layer,) = (n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "Linear")
    assert ast.get_docstring(layer) == 'One \\layer with """quotes".'
    assert "(x: f32[I], p: Linear[I, O], by: f32) -> f32[O]" in text
    assert "lambda_: NDArray[np.float32]" in text, "a word of Python gets an underscore"


def test_names_of_python_and_of_the_stub_are_good_names(folder: Path) -> None:
    odd = (
        "tdsl 0.1\n"
        "pub struct Any[N] { np: f32[N], Sequence: f32[N] }\n"
        "pub struct NDArray[N] { x: f32[N], tdsl: f32 }\n"
        "pub fn np[N](self: f32[N], Any: f32) -> f32[N] { self * Any }\n"
        "pub fn overload[N](a: Any[N]) -> Any[N] { a }\n"
        "pub fn class[N](lambda: f32[N]) -> f32[N] { lambda }\n"
        "pub fn dataclass[N](xs: [f32[N]; 2], p: NDArray[N]) -> NDArray[N] { p }\n"
    )
    checked = check_source(Source("odd.tdsl", odd), None)
    assert checked.program is not None, checked.diagnostics
    (folder / "odd.pyi").write_text(module_stub(checked.program))
    (folder / "uses.py").write_text(
        "import numpy as np\nimport odd\nx = np.ones(3, np.float32)\n"
        "y: np.float32 = odd.class_(x)[0]\nodd.np(odd.Any(x, x).np, 2.0)\n"
    )
    done = mypy(folder, "odd.pyi", "uses.py")
    assert done.returncode == 0, done.stdout
    module = tdsl.loads(odd)
    x = np.ones(3, np.float32)
    assert module.class_ is getattr(module, "class")
    assert module.class_(x).tolist() == module.np(x, 1.0).tolist() == [1] * 3
    assert "class_" in module.__all__
    for name in ("other", "other_", "lambda_"):
        with pytest.raises(
            AttributeError, match=f"no function or struct `{name.removesuffix('_')}"
        ):
            getattr(module, name)


def test_the_stub_is_true_of_the_module() -> None:
    module = tdsl.loads(MODEL, name="model")
    program = check_source(Source("model.tdsl", MODEL), None).program
    assert program is not None
    tree = ast.parse(module_stub(program))
    exported = tree.body[-1]
    assert isinstance(exported, ast.Assign)
    assert ast.literal_eval(exported.value) == module.__all__
    calls = {
        node.name[1:]: node.body[0]
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name.startswith("_")
    }
    assert calls.keys() == {"layer", "any_of", "two"}
    for name, call in calls.items():
        assert isinstance(call, ast.FunctionDef)
        signature = getattr(module, name).__signature__
        given = [a.arg for a in (*call.args.args[1:], *call.args.kwonlyargs)]
        assert given == [*signature.parameters]


def test_the_package_is_typed() -> None:
    assert (Path(tdsl.__file__).parent / "py.typed").is_file()
