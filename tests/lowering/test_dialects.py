"""Our smaller modules for MLIR's dialects: the same operations, and MLIR's own still work after them."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

from mlir import ir
from mlir.dialects import linalg as all_of_linalg
from mlir.dialects import llvm as all_of_llvm

from tdsl.lowering.dialects import linalg, llvm

_COPIES = """
func.func @f(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: memref<4xf32>, %d: memref<4xf32>) {
  return
}
"""


def _in_a_process(code: str) -> str:
    environment = os.environ | {"TDSL_COMPILE": "here", "TDSL_CACHE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment
    )
    assert not done.returncode, done.stderr
    return done.stdout


def test_a_copy_is_what_mlir_makes() -> None:
    texts = []
    for ours in (True, False):
        with ir.Context(), ir.Location.unknown():
            module = ir.Module.parse(_COPIES)
            block = module.body.operations[0].regions[0].blocks[0]
            with ir.InsertionPoint.at_block_begin(block):
                for source, target in (block.arguments[:2], block.arguments[2:]):
                    if ours:
                        made = linalg.copy(source, target)
                        assert isinstance(made, ir.Value) == isinstance(
                            target.type, ir.RankedTensorType
                        )
                    else:
                        all_of_linalg.copy(source, outs=[target])
            assert module.operation.verify()
            texts.append(module.operation.get_asm(print_generic_op_form=True))
    assert texts[0] == texts[1]
    assert texts[0].count("linalg.copy") == 2


def _ours(data: Any, structure: Any) -> None:
    place = llvm.element(data, 3, data.type)
    number = llvm.load(ir.IntegerType.get_signless(64), place)
    llvm.store(number, llvm.to_pointer(number))
    llvm.inserted(llvm.undefined(structure), data, [1, 0])


def _theirs(data: Any, structure: Any) -> None:
    place = all_of_llvm.GEPOp(data.type, data, [], [3], data.type, 0).result
    number = all_of_llvm.LoadOp(ir.IntegerType.get_signless(64), place).result
    pointer = all_of_llvm.IntToPtrOp(all_of_llvm.PointerType.get(), number).result
    all_of_llvm.StoreOp(number, pointer)
    all_of_llvm.InsertValueOp(all_of_llvm.UndefOp(structure).result, data, [1, 0])


def test_operations_of_llvm_are_what_mlir_makes() -> None:
    texts = []
    for build in (_ours, _theirs):
        with ir.Context(), ir.Location.unknown():
            module = ir.Module.parse("func.func @f(%a: !llvm.ptr) { return }")
            block = module.body.operations[0].regions[0].blocks[0]
            with ir.InsertionPoint.at_block_begin(block):
                build(block.arguments[0], ir.Type.parse("!llvm.struct<(i64, array<2 x ptr>)>"))
            assert module.operation.verify()
            texts.append(module.operation.get_asm(print_generic_op_form=True))
    assert texts[0] == texts[1]
    assert texts[0].count('"llvm.') == 6


def test_compiling_needs_no_large_module() -> None:
    code = """
import sys, numpy, tdsl
program = tdsl.loads(
    "tdsl 0.1\\npub fn f[N](x: f32[N, N]) -> f32[N, N] { transpose(x @ x, [1, 0]) }", name="p"
)
assert (program.f(numpy.eye(3, dtype="f")) == numpy.eye(3)).all()
large = ("yaml", "mlir.dialects.linalg", "mlir.dialects.llvm")
print([name for name in sys.modules if name in large])
print("mlir.ir" in sys.modules)
"""
    assert _in_a_process(code) == "[]\nTrue\n"


def test_others_can_use_all_of_linalg_afterwards() -> None:
    shown = _in_a_process("""
from mlir._mlir_libs._mlir import globals
before = list(globals.dialect_search_modules)
import tdsl.cpu.compiler
assert list(globals.dialect_search_modules) == before == ["mlir.dialects"]
from mlir import ir
from mlir.dialects import linalg
with ir.Context(), ir.Location.unknown():
    module = ir.Module.parse("func.func @f(%a: tensor<4x4xf32>) { return }")
    block = module.body.operations[0].regions[0].blocks[0]
    with ir.InsertionPoint.at_block_begin(block):
        a = block.arguments[0]
        linalg.matmul(a, a, outs=[a])
    print(type(block.operations[0]).__module__, module.operation.verify())
""")
    assert shown == "mlir.dialects._linalg_ops_gen True\n"
