# SPDX-License-Identifier: Apache-2.0
"""Runs demo programs of a genuine SIL Kit on our library, with our registry and workflow.

    demo_test.py --tactus TACTUS --library LIBTACTUS_SILKIT --bin FOLDER_OF_THE_DEMOS DEMO...

The demos take part in one simulation with virtual time. Each has to say what it does; then the simulation is stopped, and
all have to end with status 0. Those of ENDING end by themselves. Those of PORT_8500 know no other registry than
silkit://localhost:8500, and run in a network namespace of their own. Status 77: such a namespace is not permitted, or a
demo uses what our library does not offer.
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PATIENCE = 180  # seconds
SAYS = re.compile(r"eceiv|Sending|sends?\b|Publish|Call|result|Simulation (running|step|stop in)|now=", re.I)
UNSUPPORTED = re.compile(r"not supported|NOTSUPPORTED|unsupported", re.I)
SKIPPED = 77
PORT_8500 = {"Autonomous", "Coordinated", "SimStep", "SimStepAsync", "SimpleCan"}
ENDING = {"Autonomous": "Stopping just me", "Benchmark": "Throughput", "Latency": "- Latency:",
          "LatencyReceiver": "...................."}  # and what they say by then
IN_NAMESPACE = "TACTUS_DEMO_NAMESPACE"


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


def names_of(demos):
    """Of each demo its name as a participant: its own, with a number where it is there already."""
    return [demo + (str(demos[:i].count(demo) + 1) if demo in demos[:i] else "") for i, demo in enumerate(demos)]


def program_of(options, demo):
    return options.bin / ("SilKitDemo" + ("Latency" if demo == "LatencyReceiver" else demo))


def arguments_of(demo, name, uri, folder):
    if demo in PORT_8500:
        return [name]
    if demo == "Benchmark":
        return ["--number-simulation-runs", "1", "--message-count", "5"]  # with a registry of its own
    if demo == "Latency":
        return ["--registry-uri", uri, "--message-count", "100"]
    if demo == "LatencyReceiver":
        return ["--registry-uri", uri, "--message-count", "100", "--isReceiver"]
    if demo == "NetSim":
        (folder / "netsim.yaml").write_text("Logging: { Sinks: [{ Type: Stdout, Level: Info }] }\n", encoding="utf-8")
        return ["netsim.yaml", name, uri]
    return ["--registry-uri", uri, "--name", name, "--log", "info"]


def run(options, folder, programs):
    (folder / "libSilKit.so").symlink_to(options.library)
    environment = dict(os.environ, LD_LIBRARY_PATH=str(folder), TMPDIR=str(folder))

    def start(name, command):
        programs.append(Program(name, command, folder, environment))
        return programs[-1]

    known = bool(PORT_8500.intersection(options.demos))
    registry = start("registry", [options.tactus, "registry", "-u",
                                  "silkit://localhost:8500" if known else "silkit://127.0.0.1:0"])
    if not until(lambda: "silkit://" in registry.said() or registry.ended()) or registry.ended():
        return finish(programs, "there is no registry", 1)
    uri = re.search(r"silkit://\S+", registry.said()).group()
    names = names_of(options.demos)
    demos = [start(name, [str(program_of(options, demo)), *arguments_of(demo, name, uri, folder)])
             for demo, name in zip(options.demos, names)]
    if set(options.demos) <= set(ENDING):
        return result_of(programs, demos, dict(zip(demos, map(ENDING.get, options.demos))))
    workflow = start("workflow", [options.tactus, "workflow", "-u", uri, *names])
    said = until(lambda: any(demo.ended() for demo in demos) or
                 all(len(SAYS.findall(demo.said())) > 3 for demo in demos) and "system: Running" in workflow.said())
    early = [demo.name for demo in demos if demo.ended()]
    if early and any(UNSUPPORTED.search(demo.said()) for demo in demos):
        return finish(programs, "skipped: uses what this library does not offer", SKIPPED)
    if early or not said:
        return finish(programs, f"ended early: {early}" if early else "a demo said nothing", 1)
    workflow.process.send_signal(signal.SIGTERM)
    return result_of(programs, [*demos, workflow], {})


def result_of(programs, ending, words):
    if not until(lambda: all(each.ended() for each in ending)):
        return finish(programs, "the simulation did not stop", 1)
    wrong = [f"{each.name}: status {each.process.returncode}" for each in ending if each.process.returncode]
    wrong += [f"{each.name}: did not say '{text}'" for each, text in words.items() if text not in each.said()]
    return finish(programs, "; ".join(wrong) or "all have run and stopped", 1 if wrong else 0)


def enter_namespace():
    """Becomes this test in a network namespace with its own loopback. Returns words when that is not possible."""
    if not shutil.which("unshare") or not shutil.which("ip"):
        return "there is no unshare, or no ip"
    unshare = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--net"]
    tried = subprocess.run([*unshare, "ip", "link", "set", "lo", "up"], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        return tried.stderr.strip()
    os.environ[IN_NAMESPACE] = "1"
    os.execvp(unshare[0], [*unshare, "sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable, "-B",
                           *sys.argv])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tactus", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("demos", nargs="+")
    options = parser.parse_args()
    missing = sorted({name for name in options.demos if not program_of(options, name).exists()})
    if missing:
        print(f"skipped: {options.bin} has no demo {', '.join(missing)}")
        return SKIPPED
    if PORT_8500.intersection(options.demos) and IN_NAMESPACE not in os.environ:
        words = enter_namespace()
        print(f"skipped: needs port 8500 in a network namespace of its own: {words}")
        return SKIPPED
    programs = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            return run(options, pathlib.Path(folder), programs)
        finally:
            for program in programs:
                program.stop()


sys.exit(main())
