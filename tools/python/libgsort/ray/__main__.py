"""python -m libgsort.ray sort|merge|stats|quantiles|check: runs gsort on a Ray cluster."""
from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from typing import Any, Dict, List, Mapping, Optional, Sequence

from .._c import version
from ..keywords import ROWS, row_of
from . import gsort


def _add(parser: Any, names: Sequence[str]) -> None:
    """Adds options of gsort from its table."""
    for name in names:
        row = row_of(name)
        words = ['-' + row.letter.decode()] if row.letter != b'\0' else []
        words += ['--' + word.replace('_', '-') for word, other in ROWS.items() if other is row]
        how: Dict[str, Any] = ({'action': 'store_true'} if row.argument is None
                               else {'metavar': row.argument.decode()})
        if row.argument in (b'N', b'[=LEVEL]'):
            how['type'] = int
        if row.argument is not None and row.alone is not None:
            how.update(nargs='?', const=True, metavar=how['metavar'].strip('[=]'))
        if row.is_split:
            how['type'] = lambda text: text.split(',')
        elif row.is_list:
            how['action'] = 'append'
        parser.add_argument(*words, dest=name, default=None,
                            help=' '.join(row.help.decode().split()).replace('%', '%%'), **how)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='python -m libgsort.ray',
                                     description='Sorts files on a Ray cluster.')
    parser.add_argument('--version', action='version', version=f'libgsort {version()}')
    verbs = parser.add_subparsers(dest='verb', required=True, metavar='VERB')
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument('inputs', nargs='+', metavar='INPUT',
                        help='files that all nodes see, or s3://, gs:// and others; * ? [ make a '
                             'pattern')
    _add(common, [name for name in gsort.ORDER if name != 'reverse'])
    task = common.add_argument_group('each task', 'Default: 1G and one thread.')
    _add(task, gsort.TASK)
    common.add_argument('--address',
                        help='address of the cluster; default: the cluster that runs, or else a '
                             'new one on this machine')
    common.add_argument('--local-nodes', type=int, default=0, metavar='N',
                        help='start a cluster of N nodes with 1 processor each on this machine, to '
                             'try it out')
    common.add_argument('-q', '--quiet', action='store_true',
                        help='print no progress and no report')
    ordered = argparse.ArgumentParser(add_help=False)
    _add(ordered, ['reverse'])
    for verb, text in ('sort', 'sorts files'), ('merge', 'merges sorted files'):
        made = verbs.add_parser(verb, help=text, parents=[common, ordered],
                                description=f'{text[0].upper()}{text[1:]}.')
        made.add_argument('-o', '--output', required=True,
                          help='a file that all nodes see, or a folder of parts if it ends in /; '
                               'or s3://, gs:// and others')
        made.add_argument('--parts', type=int, default=0, metavar='N',
                          help='merge N parts at the same time; default: from the size')
        made.add_argument('--work', metavar='DIR',
                          help="make the folder for the journal and sorted files in DIR; default: "
                               "beside the output")
        made.add_argument('--resume', action='store_true',
                          help='keep finished work if the driver dies, and continue with work that '
                               'was kept')
        made.add_argument('--explain', action='store_true',
                          help='print the plan and its duration, by rates that the nodes measure, '
                               'without sorting')
        if verb == 'sort':
            made.add_argument('--temp', metavar='DIR',
                              help="write sorted files to DIR on each node's own disk; default: "
                                   "beside the output")
        _add(made, [*gsort.WRITTEN, *gsort.FORM, *(gsort.WHERE if verb == 'sort' else ())])
    verbs.add_parser('stats', help='prints count, minimum, maximum and sum', parents=[common],
                     description='Prints count, minimum, maximum and sum.')
    made = verbs.add_parser('quantiles', help='prints exact quantiles of sorted files',
                            parents=[common, ordered],
                            description='Prints exact quantiles of sorted files, without a merge.')
    made.add_argument('-p', required=True, metavar='P[,P]...',
                      help='numbers from 0 to 1, or median')
    verbs.add_parser('check', help='checks that files are sorted', parents=[common, ordered],
                     description='Checks that a file is sorted.')
    return parser


def _stop(number: int, frame: Any) -> None:
    """Handles a signal. The first one ends the sort within a second; the second one ends any work
    at once."""
    from . import crew
    if crew.stop.is_set():
        raise KeyboardInterrupt
    crew.stop.set()


def _cluster(nodes: int) -> Any:
    from ray.cluster_utils import Cluster
    made = Cluster(initialize_head=True,
                   head_node_args={'num_cpus': 1, 'object_store_memory': 100 << 20})
    for _ in range(nodes - 1):
        made.add_node(num_cpus=1, object_store_memory=100 << 20)
    made.wait_for_nodes()
    return made


def _run(given: argparse.Namespace) -> int:
    from . import merge, queries, sort_file
    options = {name: value for name, value in vars(given).items()
               if value is not None and name not in ('verb', 'inputs', 'quiet', 'local_nodes',
                                                     'address', 'p', 'output')}
    if given.verb == 'check':
        said = queries.check(given.inputs, **options)
        if said is not None:
            print(said, file=sys.stderr)
        return 1 if said is not None else 0
    told: Mapping[str, Any]
    if given.verb in ('stats', 'quantiles'):
        told = (queries.stats(given.inputs, **options) if given.verb == 'stats'
                else queries.quantiles(given.inputs, given.p.split(','), **options))
    else:
        verb = merge if given.verb == 'merge' else sort_file
        told = verb(given.inputs, given.output, address=given.address, progress=sys.stderr.isatty()
                    and not given.quiet, **options).details
        told = told['ray'] if given.explain else told
    if not given.quiet:
        print(json.dumps(told, indent=2))
    return 0


def main(arguments: Optional[Sequence[str]] = None) -> int:
    given = _parser().parse_args(arguments)
    from ray.exceptions import RayError

    from . import connect
    cluster: List[Any] = []
    try:
        if given.local_nodes:
            cluster.append(_cluster(given.local_nodes))
            given.address = cluster[0].address
        connect(given.address)
        # ray.init has set handlers for signals
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, _stop)
            signal.signal(signal.SIGINT, _stop)
        return _run(given)
    except KeyboardInterrupt:
        return 130
    except (RuntimeError, ValueError, OSError) as error:
        print(f"libgsort.ray: {getattr(error, 'as_typed', None) or error}", file=sys.stderr)
        code = getattr(error, 'code', 2)
        return code if isinstance(code, int) and code > 0 else 2
    except RayError as error:
        print(f'libgsort.ray: {str(error).splitlines()[0]}', file=sys.stderr)
        return 2
    finally:
        if cluster:
            import ray
            ray.shutdown()
            cluster[0].shutdown()


if __name__ == '__main__':
    sys.exit(main())
