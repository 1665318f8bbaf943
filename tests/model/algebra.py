"""algebra.py: what a job writes, computed slowly and plainly from the documents of gsort.

A Job says what is asked for; `wanted` computes the elements that are sorted, groups, and the bytes of each output. Elements
are bytes objects in lists.
"""
from collections import Counter
from dataclasses import dataclass, field as dataclass_field
from fractions import Fraction
from itertools import groupby

from elements import INFINITY, NAN, NEGATIVE_INFINITY, Field, nearest_bits, ordinal, type_of


class DoesNotFit(Exception):
    """A sum does not fit into its field: gsort refuses."""


@dataclass
class Condition:
    field: Field  # at 0 for numbers
    operator: str
    value: object  # as Type.value has it; bytes for bN
    text: str


@dataclass
class Fold:
    how: str  # sum, min, max
    field: Field
    is_wide: bool = False

    def wide(self):
        """Base and bytes of what a wide sum is appended as."""
        if self.field.type.is_float:
            return "f64", 8
        bytes = 8 if self.field.type.bytes <= 4 else 2 * self.field.type.bytes
        return None, bytes


@dataclass
class Job:
    """A request, without the way in which it is executed."""
    type: str = None  # of numbers; None: records
    record: int = 0
    keys: list = dataclass_field(default_factory=list)
    named: list = dataclass_field(default_factory=list)  # fields that --fields names
    files: list = dataclass_field(default_factory=list)  # lists of elements
    verb: str = "sort"  # sort, stats, check, find, look
    where: list = dataclass_field(default_factory=list)
    reverse: bool = False
    nan: str = None
    ties: str = None
    merge: str = None  # None, all, or an operation on sets
    range: tuple = None  # first, count or None
    part: tuple = None  # number, of
    find: tuple = None  # the least and the greatest value as raw keys, or None; inclusive
    unique: bool = False
    count: bool = False
    keep: str = None
    group: int = 0
    folds: list = dataclass_field(default_factory=list)
    order_by: list = dataclass_field(default_factory=list)  # keys in what is written of groups
    top: int = None
    seed: int = None  # of --shuffle
    argsort: int = 0  # bytes of a position
    out: list = dataclass_field(default_factory=list)  # (offset, length)
    out_texts: list = dataclass_field(default_factory=list)  # as the option gives them
    out_order: str = None
    values: list = dataclass_field(default_factory=list)  # companion files: lists of values
    split: int = 0
    split_at: list = dataclass_field(default_factory=list)  # raw values of the first key, in the order of the sort

    @property
    def element_bytes(self):
        return self.record or type_of(self.type).bytes

    @property
    def is_set(self):
        return self.merge not in (None, "all")

    def fields(self):
        """Keys of what is sorted: a number is its own."""
        if not self.record:
            return [Field(0, self.type)]
        return self.keys or [Field(0, f"b{self.record}")]

    def ordinals(self, element, count=None):
        """By which elements are ordered, by all keys or the first ones."""
        return tuple(ordinal(key.type, key.of(element), self.is_falling(key), self.nan) for key in self.fields()[:count])

    @property
    def may_end_early(self):
        """A merge with --top reads blocks until it has enough."""
        return self.merge and self.top is not None and not self.order_by

    def is_falling(self, key):
        return getattr(key, "is_falling", False) != self.reverse

    def order(self, element):
        if self.ties != "bytes":
            return self.ordinals(element)
        bytes = int.from_bytes(element, "big")
        return self.ordinals(element), -bytes if self.reverse else bytes

    def group_of(self, element):
        return self.ordinals(element, self.group or None)


# ---- which elements ----


def holds(condition, element):
    """As IEEE 754 compares: a NaN is unequal to everything; == nan and != nan select NaNs and all others."""
    if condition.field.type.is_bytes:
        value = condition.field.of(element)
        wanted = condition.value.ljust(len(value), b"\0")
    else:
        value, wanted = condition.field.value(element), condition.value
        if wanted == NAN:
            return (value == NAN) == (condition.operator == "==")
        if value == NAN:
            return condition.operator == "!="
        value, wanted = comparable(value), comparable(wanted)
    return {"==": value == wanted, "!=": value != wanted, "<": value < wanted, "<=": value <= wanted, ">": value > wanted,
            ">=": value >= wanted}[condition.operator]


def comparable(value):
    """Numbers beside infinities."""
    if isinstance(value, str):
        return (1 if value == INFINITY else -1, 0)
    return (0, value)


def is_kept(job, element):
    return all(holds(condition, element) for condition in job.where)


def in_range(job):
    """The inputs without what --range leaves out; each element with its position in all inputs."""
    position, files = 0, []
    first, count = job.range or (0, None)
    last = None if count is None else first + count
    for file in job.files:
        entries = []
        for element in file:
            if position >= first and (last is None or position < last):
                entries.append((position, element))
            position += 1
        files.append(entries)
    return files


