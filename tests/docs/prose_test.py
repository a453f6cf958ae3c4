# SPDX-License-Identifier: Apache-2.0
"""Counts, in README and docs/, the words that docs/glossary.md replaces and the lines that are too long.

    prose_test.py CHECKOUT

The counts may only fall: more than LIMITS is an error, and so is fewer, until LIMITS says so.
"""
import pathlib
import re
import sys

LONGEST_LINE = 120
# Words that stand for no idea, or for one that has another word: glossary.md, and its rules for sentences.
WORDS = ["nobody", "somebody", "who looks in", "the others", "stands still", "mend", "cure", "tell", "tells", "told",
         "wire", "wires", "backgrounds", "turns", "the house", "stranger", "strangers", "goes back", "orders"]
LIMITS = {
    "nobody": 6,
    "somebody": 2,
    "the others": 10,
    "stands still": 5,
    "cure": 1,
    "tell": 4,
    "told": 1,
    "wire": 5,
    "wires": 1,
    "orders": 1,
    "long lines": 1,
}


def prose_of(page):
    """The lines outside of code blocks."""
    code = False
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield line


def count(root):
    counts = dict.fromkeys([*WORDS, "long lines"], 0)
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    for page in pages:
        if page.name == "glossary.md":  # it names them
            continue
        generated = page.name in ("rig-file.md", "variables.md")
        for line in prose_of(page):
            if len(line) > LONGEST_LINE and not generated and not line.startswith("|"):
                counts["long lines"] += 1
            for word in WORDS:
                counts[word] += len(re.findall(rf"\b{word}\b", line, re.I))
    return counts


def main():
    counts = count(pathlib.Path(sys.argv[1]))
    wrong = [f"{word}: {counts[word]}, at most {LIMITS.get(word, 0)} are allowed; use the word of docs/glossary.md"
             for word in counts if counts[word] > LIMITS.get(word, 0)]
    wrong += [f"{word}: only {counts[word]} are left; write that into LIMITS, so that they stay away"
              for word in counts if counts[word] < LIMITS.get(word, 0)]
    print("\n".join(wrong) if wrong else f"{sum(counts.values())} words and lines left")
    sys.exit(1 if wrong else 0)


main()
