#!/usr/bin/env bash
# gpu_test.sh: runs every test that needs a GPU, and compute-sanitizer over them.
#
#     tools/dev/gpu_test.sh [OPTION]...  build the release preset, then test
#     tools/dev/gpu_test.sh --pack DIR   build it, and put this script and programs.tar.xz, all programs and libraries, into
#                                    DIR, for a GPU machine without compilers or -dev packages, which has tar and xz
#     DIR/gpu_test.sh --packed [OPTION]...       test there
#
#     --only PATTERN   only tests whose names match this regular expression of bash
#     --seconds N      none begins later than that
#
# Prints a line for each test, and last `N passed, N failed, N not run`. Tests that lack compute-sanitizer, memory or time are not run and
# counted. Exit status 0: nothing failed. A GPU is required. A missing compute-sanitizer is a failure, except if this was packed on a
# machine without it (and CI is not set).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tests_of_units=(sort_kernels merge_parts gpu_array cuda_device cuda_faults cuda_positions cuda_integers ladder ladder_published planes_kernels
    record_kernels tally_kernels tied_kernels)
tests_of_jobs=(sort_records short_jobs)
programs=(bin/{gsort,gsort-gen,gsort-bench} "${tests_of_units[@]/#/tests/test_}" "${tests_of_jobs[@]/#/tests/test_}")

build() {
    cd "$here/../.."
    tools/dev/setup.sh tests
    cmake --preset release -DGSORT_TESTS=ON >/dev/null # tools/demo.sh leaves them out
    cmake --build --preset release
    built=$PWD/build/release bin=$PWD/build/release/bin tests=$PWD/build/release/tests
}

is_packed=false only=. seconds=1000000
while [ $# -gt 0 ]; do
    case $1 in
    --pack)
        dir=$2
        build
        mkdir -p "$dir"
        files=("${programs[@]/#/$built/}")
        # Pack only the libraries that a bare system lacks.
        mapfile -t -O ${#files[@]} files < <(
            ldd "${files[@]}" | awk '/liburing|libhwy|libxxhash|libzstd|libz\.|libjansson|libcmocka/ {print $3}' | sort -u)
        # Every program contains the library and its kernels. A dictionary that is longer than a program compresses them to one
        # copy.
        tar -ch --transform 's|.*/||' -P "${files[@]}" | xz --lzma2=preset=1,dict=256MiB >"$dir/programs.tar.xz"
        cp "$here/gpu_test.sh" "$dir"
        exit ;;
    --packed) is_packed=true ;;
    --only)
        only=$2
        shift ;;
    --seconds)
        seconds=$2
        shift ;;
    *)
        echo "gpu_test.sh: unknown argument '$1'" >&2
        exit 2 ;;
    esac
    shift
done
if $is_packed; then
    bin=$here tests=$here
    [ ! -e "$here/programs.tar.xz" ] || [ -e "$here/gsort" ] || tar -C "$here" -xJf "$here/programs.tar.xz"
    export LD_LIBRARY_PATH=$here
else
    build
fi

cd "$bin"
SECONDS=0
work=$(mktemp -d "${TMPDIR:-/dev/shm}/gsort-gpu-XXXXXX")
trap 'rm -rf "$work"' EXIT
dir=$work # of what runs now: parts that run beside each other have one each

# check NAME COMMAND...: one line, and the output if it failed; what it says that it skipped
check() {
    local name=$1 rc=0 begin=$SECONDS
    shift
    [[ $name =~ $only ]] || return 0
    if [ $SECONDS -ge "$seconds" ]; then
        not_run "$name: no time"
        return
    fi
    "$@" >"$dir/log" 2>&1 || rc=$?
    ! grep -q '^skipped.*: no GPU$' "$dir/log" || rc="no GPU"
    if [ "$rc" = 0 ]; then
        echo "ok  $name  $((SECONDS - begin)) s"
    else # in one piece, among the lines of others
        printf '%s\n' "FAILED ($rc)  $name  $((SECONDS - begin)) s"$'\n'"$(tail -30 "$dir/log")"
    fi
    while IFS= read -r line; do not_run "$name${line#skipped}"; done < <(grep '^skipped.*: ' "$dir/log" | grep -v ': no GPU$')
}
not_run() { # not_run "NAME, PART: REASON"
    echo "not run  $1"
}

