# SPDX-License-Identifier: Apache-2.0
"""Loads the results of a campaign: its campaign.sqlite, read by Python's own sqlite3; pandas only where it is asked for.

    results = tactus.load_campaign("runs/servo.campaign")
    results.rows[0]["verdict"], results.unit["models.motor.parameters.inertia"]
    frame = results.frame()          # pandas: one row a case, its index the number; frame.attrs["units"]

Columns are those of `tactus campaign table`: what was drawn by its key, `margin of EXPECTATION` (with the name of the
test behind it where there are several), measured quantities by their names, and verdict, seconds, attempt, version.
"""
from __future__ import annotations

import fcntl
import os
import pathlib
import sqlite3
from typing import Any


class CampaignError(Exception):
    """The results cannot be read; the text says why."""


_FIELDS = ("number", "rig", "test", "verdict", "says", "seconds", "attempt", "version", "folder", "line")


def _has_runner(folder: pathlib.Path) -> bool:
    """True while a runner has the folder (campaign.lock)."""
    try:
        with open(folder / "campaign.lock", "rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


class CampaignResults:
    """`rows`: a dictionary for each case that has a result, by number; `unit`: those of the columns that have one."""

    def __init__(self, file: pathlib.Path) -> None:
        self.unit: dict[str, str] = {"seconds": "s"}
        self._numbers: dict[str, bool] = {"seconds": True}  # columns; False: one that has words, too
        self.rows: list[dict[str, Any]] = []
        # Where the folder cannot be written SQLite cannot make the files by which it reads beside a writer.
        log, journal = file.with_name(file.name + "-wal"), file.with_name(file.name + "-journal")
        is_still = (not os.access(file.parent, os.W_OK) and not (log.exists() and log.stat().st_size)
                    and not journal.exists() and not _has_runner(file.parent))
        data = sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro{'&immutable=1' if is_still else ''}", uri=True)
        try:
            self._read(data)
        except sqlite3.Error as error:
            raise CampaignError(f"{file}: {error}") from error
        finally:
            data.close()

    def _read(self, data: sqlite3.Connection) -> None:
        facts = data.execute("SELECT name, file, cases FROM campaign").fetchone()
        if facts is None:
            raise CampaignError("the campaign has not begun")
        self.name, self.file, self.cases = facts
        of: dict[int, dict[str, Any]] = {}
        for values in data.execute(f"SELECT {', '.join(_FIELDS)} FROM cases WHERE state = 'done' ORDER BY number"):
            row = dict(zip(_FIELDS, values))
            of[row["number"]] = row
            self.rows.append(row)
        several = len({row["test"] for row in self.rows}) > 1
        for number, key, text, value, unit in data.execute("SELECT number, key, text, value, unit FROM drawn"):
            word = not text[:1].isdigit() and text[:1] not in ("+", "-", ".")
            self._put(of.get(number), key, text if word else value, unit)
        for number, name, margin, unit in data.execute(
                "SELECT number, expectation, margin, v.unit FROM verdicts v JOIN cases c USING (number) "
                "WHERE v.attempt = c.attempt"):
            row = of.get(number)
            test = f" in {pathlib.PurePath(row['test']).name}" if several and row else ""
            self._put(row, f"margin of {name}{test}", margin, unit)
        for number, name, value, unit in data.execute(
                "SELECT number, quantity, value, m.unit FROM measured m JOIN cases c USING (number) "
                "WHERE m.attempt = c.attempt"):
            self._put(of.get(number), name, value, unit)

    def _put(self, row: dict[str, Any] | None, name: str, value: Any, unit: str) -> None:
        if row is None:
            return
        row[name] = value
        self._numbers[name] = self._numbers.get(name, True) and not isinstance(value, str)
        if unit:
            self.unit[name] = unit

    def __len__(self) -> int:
        return len(self.rows)

    def frame(self) -> Any:
        """All rows as a pandas.DataFrame, by number; attrs["units"] has the units.

        What is a number is float64, NaN where a case has none: seconds, margins, measured quantities, and what was drawn
        unless it is a word. attempt and version are int64, all other columns hold text.
        """
        import pandas  # pylint: disable=import-outside-toplevel

        names = list(_FIELDS) + [name for name in self._numbers if name not in _FIELDS]
        frame = pandas.DataFrame(self.rows, columns=names)
        kinds = {name: "float64" for name, is_number in self._numbers.items() if is_number}
        frame = frame.astype({**kinds, "number": "int64", "attempt": "int64", "version": "int64"}).set_index("number")
        frame.attrs["units"] = dict(self.unit)
        return frame


def load_campaign(path: str | os.PathLike[str]) -> CampaignResults:
    """The results of a campaign's folder, or of its campaign.sqlite. Raises CampaignError."""
    file = pathlib.Path(path)
    if file.is_dir():
        file = file / "campaign.sqlite"
    if not file.exists():
        raise CampaignError(f"{file} is not there: give the folder of a campaign, as runs/<name of its file>")
    return CampaignResults(file)
