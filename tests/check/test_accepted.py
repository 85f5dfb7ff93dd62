"""What must be accepted, with which types, and what the typed program then says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from check_support import check_text, codes

from tdsl.check import typed
from tdsl.check.dump import dump_program, names_of
from tdsl.check.walk import children
from tdsl.types.dtypes import DTYPES
from tdsl.types.types import WeakType


def body_of(text: str, name: str = "f") -> typed.Expression:
    result = check_text(text)
    assert result.program is not None, result.diagnostics
    return result.program.root.functions[name].body


def every(expression: typed.Expression) -> Iterator[typed.Expression]:
    yield expression
    for child in children(expression):
        yield from every(child)


def result_type(text: str, name: str = "f") -> str:
    result = check_text(text)
    assert result.program is not None, result.diagnostics
    function = result.program.root.functions[name]
    return names_of(function.signature).type(function.body.type)


ACCEPTED = {
    "scalars": "fn f(x: f32, y: f32) -> f32 { x * y + 1.0 }",
    "no arguments": "fn f() -> f32 { 2.0 }",
    "weak keeps f32": "fn f[N](x: f32[N]) -> f32[N] { x / sqrt(N) + pi }",
    "weak with bf16 stays": "fn f[N](x: bf16[N]) -> bf16[N] { 2.5 * x }",
    "an integer with a fraction": "fn f[N](x: i32[N]) -> f64[N] { x * 0.5 }",
    "huge floats saturate": "fn f[N](x: f16[N]) -> f16[N] { x + -1.0e10 }",
    "typed scalar": "fn f[D](x: f32[D]) -> f64[D] { x / f64(sqrt(D)) }",
    "opaque dtype": "fn f[E: dtype(float), N](x: E[N], y: f32[N]) -> E[N] { x + E(y) * 2.0 }",
    "integer matmul": "fn f[N](x: i8[N, N]) -> i8[N, N] { x @ x }",
    "matrix by vector": "fn f[M, K](x: f32[M, K], y: f32[K]) -> f32[M] { x @ y }",
    "vector by matrix": "fn f[M, K](x: f32[M, K], y: f32[M]) -> f32[K] { y @ x }",
    "dot": "fn f[K](x: f32[K]) -> f32 { x @ x }",
    "leading axes": "fn f[...S, K, N](x: f32[...S, K], w: f32[K, N]) -> f32[...S, N] { x @ w }",
    "equal batches": (
        "fn f[...B, M, K, N](x: f32[...B, M, K], y: f32[...B, K, N]) -> f32[...B, M, N] { x @ y }"
    ),
    "slices": "fn f[static T, N](x: f32[N]) -> f32[T] where T <= N { x[0:T] }",
    "slice from the end": "fn f[N](x: f32[N + 2]) -> f32[N] { x[:-2] }",
    "slices of every third": (
        "fn f[T, C](x: f32[T, 3*C]) -> f32[T, C] {"
        " let [a, b, c] = [x[:, i*C : (i+1)*C] for i in 0..3]\n a + b * c }"
    ),
    "bounds proved once for all heads": (
        "fn f[T, C, static H, D](x: f32[T, C]) -> f32[T, C] where C == H*D {"
        " concat([x[:, h*D : (h+1)*D] for h in 0..H], axis=-1) }"
    ),
    "negative index": "fn f[N](x: f32[N]) -> f32 { x[-1] }",
    "index of a loop": "fn f[N](x: f32[N, N]) -> f32[N, N] { stack([x[i] for i in 0..N], axis=0) }",
    "newaxis and ellipsis": "fn f[...S, N](x: f32[...S, N]) -> f32[...S, 1] { x[..., 0, newaxis] }",
    "reshape with a wildcard": "fn f[A, B](x: f32[A, B]) -> f32[B*A] { reshape(x, [_]) }",
    "quotients": (
        "fn f[C, static H](x: f32[C]) -> f32[H, C//H] where H divides C { reshape(x, [H, C//H]) }"
    ),
    "half a size": (
        "fn f[D](x: f32[D]) -> f32[D] where 2 divides D { concat([x[D//2 :], x[: D//2]], axis=0) }"
    ),
    "transpose of a matrix": "fn f[A, B](x: f32[A, B]) -> f32[B, A] { x.T }",
    "methods": "fn f[N](x: f32[N]) -> f32 { x.exp().sum(axis=0) }",
    "a method of our own": (
        "fn twice[N](x: f32[N], static_: f32) -> f32[N] { x * static_ }\n"
        "fn f[N](x: f32[N]) -> f32[N] { x.twice(2.0).twice(3.0) }"
    ),
    "method with statics": (
        "fn cut[N, static H](x: f32[N]) -> f32[H, N//H] where H divides N {"
        " reshape(x, [H, N//H]) }\nfn f(x: f32[6]) -> f32[2, 3] { x.cut[H=2]() }"
    ),
    "keyword arguments": (
        "fn g[N](x: f32[N], y: f32[N]) -> f32[N] { x - y }\n"
        "fn f[N](x: f32[N], y: f32[N]) -> f32[N] { g(y=x, x=y) }"
    ),
    "order of arguments is irrelevant": (
        "fn g[N, M](x: f32[N + M], y: f32[N], z: f32[M * N]) -> f32[M] { x[N:] }\n"
        "fn f[A](x: f32[A + 2], y: f32[2], z: f32[2 * A]) -> f32[A] { g(x, y, z) }"
    ),
    "dtype of an argument": "fn f[E: dtype(float), N](x: E[N]) -> E[N] { x + zeros([N], x.dtype) }",
    "default of an argument": (
        "fn g[N](x: f32[N], scale: f32 = 2) -> f32[N] { x * scale }\n"
        "fn f[N](x: f32[N]) -> f32[N] { g(x) + g(x, 3) + g(x, scale=4.0) }"
    ),
    "defaults of statics": (
        "fn g[N, static k: int = 2, static flip: bool = false](x: f32[N]) -> f32[N] {"
        " if flip { -x * k } else { x * k } }\n"
        "fn f[N](x: f32[N]) -> f32[N] { g(x) + g[k=-3, flip=true](x) }"
    ),
    "if on sizes": "fn f[N](x: f32[N]) -> f32 { if N >= 2 { x[1] } else { x[0] } }",
    "else if": (
        "fn f[N](x: f32[N]) -> f32[N] { if N == 1 { x } else if N == 2 { -x } else { x * 2.0 } }"
    ),
    "tuples": (
        "fn g[N](x: f32[N]) -> (f32[N], f32) { (x, sum(x)) }\n"
        "fn f[N](x: f32[N]) -> f32[N] { let (y, s) = g(x)\n y / s }"
    ),
    "nested tuples": (
        "fn f[N](x: f32[N]) -> f32[N] { let (a, (b, _)) = (x, (x + 1.0, x))\n a * b }"
    ),
    "a tuple of numbers takes dtypes": "fn f[N](x: f32[N]) -> (f32[N], f64, i32) { (x, 2, 3) }",
    "items of a list may differ where they get names": (
        "fn f[N](x: f32[N]) -> f32[N] { let [a, b] = [x, sum(x)]\n a / b }"
    ),
    "a let of a size is a size": (
        "fn f[C, static H](x: f32[C]) -> f32[H, C//H] where H divides C {"
        " let depth = C // H\n reshape(x, [H, depth]) }"
    ),
    "declared lets": "fn f[N](x: f32[N]) -> f32[N] { let y: f32[_] = x\n let s: f32 = 2\n y * s }",
    "joined sizes add up": (
        "fn f[N, M](x: f32[N], y: f32[M]) -> f32[M + N] { concat([y, x], axis=0) }"
    ),
    "a list as argument and result": (
        "fn f[N, L](xs: [f32[N]; L]) -> [f32[N]; L] { [exp(x) for x in xs] }"
    ),
    "items of a list": "fn f[N, L](xs: [f32[N]; L]) -> f32[N] { xs[0] + xs[L - 1] + xs[-1] }",
    "a stack of a list": (
        "fn f[N, L](xs: [f32[N]; L]) -> f32[L, N] { stack([exp(x) for x in xs], axis=0) }"
    ),
    "fold over a list": (
        "struct P[C] { w: f32[C, C], b: f32[C] }\n"
        "fn f[T, C, L](x: f32[T, C], ps: [P[C]; L]) -> f32[T, C] {"
        " fold y = x for p in ps { y @ p.w + p.b } }"
    ),
    "scan with numbers as state": (
        "fn f[N](x: f32[N]) -> ((f32, i32), [f32; N]) {"
        " scan (s, c) = (0.0, 0) for i in 0..N { ((s + x[i], c + i32(1)), s) } }"
    ),
    "zip": (
        "fn f[N, L](xs: [f32[N]; L], ys: [f32[N]; L], z: f32[N]) -> f32[N] {"
        " fold s = z for (x, y) in zip(xs, ys) { s + x * y } }"
    ),
    "an unrolled loop may look at its index": (
        "fn f[N](x: f32[N]) -> f32[N] {"
        " @unroll\nfold s = x for i in 0..3 { if i == 0 { s } else { s + 1.0 } } }"
    ),
    "structs of structs": (
        "struct Linear[I, O] { w: f32[I, O], b: f32[O] }\n"
        "struct Mlp[C, F] { up: Linear[C, F], down: Linear[F, C] }\n"
        "fn linear[T, I, O](x: f32[T, I], p: Linear[I, O]) -> f32[T, O] { x @ p.w + p.b }\n"
        "fn f[T, C, F](x: f32[T, C], p: Mlp[C, F]) -> f32[T, C] {"
        " linear(linear(x, p.up), p.down) }"
    ),
    "structs of any dtype and rank": (
        "struct P[E: dtype(float), ...S, N] { x: E[...S, N] }\n"
        "fn g[E: dtype(float), ...S, N](p: P[E, ...S, N]) -> P[f64, ...S, N] { P(x=f64(p.x)) }\n"
        "fn f[N](p: P[f32, 2, N]) -> f64[2, N] { g(p).x }"
    ),
    "methods on structs": (
        "struct P[N] { x: f32[N] }\nfn total[N](p: P[N]) -> f32 { sum(p.x) }\n"
        "fn f[N](p: P[N]) -> f32 { p.total() + p.x.sum() }"
    ),
    "constants": (
        "const N = 3\nconst HALF = 1.0 / 2.0\nconst BIAS: f32[N] = full([N], HALF, f32)\n"
        "fn f(x: f32[N]) -> f32[N] { x * HALF + BIAS }"
    ),
    "constants in any order": "const A = B + 1\nconst B = 2\nfn f(x: f32[A]) -> f32[3] { x }",
    "aliases": (
        "type Row[N, E: dtype(float)] = E[3, N]\ntype Cube = f32[2, 2, 2]\n"
        "fn f[N](x: Row[N, f32], y: Row[E=f32, N=N]) -> Row[N, f32] { x + y }"
    ),
    "no edition is the newest": "fn f[N](x: f32[N]) -> f32[N] { x }",
    "functions in any order": (
        "fn f[N](x: f32[N]) -> f32[N] { g(x) }\nfn g[N](x: f32[N]) -> f32[N] { x }"
    ),
    "equal names of sizes": (
        "fn g[H, D](x: f32[H, D]) -> f32[D, H] { x.T }\n"
        "fn f[H, D](x: f32[D, H]) -> f32[H, D] { g(x) }"
    ),
    "a local may be named as a builtin": (
        "fn f[N](x: f32[N]) -> f32[N] { let sum = sum(x)\n x / sum }"
    ),
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_it_is_accepted_without_a_word(name: str) -> None:
    result = check_text(ACCEPTED[name])
    assert codes(result) == [], result.diagnostics
    assert result.program is not None
    assert dump_program(result.program)


@pytest.mark.parametrize("name", ACCEPTED)
def test_no_poison_is_left_in_an_accepted_program(name: str) -> None:
    program = check_text(ACCEPTED[name]).program
    assert program is not None
    for function in program.root.functions.values():
        for expression in every(function.body):
            assert not isinstance(expression, typed.Poison)
            assert type(expression).__module__ == typed.__name__


def test_promotion_is_a_conversion_that_nobody_wrote() -> None:
    body = body_of("fn f[N](x: f32[N], y: f64[N]) -> f64[N] { x + y }")
    assert isinstance(body, typed.Apply)
    first, second = body.operands
    assert isinstance(first, typed.Convert)
    assert not first.explicit
    assert first.dtype == DTYPES["f64"]
    assert isinstance(second, typed.Local)


def test_a_cast_is_a_conversion_that_was_written() -> None:
    body = body_of("fn f[N](x: f64[N]) -> f32[N] { f32(x) }")
    assert isinstance(body, typed.Convert)
    assert body.explicit


def test_a_weak_number_takes_the_dtype_it_meets() -> None:
    body = body_of("fn f[N](x: f16[N]) -> f16[N] { x * sqrt(N) }")
    weak = [e for e in every(body) if isinstance(e, typed.Convert)]
    assert [e.dtype.name for e in weak] == ["f16"]
    assert isinstance(weak[0].value.type, WeakType)


def test_elementwise_operands_have_one_dtype() -> None:
    body = body_of(
        "fn f[N](x: f32[N], c: i32[N]) -> f64[N] { select(c > 0, x, 0.0) + minimum(c, 3) * 0.5 }"
    )
    for apply in every(body):
        if isinstance(apply, typed.Apply) and apply.builtin in ("add", "mul", "greater"):
            dtypes = {getattr(operand.type, "dtype", None) for operand in apply.operands}
            assert len(dtypes) == 1


def test_constants_are_folded() -> None:
    """So chains of constants cannot blow up."""
    text = "const C0 = 1.5\n"
    text += "".join(f"const C{i + 1} = C{i} * C{i} / C{i}\n" for i in range(60))
    body = body_of(text + "fn f(x: f32) -> f32 { x * C60 }")
    numbers = [e for e in every(body) if isinstance(e, typed.Number)]
    assert [n.value for n in numbers] == [1.5]


def test_a_literal_range_is_written_out() -> None:
    body = body_of("fn f[N](x: f32[N]) -> f32[3, N] { stack([x * i for i in 2..5], axis=0) }")
    lists = [e for e in every(body) if isinstance(e, typed.MakeList)]
    assert len(lists[0].items) == 3


def test_a_symbolic_range_is_checked_once() -> None:
    body = body_of("fn f[N](x: f32[N, N]) -> f32[N, N] { stack([x[i] for i in 0..N], axis=0) }")
    loops = [e for e in every(body) if isinstance(e, typed.Comprehension)]
    assert len(loops) == 1
    assert loops[0].index.least == 0


def test_an_eliminated_parameter_keeps_its_name() -> None:
    text = (
        "fn f[T, C, static H, D](x: f32[T, 3*C]) -> f32[T, 3*C] where C == H*D {"
        " concat([x[:, :C], x[:, C:]], axis=1) }"
    )
    assert result_type(text) == "f32[T, 3*C]"


def test_unused_names_and_promotion_are_warned_of() -> None:
    text = "fn f[N](x: i32[N]) -> i32[N] { let y = x / 2\n x }"
    result = check_text(text)
    assert result.program is not None
    assert codes(result) == ["W0004", "W0001"] or codes(result) == ["W0001", "W0004"]


def test_f64_that_is_meant_is_not_warned_of() -> None:
    assert codes(check_text("fn f[N](x: i32[N]) -> f64[N] { x / 2 }")) == []


def test_a_missing_edition_is_a_warning() -> None:
    from tdsl.check.modules import check_source
    from tdsl.syntax.source import Source

    result = check_source(Source("m.tdsl", "fn f[N](x: f32[N]) -> f32[N] { x }\n"), None)
    assert result.program is not None
    assert codes(result) == ["W0002"]
