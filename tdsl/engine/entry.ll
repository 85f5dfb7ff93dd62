; The call of a compiled function from CPython, in machine code: one function for all of them, driven
; by a table. The table is made by entry.py, which also checks that the layouts below hold.
;
; A table (i64 words) is a header, then variants. A variant is one compiled instance with the keywords
; that choose it; the first that fits the arguments is called. Where none fits, or the arguments are
; not plain arrays, the fallback gets the call: it converts, compiles, or raises.
;
; A size in a table is a word: w >= 0 is that number, w < 0 is the value ~w. Values are the open sizes,
; bound by the inputs' axes, and then what is derived from them.

%object = type { i64, ptr }                                     ; references, type
%array = type { i64, ptr, ptr, i32, ptr, ptr, ptr, ptr, i32 }   ; .., data, rank, sizes, strides, base, dtype, flags
%dtype = type { i64, ptr, ptr, i8, i8, i8, i8, i32 }            ; .., scalar type, kind, type, byte order, flags, number
; variants, longest lists of pointers and values, count of calls, fallback, PyArray_New, PyArray_Type, kept bytes,
; None
%header = type { i64, i64, i64, ptr, ptr, ptr, ptr, i64, ptr }
; 0 words to the next variant, 1 kernel, 2 inputs, 3 results, 4 open sizes, 5 keywords, 6 derived values, 7 checks,
; 8 scratch memory kept (a list), 9 its size, 10 what raises, 11 form of the result, 12 what assembles it,
; 13 .. 16 where inputs, derived values, checks, results start; then keywords
%variant = type { i64, ptr, i64, i64, i64, i64, i64, i64, ptr, i64, ptr, i64, ptr, i64, i64, i64, i64 }

declare ptr @PyTuple_GetItem(ptr, i64)
declare i64 @PyTuple_Size(ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyList_New(i64)
declare i64 @PyList_Size(ptr)
declare ptr @PyList_GetItem(ptr, i64)
declare i32 @PyList_SetItem(ptr, i64, ptr)
declare i32 @PyList_SetSlice(ptr, i64, i64, ptr)
declare i32 @PyList_Append(ptr, ptr)
declare ptr @PyBytes_AsString(ptr)
declare ptr @PyLong_FromVoidPtr(ptr)
declare i32 @PyObject_RichCompareBool(ptr, ptr, i32)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @PyErr_Clear()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64)
declare { i64, i1 } @llvm.sadd.with.overflow.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)

define internal i64 @size(i64 %word, ptr %values) alwaysinline {
  %literal = icmp sge i64 %word, 0
  br i1 %literal, label %number, label %value
number:
  ret i64 %word
value:
  %place = xor i64 %word, -1
  %where = getelementptr i64, ptr %values, i64 %place
  %found = load i64, ptr %where
  ret i64 %found
}

; Whether the keywords of a call are those of the variant, each with the same value of the same type.
define internal i1 @keywords_fit(ptr %variant, ptr %given, ptr %names) {
entry:
  %wanted.at = getelementptr %variant, ptr %variant, i32 0, i32 5
  %wanted = load i64, ptr %wanted.at
  %pairs = getelementptr %variant, ptr %variant, i64 1
  %none = icmp eq ptr %names, null
  br i1 %none, label %without, label %with
without:
  %no = icmp eq i64 %wanted, 0
  ret i1 %no
with:
  %count = call i64 @PyTuple_Size(ptr %names)
  %same = icmp eq i64 %count, %wanted
  br i1 %same, label %next, label %differ
next:
  %k = phi i64 [ 0, %with ], [ %k1, %found ]
  %more = icmp slt i64 %k, %count
  br i1 %more, label %one, label %fit
one:
  %name = call ptr @PyTuple_GetItem(ptr %names, i64 %k)
  %value.at = getelementptr ptr, ptr %given, i64 %k
  %value = load ptr, ptr %value.at
  br label %look
look:
  %j = phi i64 [ 0, %one ], [ %j1, %other ]
  %left = icmp slt i64 %j, %wanted
  br i1 %left, label %compare, label %differ
compare:
  %place = shl i64 %j, 1
  %known.at = getelementptr ptr, ptr %pairs, i64 %place
  %known = load ptr, ptr %known.at
  %expected.at = getelementptr ptr, ptr %known.at, i64 1
  %expected = load ptr, ptr %expected.at
  %named = icmp eq ptr %known, %name
  br i1 %named, label %values, label %other
other:
  %j1 = add i64 %j, 1
  br label %look
values:
  %identical = icmp eq ptr %value, %expected
  br i1 %identical, label %found, label %types
types:
  %type.at = getelementptr %object, ptr %value, i32 0, i32 1
  %type = load ptr, ptr %type.at
  %expected.type.at = getelementptr %object, ptr %expected, i32 0, i32 1
  %expected.type = load ptr, ptr %expected.type.at
  %alike = icmp eq ptr %type, %expected.type
  br i1 %alike, label %equal, label %differ
equal:                                          ; numbers, both of one builtin type: nothing of the user's runs
  %answer = call i32 @PyObject_RichCompareBool(ptr %value, ptr %expected, i32 2)
  %yes = icmp eq i32 %answer, 1
  br i1 %yes, label %found, label %differ
found:
  %k1 = add i64 %k, 1
  br label %next
fit:
  ret i1 true
differ:
  ret i1 false
}

