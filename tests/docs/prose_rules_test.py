# SPDX-License-Identifier: Apache-2.0
"""prose_test.py counts words where people read them, and lets their counts only fall."""
import pathlib
import tempfile
import unittest

import prose_test

GLOSSARY = """| word | means | from | not |
|---|---|---|---|
| fix | the command that removes a problem | | mend, cure |
| instant | a simulated time | Esterel | pass, turn |
| overrun | the frame ended late | | |
"""


class ProseRules(unittest.TestCase):
    def test_words_are_those_of_the_glossarys_last_column(self):
        self.assertEqual(prose_test.replaced_words(GLOSSARY), {"mend", "cure", "pass", "turn"})

    def test_code_says_its_comments_and_its_texts_and_nothing_else(self):
        source = """#include "cure/mend.hpp"
int cure = 1; char quote = '"'; // mend it
const char* a = "the \\"cure\\" // is near"; /* cured,
to mend */ int mend; auto b = R"(cure)";
"""
        said = prose_test.said_by(source)
        self.assertEqual(prose_test.occurrences("cure", said), 2)
        self.assertEqual(prose_test.occurrences("mend", said), 2)

    def test_a_tree_is_counted_without_ordinary_words(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "docs" / "glossary.md").write_text(GLOSSARY)
            (root / "rtsync").mkdir()
            (root / "rtsync" / "a.hpp").write_text("/// The cure passes; nobody may turn it.\n")
            counts = prose_test.count_code(root)
        self.assertEqual({word: count for word, count in counts.items() if count > 0}, {"cure": 1, "nobody": 1})
        self.assertNotIn("turn", counts)

    def test_more_is_wrong_and_fewer_may_be_written_down(self):
        self.assertEqual(prose_test.judge_code({"cure": 2}, {"cure": 2}), ([], []))
        wrong, lower = prose_test.judge_code({"cure": 3, "mend": 1}, {"cure": 2})
        self.assertEqual([line.split(":")[0] for line in wrong], ["cure", "mend"])
        self.assertEqual(lower, [])
        wrong, lower = prose_test.judge_code({"cure": 1}, {"cure": 2})
        self.assertEqual(wrong, [])
        self.assertEqual(lower, ["cure: only 1 are left in code; CODE_LIMITS may say so"])


unittest.main()
