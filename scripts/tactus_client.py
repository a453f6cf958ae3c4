#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads, sets and drives a running rig through its control port. Python 3.9 or newer, nothing else.

    scripts/tactus run config/rigs/servo.yaml --live unix:/tmp/servo.sock      the rig, in a terminal of its own

    from tactus_client import Rig
    rig = Rig("unix:/tmp/servo.sock")                # or "http://127.0.0.1:8086"; token: see Rig
    now = rig.get("motor.speed", "motor.angle")      # both as they stood at the end of one frame
    print(now.frame, now.date, now["motor.speed"])
    rig.set({"motor.load_torque": 0.02})             # before any job of the next frame
    for event in rig.watch(["motor.speed"], every="100ms"):
        print(event.kind, event.data)                # until the run is over

From a shell, which gets JSON (exit status 1: the rig refused or is not there, 2: the command line is wrong):

    scripts/tactus_client.py unix:/tmp/servo.sock set motor.load_torque=0.02 --frame 5000
    facts  state  statistics  variables [GLOB]  describe NAME  get NAME...  watch NAME... [--every 100ms]
    set NAME=VALUE... [--frame N]  force NAME=VALUE... [--frame N]  release NAME...|all [--frame N]
    pause  resume  step [N]  run_until TIME  reset  stop  checkpoint
    switches  switch fault|stimulus|record NAME on|off
    entries overruns|journal|log  report timing|jobs|clock|link|drivers|threads|doctor|checkpoints|verdicts

