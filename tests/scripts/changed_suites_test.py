# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/changed_suites.py: what a change leaves out, and that an unknown change leaves out nothing."""
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "scripts/lib"))
import changed_suites  # noqa: E402: found by the path above

ALL = {"page", "guest", "install"}


def git(changed="", untracked="", head="h", base="b"):
    """Answers as git would."""
    answers = {"merge-base": base, "diff": changed, "ls-files": untracked, "rev-parse": head}
    return lambda *arguments: answers[arguments[0]]


class ChangedSuites(unittest.TestCase):
    def needed(self, *paths):
        return ALL - set(changed_suites.needless(list(paths)))

    def test_paths_decide(self):
        self.assertEqual(self.needed("docs/causes.md"), set())
        self.assertEqual(self.needed("config/unit.cpp"), set())
        self.assertEqual(self.needed("drivers/live/http/page/scope.js"), {"page"})
        self.assertEqual(self.needed("rtsync/thread/gate.cpp"), {"guest"})
        self.assertEqual(self.needed("drivers/gpio/CMakeLists.txt"), {"guest", "install"})
        self.assertEqual(self.needed("executive/include/tactus/model.hpp"), {"install"})

    def test_each_pattern_matches_a_file_of_the_tree(self):
        files = [str(path.relative_to(SOURCE)) for folder in ("rtsync", "config", "executive", "drivers", "tests", "scripts")
                 for path in (SOURCE / folder).rglob("*") if path.is_file()] + ["CMakeLists.txt", "CMakePresets.json"]
        for suite, patterns in changed_suites.PATHS.items():
            for pattern in patterns:
                self.assertTrue(any(changed_suites.fnmatch.fnmatchcase(file, pattern) for file in files), (suite, pattern))
        for file in changed_suites.EVERYTHING:
            self.assertTrue((SOURCE / file).exists(), file)

    def test_what_runs_the_tests_changes_everything(self):
        self.assertEqual(self.needed("scripts/test", "docs/causes.md"), ALL)

    def test_nothing_known_leaves_out_nothing(self):
        self.assertEqual(changed_suites.needless(None), [])
        self.assertIsNone(changed_suites.changed_paths(None, lambda *_: None))
        self.assertIsNone(changed_suites.changed_paths(None, git(head="same", base="same")))

    def test_a_work_tree_counts(self):
        self.assertEqual(changed_suites.changed_paths("x", git("a\nb", "c")), ["a", "b", "c"])
        self.assertEqual(changed_suites.changed_paths("x", git("a", head="same", base="same")), ["a"])

    def test_a_commit_that_undoes_all_is_known(self):
        self.assertEqual(changed_suites.changed_paths("x", git()), [])


unittest.main()
