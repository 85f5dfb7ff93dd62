"""Building operations of the LLVM dialect, by name and at the current insertion point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir


def build(
    name: str,
    results: Sequence[Any] = (),
    operands: Sequence[Any] = (),
    successors: Sequence[Any] = (),
    **attributes: Any,
) -> Any:
    """An operation; its first result where it has one."""
    made = ir.Operation.create(
        name,
        results=list(results),
        operands=list(operands),
        attributes=attributes,
        successors=list(successors),
        infer_type=False,
    )
    return made.results[0] if results else made


def pointer() -> Any:
    return ir.Type.parse("!llvm.ptr")


def integer_type(width: int) -> Any:
    return ir.IntegerType.get_signless(width)


def constant(value: int, width: int = 32) -> Any:
    type_ = integer_type(width)
    return build("llvm.mlir.constant", [type_], value=ir.IntegerAttr.get(type_, value))


def call(callee: str, operands: Sequence[Any], result: Any = None) -> Any:
    return build(
        "llvm.call",
        [] if result is None else [result],
        operands,
        callee=ir.FlatSymbolRefAttr.get(callee),
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([len(operands), 0]),
        op_bundle_sizes=ir.DenseI32ArrayAttr.get([]),
    )


def offset(base: Any, byte: int) -> Any:
    """The address so many bytes behind another."""
    return build(
        "llvm.getelementptr",
        [base.type],
        [base],
        rawConstantIndices=ir.DenseI32ArrayAttr.get([byte]),
        elem_type=ir.TypeAttr.get(integer_type(8)),
    )


def load(type_: Any, address: Any) -> Any:
    return build("llvm.load", [type_], [address])


def branch(target: Any) -> Any:
    return build("llvm.br", successors=[target])


def branch_if(condition: Any, then: Any, otherwise: Any) -> Any:
    return build(
        "llvm.cond_br",
        operands=[condition],
        successors=[then, otherwise],
        operandSegmentSizes=ir.DenseI32ArrayAttr.get([1, 0, 0]),
    )


def equals(value: Any, number: int, width: int) -> Any:
    zero = ir.IntegerAttr.get(integer_type(64), 0)  # the predicate `eq`
    return build("llvm.icmp", [integer_type(1)], [value, constant(number, width)], predicate=zero)


def generic_pointer(value: Any) -> Any:
    """A pointer into memory of the block as one into all memory."""
    if value.type == pointer():
        return value
    return build("llvm.addrspacecast", [pointer()], [value])


def extract(value: Any, place: int, type_: Any) -> Any:
    return build("llvm.extractvalue", [type_], [value], position=ir.DenseI64ArrayAttr.get([place]))


def insert(whole: Any, value: Any, place: int) -> Any:
    return build(
        "llvm.insertvalue", [whole.type], [whole, value], position=ir.DenseI64ArrayAttr.get([place])
    )


def undefined(type_: Any) -> Any:
    return build("llvm.mlir.undef", [type_])


def bitcast(value: Any, type_: Any) -> Any:
    return value if value.type == type_ else build("llvm.bitcast", [type_], [value])
