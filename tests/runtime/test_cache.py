"""The folder of compiled code: what is published is whole, what is not whole is not used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from tdsl.runtime import cache as caching
from tdsl.runtime import keys
from tdsl.runtime.cache import Cache, most_bytes, open_cache

KEY, OTHER = "a" * 64, "b" * 64
DATA = bytes(range(256)) * 5

posix = pytest.mark.skipif(os.name != "posix", reason="needs owners and modes of files")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "sub" / "code")


def test_what_was_published_is_found(cache: Cache) -> None:
    assert cache.get(KEY) is None
    assert cache.put(KEY, DATA, "a label")
    assert cache.get(KEY) == DATA
    assert cache.get(OTHER) is None
    assert [(entry.key, entry.label) for entry in cache.entries()] == [(KEY, "a label")]
    assert cache.entries()[0].bytes > len(DATA)


def test_fetch_makes_once(cache: Cache) -> None:
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        return DATA

    assert cache.fetch(KEY, "l", make) == (DATA, False)
    assert cache.fetch(KEY, "l", make) == (DATA, True)
    assert made == [1]
    assert {path.name for path in cache.folder.iterdir()} == {KEY}


def test_nothing_is_kept_of_what_fails_to_be_made(cache: Cache) -> None:
    def fail() -> bytes:
        raise LookupError

    with pytest.raises(LookupError):
        cache.fetch(KEY, "l", fail)
    assert [*cache.folder.iterdir()] == []
    assert cache.fetch(KEY, "l", lambda: DATA) == (DATA, False)


def flip(path: Path, place: int, bit: int = 0) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << bit
    path.write_bytes(data)


@pytest.mark.parametrize("bit", [0, 7])
@pytest.mark.parametrize("place", [0, 1, 255, 256, 700, -2, -1])
def test_a_flipped_bit_is_seen(cache: Cache, place: int, bit: int) -> None:
    cache.put(KEY, DATA, "l")
    flip(cache.folder / KEY / "payload", place, bit)
    assert cache.get(KEY) is None
    assert cache.fetch(KEY, "l", lambda: DATA) == (DATA, False)
    assert cache.get(KEY) == DATA


def test_no_flipped_bit_of_a_manifest_gives_other_data(cache: Cache) -> None:
    cache.put(KEY, DATA, "l")
    path = cache.folder / KEY / "manifest.json"
    good = path.read_bytes()
    for place in range(len(good)):
        for bit in (0, 3, 7):
            path.write_bytes(good)
            flip(path, place, bit)
            assert cache.get(KEY) in (None, DATA)
    digest = json.loads(good)["sha256"]
    path.write_text(good.decode().replace(digest, "0" * 64))
    assert cache.get(KEY) is None


def _short(folder: Path) -> None:
    (folder / "payload").write_bytes(DATA[:-1])


def _empty(folder: Path) -> None:
    (folder / "payload").write_bytes(b"")


def _long(folder: Path) -> None:
    (folder / "payload").write_bytes(DATA + b"x")


def _other_format(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))


def _other_key(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "key": OTHER}))


def _cut_manifest(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes()[:30])


def _odd_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text("[]")


def _huge_manifest(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(path.read_text() + " " * (1 << 17))


def _no_manifest(folder: Path) -> None:
    (folder / "manifest.json").unlink()


def _no_payload(folder: Path) -> None:
    (folder / "payload").unlink()


def _link(folder: Path) -> None:
    (folder / "payload").rename(folder / "elsewhere")
    (folder / "payload").symlink_to(folder / "elsewhere")


def _folder_for_file(folder: Path) -> None:
    (folder / "payload").unlink()
    (folder / "payload").mkdir()


@pytest.mark.parametrize(
    "spoil",
    [
        _short,
        _empty,
        _long,
        _other_format,
        _other_key,
        _cut_manifest,
        _odd_manifest,
        _huge_manifest,
        _no_manifest,
        _no_payload,
        _link,
        _folder_for_file,
    ],
)
def test_what_is_not_whole_is_made_again(cache: Cache, spoil: Callable[[Path], None]) -> None:
    cache.put(KEY, DATA, "l")
    spoil(cache.folder / KEY)
    assert cache.get(KEY) is None
    assert cache.fetch(KEY, "l", lambda: DATA[::-1]) == (DATA[::-1], False)
    assert cache.get(KEY) == DATA[::-1]
    assert {path.name for path in cache.folder.iterdir()} == {KEY}


def test_a_file_in_the_place_of_an_entry(cache: Cache) -> None:
    cache.put(OTHER, DATA, "l")
    (cache.folder / KEY).write_text("not a folder")
    assert cache.get(KEY) is None
    assert cache.fetch(KEY, "l", lambda: DATA) == (DATA, False)
    assert cache.get(KEY) == DATA


# --- trust


@posix
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_can_write_to_is_not_used(cache: Cache, mode: int) -> None:
    cache.put(KEY, DATA, "l")
    cache.folder.chmod(mode)
    assert cache.get(KEY) is None
    assert not cache.put(OTHER, DATA, "l")
    assert cache.entries() == []
    assert cache.clear() == 0
    assert cache.fetch(KEY, "l", lambda: b"new") == (b"new", False)
    cache.folder.chmod(0o700)
    assert cache.get(KEY) == DATA
    assert cache.get(OTHER) is None


@posix
def test_a_new_folder_is_closed_to_others(cache: Cache) -> None:
    before = os.umask(0)
    try:
        cache.put(KEY, DATA, "l")
    finally:
        os.umask(before)
    assert cache.folder.stat().st_mode & 0o777 == 0o700


@posix
def test_what_belongs_to_somebody_else_is_not_used(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.put(KEY, DATA, "l")
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    assert cache.get(KEY) is None
    assert not cache.put(OTHER, DATA, "l")
    assert cache.fetch(KEY, "l", lambda: b"mine") == (b"mine", False)


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs root")
def test_a_payload_of_another_user_is_not_used(cache: Cache) -> None:
    cache.put(KEY, DATA, "l")
    os.chown(cache.folder / KEY / "payload", 12345, 12345)
    assert cache.get(KEY) is None
    assert cache.fetch(KEY, "l", lambda: DATA) == (DATA, False)
    assert cache.get(KEY) == DATA


@posix
def test_a_link_in_the_place_of_the_folder_is_not_used(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, DATA, "l")
    moved = tmp_path / "moved"
    cache.folder.rename(moved)
    cache.folder.symlink_to(moved)
    assert cache.get(KEY) is None


def test_no_folder_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = Cache(tmp_path / "file" / "code")
    assert not cache.put(KEY, DATA, "l")
    assert cache.fetch(KEY, "l", lambda: DATA) == (DATA, False)
    assert cache.get(KEY) is None
    assert cache.entries() == []
    assert cache.clear() == 0


def test_a_full_disk(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    assert cache.fetch(KEY, "l", lambda: DATA) == (DATA, False)
    monkeypatch.undo()
    assert cache.get(KEY) is None
    assert [*cache.folder.iterdir()] == []


# --- several at once

_WRITER = """
import sys, hashlib
from pathlib import Path
from tdsl.runtime.cache import Cache
cache = Cache(Path(sys.argv[1]))
for number in range(60):
    key = hashlib.sha256(str(number % 6).encode()).hexdigest()
    data = bytes([number % 6]) * 20000
    if number % 7 == 3:
        cache.remove(key)
    found = cache.get(key)
    assert found is None or found == data, (key, len(found))
    assert cache.put(key, data, "l") or True
    assert cache.fetch(key, "l", lambda: data)[0] == data
