# SPDX-License-Identifier: Apache-2.0
"""Pages and sources name the same: each message of docs/troubleshooting.md stands in the sources, so that who searches
for it finds it; docs/model-api.md has each function of the model API.

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


counts = messages(), functions()
if counts[0] < 25 or counts[1] < 25:
    problems.append(f"only {counts[0]} messages and {counts[1]} functions were found")
print("\n".join(problems) if problems else f"{counts[0]} messages, {counts[1]} functions")
sys.exit(1 if problems else 0)
