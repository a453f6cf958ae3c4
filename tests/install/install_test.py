# SPDX-License-Identifier: Apache-2.0
"""Installs a build of tactus into an empty prefix and does what a user's first hour is made of: build models
in a project of their own, find them in the libraries, check and run a rig with one of them, drive one from a program."""
import argparse
import ctypes
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

OUTSIDE = pathlib.Path(__file__).resolve().parent / "outside"
EXPORTS = OUTSIDE.parent / "exports"  # what each shared library promises to export, by its SONAME
EPISODES = "frame 99; one speed\nframe 199; one speed\nframe 299, the last; one speed\n"


class TactusModel(ctypes.Structure):
    """tactus_model of tactus/model.h, as far as this test reads it."""
    _fields_ = [("abi_version", ctypes.c_uint32), ("size", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("about", ctypes.c_char_p), ("create", ctypes.c_void_p), ("declare", ctypes.c_void_p),
                ("destroy", ctypes.c_void_p)]


def run(*command, cwd=None, env=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode} from: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: found {found!r}, wanted {wanted!r}")
    print(f"{what}: {found!r}")


def models_in(library):
    loaded = ctypes.CDLL(str(library))
    loaded.tactus_models.restype = ctypes.POINTER(ctypes.POINTER(TactusModel))
    loaded.tactus_models.argtypes = [ctypes.POINTER(ctypes.c_uint32)]
    count = ctypes.c_uint32(0)
    listed = loaded.tactus_models(ctypes.byref(count))
    models = [listed[i].contents for i in range(count.value)]
    for model in models:
        expect(f"{model.name.decode()}: ABI version, size of tactus_model", (model.abi_version, model.size),
               (1, ctypes.sizeof(TactusModel)))
    return sorted(model.name.decode() for model in models)


def expect_promise(prefix):
    """docs/packages.md: what is exported, under which name, and nothing that has no promise."""
    for promise in sorted(EXPORTS.iterdir()):
        library = prefix / "lib" / promise.name
        if promise.name.startswith("libtactus-silkit") and not library.exists():
            continue  # tactus was built without asio
        expect(f"SONAME of {promise.name}", re.findall(r"SONAME.*\[(.*)\]", run("readelf", "-d", library)), [promise.name])
        listed = run("nm", "-D", "--defined-only", library)
        names = {line.split()[-1].split("@")[0] for line in listed.splitlines()}
        promised = set(promise.read_text().split())
        expect(f"names that {promise.name} lost: programs that call them stop; give it another SOVERSION",
               sorted(promised - names), [])
        expect(f"names that are new in {promise.name}: promised from now on? then add them to {promise}",
               sorted(names - promised), [])
    header = (prefix / "include" / "tactus" / "open_simulation.h").read_text()
    names = (EXPORTS / "libtactus.so.0").read_text().split()
    expect("functions of the header that are not exported",
           [name for name in re.findall(r"\b(tactus_open_simulation_\w+)\(", header) if name not in names], [])
    expect("static libraries", sorted(str(file) for file in prefix.rglob("*.a")), [])
    expect("headers that are neither of models, of episodes nor of SIL Kit",
           sorted(str(file.relative_to(prefix)) for file in (prefix / "include").rglob("*.h*")
                  if not re.match(r"tactus/(((model|open_simulation|driver)\.hp?p?|(model|record|clock)_driver\.hpp|(record_file|time_histogram)\.hpp)|silkit\w*\.h|compatible/silkit/capi/\w+\.h)$",
                                  str(file.relative_to(prefix / "include")))), [])
    cmake = "".join(file.read_text() for file in sorted((prefix / "lib").rglob("tactusTargets*.cmake")))
    targets = set(re.findall(r"add_library\((tactus::\w+)", cmake))
    expect("CMake targets", sorted(targets - {"tactus::silkit"}), ["tactus::driver", "tactus::model", "tactus::open_simulation"])
    expect("what the targets want of this machine", re.findall(r"LINK_ONLY|/usr/lib/.*\.so", cmake), [])


def supervise(prefix, build, top):
    """Programs that run a rig: an example in C, and one in C++."""
    servo = prefix / "share" / "tactus" / "rigs" / "servo.yaml"
    said = run(build / "supervisor", servo, top / "supervised", cwd=top)
    expect("episodes", said.split(";")[0], "100 episodes")
    summary = json.loads((top / "supervised" / "summary.json").read_text())
    expect("outcome in episodes", summary["outcome"], "completed")
    expect("frames run in episodes", summary["frames"]["run"], 1100)
    expect("episodes in C++", run(build / "episodes", servo, top / "episodes", cwd=top), EPISODES)


def use_new_drivers(prefix, top, options):
    """A driver of each kind, as `tactus new driver` makes it: builds without warnings, tests and runs."""
    tactus = prefix / "bin" / "tactus"
    for kind in ("model", "format", "clock"):
        name = f"my_{kind}"
        run(tactus, "new", "driver", name, "--kind", kind, cwd=top)
        build = top / name / "build"
        run(options.cmake, "-G", "Ninja", "-S", top / name, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={options.cxx}", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Wshadow -Werror")
        run(options.cmake, "--build", build)
        library, = build.glob("libtactus-*.so")
        listed = run("nm", "-D", "--defined-only", library)
        names = {line.split()[-1] for line in listed.splitlines()}  # and what the standard library exports anyway
        expect(f"names that {library.name} exports", sorted(name for name in names if not re.match("_Z", name)),
               ["tactus_driver_entry", "tactus_models"])
        run(pathlib.Path(options.cmake).with_name("ctest"), "--test-dir", build, "--output-on-failure")
        environment = {**os.environ, "TACTUS_PLUGIN_PATH": str(build)}
        reference = run(tactus, "check", "--reference", cwd=top, env=environment)
        expect(f"{name} in the reference page", f"`driver: {name}`" in reference or name in reference, True)
    summary = json.loads((top / "my_format" / "build" / "run" / "summary.json").read_text())
    expect("outcome with a format of one's own", summary["outcome"], "completed")
    environment = {**os.environ, "TACTUS_PLUGIN_PATH": str(top / "my_format" / "build")}
    run(tactus, "convert", top / "my_format" / "build" / "run" / "times.my_format", "--to", "csv", "-o", top / "times.csv",
        env=environment)
    expect("rows of what was converted", len((top / "times.csv").read_text().splitlines()), 1001)


def use_pkg_config(prefix, source, top, options):
    """The same programs without CMake."""
    if shutil.which("pkg-config") is None:
        print("pkg-config is not installed; not tried")
        return
    pc = next((prefix / "lib").rglob("tactus.pc")).parent
    environment = {**os.environ, "PKG_CONFIG_PATH": str(pc), "LD_LIBRARY_PATH": str(prefix / "lib")}

    def flags(package):
        return run("pkg-config", "--cflags", "--libs", package, env=environment).split()

    model = top / "libpkg_model.so"
    run(options.cxx, "-std=c++20", "-fPIC", "-shared", source / "my_model.cpp", "-o", model, *flags("tactus-model"))
    expect("models of libpkg_model.so", models_in(model), ["my_model", "my_other"])
    run(options.cxx, "-std=c++20", source / "episodes.cpp", "-o", top / "pkg_episodes", *flags("tactus"))
    servo = prefix / "share" / "tactus" / "rigs" / "servo.yaml"
    expect("episodes in C++, by pkg-config", run(top / "pkg_episodes", servo, top / "pkg", cwd=top, env=environment),
           EPISODES)
    if (pc / "tactus-silkit.pc").exists():
        run(options.cc, "-std=c11", source / "participant.c", "-o", top / "pkg_participant", *flags("tactus-silkit"))
        expect("a program written for SIL Kit, by pkg-config",
               run(top / "pkg_participant", "silkit://127.0.0.1:1", cwd=top, env=environment), "SIL Kit 5\nnot joined\n")


def expect_pages(prefix):
    """What the command says of itself; tests/rig/help_test.cpp looks at its contents."""
    share = prefix / "share"
    for name in ("man/man1/tactus.1", "man/man1/tactus-run.1", "bash-completion/completions/tactus",
                 "zsh/vendor-completions/_tactus", "fish/vendor_completions.d/tactus.fish"):
        if "tactus" not in (share / name).read_text():
            sys.exit(f"{name} is empty")
    expect("the schema's title", json.loads((share / "tactus/rig.schema.json").read_text())["title"], "tactus rig")


def expect_documentation(prefix, top):
    """README, pages and examples are where the pages link them; messages and manual pages name what is there."""
    docs = prefix / "share" / "doc" / "tactus"
    for name in ("changelog.gz", "changelog.Debian.gz", "copyright"):
        for package in ("tactus", "libtactus-dev", "python3-tactus"):
            expect(f"{package}/{name}", (docs.parent / package / name).stat().st_size > 0, True)
    expect("the changes", gzip.decompress((docs / "changelog.gz").read_bytes()).decode().splitlines()[0], "# Changes")
    head, *_, maintainer = gzip.decompress((docs / "changelog.Debian.gz").read_bytes()).decode().rstrip().splitlines()
    expect("the packages' changes", [bool(re.match(r"tactus \(\d+\.\d+\.\d+-\d+\) ", head)),
                                     bool(re.match(r" -- [^<]+ <[^@>]+@[^@>]+>  \w{3}, \d\d ", maintainer))], [True, True])
    lost = []
    for page in [docs / "README.md", *sorted((docs / "docs").glob("*.md"))]:
        text = re.sub(r"^( *)```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
        lost += [f"{page.name}: {target}" for target in re.findall(r"\]\(([^)#\s]+)[^)\s]*\)", text)
                 if not re.match(r"[a-z]+:", target) and not (page.parent / target).exists()]
    expect("links of the installed pages that lead nowhere", lost, [])
    (top / "unit.yaml").write_text("rig: unit\nframe: { period: 1 ms }\nmodels:\n  t: { model: trajectory, library: servo, "
                                   "parameters: { to: 5 fot } }\n")
    said = subprocess.run([prefix / "bin" / "tactus", "check", top / "unit.yaml"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False).stdout
    named = re.findall(r"\((\S+units\.md)\)", said)
    expect("the page that a message names", named, [str(docs / "docs/units.md")])
    pages = sorted((prefix / "share/man/man1").glob("*.1"))
    for page in pages:
        also = page.read_text().replace("\\-", "-").partition("\n.SH SEE ALSO\n")[2]
        named = re.findall(r"\\fI(/\S+\.md)\\fR", also)
        if not named or any(not pathlib.Path(each).exists() for each in named):
            sys.exit(f"{page.name}: SEE ALSO names {named}, which are not all there")
        gone = [each for each in re.findall(r"\\fB([\w-]+)\\fR\(1\)", also) if not (page.parent / f"{each}.1").exists()]
        expect(f"manual pages that {page.name} names and that are not there", gone, [])
    for example in sorted((docs / "examples").glob("*.yaml")):
        if "link:" not in example.read_text():
            run(prefix / "bin" / "tactus", "check", example, cwd=top)


def use_python(prefix, top, version):
    """The Python package: its version is the command's, and it loads what was recorded."""
    environment = {**os.environ, "PYTHONPATH": str(prefix / "lib" / "python3" / "dist-packages"),
                   "PYTHONDONTWRITEBYTECODE": "1"}
    code = ("import importlib.metadata, tactus; from tactus.client import Rig; assert tactus.Rig is Rig; "
            "print(tactus.__version__, importlib.metadata.version('tactus'), "
            "tactus.load('run')['r'].values('mine.y')[:3], [name for name in tactus.__all__ if not hasattr(tactus, name)])")
    expect("Python", run(sys.executable, "-c", code, cwd=top, env=environment),
           f"{version} {version} [1.0, 2.0, 3.0] []\n")
    listed = run(sys.executable, "-m", "tactus.recordings", "run", cwd=top, env=environment)
    expect("columns from a shell", re.findall(r"^  (mine\.\w+)  (\w+)", listed, re.M), [("mine.y", "double")])
    for module, words in (("recordings", ["run"]), ("client", ["--help"])):
        said = run(sys.executable, "-m", f"tactus.{module}", *words, cwd=top, env=environment)
        expect(f"warnings of python3 -m tactus.{module}", re.findall(r".*Warning.*", said), [])
    expect("py.typed", (prefix / "lib/python3/dist-packages/tactus/py.typed").exists(), True)


def run_under_valgrind(prefix, top):
    """What is calculated before main() has other numbers there: its long double is a double."""
    if shutil.which("valgrind") is None:
        print("valgrind is not installed; not tried")
        return
    run("strip", "-g", "-o", top / "stripped", prefix / "bin" / "tactus")  # 3.19 cannot read what Clang writes
    run("valgrind", "-q", "--error-exitcode=99", top / "stripped", "--version", cwd=top)
    print("the command runs under valgrind")


def main():
    arguments = argparse.ArgumentParser()
    for name in ("build", "cmake", "cc", "cxx"):
        arguments.add_argument(f"--{name}", required=True)
    options = arguments.parse_args()

    with tempfile.TemporaryDirectory(prefix="tactus-install-") as folder:
        top = pathlib.Path(folder)
        prefix, source, build = top / "prefix", top / "outside", top / "outside-build"
        for component in ("tactus", "dev", "python"):  # as the packages have it
            run(options.cmake, "--install", options.build, "--prefix", prefix, "--component", component)
        shutil.copytree(OUTSIDE, source)  # nothing of the checkout in reach
        run(options.cmake, "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_C_COMPILER={options.cc}", f"-DCMAKE_CXX_COMPILER={options.cxx}", "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        run(options.cmake, "--build", build)
        expect_promise(prefix)
        run_under_valgrind(prefix, top)
        expect_pages(prefix)
        expect("models of libmy_model.so", models_in(build / "libmy_model.so"), ["my_model", "my_other"])
        expect("models of libmy_c_model.so", models_in(build / "libmy_c_model.so"), ["my_c_model"])

        tactus = prefix / "bin" / "tactus"
        if not tactus.exists():
            print("no tactus command is installed; the rig was not run")
            return
        shutil.copy(source / "outside.yaml", build)  # a library path is relative to the rig file
        run(tactus, "check", build / "outside.yaml", cwd=top)
        run(tactus, "run", build / "outside.yaml", "--no-realtime", "--quiet", "--out", top / "run", cwd=top)
        summary = json.loads((top / "run" / "summary.json").read_text())
        expect("outcome", summary["outcome"], "completed")
        expect("frames run", summary["frames"]["run"], 100)
        expect_documentation(prefix, top)
        supervise(prefix, build, top)
        use_new_drivers(prefix, top, options)
        use_pkg_config(prefix, source, top, options)
        use_python(prefix, top, run(tactus, "--version").split()[1])
        if (build / "participant").exists():
            expect("a program written for SIL Kit", run(build / "participant", "silkit://127.0.0.1:1", cwd=top),
                   "SIL Kit 5\nnot joined\n")


main()
