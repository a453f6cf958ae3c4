# SPDX-License-Identifier: Apache-2.0
"""A virtual machine whose hypervisor does not run it for a while: of the rigs in it, one that computes for most of each
frame says that the machine stood still, and one that mostly sleeps says either that or that its timer was late, as
nothing on an idle CPU tells the two apart. The whole machine is stopped by a signal, of which its kernel notices
nothing."""
import os
import re
import signal
import time

from guest import Checks, Guest, recorded

STOPS = 5
STOP_S = 0.6
SCRIPT = """
run() {
    name=$1
    shift
    tactus run "$@" --quiet --out $name --set privileges=prefer --set realtime.on_overrun=skip \
        --set realtime.max_overrun=100s --set threads.stuck_after=100s >$name.out 2>&1 &
    witness=$!
    until [ "$(wc -l <$name/frames.csv 2>/dev/null || echo 0)" -gt 50 ]; do usleep 20000; done
    echo "runs: $name"
    wait $witness
    echo "ended: $name"
}
run sleeps servo.yaml --until 12s --set frame.period=10ms
run computes busy.yaml --until 12s
true
"""
BUSY = """
rig: busy
frame: { period: 20 ms }
realtime: { enabled: yes }
models:
  load: { model: late, library: test_load, parameters: { busy: 16 ms, from_frame: 0, for_frames: 0 } }
"""


def stop_and_go(machine, printed):
    """For both rigs: while one runs, the machine stands still now and then."""
    for name in ("sleeps", "computes"):
        while f"runs: {name}" not in printed():
            time.sleep(0.05)
        for i in range(STOPS):
            time.sleep(0.7 + 0.013 * i)
            os.kill(machine, signal.SIGSTOP)
            time.sleep(STOP_S)
            os.kill(machine, signal.SIGCONT)


def late_frames(folder, least_ns):
    """What was late by so much, a wake or a frame's work, and its cause; without what one before made late."""
    found = [("wake" if int(row["rt.late"]) >= least_ns else "work", row["rt.cause"])
             for row in recorded(folder / "frames.csv") if max(int(row["rt.late"]), -int(row["rt.slack"])) >= least_ns]
    return [each for each in found if each[1] != "catching_up"]


def main():
    guest = Guest.from_arguments(__doc__, needs="kernel")
    files = [guest.write("stall.sh", SCRIPT), guest.write("busy.yaml", BUSY),
             guest.source / "config" / "rigs" / "servo.yaml"]
    done = guest.run("sh", "stall.sh", tactus=True, files=files, timeout=300,
                     fetch=[each for name in ("sleeps", "computes") for each in (name, f"{name}.out")],
                     beside=stop_and_go)
    checks = Checks()
    if not checks.equal("the guest ran to its end", done.status, 0, done):
        checks.finish()
    for name in ("sleeps", "computes"):
        folder = guest.work / name
        log = (folder / "log.txt").read_text(encoding="utf-8", errors="replace")[-6000:]
        late = late_frames(folder, int(STOP_S * 0.8e9))
        checks.that(f"{name}: it was late each time that the machine stood still", len(late) >= STOPS - 1, late, log)
        allowed = {("work", "machine_stopped"), ("wake", "machine_stopped"), ("wake", "timer_late")}
        checks.equal(f"{name}: no other cause is named", set(late) - allowed, set(), late, log)
        if name == "computes":
            stopped = sum(cause == "machine_stopped" for _, cause in late)
            checks.that(f"{name}: most are called machine_stopped", stopped >= STOPS - 2, late, log)
            checks.that(f"{name}: and so says the log", re.search("the machine stood still (for about .+ )?in ", log), log)
    checks.finish()


if __name__ == "__main__":
    main()
