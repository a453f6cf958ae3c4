# SPDX-License-Identifier: Apache-2.0
"""A campaign's folder with made results, of any number of cases: values follow from the number of the case alone."""
import pathlib
import re
import sqlite3


def tables(source):
    text = (source / "executive" / "campaign" / "store" / "tables.hpp").read_text(encoding="utf-8")
    return re.search(r'R"\((.*?)\)"', text, re.DOTALL)[1]


def value(number, key):
    """A number from 0 to 1 that looks drawn: SplitMix64."""
    mask = (1 << 64) - 1
    bits = (number * 0x9E3779B97F4A7C15 + key * 0xBF58476D1CE4E5B9) & mask
    bits = ((bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9) & mask
    bits = ((bits ^ (bits >> 27)) * 0x94D049BB133111EB) & mask
    return ((bits ^ (bits >> 31)) >> 11) / (1 << 53)


def write(source, folder, cases):
    """Half of the cases have 24 V, one in about seven fails, one in 50 is inconclusive; all but one in 10 measure a peak."""
    folder = pathlib.Path(folder)
    data = sqlite3.connect(folder / "campaign.sqlite")
    data.execute("PRAGMA synchronous = OFF")
    data.executescript(tables(source))
    data.execute("INSERT INTO campaign VALUES (1, 1, 'made', 'made.campaign.yaml', ?, 0, 'here', 'now')", (cases,))
    all_cases, drawn, verdicts, measured = [], [], [], []
    for number in range(cases):
        resistance, inertia = 0.4 + 0.2 * value(number, 1), 100 + 60 * value(number, 2)
        margin = 2 + resistance * 10 - inertia / 20 + value(number, 3)
        verdict = "inconclusive" if number % 50 == 49 else "fail" if margin < 0.6 else "pass"
        margin -= 0.6
        says = "" if verdict == "pass" else f"follows: failed by {-margin:.3g} rad/s" if verdict == "fail" else "rig late in frame 7"
        all_cases.append((number, f"tactus run servo.yaml --set 'a=<{number}> V'", verdict, says,
                          0.25 + number % 3, f"cases/{number // 1000}/{number}-1"))
        drawn += [(number, "models.motor.parameters.resistance", f"{resistance:.10g} Ohm", resistance, "Ohm"),
                  (number, "models.motor.parameters.inertia", f"{inertia:.10g} g cm^2", inertia, "g cm^2"),
                  (number, "frame.policy", ("fifo", "deadline")[number % 2], number % 2, "")]
        verdicts.append((number, "follows", verdict, None if verdict == "inconclusive" else margin, "rad/s", says))
        measured.append((number, "peak", None if number % 10 == 3 else 2 + 3 * value(number, 4), "A"))
    data.executemany("INSERT INTO cases VALUES (?, 'servo.yaml', 'a.test.yaml', ?, 'done', 1, 1, ?, ?, ?, ?)", all_cases)
    data.executemany("INSERT INTO drawn VALUES (?, ?, ?, ?, ?)", drawn)
    data.executemany("INSERT INTO verdicts VALUES (?, 1, ?, ?, ?, ?, 'fail', NULL, ?)", verdicts)
    data.executemany("INSERT INTO measured VALUES (?, 1, ?, ?, ?)", measured)
    data.commit()
    data.close()
