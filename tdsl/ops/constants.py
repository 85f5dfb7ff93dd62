"""The named constants: compile-time floats."""

from __future__ import annotations

import math
from collections.abc import Mapping

CONSTANTS: Mapping[str, float] = {"inf": math.inf, "nan": math.nan, "pi": math.pi}
