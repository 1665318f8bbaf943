# Invalid quantiles, and options that conflict with them, give a line each and exit 2.
gsort-gen -d uniform -t u64 -n 100 -o x.u64
refuse() {
    local code=0
    gsort x.u64 -o out "$@" || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
}
for list in '' 2 1.01 -1 0.5, 0.5,,1 .  5% 0x1 nan 0.1234567890123456789 0.5.5 99999999999999999999; do
    refuse --quantiles "$list"
done
refuse --quantiles "$(seq -s, 0 0.01 1)"
refuse --quantiles 0.5 --quantiles 0.9
refuse --quantiles 0.5 -m
refuse --distinct --top 3
refuse --mode --resume dir
refuse --quantiles 0.5 -R 8 -k 0:b8
refuse --quantiles 0.5 -R 8
refuse --mode -R 8 -k 0:u32 --stats-of 4:u32
for arguments in "--check --quantiles 0.5" "--head 2 --mode"; do
    code=0
    gsort x.u64 $arguments || code=$?
    [ $code -eq 2 ] || echo "$arguments: exit $code"
done
[ ! -e out ]
