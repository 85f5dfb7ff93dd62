"""Programs as users write them get the kernels that are meant for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tdsl.check.modules import check_file
from tdsl.lowering.device import parse_target
from tdsl.runtime.stages import Instance, graphs_of, stage_text
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


def ptx(source: str, tmp_path: Path, precision: Any = "f32") -> str:
    path = tmp_path / "program.tdsl"
    path.write_text(HEAD + source)
    checked = check_file(path)
    assert checked.program is not None, checked.diagnostics
    graphs = graphs_of(
        checked.program,
        [Instance(checked.program.root.functions["f"].signature, Substitution({}, {}, {}), "f")],
    )
    return stage_text(graphs, "ptx", "all", "trap", parse_target("nvptx:sm_80"), precision)


@pytest.mark.parametrize("name", ATTENTION)
@pytest.mark.parametrize("dtype", ["f32", "f64", "bf16", "f16"])
def test_attention(name: str, dtype: str, tmp_path: Path) -> None:
    text = ptx(ATTENTION[name].format(dtype), tmp_path)
    assert ".entry f_attention_0(" in text
    # Where a program rounds the shares of the softmax, tensor cores lose nothing.
    assert ("mma.sync" in text) == (dtype in ("bf16", "f16"))
