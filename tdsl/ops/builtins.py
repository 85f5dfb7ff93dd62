"""All builtins by name, the operators that write some of them, and what later versions add."""

from __future__ import annotations

from collections.abc import Mapping

from tdsl.ops.closeness import ALLCLOSE
from tdsl.ops.constants import CONSTANTS
from tdsl.ops.data import DATA
from tdsl.ops.elementwise import ELEMENTWISE
from tdsl.ops.products import PRODUCTS
from tdsl.ops.reductions import REDUCTIONS
from tdsl.ops.shapes import SHAPES
from tdsl.ops.table import Builtin

__all__ = ["BUILTINS", "CONSTANTS", "LATER", "OPERATORS"]

BUILTINS: dict[str, Builtin] = {
    builtin.name: builtin
    for builtin in (*ELEMENTWISE, *REDUCTIONS, *PRODUCTS, *SHAPES, *DATA, ALLCLOSE)
}

# What is written between or before operands; unary minus apart from the binary one.
OPERATORS: dict[str, str] = {
    "unary -" if builtin.name == "neg" else builtin.operator: builtin.name
    for builtin in BUILTINS.values()
    if builtin.operator is not None
}

# Builtins of the language that this version refuses, with what they will do.
LATER: Mapping[str, str] = {
    "take": "gathers rows by run-time indices",
    "slice": "cuts a box out at a run-time start",
    "update": "puts a box in at a run-time start",
    "zip": "iterates over several lists at once",
    "dbg": "prints a value at run time",
}
