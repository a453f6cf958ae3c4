# SPDX-License-Identifier: Apache-2.0
"""A model that never returns, on every CPU of the rig and of the machine at once, at real-time priority, with the kernel's
own throttle switched off: who gets the machine back. First the rig's guard; then, where the guard is taken out of the way,
the kernel's limit on real-time CPU time: that one with --all, for scripts/test --nightly, as it takes both processors for
half a minute. Nothing here depends on being punctual: the guest's processors are emulated."""
import json
import re
import sys

from guest import RIG_OF, Checks, Guest

FRAME_S = 0.01
STUCK_AFTER_S = 2  # a busy machine stops the guest for more than a second
# The guard gives main twice the time, and looks four times a second; then an abort waits for a second.
STATED_S = 2 * STUCK_AFTER_S + FRAME_S + 0.5 + 1
LIMIT_S = 10 + 2 * (2 * STUCK_AFTER_S + FRAME_S)
SLOW = 10  # so many times as long on emulated processors of a busy machine; the kernel counts ticks, and many are lost
GUARDED_CALLS, LIMITED_CALLS = 1000, 1000  # ten seconds in which the threads are looked at

# Line 6 stands at 0 while the rig runs and is safe at 1; released, it falls back to the pull of the simulator, 0.
RIG = f"""
rig: runaway
frame: {{ period: {FRAME_S * 1e3:.0f} ms }}
until: 600 s
realtime:
  enabled: yes
  sleeper: nanosleep
  on_overrun: skip
  max_overrun: 9e9 s
  max_consecutive_overruns: 100000000 frames
kernel_events: no  # signs of life each millisecond are more than such a processor keeps up with
safe_outputs: process
threads:
  main: {{ cpus: [0], policy: fifo, priority: 80 }}
  workers: {{ side: {{ cpus: [1], policy: fifo, priority: 80, trigger: futex }} }}
  stuck_after: {STUCK_AFTER_S} s
models:
  here: {{ model: fault, library: test_load, parameters: {{ how: hang, at_call: {GUARDED_CALLS} }} }}
  there: {{ model: fault, library: test_load, thread: side, parameters: {{ how: hang, at_call: {GUARDED_CALLS} }} }}
  outputs:
    driver: gpio_out
    chip: rtvm
    lines: {{ brake: {{ line: 6, safe: yes }} }}
    parameters: {{ brake: no }}
record: {{ calls: {{ variables: [here.calls, there.calls] }} }}
"""

SCRIPT = RIG_OF + """
echo -1 >/proc/sys/kernel/sched_rt_runtime_us
cat /proc/sys/kernel/sched_rt_runtime_us >throttle
now() { read -r up rest </proc/uptime; echo $up; }
# run NAME WHAT ARGUMENTS...: starts the rig beside a shell that says every tenth of a second that it lives; does WHAT to
# the rig once frames run; waits for its end.
run() {
    name=$1
    what=$2
    shift 2
    line_log $RTVM_GPIO_DIR/sim_gpio6/value 270000 >$name.line &
    log=$!
    while :; do now; usleep 100000; done >$name.alive &
    alive=$!
    tactus run runaway.yaml --quiet --out $name "$@" >$name.out 2>$name.err &
    witness=$!
    rig=$(rig_of $witness)
    until grep -q '^0' $name/frames.csv 2>/dev/null || ! kill -0 $rig; do usleep 50000; done
    eval "$what"
    for task in /proc/$rig/task/*; do
        echo "$(cat $task/comm) $(cut -d ' ' -f 39-41 $task/stat)"
    done >$name.threads
    wait $witness
    echo $? >$name.status
    now >$name.ended_at
    usleep 300000
    kill $log $alive
    wait $log $alive
}
run guarded :
demote_the_guard() {
    for task in /proc/$rig/task/*; do
        case $(cat $task/comm) in watchdog@*) chrt -o -p 0 ${task##*/} ;; esac
    done
}
"""
LIMITED = f"""
run limited demote_the_guard --set models.here.parameters.at_call={LIMITED_CALLS} --set models.there.parameters.at_call={LIMITED_CALLS}
"""

SUFFIXES = ("status", "out", "err", "line", "alive", "threads", "ended_at")


