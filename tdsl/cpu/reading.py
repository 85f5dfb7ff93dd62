"""Reading the operands of a product where they lie, converted to the type it is computed in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tdsl.cpu.writer import Index, Writer
from tdsl.lowering.claims.product import Product, Side
from tdsl.lowering.machine import Machine


class Operands(msgspec.Struct, frozen=True):
    """The memory of both operands at one index of the batch."""

    writer: Writer
    product: Product
    arguments: Sequence[tuple[str, str]]
    machine: Machine
    lanes: int
    batch: Index = 0

    @property
    def vector(self) -> str:
        return f"vector<{self.lanes}x{self.product.element}>"

    def scalar(self, side: Side, **loops: Index) -> str:
        type_ = self.arguments[side.argument][1]
        value = self.writer.op(f"memref.load {self._place(side, **loops)} : {type_}")
        return self.widened(value, side.element, "")

    def along(self, side: Side, mask: str | None, **loops: Index) -> str:
        """A vector along an operand's last axis."""
        type_ = self.arguments[side.argument][1]
        stored = f"vector<{self.lanes}x{side.element}>"
        place = self._place(side, **loops)
        if mask is None:
            value = self.writer.op(f"vector.load {place} : {type_}, {stored}")
        else:
            zero = self.writer.constant("dense<0.0>", stored)
            value = self.writer.op(
                f"vector.maskedload {place}, {mask}, {zero} : "
                f"{type_}, vector<{self.lanes}xi1>, {stored} into {stored}"
            )
        return self.widened(value, side.element, f"{self.lanes}x")

    def prefetch(self, side: Side, **loops: Index) -> None:
        """Ask for memory that is read soon; it need not be there."""
        type_ = self.arguments[side.argument][1]
        self.writer.raw(
            f"memref.prefetch {self._place(side, **loops)}, read, locality<3>, data : {type_}"
        )

    def fma(self, left: str, right: str, total: str) -> str:
        if self.machine.fma:
            return self.writer.op(f"vector.fma {left}, {right}, {total} : {self.vector}")
        product = self.writer.op(f"arith.mulf {left}, {right} : {self.vector}")
        return self.writer.op(f"arith.addf {product}, {total} : {self.vector}")

    def _place(self, side: Side, **loops: Index) -> str:
        found = [""] * len(side.axes)
        for loop, axis in side.axes.items():
            found[axis] = self.writer.index(self.batch if loop == "b" else loops[loop])
        return f"{self.arguments[side.argument][0]}[{', '.join(found)}]"

    def widened(self, value: str, stored: Any, lanes: str) -> str:
        """As the type that the product is computed in; `lanes` is `16x` for a vector."""
        element = self.product.element
        if stored == element:
            return value
        if lanes:
            source, result = f"vector<{lanes}{stored}>", f"vector<{lanes}{element}>"
        else:
            source, result = str(stored), str(element)
        return self.writer.op(f"arith.extf {value} : {source} to {result}")


def lies_along(side: Side, loop: str) -> bool:
    """Whether neighbours along this loop are neighbours in memory."""
    return side.axes[loop] == len(side.axes) - 1
