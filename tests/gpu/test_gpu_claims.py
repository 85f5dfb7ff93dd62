"""Programs as users write them get the kernels that are meant for them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tdsl
from tdsl.check.modules import check_file
from tdsl.lowering.device import parse_target
from tdsl.runtime.stages import Instance, graphs_of, remarks_of, stage_text
from tdsl.types.types import Substitution

HEAD = "tdsl 0.1\nfrom std.nn import softmax, masked_attention\n"
QKV = "q: {0}[2, 20, 16], k: {0}[2, 20, 16], v: {0}[2, 20, 16]"

ATTENTION = {
    "plain": f"pub fn f({QKV}) -> {{0}}[2, 20, 16] {{{{ softmax(q @ transpose(k, [0, 2, 1])) @ v }}}}",
    "masked": f"""pub fn f({QKV}, m: bool[2, 20, 20]) -> {{0}}[2, 20, 16] {{{{
        masked_attention(q, k, v, m)
    }}}}""",
    "causal": f"""pub fn f({QKV}) -> {{0}}[2, 20, 16] {{{{
        softmax(q @ transpose(k, [0, 2, 1]) * {{0}}(0.25) + causal_mask(20, {{0}})) @ v
    }}}}""",
}


def ptx(source: str, tmp_path: Path, precision: str | None = None) -> str:
    path = tmp_path / "program.tdsl"
    path.write_text(HEAD + source)
    checked = check_file(path)
    assert checked.program is not None, checked.diagnostics
    graphs = graphs_of(
        checked.program,
        [Instance(checked.program.root.functions["f"].signature, Substitution({}, {}, {}), "f")],
    )
    return stage_text(graphs, "ptx", target=parse_target("nvptx:sm_80", precision))


@pytest.mark.parametrize("name", ATTENTION)
@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
def test_attention(name: str, dtype: str, tmp_path: Path) -> None:
    text = ptx(ATTENTION[name].format(dtype), tmp_path)
    assert ".entry f_attention_0(" in text
    # Where a program rounds the shares of the softmax, tensor cores lose nothing.
    assert ("mma.sync" in text) == (dtype in ("bf16", "f16"))


@pytest.mark.parametrize("precision", ["tf32", "bf16", "f16"])
def test_f32_on_tensor_cores_where_that_is_asked_for(precision: str, tmp_path: Path) -> None:
    text = ptx(ATTENTION["plain"].format("f32"), tmp_path, precision)
    assert f".f32.{precision}.{precision}.f32" in text
    product = "pub fn f(x: f32[40, 20], y: f32[20, 30]) -> f32[40, 30] { x @ y }"
    assert f".f32.{precision}.{precision}.f32" in ptx(product, tmp_path, precision)
    assert "mma.sync" not in ptx(product, tmp_path)


def test_a_query_that_sees_nothing_gets_zeros(tmp_path: Path) -> None:
    """That is what masked_attention says; without it 0 / 0 is NaN."""
    path = tmp_path / "program.tdsl"
    path.write_text(HEAD + ATTENTION["masked"].format("f32"))
    random = np.random.default_rng(1)
    q, k, v = (random.standard_normal((2, 20, 16)).astype(np.float32) for _ in range(3))
    mask = random.integers(0, 2, (2, 20, 20)).astype(bool)
    mask[1, 3] = False
    found = tdsl.load(path, target="gpu-emulator").f(q, k, v, mask)
    assert (found[1, 3] == 0).all()
    np.testing.assert_allclose(found, tdsl.load(path).f(q, k, v, mask), 1e-5, 1e-6)


REFUSED = {
    "attention": (
        """pub fn f(q: f32[2, 5, 8], k: f32[2, 5, 8], v: f32[2, 5, 8]) -> f32[2, 5, 8] {
            let s = q @ transpose(k, [0, 2, 1])
            let e = exp(s - max(s, axis=1, keepdims=true))
            (e / sum(e, axis=1, keepdims=true)) @ v
        }""",
        "the softmax runs along axis 1",
    ),
    "matmul": (
        "pub fn f(x: i32[4, 5], y: i32[5, 6]) -> i32[4, 6] { x @ y }",
        "no kernel multiplies i32",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_has_no_kernel_is_computed_all_the_same(kind: str, tmp_path: Path) -> None:
    source, reason = REFUSED[kind]
    path = tmp_path / "program.tdsl"
    path.write_text(HEAD + source)
    checked = check_file(path)
    assert checked.program is not None
    signature = checked.program.root.functions["f"].signature
    graphs = graphs_of(checked.program, [Instance(signature, Substitution({}, {}, {}), "f")])
    remarks = remarks_of(graphs, "all", parse_target("nvptx:sm_80"))
    assert any(reason in str(one) for one in remarks)
    random = np.random.default_rng(1)
    count = 3 if kind == "attention" else 2
    shapes = [(2, 5, 8)] * 3 if kind == "attention" else [(4, 5), (5, 6)]
    dtype = np.float32 if kind == "attention" else np.int32
    arrays = [(4 * random.standard_normal(shape)).astype(dtype) for shape in shapes[:count]]
    found = tdsl.load(path, target="gpu-emulator").f(*arrays)
    np.testing.assert_allclose(found, tdsl.load(path).f(*arrays), 1e-5, 1e-6)
