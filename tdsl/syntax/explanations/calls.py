"""E05, E06: calls, sizes and loops."""

from __future__ import annotations

from tdsl.syntax.explanations.text import Explanation

_LINEAR = "fn linear[M, K, N](x: f32[M, K], w: f32[K, N]) -> f32[M, N] { x @ w }\n"
_HEADS = (
    "fn heads[C, static H](x: f32[C]) -> f32[H, C//H] where H divides C {\n"
    "    reshape(x, [H, C//H])\n}\n"
)
_PREFIX = "fn prefix[T, N](x: f32[T], y: f32[N]) -> f32[T] where T <= N { x + y[0:T] }\n"

CALLS = {
    "E0501": Explanation(
        "The function has no parameter of this name. Names in brackets are its sizes, dtypes and "
        "statics; names in parentheses its arguments.",
        wrong=_LINEAR + "fn f[N](x: f32[N, N]) -> f32[N, N] { linear(x, weight=x) }\n",
        right=_LINEAR + "fn f[N](x: f32[N, N]) -> f32[N, N] { linear(x, w=x) }\n",
    ),
    "E0502": Explanation(
        "An argument has another rank, dtype or kind than the function declares. Nothing is cast "
        "silently at a call; only compile-time numbers take the declared dtype.",
        wrong=_LINEAR + "fn f[N](x: f32[N, N], w: f64[N, N]) -> f32[N, N] { linear(x, w) }\n",
        right=_LINEAR + "fn f[N](x: f32[N, N], w: f64[N, N]) -> f32[N, N] { linear(x, f32(w)) }\n",
    ),
    "E0503": Explanation(
        "Every argument without a default is given, and no more than there are.",
        wrong=_LINEAR + "fn f[N](x: f32[N, N]) -> f32[N, N] { linear(x) }\n",
        right=_LINEAR + "fn f[N](x: f32[N, N]) -> f32[N, N] { linear(x, x) }\n",
    ),
    "E0504": Explanation(
        "The sizes of a call are solved from its arguments, in any order; this argument asks for "
        "another value of a size than the others. The message shows which argument fixed it.",
        wrong=(_LINEAR + "fn f[A, B](x: f32[A, B], w: f32[A, B]) -> f32[A, B] { linear(x, w) }\n"),
        right=(_LINEAR + "fn f[A, B](x: f32[A, B], w: f32[B, B]) -> f32[A, B] { linear(x, w) }\n"),
    ),
    "E0505": Explanation(
        "No sizes satisfy what is asked for: 5 does not divide 24, and no size is below 1.",
        wrong=_HEADS + "fn f(x: f32[24]) -> f32[5, 4] { heads[H=5](x) }\n",
        right=_HEADS + "fn f(x: f32[24]) -> f32[6, 4] { heads[H=6](x) }\n",
    ),
    "E0506": Explanation(
        "A size, dtype or static follows from no argument: pass it by name, as in `f[N=3](x)`. "
        "Where no call could ever determine it, declare it `static`.",
        wrong=(
            "fn ramp[static N](start: f32) -> f32[N] { start + f32(iota(N)) }\n"
            "fn f[N](x: f32[N]) -> f32[N] { x + ramp(0.0) }\n"
        ),
        right=(
            "fn ramp[static N](start: f32) -> f32[N] { start + f32(iota(N)) }\n"
            "fn f[N](x: f32[N]) -> f32[N] { x + ramp[N=N](0.0) }\n"
        ),
    ),
    "E0507": Explanation(
        "The function's `where` clause is part of its signature, and must be known to hold at each "
        "call, for all sizes of the caller. Where it follows from nothing, the caller states it "
        "too.",
        wrong=_PREFIX + "fn f[A, B](x: f32[A], y: f32[B]) -> f32[A] { prefix(x, y) }\n",
        right=(
            _PREFIX + "fn f[A, B](x: f32[A], y: f32[B]) -> f32[A] where A <= B { prefix(x, y) }\n"
        ),
    ),
    "E0508": Explanation(
        "Every size is 1 or more, also one that is solved from the arguments of a call.",
        wrong=(
            "fn tail[N](x: f32[N + 1]) -> f32[N] { x[1:] }\n"
            "fn f[N](x: f32[N]) -> f32 { sum(tail(x)) }\n"
        ),
        right=(
            "fn tail[N](x: f32[N + 1]) -> f32[N] { x[1:] }\n"
            "fn f[N](x: f32[N]) -> f32 where N >= 2 { sum(tail(x)) }\n"
        ),
    ),
    "E0509": Explanation(
        "An argument is given by position and by name, or twice by name.",
        wrong=_LINEAR + "fn f[N](x: f32[N, N]) -> f32[N, N] { linear(x, w=x, w=x) }\n",
        right=_LINEAR + "fn f[N](x: f32[N, N]) -> f32[N, N] { linear(x, w=x) }\n",
    ),
    "E0510": Explanation(
        "A static is passed by name and never inferred, so that a call shows what it fixes.",
        wrong=(
            "fn cut[C, D, static H](x: f32[C], y: f32[D]) -> f32[H, D] where C == H*D {\n"
            "    reshape(x, [H, D]) + y\n}\n"
            "fn f(x: f32[6], y: f32[3]) -> f32[2, 3] { cut(x, y) }\n"
        ),
        right=(
            "fn cut[C, D, static H](x: f32[C], y: f32[D]) -> f32[H, D] where C == H*D {\n"
            "    reshape(x, [H, D]) + y\n}\n"
            "fn f(x: f32[6], y: f32[3]) -> f32[2, 3] { cut[H=2](x, y) }\n"
        ),
    ),
    "E0511": Explanation(
        "Only functions, builtins and dtypes (as casts) can be called. Values are multiplied by "
        "`*`, also in front of a parenthesis.",
        wrong="fn f[N](x: f32[N]) -> f32[N] { x(1.0 + x) }\n",
        right="fn f[N](x: f32[N]) -> f32[N] { x * (1.0 + x) }\n",
    ),
    "E0512": Explanation(
        "An equality in a `where` clause puts one parameter in terms of the others (`C == H*D`), "
        "and `H divides C` makes C a multiple of H. Other forms are not decidable in general; the "
        "message gives the form to write where there is one.",
        wrong=("fn f[A, B](x: f32[A, B]) -> f32[A*B] where A*A == B*B { reshape(x, [_]) }\n"),
        right="fn f[A, B](x: f32[A, B]) -> f32[A*B] where A == B { reshape(x, [_]) }\n",
    ),
    "E0513": Explanation(
        "Functions are unfolded into their callers when a program is compiled, so none may call "
        "itself, directly or through others; nor may a constant or type be defined by itself.",
        wrong="fn f[N](x: f32[N]) -> f32[N] { f(x) }\n",
        right="fn f[N](x: f32[N]) -> f32[N] { x }\n",
    ),
    "E0514": Explanation(
        "Sizes are integers made with `+ - * //`, and `**` by a literal, from size parameters, "
        "statics and literals. `/` divides numbers and gives a fraction.",
        wrong="fn f[N](x: f32[2*N]) -> f32[N] { x[0 : 2*N/2] }\n",
        right="fn f[N](x: f32[2*N]) -> f32[N] { x[0 : 2*N//2] }\n",
    ),
    "E0601": Explanation(
        "Each step of a `fold` gives the next state, so its body has the type of the state. The body "
        "of a `scan` gives the next state and an item, `(state, item)`. A number as the first state "
        "takes the dtype that the steps give it, or is cast: `f32(0.0)`.",
        wrong=(
            "fn f[C, F, L](x: f32[C], ws: [f32[C, F]; L]) -> f32[C] {\n"
            "    fold y = x for w in ws { y @ w }\n}\n"
        ),
        right=(
            "fn f[C, L](x: f32[C], ws: [f32[C, C]; L]) -> f32[C] {\n"
            "    fold y = x for w in ws { y @ w }\n}\n"
        ),
    ),
    "E0602": Explanation(
        "A range `a..b` holds a to b-1, and at least one index: there are no empty lists.",
        wrong="fn f[N](x: f32[N]) -> f32[N] { sum(stack([i*x for i in 1..N], axis=0), axis=0) }\n",
        right=(
            "fn f[N](x: f32[N]) -> f32[N] where N > 1 {\n"
            "    sum(stack([i*x for i in 1..N], axis=0), axis=0)\n}\n"
        ),
    ),
    "E0603": Explanation(
        "Ranges `a..b` and lists can be iterated. The rows of an array are `x[i]` for i in 0..N.",
        wrong="fn f[N](x: f32[N]) -> f32[N] { sum(stack([i*x for i in N], axis=0), axis=0) }\n",
        right="fn f[N](x: f32[N]) -> f32[N] { sum(stack([i*x for i in 0..N], axis=0), axis=0) }\n",
    ),
}
