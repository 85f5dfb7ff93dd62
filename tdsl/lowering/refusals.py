"""Which claims no kernel takes, and why: remarks for `--remarks`."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir

from tdsl.graph.graph import Claim, Graph, Remark
from tdsl.lowering.backend import Backend
from tdsl.lowering.emit import emit_module, names_of_claims
from tdsl.lowering.kernels import Refused
from tdsl.lowering.options import Options
from tdsl.lowering.pipeline import context
from tdsl.lowering.rewriting import functions


def refusals(
    graph: Graph, claims: Sequence[Claim], options: Options, backend: Backend
) -> list[Remark]:
    """For each claim that its generators refuse, the reason of each."""
    found: list[Remark] = []
    machine = backend.machine(options)
    with context():
        module = ir.Module.parse(emit_module(graph, claims, locations=False))
        bodies = {
            ir.StringAttr(function.operation.attributes["sym_name"]).value: function
            for function in functions(module)
        }
        for claim, name in zip(claims, names_of_claims(graph, claims), strict=True):
            reasons: list[str] = []
            for implementation in options.kernels.implementations(claim.kind):
                generator = backend.generators.get(claim.kind, {}).get(implementation)
                if generator is None:
                    break
                try:
                    generator.accept(bodies[name], machine, options)
                except Refused as refused:
                    reasons.append(str(refused))
                else:
                    reasons.clear()
                    break
            if reasons:
                reason = f"no kernel takes what was claimed: {'; '.join(reasons)}"
                found.append(Remark(claim.kind, claim.root.span, False, reason))
    return found
