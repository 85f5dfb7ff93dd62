"""Arrays of other frameworks, as type checkers see them: `tdsl.Tensor`."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias


class _Torch(Protocol):
    """What `torch.Tensor` has and no array of NumPy."""

    @property
    def requires_grad(self) -> bool: ...

    def __dlpack__(self, *arguments: Any, **keywords: Any) -> Any: ...


class _Jax(Protocol):
    """What `jax.Array` has and no array of NumPy."""

    def block_until_ready(self) -> Any: ...

    def __dlpack__(self, *arguments: Any, **keywords: Any) -> Any: ...


Tensor: TypeAlias = _Torch | _Jax