"""


def test_many_processes_write_and_delete_the_same(cache: Cache) -> None:
    command = [sys.executable, "-c", _WRITER, str(cache.folder)]
    processes = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert all(len(path.name) == 64 for path in cache.folder.iterdir())
    for entry in cache.entries():
        data = cache.get(entry.key)
        assert data is not None
        assert len(data) == 20000


_MAKER = """
import sys, time
from pathlib import Path
from tdsl.runtime.cache import Cache
def make():
    with open(sys.argv[2], "a") as file:
        file.write("made\\n")
    time.sleep(0.4)
    return b"data"
assert Cache(Path(sys.argv[1])).fetch("c" * 64, "l", make)[0] == b"data"
"""


def test_one_process_makes_and_the_others_wait(cache: Cache, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    log = tmp_path / "log"
    command = [sys.executable, "-c", _MAKER, str(cache.folder), str(log)]
    processes = [subprocess.Popen(command) for _ in range(4)]
    assert [process.wait(60) for process in processes] == [0] * 4
    assert log.read_text() == "made\n"


def test_a_killed_maker_holds_nobody_up(cache: Cache, tmp_path: Path) -> None:
    log = tmp_path / "log"
    slow = _MAKER.replace("0.4", "60")
    process = subprocess.Popen([sys.executable, "-c", slow, str(cache.folder), str(log)])
    try:
        while not log.exists():
            time.sleep(0.01)
    finally:
        process.kill()
        process.wait()
    start = time.monotonic()
    assert cache.fetch("c" * 64, "l", lambda: b"data") == (b"data", False)
    assert time.monotonic() - start < 5


def test_nobody_waits_for_ever(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcntl")
    monkeypatch.setattr(caching, "_LOCK_SECONDS", 0.05)
    inside, done = threading.Event(), threading.Event()

    def slow() -> bytes:
        inside.set()
        done.wait(10)
        return DATA

    thread = threading.Thread(target=lambda: cache.fetch(KEY, "l", slow))
    thread.start()
    inside.wait(10)
    assert cache.fetch(KEY, "l", lambda: DATA) == (DATA, False)
    done.set()
    thread.join()


def test_a_file_system_without_locks(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refuse(handle: int, how: int) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    assert cache.fetch(KEY, "l", lambda: DATA) == (DATA, False)
    assert cache.get(KEY) == DATA


# --- how large it grows


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "code", most_bytes=5000)
    keys = [f"{number:064x}" for number in range(5)]
    for age, key in enumerate(keys[:4]):
        cache.put(key, DATA[:1000], "l")
        then = time.time() - 10000 + age
        os.utime(cache.folder / key / "manifest.json", (then, then))
    assert cache.get(keys[0]) is not None  # which makes it the last used
    cache.put(keys[4], DATA[:1000], "l")
    kept = {entry.key for entry in cache.entries()}
    assert keys[4] in kept
    assert keys[0] in kept
    assert keys[1] not in kept
    assert sum(entry.bytes for entry in cache.entries()) <= 4000


def test_an_entry_larger_than_the_limit_is_kept_alone(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "code", most_bytes=100)
    cache.put(KEY, DATA, "l")
    cache.put(OTHER, DATA, "l")
    assert [entry.key for entry in cache.entries()] == [OTHER]


def test_what_killed_processes_left_is_deleted_in_time(cache: Cache) -> None:
    cache.put(KEY, DATA, "l")
    old, new = cache.folder / ".new-old", cache.folder / ".new-now"
    for folder in (old, new):
        folder.mkdir()
        (folder / "payload").write_bytes(DATA)
    then = time.time() - 100_000
    os.utime(old, (then, then))
    cache.put(OTHER, DATA, "l")
    assert not old.exists()
    assert new.exists()


def test_clear_deletes_everything(cache: Cache) -> None:
    cache.put(KEY, DATA, "l")
    cache.put(OTHER, DATA, "l")
    (cache.folder / ".new-x").mkdir()
    assert cache.clear() == 3
    assert [*cache.folder.iterdir()] == []
    assert cache.clear() == 0


def test_clear_deletes_links_and_not_what_they_lead_to(cache: Cache, tmp_path: Path) -> None:
    cache.put(KEY, DATA, "l")
    other = tmp_path / "other"
    other.mkdir()
    (other / "kept").write_text("")
    (cache.folder / "link").symlink_to(other)
    assert cache.clear() == 2
    assert [*cache.folder.iterdir()] == []
    assert (other / "kept").exists()


def test_an_entry_becomes_visible_in_one_step(
    cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks while it is written sees nothing under the key."""
    seen: list[bool] = []
    write = Path.write_bytes

    def look(path: Path, data: bytes) -> int:
        seen.append((cache.folder / KEY).exists())
        written = write(path, data)
        seen.append((cache.folder / KEY).exists())
        return written

    renamed: list[str] = []
    rename = os.rename

    def note(source: Path, target: Path) -> None:
        renamed.append(Path(target).name)
        assert {one.name for one in Path(source).iterdir()} == {"manifest.json", "payload"}
        rename(source, target)

    monkeypatch.setattr(Path, "write_bytes", look)
    monkeypatch.setattr(os, "rename", note)
    assert cache.put(KEY, DATA, "l")
    assert seen
    assert not any(seen)
    assert renamed == [KEY]
    assert cache.get(KEY) == DATA


