"""Validates reports and plans against src/report.schema.json, which is installed for their readers.

tests/unit/report/test_report_schema.c compares that file with the table of fields."""
import json
import os
import random
import struct
import subprocess

import jsonschema
import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GSORT = os.path.join(os.path.dirname(os.environ['LIBGSORT_LIBRARY']), '..', 'bin', 'gsort')
with open(os.path.join(ROOT, 'src', 'report.schema.json'), encoding='utf-8') as schema_file:
    SCHEMA = json.load(schema_file)
RECORDS = ['-R', '16', '-k', '0:u32', '-k', '4:f32:desc', 'records']
JOBS = {
    'sort': 'x.u64 -o out', 'nothing': 'nothing.f64 -o out', 'records': [*RECORDS, '-o', 'out'], 'records without keys': '-R 16 records -o out',
    'spilled': 'x.u64 -o out --spill always --chunk 64K --window 16K', 'coded': 'x.u64 -o out --spill always --chunk 64K --window 16K --compress zstd',
    'stats': '--stats-only x.u64 --quantiles=0,0.5,1 --histogram=4 --variance', 'groups': 'x.u64 --distinct --mode -o out', 'figures of times':
    '--stats-only -t time64[ms] x.u64 --raw --quantiles=0.5 --variance', 'figures of small numbers': '-t i16 x.u64 --raw --mode -o out',
    'figures of a field': [*RECORDS, '--stats-of', '0:u32', '--stats-of', '8:u64', '--quantiles=0.3', '--mode', '--variance', '-o', 'out'],
    'unique': 'x.u64 -u --count -o out', 'fold': '-R 16 -k 0:u32 -u --sum 8:u64 records -o out', 'where': "x.u64 --where >5 -o out",
    'top': 'x.u64 --top 5 -o out', 'range': 'x.u64 --range 3:9 -o out', 'argsort': 'x.u64 --argsort -o out',
    'fields': '-R 16 -k 0:u32 --out 8:4,0:4 records -o out', 'split': 'x.u64 --split 3 -o out.%d', 'merge': '-m sorted.u64 sorted.u64 -o out',
    'a set': '--merge=intersect sorted.u64 sorted.u64 -o out', 'part': '-m sorted.u64 sorted.u64 --part 2/3 -o out',
    'hundred bytes': '--check -R 100 -k 0:b10 hundred', 'check': '--check sorted.u64', 'disorder': '--check x.u64',
    'disorder of records': ['--check', *RECORDS], 'plan': '--explain x.u64 -o out', 'plan of records': ['--explain', *RECORDS, '-o', 'out'],
    'note': 'x.bin -o out', 'packed': 'x.u64 --zstd -o out',
}


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp('schema')
    rng = random.Random(1)
    numbers = [rng.choice([0, 5, 2 ** 63 + 1, rng.getrandbits(64)]) for _ in range(40000)]
    for name, data in {'x.u64': numbers, 'x.bin': numbers, 'nothing.f64': [], 'sorted.u64': sorted(numbers)}.items():
        (folder / name).write_bytes(struct.pack(f'<{len(data)}Q', *data))
    (folder / 'records').write_bytes(rng.randbytes(16000) + b''.join(struct.pack('<If8x', 7, float('nan')) for _ in range(100)))
    (folder / 'hundred').write_bytes(rng.randbytes(10000))
    return folder


def report_of(words, folder):
    words = words.split() if isinstance(words, str) else words
    done = subprocess.run([GSORT, '--stats=json:report', *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    report = json.loads((folder / 'report').read_text())
    (folder / 'report').unlink()
    return report


def which(report):
    return 'report' if 'seconds' in report else 'plan'


jsonschema.Draft202012Validator.check_schema(SCHEMA)
VALIDATORS = {kind: jsonschema.Draft202012Validator({**SCHEMA, 'anyOf': [{'$ref': f'#/$defs/{kind}'}]}) for kind in SCHEMA['$defs']}


@pytest.mark.parametrize('name', JOBS)
def test_report__of_each_kind__is_as_the_schema_says(folder, name):
    report = report_of(JOBS[name], folder)
    kind = which(report)
    assert kind == ('plan' if name.startswith('plan') else 'report')
    assert [error.message for error in VALIDATORS[kind].iter_errors(report)] == []
    known = SCHEMA['$defs'][kind]['properties']
    assert set(report) <= set(known), 'the schema lacks a field'
    for field, value in report.items():  # each can be wrong
        other = 'text' if isinstance(value, (bool, dict)) else {}
        if value is not None or 'object' not in known[field]['type']:
            assert not VALIDATORS[kind].is_valid({**report, field: other}), field
