# SPDX-License-Identifier: Apache-2.0
"""tactus.load() of scripts/tactus.py: each format gives the same values, times, units and types; what is missing or wrong
is said in words.

    load_test.py --tool WRITE_RECORDINGS --tactus TACTUS --source CHECKOUT [--without hdf5]

Without NumPy, what needs none is tested.
"""
import argparse
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import tracemalloc

arguments = argparse.ArgumentParser()
arguments.add_argument("--tool", required=True)
arguments.add_argument("--tactus", required=True)
arguments.add_argument("--source", required=True)
arguments.add_argument("--without", action="append", default=[])
options = arguments.parse_args()
sys.path.insert(0, os.path.join(options.source, "scripts"))
sys.dont_write_bytecode = True
os.environ["TACTUS"] = options.tactus
import tactus  # noqa: E402

try:
    import numpy
except ImportError:
    numpy = None
try:
    import pandas
except ImportError:
    pandas = None
ROWS, COLUMNS = 200, 44
CODES = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
         "int64": "q", "uint64": "Q", "float": "f", "double": "d"}
NUMPY = {"bool": "bool", "float": "float32", "double": "float64"}


def tool(*words):
    subprocess.run([options.tool, *map(str, words)], check=True, timeout=300)


def refused(call, text):
    try:
        call()
    except (tactus.RecordingError, KeyError) as error:
        assert text in str(error), f"{error!s} instead of {text}"
    else:
        raise AssertionError(f"not refused: {text}")


def same(a, b):
    return a == b or isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b)


def check(recording, head, records, trick):
    assert list(recording) == [each["name"] for each in head["columns"]], list(recording)
    assert recording.count == ROWS
    for i, each in enumerate(head["columns"], 1):
        name, values = each["name"], [record[i] for record in records]
        got = recording.values(name)
        assert all(same(a, b) and math.copysign(1, a) == math.copysign(1, b) or isinstance(a, float) and math.isnan(a)
                   for a, b in zip(values, got)), name
        unit = lambda text: "" if text == "1" else text  # noqa: E731
        assert unit(recording.unit[name]) == unit(each["unit"]), name
        if not trick:
            assert recording.about[name] == each.get("about", ""), name
            assert recording.labels[name] == each.get("labels", {}), name
        if numpy is not None:
            array = recording[name]
            assert array.dtype == numpy.dtype(NUMPY.get(each["type"], each["type"])), (name, array.dtype)
            assert numpy.array_equal(array, numpy.array(got, array.dtype), equal_nan=array.dtype.kind == "f"), name
    if not trick:
        assert recording.epoch == head["epoch"], recording.epoch
    if numpy is not None:
        assert recording.time_ns.dtype == numpy.int64
        assert recording.time_ns.tolist() == [record[0] for record in records]
        assert recording.time.tolist() == [record[0] / 1e9 for record in records]
        if pandas is not None:
            frame = recording.frame()
            assert list(frame.columns) == list(recording) and frame.index.name == "time"
            assert frame.attrs["units"] == recording.unit
        else:
            refused(recording.frame, "a frame needs pandas")
    else:
        refused(lambda: recording.time_ns, "arrays need NumPy")
        refused(lambda: recording[head["columns"][0]["name"]], "or take lists: recording.values(name)")


