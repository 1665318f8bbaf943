#!/usr/bin/env python3
"""at_size.py: measures sorts far larger than memory, on the disk of the current directory, beside their plan.

    at_size.py BIN [--size 32G] [--memory 512M,1G,8G] [--device cpu,cuda] [--kinds u64,records] [--copy-loop FILE] [--json FILE]

Makes one random file of SIZE per kind (records: 100 bytes, keys of 10) and sorts it into a file once per memory and device, by
`gsort --compress none --spill always`, after dropping the page cache (needs root). Prints the seconds; the bytes read and written,
and whether `--explain` predicted them; the process's peak memory; and the joules that RAPL and nvidia-smi report, if they do.
Checks every output by `gsort --check`: its order, count, fingerprint and, for records, valsort's checksum are those of the input.
Needs a little more than twice SIZE on the disk. --copy-loop: the program copy_loop.c, built by
`gcc -O3 -D_GNU_SOURCE copy_loop.c -luring`. Prints first how long it takes to read and write the file once.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import threading

from measuring import Failed, bytes_of, drop_cache, place, timed

KINDS = {'u64': (['-t', 'u64'], 8), 'records': (['-R', '100', '-k', '0:b10'], 100)}


class Joules:
    """Joules of the processors and of the GPU between begin and end; None without a sensor."""

    def __init__(self, with_gpu):
        self.rapl = glob.glob('/sys/class/powercap/intel-rapl:[0-9]/energy_uj')
        self.first = self.read()
        self.gpu = None
        self.smi = None
        if with_gpu:
            self.smi = subprocess.Popen(['nvidia-smi', '--query-gpu=power.draw', '--format=csv,noheader,nounits', '-lms', '100'],
                                        stdout=subprocess.PIPE, text=True)
            self.watts = []
            self.thread = threading.Thread(target=lambda: self.watts.extend(float(line) for line in self.smi.stdout))
            self.thread.start()

    def read(self):
        return [int(open(path).read()) for path in self.rapl]

    def end(self, seconds):
        if self.smi:
            self.smi.terminate()
            self.thread.join()
            self.smi.wait()
            self.gpu = seconds * sum(self.watts) / len(self.watts) if self.watts else None
        used = [after - before for before, after in zip(self.first, self.read())]
        return sum(used) / 1e6 if used and min(used) >= 0 else None, self.gpu


def checked(gsort, words, path):
    done = subprocess.run([gsort, '--check=quiet', '--stats=json', *words, path], stdout=subprocess.PIPE, text=True)
    report = json.loads(done.stdout)
    return done.returncode == 0, (report['tally']['count'], report['tally']['fingerprint'], report['valsort_checksum'])


def copy(program):
    drop_cache()
    seconds = timed([program, 'at_size.in', 'at_size.out']).seconds
    os.unlink('at_size.out')
    return seconds


def sort(gsort, words, memory, device):
    drop_cache()
    command = [gsort, '--compress', 'none', '--spill', 'always', '-T', '.', '-S', memory, '--device', device, '--stats=json', *words,
               'at_size.in', '-o', 'at_size.out']
    plan = json.loads(subprocess.run([*command, '--explain'], check=True, stdout=subprocess.PIPE).stdout)['plan']
    joules = Joules(device != 'cpu')
    try:
        sample = timed(command, stderr=None)
    except Failed as failure:
        sys.exit(f'at_size.py: {" ".join(command)}: {failure}')
    processor, gpu = joules.end(sample.seconds)
    report = json.loads(sample.output)
    return {'command': ' '.join(['gsort', *command[1:]]), 'seconds': sample.seconds, 'bytes_read': report['bytes_read'], 'bytes_written':
            report['bytes_written'], 'plan_read': plan['bytes_read'], 'plan_written': plan['bytes_written'], 'runs': report['run_count'],
            'peak_bytes': sample.peak_bytes, 'processor_seconds': sample.processor_seconds, 'joules': processor,
            'gpu_joules': gpu, 'device': report['device_name'] or report['device'], 'phases': {
                phase['name']: phase['seconds'] for phase in report['phases']}}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('bin')
    parser.add_argument('--size', default='32G')
    parser.add_argument('--memory', default='512M,1G,8G')
    parser.add_argument('--device', default='cpu')
    parser.add_argument('--kinds', default='u64,records')
    parser.add_argument('--copy-loop')
    parser.add_argument('--json')
    options = parser.parse_args()
    gsort = os.path.join(options.bin, 'gsort')
    rows, copies = [], []
    try:
        for kind in options.kinds.split(','):
            words, width = KINDS[kind]
            size = bytes_of(options.size) // width // 8 * width * 8
            subprocess.run([os.path.join(options.bin, 'gsort-gen'), '-d', 'uniform', '-t', 'u32' if kind == 'records' else 'u64',
                            '-s', str(size), '-o', 'at_size.in'], check=True)
            if options.copy_loop:
                copies.append(copy(options.copy_loop))
                print(f'copied: {copies[-1]:.1f} s', flush=True)
            want = checked(gsort, words, 'at_size.in')[1]
            for device in options.device.split(','):
                for memory in options.memory.split(','):
                    row = {'kind': kind, 'bytes': size, 'memory': memory, **sort(gsort, words, memory, device)}
                    row['is_sorted'], got = checked(gsort, words, 'at_size.out')
                    row['is_same'] = got == want
                    rows.append(row)
                    moved = (row['bytes_read'], row['bytes_written']) == (row['plan_read'], row['plan_written'])
                    print(f'{kind} {size / 1e9:.1f} GB in {memory} by {row["device"]}: {row["seconds"]:.1f} s, '
                          f'{row["processor_seconds"]:.1f} of processors, {row["runs"]} runs, read {row["bytes_read"]}, written '
                          f'{row["bytes_written"]} ({"as" if moved else "NOT as"} planned), peak {row["peak_bytes"] >> 20} MiB, '
                          f'joules {row["joules"]}, of the GPU {row["gpu_joules"]}; '
                          f'{"sorted" if row["is_sorted"] else "NOT SORTED"}, {"all there" if row["is_same"] else "NOT THE SAME"}', flush=True)
                    os.unlink('at_size.out')
            os.unlink('at_size.in')
    finally:
        for name in ('at_size.in', 'at_size.out'):
            if os.path.exists(name):
                os.unlink(name)
    if options.json:
        with open(options.json, 'w') as file:
            json.dump({**place(), 'copy_seconds': copies, 'rows': rows}, file, indent=1)
    if not all(row['is_sorted'] and row['is_same'] for row in rows):
        sys.exit(1)


if __name__ == '__main__':
    main()
