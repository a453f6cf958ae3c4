# SPDX-License-Identifier: Apache-2.0
"""A control port without a rig, for what a rig does seldom: floods, gaps, ten thousand variables, routes that are not there.

    fake_port.py PAGE [PORT]        serves the page and a rig that runs by itself, until Ctrl-C

Its frames go on when a test says so (`advance`),
  or by themselves (`run_by_itself`). Values are functions of the frame.
"""
import http.server
import json
import math
import re
import pathlib
import struct
import sys
import threading
import time

POLICY = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript"}
COMMANDS = ("pause", "resume", "step", "run_until", "reset", "stop", "checkpoint", "load")
KINDS = {"head": 1, "rows": 2, "gap": 3, "beat": 4, "end": 5}
CONTROLS = ("controller.speed_limit", "controller.current_limit")


class Refusal:
    def __init__(self, status, problem):
        self.status, self.problem = status, problem


def block(kind, rows=0, frame=0, missing=0, payload=b""):
    payload += bytes(-len(payload) % 8)
    return struct.pack("<4sIIIqq", b"TSB1", 32 + len(payload), KINDS[kind], rows, frame, missing) + payload


def histogram(values):
    """As /v1/timing has one: buckets of an eighth of an octave."""
    values = sorted(values)
    counts = {}
    for value in values:
        edge = 0 if value < 1 else int(math.floor(8 * math.log2(value)))
        counts[edge] = counts.get(edge, 0) + 1
    at = lambda share: values[min(len(values) - 1, int(share * len(values)))]  # noqa: E731
    return {"count": len(values), "min_ns": values[0], "p50_ns": at(0.5), "p99_ns": at(0.99), "p99_9_ns": at(0.999),
            "max_ns": values[-1],
            "buckets": [[int(2 ** (edge / 8)), int(2 ** ((edge + 1) / 8)) + 1, count] for edge,
                        count in sorted(counts.items())]}


# Buckets as rtsync::Histogram<3> has them.
def bucket_of(value):
    shift = max(0, value.bit_length() - 4)
    return (shift << 3) + (value >> shift)


def lower_edge(bucket):
    if bucket < 16:
        return bucket
    shift = (bucket >> 3) - 1
    return (bucket - (shift << 3)) << shift


def slack_histogram(values, period):
    """As /v1/timing may have the slack: by the distance from zero, or from the period; from the middle to both ends."""
    values, half = sorted(values), period // 2
    parts = [{}, {}, {}, {}]
    for value in values:
        part, size = ((0, -value) if value < 0 else (3, value) if value > period else (1, value) if value < half
                      else (2, period - value))
        parts[part][bucket_of(size)] = parts[part].get(bucket_of(size), 0) + 1
    buckets = []
    for part, counts in enumerate(parts):
        for bucket, count in sorted(counts.items()):
            low, high = lower_edge(bucket), lower_edge(bucket + 1)
            buckets.append([*((1 - high, 1 - low), (low, min(high, half)), (max(period - high + 1, half), period - low
                                                                         + 1), (max(low, period + 1), high))[part], count])
    at = lambda share: values[min(len(values) - 1, max(0, math.ceil(share * len(values)) - 1))]  # noqa: E731
    return {"count": len(values), "min_ns": values[0], "p50_ns": at(0.5), "p99_ns": at(0.99), "p99_9_ns": at(0.999),
            "max_ns": values[-1], "buckets": buckets}


