# SPDX-License-Identifier: Apache-2.0
"""scripts/tactus_client.py against a port that speaks the protocol, and against ports that do not.

    client_test.py CHECKOUT
"""
import contextlib
import io
import json
import math
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from unittest import mock

sys.dont_write_bytecode = True
SCRIPTS = pathlib.Path(sys.argv.pop(1)).resolve() / "scripts"
sys.path.insert(0, str(SCRIPTS))

from fake_rig import EPOCH, FakeRig, Handler, TcpServer  # noqa: E402  (beside this file)
from tactus_client import NoRig, Rig, RigError, Values, date_after, main, server_sent_events  # noqa: E402

os.environ.pop("TACTUS_TOKEN", None)


class WithFake(unittest.TestCase):
    unix = False

    def setUp(self):
        self.fake = FakeRig(self.unix)
        self.addCleanup(self.fake.close)
        self.rig = Rig(self.fake.address)

    def asked(self):
        """The last request: method, path, query, body."""
        return self.fake.asked[-1]

    def fails(self, call, *pieces, kind=RigError, status=None):
        """The text of the error of a call, which has all the pieces in it."""
        with self.assertRaises(kind) as caught:
            call()
        for piece in pieces:
            self.assertIn(piece, str(caught.exception))
        self.assertEqual(caught.exception.status, status)
        return caught.exception


class Localhost(unittest.TestCase):
    def test_of_ipv6_alone_is_found_by_its_name(self):
        class V6(TcpServer):
            address_family = socket.AF_INET6

        try:
            server = V6(("::1", 0), Handler)
        except OSError:
            self.skipTest("this machine has no ::1")
        self.addCleanup(server.server_close)
        server.handle_error = lambda *_: None
        thread = threading.Thread(target=server.handle_request, daemon=True)
        thread.start()
        try:
            Rig(f"http://localhost:{server.server_address[1]}").facts()
        except NoRig as error:
            self.fail(str(error))
        except RigError:
            pass  # it was reached, and this server has nothing to say


