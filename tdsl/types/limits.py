"""How large arrays may be: what LLVM and MLIR abort on is refused before they see it."""

from __future__ import annotations

from typing import Final

MOST_BYTES: Final = 1 << 47
"""Of one array: products of sizes beyond this overflow inside MLIR."""
MOST_AXES: Final = 16
