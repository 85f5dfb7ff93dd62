"""Every program in programs/, on the emulator, gives what the processor gives, in every order of
threads; and has PTX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from assembler import Assembly, find

from tdsl.check import typed
from tdsl.check.modules import check_file
from tdsl.gpu.acting import ORDER_VARIABLE
from tdsl.gpu.emulator import ORDERS
from tdsl.lowering.device import parse_target
from tdsl.runtime.assembling import leaves_of
from tdsl.runtime.inputs import seeded_inputs
from tdsl.runtime.layout import layout_of
from tdsl.runtime.module import module_of
from tdsl.runtime.stages import Instance, graphs_of, stage_text

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.tdsl"))


@cache
def checked(path: Path) -> typed.Program:
    program = check_file(path).program
    assert program is not None
    return program


def examples(path: Path) -> list[typed.Example]:
    """The first example of each function."""
    found: dict[str, typed.Example] = {}
    for example in checked(path).root.examples:
        found.setdefault(example.function, example)
    return list(found.values())


CASES = [(path, example) for path in PROGRAMS for example in examples(path)]
IDS = [f"{path.stem}-{example.function}" for path, example in CASES]
# The other functions of these programs are parts of one that is run.
PARTS = {"bert": {"states"}, "blocks": {"attend", "feedforward"}, "mlp": {"linear", "gelu"}}
RUN = [
    (path, example)
    for path, example in CASES
    if example.function not in PARTS.get(path.stem, set())
]


def leaves(program: typed.Program, name: str, value: Any) -> Sequence[np.ndarray]:
    return leaves_of(layout_of(program, program.root.functions[name].signature).result, value)


def _in_range(argument: Any) -> Any:
    """Positions that every table has, and numbers that roots and powers exist of."""
    if not isinstance(argument, np.ndarray):
        return argument
    if argument.dtype.kind == "i":
        return argument % 2
    return abs(argument) + 1 if argument.ndim == 0 else argument


@pytest.mark.parametrize(
    ("path", "example"), RUN, ids=[f"{path.stem}-{example.function}" for path, example in RUN]
)
def test_the_emulator_gives_the_numbers_of_the_processor(
    path: Path, example: typed.Example, monkeypatch: pytest.MonkeyPatch
) -> None:
    program, name = checked(path), example.function
    made = seeded_inputs(program, program.root.functions[name], {}, {}, 3)
    arguments = [_in_range(argument) for argument in made.arguments]

    def call(target: str) -> Sequence[np.ndarray]:
        value = functions[target](*arguments, **made.statics)
        return leaves(program, name, value)

    functions = {
        target: getattr(module_of(program, target=target), name)
        for target in ("cpu", "gpu-emulator")
    }
    wanted = call("cpu")
    for order in ORDERS:
        monkeypatch.setenv(ORDER_VARIABLE, order)
        for mine, theirs in zip(call("gpu-emulator"), wanted, strict=True):
            assert mine.dtype == theirs.dtype
            assert np.isfinite(theirs).all()
            largest = float(np.abs(theirs.astype(np.float64)).max())
            np.testing.assert_allclose(
                mine.astype(np.float64), theirs.astype(np.float64), rtol=2e-5, atol=2e-6 * largest
            )


@pytest.mark.parametrize(("path", "example"), CASES, ids=IDS)
def test_every_program_has_ptx(path: Path, example: typed.Example) -> None:
    program, name = checked(path), example.function
    signature = program.root.functions[name].signature
    graphs = graphs_of(program, [Instance(signature, example.parameters, name)])
    text = stage_text(graphs, "ptx", target=parse_target("nvptx:sm_90"))
    assert ".target sm_90" in text
    # Every kernel that the plan launches is there, and no other.
    planned = set(re.findall(r"^// +(\w+)<", text, re.MULTILINE))
    defined = {
        line.split(".entry ")[1].rstrip("(") for line in text.splitlines() if ".entry " in line
    }
    assert planned == defined


def test_the_same_claims_are_kernels_as_on_the_processor() -> None:
    program = checked(PROGRAMS[[p.stem for p in PROGRAMS].index("gpt2")])
    example = next(e for e in program.root.examples if e.function == "forward")
    signature = program.root.functions["forward"].signature
    graphs = graphs_of(program, [Instance(signature, example.parameters, "forward")])
    text = stage_text(graphs, "nvvm", target=parse_target("nvptx:sm_80"))
    for kind in ("attention", "rows", "matmul"):
        assert f"@forward_{kind}_" in text, f"no kernel for {kind}"
    plain = stage_text(graphs, "nvvm", "none", target=parse_target("nvptx:sm_80"))
    assert "_matmul_" not in plain
    # The layers stay a loop of the host.
    assert "//   for i0 in 0..2 by 1:" in text


@pytest.mark.skipif(find() is None, reason="ptxas is not there: pip install 'tdsl[gpu]'")
@pytest.mark.parametrize(("stem", "function"), [("gpt2", "step"), ("vit", "classify")])
def test_what_no_claim_holds_assembles(stem: str, function: str, tmp_path: Path) -> None:
    path = next(path for path in PROGRAMS if path.stem == stem)
    program = checked(path)
    example = next(e for e in program.root.examples if e.function == function)
    signature = program.root.functions[function].signature
    graphs = graphs_of(program, [Instance(signature, example.parameters, function)])
    text = stage_text(graphs, "ptx", "none", target=parse_target("nvptx:sm_80"))
    file = tmp_path / "program.ptx"
    file.write_text(text)
    uses = Assembly(find() or "", file, "sm_80").uses()
    assert len(uses) == text.count(".entry ")
    assert all(use.spilled_bytes == 0 for use in uses.values())
