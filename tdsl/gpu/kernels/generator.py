"""What the generators of GPU kernels have in common: kernels for sizes that are all known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from tdsl.gpu.kernels.elements import plain_type
from tdsl.lowering.kernels import Kernel, KernelRequest, Refused
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import as_block


class FixedSizes(ABC):
    """A generator whose kernels read any layout."""

    @abstractmethod
    def write(
        self,
        symbol: str,
        function: Any,
        operands: Sequence[Any],
        result: Any,
        options: Options,
        aligned: frozenset[int] = frozenset(),
    ) -> Kernel:
        """The kernel of a claim for operands and a result of these types; Refused where there is
        none, whatever the layouts."""

    def accept(self, function: Any, machine: Machine, options: Options) -> None:
        block = as_block(function)
        returned = list(block.operations)[-1].operation.operands[0]
        types = [plain_type(value.type) for value in (*block.arguments, returned)]
        if any(not type_.has_static_shape for type_ in types):
            raise Refused("sizes are open")
        # Written once to see whether it can be: layouts make no difference to that.
        self.write("probe", function, types[:-1], types[-1], options)

    def unit_last(self, function: Any) -> tuple[bool, ...]:
        """Operands are read element by element where they do not lie in order."""
        return (False,) * (len(as_block(function).arguments) + 1)

    def generate(self, request: KernelRequest) -> Kernel:
        return self.write(
            request.symbol,
            request.function,
            request.operands,
            request.result,
            request.options,
            request.aligned,
        )
