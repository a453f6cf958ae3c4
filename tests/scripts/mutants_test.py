# SPDX-License-Identifier: Apache-2.0
"""scripts/mutants on a small tree with tests that are no programs: what it tells of each mutant, what it tries again,
and that it takes each one back."""
import contextlib
import importlib.machinery
import importlib.util
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
loader = importlib.machinery.SourceFileLoader("mutants", str(SOURCE / "scripts" / "mutants"))
mutants = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutants", loader))
loader.exec_module(mutants)

HEAD = "What: {name} is wrong\nArea: {area}\n{more}\n"


def git(root, *arguments):
    done = subprocess.run(["git", "-c", "safe.directory=*", "-c", "user.name=t", "-c", "user.email=t@t", "-C", root,
                           *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done
    return done.stdout


class FakeSuite(mutants.Suite):
    """A test fails if a file has its name in it: `executive` in `rtsync/clock`, say."""

    calls = []

    def files(self):
        return {path.relative_to(self.tree.path).as_posix(): path.read_text()
                for folder in ("rtsync", "executive") for path in (self.tree.path / folder).iterdir()}

    def build(self, layers=None):
        self.calls.append(("build", layers))
        return not any("does not compile" in text for text in self.files().values())

    def test(self, layers, stop=True, only=""):
        self.calls.append(("test", layers, self.night) if not only else ("test only", layers, only))
        text = "\n".join(self.files().values())
        if only:
            elsewhere = only == "Suite.rig" and "rig" not in layers
            return elsewhere or f"bad for {only}" not in text, [only]
        if "runs away" in text:
            return None, []
        if "breaks down" in text:
            raise KeyboardInterrupt
        failed = [f"Suite.{layer}" for layer in layers if f"bad for {layer}" in text]
        if self.night and "bad by night" in text:
            failed.append("Suite.Nightly")
        if "now and then" in text:
            failed.append("Suite.Unsteady")
        return not failed, failed

    def test_again(self, only=""):
        return not any("bad" in text for text in self.files().values()), []


class SmallTree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve() / "checkout"
        for name in ("rtsync/clock", "executive/loop"):
            file = self.root / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("one\ntwo\nthree\n")
        (self.root / ".gitignore").write_text("/build/\n")
        (self.root / "tests" / "mutants").mkdir(parents=True)
        git(self.root, "init", "--quiet")
        self.commit()
        FakeSuite.calls.clear()

    def commit(self):
        git(self.root, "add", "--all")
        git(self.root, "commit", "--quiet", "--allow-empty", "--message", "a state")

    def mutant(self, name, text, file="executive/loop", area="loop", more=""):
        path = self.root / file
        before = path.read_text()
        path.write_text(before.replace("two", text))
        diff = git(self.root, "diff", file)
        path.write_text(before)
        (self.root / "tests" / "mutants" / f"{name}.patch").write_text(HEAD.format(name=name, area=area, more=more) + diff)

    def run_it(self, *arguments):
        """Exit status and lines."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = mutants.main(list(arguments), self.root, FakeSuite)
        return status, out.getvalue().splitlines()

    def results(self):
        return json.loads((self.root / "build" / "mutants" / "results.json").read_text())["mutants"]

    def tree_is_clean(self):
        return git(self.root / "build" / "mutants" / "tree", "status", "--porcelain") == ""


class WhatIsTold(SmallTree):
    def test_of_each_kind(self):
        self.mutant("a-killed", "bad for executive")
        self.mutant("b-above", "bad for rig", "rtsync/clock", "clock")
        self.mutant("c-survived", "another two")
        self.mutant("d-no-build", "does not compile")
        self.mutant("e-timeout", "runs away")
        self.mutant("f-unsteady", "now and then")
        self.mutant("g-no-patch", "2")
        patch = self.root / "tests" / "mutants" / "g-no-patch.patch"
        patch.write_text(patch.read_text().replace("-two", "-dos"))
        status, lines = self.run_it()
        self.assertEqual({name: result["status"] for name, result in self.results().items()},
                         {"a-killed": "killed", "b-above": "killed", "c-survived": "survived", "d-no-build": "no build",
                          "e-timeout": "timeout", "f-unsteady": "unsteady", "g-no-patch": "no patch"})
        self.assertEqual(self.results()["a-killed"]["by"], "Suite.executive")
        self.assertEqual(self.results()["b-above"]["by"], "Suite.rig")
        self.assertTrue(lines[0].startswith("killed    a-killed: Suite.executive ("), lines[0])
        self.assertEqual(lines[-1], "2 killed, 3 survived, 2 stale")
        self.assertEqual(status, 1)
        self.assertTrue(self.tree_is_clean())

    def test_layers_are_tried_from_its_own_on(self):
        self.mutant("a", "another two")
        self.mutant("b", "another two", "rtsync/clock")
        self.run_it("a")
        tried = [call[1] for call in FakeSuite.calls if call[0] == "test"]
        self.assertEqual(tried, [["executive"], ["executive"], ["drivers", "rig"], ["drivers", "rig"]])
        FakeSuite.calls.clear()
        self.run_it("b.patch")
        tried = [call[1] for call in FakeSuite.calls if call[0] == "test"]
        above = ["config", "executive", "drivers", "rig"]
        self.assertEqual(tried, [["rtsync"], ["rtsync"], above, above])

    def test_the_named_test_is_tried_first(self):
        self.mutant("a", "bad for Suite.named", more="Killed by: Suite.named")
        self.mutant("b", "bad for executive", more="Killed by: Suite.named, All/Suite.other/1")
        status, _ = self.run_it()
        self.assertEqual(status, 0)
        self.assertEqual([result["by"] for result in self.results().values()], ["Suite.named", "Suite.executive"])
        self.assertEqual([call for call in FakeSuite.calls if call[0] != "build"],
                         [("test", ["executive"], False), ("test only", ["executive"], "Suite.named"),
                          ("test only", ["executive"], "Suite.named:All/Suite.other/1"),
                          ("test", ["drivers", "rig"], False),
                          ("test only", ["drivers", "rig"], "Suite.named:All/Suite.other/1"),
                          ("test", ["executive"], False)])

    def test_the_named_test_of_a_layer_above_is_tried_before_all_others(self):
        self.mutant("a", "bad for Suite.rig", more="Killed by: Suite.rig")
        self.assertEqual(self.run_it()[0], 0)
        self.assertEqual(self.results()["a"]["by"], "Suite.rig")
        self.assertEqual([call for call in FakeSuite.calls if call[0] != "build"],
                         [("test", ["executive"], False), ("test only", ["executive"], "Suite.rig"),
                          ("test", ["drivers", "rig"], False), ("test only", ["drivers", "rig"], "Suite.rig")])

    def test_all_killed_is_status_0(self):
        self.mutant("a", "bad for executive")
        status, lines = self.run_it()
        self.assertEqual((status, lines[-1]), (0, "1 killed, 0 survived, 0 stale"))

    def test_an_argued_survivor_is_status_0_but_a_stale_one_is_not(self):
        self.mutant("a", "another two", more="Survives: it is the same to everyone\n")
        status, lines = self.run_it()
        self.assertEqual(status, 0)
        self.assertIn("argued: it is the same to everyone", lines[0])
        self.mutant("a", "does not compile", more="Survives: it is the same to everyone\n")
        self.assertEqual(self.run_it()[0], 1)

    def test_the_list_tries_none(self):
        self.mutant("a", "bad for executive", area="frame loop")
        self.assertEqual(self.run_it("--list"), (0, ["a: frame loop, executive: a is wrong"]))
        self.assertEqual(FakeSuite.calls, [])


class WhatIsTriedAgain(SmallTree):
    def tried(self, *arguments):
        FakeSuite.calls.clear()
        self.run_it(*arguments)
        return len(FakeSuite.calls) > 0

    def test_only_what_is_new(self):
        self.mutant("a", "bad for executive")
        self.assertTrue(self.tried())
        self.assertFalse(self.tried())
        self.assertTrue(self.tried("--again"))
        self.mutant("a", "very bad for executive")
        self.assertTrue(self.tried())
        self.commit()
        self.assertTrue(self.tried())

    def test_by_night_what_survived_by_day(self):
        self.mutant("a", "bad by night")
        self.mutant("b", "bad for executive")
        self.run_it()
        self.assertEqual(self.results()["a"]["status"], "survived")
        self.run_it("--night")
        self.assertEqual((self.results()["a"]["status"], self.results()["a"]["by"]), ("killed", "Suite.Nightly"))
        self.assertFalse(self.results()["b"]["night"])
        self.assertFalse(self.tried("--night"))
        self.assertFalse(self.tried())

    def test_what_was_known_before_an_interruption_stays(self):
        self.mutant("a", "bad for executive")
        self.mutant("b", "breaks down")
        with self.assertRaises(KeyboardInterrupt):
            self.run_it()
        self.assertTrue(self.tree_is_clean())
        self.assertEqual(list(self.results()), ["a"])

    def test_what_lies_in_the_tree_is_taken_back(self):
        self.mutant("a", "bad for executive")
        self.run_it()
        tree = self.root / "build" / "mutants" / "tree"
        (tree / "executive" / "loop").write_text("bad for executive")
        (tree / "executive" / "more").write_text("bad for executive")
        self.assertEqual(self.run_it("--again")[1][-1], "1 killed, 0 survived, 0 stale")
        self.assertTrue(self.tree_is_clean())


class WhatCannotBeTried(SmallTree):
    def refusal(self, *arguments):
        with self.assertRaises(mutants.Failure) as refused:
            self.run_it(*arguments)
        return str(refused.exception)

    def test_tests_that_fail_without_a_mutant(self):
        (self.root / "executive" / "loop").write_text("bad for executive\ntwo\n")
        self.commit()
        self.mutant("a", "another two")
        self.assertIn("without a mutant Suite.executive of executive fail", self.refusal())

    def test_a_commit_that_does_not_build(self):
        (self.root / "executive" / "loop").write_text("does not compile\ntwo\n")
        self.commit()
        self.mutant("a", "another two")
        self.assertIn("does not build", self.refusal())

    def test_names_and_patches_that_are_none(self):
        self.assertIn("b: there is no such mutant", self.refusal("b"))
        self.mutant("a", "another two", area="")
        self.assertIn("a mutant needs a line 'Area: ...'", self.refusal())
        (self.root / "docs").mkdir()
        (self.root / "docs" / "page").write_text("two\n")
        self.commit()
        self.mutant("a", "another two", "docs/page")
        self.assertIn("a diff of files in rtsync, config, executive, drivers", self.refusal())


class HowTestsAreRun(SmallTree):
    def suite(self, night=False):
        tree = mutants.Tree(self.root, self.root)
        return mutants.Suite(tree, night, 10, self.root / "log")

    def test_what_does_not_end_in_time_is_ended_with_all_that_it_started(self):
        for seconds in (0.5, 5, 50):  # a busy machine starts it late
            status, output = self.suite().run(["sh", "-c", "sleep 600 & echo $!; wait"], seconds)
            self.assertIsNone(status)
            if output:
                break
        state = pathlib.Path(f"/proc/{int(output)}/stat")
        end = time.monotonic() + 120
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                if state.read_text().split()[2] != "Z":
                    time.sleep(0.01)
                    continue
            return
        self.fail(f"process {output} lives on")

    def test_the_night_is_told_to_the_tests(self):
        os.environ["TACTUS_NIGHTLY"] = "1"
        self.addCleanup(os.environ.pop, "TACTUS_NIGHTLY", None)
        command = ["sh", "-c", "echo night=$TACTUS_NIGHTLY"]
        self.assertEqual(self.suite().run(command), (0, "night=\n"))
        self.assertEqual(self.suite(night=True).run(command), (0, "night=1\n"))

    def test_targets_are_the_folders_of_the_layers(self):
        folder = self.root / "build" / "dev"
        folder.mkdir(parents=True)
        (folder / "build.ninja").write_text("build tests/rig/all: phony x\nbuild tests/drivers/live/http/all: phony y\n"
                                            "build tests/rtsync/all: phony z\nbuild drivers/all: phony w\n")
        self.assertEqual(self.suite().targets(["drivers", "rig"]), ["tests/drivers/live/http/all", "tests/rig/all"])

    def test_failures_are_named_by_the_programs_else_by_ctest(self):
        entries = "The following tests FAILED:\n\t  3 - executive_test.2 (Failed)   executive\n\t 12 - rig (Timeout)\n"
        skipped = "The following tests did not run:\n\t  4 - vm (Skipped)\n"
        self.assertEqual(mutants.failed_in(skipped + entries), ["executive_test.2", "rig"])
        self.assertEqual(mutants.failed_in("failed: Frame.Runs\nfailed: Frame.Runs\n" + entries), ["Frame.Runs"])


class TheListItself(unittest.TestCase):
    def test_has_sixty_mutants_of_all_layers(self):
        found = mutants.chosen(SOURCE / "tests" / "mutants", [])
        self.assertGreaterEqual(len(found), 60)
        self.assertEqual({mutant.layer for mutant in found}, set(mutants.LAYERS[:-1]))

    def test_applies_to_the_tree(self):
        for patch in sorted((SOURCE / "tests" / "mutants").glob("*.patch")):
            # In a source without .git inside of another repository git would skip every file and say nothing.
            done = subprocess.run(["git", "-c", "safe.directory=*", "-C", SOURCE, "apply", "--check", patch],
                                  capture_output=True, text=True,
                                  env={**os.environ, "GIT_CEILING_DIRECTORIES": str(SOURCE.parent)})
            self.assertEqual(done.returncode, 0, f"{patch.name}: {done.stderr}")


unittest.main()
