#!/usr/bin/env python3
"""plot.py: time against file size at one memory size, as SVG, from a report of gsort-bench outofcore.

    gsort-bench outofcore --json >report.json && tools/gsort-bench/plot.py report.json >outofcore.svg

Dots are medians, bars the least and the most. Lines without dots are the disk's: reading and writing the
file once, and twice. Needs nothing but Python 3.
"""
import json
import sys
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 760, 470
LEFT, RIGHT, TOP, BOTTOM = 64, 150, 44, 74
COLORS = {'none': '#1f77b4', 'auto': '#d62728'}
LABELS = {'none': '--compress none', 'auto': '--compress auto'}
DISK = '#888888'


def fail(text):
    sys.exit(f'plot.py: {text}')


def read_report(path):
    try:
        with open(path) as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        fail(error)


def sizes_of(report):
    """The memory size that most file sizes were sorted in, and its cases by codec, smallest file first."""
    sizes = {}
    for row in report['results']:
        if 'size_bytes' in row and row['codec'] in COLORS:
            sizes.setdefault(row['memory_bytes'], {}).setdefault(row['codec'], []).append(row)
    if not sizes:
        fail('not a report of gsort-bench outofcore')
    memory = max(sizes, key=lambda m: max(len(rows) for rows in sizes[m].values()))
    return memory, {codec: sorted(rows, key=lambda row: row['size_bytes'])
                    for codec, rows in sizes[memory].items()}


def ticks(most):
    """Round steps, five to ten of them."""
    step = 10.0 ** -3
    while most / step > 10:
        for factor in (2, 2.5, 2):
            if most / step > 10:
                step *= factor
    count = int(most / step + 1e-9)
    return [step * i for i in range(count + 1)]


class Plot:
    def __init__(self, x_most, y_most):
        self.x_most, self.y_most = x_most, y_most
        self.parts = []
        self.ends = []

    def x(self, value):
        return LEFT + (WIDTH - LEFT - RIGHT) * value / self.x_most

    def y(self, value):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self.y_most

    def line(self, points, color, extra=''):
        text = ' '.join(f'{self.x(x):.1f},{self.y(y):.1f}' for x, y in points)
        self.parts.append(f'<polyline points="{text}" fill="none" stroke="{color}" {extra}/>')

    def dot(self, x, y, color):
        self.parts.append(f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3" fill="{color}"/>')

    def text(self, x, y, text, extra=''):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" {extra}>{escape(text)}</text>')

    def axes(self):
        for value in ticks(self.x_most):
            self.line([(value, 0), (value, self.y_most)], '#eeeeee')
            self.text(self.x(value), HEIGHT - BOTTOM + 16, f'{value:g}', 'text-anchor="middle"')
        for value in ticks(self.y_most):
            self.line([(0, value), (self.x_most, value)], '#eeeeee')
            self.text(LEFT - 8, self.y(value) + 4, f'{value:g}', 'text-anchor="end"')
        self.line([(0, self.y_most), (0, 0), (self.x_most, 0)], '#000000')

    def end_label(self, x, y, text, color):
        """What a line that ends here is; end_labels writes them, none over another."""
        self.ends.append((self.y(y) + 4, self.x(x) + 8, text, color))

    def end_labels(self):
        above = 0
        for y, x, text, color in sorted(self.ends):
            above = max(y, above + 14)
            self.text(x, above, text, f'fill="{color}"')

    def svg(self):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
                f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">\n'
                f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n')
        return head + '\n'.join(self.parts) + '\n</svg>\n'


def draw_sorts(plot, codec, rows):
    color = COLORS[codec]
    points = [(row['size_bytes'] / 1e9, row['size_bytes'] / 1e9 / row['median']) for row in rows]
    plot.line(points, color, 'stroke-width="1.5"')
    for row, (x, y) in zip(rows, points):
        plot.line([(x, x / row['max']), (x, x / row['min'])], color)
        plot.dot(x, y, color)
    plot.end_label(*points[-1], LABELS[codec], color)


def main():
    if len(sys.argv) != 2:
        fail('which report? plot.py REPORT.json >PLOT.svg')
    report = read_report(sys.argv[1])
    memory, by_codec = sizes_of(report)
    rows = [row for rows in by_codec.values() for row in rows]
    x_most = max(row['size_bytes'] for row in rows) / 1e9
    disk = {ceiling['name']: ceiling['speed'] for ceiling in report['ceilings']}
    y_most = 1.05 * max([row['size_bytes'] / 1e9 / row['min'] for row in rows] + [x_most / disk['twice']])
    plot = Plot(x_most, y_most)
    plot.axes()
    for name, text in (('once', 'read + write'), ('twice', '2 (read + write)')):
        plot.line([(0, 0), (x_most, x_most / disk[name])], DISK, 'stroke-dasharray="6 3"')
        plot.end_label(x_most, x_most / disk[name], text, DISK)
    plot.line([(memory / 1e9, 0), (memory / 1e9, y_most)], DISK, 'stroke-dasharray="2 3"')
    plot.text(plot.x(memory / 1e9) + 4, TOP + 10, '--memory', f'fill="{DISK}"')
    for codec, of_codec in by_codec.items():
        draw_sorts(plot, codec, of_codec)
    plot.end_labels()
    plot.text(LEFT, 22, f'Seconds to sort a file in {memory / 2 ** 20:g} MiB of memory', 'font-size="15"')
    plot.text(LEFT + (WIDTH - LEFT - RIGHT) / 2, HEIGHT - BOTTOM + 34, 'file size, GB', 'text-anchor="middle"')
    plot.text(LEFT, HEIGHT - 14, f'{report["processor"]}, {report["processors"]} processors, '
              f'{report["file_system"]}, {report["kernel"]}, {report["date"][:10]}; medians of '
              f'{len(rows[0]["samples"])}, bars: least and most', f'fill="{DISK}" font-size="10"')
    sys.stdout.write(plot.svg())


if __name__ == '__main__':
    main()
