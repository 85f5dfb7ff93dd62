; A pool of workers for the whole process: tdsl_pool_run(fn, context, chunks) runs fn(context, i) for
; every i in 0 .. chunks and returns when all are done.
;
; - Chunks are claimed by an atomic counter: a stalled core costs one chunk, not a share of the whole.
; - The caller works too. It never waits for a worker that comes late: one joins only while the job is
;   open, and only those inside are waited for.
; - One caller at a time has the pool. Any other, in another thread of Python or in a chunk, runs its
;   chunks itself: no more threads than were asked for, and nothing to wait for each other.
; - After a fork the lock or the workers belong to another process: the child starts afresh.
; - Workers that find nothing to do look for a while, then sleep.
;
; What is particular to a system is put behind this text by pool.py: @pause, @give_way, @setup,
; @wait(i32), @wake(i32), @start_worker(i32), what is known of a worker (@settle(i32) before it
; starts, @begin(i32), @doze(i32), @rise(i32) by itself, @make_room(i32) for sleepers), %THREADS as
; the most threads.

@state = internal global i64 0, align 64       ; low half: workers inside; high half: number of the job, odd while it is open
@next = internal global i64 0, align 64        ; chunk to be claimed
@lock = internal global i32 0, align 64        ; process of the caller that has the pool
@owner = internal global i32 0, align 4        ; process to which the workers belong
@workers = internal global i32 0, align 4
@sleepers = internal global i32 0, align 64
@wanted = internal global i32 0, align 64      ; workers that may join this job
@job.function = internal global ptr null, align 8
@job.context = internal global ptr null, align 8
@job.chunks = internal global i64 0, align 8
@threads = internal global i64 %THREADS, align 8
; Some 50 to 200 microseconds: longer than what lies between two jobs of a program, and about as long as
; it takes to wake a sleeper.
@spins = internal constant i32 4000, align 4

declare i32 @getpid()

define i64 @tdsl_pool_threads() {
  %count = load i64, ptr @threads, align 8
  ret i64 %count
}

define internal void @drain(ptr %function, ptr %context, i64 %chunks) {
entry:
  br label %next
next:
  %i = atomicrmw add ptr @next, i64 1 monotonic
  %more = icmp slt i64 %i, %chunks
  br i1 %more, label %one, label %done
one:
  call void %function(ptr %context, i64 %i)
  br label %next
done:
  ret void
}

define internal ptr @worker(ptr %which) {
entry:
  %long = ptrtoint ptr %which to i64
  %worker = trunc i64 %long to i32
  call void @begin(i32 %worker)
  br label %idle
idle:                                           ; look for an open job other than the last one joined
  %last = phi i64 [ 0, %entry ], [ %number, %left ], [ %last, %awake ]
  br label %look
look:
  %tries = phi i32 [ 0, %idle ], [ %tries1, %again ]
  %state = load atomic i64, ptr @state acquire, align 8
  %number = lshr i64 %state, 32
  %odd = and i64 %number, 1
  %open = icmp ne i64 %odd, 0
  %other = icmp ne i64 %number, %last
  %inside = trunc i64 %state to i32
  %wanted = load atomic i32, ptr @wanted monotonic, align 4
  %room = icmp slt i32 %inside, %wanted
  %fresh = and i1 %open, %other
  %join = and i1 %fresh, %room
  br i1 %join, label %enter, label %again
again:
  call void @pause()
  %tries1 = add i32 %tries, 1
  %limit = load i32, ptr @spins, align 4
  %patient = icmp slt i32 %tries1, %limit
  br i1 %patient, label %look, label %sleep
sleep:
  call void @doze(i32 %worker)
  %s0 = atomicrmw add ptr @sleepers, i32 1 seq_cst
  %now = load atomic i64, ptr @state seq_cst, align 8
  %number.now = lshr i64 %now, 32
  %same = icmp eq i64 %number.now, %number
  %expected = trunc i64 %number.now to i32
  br i1 %same, label %wait, label %awake
wait:
  call void @wait(i32 %expected)
  br label %awake
awake:
  %s1 = atomicrmw sub ptr @sleepers, i32 1 seq_cst
  call void @rise(i32 %worker)
  br label %idle
enter:                                          ; fails where the job was closed or others came
  %counted = add i64 %state, 1
  %exchange = cmpxchg ptr @state, i64 %state, i64 %counted acq_rel monotonic
  %won = extractvalue { i64, i1 } %exchange, 1
  br i1 %won, label %work, label %again
work:
  %function = load ptr, ptr @job.function, align 8
  %context = load ptr, ptr @job.context, align 8
  %chunks = load i64, ptr @job.chunks, align 8
  call void @drain(ptr %function, ptr %context, i64 %chunks)
  %out = atomicrmw sub ptr @state, i64 1 release
  br label %left
left:
  br label %idle
}

