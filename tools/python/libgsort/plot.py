"""Draws reports: python -m libgsort.plot REPORT.json... [-o FILE.svg|FILE.png]

    of gsort (--stats=json), or of a job in Python (report.details): its phases over time, with the
        bytes per second that it read, wrote and sorted, and how it used memory
    of libgsort.ray: its steps over time, with the bytes per second that the cluster read and wrote
    several of these, or one of gsort-bench outofcore or tools/dev/peers/by_size.py: seconds
        against size
    of gsort-bench scale: speed against threads, and the time per element against size
    any other of gsort-bench: median, minimum and maximum of each case

REPORT may be '-' for standard input. The default FILE is the name of the first report with .svg.
Needs matplotlib.
"""
from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ._c import version
from .report import SCHEMA, Report

Told = Mapping[str, Any]

ENDS = ('.svg', '.png')
DISK = '#888888'
PARTS = ('data', 'scratch', 'codec', 'runs', 'tables')  # of "memory" in a report
MIB = 2 ** 20
FAR = 8  # a limit of so many times the used memory is not drawn: it would make the rest too small


def plot(reports: Union[Report, Told, Sequence[Union[Report, Told]]], path: str) -> None:
    """Draws one report or several to the file `path`, which ends in .svg or .png. Needs matplotlib.

    reports: one or several, as the start of the module describes: a libgsort.Report, also of
        libgsort.ray, or a dict of its JSON

    Raises a ValueError if `path` has another ending, or if a report is of another schema.
    """
    _draw([reports] if isinstance(reports, (Report, Mapping)) else list(reports), path)


def _draw(given: Sequence[Union[Report, Told]], path: str) -> None:
    reports = [report.details if isinstance(report, Report) else report for report in given]
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    if not path.endswith(ENDS):
        raise ValueError(f"'{path}' must end in {' or '.join(ENDS)}")
    if not reports:
        raise ValueError('no report is given')
    if other := [report['schema'] for report in reports if 'phases' in report
                 and report.get('schema', SCHEMA) != SCHEMA]:
        raise ValueError(f'a report of schema {other[0]!r}, by another version of gsort; this '
                         f'version draws schema {SCHEMA}')
    with rc_context({'svg.hashsalt': 'gsort', 'svg.fonttype': 'none', 'font.size': 9}):
        figure = Figure(figsize=(8, 5), layout='constrained')
        first = reports[0]
        if len(reports) > 1:
            _draw_sizes(figure, _lines_of_jobs(reports), f'Seconds to sort, {len(reports)} jobs',
                        None, ())
        elif 'ray' in first:
            _draw_cluster(figure, first)
        elif 'phases' in first:
            _draw_job(figure, first)
        elif 'results' not in first:
            raise ValueError('this is not a report of gsort or gsort-bench')
        elif any('size_bytes' in row for row in first['results']):
            memory, lines = _lines_of_sizes(first)
            title = f'Seconds to sort a file in {memory / MIB:g} MiB of memory'
            _draw_sizes(figure, lines, title, memory, first.get('ceilings', ()))
        elif any('ns_per_element' in row for row in first['results']):
            _draw_scale(figure, first)
        else:
            _draw_cases(figure, first)
        if len(reports) == 1:
            figure.supxlabel(_where(first), fontsize=7, color=DISK)
        figure.savefig(path, metadata={'Date': None} if path.endswith('.svg') else None)


def _where(report: Told) -> str:
    """Returns the machine that the report names, or ''."""
    parts = [report.get('processor'), f"{report['processors']} processors" if 'processors' in report
             else None,
             report.get('file_system'), report.get('kernel'), str(report.get('date') or '')[:10]
             or None,
             report.get('device_name') or report.get('device'), report.get('engine')]
    return ', '.join(part for part in parts if part)


def _unit(most: float) -> Tuple[str, float]:
    """Returns the unit in which an axis up to so many bytes has short numbers."""
    return next((name, size) for name, size in (('TB', 1e12), ('GB', 1e9), ('MB', 1e6), ('KB', 1e3),
                                                ('bytes', 1)) if most >= size or size == 1)


