"""Reads from Ray's dashboard the names of tasks and the bytes of each phase."""
import subprocess
import sys

from clustered import gen

LOOKS = '''
import re, time, urllib.request
import ray
from ray.util.state import summarize_tasks
import libgsort.ray as gr

here = ray.init(address='local', num_cpus=1, include_dashboard=True, dashboard_port=0, object_store_memory=100 << 20, log_to_driver=False,
                _system_config={'metrics_report_interval_ms': 500})
report = gr.sort_file('x.u64', 'out.u64', memory='26M', parts=3, temp='nodes')
node, maps, size = ray.nodes()[0], report.ray['maps'], 400_000 * 8
wanted = {'gsort sort piece': maps, 'gsort find cuts': 1, 'gsort merge part': 3}
for _ in range(600):  # five minutes
    rows = summarize_tasks(address='http://' + here.dashboard_url)['cluster']['summary']
    tasks = {name: row['state_counts'].get('FINISHED') for name, row in rows.items() if name.startswith('gsort ')}
    url = f"http://{node['NodeManagerAddress']}:{node['MetricsExportPort']}/metrics"
    found = re.findall(r'ray_gsort_(done|all)_bytes[{].*output="[^"]*/out.u64".*phase="(\\w+)".*[}] (\\S+)', urllib.request.urlopen(url).read().decode())
    told = {(kind, phase): float(value) for kind, phase, value in found}
    if tasks == wanted and told == {(kind, phase): size for kind in ('done', 'all') for phase in ('read', 'write')}:
        break
    time.sleep(0.5)
else:
    raise SystemExit(f'{tasks} {told}')
'''


def test_dashboard__has_tasks_by_name_and_bytes_of_phases(place):
    gen('uniform', 'u64', 400_000, 'x.u64')
    done = subprocess.run([sys.executable, '-c', LOOKS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
