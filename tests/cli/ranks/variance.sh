# Mean and variance of special values; what they do not go with.
python3 -c 'import struct; open("x.f64", "wb").write(struct.pack("<5d", 1, 2, 4, float("nan"), float("inf")))'
gsort x.f64 --stats-only --variance --where '<inf' | grep -E '^(sum|mean|variance|deviation)'
gsort x.f64 --stats-only --variance --where '!=nan' | grep -E '^(sum|mean|variance|deviation)'
gsort x.f64 --stats-only --variance --where '<0' | grep -E '^(mean|variance)' || echo none
refuse() {
    local code=0
    gsort "$@" || code=$?
    [ $code -eq 2 ] || echo "$*: exit $code"
}
refuse -t u128 --raw --stats-only --variance --drop-tail x.f64
refuse -R 8 -k 0:b8 --stats-only --variance x.f64
refuse x.f64 -o y.f64 --variance --resume dir
refuse x.f64 --head 1 --variance
