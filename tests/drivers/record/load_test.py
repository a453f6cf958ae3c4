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
        if form == "hdf5":  # as without h5py
            sys.modules["h5py"] = None
            check(tactus.load(file), head, records, False)
            del sys.modules["h5py"]
        else:
            whole = file.read_bytes()
            file.write_bytes(whole[:len(whole) * 2 // 3])
            cut = tactus.load(file)
            assert 0 < cut.count < ROWS, (form, cut)
            file.write_bytes(b"nonsense")
            refused(lambda: tactus.load(file), str(file))
        print(form, "is loaded")
    (folder / "t.csv").write_text("sys.exec.out.time {s},a {m},w {--},n {--}\n0,1,none,9007199254740993\n0.1,nan,x,1\n")
    inferred = tactus.load(folder / "t.csv")
    assert [inferred.columns[name].type for name in inferred] == ["double", "int32", "int64"]
    assert inferred.labels["w"] == {"none": 0, "x": 1} and inferred.values("n") == [9007199254740993, 1]
    (folder / "bad.csv").write_text("sys.exec.out.time {s},a {m}\n0,1\n0.1\n")
    refused(lambda: tactus.load(folder / "bad.csv"), "bad.csv:3: has 1 columns, the header has 2")
    refused(lambda: tactus.load(folder / "none"), "is not there")
    refused(lambda: tactus.load(folder / "expected.json"), "its name says no format")
    refused(lambda: inferred["b"], "has no column 'b'; it has a, w, n")
    (folder / "empty").mkdir()
    refused(lambda: tactus.load(folder / "empty"), "is not a run folder")


with tempfile.TemporaryDirectory(prefix="tactus-load-") as made:
    main(pathlib.Path(made))
