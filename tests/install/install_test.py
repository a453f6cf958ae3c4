"""Installs a build of tactus into an empty prefix and does what a user's first hour is made of: build models
in a project of their own, find them in the libraries, check and run a rig with one of them, drive one from a program."""
import argparse
import ctypes
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

OUTSIDE = pathlib.Path(__file__).resolve().parent / "outside"


class TactusModel(ctypes.Structure):
    """tactus_model of tactus/model.h, as far as this test reads it."""
    _fields_ = [("abi_version", ctypes.c_uint32), ("size", ctypes.c_uint32), ("name", ctypes.c_char_p),
                ("about", ctypes.c_char_p), ("create", ctypes.c_void_p), ("declare", ctypes.c_void_p),
                ("destroy", ctypes.c_void_p)]


def run(*command, cwd=None):
    done = subprocess.run([str(word) for word in command], cwd=cwd, stdin=subprocess.DEVNULL,
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


def exported(library):
    """The names that a shared library defines for others."""
    listed = run("nm", "-D", "--defined-only", library)
    return sorted(line.split()[-1].split("@")[0] for line in listed.splitlines())


def supervise(prefix, program, top):
    """The C API: nothing but itself is exported, and an example links with it and finds models and drivers."""
    names = exported(prefix / "lib" / "libtactus.so")
    expect("names of libtactus.so that are none of its API",
           [name for name in names if not name.startswith("tactus_open_simulation_")], [])
    header = (prefix / "include" / "tactus" / "open_simulation.h").read_text()
    expect("functions of the header that are not exported",
           [name for name in re.findall(r"\b(tactus_open_simulation_\w+)\(", header) if name not in names], [])
    said = run(program, prefix / "share" / "tactus" / "rigs" / "servo.yaml", top / "supervised", cwd=top)
    expect("episodes", said.split(";")[0], "100 episodes")
    summary = json.loads((top / "supervised" / "summary.json").read_text())
    expect("outcome in episodes", summary["outcome"], "completed")
    expect("frames run in episodes", summary["frames"]["run"], 1100)


def main():
    arguments = argparse.ArgumentParser()
    for name in ("build", "cmake", "cc", "cxx"):
        arguments.add_argument(f"--{name}", required=True)
    options = arguments.parse_args()

    with tempfile.TemporaryDirectory(prefix="tactus-install-") as folder:
        top = pathlib.Path(folder)
        prefix, source, build = top / "prefix", top / "outside", top / "outside-build"
        run(options.cmake, "--install", options.build, "--prefix", prefix)
        shutil.copytree(OUTSIDE, source)  # nothing of the checkout in reach
        run(options.cmake, "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_C_COMPILER={options.cc}", f"-DCMAKE_CXX_COMPILER={options.cxx}", "-DCMAKE_BUILD_TYPE=Release",
            "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        run(options.cmake, "--build", build)
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
        supervise(prefix, build / "supervisor", top)
        if (build / "participant").exists():
            expect("a program written for SIL Kit", run(build / "participant", "silkit://127.0.0.1:1", cwd=top),
                   "SIL Kit 5\nnot joined\n")


main()
