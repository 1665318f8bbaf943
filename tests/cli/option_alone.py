#!/usr/bin/env python3
"""Every option of gsort alone beside a plain job shows: in the output, the report, the plan or a message; or it is refused.

    option_alone.py BIN_DIR     silent and 0, or a line for each option that does neither, and 1

An option that shows nowhere stands in UNSEEN, with the reason why it is accepted. Every option of `gsort --help=all` and
every old spelling has a row in ROWS, so that a new one cannot be left out.
"""
import json
import os
import re
import random
import struct
import subprocess
import sys
import tempfile

# Plain jobs: the input, and what says what its elements are.
JOBS = {"numbers": ["x.u64"], "floats": ["x.f64"], "records": ["-R", "24", "-k", "0:u64", "x.rec"], "npy": ["x.npy"],
        "sorted": ["s.u64"], "bytes": ["x.uint8"]}
# How each option is given, with a value that is not its default.
ROWS = """
--type=i64 --record=8 --fields=x=0:u32 --key=8:u32 --where=>5 --reverse --nan=first --ties=bytes --stable -s --merge --merge=union --files0-from=names
--header=16 --header=0 --drop-header --drop-tail --region=16:64 --range=1:3 --part=1/2 --find=3 --raw --strict --output=other --into=other --split=2
--split-at=5 --unique --count --keep=last --group=1 --sum=8:u32 --min=8:u32 --max=8:u32 --sum-wide --order-by=0:u32:desc --out=0:8 --out-order=big
--values=x.u64:8=v --argsort --index=u32 --top=3 --shuffle=7 --sample=3 --permute=places.u64 --zstd --verify=read --memory=64M --temporary-directory=temp --resume=kept
--compress=zstd --spill=always --device=cpu --device-memory=1G --device-model=model --check --check-quiet --head=3 --tail=3
--print --json --stats --stats-only --stats-of=8:u32 --join-reports --quantiles=0.25 --histogram=3 --distinct --mode --variance
--explain --progress=always --quiet --verbose --help --version --parallel=1 --batch-size=2 --io=threads --chunk=64K --window=64K
--tune=merge=circular
""".split()
# Options without a visible effect, by option and job ("*": all jobs), with the reason why they are accepted.
UNSEEN = {
    "--nan": ({"bytes", "numbers", "records", "sorted"}, "integers have no NaN; the type may come from a file"),
    "--ties": ({"npy"}, "the default keys of a .npy file cover every field"),
    "--stable": ({"*"}, "sort(1)'s word for what gsort does anyway"),
    "-s": ({"*"}, "as --stable"),
    "--record": ({"npy"}, "the file says the same"),
    "--header=0": ({"bytes", "numbers", "floats", "records", "sorted"}, "a script may compute the length of a header"),
    "--drop-tail": ({"*"}, "these inputs end with a whole element"),
    "--raw": ({"bytes", "numbers", "floats", "records", "sorted"}, "these inputs have no format"),
    "--strict": ({"*"}, "something says what these elements are"),
    "--out-order": ({"bytes"}, "one byte has no order of bytes; the type may come from a file"),
    "--device": ({"*"}, "it is the CPU where there is no GPU"),
    "--device-memory": ({"*"}, "a build with CUDA may meet a GPU; one without refuses it"),
    "--compress": ({"*"}, "nothing is spilled here"),
    "--batch-size": ({"*"}, "nothing is merged here"),
    "--quiet": ({"*"}, "there are no notes here"),
}
NOT_THE_SAME = re.compile(r'(?m)^(time|engine) .*$|"[a-z_]*(seconds|peak_bytes|_busy|free_bytes)": [^,}\n]*')
MEMORY = ["-S", "256M"]  # the default is a share of what is free just now


def make_inputs(folder):
    source = random.Random(51)
    keys = [source.randrange(40) for _ in range(600)]
    write = lambda name, data: open(os.path.join(folder, name), "wb").write(data)
    write("x.u64", struct.pack("<600Q", *keys))
    write("x.uint8", bytes(keys))
    write("s.u64", struct.pack("<600Q", *sorted(keys)))
    write("x.f64", struct.pack("<600d", *[float("nan") if k == 7 else k - 20 for k in keys]))
    write("x.rec", b"".join(struct.pack("<QIId", k, source.randrange(100), 7 * k, -k) for k in keys))
    header = b"{'descr': [('a', '<u4'), ('b', '<f4')], 'fortran_order': False, 'shape': (300,), }"
    write("x.npy", b"\x93NUMPY\x01\x00v\x00" + header.ljust(117) + b"\n" +
          b"".join(struct.pack("<If", k, float("nan") if k == 7 else k) for k in keys[:300]))
    write("names", b"x.u64\0")
    write("places.u64", struct.pack("<3Q", 5, 299, 5))
    write("model", json.dumps({"gpus": 1, "memory": "8G", "to_gpu": 5e10, "from_gpu": 5e10}).encode())
    os.mkdir(os.path.join(folder, "temp"))


