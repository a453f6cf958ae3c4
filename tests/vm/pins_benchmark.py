# SPDX-License-Identifier: Apache-2.0
"""How long does a rig take from an edge of an input pin to the edge of the output pin that answers it? A rig of 1 kHz with
`gpio_in`, one job and `gpio_out`: by its own clock, where an edge waits for the next frame, and clocked by edges, where
the input changes right before the edge that begins a frame.

Prints one JSON object for each, as the benchmarks of tests/benchmark do (`scripts/benchmark pins` runs this). The lines
are simulated, and the guest counts instructions instead of time (scripts/rtvm --icount 0: one instruction is one
nanosecond): what kernel and program do, the same on every machine. Levels are seen by reading a file without a pause.
"""
import json
import statistics

from guest import Guest
from wake_benchmark import NoAnswer, percentiles

COUNT = 1000  # edges of the input
BUCKETS_US = (10, 20, 30, 50, 70, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200)
CLOCKS = {"own": "", "edge": "clock: { driver: gpio, chip: rtvm, line: 3, discipline: edge }\n"}

RIG = """
rig: pins
frame: { period: 1 ms }
realtime: { enabled: yes, sleeper: nanosleep, on_overrun: skip }
threads: { main: { policy: fifo, priority: 80 } }
memory: { lock: yes, heap: 8 MiB }
models:
  inputs: { driver: gpio_in, chip: rtvm, lines: { door: 1 } }
  job: { model: answer, library: /usr/local/lib/libpins.so }
  outputs: { driver: gpio_out, chip: rtvm, lines: { copy: { line: 0, safe: no } } }
connect:
  - { from: inputs.door, to: job.in }
  - { from: job.out, to: outputs.copy }
"""


def histogram(values):
    """{"below 10 us": 0, ..., "above": 0}: counts of what lies below each bound and not below the one before."""
    counts = {f"below {bound} us": 0 for bound in BUCKETS_US} | {"above": 0}
    for value in values:
        counts[next((f"below {bound} us" for bound in BUCKETS_US if value < bound * 1000), "above")] += 1
    return {bucket: count for bucket, count in counts.items() if count}


def answers_of(text):
    """The times of all answers, and how many edges had none."""
    times = [int(row) for row in text.split() if row != "lost"]
    return times, text.count("lost")


def measure(guest):
    """{"own": ([ns, ...], lost), "edge": ...}"""
    lines = []
    for name in CLOCKS:
        clock = " $RTVM_GPIO_DIR/sim_gpio3/pull" if name == "edge" else ""
        lines += [f"tactus run {name}.yaml --out {name} --quiet & rig=$!",
                  f"pins $RTVM_GPIO_DIR/sim_gpio1/pull $RTVM_GPIO_DIR/sim_gpio0/value {COUNT}{clock} >{name}.txt || exit 1",
                  "kill $rig; wait $rig"]
    files = [guest.write(f"{name}.yaml", RIG + clock) for name, clock in CLOCKS.items()]
    done = guest.run("sh", "pins.sh", tactus=True, timeout=400, options=["--icount", "0", "--gpio", "8"],
                     files=[guest.write("pins.sh", "\n".join(lines) + "\n"), *files],
                     copy=[f"{guest.options.pins}:/usr/local/bin/pins",
                           f"{guest.options.model}:/usr/local/lib/libpins.so"], fetch=[f"{name}.txt" for name in CLOCKS])
    if done.status != 0:
        raise NoAnswer(str(done))
    return {name: answers_of((guest.work / f"{name}.txt").read_text(encoding="utf-8")) for name in CLOCKS}


def main():
    guest = Guest.from_arguments(__doc__, "--pins", "--model", needs="modules")
    for name, (times, lost) in measure(guest).items():
        if lost > 0:  # no percentile has them
            raise NoAnswer(f"clock {name}: {lost} of {COUNT} edges had no answer in time")
        print(json.dumps({
            "question": f"how long from an input pin's edge to the output pin's that answers it, clock {name}?",
            "clock": name, "period_us": 1000, "edges": len(times) + lost, "lost": lost,
            "guest": "scripts/rtvm --icount 0", "percentiles_ns": percentiles(times),
            "answer_ns": {"median": statistics.median(times), "min": min(times), "max": max(times)},
            "histogram": histogram(times)}))


if __name__ == "__main__":
    main()
