# Other files that are sorted along: what cannot be is one line, before anything is written.
head -c 4096 /dev/zero >k.u64
head -c 2048 /dev/zero >v
refuse() {
    code=0
    gsort "$@" || code=$?
    [ "$code" = 2 ] || [ "$code" = 3 ] || echo "$code: $*"
    [ ! -e out ] && [ ! -e x ] || echo "an output: $*"
}
job="k.u64 -o out --values v:4=x"
# shellcheck disable=SC2086
{
    for text in v v:4 v:4= :4=x v:=x v:0=x v:65529=x v:99999999999999999999=x v:5=x missing:4=x .:4=x v:4=/dev/null v:4=no/x v:4=out v:4=./out; do
        refuse k.u64 -o out --values "$text"
    done
    refuse $job --values v:4=./x
    for option in --argsort "-R 8 --out 0:4" -m "-u --count" "--quantiles 0.5" --distinct --mode "--resume dir" --verify=read \
        "--split 2" --zstd; do
        refuse $job $option
    done
    refuse -t u64 -o out.zst k.u64 --values v:4=x
    refuse -t u64 k.u64 --values v:4=x
    refuse $job -c
    cat k.u64 | refuse -t u64 - -o out --values v:4=x
    mkfifo pipe
    refuse k.u64 -o out --values pipe:4=x
    refuse k.u64 -o out $(printf -- '--values v:4=x%d ' $(seq 17))
    refuse $job --range 500:13
}
# Outputs may take the place of inputs.
python3 -c 'import struct; open("keys.i32", "wb").write(struct.pack("<5i", 3, -1, 3, 0, -7))'
printf hello >letters
gsort keys.i32 -o keys.i32 --values letters:1=letters
gsort --head 5 keys.i32 && cat letters && echo
gsort --explain keys.i32 -o out --values letters:1=x | grep -E '^(values|write)'
gsort keys.i32 -o out --values letters:1=x --stats 2>&1 | grep -E '^(values|elements|min|max|sum)'
