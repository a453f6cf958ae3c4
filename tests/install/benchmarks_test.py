# SPDX-License-Identifier: Apache-2.0
"""Compiles all benchmarks as one file, without making anything of it: by day nothing else builds them.

    benchmarks_test.py --source CHECKOUT --cxx COMPILER

Left out is what needs a peer's own headers.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDERS = [".", "executive/include", "drivers/silkit/include"]
OF_A_PEER = {"benchmark_trick"}


def parts_of(file):
    """Returns a program's lines up to its last #include, and the rest in a namespace of its own."""
    text = file.read_text(encoding="utf-8")
    end = max(found.end() for found in re.finditer(r"^#include .*$", text, re.M))
    while len(re.findall(r"^ *#if", text[:end], re.M)) > len(re.findall(r"^ *#endif", text[:end], re.M)):
        end += re.search(r"^ *#endif.*$", text[end:], re.M).end()
    line = text[:end].count("\n") + 1
    return text[:end] + "\n", f"namespace {file.stem} {{\n#line {line} \"{file}\"{text[end:]}\n}}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--cxx", required=True)
    options = parser.parse_args()

    folder = options.source / "tests" / "benchmark"
    programs = [file for file in sorted(folder.glob("benchmark_*.cpp")) if file.stem not in OF_A_PEER]
    if len(programs) < 20:
        print(f"only {len(programs)} benchmarks in {folder}", file=sys.stderr)
        return 1
    heads, bodies = zip(*map(parts_of, programs))
    # Paths that CMakeLists.txt hands over as text.
    macros = sorted(set(re.findall(r"([A-Z_]+)=\"", (folder / "CMakeLists.txt").read_text(encoding="utf-8"))))
    with tempfile.TemporaryDirectory(prefix="tactus-benchmarks-") as work:
        one = pathlib.Path(work) / "benchmarks.cpp"
        one.write_text("".join(heads) + "".join(bodies), encoding="utf-8")
        return subprocess.run([options.cxx, "-std=c++20", "-fsyntax-only", "-Werror=return-type",
                               *[f"-I{options.source / include}" for include in FOLDERS],
                               *[f"-D{name}=\"\"" for name in macros], one], check=False, timeout=600).returncode


if __name__ == "__main__":
    sys.exit(main())
