"""Programs that are one chain over rows."""

from __future__ import annotations

HEAD = (
    "tdsl 0.1\n"
    "from std.nn import softmax, masked_softmax, log_softmax, layer_norm, rms_norm, cross_entropy\n"
)

WHOLE = {
    "softmax": "pub fn f(x: f32[3, 5]) -> f32[3, 5] { softmax(x) }",
    "masked": "pub fn f(x: f32[3, 5], m: bool[3, 5]) -> f32[3, 5] { masked_softmax(x, m) }",
    "log": "pub fn f(x: f32[2, 3, 5]) -> f32[2, 3, 5] { log_softmax(x) }",
    "layer_norm": """
        pub fn f(x: f32[5, 5], g: f32[5], b: f32[5]) -> f32[5, 5] { layer_norm(x, g, b) }""",
    "rms_norm": "pub fn f[...S, C](x: f32[...S, C], g: f32[C]) -> f32[...S, C] { rms_norm(x, g) }",
    "by division": """
        pub fn f(x: f64[3, 5]) -> f64[3, 5] {
            let d = x - sum(x, axis=-1, keepdims=true) * (1.0 / 5)
            d / sqrt(sum(d**2.0, axis=-1, keepdims=true) / 5.0 + 1.0e-5)
        }""".replace("d**2.0", "d * d"),
    "by reciprocal": """
        pub fn f(x: f32[3, 5]) -> f32[3, 5] {
            let e = exp(-(max(x, axis=1, keepdims=true) - x))
            e * (1.0 / sum(e, axis=1, keepdims=true))
        }""",
    "without keepdims": """
        pub fn f[M, N](x: f32[M, N]) -> f32[M, N] { x / sum(x, axis=1)[:, newaxis] }""",
    "sums of rows over a number that each row has": """
        pub fn f[M, N](x: f32[M, N], y: f32[M, 1]) -> f32[M] { sum(x * tanh(y), axis=1) }""",
    "a column": """
        pub fn f(x: f32[3, 5]) -> f32[3, 1] { sqrt(sum(x * x, axis=1, keepdims=true)) }""",
    "two costly values": """
        pub fn f(x: f32[3, 5], y: f32[3, 5]) -> f32[3, 5] {
            exp(x) / sum(exp(x), axis=1, keepdims=true)
                * (tanh(y) / (1.0 + sum(tanh(y), axis=1, keepdims=true)))
        }""",
    "a number for each row": "pub fn f[M, N](x: f32[M, N]) -> f32[M] { mean(x * x, axis=-1) }",
    "with work around it": """
        pub fn f[T, C](x: f32[T, C], y: f32[C], g: f32[C], b: f32[C]) -> f32[T, C] {
            tanh(layer_norm(x * 2.0 + y, g, b)) + x
        }""",
    "a vector": "pub fn f(x: f32[9]) -> f32[9] { softmax(x) }",
    "bf16": "pub fn f(x: bf16[3, 5]) -> bf16[3, 5] { softmax(x) }",
}
