"""What emulated kernels call: the scheduler of a block's threads, and the work of single instructions."""

from __future__ import annotations

from tdsl.gpu.emulation import record as r

_FIELD = """
llvm.func @emu.at(%record: !llvm.ptr, %offset: i64) -> !llvm.ptr attributes {{passthrough = ["alwaysinline"]}} {{
  %p = llvm.getelementptr %record[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.return %p : !llvm.ptr
}}
llvm.func @emu.get(%record: !llvm.ptr, %offset: i64) -> i32 attributes {{passthrough = ["alwaysinline"]}} {{
  %p = llvm.getelementptr %record[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  %v = llvm.load %p : !llvm.ptr -> i32
  llvm.return %v : i32
}}
llvm.func @emu.put(%record: !llvm.ptr, %offset: i64, %value: i32) attributes {{passthrough = ["alwaysinline"]}} {{
  %p = llvm.getelementptr %record[%offset] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.store %value, %p : i32, !llvm.ptr
  llvm.return
}}
func.func private @emu.wait(%record: !llvm.ptr, %state: i32, %site: i32) {{
  %at = arith.constant {STATE} : i64
  %there = arith.constant {SITE} : i64
  llvm.call @emu.put(%record, %at, %state) : (!llvm.ptr, i64, i32) -> ()
  llvm.call @emu.put(%record, %there, %site) : (!llvm.ptr, i64, i32) -> ()
  return
}}
func.func private @emu.done(%record: !llvm.ptr) {{
  %at = arith.constant {STATE} : i64
  %done = arith.constant {DONE} : i32
  llvm.call @emu.put(%record, %at, %done) : (!llvm.ptr, i64, i32) -> ()
  return
}}
"""

_FAULTS = """
llvm.mlir.global internal @emu.nowhere() {{alignment = 64 : i64}} : !llvm.array<4096 x i8> {{
  %0 = llvm.mlir.zero : !llvm.array<4096 x i8>
  llvm.return %0 : !llvm.array<4096 x i8>
}}
// The first fault of a thread stays: the scheduler sees it when the thread gives way.
func.func private @emu.fault(%record: !llvm.ptr, %kind: i32, %site: i32, %address: i64) {{
  %at = arith.constant {FAULT} : i64
  %there = arith.constant {FAULT_SITE} : i64
  %which = arith.constant {FAULT_ADDRESS} : i64
  %none = arith.constant 0 : i32
  %before = llvm.call @emu.get(%record, %at) : (!llvm.ptr, i64) -> i32
  %first = arith.cmpi eq, %before, %none : i32
  scf.if %first {{
    llvm.call @emu.put(%record, %at, %kind) : (!llvm.ptr, i64, i32) -> ()
    llvm.call @emu.put(%record, %there, %site) : (!llvm.ptr, i64, i32) -> ()
    %p = llvm.getelementptr %record[{FAULT_ADDRESS}] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %address, %p : i64, !llvm.ptr
  }}
  return
}}
// The pointer if [pointer, pointer + bytes) is empty, or lies in [low, high) and is aligned; else one
// that harms nobody.
func.func private @emu.check(%record: !llvm.ptr, %pointer: !llvm.ptr, %low: i64, %high: i64,
                             %bytes: i64, %alignment: i64, %site: i32) -> !llvm.ptr {{
  %address = llvm.ptrtoint %pointer : !llvm.ptr to i64
  %end = arith.addi %address, %bytes : i64
  %above = arith.cmpi uge, %address, %low : i64
  %below = arith.cmpi ule, %end, %high : i64
  %inside = arith.andi %above, %below : i1
  %zero = arith.constant 0 : i64
  %rest = arith.remui %address, %alignment : i64
  %aligned = arith.cmpi eq, %rest, %zero : i64
  %empty = arith.cmpi eq, %bytes, %zero : i64
  %both = arith.andi %inside, %aligned : i1
  %good = arith.ori %both, %empty : i1
  %result = scf.if %good -> !llvm.ptr {{
    scf.yield %pointer : !llvm.ptr
  }} else {{
    %outside = arith.constant {OUT_OF_BOUNDS} : i32
    %misaligned = arith.constant {MISALIGNED} : i32
    %kind = arith.select %inside, %misaligned, %outside : i32
    func.call @emu.fault(%record, %kind, %site, %address) : (!llvm.ptr, i32, i32, i64) -> ()
    %nowhere = llvm.mlir.addressof @emu.nowhere : !llvm.ptr
    scf.yield %nowhere : !llvm.ptr
  }}
  return %result : !llvm.ptr
}}
// The same for a pointer that may lead into any argument.
func.func private @emu.check_any(%record: !llvm.ptr, %pointer: !llvm.ptr,
                                 %bytes: i64, %alignment: i64, %site: i32) -> !llvm.ptr {{
  %address = llvm.ptrtoint %pointer : !llvm.ptr to i64
  %end = arith.addi %address, %bytes : i64
  %offset = arith.constant {COUNT} : i64
  %count32 = llvm.call @emu.get(%record, %offset) : (!llvm.ptr, i64) -> i32
  %count = arith.index_cast %count32 : i32 to index
  %where = llvm.getelementptr %record[{ARGUMENTS}] : (!llvm.ptr) -> !llvm.ptr, i8
  %table = llvm.load %where : !llvm.ptr -> !llvm.ptr
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %none = arith.constant 0 : i64
  %row = arith.constant {ARGUMENT_ROW} : i64
  %low, %high = scf.for %k = %c0 to %count step %c1 iter_args(%l = %none, %h = %none) -> (i64, i64) {{
    %k64 = arith.index_cast %k : index to i64
    %o = arith.muli %k64, %row : i64
    %p = llvm.getelementptr %table[%o] : (!llvm.ptr, i64) -> !llvm.ptr, i8
    %pl = llvm.getelementptr %p[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %ph = llvm.getelementptr %p[16] : (!llvm.ptr) -> !llvm.ptr, i8
    %low = llvm.load %pl : !llvm.ptr -> i64
    %high = llvm.load %ph : !llvm.ptr -> i64
    %above = arith.cmpi uge, %address, %low : i64
    %below = arith.cmpi ule, %end, %high : i64
    %inside = arith.andi %above, %below : i1
    %l2 = arith.select %inside, %low, %l : i64
    %h2 = arith.select %inside, %high, %h : i64
    scf.yield %l2, %h2 : i64, i64
  }}
  %r = func.call @emu.check(%record, %pointer, %low, %high, %bytes, %alignment, %site)
    : (!llvm.ptr, !llvm.ptr, i64, i64, i64, i64, i32) -> !llvm.ptr
  return %r : !llvm.ptr
}}
"""

