#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads the recordings of a run, or one of them, with names, units and descriptions. Python 3.9 or newer; NumPy for
arrays, pandas for frames, h5py for HDF5 (without it, the command `tactus convert`), each only where it is asked for.

    import sys; sys.path.insert(0, "scripts")            # of a checkout
    import tactus
    run = tactus.load("runs/servo-20260101-120000")      # all its recordings; or one: "out/motion.mf4"
    some = tactus.load("out/motion.mf4", columns=["motor.*"], span=(10, 20))    # of 10 s <= time < 20 s
    motion = run["motion"]
    motion.time                                          # seconds, float64; motion.time_ns: int64, exact
    motion["motor.speed"]                                # a NumPy array of the variable's own type, read-only
    motion.unit["motor.speed"], motion.about["motor.speed"], motion.labels["motor.mode"]
    frame = motion.frame()                               # pandas: index time in seconds; frame.attrs["units"]

Formats: .csv, .mf4, .mcap, .trk and .h5 that tactus wrote; of Trick .csv and .trk. A file that a kill cut off is
read as far as it is whole. Files are read in pieces: what is loaded takes the memory of its arrays, and little more.

    scripts/tactus.py PATH                               lists what is there
"""
from __future__ import annotations

import itertools
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

if __package__:  # installed: python3-tactus
    from tactus.campaign import CampaignError, CampaignResults, load_campaign  # noqa: F401
    from tactus.rows import CODES, PIECE, Choice, Column, RecordingError, Rows, choose, no_column, pieces, whole_rows
else:
    from tactus_campaign import CampaignError, CampaignResults, load_campaign  # noqa: F401
    from tactus_rows import CODES, PIECE, Choice, Column, RecordingError, Rows, choose, no_column, pieces, whole_rows

_TIME = "sys.exec.out.time"


class Recording(Mapping):
    """Columns by their names, in the order of the file: arrays of NumPy, which are views of the recording and cannot be
    written (`.copy()` can). `time_ns` and `time` belong to the rows."""

    def __init__(self, name: str, epoch: str, rows: Rows) -> None:
        self.name, self.epoch = name, epoch  # epoch: the date of time 0, ISO 8601; "" where the file has none
        self.columns = {column.name: column for column in rows.columns}
        self.unit = {column.name: column.unit for column in rows.columns}
        self.about = {column.name: column.about for column in rows.columns}
        self.labels = {column.name: column.labels for column in rows.columns}
        self.count, self._time, self._data = rows.end()

    def __getitem__(self, name: str) -> Any:
        return self._array(self._data[self._known(name)], CODES[self.columns[name].type])

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"<recording {self.name}: {self.count} records of {len(self.columns)} columns>"

    @property
    def time_ns(self) -> Any:
        """Simulated time in nanoseconds."""
        data, code = self._time
        if code == "q":
            return self._array(data, code)
        numpy = _numpy()
        exact = self._array(data, code).astype(numpy.longdouble) * 1_000_000_000
        return numpy.rint(exact).astype(numpy.int64)

    @property
    def time(self) -> Any:
        """Simulated time in seconds, as near as a double can be."""
        data, code = self._time
        return self._array(data, code) / 1e9 if code == "q" else self._array(data, code).astype("f8")

    def values(self, name: str | None = None) -> Any:
        """Of one column, without NumPy: a list. Without a name: all arrays, as of any mapping."""
        if name is None:
            return super().values()
        data = self._data[self._known(name)]
        return [value for value, in struct.iter_unpack("<" + CODES[self.columns[name].type], data)]

    def frame(self) -> Any:
        """A pandas DataFrame of the arrays: the index is `time`; attrs has `units`, `about`, `labels` and `epoch`."""
        try:
            import pandas
        except ImportError:
            raise RecordingError("a frame needs pandas, which this Python has not got; install it (Debian: "
                                 "apt-get install python3-pandas), or use the columns") from None
        frame = pandas.DataFrame({name: self[name] for name in self}, index=pandas.Index(self.time, name="time"),
                                 copy=False)
        frame.attrs.update(units=dict(self.unit), about=dict(self.about), labels=dict(self.labels), epoch=self.epoch)
        return frame

    def _known(self, name: str) -> str:
        if name not in self.columns:
            raise KeyError(no_column(self.name, name, self.columns))
        return name

    @staticmethod
    def _array(data: Any, code: str) -> Any:
        array = _numpy().frombuffer(data, "?" if code == "?" else "<" + code)
        array.flags.writeable = False
        return array


class Run(Mapping):
    """The recordings of a run folder by their names; each is read when it is asked for. `summary`: summary.json."""

    def __init__(self, folder: pathlib.Path, choice: Choice) -> None:
        self.folder, self._choice = folder, choice
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
            self._read[name] = _load_file(self._files[name], self._choice)
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __repr__(self) -> str:
        return f"<run {self.folder}: {', '.join(self._files) or 'no recordings'}>"


def load(path: str | os.PathLike[str], columns: str | Iterable[str] | None = None,
         span: Sequence[float | None] | None = None) -> Any:
    """A Run of a run folder, a Recording of a file. `columns`: names of those that are read, `*` and `?` for any
    letters; None: all. `span`: from and to in seconds of simulated time, from <= time < to; None: open at that end.
    Raises RecordingError; of a run folder, when one of its recordings is asked for."""
    path = pathlib.Path(path)
    if path.is_dir():
        run = Run(path, choose(columns, span, False))
        if not run and not (path / "rig.yaml").exists():
            raise RecordingError(f"{path} is not a run folder: it holds no rig.yaml and no recording")
        return run
    if not path.exists():
        raise RecordingError(f"{path} is not there")
    if path.suffix not in _READERS:
        raise RecordingError(f"{path}: its name says no format; there are {', '.join(_READERS)}")
    return _load_file(path, choose(columns, span, True))


def _load_file(file: pathlib.Path, choice: Choice) -> Recording:
    try:
        return _READERS[file.suffix](file, choice)
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
        offset += struct.calcsize(CODES[each["type"]])
    return columns, offset


# Text ---------------------------------------------------------------------------------------------------------------

def _point(separator: str) -> Callable[[str], str]:
    """Writes a decimal comma as a point, where no comma separates columns."""
    if separator == ",":
        return str
    return lambda cell: cell if "." in cell else cell.replace(",", ".", 1)


def _nanoseconds(text: str) -> int:
    """Exactly where seconds are written with at most nine digits behind the point."""
    whole, _, fraction = text.partition(".")
    sign, digits = (-1, whole[1:]) if whole.startswith("-") else (1, whole)
    if digits.isdigit() and len(fraction) <= 9 and (fraction.isdigit() or not fraction):
        return sign * (int(digits) * 1_000_000_000 + int(fraction.ljust(9, "0")))
    return round(float(text) * 1e9)


class _Seen:
    """The cells of a column of text that were seen: its type, and its labels where it holds words; as `tactus convert`
    has it."""

    def __init__(self, point: Callable[[str], str]) -> None:
        self.words: dict[str, int] = {}
        self._point, self._whole, self._least, self._most = point, True, 0, 0

    def look(self, cell: str) -> None:
        if self._whole and re.fullmatch("[+-]?[0-9]+", cell) and cell != "-0":
            number = int(cell)
            self._least, self._most = min(self._least, number), max(self._most, number)
            return
        self._whole = False
        try:
            float(self._point(cell))
        except ValueError:
            self.words.setdefault(cell, len(self.words))

    def type(self) -> str:
        if self.words:
            return "int32"
        if not self._whole or max(-self._least, self._most) <= 1 << 53:
            return "double"
        return "uint64" if self._least >= 0 and self._most >= 1 << 63 else "int64"


def _reader(column: Column, words: bool, point: Callable[[str], str]) -> Callable[[str], Any]:
    """Reads the cells of a column. `words`: it holds names of values where there are some; else a name may look like the
    number of another value."""
    if column.type in ("float", "double"):
        return float if point is str else lambda cell: float(point(cell))
    if column.type == "bool":
        return lambda cell: cell != "0"
    return lambda cell: column.labels[cell] if words and cell in column.labels else int(cell)


def _lines(file: pathlib.Path) -> Iterator[str]:
    """Whole lines without their ends; a torn one at the end is no record."""
    with open(file, encoding="utf-8-sig", newline="\n") as opened:  # spreadsheets begin UTF-8 with a mark
        for line in opened:
            if line.endswith("\n"):
                yield line[:-1]


def _load_csv(file: pathlib.Path, choice: Choice) -> Recording:
    head = next(_lines(file), "")
    if not head.startswith(_TIME):
        raise RecordingError(f"{file}: does not begin with the header of a recording, {_TIME} {{s}}")
    end = head.find("}")
    separator = head[end + 1:end + 2] or ","
    point = _point(separator)
    about: list[dict[str, Any]] = []
    for cell in head.split(separator)[1:]:
        name, brace, unit = cell.strip().rpartition(" {")
        about.append({"name": name if brace else unit, "type": "double",
                      "unit": "" if not brace or unit == "--}" else unit.rstrip("}")})

    with open(file, "rb") as opened:
        count = sum(piece.count(b"\n") for piece in pieces(opened, 0, file.stat().st_size)) - 1

    def cells_of_rows() -> Iterator[list[str]]:
        lines = enumerate(itertools.islice(_lines(file), count + 1), 1)  # a rig that runs may add more meanwhile
        next(lines)
        for number, line in lines:
            cells = line.split(separator)
            if len(cells) != len(about) + 1:
                raise RecordingError(f"{file}:{number}: has {len(cells)} columns, the header has {len(about) + 1}")
            yield cells
    epoch, known = "", file.with_suffix(".columns.json")
    try:
        more = json.loads(known.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        more = {}
    if [each["name"] for each in more.get("columns", [])] == [each["name"] for each in about]:
        about, epoch = more["columns"], more.get("epoch", "")
    else:
        seen = [_Seen(point) for _ in about]
        for row in cells_of_rows():
            for each, cell in zip(seen, row[1:]):
                each.look(cell.strip())
        for each, found in zip(about, seen):
            each["type"] = found.type()
            if found.words:
                each["labels"], each["words"] = found.words, True
    columns, width = _columns(about)
    rows = Rows(file, choice, columns, width)
    code = struct.Struct("<q" + "".join(CODES[column.type] for column in columns))
    nothing = [False if column.type == "bool" else 0 for column in columns]
    wanted = {column.offset for column in rows.columns}
    reads = [(i, _reader(column, each.get("words", False), point))
             for i, (each, column) in enumerate(zip(about, columns), 1) if column.offset in wanted]

    def packed_rows(reads: list[tuple[int, Callable[[str], Any]]]) -> Iterator[bytes]:
        packed = bytearray()
        for row in cells_of_rows():
            values = list(nothing)
            for i, read in reads:
                values[i - 1] = read(row[i].strip())
            packed += code.pack(_nanoseconds(point(row[0].strip())), *values)
            if len(packed) >= PIECE:
                yield bytes(packed)
                packed.clear()
        yield bytes(packed)
    rows.fill(lambda: packed_rows(reads), count, lambda: packed_rows([]))
    return Recording(_name_of(file), epoch, rows)


# Trick --------------------------------------------------------------------------------------------------------------

_TRK_TYPES = {1: "int", 2: "uint", 4: "int", 5: "uint", 6: "int", 7: "uint", 8: "int", 9: "uint", 12: "int", 13: "uint",
              14: "int", 15: "uint", 21: "int"}


def _load_trk(file: pathlib.Path, choice: Choice) -> Recording:
    with open(file, "rb") as opened:
        mark = opened.read(10)
        if mark[:6] != b"Trick-" or mark[6:8] not in (b"05", b"07", b"10"):
            raise RecordingError(f"{file}: does not begin as a file of Trick (05, 07 or 10)")
        if mark[8:10] != b"-L":
            raise RecordingError(f"{file}: is big endian; `tactus convert` reads it")

        def number() -> int:
            return int(struct.unpack("<i", opened.read(4))[0])

        def text() -> str:
            return opened.read(number()).decode()
        columns, width = [], 0
        for _ in range(number()):
            name, unit, code, size = text(), text(), number(), number()
            if mark[6:8] != b"10" and code != 17:
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
        begin, length = opened.tell(), file.stat().st_size
        rows = Rows(file, choice, columns[1:], width, (0, CODES[columns[0].type]))
        rows.fill(lambda: whole_rows(pieces(opened, begin, length - begin), width), (length - begin) // width)
    return Recording(_name_of(file), "", rows)


# MDF 4 --------------------------------------------------------------------------------------------------------------

class _Block(NamedTuple):
    tag: bytes
    links: tuple[int, ...]
    body: bytes  # of data: the first bytes
    at: int      # where the body begins
    length: int  # of the body


def _load_mdf4(file: pathlib.Path, choice: Choice) -> Recording:
    with open(file, "rb") as opened:
        return _read_mdf4(file, choice, opened, file.stat().st_size)


def _read_mdf4(file: pathlib.Path, choice: Choice, opened: BinaryIO, end: int) -> Recording:
    if opened.read(10) != b"MDF     4.":
        raise RecordingError(f"{file}: is not a finalised MDF 4 file")

    def block(at: int) -> _Block:
        opened.seek(at)
        head = opened.read(24)
        if at % 8 or head[:2] != b"##":
            raise ValueError(f"no block at byte {at}")
        length, count = struct.unpack_from("<QQ", head, 8)
        if length > end - at or 24 + 8 * count > length:
            raise ValueError(f"the block at byte {at} is cut off")
        links = struct.unpack(f"<{count}q", opened.read(8 * count))
        begin, rest = at + 24 + 8 * count, length - 24 - 8 * count
        return _Block(head[2:4], links, b"" if head[2:4] == b"DT" else opened.read(rest), begin, rest)

    def text(at: int) -> str:
        return block(at).body.split(b"\0")[0].decode() if at else ""
    head = block(64)
    start = struct.unpack_from("<Q", head.body)[0]
    mark = '<e name="tactus.epoch_ns">'
    comment = text(head.links[5])
    if mark in comment:
        start = int(comment.split(mark)[1].split("<")[0])
    group = block(head.links[0]).links
    if group[0]:
        raise RecordingError(f"{file}: holds more than one group; asammdf reads it")
    channels = block(group[1])
    width = sum(struct.unpack_from("<II", channels.body, 24))  # with its bits of invalid values

    def data() -> Iterator[_Block]:
        """Walks the blocks of data. There may be as many lists of them as rows: they are kept only once one links back."""
        at, seen = group[2], set()
        while at and at not in seen:
            try:
                found = block(at)
                if found.tag not in (b"DT", b"DL"):
                    raise RecordingError(f"{file}: its data are compressed; asammdf reads it")
                yield from [found] if found.tag == b"DT" else [block(link) for link in found.links[1:]]
            except ValueError:
                return  # cut off
            before, at = at, found.links[0] if found.tag == b"DL" else 0
            if seen:
                seen.add(before)
            elif 0 < at <= before:
                seen.add(each := group[2])
                while each != before:
                    seen.add(each := block(each).links[0])
    columns, time, at = [], None, channels.links[1]
    while at:
        _, links, body, _, _ = block(at)
        kind, _, data_type, bit, byte, bits, flags = struct.unpack_from("<BBBBIII", body)
        name = text(links[2])
        if flags & 3:
            raise RecordingError(f"{file}: channel {name} marks values as invalid; `tactus convert` reads it")
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
            _, refs, rule, _, _ = block(links[4])
            what, _, _, _, count = struct.unpack_from("<BBHHH", rule)
            numbers = struct.unpack_from(f"<{count}d", rule, 24)
            if what == 7:
                labels = {text(ref): int(number) for ref, number in zip(refs[4:], numbers)}
            elif what != 1 or not (kind == 2 and numbers == (0.0, 1e-9) or numbers == (0.0, 1.0)):
                raise RecordingError(f"{file}: channel {name} has a conversion; `tactus convert` reads it")
        if kind == 2:
            time = (byte, CODES[code])
        else:
            columns.append(Column(name, code, text(links[6]), text(links[7]), labels, byte))
        at = links[0]
    if time is None:
        raise RecordingError(f"{file}: has no channel of time")
    rows = Rows(file, choice, columns, width, time)
    rows.fill(lambda: whole_rows((piece for each in data() for piece in pieces(opened, each.at, each.length)), width),
              sum(each.length for each in data()) // width)
    return Recording(text(channels.links[2]) or _name_of(file), _date(start), rows)


def _date(ns: int) -> str:
    from datetime import datetime, timedelta, timezone
    date = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=ns // 1_000_000_000)
    fraction = f"{ns % 1_000_000_000:09d}".rstrip("0")
    return date.strftime("%Y-%m-%dT%H:%M:%S") + ("." + fraction if fraction else "") + "+00:00"


# MCAP ---------------------------------------------------------------------------------------------------------------

def _load_mcap(file: pathlib.Path, choice: Choice) -> Recording:
    with open(file, "rb") as opened:
        if opened.read(8) != b"\x89MCAP0\r\n":
            raise RecordingError(f"{file}: does not begin as MCAP")
        end = file.stat().st_size

        def records(at: int) -> Iterator[tuple[int, int, int]]:
            """Walks the records: what each is, where it begins, and how long it is. None is kept."""
            while at + 9 <= end:
                opened.seek(at)
                op, length = struct.unpack("<BQ", opened.read(9))
                if op in (0, 15) or at + 9 + length > end:
                    return
                yield op, at + 9, length
                at += 9 + length
        head, first = None, end
        for op, at, length in records(8):
            if op == 12 and (head := _mcap_head(opened.read(length))) is not None:
                first = at + length
                break

        def chunks() -> Iterator[tuple[int, int]]:
            """Walks the messages of the chunks: where they begin, and how long they are."""
            for op, at, length in records(first):
                if op != 6:
                    continue
                if struct.unpack_from("<I", opened.read(40), 28)[0]:
                    raise RecordingError(f"{file}: its chunks are compressed")
                yield at + 40, length - 40
        if head is None:
            raise RecordingError(f"{file}: was not written by tactus: it has no metadata record 'tactus'")
        width = 31 + head["message_bytes"]  # a message: op, length, channel, number, two dates, payload
        columns = [each._replace(offset=31 + each.offset) for each in _columns(head["columns"], 0)[0]]
        rows = Rows(file, choice, columns, width, (15, "q"), max(0, _ns_of(head["epoch"])))
        rows.fill(lambda: (piece for each in chunks() for piece in whole_rows(pieces(opened, *each), width)),
                  sum(length // width for _, length in chunks()))
    return Recording(head["recording"], head["epoch"], rows)


def _mcap_head(body: bytes) -> dict[str, Any] | None:
    def text(at: int) -> tuple[bytes, int]:
        length, = struct.unpack_from("<I", body, at)
        return body[at + 4:at + 4 + length], at + 4 + length
    name, at = text(0)
    if name != b"tactus":
        return None
    key, at = text(at + 4)
    return json.loads(text(at)[0]) if key == b"head" else None


def _ns_of(date: str) -> int:
    from datetime import datetime, timezone
    whole, _, fraction = date.partition("+")[0].rstrip("Z").partition(".")
    seconds = datetime.fromisoformat(whole).replace(tzinfo=timezone.utc) - datetime(1970, 1, 1, tzinfo=timezone.utc)
    return (seconds.days * 86400 + seconds.seconds) * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))


# HDF5 ---------------------------------------------------------------------------------------------------------------

def _load_hdf5(file: pathlib.Path, choice: Choice) -> Recording:
    try:
        import h5py
    except ImportError:
        return _load_converted(file, choice)
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
        rows, step = Rows(file, choice, columns, width), PIECE // 8

        def runs() -> Iterator[tuple[int, int]]:
            for begin in range(0, count, step):
                times = group["time"][begin:min(begin + step, count)]
                found = [(0, len(times))] if choice.whole else choice.inside(times.tolist())
                yield from ((begin + low, begin + high) for low, high in found)
        rows.reserve(count if choice.whole else sum(high - low for low, high in runs()))
        for low, high in runs():
            rows.put(-1, rows.count, group["time"][low:high].astype("<i8").tobytes())
            for i, column in enumerate(rows.columns):
                rows.put(i, rows.count, group[column.name][low:high].astype("<" + CODES[column.type]).tobytes())
            rows.count += high - low
    return Recording(head["recording"], head["epoch"], rows)


def _load_converted(file: pathlib.Path, choice: Choice) -> Recording:
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
        return _load_mdf4(made, choice)


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
        sys.stdout.flush()
    except RecordingError as error:
        print(f"tactus.py: {error}", file=sys.stderr)
        return 1
    except (KeyboardInterrupt, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing more can be said there
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