# The input: `elements` are options that describe it, `made` are options of gsort-gen that make it. It is made when a check needs
# it. The CPU sorts it once for all checks that compare the same data.
elements=() made=() have=
input() { # input GEN_OPTION... -- ELEMENTS...
    made=()
    while [ "$1" != -- ]; do
        made+=("$1")
        shift
    done
    elements=("${@:2}")
}
prepare() { # prepare OPTION...: in the order that these say
    [ "$have" = "${made[*]} ${elements[*]} $*" ] && return
    ./gsort-gen "${made[@]}" -o "$dir/in" &&
        ./gsort --device cpu --stats=json "$dir/in" "${elements[@]}" "$@" -o "$dir/cpu" >"$dir/cpu.json" &&
        have="${made[*]} ${elements[*]} $*"
}
tally_of() { # tally_of JSON: what was counted; fails where there is nothing
    sed -n '/"tally"/,/"plan"/p' "$1" | grep -v '"plan"'
}
# same OPTIONS...: the GPU writes what the processors write, and reports the same aggregates.
same() {
    local order=()
    [ "${1:-}" != -r ] || order=(-r)
    prepare "${order[@]}" &&
        ./gsort --device cuda --stats=json "$dir/in" "${elements[@]}" -o "$dir/gpu" -T "$dir" >"$dir/gpu.json" "$@" &&
        grep -q '"device": "cuda"' "$dir/gpu.json" && cmp "$dir/cpu" "$dir/gpu" &&
        tally_of "$dir/cpu.json" >"$dir/cpu.tally" && tally_of "$dir/gpu.json" | diff "$dir/cpu.tally" -
}

leaving() { # leaving OPTIONS...: the same, and some of it did not stay on the GPU
    same "$@" && grep -q '"spilled_runs": [1-9]' "$dir/gpu.json"
}

circular() { # the same, by merges of two runs at a time, by circular buffers
    leaving --spill always --chunk 12M --window 1M --batch-size 2 --tune merge=circular &&
        grep -q '"circular_merge_count": [1-9]' "$dir/gpu.json"
}
check_circular() { # check_circular NAME
    if [ "$has_bulk_copies" = true ]; then
        check "$1, circular" circular
    else
        [[ ! "$1, circular" =~ $only ]] || not_run "$1, circular: no bulk copies"
    fi
}

# Sorts more than 10^8 elements in the GPU's memory, then with a third of the memory that they take. The disk needs room for three such files.
large() { # large NAME BYTES_OF_AN_ELEMENT GEN_TYPE ELEMENTS...
    local name=$1 bytes=$((110000000 * $2))
    local room=$(($(df --output=avail -B1 "$dir" | tail -1) * 9 / 10))
    [[ "$name, resident $name, leaving the GPU" =~ $only ]] || return 0
    if [ $room -lt $((4 * bytes)) ]; then
        not_run "$name: no memory"
        return
    fi
    input --type "$3" --dist uniform --size $bytes -- "${@:4}"
    check "$name, resident" same
    check "$name, leaving the GPU" leaving --device-memory $((bytes / 3)) --memory $((bytes / 2))
    rm -f "$dir"/{in,cpu,gpu}
    have=
}

# Every type in small sorts of every kind.
shapes_of() { # shapes_of TYPE
    local shape
    for shape in uniform specials equal; do
        input --type "$1" --dist $shape --size 48M -- -t "$1"
        check "$1 $shape, resident" same
        check "$1 $shape, spilled in 12 runs" leaving --spill always --chunk 4M --window 1M
        check "$1 $shape, spilled, coded" leaving --spill always --chunk 4M --window 1M --compress zstd
        check "$1 $shape, hybrid" leaving --device-memory 48M --memory 64M --chunk 2M --window 512K
        check_circular "$1 $shape"
        check "$1 $shape, reversed" same -r
    done
}

# Positions, of pairs that the GPU makes; times are records to it.
positions() {
    local type
    for type in u32 f32 i64 f64 time64 u64be; do
        input --type f64 --dist specials --size 48M -- -t $type --argsort
        check "positions, $type, resident" same
        check "positions, $type, reversed" same -r
        check "positions, $type, spilled" leaving --spill always --chunk 4M --window 1M --compress zstd
        check "positions, $type, hybrid" leaving --device-memory 64M --memory 96M --chunk 2M --window 512K
    done
}

# A random order, whose keys the processors make.
shuffles() {
    local record
    for record in "-t u64" "-t u32" "-R 100"; do
        read -ra what <<<"$record"
        input --type u64 --dist uniform --size 48000000 -- "${what[@]}" --shuffle=7
        check "shuffle $record, resident" same
        check "shuffle $record, spilled" leaving --spill always --chunk 4M --window 1M
    done
}

# Records: short and long ones, with keys that tags hold and longer ones that tie in them.
small_records() {
    local record
    for record in "-R 100 -k 0:b10" "-R 48 -k 8:u64 -k 0:u64" "-R 24 -k 0:b24 -r" "-R 4000 -k 3999:uint8"; do
        read -ra keys <<<"$record"
        input --type u64 --dist zipf --size 48000000 -- "${keys[@]}"
        check "records $record, resident" same
        check "records $record, spilled" leaving --spill always --chunk 4M --window 1M
        check_circular "records $record"
        check "records $record, hybrid" leaving --device-memory 56M --memory 64M --chunk 2M --window 512K
    done
}

