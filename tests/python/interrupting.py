"""Sends a signal when the main thread waits for a job."""
import os
import signal
import sys
import threading
import time
import traceback

from libgsort import job


def _is_waiting():
    stack = traceback.walk_stack(sys._current_frames()[threading.main_thread().ident])
    return any(frame.f_code is job._wait.__code__ for frame, _ in stack)


def interrupt_when_it_waits():
    """SIGINT, from a thread, which is returned."""
    def kill():
        while not _is_waiting():
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)
    thread = threading.Thread(target=kill)
    thread.start()
    return thread
