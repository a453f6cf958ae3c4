# SPDX-License-Identifier: Apache-2.0
"""`edges` in the guest: makes edges on a line of the simulated GPIO chip."""
import hashlib
import pathlib
import shutil

from .failure import output_of, say

HERE = pathlib.Path(__file__).parent
SOURCE = HERE / "gpio_pulse.c"


def add_edges(cpio, folder):
    """Puts `edges` and what it runs into the guest; folder: where the compiled program is kept."""
    program = _built(pathlib.Path(folder))
    if program is None:
        return
    cpio.text("usr/local/bin/edges", (HERE / "edges.sh").read_text(encoding="utf-8"), 0o755)
    cpio.add(str(program), "usr/local/lib/rtvm/gpio_pulse")


def _built(folder):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        say("no C compiler: the guest has no `edges`")
        return None
    program = folder / f"gpio_pulse-{hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16]}"
    if not program.exists():
        part = program.with_suffix(".part")
        output_of([compiler, "-std=c11", "-O2", "-o", part, SOURCE])
        part.rename(program)
    return program
