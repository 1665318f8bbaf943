# Each: one line, exit 2, no output.
printf 'x\0' >x
printf 'x\0\0x\0' >empty_name
: >nothing
refused() {
    code=0
    gsort "$@" -o out || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
    [ ! -e out ] || echo "$*: wrote an output"
}
refused --files0-from=missing
refused --files0-from=.
refused --files0-from=nothing
refused --files0-from=empty_name
refused --files0-from=x x
refused --files0-from=x --files0-from=x
printf 'x\0-\0' | refused --files0-from=-
printf 'missing\0' >names
refused --files0-from=names
