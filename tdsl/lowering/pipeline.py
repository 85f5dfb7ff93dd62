"""From tensors to MLIR's LLVM dialect: the pass lists under their stage names, and running them."""

from __future__ import annotations

import json
import shlex
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mlir import ir
from mlir.passmanager import PassManager

from tdsl.errors import TargetError
from tdsl.lowering.backend import DEFAULT_BACKEND, Backend, Pass
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Options
from tdsl.lowering.passes import (
    arena,
    bf16_as_integers,
    bounds,
    bufferize,
    choose_kernels,
    copies_to_linalg,
    destinations,
    donate,
    entry,
    explicit_views,
    generalise_transposes,
    keep_costly,
    keep_extrema,
    loops,
    place_kernels,
    profile,
    reassociate_sums,
    reshape_to_expand,
    reuse_operands,
    share_loops,
    substitute_kernels,
    threads,
)
from tdsl.lowering.rewriting import DYNAMIC, collect, public_function
from tdsl.lowering.sizes import INTERFACE, attach_interface
from tdsl.lowering.stages import LOWERED_STAGES, STAGE_NAMES, STAGES

__all__ = [
    "LOWERED_STAGES",
    "STAGES",
    "STAGE_NAMES",
    "LoweringError",
    "count_buffers",
    "lower",
    "lower_text",
    "pass_list",
]


class LoweringError(RuntimeError):
    """A pass that failed: a fault of this compiler, never of the program.

    `module` is the file with the module before the pass, `reproduce` the commands, one a line,
    that each show the failure again.
    """

    def __init__(self, name: str, reason: str, module: Path, reproduce: str) -> None:
        self.name, self.reason, self.module, self.reproduce = name, reason, module, reproduce
        super().__init__(
            f"the pass `{name}` failed: {reason}\nthe module before it: {module}\n{reproduce}"
        )


# Memory before arithmetic: the axis of memref.dim must still be seen to be a constant.
_TO_LLVM = (
    "lower-affine,expand-strided-metadata,lower-affine,arith-expand{include-bf16=1},"
    "convert-scf-to-cf,convert-vector-to-llvm{enable-x86vector=0},finalize-memref-to-llvm,convert-math-to-llvm,convert-math-to-libm,"
    "convert-arith-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,convert-ub-to-llvm,"
    "reconcile-unrealized-casts"
)


_BUILT = (
    *("affine", "arith", "bufferization", "cf", "func", "gpu", "linalg", "llvm", "math", "memref"),
    *("nvvm", "scf", "tensor", "ub", "vector"),
)


def pass_list(stage: str, backend: Backend) -> tuple[Pass, ...]:
    """The passes that lead to a stage from the stage before it."""

    def choose(module: Any, options: Options) -> None:
        """Decide for each claim who computes it: a kernel, BLAS, or plain loops."""
        choose_kernels.run(module, options, backend.generators, backend.machine(options))

    def substitute(module: Any, options: Options) -> None:
        """Generate the kernels, and call them where their operands and results lie."""
        substitute_kernels.run(module, options, backend.generators, backend.machine(options))

    def share(module: Any, options: Options) -> None:
        """Make functions of large loops, for threads to share."""
        share_loops.run(module, backend.machine(options).threads)

    if stage == "bufferized":
        return (
            Pass("destinations", destinations.run),
            Pass("choose-kernels", choose),
            Pass("inline-claims", "inline{default-pipeline=},symbol-dce"),
            Pass("generalise-transposes", generalise_transposes.run),
            Pass("keep-costly", keep_costly.run),
            Pass("fuse", "linalg-fuse-elementwise-ops", lambda options: options.fuse),
            Pass("place-kernels", place_kernels.run),
            Pass("reshape-to-expand", reshape_to_expand.run),
            Pass("reuse-operands", reuse_operands.run),
            Pass("bufferize", bufferize.run),
            Pass("donate", donate.run),
            Pass("restore-claims", place_kernels.restore),
        )
    if stage == "llvm":
        return (
            Pass("profile", profile.run, lambda options: options.profile),
            Pass("substitute-kernels", substitute),
            *backend.kernels,
            Pass("copies-to-linalg", copies_to_linalg.run),
            Pass("generalise", "linalg-generalize-named-ops"),
            Pass("reassociate-sums", reassociate_sums.run),
            *backend.math,
            Pass("loops", loops.run),
            Pass("arena", arena.run),
            Pass("bounds", bounds.run),
            Pass("hoist", "loop-invariant-code-motion"),
            Pass("share-loops", share),
            Pass("entry", entry.run),
            Pass("keep-extrema", keep_extrema.run),
            Pass("explicit-views", explicit_views.run),
            Pass("to-llvm", _TO_LLVM),
            Pass("profile-clock", profile.define, lambda options: options.profile),
            Pass("threads", threads.run),
            Pass("bf16-as-integers", bf16_as_integers.run, word="bf16"),
            Pass("no-alias", mark_no_alias),
        )
    if stage == "nvvm":
        return (
            Pass("copies-to-linalg", copies_to_linalg.run),
            *backend.device,
        )
    raise ValueError(f"no passes lead to `{stage}`; they lead to {', '.join(backend.stages)}")


