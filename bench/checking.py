"""How long checking takes: whole programs, and generated modules of growing length.

    python bench/checking.py

Targets: gpt2.tdsl warm in 80 ms; 2,000 lines in 2 s, and no more than linear in the length.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from tdsl.check.modules import check_file, check_source
from tdsl.syntax.source import Source

ROOT = Path(__file__).parents[1]
PROGRAMS = [
    ROOT / "tests/design/programs/gpt2.tdsl",
    ROOT / "programs/attention.tdsl",
    ROOT / "programs/blocks.tdsl",
    ROOT / "tdsl/std/nn.tdsl",
]
LENGTHS = (250, 500, 1000, 2000, 4000)


def warm(run: Callable[[], object], times: int) -> float:
    """The median of some runs after a first one, in seconds of this process: other work on the
    machine does not count."""
    run()
    found = []
    for _ in range(times):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return statistics.median(found)


def generated(lines: int) -> str:
    """A module of about so many lines: blocks of a network."""
    parts = [
        "tdsl 0.1\n",
        "struct Linear[I, O] {\n    w: f32[I, O]\n    b: f32[O]\n}\n",
        "fn linear[...S, I, O](x: f32[...S, I], p: Linear[I, O]) -> f32[...S, O] { x @ p.w + p.b }\n",
    ]
    number = 0
    while sum(part.count("\n") for part in parts) < lines:
        parts.append(_block(number))
        number += 1
    return "\n".join(parts)


def _block(number: int) -> str:
    return f"""\
struct Block_{number}[C, F] {{
    qkv: Linear[C, 3*C]
    out: Linear[C, C]
    up: Linear[C, F]
    down: Linear[F, C]
}}

## Attention and a wider layer.
fn attend_{number}[T, C, static H, D](qkv: f32[T, 3*C]) -> f32[T, C] where C == H * D {{
    let [q, k, v] = [
        transpose(reshape(qkv[:, i*C : (i+1)*C], [T, H, D]), [1, 0, 2]) for i in 0..3
    ]
    let scores = q @ transpose(k, [0, 2, 1]) / sqrt(D)
    let e = exp(scores - max(scores, axis=-1, keepdims=true))
    let out = e / sum(e, axis=-1, keepdims=true) @ v
    reshape(transpose(out, [1, 0, 2]), [T, C])
}}

fn layer_{number}[T, C, F, static H, D](x: f32[T, C], p: Block_{number}[C, F]) -> f32[T, C]
    where C == H * D
{{
    let y = x + linear(attend_{number}[H=H](linear(x, p.qkv)), p.out)
    y + linear(maximum(linear(y, p.up), 0.0), p.down)
}}

fn block_{number}[T, C, F, L, static H, D](x: f32[T, C], ps: [Block_{number}[C, F]; L]) -> f32[T, C]
    where C == H * D
{{
    fold y = x for p in ps {{ layer_{number}[H=H](y, p) }}
}}
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="runs of each, after a first one")
    times = parser.parse_args().times
    for path in PROGRAMS:
        result = check_file(path)
        assert result.program is not None, result.diagnostics
        seconds = warm(lambda path=path: check_file(path), times)  # type: ignore[misc]
        print(f"{path.relative_to(ROOT)!s:40} {1000 * seconds:8.1f} ms")
    print()
    for lines in LENGTHS:
        text = generated(lines)
        source = Source("generated.tdsl", text)
        result = check_source(source, None)
        assert result.program is not None, result.diagnostics
        seconds = warm(lambda source=source: check_source(source, None), times)  # type: ignore[misc]
        count = text.count("\n")
        print(f"{count:6} lines {1000 * seconds:8.1f} ms {1e6 * seconds / count:8.1f} µs a line")


if __name__ == "__main__":
    main()
