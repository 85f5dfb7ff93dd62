"""Compiled code on disk: entries that are published whole, checked before use, and never needed."""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import msgspec

from tdsl.engine.framing import decoded, encoded
from tdsl.syntax.own_files import belongs_to_us, cache_folder, is_closed, read_own

# Counts up when the shape of entries changes.
_FORMAT: Final = 1
_MANIFEST, _PAYLOAD = "manifest.json", "payload"
_MOST_MANIFEST: Final = 1 << 16
_KEY_LENGTH: Final = 64
# Of an entry: its time of last use is written again only when it is older than this, in seconds.
_FRESH: Final = 3600
# How long to wait for another process that compiles the same: more than that and it hangs, or its
# lock cannot be relied on.
_LOCK_SECONDS: Final = 60.0
_LEFTOVER_SECONDS: Final = 3600
DEFAULT_BYTES: Final = 1 << 30
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Entry(msgspec.Struct, frozen=True):
    """One entry as its manifest describes it."""

    key: str
    label: str
    bytes: int
    used: float  # seconds since the epoch


class Cache:
    """Bytes under keys, in folders `KEY` with a manifest and a payload.

    Whatever is wrong with an entry, it is as if it was not there; whatever is wrong with the folder,
    nothing is kept. No method raises OSError. A folder is trusted that belongs to this user and that
    others cannot write to, since what lies in it will run.
    """

    def __init__(self, folder: Path, most_bytes: int = DEFAULT_BYTES) -> None:
        self.folder = folder
        self.most_bytes = most_bytes

    def fetch(self, key: str, label: str, make: Callable[[], bytes]) -> tuple[bytes, bool]:
        """The bytes under a key, made now if they are not there; and whether they were.

        Of several processes that need the same bytes one makes them and the others wait for it.
        """
        found = self.get(key)
        if found is not None:
            return found, True
        with self._locked(key) as waited:
            if waited and (found := self.get(key)) is not None:
                return found, True
            data = make()
            self.put(key, data, label)
            return data, False

    def get(self, key: str) -> bytes | None:
        """What was published under the key, if it is whole."""
        try:
            if not _is_ours(self.folder):
                return None
            place = self.folder / key
            manifest = _read_manifest(place, key)
            if manifest is None:
                return None
            data = read_own(place / _PAYLOAD, manifest["bytes"])
            if data is None or hashlib.sha256(data).hexdigest() != manifest["sha256"]:
                return None
            with suppress(OSError):
                file = place / _MANIFEST
                if time.time() - file.stat().st_mtime > _FRESH:
                    os.utime(file)
            return data
        except OSError:
            return None

    def put(self, key: str, data: bytes, label: str) -> bool:
        """Publish bytes; whether that could be done. A whole entry that is there stays: equal keys
        stand for equal bytes."""
        try:
            if not self._made():
                return False
            made = self._temporary(".new-")
        except OSError:
            return False
        try:
            manifest = {
                "format": _FORMAT,
                "key": key,
                "label": label,
                "bytes": len(data),
                "sha256": hashlib.sha256(data).hexdigest(),
            }
            (made / _PAYLOAD).write_bytes(data)
            (made / _MANIFEST).write_bytes(encoded(manifest))
            self._publish(made, self.folder / key)
        except OSError:
            return False
        finally:
            _delete(made)
        self._shrink()
        return True

    def remove(self, key: str) -> None:
        """Forget an entry that turned out to be of no use."""
        with suppress(OSError):
            if _is_ours(self.folder):
                self._discard(self.folder / key)

    def entries(self) -> list[Entry]:
        """All that can be read, the last used first."""
        found: list[Entry] = []
        try:
            if not _is_ours(self.folder):
                return []
            places = [*self.folder.iterdir()]
        except OSError:
            return []
        for place in places:
            with suppress(OSError):
                if len(place.name) != _KEY_LENGTH:
                    continue
                manifest = _read_manifest(place, place.name)
                if manifest is not None:
                    used = (place / _MANIFEST).stat().st_mtime
                    size = sum(file.stat().st_size for file in place.iterdir())
                    found.append(Entry(place.name, str(manifest["label"]), size, used))
        return sorted(found, key=lambda entry: -entry.used)

    def clear(self) -> int:
        """Delete all entries, and what broken or killed processes left behind; how many files
        and folders that were."""
        count = 0
        with suppress(OSError):
            if not _is_ours(self.folder):
                return 0
            for place in [*self.folder.iterdir()]:
                with suppress(OSError):
                    if place.is_dir() and not place.is_symlink():
                        self._discard(place)
                    else:
                        place.unlink()
                    count += 1
        return count

    def _made(self) -> bool:
        """Make the folder where there is none; whether there is one that can be trusted."""
        with suppress(FileExistsError):
            self.folder.parent.mkdir(parents=True, exist_ok=True)
            self.folder.mkdir(mode=0o700)
        return _is_ours(self.folder)

    def _temporary(self, prefix: str) -> Path:
        """A new folder beside the entries, which no other process has."""
        from tempfile import mkdtemp  # with much that reading an entry has no use for

        return Path(mkdtemp(prefix=prefix, dir=self.folder))

    def _publish(self, made: Path, place: Path) -> None:
        """One rename makes the entry visible, or leaves an equal one that came before it."""
        for _ in range(3):
            try:
                os.rename(made, place)
                return
            except OSError:
                # A folder that is not empty is in the way: whole, and then it has the same bytes;
                # or not, and then it must go.
                if self.get(place.name) is not None:
                    return
                self._discard(place)
        os.rename(made, place)

    def _discard(self, place: Path) -> None:
        """Delete a folder: out of sight first, so that nobody sees half of it."""
        gone = self._temporary(".old-")
        try:
            with suppress(FileNotFoundError):
                os.rename(place, gone / "entry")
        finally:
            _delete(gone)

    def _shrink(self) -> None:
        """Keep to the limit: what was not used for longest goes, until a fifth is free again."""
        entries = self.entries()
        total = sum(entry.bytes for entry in entries)
        if total > self.most_bytes:
            for entry in reversed(entries[1:]):  # never the one just made
                if total <= self.most_bytes * 4 // 5:
                    break
                total -= entry.bytes
                self.remove(entry.key)
        with suppress(OSError):
            for place in self.folder.iterdir():
                if place.name.startswith("."):
                    with suppress(OSError):
                        if time.time() - place.lstat().st_mtime > _LEFTOVER_SECONDS:
                            _delete(place) if place.is_dir() else place.unlink()

    @contextmanager
    def _locked(self, key: str) -> Iterator[bool]:
        """Hold the lock of a key, or after a while go on without; whether it was waited for.

        A lock is a help, not a condition: without one the same is made twice, and published once.
        """
        handle = waited = None
        try:
            handle, waited = self._lock(key)
            yield waited
        finally:
            if handle is not None:
                with suppress(OSError):
                    (self.folder / f".{key}.lock").unlink()
                os.close(handle)  # which gives the lock back

    def _lock(self, key: str) -> tuple[int | None, bool]:
        try:
            import fcntl

            if not self._made():
                return None, False
            path = self.folder / f".{key}.lock"
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except (ImportError, OSError):
            return None, False
        end, waited = time.monotonic() + _LOCK_SECONDS, False
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle, waited
            except BlockingIOError:
                waited = True
                if time.monotonic() < end and not (self.folder / key).exists():
                    time.sleep(0.01)
                    continue
            except OSError:  # a file system without locks
                pass
            os.close(handle)
            return None, waited


