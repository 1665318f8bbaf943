"""Sorts tables with columns of any type, which may be larger than memory, by any keys: from Arrow to Arrow, and from Parquet to Parquet.

Rows stay in Arrow's format. Only their keys are converted to records (order.py). gsort sorts these, which yields the order of the rows.

    batches --> carried --> group --> places of its rows --> run --> windows --> given out --> batches
               (carried.py)     (order.py, gs.argsort)   (run.py)   (merge.py)  (carried.py)
                                                          memory,
                                                          or an unnamed file

A run contains complete rows in sorted order. A merge therefore reads it from front to back and never seeks by row. A table that does
not fit in memory is written once and read once, up to FAN_IN groups. Each further factor of FAN_IN adds one more pass.

A group is sorted and written while the next one is read. Each of these two groups may use a sixth of the limit `memory` (M),
and gsort a quarter. Runs that stay in memory may use another quarter. The rest is for temporary columns. While runs are merged, the windows use
the memory of the groups and of gsort.
"""
