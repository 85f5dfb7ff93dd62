"""The lattice of dtypes against the table that NumPy 2 printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tdsl.types.dtypes import DTYPES, promote, promote_weak

TEXT = (Path(__file__).parents[1] / "design" / "promotion.txt").read_text()


def table() -> Iterator[tuple[str, str, str]]:
    rows = [line.strip("|").split("|") for line in TEXT.splitlines() if line.startswith("|")]
    names = rows[0][1:]
    for row in rows[2:]:
        for name, found in zip(names, row[1:], strict=True):
            yield row[0].strip("*"), name, found


def test_table_is_whole() -> None:
    assert len(list(table())) == 100


@pytest.mark.parametrize(("left", "right", "expected"), list(table()))
def test_typed_with_typed(left: str, right: str, expected: str) -> None:
    assert promote(DTYPES[left], DTYPES[right]) == DTYPES[expected]


def test_i16() -> None:
    line = next(line for line in TEXT.splitlines() if line.startswith("i16:"))
    count = 0
    for clause in line.removeprefix("i16:").split(";"):
        names, found = clause.replace("with", "").split(":")
        for name in names.split(","):
            expected = DTYPES[found.split("(")[0].strip()]
            assert promote(DTYPES["i16"], DTYPES[name.strip()]) == expected
            assert promote(DTYPES[name.strip()], DTYPES["i16"]) == expected
            count += 1
    assert count == 10


def weak_rows() -> Iterator[tuple[str, str, str, str]]:
    for line in TEXT.splitlines():
        match = re.match(r"(\w+) \+True:", line)
        if match:
            for operator, literal, found in re.findall(r"([+/])([\w.]+):(\w+)", line):
                yield match[1], operator, literal, found


def test_weak_table_is_whole() -> None:
    assert len(list(weak_rows())) == 60


@pytest.mark.parametrize(("dtype", "operator", "literal", "expected"), list(weak_rows()))
def test_weak(dtype: str, operator: str, literal: str, expected: str) -> None:
    kind = {"True": "bool", "2": "int", "2.0": "float"}[literal]
    found = promote_weak(DTYPES[dtype], kind)  # type: ignore[arg-type]
    if operator == "/" and not found.is_float:
        found = DTYPES["f64"]
    # The documented difference: bf16 with a weak float stays bf16.
    different = (dtype, literal) == ("bf16", "2.0")
    assert found == (DTYPES["bf16"] if different else DTYPES[expected])
    assert not different or expected == "f32"


def test_accumulators() -> None:
    assert {str(d): str(d.accumulator) for d in DTYPES.values() if d.accumulator != d} == {
        "f16": "f32",
        "bf16": "f32",
        "i8": "i32",
        "u8": "i32",
    }
