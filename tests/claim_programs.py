"""Graphs of claims as text, in the spellings of the standard library; chains over rows and what
they mean in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tdsl.graph.builder import GraphBuilder
from tdsl.graph.graph import ArrayType, Graph, Node
from tdsl.lowering.emit import emit_module
from tdsl.types.dtypes import DTYPES
from tdsl.types.sizes import Size, Symbol

Array = np.ndarray[Any, Any]
Axis = int | Symbol


class Making(GraphBuilder):
    """A graph in the making, with the spellings of the standard library."""

    def __init__(self, dtype: str = "f32") -> None:
        super().__init__()
        self.dtype = DTYPES[dtype]
        self.arguments: list[Node] = []

    def argument(self, *shape: Axis, dtype: str | None = None) -> Node:
        place = len(self.arguments)
        sizes = tuple(map(Size.of, shape))
        kind = DTYPES[dtype] if dtype else self.dtype
        made = self.input(f"x{place}", place, ArrayType(kind, sizes))
        self.arguments.append(made)
        return made

    def number(self, value: Any, dtype: Any = None) -> Node:
        return super().number(value, dtype or self.dtype)

    def kept(self, kind: Any, x: Node) -> Node:
        """A reduction along the last axis that keeps the axis."""
        last = x.type.rank - 1
        shape = (*x.type.shape[:-1], Size.of(1))
        return self.broadcast_in_dim(self.reduce(kind, x, (last,)), shape, tuple(range(last)))

    def mean(self, x: Node) -> Node:
        count = self.cast(self.size(x.type.shape[-1]), x.type.dtype)
        return self.elementwise("div", self.kept("sum", x), count)

    def softmax(self, x: Node) -> Node:
        e = self.elementwise("exp", self.elementwise("sub", x, self.kept("max", x)))
        return self.elementwise("div", e, self.kept("sum", e))

    def text(self, result: Node) -> str:
        return emit_module(Graph("f", tuple(self.arguments), (result,)), locations=False)


# --- chains, and what they mean


def softmax(x: Array) -> Array:
    with np.errstate(all="ignore"):
        e = np.exp(x - x.max(-1, keepdims=True))
        return e / e.sum(-1, keepdims=True)


def _log_softmax(m: Making) -> Node:
    x = m.argument(*m.shape)  # type: ignore[attr-defined]
    shifted = m.elementwise("sub", x, m.kept("max", x))
    total = m.elementwise("log", m.kept("sum", m.elementwise("exp", shifted)))
    return m.elementwise("sub", shifted, total)


def _masked_softmax(m: Making) -> Node:
    x, mask = m.argument(*m.shape), m.argument(*m.shape, dtype="bool")  # type: ignore[attr-defined]
    seen = m.select(mask, x, m.number(-np.inf))
    top = m.kept("max", seen)
    none = m.elementwise("equal", top, m.number(-np.inf))
    e = m.elementwise("exp", m.elementwise("sub", seen, m.select(none, m.number(0.0), top)))
    total = m.kept("sum", e)
    empty = m.elementwise("equal", total, m.number(0.0))
    return m.elementwise("div", e, m.select(empty, m.number(1.0), total))


def _layer_norm(m: Making, spelled: str = "rsqrt") -> Node:
    x = m.argument(*m.shape)  # type: ignore[attr-defined]
    gain, bias = m.argument(m.shape[-1]), m.argument(m.shape[-1])  # type: ignore[attr-defined]
    centred = m.elementwise("sub", x, m.mean(x))
    variance = m.mean(m.elementwise("mul", centred, centred))
    spread = m.elementwise("add", variance, m.number(1e-5))
    if spelled == "rsqrt":
        scaled = m.elementwise("mul", centred, m.elementwise("rsqrt", spread))
    else:
        scaled = m.elementwise("div", centred, m.elementwise("sqrt", spread))
    return m.elementwise("add", m.elementwise("mul", scaled, gain), bias)


def _rms_norm(m: Making) -> Node:
    x, gain = m.argument(*m.shape), m.argument(m.shape[-1])  # type: ignore[attr-defined]
    square = m.elementwise("add", m.mean(m.elementwise("mul", x, x)), m.number(1e-5))
    return m.elementwise("mul", m.elementwise("mul", x, m.elementwise("rsqrt", square)), gain)


def _variance(m: Making) -> Node:
    x = m.argument(*m.shape)  # type: ignore[attr-defined]
    centred = m.elementwise("sub", x, m.mean(x))
    squares = m.reduce("sum", m.elementwise("mul", centred, centred), (x.type.rank - 1,))
    count = m.cast(m.size(x.type.shape[-1]), x.type.dtype)
    return m.elementwise("div", squares, count)


def _simple(kind: Any) -> Callable[[Making], Node]:
    def make(m: Making) -> Node:
        x = m.argument(*m.shape)  # type: ignore[attr-defined]
        return m.reduce(kind, x, (x.type.rank - 1,))

    return make


def _masked_reference(x: Array, mask: Array) -> Array:
    with np.errstate(all="ignore"):
        seen = np.where(mask, x, -np.inf)
        top = seen.max(-1, keepdims=True)
        e = np.exp(seen - np.where(top == -np.inf, 0, top))
        total = e.sum(-1, keepdims=True)
        return e / np.where(total == 0, 1, total)


def _normed(x: Array, gain: Array, bias: Array) -> Array:
    spread = np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return (x - x.mean(-1, keepdims=True)) / spread * gain + bias


def _log_reference(x: Array) -> Array:
    shifted = x - x.max(-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))


CHAINS: dict[str, tuple[Callable[[Making], Node], Callable[..., Array]]] = {
    "softmax": (lambda m: m.softmax(m.argument(*m.shape)), softmax),  # type: ignore[attr-defined]
    "masked_softmax": (_masked_softmax, _masked_reference),
    "log_softmax": (_log_softmax, _log_reference),
    "layer_norm": (_layer_norm, _normed),
    "layer_norm by division": (lambda m: _layer_norm(m, "sqrt"), _normed),
    "rms_norm": (
        _rms_norm,
        lambda x, gain: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gain,
    ),
    "variance": (_variance, lambda x: x.var(-1)),
    "sum": (_simple("sum"), lambda x: x.sum(-1)),
    "max": (_simple("max"), lambda x: x.max(-1)),
    "min": (_simple("min"), lambda x: x.min(-1)),
    "prod": (_simple("prod"), lambda x: x.prod(-1)),
}


def chain(name: str, shape: tuple[Axis, ...], dtype: str = "f32") -> Making:
    making = Making(dtype)
    making.shape = shape  # type: ignore[attr-defined]
    making.result = CHAINS[name][0](making)  # type: ignore[attr-defined]
    return making


def given(name: str, shape: tuple[int, ...], dtype: str = "f32", seed: int = 0) -> list[Array]:
    """Arguments of a chain."""
    random = np.random.default_rng(seed)
    making = chain(name, shape, dtype)
    found = []
    for node in making.arguments:
        sizes = tuple(size.literal or 0 for size in node.type.shape)
        if node.type.dtype.name == "bool":
            found.append(random.integers(0, 2, sizes).astype(np.int8))
        else:
            array = random.standard_normal(sizes)
            if name == "prod":
                array = 1 + array / 8
            found.append(array.astype(node.type.dtype.numpy))
    return found
