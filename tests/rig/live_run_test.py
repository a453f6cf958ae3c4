# SPDX-License-Identifier: Apache-2.0
"""A rig that runs, driven from outside by scripts/tactus_client.py: what it is told shows in what it leaves.

    live_run_test.py --source CHECKOUT --tactus PROGRAM
"""
import argparse
import csv
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True, type=pathlib.Path)
parser.add_argument("--tactus", required=True)
parser.add_argument("--sanitized", action="store_true", help="its shadow memory cannot be locked")
args, sys.argv[1:] = parser.parse_known_args()
SCRIPTS = args.source.resolve() / "scripts"
RIGS = args.source.resolve() / "config" / "rigs"
sys.dont_write_bytecode = True
sys.path.insert(0, str(SCRIPTS))

from tactus_client import Rig, RigError, date_after  # noqa: E402  (the path to it is made above)

PATIENCE = 180  # s: for what happens at once on a machine that is not busy
# No lateness of the machine ends the run, refuses a request, or is written out as a trace.
SETTINGS = {"realtime.max_overrun": "9e9 s", "realtime.max_consecutive_overruns": "100000000 frames",
            "threads.stuck_after": "2 min", "live.http.answer_timeout": "2 min", "flight_recorder.traces": "0"}
if args.sanitized:
    SETTINGS |= {"memory.lock": "no", "memory.heap": "0 B"}


