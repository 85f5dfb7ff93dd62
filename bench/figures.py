"""Figures that are no time against a peer's: compiling, memory, open sizes, and what a call costs."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HEAD = f"import sys, time, json\nsys.path.insert(0, {str(HERE)!r})\nimport numpy as np\n"

# After NumPy: importing tdsl, loading the program, and the first call, less what a call takes.
BLOCK = """
import works
arrays = works.block_arrays(128)
expected = works.feed64(works.attend64(*arrays[:7]), *arrays[7:])
assert not any(name.startswith("tdsl") for name in sys.modules)
times = [time.perf_counter()]
import tdsl
blocks = tdsl.load(works.PROGRAMS / "blocks.tdsl")
times.append(time.perf_counter())
for _ in range(2):
    found = blocks.block(*arrays, heads=works.HEADS)
    times.append(time.perf_counter())
    assert np.abs(found - expected).max() < 1e-3 * np.abs(expected).max()
start, loaded, first, second = times
taken = [loaded - start, 0, 2 * first - loaded - second]
"""
# The same, and what it takes to bind the weights: checking them by name and shape, stacking half a
# gigabyte of them, and bringing it to the form in which kernels read it, which is part of the first
# call. That takes as long as memory does, and has a figure of its own; so the start from the disk cache
# is measured with 24 channels and a vocabulary of 200, too.
MODEL = """
import gpt2, works
tokens, weights = gpt2.ids(8, SIZES[0]), gpt2.weights_of(*SIZES)  # few, so that a call takes little
expected = gpt2.forward64(tokens, *weights)
fields = gpt2.fields(weights)
assert not any(name.startswith("tdsl") for name in sys.modules)
times = [time.perf_counter()]
import tdsl
m = tdsl.load(works.PROGRAMS / "gpt2.tdsl")
times.append(time.perf_counter())
p = m.GPT2.bind(fields)
times.append(time.perf_counter())
for _ in range(2):
    found = m.forward(tokens, p, heads=works.HEADS)
    times.append(time.perf_counter())
    assert np.abs(found - expected).max() < 1e-3 * np.abs(expected).max()
start, loaded, bound, first, second = times
taken = [loaded - start, bound - loaded, 2 * first - bound - second]
"""
LARGE, SMALL = (f"SIZES = {sizes}\n" for sizes in ((50257, 1024, 768), (200, 32, 24)))
TAKEN = 'print(json.dumps([[t * 1e3 for t in taken], "mlir" in sys.modules]))\n'
# How much more memory a process takes at most while it attends, beyond inputs and short calls,
# which compile whatever is to be compiled.
MEMORY = """
from works import normal, softmax64
H, T, D = 12, 4096, 64

