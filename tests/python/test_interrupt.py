"""Cancels jobs by a real SIGINT and by a Cancel. Also tests that jobs release the GIL, and progress."""
import asyncio
import os
import signal
import sys
import threading
import time

import numpy as np
import pytest
from interrupting import interrupt_when_it_waits

import libgsort as gs


@pytest.fixture
def waiting(tmp_path):
    """Returns a sort that waits for a pipe that stays open."""
    fifo = tmp_path / 'pipe'
    os.mkfifo(fifo)
    keeper = os.open(fifo, os.O_RDWR)
    os.write(keeper, np.arange(1000.0).tobytes())
    yield lambda **options: gs.sort_file(fifo, tmp_path / 'y', dtype='f64', **options)
    os.close(keeper)
    assert not (tmp_path / 'y').exists()


def test_sigint__ends_a_job_with_keyboard_interrupt(waiting):
    killer = interrupt_when_it_waits()
    with pytest.raises(KeyboardInterrupt):
        waiting()
    killer.join()
    assert not any(thread.name == 'libgsort' for thread in threading.enumerate() if thread.is_alive())


@pytest.mark.parametrize('is_before', [True, False])
def test_sigint__while_the_thread_begins__ends_the_job(waiting, monkeypatch, is_before):
    start = threading.Thread.start

    def interrupted(thread):
        if not is_before:
            start(thread)
        raise KeyboardInterrupt
    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, 'start', interrupted)
        with pytest.raises(KeyboardInterrupt):
            waiting()
    assert not any(thread.name == 'libgsort' for thread in threading.enumerate() if thread.is_alive())


def test_sigint__an_exception_of_another_handler_comes_through(waiting):
    class Mine(Exception):
        pass

    def handler(*_):
        raise Mine
    before = signal.signal(signal.SIGINT, handler)
    try:
        killer = interrupt_when_it_waits()
        with pytest.raises(Mine):
            waiting()
        killer.join()
    finally:
        signal.signal(signal.SIGINT, before)


def test_sigint__a_handler_that_returns_does_not_end_it(tmp_path):
    seen = []
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)
        a = np.random.default_rng(1).integers(0, 2 ** 62, 4_000_000)
        want = np.sort(a)
        gs.sort(a, memory='16M', temp=tmp_path)
        signal.setitimer(signal.ITIMER_REAL, 0)
        assert (a == want).all() and seen
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_gil__is_free_while_a_job_waits(waiting):
    """This thread counts while another one is in the library."""
    failures = []

    def work():
        try:
            waiting(progress=lambda at: (_ for _ in ()).throw(EOFError('enough')) if counted[0] > 1000 else None)
        except EOFError as error:
            failures.append(error)
    counted = [0]
    thread = threading.Thread(target=work)
    thread.start()
    while thread.is_alive():
        counted[0] += 1
        time.sleep(0.0001)
    assert failures and counted[0] > 1000


def test_progress__an_exception_of_the_callback_ends_the_job(waiting):
    def stop(at):
        raise ZeroDivisionError(at.phase)
    with pytest.raises(ZeroDivisionError, match='read'):
        waiting(progress=stop)


@pytest.mark.parametrize('phase, said', [('read', 'canceled; the array is unchanged'),
                                         ('write', 'canceled; the array was partly overwritten, and elements are lost')])
