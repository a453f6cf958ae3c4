# SPDX-License-Identifier: Apache-2.0
"""What scripts/rtvm puts into a guest, without booting one: the tactus that a script calls, `edges`, named files.

    rtvm_test.py CHECKOUT
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest

CHECKOUT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(CHECKOUT / "scripts" / "lib"))

from rtvm.cpio import Cpio  # noqa: E402  (the path to it is made above)
from rtvm.edges import add_edges  # noqa: E402
from rtvm.failure import Failure  # noqa: E402
from rtvm.own_tactus import GUEST, bring_named_files, bring_own_tactus, calls_tactus  # noqa: E402


def options(*command, copy=(), tactus=None):
    return types.SimpleNamespace(command=list(command), copy=list(copy), tactus=tactus, chdir="/tmp")


class OwnTactus(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tactus-rtvm-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.binary = self.folder / "build/bin/tactus"
        self.binary.parent.mkdir(parents=True)
        self.binary.touch(mode=0o755)
        (self.folder / "build/lib/tactus").mkdir(parents=True)

    def brought(self, given):
        bring_named_files(given)
        bring_own_tactus(given, self.folder / "no checkout")
        return any(spec.endswith(f":{GUEST}") for spec in given.copy)

    def test_a_call_is_found_where_a_shell_would_run_it(self):
        for text in ("tactus run rig.yaml", "  tactus ps", "a; tactus check x", "sleep 1 && tactus run x &",
                     "if tactus check x; then", "x=$(tactus ps)", "A=1 B=2 tactus run x", "exec tactus run x",
                     "timeout 5 tactus run x", "true\ntactus doctor\n", "for i in 1 2; do tactus ps; done", "! tactus x"):
            self.assertTrue(calls_tactus(text), text)
        for text in ("# tactus run x", "echo tactus", "./tactus run x", "grep tactus log", "tactus-guardian", "mytactus run",
                     "/opt/bin/tactus run x", "ls /usr/local/lib/tactus", "tactus_x run"):
            self.assertFalse(calls_tactus(text), text)

    def test_it_comes_along_for_a_script(self):
        script = self.folder / "try.sh"
        script.write_text("#!/bin/sh\nedges 0 1ms &\ntactus run rig.yaml\n")
        build = str(self.binary)
        self.assertTrue(self.brought(options("sh", str(script), tactus=build)))
        self.assertTrue(self.brought(options(str(script), tactus=build)))
        self.assertTrue(self.brought(options("sh", "-c", "sleep 1; tactus ps", tactus=build)))
        self.assertTrue(self.brought(options("sh", "try.sh", copy=[f"{script}:/tmp/"], tactus=build)))

    def test_without_need_nothing_is_built(self):
        quiet = self.folder / "quiet.sh"
        quiet.write_text("#!/bin/sh\nuname -v\n")
        for given in (options("uname", "-v"), options("sh", str(quiet)), options("sh", "-c", "echo tactus")):
            self.assertFalse(self.brought(given))

    def test_who_brings_one_gets_no_other(self):
        given = options("sh", "-c", "tactus ps", copy=[f"{self.binary}:/usr/local/bin/tactus"])
        bring_own_tactus(given, self.folder)
        self.assertEqual(len(given.copy), 1)

    def test_as_the_command_it_is_named_in_full_and_its_files_come_along(self):
        rig = self.folder / "rig.yaml"
        rig.write_text("rig: r\n")
        given = options("tactus", "run", str(rig), tactus=str(self.binary))
        self.assertTrue(self.brought(given))
        self.assertEqual(given.command[0], GUEST)
        self.assertIn(f"{rig}:{rig}", given.copy)

    def test_what_is_no_tactus_is_refused(self):
        with self.assertRaisesRegex(Failure, "plug-ins in ../lib/tactus"):
            self.brought(options("tactus", "ps", tactus=str(self.folder / "none")))


class Edges(unittest.TestCase):
    def test_the_guest_has_the_command_and_its_program(self):
        with tempfile.TemporaryDirectory(prefix="tactus-rtvm-") as folder:
            cpio = Cpio()
            add_edges(cpio, folder)
            self.assertIn("usr/local/bin/edges", cpio.names)
            self.assertIn("usr/local/lib/rtvm/gpio_pulse", cpio.names)
            add_edges(Cpio(), folder)
            self.assertEqual(len(os.listdir(folder)), 1, "it is compiled once")

    def test_a_wrong_command_line_says_what_is_right(self):
        script = CHECKOUT / "scripts/lib/rtvm/edges.sh"
        with tempfile.TemporaryDirectory(prefix="tactus-rtvm-") as folder:
            (pathlib.Path(folder) / "sim_gpio3").mkdir()
            (pathlib.Path(folder) / "sim_gpio3/pull").touch()
            for words, part in (((), "a line and a period"), (("9", "1ms"), "'9' is not a line of the chip, which has 0 to 7"),
                                (("3", "1"), "'1' is no period"), (("3", "0ms"), "no period"), (("3", "fast"), "no period"),
                                (("3", "1ms", "5x"), "'5x' is not a number of edges")):
                done = subprocess.run(["sh", script, *words], capture_output=True, text=True, check=False,
                                      env={**os.environ, "RTVM_GPIO_DIR": folder, "RTVM_GPIO_LINES": "8"})
                self.assertEqual(done.returncode, 2, words)
                self.assertIn(part, done.stderr)
            done = subprocess.run(["sh", script, "3", "1ms"], capture_output=True, text=True, check=False)
            self.assertIn("no simulated GPIO chip", done.stderr)


unittest.main()
