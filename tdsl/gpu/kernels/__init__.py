"""The kernels that compute claims on a GPU, by kind and implementation."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from tdsl.gpu.kernels.matmul import Matmul
from tdsl.lowering.kernels import Generators

GENERATORS: Final[Generators] = MappingProxyType(
    {
        "matmul": MappingProxyType({"native": Matmul()}),
    }
)
