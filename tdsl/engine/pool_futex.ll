
; Linux: workers sleep on the high half of @state.
declare i64 @syscall(i64, ...)
define internal void @setup() {
  ret void
}
define internal void @give_way() {
  %ignored = call i64 (i64, ...) @syscall(i64 %SCHED_YIELD)
  ret void
}
define internal void @wait(i32 %expected) {
  %high = getelementptr i8, ptr @state, i64 4
  %ignored = call i64 (i64, ...) @syscall(i64 %FUTEX, ptr %high, i32 128, i32 %expected, ptr null)
  ret void
}
define internal void @wake(i32 %count) {
  %high = getelementptr i8, ptr @state, i64 4
  %ignored = call i64 (i64, ...) @syscall(i64 %FUTEX, ptr %high, i32 129, i32 %count)
  ret void
}

; A sleeper is woken on the core where it last ran, if that core looks free; and where cores share no
; cache, as those of virtual machines may seem to, the core of the caller does: it would lie in the
; caller's queue until the work is done. So a caller that wakes such a worker bars it from its own
; core, and the worker, once it runs elsewhere, may go wherever it might before, unless it was bound
; anew meanwhile.
%Seat = type { i32, i32, i32, [16 x i64] }      ; thread; core where it fell asleep, or -1; 1 + the core it is barred from, or 0; where it might run before
@seats = internal global [%THREADS x %Seat] zeroinitializer, align 64
declare i32 @sched_getcpu()
declare i32 @memcmp(ptr, ptr, i64)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
define internal void @settle(i32 %worker) {
  %core = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 1
  %barred = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 2
  store atomic i32 -1, ptr %core monotonic, align 4
  store atomic i32 0, ptr %barred monotonic, align 4
  ret void
}
define internal void @begin(i32 %worker) {
  %thread = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 0
  %id = call i64 (i64, ...) @syscall(i64 %GETTID)
  %short = trunc i64 %id to i32
  store i32 %short, ptr %thread, align 4
  ret void
}
define internal void @doze(i32 %worker) {
  %core = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 1
  %here = call i32 @sched_getcpu()
  store atomic i32 %here, ptr %core release, align 4
  ret void
}
define internal void @rise(i32 %worker) {
entry:
  %now = alloca [16 x i64], align 8
  %core = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 1
  %barred = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 2
  %mask = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 3
  store atomic i32 -1, ptr %core seq_cst, align 4
  %from = load atomic i32, ptr %barred seq_cst, align 4
  %yes = icmp ne i32 %from, 0
  br i1 %yes, label %compare, label %done
compare:
  call void @llvm.memset.p0.i64(ptr %now, i8 0, i64 128, i1 false)
  %bytes = call i64 (i64, ...) @syscall(i64 %SCHED_GETAFFINITY, i64 0, i64 128, ptr %now)
  %bar = sub i32 %from, 1
  %at = lshr i32 %bar, 6
  %bit = and i32 %bar, 63
  %bit.long = zext i32 %bit to i64
  %set = shl i64 1, %bit.long
  %word = getelementptr [16 x i64], ptr %now, i64 0, i32 %at
  %before = load i64, ptr %word, align 8
  %with = or i64 %before, %set
  store i64 %with, ptr %word, align 8
  %order = call i32 @memcmp(ptr %now, ptr %mask, i64 128)
  %ours = icmp eq i32 %order, 0
  br i1 %ours, label %free, label %forget
free:
  %ignored = call i64 (i64, ...) @syscall(i64 %SCHED_SETAFFINITY, i64 0, i64 128, ptr %mask)
  br label %forget
forget:
  store atomic i32 0, ptr %barred release, align 4
  br label %done
done:
  ret void
}
define internal void @make_room(i32 %workers) {
entry:
  %others = alloca [16 x i64], align 8
  %here = call i32 @sched_getcpu()
  %known = icmp ult i32 %here, 1024
  br i1 %known, label %next, label %done
next:
  %worker = phi i32 [ 0, %entry ], [ %worker1, %one ]
  %more = icmp slt i32 %worker, %workers
  br i1 %more, label %look, label %done
look:
  %core = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 1
  %barred = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 2
  %there = load atomic i32, ptr %core acquire, align 4
  %was = load atomic i32, ptr %barred acquire, align 4
  %same = icmp eq i32 %there, %here
  %free = icmp eq i32 %was, 0
  %move = and i1 %same, %free
  br i1 %move, label %ask, label %one
ask:
  %thread = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 0
  %mask = getelementptr [%THREADS x %Seat], ptr @seats, i64 0, i32 %worker, i32 3
  %id = load i32, ptr %thread, align 4
  call void @llvm.memset.p0.i64(ptr %mask, i8 0, i64 128, i1 false)
  %bytes = call i64 (i64, ...) @syscall(i64 %SCHED_GETAFFINITY, i32 %id, i64 128, ptr %mask)
  %answered = icmp sgt i64 %bytes, 0
  br i1 %answered, label %cut, label %one
cut:
  call void @llvm.memcpy.p0.p0.i64(ptr %others, ptr %mask, i64 128, i1 false)
  %at = lshr i32 %here, 6
  %bit = and i32 %here, 63
  %bit.long = zext i32 %bit to i64
  %set = shl i64 1, %bit.long
  %clear = xor i64 %set, -1
  %word = getelementptr [16 x i64], ptr %others, i64 0, i32 %at
  %before = load i64, ptr %word, align 8
  %after = and i64 %before, %clear
  store i64 %after, ptr %word, align 8
  %whole = load <16 x i64>, ptr %others, align 8
  %any = call i64 @llvm.vector.reduce.or.v16i64(<16 x i64> %whole)
  %elsewhere = icmp ne i64 %any, 0
  br i1 %elsewhere, label %bar, label %one
bar:
  %from = add i32 %here, 1
  ; In this order a worker that rises meanwhile, for a job before, is freed at the next time.
  %ignored = call i64 (i64, ...) @syscall(i64 %SCHED_SETAFFINITY, i32 %id, i64 128, ptr %others)
  store atomic i32 %from, ptr %barred seq_cst, align 4
  br label %one
one:
  %worker1 = add i32 %worker, 1
  br label %next
done:
  ret void
}
declare i64 @llvm.vector.reduce.or.v16i64(<16 x i64>)