class Calls(WithFake):
    def test_facts_state_and_statistics_come_as_they_are(self):
        self.assertEqual(self.rig.facts()["rig"], "fake")
        self.assertEqual(self.rig.state()["state"], "Pause")
        self.assertEqual(self.rig.statistics()["overruns"], 1)

    def test_variables_are_listed_and_described_by_name(self):
        self.assertEqual([each["name"] for each in self.rig.variables()], list(self.fake.values))
        self.assertEqual(len(self.fake.asked), 2)  # one page was not enough
        self.assertEqual([each["name"] for each in self.rig.variables("motor.s*")], ["motor.speed"])
        self.assertEqual(self.asked()[2], {"match": "motor.s*", "first": "0"})
        self.assertEqual(self.rig.describe("motor.angle")["unit"], "rad")
        self.fails(lambda: self.rig.describe("axis.force[2]/x"), "there is no 'axis.force[2]/x'", status=404)

    def test_a_group_has_its_frame_and_its_values(self):
        now = self.rig.get("motor.speed", "axis.force")
        self.assertEqual(now, Values(6, 7, EPOCH, "Pause", {"motor.speed": 1.5, "axis.force": [1, 2]}))
        self.assertEqual(now["axis.force"], [1, 2])
        self.assertEqual(self.rig.get(["motor.speed", "axis.force"]), now)
        self.assertEqual(self.rig.get(name for name in ("motor.speed", "axis.force")), now)

    def test_numbers_that_are_none_come_as_floats(self):
        self.fake.values.update({"motor.speed": "nan", "axis.force": ["inf", "-inf", 0]})
        now = self.rig.get("motor.speed", "axis.force")
        self.assertTrue(math.isnan(now["motor.speed"]))
        self.assertEqual(now["axis.force"], [math.inf, -math.inf, 0])

    def test_changes_say_what_and_when(self):
        self.assertEqual(self.rig.set({"motor.speed": 2}), (True, 7))
        self.assertEqual(self.asked(), ("POST", "/v1/values", {}, {"set": {"motor.speed": 2}}))
        self.assertEqual(self.fake.values["motor.speed"], 2)
        self.assertEqual(self.rig.set({"motor.speed": 3}, frame=0).frame, 0)
        self.assertEqual(self.asked()[3], {"set": {"motor.speed": 3}, "frame": 0})
        self.assertEqual(self.rig.force({"motor.speed": 4}, frame=90).frame, 90)
        self.assertEqual(self.asked()[3], {"force": {"motor.speed": 4}, "frame": 90})
        self.rig.release("motor.speed", "motor.angle")
        self.assertEqual(self.asked()[3], {"release": ["motor.speed", "motor.angle"]})
        self.rig.release(["motor.speed"], frame=3)
        self.assertEqual(self.asked()[3], {"release": ["motor.speed"], "frame": 3})
        self.rig.release_all()
        self.assertEqual(self.asked()[3], {"release": "all"})
        self.rig.release_all(frame=0)
        self.assertEqual(self.asked()[3], {"release": "all", "frame": 0})
        self.rig.write(set={"a": 1}, force={"b": True}, release=["c"], frame=5)
        self.assertEqual(self.asked()[3], {"set": {"a": 1}, "force": {"b": True}, "release": ["c"], "frame": 5})

    def test_a_change_whose_frame_is_not_there_yet_is_no_error(self):
        self.fake.instead["/v1/values"] = lambda port: port.answer(202, {"applied": False, "frame": None})
        self.assertEqual(self.rig.set({"motor.speed": 2}), (False, None))

    def test_commands_are_given_by_name(self):
        for command in ("pause", "resume", "reset", "stop", "checkpoint"):
            getattr(self.rig, command)()
            self.assertEqual(self.asked(), ("POST", "/v1/commands", {}, {"command": command}))
        self.rig.step(5)
        self.assertEqual(self.asked()[3], {"command": "step", "frames": 5})
        self.rig.checkpoint("here")
        self.assertEqual(self.asked()[3], {"command": "checkpoint", "file": "here"})
        self.rig.load("here")
        self.assertEqual(self.asked()[3], {"command": "load", "file": "here"})
        self.rig.run_until("2.5s")
        self.assertEqual(self.asked()[3], {"command": "run_until", "until": "2.5s"})
        self.rig.run_until(10 ** 18)
        self.assertEqual(self.asked()[3], {"command": "run_until", "until_ns": 10 ** 18})

    def test_faults_are_switched_by_name(self):
        row = {"kind": "fault", "name": "encoder_stuck", "target": "encoder.angle", "state": "off", "on": False,
               "since": None}
        self.fake.switches = [row]
        self.assertEqual(self.rig.switches(), [row])
        for on, sent in ((True, True), ("off", False), ("on", True)):
            self.rig.switch("fault", "encoder_stuck", on)
            self.assertEqual(self.asked(), ("POST", "/v1/switches", {},
                                            {"kind": "fault", "name": "encoder_stuck", "on": sent}))

    def test_an_episode_carries_its_items_and_brings_its_outputs(self):
        later = date_after(EPOCH, 10)
        end = self.rig.run_open(EPOCH, inputs=[("motor", "speed", 9), ("motor", "angle", 1, later)],
                                outputs=[("motor", "speed"), ("motor", "speed", later)])
        self.assertEqual(self.asked()[3], {
            "stop": EPOCH, "in": [{"entity": "motor", "descriptor": "speed", "value": 9},
                                  {"entity": "motor", "descriptor": "angle", "value": 1, "date": later}],
            "out": [{"entity": "motor", "descriptor": "speed"},
                    {"entity": "motor", "descriptor": "speed", "date": later}]})
        self.assertEqual((end.frame, end.ended, end["motor", "speed"]), (20, False, 9))
        self.assertEqual(end.outputs, {("motor", "speed"): 9, ("motor", "speed", later): 9})

    def test_an_episode_without_a_stop_runs_to_the_end(self):
        self.fake.instead["/v1/episodes"] = lambda port: port.answer(200, {
            "frame": 99, "date": EPOCH, "ended": True, "outcome": "completed", "reason": "",
            "out": [{"entity": "motor", "descriptor": "speed", "date": EPOCH, "value": None}]})
        end = self.rig.run_open(outputs=[("motor", "speed")])
        self.assertEqual(self.asked()[3], {"in": [], "out": [{"entity": "motor", "descriptor": "speed"}]})
        self.assertEqual((end.ended, end.outcome, end["motor", "speed"]), (True, "completed", None))

    def test_an_episode_waits_longer_than_other_calls_unless_told(self):
        def slow(port):
            time.sleep(0.3)
            port.POST_episodes()
        self.fake.instead["/v1/episodes"] = slow
        rig = Rig(self.fake.address, timeout=0.05)
        self.assertEqual(rig.run_open(EPOCH).frame, 20)
        self.fails(lambda: rig.run_open(EPOCH, timeout=0.05), "POST /v1/episodes was not answered within 0.05 s")

    def test_items_that_are_no_items_are_refused_before_anything_is_sent(self):
        self.fails(lambda: self.rig.run_open(inputs=[("motor", "speed")]), "(entity, descriptor, value[, date])")
        self.fails(lambda: self.rig.run_open(outputs=["motor.speed"]))
        self.assertEqual(self.fake.asked, [])

    def test_frames_have_exact_dates(self):
        self.assertEqual(self.rig.date_of(0), EPOCH)
        self.assertEqual(self.rig.date_of(1), "2005-02-15T00:00:00.003333333+00:00")
        self.assertEqual(self.rig.date_of(3_000_000_000), "2005-06-10T17:46:40+00:00")

    def test_others_get_through_while_an_episode_runs(self):
        go = threading.Event()

        def until_then(port):
            go.wait(20)
            port.POST_episodes()
        self.fake.instead["/v1/episodes"] = until_then
        ends = []
        thread = threading.Thread(target=lambda: ends.append(self.rig.run_open(EPOCH)))
        thread.start()
        self.rig.pause()
        self.assertEqual(ends, [])
        go.set()
        thread.join(20)
        self.assertEqual(len(ends), 1)

    def test_a_watch_ends_with_the_run(self):
        events = list(self.rig.watch(["motor.speed", "motor.angle"], every=0.05))
        self.assertEqual(self.asked()[2], {"names": "motor.speed,motor.angle", "every": "50000000ns"})
        self.assertEqual([event.kind for event in events], ["values", "state", "end"])
        self.assertEqual((events[0].data["motor.speed"], events[0].id), (1.5, "1"))
        self.assertEqual(events[2].data, {"outcome": "stopped"})
        self.assertEqual(len(list(self.rig.watch("motor.speed"))), 3)
        self.assertEqual(self.asked()[2]["names"], "motor.speed")

    def test_a_watch_takes_what_comes_in_any_pieces(self):
        text = ('\ufeff: hello\r\n\r\nid:4\r\nevent: values\r\ndata: {"frame": 1, "sim_time_ns": 2, "date": "d",\r\n'
                'data:"state": "ü",\ndata: "values": {"a": "nan"}}\r\n\r\nevent: nothing\n\n'
                'event: end\ndata: {}\n\nevent: state\ndata: {}\n\n').encode()[3:]
        for size in (1, 2, 3, 7, len(text)):
            pieces = [text[at:at + size] for at in range(0, len(text), size)]
            self.fake.instead["/v1/watch"] = lambda port: port.events(*pieces, whole=False)
            first, last = self.rig.watch(["a"])
            self.assertEqual((first.kind, first.id, first.data.state, last.kind), ("values", "4", "ü", "end"))
            self.assertTrue(math.isnan(first.data["a"]))

    def test_a_watch_that_breaks_or_falls_silent_says_so(self):
        piece = b"event: state\ndata: {}\n\n"
        for whole in (True, False):
            self.fake.instead["/v1/watch"] = lambda port: port.events(piece, b"event: en", whole=whole)
            watch = self.rig.watch(["a"])
            self.assertEqual(next(watch).kind, "state")
            self.fails(lambda: next(watch), "watch again to continue")
        go = threading.Event()
        self.addCleanup(go.set)

        def silent(port):
            port.events(piece, whole=False)
            go.wait(20)
        self.fake.instead["/v1/watch"] = silent
        self.fails(lambda: list(self.rig.watch(["a"], silence=0.1)), "GET /v1/watch was not answered within 0.1 s")

    def test_a_watch_is_refused_at_once(self):
        self.fake.instead["/v1/watch"] = lambda port: port.refuse(422, "two names are wrong", ["no 'a'", "no 'b'"])
        self.fails(lambda: self.rig.watch(["a", "b"]), "no 'a'", "no 'b'", status=422)


