# SPDX-License-Identifier: Apache-2.0
"""A rig of 1 kHz to which nothing is done: whatever makes it late is the machine's. A second judge is a real-time thread on the
same CPU, above the rig's, which says when it could not run either (`gap_watch`). Each frame late by more than half a
millisecond is compared with it.

    clean_hours_test.py --source CHECKOUT --tactus PROGRAM --gap-watch PROGRAM --victim LIBRARY
                        [--minutes N] [--work FOLDER] [--first-cpu] [--table]

`machine_stopped` is confirmed where the judge could not run for more than half of the cause's share either; `computed` and
`housekeeping`, which say that the thread had its CPU, and the machine ran, where it could. Of other causes the table says how
often the judge could not run.

--work: what was found is kept there, a part of a minute at a time; a second call goes on. Exit status 0: of 95 in 100 of
them the judge says the same; 77: this machine does not let a rig be watched.
"""
import argparse
import bisect
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True, type=pathlib.Path)
parser.add_argument("--tactus", required=True)
parser.add_argument("--gap-watch", required=True)
parser.add_argument("--victim", required=True)
parser.add_argument("--minutes", type=float, default=40)
parser.add_argument("--work", type=pathlib.Path)
parser.add_argument("--first-cpu", action="store_true")
parser.add_argument("--table", action="store_true")
args = parser.parse_args()
sys.dont_write_bytecode = True
sys.path += [str(args.source.resolve() / "scripts"), str(pathlib.Path(__file__).parent)]

from kinds import Kind  # noqa: E402  (the paths are made above)
from tactus_client import Rig  # noqa: E402
from victim_rig import Cpus, VictimRig  # noqa: E402

SKIPPED = 77
PERIOD_US = 1000
EVERY_US = 200   # wakes of the judge
PART = 60       # s
LEAST_NS = 500_000
SHARE = 0.5
ENOUGH = 0.95
RUNS = {"computed", "housekeeping"}  # they say that the machine ran
CLEAN = Kind("clean", (), work_us=200)


class Gaps:
    """When the judge could not run: (due, came), in order."""

    def __init__(self, text):
        self.gaps = [tuple(map(int, line.split())) for line in text.splitlines()]
        self.ends = [came for _, came in self.gaps]
        self.begin, self.end = self.gaps[0][0], self.gaps[-1][1]

    def within(self, begin, end):
        """Those parts of them."""
        found = []
        for due, came in self.gaps[bisect.bisect_left(self.ends, begin):]:
            if due >= end:
                break
            found.append((max(begin, due), min(end, came)))
        return found


def run_part(work, seconds):
    """What the rig said of its late frames in that time, and what the judge says of them: rows for the table."""
    rig = VictimRig(CLEAN, args.tactus, args.victim, work / "run", Rig, PERIOD_US)
    judge = None
    try:
        rig.wait_for_frames()
        with open(work / "gaps.txt", "w", encoding="ascii") as said:
            judge = subprocess.Popen([args.gap_watch, str(Cpus.rig), str(EVERY_US), str(seconds)], stdout=said)
        while judge.poll() is None:
            time.sleep(2)
            rig.look()
    finally:
        if judge is not None and judge.poll() is None:
            judge.terminate()
            judge.wait()
        status = rig.stop()
    if status != 0:
        raise RuntimeError(f"the rig ended with {status}: {rig.said()}")
    if judge.returncode != 0:
        raise RuntimeError(f"the judge ended with {judge.returncode}")
    if (refused := rig.may_not_be_watched()):
        print(f"skipped: {refused}")
        sys.exit(SKIPPED)
    nows = {round(float(row["sys.exec.out.time"]) * 1e6 / PERIOD_US): int(row["begin.now"]) for row in rig.rows("v.csv")}
    return compare(rig, nows, Gaps((work / "gaps.txt").read_text()))


def compare(rig, nows, gaps):
    rows = {int(row["rt.frame"]): row for row in rig.rows("frames.csv")}
    usual = statistics.median(int(row["rt.work"]) for row in rows.values())
    found = {"frames": len(rows), "causes": {}}
    for frame, row in rows.items():
        if frame < 200 or frame not in nows or row["rt.cause"] in ("none", "catching_up"):
            continue
        late, work = max(int(row["rt.late"]), 0), int(row["rt.work"])
        begin, end = nows[frame] - late, nows[frame] + work
        share = max(late + max(work - usual, 0), -int(row["rt.slack"])) - int(row["rt.beside_time"])
        if share < LEAST_NS or begin < gaps.begin + LEAST_NS or end > gaps.end - LEAST_NS:
            continue
        stops = gaps.within(begin - int(row["rt.behind"]), end)
        stopped = sum(to - since for since, to in stops)
        of = found["causes"].setdefault(row["rt.cause"], {"frames": 0, "stopped": 0})
        of["frames"] += 1
        of["stopped"] += 1 if stopped > share * SHARE else 0
        runs = row["rt.cause"] in RUNS
        if (runs and stopped > share * SHARE) or (row["rt.cause"] == "machine_stopped" and stopped <= share * SHARE):
            entry = rig.entries.get(frame)
            print(f"frame {frame}: {row['rt.cause']} {share / 1e6:.2f} ms, beside {row['rt.beside']} "
                  f"{int(row['rt.beside_time']) / 1e6:.2f} ms; late {late / 1e6:.2f}, work {work / 1e6:.2f}; "
                  f"the judge could not run {[(round((a - begin) / 1e6, 3), round((b - begin) / 1e6, 3)) for a, b in stops]} "
                  f"ms after its slot: {entry['text'] if entry else ''}", flush=True)
    return found


def print_table(parts):
    """Confirmed `machine_stopped` and all of these; where the machine stops in pieces, docs/causes-evidence.md does not
    promise the others."""
    frames = sum(part["frames"] for part in parts)
    causes = collections.defaultdict(collections.Counter)
    for part in parts:
        for cause, of in part["causes"].items():
            causes[cause].update(of)
    print(f"{frames} frames, {frames * PERIOD_US / 60e6:.1f} minutes")
    print(f"{'cause':16} {'0.5 ms or more':>14} {'judge stopped':>13} {'confirmed':>9}")
    confirmed = judged = 0
    for cause, of in sorted(causes.items()):
        same = ""
        if cause in RUNS or cause == "machine_stopped":
            same = of["frames"] - of["stopped"] if cause in RUNS else of["stopped"]
        if cause == "machine_stopped":
            confirmed, judged = same, of["frames"]
        print(f"{cause:16} {of['frames']:14} {of['stopped']:13} {same:>9}")
    print(f"machine_stopped confirmed: {confirmed} of {judged}", flush=True)
    return confirmed, judged


def main():
    if os.geteuid() != 0:
        print("skipped: a real-time thread above the rig needs a privileged user")
        sys.exit(SKIPPED)
    if args.first_cpu:
        Cpus.swap()
    with tempfile.TemporaryDirectory(prefix="tactus-clean-") as folder:
        work = (args.work or pathlib.Path(folder)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        kept = work / "parts.json"
        parts = json.loads(kept.read_text()) if kept.exists() else []
        until = time.monotonic() + args.minutes * 60
        while not args.table and (left := until - time.monotonic()) > 5:
            parts.append(run_part(work, max(5, int(min(left, PART)))))
            kept.write_text(json.dumps(parts))
        confirmed, judged = print_table(parts)
    if judged == 0:
        print("skipped: this machine did not stop for 0.5 ms")
        sys.exit(SKIPPED)
    sys.exit(0 if confirmed >= ENOUGH * judged else 1)


if __name__ == "__main__":
    main()
