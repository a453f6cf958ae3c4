# SPDX-License-Identifier: Apache-2.0
"""scripts/try-packages says what is wrong with the folder that it is given, before it wants root or the network."""
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(sys.argv[1]) / "scripts" / "try-packages"
NAMES = ("tactus", "libtactus-dev", "python3-tactus")
CASES = (  # what lies in the folder, what the script says of it
    ([], "has no package of tactus; make them: scripts/package"),
    (["other_1.0-1_amd64.deb"], "has no package of tactus but other_1.0-1_amd64.deb; make them"),
    (["tactus_1.0-1_amd64.deb"], "lacks libtactus-dev and python3-tactus; make them"),
    ([f"{name}_{version}_amd64.deb" for name in NAMES for version in ("1.0-1", "1.0-2")],
     "has packages of several versions (1.0-1, 1.0-2)"),
    (["tactus_1.0-1_amd64.deb", "libtactus-dev_1.0-2_amd64.deb", "python3-tactus_1.0-1_all.deb"],
     "has packages of several versions (1.0-1, 1.0-2)"),
    ([f"{name}_1.0-1_amd64.deb" for name in NAMES], "is not a Debian package; make them"),
)


def said_of(folder):
    done = subprocess.run([sys.executable, "-B", SCRIPT, "--packages", folder], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    return done.returncode, done.stdout


problems = []
with tempfile.TemporaryDirectory() as top:
    tried = []
    for k, (files, wanted) in enumerate(CASES):
        folder = pathlib.Path(top) / str(k)
        folder.mkdir()
        for name in files:
            (folder / name).write_text("no archive")
        tried.append((folder, wanted))
    a_file = pathlib.Path(top) / "file"
    a_file.write_text("")
    tried += [(a_file, "is not a folder; --packages takes the folder"),
              (pathlib.Path(top) / "none", "does not exist; --packages takes the folder")]
    for folder, wanted in tried:
        status, said = said_of(folder)
        if status != 1 or wanted not in said or str(folder) not in said or len(said.splitlines()) != 1:
            problems.append(f"status {status}, and '{wanted}' is not all that was said:\n{said}")
print("\n".join(problems) if problems else f"{len(tried)} folders: each refused in a sentence")
sys.exit(1 if problems else 0)
