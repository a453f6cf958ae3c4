# SPDX-License-Identifier: Apache-2.0
"""Rigs are made late on purpose, in some seventy ways, and name the cause of each frame: in a job, from outside by the
program `thief`, or by a limit. What was done, and when, is told by who did it. A table says how many frames were made late in
each way, and what the rig said of them.

    injections_test.py --source CHECKOUT --tactus PROGRAM --thief PROGRAM --victim LIBRARY
                       [--work FOLDER] [--least N] [--only PATTERN] [--tries N] [--first-cpu] [--table]

A frame counts where at least three quarters of what it was too late are of one injection. Frames that are late for another
reason are the machine's, and do not count; nor does a wrong name where the machine stood still meanwhile, by its steal time or
the clock of who computed: that is `left out`.

--first-cpu: on the first CPU instead of the last one, which rigs take that say nothing else.
--work: what was found is kept there, and a second call goes on with the ways that have not enough frames yet. --table prints
only what is there. Exit status 0: no name was wrong, and at most 2 % of all were unknown where they should not be; 77: this
machine does not let a rig be watched.
"""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True, type=pathlib.Path)
parser.add_argument("--tactus", required=True)
parser.add_argument("--thief", required=True)
parser.add_argument("--victim", required=True)
parser.add_argument("--work", type=pathlib.Path)
parser.add_argument("--least", type=int, default=40)
parser.add_argument("--only", default="")
parser.add_argument("--tries", type=int, default=6)
parser.add_argument("--first-cpu", action="store_true")
parser.add_argument("--table", action="store_true")
args = parser.parse_args()
sys.dont_write_bytecode = True
sys.path += [str(args.source.resolve() / "scripts"), str(pathlib.Path(__file__).parent)]

from kinds import ALL, PERIOD_US  # noqa: E402  (the paths are made above)
from tactus_client import Rig  # noqa: E402
from victim_rig import PATIENCE, Cpus, StealWatch, StopWatch, VictimRig  # noqa: E402

SKIPPED = 77
SHARE = 0.75
EVERY = 25  # calls of the model
MOST_UNKNOWN = 0.02
MOST_LIKE_A_LIMIT = 0.1
TRACEPOINTS = pathlib.Path("/sys/kernel/tracing/events")  # without them, debuggers and limits of real-time groups are unknown
COUNTS = ("right", "unknown", "wrong", "left_out", "named", "misnamed", "machine")


def see_tracepoints():
    """Mounts the kernel's tracepoints for this process and what it starts, where this machine does not show them."""
    if TRACEPOINTS.exists() or "TACTUS_OWN_MOUNTS" in os.environ or subprocess.run(["unshare", "--mount", "true"]).returncode:
        return
    mount = 'mount -t tracefs nodev /sys/kernel/tracing; exec "$@"'
    os.environ["TACTUS_OWN_MOUNTS"] = "yes"
    os.execvp("unshare", ["unshare", "--mount", "sh", "-c", mount, "sh", sys.executable, *sys.argv])


def groups_of(pid, controller):
    for line in pathlib.Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            return path.lstrip("/")
    return ""


@contextlib.contextmanager
def group(controller, files, pid, tid):
    """A control group of the first kind with that thread in it; its folder. Nothing where it cannot be made."""
    root = pathlib.Path("/sys/fs/cgroup") / controller
    folder = root / f"tactus-injections-{os.getpid()}"
    old = root / groups_of(pid, controller) / "tasks"
    try:
        folder.mkdir()
    except OSError as error:
        raise Lacks(f"no control group can be made: {error}") from error
    try:
        for name, text in files:
            (folder / name).write_text(text)
        (folder / "tasks").write_text(str(tid))
        yield folder
    except FileNotFoundError as error:
        raise Lacks(f"the kernel has no {error.filename}") from error
    finally:
        with contextlib.suppress(OSError):
            (folder / "freezer.state").write_text("THAWED")
        with contextlib.suppress(OSError):
            old.write_text(str(tid))
        time.sleep(0.05)
        with contextlib.suppress(OSError):
            folder.rmdir()


