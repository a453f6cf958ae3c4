# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/suite_report.py: nothing that failed, is missing or costs too much passes for well."""
import json
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "tests" / "support"))
from forked import Script  # noqa: E402

REPORT = Script(SOURCE / "scripts" / "lib" / "suite_report.py")


class SuiteReport(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.build = self.folder / "dev"
        (self.build / "results").mkdir(parents=True)
        self.entries = []

    def entry(self, name, status="run", tests=(("A.a", "passed"),), suite="rtsync", cpu_s=10.0, said="said"):
        if tests is not None:
            (self.build / "results" / f"{name}.json").write_text(json.dumps(
                {"name": name, "suite": suite, "cpu_s": cpu_s, "wall_s": 1, "loop_s": 0.01, "resumed": "",
                 "tests": [{"name": test, "status": became, "cpu_s": 0.5} for test, became in tests]}))
        self.entries.append(f'<testcase name="{name}" status="{status}"><system-out>{said}</system-out></testcase>')

    def report(self, *arguments):
        if self.entries:
            (self.build / "tests.xml").write_text(f"<testsuite>{''.join(self.entries)}</testsuite>")
        done = REPORT.run(*arguments, self.build)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout, done.stdout.splitlines()[-1]

    def budgets(self, **budgets):
        file = self.folder / "budgets.json"
        file.write_text(json.dumps({name.replace("_", " "): budget for name, budget in budgets.items()}))
        return ["--budgets", file]

    def test_counts_tests_and_not_entries(self):
        self.entry("one", tests=[("A.a", "passed"), ("A.b", "skipped"), ("A.c", "passed")])
        self.assertEqual(self.report()[::2], (0, "2 passed, 0 failed, 1 skipped"))

    def test_a_failed_test_fails_the_run(self):
        self.entry("one", "fail", tests=[("A.a", "passed"), ("A.b", "failed")])
        self.assertEqual(self.report()[::2], (1, "1 passed, 1 failed, 0 skipped"))

    def test_what_failed_is_told_once_more_at_the_end(self):
        self.entry("one", "fail", tests=[("A.a", "passed"), ("A.b", "failed")], said="FAIL  3 of 4\nmuch more")
        said = self.report()[1].split("the 10 dearest tests")[1]
        self.assertIn("failed in dev rtsync: A.b\n    FAIL  3 of 4\n", said)
        self.assertNotIn("much more", said)

    def test_an_entry_without_a_report_is_a_failed_test(self):
        self.entry("one")
        self.entry("two", "notrun", tests=None)
        status, said, last = self.report()
        self.assertEqual((status, last), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("failed in dev: two", said)

    def test_an_entry_that_failed_for_no_test_is_a_failed_test(self):
        self.entry("one", "fail")
        self.assertEqual(self.report()[::2], (1, "1 passed, 1 failed, 0 skipped"))

    def test_a_build_without_tests_is_a_failed_test(self):
        self.assertEqual(self.report()[::2], (1, "0 passed, 1 failed, 0 skipped"))

    def test_a_build_that_failed_is_one(self):
        self.entry("one")
        (self.build / "results" / "build.json").write_text(json.dumps(
            {"name": "build", "suite": "build", "cpu_s": 300, "loop_s": 0.01, "tests": [
                {"name": "build", "status": "failed", "cpu_s": 300}]}))
        self.assertEqual(self.report()[::2], (1, "0 passed, 1 failed, 0 skipped"))

    def test_nothing_that_ran_is_no_success(self):
        self.entry("one", tests=[("A.a", "skipped")])
        self.assertEqual(self.report()[::2], (1, "0 passed, 0 failed, 1 skipped"))

    def test_a_suite_at_twice_its_budget_fails(self):
        self.entry("one", cpu_s=10.0)  # 1000 loops
        self.assertEqual(self.report(*self.budgets(dev_rtsync=510))[0], 0)
        status, said, last = self.report(*self.budgets(dev_rtsync=490))
        self.assertEqual((status, last), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("the suite dev rtsync 2.0 times its budget", said)

    def test_a_suite_of_a_moment_may_take_two_seconds(self):
        self.entry("one", cpu_s=3.0)
        self.assertEqual(self.report(*self.budgets(dev_rtsync=5))[0], 0)

    def test_a_suite_without_a_budget_fails(self):
        self.entry("one")
        self.assertEqual(self.report(*self.budgets())[2], "1 passed, 1 failed, 0 skipped")

    def test_budgets_are_written_as_they_were_measured(self):
        self.entry("one", cpu_s=10.0)
        budgets = self.budgets(dev_rtsync=1, dev_page=77)
        self.assertEqual(self.report(*budgets, "--write")[0], 0)
        self.assertEqual(json.loads(budgets[1].read_text()), {"dev page": 77, "dev rtsync": 1000})


unittest.main()
