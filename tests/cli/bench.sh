#!/bin/bash
# Checks the reports of gsort-bench and its errors, but no speeds.
#
#     tests/cli/bench.sh BIN_DIR
#
# Silent when everything holds; otherwise one line a broken check and exit status 1.
set -u
bench=$1/gsort-bench
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
broken=0

fail() {
    echo "bench.sh: $*"
    broken=1
}

# expect_error STATUS TEXT ARGUMENT...: exit status, one line on stderr that holds TEXT, no output.
expect_error() {
    local status=$1 text=$2
    shift 2
    "$bench" "$@" >out 2>err
    local got=$?
    [ $got -eq "$status" ] || fail "$*: exit status $got, not $status"
    [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line of error: $(cat err)"
    grep -qF -- "$text" err || fail "$*: no '$text' in: $(cat err)"
    [ ! -s out ] || fail "$*: wrote to standard output"
}

repeat=2
[ "${GS_TEST_SMALL:-}" != 1 ] || repeat=1 # see run.sh
"$bench" disk --size 4100K --repeat $repeat --json >disk.json 2>err || fail "disk --json: $(cat err)"
# The least that may spill, with another type and odd blocks. Times are not checked.
"$bench" sort --size 24580K --memory 12M --type f32 --parallel 2 --repeat $repeat --json >sort.json ||
    fail "sort --json"
"$bench" records --size 24000K --memory 12M --parallel 2 --repeat $repeat --json >records.json ||
    fail "records --json"
"$bench" verbs --size 2M --parallel 2 --repeat $repeat --json >verbs.json || fail "verbs --json"
"$bench" verify --size 24580K --memory 12M --parallel 2 --repeat $repeat --json >verify.json || fail "verify --json"
"$bench" outofcore --size 24580K --memory 12M --parallel 2 --repeat $repeat --json >outofcore.json ||
    fail "outofcore --json"
"$bench" order --size 40M --memory 24M --parallel 2 --repeat 1 --json >order.json || fail "order --json"
"$bench" scale --size 1028K --parallel 3 --repeat $repeat --json >scale.json || fail "scale --json"
python3 - $repeat <<'END' || broken=1
import json, sys

sorts = {"read", "write", "resident", "spilled", "stats"}
records = {f"{way} {kind}" for way in ("resident", "spilled")
           for kind in ("100 B", "100 B groups", "16 B", "1 KiB")} | {"read", "write"}
verified = {"resident", "spilled", "digest", "frames"}
repeat = int(sys.argv[1])
for name, repeats, operations in (("disk", repeat, {"write", "read", "copy"}), ("sort", repeat, sorts),
                                  ("records", repeat, records),
                                  ("verbs", repeat, {"read", "write", "stats", "check", "top", "merge", "ranges"}),
                                  ("verify", repeat, verified),
                                  ("outofcore", repeat, {"read", "write", "sort"}),
                                  ("order", 1, {"read", "write", "random", "sorted", "reverse", "strays", "late", "pieces",
                                                "timestamps"}),
                                  ("scale", repeat, {"sort"})):
    with open(name + ".json") as file:
        report = json.load(file)
    wrong = [r for r in report["results"] if len(r["samples"]) != repeats
             or not 0 < r["min"] <= r["median"] <= r["max"]]
    wrong += [r for r in report["ratios"] if len(r["samples"]) != repeats or r["min"] <= 0]
    if report["schema"] != 1 or wrong or {r["name"] for r in report["results"]} != operations:
        sys.exit(f"bench.sh: {name}: wrong report")
    if name == "disk" and not any(r.get("engine") == "io_uring" for r in report["results"]):
        print("skipped disk by io_uring: no io_uring")
    if name == "sort":
        spilled = {r["name"]: r.get("spilled_bytes") for r in report["results"]}
        if len(report["ratios"]) != 3 or spilled["resident"] != 0 or not spilled["spilled"]:
            sys.exit(f"bench.sh: sort: wrong ratios or spills: {spilled}")
    if name == "outofcore":
        cases = [r for r in report["results"] if r["name"] == "sort"]
        keys = {(r["size_bytes"], r["memory_bytes"], r["codec"]) for r in cases}
        if len(keys) != len(cases) or len(cases) != 12 + 3 or len(report["ratios"]) != 3:
            sys.exit(f"bench.sh: outofcore: wrong cases: {keys}")
        for r in cases:
            most = r["size_bytes"] + r["spilled_bytes"]
            if not 0 < r["io_busy"] <= 1 or r["bytes_read"] < r["size_bytes"] or (
                    r["codec"] == "none" and r["bytes_read"] < most) or (
                    r["spilled_bytes"] == 0 and r["memory_bytes"] < r["size_bytes"]):
                sys.exit(f"bench.sh: outofcore: wrong numbers: {r}")
    if name == "verify":
        spilled = {r["name"]: r.get("spilled_bytes") for r in report["results"]}
        if [r["name"] for r in report["ratios"]] != ["digests / resident", "digests and frames / spilled"] or (
                spilled["resident"] != 0 or not spilled["spilled"]):
            sys.exit(f"bench.sh: verify: wrong ratios or spills: {spilled}")
    if name == "order":
        spilled = {r["name"]: r.get("spilled_bytes") for r in report["results"]}
        if len(report["ratios"]) != 7 or not spilled["random"] or any(
                spilled[kind] for kind in ("sorted", "late", "timestamps")):
            sys.exit(f"bench.sh: order: wrong ratios or spills: {spilled}")
    if name == "scale":
        cases = [(r["threads"], r["sorted_bytes"] >> 12) for r in report["results"]]
        wrong = [r for r in report["results"] if abs(r["seconds"] * 1e9 / (r["sorted_bytes"] / 8) / r["ns_per_element"] - 1) > .01]
        if wrong or cases != [(1, 257), (2, 257), (3, 257), (3, 64), (3, 128), (3, 514), (3, 1028)]:
            sys.exit(f"bench.sh: scale: wrong cases: {cases} {wrong}")
    if (name not in ("verify", "scale") and not report["ceilings"]) or any(c["speed"] <= 0 for c in report["ceilings"]):
        sys.exit(f"bench.sh: {name}: wrong ceilings")
    for key in "command", "date", "processor", "processors", "kernel":
        if not report[key]:
            sys.exit(f"bench.sh: {name}: no {key}")
END
"$bench" scale --size 1M --parallel 1 --repeat 1 >text || fail "scale"
grep -q '^sort .* 1 thread ' text && ! grep -q '^ceilings' text || fail "scale: text"
"$bench" sort --size 1M --memory 64M --repeat 1 >text || fail "sort"
grep -q '^resident .* 65M ' text && grep -q '^ratios of times' text || fail "sort: text"
"$bench" outofcore --size 24M --memory 12M --repeat 1 >outofcore || fail "outofcore"
grep -q '^sort      24M in 12M, none ' outofcore && grep -q 'seconds .* busy$' outofcore || fail "outofcore: text"
rm outofcore
grep -q '^note .*spilled: nothing' text || fail "sort: does not say that nothing was spilled"
# The commands for kernels exist if they were compiled, and need a GPU.
for mode in $("$bench" --help | grep -oE '^  (kernels|record-kernels|ladder) '); do
    if "$bench" $mode --size 64M --repeat 1 >text 2>err; then
        grep -q '^ratios' text || fail "$mode: $(cat text)"
    elif grep -qE 'no CUDA device: (no CUDA-capable device|CUDA driver version is insufficient)' err; then
        echo "skipped $mode: no GPU"
    else
        fail "$mode: $(cat err)"
    fi
done
# Counters of the ladder's kernels, from an ncu that tells of two, one of them twice.
cat >ncu <<'END'
#!/bin/sh
echo '==PROF== Connected to process 1'
echo '"ID","Kernel Name","Grid Size","Block Size","gpu__time_duration.sum","launch__registers_per_thread"'
echo '"","","","","ns",""'
echo '"0","void gsi_reduce_two_loads<gsi_sum<unsigned int>>(int)","(64, 1, 1)","(256, 1, 1)","12,345","18"'
echo '"1","void gsi_reduce_two_loads<gsi_sum<unsigned int>>(int)","(64, 1, 1)","(256, 1, 1)","1","18"'
echo '"2","void cub::DeviceMergeSortMergeKernel<int>(int)","(64, 1, 1)","(256, 1, 1)","1","18"'
END
chmod +x ncu
"$tools/gsort-bench/gpu/ladder_counters.py" "$bench" --ncu ./ncu >text || fail "ladder_counters.py"
[ "$(grep -c '^| sum two loads | 64 x 256 | 12 |.*| 18 |$' text)" -eq 1 ] && [ "$(wc -l <text)" -eq 3 ] ||
    fail "ladder_counters.py: $(cat text)"
! "$tools/gsort-bench/gpu/ladder_counters.py" "$bench" --ncu true >text 2>err || fail "ladder_counters.py: no kernels"
rm ncu
"$bench" --help | grep -q '^  disk ' || fail "--help"
"$bench" --version | grep -q '^gsort-bench [0-9]' || fail "--version"

expect_error 2 "which command"
expect_error 2 "'tape'" tape
expect_error 2 "'x'" scale x
expect_error 2 "--parallel" disk --parallel 2
expect_error 2 "'5000'" disk --size 5000
expect_error 2 "'0'" scale --repeat 0
expect_error 2 "frobnicate" scale --frobnicate
expect_error 3 "no/such" disk --dir no/such
expect_error 3 "--size" disk --size 1P
expect_error 2 "--type" disk --type u64
expect_error 2 "'u7'" sort --type u7
expect_error 2 "'0'" sort --memory 0
expect_error 2 "--memory" sort --size 64K --memory 1M
expect_error 3 "no/such" sort --dir no/such
expect_error 3 "--size" sort --size 1P
expect_error 2 "'u7'" verify --type u7
expect_error 3 "no/such" verify --dir no/such
expect_error 2 "'u7'" outofcore --type u7
expect_error 3 "no/such" outofcore --dir no/such
expect_error 2 "--type" order --type u64
expect_error 2 "--memory" scale --memory 1G

rm -f records.json verbs.json verify.json disk.json sort.json outofcore.json order.json scale.json text out err
[ -z "$(ls -A)" ] || fail "left behind: $(ls -A)"
exit $broken
