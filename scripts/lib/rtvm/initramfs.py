# SPDX-License-Identifier: Apache-2.0
"""The root file system of one run: busybox, modules, programs, and what the guest's first process is to do."""
import os
import pathlib
import shlex
import shutil

from .built_modules import built_modules
from .cpio import Cpio
from .edges import add_edges
from .failure import output_of
from .guest_modules import GuestModules, parse

TRANSPORT = ["virtio_pci", "virtio_console"]  # the guest's way out


def initramfs(options, cache, kernel, end_mark):
    busybox = cache.busybox()
    cpio = Cpio()
    for name in ("dev", "proc", "sys", "tmp", "run", "root"):
        cpio.folder(name, 0o1777 if name == "tmp" else 0o755)
    cpio.text("init", (pathlib.Path(__file__).parent / "guest_init.sh").read_text(encoding="utf-8"), 0o755)
    cpio.add(busybox, "bin/busybox")
    cpio.text("etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n")
    cpio.text("etc/group", "root:x:0:\nnogroup:x:65534:\n")
    _add_modules(cpio, options, GuestModules(kernel.folder, lambda: built_modules(cache, kernel)))
    for spec in options.copy:
        _copy(cpio, spec)
    if options.gpio:
        add_edges(cpio, cache.root)
    command = _add_command(cpio, options.command, busybox)
    cpio.text("rtvm/env", _environment(options, end_mark))
    cpio.text("rtvm/command", f"mkdir -p {shlex.quote(options.chdir)}; cd {shlex.quote(options.chdir)} || exit 125\n"
                              f"exec {shlex.join(command)}\n")
    return cpio.data()


def _add_modules(cpio, options, modules):
    asked = [parse(spec) for group in options.modules for spec in group.split(",") if spec]
    if options.gpio:
        asked.append(("gpio_sim", ""))
    parameters = dict(asked)
    for name in TRANSPORT:
        modules.want(name)
    before_ports = len(modules.order)
    for name, _ in asked:
        modules.want(name)
    lines = [f"{name} {parameters.get(name, '')}" for name in modules.order]
    lines.insert(before_ports, "--ports")
    cpio.text("rtvm/modules/list", "\n".join(lines) + "\n")
    for name in modules.order:
        cpio.entry(f"rtvm/modules/{name}.ko", 0o100644, modules.data[name])


def _copy(cpio, spec):
    """HOST[:GUEST]: at the same path unless given; a GUEST that ends with / is a folder."""
    host, _, guest = spec.partition(":")
    if "/" not in host and not os.path.exists(host):
        host = shutil.which(host) or host
    guest = guest or os.path.abspath(host)
    cpio.add(host, os.path.join(guest, os.path.basename(host)) if guest.endswith("/") else guest)


def _add_command(cpio, command, busybox):
    """The command as the guest is to run it; its program is copied unless it is there already."""
    name = command[0]
    if name.strip("/") in cpio.names:
        return command
    host = None
    if "/" in name:
        host = os.path.abspath(name) if os.path.isfile(name) else None
    elif name not in ("sh", "busybox", *output_of([busybox, "--list"]).split()):
        host = shutil.which(name)
    if host is None:
        return command  # busybox has it, or something that was copied
    cpio.add(host, host)
    return [host, *command[1:]]


def _environment(options, end_mark):
    pairs = (variable.partition("=") for variable in options.env)
    lines = [f"export {name}={shlex.quote(value)}" for name, _, value in pairs]
    lines.append(f"RTVM_END={shlex.quote(end_mark)}")
    lines.append(f"export RTVM_GPIO_LINES={options.gpio or ''}")
    if options.fetch:
        paths = [spec.partition(":")[0].lstrip("/") for spec in options.fetch]
        lines.append(f"fetch() {{ tar -cf - -C / -- {shlex.join(paths)}; }}")
    return "\n".join(lines) + "\n"
