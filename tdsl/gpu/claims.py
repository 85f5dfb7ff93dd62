"""The kernels that compute the claims of one program, generated where their operands lie."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlir import ir

from tdsl.gpu.places import device_type
from tdsl.lowering.kernels import (
    CALL,
    CLAIM,
    KERNEL,
    Generator,
    Generators,
    GridLaunch,
    KernelRequest,
)
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import Options
from tdsl.lowering.rewriting import functions


@dataclass(frozen=True)
class Made:
    """What computes a claim: GPU functions by name, their launches, and bytes of scratch memory."""

    functions: Mapping[str, str]
    launches: tuple[GridLaunch, ...]
    scratch: int


class Claims:
    """The claims whose bodies were set aside. Calls that ask for the same share kernels."""

    def __init__(
        self, module: Any, function: str, generators: Generators, machine: Machine, options: Options
    ) -> None:
        self._function, self._generators = function, generators
        self._machine, self._options = machine, options
        self._bodies = {
            ir.StringAttr(one.operation.attributes["sym_name"]).value: one
            for one in functions(module)
            if KERNEL in one.operation.attributes
        }
        self._made: dict[tuple[str, ...], Made] = {}

    def _body(self, operation: Any) -> tuple[str, Any]:
        name = ir.FlatSymbolRefAttr(operation.attributes[CALL]).value
        return name, self._bodies[name]

    def _generator(self, body: Any) -> tuple[str, Generator]:
        attributes = body.operation.attributes
        kind = ir.StringAttr(attributes[CLAIM]).value
        return kind, self._generators[kind][ir.StringAttr(attributes[KERNEL]).value]

    def wants(self, operation: Any) -> tuple[bool, ...]:
        """For each operand and the destination, whether its last axis must lie in order."""
        _, body = self._body(operation)
        return self._generator(body)[1].unit_last(body)

    def kernel(self, operation: Any, types: Sequence[Any], aligned: Sequence[bool]) -> Made:
        name, body = self._body(operation)
        on_device = [device_type(type_) for type_ in types]
        which = frozenset(place for place, yes in enumerate(aligned) if yes)
        found = (name, *map(str, on_device), str(sorted(which)))
        if found not in self._made:
            kind, generator = self._generator(body)
            symbol = f"{self._function}_{kind}_{len(self._made)}"
            kernel = generator.generate(
                KernelRequest(
                    kind,
                    symbol,
                    body,
                    tuple(map(ir.MemRefType, on_device[:-1])),
                    ir.MemRefType(on_device[-1]),
                    self._machine,
                    self._options,
                    aligned=which,
                )
            )
            scratch = kernel.scratch.literal if kernel.scratch is not None else 0
            assert scratch is not None, "a kernel for fixed sizes has scratch memory of fixed size"
            self._made[found] = Made({symbol: kernel.text}, kernel.launches, scratch)
        return self._made[found]


_NAME = re.compile(r"\W")


def identifier(name: str) -> str:
    """A name that PTX allows."""
    return _NAME.sub("_", name)
