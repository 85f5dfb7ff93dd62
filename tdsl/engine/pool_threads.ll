
; Starting workers, which take no signals.
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_detach(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
define internal i1 @start_worker(i32 %worker) {
entry:
  %long = zext i32 %worker to i64
  %which = inttoptr i64 %long to ptr
  %thread = alloca ptr
  %all = alloca [16 x i64]
  %before = alloca [16 x i64]
  %filled = call i32 @sigfillset(ptr %all)
  %masked = call i32 @pthread_sigmask(i32 %SIG_SETMASK, ptr %all, ptr %before)
  %code = call i32 @pthread_create(ptr %thread, ptr null, ptr @worker, ptr %which)
  %restored = call i32 @pthread_sigmask(i32 %SIG_SETMASK, ptr %before, ptr null)
  %failed = icmp ne i32 %code, 0
  br i1 %failed, label %done, label %started
started:
  %handle = load ptr, ptr %thread
  %detached = call i32 @pthread_detach(ptr %handle)
  br label %done
done:
  ret i1 %failed
}
