"""Which products are claimed, what they do on the way, and what is said of the others."""

from __future__ import annotations

from itertools import permutations

import pytest
from test_claims_rows import graph_of

from tdsl.graph.builder import GraphBuilder
from tdsl.graph.claims import KINDS, find_claims
from tdsl.graph.claims.common import in_order_of_use
from tdsl.graph.graph import ArrayType, Graph, Node
from tdsl.graph.printer import print_claims, print_remark
from tdsl.syntax.source import Source
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size


def inputs(build: GraphBuilder, *shapes: tuple[int, ...], dtype: str = "f32") -> list[Node]:
    return [
        build.input(f"x{place}", place, ArrayType(DTYPES[dtype], tuple(map(Size.of, sizes))))
        for place, sizes in enumerate(shapes)
    ]


def test_a_product_alone() -> None:
    build = GraphBuilder()
    a, b = inputs(build, (2, 3), (3, 4))
    product = build.matmul(a, b)
    (claim,), (remark,) = find_claims(Graph("f", (a, b), (product,)))
    assert claim.kind == "matmul"
    assert (claim.root, claim.inner, claim.inputs) == (product, (product,), (a, b))
    assert remark.claimed
    assert "f32[2, 3] @ f32[3, 4]" in remark.reason


def test_a_transposed_operand_is_read_in_place() -> None:
    build = GraphBuilder()
    a, b = inputs(build, (2, 3), (4, 3))
    turned = build.transpose(b, (1, 0))
    product = build.matmul(a, turned)
    (claim,), _ = find_claims(Graph("f", (a, b), (product,)))
    assert claim.inner == (turned, product)
    assert claim.inputs == (a, b)
    assert claim.attributes == {"layout": '"nt"'}


def test_a_product_with_itself_has_one_input() -> None:
    build = GraphBuilder()
    (a,) = inputs(build, (2, 3))
    product = build.matmul(build.transpose(a, (1, 0)), a)
    (claim,), _ = find_claims(Graph("f", (a,), (product,)))
    assert claim.inputs == (a,)
    assert claim.attributes == {"layout": '"tn"'}


def test_products_share_a_transposed_weight() -> None:
    build = GraphBuilder()
    a, b, w = inputs(build, (2, 3), (5, 3), (4, 3))
    turned = build.transpose(w, (1, 0))
    graph = Graph("f", (a, b, w), (build.matmul(a, turned), build.matmul(b, turned)))
    claims, _ = find_claims(graph)
    assert [claim.inputs for claim in claims] == [(a, w), (b, w)]


def test_a_transpose_that_others_need_stays_outside() -> None:
    build = GraphBuilder()
    a, b = inputs(build, (2, 3), (4, 3))
    turned = build.transpose(b, (1, 0))
    product = build.matmul(a, turned)
    for results in ((product, turned), (product, build.elementwise("exp", turned))):
        (claim,), (remark,) = find_claims(Graph("f", (a, b), results))
        assert claim.inputs == (a, turned)
        assert "used elsewhere" in remark.reason


def test_a_transpose_that_moves_more_is_read_in_its_own_order() -> None:
    build = GraphBuilder()
    q, k = inputs(build, (2, 5, 3), (4, 2, 3))
    turned = build.transpose(k, (1, 2, 0))
    product = build.matmul(q, turned)
    (claim,), (remark,) = find_claims(Graph("f", (q, k), (product,)))
    assert claim.inner == (turned, product)
    assert claim.inputs == (q, k)
    assert "the right operand is read in its own order, not copied" in remark.reason


def test_such_a_transpose_that_others_read_is_a_value() -> None:
    build = GraphBuilder()
    q, k = inputs(build, (2, 5, 3), (4, 2, 3))
    turned = build.transpose(k, (1, 2, 0))
    (claim,), (remark,) = find_claims(Graph("f", (q, k), (build.matmul(q, turned), turned)))
    assert claim.inputs == (q, turned)
    assert (
        "the right operand is transposed first: more than its last two axes move" in remark.reason
    )


def test_moving_whole_rows_is_no_near_miss() -> None:
    build = GraphBuilder()
    q, k = inputs(build, (5, 2, 3), (2, 3, 4))
    product = build.matmul(build.transpose(q, (1, 0, 2)), k)
    _, (remark,) = find_claims(Graph("f", (q, k), (product,)))
    assert remark.reason == (
        "f32[2, 5, 3] @ f32[2, 3, 4]; the left operand is read in its own order, not copied"
    )


def test_dtypes_without_kernel_are_near_misses() -> None:
    for dtype in ("i32", "f16"):
        build = GraphBuilder()
        a, b = inputs(build, (2, 3), (3, 4), dtype=dtype)
        source = Source("model.tdsl", "a @ b")
        build.span = source.span(0, 5)
        claims, (remark,) = find_claims(Graph("f", (a, b), (build.matmul(a, b),)))
        assert claims == ()
        assert not remark.claimed
        assert print_remark(remark) == (
            f"model.tdsl:1:1: matmul not claimed: {dtype}[2, 3] @ {dtype}[3, 4]: "
            f"no kernel multiplies {dtype}"
        )


def test_kinds_can_be_left_out() -> None:
    build = GraphBuilder()
    a, b = inputs(build, (2, 3), (3, 4))
    graph = Graph("f", (a, b), (build.matmul(a, b),))
    assert find_claims(graph, ()) == ((), ())
    assert len(find_claims(graph, ("matmul",))[0]) == 1
    assert list(KINDS) == ["attention", "rows", "matmul", "take"], "largest groups first"


