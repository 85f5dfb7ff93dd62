"""The pass lists as a whole: stages, failures, switches, and what may be allocated and copied."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from mlir import ir
from native_support import Native, numpy_softmax, open_interface, product, softmax, tensor, unary

from tdsl.cpu.backend import CPU
from tdsl.lowering.backend import Backend, Pass
from tdsl.lowering.options import Kernels, KernelsError, Options
from tdsl.lowering.pipeline import (
    LOWERED_STAGES,
    STAGE_NAMES,
    LoweringError,
    context,
    count_buffers,
    lower,
    lower_text,
    pass_list,
)
from tdsl.lowering.stages import STAGES


def _counts(text: str, options: Options | None = None) -> tuple[int, int]:
    with context():
        module = ir.Module.parse(text)
        lower(module, "bufferized", options or Options(), CPU)
        return count_buffers(module)


def test_every_stage_is_described() -> None:
    assert all(stage.description for stage in STAGES)
    assert set(LOWERED_STAGES) <= set(STAGE_NAMES)


def test_every_pass_of_ours_is_described() -> None:
    for stage in LOWERED_STAGES:
        for step in pass_list(stage, CPU):
            assert step.description.strip()


def test_stage_names_cost_no_mlir() -> None:
    code = (
        "import sys, tdsl.lowering.stages, tdsl.lowering.options; sys.exit('mlir' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_llvm_stage_is_all_of_the_llvm_dialect() -> None:
    text = lower_text(product(4, 4, 4), "llvm", Options(), CPU)
    lines = [line.split("=")[-1].strip() for line in text.splitlines()]
    dialects = ("memref.", "scf.", "arith.", "linalg.", "func.", "cf.")
    foreign = [line for line in lines if line.startswith(dialects)]
    assert not foreign
    assert "llvm.func @tdsl_entry" in text


def test_the_module_left_behind_keeps_source_positions() -> None:
    text = unary("math.exp", 4).replace(
        "linalg.yield %y : f32", 'linalg.yield %y : f32 loc("model.tdsl":3:7)'
    )
    broken = Backend("b", (Pass("broken", "no-such-pass"),))
    with pytest.raises(LoweringError) as caught:
        lower_text(text, "llvm", Options(), broken)
    assert '"model.tdsl":3:7' in caught.value.module.read_text()


@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(fuse=False),
        Options(vector_math=False),
        Options(vectorize=False),
        Options(reuse_scratch=False),
        Options(Kernels.none(), False, False, False, False),
    ],
)
@pytest.mark.parametrize("shape", [(5,), (3, 7), (1, 1), (2, 33, 129)])
def test_switching_optimisations_off_changes_rounding_only(
    shape: tuple[int, ...], options: Options
) -> None:
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32) * 3
    (found,) = Native(softmax(*shape), options)(x)
    np.testing.assert_allclose(found, numpy_softmax(x.astype(float)), rtol=3e-6, atol=1e-7)


@pytest.mark.parametrize("offset", [0, 4, 12])
def test_misaligned_memory(offset: int) -> None:
    x = np.random.default_rng(0).standard_normal((9, 37)).astype(np.float32)
    (found,) = Native(softmax(9, 37))(x, offset=offset)
    np.testing.assert_allclose(found, numpy_softmax(x), rtol=3e-6, atol=1e-7)


def test_nan_and_infinity_as_numpy() -> None:
    x = np.zeros((4, 40), np.float32)
    x[0, 17], x[1, 3], x[2, 39] = np.nan, -np.inf, np.inf
    (found,) = Native(softmax(4, 40))(x)
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(found, numpy_softmax(x), rtol=3e-6)
    assert np.isnan(found[0]).all()
    assert found[1, 3] == 0


def test_open_sizes() -> None:
    interface = open_interface([("A", "B", "C")], [("A", "B", "C")])
    native = Native(softmax("A", "B", "C"), interface=interface)
    for shape in [(1, 1, 1), (2, 3, 4), (5, 129, 33), (1, 300, 2)]:
        x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
        (found,) = native(x, sizes=shape)
        np.testing.assert_allclose(found, numpy_softmax(x), rtol=3e-6, atol=1e-7)


# --- what may be allocated and copied


def test_linear_needs_nothing_beyond_its_result() -> None:
    x, w, b, y = tensor(8, 6), tensor(6, 4), tensor(4), tensor(8, 4)
    text = f"""
