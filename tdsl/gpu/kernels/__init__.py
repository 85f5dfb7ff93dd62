"""The kernels that compute claims on a GPU, by kind and implementation."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from tdsl.gpu.kernels.attention import FusedAttention
from tdsl.gpu.kernels.matmul import Matmul
from tdsl.gpu.kernels.rows import Rows
from tdsl.lowering.kernels import Generators

GENERATORS: Final[Generators] = MappingProxyType(
    {
        "attention": MappingProxyType({"native": FusedAttention()}),
        "rows": MappingProxyType({"native": Rows()}),
        "matmul": MappingProxyType({"native": Matmul()}),
    }
)
