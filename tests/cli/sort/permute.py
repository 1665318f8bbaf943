"""permute.py JOBS: draws jobs of --permute, and compares their outputs with elements that Python takes from a list.

Elements of many lengths, positions of any number and order, in memory and by sorts, from files and from pipes; some have a
position that is too large, which is refused in one line that names it, and leaves no output.
"""
import os
import random
import struct
import subprocess
import sys

TYPES = {1: "uint8", 2: "i16", 4: "f32", 8: "u64", 16: "u128"}
WAYS = ["", "--parallel=1", "--verify=read", "--spill=always", "--spill=always -S 32M", "--spill=always --verify=read",
        "--spill=always --chunk=64K --window=64K --batch-size=3", "--spill=always --compress=zstd --io=threads"]
rng = random.Random(int(os.environ.get("GS_TEST_SEED", 1)))


def draw_positions(count):
    positions = [rng.randrange(count) for _ in range(rng.choice([0, 1, 5, 1000, 30000]))] if count else []
    order = rng.choice(["random", "rising", "falling", "one", "permutation"])
    if order in ("rising", "falling"):
        positions.sort(reverse=order == "falling")
    if order == "one":
        positions = positions[:1] * len(positions)
    if order == "permutation":
        positions = rng.sample(range(count), count)
    return positions


def write_positions(positions):
    """Returns the argument for --permute."""
    letter, kind = rng.choice("IQiq"), rng.choice(["name", "type", "npy"])
    number = {"I": "u32", "Q": "u64", "i": "i32", "q": "i64"}[letter]
    data = struct.pack(f"<{len(positions)}{letter}", *positions)
    if kind == "npy":
        head = f"{{'descr': '<{number[0]}{int(number[1:]) // 8}', 'fortran_order': False, 'shape': ({len(positions)},), }}"
        data = b"\x93NUMPY\x01\x00v\x00" + head.encode().ljust(117) + b"\n" + data
    file, argument = {"name": (f"p.{number}", f"p.{number}"), "npy": ("p.npy", "p.npy"), "type": ("p", f"p:u{number[1:]}")}[kind]
    with open(file, "wb") as to:
        to.write(data)
    return argument


def run_job(number):
    length = rng.choice([1, 2, 3, 4, 5, 7, 8, 12, 16, 24, 100, 1000])
    count = rng.choice([0, 1, 2, 10, 1000, 20000])
    data = rng.randbytes(length * count)
    positions = draw_positions(count)
    want = b"".join(data[length * p:length * (p + 1)] for p in positions)
    wrong = None
    if positions and rng.random() < 0.2:
        wrong = rng.randrange(len(positions))
        positions[wrong] = count + rng.choice([0, 1, 1 << 30])
    cut = rng.randrange(count + 1) * length
    for name, part in ("one", data[:cut]), ("two", data[cut:]):
        with open(name, "wb") as to:
            to.write(part)
    what = ["-t", TYPES[length]] if length in TYPES and rng.random() < 0.6 else ["-R", str(length)]
    is_piped = rng.random() < 0.3
    command = ["gsort", *what, "--permute", write_positions(positions), *rng.choice(WAYS).split(), "-o", "out", *(["-"] if is_piped else ["one", "two"])]
    done = subprocess.run(command, capture_output=True, input=data if is_piped else b"", timeout=60)
    if wrong is None:
        is_right = done.returncode == 0 and not done.stderr and open("out", "rb").read() == want
    else:
        said = f"entry {wrong} of '{command[4].split(':')[0]}' is {positions[wrong]}, but the inputs have {count} element"
        is_right = done.returncode == 2 and said in done.stderr.decode() and done.stderr.count(b"\n") == 1 and not os.path.exists("out")
    if not is_right:
        print(f"job {number}: {' '.join(command)}: {done.returncode}", done.stderr.decode())
    if os.path.exists("out"):
        os.remove("out")


for job in range(int(sys.argv[1])):
    run_job(job)
