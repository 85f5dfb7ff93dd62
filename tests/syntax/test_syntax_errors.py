"""What must be refused, with which code; how it reads (snapshots); that the edits help."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tdsl.syntax import explain
from tdsl.syntax.codes import CODES
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError
from tdsl.syntax.parser import MOST_ERRORS, parse, parse_with_warnings
from tdsl.syntax.render import apply_edits, render_text
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES

HERE = Path(__file__).parent
EDITION = "tdsl 0.1\n"


def inside(body: str) -> str:
    return EDITION + "fn f[N](x: f32[N]) -> f32[N] {\n    " + body + "\n}\n"


def find(text: str) -> tuple[Diagnostic, ...]:
    """The errors, or else the warnings, of a text."""
    try:
        return parse_with_warnings(Source("model.tdsl", text))[1]
    except DiagnosticError as error:
        return error.diagnostics


# Name: expected codes, text.
REFUSED: dict[str, tuple[str, str]] = {
    # The list of the language's page.
    "step": ("E0105", inside("x[::2]")),
    "steps": ("E0105 E0105", inside("x[0:N:2, 1::3]")),
    "chained comparison": ("E0106", inside("0.0 < x * x[0] < 3.0")),
    "chained in where": ("E0106", EDITION + "fn f[N](x: f32[N]) -> f32 where 0 < N <= 3 { 1.0 }"),
    "mixed statics": ("E0107", inside("f[H=2, 3](x)")),
    "def": ("E0108", EDITION + "def f(x: f32) -> f32:\n    return x\n"),
    "def in a block": ("E0108", inside("def g(y):")),
    "colon block": ("E0109", EDITION + "fn f(x: f32) -> f32:\n    x\n"),
    "colon block without result": ("E0109", EDITION + "fn f(x: f32):\n    x\n"),
    "colon after if": ("E0109", inside("if N > 2:\n        x\n    else:\n        x")),
    "augmented": ("E0110", inside("x += 1")),
    "bare binding": ("E0110", inside("y = x + 1")),
    "bare typed binding": ("E0110", inside("y: f32[N] = x\n    y")),
    "write to an entry": ("E0110", inside("x[0] = 1")),
    "increment": ("E0110", inside("i++")),
    "walrus": ("E0110", inside("y := x")),
    "top-level binding": ("E0110", EDITION + "x = 3\n"),
    "top-level let": ("E0110", EDITION + "let x = 3\n"),
    "result after colon": ("E0104", EDITION + "fn f[N](x: f32[N]): f32[N] { x }"),
    "result after fat arrow": ("E0104", EDITION + "fn f(x: f32) => f32 { x }"),
    "no result": ("E0104", EDITION + "fn f(x: f32) { x }"),
    "result without arrow": ("E0104", EDITION + "fn f(x: f32) f32 { x }"),
    # Habits.
    "return": ("E0117", inside("return x")),
    "lambda": ("E0117", inside("let g = lambda y: y")),
    "for": ("E0117", inside("for i in 0..3 { x }")),
    "for after a statement": ("E0117", inside("let s = 0.0\n    for i in 0..3 { s }")),
    "where as a choice": ("E0117", inside("np.where(x > 0, x, 0)")),
    "where in an operand": ("E0117", inside("x + where(x > 0, x, 0)")),
    "tuple without parentheses": ("E0101", inside("x, sum(x)")),
    "struct literal": ("E0117", inside("P{gain: x}")),
    "default without type": ("E0101", EDITION + "fn f(x: f32, eps=1e-5) -> f32 { x }"),
    "while": ("E0117", inside("while x { }")),
    "logical and": ("E0117", inside("select(x > 0&&x < 1, x, x)")),
    "logical or": ("E0117", inside("(x)||x")),
    "logical not": ("E0117", inside("!x")),
    "none": ("E0117", inside("None")),
    "truth": ("E0117", inside("f(x, True)")),
    "elif": ("E0117", inside("if N > 1 { x } elif N > 2 { x } else { x }")),
    "generics": ("E0117", EDITION + "fn f<T>(x: f32) -> f32 { x }"),
    "sizes in angles": ("E0117", EDITION + "fn f(x: f32<3>) -> f32 { x }"),
    "let mut": ("E0117", inside("let mut y = 3\n    y")),
    "semicolon at the end": ("E0117", inside("let y = x;\n    y")),
    "semicolon between": ("E0117", inside("let y = x; y")),
    "ternary": ("E0117", inside("x ? y : z")),
    "conditional": ("E0117", inside("x if N > 2 else y")),
    "conditional as argument": ("E0117", inside("f(x if N > 2 else y)")),
    "conditional in a list": ("E0117", inside("[x if N > 2 else y, y]")),
    "filtered list": ("E0117", inside("stack([x[i] for i in 0..N if i > 1])")),
    "f-string": ("E0117", EDITION + 'test f"of {x}" { assert true }\n'),
    "f-string as a note": ("E0117", EDITION + 'test "a" { assert 1 == 2, f"of {x}" }\n'),
    "f-string as a label": ("E0117", inside('dbg(x, f"x {N}")')),
    "raw string": ("E0117", inside('dbg(x, r"x")')),
    "caret": ("E0117", inside("x ^ 2")),
    "number without zero": ("E0117", inside("x * .5")),
    "inner function": ("E0117", inside("fn g(y: f32) -> f32 { y }\n    g(x)")),
    "function as value": ("E0117", inside("let g = fn (y: f32) -> f32 { y }")),
    "none as index": ("E0117", inside("x[:, None]")),
    "open parenthesis": ("E0101", inside("let y = f(x\n    let z = 3\n    y")),
    "then": ("E0101", inside("if N > 2 then x else x")),
    "body after equals": ("E0101", EDITION + "fn f(x: f32) -> f32 = x\n"),
    "tuple item": ("E0117", inside("x.0")),
    "range as slice": ("E0117", inside("x[0..3]")),
    "docstring": ("E0117", inside('"""Gives x."""\n    x')),
    "slash comment": ("E0117", EDITION + "// A comment.\nconst A = 1\n"),
    "star import": ("E0117", EDITION + "from a import *"),
    "class": ("E0117", EDITION + "class A:\n    pass\n"),
    "backslash": ("E0117", inside("x @\\\n    x")),
    # Characters.
    "single quotes": ("E0103", EDITION + "test 'a' { assert true }"),
    "unclosed string": ("E0103", EDITION + 'test "a {\n'),
    "minus sign": ("E0103", inside("x − 1")),
    "letter": ("E0103", inside("größe")),
    "nul": ("E0103", inside("x \0")),
    "no-break space": ("E0103", inside("x +\u00a0x")),
    "carriage return": ("E0103", inside("x\rx")),
    "escape": ("E0103", EDITION + 'test "a\\q" { assert true }'),
    # Brackets and ends.
    "missing brace": (
        "E0101",
        EDITION + "fn f(x: f32) -> f32 {\n    if true {\n        x\n    } else { x }\n\n"
        "fn g() -> f32 { 1.0 }\n",
    ),
    "missing inner brace": (
        "E0102",
        EDITION + "fn f(x: f32) -> f32 {\n    if true {\n        x\n    } else {\n        x\n}\n",
    ),
    "missing brace before else": (
        "E0101",
        inside("if true {\n        x\n    else {\n        x\n    }"),
    ),
    "missing opening brace": ("E0101", EDITION + "fn f(x: f32) -> f32\n    x\n}\n"),
    "wrong closing": ("E0101", inside("f(x]")),
    "closes nothing": ("E0101", inside("x)")),
    "ends in an expression": ("E0102", EDITION + "const A = 1 +"),
    "missing else": ("E0101", inside("if true { x }")),
    # Other.
    "two expressions": ("E0101", inside("x y")),
    "missing comma": ("E0101", inside("f(x y)")),
    "two statements": ("E0101", inside("let a = 1 let b = 2")),
    "if as operand": ("E0101", inside("x + if true { x } else { x }")),
    "unary plus": ("E0101", inside("x + +x")),
    "reserved word": ("E0101", inside("let fold = 3\n    x")),
    "number and letters": ("E0101", inside("10f32")),
    "comparison with one sign": ("E0101", inside("if N = 3 { x } else { x }")),
    "argument without type": ("E0101", EDITION + "fn f(x, y: f32) -> f32 { x }"),
    "late positional": ("E0101", inside("f(a=3, x)")),
    "pattern": ("E0101", inside("let (a, 3) = x\n    x")),
    "type expected": ("E0101", inside("let y: = 3\n    y")),
    "empty struct": ("E0101", EDITION + "struct A { }"),
    "not a program": ("E0101", "The quick brown fox\njumps over\n"),
    "unequal sizes": ("E0512", EDITION + "fn f[N](x: f32[N]) -> f32 where N != 3 { 1.0 }"),
    "huge integer": ("E0205", inside("x * " + "9" * 1001)),
    "edition": ("E0113", "tdsl 9.9\nconst A = 1"),
    "attribute": ("E0114", EDITION + "@jit\nfn f() -> f32 { 1.0 }"),
    "inline before a loop": ("E0114", inside("@inline fold s = x for i in 0..3 { s }")),
    "unroll before fn": ("E0114", EDITION + "@unroll\nfn f() -> f32 { 1.0 }"),
    "assert outside of a test": ("E0115", inside("assert true\n    x")),
    "empty block": ("E0118", inside("")),
    "block that ends in let": ("E0118", inside("let y = x")),
    "empty test": ("E0118", EDITION + 'test "a" { }'),
    "long sum": ("E0111", inside(" + ".join(["x"] * 200))),
    "deep list": ("E0111", inside("[" * 200 + "x" + "]" * 200)),
    "several": (
        "E0108 E0105 E0110 E0102",
        EDITION + "def f(x: f32) -> f32 { x }\n\nfn g(x: f32) -> f32 { x[::2] }\n\n"
        "fn h(x: f32) -> f32 { x += 1 }\n\nfn i(x: f32) -> f32 { x",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, golden: Callable[[Path, str], None]) -> None:
    codes, text = REFUSED[name]
    found = find(text)
    assert [diagnostic.code for diagnostic in found] == codes.split()
    shown = "\n\n".join(render_text(diagnostic) for diagnostic in found)
    golden(HERE / "snapshots" / f"{name.replace(' ', '_')}.txt", f"{shown}\n")


def test_no_snapshot_is_left_over() -> None:
    expected = {f"{name.replace(' ', '_')}.txt" for name in REFUSED}
    assert {path.name for path in (HERE / "snapshots").iterdir()} == expected


@pytest.mark.parametrize("name", REFUSED)
def test_after_its_edits_a_problem_is_gone(name: str) -> None:
    """The first diagnostic is gone from its place, and nothing new stands before it."""
    text = REFUSED[name][1]
    first = find(text)[0]
    for help_ in first.helps:
        if not help_.edits:
            continue
        mended = apply_edits(first.span.source, help_.edits)
        again = find(mended)
        assert not again or (again[0].code, again[0].span.start) != (first.code, first.span.start)
        assert not again or again[0].span.start >= min(edit.span.start for edit in help_.edits)


# Edits that leave a whole program right.
WHOLE = (
    "chained comparison", "chained in where", "step", "result after colon", "bare binding",
    "bare typed binding", "result after fat arrow", "result without arrow", "logical not",
    "logical and", "logical or", "truth", "elif", "generics", "sizes in angles", "let mut",
    "semicolon at the end", "semicolon between", "caret", "range as slice", "slash comment",
    "single quotes", "minus sign", "no-break space", "unary plus", "comparison with one sign",
    "top-level binding", "top-level let", "return", "number and letters", "edition",
)  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
def test_the_first_edit_makes_the_program_right(name: str) -> None:
    first = find(REFUSED[name][1])[0]
    edits = next(help_.edits for help_ in first.helps if help_.edits)
    mended = apply_edits(first.span.source, edits)
    # A statement that is now bound still leaves the block without a value.
    assert {d.code for d in find(mended)} <= {"E0118"}, mended


def test_the_dtypes_that_syntax_knows_are_all() -> None:
    assert {*DTYPES} == explain._DTYPES


def test_a_result_type_after_a_colon_as_in_the_design() -> None:
    text = (HERE.parent / "design" / "rejected" / "s1.tdsl").read_text()
    assert [d.code for d in find(text)] == ["E0104"]


OWN = [
    c for c in CODES.values() if c.code.startswith("E01") or c.code in ("W0002", "W0003", "W0005")
]


@pytest.mark.parametrize("code", OWN, ids=lambda code: code.code)
def test_each_code_is_explained_by_a_program(code: object) -> None:
    code = CODES[str(code.code)]  # type: ignore[attr-defined]
    assert len(code.explanation) > 40
    if code.code in ("E0112", "E0116"):
        # The first belongs to the checker, the second to files.
        assert not code.wrong
        return
    assert [d.code for d in find(code.wrong)] == [code.code]
    assert find(code.right) == ()


def test_an_item_that_was_given_up_leaves_nothing_behind() -> None:
    text = EDITION + 'test "a" {\n    assert true\n    x y\n}\n\nfn f(x: f32) -> f32 { x }\n'
    assert [d.code for d in find(text)] == ["E0101"]


def test_errors_are_in_order_and_not_endless() -> None:
    text = EDITION + "fn f( -> f32 { x }\n" * 200
    with pytest.raises(DiagnosticError) as raised:
        parse(Source("t", text))
    starts = [d.span.start for d in raised.value.diagnostics]
    assert len(starts) == MOST_ERRORS
    assert starts == sorted(starts)
