"""Backends with a pass that fails, found again by the process that a printed line starts."""

from __future__ import annotations

from typing import Any

from tdsl.lowering.backend import Backend, Pass
from tdsl.lowering.options import Options


def refuse_exponentials(module: Any, options: Options) -> None:
    """Fails on what it is given and on how it is asked, not always."""
    if "math.exp" in str(module) and not options.fuse:
        raise ValueError("no luck with math.exp")


OURS = Backend("ours", (Pass("refuse", refuse_exponentials),), found_at="replay_backends:OURS")
UPSTREAM = Backend(
    "upstream",
    (Pass("broken", "convert-func-to-llvm{no-such-option=1}"),),
    found_at="replay_backends:UPSTREAM",
)


def refuse(module: Any, options: Options) -> None:
    raise ValueError("no luck")


LATE = Backend("late", math=(Pass("refuse-late", refuse),), found_at="replay_backends:LATE")


def misuse(module: Any, options: Options) -> None:
    """Leave what is not valid, without failing."""
    from mlir import ir
    from mlir.dialects import func

    with ir.InsertionPoint(module.body):
        func.FuncOp("declared", ([], []), visibility="private")
    module.body.operations[len(module.body.operations) - 1].attributes["sym_visibility"] = (
        ir.StringAttr.get("public")
    )


def add_nothing(module: Any, options: Options) -> None:
    """A pass after it that minds nothing."""


INVALID = Backend(
    "invalid",
    math=(Pass("misuse", misuse), Pass("add-nothing", add_nothing)),
    found_at="replay_backends:INVALID",
)
