# SPDX-License-Identifier: Apache-2.0
"""scripts/try-systems where no system can be had: what it answers, and that it leaves nothing behind. What it does with a
system takes minutes, and is done before a release (docs/development.md).

    try_systems_test.py CHECKOUT
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKOUT = pathlib.Path(sys.argv.pop())
COMMAND = CHECKOUT / "scripts" / "try-systems"
# Of a machine that is set up to try systems; whichever of them is called, it fails.
PROGRAMS = ("debootstrap", "unshare", "wget")


def call(*arguments, **more):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, **more)


class TrySystems(unittest.TestCase):
    def test_names_what_it_does_not_know(self):
        for arguments, expected in ((["--systems", "bookworm,buzz"], "unknown system 'buzz'"),
                                    (["--commands", "dance"], "unknown command 'dance'; there are run, test, without-sudo"),
                                    (["--dance"], "unknown argument '--dance'"), (["--folder"], "--folder needs a value")):
            done = call(*arguments)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(expected, done.stderr)
        self.assertIn("scripts/test", call("--help").stdout)

    @unittest.skipIf(os.geteuid() == 0, "this is root")
    def test_takes_root(self):
        done = call()
        self.assertEqual(done.returncode, 2, done)
        self.assertIn("takes root: sudo ", done.stderr)

    @unittest.skipIf(os.geteuid() != 0, "making a chroot takes root")
    def test_a_system_that_cannot_be_had_is_not_tried(self):
        with tempfile.TemporaryDirectory(prefix="tactus-try-") as folder:
            bin_folder = pathlib.Path(folder) / "bin"
            bin_folder.mkdir()
            for name in PROGRAMS:
                (bin_folder / name).write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
                (bin_folder / name).chmod(0o755)
            systems = pathlib.Path(folder) / "systems"
            done = call("--folder", systems, "--mirror", "http://127.0.0.1:9/debian", "--systems", "bookworm,trixie",
                        env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"})
            self.assertEqual(done.returncode, 1, "nothing passed")
            self.assertEqual(done.stdout.splitlines(), [
                f"{name}: all: not tried: http://127.0.0.1:9/debian has no {system} that can be reached"
                for name, system in (("Debian 12 (bookworm)", "bookworm"), ("Debian 13 (trixie)", "trixie"))], done)
            self.assertEqual(sorted(each.name for each in systems.iterdir()), ["bookworm.log", "trixie.log"])


unittest.main()