def peak():
    # Not getrusage: what that gives is inherited from the process that started this one.
    (line,) = (line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024

arrays = [normal(H, T, D, seed=at) for at in range(3)]
for tokens in (256, 320, 256):
    run(*[np.ascontiguousarray(a[:, :tokens]) for a in arrays])
before = peak()
found = run(*arrays)
grown = peak() - before
q, k, v = (a[3, :].astype(np.float64) for a in arrays)
scores = np.where(np.tri(T, dtype=bool)[-64:], q[-64:] @ k.T / np.sqrt(D), -np.inf)
assert np.abs(found[3, -64:] - softmax64(scores) @ v).max() < 1e-4
print(json.dumps([grown]))
"""
OURS = '''
import tdsl
m = tdsl.loads("""tdsl 0.1
from std.nn import masked_attention, causal
pub fn attend[H, T, D](q: f32[H, T, D], k: f32[H, T, D], v: f32[H, T, D]) -> f32[H, T, D] {
    masked_attention(q, k, v, broadcast(causal[Q=T, N=T](0), [H, T, T]))
}
""", name="attend")
run = m.attend
'''
TORCH = """
import torch
torch.set_num_threads(1)
attend = torch.nn.functional.scaled_dot_product_attention
def run(*arrays):
    with torch.inference_mode():
        q, k, v = (torch.from_numpy(a)[None] for a in arrays)
        return attend(q, k, v, is_causal=True)[0].numpy()
"""
OPEN = """
import statistics, works, tdsl
results = []
blocks = tdsl.load(works.PROGRAMS / "blocks.tdsl")
opened = blocks.block.compile(dynamic=("T",), heads=works.HEADS)
fixed = blocks.block.compile(dynamic=(), heads=works.HEADS)
for tokens in (128, 512):
    arrays = works.block_arrays(tokens)
    expected = works.feed64(works.attend64(*arrays[:7]), *arrays[7:])
    fixed = tdsl.load(works.PROGRAMS / "blocks.tdsl").block.compile(dynamic=(), heads=works.HEADS)
    for run in (opened, fixed):
        assert np.abs(run(*arrays) - expected).max() < 1e-3 * np.abs(expected).max()
    pairs = []
    for _ in range(ROUNDS):
        taken = []
        for run in (opened, fixed):
            begin = time.perf_counter()
            run(*arrays)
            taken.append(time.perf_counter() - begin)
        pairs.append(taken)
    a, b = (statistics.median(pair[at] for pair in pairs) for at in (0, 1))
    results.append(a / b)
print(json.dumps(results))
"""
CALL = """
import tdsl
from calls import PROGRAM, per_call
m = tdsl.loads(PROGRAM, name="calls")
x = np.ones(4, np.float32)
assert (m.total(x, x) == x + x).all()
m.total(x, x)
print(json.dumps([per_call(lambda: m.total(x, x)) * 1e6]))
"""


def in_a_process(code: str, **more: str) -> list[Any]:
    from peers import environment

    command = [sys.executable, "-c", HEAD + code]
    given = {**environment(1), **more}
    given.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(command, capture_output=True, text=True, env=given, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr.strip()[-1500:])
    found: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return found


Figure = dict[str, Any]


def figure(name: str, value: float, unit: str, limit: float | None, peer: str = "") -> Figure:
    return {"figure": name, "value": round(value, 4), "unit": unit, "limit": limit, "peer": peer}


def started(code: str, folder: str, rounds: int) -> list[list[float]]:
    """Milliseconds to load, to bind, and for what a first call takes longer than a second."""
    found = []
    for _ in range(rounds):
        taken, imported = in_a_process(code + TAKEN, TDSL_CACHE_DIR=folder)
        assert not imported, "MLIR was imported"
        found.append(taken)
    return found


def compiling(what: str, codes: Sequence[str], limit: float, rounds: int) -> Iterator[Figure]:
    """Cold, and then from the disk cache, each in a fresh process: the first of the programs cold,
    the last one from the cache."""
    with tempfile.TemporaryDirectory() as folder:
        # The parser's own tables are made once for all programs: they are no part of it.
        in_a_process("import tdsl\ntdsl.loads('tdsl 0.1\\n', name='none')\n" + "print([])",
                     TDSL_CACHE_DIR=folder)  # fmt: skip
        for code in codes:
            taken, imported = in_a_process(code + TAKEN, TDSL_CACHE_DIR=folder)
            assert imported, "it was in the cache already"
            if code is codes[0]:
                yield figure(f"{what}, cold: compile", taken[2] / 1e3, "s", limit)
        warm = [load + call for load, _, call in started(codes[-1], folder, rounds)]
        again = f"{what}, from the disk cache, after NumPy is imported"
        yield figure(again, statistics.median(warm), "ms", 50)
        if len(codes) > 1:
            full = [bind + call for _, bind, call in started(codes[0], folder, rounds)]
            name = f"{what}, from the disk cache: binding and packing half a gigabyte of weights"
            yield figure(name, statistics.median(full), "ms", None)


def memory() -> Iterator[Figure]:
    from systems import installed

    (ours,) = in_a_process(OURS + MEMORY)
    limit, peer = 96.0, "torch eager, as measured before"
    if installed("torch"):
        (limit,) = in_a_process(TORCH + MEMORY)
        peer = f"torch eager {limit:.0f} MB"
    yield figure("attention T=4096: growth of memory", ours, "MB", round(limit, 1), peer)


def opened(rounds: int) -> Iterator[Figure]:
    for tokens, ratio in zip((128, 512), in_a_process(f"ROUNDS = {rounds}\n" + OPEN), strict=True):
        yield figure(f"whole block T={tokens}: open T to fixed T", ratio, "", 1.03)


def call() -> Iterator[Figure]:
    yield figure("a call with two inputs", in_a_process(CALL)[0], "us", 1.0)


def measure(only: str, rounds: int) -> list[Figure]:
    """All whose name holds a text; one thread."""
    groups: dict[str, Callable[[], Iterator[Figure]]] = {
        "one block: compile, from the disk cache": lambda: compiling("one block", [BLOCK], 0.5, 5),
        "GPT-2: compile, from the disk cache": lambda: compiling(
            "GPT-2", [LARGE + MODEL, SMALL + MODEL], 1.5, 5
        ),
        "attention T=4096: memory": memory,
        "whole block: open T to fixed T": lambda: opened(2 * rounds),
        "a call with two inputs": call,
    }
    found = []
    for name, make in groups.items():
        if only in name:
            try:
                found += make()
            except RuntimeError as problem:
                print(f"{name} failed:\n{problem}", file=sys.stderr)
    return found
