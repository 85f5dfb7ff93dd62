"""A small struct, weights for it in every form, and files of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import tdsl

PROGRAM = """
tdsl 0.1

pub struct Linear[I, O] { weight: f32[I, O], bias: f32[O] }
pub struct Layer[C, F] { up: Linear[C, F], down: Linear[F, C], gain: f32[C] }
pub struct Net[V, C, F, L] { table: f32[V, C], layers: [Layer[C, F]; L] }
pub struct Open[E: dtype(float), N, L] { scale: E, x: E[N], steps: [E[N]; L] }

pub fn net[S, V, C, F, L](ids: i32[S], p: Net[V, C, F, L]) -> f32[S, C] {
    fold x = take(p.table, ids) for l in p.layers {
        x * l.gain + tanh(x @ l.up.weight + l.up.bias) @ l.down.weight + l.down.bias
    }
}
"""
V, C, F, L = 7, 4, 6, 3
IDS = np.array([3, 0, 6], np.int32)


def program() -> Any:
    return tdsl.loads(PROGRAM)


def nested(seed: int = 0) -> dict[str, Any]:
    random = np.random.default_rng(seed)

    def normal(*shape: int) -> np.ndarray:
        return random.standard_normal(shape, dtype=np.float32)

    def layer() -> dict[str, Any]:
        return {
            "up": {"weight": normal(C, F), "bias": normal(F)},
            "down": {"weight": normal(F, C), "bias": normal(C)},
            "gain": normal(C),
        }

    return {"table": normal(V, C), "layers": [layer() for _ in range(L)]}


def flat(value: Any, name: str = "") -> dict[str, np.ndarray]:
    """Dotted names."""
    if isinstance(value, np.ndarray):
        return {name: value}
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found: dict[str, np.ndarray] = {}
    for key, part in items:
        found |= flat(part, f"{name}.{key}" if name else str(key))
    return found


def turned(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """As torch keeps linear maps."""
    return {
        name: np.ascontiguousarray(array.T) if name.endswith("weight") else array
        for name, array in arrays.items()
    }


def expected(weights: dict[str, Any]) -> np.ndarray:
    x = weights["table"][IDS].astype(np.float64)
    for layer in weights["layers"]:
        up, down = layer["up"], layer["down"]
        hidden = np.tanh(x @ up["weight"] + up["bias"])
        x = x * layer["gain"] + hidden @ down["weight"] + down["bias"]
    return x


def check(module: Any, bound: Any, weights: dict[str, Any]) -> None:
    np.testing.assert_allclose(module.net(IDS, bound), expected(weights), rtol=1e-5, atol=1e-5)


DTYPES = {"float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16", "int64": "I64"}


def safetensors_bytes(
    arrays: dict[str, np.ndarray], metadata: dict[str, str] | None = None
) -> bytes:
    """A file as the format says it."""
    header: dict[str, Any] = {} if metadata is None else {"__metadata__": metadata}
    data = b""
    for name, array in arrays.items():
        begin = len(data)
        data += array.tobytes()
        header[name] = {
            "dtype": DTYPES[array.dtype.name],
            "shape": [*array.shape],
            "data_offsets": [begin, len(data)],
        }
    return with_header(header, data)


def with_header(header: Any, data: bytes) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + data


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def gguf_file(path: Path, arrays: dict[str, np.ndarray], **metadata: int) -> Path:
    import gguf

    writer = gguf.GGUFWriter(path, "tdsl")
    for name, value in metadata.items():
        writer.add_uint32(name.replace("__", "."), value)
    for name, array in arrays.items():
        writer.add_tensor(name, np.ascontiguousarray(array))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path