class CallsOverAUnixSocket(Calls):
    unix = True


class Errors(WithFake):
    def says(self, answer, *pieces, status=None):
        self.fake.instead["/v1/state"] = answer
        return self.fails(self.rig.state, *pieces, status=status)

    def test_a_refusal_lists_all_problems(self):
        failure = self.says(lambda port: port.refuse(422, "2 problems; nothing was set", ["a: no", "b: never"]),
                            "2 problems; nothing was set\n  a: no\n  b: never", status=422)
        self.assertEqual(failure.problems, ["a: no", "b: never"])
        self.assertEqual(str(self.says(lambda port: port.refuse(409, "not now"), status=409)), "not now")

    def test_answers_that_are_not_the_protocol_are_named(self):
        hint = "is this a rig's control port?"
        self.says(lambda port: port.answer(500, b"<html>", "text/html"), "/v1/state was refused with status 500",
                  status=500)
        self.says(lambda port: port.answer(400, ["no"]), "status 400", status=400)
        self.says(lambda port: port.answer(200, b"<html>", "text/html"), "not a JSON object (b'<html>')", hint)
        self.says(lambda port: port.answer(200, [1]), "not a JSON object", hint)
        self.says(lambda port: port.answer(200, b"\xff"), "not a JSON object", hint)
        self.says(lambda port: port.raw(b"220 mail.example ESMTP\r\n"), "not HTTP", hint)
        self.fake.instead["/v1/values"] = lambda port: port.answer(200, {"frame": 1})
        self.fails(lambda: self.rig.get("a"), "GET /v1/values was answered without 'sim_time_ns'")

    def test_connections_that_break_are_named(self):
        head = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
        self.says(lambda port: port.raw(), "GET /v1/state: the connection broke", "has the rig ended?")
        self.says(lambda port: port.raw(head, b'{"state"'), "the connection broke", "has the rig ended?")

    def test_every_call_has_a_limit(self):
        go = threading.Event()
        self.addCleanup(go.set)
        self.rig = Rig(self.fake.address, timeout=0.05)
        self.says(lambda port: go.wait(20), "GET /v1/state was not answered within 0.05 s")
        self.says(lambda port: (port.raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"), go.wait(20)),
                  "was not answered within 0.05 s")

    def test_a_client_that_was_too_quick_asks_again_while_there_is_time(self):
        refusals = [1, 1, 1]

        def too_many(port):
            if not refusals:
                return port.GET_state()
            refusals.pop()
            return port.refuse(429, "more than 1000 requests in a second")
        self.fake.instead["/v1/state"] = too_many
        self.fails(Rig(self.fake.address, timeout=0.9).state, "more than 1000", status=429)
        self.assertEqual(Rig(self.fake.address, timeout=60).state()["frame"], 6)
        self.assertEqual(len(self.fake.asked), 4)

    def test_a_body_that_is_refused_unread_brings_its_reason(self):
        self.fails(lambda: self.rig.set({"a": "x" * 20_000_000}), "at most 1000000 bytes", status=413)

    def test_what_is_no_value_is_not_sent(self):
        for value in (math.nan, math.inf, object()):
            self.fails(lambda: self.rig.set({"a": value}), "a value is a finite number")
        self.assertEqual(self.fake.asked, [])

    def test_a_call_that_cannot_be_meant_is_not_sent(self):
        rows = [  # call, its error says
            (lambda: self.rig.release(), r"name what to release, or use release_all\(\)"),
            (lambda: self.rig.release([]), "release: nothing is given"),
            (lambda: self.rig.get(), "get: nothing is given; name variables, such as 'motor.speed'"),
            (lambda: self.rig.get([]), "get: nothing is given"),
            (lambda: self.rig.get("motor.speed", ["a"]), r"get: 'motor.speed', \['a'\] is given"),
            (lambda: self.rig.get(None), "get: None is given"),
            (lambda: self.rig.get(""), "get: '' is given"),
            (lambda: self.rig.watch([]), "watch: nothing is given"),
            (lambda: self.rig.watch("motor.speed", silence=0), "timeout: 0 is not a time"),
            (lambda: self.rig.describe(""), "describe: '' is given"),
            (lambda: self.rig.describe(None), "describe: None is given"),
            (lambda: self.rig.switch("fault", "encoder_stuck", "maybe"), "'maybe' is neither on nor off"),
            (lambda: self.rig.date_of(-1), "-1 is not a frame; the first one is 0"),
            (lambda: self.rig.date_of(0.5), "0.5 is not a frame"),
            (lambda: Rig(None), "None is not an address of a rig; write unix:PATH"),
            (lambda: Rig(self.fake.address, timeout=-1), "timeout: -1 is not a time"),
        ]
        for timeout in (0, -1, math.nan, "1 s", True):
            rows.append((lambda wrong=timeout: self.rig.get("a", timeout=wrong), "timeout: .* more than 0"))
        for call, says in rows:
            with self.assertRaisesRegex(ValueError, says):
                call()
        self.assertEqual(self.fake.asked, [])

    def test_nobody_listens_there(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))  # and does not listen
            port = free.getsockname()[1]
            self.fails(Rig(f"http://127.0.0.1:{port}").state, f"no rig listens at http://127.0.0.1:{port}",
                       f"tactus run RIG.yaml --live 127.0.0.1:{port}", kind=NoRig)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "live.sock")
            self.fails(Rig(f"unix:{path}").state, f"tactus run RIG.yaml --live unix:{path}", kind=NoRig)
            left = socket.socket(socket.AF_UNIX)
            left.bind(path)
            left.close()  # as a rig that crashed leaves it
            self.fails(Rig(f"unix:{path}").state, "no rig listens", kind=NoRig)
            self.fails(Rig(f"unix:{path}{'x' * 200}").state, "cannot be reached", kind=NoRig)

    def test_addresses_are_checked(self):
        for wrong in ("", "unix:", "127.0.0.1", "https://127.0.0.1:1", "http://127.0.0.1:1/v2", "http://h:port",
                      "/tmp/live.sock"):
            with self.assertRaisesRegex(ValueError, "write unix:PATH, http://HOST:PORT or HOST:PORT"):
                Rig(wrong)
        for address in (self.fake.address.replace("http://", ""), self.fake.address + "/v1"):  # as the log has it
            self.assertEqual(Rig(address).state()["state"], "Pause")

    def test_the_token_comes_from_where_it_is_said(self):
        self.fake.token = "s3cret"
        failure = self.fails(self.rig.state, "wants a token", "TACTUS_TOKEN", status=401)
        failure = self.fails(Rig(self.fake.address, token="wr0ng").state, "is not the rig's", status=401)
        self.assertNotIn("wr0ng", str(failure))
        self.assertEqual(Rig(self.fake.address, token="s3cret").state()["frame"], 6)
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("s3cret\n")
            file.flush()
            self.assertEqual(Rig(self.fake.address, token_file=file.name).state()["frame"], 6)
        self.fails(lambda: Rig(self.fake.address, token_file="/nowhere/token"), "/nowhere/token")
        self.fails(lambda: Rig(self.fake.address, token="a\nb"), "visible ASCII")
        os.environ["TACTUS_TOKEN"] = "s3cret"
        self.addCleanup(os.environ.pop, "TACTUS_TOKEN", None)
        self.assertEqual(Rig(self.fake.address).state()["frame"], 6)
        self.fails(Rig(self.fake.address, token="wr0ng").state, status=401)


