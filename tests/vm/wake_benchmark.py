# SPDX-License-Identifier: Apache-2.0
"""How late does a thread of SCHED_FIFO wake at 1 kHz, with each sleeper, beside cyclictest on the same kernel? And with the
frames clocked by the edges of a simulated GPIO line: how long after its edge (discipline edge), and how far from its
prediction does the edge come (discipline pll)?

The sleepers run without records of the kernel's events, as cyclictest does; what is recorded costs each wake of a thread,
so nanosleep and hybrid run once more as rigs do by default.

Prints one JSON object per sleeper, as the benchmarks of tests/benchmark do (scripts/benchmark-vm runs this). The guest counts
instructions instead of time (scripts/rtvm --icount 0: one instruction is one nanosecond): the figures tell what kernel
and program do between the timer and the frame, the same on every machine. Caches, memory and hardware take no part.
"""
import json
import re

from guest import Guest, recorded

FRAMES = 2000
SPIN_FRAMES = 200  # a thread that spins for a second is stopped by the kernel's real-time throttle
SLEEPERS = {"nanosleep": FRAMES, "timerfd": FRAMES, "hybrid": FRAMES, "spin": SPIN_FRAMES}
DEFAULTS = {"nanosleep-default": "nanosleep", "hybrid-default": "hybrid"}  # kernel_events: yes
DISCIPLINES = ("edge", "pll")
GRACE = 20  # the first frames and cycles warm up on both sides
PERCENTILES = {"p50": 0.5, "p99": 0.99, "p99_9": 0.999, "max": 1.0}
HISTOGRAM_NS = 60_000

RIG = """
rig: wake
frame: { period: 1 ms }
realtime: { enabled: yes, sleeper: nanosleep, on_overrun: skip }
threads: { main: { policy: fifo, priority: 80 } }
memory: { lock: yes, heap: 8 MiB }
"""


class NoAnswer(Exception):
    """The guest did not measure, and what it said."""


def percentiles(late):
    late = sorted(late)
    return {name: late[max(0, -(-int(share * 1000) * len(late) // 1000) - 1)] for name, share in PERCENTILES.items()}


def cyclictest(text):
    """All its latencies from its histogram in nanoseconds; what lies beyond counts as its maximum."""
    late = []
    for line in text.splitlines():
        bucket = re.match(r"(\d+)\s+(\d+)$", line)
        if bucket:
            late += int(bucket[2]) * [int(bucket[1])]
    late += (FRAMES - len(late)) * [int(re.search(r"# Max Latencies: (\d+)", text)[1])]
    return late


def frames(folder):
    return [int(row["rt.late"]) for row in recorded(folder / "frames.csv")][GRACE:]


def measure(guest):
    """{"cyclictest": {"p50": ns, ...}, "nanosleep": ..., ...} and how long it took."""
    lines = [f"cyclictest -m -q -N -h {HISTOGRAM_NS} -t1 -a0 -p80 -i1000 -l {FRAMES} | "
             "grep -v ' 000000$' >cyclictest.txt"]
    lines += [f"tactus run wake.yaml --frames {count} --set realtime.sleeper={name} --set kernel_events=no --out {name} "
              "--quiet || exit 1" for name, count in SLEEPERS.items()]
    lines += [f"tactus run wake.yaml --frames {FRAMES} --set realtime.sleeper={sleeper} --out {name} --quiet || exit 1"
              for name, sleeper in DEFAULTS.items()]
    lines += ["gpio_pulse $RTVM_GPIO_DIR/sim_gpio3/pull 1000 20000 prio=95 >/dev/null & pulses=$!"]
    lines += [f"tactus run wake.yaml --frames {FRAMES} --out {name} --quiet "
              f"--set 'clock={{driver: gpio, chip: rtvm, line: 3, discipline: {name}}}' || exit 1"
              for name in DISCIPLINES]
    lines += ["kill $pulses"]
    done = guest.run("sh", "wake.sh", tactus=True, timeout=240, options=["--icount", "0", "--gpio", "8"],
                     files=[guest.write("wake.sh", "\n".join(lines) + "\n"), guest.write("wake.yaml", RIG)],
                     copy=["cyclictest", f"{guest.options.gpio_pulse}:/usr/local/bin/gpio_pulse"],
                     fetch=["cyclictest.txt", *SLEEPERS, *DEFAULTS, *DISCIPLINES])
    if done.status != 0:
        raise NoAnswer(str(done))
    answers = {"cyclictest": percentiles(cyclictest((guest.work / "cyclictest.txt").read_text(encoding="utf-8")))}
    for name in (*SLEEPERS, *DEFAULTS):
        answers[name] = percentiles(frames(guest.work / name))
    summaries = {name: json.loads((guest.work / name / "summary.json").read_text("utf-8")) for name in DISCIPLINES}
    answers["edge"] = percentiles(frames(guest.work / "edge"))  # slots are the edges' time stamps
    answers["pll"] = summaries["pll"]["clock"]["phase_error_ns"]
    for name, summary in summaries.items():
        lost = (summary["frames"]["lost"], summary["clock"]["missing"])
        if lost != (0, 0):
            raise NoAnswer(f"discipline {name}: slots lost and edges missed: {lost}")
    return answers, done.took


def main():
    guest = Guest.from_arguments(__doc__, "--gpio-pulse", needs="modules")
    answers, _ = measure(guest)
    reference = answers.pop("cyclictest")
    edge, pll = answers.pop("edge"), answers.pop("pll")
    print(json.dumps({
        "question": "how many instructions lie between a GPIO edge and its frame, and between an edge and its prediction?",
        "frames": FRAMES, "priority": 80, "guest": "scripts/rtvm --icount 0", "edge_to_wake_ns": edge,
        "pll_phase_error_ns": pll, "ratio_p99": round(pll["p99"] / edge["p99"], 4)}))
    for name, late in answers.items():
        print(json.dumps({
            "question": f"how many instructions after its slot does a frame start at 1 kHz with the sleeper {name}?",
            "sleeper": name, "frames": SLEEPERS.get(name, FRAMES), "priority": 80, "guest": "scripts/rtvm --icount 0",
            "late_ns": late, "cyclictest_ns": reference,
            "ratio_to_cyclictest": {key: round(late[key] / reference[key], 4) for key in late}}))


if __name__ == "__main__":
    main()
