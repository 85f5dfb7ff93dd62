"""The record of a comparison: as JSON, as a table, as a plot, and as a few lines of the README."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import platform
import re
import statistics
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
HEAD = (
    "| work | threads | TDSL, ms | best peer, ms | ratio | reach | products at peak, ms | all, ms |\n"
    "|---|---|---|---|---|---|---|---|"
)
FIGURES_HEAD = "| figure | TDSL | reach |\n|---|---|---|"
BEGIN, END = "<!-- bench/peers.py writes from here -->", "<!-- to here -->"
PACKAGES = ("torch", "jax", "openvino", "onnxruntime", "numpy")

Row = dict[str, Any]


def medians(row: Row) -> dict[str, float]:
    return {name: statistics.median(times) for name, times in row["milliseconds"].items()}


def best_peer(row: Row) -> tuple[str, float]:
    times = {name: value for name, value in medians(row).items() if name != "TDSL"}
    if not times:
        return "none", float("nan")
    name = min(times, key=lambda key: times[key])
    return name, times[name]


def ratio(row: Row) -> float:
    return medians(row)["TDSL"] / best_peer(row)[1]


def row_text(row: Row) -> str:
    times = medians(row)
    name, theirs = best_peer(row)
    others = ", ".join(f"{k} {v:.2f}" for k, v in times.items() if k != "TDSL")
    at_peak = f"{row['at_peak']:.2f}" if row["at_peak"] else ""
    return (
        f"| {row['work']} | {row['threads']} | {times['TDSL']:.2f} | {theirs:.2f} ({name}) "
        f"| {ratio(row):.2f} | {row['reach']} | {at_peak} | {others} |"
    )


def figure_text(figure: Row) -> str:
    unit = f" {figure['unit']}" if figure["unit"] else ""
    peer = f" ({figure['peer']})" if figure["peer"] else ""
    limit = "" if figure["limit"] is None else f"{figure['limit']:g}{unit}{peer}"
    return f"| {figure['figure']} | {figure['value']:.3g}{unit} | {limit} |"


def machine() -> str:
    """The processor as it names itself, and how many cores a process here may use."""
    name = platform.processor() or platform.machine()
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{name}, {cores} cores"


def versions() -> dict[str, str]:
    return {
        # Without what says which build it is.
        name: re.split("[+-]", importlib.import_module(name).__version__)[0]
        for name in PACKAGES
        if importlib.util.find_spec(name) is not None
    }


def compared(rows: list[Row], counts: list[int]) -> str:
    """Work by work, the ratio for each number of threads; and, for the first of them, the ratio of
    products at the processor's peak."""
    known = {(row["work"], row["threads"]): row for row in rows}
    works = list(dict.fromkeys(row["work"] for row in rows))
    heads = [f"{count} thread{'s' * (count > 1)}" for count in counts]
    lines = [f"| work | {' | '.join(heads)} | reach | at peak |", "|---" * (len(counts) + 3) + "|"]
    for work in works:
        found = [known.get((work, count)) for count in counts]
        shown = [f"{ratio(row):.2f}" if row is not None else "" for row in found]
        one = next(row for row in found if row is not None)
        least = f"{one['at_peak'] / best_peer(one)[1]:.2f}" if one["at_peak"] else ""
        lines.append(f"| {work} | {' | '.join(shown)} | {one['reach']} | {least} |")
    return "\n".join(lines)


def scaling(rows: list[Row], counts: list[int]) -> str:
    """What more threads bring us."""
    known = {(row["work"], row["threads"]): medians(row)["TDSL"] for row in rows}
    lines = []
    for work in dict.fromkeys(row["work"] for row in rows):
        times = [known.get((work, count)) for count in counts]
        first = times[0]
        if first is not None and all(time is not None for time in times):
            shown = " | ".join(f"{first / time:.2f}×" for time in times[1:] if time)
            lines.append(f"| {work} | {first:.2f} | {shown} |")
    heads = " | ".join(f"{count} threads" for count in counts[1:])
    head = f"| work | TDSL with {counts[0]}, ms | {heads} |\n" + "|---" * (len(counts) + 1) + "|"
    return "\n".join([head, *lines])


