#!/usr/bin/env python3
"""bench_arrays.py: measures libgsort.cuda on arrays in a GPU's memory, beside CuPy and PyTorch, which call CUB.

    LIBGSORT_LIBRARY=.../libgsort.so.0 PYTHONPATH=tools/python python3 tools/gsort-bench/gpu/bench_arrays.py [MIB [ROUNDS]]

Rows take turns. Events of the GPU measure the time; a row shows the median of its rounds. Each round sorts other random elements,
copied from the same array. Each row also shows, from the same run, a copy on the device, cupy.sort in place, and torch.sort. CuPy sorts
integers by radix and floats by merging. PyTorch sorts keys with positions of 8 bytes by radix. Results are compared with CuPy's,
which is not timed.
"""
import statistics
import sys

import cupy
import numpy as np
import torch

import libgsort as gs


def milliseconds(work, prepare):
    begin, end = cupy.cuda.Event(), cupy.cuda.Event()
    prepare()
    cupy.cuda.runtime.deviceSynchronize()
    begin.record()
    work()
    end.record()
    end.synchronize()
    return cupy.cuda.get_elapsed_time(begin, end)


def rows_of(dtype, count):
    random = cupy.random.default_rng(1)
    raw = random.integers(0, 1 << 64, count * np.dtype(dtype).itemsize // 8, dtype='u8')
    source = raw.view(dtype)
    if np.dtype(dtype).kind == 'f':
        source = cupy.nan_to_num(source)
    array, out = source.copy(), cupy.empty(count, 'u8')
    scratch = cupy.empty(max(gs.cuda.scratch_bytes(array), gs.cuda.scratch_bytes(array, is_argsort=True)), 'u1')
    tensor = torch.as_tensor(array, device='cuda') if dtype not in ('u2', 'u4', 'u8') else torch.as_tensor(array.view('i' + dtype[1]))

    def fill():
        array[:] = source

    def check():
        fill()
        wanted = cupy.sort(array)
        gs.cuda.sort(array, scratch=scratch)
        assert (array == wanted).all()
        gs.cuda.argsort(source, out=out, scratch=scratch)
        assert (source[out] == wanted).all()
    check()
    return {
        f'{dtype} copy': (fill, fill),
        f'{dtype} gs.cuda.sort': (lambda: gs.cuda.sort(array, scratch=scratch), fill),
        f'{dtype} gs.cuda.sort, pool': (lambda: gs.cuda.sort(array), fill),
        f'{dtype} cupy.sort': (lambda: array.sort(), fill),
        f'{dtype} gs.cuda.argsort': (lambda: gs.cuda.argsort(array, out=out, scratch=scratch), fill),
        f'{dtype} torch.sort, positions too': (lambda: torch.sort(tensor, stable=True), fill),
    }


def rows_of_records(count):
    random = cupy.random.default_rng(2)
    source = random.integers(0, 1 << 64, 2 * count, dtype='u8')
    array = source.copy()
    held = {}

    class Records:
        __cuda_array_interface__ = {'shape': (count,), 'typestr': '|V16', 'descr': [('key', '<u8'), ('value', '<u8')], 'strides': None,
                                    'data': (array.data.ptr, False), 'version': 3, 'stream': None}
    records = Records()
    scratch = cupy.empty(gs.cuda.scratch_bytes(records, order='key'), 'u1')
    keys = torch.as_tensor(array[:count].view('i8'))

    def fill():
        array[:] = source
    gs.cuda.sort(records, order='key', scratch=scratch)
    sorted_keys = array.reshape(-1, 2)[:, 0]
    assert (sorted_keys == cupy.sort(source.reshape(-1, 2)[:, 0].copy())).all()
    held['keys'] = keys
    return {
        'u64+u64 copy': (fill, fill),
        'u64+u64 gs.cuda.sort': (lambda: gs.cuda.sort(records, order='key', scratch=scratch), fill),
        'u64+u64 torch.sort': (lambda: torch.sort(keys, stable=True), fill),
    }


def main():
    mib, rounds = (int(text) for text in (sys.argv[1:] + ['1024', '7'][len(sys.argv) - 1:]))
    # One pool for all, which keeps what it has.
    print(cupy.cuda.runtime.getDeviceProperties(0)['name'].decode(), f'{mib} MiB, {rounds} rounds; ms, times of the copy')
    for make in [*(lambda d=d: rows_of(d, (mib << 20) // np.dtype(d).itemsize) for d in ('u4', 'f4', 'u8', 'f8', 'i2')),
                 lambda: rows_of_records((mib << 20) // 16)]:
        rows = make()
        samples = {name: [] for name in rows}
        for turn in range(rounds + 1):
            for name, (work, prepare) in rows.items():
                took = milliseconds(work, prepare)
                if turn > 0:
                    samples[name].append(took)
        copy = statistics.median(next(iter(samples.values())))
        for name, times in samples.items():
            median = statistics.median(times)
            print(f'{name:34} {median:9.3f} {median / copy:8.2f}   {min(times):9.3f} .. {max(times):9.3f}', flush=True)
        rows = None
        cupy.get_default_memory_pool().free_all_blocks()
        torch.cuda.empty_cache()


main()
