"""Answers questions about files without writing: statistics of any files, quantiles and the order
of sorted files. Tasks read pieces."""
from __future__ import annotations

import json
from fractions import Fraction
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

from .. import _c
from ..errors import UsageError
from . import gsort
from .crew import get_all
from .cut import Order
from .files import Piece, expand, measure, pieces
from .plan import WHOLE, header_of, order_of
from .store import is_remote

PIECE = 1 << 30
# type first
ADDED = ('type', 'element_bytes', 'is_float', 'is_signed', 'left_out_count', 'left_out_fingerprint',
         'tally', 'fields')


def _plan(inputs: Sequence[str], options: Dict[str, Any],
          most: int = PIECE) -> Tuple[str, Tuple[str, ...], Order, List[Piece]]:
    """Returns the program, its options, the order of the elements, and pieces of at most about
    `most` bytes."""
    paths = expand(inputs)
    for path in paths:
        if is_remote(path):
            raise UsageError(f"'{path}': is in a store; only files that all nodes see can be read "
                             f"here")
    program = gsort.find(None)
    named = gsort.words(options, gsort.ORDER)
    order, _ = order_of(program, paths, named)
    return program, named, order, pieces(measure(paths), order.element_bytes, header_of(named),
                                         most, '--raw' in named)


def _tuning(options: Mapping[str, Any]) -> Sequence[str]:
    return gsort.tuning(options.get('memory', '1G'), options.get('parallel', 1))


def _ask_all(program: str, options: Mapping[str, Any],
             questions: Sequence[Sequence[str]]) -> List[gsort.Report]:
    import ray
    ask = ray.remote(num_cpus=options.get('parallel', 1))(gsort.run)
    try:
        return list(get_all([ask.remote(program, [*_tuning(options), *question])
                             for question in questions]))
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None


def stats(inputs: Sequence[str], **options: Any) -> gsort.Report:
    """Returns count, minimum, maximum and sum. The sum of floats adds the sums of the pieces, which
    are each rounded once."""
    program, named, _, found = _plan(inputs, options)
    return add(_ask_all(program, options, [['--stats-only', *named, *piece.words()]
                                           for piece in found]))


def add(reports: Iterable[gsort.Report]) -> gsort.Report:
    """Returns count, minimum, maximum and sum of all reports together. The sum of floats adds their
    sums, and is rounded once."""
    told = joined(reports)
    whole = {name: told[name] for name in ('type', 'element_bytes', 'is_float')}
    return {**whole, 'tally': _counts(told['tally']),
            'fields': [_counts(row) for row in told.get('fields', ())]}


def _counts(tally: Dict[str, Any]) -> Dict[str, Any]:
    return {name: int(value) if name.endswith('count') else value for name, value in tally.items()
            if name not in ('mean', 'variance', 'deviation')}


def joined(reports: Iterable[gsort.Report]) -> gsort.Report:
    """Returns one report from several. The library adds up those values that can be added
    (ADDED)."""
    whole, part, error = _c.library.gs_report_create(), None, _c.CError()
    try:
        for report in reports:
            part = _c.library.gs_report_create()
            _set(part, '', {name: report[name] for name in ADDED if name in report})
            _c.library.gs_report_add(whole, part, error)
            _c.raise_for(error)
            _c.library.gs_report_free(part)
            part = None
        told: gsort.Report = json.loads(_c.report_json(whole))
        return told
    finally:
        _c.library.gs_report_free(part)
        _c.library.gs_report_free(whole)


def _set(report: Optional[int], path: str, value: Any) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            _set(report, f'{path}.{name}' if path else name, inner)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            _set(report, f'{path}[{i}]', inner)
    else:
        text = (None if value is None else str(value).lower() if isinstance(value, bool)
                else str(value))
        if _c.library.gs_report_set(report, path.encode(), None if text is None
                                    else text.encode()) == _c.FOUND_INEXACT:
            raise UsageError(f"not a report of gsort: {path} is '{text}'")


def check(inputs: Sequence[str], **options: Any) -> Optional[str]:
    """Returns None if each file is sorted, or else the line that says where it is not. Neighbouring
    pieces share one element."""
    program, named, _, found = _plan(inputs, options)
    questions = [['--check', *named, *piece.words(before=1 if piece.first else 0)]
                 for piece in found]
    try:
        _ask_all(program, options, questions)
    except gsort.GsortError as error:
        if error.code != 1:
            raise
        return str(error)
    return None


def quantiles(inputs: Sequence[str], wanted: Sequence[str], **options: Any) -> Dict[str, Any]:
    """Returns the elements of rank ceil(p n) of sorted files, as gsort defines quantiles. Reads
    only a few blocks of each file.

    wanted: texts of p, or 'median'
    """
    program, named, order, found = _plan(inputs, options, WHOLE)
    total = 0
    for piece in found:
        if piece.count is None:
            raise UsageError(f"'{piece.path}': is compressed, so that ranks cannot be found in it; "
                             f"decompress it")
        total += piece.count
    if total == 0:
        return {'count': 0, 'quantiles': []}
    fractions = [Fraction(1, 2) if p == 'median' else Fraction(p) for p in wanted]
    if any(p < 0 or p > 1 for p in fractions):
        raise UsageError(f"-p: '{','.join(wanted)}': not all are between 0 and 1; for the 95th "
                         f"percentile use 0.95")
    places = [max(1, -(-p.numerator * total // p.denominator)) - 1 for p in fractions]
    if order.reverse:  # ranks are those of the ascending order
        places = [total - 1 - place for place in places]
    # a part of one element
    what = [*named, '-m', *_tuning(options), *(piece.path for piece in found), '-o', '-']
    elements = [gsort.ask(program, [*what, '--part', f'{place + 1}/{total}'])[-order.element_bytes:]
                for place in places]
    texts = gsort.ask(program, [*(word for word in order.options if word != '-r'), '--head',
                                str(len(places)), '-'], b''.join(elements)).decode().splitlines()
    return {'count': total, 'quantiles': [{'p': p, 'rank': place, 'value': text}
                                          for p, place, text in zip(wanted, places, texts)]}
