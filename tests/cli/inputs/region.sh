# --region: a part of a file in bytes, of which nothing else is read or copied.
python3 - <<'P'
import random
random.seed(3)
open('x', 'wb').write(random.randbytes(3 << 20))
P
part() { dd if=x bs=64K skip=$1 count=$2 iflag=skip_bytes,count_bytes status=none; }
for region in 0:0 0:3145728 512:1048576 4096:1048576 1:8 77:800000 3145720:8 3145728:0; do
    off=${region%:*} bytes=${region#*:}
    part $off $bytes >cut
    gsort -t i64 cut -o want
    for way in "" "-S 12M --spill always --chunk 64K" "--io threads" "--verify=read" "--device cpu"; do
        gsort -t i64 --region $region $way x -o got && cmp got want || echo "$region $way"
    done
    [ "$(gsort -t i64 --region $region --stats-only x | grep -v time)" = "$(gsort -t i64 --stats-only cut | grep -v time)" ] || echo "$region: stats"
    [ "$(gsort -t i64 --region $region --head 3 --tail 2 x)" = "$(gsort -t i64 --head 3 --tail 2 cut)" ] || echo "$region: printed"
    cat want >placed && { printf x; cat want; printf yz; } >within
    gsort -t i64 --region 1:$bytes --check within || echo "$region: check"
done
part 1024 2097152 | gsort -t i64 >want
cp want all
gsort -t i64 --region 1K:2M x | cmp - want
gsort -t i64 --region 1K: --top 5 x | cmp - <(part 1024 99999999 | gsort -t i64 --top 5)
gsort -t i64 --region 1K:2M --range 5:70 x | cmp - <(part 1064 560 | gsort -t i64)
gsort -R 100 -k 3:b7 --region 10:1000000 x | cmp - <(part 10 1000000 | gsort -R 100 -k 3:b7)
{ printf 12345; cat want; } >shifted
gsort -t i64 -m --region 5: shifted | cmp - want
gsort -t i64 -m --region 5: --part 2/3 shifted | cmp - <(gsort -t i64 -m --part 2/3 want)
[ "$(gsort -t i64 --region 5: --find 0.. shifted)" = "$(gsort -t i64 --find 0.. want)" ] || echo find
gsort -t i64 --region 5: --drop-tail shifted | cmp - want
# No format is looked for in there, and the file's other bytes do not matter.
printf '\x93NUMPY2109876543210' >odd.npy
gsort --region 6: -t uint8 odd.npy -o - | cat; echo
cp x same
gsort -t i64 --region 1K:2M same -o same
cmp same want
gsort -t i64 --region 1K:2M --resume kept x -o got
cmp got want
refused() {
    local code=0
    gsort "$@" >y || code=$?
    [ $code -eq 2 ] && [ ! -s y ] || echo "$*: exit $code"
    rm -f y
}
# Writing in place writes to the region, or is refused.
cp x same
gsort -t i64 --region 1K:2M same 1<>same && echo "written over the beginning"
cmp x same
python3 -c 'import os; os.lseek(1, 1024, 0); os.execvp("gsort", "gsort -t i64 --region 1K:2M same".split())' 1<>same
cmp same <(head -c 1024 x && cat want && tail -c +2098177 x)
cp x same
gsort -t i64 --region 1K:2M same >>same
tail -c +3145729 same | cmp - want
refused -t i64 --region 3145729: x -o y
refused -t i64 --region 3145728:1 x -o y
refused -t i64 --region 16E:1 x -o y
refused -t i64 --region 8:18446744073709551608 x -o y
refused -t i64 --region 8:9223372036854775807 x -o y
refused -t i64 --region 4294967296:8 x -o y
refused -t i64 --region 8 x -o y
refused -t i64 --region 8:x x -o y
refused -t i64 --region 0.5:16 x -o y
refused -t i64 --region 0:0.1K x -o y
refused -t i64 --header 8.5 x -o y
refused -t i64 --region 0:12 x -o y

cat x | refused -t i64 --region 0:16 -o y
refused -t i64 --region 0:16 x all -o y
refused -t i64 --region 0:16 --header 8 x -o y
