"""Runs the program gsort as a child process, which ends with the worker. Returns its report, or
raises its failure."""
from __future__ import annotations

import difflib
import errno
import json
import os
import shutil
import subprocess

from ..errors import Error, file_error, type_error
from ..keywords import row_of, texts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

    Report = Dict[str, Any]

# Options that are passed to gsort unchanged. They define the elements (ORDER), select them (WHERE),
# define what is written (WRITTEN) and in which form (FORM), and limit each task (TASK).
ORDER = ('type', 'record', 'key', 'reverse', 'header', 'raw')
WHERE = ('where',)
WRITTEN = ('unique', 'keep', 'group', 'count', 'sum', 'min', 'max', 'sum_wide', 'top')
FORM = ('split', 'split_at', 'zstd')
TASK = ('memory', 'parallel')
WORDS = ('dtype', 'parts', 'temp', 'resume', 'work', 'address', 'program', 'progress', 'explain',
         'filesystem',
         'storage_options')  # arguments of sort_file that are not options of gsort
OPTIONS = (*ORDER, *WHERE, *WRITTEN, *FORM, *TASK)

# Parts of a report that neither joined reports nor the driver use. They are large.
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
    """Returns the path of the program: as given, or else of $GSORT, or else of the wheel, or else
    in PATH. Raises a FileError if there is none."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    named = program or os.environ.get('GSORT')
    found = (shutil.which(named) if named else shutil.which(os.path.join(package, 'gsort'))
             or shutil.which('gsort'))
    if found is None:
        raise file_error(errno.ENOENT,
                         'the program gsort is not in PATH; install it, or set GSORT to its path')
    return os.path.abspath(found)


def given(options: Mapping[str, Any]) -> Dict[str, Any]:
    """Returns the options that are not None, by their main names. Raises a TypeError for an option
    that clusters do not have."""
    found = {row_of(name).name.decode().replace('-', '_'): value for name, value in options.items()
             if value is not None}
    for name in found:
        if name not in OPTIONS:
            near = difflib.get_close_matches(name, (*OPTIONS, *WORDS), 1)
            raise type_error(f"'{name}' is not an option here"
                             + (f'; did you mean {near[0]}?' if near
                                else f"; options are: {', '.join((*OPTIONS, *WORDS))}"))
    return found


def texts(options: Mapping[str, Any], name: str) -> Tuple[str, ...]:
    """Returns the values of an option as texts, as a job takes them. (): the option is not
    given."""
    value = options.get(name)
    return () if value is None else tuple(map(os.fsdecode, texts_of(row_of(name), value)))


def words(options: Mapping[str, Any], names: Sequence[str]) -> Tuple[str, ...]:
    """Returns the given options among `names` as arguments of the program."""
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
    """Returns gsort's arguments that limit the memory and threads of a task."""
    return '--memory', str(memory), '--parallel', str(threads), '--device', 'cpu'


def command(program: str, arguments: Sequence[str]) -> Sequence[str]:
    """Returns the command line of gsort. With setpriv (util-linux), gsort dies with the worker that
    started it."""
    guard = shutil.which('setpriv')
    return [*([guard, '--pdeathsig', 'KILL'] if guard else []), program, *arguments]


def run(program: str, arguments: Sequence[str], *, stdin: Optional[int] = None,
        stdout: Union[int, IO[bytes], None] = None,
        pass_fds: Sequence[int] = (),
        beside: Optional[Callable[[subprocess.Popen[bytes]], None]] = None) -> Report:
    """Runs gsort and returns its report. Raises a GsortError if it fails.

    stdout: None: gsort writes to a file; a descriptor: gsort writes there; PIPE: `beside` reads the
        output
    beside: is called with the process; feeds and reads it, and returns when it does not need the
        pipes any more
    """
    with subprocess.Popen(command(program, [*arguments, '--stats=json']),
                          stdin=subprocess.DEVNULL if stdin is None else stdin,
                          stdout=subprocess.PIPE if stdout is None else stdout,
                          stderr=subprocess.PIPE, pass_fds=pass_fds) as child:
        try:
            if beside is not None:
                beside(child)
            out, err = child.communicate()
        except BaseException:
            child.kill()
            child.communicate()  # closes its input, to which bytes may be due
            raise
    if child.returncode != 0:
        lines = err.decode(errors='replace').strip().splitlines()
        said = [line for line in lines if line.startswith('gsort:')]
        raise GsortError((said or lines or [f'{program}: ended by {child.returncode}'])[-1],
                         child.returncode)
    text = (out if stdout is None else err).decode(errors='replace')
    report: Report = json.loads(text[text.index('{'):text.rindex('}') + 1])
    return {name: value for name, value in report.items() if name not in DROPPED}


def ask(program: str, arguments: Sequence[str], data: bytes = b'') -> bytes:
    """Runs gsort with `data` as its input, and returns what it prints. Raises a GsortError if it
    fails."""
    told = subprocess.run(command(program, arguments), input=data, capture_output=True, check=False)
    if told.returncode != 0:
        raise GsortError(told.stderr.decode(errors='replace').strip()
                         or f'gsort {arguments[0]}: ended by {told.returncode}', told.returncode)
    return told.stdout


def find_first(program: str, what: Sequence[str], value: str) -> int:
    """Returns the position at which the elements with a value, or in a range of values, begin in a
    sorted file."""
    return int(ask(program, [f'--find={value}', '-q', *what]).partition(b':')[0])


def join(program: str, reports: Sequence[str]) -> Report:
    """Returns the report on the whole from the JSON reports of its parts. Raises a GsortError if
    they do not add up."""
    whole: Report = json.loads(ask(program, ['--join-reports'], '\n'.join(reports).encode()))
    return whole
