"""Host functions on memory, as text, to plans: what must not be done at another time or in another
place than it is written."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest
from mlir import ir

from tdsl.gpu.acting import DeviceMemory, EmulatedProgram
from tdsl.gpu.emulator import EmulationError, Emulator
from tdsl.gpu.host import Host, Unsupported
from tdsl.gpu.plan import ALIGNMENT, Buffer, Loop, Plan
from tdsl.lowering.device import DEVICES
from tdsl.lowering.interface import Interface
from tdsl.lowering.options import Options
from tdsl.lowering.pipeline import context

Array = np.ndarray[Any, Any]
ADD = """^bb0(%p: f32, %q: f32, %o: f32):
      %s = arith.addf %p, %q : f32
      linalg.yield %s : f32"""
SAME = "affine_map<(d0) -> (d0)>"


def add(left: str, right: str, out: str, type_: str = "memref<4xf32>") -> str:
    """out = left + right"""
    return f"""
    linalg.generic {{indexing_maps = [{SAME}, {SAME}, {SAME}], iterator_types = ["parallel"]}}
      ins({left}, {right} : {type_}, {type_}) outs({out} : {type_}) {{
      {ADD}
    }}"""


def read(text: str, results: int = 1, options: Options | None = None) -> tuple[Plan, Host]:
    with context():
        module = ir.Module.parse(text)
        host = Host(module, results, options or Options(), {}, DEVICES["sm_80"])
        return host.plan(), host


def run(
    text: str, *arrays: Array, result: tuple[int, ...], options: Options | None = None
) -> Array:
    plan, host = read(text, options=options)
    emulator = Emulator([*host.constants, *host.functions.values()])
    shapes = Interface.of_shapes([a.shape for a in arrays], [result])
    found = np.empty(result, np.float32)
    EmulatedProgram(emulator, plan, shapes).run(
        [a.ctypes.data for a in arrays], [found.ctypes.data]
    )
    return found


KEPT = """
func.func @f(%x: memref<4xf32>, %y: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<f32>
  %v = memref.load %x[%c0] : memref<4xf32>
  memref.store %v, %a[] : memref<f32>
  %early = memref.load %a[] : memref<f32>
  %w = memref.load %x[%c1] : memref<4xf32>
  memref.store %w, %a[] : memref<f32>
  %late = memref.load %a[] : memref<f32>
  %d = arith.subf %early, %late : f32
  memref.store %d, %y[] : memref<f32>
  return
}"""


def test_a_number_is_what_it_was_when_it_was_read() -> None:
    assert run(KEPT, np.array([5, 3, 0, 0], np.float32), result=()) == 2


LIVING = f"""
func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %twice = memref.alloc() : memref<4xf32>
  {add("%x", "%x", "%twice")}
  {add("%x", "%x", "%y")}
  scf.for %i = %c0 to %c3 step %c1 {{
    %b = memref.alloc() : memref<4xf32>
    {add("%twice", "%x", "%b")}
    %c = memref.alloc() : memref<4xf32>
    {add("%b", "%b", "%c")}
    {add("%c", "%y", "%y")}
  }}
  return
}}"""


@pytest.mark.parametrize("reuse", [True, False])
def test_what_is_needed_in_every_step_of_a_loop_is_not_overwritten_in_one(reuse: bool) -> None:
    x = np.array([1, 2, 3, 4], np.float32)
    options = Options(reuse_scratch=reuse)
    assert np.array_equal(run(LIVING, x, result=(4,), options=options), 2 * x + 3 * 6 * x)
    plan, _ = read(LIVING, options=options)
    assert plan.scratch_bytes == 3 * 64


def test_a_loop_whose_steps_depend_on_each_other_stays_a_loop() -> None:
    # Each step reads what the one before has written.
    text = f"""
func.func @f(%x: memref<4xf32>, %y: memref<5x4xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %first = memref.subview %y[0, 0] [1, 4] [1, 1] : memref<5x4xf32> to memref<4xf32, strided<[1]>>
  linalg.generic {{indexing_maps = [{SAME}, {SAME}], iterator_types = ["parallel"]}}
    ins(%x : memref<4xf32>) outs(%first : memref<4xf32, strided<[1]>>) {{
    ^bb0(%p: f32, %o: f32):
      linalg.yield %p : f32
  }}
  scf.for %i = %c0 to %c4 step %c1 {{
    %j = arith.addi %i, %c1 : index
    %before = memref.subview %y[%i, 0] [1, 4] [1, 1]
      : memref<5x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %now = memref.subview %y[%j, 0] [1, 4] [1, 1]
      : memref<5x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    {add("%before", "%before", "%now", "memref<4xf32, strided<[1], offset: ?>>")}
  }}
  return
}}"""
    plan, _ = read(text)
    assert any(isinstance(step, Loop) for step in plan.steps)
    x = np.array([1, 2, 3, 4], np.float32)
    assert np.array_equal(run(text, x, result=(5, 4)), x * 2.0 ** np.arange(5)[:, None])


def test_a_step_that_reads_what_another_writes_is_not_done_beside_it() -> None:
    text = f"""
