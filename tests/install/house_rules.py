"""The rules of the house that a grep can check. One line for each place that breaks one; silence otherwise.

    house_rules.py CHECKOUT
"""
import pathlib
import re
import subprocess
import sys

FLOORS = ["rtsync", "config", "executive", "drivers"]  # from the ground up; an include only points down
# Which folder owns a third-party header.
OWNERS = {
    "yaml-cpp": "config/",
    "CLI": "executive/app/",
    "boost": "executive/",
    "gpiod": "drivers/gpio/",
    "systemd": "rtsync/",
    "asio": "drivers/silkit/",
    "microhttpd": "drivers/live/http/",
}
TOP = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "executive", "rtsync", "drivers", "config",
       "tests", "scripts", "docs"}
SOURCES = {".h", ".hpp", ".c", ".cpp", ".cc", ".in"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
FIXED_WIDTH = re.compile(r"\bstd::u?int(8|16|32|64|ptr|max)_t\b")


def files_of(root, *more):
    """What git tracks, and with "--others" also what it might; without git, what lies there."""
    git = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z", "--exclude-standard", "--cached", *more]
    try:
        listed = subprocess.run(git, capture_output=True, text=True, check=True).stdout
        return sorted({path for path in listed.split("\0") if path and (root / path).is_file()})
    except (OSError, subprocess.CalledProcessError):
        found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
        return sorted(str(path) for path in found if path.parts[0] not in ("build", "runs", ".git", ".cache"))


def floor_of(included, folder, root):
    """The floor a header belongs to, or None."""
    if (root / folder / included).is_file():  # beside the file that includes it, or ../
        try:
            included = str((root / folder / included).resolve().relative_to(root))
        except ValueError:
            return None
    first = included.split("/")[0]
    if first == "tactus":  # the model SDK, and the headers of an installed tactus
        second = included.split("/")[1]
        return second if second in FLOORS else "executive"
    return first if first in FLOORS else None


def broken_includes(root, path):
    home = path.split("/")[0]
    lines = (root / path).read_text(errors="replace").splitlines()
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = match[1]
        floor = floor_of(included, path.rpartition("/")[0], root)
        if floor and FLOORS.index(floor) > FLOORS.index(home):
            yield (f"{path}:{number}: {home}/ includes {included} of {floor}/; an include only points down: "
                   "drivers > executive > config > rtsync")
        library = re.split(r"[/.]", included)[0]
        owner = OWNERS.get(library)
        if owner and not floor and not path.startswith(owner):
            yield f"{path}:{number}: includes {included}; only {owner} may, so that {library} stays replaceable"


def missing_cstdint(root, path):
    """<string> and its like bring <cstdint> along with GCC 12, no longer with GCC 13."""
    text = (root / path).read_text(errors="replace")
    used = FIXED_WIDTH.search(text)
    if used and "#include <cstdint>" not in text:
        yield f"{path}:{text.count(chr(10), 0, used.start()) + 1}: {used[0]} without #include <cstdint>"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    complaints = []
    # A note somebody left lying at the top is their own business until it is added.
    for entry in sorted({path.split("/")[0] for path in files_of(root)}):
        if entry not in TOP and not entry.startswith("."):
            complaints.append(f"{entry}: not one of the top level's entries ({' '.join(sorted(TOP))}); put it inside one")
    for path in files_of(root, "--others"):
        if path.split("/")[0] in FLOORS and pathlib.Path(path).suffix in SOURCES:
            complaints.extend(broken_includes(root, path))
        if path.endswith(".hpp"):
            complaints.extend(missing_cstdint(root, path))
    for complaint in complaints:
        print(complaint)
    if complaints:
        sys.exit(f"{len(complaints)} broken; the rules are in docs/architecture.md")


main()
