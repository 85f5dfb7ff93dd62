"""Machine code by which others say that they need memory of ours no longer.

They do so from any thread, with or without the interpreter's lock, and while an exception is on its
way: no function of Python can be called then. So what they call only leaves a mark.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Final, NamedTuple

from tdsl.engine.llvm import Target, compile_ir
from tdsl.engine.load import load

PLAIN: Final = b"dltensor"
VERSIONED: Final = b"dltensor_versioned"


class Release(NamedTuple):
    """Addresses: deleters of both kinds of managed tensors, and the destructor of capsules."""

    plain: int
    versioned: int
    destroy: int


@cache
def release(plain_context: int, versioned_context: int) -> Release:
    """The functions, for structures whose fields `context` lie at these offsets. Each of those
    fields points to a number that becomes 1."""
    text = _TEXT.format(plain=plain_context, versioned=versioned_context)
    names = ("tdsl_drop_plain", "tdsl_drop_versioned", "tdsl_drop_capsule")
    loaded = load(compile_ir(text, Target.host(), frozenset(names)))
    # Capsules may outlive everything here: the code is never unloaded.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(loaded))
    return Release(*map(loaded.address, names))


# The names of a capsule that nobody used. Those who use it give it another name.
_TEXT = r"""
@plain = private constant [9 x i8] c"dltensor\00"
@versioned = private constant [19 x i8] c"dltensor_versioned\00"

declare i32 @PyCapsule_IsValid(ptr, ptr)
declare ptr @PyCapsule_GetPointer(ptr, ptr)

define void @tdsl_drop_plain(ptr %managed) {{
  %place = getelementptr i8, ptr %managed, i64 {plain}
  %mark = load ptr, ptr %place
  store atomic i64 1, ptr %mark release, align 8
  ret void
}}

define void @tdsl_drop_versioned(ptr %managed) {{
  %place = getelementptr i8, ptr %managed, i64 {versioned}
  %mark = load ptr, ptr %place
  store atomic i64 1, ptr %mark release, align 8
  ret void
}}

define void @tdsl_drop_capsule(ptr %capsule) {{
entry:
  %first = call i32 @PyCapsule_IsValid(ptr %capsule, ptr @versioned)
  %is_versioned = icmp ne i32 %first, 0
  br i1 %is_versioned, label %of_versioned, label %other
of_versioned:
  %one = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr @versioned)
  call void @tdsl_drop_versioned(ptr %one)
  ret void
other:
  %second = call i32 @PyCapsule_IsValid(ptr %capsule, ptr @plain)
  %is_plain = icmp ne i32 %second, 0
  br i1 %is_plain, label %of_plain, label %used
of_plain:
  %two = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr @plain)
  call void @tdsl_drop_plain(ptr %two)
  ret void
used:
  ret void
}}
"""
