"""Compares FITS binary tables and LAS files with those of astropy and laspy, row by row. These
write the inputs of gsort and read its outputs; they are not part of the package."""

import os
import pathlib
import random
import re
import subprocess
import sys
import warnings

import numpy as np
import pytest

import libgsort as gs

fits = pytest.importorskip("astropy.io.fits")
laspy = pytest.importorskip("laspy")

SEED = 1000 * int(os.environ.get("GS_TEST_SEED", "0"), 0)
TABLES = int(os.environ.get("GSORT_TABLES", "60"))  # random ones of each format; 1000 take minutes
FITS_FORMS = {"B": "u1", "I": "i2", "J": "i4", "K": "i8", "E": "f4", "D": "f8", "A7": "S7", "L": "bool"}
LAS_FORMATS = range(11)


def order_of(rows, keys):
    """The stable order by keys: a name, or (name, True) if it falls. Floats have no NaNs here."""
    order = np.arange(len(rows))
    for name, falls in reversed(keys):
        column = np.asarray(rows[name])[order]
        ranks = np.unique(column, return_inverse=True)[1]
        order = order[np.argsort(-ranks if falls else ranks, kind="stable")]
    return order


# ---- the manual ----

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_manual(begin, where):
    """Runs the block of the manual that begins with `begin`, in `where`."""
    blocks = re.findall(r"```console\n(.*?)```", (ROOT / "tools/gsort/manual/formats.md").read_text(), re.DOTALL)
    (block,) = [block for block in blocks if block.startswith(begin)]
    programs = pathlib.Path(os.environ["LIBGSORT_LIBRARY"]).resolve().parents[1] / "bin"
    path = f"{programs}:{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "-eu", "-c", block], cwd=where, env={**os.environ, "PATH": path}, capture_output=True)
    assert done.returncode == 0 and done.stderr == b"", done.stderr


def test_the_commands_of_the_manual(tmp_path):
    time = np.random.default_rng(1).random(5000)
    pi = np.arange(5000, dtype="i2") % 1024
    columns = [fits.Column(name="TIME", format="D", array=time), fits.Column(name="PI", format="I", array=pi)]
    fits.HDUList([fits.PrimaryHDU(), fits.BinTableHDU.from_columns(columns)]).writeto(tmp_path / "events.fits")
    before = make_las(str(tmp_path / "cloud.las"), 1, 3, points=3000)
    run_manual("gsort events.fits", tmp_path)
    assert np.array_equal(fits.getdata(tmp_path / "sorted.fits")["TIME"], np.sort(time))
    assert np.array_equal(fits.getdata(tmp_path / "high.fits")["PI"], np.sort(pi[pi > 500])[::-1][:1000])
    assert np.array_equal(np.asarray(laspy.read(tmp_path / "sorted.las").gps_time), np.sort(before.gps_time))
    places = np.unique(np.stack([before.X, before.Y, before.Z]), axis=1)
    assert laspy.read(tmp_path / "once.las").header.point_count == places.shape[1]


def test_a_data_set_of_hdf5_is_a_region(tmp_path):
    h5py = pytest.importorskip("h5py")
    time = np.random.default_rng(2).random(4000)
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file["noise"] = np.zeros(777, dtype="u1")
        file["events/time"] = time
        file["behind"] = np.ones(99)
    run_manual("region=", tmp_path)
    assert np.array_equal(np.fromfile(tmp_path / "time.f64"), np.sort(time))


# ---- FITS ----


