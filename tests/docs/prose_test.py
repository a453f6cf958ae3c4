# SPDX-License-Identifier: Apache-2.0
"""Counts the words that docs/glossary.md replaces: in README and docs/, with the lines that are too long, and in what
the code says to people, its comments and its texts.

    prose_test.py CHECKOUT

The counts may only fall: more than LIMITS or CODE_LIMITS is an error. Fewer than LIMITS is one too, until LIMITS says
so; fewer than CODE_LIMITS is only reported.
"""
import pathlib
import re
import sys

LONGEST_LINE = 120
# Words that stand for no idea, or for one that has another word: glossary.md, and its rules for sentences.
WORDS = ["nobody", "somebody", "who looks in", "the others", "stands still", "mend", "cure", "tell", "tells", "told",
         "wire", "wires", "backgrounds", "turns", "the house", "stranger", "strangers", "goes back", "orders"]
LIMITS = {
    "nobody": 3,
    "somebody": 1,
    "the others": 4,
    "stands still": 4,
    "tell": 4,
    "told": 1,
    "wire": 2,
    "long lines": 1,
}
# Words of the glossary's column "not" that mean something else in most sentences of code, or stand in its first column.
ORDINARY = {"cut", "epoch", "instant", "meet", "order", "over", "pass", "stand", "task", "turn"}
CODE_LIMITS = {
    "background": 6,
    "bench": 8,
    "dump": 3,
    "go back": 12,
    "goes back": 7,
    "house": 1,
    "mend": 10,
    "missed": 12,
    "nobody": 157,
    "orders": 4,
    "somebody": 75,
    "stands still": 27,
    "stranger": 1,
    "supervisor": 2,
    "tell": 14,
    "tells": 47,
    "the house": 1,
    "the others": 88,
    "told": 106,
    "turns": 15,
    "wire": 7,
    "wish": 1,
}
CODE = ["config", "drivers", "executive", "rtsync"]
SAID = re.compile(r"""//[^\n]*|/\*.*?\*/|R"\w*\(.*?\)\w*"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'""", re.S)
INCLUDE = re.compile(r"^\s*#\s*include\b.*$", re.M)


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
                counts[word] += occurrences(word, line)
    return counts


def occurrences(word, text):
    return len(re.findall(rf"\b{word}\b", text, re.I))


def replaced_words(glossary):
    """The last column of the glossary's table."""
    rows = [[cell.strip() for cell in line.split("|")] for line in glossary.splitlines() if line.startswith("|")]
    return {word.strip() for row in rows[2:] for word in row[4].split(",") if word.strip()}


def said_by(source):
    """The comments and the texts of a C++ source."""
    return "\n".join(said for said in SAID.findall(INCLUDE.sub("", source)) if not said.startswith("'"))


def count_code(root):
    words = (replaced_words((root / "docs" / "glossary.md").read_text(encoding="utf-8")) | set(WORDS)) - ORDINARY
    counts = dict.fromkeys(sorted(words), 0)
    for folder in CODE:
        for path in (root / folder).rglob("*"):
            if path.suffix in (".c", ".cpp", ".h", ".hpp"):
                said = said_by(path.read_text(encoding="utf-8"))
                for word in words:
                    counts[word] += occurrences(word, said)
    return counts


def judge_code(counts, limits):
    """What is wrong, and what may be lowered."""
    wrong = [f"{word}: {count} in comments and texts of {', '.join(CODE)}, at most {limits.get(word, 0)} are allowed; "
             "use the word of docs/glossary.md" for word, count in counts.items() if count > limits.get(word, 0)]
    lower = [f"{word}: only {counts.get(word, 0)} are left in code; CODE_LIMITS may say so"
             for word, limit in limits.items() if counts.get(word, 0) < limit]
    return wrong, lower


def main():
    root = pathlib.Path(sys.argv[1])
    counts = count(root)
    wrong = [f"{word}: {counts[word]}, at most {LIMITS.get(word, 0)} are allowed; use the word of docs/glossary.md"
             for word in counts if counts[word] > LIMITS.get(word, 0)]
    wrong += [f"{word}: only {counts[word]} are left; write that into LIMITS, so that they stay away"
              for word in counts if counts[word] < LIMITS.get(word, 0)]
    in_code = count_code(root)
    too_many, lower = judge_code(in_code, CODE_LIMITS)
    wrong += too_many
    print("\n".join(wrong + lower) or "as many words as allowed")
    if not wrong:
        print(f"{sum(counts.values())} words and lines left, {sum(in_code.values())} words in code")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
