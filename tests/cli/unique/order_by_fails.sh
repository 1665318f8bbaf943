# Columns that are not there, options without a meaning, and failures of either sort: one line, and no output.
python3 -c '
import struct
open("x", "wb").write(b"".join(struct.pack("<QQ", i % 5, 2**62) for i in range(50)))'
run() {
    gsort -R 16 --fields=id=0:u64,qty=8:u64 "$@" && echo "accepted: $*"
}
set +e
run -k id -u --count x --order-by=sum -o out
run -k id -u x --order-by=count -o out
run -k id -u x --order-by=9:u64 -o out
run -k id -u --count x --order-by=count,qty,count:desc -o out
run -k id x --order-by=qty -o out
run -k id -u x --order-by=qty --explain
run -k id -u x --order-by=qty --argsort -o out
run -k id -u x --order-by=qty --values=x:16=y -o out
run -k id -u x --order-by=qty --split=2
run -k id -u x --order-by=qty -o none/out
run -k id -u x --order-by=qty -S 15M -o out
run -k id -u --sum=qty x --order-by=qty -o out
run -k id -u --order-by=qty none -o out
run -k id -u --order-by=qty x 2>&1 >/dev/full
[ "$(run -k id -u --order-by=qty x --top=0 -o empty --stats=json 2>&1 | grep -c '"count": 50')" -eq 2 ] || echo "not all elements were read"
echo 'until it is canceled' >old
(cat x; sleep 60) | timeout -s INT 0.5 gsort -R 16 -u --order-by=0:u64 -o old
cat old
ls
