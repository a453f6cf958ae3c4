# SPDX-License-Identifier: Apache-2.0
"""Compiles every header that a user includes alone, and README's first model, with all compilers of a kind on PATH.

    headers_test.py --source CHECKOUT gcc | clang | libc++        libc++: Clang with that standard library

Exit status 77 when there is no such compiler. What one standard library's <string> brings along, another's does not.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

KINDS = {  # commands, flags of C++, Debian packages
    "gcc": (r"g\+\+(-\d+)?", [], "g++"),
    "clang": (r"clang\+\+(-\d+)?", [], "clang"),
    "libc++": (r"clang\+\+(-\d+)?", ["-stdlib=libc++"], "clang libc++-dev libc++abi-dev"),
}
INCLUDE_FOLDERS = ["executive/include", "drivers/silkit/include"]
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"]


def compile_text(compiler, flags, text, suffix):
    """What the compiler complains about; empty when it takes the text."""
    with tempfile.TemporaryDirectory(prefix="tactus-headers-") as folder:
        file = pathlib.Path(folder) / f"alone{suffix}"
        file.write_text(text)
        done = subprocess.run([compiler, *flags, *STRICT, file], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=300)
        return done.stdout if done.returncode != 0 else ""


def compilers(kind):
    """C++ compilers on PATH that find their standard library, each version once."""
    pattern, flags, _ = KINDS[kind]
    names = {entry for folder in os.get_exec_path() if os.path.isdir(folder) for entry in os.listdir(folder)
             if re.fullmatch(pattern, entry) and shutil.which(entry)}
    versions = {}
    for name in sorted(names):
        version = subprocess.run([name, "--version"], capture_output=True, text=True, timeout=300).stdout.split("\n")[0]
        version = re.sub(r"^.*?g\+\+(-\d+)?", "g++", version)  # GCC begins with the name it was called by
        if version not in versions and not compile_text(name, [*flags, "-std=c++20"], "#include <vector>\n", ".cpp"):
            versions[version] = name
    return versions


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--source", type=pathlib.Path, required=True)
    arguments.add_argument("kind", choices=KINDS)
    options = arguments.parse_args()

    folders = [options.source / folder for folder in INCLUDE_FOLDERS]
    public = sorted(str(header.relative_to(folder)) for folder in folders for header in folder.rglob("*.h*"))
    if not {"tactus/model.h", "tactus/model.hpp", "tactus/open_simulation.h", "tactus/open_simulation.hpp",
            "tactus/silkit.h"} <= set(public):
        sys.exit(f"found only {public}")
    gain = re.search(r"^```cpp\n(.*?)^```", (options.source / "README.md").read_text(), re.M | re.S)[1]
    includes = [word for folder in [*folders, options.source] for word in ("-I", str(folder))]

    found = compilers(options.kind)
    if not found:
        print(f"no compiler of kind {options.kind} here (Debian: apt-get install {KINDS[options.kind][2]})")
        sys.exit(77)
    failed = 0
    for version, cxx in found.items():
        cc = cxx.replace("clang++", "clang").replace("g++", "gcc")
        cxx_flags = [*KINDS[options.kind][1], "-std=c++20", *includes]
        work = [(cxx, cxx_flags, f"#include <{header}>\n", ".cpp") for header in public]
        work.append((cxx, cxx_flags, gain, ".cpp"))
        if options.kind != "libc++" and shutil.which(cc):
            work += [(cc, ["-std=c11", *includes], f"#include <{header}>\n", ".c")
                     for header in public if header.endswith(".h")]
        complaints = ["\n".join([f"{text.splitlines()[0]} ({compiler})", *said.splitlines()[:12]])
                      for compiler, flags, text, suffix in work
                      if (said := compile_text(compiler, flags, text, suffix))]
        print(f"{version}: {len(work) - len(complaints)} of {len(work)} compile", *complaints, sep="\n")
        failed += len(complaints)
    sys.exit(1 if failed else 0)


main()
