"""Each kind of random program: made for a seed, run in every way, and what came of it."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from unittest import mock

import random_programs
from differential import compare, draw
from random_calls import compare_call, draw_call, opened
from random_claims import generate_claims
from random_data import generate_data
from random_edits import edited

import tdsl
import tdsl.runtime.build
from tdsl.lowering.options import Options

PROGRAMS = Path(__file__).resolve().parents[2] / "programs"


@dataclass(frozen=True)
class Outcome:
    """`what` became of a program: "same", "refused", … ; `said` where that is a fault."""

    what: str
    said: str | None = None
    text: str = ""


def _called(module: tdsl.Module, name: str, random: Random, text: str) -> Outcome:
    function = getattr(module, name)
    call = draw_call(function, random)
    if call is None:
        return Outcome("no call")
    what, said = compare_call(function, call, text, opened(function, call, random))
    return Outcome(what, said, text)


def arrays(seed: int) -> Outcome:
    """A program over arrays (random_programs.py), compiled in a random way."""
    random = Random(seed)
    program = random_programs.generate(seed, random.choice((4, 8, 8, 14)))
    how = draw(program, random)
    said = compare(program, how)
    return Outcome("wrong" if said else "same", said and f"{how}: {said}", program.text)


def data(seed: int) -> Outcome:
    """A program with structs, lists, loops and run-time positions (random_data.py)."""
    random = Random(seed)
    text = generate_data(seed, random.choice((2, 3, 5)))
    module = tdsl.loads(text, kernels=random.choice(("all", "none")))
    return _called(module, "f", random, text)


@cache
def _written() -> tuple[str, ...]:
    return tuple(path.read_text() for path in sorted(PROGRAMS.glob("*.tdsl")))


def edit(seed: int) -> Outcome:
    """A program with one random edit: refused by a diagnostic, or it still agrees."""
    random = Random(seed)
    form = random.random()
    if form < 0.4:
        text = random_programs.generate(seed, random.choice((4, 8))).text
    elif form < 0.8:
        text = generate_data(seed, random.choice((1, 2, 3)))
    else:
        text = random.choice(_written())
    start = max(text.find("pub fn f"), text.find("\n\n"), 0)
    text = edited(text, random, start)
    try:
        module = tdsl.loads(text, kernels=random.choice(("all", "none")))
    except tdsl.CompileError as error:
        # The message itself must be one: with a code, and a place in the text.
        said = None if error.diagnostics and "E" in str(error) else f"no diagnostic: {error!r}"
        return Outcome("refused", said, text)
    names = [name for name in module.__all__ if isinstance(getattr(module, name), tdsl.Function)]
    if not names:
        return Outcome("no call")
    try:
        return _called(module, random.choice(names), random, text)
    except tdsl.CompileError:
        return Outcome("refused", None, text)


def claims(seed: int) -> Outcome:
    """A program near what kernels are put in place of (random_claims.py)."""
    random = Random(seed)
    text = generate_claims(seed)
    module = tdsl.loads(text, kernels=random.choice(("all", "all", "all", "all", "none")))
    chosen = partial(Options, isa=random.choice(("host", "host", "avx2", "portable")))
    with mock.patch.object(tdsl.runtime.build, "Options", chosen):
        return _called(module, "f", random, text)


KINDS: dict[str, Callable[[int], Outcome]] = {
    "arrays": arrays,
    "data": data,
    "edits": edit,
    "claims": claims,
}


def outcome(kind: str, seed: int) -> Outcome:
    """What becomes of the program of a seed; anything raised is a fault."""
    try:
        return KINDS[kind](seed)
    except Exception:
        return Outcome("fault", traceback.format_exc(limit=-5))
