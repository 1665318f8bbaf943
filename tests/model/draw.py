"""draw.py: draws a job from a set of variants (variants.py): values of their options, files that they read, and a command line.
`drawn` makes a Case.
"""
import struct
import subprocess
from dataclasses import dataclass, field as dataclass_field

import formats
from algebra import Condition, Fold, Job
from elements import NAN, TYPES, UNITS, Field, Key, nearest_bits, ordinal, random_bits, type_of
from formats import npy_descr, npy_header
from variants import FOLDS, RANKS, VARIANTS

# Options that refuse inputs that are read once: pipes, and compressed files.
NOT_PIPED = {"--region=48:2256", "--range=40:50", "--find=3..5", "--part=1/2", "--resume=kept"}
NOT_PACKED = {"--range=40:50", "--find=3..5", "--part=1/2", "--resume=kept", "--merge=intersect", "--raw", "--region=48:2256"}


@dataclass
class Case:
    """A job with its files and command line."""
    names: set
    job: Job
    options: list = dataclass_field(default_factory=list)  # (variant, argument)
    inputs: list = dataclass_field(default_factory=list)  # arguments
    files: dict = dataclass_field(default_factory=dict)  # by name
    edges: set = dataclass_field(default_factory=set)
    output: str = None  # name, or pattern; None: standard output
    header: bytes = b""  # that the output begins with
    stdin: str = None  # name of a file that is piped
    tails: list = dataclass_field(default_factory=list)  # bytes after the last element of each file
    print: str = None  # how
    is_npy: bool = False  # inputs are .npy files of numbers
    form: object = None  # of files with named fields: formats.Npy, Fits or Las
    head: int = 0
    tail: int = 0
    named: list = dataclass_field(default_factory=list)  # files as messages name them
    folds_nans: bool = False  # a few large groups whose folded floats are nearly all NaNs: the first or last one stays
    disorder: tuple = None  # of a merge: a file's number, and its first element that is out of order

    def command(self):
        return [argument for _, argument in self.options] + self.inputs

    @property
    def writes_header(self):
        """Returns whether the output has a header like the inputs."""
        return (self.is_npy or self.form is not None) and "--drop-header" not in self.names

    @property
    def writes_npy(self):
        return self.writes_header and (self.is_npy or isinstance(self.form, formats.Npy))


# ---- elements ----


def only_folded(fields, key_count, fold_count, are_floats):
    """Records of keys and folded fields alone, which gsort may combine while it reads; and their length."""
    others = [field for field in fields[key_count:] if not field.type.is_bytes and not field.type.is_time][:max(fold_count, 1)]
    if are_floats:
        others = [field if field.type.is_float else Field(0, "f32") for field in others]
    packed_fields, off = [], 0
    for field in fields[:key_count] + others:
        packed_fields.append(Field(off, field.type.name))
        off = packed_fields[-1].end
    return packed_fields, off


def with_unit(rng, name):
    """A type of times gets a unit, most often."""
    return name.replace("time64", f"time64[{rng.choice(list(UNITS))}]") if rng.random() < 0.8 else name


def lay_out(rng, job, names, types):
    """Fields of a record, in the order of their places, or not."""
    job.record = rng.choice([1, 2, 3, 4, 5, 8, 8, 9, 12, 13, 16, 16, 17, 24, 24, 32, 40, 100, 100, 211])
    if rng.random() < 0.02:
        job.record = rng.choice([1000, 9000, 16383, 16384, 50001])
    fields, off = [], 0
    wanted = sum(fold in names for fold in FOLDS) + 2 * ("--stats-of=16:f64" in names) + 2 * ("--group=1" in names) + 1
    if "--key=16:f64" in names:
        job.record = max(job.record, 6 * wanted)
    most_fields = 30 if types is formats.FITS_FORMS else 60  # 64 may be keys, and gaps between columns are columns
    while off < job.record and len(fields) < most_fields:
        rest = job.record - off
        most = 8 if wanted > 2 or "--variance" in names else 16
        fitting = [name for name in types if type_of(name).bytes <= min(rest, most)]
        name = with_unit(rng, rng.choice(fitting))
        if rng.random() < 0.15:
            name = f"b{rng.randrange(1, min(rest, 20) + 1)}"
        fields.append(Field(off, name))
        off = fields[-1].end + rng.choice([0, 0, 0, 1, 2])
    rng.shuffle(fields)
    return fields


