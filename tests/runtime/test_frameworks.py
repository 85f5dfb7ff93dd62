"""Arrays of PyTorch and JAX go in without a copy, and results come back as theirs."""

from __future__ import annotations

import copy
import inspect
import os
import pickle
import re
import subprocess
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import tdsl

PROGRAM = """tdsl 0.1
pub struct Linear[I, O] { weight: f32[I, O], bias: f32[O] }
pub fn twice[E: dtype(any), ...S](x: E[...S]) -> E[...S] { x }
pub fn same[E: dtype(float), N](x: E[N], y: E[N]) -> E[N] { x + y }
pub fn counted[E: dtype(any), N](x: E[N], y: i64[N]) -> i64[N] { y }
pub fn layer[I, O, static k: int = 1](x: f32[I], p: Linear[I, O]) -> f32[O] { (x @ p.weight + p.bias) * k }
pub fn both[N](x: f32[N]) -> (Linear[N, N], f32[N]) { (Linear(weight=eye(N, f32), bias=x), x) }
pub fn scaled[N](ps: [Linear[N, N]; 2], x: f32[N]) -> f32[N] { x @ ps[1].weight }
"""

DTYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8")


@pytest.fixture(scope="module")
def m() -> tdsl.Module:
    return tdsl.loads(PROGRAM, name="frameworks")


@pytest.fixture(scope="module")
def torch() -> Any:
    return pytest.importorskip("torch", reason="torch is not installed")


@pytest.fixture(scope="module")
def jax() -> Any:
    return pytest.importorskip("jax", reason="jax is not installed")


class Spy:
    """An array of no known framework, which counts how it is asked for."""

    def __init__(self, array: np.ndarray, device: int = 1) -> None:
        self.array = array
        self.device = device
        self.asked: list[dict[str, Any]] = []

    def __dlpack__(self, **keywords: Any) -> Any:
        if self.device != 1:
            raise BufferError("not in main memory")
        self.asked.append(keywords)
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self.device, 0)


# --- any library


def test_a_versioned_capsule_is_asked_for_and_shared(m: tdsl.Module) -> None:
    x = np.arange(3, dtype=np.float32)
    x.flags.writeable = False  # only versioned capsules can say so
    spy = Spy(x)
    result = m.same(spy, x)
    assert isinstance(result, np.ndarray)
    assert result.tolist() == [0, 2, 4]
    assert spy.asked[0]["max_version"] >= (1, 0)


def test_memory_elsewhere_is_refused(m: tdsl.Module) -> None:
    one = np.ones(3, np.float32)
    with pytest.raises(tdsl.DTypeError, match=r"an array on cuda:0(.|\n)*copy the array to main"):
        m.same(Spy(one, device=2), one)
    with pytest.raises(
        tdsl.DTypeError, match=r"argument `x` of `same`(.|\n)*copy it to main memory"
    ):
        m.same(Spy(one, device=8), one)


def test_what_producers_may_give_besides(m: tdsl.Module) -> None:
    """Strides of all kinds, capsules of before DLPack 1.0, nothing, and what is no capsule."""

    class Old(Spy):
        def __dlpack__(self) -> Any:
            return self.array.__dlpack__()

    class Wrong(Spy):
        def __dlpack__(self, **keywords: Any) -> Any:
            return self.array

    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    for view in (x[::-1], x[:, ::2], x.T, x[1:, 1:], np.broadcast_to(x[0], (2, 4)), x[2, 3, ...]):
        for kind in (Spy, Old):
            if view.flags.writeable or kind is Spy:
                np.testing.assert_array_equal(m.twice(kind(view)), view)
    with pytest.raises(tdsl.SizeError, match="axis 0 has size 0"):
        m.twice(Spy(x[:0]))
    with pytest.raises(tdsl.DTypeError, match="cannot share"):
        m.twice(Wrong(x))


# --- PyTorch


@pytest.mark.parametrize("name", [*DTYPES, "bool", "uint32"])
def test_every_dtype_of_torch_goes_in_and_comes_back(m: tdsl.Module, torch: Any, name: str) -> None:
    dtype = getattr(torch, name)
    x = torch.arange(6).reshape(2, 3).to(dtype)
    y = m.twice(x)
    assert isinstance(y, torch.Tensor)
    assert y.dtype == dtype
    assert torch.equal(x.to(torch.float64), y.to(torch.float64))
    assert y.data_ptr() != x.data_ptr(), "results never share memory with arguments"
    scalar = m.twice(torch.tensor(1).to(dtype))
    assert scalar.shape == ()
    assert scalar.dtype == dtype


