#!/usr/bin/env python3
"""Runs random jobs with gsort, each in several ways, and compares outputs, reports and printed text with a model.

    run_model.py BIN_DIR                     some jobs, of which every allowed pair of options is part of one at least
    run_model.py BIN_DIR --jobs N            so many
    run_model.py BIN_DIR --seed S --only I   job I of this seed alone; its files stay in ./model-S-I
    run_model.py BIN_DIR --coverage          prints pairs and edge cases that no job had
    run_model.py BIN_DIR --with OPTION       those of the jobs that have this option
    run_model.py BIN_DIR --tiny PROGRAM      some ways run in a gsort with small constants (GSI_CONSTANT)
    run_model.py BIN_DIR --gpu PROGRAM       some ways run in a gsort with an emulated GPU; without it, on a real GPU if there is one
"""
import argparse
import ast
import copy
import ctypes
import itertools
import json
import multiprocessing
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter

import algebra
import draw
import statistics
import variants
from elements import Field, type_of

JOBS = 3000
JOBS_SMALL = 500
WAY_COUNT = 2  # in which each job runs
SHOW_REPORT = {"--stats", "--quantiles", "--histogram", "--distinct", "--mode", "--variance", "--stats-of", "--stats-only"}
ADVICE = re.compile(r"^gsort: (?P<option>--window|--chunk|--batch-size|--memory)(?P<all> and )?.*(?:use (?P<better>(?P=option)=\w+)$|leave (?:(?P=option)|them) out$|"
                    r"too few to sort with; at least (?P<least>\d+) MiB are needed)", re.M)
DISORDER = re.compile("is out of order|is a duplicate|in order: ")


# ---- what is expected ----


class Expected:
    """code: exit status; files: outputs by name; out: bytes on standard output, None: anything; report: fields, or None."""

    def __init__(self):
        self.code, self.files, self.out, self.report, self.refusal, self.read, self.may_fail = 0, {}, b"", None, None, [], False


def columns_of(job, is_look):
    """Names of what a printed line shows."""
    names = [key.text for key in job.keys]
    if not job.keys:
        names = ["bytes"] if job.record else ["value"]
    if not is_look:
        names += [fold.field.text + (":wide" if fold.is_wide else "") for fold in job.folds]
        names += ["count"] if job.count else []
    seen, unique = Counter(), []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return unique


def cells_of(job, entry, is_look):
    """Texts of a line."""
    cells = [key.type.text(key.of(entry.element)) for key in job.keys]
    if not job.keys:
        cells = [entry.element.hex() if job.record else type_of(job.type).text(entry.element)]
    at = 0
    for fold in [] if is_look else job.folds:
        if fold.is_wide:
            base, bytes = fold.wide()
            raw = entry.appended[at:at + bytes]
            at += bytes
            value = int.from_bytes(raw, "little", signed=fold.field.type.is_signed)
            cells.append(type_of("f64").text(raw) if base else str(value))
        else:
            cells.append(fold.field.type.text(fold.field.of(entry.element)))
    if not is_look and job.count:
        cells.append(str(int.from_bytes(entry.appended[-8:], "little")))
    return cells


def json_line(job, columns, cells):
    """Counts are numbers, all else is text."""
    cells = [cell if name == "count" else json.dumps(cell) for name, cell in zip(columns, cells)]
    if not job.record and len(cells) == 1:
        return cells[0]
    return "{" + ",".join(f"{json.dumps(name)}:{cell}" for name, cell in zip(columns, cells)) + "}"


def printed(job, entries, how, is_look=False):
    """Lines of --print, --head and --tail."""
    columns = columns_of(job, is_look) if is_look or not job.argsort else ["position", *["count"] * job.count]
    lines = ["\t".join(columns)] if how == "header" else []
    for entry in entries:
        if entry is None:
            lines.append("...")
        elif job.argsort and not is_look:
            cells = [str(entry.position)] + cells_of(job, entry, is_look)[-1:] * job.count
            whole = f'{{"value":{cells[0]},"count":{cells[1]}}}' if job.count else cells[0]
            lines.append(whole if how == "json" else "\t".join(cells))
        elif how == "json":
            lines.append(json_line(job, columns, cells_of(job, entry, is_look)))
        else:
            lines.append("\t".join(cells_of(job, entry, is_look)))
    return "".join(line + "\n" for line in lines).encode()