def draw_layout(rng, case, names, kind):
    """The length of records, their keys, and fields that are no keys. kind: of the files (formats.kinds), or None."""
    job, needs_key = case.job, "--key=16:f64" in names
    if kind == "las":
        case.form = formats.Las(rng, job)
        fields = list(case.form.fields)
        rng.shuffle(fields)
    elif kind == "rows":
        fields = formats.lay_out_rows(rng, job, 8)
    else:
        fields = lay_out(rng, job, names, formats.FITS_FORMS if kind == "fits" else TYPES)
    if needs_key:
        numbers = [field for field in fields if not field.type.is_bytes]
        count = min(len(fields), rng.choice([1, 1, 2, 3]) + ("--group=1" in names))
        if names & set(FOLDS) and kind in (None, "npy", "fits") and rng.random() < 0.6:
            case.folds_nans = not kind and bool(names & {"--min=16:f64", "--max=16:f64"}) and rng.random() < 0.6
            fields, job.record = only_folded(fields, count, len(names & set(FOLDS)), case.folds_nans)
            numbers = [field for field in fields if not field.type.is_bytes]
        keys = fields[:count]
        is_ranked = names & {*RANKS, "--variance"}
        if is_ranked and keys[0].type.is_bytes:
            if not numbers:
                keys = fields = [Field(0, "uint8")]
            else:
                keys = [numbers[0]] + [key for key in keys[1:] if key is not numbers[0]]
        case.form = case.form or kind and formats.FORMS[kind](rng, job.record, fields, False)
        job.keys = [key.alike(True, rng.random() < 0.3) for key in keys]
        if not names & {*FOLDS, "--stats-of=16:f64"}:
            overlap_keys(rng, job)
        fields = [field for field in fields if all(field.off != key.off for key in keys)]
    elif kind:  # by all fields, in their order
        case.form = case.form or formats.FORMS[kind](rng, job.record, fields, True)
        job.keys = [field.alike(True) for field in sorted(fields, key=lambda field: field.off)]
        fields = []
    return fields


def draw_names(rng, job, fields):
    """Gives names to some of the keys and other fields."""
    places = {}
    for field in [*fields, *job.keys, Field(0, "uint8")]:
        places.setdefault((field.off, field.type.name), []).append(field)
    chosen = rng.sample(sorted(places), rng.randrange(1, min(len(places), 12) + 1))
    for i, place in enumerate(chosen):
        for field in places[place]:
            field.named(f"f_{i}")
        job.named.append(places[place][0])
    return ",".join(f"f_{i}={off}:{name}" for i, (off, name) in enumerate(chosen))


def overlap_keys(rng, job):
    """Moves some keys but the first one anywhere."""
    for i, key in enumerate(job.keys[1:], 1):
        moved = Key(rng.randrange(job.record - key.type.bytes + 1), key.type.name, key.is_falling)
        if rng.random() < 0.2 and all((moved.off, moved.type) != (other.off, other.type) for other in job.keys):
            job.keys[i] = moved


def make_alike(rng, elements):
    """Lets elements share the beginnings of a few: all but two bytes, or any number."""
    width = len(elements[0])
    begins = [element[:rng.choice([max(width - 2, 0), rng.randrange(width + 1)])] for element in elements[:rng.choice([1, 1, 5])]]
    return [(begin := rng.choice(begins)) + element[len(begin):] for element in elements]


def draw_elements(rng, case, fields, count):
    """So many elements, by a random style."""
    job = case.job
    style = rng.choice(["few", "few", "special", "near", "near", "any"])
    if not job.record:
        kind = type_of(job.type)
        return [kind.raw_of(random_bits(rng, kind, style)) for _ in range(count)]
    styles = {}
    has_few_groups = case.folds_nans or job.unique and rng.random() < 0.4
    for field in fields + job.keys:
        styles[field.off] = rng.choice([style, "few", "near", "any"]) if field in job.keys else rng.choice(["few", "few", "near", "special", "any"])
        if has_few_groups and field in job.keys:
            styles[field.off] = "three"
        elif has_few_groups and (case.folds_nans or rng.random() < 0.2):
            styles[field.off] = "nans"
    is_plain = rng.random() < 0.3 or not job.keys
    elements = []
    for _ in range(count):
        record = bytearray(rng.choice([b"a", b"b", b"\0"]) * job.record if is_plain else rng.randbytes(job.record))
        if is_plain and rng.random() < 0.5:
            record[rng.randrange(job.record)] = rng.randrange(256)
        for field in [*fields, *job.keys]:
            record[field.off:field.end] = field.type.raw_of(random_bits(rng, field.type, styles[field.off]))
        elements.append(bytes(record))
    return make_alike(rng, elements) if elements and rng.random() < 0.15 else elements


def greatest_of(job, element):
    """The element with the greatest integer as its first key, where that is one."""
    key = job.fields()[0]
    bits = (1 << key.type.bits) - 1 >> (key.type.is_signed and not key.type.is_float)
    return element[:key.off] + key.type.raw_of(bits) + element[key.end:]


