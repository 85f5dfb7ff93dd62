"""Messages between a process and its compile worker: JSON, then bytes, each with its length."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping
from typing import Any

_LENGTHS = struct.Struct("<QQ")


def pack(header: Mapping[str, Any], payload: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return _LENGTHS.pack(len(text), len(payload)) + text + payload


def unpack(read: Callable[[int], bytes]) -> tuple[dict[str, Any], bytes]:
    """`read(n)` gives exactly n bytes, or raises EOFError."""
    header_length, payload_length = _LENGTHS.unpack(read(_LENGTHS.size))
    header = json.loads(read(header_length))
    return header, read(payload_length)