; Whether the positional arguments are plain arrays of the variant's dtypes, ranks and sizes. Takes
; their addresses, and binds the open sizes.
define internal i1 @inputs_fit(ptr %header, ptr %variant, ptr %args, ptr %data, ptr %values) {
entry:
  %class.at = getelementptr %header, ptr %header, i32 0, i32 6
  %class = load ptr, ptr %class.at
  %count.at = getelementptr %variant, ptr %variant, i32 0, i32 2
  %count = load i64, ptr %count.at
  %open.at = getelementptr %variant, ptr %variant, i32 0, i32 4
  %open = load i64, ptr %open.at
  %bytes = shl i64 %open, 3
  call void @llvm.memset.p0.i64(ptr %values, i8 0, i64 %bytes, i1 false)
  %start.at = getelementptr %variant, ptr %variant, i32 0, i32 13
  %start = load i64, ptr %start.at
  %first = getelementptr i64, ptr %variant, i64 %start
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i1, %taken ]
  %record = phi ptr [ %first, %entry ], [ %record1, %taken ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %fit
one:
  %array.at = getelementptr ptr, ptr %args, i64 %i
  %array = load ptr, ptr %array.at
  %type.at = getelementptr %object, ptr %array, i32 0, i32 1
  %type = load ptr, ptr %type.at
  %exact = icmp eq ptr %type, %class
  br i1 %exact, label %layout, label %differ
layout:                                         ; C-contiguous and aligned, of the right rank
  %flags.at = getelementptr %array, ptr %array, i32 0, i32 8
  %flags = load i32, ptr %flags.at
  %masked = and i32 %flags, 257
  %plain = icmp eq i32 %masked, 257
  %rank32.at = getelementptr %array, ptr %array, i32 0, i32 3
  %rank32 = load i32, ptr %rank32.at
  %rank = sext i32 %rank32 to i64
  %wanted.rank.at = getelementptr i64, ptr %record, i64 2
  %wanted.rank = load i64, ptr %wanted.rank.at
  %ranked = icmp eq i64 %rank, %wanted.rank
  %laid = and i1 %plain, %ranked
  br i1 %laid, label %kind, label %differ
kind:
  %dtype.at = getelementptr %array, ptr %array, i32 0, i32 7
  %dtype = load ptr, ptr %dtype.at
  %wanted.dtype = load ptr, ptr %record
  %usual = icmp eq ptr %dtype, %wanted.dtype
  br i1 %usual, label %axes, label %unusual
unusual:                                        ; unpickled arrays have dtypes of their own: same number, native order
  %number.at = getelementptr %dtype, ptr %dtype, i32 0, i32 7
  %number = load i32, ptr %number.at
  %number64 = sext i32 %number to i64
  %wanted.number.at = getelementptr i64, ptr %record, i64 1
  %wanted.number = load i64, ptr %wanted.number.at
  %numbered = icmp eq i64 %number64, %wanted.number
  %order.at = getelementptr %dtype, ptr %dtype, i32 0, i32 5
  %order = load i8, ptr %order.at
  %native = icmp eq i8 %order, 61
  %irrelevant = icmp eq i8 %order, 124
  %ordered = or i1 %native, %irrelevant
  %readable = and i1 %numbered, %ordered
  br i1 %readable, label %axes, label %differ
axes:
  %sizes.at = getelementptr %array, ptr %array, i32 0, i32 4
  %sizes = load ptr, ptr %sizes.at
  %wanted = getelementptr i64, ptr %record, i64 3
  br label %axis
axis:
  %j = phi i64 [ 0, %axes ], [ %j1, %agreed ]
  %left = icmp slt i64 %j, %rank
  br i1 %left, label %compare, label %take
compare:
  %size.at = getelementptr i64, ptr %sizes, i64 %j
  %size = load i64, ptr %size.at
  %word.at = getelementptr i64, ptr %wanted, i64 %j
  %word = load i64, ptr %word.at
  %literal = icmp sge i64 %word, 0
  br i1 %literal, label %number.axis, label %value.axis
number.axis:
  %equal = icmp eq i64 %size, %word
  br i1 %equal, label %agreed, label %differ
value.axis:
  %place = xor i64 %word, -1
  %symbol = icmp slt i64 %place, %open
  br i1 %symbol, label %bind, label %agreed       ; derived values are compared among the checks
bind:
  %value.at = getelementptr i64, ptr %values, i64 %place
  %value = load i64, ptr %value.at
  %unset = icmp eq i64 %value, 0
  %same = icmp eq i64 %value, %size
  %consistent = or i1 %unset, %same
  %positive = icmp sgt i64 %size, 0
  %bound = and i1 %consistent, %positive
  store i64 %size, ptr %value.at
  br i1 %bound, label %agreed, label %differ
agreed:
  %j1 = add i64 %j, 1
  br label %axis
take:
  %address.at = getelementptr %array, ptr %array, i32 0, i32 2
  %address = load ptr, ptr %address.at
  %slot = getelementptr ptr, ptr %data, i64 %i
  store ptr %address, ptr %slot
  %record1 = getelementptr i64, ptr %wanted, i64 %rank
  br label %taken
taken:
  %i1 = add i64 %i, 1
  br label %next
fit:
  ret i1 true
differ:
  ret i1 false
}

