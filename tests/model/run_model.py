#!/usr/bin/env python3
"""Runs random jobs with gsort, each in several ways, and compares outputs, reports and printed text with a model.

    run_model.py BIN_DIR                     some jobs, of which every allowed pair of options is part of one at least
    run_model.py BIN_DIR --jobs N            so many
    run_model.py BIN_DIR --seed S --only I   job I of this seed alone; its files stay in ./model-S-I
    run_model.py BIN_DIR --coverage          prints pairs and edge cases that no job had
    run_model.py BIN_DIR --triples           triples of options that no job had come first, instead of pairs
    run_model.py BIN_DIR --with OPTION       those of the jobs that have this option
    run_model.py BIN_DIR --tiny PROGRAM      some ways run in a gsort with small constants (GSI_CONSTANT)
    run_model.py BIN_DIR --gpu PROGRAM       some ways run in a gsort with an emulated GPU; without it, on a real GPU if there is one
"""
import argparse
import ctypes
import itertools
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

import draw
import judge
import variants

JOBS = 3000
JOBS_SMALL = 500
ADVICE = re.compile(r"^gsort: (?P<option>--window|--chunk|--batch-size|--memory)(?P<all> and )?.*(?:use (?P<better>(?P=option)=\w+)$|leave (?:(?P=option)|them) out$|"
                    r"too few to sort with; at least (?P<least>\d+) MiB are needed)", re.M)


# ---- a run ----


PROGRESS = re.compile("\r[^\r\n]*\x1b\\[K")  # what overwrites itself


class Done:
    def __init__(self, code, out, err, files):
        self.code, self.out, self.err, self.files = code, out, PROGRESS.sub("", err.decode("utf-8", "replace")), files


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
    """Runs a command. If memory, a window, a chunk or a batch is too small, runs the command that gsort advises."""
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
    """Returns what was written, and removes it."""
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


# ---- other ways to run it ----


class Library:
    """libgsort in this process."""

    SORT, STATS, JSON = 0, 1, 1
    ALONE = {"--merge": "all", "--argsort": "u64", "--zstd": "1"}
    LISTS = {"--fields", "--key", "--where", "--stats-of", "--values", "--sum", "--min", "--max", "--quantiles", "--split-at", "--order-by", "--out", "--temporary-directory"}
    IN_PROGRAM = {"--quiet", "--verbose", "--files0-from", "--stats", "--stats-only", "--print", "--progress"}

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


# Threads hold buffers, into which they fold others.
FOLDING_WAYS = [["--window=4K", "--chunk=4K", "--parallel=3", "--memory=64M"], ["--window=4K", "--chunk=4K", "--parallel=2", "--memory=96M"]]

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
    if case.folds_nans:
        yield gsort, None, other_way(rng, PAIRS, case, FOLDING_WAYS)
    runs_on_gpu = gpu and case.job.verb == "sort" and not case.job.merge and PAIRS.goes_with("--device=cpu", case.names)
    if runs_on_gpu and rng.random() < (0.7 if case.job.argsort else 0.3) and sum(map(len, case.job.files)) < 3000:
        yield gpu, None, other_way(rng, PAIRS, case, GPU_WAYS)
    else:
        yield rng.choice([gsort, tiny or gsort]), rng.choice([None, "v1", "v2", "v3"]), other_way(rng, PAIRS, case, WAYS)


def command_text(gsort, command, case, level=None):
    text = " ".join(map(shlex.quote, [gsort, *command]))
    return (f"GS_TEST_CPU={level} " if level else "") + text + (f" <{case.stdin}" if case.stdin else "")


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
        wanted = judge.expected(case)

        def note(way, wrong):
            problems.extend(f"{problem}\n    {way}" for problem in wrong[:3])

        if is_refused:
            texts.append(command_text(gsort, case.command(), case))
            if names <= case.names:  # all could be given
                note(texts[0], judge.refusal_problems(run(gsort, case, case.command(), folder)))
            return Outcome(index, set(), set(), problems, texts)
        dones, reports = [], []
        for program, level, command in [(gsort, None, case.command()), *other_ways(rng, gsort, case)]:
            texts.append(command_text(program, command, case, level))
            command, done = run_as_advised(program, case, command, folder, level)
            note(texts[-1], judge.problems(case, wanted, done, command))
            dones.append(done)
            reports.append(judge.report_of(done, command) if done.code == 0 else None)
        note(texts[0], list(judge.differing_facts(case, reports)))
        # A sum after the end of --top may not fit, and is seen or not.
        if "--zstd" in case.names and len({judge.compressed(case, done) for done in dones if done.code == 0}) > 1:
            note(texts[0], ["compressed to other bytes in another way"])
        if "--resume=kept" in case.names and "--output=out.%d" in case.names:
            command = case.command()
            note(f"{texts[0]}  # killed, and run again", judge.problems(case, wanted, run_killed(gsort, case, command, folder, rng), command))
        done = LIBRARY.run(case, folder) if LIBRARY else None
        if done is not None:
            note(f"{texts[0]}  # by libgsort", judge.library_problems(case, wanted, done))
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
    parser.add_argument("--triples", action="store_true", help="every allowed triple of options comes, if there are enough jobs")
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
    sets = [(names, False) for names in variants.sets_of_names(PAIRS, arguments.seed, arguments.jobs, 3 if arguments.triples else 2)]
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
            had |= set(map(frozenset, itertools.combinations(outcome.names, 2)))
            if arguments.coverage or arguments.triples:
                triples |= set(map(frozenset, itertools.combinations(outcome.names, 3)))
            edges |= {(name, edge) for name in outcome.names for edge in outcome.edges}
            if outcome.problems:
                wrong += 1
                print(f"seed {arguments.seed}, job {outcome.index} "
                      f"(--seed {arguments.seed} --jobs {arguments.jobs} --only {outcome.index}):")
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
        print(f"{len(edges)} pairs of an option and an edge case")
    if arguments.coverage or arguments.triples:
        allowed = PAIRS.allowed_sets(3)
        print(f"{len(allowed & triples)} of {len(allowed)} allowed triples")
    print(f"{len(works)} jobs, {wrong} wrong; {len(PAIRS.allowed) - len(missing)} of {len(PAIRS.allowed)} allowed pairs")
    return 1 if wrong or missing and arguments.jobs >= JOBS and not arguments.having else 0


if __name__ == "__main__":
    sys.exit(main())
