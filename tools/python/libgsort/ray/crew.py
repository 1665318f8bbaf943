"""Runs tasks on the nodes of a cluster. A node runs as many as its processors and memory allow.
Tasks that were lost run again.

Ray places, starts and watches tasks. After the loss of a node this module decides what to do,
because Ray's lineage does not include files.
"""
from __future__ import annotations

import errno
import statistics
import threading
import time
from typing import Any, Callable, Dict, Hashable, List, Optional, Sequence, Set

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from ..errors import Error
from . import gsort
from .keeper import Keeper
from .tasks import LostFile

TRIES = 4
TRIES_OF_NODES = 20
STRAGGLES = 3.0  # a task is started a second time after this many times the median duration
STRAGGLES_LEAST = 10.0  # seconds; not earlier than that
SILENCE = 10  # seconds without a result, after which nodes are checked


# set after a signal; loops check it between calls of Ray, which are not interrupted
stop: threading.Event = threading.Event()


def get_all(refs: Sequence[Any]) -> List[Any]:
    """Returns the results of tasks. If one fails or `stop` is set, cancels the others and raises
    the error or KeyboardInterrupt."""
    rest = list(refs)
    try:
        while rest:
            if stop.is_set():
                raise KeyboardInterrupt
            ready, rest = ray.wait(rest, num_returns=len(rest), timeout=1.0)
            ray.get(ready)
        return list(ray.get(list(refs)))
    finally:
        for ref in rest:
            ray.cancel(ref, force=True)


class LostNodes(Error, RuntimeError):
    """Nodes with files that are needed are gone, or no node is left."""


