# SPDX-License-Identifier: Apache-2.0
"""Makes docs/benchmarks.md: a table of what tactus costs, beside its peer and the least that can be.

The figures stand in docs/benchmarks.json. What FILE, which scripts/benchmark writes, has of a row replaces it; a row that
was not measured again keeps its figures and the machine they were measured on.
"""
import argparse
import json
import pathlib
import sys

# A row: its key, what is measured, the program, the answer that has it, the figure, that of the least, and the unit.
# `more`: more is better.
FRAME = "what does a whole frame cost its thread with all defaults?"
START = "what does the start of the servo rig cost, up to its first frame and its end?"


def frame_row(model, jobs, title):
    return {"key": f"frame-{model}-{jobs}", "title": title, "program": "benchmark_whole_frame",
            "match": {"question": FRAME, "model": model, "jobs": jobs}, "ours": "whole_frame_ns",
            "least": "least_ns" if jobs else None, "unit": "us" if jobs else "ns",
            **({"peer": ("NASA Trick", "trick_ns"), "keeps_peer": True} if model in ("empty", "nine") else {})}


def start_row(key, title, figure, least, unit):
    return {"key": key, "title": title, "program": "benchmark_start", "match": {"question": START}, "ours": figure,
            "least": least, "unit": unit}


def memory_row(key, title, figure):
    return {"key": key, "title": title, "program": "benchmark_start",
            "match": {"question": "how much memory does the servo rig take in its run of 10 s?"},
            "ours": figure, "least": None, "unit": "MiB"}


def judge_row(key, title, question, name, word, ours, least):
    return {"key": f"judge-{key}", "title": title, "program": "benchmark_judge",
            "match": {"question": question, name: word}, "ours": ours, "least": least, "unit": "ns"}


def expression_row(key, title, text, question="what does a temporal operator cost?"):
    return judge_row(key, title, question, "expression", text, "expression_ns", "compiled_ns")


def overlay_row(kind, word, title):
    return judge_row(f"{kind}-{word}", title, f"what does a {kind} add to a frame?", "kind", word, "each_ns", "bare_loop_ns")


def scale_row(jobs, title, figure, unit):
    return {"key": f"scale-{jobs}-{figure}", "title": f"rig of {jobs:,} jobs: {title}", "program": "benchmark_scale",
            "match": {"question": "how do start, memory and a job's cost grow with a rig?", "jobs": jobs}, "ours": figure,
            "least": None, "unit": unit}


