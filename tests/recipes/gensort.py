"""Python's sort, which is stable."""
with open('records', 'rb') as file:
    records = [record for record in iter(lambda: file.read(100), b'')]
with open('sorted', 'rb') as file:
    assert file.read() == b''.join(sorted(records, key=lambda record: record[:10]))
assert len(records) > 1000 and all(len(record) == 100 and record.endswith(b'\r\n') for record in records)
