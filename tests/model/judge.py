"""Compares a run of gsort with what the model says the job must do."""
import copy
import json
import re
import subprocess
from collections import Counter

import algebra
import formats
import statistics
from elements import type_of

SHOW_REPORT = {"--stats", "--quantiles", "--histogram", "--distinct", "--mode", "--variance", "--stats-of", "--stats-only"}
DISORDER = re.compile("is out of order|is a duplicate|in order: ")


# ---- what is expected ----


class Expected:
    """code: exit status; files: outputs by name; out: bytes on standard output, None: anything; report: fields, or None."""

    def __init__(self):
        self.code, self.files, self.out, self.report, self.refusal, self.read, self.may_fail = 0, {}, b"", None, None, [], False
        self.disorder = None  # the beginning of the line of --check


def fields_of(job):
    """Fields of the record that a printed line shows first."""
    return job.named + [key for key in job.keys if key.text not in {field.text for field in job.named}]


def folds_of(job, is_look):
    """Folds that a printed line shows apart."""
    named = {field.text for field in job.named}
    return [] if is_look else [fold for fold in job.folds if fold.is_wide or fold.field.text not in named]


def columns_of(job, is_look):
    """Names of what a printed line shows."""
    names = [field.text for field in fields_of(job)]
    if not names:
        names = ["bytes"] if job.record else ["value"]
    if not is_look:
        names += [fold.field.text + (":wide" if fold.is_wide else "") for fold in folds_of(job, is_look)]
        names += ["count"] if job.count else []
    seen, unique = Counter(), []
    for name in names:
        seen[name] += 1
        unique.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return unique


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def cell(how, text, type=None):
    """Text of a column. JSON lines hold finite floats and integers up to 2^53 as numbers, all else as strings."""
    is_number = type is not None and not type.is_bytes and not type.is_time
    if is_number:
        is_number = "n" not in text if type.is_float else abs(int(text)) <= 2 ** 53
    return quoted(text) if how == "json" and not is_number else text


def cells_of(job, entry, how, is_look):
    """Texts of a line."""
    cells = [cell(how, field.type.text(field.of(entry.element)), field.type) for field in fields_of(job)]
    if not cells and job.record:
        cells = [cell(how, entry.element.hex())]
    elif not cells:
        cells = [cell(how, type_of(job.type).text(entry.element), type_of(job.type))]
    at = 0
    for fold in folds_of(job, is_look):
        if fold.is_wide:
            base, bytes = fold.wide()
            raw = entry.appended[at:at + bytes]
            at += bytes
            value = int.from_bytes(raw, "little", signed=fold.field.type.is_signed)
            cells.append(cell(how, type_of("f64").text(raw), type_of("f64")) if base else cell(how, str(value), fold.field.type))
        else:
            cells.append(cell(how, fold.field.type.text(fold.field.of(entry.element)), fold.field.type))
    if not is_look and job.count:
        cells.append(str(int.from_bytes(entry.appended[-8:], "little")))
    return cells


def json_line(job, columns, cells):
    """A value, or an object if there are columns."""
    if not job.record and len(cells) == 1:
        return cells[0]
    return "{" + ",".join(f"{quoted(name)}:{cell}" for name, cell in zip(columns, cells)) + "}"


def text_line(cells, how):
    """Cells of --print=csv have quotes where RFC 4180 wants them, and where they are empty."""
    if how != "csv":
        return "\t".join(cells)
    cells = [cell if cell and not set(cell) & set(',"\r\n') else '"%s"' % cell.replace('"', '""') for cell in cells]
    return ",".join(cells)


