"""Kills nodes, servers and the driver during a sort: the output has identical bytes or the sort fails clearly, and no file is left.

A short form runs with the other tests. GSORT_RAY_LONG=1 makes 50 runs, and kills the driver at 20 moments.
"""
import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import types
from threading import Thread

import pytest
import ray
from clustered import LONG, NODE, WATCHDOG, children_of, content, die_at_work, gen, gsort, journal_has, names_of_tasks, until

import libgsort.ray as gr
from libgsort.ray import crew, driver, keeper
from libgsort.ray.keeper import Folder

def test_every_disk_is_full__is_told_as_that(monkeypatch):
    keeper = types.SimpleNamespace(about=types.SimpleNamespace(remote=lambda: None))
    node = {'NodeID': 'ab' * 28, 'Alive': True, 'NodeManagerAddress': 'here', 'Resources': {'CPU': 4, 'memory': 1 << 40}}

    def about(answer, timeout):
        raise ray.exceptions.RayTaskError('about', '', OSError(errno.ENOSPC, 'No space left on device'))

    for name, value in {'nodes': lambda: [node], 'get': about, 'remote': lambda **_: lambda kind: types.SimpleNamespace(remote=lambda *_: keeper),
                        'kill': lambda _: None}.items():
        monkeypatch.setattr(crew.ray, name, value)
    monkeypatch.setattr(crew.time, 'sleep', lambda _: None)
    with pytest.raises(gr.GsortError, match='here: .*No space left'):
        crew.Crew(1, 1, '/full', 'sort', 'token', False).refresh()


def test_a_full_disk__is_recognized_by_the_failure_of_gsort(place):
    with open('x.u64', 'wb') as file:
        file.truncate(8 << 40)
    for output, arguments in ('out', ['x.u64']), ('/dev/full', ['--range', '0:9', 'x.u64']):
        with pytest.raises(gr.GsortError) as full:
            gr.gsort.run(gr.gsort.find(None), [*arguments, '-o', output])
        assert full.value.is_space and not full.value.is_final, full.value
    for arguments in ['none.u64'], ['--wrong', 'x.u64']:
        with pytest.raises(gr.GsortError) as other:
            gr.gsort.run(gr.gsort.find(None), [*arguments, '-o', 'out'])
        assert not other.value.is_space, other.value


RECORDS = ['-R', '16', '-k', '4:u16:desc']


@pytest.fixture(scope='module')
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp('data')
    gen('few', 'u64', 6_000_000, str(folder / 'x'))
    gsort(*RECORDS, str(folder / 'x'), '-o', str(folder / 'want'))
    return folder


class At:
    """A progress function that calls functions at moments of a sort: when a number of maps ('read') or parts ('write') is done. Other
    tasks run at these moments."""

    def __init__(self, *moments):
        self.moments, self.counts = list(moments), {}

    def __call__(self, at):
        self.counts[at.phase] = count = self.counts.get(at.phase, 0) + 1
        for moment in [moment for moment in self.moments if moment[:2] == (at.phase, count)]:
            self.moments.remove(moment)
            moment[2]()


def run(data, temp, **more):
    return gr.sort_file(str(data / 'x'), 'out', record=16, key='4:u16:desc', parts=9, memory='30M', temp=temp, **more)


def is_clean(place):
    """Waits until only the output is left. Ray may have to notice dead nodes first."""
    until(lambda: set(os.listdir(place)) == {'nodes', 'out'} & set(os.listdir(place)) and not os.listdir(place / 'nodes'))


