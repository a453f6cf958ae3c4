# SPDX-License-Identifier: Apache-2.0
"""One guest from its start to its end: QEMU, the streams that come out of it, and the status."""
import ctypes
import io
import os
import pathlib
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time

from .failure import Failure, say
from .fetched import unpack

TIMEOUT = 124
GUEST_DIED = 125
PR_SET_PDEATHSIG = 1

# noirqdebug, no_timer_check: on a busy host an emulated interrupt can come so late that the kernel gives it up.
# norandmaps: a program that starts again finds its code translated: a rig starts in half the time.
# The rest makes the kernel quick to boot, and a kernel that is in trouble end at once.
KERNEL_ARGUMENTS = ("console=ttyS0 quiet panic=-1 oops=panic tsc=reliable noirqdebug no_timer_check mitigations=off "
                    "audit=0 printk.devkmsg=on random.trust_cpu=on cryptomgr.notests norandmaps")
# Emulated, a string instruction goes byte by byte: without ERMS and FSRM kernel and C library copy and clear in words.
# Without SMAP and SMEP each call of the kernel changes one thing less that code is translated for: a twentieth of all.
EMULATED = "max,erms=off,fsrm=off,smap=off,smep=off"
PORTS = ["ctl", "out", "err", "files"]  # virtio-serial ports 1 .. 4; the guest's side is guest_init.sh


def hardware_kvm():
    """Whether KVM runs on the processor's own support. A /dev/kvm without it, as in some hosted machines, interprets
    the guest's kernel and is slower than QEMU's emulation."""
    try:
        flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)[1].split()
    except (OSError, TypeError):
        return False
    return bool({"vmx", "svm"} & set(flags)) and os.access("/dev/kvm", os.R_OK | os.W_OK)


def qemu_arguments(options, kernel, work):
    arguments = ["qemu-system-x86_64", "-M", "q35", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                 "-smp", str(options.cpus), "-m", str(options.mem),
                 "-kernel", str(kernel.image), "-initrd", str(work / "initramfs"),
                 "-append", " ".join([KERNEL_ARGUMENTS, *options.append]),
                 "-serial", f"file:{work / 'console'}", "-device", "virtio-serial-pci,max_ports=8"]
    if options.icount is not None:
        arguments += ["-accel", "tcg,thread=single", "-cpu", EMULATED, "-seed", "1", "-rtc", "clock=vm,base=2026-01-01",
                      "-icount", f"shift={options.icount},sleep=off,align=off"]
    elif options.accel == "kvm" or options.accel == "auto" and hardware_kvm():
        arguments += ["-accel", "kvm", "-cpu", "host"]
    else:
        arguments += ["-accel", "tcg,thread=multi", "-cpu", EMULATED]
    for number, name in enumerate(PORTS, 1):
        arguments += ["-chardev", f"socket,id={name},path={work / name}",
                      "-device", f"virtserialport,nr={number},chardev={name},name=rtvm.{name}"]
    return arguments + options.qemu


class Stream:
    """One port. Passes on what comes, holding back what may be the beginning of the end mark."""

    def __init__(self, sink, end_mark):
        self.done = False
        self._sink, self._end, self._held = sink, end_mark, b""

    def feed(self, data):
        self._held += data
        if self._held.endswith(self._end):
            self._pass_on(len(self._held) - len(self._end))
            self._held, self.done = b"", True
            return
        longest = min(len(self._end) - 1, len(self._held))
        keep = next((size for size in range(longest, 0, -1) if self._held.endswith(self._end[:size])), 0)
        self._pass_on(len(self._held) - keep)

    def flush(self):
        self._pass_on(len(self._held))

    def _pass_on(self, size):
        data, self._held = self._held[:size], self._held[size:]
        if data and self._sink is not None:
            try:
                self._sink.write(data)
                self._sink.flush()
            except BrokenPipeError:
                self._sink = None


def _before_qemu():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR):
        # In real time the guest's processors, which spin, would starve the timers of QEMU that they wait for, and
        # this machine with them.
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


