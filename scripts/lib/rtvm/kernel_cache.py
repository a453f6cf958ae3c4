# SPDX-License-Identifier: Apache-2.0
"""A Debian kernel in the cache: fetched once, unpacked, ready to boot.

    <cache>/linux-image-rt-amd64 -> kernel-6.1.0-56-rt-amd64
    <cache>/kernel-6.1.0-56-rt-amd64/{kernel,version,lib/modules/...,built/*.ko}
"""
import fcntl
import lzma
import pathlib
import shutil
import struct
import tempfile

from . import debian
from .failure import Failure, need, say
from .programs import needed_libraries

# Not worth the room in the cache.
UNUSED = ["drivers/gpu", "drivers/media", "drivers/infiniband", "drivers/scsi", "drivers/staging",
          "drivers/net/wireless", "sound"]
XZ_MAGIC = b"\xfd7zXZ\0"


class Kernel:
    """One unpacked kernel package."""

    def __init__(self, folder):
        self.folder = folder
        self.image = folder / "kernel"
        self.release, self.version = (folder / "version").read_text().split()


class KernelCache:
    """Held while it is used: runs that start together wait for the first to fill it."""

    def __init__(self, root, package):
        self.root = pathlib.Path(root).resolve()
        self.package = package
        self.root.mkdir(parents=True, exist_ok=True)
        self._archive = None

    def __enter__(self):
        self._lock = open(self.root / "lock", "w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        return self

    def __exit__(self, *unused):
        self._lock.close()

    @property
    def archive(self):
        if self._archive is None:
            self._archive = debian.Archive(self.root / "apt")
        return self._archive

    def kernel(self):
        link = self.root / self.package
        if not (link / "kernel").exists():
            self._fetch_kernel(link)
        return Kernel(link.resolve())

    def _fetch_kernel(self, link):
        need("xz", "tar")
        say(f"fetching {self.package}")
        with tempfile.TemporaryDirectory(prefix="fetch-", dir=self.root) as work:
            work = pathlib.Path(work)
            package = self.archive.download_newest(work / "deb", self.package)
            tree = work / "tree"
            debian.unpack(package, tree, [f"*/kernel/{folder}" for folder in UNUSED])
            image, = (tree / "boot").glob("vmlinuz-*")
            release = image.name.removeprefix("vmlinuz-")
            (tree / "version").write_text(f"{release} {debian.field(package, 'Version')}\n")
            (tree / "kernel").write_bytes(bootable(image.read_bytes()))
            shutil.rmtree(tree / "boot")
            target = self.root / f"kernel-{release}"
            shutil.rmtree(target, ignore_errors=True)
            tree.rename(target)
        link.unlink(missing_ok=True)
        link.symlink_to(target.name)

    def busybox(self):
        """A static busybox: the machine's, else one from the archive."""
        own = self.root / "busybox"
        for fetched in (False, True):
            for path in (pathlib.Path("/bin/busybox"), pathlib.Path("/usr/bin/busybox"), own / "bin/busybox",
                         own / "usr/bin/busybox"):
                if path.is_file() and not needed_libraries(path):
                    return path
            if fetched:
                raise Failure("no static busybox, not even in the package busybox-static")
            say("fetching busybox-static")
            with tempfile.TemporaryDirectory(prefix="fetch-", dir=self.root) as work:
                package, = self.archive.download(pathlib.Path(work), "busybox-static")
                debian.unpack(package, own)


def bootable(image):
    """The ELF kernel inside a bzImage: QEMU starts it directly, and it need not unpack itself at each boot, which
    takes seconds under emulation. The image as it is when it is not compressed with xz."""
    setup_sectors = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    begin = (setup_sectors + 1) * 512 + offset
    payload = image[begin:begin + length]
    if not payload.startswith(XZ_MAGIC):
        return image
    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ).decompress(payload)
