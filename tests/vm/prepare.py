# SPDX-License-Identifier: Apache-2.0
"""Fills scripts/rtvm's cache once, before the guests start; notes what cannot be had, and why, for them to skip with."""
import json
import subprocess
import sys

from guest import SKIPPED, Checks, Guest


def cannot(guest, part):
    """Why scripts/rtvm cannot prepare the kernel, or all; None when it can."""
    done = subprocess.run([guest.source / "scripts" / "rtvm", "--prepare", part], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, errors="replace")
    print(done.stderr, end="")
    if done.returncode == 0:
        return None
    said = [line for line in done.stderr.splitlines() if line.startswith("rtvm: ")]
    return said[-1] if said else f"scripts/rtvm --prepare {part} ended with {done.returncode}"


def main():
    guest = Guest.from_arguments(__doc__, needs="nothing")
    guest.notes_file().unlink(missing_ok=True)
    kernel = cannot(guest, "kernel")
    modules = kernel or cannot(guest, "all")
    guest.notes_file().write_text(json.dumps({"kernel": kernel, "modules": modules}), encoding="utf-8")
    if kernel:
        print(f"skipped: no guest can be had here: {kernel}")
        sys.exit(SKIPPED)
    checks = Checks()
    checks.that("there is a PREEMPT_RT kernel to boot", True)
    if modules:
        print(f"the modules that are built from source cannot be had: {modules}")
    checks.finish()


main()
