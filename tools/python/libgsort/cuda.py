"""Sorts arrays in the memory of an NVIDIA GPU.

They may be arrays of CuPy, PyTorch, JAX or Numba, columns of cuDF, or any object with
__cuda_array_interface__ or __dlpack__.

Work is queued on a stream, and no data are copied to the host. The result has the same bytes as
that of libgsort.sort.
"""
from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass

from . import _c
from ._hints import np
from .job import Job
from .keywords import for_array, named
from .layout import Layout, layout_of, number_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Dict, List, Optional, Tuple

    from .keywords import Keys

DLPACK_CUDA, DLPACK_MANAGED = 2, 13
DLPACK_KINDS = {0: 'i', 1: 'u', 2: 'f', 6: 'b'}
DLPACK_BFLOAT = 4
DLPACK_READ_ONLY = 1


class _Tensor(ctypes.Structure):
    _fields_ = [('data', ctypes.c_void_p), ('device_type', ctypes.c_int32),
                ('device_id', ctypes.c_int32), ('ndim', ctypes.c_int32),
                ('code', ctypes.c_uint8), ('bits', ctypes.c_uint8), ('lanes', ctypes.c_uint16),
                ('shape', ctypes.POINTER(ctypes.c_int64)),
                ('strides', ctypes.POINTER(ctypes.c_int64)), ('byte_offset', ctypes.c_uint64)]


class _Versioned(ctypes.Structure):
    _fields_ = [('major', ctypes.c_uint32), ('minor', ctypes.c_uint32),
                ('context', ctypes.c_void_p), ('deleter', ctypes.c_void_p),
                ('flags', ctypes.c_uint64), ('tensor', _Tensor)]


@dataclass
class _Array:
    """Describes an array on a GPU: address, count and type of its elements. `owner` keeps the
    memory alive. dtype None: the elements are bfloat16"""

    owner: Any
    pointer: int
    count: int
    dtype: Optional[np.dtype[Any]]
    is_read_only: bool
    stream: Optional[int] = None

    @property
    def element_bytes(self) -> int:
        return self.dtype.itemsize if self.dtype is not None else 2

    @property
    def nbytes(self) -> int:
        return self.count * self.element_bytes

    def layout(self, key: Keys) -> Layout:
        if self.dtype is None:
            if key is not None:
                raise TypeError('by: bfloat16 numbers have no fields')
            return Layout(None, 'bf16', 0, ())
        name = number_name(self.dtype) if key is None else None
        if name is not None:
            return Layout(self.dtype, name, 0, ())
        return layout_of(self.dtype, key)


def _module_of(a: Any) -> str:
    return type(a).__module__.partition('.')[0]


def _check_shape(a: Any, shape: Tuple[int, ...], strides: Optional[Tuple[int, ...]],
                 step: int) -> None:
    if len(shape) != 1:
        raise ValueError(f'the array has {len(shape)} dimensions, but must have one; use '
                         f'a.reshape(-1), or one row')
    if strides is not None and shape[0] > 1 and strides[0] != step:
        raise ValueError(f'{type(a).__name__}: it is not contiguous; sort a copy of it')


def _of_interface(a: Any, interface: Any) -> _Array:
    if interface.get('mask') is not None:
        raise TypeError(f'{type(a).__name__}: it has a mask; elements that are left out cannot be '
                        f'sorted')
    typestr = interface['typestr']
    descr = interface.get('descr')
    dtype = np.dtype(descr if typestr[1] == 'V' and descr and descr != [('', typestr)] else typestr)
    if (typestr[1] == 'V' and dtype.names is None
        and isinstance(getattr(a, 'dtype', None), np.dtype)):
        dtype = a.dtype  # may be numbers of ml_dtypes, whose typestr has only their size
    _check_shape(a, interface['shape'], interface.get('strides'), dtype.itemsize)
    pointer, is_read_only = interface['data']
    return _Array(a, pointer or 0, interface['shape'][0], dtype, is_read_only,
                  interface.get('stream'))


