# SPDX-License-Identifier: Apache-2.0
"""Runs the numbered examples of config/examples: gives the commands of each head as they stand there, and looks at
what it says one sees.

    lessons_test.py --source CHECKOUT --tactus BINARY [--without linked]

Runs are as fast as the machine can but where a rig has to be late, or to be there for clients.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
for name in ("--source", "--tactus"):
    parser.add_argument(name, required=True)
parser.add_argument("--without", action="append", default=[], help="a driver that this machine does not build")
args = parser.parse_args()
SOURCE, TACTUS = pathlib.Path(args.source).resolve(), pathlib.Path(args.tactus).resolve()
PATIENCE = 300
LATE = "every=2"  # a run that has to be late to end as it should
problems, ran = [], 0


def commands(head):
    """(words, exit status) of each command in the head of an example."""
    for line in re.findall(r"^#     (tactus[ -].*)$", head, re.M):
        command, *said = re.split(r" {2,}", line)
        yield shlex.split(command), 1 if "status 1" in " ".join(said) else 0


def run(where, words, folder, status=0):
    global ran
    ran += 1
    done = subprocess.run([TACTUS, *words[1:]], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=PATIENCE, check=False)
    if done.returncode != status:
        problems.append(f"{where}: {' '.join(words)} ended with {done.returncode}, not {status}\n{done.stdout[-2000:]}")
    return done.stdout


def with_clients(where, lines, folder):
    """The first command runs the rig; the others speak to it while it runs."""
    rig = subprocess.Popen([TACTUS, *lines[0][0][1:], "--quiet"], cwd=folder, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + PATIENCE
    while not (folder / "live/live.sock").exists() and rig.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    for words, status in lines[1:]:
        run(where, words, folder, status)
    if rig.wait(timeout=PATIENCE) != 0:
        problems.append(f"{where}: the rig ended with {rig.returncode}")


def play(example, folder):
    where = example.name
    lines = list(commands(example.read_text().split("\nrig:")[0]))
    if where.startswith("08"):
        return with_clients(where, lines, folder)
    if where.startswith("10"):
        lines = [(words, status) for words, status in lines if words[-2:] == ["--link", "off"]]
        if not lines:
            problems.append(f"{where}: it has no command without the others")
    elif len(lines) < 2:
        problems.append(f"{where}: its head has fewer than two commands")
    for words, status in lines:
        extra = []
        if words[1] == "run":
            extra = ["--quiet"]
            if "--no-realtime" not in words and not words[-1].endswith(LATE):
                extra.append("--no-realtime")
            if "--out" not in words:
                extra += ["--out", f"out-{ran}"]
        run(where, words + extra, folder, status)


def column(file, name):
    rows = list(csv.reader(file.open()))
    at = next(i for i, title in enumerate(rows[0]) if title.startswith(name + " "))
    return [float(row[at]) for row in rows[1:]]


def summary(folder):
    return json.loads((folder / "summary.json").read_text())


def last_out(folder):
    return max(folder.glob("out-*"), key=lambda each: int(each.name[4:]))


def see_recordings(folder):
    position = column(folder / "recorded/slow.csv", "trajectory.position")
    moves = column(folder / "recorded/moves.csv", "sys.exec.out.time")
    return [(len(position), 200), (len(column(folder / "recorded/fast.csv", "motor.current")), 10000),
            (len(moves) < 1900, True), ((folder / "recorded/report.html").exists(), True)]


def see_commands(folder):
    out = last_out(folder)
    voltage = column(out / "drive.csv", "controller.voltage")
    log = (out / "log.txt").read_text()
    return [(summary(out)["frames"]["run"], 2000), (len(set(voltage[1001:1500])), 1),
            (len(set(voltage[500:1000])) > 10, True), (log.count("paused after 500 frames"), 1),
            ("ended after 2000 frames: stopped by the rig file" in log, True)]


def see_checkpoints(folder):
    last = [(folder / run / "drive.csv").read_text().splitlines()[-1] for run in ("whole", "rest")]
    return [(last[1], last[0]), (summary(folder / "rest")["frames"]["run"], 1000)]


def see_isolated(folder):
    calls = column(folder / "replaced/calls.csv", "fragile.calls")
    position = column(folder / "replaced/calls.csv", "trajectory.position")
    log = (folder / "replaced/log.txt").read_text()
    return [(set(calls[-40:]), {500.0}), (len(set(position[-40:])) > 5, True), ("SIGSEGV" in log, True)]


SEE = {
    "01-one-model": lambda folder: [(summary(last_out(folder))["frames"]["run"], 2000)],
    "02-closed-loop": lambda folder: [(summary(last_out(folder))["outcome"], "completed")],
    "03-recordings": see_recordings,
    "04-late-frames": lambda folder: [(summary(last_out(folder))["outcome"] != "completed", True)],
    "05-two-threads": lambda folder: [((folder / "polled/drive.csv").read_bytes(),
                                       (folder / "slept/drive.csv").read_bytes())],
    "06-commands": see_commands,
    "07-checkpoints": see_checkpoints,
    "08-control-port": lambda folder: [("motor.load_torque" in (folder / "live/journal.jsonl").read_text(), True),
                                       (summary(folder / "live")["outcome"], "stopped")],
    "09-isolated-model": see_isolated,
    "10-federation": lambda folder: [(summary(last_out(folder))["frames"]["run"], 5000)],
}


def refused(where, text, folder, piece, instead, wanted):
    """An example with a piece of it changed is refused, with the words that its lesson promises."""
    (folder / "changed.yaml").write_text(text.replace(piece, instead, 1))
    said = run(where, ["tactus", "check", "changed.yaml"], folder, 2)
    if wanted not in said:
        problems.append(f"{where} with '{instead}': '{wanted}' is not in\n{said}")


examples = sorted((SOURCE / "config/examples").iterdir())
index = (SOURCE / "docs/examples.md").read_text()
if [each.name[:2] for each in examples] != [f"{k:02}" for k in range(1, len(examples) + 1)]:
    problems.append("the examples are not numbered from 01 on, one each")
if set(re.findall(r"config/examples/([\w-]+)\.yaml", index)) != {each.stem for each in examples}:
    problems.append("docs/examples.md does not list the files of config/examples, those and no others")
for example in examples:
    text = example.read_text()
    lesson = re.match(rf"# {int(example.name[:2])}\. ([^.]+)\.", text)
    if lesson is None or f"](../config/examples/{example.name}) | {lesson[1]} |" not in index:
        problems.append(f"{example.name}: it does not begin with its number and a lesson that docs/examples.md has, too")
    if f"\nrig: {example.stem[3:]}\n" not in text:
        problems.append(f"{example.name}: the rig is not called as the file")
    if example.stem not in SEE:
        problems.append(f"{example.name}: nothing looks at what one sees of it")
        continue
    if "linked" in args.without and example.stem == "10-federation":
        continue
    with tempfile.TemporaryDirectory(prefix="tactus-lesson-") as top:
        folder = pathlib.Path(top)
        shutil.copy(example, folder)
        try:
            play(example, folder)
            problems += [f"{example.name}: found {str(found)[:300]}, wanted {str(wanted)[:300]}"
                         for found, wanted in SEE[example.stem](folder) if found != wanted]
        except (OSError, KeyError, ValueError, StopIteration, subprocess.TimeoutExpired) as error:
            problems.append(f"{example.name}: {error!r}")
        if example.stem == "01-one-model":
            refused(example.name, text, folder, "period: 1 ms", "period: 1", "frame.period")
        if example.stem == "02-closed-loop":
            refused(example.name, text, folder, ", delayed: yes", "", "delayed: yes")

print("\n".join(problems) if problems else f"{len(examples)} examples, {ran} commands: all as their heads say")
sys.exit(1 if problems else 0)
