"""What lanes of a warp do together, for the emulator: shuffles, matrix products, loads of matrices;
and asynchronous copies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tdsl.gpu.emulation import record as r

Shuffle = Literal["up", "down", "bfly", "idx"]
SHUFFLES: Final[tuple[Shuffle, ...]] = ("up", "down", "bfly", "idx")


@dataclass(frozen=True)
class Product:
    """One `mma.sync` m16n8k`k`: the operands' type, accumulated in f32."""

    type: Literal["tf32", "f16", "bf16"]
    k: int

    @property
    def in_word(self) -> int:
        """How many elements a register holds."""
        return 1 if self.type == "tf32" else 2

    @property
    def registers(self) -> tuple[int, int]:
        """How many a lane has of A and of B."""
        halves = self.k // (4 * self.in_word)
        return 2 * halves, halves

    @property
    def symbol(self) -> str:
        return f"emu.mma_{self.type}_k{self.k}"


PRODUCTS: Final = (
    *(Product("tf32", k) for k in (4, 8)),
    *(Product("f16", k) for k in (8, 16)),
    *(Product("bf16", k) for k in (8, 16)),
)

_BANKS = """
func.func private @emu.bank_of(%record: !llvm.ptr, %lane: i32) -> !llvm.ptr {{
  %lane_at = arith.constant {LANE_ID} : i64
  %bank_at = arith.constant {BANK} : i64
  %size = arith.constant {RECORD} : i64
  %bytes = arith.constant {BANK_BYTES} : i64
  %mine = llvm.call @emu.get(%record, %lane_at) : (!llvm.ptr, i64) -> i32
  %bank32 = llvm.call @emu.get(%record, %bank_at) : (!llvm.ptr, i64) -> i32
  %bank = arith.extui %bank32 : i32 to i64
  %away32 = arith.subi %lane, %mine : i32
  %away = arith.extsi %away32 : i32 to i64
  %o1 = arith.muli %away, %size : i64
  %o2 = arith.muli %bank, %bytes : i64
  %o3 = arith.addi %o1, %o2 : i64
  %p = llvm.getelementptr %record[%o3] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %q = llvm.getelementptr %p[{BANKS}] : (!llvm.ptr) -> !llvm.ptr, i8
  return %q : !llvm.ptr
}}
func.func private @emu.give(%record: !llvm.ptr, %word: i64, %value: i32) {{
  %lane_at = arith.constant {LANE_ID} : i64
  %lane = llvm.call @emu.get(%record, %lane_at) : (!llvm.ptr, i64) -> i32
  %bank = func.call @emu.bank_of(%record, %lane) : (!llvm.ptr, i32) -> !llvm.ptr
  %p = llvm.getelementptr %bank[%word] : (!llvm.ptr, i64) -> !llvm.ptr, i32
  llvm.store %value, %p : i32, !llvm.ptr
  return
}}
func.func private @emu.turn(%record: !llvm.ptr) {{
  %bank_at = arith.constant {BANK} : i64
  %one = arith.constant 1 : i32
  %bank = llvm.call @emu.get(%record, %bank_at) : (!llvm.ptr, i64) -> i32
  %other = arith.xori %bank, %one : i32
  llvm.call @emu.put(%record, %bank_at, %other) : (!llvm.ptr, i64, i32) -> ()
  return
}}
"""

