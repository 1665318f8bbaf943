"""numbers.py TYPE FILE LINES: each line of text is the element of the file, exactly. Floats have no more digits than they have to,
and the notation of Python's repr, but without ".0"."""
import json
import math
import struct
import sys


def number_of(text, code):
    return float(text) if code in 'fd' else int(text)


def digits(text):
    return len(text.lower().split('e')[0].lstrip('-').replace('.', '').strip('0'))


def shortest(value, code):
    """Digits of the shortest text that reads back, by a way of its own for f32."""
    if code == 'd':
        return digits(repr(value))
    for precision in range(1, 10):
        text = f'{value:.{precision - 1}e}'
        try:
            if struct.pack('<f', float(text)) == struct.pack('<f', value):
                return digits(text)
        except OverflowError:
            pass  # rounded up to more than an f32 can be
    return 0


def in_notation(text):
    """repr of a number of these digits is that of the nearest f64, if there are 15 digits at most."""
    return digits(text) > 15 or text == repr(float(text)).removesuffix('.0')


def main():
    kind, path, lines = sys.argv[1:]
    width = int(kind[1:]) // 8
    code = {'f32': 'f', 'f64': 'd'}.get(kind, '')
    with open(path, 'rb') as file:
        data = file.read()
    with open(lines, encoding='ascii') as file:
        texts = file.read().splitlines()
    if len(texts) != len(data) // width:
        sys.exit(f'{kind}: {len(texts)} lines')
    for i, text in enumerate(texts):
        raw = data[i * width:(i + 1) * width]
        text = json.loads(text) if text.startswith('"') else text
        if not code:
            value = int.from_bytes(raw, 'little', signed=kind[0] == 'i')
            good = text == str(value)
        else:
            value = struct.unpack('<' + code, raw)[0]
            good = text == 'nan' if math.isnan(value) else struct.pack('<' + code, float(text)) == raw
            good = good and (not math.isfinite(value) or digits(text) <= shortest(value, code))
            good = good and in_notation(text) and (code == 'f' or text == repr(value).removesuffix('.0'))
        if not good:
            sys.exit(f'{kind}: element {i}: {text} for {value!r}')


main()
