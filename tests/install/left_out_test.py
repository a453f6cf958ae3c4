"""A rig that names a GPIO driver, on a machine whose libgpiod this tactus does not support, and the commands of SIL Kit
without asio, and recordings without HDF5: the message says why there is no such driver. Configures tactus beside a
libgpiod 2 that is nothing but its pkg-config file, and with neither asio nor HDF5.

    left_out_test.py --source CHECKOUT --cmake CMAKE --cc CC --cxx CXX --tactus TACTUS
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

LIBGPIOD_2 = "Name: libgpiod\nDescription: none\nVersion: 2.2.1\nLibs: -lgpiod\n"
REASON = "it was not built: it needs libgpiod 1.6, and the build found libgpiod 2.2.1, which is not supported yet; "
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
                          stderr=subprocess.STDOUT, text=True, timeout=60, **options)
    if done.returncode != status:
        sys.exit(f"status {done.returncode} from: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def main():
    arguments = argparse.ArgumentParser()
    for name in ("source", "cmake", "cc", "cxx", "tactus"):
        arguments.add_argument(f"--{name}", required=True)
    options = arguments.parse_args()

    with tempfile.TemporaryDirectory(prefix="tactus-left-out-") as folder:
        top = pathlib.Path(folder)
        (top / "libgpiod.pc").write_text(LIBGPIOD_2)
        build = top / "build"
        run(options.cmake, "--preset", "release", "-B", build, f"-DCMAKE_C_COMPILER={options.cc}",
            f"-DCMAKE_CXX_COMPILER={options.cxx}", "-DTACTUS_ASIO_INCLUDE=", "-DTACTUS_HDF5_HL=", status=0, cwd=options.source,
            env={**os.environ, "PKG_CONFIG_PATH": str(top)})
        # A program finds its plug-ins beside itself: here there are the reasons alone.
        tactus = build / "bin" / "tactus"
        tactus.parent.mkdir(exist_ok=True)
        shutil.copy(options.tactus, tactus)
        environment = {name: value for name, value in os.environ.items() if name != "TACTUS_PLUGIN_PATH"}
        said = run(tactus, "check", pathlib.Path(options.source) / "config" / "rigs" / "gpio.yaml", status=2,
                   env=environment)
        (top / "records.yaml").write_text(RECORDS)
        recording = run(tactus, "check", top / "records.yaml", status=2, env=environment)
        commands = {name: run(tactus, name, status=3, env=environment)
                    for name in ("registry", "workflow", "monitor", "demo")}
    print(said, recording, *commands.values())
    if NO_HDF5 not in recording:
        sys.exit("the driver 'hdf5' of kind 'record' is not explained")
    for name, answer in commands.items():
        if f"tactus: this machine has no driver '{name}' of kind 'command'; {NO_ASIO}" not in answer:
            sys.exit(f"the command '{name}' is not explained")
    for kind, name in (("clock", "gpio"), ("model", "gpio_in"), ("model", "gpio_out")):
        if f"this machine has no driver '{name}' of kind '{kind}'; {REASON}" not in said:
            sys.exit(f"the driver '{name}' of kind '{kind}' is not explained")


main()
