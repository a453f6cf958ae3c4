# SPDX-License-Identifier: Apache-2.0
"""Every figure of the page against frames.csv, over the same frames, to within one bucket, of a rig that is late.

    figures_test.py --source CHECKOUT [--tactus PROGRAM] [CLASS ...]

`Written` has the frames of a rig that is late as they were written down: no machine has to be punctual, or late.
`Measured` has a rig that runs, and its own frames.csv: they agree whatever the machine does.
"""
import csv
import math
import random
import re
import unittest

import fake_port
import page_test
from page_test import Case

PERIOD = 1_000_000
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
EDGE = 1 / 8      # a bucket of /v1/timing is so wide, of the distance that it counts
ROUNDED = 0.0051  # three digits are shown


def in_ns(text):
    found = re.fullmatch(r"(−?)([0-9.]+) ?(ns|µs|ms|s)", text.strip())
    assert found, f"{text!r} is no duration"
    return float(found[2]) * UNITS[found[3]] * (-1 if found[1] else 1)


def ranked(values, share):
    return sorted(values)[max(0, math.ceil(share * len(values) - 1e-9) - 1)]


class Figures(Case):
    """Compares; the frames come from elsewhere: rows of (frame, lateness, execution time, slack)."""

    def near(self, name, shown, exact, zero=0):
        """Within one bucket, counted from `zero`, and never better than it was."""
        wide = max(1, abs(exact - zero) * EDGE) + abs(shown) * ROUNDED + 1
        self.assertLessEqual(abs(shown - exact), wide, f"{name}: {shown} is shown, {exact} is in frames.csv")

    def compare(self, rows, period):
        late, work, slack = ([row[i] for row in rows] for i in (1, 2, 3))
        done = [period - each for each in slack]
        self.browser.run("location.hash = 'overview'")
        self.browser.until("return tactus.views.overview.timing?.late.count === args[0]", len(rows))
        self.browser.run("tactus.views.overview.draw(true)")
        tile = lambda name: dict(self.browser.run("""return [...document.querySelectorAll(`[data-list="q-${args[0]}"] dt`)].map((dt, i) =>
            [dt.textContent, document.querySelectorAll(`[data-list="q-${args[0]}"] dd`)[i].textContent])""", name))  # noqa: E731
        for name, values in (("late", late), ("work", work)):
            for label, exact in (("p50", ranked(values, 0.5)), ("p99", ranked(values, 0.99)), ("max", max(values))):
                shown = in_ns(tile(name)[label])
                self.near(f"{name} {label}", shown, exact)
                self.assertGreaterEqual(shown, exact * (1 - ROUNDED) - 1, f"{name} {label} is flattered")
        slacks = tile("slack")
        far = lambda exact: 0 if exact < period / 2 else period  # noqa: E731  from where its buckets are counted
        for label, exact in (("p50", ranked(slack, 0.5)), ("p1", period - ranked(done, 0.99)), ("min", min(slack))):
            shown = in_ns(slacks[label])
            self.near(f"slack {label}", shown, exact, far(exact))
            self.assertLessEqual(shown, exact + abs(exact) * ROUNDED + 1 + (abs(exact - far(exact)) * EDGE if label == "p50" else 0),
                                 f"slack {label} is flattered")
        said = self.browser.attribute(".ruler", "aria-label")
        for row, values, zero in (("Woken", late, lambda exact: 0), ("Done", done, lambda exact: period if exact > period / 2 else 0)):
            figures = re.search(rf"{row}: p50 (.*?), p99.9 (.*?), max (.*?)\.(?= [A-Z])", said)
            for label, text, exact in zip(("p50", "p99.9", "max"), figures.groups(),
                                          (ranked(values, 0.5), ranked(values, 0.999), max(values))):
                self.near(f"ruler {row} {label}", in_ns(text), exact, zero(exact))
                if label != "p50":
                    self.assertGreaterEqual(in_ns(text), exact * (1 - ROUNDED) - 1, f"ruler {row} {label} is flattered")
        self.assertIn(f"Deadline {self.browser.run('return (await import(`/text.js`)).spanText(args[0])', period)}.", said)
        self.browser.run("location.hash = 'timing'")
        self.browser.until("return !document.querySelector('#view-timing').hidden")
        self.browser.run("tactus.views.timing.draw(true)")
        behind = [row[4] for row in rows if row[4] > 0]  # the first frame has none
        for name, values in (("late", late), ("work", work), ("behind", behind)):
            figures = re.fullmatch(r"p50 (.*?)   p99 (.*?)   p99.9 (.*?)   max (.*)", self.browser.text(f'[data-v="hist-{name}"]'))
            for share, text in zip((0.5, 0.99, 0.999, 1), figures.groups()):
                self.near(f"histogram of {name} {share}", in_ns(text), ranked(values, share))

    def compare_last_second(self, rows, period):
        """The great figures of the tiles: the worst of the last second, which the stream has brought."""
        newest = rows[-max(1, round(1e9 / period)):]
        for name, exact in (("late", max(r[1] for r in newest)), ("work", max(r[2] for r in newest)),
                            ("slack", min(r[3] for r in newest))):
            self.near(f"big {name}", in_ns(self.browser.text(f'[data-v="big-{name}"]')), exact)


