# SPDX-License-Identifier: Apache-2.0
"""Pages and sources name the same: each message of docs/troubleshooting.md stands in the sources, so that who searches
for it finds it; docs/model-api.md has each function of the model API; each view of the page has a picture that a page
shows.

    sources_test.py CHECKOUT
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
problems = []


def page(name):
    return (root / "docs" / name).read_text(encoding="utf-8")


def messages():
    folders = ("config", "rtsync", "executive", "drivers")
    files = [path for folder in folders for path in sorted((root / folder).rglob("*.?pp"))]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    literals = re.sub(r'"\s*\n\s*"', "", text)  # one message, written over several lines
    count = 0
    for row in re.findall(r"^\| (.*?) \|", page("troubleshooting.md"), re.M):
        for message in re.findall(r"`([^`]+)`", row):
            count += 1
            for piece in (each.strip(" :;") for each in message.split("...")):
                if piece and piece not in literals:
                    problems.append(f"docs/troubleshooting.md: no source says {piece!r}")
    return count


def functions():
    headers = root / "executive" / "include" / "tactus"
    found = re.findall(r"\(\*(\w+)\)\(void\* context", (headers / "model.h").read_text(encoding="utf-8"))
    text = (headers / "model.hpp").read_text(encoding="utf-8")
    for name in ("Declare", "Model"):
        public = re.search(rf"^class (?:TACTUS_HIDDEN )?{name} .*?^ private:", text, re.M | re.S)[0]
        found += re.findall(r"^  (?:[\w:]+|requires\(.*\)) (\w+)\((?!const tactus_host&)", public, re.M)
    found += re.findall(r"^constexpr JobOptions (\w+)\(", text, re.M)
    for name in found:
        if not re.search(rf"\b{name}\b", page("model-api.md")):
            problems.append(f"docs/model-api.md does not name {name}")
    return len(found)


def pictures():
    index = (root / "drivers/live/http/page/index.html").read_text(encoding="utf-8")
    made = (root / "scripts" / "pictures").read_text(encoding="utf-8")
    pages = "".join(path.read_text(encoding="utf-8") for path in [root / "README.md", *(root / "docs").glob("*.md")])
    views = re.findall(r'<section id="view-(\w+)"', index)
    for view in views:
        if not re.search(rf'"{view}": \d', made):
            problems.append(f"scripts/pictures --all has no picture of the view {view}")
    files = sorted((root / "docs" / "pictures").iterdir())
    for file in files:
        if f"pictures/{file.name})" not in pages:
            problems.append(f"no page shows docs/pictures/{file.name}")
    for shown in sorted(set(re.findall(r"pictures/([\w.-]+)\)", pages)) - {file.name for file in files}):
        problems.append(f"docs/pictures/{shown} is shown, and is not there")
    return len(views)


counts = messages(), functions(), pictures()
if counts[0] < 25 or counts[1] < 25 or counts[2] < 5:
    problems.append("only {} messages, {} functions and {} views were found".format(*counts))
print("\n".join(problems) if problems else "{} messages, {} functions, {} views".format(*counts))
sys.exit(1 if problems else 0)