def test_tensors_are_read_where_they_lie(torch: Any) -> None:
    from tdsl.runtime.frameworks import TORCH

    for dtype in (torch.float32, torch.bfloat16):
        x = torch.zeros(4, 3, dtype=dtype)
        shared = TORCH.share(x)
        assert shared.ctypes.data == x.data_ptr()
        x[1, 2] = 7
        assert float(shared[1, 2]) == 7
        transposed = TORCH.share(x.T)
        assert transposed.ctypes.data == x.data_ptr()
        assert float(transposed[2, 1]) == 7
    given = np.ones(3, ml_dtypes.bfloat16)
    assert TORCH.give(given).data_ptr() == given.ctypes.data


def test_views_are_read_rightly(m: tdsl.Module, torch: Any) -> None:
    x = torch.arange(24.0).reshape(4, 6)
    for view in (x.T, x[::2, 1::2], x[:, 2], x.expand(3, 4, 6), -x[1]):
        np.testing.assert_array_equal(m.twice(view).numpy(), view.numpy())
    bits = torch.arange(12.0).to(torch.bfloat16).reshape(3, 4)
    assert torch.equal(m.twice(bits.T), bits.T)


def test_the_first_array_decides(m: tdsl.Module, torch: Any) -> None:
    x, y = torch.ones(3), np.ones(3, np.float32)
    assert isinstance(m.same(x, y), torch.Tensor)
    assert isinstance(m.same(y, x), np.ndarray)
    assert isinstance(m.same(y=x, x=y), np.ndarray)
    assert isinstance(m.same(x=x, y=y), torch.Tensor)


def test_results_with_parts(m: tdsl.Module, torch: Any) -> None:
    linear, x = m.both(torch.arange(2.0))
    assert type(linear) is m.Linear
    assert torch.equal(linear.weight, torch.eye(2))
    assert torch.equal(linear.bias, x)


def test_tensors_inside_of_structs_and_lists(m: tdsl.Module, torch: Any) -> None:
    weight, bias = torch.arange(6.0).reshape(3, 2), torch.ones(2)
    x = torch.tensor([1.0, 2.0, 3.0])
    p = {"weight": weight, "bias": bias}
    assert torch.equal(m.layer(x, p), x @ weight + bias)
    assert isinstance(m.layer(x.numpy(), p), np.ndarray)
    square = {"weight": torch.eye(3) * 5, "bias": torch.ones(3)}
    assert torch.equal(m.scaled([square, square], x), x * 5)


def test_a_state_dict_is_bound(m: tdsl.Module, torch: Any) -> None:
    linear = torch.nn.Linear(3, 2)
    x = torch.tensor([1.0, 2.0, 3.0])
    p = m.Linear.bind(linear.state_dict(), layout="torch")
    torch.testing.assert_close(m.layer(x, p), linear(x).detach())


def test_what_cannot_be_shared_is_said(m: tdsl.Module, torch: Any) -> None:
    x = torch.ones(3)
    with pytest.raises(tdsl.DTypeError, match=r"requires gradients.*\n.*\n.*`x\.detach\(\)`"):
        m.same(x.clone().requires_grad_(), x)
    with torch.no_grad():
        assert m.same(x.clone().requires_grad_(), x).tolist() == [2, 2, 2]
    with pytest.raises(tdsl.DTypeError, match=r"a tensor on meta.*\n.*\n.*`y\.cpu\(\)`"):
        m.same(x, x.to("meta"))
    with pytest.raises(tdsl.DTypeError, match=r"sparse.*\n.*\n.*to_dense"):
        m.same(x.to_sparse(), x)
    with pytest.raises(tdsl.DTypeError, match="complex"):
        m.same(x.to(torch.complex64), x)
    with pytest.raises(tdsl.DTypeError, match="float8"):
        m.same(x.to(torch.float8_e4m3fn), x)
    with pytest.raises(tdsl.ShapeError, match="wants N = 3, found 4"):
        m.same(x, torch.ones(4))