Values are as in JSON: numbers, bools, lists for arrays; of floats that are no number come nan and inf.
"""
from __future__ import annotations

import argparse
import contextlib
import http.client
import inspect
import json
import math
import os
import re
import socket
import struct
import sys
import time
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode, urlsplit

Json = dict[str, Any]
COMMANDS = ["facts", "state", "statistics", "variables", "describe", "get", "watch", "set", "force", "release",
            "pause", "resume", "step", "run_until", "reset", "stop", "checkpoint", "switches", "switch", "entries",
            "report"]


BLOCK = struct.Struct("<4sIIIqq")  # of a stream: docs/http-api.md
GAPS = {1: "slow reader", 2: "not kept", 3: "another frame"}


class RigError(Exception):
    """What went wrong. `status`: that of the HTTP answer, None when there was none; `problems`: all of them."""

    def __init__(self, error: str, status: int | None = None, problems: Sequence[str] = ()) -> None:
        super().__init__(error)
        self.error, self.status, self.problems = error, status, list(problems)

    def __str__(self) -> str:
        return "\n  ".join([self.error, *(problem for problem in self.problems if not self.error.startswith(problem))])


class NoRig(RigError):
    """Nobody listens there (yet)."""


@dataclass(frozen=True)
class Values:
    """Variables as they stood at the end of one frame: values.frame, values["motor.speed"]."""
    frame: int | None  # the last one that was run, None before the first; its simulated time and date (ISO 8601)
    sim_time_ns: int
    date: str
    state: str
    values: Json

    def __getitem__(self, name: str) -> Any:
        return self.values[name]


class Applied(NamedTuple):
    """What became of a set, force or release."""
    applied: bool  # False: accepted, but its frame has not begun yet (the rig is in Pause, the frame far away)
    frame: int | None  # before whose jobs; None: those of the next that begins


class Frames(NamedTuple):
    """Of a stream: consecutive frames, or what stands between two of these."""
    first: int  # of the first row; of a gap: the first frame that is missing
    columns: dict[str, array]  # by name, a number for each frame; empty of a gap
    missing: int = 0  # frames that are missing here
    why: str = ""  # of a gap: "slow reader", "not kept", or "another frame" (after a reset or a load)


class Event(NamedTuple):
    """Of a watch. `kind`: "values" (`data` is a Values), "state", "beat", "overrun", "journal", "log", "verdict" or "end"
    (a dict)."""
    kind: str
    data: Any
    id: str


@dataclass(frozen=True)
class Episode:
    """What became of run_open(): episode["motor", "speed"]."""
    frame: int | None  # the last one that was run, and its date; None: the run ended before the first
    date: str
    ended: bool  # the run is over, and how: "completed", "stopped" ...
    outcome: str
    reason: str
    outputs: dict[tuple[str, ...], Any]  # by what was asked for; None where the run ended before it

    def __getitem__(self, output: tuple[str, ...]) -> Any:
        return self.outputs[output]


class Rig:
    """The control port of a rig, at "unix:PATH", "http://HOST:PORT" or "HOST:PORT".

    The token, where the port wants one: `token`, else what stands in `token_file`, else in the environment in
    TACTUS_TOKEN. `timeout`: seconds without an answer after which a call is given up, unless it says otherwise.
    Calls may raise RigError. Threads: any; each call has a connection of its own.
    """

    def __init__(self, address: str, token: str | None = None, token_file: str | os.PathLike[str] | None = None,
                 timeout: float = 15.0) -> None:
        _check_time(timeout)
        if not isinstance(address, str):
            raise _no_address(address)
        self.address, self.timeout = address, timeout
        self._grid: tuple[str, int, int] | None = None  # of frames: epoch and period
        self._unix = address[len("unix:"):] if address.startswith("unix:") else ""
        self._host, self._port = ("localhost", 0) if self._unix else _host_and_port(address)
        if token is None and token_file is not None:
            try:
                with open(token_file, encoding="ascii") as file:
                    token = file.read()
            except (OSError, ValueError) as error:
                raise RigError(f"the token cannot be read from {os.fspath(token_file)}: {error}") from error
        self._token = (os.environ.get("TACTUS_TOKEN", "") if token is None else token).strip()
        if not re.fullmatch(r"[!-~]*", self._token):
            raise RigError("a token is made of visible ASCII characters without spaces; this one is not")

    def facts(self) -> Json:
        """What does not change while it runs (rig, folder, period, epoch ...), and its state."""
        return self._call("GET", "/v1")

    def state(self) -> Json:
        """{"state": "Pause", "frame": 81, "date": ...}; "frame" is None before the first one."""
        return self._state(None)

    def _state(self, timeout: float | None) -> Json:
        state = self._call("GET", "/v1/state", timeout=timeout)
        state.setdefault("frame", None)
        return state

    def statistics(self) -> Json:
        """Frames run, overruns, how late the last frame was ..."""
        return self._call("GET", "/v1/statistics")

    def variables(self, match: str = "*") -> list[Json]:
        """Name, type, unit, rights ... of all whose name matches: variables("motor.*")."""
        found: list[Json] = []
        first = 0
        while first is not None:  # a rig may have more than one answer holds
            page = self._call("GET", "/v1/variables?" + urlencode({"match": match, "first": first}))
            found, first = found + page["variables"], page["next"]
        return found

    def describe(self, name: str) -> Json:
        """One of variables()."""
        (name,) = _names("describe", [name])
        return self._call("GET", "/v1/variables/" + quote(name, safe=""))

    def date_of(self, frame: int) -> str:
        """The date of a frame, for run_open()."""
        if not isinstance(frame, int) or frame < 0:
            raise ValueError(f"{frame!r} is not a frame; the first one is 0")
        if self._grid is None:
            facts = self.facts()
            self._grid = facts["epoch"], facts["period"]["num_ns"], facts["period"]["den"]
        epoch, num, den = self._grid
        return date_after(epoch, frame * num // den)

    def get(self, *names: str | Iterable[str], timeout: float | None = None) -> Values:
        """One coherent group: get("motor.speed", "axis.force[2]"), or get(names)."""
        return _values(self._call("GET", "/v1/values?" + _query(_names("get", *names)), timeout=timeout))

    def write(self, set: Json | None = None, force: Json | None = None, release: Sequence[str] = (),
              frame: int | None = None, timeout: float | None = None) -> Applied:
        """Changes that take effect together, before any job of a frame, or not at all. `frame`: which one; None:
        the next that begins. `release`: names, or "all". Waits for the frame a little while."""
        body: Json = {"set": set, "force": force, "release": release}
        body = {key: value for key, value in body.items() if value} | ({} if frame is None else {"frame": frame})
        answer = self._call("POST", "/v1/values", body, timeout)
        return Applied(answer["applied"], answer["frame"])

    def set(self, values: Json, frame: int | None = None, timeout: float | None = None) -> Applied:
        """Once; whoever else writes the variable writes over it. See write()."""
        return self.write(set=values, frame=frame, timeout=timeout)

    def force(self, values: Json, frame: int | None = None, timeout: float | None = None) -> Applied:
        """Until release(), whoever else writes it. See write()."""
        return self.write(force=values, frame=frame, timeout=timeout)

    def release(self, *names: str | Iterable[str], frame: int | None = None,
                timeout: float | None = None) -> Applied:
        """Ends the forces of these variables. See write()."""
        if not names:
            raise ValueError("name what to release, or use release_all()")
        return self.write(release=_names("release", *names), frame=frame, timeout=timeout)

    def release_all(self, frame: int | None = None, timeout: float | None = None) -> Applied:
        """Ends all forces, those of other clients too. See write()."""
        return self.write(release="all", frame=frame, timeout=timeout)

    def switches(self) -> list[Json]:
        """Faults, stimuli and recordings: kind, name, state, since, target."""
        return self._call("GET", "/v1/switches")["switches"]

    def switch(self, kind: str, name: str, on: bool | str) -> None:
        """Switches a "fault", a "stimulus" or a recording ("record") from the next frame on. `on`: also "on", "off"."""
        if on not in (True, False, "on", "off"):
            raise ValueError(f"{on!r} is neither on nor off")
        self._call("POST", "/v1/switches", {"kind": kind, "name": name, "on": on in (True, "on")})

    def watch(self, names: str | Iterable[str], every: str | float = "100ms", silence: float = 60.0) -> Iterator[Event]:
        """Events until the run is over; the last is "end". `every`: a number is seconds. A connection that breaks,
        or does not even say that it lives for `silence` seconds, is a RigError: watch again or not."""
        pace = every if isinstance(every, str) else f"{round(every * 1e9)}ns"
        path = f"/v1/watch?{_query(_names('watch', names))}&{urlencode({'every': pace})}"
        return self._events(*self._begin("GET", path, None, silence))

    def frames(self, names: str | Iterable[str], start: int | None = None, silence: float = 60.0) -> Iterator[Frames]:
        """Values behind every frame, some 20 times a second, until the run is over. `start`: the first frame that is
        wanted. A gap is a Frames without columns."""
        path = f"/v1/stream?{_query(_names('frames', names))}" + ("" if start is None else f"&from={start}")
        return self._blocks(*self._begin("GET", path, None, silence))

    def entries(self, of: str, after: int = 0) -> list[Json]:
        """All entries of "overruns", "journal" or "log" behind a number, as far as they are kept."""
        found: list[Json] = []
        while True:
            more = self._call("GET", f"/v1/{of}?after={after}")["entries"]
            if not more:
                return found
            found += more
            after = more[-1]["n"]

    def report(self, of: str) -> Json:
        """"timing", "jobs", "clock", "link", "drivers", "threads", "doctor", "checkpoints" or "verdicts"."""
        return self._call("GET", f"/v1/{of}")

    def trace(self, frame: int | None = None, before: int = 20, after: int = 20) -> Json:
        """Frames of the flight recorder around one, without it the last."""
        which = "" if frame is None else f"&frame={frame}"
        return self._call("GET", f"/v1/trace?before={before}&after={after}{which}")

    def perfetto(self, frame: int | None = None, before: int = 20, after: int = 20) -> bytes:
        """The same as a file for ui.perfetto.dev."""
        which = "" if frame is None else f"&frame={frame}"
        path = f"/v1/trace?format=perfetto&before={before}&after={after}{which}"
        connection, response, what = self._begin("GET", path, None, self.timeout)
        with contextlib.closing(connection):
            try:
                return response.read()
            except (OSError, http.client.HTTPException) as error:
                raise self._broken(what, error, self.timeout) from error

    def panels(self) -> tuple[Json, str]:
        """The desks that users have arranged, and a tag for keep_panels()."""
        connection, response, what = self._begin("GET", "/v1/panels", None, self.timeout)
        return self._read(connection, response, what)["panels"], response.headers["ETag"]

    def keep_panels(self, panels: Json, tag: str) -> str:
        """Keeps these instead, if they are still those of the tag (else RigError, status 412). Their new tag."""
        connection, response, what = self._begin("PUT", "/v1/panels", {"panels": panels}, self.timeout, {"If-Match": tag})
        self._read(connection, response, what)
        return response.headers["ETag"]

    def pause(self) -> None:
        """A command is taken at the end of the frame; wait_for("Pause") comes back when it was."""
        self._command("pause")

    def resume(self) -> None:
        self._command("resume")

    def step(self, frames: int = 1) -> None:
        """Runs so many frames, then pauses."""
        self._command("step", frames=frames)

    def run_until(self, sim_time: str | int) -> None:
        """Runs until a simulated time, "2.5s" or in ns, then pauses."""
        key = "until" if isinstance(sim_time, str) else "until_ns"
        self._command("run_until", **{key: sim_time})

    def reset(self, timeout: float = math.inf) -> None:
        """Back to before the initialization jobs, and on from frame 0: returns when the rig is there. One that was in
        Pause is so again, and the next episode begins with frame 0. RigError: it is refused, or the run ended."""
        self._command("reset", timeout=timeout)

    def stop(self) -> None:
        """Ends the run, with status 0."""
        self._command("stop")

    def checkpoint(self, file: str | None = None) -> None:
        """Writes one into the run folder; without a name it is named after its frame."""
        self._command("checkpoint", **({} if file is None else {"file": file}))

    def load(self, file: str, timeout: float = math.inf) -> None:
        """Goes on from a checkpoint of this run, by its name in the folder for checkpoints; the rig is in Pause, and
        is so again when this returns."""
        self._command("load", timeout=timeout, file=file)

    def _command(self, command: str, timeout: float | None = None, **more: Any) -> None:
        self._call("POST", "/v1/commands", {"command": command, **more}, timeout)

    def run_open(self, stop: str | None = None, inputs: Iterable[Sequence[Any]] = (),
                 outputs: Iterable[Sequence[str]] = (), timeout: float = math.inf) -> Episode:
        """One episode of a rig that is in Pause: all frames whose date is not after `stop` (None: to the end of the
        run), then Pause again. Waits as long as that takes, unless there is a timeout.

            episode = rig.run_open(rig.date_of(20), inputs=[("motor", "load_torque", 0.02)],
                                   outputs=[("motor", "speed"), ("motor", "angle", rig.date_of(10))])

        inputs: (entity, descriptor, value[, date]), applied before any job of that date; else of the next frame.
        outputs: (entity, descriptor[, date]), taken after all jobs of that date; else of `stop`.
        """
        asked = [tuple(output) for output in outputs]
        body: Json = {"in": [_item(("entity", "descriptor", "value", "date"), each) for each in inputs],
                      "out": [_item(("entity", "descriptor", "date"), each) for each in asked]}
        end = self._call("POST", "/v1/episodes", body if stop is None else {"stop": stop, **body}, timeout)
        if len(end["out"]) != len(asked):
            raise RigError(f"{self.address} answered {len(end['out'])} outputs instead of {len(asked)}")
        return Episode(end.get("frame"), end["date"], end["ended"], end["outcome"], end["reason"],
                       {key: _number(item["value"]) for key, item in zip(asked, end["out"])})

    def wait_until_ready(self, timeout: float = 10.0, gone: Callable[[], Any] = lambda: None) -> Json:
        """state(), once the rig listens and frames run, or it is in Pause. `gone`: says, by anything but None, that
        it never will; poll of its Popen."""
        return self._wait(lambda state: state not in ("Connect", "Start"), "is ready", timeout, gone)

    def wait_for(self, state: str, timeout: float = 10.0) -> Json:
        """state(), once it is this one: after pause(), wait_for("Pause")."""
        return self._wait(lambda now: now == state, f"is in {state}", timeout, lambda: None)

    def _wait(self, ready: Callable[[str], bool], what: str, timeout: float, gone: Callable[[], Any]) -> Json:
        until, heard = time.monotonic() + timeout, "nothing"
        while gone() is None and (left := until - time.monotonic()) > 0:
            try:
                state = self._state(min(self.timeout, left))
                if ready(state["state"]):
                    return state
                heard = f"its state is {state['state']}"
            except RigError as error:
                if error.status not in (None, 503):
                    raise
                heard = heard if error.status is None and heard.startswith("its state") else str(error)
            time.sleep(0.02)
        if gone() is not None:
            raise NoRig(f"no rig {what} at {self.address}, and none will be: its program has ended")
        raise NoRig(f"no rig {what} at {self.address} within {timeout:g} s; heard last: {heard}")

    def _call(self, method: str, path: str, body: Json | None = None, timeout: float | None = None) -> Json:
        return self._read(*self._begin(method, path, body, self.timeout if timeout is None else timeout))

    def _read(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse, what: str) -> Json:
        try:
            return _parse(what, response.read())
        except (OSError, http.client.HTTPException) as error:
            raise self._broken(what, error, connection.timeout) from error
        finally:
            connection.close()

    def _begin(self, method: str, path: str, body: Json | None, timeout: float,
               more: dict[str, str] | None = None) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse, str]:
        """Sends a request; the body of the answer is still to be read. Raises what was refused."""
        what = f"{self.address}: {method} {path.partition('?')[0]}"
        _check_time(timeout)
        headers = {"Connection": "close", "Content-Type": "application/json", **(more or {})}
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        try:
            text = None if body is None else json.dumps(body, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise RigError(f"{what}: a value is a finite number, a bool, a text or a list: {error}") from error
        until = time.monotonic() + timeout
        while True:
            connection = _Connection(self._host, self._port, timeout=None if timeout == math.inf else timeout)
            connection.unix = self._unix
            try:
                connection.connect()
            except OSError as error:
                connection.close()
                raise self._unreachable(error) from error
            try:
                try:
                    connection.request(method, path, text, headers)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # refused before all of it was read: the answer says why
                response = connection.getresponse()
                if response.status < 400:
                    return connection, response, what
                failure = self._refused(what, response.status, response.read())
            except (OSError, http.client.HTTPException) as error:
                failure = self._broken(what, error, timeout)
            connection.close()
            if failure.status != 429 or time.monotonic() + 1 > until:
                raise failure
            time.sleep(1)  # too many requests in a second: nothing was done, and there is time to ask again

    def _events(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse,
                what: str) -> Iterator[Event]:
        try:
            for kind, text, number in server_sent_events(iter(response.readline, b"")):
                data = _parse(what, text)
                yield Event(kind, _values(data) if kind == "values" else data, number)
                if kind == "end":
                    return
        except (OSError, http.client.HTTPException) as error:
            raise self._broken(what, error, connection.timeout) from error
        finally:
            connection.close()
            response.close()
        raise RigError(f"{what}: the connection ended before the run did; watch again to continue")

    def _blocks(self, connection: http.client.HTTPConnection, response: http.client.HTTPResponse,
                what: str) -> Iterator[Frames]:
        names: list[str] = []
        try:
            while header := response.read(BLOCK.size):
                _, size, kind, count, frame, missing = BLOCK.unpack(header)
                body = response.read(size - BLOCK.size)
                if kind == 1:
                    names = [column["name"] for column in _parse(what, body[:count])["columns"]]
                elif kind == 2:
                    columns = array("d", body)
                    if sys.byteorder == "big":
                        columns.byteswap()
                    yield Frames(frame, {name: columns[i * count:(i + 1) * count] for i, name in enumerate(names)})
                elif kind == 3:
                    yield Frames(frame, {}, missing, GAPS.get(count, "unknown"))
                elif kind == 5:
                    return
        except (OSError, http.client.HTTPException, struct.error, ValueError) as error:
            raise self._broken(what, error, connection.timeout) from error
        finally:
            connection.close()
            response.close()
        raise RigError(f"{what}: the connection ended before the run did; stream again to continue")

    def _refused(self, what: str, status: int, text: bytes) -> RigError:
        try:
            answer = json.loads(text)
            error, problems = str(answer["error"]), [str(each) for each in answer.get("problems", ())]
        except (ValueError, TypeError, LookupError, AttributeError):
            error, problems = f"{what} was refused with status {status}", []
        if status == 401:
            error += ("; the token that was given is not the rig's" if self._token else
                      "; give the rig's token: token or token_file of Rig, or TACTUS_TOKEN in the environment")
        return RigError(error, status, problems)

    def _unreachable(self, error: OSError) -> RigError:
        if isinstance(error, (ConnectionRefusedError, FileNotFoundError)):
            return NoRig(f"no rig listens at {self.address}; start one with: tactus run RIG.yaml --live "
                         + self.address.replace("http://", ""))
        return NoRig(f"{self.address} cannot be reached: {error}")

    def _broken(self, what: str, error: Exception, timeout: float | None) -> RigError:
        if isinstance(error, socket.timeout):
            return RigError(f"{what} was not answered within {timeout:g} s; what it asked for may still happen")
        if isinstance(error, (OSError, http.client.IncompleteRead)):
            return RigError(f"{what}: the connection broke ({error}); has the rig ended?")
        return RigError(f"{what} was answered with something that is not HTTP; is this a rig's control port?")


class _Connection(http.client.HTTPConnection):
    unix = ""  # the path of a socket, instead of host and port

    def connect(self) -> None:
        if not self.unix:
            return self._connect_to_host()
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.unix)

    def _connect_to_host(self) -> None:
        try:
            return super().connect()
        except OSError as refused:
            if self.host != "localhost":
                raise
            # Often only the address of IPv4 is known by this name, also where a rig can listen at that of IPv6 alone.
            self.host = "::1"
            try:
                return super().connect()
            except OSError:
                raise refused from None
            finally:
                self.host = "localhost"


class _Answer(dict):
    """A JSON object; a key that is not there is a RigError."""
    what = ""

    def __missing__(self, key: str) -> Any:
        raise RigError(f"{self.what} was answered without '{key}'; is this a control port of this version?")


def _parse(what: str, text: str | bytes) -> Json:
    try:
        answer = _Answer(json.loads(text))
    except (ValueError, TypeError) as error:
        raise RigError(f"{what} was answered with something that is not a JSON object ({text[:40]!r}); "
                       "is this a rig's control port?") from error
    answer.what = what
    return answer


def server_sent_events(lines: Iterable[bytes]) -> Iterator[tuple[str, str, str]]:
    """(event, data, id) of each event of a text/event-stream, as the HTML standard has it."""
    kind, data, number = "", [], ""
    for line in lines:
        field, _, value = line.decode("utf-8", "replace").rstrip("\r\n").partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            kind = value
        elif field == "data":
            data.append(value)
        elif field == "id":
            number = value
        elif not line.strip(b"\r\n"):
            if data:
                yield kind or "message", "\n".join(data), number
            kind, data = "", []


def date_after(date: str, ns: int) -> str:
    """The date so many nanoseconds later, in the same zone: "2005-02-15T00:00:00+00:00" and 1_500_000 are
    "2005-02-15T00:00:00.0015+00:00"."""
    match = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)", date)
    if not match:
        raise ValueError(f"'{date}' is not a date with a zone, such as 2005-02-15T00:00:00+00:00")
    seconds, rest = divmod(int((match[2] or "").ljust(9, "0")) + ns, 1_000_000_000)
    whole = datetime.fromisoformat(match[1]) + timedelta(seconds=seconds)
    return whole.isoformat() + f".{rest:09d}".rstrip("0").rstrip(".") + match[3]


def _host_and_port(address: str) -> tuple[str, int]:
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        if parts.scheme == "http" and parts.hostname and parts.port and parts.path.rstrip("/") in ("", "/v1"):
            return parts.hostname, parts.port
    except ValueError:
        pass
    raise _no_address(address)


def _no_address(address: Any) -> ValueError:
    return ValueError(f"{address!r} is not an address of a rig; write unix:PATH, http://HOST:PORT or HOST:PORT")


def _check_time(seconds: Any) -> None:
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not seconds > 0:
        raise ValueError(f"timeout: {seconds!r} is not a time to wait for an answer; give seconds, more than 0")


def _names(call: str, *given: Any) -> list[str]:
    """Names, or one list of them."""
    if len(given) == 1 and not isinstance(given[0], str) and isinstance(given[0], Iterable):
        given = tuple(given[0])
    if not given or not all(isinstance(name, str) and name for name in given):
        wrong = ", ".join(repr(name) for name in given) or "nothing"
        raise ValueError(f"{call}: {wrong} is given; name variables, such as 'motor.speed'")
    return list(given)


def _query(names: Iterable[str]) -> str:
    return urlencode({"names": ",".join(names)}, safe=",[]")


def _values(answer: Json) -> Values:
    return Values(answer.get("frame"), answer["sim_time_ns"], answer["date"], answer["state"],
                  {name: _number(value) for name, value in answer["values"].items()})


def _number(value: Any) -> Any:
    if isinstance(value, list):
        return [_number(each) for each in value]
    return float(value) if value in ("nan", "inf", "-inf") else value


def _item(keys: Sequence[str], given: Sequence[Any]) -> Json:
    if isinstance(given, str) or not len(keys) - 1 <= len(given) <= len(keys):
        raise RigError(f"{given!r} is not ({', '.join(keys[:-1])}[, date])")
    return {key: value for key, value in zip(keys, given) if key != "date" or value is not None}


def _assigned(texts: Iterable[str]) -> Json:
    values = {}
    for name, equals, value in (text.partition("=") for text in texts):
        if not (name and value):
            raise ValueError(f"'{name}{equals}{value}' is not NAME=VALUE")
        if name in values:
            raise ValueError(f"'{name}' is there twice")
        try:
            values[name] = json.loads(value)
        except ValueError:
            values[name] = value  # a label
    return values


def _shown(value: Any) -> Any:
    """As the control port has it: JSON has no numbers for nan and inf."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    if isinstance(value, dict):
        return {key: _shown(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_shown(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("address", metavar="ADDRESS", help="unix:PATH, http://HOST:PORT or HOST:PORT")
    parser.add_argument("command", metavar="COMMAND", help="one of those above", choices=COMMANDS)
    parser.add_argument("operands", metavar="OPERAND", nargs="*")
    parser.add_argument("--frame", type=int, help="of set, force, release: act before the jobs of this frame; default: the next")
    parser.add_argument("--every", help="of watch; default: 100ms")
    parser.add_argument("--timeout", type=float, default=15.0, metavar="S", help="seconds to wait for an answer; default 15")
    parser.add_argument("--token-file", metavar="FILE", help="file with the port's token; default: TACTUS_TOKEN")
    given = parser.parse_intermixed_args()
    name, operands, options = given.command, given.operands, {}
    try:
        rig = Rig(given.address, token_file=given.token_file, timeout=given.timeout)
        call = getattr(rig, name)
        if given.frame is not None and name not in ("set", "force", "release"):
            raise ValueError("--frame is for set, force and release")
        if given.every is not None and name != "watch":
            raise ValueError("--every is for watch")
        if name in ("set", "force", "watch"):
            operands = operands and [operands if name == "watch" else _assigned(operands)]
        if name in ("set", "force", "release", "watch"):
            options = {"every": "100ms" if given.every is None else given.every} if name == "watch" else {"frame": given.frame}
        operands = [int(each) for each in operands] if name == "step" else operands
        if name == "release" and not operands:
            raise ValueError("name what to release, or 'all'")
        if name == "release" and operands == ["all"]:
            call, operands = rig.release_all, []
        inspect.signature(call).bind(*operands, **options)
        result = call(*operands, **options)
        for each in result if isinstance(result, Iterator) else [] if result is None else [result]:
            each = {each.kind: each.data} if isinstance(each, Event) else each
            each = each._asdict() if isinstance(each, Applied) else each
            print(json.dumps(_shown(each), indent=None if name == "watch" else 2), flush=True)
    except RigError as error:
        print(f"tactus_client: {error}", file=sys.stderr)
        return 1
    except (TypeError, ValueError) as error:
        parser.error(f"{name}: {error}")
    except (KeyboardInterrupt, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # nothing more can be said there
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