func.func @f(%x: memref<4xf32>, %y: memref<4x4xf32>) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {{
    %j = arith.subi %c3, %i : index
    %mirror = memref.subview %y[%j, 0] [1, 4] [1, 1]
      : memref<4x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    %now = memref.subview %y[%i, 0] [1, 4] [1, 1]
      : memref<4x4xf32> to memref<4xf32, strided<[1], offset: ?>>
    {add("%mirror", "%mirror", "%now", "memref<4xf32, strided<[1], offset: ?>>")}
  }}
  return
}}"""
    plan, _ = read(text)
    assert isinstance(plan.steps[0], Loop)


def test_equal_work_is_one_kernel() -> None:
    text = f"""
func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {{
  %a = memref.alloc() : memref<4xf32>
  {add("%x", "%x", "%a")}
  {add("%a", "%a", "%y")}
  return
}}"""
    plan, host = read(text)
    assert len(plan.steps) == 2
    assert len(host.functions) == 1
    x = np.array([1, 2, 3, 4], np.float32)
    assert np.array_equal(run(text, x, result=(4,)), 4 * x)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (
            (
                "%a = memref.alloc() : memref<4xf32>\n"
                "%r = scf.for %i = %c0 to %c3 step %c1 iter_args(%m = %a) -> (memref<4xf32>) {\n"
                "scf.yield %x : memref<4xf32> }"
            ),
            "a loop that hands memory on",
        ),
        (
            "%n = memref.load %k[] : memref<i32>\n%m = arith.index_cast %n : i32 to index\n"
            "scf.for %i = %c0 to %m step %c1 {\n" + add("%x", "%x", "%y") + "\n}",
            "a loop whose number of steps depends on data",
        ),
        ("%t = arith.constant true\nscf.if %t { }", "the operation scf.if"),
    ],
)
def test_what_has_no_form_is_named(body: str, says: str) -> None:
    text = (
        "func.func @f(%x: memref<4xf32>, %k: memref<i32>, %y: memref<4xf32>) {\n"
        "%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        f"%c3 = arith.constant 3 : index\n{body}\nreturn\n}}"
    )
    with pytest.raises(Unsupported, match=says):
        read(text)


def program(text: str) -> EmulatedProgram:
    plan, host = read(text)
    emulator = Emulator([*host.constants, *host.functions.values()])
    return EmulatedProgram(emulator, plan, Interface.of_shapes([(4,)], [(4,)]))


def test_arrays_need_not_be_aligned() -> None:
    text = (
        f"func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {{ {add('%x', '%x', '%y')}\nreturn }}"
    )
    memory = np.zeros(64, np.uint8)
    x, y = memory[1:17].view(np.float32), memory[33:49].view(np.float32)
    x[:] = [1, 2, 3, 4]
    program(text).run([x.ctypes.data], [y.ctypes.data])
    assert np.array_equal(y, 2 * x)


def test_an_input_that_is_changed_is_reported() -> None:
    text = (
        f"func.func @f(%x: memref<4xf32>, %y: memref<4xf32>) {{ {add('%x', '%x', '%x')}\nreturn }}"
    )
    x, y = np.ones(4, np.float32), np.ones(4, np.float32)
    with pytest.raises(EmulationError, match="changes its input 0"):
        program(text).run([x.ctypes.data], [y.ctypes.data])
    assert np.array_equal(x, np.ones(4))


def test_memory_between_buffers_is_watched() -> None:
    plan = Plan("f", (Buffer("input", 0, 16), Buffer("result", 0, 16)), ())
    memory = DeviceMemory(plan)
    assert memory.is_intact()
    for number in (0, 1):
        block = memory.of(number)
        assert block.ctypes.data % ALIGNMENT == 0
        assert (block == 0xFF).all()
        block[:] = 0
    assert memory.is_intact()
    after = ctypes.c_uint8.from_address(memory.of(0).ctypes.data + 16)
    after.value = 1
    assert not memory.is_intact()


def test_kernels_have_names_that_ptx_allows() -> None:
    text = f'func.func @"test of a.b"(%x: memref<4xf32>, %y: memref<4xf32>) {{ {add("%x", "%x", "%y")}\nreturn }}'
    plan, host = read(text)
    assert plan.function == "test of a.b"
    assert list(host.functions) == ["test_of_a_b_0"]
    x = np.ones(4, np.float32)
    assert np.array_equal(run(text, x, result=(4,)), 2 * x)
