# SPDX-License-Identifier: Apache-2.0
"""Outputs on the lines of a simulated GPIO chip, and who drives them safe when the rig ends: read back from the simulator
while the whole program runs, is killed, crashes, is late, or loses its clock. And the drivers alone, by the program of
tests/drivers/gpio. In a guest with its own time (--icount): the times do not depend on this machine's load.
By itself one case of each kind of end; with --all, for scripts/test --nightly, also their variants, which the fault
matrices of whole rigs know without a kernel's lines."""
import json
import pathlib
import re
import sys

from guest import RIG_OF, Checks, Guest, recorded

TIMEOUT_MS = 200  # guardian_timeout
STATED_MS = 10    # more, and the outputs are safe
KILLED_MS = 5     # after SIGKILL

# Line 6 stands at 0 while the rig runs and is safe at 1; released, it falls back to the pull of the simulator, 0.
RIG = """
rig: torque
frame: { period: 2 ms }
kernel_events: no  # each start is shorter then
realtime: { enabled: yes, sleeper: nanosleep, on_overrun: skip }
models:
  wrong: { model: misbehave, library: test_load }
  load: { model: late, library: test_load }
  inputs: { driver: gpio_in, chip: rtvm, lines: { door: 1, address: { lines: [2, 4], active_low: yes } } }
  outputs:
    driver: gpio_out
    chip: rtvm
    lines:
      brake: { line: 6, safe: yes }
      torque: { lines: [5, 7], safe: 0 }
      copy: { line: 0, safe: no }
    parameters: { brake: no, torque: 3 }
connect:
  - { from: inputs.door, to: outputs.copy }
record: { io: { variables: [inputs.*, outputs.*] } }
"""

SCRIPT = RIG_OF + """
level() { cat $RTVM_GPIO_DIR/sim_gpio$1/value; }
until_torque() {
    until [ "$(level 5)$(level 7)$(level 6)" = 110 ] || ! alive $witness; do usleep 50000; done
}
# run NAME WHAT ARGUMENTS...: starts the rig with its line watched, does WHAT to it, waits for the end of all
run() {
    name=$1
    what=$2
    shift 2
    line_log $RTVM_GPIO_DIR/sim_gpio6/value 60000 >$name.line &
    log=$!
    tactus run torque.yaml --quiet --out $name "$@" >$name.out 2>$name.err &
    witness=$!
    until_torque
    rig=$(rig_of $witness)
    guardian=$(pidof tactus-guardian)
    echo "$(level 5)$(level 7)$(level 6)" >$name.levels
    read -r up rest </proc/uptime
    echo $up >$name.done_at
    eval "$what"
    wait $witness
    echo $? >$name.status
    i=0
    while alive $rig && [ $i -lt 2000 ]; do usleep 50000; i=$((i + 1)); done
    alive $rig && echo $rig >$name.left
    usleep 300000
    echo "$(level 5)$(level 7)$(level 6)" >>$name.levels
    pidof tactus-guardian >$name.guardian
    if [ $name = killed ]; then
        tactus run torque.yaml --out again >again.out 2>again.err
        echo $? >again.status
    fi
    kill $(pidof tactus-guardian) 2>/dev/null
    kill $log
    wait $log
    i=0
    while pidof tactus-guardian >/dev/null && [ $i -lt 2000 ]; do usleep 20000; i=$((i + 1)); done
}
run stopped 'kill -INT $witness'
# As much as a rig may have: what the kernel takes apart before the process is gone.
big="--set kernel_events=yes --set memory.heap=100MB"
run killed 'line_log --kill $rig >killed.deed' $big
[ -n "$EVERYTHING" ] || big=
run stalled 'kill -STOP $rig; usleep 600000; level 6 >stalled.during; kill -CONT $rig'
run guardian_killed 'kill -KILL $guardian'
run witness_and_rig 'line_log --kill $rig $witness >witness_and_rig.deed' $big
run rig_and_guardian 'line_log --kill $rig $guardian >rig_and_guardian.deed' $big
run isolated_model_killed 'line_log --kill $(pidof tactus-model) >isolated_model_killed.deed' --set models.outputs.isolated=yes $big
run isolated_rig_killed 'line_log --kill $rig >isolated_rig_killed.deed' --set models.outputs.isolated=yes $big
run segv '' --set models.wrong.parameters.what=segv --set models.wrong.parameters.at_frame=200
run overrun '' --set 'realtime.max_overrun=20 ms' --set 'models.load.parameters.busy=50 ms' \\
    --set models.load.parameters.every=1 --set models.load.parameters.from_frame=200
if [ -n "$EVERYTHING" ]; then
    run stopped_itself 'kill -INT $rig'
    run isolated_stopped 'kill -INT $witness' --set models.outputs.isolated=yes
    run witness_killed 'kill -KILL $witness'
    run witness_and_guardian 'kill -KILL $witness $guardian'
    for signal in fpe bus abort; do
        run $signal '' --set models.wrong.parameters.what=$signal --set models.wrong.parameters.at_frame=200
    done
    run process_killed 'kill -KILL $rig' --set safe_outputs=process
fi
gpio_pulse $RTVM_GPIO_DIR/sim_gpio3/pull 500 800 prio=95 >/dev/null &
run clock_lost '' --set 'clock={driver: gpio, chip: rtvm, line: 3}'
wait $!
# The inputs: one frame after they change.
tactus run torque.yaml --quiet --out inputs --frames 400 >inputs.out 2>inputs.err &
witness=$!
until_torque
echo pull-up >$RTVM_GPIO_DIR/sim_gpio1/pull
echo pull-up >$RTVM_GPIO_DIR/sim_gpio2/pull
usleep 100000
level 0 >copied
wait $witness
"""