def rate_rows(rate, sleeper="hybrid"):
    """Late frames and CPU with 100 empty jobs, and how many jobs fit; `rate` in kHz."""
    match = {"frame_us": 1000 // rate, "sleeper": sleeper}
    frames = f"{rate} kHz" + ("" if sleeper == "hybrid" else f", sleeper `{sleeper}`")
    row = {"program": "benchmark_frame_rate", "least": None}
    late = {**match, "question": "how many frames are late at a rate, and what is used of the CPU?", "jobs": 100}
    most = {**match, "question": "how many empty jobs fit a frame before more than 1 of 1000 is late?"}
    key = f"rate-{rate}-{sleeper}"
    return [{**row, "key": f"{key}-late", "title": f"{frames}, 100 empty jobs: late frames", "match": late,
             "ours": "late_percent", "unit": "%"},
            {**row, "key": f"{key}-cpu", "title": f"{frames}, 100 empty jobs: CPU of the rig's thread", "match": late,
             "ours": "cpu_percent", "unit": "%"},
            {**row, "key": f"{key}-jobs", "title": f"{frames}: most empty jobs with at most 1 of 1000 frames late",
             "match": most, "ours": "most_jobs", "unit": "jobs", "more": True}]


def wake_row(figure, title, unit):
    return {"key": f"hybrid-{figure}", "title": f"sleeper `hybrid` at 1 kHz: {title}", "program": "benchmark_wake",
            "match": {"question": "how late does a thread of SCHED_FIFO wake at 1 kHz with the sleeper hybrid?"},
            "ours": figure, "least": f"nanosleep_{figure}", "unit": unit,
            "peer": ("a fixed margin", f"fixed_margin_{figure}")}


def nothing_row(jobs, title):
    """Empty parts are more than a rig without them has: it has none. The least is the same rig without."""
    return {"key": f"judge-nothing-{jobs}", "title": title, "program": "benchmark_judge",
            "match": {"question": "what does a rig pay that has no events, expectations, stimuli and faults?",
                      "jobs": jobs},
            "ours": "frame_of_empty_parts_ns", "least": "frame_without_ns", "unit": "ns"}


def can_row(way, signals, title):
    return {"key": f"can-{way}-{signals}", "title": title, "program": "benchmark_can",
            "match": {"question": "what does a signal of a CAN frame cost?", "way": way, "signals": signals},
            "ours": "signal_ns", "least": "bare_ns", "unit": "ns", "peer": ("cantools", "cantools_ns")}


def pins_row(clock, title):
    return {"key": f"pins-{clock}", "title": title, "program": "benchmark_pins",
            "match": {"clock": clock, "guest": "scripts/rtvm --icount 0"}, "ours": "answer_ns", "least": None, "unit": "us"}


ROWS = [
    frame_row("empty", 1000, "frame of 1000 empty jobs"),
    frame_row("nine", 1000, "frame of 1000 jobs with nine outputs"),
    frame_row("empty200", 1000, "the same, no outputs, 200 bytes of state each"),
    frame_row("nine200", 1000, "the same, nine outputs, 200 bytes of state each"),
    frame_row("empty4096", 1000, "the same, no outputs, 4 KB of state each"),
    frame_row("nine4096", 1000, "the same, nine outputs, 4 KB of state each"),
    frame_row("empty", 0, "frame without a model"),
    start_row("start-realtime", "start of the servo rig, in real time, CPU", "realtime_cpu_ms", "bash_true_cpu_ms", "ms"),
    start_row("start-plain", "start of the servo rig, not in real time, CPU", "no_realtime_cpu_ms", "bash_true_cpu_ms",
              "ms"),
    start_row("start-realtime-wall", "the same in real time, by the clock on the wall", "realtime_wall_ms", "bash_true_wall_ms",
              "ms"),
    start_row("start-plain-wall", "the same not in real time, by the clock on the wall", "no_realtime_wall_ms",
              "bash_true_wall_ms", "ms"),
    memory_row("memory-run-realtime", "its memory in its run of 10 s in real time, all of it locked", "realtime_peak_mib"),
    memory_row("memory-run-plain", "its memory in that run, not in real time", "no_realtime_peak_mib"),
    *[scale_row(jobs, title, figure, unit) for jobs in (10, 100, 1000, 10_000) for title, figure, unit in (
        ("start, CPU", "start_cpu_ms", "ms"), ("memory", "peak_mib", "MiB"), ("a job of it, whole frame", "job_cpu_ns", "ns"))],
    *[row for rate in (1, 5, 20) for row in rate_rows(rate)],
    *[row for rate in (5, 20) for row in rate_rows(rate, "spin")],
    wake_row("cpu_percent", "CPU of the rig's thread (peer: a fixed margin, least: `nanosleep`)", "%"),
    wake_row("late_p50_ns", "lateness, median (likewise)", "ns"),
    wake_row("late_p99_ns", "lateness, 99th percentile (likewise)", "ns"),
    {"key": "checkpoint-behind", "title": "late frames of the 50 behind a checkpoint of 100 MB at 1 kHz, 100 pages "
                                          "written a frame (least: of 50 elsewhere)", "program": "benchmark_checkpoint",
     "match": {"question": "how many frames of a round are late because 100 MB of state are copied?", "frame_ms": 1},
     "ours": "late_behind_a_checkpoint", "least": "late_of_as_many_elsewhere", "unit": "frames"},
    {"key": "hdf5-bytes", "title": "HDF5: bytes in the file for a value of 8 bytes", "program": "benchmark_recording",
     "match": {"question": "what does a record of 1000 doubles cost as hdf5?"}, "ours": "file_bytes_per_value",
     "least": None, "unit": "B"},
    expression_row("expression", "an expression of five operators (goal 4 x)", "a * 2 + b > 300 and abs(c) < d",
                   "what does an expression of five operators cost?"),
    expression_row("held", "a condition held for 20 ms (goal 8 x)", "a > 300 for 20 ms"),
    expression_row("min", "minimum of 500 ms (goal 8 x)", "min(a, 500 ms) > 300"),
    expression_row("rms", "RMS of 500 ms (goal 8 x)", "rms(a, 500 ms) > 300"),
    expression_row("within", "an expectation `after B: A within T` (goal 8 x)", "expect after B: a > 300 within T"),
    overlay_row("fault", "offset", "fault `offset`, one of 1000 on an array (goal 2 x)"),
    overlay_row("fault", "stuck", "fault `stuck`, likewise (goal 2 x)"),
    overlay_row("fault", "limit", "fault `limit`, likewise (goal 2 x)"),
    overlay_row("fault", "drift", "fault `drift`, likewise (goal 2 x)"),
    overlay_row("fault", "noise", "fault `noise`, likewise (goal 2 x)"),
    overlay_row("fault", "offset, apart", "fault `offset`, on 1000 variables of one model that are no neighbours"),
    overlay_row("fault", "offset, 1000 models", "fault `offset`, in each of 1000 models"),
    overlay_row("stimulus", "constant", "stimulus `hold`, one of 1000 on an array (goal 2 x)"),
    overlay_row("stimulus", "ramp", "stimulus `ramp`, likewise (goal 2 x)"),
    overlay_row("stimulus", "sine", "stimulus `sine`, likewise (goal 2 x)"),
    overlay_row("stimulus", "table of 8 points", "stimulus `table`, likewise (goal 2 x)"),
    overlay_row("stimulus", "ramp, apart", "stimulus `ramp`, on 1000 variables of one model that are no neighbours"),
    overlay_row("stimulus", "ramp, 1000 models", "stimulus `ramp`, in each of 1000 models"),
    nothing_row(0, "frame without a model, with empty parts of events, expectations, stimuli and faults"),
    nothing_row(1000, "frame of 1000 empty jobs, likewise"),
    can_row("decode", 128, "a signal of CAN frames of 8 bytes decoded, one of 128 (goal 1.5 x)"),
    can_row("encode", 128, "likewise encoded (goal 1.5 x)"),
    can_row("decode", 504, "one of 504 decoded"),
    can_row("encode", 504, "one of 504 encoded"),
    {"key": "can-frame", "title": "a model of a CAN bus, 504 signals in and 504 out in each frame (goal 2 x)",
     "program": "benchmark_can", "match": {"question": "what does a CAN bus cost a frame?"}, "ours": "frame_ns",
     "least": "copy_and_codec_ns", "unit": "us"},
    pins_row("own", "from an input pin's edge to the output pin's, in a guest of 1 ns an instruction, frames of 1 ms"),
    pins_row("edge", "the same, frames clocked by edges of a pin, from the clock's edge"),
]
SCALE = {"us": 1e-3, "ns": 1, "ms": 1, "MiB": 1, "B": 1, "%": 1, "jobs": 1, "frames": 1}


def spread(figure):
    """Median, least and greatest, of a figure with or without them."""
    return figure if isinstance(figure, dict) else {"median": figure, "min": figure, "max": figure}


def taken(row, results, host):
    """What the results have of a row; None: nothing."""
    for answer in results:
        if all(answer.get(key) == value for key, value in row["match"].items()) and row["ours"] in answer:
            machine = answer.get("machine", {})
            found = {"ours": spread(answer[row["ours"]]), "commit": (host.get("commit") or "")[:8], "date": host["date"][:10],
                     "cpu": host["cpu"], "cpus": host["cpus"], "kernel": host["kernel"], "preempt": host["preempt"],
                     "load": machine.get("load")}
            found["least"] = spread(answer[row["least"]]) if row["least"] else None
            if "peer" in row:  # of the same run; none where it was not installed
                name, key = row["peer"]
                if key in answer:
                    figure = spread(answer[key])["median"] * SCALE[row["unit"]]
                    found["peer"] = {"name": name, "figure": figure if isinstance(figure, int) else float(f"{figure:.4g}")}
                elif not row.get("keeps_peer"):  # that of another run stays, and is said to be measured apart
                    found["peer"] = None
                else:
                    found["peer_apart"] = True
            return found
    return None


def update(figures, results):
    for row in ROWS:
        if (found := taken(row, results["results"], results["host"])) is not None:
            old = figures["rows"].setdefault(row["key"], {})
            if found.pop("peer_apart", False) and old.get("peer"):
                old["peer"]["apart"] = True
            old.update(found)
    return figures


def digits(value):
    """Three digits, or the whole number where that has more."""
    return f"{value:.3g}" if value < 999.5 else f"{value:.0f}"


def shown(figure, unit):
    middle, low, high = (digits(figure[name] * SCALE[unit]) for name in ("median", "min", "max"))
    return f"{middle} {unit}" if low == high else f"{middle} {unit} ({low} .. {high})"


def ratio(figure, other):
    if not other:
        return ""
    times = figure["median"] / other
    return f"{times:.2f}" if times >= 0.1 else f"{times:.2g}"


def peer_text(peer, unit):
    """Of a peer that was measured apart, in another run, no ratio says anything."""
    return f"{peer['figure']} {unit}{', apart' if peer.get('apart') else ''}" if peer else ""


def machine(row):
    kernel = ".".join(row["kernel"].split("-")[0].split(".")[:2])
    preempt = "no preemption" if row["preempt"] == "none" else row["preempt"]
    load = f", load {round(row['load'])}" if row.get("load") is not None else ""
    return f"{row['cpu']}, {row['cpus']} CPUs, Linux {kernel} ({preempt}){load}"


def page(figures):
    lines = ["# Benchmarks", "", figures["about"].strip(), "",
             "| | tactus | peer | x peer | least | x least | measured | by |", "|---|---|---|---|---|---|---|---|"]
    machines = []
    for row in ROWS:
        found = figures["rows"].get(row["key"])
        if not found or "ours" not in found:
            continue
        where = machine(found)
        if where not in machines:
            machines.append(where)
        unit, peer, least = row["unit"], found.get("peer"), found.get("least")
        lines.append(" | ".join([
            f"| {row['title']}", shown(found["ours"], unit), peer_text(peer, unit),
            ratio(found["ours"], peer["figure"] / SCALE[unit]) if peer and not peer.get("apart") else "",
            shown(least, unit) if least else "",
            ratio(found["ours"], least["median"]) if least else "",
            f"{found['commit']}, {found['date']}, machine {machines.index(where) + 1}",
            f"`scripts/benchmark {row['program'].removeprefix('benchmark_')}`"]) + " |")
    lines += ["", "Medians, in brackets the least and the greatest round.", ""]
    lines += [f"{number}. {where}" for number, where in enumerate(machines, 1)]
    lines += [""] + figures["notes"]
    return "\n".join(lines) + "\n"


def main():
    arguments = argparse.ArgumentParser(description="Makes docs/benchmarks.md.")
    arguments.add_argument("--docs", required=True, type=pathlib.Path, help="the folder docs")
    arguments.add_argument("--results", type=pathlib.Path, help="what scripts/benchmark wrote; none: the page alone is made")
    arguments.add_argument("--check", action="store_true", help="exit status 1 if the page is not what would be made")
    options = arguments.parse_args()
    source, made = options.docs / "benchmarks.json", options.docs / "benchmarks.md"
    figures = json.loads(source.read_text())
    if options.results:
        try:
            update(figures, json.loads(options.results.read_text()))
        except (OSError, ValueError, KeyError) as error:
            print(f"{options.results} has no results: {error}; run scripts/benchmark first", file=sys.stderr)
            return 2
    text = page(figures)
    if options.check:
        if made.read_text() == text:
            return 0
        print(f"{made} is not what docs/benchmarks.json says; run scripts/benchmark --page", file=sys.stderr)
        return 1
    source.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
    made.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