def printed(job, entries, how, is_look=False):
    """Lines of --print, --head and --tail."""
    columns = columns_of(job, is_look) if is_look or not job.argsort else ["position", *["count"] * job.count]
    lines = [text_line(columns, how)] if how in ("header", "csv") else []
    for entry in entries:
        if entry is None:
            lines.append("...")
        elif job.argsort and not is_look:
            cells = [str(entry.position)] + cells_of(job, entry, how, is_look)[-1:] * job.count
            whole = f'{{"value":{cells[0]},"count":{cells[1]}}}' if job.count else cells[0]
            lines.append(whole if how == "json" else text_line(cells, how))
        elif how == "json":
            lines.append(json_line(job, columns, cells_of(job, entry, how, is_look)))
        else:
            lines.append(text_line(cells_of(job, entry, how, is_look), how))
    return "".join(line + "\n" for line in lines).encode()


def looked(case):
    """What --head and --tail print."""
    entries = [algebra.Written(i, element) for i, element in enumerate(sum(case.job.files, []))]
    first = entries[:case.head]
    rest = entries[len(first):]
    last = rest[len(rest) - case.tail:] if case.tail < len(rest) else rest
    last = last if case.tail else []
    how = case.print
    has_gap = first and case.tail and len(last) < len(rest) and how not in ("json", "csv")
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
        at = algebra.first_disorder(job)
        wanted.code = 0 if at is None else 1
        wanted.out = None
        if at is not None and "--check" in case.names:
            file = next(i for i, _ in enumerate(job.files) if at < sum(map(len, job.files[:i + 1])))
            name = "-" if case.stdin is not None else case.named[file]  # as sort -c says it
            wanted.disorder = f"{name}: element {at - sum(map(len, job.files[:file]))} is "
        elif at is None:
            wanted.report = {"duplicate_count": algebra.duplicates(job), "valsort_checksum": statistics.valsort_checksum(job)}
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
    wanted.read, wanted.groups, wanted.may_fail = result.read, result.groups, result.may_fail
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
    if case.writes_header and not case.writes_npy:
        pieces = [case.form.output([entry.element for entry in pieces[0]])]
    else:
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


# ---- what a run left ----


def unpacked(data):
    done = subprocess.run(["zstd", "-dcq"], input=data, capture_output=True)
    return done.stdout if done.returncode == 0 else b"(not zstd) " + data


def compressed(case, done):
    """The bytes of the outputs with their names."""
    files = [(name, data) for name, data in done.files.items() if name != "report.json"]
    return *sorted(files), b"" if case.output else done.out


def without_npy_header(case, data):
    """The elements of a .npy file, and what is wrong with its header."""
    found = formats.read_npy(data)
    if found is None:
        return data, ["it has no .npy header that can be read"]
    header, bytes = found
    job = case.job
    if case.form:
        descr, columns = case.form.output_descr(job)
        width = len(data[bytes:]) and (job.argsort or sum(length for _, length in job.out) or job.element_bytes) + 8 * job.count
        count = width and (len(data) - bytes) // width
        wanted = {"descr": descr, "fortran_order": False, "shape": (count, columns) if columns else (count,)}
        return data[bytes:], [] if wanted == header and bytes % 64 == 0 else [f"its header is {header}, not {wanted}"]
    descr = f"<u{job.argsort}" if job.argsort else formats.npy_descr(job.type, job.out_order)
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


# ---- the comparison: each returns lines about what is wrong ----


