"""Runs a sort on a cluster, from the plan to the commit. Makes maps, cuts and parts, and repeats
those that were lost with a node."""
from __future__ import annotations

import contextlib
import json
import logging
import os
import secrets
import time
from dataclasses import asdict, replace
from typing import Any, Callable, Dict, List, Optional, Sequence

import numpy as np
import ray
from ray.util.metrics import Gauge

from ..progress import Progress
from . import gsort, local, model, s3, store, tasks
from .crew import Crew, LostNodes
from .cut import part_begin
from .files import are_whole
from .journal import Journal
from .plan import Plan
from .queries import add, joined
from .tasks import Handle, Slice

log: logging.Logger = logging.getLogger('libgsort')

LOSSES = 20  # a sort fails if it lost nodes this many times
CUTS_A_TASK = 8
# Ray exports them as ray_gsort_..
GAUGES = {'done_bytes': 'Bytes of the phase that are done.', 'all_bytes': 'Bytes of the phase.'}


class Driver:
    total: int
    begins: List[int]

    def __init__(self, plan: Plan, resume: bool, show: Callable[[Progress], object]) -> None:
        self.plan, self.job, self.show = plan, plan.job, show
        self.journal = Journal(plan.work, plan.identity(), resume, plan.job.access)
        self.maps, self.parts, self.facts = self.journal.found()
        self.cuts: Optional[Any] = None
        self.seconds: Dict[str, float] = {}
        # phase -> its start time, and the bytes done so far
        self.phases: Dict[str, List[float]] = {}
        self.gauges = [Gauge(f'gsort_{name}', description=text, tag_keys=('phase', 'output'))
                       for name, text in GAUGES.items()]
        self.net_bytes = 0
        self.list = os.path.join(plan.work, 'files')  # of the files to merge, for gsort
        self.name = self.facts.get('name') or secrets.token_hex(6)
        self.crew = Crew(self.job.threads, plan.memory_bytes, plan.temp, self.name, self.job.token,
                         resume)
        try:
            if 'name' not in self.facts:
                self.journal.add(name=self.name)
            self.crew.refresh()
            plan.check_room({node: about['free'] for node, about in self.crew.about.items()})
        except BaseException:
            self.end(False, resume)
            raise
        self.seconds['start'] = time.monotonic() - plan.began

    # ---- steps ----

    def _begin_upload(self) -> None:
        """For an output in a store, continues the upload of an earlier driver, or begins one.
        Forgets the parts of an aborted upload."""
        upload = self.facts.get('upload')
        if self.job.sink == 'store' and upload is None:
            upload = store.begin(self.job.access, self.plan.output, self.name)
            self.journal.add(upload=upload)
        elif self.job.sink == 's3' and (
                upload is None or 'whole' not in self.facts
                and not s3.is_open(self.job.access, self.job.output, upload)):
            self.parts.clear()
            upload = s3.begin(self.job.access, self.job.output, self.name)
            self.journal.add(upload=upload)
        self.job = replace(self.job, upload=upload or '')

    def run(self) -> Dict[str, Any]:
        self._begin_upload()
        # an earlier driver died after its commit
        if 'whole' in self.facts and not self.plan.is_waiting(self.job):
            done: Dict[str, Any] = self.facts['whole']
            if not self.plan.is_placed(self.facts['stamps'], self.name,
                                       [self.parts[i] for i in sorted(self.parts)]):
                raise gsort.GsortError(f"'{self.plan.output}': a sort that has ended wrote it, but "
                                       f"it was removed or replaced since; remove "
                                       f"'{self.plan.work}'", 4)
            return done
        self._forget_parts()
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
                log.warning('%s; making its files again', lost)
                self.crew.refresh()
        raise LostNodes(lost)

    def _timed(self, name: str, step: Any) -> None:
        begin = time.monotonic()
        try:
            step()
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.monotonic() - begin

    def _progress(self, phase: str, done: int, of: int) -> None:
        if phase not in self.phases:
            self.phases[phase] = [time.monotonic(), 0.0]
        begin, before = self.phases[phase]
        self.phases[phase][1] = before + done
        now = time.monotonic()
        for gauge, value in zip(self.gauges, (before + done, of)):
            with contextlib.suppress(Exception):  # a sort does not need gauges
                # Ray accepts only ASCII in tags
                gauge.set(value, {'phase': phase, 'output': ascii(self.plan.output)[1:-1]})
        self.show(Progress(phase, int(before) + done, of, now - self.plan.began, now - begin))

    def _forget_lost(self) -> None:
        """Forgets maps whose sorted files are gone or have another size."""
        by_node: Dict[str, List[Handle]] = {}
        for handle in self.maps.values():
            by_node.setdefault(handle.node, []).append(handle)
        for node, handles in by_node.items():
            files = [(handle.path, handle.size(self.job.order)) for handle in handles]
            try:
                here = (ray.get(self.crew.keepers[node].has.remote(files)) if node
                        else are_whole(files))
            except (KeyError, ray.exceptions.RayActorError):
                here = [False] * len(files)
            for handle, is_here in zip(handles, here):
                if not is_here:
                    del self.maps[handle.index]

    def _forget_parts(self) -> None:
        """Forgets parts whose files are gone or have another size."""
        for i, part in list(self.parts.items()):
            path = self.job.output if self.job.sink == 'into' else self.job.part_path(i)
            if self.job.sink == 'store':
                is_here = store.has(self.job.access, self.job.upload, part)
            else:
                is_here = self.job.sink == 's3' or (
                    os.path.exists(path)
                    and part.get('file_bytes') in (None, os.path.getsize(path)))
            if not is_here:
                del self.parts[i]

    def _make_maps(self) -> None:
        crew, pieces = self.crew, self.plan.pieces
        if self._has_all_parts() or self.plan.is_sorted and not self.job.is_sliced:
            return  # all parts are made, so maps are not needed; or parts are made from the inputs
        sort_piece, look_at = ray.remote(tasks.sort_piece), ray.remote(tasks.look_at)

        def start(i: int, node: str, where: Any) -> Any:
            if self.plan.is_sorted:
                return look_at.options(**where,
                                       name='gsort look at file').remote(self.job, pieces[i], i)
            folder = self.job.files or crew.about[node]['folder']
            task = sort_piece.options(**where, name='gsort sort piece')
            return task.remote(self.job, pieces[i], i, '' if self.job.files else node, folder)

        def done(i: int, handle: Handle) -> None:
            self.journal.add(map=asdict(handle))
            self.maps[i] = handle
            self._progress('read', pieces[i].bytes, self.plan.size)

        while True:
            self._forget_lost()
            missing = [i for i in range(len(pieces)) if i not in self.maps]
            if not missing or self._has_all_parts():
                return
            crew.run(missing, start, done, None if self.plan.is_sorted
                     else lambda i: pieces[i].bytes)

    def _has_all_parts(self) -> bool:
        return len(self.parts) == self.job.parts

    def _handles(self) -> List[Handle]:
        return [self.maps[i] for i in sorted(self.maps)]

    def _check_input(self) -> None:
        """Sets the total and the number of parts. Raises a GsortError if an input has changed."""
        self.plan.check_stamps()
        handles = self._handles()
        if self.plan.is_sorted:
            self.total = sum(piece.count or 0 for piece in self.plan.pieces)
        elif len(handles) == len(self.plan.pieces):
            self.total = sum(handle.count for handle in handles)
            self.journal.add(total=self.total)
        else:  # all parts were made before
            self.total = self.facts['total']
        self.job = self.plan.fit(self.job, self.total)

    def _prepare(self) -> None:
        """Creates the folder of parts, the list of files for `gsort --part`, or the one file for
        all parts."""
        if self.job.sink == 'files':
            os.makedirs(self.job.output, exist_ok=True)
        if not self.job.is_sliced:
            paths = ([piece.path for piece in self.plan.pieces] if self.plan.is_sorted
                     else [handle.path for handle in self._handles()])
            with open(self.list, 'wb') as file:
                file.write(b'\0'.join(map(os.fsencode, paths)))
        elif self.job.sink == 'into':
            local.begin(self.job.output, self.job.head, self.total,
                  self.total * self.job.order.element_bytes)

    def _make_cuts(self) -> None:
        """Sets where each part begins and ends, in each file and in the whole.

        If all nodes see the files and parts are equal, gsort finds the places in files itself.
        """
        handles, job = self._handles(), self.job
        if not job.is_sliced:
            self.begins = [part_begin(self.total, i, job.parts) for i in range(job.parts + 1)]
            return
        if self._has_all_parts() or self.cuts is not None:
            return
        counts = np.array([handle.count for handle in handles], np.int64)
        if job.kept.values:
            self.cuts = np.array([np.zeros_like(counts),
                                  *zip(*(handle.values for handle in handles)),
                                  counts]).reshape(job.parts + 1, len(handles))
        else:
            self.cuts = self._find_cuts(handles)
        self.begins = [int(row.sum()) for row in self.cuts]

    def _find_cuts(self, handles: List[Handle]) -> Any:
        crew, job = self.crew, self.job
        ranks = [job.kept.begin(self.total, i, job.parts) for i in range(job.parts + 1)]
        cuts = np.empty((len(ranks), len(handles)), np.int64)
        find_cuts = ray.remote(tasks.find_cuts)
        slim = [replace(handle, report='', read='') for handle in handles]
        groups = [range(i, min(i + CUTS_A_TASK, len(ranks)))
                  for i in range(0, len(ranks), CUTS_A_TASK)]

        def start(i: int, node: str, where: Any) -> Any:
            self._refuse_lost(handles)
            task = find_cuts.options(**where, name='gsort find cuts')
            return task.remote(job, slim, dict(crew.keepers), [ranks[row] for row in groups[i]])

        def done(i: int, found: Any) -> None:
            cuts[list(groups[i])] = found

        crew.run(range(len(groups)), start, done)
        return cuts

    def _make_parts(self) -> None:
        crew, handles, job = self.crew, self._handles(), self.job
        missing = [i for i in range(1, job.parts + 1) if i not in self.parts]
        merge_part = ray.remote(tasks.merge_part)

        near = self._near() if self.plan.temp is not None and self.cuts is not None else None

        def start(i: int, node: str, where: Any) -> Any:
            slices: List[Slice] = []
            if job.is_sliced:
                assert self.cuts is not None
                slices = [self._slice(handle, int(begin), int(end))
                          for handle, begin, end in zip(handles, self.cuts[i - 1], self.cuts[i])
                          if end > begin]
                self.net_bytes += sum(one.bytes for one in slices if one.node not in ('', node))
            files = [] if job.is_sliced else ['--files0-from', self.list]
            task = merge_part.options(**where, name='gsort merge part')
            return task.remote(job, i, self.begins[i - 1], self.begins[i], self.total, files,
                               slices, node)

        def done(i: int, report: Dict[str, Any]) -> None:
            self.journal.add(part=i, report=report)
            self.parts[i] = report
            self._progress('write', int(report['tally']['count']) * job.order.element_bytes,
                           self.total * job.order.element_bytes)

        crew.run(missing, start, done, near=near)
        if self.plan.joined:
            self._place_parts()

    def _near(self) -> Callable[[int, str], int]:
        """Returns a function that returns how many elements of a part are on a node."""
        assert self.cuts is not None
        lengths, nodes = np.diff(self.cuts, axis=0), [handle.node for handle in self._handles()]
        rows = {node: lengths[:, np.array(nodes) == node].sum(axis=1) for node in set(nodes)}
        return lambda i, node: int(rows[node][i - 1]) if node in rows else 0

    def _place_parts(self) -> None:
        """Concatenates the parts into one file. Their lengths were not known before."""
        counts = {i: tasks.written_count(self.parts[i]) for i in sorted(self.parts)}
        # If all parts are empty, the first one is copied, because a compressed part has a frame.
        paths = [self.job.part_path(i) for i in counts if counts[i]] or [self.job.part_path(1)]
        sizes = [os.path.getsize(path) for path in paths]
        places = np.cumsum([local.begin(self.plan.joined, self.plan.head, sum(counts.values()),
                                  sum(sizes)), *sizes])
        place_part = ray.remote(tasks.place_part)

        def start(i: int, node: str, where: Any) -> Any:
            task = place_part.options(**where, name='gsort place part')
            return task.remote(paths[i], self.plan.joined, int(places[i]))
        self.crew.run(range(len(paths)), start, lambda i, done: None)

    def _refuse_lost(self, handles: Sequence[Handle]) -> None:
        for handle in handles:
            if handle.node and handle.node not in self.crew.about:
                raise LostNodes(f'{handle.node} is gone')

    def _slice(self, handle: Handle, begin: int, end: int) -> Slice:
        self._refuse_lost([handle])
        size, url = (self.job.order.element_bytes, self.crew.about[handle.node]['url']
                     if handle.node else '')
        return Slice(handle.path, handle.node, url, handle.off + begin * size, (end - begin) * size)

    def _commit(self) -> Dict[str, Any]:
        """Verifies that all parts together are the sorted input, and publishes the output. Parts
        are synced before. Returns the report.

        Raises a GsortError if the parts do not add up, or if an input has changed.
        """
        begin = time.monotonic()
        parts = [self.parts[i] for i in range(1, self.job.parts + 1)]
        whole = gsort.join(self.job.program, [*(json.dumps(part) for part in parts),
                                              *(handle.report for handle in self._handles()
                                                if handle.report)])
        # statistics describe the elements that were read
        if any(handle.read for handle in self._handles()):
            whole.update(add([json.loads(handle.read or handle.report)
                              for handle in self._handles()]))
        if self.job.maps:
            left = joined(dict(zip(('left_out_count', 'left_out_fingerprint'), handle.left_out))
                          for handle in self._handles())
            whole.update({name: left[name] for name in ('left_out_count', 'left_out_fingerprint')})
        self.plan.check_stamps()
        whole['ray'] = {'seconds': self.seconds, 'nodes': len(self.crew.nodes),
                        'maps': len(self.plan.pieces), 'parts': self.job.parts,
                        'again': self.crew.again, 'net_bytes': self.net_bytes,
                        'output': self.plan.output}
        self.journal.add(whole=whole, stamps=self.plan.stamps(self.plan.joined or self.job.output))
        self.plan.commit(self.job, parts)
        self.seconds['commit'] = time.monotonic() - begin
        return whole

    def end(self, is_done: bool, resume: bool) -> None:
        """Ends the keepers, and removes what is left on all nodes. With resume, removes it only
        after success."""
        keeps = resume and not is_done
        self.crew.close(keeps)
        if keeps:
            self.journal.close()
        else:
            self.journal.remove(is_done)


def sort(plan: Plan, resume: bool, show: Callable[[Progress], object],
         explains: bool) -> Dict[str, Any]:
    driver = Driver(plan, resume, show)
    is_done = False
    try:
        report = {'ray': model.explain(plan, driver.crew)} if explains else driver.run()
        is_done = True
        return {**report, 'seconds': time.monotonic() - plan.began}
    finally:
        driver.end(is_done, resume)
