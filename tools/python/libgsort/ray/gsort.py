"""The program gsort as a child: its report, its failures, and its end when the worker ends."""
from __future__ import annotations

import contextlib
import difflib
import errno
import json
import os
import shutil
import subprocess

from ..errors import Error, file_error, type_error
from ..table import row_of, texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

    Report = Dict[str, Any]

# Options that gsort is told as they are: what the elements are, which of them, what is written of them, and what a task may take.
ORDER = ('type', 'record', 'key', 'reverse', 'header', 'raw')
WHERE = ('where',)
WRITTEN = ('unique', 'keep', 'group', 'count', 'sum', 'min', 'max', 'sum_wide', 'top')
FORM = ('split', 'split_at', 'zstd')
TASK = ('memory', 'parallel')
WORDS = ('dtype', 'parts', 'temp', 'resume', 'work', 'address', 'program', 'progress', 'explain', 'filesystem',
         'storage_options')  # of sort_file itself
OPTIONS = (*ORDER, *WHERE, *WRITTEN, *FORM, *TASK)

# What joined reports and the driver never ask for, and what takes the room.
DROPPED = ('phases', 'memory', 'plan', 'histogram', 'quantiles', 'device_note', 'engine_note')


# Texts of gsort's messages about a full file system: of ENOSPC, of EDQUOT, and of its own check.
FULL = ('No space left', 'quota exceeded', 'make room')


class GsortError(Error, RuntimeError):
    """gsort failed on a node.

    text: the message
    code: the exit status
    is_final: gsort would fail again on any node
    is_space: a file system is full. The exit status 3 includes other failures, so the text decides
    """

    def __init__(self, text: str, code: int) -> None:
        super().__init__(text, code)
        self.code = code

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        return str(self.args[0])

    @property
    def is_final(self) -> bool:
        return self.code in (1, 2)

    @property
    def is_space(self) -> bool:
        return self.code == 3 and any(text in self.text for text in FULL)


def changed(path: str) -> GsortError:
    return GsortError(f"'{path}': has changed since the sort began", 4)


def find(program: Optional[str]) -> str:
    """The program: as given, GSORT of the environment, that of the wheel, or from PATH."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    named = program or os.environ.get('GSORT')
    found = shutil.which(named) if named else shutil.which(os.path.join(package, 'gsort')) or shutil.which('gsort')
    if found is None:
        raise file_error(errno.ENOENT, 'the program gsort is not in PATH; install it, or set GSORT to its path')
    return os.path.abspath(found)


def given(options: Mapping[str, Any]) -> Dict[str, Any]:
    """By the names of the table; what is None is not given."""
    found = {row_of(name).name.decode().replace('-', '_'): value for name, value in options.items() if value is not None}
    for name in found:
        if name not in OPTIONS:
            near = difflib.get_close_matches(name, (*OPTIONS, *WORDS), 1)
            raise type_error(f"'{name}' is not an option here" + (f'; did you mean {near[0]}?' if near else f"; options are: {', '.join((*OPTIONS, *WORDS))}"))
    return found


def texts(options: Mapping[str, Any], name: str) -> Tuple[str, ...]:
    """The value of an option, as a job takes it; (): it is not given."""
    value = options.get(name)
    return () if value is None else tuple(map(os.fsdecode, texts_of(row_of(name), value)))


def words(options: Mapping[str, Any], names: Sequence[str]) -> Tuple[str, ...]:
    """Those of `names` that are given, as the program takes them."""
    found: List[str] = []
    for name in names:
        row, word, told = row_of(name), '--' + name.replace('_', '-'), texts(options, name)
        for text in (','.join(told),) if row.is_split and told else told:
            if not row.alone:
                found += word, text
            elif text != 'false':
                found.append(word if text == 'true' else f'{word}={text}')
    return tuple(found)


def tuning(memory: object, threads: int) -> Sequence[str]:
    """What a task may take of its node."""
    return '--memory', str(memory), '--parallel', str(threads), '--device', 'cpu'


def command(program: str, arguments: Sequence[str]) -> Sequence[str]:
    """With setpriv (util-linux) it dies with the worker that started it."""
    guard = shutil.which('setpriv')
    return [*([guard, '--pdeathsig', 'KILL'] if guard else []), program, *arguments]


def run(program: str, arguments: Sequence[str], *, stdin: Optional[int] = None, stdout: Union[int, IO[bytes], None] = None,
        pass_fds: Sequence[int] = (), beside: Optional[Callable[[subprocess.Popen[bytes]], None]] = None) -> Report:
    """Runs gsort and returns its report.

    stdout: None: it writes to a file; a descriptor: there; PIPE: `beside` reads it
    beside: is given the process, feeds and reads it, and returns when its pipes are done with
    """
    child = subprocess.Popen(command(program, [*arguments, '--stats=json']), stdin=stdin if stdin is not None else subprocess.DEVNULL,
                             stdout=subprocess.PIPE if stdout is None else stdout, stderr=subprocess.PIPE, pass_fds=pass_fds)
    try:
        if beside is not None:
            beside(child)
        if child.stdin is not None and not child.stdin.closed:
            with contextlib.suppress(BrokenPipeError):  # it has ended, and says why
                child.stdin.close()
        child.stdin = None
        assert child.stderr is not None
        if stdout is None:
            out, err = child.communicate()
        else:
            out, err = child.stderr.read(), b''
            child.wait()
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
        for stream in (child.stdout, child.stderr):
            if stream is not None:
                stream.close()
    text = out.decode(errors='replace')
    if child.returncode != 0:
        lines = (err.decode(errors='replace') + text).strip().splitlines()
        said = [line for line in lines if line.startswith('gsort:')]
        raise GsortError((said or lines or [f'{program}: ended by {child.returncode}'])[-1], child.returncode)
    report: Report = json.loads(text[text.index('{'):text.rindex('}') + 1])
    return {name: value for name, value in report.items() if name not in DROPPED}


def ask(program: str, arguments: Sequence[str], data: bytes = b'') -> str:
    """What gsort prints, and nothing is written."""
    told = subprocess.run(command(program, arguments), input=data, capture_output=True, check=False)
    if told.returncode != 0:
        raise GsortError(told.stderr.decode(errors='replace').strip() or f'gsort {arguments[0]}: ended by {told.returncode}', told.returncode)
    return told.stdout.decode()


def find_first(program: str, what: Sequence[str], value: str) -> int:
    """The first place of a value, or of a range of them, in a sorted file."""
    return int(ask(program, [f'--find={value}', '-q', *what]).partition(':')[0])


def join(program: str, reports: Sequence[str]) -> Report:
    """The report of the whole, of reports as JSON texts; what does not add up is a GsortError."""
    whole: Report = json.loads(ask(program, ['--join-reports'], '\n'.join(reports).encode()))
    return whole
