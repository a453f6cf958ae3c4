# SPDX-License-Identifier: Apache-2.0
"""Rigs on a PREEMPT_RT kernel that are made late for reasons that only a kernel can give: it stops real-time threads
that have used up their time, and lets a stopped process go on. Each late frame has the name of that. In a guest with
its own time (--icount), where everything is permitted."""
import json
import re

from guest import Checks, Guest, recorded

SECONDS = 4
RIG = (f"tactus run servo.yaml --until {SECONDS}s --quiet --set privileges=prefer --set realtime.on_overrun=skip "
       "--set realtime.max_overrun=10s --set threads.stuck_after=30s")
# A disturber that has 990 ms of each second, below the rig's priority: the limit of 950 ms stops both.
SCRIPT = f"""
cat /proc/sys/kernel/sched_rt_runtime_us >limit
disturber spinner 10 1000 990 {SECONDS} >/dev/null &
{RIG} --out limited >limited.out 2>&1
kill $!; wait
{RIG} --out stopped >stopped.out 2>&1 &
witness=$!
child=
until child=$(cat /proc/$witness/task/$witness/children 2>/dev/null) && [ -n "$child" ]; do usleep 20000; done
until grep -q '^0\\.5' stopped/frames.csv 2>/dev/null; do usleep 20000; done
for i in 1 2 3 4 5; do
    kill -STOP $child; usleep 30000; kill -CONT $child; usleep 170000
done
wait $witness
true
"""


def late_frames(folder, least_ns):
    """The causes of frames that were late by so much."""
    return [row["rt.cause"] for row in recorded(folder / "frames.csv")
            if max(int(row["rt.late"]), -int(row["rt.slack"])) >= least_ns]


def main():
    guest = Guest.from_arguments(__doc__, "--disturber", needs="kernel")
    files = [guest.write("causes.sh", SCRIPT), guest.source / "config" / "rigs" / "servo.yaml"]
    done = guest.run("sh", "causes.sh", tactus=True, files=files, copy=[f"{guest.options.disturber}:/usr/local/bin/"],
                     timeout=700, options=["--icount", "0"],
                     fetch=["limited", "limited.out", "stopped", "stopped.out", "limit"])
    checks = Checks()
    if not checks.equal("the guest ran to its end", done.status, 0, done):
        checks.finish()

    def check(name, cause, least):
        folder = guest.work / name
        log = (folder / "log.txt").read_text(encoding="utf-8", errors="replace")[-4000:]
        causes = late_frames(folder, 10_000_000)
        checks.that(f"{name}: {least} frames or more are late by 10 ms", len(causes) >= least, causes, log)
        checks.equal(f"{name}: all are called {cause}", set(causes), {cause}, log)
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        checks.that(f"{name}: so says summary.json", cause in summary["causes"], summary["causes"])

    limit = int((guest.work / "limit").read_text(encoding="utf-8"))
    checks.that("the kernel has its limit", limit == 950_000, limit)
    check("limited", "throttled", 2)
    check("stopped", "machine_stopped", 4)
    log = (guest.work / "stopped" / "log.txt").read_text(encoding="utf-8", errors="replace")
    checks.that("the log says that a signal had stopped the rig", re.search("a signal had stopped the rig", log), log[-3000:])
    checks.finish()


if __name__ == "__main__":
    main()