class Run:
    def __init__(self, guest, name):
        def text(path):
            path = guest.work / path
            return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

        self.status = int(text(f"{name}.status") or -1)
        self.said = text(f"{name}.out") + text(f"{name}.err")
        self.log = text(f"{name}/log.txt")
        self.summary = json.loads(text(f"{name}/summary.json") or "{}")
        self.recorded = text(f"{name}/calls.csv").splitlines()[1:]
        self.line = [(int(at) / 1e9, int(level)) for at, level in map(str.split, text(f"{name}.line").splitlines())]
        self.alive = [float(at) for at in text(f"{name}.alive").split()]
        self.threads = {words[0].partition("@")[0]: tuple(map(int, words[1:]))  # on which CPU, priority, policy
                        for words in map(str.split, text(f"{name}.threads").splitlines())
                        if len(words) == 4}  # one may end while it is looked at
        self.ended_at = float(text(f"{name}.ended_at") or 0)

    def silence(self):
        """The longest time in which no shell could say that it lives, and its beginning: while every CPU was taken."""
        return max(((b - a, a) for a, b in zip(self.alive, self.alive[1:])), default=(0, 0))

    def hung_for(self):
        return self.ended_at - self.silence()[1]

    def __str__(self):
        return (f"status {self.status}, silent for {self.silence()}, ended at {self.ended_at}\nthreads: {self.threads}\n"
                f"line 6: {self.line}\n{self.said}\n{json.dumps(self.summary.get('reason'))}\n{self.log[-3000:]}")


def check_threads(checks, name, run):
    for thread, cpu in (("main", 0), ("side", 1)):
        checks.equal(f"{name}: thread {thread} has CPU {cpu}, at SCHED_FIFO 80", run.threads.get(thread), (cpu, 80, 1), run)


def check_guarded(checks, run):
    check_threads(checks, "guarded", run)
    silent, since = run.silence()
    checks.that(f"guarded: for {silent:.1f} s both CPUs were taken", silent > STUCK_AFTER_S / 2, run)
    checks.that(f"guarded: it ended by itself, {run.hung_for():.1f} s after the last sign of life before "
                f"({STATED_S:.1f} s are stated)", run.status == 1 and run.hung_for() < SLOW * STATED_S, run)
    checks.that("guarded: a shell got on before it ended", any(since + silent <= at < run.ended_at for at in run.alive), run)
    reason = run.summary.get("reason", "")
    checks.that("guarded: aborted, and thread and job are named", run.summary.get("outcome") == "aborted" and re.search(
        r"thread '(main' is stuck in job 'here|side' is stuck in job 'there)\.scheduled'", reason), run)
    checks.that("guarded: and a person reads it", reason and reason in run.said, run)
    levels = [level for _, level in run.line]
    checks.that("guarded: the output stood at its safe value before the line was released", 1 in levels, run)
    checks.equal("guarded: the recording is whole", len(run.recorded), GUARDED_CALLS, run)


def check_limited(checks, run):
    check_threads(checks, "limited", run)
    checks.equal("limited: the guard is an ordinary thread now", run.threads.get("watchdog", (0, -1, -1))[1:], (0, 0),
                 run)
    checks.that(f"limited: the kernel ended it (SIGXCPU) {run.hung_for():.1f} s after the last sign of life before "
                f"({LIMIT_S:.1f} s are stated)", run.status == 128 + 24 and run.hung_for() > LIMIT_S / 2, run)
    checks.that("limited: the job is named, and the outputs were driven safe", re.search(
        r"while job '(here|there)\.scheduled' ran; the outputs were driven safe", run.said), run)


def main():
    everything = "--all" in sys.argv
    if everything:
        sys.argv.remove("--all")
    guest = Guest.from_arguments(__doc__, "--line-log", needs="modules")
    names = ("guarded", "limited") if everything else ("guarded",)
    script = SCRIPT + (LIMITED if everything else "") + "true\n"
    done = guest.run("sh", "runaway.sh", tactus=True, timeout=860, options=["--gpio", "8"],
                     files=[guest.write("runaway.sh", script), guest.write("runaway.yaml", RIG)],
                     copy=[f"{guest.options.line_log}:/usr/local/bin/line_log", "/usr/bin/chrt"],
                     fetch=["throttle", *names, *(f"{name}.{suffix}" for name in names for suffix in SUFFIXES)])
    print(f"guest: {done.took:.1f} s")
    checks = Checks()
    checks.equal("the guest lives to its end", done.status, 0, done)
    checks.equal("the kernel's throttle was off", (guest.work / "throttle").read_text().strip(), "-1")
    check_guarded(checks, Run(guest, "guarded"))
    if everything:
        check_limited(checks, Run(guest, "limited"))
    checks.finish()


main()
