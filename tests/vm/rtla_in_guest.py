# SPDX-License-Identifier: Apache-2.0
"""The same disturbances are given to a rig and to the kernel's own tracer of timer latency (`rtla timerlat`, with the
kernel's events of osnoise): both are to name the same culprit of each burst, in at least 95 of a hundred, and each
difference is printed. Threads of SCHED_FIFO and SCHED_DEADLINE, and softirqs of timers. In a guest with its own time
(--icount), where everything is permitted. --bursts N: that many (200)."""
import json
import re
import shutil
import sys

from guest import SKIPPED, Checks, Guest

EVERY_MS = 1103  # the log has a line a second at most; never at the same place in a frame
LENGTH_MS = 25   # the rig's frame, and timerlat's period, is 10 ms
LEAST_NS = 2_000_000
SHARE = 0.95
BURSTS = 200

RIG = """
rig: target
frame: { period: 10 ms }
privileges: prefer
realtime: { enabled: yes, sleeper: nanosleep, on_overrun: skip, max_overrun: 10 s }
models: {}
"""


def script(bursts):
    # rtla keeps what it saw when a latency of its thread stops it: that of a last burst, which is longer.
    seconds = bursts * EVERY_MS // 1000 + 3
    return f"""cd /tmp
disturber --mix {EVERY_MS} {LENGTH_MS} {bursts} >rig.times &
tactus run target.yaml --until {seconds}s --quiet --out rig >rig.said 2>&1
wait
rtla timerlat top -q -p 10000 -d {seconds + 60} -T 90000 -t=rtla.trace -e osnoise:thread_noise -e osnoise:softirq_noise \\
    >rtla.said 2>&1 &
rtla=$!
i=0  # it has one for its figures, and one for the trace
until [ "$(ls -d /sys/kernel/tracing/instances/*/ 2>/dev/null | wc -l)" -ge 2 ] || [ $i -ge 100 ]; do usleep 50000; i=$((i + 1)); done
for size in /sys/kernel/tracing/instances/*/buffer_size_kb; do echo 32768 >$size; done
disturber --mix {EVERY_MS} {LENGTH_MS} {bursts} >rtla.times
usleep 500000
disturber last 99 100 200 1 >/dev/null
wait $rtla
true
"""


def truth(text):
    """What was done: name of the thread that had the CPU, CLOCK_MONOTONIC and CLOCK_REALTIME at its beginning in seconds."""
    rows = [line.split() for line in text.splitlines()]
    return [(row[0], int(row[1]) / 1e9, int(row[3]) / 1e9) for row in rows if len(row) == 4]


def noises(trace):
    """Begin, thread and nanoseconds of each noise of a trace. A softirq counts for the thread in which it ran."""
    found = [(float(at), name, int(ns)) for name, at, ns in
             re.findall(r"thread_noise:\s+(\S+):\d+ start ([\d.]+) duration (\d+) ns", trace)]
    return found + [(float(at), name, int(ns)) for name, at, ns in
                    re.findall(r"^\s*(\S+)-\d+\s.*softirq_noise:\s+\S+ start ([\d.]+) duration (\d+) ns", trace, re.M)]


def named_by_rtla(trace, done):
    """The thread that had most of each burst; None: none had more than LEAST_NS."""
    seen = noises(trace)
    long = [at for at, _, ns in seen if ns >= LEAST_NS]

    def near(offset):
        return sum(1 for _, begin, _ in done if any(abs(at - begin - offset) < 0.05 for at in long))

    # The clock of the trace began with the kernel, about as CLOCK_MONOTONIC did.
    offset = max((at - begin for at in long[:8] for _, begin, _ in done[:8] if abs(at - begin) < EVERY_MS / 2000), key=near, default=0)
    names = []
    for _, begin, _ in done:
        times = {}
        for at, name, ns in seen:
            if -0.02 < at - begin - offset < 0.2:
                times[name] = times.get(name, 0) + ns
        name = max(times, key=times.get, default=None)
        names.append(name if times.get(name, 0) >= LEAST_NS else None)
    return names