class Waiting(WithFake):
    def test_a_rig_is_ready_when_frames_run_or_it_is_paused(self):
        states = ["Connect", 503, "Start", "Pause"]

        def next_state(port):
            state = states.pop(0)
            port.refuse(503, "too early") if state == 503 else port.answer(200, {"state": state})
        self.fake.instead["/v1/state"] = next_state
        self.assertEqual(self.rig.wait_until_ready(20)["state"], "Pause")
        self.assertEqual(states, [])

    def test_a_rig_that_is_not_there_yet_is_waited_for(self):
        path = os.path.join(self.fake.folder.name, "late")
        tries = []

        def gone():  # is asked before each try
            tries.append(1)
            if len(tries) == 3:
                self.addCleanup(FakeRig(unix=True, path=path).close)
        self.assertEqual(Rig(f"unix:{path}").wait_until_ready(20, gone)["state"], "Pause")
        self.assertEqual(len(tries), 3)

    def test_a_rig_that_never_comes_is_given_up(self):
        rig = Rig("unix:/nowhere/live.sock")
        self.fails(lambda: rig.wait_until_ready(0.1), "within 0.1 s", "no rig listens", kind=NoRig)
        self.fails(lambda: rig.wait_until_ready(60, gone=lambda: 2), "its program has ended", kind=NoRig)
        self.fake.state = "Start"
        self.fails(lambda: self.rig.wait_until_ready(2), "within 2 s", "its state is Start", kind=NoRig)

    def test_a_wait_does_not_hide_a_refusal(self):
        self.fake.token = "s3cret"
        self.fails(lambda: self.rig.wait_until_ready(60), "wants a token", status=401)

    def test_a_state_is_waited_for(self):
        self.assertEqual(self.rig.wait_for("Pause")["frame"], 6)
        self.fails(lambda: self.rig.wait_for("Stop", 0.1), "no rig is in Stop", "within 0.1 s", kind=NoRig)


