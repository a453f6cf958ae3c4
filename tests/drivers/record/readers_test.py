# SPDX-License-Identifier: Apache-2.0
"""Recordings that tactus writes, read by readers that are none of ours: those of readers.py, h5py, and from npm @mcap/core
and jsfive where they are installed. Values, times, units, types, descriptions are equal to the last bit.

    readers_test.py --tool WRITE_RECORDINGS [--without hdf5] [--kills 20] [--seed NUMBER] GROUP

Groups: Values, Kills, Node. Status 77: skipped, and why. A file that is not read as it should be is kept, and named.
"""
import argparse
import json
import math
import multiprocessing
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import readers  # noqa: E402

FILES = {"mdf4": "tape.mf4", "mcap": "tape.mcap", "trk": "log_tape.trk", "hdf5": "tape.h5", "csv": "tape.csv"}
EPOCH = 1_108_425_600_123_456_789
CODES = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
         "int64": "q", "uint64": "Q", "float": "f", "double": "d"}
KINDS = {"bool": "bool1", "int8": "int1", "uint8": "uint1", "int16": "int2", "uint16": "uint2", "int32": "int4",
         "uint32": "uint4", "int64": "int8", "uint64": "uint8", "float": "float4", "double": "float8"}
READING_S = 100  # a library may wait for ever for a file to become whole
WIDER = {"int1": "int4", "int2": "int4", "uint1": "uint4", "uint2": "uint4"}  # protobuf has no smaller ones


