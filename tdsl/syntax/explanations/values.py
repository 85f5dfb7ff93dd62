"""E02, E03: what is declared against what is given, and what operators take."""

from __future__ import annotations

from tdsl.syntax.explanations.text import Explanation

VALUES = {
    "E0201": Explanation(
        "The place needs another kind of value: a number where a function's name stands, one bool "
        "where an array stands, a list of sizes where a single one stands.",
        wrong='test "sums" {\n    assert zeros([2], f32) == zeros([2], f32)\n}\n',
        right='test "sums" {\n    assert all(zeros([2], f32) == zeros([2], f32))\n}\n',
    ),
    "E0202": Explanation(
        "`let (a, b) = …` takes a tuple apart, `let [a, b] = …` a list; either has as many names "
        "as there are items. `_` stands for an item that is not needed.",
        wrong="fn f[N](x: f32[N]) -> f32[N] {\n    let (a, b) = (x, x, x)\n    a + b\n}\n",
        right="fn f[N](x: f32[N]) -> f32[N] {\n    let (a, b, _) = (x, x, x)\n    a + b\n}\n",
    ),
    "E0203": Explanation(
        "The type of a `let` is a promise that is checked. Compile-time numbers take its dtype; an "
        "array must have it already, or be cast.",
        wrong="fn f[N](x: f32[N]) -> f16[N] {\n    let y: f16[N] = x\n    y\n}\n",
        right="fn f[N](x: f32[N]) -> f16[N] {\n    let y: f16[N] = f16(x)\n    y\n}\n",
    ),
    "E0204": Explanation(
        "A function's declared result is what its callers rely on, so the body must give exactly "
        "that type: dtype, rank and every size. Where only the dtype differs, the message shows "
        "which operation promoted it.",
        wrong="fn f[N](x: f32[N], s: f64) -> f32[N] { x * s }\n",
        right="fn f[N](x: f32[N], s: f64) -> f32[N] { x * f32(s) }\n",
    ),
    "E0205": Explanation(
        "A compile-time number takes the dtype that it meets, and must fit it: an integer dtype "
        "has a range and no fractions. (Floats saturate: 1e10 in f16 is inf.)",
        wrong="fn f[N](x: i8[N]) -> i8[N] { x + 200 }\n",
        right="fn f[N](x: i8[N]) -> i16[N] { i16(x) + 200 }\n",
    ),
    "E0206": Explanation(
        "Axes, sizes, flags and the condition of an `if` are known before a program runs: they are "
        "literals, size parameters, statics, or computed from those. Values of arrays are not.",
        wrong="fn f[N](x: f32[N], s: f32) -> f32[N] { if s > 0.0 { x } else { -x } }\n",
        right="fn f[N](x: f32[N], s: f32) -> f32[N] { select(s > 0.0, x, -x) }\n",
    ),
    "E0207": Explanation(
        "Both branches of an `if` give the same type, since the result of the whole must have one.",
        wrong="fn f[N](x: f32[N]) -> f32[N] { if N > 3 { x } else { sum(x) } }\n",
        right="fn f[N](x: f32[N]) -> f32[N] { if N > 3 { x } else { x / sum(x) } }\n",
    ),
    "E0208": Explanation(
        "All items of a list have one type: in a comprehension, the size of an item must not "
        "depend on the index. A tuple holds values of different types.",
        wrong=(
            "fn f[N](x: f32[N]) -> f32[N] {\n"
            "    let parts = [x, sum(x)]\n    parts[0] / parts[1]\n}\n"
        ),
        right=(
            "fn f[N](x: f32[N]) -> f32[N] {\n"
            "    let parts = (x, sum(x))\n    parts[0] / parts[1]\n}\n"
        ),
    ),
    "E0209": Explanation(
        "An `example` fixes the parameters of a function and says which type comes out; this is "
        "computed from the signature and compared.",
        wrong=(
            "fn twice[N](x: f32[N]) -> f32[2*N] { concat([x, x], axis=0) }\n"
            "example twice[N=3] -> f32[9]\n"
        ),
        right=(
            "fn twice[N](x: f32[N]) -> f32[2*N] { concat([x, x], axis=0) }\n"
            "example twice[N=3] -> f32[6]\n"
        ),
    ),
    "E0210": Explanation(
        "Functions have no side effects, so an expression whose value goes nowhere does nothing. "
        "The last line of a block is its value; the others are `let`s.",
        wrong="fn f[N](x: f32[N]) -> f32[N] {\n    x + 1.0\n    x * 2.0\n}\n",
        right="fn f[N](x: f32[N]) -> f32[N] {\n    let y = x + 1.0\n    y * 2.0\n}\n",
    ),
    "E0301": Explanation(
        "`@` multiplies vectors, matrices, and batches of matrices. A scalar multiplies with `*`.",
        wrong="fn f[N](x: f32[N], s: f32) -> f32[N] { x @ s }\n",
        right="fn f[N](x: f32[N], s: f32) -> f32[N] { x * s }\n",
    ),
    "E0302": Explanation(
        "`@` contracts the last axis of the left with the first axis of a matrix on the right (the "
        "second last of a batch); the two must be the same size for all sizes, not only in one "
        "call. Often one side must be transposed.",
        wrong="fn f[M, K, N](x: f32[M, K], w: f32[N, K]) -> f32[M, N] { x @ w }\n",
        right="fn f[M, K, N](x: f32[M, K], w: f32[N, K]) -> f32[M, N] { x @ w.T }\n",
    ),
    "E0303": Explanation(
        "The batch axes of the two sides of `@` must be equal, exactly. A batch of 1 is not "
        "stretched, because that is more often a mistake than a wish; `broadcast` says it.",
        wrong=("fn f[B, M, K](x: f32[B, M, K], y: f32[1, K, M]) -> f32[B, M, M] { x @ y }\n"),
        right=(
            "fn f[B, M, K](x: f32[B, M, K], y: f32[1, K, M]) -> f32[B, M, M] {\n"
            "    x @ broadcast(y, [B, K, M])\n}\n"
        ),
    ),
    "E0304": Explanation(
        "Shapes are aligned from the right, as in NumPy; each pair of sizes must be equal, or one "
        "of them the literal 1. A size parameter is never taken for 1. After a reduction, "
        "`keepdims=true` keeps the axis with size 1.",
        wrong="fn f[M, N](x: f32[M, N]) -> f32[M, N] { x / sum(x, axis=1) }\n",
        right="fn f[M, N](x: f32[M, N]) -> f32[M, N] { x / sum(x, axis=1, keepdims=true) }\n",
    ),
    "E0305": Explanation(
        "A vector [N] with a column [N, 1] would give a matrix [N, N]: both would grow. That is "
        "nearly always a slip, so the language asks for one of the two to be written out.",
        wrong="fn f[N](x: f32[N], y: f32[N, 1]) -> f32[N, 1] { y - x }\n",
        right="fn f[N](x: f32[N], y: f32[N, 1]) -> f32[N, 1] { y - x[:, newaxis] }\n",
    ),
    "E0306": Explanation(
        "Functions such as exp take floats, `and` takes bools, and so on. Integers are not turned "
        "into floats silently; cast them.",
        wrong="fn f[N](x: i32[N]) -> f32[N] { exp(x) }\n",
        right="fn f[N](x: i32[N]) -> f32[N] { exp(f32(x)) }\n",
    ),
    "E0307": Explanation(
        "A dtype parameter stands for several dtypes, and the body is checked once for all of "
        "them. What it would promote to with another dtype is therefore unknown: cast the other "
        "side. Compile-time numbers need no cast.",
        wrong="fn f[E: dtype(float), N](x: E[N], y: f32[N]) -> E[N] { x + y }\n",
        right="fn f[E: dtype(float), N](x: E[N], y: f32[N]) -> E[N] { x + E(y) }\n",
    ),
    "E0308": Explanation(
        "Operators and builtins take arrays and numbers; tuples and lists are taken apart first, "
        "or stacked to an array.",
        wrong="fn f[N](x: f32[N]) -> f32[N] { sum([x, x], axis=0) }\n",
        right="fn f[N](x: f32[N]) -> f32[N] { sum(stack([x, x], axis=0), axis=0) }\n",
    ),
}