def mark_no_alias(module: Any, options: Options) -> None:
    """Tell LLVM that inputs, results and scratch memory do not overlap."""
    for operation in module.body.operations:
        if operation.operation.name != "llvm.func":
            continue
        attributes = operation.operation.attributes
        is_body = ir.StringAttr(attributes["sym_name"]).value == entry.BODY
        if not is_body and share_loops.NO_ALIAS not in attributes:
            continue
        block = operation.regions[0].blocks[0]
        marked = []
        alone = share_loops.taken_flags(operation)
        pointer_before = False
        for argument in block.arguments:
            is_pointer = str(argument.type) == "!llvm.ptr"
            # A descriptor begins with two pointers; all accesses go through the second.
            second = is_pointer and pointer_before
            sure = second and (is_body or next(alone))
            marked.append(ir.DictAttr.get({"llvm.noalias": ir.UnitAttr.get()} if sure else {}))
            pointer_before = is_pointer and not second
        operation.operation.attributes["arg_attrs"] = ir.ArrayAttr.get(marked)


@contextmanager
def context() -> Iterator[Any]:
    """An MLIR context of its own for one module: no thread pool, no printing of errors."""
    with ir.Context(load_on_create_dialects=()) as made, ir.Location.unknown():
        # All dialects that there are would take five milliseconds. Parsers and passes load those
        # that they need; these are what passes written in Python build.
        for dialect in _BUILT:
            made.get_dialect_descriptor(dialect)
        # The modules are small: starting threads would cost more than they save.
        made.enable_multithreading(False)
        yield made


def lower(
    module: Any,
    until: str,
    options: Options,
    backend: Backend,
    interface: Interface | None = None,
) -> None:
    """Run the passes up to a stage on a module of tensors, in place."""
    if until not in backend.stages:
        raise ValueError(f"`{until}` is not made by passes of the backend {backend.name}")
    if INTERFACE not in module.operation.attributes:
        attach_interface(module, interface or _interface_of_types(module))
    original = module.operation.clone()
    text = module.operation.get_asm(assume_verified=True)
    steps = [
        step
        for stage in backend.stages[: backend.stages.index(until) + 1]
        for step in pass_list(stage, backend)
        if step.wanted(options) and step.word in text
    ]
    try:
        for step in steps:
            if step.name == "to-llvm":
                module.operation.verify()  # passes of MLIR may abort on what is not valid
            run_pass(step, module, options, verify=False)
        module.operation.verify()
    except TargetError:
        raise  # no fault of ours: the target does not have what is asked for
    except Exception as error:
        # A copy in front of every pass, and verifying after it, would cost more than most do.
        raise _failure(steps, original, options, backend, error) from error


def lower_text(
    text: str,
    until: str,
    options: Options,
    backend: Backend,
    interface: Interface | None = None,
) -> str:
    """`lower`, from text to text."""
    with context():
        module = ir.Module.parse(text)
        lower(module, until, options, backend, interface)
        return str(module)


def run_pass(step: Pass, module: Any, options: Options, verify: bool = True) -> None:
    """One step on a module, in place; what it leaves is verified, unless that is done later."""
    if isinstance(step.run, str):
        manager = PassManager.parse(f"builtin.module({step.run})")
        manager.enable_verifier(verify)
        manager.run(module.operation)
    else:
        step.run(module, options)
        if verify:
            module.operation.verify()


def _failure(
    steps: Sequence[Pass], module: Any, options: Options, backend: Backend, error: Exception
) -> LoweringError:
    """Which of the steps fails, or leaves what is not valid: by running them again with care."""
    for step in steps:
        before = module.clone()
        try:
            run_pass(step, module, options)
        except Exception as again:
            return _failed(step, before, options, backend, again)
    return _failed(steps[-1], before, options, backend, error)


def _failed(
    step: Pass, before: Any, options: Options, backend: Backend, error: Exception
) -> LoweringError:
    folder = Path(tempfile.mkdtemp(prefix="tdsl-"))
    file = folder / f"before-{step.name}.mlir"
    file.write_text(before.get_asm(enable_debug_info=True))
    commands = [_replay(step, file, options, backend)]
    if isinstance(step.run, str):
        commands.append(f"mlir-opt --pass-pipeline='builtin.module({step.run})' {file}")
    reason = str(error).strip() or type(error).__name__
    return LoweringError(step.name, reason, file, "\n".join(commands))


def _replay(step: Pass, file: Path, options: Options, backend: Backend) -> str:
    """The line for tdsl.lowering.replay, which knows every pass, upstream's and ours."""
    words = ["python", "-m", "tdsl.lowering.replay", str(file), f"--pass={step.name}"]
    if backend.found_at != DEFAULT_BACKEND:
        words.append(f"--backend={backend.found_at}")
    usual = Options().to_data()
    changed = {key: value for key, value in options.to_data().items() if value != usual[key]}
    if changed:
        words.append(f"--options={json.dumps(changed)}")
    return shlex.join(words)


def _interface_of_types(module: Any) -> Interface:
    type = ir.FunctionType(
        ir.TypeAttr(public_function(module).operation.attributes["function_type"]).value
    )

    def shapes(types: Any) -> list[list[int | None]]:
        return [
            [None if size == DYNAMIC else size for size in ir.ShapedType(one).shape]
            for one in types
        ]

    return Interface.of_shapes(shapes(type.inputs), shapes(type.results))


def count_buffers(module: Any) -> tuple[int, int]:
    """How many buffers a bufferized module allocates, and how many copies it makes."""
    found = collect(module, {"memref.alloc", "memref.copy", "linalg.copy"})
    allocations = sum(operation.name == "memref.alloc" for operation in found)
    return allocations, len(found) - allocations