def make_fits(path, seed, rows=None):
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(0, 3000)) if rows is None else rows
    forms = [str(form) for form in draw.choice(list(FITS_FORMS), int(draw.integers(1, 8)))]
    columns = []
    for i, form in enumerate(forms):
        kind = FITS_FORMS[form]
        if form == "A7":
            values = np.array([b"%06d" % v for v in draw.integers(0, 999999, rows)], dtype="S7")
        elif kind == "bool":
            values = draw.integers(0, 2, rows).astype(bool)
        elif kind[0] == "f":
            values = draw.normal(size=rows).astype(kind)
        else:
            values = draw.integers(0, 100 if kind == "u1" else 30000, rows).astype(kind)
        columns.append(fits.Column(name=f"C{i}", format=form.replace("A7", "7A"), array=values))
    table = fits.BinTableHDU.from_columns(columns, name="EVENTS")
    table.header["HISTORY"] = "made by a test"
    more = fits.BinTableHDU.from_columns([fits.Column(name="GTI", format="D", array=np.arange(3.0))])
    image = fits.ImageHDU(np.arange(100, dtype=np.int16).reshape(10, 10))
    hdus = [fits.PrimaryHDU()] + ([image] if seed % 3 == 0 else []) + [table] + ([more] if seed % 2 else [])
    fits.HDUList(hdus).writeto(path, checksum=seed % 4 == 0, overwrite=True)
    return 2 if seed % 3 == 0 else 1


def same_but_table(before, after, hdu):
    assert len(before) == len(after)
    for i, (old, new) in enumerate(zip(before, after)):
        if i != hdu:
            assert old.header == new.header and np.array_equal(old.data, new.data)
    ours = {"NAXIS2", "CHECKSUM", "DATASUM"}
    old, new = before[hdu].header, after[hdu].header
    assert [str(card) for card in old.cards if card.keyword not in ours] == [
        str(card) for card in new.cards if card.keyword not in ours and str(card).strip()
    ]
    assert new.get("CHECKSUM") is None and new.get("DATASUM") is None


@pytest.mark.parametrize("seed", range(SEED, SEED + TABLES))
def test_a_fits_table_is_as_astropy_would_order_it(tmp_path, seed):
    source, target = str(tmp_path / "in.fits"), str(tmp_path / "out.fits")
    hdu = make_fits(source, seed)
    with fits.open(source) as before:
        rows = np.array(before[hdu].data)
        names = list(before[hdu].columns.names)
    draw = random.Random(seed)
    keys = [(name, draw.random() < 0.3) for name in draw.sample(names, min(2, len(names)))]
    keys = [(name, falls) for name, falls in keys if rows[name].dtype != bool] or [(names[0], False)]
    gs.sort_file(source, target, key=[name + (":desc" if falls else "") for name, falls in keys])
    if rows[keys[0][0]].dtype == bool:  # T, and 0 or F, as bytes
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # astropy warns of what is cut short
        with fits.open(source, checksum=False) as before, fits.open(target, checksum=True) as after:
            assert os.path.getsize(target) % 2880 == 0
            same_but_table(before, after, hdu)
            assert np.array_equal(np.array(after[hdu].data), rows[order_of(rows, keys)])


def test_fewer_rows_are_in_the_header_and_padded(tmp_path):
    source, target = str(tmp_path / "in.fits"), str(tmp_path / "out.fits")
    values = np.arange(5000, dtype="i4")[::-1] // 3
    table = fits.BinTableHDU.from_columns([fits.Column(name="PHA", format="J", array=values)])
    fits.HDUList([fits.PrimaryHDU(), table, fits.ImageHDU(np.ones((3, 3)))]).writeto(source)
    for options, wanted in (
        ({"unique": True}, np.unique(values)),
        ({"top": 7}, np.sort(values)[:7]),
        ({"where": "pha<100"}, np.sort(values[values < 100])),  # names have no case
        ({"where": "PHA<0"}, values[:0]),
    ):
        gs.sort_file(source, target, key="PHA", verify="read", **options)
        with fits.open(target) as after:
            assert after[1].header["NAXIS2"] == len(wanted)
            assert np.array_equal(after[1].data["PHA"], wanted) if len(wanted) else len(after[1].data) == 0
            assert np.array_equal(after[2].data, np.ones((3, 3)))
        assert os.path.getsize(target) % 2880 == 0


def test_arrays_in_the_heap_go_along_or_are_refused(tmp_path):
    source, target = str(tmp_path / "in.fits"), str(tmp_path / "out.fits")
    arrays = np.array([np.arange(i % 5, dtype="i4") for i in range(100)], dtype=object)
    keys = np.arange(100, dtype="i4")[::-1].copy()
    columns = [fits.Column(name="N", format="J", array=keys), fits.Column(name="V", format="PJ()", array=arrays)]
    fits.HDUList([fits.PrimaryHDU(), fits.BinTableHDU.from_columns(columns)]).writeto(source)
    gs.sort_file(source, target, key="N")
    with fits.open(target) as after:
        assert np.array_equal(after[1].data["N"], np.arange(100))
        for i in range(100):
            assert np.array_equal(after[1].data["V"][i], np.arange((99 - i) % 5))
    with pytest.raises(gs.Error, match="heap"):
        gs.sort_file(source, target, key="N", top=5)


