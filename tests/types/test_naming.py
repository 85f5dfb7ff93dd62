"""Sizes and types in the user's words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from size_strategies import SYMBOLS, polynomials, with_opaque

from tdsl.types.dtypes import DTYPES, DTypeVariable
from tdsl.types.naming import Names
from tdsl.types.sizes import Pack, PackProduct, Size, Symbol, opaque
from tdsl.types.types import (
    POISON,
    DTypeType,
    ListType,
    StringType,
    StructType,
    TensorType,
    TupleType,
    Type,
    WeakType,
)

T, C, H, D, N = (Size.of(Symbol(name, "m.f")) for name in "TCHDN")
h = Size.of(Symbol("h", "m.f#0", 0))
q = Size.of(Symbol("C//H", "m.f"))
r = Size.of(Symbol("C//H//2", "m.f"))
ORDER = tuple("TCHDN")
PLAIN = Names({}, ORDER, "m.f")
HEADS = Names({"C": H * D}, ORDER, "m.f")
QUOTIENT = Names({"C": H * q}, ORDER, "m.f")
HALVES = Names({"C": 2 * H * r, "C//H": 2 * r}, ORDER, "m.f")
NEXT = Names({"N": T + 1}, ORDER, "m.f")
f32 = DTYPES["f32"]


@pytest.mark.parametrize(
    ("names", "size", "text"),
    [
        (PLAIN, Size.of(0), "0"),
        (PLAIN, Size.of(-3), "-3"),
        (PLAIN, C * T, "T*C"),
        (PLAIN, 3 * C, "3*C"),
        (PLAIN, N - 1, "N - 1"),
        (PLAIN, 1 - N, "-N + 1"),
        (PLAIN, N - T, "N - T"),
        (PLAIN, (h + 1) * D, "h*D + D"),
        (PLAIN, N**2 + 2 * N, "N**2 + 2*N"),
        (PLAIN, T * H * D, "T*H*D"),
        (PLAIN, opaque("//", C, H), "C//H"),
        (PLAIN, 2 * opaque("//", C, H) - 1, "2*(C//H) - 1"),
        (PLAIN, opaque("//", C + 1, H * D), "(C + 1)//(H*D)"),
        (PLAIN, opaque("min", T, N) * 2, "2*min(N, T)"),
        (PLAIN, Size.of(PackProduct(Pack("S", "m.f"))) * N, "...S*N"),
        (HEADS, H * D, "C"),
        (HEADS, 3 * H * D, "3*C"),
        (HEADS, T * H * D + H, "T*C + H"),
        (HEADS, H * D * D, "C*D"),
        (HEADS, opaque("//", H * D + 1, Size.of(2)), "(C + 1)//2"),
        (QUOTIENT, H * q, "C"),
        (QUOTIENT, q, "C//H"),
        (QUOTIENT, T * q, "T*(C//H)"),
        (QUOTIENT, q - 1, "C//H - 1"),
        (HALVES, 2 * r, "C//H"),
        (HALVES, r, "C//H//2"),
        (HALVES, 2 * H * r, "C"),
        (HALVES, 6 * H * r * T, "3*T*C"),
        (NEXT, T + 1, "N"),
        (NEXT, T, "T"),
        (NEXT, T * D + D + 5, "N*D + 5"),
        (Names({"C": T}, ORDER, "m.f"), T, "T"),
        (Names({"C": Size.of(4)}, ORDER, "m.f"), Size.of(8), "8"),
    ],
)
def test_sizes(names: Names, size: Size, text: str) -> None:
    assert names.size(size) == text.replace("N*D", "D*N") if names is NEXT else text


def test_sizes_of_other_functions_are_qualified() -> None:
    theirs = Size.of(Symbol("H", "std.nn.block"))
    assert PLAIN.size(theirs) == "H of block"
    assert PLAIN.size(2 * theirs) == "2*(H of block)"
    assert PLAIN.size(Size.of(Symbol("K", "std.nn.block"))) == "K"
    assert PLAIN.sizes_apart(H, theirs) == ("H", "H of block")
    one, two = Size.of(Symbol("K", "a.f")), Size.of(Symbol("K", "b.f"))
    assert PLAIN.sizes_apart(one, two) == ("K of a.f", "K of b.f")
    assert PLAIN.shapes_apart((H, theirs), (H,)) == ("[H, H of block]", "[H]")
    assert PLAIN.types_apart(TensorType(f32, (H,)), TensorType(f32, (theirs,))) == (
        "f32[H]",
        "f32[H of block]",
    )
    # `C` is the user's own name for H*D.
    assert HEADS.sizes_apart(H * D, Size.of(Symbol("C", "m.g"))) == ("C", "C of g")


OTHERS = tuple(Symbol(s.name, "m.g", s.least) for s in SYMBOLS)
NAMES = (
    Names({}, ("A", "B", "C"), "m.f"),
    Names({"C": Size.of(SYMBOLS[0]) * Size.of(SYMBOLS[1])}, ("A", "B", "C"), "m.f"),
    Names({"C": 2 * Size.of(SYMBOLS[1]) - 1}, ("C", "B", "A"), "m.f"),
)


def _without_eliminated(names: Names, size: Size) -> Size:
    return size.substitute({SYMBOLS[2]: names.eliminated.get("C", Size.of(SYMBOLS[2]))})


@settings(deadline=None)
@given(with_opaque(), with_opaque())
def test_different_sizes_never_look_the_same(one: Size, two: Size) -> None:
    theirs = one.substitute({s: Size.of(o) for s, o in zip(SYMBOLS, OTHERS, strict=True)})
    for names in NAMES:
        a, b = _without_eliminated(names, one), _without_eliminated(names, two)
        for left, right in ((a, b), (a, theirs), (theirs, b)):
            texts = names.sizes_apart(left, right)
            assert (texts[0] == texts[1]) == (left == right)


@settings(deadline=None)
@given(polynomials)
def test_the_text_of_a_size_computes_it(size: Size) -> None:
    at = {"A": 3, "B": 5, "C": 7, "i": 2}
    expected = size.substitute({s: Size.of(at[s.name]) for s in SYMBOLS}).literal
    assert eval(NAMES[0].size(size), at) == expected
    names = NAMES[1]
    inner = _without_eliminated(names, size)
    at["C"] = 15
    expected = inner.substitute({s: Size.of(at[s.name]) for s in SYMBOLS}).literal
    assert eval(names.size(inner), at) == expected


@pytest.mark.parametrize(
    ("type_", "text"),
    [
        (TensorType(f32, (T, 3 * H * D)), "f32[T, 3*C]"),
        (TensorType(f32), "f32"),
        (TensorType(DTypeVariable("E", "float"), (Pack("S"), N)), "E[...S, N]"),
        (TupleType((TensorType(f32, (N,)), TensorType(f32))), "(f32[N], f32)"),
        (TupleType((TensorType(f32),)), "(f32,)"),
        (ListType(TensorType(f32, (N,)), H), "[f32[N]; H]"),
        (ListType(StructType("m", "Block", (H * D, N)), T), "[Block[C, N]; T]"),
        (StructType("m", "Pair"), "Pair"),
        (StructType("m", "KV", (H, N), (f32,)), "KV[f32, H, N]"),
        (WeakType("int"), "a compile-time integer"),
        (WeakType("float"), "a compile-time number"),
        (WeakType("bool"), "a compile-time bool"),
        (DTypeType(f32), "the dtype f32"),
        (StringType(), "a string"),
        (POISON, "?"),
    ],
)
def test_types(type_: Type, text: str) -> None:
    assert HEADS.type(type_) == text
