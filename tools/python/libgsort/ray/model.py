"""Estimates how long a sort takes: T = S max(1/read, 1/sort, 1/write) + S max(1/read, 1/merge,
1/write, (N-1)/(N net)) + starts.

S is the bytes of the node with most work. This is more than an equal share if tasks are few. Each
node measures its rates, with as many tasks at the same time as in a sort, because tasks share disks
and processors. It sorts and merges like the tasks of a sort. So the rates of sort and merge include
reading and writing, if these do not overlap with them. `starts` adds up the starts of the nodes'
servers and of all tasks that run one after the other.
"""
from __future__ import annotations

import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Callable, Dict, List

from . import gsort
from .crew import get_all
from .plan import Plan
from .tasks import FEED, Job, Kept, Slice, merge_part

SAMPLE = 64 << 20
ROUNDS = 3


def seconds(plan: Plan, slots: List[int], rates: Dict[str, float],
            starts: Dict[str, float]) -> Dict[str, float]:
    """Returns the estimated seconds of each step, and of all of them.

    slots: for each node, how many tasks it runs at the same time
    rates: bytes per second of a node: read, sort, write, merge; and net, if nodes read from each
        other
    starts: seconds: nodes: until the nodes are ready; first: for the first task; task: for each
        further task
    """
    def share(tasks: int) -> float:
        """Returns the bytes of the node with most work, which runs rounds of one task per slot."""
        return min(-(-tasks // sum(slots)) * max(slots), tasks) * plan.size / max(1, tasks)

    def rounds(tasks: int) -> int:
        return -(-tasks // sum(slots)) - 1

    maps, parts = len(plan.pieces), plan.job.parts
    told = {'start': starts['nodes']}
    told['map'] = (starts['first'] + rounds(maps) * starts['task'] + share(maps)
                   * max(1 / rates['read'], 1 / rates['sort'], 1 / rates['write']))
    net = (len(slots) - 1) / len(slots) / rates['net'] if 'net' in rates else 0.0
    slowest = max(1 / rates['read'], 1 / rates['merge'], 1 / rates['write'], net)
    told['reduce'] = (rounds(parts) + 1) * starts['task'] + share(parts) * slowest
    told['commit'] = starts['task']
    return {**told, 'all': sum(told.values())}


def measure(job: Job, folder: str, tasks: int, work: str) -> Dict[str, float]:
    """Returns the rates of this node in bytes per second, with `tasks` tasks at the same time.

    Writes files of 64 MiB into both folders, and removes them. If other nodes read from this node,
    leaves `sample` in `folder` for them.
    """
    with tempfile.TemporaryDirectory(dir=folder) as place, tempfile.TemporaryDirectory(
            dir=work) as output:
        block, size = os.urandom(FEED), job.order.element_bytes
        data, half = os.path.join(place, 'data'), SAMPLE // size // 2
        rates = {'write': _rate(1, lambda i: _write(data, block)),
                 'read': _rate(1, lambda i: _read(data))}
        os.truncate(data, SAMPLE // size * size)  # whole elements

        def sort(i: int) -> None:
            for j in range(2):
                gsort.run(job.program, [*job.order.options, *job.tuning, '--range',
                                        f'{j * half}:{half}', data, '-o', f'{place}/{i}.{j}'])

        def merge(i: int) -> None:
            _merge(job, f'{output}/{i}', [Slice(f'{place}/{i}.{j}', '', '', 0, half * size)
                                          for j in range(2)], '')

        rates.update(sort=_rate(tasks, sort), merge=_rate(tasks, merge))
        if not job.files:
            os.rename(f'{place}/0.0', f'{folder}/sample')  # for measure_net
        return rates


def _merge(job: Job, output: str, slices: List[Slice], node: str) -> None:
    own = replace(job, output=output, sink='into', kept=Kept(), head=b'', parts=1, is_sliced=True)
    open(output, 'wb').close()
    count = sum(one.bytes for one in slices) // job.order.element_bytes
    merge_part(own, 1, 0, count, count, [], slices, node)


def _rate(tasks: int, run: Callable[[int], None]) -> float:
    begin = time.monotonic()
    with ThreadPoolExecutor(tasks) as pool:
        list(pool.map(run, range(tasks)))
    return tasks * SAMPLE / (time.monotonic() - begin)


def _write(path: str, block: bytes) -> None:
    with open(path, 'wb', buffering=0) as file:
        for _ in range(SAMPLE // FEED):
            file.write(block)
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _read(path: str) -> None:
    with open(path, 'rb', buffering=0) as file:
        while file.read(FEED):
            pass


def measure_net(job: Job, slices: List[Slice], node: str, work: str) -> float:
    """Returns the bytes per second that a merge on this node reads from other nodes, while they
    read as much from this node."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(dir=work) as output:
        _merge(job, f'{output}/0', slices, node)
    return sum(one.bytes for one in slices if one.node != node) / (time.monotonic() - begin)


def nothing(job: Job) -> gsort.Report:
    """Runs a task without data, to measure the start of a task."""
    return gsort.run(job.program, ['--check', '-t', 'u64', '--raw', '/dev/null'])


def explain(plan: Plan, crew: Any) -> Dict[str, Any]:
    """Returns the plan and its estimated duration, by the rates that the nodes measure now. Each
    rate is the rate of the slowest node."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
    nodes = sorted(crew.nodes)
    place = {node: crew.about[node]['folder'] if plan.temp is not None else plan.work
             for node in nodes}

    def on(function: Any, node: str, *arguments: Any) -> Any:
        where = NodeAffinitySchedulingStrategy(node, soft=False)
        return ray.remote(num_cpus=0,
                          scheduling_strategy=where)(function).remote(plan.job, *arguments)

    starts, times = {'nodes': time.monotonic() - plan.began}, []
    for _ in range(1 + ROUNDS):
        begin = time.monotonic()
        get_all([on(nothing, node) for node in nodes])
        times.append(time.monotonic() - begin)
    starts.update(first=times[0], task=min(times[1:]))
    told: List[Dict[str, float]] = get_all([on(measure, node, place[node], crew.nodes[node],
                                               plan.work) for node in nodes])
    rates = {name: min(rate[name] for rate in told) for name in told[0]}
    if plan.temp is not None and len(nodes) > 1:
        unit = plan.job.order.element_bytes
        slices = [Slice(f"{place[node]}/sample", node, crew.about[node]['url'], 0,
                        SAMPLE // unit // len(nodes) * unit) for node in nodes]
        rates['net'] = min(get_all([on(measure_net, node, slices, node, plan.work)
                                    for node in nodes]))
    slots, size = [crew.nodes[node] for node in nodes], plan.job.order.element_bytes
    return {'nodes': len(nodes), 'tasks_of_nodes': slots, 'bytes': plan.size, 'element_bytes': size,
            'maps': len(plan.pieces), 'parts': plan.job.parts,
            'memory_of_a_task': plan.memory_bytes,
            'disk_of_nodes': plan.size if plan.temp is not None else 0,
            'disk_beside_output': plan.disk_here,
            'rates': {name: round(rate) for name, rate in rates.items()},
            'starts': {name: round(time_, 3) for name, time_ in starts.items()},
            'seconds': {name: round(time_, 3)
                        for name, time_ in seconds(plan, slots, rates, starts).items()}}
