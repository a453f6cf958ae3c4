# SPDX-License-Identifier: Apache-2.0
"""Says which rows of docs/benchmarks.md cost more than in the nights before, on the same machine.

The history is {machine: {row: [[commit, date, median, load], ...]}}, the last KEPT nights of each row: what another machine
took says nothing about this one.
"""
import json
import statistics

import benchmark_page

KEPT = 30
LEAST_NIGHTS = 5  # before anything is said about a row
WORSE = 0.05
SPREAD = 3  # median deviations of the nights that belong to their spread
SMALLEST = {"%": 1, "frames": 1, "jobs": 1}  # of figures that may be 0, a change that is worth a line


def measured(results):
    """(machine, {row: [commit, date, median, load]}) of a file that scripts/benchmark wrote."""
    machine, figures = None, {}
    for row in benchmark_page.ROWS:
        found = benchmark_page.taken(row, results["results"], results["host"])
        if found is None:
            continue
        machine = benchmark_page.machine({**found, "load": None})
        figures[row["key"]] = [found["commit"], found["date"], found["ours"]["median"], found["load"]]
    return machine, figures


def is_worse(before, now, smallest=0, more=False):
    """Whether `now` is 5 % worse than the median of `before`, and beyond what these differ by."""
    if len(before) < LEAST_NIGHTS:
        return False
    middle = statistics.median(before)
    deviation = statistics.median(abs(value - middle) for value in before)
    loss = middle - now if more else now - middle
    return loss > max(WORSE * abs(middle), SPREAD * deviation, 0) and loss >= smallest


def worse(history, machine, figures):
    """A line for each row that got worse: its title, what it takes, and what it took."""
    lines = []
    for row in benchmark_page.ROWS:
        before = [night[2] for night in history.get(machine, {}).get(row["key"], [])]
        unit, more = row["unit"], row.get("more", False)
        if row["key"] not in figures or not is_worse(before, figures[row["key"]][2], SMALLEST.get(unit, 0), more):
            continue
        now, middle = figures[row["key"]][2], statistics.median(before)
        shown = [f"{benchmark_page.digits(value * benchmark_page.SCALE[unit])} {unit}" for value in (now, middle)]
        change = f", {100 * (now / middle - 1):+.0f} %" if middle else ""
        lines.append(f"{row['title']}: {shown[0]}, median of {len(before)} nights {shown[1]}{change}")
    return lines


def appended(history, machine, figures):
    """The history with these figures; the one that was given stays as it is."""
    rows = dict(history.get(machine, {}))
    for key, night in figures.items():
        rows[key] = [*rows.get(key, []), night][-KEPT:]
    return {**history, machine: rows} if figures else dict(history)


def text_of(history):
    """The history as JSON, a line for each row: nights are compared by people, too."""
    machines = []
    for machine, rows in sorted(history.items()):
        lines = [f"  {json.dumps(key)}: {json.dumps(nights)}" for key, nights in sorted(rows.items())]
        machines.append(f" {json.dumps(machine)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(machines) + "\n}\n"