def plot(rows: list[Row], counts: list[int], file: Path) -> None:
    """Times of every system, as multiples of ours."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    # The same file for the same figures.
    matplotlib.rcParams["svg.hashsalt"] = "tdsl"
    works = list(dict.fromkeys(row["work"] for row in rows))
    names = list(dict.fromkeys(n for row in rows for n in row["milliseconds"] if n != "TDSL"))
    markers = dict(zip(names, "osD^vP*X", strict=False))
    size = (7, 0.45 * len(works) + 1.2)
    figure, axes = pyplot.subplots(
        1, len(counts), figsize=(size[0] * len(counts) / 1.4, size[1]), sharey=True, squeeze=False
    )
    for axis, count in zip(axes[0], counts, strict=True):
        axis.axvline(1, color="black", linewidth=1)
        for row in rows:
            if row["threads"] != count:
                continue
            times = medians(row)
            for name, time in times.items():
                if name != "TDSL":
                    place = works.index(row["work"])
                    axis.plot(
                        time / times["TDSL"], place, markers[name], color=f"C{names.index(name)}"
                    )
        axis.set_xscale("log")
        axis.set_xticks([0.5, 1, 2, 4, 8], ["½", "1", "2", "4", "8"])
        axis.minorticks_off()
        axis.set_title(f"{count} thread{'s' * (count > 1)}")
        axis.set_xlabel("time, as a multiple of TDSL's")
        axis.grid(axis="y", alpha=0.3)
    axes[0][0].set_yticks(range(len(works)), works)
    axes[0][0].invert_yaxis()
    handles = [
        pyplot.Line2D([], [], marker=markers[n], color=f"C{at}", linestyle="", label=n)
        for at, n in enumerate(names)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    figure.set_layout_engine("constrained")
    file.parent.mkdir(exist_ok=True)
    figure.savefig(file, metadata={"Date": None})


def write(rows: list[Row], figures: list[Row], counts: list[int]) -> None:
    record = {
        "machine": machine(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "versions": versions(),
        "rows": rows,
        "figures": figures,
    }
    (HERE / "peers.json").write_text(json.dumps(record, indent=1) + "\n")
    shown_versions = ", ".join(f"{name} {text}" for name, text in record["versions"].items())
    parts = [
        f"{record['machine']}; {shown_versions}.",
        "\n".join([HEAD, *map(row_text, rows)]),
        *([scaling(rows, counts)] if len(counts) > 1 else []),
        "\n".join([FIGURES_HEAD, *map(figure_text, figures)]),
    ]
    (HERE / "peers.md").write_text("\n\n".join(parts) + "\n")
    picture = importlib.util.find_spec("matplotlib") is not None
    if picture:
        plot(rows, counts, ROOT / "docs" / "speed.svg")
    readme = ROOT / "README.md"
    text = readme.read_text()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    turns = len(next(iter(rows[0]["milliseconds"].values())))
    intro = (
        f"Time of TDSL as a fraction of the best peer's, below 1 is faster: medians of {turns} calls "
        f"in turn, each result checked against float64. At peak: what the matrix products alone would "
        f"take at the most that this processor can do in f32, as the same fraction. "
        f"{record['machine']}; {shown_versions}."
    )
    lines = [BEGIN, "", intro, "", compared(rows, counts), ""]
    lines += ["\n".join([FIGURES_HEAD, *map(figure_text, figures)]), ""]
    if picture:
        lines += ["![times of the peers as multiples of TDSL's](docs/speed.svg)", ""]
    lines.append(END)
    readme.write_text(before + "\n".join(lines) + after)
