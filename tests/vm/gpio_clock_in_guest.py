# SPDX-License-Identifier: Apache-2.0
"""The servo rig clocked by the edges of a simulated GPIO chip, on a PREEMPT_RT kernel: steady, and with each fault put
in for real. In a guest with its own time (--icount), so that the figures do not depend on this machine's load.

By itself one case of each kind of fault; with --all, for scripts/test --nightly, also their variants, which the unit
tests of the clock have on simulated edges (EdgeClock*).
"""
import json
import re
import shlex
import sys

from guest import RIG_OF, Checks, Guest

LINE = 3
STEADY_FRAMES = 1200

# Every rig is the servo of config/rigs with this on top. But for the steady ones none asks for the kernel's events: they
# make a wake later here, and a start longer. What the flight recorder keeps takes half a minute to be written here.
FEW = ["--set", "flight_recorder.before=100 ms", "--set", "flight_recorder.after=100 ms"]
COMMON = ["--set", "rig=clocked", "--set", "privileges=prefer", "--set", "realtime.on_overrun=skip",
          "--set", "realtime.max_overrun=1 s", *FEW]


class Case:
    """One run: the clock section, the pulses (frequency and options of gpio_pulse), how many frames, and what else."""

    def __init__(self, name, clock, pulses, frames, *more, during="", count=20000, variant=False):
        self.variant = variant
        self.name, self.pulses, self.frames, self.during, self.count = name, pulses, frames, during, count
        keys = ["driver: gpio", "chip: rtvm", f"line: {LINE}"]
        if "on_missing" not in clock:
            keys.append("on_missing: free_run")
        section = ", ".join([*keys, clock] if clock else keys)
        events = [] if name in ("pll", "edge") else ["--set", "kernel_events=no"]
        self.arguments = shlex.join([*COMMON, *events, "--set", f"clock={{{section}}}", *more])

    def script(self):
        hz, _, options = self.pulses.partition(" ")
        return (f"begin {self.name} {hz} {self.count} {options}\n"
                f"tactus run servo.yaml --frames {self.frames} --quiet --out {self.name} {self.arguments} "
                f">{self.name}.out 2>{self.name}.err &\nrig=$!\n{self.during}\nwait $rig\n"
                f"echo $? >{self.name}.status\nend\n")


# The gaps come when a rig has locked and still runs: its start takes some half a second of the guest.
CASES = [
    Case("pll", "discipline: pll", "1000", STEADY_FRAMES),
    Case("edge", "discipline: edge", "1000", STEADY_FRAMES),
    Case("fast", "discipline: pll", "1000 drift=-300", 2000, variant=True),
    Case("slow_edges", "frames_per_edge: 10", "100", 2000, variant=True),
    Case("fast_edges", "edges_per_frame: 5", "5000", 1000, count=40000, variant=True),
    Case("missing_one", "", "1000 drop=50", 2000, variant=True),
    Case("missing_one_edge", "discipline: edge", "1000 drop=50", 2000, variant=True),
    Case("missing_five", "", "1000 gap=1000:5", 900),
    Case("lost_and_back", "", "1000 gap=1000:100 phase=0.0003", 2000),
    Case("lost_and_back_edge", "discipline: edge", "1000 gap=1500:100 phase=0.0003", 4000, variant=True),
    Case("double", "", "1000 duty=0.2 double=20", 2000, variant=True),
    Case("glitch", "", "1000 duty=0.2 glitch=20 glitch_at=0.3", 2000, variant=True),
    Case("early", "", "1000 duty=0.2 glitch=20 glitch_at=0.8", 2000, variant=True),
    Case("jitter", "jitter_limit: 20 us", "1000 jitter=0.00006", 2000, variant=True),
    Case("late", "", "1000 gap=1500:1 phase=0.0003", 3000, variant=True),
    Case("wrong_rate", "on_wrong_rate: terminate", "980", 2000),
    Case("wrong_rate_free", "on_wrong_rate: free_run", "980", 500, variant=True),
    Case("no_edge", "start_timeout: 500 ms", "1000 delay=100", 2000),
    Case("lost_ends", "on_missing: terminate", "1000 gap=1500:100", 5000, variant=True),
    Case("lost_freezes", "on_missing: freeze", "1000 gap=1000:100", 1200,
         during="sleep 2; kill -USR2 $rig"),
    Case("overflow", "", "1000", 1800, during="sleep 1; kill -STOP $(rig_of $rig); usleep 60000; kill -CONT $(rig_of $rig)"),
    Case("held", "", "1000", 1400, during="sleep 0.8; tactus run servo.yaml --frames 10 --out second "
         + shlex.join(COMMON) + f" --set 'clock={{driver: gpio, chip: rtvm, line: {LINE}}}' >second.out 2>second.err\n"
         "echo $? >second.status"),
    Case("doctor", "", "1000", 10, during="wait $rig; tactus doctor servo.yaml --json --measure 500ms "
         f"--set 'clock={{driver: gpio, chip: rtvm, line: {LINE}}}' >doctor.json\n"
         "tactus doctor servo.yaml --json --measure 500ms --set 'frame.period=2 ms' --set privileges=require "
         f"--set 'clock={{driver: gpio, chip: rtvm, line: {LINE}}}' >doctor_rate.json\necho $? >doctor_rate.status"),
    # Last: the chip does not come back.
    Case("gone", "", "1000", 20000, during="sleep 2; echo 0 >/sys/kernel/config/gpio-sim/rtvm/live"),
]

