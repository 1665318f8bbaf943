"""statistics.py: what a report says of numbers, by exact arithmetic.

Texts are those of the JSON report. NumPy's own formulas are in double precision; these are repeated here, as the manual
promises the same values.
"""
import json
import math
import zlib
from bisect import bisect_right
from collections import Counter
from fractions import Fraction

import algebra
from elements import INFINITY, NAN, NEGATIVE_INFINITY, double_of, double_text, type_of


def numbers_of(type, raws):
    """Those that are no NaNs, in ascending order."""
    return sorted((raw for raw in raws if not type.is_nan(raw)), key=type.rank)


def tally(type, raws, has_moments):
    """The object of a number's or field's statistics, without its count."""
    some = numbers_of(type, raws)
    values = [type.value(raw) for raw in some]
    infinities = values.count(INFINITY), values.count(NEGATIVE_INFINITY)
    report = {"min": type.text(some[0]) if some else None, "max": type.text(some[-1]) if some else None}
    report["sum"] = None if type.unit else sum_text(type, some, values, len(raws))
    mean = variance = deviation = None
    if has_moments and some:
        mean, variance = moments(values, infinities)
        deviation = double_text(math.sqrt(variance))
        mean = type.text_of_integer(round(Fraction(sum(values), len(values)))) if type.unit else double_text(mean)
        variance = double_text(variance)
    report |= {"mean": mean, "variance": variance, "deviation": deviation, "nan_count": len(raws) - len(some)}
    report |= {"positive_infinity_count": infinities[0], "negative_infinity_count": infinities[1]}
    return report | {"negative_zero_count": sum(map(type.is_negative_zero, some))}


def sum_text(type, some, values, count):
    if not type.is_float:
        return str(sum(values))
    if INFINITY in values or NEGATIVE_INFINITY in values:
        return NAN if INFINITY in values and NEGATIVE_INFINITY in values else max(values, key=lambda v: v in (INFINITY, NEGATIVE_INFINITY))
    if not some:
        return NAN if count else "0"
    if all(map(type.is_negative_zero, some)):
        return "-0"
    return double_text(double_of(sum(values)))


def moments(values, infinities):
    if any(infinities):
        return (math.nan if all(infinities) else math.inf if infinities[0] else -math.inf), math.nan
    count, total = len(values), sum(values)
    variance = Fraction(count * sum(value * value for value in values) - total * total, count * count)
    return double_of(Fraction(total) / count), double_of(variance)


def float_of(value):
    return float(value) if isinstance(value, str) else double_of(value)