def test_progress__an_exception_of_the_callback__notes_what_the_array_holds(tmp_path, phase, said):
    def stop(at):
        if at.phase == phase and (phase == 'read' or at.bytes_done > at.bytes_total // 4):  # some of it is in the array
            raise ZeroDivisionError
    notes, million = [], 4
    while not notes and million < 64:  # a machine may write one in less time than passes between two calls of the function
        million *= 2
        a = np.random.default_rng(2).integers(0, 2 ** 62, million * 1_000_000)
        first = np.sort(a)
        try:
            gs.sort(a, memory='16M', temp=tmp_path, progress=stop)
        except ZeroDivisionError as raised:
            notes = getattr(raised, '__notes__', [])  # none: all was there before the sort looked up
    assert notes == [said] and (np.sort(a) == first).all() == (phase == 'read')


@pytest.mark.parametrize('reverse', [False, True])
@pytest.mark.parametrize('dtype', ['M8[s]', '>m8[s]'])
def test_nats__are_at_their_end__whatever_ends_the_call_after_the_sort(reverse, dtype):
    a = np.random.default_rng(3).integers(0, 99, 300_000).astype(dtype)
    a[:100_000] = 'NaT'
    want = np.sort(a)[::-1] if reverse else np.sort(a)

    def fail(at):
        if threading.current_thread() is threading.main_thread():  # the last one, when all is sorted
            raise ZeroDivisionError
    with pytest.raises(ZeroDivisionError):
        gs.sort(a, reverse=reverse, progress=fail)
    np.testing.assert_array_equal(a, want)


def test_progress__tells_bytes_and_phases(tmp_path):
    a = np.random.default_rng(2).integers(0, 2 ** 62, 8_000_000)
    seen = []
    gs.sort(a, memory='16M', temp=tmp_path, progress=seen.append)
    assert all(isinstance(at, gs.Progress) and 0 <= at.bytes_done <= a.nbytes for at in seen)
    assert seen[0].phase == 'read' and seen[0].bytes_total == a.nbytes
    assert {at.phase for at in seen} <= {'read', 'merge_runs', 'write'}  # one that is short may tell nothing
    assert [at.seconds for at in seen] == sorted(at.seconds for at in seen)
    a.tofile(tmp_path / 'x.i64')
    for call in (lambda **how: gs.sort_file(tmp_path / 'x.i64', tmp_path / 'y.i64', **how), lambda **how: gs.stats(tmp_path / 'x.i64', **how)):
        call(progress=seen.append)
        assert seen[-1].bytes_done == seen[-1].bytes_total == a.nbytes and seen[-1].seconds_left == 0
        assert seen[-1].seconds > seen[-2].seconds and seen[-1].phase_seconds > 0
    assert [at.bytes_done for at in seen].count(a.nbytes) >= 3


@pytest.mark.parametrize('has_tqdm', [True, False])
def test_progress__draws_a_line(tmp_path, capfd, monkeypatch, has_tqdm):
    if not has_tqdm:
        monkeypatch.setitem(sys.modules, 'tqdm.auto', None)
    a = np.random.default_rng(2).integers(0, 2 ** 62, 4_000_000)
    gs.sort(a, memory='16M', temp=tmp_path, progress=True)
    told = capfd.readouterr().err
    assert ('B/s]' in told) == has_tqdm and len(told) > 10


def test_threads__sort_beside_each_other():
    arrays = [np.random.default_rng(i).normal(size=300_000) for i in range(4)]
    want = [np.sort(a) for a in arrays]
    threads = [threading.Thread(target=gs.sort, args=(a,), kwargs={'memory': '32M'}) for a in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((a == b).all() for a, b in zip(arrays, want))


def test_import__takes_no_numpy():
    code = 'import sys, libgsort; sys.exit("numpy" in sys.modules)'
    assert os.spawnv(os.P_WAIT, sys.executable, [sys.executable, '-c', code]) == 0


def test_cancel__asyncio_ends_a_sort_that_takes_too_long(waiting):
    async def sort_in_time():
        with gs.Cancel() as cancel:
            await asyncio.wait_for(asyncio.to_thread(waiting, cancel=cancel), 0.2)
    with pytest.raises((TimeoutError, asyncio.TimeoutError)):
        asyncio.run(asyncio.wait_for(sort_in_time(), 60))


def test_cancel__behind_its_with_no_call_works(waiting):
    raised = []

    def work(cancel):
        try:
            waiting(cancel=cancel)
        except gs.CanceledError as error:
            raised.append(error)
    with gs.Cancel() as cancel:
        threads = [threading.Thread(target=work, args=(cancel,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        while len(cancel._at_work) < 3:
            time.sleep(0.001)
    assert cancel.is_canceled and cancel._at_work == []
    for thread in threads:
        thread.join()
    assert len(raised) == 3 and all(error.status == -10 for error in raised)


@pytest.mark.parametrize('call', ['sort', 'argsort', 'stats', 'check', 'top'])
@pytest.mark.parametrize('count', [0, 3, 300_000])
def test_cancel__a_call_that_begins_later_does_nothing(call, count):
    a, cancel = np.arange(count)[::-1].copy(), gs.Cancel()
    before = a.copy()
    more = (1,) if call == 'top' else ()
    cancel.cancel()
    with pytest.raises(gs.CanceledError):
        getattr(gs, call)(a, *more, cancel=cancel)
    assert (a == before).all()


def test_cancel__others_are_not_canceled(tmp_path):
    """Ctrl-C ends its own call, not those that were given the same Cancel."""
    cancel = gs.Cancel()

    def stop(at):
        raise EOFError
    a = np.random.default_rng(1).normal(size=300_000)
    with pytest.raises(EOFError):
        gs.sort(a.copy(), progress=stop, cancel=cancel)
    gs.sort(a, cancel=cancel)
    gs.check(a)


def test_cancel__a_sorter():
    cancel = gs.Cancel()
    with gs.Sorter('f8', memory='16M', cancel=cancel) as sorter:
        sorter.push(np.arange(1000.0))
        cancel.cancel()
        with pytest.raises(gs.CanceledError):
            sorter.push(np.arange(1000.0))
        with pytest.raises(gs.CanceledError):
            sorter.pull()


def test_cancel__what_is_none_is_refused():
    with pytest.raises(TypeError, match='cancel: Event'):
        gs.sort(np.arange(3), cancel=threading.Event())
