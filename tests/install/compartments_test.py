# SPDX-License-Identifier: Apache-2.0
"""Models and drivers in the process of an installed tactus: none is given another one's functions.

    compartments_test.py --build DIR --cmake CMAKE      installs the build into an empty prefix first
    compartments_test.py --prefix /usr                  what a package has installed (scripts/try-packages)

With each compiler and standard library that is there: a model that is built by hand; two releases of one model in one
rig, whose functions have the same names; a driver of each kind, in one rig with what comes with tactus.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

EXPORTS = pathlib.Path(__file__).resolve().parent / "exports_test.py"
COMPILERS = (("g++",), ("clang++",), ("clang++", "-stdlib=libc++"))
GAIN = """#include <string>
#include <tactus/model.hpp>
namespace control {
inline double& gain() {  // one for all libraries of a process, unless somebody sees to it
  static double value = RELEASE;
  return value;
}
inline std::string name() { return std::to_string(RELEASE) + " of a long name that does not fit into a short string"; }
}  // namespace control
class Gain : public tactus::Model {
 public:
  void declare(tactus::Declare& d) override {
    d.output("y", y_, "V", control::name().c_str());
    d.job<&Gain::step>("step", tactus::JobClass::scheduled);
  }
  void step() { y_ += control::gain(); }

 private:
  double y_ = 0;
};
TACTUS_MODEL("gain", Gain, "adds")
"""
RIG = """rig: together
frame: {{ period: 1 ms }}
until: 4 ms
models:
  one: {{ model: gain, library: {one} }}
  two: {{ model: gain, library: {two} }}
record: {{ r: {{ driver: csv, every: 1 ms, variables: [one.y, two.y] }} }}
"""
failed = []


def run(*command, cwd=None, env=None):
    return subprocess.run([str(word) for word in command], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False)


def verdict(what, good, said=""):
    print(f"{'good' if good else 'BAD'}: {what}")
    if not good:
        print(said)
        failed.append(what)


def there(compiler, top):
    """Whether a compiler, with its standard library, makes a program here."""
    source = top / "there.cpp"
    source.write_text("#include <string>\nint main() { return std::string().size() == 0 ? 0 : 1; }\n")
    return shutil.which(compiler[0]) and run(*compiler, "-std=c++20", source, "-o", top / "there").returncode == 0


def build(compiler, prefix, top, release, hidden):
    """The model of a release; `hidden`: as tactus::model of CMake and tactus-model of pkg-config have it."""
    library = top / f"libgain{release}.so"
    (top / "gain.cpp").write_text(GAIN)
    flags = ["-fvisibility=hidden", "-fvisibility-inlines-hidden"] if hidden else []
    done = run(*compiler, "-std=c++20", "-fPIC", "-shared", f"-DRELEASE={release}", *flags, f"-I{prefix / 'include'}",
               top / "gain.cpp", "-o", library)
    if done.returncode != 0:
        sys.exit(f"{' '.join(compiler)}:\n{done.stdout}")
    return library


def try_models(tactus, prefix, compiler, top):
    name = " ".join(compiler)
    for hidden in (True, False):
        one, two = (build(compiler, prefix, top, release, hidden) for release in (1, 2))
        (top / "rig.yaml").write_text(RIG.format(one=one, two=two))
        shutil.rmtree(top / "run", ignore_errors=True)
        done = run(tactus, "run", "rig.yaml", "--no-realtime", "--quiet", "--out", "run", cwd=top)
        recorded = (top / "run/r.csv").read_text().split()[-1] if (top / "run/r.csv").exists() else "nothing"
        own = done.returncode == 0 and recorded.split(",")[1:] == ["4", "8"]
        # What cannot be kept apart is refused, with the symbol and both libraries; a wrong result is never one.
        named = done.returncode != 0 and "is replaced by that of" in done.stdout and one.name in done.stdout \
            and two.name in done.stdout
        verdict(f"{name}: two releases of a model, {'hidden' if hidden else 'with all names shown'}: "
                f"{'each its own' if own else 'refused'}", own or (named and not hidden), f"{recorded}\n{done.stdout}")


def try_drivers(tactus, prefix, compiler, top):
    """A driver of each kind beside those of tactus. Built without CMake, which a package need not bring."""
    name = " ".join(compiler)
    plugins = top / "plugins"
    plugins.mkdir(exist_ok=True)
    for kind, of in (("model", "model"), ("format", "record"), ("clock", "clock")):
        folder = top / f"own_{kind}"
        shutil.rmtree(folder, ignore_errors=True)
        made = run(tactus, "new", "driver", folder.name, "--kind", kind, cwd=top)
        library = plugins / f"libtactus-{of}-{folder.name}.so"
        built = run(*compiler, "-std=c++20", "-fPIC", "-shared", f"-I{prefix / 'include'}", folder / f"{folder.name}.cpp",
                    "-o", library)
        verdict(f"{name}: a driver of kind {kind} builds", made.returncode == 0 and built.returncode == 0,
                made.stdout + built.stdout)
        keys = ["--keys", "{ file: /proc/sys/kernel/pid_max }"] if kind == "model" else []
        tried = run(tactus, "test", "driver", library, "--patience", "30 min", *keys)
        verdict(f"{name}: and passes its trials", tried.returncode == 0, tried.stdout)
    (top / "rig.yaml").write_text(
        "rig: beside\nframe: { period: 1 ms }\nuntil: 20 ms\n"
        "models: { servo: { model: trajectory, library: servo } }\n"
        "record:\n  a: { driver: own_format, variables: [rt.late] }\n  b: { driver: csv, variables: [rt.late] }\n"
        "  c: { driver: trk, variables: [rt.late] }\n")
    shutil.rmtree(top / "run", ignore_errors=True)
    done = run(tactus, "run", "rig.yaml", "--no-realtime", "--quiet", "--out", "run", cwd=top,
               env={**os.environ, "TACTUS_PLUGIN_PATH": str(plugins)})
    summary = json.loads((top / "run/summary.json").read_text()) if (top / "run/summary.json").exists() else {}
    written = [each.get("written") for each in summary.get("recordings", []) if each.get("name") in ("a", "b", "c")]
    verdict(f"{name}: a rig with three formats, one of them out of tree", done.returncode == 0 and written == [20] * 3,
            f"{written}\n{done.stdout}")


def main():
    arguments = argparse.ArgumentParser()
    for name in ("prefix", "build"):
        arguments.add_argument(f"--{name}", type=pathlib.Path)
    arguments.add_argument("--cmake", default="cmake")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="tactus-compartments-") as folder:
        top = pathlib.Path(folder)
        prefix = options.prefix
        if prefix is None:
            prefix = top / "prefix"
            done = run(options.cmake, "--install", options.build, "--prefix", prefix)
            if done.returncode != 0:
                sys.exit(done.stdout)
        if shutil.which("nm"):
            done = run(sys.executable, "-B", EXPORTS, "--build", prefix)
            verdict("nothing that is installed exports what has no promise", done.returncode == 0, done.stdout)
        tried = 0
        for compiler in COMPILERS:
            if not there(compiler, top):
                print(f"not tried, not there: {' '.join(compiler)}")
                continue
            tried += 1
            try_models(prefix / "bin/tactus", prefix, compiler, top)
            try_drivers(prefix / "bin/tactus", prefix, compiler, top)
        verdict(f"{tried} compilers were tried", tried > 0)
    sys.exit(1 if failed else 0)


main()