def tool(options, *words):
    done = subprocess.run([options.tool, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode} from {words}: {done.stdout}")


def expected(options, folder, seed, rows, columns):
    """[(column of JSON, values)], the time first."""
    tool(options, "expect", folder, "-", seed, rows, columns)
    head = json.loads((folder / "expected.json").read_text())
    code = struct.Struct("<q" + "".join(CODES[each["type"]] for each in head["columns"]))
    records = list(code.iter_unpack((folder / "expected.bin").read_bytes()))
    assert len(records) == rows
    columns = [{"name": "", "type": "int64", "unit": "s"}, *head["columns"]]
    return [(each, [record[i] for record in records]) for i, each in enumerate(columns)]


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return math.isnan(a) and math.isnan(b) or struct.pack("<d", a) == struct.pack("<d", b)
    return type(a) is type(b) and a == b


def check(what, wanted, got, rows=None):
    for row, (a, b) in enumerate(zip(wanted, got)):
        assert same(a, b), f"{what}, record {row}: {b!r} instead of {a!r}"
    assert len(got) == (len(wanted) if rows is None else rows), f"{what}: {len(got)} records"


def mcap_name(name):
    return name.replace("[", "_").replace("]", "")


def compare(form, path, wanted, **how):
    """Reads a file, and compares it with what was written; how many records it has."""
    start = channel = None
    if form == "mdf4":
        columns, start = readers.read_mdf4(path)
        assert start == EPOCH, start
    elif form == "mcap":
        columns, channel = readers.read_mcap(path, ended=how.get("ended", True))
        assert channel[0] == "/tape", channel
    elif form == "trk":
        columns = readers.read_trk(path, torn=not how.get("ended", True))
    else:
        columns = readers.read_hdf5(path, "tape", swmr=how.get("swmr", False))
    rows = len(columns[""].values)
    assert len(columns) == len(wanted), f"{form}: {len(columns)} columns instead of {len(wanted)}"
    for about, values in wanted:
        name, kind = about["name"], KINDS[about["type"]]
        what = f"{form}, {name or 'time'}"
        column = columns[mcap_name(name) if form == "mcap" else name]
        values = values[:rows] if how.get("prefix") else values
        if name == "":
            if form == "trk":
                values = [value / 1e9 for value in values]
            elif form == "mcap":
                values = [EPOCH + value for value in values]
            check(what, values, column.values)
            if form == "hdf5":
                assert column.unit == "nanoseconds since 2005-02-15 00:00:00.123456789", column.unit
            continue
        if form == "hdf5" and kind == "bool1":  # HDF5 has none
            values, kind = [int(value) for value in values], "uint1"
            assert column.labels == {"false": 0, "true": 1}, column.labels
        check(what, values, column.values)
        wanted_kind = WIDER.get(kind, kind) if form == "mcap" else kind
        assert column.kind == wanted_kind, f"{what}: {column.kind} instead of {wanted_kind}"
        unit = about["unit"]
        if form == "trk":
            assert column.unit == (unit if unit not in ("", "1") else "--"), f"{what}: {column.unit}"
        elif form == "mcap":
            assert channel[1].get("unit." + name, "") == unit, what
        else:
            assert column.unit == unit, f"{what}: unit {column.unit!r} instead of {unit!r}"
        if form in ("mdf4", "hdf5"):
            text = about.get("about", "") or (name if form == "hdf5" else "")
            assert column.about == text, f"{what}: {column.about!r}"
        labels = about.get("labels", {})
        if form == "mdf4":
            assert column.labels == labels, f"{what}: {column.labels}"
        elif form == "hdf5" and labels:
            # The labels of a uint64 are all 64 bits, as an int64 has them.
            wanted_labels = {name.replace(" ", "_"): value % 2 ** 64 if about["type"] == "uint64" else value
                             for name, value in labels.items()}
            assert column.labels == wanted_labels, f"{what}: {column.labels}"
    return rows


def compared(what, form, path, wanted, **how):
    """compare() in a process of its own, with an end. What fails is said with the file, which is kept."""
    def run(answer):
        try:
            answer.send((compare(form, path, wanted, **how), ""))
        except Exception as error:  # of any reader
            answer.send((None, f"{type(error).__name__}: {error}"))
    fork = multiprocessing.get_context("fork")
    ours, theirs = fork.Pipe(duplex=False)
    reader = fork.Process(target=run, args=(theirs,))
    reader.start()
    theirs.close()
    rows, why = None, f"was not read within {READING_S} s"
    if ours.poll(READING_S):
        try:
            rows, why = ours.recv()
        except EOFError:
            why = "its reader died"
    reader.kill()
    reader.join()
    if rows is None:
        kept = tempfile.mkdtemp(prefix="tactus-kept-")
        for each in path.parent.iterdir():
            shutil.copy(each, kept)
        sys.exit(f"{what}: {why}; the file is kept in {kept}")
    return rows


def values(options, folder):
    for seed, rows, columns in ((1, 0, 30), (2, 1, 11), (3, 700, 33), (4, 5, 1000), (5, 5000, 12),
                                (random.randrange(1 << 60), 300, 60)):
        print(f"seed {seed}, {rows} records of {columns} columns")
        wanted = expected(options, folder, seed, rows, columns)
        for form in options.formats:
            for mode in ("write", "export"):
                path = folder / FILES[form]
                tool(options, mode, folder, form, seed, rows, columns)
                assert compared(f"{form}, {mode}, seed {seed}", form, path, wanted) == rows
                path.unlink()


def kills(options, folder):
    seed = random.randrange(1 << 60) if options.seed is None else options.seed
    print("seed", seed, flush=True)
    for form in options.formats:
        chance = random.Random(f"{seed} {form}")
        path = folder / FILES[form]
        for number in range(options.kills):
            columns, flush = chance.choice((3, 12, 40)), chance.choice((1, 7, 100))
            rig = subprocess.Popen([options.tool, "run", folder, form, str(seed), str(flush), str(columns)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            # So many flushes, and so many turns of an empty loop, later: any moment of its work.
            for _ in range(chance.randrange(1, 60)):
                flushed = int(rig.stdout.readline())
            for _ in range(chance.randrange(20000)):
                pass
            rig.kill()
            said = rig.stdout.read().splitlines()
            rig.wait()
            flushed = int(said[-1]) if said else flushed
            size = path.stat().st_size
            most = flushed + 2 * flush + 1
            wanted = expected(options, folder, seed, most, columns)
            what = f"{form}, seed {seed}, kill {number}, {columns} columns, flushed each {flush}"
            rows = compared(what, form, path, wanted, ended=False, swmr=True, prefix=True)
            assert flushed <= rows <= most, f"{what}: {rows} records of {flushed} that were flushed; {size} bytes"
            path.unlink()
        print(f"{form}: {options.kills} kills, all that was flushed is there", flush=True)


NODE_MCAP = """
import fs from 'fs'; import {createRequire} from 'module';
const require = createRequire(process.env.TACTUS_NODE_MODULES + '/x.js');
const {McapIndexedReader} = require('@mcap/core');
const {protobufFromBinaryDescriptor} = require('@mcap/support');
const data = fs.readFileSync(process.argv[2]);
const readable = {async size() { return BigInt(data.length); },
  async read(at, length) { return new Uint8Array(data.buffer, data.byteOffset + Number(at), Number(length)); }};
(async () => {
  const file = await McapIndexedReader.Initialize({readable});
  const times = [], rows = [];
  let type = null;
  for await (const message of file.readMessages({validateCrcs: true})) {
    if (!type) {
      const schema = file.schemasById.get(file.channelsById.get(message.channelId).schemaId);
      type = protobufFromBinaryDescriptor(schema.data).lookupType(schema.name);
    }
    times.push(String(message.logTime));
    rows.push(type.toObject(type.decode(message.data), {longs: String, defaults: true}));
  }
  const plain = (key, value) => typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))
    ? 'number ' + (Object.is(value, -0) ? '-0' : value) : value;
  console.log(JSON.stringify({times, rows, count: String(file.statistics.messageCount)}, plain));
})();
"""
NODE_HDF5 = """
import fs from 'fs'; import {createRequire} from 'module';
const require = createRequire(process.env.TACTUS_NODE_MODULES + '/x.js');
const hdf5 = require('jsfive');
const data = fs.readFileSync(process.argv[2]);
const group = new hdf5.File(data.buffer.slice(data.byteOffset, data.byteOffset + data.length)).get('tape');
const out = {};
for (const name of group.keys) {
  const set = group.get(name);
  out[name] = {values: Array.from(set.value, value => typeof value === 'bigint' ? String(value)
    : !Number.isFinite(value) || Object.is(value, -0) ? 'number ' + (Object.is(value, -0) ? '-0' : value) : value),
    units: set.attrs.units};
}
console.log(JSON.stringify(out));
"""


def node(options, folder):
    modules = os.environ.get("TACTUS_NODE_MODULES", "")
    if not shutil.which("node") or not modules:
        print("skipped: needs node, and TACTUS_NODE_MODULES: a folder with @mcap/core, @mcap/support and jsfive of npm")
        sys.exit(77)

    def run(script, path):
        (folder / "read.mjs").write_text(script)
        done = subprocess.run(["node", folder / "read.mjs", path], stdout=subprocess.PIPE, text=True, timeout=300,
                              check=True)
        return json.loads(done.stdout)

    def number(value):
        return float(value[7:].replace("Infinity", "inf")) if isinstance(value, str) and value[:7] == "number " else value
    tested = 0
    rows, columns = 300, 33
    wanted = expected(options, folder, 8, rows, columns)
    if os.path.isdir(os.path.join(modules, "node_modules", "@mcap", "core")):
        tool(options, "write", folder, "mcap", 8, rows, columns)
        got = run(NODE_MCAP, folder / FILES["mcap"])
        assert got["count"] == str(rows) and [int(t) - EPOCH for t in got["times"]] == wanted[0][1]
        for about, column in wanted[1:]:
            for row, value in zip(got["rows"], column):
                for part in mcap_name(about["name"]).split("."):
                    row = row[part] if part in row else row["".join(
                        word.capitalize() if i else word for i, word in enumerate(part.split("_")))]
                row = number(row)
                if isinstance(value, float):
                    row = float(row)
                elif isinstance(row, str):
                    row = int(row)
                assert same(value, row), f"{about['name']}: {row!r} instead of {value!r}"
        print("@mcap/core reads", rows, "records")
        tested += 1
    if os.path.isdir(os.path.join(modules, "node_modules", "jsfive")) and "hdf5" in options.formats:
        tool(options, "export", folder, "hdf5", 8, rows, columns)
        got = run(NODE_HDF5, folder / FILES["hdf5"])
        for about, column in wanted:
            found = got[about["name"] or "time"]
            for value, read in zip(column, found["values"]):
                read = number(read)
                if isinstance(value, float):
                    assert same(value, float(read)), f"{about['name']}: {read!r} instead of {value!r}"
                elif about["type"] in ("int64", "uint64") and not isinstance(read, str):
                    assert float(value) == float(read)  # a reader without whole numbers of 64 bits
                else:
                    assert int(value) == int(read), f"{about['name']}: {read!r} instead of {value!r}"
            assert len(found["values"]) == rows
            if about["name"]:
                assert (found.get("units") or "") == about["unit"], about["name"]
        print("jsfive reads", rows, "records")
        tested += 1
    if tested == 0:
        print(f"skipped: {modules} holds neither @mcap/core nor jsfive")
        sys.exit(77)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--tool", required=True)
    arguments.add_argument("--without", action="append", default=[])
    arguments.add_argument("--kills", type=int, default=20)
    arguments.add_argument("--seed", type=int, help="of the kills; each moment is another one all the same")
    arguments.add_argument("group", choices=["Values", "Kills", "Node"])
    options = arguments.parse_args()
    options.formats = [form for form in ("mdf4", "mcap", "trk", "hdf5") if form not in options.without]
    if "hdf5" in options.formats:
        try:
            import h5py  # noqa: F401
        except ImportError:
            print("without h5py (Debian: python3-h5py) HDF5 is not looked at")
            options.formats.remove("hdf5")
    with tempfile.TemporaryDirectory(prefix="tactus-readers-") as folder:
        {"Values": values, "Kills": kills, "Node": node}[options.group](options, pathlib.Path(folder))


main()
