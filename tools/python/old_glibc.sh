#!/bin/sh
# old_glibc.sh FOLDER: makes libraries in FOLDER for the linker, so that a program linked on a newer glibc also runs on 2.28. They
# give symbols of today's glibc the versions and the libraries that 2.28 had: threads, dlopen and shared memory are the same
# calls. CC and OBJDUMP name the tools. Fails if the C library is not glibc.
set -eu
out=$1
cc=${CC:-cc}
libc=$($cc -print-file-name=libc.so.6)
mkdir -p "$out"
"${OBJDUMP:-objdump}" -T "$libc" >"$out/table"
grep -q ' (*GLIBC_2' "$out/table" || { echo "old_glibc.sh: '$libc' has no names of glibc's" >&2 && exit 1; }
awk '
NF > 5 {
    name = $NF; version = $(NF - 1)
    is_old = gsub(/[()]/, "", version)
    split(version, part, /[_.]/)
    if (version !~ /^GLIBC_2/)
        next
    if (is_old && part[3] <= 28 && !(name in old))
        old[name] = version
    else if (!is_old && part[3] > 28)
        moved[name]
}
END { for (name in moved) if (name in old) print name, old[name] }' "$out/table" | LC_ALL=C sort >"$out/names"
make_library() { # NAME PATTERN
    grep -E "^($2)" "$out/names" >"$out/these" || return 0
    awk '{ print "void " $1 "(void) {}" }' "$out/these" >"$out/these.c"
    awk '{ of[$2] = of[$2] " " $1 ";" } END { for (version in of) print version " {" of[version] " };" }' "$out/these" >"$out/these.map"
    $cc -shared -nostdlib -fno-builtin -w -Wl,-soname,"$1" -Wl,--version-script="$out/these.map" -o "$out/$1" "$out/these.c"
}
make_library libpthread.so.0 'pthread_|sem_'
make_library libdl.so.2 'dl'
make_library librt.so.1 'shm_|mq_|aio_|timer_|lio_'