class Written(Figures):
    def frames(self, seed, overruns):
        """A rig that is late: mostly quick, with long frames, stalls and the frames that catch up behind them."""
        chance, rows, behind = random.Random(seed), [], 0
        for frame in range(20_000):
            behind = max(0, behind - PERIOD)
            late = behind + chance.choice((9, 14, 40, 300)) + int(chance.paretovariate(1.1))
            work = 1500 + int(chance.expovariate(1 / 400))
            if chance.random() < overruns:
                work += int(chance.uniform(0.1, 3.5) * PERIOD)
            if chance.random() < 0.01:
                late += int(chance.uniform(0.05, 0.7) * PERIOD)
            slack = PERIOD - late - work
            behind = max(0, late + work)
            behind = behind if behind > PERIOD else 0
            left = slack if frame % 5000 else PERIOD + 40  # behind lost slots there is more
            rows.append((frame, late, work, left, 0 if frame == 0 else int(chance.lognormvariate(8, 1))))
        return rows

    def test_every_figure_is_that_of_frames_csv(self):
        for seed, overruns in ((1, 0.02), (2, 0.0005), (3, 0.3)):
            rows = self.frames(seed, overruns)
            rig = self.fake()
            rig.times = {row[0]: row[1:] for row in rows}
            rig.frame = rows[-1][0]
            over = [row for row in rows if row[3] < 0]
            rig.totals = {"frames_run": len(rows), "overruns": len(over), "longest_overrun_ns": -min(row[3] for row in rows)}
            with self.subTest(seed=seed):
                self.open()
                self.browser.until("return tactus.rig.streamed === args[0]", rig.frame)
                self.compare(rows, PERIOD)
                self.browser.run("location.hash = 'overview'")
                self.browser.until("return !document.querySelector('#view-overview').hidden")
                self.browser.until("return !Number.isNaN(tactus.rig.track('rt.late').at(args[0]))", rig.frame - 999)
                self.browser.run("tactus.views.overview.draw(true)")
                self.compare_last_second(rows, PERIOD)
                count = fake_grouped(len(over))
                self.browser.until_text(".verdict", f"{count} overruns? in {fake_grouped(len(rows))} frames")
                self.near("worst", in_ns(re.search(r"Worst (.*)\.$", self.browser.text(".verdict"))[1]), -min(r[3] for r in rows))
                self.browser.until_text('[data-list="facts"]', f"Frames{fake_grouped(len(rows))}Overruns{count}Late")

    def test_buckets_in_any_order_have_the_same_quantiles(self):
        rows = self.frames(4, 0.02)
        self.fake()
        self.browser.open(f"{self.address}/uplot/LICENSE")
        slack = fake_port.slack_histogram([row[3] for row in rows], PERIOD)
        self.assertNotEqual(slack["buckets"], sorted(slack["buckets"]), "as a rig sends them")
        ask = """const m = await import('/timing_data.js');
            return [m.quantile(args[0], 0.01), m.quantile(args[0], 0.5), m.done(args[0], args[1]).p99_9_ns]"""
        said = self.browser.run(ask, slack, PERIOD)
        for seed in range(3):
            buckets = list(slack["buckets"])
            random.Random(seed).shuffle(buckets)
            self.assertEqual(self.browser.run(ask, {**slack, "buckets": buckets}, PERIOD), said)
        self.near("slack p1", said[0], ranked([row[3] for row in rows], 0.01))


def fake_grouped(count):
    return f"{count:,}".replace(",", " ")


class Measured(Figures, page_test.Started):
    """Frames that are shorter than this rig takes now and then: some are late on every machine."""

    def test_every_figure_is_that_of_frames_csv(self):
        ratio = 4.0
        self.start(**{"realtime.ratio": str(ratio), "flight_recorder.enabled": "no"})
        self.open()
        self.browser.until("return tactus.rig.streamed > 4000")
        self.give("pause")
        self.until(lambda: self.state() == "Pause")
        paused = self.rig.state()["frame"]
        self.browser.until("return tactus.rig.frame === args[0]", paused)
        read = self.rig.report("timing")
        self.assertEqual(read["slack"]["buckets"], sorted(read["slack"]["buckets"]))
        page = {}
        compare = lambda rows: self.compare(rows, int(PERIOD / ratio))  # noqa: E731
        # The run is over before its frames are all written: what the page shows is looked at before, and compared then.
        self.browser.until("return tactus.views.overview.timing?.frame === args[0]", paused)
        page = self.browser.run("return JSON.stringify(tactus.views.overview.timing)")
        self.give("stop")
        self.assertEqual(self.process.wait(page_test.PATIENCE), 0)
        with open(self.folder / "out" / "frames.csv", encoding="utf-8", newline="") as file:
            table = csv.reader(file)
            heads = [head.split(" ")[0] for head in next(table)]
            at = [heads.index(f"rt.{name}") for name in ("frame", "late", "work", "slack", "behind")]
            rows = [tuple(int(row[i]) for i in at) for row in table]
        rows = [row for row in rows if row[0] <= paused]
        self.browser.run("""const {rig, views} = tactus, timing = JSON.parse(args[0]);
            rig.port.json = () => new Promise(() => {});
            views.overview.timing = views.timing.timing = timing""", page)
        compare(rows)


if __name__ == "__main__":
    unittest.main(verbosity=2)
