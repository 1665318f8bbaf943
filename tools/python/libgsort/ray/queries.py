"""What is asked of files and not written: statistics of any, quantiles and the order of sorted ones. Tasks take pieces of them."""
from __future__ import annotations

from fractions import Fraction
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from . import gsort
from .cut import bracket, refine
from .files import expand, is_s3, pieces
from .order import Order
from .plan import order_of, order_options
from .tasks import Handle, ask_here, handle_of, probe_files

PIECE = 1 << 30


def _plan(inputs: Sequence[str], options: Dict[str, Any]) -> Tuple[str, Tuple[str, ...], List[str], Order]:
    paths = expand(inputs)
    for path in paths:
        if is_s3(path):
            raise ValueError(f"'{path}': sort copies from S3; this reads files that all nodes see")
    program = gsort.find(None)
    ordered = order_options(options['type'], options['record'], options['keys'], options.get('reverse', False), options['header'], options['raw'])
    order = order_of(program, paths[0], ordered)[0]
    return program, ordered, paths, order


def _ask_all(program: str, threads: int, questions: Sequence[Sequence[str]]) -> List[gsort.Report]:
    import ray
    ask = ray.remote(num_cpus=threads)(gsort.run)
    try:
        told: List[gsort.Report] = ray.get([ask.remote(program, question) for question in questions])
        return told
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None


def stats(inputs: Sequence[str], *, memory: str, threads: int, **options: Any) -> gsort.Report:
    """Count, minimum, maximum and sum; of floats the sum of the pieces' sums, each rounded once."""
    program, named, paths, order = _plan(inputs, options)
    header = int(options.get('header') or 0)
    questions = []
    for piece in pieces(paths, order.element_bytes, header, PIECE):
        part = [] if piece.count is None else ['--range', f'{piece.first}:{piece.count}']
        questions.append(['--stats-only', *named, '-S', memory, '--parallel', str(threads), '--device', 'cpu', *part, piece.path])
    return add(_ask_all(program, threads, questions))


def add(reports: Sequence[gsort.Report]) -> gsort.Report:
    first = reports[0]
    whole: gsort.Report = {name: first[name] for name in ('type', 'element_bytes', 'is_float')}
    whole['tally'] = _add([report['tally'] for report in reports], first['is_float'])
    fields = [report.get('fields') or [] for report in reports]
    whole['fields'] = [{**rows[0], **_add(rows, rows[0]['is_float'])} for rows in zip(*fields)]
    return whole


def _add(tallies: Sequence[Dict[str, Any]], is_float: bool) -> Dict[str, Any]:
    whole: Dict[str, Any] = {'count': sum(int(tally['count']) for tally in tallies)}
    if 'fingerprint' in tallies[0]:
        whole['fingerprint'] = f"{sum(int(tally['fingerprint'], 16) for tally in tallies) % (1 << 128):032x}"
    if 'sum' not in tallies[0]:
        return whole
    whole['nan_count'] = sum(int(tally['nan_count']) for tally in tallies)
    there = [tally for tally in tallies if tally['min'] is not None]
    number: Any = float if is_float else int
    whole['min'] = min((tally['min'] for tally in there), key=number, default=None)
    whole['max'] = max((tally['max'] for tally in there), key=number, default=None)
    sums = [tally['sum'] for tally in tallies if tally['sum'] is not None]
    if is_float:
        import math
        whole['sum'] = repr(math.fsum(map(float, sums))) if sums else None
    else:
        whole['sum'] = str(sum(map(int, sums))) if sums else None
    return whole


def check(inputs: Sequence[str], *, memory: str, threads: int, reverse: bool, **options: Any) -> Optional[str]:
    """None: each file is sorted; else the line that says where it is not. Pieces have an element in common with the next one."""
    program, named, paths, order = _plan(inputs, {**options, 'reverse': reverse})
    questions = []
    for piece in pieces(paths, order.element_bytes, int(options.get('header') or 0), PIECE):
        part = []
        if piece.count is not None:
            before = 1 if piece.first else 0
            part = ['--range', f'{piece.first - before}:{piece.count + before}']
        questions.append(['--check', *named, '-S', memory, '--parallel', str(threads), '--device', 'cpu', *part, piece.path])
    try:
        _ask_all(program, threads, questions)
    except gsort.GsortError as error:
        if error.code != 1:
            raise
        return str(error)
    return None


def quantiles(inputs: Sequence[str], wanted: Sequence[str], *, memory: str, threads: int, reverse: bool, **options: Any) -> Dict[str, Any]:
    """The element of rank ceil(p n), as gsort has it, of files that are sorted: a few blocks of each are read."""
    program, named, paths, order = _plan(inputs, {**options, 'reverse': reverse})
    handles = []
    for i, piece in enumerate(pieces(paths, order.element_bytes, int(options.get('header') or 0), 1 << 62)):
        if piece.count is None:
            raise ValueError(f"'{piece.path}': is packed; where a rank is in it is not known")
        report = {'tally': {'count': piece.count}, 'left_out_count': 0}
        handles.append(handle_of(order, i, '', piece.path, report))
    total = sum(handle.count for handle in handles)
    if total == 0:
        return {'count': 0, 'quantiles': []}
    fractions = [Fraction(1, 2) if p == 'median' else Fraction(p) for p in wanted]
    if any(p < 0 or p > 1 for p in fractions):
        raise ValueError(f"-p: '{','.join(wanted)}' are not all from 0 to 1")
    places = [max(1, -(-p.numerator * total // p.denominator)) - 1 for p in fractions]
    if reverse:  # of the ascending order, whichever the files have
        places = [total - 1 - place for place in places]
    elements = elements_of(order, handles, places)
    return {'count': total, 'quantiles': [{'p': p, 'rank': place, 'value': value} for p, place, value in
                                          zip(wanted, places, _texts(program, order, elements))]}


def elements_of(order: Order, handles: Sequence[Handle], ranks: Sequence[int]) -> List[bytes]:
    """The elements at these ranks of the common order: the first one behind each cut."""
    counts = np.array([handle.count for handle in handles], np.int64)

    def probe(asked: Any) -> List[bytes]:
        return probe_files(handles, order, ask_here, asked)

    step, low, high = bracket(order, counts, [handle.samples for handle in handles], [handle.step for handle in handles], ranks)
    cuts = refine(order, step, ranks, low, high, probe)
    found = []
    for cut in cuts:
        heads = b''.join(probe([(f, cut[f:f + 1]) for f in range(len(handles)) if cut[f] < counts[f]]))
        at = int(order.argsort(heads)[0]) * order.element_bytes
        found.append(heads[at:at + order.element_bytes])
    return found


def _texts(program: str, order: Order, elements: Sequence[bytes]) -> List[str]:
    """As gsort prints elements."""
    import subprocess
    import tempfile
    with tempfile.NamedTemporaryFile() as file:
        file.write(b''.join(elements))
        file.flush()
        options = [word for word in order.options if word != '-r']
        told = subprocess.run([program, *options, '--head', str(len(elements)), file.name], stdout=subprocess.PIPE, text=True, check=True)
    return told.stdout.splitlines()

