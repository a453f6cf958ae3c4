# SPDX-License-Identifier: Apache-2.0
"""tests/support/run_test.py: what becomes of each test of a program, whatever the program does."""
import json
import os
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
RUN_TEST = SOURCE / "tests/support/run_test.py"
PYTHON = [sys.executable, "-S"]  # starts four times as fast as with its packages
sys.path.insert(0, str(RUN_TEST.parent))
from forked import Script  # noqa: E402

SCRIPT = Script(RUN_TEST)
SCRIPT.module.LOOP = 1000

# Stands for a GoogleTest program with test_record.cpp. Its tests do what their names say.
PROGRAM = r'''
import fnmatch, os, signal, sys, time
NAMES = os.environ["NAMES"].split()
chosen = next(a for a in sys.argv if a.startswith("--gtest_filter=")).split("=", 1)[1]
takes, _, leaves = chosen.partition("-")
names = [n for n in NAMES if any(fnmatch.fnmatchcase(n, p) for p in takes.split(":"))
         and not any(fnmatch.fnmatchcase(n, p) for p in leaves.split(":") if p)]
if "--gtest_list_tests" in sys.argv:
    for n in names:
        print(n.split(".")[0] + ".\n  " + n.split(".")[1] + "  # GetParam() = 1")
    sys.exit()
if "HANG" in os.environ: time.sleep(1000)
record = open(os.environ.get("RECORD", os.environ["TACTUS_TEST_RECORD"]), "a", buffering=1)
failed = 0
for n in names[int(os.environ["GTEST_SHARD_INDEX"])::int(os.environ["GTEST_TOTAL_SHARDS"])]:
    record.write(f"run {os.lseek(1, 0, os.SEEK_END)} {n}\n")
    print("this is", n, flush=True)
    if n.endswith("crashes"): os.kill(os.getpid(), signal.SIGKILL)
    if n.endswith("hangs"): time.sleep(1000)
    end = "failed" if n.endswith("fails") else "skipped" if n.endswith("skips") else "passed"
    failed |= end == "failed"
    record.write(f"end {end} 1500 {n}\n")
sys.exit(int(os.environ.get("STATUS", failed)))
'''


class RunTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "program.py").write_text(PROGRAM)

    def call(self, command, *arguments, **environment):
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("TACTUS_TEST", "TACTUS_NIGHTLY"))}
        done = SCRIPT.run("--results", self.folder, "--name", "entry", "--suite", "s", *arguments, "--", *command,
                          env={**clean, **environment})
        report = self.folder / "entry.json"
        self.report = json.loads(report.read_text()) if report.exists() else None
        return done

    def run_tests(self, names, *arguments, **environment):
        done = self.call([*PYTHON, str(self.folder / "program.py")], "--gtest", *arguments, NAMES=names, **environment)
        self.tests = {test["name"]: test["status"] for test in self.report["tests"]}
        return done

    def test_each_test_has_its_name_and_status(self):
        done = self.run_tests("A.passes A.skips B.fails B.passes")
        self.assertEqual(self.tests, {"A.passes": "passed", "A.skips": "skipped", "B.fails": "failed", "B.passes": "passed"})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.split("\n")[:2], ["failed: B.fails", "    this is B.fails"])
        self.assertEqual(self.report["tests"][0]["cpu_s"], 0.0015)
        self.assertGreater(self.report["loop_s"], 0)
        self.assertGreater(self.report["cpu_s"], 0)

    def test_what_a_killed_command_leaves_in_its_temporary_folder_goes_with_it(self):
        for end in ("exit 0", "kill -KILL $$"):
            self.call(["sh", "-c", f'touch "$TMPDIR/left"; ls "$TMPDIR"; stat -c %a "$TMPDIR"; echo "in $TMPDIR"; {end}'])
            said = (self.folder / "entry.log").read_text()
            self.assertIn("left\n1777\n", said)
            folder = pathlib.Path(said.split("in ")[1].split("\n")[0])
            self.assertNotEqual(folder, pathlib.Path(tempfile.gettempdir()))
            self.assertFalse(folder.exists())

    def test_a_crash_is_one_failed_test_and_the_others_run(self):
        done = self.run_tests("A.passes A.crashes B.passes B.crashes C.passes")
        self.assertEqual(self.tests, {"A.passes": "passed", "A.crashes": "failed", "B.passes": "passed",
                                      "B.crashes": "failed", "C.passes": "passed"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("the program ended in it, by SIGKILL", done.stdout)

    def test_a_test_that_hangs_is_ended(self):
        done = self.run_tests("A.hangs A.passes", "--limit", "20")  # a busy machine takes seconds to start Python
        self.assertEqual(self.tests, {"A.hangs": "failed", "A.passes": "passed"})
        self.assertIn("ended after its limit of 20.0 s", done.stdout)

    def test_a_limit_is_three_times_as_long_at_night(self):
        for night, found in (("", 1.0), ("1", 3.0)):
            done = self.call([*PYTHON, "-c", "import time; time.sleep(1000)"], "--limit", "1", TACTUS_NIGHTLY=night)
            self.assertEqual((done.returncode, self.report["tests"][0]["status"]), (1, "failed"))
            self.assertIn(f"entry: ended after its limit, {found} s", done.stdout)

    def test_a_program_that_hangs_outside_of_its_tests_is_not_tried_again(self):
        self.run_tests("A.passes", "--limit", "1", HANG="1")
        self.assertEqual(self.tests, {"entry outside of its tests": "failed"})

    def test_a_program_that_records_nothing_is_a_failure(self):
        done = self.run_tests("A.passes", RECORD="/dev/null")
        self.assertEqual((done.returncode, self.tests), (1, {"entry recorded none of its tests": "failed"}))

    def test_a_status_that_no_test_explains_is_a_failure(self):
        done = self.run_tests("A.passes", STATUS="23")
        self.assertEqual(self.tests, {"A.passes": "passed", "entry outside of its tests": "failed"})
        self.assertEqual(done.returncode, 1)

    def test_shards_share_the_tests_and_a_crash_takes_none_of_another_shard(self):
        names, seen = "A.a A.b B.crashes B.b C.a C.b D.a", []
        for shard in range(3):
            self.run_tests(names, "--shard", f"{shard}/3")
            seen += self.tests
        self.assertEqual(sorted(seen), sorted(names.split()))

    def test_a_command_runs_as_often_as_is_asked_for(self):
        self.run_tests("A.crashes A.passes", TACTUS_TEST_TIMES="2")
        self.assertEqual([(test["name"], test["status"]) for test in self.report["tests"]],
                         [("A.crashes", "failed"), ("A.passes", "passed")] * 2)
        self.call([*PYTHON, "-c", "sum(range(300000))"], TACTUS_TEST_TIMES="2")
        first, second = (test["cpu_s"] for test in self.report["tests"])
        self.assertAlmostEqual(self.report["cpu_s"], first + second, delta=0.01)

    def test_the_night_runs_by_night_alone_or_by_name(self):
        names = "A.a ANightly.a Nightly/B.a/x B.a/x C.a/long_Nightly"
        self.run_tests(names)
        self.assertEqual(sorted(self.tests), ["A.a", "B.a/x"])
        self.run_tests(names, TACTUS_NIGHTLY="1")
        self.assertEqual(len(self.tests), 5)
        self.run_tests(names, TACTUS_TEST_ONLY="ANightly.*:B.*")
        self.assertEqual(sorted(self.tests), ["ANightly.a", "B.a/x"])

    def test_what_runs_alone_has_an_entry_of_its_own(self):
        names = "A.a ANightly.a AAloneNightly.a"
        for arguments, night, ran in ((["--alone"], "", []), (["--alone"], "1", ["AAloneNightly.a"]),
                                      ([], "", ["A.a"]), ([], "1", ["A.a", "ANightly.a"])):
            done = self.run_tests(names, *arguments, TACTUS_NIGHTLY=night)
            self.assertEqual((done.returncode, list(self.tests)), (0, ran))
        self.run_tests(names, TACTUS_TEST_ONLY="AAlone*")
        self.assertEqual(list(self.tests), ["AAloneNightly.a"])
        self.run_tests(names, "--alone", TACTUS_TEST_ONLY="AAlone*")
        self.assertEqual(self.tests, {})

    def test_what_passed_is_not_run_again_where_the_run_is_resumed(self):
        self.run_tests("A.a", TACTUS_TEST_RESUME="abc")
        self.run_tests("B.b", TACTUS_TEST_RESUME="abc")
        self.assertEqual(self.tests, {"A.a": "passed"})
        self.run_tests("B.b", TACTUS_TEST_RESUME="def")
        self.assertEqual(self.tests, {"B.b": "passed"})
        self.run_tests("A.fails", TACTUS_TEST_RESUME="ghi")
        self.run_tests("A.a", TACTUS_TEST_RESUME="ghi")
        self.assertEqual(self.tests, {"A.a": "passed"})

    def test_a_script_is_one_test(self):
        for script, status, found in (("pass", 0, "passed"), ("raise SystemExit(77)", 77, "skipped"),
                                      ("raise SystemExit(3)", 1, "failed"), ("print('there is no browser')", 77, "skipped")):
            done = self.call([*PYTHON, "-c", script], "--skip", "no browser")
            self.assertEqual((done.returncode, self.report["tests"][0]["status"]), (status, found), script)
        done = self.call([*PYTHON, "-c", "import time; time.sleep(1000)"], "--limit", "0.5")
        self.assertEqual((done.returncode, self.report["tests"][0]["status"]), (1, "failed"))
        done = self.call([*PYTHON, "-c", "raise SystemExit(3)"], TACTUS_TEST_ONLY="other*")
        self.assertEqual((done.returncode, self.report["tests"]), (0, []))

    UNITTEST = """import os, sys, time, unittest
class Good(unittest.TestCase):
    def test_one(self): pass
    def test_two(self):
        "A sentence."
class Bad(unittest.TestCase):
    def test_one(self): pass
    def test_two(self): self.fail("for a reason")
class Parts(unittest.TestCase):
    def test_parts(self):
        with self.subTest(part=1): self.fail("in a part")
class Skipped(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise unittest.SkipTest("there is none")
    def test_one(self): pass
class Crashed(unittest.TestCase):
    def test_one(self): pass
    def test_two(self): os._exit(int(os.environ.get("STATUS", "3")))
class Hangs(unittest.TestCase):
    def test_one(self): pass
    def test_two(self): time.sleep(1000)
class Prints(unittest.TestCase):
    def test_one(self): print("x.py:3: ResourceWarning: open", file=sys.stderr)
class Mixed(unittest.TestCase):
    def test_one(self):
        print("x.py:3: ResourceWarning: open", file=sys.stderr)
        self.fail("behind other text")
    def test_two(self): pass
class SkipsOne(unittest.TestCase):
    def test_one(self):
        print(end="text", file=sys.stderr)
    def test_two(self): self.skipTest("there is none")
class Quits(unittest.TestCase):
    @classmethod
    def tearDownClass(cls): os._exit(4)
    def test_one(self): pass
unittest.main(verbosity=2)
"""

    def run_groups(self, groups, *arguments, **environment):
        (self.folder / "groups.py").write_text(self.UNITTEST)
        done = self.call([*PYTHON, str(self.folder / "groups.py")], "--groups", groups, *arguments, **environment)
        self.tests = {test["name"]: test["status"] for test in self.report["tests"]}
        return done

    def test_groups_of_a_program_are_a_test_each(self):
        self.assertEqual(self.run_groups("Good,Skipped").returncode, 0)
        self.assertEqual(self.tests, {"entry.Good": "passed", "entry.Skipped": "skipped"})
        done = self.run_groups("Good,Bad,Parts")
        self.assertEqual(self.tests, {"entry.Good": "passed", "entry.Bad": "failed", "entry.Parts": "failed"})
        self.assertEqual(done.returncode, 1)
        self.assertIn("for a reason", done.stdout)

    def test_groups_that_a_crash_kept_from_running_failed(self):
        self.assertEqual(self.run_groups("Good,Crashed,Skipped").returncode, 1)
        self.assertEqual(self.tests, {"entry.Good": "passed", "entry.Crashed": "failed", "entry.Skipped": "failed"})
        for status in "01":
            self.assertEqual(self.run_groups("Good,Crashed", STATUS=status).returncode, 1)
            self.assertEqual(self.tests, {"entry.Good": "passed", "entry.Crashed": "failed"})
        self.assertEqual(self.run_groups("Good,Quits").returncode, 1)
        self.assertEqual(self.tests, {"entry.Good": "passed", "entry.Quits": "failed"})

    def test_a_group_that_hangs_is_ended_after_the_limit_of_one_test(self):
        done = self.run_groups("Good,Hangs,Parts,Skipped", "--limit", "20")
        self.assertEqual(self.tests, {"entry.Good": "passed", "entry.Hangs": "failed", "entry.Parts": "failed",
                                      "entry.Skipped": "failed"})
        self.assertIn("ended after its limit of one test, 20.0 s", done.stdout)
        self.assertIn("test_two (__main__.Hangs", done.stdout)

    def test_text_of_a_test_hides_no_verdict(self):
        self.assertEqual(self.run_groups("Prints,SkipsOne,Skipped").returncode, 0)
        self.assertEqual(self.tests, {"entry.Prints": "passed", "entry.SkipsOne": "passed", "entry.Skipped": "skipped"})
        self.run_groups("Prints,Mixed,Good")
        self.assertEqual(self.tests, {"entry.Prints": "passed", "entry.Mixed": "failed", "entry.Good": "passed"})

    def test_groups_are_chosen_by_name(self):
        self.assertEqual(self.run_groups("Good,Bad", TACTUS_TEST_ONLY="entry.Go*").returncode, 0)
        self.assertEqual(self.tests, {"entry.Good": "passed"})
        self.run_groups("Good,Bad", TACTUS_TEST_ONLY="Other.*")
        self.assertEqual(self.tests, {})

    def test_a_group_may_have_a_name_of_its_own(self):
        self.run_groups("Good=Other.Name,Bad,Skipped=Other")
        self.assertEqual(self.tests, {"Other.Name": "passed", "entry.Bad": "failed", "Other": "skipped"})
        self.run_groups("Good=Other.Name,Bad", TACTUS_TEST_ONLY="Other.*:entry.Good")
        self.assertEqual(self.tests, {"Other.Name": "passed"})


unittest.main()
