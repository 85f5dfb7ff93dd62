"""`tdslc run`: call a function on arrays from files or on seeded ones, timed and judged."""

from __future__ import annotations

import contextlib
import difflib
import io
import statistics
import time
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.text import Text

from tdsl.check import typed
from tdsl.cli.options import (
    BindOption,
    BoundsOption,
    ColourOption,
    ErrorFormatOption,
    FunctionOption,
    KernelsOption,
    PrecisionOption,
    TargetOption,
    checked,
    choose_function,
    parse_bindings,
    parse_kernels,
    require_file,
)
from tdsl.cli.output import Colour, CommandError, ErrorFormat, Output, guarded
from tdsl.reference.evaluate import evaluate
from tdsl.runtime.arrays import Array
from tdsl.runtime.assembling import leaves_of
from tdsl.runtime.build import check_target
from tdsl.runtime.inputs import Inputs, seeded_inputs
from tdsl.runtime.layout import Node, arrays_of, layout_of
from tdsl.runtime.module import module_of
from tdsl.runtime.profile import Profile

# The largest error relative to the largest value that rounding explains, by bytes of a number.
_TOLERANCE = {2: 5e-2, 4: 1e-3, 8: 1e-9}


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The program.")],
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=FILE.npy | NAME=FILE.npz | FILE.npz]…",
            help="Arrays by parameter; an .npz holds several, those of a struct by dotted names."
            " The others are made up.",
        ),
    ] = None,
    fn: FunctionOption = None,
    bind: BindOption = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="For inputs that are made up.")] = 0,
    repeat: Annotated[
        int, typer.Option("--repeat", min=1, help="Calls to take the median of.")
    ] = 5,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE.npz", help="Keep the results.")
    ] = None,
    profile: Annotated[
        bool, typer.Option("--profile", help="Show where the time goes, by lines of the source.")
    ] = False,
    trace: Annotated[
        Path | None,
        typer.Option(
            "--trace",
            metavar="FILE.json",
            help="With --profile: write one call as a trace for Perfetto or chrome://tracing.",
        ),
    ] = None,
    target: TargetOption = "cpu",
    precision: PrecisionOption = "f32",
    kernels: KernelsOption = "all",
    bounds: BoundsOption = "trap",
    error_format: ErrorFormatOption = ErrorFormat.text,
    colour: ColourOption = Colour.auto,
) -> None:
    """Call a function and show its results, its time, and its error against the evaluator."""
    output = Output.make(error_format, colour)
    with guarded(output):
        target = check_target(target, precision)
        kernels = parse_kernels(kernels)
        bindings = parse_bindings(bind)
        require_file(file)
        read = _read(inputs or ())
        program = checked(output, file)
        function = choose_function(program, fn)
        signature = function.signature
        given = _by_parameter(signature, read)
        made = seeded_inputs(program, function, bindings, given, seed)
        callable_ = getattr(module_of(program, kernels, bounds, target), signature.function.name)
        with output.progress("compiling"):
            start = time.perf_counter()
            try:
                result = callable_(*made.arguments, **made.statics)
            except IndexError as problem:
                hint = "give arrays with positions that fit: NAME=FILE.npy"
                raise CommandError(str(problem), hint) from None
            first = time.perf_counter() - start
        times = []
        with _without_dbg():
            for _ in range(repeat):
                start = time.perf_counter()
                callable_(*made.arguments, **made.statics)
                times.append(time.perf_counter() - start)
        with output.progress("evaluating"):
            expected = _evaluated(output, program, signature, made)
        node = layout_of(program, signature).result
        _report(output, made, node, result, expected)
        median = statistics.median(times)
        output.results.print(
            Text(
                f"time      {_seconds(median)} (median of {repeat}),"
                f" {_seconds(first)} for the first call with compilation"
            )
        )
        if out is not None:
            _write(out, node, result)
        if profile or trace is not None:
            with output.progress("profiling"), _without_dbg():
                found = callable_.profile(*made.arguments, repeat=repeat, **made.statics)
            output.results.print(Text(f"\n{found}"), soft_wrap=True)
            if trace is not None:
                _write_trace(trace, found)


def _without_dbg() -> contextlib.AbstractContextManager[Any]:
    """The first call has printed what `dbg` looks at; once is enough."""
    return contextlib.redirect_stderr(io.StringIO())