class Run:
    def __init__(self, guest, name):
        def text(suffix):
            path = guest.work / f"{name}.{suffix}"
            return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

        self.status = int(text("status") or -1)
        self.said = text("out") + text("err")
        self.before, self.after = (text("levels").split() + ["", ""])[:2]
        self.guardian = text("guardian").strip()
        self.during = text("during").strip()
        self.left = text("left").strip()
        self.done_at = float(text("deed") or 0) / 1e9 or float(text("done_at") or 0)
        self.line = [(int(at) / 1e9, int(level)) for at, level in map(str.split, text("line").splitlines())]
        path = guest.work / name / "summary.json"
        self.summary = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}

    def safe_after_ms(self):
        """From the deed to the safe level, by CLOCK_MONOTONIC; where line_log did not do it, in hundredths."""
        return next(((at - self.done_at) * 1e3 for at, level in self.line if level == 1 and at > self.done_at), None)

    def __str__(self):
        return (f"status {self.status}, levels {self.before} then {self.after}, guardian '{self.guardian}', rig left behind "
                f"'{self.left}', deed at "
                f"{self.done_at}\nline 6: {self.line}\n{self.said}\n{json.dumps(self.summary.get('reason'))}")


NAMES = ["stopped", "killed", "stalled", "guardian_killed", "witness_and_rig", "rig_and_guardian",
         "isolated_model_killed", "isolated_rig_killed", "segv", "overrun", "clock_lost", "again"]
VARIANTS = ["stopped_itself", "isolated_stopped", "witness_killed", "witness_and_guardian", "fpe", "bus", "abort", "process_killed"]


def names_of(everything):
    return [*NAMES, *(VARIANTS if everything else [])]


def check_witness(checks, runs):
    for name in ("killed", "rig_and_guardian", "segv"):
        run = runs[name]
        how = ("crashed", "SIGSEGV") if name == "segv" else ("killed", "SIGKILL")
        checks.equal(f"{name}: the witness says how the rig ended",
                     (run.summary.get("outcome"), run.summary.get("died", {}).get("signal")), how, run)
        checks.that(f"{name}: and how far it came", run.summary.get("frames", {}).get("run", 0) > 0
                    and run.summary["reason"] in run.said, run)
    run = runs["witness_and_rig"]
    took = run.safe_after_ms()
    checks.that(f"witness and rig killed: the guardian drives safe and holds (after {took} ms)", took is not None
                and took <= KILLED_MS and run.after == "001" and run.guardian != "", run)
    run = runs["rig_and_guardian"]
    took = run.safe_after_ms()
    checks.that(f"rig and guardian killed: the witness drives safe (after {took} ms)", run.status == 137
                and took is not None and took <= KILLED_MS, run)


def check_crash(checks, run, name, number):
    checks.that(f"crashed ({name}): safe, held, and the job is named", run.status == 128 + number
                and run.after == "001" and "while job 'wrong.step' ran; the outputs were driven safe" in run.said, run)


def check_stop(checks, run, name):
    checks.that(f"{name}: safe before the line is released", run.status == 0 and run.guardian == ""
                and [level for _, level in run.line][-2:] == [1, 0], run)


def check_isolated(checks, run, name, status):
    took = run.safe_after_ms()
    checks.that(f"{name}: the guardian drives safe, and holds (after {took} ms)", run.status == status
                and took is not None and took <= KILLED_MS and run.after == "001"
                and run.guardian != "" and (status == 137 or "was killed by SIGKILL" in run.said), run)


def check_variants(checks, runs):
    for name in ("stopped_itself", "isolated_stopped"):
        check_stop(checks, runs[name], name)
    run = runs["witness_killed"]
    checks.that("witness killed: the rig stops in order, safe before the line is released", run.status == 137
                and run.summary.get("outcome") == "stopped" and run.guardian == ""
                and [level for _, level in run.line][-2:] == [1, 0], run)
    run = runs["witness_and_guardian"]
    checks.that("witness and guardian killed: the rig ends, safe before the line is released",
                run.summary.get("outcome") in ("stopped", "aborted", "failed")
                and [level for _, level in run.line][-2:] == [1, 0], run)
    for name, number in (("fpe", 8), ("bus", 7), ("abort", 6)):
        check_crash(checks, runs[name], name, number)
    run = runs["process_killed"]
    checks.that("without a guardian nobody is left after SIGKILL: the line falls back", run.status == 137
                and run.guardian == "" and run.after == "000", run)