; Compute the derived values; false where 64 bits do not suffice. A record is 0, terms, then for each
; its factor, its number of values and those; or an operator (1 //, 2 %, 3 min, 4 max) and two sizes.
define internal i1 @derive(ptr %variant, ptr %values) {
entry:
  %open.at = getelementptr %variant, ptr %variant, i32 0, i32 4
  %open = load i64, ptr %open.at
  %count.at = getelementptr %variant, ptr %variant, i32 0, i32 6
  %count = load i64, ptr %count.at
  %end = add i64 %open, %count
  %start.at = getelementptr %variant, ptr %variant, i32 0, i32 14
  %start = load i64, ptr %start.at
  %first = getelementptr i64, ptr %variant, i64 %start
  br label %next
next:
  %i = phi i64 [ %open, %entry ], [ %i1, %store ]
  %record = phi ptr [ %first, %entry ], [ %after, %store ]
  %more = icmp slt i64 %i, %end
  br i1 %more, label %one, label %good
one:
  %operator = load i64, ptr %record
  %a.at = getelementptr i64, ptr %record, i64 1
  %a.word = load i64, ptr %a.at
  %b.at = getelementptr i64, ptr %record, i64 2
  %polynomial = icmp eq i64 %operator, 0
  br i1 %polynomial, label %terms, label %binary
binary:
  %after.binary = getelementptr i64, ptr %record, i64 3
  %b.word = load i64, ptr %b.at
  %a = call i64 @size(i64 %a.word, ptr %values)
  %b = call i64 @size(i64 %b.word, ptr %values)
  switch i64 %operator, label %bad [ i64 1, label %divide
                                     i64 2, label %divide
                                     i64 3, label %minimum
                                     i64 4, label %maximum ]
divide:
  %divisible = icmp sgt i64 %b, 0
  br i1 %divisible, label %division, label %bad
division:
  %quotient = sdiv i64 %a, %b
  %remainder = srem i64 %a, %b
  %below = icmp slt i64 %remainder, 0
  %less = sext i1 %below to i64
  %floor = add i64 %quotient, %less
  %lift = select i1 %below, i64 %b, i64 0
  %modulus = add i64 %remainder, %lift
  %is.floor = icmp eq i64 %operator, 1
  %divided = select i1 %is.floor, i64 %floor, i64 %modulus
  br label %store
minimum:
  %smaller = call i64 @llvm.smin.i64(i64 %a, i64 %b)
  br label %store
maximum:
  %larger = call i64 @llvm.smax.i64(i64 %a, i64 %b)
  br label %store
terms:
  br label %term
term:
  %t = phi i64 [ 0, %terms ], [ %t1, %added ]
  %sum = phi i64 [ 0, %terms ], [ %sum1, %added ]
  %at = phi ptr [ %b.at, %terms ], [ %at1, %added ]
  %left = icmp slt i64 %t, %a.word
  br i1 %left, label %product, label %store
product:
  %factor = load i64, ptr %at
  %powers.at = getelementptr i64, ptr %at, i64 1
  %powers = load i64, ptr %powers.at
  %places = getelementptr i64, ptr %at, i64 2
  br label %multiply
multiply:
  %p = phi i64 [ 0, %product ], [ %p1, %multiplied ]
  %so.far = phi i64 [ %factor, %product ], [ %longer, %multiplied ]
  %again = icmp slt i64 %p, %powers
  br i1 %again, label %by, label %add
by:
  %place.at = getelementptr i64, ptr %places, i64 %p
  %word = load i64, ptr %place.at
  %value = call i64 @size(i64 %word, ptr %values)
  %both = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %so.far, i64 %value)
  %longer = extractvalue { i64, i1 } %both, 0
  %over = extractvalue { i64, i1 } %both, 1
  br i1 %over, label %bad, label %multiplied
multiplied:
  %p1 = add i64 %p, 1
  br label %multiply
add:
  %total = call { i64, i1 } @llvm.sadd.with.overflow.i64(i64 %sum, i64 %so.far)
  %sum1 = extractvalue { i64, i1 } %total, 0
  %over2 = extractvalue { i64, i1 } %total, 1
  br i1 %over2, label %bad, label %added
added:
  %at1 = getelementptr i64, ptr %places, i64 %powers
  %t1 = add i64 %t, 1
  br label %term
store:
  %result = phi i64 [ %divided, %division ], [ %smaller, %minimum ], [ %larger, %maximum ], [ %sum, %term ]
  %after = phi ptr [ %after.binary, %division ], [ %after.binary, %minimum ], [ %after.binary, %maximum ], [ %at, %term ]
  %where = getelementptr i64, ptr %values, i64 %i
  store i64 %result, ptr %where
  %i1 = add i64 %i, 1
  br label %next
good:
  ret i1 true
bad:
  ret i1 false
}

