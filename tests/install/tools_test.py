# SPDX-License-Identifier: Apache-2.0
"""Runs models that were built for a tool of their author's, as docs/tools.md says: AddressSanitizer, which finds what
the model does wrong, UndefinedBehaviorSanitizer, and gcov, by GCC and by Clang; with --valgrind, valgrind. What this
machine lacks is not tried."""
import argparse
import json
import os
import pathlib
import re
import shutil
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


class Bench:
    """A folder with a model and its rig."""

    def __init__(self, options, top):
        self.options, self.top = options, top
        (top / "sum.cpp").write_text(MODEL)
        (top / "rig.yaml").write_text(RIG)

    def use(self, tool, cxx, *flags, environment=(), more=(), before=(), tactus=None):
        built = run([cxx, "-std=c++20", "-g", *flags, "-fPIC", "-shared", f"-I{self.options.source}/executive/include",
                     "sum.cpp", "-o", "libsum.so"], cwd=self.top)
        expect(f"{tool}: builds", built.returncode == 0, built.stdout)
        return run([*before, tactus or self.options.tactus, "run", "rig.yaml", "--no-realtime", "--no-witness", "--quiet",
                    "--out", tempfile.mkdtemp(dir=self.top), *more], cwd=self.top,
                   env={**os.environ, **dict(environment)})


BEYOND = ("--set", "models.m.parameters.index=5")


def file_of(compiler, name):
    """A file of a compiler; None: it has none of that name."""
    if shutil.which(compiler) is None:
        return None
    path = run([compiler, f"-print-file-name={name}"]).stdout.strip()
    return path if os.path.isabs(path) and os.path.exists(path) else None


def address(bench, tool, cxx, library, *flags):
    if library is None:
        return print(f"not tried: {tool}, its library is not there")
    asan = {"LD_PRELOAD": library, "ASAN_OPTIONS": "detect_leaks=0"}
    done = bench.use(tool, cxx, "-fsanitize=address", *flags, environment=asan)
    expect(f"{tool}: a good model runs", done.returncode == 0, done.stdout)
    done = bench.use(tool, cxx, "-fsanitize=address", *flags, environment=asan, more=BEYOND)
    expect(f"{tool}: a read beyond the heap is found",
           done.returncode != 0 and "heap-buffer-overflow" in done.stdout and "Sum::step" in done.stdout, done.stdout)
    done = bench.use(tool, cxx, "-fsanitize=address", *flags)
    expect(f"{tool}: without its library the model is refused",
           done.returncode != 0 and re.search("AddressSanitizer|ASan runtime", done.stdout), done.stdout)


def locks_no_memory(bench):
    """A library that looks as AddressSanitizer does is enough, and takes no memory where this fails."""
    (bench.top / "stub.c").write_text("void __asan_init(void) {}")
    built = run([bench.options.cxx, "-x", "c", "-fPIC", "-shared", "stub.c", "-o", "libstub.so"], cwd=bench.top)
    expect("a library like AddressSanitizer: builds", built.returncode == 0, built.stdout)
    done = run([bench.options.tactus, "run", "rig.yaml", "--out", "locked"], cwd=bench.top,
               env={**os.environ, "LD_PRELOAD": bench.top / "libstub.so"})
    refused = json.loads((bench.top / "locked/summary.json").read_text())["rt"]["refused"]
    expect("in real time its memory is not locked",
           any(one["what"].startswith("all memory locked") and "AddressSanitizer" in json.dumps(one) for one in refused), done.stdout)


def by_compilers(bench):
    options = bench.options
    address(bench, "AddressSanitizer", options.cxx, file_of(options.cxx, "libasan.so"))
    done = bench.use("UndefinedBehaviorSanitizer", options.cxx, "-fsanitize=undefined")
    expect("UndefinedBehaviorSanitizer: runs", done.returncode == 0, done.stdout)
    done = bench.use("gcov", options.cxx, "--coverage")
    expect("gcov: runs and leaves its counts", done.returncode == 0 and list(bench.top.glob("*.gcda")), done.stdout)
    locks_no_memory(bench)
    machine = os.uname().machine
    address(bench, "AddressSanitizer of Clang", "clang++", file_of("clang++", f"libclang_rt.asan-{machine}.so"),
            "-shared-libasan")
    library = file_of("clang++", f"libclang_rt.ubsan_standalone-{machine}.so")
    if library is None:
        return print("not tried: UndefinedBehaviorSanitizer of Clang, its library is not there")
    done = bench.use("UndefinedBehaviorSanitizer of Clang", "clang++", "-fsanitize=undefined", "-shared-libsan",
                     f"-Wl,-rpath,{os.path.dirname(library)}")
    expect("UndefinedBehaviorSanitizer of Clang: runs", done.returncode == 0, done.stdout)


def by_valgrind(bench):
    if shutil.which("valgrind") is None or shutil.which("strip") is None:
        return print("not tried: there is no valgrind here")
    # Without debug information, which valgrind 3.19 cannot read as Clang writes it.
    built = pathlib.Path(bench.options.tactus).parent.parent
    for file in [built / "bin/tactus", *(built / "lib/tactus").iterdir()]:
        copy = bench.top / file.relative_to(built)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if run(["strip", "-g", "-o", copy, file]).returncode != 0:
            shutil.copy(file, copy)
    valgrind = {"before": ("valgrind", "-q", "--error-exitcode=99"), "tactus": bench.top / "bin/tactus"}
    done = bench.use("valgrind", bench.options.cxx, "-O1", **valgrind)
    expect("valgrind: a good model is clean", done.returncode == 0 and "==" not in done.stdout, done.stdout)
    done = bench.use("valgrind", bench.options.cxx, "-O1", "-fno-builtin", more=BEYOND, **valgrind)
    expect("valgrind: a read beyond the heap is found",
           done.returncode == 99 and "Invalid read" in done.stdout and "sum.cpp" in done.stdout, done.stdout)


def main():
    arguments = argparse.ArgumentParser()
    for name in ("source", "cxx", "tactus"):
        arguments.add_argument(f"--{name}", required=True)
    arguments.add_argument("--valgrind", action="store_true")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="tactus-tools-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        (by_valgrind if options.valgrind else by_compilers)(bench)


main()
