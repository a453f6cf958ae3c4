# SPDX-License-Identifier: Apache-2.0
"""Runs one entry of ctest, and writes what became of each of its tests: RESULTS/NAME.json and NAME.log.

    run_test.py --results DIR --name NAME [options] -- COMMAND [ARG ...]
    run_test.py --results DIR --name rtsync_test.2 --gtest --shard 2/8 -- bin/rtsync_test

With --gtest the command is a GoogleTest program with tests/support/test_record.cpp: each TEST is reported by its name.
A TEST that crashes the program, or takes longer than --limit, is one failed test; the tests behind it run in a new
process. Without --gtest the entry is one test; status 77, or --skip TEXT in its output, means skipped. With
--groups A,B=Other the command is a program of unittest, which is given the classes A and B: each is a test, NAME.A and
Other, by what the program printed; one that prints nothing for --limit is ended.

What the entry leaves in its TMPDIR, such as the sockets of processes that were killed, is removed at its end.

The entry measures its CPU time, children included, and that of a loop that computes right before and after it: their
ratio is steadier than either, and budgets are in such loops (scripts/lib/suite_report.py).

A suite, or a prefix of its parameters, that ends in `Nightly` runs only where TACTUS_NIGHTLY is set, and one that ends in
`AloneNightly` in an entry with --alone, which runs nothing else. Each limit is three times as long there.
TACTUS_TEST_ONLY: patterns as --gtest_filter takes them; other tests do not run, and those of the night do.
TACTUS_TEST_TIMES: how often the command runs, one after the other (1); the report has each test as often.
TACTUS_TEST_RESUME: a word, such as a commit; an entry that passed under the same word, as its RESULTS/NAME.json says,
does not run again.

Exit status 0: nothing failed; 77: everything was skipped; 1 otherwise.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

LINES = 60  # of the output of a failed test; NAME.log has all of it
NIGHT = "*Nightly*"
ALONE = "*AloneNightly*"
LOOP = 100_000  # rounds: some 8 ms
MOST_S = 7000  # of a program of groups: below what ctest ends without a report (tests/CMakeLists.txt)
# What unittest prints of a test, or of a class as a whole, with verbosity=2: first its class; then what became of it,
# which may stand behind what the test printed; at the end again what failed.
HEADER = re.compile(r"^ *\w+ \(__main__\.(\w+)", re.M)
BECAME = re.compile(r"(?: \.\.\. |^)(ok$|FAIL$|ERROR$|skipped ['\"])", re.M)
RAN = re.compile(r"^Ran \d+ tests? in ", re.M)
FAILED = re.compile(r"^(?:FAIL|ERROR): \w+ \(__main__\.(\w+)", re.M)


def calibration_s():
    """CPU time of the loop: the least of three, as whoever is interrupted takes longer."""
    times = []
    for _ in range(3):
        start = time.process_time()
        value = 1
        for _ in range(LOOP):
            value = (value * 1103515245 + 12345) & 0x7FFFFFFF
        times.append(time.process_time() - start)
    return min(times)


def children_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def wanted():
    """What the user asked for by name, or nothing."""
    return os.environ.get("TACTUS_TEST_ONLY", "")


class Entry:
    def __init__(self, options):
        self.options = options
        self.running = None
        self.log = options.results / f"{options.name}.log"
        self.record = options.results / f"{options.name}.record"
        self.tests = []

    def add(self, name, status, cpu_s, start=0, end=None):
        self.tests.append({"name": name, "status": status, "cpu_s": round(cpu_s, 4)})
        if status == "failed":
            print(f"failed: {name}")
            with open(self.log, "rb") as log:
                log.seek(start)
                said = log.read() if end is None else log.read(end - start)
            for line in said.decode(errors="replace").splitlines()[-LINES:]:
                print(f"    {line}")

    def start(self, command, environment):
        with open(self.log, "ab") as log:
            self.running = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                            env=environment, process_group=0)
        return self.running

    def end(self):
        """Ends the command and what it started: a process group of its own."""
        if self.running is not None and self.running.poll() is None:
            os.killpg(self.running.pid, signal.SIGKILL)
            self.running.wait()

    def wait(self, process, limit_s):
        """False at the time limit; nothing of the command runs any more then."""
        try:
            process.wait(limit_s)
            return True
        except subprocess.TimeoutExpired:
            self.end()
            return False

    def run_plain(self):
        before_s = children_s()
        groups = {group: name for group, name in self.groups() if self.is_wanted(name)}
        if not groups and (self.options.groups or not self.is_wanted(self.options.name)):
            return
        process = self.start([*self.options.command, *groups], dict(os.environ))
        if groups:
            self.wait_while_it_prints(process)
            self.add_groups(groups, process.returncode, children_s() - before_s)
            return
        in_time = self.wait(process, self.options.limit)
        if not in_time:
            print(f"{self.options.name}: ended after its limit, {self.options.limit} s")
        said = self.log.read_text(errors="replace")
        skipped = process.returncode == 77 or (self.options.skip and self.options.skip in said)
        status = "failed" if not in_time else "skipped" if skipped else "passed" if process.returncode == 0 else "failed"
        self.add(self.options.name, status, children_s() - before_s)

    def groups(self):
        """Pairs: class, name of its test."""
        for each in self.options.groups:
            group, _, name = each.partition("=")
            yield group, name or f"{self.options.name}.{group}"

    def wait_while_it_prints(self, process):
        """unittest prints where a test begins, and where it ends: so the limit is of one test."""
        start = since = time.monotonic()
        size = 0
        while not self.has_ended(process, 0.2):
            now = time.monotonic()
            if (printed := self.log.stat().st_size) != size:
                size, since = printed, now
            for limit, begin, what in ((self.options.limit, since, "of one test"), (MOST_S, start, "of all")):
                if now - begin > limit:
                    print(f"{self.options.name}: ended after its limit {what}, {limit} s")
                    self.end()
                    return

    @staticmethod
    def has_ended(process, wait_s):
        try:
            process.wait(wait_s)
            return True
        except subprocess.TimeoutExpired:
            return False

    def add_groups(self, groups, status, cpu_s):
        """Adds the test of each group, of which groups is the names, as its output and the program's status say."""
        said = self.log.read_text(errors="replace")
        came_to_its_end = status in (0, 1) and RAN.search(said)
        became = {group: set() for group in groups}
        headers = list(HEADER.finditer(said))
        ends = [header.start() for header in headers[1:]] + [len(said)]
        for header, end in zip(headers, ends, strict=True):
            found = BECAME.search(said, header.end(), end)
            # Other text may hide it; what failed is told at the end again.
            what = found[1].split(" ")[0] if found else "ok" if came_to_its_end else None
            became.setdefault(header[1], set()).add(what)
        for group in FAILED.findall(said):
            became.setdefault(group, set()).add("FAIL")
        if headers and not came_to_its_end:
            became[headers[-1][1]].add("FAIL")
        of = {group: "skipped" if whats == {"skipped"} else "failed" if not whats - {None} or whats & {"FAIL", "ERROR"} else "passed"
              for group, whats in became.items()}
        if status != 0 and "failed" not in of.values():
            of[f"{[*groups][-1]} and what it left"] = "failed"
        for group, what in of.items():
            self.add(groups.get(group, f"{self.options.name}.{group}"), what, cpu_s / len(of))

    @staticmethod
    def is_wanted(name):
        return not wanted() or any(fnmatch.fnmatchcase(name, each) for each in wanted().split(":"))

    def gtest_filter(self):
        night = os.environ.get("TACTUS_NIGHTLY")
        if self.options.alone:
            return f"--gtest_filter={ALONE if night and not wanted() else '-*'}"
        return f"--gtest_filter={wanted() or '*-' + (ALONE if night else NIGHT)}"

    def names(self):
        """The tests of this shard, in their order."""
        index, count = self.options.shard
        said = subprocess.run([*self.options.command, self.gtest_filter(), "--gtest_list_tests"], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, check=True).stdout
        names, suite = [], ""
        for line in said.splitlines():
            word = line.split("#")[0].rstrip()
            if word.startswith("  "):
                names.append(suite + word.strip())
            elif word.endswith("."):
                suite = word
        return names[index::count]

    def run(self):
        self.log.unlink(missing_ok=True)
        self.run_gtest() if self.options.gtest else self.run_plain()

    def run_gtest(self):
        """One process for all; after a test that ends it, a new one for the rest, by name."""
        index, count = self.options.shard
        before = len(self.tests)
        environment = dict(os.environ, TACTUS_TEST_RECORD=str(self.record), GTEST_COLOR="no",
                           GTEST_TOTAL_SHARDS=str(count), GTEST_SHARD_INDEX=str(index))
        chosen = self.gtest_filter()
        while True:
            self.record.unlink(missing_ok=True)
            process = self.start([*self.options.command, chosen], environment)
            broken_off = self.follow(process)
            if broken_off is None:
                if process.returncode not in (0, 1) or (process.returncode and not self.failed(before)):
                    self.add(f"{self.options.name} outside of its tests", "failed", 0)
                    print(f"    the program ended with status {process.returncode}")
                elif len(self.tests) == before and self.names():
                    self.add(f"{self.options.name} recorded none of its tests", "failed", 0)
                return
            name, start, why = broken_off
            self.add(name or f"{self.options.name} outside of its tests", "failed", 0, start)
            print(f"    {why}")
            if name is None:
                return  # a new process would come no further
            done = {test["name"] for test in self.tests[before:]}
            rest = [each for each in self.names() if each not in done]
            if not rest:
                return
            environment.update(GTEST_TOTAL_SHARDS="1", GTEST_SHARD_INDEX="0")
            chosen = "--gtest_filter=" + ":".join(rest)

    def failed(self, since=0):
        return any(test["status"] == "failed" for test in self.tests[since:])

    def follow(self, process):
        """Takes what the program records until it ends. None, or where it broke off: test (None: outside), place, why."""
        taken, running, since = 0, None, time.monotonic()
        while True:
            ended = process.poll() is not None
            text = self.record.read_bytes() if self.record.exists() else b""
            lines = text[taken:].decode().splitlines(keepends=True)
            for line in lines:
                if not line.endswith("\n"):
                    break
                taken += len(line.encode())
                since = time.monotonic()
                what, first, rest = line.rstrip("\n").split(" ", 2)
                if what == "run":
                    running = (rest, int(first))
                else:
                    us, name = rest.split(" ", 1)
                    start = running[1] if running else 0
                    running = None
                    self.add(name, first, int(us) / 1e6, start, self.log.stat().st_size if first == "failed" else None)
            if ended:
                if running is None:
                    return None
                status = process.returncode
                return (*running, f"the program ended in it, by {signal.Signals(-status).name if status < 0 else status}")
            if time.monotonic() - since > self.options.limit:
                self.end()
                return (*(running or (None, 0)), f"ended after its limit of {self.options.limit} s")
            self.has_ended(process, 0.2)


