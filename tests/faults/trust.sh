#!/usr/bin/env bash
# trust.sh BIN_DIR TESTS_DIR: tools/dev/trust.sh, with as little as it can do: it counts what was done, and says what was found.
set -u
tool=$(cd "$(dirname "$0")/../../tools/dev" && pwd)/trust.sh
bin=$(cd "$1" && pwd) tests=$(cd "$2" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
broken=0

# expect PATTERN FILE: a line of it.
expect() {
    grep -qE -- "$1" "$2" || { echo "no line '$1':" && cat "$2" && broken=1; }
}

mkdir bin
cp "$bin"/gsort "$tests"/gsort-faults "$tests"/fuzz_{size,npy} bin
few=(--samples 1 --plan resident --plan zst --signals 2)
"$tool" --build bin --minutes 0 --out out -- "${few[@]}" >printed 2>&1 || { echo "exit $?" && broken=1; }
cmp -s printed out/trust.txt || { echo "out/trust.txt is not what was printed" && broken=1; }
expect '^gsort [0-9]' printed
expect '^[0-9]+ processors, Linux ' printed
expect '^write +8 faults, +8 made the job fail; +[1-9][0-9]* SIGKILL, +[1-9][0-9]* SIGINT' printed
expect '^all +[1-9][0-9]* faults' printed
expect '; 0 problems; [0-9]+ jobs at a time, [0-9]+ s$' printed
expect '^[0-9]+ ms at most from SIGINT' printed
expect '^size +[1-9][0-9]* executions' printed
expect '^npy +[1-9][0-9]* executions' printed
expect '^nothing was found$' printed

# A target that fails, and a sort that writes nothing.
printf '#!/bin/sh\necho "fuzz_x.c:1: not true: x"\nexit 1\n' >bin/fuzz_size
"$tool" --build bin --minutes 0 --out out -- "${few[@]}" >printed 2>&1 && { echo "exit 0 of a fuzz target" && broken=1; }
expect 'FAILED size' printed
expect 'not true: x' printed
expect '^FOUND' printed
rm bin/fuzz_size
printf '#!/bin/sh\nexit 0\n' >bin/gsort-faults
"$tool" --build bin --minutes 0 --out out -- "${few[@]}" >printed 2>&1 && { echo "exit 0 of faults" && broken=1; }
expect '^FOUND' printed
exit $broken
