"""Functions of libdevice, as the C library of this processor has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from mlir import ir

_PREFIX = "__nv_"

# Names of libdevice that libm does not have, as bodies over `%x`; {T} is the type.
_OWN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "rsqrt": "%one = llvm.mlir.constant(1.0 : {T}) : {T}\n"
        "%s = llvm.intr.sqrt(%x) : ({T}) -> {T}\n"
        "%r = llvm.fdiv %one, %s : {T}",
    }
)


def rename_functions(module: Any, moved: Sequence[Any]) -> None:
    """Let declarations, and calls of them, name what this processor's libm defines."""
    renamed: dict[str, str] = {}
    for operation in list(moved):
        if operation.operation.name != "llvm.func":
            continue
        name = ir.StringAttr(operation.operation.attributes["sym_name"]).value
        if name.startswith(_PREFIX):
            renamed[name] = _local(module, operation, name)

    def visit(operation: Any) -> Any:
        if operation.name == "llvm.call" and "callee" in operation.attributes:
            callee = ir.FlatSymbolRefAttr(operation.attributes["callee"]).value
            if callee in renamed:
                operation.attributes["callee"] = ir.FlatSymbolRefAttr.get(renamed[callee])
        return ir.WalkResult.ADVANCE

    for operation in moved:
        if operation.operation.name == "llvm.func":
            operation.operation.walk(visit)


def _local(module: Any, declaration: Any, name: str) -> str:
    bare = name[len(_PREFIX) :]
    single = bare.endswith("f") and bare[:-1] in _OWN
    known = bare[:-1] if single else bare
    if known not in _OWN:
        declaration.operation.attributes["sym_name"] = ir.StringAttr.get(bare)
        return bare
    type_ = "f32" if single else "f64"
    body = _OWN[known].format(T=type_)
    parsed = ir.Module.parse(
        f"llvm.func @emu.{bare}(%x: {type_}) -> {type_} {{\n{body}\nllvm.return %r : {type_}\n}}"
    )
    function = next(iter(parsed.body.operations))
    function.operation.detach_from_parent()
    module.body.append(function)
    return f"emu.{bare}"
