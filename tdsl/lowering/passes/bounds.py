"""Record positions out of range in a status block, or (--bounds=clamp) do not look."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from mlir import ir
from mlir.dialects import arith, memref, scf

from tdsl.lowering.bounds import STATUS_WORDS, Site
from tdsl.lowering.options import Options
from tdsl.lowering.positions import CHECK
from tdsl.lowering.rewriting import (
    as_block,
    before,
    collect_unfinished,
    index,
    integer,
    public_function,
)

SITES = "tdsl.sites"


def sites_of(module: Any) -> tuple[Site, ...]:
    """What the numbers in a status block stand for; none: the code takes no status block."""
    attributes = module.operation.attributes
    if SITES not in attributes:
        return ()
    return tuple(Site(*one) for one in json.loads(ir.StringAttr(attributes[SITES]).value))


def run(module: Any, options: Options) -> None:
    """The position that is used lies inside in any case: the emitted code clamps it. The first
    violation wins; the caller raises it as an IndexError."""
    calls = [
        call
        for call in collect_unfinished(module, {"func.call"})
        if ir.FlatSymbolRefAttr(call.attributes["callee"]).value == CHECK
    ]
    if options.bounds == "trap" and calls:
        _record(module, calls)
    else:
        for call in calls:
            call.operation.erase()
    for operation in list(module.body.operations):
        attributes = operation.operation.attributes
        if "sym_name" in attributes and ir.StringAttr(attributes["sym_name"]).value == CHECK:
            operation.operation.erase()


def _record(module: Any, calls: list[Any]) -> None:
    function = public_function(module)
    block = as_block(function)
    i64 = ir.IntegerType.get_signless(64)
    status = block.add_argument(ir.MemRefType.get([STATUS_WORDS], i64), function.operation.location)
    attributes = function.operation.attributes
    arguments = [argument.type for argument in block.arguments]
    attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(arguments, []))
    if "arg_attrs" in attributes:
        kept = [*ir.ArrayAttr(attributes["arg_attrs"]), ir.DictAttr.get({})]
        attributes["arg_attrs"] = ir.ArrayAttr.get(kept)
    sites: list[Site] = []
    for call in calls:
        site = site_of(call)
        if site not in sites:
            sites.append(site)
        with before(call):
            _check(status, sites.index(site), *call.operands)
        call.operation.erase()
    text = json.dumps([msgspec.structs.astuple(site) for site in sites])
    module.operation.attributes[SITES] = ir.StringAttr.get(text)


def site_of(call: Any) -> Site:
    attributes = call.attributes

    def text(key: str) -> str:
        value: str = ir.StringAttr(attributes[key]).value if key in attributes else ""
        return value

    axis = ir.IntegerAttr(attributes["tdsl.axis"]).value
    return Site(text("tdsl.site"), text("tdsl.kind"), axis, text("tdsl.at"))


def _check(status: Any, site: int, value: Any, last: Any, size: Any) -> None:
    i64 = ir.IntegerType.get_signless(64)
    # Unsigned, so that what is negative is too large.
    outside = arith.CmpIOp(arith.CmpIPredicate.ugt, value, last).result
    choice = scf.IfOp(outside)
    with ir.InsertionPoint(choice.then_block):
        code = memref.LoadOp(status, [index(0)]).result
        first = arith.CmpIOp(arith.CmpIPredicate.eq, code, integer(0, i64)).result
        record = scf.IfOp(first)
        with ir.InsertionPoint(record.then_block):
            words = [integer(1, i64), integer(site, i64), value, last, size]
            for place, word in enumerate(words):
                memref.StoreOp(word, status, [index(place)])
            scf.YieldOp([])
        scf.YieldOp([])
