# Inputs shorter than the header: one line, exit 2, and the old output is there.
printf '1234567890123456' >x
printf 1234567 >short
: >empty
refused() {
    printf old >out
    code=0
    gsort -t u32 --header 8 "$@" -o out || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
    [ "$(cat out)" = old ] || echo "$*: the old output is gone"
}
refused short
refused x short
refused x empty
refused - <short
cat short | refused x -
cat short | refused - x
printf 123456789 | refused -