def is_between(job, element):
    """Returns whether --find finds the first key of an element."""
    key = job.fields()[0]
    if key.type.is_bytes:
        value = key.of(element)
        low, high = (limit and limit[:len(value)] for limit in job.find)
        return (low is None or value[:len(low)] >= low) and (high is None or value[:len(high)] <= high)
    value = key.value(element)
    low, high = job.find
    if NAN in (low, high):
        return value == NAN
    if value == NAN:
        return False
    value = comparable(value)
    return (low is None or value >= comparable(low)) and (high is None or value <= comparable(high))


def of_sets(job, files):
    """Returns the result of a set operation on sorted files, as in SQL; the m and n of the manual."""
    counts = [Counter(job.ordinals(element) for _, element in file) for file in files]
    stay = []
    for i, file in enumerate(files):
        seen = Counter()
        stays = []
        for entry in file:
            key = job.ordinals(entry[1])
            at = seen[key]
            seen[key] += 1
            others = [count[key] for j, count in enumerate(counts) if j != i]
            if job.merge == "xor":
                keeps = sum(others) == 0
            elif job.merge == "union":
                keeps = at >= max((count[key] for count in counts[:i]), default=0)
            elif i > 0:
                keeps = False
            elif job.merge == "intersect":
                keeps = at < min(others, default=at + 1)
            elif job.merge == "except" and not job.unique:
                keeps = at >= sum(others)
            elif job.merge == "semi":
                keeps = sum(others) > 0
            else:  # except of groups, anti
                keeps = sum(others) == 0
            if keeps:
                stays.append(entry)
        stay.append(stays)
    return stay


# ---- random order ----


def random_key(seed, position):
    """The position encrypted with Threefry-2x32, 20 rounds (Salmon et al., SC 2011, section 4.2)."""
    mask = 0xFFFFFFFF
    keys = [seed & mask, seed >> 32]
    keys.append(keys[0] ^ keys[1] ^ 0x1BD11BDA)
    low, high = (position + keys[0]) & mask, ((position >> 32) + keys[1]) & mask
    for i in range(20):
        bits = (13, 15, 26, 6, 17, 29, 16, 24)[i % 8]
        low = (low + high) & mask
        high = ((high << bits | high >> 32 - bits) & mask) ^ low
        if i % 4 == 3:
            n = i // 4 + 1
            low, high = (low + keys[n % 3]) & mask, (high + keys[(n + 1) % 3] + n) & mask
    return low << 32 | high


# ---- groups ----


def sum_of(fold, entries):
    """Bits of a sum; None: it does not fit."""
    field = fold.field
    values = [field.value(element) for element in entries]
    base, bytes = fold.wide() if fold.is_wide else (field.type.base, field.type.bytes)
    if not field.type.is_float:
        total, bits = sum(values), 8 * bytes
        low = -(1 << bits - 1) if field.type.is_signed else 0
        return total & (1 << bits) - 1 if low <= total < low + (1 << bits) else None
    kind = type_of(base)
    some = [(element, value) for element, value in zip(entries, values) if value != NAN]
    values = [value for _, value in some]
    has_both = INFINITY in values and NEGATIVE_INFINITY in values
    if not some or has_both:
        return kind.infinity | 1 << kind.fraction_bits - 1
    if INFINITY in values or NEGATIVE_INFINITY in values:
        return kind.infinity | (kind.sign if NEGATIVE_INFINITY in values else 0)
    if all(field.type.is_negative_zero(field.of(element)) for element, _ in some):
        return kind.sign
    return nearest_bits(sum(values, Fraction(0)), base)


def folded(job, entries):
    """The element that stands for a group, with what is appended to it."""
    entry = bytearray(entries[-1 if job.keep == "last" else 0])
    appended = b""
    for fold in job.folds:
        field = fold.field
        if fold.how == "sum" and (fold.is_wide or len(entries) > 1):
            bits = sum_of(fold, entries)
            if bits is None:
                raise DoesNotFit(fold.field.text)
            if fold.is_wide:
                appended += bits.to_bytes(fold.wide()[1], "little")
            else:
                entry[field.off:field.end] = field.type.raw_of(bits)
        elif fold.how != "sum" and len(entries) > 1:
            some = [field.of(element) for element in entries if not field.type.is_nan(field.of(element))]
            if some:
                entry[field.off:field.end] = (min if fold.how == "min" else max)(some, key=field.type.rank)
    if job.count:
        appended += len(entries).to_bytes(8, "little")
    return bytes(entry), appended


@dataclass
class Written:
    """An element of the result: its position, itself, what is appended, and its place in the sort."""
    position: int
    element: bytes
    appended: bytes = b""

    def ordinals(self, keys, nan):
        """By which --order-by sorts it."""
        return [ordinal(key.type, key.of(self.element + self.appended), key.is_falling, nan) for key in keys]


