# SPDX-License-Identifier: Apache-2.0
"""Does what pages say that lead a reader by the hand: files are written as they stand there, and the boxes of `console`
run in their order, each page in a folder of its own that looks like a checkout.

    walks_test.py --source CHECKOUT --tactus BINARY [--unit FMU] PAGE...

--unit: the functional mock-up unit that first-fmu.md calls engine.fmu.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# What has to be there after the last box, beside what has to be in the output.
LEFT = {
    "first-rig.md": (["first/motion.csv", "first/frames.csv", "second/report.html"],
                     ["motor.step", "has no unit", "motor.speed", "motor: completed after 2000 frames in real time, late p50 "]),
    "first-fmu.md": (["first/motion.csv", "second/motion.csv", "second/summary.json"],
                     ["kinds          co-simulation", "measured on this machine", "engine.step", "0.999,", ",6"]),
    "first-federation.md": (["demo/link.csv", "again/summary.json"], ["system: Running", "the replayed record ends here", " frames in real time, late p50 "]),
    "first-test.md": (["first/verdict.json", "second/verdict.json", "all.xml", "car/cruise/verdict.json"],
                      ["never too fast", "over by", "REQ-12", "2 tests: 2 pass", "pass          follows the driving cycle"]),
    "first-campaign.md": (["first/campaign.sqlite", "first/campaign.html", "first.csv", "weaker/campaign.html"],
                          ["campaign tolerances of the servo: 20 cases", "20 of 20 cases: 20 pass", "peak_current {A}",
                           "): peak_current, models.motor.parameters.inertia", "now fails: never too fast",
                           "measured: worst_error, mean"]),
    "diagnose-an-overrun.md": (["late/frames.csv", "better/summary.json"],
                               ["load.step", "Why frames were late", "Worst frames", ",work", "trace-", "B against A"]),
}
NOT_YET = re.compile("no rig|without a control port|has not begun to listen|does not run any more")  # that of before
# Shorter; and on a machine that is not punctual, either, a rig that is late on purpose runs to its end, and the frames
# that it made late are not behind ten others.
CHANGED = {
    "late/frames.csv | head": "late/frames.csv",
    "tactus demo link": "tactus demo link --until 1s",
    "overrun.yaml": 'overrun.yaml --set realtime.max_consecutive_overruns=1000000 --set realtime.max_overrun="60 s"',
}


beside = []


def run(line, folder, env):
    """What a line prints, as typed. What a rig is not there yet for is tried again: a person types more slowly."""
    for old, new in CHANGED.items():
        line = line.replace(old, new)
    if line.endswith("&"):
        beside.append(subprocess.Popen(["bash", "-c", "exec " + line.rstrip("& ")], cwd=folder, env=env,
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return ""
    until = time.monotonic() + 120
    while True:
        done = subprocess.run(["bash", "-c", line], cwd=folder, env=env, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
        if done.returncode == 0:
            return done.stdout
        if not NOT_YET.search(done.stdout) or time.monotonic() > until:
            sys.exit(f"status {done.returncode} from: {line}\n{done.stdout}")
        time.sleep(0.1)


def walk(source, tactus, name, unit):
    page = (source / "docs" / name).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="tactus-walk-") as made:
        folder = pathlib.Path(made)
        shutil.copytree(source / "config", folder / "config")
        if unit:
            shutil.copy(unit, folder / "engine.fmu")
        for file, text in re.findall(r"`([\w.-]+)`:\n\n```\w+\n(.*?)```", page, re.S):
            (folder / file).write_text(text, encoding="utf-8")
        env = {**os.environ, "PATH": f"{tactus.parent}:{os.environ['PATH']}"}
        boxes = re.findall(r"```console\n(.*?)```", page, re.S)
        said = "".join(run(line, folder, env) for line in "".join(boxes).splitlines())
        files, words = LEFT[name]
        missing = [each for each in files if not (folder / each).exists()] + [each for each in words if each not in said]
        if missing or len(boxes) < 3:
            sys.exit(f"docs/{name}: {len(boxes)} boxes; missing afterwards: {missing}\n{said}")
        print(f"docs/{name}: {len(boxes)} boxes")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--source", required=True)
    arguments.add_argument("--tactus", required=True)
    arguments.add_argument("--unit")
    arguments.add_argument("pages", nargs="+", choices=LEFT)
    options = arguments.parse_args()
    try:
        for name in options.pages:
            walk(pathlib.Path(options.source).resolve(), pathlib.Path(options.tactus).resolve(), name, options.unit)
    finally:
        for process in beside:
            process.terminate()
            process.wait()


main()
