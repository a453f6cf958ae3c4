# SPDX-License-Identifier: Apache-2.0
"""Readers of the formats that tactus records in, written from their specifications and not from tactus' writers: for
tests. Each answers {name: Column}; "" is the time, in nanoseconds. Python 3.9 or newer; read_hdf5 needs h5py.
"""
from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field


@dataclass
class Column:
    unit: str
    kind: str  # of its values: "bool", "int", "float", and their bytes behind it
    values: list
    about: str = ""
    labels: dict = field(default_factory=dict)


class Broken(Exception):
    """The file breaks a rule of its format."""


def need(holds, rule):
    if not holds:
        raise Broken(rule)


# MDF 4.10 -----------------------------------------------------------------------------------------------------------

class Mdf:
    def __init__(self, data):
        self.data = data
        need(data[:8] == b"MDF     " and data[8:12] == b"4.10", "a finalised MDF 4.10 file")
        need(struct.unpack_from("<H", data, 28)[0] == 410, "version 410")
        need(struct.unpack_from("<HH", data, 60) == (0, 0), "no flags of an unfinalised file")

    def block(self, at, tag=None):
        data = self.data
        need(at % 8 == 0 and data[at:at + 2] == b"##", f"a block at {at}")
        need(tag is None or data[at + 2:at + 4] == tag, f"a block {tag} at {at}")
        length, links = struct.unpack_from("<QQ", data, at + 8)
        need(24 + 8 * links <= length <= len(data) - at, f"a whole block at {at}")
        return (data[at + 2:at + 4], struct.unpack_from(f"<{links}q", data, at + 24),
                data[at + 24 + 8 * links:at + length])

    def text(self, at):
        if at == 0:
            return ""
        tag, _, body = self.block(at)
        need(tag in (b"TX", b"MD") and b"\0" in body, f"a text at {at}")
        return body.split(b"\0")[0].decode()

    def records(self, at):
        out, seen = [], 0
        while at:
            tag, links, body = self.block(at)
            if tag == b"DT":
                return b"".join(out) + body
            need(tag == b"DL", f"DT or DL at {at}")
            flags, count = struct.unpack_from("<B3xI", body)
            need(flags == 0 and count == len(links) - 1 and len(body) == 8 + 8 * count, "a list with offsets")
            for link, offset in zip(links[1:], struct.unpack_from(f"<{count}Q", body, 8)):
                need(offset == seen, "the offset of a block is what stands before it")
                part = self.block(link, b"DT")[2]
                out.append(part)
                seen += len(part)
            at = links[0]
        return b"".join(out)


