# SPDX-License-Identifier: Apache-2.0
"""A rig that names a GPIO driver, on a machine without libgpiod, and the commands of SIL Kit without asio, and recordings
without HDF5: the message says why there is no such driver. Configures tactus where pkg-config knows no libgpiod, and with
neither asio nor HDF5. Then a driver of this build whose libgpiod was removed, and which version has which backend.

    left_out_test.py --source CHECKOUT --cmake CMAKE --cc CC --cxx CXX --tactus TACTUS
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NO_GPIOD = ("it was not built: it needs libgpiod 1.6 or 2, and the build found none; install it (Debian, Ubuntu: apt-get "
            "install libgpiod-dev) and build tactus again in an empty build folder")
BACKENDS = {"": "none", "1.4.1": "none", "1.6.3": "gpiod1.cpp", "2.0": "gpiod2.cpp", "2.2.1": "gpiod2.cpp", "3.0": "none"}
GPIO_DRIVERS = (("clock", "gpio"), ("model", "gpio_in"), ("model", "gpio_out"))
NO_ASIO = "it was not built: it needs asio, and the build found none; "
NO_HDF5 = ("this machine has no driver 'hdf5' of kind 'record'; it was not built: it needs libhdf5, and the build found "
           "none; install it (Debian: apt-get install libhdf5-dev)")
RECORDS = """rig: r
frame: { period: 1 ms }
models: {}
record:
  tape: { driver: hdf5, variables: [rt.late] }
"""


def run(*command, status, **options):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300, **options)
    if done.returncode != status:
        sys.exit(f"status {done.returncode} from: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def without_libgpiod(folder):
    """The environment in which pkg-config knows what it knows, but no libgpiod."""
    folder.mkdir()
    places = run("pkg-config", "--variable", "pc_path", "pkg-config", status=0).strip().split(":")
    places = os.environ.get("PKG_CONFIG_PATH", "").split(":") + places
    for place in places:
        for file in pathlib.Path(place).glob("*.pc") if place else ():
            if not file.name.startswith("libgpiod") and not (folder / file.name).exists():
                (folder / file.name).symlink_to(file)
    return {**os.environ, "PKG_CONFIG_PATH": "", "PKG_CONFIG_LIBDIR": str(folder)}


def check_backends(options, folder):
    script = folder / "backends.cmake"
    script.write_text(f'include("{options.source}/drivers/gpio/backend.cmake")\n' + "".join(
        f'gpio_backend("{version}" backend reason)\n'
        'if(NOT backend)\n  set(backend none)\nendif()\n'
        f'message("<{version}> ${{backend}} <${{reason}}>")\n' for version in BACKENDS))
    said = run(options.cmake, "-P", script, status=0)
    for version, backend in BACKENDS.items():
        found = next(line for line in said.splitlines() if line.startswith(f"<{version}> "))
        expected = f"<{version}> {backend} <" + (">" if backend != "none" else "it needs libgpiod 1.6 or 2, and the build "
                                                 "found " + (f"libgpiod {version}; " if version else "none; "))
        if not found.startswith(expected):
            sys.exit(f"libgpiod {version or 'that is not there'}: {found}")


def check_removed(options, plugins, tactus, rig, environment):
    """As if the library had been removed: the driver asks for one that no machine has."""
    own = options.tactus.parent.parent / "lib" / "tactus"
    for kind, name in GPIO_DRIVERS:
        file = own / f"libtactus-{kind}-{name}.so"
        if not file.exists():
            print("this build has no GPIO driver: what a driver says whose library was removed is not looked at")
            return
        changed = file.read_bytes().replace(b"libgpiod.so.", b"libgpiox.so.")
        (plugins / file.name).write_bytes(changed)
        (plugins / f"tactus-{kind}-{name}.left-out").unlink()
        shutil.copy(own / f"tactus-{kind}-{name}.needs", plugins)
    for shared in own.glob("libtactus-private.so.*"):
        shutil.copy(shared, plugins)
    said = run(tactus, "check", rig, status=2, env=environment)
    print(said)
    for kind, name in GPIO_DRIVERS:
        if not re.search(r"cannot load the library: libgpiox\.so\.\d+: cannot open shared object file: No such file or directory; "
                         rf"the driver '{name}' needs libgpiod (1\.6 \(Debian 12: apt-get install libgpiod2\)|"
                         r"2 \(Debian 13: apt-get install libgpiod3\))", said):
            sys.exit(f"the driver '{name}' does not say which library it lacks")


def main():
    arguments = argparse.ArgumentParser()
    for name in ("source", "cmake", "cc", "cxx", "tactus"):
        arguments.add_argument(f"--{name}", required=True)
    options = arguments.parse_args()
    options.tactus = pathlib.Path(options.tactus)

    with tempfile.TemporaryDirectory(prefix="tactus-left-out-") as folder:
        top = pathlib.Path(folder)
        check_backends(options, top)
        build = top / "build"
        run(options.cmake, "--preset", "release", "-B", build, f"-DCMAKE_C_COMPILER={options.cc}",
            f"-DCMAKE_CXX_COMPILER={options.cxx}", "-DTACTUS_ASIO_INCLUDE=", "-DTACTUS_HDF5_HL=", status=0, cwd=options.source,
            env=without_libgpiod(top / "pkgconfig"))
        # A program finds its plug-ins beside itself: here there are the reasons alone.
        tactus = build / "bin" / "tactus"
        tactus.parent.mkdir(exist_ok=True)
        shutil.copy(options.tactus, tactus)
        environment = {name: value for name, value in os.environ.items() if name != "TACTUS_PLUGIN_PATH"}
        rig = pathlib.Path(options.source) / "config" / "rigs" / "gpio.yaml"
        said = run(tactus, "check", rig, status=2, env=environment)
        (top / "records.yaml").write_text(RECORDS)
        recording = run(tactus, "check", top / "records.yaml", status=2, env=environment)
        commands = {name: run(tactus, name, status=3, env=environment)
                    for name in ("registry", "workflow", "monitor", "demo")}
        check_removed(options, build / "lib" / "tactus", tactus, rig, environment)
    print(said, recording, *commands.values())
    if NO_HDF5 not in recording:
        sys.exit("the driver 'hdf5' of kind 'record' is not explained")
    for name, answer in commands.items():
        if f"tactus: this machine has no driver '{name}' of kind 'command'; {NO_ASIO}" not in answer:
            sys.exit(f"the command '{name}' is not explained")
    for kind, name in GPIO_DRIVERS:
        if f"this machine has no driver '{name}' of kind '{kind}'; {NO_GPIOD}" not in said:
            sys.exit(f"the driver '{name}' of kind '{kind}' is not explained")


main()
