"""Calling functions from Python: arguments, errors, instances, and the rest of the surface."""

from __future__ import annotations

import inspect
import pickle
import pydoc
import subprocess
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import tdsl
from tdsl.engine import worker
from tdsl.runtime import calling

PROGRAM = """## Small functions.
tdsl 0.1

## Affine map.
pub fn linear[M, K, N](x: f32[M, K], w: f32[K, N], b: f32[N]) -> f32[M, N] { x @ w + b }
pub fn heads[T, C, static H, D](x: f32[T, C]) -> f32[H, T, D] where C == H * D {
    transpose(reshape(x, [T, H, D]), [1, 0, 2])
}
pub fn scale[E: dtype(float), ...S](x: E[...S], by: E) -> E[...S] { x * by }
pub fn positions[T, N](x: f32[T], table: f32[N]) -> f32[T] where T <= N { x + table[0:T] }
pub fn nested[N](x: f32[N], y: f32[N]) -> (f32[N], (f32, f32[N])) { (x + y, (sum(x), x * y)) }
pub fn apart[N](p: (f32[N], (f32[N], f32[N])), s: f32) -> (f32[N], (f32[N], f32[N])) {
    let (x, (y, z)) = p
    (x + y, (y, z * s))
}
pub fn count[static N](x: f32) -> f32[N] { full([N], x, f32) }
pub fn shifted[N](x: f32[N], by: f32 = 1.5) -> f32[N] { x + by }
pub fn flags[N](x: f32[N], y: f32[N]) -> bool[N] { x < y }
fn hidden[N](x: i32[N]) -> i32[N] { x + 1 }
"""


@pytest.fixture(scope="module")
def m() -> tdsl.Module:
    return tdsl.loads(PROGRAM, name="surface")


