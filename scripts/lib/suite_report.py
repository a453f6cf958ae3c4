# SPDX-License-Identifier: Apache-2.0
"""Adds up what a test run left: prints each failed test with the end of its output, a table of suites with their CPU
time and budget, the dearest tests, once more what failed in a few lines each, and as the last line
`N passed, N failed, N skipped`.

    suite_report.py [--budgets FILE [--write]] [--dearest N] BUILD ...

BUILD is the folder of a preset: results/*.json by tests/support/run_test.py, and tests.xml by ctest, which names the
entries that never ran. A build that lacks tests.xml counts as one failed: it was not built, or ctest broke down.

A suite is a label of ctest under a preset, as `dev rtsync`. Its budget is CPU time over that of a loop which the same
run measured: it hardly depends on the machine. A suite at twice its budget is one failed test; so is a suite that has
none. --write puts the measured figures there instead.

Exit status 0 when something passed and nothing failed.
"""
import argparse
import collections
import json
import pathlib
import re
import statistics
import sys
import xml.etree.ElementTree as ElementTree

LINES = 60  # of the output of an entry that never came to its tests
TWICE = 2.0
TELLING = re.compile(r"FAIL|[Ff]ailed:|Failure$|[Ee]rror\b|expected|Expected|Actual|Which is|Sanitizer")
AGAIN = 12  # telling lines of a failed entry at the end, where a log that is cut in its middle still has them
LEAST = 200  # loops, some 2 s: below it the start of Python and the machine's moods are most of the time


class Run:
    def __init__(self):
        self.tests = []   # (suite, name, status, cpu_s)
        self.suites = collections.defaultdict(lambda: [0.0, 0])  # cpu_s, tests
        self.loops = []
        self.failures = []  # (suite, names, what was said)

    def add(self, suite, name, status, cpu_s):
        self.tests.append((suite, name, status, cpu_s))
        self.suites[suite][1] += 1

    def fail(self, suite, name, said=""):
        self.add(suite, name, "failed", 0.0)
        self.failures.append((suite, [name], said))
        print(f"failed in {suite}: {name}")
        for line in said.splitlines()[-LINES:]:
            print(f"    {line}")

    def read(self, build):
        preset = build.name
        built = build / "results" / "build.json"
        if built.exists():
            report = json.loads(built.read_text())
            self.suites[f"{preset} build"][0] += report["cpu_s"]
            self.loops.append(report["loop_s"])
            for test in report["tests"]:
                self.add(f"{preset} build", f"build/{preset}", test["status"], test["cpu_s"])
            if report["tests"][0]["status"] == "failed":
                print(f"failed: building build/{preset}; all of it is in {built.with_suffix('.log')}")
                return
        if preset == "product":  # ctest knows none of its tests: scripts/test runs them
            for file in sorted((build / "results").glob("*.json")):
                if file != built:
                    self.take(preset, json.loads(file.read_text()))
            return
        try:
            entries = list(ElementTree.parse(build / "tests.xml").getroot().iter("testcase"))
        except (OSError, ElementTree.ParseError):
            self.fail(preset, str(build), "not built, or ctest broke down")
            return
        for entry in entries:
            name, status = entry.get("name"), entry.get("status")
            if status == "disabled":
                continue
            said = entry.findtext("system-out") or ""
            try:
                report = json.loads((build / "results" / f"{name}.json").read_text())
            except (OSError, json.JSONDecodeError):
                self.fail(preset, name, said or "its program is missing, or it was ended from outside")
                continue
            suite = self.take(preset, report)
            failed = [test["name"] for test in report["tests"] if test["status"] == "failed"]
            if failed:
                self.failures.append((suite, failed, said))
                print(f"failed in {suite}:")
                for line in said.splitlines():
                    print(f"    {line}")
            elif status == "fail":
                self.fail(suite, name, said)

    def take(self, preset, report):
        """Counts what an entry reported; its suite."""
        suite = f"{preset} {report['suite']}"
        self.suites[suite][0] += report["cpu_s"]
        self.loops.append(report["loop_s"])
        for test in report["tests"]:
            self.add(suite, test["name"], test["status"], test["cpu_s"])
        return suite

    def tell_again(self):
        for suite, names, said in self.failures:
            print(f"\nfailed in {suite}: {', '.join(names)}")
            for line in [line for line in said.splitlines() if TELLING.search(line)][:AGAIN]:
                print(f"    {line.strip()[:240]}")

    def counted(self, status):
        return sum(1 for test in self.tests if test[2] == status)


def table(run, budgets):
    """Prints the suites; the names of those beyond twice their budget, or without one."""
    loop_s = statistics.median(run.loops)
    beyond = []
    print(f"\n{'suite':<24}{'tests':>7}{'CPU s':>9}{'loops':>9}{'budget':>9}   one loop {loop_s * 1e3:.1f} ms")
    for suite, (cpu_s, tests) in sorted(run.suites.items()):
        loops = cpu_s / loop_s
        budget = budgets.get(suite) if budgets is not None else None
        note = ""
        if budgets is not None and budget is None:
            note = "has no budget: scripts/test --write-budgets"
            beyond.append((suite, note))
        elif budget is not None and loops > TWICE * max(budget, LEAST):
            note = f"{loops / budget:.1f} times its budget: make it cheaper, or move tests to the night"
            beyond.append((suite, note))
        print(f"{suite:<24}{tests:>7}{cpu_s:>9.1f}{loops:>9.0f}{budget if budget is not None else '-':>9}   {note}")
    print(f"{'all':<24}{len(run.tests):>7}{sum(each[0] for each in run.suites.values()):>9.1f}")
    return beyond


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--budgets", type=pathlib.Path, metavar="FILE", help="whole suites ran: compare them with these")
    parser.add_argument("--write", action="store_true", help="write the measured figures into that file")
    parser.add_argument("--dearest", type=int, default=10, metavar="N", help="how many of the dearest tests to print")
    parser.add_argument("builds", nargs="+", type=pathlib.Path, metavar="BUILD")
    options = parser.parse_args()

    run = Run()
    for build in options.builds:
        run.read(build)
    if run.loops:
        budgets = None
        if options.budgets:
            budgets = json.loads(options.budgets.read_text()) if options.budgets.exists() else {}
            if options.write:
                loop_s = statistics.median(run.loops)
                budgets |= {suite: round(each[0] / loop_s) for suite, each in run.suites.items()}
                options.budgets.write_text(json.dumps(dict(sorted(budgets.items())), indent=2) + "\n")
        for suite, note in table(run, budgets):
            run.fail(suite, f"the suite {suite} {note}")
        print(f"\nthe {options.dearest} dearest tests, CPU seconds:")
        for suite, name, _, cpu_s in sorted(run.tests, key=lambda test: -test[3])[:options.dearest]:
            print(f"{cpu_s:>8.2f}  {suite}: {name}")
    run.tell_again()
    passed, failed = run.counted("passed"), run.counted("failed")
    print(f"\n{passed} passed, {failed} failed, {run.counted('skipped')} skipped")
    return 0 if passed > 0 and failed == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