def test_a_table_after_random_groups_is_found(tmp_path):
    source, target = str(tmp_path / "in.fits"), str(tmp_path / "out.fits")
    visibilities = np.arange(1000, dtype="f4").reshape(500, 2)
    parameters = [np.arange(500, dtype="f4")] * 3
    groups = fits.GroupsHDU(fits.GroupData(visibilities, parnames=["U", "V", "W"], pardata=parameters, bitpix=-32))
    keys = np.random.default_rng(4).permutation(700).astype("i4")
    fits.HDUList([groups, fits.BinTableHDU.from_columns([fits.Column(name="N", format="J", array=keys)])]).writeto(source)
    gs.sort_file(source, target, key="N")
    with fits.open(target) as after:
        assert np.array_equal(after[1].data["N"], np.arange(700))
        assert np.array_equal(after[0].data.par("V"), parameters[0])


def test_bits_take_whole_bytes(tmp_path):
    source, target = str(tmp_path / "in.fits"), str(tmp_path / "out.fits")
    draw = np.random.default_rng(5)
    keys, bits = draw.permutation(400).astype("i4"), draw.integers(0, 2, (400, 12)).astype(bool)
    columns = [fits.Column(name="B", format="12X", array=bits), fits.Column(name="N", format="J", array=keys)]
    fits.HDUList([fits.PrimaryHDU(), fits.BinTableHDU.from_columns(columns)]).writeto(source)
    gs.sort_file(source, target, key="N")
    with fits.open(target) as after:
        assert np.array_equal(after[1].data["N"], np.arange(400))
        assert np.array_equal(after[1].data["B"], bits[np.argsort(keys)])


def test_unsigned_columns_have_their_order_but_no_values(tmp_path):
    source, target = str(tmp_path / "in.fits"), str(tmp_path / "out.fits")
    values = np.random.default_rng(3).integers(0, 65536, 1000).astype("u2")
    table = fits.BinTableHDU.from_columns([fits.Column(name="U", format="I", bzero=32768, array=values)])
    fits.HDUList([fits.PrimaryHDU(), table]).writeto(source)
    gs.sort_file(source, target, key="U")
    with fits.open(target) as after:
        assert np.array_equal(after[1].data["U"], np.sort(values))
    with pytest.raises(gs.Error, match="stored with a scale or an offset"):
        gs.sort_file(source, target, key="U", where="U>100")


def test_two_fits_files_become_one(tmp_path):
    names = [str(tmp_path / f"{i}.fits") for i in range(2)]
    for i, name in enumerate(names):
        table = fits.BinTableHDU.from_columns([fits.Column(name="A", format="K", array=np.arange(i, 2000, 2))])
        fits.HDUList([fits.PrimaryHDU(), table]).writeto(name)
    for job in (gs.sort_file, gs.merge):
        job(names, str(tmp_path / "out.fits"), key="A")
        with fits.open(tmp_path / "out.fits") as after:
            assert np.array_equal(after[1].data["A"], np.arange(2000))


def test_fits_that_is_packed_or_odd_is_refused(tmp_path):
    source, target = tmp_path / "in.fits", str(tmp_path / "out.fits")
    fits.HDUList([fits.PrimaryHDU(), fits.CompImageHDU(np.zeros((64, 64), dtype="i4"))]).writeto(source)
    with pytest.raises(gs.Error, match="compressed"):
        gs.sort_file(str(source), target)
    fits.HDUList([fits.PrimaryHDU(np.zeros((4, 4)))]).writeto(source, overwrite=True)
    with pytest.raises(gs.Error, match="no binary table"):
        gs.sort_file(str(source), target)
    make_fits(str(source), 1, rows=100)
    for wrong in ("pipe", "argsort"):
        options = {"argsort": True} if wrong == "argsort" else {"key": "C0", "zstd": 1}
        with pytest.raises(gs.Error, match="drop_header"):
            gs.sort_file(str(source), target, **options)
    assert not os.path.exists(target)