def check_parts(file, records):
    """Some columns, and a span."""
    whole = tactus.load(file)
    names = list(whole)
    some = tactus.load(file, columns=[names[3], names[1]])
    assert list(some) == [names[1], names[3]] and some.count == ROWS, some
    assert len(some._data) == 2, "what was not asked for is not held"
    for name in some:
        assert all(map(same, some.values(name), whole.values(name))), name
    assert list(tactus.load(file, columns="*")) == names
    assert list(tactus.load(file, columns=[])) == []
    stem = names[0][:-1]
    assert list(tactus.load(file, columns=stem + "?")) == [
        name for name in names if len(name) == len(stem) + 1 and name.startswith(stem)]
    refused(lambda: tactus.load(file, columns=[names[0], "no.such"]), "has no column 'no.such'; it has")
    refused(lambda: tactus.load(file, columns=names[0] + "x"), "; did you mean '")
    times = [record[0] for record in records]
    for begin, end in [(times[50], times[120]), (None, times[3]), (times[-1], None), (None, None), (times[7], times[7]),
                       (times[-1] + 1_000_000_000, None)]:
        seconds = [None if at is None else at / 1e9 for at in (begin, end)]
        part = tactus.load(file, columns=names[:2], span=seconds)
        inside = [i for i, time in enumerate(times) if (begin is None or time >= begin) and (end is None or time < end)]
        assert part.count == len(inside), (begin, end, part, len(inside))
        for name in part:
            values = whole.values(name)
            assert all(map(same, part.values(name), [values[i] for i in inside])), name
        if numpy is not None:
            assert part.time_ns.tolist() == [times[i] for i in inside]
    for span in [(2, 1), (1,), 3, (float("nan"), None), ("x", None), (float("inf"), None)]:
        refused(lambda: tactus.load(file, span=span), "is not a span of simulated time in seconds")


def link_back(file):
    """Moves the first list of data of an MDF file to its end, as another program may write it; the last one leads to it
    again, as damage may do it."""
    whole = bytearray(file.read_bytes())
    number = lambda at: struct.unpack_from("<q", whole, at)[0]  # noqa: E731
    start = number(64 + 24) + 24 + 16  # of the group: where its data begin
    first = last = number(start)
    while number(last + 24):
        last = number(last + 24)
    assert whole[first:first + 4] == b"##DL" and last != first
    whole += bytes(-len(whole) % 8)
    moved = len(whole)
    whole += whole[first:first + number(first + 8)]
    for at in (start, last + 24):
        struct.pack_into("<q", whole, at, moved)
    file.write_bytes(whole)


def check_memory(folder, form):
    """What is held while a file is read is hardly more than what is returned, of parts too."""
    big = folder / (form + "-big")
    big.mkdir()
    tool("write", big, form, 9, 60_000, 6)
    file, = [each for each in big.iterdir() if each.suffix in (".csv", ".mf4", ".mcap", ".trk", ".h5")]
    names = list(tactus.load(file, columns="*", span=(0, 0)))
    wide = [name for name in names if tactus.load(file, columns=name, span=(0, 0)).columns[name].type == "double"]
    tactus.load(file, span=(0, 0))  # what is imported, and made once
    for chosen, span in [(names, None), (wide or names, (0, None)), ([], None)]:
        tracemalloc.start()
        loaded = tactus.load(file, columns=chosen, span=span)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        returned = len(loaded._time[0]) + sum(len(data) for data in loaded._data.values())
        assert loaded.count > 0 and peak <= 1.2 * returned, f"{form}, {chosen}, {span}: {peak} bytes for {returned}"
        if numpy is not None and chosen:
            array = loaded[chosen[0]]
            assert numpy.shares_memory(array, loaded[chosen[0]]) and not array.flags.writeable