; The checks: 0 axis y of input x is z; 1 x == y, 2 x <= y, 3 x < y, 4 x divides y.
define internal i1 @checks_hold(ptr %variant, ptr %args, ptr %values) {
entry:
  %count.at = getelementptr %variant, ptr %variant, i32 0, i32 7
  %count = load i64, ptr %count.at
  %start.at = getelementptr %variant, ptr %variant, i32 0, i32 15
  %start = load i64, ptr %start.at
  %first = getelementptr i64, ptr %variant, i64 %start
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i1, %holds ]
  %record = phi ptr [ %first, %entry ], [ %record1, %holds ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %good
one:
  %kind = load i64, ptr %record
  %x.at = getelementptr i64, ptr %record, i64 1
  %x.word = load i64, ptr %x.at
  %y.at = getelementptr i64, ptr %record, i64 2
  %y.word = load i64, ptr %y.at
  %z.at = getelementptr i64, ptr %record, i64 3
  %z.word = load i64, ptr %z.at
  %axis = icmp eq i64 %kind, 0
  br i1 %axis, label %an.axis, label %relation
an.axis:
  %array.at = getelementptr ptr, ptr %args, i64 %x.word
  %array = load ptr, ptr %array.at
  %sizes.at = getelementptr %array, ptr %array, i32 0, i32 4
  %sizes = load ptr, ptr %sizes.at
  %size.at = getelementptr i64, ptr %sizes, i64 %y.word
  %size = load i64, ptr %size.at
  %z = call i64 @size(i64 %z.word, ptr %values)
  %fits = icmp eq i64 %size, %z
  br i1 %fits, label %holds, label %bad
relation:
  %x = call i64 @size(i64 %x.word, ptr %values)
  %y = call i64 @size(i64 %y.word, ptr %values)
  switch i64 %kind, label %bad [ i64 1, label %equal
                                 i64 2, label %most
                                 i64 3, label %less
                                 i64 4, label %divides ]
equal:
  %is.equal = icmp eq i64 %x, %y
  br i1 %is.equal, label %holds, label %bad
most:
  %is.most = icmp sle i64 %x, %y
  br i1 %is.most, label %holds, label %bad
less:
  %is.less = icmp slt i64 %x, %y
  br i1 %is.less, label %holds, label %bad
divides:
  %positive = icmp sgt i64 %x, 0
  br i1 %positive, label %division, label %bad
division:
  %rest = srem i64 %y, %x
  %even = icmp eq i64 %rest, 0
  br i1 %even, label %holds, label %bad
holds:
  %i1 = add i64 %i, 1
  %record1 = getelementptr i64, ptr %record, i64 4
  br label %next
good:
  ret i1 true
bad:
  ret i1 false
}