func.func @linear(%x: {x}, %w: {w}, %b: {b}) -> {y} {{
  %p = call @p(%x, %w) : ({x}, {w}) -> {y}
  %e = tensor.empty() : {y}
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
    ins(%p, %b : {y}, {b}) outs(%e : {y}) {{
  ^bb0(%i: f32, %j: f32, %o: f32):
    %s = arith.addf %i, %j : f32
    linalg.yield %s : f32
  }} -> {y}
  return %r : {y}
}}
func.func private @p(%a: {x}, %b: {w}) -> {y} attributes {{tdsl.claim = "matmul"}} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {y}
  %f = linalg.fill ins(%z : f32) outs(%e : {y}) -> {y}
  %r = linalg.matmul ins(%a, %b : {x}, {w}) outs(%f : {y}) -> {y}
  return %r : {y}
}}"""
    assert _counts(text) == (0, 0)
    assert _counts(text, Options(Kernels.none())) == (0, 0)
    native = Native(text, Options(Kernels.parse("matmul:blas")))
    assert native.compiled.scratch_bytes() == 0
    generated = Native(text, Options(isa="avx512"))
    assert generated.compiled.scratch_bytes() == 128, "four columns, next to each other"
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(s).astype(np.float32) for s in ((8, 6), (6, 4), (4,))]
    np.testing.assert_allclose(
        native(*arrays)[0], arrays[0] @ arrays[1] + arrays[2], rtol=1e-5, atol=1e-6
    )


def _head_split(column: int) -> str:
    whole, part, split, heads = tensor(16, 36), tensor(16, 12), tensor(16, 3, 4), tensor(3, 16, 4)
    return f"""
func.func @split(%x: {whole}) -> {heads} {{
  %s = tensor.extract_slice %x[0, {column}] [16, 12] [1, 1] : {whole} to {part}
  %shape = arith.constant dense<[16, 3, 4]> : tensor<3xindex>
  %v = tensor.reshape %s(%shape) : ({part}, tensor<3xindex>) -> {split}
  %e = tensor.empty() : {heads}
  %t = linalg.transpose ins(%v : {split}) outs(%e : {heads}) permutation = [1, 0, 2]
  return %t : {heads}
}}"""


@pytest.mark.parametrize("column", [0, 12, 24])
def test_splitting_heads_copies_nothing(column: int) -> None:
    text = _head_split(column)
    assert _counts(text) == (0, 0)
    x = np.random.default_rng(0).standard_normal((16, 36)).astype(np.float32)
    wanted = x[:, column : column + 12].reshape(16, 3, 4).transpose(1, 0, 2)
    np.testing.assert_array_equal(Native(text)(x)[0], wanted)


def test_merging_heads_takes_one_buffer_and_one_copy_at_most() -> None:
    heads, split, merged = tensor(3, 16, 4), tensor(16, 3, 4), tensor(16, 12)
    text = f"""
func.func @merge(%x: {heads}) -> {merged} {{
  %e = tensor.empty() : {split}
  %t = linalg.transpose ins(%x : {heads}) outs(%e : {split}) permutation = [1, 0, 2]
  %shape = arith.constant dense<[16, 12]> : tensor<2xindex>
  %r = tensor.reshape %t(%shape) : ({split}, tensor<2xindex>) -> {merged}
  return %r : {merged}
}}"""
    allocations, copies = _counts(text)
    assert allocations <= 1
    assert copies <= 1
    x = np.random.default_rng(0).standard_normal((3, 16, 4)).astype(np.float32)
    np.testing.assert_array_equal(Native(text)(x)[0], x.transpose(1, 0, 2).reshape(16, 12))


def test_an_input_given_back_is_copied() -> None:
    t = tensor(3, 4)
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    one, two = Native(f"func.func @f(%x: {t}) -> ({t}, {t}) {{ return %x, %x : {t}, {t} }}")(x)
    np.testing.assert_array_equal(one, x)
    np.testing.assert_array_equal(two, x)


# --- names of kernels


@pytest.mark.parametrize("text", ["all", "none", "matmul:blas", "matmul:loops"])
def test_kernels_read_back(text: str) -> None:
    assert str(Kernels.parse(text)) == text


def test_a_kind_alone_allows_every_implementation() -> None:
    assert Kernels.parse("matmul").implementations("matmul") == ("native", "blas", "loops")
    assert Kernels.parse(" rows, matmul,attention,take ") == Kernels.all()
    assert Kernels.none().implementations("matmul") == ()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("matmull", r"no kind of kernel is called `matmull`.*did you mean `matmul`\?"),
        ("matmul:mkl", r"`matmul` has no implementation `mkl`; it has native, blas and loops"),
        ("matmul:blass", r"did you mean `blas`\?"),
        ("matmul:", r"has no implementation"),
        ("matmul,matmul", "given twice"),
        ("matmul,none", "`none` stands alone"),
        ("", "a kind is missing"),
        ("matmul,", "a kind is missing"),
    ],
)
def test_bad_kernels(text: str, message: str) -> None:
    with pytest.raises(KernelsError, match=message):
        Kernels.parse(text)


def test_options_survive_as_data() -> None:
    options = Options(Kernels.parse("matmul:loops"), fuse=False)
    assert Options.from_data(options.to_data()) == options


def test_options_are_keys() -> None:
    known = {Options(): 1, Options(Kernels.parse("matmul:loops")): 2}
    assert known[Options(Kernels.parse("all"))] == 1
    assert known[Options(Kernels.parse("matmul:loops"))] == 2