def _bytes(size: float) -> str:
    unit, one = _unit(size)
    return f'{size / one:.3g} {unit}'


# A job


def _draw_job(figure: Any, report: Told) -> None:
    phases = [phase for phase in report['phases'] if phase['seconds'] > 0]
    over_time, memory = figure.subplots(1, 2, width_ratios=(3, 1))
    begin = 0.0
    lines: Dict[str, List[Tuple[float, float]]] = {'read': [], 'written': [], 'sorted': []}
    for phase in phases:
        seconds, end = phase['seconds'], begin + phase['seconds']
        went_through = {'read': report['input_bytes'],
                        'write': report['output_bytes']}.get(phase['name'], phase['bytes_read'])
        for name, size in (('read', phase['bytes_read']), ('written', phase['bytes_written']),
                           ('sorted', went_through)):
            lines[name] += [(begin, int(size) / seconds), (end, int(size) / seconds)]
        over_time.axvspan(begin, end, color='#000000', alpha=0.04 * (phases.index(phase) % 2))
        over_time.annotate(phase['name'], ((begin + end) / 2, 1),
                           xycoords=('data', 'axes fraction'), ha='center', va='bottom')
        begin = end
    lines = {name: points for name, points in lines.items() if any(speed for _, speed in points)
             and (name != 'sorted' or int(report['output_bytes']))}
    unit, one = _unit(max((speed for points in lines.values() for _, speed in points), default=0))
    for name, points in lines.items():
        style = {'linestyle': '--', 'color': '#2ca02c'} if name == 'sorted' else {}
        over_time.plot([at for at, _ in points], [speed / one for _, speed in points], label=name,
                       **style)
    over_time.set(xlabel='seconds', ylabel=f'{unit}/s', xlim=(0, begin or None), ylim=(0, None))
    over_time.margins(y=0.1)
    if lines:
        over_time.legend()
    _draw_memory(memory, report)
    count = int(report['tally']['count'])
    figure.suptitle(f"{count:,} elements of {report['type']}, {_bytes(int(report['input_bytes']))} "
                    f"in {report['seconds']:.2f} s")


def _draw_memory(axes: Any, report: Told) -> None:
    below = 0.0
    for part in PARTS:
        size = int(report['memory'].get(f'{part}_bytes', 0)) / MIB
        if size > 0:
            axes.bar(0, size, bottom=below, label=part, width=0.6)
            below += size
    ceiling = int(report['plan']['memory_bytes']) / MIB
    if ceiling <= FAR * below:
        axes.axhline(ceiling, color=DISK, linestyle=':', label='ceiling')
        top = max(ceiling, below)
    else:
        axes.set_xlabel(f'ceiling: {ceiling:,.0f} MiB', fontsize=7, color=DISK)
        top = below
    axes.set(ylabel='MiB at the peak', xticks=[], xlim=(-0.6, 0.6), ylim=(0, 1.25 * top or None))
    axes.legend(loc='upper center', fontsize=7, ncols=2)


# A sort on a cluster

STEPS = {'start': 'start', 'map': 'sort the pieces', 'cut': 'find cuts',
         'reduce': 'merge the parts', 'commit': 'commit'}


def _draw_cluster(figure: Any, report: Told) -> None:
    told, axes = report['ray'], figure.subplots()
    count = int(report['tally']['count'])
    size, begin = count * int(report['element_bytes']), 0.0
    for i, name in enumerate(STEPS):
        seconds = float(told['seconds'].get(name, 0))
        if seconds <= 0:
            continue
        says = f'{seconds:.2f} s' + (f', {_bytes(size / seconds)}/s' if name in ('map', 'reduce')
                                     and size else '')
        axes.barh(i, seconds, left=begin, height=0.6)
        axes.annotate(says, (begin + seconds, i), xytext=(4, 0), textcoords='offset points',
                      va='center', fontsize=8)
        begin += seconds
    axes.set(xlabel='seconds', yticks=range(len(STEPS)), yticklabels=STEPS.values(),
             xlim=(0, 1.3 * begin))
    axes.invert_yaxis()
    axes.grid(axis='x', color='#eeeeee')
    axes.set_axisbelow(True)
    axes.set_title(f"{told['nodes']} nodes, {told['maps']} pieces, {told['parts']} parts, "
                   f"{told['again']} tasks again, "
                   f"{_bytes(int(told['net_bytes']))} between nodes", fontsize=8)
    figure.suptitle(f"{count:,} elements of {report['type']}, {_bytes(size)} in {begin:.2f} s")


