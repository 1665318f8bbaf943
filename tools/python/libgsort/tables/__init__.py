"""Sorts tables with columns of any type, which may be larger than memory, by any keys: from Arrow
to Arrow, and from Parquet to Parquet.

    batch --> converted --> records ----------- Sorter ------> sorted records --> rows --> batch
          (convert.py)   (order.py,      (the library, which      (sort.py)     (rows.py,
                         rows.py)         sorts and spills)           |         convert.py)
                            |                                         |
                            +--> groups of long texts and lists --> next row of each run
                                   (store.py: sorted runs in memory, or in an unnamed file)

The Sorter does all sorting that may exceed memory. A record contains the keys, and all columns of a
fixed width and short texts. Other values are stored in runs that have the order of their records.
Each sorted record says which run has its part, so a run is read from front to back, and nothing is
compared again. Tables without long texts, lists and structs need no store.

The limit `memory` (M) is divided: 5/8 are for the Sorter, or 3/8 if rows have to be stored. Groups
use an eighth each, one that is filled and one that is sorted and written. Runs that stay in memory
use an eighth. A window has M/64.
"""