@pytest.mark.parametrize("what", ["triple", "cpu", "features"])
def test_code_for_another_processor_has_another_key(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tdsl.engine.llvm import Target

    host = Target.host()
    other = msgspec.structs.replace(host, **{what: "another"})
    monkeypatch.setattr(keys, "_compiler", list)
    monkeypatch.setattr(keys, "_target", keys._target.__wrapped__)
    first = keys.digest({})
    monkeypatch.setattr(Target, "host", staticmethod(lambda: other))
    assert keys.digest({}) != first


def test_other_libraries_have_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from tdsl.engine import libraries

    monkeypatch.setattr(keys, "_compiler", keys._compiler.__wrapped__)
    first = keys.digest({})
    monkeypatch.setattr(libraries, "library_files", lambda: (Path(__file__),))
    assert keys.digest({}) != first


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", caching.DEFAULT_BYTES),
        ("1000", 1000),
        ("512M", 512 << 20),
        ("2 GiB", 2 << 30),
        ("3gb", 3 << 30),
        ("0", 0),
        ("much", caching.DEFAULT_BYTES),
        ("-5", caching.DEFAULT_BYTES),
    ],
)
def test_sizes_in_the_environment(text: str, expected: int) -> None:
    assert most_bytes(text) == expected


def test_the_environment_chooses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TDSL_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("TDSL_CACHE_SIZE", "7K")
    cache = open_cache()
    assert cache is not None
    assert cache.folder == tmp_path / "code"
    assert cache.most_bytes == 7 << 10
    for off in ("0", "off", "No", " false "):
        monkeypatch.setenv("TDSL_CACHE", off)
        assert open_cache() is None