def _capsule_of(a: Any, stream: Optional[int]) -> Any:
    try:
        return a.__dlpack__(stream=stream, max_version=(1, 0))
    except TypeError:  # DLPack before version 1
        return a.__dlpack__(stream=stream)


def _of_dlpack(a: Any, stream: Optional[int]) -> _Array:
    from .arrow_c import capsule_address
    if a.__dlpack_device__()[0] not in (DLPACK_CUDA, DLPACK_MANAGED):
        raise TypeError(f'{type(a).__name__}: it is not in the memory of an NVIDIA GPU')
    capsule = _capsule_of(a, stream)  # not consumed: its destructor frees the memory
    is_valid = ctypes.pythonapi.PyCapsule_IsValid
    is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    is_read_only = False
    if is_valid(capsule, b'dltensor_versioned'):
        managed = _Versioned.from_address(capsule_address(capsule, b'dltensor_versioned'))
        if managed.major != 1:
            raise TypeError(f'{type(a).__name__}: DLPack {managed.major}.{managed.minor} is not '
                            f'supported; version 1 is')
        tensor, is_read_only = managed.tensor, bool(managed.flags & DLPACK_READ_ONLY)
    else:
        tensor = _Tensor.from_address(capsule_address(capsule, b'dltensor'))
    shape = tuple(tensor.shape[:tensor.ndim])
    _check_shape(a, shape, tuple(tensor.strides[:tensor.ndim]) if tensor.strides else None, 1)
    pointer = (tensor.data or 0) + tensor.byte_offset
    if tensor.lanes != 1 or tensor.bits % 8 != 0 or (tensor.code not in DLPACK_KINDS
                                                     and (tensor.code, tensor.bits)
                                                     != (DLPACK_BFLOAT, 16)):
        raise TypeError(f'{type(a).__name__}: its elements have no order here; only integers, bool '
                        f'and floats of 2 to 8 bytes can be sorted')
    dtype = (None if tensor.code == DLPACK_BFLOAT
             else np.dtype(f'{DLPACK_KINDS[tensor.code]}{tensor.bits // 8}'))
    return _Array((a, capsule), pointer, shape[0], dtype, is_read_only)


def _array_of(a: Any, stream: Optional[int] = None) -> _Array:
    is_torch = _module_of(a) == 'torch'
    if is_torch and stream is None:
        stream = (sys.modules['torch'].cuda.current_stream(a.device).cuda_stream if a.is_cuda
                  else None)
    # PyTorch's interface has no bfloat16, and refuses tensors with a gradient.
    interface = None if is_torch else getattr(a, '__cuda_array_interface__', None)
    if interface is not None:
        array = _of_interface(a, interface)
    elif hasattr(a, '__dlpack__'):
        array = _of_dlpack(a.detach() if is_torch else a, stream or None)
    else:
        raise TypeError(f'{type(a).__name__} is not an array in the memory of a GPU: it has '
                        f'neither __cuda_array_interface__ nor __dlpack__')
    if stream is not None:
        array.stream = stream
    return array


def _stream_of(stream: Any) -> Optional[int]:
    """Returns the number of a stream: `stream` is a number, or an object of CuPy, PyTorch, Numba or
    cuda.core."""
    for name in 'ptr', 'cuda_stream', 'handle':
        stream = getattr(stream, name, stream)
    stream = getattr(stream, 'value', stream)
    return None if stream is None else int(stream)


def _job(array: _Array, options: Dict[str, Any]) -> Job:
    keys = options.pop('by', None)
    job = Job(options, True)
    array.layout(keys).put(job)
    return job


def _run(call: str, array: _Array, scratch: Any, options: Dict[str, Any], *arguments: Any) -> None:
    for_array(options)
    room = _array_of(scratch) if scratch is not None else None
    _job(array, options).run(getattr(_c.library, call), array.pointer, array.nbytes, *arguments,
                             array.stream, room.pointer if room is not None else None,
                             room.nbytes if room is not None else 0)


