# SPDX-License-Identifier: Apache-2.0
"""Runs everything under everything, row by row, at most six hours, and prints a table at the end.

    scripts/test --nightly [--list] [--again] [--hours N] [--no-write] [ROW ...]

A row is a suite under a build, the mutants, the repeated tests or a fresh system. What a row found for this commit lies
in build/nightly/<commit>/ROW.json: an interrupted night goes on behind the last row that ended, and inside a suite behind
the last entry that passed. A row that does not fit into the hours that are left is `not run`, and said.

tests/nightly.json holds what each row found when it last ran, and on which commit. The table ends with what failed here
and did not fail then. The rows that ran are written there, to be committed (--no-write leaves it).

tests/benchmark_history.json holds what the rows of docs/benchmarks.md took on each machine. The night ends with those
that are 5 % worse than the median of the nights before, and by more than these differ; this fails nothing, for a machine
may be busy. The file is written likewise.

Exit status 0: every row ran and passed; 1: something failed; 3: the hours were over before the last row.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import benchmark_history

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAST = ROOT / "tests" / "nightly.json"


def suite(preset):
    return ["scripts/test", "--presets", preset, "--all", "-LE", "^guest$"]


def guests(preset):
    return ["scripts/test", "--presets", preset, "-L", "^guest$"]


MEASURED = "build/nightly/benchmark.json"
# Name, command, and what it is, in the order of what finds most. A command ends with `N passed, N failed, N skipped`; that
# of benchmarks says how many answers it has.
ROWS = [
    ("dev", suite("dev"), "all tests but guests: rigs, real disturbances, pages, installation"),
    ("asan", suite("asan"), "all tests under AddressSanitizer and UndefinedBehaviorSanitizer"),
    ("tsan", suite("tsan"), "all tests under ThreadSanitizer"),
    ("gcc", suite("gcc"), "all tests, built by the other compiler"),
    ("mutants", ["scripts/mutants", "--night"], "each mutant against the tests of its layer and above"),
    ("repeat", ["scripts/repeat", "--times", "200"], "what sleeps or starts threads, 200 times beside three busy loops"),
    ("benchmark", ["scripts/benchmark", "--out", MEASURED], "what it costs, beside the nights before"),
    ("bookworm", ["scripts/try-systems", "--systems", "bookworm", "--commands", "run,test"], "a fresh Debian 12"),
    ("trixie", ["scripts/try-systems", "--systems", "trixie", "--commands", "run,test"], "a fresh Debian 13"),
    ("arm64", ["scripts/test", "--arm64"], "unit tests for ARM64 under qemu-user"),
    ("guests", guests("dev"), "the tests on a PREEMPT_RT kernel, about two hours of a machine with nothing else to do"),
    ("guests-gcc", guests("gcc"), "the same, built by the other compiler"),
]


def commit():
    return subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True,
                          check=True).stdout.strip()


def run_row(command, log, seconds):
    """Status of the command; None when the time was over: everything that it started is ended then."""
    environment = dict(os.environ, TACTUS_NIGHTLY="1", TACTUS_TESTS="all", TACTUS_TEST_RESUME=commit(),
                       TACTUS_ASAN_OPTIONS="detect_stack_use_after_return=1")
    ended = []  # by a signal that came before the row was known, and would have left it running
    before = {each: signal.signal(each, lambda number, _: ended.append(number)) for each in (signal.SIGINT, signal.SIGTERM)}
    with open(log, "ab") as said:
        running = subprocess.Popen(command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=said,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            for each, handler in before.items():
                signal.signal(each, handler)
            if ended:
                raise KeyboardInterrupt
            return running.wait(seconds)
        except BaseException as error:
            os.killpg(running.pid, signal.SIGTERM)
            try:
                running.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                running.wait()
            if isinstance(error, subprocess.TimeoutExpired):
                return None
            raise


def result_of(log, status):
    """What the row's last lines say: its counts, and the tests that failed."""
    lines = log.read_text(errors="replace").replace(f"{ROOT}/", "").splitlines()
    closing = [line.strip() for line in lines if line.endswith(" skipped") and " passed, " in line]
    words = ("failed: ", "survived ")  # a test, a mutant
    failed = sorted({line.strip()[len(word):].strip() for line in lines for word in words
                     if line.strip().startswith(word)})
    return {"status": status, "said": closing[-1] if closing else lines[-1] if lines else "", "failed": failed}


