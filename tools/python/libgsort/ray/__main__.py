"""python -m libgsort.ray sort|merge|stats|quantiles|check: gsort on a Ray cluster."""
from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from typing import Any, List, Optional, Sequence


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog='python -m libgsort.ray', description='Sorts files past one machine, on a Ray cluster.')
    verbs = parser.add_subparsers(dest='verb', required=True, metavar='VERB')
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument('inputs', nargs='+', metavar='INPUT', help='files that all nodes see, or s3://bucket/key; * ? [ make it a pattern')
    common.add_argument('-t', '--type', help='of the elements; default as gsort: from the name')
    common.add_argument('-R', '--record', type=int, default=0, metavar='N', help='records of N bytes')
    common.add_argument('-k', '--key', dest='keys', action='append', default=[], metavar='OFF:TYPE[:desc]', help='repeatable')
    common.add_argument('--header', type=int, default=0, metavar='N', help='N bytes before the elements of each file')
    common.add_argument('--raw', action='store_true', help='no format is recognised')
    common.add_argument('--memory', default='1G', metavar='SIZE', help='of each task (default 1G)')
    common.add_argument('--threads', type=int, default=1, metavar='N', help='of each task (default 1)')
    common.add_argument('--address', help='of the cluster; default the one that there is, else one on this machine')
    common.add_argument('--local-nodes', type=int, default=0, metavar='N', help='start a cluster of N nodes of 1 processor on this machine, for a first look')
    common.add_argument('-q', '--quiet', action='store_true', help='no progress and no report')
    ordered = argparse.ArgumentParser(add_help=False)
    ordered.add_argument('-r', '--reverse', action='store_true', help='largest first')
    for verb, text in ('sort', 'sorts files'), ('merge', 'merges files that are sorted already'):
        made = verbs.add_parser(verb, help=text, parents=[common, ordered], description=f'{text[0].upper()}{text[1:]}.')
        made.add_argument('-o', '--output', required=True, help='a file; a folder of parts if it ends in /; or s3://bucket/key')
        made.add_argument('--parts', type=int, default=0, metavar='N', help='that are merged at the same time; default from the size')
        made.add_argument('--work', metavar='DIR', help="where the folder for journal and sorted files is made; default beside the output")
        made.add_argument('-u', '--unique', action='store_true', help='one element of each group of equal keys')
        made.add_argument('--keep', default='first', metavar='WHICH', help="of a group: as gsort's; also --group, --count, --sum-wide")
        made.add_argument('--group', type=int, default=0, metavar='N', help='the first N keys make a group')
        made.add_argument('--count', dest='counts', action='store_true', help='write how many a group had behind it')
        for fold in 'sum', 'min', 'max':
            made.add_argument(f'--{fold}', action='append', default=[], metavar='FIELD', help=f'a field becomes its {fold} over the group; repeatable')
        made.add_argument('--sum-wide', action='store_true', help='write sums behind the records')
        made.add_argument('--top', type=int, metavar='K', help='only the first K elements')
        made.add_argument('--split', type=int, default=0, metavar='N', help='N files, equally long; the output is a pattern as out.%%03d')
        made.add_argument('--split-at', type=lambda text: text.split(','), metavar='V[,V]...', help='a file begins at each value')
        made.add_argument('--zstd', dest='zstd_level', type=int, nargs='?', const=1, default=0, metavar='LEVEL', help='pack the output')
        made.add_argument('--resume', action='store_true', help='keep what is done if the driver dies, and go on with what was kept')
        made.add_argument('--explain', action='store_true', help='print the plan and its time, by rates that the nodes measure; and stop')
        if verb == 'sort':
            made.add_argument('--temp', metavar='DIR', help="on each node's own disk, for sorted files; default beside the output")
            made.add_argument('--where', action='append', default=[], metavar='CONDITION', help="as gsort's; repeatable")
    verbs.add_parser('stats', help='count, minimum, maximum and sum', parents=[common], description='Counts and adds up.')
    made = verbs.add_parser('quantiles', help='of sorted files, without a merge', parents=[common, ordered], description='Exact quantiles of sorted files.')
    made.add_argument('-p', required=True, metavar='P[,P]...', help='decimals from 0 to 1, or median')
    verbs.add_parser('check', help='whether a file is sorted', parents=[common, ordered], description='Checks that a file is sorted.')
    return parser


def _stop(number: int, frame: Any) -> None:
    """The first signal ends the sort within a second, the second one whatever is at work."""
    from . import crew
    if crew.stop.is_set():
        raise KeyboardInterrupt
    crew.stop.set()


def _cluster(nodes: int) -> Any:
    from ray.cluster_utils import Cluster
    made = Cluster(initialize_head=True, head_node_args={'num_cpus': 1, 'object_store_memory': 100 << 20})
    for _ in range(nodes - 1):
        made.add_node(num_cpus=1, object_store_memory=100 << 20)
    made.wait_for_nodes()
    return made


def _run(given: argparse.Namespace) -> int:
    from . import merge, queries, sort
    options = {name: value for name, value in vars(given).items()
               if name not in ('verb', 'inputs', 'quiet', 'local_nodes', 'address', 'p', 'output')}
    if given.verb == 'check':
        said = queries.check(given.inputs, **options)
        if said is not None:
            print(said, file=sys.stderr)
        return 1 if said is not None else 0
    if given.verb in ('stats', 'quantiles'):
        told = queries.stats(given.inputs, **options) if given.verb == 'stats' else queries.quantiles(given.inputs, given.p.split(','), **options)
    else:
        verb = merge if given.verb == 'merge' else sort
        values = options.pop('split_at')
        if values and options['split']:
            raise ValueError('--split and --split-at exclude each other')
        options['split'] = values or options['split']
        told = verb(given.inputs, given.output, address=given.address, progress=sys.stderr.isatty() and not given.quiet, **options)
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
        if threading.current_thread() is threading.main_thread():  # ray.init has taken signals, and these are ours
            signal.signal(signal.SIGTERM, _stop)
            signal.signal(signal.SIGINT, _stop)
        return _run(given)
    except KeyboardInterrupt:
        return 130
    except (RuntimeError, ValueError, OSError) as error:
        print(f'libgsort.ray: {error}', file=sys.stderr)
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
