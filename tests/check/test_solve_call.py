"""Calls: the parameters found, and the reasons given where there are none."""

from __future__ import annotations

import timeit
from typing import TypeVar

import msgspec
import pytest
from call_prelude import PRELUDE

from tdsl.check.call_failures import (
    CallFailure,
    Contradiction,
    Indivisible,
    MissingStatic,
    Poisoned,
    TooComplex,
    TooSmall,
    Undetermined,
    UnknownParameter,
    Unproved,
    WrongCount,
    WrongDType,
    WrongPack,
    WrongSize,
    WrongType,
)
from tdsl.check.call_text import headline
from tdsl.check.calls import Static, solve_call
from tdsl.check.modules import check_source
from tdsl.check.typed import FunctionReference, Signature, SizeParameter
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES, DTypeVariable
from tdsl.types.naming import Names
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Pack, Size, Symbol
from tdsl.types.types import (
    POISON,
    ListType,
    StructType,
    Substitution,
    TensorType,
    TupleType,
    Type,
    WeakType,
)


@pytest.fixture(scope="module")
def signatures() -> dict[str, Signature]:
    result = check_source(Source("prelude", PRELUDE), None)
    assert result.diagnostics == ()
    assert result.program is not None
    return {name: f.signature for name, f in result.program.root.functions.items()}


f32, f64, i32 = DTYPES["f32"], DTYPES["f64"], DTYPES["i32"]
T, C, H, N = (Size.of(Symbol(name, "m.caller")) for name in "TCHN")


def array(*shape: Size | int | Pack, dtype: object = f32) -> TensorType:
    axes = (axis if isinstance(axis, Pack) else Size.of(axis) for axis in shape)
    return TensorType(dtype, tuple(axes))  # type: ignore[arg-type]


def solved(
    signature: Signature, *arguments: Type | None, facts: Facts | None = None, **statics: Static
) -> dict[str, str]:
    found = solve_call(signature, arguments, statics, facts or Facts())
    assert isinstance(found, Substitution), headline(found, signature, Names())
    return {
        **{symbol.name: str(value) for symbol, value in found.sizes.items()},
        **{pack.name: Names().shape(shape) for pack, shape in found.packs.items()},
        **{variable.name: dtype.name for variable, dtype in found.dtypes.items()},
    }


Failure = TypeVar("Failure", bound=CallFailure)


def failed(
    kind: type[Failure], signature: Signature, *arguments: Type | None, **statics: Static
) -> Failure:
    found = solve_call(signature, arguments, statics, Facts())
    assert isinstance(found, kind), found
    return found


# --- what is found


def test_sizes_from_arguments(signatures: dict[str, Signature]) -> None:
    linear = signatures["linear"]
    assert solved(linear, array(T, C), array(C, 3 * C), array(3 * C)) == {
        "M": "T",
        "K": "C",
        "N": "3*C",
    }
    assert solved(linear, array(4, 768), array(768, 2304), array(2304))["N"] == "2304"


def test_eliminated_parameters(signatures: dict[str, Signature]) -> None:
    assert solved(signatures["heads"], array(T, H * N), H=H) == {"T": "T", "C//H": "N", "H": "H"}
    assert solved(signatures["parts"], array(5, 72), H=6) == {"T": "5", "D": "4", "H": "6"}


def test_packs_and_dtypes(signatures: dict[str, Signature]) -> None:
    soft, theirs = signatures["soft"], Pack("B", "m.caller")
    assert solved(soft, array(T, C, N), array(N)) == {"N": "N", "S": "[T, C]", "E": "f32"}
    assert solved(soft, array(N), array(N))["S"] == "[]"
    assert solved(soft, array(theirs, N), array(N))["S"] == "[...B]"
    variable = DTypeVariable("F", "float", "m.caller")
    assert solved(soft, array(N, dtype=variable), array(N, dtype=variable))["E"] == "F"


def test_weak_numbers_take_the_declared_dtype(signatures: dict[str, Signature]) -> None:
    assert solved(signatures["scaled"], array(N, dtype=f64), WeakType("float"))["E"] == "f64"
    assert solved(signatures["scaled"], array(N), WeakType("int"))["E"] == "f32"
    assert solved(signatures["shifted"], array(N), WeakType("int"))["N"] == "N"


def test_defaults(signatures: dict[str, Signature]) -> None:
    assert solved(signatures["counted"], array(4)) == {"N": "4"}
    assert solved(signatures["counted"], array(5), N=5) == {"N": "5"}
    assert failed(WrongSize, signatures["counted"], array(5)).wanted == Size.of(4)


