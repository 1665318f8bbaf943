#!/usr/bin/env python3
"""links.py FOLDER MBIT [BYTES]: compares the time that --explain predicts with that of a sort, on three nodes with slow links.

Makes three network namespaces on a bridge, and a Ray node of one processor in each. `tc` limits their links to MBIT Mbit/s each way.
Sorts BYTES (1 GiB) of random u64 in FOLDER, which needs three times that. Needs root, ip and tc, and the environment of overhead.py.
"""
import json
import os
import subprocess
import sys
import time

NODES = ['10.211.0.1', '10.211.0.2', '10.211.0.3']


def run(*words, **how):
    return subprocess.run(' '.join(words).split(), check=True, **how)


def lay(mbit):
    run('ip link add gsray type bridge')
    run('ip link set gsray up')
    for i, address in enumerate(NODES):
        run(f'ip netns add gsray{i}')
        run(f'ip link add gsray{i} type veth peer name eth0 netns gsray{i}')
        run(f'ip link set gsray{i} master gsray up')
        run(f'ip -n gsray{i} addr add {address}/24 dev eth0')
        for name in 'lo', 'eth0':
            run(f'ip -n gsray{i} link set {name} up')
        shape = f'root tbf rate {mbit}mbit burst 256kb latency 50ms'
        run(f'tc qdisc add dev gsray{i} {shape}')
        run(f'ip netns exec gsray{i} tc qdisc add dev eth0 {shape}')


def clear():
    for i in range(len(NODES)):
        subprocess.run(['ip', 'link', 'del', f'gsray{i}'], check=False)  # its namespace lives as long as the last process in it
        subprocess.run(['ip', 'netns', 'del', f'gsray{i}'], check=False)
    subprocess.run(['ip', 'link', 'del', 'gsray'], check=False)


def inside(folder):
    """In the first node's namespace."""
    import ray

    import libgsort.ray as gr
    ray.init(address=f'{NODES[0]}:6399', log_to_driver=False)
    options = {'memory': '256M', 'temp': os.path.join(folder, 'nodes')}
    for _ in range(3):
        plan = gr.sort_file('x.u64', 'out.u64', explain=True, **options)
        begin = time.monotonic()
        report = gr.sort_file('x.u64', 'out.u64', **options)
        took = time.monotonic() - begin
        rates = {name: round(rate / 1e6) for name, rate in plan.ray['rates'].items()}
        print(f"predicted {plan.ray['seconds']['all']:.1f} s, took {took:.1f} s: {plan.ray['seconds']['all'] / took:.2f}")
        print(json.dumps({'MB/s': rates, 'predicted': plan.ray['seconds'], 'took': report.ray['seconds']}), flush=True)
    subprocess.run(['gsort', '--check', 'out.u64'], check=True)


def main():
    folder = os.path.abspath(sys.argv[1])
    os.chdir(folder)
    if len(sys.argv) == 2:
        inside(folder)
        return
    count = int(sys.argv[3] if len(sys.argv) > 3 else 1 << 30) // 8
    subprocess.run(['gsort-gen', '-d', 'uniform', '-t', 'u64', '-n', str(count), '-o', 'x.u64'], check=True)
    own, nodes = os.path.abspath(__file__), []
    os.environ['RAY_AUTH_MODE'] = 'disabled'  # no one else is on these links; with a token at home nodes want it, and drivers send none
    clear()
    try:
        lay(sys.argv[2])
        for i, address in enumerate(NODES):
            role = '--head --port 6399 --include-dashboard false' if i == 0 else f'--address {NODES[0]}:6399'
            nodes.append(subprocess.Popen(f'ip netns exec gsray{i} {sys.executable} -m ray.scripts.scripts start {role} --node-ip-address {address} '
                                          '--num-cpus 1 --object-store-memory 100000000 --block'.split(), stdout=subprocess.DEVNULL))
            time.sleep(8 if i == 0 else 4)
        subprocess.run(['ip', 'netns', 'exec', 'gsray0', sys.executable, own, folder], check=True)
    finally:
        for node in nodes:
            node.terminate()
        for node in nodes:
            node.wait()
        clear()
        for name in ('x.u64', 'out.u64'):
            if os.path.exists(name):
                os.unlink(name)


if __name__ == '__main__':
    main()
