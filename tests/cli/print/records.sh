# Records by their fields, which are those of -k, or of a .npy header; others as bytes.
printf 'AAPL\0\0\0\0\1\0\0\0\0\0\xf8\x3f\xff\x00tab\tIBM\0\0\0\0\0\0\0\0\0\0\0\xf0\x7f\x00\xff0xq.' >trades
gsort -R 22 --head 2 trades
gsort -R 22 -k 8:f64 -k 0:b8 -k 16:uint8 -k 16:int8 -k 16:u16 -k 16:i16be:desc -k 18:b4 --head 2 trades
gsort -R 22 -k 8:f64 -k 0:b8 -k 16:uint8 -k 16:int8 -k 16:u16 -k 16:i16be:desc -k 18:b4 --head 2 --json trades
gsort -R 22 --tail 1 --json trades
gsort -R 44 -k 0:u128be -k 0:u128 -k 8:f32be -k 8:u32be -k 8:i32be -k 8:i64be -k 8:u64 --head 1 trades

# header DESCR: what numpy.save writes before elements of that type.
header() {
    local text="{'descr': $1, 'fortran_order': False, 'shape': ($2,), }"
    printf '\x93NUMPY\1\0'
    printf "\\x$(printf %02x $(((${#text} + 11) / 64 * 64 + 64 - 10)))\\0"
    printf '%-*s\n' $(((${#text} + 11) / 64 * 64 + 64 - 11)) "$text"
}
{ header "[('symbol', '|S8'), ('price', '<f8'), ('n \"x\"', '>u2'), ('rest', '|V4')]" 2 && cat trades; } >trades.npy
gsort --head 5 trades.npy
gsort --head 1 --json trades.npy
gsort --tail 1 trades.npy -k price:desc -k symbol --json
{ header "'<f8'" 2 && printf '\0\0\0\0\0\0\xf8\x3f\0\0\0\0\0\0\xf0\xff'; } >x.npy
gsort --tail 5 x.npy
gsort --tail 5 --json x.npy
zstd -q x.npy
gsort --tail 1 x.npy.zst
{ header "'>i2'" 2 && printf '\xff\xfe\0\1'; } >y.npy
gsort --head 2 y.npy
gsort --raw -t u32 --head 1 y.npy

# What -u --count writes.
printf '\3\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0' >words.u64
gsort -u --count words.u64 -o counts
gsort -R 16 -k 0:u64 -k 8:u64 --head 9 counts
