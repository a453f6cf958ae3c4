# SPDX-License-Identifier: Apache-2.0
"""The kernel modules of one run, each after those it depends on."""
import lzma
import os
import re

from .built_modules import BUILT, stem
from .failure import Failure
from .kernel_cache import XZ_MAGIC


def dashless(name):
    return name.replace("-", "_")


def parse(spec):
    """name, or name:parameter=value:... -> (name, "parameter=value ...")"""
    name, *parameters = spec.split(":")
    return dashless(name), " ".join(parameters)


class GuestModules:
    def __init__(self, folder, built):
        """folder: of the kernel; built(): the folder of those built here, asked for only when one is wanted."""
        self.order = []
        self.data = {}
        self._built = built
        self._files = {}
        self._in_kernel = set()
        for base, folders, names in os.walk(folder):
            if base == str(folder) and "built" in folders:
                folders.remove("built")
            for name in names:
                module = re.match(r"(.+)\.ko(\.xz)?$", name)
                if module:
                    self._files[dashless(module[1])] = os.path.join(base, name)
                elif name == "modules.builtin":
                    with open(os.path.join(base, name), encoding="utf-8") as lines:
                        self._in_kernel |= {dashless(os.path.basename(line.strip())[:-3]) for line in lines}

    def want(self, name):
        """Adds a module, and first what it depends on."""
        name = dashless(name)
        if name in self.data or name in self._in_kernel:
            return
        if name in BUILT and name not in self._files:
            built = self._built()
            self._files.update({module: built / f"{stem(module)}.ko" for module in BUILT})
        if name not in self._files:
            raise Failure(f"this kernel has no module {name}")
        with open(self._files[name], "rb") as file:
            data = file.read()
        if data.startswith(XZ_MAGIC):
            data = lzma.decompress(data)
        self.data[name] = data
        depends = re.search(rb"\0depends=([\w,-]*)\0", data)
        for other in filter(None, depends[1].decode().split(",") if depends else []):
            self.want(other)
        self.order.append(name)
