"""Show on a terminal how far the reading of a large file is."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

LARGE = 256 << 20  # bytes: less than that is read in a moment

# Called with the bytes that are done, and with all there are.
Progress = Callable[[int, int], None]


@contextmanager
def shown(progress: bool | Progress | None, total: int, title: str) -> Iterator[Progress]:
    """What to call after each piece. None: a bar for much, and on a terminal only."""
    if callable(progress):
        yield progress
        return
    if progress is None:
        progress = total >= LARGE and sys.stderr.isatty()
    if not progress:
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn())
    with Bar(*columns, TransferSpeedColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title.strip("`"), total=total)
        yield lambda done, total: bar.update(task, completed=done)
