"""The few operations of MLIR's LLVM dialect that are built one by one, without a class for each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlir import ir


def pointer() -> Any:
    return ir.Type.parse("!llvm.ptr")


def element(address: Any, position: int, type: Any) -> Any:
    """The address of an element of an array of this type."""
    attributes = {
        "rawConstantIndices": ir.DenseI32ArrayAttr.get([position]),
        "elem_type": ir.TypeAttr.get(type),
    }
    return _made("llvm.getelementptr", address.type, [address], attributes)


def load(type: Any, address: Any) -> Any:
    return _made("llvm.load", type, [address])


def store(value: Any, address: Any) -> None:
    ir.Operation.create("llvm.store", operands=[value, address])


def undefined(type: Any) -> Any:
    return _made("llvm.mlir.undef", type, [])


def inserted(structure: Any, part: Any, path: Sequence[int]) -> Any:
    """A structure with one part replaced."""
    attributes = {"position": ir.DenseI64ArrayAttr.get(list(path))}
    return _made("llvm.insertvalue", structure.type, [structure, part], attributes)


def to_pointer(number: Any) -> Any:
    return _made("llvm.inttoptr", pointer(), [number])


def _made(
    name: str, type: Any, operands: Sequence[Any], attributes: dict[str, Any] | None = None
) -> Any:
    made = ir.Operation.create(
        name, results=[type], operands=list(operands), attributes=attributes or {}
    )
    return made.results[0]
