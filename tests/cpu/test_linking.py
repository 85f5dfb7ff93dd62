"""Compiled functions that call the worker pool, or a library that is not there."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from tdsl.cpu import blas
from tdsl.cpu.linking import load_object
from tdsl.engine.llvm import Target, compile_ir
from tdsl.engine.object import CompiledObject
from tdsl.lowering.interface import Interface
from tdsl.types.sizes import Size

# result[i] = i * i, each in a chunk of its own
_SQUARES = """
declare void @tdsl_pool_run(ptr, ptr, i64)
define internal void @square(ptr %result, i64 %i) {
  %p = getelementptr i64, ptr %result, i64 %i
  %s = mul i64 %i, %i
  store i64 %s, ptr %p
  ret void
}
define i32 @tdsl_entry(ptr %data, ptr %sizes) {
  %result = load ptr, ptr %data
  call void @tdsl_pool_run(ptr @square, ptr %result, i64 100)
  ret i32 0
}
"""


def compiled(text: str, *symbols: str) -> CompiledObject:
    code = compile_ir(text, Target.host(), frozenset({"tdsl_entry"}))
    return CompiledObject(code, "tdsl_entry", Interface((), ()), Size.of(0), symbols)


def test_code_reaches_the_pool() -> None:
    entry = load_object(compiled(_SQUARES, "tdsl_pool_run")).entry("tdsl_entry")
    result = np.zeros(100, np.int64)
    assert entry((ctypes.c_void_p * 1)(result.ctypes.data), None) == 0
    np.testing.assert_array_equal(result, np.arange(100) ** 2)


def test_a_library_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "find_blas", lambda: None)
    with pytest.raises(KeyError, match="cblas_sgemm"):
        load_object(compiled(_SQUARES, "cblas_sgemm", "tdsl_pool_run"))
