"""Passes that change shapes and destinations, one idea a test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlir import ir
from native_support import Native, open_interface, tensor

from tdsl.cpu.backend import CPU
from tdsl.lowering.options import Options
from tdsl.lowering.passes.reshape_to_expand import groups
from tdsl.lowering.pipeline import context, count_buffers, lower, lower_text
from tdsl.types.sizes import Size, Symbol

_T = Size.of(Symbol("T"))


def _sizes(*shape: int | Size) -> list[Size]:
    return [Size.of(size) for size in shape]


@pytest.mark.parametrize(
    ("source", "result", "wanted"),
    [
        ((6,), (2, 3), ([[0]], [[0, 1]])),
        ((4, 6), (4, 2, 3), ([[0], [1]], [[0], [1, 2]])),
        ((2, 6), (3, 4), ([[0, 1]], [[0, 1]])),
        ((1, 6), (6,), ([[0, 1]], [[0]])),
        ((6, 1), (6,), ([[0, 1]], [[0]])),
        ((6,), (6, 1, 1), ([[0]], [[0, 1, 2]])),
        ((2, 1, 3), (2, 3), ([[0], [1, 2]], [[0], [1]])),
        ((_T, 12), (_T, 3, 4), ([[0], [1]], [[0], [1, 2]])),
        ((_T, 3, 4), (_T * 3, 4), ([[0, 1], [2]], [[0], [1]])),
        ((_T, 6), (6, _T), ([[0, 1]], [[0, 1]])),
        ((), (1, 1), ([], [])),
    ],
)
def test_runs_of_axes(source: tuple, result: tuple, wanted: tuple) -> None:
    assert groups(_sizes(*source), _sizes(*result)) == wanted


def _reshape(source: tuple, result: tuple) -> str:
    a, b = tensor(*source), tensor(*result)
    shape = f"arith.constant dense<[{', '.join(map(str, result))}]> : tensor<{len(result)}xindex>"
    if not result:
        shape = "arith.constant dense<> : tensor<0xindex>"
    rank = len(result)
    return f"""
func.func @f(%x: {a}) -> {b} {{
  %s = {shape}
  %r = tensor.reshape %x(%s) : ({a}, tensor<{rank}xindex>) -> {b}
  return %r : {b}
}}"""


@given(st.lists(st.sampled_from([1, 2, 3, 4]), max_size=4), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=25)
def test_any_reshape(source: list[int], random: object) -> None:
    count = int(np.prod(source))
    result: list[int] = []
    rest = count
    while rest > 1 or len(result) < random.randint(0, 3):  # type: ignore[attr-defined]
        divisors = [d for d in range(1, rest + 1) if rest % d == 0]
        result.append(random.choice(divisors))  # type: ignore[attr-defined]
        rest //= result[-1]
    x = np.arange(count, dtype=np.float32).reshape(source)
    (found,) = Native(_reshape(tuple(source), tuple(result)))(x)
    np.testing.assert_array_equal(found, x.reshape(result))


def test_open_reshape_without_a_common_grouping() -> None:
    text = """
func.func @f(%x: tensor<?x6xf32>) -> tensor<3x?x2xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %t = tensor.dim %x, %c0 : tensor<?x6xf32>
  %s = tensor.from_elements %c3, %t, %c2 : tensor<3xindex>
  %r = tensor.reshape %x(%s) : (tensor<?x6xf32>, tensor<3xindex>) -> tensor<3x?x2xf32>
  return %r : tensor<3x?x2xf32>
}"""
    native = Native(text, interface=open_interface([("T", 6)], [(3, "T", 2)]))
    for t in (1, 2, 5):
        x = np.arange(t * 6, dtype=np.float32).reshape(t, 6)
        np.testing.assert_array_equal(native(x, sizes=(t,))[0], x.reshape(3, t, 2))


@pytest.mark.parametrize("offset", [0, 1, 5])
def test_reshape_of_a_slice_that_is_not_contiguous(offset: int) -> None:
    whole, part, result = tensor(4, 12), tensor(4, 6), tensor(24)
    text = f"""
