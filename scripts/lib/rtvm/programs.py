# SPDX-License-Identifier: Apache-2.0
"""What a program needs to run elsewhere."""
import os
import re
import subprocess

from .failure import Failure


def needed_libraries(path):
    """The libraries ldd names for a program or library; none when it is static or no ELF file."""
    with open(path, "rb") as file:
        if file.read(4) != b"\x7fELF":
            return []
    done = subprocess.run(["ldd", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode(errors="replace")
    missing = re.findall(r"(\S+) => not found", text)
    if missing:
        raise Failure(f"{path} needs {', '.join(missing)}, not found")
    libraries = re.findall(r"(?:=>\s+|^\s+)(/\S+) \(0x", text, re.M)
    # libc opens this one by itself when a thread is cancelled.
    unwinders = [os.path.join(os.path.dirname(library), "libgcc_s.so.1")
                 for library in libraries if library.endswith("/libc.so.6")]
    return libraries + [path for path in unwinders if path not in libraries and os.path.exists(path)]


def interpreter(script):
    """The program that a script's first line names, without its folder when env looks for it; "" if none."""
    if not script.startswith(b"#!"):
        return ""
    words = script[2:].partition(b"\n")[0].decode(errors="replace").split()
    if len(words) > 1 and os.path.basename(words[0]) == "env":
        return words[1]
    return words[0] if words else ""
