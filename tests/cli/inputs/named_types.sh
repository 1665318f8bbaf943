# Names of inputs and outputs, and --type, give types. Each name sorts its bytes as the listed type, or is refused. A
# note says if no type was given.
try() { # NAME WANTED: a type, `assumed`, `small TYPE` or `refused TEXT`
    local code=0 type
    printf '\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >"$1"
    gsort --stats-only --stats=json -- "$1" >report 2>err || code=$?
    type=$(sed -n 's/^  "type": "\(.*\)",/\1/p' report)
    case $2 in
    assumed)
        [ "$type $code" = "u64 0" ] &&
            [ "$(cat err)" = "gsort: $1: read as u64 by default (1, 0); set the type with --type" ]
        ;;
    small*) [ "small $type $code" = "$2 0" ] && grep -q "in a file name means $type, of 8 bits; for 8 bytes, as in NumPy, use --type ${type%8}64" err ;;
    refused*) [ $code = 2 ] && [ "$(wc -l <err)" = 1 ] && grep -qF -- "${2#refused }" err ;;
    *) [ "$type $code" = "$2 0" ] && [ ! -s err ] ;;
    esac || { echo "$1: exit $code, '$type', not $2:" && cat err; }
    rm -- "$1"
}
mkdir d.u32
count=0
while read -r name wanted; do
    try "$name" "$wanted"
    count=$((count + 1))
done <<'E'
a.u32 u32
a.U32 u32
x_u32 u32
X-F64 f64
a.uint32 u32
a.int32 i32
a.float32 f32
a.float64 f64
a.double f64
books_200M_uint64 u64
a_int64.bin i64
a.u32.bin u32
a.f64.dat f64
a.f32.data f32
a.i64.raw i64
a.i32.BIN i32
a.f64.sorted.bin f64
f64.bin f64
a_uint32_t u32
prices.f8 f64
prices.f4 f32
prices.i4 i32
prices.u4 u32
prices.i8 small int8
prices.u8 small uint8
prices.I8 small int8
prices_u8 small uint8
prices-u8 small uint8
data-i8 small int8
x_u1 uint8
x-I1 int8
x_f4 f32
x-f4 f32
x_f2 f16
x_f8.bin f64
x_u2.zst.bin assumed
x-u4 u32
x_i2 i16
run_i4 i32
f4 assumed
i8.bin assumed
_f4 f32
xf4 assumed
prices.f2 f16
a.bf16 bf16
a.datetime64 time64
a.u128 u128
a.uint128 u128
a.int128 i128
plain assumed
plain.bin assumed
d.u32/x assumed
a.u33 assumed
a.txt assumed
u64s assumed
a.float refused 'a.float': its name ends in 'float', which means 4 bytes in some languages and 8 bytes in others; give --type f32 or --type f64
a_int.bin refused give --type i32 or --type i64
a.uint8 uint8
a.u16 u16
a_float16 f16
a.f64be f64be
a.float128 refused is not a type that gsort can sort
E
echo "$count names"

echo "-- as --type"
printf '\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0' >plain
for type in u32 U32 uint32 float64 double f8 '<f8' int64 '<i8' i8 U8 int8 uint8 u1 u4 uint128_t float '>f8' u16 u33 ''; do
    echo "$type: $(gsort -t "$type" --stats-only plain 2>&1 | grep '^type\|gsort' | sort)"
done

echo "-- names against each other"
cp plain a.u32
cp plain b.f64
cp plain c.uint32
gsort a.u32 b.f64 -o out 2>&1 || echo "exit $?"
gsort plain a.u32 c.uint32 --stats-only 2>&1 | grep type
gsort a.u32 -o out.f64 2>&1 || echo "exit $?"
gsort a.u32 -o out.u16 2>&1 || echo "exit $?"
gsort a.u32 -o out.float
cmp out.float <(gsort -t u32 plain)
gsort plain -o out.uint32 -v 2>&1 | grep '^type'
gsort plain -o out.u16 2>&1 || echo "exit $?"

echo "-- what is said, and what is not"
{
    gsort plain | cmp - <(gsort -q plain)
    gsort --check plain || echo "exit $?"
    gsort --check -q plain || echo "exit $?"
    gsort plain plain plain -o out
    gsort <plain -o out
    gsort -R 8 plain -o out
    gsort -t u64 plain -o out
    gsort </dev/null
    gsort --explain plain -o out | head -1
    gsort -v plain -o out 2>&1 | grep "^type"
} 2>&1

{
    echo "-- what --type contradicts is said, once, in every verb"
    cp plain x.u8
    head -c 16 /dev/zero >z.u32
    for how in "-o out" "--stats-only" "--check" "--head 1" "--find 1" "-m -o out" "--print" "-q -o out"; do
        # shellcheck disable=SC2086
        gsort -t i32 z.u32 $how 2>&1 >/dev/null | grep named || echo "$how: nothing"
    done
    gsort -t uint8 plain a.u32 b.f64 -o out
    for type in u32 uint32 '<u4'; do gsort -t $type a.u32 -o out; done
    for type in u64 uint8; do gsort -t $type x.u8 -o out; done
    gsort -t u16 x.u8 -o out
    gsort -t f32 out.float -o out
    cp plain t.time64
    gsort -t 'time64[ms]' t.time64 -o out
    gsort -t u32 a.u32 b.f64 -o out.f64
    gsort -R 8 a.u32 b.f64 -o out.f64
} 2>&1

echo "-- of several: a time without a unit has that of the others"
printf '\1\0\0\0\0\0\0\0' | tee t.time64 't.time64[ms]' >'t.time64[us]'
for names in 't.time64 t.time64[ms]' 't.time64[ms] t.time64' 't.time64 t.time64[ms] t.time64[us]'; do
    set -f
    # shellcheck disable=SC2086
    gsort $names --stats-only --stats=json 2>&1 | grep -E 'type"|gsort: '
    set +f
done
