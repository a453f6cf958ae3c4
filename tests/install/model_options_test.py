# SPDX-License-Identifier: Apache-2.0
"""Compiles models as no model should be compiled, with each compiler that is there: each is refused in a sentence that
names the option. With --harmless, builds a model with options that change nothing, and runs it; with --history, against
each version of the headers that the repository ever had."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

HEADERS = ("executive/include/tactus/model.h", "executive/include/tactus/model.hpp")
PACK = "#pragma pack(1)\n"
ROWS = (  # language, options, what stands before the header, what is said
    ("c++", ("-std=c++14",), "", "needs C++20: compile with -std=c++20"),
    ("c++", ("-std=c++17",), "", "needs C++20: compile with -std=c++20"),
    ("c++", ("-std=c++20", "-fno-exceptions"), "", "compile without -fno-exceptions"),
    ("c++", ("-std=c++20", "-fshort-enums"), "", "compile the model without -fshort-enums"),
    ("c++", ("-std=c++20", "-fpack-struct"), "", "compile the model without -fpack-struct"),
    ("c++", ("-std=c++20", "-fpack-struct=4"), "", "compile the model without -fpack-struct"),
    ("c++", ("-std=c++20",), PACK, "close #pragma pack before this header"),
    ("c++", ("-std=c++20", "-mno-sse"), "", "compile the model without -mno-sse"),
    ("c++", ("-std=c++20", "-mno-sse2"), "", "compile the model without -mno-sse"),
    ("c++", ("-std=c++20", "-mabi=ms"), "", "compile the model without -mabi=ms"),
    ("c++", ("-std=c++20", "-m32"), "", "compile the model without -m32"),
    ("c++", ("-std=c++20", "-mx32"), "", "compile the model without -m32 and -mx32"),
    ("c", ("-std=c11", "-fshort-enums"), "", "compile the model without -fshort-enums"),
    ("c", ("-std=c11", "-fpack-struct"), "", "compile the model without -fpack-struct"),
    ("c", ("-std=c11",), PACK, "close #pragma pack before this header"),
    ("c", ("-std=c11", "-mno-sse"), "", "compile the model without -mno-sse"),
    ("c", ("-std=c11", "-mabi=ms"), "", "compile the model without -mabi=ms"),
    ("c", ("-std=c11", "-m32"), "", "compile the model without -m32"),
    ("c", ("-std=c99", "-fshort-enums"), "", "compile_the_model_without_fshort_enums"),
    ("c", ("-std=c89", "-fpack-struct"), "", "compile_the_model_without_fpack_struct"),
)
# Nothing of these changes what passes between model and rig: a model computes the same.
HARMLESS = ("-fno-rtti", "-funsigned-char", "-fshort-wchar", "-D_GLIBCXX_USE_CXX11_ABI=0", "-D_GLIBCXX_DEBUG",
            "-mlong-double-64", "-D_FILE_OFFSET_BITS=64", "-D_TIME_BITS=64 -D_FILE_OFFSET_BITS=64", "-ffast-math",
            "-fno-threadsafe-statics", "-flto", "-O0", "-O3", "-DNDEBUG", "-fvisibility=hidden",
            "-static-libstdc++ -static-libgcc", "-std=c++23", "-Wl,-z,now", "-fno-semantic-interposition")
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


def compilers(options):
    """The compilers of the build and, where they are installed, the others: name of C, name of C++."""
    pairs = [(options.cc, options.cxx)]
    for pair in (("gcc", "g++"), ("clang", "clang++")):
        if all(shutil.which(name) for name in pair):
            pairs.append(pair)
    return {pathlib.Path(shutil.which(cxx) or cxx).resolve(): (cc, cxx) for cc, cxx in pairs}.values()


def is_of_gcc(compiler):
    return "clang" not in run([compiler, "--version"]).stdout


def refuse(options):
    failed = False
    with tempfile.TemporaryDirectory(prefix="tactus-options-") as folder:
        for cc, cxx in compilers(options):
            for language, flags, before, said in ROWS:
                header = "model.hpp" if language == "c++" else "model.h"
                source = pathlib.Path(folder) / ("model.cpp" if language == "c++" else "model.c")
                source.write_text(f"{before}#include <tactus/{header}>\n")
                compiler = cxx if language == "c++" else cc
                done = run([compiler, "-fsyntax-only", *flags, f"-I{options.source / 'executive/include'}", source])
                good = done.returncode != 0 and said in done.stdout
                skip = "-mabi=ms" in flags and not is_of_gcc(compiler)
                verdict = "not tried, unknown there" if skip else "good" if good else "BAD"
                print(f"{verdict}: {compiler} {' '.join(flags)}{' pack(1)' if before else ''}: {said}")
                failed = failed or not (good or skip)
    return failed


def harmless(options):
    failed = False
    for _, cxx in compilers(options):
        for words in HARMLESS:
            with tempfile.TemporaryDirectory(prefix="tactus-harmless-") as folder:
                top = pathlib.Path(folder)
                (top / "gain.cpp").write_text(GAIN)
                (top / "rig.yaml").write_text(RIG)
                built = run([cxx, "-std=c++20", "-O2", "-fPIC", "-shared", *words.split(),
                             f"-I{options.source / 'executive/include'}", top / "gain.cpp", "-o", top / "libgain.so"])
                if built.returncode != 0:
                    print(f"not tried: {cxx} {words}: {built.stdout.strip().splitlines()[:1]}")
                    continue
                last, ran = recorded_by(options, top)
                good = ran.returncode == 0 and last.split(",")[-1] == "8"
                print(f"{'good' if good else 'BAD'}: {cxx} {words}: {last}{'' if good else ran.stdout}")
                failed = failed or not good
    return failed


def recorded_by(options, top):
    """The last row of the recording of the rig in a folder, and how the run ended."""
    ran = run([options.tactus, "run", "rig.yaml", "--no-realtime", "--quiet", "--out", "run"], cwd=top)
    recorded = top / "run/r.csv"
    return recorded.read_text().split()[-1] if recorded.exists() else "nothing", ran


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
            last, ran = recorded_by(options, top)
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
    arguments.add_argument("--harmless", action="store_true")
    options = arguments.parse_args()
    todo = history if options.history else harmless if options.harmless else refuse
    sys.exit(1 if todo(options) else 0)


main()
