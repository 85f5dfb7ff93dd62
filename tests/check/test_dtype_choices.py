"""`x.dtype == f16`: a static, decided in each instance, in the evaluator and as native code."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from check_support import check_text, only

import tdsl
from tdsl.check.calls import solve_call
from tdsl.reference.evaluate import evaluate
from tdsl.types.dtypes import of_numpy
from tdsl.types.proofs import Facts
from tdsl.types.sizes import Size
from tdsl.types.types import TensorType

TEXT = """tdsl 0.1
pub fn f[E: dtype(float), N](x: E[N]) -> E[N] {
    if x.dtype == f16 or E == bf16 { E(f32(x) * 2.0) } else if x.dtype != f64 { x * 3 } else { x }
}
fn flag[static yes: bool](x: f32) -> f32 { if yes { x } else { -x } }
pub fn known[N](x: f32[N]) -> f32 { flag[yes=x.dtype == f32](x[0]) }
pub fn through[E: dtype(any), N](x: E[N]) -> E[N] { if x.dtype == bool { x } else { flip(x) } }
"""


@pytest.mark.parametrize(
    ("dtype", "factor"),
    [(np.float16, 2), (ml_dtypes.bfloat16, 2), (np.float32, 3), (np.float64, 1)],
)
def test_each_instance_decides(dtype: Any, factor: int) -> None:
    module: Any = tdsl.loads(TEXT, name="choices")
    x = np.arange(4).astype(dtype)
    wanted = (x.astype(np.float64) * factor).astype(dtype)
    np.testing.assert_array_equal(module.f(x), wanted)
    found_dtype = of_numpy(x.dtype)
    assert found_dtype is not None
    signature = module.f._signature
    solved = solve_call(signature, [TensorType(found_dtype, (Size.of(4),))], {}, Facts())
    found = evaluate(module.f._program, signature.function, [x], solved)
    np.testing.assert_array_equal(found, wanted)


def test_what_is_known_is_known() -> None:
    module: Any = tdsl.loads(TEXT, name="choices")
    assert module.known(np.ones(2, np.float32)) == 1
    bools = np.array([True, False])
    np.testing.assert_array_equal(module.through(bools), bools)
    np.testing.assert_array_equal(module.through(np.arange(3)), [2, 1, 0])


@pytest.mark.parametrize("written", ["x.dtype == 3", "x.dtype < f32", "x == f32"])
def test_dtypes_are_compared_with_dtypes(written: str) -> None:
    text = f"fn f[N](x: f32[N]) -> f32[N] {{ if {written} {{ x }} else {{ -x }} }}\n"
    errors = [d for d in check_text(text).diagnostics if d.severity == "error"]
    assert {d.code for d in errors} == {"E0308"}
    assert "not a dtype" in errors[0].message


def test_both_branches_are_checked() -> None:
    text = "fn f[E: dtype(float), N](x: E[N]) -> E[N] { if E == f32 { f32(x) } else { x } }\n"
    assert only(check_text(text)).code == "E0207"
