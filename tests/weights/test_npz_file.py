"""`.npz` files: numbers are read, pickles and damage are refused."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from weights_support import write

import tdsl


def member(array: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, np.asarray(array), **options)
    return file.getvalue()


def archive(members: list[tuple[str, bytes]], compression: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as made:
        for name, data in members:
            made.writestr(name, data)
    return file.getvalue()


ONES = member(np.ones(3, np.float32))
GOOD = archive([("a.npy", ONES), ("b.npy", member(np.arange(6).reshape(2, 3)))])


class Bomb:
    """What runs when it is unpickled."""

    def __reduce__(self) -> Any:
        return (exec, ("raise SystemExit('unpickled')",))


def described(text: str, size: int) -> bytes:
    """An array whose header is this text."""
    head = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head + b"\0" * size


def lying(items: int) -> bytes:
    """An archive whose directory says that its one member unpacks to what its header asks for."""
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({items},), }}"
    data = bytearray(archive([("a.npy", described(text, 4))], zipfile.ZIP_DEFLATED))
    length = struct.pack("<I", len(described(text, 0)) + 4 * items)
    data[22:26] = length
    at = data.find(b"PK\1\2") + 24
    data[at : at + 4] = length
    return bytes(data)


def shaped(shape: str) -> bytes:
    text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    return archive([("a.npy", described(text, 4))])


HUGE = "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 1099511627776), }"
HOSTILE = {
    "no archive": (b"hello", "no sound zip archive"),
    "nothing": (b"", "no sound zip archive"),
    "cut short": (GOOD[:-30], "no sound zip archive"),
    "no array": (archive([("a.txt", b"hello")]), "`a.txt` in it is no array"),
    "another magic": (archive([("a.npy", b"hello" * 9)]), "the header of `a` is wrong"),
    "pickled objects": (
        archive([("a.npy", member(np.array([Bomb()]), allow_pickle=True))]),
        "would have to be unpickled",
    ),
    "a huge shape": (archive([("a.npy", described(HUGE, 12))]), "and 12 are there"),
    "a negative shape": (
        archive([("a.npy", described(HUGE.replace("1099511627776", "-1"), 4))]),
        "has the shape (-1, -1)",
    ),
    "a header that is a program": (
        archive([("a.npy", described("__import__('os').abort()", 4))]),
        "the header of `a` is wrong",
    ),
    "a length that cannot be": (lying(1_000_000_000), "would have 4000000128 bytes, made of"),
    "a shape of a truth": (shaped("(True,)"), "has the shape (True,)"),
    "too many axes": (shaped(str((1,) * 33)), "has the shape (1, 1,"),
    "nothing times something huge": (
        archive([("a.npy", described(HUGE.replace("1099511627776, 1", f"0, {1 << 62}"), 0))]),
        "is an empty array",
    ),
    "data cut short": (archive([("a.npy", ONES[:-1])]), "and 11 are there"),
    "data that follow": (archive([("a.npy", ONES + b"x")]), "and 13 are there"),
    "a name twice": (archive([("a.npy", ONES), ("b.npy", ONES)]).replace(b"b.npy", b"a.npy"), "a"),
}


@pytest.mark.parametrize(("data", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    with pytest.raises(tdsl.FileError) as caught:
        tdsl.npz(write(tmp_path / "w.npz", data))
    assert caught.value.code == "E0705"
    assert message in str(caught.value)


def test_zeros_may_be_packed_to_a_thousandth(tmp_path: Path) -> None:
    path = tmp_path / "w.npz"
    np.savez_compressed(path, a=np.zeros(1 << 20, np.float32))
    assert path.stat().st_size < 1 << 13
    assert tdsl.npz(path)["a"].shape == (1 << 20,)


def test_the_sound_one_is_read(tmp_path: Path) -> None:
    file = tdsl.npz(write(tmp_path / "w.npz", GOOD))
    np.testing.assert_array_equal(file["a"], np.ones(3, np.float32))
    np.testing.assert_array_equal(file["b"], np.arange(6).reshape(2, 3))


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_a_flipped_bit_in_the_data_is_seen(tmp_path: Path, compression: int) -> None:
    data = bytearray(archive([("a.npy", member(np.arange(999.0)))], compression))
    data[len(data) // 2] ^= 1
    with pytest.raises(tdsl.FileError, match=r"damaged|wrong"):
        tdsl.npz(write(tmp_path / "w.npz", bytes(data)))["a"]


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    changes=st.lists(
        st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=3
    )
)
def test_mutated_files_are_refused_or_read(tmp_path: Path, changes: list[tuple[int, int]]) -> None:
    data = bytearray(GOOD)
    for at, value in changes:
        data[at] = value
    try:
        file = tdsl.npz(write(tmp_path / "w.npz", bytes(data)))
        for name in file:
            assert file[name].nbytes < 1000
    except tdsl.FileError:
        pass