class Running(unittest.TestCase):
    """A rig that is started, and ended whatever happens."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tactus-live-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.address = f"unix:{self.folder}/rig.sock"

    def start(self, name, *arguments, token=None, **settings):
        """The rig config/rigs/<name>.yaml; nothing ends it but the test."""
        command = [args.tactus, "run", RIGS / f"{name}.yaml", "--live", self.address, "--out", self.out]
        for key, value in {**SETTINGS, "until": "1 h", **settings}.items():
            command += ["--set", f"{key}={value}"]
        with open(self.folder / "said.txt", "wb") as said:
            self.tactus = subprocess.Popen([*command, *arguments], stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        self.addCleanup(self.kill)
        if self.address.endswith(":0"):  # the log knows which one it became
            log = self.out / "log.txt"
            self.wait_until(lambda: log.exists() and "listens on http" in log.read_text())
            self.address = re.search(r"listens on (http://\S+)", log.read_text())[1]
        rig = Rig(self.address, token=token, timeout=PATIENCE)
        try:
            rig.wait_until_ready(PATIENCE, gone=self.tactus.poll)
        except RigError as error:
            self.fail(f"{error}\n{self.said()}")
        return rig

    def kill(self):
        if self.tactus.poll() is None:
            self.tactus.kill()
        self.tactus.wait()

    def said(self):
        return (self.folder / "said.txt").read_text(errors="replace")

    def expect_end(self, status=0, outcome="stopped"):
        self.assertEqual(self.tactus.wait(PATIENCE), status, self.said())
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertEqual(summary["outcome"], outcome, summary["reason"])
        return summary

    def recorded(self, column):
        """One column of motion.csv, a number for each frame."""
        with open(self.out / "motion.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))
        index = [name.split(" ")[0] for name in rows[0]].index(column)
        return [float(row[index]) for row in rows[1:]]

    def wait_until(self, true):
        until = time.monotonic() + PATIENCE
        while not true():
            self.assertLess(time.monotonic(), until, f"it did not happen\n{self.said()}")
            time.sleep(0.02)

    def fails(self, call, *pieces):
        with self.assertRaises(RigError) as caught:
            call()
        for piece in pieces:
            self.assertIn(piece, str(caught.exception))
        self.assertIsNotNone(caught.exception.status)

    def client(self, *words, status=0, **options):
        done = subprocess.run([sys.executable, "-B", SCRIPTS / "tactus_client.py", self.address, *words],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE, **options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout


class TheExample(Running):
    def episodes(self, *arguments, status=0, out="out"):
        done = subprocess.run([sys.executable, "-B", SCRIPTS / "episodes", "--tactus", args.tactus, "--out",
                               self.folder / out, *arguments], capture_output=True, text=True, cwd=self.folder,
                              stdin=subprocess.DEVNULL, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def test_a_hundred_episodes_close_a_loop_that_settles(self):
        self.assertIn("the loop settled", self.episodes())
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertEqual((summary["outcome"], summary["frames"]["run"]), ("stopped", 2001))
        angles, load = self.recorded("encoder.angle"), self.recorded("motor.load_torque")
        self.assertEqual(len(angles), 2001)
        self.assertLess(abs(angles[2000] - 40), 0.01)  # 20 rad/s for 2 s
        self.assertEqual(load, [0.0] * 990 + [0.05] * 1011)  # in the middle of episode 50

    def test_without_the_supervisor_it_does_not_settle(self):
        self.assertIn("did not settle: at most 0.2", self.episodes("--open-loop", status=1))

    def test_real_time_changes_no_number(self):
        self.episodes("--episodes", "40")
        fast = (self.out / "motion.csv").read_bytes()
        self.episodes("--episodes", "40", "--realtime", "--rig", self.patient_rig(), out="real")
        self.assertEqual((self.folder / "real" / "motion.csv").read_bytes(), fast)
        self.assertEqual(fast.count(b"\n"), 1 + 801)

    def patient_rig(self):
        text = (RIGS / "supervised.yaml").read_text()
        text = text.replace("max_consecutive_overruns: 10000", "max_consecutive_overruns: 100000000 frames")
        text = text.replace("\nthreads:\n", "\nthreads:\n  stuck_after: 30 s\n")
        if args.sanitized:
            text = text.replace("memory: { lock: yes, heap: 1 MiB }", "memory: { lock: no, heap: 0 B }")
        (self.folder / "patient.yaml").write_text(text)
        return self.folder / "patient.yaml"


class Variables(Running):
    def test_a_set_shows_from_its_frame_on(self):
        rig = self.start("supervised", "--paused", **{"live.http.answer_timeout": "200 ms"})
        self.assertEqual(rig.set({"motor.load_torque": 0.02}, frame=50), (False, 50))  # it waits for its frame
        end = rig.run_open(rig.date_of(20), outputs=[("motor", "load_torque")])
        self.assertEqual((end.frame, end["motor", "load_torque"]), (20, 0))
        end = rig.run_open(rig.date_of(100), inputs=[("controller", "position_reference", 1.0, rig.date_of(70))],
                           outputs=[("motor", "load_torque", rig.date_of(49)), ("motor", "load_torque"),
                                    ("motor", "load_torque", rig.date_of(50))])
        self.assertEqual(list(end.outputs.values()), [0, 0.02, 0.02])
        rig.stop()
        self.assertEqual(self.expect_end()["frames"]["run"], 101)
        self.assertEqual(self.recorded("motor.load_torque"), [0] * 50 + [0.02] * 51)
        self.assertEqual(self.recorded("controller.position_reference"), [0] * 70 + [1] * 31)

    def test_a_force_holds_against_the_wire_until_it_is_released(self):
        rig = self.start("servo")
        names = "controller.angle", "encoder.angle", "controller.position_reference", "controller.position_error"
        self.assertEqual(rig.describe("controller.angle")["rights"], "force_only")
        self.fails(lambda: rig.set({"controller.angle": 1}), "encoder.angle", "force it instead")
        frame = rig.force({"controller.angle": 0.25}).frame
        fed = set()
        for _ in range(50):
            now = rig.get(*names)
            self.assertGreaterEqual(now.frame, frame)
            self.assertEqual(now["controller.angle"], 0.25)  # and that is what its jobs have seen:
            self.assertEqual(now["controller.position_error"], now["controller.position_reference"] - 0.25)
            fed.add(now["encoder.angle"])
        self.assertGreater(len(fed), 1)  # the wire had something else to bring
        frame = rig.release("controller.angle").frame
        now = rig.get(*names)
        self.assertGreaterEqual(now.frame, frame)
        self.assertEqual(now["controller.angle"], now["encoder.angle"])
        rig.stop()
        self.expect_end()

    def test_groups_are_of_one_frame(self):
        rig = self.start("servo", "--set", "models.trajectory.parameters.dwell=0 s")
        seen = set()
        for _ in range(300 if args.sanitized else 1000):
            now = rig.get("controller.position_error", "controller.angle", "controller.position_reference",
                          "trajectory.position", "encoder.angle")
            # Each changes in nearly every frame, and in one frame they hang together exactly.
            self.assertEqual(now["controller.position_error"],
                             now["controller.position_reference"] - now["controller.angle"])
            self.assertEqual(now["controller.position_reference"], now["trajectory.position"])
            self.assertEqual(now["controller.angle"], now["encoder.angle"])
            self.assertEqual(now.sim_time_ns, now.frame * 1_000_000)
            seen.add((now.frame, now["trajectory.position"]))
        self.assertGreater(len({position for _, position in seen}), 100)
        rig.stop()
        self.expect_end()

    def test_what_is_wrong_is_said_all_at_once_and_changes_nothing(self):
        rig = self.start("supervised", "--paused")
        self.fails(lambda: rig.get("motor.sped", "encoder.angle", "nobody.here"), "motor.sped", "nobody.here")
        self.fails(lambda: rig.set({"motor.load_torque": True, "motor.sped": 1}), "motor.load_torque", "motor.sped")
        self.fails(lambda: rig.run_open("2005-02-14T00:00:00+00:00", inputs=[("motor", "load_torque", "x")],
                                        outputs=[("motor", "sped"), ("motor", "speed", date_after(rig.date_of(0), -1_000_000))]),
                   "2005-02-14", "in[0]", "out[0]", "out[1]")
        self.assertIsNone(rig.state()["frame"], "before the first frame there is none")
        self.assertIsNone(rig.get("motor.speed").frame)
        rig.stop()
        self.assertEqual(self.expect_end()["frames"]["run"], 0)

    def test_a_watch_sees_frames_go_by_until_the_end(self):
        rig = self.start("servo")
        kinds, frames, last = set(), [], None
        for event in rig.watch(["motor.angle"], every="5ms", silence=PATIENCE):
            kinds.add(event.kind)
            last = event
            if event.kind == "values":
                frames.append(event.data.frame)
                if len(frames) == 20:
                    rig.stop()
        self.assertGreaterEqual(len(frames), 20)
        self.assertEqual(frames, sorted(set(frames)))
        self.assertEqual(last.kind, "end")
        self.expect_end()


class ForAPage(Running):
    """What a page reads of a rig that runs."""

    def pid_of_the_rig(self):
        """The program is its witness, or, where that has ended, the rig itself."""
        children = pathlib.Path(f"/proc/{self.tactus.pid}/task/{self.tactus.pid}/children").read_text().split()
        return int(children[0]) if children else self.tactus.pid

    def test_a_stream_has_every_frame_as_it_was_recorded(self):
        rig = self.start("servo", "--paused")
        stream = rig.frames(["rt.frame", "encoder.angle"], silence=PATIENCE)
        rig.resume()
        angles, following = {}, None
        for block in stream:
            self.assertEqual(block.missing, 0, "this reader is quick enough")
            numbers = block.columns["rt.frame"]
            self.assertEqual(list(numbers), list(range(block.first, block.first + len(numbers))))
            self.assertIn(following, (None, block.first))
            following = block.first + len(numbers)
            angles.update(zip(range(block.first, following), block.columns["encoder.angle"]))
            if len(angles) >= 1500 and rig.state()["state"] != "Stop":
                rig.stop()
                break
        self.assertEqual(min(angles), 0)
        for _ in stream:
            pass  # to its end
        self.expect_end()
        recorded = self.recorded("encoder.angle")  # sampled once in a frame
        self.assertEqual([recorded[frame] for frame in sorted(angles)], [angles[frame] for frame in sorted(angles)])

    def test_who_does_not_read_finds_a_gap_and_the_rig_goes_on(self):
        rig = self.start("servo", **{"frame.period": "0.5 ms"})
        stream = rig.frames(["motor.angle", "motor.speed", "motor.current"], silence=PATIENCE)
        first = next(stream)
        begun = rig.get("rt.frame").frame
        self.wait_until(lambda: rig.get("rt.frame").frame > begun + 16_000)  # more than ring and sockets hold
        following, missing = first.first + len(first.columns["motor.angle"]), 0
        for block in stream:
            self.assertEqual(block.first, following)
            following += block.missing + len(block.columns.get("motor.angle", ()))
            missing += block.missing
            if block.missing:
                self.assertEqual(block.why, "slow reader")
            if missing and block.columns:
                break
        self.assertGreater(missing, 0)
        rig.stop()
        self.expect_end()

    def test_a_stream_may_begin_with_a_frame_to_come_or_a_past_one(self):
        rig = self.start("servo")
        self.wait_until(lambda: rig.get("rt.frame").frame > 50)
        past = next(rig.frames("motor.speed", start=3, silence=PATIENCE))
        self.assertEqual((past.first, past.why), (3, "not kept"))
        self.assertGreater(past.missing, 40)
        wanted = rig.get("rt.frame").frame + 300
        self.assertEqual(next(rig.frames("motor.speed", start=wanted, silence=PATIENCE)).first, wanted)
        self.fails(lambda: rig.frames("motor.speed", start=10 ** 15), "is never run")
        rig.stop()
        self.expect_end()

    def test_an_overrun_is_told_with_its_cause_and_leads_to_its_frames(self):
        rig = self.start("servo")
        self.wait_until(lambda: rig.get("rt.frame").frame > 500)
        watch = rig.watch("rt.frame", every="1s", silence=PATIENCE)
        self.assertEqual(next(watch).kind, "state")
        child = self.pid_of_the_rig()
        os.kill(child, signal.SIGSTOP)
        time.sleep(0.05)
        os.kill(child, signal.SIGCONT)
        told = next(event.data for event in watch if event.kind == "overrun" and event.data["over_ns"] > 20_000_000)
        self.wait_until(lambda: any(each["id"] == told["id"] and each["caught_up"] for each in rig.entries("overruns")))
        entry = next(each for each in rig.entries("overruns") if each["id"] == told["id"])
        self.assertGreater(entry["followers"], 0)
        self.assertGreaterEqual(entry["cost_ns"], entry["over_ns"])
        self.assertTrue(entry["text"].startswith(entry["cause"]), entry)
        self.assertEqual(entry["evidence"][0]["figure"], "took")
        trace = rig.trace(entry["frame"], before=2, after=2)
        self.assertEqual([each["frame"] for each in trace["frames"]],
                         list(range(entry["frame"] - 2, entry["frame"] + 3)))
        self.assertNotEqual(trace["frames"][2]["overrun"], "")
        self.assertEqual(-trace["frames"][2]["slack_ns"], entry["over_ns"])
        self.assertIn("motor.step", [job["name"] for job in trace["threads"][0]["jobs"]])
        rig.stop()
        self.expect_end()

    def test_two_clients_see_the_same_forces_and_the_same_journal(self):
        one, two = self.start("servo"), Rig(self.address, timeout=PATIENCE)
        watch = two.watch("rt.frame", every="10s", silence=PATIENCE)
        self.assertEqual(next(watch).data["forced"], [])
        one.force({"motor.load_torque": 0.25})
        seen = {}
        for event in watch:
            if event.kind == "journal":
                seen["journal"] = event.data
            if event.kind == "state" and event.data["forced"]:
                seen["forced"] = event.data["forced"][0]
            if len(seen) == 2:
                break
        self.assertEqual((seen["forced"]["variable"], seen["forced"]["value"]), ("motor.load_torque", 0.25))
        self.assertEqual((seen["journal"]["what"], seen["journal"]["frame"]), ("force", seen["forced"]["frame"]))
        self.assertEqual(seen["journal"]["who"], seen["forced"]["who"])
        self.assertEqual(two.variables("motor.load_torque")[0]["written_by"],
                         {"what": "force", "who": seen["forced"]["who"], "frame": seen["forced"]["frame"]})
        self.assertEqual(two.entries("journal", after=seen["journal"]["n"]), [])
        one.release("motor.load_torque")
        self.assertEqual([each["what"] for each in two.entries("journal")], ["force", "release"])
        one.stop()
        self.expect_end()

    def test_what_is_allowed_is_what_is_taken(self):
        rig = self.start("servo", "--paused")
        state = rig.wait_for("Pause", PATIENCE)
        self.assertEqual((state["allowed"]["resume"], state["allowed"]["load"]), ("", ""))
        self.assertNotEqual(state["allowed"]["pause"], "")
        rig.resume()
        self.wait_until(lambda: rig.state()["state"] != "Pause")
        allowed = rig.state()["allowed"]
        self.assertEqual((allowed["pause"], allowed["stop"]), ("", ""))
        self.assertNotEqual(allowed["resume"], "")
        self.fails(lambda: rig.load("x"), *re.split(r"Step\w+", allowed["load"]))  # a frame goes on between
        rig.stop()
        self.expect_end()

    def test_the_run_tells_of_itself(self):
        self.address = "127.0.0.1:0"
        rig = self.start("servo")
        self.wait_until(lambda: rig.get("rt.frame").frame > 300)
        timing, jobs = rig.report("timing"), rig.report("jobs")
        self.assertGreater(timing["late"]["count"], 200)
        self.assertEqual(sum(bucket[2] for bucket in timing["work"]["buckets"]), timing["work"]["count"])
        self.assertLessEqual(timing["work"]["p50_ns"], timing["work"]["max_ns"])
        self.assertIn("motor.step", [job["name"] for job in jobs["jobs"]])
        self.assertIn("main", [thread["role"] for thread in rig.report("threads")["threads"]])
        facts = {fact["name"]: fact for fact in rig.report("doctor")["facts"]}
        self.assertIn("kernel preemption", facts)
        self.assertEqual(rig.report("clock")["driver"], "internal")
        self.assertEqual(rig.report("link"), {"linked": False})
        self.assertIn("csv", [driver["name"] for driver in rig.report("drivers")["drivers"]])
        servers = [driver for driver in rig.report("drivers")["drivers"] if driver["kind"] == "live"]
        self.assertIn(re.search(r":[0-9]+", rig.address)[0], servers[0]["about"][0], "the port that it took")
        self.assertEqual(rig.report("checkpoints")["checkpoints"], [])
        rig.checkpoint("here")
        self.wait_until(lambda: [one["name"] for one in rig.report("checkpoints")["checkpoints"]] == ["here"])
        near = [bucket for bucket in timing["slack"]["buckets"] if bucket[0] >= 995_000 and bucket[1] <= 1_000_001]
        self.assertTrue(all(to - begin <= 640 for begin, to, _ in near), near)
        self.assertTrue(any("rig servo" in line["text"] for line in rig.entries("log")))
        rig.stop()
        summary = self.expect_end()
        self.assertGreaterEqual(summary["frames"]["run"], timing["totals"]["frames_run"])

    def test_panels_stand_beside_the_rig_and_nobodys_are_lost(self):
        (self.folder / "bench.yaml").write_text((RIGS / "servo.yaml").read_text())
        one = self.start(self.folder / "bench", "--paused")
        two = Rig(self.address, timeout=PATIENCE)
        empty, tag = one.panels()
        self.assertEqual(empty, {})
        desk = {"servo": [{"kind": "knob", "variable": "motor.load_torque", "at": [0, 0, 3, 3], "from": 0, "to": 0.5}]}
        newer = one.keep_panels(desk, tag)
        self.assertEqual(two.panels(), (desk, newer))
        self.assertIn("variable: \"motor.load_torque\"", (self.folder / "bench.panels.yaml").read_text())
        with self.assertRaises(RigError) as late:
            two.keep_panels({}, tag)
        self.assertEqual(late.exception.status, 412)
        self.fails(lambda: two.keep_panels({"d": [{"kind": "knob", "variable": "motor.lod_torque",
                                                   "at": [0, 0, 3, 3]}]}, newer),
                   "panels.d[0].variable", "did you mean 'motor.load_torque'?")
        self.assertEqual(one.panels(), (desk, newer))
        one.stop()
        self.expect_end()


class Orders(Running):
    def test_a_rig_does_what_it_is_told(self):
        rig = self.start("servo")
        rig.pause()
        frame = rig.wait_for("Pause", PATIENCE)["frame"]
        self.assertEqual(rig.get("motor.angle").frame, frame)
        rig.step(5)
        self.wait_until(lambda: rig.state()["frame"] == frame + 5)
        self.assertEqual(rig.wait_for("Pause", PATIENCE)["frame"], frame + 5)
        rig.run_until((frame + 25) * 1_000_000)
        self.wait_until(lambda: rig.state()["frame"] > frame + 5)
        self.assertEqual(rig.wait_for("Pause", PATIENCE)["sim_time_ns"] // 1_000_000 - frame, 24)
        rig.checkpoint()
        self.wait_until(lambda: list((self.out / "checkpoints").glob("frame-*.tck")))
        rig.resume()
        self.wait_until(lambda: rig.state()["frame"] > frame + 100)
        rig.pause()
        frame = rig.wait_for("Pause", PATIENCE)["frame"]
        rig.reset()
        self.wait_until(lambda: (rig.state()["frame"] or 0) < frame)
        rig.stop()
        summary = self.expect_end()
        self.assertEqual((summary["resets"], len(summary["checkpoints"]["written"])), (1, 1))

    def test_the_journal_tells_who_set_what(self):
        rig = self.start("supervised")
        mine = rig.set({"motor.load_torque": 0.01}).frame
        others = json.loads(self.client("set", "motor.load_torque=0.02"))["frame"]
        twice = subprocess.run([args.tactus, "set", "--rig", self.address, "motor.load_torque=1", "motor.load_torque=2"],
                               capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=PATIENCE)
        self.assertEqual((twice.returncode, "given twice" in twice.stderr), (2, True), twice.stderr)
        rig.stop()
        self.expect_end()
        lines = [json.loads(line) for line in (self.out / "journal.jsonl").read_text().splitlines()]
        sets = [line for line in lines if line["what"] == "set"]
        self.assertEqual([(line["variable"], line["value"], line["frame"]) for line in sets],
                         [("motor.load_torque", 0.01, mine), ("motor.load_torque", 0.02, others)])
        self.assertNotEqual(sets[0]["who"], sets[1]["who"])
        stops = [line for line in lines if line["what"] == "stop"]
        self.assertEqual([line["who"] for line in stops], [sets[0]["who"]])

    def test_a_token_is_asked_for(self):
        token = self.folder / "token"
        token.write_text("0123456789abcdef\n")
        token.chmod(0o600)
        rig = self.start("servo", token="0123456789abcdef", **{"live.http.token_file": f"'{token}'"})
        self.fails(Rig(self.address, token="0123456789abcdeg").stop, "token")
        self.fails(Rig(self.address, token="").stop, "TACTUS_TOKEN")
        self.client("--token-file", str(token), "get", "motor.speed")
        rig.stop()
        self.expect_end()

    def test_clients_that_die_harm_nobody(self):
        rig = self.start("servo")
        end = b" HTTP/1.1\r\nHost: localhost\r\n"
        for piece in (b"", b"POST /v1/val", b"POST /v1/values" + end + b"Content-Length: 100\r\n\r\n{",
                      b"GET /v1/values?names=motor.speed" + end + b"\r\n",
                      b"GET /v1/watch?names=motor.speed&every=1ms" + end + b"\r\n"):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(self.address[len("unix:"):])
                client.sendall(piece)
        command = [sys.executable, "-B", SCRIPTS / "tactus_client.py", self.address, "watch", "motor.speed"]
        watcher = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        watcher.stdout.readline()
        watcher.send_signal(signal.SIGKILL)
        watcher.wait()
        watcher.stdout.close()
        frame = rig.get("motor.speed").frame
        self.assertGreater(rig.get("motor.speed").frame, frame)
        rig.stop()
        self.expect_end()

    def test_an_episode_goes_on_without_the_client_that_asked_for_it(self):
        last, slower = (4000, {"realtime.ratio": "0.4x"}) if args.sanitized else (10_000, {})  # 10 s
        rig = self.start("supervised", "--paused", **slower)
        code = ("import sys; from tactus_client import Rig; rig = Rig(sys.argv[1]); "
                f"print(rig.run_open(rig.date_of({last})))")
        client = subprocess.Popen([sys.executable, "-B", "-c", code, self.address], cwd=SCRIPTS,
                                  stdin=subprocess.DEVNULL)
        self.wait_until(lambda: rig.state()["frame"] is not None)
        client.kill()
        client.wait()
        self.fails(lambda: rig.run_open(rig.date_of(last + 2000)), "episode")
        self.fails(lambda: rig.step(5), "an episode is under way")
        self.wait_until(lambda: rig.state()["frame"] == last)
        rig.wait_for("Pause", PATIENCE)
        self.assertEqual(rig.run_open(rig.date_of(last + 5)).frame, last + 5)
        rig.stop()
        self.assertEqual(self.expect_end()["frames"]["run"], last + 6)

    def test_a_stop_ends_an_episode_and_says_how(self):
        rig = self.start("supervised", "--paused")
        ends = []
        later = rig.date_of(3_000_000)
        thread = threading.Thread(target=lambda: ends.append(rig.run_open(
            inputs=[("motor", "load_torque", 0.03)],
            outputs=[("motor", "load_torque"), ("motor", "load_torque", later)])))
        thread.start()
        self.wait_until(lambda: rig.state()["frame"] is not None)
        rig.stop()
        thread.join(PATIENCE)
        self.assertEqual((ends[0].ended, ends[0].outcome), (True, "stopped"))
        self.assertEqual(ends[0].outputs, {("motor", "load_torque"): 0.03, ("motor", "load_torque", later): None})
        self.assertEqual(self.expect_end()["frames"]["run"], ends[0].frame + 1)

    def test_the_port_may_be_one_of_this_machine(self):
        self.address = "127.0.0.1:0"
        rig = self.start("servo")
        self.assertEqual(rig.facts()["rig"], "servo")
        self.client("stop")
        self.expect_end()

    def test_a_rig_that_has_ended_is_not_there(self):
        rig = self.start("servo")
        self.client("stop")
        self.expect_end()
        with self.assertRaisesRegex(RigError, "no rig listens"):
            rig.state()
        self.assertFalse((self.folder / "rig.sock").exists())


unittest.main()
