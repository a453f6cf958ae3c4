#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads the recordings of a run, or one of them, with names, units and descriptions. Python 3.9 or newer; NumPy for
arrays, pandas for frames, h5py for HDF5 (without it, the command `tactus convert`), each only where it is asked for.

    import sys; sys.path.insert(0, "scripts")            # of a checkout
    import tactus
    run = tactus.load("runs/servo-20260101-120000")      # all its recordings; or one: "out/motion.mf4"
    motion = run["motion"]
    motion.time                                          # seconds, float64; motion.time_ns: int64, exact
    motion["motor.speed"]                                # a NumPy array of the variable's own type
    motion.unit["motor.speed"], motion.about["motor.speed"], motion.labels["motor.mode"]
    frame = motion.frame()                               # pandas: index time in seconds; frame.attrs["units"]

Formats: .csv, .mf4, .mcap, .trk and .h5 that tactus wrote; of Trick .csv and .trk. A file that a kill cut off is
read as far as it is whole.

    scripts/tactus.py PATH                               lists what is there
"""
from __future__ import annotations

import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

_CODES = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
          "int64": "q", "uint64": "Q", "float": "f", "double": "d"}
_TIME = "sys.exec.out.time"


class RecordingError(Exception):
    """A file is not a recording, or one that cannot be read: which, and why."""


class Column(NamedTuple):
    """A column of a recording; `offset`: of its value in a row."""
    name: str
    type: str
    unit: str
    about: str
    labels: dict[str, int]
    offset: int


class Recording(Mapping):
    """Columns by their names, in the order of the file: arrays of NumPy. `time_ns` and `time` belong to the rows."""

    def __init__(self, name: str, epoch: str, columns: list[Column], row: int, rows: bytes,
                 time: tuple[int, str] = (0, "q")) -> None:
        self.name, self.epoch = name, epoch  # epoch: the date of time 0, ISO 8601; "" where the file has none
        self.columns = {column.name: column for column in columns}
        self.unit = {column.name: column.unit for column in columns}
        self.about = {column.name: column.about for column in columns}
        self.labels = {column.name: column.labels for column in columns}
        self._row, self._rows, self._time = row, rows, time
        self.count = len(rows) // row if row else 0

    def __getitem__(self, name: str) -> Any:
        if name not in self.columns:
            raise KeyError(f"{self.name} has no column {name!r}; it has {', '.join(self.columns) or 'none'}")
        column = self.columns[name]
        return self._array(column.offset, _CODES[column.type])

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"<recording {self.name}: {self.count} records of {len(self.columns)} columns>"

    @property
    def time_ns(self) -> Any:
        """Simulated time in nanoseconds."""
        offset, code = self._time
        if code == "q":
            return self._array(offset, code)
        numpy = _numpy()
        exact = self._array(offset, code).astype(numpy.longdouble) * 1_000_000_000
        return numpy.rint(exact).astype(numpy.int64)

    @property
    def time(self) -> Any:
        """Simulated time in seconds, as near as a double can be."""
        offset, code = self._time
        return self._array(offset, code) / 1e9 if code == "q" else self._array(offset, code).astype("f8")

    def values(self, name: str | None = None) -> Any:
        """Of one column, without NumPy: a list. Without a name: all arrays, as of any mapping."""
        if name is None:
            return super().values()
        column = self.columns[name]
        code = struct.Struct("<" + _CODES[column.type])
        return [code.unpack_from(self._rows, i * self._row + column.offset)[0] for i in range(self.count)]

    def frame(self) -> Any:
        """A pandas DataFrame: the index is `time`; attrs has `units`, `about`, `labels` and `epoch`."""
        try:
            import pandas
        except ImportError:
            raise RecordingError("a frame needs pandas, which this Python has not got; install it (Debian: "
                                 "apt-get install python3-pandas), or use the columns") from None
        frame = pandas.DataFrame({name: self[name] for name in self}, index=pandas.Index(self.time, name="time"))
        frame.attrs.update(units=dict(self.unit), about=dict(self.about), labels=dict(self.labels), epoch=self.epoch)
        return frame

    def _array(self, offset: int, code: str) -> Any:
        numpy = _numpy()
        kind = numpy.dtype({"names": ["v"], "formats": ["?" if code == "?" else "<" + code], "offsets": [offset],
                            "itemsize": self._row})
        return numpy.ascontiguousarray(numpy.frombuffer(self._rows, kind, self.count)["v"])


class Run(Mapping):
    """The recordings of a run folder by their names; each is read when it is asked for. `summary`: summary.json."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder
        self._files: dict[str, pathlib.Path] = {}
        self._read: dict[str, Recording] = {}
        for file in sorted(folder.iterdir()):
            if file.suffix in _READERS and file.is_file() and (file.suffix != ".csv" or _is_recording(file)):
                self._files.setdefault(_name_of(file), file)
        try:
            self.summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self.summary = {}  # the rig was killed

    def __getitem__(self, name: str) -> Recording:
        if name not in self._files:
            raise KeyError(f"{self.folder} has no recording {name!r}; it has {', '.join(self._files) or 'none'}")
        if name not in self._read:
            self._read[name] = _load_file(self._files[name])
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"<run {self.folder}: {', '.join(self._files) or 'no recordings'}>"


