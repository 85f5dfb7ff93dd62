"""GPT-2 from Python: weights in every form, prefill and decoding, prepared arguments."""

from __future__ import annotations

import collections
import pickle
import types
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from struct_programs import GPT2, flat, ids_and_logits, instance, nested_weights

import tdsl

IDS, LOGITS = ids_and_logits()


@pytest.fixture(scope="module")
def m() -> tdsl.Module:
    return tdsl.load(GPT2)


@pytest.fixture(scope="module")
def prepared(m: tdsl.Module) -> Any:
    p = instance(m, "GPT2", nested_weights())
    return m.GPT2(wte=p.wte, wpe=p.wpe, blocks=tdsl.stack(p.blocks), ln_f=p.ln_f)


def objects(value: Any, make: Any) -> Any:
    if isinstance(value, dict):
        return make({name: objects(part, make) for name, part in value.items()})
    return [objects(part, make) for part in value] if isinstance(value, list) else value


class Anything:
    def __init__(self, parts: dict[str, Any]) -> None:
        vars(self).update(parts, training=False)


def as_dataclass(parts: dict[str, Any]) -> Any:
    return make_dataclass("Mine", list(parts))(**parts)


def as_named_tuple(parts: dict[str, Any]) -> Any:
    return collections.namedtuple("Mine", parts)(**parts)


FORMS = {
    "nested dict": lambda p: p,
    "flat names": flat,
    "dataclass": lambda p: objects(p, as_dataclass),
    "named tuple": lambda p: objects(p, as_named_tuple),
    "namespace": lambda p: objects(p, lambda parts: types.SimpleNamespace(**parts)),
    "any object": lambda p: objects(p, Anything),
    "numbered dict": lambda p: {**p, "blocks": dict(enumerate(p["blocks"]))},
    "tuple of blocks": lambda p: {**p, "blocks": tuple(p["blocks"])},
    "stacked": lambda p: {**p, "blocks": tdsl.stack(p["blocks"])},
    "stacked arrays": lambda p: {**p, "blocks": tdsl.stack(p["blocks"]).stacked},
    "flat and stacked": lambda p: flat({**p, "blocks": tdsl.stack(p["blocks"]).stacked}),
    "half flat": lambda p: {**p, "blocks": [flat(block) for block in p["blocks"]]},
}


@pytest.mark.parametrize("form", FORMS)
def test_weights_in_every_form(m: tdsl.Module, form: str) -> None:
    got = m.gpt2(IDS, FORMS[form](nested_weights()), H=2)
    assert np.abs(got - LOGITS).max() < 2e-5


def test_instances_of_the_classes(m: tdsl.Module, prepared: Any) -> None:
    p = instance(m, "GPT2", nested_weights())
    for given in (p, prepared, pickle.loads(pickle.dumps(p)), pickle.loads(pickle.dumps(prepared))):
        assert np.abs(m.gpt2(IDS, given, H=2) - LOGITS).max() < 2e-5


def test_an_npz_file_is_a_mapping_of_flat_names(m: tdsl.Module, tmp_path: Path) -> None:
    np.savez(tmp_path / "weights.npz", **flat(nested_weights()))
    with np.load(tmp_path / "weights.npz") as file:
        assert np.abs(m.gpt2(IDS, file, H=2) - LOGITS).max() < 2e-5


def empty_cache(m: tdsl.Module) -> Any:
    zeros = np.zeros((2, 32, 16), np.float32)
    return tdsl.stack([m.KV(k=zeros, v=zeros)] * 2)


def test_prefill_and_decoding(m: tdsl.Module, prepared: Any) -> None:
    logits, cache = m.step(IDS[:3], 0, empty_cache(m), prepared)
    assert np.abs(logits - LOGITS[:3]).max() < 2e-5
    for position in (3, 4):
        logits, cache = m.step(IDS[position : position + 1], position, cache, prepared)
        assert np.abs(logits - LOGITS[position]).max() < 2e-5
    assert isinstance(cache, tdsl.StackedList)
    assert isinstance(cache[0], m.KV)
    assert cache[1].k.shape == (2, 32, 16)
    assert cache[1].k.base is cache.stacked.k


def test_prepared_arguments_are_neither_copied_nor_checked_again(
    m: tdsl.Module, prepared: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, cache = m.step(IDS[:1], 0, empty_cache(m), prepared)
    _, cache = m.step(IDS[1:2], 1, cache, prepared)
    monkeypatch.setattr(m.step, "_call_slowly", None)
    for position in (2, 3, 4):
        ids = IDS[position : position + 1]
        logits, cache = m.step(ids, position, cache=cache, p=prepared)
        assert np.abs(logits - LOGITS[position]).max() < 2e-5


def test_a_prepared_argument_that_changed_is_looked_at_again(m: tdsl.Module, prepared: Any) -> None:
    assert np.abs(m.gpt2(IDS, prepared, H=2) - LOGITS).max() < 2e-5
    norm = m.LayerNorm(g=prepared.ln_f.g[:31], b=prepared.ln_f.b)
    wrong = m.GPT2(wte=prepared.wte, wpe=prepared.wpe, blocks=prepared.blocks, ln_f=norm)
    with pytest.raises(tdsl.ShapeError, match=r"`p\.ln_f\.g`"):
        m.gpt2(IDS, wrong, H=2)
    for extra in ({}, {"extra": 1}, {"extra": 1}):
        odd = types.SimpleNamespace(**vars(prepared.ln_f), **extra)
        given = m.GPT2(wte=prepared.wte, wpe=prepared.wpe, blocks=prepared.blocks, ln_f=odd)
        if not extra:
            assert np.abs(m.gpt2(IDS, given, H=2) - LOGITS).max() < 2e-5
            continue
        with pytest.raises(tdsl.CallError, match=r"unknown part `p\.ln_f\.extra`"):
            m.gpt2(IDS, given, H=2)


def test_lengths_are_left_open_with_structs(m: tdsl.Module, prepared: Any) -> None:
    f = m.gpt2.compile(H=2, dynamic=("T",))
    for length in (1, 3, 5):
        assert np.abs(f(IDS[:length], prepared) - LOGITS[:length]).max() < 2e-5
    info = f.cache_info()
    assert (info.hits, info.misses, info.currsize) == (2, 1, 1)
    assert "T=?" in info.instances[0]


def test_positions_out_of_range(m: tdsl.Module, prepared: Any) -> None:
    cache = empty_cache(m)
    for position in (-1, 32, 2**31 - 1):
        with pytest.raises(IndexError, match=rf"start {position} .*gpt2\.tdsl:\d+:\d+"):
            m.step(IDS[:1], position, cache, prepared)
    with pytest.raises(IndexError, match=r"index 97 .*axis 0 of size 97.*gpt2\.tdsl:\d+:\d+"):
        m.gpt2(np.array([1, 97, -1], np.int32), prepared, H=2)
    with pytest.raises(tdsl.DTypeError, match="holds -2147483648 to 2147483647"):
        m.step(IDS[:1], 2**31, cache, prepared)


def test_the_call_overhead_of_prepared_weights(m: tdsl.Module, prepared: Any) -> None:
    """Far above what is measured (bench/), so that a busy machine does not fail it."""
    import timeit

    reader = m.gpt2._reader
    assert reader.read((IDS, prepared)) is not None
    seconds = min(timeit.repeat(lambda: reader.read((IDS, prepared)), number=100, repeat=5)) / 100
    assert seconds < 60e-6