def test_nodes_killed__identical_bytes(cluster, data, place):
    """Each node dies during a task, which is started again."""
    rng = random.Random(5)
    for case in range(int(os.environ.get('CASES', 50)) if LONG else 1):
        nodes = [cluster.add_node(**NODE) for _ in range(2)]
        cluster.wait_for_nodes()
        killed = nodes[:rng.choice([1, 2])] if LONG else nodes
        moments = [rng.choice([('read', rng.randint(1, 15)), ('write', rng.randint(1, 3))]) for _ in killed] if LONG else [('read', 3), ('write', 1)]
        deaths = [Thread(target=die_at_work, args=(cluster, node, {'read': 'gsort sort piece', 'write': 'gsort merge part'}[moment[0]]))
                  for moment, node in zip(moments, killed)]
        at = At(*((*moment, death.start) for moment, death in zip(moments, deaths)))
        temp = rng.choice([None, str(place / 'nodes')]) if LONG else str(place / 'nodes')
        report = run(data, temp, progress=at)
        print(case, 'nodes' if temp else 'shared', moments, report.ray)
        assert content('out') == content(data / 'want'), (case, moments, temp)
        assert at.moments == [] and not any(death.is_alive() for death in deaths) and report.ray['again'] >= len(killed), (case, moments, temp)
        os.unlink('out')
        is_clean(place)
        for node in nodes[len(killed):]:
            cluster.remove_node(node)


LATE = '''#!/bin/bash
# Runs gsort. A run with this word waits until it may begin. Each pipe that it reads has elements by then.
case " $* " in *"{1}"*)
    for word; do
        case $word in /dev/fd/*) until read -r -t 0 -u "${{word#/dev/fd/}}"; do sleep 0.1; done ;; esac
    done
    touch {0}/fed
    until [ -e {0}/go ]; do sleep 0.1; done ;;
esac
exec gsort "$@"
'''


@pytest.mark.parametrize('step, word', [('gsort merge part', ' -m '), ('gsort sort piece', '/map-')])
def test_a_node_falls_silent__nothing_waits_for_it(cluster, place, tmp_path_factory, monkeypatch, step, word):
    """The node is stopped, so no connection to it ends. It runs a task, or it runs none and a merge on another node reads from it."""
    import ray
    monkeypatch.setattr(crew, 'SILENCE', 3)
    monkeypatch.setattr(crew, 'STRAGGLES_LEAST', 600)  # each node sorts a piece, even a slow one
    tools, stopped = tmp_path_factory.mktemp('tools'), []
    (tools / 'gsort').write_text(LATE.format(tools, word))
    (tools / 'gsort').chmod(0o755)
    gen('few', 'u64', 24_000_000, str(tools / 'x'))  # a slice, 38 MB, must be longer than the buffers of a connection
    gsort(*RECORDS, str(tools / 'x'), '-o', str(tools / 'want'))
    nodes = {node.all_processes['raylet'][0].process.pid: node for node in [cluster.add_node(**NODE) for _ in range(2)]}
    cluster.wait_for_nodes()
    is_merge = step == 'gsort merge part'

    def at_work():
        return nodes.keys() & {parent for parent, name in names_of_tasks().values() if name == step}

    def stop():
        until(lambda: step in [name for _, name in names_of_tasks().values()] if is_merge else at_work())
        until((tools / 'fed').exists)
        raylet = (nodes.keys() - at_work() if is_merge else at_work()).pop()
        stopped.extend([raylet, *children_of(raylet)])
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP)
        (tools / 'go').touch()

    thread = Thread(target=stop)
    thread.start()
    try:
        report = gr.sort_file(str(tools / 'x'), 'out', record=16, key='4:u16:desc', parts=1, memory='200M', temp=str(place / 'nodes'),
                              program=str(tools / 'gsort'))
        assert content('out') == content(tools / 'want')
        assert report.ray['nodes'] == 4 and report.ray['again'] == (not is_merge), report.ray
    finally:
        thread.join()
        for pid in stopped[1:]:
            os.kill(pid, signal.SIGKILL)
        for node in nodes.values():
            cluster.remove_node(node, allow_graceful=False)
        until(lambda: sum(node['Alive'] for node in ray.nodes()) == 3)  # the next sort counts them
    os.unlink('out')
    is_clean(place)


def keepers():
    """Processes of Flight servers."""
    found = []
    for pid in filter(str.isdigit, os.listdir('/proc')):
        try:
            with open(f'/proc/{pid}/cmdline', 'rb') as file:
                if file.read().startswith(b'ray::Keeper'):
                    found.append(int(pid))
        except OSError:
            pass
    return found


def test_servers_killed__identical_bytes(cluster, data, place):
    for moment in [('read', 1), ('read', 20), ('write', 1), ('write', 3)] if LONG else [('write', 1)]:
        at = At((*moment, lambda: os.kill(keepers()[0], signal.SIGKILL)))
        report = run(data, str(place / 'nodes'), progress=at)
        assert content('out') == content(data / 'want'), moment
        assert at.moments == [] and report.ray['again'] > 0, moment
        os.unlink('out')
        is_clean(place)


