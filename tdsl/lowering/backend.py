"""What a backend adds to the shared passes."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, Final

import msgspec

from tdsl.lowering.kernels import Generators
from tdsl.lowering.machine import MACHINES, Machine
from tdsl.lowering.options import Options
from tdsl.lowering.stages import LOWERED_STAGES

DEFAULT_BACKEND: Final = "tdsl.cpu.backend:CPU"
"""Where replay.py looks for passes if nothing else is said."""

PythonPass = Callable[[Any, Options], None]
"""Changes a module in place."""


def always(options: Options) -> bool:
    return True


class Pass(msgspec.Struct, frozen=True):
    """One step: a pipeline of upstream's passes as text, or a function of ours."""

    name: str
    run: str | PythonPass
    wanted: Callable[[Options], bool] = always
    word: str = ""
    """Only modules in whose text, before all passes, this word stands need the step."""

    @property
    def description(self) -> str:
        """The first line of what documents it."""
        if isinstance(self.run, str):
            return self.run
        import inspect

        module = inspect.getmodule(self.run)
        text = (module.__doc__ if module else None) or self.run.__doc__ or ""
        return text.strip().splitlines()[0] if text.strip() else self.name


class Backend(msgspec.Struct, frozen=True):
    """A target of code generation: the passes that it puts in front of the loops."""

    name: str
    kernels: tuple[Pass, ...] = ()
    """Replace operations of bufferized code, marked by choose_kernels, by calls of kernels."""
    math: tuple[Pass, ...] = ()
    """Expand mathematical functions in bodies."""
    generators: Generators = msgspec.field(default_factory=lambda: MappingProxyType({}))
    """What computes claims by generated kernels."""
    machine: Callable[[Options], Machine] = lambda options: MACHINES["portable"]
    """The processor that kernels are made for."""
    device: tuple[Pass, ...] = ()
    """For a GPU: from structured operations on memory to kernels and a launch plan."""
    stages: tuple[str, ...] = LOWERED_STAGES
    """The stages that it leads through."""
    found_at: str = DEFAULT_BACKEND
    """`module:name` of this backend: where another process finds its passes again."""
