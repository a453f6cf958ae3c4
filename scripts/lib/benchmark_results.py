# SPDX-License-Identifier: Apache-2.0
"""Runs benchmark programs one after the other and gathers the JSON objects they print, one per line.

The file it writes is {"host": {...}, "results": [{"program": ..., "question": ..., ...}]}: numbers without the
machine they were measured on are an anecdote.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys


def first_line(path, otherwise=None):
    try:
        return pathlib.Path(path).read_text().strip()
    except OSError:
        return otherwise


def cpu_model():
    for line in first_line("/proc/cpuinfo", "").splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "Model"):
            return value.strip()
    return platform.machine()


def commit(source):
    """The commit, with -dirty behind it when the tree holds more than the commit."""
    git = ["git", "-c", "safe.directory=*", "-C", source, "describe", "--always", "--abbrev=40", "--dirty",
           "--exclude=*"]
    try:
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def host(source):
    version = platform.version()
    preempt = next((word for word in ("PREEMPT_RT", "PREEMPT_DYNAMIC", "PREEMPT") if word in version), "none")
    return {
        "kernel": platform.release(),
        "preempt": preempt,
        "cpu": cpu_model(),
        "cpus": len(os.sched_getaffinity(0)),
        "isolated": first_line("/sys/devices/system/cpu/isolated", ""),
        "governor": first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        "commit": commit(source),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
    }


def readable(key, value):
    if value is None:
        return "-"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if key.endswith("_ns"):
        for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
            if abs(value) >= size:
                return f"{value / size:.4g} {unit}"
        return f"{value:.4g} ns"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def table(result):
    """One line per figure; a group of figures (percentiles) shares its line."""
    rows = []
    for key, value in result.items():
        if key in ("program", "question", "rig", "host", "machine"):
            continue
        if isinstance(value, dict):
            text = "  ".join(f"{name} {readable(key if key.endswith('_ns') else name, figure)}"
                             for name, figure in value.items())
        elif isinstance(value, list):
            text = "  ".join(readable(key, figure) if not isinstance(figure, (dict, list)) else json.dumps(figure)
                             for figure in value)
        else:
            text = readable(key, value)
        rows.append((key.removesuffix("_ns"), text))
    width = max((len(name) for name, _ in rows), default=0)
    return "\n".join(f"    {name:<{width}}  {text}" for name, text in rows)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--source", required=True)
    arguments.add_argument("--out", required=True)
    arguments.add_argument("programs", nargs="+")
    options = arguments.parse_args()

    here = host(options.source)
    results, complaints = [], []
    print(f"{here['cpu']}, {here['cpus']} CPUs, kernel {here['kernel']} ({here['preempt']})", flush=True)
    for program in options.programs:
        name = os.path.basename(program)
        print(f"tactus: running {name}", file=sys.stderr, flush=True)
        before = len(results)
        with subprocess.Popen([program], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as run:
            for line in run.stdout:
                if not line.strip():
                    continue
                try:
                    answer = json.loads(line)
                    if not isinstance(answer, dict) or "question" not in answer:
                        raise ValueError
                except ValueError:
                    complaints.append(f"{name} printed what is not a JSON object with a question: {line.strip()[:200]}")
                    continue
                results.append({"program": name, **answer})
                print(f"\n{answer['question']}   [{name}]\n{table(answer)}", flush=True)
        if run.returncode != 0:
            complaints.append(f"{name} ended with status {run.returncode}")
        elif len(results) == before:
            complaints.append(f"{name} answered nothing")

    out = pathlib.Path(options.out)
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps({"host": here, "results": results}, indent=1) + "\n")
    print()
    for complaint in complaints:
        print(f"failed: {complaint}")
    print(f"{len(results)} answers in {out}", flush=True)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
