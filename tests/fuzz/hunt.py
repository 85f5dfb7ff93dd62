"""Hunt for programs that native code gets wrong.

    python tests/fuzz/hunt.py [FIRST [COUNT [KIND ...]]]

COUNT programs from seed FIRST on (10,000 from 0, which takes one to two hours on one core), of
the KINDs in turn: `arrays` (random_programs.py), `data` (random_data.py: structs, lists, loops,
run-time positions), `edits` (one random edit of such a program, or of one in programs/) and
`claims` (random_claims.py: attention, rows, products and takes in many spellings). Prints
every fault with its seed and its program, a summary now and then and at the end, and gives exit
status 1 where there was a fault. `FIRST 1 KIND` runs one again. To use several cores, start several with seeds
of their own.

"same": native code agrees with the evaluator; "raises": both say IndexError; "refused": a
diagnostic; "unstable": a rounding is enough to change the evaluator's own result; "no call": no
arguments were found that the signature allows.
"""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections import Counter

# A compiler that ends the process must not end the hunt.
os.environ["TDSL_COMPILE"] = "isolated"

from agreement import KINDS, outcome

COUNT = 10_000
REPORTED = 250  # after so many programs it says how many there were


def main(first: int = 0, count: int = COUNT, kinds: tuple[str, ...] = tuple(KINDS)) -> int:
    warnings.simplefilter("ignore")
    begin = time.monotonic()
    found: Counter[str] = Counter()
    faults = 0
    for seed in range(first, first + count):
        kind = kinds[seed % len(kinds)]
        result = outcome(kind, seed)
        found[f"{kind} {result.what}"] += 1
        if result.said is not None:
            faults += 1
            print(f"--- {kind} {seed}: {result.what}\n{result.said}\n{result.text}", flush=True)
        done = seed - first + 1
        if done % REPORTED == 0 or done == count:
            counts = ", ".join(f"{name} {number}" for name, number in sorted(found.items()))
            seconds = time.monotonic() - begin
            print(f"{done} programs in {seconds:.0f} s, {faults} faults: {counts}", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(
        main(
            int(given[0]) if given else 0,
            int(given[1]) if given[1:] else COUNT,
            tuple(given[2:]) or tuple(KINDS),
        )
    )
