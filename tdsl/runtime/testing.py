"""Run the `test` blocks of a module: in the evaluator, and as native code."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import numpy as np
from msgspec.structs import replace

from tdsl.check import typed
from tdsl.reference.evaluate import run_test
from tdsl.reference.failures import AssertionFailure
from tdsl.runtime.build import build
from tdsl.runtime.calling import Plan
from tdsl.syntax.diagnostics import Diagnostic, DiagnosticError, Label
from tdsl.types.dtypes import DTYPES
from tdsl.types.types import Substitution, TensorType, TupleType, WeakType

EVALUATOR, NATIVE = "evaluator", "native"
_NOTHING = Substitution({}, {}, {})
_BOOL = DTYPES["bool"]


class Verdict(msgspec.Struct, frozen=True):
    """How one test came out; `ways` says where it ran."""

    name: str
    ways: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]

    @property
    def passed(self) -> bool:
        return not self.diagnostics


def run_tests(
    program: typed.Program, kernels: str = "all", only: str | None = None
) -> list[Verdict]:
    """Every test of the program's own module, or those whose name contains a text."""
    module = program.root
    return [
        _run(program, module, test, kernels)
        for test in module.tests
        if only is None or only in test.name
    ]


def _run(program: typed.Program, module: typed.Module, test: typed.Test, kernels: str) -> Verdict:
    failure = run_test(program, module, test)
    if failure is not None:
        return Verdict(test.name, (EVALUATOR,), (_diagnostic(test, failure),))
    try:
        failed = _native_failures(program, module, test, kernels)
    except DiagnosticError:
        return Verdict(test.name, (EVALUATOR,), ())  # something that has no native form
    return Verdict(test.name, (EVALUATOR, NATIVE), tuple(failed))


def _diagnostic(test: typed.Test, failure: AssertionFailure) -> Diagnostic:
    said = f": {failure.message}" if failure.message else ""
    return Diagnostic(
        "E0904",
        f"the test {test.name!r} fails{said}",
        (Label(failure.span, failure.label), Label(test.span)),
        failure.explanation,
    )


def _native_failures(
    program: typed.Program, module: typed.Module, test: typed.Test, kernels: str
) -> list[Diagnostic]:
    """Compile the test as a function whose results are its conditions."""
    body = test.body
    assert isinstance(body, typed.Sequence)
    assertions = [s for s in body.statements if isinstance(s, typed.Assertion)]
    if not assertions:
        return []
    conditions = tuple(_as_bool(assertion.condition) for assertion in assertions)
    span = test.span
    result = TupleType(tuple(condition.type for condition in conditions))
    bindings = tuple(s for s in body.statements if isinstance(s, typed.Binding))
    reference = typed.FunctionReference(module.name, f"test {test.name}")
    signature = typed.Signature(
        function=reference,
        sizes=(),
        packs=(),
        dtypes=(),
        parameters=(),
        result=result,
        constraints=(),
        span=span,
        parameter_spans=(),
        result_span=span,
        signature_end=span.start,
    )
    value = typed.Sequence(result, span, bindings, typed.MakeTuple(result, span, conditions))
    function = typed.Function(signature, (), False, (), value)
    changed = replace(module, functions={**module.functions, reference.name: function})
    modules = {**program.modules, module.name: changed}
    built = build(replace(program, root=changed, modules=modules), signature, _NOTHING, kernels)
    plan = Plan(
        built.code,
        (),
        [(built.literal_shape(one, {}), one.dtype.numpy) for one in built.results],
        (),
        built.scratch_bytes({}),
        list,
        built.sites,
    )
    # What `dbg` looks at comes after; the evaluator has printed it already.
    return _judge(test, assertions, plan.run([])[: len(assertions)])


def _judge(
    test: typed.Test,
    assertions: Sequence[typed.Assertion],
    results: Sequence[np.ndarray[tuple[int, ...], np.dtype[np.bool_]]],
) -> list[Diagnostic]:
    found = []
    for assertion, holds in zip(assertions, results, strict=True):
        if not np.all(holds):
            failure = AssertionFailure(
                assertion.span,
                assertion.message,
                explanation=("it holds in the evaluator, and not as native code",),
            )
            found.append(_diagnostic(test, failure))
    return found


def _as_bool(condition: typed.Expression) -> typed.Expression:
    if isinstance(condition.type, WeakType):
        type_ = TensorType(_BOOL, ())
        return typed.Convert(type_, condition.span, condition, _BOOL, False)
    return condition
