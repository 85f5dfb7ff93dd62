"""`tdslc FILE --emit=STAGE`: a program at one stage of its compilation."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from tdsl.check import typed
from tdsl.check.dump import dump_function, dump_program
from tdsl.cli.options import (
    BindOption,
    BoundsOption,
    ColourOption,
    ErrorFormatOption,
    FunctionOption,
    KernelsOption,
    PrecisionOption,
    TargetOption,
    Value,
    checked,
    no_such_function,
    parse_bindings,
    parse_kernels,
    require_file,
    target_errors,
)
from tdsl.cli.output import Colour, CommandError, ErrorFormat, Output, guarded, write_result
from tdsl.graph.graph import Remark
from tdsl.graph.printer import print_remark
from tdsl.lowering.device import parse_target
from tdsl.lowering.stages import STAGE_NAMES, STAGES
from tdsl.runtime.bindings import Unready, instance_without_example, unready_error
from tdsl.runtime.stages import (
    Instance,
    check_stage,
    graphs_of,
    object_code,
    remarks_of,
    stage_text,
)
from tdsl.runtime.stub import module_stub
from tdsl.syntax.dump import dump
from tdsl.syntax.parser import parse_with_warnings
from tdsl.syntax.reading import read_source

_STAGE_HELP = "  ".join(f"[bold]{stage.name}[/]: {stage.description}." for stage in STAGES)


def _complete(incomplete: str) -> list[tuple[str, str]]:
    return [(s.name, s.description) for s in STAGES if s.name.startswith(incomplete)]


def emit(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The program.")],
    stage: Annotated[
        str,
        typer.Option("--emit", metavar="STAGE", help=_STAGE_HELP, autocompletion=_complete),
    ] = "mlir",
    fn: FunctionOption = None,
    bind: BindOption = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="PATH", help="Write there.")
    ] = None,
    target: TargetOption = "cpu",
    precision: PrecisionOption = "f32",
    kernels: KernelsOption = "all",
    bounds: BoundsOption = "trap",
    remarks: Annotated[
        bool, typer.Option("--remarks", help="Say what a backend takes over, and what not and why.")
    ] = False,
    error_format: ErrorFormatOption = ErrorFormat.text,
    colour: ColourOption = Colour.auto,
) -> None:
    """Show a program at a stage of compilation. The word `emit` can be left out.

    Without --fn: every function that has an example or needs none; an example fixes the sizes,
    and without one they stay open.
    """
    output = Output.make(error_format, colour)
    with guarded(output):
        _check_stage(stage)
        chosen = parse_target(target, precision)
        kernels = parse_kernels(kernels)
        bindings = parse_bindings(bind)
        require_file(file)
        if stage == "ast":
            _write(out, _syntax(output, file))
            return
        program = checked(output, file)
        with target_errors(program):
            check_stage(stage, chosen)
        if fn is not None and fn not in program.root.functions:
            raise no_such_function(program, fn)
        if stage == "pyi":
            _write(out, module_stub(program))
            if out is not None and (out.parent / "__init__.py").exists():
                # The package has types, also for those who install it (PEP 561).
                (out.parent / "py.typed").touch()
            return
        if stage == "typed":
            _write(out, _typed(program, fn))
            return
        instances = choose_instances(output, program, fn, bindings)
        with output.progress("compiling"):
            graphs = graphs_of(program, instances)
            if remarks:
                _show_remarks(output, remarks_of(graphs, kernels, chosen))
            if stage == "obj":
                if len(graphs) != 1:
                    listed = ", ".join(instance.name for instance in instances)
                    raise CommandError(
                        "an object file holds one function",
                        f"add --fn with one of: {listed}",
                    )
                _write(out, object_code(graphs[0], kernels, bounds))
                return
            with target_errors(program):
                text = stage_text(graphs, stage, kernels, bounds, chosen)
        _write(out, text)


def _check_stage(stage: str) -> None:
    if stage not in STAGE_NAMES:
        near = difflib.get_close_matches(stage, STAGE_NAMES, 1)
        hint = f"did you mean `{near[0]}`? " if near else ""
        raise CommandError(
            f"there is no stage `{stage}`", f"{hint}stages: {', '.join(STAGE_NAMES)}"
        )


def _syntax(output: Output, file: Path) -> str:
    try:
        source = read_source(file)
    except OSError as error:
        raise CommandError(f"cannot read {file}: {error.strerror}") from None
    module, warnings = parse_with_warnings(source)
    output.diagnostics(warnings)
    return dump(module)


def _typed(program: typed.Program, name: str | None) -> str:
    if name is None:
        return dump_program(program)
    return dump_function(program.root.functions[name], program) + "\n"


def choose_instances(
    output: Output, program: typed.Program, name: str | None, bindings: Mapping[str, Value]
) -> list[Instance]:
    """What to emit: the function asked for, or all that can be; a note for the others."""
    functions = program.root.functions
    if name is None and bindings:
        name = _function_bound(program, bindings)
    if name is not None:
        return _instances(program, functions[name].signature, bindings, must=True)
    found: list[Instance] = []
    notes: list[str] = []
    unready: typed.Signature | None = None
    only_public = any(function.public for function in functions.values())
    for function in functions.values():
        signature = function.signature
        instances = _instances(program, signature, {}, must=False)
        found += instances
        if not instances:
            unready = unready or signature
            if only_public and not function.public:
                continue  # a helper, which stands in the functions that call it
            missing = instance_without_example(signature, {})
            assert isinstance(missing, Unready)
            own = signature.function.name
            notes.append(
                f"`{own}` is left out: add `--fn {own} --bind {missing.suggestion}`, or"
                f" `example {own}[{missing.suggestion}] -> …` to the program"
            )
    if not found and unready is not None:
        missing = instance_without_example(unready, {})
        assert isinstance(missing, Unready)
        raise unready_error(unready, missing)
    if not found:
        raise CommandError("the module has no function to emit")
    for note in notes:
        output.note(note)
    return found


def _function_bound(program: typed.Program, bindings: Mapping[str, Value]) -> str:
    """The only function whose parameters have all these names."""
    fitting = []
    for name, function in program.root.functions.items():
        signature = function.signature
        known = {p.name for p in signature.sizes} | {p.name for p in signature.packs}
        known |= {variable.name for variable in signature.dtypes}
        if bindings.keys() <= known:
            fitting.append(name)
    if len(fitting) == 1:
        return fitting[0]
    listed = ", ".join(fitting or program.root.functions)
    raise CommandError("--bind for which function?", f"add --fn with one of: {listed}")


def _instances(
    program: typed.Program,
    signature: typed.Signature,
    bindings: Mapping[str, Value],
    must: bool,
) -> list[Instance]:
    name = signature.function.name
    if not bindings:
        examples = [e for e in program.root.examples if e.function == name]
        if examples:
            return [
                Instance(signature, example.parameters, f"{name}_{number}" if number else name)
                for number, example in enumerate(examples)
            ]
    found = instance_without_example(signature, bindings)
    if isinstance(found, Unready):
        if must:
            raise unready_error(signature, found)
        return []
    return [Instance(signature, found, name)]


def _show_remarks(output: Output, remarks: Sequence[Remark]) -> None:
    for remark in remarks:
        output.note(print_remark(remark))


def _write(path: Path | None, content: str | bytes) -> None:
    if path is None:
        if isinstance(content, str):
            write_result(content)
            return
        if sys.stdout.isatty():
            raise CommandError("an object file is no text", "write it to a file: -o NAME.o")
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return
    try:
        if isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        else:
            path.write_bytes(content)
    except OSError as error:
        raise CommandError(f"cannot write {path}: {error.strerror}") from None
