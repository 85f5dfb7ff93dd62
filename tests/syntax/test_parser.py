"""What must parse, to which tree, with which places and documentation."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from tdsl.syntax import ast
from tdsl.syntax.diagnostics import DiagnosticError
from tdsl.syntax.parser import MOST_LEVELS, parse, parse_with_warnings
from tdsl.syntax.reading import decode_source, read_source
from tdsl.syntax.source import Source

DESIGN = Path(__file__).parents[1] / "design"


def module(text: str) -> ast.Module:
    return parse(Source("t.tdsl", text))


def body(text: str) -> ast.Block:
    item = module("fn f() -> f32 {" + text + "}").items[0]
    assert isinstance(item, ast.Function)
    return item.body


def expression(text: str) -> Any:
    last = body(text).statements[-1]
    assert isinstance(last, ast.ExpressionStatement)
    return last.value


def shape(node: Any) -> str:
    """An expression with all its brackets written out."""
    match node:
        case ast.Binary():
            return f"({shape(node.left)} {node.operator} {shape(node.right)})"
        case ast.Unary():
            return f"({node.operator} {shape(node.operand)})"
        case ast.Attribute():
            return f"{shape(node.value)}.{node.name.text}"
        case ast.Call():
            return f"{shape(node.function)}({', '.join(map(shape, node.positional))})"
        case ast.Subscript():
            return f"{shape(node.value)}[{', '.join(map(shape, node.items))}]"
        case ast.SliceItem():
            return ":".join("" if x is None else shape(x) for x in (node.start, node.stop))
    return str(node.span.text)


@pytest.mark.parametrize("path", sorted(DESIGN.glob("programs/*.tdsl")), ids=lambda path: path.name)
def test_the_programs_of_the_design_parse_without_a_lint(path: Path) -> None:
    tree, warnings = parse_with_warnings(read_source(path))
    assert len(tree.items) >= 6
    assert warnings == ()


@pytest.mark.parametrize(
    "path", sorted(DESIGN.glob("rejected/e*.tdsl")), ids=lambda path: path.name
)
def test_programs_that_are_wrong_otherwise_parse(path: Path) -> None:
    assert module(path.read_text()).items


MUST_PARSE = {
    "a newline after @": "fn f(x: f32) -> f32 { x @\n w }",
    "an attribute on its own line": "@inline\nfn f(x: f32) -> f32 { x }",
    "an attribute on the same line": "@inline pub fn f(x: f32) -> f32 { x }",
    "unroll before fold": "fn f(x: f32) -> f32 { @unroll fold s = x for i in 0..3 { s } }",
    "unroll on its own line": "fn f(x: f32) -> f32 {\n@unroll\nfold s = x for i in 0..3 { s } }",
    "unroll on a comprehension": "fn f(x: f32) -> f32 { concat(@unroll [x for i in 0..3]) }",
    "no newline at the end": "const A = 1",
    "an empty file": "",
    "only comments": "# nothing\n\n# more",
    "docs after a field": "struct A {\n a: f32 ## one\n b: f32 ## two\n}",
    "an import with a new name": "from a import b as c",
    "an import list in parentheses": "from a import (\n b as c,\n d,\n)",
    "an import of a module": "import a.b as c",
    "a tuple of one": "fn f(x: f32) -> (f32,) { (x,) }",
    "trailing commas": "fn f[N,](x: f32[N,],) -> (f32, f32,) { g[A=1,](x[0,], y,) }",
    "struct fields with commas": "struct A[N] { a: f32[N], b: f32, }",
    "struct fields with both": "struct A {\n a: f32,\n b: f32\n c: f32\n}",
    "a where clause on lines": "fn f[N](x: f32) -> f32\n where N == 3,\n  N <= 4\n{\n x\n}",
    "a result on its own line": "fn f(x: f32)\n -> f32\n{ x }",
    "operators that begin a line": "fn f(x: f32) -> f32 {\n x\n + x\n * x\n and x\n .T\n}",
    "else on its own line": "fn f(x: f32) -> f32 {\n if true {\n x\n}\n else {\n x\n}\n}",
    "else if": "fn f(x: f32) -> f32 { if a { x } else if b { x } else { x } }",
    "for on its own line": "fn f(x: f32) -> f32 {\n fold s = x\n for i in 0..3 {\n s\n}\n}",
    "carriage returns": "fn f(x: f32) -> f32 {\r\n    x\r\n}\r\n",
    "tabs": "fn\tf(x:\tf32) -> f32 {\n\t\tx\n}",
    "a byte order mark": "\ufefftdsl 0.1\nconst A = 1",
    "many empty lines": "\n\n\nconst A = 1\n\n\n\nconst B = 2\n\n",
    "soft words as names": "fn test(type: f32, example: f32) -> f32 { type.test + tdsl(example=1) }",
    "soft words as items": "type test = f32\ntest \"a\" { assert true }\nexample test -> f32",
    "an alias with parameters": "pub type Matrix[N] = f32[N, N]",
    "a constant with a type": "const A: f32 = 1e-5",
    "an example with everything": 'example f[M=2, S=[2, 3], E=f32] -> f32[2, 3]',
    "a test with a message": 'test "a \\"b\\"" { let x = 1\n assert x == 1, "no" }',
    "kinds of parameters": "fn f[A, static B, C: size, D: dtype(float), E: int = 3, ...S]() -> f32 { 1 }",
    "defaults of arguments": "fn f(x: f32 = 3.0) -> f32 { x }",
    "divides": "fn f[H, C](x: f32[H, C]) -> f32 where H divides C { x }",
    "list and tuple types": "fn f(x: [(f32, [i32; N]); 2 * L]) -> f32 { x }",
    "subscripts of all kinds": "fn f(x: f32) -> f32 { x[..., 0, -1, a:b, :, a:, :b, newaxis, i] }",
    "patterns of all kinds": "fn f(x: f32) -> f32 { let (a, [b, _], (c,)) = x\n a }",
    "types of let": "fn f(x: f32) -> f32 { let a: f32[_, N] = x\n a }",
    "numbers": "fn f(x: f32) -> f32 { 1_000 + 1.5e-3 + 1. + 2e5 + 1_0.5_0 }",
    "a range after a number": "fn f(x: f32) -> f32 { [i for i in 0..3] }",
    "a comparison in parentheses": "fn f(x: f32) -> f32 { (a < b) == (c < d) }",
    "comments everywhere": "# a\nfn f( # b\n x: f32) -> f32 { # c\n x # d\n} # e",
    "empty brackets of a type": "fn f(x: f32[]) -> f32[] { x }",
}  # fmt: skip


@pytest.mark.parametrize("name", MUST_PARSE)
def test_must_parse(name: str) -> None:
    module(MUST_PARSE[name])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a + b - c", "((a + b) - c)"),
        ("a + b * c @ d", "(a + ((b * c) @ d))"),
        ("-a ** -b ** c", "(- (a ** (- (b ** c))))"),
        ("-a.b(c)[d]", "(- a.b(c)[d])"),
        ("- - a * b", "((- (- a)) * b)"),
        ("not a == b and c or d", "(((not (a == b)) and c) or d)"),
        ("a // b / c % d", "(((a // b) / c) % d)"),
        ("(a + b) * c", "((a + b) * c)"),
        ("a <= b + c", "(a <= (b + c))"),
        ("a!=b", "(a != b)"),
        ("a<-b", "(a < (- b))"),
        ("x[a:-b]", "x[a:(- b)]"),
        ("x[i*C : (i+1)*C]", "x[(i * C):((i + 1) * C)]"),
        ("a @\n b", "(a @ b)"),
    ],
)
def test_precedence(text: str, expected: str) -> None:
    assert shape(expression(text)) == expected


def test_a_newline_ends_a_statement_before_a_sign_that_could_begin_one() -> None:
    assert len(body("a\n-b").statements) == 2
    assert len(body("a\n[b]").statements) == 2
    assert len(body("a\n(b)").statements) == 2
    assert len(body("a\n+b").statements) == 1
    assert len(body("a -\nb").statements) == 1
    assert len(body("f(a\n-b)").statements) == 1


def test_brackets_with_names_only_are_static_arguments() -> None:
    call = expression("f[H=12, K=2](x, y=1)")
    assert isinstance(call.function, ast.StaticArguments)
    assert [a.name.text for a in call.function.arguments] == ["H", "K"]
    assert [k.name.text for k in call.keywords] == ["y"]
    # Left to the checker, which knows whether `f` is a function.
    assert isinstance(expression("f[T, T](0)").function, ast.Subscript)


def test_unroll_is_kept() -> None:
    assert expression("@unroll fold s = x for i in y { s }").unroll
    assert not expression("fold s = x for i in y { s }").unroll
    assert expression("@unroll [s for i in y]").unroll


def test_literals() -> None:
    assert expression("1_000").value == 1000
    assert expression("1.5e1").value == 15.0
    assert expression("1e400").value == float("inf")
    assert expression(r'"a\n\"\\é"').value == 'a\n"\\é'


def test_parentheses_belong_to_the_whole_but_not_to_the_part() -> None:
    product = expression("(a + b) * c")
    assert product.span.text == "(a + b) * c"
    assert product.left.span.text == "a + b"
    assert product.operator_span.text == "*"


def test_spans_are_exact() -> None:
    text = (
        "tdsl 0.1\n\n## Doc.\n@inline pub fn f[N, static H](x: f32[N, 3*H]) -> f32[N] where H <= N {\n"
        "    let (a, b): f32 = g[K=H](x.y, z=-1)\n    a[0:N, newaxis]\n}\n"
    )
    function = module(text).items[0]
    assert isinstance(function, ast.Function)
    assert function.span.text == text[text.index("@inline") : -1]
    assert function.span.line == 4
    assert function.name.span.text == "f"
    assert [p.span.text for p in function.parameters] == ["N", "static H"]
    assert function.arguments[0].span.text == "x: f32[N, 3*H]"
    assert function.constraints[0].span.text == "H <= N"
    assert text[: function.signature_end].endswith("where H <= N")
    let, last = function.body.statements
    assert isinstance(let, ast.Let)
    assert let.span.text == "let (a, b): f32 = g[K=H](x.y, z=-1)"
    assert let.pattern.span.text == "(a, b)"
    assert isinstance(let.value, ast.Call)
    assert let.value.function.span.text == "g[K=H]"
    assert let.value.positional[0].span.text == "x.y"
    assert let.value.keywords[0].span.text == "z=-1"
    assert isinstance(last, ast.ExpressionStatement)
    assert isinstance(last.value, ast.Subscript)
    assert [item.span.text for item in last.value.items] == ["0:N", "newaxis"]


def test_where_would_be_inserted_after_the_result() -> None:
    text = "fn f() -> f32[N] { x }"
    function = module(text).items[0]
    assert isinstance(function, ast.Function)
    assert text[: function.signature_end] == "fn f() -> f32[N]"


def nodes(node: ast.Node) -> list[ast.Node]:
    found, pending = [], [node]
    while pending:
        current = pending.pop()
        found.append(current)
        for field in fields(current):
            value = getattr(current, field.name)
            for child in value if isinstance(value, tuple) else (value,):
                if isinstance(child, ast.Node):
                    pending.append(child)
                    assert current.span.start <= child.span.start
                    assert child.span.end <= current.span.end
    return found


@pytest.mark.parametrize("path", sorted(DESIGN.glob("programs/*.tdsl")), ids=lambda p: p.name)
def test_a_child_lies_inside_its_parent(path: Path) -> None:
    assert len(nodes(module(path.read_text()))) > 100


def test_documentation() -> None:
    text = """\