func.func @f(%x: {whole}) -> {result} {{
  %s = tensor.extract_slice %x[0, {offset}] [4, 6] [1, 1] : {whole} to {part}
  %n = arith.constant dense<[24]> : tensor<1xindex>
  %r = tensor.reshape %s(%n) : ({part}, tensor<1xindex>) -> {result}
  return %r : {result}
}}"""
    x = np.arange(48, dtype=np.float32).reshape(4, 12)
    np.testing.assert_array_equal(Native(text)(x)[0], x[:, offset : offset + 6].reshape(24))


def _generic(name: str, ins: str, rank: int, type_: str, body: str) -> str:
    axes = ", ".join(f"d{axis}" for axis in range(rank))
    identity = f"affine_map<({axes}) -> ({axes})>"
    count = ins.count("%")
    arguments = ", ".join(f"%a{at}: f32" for at in range(count))
    kinds = ", ".join(['"parallel"'] * rank)
    maps = ", ".join([identity] * (count + 1))
    return f"""
  %{name}_e = tensor.empty() : {type_}
  %{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
    ins({ins} : {", ".join([type_] * count)}) outs(%{name}_e : {type_}) {{
  ^bb0({arguments}, %o: f32):
    {body}
    linalg.yield %y : f32
  }} -> {type_}"""


def test_a_chain_is_one_loop_in_the_result() -> None:
    t = tensor(6, 8)
    text = f"""
func.func @f(%x: {t}) -> {t} {{
{_generic("p", "%x", 2, t, "%y = math.exp %a0 : f32")}
{_generic("q", "%p", 2, t, "%y = arith.addf %a0, %a0 : f32")}
{_generic("r", "%q, %x", 2, t, "%y = arith.mulf %a0, %a1 : f32")}
  return %r : {t}
}}"""
    with context():
        module = ir.Module.parse(text)
        lower(module, "bufferized", Options(), CPU)
        assert str(module).count("linalg.generic") == 1
        assert count_buffers(module) == (0, 0)
    x = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
    for options in (Options(), Options(fuse=False)):
        np.testing.assert_allclose(Native(text, options)(x)[0], 2 * np.exp(x) * x, rtol=1e-5)


def test_a_value_that_is_read_again_is_not_overwritten() -> None:
    t = tensor(6, 8)
    text = f"""
func.func @f(%x: {t}) -> ({t}, {t}) {{
{_generic("p", "%x", 2, t, "%y = math.exp %a0 : f32")}
{_generic("q", "%p", 2, t, "%y = arith.addf %a0, %a0 : f32")}
{_generic("r", "%p, %q", 2, t, "%y = arith.mulf %a0, %a1 : f32")}
  return %p, %r : {t}, {t}
}}"""
    x = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
    for options in (Options(), Options(fuse=False)):
        one, two = Native(text, options)(x)
        np.testing.assert_allclose(one, np.exp(x), rtol=1e-6)
        np.testing.assert_allclose(two, 2 * np.exp(x) ** 2, rtol=1e-6)


def test_fusion_leaves_products_named() -> None:
    """An expand_shape next to a product, or an elementwise operation, must not swallow it."""
    x, w, y = tensor(8, 6), tensor(6, 4), tensor(8, 4)
    for target in ((8, 2, 2), (2, 4, 4), (32,)):
        z = tensor(*target)
        dims = ", ".join(map(str, target))
        text = f"""
func.func @f(%x: {x}, %w: {w}) -> {z} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {y}
  %f = linalg.fill ins(%z : f32) outs(%e : {y}) -> {y}
  %p = linalg.matmul ins(%x, %w : {x}, {w}) outs(%f : {y}) -> {y}
{_generic("g", "%p", 2, y, "%y = math.exp %a0 : f32")}
  %n = arith.constant dense<[{dims}]> : tensor<{len(target)}xindex>
  %r = tensor.reshape %g(%n) : ({y}, tensor<{len(target)}xindex>) -> {z}
  return %r : {z}
}}"""
        assert "linalg.matmul" in lower_text(text, "bufferized", Options(), CPU)


@pytest.mark.parametrize("axis", [0, 1])
def test_sums_along_either_axis(axis: int) -> None:
    x_type, y_type = tensor(5, 7), tensor(7 if axis == 0 else 5)
    kinds = ['"parallel"', '"parallel"']
    kinds[axis] = '"reduction"'
    kept = "d1" if axis == 0 else "d0"
    text = f"""
