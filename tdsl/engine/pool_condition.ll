
; Elsewhere: workers sleep on a condition of the system's thread library. The memory is larger than
; any system's mutex and condition.
@mutex = internal global [16 x i64] zeroinitializer, align 64
@condition = internal global [16 x i64] zeroinitializer, align 64
declare i32 @pthread_mutex_init(ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_init(ptr, ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @sched_yield()
define internal void @setup() {                 ; also after a fork, which may have left the mutex locked
  %m = call i32 @pthread_mutex_init(ptr @mutex, ptr null)
  %c = call i32 @pthread_cond_init(ptr @condition, ptr null)
  ret void
}
define internal void @give_way() {
  %ignored = call i32 @sched_yield()
  ret void
}
define internal void @wait(i32 %expected) {
entry:
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  br label %look
look:                                           ; a job posted since is seen here, or wakes who waits below
  %state = load atomic i64, ptr @state seq_cst, align 8
  %number = lshr i64 %state, 32
  %low = trunc i64 %number to i32
  %same = icmp eq i32 %low, %expected
  br i1 %same, label %sleep, label %done
sleep:
  %slept = call i32 @pthread_cond_wait(ptr @condition, ptr @mutex)
  br label %look
done:
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}
define internal void @wake(i32 %count) {
  %locked = call i32 @pthread_mutex_lock(ptr @mutex)
  %woken = call i32 @pthread_cond_broadcast(ptr @condition)
  %unlocked = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}
define internal void @settle(i32 %worker) {
  ret void
}
define internal void @begin(i32 %worker) {
  ret void
}
define internal void @doze(i32 %worker) {
  ret void
}
define internal void @rise(i32 %worker) {
  ret void
}
define internal void @make_room(i32 %workers) {
  ret void
}
