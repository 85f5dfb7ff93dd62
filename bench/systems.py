"""The systems that works are measured against, each in its fastest form and with its weights fixed."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from works import Arrays, Work

Runner = Callable[[], np.ndarray]
Maker = Callable[[Work, Arrays, int], Runner]
# Where weights are larger, JAX takes them as arguments: constants would be copied while it compiles.
MOST_CONSTANTS = 64 << 20
POSITIONS = 1024


def installed(name: str) -> bool:
    return importlib.util.find_spec(name) is not None


def _tensors(work: Work, arrays: Arrays) -> list[Any]:
    import torch

    found = []
    for at, array in enumerate(arrays):
        if at in work.room:
            whole = np.zeros((*array.shape[:2], POSITIONS, array.shape[3]), array.dtype)
            whole[:, :, : array.shape[2]] = array
            array = whole
        found.append(torch.from_numpy(array))
    return found


def _frozen(work: Work, tensors: list[Any]) -> Any:
    """A module whose weights are buffers, which freezing may pack."""
    import torch

    function = work.torch(torch)

    class Frozen(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.count = len(tensors) - work.inputs
            for index, tensor in enumerate(tensors[work.inputs :]):
                self.register_buffer(f"w{index}", tensor)

        def forward(self, *inputs: Any) -> Any:
            return function(*inputs, *(getattr(self, f"w{index}") for index in range(self.count)))

    return Frozen().eval()


def torch_eager(work: Work, arrays: Arrays, threads: int) -> Runner:
    import torch

    torch.set_num_threads(threads)
    tensors = _tensors(work, arrays)
    function = work.torch(torch)

    def run() -> np.ndarray:
        with torch.inference_mode():
            found: np.ndarray = function(*tensors).numpy()
            return found

    return run


def torch_compiled(work: Work, arrays: Arrays, threads: int) -> Runner:
    import torch
    import torch._inductor.config as inductor

    torch.set_num_threads(threads)
    inductor.freezing = True
    tensors = _tensors(work, arrays)
    compiled = torch.compile(_frozen(work, tensors), mode="max-autotune")
    inputs = tensors[: work.inputs]

    def run() -> np.ndarray:
        with torch.no_grad():
            found: np.ndarray = compiled(*inputs).numpy()
            return found

    return run


def open_vino(work: Work, arrays: Arrays, threads: int) -> Runner:
    import openvino
    import torch

    core = openvino.Core()
    core.set_property("CPU", {"INFERENCE_NUM_THREADS": threads})
    tensors = _tensors(work, arrays)
    inputs = tensors[: work.inputs]
    with torch.no_grad():
        model = openvino.convert_model(_frozen(work, tensors), example_input=tuple(inputs))
    model.reshape({at: list(one.shape) for at, one in enumerate(inputs)})
    network = core.compile_model(model, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    given = [one.numpy() for one in inputs]
    return lambda: network(given)[0]


def jax_jit(work: Work, arrays: Arrays, threads: int) -> Runner:
    import jax

    base = work.jax(jax)
    inputs, weights = arrays[: work.inputs], [jax.numpy.asarray(a) for a in arrays[work.inputs :]]
    if sum(one.nbytes for one in weights) > MOST_CONSTANTS:
        taking = jax.jit(base)
        return lambda: np.asarray(taking(*inputs, *weights))
    closed = jax.jit(lambda *inputs: base(*inputs, *weights))
    return lambda: np.asarray(closed(*inputs))


def _onnx(work: Work, arrays: Arrays, threads: int, fused: bool) -> Runner:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    # Else its threads keep their cores busy for a good while after a call, in the others' turns.
    options.add_session_config_entry("session.force_spinning_stop", "1")
    model = work.onnx(arrays, fused)
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [one.name for one in session.get_inputs()]
    given = dict(zip(names, arrays[: work.inputs], strict=True))
    return lambda: session.run(None, given)[0]


def onnx_plain(work: Work, arrays: Arrays, threads: int) -> Runner:
    return _onnx(work, arrays, threads, fused=False)


def onnx_fused(work: Work, arrays: Arrays, threads: int) -> Runner:
    return _onnx(work, arrays, threads, fused=True)


SYSTEMS: dict[str, tuple[tuple[str, ...], Maker]] = {
    "torch eager": (("torch",), torch_eager),
    "torch compiled": (("torch",), torch_compiled),
    "OpenVINO": (("openvino", "torch"), open_vino),
    "JAX": (("jax",), jax_jit),
    "ONNX Runtime": (("onnxruntime", "onnx"), onnx_plain),
    "ONNX Runtime fused": (("onnxruntime", "onnx"), onnx_fused),
}
"""By name: the packages that it needs, and what prepares a work."""


def systems(work: Work, arrays: Arrays, threads: int) -> Iterator[tuple[str, Callable[[], Runner]]]:
    """Each installed system, and what prepares it for the work."""
    for name, (packages, make) in SYSTEMS.items():
        if all(map(installed, packages)):
            yield name, lambda make=make: make(work, arrays, threads)
