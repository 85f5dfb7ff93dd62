
; No threads: the caller runs every chunk.
define i64 @tdsl_pool_threads() {
  ret i64 1
}
define void @tdsl_pool_run(ptr %function, ptr %context, i64 %chunks) {
entry:
  br label %chunk
chunk:
  %i = phi i64 [ 0, %entry ], [ %i1, %one ]
  %more = icmp slt i64 %i, %chunks
  br i1 %more, label %one, label %all
one:
  call void %function(ptr %context, i64 %i)
  %i1 = add i64 %i, 1
  br label %chunk
all:
  ret void
}
