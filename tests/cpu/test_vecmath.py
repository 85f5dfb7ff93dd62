"""exp, sin, pow … against extended precision over the whole range, special values included."""

from __future__ import annotations

import math
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from native_support import Native, identity, tensor, unary

from tdsl.cpu.accuracy import ACCURACY, HALF, table
from tdsl.cpu.compiler import assembly
from tdsl.engine.llvm import Target
from tdsl.lowering.options import Options
from tdsl.lowering.scalars import SCALARS
from tdsl.types.dtypes import DTYPES

_WIDE = np.longdouble
_REFERENCES = {
    "exp": np.exp,
    "exp2": np.exp2,
    "expm1": np.expm1,
    "log": np.log,
    "log2": np.log2,
    "log1p": np.log1p,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "erf": lambda x: np.array([math.erf(value) for value in x.astype(float)], _WIDE),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}
# What LLVM may use: without fused multiply-add every sum is rounded once more.
_FEATURES = {"avx512": None, "avx2": "+avx2,+fma,+f16c", "portable": "+sse2"}
_SPECIAL = [
    *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 45.0, -45.0, 1e4, -1e4, 1e-40, -1e-40, 5e-324),
    *(88.72, 88.73, 89.5, -87.3, -87.4, -103.9, -104.1, 127.99, 128.0, -126.0, -149.0, -150.0),
    *(709.78, 709.79, -708.3, -745.0, -746.0, 1023.9, 1024.0, -1074.0, -1075.0, -0.9999999),
    *(0.625, -0.625, 0.84375, 1.25, 0.927734375, 4.0, 6.0, 2.0**-24, 2.0**-53),
]


def _values(dtype: type) -> np.ndarray:
    random = np.random.default_rng(1)
    limits = np.finfo(dtype)
    reach = 110.0 if dtype == np.float32 else 750.0
    top = np.log10(float(limits.max))
    powers = random.uniform(np.log10(float(limits.smallest_subnormal)) + 1, top, 4000)
    edges = [limits.max, -limits.max, limits.tiny, -limits.tiny, limits.smallest_subnormal]
    return np.concatenate(
        [
            np.array([*_SPECIAL, *edges], dtype),
            (random.standard_normal(6000) * 3).astype(dtype),
            random.uniform(-reach, reach, 6000).astype(dtype),
            (10.0**powers).astype(dtype),
            (-(10.0**powers)).astype(dtype),
            (1 + random.standard_normal(4000) * 1e-3).astype(dtype),
            (random.standard_normal(4000) * 0.7).astype(dtype),
        ]
    )


