"""GGUF files: what is sound is read, and nothing else."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from weights_support import gguf_file, write

import tdsl

pytest.importorskip("gguf", reason="needs `pip install gguf`")

U32, STRING, ARRAY = 4, 8, 9


def text(value: str | bytes) -> bytes:
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def entry(name: str, kind: int, value: bytes) -> bytes:
    return text(name) + struct.pack("<I", kind) + value


def place(name: str, axes: list[int], kind: int, offset: int) -> bytes:
    head = text(name) + struct.pack("<I", len(axes)) + struct.pack(f"<{len(axes)}Q", *axes)
    return head + struct.pack("<IQ", kind, offset)


def build(
    entries: tuple[bytes, ...] = (),
    places: tuple[bytes, ...] = (),
    data: bytes = b"",
    magic: bytes = b"GGUF",
    version: int = 3,
    counts: tuple[int, int] | None = None,
) -> bytes:
    tensors, values = counts or (len(places), len(entries))
    head = magic + struct.pack("<IQQ", version, tensors, values) + b"".join(entries + places)
    return head + b"\0" * (-len(head) % 32) + data


F32, Q8_0 = 0, 8
TWO = np.array([1.5, -2.0], np.float32).tobytes().ljust(32, b"\0")
GOOD = build(
    (
        entry("general.name", STRING, text("tiny")),
        entry("ids", ARRAY, struct.pack("<IQ3I", U32, 3, 7, 8, 9)),
        entry("words", ARRAY, struct.pack("<IQ", STRING, 2) + text("a") + text(b"\xff")),
    ),
    (place("x", [2], F32, 0), place("y", [2, 1], F32, 32)),
    TWO + TWO,
)
HUGE = 1 << 62
nested = struct.pack("<IQ", U32, 0)
for _ in range(5000):
    nested = struct.pack("<IQ", ARRAY, 1) + nested

HOSTILE = {
    "an empty file": (b"", "it is empty"),
    "three bytes": (b"GGU", "the four letters"),
    "another magic": (build(magic=b"GGML"), "it begins with b'GGML'"),
    "an old version": (build(version=1), "it has version 1"),
    "a new version": (build(version=4), "it has version 4"),
    "big-endian": (build(version=3 << 24), "big-endian"),
    "too many arrays": (build(counts=(HUGE, 0)), f"it says that {HUGE} arrays follow"),
    "too many entries": (build(counts=(0, (1 << 64) - 1)), "entries of metadata follow"),
    "a long name": (build((struct.pack("<Q", HUGE),), counts=(0, 1)), "says that 1 entries"),
    "a name past the end": (build((struct.pack("<Q", 4000) + b"x" * 40,)), "would reach"),
    "no name": (build((entry("", U32, struct.pack("<I", 1)),)), "the name of entry 0 has 0 bytes"),
    "a name of bytes": (
        build((text(b"\xff\xfe") + struct.pack("<II", U32, 1),)),
        "no valid UTF-8",
    ),
    "a name twice": (
        build((entry("a", U32, struct.pack("<I", 1)), entry("a", U32, struct.pack("<I", 1)))),
        "the entry `a` stands twice",
    ),
    "an unknown type": (build((entry("a", 99, b"\0" * 8),)), "`a` has the unknown type 99"),
    "a long text": (
        build((entry("a", STRING, struct.pack("<Q", HUGE)),)),
        "`a` would reach",
    ),
    "a long list": (
        build((entry("a", ARRAY, struct.pack("<IQ", U32, HUGE)),)),
        f"it says that {HUGE} items of `a` follow",
    ),
    "a long list of texts": (
        build((entry("a", ARRAY, struct.pack("<IQ", STRING, 1 << 40)),)),
        "items of `a` follow",
    ),
    "lists in lists": (build((entry("a", ARRAY, nested),)), "nested more than 4 deep"),
    "an unknown type in a list": (
        build((entry("a", ARRAY, struct.pack("<IQ", 99, 1) + b"\0" * 16),)),
        "`a` has the unknown type 99",
    ),
    "a strange alignment": (
        build((entry("general.alignment", U32, struct.pack("<I", 0)),)),
        "multiples of 0",
    ),
    "too many axes": (build(places=(place("x", [1] * 9, F32, 0),), data=TWO), "9 axes"),
    "huge axes": (build(places=(place("x", [HUGE], F32, 0),), data=TWO), "has the sizes"),
    "a product past the end": (
        build(places=(place("x", [1 << 40, 1 << 40], F32, 0),), data=TWO),
        "is it truncated",
    ),
    "an unknown kind": (build(places=(place("x", [2], 9999, 0),), data=TWO), "unknown type 9999"),
    "an offset past the end": (
        build(places=(place("x", [2], F32, 1 << 50),), data=TWO),
        "is it truncated",
    ),
    "a crooked offset": (build(places=(place("x", [2], F32, 8),), data=TWO), "no multiple of 32"),
    "an array twice": (
        build(places=(place("x", [2], F32, 0), place("x", [2], F32, 32)), data=TWO + TWO),
        "the array `x` stands twice",
    ),
    "arrays that overlap": (
        build(places=(place("x", [2], F32, 0), place("y", [2], F32, 0)), data=TWO),
        "overlaps",
    ),
    "half a block": (
        build(places=(place("x", [33], Q8_0, 0),), data=TWO * 4),
        "no multiple of the 32 of a block of Q8_0",
    ),
    "data cut short": (GOOD[:-28], "is it truncated"),
}


@pytest.mark.parametrize(("data", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = write(tmp_path / "w.gguf", data)
    with pytest.raises(tdsl.FileError) as caught:
        tdsl.gguf(path)
    assert caught.value.code == "E0705"
    assert str(caught.value).startswith(f"[E0705] cannot read `{path}` as GGUF: ")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_the_sound_one_is_read(tmp_path: Path) -> None:
    file = tdsl.gguf(write(tmp_path / "w", GOOD))
    np.testing.assert_array_equal(file["x"], [1.5, -2.0])
    assert file["y"].shape == (1, 2)
    assert file.metadata["general.name"] == "tiny"
    assert file.metadata["ids"] == [7, 8, 9]
    assert file.metadata["words"][1].encode("utf-8", "surrogateescape") == b"\xff"


@pytest.mark.parametrize("axes", [[32, 0], [0, 4], [0]])
def test_quantised_arrays_without_items(tmp_path: Path, axes: list[int]) -> None:
    data = build(places=(place("x", axes, Q8_0, 0),), data=TWO)
    file = tdsl.gguf(write(tmp_path / "w.gguf", data))
    assert file["x"].shape == tuple(axes[::-1])


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(tdsl.FileError, match="no regular file"):
        tdsl.gguf(tmp_path / "pipe")


def test_files_of_the_package_are_read(tmp_path: Path) -> None:
    arrays: dict[str, Any] = {
        "a": np.arange(24, dtype=np.float32).reshape(2, 3, 4),
        "b": np.arange(5, dtype=np.float16),
        "c": np.arange(6, dtype=np.int32).reshape(3, 2),
    }
    file = tdsl.gguf(gguf_file(tmp_path / "w.gguf", arrays))
    for name, array in arrays.items():
        np.testing.assert_array_equal(file[name], array)
        assert file[name].dtype == array.dtype
        assert not file[name].flags.writeable


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=4
    ),
    cut=st.one_of(st.none(), st.integers(0, len(GOOD))),
)
def test_mutated_files_are_refused_or_read_within_the_file(
    tmp_path: Path, changes: list[tuple[int, int]], cut: int | None
) -> None:
    data = bytearray(GOOD)
    for at, value in changes:
        data[at] = value
    path = write(tmp_path / "w", bytes(data[:cut]))
    try:
        file = tdsl.gguf(path)
    except tdsl.FileError:
        return
    for name in file:
        assert file[name].nbytes <= 8 * len(data)


def test_blocks_with_wild_scales_are_numbers_of_some_kind(tmp_path: Path) -> None:
    """A damaged block gives wrong numbers, no warning and no exception."""
    data = build(places=(place("x", [32, 3], Q8_0, 0),), data=b"\xff\x7f" * 64)
    assert tdsl.gguf(write(tmp_path / "w", data))["x"].shape == (3, 32)