class Alone:
    def __init__(self, binary, folder):
        self.gsort, self.folder, self.plain = os.path.join(binary, "gsort"), folder, {}

    def run(self, arguments):
        """The exit code, and all that was printed and written."""
        known = set(os.listdir(self.folder))
        done = subprocess.run([self.gsort, *arguments], cwd=self.folder, capture_output=True, stdin=subprocess.DEVNULL)
        files = {}
        for name in sorted(set(os.listdir(self.folder)) - known):
            path = os.path.join(self.folder, name)
            files[name] = open(path, "rb").read() if os.path.isfile(path) else b"a folder"
            os.system(f"rm -rf '{path}'")
        clean = lambda data: NOT_THE_SAME.sub("", data.decode("latin-1"))
        return done.returncode, clean(done.stdout), clean(done.stderr), {name: clean(data) for name, data in files.items()}

    def looks(self, job, option):
        """Returns what a job shows: its output and messages, its report, its plan."""
        given = [option] if option else []
        if option and option.startswith("--record"):
            job = job[-1:]
        given += [] if option and option.startswith("--memory") else MEMORY
        output = [] if option and option.split("=")[0] in ("--output", "--into") else ["-o", "out"]
        for more in output, output + ["--stats=json:report"], output + ["--explain", "--stats=json"]:
            yield given + job + more

    def answer(self, name, option):
        """Returns "seen" if the option shows in the job, "refused" if it is refused, or "unseen"."""
        if name not in self.plain:
            self.plain[name], again = ([self.run(arguments) for arguments in self.looks(JOBS[name], None)] for _ in range(2))
            if self.plain[name] != again: # then every option would seem to show
                sys.exit(f"{name}: two runs of the same command line differ")
        got = [self.run(arguments) for arguments in self.looks(JOBS[name], option)]
        if got[0][0] == 2:
            return "refused"
        return "seen" if got != self.plain[name] else "unseen"


def known_options(binary):
    """Returns the names in the help, and of old spellings in the table."""
    told = subprocess.run([os.path.join(binary, "gsort"), "--help=all"], capture_output=True, text=True, check=True).stdout
    rows = os.path.join(os.path.dirname(__file__), "../../src/option/option_rows.c")
    hidden = re.findall(r'\[GSI_OPT_\w+\] =\s*\{\{\s*"([a-z0-9-]+)"(?:(?!GSI_OPT_).)*?is_hidden = true', open(rows).read(), re.S)
    return set(re.findall(r"^  (?:-., |    )--([a-z0-9-]+)", told, re.M)) | set(hidden)


def main(binary):
    wrong = []
    version = subprocess.run([os.path.join(binary, "gsort"), "--version"], capture_output=True, text=True, check=True).stdout
    if "cuda" not in version:
        del UNSEEN["--device-memory"]
    names = {row.split("=")[0] for row in ROWS}
    missing = {"--" + name for name in known_options(binary)} - names
    wrong += [f"{name}: has no row" for name in sorted(missing)]
    used = set()
    with tempfile.TemporaryDirectory() as folder:
        make_inputs(folder)
        alone = Alone(binary, folder)
        for option in ROWS:
            name = option.split("=")[0]
            unseen = {job for job in JOBS if alone.answer(job, option) == "unseen"}
            entry = option if option in UNSEEN else name
            may = UNSEEN.get(entry, (set(), ""))[0]
            if unseen:
                used.add(entry)
            for job in sorted(unseen):
                if "*" not in may and job not in may:
                    wrong.append(f"{option}, {job}: shows nowhere, and is not refused")
            for job in sorted(may - unseen - {"*"}):
                wrong.append(f"{option}, {job}: shows, or is refused; take it out of UNSEEN")
    wrong += [f"{name}: always shows or is refused; take it out of UNSEEN" for name in sorted(set(UNSEEN) - used)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1])))