_SCHEDULER = """
func.func private @emu.record(%records: !llvm.ptr, %t: index) -> !llvm.ptr {{
  %size = arith.constant {RECORD} : i64
  %t64 = arith.index_cast %t : index to i64
  %o = arith.muli %t64, %size : i64
  %p = llvm.getelementptr %records[%o] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  return %p : !llvm.ptr
}}
func.func private @emu.state(%records: !llvm.ptr, %t: index) -> i32 {{
  %p = func.call @emu.record(%records, %t) : (!llvm.ptr, index) -> !llvm.ptr
  %o = arith.constant {STATE} : i64
  %s = llvm.call @emu.get(%p, %o) : (!llvm.ptr, i64) -> i32
  return %s : i32
}}
// Whether all threads from %first to %last are in %state at one site; if so they go on.
func.func private @emu.release(%records: !llvm.ptr, %first: index, %last: index, %state: i32) -> i1 {{
  %c1 = arith.constant 1 : index
  %true = arith.constant true
  %site_at = arith.constant {SITE} : i64
  %state_at = arith.constant {STATE} : i64
  %runnable = arith.constant {RUNNABLE} : i32
  %head = func.call @emu.record(%records, %first) : (!llvm.ptr, index) -> !llvm.ptr
  %site = llvm.call @emu.get(%head, %site_at) : (!llvm.ptr, i64) -> i32
  %all = scf.for %t = %first to %last step %c1 iter_args(%a = %true) -> i1 {{
    %p = func.call @emu.record(%records, %t) : (!llvm.ptr, index) -> !llvm.ptr
    %s = llvm.call @emu.get(%p, %state_at) : (!llvm.ptr, i64) -> i32
    %u = llvm.call @emu.get(%p, %site_at) : (!llvm.ptr, i64) -> i32
    %x = arith.cmpi eq, %s, %state : i32
    %y = arith.cmpi eq, %u, %site : i32
    %z = arith.andi %x, %y : i1
    %w = arith.andi %a, %z : i1
    scf.yield %w : i1
  }}
  scf.if %all {{
    scf.for %t = %first to %last step %c1 {{
      %p = func.call @emu.record(%records, %t) : (!llvm.ptr, index) -> !llvm.ptr
      llvm.call @emu.put(%p, %state_at, %runnable) : (!llvm.ptr, i64, i32) -> ()
    }}
  }}
  return %all : i1
}}
func.func private @emu.set(%p: !llvm.ptr, %offset: i64, %value: index) {{
  %v = arith.index_cast %value : index to i32
  llvm.call @emu.put(%p, %offset, %v) : (!llvm.ptr, i64, i32) -> ()
  return
}}
// One block. settings: records, handles, order, arguments, their count, start, reset, threads,
// block x, y, grid x, y, z, greedy, report.
func.func private @emu.block(%settings: !llvm.ptr, %bx: index, %by: index, %bz: index) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %i0 = arith.constant 0 : i32
  %i1 = arith.constant 1 : i32
  %null = llvm.mlir.zero : !llvm.ptr
{LOADS}
  %n = arith.index_cast %n64 : i64 to index
  %nx = arith.index_cast %nx64 : i64 to index
  %ny = arith.index_cast %ny64 : i64 to index
  %gx = arith.index_cast %gx64 : i64 to index
  %gy = arith.index_cast %gy64 : i64 to index
  %gz = arith.index_cast %gz64 : i64 to index
  %nxy = arith.muli %nx, %ny : index
  %nz = arith.divui %n, %nxy : index
  llvm.call %reset() : !llvm.ptr, () -> ()
  scf.for %t = %c0 to %n step %c1 {{
    %p = func.call @emu.record(%records, %t) : (!llvm.ptr, index) -> !llvm.ptr
    %x = arith.remui %t, %nx : index
    %q = arith.divui %t, %nx : index
    %y = arith.remui %q, %ny : index
    %z = arith.divui %q, %ny : index
    %lane = arith.remui %t, %c32 : index
    %warp = arith.divui %t, %c32 : index
    %begin = arith.subi %t, %lane : index
    %left = arith.subi %n, %begin : index
    %lanes = arith.minui %left, %c32 : index
{FIELDS}
    %pa = llvm.getelementptr %p[{ARGUMENTS}] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %arguments, %pa : !llvm.ptr, !llvm.ptr
    %count = arith.index_cast %count64 : i64 to index
    %count_at = arith.constant {COUNT} : i64
    func.call @emu.set(%p, %count_at, %count) : (!llvm.ptr, i64, index) -> ()
    %t64 = arith.index_cast %t : index to i64
    %h = llvm.getelementptr %handles[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
    llvm.store %null, %h : !llvm.ptr, !llvm.ptr
  }}
  %runnable = arith.constant {RUNNABLE} : i32
  %at_warp = arith.constant {AT_WARP} : i32
  %at_barrier = arith.constant {AT_BARRIER} : i32
  %done = arith.constant {DONE} : i32
  %true = arith.constant true
  %false = arith.constant false
  %none = arith.constant -1 : index
  %zero64 = arith.constant 0 : i64
  %one64 = arith.constant 1 : i64
  %code = scf.while (%code = %i0) : (i32) -> i32 {{
    // The lowest or the highest warp with a thread that can run: greedy orders run only that one.
    %low, %high = scf.for %t = %c0 to %n step %c1 iter_args(%l = %none, %h = %none) -> (index, index) {{
      %s = func.call @emu.state(%records, %t) : (!llvm.ptr, index) -> i32
      %can = arith.cmpi eq, %s, %runnable : i32
      %warp = arith.divui %t, %c32 : index
      %new = arith.cmpi eq, %l, %none : index
      %first = arith.andi %can, %new : i1
      %l2 = arith.select %first, %warp, %l : index
      %h2 = arith.select %can, %warp, %h : index
      scf.yield %l2, %h2 : index, index
    }}
    %lockstep = arith.cmpi eq, %greedy, %zero64 : i64
    %lowest = arith.cmpi eq, %greedy, %one64 : i64
    %chosen = arith.select %lowest, %low, %high : index
    %ran, %fault = scf.for %k = %c0 to %n step %c1 iter_args(%r = %false, %f = %i0) -> (i1, i32) {{
      %k64 = arith.index_cast %k : index to i64
      %o = llvm.getelementptr %order[%k64] : (!llvm.ptr, i64) -> !llvm.ptr, i64
      %t64 = llvm.load %o : !llvm.ptr -> i64
      %t = arith.index_cast %t64 : i64 to index
      %s = func.call @emu.state(%records, %t) : (!llvm.ptr, index) -> i32
      %can = arith.cmpi eq, %s, %runnable : i32
      %warp = arith.divui %t, %c32 : index
      %mine = arith.cmpi eq, %warp, %chosen : index
      %may = arith.ori %mine, %lockstep : i1
      %sound = arith.cmpi eq, %f, %i0 : i32
      %now = arith.andi %can, %may : i1
      %go = arith.andi %now, %sound : i1
      %f2 = scf.if %go -> i32 {{
        %p = func.call @emu.record(%records, %t) : (!llvm.ptr, index) -> !llvm.ptr
        %h = llvm.getelementptr %handles[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
        %handle = llvm.load %h : !llvm.ptr -> !llvm.ptr
        %fresh = llvm.icmp "eq" %handle, %null : !llvm.ptr
        scf.if %fresh {{
          %made = llvm.call %start(%arguments, %p) : !llvm.ptr, (!llvm.ptr, !llvm.ptr) -> !llvm.ptr
          llvm.store %made, %h : !llvm.ptr, !llvm.ptr
        }} else {{
          llvm.intr.coro.resume %handle : !llvm.ptr
        }}
        %fault_at = arith.constant {FAULT} : i64
        %kind = llvm.call @emu.get(%p, %fault_at) : (!llvm.ptr, i64) -> i32
        %bad = arith.cmpi ne, %kind, %i0 : i32
        scf.if %bad {{
          %r3 = llvm.getelementptr %report[24] : (!llvm.ptr) -> !llvm.ptr, i8
          llvm.store %t64, %r3 : i64, !llvm.ptr
        }}
        scf.yield %kind : i32
      }} else {{
        scf.yield %f : i32
      }}
      %r2 = arith.ori %r, %go : i1
      scf.yield %r2, %f2 : i1, i32
    }}
    %warps = scf.for %t = %c0 to %n step %c32 iter_args(%a = %false) -> i1 {{
      %to = arith.addi %t, %c32 : index
      %end = arith.minui %to, %n : index
      %free = func.call @emu.release(%records, %t, %end, %at_warp) : (!llvm.ptr, index, index, i32) -> i1
      %b = arith.ori %a, %free : i1
      scf.yield %b : i1
    }}
    %block = func.call @emu.release(%records, %c0, %n, %at_barrier) : (!llvm.ptr, index, index, i32) -> i1
    %left = scf.for %t = %c0 to %n step %c1 iter_args(%a = %false) -> i1 {{
      %s = func.call @emu.state(%records, %t) : (!llvm.ptr, index) -> i32
      %open = arith.cmpi ne, %s, %done : i32
      %b = arith.ori %a, %open : i1
      scf.yield %b : i1
    }}
    %m1 = arith.ori %ran, %warps : i1
    %moved = arith.ori %m1, %block : i1
    %bad = arith.cmpi ne, %fault, %i0 : i32
    %still = arith.xori %moved, %true : i1
    %stuck = arith.andi %left, %still : i1
    %c_stuck = arith.constant {STUCK} : i32
    %c_fault = arith.constant {FAULTY} : i32
    %e1 = arith.select %stuck, %c_stuck, %i0 : i32
    %e2 = arith.select %bad, %c_fault, %e1 : i32
    %fine = arith.cmpi eq, %e2, %i0 : i32
    %again = arith.andi %fine, %left : i1
    scf.condition(%again) %e2 : i32
  }} do {{
  ^bb0(%c: i32):
    scf.yield %c : i32
  }}
  %failed = arith.cmpi ne, %code, %i0 : i32
  scf.if %failed {{
    // Threads that will not go on give their memory back.
    scf.for %t = %c0 to %n step %c1 {{
      %s = func.call @emu.state(%records, %t) : (!llvm.ptr, index) -> i32
      %t64 = arith.index_cast %t : index to i64
      %h = llvm.getelementptr %handles[%t64] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.ptr
      %handle = llvm.load %h : !llvm.ptr -> !llvm.ptr
      %begun = llvm.icmp "ne" %handle, %null : !llvm.ptr
      %open = arith.cmpi ne, %s, %done : i32
      %waits = arith.andi %begun, %open : i1
      scf.if %waits {{
        %d = llvm.getelementptr %handle[8] : (!llvm.ptr) -> !llvm.ptr, i8
        %destroy = llvm.load %d : !llvm.ptr -> !llvm.ptr
        llvm.call %destroy(%handle) : !llvm.ptr, (!llvm.ptr) -> ()
      }}
    }}
    %x64 = arith.index_cast %bx : index to i64
    %y64 = arith.index_cast %by : index to i64
    %z64 = arith.index_cast %bz : index to i64
    llvm.store %x64, %report : i64, !llvm.ptr
    %r1 = llvm.getelementptr %report[8] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %y64, %r1 : i64, !llvm.ptr
    %r2 = llvm.getelementptr %report[16] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %z64, %r2 : i64, !llvm.ptr
  }}
  return %code : i32
}}
llvm.func @emu_run(%settings: !llvm.ptr) -> i32 {{
  %c = func.call @emu.grid(%settings) : (!llvm.ptr) -> i32
  llvm.return %c : i32
}}
func.func private @emu.grid(%settings: !llvm.ptr) -> i32 {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %i0 = arith.constant 0 : i32
{GRID}
  %gx = arith.index_cast %gx64 : i64 to index
  %gy = arith.index_cast %gy64 : i64 to index
  %gz = arith.index_cast %gz64 : i64 to index
  %code = scf.for %z = %c0 to %gz step %c1 iter_args(%a = %i0) -> i32 {{
    %code = scf.for %y = %c0 to %gy step %c1 iter_args(%b = %a) -> i32 {{
      %code = scf.for %x = %c0 to %gx step %c1 iter_args(%c = %b) -> i32 {{
        %sound = arith.cmpi eq, %c, %i0 : i32
        %next = scf.if %sound -> i32 {{
          %got = func.call @emu.block(%settings, %x, %y, %z) : (!llvm.ptr, index, index, index) -> i32
          scf.yield %got : i32
        }} else {{
          scf.yield %c : i32
        }}
        scf.yield %next : i32
      }}
      scf.yield %code : i32
    }}
    scf.yield %code : i32
  }}
  return %code : i32
}}
"""

