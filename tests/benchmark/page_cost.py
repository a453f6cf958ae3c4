#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the page costs: CPU time of the browser and of the rig while it shows 20 curves of many variables at 1 kHz.

    tests/benchmark/page_cost.py [--tactus PROGRAM] [--seconds 600] [--variables 10000] [--curves 20]

The rig is servo.yaml with so many instances of one model more. First it runs for a tenth of the time alone, then with
the page in a Chromium without a window (which draws without a GPU: the worst case), and in the end for a tenth with all
of that time in the chart. Told are shares of one CPU, and frames. Run it on a quiet machine.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "tests" / "drivers" / "live" / "page"), str(SOURCE / "scripts")]
from tactus_client import Rig  # noqa: E402  (the paths to these are made above)
from webdriver import Browser, Driver, missing  # noqa: E402

MODEL, ITS_VARIABLES = "encoder", 8
TICK = os.sysconf("SC_CLK_TCK")


def times_of(stat):
    """Seconds of CPU in a file /proc/.../stat; 0 when it is gone."""
    try:
        fields = pathlib.Path(stat).read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / TICK


def family(pid):
    """A process and all that it has started."""
    found, todo = [], [pid]
    while todo:
        one = todo.pop()
        found.append(one)
        for file in pathlib.Path(f"/proc/{one}/task").glob("*/children"):
            todo += [int(child) for child in file.read_text().split()]
    return found


def threads_of(pid):
    """CPU of each thread, by name: those of one name are added up."""
    times = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        name = (task / "comm").read_text().strip().partition("@")[0]  # the role, without the rig
        times[name] = times.get(name, 0.0) + times_of(task / "stat")
    return times


class Part:
    """CPU, frames and lateness between its beginning and now."""

    def __init__(self, rig, pid, browser=None):
        self.rig, self.pid, self.browser = rig, pid, browser
        self.begun = self.now()

    def now(self):
        shown = {process: times_of(f"/proc/{process}/stat") for process in family(self.browser)} if self.browser else {}
        values = self.rig.get("rt.frame", "rt.overruns").values
        return time.monotonic(), threads_of(self.pid), shown, values

    def tell(self, title):
        end = self.now()
        seconds = end[0] - self.begun[0]
        shown = sum(used - self.begun[2].get(process, 0.0) for process, used in end[2].items()) / seconds
        rig = {name: (used - self.begun[1].get(name, 0.0)) / seconds for name, used in end[1].items()}
        print(f"{title}: {seconds:.0f} s, {end[3]['rt.frame'] - self.begun[3]['rt.frame']} frames, "
              f"{end[3]['rt.overruns'] - self.begun[3]['rt.overruns']} overruns")
        for name, used in sorted(rig.items(), key=lambda one: -one[1]):
            if used >= 0.0001:
                print(f"  rig, thread {name:<15} {100 * used:6.2f} % of a CPU")
        print(f"  rig, all threads but main  {100 * (sum(rig.values()) - rig.get('main', 0)):6.2f} %")
        if self.browser:
            print(f"  browser, all processes     {100 * shown:6.2f} %", flush=True)


def rig_file(instances):
    text = (SOURCE / "config" / "rigs" / "servo.yaml").read_text()
    more = "".join(f"  many{i}: {{ model: {MODEL}, library: servo, jobs: {{ sample: {{ cycle: 1 ms }} }} }}\n"
                   for i in range(instances))
    return text.replace("\nmodels:\n", f"\nmodels:\n{more}") + '\nlive: { http: { listen: "127.0.0.1:0" } }\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tactus", default=SOURCE / "scripts" / "tactus")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--variables", type=int, default=10_000)
    parser.add_argument("--curves", type=int, default=20)
    parser.add_argument("--picture", type=pathlib.Path, help="write what the browser shows at the end here (PNG)")
    args = parser.parse_args()
    if why := missing():
        sys.exit(why)
    with tempfile.TemporaryDirectory(prefix="tactus-page-cost-") as name:
        folder = pathlib.Path(name)
        (folder / "rig.yaml").write_text(rig_file(args.variables // ITS_VARIABLES))
        command = [args.tactus, "run", folder / "rig.yaml", "--out", folder / "out", "--no-witness",
                   "--set", "until=2 h", "--set", "realtime.max_overrun=100 s",
                   "--set", "realtime.max_consecutive_overruns=100000000 frames", "--set", "threads.stuck_after=30 s"]
        with open(folder / "said", "wb") as said:
            rig_process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        try:
            run(args, folder, rig_process)
        except Exception:
            sys.stderr.write((folder / "said").read_text(errors="replace"))
            raise
        finally:
            rig_process.terminate()
            rig_process.wait()
        summary = json.loads((folder / "out" / "summary.json").read_text())
        for name in ("late_ns", "work_ns"):
            print(f"all frames, {name}: {summary[name]}")
        print(f"traces of overruns that were written: {len(summary['traces'])}")


def run(args, folder, rig_process):
    log = folder / "out" / "log.txt"
    while not (log.exists() and "listens on http" in log.read_text()):
        if rig_process.poll() is not None:
            sys.exit((folder / "said").read_text(errors="replace"))
        time.sleep(0.1)
    address = re.search(r"listens on (http://[^/\s]+)", log.read_text())[1]
    rig = Rig(address)
    rig.wait_until_ready(60, gone=rig_process.poll)
    alone = Part(rig, rig_process.pid)
    time.sleep(args.seconds / 10)
    alone.tell("without the page")
    with contextlib.closing(Driver()) as driver, contextlib.closing(Browser(driver)) as browser:
        browser.open(f"{address}/#signals")
        browser.until("return window.tactus?.rig.info !== null && window.tactus !== undefined")
        browser.until("return tactus.rig.variables.size >= args[0]", args.variables // ITS_VARIABLES * ITS_VARIABLES)
        names = [variable["name"] for model in ("motor", "controller", "trajectory", "encoder")
                 for variable in rig.variables(f"{model}.*") if variable["role"] != "parameter"]
        browser.run("const s = tactus.views.signals; for (const n of [...s.names]) s.toggle(n);"
                    "for (const n of args[0]) s.toggle(n)", names[:args.curves])
        browser.until("return tactus.rig.stream && !tactus.rig.streamProblem")
        time.sleep(5)
        for span, seconds in ((5, args.seconds), (600, args.seconds / 10)):
            browser.click(f'[data-seg="strip-span"] [data-value="{span}"]')
            with_page = Part(rig, rig_process.pid, driver.process.pid)
            time.sleep(seconds)
            with_page.tell(f"with the page, {span} s in the chart")
            if args.picture:
                browser.picture(args.picture.with_stem(f"{args.picture.stem}-{span}"))


if __name__ == "__main__":
    main()