def compare_costs(write):
    """The rows of docs/benchmarks.md that got worse, by what was measured just now; adds that to the history."""
    try:
        machine, figures = benchmark_history.measured(json.loads((ROOT / MEASURED).read_text()))
    except (OSError, ValueError, KeyError):
        return []  # the row says why there are no results
    file = ROOT / "tests" / "benchmark_history.json"
    history = json.loads(file.read_text()) if file.exists() else {}
    if write and figures:
        file.write_text(benchmark_history.text_of(benchmark_history.appended(history, machine, figures)))
    return benchmark_history.worse(history, machine, figures)


def main():
    parser = argparse.ArgumentParser(prog="scripts/test --nightly", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the rows, and what is known of them")
    parser.add_argument("--again", action="store_true", help="forget what this commit's rows found")
    parser.add_argument("--hours", type=float, default=6, metavar="N")
    parser.add_argument("--no-write", action="store_true", help="leave tests/nightly.json as it is")
    parser.add_argument("rows", nargs="*", metavar="ROW", help="these alone")
    options = parser.parse_args()
    names = [name for name, _, _ in ROWS]
    for name in options.rows:
        if name not in names:
            parser.error(f"'{name}' is not a row; there are {', '.join(names)}")

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # run_row() takes along what it started
    here = commit()
    folder = ROOT / "build" / "nightly" / here
    folder.mkdir(parents=True, exist_ok=True)
    chosen = [row for row in ROWS if not options.rows or row[0] in options.rows]
    if options.again:
        for name, _, _ in chosen:
            (folder / f"{name}.json").unlink(missing_ok=True)
    end = time.monotonic() + options.hours * 3600
    results = {}
    for name, command, about in chosen:
        file, log = folder / f"{name}.json", folder / f"{name}.log"
        if file.exists():
            results[name] = json.loads(file.read_text())
            continue
        if options.list:
            continue
        left = end - time.monotonic()
        if left <= 0:
            continue
        print(f"tactus: {name}: {about}; {log.relative_to(ROOT)}", file=sys.stderr, flush=True)
        if name == "benchmark":
            (ROOT / MEASURED).unlink(missing_ok=True)  # of another commit
        start = time.monotonic()
        status = run_row(command, log, left)
        if status is None:
            continue
        results[name] = {"commit": here, "date": time.strftime("%Y-%m-%d"),
                         "minutes": round((time.monotonic() - start) / 60, 1)} | result_of(log, status)
        if name == "benchmark":
            results[name]["worse"] = compare_costs(not options.no_write)
        file.write_text(json.dumps(results[name], indent=2) + "\n")

    last = json.loads(LAST.read_text()) if LAST.exists() else {}
    print(f"\n{'row':<10}{'minutes':>8}  result")
    for name, _, about in chosen:
        row = results.get(name)
        print(f"{name:<10}{row['minutes'] if row else '-':>8}  {row['said'] if row else 'not run: ' + about}")
    new = [(name, test) for name, row in sorted(results.items()) for test in row["failed"]
           if test not in last.get(name, {"failed": []})["failed"]]
    print(f"\nnew since the last night: {'nothing' if not new else ''}")
    for name, test in new:
        print(f"  {name}, last run on {last[name]['commit'] if name in last else 'no commit'}: {test}")
    if "benchmark" in results:
        costs = results["benchmark"].get("worse", [])
        print(f"\nworse than in the nights before: {'nothing' if not costs else ''}")
        for line in costs:
            print(f"  {line}")
    if options.list:
        return 0
    if results and not options.no_write:
        LAST.write_text(json.dumps(last | results, indent=2) + "\n")
    if any(row["status"] for row in results.values()):
        return 1
    return 0 if len(results) == len(chosen) else 3


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("tactus: the night was interrupted; the same command goes on where it was", file=sys.stderr)
        sys.exit(130)