def load(path: str | os.PathLike[str]) -> Any:
    """A Run of a run folder, a Recording of a file. Raises RecordingError."""
    path = pathlib.Path(path)
    if path.is_dir():
        run = Run(path)
        if not run and not (path / "rig.yaml").exists():
            raise RecordingError(f"{path} is not a run folder: it holds no rig.yaml and no recording")
        return run
    if not path.exists():
        raise RecordingError(f"{path} is not there")
    if path.suffix not in _READERS:
        raise RecordingError(f"{path}: its name says no format; there are {', '.join(_READERS)}")
    return _load_file(path)


def _load_file(file: pathlib.Path) -> Recording:
    try:
        return _READERS[file.suffix](file)
    except (struct.error, ValueError, KeyError, IndexError, StopIteration, UnicodeDecodeError) as error:
        raise RecordingError(f"{file}: is not a recording of tactus, or is damaged: {error}") from error
    except OSError as error:
        raise RecordingError(f"{file}: {error.strerror}") from error


def _numpy() -> Any:
    try:
        import numpy
    except ImportError:
        raise RecordingError("arrays need NumPy, which this Python has not got; install it (Debian: apt-get install "
                             "python3-numpy), or take lists: recording.values(name)") from None
    return numpy


def _name_of(file: pathlib.Path) -> str:
    return file.stem[4:] if file.suffix == ".trk" and file.stem.startswith("log_") else file.stem


def _is_recording(file: pathlib.Path) -> bool:
    with open(file, "rb") as opened:
        return opened.read(len(_TIME)) == _TIME.encode()


def _columns(about: list[dict[str, Any]], first: int = 8) -> tuple[list[Column], int]:
    """Of JSON, one behind another; and how long a row is."""
    columns, offset = [], first
    for each in about:
        columns.append(Column(each["name"], each["type"], each.get("unit", ""), each.get("about", ""),
                              dict(each.get("labels", {})), each.get("at", offset)))
        offset += struct.calcsize(_CODES[each["type"]])
    return columns, offset


# Text ---------------------------------------------------------------------------------------------------------------

def _nanoseconds(text: str) -> int:
    """Exactly where seconds are written with at most nine digits behind the point."""
    whole, _, fraction = text.partition(".")
    sign, digits = (-1, whole[1:]) if whole.startswith("-") else (1, whole)
    if digits.isdigit() and len(fraction) <= 9 and (fraction.isdigit() or not fraction):
        return sign * (int(digits) * 1_000_000_000 + int(fraction.ljust(9, "0")))
    return round(float(text) * 1e9)


def _infer(cells: list[str]) -> tuple[str, dict[str, int]]:
    """The type of a column of text, and its labels where it holds words; as `tactus convert` has it."""
    whole = True
    words: dict[str, int] = {}
    for cell in cells:
        try:
            float(cell)
        except ValueError:
            words.setdefault(cell, len(words))
        whole = whole and cell.lstrip("-").isdigit() and cell != "-0"
    if words:
        return "int32", words
    if whole and any(abs(int(cell)) > 1 << 53 for cell in cells):
        return ("uint64" if all(int(cell) >= 0 for cell in cells) and any(int(cell) >= 1 << 63 for cell in cells)
                else "int64"), {}
    return "double", {}


def _reader(column: Column) -> Callable[[str], Any]:
    """Reads the cells of a column."""
    if column.type in ("float", "double"):
        return float
    if column.type == "bool":
        return lambda cell: cell != "0"
    return lambda cell: column.labels[cell] if cell in column.labels else int(cell)


