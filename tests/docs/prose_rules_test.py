# SPDX-License-Identifier: Apache-2.0
"""prose_test.py finds comments of declarations that are no sentences, and long lines of pages."""
import unittest

import prose_test


class ProseRules(unittest.TestCase):
    def test_a_comment_begins_with_a_verb_or_a_name(self):
        for text in ["Returns the slot of frame k.", "Longest wait for an edge.", "0: none", "`frame`: the next one",
                     "Forces of a model.", "Offset in the block", "true: binary", '"motion.csv"']:
            self.assertFalse(prose_test.is_headless(text), text)
        for text in ["Of the last frame.", "of the last frame", "Whether it is due.", "Who waits for it.", "Likewise.",
                     "likewise; empty: none", "What a rig says.", "How often it ran.", "True if it is due.",
                     "As of the last look.", "in the block", "so many of them"]:
            self.assertTrue(prose_test.is_headless(text), text)

    def test_the_first_line_of_each_comment_counts(self):
        source = """/// Waits for an edge,
/// of which the number is known.
void wait();
  int late = 0;  ///< of the last frame
  int work = 0;  ///< time of the last frame
// of no declaration
#include "of/what.hpp"
/// Whether it is due.
bool due();
"""
        self.assertEqual(prose_test.headless_comments(source), [(4, "of the last frame"), (8, "Whether it is due.")])

    def test_lines_of_pages_are_short_but_for_tables_and_commands(self):
        page = "\n".join(["short", "long " * 30, "| " + "cell " * 30 + "|", "run `" + "word " * 30 + "` so",
                          "```", "code " * 30, "```"])
        self.assertEqual(prose_test.long_lines(page), [2])


unittest.main()