def nearly_sorted(rng, job, elements):
    """Sorted pieces, one after the other, or in order but for a few late elements."""
    pieces = rng.choice([1, 1, 2, 5])
    bounds = [i * len(elements) // pieces for i in range(pieces + 1)]
    elements = [element for a, b in zip(bounds, bounds[1:]) for element in sorted(elements[a:b], key=job.order)]
    for _ in range(rng.choice([0, 1, 3]) if len(elements) > 1 else 0):
        elements.insert(rng.randrange(len(elements)), elements.pop(rng.randrange(len(elements))))
    return elements


def disorder(rng, case):
    """Moves an element of one file, now and then."""
    at = rng.randrange(len(case.job.files))
    file = case.job.files[at]
    if rng.random() > 0.15 or len(file) < 2:
        return
    file.insert(rng.choice([0, 1, len(file) // 2, len(file) - 2, rng.randrange(len(file))]), file.pop(rng.choice([0, -1, rng.randrange(len(file))])))
    orders = list(map(case.job.order, file))
    falls = [i for i in range(1, len(file)) if orders[i] < orders[i - 1]]
    if falls:
        case.disorder = at, falls[0]
        case.edges.add("not sorted")


def draw_files(rng, case, fields):
    job, names = case.job, case.names
    is_sorted = names & {"--merge", "--merge=intersect", "--find=3..5", "--check", "--check=quiet"}
    one_file = names & {"--find=3..5", "--head=2", "--tail=3", "--region=48:2256"}
    file_count = 1 if one_file else rng.choice([1, 1, 2, 2, 3, 5] if is_sorted or "--files0-from=names" in names else [1, 1, 1, 2, 3])
    most = rng.choice([3, 40, 300, 300, 1500])
    if rng.random() < 0.03 and job.element_bytes <= 40:
        most = 400000 // job.element_bytes // (1 + job.element_bytes % 8 + file_count) % 20000
    if case.folds_nans:
        most = 3000  # more than a chunk or two
    is_equal = not case.folds_nans and rng.random() < (0.6 if "--histogram=3" in names else 0.05)
    for _ in range(file_count):
        page = max(1, 4096 * rng.choice([1, 1, 2, 4]) // job.element_bytes)  # windows and chunks are some of them
        count = rng.choice([0, 1, most, most, rng.randrange(most + 1), min(page, 3000) + rng.choice([-1, 0, 1])])
        count = min(count, 600000 // job.element_bytes)
        elements = draw_elements(rng, case, fields, count)
        if is_equal and elements and "--histogram=3" in names and rng.random() < 0.8:
            elements = [greatest_of(job, elements[0])]
        if is_equal and elements:
            elements = [(job.files[0] or elements)[0] if job.files else elements[0]] * count
        how = rng.random()
        if is_sorted and not (names & {"--check", "--check=quiet"} and "--find=3..5" not in names and how < 0.3) or how < 0.1:
            elements.sort(key=job.order)
            case.edges.add("sorted")
        elif how < 0.2:
            elements.sort(key=job.order, reverse=True)
            case.edges.add("falling")
        elif how < 0.35 and not is_sorted:
            elements = nearly_sorted(rng, job, elements)
            case.edges.add("nearly sorted")
        job.files.append(elements)
    if "--merge" in names and not names & {"--top=5", "--part=1/2", "--range=40:50", "--find=3..5", "--where=0:u64>4", "--check", "--check=quiet"}:
        disorder(rng, case)
    if is_sorted and names & {"--check", "--check=quiet"}:
        whole = sorted((element for file in job.files for element in file), key=job.order)
        if rng.random() < 0.5:  # all files in one order
            if "--unique" in names and rng.random() < 0.7:
                seen = {}
                whole = [seen.setdefault(job.group_of(element), element) for element in whole if job.group_of(element) not in seen]
            bounds = sorted(rng.randrange(len(whole) + 1) for _ in range(file_count - 1))
            job.files = [whole[a:b] for a, b in zip([0, *bounds], [*bounds, len(whole)])]


# ---- values of options ----


def some_raw(rng, case, field):
    """A value of a field that occurs, or another one."""
    elements = [element for file in case.job.files for element in file[:50]]
    if elements and rng.random() < 0.8:
        return field.of(rng.choice(elements))
    return field.type.raw_of(random_bits(rng, field.type, rng.choice(["few", "near", "special"])))


def literal(field, raw):
    """As a value is given on the command line."""
    if field.type.is_bytes:
        return "0x" + raw.hex()
    value = field.type.value(raw)
    if field.type.is_float:
        return field.type.text(raw)
    if field.type.unit and value != NAN:
        return field.type.text(raw) if value % 3 else f"{value:+d}"
    return "nat" if value == NAN else str(value)


def between_floats(rng, kind, raw, value):
    """A decimal at half the way to a neighbor or by a little beside, exactly, and the number that it is rounded to."""
    bits = kind.bits_of(raw)
    neighbor = kind.value(kind.raw_of(bits + 1)) if bits & ~kind.sign < kind.infinity - 1 else value
    half = (value + neighbor) / 2
    number = half + (neighbor - half) / 2 ** 60 * rng.choice([-1, 0, 1])
    shift = number.denominator.bit_length() - 1
    if shift > 150:  # a text of more digits
        return kind.text(raw), value
    digits = str(abs(number.numerator) * 5 ** shift).rjust(shift + 1, "0")
    text = ("-" if number < 0 else "") + (f"{digits[:-shift]}.{digits[-shift:]}" if shift else digits)
    return text, kind.value(kind.raw_of(nearest_bits(number, kind.base)))


def draw_where(rng, case, fields):
    for _ in range(rng.choice([1, 1, 2])):
        field = Field(0, case.job.type) if not case.job.record else rng.choice([*fields, *case.job.fields()])
        field = field.alike()
        raw = some_raw(rng, case, field)
        if field.type.is_bytes and rng.random() < 0.4:  # shorter than the field
            raw = raw[:rng.randrange(1, len(raw) + 1)]
        operator = rng.choice(["==", "!=", "<", "<=", ">", ">="])
        value = raw if field.type.is_bytes else field.type.value(raw)
        if value == NAN and operator not in ("==", "!="):
            operator = "!="
        shown = literal(field, raw)
        if field.type.is_float and not isinstance(value, str) and rng.random() < 0.4:
            shown, value = between_floats(rng, field.type, raw, value)
        text = (field.text if case.job.record else "") + operator + shown
        case.job.where.append(Condition(field, operator, value, text))
        yield text


def draw_folds(rng, case, fields):
    """Each option gets a field of its own. The names of those that got none."""
    free = [field for field in fields if not field.type.is_bytes]
    folds = {}
    for name in FOLDS:
        if name not in case.names:
            continue
        how, is_wide = name[2:5], name.endswith(":wide")
        fitting = [field for field in free if how != "sum" or not field.type.is_time]
        if not fitting:
            continue
        field = fitting[0]
        free.remove(field)
        case.job.folds.append(Fold(how, field, is_wide))
        folds[name] = field.text + (":wide" if is_wide else "")
    order = ["sum", "min", "max"]
    case.job.folds.sort(key=lambda fold: order.index(fold.how))
    return folds


def columns_of_groups(case, fields):
    """Names of columns of the groups, each with its keys: a sum of 32 bytes has two."""
    job, end = case.job, case.job.element_bytes
    columns = {field.text: [(field.off, field.type.name)] for field in [*fields, *job.keys]
               if "," not in field.text and (":" not in field.text or field.text[0].isdigit())}
    columns |= {"0:uint8": [(0, "uint8")]} if job.record else {"value": [(0, job.type)]}
    for fold in job.folds:
        if not fold.is_wide:
            continue
        base, bytes = fold.wide()
        sign = "i" if fold.field.type.is_signed else "u"
        columns[fold.field.text + ":wide"] = ([(end + 16, sign + "128"), (end, "u128")] if bytes == 32 else
                                              [(end, base or f"{sign}{8 * bytes}")])
        end += bytes
    if job.count and "count" not in columns:
        columns["count"] = [(end, "u64")]
    return columns


def draw_order(rng, case, fields):
    """--order-by: some columns, each once."""
    columns, texts, had = columns_of_groups(case, fields), [], set()
    last = [name for name in columns if name == "count" or name.endswith(":wide")]
    names = rng.sample(list(columns), min(len(columns), rng.choice([1, 1, 2, 3])))
    for name in dict.fromkeys((rng.sample(last, 1) if last and rng.random() < 0.6 else []) + names):
        if had & set(columns[name]):
            continue
        had |= set(columns[name])
        is_falling = rng.random() < 0.5
        case.job.order_by += [Key(off, type, is_falling) for off, type in columns[name]]
        texts.append(name + (":desc" if is_falling else rng.choice(["", ":asc"])))
    return ",".join(texts)


def some_raw_of_group(rng, case, key):
    if key.end <= case.job.element_bytes:
        return some_raw(rng, case, key)
    return key.type.raw_of(random_bits(rng, key.type, rng.choice(["few", "near", "special"])))


def draw_limits(rng, case):
    """--split-at: values of the first key in the order of the sort, each once."""
    job, key = case.job, (case.job.order_by or case.job.fields())[0]
    raws = {raw for raw in (some_raw_of_group(rng, case, key) for _ in range(rng.choice([1, 2, 3]))) if not key.type.is_nan(raw)}
    if key.type.is_float:  # -0 and 0 are one value
        raws = {raw for raw in raws if not key.type.is_negative_zero(raw)}
    raws = raws or {key.type.raw_of(1)}
    is_falling = key.is_falling if job.order_by else job.is_falling(key)
    job.split_at = sorted(raws, key=lambda raw: ordinal(key.type, raw, is_falling, job.nan))
    return ",".join(literal(key, raw) for raw in job.split_at)


def draw_find(rng, case):
    job, key = case.job, case.job.fields()[0]
    low, high = (some_raw(rng, case, key) for _ in range(2))
    value = (lambda raw: raw) if key.type.is_bytes else key.type.value
    if key.type.is_nan(low) or key.type.is_nan(high):
        low = high = low if key.type.is_nan(low) else high
        job.find = (NAN, NAN)
        return literal(key, low)
    low, high = sorted((low, high), key=key.type.rank)
    form = rng.choice(["one", "one", "both", "from", "to"])
    ends = (low, low) if form == "one" else (None if form == "to" else low, None if form == "from" else high)
    texts = ["" if end is None else literal(key, end) for end in ends]
    limits = [None if end is None else value(end) for end in ends]
    job.find = tuple(limits)
    return texts[0] if form == "one" else "..".join(texts)


def draw_out(rng, case, fields):
    job = case.job
    named = {(field.off, field.type.bytes): field.text for field in [*fields, *job.keys] if (case.form or job.named) and ":" not in field.text}
    bounds = sorted(rng.randrange(job.record + 1) for _ in range(rng.choice([2, 2, 4, 6])))
    job.out = [(a, b - a) for a, b in zip(bounds[::2], bounds[1::2]) if b > a] or [(0, 1)]
    if named and rng.random() < 0.6:
        job.out = rng.sample(sorted(named), rng.randrange(1, min(len(named), 5) + 1))
    fields = [fold.field for fold in job.folds if not fold.is_wide]  # --out has to write them
    job.out = [(off, length) for off, length in job.out if all(off + length <= field.off or field.end <= off for field in fields)]
    job.out += [(field.off, field.type.bytes) for field in fields]
    job.out = job.out or [(0, 1)]
    rng.shuffle(job.out)
    job.out_texts = [named.get(place, "%d:%d" % place) for place in job.out]
    return ",".join(job.out_texts)


def draw_range(rng, case):
    total = sum(map(len, case.job.files))
    first = rng.randrange(total + 1)
    count = rng.choice([None, rng.randrange(total - first + 1)])
    case.job.range = first, count
    return f"{first}:{'' if count is None else count}"


def packed(rng, data):
    """zstd frames of every kind: as zstd makes them, or plain and repeated bytes; some are empty or to be skipped."""
    bounds = sorted({0, len(data), *(rng.randrange(len(data) + 1) for _ in range(rng.choice([0, 0, 1, 5])))})
    frames = []
    for part in [data[a:b] for a, b in zip(bounds, bounds[1:])] or [b""]:
        if rng.random() < 0.3:
            options = rng.choice([["-1"], ["-3", "--no-check"], ["-1", "--check", "--zstd=wlog=10"]])
            frames.append(subprocess.run(["zstd", "-cq", *options], input=part, check=True, capture_output=True).stdout)
        else:
            frames.append(plain_frame(rng, part))
        if rng.random() < 0.2:
            frames.append(plain_frame(rng, b"") if rng.random() < 0.5 else struct.pack("<II", 0x184d2a50 + rng.randrange(16), 5) + b"skip!")
    return b"".join(frames)


def plain_frame(rng, data):
    """A frame whose blocks hold the data as they are, or a byte that is repeated."""
    frame = b"\x28\xb5\x2f\xfd"
    frame += b"\xa0" + struct.pack("<I", len(data)) if rng.random() < 0.7 else b"\0\x58"  # its length, or a window of 2 MiB
    most = rng.choice([100000, 1000, 17])
    blocks = [data[at:at + most] for at in range(0, len(data), most)] + [b""] * (not data or rng.random() < 0.2)
    for i, block in enumerate(blocks):
        is_repeated = len(set(block)) == 1
        frame += (len(block) << 3 | 2 * is_repeated | (i == len(blocks) - 1)).to_bytes(3, "little") + (block[:1] if is_repeated else block)
    return frame


NOT_NPY = {"--type=i64", "--record=24", *formats.WITHOUT_FORMAT}


def choose_npy(rng, case):
    """Returns whether the inputs of numbers are .npy files, with a header in the output or without."""
    names = case.names
    if case.job.record or names & NOT_NPY or not npy_descr(case.job.type) or rng.random() < 0.6:
        return
    must_drop = formats.must_drop("npy", names)
    if must_drop and not formats.may_drop(names):
        return
    case.is_npy = True
    case.edges.add("npy")
    drop_header(rng, case, must_drop)


def drop_header(rng, case, must_drop):
    if must_drop or formats.may_drop(case.names) and rng.random() < 0.2:
        case.names.add("--drop-header")


def says_type(case):
    """Returns whether the elements are known without the name of the file, which may be a pipe."""
    if case.is_npy or isinstance(case.form, formats.Npy):
        return True
    return not case.form and bool(case.job.record or "--type=i64" in case.names)


def draw_data(rng, case):
    """The bytes of the inputs, and the arguments that name them."""
    job, names = case.job, case.names
    width = job.element_bytes
    suffix = "" if job.record or "--type=i64" in names else "." + job.type
    case.header = rng.randbytes(rng.choice([1, 3, 24, 500])) if "--header=24" in names else b""
    around = (rng.randbytes(rng.randrange(30)), rng.randbytes(rng.randrange(30))) if "--region=48:2256" in names else (b"", b"")
    is_packed = not names & NOT_PACKED and not job.find and rng.random() < 0.15 and not ("--merge" in names and "--header=24" in names)
    if {"--histogram=3", "--stats-only"} <= names:
        is_packed = False
    is_packed = is_packed and "--values=values:8=values.out" not in names and "--split=3" not in names
    choose_npy(rng, case)
    if case.is_npy or case.form:
        suffix, is_packed = "" if case.form else ".npy", False
    for i, elements in enumerate(job.files):
        data = npy_header(npy_descr(job.type), len(elements), version=rng.choice([1, 1, 2, 3])) if case.is_npy else case.header if i == 0 or not case.header else rng.randbytes(len(case.header))
        data = case.form.file(elements, i == 0) if case.form else data + b"".join(elements)
        case.tails.append(rng.randrange(width) if "--drop-tail" in names else 0)
        data += rng.randbytes(case.tails[-1])
        if "--region=48:2256" in names:
            case.region = f"{len(around[0])}:{len(data)}"
        data = around[0] + data + around[1]
        name = f"{i}{suffix}"
        case.files[name] = packed(rng, data) if is_packed and data else data
        case.inputs.append(name)
    case.named = list(case.inputs)
    if is_packed:
        case.edges.add("zst")
    if "--files0-from=names" in names:
        case.files["names"] = b"\0".join(name.encode() for name in case.inputs)
        case.inputs = []
    elif len(case.inputs) == 1 and says_type(case) and rng.random() < 0.2:
        if not names & NOT_PIPED and not job.find and not {"--histogram=3", "--stats-only"} <= names and "--values=values:8=values.out" not in names and "--split=3" not in names:
            case.stdin = case.inputs.pop()
            case.named = ["standard input"]
            case.edges.add("stdin")


ARGUMENTS = {
    "--memory=64M": lambda rng: rng.choice(["96M", "128M", "300M"]),
    "--compress=deltas": lambda rng: rng.choice(["deltas", "zstd", "zstd:3"]),
    "--parallel=2": lambda rng: str(rng.choice([1, 2, 3, 5])),
    "--batch-size=4": lambda rng: str(rng.choice([2, 3, 4, 16])),
    "--io=threads": lambda rng: rng.choice(["threads", "threads", "uring", "auto"]),
    "--chunk=64K": lambda rng: rng.choice(["16K", "16K", "64K"]),
    "--window=64K": lambda rng: rng.choice(["16K", "64K"]),
    "--zstd": lambda rng: rng.choice([None, "3"]),
    "--quantiles=0.5": lambda rng: rng.choice(["0.5", "0,1", "median", "0.25,0.5,0.75", "0.01,0.999", "0.333", "0.123456789012345678,0.999999999999999999"]),
    "--histogram=3": lambda rng: str(rng.choice([1, 2, 3, 10, 100])),
    "--head=2": lambda rng: str(rng.choice([0, 1, 3, 40])),
    "--tail=3": lambda rng: str(rng.choice([1, 3, 40])),
    "--split=3": lambda rng: str(rng.choice([2, 3, 7])),
    "--top=5": lambda rng: str(rng.choice([0, 1, 5, 50, 100000])),
    "--sample=5": lambda rng: str(rng.choice([0, 1, 5, 50, 100000])),
    "--shuffle=7": lambda rng: str(rng.choice([0, 1, 7, rng.getrandbits(64)])),
    "--output=out.%d": lambda rng: "out",
    "--argsort": lambda rng: rng.choice([None, "u64"]),
    "--find=3..5": None, "--keep=last": lambda rng: rng.choice(["last", "last", "singles", "dups"]),
    "--merge=intersect": lambda rng: rng.choice(["union", "intersect", "except", "semi", "anti", "xor"]),
    "--merge": lambda rng: rng.choice([None, "all"]),
    "--nan=last": lambda rng: rng.choice(["first", "last"]),
    "--out-order=big": lambda rng: rng.choice(["big", "little"]),
    "--files0-from=names": lambda rng: "names",
    "--into=into": lambda rng: "whole",
    "--spill=always": lambda rng: "always",
}
PLAIN = {name for name in VARIANTS if "=" not in name} - set(ARGUMENTS)
AS_IN_ROW = {"--progress=always", "--ties=bytes", "--ties=input", "--keep=first", "--keep=repeated", "--argsort=u32", "--verify=read", "--temporary-directory=.", "--resume=kept",
             "--compress=none", "--compress=auto", "--spill=auto", "--device=cpu", "--check=quiet", "--print=text", "--print=json", "--print=header", "--print=csv",
             "--stats=text", "--stats=json", "--stats=json:report.json", "--stats=none"}


# Kinds of inputs that are counted beside each option (--coverage).
EDGES = {"not sorted", "sorted", "falling", "nearly sorted", "stdin", "zst", "npy", "rows", "fits", "las", "empty", "one element", "several files", "equal elements", "NaN", "tail", "repeated keys"}


def edges_of(case):
    job = case.job
    elements = [element for file in job.files for element in file]
    key = job.fields()[0]
    counts = len(elements), len(set(elements)), len({job.ordinals(element) for element in elements[:200]})
    found = {"empty": counts[0] == 0, "one element": counts[0] == 1, "several files": len(job.files) > 1, "tail": any(case.tails),
             "equal elements": counts[0] > counts[1] == 1, "repeated keys": 1 < counts[2] < min(counts[0], 200),
             "NaN": any(key.type.is_nan(key.of(element)) for element in elements)}
    return {name for name, is_there in found.items() if is_there}


def drawn(rng, names, is_refused=False):
    """A Case of these variants. is_refused: they do not go together, in the meanings of their rows."""
    job = Job()
    case = Case(set(names), job)
    if "--spill=always" in names and rng.random() < 0.95:  # without a limit it takes all memory, which takes time
        names = names | {"--memory=64M"}
        case.names.add("--memory=64M")
    given = {name: ARGUMENTS[name](rng) for name in sorted(names) if ARGUMENTS.get(name)}
    given |= {name: name.split("=", 1)[1] for name in names & (AS_IN_ROW | ({"--keep=last"} if is_refused else set()))}
    given |= {name: None for name in names & PLAIN}
    if "--print=text" in names and not names & {"--head=2", "--tail=3"}:
        given["--print=text"] = rng.choice(["text", "header", "csv", "json"])
    case.print = next((given[name] for name in given if name.startswith("--print=")), None)
    of = {VARIANTS[name].of for name in names} - {None}
    is_record = of == {"records"} or not of and rng.random() < 0.4
    if is_record and "--shuffle=7" in names and "--variance" in names:  # records without keys have no variance
        names = names - {"--variance"}
        case.names.discard("--variance")
        del given["--variance"]
    job.reverse, job.unique, job.count = ("--reverse" in names), ("--unique" in names), ("--count" in names)
    job.nan, job.merge = given.get("--nan=last"), "all" if "--merge" in names else given.get("--merge=intersect")
    job.ties = "bytes" if "--ties=bytes" in names else None
    job.keep = next((given[name] for name in sorted(names) if name.startswith("--keep")), None)
    fields = []
    if is_record:
        kinds = [] if is_refused or "--fields=id=0:u64,price=16:f64" in names else formats.kinds(names)
        kind = rng.choice(kinds) if kinds and rng.random() < 0.35 else None
        if kind and formats.needs_file(kind, names) and rng.random() < 0.8:
            names = names | {"--output=out.%d"}
            case.names.add("--output=out.%d")
            given["--output=out.%d"] = None  # drawn below
        fields = draw_layout(rng, case, names, kind)
        if kind:
            case.edges.add(kind)
            drop_header(rng, case, formats.must_drop(kind, names))
        else:
            case.names.add("--record=24")
        if "--record=24" in case.names:
            given["--record=24"] = str(job.record)
        given |= {name: "1M" for name in ("--chunk=64K", "--window=64K") if name in given and job.record >= 1000}
        if "--shuffle=7" in names and not kind and not is_refused:
            job.keys = []
        if "--key=16:f64" not in names and names & {*RANKS, "--variance"}:
            case.names.add("--key=16:f64")
            job.keys = [Key(0, "uint8")]
            fields = [Field(field.off, field.type.name) for field in fields if field.off > 0]
        if "--fields=id=0:u64,price=16:f64" in names:
            given["--fields=id=0:u64,price=16:f64"] = draw_names(rng, job, fields)
        if job.keys and (not kind or "--key=16:f64" in names):
            case.names.add("--key=16:f64")
            given["--key=16:f64"] = [key.option for key in job.keys]
    else:
        most = 8 if "--variance" in names else 16
        least = 4 if "--histogram=3" in names and rng.random() < 0.5 else 0  # shorter integers have no greatest value there
        job.type = with_unit(rng, rng.choice([name for name in TYPES if least <= type_of(name).bytes <= most]))
        if "--where=0:u64>4" in names and most == 16 and rng.random() < 0.15:
            job.type = rng.choice(["u128", "i128"])
        given["--type=i64"] = job.type
        if "--type=i64" not in names:
            given.pop("--type=i64")
            if names & {"--raw", "--strict"} or rng.random() < 0.5:
                case.names.add("--type=i64")
                given["--type=i64"] = job.type
    if "--group=1" in names:
        job.group = rng.randrange(1, len(job.keys) + 1)
        given["--group=1"] = str(job.group)
    draw_files(rng, case, fields)
    if names & set(FOLDS):
        folds = draw_folds(rng, case, fields)
        given |= folds
        case.names -= set(FOLDS) - set(folds)
    job.verb = ("check" if names & {"--check", "--check=quiet"} else "stats" if "--stats-only" in names else
                "look" if names & {"--head=2", "--tail=3"} else "find" if "--find=3..5" in names and not names & {"--output=out.%d", "--print=text"} else "sort")
    draw_values(rng, case, fields, given)
    draw_data(rng, case)
    if "--region=48:2256" in names:
        given["--region=48:2256"] = case.region
    if "--output=out.%d" in names:
        case.output = "out.%d" if names & {"--split=3", "--split-at=5"} else "out"
        given["--output=out.%d"] = case.output
    case.output = given.get("--into=into", case.output)
    put_together(rng, case, given)
    case.edges |= edges_of(case)
    return case


def draw_values(rng, case, fields, given):
    """Options whose values depend on the elements."""
    job, names = case.job, case.names
    if "--where=0:u64>4" in names:
        given["--where=0:u64>4"] = list(draw_where(rng, case, fields))
    if "--range=40:50" in names:
        given["--range=40:50"] = draw_range(rng, case)
    if "--part=1/2" in names:
        of = rng.choice([1, 2, 3, 7])
        job.part = rng.randrange(1, of + 1), of
        given["--part=1/2"] = "%d/%d" % job.part
    # A merge takes a range, which its row in option_pairs.py has alone.
    has_range = {"--merge", "--output=out.%d"} <= names and "--drop-header" not in case.names and job.verb == "sort" and not case.disorder and not names & {"--part=1/2", "--range=40:50"}
    if "--find=3..5" in names or has_range and rng.random() < 0.2:
        given["--find=3..5"] = draw_find(rng, case)
    if "--order-by=16:f64:desc" in names:
        given["--order-by=16:f64:desc"] = draw_order(rng, case, fields)
    if "--split-at=5" in names:
        given["--split-at=5"] = draw_limits(rng, case)
    job.split = int(given.get("--split=3", 0))
    job.top = next((int(given[name]) for name in ("--top=5", "--sample=5") if name in names), None)
    job.seed = int(given["--shuffle=7"]) if "--shuffle=7" in names else None
    job.argsort = 4 if "--argsort=u32" in names else 8 if "--argsort" in names else 0
    job.out_order = given.get("--out-order=big")
    if "--out=16:8,0:4" in names:
        given["--out=16:8,0:4"] = draw_out(rng, case, fields)
    if "--values=values:8=values.out" in names:
        given["--values=values:8=values.out"] = []
        for i in range(rng.choice([1, 1, 2])):
            bytes = rng.choice([1, 3, 4, 8, 16])
            values = [rng.randbytes(bytes) for file in job.files for _ in file]
            job.values.append(values)
            case.files[f"values{i}"] = b"".join(values)
            given["--values=values:8=values.out"].append(f"values{i}:{bytes}=values{i}.out")
    job.quantiles = given["--quantiles=0.5"].split(",") if "--quantiles=0.5" in names else []
    job.histogram = int(given.get("--histogram=3", 0))
    job.distinct, job.mode, job.variance = "--distinct" in names, "--mode" in names, "--variance" in names
    job.stats_of = []
    if "--stats-of=16:f64" in names:
        numbers = [field for field in [*fields, *job.keys] if not field.type.is_bytes] or [Field(0, "uint8")]
        job.stats_of = [field.alike() for field in rng.sample(numbers, rng.randrange(1, min(3, len(numbers)) + 1))]
        key = job.fields()[0]
        if names & set(RANKS) and all(field.text != key.text for field in job.stats_of):
            job.stats_of.append(key.alike())
        given["--stats-of=16:f64"] = [field.text for field in job.stats_of]
    if "--header=24" in names:
        given["--header=24"] = None  # known with the data
    case.head, case.tail = int(given.get("--head=2", 0)), int(given.get("--tail=3", 0))


def put_together(rng, case, given):
    """The options in any order, keys and conditions in theirs."""
    if "--header=24" in given:
        given["--header=24"] = str(len(case.header))
    if "--drop-header" in case.names:
        given["--drop-header"] = None
    order = sorted(given)
    rng.shuffle(order)
    sums = [name for name in order if VARIANTS[name].option == "--sum"]
    wide_first = [fold.is_wide for fold in case.job.folds if fold.how == "sum"]
    if len(sums) == 2 and sums[0].endswith(":wide") != wide_first[0]:  # wide sums and reports have the order of the options
        case.job.folds[:2] = reversed(case.job.folds[:2])
    for name in order:
        arguments = given[name] if isinstance(given[name], list) else [given[name]]
        for argument in arguments:
            option = VARIANTS[name].option
            case.options.append((name, option if argument is None else f"{option}={argument}"))
