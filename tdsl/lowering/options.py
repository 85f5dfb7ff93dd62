"""What a user can switch in the lowering: kernels per kind of claim, and each optimisation."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, get_args

import msgspec

# Kind of claim -> the implementations that a backend may offer, best first.
KERNEL_KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "attention": ("native", "loops"),
        "rows": ("native", "loops"),
        "matmul": ("native", "blas", "loops"),
        "take": ("native", "loops"),
    }
)


Bounds = Literal["trap", "clamp"]
BOUNDS: Final[tuple[Bounds, ...]] = get_args(Bounds)

Precision = Literal["f32", "tf32", "bf16", "f16"]
PRECISIONS: Final[tuple[Precision, ...]] = get_args(Precision)


class KernelsError(ValueError):
    """A `--kernels=` text that means nothing; the message says what can be written."""


def _nearest(word: str, known: tuple[str, ...]) -> str:
    from difflib import get_close_matches  # only where a word is misspelled

    close = get_close_matches(word, known, n=1)
    return f"; did you mean `{close[0]}`?" if close else ""


def _listed(words: tuple[str, ...]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


class Kernels(msgspec.Struct, frozen=True):
    """Which kinds of claim are made, and for each which implementations may be used, best first."""

    choices: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=lambda: KERNEL_KINDS)

    @staticmethod
    def all() -> Kernels:
        return Kernels(KERNEL_KINDS)

    @staticmethod
    def none() -> Kernels:
        return Kernels(MappingProxyType({}))

    @staticmethod
    def parse(text: str) -> Kernels:
        """`all`, `none`, or kinds separated by commas, each with `:implementation` if one is
        wanted: `matmul`, `matmul:blas`."""
        text = text.strip()
        if text == "all":
            return Kernels.all()
        if text == "none":
            return Kernels.none()
        kinds = tuple(KERNEL_KINDS)
        choices: dict[str, tuple[str, ...]] = {}
        for item in text.split(","):
            kind, colon, implementation = (part.strip() for part in item.partition(":"))
            if kind in ("all", "none"):
                raise KernelsError(f"--kernels={text}: `{kind}` stands alone")
            if kind not in KERNEL_KINDS:
                shown = f"no kind of kernel is called `{kind}`" if kind else "a kind is missing"
                raise KernelsError(
                    f"--kernels={text}: {shown}; write `all`, `none`, or a list of "
                    f"{', '.join(kinds)}{_nearest(kind, ('all', 'none', *kinds))}"
                )
            if kind in choices:
                raise KernelsError(f"--kernels={text}: `{kind}` is given twice")
            known = KERNEL_KINDS[kind]
            if colon and implementation not in known:
                raise KernelsError(
                    f"--kernels={text}: `{kind}` has no implementation `{implementation}`; it has "
                    f"{_listed(known)}{_nearest(implementation, known)}"
                )
            choices[kind] = (implementation,) if colon else known
        return Kernels(MappingProxyType(choices))

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of claim to look for."""
        return frozenset(self.choices)

    def implementations(self, kind: str) -> tuple[str, ...]:
        """What may replace a claim of this kind, best first; empty: leave its plain body."""
        return self.choices.get(kind, ())

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        """The text that `parse` reads back."""
        if not self.choices:
            return "none"
        if self.choices == KERNEL_KINDS:
            return "all"
        parts = []
        for kind, implementations in self.choices.items():
            whole = implementations == KERNEL_KINDS[kind]
            parts.append(kind if whole else f"{kind}:{implementations[0]}")
        return ",".join(parts)


class Options(msgspec.Struct, frozen=True):
    """Every optimisation can be switched off; results must not depend on it beyond rounding."""

    kernels: Kernels = msgspec.field(default_factory=Kernels.all)
    narrow: bool = True
    """Compute only the rows of products that are read, in the last step of a loop, too."""
    fuse: bool = True
    """Merge elementwise operations, so that a chain is one loop."""
    vector_math: bool = True
    """exp, tanh, erf … as polynomials that vectorise, not as calls of libm."""
    vectorize: bool = True
    """Let LLVM vectorise loops, and sums be added up in another order."""
    reuse_scratch: bool = True
    """Let intermediate results that do not live at the same time share memory."""
    prepack: bool = True
    """Take constant weights in the form that kernels read them in."""
    head_major: bool = True
    """Let products whose columns are read head by head write each head on its own."""
    bounds: Bounds = "trap"
    """What happens to a run-time position out of range: an IndexError, or the nearest inside."""
    precision: Precision = "f32"
    """What a GPU may round the operands of f32 matrix products to, for its tensor cores."""
    isa: str = "host"
    """The vector unit that kernels use: of this processor, or one of machine.MACHINES."""
    profile: bool = False
    """Note when each step of a call begins and ends."""
    threads: int = 0
    """How many threads a call may use: 1 makes code that never asks for another, 0 stands for as
    many as this process has (TDSL_NUM_THREADS, else the cores that it may run on)."""

    def to_data(self) -> dict[str, str | bool | int]:
        """As plain data for JSON; also what tells two compiled instances apart."""
        return {
            "kernels": str(self.kernels),
            "narrow": self.narrow,
            "fuse": self.fuse,
            "vector_math": self.vector_math,
            "vectorize": self.vectorize,
            "reuse_scratch": self.reuse_scratch,
            "prepack": self.prepack,
            "head_major": self.head_major,
            "bounds": self.bounds,
            "precision": self.precision,
            "isa": self.isa,
            "profile": self.profile,
            "threads": self.threads,
        }

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> Options:
        return Options(**{**data, "kernels": Kernels.parse(data["kernels"])})