# The PTX manual's description of shfl.sync, a line each.
_SHUFFLE = """
func.func private @emu.shuffle_{MODE}(%record: !llvm.ptr, %b: i32, %c: i32, %site: i32)
    -> !llvm.struct<(i32, i1)> {{
  %lane_at = arith.constant {LANE_ID} : i64
  %lanes_at = arith.constant {LANES} : i64
  %c31 = arith.constant 31 : i32
  %c8 = arith.constant 8 : i32
  %ones = arith.constant -1 : i32
  %lane = llvm.call @emu.get(%record, %lane_at) : (!llvm.ptr, i64) -> i32
  %lanes = llvm.call @emu.get(%record, %lanes_at) : (!llvm.ptr, i64) -> i32
  %bval = arith.andi %b, %c31 : i32
  %cval = arith.andi %c, %c31 : i32
  %c_high = arith.shrui %c, %c8 : i32
  %mask = arith.andi %c_high, %c31 : i32
  %not_mask = arith.xori %mask, %ones : i32
  %min = arith.andi %lane, %mask : i32
  %rest = arith.andi %cval, %not_mask : i32
  %max = arith.ori %min, %rest : i32
{SOURCE}
  %from = arith.select %p, %j, %lane : i32
  %there = arith.cmpi ult, %from, %lanes : i32
  %read = arith.select %there, %from, %lane : i32
  %true = arith.constant true
  %gone = arith.xori %there, %true : i1
  scf.if %gone {{
    %kind = arith.constant {MISSING_LANES} : i32
    %from64 = arith.extui %from : i32 to i64
    func.call @emu.fault(%record, %kind, %site, %from64) : (!llvm.ptr, i32, i32, i64) -> ()
  }}
  %bank = func.call @emu.bank_of(%record, %read) : (!llvm.ptr, i32) -> !llvm.ptr
  %v = llvm.load %bank : !llvm.ptr -> i32
  func.call @emu.turn(%record) : (!llvm.ptr) -> ()
  %u = llvm.mlir.undef : !llvm.struct<(i32, i1)>
  %s = llvm.insertvalue %v, %u[0] : !llvm.struct<(i32, i1)>
  %t = llvm.insertvalue %p, %s[1] : !llvm.struct<(i32, i1)>
  return %t : !llvm.struct<(i32, i1)>
}}
"""
_SOURCES: Final = {
    "up": "  %j = arith.subi %lane, %bval : i32\n  %p = arith.cmpi sge, %j, %max : i32",
    "down": "  %j = arith.addi %lane, %bval : i32\n  %p = arith.cmpi sle, %j, %max : i32",
    "bfly": "  %j = arith.xori %lane, %bval : i32\n  %p = arith.cmpi sle, %j, %max : i32",
    "idx": "  %low = arith.andi %bval, %not_mask : i32\n  %j = arith.ori %min, %low : i32\n"
    "  %p = arith.cmpi sle, %j, %max : i32",
}

_LDMATRIX = """
func.func private @emu.ldmatrix{TRANS}(%record: !llvm.ptr, %number: i32) -> i32 {{
  %lane_at = arith.constant {LANE_ID} : i64
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c8 = arith.constant 8 : i32
  %lane = llvm.call @emu.get(%record, %lane_at) : (!llvm.ptr, i64) -> i32
  %group = arith.shrui %lane, %c2 : i32
  %in_group = arith.andi %lane, %c3 : i32
  %first = arith.muli %number, %c8 : i32
{READ}
  return %v : i32
}}
"""
_ROW = """
  %bank{N} = func.call @emu.bank_of(%record, %row{N}) : (!llvm.ptr, i32) -> !llvm.ptr
  %start{N} = llvm.load %bank{N} : !llvm.ptr -> !llvm.ptr"""