# A second after its boot the kernel measures the rate of its clock anew.
SCRIPT = RIG_OF + f"""
sleep 3
begin() {{
    shift
    gpio_pulse $RTVM_GPIO_DIR/sim_gpio{LINE}/pull "$@" prio=95 >>pulses.txt 2>&1 &
    pulses=$!
}}
end() {{
    kill $pulses 2>/dev/null
    wait $pulses
}}
"""


class Run:
    def __init__(self, guest, name):
        self.folder = guest.work / name
        self.summary = {}
        path = self.folder / "summary.json"
        if path.exists():
            self.summary = json.loads(path.read_text(encoding="utf-8"))
        self.clock = self.summary.get("clock", {})
        self.faults = self.clock.get("faults", {})
        self.frames = self.summary.get("frames", {})

        def text(suffix):
            path = guest.work / f"{name}.{suffix}"
            return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

        self.status = int(text("status") or -1)
        self.said = text("out") + text("err")
        log = self.folder / "log.txt"
        self.log = log.read_text(encoding="utf-8") if log.exists() else ""

    def __str__(self):
        return f"status {self.status}\n{self.said}\n{self.log}\n{json.dumps(self.clock)}\n{json.dumps(self.frames)}"


def check(checks, runs):
    for name in ("pll", "edge"):
        run = runs[name]
        # Lost in the start-up grace: what an unoptimized program takes to find out why a first frame is late.
        forgiven = 10 if run.frames.get("grace_overruns") else 0
        checks.equal(f"{name}: {STEADY_FRAMES} frames, none overran",
                     (run.status, run.frames.get("run"), run.frames.get("overruns")), (0, STEADY_FRAMES, 0), run)
        checks.that(f"{name}: none lost", run.frames.get("lost", 99) <= forgiven, run)
        checks.equal(f"{name}: locked, without a fault", (run.clock.get("state"), sum(run.faults.values())),
                     ("locked", 0), run)
        checks.that(f"{name}: no edge missing", run.clock.get("missing", 99) <= forgiven, run)
        rt = run.summary.get("rt", {})
        checks.equal(f"{name}: no heap call and no page fault", (rt.get("heap_calls"), rt.get("page_faults")), (0, 0), rt)
        # The first frame warms up at the priority of the rig, and this guest has one processor: the interrupt's
        # thread may come late that once.
        checks.that(f"{name}: every frame followed an edge", run.clock.get("frames_free") <= 1 + forgiven
                    and run.clock.get("edges", 0) >= STEADY_FRAMES, run)
    checks.that("pll: the edge comes within 2 us of its prediction (99 %)",
                runs["pll"].clock["phase_error_ns"]["p99"] < 2000, runs["pll"])

    run = runs["missing_five"]
    checks.that("five in a row are bridged", run.status == 0 and run.clock["missing"] == 5
                and run.faults["missing"] == 0 and run.clock["state"] == "locked", run)
    for name in sorted(runs.keys() & {"lost_and_back", "lost_and_back_edge"}):
        run = runs[name]
        checks.that(f"{name}: lost, on the internal clock, and slewed back to the edges", run.status == 0
                    and run.faults["missing"] == 1 and run.clock["state"] == "locked" and run.frames["lost"] == 0
                    and run.clock["relocks"] >= 1, run)
    run = runs["wrong_rate"]
    measured = re.search(r"runs at ([\d.]+) Hz, the rig file says 1000 Hz", run.said)
    checks.that("another rate ends the rig before its first frame", run.status == 1 and run.frames.get("run") == 0
                and run.summary["outcome"] == "clock_lost" and measured and abs(float(measured[1]) - 980) < 1, run)
    run = runs["no_edge"]
    checks.that("no edge ends the rig after start_timeout", run.status == 1 and run.faults["no_edge"] == 1
                and "no edge within" in run.said, run)
    run = runs["lost_freezes"]
    checks.that("a lost clock freezes, if told, and goes on when resumed", run.status == 0
                and run.frames["run"] == 1200 and "a fault of the external clock" in run.log, run)
    run = runs["overflow"]
    checks.that("a full event buffer is counted", run.faults["overflow"] >= 1 and run.clock["state"] == "locked"
                and run.frames["run"] == 1800, run)
    checks.equal("and the rig ran beside the one that wanted its line", runs["held"].status, 0, runs["held"])
    run = runs["second"]
    checks.that("a second rig is told who holds the line", run.status == 3
                and re.search(r"held by rig clocked, process \d+", run.said), run)
    run = runs["gone"]
    checks.that("a removed chip ends the rig", run.status == 1 and run.summary["outcome"] == "clock_lost"
                and run.faults["gone"] == 1 and "No such device" in run.said, run)