def start(cluster, data, *more):
    return subprocess.Popen([sys.executable, '-m', 'libgsort.ray', 'sort', str(data / 'x'), '-o', 'out', *RECORDS, '--parts', '9', '--memory', '30M',
                             '--address', cluster.address, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_driver_killed__resume_goes_on(cluster, data, place):
    rng = random.Random(3)
    gsort(*RECORDS, '-u', '--count', str(data / 'x'), '-o', str(data / 'counts'))
    for case in range(20 if LONG else 1):
        options = ['--resume', *(['--temp', str(place / 'nodes')] if case % 2 == 0 else []), *(['-u', '--count'] if case % 4 < 2 else [])]
        program = start(cluster, data, *options)
        until(lambda: journal_has(b'"map"') or program.poll() is not None)
        if LONG:
            time.sleep(rng.uniform(0, 3))  # any moment will do
        program.kill()
        program.communicate()
        until(lambda: not keepers())
        if not os.path.exists('out') or os.path.exists('out.gsort-ray'):
            program = start(cluster, data, *options)
            err = program.communicate()[1]
            assert program.returncode == 0, err
        assert content('out') == content(data / ('counts' if case % 4 < 2 else 'want'))
        os.unlink('out')
        is_clean(place)


def test_driver_killed_behind_its_commit__the_output_stays(cluster, place, monkeypatch):
    gen('uniform', 'u64', 10_000, 'x.u64')
    gsort('x.u64', '-o', 'want.u64')
    options = {'temp': str(place / 'nodes'), 'resume': True}
    with monkeypatch.context() as dies:
        dies.setattr(driver.Driver, 'end', lambda self, is_done, resume: (self.crew.close(True), self.journal.close()))
        gr.sort_file('x.u64', 'out.u64', **options)
    assert content('out.u64') == content('want.u64') and os.path.exists('out.u64.gsort-ray')
    assert gr.sort_file('x.u64', 'out.u64', **options).count == 10_000
    assert content('out.u64') == content('want.u64') and not os.path.exists('out.u64.gsort-ray')


@pytest.mark.parametrize('output, spoilt', [('out.u64', 'out.u64'), ('out/', 'out/part-00002.u64')])
def test_driver_killed_behind_its_commit__an_output_that_changed__is_told(cluster, place, monkeypatch, output, spoilt):
    gen('uniform', 'u64', 10_000, 'x.u64')
    with monkeypatch.context() as dies:
        dies.setattr(driver.Driver, 'end', lambda self, is_done, resume: (self.crew.close(True), self.journal.close()))
        gr.sort_file('x.u64', output, parts=2, resume=True)
    if output == spoilt:  # in its place
        with open(spoilt, 'r+b') as file:
            file.write(b'8 bytes.')
    else:
        os.unlink(spoilt)
    with pytest.raises(gr.GsortError, match=f"wrote it, but it was removed or replaced since; remove '.*{output.rstrip('/')}.gsort-ray'"):
        gr.sort_file('x.u64', output, parts=2, resume=True)


def test_driver_killed_or_stopped__without_resume__nothing_left(cluster, data, place):
    with open('out', 'w') as file:
        file.write('old')
    for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM) if LONG else (signal.SIGKILL, signal.SIGTERM):
        for temp in ([], ['--temp', str(place / 'nodes')]) if LONG else (['--temp', str(place / 'nodes')],):
            program = start(cluster, data, *temp)
            until(lambda: journal_has(b'"map"'))
            program.send_signal(number)
            err = program.communicate()[1]
            assert program.returncode == (-9 if number == signal.SIGKILL else 130), err
            assert content('out') == b'old'
            is_clean(place)


FULL = '''#!/bin/bash
# gsort, but the disk of the first node that comes is full.
for word in "$@"; do
    case $word in */gsort-ray-*/map-*)
        [ -e {0}/full ] || (set -C; echo "${{word%/*}}" >{0}/full) 2>/dev/null
        if [ "${{word%/*}}" = "$(cat {0}/full)" ]; then
            echo "gsort: '$word': cannot hold 8000000 bytes: No space left on device" >&2
            exit 3
        fi ;;
    esac
done
exec gsort "$@"
'''


def test_a_full_disk__other_nodes_take_it(cluster, data, place, tmp_path_factory):
    tools = tmp_path_factory.mktemp('tools')
    (tools / 'gsort').write_text(FULL.format(tools))
    (tools / 'gsort').chmod(0o755)
    run(data, str(place / 'nodes'), program=str(tools / 'gsort'))
    assert content('out') == content(data / 'want') and (tools / 'full').exists()
    is_clean(place)


FAILING = '''#!/bin/bash
# gsort, but the second piece cannot be sorted three times, and the first part not be merged three times.
case "$*" in
    *map-00001*) step=sort ;;
    *"--part 1/"*) step=merge ;;
    *) exec gsort "$@" ;;
esac
for i in 1 2 3; do
    ! mkdir {0}/$step-$i 2>/dev/null || { echo "gsort: not yet" >&2; exit 3; }
done
exec gsort "$@"
'''


def test_a_task_of_each_step_fails_three_times__the_fourth_counts(cluster, data, place, tmp_path_factory):
    tools = tmp_path_factory.mktemp('tools')
    (tools / 'gsort').write_text(FAILING.replace('{0}', str(tools)))
    (tools / 'gsort').chmod(0o755)
    report = run(data, None, program=str(tools / 'gsort'))
    assert content('out') == content(data / 'want') and report.ray['again'] == 6


# A node whose temporary folder is a disk of its own, which is full as soon as a sorted file is there.
SMALL = '''mount -t tmpfs -o size=24m small "$0/nodes" && touch "$0/mounted" || exit 1
(until ls "$0"/nodes/gsort-ray-*/map-*; do sleep 0.01; done; cat /dev/zero; touch "$0/filled") >"$0/nodes/fill" 2>/dev/null &
exec "$1" -m ray.scripts.scripts start --address "$2" --num-cpus 1 --resources '{"small": 1}' --object-store-memory 100000000 --block'''

SLOW = '''#!/bin/bash
# gsort, but the first task with the second map waits for the end of the test, or ten minutes.
case "$*" in *map-00001*)
    if mkdir {0}/slow 2>/dev/null; then
        for ((i = 0; i < 6000; i++)); do [ ! -e {0}/end ] || exit 1; sleep 0.1; done
        touch {0}/late
    fi ;;
esac
exec gsort "$@"
'''


if LONG:
    def test_a_disk_that_fills_up__other_nodes_take_it(cluster, data, place):
        import ray
        node = subprocess.Popen(['unshare', '-m', 'bash', '-c', SMALL, str(place), sys.executable, cluster.address], stdout=subprocess.DEVNULL)
        try:
            until(lambda: ray.cluster_resources().get('small', 0) == 1)
            report = run(data, str(place / 'nodes'))
            assert content('out') == content(data / 'want') and report.ray['nodes'] == 4
            assert report.ray['again'] > 0 and os.path.exists('filled')
            assert os.listdir(f'/proc/{node.pid}/root{place}/nodes') == ['fill']
        finally:
            node.terminate()
            node.wait()
            until(lambda: 'small' not in ray.cluster_resources())

    def test_a_task_that_hangs__a_copy_of_it_is_done(cluster, data, place, tmp_path_factory):
        tools = tmp_path_factory.mktemp('tools')
        (tools / 'gsort').write_text(SLOW.format(tools))
        (tools / 'gsort').chmod(0o755)
        run(data, str(place / 'nodes'), program=str(tools / 'gsort'))
        assert content('out') == content(data / 'want') and (tools / 'slow').exists() and not (tools / 'late').exists()
        (tools / 'end').touch()
        is_clean(place)


WAITS = '''#!/bin/bash
# gsort, but statistics and a sort of a range take an hour.
case "$*" in *--stats-only*|*--range*data*) touch {0}/waits; sleep 3600 ;; esac
exec gsort "$@"
'''


EXPLAIN = ['sort', '-o', 'out', '--explain', '--temp', 'nodes']


@pytest.mark.parametrize('words', [['stats'], EXPLAIN] if LONG else [['stats']])
def test_a_question_is_stopped__nothing_left(cluster, data, place, tmp_path_factory, monkeypatch, words):
    tools = tmp_path_factory.mktemp('tools')
    (tools / 'gsort').write_text(WAITS.format(tools))
    (tools / 'gsort').chmod(0o755)
    monkeypatch.setenv('GSORT', str(tools / 'gsort'))
    words = [str(place / word) if word == 'nodes' else word for word in words]
    program = subprocess.Popen([sys.executable, '-m', 'libgsort.ray', *words, str(data / 'x'), *RECORDS, '--address', cluster.address],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until((tools / 'waits').exists)
    program.send_signal(signal.SIGINT)
    out, err = program.communicate(timeout=WATCHDOG)
    assert program.returncode == 130 and not out, err
    is_clean(place)


def test_a_job_that_cannot_be_done__a_line_and_nothing_left(cluster, data, place, tmp_path_factory):
    tools = tmp_path_factory.mktemp('tools')
    (tools / 'gsort').write_text('#!/bin/bash\nfor word; do [ "$word" != --part ] || { echo "gsort: broken" >&2; exit 3; }; done\nexec gsort "$@"\n')
    (tools / 'gsort').chmod(0o755)
    with pytest.raises(gr.GsortError, match='broken'):
        run(data, None, program=str(tools / 'gsort'))
    is_clean(place)


STEPS = '''#!/bin/sh
# A command of a folder's watch, which says when it begins and ends, and may have to wait between.
name=${{0##*/}}
: >"{0}/$WATCH.$name.began"
until [ -e "{0}/$WATCH.$name.go" ]; do /bin/sleep 0.01; done
PATH={1}
[ $name = sleep ] || $name "$@"
status=$?
: >"{0}/$WATCH.$name.ended"
exit $status
'''


@pytest.fixture
def steps(tmp_path, monkeypatch):
    """Returns a folder in which the commands of watches note their progress."""
    for name in ('flock', 'rm', 'sleep'):
        (tmp_path / 'bin').mkdir(exist_ok=True)
        (tmp_path / 'bin' / name).write_text(STEPS.format(tmp_path, os.environ['PATH']))
        (tmp_path / 'bin' / name).chmod(0o700)
    monkeypatch.setenv('PATH', f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    return tmp_path


def test_a_folder_is_taken_while_the_last_watch_removes_it__it_is_made_anew(steps, monkeypatch):
    """The watch of an ended owner checks the folder again after 2 s. The next owner has created the folder, but not locked it yet."""
    folder = steps / 'out.gsort-ray'

    def wait(_):
        (steps / 'last.rm.go').touch()
        until((steps / 'last.rm.ended').exists)
    (steps / 'last.flock.go').touch()
    Folder(str(folder), False, told={'WATCH': 'last'}).remove()
    until((steps / 'last.sleep.began').exists)
    folder.mkdir()
    (steps / 'last.sleep.go').touch()
    until((steps / 'last.rm.began').exists)
    monkeypatch.setattr(keeper, 'time', types.SimpleNamespace(sleep=wait))  # which it does while the watch has the lock
    taken = Folder(str(folder), True)
    assert (folder / 'lock').exists() and (steps / 'last.rm.ended').exists()
    taken.remove()


def test_a_folder_is_taken_while_a_watch_waits_for_the_owner_between__it_stays(steps):
    """The watch of the first owner waits for the lock of a folder that is gone meanwhile."""
    folder = steps / 'out.gsort-ray'

    def own(name, *ready):
        for command in ready:
            (steps / f'{name}.{command}.go').touch()
        return Folder(str(folder), False, told={'WATCH': name})
    first = own('first', 'flock', 'rm')
    shutil.rmtree(folder)
    between = own('between', 'flock', 'rm', 'sleep')
    first.release()
    until((steps / 'first.flock.began').exists)  # it has opened the lock of the one between
    between.remove()
    taken = own('taken', 'flock', 'rm', 'sleep')
    until((steps / 'first.sleep.began').exists)  # it has looked
    assert (folder / 'lock').exists()
    (steps / 'first.sleep.go').touch()
    taken.remove()
