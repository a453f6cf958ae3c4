# SPDX-License-Identifier: Apache-2.0
"""The same disturbance is given to a rig and to the kernel's own tracer of timer latency (`rtla timerlat`, with the
kernel's events of osnoise): both are to name the same culprit. In a guest with its own time (--icount), where
everything is permitted.
"""
import json
import re
import shutil
import sys

from guest import SKIPPED, Checks, Guest

# Name, priority: both run before the rig's main thread (80) and timerlat's own (95).
DISTURBERS = [("culprit-a", 97), ("other-thief", 99)]
LENGTH_MS = 7
TIMES = 40  # 6 s: a start takes seconds there
LEAST = 4


def script():
    lines = ["cd /tmp"]
    for name, priority in DISTURBERS:
        disturb = f"disturber {name} {priority} 150 {LENGTH_MS} {TIMES}"
        lines += [
            f"{disturb} >{name}.rig.times &",
            f"tactus run servo.yaml --frames 1500 --quiet --out {name}.rig --set privileges=prefer --set "
            f"realtime.on_overrun=skip --set realtime.max_overrun=1s >{name}.rig.out 2>&1",
            "kill $!; wait",
            f"{disturb} >{name}.rtla.times &",
            # It stops at the first latency of its thread above 1 ms, and leaves what it saw.
            f"rtla timerlat top -q -p 1000 -d 5 -T 1000 -t={name}.rtla.trace -e osnoise:thread_noise "
            f"-e osnoise:irq_noise -e osnoise:softirq_noise >{name}.rtla.out 2>&1",
            "kill $!; wait",
        ]
    return "\n".join([*lines, "true", ""])


def longest_noise(trace):
    """The thread that a trace of osnoise events shows to have run longest: its name and milliseconds."""
    found = re.findall(r"thread_noise:\s+(\S+):(\d+)\s.*duration (\d+) ns", trace)
    return max(((int(ns) / 1e6, name) for name, _, ns in found), default=(0, "nobody"))


def main():
    if not shutil.which("rtla"):
        print("skipped: rtla is not installed (Debian's package rtla)")
        sys.exit(SKIPPED)
    guest = Guest.from_arguments(__doc__, "--disturber", needs="kernel")
    files = [guest.write("run.sh", script()), guest.source / "config" / "rigs" / "servo.yaml"]
    copy = [f"{guest.options.disturber}:/usr/local/bin/", "rtla"]
    names = [name for name, _ in DISTURBERS]
    done = guest.run("sh", "run.sh", tactus=True, files=files, copy=copy, timeout=500, options=["--icount", "0"],
                     fetch=[f"{name}.{what}" for name in names
                            for what in ("rig", "rig.out", "rig.times", "rtla.trace", "rtla.out", "rtla.times")])
    checks = Checks()
    checks.that("the guest ran to its end", done.status == 0, done)

    def text(name):
        path = guest.work / name
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    for name, _ in DISTURBERS:
        took, culprit = longest_noise(text(f"{name}.rtla.trace"))
        checks.that(f"rtla names {name}", culprit == name and took > 1,
                    culprit, took, text(f"{name}.rtla.out")[-2000:], text(f"{name}.rtla.trace")[-3000:])
        try:
            summary = json.loads(text(f"{name}.rig/summary.json"))
        except ValueError:
            summary = {}
        log = text(f"{name}.rig/log.txt")
        preempted = summary.get("causes", {}).get("preempted", {})
        found = preempted.get("late_wakes", 0) + preempted.get("overruns", 0)
        checks.that(f"the rig calls {LEAST} frames or more preempted", found >= LEAST,
                    summary.get("causes"), log[-3000:])
        blamed = set(re.findall(r"preempted: .*?'([^']+)' \(tid", log))
        checks.equal(f"and names {name} alone", blamed, {name}, log[-3000:])
    checks.finish()


if __name__ == "__main__":
    main()
