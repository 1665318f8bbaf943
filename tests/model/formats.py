"""formats.py: files whose headers describe the elements: .npy, FITS tables and LAS points.

Headers are written as the documents of each format say. `Npy`, `Fits` and `Las` belong to one job of records. Their file() makes
an input. Their output() makes the whole output, except for .npy, whose header judge.py reads.
"""
import ast
import struct

from elements import Field, type_of

# Options that go with no header in the files.
WITHOUT_FORMAT = {"--header=24", "--drop-header", "--region=48:2256", "--raw", "--drop-tail"}
# A job with one of these writes nothing, or text.
WITHOUT_OUTPUT = {"--check", "--check=quiet", "--head=2", "--tail=3", "--stats-only", "--print=text", "--print=json", "--print=header", "--print=csv"}
# FITS and LAS files have no place for the results of these.
NOT_IN_TABLES = {"--argsort", "--argsort=u32", "--out=16:8,0:4", "--count", "--sum=8:u64:wide", "--order-by=16:f64:desc", "--split=3", "--split-at=5", "--into=into",
                 "--values=values:8=values.out", "--resume=kept", "--zstd", "--part=1/2"}


def writes(names):
    return not names & WITHOUT_OUTPUT and ("--find=3..5" not in names or "--output=out.%d" in names)


def counts_first(names):
    """Returns whether gsort learns the number of elements only after the header, which it cannot write again."""
    is_written_once = "--output=out.%d" not in names or "--zstd" in names
    return is_written_once and bool(names & {"--unique", "--merge=intersect", "--split-at=5"} or {"--merge", "--where=0:u64>4"} <= names)


def may_drop(names):
    return writes(names) and "--find=3..5" not in names


def must_drop(kind, names):
    """Returns whether the output cannot have a header."""
    if not writes(names):
        return False
    if kind in ("npy", "rows"):
        return counts_first(names) or bool(names & {"--sum=8:u64:wide", "--part=1/2"})
    return bool(names & NOT_IN_TABLES) or "--output=out.%d" not in names


def kinds(names):
    """The formats that the files of a job of records may have."""
    if names & WITHOUT_FORMAT or "--key=16:f64" not in names and names & {"--quantiles=0.5", "--histogram=3", "--distinct", "--mode", "--variance"}:
        return []
    fitting = [kind for kind in ("npy", "npy", "rows", "fits", "las") if may_drop(names) or not must_drop(kind, names)]
    if not writes(names) and names & NOT_IN_TABLES:  # --print with what tables have no place for
        fitting = [kind for kind in fitting if kind in ("npy", "rows") and "--sum=8:u64:wide" not in names]
    return fitting


def needs_file(kind, names):
    """Returns whether the output can have a header because it is a file."""
    return writes(names) and must_drop(kind, names) and not must_drop(kind, names | {"--output=out.%d"})


def places(record, fields):
    """Fields in the order of their places, with gaps of so many bytes."""
    at = 0
    for field in sorted(fields, key=lambda field: field.off):
        if field.off > at:
            yield at, field.off - at
        yield field
        at = field.end
    if at < record:
        yield at, record - at


# ---- .npy ----

NPY_LETTERS = {"uint8": "|u1", "int8": "|i1", "f16": "f2", "f32": "f4", "f64": "f8", "u16": "u2", "u32": "u4", "u64": "u8", "i16": "i2", "i32": "i4", "i64": "i8"}


def npy_descr(name, order=None):
    """How a .npy header names the type; None: it has no name for it."""
    kind = type_of(name)
    letters = NPY_LETTERS.get(kind.base)
    if kind.is_time:
        letters = f"M8[{kind.unit}]" if kind.unit else "m8[25s]"
    return letters and (letters if letters[0] == "|" else (">" if (order or kind.order) == "big" else "<") + letters)


def npy_header(descr, count, columns=0, version=1):
    shape = f"({count}, {columns})" if columns else f"({count},)"
    text = f"{{'descr': {descr!r}, 'fortran_order': False, 'shape': {shape}, }}".encode("utf-8" if version == 3 else "latin-1")
    text += b" " * (-(len(text) + 13) % 64) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text