class Guest:
    def __init__(self, options, kernel, image, end_mark, work):
        self._options, self._kernel, self._work = options, kernel, work
        (work / "initramfs").write_bytes(image)
        end = end_mark.encode()
        self._fetched = open(work / "fetched.tar", "wb")
        self._ctl = io.BytesIO()
        self._ctl_seen = 0
        self._streams = {"ctl": Stream(self._ctl, b"\0\0"), "out": Stream(sys.stdout.buffer, end),
                         "err": Stream(sys.stderr.buffer, end), "files": Stream(self._fetched, end)}
        self._wanted = ["out", "err"] + (["files"] if options.fetch else [])
        self._connections = {}
        self._poll = select.poll()
        self._status = None
        self._booted = None

    def run(self):
        """Boots, runs the command, returns its status, or 124 or 125."""
        self._started = time.monotonic()
        self._deadline = self._started + self._options.timeout
        listeners = {name: self._listen(name) for name in PORTS}
        with open(self._work / "qemu.log", "wb") as log:
            self._qemu = subprocess.Popen(qemu_arguments(self._options, self._kernel, self._work), stdout=log, stderr=log,
                                          stdin=subprocess.DEVNULL, preexec_fn=_before_qemu, start_new_session=True)
        why = None
        try:
            for name, listener in listeners.items():
                self._accept(name, listener)
            status = self._follow()
            if status == TIMEOUT and not self._complete():
                why = f"timeout after {self._options.timeout:g} s"
            elif status is None:
                status, why = GUEST_DIED, "the guest ended before the command did"
        finally:
            self._end()
        self._report(status, why)
        if self._options.fetch and self._streams["files"].done:
            unpack(self._options.fetch, self._work / "fetched.tar")
        return status

    def _listen(self, name):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self._work / name))
        listener.listen(1)
        listener.settimeout(0.2)
        return listener

    def _accept(self, name, listener):
        with listener:
            while True:
                try:
                    connection = listener.accept()[0]
                    break
                except socket.timeout:
                    if self._qemu.poll() is not None or time.monotonic() > self._deadline:
                        raise Failure(f"qemu did not start: {self._qemu_log()}") from None
        self._connections[connection.fileno()] = connection, self._streams[name]
        self._poll.register(connection, select.POLLIN)

    def _follow(self):
        """The command's status; 124 when the time limit came first, None when the guest was gone first."""
        while self._connections:
            left = self._deadline - time.monotonic()
            if left <= 0:
                self._status = None
                return TIMEOUT
            for descriptor, _ in self._poll.poll(min(left, 1.0) * 1000):
                self._receive(descriptor)
            self._hear()
            if self._complete():
                return self._status
        return None

    def _receive(self, descriptor):
        connection, stream = self._connections[descriptor]
        try:
            data = connection.recv(1 << 16)
        except ConnectionResetError:
            data = b""
        if data:
            stream.feed(data)
        else:
            self._poll.unregister(descriptor)
            connection.close()
            del self._connections[descriptor]

    def _hear(self):
        """What the guest's first process says."""
        *lines, rest = self._ctl.getvalue()[self._ctl_seen:].split(b"\n")
        self._ctl_seen = len(self._ctl.getvalue()) - len(rest)
        for line in lines:
            kind, _, rest = line.decode(errors="replace").partition(" ")
            if kind == "boot":
                self._booted = time.monotonic() - self._started, float(rest)
            elif kind == "warn":
                say(rest)
            elif kind == "exit":
                self._status = int(rest)
            elif kind == "fail":
                raise Failure("the guest could not be set up")

    def _complete(self):
        return self._status is not None and all(self._streams[name].done for name in self._wanted)

    def _end(self):
        self._qemu.kill()
        self._qemu.wait()
        for connection, _ in self._connections.values():
            connection.close()
        for stream in self._streams.values():
            stream.flush()
        self._fetched.close()
        if self._options.console and (self._work / "console").exists():
            shutil.copy(self._work / "console", self._options.console)

    def _report(self, status, why):
        if why:
            tail = "\n".join(f"  | {line}" for line in self._console().splitlines()[-40:])
            say(f"{why}; the end of the console:\n{tail}")
            if self._qemu_log():
                say(f"qemu: {self._qemu_log()}")
        else:
            _, _, while_it_ran = self._console().partition("rtvm: start\n")
            for line in filter(str.strip, while_it_ran.splitlines()):
                say(f"kernel: {line}")
        if self._options.verbose:
            began = "never" if self._booted is None else (
                f"after {self._booted[0]:.1f} s (guest uptime {self._booted[1]:.1f} s)")
            say(f"command started {began}; {time.monotonic() - self._started:.1f} s in all; status {status}")

    def _console(self):
        try:
            text = (self._work / "console").read_bytes().decode(errors="replace")
        except OSError:
            return ""
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1bc|\r", "", text)

    def _qemu_log(self):
        return (self._work / "qemu.log").read_text(errors="replace").strip()[-2000:]
