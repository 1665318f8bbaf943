#!/usr/bin/env python3
"""Every pair of gsort's options is given together: what each of them asks for is there to be seen, or the pair is refused,
in one line that names both, before anything is written. GS_TEST_THIRD=I takes every third pair, from the I-th on.

    option_pairs.py BIN_DIR                 silent and 0, or a line for each pair that is neither, and 1
    option_pairs.py BIN_DIR --record FILE   writes the answer to each pair to FILE: "accepted", or the line
    option_pairs.py BIN_DIR --refused FILE  writes the pairs that are refused to FILE, as tests/model/refused_pairs.txt has them

A new option is a row of the table below: how it is given, what it needs to be of any use, and how its effect shows. The
table is compared with --help.
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from itertools import combinations

# Pairs that are refused, which the model (tests/model) reads.
REFUSED_PAIRS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "model", "refused_pairs.txt")
PACKED = b"\x28\xb5\x2f\xfd"
RECORD = 24
BASE = ["--record=24", "--key=0:u64"]  # what is sorted where a row says nothing else
TIMES = re.compile(r'(?m)^(time|engine|device) .*$|"[a-z_]*(seconds|peak_bytes|_busy)": [^,}]*')


class Run:
    """The result of a command line: all that it printed and wrote."""

    def __init__(self, done, folder):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr.decode()
        self.files = {name: open(os.path.join(folder, name), "rb").read() for name in sorted(os.listdir(folder))
                      if os.path.isfile(os.path.join(folder, name))}
        self.text = TIMES.sub(r"\1", self.err + self.out.decode("latin-1"))

    def seen(self):
        return self.code, self.text, self.files

    def data(self):
        return [self.out, *self.files.values()]

    def report(self):
        """Returns the JSON of a report; empty if there is none."""
        for text in self.out, self.err.encode(), *self.files.values():
            at = text.find(b'{\n  "schema"')
            if at >= 0:
                return json.loads(text[at:].decode())
        return {}


def row_name(argument):
    return argument.split("=")[0]


# ---- effects ----


def differs(run, without):
    return run.seen() != without().seen()


def wrote(beginning):
    return lambda run, without: any(name.startswith(beginning) for name in run.files)


def printed(pattern):
    return lambda run, without: re.search(pattern, run.text, re.M) is not None


def figure(name, *path):
    """A line of a report as text, or what its JSON has there."""

    def is_there(run, without):
        value = run.report()
        for key in path if value else ():
            value = any(entry[key[0]] == key[1] for entry in value) if isinstance(key, tuple) else value.get(key)
        return bool(value) or re.search(f"^{name}", run.text.replace("\r", "\n").replace("\x1b[K", ""), re.M) is not None

    return is_there


REPORT = figure("elements +", "schema")
DISORDER = re.compile("is out of order|is a duplicate")
OUT = ["--output=out.%d"]


class Row:
    """An option as it is given.

    needs: what else has to be there for it to be of any use
    effect: whether it shows in a Run; it may call `without` for the Run without the option. None: it prints and writes nothing
    files: what is read if not the usual: a kind that Pairs.inputs() knows
    base: what is sorted if not the usual; of_numbers: how it is given where that is numbers
    named: a pattern that names it in a refusal, too
    blind: options beside which these data cannot show it
    like: the same option with a value that is not the default: what refuses that refuses this, for what is set counts
    ends: nothing else is done, so the other option need not show
    """

    def __init__(self, *args, needs=(), effect=None, files=None, base=BASE, like=None, ends=False,
                 of_numbers=None, named=None, blind=()):
        self.args, self.needs, self.effect, self.files = list(args), list(needs), effect, files
        self.base, self.like, self.ends, self.of_numbers = base, like, ends, of_numbers
        self.named, self.blind = named, blind
        self.name = args[0]
        self.option = row_name(args[0])


ROWS = [
    Row("--type=i64", base=[], effect=differs, named="--record|numbers", blind=["--out-order"]),
    Row("--record=24", base=["--key=0:u64"], named="records"),
    Row("--fields=id=0:u64,price=16:f64"),  # names alone change nothing: tests/cli/records/names.sh
    Row("--key=16:f64", effect=differs, named="key", blind=["--find"]),
    Row("--where=0:u64>4", effect=differs, of_numbers="--where=>4"),
    Row("--reverse", effect=differs),
    Row("--nan=last"),  # there are none: tests/cli/sort/nan_place.sh
    Row("--ties=bytes", effect=differs, blind=["--reverse"]),
    Row("--ties=input", like="--ties=bytes"),
    Row("--merge", files="sorted"),
    Row("--merge=intersect", files="sorted", effect=differs, named="merge", blind=["--region"]),
    Row("--files0-from=names"),
    Row("--header=24", effect=differs, blind=["--tail"]),
    Row("--drop-header", needs=["--header=24"], effect=differs),
    Row("--drop-tail", files="tail", effect=differs, blind=["--region"]),
    Row("--region=48:2256", effect=differs, of_numbers="--region=48:752", blind=["--top"]),
    Row("--range=40:50", effect=differs),
    Row("--part=1/2", needs=["--merge"], files="sorted", effect=differs),
    Row("--find=3..5", files="sorted", effect=differs),
    Row("--raw", files="packed", effect=differs,
        blind=["--top", "--tail", "--drop-tail", "--merge", "--part", "--find", "--into", "--region", "--keep"]),
    Row("--strict"),  # what it refuses: tests/cli/inputs/strict.sh
    Row("--output=out.%d", effect=wrote("out.")),
    Row("--into=into", needs=["--merge"], files="sorted", effect=wrote("into")),
    Row("--split=3", needs=OUT, effect=wrote("out.3")),
    Row("--split-at=5", needs=OUT, effect=wrote("out.2")),
    Row("--unique", effect=differs),
    Row("--count", needs=["--unique"], effect=differs),
    Row("--keep=last", needs=["--unique"], effect=differs, blind=["--type", "--out-order"]),
    Row("--keep=first", needs=["--unique"], like="--keep=last"),
    Row("--keep=repeated", needs=["--unique"], effect=differs),
    Row("--group=1", needs=["--unique", "--key=16:f64"], effect=differs, blind=["--check"]),
    Row("--sum=16:f64", needs=["--unique"], effect=differs),
    Row("--min=16:f64", needs=["--unique"], effect=differs, blind=["--merge", "--group"]),
    Row("--max=16:f64", needs=["--unique"], effect=differs),
    Row("--sum=8:u64:wide", needs=["--unique"], effect=differs),
    Row("--order-by=16:f64:desc", needs=["--unique"], effect=differs, of_numbers="--order-by=value:desc", blind=["--merge"]),
    Row("--out=16:8,0:4", effect=differs),
    Row("--out-order=big", base=["--type=i64"], effect=differs, named="numbers"),
    Row("--values=values:8=values.out", needs=OUT, effect=wrote("values.out")),
    Row("--argsort", effect=differs),
    Row("--argsort=u32", effect=differs),
    Row("--top=5", effect=differs),
    Row("--shuffle=7", base=["--record=24"], effect=differs, named="--sample|a field that is a number"),
    Row("--sample=5", base=["--record=24"], needs=["--shuffle=7"], effect=differs, named="--shuffle|a field that is a number"),
    Row("--permute=places.u64", base=["--record=24"], effect=differs, named="a field that is a number"),
    Row("--zstd", effect=lambda run, without: any(data.startswith(PACKED) for data in run.data())),
    Row("--verify=read", needs=OUT),
    Row("--memory=64M"),
    Row("--temporary-directory=."),
    Row("--resume=kept", needs=OUT),
    Row("--compress=none"),
    Row("--compress=auto", like="--compress=none"),
    Row("--compress=deltas", like="--compress=none"),
    Row("--spill=always"),
    Row("--spill=auto", like="--spill=always"),
    Row("--device=cpu"),
    Row("--device-memory=1G"),
    Row("--device-model=model", needs=["--explain"], effect=figure("time", "prediction"), ends=True),
    Row("--check", effect=lambda run, without: differs(run, without) and 
        (run.code == 0 or DISORDER.search(run.err))),
    Row("--check=quiet", effect=lambda run, without: differs(run, without) and not DISORDER.search(run.err)),
    Row("--head=2", effect=differs),
    Row("--tail=3", effect=differs),
    Row("--print=text", effect=printed("^[0-9]+(	|$)"), blind=["--type", "--sample", "--permute"]),
    Row("--print=json", needs=["--head=4"], effect=printed("^{"), blind=["--type"]),
    Row("--print=header", needs=["--head=4"], effect=printed("^(value|[0-9a-z:]+\t?)+$"), blind=["--type"]),
    Row("--print=csv", needs=["--head=4"], effect=printed("^[0-9]+(,|$)"), blind=["--type"]),
    Row("--stats=text", effect=REPORT),
    Row("--stats=json", effect=lambda run, without: run.report()),
    Row("--stats=json:report.json", effect=lambda run, without: "report.json" in run.files and run.report()),
    Row("--stats=none"),
    Row("--stats-only", effect=REPORT),
    Row("--stats-of=16:f64", effect=figure("field +16:f64", "fields", ("field", "16:f64"))),
    Row("--join-reports", base=[], files="reports", effect=lambda run, without: run.report()),
    Row("--quantiles=0.5", effect=figure(r"p0\.5", "quantiles")),
    Row("--histogram=3", effect=figure("histogram", "histogram")),
    Row("--distinct", effect=figure("distinct", "distinct_count")),
    Row("--mode", effect=figure("mode", "mode")),
    Row("--variance", effect=figure("variance", "fields", ("field", "0:u64"))),
    Row("--explain", effect=figure("memory", "plan"), ends=True),
    Row("--progress=always", effect=printed("\r")),
    Row("--quiet", effect=lambda run, without: "gsort:" not in run.err or run.code == 1),
    Row("--verbose", effect=figure("elements|memory", "schema")),
    Row("--help", effect=printed("^Usage"), ends=True),
    Row("--version", effect=printed("^gsort [0-9]"), ends=True, blind=["--help"]),
    Row("--parallel=2"),
    Row("--batch-size=4"),
    Row("--io=threads"),
    Row("--chunk=64K"),
    Row("--window=64K"),
    Row("--tune=merge=circular", needs=["--explain", "--device-model=model"], effect=figure("tuning", "plan", "is_circular"), ends=True,
        blind=["--help", "--version"]),
    Row("--tune=merge=tiles", needs=["--explain", "--device-model=model"], like="--tune=merge=circular", ends=True),
]


# ---- what they are given ----


def packed(data):
    """Frames of zstd without zstd: one to be skipped, one that holds the data as they are; whole records together."""
    frame = PACKED + b"\xa0" + struct.pack("<I", len(data)) + (len(data) << 3 | 1).to_bytes(3, "little") + data
    return b"\x50\x2a\x4d\x18" + struct.pack("<I", 4) + bytes(4) + frame


def make_inputs(folder, gsort):
    # Both halves have keys of their own, and keys more than once; two are equal before one is out of order.
    seeded = random.Random(17)
    # Elements with equal keys have another order than their bytes.
    records = [(4, 255, 1.25), (4, 254, 0.25), (9, 253, 0.0), (1, 252, 0.0)]
    # Some keys occur once.
    records += [(100 + i if i % 40 == 9 else seeded.randrange(10) + i // 100 * 4, 255 - i, seeded.randrange(6) / 4) for i in range(4, 200)]
    numbers = [(seeded.randrange(-20, 20) + i // 100 * 9,) for i in range(200)]

    def put(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    def put_elements(name, layout, elements):
        data = b"".join(struct.pack(layout, *element) for element in elements)
        put(name, data)
        put(name + ".tail", data + b"tail")
        put(name + ".packed", packed(data))

    def put_orders(kind, layout, elements, key):
        for name, reverse in ("sorted", False), ("falling", True):
            for i, half in enumerate((elements[:100], elements[100:])):
                put_elements(f"{kind}.{name}.{i}", layout, sorted(half, key=key, reverse=reverse))

    put_elements("records", "<QQd", records)
    put_elements("numbers", "<q", numbers)
    put_orders("records", "<QQd", records, lambda record: (record[0], record[2], record[1]))
    put_orders("records.bytes", "<QQd", records, lambda record: record)
    put_orders("numbers", "<q", numbers, lambda number: number)
    for count in 94, 199, 200, 201:
        put(f"values.{count}", b"".join(struct.pack("<Q", 1000 - i) for i in range(count)))
    put("places.u64", struct.pack("<60Q", *[seeded.randrange(90) for _ in range(60)]))
    put("model", b'{"gpus": 1, "memory": "8G", "to_gpu": 5e10, "from_gpu": 5e10}')
    for name, args in ("part.1.json", ["--part=1/2"]), ("part.2.json", ["--part=2/2"]), ("whole.json", []):
        sorted_files = ["records.sorted.0", "records.sorted.1"]
        command = [gsort, *BASE, "--merge", *sorted_files, *args, "--stats=json", "--output=/dev/null"]
        put(name, subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout)


class Pairs:
    def __init__(self, folder, gsort, letters):
        self.folder, self.gsort, self.letters, self.known = folder, gsort, letters, {}
        self.scratch = os.path.join(folder, "scratch")

    def inputs(self, rows, options):
        kinds = {row.files for row in rows}
        names = {row_name(option) for option in options}
        if "reports" in kinds:
            return ["part.1.json", "part.2.json", "whole.json"]
        name = "numbers" if "--type" in names else "records"
        ending = ".tail" if "tail" in kinds else ".packed" if not kinds & {"sorted", "tail"} and "packed" in kinds else ""
        if "sorted" not in kinds:
            return [name + ending]
        if "--ties" in {row.option for row in rows} and "--key=16:f64" not in options and name == "records":
            name += ".bytes"
        name += ".falling" if "--reverse" in names else ".sorted"
        return [f"{name}.{i}{ending}" for i in range(1 if names & {"--find", "--head", "--tail", "--region"} else 2)]

    def command(self, rows, kinds):
        """`kinds`: rows that say what is read, also where one of them is left out."""
        bases = [row.base for row in rows if row.base is not BASE]
        options = [option for option in BASE if all(option in base for base in bases)]
        if bases and not set(bases[0]) <= set(BASE):
            options = list(bases[0])
        given = {row.option for row in rows}
        needs = dict.fromkeys(need for row in kinds for need in row.needs)  # each once
        options += [need for need in needs if row_name(need) not in given and need not in options]
        is_numbers = any(row.option == "--type" or "--type=i64" in row.base for row in kinds)
        options += [row.of_numbers if is_numbers and row.of_numbers else arg for row in rows for arg in row.args]
        inputs = [os.path.join("..", name) for name in self.inputs(kinds, options)]
        if "--files0-from" in given:
            with open(os.path.join(self.folder, "names"), "w") as file:
                file.write("\0".join(inputs))
            inputs, options = [], [option.replace("=names", "=../names") for option in options]
        count = 200 - ("--header=24" in options) + ("--raw" in given)
        if "--region" in given:
            count = 94
        options = [option.replace("=values:", f"=../values.{count}:").replace("=places", "=../places").replace("=model", "=../model") for option in options]
        return [*options, *inputs]

    def run(self, rows, kinds=None):
        command = self.command(rows, kinds or rows)
        known = self.known.get(tuple(command))
        if known is None:
            os.mkdir(self.scratch)
            done = subprocess.run([self.gsort, *command], cwd=self.scratch, capture_output=True, timeout=60)
            known = self.known[tuple(command)] = Run(done, self.scratch)
            shutil.rmtree(self.scratch)
        return known

    def is_refused(self, rows):
        return self.run(rows).code == 2

    def judge(self, rows):
        """Returns what is wrong with the answer to these rows; None: nothing is."""
        run = self.run(rows)
        lines = run.err.splitlines()
        if run.code == 2:
            if len(lines) != 1 or not lines[0].startswith("gsort: ") or run.out or run.files:
                return "is refused, but not in one line"
            for row in rows:
                words = {row_name(arg) for arg in [*row.args, *row.needs, *row.base]}
                words |= {self.letters[word] for word in words if word in self.letters}
                pattern = "|".join([re.escape(word) + r"(?![a-z-])" for word in words] + [row.named or "^$"])
                if not re.search(pattern, lines[0]):
                    return f"is refused without the name of {row.option}: {lines[0]}"
            return None
        if run.code not in (0, 1):
            return f"ends with {run.code}: {run.err}"
        last = [row for row in rows if row.ends]
        for row in last[-1:] or rows:
            others = [other for other in rows if other is not row]
            is_hidden = any(row.option in map(row_name, other.needs) or other.option in row.blind
                            or other.name == "--check=quiet" for other in others)
            if row.effect and not is_hidden and not row.effect(run, lambda: self.run(others, rows)):
                return f"{row.name} has no effect"
        return None


def refused_text(pairs):
    """A line for each first row of refused pairs."""
    others = {}
    for first, second in pairs:
        others.setdefault(first, []).append(second)
    return "".join(f"{first}: {' '.join(seconds)}\n" for first, seconds in others.items())


def options_of_help(gsort):
    """Each with its letter, or with nothing."""
    text = subprocess.run([gsort, "--help=all"], check=True, capture_output=True, text=True).stdout
    return {name: letter for letter, name in re.findall(r"^  (?:(-\w), |    )(--[a-z0-9-]+)", text, re.M)}


def main():
    gsort = os.path.join(os.path.abspath(sys.argv[1]), "gsort")
    record = sys.argv[3] if sys.argv[2:3] == ["--record"] else None
    writes_refused = sys.argv[2:3] == ["--refused"]
    problems, answers, refused = [], [], []
    rows = {row.name: row for row in ROWS}
    letters = options_of_help(gsort)
    missing = letters.keys() ^ {row.option for row in ROWS}
    if missing:
        problems.append(f"the table and --help differ: {' '.join(sorted(missing))}")
    version = subprocess.run([gsort, "--version"], capture_output=True, text=True, check=True).stdout
    judged = [row for row in ROWS if row.option != "--device-memory" or "cuda" in version]  # a build without CUDA refuses it
    if writes_refused and judged != ROWS:
        sys.exit("option_pairs.py: --refused needs a build with CUDA, which accepts --device-memory")
    # In memory, where there is a file system there: what is written is synced, thousands of times.
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        make_inputs(folder, gsort)
        pairs = Pairs(folder, gsort, {name: letter for name, letter in letters.items() if letter})
        for row in judged:
            wrong = pairs.judge([row]) or (pairs.is_refused([row]) and "is refused alone")
            if wrong:
                problems.append(f"{row.name}: {wrong}")
        taken = [(a, b) for a, b in combinations(judged, 2) if a.option != b.option]
        third = os.environ.get("GS_TEST_THIRD")
        if third and len(sys.argv) == 2:
            taken = taken[int(third) - 1::3]
        for a, b in taken:
            run = pairs.run([a, b])
            answers.append(f"{a.name} {b.name}\t{run.err.strip() if run.code == 2 else 'accepted'}\n")
            if run.code == 2:
                refused.append((a.name, b.name))
            wrong = pairs.judge([a, b])
            for row, other in (a, b), (b, a):
                like = rows.get(row.like)
                if like and not wrong and pairs.is_refused([like, other]) and not pairs.is_refused([row, other]):
                    wrong = f"is accepted, but with {like.name} refused"
            if wrong:
                problems.append(f"{a.name} {b.name}: {wrong}")
    if writes_refused:
        with open(sys.argv[3], "w") as file:
            file.write(refused_text(refused))
        return 0
    with open(REFUSED_PAIRS) as file:
        known = {(line.split(": ")[0], other) for line in file for other in line.split(": ")[1].split()}
    for a, b in sorted((known ^ set(refused)) & {(a.name, b.name) for a, b in taken}):
        problems.append(f"{a} {b}: {'is refused, but not' if (a, b) in refused else 'is not refused, but'} in {REFUSED_PAIRS}")
    if record:
        with open(record, "w") as file:
            file.writelines(answers)
        return 0
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
