# SPDX-License-Identifier: Apache-2.0
"""Reads what each program, plug-in and shared library of a build exports: nothing that is not promised, since a model's
own copy of a function would be replaced by ours."""
import argparse
import pathlib
import re
import subprocess
import sys

PLUGIN = {"tactus_driver", "tactus_models"}
PRIVATE = re.compile(r"tactus_(heap_(calls|time)_of_this_thread|map_log_of_this_thread|last_write_socket)$")
C_LIBRARY = re.compile(r"(_exit|_Exit|f?execl?[elv]?\w*|(aligned_|c|m|re|pv|v)alloc|reallocarray|free|(posix_)?memalign|"
                       r"mmap(64)?|munmap|mremap|madvise|mlock(2|all)?|(pkey_)?mprotect|s?brk|shmat|shmdt|"
                       r"pthread_create)$")


def exported(file):
    listed = subprocess.run(["nm", "-D", "--defined-only", str(file)], check=True, stdout=subprocess.PIPE, text=True)
    return {line.split()[-1] for line in listed.stdout.splitlines()}


def surplus(file, name):
    bare, _, node = name.partition("@")
    if file.suffix == ".so":
        return bare not in PLUGIN or node != "@TACTUS_PRIVATE"
    if PRIVATE.match(bare):
        return node != "@TACTUS_PRIVATE"
    return not (C_LIBRARY.match(bare) and node == "")  # the loader looks for them without a version


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--build", required=True, type=pathlib.Path)
    build = arguments.parse_args().build
    failed = False
    plugins = build / "lib" / "tactus"
    for file in [build / "bin" / "tactus", plugins / "tactus-model", *sorted(plugins.glob("lib*.so"))]:
        wrong = sorted(name for name in exported(file) if surplus(file, name))
        print(f"{file.name}: {len(exported(file))} exported, {len(wrong)} without a promise")
        if wrong:
            print("  " + "\n  ".join(wrong[:10]))
            failed = True
    missing = {"malloc", "_exit"} - exported(build / "bin" / "tactus")
    if missing:
        print(f"tactus stands no longer before {sorted(missing)}")
        failed = True
    sys.exit(1 if failed else 0)


main()
