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
        self.ledger("Link").count({"Link.Opens": True}, "abc", 3, ["Link"])
        ledger = self.ledger("Link", "Rig")
        ledger.count({"Link.Opens": True, "Each/Rig.Runs/1": True}, "def", 3, ledger.left(3))
        self.assertEqual(ledger.passed, {"Link": 2, "Rig": 1})
        ledger.count({"Link.Opens": True, "Each/Rig.Runs/1": True}, "def", 3, ledger.left(3))
        self.assertEqual(ledger.left(3), ["Rig"])

    def test_a_failure_takes_its_suite_back_and_stays_named(self):
        ledger = self.ledger("Link")
        for passed in (True, True, False):
            ledger.count({"Link.Opens": True, "Link.Ends": passed}, "abc", 2, ledger.left(2))
        self.assertEqual((ledger.passed, ledger.failed), ({"Link": 0}, {"Link.Ends": "abc"}))
        ledger.count({"Link.Opens": True, "Link.Ends": True}, "def", 2, ledger.left(2))
        self.assertEqual(self.ledger("Link").failed, {"Link.Ends": "abc"})
        ledger.count({"Link.Opens": True, "Link.Ends": True}, "def", 2, ledger.left(2))
        self.assertEqual(self.ledger("Link").failed, {})

    def test_a_suite_of_the_night_is_not_waited_for(self):
        ledger = self.ledger("Link", "Disturbances", "Dear")
        ledger.count({"Link.Opens": True}, "abc", 2, ["Link", "Disturbances"])
        self.assertEqual(ledger.left(2), ["Link", "Dear"])
        self.assertEqual(json.loads(self.file.read_text())["passed"], {"Link": 1, "Dear": 0})

    def test_a_suite_that_is_gone_is_not_kept(self):
        self.ledger("Gone").count({"Gone.Was": False}, "abc", 2, ["Gone"])
        ledger = self.ledger("Link")
        ledger.count({"a program": False}, "abc", 2, ledger.left(2))
        self.assertEqual(json.loads(self.file.read_text()), {"passed": {}, "failed": {}})

    def test_a_suite_costs_what_all_its_tests_took(self):
        for name, tests in {"a": [("Link.Opens", 0.5), ("Each/Link.Ends/1", 1.0)], "b": [("Rig.Runs", 3.0)]}.items():
            rows = [{"name": test, "status": "passed", "cpu_s": took} for test, took in tests]
            self.file.with_name(f"{name}.json").write_text(json.dumps({"tests": rows}))
        self.assertEqual(repeat.costs_in(self.file.parent), {"Link": 1.5, "Rig": 3.0})

    def test_a_round_is_one_time_that_each_program_ran(self):
        for name, tests in {"a": [("Link.Opens", "passed"), ("Link.Opens", "failed")],
                            "b": [("Rig.Runs", "skipped"), ("Rig.Runs", "passed")], "build": [("a build", "passed")]}.items():
            rows = [{"name": test, "status": status, "cpu_s": 1.0} for test, status in tests]
            self.file.with_name(f"{name}.json").write_text(json.dumps({"tests": rows}))
        rounds = repeat.rounds_in(self.file.parent)
        self.assertEqual(rounds, [{"Link.Opens": True, "Rig.Runs": True}, {"Link.Opens": False, "Rig.Runs": True}])
        self.assertEqual(repeat.costs_in(self.file.parent, len(rounds))["Link"], 1.0)

    def test_an_interruption_costs_a_minute_or_a_round(self):
        costs = {"Link": 1.5, "Rig": 3.5, "Campaign": 100.0}
        self.assertEqual(repeat.rounds_at_once(["Link", "Rig"], costs), 12)
        self.assertEqual(repeat.rounds_at_once(["Link", "Campaign"], costs), 1)
        self.assertEqual(repeat.rounds_at_once(["Link", "Unknown"], costs), 1)

    def test_what_sleeps_or_starts_threads_or_rigs_is_chosen(self):
        suites = repeat.suites()
        self.assertTrue(suites)
        self.assertFalse([suite for suite in suites if suite.endswith("Nightly")])


if __name__ == "__main__":
    unittest.main()