def sort(a: Any, *, by: Keys = None, descending: bool = False, stream: Any = None,
         scratch: Any = None, **options: Any) -> None:
    """Sorts an array in place. Queues the sort on the array's stream, and returns before the sort
    ends.

    a: shape (n,), contiguous, in the memory of an NVIDIA GPU
    by, descending: as for libgsort.sort
    stream: a stream, or its number. Default: PyTorch's current stream, the stream of
        __cuda_array_interface__, or else the default stream
    scratch: an array of scratch_bytes(a) bytes on the same GPU. Default: memory from the GPU's pool
        (cudaMallocAsync)
    options: ties

    The sort is stable. NaN and NaT are last, and -0.0 is before 0.0; with descending both are the
    other way round.

    Raises a TypeError for an array that is not on an NVIDIA GPU or that cannot change, as in JAX.
    Raises a ValueError for an array that is read-only, is not contiguous or has several dimensions,
    and a DeviceError if the GPU fails.
    """
    if _module_of(a) in ('jax', 'jaxlib'):
        raise TypeError("JAX's arrays never change; a[libgsort.cuda.argsort(a, out=..)] is a "
                        "sorted copy")
    array = _array_of(a, _stream_of(stream))
    if array.is_read_only:
        raise ValueError('the array is read-only and cannot be sorted in place; sort a copy')
    _run('gs_cuda_sort', array, scratch, named(options, by=by, descending=descending))


def argsort(a: Any, *, by: Keys = None, descending: bool = False, out: Any = None,
            stream: Any = None, scratch: Any = None, **options: Any) -> Any:
    """Returns the positions of an array's elements in sorted order. Queues the work on the array's
    stream; the array does not change.

    a, by, descending, stream, scratch, options: as for sort
    out: shape (n,), contiguous, integers of 4 or 8 bytes on the same GPU. Default: a new array of
        CuPy (uint64) or PyTorch (int64). Arrays of other packages need `out`

    Returns `out` before the work ends. The sort is stable. Raises a ValueError if `out` does not
    fit, and errors as sort does.
    """
    array = _array_of(a, _stream_of(stream))
    if out is None:
        out = _new_positions(a, array.count)
    positions = _array_of(out, array.stream)
    if (positions.dtype is None or positions.dtype.kind not in 'iu' or positions.element_bytes < 4
        or positions.count != array.count or positions.is_read_only):
        raise ValueError(
            f'out: must be an array of {array.count} writable integers of 4 or 8 bytes')
    found = {**named(options, by=by, descending=descending),
             'argsort': f'u{8 * positions.element_bytes}'}
    _run('gs_cuda_argsort', array, scratch, found, positions.pointer)
    return out


def _new_positions(a: Any, count: int) -> Any:
    name = _module_of(a)
    if name == 'torch':
        torch = sys.modules['torch']
        return torch.empty(count, dtype=torch.int64, device=a.device)
    if name == 'cupy':
        with a.device:
            return sys.modules['cupy'].empty(count, 'u8')
    raise TypeError(f'{type(a).__name__}: give out, an array for the positions')


def scratch_bytes(a: Any, *, by: Keys = None, descending: bool = False, is_argsort: bool = False,
                  **options: Any) -> int:
    """Returns how many bytes a sort needs as `scratch`, or an argsort with is_argsort=True.

    options: ties. For an argsort also argsort='u32' if `out` has 4 bytes per element;
        default: 8 bytes
    """
    array = _array_of(a)
    needed = ctypes.c_uint64()
    job = _job(array, named(options, by=by, descending=descending))
    job.run(_c.library.gs_cuda_scratch_bytes, array.nbytes, is_argsort, ctypes.byref(needed))
    return needed.value


__all__ = ['argsort', 'scratch_bytes', 'sort']


def __dir__() -> List[str]:
    return [*__all__, *(name for name in globals() if name.startswith('__'))]
