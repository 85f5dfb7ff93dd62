"""Plain data as bytes: JSON, and messages of JSON, then bytes, each with its length."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

_LENGTHS = struct.Struct("<QQ")


def encoded(data: Any) -> bytes:
    """Numbers, texts, lists and dicts as JSON; a text may hold half of a surrogate pair."""
    import json  # here and below: a warm start reads one such text, and has msgspec for that

    return json.dumps(data).encode()


def decoded(text: bytes) -> Any:
    """What `encoded` was given; ValueError where this is not JSON."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        import json

        return json.loads(text)


def pack(header: Mapping[str, Any], payload: bytes = b"") -> bytes:
    text = encoded(header)
    return _LENGTHS.pack(len(text), len(payload)) + text + payload


def unpack(read: Callable[[int], bytes]) -> tuple[dict[str, Any], bytes]:
    """`read(n)` gives exactly n bytes, or raises EOFError."""
    header_length, payload_length = _LENGTHS.unpack(read(_LENGTHS.size))
    return decoded(read(header_length)), read(payload_length)