def read_npy(data):
    """(the header's dictionary, its bytes); None: there is none."""
    if data[:6] != b"\x93NUMPY" or data[6] not in (1, 2, 3):
        return None
    begin = 10 if data[6] == 1 else 12
    bytes = begin + int.from_bytes(data[8:begin], "little")
    try:
        return ast.literal_eval(data[begin:bytes].decode("utf-8" if data[6] == 3 else "latin-1")), bytes
    except (ValueError, SyntaxError):
        return None


class Npy:
    """A structured array, or the rows of a table."""

    def __init__(self, rng, record, fields, has_all_keys):
        self.columns, self.descr, self.version = 0, [], rng.choice([1, 1, 1, 2, 3])
        self.descrs = {}  # of fields, by their text
        for i, place in enumerate(places(record, fields)):
            if isinstance(place, tuple):
                if place[1] > 1 and not has_all_keys and rng.random() < 0.3:
                    self.descr.append((f"array{i}", "|u1", (place[1],)))  # no key
                    continue
                is_named = rng.random() < 0.3 and len(fields) < 60
                self.descr.append((f"gap{i}" if is_named else "", f"|V{place[1]}"))
                if is_named:
                    fields.append(Field(place[0], f"b{place[1]}").named(f"gap{i}"))
                continue
            name, descr = f"{rng.choice(['price', 'at', 'N', 'unité', '7'])}{i}", self.descr_of(rng, place)
            if descr is None:  # the header has bytes for it
                descr = f"|V{place.type.bytes}"
                if has_all_keys:
                    fields[fields.index(place)] = Field(place.off, f"b{place.type.bytes}").named(name)
            elif has_all_keys or rng.random() < 0.8:
                place.named(name)
            self.descr.append((name, descr))
        self.nest(rng, fields)
        for name, descr in self.members("", self.descr):
            self.descrs[name] = descr

    def descr_of(self, rng, field):
        if field.type.is_bytes:
            return f"|{rng.choice('SV')}{field.type.bytes}"
        return "|b1" if field.type.name == "uint8" and rng.random() < 0.3 else npy_descr(field.type.name)

    def nest(self, rng, fields):
        """Makes some members a structure of its own, which is one member."""
        if len(self.descr) < 2 or rng.random() < 0.6:
            return
        first = rng.randrange(len(self.descr))
        last = rng.randrange(first + 1, len(self.descr) + 1)
        inner = self.descr[first:last]
        for field in fields:
            if any(member[0] and field.text == member[0] for member in inner):
                field.named(f"in.{field.text}")
        self.descr[first:last] = [("in", inner)]

    def members(self, prefix, descr):
        for name, inner, *_ in descr:
            if isinstance(inner, list):
                yield from self.members(f"{prefix}{name}.", inner)
            elif name:
                yield prefix + name, inner

    def file(self, elements, _is_first):
        return npy_header(self.descr, len(elements), self.columns, self.version) + b"".join(elements)

    def field_descr(self, text):
        """What --out makes of a field: bytes, if it is given by its place; an integer, if it is a time."""
        letters = self.descrs.get(text, "|V" + text.rpartition(":")[2])
        return letters if letters[1] not in "mM" else letters[0] + "i8"

    def output_descr(self, job):
        """(descr, columns) of the output."""
        descr, columns = self.descr, self.columns
        if job.argsort:
            descr, columns = f"<u{job.argsort}", 0
        elif job.out:
            descr, columns = [(text, self.field_descr(text)) for text in job.out_texts], 0
        if job.count and not isinstance(descr, list):
            descr = [("value", descr, (columns,)) if columns else ("value", descr)]
        return (descr + [("count", "<u8")], 0) if job.count else (descr, columns)


class Rows(Npy):
    """A table of numbers of one type. Its columns have numbers as names."""

    def __init__(self, rng, record, fields, has_all_keys):
        fields.sort(key=lambda field: field.off)
        self.descr, self.columns, self.version = npy_descr(fields[0].type.name), len(fields), rng.choice([1, 2, 3])
        self.descrs = {str(i): self.descr for i in range(len(fields))}
        for i, field in enumerate(fields):
            if has_all_keys or rng.random() < 0.8:
                field.named(str(i))


def lay_out_rows(rng, job, most):
    name = rng.choice([name for name in ("uint8", "i16", "f32", "f64be", "u64", "i32be", "f16") if type_of(name).bytes <= most])
    columns = rng.choice([2, 2, 3, 5, 20])
    bytes = type_of(name).bytes
    job.record = columns * bytes
    return [Field(i * bytes, name) for i in range(columns)]


