# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/nightly.py: a night that is interrupted goes on, and tells what is new."""
import contextlib
import io
import json
import pathlib
import sys
import tempfile
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
        rows = [("dev", "echo 5 passed, 0 failed, 0 skipped"), ("asan", "echo 'failed: A.b'; echo 4 passed, 1 failed, 0 skipped; exit 1")]
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

    def test_a_row_that_is_unknown_is_refused(self):
        with self.assertRaises(SystemExit):
            self.night([("dev", "true")], "dve")


unittest.main()