def numbers(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.random.default_rng(1).standard_normal(shape).astype(dtype)


def test_linear_within_the_stated_bounds(m: tdsl.Module) -> None:
    x, w, b = numbers(3, 5), numbers(5, 7), numbers(7)
    y = m.linear(x, w, b)
    assert y.dtype == np.float32
    expected = x.astype(np.float64) @ w + b
    np.testing.assert_allclose(y, expected, rtol=2e-6, atol=2e-6)
    np.testing.assert_array_equal(m.linear(x, b=b, w=w), y)


def test_wrong_sizes_say_what_fixed_them(m: tdsl.Module) -> None:
    with pytest.raises(tdsl.ShapeError) as caught:
        m.linear(numbers(3, 5), numbers(6, 7), numbers(7))
    error = caught.value
    text = str(error)
    assert isinstance(error, TypeError)
    assert error.code == "E0703"
    assert error.argument == "w"
    assert error.expected == "f32[K, N]"
    assert error.found == "f32[6, 7]"
    assert error.fixed["K"][0] == "5"
    assert "wants K = 5, found 6" in text
    assert "K = 5 was fixed by `x: f32[M, K]`, which is f32[3, 5]" in text
    assert "<surface>:5:" in text
    assert error.spans[0].text in "w: f32[K, N]"
    assert "transposed" not in text


def test_a_transposed_argument_is_recognised_only_where_it_would_fit(m: tdsl.Module) -> None:
    with pytest.raises(tdsl.ShapeError, match=r"it fits transposed: `w\.T`"):
        m.linear(numbers(3, 5), numbers(7, 5), numbers(7))


def test_the_dtype_is_checked_before_the_shape(m: tdsl.Module) -> None:
    with pytest.raises(tdsl.DTypeError) as caught:
        m.linear(numbers(3, 5), numbers(6, 7), numbers(7, dtype=np.float64))
    assert caught.value.argument == "b"
    assert "must be f32[N], not f64[7]" in str(caught.value)
    assert "b.astype(np.float32)" in str(caught.value)


@pytest.mark.parametrize(
    ("call", "code", "says"),
    [
        (lambda m, x: m.linear(x), "E0503", "`w: f32[K, N]`, `b: f32[N]` are missing"),
        (lambda m, x: m.linear(x, x, x, x), "E0503", "takes 3 arguments, not 4"),
        (lambda m, x: m.linear(x, x, x, x=x), "E0509", "`x` of `linear` is given twice"),
        (lambda m, x: m.linear(x, x, bias=x), "E0501", "no parameter `bias`"),
        (lambda m, x: m.linear(x, x, x[0], K=2), "E0501", "linear.compile(K=…)"),
        (lambda m, x: m.heads(x), "E0510", "needs its static parameter"),
        (lambda m, x: m.heads(x, 2), "E0503", "pass static parameters by name: `H=…`"),
        (lambda m, x: m.heads(x, H=2.0), "E0502", "must be an integer, not 2.0"),
        (lambda m, x: m.heads(x, H=True), "E0502", "must be an integer, not True"),
        (lambda m, x: m.heads(x, H=[2]), "E0502", "must be an integer"),
        (lambda m, x: m.heads(x, H=0), "E0508", "must be 1 or more"),
        (lambda m, x: m.heads(x, H=3), "E0703", "3 does not divide 4"),
        (lambda m, x: m.positions(x[0], x[0, :3]), "E0507", "T <= N"),
        (lambda m, x: m.scale(1.5, 2.0), "E0506", "cannot be inferred"),
        (lambda m, x: m.linear(x[0], x, x[0]), "E0703", "must have 2 axes, not 1"),
        (lambda m, x: m.linear(x, x[:, :0], x[0, :0]), "E0703", "`w` of `linear` is empty"),
    ],
)
def test_calls_that_do_not_fit(m: tdsl.Module, call, code: str, says: str) -> None:
    with pytest.raises(tdsl.CallError) as caught:
        call(m, numbers(4, 4))
    assert caught.value.code == code
    assert says in str(caught.value)
    assert "<surface>:" in str(caught.value)


def test_equal_statics_of_another_type_do_not_slip_through_the_fast_path(m: tdsl.Module) -> None:
    x = numbers(3, 4)
    m.heads(x, H=1)
    for wrong in (True, 1.0):
        with pytest.raises(tdsl.CallError):
            m.heads(x, H=wrong)
    np.testing.assert_array_equal(m.heads(x, H=np.int64(1)), x[None])


def test_dtype_parameters_and_weak_scalars(m: tdsl.Module) -> None:
    for dtype in (np.float32, np.float64, np.float16, ml_dtypes.bfloat16):
        x = numbers(2, 3).astype(dtype)
        for by in (2, 2.0, np.asarray(2, dtype)):
            y = m.scale(x, by)
            assert y.dtype == dtype
            np.testing.assert_array_equal(y.astype(float), (x * dtype(2)).astype(float))
    with pytest.raises(tdsl.DTypeError, match="E = f32 was fixed by argument `x`"):
        m.scale(numbers(3), np.float64(2))
    with pytest.raises(tdsl.DTypeError):
        m.scale(numbers(3), True)


def test_nested_results(m: tdsl.Module) -> None:
    x, y = numbers(4), numbers(4) + 1
    one, (total, two) = m.nested(x, y)
    np.testing.assert_allclose(one, x + y, rtol=1e-6)
    np.testing.assert_allclose(total, x.sum(), rtol=1e-5)
    np.testing.assert_allclose(two, x * y, rtol=1e-6)


def test_tuples_of_arrays_are_taken_apart(m: tdsl.Module) -> None:
    x, y = numbers(4), numbers(4) + 1
    total, both = m.apart((x, (y, y)), np.float32(2))
    np.testing.assert_array_equal(total, x + y)
    np.testing.assert_array_equal(both[1], y * 2)
    np.testing.assert_array_equal(m.apart([x, [y, y]], 2.0)[0], x + y)
    for wrong in (x, (x, y, y), (x, (y,)), None):
        with pytest.raises(tdsl.CallError, match="must be a tuple of 2 items"):
            m.apart(wrong, 2.0)
    with pytest.raises(
        tdsl.ShapeError, match=r"`p\[1\]\[0\]` of `apart` has the wrong size"
    ) as caught:
        m.apart((x, (y[:3], y)), 2.0)
    assert caught.value.argument == "p[1][0]"


def test_arguments_with_defaults(m: tdsl.Module) -> None:
    x = numbers(4)
    for _ in range(2):
        np.testing.assert_array_equal(m.shifted(x), x + np.float32(1.5))
        np.testing.assert_array_equal(m.shifted(x, 2.0), x + np.float32(2))
        np.testing.assert_array_equal(m.shifted(x, by=np.float32(3)), x + np.float32(3))
    assert str(inspect.signature(m.shifted)).startswith("(x: 'f32[N]', by: 'f32' = 1.5)")


def test_bool_results(m: tdsl.Module) -> None:
    x, y = numbers(9), numbers(9)[::-1]
    z = m.flags(x, y)
    assert z.dtype == np.bool_
    np.testing.assert_array_equal(z, x < y)


def test_statics_choose_instances_and_sizes_open(m: tdsl.Module) -> None:
    heads = tdsl.loads(PROGRAM).heads
    x = numbers(3, 8)
    for count in (2, 4):
        expected = x.reshape(3, count, -1).transpose(1, 0, 2)
        np.testing.assert_array_equal(heads(x, H=count), expected)
    assert heads.cache_info()[:3] == (0, 2, 2)
    heads(x, H=2)
    assert heads.cache_info()[:3] == (1, 2, 2)
    for rows in (4, 5, 6, 7):
        other = numbers(rows, 8)
        expected = other.reshape(rows, 2, 4).transpose(1, 0, 2)
        np.testing.assert_array_equal(heads(other, H=2), expected)
    info = heads.cache_info()
    assert info.currsize == 3
    assert any("T=?" in text and "H=2" in text for text in info.instances)
    other = numbers(5, 16)
    np.testing.assert_array_equal(heads(other, H=2), other.reshape(5, 2, 8).transpose(1, 0, 2))
    assert heads.cache_info().currsize == 4


def test_compile_fixes_and_opens(m: tdsl.Module) -> None:
    x, w, b = numbers(3, 5), numbers(5, 7), numbers(7)
    whole = m.linear.compile(M=3, K=5, N=7, dynamic=())
    assert whole.cache_info()[1:3] == (0, 1), "compiled at once"
    np.testing.assert_allclose(whole(x, w, b), x @ w + b, rtol=1e-5, atol=1e-5)
    assert whole.cache_info()[:3] == (1, 0, 1)
    with pytest.raises(tdsl.ShapeError, match=r"K = 5 was fixed by `compile\(K=5\)`"):
        whole(numbers(3, 6), numbers(6, 7), b)
    rows = m.linear.compile(K=5, N=7, dynamic=("M",))
    assert rows.cache_info().currsize == 1
    for count in (1, 2, 129):
        x = numbers(count, 5)
        np.testing.assert_allclose(rows(x, w, b), x @ w + b, rtol=1e-5, atol=1e-5)
    assert rows.cache_info()[:3] == (3, 0, 1)
    never = m.linear.compile(dynamic=())
    for count in (1, 2, 3):
        never(numbers(count, 5), w, b)
    assert never.cache_info().currsize == 3
    heads = m.heads.compile(H=2)
    np.testing.assert_array_equal(heads(numbers(3, 4)), m.heads(numbers(3, 4), H=2))
    with pytest.raises(tdsl.CallError, match="compiled for H=2"):
        heads(numbers(3, 4), H=4)


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"Q": 3}, tdsl.CallError, "no size, static or dtype parameter `Q`"),
        ({"M": 0}, tdsl.CallError, "must be 1 or more"),
        ({"M": "3"}, tdsl.CallError, "must be an integer"),
        ({"dynamic": ("Q",)}, tdsl.CallError, "no size `Q` to leave open"),
        ({"target": "tpu"}, tdsl.TargetError, "no target 'tpu'"),
    ],
)
def test_compile_refuses(m: tdsl.Module, options: dict, error: type[Exception], says: str) -> None:
    with pytest.raises(error) as caught:
        m.linear.compile(**options)
    assert says in str(caught.value)


