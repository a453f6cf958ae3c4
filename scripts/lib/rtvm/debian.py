# SPDX-License-Identifier: Apache-2.0
"""Debian packages that are downloaded and unpacked, never installed."""
import os
import re
import shlex

from .failure import Failure, need, output_of, say


class Archive:
    """The package sources of this machine.

    apt's own lists are used as they are. When they lack a package or name a file that is gone, fresh lists are
    fetched once, into a folder of ours: that takes no root and leaves the system alone.
    """

    def __init__(self, private):
        need("apt-get", "apt-cache", "dpkg-deb")
        self.options = ["-q", "-o", "Acquire::Retries=3", "-o", "Acquire::http::Timeout=30"]
        if os.geteuid() == 0:
            self.options += ["-o", "APT::Sandbox::User=root"]  # root's folders are closed to the user _apt
        self.private = private
        self.refreshed = False

    def download_newest(self, folder, package):
        """Fetches a kernel image package, or the one that a metapackage stands for today."""
        return self._with_fresh_lists_if_need_be(lambda: self._download(folder, self._meant_by(package)))

    def download(self, folder, *packages):
        """Fetches packages (name, or name=version) into the folder; their files, in the order asked."""
        return [self._with_fresh_lists_if_need_be(lambda name=package: self._download(folder, name))
                for package in packages]

    def _meant_by(self, package):
        if re.match(r"linux-image-\d+\.\d+\.\d", package):
            return package
        found = re.findall(r"Depends: (linux-image-\d\S+)", self._run("apt-cache", "depends", package))
        if not found:
            raise Failure(f"apt knows no package {package}")
        return found[0]

    def _download(self, folder, package):
        folder.mkdir(parents=True, exist_ok=True)
        self._run("apt-get", "download", package, cwd=folder)
        return max(folder.glob(f"{package.split('=')[0]}_*.deb"), key=lambda file: file.stat().st_mtime)

    def _run(self, tool, *arguments, **options):
        return output_of([tool, *self.options, *arguments], **options)

    def _with_fresh_lists_if_need_be(self, action):
        try:
            return action()
        except Failure:
            if self.refreshed:
                raise
        self._refresh()
        return action()

    def _refresh(self):
        say("fetching package lists")
        self.refreshed = True
        for part in ("state/lists/partial", "cache/archives/partial"):
            (self.private / part).mkdir(parents=True, exist_ok=True)
        self.options += ["-o", f"Dir::State={self.private}/state", "-o", f"Dir::State::lists={self.private}/state/lists",
                         "-o", f"Dir::Cache={self.private}/cache", "-o", "Dir::State::status=/var/lib/dpkg/status"]
        # Otherwise an update that reached nobody ends well.
        try:
            self._run("apt-get", "-o", "APT::Update::Error-Mode=any", "update")
        except Failure as failure:
            errors = [line for line in str(failure).splitlines() if line.startswith("E: ")] or [str(failure)]
            raise Failure(f"the package sources cannot be reached: {errors[0]}") from None


def field(package, name):
    return output_of(["dpkg-deb", "-f", package, name]).strip()


def unpack(package, folder, without=()):
    """All of a package but /usr/share and the given tar patterns."""
    folder.mkdir(parents=True, exist_ok=True)
    excluded = " ".join(shlex.quote(f"--exclude={pattern}") for pattern in ("./usr/share", *without))
    output_of(["sh", "-c", f'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" {excluded}', "sh", package, folder])


def unpack_from_tar_inside(package, tar, members, folder):
    """Some files of a .tar.xz that lies in a package, without their folders."""
    folder.mkdir(parents=True, exist_ok=True)
    # tar ends as soon as it has them all, so that the pipe before it breaks: its status says nothing.
    script = ('dpkg-deb --fsys-tarfile "$1" | tar -xO "$2" | xz -dc | '
              'tar -x -C "$3" --transform="s,.*/,," --occurrence=1 ' + " ".join(map(shlex.quote, members)))
    output_of(["sh", "-c", f"({script}) 2>/dev/null; true", "sh", package, tar, folder])
    for member in members:
        if not (folder / os.path.basename(member)).exists():
            raise Failure(f"{package.name}: no {member} in it")
