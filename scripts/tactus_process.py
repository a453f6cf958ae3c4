# SPDX-License-Identifier: Apache-2.0
"""A rig that a Python program starts and ends: the command `tactus run` with a control port of its own.

    with tactus.RigProcess("servo.yaml", folder="out") as rig:   # in Pause before its first frame
        rig.run_for(0.5)                                                # simulated seconds
        print(rig.value("motor.speed"))
"""
from __future__ import annotations

import contextlib
import json
import math
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

if __package__:  # installed: python3-tactus
    from tactus.client import Episode, NoRig, Rig, RigError
else:
    from tactus_client import Episode, NoRig, Rig, RigError


def program(given: str | None = None) -> str:
    """The command tactus: `given`, else the environment's TACTUS, else the one on the path. Raises NoRig."""
    found = given or os.environ.get("TACTUS") or shutil.which("tactus")
    if not found:
        raise NoRig("the command tactus is not on the path; name it by the environment variable TACTUS")
    return found


def setting(value: Any) -> str:
    """A value of the rig file, as --set takes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if isinstance(value, str) else json.dumps(value)


class OwnFolder:
    """A temporary folder of this process. A copy of the process, by os.fork(), leaves it there."""

    def __init__(self, prefix: str) -> None:
        self.name = tempfile.mkdtemp(prefix=prefix)
        self.cleanup = weakref.finalize(self, _remove, self.name, os.getpid())  # at the end of the program, too


def _remove(folder: str, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)


def _left(process: subprocess.Popen[bytes]) -> None:
    """Stops a rig that nobody has ended."""
    if process.poll() is None:
        process.terminate()


class RigProcess(Rig):
    """A rig and the process that runs it. It is in Pause before its first frame when this returns. It ends with this
    program at the latest, however that ends; where it was killed, only if the main thread has started the rig.

    file: the rig file. folder: the run folder, which must be empty. overrides: values of the rig file by path. test: a
    test file that is laid over it. realtime: paced; else as fast as it can. Raises NoRig with the rig's own words.
    """

    def __init__(self, file: str | os.PathLike[str], folder: str | os.PathLike[str],
                 overrides: Mapping[str, Any] | None = None, test: str | os.PathLike[str] | None = None,
                 realtime: bool = False, tactus: str | None = None, arguments: Sequence[str] = (),
                 start_timeout: float = 60.0) -> None:
        self.folder = pathlib.Path(folder).absolute()
        # A path of a socket has room for 107 letters: a folder of a test is often longer.
        self._socket = OwnFolder(prefix="tactus-")
        address = f"unix:{self._socket.name}/port"
        super().__init__(address)
        words = [program(tactus), "run", os.fspath(file), "--live", address, "--paused", "--out", str(self.folder)]
        words += ["--test", os.fspath(test)] if test is not None else []
        words += [] if realtime else ["--no-realtime"]
        for path, value in (overrides or {}).items():
            words += ["--set", f"{path}={setting(value)}"]
        self.status: int | None = None
        self._answered = False
        self._said = tempfile.TemporaryFile()
        environment = dict(os.environ)
        if threading.current_thread() is threading.main_thread():  # the kernel takes the end of a thread for that of all
            environment["TACTUS_ENDS_WITH"] = str(os.getpid())
        try:
            self._process = subprocess.Popen([*words, *arguments], stdin=subprocess.DEVNULL, stdout=self._said,
                                             stderr=subprocess.STDOUT, env=environment)
        except OSError as error:
            self._socket.cleanup()
            raise NoRig(f"{words[0]} cannot be started: {error.strerror}") from error
        weakref.finalize(self, _left, self._process)  # at the end of the program, too
        try:
            self.wait_until_ready(start_timeout, self._process.poll)
            self.wait_for("Pause", start_timeout)
            facts = self.facts()
            self._answered = True
            self._period_ns = Fraction(facts["period"]["num_ns"], facts["period"]["den"])
            self.period = float(self._period_ns) / 1e9
            self.planned: int | None = facts["planned_frames"]  # None: until it is stopped
        except RigError as error:
            why = "" if self._process.poll() is not None else f"{error}\n"  # one that has ended says it itself
            self.kill()
            raise NoRig(f"{os.fspath(file)} did not start: {why + self.said() or error}") from error

    def __enter__(self) -> RigProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def said(self) -> str:
        """What the command has printed so far."""
        file = self._said.fileno()  # where the command writes is not moved: it has the same file open
        return os.pread(file, os.fstat(file).st_size, 0).decode(errors="replace").strip()

    def value(self, name: str) -> Any:
        """The value of one variable, at the end of the last frame."""
        return self.get(name).values[name]

    def run_for(self, seconds: float, inputs: Mapping[str, Any] | None = None,
                outputs: Sequence[str] = ()) -> Episode:
        """Runs so many simulated seconds, rounded up to whole frames and at least one, then Pause again. inputs: values
        by variable, written before the first of these frames. outputs: variables of the last one. ValueError: it is no
        time from 0 on."""
        if not 0 <= seconds < math.inf:
            raise ValueError(f"run_for({seconds}): a time in seconds, from 0 on")
        last = self.state()["frame"]
        stop = self.date_of((-1 if last is None else last) + self.frames_in(seconds))
        return self._run_to(stop, inputs, outputs)

    def run_to_end(self, inputs: Mapping[str, Any] | None = None, outputs: Sequence[str] = ()) -> Episode:
        """Runs what is left of the run. inputs, outputs: as of run_for."""
        return self._run_to(None, inputs, outputs)

    def frames_in(self, seconds: float) -> int:
        """The frames that run_for runs."""
        ns = round(Fraction(float(seconds)) * 1_000_000_000)
        return max(1, math.ceil((ns - 1) / self._period_ns))  # a third of a second has no last digit

    def _run_to(self, stop: str | None, inputs: Mapping[str, Any] | None, outputs: Sequence[str]) -> Episode:
        return self.run_open(stop, [(*_split(name), value) for name, value in (inputs or {}).items()],
                             [_split(name) for name in outputs])

    def verdicts(self) -> dict[str, Any]:
        """What the expectations of the test have come to so far: /v1/verdicts."""
        return self.report("verdicts")

    def _unreachable(self, error: OSError) -> RigError:
        return self._at_its_end() or super()._unreachable(error)

    def _broken(self, what: str, error: Exception, timeout: float | None) -> RigError:
        return self._at_its_end() or super()._broken(what, error, timeout)

    def _at_its_end(self) -> NoRig | None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0 if self._answered else 0.0)  # for its last lines
        return self.ended()

    def ended(self) -> NoRig | None:
        """What a call gets as soon as the process has ended: how it ended. None: it has not."""
        status = self._process.poll()
        if status is None:
            return None
        last = self.said().splitlines()[-1:]
        return NoRig(": ".join([f"the rig has ended, with status {status}", *last]))

    def end(self, timeout: float = 60.0) -> int:
        """Stops the rig in order, and waits for it. Its exit status; a second call gives the same."""
        if self.status is None:
            try:
                if self._process.poll() is None:
                    self.stop()
            except RigError:
                pass  # it has just ended
            try:
                self.status = self._process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.kill()
            self._socket.cleanup()
        return self.status if self.status is not None else -9

    def kill(self) -> None:
        """Ends the rig at once, also one that hangs. Its witness, the process above it, drives the outputs safe and writes
        the summary."""
        pid = self._process.pid
        try:
            rigs = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        except OSError:  # it has ended
            rigs = []
        for rig in rigs:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(rig), signal.SIGKILL)
        try:
            self.status = self._process.wait(10.0 if rigs else 0.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self.status = self._process.wait()
        self._socket.cleanup()


def _split(name: str) -> tuple[str, str]:
    model, point, variable = name.partition(".")
    if not point:
        raise ValueError(f"{name!r} is no variable: model.variable")
    return model, variable
