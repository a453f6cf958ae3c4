# SPDX-License-Identifier: Apache-2.0
"""scripts/stall: what runs under it stands still now and then while the clocks go on, and its status is told."""
import pathlib
import subprocess
import sys
import unittest

STALL = pathlib.Path(sys.argv.pop(1)) / "scripts" / "stall"

# Looks at the clock for a second, and prints the longest time in which it could not.
LOOKS = """
import time
longest, last = 0, time.monotonic()
end = last + 1
while last < end:
    now = time.monotonic()
    longest, last = max(longest, now - last), now
print(longest)
"""


def stall(*arguments):
    return subprocess.run([sys.executable, "-B", STALL, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=300)


class Stall(unittest.TestCase):
    def setUp(self):
        tried = stall("true")
        if "no control group" in tried.stderr:
            self.skipTest(tried.stderr)

    def test_the_command_stands_still_and_goes_on(self):
        done = stall("--every", "0.03", "--shortest", "0.3", "--longest", "0.4", "--", sys.executable, "-c", LOOKS)
        self.assertEqual(done.returncode, 0, done)
        self.assertGreater(float(done.stdout), 0.25)
        self.assertRegex(done.stderr, r"stood still [1-9]\d* times \(--seed \d+\)")

    def test_its_status_is_that_of_the_command(self):
        self.assertEqual(stall("sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(stall("sh", "-c", "kill -TERM $$").returncode, 128 + 15)
        self.assertIn("does not start", stall("/nowhere/command").stderr)

    def test_that_it_is_ended_ends_all(self):
        children = "trap '' TERM; sleep 600 & echo $!; wait; sleep 600"
        with subprocess.Popen([sys.executable, "-B", STALL, "--every", "0.01", "--shortest", "0.5", "sh", "-c", children],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True) as running:
            child = int(running.stdout.readline())
            running.terminate()
            self.assertEqual(running.wait(60), 128 + 15)
        state = pathlib.Path(f"/proc/{child}/stat")  # it may wait for its parent to look
        self.assertTrue(not state.exists() or ") Z " in state.read_text())


class WrongCommandLines(unittest.TestCase):
    def test_are_status_2(self):
        for wrong in ([], ["--every", "0", "true"], ["--longest", "0.1", "true"], ["--every", "x", "true"]):
            done = stall(*wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn("error:", done.stderr)


unittest.main()
