"""programs/vit.tdsl against the NumPy forward of programs/vit.py, for several images and sizes."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tdsl

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("vit_script", ROOT / "programs/vit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=["all", "none"])
def program(request: pytest.FixtureRequest) -> Any:
    return tdsl.load(ROOT / "programs/vit.tdsl", kernels=request.param)


@pytest.mark.parametrize(
    ("count", "colours", "grid", "patch", "heads"),
    [(1, 1, (1, 1), 2, 1), (3, 3, (2, 3), 4, 2), (2, 2, (4, 1), 3, 8)],
)
def test_classes_have_the_logits_of_numpy(
    program: Any,
    script: ModuleType,
    count: int,
    colours: int,
    grid: tuple[int, int],
    patch: int,
    heads: int,
) -> None:
    model = script.parameters(colours, grid, patch, width=16, layers=2, classes=4)
    shape = (count, colours, grid[0] * patch, grid[1] * patch)
    images = np.random.default_rng(2).standard_normal(shape, dtype=np.float32)
    logits = program.classify(images, model, heads=heads)
    expected = np.stack([script.oracle(image, model, heads) for image in images])
    np.testing.assert_allclose(logits, expected, rtol=2e-5, atol=2e-5)


def test_an_image_must_have_as_many_patches_as_there_are_positions(script: ModuleType) -> None:
    program = tdsl.load(ROOT / "programs/vit.tdsl")
    model = script.parameters(3, (2, 3), patch=4, width=16, layers=1, classes=4)
    with pytest.raises(tdsl.ShapeError, match=r"positions"):
        program.classify(np.zeros((1, 3, 8, 16), np.float32), model, heads=2)
    with pytest.raises(tdsl.ShapeError, match=r"images"):
        program.classify(np.zeros((1, 3, 9, 12), np.float32), model, heads=2)
