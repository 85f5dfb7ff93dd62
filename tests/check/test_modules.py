"""Files, imports and the library."""

from __future__ import annotations

from pathlib import Path

import pytest
from check_support import check_text, codes, only

from tdsl.check.modules import check_file, check_source, load_program
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.syntax.source import Source

HELPERS = """tdsl 0.1

pub const SCALE = 2.0

pub type Pair[N] = f32[2, N]

pub fn twice[N](x: f32[N]) -> f32[N] { inner(x) * SCALE }

fn inner[N](x: f32[N]) -> f32[N] { x }
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if text.startswith("tdsl") else "tdsl 0.1\n" + text)
    return folder / "main.tdsl"


def found(folder: Path, **files: str) -> list[str]:
    named = {name.replace("__", "/") + ".tdsl": text for name, text in files.items()}
    return codes(check_file(write(folder, named)))


def test_names_of_another_file(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        {
            "helpers.tdsl": HELPERS,
            "main.tdsl": "from helpers import twice, SCALE as factor, Pair\n"
            "fn f[N](x: Pair[N]) -> Pair[N] { stack([twice(x[0]), x[1] * factor], axis=0) }\n",
        },
    )
    program = load_program(main)
    assert program.root.name == "main"
    assert set(program.modules) == {"main", "helpers"}
    assert set(program.root.functions) == {"f"}
    assert program.root.names["twice"].module == "helpers"
    # What an imported function calls is there as well.
    assert set(program.modules["helpers"].functions) == {"twice", "inner"}


def test_modules_by_name_and_by_path(tmp_path: Path) -> None:
    assert not found(
        tmp_path,
        helpers=HELPERS,
        deep__down__other=HELPERS,
        main="import helpers as h\nimport deep.down.other\n"
        "fn g[N](x: f32[N]) -> f32[N] { h.twice(x) * h.SCALE + deep.down.other.twice(x) }\n",
    )


def test_what_is_not_public_is_not_visible(tmp_path: Path) -> None:
    result = check_file(
        write(
            tmp_path,
            {
                "helpers.tdsl": HELPERS,
                "main.tdsl": "from helpers import inner\n"
                "fn f[N](x: f32[N]) -> f32[N] { inner(x) }\n",
            },
        )
    )
    diagnostic = only(result)
    assert diagnostic.code == "E0804"
    assert "not public" in diagnostic.message


def test_an_import_can_be_handed_on(tmp_path: Path) -> None:
    assert not found(
        tmp_path,
        helpers=HELPERS,
        front="pub from helpers import twice\n",
        main="from front import twice\nfn f[N](x: f32[N]) -> f32[N] { twice(x) }\n",
    )
    assert found(
        tmp_path,
        helpers=HELPERS,
        front="from helpers import twice\n",
        main="from front import twice\nfn f[N](x: f32[N]) -> f32[N] { twice(x) }\n",
    ) == ["E0804"]


def test_a_circle_of_modules(tmp_path: Path) -> None:
    result = check_file(
        write(
            tmp_path,
            {
                "main.tdsl": "from a import f\n",
                "a.tdsl": "from b import g\npub fn f(x: f32) -> f32 { g(x) }\n",
                "b.tdsl": "from a import f\npub fn g(x: f32) -> f32 { f(x) }\n",
            },
        )
    )
    diagnostic = only(result)
    assert diagnostic.code == "E0805"
    assert "`a` → `b` → `a`" in diagnostic.notes[0]


def test_a_module_that_is_not_there(tmp_path: Path) -> None:
    result = check_file(
        write(tmp_path, {"helpers.tdsl": HELPERS, "main.tdsl": "from helper import twice\n"})
    )
    diagnostic = only(result)
    assert diagnostic.code == "E0803"
    assert "`helpers`" in diagnostic.helps[0].text


def test_errors_of_an_imported_file_are_told_in_it(tmp_path: Path) -> None:
    result = check_file(
        write(
            tmp_path,
            {
                "main.tdsl": "from bad import f\nfn g[N](x: f32[N]) -> f32[N] { f(x) }\n",
                "bad.tdsl": "pub fn f[N](x: f32[N]) -> f32[N] { x @ y }\n",
            },
        )
    )
    diagnostic = only(result)
    assert diagnostic.code == "E0801"
    assert Path(diagnostic.span.source.name).name == "bad.tdsl"


def test_a_file_that_does_not_parse_makes_its_importers_silent(tmp_path: Path) -> None:
    main = write(
        tmp_path,
        {
            "bad.tdsl": "pub fn f[N](x: f32[N] -> f32[N] { x }\n",
            "main.tdsl": "from bad import f\nimport bad\n"
            "fn g[N](x: f32[N]) -> f32[N] { f(x) + bad.f(x) }\n",
        },
    )
    diagnostic = only(check_file(main))
    assert diagnostic.code.startswith("E01")
    assert Path(diagnostic.span.source.name).name == "bad.tdsl"


def test_text_imports_only_from_the_library() -> None:
    assert codes(check_text("from helpers import twice\n")) == ["E0803"]
    assert codes(check_text("from std.nn import relu\nfn f(x: f32) -> f32 { relu(x) }\n")) == []


def test_only_what_is_used_of_the_library_is_in_the_program() -> None:
    result = check_text("from std.nn import attend\nfn f(x: f32) -> f32 { x }\n")
    assert result.program is not None
    assert result.program.modules["std.nn"].functions == {}
    text = "from std.nn import relu, softmax\nfn f[N](x: f32[N]) -> f32[N] { relu(x) }\n"
    program = check_text(text).program
    assert program is not None
    assert set(program.modules["std.nn"].functions) == {"relu"}


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "main.tdsl"
    path.write_bytes(b"tdsl 0.1\nfn f\xff\xfe")
    assert codes(check_file(path)) == ["E0116"]
    with pytest.raises(DiagnosticError):
        load_program(path)
    with pytest.raises(OSError, match="nothing"):
        check_file(tmp_path / "nothing.tdsl")


def test_the_root_of_an_imported_text(tmp_path: Path) -> None:
    write(tmp_path, {"helpers.tdsl": HELPERS})
    text = "tdsl 0.1\nfrom helpers import twice\nfn f[N](x: f32[N]) -> f32[N] { twice(x) }\n"
    result = check_source(Source(str(tmp_path / "a" / "b.tdsl"), text), tmp_path)
    assert result.program is not None
    assert result.program.root.name == "b"
