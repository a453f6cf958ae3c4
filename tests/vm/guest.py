# SPDX-License-Identifier: Apache-2.0
"""What the drivers of this folder share: one guest for a group of checks, and how they are reported.

    guest = Guest.from_arguments(__doc__, needs="kernel")      skips (77) when this machine can have no guest
    done = guest.run("sh", "script.sh", tactus=True, append="isolcpus=1", timeout=60)
    checks = Checks()
    checks.that("the command ended well", done.status == 0, done)
    checks.finish()                                            exit status 0 or 1
"""
import argparse
import csv
import dataclasses
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

SKIPPED = 77
TIMEOUT = 124  # statuses of scripts/rtvm
GUEST_DIED = 125

# Plug-ins that no rig of these guests asks for: two thirds of what would have to be unpacked at each boot.
UNUSED = re.compile(r"libtactus-(live|link|command|record-(?!csv))")

# For scripts in the guest. `tactus run` is the witness, the rig is its child: `rig=$(rig_of $witness)`. What is waited
# for comes, or the witness ends: a guest on a loaded machine may take any time to start one.
RIG_OF = """
alive() { grep -q '^State:[[:space:]]*[^ZX[:space:]]' /proc/$1/status 2>/dev/null; }
rig_of() {
    until child=$(cat /proc/$1/task/$1/children 2>/dev/null) && [ -n "$child" ] || ! alive $1; do usleep 20000; done
    echo $child
}
"""


@dataclasses.dataclass
class Finished:
    status: int
    out: str
    err: str
    took: float

    def __str__(self):
        return (f"status {self.status} after {self.took:.1f} s\n--- stdout\n{self.out[-6000:]}\n"
                f"--- stderr\n{self.err[-6000:]}")


class Guest:
    def __init__(self, options):
        self.source = pathlib.Path(options.source)
        self.build = pathlib.Path(options.build)
        self.tactus = pathlib.Path(options.tactus)
        self.options = options
        self._work = tempfile.TemporaryDirectory(prefix="tactus-vm-")
        self.work = pathlib.Path(self._work.name)

    @classmethod
    def from_arguments(cls, about, *more, needs):
        """needs: "kernel", or "modules" when it takes modules that scripts/rtvm builds. more: options of its own."""
        parser = argparse.ArgumentParser(description=about)
        for name in ("--source", "--build", "--tactus", *more):
            parser.add_argument(name, required=True)
        guest = cls(parser.parse_args())
        lacking = guest.notes().get(needs)
        if lacking:
            print(f"skipped: {lacking}")
            sys.exit(SKIPPED)
        return guest

    def notes_file(self):
        return self.build / "tests" / "vm" / "guest.json"

    def notes(self):
        """What vm.prepare found out: for "kernel" and "modules" null, or why they cannot be had."""
        try:
            return json.loads(self.notes_file().read_text(encoding="utf-8"))
        except OSError:
            return {}

    def stripped(self, path):
        """A copy of a program or library without what only a debugger reads: it has to fit into the guest's memory."""
        copy = self.work / "stripped" / path.relative_to("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        if not copy.exists() and subprocess.run(["strip", "-o", copy, path], capture_output=True).returncode != 0:
            copy = path
        return copy

    def write(self, name, text):
        """A file for the guest's /tmp."""
        path = self.work / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *command, timeout, tactus=False, files=(), copy=(), fetch=(), options=(), beside=None):
        """Boots a guest, runs the command in its /tmp. files: written with write(); copy: specs of scripts/rtvm
        --copy; fetch: names in the guest's /tmp, which end up in `work`. beside: called once with the process of the
        machine and a function that says what the guest has printed so far, on a thread of its own."""
        argv = [self.source / "scripts" / "rtvm", "--timeout", str(timeout), *options]
        if tactus:
            argv += ["--mem", "1280"]  # what a debug build has, twice: packed, and unpacked
            plugins = self.tactus.parent.parent / "lib" / "tactus"
            copy = [*copy, f"{self.stripped(self.tactus)}:/usr/local/bin/tactus",
                    *(f"{self.stripped(path)}:/usr/local/lib/tactus/" for path in sorted(plugins.iterdir())
                      if not UNUSED.match(path.name))]
        for path in files:
            argv += ["--copy", f"{path}:/tmp/"]
        for spec in copy:
            argv += ["--copy", str(spec)]
        for name in fetch:
            argv += ["--fetch", f"/tmp/{name}:{self.work / name}"]
        pid_file, out = self.work / "machine.pid", self.work / "machine.out"
        argv += ["--qemu=-pidfile", f"--qemu={pid_file}"]
        out.touch()
        started = time.monotonic()
        with open(out, "wb") as sink:
            running = subprocess.Popen([*argv, "--", *command], stdin=subprocess.DEVNULL, stdout=sink,
                                       stderr=subprocess.PIPE)
            if beside is not None:
                threading.Thread(target=self._call_beside, args=(beside, running, pid_file, out), daemon=True).start()
            said = running.communicate()[1]
        return Finished(running.returncode, out.read_text(errors="replace"), said.decode(errors="replace"),
                        time.monotonic() - started)

    @staticmethod
    def _call_beside(beside, running, pid_file, out):
        while not pid_file.exists() or not pid_file.read_text().strip():
            if running.poll() is not None:
                return
            time.sleep(0.05)
        beside(int(pid_file.read_text()), lambda: out.read_text(errors="replace") if out.exists() else "")


def recorded(file):
    """The whole rows of a recording as text, each by the names of its columns."""
    with open(file, encoding="utf-8", newline="") as opened:
        rows = csv.reader(opened)
        names = [name.split(" ")[0] for name in next(rows)]
        return [dict(zip(names, row)) for row in rows if len(row) == len(names)]


class Checks:
    """One line for each check as it is made; what is known about a failed one below it."""

    def __init__(self):
        self.failed = 0
        self.made = 0

    def that(self, what, holds, *known):
        self.made += 1
        print(f"{'ok  ' if holds else 'FAIL'}  {what}", flush=True)
        if not holds:
            self.failed += 1
            for each in known:
                print("      " + str(each).replace("\n", "\n      "), flush=True)
        return holds

    def equal(self, what, found, expected, *known):
        return self.that(what, found == expected, f"found {found!r}, expected {expected!r}", *known)

    def finish(self):
        print(f"{self.made - self.failed} of {self.made} checks hold")
        sys.exit(1 if self.failed or not self.made else 0)
