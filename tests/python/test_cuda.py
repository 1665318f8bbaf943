"""Tests libgsort.cuda on the emulated GPU (LIBGSORT_LIBRARY is libgsort_emulated.so), with a class of arrays of its own.

test_cuda_gpu.py does this on a real GPU."""
import ctypes

import ml_dtypes
import numpy as np
import pytest

import libgsort as gs
import libgsort.cuda
from libgsort import _c

# The emulated runtime's, whose names are those of C++.
malloc, free = (getattr(_c.library, name) for name in ('_Z10cudaMallocPPvm', '_Z8cudaFreePv'))
memcpy, synchronize = (getattr(_c.library, name) for name in ('_Z10cudaMemcpyPvPKvm14cudaMemcpyKind', '_Z21cudaDeviceSynchronizev'))


class OnGpu:
    """An array in the emulated GPU's memory."""

    def __init__(self, host, read_only=False, strides=None):
        self.host, self.pointer, self.dtype = host, ctypes.c_void_p(), host.dtype
        assert malloc(ctypes.byref(self.pointer), ctypes.c_size_t(host.nbytes)) == 0
        self.copy(self.pointer.value, host.ctypes.data, 1)
        self.__cuda_array_interface__ = {'shape': host.shape, 'typestr': host.dtype.str, 'descr': host.dtype.descr, 'strides': strides,
                                         'data': (self.pointer.value, read_only), 'version': 3, 'stream': None}

    def copy(self, to, of, kind):
        assert memcpy(ctypes.c_void_p(to), ctypes.c_void_p(of), ctypes.c_size_t(self.host.nbytes), kind) == 0

    def get(self):
        assert synchronize() == 0
        back = np.empty_like(self.host)
        self.copy(back.ctypes.data, self.pointer.value, 2)
        return back

    def __del__(self):
        free(self.pointer)


class Dlpacked:
    """The same, as a capsule only."""

    def __init__(self, array, code, bits, flags=0, device_type=2):
        self.array, self.device_type = array, device_type
        self.shape = (ctypes.c_int64 * 1)(len(array.host))
        tensor = gs.cuda._Tensor(array.pointer.value - 16, device_type, 0, 1, code, bits, 1, self.shape, None, 16)
        self.managed = gs.cuda._Versioned(1, 0, None, None, flags, tensor)

    def __dlpack_device__(self):
        return self.device_type, 0

    def __dlpack__(self, stream=None, max_version=None):
        make = ctypes.pythonapi.PyCapsule_New
        make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return make(ctypes.addressof(self.managed), b'dltensor_versioned', None)


def numbers(dtype, n=5000, seed=1):
    random = np.random.default_rng(seed)
    words = random.integers(0, 256, n * np.dtype(dtype).itemsize, dtype='u1')
    return words.view(dtype)


def sorted_by_cpu(host, **options):
    copy = host.copy()
    gs.sort(copy, device='cpu', **options)
    return copy


DTYPES = ['u1', 'i2', 'f2', '<u4', '<f4', '>f4', '<i8', '<f8', 'M8[s]', '?']


@pytest.mark.parametrize('dtype', DTYPES)
@pytest.mark.parametrize('reverse', [False, True])
def test_sort__numbers__bytes_of_the_cpu(dtype, reverse):
    host = numbers(dtype) if dtype != '?' else numbers('u1') > 99
    array = OnGpu(host)
    assert gs.cuda.sort(array, reverse=reverse) is None
    assert array.get().tobytes() == sorted_by_cpu(host, reverse=reverse).tobytes()


def test_sort__records__by_order():
    host = numbers([('a', 'u4'), ('b', 'f8')])
    host['a'] %= 7
    array = OnGpu(host)
    gs.cuda.sort(array, order=['-a'])
    assert array.get().tobytes() == sorted_by_cpu(host, order=['-a']).tobytes()


@pytest.mark.parametrize('width', ['u4', 'u8'])
def test_argsort__out__stable(width):
    host = numbers('u2') % 99
    array, out = OnGpu(host), OnGpu(np.zeros(len(host), width))
    assert gs.cuda.argsort(array, out=out) is out
    assert np.array_equal(out.get(), np.argsort(host, kind='stable'))
    gs.cuda.argsort(array, out=out, argsort='u32')  # as scratch_bytes has it; `out` says what places are
    assert np.array_equal(out.get(), np.argsort(host, kind='stable'))
    assert np.array_equal(array.get(), host)