# ---- LAS ----


def make_las(path, seed, point_format, points=None):
    draw = np.random.default_rng(seed)
    version = "1.4" if point_format > 5 or seed % 2 else "1.3" if point_format > 3 else "1.2"
    header = laspy.LasHeader(point_format=point_format, version=version)
    header.scales, header.offsets = np.array([0.01, 0.01, 0.001]), np.array([1000.0, -20.0, 3.5])
    if seed % 3 == 0:
        header.add_extra_dim(laspy.ExtraBytesParams(name="height", type=np.float32))
        header.add_extra_dim(laspy.ExtraBytesParams(name="label", type=np.uint16))
    las = laspy.LasData(header)
    n = int(draw.integers(1, 3000)) if points is None else points
    las.points = laspy.ScaleAwarePointRecord.zeros(n, header=header)
    for name in ("X", "Y", "Z"):
        las[name] = draw.integers(-5000, 5000, n).astype("i4")
    las.intensity = draw.integers(0, 65536, n).astype("u2")
    las.return_number = draw.integers(1, 6, n).astype("u1")
    las.number_of_returns = np.full(n, 5, dtype="u1")
    las.classification = draw.integers(0, 32, n).astype("u1")
    if "gps_time" in las.point_format.dimension_names:
        las.gps_time = draw.normal(size=n) * 1e6
    if seed % 3 == 0:
        las["height"] = draw.normal(size=n).astype("f4")
        las["label"] = draw.integers(0, 9, n).astype("u2")
    las.write(path)
    return laspy.read(path)


def same_header(before, after):
    """Compares the counts in the header with those that laspy computes from the points."""
    points, header = after.points, after.header
    assert header.point_count == len(points)
    if len(points):
        for i, name in enumerate("XYZ"):
            raw = np.asarray(points[name])
            assert header.maxs[i] == raw.max() * header.scales[i] + header.offsets[i]
            assert header.mins[i] == raw.min() * header.scales[i] + header.offsets[i]
    returns = np.asarray(points["return_number"])
    count = len(header.number_of_points_by_return)
    assert list(header.number_of_points_by_return) == [int((returns == r).sum()) for r in range(1, count + 1)]
    assert [v.record_data_bytes() for v in header.vlrs] == [v.record_data_bytes() for v in before.header.vlrs]
    assert header.version == before.header.version


@pytest.mark.parametrize("seed", range(SEED, SEED + TABLES))
def test_las_points_are_as_laspy_would_order_them(tmp_path, seed):
    source, target = str(tmp_path / "in.las"), str(tmp_path / "out.las")
    point_format = seed % 11
    before = make_las(source, seed, point_format)
    names = ["X", "Y", "Z", "intensity", "point_source_id"]
    names += ["gps_time"] if "gps_time" in before.point_format.dimension_names else []
    names += ["classification"] if point_format > 5 else []
    names += ["height", "label"] if seed % 3 == 0 else []
    draw = random.Random(seed)
    keys = [(name, draw.random() < 0.3) for name in draw.sample(names, 2)]
    gs.sort_file(source, target, key=[name + (":desc" if falls else "") for name, falls in keys], memory="10M")
    after = laspy.read(target)
    wanted = before.points.array[order_of(before.points.array, keys)]
    assert np.array_equal(after.points.array, wanted)
    same_header(before, after)


@pytest.mark.parametrize("point_format", LAS_FORMATS)
def test_dropped_points_are_not_in_the_header(tmp_path, point_format):
    source, target = str(tmp_path / "in.las"), str(tmp_path / "out.las")
    before = make_las(source, 7, point_format, points=2000)
    x = np.asarray(before.X)
    for options, wanted in (
        ({"where": "X<-1000"}, np.sort(x[x < -1000])),
        ({"top": 9}, np.sort(x)[:9]),
        ({"unique": True}, np.unique(x)),
        ({"where": "X>9999"}, x[:0]),
    ):
        gs.sort_file(source, target, key="X", verify="read", **options)
        after = laspy.read(target)
        assert np.array_equal(np.asarray(after.X), wanted)
        same_header(before, after)