class Pieces(unittest.TestCase):
    def test_dates_keep_their_nanoseconds(self):
        rows = [  # date, later by ns, is
            ("2005-02-15T00:00:00+00:00", 0, "2005-02-15T00:00:00+00:00"),
            ("2005-02-15T00:00:00Z", 1, "2005-02-15T00:00:00.000000001Z"),
            ("2005-02-15T00:00:00.5+01:00", 500_000_000, "2005-02-15T00:00:01+01:00"),
            ("2004-02-28T23:59:59.999999999-05:30", 1, "2004-02-29T00:00:00-05:30"),
            ("2005-01-01T00:00:00Z", -1, "2004-12-31T23:59:59.999999999Z"),
        ]
        for date, ns, wanted in rows:
            self.assertEqual(date_after(date, ns), wanted)
        for wrong in ("2005-02-15", "2005-02-15T00:00:00", "2005-02-15T00:00:00.1234567890Z", ""):
            with self.assertRaisesRegex(ValueError, "not a date with a zone"):
                date_after(wrong, 0)

    def test_events_are_taken_apart_as_the_standard_says(self):
        lines = (b"data: a\r\n", b"data:b\n", b"\n", b":\n", b"id: 9\n", b"event: x\n", b"data\n", b"\r\n",
                 b"data: :c\n", b"retry: 5\n", b"\n", b"\n", b"data: cut\n")
        self.assertEqual(list(server_sent_events(lines)),
                         [("message", "a\nb", ""), ("x", "", "9"), ("message", ":c", "9")])