def test_compile_solves_equalities(m: tdsl.Module) -> None:
    whole = m.heads.compile(T=3, C=8, H=2, dynamic=())
    assert whole.cache_info().currsize == 1
    with pytest.raises(tdsl.CallError, match="3 does not divide 8"):
        m.heads.compile(C=8, H=3)
    with pytest.raises(tdsl.CallError, match="T <= N"):
        m.positions.compile(T=5, N=3)
    with pytest.raises(tdsl.CallError, match="static"):
        m.heads.compile(dynamic=("H",))
    assert m.scale.compile(E="f64", S=(2, 3)).cache_info().currsize == 1
    with pytest.raises(tdsl.CallError, match="must be a dtype out of f64, f32, f16, bf16"):
        m.scale.compile(E="i32")
    for dtype in (np.float64, np.dtype("f8"), float):
        assert m.scale.compile(E=dtype, S=(2, 3)).cache_info().currsize == 1
    for other in ("d", "q", "float", "float64", None):
        with pytest.raises(tdsl.CallError, match="must be a dtype out of f64, f32, f16, bf16"):
            m.scale.compile(E=other)


@pytest.mark.parametrize("text", [None, b"tdsl 0.1"])
def test_only_a_str_is_the_text_of_a_program(text: object) -> None:
    with pytest.raises(TypeError, match=f"as a str, not {type(text).__name__}"):
        tdsl.loads(text)  # type: ignore[arg-type]


