# SPDX-License-Identifier: Apache-2.0
"""Runs demo programs of a genuine SIL Kit on our library, with our registry and workflow.

    demo_test.py --tactus TACTUS --library LIBTACTUS_SILKIT --bin FOLDER_OF_THE_DEMOS DEMO...

The demos take part in one simulation with virtual time. Each has to say what it sends or receives; then the simulation is
stopped, and all have to end with status 0. Status 77: one of them uses what our library does not offer.
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 60  # seconds
SAYS = re.compile(r"eceiv|Sending|sends?\b|Publish|Call|result", re.I)
UNSUPPORTED = re.compile(r"not supported|NOTSUPPORTED|unsupported", re.I)
SKIPPED = 77


class Program:
    """A process whose output goes into a file."""

    def __init__(self, name, command, folder, environment):
        self.name = name
        self.log = folder / f"{name}.log"
        self.file = open(self.log, "wb")
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                        stdout=self.file, stderr=subprocess.STDOUT)

    def said(self):
        return self.log.read_text(encoding="utf-8", errors="replace")

    def ended(self):
        return self.process.poll() is not None

    def stop(self):
        if not self.ended():
            self.process.kill()
        self.process.wait()
        self.file.close()


def until(condition):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def finish(programs, words, status):
    for program in programs:
        print(f"--- {program.name}\n{program.said()[-3000:]}")
    print(words)
    return status


def run(options, folder, programs):
    (folder / "libSilKit.so").symlink_to(options.library)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(folder), TMPDIR=str(folder))

    def start(name, command):
        programs.append(Program(name, command, folder, environment))
        return programs[-1]

    registry = start("registry", [options.tactus, "registry", "-u", "silkit://127.0.0.1:0"])
    if not until(lambda: "silkit://" in registry.said()):
        return finish(programs, "there is no registry", 1)
    uri = re.search(r"silkit://\S+", registry.said()).group()
    demos = [start(name, [str(options.bin / f"SilKitDemo{name}"), "--registry-uri", uri, "--name", name,
                          "--log", "info"]) for name in options.demos]
    workflow = start("workflow", [options.tactus, "workflow", "-u", uri, *options.demos])
    said = until(lambda: any(demo.ended() for demo in demos) or
                 all(len(SAYS.findall(demo.said())) > 3 for demo in demos) and "Running" in workflow.said())
    early = [demo.name for demo in demos if demo.ended()]
    if early and any(UNSUPPORTED.search(demo.said()) for demo in demos):
        return finish(programs, "skipped: uses what this library does not offer", SKIPPED)
    if early or not said:
        return finish(programs, f"ended early: {early}" if early else "a demo said nothing", 1)
    workflow.process.send_signal(signal.SIGTERM)
    if not until(lambda: all(each.ended() for each in [*demos, workflow])):
        return finish(programs, "the simulation did not stop", 1)
    wrong = [f"{each.name}: status {each.process.returncode}" for each in [*demos, workflow] if each.process.returncode]
    return finish(programs, "; ".join(wrong) or "all have run and stopped", 1 if wrong else 0)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("demos", nargs="+")
    options = parser.parse_args()
    missing = [name for name in options.demos if not (options.bin / f"SilKitDemo{name}").exists()]
    if missing:
        print(f"skipped: {options.bin} has no demo {', '.join(missing)}")
        return SKIPPED
    programs = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            return run(options, pathlib.Path(folder), programs)
        finally:
            for program in programs:
                program.stop()


sys.exit(main())
