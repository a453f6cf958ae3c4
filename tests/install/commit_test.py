# SPDX-License-Identifier: Apache-2.0
"""scripts/cmake/commit.cmake in a small project of its own: each build names the commit that it was made of, and what
it compiles again for a new one is that name alone.

    commit_test.py --source CHECKOUT --cmake CMAKE --cxx CXX
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(named LANGUAGES CXX)
set(commit ${PROJECT_BINARY_DIR}/commit.cpp)
include(scripts/cmake/add_commit.cmake)
tactus_add_commit(${commit})
add_executable(named executive/main.cpp executive/other.cpp ${commit})
target_include_directories(named PRIVATE ${PROJECT_SOURCE_DIR})
target_compile_definitions(named PRIVATE TACTUS_VERSION="1.2.3")
"""
MAIN = """#include <cstdio>
#include "executive/app/built_from.hpp"
#include "executive/other.hpp"
int main() { std::puts(tactus::app::kCommit); }
"""
FILES = {"CMakeLists.txt": PROJECT, "executive/main.cpp": MAIN, "executive/other.hpp": "", "executive/other.cpp": "",
         "README.md": "a page\n"}


def run(*command, cwd=None):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1", GIT_CEILING_DIRECTORIES="/")
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"status {done.returncode} from: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


class Project:
    """A checkout and its build folder."""

    def __init__(self, options, source, build):
        self.options, self.source, self.build = options, source, build
        for name, text in FILES.items():
            self.write(name, text)
        for name in ("scripts/cmake/commit.cmake", "scripts/cmake/add_commit.cmake", "executive/app/built_from.hpp"):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(pathlib.Path(options.source) / name, source / name)

    def write(self, name, text):
        (self.source / name).parent.mkdir(parents=True, exist_ok=True)
        (self.source / name).write_text(text)

    def git(self, *words):
        return run("git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words, cwd=self.source).strip()

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a change")
        return "commit " + self.git("rev-parse", "--short=12", "HEAD")

    def configure(self):
        run(self.options.cmake, "-G", "Ninja", "-S", self.source, "-B", self.build,
            f"-DCMAKE_CXX_COMPILER={self.options.cxx}")

    def expect(self, what, commit, compiled):
        """Builds, and compares what the program says and which files were compiled."""
        said = run(self.options.cmake, "--build", self.build, "--verbose")
        found = sorted(set(re.findall(r" -c .*?(\w+\.cpp)'?$", said, re.M)))
        name = run(self.build / "named").strip()
        if (name, found) != (commit, sorted(compiled)):
            sys.exit(f"{what}: found {name!r} and {found} compiled, wanted {commit!r} and {compiled}\n{said}")
        again = run(self.options.cmake, "--build", self.build)
        if "no work to do" not in again:
            sys.exit(f"{what}: a second build is not idle\n{again}")
        print(f"{what}: {name}; compiled {found}")


def main():
    arguments = argparse.ArgumentParser()
    for name in ("source", "cmake", "cxx"):
        arguments.add_argument(f"--{name}", required=True)
    options = arguments.parse_args()
    everything = ["commit.cpp", "main.cpp", "other.cpp"]

    with tempfile.TemporaryDirectory(prefix="tactus-commit-") as folder:
        top = pathlib.Path(folder).resolve()
        plain = Project(options, top / "a tarball", top / "tarball-build")
        plain.configure()
        plain.expect("a tarball", "no commit", everything)
        plain.write("executive/other.cpp", "// changed\n")
        plain.expect("a changed tarball", "no commit", ["other.cpp"])

        one = Project(options, top / "a checkout", top / "checkout-build")
        one.git("init", "-q", "-b", "main")
        first = one.commit()
        one.configure()
        one.expect("a checkout", first, everything)
        one.write("README.md", "another page\n")
        one.expect("a page changed", first, [])
        one.git("status")  # writes into .git
        if "no work to do" not in run(options.cmake, "--build", one.build):
            sys.exit("a look at the status is something to build")
        one.write("executive/other.hpp", "// changed\n")
        one.expect("a header changed", first + "-dirty", ["commit.cpp", "main.cpp"])
        second = one.commit()
        one.expect("a new commit", second, ["commit.cpp"])
        one.git("pack-refs", "--all")
        third = one.commit()
        one.expect("another", third, ["commit.cpp"])
        (one.source / "executive/unused.cpp").write_text("")
        fourth = one.commit()
        one.expect("a file more", fourth, ["commit.cpp"])
        (one.source / "executive/unused.cpp").unlink()
        one.expect("a file that is gone", fourth + "-dirty", ["commit.cpp"])
        one.git("checkout", "-q", "--", ".")
        one.expect("a file that is back", fourth, ["commit.cpp"])
        one.git("checkout", "-q", "--detach", "HEAD~1")
        one.expect("an earlier commit", third, ["commit.cpp"])

        inner = Project(options, one.source / "vendor", top / "vendor-build")
        inner.configure()
        inner.expect("a folder in another repository", "no commit", everything)


main()
