# SPDX-License-Identifier: Apache-2.0
"""The page of a campaign in a browser, from its file alone, against the figures of the database.

    campaign_page_test.py --source CHECKOUT --tactus PROGRAM [CLASS ...]

Skipped, with the reason, where there is no Chromium.
"""
import argparse
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True, type=pathlib.Path)
parser.add_argument("--tactus", required=True)
args, sys.argv[1:] = parser.parse_known_args()
SOURCE = args.source.resolve()
sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).parent), str(SOURCE / "tests" / "drivers" / "live" / "page")]

import made_results  # noqa: E402  (the paths to these are made above)
from webdriver import Shared, missing  # noqa: E402

CASES = 600


class Case(unittest.TestCase):
    """One browser for all tests, one campaign for all of as many cases; each opens the page anew."""

    cases = CASES
    campaigns = {}  # folders by their cases

    @classmethod
    def setUpClass(cls):
        if why := missing():
            raise unittest.SkipTest(why)
        if cls.cases not in Case.campaigns:
            folder = tempfile.TemporaryDirectory(prefix="tactus-campaign-")  # pylint: disable=consider-using-with
            unittest.addModuleCleanup(folder.cleanup)
            made_results.write(SOURCE, pathlib.Path(folder.name), cls.cases)
            subprocess.run([args.tactus, "campaign", "page", folder.name, "--quiet"], check=True)
            Case.campaigns[cls.cases] = pathlib.Path(folder.name)
        cls.folder = Case.campaigns[cls.cases]
        unittest.addModuleCleanup(Shared.close)
        cls.browser = Shared.get()
        cls.data = sqlite3.connect(cls.folder / "campaign.sqlite")
        cls.addClassCleanup(cls.data.close)

    def setUp(self):
        self.open()

    def tearDown(self):
        said = [each for each in self.browser.log() if each["level"] == "SEVERE"]
        self.assertEqual(said, [], "the console")

    def open(self):
        self.browser.open((self.folder / "campaign.html").as_uri())
        self.browser.run("sessionStorage.clear()")
        self.browser.open((self.folder / "campaign.html").as_uri())
        self.browser.until("return document.querySelector('#rows tbody tr') !== null")

    def count(self, where="1"):
        """Cases of the database for which that holds, over r: resistance, i: inertia, p: peak, m: margin."""
        return self.data.execute(
            "SELECT count(*) FROM cases c JOIN verdicts v USING (number) JOIN measured q USING (number) "
            "JOIN drawn r ON r.number = c.number AND r.key LIKE '%resistance' "
            "JOIN drawn i ON i.number = c.number AND i.key LIKE '%inertia' "
            f"JOIN drawn w ON w.number = c.number AND w.key = 'frame.policy' WHERE {where}").fetchone()[0]

    def shown(self):
        text = self.browser.text("#shown")
        return int(text.split(" of ")[0])

    def filter(self, text):
        self.browser.type("#filter", text)
        return self.shown()

    def choose(self, what, title):
        """Takes a quantity in one of the lists."""
        self.browser.run("""const list = document.getElementById(args[0]);
            list.value = [...list.options].find((each) => each.textContent.startsWith(args[1])).value;
            list.dispatchEvent(new Event("change"))""", what, title)

    def dots(self, canvas="space"):
        """Pixels of a canvas that have something drawn."""
        return self.browser.run("""const c = document.getElementById(args[0]), d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data;
            let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n""", canvas)


