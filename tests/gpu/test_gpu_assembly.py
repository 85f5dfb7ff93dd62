"""Every kind of kernel with every tile that is used, assembled for GPUs: nothing may be spilled,
and what registers and shared memory they take stands in a table. `--update-golden` rewrites it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import assembler
import pytest
from attention_claims import attention_text
from claim_kernels import ALL, made
from claim_programs import Making, chain
from test_gpu_matmul import text as matmul_text

from tdsl.gpu.kernels import attention, matmul, rows
from tdsl.gpu.kernels.tiles import SIMT_F32, SIMT_F64, TENSOR, SimtTile, TensorTile
from tdsl.gpu.ptx import ptx_of
from tdsl.lowering.device import DEVICES
from tdsl.lowering.kernels import Kernel

TABLE = Path(__file__).with_name("registers.txt")
CHIPS = ("sm_80", "sm_90")
PTXAS = assembler.find()
needs_ptxas = pytest.mark.skipif(
    PTXAS is None, reason="no ptxas: install the extra `gpu`, or put one on the path"
)


def _product(name: str, tile: SimtTile | TensorTile, dtype: str, precision: str) -> Kernel:
    """With bias and gelu, at a size that divides by nothing and one that divides by all."""
    odd = name.endswith("_odd")
    m, n, k = (tile.rows * 3, tile.columns * 2, 128) if not odd else (300, 301, 131)
    making = Making("f64" if dtype == "f64" else "f32")
    sides = [making.argument(m, k, dtype=dtype), making.argument(k, n, dtype=dtype)]
    sides = [x if x.type.dtype == making.dtype else making.cast(x, making.dtype) for x in sides]
    x = making.elementwise("add", making.matmul(*sides), making.argument(n))
    inner = making.elementwise("mul", x, making.number(0.79788456))
    curve = making.elementwise("add", making.elementwise("tanh", inner), making.number(1.0))
    text = making.text(making.elementwise("mul", x, curve))

    def make(function: Any, operands: Any, result: Any) -> Kernel:
        aligned = frozenset() if odd else ALL
        return matmul.kernel(
            name, function, operands, result, precision=precision, aligned=aligned, tile=tile
        )

    return made(text, make)


def _few(name: str, m: int, turned: str, dtype: str) -> Kernel:
    text = matmul_text(m, 768, 3072, turned=f"n{turned}", dtypes=(dtype, dtype), after="bias")
    return made(text, lambda *given: matmul.kernel(name, *given, aligned=ALL))


def _rows(name: str, kind: str, length: int, dtype: str = "f32") -> Kernel:
    making = chain(kind, (64, length), dtype)
    text = making.text(making.result)  # type: ignore[attr-defined]
    return made(text, lambda *given: rows.kernel(name, *given, aligned=ALL))


def _attention(
    name: str,
    depth: int,
    dtype: str = "f32",
    mask: str = "causal",
    precision: str = "f32",
    queries: int = 1000,
) -> Kernel:
    text = attention_text(12, queries, 1000, depth, depth, dtype=dtype, mask=mask)

    def make(function: Any, operands: Any, result: Any) -> Kernel:
        return attention.kernel(name, function, operands, result, precision=precision, aligned=ALL)

    return made(text, make)


def _kernels() -> dict[str, Callable[[str], Kernel]]:
    found: dict[str, Callable[[str], Kernel]] = {}
    for tile in SIMT_F32:
        for odd in ("", "_odd"):
            found[f"matmul_f32_{tile.rows}x{tile.columns}{odd}"] = (
                lambda name, tile=tile: _product(name, tile, "f32", "f32")  # type: ignore[misc]
            )
    for tile in SIMT_F64:
        found[f"matmul_f64_{tile.rows}x{tile.columns}"] = (
            lambda name, tile=tile: _product(name, tile, "f64", "f32")  # type: ignore[misc]
        )
    for wide in TENSOR:
        for dtype, precision in (("f32", "tf32"), ("bf16", "f32")):
            shown = "tf32" if dtype == "f32" else dtype
            found[f"matmul_{shown}_{wide.rows}x{wide.columns}"] = (
                lambda name, wide=wide, dtype=dtype, precision=precision: _product(  # type: ignore[misc]
                    name, wide, dtype, precision
                )
            )
    found["matmul_f16_64x64_odd"] = lambda name: _product(name, TENSOR[1], "f16", "f32")
    for m, turned, dtype in (
        (1, "n", "f32"),
        (4, "t", "f32"),
        (1, "t", "bf16"),
        (4, "n", "f64"),
        (4, "t", "f64"),
    ):
        found[f"matmul_{dtype}_{m}_row_n{turned}"] = (
            lambda name, m=m, turned=turned, dtype=dtype: _few(name, m, turned, dtype)  # type: ignore[misc]
        )
    for kind, length in (("softmax", 64), ("layer_norm", 1024), ("layer_norm", 40000)):
        found[f"{kind}_{length}"] = (
            lambda name, kind=kind, length=length: _rows(name, kind, length)  # type: ignore[misc]
        )
    found["layer_norm_f64_1024"] = lambda name: _rows(name, "layer_norm", 1024, "f64")
    for depth in (64, 128, 256, 1024):
        found[f"attention_{depth}"] = (
            lambda name, depth=depth: _attention(name, depth)  # type: ignore[misc]
        )
    found["attention_flags_64"] = lambda name: _attention(name, 64, mask="flags")
    for depth in (64, 256, 1024):
        found[f"attention_f64_{depth}"] = (
            lambda name, depth=depth: _attention(name, depth, "f64")  # type: ignore[misc]
        )
    found["attention_few_64"] = lambda name: _attention(name, 64, queries=3)
    for depth in (64, 128):
        found[f"attention_bf16_{depth}"] = (
            lambda name, depth=depth: _attention(name, depth, "bf16")  # type: ignore[misc]
        )
        found[f"attention_tf32_{depth}"] = (
            lambda name, depth=depth: _attention(name, depth, precision="tf32")  # type: ignore[misc]
        )
    return found


@pytest.fixture(scope="module")
def kernels() -> dict[str, Kernel]:
    return {name: make(name) for name, make in _kernels().items()}


@pytest.fixture(scope="module")
def uses(
    kernels: dict[str, Kernel], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, dict[str, assembler.Use]]:
    """By chip and kernel; both chips at the same time."""
    assert PTXAS is not None
    ptx = tmp_path_factory.mktemp("ptx") / "kernels.ptx"
    ptx.write_text(ptx_of([one.text for one in kernels.values()], "sm_80"))
    running = {chip: assembler.Assembly(PTXAS, ptx, chip) for chip in CHIPS}
    return {chip: one.uses() for chip, one in running.items()}


@needs_ptxas
def test_nothing_is_spilled(uses: dict[str, dict[str, assembler.Use]]) -> None:
    spilling = [
        f"{name} for {chip}: {use.spilled_bytes} bytes"
        for chip, found in uses.items()
        for name, use in found.items()
        if use.spilled_bytes
    ]
    assert not spilling, spilling


@needs_ptxas
def test_the_table_of_registers(
    kernels: dict[str, Kernel], uses: dict[str, dict[str, assembler.Use]], golden: Any
) -> None:
    assert PTXAS is not None
    version = assembler.version(PTXAS)
    lines = [f"ptxas {version}: registers on {' and '.join(CHIPS)}, bytes of shared memory"]
    for name in kernels:
        counts = "".join(f"{uses[chip][name].registers:5}" for chip in CHIPS)
        lines.append(f"{name:24}{counts}{uses[CHIPS[0]][name].shared_bytes:7}")
    written = TABLE.read_text().split(":")[0] if TABLE.exists() else ""
    if written and written != f"ptxas {version}":
        pytest.skip(f"the table is of {written}, and this is {version}")
    golden(TABLE, "\n".join(lines) + "\n")


@needs_ptxas
def test_blocks_fit_on_a_multiprocessor(
    kernels: dict[str, Kernel], uses: dict[str, dict[str, assembler.Use]]
) -> None:
    for chip, found in uses.items():
        for name, use in found.items():
            threads = kernels[name].launches[0].block[0]
            assert use.registers * threads <= 65536, (chip, name)
            assert use.shared_bytes <= DEVICES[chip].shared_bytes, (chip, name)


@needs_ptxas
def test_code_for_the_newer_chip(tmp_path: Path) -> None:
    assert PTXAS is not None
    ptx = tmp_path / "kernel.ptx"
    ptx.write_text(ptx_of(_rows("k", "softmax", 100).text, "sm_90"))
    assert assembler.Assembly(PTXAS, ptx, "sm_90").uses()["k"].spilled_bytes == 0


def test_a_product_reads_and_writes_sixteen_bytes_at_a_time() -> None:
    ptx = ptx_of(_product("k", SIMT_F32[1], "f32", "f32").text)
    for instruction in ("ld.global.v4", "st.shared.v4", "ld.shared.v4", "st.global.v4", "fma.rn"):
        assert instruction in ptx, instruction


def test_a_tensor_product_is_one_in_ptx() -> None:
    ptx = ptx_of(_product("k", TENSOR[1], "bf16", "f32").text)
    assert "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32" in ptx
