"""TDSL functions as modules of PyTorch: `tdsl.torch.module(fn, params)`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch

from tdsl.runtime.bound import Bound
from tdsl.runtime.function import Function


def module(function: Function, params: Any, /, **statics: int | float | bool) -> torch.nn.Module:
    """A `torch.nn.Module` that calls the function with its weights bound: for inference.

    `params` is what the function's one struct parameter takes: bound weights, or what `bind` takes
    (a state dict, nested dicts, …), bound here. `statics` go to every call. The other parameters
    are those of `forward`: tensors in main memory, shared without a copy; results are tensors.

    The weights are no parameters of the module: they cannot be trained, moved or saved through it.

    Raises TypeError where the function takes no struct, or several, or no such static.
    """
    return _Module(function, params, statics)


class _Module(torch.nn.Module):
    def __init__(
        self, function: Function, params: Any, statics: Mapping[str, int | float | bool]
    ) -> None:
        super().__init__()
        if not isinstance(function, Function):
            raise TypeError(f"module takes a function of a TDSL module, not {function!r}")
        classes = function.struct_parameters()
        if len(classes) != 1:
            listed = ", ".join(f"`{name}`" for name in classes) or "none"
            raise TypeError(
                f"`{function.__name__}` must have one struct parameter, for the weights; it has"
                f" {listed}"
            )
        ((name, class_),) = classes.items()
        self._function = function
        self._statics = dict(statics)
        self._name = name
        self._params = params if isinstance(params, Bound) else class_.bind(params)
        known = function.__signature__
        for static in statics:
            if static not in known.parameters or static == name:
                raise TypeError(f"`{function.__name__}` takes no static `{static}`: {known}")
        kept = [p for p in known.parameters.values() if p.name not in (name, *statics)]
        self._others = [p.name for p in kept if p.kind is p.POSITIONAL_OR_KEYWORD]
        self.__signature__ = known.replace(parameters=kept)
        super().train(False)

    @torch.compiler.disable  # type: ignore[untyped-decorator]
    def forward(self, *arguments: Any, **keywords: Any) -> Any:
        if len(arguments) > len(self._others):
            raise TypeError(f"forward takes {self.__signature__}, not {len(arguments)} arguments")
        named = dict(zip(self._others, arguments, strict=False))
        with torch.no_grad():
            return self._function(
                **named, **keywords, **{self._name: self._params}, **self._statics
            )

    def train(self, mode: bool = True) -> _Module:
        if mode:
            raise RuntimeError(
                f"`{self._function.__name__}` computes no gradients: this module is for inference"
            )
        return self

    def extra_repr(self) -> str:
        return f"{self._function!r}, {self._name}={self._params!r}"
