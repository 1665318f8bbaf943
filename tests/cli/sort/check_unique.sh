# -c -u prints lines about numbers and about records, of which it compares the keys only. The model checks where it
# finds them.
python3 - <<'P'
import struct
open('down.f64', 'wb').write(struct.pack('<5d', 2, 1, 0.0, -0.0, -1))
open('twice.f64', 'wb').write(struct.pack('<5d', 2, 1, 0.0, 0.0, -1))
open('records', 'wb').write(b'aa1 ab2 ac3 ac4 ad5 ')
P
set +e
gsort -c -u -r down.f64 && echo in order
gsort -c -r twice.f64 && echo in order
gsort -c -u -r twice.f64
gsort -c -u -R 4 records && echo in order
gsort -c -R 4 -k 0:b2 records && echo in order
gsort -c -u -R 4 -k 0:b2 records
gsort -c -u -R 4 -k 0:b1 -k 1:uint8 records
gsort -C -u -R 4 -k 0:b2 records || echo "exit $?"