class Crew:

    def __init__(self, threads: int, memory_bytes: int, temp: Optional[str], name: str, token: str,
                 keeps: bool) -> None:
        """temp: the folder on each node for sorted files; None: all nodes see the sorted files."""
        self.threads, self.memory_bytes = threads, memory_bytes
        self.temp, self.name, self.token, self.keeps = temp, name, token, keeps
        self.keepers: Dict[str, Any] = {}
        self.about: Dict[str, Dict[str, Any]] = {}
        self.full: Set[str] = set()
        self.tries: Dict[Hashable, int] = {}  # failures of each task of a run
        self.made = 0
        self.again = 0  # failures of tasks
        self.failure: Optional[gsort.GsortError] = None  # the failure of a node whose disk is full
        self.nodes: Dict[str, int] = {}

    # ---- nodes ----

    def refresh(self) -> None:
        """Updates the nodes after some were added or lost. Replaces keepers that died while their
        nodes live.

        If no node is left, raises the failure of a node whose disk is full, or else LostNodes.
        """
        self.nodes = {}
        addresses: Dict[str, str] = {}
        for node in ray.nodes():
            cpus, memory = node['Resources'].get('CPU', 0), node['Resources'].get('memory', 0)
            if node['Alive'] and cpus >= self.threads:
                addresses[node['NodeID']] = node['NodeManagerAddress']
                self.nodes[node['NodeID']] = int(min(cpus // self.threads,
                                                     max(1, memory // self.memory_bytes)))
        if self.temp is not None:
            for attempt in range(3):
                addresses = self._keep(addresses, attempt)
            for node in addresses:
                del self.nodes[node]
        for gone in [node for node in self.keepers if node not in self.nodes]:
            del self.keepers[gone]
            self.about.pop(gone, None)  # a node whose disk was full at the start has no entry
        if not self.nodes and self.failure is not None:
            raise self.failure
        if not self.nodes:
            raise LostNodes(f'no node of the cluster has {self.threads} processors')

    def _keep(self, addresses: Dict[str, str], attempt: int) -> Dict[str, str]:
        """Starts missing keepers on these nodes, and asks all keepers at the same time. Waits for
        `attempt` seconds before that.

        Returns node -> address of keepers that do not answer or whose disk is full. Raises a
        GsortError if a keeper fails otherwise.
        """
        silent, asked = {}, {}
        time.sleep(attempt if addresses else 0)
        for node, address in addresses.items():
            if node not in self.keepers:
                where = NodeAffinitySchedulingStrategy(node, soft=False)
                self.keepers[node] = ray.remote(num_cpus=0, max_restarts=0,
                                                scheduling_strategy=where)(Keeper).remote(
                    self.temp, self._folder(node), self.token, address, self.keeps)
            asked[node] = self.keepers[node].about.remote()
        for node, answer in asked.items():
            try:
                self.about.setdefault(node, ray.get(answer, timeout=60))
            except ray.exceptions.RayTaskError as error:
                failure = gsort.GsortError(f'{addresses[node]}: {error.cause}', 2)
                if getattr(error.cause, 'errno', None) not in (errno.ENOSPC, errno.EDQUOT):
                    raise failure from None
                self.failure = failure
                silent[node] = addresses[node]
            except ray.exceptions.RayError:
                silent[node] = addresses[node]
                self.keepers.pop(node, None)
                self.about.pop(node, None)
        return silent

    def _folder(self, node: str) -> str:
        """Returns the folder name for a new keeper, the actor that holds the files of a node.

        The name is new each time, because the previous keeper's folder may still be under removal.
        With `keeps` it is always the same, so that a kept folder is found again.
        """
        self.made += 1
        return f'{self.name}-{node[:12]}' + ('' if self.keeps else f'-{self.made}')

    def close(self, keeps: bool) -> None:
        """Ends all keepers and, without `keeps`, removes their folders at the same time.

        A keeper that does not answer within 5 seconds is killed. Then its watch removes the folder.
        """
        refs = [] if keeps else [keeper.close.remote() for keeper in self.keepers.values()]
        if refs:
            ray.wait(refs, num_returns=len(refs), timeout=5)
        for keeper in self.keepers.values():
            ray.kill(keeper)

    # ---- tasks ----

    def run(self, tasks: Sequence[Hashable], start: Callable[[Any, str, Any], Any],
            done: Callable[[Any, Any], None],
            bytes_of: Optional[Callable[[Any], int]] = None,
            near: Optional[Callable[[Any, str], int]] = None) -> None:
        """Runs all tasks. Raises LostNodes as soon as another node's files cannot be read, and the
        error of a task that fails too often.

        start: start(task, node, options) starts a task on a node and returns its ref
        done: done(task, result) receives the first result of each task
        bytes_of: returns how many bytes a task leaves on its node's disk; a node with less free
            space does not run the task
        near: returns how much of a task's input is on a node; a node first runs the tasks with most
            input there
        """
        waiting, running, times = list(reversed(tasks)), {}, []  # type: ignore[var-annotated]
        finished: Set[Hashable] = set()
        self.tries, silence = {}, 0
        try:
            while waiting or running:
                if stop.is_set():
                    raise KeyboardInterrupt
                self._start(waiting, running, times, start, bytes_of, near)
                ready, _ = ray.wait(list(running), timeout=1.0)
                silence = 0 if ready or silence == SILENCE else silence + 1
                lost = self._lost(running, near) if silence == SILENCE else []
                for ref in ready or lost:
                    task, node, began = running.pop(ref)
                    if task in finished:
                        continue
                    try:
                        if ref in lost:
                            ray.cancel(ref, force=True)
                            raise ray.exceptions.NodeDiedError(f'{node} is gone')
                        result = ray.get(ref)
                    except ray.exceptions.RayError as error:
                        self._failed(task, node, error)
                        if not any(other == task for other, _, _ in running.values()):
                            waiting.append(task)
                        continue
                    finished.add(task)
                    times.append(time.monotonic() - began)
                    done(task, result)
                for ref in [ref for ref, (task, _, _) in running.items() if task in finished]:
                    ray.cancel(ref, force=True)
                    del running[ref]
        finally:
            for ref in running:
                ray.cancel(ref, force=True)

    def _start(self, waiting: List[Any], running: Dict[Any, Any], times: List[float],
               start: Callable[[Any, str, Any], Any],
               bytes_of: Optional[Callable[[Any], int]],
               near: Optional[Callable[[Any, str], int]]) -> None:
        busy: Dict[str, int] = dict.fromkeys(self.nodes, 0)
        for _, node, _ in running.values():
            busy[node] = busy.get(node, 0) + 1
        while True:
            free = [node for node in self.nodes if busy[node] < self.nodes[node] and node
                    not in self.full]
            task = waiting[-1] if waiting else self._straggler(running, times)
            if task is None or not free:
                break
            if bytes_of is not None and self.temp is not None:
                free = [node for node in free if self.about[node]['free'] >= bytes_of(task)]
            taken = {node for other, node, _ in running.values() if other == task}
            free = [node for node in free if node not in taken]
            if not free:
                break
            node = min(free, key=lambda node: busy[node] / self.nodes[node])
            if waiting and near is not None:
                _, at, _, node = max((near(other, one), i, -busy[one] / self.nodes[one], one)
                                     for one in free for i, other in enumerate(waiting))
                task = waiting.pop(at)
            elif waiting:
                waiting.pop()
            if bytes_of is not None and self.temp is not None:
                self.about[node]['free'] -= bytes_of(task)
            where = {'num_cpus': self.threads, 'max_retries': 0,
                     'scheduling_strategy': NodeAffinitySchedulingStrategy(node, soft=False)}
            running[start(task, node, where)] = (task, node, time.monotonic())
            busy[node] += 1
        if waiting and not running:
            raise gsort.GsortError('no node has enough disk space for its part; use more nodes, or '
                                   '--temp on larger disks', 2)

    @staticmethod
    def _straggler(running: Dict[Any, Any], times: List[float]) -> Optional[Any]:
        """Returns a task that takes much longer than the others did, and runs only once. None:
        there is none."""
        if not times:
            return None
        late = max(STRAGGLES_LEAST, STRAGGLES * statistics.median(times))
        tasks = [task for task, _, _ in running.values()]
        return next((task for task, _, began in running.values() if time.monotonic() - began > late
                     and tasks.count(task) == 1), None)

    @staticmethod
    def _lost(running: Dict[Any, Any], near: Optional[Callable[[Any, str], int]]) -> List[Any]:
        """Returns the refs of tasks on nodes that are gone. Raises LostNodes if a running task has
        input on such a node.

        Ray may not report the loss. A task that reads from such a node may wait for ever, because
        its connection does not end.
        """
        gone = [node['NodeID'] for node in ray.nodes() if not node['Alive']]
        for node in gone:
            if near is not None and any(near(task, node) > 0 for task, _, _ in running.values()):
                raise LostNodes(f'{node} is gone')
        return [ref for ref, (_, node, _) in running.items() if node in gone]

    def _failed(self, task: Hashable, node: str, error: Exception) -> None:
        """Returns normally if the task must run again. Otherwise raises its error, or LostNodes if
        it could not read another node's file."""
        self.again += 1
        cause = getattr(error, 'cause', None)
        if isinstance(error, ray.exceptions.RayTaskError) and isinstance(cause, gsort.GsortError):
            if cause.is_final:
                raise cause
            if cause.is_space and self.temp is not None:
                self.full.add(node)
                if len(self.full.intersection(self.nodes)) < len(self.nodes):
                    return
                raise cause
        # that is a node's failure
        is_own = isinstance(error, ray.exceptions.RayTaskError) and not isinstance(cause, LostFile)
        self.tries[task, is_own] = self.tries.get((task, is_own), 0) + 1
        if self.tries[task, is_own] >= (TRIES if is_own else TRIES_OF_NODES):
            raise cause if isinstance(cause, Exception) else error
        time.sleep(0.2 if is_own else 1.0)  # Ray needs time to notice that a node is gone
        self.refresh()
        if isinstance(cause, LostFile):
            raise LostNodes(str(cause))