class CommandLine(WithFake):
    unix = True

    def run_client(self, *words, status=0):
        """Calls main() of the client as its program does. What it prints: standard output and error."""
        with mock.patch.object(sys, "argv", ["tactus_client.py", *words]), \
                contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            try:
                ended = main()
            except SystemExit as end:
                ended = end.code
        self.assertEqual(ended, status, out.getvalue() + err.getvalue())
        return out.getvalue(), err.getvalue()

    def test_the_program_does_what_its_main_says(self):
        for words, status in ((["state"], 0), (["describe", "nobody"], 1), (["dance"], 2)):
            done = subprocess.run([sys.executable, "-B", SCRIPTS / "tactus_client.py", self.fake.address, *words],
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertEqual(status == 0, done.stderr == "")

    def test_commands_print_json(self):
        got = json.loads(self.run_client(self.fake.address, "get", "motor.speed", "axis.force")[0])
        self.assertEqual(got["values"], {"motor.speed": 1.5, "axis.force": [1, 2]})
        self.assertEqual(len(json.loads(self.run_client(self.fake.address, "variables")[0])), 3)
        events = self.run_client(self.fake.address, "watch", "motor.speed", "--every", "20ms")[0].splitlines()
        self.assertEqual([list(json.loads(event)) for event in events], [["values"], ["state"], ["end"]])

    def test_what_is_no_number_is_json_too(self):
        self.fake.values.update({"motor.speed": "nan", "axis.force": ["inf", "-inf"]})

        def refuse(word):
            self.fail(f"{word} is not JSON")
        said = self.run_client(self.fake.address, "get", "motor.speed", "axis.force")[0]
        self.assertEqual(json.loads(said, parse_constant=refuse)["values"], {"motor.speed": "nan", "axis.force": ["inf", "-inf"]})

    def test_commands_change_things(self):
        self.run_client(self.fake.address, "set", "a=1.5", "b=fast", "--frame", "9", "c=[1, 2]", "d=true")
        self.assertEqual(self.asked()[3], {"set": {"a": 1.5, "b": "fast", "c": [1, 2], "d": True}, "frame": 9})
        self.run_client(self.fake.address, "release", "all", "--frame", "8")
        self.assertEqual(self.asked()[3], {"release": "all", "frame": 8})
        self.run_client(self.fake.address, "release", "motor.speed", "motor.angle")
        self.assertEqual(self.asked()[3], {"release": ["motor.speed", "motor.angle"]})
        self.run_client(self.fake.address, "step", "4")
        self.assertEqual(self.asked()[3], {"command": "step", "frames": 4})
        self.run_client(self.fake.address, "switch", "fault", "encoder_stuck", "on")
        self.assertEqual(self.asked()[3], {"kind": "fault", "name": "encoder_stuck", "on": True})

    def test_the_status_tells_a_refusal_from_a_wrong_command_line(self):
        _, refused = self.run_client(self.fake.address, "describe", "nobody", status=1)
        self.assertIn("there is no 'nobody'", refused)
        self.assertIn("no rig listens", self.run_client("unix:/nowhere/live.sock", "pause", status=1)[1])
        for wrong in (["describe"], ["pause", "now"], ["set"], ["set", "a"], ["set", "a=1", "b=2", "a=3"], ["step", "x"], ["dance"],
                      ["release"], ["get"], ["watch"], ["state", "--timeout", "0"], ["step", "--frame", "5"],
                      ["get", "motor.speed", "--every", "1s"]):
            self.assertIn("error:", self.run_client(self.fake.address, *wrong, status=2)[1])
        self.assertIn("or 'all'", self.run_client(self.fake.address, "release", status=2)[1])
        self.run_client("nowhere", "pause", status=2)


unittest.main()
