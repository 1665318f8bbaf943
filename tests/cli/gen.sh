#!/bin/bash
# gsort-gen: right sizes, the same bytes for every thread count, the documented distributions,
# errors.
#
#     tests/cli/gen.sh BIN_DIR
#
# Silent when everything holds; otherwise one line a broken check and exit status 1.
set -u
gen=$1/gsort-gen
source=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
types="u32 i32 f32 u64 i64 f64 u128 i128"
[ "${GS_TEST_SMALL:-}" != 1 ] || types="i32 f64 i128" # see run.sh
distributions=$("$gen" --list | cut -d' ' -f1)
broken=0

fail() {
    echo "gen.sh: $*"
    broken=1
}

# expect_error STATUS TEXT ARGUMENT...: exit status, one line on stderr that holds TEXT, no output.
expect_error() {
    local status=$1 text=$2
    shift 2
    "$gen" "$@" >out 2>err
    local got=$?
    [ $got -eq "$status" ] || fail "$*: exit status $got, not $status"
    [ "$(wc -l <err)" -eq 1 ] || fail "$*: not one line of error: $(cat err)"
    grep -qF -- "$text" err || fail "$*: no '$text' in: $(cat err)"
    [ ! -s out ] || fail "$*: wrote to standard output"
}

bytes_of() {
    case $1 in *32) echo 4 ;; *64) echo 8 ;; *) echo 16 ;; esac
}

[ "$(echo $distributions | wc -w)" -eq 13 ] || fail "--list shows: $distributions"

# Sizes and threads: enough elements for several blocks of every type, and a last one that is short.
count=600011
for d in $distributions; do
    for t in $types; do
        "$gen" -d "$d" -t "$t" -n $count --seed 5 --parallel 1 >one || fail "$d $t: failed"
        size=$(stat -c %s one)
        [ "$size" -eq $((count * $(bytes_of "$t"))) ] || fail "$d $t: $size bytes"
        for threads in 2 3; do
            "$gen" -d "$d" -t "$t" -n $count --seed 5 --parallel $threads | cmp -s one ||
                fail "$d $t: --parallel $threads makes other bytes"
        done
        "$gen" -d "$d" -t "$t" -n $count --seed 6 | cmp -s one && fail "$d $t: seed without effect"
    done
done

# Files take their blocks in any order, and a last one that is not whole pages.
for t in $types; do
    "$gen" -d uniform -t "$t" -n $count --parallel 3 -o "three.$t"
    "$gen" -d uniform -t "$t" -n $count --parallel 1 | cmp -s "three.$t" || fail "$t: file differs"
done

# Properties, by a program that shares nothing with the generator; where programs take many times as long, what they made above is
# enough, and a few data sets, below.
[ "${GS_TEST_SMALL:-}" = 1 ] || for d in $distributions; do
    for t in $types; do
        "$gen" -d "$d" -t "$t" -n 20011 | python3 "$source/tests/cli/gen_check.py" "$d" "$t" ||
            fail "$d $t: see above"
    done
done

# Data sets: the million-element ones match their checksums, the small ones are those in the tree.
made=('small/*')
[ "${GS_TEST_SMALL:-}" = 1 ] || made+=('*-1m.*')
"$source/datasets/make.sh" "$1" . "${made[@]}" || fail "datasets.csv: see above"
diff -r small "$source/datasets/small" >/dev/null ||
    fail "datasets/small is not what gsort-gen makes"

# Types from names, sizes, nothing at all, the second half of options.
"$gen" -d equal -s 1K -o x.f32 && [ "$(stat -c %s x.f32)" -eq 1024 ] || fail "--size 1K"
"$gen" -d uniform -t f32 -n 9 -o a.bin && "$gen" -d uniform -n 9 -o a.f32 && cmp a.bin a.f32 ||
    fail "type from the name of the output"
"$gen" -d sorted -n 0 -o empty && [ -f empty ] && [ ! -s empty ] || fail "--count 0"
"$gen" -d sorted -n 1 | cmp -s -n 8 - <("$gen" -d sorted -n 1 -o -) || fail "-o -"
"$gen" --help | grep -q -- --parallel || fail "--help"
"$gen" --version | grep -q '^gsort-gen [0-9]' || fail "--version"