## About the module.
##  Indented.

## About A.
struct A { ## not a field's
    ## before
    ## a
    a: f32[N],  ## after a
    b: f32  ## after b
    c: f32
}

## About f,
## in two lines.
@inline
pub fn f() -> f32 { 1.0 }
const X = 1
"""
    tree, warnings = parse_with_warnings(Source("t", "tdsl 0.1\n" + text))
    # With an edition line above, the first lines belong to the item.
    assert tree.docs == ()
    tree, warnings = parse_with_warnings(Source("t", text))
    assert tree.docs == ("About the module.", " Indented.")
    struct, function, constant = tree.items
    assert struct.docs == ("About A.",)
    assert isinstance(struct, ast.Struct)
    assert [field.docs for field in struct.fields] == [
        ("before", "a", "after a"),
        ("after b",),
        (),
    ]
    assert function.docs == ("About f,", "in two lines.")
    assert constant.docs == ()
    assert [w.code for w in warnings] == ["W0002", "W0005"]
    assert warnings[1].span.text == "## not a field's"


def test_docs_before_the_edition_are_the_module_s() -> None:
    tree = module("## One.\n## Two.\ntdsl 0.1\n## Three.\nconst A = 1")
    assert tree.docs == ("One.", "Two.")
    assert tree.items[0].docs == ("Three.",)
    assert tree.edition is not None
    assert tree.edition.text == "0.1"
    assert module("const A = 1").edition is None


@pytest.mark.parametrize("import_", ["from std.nn import relu", "import std.nn as nn"])
def test_docs_of_an_import_were_meant_for_the_module(import_: str) -> None:
    text = f"tdsl 0.1\n\n## About the module,\n## in two lines.\n\n# Why.\n{import_}\n"
    _, (warning,) = parse_with_warnings(Source("t", text))
    assert warning.code == "W0005"
    assert warning.span.text == "## in two lines."
    assert "above the line `tdsl" in warning.helps[0].text
    above = "## About the module.\n" + text.replace("## About the module,\n## in two lines.\n", "")
    assert parse_with_warnings(Source("t", above))[1] == ()


def test_lines_that_could_continue_the_one_before_are_noted() -> None:
    def lints(text: str) -> list[str]:
        source = Source("t", "tdsl 0.1\nfn f() -> f32 {\n" + text + "\n}")
        return [w.code for w in parse_with_warnings(source)[1]]

    assert lints("  let a = b\n  -c") == ["W0003"]
    assert lints("  let a = b\n    (c, d)") == ["W0003"]
    assert lints("  let a = b\n    [c, d]") == ["W0003"]
    # A tuple on a line of its own, indented like the others, is nothing unusual.
    assert lints("  let a = b\n  (c, d)") == []
    assert lints("  let a = b\n  @unroll [c for i in 0..2]") == []
    assert lints("  let a = f(b\n  - c)\n  a") == []


HEAD = "tdsl 0.1\nfn f(x: f32) -> f32 {"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + " + ".join(["x"] * 5000) + "}",
        HEAD + " ** ".join(["x"] * 5000) + "}",
        HEAD + "-" * 5000 + "x}",
        HEAD + "not " * 5000 + "x}",
        HEAD + "[" * 3000 + "x" + "]" * 3000 + "}",
        HEAD + "f(" * 3000 + "x" + ")" * 3000 + "}",
        HEAD + "x" + "[0]" * 3000 + "}",
        HEAD + "x" + ".a" * 3000 + "}",
        HEAD + "if a { x } else " * 3000 + "{ x } }",
        HEAD + "if a {" * 3000,
        HEAD + "(" * 3000,
        HEAD + "}" * 3000,
        "fn f(x: " + "[" * 3000 + "f32" + "; 1]" * 3000 + ") -> f32 { x }",
        HEAD + "let " + "(" * 3000 + "a" + ",)" * 3000 + " = x\nx }",
        HEAD + "x * " + "9" * 5000 + "}",
    ],
    ids=lambda text: text[20:50],
)  # fmt: skip
def test_deep_and_huge_input_is_refused_at_its_place(text: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        module(text)
    for diagnostic in raised.value.diagnostics:
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)


def test_the_place_of_too_deep_nesting() -> None:
    with pytest.raises(DiagnosticError) as raised:
        module(HEAD + "+".join(["x"] * 5000) + "}")
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "E0111"
    assert diagnostic.span.start == len(HEAD) + 2 * MOST_LEVELS + 1


def test_deep_input_that_is_fine() -> None:
    assert shape(expression("(" * 3000 + "x" + ")" * 3000)) == "x"
    lets = "".join(f"let y{i + 1} = y{i} + 1.0\n" for i in range(5000))
    assert len(body(lets + "y5000").statements) == 5001
    assert len(expression("[" + "x, " * 5000 + "]").items) == 5000
    deepest = "+".join(["x"] * MOST_LEVELS)
    assert shape(expression(deepest)).count("+") == MOST_LEVELS - 1


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "a.tdsl"
    path.write_bytes("é\n".encode() + b"ab\xffc")
    with pytest.raises(DiagnosticError) as raised:
        read_source(path)
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "E0116"
    assert (diagnostic.span.line, diagnostic.span.column) == (2, 3)
    with pytest.raises(DiagnosticError, match="E0116"):
        decode_source("tdsl 0.1".encode("utf-16"), "t")
    path.write_bytes(b"\xef\xbb\xbftdsl 0.1\nconst A = 1")
    assert len(parse(read_source(path)).items) == 1