class Rig:
    def __init__(self, variables=40, token=None, outputs=True):
        self.lock = threading.Condition()
        self.token = token
        self.run = "run 1"
        self.frame = 999
        self.state = "StepEnd"
        self.spikes = {}       # frame -> value of motor.speed
        self.lates = {}        # frame -> lateness in ns
        self.set = {}
        self.forced = {}
        self.entries = {"overruns": [], "journal": [], "log": [], "verdict": [], "switch": []}
        self.switches = []     # of /v1/switches
        self.verdicts = {"test": None, "expectations": []}  # of /v1/verdicts
        self.missing = {}      # path -> (status, error)
        self.cut = False
        self.gaps = []         # (block to be sent before the next rows, frame of these)
        self.commands = []     # what was given
        self.panels = {}
        self.panels_tag = 1
        self.link = {"linked": False}
        self.external = None   # the external clock
        self.found = {}        # name of a fact of the machine -> what was found
        self.checkpoints = []  # names
        self.outputs = outputs
        self.realtime = True
        self.period = "1 ms"
        self.requests = []     # paths that were asked for
        self.muted = set()     # paths that are not answered while they stand here
        self.prefix = ""       # the folder below which a proxy has all
        self.times = {}        # frame -> (lateness, execution time, slack, housekeeping) in ns, of a rig whose frames were written down
        self.totals = {}       # what it counts, where that is more than its lists have
        self.traces = {}       # frame -> trace file in the run folder, of frames that the flight recorder holds no more
        self.variables = [self.variable("rt.frame", "int64", "", "state", "read_only", "the executive", "executive"),
                          *(self.variable(f"rt.{n}", "int64", "ns", "state", "read_only", "the executive", "executive")
                            for n in ("late", "work", "slack", "behind")),
                          self.variable("motor.speed", "double", "rad/s", "output", "force_only", "motor", "model",
                                        about="speed of the shaft"),
                          self.variable("motor.current", "double", "A", "output", "force_only", "motor", "model"),
                          self.variable("motor.on", "bool", "1", "input", "full", "the rig file", "parameter"),
                          *(self.variable(n, "double", "A", "parameter", "full", "the rig file", "parameter",
                                          range={"low": 0, "high": 10}) for n in CONTROLS),
                          self.variable("gate.drive_en", "bool", "1", "input", "full", "the rig file", "parameter",
                                        drives=["gate.drive_en: line 17"])]
        self.variables += [self.variable(f"many.v{i}", "double", "V", "output", "full", "many", "model")
                           for i in range(variables)]
        self.by_name = {v["name"]: v for v in self.variables}

    def variable(self, name, kind, unit, role, rights, who, what, about="", drives=(), **more):
        return {"name": name, "type": kind, "count": 0, "columns": 0, "unit": unit, "role": role, "about": about,
                "labels": {}, "range": {},
                "rights": rights, "reason": "" if rights == "full" else "is written in every frame",
                "written_by": {"what": what, "who": who, "frame": None},
                "drives": list(drives), **more}

    # ---- What it has ----

    def value(self, name, frame=None):
        frame = self.frame if frame is None else frame
        if name in self.forced:
            return self.forced[name]["value"]
        if name in self.set:
            return self.set[name]
        if name == "rt.frame":
            return frame
        if frame in self.times and name in ("rt.late", "rt.work", "rt.slack", "rt.behind"):
            return self.times[frame][("rt.late", "rt.work", "rt.slack", "rt.behind").index(name)]
        if name == "rt.late":
            return self.lates.get(frame, 8 + frame % 7)
        if name == "rt.work":
            return 1800 + frame % 97 * 10
        if name == "rt.behind":
            return 2_000 + frame % 7 * 100
        if name == "rt.slack":
            return 1_000_000 - self.value("rt.late", frame) - self.value("rt.work", frame)
        if name == "motor.speed":
            return self.spikes.get(frame, 100 * math.sin(frame / 200))
        if name == "motor.current":
            return math.cos(frame / 200)
        if " " in name:  # an expression: of products and sums of numbers
            return float(eval(re.sub(r"[a-z]+\.[a-z]+", lambda found: repr(self.value(found[0], frame)), name)))
        return {"motor.on": True, "gate.drive_en": True}.get(name, 5.0)

    def facts(self):
        return {"rig": "fake", "version": "0.1.0", "folder": "/runs/fake", "file": "fake.yaml", "run": self.run,
                "period": {"num_ns": 1000000, "den": 1, "text": self.period},
                "epoch": "2005-02-15T00:00:00+00:00", "realtime": self.realtime, "linked": False,
                "planned_frames": 600000, "state": self.state}

    def state_now(self):
        paused = self.state == "Pause"
        allowed = dict.fromkeys(COMMANDS, "")
        for name, when in (("resume", paused), ("step", paused), ("load", paused), ("pause", not paused)):
            allowed[name] = "" if when else ("the rig is not in Pause" if name != "pause" else "the rig is in Pause")
        outputs = [{"name": "gate.drive_en: line 17", "driver": "gpio-out", "model": "gate",
                    "variable": "gate.drive_en", "sources": [],
                    "value": self.value("gate.drive_en"), "safe": False}] if self.outputs else []
        return {"state": self.state, "frame": self.frame, "frames": self.frame + 1,
                "sim_time_ns": self.frame * 1_000_000, "date": "2005-02-15T00:00:01+00:00",
                "paused": paused, "forced": [{"variable": n, **f} for n, f in self.forced.items()], "allowed": allowed,
                "outputs": outputs}

    def timing(self):
        frames = sorted(self.times) or range(max(0, self.frame - 2000), self.frame + 1)
        late = [self.value("rt.late", f) for f in frames]
        work = [self.value("rt.work", f) for f in frames]
        overs = self.entries["overruns"]
        return {"frame": self.frame, "period_ns": 1000000, "paced": True, "late": histogram(late),
                "work": histogram(work),
                "behind": histogram([self.value("rt.behind", f) for f in frames if self.value("rt.behind", f) > 0]),
                "slack": slack_histogram([self.value("rt.slack", f) for f in frames], 1_000_000),
                "totals": {"frames_run": self.frame + 1, "overruns": len(overs), "overruns_by_work": 0,
                           "overruns_by_late_wake": 0, "overruns_by_housekeeping": 0,
                           "overruns_catching_up": 0, "late_wakes": 0, "late_by_housekeeping": 0, "lost": 0,
                           "longest_overrun_ns": max((e["over_ns"] for e in overs), default=0), **self.totals},
                "causes": {}, "promises_broken": {}}

    def jobs(self):
        job = lambda name, kind, p50: {"name": name, "class": kind, "thread": "main", "cycle_ns": 1000000,
                                       "optional": None, "state": "runs",  # noqa: E731
                                       "calls": self.frame + 1,
                                       "time_ns": {"p50": p50, "p99": 4 * p50, "p99_99": 9 * p50, "max": 20 * p50},
                                       "budget_ns": None, "over_budget": None, "worst_over_ns": None,
                                       "hard_budget_ns": None}
        return {"frame": self.frame, "measured": True, "jobs": [job("motor.step", "scheduled", 300),
                                                                job("controller.outer", "controller", 80)]}

    def trace(self, frame):
        first, last = frame - 3, frame + 3
        frames, jobs = [], []
        for f in range(first, last + 1):
            slot = (f - first) * 1_000_000
            wake = slot + self.value("rt.late", f)
            done = wake + self.value("rt.work", f)
            over = done - slot > 1_000_000
            frames.append({"frame": f, "slot_ns": slot, "wake_ns": wake, "done_ns": done, "late_ns": wake - slot,
                           "work_ns": done - wake,
                           "slack_ns": 1_000_000 - (done - slot), "housekeeping_ns": 400, "lost": 0, "paced": True,
                           "overrun": "late wake" if over else "",
                           "late_wake": over, "causes": [{"cause": "preempted", "of": "wake", "part": "cpu",
                                                          "job": None, "figures": []}] if over else []})
            jobs.append({"name": "motor.step", "begin_ns": wake, "end_ns": wake + 900, "waits": False})
            jobs.append({"name": "controller.outer", "begin_ns": wake + 900, "end_ns": done, "waits": False})
        slices = [{"begin_ns": 3_050_000, "end_ns": 5_000_000, "tid": 4127, "name": "python3", "priority": 90}]
        return {"frame": frame, "first": first, "last": last, "period_ns": 1000000, "rig": "fake",
                "origin": "ns since the slot of first",
                "threads": [{"name": "main", "tid": 100, "jobs": jobs}], "frames": frames, "events": [],
                "cpus": [{"cpu": 1, "slices": slices}], "faults": [], "lost": 0}

    # ---- What happens ----

    def change(self, act):
        with self.lock:
            act()
            self.lock.notify_all()

    def advance(self, frames=1):
        def act():
            self.frame += frames
        self.change(act)

    def leave_out(self, frames):
        """Frames that no stream brings: its readers were too slow."""
        def act():
            self.gaps.append((block("gap", 1, self.frame + 1, frames), self.frame + frames + 1))
            self.frame += frames
        self.change(act)

    def entry(self, which, **entry):
        entries = self.entries[which]
        entry = {"n": len(entries) + 1, **entry}
        if which == "overruns":
            entry = {"id": entry["n"], "sim_time_ns": entry["frame"] * 1_000_000, "late_ns": 0, "work_ns": 2000,
                     "lost": 0, "by": "late wake", "job": None, "share_ns": entry["over_ns"], "beside": None,
                     "evidence": [], "followers": 0, "cost_ns": entry["over_ns"], "caught_up": True, "text": "",
                     **entry}
        self.change(lambda: entries.append(entry))

    def note(self, what, who="127.0.0.1:1", **more):
        self.entry("journal", frame=self.frame, what=what, time="2026-11-23T02:20:00.123+00:00", who=who, **more)

    def expect(self, name, verdict="pass", final=False, margin=3.5, **more):
        """Another expectation, or what one has come to."""
        rows = self.verdicts["expectations"]
        row = next((each for each in rows if each["name"] == name), None)
        fresh = row is None
        if fresh:
            row = {"id": len(rows), "name": name, "severity": "fail", "requirement": "", "why": "", "no_value": False,
                   "frame": None, "time_s": None, "unit": "rad/s", "expects": "never motor.speed > 80 rad/s",
                   "chart": {"signals": ["motor.speed"], "reference": None, "low": None, "high": 80,
                             "limit": 80},
                   "no_margin": ""}
        says = {"pass": "holds so far", "untested": "has not been tested so far"}.get(verdict, "failed in frame 900")
        now = {**row, "verdict": verdict, "final": final, "margin": margin, "says": says, **more}

        def act():
            self.verdicts = {"ended": False, **self.verdicts, "test": "step.test", "verdict": verdict}
            rows[row["id"]:row["id"] + 1] = [now]
        self.change(act)
        if not fresh:
            self.entry("verdict", **now)

    def switch(self, kind, name, state="off", since=None, target="motor.speed"):
        """Another thing that is switched, or its state."""
        row = {"kind": kind, "name": name, "target": target, "state": state, "on": state == "on", "since": since}
        at = next((i for i, each in enumerate(self.switches) if (each["kind"], each["name"]) == (kind, name)), None)
        if at is None:
            return self.switches.append(row)
        self.switches[at] = row
        self.note(f"{kind} {state}", name=name)
        self.entry("switch", **row)

    def post_switch(self, body):
        self.commands.append(body)
        self.switch(body["kind"], body["name"], "on" if body["on"] else "off", self.frame + 1)
        return body

    def run_by_itself(self):
        def go():
            start, first = time.monotonic(), self.frame
            while not self.cut:
                time.sleep(0.02)
                if self.state == "StepEnd":
                    self.change(lambda: setattr(self, "frame", first + int((time.monotonic() - start) * 1000)))
                else:
                    start, first = time.monotonic(), self.frame
        threading.Thread(target=go, daemon=True).start()

    def post_values(self, body):
        with self.lock:
            for name, value in body.get("set", {}).items():
                self.set[name] = value
                self.by_name[name]["written_by"] = {"what": "set", "who": "127.0.0.1:1", "frame": self.frame + 1}
                self.note("set", variable=name, value=value)
            for name, value in body.get("force", {}).items():
                self.forced[name] = {"value": value, "who": "127.0.0.1:1", "frame": self.frame + 1}
                self.note("force", variable=name, value=value)
            names = body.get("release", [])
            for name in list(self.forced) if names == "all" else names:
                self.forced.pop(name, None)
                self.note("release", variable=name)
            self.lock.notify_all()
            return {"applied": True, "frame": self.frame + 1}

    def post_command(self, body):
        name = body["command"]
        with self.lock:
            self.commands.append(body)
            self.state = {"pause": "Pause", "resume": "StepEnd", "stop": "Stop"}.get(name, self.state)
            self.frame += body.get("frames", 1) if name == "step" else 0
            if name == "load":
                self.frame = 500
                self.forced.clear()
                self.gaps.append((block("gap", 3, 501), 501))
            if name == "reset":
                self.frame = 0
                self.forced.clear()
                self.gaps.append((block("gap", 3, 0), 0))
            self.note(name)
            self.lock.notify_all()
        return {"command": name, "accepted": True}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    rig = None
    page = None

    def log_message(self, *args):
        pass

    def answer(self, status, body, kind="application/json", **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Cache-Control", "no-store")
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def begin_stream(self, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()

    def query(self):
        _, _, text = self.path.partition("?")
        parts = dict(pair.split("=", 1) for pair in text.split("&") if pair)
        from urllib.parse import unquote
        return {key: unquote(value) for key, value in parts.items()}

    def do_GET(self):
        rig, path = self.rig, self.path.partition("?")[0]
        rig.requests.append(self.path)
        if not path.startswith(rig.prefix + "/"):
            return self.answer(404, {"error": f"the proxy has no {path}", "problems": []})
        path = path.removeprefix(rig.prefix)
        while path in rig.muted and not rig.cut:
            time.sleep(0.02)
        file = self.page / (path.strip("/") or "index.html")
        if not path.startswith("/v1") and file.is_file():
            return self.answer(200, file.read_bytes(), TYPES.get(file.suffix, "text/plain"),
                               Content_Security_Policy=POLICY)
        if rig.cut:
            self.close_connection = True
            return self.connection.close()
        if rig.token and self.headers.get("Authorization") != f"Bearer {rig.token}":
            return self.answer(401, {"error": "a token is needed", "problems": []})
        for missing, (status, error) in rig.missing.items():
            if path == missing:
                return self.answer(status, {"error": error, "problems": [error]})
        with rig.lock:
            made = self.resource(path, self.query())
        if made is None:
            return self.answer(404, {"error": f"there is no {path}", "problems": []})
        if isinstance(made, Refusal):
            return self.answer(made.status, {"error": made.problem, "problems": [f"names: {made.problem}"]})
        if made == "watch":
            return self.watch()
        if made == "stream":
            return self.stream(self.query())
        if path == "/v1/panels":
            return self.answer(200, made, ETag=f'"{rig.panels_tag}"')
        if isinstance(made, bytes):
            name = self.query().get("frame", "last")
            return self.answer(200, made, "application/octet-stream",
                               Content_Disposition=f'attachment; filename="trace-{name}.pftrace"')
        return self.answer(200, made)

    def resource(self, path, query):
        rig, name = self.rig, path.removeprefix("/v1").strip("/")
        if name in ("watch", "stream"):
            return name
        if name in rig.entries:
            entries, after = rig.entries[name], int(query.get("after", 0))
            behind = [e for e in entries if e["n"] > after][:1000]
            return {"entries": behind, "last": entries[-1]["n"] if entries else 0, "first": 1, "left_out": 0}
        if name == "variables":
            first = int(query.get("first", 0))
            part = rig.variables[first:first + 10000]
            return {"variables": part, "total": len(rig.variables), "next": first + 10000 if first
                    + 10000 < len(rig.variables) else None}
        if name.startswith("variables/"):
            return rig.by_name.get(name.removeprefix("variables/"))
        if name == "expressions":
            text = query["names"]
            for found in re.findall(r"[a-z]+\.[a-z]+", text):
                if found not in rig.by_name:
                    problem = f"'{text}', character {text.index(found) + 1}: there is no variable '{found}'"
                    return Refusal(400, problem)
            known = rig.by_name.get(text)
            return {"expressions": [{"name": text, "type": known["type"] if known else "double",
                                     "unit": known["unit"] if known else "rad/s^2", "past": not known}]}
        if name == "values":
            return {"frame": rig.frame, "sim_time_ns": 0, "date": "", "state": rig.state,
                    "values": {n: rig.value(n) for n in query["names"].split(",")}}
        if name == "trace":
            frame = int(query.get("frame", rig.frame - 3))
            if frame in rig.traces:
                return rig.traces[frame] if query.get("format") == "perfetto" else None
            return b"perfetto" if query.get("format") == "perfetto" else rig.trace(int(query.get("frame", rig.frame - 3)))
        fact = lambda name, grade, fix="": {"name": name, "grade": grade, "found": rig.found.get(name, f"{name} as found"), "needed": "",
                                             "why": "because", "fix": fix}  # noqa: E731
        return {"": rig.facts, "state": rig.state_now, "timing": rig.timing, "jobs": rig.jobs,
                "panels": lambda: {"file": "fake.panels.yaml", "panels": rig.panels, "problems": []},
                "clock": lambda: {"driver": "internal", "source": "", "clock": "CLOCK_MONOTONIC",
                                  "sleeper": "hybrid, margin 60 us", "realtime": True,
                                  "ratio": 1.0, "external": rig.external},
                "link": lambda: rig.link,
                "histograms": lambda: {"histograms": [
                    {"model": "car", "name": "EngineData.late", "about": "planned until taken", "unit": "s",
                     "not_measured": "vcan0 is a virtual interface", "count": 12000, "p50": 2e-5, "p99": 1.2e-4,
                     "p99_9": 2e-4, "longest": 4e-4, "limit": 0.005, "too_large": {"bus": 3, "rig": 0, "injected": 0},
                     "classes": [[2e-5, 11000], [4e-4, 1000]]}]},
                "switches": lambda: {"switches": rig.switches},
                "verdicts": lambda: {**rig.verdicts, "frame": rig.frame, "frames": rig.frame + 1},
                "checkpoints": lambda: {"folder": "/runs/fake/checkpoints", "left_out": 0, "checkpoints": [
                    {"name": name, "bytes": 4096, "written": "2026-11-23T02:20:00.123+00:00"}
                    for name in rig.checkpoints]},
                "drivers": lambda: {"drivers": [{"kind": "model", "name": "gpio-out", "for": "gate",
                                                 "about": ["line 17"]}], "outputs": []},
                "threads": lambda: {"threads": [{"name": "main", "tid": 100, "policy": "SCHED_FIFO", "priority": 80,
                                                 "cpus": "1", "role": "main", "kind": None, "skipped": 0,
                                                 "cpu_ns": rig.frame * 60000}], "refused": []},
                "doctor": lambda: {"facts": [fact("kernel preemption", "fail",
                                                  "sudo apt install linux-image-rt-amd64"),
                                                  fact("governor", "warn", "tuned"),
                                             fact("memory lock", "ok")], "counts": {"ok": 1, "warn": 1, "fail": 1},
                                             "age_ms": 10},
                }.get(name, lambda: None)()

    def do_POST(self):
        rig = self.rig
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = self.path.partition("?")[0].removeprefix(rig.prefix)
        if path in rig.missing:
            status, error = rig.missing[path]
            return self.answer(status, {"error": error, "problems": [error]})
        post = {"/v1/values": rig.post_values, "/v1/switches": rig.post_switch}.get(path, rig.post_command)
        self.answer(200, post(body))

    def do_PUT(self):
        rig = self.rig
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers.get("If-Match") != f'"{rig.panels_tag}"':
            return self.answer(412, {"error": "another was first", "problems": []}, ETag=f'"{rig.panels_tag}"')
        rig.panels, rig.panels_tag = body["panels"], rig.panels_tag + 1
        self.answer(200, {"file": "fake.panels.yaml", "panels": rig.panels}, ETag=f'"{rig.panels_tag}"')

    # ---- Streams ----

    def watch(self):
        rig = self.rig
        sent = {name: len(entries) for name, entries in rig.entries.items()}
        before, heard = None, 0.0
        self.begin_stream("text/event-stream")
        event = lambda name, data: self.chunk(f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())  # noqa: E731
        try:
            while not rig.cut:
                with rig.lock:
                    rig.lock.wait(0.05)
                    now = rig.state_now()
                    fresh = {name: entries[sent[name]:] for name, entries in rig.entries.items()}
                key = (now["state"], json.dumps(now["forced"]))
                if key != before:
                    before = key
                    event("state", now)
                for name, entries in fresh.items():
                    sent[name] += len(entries)
                    for entry in entries:
                        event({"overruns": "overrun"}.get(name, name), entry)
                if time.monotonic() - heard > 0.5:
                    heard = time.monotonic()
                    event("beat", {"state": now["state"], "frame": now["frame"], "age_ms": 1})
            self.connection.close()
        except OSError:
            pass

    def stream(self, query):
        rig = self.rig
        names = query["names"].split(",")
        columns = [{"name": n, "type": "double", "unit": "", "format": "f32"} for n in names]
        head = json.dumps({"columns": columns, "period": {"num_ns": 1000000, "den": 1}, "realtime": True,
                           "blocks_per_second": 20}).encode()
        # Older frames are not kept; a page that has no frame yet asks for all that there are.
        next_frame = max(int(query.get("from", rig.frame + 1)), rig.frame - 25_000)
        heard, seen = 0.0, len(rig.gaps)
        self.begin_stream("application/octet-stream")
        try:
            self.chunk(block("head", len(head), next_frame, payload=head))
            while not rig.cut:
                with rig.lock:
                    rig.lock.wait(0.05)
                    last, gaps = rig.frame, rig.gaps[seen:]
                    seen = len(rig.gaps)
                    out = b""
                    for gap, behind in gaps:
                        out, next_frame = out + gap, behind
                    while next_frame <= last:
                        rows = min(last - next_frame + 1, 2000)
                        payload = b"".join((lambda raw: raw
                                            + bytes(-len(raw) % 8))(struct.pack(f"<{rows}f",
                                                                                *(rig.value(n, f)
                                                                                  for f in range(next_frame, next_frame + rows))))
                                           for n in names)
                        out += block("rows", rows, next_frame, payload=payload)
                        next_frame += rows
                if out:
                    self.chunk(out)
                if time.monotonic() - heard > 0.5:
                    heard = time.monotonic()
                    self.chunk(block("beat", 1 if rig.state == "Pause" else 0, last))
            self.connection.close()
        except OSError:
            pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a browser that has gone


def serve(rig, page, port=0):
    handler = type("Bound", (Handler,), {"rig": rig, "page": pathlib.Path(page)})
    server = Server(("127.0.0.1", port), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"


if __name__ == "__main__":
    fake = Rig(variables=int(sys.argv[3]) if len(sys.argv) > 3 else 40)
    _, address = serve(fake, sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    fake.lates[33000] = 2_170_000
    fake.frame = 33500
    fake.entry("overruns", frame=33000, over_ns=1_170_000, cause="preempted", who="python3 4127", text="python3 ran",
               evidence=[{"figure": "woken after its slot", "value": 2170000, "unit": "ns", "usual": 17}])
    fake.entry("log", time="2026-11-23T02:20:00.123+00:00", level="warning", text="1 overrun in frame 33000")
    fake.run_by_itself()
    print(address, flush=True)
    threading.Event().wait()
