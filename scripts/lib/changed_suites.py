# SPDX-License-Identifier: Apache-2.0
"""Prints which of the suites page, guest and install a change does not need, one a line: their paths are as they were.

    changed_suites.py [--base REVISION]

The change is what differs from the merge base with REVISION, in the work tree too. Without --base it is TACTUS_TEST_BASE,
else the branch that this one follows, else the remote's default branch. Where none is known, or it is this very commit
and the work tree is clean, nothing is known of the change: no suite is left out.
"""
import argparse
import fnmatch
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

# What decides whether a suite runs: patterns of paths, `*` also across folders.
PATHS = {
    "page": ["drivers/live/http/*", "executive/capability/live/*", "tests/drivers/live/page/*", "tests/rig/drivers/model_tape*",
             "scripts/tactus_client.py", "executive/campaign/page/*", "tests/executive/campaign/page/*"],
    "guest": ["rtsync/*", "drivers/gpio/*", "executive/app/witness*", "executive/isolation/*", "scripts/rtvm",
              "scripts/lib/rtvm/*", "tests/vm/*", "tests/drivers/gpio/*", "config/rigs/gpio.yaml"],
    "install": ["CMakeLists.txt", "*/CMakeLists.txt", "*.cmake", "*.cmake.in", "CMakePresets.json", "scripts/*",
                "executive/include/*", "drivers/silkit/include/*", "tests/install/*"],
}
# A change of these may change what any suite finds.
EVERYTHING = [".ci/run", "scripts/test", "scripts/setup", "scripts/lib/common.sh", "scripts/lib/changed_suites.py",
              "tests/CMakeLists.txt", "tests/support/run_test.py"]


def git(*arguments):
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, text=True)
    return done.stdout.strip() if done.returncode == 0 else None


def changed_paths(base, ask=git):
    """The paths of the change; None where it is not known."""
    for revision in [base] if base else [os.environ.get("TACTUS_TEST_BASE"), "@{upstream}", "origin/HEAD"]:
        merge_base = ask("merge-base", "HEAD", revision) if revision else None
        if merge_base:
            break
    else:
        return None
    changed = ask("diff", "--name-only", merge_base)
    untracked = ask("ls-files", "--others", "--exclude-standard")
    if changed is None or untracked is None:
        return None
    paths = [*changed.splitlines(), *untracked.splitlines()]
    return paths if paths or ask("rev-parse", "HEAD") != merge_base else None


def needless(paths):
    """The suites that a change of these paths cannot make fail."""
    if paths is None or any(fnmatch.fnmatchcase(path, each) for path in paths for each in EVERYTHING):
        return []
    return [suite for suite, patterns in PATHS.items()
            if not any(fnmatch.fnmatchcase(path, pattern) for path in paths for pattern in patterns)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--base", metavar="REVISION")
    print("\n".join(needless(changed_paths(parser.parse_args().base))))


if __name__ == "__main__":
    sys.exit(main())
