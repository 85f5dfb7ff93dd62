"""A file of weights as Python sees it: a mapping of names to arrays that are read when asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from tdsl.runtime.arrays import Array, describe_type
from tdsl.runtime.weights.stored import Stored, printable


class TensorFile(Mapping[str, Array]):
    """The arrays of a file by their names. `metadata` is what else the file says.

    What the file holds as it is comes as a read-only view of the mapped file, without a copy; what
    is quantised or compressed is computed anew each time it is asked for.
    """

    __slots__ = ("_stored", "kind", "metadata", "path")

    def __init__(
        self, path: str, kind: str, stored: Mapping[str, Stored], metadata: Mapping[str, Any]
    ) -> None:
        self.path = path
        self.kind = kind
        self.metadata = MappingProxyType(dict(metadata))
        self._stored = dict(stored)

    def __copy__(self) -> TensorFile:
        return self

    def __deepcopy__(self, memo: object) -> TensorFile:
        return self  # nothing of it can change

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(
            f"a {self.kind} file is not pickled: pass its path, or bind it and pickle the weights"
        )

    def __getitem__(self, name: str) -> Array:
        return self._stored[name].array()

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __len__(self) -> int:
        return len(self._stored)

    def __contains__(self, name: object) -> bool:
        return name in self._stored

    @property
    def title(self) -> str:
        return f"`{os.path.basename(self.path)}`"

    def names(self) -> tuple[str, ...]:
        return tuple(self._stored)

    def find(self, name: str) -> Stored | None:
        return self._stored.get(name)

    def __repr__(self) -> str:
        size = sum(stored.nbytes for stored in self._stored.values())
        return (
            f"<tdsl.{self.kind} file {self.path!r}: {len(self)}"
            f" array{'s' * (len(self) != 1)}, {size / 1e6:.1f} MB>"
        )

    def __str__(self) -> str:
        """A line for each array, as `print` shows them."""
        names = [printable(name) for name in self._stored]
        width = max(map(len, names), default=0)
        return "\n".join(
            [
                repr(self),
                *(
                    f"  {name:{width}}  {describe_type(stored.dtype, stored.shape)}"
                    + ("" if stored.is_view else f" from {stored.form}")
                    for name, stored in zip(names, self._stored.values(), strict=True)
                ),
            ]
        )
