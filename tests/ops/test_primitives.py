"""Primitives: typing agrees with values for every row, and refuses what no builder may ask for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ops_support import ALL, DTYPES, FLOATS, INTEGERS, NumpyBuilder, sample, size

from tdsl.ops.primitives import PRIMITIVES, InternalError
from tdsl.types.dtypes import DType
from tdsl.types.sizes import Size

BOOL, F32, F64, I64 = (DTYPES[name] for name in ("bool", "f32", "f64", "i64"))
FLOAT_ONLY = [
    *[
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log1p",
        "sqrt",
        "rsqrt",
        "reciprocal",
        "sin",
        "cos",
        "tanh",
        "erf",
        "sigmoid",
    ],
    *["floor", "ceil", "round", "isnan", "isfinite"],
]
NUMBER_UNARY = ["neg", "abs", "sign"]
NUMBER_BINARY = ["add", "sub", "mul", "floordiv", "mod", "pow", "minimum", "maximum"]
COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


def sizes(*numbers: int) -> tuple[Size, ...]:
    return tuple(map(Size.of, numbers))


# For each primitive: operands and attributes. The builder asserts that the value has the dtype
# and shape that `infer` says.
def uses(dtype: DType) -> dict[str, tuple[list[Any], dict[str, Any]]]:
    x = sample(dtype, (2, 3), positive=True)
    mask = sample(BOOL, (2, 3), 1)
    found: dict[str, tuple[list[Any], dict[str, Any]]] = {
        "constant": ([], {"value": 1, "dtype": dtype}),
        "select": ([mask, x, x], {}),
        "cast": ([x], {"dtype": F64}),
        "reduce_max": ([x], {"axes": (1,)}),
        "reduce_min": ([x], {"axes": (0, 1)}),
        "argmax": ([x], {"axis": 1}),
        "argmin": ([x], {"axis": 0}),
        "broadcast_in_dim": ([x[:, :1]], {"shape": sizes(2, 4, 5), "axes": (0, 2)}),
        "reshape": ([x], {"shape": sizes(3, 2)}),
        "transpose": ([x], {"permutation": (1, 0)}),
        "slice": ([x], {"starts": sizes(1, 0), "sizes": sizes(1, 2)}),
        "concat": ([x, x[:1]], {"axis": 0}),
        "pad": ([x, x[0, 0]], {"low": sizes(1, 0), "high": sizes(0, 2)}),
        "reverse": ([x], {"axes": (1,)}),
        "gather": ([x, np.array([[2, 0], [1, 1]], np.int32)], {"axis": 1}),
        "dynamic_slice": ([x, np.int64(1), np.int32(0)], {"sizes": sizes(1, 2)}),
        "dynamic_update": ([x, x[:1, :2], np.int8(1), np.int64(1)], {}),
        **{name: ([x, x], {}) for name in COMPARISONS},
    }
    if dtype == BOOL:
        found |= {name: ([x, x], {}) for name in ("logical_and", "logical_or")}
        found["logical_not"] = ([x], {})
        return found
    found |= {name: ([x], {}) for name in NUMBER_UNARY}
    found |= {name: ([x, x[:1]], {}) for name in NUMBER_BINARY}
    found |= {
        "iota": ([], {"shape": sizes(2, 3), "axis": 1, "dtype": dtype}),
        "reduce_sum": ([x], {"axes": (0,)}),
        "reduce_prod": ([x], {"axes": (0,)}),
        "cumsum": ([x], {"axis": 1}),
        "matmul": ([x, x.T], {}),
        "batch_matmul": ([x[None], x.T[None]], {}),
    }
    if dtype.is_float:
        found |= {name: ([x], {}) for name in FLOAT_ONLY}
        found["div"] = ([x, x], {})
    if dtype == I64:
        found["size"] = ([], {"size": Size.of(3)})
    return found


@pytest.mark.parametrize("dtype", ALL, ids=str)
def test_typing_agrees_with_values(dtype: DType) -> None:
    for name, (operands, attributes) in uses(dtype).items():
        builder = NumpyBuilder()
        builder._do(name, [builder.wrap(x) for x in operands], **attributes)


def test_every_primitive_is_tried() -> None:
    tried = {name for dtype in ALL for name in uses(dtype)}
    assert tried | {"input"} == set(PRIMITIVES)


def refused(primitive: str, *types: tuple[DType, tuple[Any, ...]], **attributes: Any) -> None:
    class Typed:
        def __init__(self, dtype: DType, shape: tuple[Any, ...]) -> None:
            self.dtype, self.shape = dtype, tuple(map(size, shape))

    with pytest.raises(InternalError):
        PRIMITIVES[primitive].infer([Typed(*t) for t in types], attributes)


@pytest.mark.parametrize("name", FLOAT_ONLY)
def test_float_primitives_refuse_others(name: str) -> None:
    for dtype in (*INTEGERS, BOOL):
        refused(name, (dtype, (2,)))


@pytest.mark.parametrize("name", [*NUMBER_BINARY, "div"])
def test_arithmetic_refuses_bools_and_mixtures(name: str) -> None:
    refused(name, (BOOL, (2,)), (BOOL, (2,)))
    refused(name, (F32, (2,)), (F64, (2,)))
    refused(name, (F32, (2,)), (F32, (3,)))
    refused(name, (F32, ("N",)), (F32, ("M",)))
    refused(name, (F32, (2,)))


def test_structure_is_checked() -> None:
    matrix, wide = (F32, ("M", "K")), (F64, ("K", "N"))
    refused("matmul", matrix, wide)
    refused("matmul", matrix, matrix)
    refused("batch_matmul", (F32, ("A", "M", "K")), (F32, ("B", "K", "N")))
    refused("reshape", matrix, shape=(size("M"),))
    refused("transpose", matrix, permutation=(0, 0))
    refused("transpose", matrix, permutation=(0,))
    refused("slice", (F32, (4,)), starts=sizes(2), sizes=sizes(3))
    refused("concat", (F32, ("M", "K")), (F32, ("M", "N")), axis=0)
    refused("concat", (F32, ("M",)), (F64, ("M",)), axis=0)
    refused("broadcast_in_dim", (F32, ("N",)), shape=(size("M"),), axes=(0,))
    refused("broadcast_in_dim", matrix, shape=(size("K"), size("M")), axes=(1, 0))
    refused("reduce_sum", matrix, axes=(2,))
    refused("reduce_sum", matrix, axes=(0, 0))
    refused("reduce_sum", (BOOL, (2,)), axes=(0,))
    refused("select", (F32, (2,)), (F32, (2,)), (F32, (2,)))
    refused("pad", matrix, (F64, ()), low=sizes(0, 0), high=sizes(0, 0))
    refused("input", matrix, name="x", index=0, dtype=F32, shape=())


def test_symbolic_sizes() -> None:
    class Typed:
        dtype, shape = F32, (size("M"), size("K"))

    infer = PRIMITIVES["concat"].infer
    assert infer([Typed, Typed], {"axis": 0}) == (F32, (size("M") * 2, size("K")))
    padded = PRIMITIVES["reshape"].infer([Typed], {"shape": (size("K"), size("M"))})
    assert padded[1] == (size("K"), size("M"))


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_constants_saturate(dtype: DType) -> None:
    value = PRIMITIVES["constant"].reference([], {"value": 1e300, "dtype": dtype})
    assert (float(value) == np.inf) is (dtype != F64)


ROW = np.arange(5, dtype=np.float32)


@pytest.mark.parametrize("index", [-1, 5, np.iinfo(np.int64).min, np.iinfo(np.int64).max])
def test_a_position_out_of_range_is_an_error(index: int) -> None:
    gather = PRIMITIVES["gather"].reference
    with pytest.raises(IndexError) as caught:
        gather([ROW, np.array([4, index, -7])], {"axis": 0})
    assert str(caught.value) == f"take: index {index} is out of range for axis 0 of size 5"
    starts = [np.int64(index)]
    with pytest.raises(IndexError) as caught:
        PRIMITIVES["dynamic_slice"].reference([ROW, *starts], {"sizes": sizes(2)})
    assert str(caught.value) == (
        f"slice: start {index} is out of range for axis 0 of size 5: 2 of its positions can start "
        "at 0 to 3"
    )
    with pytest.raises(
        IndexError, match=r"update: start .* 5 of its positions can only start at 0"
    ):
        PRIMITIVES["dynamic_update"].reference([ROW, ROW, *starts], {})


def test_an_update_leaves_its_operand_alone() -> None:
    before = ROW.copy()
    result = PRIMITIVES["dynamic_update"].reference([ROW, ROW[:2] + 10, np.int64(3)], {})
    np.testing.assert_array_equal(result, [0, 1, 2, 10, 11])
    np.testing.assert_array_equal(ROW, before)


def test_positions_are_typed() -> None:
    refused("gather", (F32, (3,)), (F32, (2,)), axis=0)
    refused("gather", (F32, (3,)), (I64, (2,)), axis=1)
    refused("dynamic_slice", (F32, (3,)), (F64, ()), sizes=sizes(1))
    refused("dynamic_slice", (F32, (3,)), (I64, (1,)), sizes=sizes(1))
    refused("dynamic_slice", (F32, (3,)), (I64, ()), sizes=sizes(4))
    refused("dynamic_update", (F32, (3,)), (F64, (1,)), (I64, ()))
    refused("dynamic_update", (F32, (3,)), (F32, (1,)))