def test_mlir_shows_an_instance(m: tdsl.Module) -> None:
    text = m.linear.mlir(M=2, K=3, N=4)
    assert "linalg.matmul" in text
    assert "tensor<2x4xf32>" in text
    assert "tensor<?x?xf32>" in m.linear.mlir()
    with pytest.raises(tdsl.CallError) as caught:
        m.heads.mlir()
    assert caught.value.code == "E0901"
    with pytest.raises(tdsl.TargetError, match="there are ast, typed"):
        m.linear.mlir("assembly")
    with pytest.raises(tdsl.TargetError, match="for a GPU, which must be named: nvptx:sm_80"):
        m.linear.mlir("ptx")


def test_a_static_that_is_a_size_of_the_result(m: tdsl.Module) -> None:
    np.testing.assert_array_equal(m.count(1.5, N=3), np.full(3, 1.5, np.float32))


def test_statics_of_other_kinds() -> None:
    module = tdsl.loads(
        "tdsl 0.1\nfn f[N, static twice: bool = true, static k: int](x: f32[N]) -> f32[N] {\n"
        "    if twice { x * 2.0 + k } else { x + k }\n}\n"
    )
    x = numbers(3)
    np.testing.assert_allclose(module.f(x, k=-2), x * 2 - 2, rtol=1e-6)
    np.testing.assert_allclose(module.f(x, k=3, twice=False), x + 3, rtol=1e-6)
    assert repr(module.f) == "<tdsl function f(x: f32[N], *, twice=True, k) -> f32[N]>"
    for wrong in ({"k": 1, "twice": 1}, {"k": 1.0}, {"k": 1 << 63}, {"twice": True}):
        with pytest.raises(tdsl.CallError):
            module.f(x, **wrong)


def test_what_help_and_inspect_show(m: tdsl.Module) -> None:
    assert m.linear.__doc__ == "Affine map."
    assert m.linear.__name__ == "linear"
    assert str(inspect.signature(m.heads)) == "(x: 'f32[T, C]', *, H: int) -> 'f32[H, T, D]'"
    assert repr(m.linear) == (
        "<tdsl function linear(x: f32[M, K], w: f32[K, N], b: f32[N]) -> f32[M, N]>"
    )
    signature = repr(m.linear).removeprefix("<tdsl function ").removesuffix(">")
    assert repr(m.linear.compile()) == f"<compiled {signature}>"
    fixed = m.linear.compile(K=5, dynamic=("M",))
    assert repr(fixed) == f"<compiled {signature} for K=5, dynamic=('M',)>"
    assert m.__doc__ == "Small functions."
    undocumented = pydoc.render_doc(m.heads, renderer=pydoc.plaintext)
    assert "heads(x: f32[T, C], *, H) -> f32[H, T, D]" in undocumented
    assert "class Function" not in undocumented
    assert "linear" in m.__all__
    assert "hidden" not in m.__all__
    assert "linear" in dir(m)
    assert m.linear is m.linear
    np.testing.assert_array_equal(m.hidden(np.arange(3, dtype=np.int32)), [1, 2, 3])
    with pytest.raises(AttributeError, match="did you mean `linear`"):
        m.liner  # noqa: B018
    with pytest.raises(AttributeError, match="did you mean `compile`"):
        m.linear.compil  # noqa: B018


