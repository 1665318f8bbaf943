"""Rows in the order in which Python puts them; and as many columns, of the same types."""
import csv

import pyarrow.parquet as pq

with open('deals.csv', encoding='utf-8', newline='') as file:
    heading, *rows = csv.reader(file)
with open('sorted.csv', encoding='utf-8', newline='') as file:
    found_heading, *found = csv.reader(file)


def values(row):
    return row[0].ljust(26, '0'), float(row[1]), int(row[2])


assert found_heading == heading == ['time', 'price', 'pieces']
rows = sorted(map(values, rows), key=lambda row: (-row[1], row[0]))
assert list(map(values, found)) == rows and len(rows) > 1000

table = pq.read_table('deals.parquet')
order = sorted(table.to_pylist(), key=lambda row: (-row['price'], row['time']))
for name in 'sorted.parquet', 'direct.parquet':
    result = pq.read_table(name)
    assert result.schema.equals(table.schema) and result.to_pylist() == order, name