def test_evlrs_are_kept_where_points_end(tmp_path):
    source, target = str(tmp_path / "in.las"), str(tmp_path / "out.las")
    before = make_las(source, 5, 6, points=1000)
    before.evlrs = laspy.vlrs.vlrlist.VLRList([laspy.VLR("gsort", 7, "a test", b"what is behind the points" * 5000)])
    before.write(source)
    for options in ({}, {"top": 10}):
        gs.sort_file(source, target, key="gps_time", verify="read", **options)
        after = laspy.read(target)
        assert [e.record_data_bytes() for e in after.evlrs] == [b"what is behind the points" * 5000]
        same_header(before, after)
    make_las(str(tmp_path / "b.las"), 5, 6, points=10)
    with pytest.raises(gs.Error, match="more data after its elements"):
        gs.sort_file([str(tmp_path / "b.las"), source], target, key="X")


def test_arrays_of_extra_bytes_have_their_length(tmp_path):
    source, target = str(tmp_path / "in.las"), str(tmp_path / "out.las")
    header = laspy.LasHeader(point_format=3, version="1.4")
    for name, kind in (("pair", "2f8"), ("triple", "3f8"), ("label", "u4")):
        header.add_extra_dim(laspy.ExtraBytesParams(name=name, type=kind))
    las = laspy.LasData(header)
    las.points = laspy.ScaleAwarePointRecord.zeros(300, header=header)
    labels = np.random.default_rng(6).permutation(300).astype("u4")
    las["label"], las["pair"], las["triple"] = labels, np.stack([labels] * 2, 1), np.stack([labels] * 3, 1)
    las.write(source)
    gs.sort_file(source, target, key="label")
    after = laspy.read(target)
    assert np.array_equal(after["label"], np.arange(300))
    assert np.array_equal(after["pair"][:, 1], np.arange(300.0)) and np.array_equal(after["triple"][:, 2], np.arange(300.0))


def test_bits_of_a_byte_are_no_key(tmp_path):
    source, target = str(tmp_path / "in.las"), str(tmp_path / "out.las")
    make_las(source, 1, 3)
    for name in ("classification", "return_number"):
        with pytest.raises(gs.Error, match=f"'{name}' is not a number that gsort can sort by"):
            gs.sort_file(source, target, key=name)
    make_las(source, 2, 0)
    with pytest.raises(gs.Error, match="no field 'gps_time'"):
        gs.sort_file(source, target, key="gps_time")


def test_las_that_is_packed_cut_or_piped_is_refused(tmp_path):
    source, target = str(tmp_path / "in.las"), str(tmp_path / "out.las")
    make_las(source, 1, 3)
    data = bytearray(pathlib.Path(source).read_bytes())
    data[104] |= 128
    pathlib.Path(source).write_bytes(data)
    with pytest.raises(gs.Error, match="LAZ, which is compressed"):
        gs.sort_file(source, target)
    data[104] &= 127
    pathlib.Path(source).write_bytes(data[:-1])
    with pytest.raises(gs.Error, match="bytes follow its header"):
        gs.sort_file(source, target)
    assert not os.path.exists(target)


def test_two_las_files_need_the_same_scales(tmp_path):
    names = [str(tmp_path / f"{i}.las") for i in range(2)]
    both = [make_las(name, seed, 3, points=500) for name, seed in zip(names, (2, 4))]
    gs.sort_file(names, str(tmp_path / "out.las"), key="Z")
    after = laspy.read(tmp_path / "out.las")
    assert np.array_equal(np.asarray(after.Z), np.sort(np.concatenate([np.asarray(b.Z) for b in both])))
    same_header(both[0], after)
    data = bytearray(pathlib.Path(names[1]).read_bytes())
    data[131:139] = np.float64(0.5).tobytes()
    pathlib.Path(names[1]).write_bytes(data)
    with pytest.raises(gs.Error, match="scales, offsets or units"):
        gs.sort_file(names, str(tmp_path / "out.las"), key="Z")
