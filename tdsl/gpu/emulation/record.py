"""The record that the emulator keeps of each thread of a block, as byte offsets; its states and faults."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

RECORD: Final = 4096
"""The bytes of one record; the records of a block lie one after another."""

SPECIAL: Final[Mapping[str, int]] = MappingProxyType(
    {
        "tid.x": 0,
        "tid.y": 4,
        "tid.z": 8,
        "ctaid.x": 12,
        "ctaid.y": 16,
        "ctaid.z": 20,
        "ntid.x": 24,
        "ntid.y": 28,
        "ntid.z": 32,
        "nctaid.x": 36,
        "nctaid.y": 40,
        "nctaid.z": 44,
        "laneid": 48,
        "warpid": 52,
    }
)
"""Special registers, each an i32."""

LINEAR: Final = 56  # the number of the thread in its block
LANES: Final = 60  # how many lanes its warp has
STATE: Final = 64
SITE: Final = 68  # the operation that it waits at
BANK: Final = 72  # which of the two banks its next exchange with other lanes goes through
FAULT: Final = 76
FAULT_SITE: Final = 80
QUEUED: Final = 84  # asynchronous copies that were begun
FAULT_ADDRESS: Final = 88
ARGUMENTS: Final = 96  # the address of the table of arguments
COUNT: Final = 104  # its rows
GROUP: Final = 108  # the number of the group that asynchronous copies go to
FINISHED: Final = 112  # asynchronous copies that have been performed

BANKS: Final = 128
BANK_BYTES: Final = 128
"""What a lane gives to the others of its warp. There are two, used in turn: a lane that is late may
still read one while the next exchange fills the other; no lane can be two exchanges ahead."""

QUEUE: Final = 512
QUEUE_ROW: Final = 32  # target, source, bytes, bytes of the source, group
MOST_QUEUED: Final = (RECORD - QUEUE) // QUEUE_ROW

RUNNABLE, AT_BARRIER, AT_WARP, DONE = range(4)
OUT_OF_BOUNDS, MISALIGNED, TOO_MANY_COPIES, MISSING_LANES = range(1, 5)

ARGUMENT_ROW: Final = 24
"""Of the table of arguments: the value, and the first and the last address that may be used + 1."""

REPORT_WORDS: Final = 8
OK, STUCK, FAULTY = range(3)
"""What running a grid ends with. The report says: block x, y, z; thread; fault; site; address."""
