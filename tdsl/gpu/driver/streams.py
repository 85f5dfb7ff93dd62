"""Which stream a call uses: the one that is given, or the current one of the arrays' library."""

from __future__ import annotations

import sys
from typing import Any

_LEGACY = 1  # another name for the stream 0
_DEFAULT = (0, 2)  # of the process, and of each thread


def handle_of(stream: Any) -> int:
    """The driver's handle of a stream: a number, an object with `__cuda_stream__`, or a stream of
    PyTorch, CuPy or Numba. None is the default stream, 0."""
    if stream is None:
        return 0
    if isinstance(stream, int) and not isinstance(stream, bool):
        return _handle(stream)
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        # At first it was written as an attribute; now it is a method.
        version, handle = protocol() if callable(protocol) else protocol
        if version != 0:
            raise TypeError(f"__cuda_stream__ of version {version} is not known; this is version 0")
        return _handle(int(handle))
    for name in ("cuda_stream", "ptr", "handle"):
        handle = getattr(stream, name, None)
        if isinstance(handle, int):
            return _handle(handle)
    raise TypeError(
        f"stream= takes a stream of PyTorch or CuPy, an object with __cuda_stream__, or the driver's"
        f" handle as an int, not a {type(stream).__module__}.{type(stream).__name__}"
    )


def _handle(number: int) -> int:
    if number < 0:
        raise TypeError(f"{number} is no stream")
    return 0 if number == _LEGACY else number


def is_lasting(handle: int, ordinal: int) -> bool:
    """Whether a stream is known to be there for as long as the process is: the default ones are, and
    PyTorch never destroys one."""
    if handle in _DEFAULT:
        return True
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_available():
        return False
    return int(torch.cuda.current_stream(ordinal).cuda_stream) == handle


def current_stream(value: Any, ordinal: int) -> int | None:
    """The stream that the library of this array works on now; None where it is not known."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, getattr(torch, "Tensor", ())):
        return handle_of(int(torch.cuda.current_stream(ordinal).cuda_stream))
    cupy = sys.modules.get("cupy")
    if cupy is not None and isinstance(value, getattr(cupy, "ndarray", ())):
        return handle_of(int(cupy.cuda.get_current_stream().ptr))
    return None
