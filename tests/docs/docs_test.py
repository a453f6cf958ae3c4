# SPDX-License-Identifier: Apache-2.0
"""Checks the documents against the program: see CMakeLists.txt. Says what is wrong and where; exit status 1 then.

Each block of code names its language, and is checked by it: rig files and pieces of them by `tactus check`, C and C++
by the compiler, JSON by a parser; `sh`, `python` and `console` are run by examples_test.py, first_model_test.py and
walks_test.py.
`text` is a sketch, or what a program prints; so is a block with `sketch` behind its language.
"""
import argparse
import json
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
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, **options)
    if done.returncode != 0:
        problems.append(f"{where}: {' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


# By whom blocks are run, beside this test.
RUN_ELSEWHERE = {*(("sh", page) for page in ("http-api.md", "command-line.md", "first-model.md", "first-rig.md")),
                 ("cmake", "first-model.md"), ("yaml", "first-model.md"), ("yaml", "first-test.md"),
                 ("yaml", "first-campaign.md"), ("yaml", "first-fmu.md"),
                 *(("console", f"{page}.md") for page in ("first-model", "first-rig", "first-test", "first-fmu", "first-federation",
                                                          "diagnose-an-overrun", "first-campaign")),
                 *(("python", page) for page in ("http-api.md", "episodes.md", "checkpoint-file.md", "recordings.md"))}
# The rigs that a piece of a rig file is laid over, until one takes it.
BASES = ["config/rigs/servo.yaml", "config/rigs/linked.yaml", "config/rigs/threads.yaml"]


def blocks(document):
    """(line, language, word behind it, text) of each fenced block."""
    text = document.read_text(encoding="utf-8")
    for match in re.finditer(r"^( *)```(\w*)( [^\n]*)?\n(.*?)^ *```", text, re.M | re.S):
        indent = len(match.group(1))
        lines = [line[indent:] for line in match.group(4).splitlines(keepends=True)]
        yield text.count("\n", 0, match.start()) + 1, match.group(2), (match.group(3) or "").strip(), "".join(lines)


def check_piece(where, file, text):
    """A piece of a rig file: whole with a name and a frame, or laid over a rig in the box."""
    global checked
    checked += 1
    said = ""
    head = "rig: piece\n" + ("" if re.search(r"^frame:", text, re.M) else "frame: { period: 1 ms }\n")
    whole = file.with_name("whole.yaml")
    whole.write_text(head + text, encoding="utf-8")
    for command in ([whole], *([source / base, "--set", f"@{file}"] for base in BASES)):
        done = subprocess.run([args.tactus, "check", *command], capture_output=True, text=True, timeout=300)
        if done.returncode == 0:
            return
        said += done.stderr
    if "this machine has no driver" in said and args.without:
        return
    problems.append(f"{where}: no rig takes it; mend it, or write ```yaml sketch\n{said}")


def check_links(document):
    """Links to other pages and their headings lead somewhere."""
    text = re.sub(r"^( *)```.*?^ *```", "", document.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        page = document.parent / name if name else document
        if not page.exists():
            problems.append(f"{document.name}: link to {target}, which is not there")
        elif anchor and page.suffix == ".md":
            headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.M)
            slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
            if anchor not in slugs:
                problems.append(f"{document.name}: link to {target}, and {page.name} has no such heading")


with tempfile.TemporaryDirectory() as folder:
    include = ["-I", source, "-I", source / "executive" / "include", "-I", source / "drivers" / "silkit" / "include"]
    for document in [source / "README.md", *sorted((source / "docs").glob("*.md"))]:
        check_links(document)
        for line, language, word, text in blocks(document):
            where = f"{document.relative_to(source)}:{line}"
            file = pathlib.Path(folder) / f"block.{language}"
            file.write_text(text, encoding="utf-8")
            if word == "sketch" or language == "text" or (language, document.name) in RUN_ELSEWHERE:
                continue
            if language == "" and document.name == "README.md":
                continue  # a sketch, as `text` is elsewhere
            if language not in ("yaml", "cpp", "c", "json", "cmake") or word:
                problems.append(f"{where}: nothing runs a block of {language + ' ' + word!r}; name its language, or text "
                                "for a sketch")
            elif language == "json":
                checked += 1
                try:
                    json.loads(text)
                except ValueError as error:
                    problems.append(f"{where}: no JSON: {error}")
            elif language == "yaml" and not re.search(r"^rig:", text, re.M):
                check_piece(where, file, text)
            elif language == "yaml":
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
                        "fix: scripts/tactus check --reference > docs/rig-file.md")
    if run("docs/units.md", [args.tactus, "check", "--units"]) != (source / "docs" / "units.md").read_text(encoding="utf-8"):
        problems.append("docs/units.md is not what the table says; fix: scripts/tactus check --units > docs/units.md")
    page = run("docs/variables.md", [args.tactus, "check", "--variables"])
    if "linked" not in args.without and page != (source / "docs" / "variables.md").read_text(encoding="utf-8"):
        problems.append("docs/variables.md is not what the program says; "
                        "fix: scripts/tactus check --variables > docs/variables.md")
    for rig in sorted((source / "config" / "rigs").glob("*.yaml")):
        if rig.stem in args.without:
            continue
        run(rig.name, [args.tactus, "check", rig])

if checked < 8:
    problems.append(f"only {checked} checks were made: the blocks were not found")
print("\n".join(problems) if problems else f"{checked} checks")
sys.exit(1 if problems else 0)