def _ulps(found: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    dtype = found.dtype
    rounded = wanted.astype(dtype)
    spacing = np.spacing(np.abs(rounded)).astype(_WIDE)
    distance = np.abs(found.astype(_WIDE) - wanted.astype(_WIDE)) / spacing
    same = (found == rounded) | (np.isnan(found) & np.isnan(rounded))
    exact = same & ~np.isfinite(rounded)
    distance = np.where(exact, 0, distance)
    return np.where(np.isnan(distance), np.inf, distance)


class _Body:
    """Lines of the body of a loop."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def emit(self, operation: str, hint: str = "") -> str:
        name = self.fresh()
        self.lines.append(f"{name} = {operation}")
        return name

    def raw(self, line: str) -> None:
        self.lines.append(line)

    def fresh(self, hint: str = "") -> str:
        return f"%v{len(self.lines)}"


def _elementwise(name: str, count: int, dtype: str) -> str:
    """A function of one or two vectors, as the emitter spells it."""
    body = _Body()
    operands = ["%a", "%b"] if name == "pow" else ["%a"]
    result = SCALARS[name](body, DTYPES[dtype], *operands)
    lines = "\n    ".join(body.lines)
    type_, same = tensor(count, dtype=dtype), identity(1)
    given = ", ".join(f"%in{i}: {type_}" for i in range(len(operands)))
    names = ", ".join(f"%in{i}" for i in range(len(operands)))
    return f"""
func.func @f({given}) -> {type_} {{
  %e = tensor.empty() : {type_}
  %r = linalg.generic {{indexing_maps = [{", ".join([same] * (len(operands) + 1))}],
    iterator_types = ["parallel"]}}
    ins({names} : {", ".join([type_] * len(operands))}) outs(%e : {type_}) {{
  ^bb0({", ".join(f"{one}: {dtype}" for one in operands)}, %o: {dtype}):
    {lines}
    linalg.yield {result} : {dtype}
  }} -> {type_}
  return %r : {type_}
}}"""


def _native(name: str, count: int, dtype: str, isa: str = "avx512") -> Native:
    host, features = Target.host(), _FEATURES[isa]
    target = host if features is None else Target(host.triple, "x86-64", features)
    return Native(_elementwise(name, count, dtype), target=target)


def _check(name: str, found: np.ndarray, wanted: np.ndarray, *values: np.ndarray) -> None:
    kind = found.dtype
    limit = ACCURACY[name].f32 if kind == np.float32 else ACCURACY[name].f64
    distance = _ulps(found, wanted)
    worst = int(np.argmax(distance))
    shown = ", ".join(repr(value[worst]) for value in values)
    assert distance[worst] <= limit, (
        f"{name}({shown}) = {found[worst]!r}, wanted {wanted[worst]!r}: {distance[worst]} ulp"
    )
    known = ~np.isnan(found)
    np.testing.assert_array_equal(
        np.signbit(found[known]), np.signbit(wanted.astype(kind)[known]), err_msg="sign of zero"
    )


@cache
def _exact(name: str, dtype: type) -> tuple[np.ndarray, np.ndarray]:
    values = _values(dtype)
    return values, np.asarray(_REFERENCES[name](values.astype(_WIDE)))


@pytest.mark.parametrize("isa", _FEATURES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", _REFERENCES)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_within_the_promised_distance(name: str, dtype: type, isa: str) -> None:
    values, wanted = _exact(name, dtype)
    text = "f32" if dtype == np.float32 else "f64"
    (found,) = _native(name, len(values), text, isa)(values)
    _check(name, found, wanted, values)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_angles_next_to_quarter_turns_and_huge_ones(name: str) -> None:
    """Where most digits cancel: multiples of pi/2, and the f64 and f32 closest to one of all."""
    turns = np.arange(1, 4000) * (np.pi / 2)
    random = np.random.default_rng(2)
    wide = random.integers(0, 0x7FE0000000000000, 8000).view(np.float64)
    wide = np.concatenate([wide, turns, [6381956970095103.0 * 2.0**797, 1e22, 1.7e308]])
    narrow = random.integers(0, 0x7F7FFFFF, 8000, dtype=np.int32).view(np.float32)
    narrow = np.concatenate([narrow, turns.astype(np.float32), np.float32([16367173 * 2.0**72])])
    for values, dtype in ((wide, "f64"), (narrow, "f32")):
        (found,) = _native(name, len(values), dtype)(values)
        _check(name, found, getattr(np, name)(values.astype(_WIDE)), values)
    (found,) = _native(name, 1, "f64")(np.array([1e300]))
    assert found[0] == {"sin": -0.8178819121159085, "cos": -0.5753861119575491}[name]


def _powers(dtype: type) -> tuple[np.ndarray, np.ndarray]:
    """Bases and exponents: results over the whole range, close to 1, of negative bases, and every
    pair of what is special."""
    random = np.random.default_rng(3)
    count, reach = 4000, 80 if dtype == np.float32 else 700
    bases = [
        np.abs(random.standard_normal(count) * 3),
        np.exp(random.uniform(-reach, reach, count)),
        1 + random.standard_normal(count) * 1e-3,
        -np.exp(random.uniform(-3, 3, count)),
        np.exp(random.uniform(-reach, reach, count)),
        near := random.uniform(0.55, 1.9, count),
    ]
    exponents = [
        random.standard_normal(count) * 5,
        random.uniform(-2, 2, count),
        random.uniform(-1, 1, count) * 1e5,
        np.round(random.uniform(-30, 30, count)),
        random.uniform(-1.05, 1.05, count),
        random.uniform(-reach, reach, count) / np.log(near),
    ]
    special = [
        *(
            0.0,
            1.0,
            np.inf,
            0.5,
            2.0,
            3.0,
            1.5,
            2.5,
            1e-40,
            5e-324,
            1e38,
            1e300,
            1.7e308,
            0.9999999,
        ),
        *(
            2.0**23 - 1,
            2.0**24,
            2.0**24 + 2,
            2.0**31,
            2.0**52 + 1,
            2.0**53 - 1,
            2.0**53,
            2.0**53 + 2,
            1.0000001,
        ),
    ]
    signed = np.array([*special, *(-value for value in special), np.nan])
    first, second = np.meshgrid(signed, signed)
    with np.errstate(all="ignore"):
        x = np.concatenate([*bases, first.ravel()]).astype(dtype)
        return x, np.concatenate([*exponents, second.ravel()]).astype(dtype)


@pytest.mark.parametrize("isa", _FEATURES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_powers(dtype: type, isa: str) -> None:
    x, y = _powers(dtype)
    (found,) = _native("pow", len(x), "f32" if dtype == np.float32 else "f64", isa)(x, y)
    _check("pow", found, np.power(x.astype(_WIDE), y.astype(_WIDE)), x, y)


_LIMITS = {
    "exp": (0, 1, np.inf),
    "exp2": (0, 1, np.inf),
    "expm1": (-1, 0, np.inf),
    "log": (np.nan, -np.inf, np.inf),
    "log2": (np.nan, -np.inf, np.inf),
    "log1p": (np.nan, 0, np.inf),
    "sin": (np.nan, 0, np.nan),
    "cos": (np.nan, 1, np.nan),
    "tanh": (-1, 0, 1),
    "erf": (-1, 0, 1),
    "sigmoid": (0, 0.5, 1),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_infinities_zero_and_nan_are_exact(dtype: type) -> None:
    """0 where the result is 0, and not the least number above it."""
    values = np.array([-np.inf, 0, np.inf, np.nan], dtype)
    assert set(_LIMITS) == set(_REFERENCES)
    for name, wanted in _LIMITS.items():
        (found,) = _native(name, 4, "f32" if dtype == np.float32 else "f64")(values)
        np.testing.assert_array_equal(found, np.array([*wanted, np.nan], dtype), err_msg=name)


def test_tanh_saturates_exactly() -> None:
    values = np.array([45, -45, 1e4, -1e4, np.inf, -np.inf], np.float32)
    (found,) = Native(unary("math.tanh", 6))(values)
    np.testing.assert_array_equal(found, np.sign(values))


def test_exp_keeps_subnormal_results() -> None:
    values = np.array([-88, -95, -103], np.float32)
    (found,) = Native(unary("math.exp", 3))(values)
    assert (found > 0).all()
    np.testing.assert_allclose(found, np.exp(values.astype(float)), rtol=0, atol=2e-45)


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("name", ACCURACY)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_half_precision_is_computed_in_f32(name: str, dtype: str) -> None:
    """Every value there is."""
    import ml_dtypes

    kind = np.float16 if dtype == "f16" else ml_dtypes.bfloat16
    values = np.arange(1 << 16, dtype=np.uint16).view(kind)
    others = np.roll(values, 4099) if name == "pow" else None
    given = [values] if others is None else [values, others]
    (found,) = _native(name, len(values), dtype)(*given)
    wide = [one.astype(_WIDE) for one in given]
    wanted = np.power(*wide) if name == "pow" else np.asarray(_REFERENCES[name](*wide))
    # The spacing of this dtype, which NumPy does not know of bf16.
    bits, least = (10, -24) if dtype == "f16" else (7, -133)
    limits = ml_dtypes.finfo(kind)
    exponent = np.frexp(np.maximum(np.abs(wanted), float(limits.smallest_normal)))[1] - 1
    spacing = np.ldexp(_WIDE(1), np.maximum(exponent - bits, least).astype(int))
    # What is half a unit beyond the largest rounds to infinity.
    largest = _WIDE(float(limits.max))
    overflows = np.abs(wanted) >= largest + np.ldexp(largest, -bits - 2)
    rounded = np.where(overflows, np.sign(wanted) * np.inf, wanted)
    distance = np.abs(found.astype(_WIDE) - rounded) / spacing
    same = (found.astype(_WIDE) == rounded) | (np.isnan(found) & np.isnan(rounded))
    distance = np.where(same, 0, distance)
    worst = int(np.argmax(np.where(np.isnan(distance), np.inf, distance)))
    assert distance[worst] <= HALF, [*(x[worst] for x in given), found[worst], wanted[worst]]


@pytest.mark.parametrize("isa", _FEATURES)
@pytest.mark.parametrize("name", ACCURACY)
def test_no_call_of_libm_is_left(name: str, isa: str) -> None:
    features, host = _FEATURES[isa], Target.host()
    target = Target(host.triple, "x86-64", features) if features else host
    for dtype in ("f32", "f64"):
        text = _elementwise(name, 4096, dtype)
        assert "call" not in assembly(text, target=target)
    assert "call" in assembly(text, Options(vector_math=False), target=target)


def test_a_function_may_be_called_like_one_of_libm() -> None:
    values = np.array([0.5, 1.0], np.float32)
    text = unary("math.sin", 2).replace("@f", "@sinf")
    (found,) = Native(text)(values)
    np.testing.assert_allclose(found, np.sin(values), rtol=1e-6)


def test_the_documentation_shows_these_limits(pytestconfig: pytest.Config) -> None:
    page = Path(__file__).parents[2] / "docs" / "accuracy.md"
    text = page.read_text()
    shown = re.compile(r"(<!-- table of accuracy -->\n)(.*?)(<!-- end -->)", re.S)
    assert shown.search(text), "the page has no place for the table"
    renewed = shown.sub(lambda found: found[1] + table() + found[3], text)
    if pytestconfig.getoption("--update-golden"):
        page.write_text(renewed)
    assert renewed == page.read_text(), "run pytest --update-golden and review"