def test_examples_know_nothing_of_arguments(signatures: dict[str, Signature]) -> None:
    given = solved(signatures["linear"], None, None, None, M=2, K=3, N=Size.of(4))
    assert given == {"M": "2", "K": "3", "N": "4"}
    given = solved(signatures["soft"], None, None, N=3, S=(Size.of(2), Size.of(5)), E=f64)
    assert given == {"N": "3", "S": "[2, 5]", "E": "f64"}


def test_axes_of_arguments_are_facts(signatures: dict[str, Signature]) -> None:
    assert solved(signatures["linear"], array(T - 1, C), array(C, N), array(N))["M"] == "T - 1"


def test_a_caller_may_use_the_symbols_of_the_callee(signatures: dict[str, Signature]) -> None:
    linear = signatures["linear"]
    m, k, n = (parameter.value for parameter in linear.sizes)
    found = solve_call(linear, [array(n, m), array(m, k), array(k)], {}, Facts())
    assert isinstance(found, Substitution)
    assert found.sizes == {m.symbol: n, k.symbol: m, n.symbol: k}


def test_nested_types() -> None:
    span = Source("x", "x").span(0, 1)
    n, m, pack = Symbol("N", "m.f"), Symbol("M", "m.f"), Pack("S", "m.f")
    declared = TupleType((array(Size.of(n)), ListType(array(pack, Size.of(m)), Size.of(m))))
    struct = StructType("m", "Pair", (Size.of(n), Size.of(m)), (f32,))
    parameters = tuple(
        SizeParameter(symbol.name, False, Size.of(symbol), None, span) for symbol in (n, m)
    )
    signature = Signature(
        FunctionReference("m", "f"),
        parameters,
        (pack,),
        (),
        (("a", declared), ("b", struct)),
        array(),
        (),
        span,
        (span, span),
        span,
        0,
    )

    def given(first: int, second: int) -> tuple[Type, Type]:
        pair = TupleType((array(first), ListType(array(7, 7, second), Size.of(second))))
        return pair, StructType("m", "Pair", (Size.of(first), Size.of(second)), (f32,))

    assert solved(signature, *given(2, 3)) == {"N": "2", "M": "3", "S": "[7, 7]"}
    wrong = failed(WrongSize, signature, given(2, 3)[0], given(2, 4)[1])
    assert (wrong.origin.name, wrong.wanted, wrong.found) == ("b", Size.of(3), Size.of(4))
    assert failed(WrongType, signature, TupleType((array(2),)), given(2, 3)[1]).reason == "length"
    other = StructType("m", "Other", struct.sizes, struct.dtypes)
    assert failed(WrongType, signature, given(2, 3)[0], other).reason == "kind"


# --- what is refused


def test_wrong_size_says_who_fixed_it(signatures: dict[str, Signature]) -> None:
    wrong = failed(WrongSize, signatures["linear"], array(T, C), array(C, 3 * C), array(C))
    assert (wrong.origin.name, wrong.origin.axis) == ("b", 0)
    assert (wrong.wanted, wrong.found) == (3 * C, C)
    fixed = {known.name: known for known in wrong.fixed}
    assert fixed["N"].value == 3 * C
    origin = fixed["N"].origin
    assert origin is not None
    assert (origin.name, origin.axis) == ("w", 1)
    assert wrong.code == "E0504"


def test_five_does_not_divide_24(signatures: dict[str, Signature]) -> None:
    for name, axis in (("heads", 24), ("parts", 72)):
        wrong = failed(Indivisible, signatures[name], array(4, axis), H=5)
        assert (wrong.divisor, wrong.dividend) == (Size.of(5), Size.of(24))
        assert wrong.constraint is not None
        assert wrong.code == "E0505"
        assert headline(wrong, signatures[name], Names()).endswith("5 does not divide 24")
    wrong = failed(Indivisible, signatures["parts"], array(4, 70), H=5)
    assert (wrong.divisor, wrong.dividend) == (Size.of(3), Size.of(70))
    symbolic = failed(Indivisible, signatures["heads"], array(T, C), H=H)
    assert symbolic.code == "E0507"


def test_a_static_that_is_a_product_fixes_what_it_is_a_factor_of() -> None:
    """`G divides H` makes H a product of two unknowns, of which no argument has either alone."""
    text = "tdsl 0.1\nfn f[static H, G, D](q: f32[H*D], k: f32[G*D]) -> f32[G*D]"
    result = check_source(Source("f", text + " where G divides H, 2 divides D { k }\n"), None)
    assert result.program is not None
    signature = result.program.root.functions["f"].signature
    assert solved(signature, array(48), array(16), H=6) == {"D//2": "4", "G": "2", "H//G": "3"}
    wrong = failed(Indivisible, signature, array(48), array(16), H=5)
    assert headline(wrong, signature, Names()).endswith(
        "no D gives 5*D = 48, as 5 does not divide 48"
    )
    wrong = failed(Indivisible, signature, array(48), array(16), H=4)
    assert (wrong.parameter, wrong.divisor, wrong.dividend) == ("G", Size.of(12), Size.of(16))
    depth = next(fixed for fixed in wrong.fixed if fixed.name == "D")
    assert depth.value == Size.of(12)
    assert depth.origin is not None
    assert depth.origin.name == "q"
    assert failed(Undetermined, signature, array(48), array(16)).names == ("H",)


