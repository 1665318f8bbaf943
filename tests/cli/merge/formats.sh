# Options that .npy and compressed outputs refuse. Merges of both: tests/model.
python3 -c 'import struct; open("0.f64", "wb").write(struct.pack("<3d", -1, 2, 3))'
gsort -m 0.f64 0.f64 -o got.f64.zst
gsort --stats-only got.f64.zst | head -1
gsort -m -t f64 0.f64 <(cat 0.f64) -o out.npy || echo "exit $?"
gsort -m --raw -t u64 --check 0.f64 || echo "exit $?"
