# A sort continues only with the same range.
gsort-gen -d uniform -t u64 -n 50000 -o x.u64
gsort --range 1K:30K x.u64 -o want
(trap '' XFSZ && ulimit -f 200 && gsort --range 1K:30K x.u64 -o got --resume kept 2> /dev/null) || echo "exit $?"
gsort --range 2K:30K x.u64 -o got --resume kept || echo "exit $?"
gsort --range 1K:30K x.u64 -o got --resume kept
cmp want got
