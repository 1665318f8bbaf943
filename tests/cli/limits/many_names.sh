# Names and inputs that do not fit into --memory: one line, before more is taken than that.
gsort-gen --dist uniform --type u64 --count 2 -o in
python3 -c "open('names', 'wb').write(b'./././in\0' * 100000)"
(ulimit -v 100000 && gsort --files0-from=/dev/zero -o out -S 16M) && echo "names without end"
gsort --files0-from=names -t u64 -o out -S 1M && echo "1 MiB are less than the names"
gsort --files0-from=names -t u64 -o out -S 16M && echo "16 MiB are less than the table"
gsort --files0-from=names -t u64 -o out -S 28M --parallel 1 && [ "$(stat -c %s out)" = 1600000 ] || echo "28 MiB: exit $?"
# The memory that these lines name suffices.
for memory in 1M 16M; do
    enough=$(gsort --files0-from=names -t u64 -o out -S $memory 2>&1 | sed -n 's/.*; \([0-9]*\) MiB are enough$/\1/p')
    rm -f out
    gsort --files0-from=names -t u64 -o out -S "${enough}M" && [ "$(stat -c %s out)" = 1600000 ] || echo "$memory: $enough MiB are not enough"
done
