# SPDX-License-Identifier: Apache-2.0
"""An initramfs in memory."""
import io
import os
import shutil
import stat
import time

from .failure import Failure
from .programs import interpreter, needed_libraries


class Cpio:
    """A cpio archive in the format the kernel unpacks ("newc"). The first to take a name has it."""

    def __init__(self):
        self.names = set()
        self._out = io.BytesIO()
        self._made = int(time.time())

    def entry(self, name, mode, data=b""):
        name = os.path.normpath(name).strip("/")
        if name in self.names:
            return
        if os.path.dirname(name):
            self.entry(os.path.dirname(name), stat.S_IFDIR | 0o755)
        self.names.add(name)
        raw = name.encode() + b"\0"
        links = 2 if stat.S_ISDIR(mode) else 1
        numbers = (len(self.names), mode, 0, 0, links, self._made, len(data), 0, 0, 0, 0, len(raw), 0)
        self._out.write(b"070701" + b"".join(b"%08X" % number for number in numbers) + raw)
        self._pad(4)
        self._out.write(data)
        self._pad(4)

    def text(self, name, text, mode=0o644):
        self.entry(name, stat.S_IFREG | mode, text.encode())

    def folder(self, name, mode=0o755):
        self.entry(name, stat.S_IFDIR | mode)

    def add(self, host, guest):
        """A file or folder of this machine, with the libraries and the interpreter it needs."""
        if os.path.isdir(host):
            self._add_folder(host, guest)
            return
        if not os.path.isfile(host):
            raise Failure(f"no such file: {host}")
        with open(host, "rb") as file:
            data = file.read()
        self.entry(guest, stat.S_IFREG | os.stat(host).st_mode & 0o777, data)
        for library in needed_libraries(host):
            with open(library, "rb") as file:
                self.entry(library, stat.S_IFREG | 0o755, file.read())
        name = interpreter(data)
        path = shutil.which(name) or name
        if name and os.path.basename(name) not in ("sh", "busybox") and os.path.exists(path):
            self.add(path, path)

    def data(self):
        self.entry("TRAILER!!!", 0)
        self._pad(512)
        return self._out.getvalue()

    def _add_folder(self, host, guest):
        self.folder(guest)
        for name in sorted(os.listdir(host)):
            path, to = os.path.join(host, name), os.path.join(guest, name)
            if os.path.islink(path):
                self.entry(to, stat.S_IFLNK | 0o777, os.readlink(path).encode())
            elif os.path.isdir(path) or os.path.isfile(path):
                self.add(path, to)

    def _pad(self, size):
        self._out.write(b"\0" * (-self._out.tell() % size))