def test_functions_pickle(m: tdsl.Module, tmp_path: Path) -> None:
    x = numbers(3, 8)
    for function in (m.heads.compile(H=2), pickle.loads(pickle.dumps(m.heads.compile(H=2)))):
        again = pickle.loads(pickle.dumps(function))
        np.testing.assert_array_equal(again(x), m.heads(x, H=2))
    file = tmp_path / "model.tdsl"
    file.write_text("tdsl 0.1\nfrom other import g\npub fn f[N](x: f32[N]) -> f32[N] { g(x) }\n")
    (tmp_path / "other.tdsl").write_text("tdsl 0.1\npub fn g[N](x: f32[N]) -> f32[N] { x + 1.0 }\n")
    assert pickle.loads(pickle.dumps(m.linear))._signature.span.source.name == "<surface>"
    again = pickle.loads(pickle.dumps(tdsl.load(file).f))
    assert again(np.zeros(2, np.float32)).tolist() == [1, 1]


def test_errors_pickle(m: tdsl.Module) -> None:
    with pytest.raises(tdsl.ShapeError) as caught:
        m.linear(numbers(3, 5), numbers(6, 7), numbers(7))
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is tdsl.ShapeError
    assert str(again) == str(caught.value)
    assert again.argument == "w"
    with pytest.raises(tdsl.CompileError) as wrong:
        tdsl.loads("tdsl 0.1\nfn f[N](x: f32[N]) -> f32[N] { y }\n")
    assert pickle.loads(pickle.dumps(wrong.value)).lineno == 2


def test_arrays_of_other_libraries_in_main_memory(m: tdsl.Module) -> None:
    class Exchanged:
        def __init__(self, array: np.ndarray) -> None:
            self.array = array

        def __dlpack__(self, **options: object) -> object:
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self) -> tuple[int, int]:
            return self.array.__dlpack_device__()

    x, y = numbers(4), numbers(4)[::-1].copy()
    np.testing.assert_array_equal(m.flags(Exchanged(x), Exchanged(y)), x < y)

    class Elsewhere(Exchanged):
        def __dlpack__(self, **options: object) -> object:
            raise BufferError("it lies on a GPU")

    with pytest.raises(tdsl.DTypeError, match="it lies on a GPU"):
        m.flags(Elsewhere(x), y)


def test_a_wrong_program_raises_with_the_rendered_diagnostics() -> None:
    with pytest.raises(tdsl.CompileError) as caught:
        tdsl.loads(
            "tdsl 0.1\nfn f[M, K, N](x: f32[M, K], w: f32[N, K]) -> f32[M, N] { x @ w }\n",
            name="wrong",
        )
    error = caught.value
    assert error.code == "E0302"
    assert error.filename == "<wrong>"
    assert error.lineno == 2
    assert error.text
    assert error.text[error.offset - 1 :].startswith("x @ w")
    assert "error[E0302]" in str(error)


def test_loading_what_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "model.tdsl").write_text("tdsl 0.1\nfn f(x: f32) -> f32 { x }\n")
    with pytest.raises(FileNotFoundError, match=r"did you mean .*model\.tdsl"):
        tdsl.load(tmp_path / "modle.tdsl")
    with pytest.raises(IsADirectoryError):
        tdsl.load(tmp_path)
    with pytest.raises(ValueError, match="no kind of kernel"):
        tdsl.load(tmp_path / "model.tdsl", kernels="matmull")


