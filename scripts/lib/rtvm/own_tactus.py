# SPDX-License-Identifier: Apache-2.0
"""The tactus of this checkout in the guest: as the command itself, or in a script that calls it; and files."""
import os
import pathlib
import re
import subprocess

from .failure import Failure

# Where a shell looks for a command: at the beginning of a line, or behind what ends or opens another one.
CALL = re.compile(r"(?:^|[;&|(`{!]|\b(?:then|do|else|exec|time|if|while|until)\b)[ \t]*"
                  r"(?:\w+=\S*[ \t]+)*(?:exec[ \t]+|timeout[ \t]+\S+[ \t]+|nice[ \t]+)?tactus(?=[ \t;|&)>]|$)", re.M)
GUEST = "/usr/local/bin/tactus"


def calls_tactus(text):
    """Whether a shell script calls `tactus` by that name."""
    return CALL.search(re.sub(r"^\s*#.*$", "", text, flags=re.M)) is not None


def scripts_of(options):
    """The text of all that the guest may run as a script: words of the command, files that come along."""
    yield from options.command
    files = [spec.partition(":")[0] for spec in options.copy] + options.command
    for path in files:
        if not os.path.isfile(path) or os.path.getsize(path) > 1 << 20:
            continue
        text = pathlib.Path(path).read_bytes()
        if not text.startswith(b"\x7fELF"):
            yield text.decode(errors="replace")


def wants_own_tactus(options):
    if any(spec.partition(":")[2].rstrip("/").endswith("bin/tactus") for spec in options.copy):
        return False  # it brings one
    return options.tactus is not None or options.command[:1] == ["tactus"] or any(map(calls_tactus, scripts_of(options)))


def bring_own_tactus(options, root):
    """`tactus` is the one of this checkout, as scripts/tactus builds it, or that of --tactus."""
    if not wants_own_tactus(options):
        return
    binary = pathlib.Path(options.tactus) if options.tactus else root / "build" / "release" / "bin" / "tactus"
    if not options.tactus:
        built = subprocess.run([root / "scripts" / "tactus", "--version"], stdout=subprocess.DEVNULL, check=False)
        if built.returncode != 0:
            raise Failure("scripts/tactus could not be built")
    plugins = binary.resolve().parent.parent / "lib" / "tactus"
    if not binary.is_file() or not plugins.is_dir():
        raise Failure(f"--tactus {binary}: a built tactus with its plug-ins in ../lib/tactus is expected")
    options.copy += [f"{binary}:{GUEST}", f"{plugins}:/usr/local/lib/tactus"]
    if options.command[:1] == ["tactus"]:
        options.command[0] = GUEST


def bring_named_files(options):
    """Of `tactus` and of `sh`, files that the arguments name come along, to where the command looks for them."""
    if options.command[:1] in (["tactus"], ["sh"]):
        options.copy += [f"{argument}:{os.path.join(options.chdir, argument)}"
                         for argument in options.command[1:] if os.path.isfile(argument)]
