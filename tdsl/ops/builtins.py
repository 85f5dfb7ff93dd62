"""All builtins by name, and the operators that write some of them."""

from __future__ import annotations

from collections.abc import Mapping

from tdsl.ops.closeness import ALLCLOSE
from tdsl.ops.constants import CONSTANTS
from tdsl.ops.data import DATA
from tdsl.ops.debugging import DBG
from tdsl.ops.elementwise import ELEMENTWISE
from tdsl.ops.indexing import INDEXING
from tdsl.ops.products import PRODUCTS
from tdsl.ops.reductions import REDUCTIONS
from tdsl.ops.shapes import SHAPES
from tdsl.ops.table import Builtin, Structural

__all__ = ["BUILTINS", "CONSTANTS", "NAMED", "OPERATORS", "STRUCTURAL"]

BUILTINS: dict[str, Builtin] = {
    builtin.name: builtin
    for builtin in (*ELEMENTWISE, *REDUCTIONS, *PRODUCTS, *SHAPES, *DATA, *INDEXING, DBG, ALLCLOSE)
}

# What is written between or before operands; unary minus apart from the binary one.
OPERATORS: dict[str, str] = {
    "unary -" if builtin.name == "neg" else builtin.operator: builtin.name
    for builtin in BUILTINS.values()
    if builtin.operator is not None
}

# Those that are called by name, and so are words of the language.
NAMED: Mapping[str, Builtin] = {
    name: builtin for name, builtin in BUILTINS.items() if builtin.named
}

# What is called like a builtin and typed by the checker itself.
STRUCTURAL: Mapping[str, Structural] = {
    row.name: row
    for row in (
        Structural(
            "zip",
            "data",
            "zip[A, B, L](xs: [A; L], ys: [B; L]) -> [(A, B); L]",
            "A list of tuples out of two or more lists of one length: what stands at the same "
            "place in each. `fold` and `scan` walk over it.",
            "sum(stack([a * b for (a, b) in zip([i32(1), i32(2)], [i32(3), i32(4)])])) == 11",
        ),
    )
}
