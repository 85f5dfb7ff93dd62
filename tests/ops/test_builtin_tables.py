"""Every row of the tables of builtins and primitives is complete."""

from __future__ import annotations

import re

import pytest

from tdsl.check.call_matching import within
from tdsl.check.modules import check_source
from tdsl.ops.builtins import BUILTINS, CONSTANTS, NAMED, OPERATORS, STRUCTURAL
from tdsl.ops.primitives import PRIMITIVES
from tdsl.ops.table import REQUIRED, Builtin
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES, DTypeVariable

LANGUAGE = [
    "add",
    "sub",
    "mul",
    "div",
    "floordiv",
    "mod",
    "pow",
    "neg",
    "abs",
    "sign",
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log1p",
    "sqrt",
    "rsqrt",
    "reciprocal",
    "sin",
    "cos",
    "tanh",
    "erf",
    "sigmoid",
    "floor",
    "ceil",
    "round",
    "minimum",
    "maximum",
    "clip",
    "select",
    "isnan",
    "isfinite",
    "equal",
    "not_equal",
    "less",
    "less_equal",
    "greater",
    "greater_equal",
    "logical_and",
    "logical_or",
    "logical_not",
    "sum",
    "mean",
    "max",
    "min",
    "prod",
    "any",
    "all",
    "argmax",
    "argmin",
    "cumsum",
    "matmul",
    "reshape",
    "transpose",
    "broadcast",
    "concat",
    "stack",
    "split",
    "pad",
    "flip",
    "zeros",
    "full",
    "iota",
    "eye",
    "causal_mask",
    "allclose",
    "take",
    "slice",
    "update",
    "zip",
    "dbg",
]


def test_the_whole_language_is_here() -> None:
    assert {*LANGUAGE, *DTYPES} == {*BUILTINS, *STRUCTURAL}
    assert not set(BUILTINS) & set(STRUCTURAL)
    assert not set(BUILTINS) & set(CONSTANTS)
    assert set(CONSTANTS) == {"inf", "nan", "pi"}


@pytest.mark.parametrize("builtin", BUILTINS.values(), ids=lambda b: b.name)
def test_no_empty_column(builtin: Builtin) -> None:
    for column in ("name", "family", "signature", "doc", "example"):
        assert getattr(builtin, column).strip(), column
    assert builtin.doc.endswith(".")
    assert builtin.name in builtin.example or (builtin.operator or "?") in builtin.example
    for column in ("rule", "reference", "expand"):
        assert callable(getattr(builtin, column))


@pytest.mark.parametrize("builtin", BUILTINS.values(), ids=lambda b: b.name)
def test_signature_names_every_parameter(builtin: Builtin) -> None:
    name, rest = re.fullmatch(r"(\w+)(.*)", builtin.signature).groups()  # type: ignore[union-attr]
    assert name == builtin.name
    assert "->" in rest
    inside = rest[rest.index("(x") if "(x" in rest else rest.rindex("(") :]
    for parameter in builtin.parameters:
        assert re.search(rf"\b{parameter.name}\b", inside), parameter.name


_OF_ONE_ARRAY = [
    builtin
    for builtin in BUILTINS.values()
    if builtin.named
    and builtin.parameters[0].name == "x"
    and all(p.name == "axis" or p.default is not REQUIRED for p in builtin.parameters[1:])
]


@pytest.mark.parametrize("builtin", _OF_ONE_ARRAY, ids=lambda b: b.name)
def test_the_signature_says_which_dtypes_it_takes(builtin: Builtin) -> None:
    """And of what dtype its result is, where that is one of the argument's or fixed."""
    axis = ", axis=0" if any(p.name == "axis" for p in builtin.parameters) else ""
    bounds = dict(re.findall(r"(\w+): dtype\((\w+)\)", builtin.signature))
    taken = re.search(r"\(x: (\w+)", builtin.signature)
    assert taken is not None
    for dtype in DTYPES.values():
        text = f"fn f(x: {dtype}[3]) -> {dtype}[3] {{\n    let _y = {builtin.name}(x{axis})\n    x\n}}\n"
        found = check_source(Source("t", f"tdsl 0.1\n{text}"), None).diagnostics
        bound = bounds.get(taken[1])
        admits = within(dtype, DTypeVariable("E", bound)) if bound else taken[1] == dtype.name
        assert admits == (not any(d.severity == "error" for d in found)), dtype


def test_only_names_of_the_language_are_reserved() -> None:
    """Its section 4 lists operators by their signs; of these only `neg` has a name there, too."""
    by_sign = """add sub mul div floordiv mod pow equal not_equal less less_equal greater
    greater_equal logical_and logical_or logical_not matmul"""
    assert set(BUILTINS) - set(NAMED) == set(by_sign.split())


@pytest.mark.parametrize("name", STRUCTURAL)
def test_structural_rows_are_complete(name: str) -> None:
    row = STRUCTURAL[name]
    assert row.name == name
    assert row.signature.startswith(f"{name}[")
    assert row.doc.endswith(".")
    assert f"{name}(" in row.example


def test_required_parameters_come_first() -> None:
    for builtin in BUILTINS.values():
        required = [parameter.default is REQUIRED for parameter in builtin.parameters]
        assert required == sorted(required, reverse=True), builtin.name


def test_operators() -> None:
    assert set(OPERATORS.values()) <= set(BUILTINS)
    assert OPERATORS["-"] == "sub"
    assert OPERATORS["unary -"] == "neg"
    expected = [
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "@",
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "and",
        "or",
        "not",
    ]
    assert set(OPERATORS) == {*expected, "unary -"}


def test_primitives_are_complete() -> None:
    for name, primitive in PRIMITIVES.items():
        assert primitive.name == name
        assert primitive.doc.endswith(".")
        assert callable(primitive.infer)
        assert callable(primitive.reference)