def test_claims_are_printed_as_groups() -> None:
    build = GraphBuilder()
    a, b = inputs(build, (2, 3), (4, 3))
    product = build.matmul(a, build.transpose(b, (1, 0)))
    graph = Graph("f", (a, b), (build.elementwise("exp", product),))
    claims, remarks = find_claims(graph)
    assert print_claims(graph, claims, remarks) == (
        "graph f(%x0: f32[2, 3], %x1: f32[4, 3]) -> f32[2, 4] {\n"
        "  claim matmul {\n"
        "    %0 = transpose(%x1, permutation=[1, 0]): f32[3, 4]\n"
        "    %1 = matmul(%x0, %0): f32[2, 4]\n"
        "    %2 = exp(%1): f32[2, 4]\n"
        "  }\n"
        "  return %2\n"
        "}\n"
        "\n"
        "matmul claimed: f32[2, 3] @ f32[3, 4]; the right operand is read transposed, not copied\n"
    )


def test_what_a_claim_computes_once_more_is_printed_where_it_is_read_first() -> None:
    graph = graph_of(
        "fn f(q: f32[8, 16], k: f32[8, 16], v: f32[8, 16], start: i32) -> (f32[8, 16], i64) {\n"
        "    let at = i64(start)\n"
        "    let seen = iota(8)[newaxis, :] <= at + iota(8)[:, newaxis]\n"
        "    (softmax(select(seen, q @ k.T, -inf)) @ v, at * 2)\n"
        "}"
    )
    claims, _ = find_claims(graph)
    (claim,) = claims
    cast = next(node for node in graph.nodes() if node.operation == "cast")
    assert cast in claim.inner
    lines = [line.strip() for line in print_claims(graph, claims, locations=False).splitlines()]
    assert lines[1:3] == ["%at = cast(%start): i64[]", "claim attention {"]
    assert lines.count(lines[1]) == 2
    assert lines[-3].endswith("= mul(%at, 2): i64[]")


def test_a_cast_that_the_next_product_does_as_it_reads_is_its_own() -> None:
    """Else the value before it would be computed once more, without a kernel."""
    build = GraphBuilder()
    a, b, c = inputs(build, (2, 3), (3, 4), (4, 5))
    kept = build.cast(build.matmul(a, b), DTYPES["bf16"])
    widened = build.cast(kept, DTYPES["f32"])
    last = build.matmul(widened, c)
    first, second = find_claims(Graph("f", (a, b, c), (last,)))[0]
    assert first.root is kept
    assert (second.inner, second.inputs) == ((widened, last), (kept, c))
    # As a result, it is written by the kernel.
    (alone,), _ = find_claims(Graph("f", (a, b), (widened,)))
    assert alone.root is widened


ENDS = {
    "a value that others need": (
        """pub fn f(x: f32[3, 4], w: f32[4, 5]) -> (f32[3, 5], f32[5]) {
            let y = x @ w
            (tanh(y), sum(y, axis=0))
        }""",
        "matmul",
    ),
    "a value that comes back from elsewhere": (
        """pub fn f(x: f32[3, 4], w: f32[4, 5]) -> f32[3, 5] {
            let y = x @ w
            tanh(y) + cumsum(y, axis=0)
        }""",
        "matmul",
    ),
    "a larger shape": (
        """pub fn f(x: f32[3, 4], w: f32[4, 5], z: f32[2, 3, 5]) -> f32[2, 3, 5] {
            tanh(x @ w) + z
        }""",
        "tanh",
    ),
    "rows cut, and work on them": (
        """pub fn f(x: f32[6, 4], w: f32[4, 5], z: f32[2, 3, 5]) -> f32[2, 3, 5] {
            reshape(x @ w, [2, 3, 5]) + z
        }""",
        "add",
    ),
    "rows cut, and nothing else": (
        "pub fn f(x: f32[6, 4], w: f32[4, 5]) -> f32[2, 3, 5] { reshape(x @ w, [2, 3, 5]) }",
        "matmul",
    ),
    "columns cut": (
        """pub fn f(x: f32[6, 4], w: f32[4, 5], z: f32[6, 5, 1]) -> f32[6, 5, 1] {
            tanh(reshape(x @ w, [6, 5, 1]))
        }""",
        "matmul",
    ),
    "one column": (
        """pub fn f(x: f32[6, 4], w: f32[4, 1]) -> f32[2, 3, 1] {
            tanh(reshape(x @ w, [2, 3, 1]))
        }""",
        "matmul",
    ),
    "a size of something else": (
        """pub fn f[K](x: f32[6, 4], w: f32[4, 5], z: f32[K]) -> f32[6, 5] {
            x @ w + f32(K)
        }""",
        "matmul",
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_where_a_claim_ends(name: str) -> None:
    text, last = ENDS[name]
    (claim,), _ = find_claims(graph_of(text), ["matmul"])
    assert claim.root.operation == last


def test_a_cast_that_others_need_stays_outside() -> None:
    text = """pub fn f(x: f32[3, 4], w: f16[4, 5]) -> (f32[3, 5], f32[4, 5]) {
        let wide = f32(w)
        (x @ wide, tanh(wide))
    }"""
    (claim,), _ = find_claims(graph_of(text), ["matmul"])
    assert [node.operation for node in claim.inputs] == ["input", "cast"]


def test_inputs_come_in_the_order_of_use() -> None:
    """Two claims that compute the same are one function, whatever the order outside."""
    build = GraphBuilder()
    a, b, c = inputs(build, (2, 3), (2, 3), (2, 3))
    total = build.elementwise("add", b, a)
    inner = (total, build.elementwise("mul", c, total))
    for given in permutations((a, b, c)):
        assert in_order_of_use(inner, given) == (b, a, c)