def seconds_of_day(stamp):
    hours, minutes, seconds = stamp.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


def named_by_rig(log, done):
    """Each set of threads that the log names for a burst, with the lines."""
    names = [set() for _ in done]
    lines = [[] for _ in done]
    for line in log.splitlines():
        stamp = re.match(r"\d+-\d+-\d+ (\d+:\d+:[\d.]+) ", line)
        cause = re.search(r" (preempted|unknown|throttled|computed|blocked|faulted|interrupted|machine_stopped|migrated|suspended|"
                          r"timer_late|housekeeping): (?:.*? by '([^']+)' \(tid)?", line)
        if not stamp or not cause:
            continue
        at = seconds_of_day(stamp.group(1))
        before = [i for i, (_, _, wall) in enumerate(done) if 0 <= (at - wall) % 86400 < EVERY_MS / 1000]
        if before:
            names[before[-1]].add(cause.group(2) or cause.group(1))
            lines[before[-1]].append(line)
    return names, lines


def main():
    if not shutil.which("rtla"):
        print("skipped: rtla is not installed (Debian's package rtla)")
        sys.exit(SKIPPED)
    bursts = BURSTS
    if "--bursts" in sys.argv:
        at = sys.argv.index("--bursts")
        bursts = int(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    guest = Guest.from_arguments(__doc__, "--disturber", needs="kernel")
    files = [guest.write("run.sh", script(bursts)), guest.write("target.yaml", RIG)]
    copy = [f"{guest.options.disturber}:/usr/local/bin/", "rtla"]
    done = guest.run("sh", "run.sh", tactus=True, files=files, copy=copy, timeout=1500, options=["--icount", "0"],
                     fetch=["rig", "rig.said", "rig.times", "rtla.trace", "rtla.said", "rtla.times"])
    checks = Checks()
    checks.that("the guest ran to its end", done.status == 0, done)

    def text(name):
        path = guest.work / name
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    for_rig, for_rtla = truth(text("rig.times")), truth(text("rtla.times"))
    checks.equal("all bursts came", (len(for_rig), len(for_rtla)), (bursts, bursts), text("rig.said")[-2000:], text("rtla.said"))
    by_rtla = named_by_rtla(text("rtla.trace"), for_rtla)
    by_rig, lines = named_by_rig(text("rig/log.txt"), for_rig)
    equal = 0
    for i, (name, begin, _) in enumerate(for_rig[:len(by_rtla)]):
        same = by_rtla[i] is not None and by_rig[i] == {by_rtla[i]}
        equal += 1 if same else 0
        if not same:
            print(f"burst {i} by {name} at {begin:.3f}: rtla {by_rtla[i]}, rig {sorted(by_rig[i]) or None}")
            print("".join(f"    {line[:600]}\n" for line in lines[i]), end="")
    kinds = sorted({name for name, _, _ in for_rig})
    for kind in kinds:
        of_kind = [i for i, (name, _, _) in enumerate(for_rig[:len(by_rtla)]) if name == kind]
        print(f"{kind}: {len(of_kind)} bursts, rtla names it {sum(by_rtla[i] == kind for i in of_kind)} times, the rig alone "
              f"{sum(by_rig[i] == {kind} for i in of_kind)} times")
    print(f"the same culprit in {equal} of {bursts}")
    checks.that("timers are served by a thread of the kernel's", len(kinds) == 4, kinds)
    checks.that(f"both name the same culprit in {SHARE:.0%} or more", equal >= SHARE * bursts, equal, text("rtla.trace")[-3000:],
                text("rig/log.txt")[-3000:])
    try:
        summary = json.loads(text("rig/summary.json"))
    except ValueError:
        summary = {}
    blamed = [one["name"].strip("'") for one in summary.get("causes", {}).get("preempted", {}).get("by", [])]
    checks.that("so does summary.json", set(kinds) <= set(blamed), summary.get("causes"))
    checks.finish()


if __name__ == "__main__":
    main()
