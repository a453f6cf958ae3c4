# SPDX-License-Identifier: Apache-2.0
"""scripts/repeat: rounds add up over commits, and a failure takes its suite back to the start."""
import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
loader = importlib.machinery.SourceFileLoader("repeat", str(SOURCE / "scripts/repeat"))
repeat = importlib.util.module_from_spec(importlib.util.spec_from_loader("repeat", loader))
loader.exec_module(repeat)


class Repeat(unittest.TestCase):
    def setUp(self):
        self.file = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "repeat.json"

    def ledger(self, *suites):
        return repeat.Ledger(self.file, suites)

    def test_rounds_add_up_over_calls(self):
        self.ledger("Link").count({"Link.Opens": True}, "abc", 3)
        ledger = self.ledger("Link", "Rig")
        ledger.count({"Link.Opens": True, "Each/Rig.Runs/1": True}, "def", 3)
        self.assertEqual(ledger.passed, {"Link": 2, "Rig": 1})
        ledger.count({"Link.Opens": True, "Each/Rig.Runs/1": True}, "def", 3)
        self.assertEqual(ledger.left(3), ["Rig"])

    def test_a_failure_takes_its_suite_back_and_stays_named(self):
        ledger = self.ledger("Link")
        for passed in (True, True, False):
            ledger.count({"Link.Opens": True, "Link.Ends": passed}, "abc", 2)
        self.assertEqual((ledger.passed, ledger.failed), ({"Link": 0}, {"Link.Ends": "abc"}))
        ledger.count({"Link.Opens": True, "Link.Ends": True}, "def", 2)
        self.assertEqual(self.ledger("Link").failed, {"Link.Ends": "abc"})
        ledger.count({"Link.Opens": True, "Link.Ends": True}, "def", 2)
        self.assertEqual(self.ledger("Link").failed, {})

    def test_a_suite_of_the_night_is_not_waited_for(self):
        ledger = self.ledger("Link", "Disturbances")
        ledger.count({"Link.Opens": True}, "abc", 2)
        self.assertEqual(ledger.left(2), ["Link"])
        self.assertEqual(json.loads(self.file.read_text())["passed"], {"Link": 1})

    def test_a_suite_that_is_gone_is_not_kept(self):
        self.ledger("Gone").count({"Gone.Was": False}, "abc", 2)
        ledger = self.ledger("Link")
        ledger.count({"a program": False}, "abc", 2)
        self.assertEqual(json.loads(self.file.read_text()), {"passed": {}, "failed": {}})

    def test_a_suite_costs_what_all_its_tests_took(self):
        for name, tests in {"a": [("Link.Opens", 0.5), ("Each/Link.Ends/1", 1.0)], "b": [("Rig.Runs", 3.0)]}.items():
            rows = [{"name": test, "status": "passed", "cpu_s": took} for test, took in tests]
            self.file.with_name(f"{name}.json").write_text(json.dumps({"tests": rows}))
        self.assertEqual(repeat.costs_in(self.file.parent), {"Link": 1.5, "Rig": 3.0})

    def test_what_sleeps_or_starts_threads_or_rigs_is_chosen(self):
        suites = repeat.suites()
        self.assertTrue(suites)
        self.assertFalse([suite for suite in suites if suite.endswith("Nightly")])


if __name__ == "__main__":
    unittest.main()