def looked(case):
    """What --head and --tail print."""
    entries = [algebra.Written(i, element) for i, element in enumerate(sum(case.job.files, []))]
    first = entries[:case.head]
    rest = entries[len(first):]
    last = rest[len(rest) - case.tail:] if case.tail < len(rest) else rest
    last = last if case.tail else []
    how = case.print
    has_gap = first and case.tail and len(last) < len(rest) and how != "json"
    return printed(case.job, first + ([None] if has_gap else []) + last, how, True)


def found(job):
    """The positions that --find prints, in the only file."""
    return [position for position, element in algebra.in_range(job)[0] if algebra.is_between(job, element)]


def expected(case):
    job, wanted = case.job, Expected()
    if job.verb == "look":
        wanted.out = looked(case)
        return wanted
    if job.verb == "find":
        wanted.find = found(job)
        wanted.out = None
        return wanted
    if job.verb == "check":
        wanted.code = 0 if algebra.first_disorder(job) is None else 1
        wanted.out = None
        return wanted
    if case.disorder:
        file, element = case.disorder
        wanted.code, wanted.refusal = 2, f"'{case.named[file]}': is not sorted: element {element} is less than its predecessor"
        return wanted
    if "--into=into" in case.names:
        job = copy.copy(job)
        job.part = None
    try:
        result = algebra.wanted(job)
    except algebra.DoesNotFit:
        wanted.code, wanted.refusal = 2, "does not fit"
        return wanted
    wanted.read, wanted.may_fail = result.read, result.may_fail
    wanted.report = statistics.report_of(job, result, len(result.written))
    if job.verb == "stats":
        wanted.out = None
        return wanted
    if "--into=into" in case.names:
        wanted.report = None
    else:
        wanted.report |= statistics.ends(job, result.written)
    how = case.print
    if how:
        wanted.out = printed(job, result.written, how)
        return wanted
    header = b"" if "--drop-header" in case.names else case.header
    pieces = algebra.pieces_of(job, result.written)
    if wanted.report:
        wanted.report["split"] = [len(piece) for piece in pieces] if job.split or job.split_at else None
    pieces = [header + algebra.data_of(job, piece) for piece in pieces]
    if case.output is None:
        wanted.out = pieces[0]
    elif "%d" in case.output:
        wanted.files = {case.output % (i + 1): piece for i, piece in enumerate(pieces)}
    else:
        wanted.files = {case.output: pieces[0]}
    for i, data in enumerate(algebra.companions(job, result.written)):
        wanted.files[f"values{i}.out"] = data
    return wanted


# ---- a run ----


class Done:
    def __init__(self, code, out, err, files):
        self.code, self.out, self.err, self.files = code, out, err.decode("utf-8", "replace"), files


def parts_of(case):
    """With --into, all parts, the one of the job last; else what makes one run."""
    if "--into=into" not in case.names:
        return [None]
    number, of = case.job.part
    return [f"{(number + i) % of + 1}/{of}" for i in range(of)]


def run(gsort, case, command, folder, level=None):
    """Runs it in `folder`, which has the inputs; what it writes is taken away. level: of processors (GS_TEST_CPU)."""
    data = case.files[case.stdin] if case.stdin else None
    stdin = {"stdin": subprocess.DEVNULL} if data is None else {"input": data}
    environment = {**os.environ, **({"GS_TEST_CPU": level} if level else {})}
    for part in parts_of(case):
        arguments = [f"--part={part}" if part and argument.startswith("--part=") else argument for argument in command]
        done = subprocess.run([gsort, *arguments], cwd=folder, capture_output=True, timeout=120, env=environment, **stdin)
        if done.returncode != 0:
            break
    return Done(done.returncode, done.stdout, done.stderr, taken_files(case, folder))


def run_as_advised(gsort, case, command, folder, level):
    """Where memory, a window, a chunk or a batch is too small, runs what gsort advises; that command, too."""
    for _ in range(4):
        done = run(gsort, case, command, folder, level)
        advice = ADVICE.search(done.err)
        if not advice:
            break
        option, better = advice["option"], advice["better"]
        if advice["least"]:
            better = f"--memory={2 * int(advice['least'])}M"
        left_out = ("--chunk", "--window", "--batch-size") if advice["all"] else (option,)
        kept = [argument for argument in command if argument.split("=")[0] not in left_out]
        command = ([better] if better else []) + kept
    return command, done


