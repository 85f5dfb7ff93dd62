"""LLVM-C: objects, symbols, errors with their cause, threads."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from native_support import Native, numpy_softmax, product, softmax, unary

from tdsl.cpu.compiler import assembly, compile_text
from tdsl.engine.libraries import LLVMError
from tdsl.engine.llvm import Target, compile_ir
from tdsl.engine.load import load
from tdsl.engine.object import CompiledObject

_GLUE = """
declare i32 @elsewhere(i32)
define i32 @twice(i32 %x) {
  %y = call i32 @elsewhere(i32 %x)
  %z = add i32 %y, %y
  ret i32 %z
}
define i32 @hidden(i32 %x) { ret i32 %x }
"""


def _glue() -> bytes:
    return compile_ir(_GLUE, Target.host(), frozenset({"twice"}))


_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)
_ELSEWHERE = _CALLBACK(lambda x: x + 1)
_SYMBOLS = {"elsewhere": ctypes.cast(_ELSEWHERE, ctypes.c_void_p).value or 0}


def test_symbols_come_from_where_the_caller_says() -> None:
    loaded = load(_glue(), _SYMBOLS)
    assert _CALLBACK(loaded.address("twice"))(20) == 42


def test_a_missing_symbol_is_named() -> None:
    with pytest.raises(LLVMError, match="elsewhere"):
        load(_glue()).address("twice")


def test_a_missing_function_is_named() -> None:
    with pytest.raises(LLVMError, match="nowhere"):
        load(_glue()).address("nowhere")


def test_only_exported_functions_can_be_looked_up() -> None:
    with pytest.raises(LLVMError, match=r"Symbols not found.*hidden"):
        load(_glue(), _SYMBOLS).address("hidden")


def test_bytes_that_are_no_object() -> None:
    with pytest.raises(LLVMError):
        load(b"not an object file at all").address("f")


def test_bad_llvm_ir() -> None:
    with pytest.raises(LLVMError, match="expected"):
        compile_ir("define", Target.host(), frozenset())


def test_an_unknown_target() -> None:
    with pytest.raises(LLVMError, match="toaster"):
        compile_ir(_GLUE, Target("toaster-unknown-none", "", ""), frozenset())


def test_code_is_deterministic_and_two_objects_never_meet() -> None:
    texts = [unary("math.exp", 16), unary("math.tanh", 16)]
    first, second = (compile_text(text) for text in texts)
    assert first == compile_text(texts[0])
    assert first.entry == second.entry
    x = np.linspace(-1, 1, 16, dtype=np.float32)
    one, two = (Native(text) for text in texts)
    np.testing.assert_allclose(one(x)[0], np.exp(x), rtol=1e-6)
    np.testing.assert_allclose(two(x)[0], np.tanh(x), rtol=1e-6)


def test_an_object_survives_as_bytes() -> None:
    compiled = compile_text(product(3, 4, 5))
    assert CompiledObject.from_bytes(compiled.to_bytes()) == compiled
    with pytest.raises(ValueError, match="not a compiled function"):
        CompiledObject.from_bytes(b"something else")


def test_the_target_is_stated_on_the_code() -> None:
    """A cached object may be made for a machine by name, not only for this one."""
    host = Target.host()
    plain = Target(host.triple, "x86-64" if "x86_64" in host.triple else "generic", "")
    text = assembly(unary("math.exp", 4096), target=plain)
    assert "zmm" not in text
    assert "ymm" not in text
    if host.vector_bits == 512:
        assert "zmm" in assembly(unary("math.exp", 4096))


@pytest.mark.skipif(not Target.host().triple.startswith("x86_64"), reason="a CPU of x86-64")
def test_wide_vectors_are_used_where_llvm_would_prefer_narrow_ones() -> None:
    features = "+avx2,+fma,+avx512f,+avx512bw,+avx512dq,+avx512vl"
    target = Target(Target.host().triple, "skylake-avx512", features)
    assert "zmm" in assembly(unary("math.exp", 4096), target=target)


@pytest.mark.skipif(Target.host().vector_bits < 512, reason="no 512-bit vectors here")
def test_softmax_runs_in_wide_vectors() -> None:
    text = assembly(softmax(64, 512))
    assert "vmaxps" in text
    assert "expf" not in text
    # All of its loops are vectorised: exp's clamp, the sum and the division in zmm registers.
    for instruction in ("vaddps", "vdivps", "vminps"):
        assert any(instruction in line and "zmm" in line for line in text.splitlines()), (
            f"{instruction} is not vectorised"
        )


def test_eight_threads_compile_and_run_different_modules() -> None:
    def work(n: int) -> None:
        for size in (n + 1, n + 17):
            x = np.random.default_rng(n).standard_normal((3, size)).astype(np.float32)
            np.testing.assert_allclose(Native(softmax(3, size))(x)[0], numpy_softmax(x), rtol=3e-6)
            a, b = x, x.T.copy()
            np.testing.assert_allclose(
                Native(product(3, size, 3))(a, b)[0], a @ b, rtol=2e-5, atol=1e-5
            )

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_one_object_called_from_many_threads() -> None:
    native = Native(softmax(40, 65))

    def work(n: int) -> None:
        x = np.random.default_rng(n).standard_normal((40, 65)).astype(np.float32)
        for _ in range(20):
            np.testing.assert_allclose(native(x)[0], numpy_softmax(x), rtol=3e-6)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))


def test_loading_needs_no_mlir() -> None:
    code = "import sys, tdsl.engine.load, tdsl.engine.worker; sys.exit('mlir' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