func.func @f(%x: {x_type}) -> {y_type} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {y_type}
  %f = linalg.fill ins(%z : f32) outs(%e : {y_type}) -> {y_type}
  %r = linalg.generic {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ({kept})>], iterator_types = [{", ".join(kinds)}]}}
    ins(%x : {x_type}) outs(%f : {y_type}) {{
  ^bb0(%a: f32, %o: f32):
    %y = arith.addf %o, %a : f32
    linalg.yield %y : f32
  }} -> {y_type}
  return %r : {y_type}
}}"""
    x = np.random.default_rng(0).standard_normal((5, 7)).astype(np.float32)
    np.testing.assert_allclose(Native(text)(x)[0], x.sum(axis), rtol=1e-5, atol=1e-6)


def test_the_row_loop_is_not_shared_across_rows() -> None:
    """y[i] = x[i] + row sums of the reversed order: the second operation reads other rows."""
    t, v = tensor(6, 5), tensor(6)
    text = f"""
func.func @f(%x: {t}) -> {t} {{
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : {v}
  %f = linalg.fill ins(%z : f32) outs(%e : {v}) -> {v}
  %s = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}}
    ins(%x : {t}) outs(%f : {v}) {{
  ^bb0(%a: f32, %o: f32):
    %y = arith.addf %o, %a : f32
    linalg.yield %y : f32
  }} -> {v}
  %w = tensor.empty() : {t}
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (5 - i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
    ins(%x, %s : {t}, {v}) outs(%w : {t}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.addf %a, %b : f32
    linalg.yield %y : f32
  }} -> {t}
  return %r : {t}
}}"""
    x = np.random.default_rng(0).standard_normal((6, 5)).astype(np.float32)
    wanted = x + x.sum(1)[::-1, None]
    np.testing.assert_allclose(Native(text)(x)[0], wanted, rtol=1e-5, atol=1e-6)


def test_reductions_are_vectorised_and_nothing_else_is_reordered() -> None:
    from native_support import softmax

    text = lower_text(softmax(8, 512), "llvm", Options(), CPU)
    assert text.count("reassoc") == 1, "the sum, and only the sum"
    assert "llvm.intr.maximum" in text
    plain = lower_text(softmax(8, 512), "llvm", Options(vectorize=False), CPU)
    assert "reassoc" not in plain


def _scaled_by_vector(axis: int, operation: str) -> str:
    """x * operation(w), w along one axis of x."""
    t, v = tensor(6, 8), tensor((6, 8)[axis])
    return f"""
