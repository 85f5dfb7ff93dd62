"""The canonical layout, case by case, and over every program of the repository."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_format_property import check

from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.syntax.format import format_source, same_meaning
from tdsl.syntax.parser import parse
from tdsl.syntax.source import Source

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted(
    path
    for folder in ("programs", "tdsl", "tests", "docs", "bench")
    for path in (ROOT / folder).rglob("*.tdsl")
)


def formatted(text: str) -> str:
    return format_source(Source("t", text))


def body(text: str) -> str:
    """Statements in a function, without its first and last line and their indentation."""
    lines = check("fn f() -> f32 {\n" + text + "\n}").split("\n")
    assert lines[0] == "fn f() -> f32 {"
    assert lines[-2:] == ["}", ""]
    return "\n".join(line.removeprefix("    ") for line in lines[1:-2])


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_program_of_the_repository(path: Path) -> None:
    text = path.read_text()
    try:
        tree = parse(Source("t", text))
    except DiagnosticError:
        with pytest.raises(DiagnosticError):
            formatted(text)
        return
    result = formatted(text)
    assert same_meaning(tree, parse(Source("t", result)))
    assert formatted(result) == result
    assert sorted(_comments(result)) == sorted(_comments(text))


def _comments(text: str) -> list[str]:
    return [line[line.index("#") :].rstrip() for line in text.split("\n") if "#" in line]


OPERATORS = {
    "a+b-c*d@e/f//g%h": "a + b - c * d @ e / f // g % h",
    "x**3+x ** -n+p . w**2": "x**3 + x**-n + p.w**2",
    "f(x)**2+x**(a+b)": "f(x) ** 2 + x ** (a + b)",
    "-  x*- y": "-x * -y",
    "not  a==b  and c or d": "not a == b and c or d",
    "( ( a+b ) )": "((a + b))",
    "x[ i * C:(i + 1)*C , : ,a : b,n: ,: -1, pos:pos+n,-1]": (
        "x[i*C : (i+1)*C, :, a:b, n:, :-1, pos : pos+n, -1]"
    ),
    "x[a+1:]": "x[a+1:]",
    "x[f(a+b), ..., newaxis]": "x[f(a + b), ..., newaxis]",
    "x[a @ b, a==b]": "x[a @ b, a == b]",
    "reshape(x, [T, 3 * C, a*f(b*c)])": "reshape(x, [T, 3*C, a * f(b * c)])",
    "f [ H = 2 * C ] ( x , axis = - 1 , )": "f[H=2*C](x, axis=-1)",
    "1 .T+(1.).T + 1. .T+1.5 .T": "1 .T + (1.).T + 1. .T + 1.5.T",
    "[x for i in 0 .. n - 1]": "[x for i in 0..n-1]",
    "[x for i in 1. ..n]": "[x for i in 1. ..n]",
    "(x ,)": "(x,)",
    "(x, y ,)": "(x, y)",
    "[ ]": "[]",
    "1_000+1.0e-5+2e3": "1_000 + 1.0e-5 + 2e3",
    '"a  \\"b\\" # c"': '"a  \\"b\\" # c"',
    "@unroll  [x for(a,b)in xs]": "@unroll [x for (a, b) in xs]",
    "fold(a,b)=(x,y)for c in zip(p,q){g(a,c)}": (
        "fold (a, b) = (x, y) for c in zip(p, q) { g(a, c) }"
    ),
    "if a{x}else if b{y}else{z}": "if a { x } else if b { y } else { z }",
    "if a{x}else{\nz}": "if a {\n    x\n} else {\n    z\n}",
    "let (a,[b,_]):f32[_,2 * N]=x\na": "let (a, [b, _]): f32[_, 2*N] = x\na",
    "a\n\n\n\nb": "a\n\nb",
    "\n\n# first\n\na\n# last\n\n": "# first\n\na\n# last",
    "a+ # why\n b": "a +  # why\n    b",
    "a # short\nlonger_name # long": "a            # short\nlonger_name  # long",
    "f(a # one\n, b)": "f(\n    a,  # one\n    b,\n)",
    "f(a, # one\n # two\n b, c # three\n)": (
        "f(\n    a,  # one\n    # two\n    b, c  # three\n)"
    ),
    "@unroll\nfold s = x for i in y { s }": "@unroll\nfold s = x for i in y { s }",
    "@unroll fold s = x for i in y { s }": "@unroll fold s = x for i in y { s }",
}  # fmt: skip


@pytest.mark.parametrize("text", OPERATORS)
def test_expressions_and_statements(text: str) -> None:
    assert body(text) == OPERATORS[text]


A, B, C = "a" * 45, "b" * 30, "c" * 30


def test_what_fits_on_a_line_is_on_one_line() -> None:
    assert body("f(\n  x,\n  y,\n)") == "f(x, y)"
    assert body("x +\n y") == "x + y"
    exactly = f"function_name({A}, {'b' * 34})"
    assert len(exactly) == 96
    assert body(exactly) == exactly
    assert body(f"function_name({A}, {'b' * 35})") == (f"function_name(\n    {A}, {'b' * 35}\n)")
    # The comment behind does not count.
    assert body(f"{exactly} # why") == f"{exactly}  # why"


def test_what_is_too_long_is_broken_at_brackets() -> None:
    assert body(f"f({A}, {B}, {C})") == f"f(\n    {A},\n    {B},\n    {C},\n)"
    # The widest brackets, not the first.
    assert body(f"f[H=2]({A}, {B}, {C})[0]") == (f"f[H=2](\n    {A},\n    {B},\n    {C},\n)[0]")
    # Rows that the author made stay.
    assert body(f"f(x, y,\n {A}, {B},\n {C})") == f"f(\n    x, y,\n    {A}, {B},\n    {C}\n)"
    assert body(f"[{A}({B}, i) for i in xs]") == f"[{A}({B}, i) for i in xs]"
    assert body(f"let x = [{A}({B}, i) for i in xs]\nx") == (
        f"let x = [\n    {A}({B}, i) for i in xs\n]\nx"
    )
    assert body(f"[{A}({B}, i) + c for i in 0..7 * N]") == (
        f"[\n    {A}({B}, i) + c\n    for i in 0..7*N\n]"
    )


def test_what_is_too_long_is_broken_after_operators() -> None:
    assert body(f"{A} + {B} * {C}") == f"{A} +\n    {B} * {C}"
    assert body(f"let x = {A} - {B}\n - {C}\nx".replace("\n -", " -\n")) == (
        f"let x = {A} -\n    {B} -\n    {C}\nx"
    )
    # Where the last operand is too long itself, its brackets are broken instead.
    assert body(f"x + f({A}, {B}, {C})") == (f"x + f(\n    {A},\n    {B},\n    {C},\n)")


def test_a_line_that_begins_with_a_sign_stays_a_statement() -> None:
    text = "a\n-b\n(c, d)\n[e]\n@unroll [f for g in h]"
    assert body(text) == text


def test_signatures() -> None:
    arguments = f"{C}: f32[N], {B}: f32[N]"
    short = f"fn f({arguments}) -> f32[N]"
    assert len(short) < 100
    assert check(f"{short}{{\n x\n}}") == f"{short} {{\n    x\n}}\n"
    assert check(f"{short}  where N>=2, N divides M {{\n x\n}}") == (
        f"{short}\n    where N >= 2, N divides M\n{{\n    x\n}}\n"
    )
    assert check(f"fn f({arguments}, c: f32[N]) -> f32[N] where N >= 2 {{ x }}") == (
        f"fn f(\n    {arguments}, c: f32[N]\n) -> f32[N] where N >= 2 {{ x }}\n"
    )
    assert check(f"fn f({arguments}, {A}: f32[N]) -> f32[N] {{ x }}") == (
        f"fn f(\n    {C}: f32[N],\n    {B}: f32[N],\n    {A}: f32[N],\n) -> f32[N] {{ x }}\n"
    )
    assert check("fn f [...S,static H=2,E:dtype( float )](x:f32=3.0)->(f32,){x}") == (
        "fn f[...S, static H = 2, E: dtype(float)](x: f32 = 3.0) -> (f32,) { x }\n"
    )


def test_items() -> None:
    text = """\
