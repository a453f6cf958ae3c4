# SPDX-License-Identifier: Apache-2.0
"""Kernel modules that Debian's configuration leaves out, built from the kernel's own sources.

The sources and headers come from the packages linux-source and linux-headers of exactly the cached kernel. They are
compiled with the compiler the headers ask for (gcc-12 on Debian 12). The modules are unsigned and out of tree.
"""
import pathlib
import re
import shutil
import tempfile

from . import debian
from .failure import Failure, need, output_of, say

# Module -> its file in the source tree.
BUILT = {"gpio_sim": "drivers/gpio/gpio-sim.c",
         "irq_sim": "kernel/irq/irq_sim.c",
         "pps_ktimer": "drivers/pps/clients/pps-ktimer.c"}
HEADERS = ["drivers/gpio/gpiolib.h"]


def stem(module):
    return pathlib.Path(BUILT[module]).stem


def built_modules(cache, kernel):
    """The folder with the modules of BUILT for this kernel, built if need be."""
    out = kernel.folder / "built"
    if out.is_dir():
        return out
    need("make", "gcc", "xz", "tar")
    say(f"building {' '.join(sorted(BUILT))} for {kernel.release} from Debian's kernel source")
    with tempfile.TemporaryDirectory(prefix="build-", dir=cache.root) as work:
        work = pathlib.Path(work)
        tree = _unpack_headers(cache, kernel, work)
        modules = work / "modules"
        _unpack_sources(cache, kernel, work, modules)
        (modules / "Kbuild").write_text(f"obj-m := {' '.join(stem(name) + '.o' for name in BUILT)}\n")
        output_of(["make", "-C", tree, f"M={modules}", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"])
        done = work / "done"
        done.mkdir()
        for name in BUILT:
            shutil.copy(modules / f"{stem(name)}.ko", done)
        done.rename(out)
    return out


def _unpack_headers(cache, kernel, work):
    """Headers and build tools under work/usr, as if installed; the tree to build in."""
    name = f"linux-headers-{kernel.release}"
    package, = cache.archive.download(work, f"{name}={kernel.version}")
    more = re.findall(r"(linux-(?:headers|kbuild)-[^\s,]+)", debian.field(package, "Depends"))
    for each in [package, *cache.archive.download(work, *more)]:
        output_of(["dpkg-deb", "-x", each, work])
    tree = work / "usr/src" / name
    _edit(tree / "Makefile", "/usr/src/", f"{work}/usr/src/")
    return tree


def _unpack_sources(cache, kernel, work, folder):
    name = f"linux-source-{'.'.join(kernel.release.split('.')[:2])}"
    package, = cache.archive.download(work, f"{name}={kernel.version}")
    debian.unpack_from_tar_inside(package, f"./usr/src/{name}.tar.xz",
                                  [f"{name}/{file}" for file in [*BUILT.values(), *HEADERS]], folder)
    simulator = folder / "irq_sim.c"
    # irq_to_desc() is not exported to modules.
    _edit(simulator, "handle_simple_irq(irq_to_desc(irqnum))", "generic_handle_irq(irqnum)")
    # The search for a pending bit must begin at 0 each time: with two lines driven from two processors at once, a
    # bit set below the last one would otherwise be looked for, and not found, for ever.
    _edit(simulator, "work_ctx->irq_count, offset);", "work_ctx->irq_count, 0);")
    _edit(simulator, "#include <linux/irq.h>", "#include <linux/irq.h>\n#include <linux/module.h>")
    with open(simulator, "a", encoding="utf-8") as file:
        file.write('MODULE_LICENSE("GPL");\n')


def _edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    if old not in text:
        raise Failure(f"{path.name} of this kernel is not as expected: no {old!r} in it")
    path.write_text(text.replace(old, new), encoding="utf-8")