func.func @f(%x: {t}, %w: {v}) -> {t} {{
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : {t}
  %ve = tensor.empty() : {v}
  %p = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
    ins(%w : {v}) outs(%ve : {v}) {{
  ^bb0(%a: f32, %o: f32):
    %y = {operation}
    linalg.yield %y : f32
  }} -> {v}
  %e = tensor.empty() : {t}
  %r = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ({"ij"[axis]})>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
    ins(%x, %p : {t}, {v}) outs(%e : {t}) {{
  ^bb0(%a: f32, %b: f32, %o: f32):
    %y = arith.mulf %a, %b : f32
    linalg.yield %y : f32
  }} -> {t}
  return %r : {t}
}}"""


@pytest.mark.parametrize(
    ("axis", "operation", "loops"),
    [
        (1, "math.exp %a : f32", 2),  # once for each row: kept apart
        (0, "math.exp %a : f32", 1),  # once before each row's loop
        (1, "arith.addf %a, %a : f32", 1),  # cheap
    ],
)
def test_costly_values_are_not_computed_at_each_reading(
    axis: int, operation: str, loops: int
) -> None:
    text = lower_text(_scaled_by_vector(axis, operation), "bufferized", Options(), CPU)
    assert text.count("linalg.generic") == loops
    random = np.random.default_rng(0)
    x, w = (random.standard_normal(s).astype(np.float32) for s in ((6, 8), (8 if axis else 6,)))
    found = Native(_scaled_by_vector(axis, operation))(x, w)[0]
    value = np.exp(w) if "exp" in operation else 2 * w
    np.testing.assert_allclose(found, x * (value if axis else value[:, None]), rtol=1e-6)


def test_costly_values_of_open_size() -> None:
    text = (
        _scaled_by_vector(1, "math.exp %a : f32")
        .replace("constant 0 : index", "constant 1 : index")
        .replace("8xf32", "?xf32")
        .replace("tensor.empty()", "tensor.empty(%t)")
    )
    interface = open_interface([(6, "T"), ("T",)], [(6, "T")])
    assert "linalg.copy" in lower_text(text, "bufferized", Options(), CPU, interface)
    native = Native(text, interface=interface)
    random = np.random.default_rng(0)
    for size in (1, 3, 40):
        x, w = (random.standard_normal(s).astype(np.float32) for s in ((6, size), (size,)))
        np.testing.assert_allclose(native(x, w, sizes=(size,))[0], x * np.exp(w), rtol=1e-6)


def test_an_addition_in_place_is_not_a_sum() -> None:
    """It overwrites an operand, and looks like an accumulation."""
    t = tensor(6, 8)
    text = f"""
func.func @f(%x: {t}) -> {t} {{
{_generic("p", "%x", 2, t, "%y = math.sqrt %a0 : f32")}
{_generic("q", "%p, %x", 2, t, "%y = arith.addf %a0, %a1 : f32")}
  return %q : {t}
}}"""
    lowered = lower_text(text, "llvm", Options(fuse=False), CPU)
    assert "llvm.fadd" in lowered
    assert "reassoc" not in lowered


_LOOP = """
func.func @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %x) -> (tensor<?x4xf32>) {
    %t = tensor.dim %s, %c0 : tensor<?x4xf32>
    %e = tensor.empty(%t) : tensor<?x4xf32>
    %n = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %v = arith.mulf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<?x4xf32>
    %z = tensor.empty(%t) : tensor<?x4xf32>
    %m = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 3 - j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%n, %s : tensor<?x4xf32>, tensor<?x4xf32>) outs(%z : tensor<?x4xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %v = arith.addf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<?x4xf32>
    scf.yield %m : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}"""


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("options", [Options(), Options(fuse=False, reuse_scratch=False)])
def test_a_loop_that_carries_an_array(options: Options, fixed: bool) -> None:
    if fixed:
        text = _LOOP.replace("?x4", "20x4").replace("tensor.empty(%t)", "tensor.empty()")
        native = Native(text, options)
    else:
        native = Native(_LOOP, options, open_interface([("T", 4), ("T", 4)], [("T", 4)]))
    random = np.random.default_rng(0)
    for t in (20,) if fixed else (1, 3, 20):
        x, y = (random.standard_normal((t, 4)).astype(np.float32) for _ in range(2))
        wanted = x
        for _ in range(3):
            wanted = (wanted * y)[:, ::-1] + wanted
        (found,) = native(x, y, sizes=() if fixed else (t,))
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