# ---- FITS ----

FITS_FORMS = {"uint8": "B", "i16be": "I", "i32be": "J", "i64be": "K", "f32be": "E", "f64be": "D"}
BLOCK = 2880


def fits_header(cards):
    text = "".join(card.ljust(80) for card in (*cards, "END"))
    return text.ljust(-(-len(text) // BLOCK) * BLOCK).encode("ascii")


def card(key, value, comment=""):
    return f"{key:8}= {value:>20}" + (f" / {comment}" if comment else "")


def string_card(key, value, comment=""):
    return f"{key:8}= '{value:8}'".ljust(30) + (f" / {comment}" if comment else "")


class Fits:
    """A table between other HDUs."""

    def __init__(self, rng, record, fields, has_all_keys):
        self.record, self.columns = record, []
        for i, place in enumerate(places(record, fields)):
            if isinstance(place, tuple):  # bits or letters are keys as well
                form = f"{8 * place[1] - rng.randrange(8)}X" if rng.random() < 0.5 else f"{place[1]}A"
                name = f"GAP{i}" if rng.random() < 0.5 else ""
                fields.append(Field(place[0], f"b{place[1]}").named(name or f"col{i + 1}"))
            else:
                name = f"{rng.choice(['TIME', 'PI', 'flux'])}_{i}"
                form = f"{place.type.bytes}A" if place.type.is_bytes else rng.choice(["", "1"]) + FITS_FORMS[place.type.name]
                if has_all_keys or rng.random() < 0.8:
                    place.named(name if has_all_keys or rng.random() < 0.7 else name.swapcase())  # names have no case
            self.columns.append((name, form))
        self.has_sums = rng.random() < 0.5
        self.comment = rng.choice(["", "of the table"])
        self.before = fits_header([card("SIMPLE", "T"), card("BITPIX", 8), card("NAXIS", 0)])
        if rng.random() < 0.4:
            self.before += fits_header([string_card("XTENSION", "IMAGE"), card("BITPIX", -32), card("NAXIS", 2), card("NAXIS1", 10), card("NAXIS2", 80),
                                        card("PCOUNT", 0), card("GCOUNT", 1)]) + rng.randbytes(3200).ljust(2 * BLOCK, b"\0")
        self.rest = b"" if rng.random() < 0.5 else fits_header([string_card("XTENSION", "IMAGE"), card("BITPIX", 8), card("NAXIS", 0), card("PCOUNT", 0), card("GCOUNT", 1)])

    def header(self, count, is_output):
        cards = [string_card("XTENSION", "BINTABLE", "a table"), card("BITPIX", 8), card("NAXIS", 2), card("NAXIS1", self.record),
                 card("NAXIS2", count, self.comment), card("PCOUNT", 0), card("GCOUNT", 1), card("TFIELDS", len(self.columns))]
        if self.has_sums:
            cards += ["", ""] if is_output else [string_card("CHECKSUM", "abcdefgh"), string_card("DATASUM", "123", self.comment)]
        for i, (name, form) in enumerate(self.columns, 1):
            cards += [string_card(f"TTYPE{i}", name, self.comment)] if name else []
            cards.append(string_card(f"TFORM{i}", form))
        return self.before + fits_header([*cards, "HISTORY drawn at random"])

    def whole(self, elements, rest, is_output):
        rows = b"".join(elements)
        return self.header(len(elements), is_output) + rows + bytes(-len(rows) % BLOCK) + rest

    def file(self, elements, is_first):
        return self.whole(elements, self.rest if is_first else b"", False)

    def output(self, elements):
        return self.whole(elements, self.rest, True)


# ---- LAS ----

BEGIN_0 = "X:i32 Y:i32 Z:i32 intensity:u16 -:uint8 -:uint8 scan_angle_rank:int8 user_data:uint8 point_source_id:u16"
BEGIN_6 = "X:i32 Y:i32 Z:i32 intensity:u16 -:uint8 -:uint8 classification:uint8 user_data:uint8 scan_angle:i16 point_source_id:u16 gps_time:f64"
TIME, COLORS, NEAR = " gps_time:f64", " red:u16 green:u16 blue:u16", " nir:u16"
WAVES = " wavepacket_index:uint8 wavepacket_offset:u64 wavepacket_size:u32 return_point_wave_location:f32 x_t:f32 y_t:f32 z_t:f32"
POINTS = [BEGIN_0, BEGIN_0 + TIME, BEGIN_0 + COLORS, BEGIN_0 + TIME + COLORS, BEGIN_0 + TIME + WAVES, BEGIN_0 + TIME + COLORS + WAVES,
          BEGIN_6, BEGIN_6 + COLORS, BEGIN_6 + COLORS + NEAR, BEGIN_6 + WAVES, BEGIN_6 + COLORS + NEAR + WAVES]
EXTRA_TYPES = ["uint8", "int8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"]  # from 1 on


def vlr(user, number, data):
    return struct.pack("<H16sHH32s", 0, user, number, len(data), b"") + data


class Las:
    """Points of a format, with extra bytes now and then."""

    def __init__(self, rng, job):
        self.format = rng.randrange(11)
        self.minor = rng.randrange(4 if self.format > 5 else 3 if self.format > 3 else 2 if self.format > 1 else 0, 5)
        self.fields, entries = [], b""
        at = 0
        for name, kind in (pair.split(":") for pair in POINTS[self.format].split()):
            if name != "-":
                self.fields.append(Field(at, kind).named(name))
            at += type_of(kind).bytes
        for i in range(rng.choice([0, 0, 1, 3])):
            kind = rng.choice(EXTRA_TYPES)
            self.fields.append(Field(at, kind).named(f"extra {i}"))
            entries += struct.pack("<HBB32s156s", 0, EXTRA_TYPES.index(kind) + 1, 0, f"extra {i}".encode(), b"")
            at += type_of(kind).bytes
        self.vlrs = [vlr(b"some program", 7, rng.randbytes(rng.randrange(50)))] * rng.randrange(3)
        self.vlrs += [vlr(b"LASF_Spec", 4, entries)] if entries else []
        self.point_bytes = at + rng.choice([0, 0, 3])
        job.record = self.point_bytes
        self.gap = rng.randbytes(rng.choice([0, 2]))
        self.scales, self.offsets = [rng.choice([0.01, 0.001, 1.0]) for _ in range(3)], [rng.choice([0.0, -20.5, 1e6]) for _ in range(3)]
        self.guid = rng.randbytes(16)
        self.rest = rng.choice([b"", b"an EVLR, or what is one" * 30])

    def header(self, points, has_facts):
        bytes = 375 if self.minor == 4 else 235 if self.minor == 3 else 227
        vlrs = b"".join(self.vlrs) + self.gap
        is_old, begin = self.format < 6, bytes + len(vlrs)
        end = begin + len(points) * self.point_bytes
        mask = 7 if is_old else 15
        returns = [sum(point[14] & mask == i for point in points) for i in range(1, 16)] if has_facts else [9] * 15
        head = b"LASF" + struct.pack("<HH16sBB32s32sHHHIIBHI", 1, 0, self.guid, 1, self.minor, b"", b"", 1, 2026, bytes, begin, len(self.vlrs), self.format,
                                  self.point_bytes, len(points) if is_old else 0)
        head += struct.pack("<5I", *(returns[:5] if is_old else [0] * 5)) + struct.pack("<6d", *self.scales, *self.offsets)
        for i in range(3):
            values = [struct.unpack_from("<i", point, 4 * i)[0] for point in points]
            bounds = [bound * self.scales[i] + self.offsets[i] for bound in (max(values), min(values))] if values else [0.0, 0.0]
            head += struct.pack("<2d", *(bounds if has_facts else [1.0, 2.0]))
        if self.minor >= 3:
            head += struct.pack("<Q", end + 2 if self.rest and self.format in (4, 5, 9, 10) else 0)
        if self.minor >= 4:
            head += struct.pack("<QIQ15Q", end if self.rest else 0, 1 if self.rest else 0, len(points), *returns)
        return head + vlrs

    def file(self, elements, is_first):
        return self.header(elements, False) + b"".join(elements) + (self.rest if is_first else b"")

    def output(self, elements):
        return self.header(elements, True) + b"".join(elements) + self.rest


FORMS = {"npy": Npy, "rows": Rows, "fits": Fits}
