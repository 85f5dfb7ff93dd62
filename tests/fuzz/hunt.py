"""Hunt for programs that native code gets wrong: python tests/fuzz/hunt.py FIRST COUNT."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections import Counter
from random import Random

os.environ["TDSL_COMPILE"] = "isolated"

from differential import compare, draw
from random_programs import generate

import tdsl


def main(first: int, count: int) -> None:
    warnings.simplefilter("ignore")
    found: Counter[str] = Counter()
    for seed in range(first, first + count):
        random = Random(seed)
        program = generate(seed, random.choice((4, 8, 8, 14, 20)))
        try:
            tdsl.loads(program.text)
        except tdsl.CompileError as error:
            found["refused"] += 1
            print(f"--- {seed} refused\n{error}", flush=True)
            continue
        except Exception:
            print(f"--- {seed} CHECKER\n{traceback.format_exc()}\n{program.text}", flush=True)
            found["checker"] += 1
            continue
        for _ in range(2):
            how = draw(program, random)
            try:
                said = compare(program, how)
            except Exception:
                said = traceback.format_exc(limit=-4)
            found["wrong" if said else "right"] += 1
            if said:
                body = program.text[program.text.index("pub fn") :]
                print(f"--- {seed} {how}\n{said}\n{body}", flush=True)
    print(dict(found), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
