"""What each code beyond the syntax means: why, and a wrong program with the same one mended."""

from __future__ import annotations

from collections.abc import Mapping

from tdsl.syntax.explanations.calls import CALLS
from tdsl.syntax.explanations.names import NAMES
from tdsl.syntax.explanations.running import RUNNING
from tdsl.syntax.explanations.shapes import SHAPES
from tdsl.syntax.explanations.text import Explanation
from tdsl.syntax.explanations.values import VALUES

EXPLANATIONS: Mapping[str, Explanation] = {**VALUES, **SHAPES, **CALLS, **NAMES, **RUNNING}
