# SPDX-License-Identifier: Apache-2.0
"""A warning of a compiler that we have not tried ends a build with tests, but not a user's. Configures every preset.

    warnings_test.py --source CHECKOUT --cmake CMAKE --cc CC --cxx CXX
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

PRESETS = {"release": False, "dev": True, "asan": True, "tsan": True, "product": True, "benchmark": True}


def commands_of(preset, options, build):
    """The compiler's command lines of a preset, without those of generated sources."""
    done = subprocess.run([options.cmake, "--preset", preset, "-B", build, "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                           "-DCMAKE_UNITY_BUILD=OFF",  # else most files would be generated ones
                           f"-DCMAKE_C_COMPILER={options.cc}", f"-DCMAKE_CXX_COMPILER={options.cxx}"],
                          cwd=options.source, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"preset {preset} cannot be configured\n{done.stdout}")
    listed = json.loads((build / "compile_commands.json").read_text())
    return {one["file"]: one["command"].split() for one in listed if not one["file"].startswith(str(build))}


def main():
    arguments = argparse.ArgumentParser()
    for name in ("source", "cmake", "cc", "cxx"):
        arguments.add_argument(f"--{name}", required=True)
    options = arguments.parse_args()

    complaints = []
    for preset, errors in PRESETS.items():
        with tempfile.TemporaryDirectory(prefix="tactus-warnings-") as folder:
            commands = commands_of(preset, options, pathlib.Path(folder))
        for file, words in commands.items():
            if ("-Werror" in words) != errors:
                complaints.append(f"preset {preset}: {file} is compiled {'without' if errors else 'with'} -Werror")
        print(f"preset {preset}: {len(commands)} files")
        if len(commands) < 100:
            complaints.append(f"preset {preset} compiles only {len(commands)} files")
    for complaint in complaints[:20]:
        print(complaint)
    if complaints:
        sys.exit(f"{len(complaints)} wrong")


main()
