"""A sort on a cluster, from the plan to the commit: maps, cuts and parts, made again until all of them are there."""
from __future__ import annotations

import json
import os
import secrets
import time
from dataclasses import replace
from typing import Any, Dict, List, Optional, Sequence

import numpy as np
import ray

from . import gsort, model, s3, tasks
from .crew import Crew, LostNodes
from .cut import bracket, part_begin
from .journal import Journal
from .plan import Plan
from .tasks import Handle, Slice

LOSSES = 20  # how often nodes may go until it is no use
CUTS_A_TASK = 8


class Driver:
    def __init__(self, plan: Plan, resume: bool, progress: Any) -> None:
        self.plan, self.job, self.progress = plan, plan.job, progress
        self.journal = Journal(plan.work, plan.identity(), resume)
        self.maps, self.parts, self.facts = self.journal.found()
        self.seconds: Dict[str, float] = {}
        self.cuts: Optional[Any] = None
        self.crew: Optional[Crew] = None
        try:
            self._begin(resume)
        except BaseException:
            self.end(False, resume)
            raise

    def _begin(self, resume: bool) -> None:
        self.name = self.facts.get('name') or secrets.token_hex(6)
        if 'name' not in self.facts:
            self.journal.add(name=self.name)
        self.crew = Crew(self.job.threads, self.plan.memory_bytes, self.plan.temp, self.name, self.job.token, resume)
        self.plan.check_room({node: about['free'] for node, about in self.crew.about.items()})
        if self.job.sink == 's3':
            if 'upload' not in self.facts:
                self.facts['upload'] = s3.begin(self.job.output)
                self.journal.add(upload=self.facts['upload'])
            self.job = replace(self.job, upload=self.facts['upload'])

    # ---- steps ----

    def run(self) -> Dict[str, Any]:
        for _ in range(LOSSES):
            try:
                self._timed('map', self._make_maps)
                self._check_input()
                self._prepare()
                self._timed('cut', self._make_cuts)
                self._timed('reduce', self._make_parts)
                return self._commit()
            except LostNodes as error:
                lost = str(error)
                assert self.crew is not None
                self.crew.refresh()
        raise LostNodes(lost)

    def _timed(self, name: str, step: Any) -> None:
        begin = time.monotonic()
        try:
            step()
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - begin

    def _forget_lost(self) -> None:
        """Sorted files that are not where they were made."""
        by_node: Dict[str, List[Handle]] = {}
        for handle in self.maps.values():
            by_node.setdefault(handle.node, []).append(handle)
        for node, handles in by_node.items():
            files = [(handle.path, handle.size(self.job.order)) for handle in handles]
            if node == '':
                here = [os.path.exists(path) and os.path.getsize(path) == size for path, size in files]
            elif node in self.crew.keepers:  # type: ignore[union-attr]
                try:
                    here = ray.get(self.crew.keepers[node].has.remote(files))  # type: ignore[union-attr]
                except ray.exceptions.RayActorError:
                    here = [False] * len(files)
            else:
                here = [False] * len(files)
            for handle, is_here in zip(handles, here):
                if not is_here:
                    del self.maps[handle.index]

    def _make_maps(self) -> None:
        crew, pieces = self.crew, self.plan.pieces
        assert crew is not None
        if self.plan.is_sorted:
            return
        while True:
            self._forget_lost()
            missing = [i for i in range(len(pieces)) if i not in self.maps]
            if not missing or self._has_all_parts():
                return
            sort_piece = ray.remote(tasks.sort_piece)

            def start(i: int, node: str, where: Any) -> Any:
                folder = self.job.files or crew.about[node]['folder']
                return sort_piece.options(**where).remote(self.job, pieces[i], i, '' if self.job.files else node, folder)

            def done(i: int, handle: Handle) -> None:
                self.journal.add_map(handle)
                self.maps[i] = handle
                self.progress('map', pieces[i].bytes, self.plan.size)

            crew.run(missing, start, done, lambda i: pieces[i].bytes)

    def _has_all_parts(self) -> bool:
        return len(self.parts) == self.job.parts

    def _handles(self) -> List[Handle]:
        return [self.maps[i] for i in sorted(self.maps)]

    def _check_input(self) -> None:
        """Whether maps have all of the input, and the input is what it was."""
        self.plan.check_stamps()
        if self.plan.is_sorted:
            self.total = sum(piece.count or 0 for piece in self.plan.pieces)
            self.files = [piece.path for piece in self.plan.pieces]
            return
        handles = self._handles()
        if len(handles) == len(self.plan.pieces):
            self.total = sum(handle.count for handle in handles)
            self.files = [handle.path for handle in handles]
            self.journal.add(total=self.total)
        else:
            self.total, self.files = self.facts['total'], []
        self.job = self.plan.fit(self.job, self.total)

    def _prepare(self) -> None:
        """The file for all parts, where these do not make it themselves."""
        if self.job.sink == 'files':
            os.makedirs(self.job.output, exist_ok=True)
        if self.job.files or self.plan.is_sorted:
            self.list = os.path.join(self.plan.work, 'files')
            with open(self.list, 'wb') as file:
                file.write(b'\0'.join(os.fsencode(path) for path in self.files))
        elif self.job.sink == 'into':
            self.job = replace(self.job, header=self.plan.header(self.total, self.job.order))
            with open(self.job.output, 'r+b' if os.path.exists(self.job.output) else 'w+b') as file:
                file.truncate(len(self.job.header) + self.total * self.job.order.element_bytes)
                file.write(self.job.header)
                file.flush()
                os.fsync(file.fileno())

    def _make_cuts(self) -> None:
        """Where each part begins and ends in each file; not where all nodes see all files, for there gsort finds it."""
        crew, handles, job = self.crew, self._handles(), self.job
        if self.job.files or self.plan.is_sorted or self._has_all_parts() or self.cuts is not None:
            return
        assert crew is not None
        ranks = [part_begin(self.total, i, job.parts) for i in range(job.parts + 1)]
        counts = np.array([handle.count for handle in handles], np.int64)
        step, low, high = bracket(job.order, counts, [handle.samples for handle in handles], [handle.step for handle in handles], ranks)
        cuts, find_cuts = np.empty_like(low), ray.remote(tasks.find_cuts)
        slim = [replace(handle, samples=b'', report='') for handle in handles]
        groups = [range(i, min(i + CUTS_A_TASK, len(ranks))) for i in range(0, len(ranks), CUTS_A_TASK)]

        def start(i: int, node: str, where: Any) -> Any:
            rows = list(groups[i])
            return find_cuts.options(**where).remote(job, slim, dict(crew.keepers), step, [ranks[row] for row in rows], low[rows], high[rows])

        def done(i: int, found: Any) -> None:
            cuts[list(groups[i])] = found

        crew.run(range(len(groups)), start, done)
        self.cuts = cuts

    def _make_parts(self) -> None:
        crew, handles, job = self.crew, self._handles(), self.job
        assert crew is not None
        missing = [i for i in range(1, job.parts + 1) if i not in self.parts]
        merge_part = ray.remote(tasks.merge_part)

        def start(i: int, node: str, where: Any) -> Any:
            files, slices = ['--files0-from', self.list] if not self._is_sliced() else [], None
            if self._is_sliced():
                assert self.cuts is not None
                slices = [self._slice(handle, int(begin), int(end)) for handle, begin, end in zip(handles, self.cuts[i - 1], self.cuts[i])
                          if end > begin]
            return merge_part.options(**where).remote(job, i, self.total, files, slices, node)

        def done(i: int, report: Dict[str, Any]) -> None:
            self.journal.add(part=i, report=report)
            self.parts[i] = report
            self.progress('reduce', int(report['tally']['count']) * job.order.element_bytes, self.total * job.order.element_bytes)

        crew.run(missing, start, done)

    def _is_sliced(self) -> bool:
        return not self.job.files and not self.plan.is_sorted

    def _slice(self, handle: Handle, begin: int, end: int) -> Slice:
        assert self.crew is not None
        if handle.node not in self.crew.about:
            raise LostNodes(f'{handle.node} is gone')
        size = self.job.order.element_bytes
        return Slice(handle.path, handle.node, self.crew.about[handle.node]['url'], handle.off + begin * size, (end - begin) * size)

    def _commit(self) -> Dict[str, Any]:
        """All parts are there and synced: whether they are one whole, and that of the input; then it takes its place."""
        begin = time.monotonic()
        parts = [self.parts[i] for i in range(1, self.job.parts + 1)]
        whole = gsort.join(self.job.program, [*(json.dumps(part) for part in parts), *(handle.report for handle in self._handles())])
        self.plan.check_stamps()
        self.plan.commit(self.job, parts)
        self.seconds['commit'] = time.monotonic() - begin
        assert self.crew is not None
        whole['ray'] = {'seconds': self.seconds, 'nodes': len(self.crew.nodes), 'maps': len(self.plan.pieces), 'parts': self.job.parts,
                        'again': self.crew.again, 'output': self.plan.output}
        return whole

    def end(self, is_done: bool, resume: bool) -> None:
        """Removes what is left on all nodes; with resume only after success."""
        keeps = resume and not is_done
        if self.crew is not None:
            self.crew.close(keeps)
        if keeps:
            self.journal.close()
            return
        if not is_done and self.facts.get('upload'):
            s3.abort(self.job.output, self.facts['upload'])
        self.journal.remove()


def sort(plan: Plan, resume: bool, progress: Any, explains: bool) -> Dict[str, Any]:
    driver = Driver(plan, resume, progress)
    is_done = False
    try:
        report = model.explain(plan, driver.crew) if explains else driver.run()
        is_done = True
        return report
    finally:
        driver.end(is_done, resume)
