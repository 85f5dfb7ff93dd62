"""The standard library through graph, emission and native code: its own tests, its examples
against the evaluator, and the builtins' examples."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from emission_support import run

from tdsl.check import typed
from tdsl.check.modules import check_file, check_source
from tdsl.graph.claims import find_claims
from tdsl.graph.elaborate import elaborate, elaborate_test
from tdsl.lowering.text import mlir_text
from tdsl.ops.builtins import BUILTINS
from tdsl.reference.evaluate import evaluate
from tdsl.syntax.resources import standard_library
from tdsl.syntax.source import Source


@cache
def library() -> typed.Program:
    result = check_file(str(standard_library().joinpath("nn.tdsl")))
    assert result.program is not None, result.diagnostics
    return result.program


@pytest.mark.parametrize("number", range(len(library().root.tests)))
def test_the_library_s_tests_hold_in_native_code(number: int) -> None:
    test = library().root.tests[number]
    graph = elaborate_test(library(), test, f"test_{number}")
    claims, _ = find_claims(graph)
    found = run(graph, [], claims)
    assert found, test.name
    assert all(found), test.name


@pytest.mark.parametrize("number", range(len(library().root.examples)))
def test_the_library_s_examples_equal_the_evaluator(number: int) -> None:
    program = library()
    example = program.root.examples[number]
    reference = typed.FunctionReference(program.root.name, example.function)
    graph = elaborate(program, reference, example.parameters)
    generator = np.random.default_rng(number)
    arrays: list[Any] = []
    for node in graph.inputs:
        sizes = tuple(size.literal or 0 for size in node.type.shape)
        dtype = node.type.dtype
        drawn = generator.standard_normal(sizes) / 2
        arrays.append((drawn if dtype.is_float else np.abs(drawn) > 0.5).astype(dtype.numpy))
    claims, _ = find_claims(graph)
    mlir_text(graph, claims)
    found = run(graph, arrays, claims)
    wanted = evaluate(program, reference, arrays, example.parameters)
    parts = wanted if isinstance(wanted, tuple | list) else [wanted]
    for left, right in zip(found, parts, strict=True):
        assert left.dtype == right.dtype
        assert left.shape == right.shape
        np.testing.assert_allclose(left, right, rtol=2e-5, atol=2e-5)


def test_the_examples_of_builtins_hold_in_native_code() -> None:
    statements = []
    rows = [builtin for builtin in BUILTINS.values() if builtin.name != "dbg"]
    for builtin in rows:
        statements.append(f'    assert {builtin.example}, "{builtin.name}"')
    text = 'tdsl 0.1\ntest "examples" {\n' + "\n".join(statements) + "\n}\n"
    result = check_source(Source("examples.tdsl", text), None)
    assert result.program is not None, result.diagnostics
    (test,) = result.program.root.tests
    graph = elaborate_test(result.program, test, "examples")
    found = run(graph, [], find_claims(graph)[0])
    failed = [b.name for b, holds in zip(rows, found, strict=True) if not holds]
    assert failed == []
