#!/usr/bin/env python3
"""A report depends on the options and the data, and not on how gsort did the work.

    report_paths.py BIN_DIR           silent and 0, or a line for each field that differs, and 1
    report_paths.py BIN_DIR all       the same with every job in every way, which takes three times as long
    report_paths.py BIN_DIR TEXT      the same with the jobs whose options contain TEXT
    GS_TEST_THIRD=I                   every third job, from the I-th on

Each job of JOBS runs in the first way of WAYS, and in a third of the others, which another GS_TEST_SEED changes: with
much memory and little, on one thread and several, from files and pipes, with either I/O engine, spilled or not, in one pass or not, by
counting values or not. All fields of the JSON report have to be the same, apart from PATH_FIELDS, which describe the way. A way
that a job refuses is left out.
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

SEED = int(os.environ.get("GS_TEST_SEED", "5"), 0)
THIRD = slice(int(os.environ["GS_TEST_THIRD"]) - 1, None, 3) if os.environ.get("GS_TEST_THIRD") else slice(None)

# What a report says about how the work was done. No other field may depend on that.
PATH_FIELDS = {
    "device", "device_name", "device_note", "engine", "engine_note", "is_direct_input", "is_direct_output", "is_direct_temp",
    "seconds", "start_seconds", "device_start_seconds", "end_seconds", "plan", "phases", "memory", "memory_peak_bytes",
    "run_count", "spilled_runs", "spilled_bytes", "spilled_coded_bytes", "coded_runs", "codec", "host_run_bytes",
    "circular_merge_count", "merge_passes", "in_order_bytes", "is_one_pass", "in_order_note", "stretch_count", "stretch_bytes",
    "bytes_read", "bytes_written", "temp_bytes", "quantile_passes", "folded_count",
    "resumed_bytes", "resumed_output_bytes",
    "input_file_bytes", "output_file_bytes",  # of packed files, and with what is passed over
    "written.sorted_bytes",  # of positions: how many bits they take, if their number is known
}
# A merge with --top reads until it has enough, some blocks at a time. The report is of what was read.
READ_SO_FAR = ("input_bytes", "tally.", "left_out_")
PACKED = "PACKED"  # in place of an option: the input is packed
PIPED = "PIPED"  # the input is a pipe

# The first way is that with which all others are compared.
WAYS = [
    [],
    ["--parallel=1"],
    ["--parallel=3"],
    ["--memory=11M"],
    ["--memory=11M", "--parallel=2"],
    ["--memory=16M", "--parallel=3"],
    ["--memory=64M", "--spill=always"],
    ["--spill=always", "--chunk=64K", "--batch-size=2", "--memory=32M"],  # with a quarter of the machine it takes ten times as long
    ["--spill=always", "--chunk=256K", "--compress=none", "--memory=48M"],
    ["--spill=always", "--compress=zstd", "--parallel=2", "--memory=48M"],
    ["--io=threads"],
    ["--io=threads", "--memory=11M"],
    [PIPED],
    [PIPED, "--memory=11M"],
    [PIPED, "--parallel=3", "--spill=always", "--memory=48M"],
    [PACKED],
    [PACKED, "--memory=11M"],
    ["--output=/dev/null"],
    ["--output=out.zst"],
    ["--verify=read"],
    ["--resume=kept"],
    ["--resume=kept", "--memory=11M"],
    ["--device=cuda"],
    ["--device=cuda", "--memory=64M"],
]

RANKS = ["--quantiles=0,0.5,0.99,1", "--histogram=5", "--distinct", "--mode"]
SCANNED = ["--stats-only", "--quantiles=0,0.5,0.99,1"]
RECORDS = ["--record=24", "--key=0:u64:desc"]
AB, BA = ["--stats-of=16:f64", "--stats-of=0:u64"], ["--stats-of=0:u64", "--stats-of=16:f64"]
FOLDS = ["--unique", "--sum=8:u64", "--max=16:f64"]

# What is sorted, and its options.
JOBS = [(kind, [f"--type={kind.split('.')[0]}", *options]) for kind in ("u64", "u64.near", "f64", "uint8")
        for options in (
            [], ["--reverse"], RANKS, ["--variance"], ["--top=10"], ["--top=90000"], ["--top=0"], ["--unique"],
            ["--unique", "--count"], ["--unique", "--keep=dups"], ["--unique", "--keep=repeated"],
            ["--unique", "--top=5"], ["--unique", "--top=0"], ["--argsort"], ["--where=<100"], ["--where=<0"],
            ["--stats-only"], ["--stats-only", "--variance"], SCANNED, [*SCANNED, "--histogram=5"], ["--split=3"],
            ["--split-at=50"])]
JOBS += [(kind, [f"--type={kind}", *options]) for kind in ("u32", "f16") for options in ([], RANKS, ["--top=10"], SCANNED)]
JOBS += [(kind, [*RECORDS, *options]) for kind in ("records", "records.near")
         for options in (
             [], AB, BA, [*AB, *RANKS], [*BA, *RANKS], RANKS, [*AB, "--variance"], ["--top=10", *AB], ["--top=60000", *AB],
             ["--unique"], ["--unique", *AB], ["--unique", "--keep=last"], FOLDS, [*FOLDS, *AB], [*FOLDS, "--count"],
             [*FOLDS, *RANKS, *AB], [*FOLDS, "--top=3"], ["--unique", "--sum=8:u64:wide", "--min=16:f64"],
             ["--key=8:u64", "--group=1", "--unique", "--max=16:f64", "--keep=last"],
             ["--ties=bytes"], ["--argsort", *AB], ["--argsort", "--unique"], ["--out=0:8,16:8", *AB], ["--out=0:8", "--unique"],
             ["--out=8:16", *FOLDS], ["--where=16:f64>50", *AB], ["--where=16:f64>1e9"],
             ["--stats-only"], ["--stats-only", *AB], [*SCANNED, *AB], [*SCANNED, *BA], [*SCANNED, "--histogram=5"],
             ["--split=3", *AB], ["--key=16:f64", *BA, *RANKS])]
JOBS += [(kind, ["--type=u64", *options]) for kind in ("empty", "one")
         for options in ([], RANKS, ["--variance"], ["--top=10"], ["--unique"], ["--stats-only"], SCANNED, ["--argsort"])]
JOBS += [(kind, [*RECORDS, *options]) for kind in ("empty", "one.record")
         for options in ([*AB, *RANKS], ["--top=10"], ["--unique"], FOLDS, [*SCANNED, *AB], ["--out=0:8", "--unique"])]
JOBS += [("records", ["--record=24", *options]) for options in ([], ["--stats-of=8:u64"], ["--unique"], ["--stats-only"])]
JOBS += [(kind + ".sorted", [*options, *more]) for kind, options in (("u64", ["--type=u64"]), ("records", RECORDS))
         for more in (["--check", "--stats"], ["--check", "--unique", "--stats"])]
JOBS += [("u64.sorted u64.sorted u64.other", ["--type=u64", merge, *more])
         for merge in ("--merge", "--merge=union", "--merge=intersect", "--merge=except", "--merge=anti")
         for more in ([], ["--stats-only"], ["--unique"], ["--unique", "--stats-only"], ["--unique", "--count"], ["--top=7"],
                      ["--unique", "--top=7"], ["--variance"])]
JOBS += [("u64.sorted u64.other", ["--type=u64", "--merge", *more]) for more in (["--part=1/2"], ["--unique", "--where=<50"])]
JOBS += [("records.sorted records.sorted", [*RECORDS, merge, *more]) for merge in ("--merge", "--merge=union")
         for more in ([], AB, ["--stats-only", *AB], FOLDS, [*FOLDS, "--stats-only"], ["--unique", *AB])]
JOBS += [("records.sorted records.sorted", [*RECORDS, "--merge", "--find=3..9"])]

# Jobs whose reports have the same values without a sort.
RANKS_OF_ALL = ["--quantiles=0,0.5,0.99,1", "--histogram=5"]
SCANNED_TOO = [(kind, [f"--type={kind}", *RANKS_OF_ALL]) for kind in ("u64", "f64", "f16", "uint8")]
SCANNED_TOO += [("records", [*RECORDS, *fields, *RANKS_OF_ALL, "--variance"]) for fields in (AB, BA, [])]


def make_inputs(folder, gsort):
    seeded = random.Random(SEED)
    count = 110000

    def put(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)
        subprocess.run(["zstd", "-q", os.path.join(folder, name)], check=True)

    def put_numbers(name, letter, numbers):
        put(name, struct.pack(f"<{len(numbers)}{letter}", *numbers))

    def put_records(name, keys):
        put(name, b"".join(struct.pack("<QQd", key, seeded.randrange(1000), seeded.randrange(800) / 8) for key in keys))

    # Most values occur more than once; some are alone.
    numbers = [seeded.randrange(30000) for i in range(count)]
    near = [i // 3 + seeded.randrange(200) for i in range(2 * count)]
    put_numbers("u64", "Q", 3 * numbers + [10**9])
    put_numbers("u64.near", "Q", near)
    put_numbers("u64.sorted", "Q", sorted(numbers))
    put_numbers("u64.other", "Q", sorted(number + 15000 for number in numbers[:count // 2]))
    put_numbers("u32", "I", numbers)
    put_numbers("uint8", "B", [number % 251 for number in numbers])
    put_numbers("f64", "d", [float("nan"), -0.0, float("inf")] + [number / 4 - 5 for number in numbers])
    put_numbers("f16", "e", [float("nan"), -0.0] + [number % 2000 for number in numbers])
    put_numbers("empty", "Q", [])
    put_numbers("one", "Q", [7])
    put_records("one.record", [7])
    put_records("records", numbers)
    put_records("records.near", [2 * count - number for number in near[:count]])
    put_records("records.sorted", sorted(numbers[:count // 2], reverse=True))
    return count


def path_free(report):
    """The report without the fields that describe the path, each under its path."""
    flat = {}

    def put(value, path):
        if path in PATH_FIELDS:
            return
        if isinstance(value, dict):
            for name, member in value.items():
                put(member, f"{path}.{name}" if path else name)
        elif isinstance(value, list):
            flat[f"{path}.length"] = len(value)
            for i, member in enumerate(value):
                put(member, f"{path}[{i}]")
        else:
            flat[path] = value

    put(report, "")
    return flat


def run(gsort, folder, kind, options, way):
    """The report, or None where the way is refused."""
    inputs = [os.path.join("..", name) + (".zst" if PACKED in way else "") for name in kind.split()]
    command = [gsort, *options, *(option for option in way if option.startswith("--")), "--quiet"]
    is_sort = not any(option in ("--stats-only", "--check") for option in options)
    if is_sort and not any(option.startswith("--output=") for option in way):
        command.append("--output=out.%d" if any(option.startswith("--split") for option in options) else "--output=out")
    elif is_sort and any(option.startswith("--split") for option in options):
        return None
    command = [option for option in command if option != "--stats"] + ["--stats=json:report.json"]
    if PIPED in way:
        line = " ".join(f"'{word}'" for word in command) + "".join(f" <(cat {name})" for name in inputs)
        done = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, timeout=120)
    else:
        done = subprocess.run([*command, *inputs], cwd=folder, capture_output=True, timeout=120)
    if done.returncode == 2 or b"this machine has no NVIDIA GPU" in done.stderr:
        return None
    if done.returncode not in (0, 1):
        return {"failure": f"exit {done.returncode}: {done.stderr.decode()}"}
    with open(os.path.join(folder, "report.json")) as file:
        return json.load(file)


def values_of(report):
    return {name: report.get(name) for name in ("tally", "fields", "ranks_of", "quantiles", "histogram")}


def differs_without_sort(gsort, top, kind, options):
    """Whether a report of --stats-only has other values than that of a sort."""
    reports = []
    for action in [], ["--stats-only"]:
        with tempfile.TemporaryDirectory(dir=top) as folder:
            reports.append(values_of(run(gsort, folder, kind, options + action, [])))
    return reports[0] != reports[1]


def main():
    gsort = os.path.join(os.path.abspath(sys.argv[1]), "gsort")
    pattern = sys.argv[2] if len(sys.argv) > 2 else None
    step = 3 if pattern is None else 1
    pattern = "" if pattern in (None, "all") else pattern
    problems, compared = 0, 0
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as top:
        make_inputs(top, gsort)
        for number, (kind, options) in list(enumerate(JOBS))[THIRD]:
            if pattern not in f"{kind} {' '.join(options)}":
                continue
            first, ways = None, 0
            for way in [WAYS[0], *WAYS[1 + (number + SEED) % step::step]]:
                with tempfile.TemporaryDirectory(dir=top) as folder:
                    report = run(gsort, folder, kind, options, way)
                if report is None:
                    continue
                found = path_free(report)
                if "--merge" in " ".join(options) and "--top=7" in options:
                    found = {name: value for name, value in found.items() if not name.startswith(READ_SO_FAR)}
                ways += 1
                first = first if first is not None else found
                for name in sorted(found.keys() | first.keys() if "failure" not in found else ["failure"]):
                    a, b = first.get(name, "(is not there)"), found.get(name, "(is not there)")
                    if a != b:
                        print(f"{kind} {' '.join(options)}: {name} is {a!r}, and {b!r} with {' '.join(way)}", flush=True)
                        problems += 1
            compared += ways
            if ways < (6 if step == 1 else 2):
                print(f"{kind} {' '.join(options)}: only {ways} ways")
                problems += 1
        for kind, options in SCANNED_TOO[THIRD]:
            if pattern in f"{kind} {' '.join(options)}" and differs_without_sort(gsort, top, kind, options):
                print(f"{kind} {' '.join(options)}: has other values with --stats-only")
                problems += 1
    if compared == 0:
        print("nothing was compared")
    return 1 if problems or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
