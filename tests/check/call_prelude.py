"""The functions that the tests of calls call."""

from __future__ import annotations

PRELUDE = """\
tdsl 0.1
fn linear[M, K, N](x: f32[M, K], w: f32[K, N], b: f32[N]) -> f32[M, N] { x @ w + b }
fn heads[T, C, static H](x: f32[T, C]) -> f32[H, T, C//H] where H divides C {
    transpose(reshape(x, [T, H, C//H]), [1, 0, 2])
}
fn parts[T, C, static H, D](q: f32[T, 3*C]) -> f32[T, 3, H, D] where C == H*D {
    reshape(q, [T, 3, H, D])
}
fn embed[T, N, C](x: f32[T, C], wpe: f32[N, C]) -> f32[T, C] where T <= N { x + wpe[0:T] }
fn shorter[N](x: f32[N + 1]) -> f32[N] { x[0:N] }
fn soft[E: dtype(float), ...S, N](x: E[...S, N], y: E[N]) -> E[...S, N] { x + y }
fn same[...S](x: f32[...S], y: f32[...S]) -> f32[...S] { x + y }
fn scaled[N, E: dtype(float)](x: E[N], by: E) -> E[N] { x * by }
fn counted[static N = 4](x: f32[N]) -> f32[N] { x }
fn square[N](x: f32[N, N]) -> f32[N] { x[0] }
fn shifted[N](x: f32[N], by: i32) -> f32[N] { x + f32(by) }
fn fixed_size[static C, static H, static D](x: f32) -> f32[C] where C == H*D { broadcast(x, [C]) }
fn told[static N](x: f32[N]) -> f32[N] { x }
fn halved[E: dtype(float)](x: E) -> E { x / 2 }
fn spare[C, D, T, N](x: f32[C], y: f32[D], z: f32[T]) -> f32[N] where C + D == N + 2*T {
    zeros([N], f32)
}
"""
