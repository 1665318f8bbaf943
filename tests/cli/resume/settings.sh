# Each recorded setting, changed alone, refuses the directory and is named.
gsort-gen --dist uniform --type u64 --size 8M -o x
cp x y
settings=(--fields=a=0:u32,b=4:u32 --key=a --stats-of=4:u32 --reverse --nan=last --ties=bytes --raw --header=16 --drop-header --chunk=64K
    --window=64K --batch-size=8 --compress=zstd:2 --range=0:1000000)
python3 "$CASES/../stop_with_record.py" SIGKILL 3000 gsort -R 16 "${settings[@]}" x y -o out --resume dir -S 12M

# changed NAME [SETTING]: replaces the setting of this name, or leaves it out.
changed() {
    local others=() setting
    for setting in "${settings[@]}"; do
        [ "${setting%%=*}" = "$1" ] || others+=("$setting")
    done
    gsort -R 16 "${others[@]}" "${@:2}" x y -o out --resume dir -S 12M 2>&1 || echo "exit $?"
}
for setting in --fields=a=4:u32,b=0:u32 --key=b --stats-of=0:u32 --nan=first --ties=input --header=32 --chunk=128K --window=32K \
    --batch-size=9 --compress=zstd:3 --range=1:1000000; do
    changed "${setting%%=*}" "$setting"
done
for name in --stats-of --reverse --nan --ties --raw --drop-header --chunk --window --batch-size --compress --range; do
    changed "$name"
done
gsort -R 32 --drop-tail "${settings[@]}" x y -o out --resume dir -S 12M 2>&1 || echo "exit $?"
changed --none >/dev/null
cmp out <(gsort -R 16 "${settings[@]}" x y 2>/dev/null)

echo "-- a region"
python3 "$CASES/../stop_with_record.py" SIGKILL 3000 gsort -t u64 --region=8:8000000 x -o out --resume dir -S 12M --chunk 64K
for region in 16:8000000 8:7999992; do
    gsort -t u64 --region=$region x -o out --resume dir -S 12M --chunk 64K 2>&1 || echo "exit $?"
done
