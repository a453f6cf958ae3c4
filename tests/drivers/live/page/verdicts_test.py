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
        rig.expect("follows", chart={"signals": ["motor.speed"], "reference": "motor.current", "low": -5, "high": 5,
                                     "limit": 5},
                   margin=0.3, expects="always abs(motor.speed - motor.current) < 5 rad/s")
        rig.expect("stops in time", "untested", margin=None, expects="after estop, within 200 ms: motor.on",
                   chart={"signals": ["motor.on"], "reference": None, "low": None, "high": None, "limit": None})
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
        cut = """return [...document.querySelectorAll('.word, .counts button, .cells button')].filter(
            (each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent).join()"""
        for width, height in ((1280, 800), (1440, 900), (1920, 1080), (2560, 1440)):
            self.browser.size(width, height)
            self.assertEqual(self.browser.run(cut), "", f"at {width} x {height}")
        self.browser.size(1440, 900)
        self.assertFalse(self.browser.visible(".rail"))
        self.browser.press("b")
        self.browser.until("return document.querySelector('.rail').getClientRects().length > 0")

    def step(self, rig, name, active, first, last, verdict="pass", timeout=None, lasting=None, timed_out=False, **more):
        rig.expect(f"sequence.{name}", verdict, active=active, since=first if active else None, margin=None,
                   expects="until motor.on",
                   chart={"signals": [], "reference": None, "low": None, "high": None, "limit": None},
                   step={"name": name, "first": first, "last": last, "for_s": lasting, "timeout_s": timeout,
                         "timed_out": timed_out}, **more)

    def test_the_sequence_shows_where_it_is(self):
        rig = self.rig()
        self.step(rig, "warm up", True, 0, None, "inconclusive", timeout=5, why="its time is not over")
        self.step(rig, "load", False, None, None, "untested", lasting=0.5)
        self.step(rig, "again <b>", False, None, None, "untested")
        self.open("tests")
        item = "return document.querySelector('.steps li:nth-child(' + args[0] + ')')"
        self.browser.until_text('[data-v="steps-shown"]', "step 1 of 3")
        self.browser.until_text(".steps li:nth-child(1)", r"warm up.*now.*s of at most 5 s")
        self.assertEqual(self.browser.run(item + ".dataset.s", 1), "now")
        self.assertEqual(self.browser.attribute(".steps li:nth-child(1)", "aria-current"), "step")
        self.assertEqual(self.browser.run(item + ".dataset.s", 2), "next")
        self.assertRegex(self.browser.text(".steps li:nth-child(2)"), "load.*takes 0.5 s")
        self.assertRegex(self.browser.text(".steps li:nth-child(3)"), "again <b>")
        self.assertEqual(self.browser.run("return getComputedStyle(" + item.removeprefix("return ")
                                          + ").borderTopStyle", 2), "dashed")
        self.step(rig, "warm up", False, 0, 1179, "pass", timeout=5)
        self.step(rig, "load", True, 1180, None, "inconclusive", lasting=0.5, why="its time is not over")
        self.browser.until_text('[data-v="steps-shown"]', "step 2 of 3")
        self.browser.until_text(".steps li:nth-child(1)", "✓warm up.*took 1.18 s")
        self.browser.until_text(".steps li:nth-child(2)", "now.*s of 0.5 s")
        self.step(rig, "load", False, 1180, 1700, "fail", lasting=0.5, final=True, frame=1700, time_s=1.7, timed_out=True)
        rig.verdicts["ended"] = True
        rig.expect("never overspeed", "pass", final=True, margin=12.5)
        self.browser.until_text(".steps li:nth-child(2)", "✕load: failed.*time-out after 0.521 s")
        self.browser.until_text(".steps li:nth-child(3)", "not begun")

    def test_a_test_without_a_sequence_has_no_steps(self):
        self.rig()
        self.open("tests")
        self.browser.until_text('[data-list="test-word"]', "Running")
        self.assertFalse(self.browser.visible('[data-part="steps"]'))

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
        self.assertNotRegex(self.browser.text('[data-list="test-legend"]'), "false|null")
        self.assertRegex(self.browser.text('[data-v="test-says"]'), "Holds so far")

    def test_a_reference_in_another_unit_is_drawn_in_that_of_the_axis(self):
        rig = self.rig()
        self.open("tests")
        self.browser.until_text('[data-list="test-word"]', "Running")
        self.browser.click(".cells button:nth-child(2)")
        self.browser.until("return tactus.rig.streaming.includes('motor.current') && tactus.rig.flows")
        rig.advance(50)
        self.browser.until("return tactus.rig.track('motor.current').end > 0")
        drawn = """const tests = tactus.views.tests, drawn = (scale) => {
                     Object.assign(tests.plot.chart, scale);
                     tests.drawChart();
                     return tests.plot.data.slice(2, 4).map((line) => line.findLast((value) => value !== null));
                   };
                   return [drawn({gain: undefined, offset: undefined}), drawn({gain: 2, offset: 10})]"""
        (same, low), (other, other_low) = self.browser.run(drawn)
        self.assertAlmostEqual(other, 2 * same + 10, msg="an older rig says nothing of a scale")
        self.assertAlmostEqual(low, same - 5)
        self.assertAlmostEqual(other_low, other - 5, msg="the band is in the unit of the axis")

    def test_the_chart_stays_with_the_failure_that_this_page_saw(self):
        rig = self.rig()
        self.open("tests")
        self.browser.until_text('[data-list="test-word"]', "Running")
        self.browser.click(".cells button:nth-child(2)")
        self.browser.until_text('[data-v="test-window"]', "^The last 5 s.$")
        self.browser.until("return tactus.rig.streaming.includes('motor.speed') && tactus.rig.flows")
        rig.advance(50)
        self.browser.until("return tactus.rig.track('motor.speed').end > 0")
        frame = rig.frame
        rig.advance(50)
        rig.expect("follows", "fail", final=True, margin=-2.25, frame=frame, time_s=frame / 1000)
        self.browser.until_text('[data-v="test-window"]', "around the first failure")
        for _ in range(10):
            rig.advance(1000)
        self.browser.until("return tactus.rig.frame > args[0]", frame + 9000)
        window = """const tests = tactus.views.tests; tests.drawChart();
            return tests.seconds(tests.found.expectations[1], ['motor.speed'])"""
        first, end = self.browser.run(window)
        self.assertTrue(first < frame < end < frame + 5000, f"{first} .. {end} around {frame}")
        self.assertTrue(self.browser.visible('[data-act="judged-now"]'))
        self.browser.click('[data-act="judged-now"]')
        self.browser.until_text('[data-v="test-window"]', "^The last 5 s.$")
        self.assertGreater(self.browser.run(window)[0], frame)
        self.browser.click('[data-act="judged-now"]')
        self.browser.until_text('[data-v="test-window"]', "around the first failure")

    def test_a_failure_says_which_faults_had_begun_and_when(self):
        rig = self.rig()
        rig.note("fault on", who="rig", name="long_over")
        rig.advance(50)
        rig.note("fault off", who="rig", name="long_over")
        rig.advance(2000)
        rig.note("fault on", who="rig", name="wire")
        rig.advance(500)
        rig.note("fault on", who="rig", name="encoder_stuck")
        rig.advance(10)
        rig.note("fault off", who="rig", name="wire")
        rig.advance(54)
        frame = rig.frame
        rig.advance(100)
        rig.note("fault on", who="rig", name="later")
        self.open("tests")
        self.browser.until("return tactus.marks.all.length === 6")
        self.browser.click(".cells button:nth-child(1)")
        self.browser.until_text('[data-v="test-says"]', "^Holds so far.$")
        rig.expect("never overspeed", "fail", final=True, margin=-1, frame=frame, time_s=frame / 1000)
        self.browser.until_text('[data-v="test-says"]', "Fault encoder_stuck had begun 64.0 ms earlier. "
                                                        "Fault wire had begun 564 ms earlier, and had ended.$")
        rig.expect("never overspeed", "fail", final=True, margin=-1, frame=frame - 64, time_s=frame / 1000)
        self.browser.until_text('[data-v="test-says"]', "Fault encoder_stuck had begun in that frame. "
                                                        "Fault wire had begun 500 ms earlier.$")

    def test_a_failure_before_the_page_looked_is_not_made_up(self):
        rig = self.rig()
        rig.expect("never overspeed", "fail", final=True, margin=-1, frame=12, time_s=0.012)
        self.open("tests")
        self.browser.until_text('[data-v="test-window"]', "around the first failure|failed before")
        # As where no frame of that time is held any more; more of them may still be on their way.
        self.browser.until("tactus.rig.track('motor.speed').clear();"
                           "return document.querySelector('[data-v=\"test-window\"]').textContent.includes(args[0])",
                           "failed before this page was open; the report of the run")
        self.assertFalse(self.browser.visible('[data-act="judged-now"]'))

    def test_one_that_may_still_come_true_has_no_time_of_a_failure(self):
        rig = self.rig()
        rig.expect("never overspeed", "fail", final=False, margin=None, frame=1000, time_s=1.0,
                   expects="finally motor.on")
        self.open("tests")
        self.until_kinds("running", "running", "running", "warned")
        self.browser.click(".cells button:nth-child(1)")
        self.browser.until_text('[data-v="test-window"]', "^The last 5 s.$")
        rows = self.browser.run("return [...document.querySelectorAll('.expect button')].map((b) => b.textContent)")
        self.assertNotRegex(next(row for row in rows if "overspeed" in row), "1.000 s|frame")

    def test_a_step_that_is_over_is_not_running(self):
        rig = self.rig()
        self.step(rig, "warm up", False, 0, 1179, "pass", timeout=5)
        self.step(rig, "load", True, 1180, None, "inconclusive", lasting=0.5, why="its time is not over")
        self.step(rig, "cool down", False, None, None, "untested")
        self.open("tests")
        self.until_kinds("running", "running", "running", "warned", "pass", "running", "running")
        self.browser.until_text('[data-list="test-counts"]', "✓1Pass")
        self.step(rig, "load", False, 1180, 1190, "fail", timed_out=True)
        self.until_kinds("running", "running", "running", "warned", "pass", "fail", "running")
        self.step(rig, "warm up", True, 1191, None, "inconclusive", timeout=5, why="its time is not over")
        self.until_kinds("running", "running", "running", "warned", "running", "fail", "running")

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