@contextlib.contextmanager
def unified_group(pid):
    """A control group of cgroup v2 with that process in it; its folder. Nothing where it cannot be made."""
    root = next((root for root in map(pathlib.Path, ("/sys/fs/cgroup/unified", "/sys/fs/cgroup"))
                 if (root / "cgroup.procs").exists()), None)
    if root is None:
        raise Lacks("cgroup v2 is not mounted")
    folder = root / f"tactus-injections-{os.getpid()}"
    old = root / groups_of(pid, "") / "cgroup.procs"
    try:
        folder.mkdir()
        (folder / "cgroup.procs").write_text(str(pid))
    except OSError as error:
        raise Lacks(f"no control group can be made: {error}") from error
    try:
        yield folder
    finally:
        with contextlib.suppress(OSError):
            (folder / "cgroup.freeze").write_text("0")
        with contextlib.suppress(OSError):
            old.write_text(str(pid))
        time.sleep(0.05)
        with contextlib.suppress(OSError):
            folder.rmdir()


class Lacks(Exception):
    """What this machine has not."""


@contextlib.contextmanager
def hog():
    """An ordinary thread that computes on the rig's CPU."""
    with subprocess.Popen(["taskset", "-c", str(Cpus.rig), "timeout", "120", "sh", "-c", "while :; do :; done"]) as process:
        try:
            yield
        finally:
            process.terminate()


def steal_thread_time(rig, kind, times):
    """By `thief`: what it did, as (begin, end, gap)."""
    more = []
    with contextlib.ExitStack() as stack:
        if kind.hog:
            stack.enter_context(hog())
        if kind.way == "freeze" and kind.unified:
            more = [str(stack.enter_context(unified_group(rig.pid)) / "cgroup.freeze")]
        elif kind.way == "freeze":
            more = [str(stack.enter_context(group("freezer", [], rig.pid, rig.tid)) / "freezer.state")]
        command = [args.thief, kind.way, str(Cpus.rig), str(kind.every_us), str(kind.for_us), str(times), str(rig.pid),
                   str(rig.tid), *more]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as thief:
            while thief.poll() is None:
                time.sleep(0.5)
                rig.look()
            said, error = thief.communicate()
    if thief.returncode < 0 or (thief.returncode != 0 and not error.strip()):
        raise RuntimeError(f"{kind.name}: thief ended with {thief.returncode}")
    if thief.returncode != 0:
        raise Lacks(error.strip())
    return [tuple(map(int, line.split())) for line in said.splitlines()]


def run_again_and_again(rig, command, seconds, times):
    """A tool that looks into the rig; the time of each call."""
    done = []
    for _ in range(times):
        begin = time.monotonic_ns()
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=PATIENCE,
                       check=False)
        done.append((begin, time.monotonic_ns(), 0))
        time.sleep(seconds)
        rig.look()
    return done


def wait_until_watched(pid, folder):
    """Until the rig has opened what the kernel counts of the group's stops."""
    stat = str((folder / "cpu.stat").resolve())
    for _ in range(3000):
        for each in pathlib.Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):  # closed meanwhile
                if os.readlink(each) == stat:
                    return
        time.sleep(0.01)
    raise AssertionError(f"the rig has not opened {stat} in 30 s")