_COPIES = """
func.func private @emu.async_copy(%record: !llvm.ptr, %target: !llvm.ptr, %source: !llvm.ptr,
                                  %bytes: i32, %given: i32, %site: i32) {{
  %queued_at = arith.constant {QUEUED} : i64
  %done_at = arith.constant {FINISHED} : i64
  %group_at = arith.constant {GROUP} : i64
  %most = arith.constant {MOST_QUEUED} : i32
  %one = arith.constant 1 : i32
  %queued = llvm.call @emu.get(%record, %queued_at) : (!llvm.ptr, i64) -> i32
  %done = llvm.call @emu.get(%record, %done_at) : (!llvm.ptr, i64) -> i32
  %group = llvm.call @emu.get(%record, %group_at) : (!llvm.ptr, i64) -> i32
  %open = arith.subi %queued, %done : i32
  %full = arith.cmpi uge, %open, %most : i32
  scf.if %full {{
    %kind = arith.constant {TOO_MANY_COPIES} : i32
    %none = arith.constant 0 : i64
    func.call @emu.fault(%record, %kind, %site, %none) : (!llvm.ptr, i32, i32, i64) -> ()
  }} else {{
    %row = func.call @emu.row(%record, %queued) : (!llvm.ptr, i32) -> !llvm.ptr
    llvm.store %target, %row : !llvm.ptr, !llvm.ptr
    %p1 = llvm.getelementptr %row[8] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %source, %p1 : !llvm.ptr, !llvm.ptr
    %p2 = llvm.getelementptr %row[16] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %bytes, %p2 : i32, !llvm.ptr
    %p3 = llvm.getelementptr %row[20] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %given, %p3 : i32, !llvm.ptr
    %p4 = llvm.getelementptr %row[24] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %group, %p4 : i32, !llvm.ptr
    %next = arith.addi %queued, %one : i32
    llvm.call @emu.put(%record, %queued_at, %next) : (!llvm.ptr, i64, i32) -> ()
  }}
  return
}}
func.func private @emu.row(%record: !llvm.ptr, %number: i32) -> !llvm.ptr {{
  %most = arith.constant {MOST_QUEUED} : i32
  %size = arith.constant {QUEUE_ROW} : i64
  %place32 = arith.remui %number, %most : i32
  %place = arith.extui %place32 : i32 to i64
  %o = arith.muli %place, %size : i64
  %p = llvm.getelementptr %record[%o] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %q = llvm.getelementptr %p[{QUEUE}] : (!llvm.ptr) -> !llvm.ptr, i8
  return %q : !llvm.ptr
}}
func.func private @emu.commit(%record: !llvm.ptr) {{
  %group_at = arith.constant {GROUP} : i64
  %one = arith.constant 1 : i32
  %group = llvm.call @emu.get(%record, %group_at) : (!llvm.ptr, i64) -> i32
  %next = arith.addi %group, %one : i32
  llvm.call @emu.put(%record, %group_at, %next) : (!llvm.ptr, i64, i32) -> ()
  return
}}
// Copies become visible here and not before, so that a wait that is missing shows.
func.func private @emu.await(%record: !llvm.ptr, %left: i32) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %queued_at = arith.constant {QUEUED} : i64
  %done_at = arith.constant {FINISHED} : i64
  %group_at = arith.constant {GROUP} : i64
  %one = arith.constant 1 : i32
  %queued = llvm.call @emu.get(%record, %queued_at) : (!llvm.ptr, i64) -> i32
  %done = llvm.call @emu.get(%record, %done_at) : (!llvm.ptr, i64) -> i32
  %group = llvm.call @emu.get(%record, %group_at) : (!llvm.ptr, i64) -> i32
  %open = arith.subi %queued, %done : i32
  %n = arith.index_cast %open : i32 to index
  %now = scf.for %k = %c0 to %n step %c1 iter_args(%d = %done) -> i32 {{
    %k32 = arith.index_cast %k : index to i32
    %number = arith.addi %done, %k32 : i32
    %row = func.call @emu.row(%record, %number) : (!llvm.ptr, i32) -> !llvm.ptr
    %p4 = llvm.getelementptr %row[24] : (!llvm.ptr) -> !llvm.ptr, i8
    %its = llvm.load %p4 : !llvm.ptr -> i32
    %age = arith.subi %group, %its : i32
    %due = arith.cmpi sgt, %age, %left : i32
    %next = scf.if %due -> i32 {{
      %p1 = llvm.getelementptr %row[8] : (!llvm.ptr) -> !llvm.ptr, i8
      %p2 = llvm.getelementptr %row[16] : (!llvm.ptr) -> !llvm.ptr, i8
      %p3 = llvm.getelementptr %row[20] : (!llvm.ptr) -> !llvm.ptr, i8
      %target = llvm.load %row : !llvm.ptr -> !llvm.ptr
      %source = llvm.load %p1 : !llvm.ptr -> !llvm.ptr
      %bytes = llvm.load %p2 : !llvm.ptr -> i32
      %given = llvm.load %p3 : !llvm.ptr -> i32
      %zero = arith.constant 0 : i8
      "llvm.intr.memset"(%target, %zero, %bytes) <{{isVolatile = false}}> : (!llvm.ptr, i8, i32) -> ()
      "llvm.intr.memcpy"(%target, %source, %given) <{{isVolatile = false}}> : (!llvm.ptr, !llvm.ptr, i32) -> ()
      %d2 = arith.addi %d, %one : i32
      scf.yield %d2 : i32
    }} else {{
      scf.yield %d : i32
    }}
    scf.yield %next : i32
  }}
  llvm.call @emu.put(%record, %done_at, %now) : (!llvm.ptr, i64, i32) -> ()
  return
}}
"""


