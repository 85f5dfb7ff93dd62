"""Loops in native code: values, what is copied, and what does not grow with the number of steps."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from emission_support import mlir_opt, run
from mlir import ir
from program_support import Instance

from tdsl.check.modules import load_program
from tdsl.cpu.backend import CPU
from tdsl.cpu.compiler import compile_text
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Kernels, Options
from tdsl.lowering.passes import bufferize, carry_state
from tdsl.lowering.pipeline import context, count_buffers, lower

CASES = Path(__file__).parent / "cases" / "loops.tdsl"
GPT2 = Path(__file__).parent.parent / "design" / "programs" / "gpt2.tdsl"
PROGRAM = load_program(CASES)
KNOWN = {"N": 4, "M": 3, "L": 5, "T": 6, "C": 4, "V": 7}
PLAIN = Options(
    kernels=Kernels.none(),
    fuse=False,
    vector_math=False,
    vectorize=False,
    reuse_scratch=False,
)
# Generated kernels are code of their own, and take most of the time of a compilation.
LIBRARY = Options(kernels=Kernels.parse("matmul:blas"))


@pytest.mark.parametrize("name", PROGRAM.root.functions)
def test_fixed_sizes_with_every_optimisation(name: str) -> None:
    Instance(PROGRAM, name, KNOWN).compare({})


@pytest.mark.parametrize("name", PROGRAM.root.functions)
def test_open_sizes_with_none(name: str) -> None:
    Instance(PROGRAM, name, {}).compare(KNOWN, PLAIN)


def test_scratch_may_be_shared_by_open_sizes() -> None:
    for name in ("nested_scan", "triangle", "fib", "stateful"):
        Instance(PROGRAM, name, {}).compare(KNOWN, LIBRARY)


SIZES = {"V": 11, "N": 8, "C": 8, "F": 32, "H": 2, "D": 4}


@pytest.mark.parametrize("name", ["gpt2", "step"])
def test_the_whole_model(name: str) -> None:
    Instance.of_file(GPT2, name, **SIZES, L=3, T=5, S=2).compare({})
    Instance.of_file(GPT2, name, H=2).compare({**SIZES, "L": 2, "T": 5, "S": 3}, LIBRARY)


# --- code


def object_size(name: str, layers: int) -> tuple[int, int, int]:
    """Lines of MLIR, operations of LLVM's dialect, and bytes of native code."""
    instance = Instance.of_file(GPT2, name, **SIZES, L=layers, T=5, S=2)
    interface = Interface.of_graph(instance.graph)
    with context():
        module = ir.Module.parse(instance.text)
        lower(module, "llvm", LIBRARY, CPU, interface)
        operations = 0

        def count(_: object) -> ir.WalkResult:
            nonlocal operations
            operations += 1
            return ir.WalkResult.ADVANCE

        module.operation.walk(count)
    code = compile_text(instance.text, LIBRARY, interface).code
    return len(instance.text.splitlines()), operations, len(code)


@pytest.mark.parametrize("name", ["gpt2", "step"])
def test_code_does_not_grow_with_the_number_of_layers(name: str) -> None:
    two, twelve, many = (object_size(name, layers) for layers in (2, 12, 48))
    assert twelve == many
    # The number 2 is there anyway, and LLVM may see that a loop runs just twice.
    assert two == pytest.approx(many, rel=0.05)
    assert many[0] - two[0] <= 1


def test_a_loop_is_one_loop_over_stacked_arrays_and_its_claims_are_functions() -> None:
    text = Instance.of_file(GPT2, "gpt2", **SIZES, L=12, T=5).text
    layers = [line for line in text.splitlines() if "scf.for" in line and "%step" in line]
    assert len(layers) == 1
    assert "%p.blocks.attn.c_attn.w: tensor<12x8x24xf32>" in text
    assert re.search(
        r"tensor.extract_slice %p.blocks.attn.c_attn.w\[%step, 0, 0\] \[1, 8, 24\] \[1, 1, 1\] :"
        r" tensor<12x8x24xf32> to tensor<8x24xf32>",
        text,
    )
    assert "= func.call @gpt2.matmul_" in text
    mlir_opt(text, "--verify-each")


# --- memory


def buffers(instance: Instance) -> tuple[int, int]:
    with context():
        module = ir.Module.parse(instance.text)
        lower(module, "bufferized", Options(), CPU, Interface.of_graph(instance.graph))
        return count_buffers(module)


def test_blocks_are_folded_without_a_copy_of_the_state() -> None:
    """No copy, not of rows of the embedding either; what is allocated in a step is so once, not per layer."""
    for layers in (2, 12):
        instance = Instance.of_file(GPT2, "gpt2", **SIZES, L=layers, T=5)
        allocated, copied = buffers(instance)
        assert copied == 0
        assert allocated <= 22


