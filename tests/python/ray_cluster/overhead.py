#!/usr/bin/env python3
"""overhead.py FOLDER [BYTES]: compares one gsort with -S 2G with libgsort.ray: two tasks of 1G on a node of 2 processors.

Sorts BYTES (4 GiB) of random u64 in FOLDER, which needs four times that. Runs both in turn: three times with sorted files that all nodes
see, and three times with files of nodes. Prints seconds and their ratio. Needs gsort in PATH, LIBGSORT_LIBRARY and PYTHONPATH as in
tests/python/run.sh, and an idle machine.
"""
import os
import subprocess
import sys
import time

import ray
from ray.cluster_utils import Cluster

import libgsort.ray as gr


def main():
    os.chdir(sys.argv[1])
    count = int(sys.argv[2] if len(sys.argv) > 2 else 4 << 30) // 8
    subprocess.run(['gsort-gen', '-d', 'uniform', '-t', 'u64', '-n', str(count), '-o', 'x.u64'], check=True)
    # Ray runs tasks at niceness 15: where a machine has something else to do, that goes first.
    cluster = Cluster(initialize_head=True, head_node_args={'num_cpus': 2, 'object_store_memory': 100 << 20})
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        for temp in (None, os.path.abspath('nodes')) * 3:
            begin = time.monotonic()
            subprocess.run(['gsort', '-q', 'x.u64', '-o', 'one.u64', '-S', '2G'], check=True)
            one = time.monotonic() - begin
            begin = time.monotonic()
            report = gr.sort_file('x.u64', 'many.u64', memory='1G', temp=temp)
            many = time.monotonic() - begin
            subprocess.run(['cmp', 'one.u64', 'many.u64'], check=True)
            print(f"{'nodes' if temp else 'shared':6} {one:.1f} s, {many:.1f} s: {many / one:.2f}; {report.ray['seconds']}", flush=True)
    finally:
        for name in ('x.u64', 'one.u64', 'many.u64'):
            if os.path.exists(name):
                os.unlink(name)
        ray.shutdown()
        cluster.shutdown()


if __name__ == '__main__':
    main()
