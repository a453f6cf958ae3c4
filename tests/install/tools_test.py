# SPDX-License-Identifier: Apache-2.0
"""Runs models that were built for a tool of their author's, as docs/tools.md says: AddressSanitizer, which finds what
the model does wrong, UndefinedBehaviorSanitizer, and gcov."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

MODEL = """#include <tactus/model.hpp>
class Sum : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.parameter("index", index_);
    d.output("y", y_);
    d.job<&Sum::step>("step", tactus::JobClass::scheduled);
  }
  void step() {
    int* values = new int[4]();
    y_ += values[index_];
    delete[] values;
  }

 private:
  double y_ = 0;
  int index_ = 1;
};
TACTUS_MODEL("sum", Sum, "sums")
"""
RIG = """rig: tools
frame: { period: 1 ms }
until: 5 ms
models: { m: { model: sum, library: ./libsum.so } }
"""


def run(command, **how):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300, **how)


def expect(what, good, said):
    print(f"{'good' if good else 'BAD'}: {what}")
    if not good:
        sys.exit(said)


def main():
    arguments = argparse.ArgumentParser()
    for name in ("source", "cxx", "tactus"):
        arguments.add_argument(f"--{name}", required=True)
    options = arguments.parse_args()
    preload = run([options.cxx, "-print-file-name=libasan.so"]).stdout.strip()
    with tempfile.TemporaryDirectory(prefix="tactus-tools-") as folder:
        top = pathlib.Path(folder)
        (top / "sum.cpp").write_text(MODEL)
        (top / "rig.yaml").write_text(RIG)

        def use(tool, *flags, environment=(), more=()):
            built = run([options.cxx, "-std=c++20", "-g", *flags, "-fPIC", "-shared",
                         f"-I{options.source}/executive/include", "sum.cpp", "-o", "libsum.so"], cwd=top)
            expect(f"{tool}: builds", built.returncode == 0, built.stdout)
            return run([options.tactus, "run", "rig.yaml", "--no-realtime", "--no-witness", "--quiet", "--out",
                        tempfile.mkdtemp(dir=top), *more], cwd=top, env={**os.environ, **dict(environment)})

        if os.path.isabs(preload):
            asan = {"LD_PRELOAD": preload, "ASAN_OPTIONS": "detect_leaks=0"}
            done = use("AddressSanitizer", "-fsanitize=address", environment=asan)
            expect("AddressSanitizer: a good model runs", done.returncode == 0, done.stdout)
            done = use("AddressSanitizer", "-fsanitize=address", environment=asan,
                       more=("--set", "models.m.parameters.index=5"))
            expect("AddressSanitizer: a read beyond the heap is found",
                   done.returncode != 0 and "heap-buffer-overflow" in done.stdout and "Sum::step" in done.stdout,
                   done.stdout)
        else:
            print("not tried: AddressSanitizer, this compiler has no libasan.so")
        done = use("UndefinedBehaviorSanitizer", "-fsanitize=undefined")
        expect("UndefinedBehaviorSanitizer: runs", done.returncode == 0, done.stdout)
        done = use("gcov", "--coverage")
        expect("gcov: runs and leaves its counts", done.returncode == 0 and list(top.glob("*.gcda")), done.stdout)


main()