def check_variants(checks, runs):
    run = runs["fast"]
    checks.that("edges that are 300 ppm fast are followed",
                run.status == 0 and abs(run.clock["frequency_ppm"] - 300) < 30 and run.clock["missing"] == 0, run)
    run = runs["slow_edges"]
    checks.that("100 Hz discipline 1 kHz", run.status == 0 and run.clock["state"] == "locked"
                and run.clock["missing"] == 0 and 190 <= run.clock["edges"] <= 230, run)
    run = runs["fast_edges"]
    checks.that("every fifth of 5 kHz starts a frame", run.status == 0 and run.clock["missing"] <= 5
                and run.clock["edges"] >= 4900 and run.frames["lost"] == 0, run)
    for name in ("missing_one", "missing_one_edge"):
        run = runs[name]
        checks.that(f"{name}: each is counted, and the clock locked again", run.status == 0
                    and 35 <= run.clock["missing"] <= 45 and run.clock["max_consecutive_missing"] == 1
                    and run.clock["relocks"] >= 35 and run.frames["lost"] == 0, run)
    run = runs["double"]
    checks.that("second edges are counted and not followed", run.status == 0
                and run.faults["double"] + run.faults["glitch"] >= 80 and run.clock["missing"] == 0, run)
    run = runs["glitch"]
    checks.that("glitches are counted and not followed", run.status == 0 and run.faults["glitch"] >= 80
                and run.clock["missing"] == 0 and run.clock["state"] == "locked", run)
    run = runs["early"]
    checks.that("edges that come early are counted and start no frame", run.status == 0 and run.faults["jitter"] >= 80
                and run.faults["missing"] == 0 and run.clock["state"] == "locked" and run.frames["lost"] == 0, run)
    run = runs["jitter"]
    checks.that("edges beyond jitter_limit are counted", run.faults["jitter"] >= 50 and run.frames["run"] == 2000, run)
    run = runs["late"]
    checks.that("edges that are late are counted, not followed at first, and then slewed to", run.status == 0
                and run.faults["late"] >= 5 and run.clock["state"] == "locked" and run.frames["lost"] == 0, run)
    run = runs["wrong_rate_free"]
    checks.that("another rate, free_run: on the internal clock", run.status == 0 and run.frames["run"] == 500
                and run.faults["wrong_rate"] >= 1 and run.clock["frames_locked"] == 0, run)
    run = runs["lost_ends"]
    checks.that("a lost clock terminates, if told", run.status == 1 and run.summary["outcome"] == "clock_lost"
                and "10 edges in a row are missing" in run.summary["reason"], run)


def main():
    everything = "--all" in sys.argv
    if everything:
        sys.argv.remove("--all")
    guest = Guest.from_arguments(__doc__, "--gpio-pulse", needs="modules")
    cases = [case for case in CASES if everything or not case.variant]
    script = guest.write("clock.sh", SCRIPT + "".join(case.script() for case in cases) + "true\n")
    names = [case.name for case in cases if case.name != "doctor"]
    fetch = [each for name in names for each in (name, f"{name}.status", f"{name}.out", f"{name}.err")]
    done = guest.run("sh", "clock.sh", tactus=True, timeout=860, options=["--icount", "0", "--gpio", "8"],
                     files=[script, guest.source / "config" / "rigs" / "servo.yaml"],
                     copy=[f"{guest.options.gpio_pulse}:/usr/local/bin/gpio_pulse"],
                     fetch=[*fetch, "second.status", "second.err", "doctor.json", "doctor_rate.json", "doctor_rate.status"])
    print(f"guest: status {done.status}, {done.took:.1f} s")
    checks = Checks()
    if not checks.equal("the guest ran to its end", done.status, 0, done):
        checks.finish()
    runs = {name: Run(guest, name) for name in [*names, "second"]}
    check(checks, runs)
    if everything:
        check_variants(checks, runs)

    def edges(name):
        facts = json.loads((guest.work / f"{name}.json").read_text("utf-8"))["facts"]
        return next((fact for fact in facts if fact["name"] == "gpio clock edges"), {})

    good, wrong = edges("doctor"), edges("doctor_rate")
    checks.that("doctor measures the edges", good.get("grade") == "ok" and "Hz" in good["found"], good)
    checks.that("doctor finds that they are not the rig's", wrong.get("grade") == "fail" and "500 Hz" in wrong["fix"]
                and (guest.work / "doctor_rate.status").read_text("utf-8").strip() == "3", wrong)
    checks.finish()


main()
