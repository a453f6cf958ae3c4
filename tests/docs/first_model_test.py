# SPDX-License-Identifier: Apache-2.0
"""Does what docs/first-model.md says, word for word, with an installed build: files are written as they stand there,
and the boxes of `console` run in their order."""
import argparse
import csv
import os
import pathlib
import re
import subprocess
import sys
import tempfile


def run(command, cwd, env):
    done = subprocess.run(command, shell=True, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode} from: {command}\n{done.stdout}")
    return done.stdout


def main():
    arguments = argparse.ArgumentParser()
    for name in ("source", "build", "cmake", "cxx"):
        arguments.add_argument(f"--{name}", required=True)
    options = arguments.parse_args()
    page = (pathlib.Path(options.source) / "docs" / "first-model.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="tactus-first-model-") as folder:
        home = pathlib.Path(folder)
        work = home / "heater"
        work.mkdir()
        env = {**os.environ, "HOME": str(home), "PATH": f"{home}/tactus/bin:{os.environ['PATH']}", "CXX": options.cxx}
        run(f"{options.cmake} --install {options.build} --prefix ~/tactus", work, env)
        files = re.findall(r"`([\w.]+)`:\n\n```\w+\n(.*?)```", page, re.S)
        if [name for name, _ in files] != ["heater.cpp", "CMakeLists.txt", "heater.yaml"]:
            sys.exit(f"files on the page: {[name for name, _ in files]}")
        for name, text in files:
            (work / name).write_text(text, encoding="utf-8")
        said = ""
        boxes = re.findall(r"```console\n(.*?)```", page, re.S)
        for line in "".join(boxes).splitlines():
            # Shorter, and not in real time: no test may depend on being punctual.
            shorter = "tactus run heater.yaml --no-realtime --set until=3s"
            said += run(line.replace("tactus run heater.yaml", shorter), work, env)
        rows = list(csv.reader((work / "run" / "temperature.csv").open()))
        column = next(i for i, name in enumerate(rows[0]) if name.startswith("block.above"))
        last = float(rows[-1][column])
        if len(rows) < 300 or not 10 < last < 50:
            sys.exit(f"{len(rows)} rows, the last temperature is {last}")
        report = (work / "run" / "report.html").read_text(encoding="utf-8")
        if "block.above" not in report or "<svg" not in report:
            sys.exit("the report has no curve of block.above")
        if "block.step" not in said or "Signals" not in said:
            sys.exit(f"the plan or the report in text says too little:\n{said}")
        print(f"{len(boxes)} boxes, {len(rows) - 1} rows, {last:.3f} K at the end")


if __name__ == "__main__":
    main()
