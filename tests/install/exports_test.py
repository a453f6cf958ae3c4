# SPDX-License-Identifier: Apache-2.0
"""Reads what each program, plug-in and shared library of a build exports: nothing that is not promised, since a model's
own copy of a function would be replaced by ours."""
import argparse
import pathlib
import re
import subprocess
import sys

OWN = "tactus_driver_entry"  # of a driver that is built against the installed headers
PLUGIN = {"tactus_driver", "tactus_models", OWN}
SEAMS = {"libtactus-model-can.so": {"tactus_can_find_bus"}}  # of one driver for another
SHARED = re.compile(r"libtactus-private\.so\.(\d+\.\d+\.\d+)$")
OURS = re.compile(r"_Z(NK?|T[ISTV]N)6tactus(6config|6rtsync|9executive)")
NODE = re.compile(r"TACTUS_PRIVATE(_[\d.]+)?$")  # GNU ld lists the node itself
COPY = re.compile(r"[^@]@(GLIBC|GLIBCXX|CXXABI|GCC)_[\w.]+$")  # a program's copy of what the C library has: `stderr`
OWN_COPY = {"libtactus-record-csv.so": 600_000}  # may have what it uses of the libraries in itself: in so many bytes
PRIVATE = re.compile(r"tactus_(heap_(calls|time)_of_this_thread|map_log_of_this_thread|last_write_socket)$")
C_LIBRARY = re.compile(r"(_exit|_Exit|f?execl?[elv]?\w*|(aligned_|c|m|re|pv|v)alloc|reallocarray|free|(posix_)?memalign|"
                       r"mmap(64)?|munmap|mremap|madvise|mlock(2|all)?|(pkey_)?mprotect|s?brk|shmat|shmdt|"
                       r"pthread_create)$")


def exported(file):
    listed = subprocess.run(["nm", "-D", "--defined-only", str(file)], check=True, stdout=subprocess.PIPE, text=True)
    return {line.split()[-1] for line in listed.stdout.splitlines()}


def libraries(plugins):
    """The plug-ins, and what they share; no links."""
    return sorted(file for file in plugins.glob("lib*.so*") if not file.is_symlink())


def needed(file):
    listed = subprocess.run(["readelf", "-d", str(file)], check=True, stdout=subprocess.PIPE, text=True)
    return re.findall(r"NEEDED.*\[(.*)\]", listed.stdout)


def surplus(file, name):
    bare, _, node = name.partition("@")
    if NODE.match(name) or COPY.search(name):
        return False
    if SHARED.match(file.name):  # what a driver takes of it has the version in its node
        return not (OURS.match(bare) and node == f"@TACTUS_PRIVATE_{SHARED.match(file.name)[1]}")
    if file.suffix == ".so":
        return bare not in PLUGIN | SEAMS.get(file.name, set()) or node != "@TACTUS_PRIVATE"
    if PRIVATE.match(bare):
        return node != "@TACTUS_PRIVATE"
    return not (C_LIBRARY.match(bare) and node == "")  # the loader looks for them without a version


def share_of(plugins, programs):
    """What is wrong with how drivers share the libraries of this project: one file, which no program is linked with. One
    that was would show its names to each model. libtactus.so of a release is: a program in whose process rigs run shows
    models these names, which are all ours and have the version in their node (surplus())."""
    shared = [file.name for file in libraries(plugins) if SHARED.match(file.name)]
    if len(shared) != 1:
        return [f"{plugins} has {len(shared)} files that the plug-ins share, not one"]
    wrong = []
    for file in libraries(plugins):
        if SHARED.match(file.name):
            continue
        is_driver = file.name.startswith("libtactus-")
        if any(name.partition("@")[0] == OWN for name in exported(file)) and shared[0] not in needed(file):
            continue
        if file.name in OWN_COPY and shared[0] not in needed(file):
            if file.stat().st_size > OWN_COPY[file.name]:
                wrong.append(f"{file.name} has {file.stat().st_size} bytes, of {OWN_COPY[file.name]} that its copy may take")
            continue
        if (shared[0] in needed(file)) != is_driver:
            wrong.append(f"{file.name} is {'not ' if is_driver else ''}linked with {shared[0]}")
        own = sorted(name for name in needed(file) if name.startswith(("libyaml-cpp", "libspdlog")))
        if own:
            wrong.append(f"{file.name} needs {own}: it has a copy of what {shared[0]} is for")
    wrong += [f"{file.name} is linked with {shared[0]}" for file in programs if file.exists() and shared[0] in needed(file)]
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--build", required=True, type=pathlib.Path)
    build = arguments.parse_args().build
    failed = False
    plugins = build / "lib" / "tactus"
    for file in [build / "bin" / "tactus", plugins / "tactus-model", *libraries(plugins)]:
        wrong = sorted(name for name in exported(file) if surplus(file, name))
        print(f"{file.name}: {len(exported(file))} exported, {len(wrong)} without a promise")
        if wrong:
            print("  " + "\n  ".join(wrong[:10]))
            failed = True
    for text in share_of(plugins, [build / "bin" / "tactus", plugins / "tactus-model",
                                   *(build / "lib").glob("libtactus-*.so.?")]):
        print(text)
        failed = True
    missing = {"malloc", "_exit"} - exported(build / "bin" / "tactus")
    if missing:
        print(f"tactus stands no longer before {sorted(missing)}")
        failed = True
    sys.exit(1 if failed else 0)


main()
