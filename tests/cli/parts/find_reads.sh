# --find reads one block of a file per halving. It does not read twice as many for both ends of the result, unless
# these are far apart. 2^22 numbers of 8 bytes are 2^13 blocks: it reads 13 of them, both ends, and blocks beside a
# border.
python3 - <<'P'
import array
array.array("q", range(0, 3 << 22, 3)).tofile(open("x.i64", "wb"))
array.array("q", [0] * 1000 + [5] * ((1 << 20) - 2000) + [9] * 1000).tofile(open("groups.i64", "wb"))
P
reads() { # what is read for each value, of the file
    local file=$1
    shift
    for value in "$@"; do
        gsort --find "$value" "$file" --stats-only --stats=json |
            python3 -c 'import json, sys
report = json.load(sys.stdin)
print(report["find"]["first"], report["find"]["count"], (report["bytes_read"] - 8 * report["find"]["count"]) // 4096)' |
            { read -r first count blocks && echo "$value $first $count $([ "$blocks" -le $((count < 9000 ? 18 : 36)) ] && echo few || echo "$blocks blocks")"; }
    done
}
reads x.i64 0 3 6291456 6291453 6291459 12582909 1000001 4..8 1000000..1000030 1500..4500000
reads groups.i64 0 5 9 7 -1 10
# The same places as by reading everything.
python3 - <<'P'
import array, bisect, random, subprocess
random.seed(5)
for n, most in ((1, 2), (2, 2), (600, 3), (5000, 9), (70000, 40), (70000, 70000)):
    numbers = sorted(random.randrange(most) for _ in range(n))
    array.array("q", numbers).tofile(open("y.i64", "wb"))
    for _ in range(12):
        low = random.randrange(-1, most + 1)
        high = low + random.choice((0, 0, 1, most // 2))
        got = subprocess.run(["gsort", "--find", f"{low}..{high}", "y.i64"], capture_output=True, text=True).stdout.strip()
        first, end = bisect.bisect_left(numbers, low), bisect.bisect_right(numbers, high)
        if got != f"{first}:{end - first}":
            print(n, most, low, high, got, first, end - first)
P