\ufeff## The module.


tdsl 0.1
import a . b as c
from a import ( b , )

from c import d
const A=1
const B:f32=2
type M[N]=f32[N,N]
@inline   pub fn f() -> f32 { 1.0 }
@inline
pub fn g() -> f32 { 1.0 }
struct S[N]{a:f32[N],b:f32}
struct T { a: f32, ## about a
  b: f32


  # about c
  c: f32, }
example f[ S=[2,3 * 2], ]->f32[2,3]
test   "a" { assert x==1,"message" }
# the end"""
    assert (
        check(text.replace("\n", "\r\n"))
        == """\
## The module.

tdsl 0.1

import a.b as c

from a import b

from c import d

const A = 1
const B: f32 = 2

type M[N] = f32[N, N]

@inline pub fn f() -> f32 { 1.0 }

@inline
pub fn g() -> f32 { 1.0 }

struct S[N] { a: f32[N], b: f32 }

struct T {
    a: f32  ## about a
    b: f32

    # about c
    c: f32
}

example f[S=[2, 3*2]] -> f32[2, 3]

test "a" { assert x == 1, "message" }
# the end
"""
    )


def test_long_imports_get_parentheses() -> None:
    assert check(f"from {A} import {B}, {C}") == f"from {A} import (\n    {B}, {C}\n)\n"
    assert check(f"from a import (\n {B}, {C}\n)") == f"from a import {B}, {C}\n"
    assert check("from a import (b, # why\n c)") == "from a import (\n    b,  # why\n    c,\n)\n"


def test_files_without_items() -> None:
    assert formatted("") == ""
    assert formatted("\n \n") == ""
    assert formatted("# one\n\n\n# two") == "# one\n\n# two\n"
    assert formatted("tdsl   0.1") == "tdsl 0.1\n"


def test_a_wrong_program_is_refused_with_its_diagnostics() -> None:
    with pytest.raises(DiagnosticError) as raised:
        formatted("const A = 1 +\nconst B = )")
    assert len(raised.value.diagnostics) == 2


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000 + "x" + ")" * 3000,
        "[" * 140 + "x" + "]" * 140,
        "if a { x } else " * 140 + "{ x }",
        "if a { " * 70 + "x" + " } else { y }" * 70,
        "f(" * 140 + "x" + ")" * 140,
        "+".join(["xxxxxxx"] * 149),
        "[" + "x, " * 3000 + "]",
    ],
    ids=lambda text: text[:20],
)
def test_deep_and_huge_programs(text: str) -> None:
    body(text)


def test_meanings_are_told_apart() -> None:
    def same(left: str, right: str) -> bool:
        return same_meaning(parse(Source("a", left)), parse(Source("b", right)))

    assert same("const A = (1)", "const  A = 1 # b")
    assert not same("const A = 1", "const A = 2")
    assert not same("const A = 1", "const A = 1.0")
    assert not same("const A = 1", "## doc\nconst A = 1")
    assert not same("const A = a - b", "const A = a + b")
    assert not same("const A = f(a)", "const A = f(a, b)")