# Every kernel under a tool of compute-sanitizer, on small data.
sanitizer=$(command -v compute-sanitizer || command -v /usr/local/cuda/bin/compute-sanitizer || true)
must_sanitize=$($is_packed && [ -z "${CI:-}" ] && echo false || echo true)
# initcheck takes for uninitialised what bulk copies of sm_90 wrote: one store by cp.async.bulk.global, read by the next kernel,
# is enough (compute-sanitizer 2025.3). Merges write that way.
has_bulk_copies=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | awk '{print ($1 >= 9 ? "true" : "false"); exit}')
under() { # under TOOL
    local tool=$1
    merging() { # merging NAME COMMAND...: sanitized, where the tool sees what merges write
        if [ "$tool" = initcheck ] && [ "$has_bulk_copies" = true ]; then
            [[ ! "$tool, $1" =~ $only ]] || not_run "$tool, $1: the tool does not see what bulk copies write"
        else
            sanitized "$@"
        fi
    }
    sanitized() { # sanitized NAME COMMAND...
        if [ -z "$sanitizer" ] && ! $must_sanitize; then
            [[ ! "$tool, $1" =~ $only ]] || not_run "$tool, $1: no compute-sanitizer"
        else
            check "$tool, $1" "${sanitizer:-compute-sanitizer}" --tool "$tool" --error-exitcode 9 "${@:2}"
        fi
    }
    ./gsort-gen --type f64 --dist uniform --size 3M -o "$dir/in"
    merging sort ./gsort -q --device cuda -t f64 "$dir/in" -o "$dir/out"
    merging "sort, spilled, u32" ./gsort -q --device cuda -t u32 "$dir/in" \
        --spill always --chunk 256K --window 64K --compress zstd -o "$dir/out"
    merging "sort, u128" ./gsort -q --device cuda -t u128 "$dir/in" -o "$dir/out"
    ./gsort -q --device cpu -t u128 "$dir/in" -o "$dir/out"
    sanitized check ./gsort -q --device cuda -c -t u128 "$dir/out"
    merging "sort of records" ./gsort -q --device cuda -R 24 -k 0:b20 "$dir/in" \
        --spill always --chunk 256K --window 64K -o "$dir/out"
    [ "$has_bulk_copies" != true ] || merging "sort, circular" ./gsort -q --device cuda -t f64 "$dir/in" \
        --spill always --chunk 256K --window 64K --batch-size 2 --tune merge=circular -o "$dir/out"
    sanitized planes "$tests/test_planes_kernels"
    sanitized ties "$tests/test_tied_kernels"
    sanitized ladder "$tests/test_ladder"
    # The published forms race: that is what their tests show.
    sanitized "ladder beside the published" --kernel-name-exclude kernel_substring=published \
        "$tests/test_ladder_published"
    GS_TEST_SMALL=1 sanitized records "$tests/test_record_kernels" # racecheck takes ten minutes for all of it
}

# beside PART...: each in a process and a directory of its own; they print as they go, so that nothing is lost when time is up.
beside() {
    local part i=0 pids=()
    for part in "$@"; do
        i=$((i + 1))
        mkdir "$work/$i"
        (dir=$work/$i && $part) &
        pids+=($!)
    done
    for i in "${!pids[@]}"; do
        wait "${pids[$i]}" || echo "FAILED ($?)  ${*:i+1:1}"
        rm -r "${work:?}/$((i + 1))"
    done
}

units() {
    local name
    for name in "$@"; do check "test_$name" "$tests/test_$name"; done
}

# Cheap and telling first.
all() {
    beside "units sort_kernels gpu_array" "units merge_parts cuda_device" "units cuda_faults cuda_positions cuda_integers" \
        "units ladder ladder_published planes_kernels record_kernels tally_kernels tied_kernels"
    for type in u64:8 f64:8 u32:4 f32:4 i32:4 i64:8 u128:16; do
        large "10^8 ${type%:*}" "${type#*:}" "${type%:*}" -t "${type%:*}"
    done
    large "10^8 records of 100 bytes" 100 u64 -R 100 -k 0:b10
    beside "${tests_of_jobs[@]/#/units }"
    beside "shapes_of u32" "shapes_of i32" "shapes_of f32" small_records
    beside "shapes_of u64" "shapes_of i64" "shapes_of f64" "shapes_of u128" positions shuffles
    # Many elements in one piece, beyond 2^32.
    check "2^32 + elements in one sort" ./gsort-bench kernels --type u32 --size 17G --repeat 1
    check "steps of sorting records" ./gsort-bench record-kernels --size 256M --repeat 1
    for type in u32 u64 f32 f64; do
        check "textbook kernels, $type" ./gsort-bench ladder --type $type --size 256M --repeat 1
    done
    beside "under memcheck" "under racecheck" "under initcheck" "under synccheck"
}

all | tee "$work/lines"
count() {
    grep -c "^$1" "$work/lines" || true
}
echo "$(count 'ok  ') passed, $(count 'FAILED ') failed, $(count 'not run  ') not run"
[ "$(count 'FAILED ')" = 0 ]
