# --fields names fields of records, and the names mean what OFF:TYPE means.
python3 - <<'P'
import struct
open('trades', 'wb').write(b''.join(struct.pack('<Qdi4s', i * i % 7, (i * 5 % 11) / 4, i % 4 - 1, b'a,"b'[:i % 5]) for i in range(60)))
open('trades.fields', 'w').write('# a trade\n  id=0:u64, price=8:f64\t# two of them\r\n\nqty=16:i32\nname=20:b4')
open('bad.fields', 'w').write('id=0:u64\n\nprice=8:f64,qty\n')
open('nul.fields', 'wb').write(b'id=0:u64\0')
head = "{'descr': [('id', '<u4'), ('price', '<f4')], 'fortran_order': False, 'shape': (2,), }".ljust(117) + '\n'
open('t.npy', 'wb').write(b'\x93NUMPY\x01\x00' + struct.pack('<H', 118) + head.encode() + struct.pack('<IfIf', 7, 1.5, 2, 0.5))
P
same() { # same 'OPTIONS BY NAME' 'OPTIONS BY PLACE'
    gsort -R 24 --fields=@trades.fields $1 trades -o named
    gsort -R 24 $2 trades -o placed
    cmp named placed
}
same '-k price:desc -k id' '-k 8:f64:desc -k 0:u64'
same '-k name:DESC --ties=bytes' '-k 20:b4:desc --ties=bytes'
same '-k id --where qty>0 --where price<=2' '-k 0:u64 --where 16:i32>0 --where 8:f64<=2'
same '-k id -u --sum qty --min price --count' '-k 0:u64 -u --sum 16:i32 --min 8:f64 --count'
same '-k id -u --sum qty:wide --max price' '-k 0:u64 -u --sum 16:i32:wide --max 8:f64'
same '-k price --out qty,0:8,price' '-k 8:f64 --out 16:4,0:8,8:8'
same '-k qty -r --top 3' '-k 16:i32 -r --top 3'
same '' ''
gsort -R 24 --fields=id=0:u64 --fields=price=8:f64 -k id trades -o named
gsort -R 24 -k 0:u64 trades -o placed
cmp named placed
gsort -R 24 --fields=@trades.fields -k price trades --split-at 1,2 -o named.%d
gsort -R 24 -k 8:f64 --check named.2
gsort -R 24 --fields=@trades.fields -k price --find 1..2 named.2
# Reports and printed columns have the names; all of them are printed, and other keys after them.
gsort -R 24 --fields=@trades.fields -k price:desc --stats-of qty --stats-of id --stats-only trades | grep -E '^(type|field|sum)'
gsort -R 24 --fields=@trades.fields -k price --quantiles=median --stats-only --stats=json trades | grep -E '"(field|ranks_of)"'
gsort -R 24 --fields=@trades.fields -k id --head 2 trades --print=header
gsort -R 24 --fields=price=8:f64 -k 0:u64 -k price -u --group=1 --sum 16:i32 --count trades --print=header | head -n 2
# A header's names and those of --fields go together, and an output's header has them.
gsort t.npy --fields=low=0:u16 -k low --print=header
gsort t.npy --fields=low=0:u16 -k price --out low,price -o out.npy
gsort out.npy --print=header
gsort -R 24 --fields=@trades.fields -k id --out qty,name,id trades -o out.npy
head -c 93 out.npy | tail -c 83 | tr '[]' '()'
echo
expect() {
    local got=0
    gsort -R 24 "$@" -o out || got=$?
    [ $got -eq 2 ] || echo "gsort $*: exit $got"
}
for fields in '' x =0:u64 1a=0:u64 'a b=0:u64' 'é=0:u64' a=0:u64,,b=8:u64 a=0:u64,a=8:u64 a=0:u64,b=8:u64,b=16:u64 a=0 a=0: a=:u64 a=-1:u64 a=0:u65 a=0:float a=0:u64:desc \
    a=0:b0 a=0:b25 a=17:u64 a=4294967288:u64 a=4294967296:u64 a=9223372036854775807:u64 a=18446744073709551615:u64 \
    a=18446744073709551616:u64 a=0:b4294967296 a=0:b18446744073709551617 @ @missing @. @bad.fields @nul.fields @/dev/null \
    "$(printf 'x%.0s' {1..64})=0:u64" "$(seq -s, -f 'a%g=0:uint8' 1001)"; do
    expect --fields="$fields" trades
done 2>&1 | cut -c1-180
expect --fields=id=0:u64 -k idd trades
expect --fields=id=0:u64 -k -id trades
expect --fields=id=0:u64 --where 'ID>0' trades
expect --fields=id=0:u64 -k id -u --sum qty trades
expect --fields=id=0:u64 -k id -u --sum id:desc trades
expect --fields=id=0:u64 --stats-of qty trades
expect --fields=id=0:u64 --out id,qty trades
expect --fields=id=0:u64 -k id -k 0:u64 trades
gsort --fields=id=0:u64 trades -o out || echo "exit $?"
gsort -t u64 --fields=id=0:u64 trades -o out || echo "exit $?"
gsort t.npy --fields=id=0:u64 -o out.npy || echo "exit $?"
gsort t.npy --fields=x=4:u64 -o out.npy || echo "exit $?"
gsort -R 24 --fields="$(seq -s, -f 'a%g=0:uint8' 65)" trades --print || echo "exit $?"
