"""Checks the documents against the program: see CMakeLists.txt. Says what is wrong and where; exit status 1 then."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

parser = argparse.ArgumentParser()
for name in ("--source", "--tactus", "--cc", "--cxx"):
    parser.add_argument(name, required=True)
parser.add_argument("--without", action="append", default=[], help="a driver that this machine does not build")
args = parser.parse_args()
source = pathlib.Path(args.source)
problems = []
checked = 0


def run(where, command, **options):
    global checked
    checked += 1
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, **options)
    if done.returncode != 0:
        problems.append(f"{where}: {' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def blocks(document):
    """(line, language, text) of each fenced block."""
    text = document.read_text(encoding="utf-8")
    for match in re.finditer(r"^( *)```(\w*)\n(.*?)^ *```", text, re.M | re.S):
        indent = len(match.group(1))
        lines = [line[indent:] for line in match.group(3).splitlines(keepends=True)]
        yield text.count("\n", 0, match.start()) + 1, match.group(2), "".join(lines)


with tempfile.TemporaryDirectory() as folder:
    include = ["-I", source, "-I", source / "executive" / "include", "-I", source / "drivers" / "silkit" / "include"]
    for document in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        for line, language, text in blocks(document):
            where = f"{document.relative_to(source)}:{line}"
            file = pathlib.Path(folder) / f"block.{language}"
            file.write_text(text, encoding="utf-8")
            if language == "yaml" and text.lstrip().startswith("rig:"):
                run(where, [args.tactus, "check", file])
            elif language == "cpp":
                run(where, [args.cxx, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *include, file])
            elif language == "c":
                run(where, [args.cc, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *include, file])
        if re.search(r"@[A-Z]+@", document.read_text(encoding="utf-8")):
            problems.append(f"{document.name} holds a placeholder")
        for rig in re.findall(r"config/rigs/\w+\.yaml", document.read_text(encoding="utf-8")):
            if not (source / rig).exists():
                problems.append(f"{document.name} names {rig}, which is not there")

    page = run("docs/rig-file.md", [args.tactus, "check", "--reference"])
    if not args.without and page != (source / "docs" / "rig-file.md").read_text(encoding="utf-8"):
        problems.append("docs/rig-file.md is not what the tables say; "
                        "mend it with: scripts/tactus check --reference > docs/rig-file.md")
    if run("docs/units.md", [args.tactus, "check", "--units"]) != (source / "docs" / "units.md").read_text(encoding="utf-8"):
        problems.append("docs/units.md is not what the table says; mend it with: scripts/tactus check --units > docs/units.md")
    for rig in sorted((source / "config" / "rigs").glob("*.yaml")):
        if rig.stem in args.without:
            continue
        run(rig.name, [args.tactus, "check", rig])

if checked < 8:
    problems.append(f"only {checked} checks were made: the blocks were not found")
print("\n".join(problems) if problems else f"{checked} checks")
sys.exit(1 if problems else 0)