def test_a_cache_is_copied_once_to_where_the_result_lies() -> None:
    """Each cache from the argument to the result: nothing else."""
    instance = Instance.of_file(GPT2, "step", **SIZES, L=12, S=2)
    _, copied = buffers(instance)
    assert copied == 2


@pytest.mark.parametrize(
    ("name", "allocated", "copied"),
    [
        ("nested", 1, 2),  # the argument to the result, and the state around to the one inside
        ("copy_state", 1, 1),  # a row's sums; the argument to the result
        ("later", 0, 1),  # `x` is a result, too: the loop begins with a copy in the other
        ("rolled", 0, 0),
        ("fib", 1, 4),  # two arguments, and a state that becomes another
    ],
)
def test_states_are_changed_where_they_lie(name: str, allocated: int, copied: int) -> None:
    assert buffers(Instance(PROGRAM, name, KNOWN)) == (allocated, copied)


def test_scratch_memory_does_not_grow_with_the_number_of_steps() -> None:
    scratch = []
    for layers in (2, 48):
        instance = Instance.of_file(GPT2, "gpt2", **SIZES, L=layers, T=5)
        compiled = compile_text(instance.text, LIBRARY, Interface.of_graph(instance.graph))
        scratch.append(compiled.scratch_bytes())
    assert scratch[0] == scratch[1]


def test_buffers_of_a_step_share_memory() -> None:
    """Two arrays live at once, however many a step needs one after the other."""
    lines = "\n".join(f"    let a{i} = a{i - 1} @ w" for i in range(1, 7))
    text = f"""
fn f[N, L](x: f32[N, N], w: f32[N, N]) -> f32[N, N] {{
    fold a0 = x for i in 0..9 {{
{lines}
    a6
    }}
}}"""
    instance = Instance.of_text(text.replace("[N, L]", "[N]"), N=64)
    compiled = compile_text(instance.text, LIBRARY, Interface.of_graph(instance.graph))
    assert compiled.scratch_bytes() <= 3 * 64 * 64 * 4
    instance.compare({}, tolerance=1e-2, arrays=[np.eye(64, dtype=np.float32)] * 2)


# --- positions inside of loops

LOOKUP = """
fn f[V, C, T](t: f32[V, C], ids: i32[T], z: f32[C]) -> f32[C] {
    fold s = z for i in 0..T { s * 0.5 + take(t, ids[i], axis=0) }
}"""


def test_a_position_outside_is_reported_from_inside_a_loop() -> None:
    instance = Instance.of_text(LOOKUP, V=5, C=3, T=4)
    arrays = [np.ones((5, 3), np.float32), np.array([0, 7, -1, 2], np.int32), np.ones(3, "f4")]
    with pytest.raises(IndexError) as found:
        run(instance.graph, arrays, instance.claims, text=instance.text)
    wanted = "take: index 7 is out of range for axis 0 of size 5 (model.tdsl:4:42)"
    assert str(found.value) == wanted
    with pytest.raises(IndexError) as evaluated:
        instance.reference(arrays, {})
    assert str(evaluated.value) == wanted


# --- where upstream's analysis would refuse


@pytest.mark.parametrize("name", PROGRAM.root.functions)
def test_states_may_always_be_copied(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what makes a step leave its state where it was, bufferization refuses most loops;
    they are then compiled with more copies."""
    monkeypatch.setattr(carry_state, "run", lambda module, options: None)
    Instance(PROGRAM, name, {}).compare(KNOWN, LIBRARY)


def test_copying_states_costs_what_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(carry_state, "run", lambda module, options: None)
    _, copied = buffers(Instance(PROGRAM, "rolled", KNOWN))
    assert copied == 0, "no loop, no copy"
    _, copied = buffers(Instance(PROGRAM, "fib", KNOWN))
    assert copied >= 6


def test_no_loop_here_needs_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise AssertionError("bufferization refused a loop")

    monkeypatch.setattr(bufferize, "copy_states", refuse)
    for name in PROGRAM.root.functions:
        buffers(Instance(PROGRAM, name, KNOWN))
    buffers(Instance.of_file(GPT2, "step", **SIZES, L=3, S=2))


def test_a_kernel_writes_a_scalar_where_it_belongs_in_an_array() -> None:
    text = "fn f[N](x: f32[N, N]) -> (f32, [f32; N]) { scan s = x[0, 0] for i in 0..N { (s, sum(x[i])) } }"
    Instance.of_text(text, N=5).compare({})
