"""numpy.sort of a structured array: records of 100 bytes, 10 of them the key.  numpy_sort.py IN OUT"""
import os
import sys

import numpy

array = numpy.fromfile(sys.argv[1], dtype=[('key', 'S10'), ('rest', 'V90')])
with open(sys.argv[2], 'wb') as file:
    numpy.sort(array, order='key').tofile(file)
    os.fsync(file.fileno())