define internal void @release(ptr %objects, i64 %count) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i1, %one ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %done
one:
  %at = getelementptr ptr, ptr %objects, i64 %i
  %object = load ptr, ptr %at
  call void @Py_DecRef(ptr %object)
  %i1 = add i64 %i, 1
  br label %next
done:
  ret void
}

; New arrays for the results; how many could be made, with an exception set where that is not all.
; A result that is put into the memory of an input has number -1: the kernel asks for no address of
; it, and None stands for it.
define internal i64 @make_results(ptr %header, ptr %variant, ptr %values, ptr %results, ptr %data) {
entry:
  %sizes = alloca [64 x i64]
  %new.at = getelementptr %header, ptr %header, i32 0, i32 5
  %new = load ptr, ptr %new.at
  %class.at = getelementptr %header, ptr %header, i32 0, i32 6
  %class = load ptr, ptr %class.at
  %count.at = getelementptr %variant, ptr %variant, i32 0, i32 3
  %count = load i64, ptr %count.at
  %start.at = getelementptr %variant, ptr %variant, i32 0, i32 16
  %start = load i64, ptr %start.at
  %first = getelementptr i64, ptr %variant, i64 %start
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i1, %made ]
  %record = phi ptr [ %first, %entry ], [ %record1, %made ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %one, label %done
one:
  %number = load i64, ptr %record
  %number32 = trunc i64 %number to i32
  %rank.at = getelementptr i64, ptr %record, i64 1
  %rank = load i64, ptr %rank.at
  %rank32 = trunc i64 %rank to i32
  %words = getelementptr i64, ptr %record, i64 2
  %result.at = getelementptr ptr, ptr %results, i64 %i
  %slot = getelementptr ptr, ptr %data, i64 %i
  %elsewhere = icmp eq i64 %number, -1
  br i1 %elsewhere, label %nothing, label %new.array
nothing:
  %none.at = getelementptr %header, ptr %header, i32 0, i32 8
  %none = load ptr, ptr %none.at
  call void @Py_IncRef(ptr %none)
  store ptr %none, ptr %result.at
  store ptr null, ptr %slot
  br label %made
new.array:
  br label %axis
axis:
  %j = phi i64 [ 0, %new.array ], [ %j1, %sized ]
  %left = icmp slt i64 %j, %rank
  br i1 %left, label %sized, label %make
sized:
  %word.at = getelementptr i64, ptr %words, i64 %j
  %word = load i64, ptr %word.at
  %size = call i64 @size(i64 %word, ptr %values)
  %size.at = getelementptr i64, ptr %sizes, i64 %j
  store i64 %size, ptr %size.at
  %j1 = add i64 %j, 1
  br label %axis
make:
  %array = call ptr %new(ptr %class, i32 %rank32, ptr %sizes, i32 %number32, ptr null, ptr null, i32 0, i32 0, ptr null)
  %failed = icmp eq ptr %array, null
  br i1 %failed, label %done, label %placed
placed:
  store ptr %array, ptr %result.at
  %address.at = getelementptr %array, ptr %array, i32 0, i32 2
  %address = load ptr, ptr %address.at
  store ptr %address, ptr %slot
  br label %made
made:
  %record1 = getelementptr i64, ptr %words, i64 %rank
  %i1 = add i64 %i, 1
  br label %next
done:
  ret i64 %i
}

