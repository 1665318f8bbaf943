"""Writes and reads .npy files as NumPy does, without it.  npy.py check FILE...: whether NumPy reads each FILE as
this module does."""
import ast
import struct
import sys


def header(descr, count, version=1):
    text = "{'descr': %s, 'fortran_order': False, 'shape': (%d,), }" % (descr, count)
    text += ' ' * (21 - len(str(count)))
    start = b'\x93NUMPY' + bytes([version, 0])
    length = 2 if version == 1 else 4
    pad = 64 - (len(start) + length + len(text) + 1) % 64
    text += ' ' * pad + '\n'
    return start + len(text).to_bytes(length, 'little') + text.encode('utf-8')


def write(path, descr, rows, pack, version=1):
    with open(path, 'wb') as file:
        file.write(header(descr, len(rows), version) + b''.join(map(pack, rows)))


def read(path):
    """Returns descr, shape and the bytes after the header."""
    with open(path, 'rb') as file:
        data = file.read()
    assert data[:6] == b'\x93NUMPY'
    length = 2 if data[6] == 1 else 4
    begin = 8 + length
    end = begin + int.from_bytes(data[8:begin], 'little')
    members = ast.literal_eval(data[begin:end].decode())
    return members['descr'], members['shape'], data[end:]


if __name__ == '__main__':
    import numpy
    for path in sys.argv[2:]:
        descr, shape, data = read(path)
        array = numpy.load(path)
        assert array.shape == shape and array.tobytes() == data, path
        assert numpy.lib.format.dtype_to_descr(array.dtype) == descr, path
