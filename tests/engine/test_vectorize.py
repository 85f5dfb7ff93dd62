"""Options.vectorize: LLVM makes vectors out of loops and of straight lines, or out of neither."""

from __future__ import annotations

import re

import numpy as np
import pytest
from mlir import ir
from native_support import Native, product, softmax, unary

from tdsl.cpu.backend import CPU
from tdsl.cpu.compiler import tuning
from tdsl.engine.llvm import Target, optimised_text
from tdsl.lowering.options import Kernels, Options
from tdsl.lowering.passes.entry import ENTRY
from tdsl.lowering.pipeline import context, lower

_VECTOR_TYPE = re.compile(r"<(?:vscale x )?\d+ x \w+>")


def _vector_types(text: str, options: Options) -> set[str]:
    with context():
        module = ir.Module.parse(text)
        lower(module, "llvm", options, CPU)
        found = optimised_text(module, Target.host(), frozenset({ENTRY}), tuning(options))
    assert "@tdsl_entry" in found
    return set(_VECTOR_TYPE.findall(found))


_STRAIGHT = unary("arith.negf", 4)
"""Unrolled whole, so that only the vectorizer of straight lines sees it."""


@pytest.mark.parametrize(
    "text",
    [
        _STRAIGHT,
        unary("math.exp", 1000),
        unary("arith.negf", 1000, "f64"),
        softmax(3, 40),
        product(8, 16, 32),
    ],
    ids=["straight", "exp", "loop", "softmax", "product"],
)
def test_without_vectorize_no_vector_is_made(text: str) -> None:
    vectors = Options(Kernels.none())
    assert _vector_types(text, vectors)
    assert not _vector_types(text, Options(Kernels.none(), vectorize=False))


def test_kernels_keep_the_vectors_they_are_written_with() -> None:
    options = Options(Kernels.parse("matmul:native"), vectorize=False, isa="avx2")
    assert "<8 x float>" in _vector_types(product(8, 16, 32), options)


def test_results_are_the_same_either_way() -> None:
    x = np.random.default_rng(0).standard_normal(1000).astype(np.float32)
    text = unary("arith.negf", 1000)
    (fast,), (plain,) = Native(text)(x), Native(text, Options(vectorize=False))(x)
    np.testing.assert_array_equal(fast, plain)