define void @tdsl_pool_run(ptr %function, ptr %context, i64 %chunks) {
entry:
  %threads = load i64, ptr @threads, align 8
  %several.threads = icmp sgt i64 %threads, 1
  %several.chunks = icmp sgt i64 %chunks, 1
  %parallel = and i1 %several.threads, %several.chunks
  br i1 %parallel, label %acquire, label %alone
acquire:
  %process = call i32 @getpid()
  br label %try
try:
  %seen = phi i32 [ 0, %acquire ], [ %holder, %held ]
  %exchange = cmpxchg ptr @lock, i32 %seen, i32 %process acquire monotonic
  %taken = extractvalue { i32, i1 } %exchange, 1
  %holder = extractvalue { i32, i1 } %exchange, 0
  br i1 %taken, label %own, label %held
held:                                           ; by this process; or by one before a fork, or just released
  %ours = icmp eq i32 %holder, %process
  br i1 %ours, label %alone, label %try
own:
  %others = sub i64 %threads, 1
  %useful = sub i64 %chunks, 1
  %few = icmp slt i64 %useful, %others
  %most = select i1 %few, i64 %useful, i64 %others
  %need = trunc i64 %most to i32
  %owner = load i32, ptr @owner, align 4
  %known = icmp eq i32 %owner, %process
  br i1 %known, label %staff, label %reset
reset:
  store i32 %process, ptr @owner, align 4
  store i32 0, ptr @workers, align 4
  store atomic i32 0, ptr @sleepers seq_cst, align 4
  store atomic i64 0, ptr @state seq_cst, align 8
  call void @setup()
  br label %staff
staff:
  %have = load i32, ptr @workers, align 4
  %enough = icmp sge i32 %have, %need
  br i1 %enough, label %post, label %hire
hire:
  call void @settle(i32 %have)
  %failed = call i1 @start_worker(i32 %have)
  br i1 %failed, label %post, label %hired
hired:
  %have1 = add i32 %have, 1
  store i32 %have1, ptr @workers, align 4
  br label %staff
post:
  store ptr %function, ptr @job.function, align 8
  store ptr %context, ptr @job.context, align 8
  store i64 %chunks, ptr @job.chunks, align 8
  store atomic i32 %need, ptr @wanted monotonic, align 4
  store atomic i64 0, ptr @next monotonic, align 8
  %opened = atomicrmw add ptr @state, i64 4294967296 seq_cst
  %sleepers = load atomic i32, ptr @sleepers seq_cst, align 4
  %asleep = icmp sgt i32 %sleepers, 0
  br i1 %asleep, label %wake, label %work
wake:
  call void @make_room(i32 %have)
  call void @wake(i32 %need)
  br label %work
work:
  call void @drain(ptr %function, ptr %context, i64 %chunks)
  %closed = atomicrmw add ptr @state, i64 4294967296 acq_rel
  br label %finish
finish:
  %tries = phi i32 [ 0, %work ], [ %tries1, %yield ], [ %tries1, %relax ]
  %state = load atomic i64, ptr @state acquire, align 8
  %inside = trunc i64 %state to i32
  %empty = icmp eq i32 %inside, 0
  br i1 %empty, label %done, label %busy
busy:                                           ; somebody inside lost the core: let it have this one
  %tries1 = add i32 %tries, 1
  %long = icmp sgt i32 %tries1, 2000
  br i1 %long, label %yield, label %relax
relax:
  call void @pause()
  br label %finish
yield:
  call void @give_way()
  br label %finish
done:
  store atomic i32 0, ptr @lock release, align 4
  ret void
alone:
  br label %chunk
chunk:
  %i = phi i64 [ 0, %alone ], [ %i1, %one ]
  %more = icmp slt i64 %i, %chunks
  br i1 %more, label %one, label %all
one:
  call void %function(ptr %context, i64 %i)
  %i1 = add i64 %i, 1
  br label %chunk
all:
  ret void
}