def test_other_failures(signatures: dict[str, Signature]) -> None:
    linear, heads, soft = (signatures[name] for name in ("linear", "heads", "soft"))
    assert failed(WrongCount, linear, array(2, 3)).given == 1
    assert failed(UnknownParameter, heads, array(T, C), Q=3).name == "Q"
    assert failed(Undetermined, heads, array(T, C)).names == ("H",)
    assert failed(Undetermined, signatures["halved"], WeakType("float")).names == ("E",)
    assert failed(MissingStatic, signatures["told"], array(T)).value == T
    assert failed(WrongType, linear, array(T), array(T, C), array(C)).reason == "rank"
    assert failed(WrongType, linear, TupleType(()), array(T, C), array(C)).reason == "kind"
    assert failed(WrongType, soft, array(T), array(T, dtype=f64)).dtype == f32
    assert failed(WrongType, soft, array(T, dtype=i32), array(T, dtype=i32)).reason == "bound"
    assert failed(WrongType, signatures["shifted"], array(N), WeakType("float")).reason == "weak"
    assert failed(WrongDType, soft, None, None, E=i32).found == i32
    pack = failed(WrongPack, signatures["same"], array(T, C), array(C, T))
    assert (pack.wanted, pack.found, pack.first.name) == ((T, C), (C, T), "x")
    unproved = failed(Unproved, signatures["embed"], array(T, C), array(N, C))
    assert (unproved.left, unproved.right, unproved.never) == (T, N, False)
    assert failed(Unproved, signatures["embed"], array(7, 2), array(5, 2)).never
    small = failed(TooSmall, signatures["shorter"], array(T))
    assert (small.name, small.value) == ("N", T - 1)
    assert failed(TooSmall, signatures["shorter"], array(1)).value == Size.of(0)
    assert failed(TooSmall, heads, array(T, C), H=0).name == "H"
    spare = signatures["spare"]
    assert solved(spare, array(3), array(2), array(2))["C"] == "3"
    assert failed(TooSmall, spare, array(2), array(2), array(2)).name == "N"
    against = failed(Contradiction, signatures["fixed_size"], array(), C=24, H=5, D=4)
    assert (against.origin.name, against.wanted, against.found) == ("C", Size.of(20), Size.of(24))


def test_sizes_too_large_to_compare(signatures: dict[str, Signature]) -> None:
    many = sum((Size.of(Symbol(f"N{i}", "m.caller")) for i in range(30)), Size.of(0)) ** 2
    failed(TooComplex, signatures["parts"], array(1, T), H=many, D=many)


def test_callers_facts_prove_clauses(signatures: dict[str, Signature]) -> None:
    embed, less = signatures["embed"], signatures["shorter"]
    assert solved(embed, array(T, C), array(N, C), facts=Facts((N - T,)))["N"] == "N"
    assert solved(less, array(T), facts=Facts((T - 2,)))["N"] == "T - 1"


def test_poison_is_silent(signatures: dict[str, Signature]) -> None:
    linear = signatures["linear"]
    failed(Poisoned, linear, array(T, C), POISON, POISON)
    # What is wrong without it is still told.
    assert solved(linear, POISON, array(T, C), array(C), M=T)["K"] == "T"
    failed(WrongSize, linear, POISON, array(T, C), array(T))


def test_every_failure_has_a_code_and_a_text(signatures: dict[str, Signature]) -> None:
    from tdsl.check import call_failures
    from tdsl.syntax.codes import CODES

    kinds = [
        kind
        for kind in vars(call_failures).values()
        if isinstance(kind, type) and issubclass(kind, CallFailure) and kind is not CallFailure
    ]
    assert {*call_failures._CODES} == {*kinds}
    assert {*call_failures._CODES.values()} <= {*CODES, ""}
    assert all(issubclass(kind, msgspec.Struct) for kind in kinds)


def test_calls_are_quick(signatures: dict[str, Signature]) -> None:
    """Loose: what matters is that it is not milliseconds."""
    linear = signatures["linear"]
    arguments = [array(4, 768), array(768, 2304), array(2304)]
    best = min(
        timeit.repeat(lambda: solve_call(linear, arguments, {}, Facts()), number=20, repeat=5)
    )
    assert best / 20 < 1e-3
