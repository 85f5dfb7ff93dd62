
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
