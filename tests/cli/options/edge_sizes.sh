# Tries every option with a size or a number, at the limits of 32, 63 and 64 bits and with every unit, in every verb.
# Either the output is right, or exit 2 with one line that names the option, and no output.
gsort-gen --dist uniform --type u64 --count 5000 --seed 3 -o in.u64
gsort -q in.u64 -o sorted.u64
gsort -q -R 100 -k 0:b10 in.u64 -o sorted.records
gsort -q -u --count -t u32 in.u64 -o counted

# run VERB OPTION: exit code in $code; what it wrote in `out`. (Of a thousand runs each process more counts.)
run() {
    [ ! -e out ] || rm out
    local verb=$1 option=$2
    set -- $option
    code=0
    case $verb in
    sort) timeout 60 gsort "$@" in.u64 -o out 2>err || code=$? ;;
    pipe) timeout 60 gsort "$@" -t u64 <in.u64 2>err >out || code=$? ;;
    spill) timeout 60 gsort --spill always "$@" in.u64 -o out 2>err || code=$? ;;
    merge) timeout 60 gsort -m "$@" sorted.u64 -o out 2>err || code=$? ;;
    top) timeout 60 gsort --top 5000 "$@" in.u64 -o out 2>err || code=$? ;;
    unique) timeout 60 gsort -q -u --count -t u32 "$@" in.u64 -o out 2>err || code=$? ;;
    records) timeout 60 gsort -R 100 -k 0:b10 "$@" in.u64 -o out 2>err || code=$? ;;
    check) timeout 60 gsort --check "$@" sorted.u64 2>err || code=$? ;;
    stats) timeout 60 gsort --stats-only "$@" in.u64 2>err >stats || code=$? ;;
    explain) timeout 60 gsort --explain "$@" in.u64 -o out 2>err >plan || code=$? ;;
    esac
}

# The expected `out` of each verb. Other cases compare --top, --header and --record, which change it.
declare -A want=([sort]=sorted.u64 [pipe]=sorted.u64 [spill]=sorted.u64 [merge]=sorted.u64 [top]=sorted.u64
    [unique]=counted [records]=sorted.records [check]=none [stats]=none [explain]=none)

# expect VERB OPTION [KIND]: KIND is `same` (the bytes do not depend on it) or `any`.
expect() {
    run "$1" "$2"
    local wanted=${want[$1]} lines
    if [ $code -eq 0 ]; then
        [ "$wanted" = none ] || [ "$3" = any ] || cmp -s out "$wanted" || echo "$1 $2: other bytes"
        [ "$3" != any ] || [ "$wanted" = none ] || [ -s out ] || echo "$1 $2: an empty output"
    elif [ $code -eq 2 ]; then
        mapfile -t lines <err
        [ ${#lines[@]} -eq 1 ] || { echo "$1 $2: no single line:" && cat err; }
        [[ ${lines[0]:-} =~ "gsort: -"[SR]:|--[a-z]|"its header" ]] || { echo "$1 $2: names no option:" && cat err; }
        [ ! -s out ] || echo "$1 $2: wrote an output"
    else
        echo "$1 $2: exit $code:" && cat err
    fi
}

numbers="0 1 4294967295 4294967296 9223372036854775807 9223372036854775808 18446744073709551615 18446744073709551616"
units="1K 1M 1G 1T 1P 1E 4G 2048P 8192P 8E 15E 16E 1048576T"
verbs=$(third sort pipe spill merge top unique records check stats explain)
[ "$(sized all few)" = all ] || { verbs="sort spill merge" && units="1K 8192P 8E"; }
# every_other: half of all threes of verb, value and option, in which each two of these meet.
turn=0
every_other() {
    turn=$((turn + 1))
    [ $((turn % 2)) -eq 0 ]
}
for verb in $verbs; do
    for value in $numbers $units; do
        turn=$((turn + 1))
        for option in -S --chunk --window --device-memory; do
            every_other || continue
            expect "$verb" "$option $value" same
        done
    done
    for value in $numbers; do
        for option in --parallel --batch-size --zstd --compress=zstd: --device=cuda:; do
            every_other || continue
            case $option in
            --zstd) [ "$value" != 1 ] && expect "$verb" "$option=$value" same ;;
            --device=*) [ "$value" -gt 1 ] 2>/dev/null && expect "$verb" "$option$value" same ;;
            --compress=*) expect "$verb" "$option$value" same ;;
            *) expect "$verb" "$option $value" same ;;
            esac
        done
    done
done

# The output depends on these options.
for value in $numbers $units 2048P 2305843009213693951 2305843009213693952 2305843009213693953; do
    for verb in sort pipe spill merge records; do
        case $value in
        0 | 1 | 1K) ;; # fewer than there are
        *) expect $verb "--top $value" same ;;
        esac
    done
    expect sort "--header $value" any
    expect sort "-R $value" any
done