def test_import_is_cheap() -> None:
    code = (
        "import sys, time; start = time.perf_counter(); import tdsl;"
        "spent = time.perf_counter() - start;"
        "assert not {'mlir', 'numpy', 'lark'} & set(sys.modules); assert spent < 0.25, spent"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_call_costs_little(m: tdsl.Module) -> None:
    """A loose bound, for machines that do other work: bench/ measures it."""
    x, y = numbers(4), numbers(4)
    m.flags(x, y)
    best = min(_timed(lambda: m.flags(x, y)) for _ in range(20))
    assert best < 50e-6


def _timed(call) -> float:
    start = time.perf_counter()
    for _ in range(100):
        call()
    return (time.perf_counter() - start) / 100


def test_the_address_of_an_array_is_where_it_begins() -> None:
    whole = np.empty((5, 6), np.float32)
    for array in (whole, whole[2:, 3:], whole[::-1], np.empty((), np.int8), whole.view(np.uint8)):
        assert calling.address_of(array) == array.__array_interface__["data"][0]


def test_compiling_in_another_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TDSL_COMPILE", "isolated")
    monkeypatch.setenv("TDSL_CACHE", "0")
    module = tdsl.loads(PROGRAM)
    x, w, b = numbers(3, 5), numbers(5, 7), numbers(7)
    np.testing.assert_allclose(module.linear(x, w, b), x @ w + b, rtol=1e-5, atol=1e-5)

    def crash(*_: object) -> object:
        raise worker.CompilerCrash("SIGABRT: an assertion", Path("crash.mlir"))

    monkeypatch.setattr(worker, "compile_isolated", crash)
    with pytest.raises(tdsl.InternalError, match="SIGABRT: an assertion"):
        tdsl.loads(PROGRAM).linear(x, w, b)


@pytest.mark.parametrize("dynamic", [None, (), ("N",)])
def test_memory_that_is_not_there_is_a_memory_error(dynamic: tuple[str, ...] | None) -> None:
    big = tdsl.loads(
        "tdsl 0.1\nfn f[N, static M](x: f32[N]) -> f32[N] {\n"
        "    sum(cumsum(full([M, N], 1.0, f32) * x, axis=0), axis=0)\n}\n"
    ).f.compile(dynamic=dynamic)
    with pytest.raises(MemoryError):
        big(np.ones(1 << 16, np.float32), M=1 << 28)
    assert big(np.ones(2, np.float32), M=2).tolist() == [3, 3]


def test_memory_beyond_all_addresses_is_a_memory_error_too() -> None:
    plan = calling.Plan(calling.Code(1, None), [], [], (), 1 << 70, None)
    with pytest.raises(MemoryError, match="scratch memory"):
        plan.run([])


def test_a_warm_call_takes_the_fast_way(m: tdsl.Module, monkeypatch: pytest.MonkeyPatch) -> None:
    x = numbers(3, 4)
    m.heads(x, H=2)
    m.flags(x[0], x[1])

    def slowly(*_: object) -> object:
        raise AssertionError("a warm call went the slow way")

    monkeypatch.setattr(tdsl.Function, "_call_slowly", slowly)
    m.heads(x, H=2)
    m.flags(x[0], x[1])


def test_too_many_arguments_beside_a_static_are_not_taken_for_one(m: tdsl.Module) -> None:
    x = numbers(3, 4)
    with pytest.raises(tdsl.CallError, match="takes 1 argument, not 2") as caught:
        m.heads(x, x, H=2)
    assert "by name" not in str(caught.value)


def test_a_size_is_given_or_left_open(m: tdsl.Module) -> None:
    with pytest.raises(tdsl.CallError, match="has a value, 3, and is left open") as caught:
        m.linear.compile(M=3, dynamic=("M",))
    assert caught.value.code == "E0509"
    # An open size may be fixed later.
    m.linear.compile(dynamic=("M",)).compile(M=3)


def test_a_size_that_a_static_fixed_names_it() -> None:
    f = tdsl.loads("tdsl 0.1\npub fn f[static n](x: f32[n]) -> f32[n] { x * 2 }\n").f
    with pytest.raises(tdsl.ShapeError) as caught:
        f(np.zeros(4, np.float32), n=3)
    assert "argument `x` of `f` has the wrong size on axis 0: wants n = 3, found 4" in str(
        caught.value
    )
    assert "n = 3 was fixed by argument `n`" in str(caught.value)
    with pytest.raises(tdsl.ShapeError, match=r"n = 3 was fixed by `compile\(n=3\)`"):
        f.compile(n=3)(np.zeros(4, np.float32))
