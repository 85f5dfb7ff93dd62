"""Safetensors files: what is sound is read, and nothing else."""

from __future__ import annotations

import copy
import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from weights_support import safetensors_bytes, with_header, write

import tdsl

GOOD = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "b": np.arange(4, dtype=np.int64),
    "c": np.array(2.5),
}
BYTES = safetensors_bytes(GOOD, {"format": "np"})


def header_of(data: bytes) -> dict[str, Any]:
    return json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])


def with_entry(name: str, **changes: Any) -> bytes:
    header = header_of(BYTES)
    header[name] = {**header.get(name, {}), **changes}
    return with_header(header, b"".join(array.tobytes() for array in GOOD.values()))


DATA = b"".join(array.tobytes() for array in GOOD.values())
F32 = {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
HOSTILE = {
    "an empty file": (b"", "it is empty"),
    "seven bytes": (BYTES[:7], "it has 7 bytes"),
    "a header cut short": (BYTES[:30], "the header would reach"),
    "data cut short": (BYTES[:-1], "is it truncated"),
    "bytes that follow": (BYTES + b"x", "1 bytes at its end belong to no array"),
    "a huge header": ((1 << 63).to_bytes(8, "little") + BYTES[8:], "the most are 100000000"),
    "a negative header": (b"\xff" * 8 + BYTES[8:], "the most are 100000000"),
    "no brace": (with_header(b" {}", b""), "does not begin with `{`"),
    "no JSON": (with_header(b"{oops}", b""), "not valid JSON"),
    "no UTF-8": (with_header(b'{"\xff": 1}', b""), "not valid JSON"),
    "deep JSON": (with_header(b'{"a":' + b"[" * 200_000, b""), "not valid JSON"),
    "a long number": (with_header(b'{"a": ' + b"9" * 5000 + b"}", b""), "a number that is none"),
    "a name twice": (
        with_header(f'{{"a": {json.dumps(F32)}, "a": {json.dumps(F32)}}}'.encode(), DATA[:24]),
        "`a` stands twice",
    ),
    "an unknown dtype": (with_entry("a", dtype="F99"), "the unknown dtype `F99`"),
    "a dtype that is a number": (with_entry("a", dtype=3), "the unknown dtype `3`"),
    "no dtype": (with_header({"a": {"shape": [], "data_offsets": [0, 0]}}, b""), "needs `dtype`"),
    "an entry that is a list": (with_header({"a": []}, b""), "needs `dtype`"),
    "a negative size": (with_entry("a", shape=[-2, -3]), "no list of sizes"),
    "a size with a fraction": (with_entry("a", shape=[2.0, 3]), "no list of sizes"),
    "a size that is true": (with_entry("a", shape=[True, 6]), "no list of sizes"),
    "a huge size": (with_entry("a", shape=[1 << 62, 1 << 62]), "and its offsets hold 24"),
    "a product that would wrap": (with_entry("a", shape=[1 << 32, 1 << 32]), "offsets hold 24"),
    "too many axes": (with_entry("a", shape=[1] * 40), "40 axes"),
    "negative offsets": (with_entry("a", data_offsets=[-24, 0]), "no two positions"),
    "offsets turned round": (with_entry("a", data_offsets=[24, 0]), "its offsets hold -24"),
    "offsets past the end": (with_entry("c", data_offsets=[56, 1 << 40]), "its offsets hold"),
    "an array past the end": (
        with_header({"a": {"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}}, DATA[:24]),
        "is it truncated",
    ),
    "arrays that overlap": (with_entry("b", data_offsets=[0, 32]), "overlaps"),
    "a hole": (
        with_header({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}}, DATA[:8]),
        "4 bytes before `a` belong to no array",
    ),
    "metadata that is no text": (with_header({"__metadata__": {"a": 1}}, b""), "hold texts"),
}


@pytest.mark.parametrize(("data", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_files_are_refused(tmp_path: Path, data: bytes, message: str) -> None:
    path = write(tmp_path / "w.safetensors", data)
    with pytest.raises(tdsl.FileError) as caught:
        tdsl.safetensors(path)
    assert caught.value.code == "E0705"
    assert caught.value.path == str(path)
    assert str(caught.value).startswith(f"[E0705] cannot read `{path}` as safetensors: ")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_the_sound_one_is_read(tmp_path: Path) -> None:
    file = tdsl.safetensors(write(tmp_path / "w", BYTES))
    for name, array in GOOD.items():
        np.testing.assert_array_equal(file[name], array)
        assert file[name].dtype == array.dtype
    assert len(file) == 3
    assert "c" in file
    assert "d" not in file
    with pytest.raises(KeyError):
        file["d"]
    assert str(file).splitlines()[1:] == ["  a  f32[2, 3]", "  b  i64[4]", "  c  f64"]


def test_names_cannot_steer_a_terminal(tmp_path: Path) -> None:
    name = "a\x1b[2Jb\n\ud800"
    path = write(tmp_path / "w", safetensors_bytes({name: GOOD["a"]}))
    file = tdsl.safetensors(path)
    assert name in file
    assert "a\\x1b[2Jb\\n\\ud800" in str(file)
    module = tdsl.loads("tdsl 0.1\npub struct P[N] { x: f32[N] }\n")
    with pytest.raises(tdsl.BindError) as caught:
        module.P.bind(file)
    assert "unknown `a\\x1b[2Jb\\n\\ud800`" in str(caught.value)
    with pytest.raises(tdsl.FileError, match=r"`a\\x1b` needs `dtype`"):
        tdsl.safetensors(write(path, with_header({"a\x1b": {}}, b"")))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"version https://git-lfs.github.com/spec/v1\noid", "git lfs pull"),
        (b"GGUF\3\0\0\0" + b"\0" * 16, r"tdsl\.gguf\(path\)"),
        (b"PK\3\4" + b"\0\0\x08\x08" * 9, r"torch\.load\(path, weights_only=True\)"),
        (b"\x80\x02}q\0(X\5\0\0\0hello", "it is a pickle, which is not run"),
        (b"\x93NUMPY\1\0v\0{'descr': '<f4'", r"np\.load"),
        (b"\x89HDF\r\n\x1a\n" + b"\0" * 9, "h5py"),
        (b'{"metadata": {}, "weight_map": {}}', r"tdsl\.safetensors\(\*paths\)"),
        (b"<!DOCTYPE html><html></html>", "a web page"),
    ],
)
@pytest.mark.parametrize("kind", ["safetensors", "gguf", "npz"])
def test_files_of_other_kinds_are_known(tmp_path: Path, kind: str, data: bytes, told: str) -> None:
    if kind == "gguf":
        pytest.importorskip("gguf", reason="needs `pip install gguf`")
        data = data.replace(b"GGUF\3", b"GGUF\1")
        told = "has version 1" if data.startswith(b"GGUF") else told
    path = write(tmp_path / "model.bin", data)
    with pytest.raises(tdsl.FileError, match=told):
        getattr(tdsl, kind)(path)


def test_a_safetensors_file_read_as_another(tmp_path: Path) -> None:
    path = write(tmp_path / "model.bin", BYTES)
    with pytest.raises(tdsl.FileError, match=r"tdsl\.safetensors\(path\)"):
        tdsl.npz(path)


def test_files_are_copied_by_name_only(tmp_path: Path) -> None:
    file = tdsl.safetensors(write(tmp_path / "model.safetensors", BYTES))
    assert copy.copy(file) is copy.deepcopy({"file": file})["file"] is file
    with pytest.raises(TypeError, match="pass its path"):
        pickle.dumps(file)


def test_a_model_in_several_files(tmp_path: Path) -> None:
    parts = [write(tmp_path / n, safetensors_bytes({n: GOOD[n]}, {n: "x"})) for n in "ab"]
    file = tdsl.safetensors(*parts)
    assert set(file) == {"a", "b"}
    assert file.metadata == {"a": "x", "b": "x"}
    np.testing.assert_array_equal(file["b"], GOOD["b"])
    with pytest.raises(tdsl.FileError, match="it holds `a`, and so does a file before it"):
        tdsl.safetensors(*parts, parts[0])


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        tdsl.safetensors(tmp_path / "nothing")
    with pytest.raises(IsADirectoryError):
        tdsl.safetensors(tmp_path)
    with pytest.raises(tdsl.FileError, match="no regular file"):
        tdsl.safetensors(os.devnull)
    os.mkfifo(tmp_path / "pipe")
    for read in (tdsl.safetensors, tdsl.npz):
        with pytest.raises(tdsl.FileError, match="no regular file"):
            read(tmp_path / "pipe")


def test_nothing_times_something_huge(tmp_path: Path) -> None:
    entry = {"dtype": "F32", "shape": [0, 1 << 61, 1 << 61], "data_offsets": [0, 0]}
    file = tdsl.safetensors(write(tmp_path / "w", with_header({"a": entry}, b"")))
    with pytest.raises(tdsl.FileError, match="an empty array"):
        file["a"]


def outcome(path: Path) -> dict[str, np.ndarray] | None:
    """All arrays; None for a file that is refused. Whatever else is raised is a fault."""
    try:
        file = tdsl.safetensors(path)
    except tdsl.FileError:
        return None
    return {name: file[name].copy() for name in file}


def reference(path: Path) -> dict[str, np.ndarray] | None:
    numpy_files = pytest.importorskip("safetensors.numpy", reason="needs `pip install safetensors`")
    try:
        return numpy_files.load_file(path)  # type: ignore[no-any-return]
    except Exception:
        return None


mutations = st.lists(
    st.tuples(st.integers(0, len(BYTES) - 1), st.integers(0, 255)), min_size=1, max_size=4
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(changes=mutations, cut=st.one_of(st.none(), st.integers(0, len(BYTES))))
def test_mutated_files_are_as_in_the_reference_library(
    tmp_path: Path, changes: list[tuple[int, int]], cut: int | None
) -> None:
    data = bytearray(BYTES)
    for place, value in changes:
        data[place] = value
    path = write(tmp_path / "w", bytes(data[:cut]))
    ours, theirs = outcome(path), reference(path)
    if theirs is None:
        assert ours is None
    elif ours is not None:
        assert ours.keys() == theirs.keys()
        for name, array in ours.items():
            assert array.tobytes() == theirs[name].tobytes()
            assert array.shape == theirs[name].shape


numbers = st.one_of(
    st.integers(-(1 << 70), 1 << 70), st.integers(-2, 70), st.floats(), st.booleans(), st.none()
)
entries = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["F32", "F64", "I8", "BOOL", "BF16", "F4", "", None, 7]),
        "shape": st.one_of(st.lists(numbers, max_size=4), numbers),
        "data_offsets": st.one_of(st.lists(numbers, max_size=3), numbers),
    }
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    header=st.dictionaries(st.text(max_size=6), entries, max_size=3), data=st.binary(max_size=64)
)
def test_wild_headers_are_refused_or_read_within_the_file(
    tmp_path: Path, header: dict[str, Any], data: bytes
) -> None:
    path = write(tmp_path / "w", with_header(header, data))
    found = outcome(path)
    if found is not None:
        assert sum(array.nbytes for array in found.values()) == len(data)
