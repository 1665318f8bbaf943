# NumPy itself is asked: arrays of random dtypes, written by it, sorted by gsort, read and compared by it.
for python in python3 /usr/bin/python3; do
    "$python" -c 'import numpy' 2>/dev/null && exec "$python" "$CASES/numpy_oracle.py" "$(sized 40 15)"
done
echo 'NumPy is not installed'
exit 77