def test_sort__scratch_of_the_caller__is_enough_and_less_is_refused():
    host = numbers('u8')
    array = OnGpu(host)
    needed = gs.cuda.scratch_bytes(array)
    assert host.nbytes < needed < 2 * host.nbytes
    with pytest.raises(gs.UsageError, match='needs [0-9]+ bytes'):
        gs.cuda.sort(array, scratch=OnGpu(np.zeros(needed - 1, 'u1')))
    gs.cuda.sort(array, scratch=OnGpu(np.zeros(needed, 'u1')))
    assert np.array_equal(array.get(), np.sort(host))


def test_sort__dlpack__bfloat_and_numbers():
    host = numbers('u2')
    array = OnGpu(host)
    gs.cuda.sort(Dlpacked(array, 4, 16))
    assert array.get().tobytes() == bf16_sorted(host)
    array = OnGpu(host)
    gs.cuda.sort(Dlpacked(array, 1, 16))
    assert np.array_equal(array.get(), np.sort(host))


def test_sort__numbers_of_ml_dtypes__by_their_values():
    host = numbers('u2')
    array = OnGpu(host.view(ml_dtypes.bfloat16))
    gs.cuda.sort(array)
    assert array.get().tobytes() == bf16_sorted(host)
    for dtype in ml_dtypes.float8_e4m3fn, ml_dtypes.int4:
        with pytest.raises(TypeError, match='cannot be a key'):
            gs.cuda.sort(OnGpu(np.zeros(3, dtype)))


def bf16_sorted(host):
    wide = sorted_by_cpu((host.astype('u4') << 16).view('f4')).view('u4')
    return (wide >> 16).astype('u2').tobytes()


def test_sort__what_is_no_such_array__refused():
    host = numbers('u8', 100)
    with pytest.raises(ValueError, match='read-only'):
        gs.cuda.sort(OnGpu(host, read_only=True))
    with pytest.raises(ValueError, match='read-only'):
        gs.cuda.sort(Dlpacked(OnGpu(host), 1, 64, flags=1))
    with pytest.raises(ValueError, match='not contiguous'):
        gs.cuda.sort(OnGpu(host, strides=(16,)))
    with pytest.raises(ValueError, match='2 dimensions'):
        gs.cuda.sort(OnGpu(host.reshape(10, 10)))
    with pytest.raises(TypeError, match='no order'):
        gs.cuda.sort(Dlpacked(OnGpu(host), 5, 64))
    with pytest.raises(TypeError, match='not in the memory of an NVIDIA GPU'):
        gs.cuda.sort(Dlpacked(OnGpu(host), 1, 64, device_type=1))
    with pytest.raises(TypeError, match='give out'):
        gs.cuda.argsort(OnGpu(host))
    with pytest.raises(ValueError, match='100 writable'):
        gs.cuda.argsort(OnGpu(host), out=OnGpu(np.zeros(99, 'u8')))
    with pytest.raises(gs.UsageError, match='^memory cannot be used with an array on a GPU'):
        gs.cuda.sort(OnGpu(host), memory='1G')


class Masked:
    __cuda_array_interface__ = {'shape': (3,), 'typestr': '<f8', 'data': (4096, False), 'version': 3, 'mask': object()}


def test_sort__elements_that_are_left_out__refused():
    with pytest.raises(TypeError, match='Masked: it has a mask; elements that are left out cannot be sorted'):
        gs.cuda.sort(Masked())
    with pytest.raises(TypeError, match='it has a mask'):
        gs.cuda.scratch_bytes(Masked())


def test_sort__host_memory__refused():
    with pytest.raises(TypeError, match='not in the memory of an NVIDIA GPU'):
        gs.cuda.sort(np.arange(3))
    with pytest.raises(TypeError, match='__cuda_array_interface__'):
        gs.cuda.sort([3, 1])


def test_gs_sort__an_array_on_a_gpu__says_where():
    with pytest.raises(TypeError, match='libgsort.cuda.sort'):
        gs.sort(OnGpu(numbers('u8', 10)))