# Seconds against size: name -> [(bytes, [seconds])]


def _lines_of_jobs(reports: Sequence[Told]) -> Dict[str, List[Tuple[int, List[float]]]]:
    lines: Dict[str, List[Tuple[int, List[float]]]] = {}
    for report in reports:
        if 'phases' not in report:
            raise ValueError('if there are several reports, each must be of a job (gsort '
                             '--stats=json)')
        name = f"{int(report['plan']['memory_bytes']) / MIB:g} MiB, {report['device']}"
        lines.setdefault(name, []).append((int(report['input_bytes']), [float(report['seconds'])]))
    return {name: _joined(points) for name, points in lines.items()}


def _joined(points: List[Tuple[int, List[float]]]) -> List[Tuple[int, List[float]]]:
    sizes: Dict[int, List[float]] = {}
    for size, seconds in points:
        sizes.setdefault(size, []).extend(seconds)
    return sorted(sizes.items())


def _lines_of_sizes(report: Told) -> Tuple[int, Dict[str, List[Tuple[int, List[float]]]]]:
    """Returns the lines of one report. For outofcore: one per codec, computed from GB/s, of the
    memory size with most files. For by_size.py: one per program."""
    rows = [row for row in report['results'] if 'size_bytes' in row]
    if 'memory_bytes' in report:
        memory = int(report['memory_bytes'])
    else:
        memory = statistics.mode(row['memory_bytes'] for row in rows)
        rows = [row for row in rows if row['memory_bytes'] == memory]
    lines: Dict[str, List[Tuple[int, List[float]]]] = {}
    for row in rows:
        size = row['size_bytes']
        name = (f"--compress {row['codec']}" if 'codec' in row
                else report.get('labels', {}).get(row['name'], row['name']))
        lines.setdefault(name, []).append((size, row.get('seconds')
                                           or [size / 1e9 / speed for speed in row['samples']]))
    return memory, {name: _joined(points) for name, points in lines.items()}


def _draw_sizes(figure: Any, lines: Mapping[str, Sequence[Tuple[int, Sequence[float]]]], title: str,
                memory: Optional[int],
                ceilings: Sequence[Told]) -> None:
    axes = figure.subplots()
    biggest = max(size for points in lines.values() for size, _ in points)
    unit, one = _unit(biggest)
    most, are_many = biggest / one, any(len(seconds) > 1 for points in lines.values()
                                        for _, seconds in points)
    for name, points in lines.items():
        sizes = [size / one for size, _ in points]
        middle = [statistics.median(seconds) for _, seconds in points]
        bars = [[m - min(s) for m, (_, s) in zip(middle, points)],
                [max(s) - m for m, (_, s) in zip(middle, points)]]
        axes.errorbar(sizes, middle, bars if are_many else None, marker='o', markersize=4,
                      capsize=2, label=name)
    for ceiling in ceilings:
        if ceiling['name'] in ('once', 'twice'):
            text = 'read + write' if ceiling['name'] == 'once' else '2 (read + write)'
            seconds = biggest / 1e9 / ceiling['speed']
            axes.plot([0, most], [0, seconds], linestyle='--', color=DISK)
            axes.annotate(text, (most, seconds), color=DISK, ha='right', va='bottom')
    if memory is not None:
        axes.axvline(memory / one, color=DISK, linestyle=':', label='memory')
    axes.set(xlabel=f'file size, {unit}', ylabel='seconds: median, least and most' if are_many
             else 'seconds', xlim=(0, None), ylim=(0, None), title=title)
    axes.grid(color='#eeeeee')
    axes.legend()