def quantile(type, some, text):
    """Returns a quantile of sorted numbers. `text`: a decimal or median."""
    if not some:
        return {"p": text, "rank": None, "value": None, "between": None}
    p, n = Fraction(1, 2) if text == "median" else Fraction(text), len(some)
    rank = max(1, -(-p.numerator * n // p.denominator))
    place = (n - 1) * p
    at = place.numerator // place.denominator
    pair = some[at], some[min(at + 1, n - 1)]
    low, high = (-0.0 if type.is_negative_zero(raw) else float_of(type.value(raw)) for raw in pair)
    part = double_of(place - at)
    if len(text) > 17:  # both numbers are rounded, then their quotient
        whole = 10 ** len(text.partition(".")[2])
        part = float((place - at) * whole) / float(whole)
    if type.unit:  # rounded to a whole unit
        low, high = map(type.value, pair)
        return {"p": text, "rank": rank, "value": type.text(some[rank - 1]), "between": type.text_of_integer(round(low + (high - low) * (place - at)))}
    if part == 0 or low == high:
        between = low
    else:
        between = low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part)
    between = "-0" if between == 0 and math.copysign(1, between) < 0 else double_text(between)
    return {"p": text, "rank": rank, "value": type.text(some[rank - 1]), "between": between}


def integer_borders(low, high, bins, greatest):
    if low == high:
        return [low + (2 * i > bins and low < greatest) for i in range(bins)]
    return [low + -(-i * (high - low) // bins) for i in range(bins)]


def float_borders(low, high, bins):
    """As numpy.linspace; by halves where the width is too large for a double."""
    if low == high:
        low, high = low - 0.5, high + 0.5
    if math.isinf(high - low):
        return [low] + [2 * ((high / 2 - low / 2) / bins * i + low / 2) for i in range(1, bins)]
    step = (high - low) / bins
    return [low] + [i * step + low if step > 0 else i / bins * (high - low) + low for i in range(1, bins)]


def histogram(type, some, bins):
    """Counts, and of integers where bins begin; of floats these are not modelled."""
    values = [type.value(raw) for raw in some]
    if not some or INFINITY in values or NEGATIVE_INFINITY in values:
        return []
    if type.is_float:
        values = [double_of(value) for value in values]
        borders = float_borders(values[0], values[-1], bins)
    else:
        greatest = (1 << max(type.bits, 32) - type.is_signed) - 1  # shorter integers are widened
        borders = integer_borders(values[0], values[-1], bins, greatest)
    counts = [0] * bins
    for value in values:
        counts[bisect_right(borders, value) - 1] += 1
    if not type.is_float and values[0] == values[-1]:  # equal integers are in the middle
        counts = [len(values) if i == bins // 2 else 0 for i in range(bins)]
    return [{"count": count} if type.is_float else {"from": type.text_of_integer(border), "count": count} for border, count in zip(borders, counts)]


def groups(type, some, is_falling):
    """distinct_count, mode_count, mode: values that differ in any bit; of several, the first in order."""
    counts = Counter(some)
    most = max(counts.values(), default=0)
    often = [raw for raw in some if counts[raw] == most]
    mode = (often[-1] if is_falling else often[0]) if often else None
    return {"distinct_count": len(counts), "mode_count": most, "mode": type.text(mode) if mode else None}


def ranks(job, type, raws, is_falling):
    """Returns the statistics that follow from the order. job: of draw.py."""
    some = numbers_of(type, raws)
    report = {}
    if job.quantiles:
        report["quantiles"] = [quantile(type, some, text) for text in job.quantiles]
    if job.histogram:
        report["histogram"] = histogram(type, some, job.histogram)
    if job.distinct or job.mode:
        report |= groups(type, some, is_falling)
    return report


def valsort_checksum(job):
    """The sum of CRC-32s that valsort prints, of records of 100 bytes."""
    elements = [element for file in algebra.in_range(job) for _, element in file if not job.find or algebra.is_between(job, element)]
    return f"{sum(map(zlib.crc32, elements)):x}" if job.record == 100 else None


def ends(job, written):
    """The keys of the first and the last number of a sort, as the report has them: digits in its order."""
    if job.seed is not None:
        return {"first_key": None, "last_key": None}
    if job.record or job.nan or job.argsort or job.unique or job.merge or not written:
        return {}
    kind, is_falling = type_of(job.type), job.is_falling(job.fields()[0])
    least = kind.infinity + 1 if kind.is_float else kind.sign - kind.is_time if kind.is_signed else 0
    keys = []
    for entry in (written[0], written[-1]):
        is_nan, rank = kind.rank(entry.element)
        key = (1 << kind.bits) - 1 if is_nan and kind.is_time else rank + least
        keys.append(f"{(1 << kind.bits) - 1 - key if is_falling else key:0{2 * kind.bytes}x}")
    return {"first_key": keys[0], "last_key": keys[1]}


def shortened(text):
    """As a report shows it: a text longer than 95 loses its middle."""
    raw = text.encode()
    return text if len(raw) < 96 else (raw[:46] + b"..." + raw[-46:]).decode()


def fields_with_statistics(job):
    fields = job.stats_of or [key for key in job.keys if not key.type.is_bytes][:1]
    return [*fields, *(fold.field for fold in job.folds if all(fold.field.text != field.text for field in fields))]


def report_of(job, result, written_count):
    """The fields of the JSON report that follow from options and data."""
    is_number = not job.record
    read = result.read
    report = {"schema": 2, "element_bytes": job.element_bytes, "reverse": job.reverse, "top_count": job.top, "shuffle_seed": job.seed,
              "left_out_count": len(result.left_out), "input_bytes": (len(read) + len(result.left_out)) * (job.element_bytes + sum(len(values[0]) for values in job.values if values)),
              "where": [shortened(condition.text) for condition in job.where]}
    if job.is_set:  # these depend on how far it has to read
        del report["left_out_count"], report["input_bytes"]
    tally_of = {"count": len(read)}
    if is_number:
        report["type"] = job.type
        tally_of |= tally(type_of(job.type), read, job.variance)
    else:
        fields = fields_with_statistics(job)
        report["keys"] = [key.option for key in job.keys]
        report["fields"] = [{"field": field.text, "is_float": field.type.is_float, "count": len(read)} |
                            tally(field.type, [field.of(element) for element in read], job.variance) for field in fields]
    report["tally"] = tally_of
    if job.may_end_early:
        for name in report.keys() & {"left_out_count", "input_bytes", "tally", "fields"}:
            del report[name]
    if job.unique and job.verb == "sort":
        report["unique_count"] = written_count
        report["group_count"] = None if job.top is not None else result.group_count
    if job.quantiles or job.histogram or job.distinct or job.mode:
        key = job.fields()[0]
        report |= ranks(job, key.type, [key.of(element) for element in read], job.is_falling(key))
    return report


# ---- as text ----


def tally_lines(report, is_time):
    """Lines of a number's or field's statistics in a report for people."""
    for name in "min", "max", "sum", "mean", "variance", "deviation":
        if report[name] is not None:
            yield line(name, report[name])
    counts = [("nat" if is_time else "nan", "nan_count"), ("inf", "positive_infinity_count"), ("-inf", "negative_infinity_count"),
              ("-0", "negative_zero_count")]
    for name, field in counts:
        if report[field] > 0:
            yield line(name, report[field])


def line(name, value):
    return f"{name:<10}{value}"


def text_lines(job, report):
    """Lines that a report for people has, in this order, beside others."""
    if job.verb == "check" or job.is_set or job.may_end_early:
        return
    if not job.merge or not job.unique:
        yield line("elements", report["tally"]["count"])
    if job.where:
        yield line("where", f"{', '.join(report['where'])}; {report['left_out_count']} left out")
    if not job.record:
        yield from tally_lines(report["tally"], type_of(job.type).is_time)
    for field, told in zip(fields_with_statistics(job), report.get("fields", [])):
        yield line("field", told["field"])
        yield from tally_lines(told, field.type.is_time)
    for row in report.get("quantiles", []):
        name = row["p"] if row["p"] == "median" else "p" + row["p"]
        same = row["value"] == row["between"]
        if row["rank"] is None:
            yield line(name, "none: there are no values")
        elif same:
            yield line(name, row["value"])
    if "distinct_count" in report:
        yield line("distinct", report["distinct_count"])
        if report["mode_count"]:
            yield line("mode", f"{report['mode']}, {report['mode_count']} time{'s' if report['mode_count'] > 1 else ''}")


def missing_line(wanted, text):
    """Returns the first wanted line that the text does not have after those before it; None: it has all."""
    lines = iter(text.replace("1 elements", "1 element").splitlines())
    return next((one for one in wanted if one not in lines), None)


def differences(wanted, told, path=""):
    """Returns a line for each field of `wanted` that the report lacks or has with another value."""
    if isinstance(wanted, dict) and isinstance(told, dict):
        return [line for name, value in wanted.items() for line in differences(value, told.get(name, "(no such field)"), f"{path}.{name}")]
    if isinstance(wanted, list) and isinstance(told, list) and len(wanted) == len(told):
        return [line for i, (a, b) in enumerate(zip(wanted, told)) for line in differences(a, b, f"{path}[{i}]")]
    return [] if wanted == told else [f"{path[1:]} is {json.dumps(told)[:300]}, not {json.dumps(wanted)[:300]}"]