def problems(case, wanted, done, command):
    """Returns differences from the model, as lines."""
    wrong = []
    if wanted.may_fail and done.code == 2 and "does not fit" in done.err:
        return wrong
    if done.code != wanted.code:
        return [f"exit status {done.code}, not {wanted.code}: {done.err.strip()[:300]}"]
    if wanted.refusal is not None:
        if wanted.refusal not in done.err or done.files or done.out and case.output:
            wrong.append(f"is not refused because {wanted.refusal}, but: {done.err.strip()[:300]}, {list(done.files)}")
        return wrong
    files = {name: data for name, data in done.files.items() if name != "report.json"}
    report = report_of(done, command)
    if report is None and any(argument.startswith("--stats=json") for argument in command):
        wrong.append("no JSON report")
    is_packed = any(argument.startswith("--zstd") for argument in command)
    for name in sorted(wanted.files.keys() | files.keys()):
        if name not in files or name not in wanted.files:
            wrong.append(f"{name} is {'missing' if name in wanted.files else 'left'}")
            continue
        data = unpacked(files[name]) if is_packed and not name.startswith("values") else files[name]
        if case.writes_npy and not name.startswith("values"):
            data, wrong_header = without_npy_header(case, data)
            wrong += [f"{name}: {problem}" for problem in wrong_header]
        if data != wanted.files[name]:
            wrong.append(f"{name}: {first_difference(wanted.files[name], data)}")
    if wanted.out is not None:
        data = unpacked(done.out) if is_packed and case.output is None and case.print is None else done.out
        if case.writes_npy and case.job.verb == "sort" and case.print is None and case.output is None:
            data, wrong_header = without_npy_header(case, data)
            wrong += wrong_header
        has_report = "--stats=json" in command and case.output is not None
        if data != wanted.out and not has_report:
            wrong.append(f"standard output: {first_difference(wanted.out, data)}")
    if wanted.disorder and wanted.disorder not in done.err:
        wrong.append(f"says {done.err.strip()[:200]!r}, not {wanted.disorder!r}")
    if case.job.verb == "find":
        wrong += find_problems(case, wanted, done)
    wrong += line_problems(case, wanted, done, command)
    if report is not None and wanted.report is not None:
        wrong += statistics.differences(wanted.report, report)
        wrong += work_problems(case, files, report, command)
    return wrong


def report_of(done, command):
    """The JSON report; None: there is none, or it cannot be read."""
    if "--stats=json:report.json" in command:
        return json_of(done.files.get("report.json", b"").decode())
    if "--stats=json" in command:
        return json_of(done.err if '"schema"' in done.err else done.out.decode("utf-8", "replace"))
    return None


# Fields of a report that describe how the work was done. All others depend on the options and the data alone.
WORK_FIELDS = re.compile(r"(device|device_name|device_note|engine|engine_note|is_direct_(input|output|temp)|(\w+_)?seconds|plan|phases|memory|"
                         r"memory_peak_bytes|run_count|spilled_(runs|bytes|coded_bytes)|coded_runs|codec|host_run_bytes|circular_merge_count|"
                         r"merge_passes|in_order_(bytes|note)|is_one_pass|stretch_(count|bytes)|bytes_(read|written)|temp_bytes|quantile_passes|"
                         r"folded_count|resumed_(output_)?bytes|(input|output)_file_bytes|written\.sorted_bytes)\b")
# A merge with --top reads blocks until it has enough. These fields describe what it read.
READ_FIELDS = re.compile(r"input_bytes|tally\b|left_out_|fields\b|notes\b")


def facts_of(report, path=""):
    """The fields of a report that do not describe the work, by path."""
    members = report.items() if isinstance(report, dict) else enumerate(report)
    for name, value in members:
        at = f"{path}.{name}" if path else str(name)
        if WORK_FIELDS.match(at):
            continue
        if at == "notes":  # a merge may reach the ends of its inputs in any order
            value = sorted(value)
        if isinstance(value, (dict, list)):
            yield f"{at} has", len(value)
            yield from facts_of(value, at)
        else:
            yield at, value


def differing_facts(case, reports):
    """Fields in which reports of the same job differ, each done in another way; lines."""
    facts = [dict(facts_of(report)) for report in reports if report is not None]
    for other in facts[1:]:
        for name in sorted(facts[0].keys() | other.keys()):
            if case.job.may_end_early and READ_FIELDS.match(name):
                continue
            one, two = facts[0].get(name, "(missing)"), other.get(name, "(missing)")
            if one != two:
                yield f"{name} of the report is {one!r}, and {two!r} in another way"