def open_cache() -> Cache | None:
    """The cache that the environment asks for: TDSL_CACHE=0 none, TDSL_CACHE_DIR where,
    TDSL_CACHE_SIZE how large (512M, 2G)."""
    if os.environ.get("TDSL_CACHE", "1").strip().lower() in ("0", "off", "no", "false"):
        return None
    return Cache(code_folder(), most_bytes(os.environ.get("TDSL_CACHE_SIZE", "")))


def code_folder() -> Path:
    return cache_folder() / "code"


def most_bytes(text: str) -> int:
    """The number that a size like 512M means; the default where it means nothing."""
    text = text.strip().upper().removesuffix("B").removesuffix("I")
    digits = text.rstrip("KMGT")
    unit = _UNITS.get(text[len(digits) :])
    if not digits.strip().isdigit() or unit is None:
        return DEFAULT_BYTES
    return int(digits) * unit


def _delete(folder: Path) -> None:
    """As far as that is allowed."""
    from shutil import rmtree  # with archives of all kinds

    rmtree(folder, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    """Whether it is a folder of this user that nobody else can write to."""
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(status.st_mode) and is_closed(status) and belongs_to_us(status)


def _read_manifest(place: Path, key: str) -> dict[str, Any] | None:
    """What an entry says about itself, if that is an entry of this version under this key."""
    data = read_own(place / _MANIFEST, _MOST_MANIFEST)
    if data is None:
        return None
    try:
        found = decoded(data)
    except ValueError:
        return None
    if not isinstance(found, dict) or found.get("format") != _FORMAT or found.get("key") != key:
        return None
    size, digest = found.get("bytes"), found.get("sha256")
    good = isinstance(size, int) and not isinstance(size, bool) and size >= 0
    return found if good and isinstance(digest, str) and "label" in found else None