def shard(text):
    index, count = (int(part) for part in text.split("/"))
    if not 0 <= index < count:
        raise ValueError(text)
    return index, count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--name", required=True, help="of the entry, and of its files")
    parser.add_argument("--suite", default="", help="whose budget its CPU time counts to")
    parser.add_argument("--limit", type=float, default=600, metavar="SECONDS", help="of one test")
    parser.add_argument("--gtest", action="store_true", help="the command is a GoogleTest program")
    parser.add_argument("--groups", type=lambda text: text.split(","), default=[], metavar="A,B=NAME")
    parser.add_argument("--alone", action="store_true", help=f"with --gtest: {ALONE} at night, and nothing else")
    parser.add_argument("--shard", type=shard, default=(0, 1), metavar="INDEX/COUNT")
    parser.add_argument("--skip", metavar="TEXT", help="in the output: the test was skipped")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    # At night everything runs beside everything, and a limit is there to end what hangs.
    if os.environ.get("TACTUS_NIGHTLY"):
        options.limit = max(options.limit, min(3 * options.limit, 6900))
    # The rigs of a test see no CPU of those of another.
    os.environ.setdefault("TACTUS_CPU_CLAIMS", f"test-{os.getpid()}")
    options.command = options.command[1:] if options.command[:1] == ["--"] else options.command
    options.results.mkdir(parents=True, exist_ok=True)
    report = options.results / f"{options.name}.json"
    resumed = os.environ.get("TACTUS_TEST_RESUME", "")
    if resumed and report.exists():
        before = json.loads(report.read_text())
        if before["resumed"] == resumed and all(test["status"] != "failed" for test in before["tests"]):
            return 0
    report.unlink(missing_ok=True)

    entry = Entry(options)
    loops = [calibration_s()]
    start = time.monotonic()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # With a short name: paths of sockets in it are short.
    with tempfile.TemporaryDirectory(prefix="t-", ignore_cleanup_errors=True) as os.environ["TMPDIR"]:
        os.chmod(os.environ["TMPDIR"], 0o1777)  # for other users, too
        try:
            for _ in range(int(os.environ.get("TACTUS_TEST_TIMES", "1"))):
                entry.run()
        finally:
            entry.end()
    wall_s = time.monotonic() - start
    loops.append(calibration_s())
    written = report.with_suffix(".part")
    written.write_text(json.dumps({"name": options.name, "suite": options.suite, "cpu_s": round(children_s(), 3),
                                   "wall_s": round(wall_s, 3), "loop_s": sum(loops) / 2, "resumed": resumed,
                                   "tests": entry.tests}))
    written.replace(report)
    entry.record.unlink(missing_ok=True)
    return 1 if entry.failed() else 77 if {test["status"] for test in entry.tests} == {"skipped"} else 0


if __name__ == "__main__":
    sys.exit(main())