; Scratch memory of at least so many bytes: one kept from an earlier call, or new; null with an
; exception set where there is none. An array of bytes: NumPy asks for large pages, and counts it.
define internal ptr @take_arena(ptr %header, ptr %kept, i64 %bytes) {
entry:
  %wanted = alloca i64
  br label %look
look:
  %count = call i64 @PyList_Size(ptr %kept)
  %any = icmp sgt i64 %count, 0
  br i1 %any, label %old, label %fresh
old:
  %last = sub i64 %count, 1
  %array = call ptr @PyList_GetItem(ptr %kept, i64 %last)
  call void @Py_IncRef(ptr %array)
  %ignored = call i32 @PyList_SetSlice(ptr %kept, i64 %last, i64 %count, ptr null)
  %sizes.at = getelementptr %array, ptr %array, i32 0, i32 4
  %sizes = load ptr, ptr %sizes.at
  %size = load i64, ptr %sizes
  %enough = icmp sge i64 %size, %bytes
  br i1 %enough, label %good, label %small
good:
  ret ptr %array
small:
  call void @Py_DecRef(ptr %array)
  br label %look
fresh:
  store i64 %bytes, ptr %wanted
  %new.at = getelementptr %header, ptr %header, i32 0, i32 5
  %new = load ptr, ptr %new.at
  %class.at = getelementptr %header, ptr %header, i32 0, i32 6
  %class = load ptr, ptr %class.at
  %made = call ptr %new(ptr %class, i32 1, ptr %wanted, i32 2, ptr null, ptr null, i32 0, i32 0, ptr null)
  ret ptr %made
}

; Results as the call gives them: 0 the one array, 1 a tuple, 2 what the assembler makes of a list.
; Takes the references to them.
define internal ptr @give(ptr %variant, ptr %results) {
entry:
  %argument = alloca ptr
  %count.at = getelementptr %variant, ptr %variant, i32 0, i32 3
  %count = load i64, ptr %count.at
  %form.at = getelementptr %variant, ptr %variant, i32 0, i32 11
  %form = load i64, ptr %form.at
  switch i64 %form, label %list [ i64 0, label %single
                                  i64 1, label %tuple ]
single:
  %result = load ptr, ptr %results
  ret ptr %result
tuple:
  %tuple.new = call ptr @PyTuple_New(i64 %count)
  %no.tuple = icmp eq ptr %tuple.new, null
  br i1 %no.tuple, label %failed, label %tuple.next
tuple.next:
  %i = phi i64 [ 0, %tuple ], [ %i1, %tuple.one ]
  %more = icmp slt i64 %i, %count
  br i1 %more, label %tuple.one, label %tuple.full
tuple.one:
  %from = getelementptr ptr, ptr %results, i64 %i
  %item = load ptr, ptr %from
  %ignored = call i32 @PyTuple_SetItem(ptr %tuple.new, i64 %i, ptr %item)
  %i1 = add i64 %i, 1
  br label %tuple.next
tuple.full:
  ret ptr %tuple.new
list:
  %list.new = call ptr @PyList_New(i64 %count)
  %no.list = icmp eq ptr %list.new, null
  br i1 %no.list, label %failed, label %list.next
list.next:
  %k = phi i64 [ 0, %list ], [ %k1, %list.one ]
  %left = icmp slt i64 %k, %count
  br i1 %left, label %list.one, label %list.full
list.one:
  %source = getelementptr ptr, ptr %results, i64 %k
  %part = load ptr, ptr %source
  %ignored2 = call i32 @PyList_SetItem(ptr %list.new, i64 %k, ptr %part)
  %k1 = add i64 %k, 1
  br label %list.next
list.full:
  store ptr %list.new, ptr %argument
  %assemble.at = getelementptr %variant, ptr %variant, i32 0, i32 12
  %assemble = load ptr, ptr %assemble.at
  %assembled = call ptr @PyObject_Vectorcall(ptr %assemble, ptr %argument, i64 1, ptr null)
  call void @Py_DecRef(ptr %list.new)
  ret ptr %assembled
failed:
  call void @release(ptr %results, i64 %count)
  ret ptr null
}