def _load_csv(file: pathlib.Path) -> Recording:
    text = file.read_text(encoding="utf-8")
    lines = text[:text.rfind("\n") + 1].split("\n")[:-1]  # a torn end is no record
    if not lines or not lines[0].startswith(_TIME):
        raise RecordingError(f"{file}: does not begin with the header of a recording, {_TIME} {{s}}")
    head = lines[0]
    end = head.find("}")
    separator = head[end + 1:end + 2] or ","
    about: list[dict[str, Any]] = []
    for cell in head.split(separator)[1:]:
        name, brace, unit = cell.strip().rpartition(" {")
        about.append({"name": name if brace else unit, "type": "double",
                      "unit": "" if not brace or unit == "--}" else unit.rstrip("}")})
    rows = [[cell.strip() for cell in line.split(separator)] for line in lines[1:]]
    for number, row in enumerate(rows, 2):
        if len(row) != len(about) + 1:
            raise RecordingError(f"{file}:{number}: has {len(row)} columns, the header has {len(about) + 1}")
    epoch, known = "", file.with_suffix(".columns.json")
    try:
        more = json.loads(known.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        more = {}
    if [each["name"] for each in more.get("columns", [])] == [each["name"] for each in about]:
        about, epoch = more["columns"], more.get("epoch", "")
    else:
        for i, each in enumerate(about, 1):
            each["type"], labels = _infer([row[i] for row in rows])
            if labels:
                each["labels"] = labels
    columns, width = _columns(about)
    code = struct.Struct("<q" + "".join(_CODES[column.type] for column in columns))
    reads = [_reader(column) for column in columns]
    packed = bytearray()
    for row in rows:
        packed += code.pack(_nanoseconds(row[0]), *(read(cell) for read, cell in zip(reads, row[1:])))
    return Recording(_name_of(file), epoch, columns, width, bytes(packed))


# Trick --------------------------------------------------------------------------------------------------------------

_TRK_TYPES = {1: "int", 2: "uint", 4: "int", 5: "uint", 6: "int", 7: "uint", 8: "int", 9: "uint", 12: "int", 13: "uint",
              14: "int", 15: "uint", 21: "int"}


def _load_trk(file: pathlib.Path) -> Recording:
    data = file.read_bytes()
    if data[:6] != b"Trick-" or data[6:8] not in (b"05", b"07", b"10"):
        raise RecordingError(f"{file}: does not begin as a file of Trick (05, 07 or 10)")
    if data[8:10] != b"-L":
        raise RecordingError(f"{file}: is big endian; `tactus convert` reads it")
    at = 14

    def text() -> str:
        nonlocal at
        length, = struct.unpack_from("<i", data, at)
        at += 4 + length
        return data[at - length:at].decode()
    columns, width = [], 0
    for _ in range(struct.unpack_from("<i", data, 10)[0]):
        name, unit = text(), text()
        code, size = struct.unpack_from("<ii", data, at)
        at += 8
        if data[6:8] != b"10" and code != 17:
            code = 21 if code == 102 else code + 1
        if code in (10, 11):
            kind = "double" if size == 8 else "float"
        elif code == 17 and size == 1:
            kind = "bool"
        elif code in _TRK_TYPES:
            kind = _TRK_TYPES[code] + str(8 * size)
        else:
            raise RecordingError(f"{file}: column {name} is of a type that is not a number: {code}")
        columns.append(Column(name, kind, "" if unit == "--" else unit, "", {}, width))
        width += size
    rows = data[at:]
    rows = rows[:len(rows) // width * width]
    return Recording(_name_of(file), "", columns[1:], width, rows, (0, _CODES[columns[0].type]))


# MDF 4 --------------------------------------------------------------------------------------------------------------

def _load_mdf4(file: pathlib.Path) -> Recording:
    data = file.read_bytes()
    if data[:10] != b"MDF     4.":
        raise RecordingError(f"{file}: is not a finalised MDF 4 file")

    def block(at: int) -> tuple[bytes, tuple[int, ...], bytes]:
        if at % 8 or data[at:at + 2] != b"##":
            raise ValueError(f"no block at byte {at}")
        length, links = struct.unpack_from("<QQ", data, at + 8)
        if length > len(data) - at:
            raise ValueError(f"the block at byte {at} is cut off")
        return data[at + 2:at + 4], struct.unpack_from(f"<{links}q", data, at + 24), data[at + 24 + 8 * links:at + length]

    def text(at: int) -> str:
        return block(at)[2].split(b"\0")[0].decode() if at else ""
    _, head, facts = block(64)
    start = struct.unpack_from("<Q", facts)[0]
    mark = '<e name="tactus.epoch_ns">'
    comment = text(head[5])
    if mark in comment:
        start = int(comment.split(mark)[1].split("<")[0])
    _, group, _ = block(head[0])
    if group[0]:
        raise RecordingError(f"{file}: holds more than one group; asammdf reads it")
    _, channels, facts = block(group[1])
    width, invalid = struct.unpack_from("<II", facts, 24)
    rows, at, seen = [], group[2], set()
    while at and at not in seen:
        seen.add(at)
        try:
            tag, links, body = block(at)
            parts = [body] if tag == b"DT" else [block(link)[2] for link in links[1:]]
        except ValueError:
            break  # cut off
        if tag not in (b"DT", b"DL"):
            raise RecordingError(f"{file}: its data are compressed; asammdf reads it")
        rows += parts
        at = links[0] if tag == b"DL" else 0
    raw = b"".join(rows)
    width += invalid
    raw = raw[:len(raw) // width * width]
    columns, time, at = [], None, channels[1]
    while at:
        _, links, body = block(at)
        kind, _, data_type, bit, byte, bits = struct.unpack_from("<BBBBII", body)
        name = text(links[2])
        if data_type == 0 and bits == 1 and bit == 0:
            code = "bool"
        elif bit == 0 and data_type in (0, 2) and bits in (8, 16, 32, 64):
            code = ("uint" if data_type == 0 else "int") + str(bits)
        elif bit == 0 and data_type == 4 and bits in (32, 64):
            code = "float" if bits == 32 else "double"
        else:
            raise RecordingError(f"{file}: channel {name} is of a kind that is not known here; asammdf reads it")
        labels = {}
        if links[4]:
            _, refs, rule = block(links[4])
            what, _, _, _, count = struct.unpack_from("<BBHHH", rule)
            numbers = struct.unpack_from(f"<{count}d", rule, 24)
            if what == 7:
                labels = {text(ref): int(number) for ref, number in zip(refs[4:], numbers)}
            elif what != 1 or not (kind == 2 and numbers == (0.0, 1e-9) or numbers == (0.0, 1.0)):
                raise RecordingError(f"{file}: channel {name} has a conversion; `tactus convert` reads it")
        if kind == 2:
            time = (byte, _CODES[code])
        else:
            columns.append(Column(name, code, text(links[6]), text(links[7]), labels, byte))
        at = links[0]
    if time is None:
        raise RecordingError(f"{file}: has no channel of time")
    return Recording(text(channels[2]) or _name_of(file), _date(start), columns, width, raw, time)


def _date(ns: int) -> str:
    from datetime import datetime, timedelta, timezone
    date = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=ns // 1_000_000_000)
    fraction = f"{ns % 1_000_000_000:09d}".rstrip("0")
    return date.strftime("%Y-%m-%dT%H:%M:%S") + ("." + fraction if fraction else "") + "+00:00"


# MCAP ---------------------------------------------------------------------------------------------------------------

def _load_mcap(file: pathlib.Path) -> Recording:
    data = file.read_bytes()
    if data[:8] != b"\x89MCAP0\r\n":
        raise RecordingError(f"{file}: does not begin as MCAP")
    head, rows, at = None, [], 8
    while at + 9 <= len(data):
        op, length = struct.unpack_from("<BQ", data, at)
        if op in (0, 15) or at + 9 + length > len(data):
            break
        body = data[at + 9:at + 9 + length]
        if op == 12 and head is None:
            head = _mcap_head(body)
        elif op == 6 and head is not None:
            compression, = struct.unpack_from("<I", body, 28)
            if compression:
                raise RecordingError(f"{file}: its chunks are compressed")
            rows.append(_mcap_rows(body[40:], head["message_bytes"]))
        at += 9 + length
    if head is None:
        raise RecordingError(f"{file}: was not written by tactus: it has no metadata record 'tactus'")
    wide = {"int8": "int32", "int16": "int32", "uint8": "uint32", "uint16": "uint32"}  # as protobuf has them
    columns, width = _columns(head["columns"], 0)
    payload = head["message_bytes"]
    base = max(0, _ns_of(head["epoch"]))
    raw = b"".join(rows)
    code = struct.Struct(f"<Q{payload}s")
    packed = bytearray()
    takes = [(struct.Struct("<" + _CODES[wide.get(column.type, column.type)]), struct.Struct("<" + _CODES[column.type]),
              column.offset) for column in columns]
    for date, message in code.iter_unpack(raw):
        packed += struct.pack("<q", (date - base + (1 << 63)) % (1 << 64) - (1 << 63))
        for wider, own, place in takes:
            if wider.size == own.size:
                packed += message[place:place + own.size]
            else:
                packed += own.pack(wider.unpack_from(message, place)[0])
    for each in head["columns"]:
        del each["at"]
    columns, width = _columns(head["columns"])
    return Recording(head["recording"], head["epoch"], columns, width, bytes(packed))


def _mcap_head(body: bytes) -> dict[str, Any] | None:
    def text(at: int) -> tuple[bytes, int]:
        length, = struct.unpack_from("<I", body, at)
        return body[at + 4:at + 4 + length], at + 4 + length
    name, at = text(0)
    if name != b"tactus":
        return None
    key, at = text(at + 4)
    return json.loads(text(at)[0]) if key == b"head" else None


def _mcap_rows(records: bytes, payload: int) -> bytes:
    """The date and the payload of each message; all are equally long."""
    step = 31 + payload
    return b"".join(records[at + 15:at + 23] + records[at + 31:at + step] for at in range(0, len(records), step))


def _ns_of(date: str) -> int:
    from datetime import datetime, timezone
    whole, _, fraction = date.partition("+")[0].rstrip("Z").partition(".")
    seconds = datetime.fromisoformat(whole).replace(tzinfo=timezone.utc) - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (seconds.days * 86400 + seconds.seconds) * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))


# HDF5 ---------------------------------------------------------------------------------------------------------------

def _load_hdf5(file: pathlib.Path) -> Recording:
    try:
        import h5py
    except ImportError:
        return _load_converted(file)
    numpy = _numpy()
    try:
        opened = h5py.File(file, "r")
    except OSError:
        opened = h5py.File(file, "r", swmr=True)  # nobody closed it
    with opened:
        if "tactus_head" not in opened:
            raise RecordingError(f"{file}: was not written by tactus: it has no dataset 'tactus_head'")
        head = json.loads(bytes(opened["tactus_head"][()]).decode())
        group = opened[head["recording"]]
        columns, width = _columns(head["columns"])
        count = min(each.shape[0] for each in group.values())
        kind = numpy.dtype({"names": ["", *(f"c{i}" for i in range(len(columns)))],
                            "formats": ["<i8", *("<" + _CODES[column.type] for column in columns)],
                            "offsets": [0, *(column.offset for column in columns)], "itemsize": width})
        rows = numpy.zeros(count, kind)
        rows[""] = group["time"][:count]
        for i, column in enumerate(columns):
            rows[f"c{i}"] = group[column.name][:count]
    return Recording(head["recording"], head["epoch"], columns, width, rows.tobytes())


def _load_converted(file: pathlib.Path) -> Recording:
    """By `tactus convert`: $TACTUS, else that of PATH, else what this checkout has built."""
    built = pathlib.Path(__file__).resolve().parent.parent / "build" / "release" / "bin" / "tactus"
    command = os.environ.get("TACTUS") or shutil.which("tactus") or (str(built) if built.exists() else None)
    if not command:
        raise RecordingError(f"{file}: HDF5 needs h5py (Debian: apt-get install python3-h5py) or the command tactus, "
                             "and there is neither; $TACTUS may name it")
    with tempfile.TemporaryDirectory(prefix="tactus-load-") as folder:
        made = pathlib.Path(folder) / "converted.mf4"
        done = subprocess.run([command, "convert", str(file), "--to", "mdf4", "-o", str(made)], text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode != 0:
            raise RecordingError(f"{file}: {done.stdout.strip()}")
        return _load_mdf4(made)


_READERS = {".csv": _load_csv, ".mf4": _load_mdf4, ".mcap": _load_mcap, ".h5": _load_hdf5, ".trk": _load_trk}


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if len(sys.argv) == 2 else 2
    try:
        loaded = load(sys.argv[1])
        for recording in loaded.values() if isinstance(loaded, Run) else [loaded]:
            print(f"{recording.name}: {recording.count} records" + (f", from {recording.epoch}" if recording.epoch else ""))
            for column in recording.columns.values():
                print(f"  {column.name}  {column.type}" + (f" in {column.unit}" if column.unit else "")
                      + (f"  {column.about}" if column.about else ""))
    except RecordingError as error:
        print(f"tactus.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
