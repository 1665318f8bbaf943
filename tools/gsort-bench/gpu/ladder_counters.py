#!/usr/bin/env python3
"""ladder_counters.py: reads the GPU's counters for the kernel ladder; they explain the speed of each rung.

    ladder_counters.py GSORT_BENCH [--type u32] [--size 256M] [--ncu PATH]

Runs `GSORT_BENCH ladder` under NVIDIA's ncu, which needs the right to read counters. Prints one line of Markdown for the
first launch of each kernel and shape (grid x block, shared memory). Leaves out kernels of sorts, which run the same
merges, and launches on results of blocks. Also leaves out kernels that are slow for an obvious reason: one atomic per
element, or a merge by one thread. Exit status 1: ncu failed, or reported no kernel of the ladder.
"""
import argparse
import csv
import re
import subprocess
import sys

TIME = "gpu__time_duration.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
LANES = "smsp__thread_inst_executed_per_inst_executed.ratio"
WORKING = "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio"
WARPS = "sm__warps_active.avg.pct_of_peak_sustained_active"
DRAM = "dram__throughput.avg.pct_of_peak_sustained_elapsed"
ISSUED = "sm__inst_issued.avg.pct_of_peak_sustained_active"
LOADS = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio"
STORES = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio"
REGISTERS = "launch__registers_per_thread"
SHARED = "launch__shared_mem_per_block_dynamic"
METRICS = [TIME, CONFLICTS, WAVEFRONTS, LANES, WORKING, WARPS, DRAM, ISSUED, LOADS, STORES, REGISTERS, SHARED]
KERNELS = "gsi_reduce_[b-z]|gsi_merge_two.*gsi_merge_(basic|tiled|circular)|gsi_tally_add|gsi_kway_merge|DeviceReduce|DeviceMerge"

# The name of a kernel, by the first pattern that its demangled name matches. None: a kernel of a sort, or of blocks' results.
NAMES = [
    (r"MergeSort|BlockSort|gsi_of_words", None),
    (r"gsi_reduce_(\w+)<", lambda m: "sum " + m[1].replace("_", " ")),
    (r"gsi_merge_basic", lambda m: "merge basic"),
    (r"gsi_merge_(tiled|circular)<gsi_share_direct", lambda m: "merge " + m[1]),
    (r"gsi_merge_(tiled|circular)<gsi_share_registers", lambda m: "merge " + m[1] + " registers"),
    (r"gsi_tally_\w+", lambda m: "sum production: " + m[0]),
    (r"gsi_kway_merge<[^,]*, (\(int\))?1>", lambda m: "merge production: gsi_kway_merge"),
    (r"DeviceReduce\w*", lambda m: "CUB: " + m[0]),
    (r"DeviceMerge\w*", lambda m: "CUB: " + m[0]),
]


def short_name(kernel):
    for pattern, name in NAMES:
        match = re.search(pattern, kernel)
        if match:
            return name and name(match)
    return None


def run(options):
    command = [options.ncu, "--csv", "--page", "raw", "--kernel-name-base", "demangled", "--kernel-name",
               "regex:" + KERNELS, "--clock-control", "none", "--metrics",
               ",".join(METRICS), options.bench, "ladder", "--type", options.type, "--size", options.size, "--repeat",
               "1"]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"ladder_counters.py: ncu failed: {done.stdout[-2000:]}")
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    return list(csv.DictReader(lines))


def number(row, metric):
    text = row.get(metric, "").replace(",", "")
    return float(text) if text else 0.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bench")
    parser.add_argument("--type", default="u32")
    parser.add_argument("--size", default="256M")
    parser.add_argument("--ncu", default="ncu")
    options = parser.parse_args()
    rows, seen = run(options), set()
    units = rows[0] if rows and not rows[0]["ID"] else {}
    microseconds = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3, "s": 1e6,
                    "second": 1e6}.get(units.get(TIME, ""), 1e-3)
    print("| kernel | grid x block | us | bank conflicts a wavefront | lanes of 32, at work | warps | DRAM | issue | "
          "sectors a load, a store | registers |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for row in rows:
        name = row["ID"] and short_name(row["Kernel Name"])
        if not name:
            continue
        shape = [re.findall(r"\d+", row[key])[0] for key in ("Grid Size", "Block Size")]
        if (name, *shape, row.get(SHARED)) in seen:
            continue
        seen.add((name, *shape, row.get(SHARED)))
        waves = number(row, WAVEFRONTS)
        print(f"| {name} | {shape[0]} x {shape[1]} | {number(row, TIME) * microseconds:.0f} "
              f"| {number(row, CONFLICTS) / waves if waves else 0:.2f} | {number(row, LANES):.1f}, {number(row, WORKING):.1f} "
              f"| {number(row, WARPS):.0f} % | {number(row, DRAM):.0f} % | {number(row, ISSUED):.0f} % "
              f"| {number(row, LOADS):.1f}, {number(row, STORES):.1f} | {number(row, REGISTERS):.0f} |")
    if not seen:
        sys.exit("ladder_counters.py: no kernel of the ladder was profiled")


main()