def main(folder):
    formats = ["csv", "mdf4", "mcap", "trk"]
    if "hdf5" not in options.without and numpy is not None:
        formats.append("hdf5")
    tool("expect", folder, "-", 9, ROWS, COLUMNS)
    head = json.loads((folder / "expected.json").read_text())
    code = struct.Struct("<q" + "".join(CODES[each["type"]] for each in head["columns"]))
    records = list(code.iter_unpack((folder / "expected.bin").read_bytes()))
    for form in formats:
        run = folder / form
        run.mkdir()
        tool("write", run, form, 9, ROWS, COLUMNS)
        (run / "rig.yaml").write_text("rig: x\n")
        loaded = tactus.load(run)
        assert list(loaded) == ["tape"], loaded
        check(loaded["tape"], head, records, form == "trk")
        file, = [each for each in run.iterdir() if each.suffix in (".csv", ".mf4", ".mcap", ".trk", ".h5")]
        check(tactus.load(str(file)), head, records, form == "trk")
        check_parts(file, records)
        parts = tactus.load(run, columns=["nothing.*"])
        refused(lambda: parts["tape"], "has no column 'nothing.*'")  # noqa: B023
        parts = tactus.load(run, columns=["nothing.*", head["columns"][2]["name"]])
        assert list(parts["tape"]) == [head["columns"][2]["name"]]
        check_memory(folder, form)
        if form == "hdf5":  # as without h5py
            sys.modules["h5py"] = None
            check(tactus.load(file), head, records, False)
            del sys.modules["h5py"]
        else:
            whole = file.read_bytes()
            if form == "mdf4":
                link_back(file)
                check(tactus.load(file), head, records, False)
            file.write_bytes(whole[:len(whole) * 2 // 3])
            cut = tactus.load(file)
            assert 0 < cut.count < ROWS, (form, cut)
            file.write_bytes(b"nonsense")
            refused(lambda: tactus.load(file), str(file))
        print(form, "is loaded")
    (folder / "t.csv").write_text("sys.exec.out.time {s},a {m},w {--},n {--}\n0,1,none,+9007199254740993\n0.1,nan,x,1\n")
    inferred = tactus.load(folder / "t.csv")
    assert [inferred.columns[name].type for name in inferred] == ["double", "int32", "int64"]
    assert inferred.labels["w"] == {"none": 0, "x": 1} and inferred.values("n") == [9007199254740993, 1]
    usual = tactus.Rows

    class Growing(usual):
        def reserve(self, count):
            with open(folder / "t.csv", "a") as added:  # by a rig that runs, after the rows were counted
                added.write("0.2,1,x,5\n" * 1000)
            super().reserve(count)
    tactus.Rows = Growing
    grown = tactus.load(folder / "t.csv")
    assert grown.count == 2 and grown.values("n") == [9007199254740993, 1], grown
    tactus.Rows = usual
    (folder / "g.csv").write_text("sys.exec.out.time {s},gear {--},cause {--}\n0,1,late\n1,3,7\n")
    (folder / "g.columns.json").write_text(json.dumps({"recording": "g", "columns": [
        {"name": "gear", "type": "int32", "labels": {"R": 1, "1": 3, "3": 5}},
        {"name": "cause", "type": "int32", "labels": {"late": 2}, "words": True}]}))
    gears = tactus.load(folder / "g.csv")
    assert gears.values("gear") == [1, 3], "a number of a value, which is also the name of another"
    assert gears.values("cause") == [2, 7] and gears.labels["gear"]["1"] == 3
    (folder / "s.csv").write_text("\ufeffsys.exec.out.time {s};a {m};w {--};n {--}\n0,1;-1,5e-3;1,2,3;7\n0.2;2.5;x;8\n",
                                  encoding="utf-8")
    commas = tactus.load(folder / "s.csv")
    assert commas.values("a") == [-1.5e-3, 2.5] and commas.labels["w"] == {"1,2,3": 0, "x": 1}, commas.values("a")
    assert tactus.load(folder / "s.csv", span=(0.1, 0.2)).count == 1
    reads, writes = os.pipe()
    os.close(reads)  # as head does that has seen enough
    listed = subprocess.run([sys.executable, os.path.join(options.source, "scripts", "tactus.py"), folder / "t.csv"],
                            stdout=writes, stderr=subprocess.PIPE, check=False)
    os.close(writes)
    assert (listed.returncode, listed.stderr) == (1, b""), listed
    (folder / "bad.csv").write_text("sys.exec.out.time {s},a {m}\n0,1\n0.1\n")
    refused(lambda: tactus.load(folder / "bad.csv"), "bad.csv:3: has 1 columns, the header has 2")
    refused(lambda: tactus.load(folder / "none"), "is not there")
    refused(lambda: tactus.load(folder / "expected.json"), "its name says no format")
    refused(lambda: inferred["b"], "has no column 'b'; it has a, w, n")
    (folder / "empty").mkdir()
    refused(lambda: tactus.load(folder / "empty"), "is not a run folder")


with tempfile.TemporaryDirectory(prefix="tactus-load-") as made:
    main(pathlib.Path(made))
