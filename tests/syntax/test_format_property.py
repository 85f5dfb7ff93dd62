"""Whatever the layout of a program, formatting keeps its meaning and comments, and is final."""

from __future__ import annotations

import re
from random import Random

from format_programs import Layout, Programs
from hypothesis import given, settings
from hypothesis import strategies as st

from tdsl.syntax.dump import dump
from tdsl.syntax.format import format_source
from tdsl.syntax.parser import parse
from tdsl.syntax.source import Source


def meaning(text: str) -> str:
    """The syntax tree without places."""
    printed = dump(parse(Source("t", text)))
    return re.sub(r" (at )?\d+:\d+(-\d+:\d+)?", "", printed)


def comments(text: str) -> list[str]:
    found = re.findall(r"#+ ?c\d+ \( \{", re.sub(r'"# no', '"', text))
    assert len(found) == text.count(" ( {"), text
    return found


def check(text: str) -> str:
    formatted = format_source(Source("t", text))
    assert meaning(formatted) == meaning(text)
    assert comments(formatted) == comments(text)
    again = format_source(Source("t", formatted))
    assert again == formatted
    assert formatted.endswith("\n")
    assert not formatted.endswith("\n\n")
    for line in formatted.split("\n"):
        assert line == line.rstrip()
    assert "\n\n\n" not in formatted
    assert "\r" not in formatted
    return formatted


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**40), st.integers(0, 2), st.sampled_from((0.0, 0.02, 0.15)))
def test_programs_in_any_layout(seed: int, depth: int, amount: float) -> None:
    random = Random(seed)
    check(Layout(random, amount).text(Programs(random, depth).module()))
