"""Starts once, on this machine: a cluster of three nodes of one processor, the S3 server of moto, and an emulator of Google's storage.

    tests/python/run.sh build/release/src/libgsort.so.0 ray_cluster                           a short form
    GSORT_RAY_LONG=1 tests/python/run.sh build/release/src/libgsort.so.0 ray_cluster      all cases: half an hour
"""
import itertools
import os
import re
import threading
import time

import pytest
from clustered import NODE

os.environ.update(GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT='false', FSSPEC_GCS_TOKEN='anon')  # else gcsfs looks for Google, and waits

# Ray notices the loss of a node within two seconds instead of 15.
WATCHFUL = {'health_check_initial_delay_ms': 500, 'health_check_period_ms': 500, 'health_check_timeout_ms': 1000, 'health_check_failure_threshold': 3}


class Unreliable:
    """Lets each ninth data request fail, delays each seventh, and cuts each fifth range, if `is_on`. Notes the users, and counts the ranges
    that were copied from object to object."""

    def __init__(self, app):
        self.app, self.count, self.failed, self.broken, self.is_on = app, itertools.count(1), 0, 0, False
        self.users, self.copied_ranges = set(), 0

    def __call__(self, environ, start_response):
        self.users.update(re.findall('Credential=([^/]+)/', environ.get('HTTP_AUTHORIZATION', 'Credential=nobody/')))
        self.copied_ranges += 'HTTP_X_AMZ_COPY_SOURCE_RANGE' in environ
        if self.is_on and environ['REQUEST_METHOD'] in ('GET', 'PUT') and environ['PATH_INFO'].count('/') > 1:
            count = next(self.count)
            if count % 7 == 0:
                time.sleep(0.5)
            if count % 9 == 0:
                self.failed += 1
                environ['wsgi.input'].read(int(environ.get('CONTENT_LENGTH') or 0))
                start_response('500 Internal Server Error', [('Content-Type', 'application/xml')])
                return [b'<?xml version="1.0"?><Error><Code>InternalError</Code><Message>try again</Message></Error>']
            if count % 5 == 0 and 'HTTP_RANGE' in environ:
                self.broken += 1
                return [b''.join(self.app(environ, start_response))[:100]]
        return self.app(environ, start_response)


def pytest_collection_modifyitems(config, items):
    """Runs a third of the short form, if tools/test.sh chooses one."""
    third = os.environ.get('GS_TEST_THIRD')
    if third and not os.environ.get('GSORT_RAY_LONG'):
        chosen = items[int(third) - 1::3]
        config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
        items[:] = chosen


@pytest.fixture(scope='session')
def service():
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server
    inner = DomainDispatcherApplication(create_backend_app)
    app, other = Unreliable(inner), Unreliable(inner)
    servers = [make_server('127.0.0.1', 0, one, threaded=True) for one in (app, other)]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    app.other, other.host = other, f'127.0.0.1:{servers[1].server_port}'  # the same buckets at an address that the environment does not have
    os.environ.update(AWS_ENDPOINT_URL=f'http://127.0.0.1:{servers[0].server_port}', AWS_ACCESS_KEY_ID='testing', AWS_SECRET_ACCESS_KEY='testing',
                      AWS_DEFAULT_REGION='us-east-1')
    yield app
    for server in servers:
        server.shutdown()


@pytest.fixture(scope='session')
def storage():
    from gcp_storage_emulator import server as emulator
    from gcp_storage_emulator.handlers import objects

    def move(request, *others, **more):  # the emulator lacks this call
        request.params['dest_bucket_name'] = request.params['bucket_name']
        objects.copy(request, *others, **more)
        objects.delete(request, *others, **more)

    path = r'^/storage/v1/b/(?P<bucket_name>[-.\w]+)/o/(?P<object_id>.+)/moveTo/o/(?P<dest_object_id>.+)$'
    emulator.HANDLERS = ((path, {'POST': move}), *emulator.HANDLERS)
    server = emulator.create_server('127.0.0.1', 0, in_memory=True, default_bucket='bucket')
    server.start()
    os.environ.update(STORAGE_EMULATOR_HOST=f'http://127.0.0.1:{server._api._httpd.server_port}', GOOGLE_CLOUD_PROJECT='tests')
    yield server
    server.stop()


@pytest.fixture(scope='session')
def cluster(service, storage):
    """Its nodes inherit the environment of this process."""
    import ray
    from ray.cluster_utils import Cluster
    made = Cluster(initialize_head=True, head_node_args={**NODE, 'include_dashboard': False, '_system_config': WATCHFUL})
    for _ in range(2):
        made.add_node(**NODE)
    made.wait_for_nodes()
    ray.init(address=made.address, log_to_driver=False)
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.makedirs('nodes')
    return tmp_path
