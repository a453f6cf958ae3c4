# SPDX-License-Identifier: Apache-2.0
"""A rig of the model `victim`: it is started, made late, and what it says of its frames is read."""
import contextlib
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import threading
import time

from kinds import PERIOD_US
from tactus_client import RigError

PATIENCE = 60  # s
SETTINGS = {"realtime.max_overrun": "9e9 s", "realtime.max_consecutive_overruns": "100000000 frames",
            "threads.stuck_after": "2 min", "flight_recorder.traces": "0"}


class Cpus:
    """The CPU of main, and the one of what else has one of its own: the last, and the first."""
    rig = max(os.sched_getaffinity(0))
    other = min(os.sched_getaffinity(0))

    @classmethod
    def swap(cls):
        cls.rig, cls.other = cls.other, cls.rig


def rig_file(kind, library, period_us=PERIOD_US):
    """The lines of its rig file. The model `begin` says when main began each frame."""
    period = f"{period_us} us"
    worker_cpu, main_cpu = Cpus.other, Cpus.rig
    if kind.way and kind.thread:
        worker_cpu, main_cpu = main_cpu, worker_cpu
    threads = f"threads:\n  main: {{ cpus: [{main_cpu}], {kind.main} }}\n"
    if kind.thread:
        threads += f"  workers:\n    w: {{ kind: {kind.thread}, cpus: [{worker_cpu}] }}\n"
    of = f"deed: {kind.deed}, time: {kind.time_us}, work: {kind.work_us}, sleep: {kind.sleep_us}, after_late: {kind.after_late_us}, period: {period_us}"
    models = f"  begin: {{ model: victim, library: {library} }}\n"
    variables = ["begin.now"]
    for i in range(kind.jobs):
        thread = ", thread: w" if kind.thread else ""
        models += f"  v{i}: {{ model: victim, library: {library}, parameters: {{ {of} }}{thread}{kind.model} }}\n"
        variables += [f"v{i}.began", f"v{i}.ended", f"v{i}.gap"]
    return (f"rig: victim\nframe: {{ period: {period} }}\nprivileges: prefer\n"
            f"realtime: {{ enabled: yes, on_overrun: skip }}\nmemory: {{ lock: {'yes' if kind.lock else 'no'} }}\n"
            f"{threads}models:\n{models}"
            f"record:\n  v: {{ variables: [{', '.join(variables)}], every: {period} }}\n")


class StealWatch:
    """When the hypervisor took CPU time, to 10 ms."""

    def __init__(self):
        self._stolen, self._ends = [], False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    @staticmethod
    def _steal():
        with open("/proc/stat", encoding="ascii") as file:
            return int(file.readline().split()[8])

    def _run(self):
        last, looked = self._steal(), time.monotonic_ns()
        while not self._ends:
            time.sleep(0.005)
            steal, now = self._steal(), time.monotonic_ns()
            if steal != last:
                self._stolen.append((looked, now))
            last, looked = steal, now

    def stop(self):
        self._ends = True
        self._thread.join()

    def was_stolen(self, begin, end):
        tick = 20_000_000
        return any(to >= begin - tick and since <= end + tick for since, to in self._stolen)


class StopWatch:
    """When the limit of a control group stopped its one thread, as cpu.stat counts it: (begin, end, 0)."""

    def __init__(self, folder):
        self.stops, self._ends = [], False
        self._stat = folder / "cpu.stat"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _stopped(self):
        return int(self._stat.read_text().split("throttled_time")[1].split()[0])

    def _run(self):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(70))  # of this thread: a late look moves the stop
        os.sched_setaffinity(0, {Cpus.other})
        last = self._stopped()
        while not self._ends:
            time.sleep(0.0005)
            stopped, now = self._stopped(), time.monotonic_ns()
            if stopped != last:
                self.stops.append((now - (stopped - last), now, 0))
            last = stopped

    def stop(self):
        self._ends = True
        self._thread.join()


class VictimRig:
    """Runs until it is stopped. `work`: an empty folder."""

    def __init__(self, kind, tactus, library, work, client, period_us=PERIOD_US):
        self.kind, self.work, self._client = kind, pathlib.Path(work), client
        shutil.rmtree(self.work, ignore_errors=True)
        self.work.mkdir(parents=True)
        (self.work / "rig.yaml").write_text(rig_file(kind, library, period_us))
        self.address = f"unix:{self.work}/s"
        command = [*kind.prefix, tactus, "run", "rig.yaml", "--live", self.address, "--out", "out"]
        for key, value in SETTINGS.items():
            command += ["--set", f"{key}={value}"]
        with open(self.work / "said.txt", "wb") as said:
            self.process = subprocess.Popen(command, cwd=self.work, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        self.pid = self.tid = 0
        self.entries = {}

    def said(self):
        return (self.work / "said.txt").read_text(errors="replace")

    def wait_for_frames(self):
        self.client = self._client(self.address, timeout=PATIENCE)
        try:
            self.client.wait_until_ready(PATIENCE, gone=self.process.poll)
        except Exception as error:
            raise RuntimeError(f"{error}\n{self.said()}") from error
        until = time.monotonic() + PATIENCE
        while not self._has_frames():
            if time.monotonic() > until or self.process.poll() is not None:
                raise RuntimeError(f"the rig runs no frames:\n{self.said()}")
            time.sleep(0.05)
        self.pid = self._process_of_rig(self.process.pid)
        self.tid = self.thread("w" if self.kind.thread else "main")

    def _has_frames(self):
        try:
            with open(self.work / "out" / "frames.csv", "rb") as file:
                return file.read(8192).count(b"\n") > 60
        except FileNotFoundError:
            return False

    def _process_of_rig(self, pid):
        """The youngest of the witness, and of what starts it, that has a thread of the frames."""
        while True:
            children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
            if self._thread_of(pid, "main"):
                return pid
            if not children:
                raise RuntimeError("no process has the rig's threads")
            pid = int(children[0])

    @staticmethod
    def _thread_of(pid, name):
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            if (task / "comm").read_text().strip().split("@")[0] == name:
                return int(task.name)
        return 0

    def thread(self, name):
        found = self._thread_of(self.pid, name)
        if not found:
            raise RuntimeError(f"the rig has no thread {name}")
        return found

    def look(self):
        """Keeps what the rig says of its overruns so far."""
        with contextlib.suppress(RigError):  # no frame has slack for it
            for entry in self.client.entries("overruns"):
                self.entries[entry["frame"]] = entry

    def stop(self):
        try:
            self.look()
            self.client.stop()
        except Exception:  # it has ended, or hangs
            self.process.terminate()
        try:
            return self.process.wait(PATIENCE)
        finally:
            if self.process.poll() is None:
                self.process.kill()

    def rows(self, name):
        """Rows of a recording by frame: name of the column without its unit -> text."""
        with open(self.work / "out" / name, encoding="utf-8", newline="") as file:
            lines = csv.reader(file)
            header = [re.split(r"[ {]", column)[0] for column in next(lines)]
            for line in lines:
                if len(line) == len(header):
                    yield dict(zip(header, line))

    def may_not_be_watched(self):
        """What was refused, where that makes causes unknown."""
        summary = json.loads((self.work / "out" / "summary.json").read_text())
        return [one for one in summary["rt"]["refused"] if one["what"].startswith(("the kernel's events", "SCHED_FIFO"))]
