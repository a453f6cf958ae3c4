# SPDX-License-Identifier: Apache-2.0
"""How the parts of rtvm fail and speak."""
import shutil
import subprocess
import sys


class Failure(Exception):
    """rtvm cannot do what was asked, and why; ends it with status 125."""


def say(text):
    print(f"rtvm: {text}", file=sys.stderr, flush=True)


def need(*tools):
    """Fails with the names of the programs that are not installed."""
    missing = [tool for tool in tools if not shutil.which(tool)]
    if missing:
        raise Failure(f"not found: {', '.join(missing)} (scripts/setup installs the packages it needs)")


def output_of(argv, **options):
    """What a command prints, stderr included. Fails with it when the command does."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    text = done.stdout.decode(errors="replace")
    if done.returncode:
        raise Failure(f"{' '.join(map(str, argv))[:200]}: status {done.returncode}\n{text[-3000:]}")
    return text
