# SPDX-License-Identifier: Apache-2.0
"""scripts/test --arm64 where what it needs is missing: it is skipped, says what is missing, and builds nothing."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
TOOLS = ("bash", "env", "readlink", "dirname", "sed", "setarch", "uname", "nproc", "id", "true")


class Arm64(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.root / "bin").mkdir()
        for tool in TOOLS:  # no dpkg: nothing is installed
            if found := shutil.which(tool):
                (self.root / "bin" / tool).symlink_to(found)
        (self.root / "bin/python3").symlink_to(sys.executable)
        (self.root / "scripts/lib").mkdir(parents=True)
        for script in ("scripts/test", "scripts/lib/common.sh", "scripts/lib/build", "scripts/lib/suite_report.py"):
            shutil.copy2(SOURCE / script, self.root / script)
        (self.root / "tests").symlink_to(SOURCE / "tests")

    def provide(self, program):
        path = self.root / "bin" / program
        path.write_text("#!/bin/sh\nexit 1\n")
        path.chmod(0o755)

    def run_it(self):
        return subprocess.run([self.root / "scripts/test", "--arm64"], env={**os.environ, "PATH": str(self.root / "bin")},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)

    def expect_skipped(self, lack):
        done = self.run_it()
        self.assertEqual((done.returncode, done.stdout), (0, "0 passed, 0 failed, 1 skipped\n"), done.stderr)
        self.assertIn(f"skipping the unit tests for ARM64: this machine lacks {lack}", done.stderr)
        self.assertFalse((self.root / "build/arm64").exists())

    def test_says_which_part_is_missing(self):
        self.provide("qemu-aarch64")
        (self.root / "build/arm64-sysroot").mkdir(parents=True)
        (self.root / "build/arm64-sysroot/.packages").touch()
        self.expect_skipped("the cross compiler (package crossbuild-essential-arm64)")
        self.provide("aarch64-linux-gnu-g++")
        (self.root / "bin/qemu-aarch64").unlink()
        self.expect_skipped("qemu-user (package qemu-user)")
        self.provide("qemu-aarch64-static")
        (self.root / "build/arm64-sysroot/.packages").unlink()
        self.expect_skipped("the libraries in build/arm64-sysroot")

    def test_is_tried_where_all_is_there_and_fails_where_it_cannot_be_built(self):
        for program in ("qemu-aarch64", "aarch64-linux-gnu-g++", "cmake", "mkdir", "flock", "rm", "tail", "grep", "ninja"):
            self.provide(program)
        (self.root / "build/arm64-sysroot").mkdir(parents=True)
        (self.root / "build/arm64-sysroot/.packages").touch()
        done = self.run_it()
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]), (1, "0 passed, 1 failed, 0 skipped"), done.stderr)


if __name__ == "__main__":
    unittest.main()