def read_mdf4(path):
    """The columns, and the start of the file in nanoseconds since 1970."""
    with open(path, "rb") as file:
        mdf = Mdf(file.read())
    _, head, head_data = mdf.block(64, b"HD")
    start, _, _, time_flags = struct.unpack_from("<QhhB", head_data)
    need(time_flags & 2, "the start time says its zone")
    need(b"FHcomment" in mdf.text(mdf.block(head[1], b"FH")[1][1]).encode(), "a file history")
    _, group, group_data = mdf.block(head[0], b"DG")
    need(group[0] == 0 and group_data[0] == 0, "one sorted group")
    _, channels, facts = mdf.block(group[1], b"CG")
    _, cycles, _, _, _, width, invalid = struct.unpack("<QQHHIII", facts)
    raw = mdf.records(group[2])
    need(len(raw) >= cycles * (width + invalid), "as many records as it says")
    columns, at, masters = {}, channels[1], 0
    while at:
        _, links, body = mdf.block(at, b"CN")
        kind, sync, data_type, bit, byte, bits = struct.unpack_from("<BBBBII", body)
        need(byte + (bit + bits + 7) // 8 <= width, "a channel lies in its record")
        letters = {(0, 8): "B", (0, 16): "H", (0, 32): "I", (0, 64): "Q", (2, 8): "b", (2, 16): "h", (2, 32): "i",
                   (2, 64): "q", (4, 32): "f", (4, 64): "d"}
        step = width + invalid
        if (data_type, bits) == (0, 1):
            values = [bool(raw[i * step + byte] >> bit & 1) for i in range(cycles)]
            name = "bool1"
        else:
            need(bit == 0 and (data_type, bits) in letters, "a channel of a known type")
            code = struct.Struct("<" + letters[data_type, bits])
            values = [code.unpack_from(raw, i * step + byte)[0] for i in range(cycles)]
            name = {0: "uint", 2: "int", 4: "float"}[data_type] + str(bits // 8)
        labels = {}
        if links[4]:
            _, refs, conversion = mdf.block(links[4], b"CC")
            rule, _, _, count_refs, count = struct.unpack_from("<BBHHH", conversion)
            numbers = struct.unpack_from(f"<{count}d", conversion, 24)
            if rule == 1:
                need(kind == 2 and numbers == (0.0, 1e-9), "only the time is converted, to seconds")
            else:
                need(rule == 7 and count_refs == count + 1, "values with names")
                labels = {mdf.text(ref): int(number) for ref, number in zip(refs[4:], numbers)}
        column = Column(mdf.text(links[6]), name, values, mdf.text(links[7]), labels)
        if kind == 2:
            masters += 1
            need(sync == 1 and column.unit == "s", "the master is time in seconds")
            columns[""] = column
        else:
            need(kind == 0, "a channel with values")
            columns[mdf.text(links[2])] = column
        at = links[0]
    need(masters == 1, "one master")
    return columns, start


# MCAP ---------------------------------------------------------------------------------------------------------------

MCAP = b"\x89MCAP0\r\n"


def _text(data, at):
    length, = struct.unpack_from("<I", data, at)
    need(at + 4 + length <= len(data), "a text inside of its record")
    return data[at + 4:at + 4 + length], at + 4 + length


def _map(data):
    out, at = {}, 0
    while at < len(data):
        key, at = _text(data, at)
        value, at = _text(data, at)
        need(key not in out, "a key of a map once")
        out[key.decode()] = value.decode()
    return out


def _records(data, at, end):
    while at < end:
        need(at + 9 <= end, f"a record at {at}")
        op, length = struct.unpack_from("<BQ", data, at)
        need(op != 0 and at + 9 + length <= end, f"a whole record at {at}")
        yield at, op, data[at + 9:at + 9 + length]
        at += 9 + length


def _protobuf(data):
    """Fields of a message: [(number, wire type, value)]."""
    out, at = [], 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = varint()
        wire = tag & 7
        if wire == 0:
            value = varint()
        elif wire == 2:
            length = varint()
            value = data[at:at + length]
            need(len(value) == length, "a field inside of its message")
            at += length
        else:
            size = {1: 8, 5: 4}[wire]
            value = data[at:at + size]
            at += size
        out.append((tag >> 3, wire, value))
    return out


_FIELD = {1: ("float8", "<d"), 2: ("float4", "<f"), 6: ("uint8", "<Q"), 7: ("uint4", "<I"), 8: ("bool1", None),
          15: ("int4", "<i"), 16: ("int8", "<q")}


class _Message:
    def __init__(self, descriptor, path):
        parts = _protobuf(descriptor)
        self.path = path
        nested = {}
        for number, _, value in parts:
            if number == 3:
                name = next(v for n, _, v in _protobuf(value) if n == 1).decode()
                nested[f"{path}.{name}"] = _Message(value, f"{path}.{name}")
        self.fields = {}
        names = [n.rpartition(".")[2] for n in nested]
        for number, _, value in parts:
            if number != 2:
                continue
            about = {n: v for n, _, v in _protobuf(value)}
            name = about[1].decode()
            names.append(name)
            inner = nested[about[6].decode()] if about[5] == 11 else None
            need(about[3] not in self.fields, "a field number once")
            self.fields[about[3]] = (name, about[5], inner)
        need(len(set(names)) == len(names), "names of a message once")

    def decode(self, data, prefix, out):
        for number, wire, value in _protobuf(data):
            name, kind, inner = self.fields[number]
            if inner is not None:
                inner.decode(value, prefix + name + ".", out)
            elif kind == 8:
                out[prefix + name] = bool(value)
            else:
                out[prefix + name] = struct.unpack(_FIELD[kind][1], value)[0]

    def kinds(self, prefix=""):
        for name, kind, inner in self.fields.values():
            if inner is not None:
                yield from inner.kinds(prefix + name + ".")
            else:
                yield prefix + name, _FIELD[kind][0]


def read_mcap(path, ended=True):
    """The columns, by the names that the messages have, and the metadata of the channel. `ended`: the file was."""
    with open(path, "rb") as file:
        data = file.read()
    need(data[:8] == MCAP, "magic at the beginning")
    end = len(data)
    if ended:
        need(data[-8:] == MCAP, "magic at the end")
        end -= 8
    top = []
    at = 8
    while at + 9 <= end:
        op, length = struct.unpack_from("<BQ", data, at)
        if at + 9 + length > end:
            break
        top.append((at, op, data[at + 9:at + 9 + length]))
        at += 9 + length
    if ended:
        need(at == end, "records from the beginning to the end")
        _check_summary(data, top)
    schema = channel = None
    times, rows, names = [], [], {}
    for index, (at, op, body) in enumerate(top):
        if op == 3 and schema is None:
            number, = struct.unpack_from("<H", body)
            name, after = _text(body, 2)
            encoding, after = _text(body, after)
            text, _ = _text(body, after)
            need(number == 1 and encoding == b"protobuf", "a schema of protobuf")
            file = {n: v for n, _, v in _protobuf(_protobuf(text)[0][2])}
            message = next(v for n, _, v in _protobuf(_protobuf(text)[0][2]) if n == 4)
            own = next(v for n, _, v in _protobuf(message) if n == 1)
            need(file[12] == b"proto3" and file[2] + b"." + own == name, "a message of proto3 with that name")
            schema = _Message(message, "." + name.decode())
            names = dict(schema.kinds())
        elif op == 4 and channel is None:
            need(struct.unpack_from("<HH", body) == (1, 1), "channel 1 of schema 1")
            topic, after = _text(body, 4)
            encoding, after = _text(body, after)
            units, _ = _text(body, after)
            need(encoding == b"protobuf", "messages of protobuf")
            channel = (topic.decode(), _map(units))
        elif op == 6:
            first, last, size, crc = struct.unpack_from("<QQQI", body)
            compression, after = _text(body, 28)
            length, = struct.unpack_from("<Q", body, after)
            inside = body[after + 8:]
            need(compression == b"" and length == len(inside) == size, "a chunk without compression")
            need(zlib.crc32(inside) == crc, "the CRC of a chunk")
            need(channel is not None, "a channel before its messages")
            found = []
            for where, inner, message in _records(inside, 0, len(inside)):
                need(inner == 5, "messages in a chunk")
                number, _, log, publish = struct.unpack_from("<HIQQ", message)
                need(number == 1 and log == publish and first <= log <= last, "times in a chunk")
                found.append((log, where))
                row = {}
                schema.decode(message[22:], "", row)
                need(len(row) == len(names), "all fields in each message")
                times.append(log)
                rows.append(row)
            if index + 1 < len(top):
                need(top[index + 1][1] == 7, "an index behind each chunk")
                listed, _ = _text(top[index + 1][2], 2)
                need([struct.unpack_from("<QQ", listed, i) for i in range(0, len(listed), 16)] == found,
                     "the index of a chunk")
        elif op == 15:
            break
    need(schema is not None and channel is not None, "a schema and a channel")
    columns = {"": Column("ns", "int8", times)}
    for name, kind in names.items():
        columns[name] = Column("", kind, [row[name] for row in rows])
    return columns, channel


def _check_summary(data, top):
    at, op, body = top[-1]
    need(op == 2, "a footer")
    start, offsets, crc = struct.unpack("<QQI", body)
    need(zlib.crc32(data[start:at + 9 + 16]) == crc, "the CRC of the summary")
    ends = [(place, inner) for place, what, inner in top if what == 15]
    need(len(ends) == 1 and struct.unpack("<I", ends[0][1])[0] == zlib.crc32(data[:ends[0][0]]),
         "the CRC of the data")
    summary = list(_records(data, start, offsets))
    groups = {struct.unpack("<BQQ", inner) for _, _, inner in _records(data, offsets, at)}
    for group, place, length in groups:
        need(all(what == group for _, what, _ in _records(data, place, place + length)), "a group of the summary")
    need({what for _, what, _ in summary} == {group for group, _, _ in groups}, "an offset for each group")
    chunks = [(place, len(inner) + 9) for place, what, inner in top if what == 6]
    listed = [struct.unpack_from("<QQQQ", inner)[2:] for _, what, inner in summary if what == 8]
    need(chunks == listed, "an index entry for each chunk")
    for _, what, inner in summary:
        if what == 8:
            place = struct.unpack_from("<HQ", inner, 36)[1]
            need(data[place] == 7, "the place of a message index")
        elif what == 13:
            place, length = struct.unpack_from("<QQ", inner)
            need(data[place] == 12 and struct.unpack_from("<Q", data, place + 1)[0] + 9 == length, "the metadata")


# Trick's .trk -------------------------------------------------------------------------------------------------------

_TRK = {1: "<b", 2: "<B", 4: "<h", 5: "<H", 6: "<i", 7: "<I", 10: "<f", 11: "<d", 14: "<q", 15: "<Q", 17: "<B"}


def read_trk(path, torn=False):
    """The columns. `torn`: the file may end within a row."""
    with open(path, "rb") as file:
        data = file.read()
    need(data[:10] == b"Trick-10-L", "Trick's mark")
    count, = struct.unpack_from("<i", data, 10)
    at, heads = 14, []
    for _ in range(count):
        name, at = _text(data, at)
        unit, at = _text(data, at)
        code, size = struct.unpack_from("<ii", data, at)
        at += 8
        need(struct.calcsize(_TRK[code]) == size, "the size of a type")
        heads.append((name.decode(), unit.decode(), code, size))
    need(heads[0] == ("sys.exec.out.time", "s", 11, 8), "the time first")
    row = sum(size for *_, size in heads)
    need(torn or (len(data) - at) % row == 0, "whole rows")
    rows = (len(data) - at) // row
    columns, place = {}, at
    for name, unit, code, size in heads:
        code_of = struct.Struct(_TRK[code])
        values = [code_of.unpack_from(data, place + i * row)[0] for i in range(rows)]
        kind = "bool1" if code == 17 else ("float" if code in (10, 11) else "uint" if code in (2, 5, 7, 15)
                                           else "int") + str(size)
        if code == 17:
            need(all(value in (0, 1) for value in values), "booleans")
            values = [bool(value) for value in values]
        columns[name] = Column(unit, kind, values)
        place += size
    columns[""] = columns.pop("sys.exec.out.time")
    return columns


# HDF5 ---------------------------------------------------------------------------------------------------------------

def read_hdf5(path, group, swmr=False):
    import h5py

    def text(value):
        return value.decode() if isinstance(value, bytes) else value
    with h5py.File(path, "r", swmr=swmr) as file:
        sets = file[group]
        rows = min(each.shape[0] for each in sets.values())
        columns = {}
        for name, each in sets.items():
            kind = {"f": "float", "i": "int", "u": "uint"}[each.dtype.kind] + str(each.dtype.itemsize)
            labels = {}
            if "flag_values" in each.attrs:
                names = text(each.attrs["flag_meanings"]).split(" ")
                labels = dict(zip(names, (int(value) for value in each.attrs["flag_values"])))
            columns["" if name == "time" else name] = Column(
                text(each.attrs.get("units", "")), kind, each[:rows].tolist(),
                text(each.attrs["long_name"]) if name != "time" else "", labels)
        return columns
