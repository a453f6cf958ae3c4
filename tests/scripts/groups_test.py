# SPDX-License-Identifier: Apache-2.0
"""Where entries of ctest name classes of a program in Python, each of its classes is named by one: no other would run."""
import ast
import pathlib
import re
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))


def classes(path):
    """The classes that have tests, those of a base in the same file included."""
    found = []
    for each in ast.parse(path.read_text()).body:
        if isinstance(each, ast.ClassDef) and (
                any(isinstance(part, ast.FunctionDef) and part.name.startswith("test") for part in each.body)
                or any(isinstance(base, ast.Name) and base.id in found for base in each.bases)):
            found.append(each.name)
    return found


def forgotten(folder):
    """PROGRAM: CLASS of each class that no entry of the folder's CMakeLists.txt runs."""
    text = re.sub(r"#.*", "", (folder / "CMakeLists.txt").read_text())
    words = set(re.split(r"[\s()]+", re.sub(r"=\S+", "", text)))
    for program in sorted(set(re.findall(r"tactus_script\(\S+\s+(\w+\.py)", text))):
        if (folder / program).exists():
            has = classes(folder / program)
            if words.intersection(has):
                yield from (f"{program}: {name}" for name in has if name not in words)


class Groups(unittest.TestCase):
    def test_each_class_of_a_program_runs(self):
        folders = [path.parent for path in SOURCE.glob("tests/**/CMakeLists.txt")]
        self.assertGreater(len(folders), 10)
        self.assertEqual([each for folder in folders for each in forgotten(folder)], [])

    def test_a_class_that_no_entry_names_is_found(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        test = "    def test_one(self): pass\n"
        (folder / "a_test.py").write_text(f"class Case:\n    pass\nclass A(Case):\n{test}class B(Case):\n{test}class C(B): pass\n")
        (folder / "all_test.py").write_text(f"class D:\n{test}")
        entries = "tactus_script(All all_test.py)\nset(groups A=Other.Name)  # B and C\ntactus_script(P a_test.py GROUPS ${groups})\n"
        (folder / "CMakeLists.txt").write_text(entries)
        self.assertEqual([*forgotten(folder)], ["a_test.py: B", "a_test.py: C"])
        (folder / "CMakeLists.txt").write_text(entries + "tactus_script(Night a_test.py B LABELS nightly)\nlist(APPEND groups C)\n")
        self.assertEqual([*forgotten(folder)], [])


unittest.main(verbosity=2)
