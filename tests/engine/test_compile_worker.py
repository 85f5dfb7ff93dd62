"""The compile worker: the same objects, and a crash of LLVM as an exception."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from native_support import Native, open_interface, softmax, unary

from tdsl.cpu.compiler import compile_text
from tdsl.engine.libraries import LLVMError
from tdsl.engine.llvm import Target
from tdsl.engine.worker import CompilerCrash, Worker
from tdsl.lowering.options import Kernels, Options

_HUGE = "tensor<4294967296x4294967296xf32>"


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.close()


def test_the_same_object_as_in_this_process(worker: Worker) -> None:
    interface = open_interface([("A", 8)], [("A", 8)])
    options = Options(Kernels.none(), fuse=False)
    text = softmax("A", 8)
    assert worker.compile(text, options, interface) == compile_text(text, options, interface)


def test_the_target_reaches_it(worker: Worker) -> None:
    text, target = softmax(8, 8), Target("x86_64-unknown-linux-gnu", "x86-64-v3", "+avx2,+fma")
    made = worker.compile(text, Options(), None, target)
    assert made == compile_text(text, Options(), None, target)
    assert made != worker.compile(text, Options(), None)


def test_tests_compile_in_the_worker() -> None:
    """So that an abort of LLVM in one of them does not end all the others."""
    assert os.environ["TDSL_COMPILE"] == "isolated"
    with pytest.raises(CompilerCrash, match="SIGABRT"):
        Native(f"func.func @f(%x: {_HUGE}) -> {_HUGE} {{ return %x : {_HUGE} }}")


def test_an_abort_is_an_exception_with_the_assertion(worker: Worker) -> None:
    with pytest.raises(CompilerCrash, match=r"SIGABRT.*integer overflow") as caught:
        worker.compile(
            f"func.func @f(%x: {_HUGE}) -> {_HUGE} {{ return %x : {_HUGE} }}", Options(), None
        )
    assert _HUGE in caught.value.module.read_text()
    # And the next one works.
    assert worker.compile(unary("math.exp", 4), Options(), None) == compile_text(
        unary("math.exp", 4)
    )


def test_an_ordinary_error_keeps_its_text(worker: Worker) -> None:
    with pytest.raises(LLVMError, match="Unable to parse module"):
        worker.compile("func.func @f(", Options(), None)


def test_no_answer_in_time() -> None:
    worker = Worker(timeout=0.01)
    with pytest.raises(CompilerCrash, match=r"no answer within 0\.01 seconds"):
        worker.compile(unary("math.exp", 4), Options(), None)
    worker.close()


def test_a_worker_that_cannot_start_says_why() -> None:
    worker = Worker(server="tdsl.no_such_module")
    with pytest.raises(CompilerCrash, match="no_such_module"):
        worker.compile(unary("math.exp", 4), Options(), None)
    worker.close()


def test_many_threads_share_one_worker(worker: Worker) -> None:
    def work(n: int) -> None:
        text = unary("math.exp", n)
        assert worker.compile(text, Options(), None).interface.results[0][0].literal == n

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(1, 17)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_after_a_fork_the_child_has_a_worker_of_its_own(worker: Worker) -> None:
    worker.compile(unary("math.exp", 4), Options(), None)
    parents = worker._process
    with worker._lock:  # as another thread holds it that compiles just then
        child = os.fork()
        if child == 0:
            signal.alarm(60)  # ends a child that waits for the lock
            try:
                worker.compile(unary("math.exp", 5), Options(), None)
                its_own = worker._process is not parents
                worker.close()
                os._exit(0 if its_own else 1)
            except BaseException:
                os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    worker.compile(unary("math.exp", 6), Options(), None)
