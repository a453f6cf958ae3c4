# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of the documents as they stand there, against rigs in the box.

    examples_test.py --source CHECKOUT --tactus BINARY [--cc COMPILER --library LIBTACTUS]

Blocks of `sh` and `python` in docs/http-api.md, and those of docs/episodes.md, docs/command-line.md,
docs/checkpoint-file.md and docs/recordings.md, each section with a rig of its own. What is put in the place of what stands
there is one table (REPLACED), so that no port has to be free and nothing waits longer than it must.
"""
import argparse
import contextlib
import importlib.util
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

parser = argparse.ArgumentParser()
for name in ("--source", "--tactus"):
    parser.add_argument(name, required=True)
parser.add_argument("--cc")
parser.add_argument("--library", help="libtactus.so: the example in C is run, too")
args = parser.parse_args()
SOURCE = pathlib.Path(args.source).resolve()
TACTUS = pathlib.Path(args.tactus).resolve()
PATIENCE = 180
problems, ran = [], 0


def blocks(page):
    """(line, section, language, text) of each block of a page."""
    text = (SOURCE / "docs" / page).read_text(encoding="utf-8")
    for match in re.finditer(r"^```(\w+)[^\n]*\n(.*?)^```", text, re.M | re.S):
        section = re.findall(r"^##+ (.*)$", text[:match.start()], re.M)
        yield text.count("\n", 0, match.start()) + 1, section[-1] if section else "", match[1], match[2]


class Bench:
    """A folder that looks like a checkout, with a rig that runs."""

    def __init__(self, folder, *, paused, unix):
        self.folder, self.process = pathlib.Path(folder), None
        shutil.copytree(SOURCE / "config", self.folder / "config")
        for name in ("scripts", "docs"):
            (self.folder / name).symlink_to(SOURCE / name)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.name = f"servo-{os.getpid()}"  # other rigs of this machine may be called servo
        self.run_folder = self.folder / "runs" / "servo"
        self.run_folder.parent.mkdir()
        listen = "unix:live.sock" if unix else f"127.0.0.1:{self.port}"
        self.start("run", "config/rigs/servo.yaml", "--live", listen, "--set", "until=stopped", "--set",
                   "live.http.answer_timeout=300 ms", "--set", f"rig={self.name}", "--out", self.run_folder, *(["--paused"] if paused else []))
        self.wait_for_port(unix)

    def start(self, *words):
        self.process = subprocess.Popen([TACTUS, *words], cwd=self.folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait_for_port(self, unix):
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX if unix else socket.AF_INET) as probe:
                probe.connect(str(self.run_folder / "live.sock") if unix else ("127.0.0.1", self.port))
                return
            time.sleep(0.02)
        raise SystemExit("the rig opened no control port")

    def replaced(self, text):
        for old, new in ((r"127\.0\.0\.1:8600", f"127.0.0.1:{self.port}"), (r"--max-time 3", "--max-time 1"),
                         (r"(?m)^(tactus \w+) servo\b", rf"\1 {self.name}"),
                         (r"\bcurl ", "curl --fail-with-body "), (r"python3 scripts/", f"python3 {SOURCE}/scripts/")):
            text = re.sub(old, new, text)
        return text

    def environment(self):
        return {**os.environ, "PATH": f"{TACTUS.parent}:{os.environ['PATH']}", "PYTHONPATH": str(SOURCE / "scripts"),
                "PYTHONDONTWRITEBYTECODE": "1"}

    def try_line(self, line, cwd):
        """One command of a shell. What the rig is not in the state for is tried again: a person types more slowly."""
        until = time.monotonic() + 120
        while True:
            done = subprocess.run(["bash", "-c", self.replaced(line)], cwd=cwd, env=self.environment(),
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                                  timeout=PATIENCE, check=False)
            ended = done.returncode == 0 or (done.returncode == 28 and "--max-time" in line)  # 28: until Ctrl-C
            if ended or time.monotonic() > until:
                return None if ended else f"{line}\n  status {done.returncode}\n  {done.stdout[-400:]}{done.stderr[-400:]}"
            time.sleep(0.1)

    def python(self, text, *words):
        done = subprocess.run([sys.executable, "-", *words], input=self.replaced(text), cwd=self.folder,
                              env=self.environment(), capture_output=True, text=True, timeout=PATIENCE, check=False)
        return None if done.returncode == 0 else f"{text}\n  {done.stdout[-400:]}{done.stderr[-800:]}"

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
        if self.process:
            self.process.wait(PATIENCE)


@contextlib.contextmanager
def bench(**how):
    with tempfile.TemporaryDirectory(prefix="tactus-examples-") as folder:
        made = Bench(folder, **how)
        try:
            yield made
        finally:
            made.end()


def note(where, problem):
    global ran
    ran += 1
    if problem:
        problems.append(f"{where}: {problem}")


def http_api():
    """Each section with a rig that runs, Episodes with one in Pause; lines with a unix socket in its run folder."""
    sections = {}
    for line, section, language, text in blocks("http-api.md"):
        if language in ("sh", "python"):
            sections.setdefault(section, []).append((line, language, text))
    for section, examples in sections.items():
        for unix in (False, True):
            commands = []
            for line, language, text in examples:
                if language == "python":
                    commands += [(line, None, text)] if not unix else []
                    continue
                commands += [(line, each, None) for each in text.splitlines()
                             if each.strip() and not each.startswith("tactus run") and ("live.sock" in each) == unix]
            if not commands:
                continue
            with bench(paused=section == "Episodes", unix=unix) as rig:
                for line, command, text in commands:
                    problem = rig.try_line(command, rig.run_folder if unix else rig.folder) if command else rig.python(text)
                    note(f"docs/http-api.md:{line}", problem)


def episodes():
    with bench(paused=True, unix=True) as rig:
        for line, _, language, text in blocks("episodes.md"):
            if language == "python":
                note(f"docs/episodes.md:{line}", rig.python(text))
            if language == "c" and args.cc and args.library:
                program = rig.folder / "episode"
                (rig.folder / "episode.c").write_text(text, encoding="utf-8")
                library = pathlib.Path(args.library).resolve()
                built = subprocess.run([args.cc, "-I", SOURCE / "executive" / "include", "episode.c", library, "-o", program,
                                        f"-Wl,-rpath,{library.parent}"], cwd=rig.folder, capture_output=True, text=True, check=False)
                done = built if built.returncode else subprocess.run(
                    [program], cwd=rig.folder, capture_output=True, text=True, timeout=PATIENCE, check=False,
                    env={**rig.environment(), "TACTUS_PLUGIN_PATH": str(TACTUS.parent.parent / "lib" / "tactus")})
                good = done.returncode == 0 and re.search(r"^-?[0-9.e+-]+ rad/s after half a second$", done.stdout, re.M)
                note(f"docs/episodes.md:{line}", None if good else f"{done.returncode}\n{done.stdout}{done.stderr}")


def commands():
    with bench(paused=False, unix=True) as rig:
        for line, section, language, text in blocks("command-line.md"):
            if language == "sh" and section == "Commands to a running rig":
                for command in text.splitlines():
                    note(f"docs/command-line.md:{line}", rig.try_line(command, rig.folder))


def files():
    """The readers of checkpoints and recordings."""
    with bench(paused=True, unix=True) as rig:
        made = rig.folder / "runs" / "servo-20260101-120000"
        done = subprocess.run([TACTUS, "run", "config/rigs/servo.yaml", "--no-realtime", "--until", "100ms", "--out", made,
                               "--set", "checkpoint.at_end=yes", "--quiet"], cwd=rig.folder, capture_output=True, text=True,
                              timeout=PATIENCE, check=False)
        note("a short run", None if done.returncode == 0 else done.stderr)
        done = subprocess.run([TACTUS, "convert", made / "motion.csv", "--out", rig.folder / "motion.mf4"], capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
        note("its recording in another format", None if done.returncode == 0 else done.stderr)
        for page, words, needs in (("checkpoint-file.md", [str(made / "checkpoints" / "end.tck")], ()),
                                   ("recordings.md", [], ("numpy", "pandas"))):
            if missing := [each for each in needs if importlib.util.find_spec(each) is None]:
                print(f"docs/{page}: not run without {', '.join(missing)}")
                continue
            for line, _, language, text in blocks(page):
                if language == "python":
                    note(f"docs/{page}:{line}", rig.python(text, *words))


if shutil.which("curl") is None:
    print("skipped: curl is not installed")
    sys.exit(77)
def of_checkout():
    """What is in the folders of the checkout that examples name; other tests may compile Python there."""
    return {(file, file.stat().st_mtime_ns) for folder in ("config", "docs", "scripts") for file in (SOURCE / folder).rglob("*")
            if file.is_file() and "__pycache__" not in file.parts}


before = of_checkout()
http_api()
episodes()
commands()
files()
problems += [f"{file}: an example writes into the checkout" for file, _ in sorted(of_checkout() ^ before)]
if ran < 55:
    problems.append(f"only {ran} examples were run: they were not found")
print("\n".join(problems) if problems else f"{ran} examples ran as they stand")
sys.exit(1 if problems else 0)