def check(checks, guest, everything):
    runs = {name: Run(guest, name) for name in names_of(everything)}
    for name, run in runs.items():
        if name != "again":
            checks.equal(f"{name}: the frames drive the lines", run.before, "110", run)
            checks.equal(f"{name}: no rig is left behind", run.left, "", run)

    check_stop(checks, runs["stopped"], "stopped")
    run = runs["killed"]
    took = run.safe_after_ms()
    # Its perf events and 100 MB of locked memory keep the kernel busy for much longer than that.
    checks.that(f"killed (SIGKILL): safe within {KILLED_MS} ms, and held there (after {took} ms)", run.status == 137
                and took is not None and took <= KILLED_MS and run.after == "001" and run.guardian != "", run)
    check_witness(checks, runs)
    run = runs["again"]
    checks.that("a rig that wants a held line is told by whom, and how to release it", run.status == 3 and re.search(
        r"guardian of rig torque, process \d+, which has ended; to release the line: kill \d+", run.said)
        and "models.outputs" in run.said, run)
    run = runs["stalled"]
    took = run.safe_after_ms()
    checks.that(f"stalled (SIGSTOP): safe within {TIMEOUT_MS + STATED_MS} ms (after {took} ms), and it ends when it wakes",
                run.during == "1" and took is not None and took < TIMEOUT_MS + STATED_MS + 10 and run.status == 1
                and "the guardian drove the outputs safe: no frame for 200 ms" in run.said, run)
    run = runs["guardian_killed"]
    checks.that("a rig whose guardian is killed ends, outputs safe", run.status == 1 and "guardian" in run.said
                and 1 in [level for at, level in run.line if at > run.done_at], run)
    check_isolated(checks, runs["isolated_model_killed"], "isolated_model_killed", 1)
    check_isolated(checks, runs["isolated_rig_killed"], "isolated_rig_killed", 137)
    check_crash(checks, runs["segv"], "segv", 11)
    for name, outcome in (("overrun", "overrun"), ("clock_lost", "clock_lost")):
        run = runs[name]
        checks.that(f"{name}: safe before the line is released", run.status == 1
                    and run.summary.get("outcome") == outcome and [level for _, level in run.line][-2:] == [1, 0], run)
    if everything:
        check_variants(checks, runs)

    rt = Run(guest, "inputs").summary.get("rt", {})
    checks.equal("frames that read and write lines: no heap call", (rt.get("heap_calls"), rt.get("page_faults")), (0, 0), rt)
    checks.equal("an input reaches an output", (guest.work / "copied").read_text().strip(), "1")
    rows = recorded(guest.work / "inputs" / "io.csv")
    first, last = rows[0], rows[-1]
    checks.equal("inputs: a line alone, and two as a number, active low",
                 [(row["inputs.door"], row["inputs.address"]) for row in (first, last)],
                 [("0", "3"), ("1", "2")], rows[:3], rows[-1])


def main():
    everything = "--all" in sys.argv
    if everything:
        sys.argv.remove("--all")
    guest = Guest.from_arguments(__doc__, "--gpio-pulse", "--line-log", "--guest-rig", needs="modules")
    drivers = guest.source / "tests" / "drivers" / "gpio" / "guest_test.sh"
    script = guest.write("outputs.sh", f"EVERYTHING={'yes' if everything else ''}\n" + SCRIPT + "\nsh guest_test.sh /usr/local/bin/gpio_guest_rig "
                         "/usr/local/bin/gpio_pulse /sys/kernel/config/gpio-sim/rtvm\n")
    names = names_of(everything)
    suffixes = ["status", "out", "err", "levels", "guardian", "line", "done_at", "deed", "left"]
    done = guest.run("sh", "outputs.sh", tactus=True, timeout=1160, options=["--icount", "0", "--gpio", "8"],
                     files=[script, guest.write("torque.yaml", RIG), drivers],
                     copy=[f"{guest.stripped(pathlib.Path(path))}:/usr/local/bin/{name}"
                           for name, path in (("gpio_pulse", guest.options.gpio_pulse),
                                              ("line_log", guest.options.line_log),
                                              ("gpio_guest_rig", guest.options.guest_rig))],
                     fetch=["copied", "inputs", "stalled.during", *(name for name in names if name != "again"),
                            *(f"{name}.{suffix}" for name in names for suffix in suffixes)])
    print(f"guest: {done.took:.1f} s")
    checks = Checks()
    checks.that("the guest ran to its end, and the drivers' own checks hold", done.status == 0, done)
    for line in done.out.splitlines():
        if re.match(r"(not )?ok ", line):
            checks.that("drivers: " + line, not line.startswith("not"), done.out)
    check(checks, guest, everything)
    checks.finish()


main()