; Call the kernel of a variant that fits; data holds the addresses of the inputs.
define internal ptr @run(ptr %header, ptr %variant, ptr %data, ptr %values, ptr %results) {
entry:
  %small = alloca [4224 x i8], align 64
  %argument = alloca ptr
  %inputs.at = getelementptr %variant, ptr %variant, i32 0, i32 2
  %inputs = load i64, ptr %inputs.at
  %count.at = getelementptr %variant, ptr %variant, i32 0, i32 3
  %count = load i64, ptr %count.at
  %scratch.at = getelementptr %variant, ptr %variant, i32 0, i32 9
  %scratch.word = load i64, ptr %scratch.at
  %scratch = call i64 @size(i64 %scratch.word, ptr %values)
  %outputs = getelementptr ptr, ptr %data, i64 %inputs
  %made = call i64 @make_results(ptr %header, ptr %variant, ptr %values, ptr %results, ptr %outputs)
  %all = icmp eq i64 %made, %count
  br i1 %all, label %memory, label %failed
memory:
  %kept.at = getelementptr %variant, ptr %variant, i32 0, i32 8
  %kept = load ptr, ptr %kept.at
  %is.small = icmp sle i64 %scratch, 4096
  br i1 %is.small, label %ready, label %arena
arena:
  %bytes = add i64 %scratch, 128
  %array = call ptr @take_arena(ptr %header, ptr %kept, i64 %bytes)
  %none = icmp eq ptr %array, null
  br i1 %none, label %failed, label %large
large:
  %address.at = getelementptr %array, ptr %array, i32 0, i32 2
  %address = load ptr, ptr %address.at
  %number = ptrtoint ptr %address to i64
  %up = add i64 %number, 63
  %aligned = and i64 %up, -64
  %start = inttoptr i64 %aligned to ptr
  br label %ready
ready:                                          ; the status block, then scratch memory
  %memory.array = phi ptr [ null, %memory ], [ %array, %large ]
  %status = phi ptr [ %small, %memory ], [ %start, %large ]
  %from = getelementptr i8, ptr %status, i64 64
  %from.at = getelementptr ptr, ptr %outputs, i64 %count
  store ptr %from, ptr %from.at
  %status.at = getelementptr ptr, ptr %from.at, i64 1
  store ptr %status, ptr %status.at
  %kernel.at = getelementptr %variant, ptr %variant, i32 0, i32 1
  %kernel = load ptr, ptr %kernel.at
  %thread = call ptr @PyEval_SaveThread()
  %code = call i32 %kernel(ptr %data, ptr %values)
  call void @PyEval_RestoreThread(ptr %thread)
  %fine = icmp eq i32 %code, 0
  br i1 %fine, label %done, label %raise
raise:
  %pointer = call ptr @PyLong_FromVoidPtr(ptr %status)
  %no.pointer = icmp eq ptr %pointer, null
  br i1 %no.pointer, label %done, label %raises
raises:
  store ptr %pointer, ptr %argument
  %raiser.at = getelementptr %variant, ptr %variant, i32 0, i32 10
  %raiser = load ptr, ptr %raiser.at
  %never = call ptr @PyObject_Vectorcall(ptr %raiser, ptr %argument, i64 1, ptr null)
  call void @Py_DecRef(ptr %pointer)
  br label %done
done:
  %had.none = icmp eq ptr %memory.array, null
  br i1 %had.none, label %ended, label %keep
keep:
  br i1 %fine, label %keep.size, label %drop     ; no call into Python's lists with an exception set
keep.size:
  %most.at = getelementptr %header, ptr %header, i32 0, i32 7
  %most = load i64, ptr %most.at
  %fits = icmp sle i64 %scratch, %most
  br i1 %fits, label %append, label %drop
append:
  %appended = call i32 @PyList_Append(ptr %kept, ptr %memory.array)
  %worked = icmp eq i32 %appended, 0
  br i1 %worked, label %drop, label %forget
forget:
  call void @PyErr_Clear()
  br label %drop
drop:
  call void @Py_DecRef(ptr %memory.array)
  br label %ended
ended:
  br i1 %fine, label %give, label %failed
give:
  %result = call ptr @give(ptr %variant, ptr %results)
  ret ptr %result
failed:
  call void @release(ptr %results, i64 %made)
  ret ptr null
}

