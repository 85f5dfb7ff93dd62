"""Find NVIDIA's assembler `ptxas`, and read what it says of kernels. No GPU is needed for it."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path


def find() -> str | None:
    """The program of the wheel `nvidia-cuda-nvcc` (extra `gpu`), else one on the path."""
    package = importlib.util.find_spec("nvidia")
    for place in package.submodule_search_locations or () if package is not None else ():
        for found in sorted(Path(place).glob("cu*/bin/ptxas")):
            return str(found)
    return shutil.which("ptxas")


def version(ptxas: str) -> str:
    said = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True).stdout
    (found,) = re.findall(r"V(\d+\.\d+\.\d+)", said)
    return str(found)


@dataclass(frozen=True)
class Use:
    """What one kernel takes of a multiprocessor."""

    registers: int
    shared_bytes: int
    spilled_bytes: int


class Assembly:
    """One run of the assembler, which goes on until somebody asks for the result."""

    def __init__(self, ptxas: str, ptx: Path, chip: str) -> None:
        self._chip = chip
        self._process = subprocess.Popen(
            [ptxas, "-v", f"-arch={chip}", str(ptx), "-o", str(ptx.with_suffix(f".{chip}"))],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def uses(self) -> dict[str, Use]:
        said, _ = self._process.communicate()
        assert self._process.returncode == 0, said
        found: dict[str, Use] = {}
        for part in said.split("Compiling entry function '")[1:]:
            name = part[: part.index("'")]
            spills = re.findall(r"(\d+) bytes spill (?:stores|loads)", part)
            registers = re.findall(r"Used (\d+) registers", part)
            shared = re.findall(r"(\d+) bytes smem", part)
            assert registers, part
            found[name] = Use(
                int(registers[0]), int(shared[0]) if shared else 0, sum(map(int, spills))
            )
        return found