def test_tensors_without_memory_are_refused(m: tdsl.Module, torch: Any) -> None:
    """NumPy takes a null pointer for a wish to get memory, with whatever is in it."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    x = torch.ones(3)
    with FakeTensorMode():
        fake, short = torch.ones(3), torch.ones(3, dtype=torch.bfloat16)
    freed = torch.ones(3)
    freed.untyped_storage().resize_(0)
    for value in (fake, short, freed):
        with pytest.raises(tdsl.DTypeError, match=r"elements do not lie in memory"):
            m.twice(value)
    for transform in (torch.vmap, torch.func.functionalize):
        with pytest.raises(tdsl.DTypeError, match=r"do not lie in memory(.|\n)*torch\.func"):
            transform(m.twice)(torch.ones(2, 3))
    with pytest.raises(tdsl.BindError, match=r"`bias` is .*do not lie in memory"):
        m.Linear.bind({"weight": torch.eye(3), "bias": freed})
    assert m.same(x, x).tolist() == [2, 2, 2]


def test_capsules_without_memory_are_refused(m: tdsl.Module, torch: Any) -> None:
    class Freed(Spy):
        """Of no known framework, and with nothing in it."""

        def __dlpack__(self, **keywords: Any) -> Any:
            tensor = torch.ones(3)
            tensor.untyped_storage().resize_(0)
            return tensor.__dlpack__(**keywords)

    with pytest.raises(tdsl.DTypeError, match="no memory"):
        m.twice(Freed(np.ones(3)))
    with pytest.raises(tdsl.BindError, match="no memory"):
        m.Linear.bind({"weight": torch.eye(3), "bias": Freed(np.ones(3))})


def test_forward_gradients_are_not_lost_silently(m: tdsl.Module, torch: Any) -> None:
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.ones(3), torch.ones(3))
        with pytest.raises(tdsl.DTypeError, match=r"forward gradient(.|\n)*unpack_dual\(x\)"):
            m.same(dual, dual)
        assert m.same(*[forward_ad.unpack_dual(dual).primal] * 2).tolist() == [2, 2, 2]


@pytest.mark.filterwarnings("ignore:.*quantized tensor creation:UserWarning")
def test_help_is_in_the_words_of_the_framework(m: tdsl.Module, torch: Any) -> None:
    x = torch.ones(3)
    p = {"weight": torch.eye(3).half(), "bias": x}
    for call, help in {
        lambda: m.layer(x.double(), p): "convert, as with `x.to(torch.float32)`",
        lambda: m.layer(x, p): "pass `p.weight.to(torch.float32)`",
        lambda: m.same(x, x.bfloat16()): "pass `y.to(torch.float32)`",
        lambda: m.same(x.bfloat16(), x): "pass `y.to(torch.bfloat16)`",
        lambda: m.same(x.int(), x): "`x.to(torch.float32)`",
        lambda: m.same(x, x.to(torch.uint16)): "`y.to(torch.float32)`",
        lambda: m.same(x.to(torch.float8_e5m2), x): "`x.to(torch.float32)`",
        lambda: m.same(x.to(torch.complex64), x): "real and imaginary parts",
        lambda: m.same(x.to(torch.complex64).conj(), x): "`x.real`, `x.imag`",
        lambda: m.same(torch.quantize_per_tensor(x, 1, 0, torch.qint8), x): "`x.dequantize()`",
    }.items():
        with pytest.raises(tdsl.DTypeError, match=re.escape(help)):
            call()


def test_a_subclass_of_tensor_is_one(m: tdsl.Module, torch: Any) -> None:
    class Mine(torch.Tensor):
        pass

    assert isinstance(m.same(torch.ones(3).as_subclass(Mine), torch.ones(3)), torch.Tensor)


# --- torch modules


def test_a_function_as_a_module(m: tdsl.Module, torch: Any) -> None:
    linear = torch.nn.Linear(3, 2)
    params = {"weight": linear.weight.T.detach(), "bias": linear.bias.detach()}
    module = tdsl.torch.module(m.layer, params)
    assert isinstance(module, torch.nn.Module)
    assert not module.training
    x = torch.tensor([1.0, 2.0, 3.0])
    torch.testing.assert_close(module(x), linear(x).detach())
    torch.testing.assert_close(module(x=x, k=3), 3 * linear(x).detach())
    torch.testing.assert_close(module(x.clone().requires_grad_()), linear(x).detach())
    double = tdsl.torch.module(m.layer, m.Linear.bind(params), k=2)
    torch.testing.assert_close(double(x), 2 * linear(x).detach())
    assert str(inspect.signature(double)) == "(x: 'f32[I]') -> 'f32[O]'"
    both = torch.nn.Sequential(module, torch.nn.ReLU())
    torch.testing.assert_close(both(x), linear(x).detach().relu())
    assert "layer" in repr(both)
    torch.testing.assert_close(copy.deepcopy(module)(x), module(x))
    torch.testing.assert_close(torch.compile(module)(x), module(x))


def test_a_function_inside_of_what_torch_compiles(m: tdsl.Module, torch: Any) -> None:
    plain = torch.compiler.disable(m.same)
    compiled = torch.compile(lambda x: plain(x + 1, x) * 2, backend="eager")
    for count in (3, 4):
        assert compiled(torch.ones(count)).tolist() == [6] * count


def test_what_is_no_module(m: tdsl.Module, torch: Any) -> None:
    with pytest.raises(TypeError, match=r"`same` must have one struct parameter.*it has none"):
        tdsl.torch.module(m.same, {})
    p = {"weight": torch.eye(2), "bias": torch.ones(2)}
    with pytest.raises(TypeError, match="takes a function of a TDSL module"):
        tdsl.torch.module(print, p)
    with pytest.raises(TypeError, match=r"`layer` takes no static `heads`: \(x"):
        tdsl.torch.module(m.layer, p, heads=2)
    module = tdsl.torch.module(m.layer, p)
    with pytest.raises(RuntimeError, match="for inference"):
        module.train()
    assert module.eval() is module
    with pytest.raises(TypeError, match="forward takes"):
        module(torch.ones(2), torch.ones(2))
    with pytest.raises(tdsl.CallError):
        module(torch.ones(3))


# --- JAX


@pytest.mark.parametrize(
    "name", ["float32", "bfloat16", "float16", "int32", "int8", "uint8", "bool"]
)
def test_every_dtype_of_jax_goes_in_and_comes_back(m: tdsl.Module, jax: Any, name: str) -> None:
    x = jax.numpy.arange(6).reshape(2, 3).astype(name)
    y = m.twice(x)
    assert isinstance(y, jax.Array)
    assert y.dtype == x.dtype
    assert bool((x == y).all())
    assert m.twice(x[0, 0]).shape == ()


def test_jax_arrays_are_read_where_they_lie(jax: Any) -> None:
    from tdsl.runtime.frameworks import JAX

    x = jax.numpy.arange(64, dtype="float32")
    shared = JAX.share(x)
    assert shared.ctypes.data == x.unsafe_buffer_pointer()
    assert not shared.flags.writeable


def test_results_of_64_bits_keep_them(m: tdsl.Module, jax: Any) -> None:
    """Though JAX by itself would make them half as long."""
    one = jax.numpy.ones(2, "float32")
    large = np.array([2**40 + 1, -1])
    assert not jax.config.jax_enable_x64
    result = m.counted(one, large)
    assert isinstance(result, jax.Array)
    assert result.dtype == "int64"
    assert np.asarray(result).tolist() == large.tolist()
    assert m.counted(result, result).dtype == "int64"


def test_what_jax_cannot_give_is_said(m: tdsl.Module, jax: Any) -> None:
    gone = jax.numpy.ones(3)
    gone.delete()
    with pytest.raises(tdsl.DTypeError, match="has been deleted"):
        m.twice(gone)
    with pytest.raises(tdsl.DTypeError, match="PRNG"):
        m.twice(jax.random.key(0))
    with pytest.raises(tdsl.DTypeError, match=r"`y\.astype\(jax\.numpy\.float32\)`"):
        m.same(jax.numpy.ones(3, "float32"), jax.numpy.ones(3, "bfloat16"))
    for name in ("float8_e4m3fn", "int4"):
        with pytest.raises(tdsl.DTypeError, match=r"convert it: `x\.astype"):
            m.twice(jax.numpy.ones(3, name))


def test_arrays_on_several_devices_are_gathered() -> None:
    pytest.importorskip("jax", reason="jax is not installed")
    code = (
        "import jax, numpy as np, tdsl\n"
        "from jax.sharding import Mesh, NamedSharding, PartitionSpec\n"
        "mesh = Mesh(np.array(jax.devices()), 'a')\n"
        "x = jax.numpy.arange(8.0)\n"
        "x = jax.device_put(x, NamedSharding(mesh, PartitionSpec('a')))\n"
        "assert len(x.devices()) == 4\n"
        "m = tdsl.loads('tdsl 0.1\\npub fn f[N](x: f32[N]) -> f32[N] { x * 2.0 }\\n')\n"
        "assert m.f(x).tolist() == [2.0 * n for n in range(8)]\n"
    )
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | flags)


def test_inside_of_jit_is_refused_and_a_callback_works(m: tdsl.Module, jax: Any) -> None:
    x = jax.numpy.arange(3.0)
    with pytest.raises(tdsl.DTypeError, match="pure_callback"):
        jax.jit(lambda x: m.same(x, x))(x)
    alike = jax.ShapeDtypeStruct(x.shape, x.dtype)
    found = jax.jit(lambda x: jax.pure_callback(m.same, alike, x, x))(x)
    assert found.tolist() == [0, 2, 4]


def test_torch_and_jax_are_not_imported_for_others() -> None:
    code = (
        "import sys, numpy as np, tdsl\n"
        "m = tdsl.loads('tdsl 0.1\\npub fn f[N](x: f32[N]) -> f32[N] { x }\\n')\n"
        "m.f(np.ones(2, np.float32))\n"
        "assert not {'torch', 'jax'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_what_functions_say_of_themselves(m: tdsl.Module) -> None:
    assert (
        str(inspect.signature(m.layer))
        == "(x: 'f32[I]', p: 'Linear[I, O]', *, k: int = 1) -> 'f32[O]'"
    )
    assert "Linear[I, O]" in repr(m.layer)
    assert "weight: f32[I, O]" in m.Linear.__doc__
    assert {"layer", "Linear", "same"} <= {*dir(m)}
    assert {"compile", "mlir", "cache_info"} <= {*dir(m.layer)}
    assert pickle.loads(pickle.dumps(m.layer)).__name__ == "layer"
