# SPDX-License-Identifier: Apache-2.0
"""Runs scripts that have a main() without starting an interpreter for each run, which costs more than most scripts do."""
import importlib.machinery
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback


class Script:
    """A script in Python. It is loaded once; each run is a fork of this process, which has one thread then."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        loader = importlib.machinery.SourceFileLoader(self.path.stem, str(self.path))
        self.module = importlib.util.module_from_spec(importlib.util.spec_from_loader(self.path.stem, loader))
        loader.exec_module(self.module)

    def run(self, *arguments, env=None):
        """Returns what subprocess.run() of the script returns: its exit status, and what it printed as text."""
        command = [str(self.path), *map(str, arguments)]
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = os.fork()
            if child == 0:
                self._be_the_script(command, env, (os.open(os.devnull, os.O_RDONLY), out.fileno(), err.fileno()))
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(command, status, out.read().decode(), err.read().decode())

    def _be_the_script(self, command, env, files):
        status = 1
        try:
            for number, file in enumerate(files):
                os.dup2(file, number)
            sys.argv = command
            sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)
            if env is not None:
                os.environ.clear()
                os.environ.update(env)
            status = self.module.main() or 0
        except SystemExit as end:
            status = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
            if isinstance(end.code, str):
                print(end.code, file=sys.stderr)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
