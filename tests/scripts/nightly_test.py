# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/nightly.py: a night that is interrupted goes on, and tells what is new."""
import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "scripts/lib"))
import nightly  # noqa: E402: found by the path above


class Nightly(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "tests").mkdir()
        nightly.ROOT, nightly.LAST = self.root, self.root / "tests" / "nightly.json"
        self.here = "abc"
        nightly.commit = lambda: self.here

    def night(self, rows, *arguments):
        """Status and output. Each row is a script for sh; it notes that it ran."""
        nightly.ROWS = [(name, ["sh", "-c", f"echo {name} >> ran; {script}"], f"about {name}") for name, script in rows]
        sys.argv, said = ["nightly", *arguments], io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
            status = nightly.main()
        ran = self.root / "ran"
        self.ran = ran.read_text().split() if ran.exists() else []
        ran.unlink(missing_ok=True)
        return status, said.getvalue()

    def test_what_is_committed_names_no_folder_of_the_machine(self):
        self.night([("dev", f"echo 'failed: build, see {self.root}/build/dev.log'; echo 0 passed, 1 failed, 0 skipped; exit 1")])
        self.assertNotIn(str(self.root), nightly.LAST.read_text())
        self.assertIn("see build/dev.log", nightly.LAST.read_text())

    def test_each_row_runs_once_for_a_commit(self):
        rows = [("dev", "echo '    5 passed, 0 failed, 0 skipped'"), ("asan", "echo 'failed: A.b'; echo 4 passed, 1 failed, 0 skipped; exit 1")]
        status, said = self.night(rows)
        self.assertEqual((status, self.ran), (1, ["dev", "asan"]))
        self.assertRegex(said, r"dev +0\.0  5 passed, 0 failed, 0 skipped")
        self.assertIn("asan, last run on no commit: A.b", said)
        status, said = self.night(rows)
        self.assertEqual((status, self.ran), (1, []))
        self.here = "def"
        self.night(rows)
        self.assertEqual(self.ran, ["dev", "asan"])

    def test_only_what_did_not_fail_before_is_new(self):
        fails = "echo 'failed: A.b'; echo 0 passed, 1 failed, 0 skipped; exit 1"
        self.night([("dev", fails)])
        self.here = "def"
        said = self.night([("dev", f"echo 'failed: C.d'; {fails}")])[1]
        self.assertIn("dev, last run on abc: C.d", said)
        self.assertNotIn("abc: A.b", said)

    def test_what_does_not_fit_is_not_run_and_runs_the_next_time(self):
        rows = [("dev", "echo 1 passed, 0 failed, 0 skipped"), ("slow", "sleep 100")]
        status, said = self.night(rows, "--hours", "0.0003")
        self.assertEqual(status, 3)
        self.assertRegex(said, r"slow +-  not run: about slow")
        self.assertEqual(list(json.loads(nightly.LAST.read_text())), ["dev"])
        status, said = self.night([rows[0], ("slow", "echo 2 passed, 0 failed, 0 skipped")])
        self.assertEqual((status, self.ran), (0, ["slow"]))

    def test_rows_are_kept_that_do_not_run(self):
        self.night([("dev", "echo 1 passed, 0 failed, 0 skipped"), ("asan", "echo 2 passed, 0 failed, 0 skipped")])
        self.here = "def"
        self.night([("dev", "echo 3 passed, 0 failed, 0 skipped"), ("asan", "exit 1")], "dev")
        last = json.loads(nightly.LAST.read_text())
        self.assertEqual([(name, row["commit"], row["said"][0]) for name, row in last.items()], [("dev", "def", "3"), ("asan", "abc", "2")])

    def measure(self, median):
        """A row that measures: a script that writes what scripts/benchmark writes, of one row of the page."""
        answer = {"question": "what does a whole frame cost its thread with all defaults?", "model": "empty", "jobs": 1000,
                  "whole_frame_ns": median, "least_ns": 1}
        host = {"kernel": "6.1", "preempt": "none", "cpu": "Some CPU", "cpus": 4, "commit": "0", "date": "2026-01-02"}
        text = json.dumps({"host": host, "results": [answer]})
        return [("benchmark", f"mkdir -p build/nightly; echo '{text}' > {nightly.MEASURED}; echo 1 answers")]

    def history(self):
        file = self.root / "tests" / "benchmark_history.json"
        rows = json.loads(file.read_text())["Some CPU, 4 CPUs, Linux 6.1 (no preemption)"] if file.exists() else {}
        return [night[2] for night in rows.get("frame-empty-1000", [])]

    def test_a_row_of_the_page_that_got_worse_is_named_and_fails_nothing(self):
        for night in range(6):
            self.here = f"night{night}"
            status, said = self.night(self.measure(10_000))
            self.assertEqual(status, 0, said)
            self.assertIn("worse than in the nights before: nothing", said)
        self.here = "slow"
        for _ in range(2):  # the second time by what the first one kept
            status, said = self.night(self.measure(20_000))
            self.assertEqual(status, 0)
            self.assertIn("  frame of 1000 empty jobs: 20 us, median of 6 nights 10 us, +100 %", said)
        self.assertEqual(self.history(), [10_000] * 6 + [20_000])

    def test_figures_of_a_night_that_writes_nothing_or_measures_nothing_are_not_kept(self):
        self.night(self.measure(10_000), "--no-write")
        self.assertEqual(self.history(), [])
        self.night(self.measure(10_000), "--again")
        self.here = "def"
        status, _ = self.night([("benchmark", "exit 1")])
        self.assertEqual(status, 1)
        self.assertEqual(self.history(), [10_000])

    def test_a_night_that_is_ended_takes_its_row_along(self):
        program = ("import nightly, pathlib, sys\n"
                   "nightly.ROOT = pathlib.Path(sys.argv.pop(1))\n"
                   "nightly.commit = lambda: 'abc'\n"
                   "nightly.ROWS = [('dev', ['sh', '-c', 'echo $$ > made; mv made pid; exec sleep 1000'], 'sleeps')]\n"
                   "nightly.main()\n")
        night = subprocess.Popen([sys.executable, "-B", "-c", program, str(self.root)], stderr=subprocess.DEVNULL,
                                 env={**os.environ, "PYTHONPATH": str(SOURCE / "scripts/lib")})
        self.addCleanup(night.kill)
        pid = self.root / "pid"
        while not pid.exists():
            self.assertIsNone(night.poll())
            time.sleep(0.01)
        night.terminate()
        self.assertNotEqual(night.wait(60), 0)
        self.assertFalse(pathlib.Path("/proc", pid.read_text().strip()).exists())

    def test_a_row_that_is_unknown_is_refused(self):
        with self.assertRaises(SystemExit):
            self.night([("dev", "true")], "dve")


unittest.main()