class Table(Case):
    def test_says_how_many_fail(self):
        failed, late = self.count("c.verdict = 'fail'"), self.count("c.verdict = 'inconclusive'")
        self.assertGreater(failed, 10)
        self.assertEqual(self.browser.text("#sentence"), f"{failed} of {CASES} cases fail")
        self.assertIn(f"{late} of them could not be judged", self.browser.text("#facts"))
        passed = self.count("c.verdict = 'pass'")
        row = self.browser.run("return [...document.querySelectorAll('#rates tr:nth-child(2) td')].map((each) => each.textContent)")
        self.assertEqual(row[:4], ["follows", str(passed), str(failed), str(late)])

    def test_filters_by_verdict_number_value_word_and_expectation(self):
        for text, where in (("fail", "c.verdict = 'fail'"), ("#311", "c.number = 311"), ("resistance>0.5", "r.value > 0.5"),
                            ("inertia<=120 peak>4", "i.value <= 120 AND q.value > 4"), ("policy=fifo", "w.text = 'fifo'"),
                            ("follows", "c.verdict <> 'pass'"), ("late", "c.verdict = 'inconclusive'"), ("", "1")):
            self.assertEqual(self.filter(text), self.count(where), text)
        self.assertEqual(self.filter("peak>100"), 0)
        self.filter("")
        self.browser.click("#verdicts [data-only=inconclusive]")
        self.assertEqual(self.shown(), self.count("c.verdict = 'inconclusive'"))

    def test_shows_values_of_the_database_in_their_order(self):
        self.browser.run("[...document.querySelectorAll('#rows th button')].find((each) => each.textContent.startsWith('peak')).click()")
        head = self.browser.run("return [...document.querySelectorAll('#rows th')].map((each) => each.textContent)")
        self.assertTrue(any(each.startswith("peak A") for each in head), head)
        place = next(i for i, each in enumerate(head) if each.startswith("peak"))
        cells = self.browser.run("""return [...document.querySelectorAll('#rows tbody tr:not([aria-hidden])')].slice(0, 5).map((each) =>
            [each.cells[0].textContent, each.cells[args[0]].textContent])""", place)
        rows = self.data.execute("SELECT number, value FROM measured WHERE value IS NOT NULL ORDER BY value LIMIT 5").fetchall()
        self.assertEqual([each[0] for each in cells], [f"#{number}" for number, _ in rows])
        for (_, shown), (_, exact) in zip(cells, rows):
            self.assertAlmostEqual(float(shown), exact, delta=1e-4 * exact)

    def test_scrolls_to_the_last_case(self):
        self.browser.run("document.querySelector('#rows th button').click()")  # by number
        self.browser.run("document.getElementById('rows').scrollTop = 1e9")
        self.browser.until("return [...document.querySelectorAll('#rows td')].some((each) => each.textContent === args[0])", f"#{CASES - 1}")
        self.assertLess(self.browser.run("return document.querySelectorAll('#rows tr').length"), 60, "rows in view only")

    def test_has_the_three_worst_with_their_reports(self):
        worst = [row[0] for row in self.data.execute(
            "SELECT number FROM verdicts WHERE verdict = 'fail' ORDER BY margin LIMIT 3")]
        shown = self.browser.run("return [...document.querySelectorAll('#worst p')].map((each) => [each.textContent, each.querySelector('a').getAttribute('href')])")
        self.assertEqual([each[1] for each in shown], [f"cases/{number // 1000}/{number}-1/run/report.html" for number in worst])
        self.assertIn(f"#{worst[0]} ", shown[0][0])
        self.browser.click("#worst p button")
        self.assertIn(f"tactus run servo.yaml --set 'a=<{worst[0]}> V'", self.browser.text("#one pre"), "the line, not markup")

    def test_keeps_the_filter_when_it_loads_itself_again(self):
        self.assertEqual(self.filter("fail"), self.count("c.verdict = 'fail'"))
        self.browser.run("location.reload()")
        self.browser.until("return document.querySelector('#rows tbody tr') !== null")
        self.assertEqual(self.shown(), self.count("c.verdict = 'fail'"))