def _product(product: Product) -> str:
    """D = A B + C for the four elements of a lane, in the order of k."""
    result = "!llvm.struct<(f32, f32, f32, f32)>"
    count = [0]
    lines: list[str] = []

    def op(text: str) -> str:
        count[0] += 1
        lines.append(f"  %v{count[0]} = {text}")
        return f"%v{count[0]}"

    def constant(value: int, type_: str = "i32") -> str:
        return op(f"arith.constant {value} : {type_}")

    lane = op(
        f"llvm.call @emu.get(%record, {constant(r.SPECIAL['laneid'], 'i64')})"
        " : (!llvm.ptr, i64) -> i32"
    )
    group = op(f"arith.shrui {lane}, {constant(2)} : i32")
    in_group = op(f"arith.andi {lane}, {constant(3)} : i32")

    def element(from_lane: str, register: int, part: int) -> str:
        """An element of A or B as an f32, out of what a lane gave."""
        bank = op(f"func.call @emu.bank_of(%record, {from_lane}) : (!llvm.ptr, i32) -> !llvm.ptr")
        place = op(f"llvm.getelementptr {bank}[{register}] : (!llvm.ptr) -> !llvm.ptr, i32")
        word = op(f"llvm.load {place} : !llvm.ptr -> i32")
        if product.type == "tf32":
            # The unit does not look at the lower 13 bits.
            cut = op(f"arith.andi {word}, {constant(-8192)} : i32")
            return op(f"arith.bitcast {cut} : i32 to f32")
        if product.type == "bf16":
            if part:
                high = op(f"arith.andi {word}, {constant(-65536)} : i32")
            else:
                high = op(f"arith.shli {word}, {constant(16)} : i32")
            return op(f"arith.bitcast {high} : i32 to f32")
        if part:
            word = op(f"arith.shrui {word}, {constant(16)} : i32")
        short = op(f"arith.trunci {word} : i32 to i16")
        half = op(f"arith.bitcast {short} : i16 to f16")
        return op(f"arith.extf {half} : f16 to f32")

    a_registers, _ = product.registers
    results = []
    for place in range(4):
        low_half, odd = divmod(place, 2)
        column = op(f"arith.muli {in_group}, {constant(2)} : i32")
        column = op(f"arith.addi {column}, {constant(odd)} : i32")
        sum_ = f"%c{place}"
        for k in range(product.k):
            word, part = divmod(k, product.in_word)
            half, fourth = divmod(word, 4)
            fourth_ = constant(fourth)
            a_lane = op(
                f"arith.addi {op(f'arith.muli {group}, {constant(4)} : i32')}, {fourth_} : i32"
            )
            b_lane = op(
                f"arith.addi {op(f'arith.muli {column}, {constant(4)} : i32')}, {fourth_} : i32"
            )
            a = element(a_lane, low_half + 2 * half, part)
            b = element(b_lane, a_registers + half, part)
            sum_ = op(f"math.fma {a}, {b}, {sum_} : f32")
        results.append(sum_)
    lines.append("  func.call @emu.turn(%record) : (!llvm.ptr) -> ()")
    made = op(f"llvm.mlir.undef : {result}")
    for place, value in enumerate(results):
        made = op(f"llvm.insertvalue {value}, {made}[{place}] : {result}")
    arguments = ", ".join(f"%c{place}: f32" for place in range(4))
    body = "\n".join(lines)
    return (
        f"func.func private @{product.symbol}(%record: !llvm.ptr, {arguments}) -> {result} {{\n"
        f"{body}\n  return {made} : {result}\n}}\n"
    )


def _ldmatrix(transposed: bool, names: dict[str, int]) -> str:
    if not transposed:
        read = "  %row0 = arith.addi %first, %group : i32" + _ROW.format(N=0)
        read += """
  %p = llvm.getelementptr %start0[%in_group] : (!llvm.ptr, i32) -> !llvm.ptr, i32
  %v = llvm.load %p : !llvm.ptr -> i32"""
    else:
        read = """  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %twice = arith.muli %in_group, %c2 : i32
  %row0 = arith.addi %first, %twice : i32
  %row1 = arith.addi %row0, %c1 : i32"""
        read += _ROW.format(N=0) + _ROW.format(N=1)
        read += """
  %p0 = llvm.getelementptr %start0[%group] : (!llvm.ptr, i32) -> !llvm.ptr, i16
  %p1 = llvm.getelementptr %start1[%group] : (!llvm.ptr, i32) -> !llvm.ptr, i16
  %v0 = llvm.load %p0 : !llvm.ptr -> i16
  %v1 = llvm.load %p1 : !llvm.ptr -> i16
  %w0 = arith.extui %v0 : i16 to i32
  %w1 = arith.extui %v1 : i16 to i32
  %h1 = arith.shli %w1, %c16 : i32
  %v = arith.ori %w0, %h1 : i32"""
    return _LDMATRIX.format(**names, TRANS="_trans" if transposed else "", READ=read)


def library(products: frozenset[Product]) -> str:
    """The functions, and of the matrix products those that are used."""
    names = {name: value for name, value in vars(r).items() if isinstance(value, int)}
    names["LANE_ID"] = r.SPECIAL["laneid"]
    texts = [_BANKS.format(**names), _COPIES.format(**names)]
    texts += [_SHUFFLE.format(**names, MODE=mode, SOURCE=_SOURCES[mode]) for mode in SHUFFLES]
    texts += [_ldmatrix(False, names), _ldmatrix(True, names)]
    texts += [_product(one) for one in PRODUCTS if one in products]
    return "".join(texts)
