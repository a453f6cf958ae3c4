# SPDX-License-Identifier: Apache-2.0
"""Compiles models as no model should be compiled: each is refused in a sentence that names the option. With --history,
builds a model against each version of the headers that the repository ever had, and runs it."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

HEADERS = ("executive/include/tactus/model.h", "executive/include/tactus/model.hpp")
ROWS = (  # language, options, what is said
    ("c++", ("-std=c++17",), "needs C++20: compile with -std=c++20"),
    ("c++", ("-std=c++20", "-fno-exceptions"), "compile without -fno-exceptions"),
    ("c", ("-std=c11", "-fshort-enums"), "compile the model without -fshort-enums"),
    ("c", ("-std=c11", "-fpack-struct"), "compile the model without -fpack-struct"),
)
GAIN = """#include <tactus/model.hpp>
class Gain : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("k", k_, "1", "amplification");
    d.output("y", y_, "V", "what goes out");
    d.job<&Gain::step>("step", tactus::JobClass::scheduled);
  }
  void step() { y_ += k_; }

 private:
  double k_ = 2, y_ = 0;
};
TACTUS_MODEL("gain", Gain, "adds")
"""
RIG = """rig: old
frame: { period: 1 ms }
until: 4 ms
models: { m: { model: gain, library: ./libgain.so } }
record: { r: { driver: csv, every: 1 ms, variables: [m.y] } }
"""


def run(command, **how):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, **how)


def refuse(options):
    failed = False
    with tempfile.TemporaryDirectory(prefix="tactus-options-") as folder:
        for language, flags, said in ROWS:
            header = "model.hpp" if language == "c++" else "model.h"
            source = pathlib.Path(folder) / ("model.cpp" if language == "c++" else "model.c")
            source.write_text(f"#include <tactus/{header}>\n")
            compiler = options.cxx if language == "c++" else options.cc
            done = run([compiler, "-fsyntax-only", *flags, f"-I{options.source / 'executive/include'}", source])
            good = done.returncode != 0 and said in done.stdout
            print(f"{'good' if good else 'BAD'}: {' '.join(flags)}: {said}")
            failed = failed or not good
    return failed


def history(options):
    def git(*words):
        return run(["git", "-C", options.source, *words])

    commits = git("log", "--format=%h", "--", *HEADERS)
    if commits.returncode != 0 or shutil.which("git") is None:
        print("no history here; not tried")
        return False
    seen, failed = set(), False
    for commit in commits.stdout.split():
        texts = [git("show", f"{commit}:{header}") for header in HEADERS]
        content = tuple(text.stdout for text in texts)
        if any(text.returncode != 0 for text in texts) or content in seen:
            continue
        seen.add(content)
        with tempfile.TemporaryDirectory(prefix="tactus-history-") as folder:
            top = pathlib.Path(folder)
            (top / "tactus").mkdir()
            (top / "tactus/model.h").write_text(content[0])
            (top / "tactus/model.hpp").write_text(content[1])
            (top / "gain.cpp").write_text(GAIN)
            (top / "rig.yaml").write_text(RIG)
            built = run([options.cxx, "-std=c++20", "-fPIC", "-shared", f"-I{top}", top / "gain.cpp",
                         "-o", top / "libgain.so"])
            ran = run([options.tactus, "run", "rig.yaml", "--no-realtime", "--quiet", "--out", "run"], cwd=top)
            recorded = top / "run/r.csv"
            last = recorded.read_text().split()[-1] if recorded.exists() else "nothing"
            good = built.returncode == 0 and ran.returncode == 0 and last.split(",")[-1] == "8"
            print(f"{'good' if good else 'BAD'}: headers of {commit}: {last}")
            if not good:
                print(built.stdout + ran.stdout)
            failed = failed or not good
    return failed


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--source", required=True, type=pathlib.Path)
    for name in ("cc", "cxx", "tactus"):
        arguments.add_argument(f"--{name}")
    arguments.add_argument("--history", action="store_true")
    options = arguments.parse_args()
    sys.exit(1 if (history if options.history else refuse)(options) else 0)


main()
