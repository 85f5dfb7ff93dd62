"""Failed calls as users read them. The edits were tried by the checker before they came here."""

from __future__ import annotations

import pytest
from call_prelude import PRELUDE

from tdsl.check.modules import check_source
from tdsl.syntax.source import Source


def report(body: str) -> str:
    """The one diagnostic of a caller: message, labels, notes, helps, edits."""
    text = PRELUDE + body + "\n"
    result = check_source(Source("call.tdsl", text), None)
    assert len(result.diagnostics) == 1, [d.message for d in result.diagnostics]
    (found,) = result.diagnostics
    lines = [f"{found.code}: {found.message}"]
    lines += [f"  `{label.span.text}`: {label.text}" for label in found.labels]
    lines += [f"  note: {note}" for note in found.notes]
    for help_ in found.helps:
        lines.append(f"  help: {help_.text}")
        for edit in help_.edits:
            before = text[: edit.span.start].rpartition("\n")[2]
            lines.append(f"    {before[-12:]}>>{edit.replacement}")
    return "\n".join(lines)


CASES = [
    (
        "fn f[T, C](x: f32[T, C], w: f32[C, 3*C], b: f32[C]) -> f32[T, 3*C] { linear(x, w, b) }",
        [
            "E0504: argument `b` of `linear` has the wrong size on axis 0: wants 3*C, found C",
            "  `b`: this is f32[C]; `linear` declares `b: f32[N]`",
            "  `w`: N = 3*C was fixed by this argument (`w: f32[K, N]`)",
            "  `f32[C]`: declared f32[C] here",
            "  note: M = T, K = C (from `x`)",
            "  help: declare `b: f32[3*C]`",
            "    C, 3*C], b: >>f32[3*C]",
        ],
    ),
    (
        "fn f[T, C](x: f32[T, C], w: f32[3*C, C], b: f32[3*C]) -> f32[T, 3*C] { linear(x, w, b) }",
        [
            "E0504: argument `w` of `linear` has the wrong size on axis 0: wants C, found 3*C",
            "  `w`: this is f32[3*C, C]; `linear` declares `w: f32[K, N]`",
            "  `x`: K = C was fixed by this argument (`x: f32[M, K]`)",
            "  `f32[3*C, C]`: declared f32[3*C, C] here",
            "  note: M = T (from `x`)",
            "  help: it fits transposed: `w.T`",
            "     linear(x, w>>.T",
        ],
    ),
    (
        "fn f[T, C](x: f32[T, C], w: f32[3*C, C], b: f32[3*C]) -> f32[T, 3*C] { linear(x, 2.0 * w, b) }",
        [
            "E0504: argument `w` of `linear` has the wrong size on axis 0: wants C, found 3*C",
            "  `2.0 * w`: this is f32[3*C, C]; `linear` declares `w: f32[K, N]`",
            "  `x`: K = C was fixed by this argument (`x: f32[M, K]`)",
            "  note: M = T (from `x`)",
            "  help: it fits transposed: `transpose(2.0 * w, [1, 0])`",
            "    { linear(x, >>transpose(",
            "    r(x, 2.0 * w>>, [1, 0])",
        ],
    ),
    (
        "fn f[T, C](x: f32[T, C], w: f32[C, 3*C], b: f32[3*C]) -> f32[T, 3*C] { linear(w, x, b) }",
        [
            "E0504: argument `w` of `linear` has the wrong size on axis 0: wants 3*C, found T",
            "  `x`: this is f32[T, C]; `linear` declares `w: f32[K, N]`",
            "  `w`: K = 3*C was fixed by this argument (`x: f32[M, K]`)",
            "  `f32[T, C]`: declared f32[T, C] here",
            "  note: M = C (from `x`)",
            "  help: the arguments for `x` and `w` fit the other way round",
            "    { linear(w, >>w",
            "    C] { linear(>>x",
        ],
    ),
    (
        "fn f[T, K](x: f32[T, K], y: f32[T]) -> f32[T, K] { soft(x * 2.0, y * 2.0) }",
        [
            "E0504: argument `y` of `soft` has the wrong size on axis 0: wants K, found T",
            "  `y * 2.0`: this is f32[T]; `soft` declares `y: E[N]`",
            "  `x * 2.0`: N = K was fixed by this argument (`x: E[...S, N]`)",
            "  help: add `where K == T`; every call of `f` is then checked",
            "    -> f32[T, K]>> where K == T",
        ],
    ),
    (
        "fn f(x: f32[4, 24]) -> f32[5, 4, 4] { heads[H=5](x) }",
        [
            "E0505: `heads` requires `H divides C`: 5 does not divide 24",
            "  `x`: this is f32[4, 24]; `heads` declares `x: f32[T, C]`",
            "  `H=5`: H = 5 was given here",
            "  `H divides C`: `heads` requires this",
            "  note: T = 4, C = 24 (from `x`)",
        ],
    ),
    (
        "fn f[T, C, H](x: f32[T, C], h: f32[H]) -> f32[H, T, C//H] { heads[H=H](x) }",
        [
            "E0507: `heads` requires `H divides C`: nothing here says that H divides C",
            "  `x`: this is f32[T, C]; `heads` declares `x: f32[T, C]`",
            "  `H=H`: `H` of `heads` = H was given here",
            "  `H divides C`: `heads` requires this",
            "  help: add `where H divides C`; every call of `f` is then checked",
            "    [H, T, C//H]>> where H divides C",
        ],
    ),
    (
        "fn f[T, C, H](x: f32[T, 3*C], h: f32[H]) -> f32[T, 3, H, C//H] { parts[H=H](x) }",
        [
            "E0507: `parts` requires `C == H*D`: nothing here says that H divides C",
            "  `x`: this is f32[T, 3*C]; `parts` declares `q: f32[T, 3*C]`",
            "  `H=H`: `H` of `parts` = H was given here",
            "  `C == H*D`: `parts` requires this",
            "  help: add `where H divides C`; every call of `f` is then checked",
            "     3, H, C//H]>> where H divides C",
        ],
    ),
    (
        "fn f[T](x: f32[T, 70]) -> f32[T, 3, 5, 4] { parts[H=5](x) }",
        [
            "E0505: argument `q` of `parts` has no fitting size on axis 1: no C gives 3*C = 70, as 3 does not divide 70",
            "  `x`: this is f32[T, 70]; `parts` declares `q: f32[T, 3*C]`",
            "  `H=5`: H = 5 was given here",
        ],
    ),
    (
        "fn f[T, C](x: f32[T, C]) -> f32[2, T, C//2] { heads(x) }",
        [
            "E0506: `H` of `heads` cannot be inferred",
            "  `heads`: nothing in this call fixes H",
            "  help: pass it by name: `heads[H=…](x)`",
        ],
    ),
    (
        "fn f[T, S, C](x: f32[T, C], p: f32[S, C]) -> f32[T, C] { embed(x, p) }",
        [
            "E0507: `embed` requires `T <= N`: T <= S is not known to hold here",
            "  `embed(x, p)`: here this is T <= S",
            "  `T <= N`: `embed` requires this",
            "  note: N = S (from `wpe`)",
            "  help: add `where T <= S`; every call of `f` is then checked",
            "    -> f32[T, C]>> where T <= S",
        ],
    ),
    (
        "fn f(x: f32[7, 3], p: f32[5, 3]) -> f32[7, 3] { embed(x, p) }",
        [
            "E0507: `embed` requires `T <= N`, but 7 <= 5 does not hold",
            "  `embed(x, p)`: here this is 7 <= 5",
            "  `T <= N`: `embed` requires this",
            "  note: T = 7, C = 3 (from `x`), N = 5 (from `wpe`)",
        ],
    ),
    (
        "fn f[N](x: f32[N]) -> f32[N - 1] { shorter(x) }",
        [
            "E0508: `N` of `shorter` is the caller's N - 1, which may be smaller than 1",
            "  `x`: this is f32[N]; `shorter` declares `x: f32[N + 1]`",
            "  note: N is a size of `shorter`: 1 or more",
            "  help: add `where N >= 2`; every call of `f` is then checked",
            "    > f32[N - 1]>> where N >= 2",
        ],
    ),
    (
        "fn f(x: f32[1]) -> f32[1] { shorter(x) }",
        [
            "E0508: `N` of `shorter` would be 0; it must be 1 or more",
            "  `x`: this is f32[1]; `shorter` declares `x: f32[N + 1]`",
            "  note: N is a size of `shorter`: 1 or more",
        ],
    ),
    (
        "fn f[T](x: f64[T, 3], y: f32[3]) -> f64[T, 3] { soft(x, y) }",
        [
            "E0502: argument `y` of `soft` has the wrong dtype: wants f64, found f32",
            "  `y`: this is f32[3]; `soft` declares `y: E[N]`",
            "  `x`: E = f64 by this",
            "  `f32[3]`: declared here",
            "  note: N = 3 (from `x`)",
            "  help: cast it: `f64(y)`",
            "    ] { soft(x, >>f64(",
            "     { soft(x, y>>)",
        ],
    ),
    (
        "fn f[T](x: i32[T]) -> i32[T] { soft(x, x) }",
        [
            "E0502: argument `x` of `soft` has the wrong dtype: wants a float dtype, found i32",
            "  `x`: this is i32[T]; `soft` declares `x: E[...S, N]`",
            "  `i32[T]`: declared here",
            "  note: N = T (from `x`)",
        ],
    ),
    (
        "fn f[A, B](x: f32[A, B], y: f32[B, A]) -> f32[A, B] { same(x, y) }",
        [
            "E0504: argument `y` of `same` has the wrong axes for `...S`: wants [A, B], found [B, A]",
            "  `y`: this is f32[B, A]; `same` declares `y: f32[...S]`",
            "  `x`: ...S = [A, B] was fixed by this",
            "  help: it fits transposed: `y.T`",
            "     { same(x, y>>.T",
        ],
    ),
    (
        "fn f[A](x: f32[A]) -> f32[A] { shifted(x, 0.5) }",
        [
            "E0502: argument `by` of `shifted` has the wrong kind: wants i32, found a compile-time number",
            "  `0.5`: this is a compile-time number; `shifted` declares `by: i32`",
            "  note: N = A (from `x`)",
        ],
    ),
    (
        "fn f(x: f32[6]) -> f32[6] { counted(x) }",
        [
            "E0504: argument `x` of `counted` has the wrong size on axis 0: wants 4, found 6",
            "  `x`: this is f32[6]; `counted` declares `x: f32[N]`",
            "  `f32[6]`: declared f32[6] here",
            "  note: N = 4 is the default of `counted`",
            "  help: pass it: `counted[N=6](x)`",
            "    6] { counted>>[N=6]",
        ],
    ),
    (
        "fn f[T](x: f32[T]) -> f32[T] { linear(x, x, x) }",
        [
            "E0502: argument `x` of `linear` has the wrong rank: wants f32[M, K], found f32[T]",
            "  `x`: this is f32[T]; `linear` declares `x: f32[M, K]`",
            "  `f32[T]`: declared here",
        ],
    ),
    (
        "fn f(x: f32) -> f32[24] { fixed_size[C=24, H=5, D=4](x) }",
        [
            "E0505: the static argument `C` of `fixed_size` is 24, but the other arguments ask for 20",
            "  `C=24`: C is given here",
            "  note: C = 24, H = 5, D = 4 (given)",
        ],
    ),
    (
        "fn f(x: f32) -> f32[24] { soft(1.0, 2.0) }",
        [
            "E0502: argument `x` of `soft` is a compile-time number, but an array is wanted: `E[...S, N]`",
            "  `1.0`: this is a compile-time number; `soft` declares `x: E[...S, N]`",
        ],
    ),
]


@pytest.mark.parametrize(("body", "expected"), CASES, ids=range(len(CASES)))
def test_diagnostics(body: str, expected: list[str]) -> None:
    assert report(body).split("\n") == expected
