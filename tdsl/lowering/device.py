"""What can be compiled for: the targets by name, and what generated code must know of a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, Literal

import msgspec
from msgspec.structs import replace

from tdsl.errors import TargetError
from tdsl.lowering.machine import Machine
from tdsl.lowering.options import PRECISIONS, Precision

SHARED_BYTES: Final = 49152


class Device(Machine, frozen=True):
    """A kind of GPU, by the name that LLVM has for it."""

    chip: str = ""
    features: str = ""
    """For LLVM. Without a version of PTX it aborts the process on instructions of newer chips."""
    shared_bytes: int = SHARED_BYTES
    """The shared memory that one block may have without asking for more."""
    warp: int = 32


def _device(chip: str, features: str) -> Device:
    return Device("portable", 16, 255, True, chip=chip, features=features)


DEVICES: Final[Mapping[str, Device]] = MappingProxyType(
    {
        chip: _device(chip, features)
        for chip, features in (
            ("sm_80", "+ptx80"),
            ("sm_86", "+ptx80"),
            ("sm_89", "+ptx80"),
            ("sm_90", "+ptx80"),
            ("sm_90a", "+ptx80"),
        )
    }
)

Kind = Literal["cpu", "nvptx", "gpu-emulator"]
DEFAULT_CHIP: Final = "sm_80"

MOST_BLOCKS: Final = (2**31 - 1, 65535, 65535)
MOST_THREADS: Final = 1024
"""Of a grid along x, y, z, and of a block: the same on all of DEVICES."""

TARGETS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cpu": "this processor",
        **{f"nvptx:{chip}": f"NVIDIA GPUs of compute capability {chip[3:]}" for chip in DEVICES},
        "gpu-emulator": "the code for a GPU, run on this processor to check it",
    }
)


class Target(msgspec.Struct, frozen=True):
    """What code is made for: this processor, a GPU, or a GPU acted out by this processor."""

    kind: Kind
    device: Device | None = None
    precision: Precision = "f32"
    """What its tensor cores may round operands of f32 to."""

    @property
    def is_gpu(self) -> bool:
        return self.device is not None

    def __str__(self) -> str:
        """The text that `parse_target` reads back."""
        if self.device is None:
            return self.kind
        rounded = "" if self.precision == "f32" else f":{self.precision}"
        return f"{self.kind}:{self.device.chip}{rounded}"


CPU_TARGET: Final = Target("cpu")


def parse_target(text: str, precision: str | None = None) -> Target:
    """`cpu`, `nvptx:sm_80`, or `gpu-emulator`, with `:sm_90` after it for another chip than sm_80.
    A precision is given by itself, or stands behind the chip: `nvptx:sm_80:tf32`."""
    whole, _, last = text.rpartition(":")
    if whole and last in PRECISIONS:
        text, precision = whole, precision or last
    target = _parse(text)
    for known in PRECISIONS:
        if (precision or "f32") == known:
            if target.device is None and known != "f32":
                raise _unknown(f"precision {known!r} is for GPUs", f"the target is {target}")
            return replace(target, precision=known)
    raise _unknown(f"there is no precision {precision!r}", f"precisions: {', '.join(PRECISIONS)}")


def _parse(text: str) -> Target:
    kind, colon, chip = text.partition(":")
    if text == "cpu":
        return CPU_TARGET
    if kind in ("nvptx", "gpu-emulator"):
        if not chip and kind == "nvptx":
            listed = ", ".join(f"nvptx:{known}" for known in DEVICES)
            raise _unknown(f"the target {text!r} does not say which GPU", f"write one of {listed}")
        if not colon:
            chip = DEFAULT_CHIP
        if chip in DEVICES:
            return Target(kind, DEVICES[chip])  # type: ignore[arg-type]  # one of two literals
        from difflib import get_close_matches  # only where a word is misspelled

        near = get_close_matches(chip, DEVICES, 1, 0.5)
        hint = f"did you mean {near[0]}? " if near else ""
        raise _unknown(f"no GPU is called {chip!r}", f"{hint}those known are {', '.join(DEVICES)}")
    from difflib import get_close_matches  # only where a word is misspelled

    near = get_close_matches(text, TARGETS, 1, 0.5)
    hint = f"did you mean {near[0]}? " if near else ""
    raise _unknown(f"there is no target {text!r}", f"{hint}targets: {', '.join(TARGETS)}")


def _unknown(message: str, hint: str) -> TargetError:
    return TargetError(f"[E0903] {message}; {hint}", code="E0903")
