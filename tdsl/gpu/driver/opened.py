"""The GPUs of this process, each opened when it is first asked for."""

from __future__ import annotations

import os
from typing import Any

from tdsl.errors import TargetError
from tdsl.gpu.driver import binding
from tdsl.gpu.driver.api import Api
from tdsl.gpu.driver.device import Device


class Opened:
    """The driver and the devices that were opened, by the process that opened them."""

    def __init__(self) -> None:
        self._apis: dict[int, Api] = {}
        self._devices: dict[tuple[int, int], Device] = {}

    def api(self) -> Api:
        process = os.getpid()
        found = self._apis.get(process)
        if found is None:
            found = self._apis.setdefault(process, Api(binding.load_binding()))
        return found

    def device(self, ordinal: int) -> Device:
        for (_, number), known in self._devices.items():
            if number == ordinal:
                return known  # after a fork it refuses to be used, and says why
        api = self.api()
        count = api.device_count()
        if not 0 <= ordinal < count:
            there = f"there are cuda:0 to cuda:{count - 1}" if count > 1 else "there is only cuda:0"
            if not count:
                there = "the driver sees none (CUDA_VISIBLE_DEVICES may hide them)"
            raise TargetError(f"[E0905] there is no GPU cuda:{ordinal}; {there}", code="E0905")
        return self._devices.setdefault((os.getpid(), ordinal), Device(api, ordinal))


# A context is the process's, not ours: whoever asks for a device must get the same one.
_OPENED = Opened()


def device(ordinal: int = 0) -> Device:
    return _OPENED.device(ordinal)


def synchronize(name: str | int = "cuda:0") -> None:
    """Wait for the calls whose results went to other libraries, and raise the IndexError of one that
    met a position out of range."""
    device_named(name).synchronize()


def device_named(name: Any) -> Device:
    """`cuda`, `cuda:1`, or the number."""
    if isinstance(name, int) and not isinstance(name, bool):
        return device(name)
    kind, colon, number = str(name).partition(":")
    if kind != "cuda" or (colon and not number.isdecimal()):
        raise TargetError(
            f'[E0905] there is no device {name!r}; write "cuda:0", "cuda:1" and so on', code="E0905"
        )
    return device(int(number or 0))
