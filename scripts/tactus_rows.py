# SPDX-License-Identifier: Apache-2.0
"""What tactus.py, which loads recordings, keeps of the rows of a file: chosen columns of a span of time, each in memory
of its own. Files are read in pieces, so that little is held beside what is kept."""
from __future__ import annotations

import difflib
import pathlib
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import BinaryIO, NamedTuple

CODES = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
          "int64": "q", "uint64": "Q", "float": "f", "double": "d"}
PIECE = 16 << 10  # bytes that are read at once


class RecordingError(Exception):
    """A file is not a recording, or one that cannot be read: which, and why."""


class Column(NamedTuple):
    """A column of a recording; `offset`: of its value in a row of the file."""
    name: str
    type: str
    unit: str
    about: str
    labels: dict[str, int]
    offset: int


class Choice(NamedTuple):
    """What is read of a file. `each`: each pattern has to be the name of a column; else one of them."""
    patterns: list[str] | None
    begin: int | None
    end: int | None
    each: bool

    def of(self, file: pathlib.Path, columns: list[Column]) -> list[Column]:
        if self.patterns is None:
            return columns
        tests = [re.compile(re.escape(each).replace(r"\*", ".*").replace(r"\?", "."), re.DOTALL)
                 for each in self.patterns]
        wrong = [pattern for pattern, test in zip(self.patterns, tests)
                 if not any(test.fullmatch(column.name) for column in columns)]
        if wrong and (self.each or len(wrong) == len(self.patterns)):
            raise RecordingError(no_column(str(file), wrong[0], [column.name for column in columns]))
        return [column for column in columns if any(test.fullmatch(column.name) for test in tests)]

    def inside(self, times: Sequence[int]) -> list[tuple[int, int]]:
        """Runs of rows, from and to."""
        runs: list[tuple[int, int]] = []
        for i, time in enumerate(times):
            if (self.begin is None or time >= self.begin) and (self.end is None or time < self.end):
                if runs and runs[-1][1] == i:
                    runs[-1] = (runs[-1][0], i + 1)
                else:
                    runs.append((i, i + 1))
        return runs

    @property
    def whole(self) -> bool:
        return self.begin is None and self.end is None


def choose(columns: str | Iterable[str] | None, span: Sequence[float | None] | None, each: bool) -> Choice:
    patterns = None if columns is None else [columns] if isinstance(columns, str) else list(columns)
    try:
        begin, end = (None if at is None else nanoseconds(at) for at in (span or (None, None)))
        if begin is not None and end is not None and begin > end:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise RecordingError(f"span {span!r} is not a span of simulated time in seconds, (from, to) with from <= to; "
                             "None leaves an end open: (10, None)") from None
    return Choice(patterns, begin, end, each)


def nanoseconds(seconds: float) -> int:
    """As near as can be, also where a double times 10^9 is not."""
    if isinstance(seconds, float) and abs(seconds) < 1e6:
        return round(seconds * 1e9)
    return round(Fraction(seconds) * 1_000_000_000)


def no_column(of: str, name: str, known: Iterable[str]) -> str:
    names, most = list(known), 20
    if near := difflib.get_close_matches(name, names, 1, 0.8):
        return f"{of} has no column {name!r}; did you mean {near[0]!r}?"
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{of} has no column {name!r}; it has {', '.join(names[:most]) or 'none'}{more}"


class Rows:
    """Takes rows and keeps the chosen columns, each in memory of its own: no row is held beside them."""

    def __init__(self, file: pathlib.Path, choice: Choice, columns: list[Column], width: int,
                 time: tuple[int, str] = (0, "q"), base: int = 0) -> None:
        """`base`: what is taken from each time, modulo 2^64."""
        self.columns, self.width, self.count = choice.of(file, columns), width, 0
        self._choice, self._time, self._base = choice, time, base
        self._places = [(column.offset, struct.calcsize(CODES[column.type])) for column in self.columns]
        self._data = [bytearray() for _ in self.columns]
        self._times = bytearray()

    def fill(self, source: Callable[[], Iterable[bytes]], count: int,
             times: Callable[[], Iterable[bytes]] | None = None) -> Rows:
        """Takes pieces of whole rows. `count`: rows of the source, at most. Those of a span are counted first, as
        memory that grows piece by piece takes more than what is kept; `times`: the same rows, without values."""
        if not self._choice.whole:
            count = sum(len(self._chosen(piece)[1]) for piece in (times or source)()) // self._time_size
        self.reserve(count)
        for piece in source():
            rows, times = self._chosen(piece)
            self.put(-1, self.count, times)
            for (place, size), data in zip(self._places, self._data):
                self._copy(data, self.count * size, rows, place, size)
            self.count += len(times) // self._time_size
        return self

    def reserve(self, count: int) -> None:
        self._times = bytearray(count * self._time_size)
        self._data = [bytearray(count * size) for _, size in self._places]

    @property
    def _time_size(self) -> int:
        return struct.calcsize(self._time[1])

    def _chosen(self, rows: bytes) -> tuple[bytes, bytearray]:
        """Rows within the span, and their times."""
        offset, code = self._time
        size, count = self._time_size, len(rows) // self.width
        times = bytearray(count * size)
        self._copy(times, 0, rows, offset, size)
        if self._base:
            dates = (date for date, in struct.iter_unpack("<q", times))
            wrapped = ((date - self._base + (1 << 63)) % (1 << 64) - (1 << 63) for date in dates)
            times = bytearray(struct.pack(f"<{count}q", *wrapped))
        if self._choice.whole:
            return rows, times
        seen = [time for time, in struct.iter_unpack("<" + code, times)]
        runs = self._choice.inside(seen if code == "q" else [nanoseconds(time) for time in seen])
        if runs == [(0, count)]:
            return rows, times
        return (b"".join(rows[begin * self.width:end * self.width] for begin, end in runs),
                bytearray().join(times[begin * size:end * size] for begin, end in runs))

    def put(self, column: int, row: int, values: bytes | bytearray) -> None:
        """Values of one column from that row on; column -1: times."""
        to = self._times if column < 0 else self._data[column]
        size = self._time_size if column < 0 else self._places[column][1]
        to[row * size:row * size + len(values)] = values

    def end(self) -> tuple[int, tuple[bytearray, str], dict[str, bytearray]]:
        del self._times[self.count * self._time_size:]
        for (_, size), data in zip(self._places, self._data):
            del data[self.count * size:]
        names = [column.name for column in self.columns]
        return self.count, (self._times, self._time[1]), dict(zip(names, self._data))

    def _copy(self, to: bytearray, at: int, rows: bytes, place: int, size: int) -> None:
        count = len(rows) // self.width
        for byte in range(size):
            to[at + byte:at + count * size:size] = rows[place + byte::self.width]


def pieces(opened: BinaryIO, at: int, length: int) -> Iterator[bytes]:
    """The bytes from there on, until the file ends."""
    while length > 0:
        opened.seek(at)
        piece = opened.read(min(length, PIECE))
        if not piece:
            return
        at += len(piece)
        length -= len(piece)
        yield piece


def whole_rows(pieces: Iterable[bytes], width: int) -> Iterator[bytes]:
    """Pieces of whole rows, some at once; a torn row at the end is left out."""
    held, least = b"", max(width, min(64 * width, 1 << 20))
    for piece in pieces:
        held += piece
        if len(held) >= least:
            whole = len(held) // width * width
            yield held[:whole]
            held = held[whole:]
    yield held[:len(held) // width * width]