# Errors.
expect_error 2 "'gauss'" -d gauss -n 1
expect_error 2 "'f128'" -d uniform -t f128 -n 1
expect_error 2 "--dist" -n 1
expect_error 2 "--count or --size" -d uniform
expect_error 2 "--count or --size" -d uniform -n 1 -s 8
expect_error 2 "12 bytes" -d uniform -s 12
expect_error 2 "'12x'" -d uniform -n 12x
expect_error 2 "'-1'" -d uniform -n -1
expect_error 2 "'1Q'" -d uniform -s 1Q
expect_error 2 "more than" -d uniform -t u128 -n 18446744073709551615
expect_error 2 "'0'" -d uniform -n 1 --parallel 0
expect_error 2 "'18446744073709551616'" -d uniform -n 1 --seed 18446744073709551616
expect_error 2 "'file'" -d uniform -n 1 file
expect_error 2 "frobnicate" --frobnicate
expect_error 3 "no/such" -d uniform -n 1 -o no/such/file
expect_error 3 "$scratch" -d uniform -n 1 -o "$scratch"
expect_error 3 "/dev/full" -d uniform -n 100000 -o /dev/full

# A reader that leaves ends the program quietly, by the signal.
"$gen" -d uniform -s 16M 2>err | head -c 1 >/dev/null
status=${PIPESTATUS[0]}
[ "$status" -eq 141 ] && [ ! -s err ] || fail "closed pipe: status $status, $(cat err)"

# Failure and interruption leave the old file as it was, and nothing beside it.
python3 - "$gen" <<'END' || broken=1
import os, resource, signal, subprocess, sys

old, size = b"old", 256 << 20
os.mkdir("target")
arguments = [sys.argv[1], "-d", "uniform", "-s", str(size), "-o", "target/x.u64"]
target = os.path.realpath("target")


def is_writing(process):
    fds = f"/proc/{process.pid}/fd"
    try:
        return any(os.readlink(f"{fds}/{fd}").startswith(target) for fd in os.listdir(fds))
    except OSError:  # closed, or the process is over
        return False


limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))
for number in 0, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL:
    with open("target/x.u64", "wb") as file:
        file.write(old)
    before = None if number else limit
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL, preexec_fn=before)
    if number:
        while process.poll() is None and not is_writing(process):
            pass
        process.send_signal(number)
    status = process.wait()
    name = signal.Signals(number).name if number else "file size limit"
    found = os.path.getsize("target/x.u64")
    if found != (size if status == 0 else len(old)) or os.listdir("target") != ["x.u64"]:
        sys.exit(f"gen.sh: {name}: left {found} bytes in {os.listdir('target')}")
    if number and status not in (0, -number) or not number and status == 0:
        sys.exit(f"gen.sh: {name}: status {status}")
END

# Numbers of 1 and 2 bytes are the highest bytes of those of 4.
while read -r type wide bytes; do
    "$gen" --dist normal --type "$type" --count 3001 --seed 5 >narrow
    "$gen" --dist normal --type "$wide" --count 3001 --seed 5 >wide
    python3 -c "
import sys
wide = open('wide', 'rb').read()
sys.exit(b''.join(wide[i + 4 - $bytes:i + 4] for i in range(0, len(wide), 4)) != open('narrow', 'rb').read())" ||
        fail "$type: not the highest bytes of $wide"
done <<'E'
uint8 u32 1
int8 i32 1
u16 u32 2
i16 i32 2
bf16 f32 2
E
for type in u8 I8; do
    expect_error 2 "--type: '$type' means 8 bits, but 8 bytes in NumPy; " --dist uniform --type $type --count 1
done
"$gen" --dist uniform --count 9 -o x.u8 2>&1 | grep -qF "'x.u8': named as uint8, of 8 bits; for 8 bytes use --type uint64" ||
    fail "x.u8: not said"
"$gen" --dist uniform --count 9 --type uint8 | cmp - x.u8 || fail "x.u8: not uint8"
expect_error 2 "--type: 'f16' is not one of" --dist uniform --type f16 --count 1
expect_error 2 "named as f16be, which gsort-gen cannot make" --dist uniform --count 1 -o x.f16be

# Big endian ones have their bytes in turned order; times are the numbers of 8 bytes.
for type in u16 bf16 i32 f64 i128; do
    for d in normal specials; do
        "$gen" -d $d -t "$type" -n 3001 --seed 5 >little
        "$gen" -d $d -n 3001 --seed 5 -o "big.${type}be"
        python3 -c "
import sys
width = int('$type'.lstrip('ubif')) // 8
little, big = open('little', 'rb').read(), open('big.${type}be', 'rb').read()
sys.exit(b''.join(little[i:i + width][::-1] for i in range(0, len(little), width)) != big)" ||
            fail "$d ${type}be: not $type with its bytes turned"
    done
done
"$gen" -d timestamps -t i64 -n 3001 >numbers
"$gen" -d timestamps -n 3001 -o x.time64 && cmp numbers x.time64 || fail "time64: not the numbers of i64"

exit $broken
