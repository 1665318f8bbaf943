# NumPy itself is asked: arrays of random dtypes, written by it, sorted by gsort, read and compared by it.
numpy=$(numpy_python) || skip "no NumPy"
"$numpy" "$CASES/numpy_oracle.py" "$(sized 40 15)"
