"""E04: slices, indices, reshapes, transposes."""

from __future__ import annotations

from tdsl.syntax.explanations.text import Explanation

SHAPES = {
    "E0401": Explanation(
        "A slice `a:b` of an axis of size n needs 0 <= a < b <= n, proved for all sizes when the "
        "function is defined. What the signature does not say, a `where` clause can; every call is "
        "then checked for it.",
        wrong="fn f[T, N](x: f32[T], table: f32[N]) -> f32[T] { x + table[0:T] }\n",
        right="fn f[T, N](x: f32[T], table: f32[N]) -> f32[T] where T <= N { x + table[0:T] }\n",
    ),
    "E0402": Explanation(
        "An array has one index for each axis at most, and `...` once. The axes of a pack such as "
        "`...S` can be any number, so they are passed over with `...`.",
        wrong="fn f[N](x: f32[N]) -> f32 { x[0, 0] }\n",
        right="fn f[N](x: f32[N]) -> f32 { x[0] }\n",
    ),
    "E0403": Explanation(
        "Axes count from 0, or from -1 backwards; an array of rank 2 has 0, 1, -1 and -2.",
        wrong="fn f[N](x: f32[N]) -> f32 { sum(x, axis=1) }\n",
        right="fn f[N](x: f32[N]) -> f32 { sum(x, axis=0) }\n",
    ),
    "E0404": Explanation(
        "`transpose` takes the new order of the axes: each of them once.",
        wrong="fn f[A, B](x: f32[A, B]) -> f32[B, A] { transpose(x, [1, 1]) }\n",
        right="fn f[A, B](x: f32[A, B]) -> f32[B, A] { transpose(x, [1, 0]) }\n",
    ),
    "E0405": Explanation(
        "A reshape keeps the number of elements. Both counts are compared as polynomials in the "
        "sizes, for all of them at once; a `where` clause states what relates them.",
        wrong=(
            "fn f[T, C, static H, static D](x: f32[T, C]) -> f32[T, H, D] {\n"
            "    reshape(x, [T, H, D])\n}\n"
        ),
        right=(
            "fn f[T, C, static H, D](x: f32[T, C]) -> f32[T, H, D] where C == H*D {\n"
            "    reshape(x, [T, H, D])\n}\n"
        ),
    ),
    "E0406": Explanation(
        "The start of a window that is known only at run time is a scalar of an integer dtype.",
        wrong=("fn f[N](x: f32[N], at: f32) -> f32[1] { slice(x, at=[at], size=[1]) }\n"),
        right=("fn f[N](x: f32[N], at: i32) -> f32[1] { slice(x, at=[at], size=[1]) }\n"),
    ),
    "E0407": Explanation(
        "Lists that are walked together have one length, for all sizes; a `where` clause can say so.",
        wrong=(
            "fn f[N, L, M](xs: [f32[N]; L], ys: [f32[N]; M]) -> [f32[N]; L] {\n"
            "    [x + y for (x, y) in zip(xs, ys)]\n}\n"
        ),
        right=(
            "fn f[N, L](xs: [f32[N]; L], ys: [f32[N]; L]) -> [f32[N]; L] {\n"
            "    [x + y for (x, y) in zip(xs, ys)]\n}\n"
        ),
    ),
    "E0408": Explanation(
        "An index i of an axis of size n needs -n <= i < n, proved for all sizes; negative ones "
        "count from the end. Every size is at least 1, so 0 and -1 are always there.",
        wrong="fn f[N](x: f32[N]) -> f32 { x[1] }\n",
        right="fn f[N](x: f32[N]) -> f32 where N > 1 { x[1] }\n",
    ),
    "E0409": Explanation(
        "Arrays that are joined along one axis agree on every other one; arrays that are stacked "
        "agree on all.",
        wrong=(
            "fn f[A, B](x: f32[A, 2], y: f32[B, 3]) -> f32[A + B, 2] { concat([x, y], axis=0) }\n"
        ),
        right=(
            "fn f[A, B](x: f32[A, 2], y: f32[B, 2]) -> f32[A + B, 2] { concat([x, y], axis=0) }\n"
        ),
    ),
    "E0410": Explanation(
        "`.T` exchanges the two axes of a matrix. At other ranks it would be a guess which axes are "
        "meant; `transpose` says it.",
        wrong="fn f[A, B, C](x: f32[A, B, C]) -> f32[A, C, B] { x.T }\n",
        right="fn f[A, B, C](x: f32[A, B, C]) -> f32[A, C, B] { transpose(x, [0, 2, 1]) }\n",
    ),
    "E0411": Explanation(
        "Sizes have names, bound in the signature: in `x: f32[N]`, N is the size of x. The name is "
        "a number wherever one is needed.",
        wrong="fn f[N](x: f32[N]) -> f32[N] { x / x.shape[0] }\n",
        right="fn f[N](x: f32[N]) -> f32[N] { x / N }\n",
    ),
    "E0412": Explanation(
        "A size that is left open with `_`, or the parts that an axis is split into, must come out "
        "whole for all sizes.",
        wrong="fn f[N](x: f32[N, 3]) -> f32[2] { reshape(x, [2, _])[:, 0] }\n",
        right="fn f[N](x: f32[N, 4]) -> f32[2] { reshape(x, [2, _])[:, 0] }\n",
    ),
    "E0413": Explanation(
        "Every size is 1 or more: there are no empty arrays. What the signature does not imply, "
        "`where` can state.",
        wrong="fn f[static H, C](x: f32[C]) -> f32[H, C//H] { reshape(x, [H, C//H]) }\n",
        right=(
            "fn f[static H, C](x: f32[C]) -> f32[H, C//H] where H divides C {\n"
            "    reshape(x, [H, C//H])\n}\n"
        ),
    ),
    "E0414": Explanation(
        "What is written out item by item is taken apart at positions that are literals.",
        wrong="fn f[N](x: f32[N]) -> f32[N] { (x, x)[N - 1] }\n",
        right="fn f[N](x: f32[N]) -> f32[N] { (x, x)[1] }\n",
    ),
}