def work_problems(case, files, report, command):
    """Checks the work in a report: memory, runs, and the bytes of the output files."""
    wrong = []
    if report["memory_peak_bytes"] > report["plan"]["memory_bytes"]:
        wrong.append(f"memory_peak_bytes is {report['memory_peak_bytes']}, more than the planned {report['plan']['memory_bytes']}")
    if case.job.verb != "sort" or case.job.merge:
        return wrong
    is_counted = report["plan"]["is_counted"]  # numbers of one or two bytes; --resume saves their counts instead of runs
    if is_counted and report["element_bytes"] > 2:
        wrong.append(f"elements of {report['element_bytes']} bytes are counted")
    spills = report["tally"]["count"] > 0 and any(
        argument == "--spill=always" or (argument.startswith("--resume") and not is_counted) for argument in command)
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
    if job.order_by:
        key = job.order_by[0]
        has_nans = not key.type.is_bytes and any(key.type.is_nan(key.of(group.element + group.appended)) for group in wanted.groups)
        if job.top and job.nan is None and key.is_falling and has_nans:
            yield "gsort: --top: the output starts with"
        return
    key = job.fields()[0]
    fields = job.stats_of or [field for field in job.fields() if not field.type.is_bytes][:1]
    if case.job.verb == "sort" and job.top and job.nan is None and job.is_falling(key) and any(key.text == field.text for field in fields):
        if any(key.type.is_nan(key.of(element)) for element in wanted.read):
            yield "gsort: --top: the output starts with"


def line_problems(case, wanted, done, command):
    """Standard error: notes, and a report where one is asked for."""
    wrong = []
    is_quiet = any(argument in ("--quiet", "--check=quiet") for argument in command) or done.err.startswith("{")
    notes = [] if is_quiet else list(notes_of(case, wanted))
    told = [line for line in done.err.splitlines() if line.startswith("gsort:") and not DISORDER.search(line)]
    if case.job.may_end_early and case.edges & {"stdin", "zst"}:  # may end before it has read their tails
        notes = [note for note in notes if any(plural(line).startswith(plural(note)) for line in told)]
    told, notes = sorted(told), sorted(notes)  # files of a merge are read at once
    if len(told) != len(notes) or not all(plural(line).startswith(plural(note)) for line, note in zip(told, notes)):
        wrong.append(f"notes are {told}, not {notes}")
    shows = {argument.split("=")[0] for argument in command} & SHOW_REPORT or "--verbose" in command
    if not shows and case.job.verb == "sort" and len(done.err.splitlines()) > len(told):
        wrong.append(f"standard error has {done.err[:200]!r}")
    is_text = wanted.report is not None and "--stats=none" not in command and "--stats=json" not in command and "--stats=json:report.json" not in command
    if is_text and shows:
        text = done.err if case.job.verb == "sort" else done.err + done.out.decode("utf-8", "replace")
        missing = statistics.missing_line(statistics.text_lines(case.job, wanted.report), text)
        if missing:
            wrong.append(f"the report has no line {missing!r}")
    return wrong


def plural(line):
    """As gsort counts: 1 element."""
    return line.replace("1 elements", "1 element")


def find_problems(case, wanted, done):
    text = done.out.decode().strip()
    match = re.fullmatch(r"(\d+):(\d+)", text)
    if not match:
        return [f"--find prints {text!r}"]
    first, count = int(match[1]), int(match[2])
    if count != len(wanted.find) or (wanted.find and first != wanted.find[0]):
        return [f"--find prints {text}, not {wanted.find[:1]}:{len(wanted.find)}"]
    return []


def library_problems(case, wanted, done):
    command = ["--stats=json:report.json", "--quiet", *(argument for _, argument in case.options if re.match("--(zstd|spill|resume|memory)", argument))]
    if wanted.refusal is not None:
        del done.files["report.json"]
    done.out = wanted.out if wanted.out is not None else b""
    done.err = done.err if done.code else ""
    return problems(case, wanted, done, command)


def refusal_problems(done):
    lines = done.err.splitlines()
    if done.code not in (1, 2) or len(lines) != 1 or not lines[0].startswith("gsort: ") or done.out or done.files:
        return [f"is not refused in one line: exit status {done.code}, {done.err.strip()[:200]!r}, {sorted(done.files)}"]
    return []
