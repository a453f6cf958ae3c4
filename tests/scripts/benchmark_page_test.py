# SPDX-License-Identifier: Apache-2.0
"""scripts/lib/benchmark_page.py: the table says what was measured, where, and keeps what was not measured again."""
import json
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "tests" / "support"))
from forked import Script  # noqa: E402

PAGE = Script(SOURCE / "scripts" / "lib" / "benchmark_page.py")
FRAME = "what does a whole frame cost its thread with all defaults?"
HOST = {"kernel": "6.1.0-13-rt", "preempt": "PREEMPT_RT", "cpu": "Some CPU", "cpus": 4, "commit": "0123456789abcdef",
        "date": "2026-01-02T03:04:05+00:00"}


class BenchmarkPage(unittest.TestCase):
    def setUp(self):
        self.docs = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.figures({"frame-empty-1000": {"peer": {"name": "Other", "figure": 20}}})

    def figures(self, rows):
        (self.docs / "benchmarks.json").write_text(json.dumps({"about": "What it costs.", "notes": ["- a note"], "rows": rows}))

    def make(self, *arguments, results=None):
        if results is not None:
            file = self.docs / "results.json"
            file.write_text(json.dumps({"host": HOST, "results": results}) if isinstance(results, list) else results)
            arguments = (*arguments, "--results", file)
        return PAGE.run("--docs", self.docs, *arguments)

    def answer(self, model="empty", median=10_000):
        return {"program": "benchmark_whole_frame", "question": FRAME, "model": model, "jobs": 1000,
                "whole_frame_ns": {"median": median, "min": 9_000, "max": 12_000},
                "least_ns": {"median": 8_000, "min": 8_000, "max": 8_000}, "machine": {"load": 1.5}}

    def row(self, title):
        rows = [line for line in (self.docs / "benchmarks.md").read_text().splitlines() if line.startswith(f"| {title} |")]
        return [cell.strip() for cell in rows[0].strip("|").split("|")] if rows else None

    def test_a_row_has_figure_spread_peer_least_and_machine(self):
        done = self.make(results=[{**self.answer(), "trick_ns": {"median": 20_000, "min": 18_000, "max": 21_000}}])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.row("frame of 1000 empty jobs"),
                         ["frame of 1000 empty jobs", "10 us (9 .. 12)", "20.0 us", "0.50", "8 us", "1.25",
                          "01234567, 2026-01-02, machine 1", "`scripts/benchmark whole_frame`"])
        text = (self.docs / "benchmarks.md").read_text()
        self.assertIn("1. Some CPU, 4 CPUs, Linux 6.1 (PREEMPT_RT), load 2", text)
        self.assertTrue(text.startswith("# Benchmarks\n\nWhat it costs.\n"))
        self.assertIn("\n- a note\n", text)

    def test_large_figures_are_written_whole(self):
        self.assertEqual(self.make(results=[self.answer(median=2_346_000)]).returncode, 0)
        self.assertEqual(self.row("frame of 1000 empty jobs")[1], "2346 us (9 .. 12)")
        self.assertEqual(self.make(results=[self.answer(median=999_700)]).returncode, 0)
        self.assertEqual(self.row("frame of 1000 empty jobs")[1], "1000 us (9 .. 12)")

    def test_a_peer_of_another_run_has_no_ratio(self):
        self.figures({"frame-empty-1000": {"peer": {"name": "Other", "figure": "16 .. 22", "apart": True}}})
        self.assertEqual(self.make(results=[self.answer()]).returncode, 0)
        self.assertEqual(self.row("frame of 1000 empty jobs")[2:4], ["16 .. 22 us, apart", ""])

    def test_a_peer_that_was_not_measured_again_was_measured_apart(self):
        self.assertEqual(self.make(results=[self.answer()]).returncode, 0)
        self.assertEqual(self.row("frame of 1000 empty jobs")[1:4], ["10 us (9 .. 12)", "20 us, apart", ""])

    def test_what_was_not_measured_again_stays_with_its_machine(self):
        self.assertEqual(self.make(results=[self.answer()]).returncode, 0)
        HOST["cpu"] = "Another CPU"
        self.assertEqual(self.make(results=[self.answer("nine", 30_000)]).returncode, 0)
        HOST["cpu"] = "Some CPU"
        self.assertEqual(self.row("frame of 1000 empty jobs")[1], "10 us (9 .. 12)")
        self.assertIn("machine 1", self.row("frame of 1000 empty jobs")[6])
        self.assertIn("machine 2", self.row("frame of 1000 jobs with nine outputs")[6])

    def test_a_row_of_the_judge_is_found_by_question_and_kind(self):
        figure = {"median": 4, "min": 3, "max": 5}
        answers = [{"program": "benchmark_judge", "question": f"what does a {kind} add to a frame?", "kind": "noise",
                    "each_ns": figure, "bare_loop_ns": {"median": 2, "min": 2, "max": 2}} for kind in ("stimulus", "fault")]
        self.assertEqual(self.make(results=answers[:1]).returncode, 0)
        self.assertIsNone(self.row("fault `noise`, likewise (goal 2 x)"))
        self.assertEqual(self.make(results=answers).returncode, 0)
        self.assertEqual(self.row("fault `noise`, likewise (goal 2 x)")[1:6], ["4 ns (3 .. 5)", "", "", "2 ns", "2.00"])

    def test_rows_of_the_bus_have_cantools_beside_them_where_it_was_installed(self):
        figure = {"median": 1.2, "min": 1.1, "max": 1.3}
        answers = [{"program": "benchmark_can", "question": "what does a signal of a CAN frame cost?", "way": way,
                    "signals": signals, "signal_ns": figure, "bare_ns": {"median": 1, "min": 1, "max": 1}}
                   for way in ("decode", "encode") for signals in (128, 504)]
        answers[0]["cantools_ns"] = 1200
        answers.append({"program": "benchmark_can", "question": "what does a CAN bus cost a frame?",
                        "frame_ns": {"median": 7000, "min": 6000, "max": 8000},
                        "copy_and_codec_ns": {"median": 3500, "min": 3000, "max": 4000}})
        self.assertEqual(self.make(results=answers).returncode, 0)
        self.assertEqual(self.row("a signal of CAN frames of 8 bytes decoded, one of 128 (goal 1.5 x)")[1:6],
                         ["1.2 ns (1.1 .. 1.3)", "1200 ns", "0.001", "1 ns", "1.20"])
        self.assertEqual(self.row("likewise encoded (goal 1.5 x)")[2:4], ["", ""])
        self.assertIsNotNone(self.row("one of 504 decoded"))
        self.assertIsNotNone(self.row("one of 504 encoded"))
        self.assertEqual(self.row("a model of a CAN bus, 504 signals in and 504 out in each frame (goal 2 x)")[1:6],
                         ["7 us (6 .. 8)", "", "", "3.5 us (3 .. 4)", "2.00"])

    def test_a_row_that_was_never_measured_is_left_out(self):
        self.assertEqual(self.make(results=[self.answer()]).returncode, 0)
        self.assertIsNone(self.row("frame without a model"))

    def test_results_that_are_none_change_nothing(self):
        before = (self.docs / "benchmarks.json").read_text()
        for wrong in ("", "{}", "[1"):
            done = self.make(results=wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn("run scripts/benchmark first", done.stderr)
        self.assertEqual(self.make("--results", self.docs / "none.json").returncode, 2)
        self.assertEqual((self.docs / "benchmarks.json").read_text(), before)

    def test_a_page_that_was_changed_by_hand_is_noticed(self):
        self.assertEqual(self.make(results=[self.answer()]).returncode, 0)
        self.assertEqual(self.make("--check").returncode, 0)
        with open(self.docs / "benchmarks.md", "a") as file:
            file.write("better\n")
        done = self.make("--check")
        self.assertEqual(done.returncode, 1)
        self.assertIn("scripts/benchmark --page", done.stderr)

    def test_the_page_of_the_project_is_made_of_its_figures(self):
        done = PAGE.run("--docs", SOURCE / "docs", "--check")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
