"""The builtin `dbg`: looks at a value without changing it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tdsl.ops.looking import show
from tdsl.ops.operands import array_or_number, quiet, wrap
from tdsl.ops.primitive import Builder
from tdsl.ops.table import Builtin, Checking, Given, Parameter, Typing
from tdsl.syntax.diagnostics import Help
from tdsl.types.types import TensorType

Array = np.ndarray[Any, Any]


def _rule(checking: Checking, given: Mapping[str, Given]) -> Typing:
    x = array_or_number(checking, "dbg", given["x"])
    if not isinstance(x, TensorType):
        checking.fail(
            "E0308",
            "`dbg` shows values at run time; this number is known when the program is checked",
            labels=[(given["x"].span, f"this is {checking.show(x)}")],
            helps=[Help("give it a dtype", wrap(given["x"], "f64(", ")"))],
        )
    return Typing(x, {}, {"label": given["label"].value})


def _print(x: Array, label: str) -> Array:
    show(x, label)
    return x


def _expand(builder: Builder, x: Any, label: str) -> Any:
    builder.debug(x, label)
    return x


DBG = Builtin(
    "dbg",
    "data",
    (Parameter("x", "value"), Parameter("label", "label")),
    "dbg[E: dtype(any), ...S](x: E[...S], label) -> E[...S]",
    "x itself; its type and its elements are printed to stderr under the label: by the evaluator, "
    "which runs tests, at once, and by native code, in the same order, when the call is over.",
    'dbg(f32(2.0), "two") == 2.0',
    quiet(_rule),
    _print,
    _expand,
)