; METH_FASTCALL | METH_KEYWORDS. self is a tuple: the table, then all that the table points at.
define ptr @tdsl_call(ptr %self, ptr %args, i64 %nargs, ptr %names) {
entry:
  %table = call ptr @PyTuple_GetItem(ptr %self, i64 0)
  %header = call ptr @PyBytes_AsString(ptr %table)
  %variants = load i64, ptr %header
  %most.data.at = getelementptr %header, ptr %header, i32 0, i32 1
  %most.data = load i64, ptr %most.data.at
  %most.values.at = getelementptr %header, ptr %header, i32 0, i32 2
  %most.values = load i64, ptr %most.values.at
  %data = alloca ptr, i64 %most.data
  %results = alloca ptr, i64 %most.data
  %values = alloca i64, i64 %most.values
  %first = getelementptr %header, ptr %header, i64 1
  %keywords = getelementptr ptr, ptr %args, i64 %nargs
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i1, %other ]
  %variant = phi ptr [ %first, %entry ], [ %variant1, %other ]
  %more = icmp slt i64 %i, %variants
  br i1 %more, label %one, label %slow
one:
  %inputs.at = getelementptr %variant, ptr %variant, i32 0, i32 2
  %inputs = load i64, ptr %inputs.at
  %complete = icmp eq i64 %inputs, %nargs
  br i1 %complete, label %look, label %other
look:
  %named = call i1 @keywords_fit(ptr %variant, ptr %keywords, ptr %names)
  br i1 %named, label %shapes, label %other
shapes:
  %fit = call i1 @inputs_fit(ptr %header, ptr %variant, ptr %args, ptr %data, ptr %values)
  br i1 %fit, label %derived, label %other
derived:
  %known = call i1 @derive(ptr %variant, ptr %values)
  br i1 %known, label %checks, label %other
checks:
  %hold = call i1 @checks_hold(ptr %variant, ptr %args, ptr %values)
  br i1 %hold, label %found, label %other
found:
  %calls.at = getelementptr %header, ptr %header, i32 0, i32 3
  %calls = load ptr, ptr %calls.at
  %before = load i64, ptr %calls
  %now = add i64 %before, 1
  store i64 %now, ptr %calls
  %result = call ptr @run(ptr %header, ptr %variant, ptr %data, ptr %values, ptr %results)
  ret ptr %result
other:
  %i1 = add i64 %i, 1
  %words = load i64, ptr %variant
  %variant1 = getelementptr i64, ptr %variant, i64 %words
  br label %next
slow:
  %fallback.at = getelementptr %header, ptr %header, i32 0, i32 4
  %fallback = load ptr, ptr %fallback.at
  %answer = call ptr @PyObject_Vectorcall(ptr %fallback, ptr %args, i64 %nargs, ptr %names)
  ret ptr %answer
}

; What the self-test calls: result[0] = input[0] + the first open size.
define i32 @tdsl_probe(ptr %data, ptr %sizes) {
  %x.at = load ptr, ptr %data
  %x = load i64, ptr %x.at
  %y.slot = getelementptr ptr, ptr %data, i64 1
  %y.at = load ptr, ptr %y.slot
  %n = load i64, ptr %sizes
  %y = add i64 %x, %n
  store i64 %y, ptr %y.at
  ret i32 0
}

; A kernel that does nothing, to test what is around it.
define i32 @tdsl_nothing(ptr %data, ptr %sizes) {
  ret i32 0
}
