"""Operators have no names that could be called, and defaults take the dtype that a call fixes."""

from __future__ import annotations

import pytest
from check_support import check_text, only

from tdsl.check import typed
from tdsl.ops.builtins import BUILTINS, NAMED


@pytest.mark.parametrize("name", sorted(set(BUILTINS) - set(NAMED)))
def test_the_name_of_an_operator_is_free_and_means_nothing(name: str) -> None:
    found = only(check_text(f"fn f[N](x: f32[N]) -> f32[N] {{ {name}(x, x) }}"))
    assert found.code == "E0801"
    assert (
        f"`{BUILTINS[name].operator}`" in found.helps[0].text
        or "`@`" in found.helps[0].text
        or ("x ** y" in found.helps[0].text)
    )
    defined = f"fn {name}[N](x: f32[N], y: f32[N]) -> f32[N] {{ x * y }}\n"
    use = f"fn f[N](x: f32[N]) -> f32[N] {{ {name}(x, x.{name}(x)) }}"
    assert check_text(defined + use).diagnostics == ()


@pytest.mark.parametrize("dtype", ["f64", "f32", "f16", "bf16"])
def test_a_default_takes_the_dtype_of_the_other_arguments(dtype: str) -> None:
    text = f"""
fn scaled[E: dtype(float), N](x: E[N], factor: E = 0.5) -> E[N] {{ x * factor }}
fn f[N](x: {dtype}[N]) -> {dtype}[N] {{ scaled(x) + scaled(x, 2.0) }}
"""
    result = check_text(text)
    assert result.diagnostics == ()
    assert result.program is not None
    body = result.program.root.functions["f"].body
    assert isinstance(body, typed.Apply)
    for call, factor in zip(body.operands, (0.5, 2.0), strict=True):
        assert isinstance(call, typed.CallFunction)
        given = call.arguments[1]
        assert isinstance(given, typed.Convert)
        assert str(given.dtype) == dtype
        assert isinstance(given.value, typed.Number)
        assert given.value.value == factor
