"""Tables of any columns, larger than memory too: sorted by any keys, from Arrow to Arrow, from Parquet to Parquet.

A row stays as Arrow has it; only its keys become something that gsort sorts (order.py), and what gsort says is the order of the rows.

    batches --> carried --> group --> places of its rows --> run --> windows --> given out --> batches
               (carried.py)     (order.py, gs.argsort)   (run.py)   (merge.py)  (carried.py)
                                                          memory,
                                                          or a file without a name

A run is written in its order, with all that belongs to its rows, and so is read front to back: no merge seeks by row. Each byte of
a table that does not fit is written once and read once, up to FAN_IN groups; beyond, once more for each FAN_IN times as many.

A group is sorted and written while the next one is taken in. Of the ceiling `memory` (M) each of the two may have a sixth, gsort a
quarter, runs that stay in memory another one; what is left is for pieces of columns on their way. While runs are merged, the groups'
part and gsort's are the windows'.
"""