SETTINGS = (
    *("records", "handles", "order", "arguments", "count64", "start", "reset", "n64"),
    *("nx64", "ny64", "gx64", "gy64", "gz64", "greedy", "report"),
)
"""What a launch is told, 8 bytes each."""
_POINTERS = {"records", "handles", "order", "arguments", "start", "reset", "report"}


def _loads(names: tuple[str, ...]) -> str:
    lines = []
    for name in names:
        place = 8 * SETTINGS.index(name)
        type_ = "!llvm.ptr" if name in _POINTERS else "i64"
        lines.append(
            f"  %{name}_at = llvm.getelementptr %settings[{place}] : (!llvm.ptr) -> !llvm.ptr, i8"
        )
        lines.append(f"  %{name} = llvm.load %{name}_at : !llvm.ptr -> {type_}")
    return "\n".join(lines)


def _fields() -> str:
    """The start of a record."""
    values = {
        "tid": ("x", "y", "z"),
        "ctaid": ("bx", "by", "bz"),
        "ntid": ("nx", "ny", "nz"),
        "nctaid": ("gx", "gy", "gz"),
    }
    pairs = [
        (r.SPECIAL[f"{register}.{axis}"], name)
        for register, names in values.items()
        for axis, name in zip("xyz", names, strict=True)
    ]
    pairs += [(r.SPECIAL["laneid"], "lane"), (r.SPECIAL["warpid"], "warp")]
    pairs += [(r.LINEAR, "t"), (r.LANES, "lanes")]
    cleared = (r.STATE, r.SITE, r.BANK, r.FAULT, r.FAULT_SITE, r.QUEUED, r.GROUP, r.FINISHED)
    pairs += [(place, "c0") for place in cleared]
    lines = []
    for place, name in pairs:
        lines.append(f"    %at_{place} = arith.constant {place} : i64")
        lines.append(
            f"    func.call @emu.set(%p, %at_{place}, %{name}) : (!llvm.ptr, i64, index) -> ()"
        )
    return "\n".join(lines)


def library() -> str:
    """The text of all of it, in the dialects llvm, func, scf and arith."""
    names = {name: value for name, value in vars(r).items() if isinstance(value, int)}
    text = _FIELD + _FAULTS + _SCHEDULER
    return text.format(
        **names,
        LOADS=_loads(SETTINGS),
        FIELDS=_fields(),
        GRID=_loads(("gx64", "gy64", "gz64")),
    )