def taken_files(case, folder):
    """What was written, which is removed."""
    files = {}
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name in case.files:
            continue
        if os.path.isdir(path):
            files[name + "/"] = b""
            shutil.rmtree(path)
            continue
        with open(path, "rb") as file:
            files[name] = file.read()
        os.remove(path)
    return files


def unpacked(data):
    done = subprocess.run(["zstd", "-dcq"], input=data, capture_output=True)
    return done.stdout if done.returncode == 0 else b"(not zstd) " + data


def compressed(case, done):
    """The bytes of the outputs with their names."""
    files = [(name, data) for name, data in done.files.items() if name != "report.json"]
    return *sorted(files), b"" if case.output else done.out


def without_npy_header(case, data):
    """The elements of a .npy file, and what is wrong with its header."""
    if data[:8] != b"\x93NUMPY\x01\0":
        return data, ["it is no .npy file"]
    bytes = 10 + int.from_bytes(data[8:10], "little")
    try:
        header = ast.literal_eval(data[10:bytes].decode())
    except (ValueError, SyntaxError) as reason:
        return data, [f"its .npy header cannot be read: {reason}"]
    job = case.job
    descr = f"<u{job.argsort}" if job.argsort else draw.npy_descr(job.type, job.out_order)
    told = header["descr"]
    if job.count:  # elements are the first field
        if not isinstance(told, list) or told[-1] != ("count", "<u8") or len(told) != 2:
            return data[bytes:], [f"its descr is {told!r}, without counts"]
        told = told[0][1]
    width = (job.argsort or job.element_bytes) + 8 * job.count
    wanted = {"descr": descr, "fortran_order": False, "shape": ((len(data) - bytes) // width,)}
    found = {**header, "descr": told}
    return data[bytes:], [] if wanted == found and bytes % 64 == 0 else [f"its header is {found}, not {wanted}"]


def json_of(text):
    at = text.find('{\n  "schema"')
    return json.JSONDecoder().raw_decode(text[at:])[0] if at >= 0 else None


def first_difference(wanted, told):
    at = next((i for i, (a, b) in enumerate(zip(wanted, told)) if a != b), min(len(wanted), len(told)))
    return f"byte {at}: {told[at:at + 16].hex(' ')}, not {wanted[at:at + 16].hex(' ')}; {len(told)} bytes, not {len(wanted)}"


def judge(case, wanted, done, command):
    """What is not as the model has it; lines."""
    wrong = []
    if wanted.may_fail and done.code == 2 and "does not fit" in done.err:
        return wrong
    if done.code != wanted.code:
        return [f"exit status {done.code}, not {wanted.code}: {done.err.strip()[:300]}"]
    if wanted.refusal is not None:
        if wanted.refusal not in done.err or done.files or done.out and case.output:
            wrong.append(f"is not refused because {wanted.refusal}, but: {done.err.strip()[:300]}, {list(done.files)}")
        return wrong
    files = dict(done.files)
    report = None
    if any(argument == "--stats=json:report.json" for argument in command):
        report = json_of(files.pop("report.json", b"").decode())
        if report is None:
            wrong.append("no report.json")
    elif "--stats=json" in command:
        text = done.err if '"schema"' in done.err else done.out.decode("latin-1")
        report = json_of(text)
        if report is None:
            wrong.append("no JSON report")
    is_packed = any(argument.startswith("--zstd") for argument in command)
    for name in sorted(wanted.files.keys() | files.keys()):
        if name not in files or name not in wanted.files:
            wrong.append(f"{name} is {'missing' if name in wanted.files else 'left'}")
            continue
        data = unpacked(files[name]) if is_packed and not name.startswith("values") else files[name]
        if case.is_npy and not name.startswith("values"):
            data, wrong_header = without_npy_header(case, data)
            wrong += [f"{name}: {problem}" for problem in wrong_header]
        if data != wanted.files[name]:
            wrong.append(f"{name}: {first_difference(wanted.files[name], data)}")
    if wanted.out is not None:
        data = unpacked(done.out) if is_packed and case.output is None and case.print is None else done.out
        if case.is_npy and case.job.verb == "sort" and case.print is None and case.output is None:
            data, wrong_header = without_npy_header(case, data)
            wrong += wrong_header
        has_report = "--stats=json" in command and case.output is not None
        if data != wanted.out and not has_report:
            wrong.append(f"standard output: {first_difference(wanted.out, data)}")
    if case.job.verb == "find":
        wrong += judge_find(case, wanted, done)
    wrong += judge_lines(case, wanted, done, command)
    if report is not None and wanted.report is not None:
        wrong += statistics.differences(wanted.report, report)
        wrong += judge_work(case, files, report, command)
    return wrong


def judge_work(case, files, report, command):
    """What a report says of the work: memory, runs, and the bytes of the output files."""
    wrong = []
    if report["memory_peak_bytes"] > report["plan"]["memory_bytes"]:
        wrong.append(f"memory_peak_bytes is {report['memory_peak_bytes']}, more than the planned {report['plan']['memory_bytes']}")
    if case.job.verb != "sort" or case.job.merge:
        return wrong
    spills = report["tally"]["count"] > 0 and any(argument == "--spill=always" or argument.startswith("--resume") for argument in command)
    has_little_memory = any(argument.startswith("--memory=") for argument in command)
    if (report["spilled_runs"] > 0) != spills and (spills or not has_little_memory):
        wrong.append(f"spilled_runs is {report['spilled_runs']} of {report['tally']['count']} elements")
    written = sum(map(len, files.values()))
    if files and report["output_file_bytes"] != written:
        wrong.append(f"output_file_bytes is {report['output_file_bytes']}, not {written}")
    return wrong


def notes_of(case, wanted):
    """Beginnings of lines that say what --drop-tail leaves out, and that --top begins with NaNs."""
    if "--drop-tail" in case.names:
        width = case.job.element_bytes
        for elements, tail, name in zip(case.job.files, case.tails, case.named):
            is_reached = case.job.verb != "look" or case.tail or case.head > len(elements)
            if tail and (is_reached or not case.edges & {"stdin", "zst"}):
                after = "the last element" if case.job.verb == "look" and case.edges & {"stdin", "zst"} else f"{len(elements)} elements"
                yield f"gsort: '{name}': {tail} byte{'s are' if tail > 1 else ' is'} left out, after {after} of {width} bytes"


    job = case.job
    key = job.fields()[0]
    fields = job.stats_of or [field for field in job.fields() if not field.type.is_bytes][:1]
    if case.job.verb == "sort" and job.top and job.nan is None and job.is_falling(key) and any(key.text == field.text for field in fields):
        if any(key.type.is_nan(key.of(element)) for element in wanted.read):
            yield "gsort: --top: the output starts with"


def judge_lines(case, wanted, done, command):
    """Standard error: notes, and a report where one is asked for."""
    wrong = []
    is_quiet = any(argument in ("--quiet", "--check=quiet") for argument in command) or done.err.startswith("{")
    notes = [] if is_quiet else list(notes_of(case, wanted))
    told = [line for line in done.err.splitlines() if line.startswith("gsort:") and not DISORDER.search(line)]
    told, notes = sorted(told), sorted(notes)  # files of a merge are read at once
    if len(told) != len(notes) or not all(plural(line).startswith(plural(note)) for line, note in zip(told, notes)):
        wrong.append(f"notes are {told}, not {notes}")
    shows = {argument.split("=")[0] for argument in command} & SHOW_REPORT or "--verbose" in command
    if not shows and case.job.verb == "sort" and len(done.err.splitlines()) > len(told):
        wrong.append(f"standard error has {done.err[:200]!r}")
    is_text = wanted.report is not None and "--stats=none" not in command and "--stats=json" not in command and "--stats=json:report.json" not in command
    if is_text and shows:
        text = done.err if case.job.verb == "sort" else done.err + done.out.decode("latin-1")
        missing = statistics.missing_line(statistics.text_lines(case.job, wanted.report), text)
        if missing:
            wrong.append(f"the report has no line {missing!r}")
    return wrong


def judge_library(case, wanted, done):
    command = ["--stats=json:report.json", "--quiet", *(argument for _, argument in case.options if re.match("--(zstd|spill|resume|memory)", argument))]
    if wanted.refusal is not None:
        del done.files["report.json"]
    done.out = wanted.out if wanted.out is not None else b""
    done.err = done.err if done.code else ""
    return judge(case, wanted, done, command)


def plural(line):
    """As gsort counts: 1 element."""
    return line.replace("1 elements", "1 element")


def judge_find(case, wanted, done):
    text = done.out.decode().strip()
    match = re.fullmatch(r"(\d+):(\d+)", text)
    if not match:
        return [f"--find prints {text!r}"]
    first, count = int(match[1]), int(match[2])
    if count != len(wanted.find) or (wanted.find and first != wanted.find[0]):
        return [f"--find prints {text}, not {wanted.find[:1]}:{len(wanted.find)}"]
    return []


# ---- other ways to run it ----


class Library:
    """libgsort in this process."""

    SORT, STATS, JSON = 0, 1, 1
    ALONE = {"--merge": "all", "--argsort": "u64", "--zstd": "1"}
    LISTS = {"--key", "--where", "--stats-of", "--values", "--sum", "--min", "--max", "--quantiles", "--split-at", "--out", "--temporary-directory"}
    IN_PROGRAM = {"--quiet", "--verbose", "--files0-from", "--stats", "--stats-only", "--print"}

    def __init__(self, path):
        self.calls = ctypes.CDLL(path)
        for name in "gs_job_create", "gs_job_report", "gs_job_error":
            getattr(self.calls, name).restype = ctypes.c_void_p
        self.calls.gs_report_string.restype = ctypes.c_void_p

    def run(self, case, folder):
        """A Done, of a process of its own, which libgsort may end; None: the library has no such job."""
        if case.stdin or case.print or "--into=into" in case.names or case.job.verb not in ("sort", "stats") or case.job.verb == "sort" and not case.output:
            return None
        receiver, sender = multiprocessing.Pipe(False)
        child = os.fork()
        if child == 0:
            try:
                sender.send(self.run_here(case, folder))
            finally:
                os._exit(0)
        sender.close()
        try:
            code, out, err, files = receiver.recv()
        except EOFError:
            code, out, err, files = -1, b"", b"libgsort ended the process", {}
        os.waitpid(child, 0)
        return Done(code, out, err, files)

    def run_here(self, case, folder):
        calls = self.calls
        job = ctypes.c_void_p(calls.gs_job_create())
        os.chdir(folder)
        try:
            for row, argument in case.options:
                option, _, value = argument.partition("=")
                if option in self.IN_PROGRAM:
                    continue
                value = value if "=" in argument else self.ALONE.get(option, "true")
                for part in value.split(",") if option in self.LISTS else [value]:
                    add = calls.gs_job_add if option in self.LISTS else calls.gs_job_set
                    add(job, option[2:].encode(), part.encode())
            for name in case.named:
                calls.gs_job_add(job, b"input", name.encode())
            status = calls.gs_job_run(job, self.STATS if case.job.verb == "stats" else self.SORT)
            error = ctypes.string_at(calls.gs_job_error(job) + 8)  # after two ints
            report = calls.gs_report_string(ctypes.c_void_p(calls.gs_job_report(job)), self.JSON)
            text = ctypes.string_at(report) if report else b""
            code = calls.gs_status_exit_code(status)
        finally:
            calls.gs_job_free(job)
        return code, b"", error, {**taken_files(case, folder), "report.json": text}


def run_killed(gsort, case, command, folder, rng):
    """Kills it somewhere, and runs it again."""
    with open(os.devnull, "rb") as nothing:
        process = subprocess.Popen([gsort, *command], cwd=folder, stdin=nothing, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(rng.random() * 0.012)
        process.kill()
        process.wait()
    return run(gsort, case, command, folder)


# ---- jobs ----

WAYS = [
    ["--parallel=1"], ["--parallel=3"], ["--memory=24M"], ["--memory=96M", "--parallel=3"], ["--io=threads"],
    ["--window=4K", "--chunk=4K", "--memory=64M"], ["--window=4K", "--chunk=8K", "--parallel=3", "--memory=24M"],
    ["--window=4K", "--chunk=4K", "--batch-size=3", "--spill=always", "--memory=64M"],
    ["--window=4K", "--chunk=4K", "--batch-size=3", "--spill=always", "--compress=deltas", "--io=threads", "--memory=24M"],
    ["--window=8K", "--chunk=4K", "--batch-size=2", "--spill=always", "--compress=zstd", "--parallel=8", "--memory=64M"],
    ["--spill=always", "--chunk=16K", "--memory=96M"], ["--spill=always", "--chunk=16K", "--batch-size=2", "--memory=96M"],
    ["--spill=always", "--chunk=16K", "--compress=zstd", "--memory=96M"], ["--spill=always", "--chunk=16K", "--compress=deltas", "--io=threads", "--memory=96M"],
    ["--window=16K", "--spill=always", "--chunk=16K", "--parallel=2", "--memory=96M"], ["--device=cpu", "--chunk=16K"], ["--window=32K"],
]


GPU_WAYS = [
    ["--device=cuda"], ["--device=cuda", "--chunk=16K"], ["--device=cuda", "--window=8K", "--io=threads"],
    ["--device=cuda", "--spill=always", "--window=8K"], ["--device=cuda", "--spill=always", "--window=8K", "--compress=zstd"],
    ["--device=cuda", "--spill=always", "--window=8K", "--compress=deltas"], ["--device=cuda", "--spill=always", "--batch-size=3", "--chunk=16K"],
]


def other_way(rng, pairs, case, ways):
    """The same job as another command line."""
    kept = [(name, argument) for name, argument in case.options if not variants.VARIANTS[name].is_way]
    way = list(rng.choice(ways))
    names = {name for name, _ in kept}
    way = [argument for argument in way if pairs.goes_with(variants.row_of(argument), names)]
    if not any(name.startswith("--stats=") for name in names) and pairs.goes_with("--stats=json:report.json", names):
        way.append("--stats=json:report.json")
    return [argument for _, argument in kept] + way + case.inputs


def other_ways(rng, gsort, case):
    """Programs, levels of processors and command lines."""
    tiny, gpu = OTHERS
    runs_on_gpu = gpu and case.job.verb == "sort" and not case.job.merge and PAIRS.goes_with("--device=cpu", case.names)
    if runs_on_gpu and rng.random() < (0.7 if case.job.argsort else 0.3) and sum(map(len, case.job.files)) < 3000:
        yield gpu, None, other_way(rng, PAIRS, case, GPU_WAYS)
    else:
        yield rng.choice([gsort, tiny or gsort]), rng.choice([None, "v1", "v2", "v3"]), other_way(rng, PAIRS, case, WAYS)


def command_text(gsort, command, case, level=None):
    text = " ".join(map(shlex.quote, [gsort, *command]))
    return (f"GS_TEST_CPU={level} " if level else "") + text + (f" <{case.stdin}" if case.stdin else "")


def judge_refused(done):
    lines = done.err.splitlines()
    if done.code not in (1, 2) or len(lines) != 1 or not lines[0].startswith("gsort: ") or done.out or done.files:
        return [f"is not refused in one line: exit status {done.code}, {done.err.strip()[:200]!r}, {sorted(done.files)}"]
    return []


class Outcome:
    def __init__(self, index, names, edges, problems, texts):
        self.index, self.names, self.edges, self.problems, self.texts = index, names, edges, problems, texts


def do_job(work):
    """One job in its ways. work: what main() deals out."""
    gsort, seed, index, names, is_refused, keeps = work
    rng = random.Random(f"{seed} {index}")
    folder = keeps or tempfile.mkdtemp(dir=ROOM)
    problems, texts, case = [], [], None
    try:
        case = draw.drawn(rng, names, is_refused)
        for name, data in case.files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)
        wanted = expected(case)

        def note(way, wrong):
            problems.extend(f"{problem}\n    {way}" for problem in wrong[:3])

        if is_refused:
            texts.append(command_text(gsort, case.command(), case))
            if names <= case.names:  # all could be given
                note(texts[0], judge_refused(run(gsort, case, case.command(), folder)))
            return Outcome(index, set(), set(), problems, texts)
        dones = []
        for program, level, command in [(gsort, None, case.command()), *other_ways(rng, gsort, case)]:
            texts.append(command_text(program, command, case, level))
            command, done = run_as_advised(program, case, command, folder, level)
            note(texts[-1], judge(case, wanted, done, command))
            dones.append(done)
        if "--zstd" in case.names and len({compressed(case, done) for done in dones}) > 1:
            note(texts[0], ["compressed to other bytes in another way"])
        if "--resume=kept" in case.names and "--output=out.%d" in case.names:
            command = case.command()
            note(f"{texts[0]}  # killed, and run again", judge(case, wanted, run_killed(gsort, case, command, folder, rng), command))
        done = LIBRARY.run(case, folder) if LIBRARY else None
        if done is not None:
            note(f"{texts[0]}  # by libgsort", judge_library(case, wanted, done))
    except Exception:  # of the model: the job is named
        problems.append(traceback.format_exc())
    finally:
        if not keeps:
            shutil.rmtree(folder)
    return Outcome(index, case.names if case else names, case.edges if case else set(), problems, texts)


def options_of_help(gsort):
    text = subprocess.run([gsort, "--help=all"], check=True, capture_output=True, text=True).stdout
    return set(re.findall(r"^  (?:-\w, |    )(--[a-z0-9-]+)", text, re.M))


def has_gpu(gsort):
    done = subprocess.run([gsort, "--device=cuda", "--type=u32", "-"], input=bytes(64), capture_output=True)
    return done.returncode == 0


LIBRARY = None
OTHERS = (None, None)  # with small constants, and with a GPU
PAIRS = variants.Pairs()
ROOM = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("--jobs", type=int, default=JOBS_SMALL if os.environ.get("GS_TEST_SMALL") else JOBS)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("GS_TEST_SEED", "1")))
    parser.add_argument("--only", type=int)
    parser.add_argument("--with", dest="having", help="only jobs with an option that begins so, such as --keep")
    parser.add_argument("--stop", type=int, default=20, help="after so many jobs that are wrong")
    parser.add_argument("--library", help="libgsort.so, which runs the jobs, too")
    parser.add_argument("--tiny")
    parser.add_argument("--gpu")
    parser.add_argument("--coverage", action="store_true")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    gsort = os.path.join(os.path.abspath(arguments.bin), "gsort")
    os.environ |= {"LC_ALL": "C", "TMPDIR": ROOM or tempfile.gettempdir()}
    if arguments.library:
        global LIBRARY
        LIBRARY = Library(os.path.abspath(arguments.library))
    global OTHERS
    OTHERS = arguments.tiny and os.path.abspath(arguments.tiny), os.path.abspath(arguments.gpu) if arguments.gpu else gsort if has_gpu(gsort) else None
    known = {variant.option for variant in variants.VARIANTS.values()} | variants.WITHOUT_MODEL.keys()
    for option in sorted(options_of_help(gsort) ^ known):
        print(f"{option} is in gsort --help or in tests/model/variants.py, and not in both")
        return 1
    sets = [(names, False) for names in variants.sets_of_names(PAIRS, arguments.seed, arguments.jobs)]
    sets += [(names, True) for names in variants.refused_sets(PAIRS, arguments.seed, arguments.jobs // 10)]
    works = [(gsort, arguments.seed, i, *one, None) for i, one in enumerate(sets)]
    if arguments.only is not None:
        folder = os.path.abspath(f"model-{arguments.seed}-{arguments.only}")
        os.makedirs(folder, exist_ok=True)
        outcome = do_job((*works[arguments.only][:5], folder))
        print(*outcome.texts, *outcome.problems, sep="\n")
        return 1 if outcome.problems else 0
    if arguments.having:
        works = [work for work in works if any(name.startswith(arguments.having) for name in work[3])]
    wrong, had, edges, triples = 0, set(), set(), set()
    with multiprocessing.Pool(arguments.processes) as pool:
        for outcome in pool.imap(do_job, works, chunksize=8):
            listed = sorted(outcome.names)
            had |= {frozenset((a, b)) for i, a in enumerate(listed) for b in listed[i + 1:]}
            if arguments.coverage:
                triples |= set(itertools.combinations(listed, 3))
            edges |= {(name, edge) for name in outcome.names for edge in outcome.edges}
            if outcome.problems:
                wrong += 1
                print(f"seed {arguments.seed}, job {outcome.index} (--seed {arguments.seed} --only {outcome.index}):")
                print(*("  " + problem for problem in outcome.problems), sep="\n", flush=True)
                if wrong == arguments.stop:
                    pool.terminate()
                    return 1
    missing = PAIRS.allowed - had
    if arguments.coverage:
        for pair in sorted(map(sorted, missing)):
            print("no job has", *pair)
        for edge in sorted(draw.EDGES):
            for name in sorted(variants.VARIANTS.keys() - {name for name, other in edges if other == edge}):
                print("no job has", name, "with", edge)
        print(f"{len(edges)} pairs of an option and an edge case; {len(triples)} triples of options")
    print(f"{len(works)} jobs, {wrong} wrong; {len(PAIRS.allowed) - len(missing)} of {len(PAIRS.allowed)} allowed pairs")
    return 1 if wrong or missing and arguments.jobs >= JOBS and not arguments.having else 0


if __name__ == "__main__":
    sys.exit(main())
