# SPDX-License-Identifier: Apache-2.0
"""The rules of the architecture that a grep can check. One line for each place that breaks one; silence otherwise.

    include_rules.py CHECKOUT

include_rules_test.py shows that each of them can be broken.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

LAYERS = ["rtsync", "config", "executive", "drivers"]  # from the lowest up; an include only points down
# The folders in a folder, also from the lowest up. Folders of one row do not include each other.
FOLDERS = {
    "rtsync": ["exchange time", "host", "clock crash evidence", "thread", "facts wait"],
    "executive": ["include", "model integration", "expression", "driver", "isolation", "state record",
                  "plan", "admission flight", "frame", "run_base", "capability", "run", "embed report client", "campaign", "app c_api"],
    "executive/campaign": ["draw", "statistics", "file", "store", "run page", "engine"],
    "executive/capability": ["action", "checkpoint clock histogram isolation judge library message policy privilege record stimulus fault limit", "cause watch", "flight",
                             "link live"],
    "drivers/can": ["dbc", "bus codec", "port", "log", "model", "command"],
    "drivers/silkit": ["include", "wire", "core", "net", "api", "command"],
}
# What each folder of drivers/ may include beside itself, rtsync/ and config/. A driver knows another only where it says
# so here, and then by the headers named. Every driver has a row; the longest one that fits a file is its own.
LINK_USES = ("drivers/silkit/include/tactus/silkit.h drivers/silkit/include/tactus/silkit_can.h "
             "drivers/silkit/include/tactus/silkit_rpc.h drivers/can/port/port.hpp drivers/can/port/shared_bus.hpp")
DRIVERS = {
    "can": "executive/include",
    "can/command": "executive/driver drivers/can",
    "fmi": "executive/include",
    "gpio": "executive/include executive/model executive/driver",
    "link": f"executive/model executive/driver executive/capability/live {LINK_USES}",
    "live/http": "executive/model executive/expression executive/driver executive/capability/live",
    "live/trick": "executive/model executive/driver executive/capability/live",
    "models": "executive/include",
    "models/controller": "executive/include drivers/models/check.hpp",
    "models/servo": "executive/include drivers/models/check.hpp",
    "models/test_load": "executive/include drivers/models/check.hpp",
    "models/vehicle": "executive/include drivers/models/check.hpp",
    "record/common": "executive/include executive/driver",
    "record/csv": "executive/model executive/driver executive/record drivers/record/common",
    "record/hdf5": "executive/include executive/driver drivers/record/common",
    "record/mcap": "executive/model executive/driver drivers/record/common",
    "record/mdf4": "executive/driver drivers/record/common",
    "record/trk": "executive/include drivers/record/common/bytes.hpp drivers/record/common/whole_number.hpp",
    "silkit": "",
    "silkit/command": "executive/driver drivers/silkit",
}
# Files of drivers that are written as a user's own: against the installed headers (docs/drivers.md). They may include these,
# each other, and headers of drivers/ that keep to the same.
OUTSIDE = ["drivers/can/[bdlmp]*", "drivers/can/codec/*", "drivers/gpio/chip_paths.*", "drivers/gpio/clock.*", "drivers/gpio/edge_line_source.*", "drivers/gpio/gpio.hpp",
           "drivers/gpio/gpio_in.*", "drivers/gpio/gpiod?.cpp", "drivers/gpio/holder.*", "drivers/gpio/lines.*",
           "drivers/gpio/plugin_clock.cpp", "drivers/gpio/plugin_gpio_in.cpp", "drivers/gpio/safe_write.hpp",
           "drivers/fmi/*", "drivers/gpio/signal.*", "drivers/gpio/text.*", "drivers/gpio/words.hpp", "drivers/record/trk/*"]
ANNOTATION = "rtsync/rt.hpp"  # a word for noexcept; it may stand in such a header
# Which folders own the headers of a library. What is neither here nor of the system is refused everywhere.
OWNERS = {
    "yaml-cpp/*": ["config/"],
    "nlohmann/*": ["config/"],
    "CLI/*": ["executive/app/", "drivers/can/command/", "drivers/silkit/command/"],
    "boost/multiprecision/*": ["config/"],
    "boost/math/*": ["executive/campaign/"],
    "boost/random/*": ["executive/campaign/draw/"],
    "boost/numeric/*": ["executive/integration/"],
    "spdlog/*": ["executive/run_base/"],
    "gpiod.*": ["drivers/gpio/"],
    "pugixml.hpp": ["drivers/fmi/description/"],
    "zip.h": ["drivers/fmi/archive/"],
    "sqlite3.h": ["executive/campaign/store/"],
    "sys/capability.h": ["rtsync/host/"],
    "systemd/*": ["rtsync/host/"],
    "event-parse.h": ["rtsync/evidence/"],
    "tracefs.h": ["rtsync/evidence/"],
    "protozero/*": ["executive/flight/"],
    "asio[./]*": ["drivers/silkit/net/"],
    "microhttpd*": ["drivers/live/http/"],
    "H5*": ["drivers/record/hdf5/"],
    "hdf5*": ["drivers/record/hdf5/"],
}
# The C++ library; the C library, the kernel and the compiler.
SYSTEM = re.compile(r"[a-z_]+|(arpa|asm|linux|linux/can|net|netinet|sys)/[a-z_0-9]+\.h")
SYSTEM_C = {name + ".h" for name in (
    "cpuid cxxabi dirent dlfcn elf emmintrin errno fcntl float getopt grp ifaddrs inttypes limits link malloc math netdb poll pthread pwd sched "
    "semaphore signal spawn stdarg stdatomic stdbool stddef stdint stdio stdlib string strings syslog termios time "
    "ucontext unistd unwind x86intrin").split()}
TOP = {"CMakeLists.txt", "CMakePresets.json", "README.md", "LICENSE", "executive", "rtsync", "drivers", "config",
       "tests", "scripts", "docs"}
SOURCES = {".h", ".hpp", ".c", ".cpp", ".cc", ".in"}
FIXED_WIDTH = re.compile(r"\bstd::u?int(8|16|32|64|ptr|max)_t\b")
# Who prints without rtsync::print_plain, and what: the doors themselves, escape sequences of our own, fixed words.
DOORS = {
    "rtsync/host/plain_text.cpp", "executive/app/terminal_text.cpp",
    "executive/app/screen.cpp", "executive/client/terminal.cpp", "drivers/silkit/command/monitor.cpp",
    "drivers/gpio/guardian_main.cpp",
}
PRINTS = re.compile(r"(?<![\w:])((?:std::)?(?:f?printf|fputs|puts|fputc|putchar|perror)\b|std::c(?:out|err)\b)(?=\s*[(<])")
OUTSIDE_FRAMES = re.compile(r"^tactus_\w+\([^)]*\bOUTSIDE_FRAMES\b([^)]*)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')


def files_of(root, *more):
    """What git tracks, and with "--others" also what it might; without git, what lies there."""
    git = ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z", "--exclude-standard", "--cached", *more]
    try:
        listed = subprocess.run(git, capture_output=True, text=True, check=True).stdout
        return sorted({path for path in listed.split("\0") if path and (root / path).is_file()})
    except (OSError, subprocess.CalledProcessError):
        found = (path.relative_to(root) for path in root.rglob("*") if path.is_file())
        return sorted(str(path) for path in found if path.parts[0] not in ("build", "runs", ".git", ".cache"))


class Headers:
    """Where the headers of ours lie. What was looked up is kept: each name is included by many files of a folder."""

    def __init__(self, root, files):
        self.root = root
        self.places = {}
        self.public = {}  # how others spell a header of an `include` folder -> where it lies
        for path in files:
            folder, include, spelling = path.partition("/include/")
            if include and folder.split("/")[0] in LAYERS:
                self.public[spelling] = path

    def place_of(self, included, folder):
        """The path of a header of ours, or None."""
        if (included, folder) not in self.places:
            self.places[included, folder] = self.find(included, folder)
        return self.places[included, folder]

    def find(self, included, folder):
        for candidate in (pathlib.PurePosixPath(folder) / included, pathlib.PurePosixPath(included),
                          pathlib.PurePosixPath("drivers") / included):  # models are built with that folder alone
            if (self.root / candidate).is_file():
                resolved = (self.root / candidate).resolve()
                return str(resolved.relative_to(self.root)) if resolved.is_relative_to(self.root) else None
        if included in self.public:
            return self.public[included]
        first, _, rest = included.partition("/")
        if first == "tactus" and rest.split("/")[0] in LAYERS:  # as an installed tactus has it
            return rest
        return included if first in LAYERS else None


# The settings of a capability are on the level of the plan, which reads them.
SETTINGS = re.compile(r"executive/capability/\w+/(settings\.[ch]pp)")


def folder_of(path, outer):
    """The number of the row of FOLDERS[outer] that a file is in, and the folder; (-1, "") right in `outer`, which is below
    all of its folders. A folder without a row has None as number."""
    if settings := SETTINGS.fullmatch(path):
        path = "executive/plan/" + settings[1]
        if not path.startswith(outer + "/"):
            return -1, ""
    parts = path[len(outer) + 1:].split("/")
    if len(parts) == 1:
        return -1, ""
    rows = [row.split() for row in FOLDERS[outer]]
    return next((number for number, row in enumerate(rows) if parts[0] in row), None), parts[0]


def inside(path, folder):
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def driver_of(path):
    """The row of DRIVERS for a file of drivers/, or None."""
    return max((name for name in DRIVERS if inside(path, "drivers/" + name)), key=len, default=None)


def broken_driver(path, target):
    """Why a driver must not include a header of drivers/ or executive/, or None."""
    driver = driver_of(path)
    if driver is None or target.split("/")[0] not in ("drivers", "executive"):
        return None
    allowed = DRIVERS[driver].split()
    if driver_of(target) == driver or any(inside(target, folder) for folder in allowed):
        return None
    return f"drivers/{driver}/ may include {' '.join(allowed) or 'no other driver and nothing of executive/'}"


def is_outside(path):
    return any(fnmatch.fnmatchcase(path, pattern) for pattern in OUTSIDE)


def keeps_to_installed(root, path, headers, seen=()):
    """Whether a header of drivers/ includes, also through others, nothing of ours that is not installed."""
    if path.startswith("executive/include/") or path == ANNOTATION:
        return True
    if not path.startswith("drivers/") or path in seen:
        return path in seen
    includes = [match[1] for line in (root / path).read_text(errors="replace").splitlines()
                if (match := INCLUDE.match(line))]
    targets = [headers.place_of(included, path.rpartition("/")[0]) for included in includes]
    return all(keeps_to_installed(root, target, headers, (*seen, path)) for target in targets if target)


def broken_arrow(path, target):
    """Why a file must not include another, or None."""
    home, layer = path.split("/")[0], target.split("/")[0]
    if LAYERS.index(layer) > LAYERS.index(home):
        return "an include only points down: " + " > ".join(reversed(LAYERS))
    for outer in FOLDERS:
        if not path.startswith(outer + "/") or not target.startswith(outer + "/"):
            continue
        (row, here), (below, there) = folder_of(path, outer), folder_of(target, outer)
        if here not in ("", there) and None not in (row, below) and below >= row:
            return f"in {outer}/ {here} is below {there} or beside it"
    return broken_driver(path, target)


def broken_owner(path, included):
    """Why a file must not include a header that is not ours, or None."""
    for library, owners in OWNERS.items():
        if fnmatch.fnmatchcase(included, library):
            allowed = path.startswith(tuple(owners))
            return None if allowed else f"only {' and '.join(owners)} may, so that the library stays replaceable"
    if SYSTEM.fullmatch(included) or included in SYSTEM_C:
        return None
    return "no folder owns this library; OWNERS of tests/install/include_rules.py names owners"


def complaints_about(root, path, headers):
    if path.startswith("drivers/") and driver_of(path) is None:
        yield f"{path}: this driver has no row in DRIVERS of tests/install/include_rules.py"
    for outer in FOLDERS:
        if path.startswith(outer + "/") and folder_of(path, outer)[0] is None:
            yield (f"{path}: {outer}/ has no folder {folder_of(path, outer)[1]}; FOLDERS of tests/install/include_rules.py "
                   "lists its folders")
    for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        included = match[1]
        target = headers.place_of(included, path.rpartition("/")[0])
        why = broken_arrow(path, target) if target else broken_owner(path, included)
        if not why and target and is_outside(path) and not keeps_to_installed(root, target, headers):
            why = "this driver is written against the installed headers, and that is none of them"
        if why:
            yield f"{path}:{number}: includes {included}; {why}"


def missing_cstdint(root, path):
    """<string> and its like bring <cstdint> along with GCC 12, no longer with GCC 13."""
    text = (root / path).read_text(errors="replace")
    used = FIXED_WIDTH.search(text)
    if used and "#include <cstdint>" not in text:
        yield f"{path}:{text.count(chr(10), 0, used.start()) + 1}: {used[0]} without #include <cstdint>"


def beside_the_door(root, path):
    """Text of a model, a file or a server must reach a terminal through rtsync::print_plain and its like alone."""
    if path in DOORS:
        return
    for number, line in enumerate((root / path).read_text(errors="replace").splitlines(), 1):
        printed = PRINTS.search(line.partition("//")[0])
        if printed:
            yield (f"{path}:{number}: prints by {printed[1]}; print_plain of rtsync/host/plain_text.hpp, or put and "
                   "print_error of executive/app, let no escape sequence through")


def called_in_frames(root, path):
    """What a CMakeLists.txt says is outside of frames is optimised less."""
    for call in OUTSIDE_FRAMES.finditer((root / path).read_text(errors="replace")):
        for source in re.findall(r"[\w/]+\.cpp", call[1]):
            place = path.removesuffix("CMakeLists.txt") + source
            if (root / place).is_file() and "TACTUS_RT" in (root / place).read_text(errors="replace"):
                yield f"{place}: has TACTUS_RT, and stands behind OUTSIDE_FRAMES in {path}; it belongs behind SOURCES"


def complaints_of(root):
    # A note somebody left lying at the top is their own business until it is added.
    for entry in sorted({path.split("/")[0] for path in files_of(root)}):
        if entry not in TOP and not entry.startswith("."):
            yield f"{entry}: not one of the top level's entries ({' '.join(sorted(TOP))}); put it inside one"
    files = [path for path in files_of(root, "--others") if path.split("/")[0] in LAYERS]
    headers = Headers(root, files)
    for path in files:
        if pathlib.Path(path).suffix in SOURCES:
            yield from complaints_about(root, path, headers)
        if path.endswith(".hpp"):
            yield from missing_cstdint(root, path)
        if path.endswith((".cpp", ".hpp")) and not path.startswith("executive/include/"):
            yield from beside_the_door(root, path)
        if path.endswith("CMakeLists.txt"):
            yield from called_in_frames(root, path)


def main():
    complaints = list(complaints_of(pathlib.Path(sys.argv[1]).resolve()))
    for complaint in complaints:
        print(complaint)
    if complaints:
        sys.exit(f"{len(complaints)} broken; the rules are in docs/architecture.md")


if __name__ == "__main__":
    main()