def _read(inputs: Sequence[str]) -> dict[str, Array]:
    found: dict[str, Array] = {}

    def add(name: str, array: Array) -> None:
        if name in found:
            raise CommandError(f"the input `{name}` is given twice")
        found[name] = array

    for text in inputs:
        name, equals, path = text.partition("=")
        loaded = _load(Path(path if equals else text))
        if isinstance(loaded, np.ndarray):
            if not equals:
                raise CommandError(
                    f"{text} does not say which parameter it is", f"write NAME={text}"
                )
            add(name, loaded)
        else:
            for key, array in loaded.items():
                add(f"{name}.{key}" if equals else key, array)
    return found


def _load(path: Path) -> Array | dict[str, Array]:
    try:
        loaded: Any = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            return loaded
        with loaded:
            return {key: loaded[key] for key in loaded.files}
    except FileNotFoundError:
        raise CommandError(f"there is no file {path}") from None
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CommandError(f"cannot read arrays from {path}: {reason}") from None


def _by_parameter(signature: typed.Signature, read: Mapping[str, Array]) -> dict[str, Any]:
    """Arrays by the parameter that they belong to, under the rest of their dotted names."""
    names = [name for name, _ in signature.parameters]
    found: dict[str, Any] = {}
    for name, array in read.items():
        head, dot, rest = name.partition(".")
        if head not in names:
            near = difflib.get_close_matches(head, names, 1)
            raise CommandError(
                f"`{signature.function.name}` has no parameter `{head}`",
                f"did you mean `{near[0]}`?" if near else f"its parameters: {', '.join(names)}",
            )
        if not dot:
            found[head] = array
        elif isinstance(found.setdefault(head, {}), dict):
            found[head][rest] = array
    return found


def _named(node: Node, result: Any) -> Iterator[tuple[str, Array]]:
    return zip((a.path for a in arrays_of(node)), leaves_of(node, result), strict=True)


def _evaluated(
    output: Output, program: typed.Program, signature: typed.Signature, made: Inputs
) -> Any:
    """What the evaluator gives; None where it refuses a position that native code clamped."""
    try:
        with _without_dbg():
            return evaluate(program, signature.function, made.evaluated, made.parameters)
    except IndexError as problem:
        output.note(f"nothing to compare with, for the evaluator does not clamp: {problem}")
        return None


def _report(output: Output, made: Inputs, node: Node, result: Any, expected: Any) -> None:
    results = list(_named(node, result))
    width = max(9, *(len(name) for name, _ in (*made.shown, *results)))
    for name, array in made.shown:
        output.results.print(Text(f"{name:<{width}} {describe_array(array)}"))
    known = dict(_named(node, expected)) if expected is not None else {}
    for name, array in results:
        output.results.print(Text(f"{name:<{width}} {describe_array(array)}"))
        if (wanted := known.get(name)) is None:
            continue
        absolute, relative = difference(array, wanted)
        output.results.print(
            Text(
                f"{'':<{width}} error against the evaluator: {absolute:.1e}, {relative:.1e} relative"
            )
        )
        if not relative <= _TOLERANCE.get(array.dtype.itemsize, 0.0):
            output.warning(
                f"`{name}` differs from the evaluator by more than rounding explains; if the"
                " function is not ill-conditioned, this is a mistake in TDSL"
            )


def describe_array(array: Array) -> str:
    """`f32[2, 3]  min -1.2  mean 0.01  max 2.1  (1 NaN)`"""
    from tdsl.runtime.arrays import describe

    values = array.astype(np.float64) if array.dtype.kind != "b" else array.astype(np.int64)
    nans = int(np.isnan(values).sum())
    text = describe(array)
    if nans < values.size:
        kept = values[~np.isnan(values)]
        with np.errstate(all="ignore"):
            text += f"  min {kept.min():.4g}  mean {kept.mean():.4g}  max {kept.max():.4g}"
    return text + (f"  ({nans} NaN)" if nans else "")


def difference(found: Array, wanted: Array) -> tuple[float, float]:
    """The largest absolute error, and it relative to the largest finite value; NaN and equal
    infinities are no error where both have them, and an infinite one where only one has."""
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return float("inf"), float("inf")
    x, y = found.astype(np.float64), wanted.astype(np.float64)
    with np.errstate(all="ignore"):
        error = np.abs(x - y)
    error = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, error)
    error = np.where(np.isnan(error), np.inf, error)
    absolute = float(error.max(initial=0.0))
    scale = float(np.abs(y[np.isfinite(y)]).max(initial=0.0))
    if absolute == 0.0:
        return 0.0, 0.0
    return absolute, absolute / scale if scale else float("inf")


def _seconds(seconds: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def _write_trace(path: Path, found: Profile) -> None:
    try:
        found.trace(path)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None


def _write(path: Path, node: Node, result: Any) -> None:
    named = _named(node, result)
    arrays = {name.replace("[", "_").replace("]", ""): array for name, array in named}
    try:
        with path.open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None
