# SPDX-License-Identifier: Apache-2.0
"""A plug-in of pytest: tests of rigs. It is found by itself where python3-tactus is installed.

    @pytest.mark.rig("servo.yaml", overrides={"models.trajectory.parameters.max_speed": "80 rad/s"}, realtime=False)
    def test_moves(rig):                       # in Pause before its first frame
        rig.run_for(0.2)
        assert abs(rig.value("motor.speed")) > 1

Marker rig(file, overrides={}, realtime=False, test=None): `file` and `test` are relative to the file of the test, else to
where pytest runs. Each test has a rig and a run folder of its own. One that fails has in its report what the rig said,
its verdicts, its journal, its curves as text, and where its recordings, its trace and its report are.
"""
from __future__ import annotations

import json
import pathlib
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

if __package__:  # installed: python3-tactus
    from tactus.client import NoRig, RigError
    from tactus.process import RigProcess, program
    from tactus.recordings import RecordingError, load
else:
    from tactus import RecordingError, load
    from tactus_client import NoRig, RigError
    from tactus_process import RigProcess, program

MOST_LINES = 30
MOST_CURVES = 12
WIDTH = 72
LEVELS = "▁▂▃▄▅▆▇█"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("tactus", "rigs")
    group.addoption("--tactus", metavar="PROGRAM", help="the command tactus; default: TACTUS of the environment, else of "
                    "the path")
    group.addoption("--rig-realtime", action="store_true", help="run all rigs in real time, whatever their marker says")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "rig(file, overrides={}, realtime=False, test=None): the rig of the fixture `rig`")


def _place(request: pytest.FixtureRequest, name: str) -> pathlib.Path:
    beside = request.path.parent / name
    return beside if beside.exists() else pathlib.Path(name)


@pytest.fixture
def rig(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> Iterator[RigProcess]:
    """The rig of the marker, in Pause before its first frame. It ends with the test; a test file that it has is judged
    then."""
    marker = request.node.get_closest_marker("rig")
    if marker is None or len(marker.args) != 1:
        raise pytest.UsageError(f"{request.node.nodeid}: the fixture 'rig' wants @pytest.mark.rig(\"FILE.yaml\")")
    unknown = set(marker.kwargs) - {"overrides", "realtime", "test"}
    if unknown:
        raise pytest.UsageError(f"{request.node.nodeid}: @pytest.mark.rig takes overrides, realtime and test, not "
                                f"{', '.join(sorted(unknown))}")
    if not isinstance(marker.kwargs.get("overrides") or {}, dict):
        raise pytest.UsageError(f"{request.node.nodeid}: overrides of @pytest.mark.rig is a dict of values by path, as "
                                "{'until': '5 s'}")
    test = marker.kwargs.get("test")
    try:
        running = RigProcess(_place(request, marker.args[0]), tmp_path / "run", marker.kwargs.get("overrides"),
                             None if test is None else _place(request, test),
                             marker.kwargs.get("realtime", False) or request.config.getoption("--rig-realtime"),
                             request.config.getoption("--tactus"))
    except NoRig as error:
        pytest.fail(str(error), pytrace=False)
    request.node.stash[_RIG] = running
    yield running
    status = running.end()
    if status == 4 and test is not None and not request.node.stash.get(_FAILED, False):
        pytest.fail(_verdicts(running.folder) or running.said(), pytrace=False)
    if status not in (0, 4, 5):
        pytest.fail(f"the rig ended with status {status}: {running.said()}", pytrace=False)


_RIG = pytest.StashKey["RigProcess"]()
_FAILED = pytest.StashKey[bool]()
_SHOWN = pytest.StashKey[bool]()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[Any]) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    running = item.stash.get(_RIG, None)
    if running is None or not report.failed or item.stash.get(_SHOWN, False):
        return
    item.stash[_FAILED] = True
    item.stash[_SHOWN] = True
    report.sections += _sections(running, item.config.getoption("--tactus"))


def _sections(running: RigProcess, tactus: str | None) -> list[tuple[str, str]]:
    """What a failing test shows. The rig ends here: its files are whole then."""
    trace = running.folder / "failed.pftrace"
    traced = ""
    if running.status is None:
        try:
            trace.write_bytes(running.perfetto())
        except (RigError, OSError) as error:
            traced = f"none: {error}"
    running.end()
    report = running.folder / "report.html"
    made = subprocess.run([program(tactus), "report", str(running.folder), "--to", str(report)], capture_output=True,
                          text=True, check=False)
    files = {"run folder": str(running.folder), "trace": traced or str(trace),
             "report": str(report) if made.returncode == 0 else f"none: {made.stderr.strip()}"}
    found = [("rig: files", "\n".join(f"{name}: {place}" for name, place in files.items())),
             ("rig: what it said", running.said()), ("rig: verdicts", _verdicts(running.folder)),
             ("rig: journal", _journal(running.folder)), ("rig: plot", _plot(running.folder))]
    return [(title, text) for title, text in found if text]


def _verdicts(folder: pathlib.Path) -> str:
    try:
        verdict = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    lines = [f"{row['verdict']:<13} {row['name']}: {row['says']} ({row['expects']})" for row in verdict["expectations"]]
    return "\n".join([f"test {verdict['test']}: {verdict['verdict']}", *lines])


def _journal(folder: pathlib.Path) -> str:
    try:
        lines = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    left_out = [f"... {len(lines) - MOST_LINES} more in journal.jsonl"] if len(lines) > MOST_LINES else []
    return "\n".join([*left_out, *lines[-MOST_LINES:]])


def _plot(folder: pathlib.Path) -> str:
    """Each recorded number over the run, as a line of text with its least and greatest value."""
    try:
        run = load(folder)
        recordings = [(name, run[name]) for name in run if name != "frames"]
    except (RecordingError, OSError) as error:
        return f"none: {error}"
    lines: list[str] = []
    left_out = 0
    for _, recording in recordings:
        for name in recording:
            if not recording.count:
                continue
            if len(lines) >= MOST_CURVES:
                left_out += 1
                continue
            values = [float(value) for value in recording.values(name)]  # a list: NumPy may not be there
            lines.append(f"{name:<28} {_curve(values)} {recording.unit.get(name, '')}".rstrip())
    if left_out:
        lines.append(f"... {left_out} more; all of them are in the report")
    return "\n".join(lines)


def _curve(values: list[float]) -> str:
    known = [value for value in values if value - value == 0]  # finite
    if not known:
        return "no value"
    low, high = min(known), max(known)
    columns = []
    count = min(WIDTH, len(values))
    for i in range(count):
        part = [v for v in values[i * len(values) // count:(i + 1) * len(values) // count] if v - v == 0]
        place = 0.0 if high == low or not part else (max(part, key=abs) - low) / (high - low)
        columns.append(LEVELS[round(place * (len(LEVELS) - 1))] if part else " ")
    return f"{''.join(columns)} {low:.4g} .. {high:.4g}"
