"""Lint: f64 that appears by promotion in a module that never speaks of f64."""

from __future__ import annotations

from collections.abc import Iterator

from tdsl.check import typed
from tdsl.check.report import Reporter
from tdsl.check.walk import children
from tdsl.ops.builtins import BUILTINS
from tdsl.syntax import ast
from tdsl.types.dtypes import DTYPES
from tdsl.types.types import TensorType, WeakType

_F64 = DTYPES["f64"]


def warn_of_promotion(module: typed.Module, tree: ast.Module, reporter: Reporter) -> None:
    """One warning a module, at the first such place."""
    if "f64" in tree.source.text:
        return
    for function in module.functions.values():
        for expression in _walk(function.body):
            if not isinstance(expression, typed.Apply):
                continue
            for operand in expression.operands:
                if (
                    isinstance(operand, typed.Convert)
                    and not operand.explicit
                    and operand.dtype == _F64
                    and isinstance(operand.value.type, TensorType)
                ):
                    name = BUILTINS[expression.builtin].operator or expression.builtin
                    given = " and ".join(dict.fromkeys(map(_given, expression.operands)))
                    reporter.report(
                        "W0001",
                        f"f64 appears here by promotion: `{name}` of {given} gives it",
                        expression.span,
                        "this is computed in f64",
                        notes=["f64 is half as fast or slower; a cast such as `f32(…)` avoids it"],
                    )
                    return


def _given(operand: typed.Expression) -> str:
    """What an operand was before it was promoted."""
    before = operand.value if isinstance(operand, typed.Convert) else operand
    if isinstance(before.type, TensorType):
        return before.type.dtype.name
    is_float = before.type == WeakType("float")
    return "a number with a fraction" if is_float else "a compile-time number"


def _walk(expression: typed.Expression) -> Iterator[typed.Expression]:
    pending = [expression]
    while pending:
        current = pending.pop()
        yield current
        pending += reversed(children(current))