@dataclass
class Result:
    read: list  # elements that were read and kept, in any order
    ordered: list  # (position, element), as sorted
    written: list  # of Written, up to --top's end
    left_out: list  # elements that --where left out
    groups: list = None  # of Written, all
    group_count: int = 0
    range_of: int = 0
    part_first: int = 0
    merged: int = 0  # elements of the whole merge, before --part
    may_fail: bool = False  # a sum that is not needed does not fit


def grouped(job, ordered, result):
    if not job.unique:
        return [Written(position, element) for position, element in ordered]
    written = []
    for _, group in groupby(ordered, key=lambda entry: job.group_of(entry[1])):
        group = list(group)
        result.group_count += 1
        if job.keep == "repeated":
            written += [Written(*entry) for entry in group] if len(group) > 1 else []
            continue
        try:
            element, appended = folded(job, [element for _, element in group])
        except DoesNotFit:  # also of groups that are not written; after the groups that --top writes it may stay unnoticed
            if job.top is None or job.order_by or len(written) < job.top:
                raise
            result.may_fail = True
            continue
        if not (job.keep == "singles" and len(group) > 1 or job.keep == "dups" and len(group) == 1):
            written.append(Written(group[-1 if job.keep == "last" else 0][0], element, appended))
    return written


def wanted(job):
    """The elements of the result. Raises DoesNotFit."""
    files = in_range(job)
    result = Result([], [], [], [], range_of=sum(map(len, job.files)))
    if job.find:
        files = [[entry for entry in file if is_between(job, entry[1])] for file in files]
    if job.merge and job.part:
        merged = sorted((entry for file in files for entry in file), key=lambda entry: job.order(entry[1]))
        number, of = job.part
        result.merged = len(merged)
        first, last = ((number - 1 + i) * len(merged) // of for i in (0, 1))
        result.part_first = first
        files = [merged[first:last]]
    if job.is_set:
        files = of_sets(job, files)
    entries = [entry for file in files for entry in file]
    result.left_out += [element for _, element in entries if not is_kept(job, element)]
    entries = [entry for entry in entries if is_kept(job, entry[1])]
    result.read = [element for _, element in entries]
    if job.seed is None:
        result.ordered = sorted(entries, key=lambda entry: job.order(entry[1]))
    else:
        result.ordered = [entries[i] for i in sorted(range(len(entries)), key=lambda i: random_key(job.seed, i))]
    result.groups = grouped(job, result.ordered, result)
    if job.order_by:
        result.groups.sort(key=lambda group: group.ordinals(job.order_by, job.nan))
    result.written = result.groups[:job.top]
    return result


# ---- bytes ----


def bytes_of(job, entry):
    """Returns what is written of an element of the result."""
    if job.argsort:
        return entry.position.to_bytes(job.argsort, "little") + entry.appended
    element = entry.element
    if job.out_order and not job.record and type_of(job.type).order != job.out_order:
        element = element[::-1]
    whole = element + entry.appended
    if job.out:
        return b"".join(element[off:off + length] for off, length in job.out) + entry.appended
    return whole


def limit_of(job, key, raw):
    """Returns where a value of --split-at begins in the order: at either zero."""
    raws = [raw]
    if key.type.is_float and key.type.bits_of(raw) & ~key.type.sign == 0:
        raws = [key.type.raw_of(0), key.type.raw_of(key.type.sign)]
    is_falling = key.is_falling if job.order_by else job.is_falling(key)
    return min(ordinal(key.type, raw, is_falling, job.nan) for raw in raws)


def pieces_of(job, written):
    """The result by output files: one, or those of a split."""
    if job.split:
        bounds = [i * len(written) // job.split for i in range(job.split + 1)]
        return [written[a:b] for a, b in zip(bounds, bounds[1:])]
    if job.split_at:
        key = (job.order_by or job.fields())[0]
        limits = [limit_of(job, key, raw) for raw in job.split_at]
        pieces = [[] for _ in range(len(limits) + 1)]
        for entry in written:
            at = entry.ordinals([key], job.nan)[0] if job.order_by else job.ordinals(entry.element, 1)[0]
            pieces[sum(limit <= at for limit in limits)].append(entry)
        return pieces
    return [written]


def data_of(job, entries):
    return b"".join(bytes_of(job, entry) for entry in entries)


def companions(job, written):
    """Returns what is written of each companion file."""
    return [b"".join(values[entry.position] for entry in written) for values in job.values]


def duplicates(job):
    """How many elements that --check reads have the keys of the one before them."""
    entries = [job.group_of(element) for file in in_range(job) for _, element in file if not job.find or is_between(job, element)]
    return sum(a == b for a, b in zip(entries, entries[1:]))


def first_disorder(job):
    """The position of the first element that is out of order; None: there is none."""
    before = None
    for file in in_range(job):
        for position, element in file:
            if job.find and not is_between(job, element):
                continue
            if before is not None and (job.order(element) < job.order(before) or job.unique and job.group_of(before) == job.group_of(element)):
                return position
            before = element
    return None
