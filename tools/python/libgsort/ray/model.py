"""How long a sort takes: T = S max(1/read, 1/sort, 1/write) + S max(1/read, 1/merge, 1/write, (N-1)/N net), S bytes a node.

Each node measures its rates itself, all at the same time, as the tasks of a sort share disks and processors.
"""
from __future__ import annotations

import os
import subprocess
import tempfile
import time
from typing import Any, Dict, List

from . import gsort
from .plan import Plan
from .tasks import FEED, Job, Slice, read_slice

SAMPLE = 64 << 20


def seconds(size: int, nodes: int, rates: Dict[str, float]) -> Dict[str, float]:
    """rates: bytes a second of a node: read, sort, write, merge; and net, where nodes read from each other."""
    share = size / nodes
    first = share * max(1 / rates['read'], 1 / rates['sort'], 1 / rates['write'])
    net = (nodes - 1) / nodes / rates['net'] if 'net' in rates else 0.0
    second = share * max(1 / rates['read'], 1 / rates['merge'], 1 / rates['write'], net)
    return {'map': first, 'reduce': second, 'all': first + second}


def measure(job: Job, folder: str, tasks: int) -> Dict[str, float]:
    """Rates of this node, with so many tasks at once. Writes a few files of 64 MiB into the folder, and removes them."""
    with tempfile.TemporaryDirectory(dir=folder) as place:
        block, rates = os.urandom(FEED), {}
        data = os.path.join(place, 'data')
        begin = time.monotonic()
        with open(data, 'wb', buffering=0) as file:
            for _ in range(SAMPLE // FEED):
                file.write(block)
            os.fsync(file.fileno())
            rates['write'] = SAMPLE / (time.monotonic() - begin)
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        begin = time.monotonic()
        with open(data, 'rb', buffering=0) as file:
            while file.read(FEED):
                pass
        rates['read'] = SAMPLE / (time.monotonic() - begin)
        whole = SAMPLE // job.order.element_bytes
        sizes = ['--range', f'0:{whole}']
        kind = [*job.order.options, *job.tuning, '-q']
        rates['sort'] = _rate(tasks, lambda i: [job.program, *kind, *sizes, data, '-o', os.path.join(place, f'{i}')])
        rates['merge'] = _rate(tasks, lambda i: [job.program, *kind, '-m', os.path.join(place, f'{i}'), '-o', os.devnull])
    return rates


def _rate(tasks: int, command: Any) -> float:
    begin = time.monotonic()
    children = [subprocess.Popen(command(i), stdout=subprocess.DEVNULL) for i in range(tasks)]
    for child in children:
        if child.wait() != 0:
            raise gsort.GsortError('gsort failed while it was measured', 3)
    return tasks * SAMPLE / (time.monotonic() - begin)


def measure_net(job: Job, url: str, name: str) -> float:
    """Bytes a second from another node's keeper, which has a file for that."""
    begin = time.monotonic()
    length = sum(len(block) for block in read_slice(job.token, Slice(name, '', url, 0, SAMPLE)))
    return length / (time.monotonic() - begin)


def explain(plan: Plan, crew: Any) -> Dict[str, Any]:
    """The plan and its time with the rates that the nodes measure now: of the slowest one."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
    nodes = sorted(crew.nodes)
    place = {node: crew.about[node]['folder'] if plan.temp is not None else plan.work for node in nodes}

    def on(function: Any, node: str, *arguments: Any) -> Any:
        where = NodeAffinitySchedulingStrategy(node, soft=False)
        return ray.remote(num_cpus=0, scheduling_strategy=where)(function).remote(plan.job, *arguments)

    told: List[Dict[str, float]] = ray.get([on(measure, node, place[node], crew.nodes[node]) for node in nodes])
    rates = {name: min(rate[name] for rate in told) for name in told[0]}
    if plan.temp is not None and len(nodes) > 1:
        for node in nodes:
            ray.get(crew.keepers[node].make_sample.remote(SAMPLE))
        rates['net'] = min(ray.get([on(measure_net, node, crew.about[other]['url'], 'sample')
                                    for node, other in zip(nodes, nodes[1:] + nodes[:1])]))
    size = plan.job.order.element_bytes
    return {'nodes': len(nodes), 'tasks_of_nodes': [crew.nodes[node] for node in nodes], 'bytes': plan.size, 'element_bytes': size,
            'maps': len(plan.pieces), 'parts': plan.job.parts, 'memory_of_a_task': plan.memory_bytes,
            'disk_of_nodes': plan.size if plan.temp is not None else 0, 'disk_beside_output': plan.disk_here,
            'rates': {name: round(rate) for name, rate in rates.items()},
            'seconds': {name: round(time_, 3) for name, time_ in seconds(plan.size, len(nodes), rates).items()}}
