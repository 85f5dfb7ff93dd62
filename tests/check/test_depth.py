"""What the parser lets through is checked without hitting Python's recursion limit, and in time."""

from __future__ import annotations

import time

import pytest
from check_support import check_text, codes

HEAD = "fn g[N](x: f32[N]) -> f32[N] { x }\nfn f[N](x: f32[N]) -> f32[N] { "
DEEP = {
    "builtins": lambda n: "exp(" * n + "x" + ")" * n,
    "functions": lambda n: "g(" * n + "x" + ")" * n,
    "methods": lambda n: "x" + ".exp()" * n,
    "minus signs": lambda n: "-" * n + "x",
    "sums": lambda n: " + ".join(["x"] * n),
    "powers": lambda n: "x ** " * n + "x",
    "parentheses": lambda n: "(x + " * n + "x" + ")" * n,
    "ifs": lambda n: "if N == 1 { " * n + "x" + " } else { x }" * n,
    "else ifs": lambda n: "if N == 1 { x } else " * n + "{ x }",
    "lists": lambda n: "sum(stack([" * n + "x" + "], axis=0), axis=0)" * n,
    "loops": lambda n: "sum(stack([" * n + "x" + " for _ in 0..N], axis=0), axis=0)" * n,
    "slices": lambda n: "x" + "[0:N]" * n,
    "tuples": lambda n: "(" * n + "x" + ",)" * n + "[0]" * n,
}


@pytest.mark.parametrize("kind", DEEP)
def test_the_deepest_that_parses_is_checked(kind: str) -> None:
    """At each depth it is fine or the parser refuses it; the checker never gives up."""
    refused = False
    for depth in (74, 100, 145, 149, 150, 151, 300):
        found = codes(check_text(HEAD + DEEP[kind](depth) + " }\n"))
        assert found in ([], ["E0111"]), (depth, found)
        refused = refused or found == ["E0111"]
    assert refused


def test_time_grows_with_the_length_of_a_module() -> None:
    function = """
fn attention{i}[T, C, static heads](x: f32[T, C], w: f32[C, 3*C], b: f32[3*C]) -> f32[T, C]
    where heads divides C
{{
    let qkv = x @ w + b
    let [q, k, v] = [transpose(reshape(qkv[:, i*C : (i+1)*C], [T, heads, C//heads]), [1, 0, 2]) for i in 0..3]
    let scores = q @ transpose(k, [0, 2, 1]) / sqrt(C//heads) + causal_mask(T, f32)
    reshape(transpose(exp(scores) @ v, [1, 0, 2]), [T, C])
}}
"""

    def seconds(count: int) -> float:
        text = "".join(function.format(i=i) for i in range(count))
        times = []
        for _ in range(3):
            start = time.process_time()
            assert check_text(text).program is not None
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(40) < 4 * 1.6 * seconds(10)


def test_long_chains_of_definitions() -> None:
    """In order there is no limit for constants; the other way round there is a diagnostic."""
    forth = ["const C0 = 2", *(f"const C{i + 1} = C{i} + 1" for i in range(1000))]
    use = "fn f(x: f32) -> f32 { x * C1000 }\n"
    assert codes(check_text("\n".join([*forth, use]))) == []
    assert set(codes(check_text("\n".join([use, *reversed(forth)])))) == {"E0111"}
    types = ["type A0 = f32[2, 2]", *(f"type A{i + 1} = A{i}" for i in range(1000))]
    use = "fn f(x: A60) -> A0 { x }\n"
    assert set(codes(check_text("\n".join([*types[:61], use])))) == set()
    assert set(codes(check_text("\n".join([*types, use])))) == {"E0111"}
