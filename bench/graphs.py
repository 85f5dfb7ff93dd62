"""The measured works as ONNX graphs: with standard operators, or with ONNX Runtime's fused ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

C, HEADS = 768, 12
EPSILON = 1e-5
OPSET, IR = 20, 9


class Graph:
    """A graph in the making. Arrays become initializers, which a runtime may pack."""

    def __init__(self) -> None:
        from onnx import helper, numpy_helper

        self._helper, self._from_array = helper, numpy_helper.from_array
        self._nodes: list[Any] = []
        self._initializers: list[Any] = []
        self._inputs: list[Any] = []
        self._count = 0

    def _name(self) -> str:
        self._count += 1
        return f"v{self._count}"

    def input(self, array: np.ndarray) -> str:
        name = self._name()
        kind = self._helper.np_dtype_to_tensor_dtype(array.dtype)
        self._inputs.append(self._helper.make_tensor_value_info(name, kind, list(array.shape)))
        return name

    def constant(self, array: Any) -> str:
        name = self._name()
        self._initializers.append(self._from_array(np.ascontiguousarray(array), name))
        return name

    def add(
        self, operation: str, *operands: Any, count: int = 1, domain: str = "", **more: Any
    ) -> Any:
        """A node; operands that are arrays become initializers, and "" stands for none."""
        names = [one if isinstance(one, str) else self.constant(one) for one in operands]
        results = [self._name() for _ in range(count)]
        self._nodes.append(self._helper.make_node(operation, names, results, domain=domain, **more))
        return results[0] if count == 1 else results

    def fused(self, operation: str, *operands: Any, **more: Any) -> Any:
        return self.add(operation, *operands, domain="com.microsoft", **more)

    def model(self, result: str) -> bytes:
        helper = self._helper
        out = helper.make_tensor_value_info(result, 1, None)
        graph = helper.make_graph(self._nodes, "work", self._inputs, [out], self._initializers)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        made = helper.make_model(graph, opset_imports=opsets, ir_version=IR)
        data: bytes = made.SerializeToString()
        return data


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def norm(g: Graph, x: str, gain: Any, bias: Any) -> str:
    name: str = g.add("LayerNormalization", x, gain, bias, axis=-1, epsilon=EPSILON)
    return name


def attend(g: Graph, x: str, tokens: int, weights: Any, fused: bool) -> str:
    """x + attention(layer_norm(x)), x [tokens, C]."""
    gain, bias, qkv_weight, qkv_bias, out_weight, out_bias = weights
    n = norm(g, x, gain, bias)
    if fused:
        one = g.add("Unsqueeze", n, ints(0))
        mixed = g.fused("Attention", one, qkv_weight, qkv_bias, num_heads=HEADS, unidirectional=1)
        merged = g.add("Squeeze", mixed, ints(0))
    else:
        qkv = g.add("Add", g.add("MatMul", n, qkv_weight), qkv_bias)
        parts = g.add("Split", qkv, count=3, axis=1, num_outputs=3)
        shape = ints(tokens, HEADS, C // HEADS)
        q, k, v = (
            g.add("Transpose", g.add("Reshape", part, shape), perm=perm)
            for part, perm in zip(parts, ([1, 0, 2], [1, 2, 0], [1, 0, 2]), strict=True)
        )
        scale = np.float32(1 / math.sqrt(C // HEADS))
        hidden = np.triu(np.full((tokens, tokens), -np.inf, np.float32), 1)
        scores = g.add("Add", g.add("Mul", g.add("MatMul", q, k), np.array(scale)), hidden)
        mixed = g.add("MatMul", g.add("Softmax", scores, axis=-1), v)
        merged = g.add("Reshape", g.add("Transpose", mixed, perm=[1, 0, 2]), ints(tokens, C))
    found: str = g.add("Add", x, g.add("Add", g.add("MatMul", merged, out_weight), out_bias))
    return found


def feed(g: Graph, x: str, weights: Any, fused: bool) -> str:
    """x + linear(gelu(linear(layer_norm(x))))."""
    gain, bias, up, up_bias, down, down_bias = weights
    h = g.add("Add", g.add("MatMul", norm(g, x, gain, bias), up), up_bias)
    h = g.fused("FastGelu", h) if fused else g.add("Gelu", h, approximate="tanh")
    found: str = g.add("Add", x, g.add("Add", g.add("MatMul", h, down), down_bias))
    return found


def product(arrays: Any, fused: bool) -> bytes:
    g = Graph()
    return g.model(g.add("MatMul", g.input(arrays[0]), arrays[1]))


def layer_norm(arrays: Any, fused: bool) -> bytes:
    g = Graph()
    return g.model(norm(g, g.input(arrays[0]), *arrays[1:]))


def softmax(arrays: Any, fused: bool) -> bytes:
    g = Graph()
    return g.model(g.add("Softmax", g.input(arrays[0]), axis=-1))


def attention_block(arrays: Any, fused: bool) -> bytes:
    g = Graph()
    return g.model(attend(g, g.input(arrays[0]), len(arrays[0]), arrays[1:], fused))


def whole_block(arrays: Any, fused: bool) -> bytes:
    g = Graph()
    x = attend(g, g.input(arrays[0]), len(arrays[0]), arrays[1:7], fused)
    return g.model(feed(g, x, arrays[7:], fused))


def gpt2(arrays: Any, fused: bool) -> bytes:
    """Logits of the last position."""
    ids, wte, wpe, *blocks, gain, bias = arrays
    tokens = len(ids)
    g = Graph()
    table = g.constant(wte)
    x = g.add("Add", g.add("Gather", table, g.input(ids), axis=0), wpe[:tokens])
    for start in range(0, len(blocks), 12):
        x = attend(g, x, tokens, blocks[start : start + 6], fused)
        x = feed(g, x, blocks[start + 6 : start + 12], fused)
    last = g.add("Slice", x, ints(tokens - 1), ints(tokens), ints(0))
    return g.model(g.add("Gemm", norm(g, last, gain, bias), table, transB=1))


def decode(arrays: Any, fused: bool) -> bytes:
    """Logits of one more token after those in the cache, with the fused operator only."""
    if not fused:
        raise ValueError("standard operators have no cache")
    ids, keys, values, wte, wpe, *blocks, gain, bias = arrays
    past = keys.shape[2]
    g = Graph()
    table, token = g.constant(wte), g.input(ids)
    all_keys, all_values = g.input(keys), g.input(values)
    x = g.add("Add", g.add("Gather", table, token, axis=0), wpe[past : past + 1])
    for layer, start in enumerate(range(0, len(blocks), 12)):
        g1, b1, qkv, qkv_bias, out, out_bias = blocks[start : start + 6]
        k, v = (g.add("Gather", one, ints(layer), axis=0) for one in (all_keys, all_values))
        both = g.add("Unsqueeze", g.add("Concat", k, v, axis=0), ints(1))
        n = g.add("Unsqueeze", norm(g, x, g1, b1), ints(0))
        mixed, _ = g.fused(
            "Attention", n, qkv, qkv_bias, "", both, count=2, num_heads=HEADS, unidirectional=1
        )
        merged = g.add("Squeeze", mixed, ints(0))
        x = g.add("Add", x, g.add("Add", g.add("MatMul", merged, out), out_bias))
        x = feed(g, x, blocks[start + 6 : start + 12], fused)
    return g.model(g.add("Gemm", norm(g, x, gain, bias), table, transB=1))
