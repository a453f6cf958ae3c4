#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tactus.load_campaign() reads the tables that the runner of campaigns writes.

    campaign_test.py CHECKOUT
"""
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import tactus  # pylint: disable=wrong-import-position


def tables():
    text = (ROOT / "executive" / "campaign" / "store" / "tables.hpp").read_text(encoding="utf-8")
    return re.search(r'R"\((.*?)\)"', text, re.DOTALL)[1]


class LoadCampaign(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.dir.cleanup)
        data = sqlite3.connect(pathlib.Path(self.dir.name) / "campaign.sqlite")
        data.executescript(tables())
        data.execute("INSERT INTO campaign VALUES (1, 1, 'made', 'made.campaign.yaml', 3, 0, 'here', 'now')")
        case = "INSERT INTO cases VALUES (?, 'a.yaml', 'a.test.yaml', 'tactus run', ?, 2, 1, ?, '', 0.5, 'cases/0/0-2')"
        data.execute(case, (0, "done", "fail"))
        data.execute(case, (1, "done", "pass"))
        data.execute(case, (2, "running", None))
        for number in range(3):
            data.execute("INSERT INTO drawn VALUES (?, 'gain', ?, ?, 'V')", (number, f"{number} V", float(number)))
            data.execute("INSERT INTO drawn VALUES (?, 'policy', 'fifo', 0, '')", (number,))
        for attempt, margin in ((1, 9.0), (2, -0.5)):
            data.execute("INSERT INTO verdicts VALUES (0, ?, 'holds', 'fail', ?, 'rad', 'fail', 7, '')", (attempt, margin))
        data.execute("INSERT INTO measured VALUES (1, 2, 'peak', NULL, 'A')")
        data.commit()
        data.close()

    def test_has_a_row_for_each_case_that_has_a_result(self):
        results = tactus.load_campaign(self.dir.name)
        self.assertEqual([row["number"] for row in results.rows], [0, 1])
        self.assertEqual((results.name, results.cases, len(results)), ("made", 3, 2))

    def test_has_what_was_drawn_with_units_and_margins_of_the_last_attempt(self):
        results = tactus.load_campaign(self.dir.name)
        self.assertEqual(results.rows[1]["gain"], 1.0)
        self.assertEqual(results.rows[0]["policy"], "fifo")
        self.assertEqual(results.rows[0]["margin of holds"], -0.5)
        self.assertIsNone(results.rows[1]["peak"])
        self.assertEqual(results.unit, {"seconds": "s", "gain": "V", "margin of holds": "rad", "peak": "A"})

    def test_makes_a_frame_of_pandas(self):
        code = """
import sys
try:
    import pandas
except ImportError:
    sys.exit(77)
sys.path.insert(0, sys.argv[1])
import tactus
results = tactus.load_campaign(sys.argv[2])
frame = results.frame()
print(frame.index.name, list(frame.index))
print({name: str(kind) for name, kind in frame.dtypes.items()})
print(frame["margin of holds"].tolist(), frame["peak"].isna().all(), frame["policy"].tolist())
print(frame.attrs["units"]["gain"], frame.groupby("verdict")["gain"].mean().to_dict())
results.rows.clear()
print(list(results.frame().columns)[:4], len(results.frame()))
"""
        for python in filter(os.path.exists, (sys.executable, "/usr/bin/python3")):
            done = subprocess.run([python, "-c", code, str(ROOT / "scripts"), self.dir.name], capture_output=True, text=True,
                                  check=False)
            if done.returncode != 77:
                break
        else:
            self.skipTest("there is no pandas here; apt install python3-pandas")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), [
            "number [0, 1]",
            str({**{name: "object" for name in ("rig", "test", "verdict", "says")}, "seconds": "float64",
                 "attempt": "int64", "version": "int64", "folder": "object", "line": "object", "gain": "float64",
                 "policy": "object", "margin of holds": "float64", "peak": "float64"}),
            "[-0.5, nan] True ['fifo', 'fifo']",
            "V {'fail': 0.0, 'pass': 1.0}",
            "['rig', 'test', 'verdict', 'says'] 0"])

    def test_says_what_is_not_a_campaign(self):
        with self.assertRaisesRegex(tactus.CampaignError, "give the folder of a campaign"):
            tactus.load_campaign(pathlib.Path(self.dir.name) / "none")
        other = pathlib.Path(self.dir.name) / "other.sqlite"
        other.write_text("no database " * 100, encoding="utf-8")
        with self.assertRaisesRegex(tactus.CampaignError, "not a database"):
            tactus.load_campaign(other)


if __name__ == "__main__":
    unittest.main()
