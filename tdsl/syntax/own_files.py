"""Files that only this user can have written: where they lie; read whole, or not at all."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path


def belongs_to_us(status: os.stat_result) -> bool:
    # Windows has no such owners; there the user's folder is closed to others by itself.
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def is_closed(status: os.stat_result) -> bool:
    """Whether nobody else can write to it."""
    return os.name == "nt" or not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def read_own(path: Path, most: int, *, closed: bool = False) -> bytes | None:
    """What an ordinary file of this user holds, up to `most` bytes; None where it is longer, or
    something else. `closed`: nor may others write to it, in a folder that is open to them."""
    flags = os.O_RDONLY
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # a pipe would be waited for
        flags |= getattr(os, name, 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode) or not belongs_to_us(status):
            return None
        if status.st_size > most or (closed and not is_closed(status)):
            return None
        return file.read(most + 1)


def cache_folder() -> Path:
    """Where TDSL keeps files for this user: TDSL_CACHE_DIR, else the platform's place."""
    chosen = os.environ.get("TDSL_CACHE_DIR")
    if chosen:
        return Path(chosen)
    found = _on_linux()
    if found is not None:
        return found
    from platformdirs import user_cache_path

    return user_cache_path("tdsl", appauthor=False)


def _on_linux() -> Path | None:
    """What platformdirs answers there, which takes a fifth of a warm start to be imported; None where
    it has to be asked."""
    if sys.platform == "linux" and "ANDROID_DATA" not in os.environ:
        for variable, inside in (("XDG_CACHE_HOME", ""), ("HOME", ".cache")):
            base = os.environ.get(variable, "")
            if os.path.isabs(base):
                return Path(base, inside, "tdsl")
    return None
