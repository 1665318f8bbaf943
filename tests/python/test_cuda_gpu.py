"""Tests libgsort.cuda with CuPy, PyTorch and JAX on a real GPU."""
import importlib.util

import numpy as np
import pytest

import libgsort as gs
import libgsort.cuda


def module(name):
    """CuPy, PyTorch or JAX, with a GPU that they reach."""
    if importlib.util.find_spec(name) is None:
        return None
    found = importlib.import_module(name)
    try:
        has_gpu = {'cupy': lambda: found.cuda.runtime.getDeviceCount() > 0, 'torch': lambda: found.cuda.is_available(),
                   'jax': lambda: found.default_backend() == 'gpu'}[name]()
    except Exception:  # whatever each of them raises without a driver
        has_gpu = False
    return found if has_gpu else None


cupy, torch, jax = map(module, ('cupy', 'torch', 'jax'))
needs_cupy = pytest.mark.skipif(cupy is None, reason='no GPU')
needs_torch = pytest.mark.skipif(torch is None, reason='no GPU')
needs_jax = pytest.mark.skipif(jax is None or cupy is None, reason='no GPU')


def numbers(dtype, n=5000, seed=1):
    random = np.random.default_rng(seed)
    return random.integers(0, 256, n * np.dtype(dtype).itemsize, dtype='u1').view(dtype)


def sorted_by_cpu(host):
    copy = host.copy()
    gs.sort(copy, device='cpu')
    return copy


@needs_cupy
@pytest.mark.parametrize('dtype', ['u1', 'i2', 'f2', 'u4', 'f4', 'i8', 'f8'])
def test_cupy__any_stream__sorted_in_place(dtype):
    host = numbers(dtype, 300000)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        array = cupy.asarray(host)
        places = gs.cuda.argsort(array)
        gs.cuda.sort(array)
        stream.synchronize()
    assert array.get().tobytes() == sorted_by_cpu(host).tobytes()
    assert np.array_equal(places.get(), gs.argsort(host, device='cpu'))


@needs_torch
@pytest.mark.parametrize('name', ['uint8', 'int16', 'float16', 'bfloat16', 'int32', 'float32', 'int64', 'float64', 'bool'])
def test_torch__on_its_current_stream__as_torch_sorts(name):
    host = torch.randint(-1000, 1000, (300001,), generator=torch.Generator().manual_seed(1))
    with torch.cuda.stream(torch.cuda.Stream()):
        array = host.to(getattr(torch, name)).cuda()[1:]  # at no multiple of 16 bytes
        wanted, order = torch.sort(array, stable=True)
        places = gs.cuda.argsort(array)
        gs.cuda.sort(array)
        assert torch.equal(array, wanted) and torch.equal(places, order)


@needs_jax
def test_jax__argsort_only():
    array = jax.numpy.asarray(numbers('f4', 100000))
    with pytest.raises(TypeError, match='never change'):
        gs.cuda.sort(array)
    places = cupy.empty(len(array), 'u4')
    gs.cuda.argsort(array, out=places)
    assert np.array_equal(places.get(), gs.argsort(np.asarray(array), device='cpu'))