class Charts(Case):
    def test_a_scatter_selects_what_is_inside_of_a_drag(self):
        self.choose("x", "models.motor.parameters.inertia")
        self.choose("y", "peak")
        full = self.dots()
        self.assertGreater(full, 500)
        self.assertEqual(self.shown(), CASES)
        self.browser.drag("#space", (150, 80))
        # What it selects is what the page says: both ends in the units of the axes.
        (x, y) = self.browser.run("const s = JSON.parse(sessionStorage.getItem('tactus made')); return [s.brush[s.x], s.brush[s.y]]")
        self.assertEqual(self.shown(), self.count(
            f"i.value BETWEEN {x[0]} AND {x[1]} AND q.value BETWEEN {y[0]} AND {y[1]}"))
        self.assertLess(self.shown(), CASES)
        self.assertGreater(self.shown(), 0)
        self.assertAlmostEqual((x[0] + 0 * x[1]), 130, delta=6, msg="the drag begins in the middle of 100 .. 160")
        self.assertLess(self.dots(), full)
        self.browser.click("#clear")
        self.assertEqual(self.shown(), CASES)

    def test_words_have_ticks_of_their_own_and_numbers_come_first(self):
        self.assertEqual(self.browser.run("return COLUMNS[S.x].name"), "models.motor.parameters.inertia",
                         "a scatter of numbers, though the first key has words")
        self.choose("over", "frame.policy")
        self.assertEqual(self.browser.run("return histogram.ticks.map((each) => each[1])"), ["fifo", "deadline"])
        shown = [each for each in self.browser.run("return histogram.counts") if each]
        self.assertEqual(shown, [self.count("w.text = 'fifo'"), self.count("w.text = 'deadline'")])
        self.choose("y", "frame.policy")
        self.assertEqual(self.browser.run("return ticks(S.y).map((each) => each[1])"), ["fifo", "deadline"])
        self.choose("over", "peak")
        self.assertEqual(len(self.browser.run("return histogram.ticks")), 3)

    def test_parallel_coordinates_draw_each_column(self):
        before = self.dots()
        self.browser.click("#parallel")
        self.assertEqual(self.browser.attribute("#parallel", "aria-pressed"), "true")
        self.assertGreater(self.dots(), before)
        few = self.filter("#311")
        self.assertEqual(few, 1)
        self.assertLess(self.dots(), before * 20, "one line and the axes")
        many = self.dots()
        self.filter("")
        self.assertGreater(self.dots(), many)

    def test_a_histogram_counts_what_the_database_has(self):
        self.choose("over", "models.motor.parameters.resistance")
        low, high = self.data.execute("SELECT min(value), max(value) FROM drawn WHERE key LIKE '%resistance'").fetchone()
        bins = [self.count(f"min(23, CAST((r.value - {low}) / ({high} - {low}) * 24 AS INTEGER)) = {n}") for n in range(24)]
        shown = self.browser.run("return histogram.counts")
        self.assertEqual(sum(shown), CASES)
        self.assertLessEqual(sum(abs(a - b) for a, b in zip(shown, bins)), 2, "values at an edge are rounded to six digits")
        self.choose("over", "peak")
        self.assertEqual(sum(self.browser.run("return histogram.counts")), self.count("q.value IS NOT NULL"))
        self.filter("fail")
        self.assertEqual(sum(self.browser.run("return histogram.counts")),
                         self.count("q.value IS NOT NULL AND c.verdict = 'fail'"))
        self.assertGreater(self.dots("histogram"), 500)


class Many(Case):
    """A great campaign: not how fast it opens, which depends on the machine, but that its cost does not grow
    with rows that nobody sees."""

    cases = 20_000

    def test_draws_what_is_in_view(self):
        self.assertEqual(self.shown(), self.cases)
        self.assertLess(self.browser.run("return document.getElementsByTagName('*').length"), 2000)
        begun = time.monotonic()
        self.assertEqual(self.filter("peak>4.9"), self.count("q.value > 4.9"))
        self.assertLess(time.monotonic() - begun, 60)


class HundredThousand(Case):
    """The page of 100,000 cases opens in 2 s on a quiet machine. This one may be busy: there it takes no more than so
    many times as long as a page of a few cases, in the same browser and in turn, and draws no more than is seen."""

    cases = 100_000

    def setUp(self):
        """Each test opens the pages itself."""

    def seconds_to_open(self, folder):
        """Returns the seconds from the call until the first rows are drawn."""
        self.browser.open("about:blank")
        begun = time.monotonic()
        self.browser.open((folder / "campaign.html").as_uri())
        self.browser.until("return document.querySelector('#rows tbody tr') !== null")
        return time.monotonic() - begun

    def test_opens_in_seconds(self):
        with tempfile.TemporaryDirectory(prefix="tactus-campaign-") as few:
            few = pathlib.Path(few)
            made_results.write(SOURCE, few, 100)
            subprocess.run([args.tactus, "campaign", "page", str(few), "--quiet"], check=True)
            took = [(self.seconds_to_open(few), self.seconds_to_open(self.folder)) for _ in range(5)]
        small, large = (sorted(times)[2] for times in zip(*took))
        self.assertEqual(self.shown(), self.cases)
        self.assertLess(self.browser.run("return document.getElementsByTagName('*').length"), 2000)
        size = (self.folder / "campaign.html").stat().st_size
        print(f"100,000 cases: {size / 1e6:.1f} MB, open in {large:.2f} s; 100 cases: {small:.2f} s", flush=True)
        self.assertLess(large, max(2, 10 * small))


if __name__ == "__main__":
    unittest.main(verbosity=2)
