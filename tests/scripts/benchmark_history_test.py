# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/benchmark_history.py: what nights have measured is kept, and a row that got worse is named."""
import json
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "scripts/lib"))
import benchmark_history as history  # noqa: E402: found by the path above
import benchmark_page  # noqa: E402

HOST = {"kernel": "6.1.0-13-rt", "preempt": "PREEMPT_RT", "cpu": "Some CPU", "cpus": 4, "commit": "0123456789abcdef",
        "date": "2026-01-02T03:04:05+00:00"}
MACHINE = "Some CPU, 4 CPUs, Linux 6.1 (PREEMPT_RT)"
KEY, TITLE = "frame-empty-1000", "frame of 1000 empty jobs"


def results(median, **host):
    return {"host": {**HOST, **host}, "results": [
        {"program": "benchmark_whole_frame", "question": "what does a whole frame cost its thread with all defaults?",
         "model": "empty", "jobs": 1000, "whole_frame_ns": {"median": median, "min": 1, "max": 10**6},
         "least_ns": {"median": 8_000, "min": 8_000, "max": 8_000}, "machine": {"load": 1.5}},
        {"program": "benchmark_other", "question": "what is no row of the page?", "time_ns": 1}]}


def nights(medians, key=KEY, machine=MACHINE):
    return {machine: {key: [["01234567", "2026-01-01", median, 1.0] for median in medians]}}


class AWorseFigure(unittest.TestCase):
    def test_is_worse_by_more_than_five_percent(self):
        before = [100.0] * 5
        self.assertFalse(history.is_worse(before, 105))
        self.assertTrue(history.is_worse(before, 105.1))
        self.assertFalse(history.is_worse(before, 50))

    def test_is_beyond_what_the_nights_differ_by(self):
        before = [90, 95, 100, 105, 110]  # median deviation: 5
        self.assertFalse(history.is_worse(before, 115))
        self.assertTrue(history.is_worse(before, 116))

    def test_is_not_hidden_by_one_night_on_a_busy_machine(self):
        self.assertTrue(history.is_worse([100, 100, 101, 99, 100, 500], 107))

    def test_of_which_more_is_better_is_smaller(self):
        before = [1000.0] * 5
        self.assertTrue(history.is_worse(before, 949, more=True))
        self.assertFalse(history.is_worse(before, 951, more=True))
        self.assertFalse(history.is_worse(before, 2000, more=True))

    def test_is_said_after_some_nights(self):
        self.assertFalse(history.is_worse([100] * (history.LEAST_NIGHTS - 1), 1000))
        self.assertFalse(history.is_worse([], 1000))

    def test_beside_zero_is_worse_by_a_smallest_change(self):
        self.assertFalse(history.is_worse([0.0] * 5, 0.0))
        self.assertFalse(history.is_worse([0.0] * 5, 0.4, smallest=1))
        self.assertTrue(history.is_worse([0.0] * 5, 1.0, smallest=1))


class AHistory(unittest.TestCase):
    def test_holds_the_median_of_each_row_with_commit_date_and_load(self):
        machine, figures = history.measured(results(10_000))
        self.assertEqual(machine, MACHINE)
        self.assertEqual(figures, {KEY: ["01234567", "2026-01-02", 10_000, 1.5]})
        kept = history.appended({}, machine, figures)
        self.assertEqual(kept, {MACHINE: {KEY: [["01234567", "2026-01-02", 10_000, 1.5]]}})

    def test_grows_by_a_night_and_forgets_the_oldest(self):
        before = nights(range(history.KEPT))
        after = history.appended(before, *history.measured(results(77)))
        self.assertEqual([night[2] for night in after[MACHINE][KEY]], [*range(1, history.KEPT), 77])
        self.assertEqual(len(before[MACHINE][KEY]), history.KEPT)
        self.assertEqual(before[MACHINE][KEY][0][2], 0)

    def test_keeps_rows_and_machines_that_were_not_measured(self):
        before = {**nights([5], "frame-nine-1000"), **nights([6], machine="Another")}
        after = history.appended(before, *history.measured(results(77)))
        self.assertEqual(after[MACHINE]["frame-nine-1000"], before[MACHINE]["frame-nine-1000"])
        self.assertEqual(after["Another"], before["Another"])
        self.assertEqual(history.appended(before, None, {}), before)

    def test_is_written_with_a_line_for_each_row(self):
        kept = {**nights([5, 6]), **nights([7], machine="Another")}
        text = history.text_of(kept)
        self.assertEqual(json.loads(text), kept)
        self.assertEqual(sum(KEY in line for line in text.splitlines()), 2)
        self.assertEqual(json.loads(history.text_of({})), {})


class ARow(unittest.TestCase):
    def said(self, before, median, **host):
        return history.worse(before, *history.measured(results(median, **host)))

    def test_that_got_worse_is_named_with_both_figures(self):
        self.assertEqual(self.said(nights([10_000] * 6), 11_000),
                         [f"{TITLE}: 11 us, median of 6 nights 10 us, +10 %"])

    def test_that_did_not_is_not_named(self):
        self.assertEqual(self.said(nights([10_000] * 6), 10_400), [])
        self.assertEqual(self.said({}, 10_400), [])

    def test_of_another_machine_says_nothing(self):
        self.assertEqual(self.said(nights([10_000] * 6), 20_000, cpus=8), [])

    def test_of_which_more_is_better_is_named_when_it_falls(self):
        row = next(row for row in benchmark_page.ROWS if row.get("more"))
        said = history.worse(nights([1000] * 6, row["key"]), MACHINE, {row["key"]: ["0", "2026-01-02", 500, 1]})
        self.assertEqual(said, [f"{row['title']}: 500 jobs, median of 6 nights 1000 jobs, -50 %"])

    def test_whose_median_was_zero_has_no_percentage(self):
        key = "checkpoint-behind"
        said = history.worse(nights([0] * 6, key), MACHINE, {key: ["0", "2026-01-02", 3, 1]})
        self.assertEqual(len(said), 1)
        self.assertTrue(said[0].endswith(": 3 frames, median of 6 nights 0 frames"), said)


class ThePage(unittest.TestCase):
    def test_names_no_row_twice(self):
        for what in ("key", "title"):
            names = [row[what] for row in benchmark_page.ROWS]
            self.assertEqual(len(names), len(set(names)), what)

    def test_knows_the_unit_of_each_row(self):
        self.assertEqual({row["unit"] for row in benchmark_page.ROWS} - set(benchmark_page.SCALE), set())


unittest.main()