def _draw_scale(figure: Any, report: Told) -> None:
    by_threads, by_size = figure.subplots(1, 2)
    rows = report['results']
    all_threads = max(row['threads'] for row in rows)
    size = rows[0]['sorted_bytes']
    threads = [row for row in rows if row['sorted_bytes'] == size]
    for name, axes, found in (('threads', by_threads, threads),
                              ('sorted_bytes', by_size,
                               [row for row in rows if row['threads'] == all_threads])):
        found = sorted(found, key=lambda row: row[name])
        x = [row[name] / (1 if name == 'threads' else MIB) for row in found]
        y = [row['median'] if name == 'threads' else row['ns_per_element'] for row in found]
        axes.plot(x, y, marker='o', markersize=4)
        axes.set_xscale('log', base=2)
        axes.set_xticks(x, [f'{value:g}' for value in x])
        axes.grid(color='#eeeeee')
    alone = threads[0]['median']
    ideal = [row['threads'] for row in threads]
    by_threads.plot(ideal, [alone * count for count in ideal], linestyle='--', color=DISK,
                    label='as many times one thread')
    by_threads.set_yscale('log', base=2)
    ticks = [alone * 2 ** power for power in range(len(ideal))]
    by_threads.set_yticks(ticks, [f'{tick:.2g}' for tick in ticks])
    by_threads.set(xlabel='threads', ylabel='GB/s', title=f'{size / MIB:g} MiB in memory')
    by_threads.legend()
    by_size.set(xlabel='MiB', ylabel='ns an element', ylim=(0, None),
                title=f'{all_threads} threads')


def _draw_cases(figure: Any, report: Told) -> None:
    axes = figure.subplots()
    rows = report['results']
    names = [' '.join(str(row[key]) for key in ('name', 'part', 'engine', 'block_bytes', 'depth',
                                                'threads') if row.get(key))
             for row in rows]
    middle = [row['median'] for row in rows]
    bars = [[row['median'] - row['min'] for row in rows],
            [row['max'] - row['median'] for row in rows]]
    figure.set_size_inches(8, max(3, 0.22 * len(rows) + 1.2))
    axes.barh(range(len(rows)), middle, xerr=bars, capsize=2)
    axes.set(yticks=range(len(rows)),
             xlabel=f"{report.get('unit', 'GB/s')}: median, least and most",
             title=os.path.basename(report.get('command', 'gsort-bench')))
    axes.set_yticks(range(len(rows)), names, fontsize=7)
    axes.set_ylim(len(rows) - 0.4, -0.6)


def _read(path: str) -> Told:
    if path == '-':
        told = json.load(sys.stdin)
    else:
        with open(path, encoding='utf-8') as file:
            told = json.load(file)
    if not isinstance(told, dict):
        raise ValueError(f'{path}: this is not a report of gsort or gsort-bench')
    return told


def main(arguments: Optional[Sequence[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog='python -m libgsort.plot', description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--version', action='version', version=f'libgsort {version()}')
    parser.add_argument('reports', nargs='*', metavar='REPORT.json',
                        help="a report in JSON, or '-' for standard input")
    parser.add_argument('-o', '--output', metavar='FILE',
                        help='draw to FILE.svg or FILE.png; default: the name of the first report '
                             'with .svg')
    parser.add_argument('--can', action='store_true',
                        help='draw nothing; exit with status 0 if matplotlib is installed')
    options = parser.parse_args(arguments)
    try:
        if options.can:
            import matplotlib.figure  # noqa: F401
            return 0
        if not options.reports:
            parser.error('no report is given')
        path = options.output or os.path.splitext(options.reports[0])[0] + '.svg'
        plot([_read(report) for report in options.reports], path)
    except ImportError as error:
        print(f'libgsort.plot: {error}; pip install matplotlib', file=sys.stderr)
        return 3
    except (OSError, ValueError, KeyError, TypeError) as error:
        print(f'libgsort.plot: '
              f'{"not a report: " if isinstance(error, (KeyError, TypeError)) else ""}{error}',
              file=sys.stderr)
        return 2
    return 0


if __name__ == '__main__':
    sys.exit(main())
