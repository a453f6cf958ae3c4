# SPDX-License-Identifier: Apache-2.0
"""What comes back from a guest."""
import os
import shutil
import tarfile

from .failure import Failure


def unpack(specs, tar):
    """Members of the tar to where each GUEST[:HOST] wants them; HOST is GUEST's last part unless given."""
    pairs = (spec.partition(":")[::2] for spec in specs)
    rules = [(guest.strip("/"), host or os.path.basename(guest.rstrip("/"))) for guest, host in pairs]
    try:
        with tarfile.open(tar) as archive:
            for member in archive:
                for guest, host in rules:
                    _place(archive, member, guest, host)
    except tarfile.TarError as error:
        raise Failure(f"--fetch: {error}") from error


def _place(archive, member, guest, host):
    name = member.name.strip("/")
    if name != guest and not name.startswith(f"{guest}/") or ".." in name.split("/"):
        return
    to = host if name == guest else os.path.join(host, name[len(guest) + 1:])
    if member.isdir():
        os.makedirs(to, exist_ok=True)
    elif member.isfile():
        if os.path.isdir(to):
            to = os.path.join(to, os.path.basename(name))
        os.makedirs(os.path.dirname(os.path.abspath(to)), exist_ok=True)
        with open(to, "wb") as file:
            shutil.copyfileobj(archive.extractfile(member), file)
