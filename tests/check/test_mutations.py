"""One-token mistakes in right programs are refused, with a position and a registered code."""

from __future__ import annotations

import random
import re

import pytest
from check_support import HERE, check_text, codes

from tdsl.syntax.codes import CODES
from tdsl.syntax.render import render_text

PROGRAMS = HERE.parent.parent / "programs"
ATTENTION = (PROGRAMS / "attention.tdsl").read_text()
MLP = (PROGRAMS / "mlp.tdsl").read_text()
BLOCKS = (PROGRAMS / "blocks.tdsl").read_text()

MISTAKES = [
    (ATTENTION, "[T, heads, C//heads]", "[T, C//heads, heads]", "E0204"),
    (ATTENTION, "(i+1)*C]", "(i+2)*C]", "E0401"),
    (ATTENTION, "for i in 0..3", "for i in 0..4", "E0401"),
    (ATTENTION, "for i in 0..3", "for i in 0..2", "E0202"),
    (ATTENTION, "transpose(k, [0, 2, 1])", "k", "E0302"),
    (ATTENTION, "transpose(k, [0, 2, 1])", "transpose(k, [0, 1, 2])", "E0302"),
    (ATTENTION, "transpose(k, [0, 2, 1])", "transpose(k, [0, 2, 2])", "E0404"),
    (ATTENTION, "transpose(k, [0, 2, 1])", "k.T", "E0410"),
    (ATTENTION, "causal_mask(T, E)", "causal_mask(D, E)", "E0304"),
    (ATTENTION, "causal_mask(T, E)", "causal_mask(T, f32)", "E0307"),
    (ATTENTION, "/ sqrt(D)", "/ f64(sqrt(D))", "E0307"),
    (ATTENTION, "softmax(scores", "softmx(scores", "E0801"),
    (ATTENTION, "linear(merged", "linear(qkv", "E0504"),
    (ATTENTION, "cut_heads[heads=heads]", "cut_heads[head=heads]", "E0501"),
    (ATTENTION, "cut_heads[heads=heads]", "cut_heads[heads=T]", "E0507"),
    (ATTENTION, "cut_heads[heads=heads]", "cut_heads", "E0506"),
    (ATTENTION, ", [1, 0, 2]), [T, C])", ", [1, 0, 2]), [T, T])", "E0405"),
    (ATTENTION, "qkv_bias: E[3*C]", "qkv_bias: E[2*C]", "E0504"),
    (ATTENTION, "from std.nn import linear, softmax", "from std.nn import linear", "E0801"),
    (ATTENTION, "example attention[T=5, C=12,", "example attention[T=5, C=13,", "E0505"),
    (MLP, "linear(hidden, down_weight", "linear(hidden, up_weight", "E0504"),
    (MLP, "linear(hidden, down_weight", "linear(x, down_weight", "E0504"),
    (MLP, "x @ weight + bias", "weight @ x + bias", "E0302"),
    (MLP, "0.044715 * x**3", '"0.044715" * x**3', "E0308"),
    (MLP, "-> f32[6, 8]", "-> f32[8, 6]", "E0209"),
    (MLP, "f32[...S]) -> f32[...S]", "f32[...S]) -> f64[...S]", "E0204"),
    (BLOCKS, "attention[heads=heads](normed,", "attention(normed,", "E0506"),
    (
        BLOCKS,
        "out_bias: E[C]\n) -> E[T, C] where heads divides C {\n    let",
        "out_bias: E[C]\n) -> E[T, C] {\n    let",
        "E0507",
    ),
]


@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_a_mistake_is_refused(number: int) -> None:
    program, right, wrong, code = MISTAKES[number]
    assert program.count(right) >= 1
    found = codes(check_text(program.replace(right, wrong, 1)))
    assert code in found, found


@pytest.mark.parametrize("program", [ATTENTION, MLP, BLOCKS], ids=["attention", "mlp", "blocks"])
def test_any_token_left_out_doubled_or_exchanged_ends_in_a_diagnostic(program: str) -> None:
    """Never in a traceback; each message has a place in the text."""
    tokens = re.findall(r"\s+|##[^\n]*|\w+|\"[^\"]*\"|\*\*|//|->|\.\.|.", program)
    places = [index for index, token in enumerate(tokens) if not token.isspace()]
    chosen = random.Random(0)
    for _ in range(60):
        changed = list(tokens)
        place = chosen.choice(places)
        match chosen.randrange(3):
            case 0:
                del changed[place]
            case 1:
                changed.insert(place, changed[place])
            case _:
                other = chosen.choice(places)
                changed[place], changed[other] = changed[other], changed[place]
        text = "".join(changed)
        for found in check_text(text).diagnostics:
            assert found.code in CODES
            assert 0 <= found.span.start <= found.span.end <= len(found.span.source.text)
            assert render_text(found)
