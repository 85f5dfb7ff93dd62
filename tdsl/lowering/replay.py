"""One pass on a module file again: `python -m tdsl.lowering.replay FILE --pass=NAME`."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from mlir import ir

from tdsl.lowering.backend import DEFAULT_BACKEND, Backend, Pass
from tdsl.lowering.options import Options
from tdsl.lowering.pipeline import context, pass_list, run_pass


def find_backend(found_at: str) -> Backend:
    """The backend that `module:name` names."""
    module, _, name = found_at.partition(":")
    backend = getattr(importlib.import_module(module), name)
    if not isinstance(backend, Backend):
        raise TypeError(f"`{found_at}` is not a backend")
    return backend


def passes_of(backend: Backend) -> dict[str, Pass]:
    """Every pass of the pipeline by its name, in order."""
    return {step.name: step for stage in backend.stages for step in pass_list(stage, backend)}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the module after the pass; a pass that fails ends with its own traceback."""
    parser = argparse.ArgumentParser(
        prog="python -m tdsl.lowering.replay",
        description="Run passes of the pipeline on a module, as a failing pass has left it.",
    )
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--pass", required=True, dest="names", help="one or more names, separated by commas"
    )
    parser.add_argument("--backend", default=DEFAULT_BACKEND, help="`module:name` of the backend")
    parser.add_argument("--options", default="{}", help="those that are not as usual, as JSON")
    given = parser.parse_args(arguments)
    known = passes_of(find_backend(given.backend))
    names = given.names.split(",")
    for name in names:
        if name not in known:
            parser.error(f"no pass is called `{name}`; there are {', '.join(known)}")
    options = Options.from_data({**Options().to_data(), **json.loads(given.options)})
    with context():
        module = ir.Module.parse(given.file.read_text())
        for name in names:
            run_pass(known[name], module, options)
        sys.stdout.write(str(module) + "\n")


if __name__ == "__main__":
    main()