def during(rig, kind, times):
    """What lasts for some seconds, and makes frames late in it."""
    begin = time.monotonic_ns()
    if kind.during == "quota":
        files = [("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "20000")]
        with hog() if kind.hog else contextlib.nullcontext(), group("cpu", files, rig.pid, rig.tid) as folder:
            wait_until_watched(rig.pid, folder)
            watch = StopWatch(folder)
            wait(rig, times * 0.1)
            watch.stop()
        return watch.stops
    if kind.during == "rt_group":
        with group("cpu", [("cpu.rt_period_us", "50000"), ("cpu.rt_runtime_us", "20000")], rig.pid, rig.tid):
            wait(rig, times * 0.05)
    elif kind.during == "freezer":
        with group("freezer", [], rig.pid, rig.tid):
            wait(rig, 0.5)  # until the rig has found it
            begin = time.monotonic_ns()
            wait(rig, EVERY * PERIOD_US * 1e-6 * (times + 3))
            return [(begin, time.monotonic_ns(), 0)]
    elif kind.during == "strace":
        return run_again_and_again(rig, ["timeout", "0.2", "strace", "-f", "-o", "/dev/null", "-p", str(rig.pid)], 0.3, times // 8)
    return [(begin, time.monotonic_ns(), 0)]


def wait(rig, seconds):
    until = time.monotonic() + seconds
    while time.monotonic() < until and rig.process.poll() is None:
        time.sleep(0.5)
        rig.look()


def deeds(kind, rows):
    """What the models did in their jobs, as (begin, end, gap)."""
    done = {}
    last = kind.jobs - 1
    for row in rows:
        began, ended = int(row["v0.began"]), int(row[f"v{last}.ended"])
        if began and ended > began:
            done[began] = (began, ended, max(int(row[f"v{i}.gap"]) for i in range(kind.jobs)))
    return list(done.values())


class Judge:
    """Compares what was done with what the rig says of its frames."""

    def __init__(self, kind, rig, done, steal, offset):
        self.kind, self.rig, self.done, self.steal, self.offset = kind, rig, done, steal, offset
        self.counts = collections.Counter()
        self.said = collections.Counter()  # wrong words, and lines that name no culprit
        self.aside = collections.Counter()
        self.details = []

    def run(self, nows):
        rows = {int(row["rt.frame"]): row for row in self.rig.rows("frames.csv")}
        usual = statistics.median(int(row["rt.work"]) for row in rows.values())
        for frame, row in rows.items():
            if frame < 50 or frame not in nows:
                continue
            late, work = max(int(row["rt.late"]), 0), int(row["rt.work"])
            excess = max(late + max(work - usual, 0), -int(row["rt.slack"]))
            slot = nows[frame] - late
            # Main waits for a thread with a period before its first job.
            if self.kind.causes == ("waited",) and self.kind.thread and frame - 1 in nows:
                slot = nows[frame - 1] - max(int(rows[frame - 1]["rt.late"]), 0) + PERIOD_US * 1000
            if excess >= self.kind.least_us * 1000:
                self.judge(frame, row, excess, slot, slot + late + work)

    def judge(self, frame, row, excess, slot, end):
        overlap, begin, to, gap = max(((min(end, e) - max(slot, b), b, e, gap) for b, e, gap in self.done),
                                      default=(0, 0, 0, 0))
        cause = row["rt.cause"]
        if overlap < excess * SHARE:
            self.counts["left_out" if overlap > excess * 0.1 else "machine"] += 1
            self.aside[f"{cause}, a part"] += 1 if overlap > excess * 0.1 else 0
            return
        beside = self.kind.beside if int(row["rt.late"]) > excess // 2 else ""
        right = cause in self.kind.causes and (not beside or row["rt.beside"] == beside)
        stolen = gap > (to - begin) // 3 or self.steal.was_stolen(slot - self.offset, end - self.offset)
        if right:
            self.counts["right"] += 1
        elif cause in ("catching_up", "none") or stolen:
            self.counts["left_out"] += 1
            self.aside[cause] += 1
            return
        elif cause == "unknown":
            self.counts["unknown"] += 1
        else:
            self.counts["wrong"] += 1
            self.said[cause if not self.kind.beside else f"{cause}, beside {row['rt.beside']}"] += 1
        entry = self.rig.entries.get(frame)
        line = entry["text"] if entry else ""
        if right and entry and self.kind.text:
            named = re.search(self.kind.text, line) is not None
            self.counts["named" if named else "misnamed"] += 1
            right = named or stolen
        if not right:
            self.details.append(f"frame {frame}: {cause} beside {row['rt.beside']}, excess {excess / 1e6:.2f} ms, injected "
                                f"{(begin - slot) / 1e6:.2f} .. {(to - slot) / 1e6:.2f} ms after its slot: {line}")


def inject(kind, work, times):
    """Counts of one run; the work folder holds the run."""
    steal = StealWatch()
    rig = VictimRig(kind, args.tactus, args.victim, work, Rig)
    offset = 1000 * 10**9 if kind.prefix else 0
    try:
        rig.wait_for_frames()
        if kind.way:
            done = steal_thread_time(rig, kind, times)
        elif kind.during:
            done = during(rig, kind, times)
        else:
            wait(rig, EVERY * PERIOD_US * 1e-6 * (times + 3) * (4 if kind.time_us > 20_000 else 1))
            done = []
    finally:
        status = rig.stop()
        steal.stop()
    if status != 0:
        raise RuntimeError(f"{kind.name}: the rig ended with {status}\n{rig.said()}")
    if (refused := rig.may_not_be_watched()):
        raise Lacks(refused)
    rows = list(rig.rows("v.csv"))
    nows = {round(float(row["sys.exec.out.time"]) * 1e6 / PERIOD_US): int(row["begin.now"]) for row in rows}
    judge = Judge(kind, rig, done or deeds(kind, rows), steal, offset)
    judge.run(nows)
    return judge


def counted(found):
    return found["right"] + found["unknown"] + found["wrong"]


def print_table(results):
    print(f"{'injected':37} {'frames':>6} {'right':>6} {'unknown':>7} {'wrong':>6} {'left out':>8}  by name  not named")
    total = collections.Counter()
    for kind in ALL:
        if kind.name not in results:
            continue
        found = collections.Counter({name: results[kind.name].get(name, 0) for name in COUNTS})
        total.update(found)
        said = ", ".join(f"{count} {word}" for word, count in results[kind.name].get("said", {}).items())
        print(f"{kind.name:37} {counted(found):6} {found['right']:6} {found['unknown']:7} {found['wrong']:6} {found['left_out']:8}"
              f" {found['named']:8} {found['misnamed']:10}  {said or results[kind.name].get('lacks', '')}")
    print(f"{'all':37} {counted(total):6} {total['right']:6} {total['unknown']:7} {total['wrong']:6} {total['left_out']:8}"
          f" {total['named']:8} {total['misnamed']:10}", flush=True)
    return total


def run_all(work):
    kept = work / "results.json"
    results = json.loads(kept.read_text()) if kept.exists() else {}
    kinds = [kind for kind in ALL if re.search(args.only, kind.name)]
    for kind in [] if args.table else kinds:
        tries = 0
        while counted(collections.Counter(results.get(kind.name, {}))) < args.least and tries < args.tries:
            tries += 1
            row = results.setdefault(kind.name, {name: 0 for name in COUNTS} | {"said": {}})
            try:
                judge = inject(kind, work / "run", args.least + 4)
            except Lacks as error:
                row["lacks"] = str(error)
                break
            for name in COUNTS:
                row[name] += judge.counts[name]
            for word, count in judge.said.items():
                row["said"][word] = row["said"].get(word, 0) + count
            print(f"{kind.name}: {dict(judge.counts)}; left out: {dict(+judge.aside)}", flush=True)
            for line in judge.details:
                print(f"    {line}", flush=True)
            kept.write_text(json.dumps(results, indent=1))
    return {name: row for name, row in results.items() if name in {kind.name for kind in kinds}}


def main():
    if os.geteuid() != 0:
        print("skipped: real-time threads, debuggers and control groups need a privileged user")
        sys.exit(SKIPPED)
    see_tracepoints()
    if args.first_cpu:
        Cpus.swap()
    with tempfile.TemporaryDirectory(prefix="tactus-inject-") as folder:
        work = args.work or pathlib.Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        results = run_all(work.resolve())
    total = print_table(results)
    if results and all(row.get("lacks") and not counted(collections.Counter(row)) for row in results.values()):
        print("skipped: " + next(iter(results.values()))["lacks"])
        sys.exit(SKIPPED)
    # A quiet machine attaches strace within the slack of a frame.
    unseen = [name for name, row in results.items()
              if name != "strace" and not row.get("lacks") and counted(collections.Counter(row)) * 2 < args.least]
    for name in unseen:
        print(f"{name}: fewer than half of {args.least} frames were judged")
    # A freezer after jobs that had nearly all of the CPU looks like the kernel's limit (docs/causes-evidence.md).
    taken = {name: row["said"].get("throttled", 0) for name, row in results.items() if name.startswith("freezer")}
    known = sum(count for name, count in taken.items() if count <= MOST_LIKE_A_LIMIT * counted(collections.Counter(results[name])))
    unknown = sum(results[kind.name]["unknown"] for kind in ALL if kind.name in results and not kind.unseen)
    few = unknown <= MOST_UNKNOWN * counted(total) or not TRACEPOINTS.exists()
    few = few and total["misnamed"] <= MOST_UNKNOWN * (total["named"] + total["misnamed"])
    sys.exit(0 if total["right"] and total["wrong"] <= known and few and not unseen else 1)


if __name__ == "__main__":
    main()
