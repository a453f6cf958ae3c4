# SPDX-License-Identifier: Apache-2.0
"""Rules for sentences, where a machine can tell: docs/glossary.md has the others.

    prose_test.py CHECKOUT

A comment of a declaration begins with a verb in the third person ("Returns ...", "Waits until ..."), or with a noun
phrase that is complete by itself ("Longest wait for an edge."); never with a word of HEADLESS, whose sentence has no
subject. Lines of README and docs/ have at most 120 columns, but for tables and commands.
"""
import pathlib
import re
import sys

LONGEST_LINE = 120
# Prepositions, relative and question words, conjunctions: what begins so can be read with the line above it alone.
HEADLESS = set("""
    of whether who whose whom what which likewise how why where as in for from by with without at on to when while
    since so that than behind before after until till unless if though because whatever whoever wherever whenever and
    or but nor also between under over about within beside
""".split())
CODE = ["config", "drivers", "executive", "rtsync"]
COMMENT = re.compile(r"^\s*///(?![/<])\s?(.*)$")
TRAILING = re.compile(r"^\s*[^\s/].*?///<\s?(.*)$")


def first_lines(source):
    """(number, text) of the first line of each comment of a declaration."""
    within = False
    for number, line in enumerate(source.splitlines(), start=1):
        if comment := COMMENT.match(line):
            if not within:
                yield number, comment[1]
            within = True
            continue
        within = False
        if comment := TRAILING.match(line):
            yield number, comment[1]


def is_headless(text):
    word = re.match(r"[A-Za-z']+", text)
    if not word:
        return False
    return word[0].lower() in HEADLESS or re.match(r"true (if|once|while)\b", text.lower()) is not None


def headless_comments(source):
    return [(number, text) for number, text in first_lines(source) if is_headless(text)]


def prose_of(page):
    """(number, text) of the lines outside of code blocks."""
    code = False
    for number, line in enumerate(page.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            code = not code
        elif not code:
            yield number, line


def long_lines(page):
    """Numbers of the lines that are too long: of a table and of one long command in the text none is."""
    return [number for number, line in prose_of(page)
            if len(line) > LONGEST_LINE and not line.startswith("|") and len(re.sub(r"`[^`]*`", "", line)) > 40]


def main():
    root = pathlib.Path(sys.argv[1])
    wrong = []
    for path in sorted(path for folder in CODE for path in (root / folder).rglob("*")):
        if path.suffix in (".c", ".cpp", ".h", ".hpp"):
            wrong += [f"{path.relative_to(root)}:{number}: '{text.strip()[:60]}': begin with a verb in the third "
                      "person, or with a noun phrase that is complete by itself"
                      for number, text in headless_comments(path.read_text(encoding="utf-8"))]
    for path in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        if path.name in ("rig-file.md", "variables.md"):  # generated
            continue
        wrong += [f"{path.relative_to(root)}:{number}: longer than {LONGEST_LINE} columns; break it"
                  for number in long_lines(path.read_text(encoding="utf-8"))]
    print("\n".join(wrong) or "every comment of a declaration is a sentence or a name")
    if wrong:
        print(f"{len(wrong)} places")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
