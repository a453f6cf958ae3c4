# SPDX-License-Identifier: Apache-2.0
"""The view Tests: verdicts as they come, from near and from three metres.

    verdicts_test.py --source CHECKOUT [CLASS ...]      as page_test.py
"""
import unittest

from page_test import Case


class Verdicts(Case):
    """A rig whose test has one expectation of each kind."""

    def rig(self):
        rig = self.fake()
        rig.expect("never overspeed", margin=12.5, requirement="REQ-12")
        rig.expect("follows", chart={"signals": ["motor.speed"], "reference": "motor.current", "low": -5, "high": 5},
                   margin=0.3, expects="always abs(motor.speed - motor.current) < 5 rad/s")
        rig.expect("stops in time", "untested", margin=None, expects="after estop, within 200 ms: motor.on",
                   chart={"signals": ["motor.on"], "reference": None, "low": None, "high": None})
        rig.expect("is warm <enough>", "fail", final=True, severity="warn", frame=12, time_s=0.012)
        return rig

    def until_kinds(self, *kinds):
        """The word and the cells are not drawn in one go."""
        self.browser.until("return [...document.querySelectorAll('.cells button')].map((b) => b.dataset.k).join()"
                           " === '" + ",".join(kinds) + "'")

    def test_verdicts_come_and_the_word_is_the_worst(self):
        rig = self.rig()
        self.open("tests")
        self.browser.until_text('[data-list="test-word"]', "Running")
        self.until_kinds("running", "running", "running", "warned")
        self.assertEqual(self.browser.text('[data-v="badge-tests"]'), "", "a warning fails nothing")
        rig.expect("follows", "fail", final=True, margin=-2.25, frame=1000, time_s=1.0)
        self.browser.until_text('[data-list="test-word"]', "Fail")
        self.until_kinds("running", "fail", "running", "warned")
        self.browser.until_text('[data-list="test-sentence"]', "1 of 4 failed, first follows")
        self.browser.until_text('[data-v="badge-tests"]', "✕1")
        self.said(self.browser, "follows: failed in frame 900")
        first = self.browser.run("return document.querySelector('.expect button').textContent")
        self.assertRegex(first, "follows: Fail.*over by 2.25.* rad/s.*1.000 s.*frame 1 000")
        rig.verdicts["ended"] = True
        rig.expect("never overspeed", "pass", final=True, margin=12.5)
        self.until_kinds("pass", "fail", "untested", "warned")

    def test_the_board_is_read_from_three_metres(self):
        self.rig()
        self.open("tests")
        self.browser.until_text('[data-list="test-word"]', "Running")
        self.browser.press("b")
        size = "return parseFloat(getComputedStyle(document.querySelector(args[0])).fontSize)"
        self.assertGreaterEqual(self.browser.run(size, ".word b"), 120)
        self.assertGreaterEqual(self.browser.run(size, ".cells button"), 25)
        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth - innerWidth"), 0)
        self.assertFalse(self.browser.visible(".rail"))
        self.browser.press("b")
        self.assertTrue(self.browser.visible(".rail"))

    def test_an_opened_one_has_its_band_and_its_words(self):
        self.rig()
        self.open("tests")
        self.browser.until_text('[data-list="test-word"]', "Running")
        self.browser.click(".cells button:nth-child(2)")
        self.browser.until_text('[data-list="test-head"]', "follows")
        self.browser.until_text('[data-list="test-legend"]', "motor.speed.*motor.current.*where it holds")
        self.assertEqual(self.browser.run("return [tests = window.tactus.views.tests, tests.plot.banded][1]"), True)
        self.browser.click(".cells button:nth-child(1)")
        self.browser.until_text('[data-list="test-facts"]', "REQ-12")
        self.assertRegex(self.browser.text('[data-v="test-says"]'), "Holds so far")

    def test_the_list_is_filtered_by_verdict_and_by_words(self):
        self.rig()
        self.open("tests")
        self.browser.until_text('[data-v="tests-shown"]', "4 of 4")
        self.browser.click('.counts [data-k="running"]')
        self.browser.until_text('[data-v="tests-shown"]', "3 of 4")
        self.assertEqual(self.browser.attribute('.counts [data-k="running"]', "aria-pressed"), "true")
        self.browser.click('.counts [data-k="running"]')
        self.browser.run("""const field = document.querySelector('[data-act="search-tests"]');
            field.value = 'req-12'; field.dispatchEvent(new Event('input'))""")
        self.browser.until_text('[data-v="tests-shown"]', "1 of 4")

    def test_two_hundred_expectations_are_signs(self):
        rig = self.fake()
        for i in range(200):
            rig.expect(f"expectation number {i}")
        self.open("tests")
        self.browser.until("return document.querySelectorAll('.cells button').length === 200")
        self.assertTrue(self.browser.run("return document.querySelector('.cells').hasAttribute('data-many')"))
        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth - innerWidth"), 0)

    def test_a_rig_without_a_test_says_how_to_lay_one_over_it(self):
        self.fake()
        self.open("tests")
        self.browser.until_text('[data-list="test-none"]', "tactus run RIG.yaml --test")

    def test_an_older_rig_says_that_it_has_none(self):
        rig = self.fake()
        rig.missing["/v1/verdicts"] = (404, "there is no /v1/verdicts")
        self.open("tests")
        self.browser.until_text('[data-list="test-none"]', "there is no /v1/verdicts")


if __name__ == "__main__":
    unittest.main(verbosity=2)
