# SPDX-License-Identifier: Apache-2.0
"""Each rule of include_rules.py refuses a made-up include that breaks it, with file, line and rule, and only that.

    include_rules_test.py
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import include_rules


def tree(folder, files):
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def said_of(files):
    """What the rules say about a tree of these files."""
    with tempfile.TemporaryDirectory() as folder:
        tree(pathlib.Path(folder), files)
        # Git is slow to ask, some hundred times.
        with mock.patch.object(include_rules, "files_of", lambda root, *more: sorted(files)):
            return list(include_rules.complaints_of(pathlib.Path(folder).resolve()))


def why(path, included, *there):
    """Why a file must not include a header, in a tree with some more files: the only complaint, or None."""
    lines = said_of({path: f'// one\n#include "{included}"\n', **{file: "" for file in there}})
    if not lines:
        return None
    start = f"{path}:2: includes {included}; "
    assert len(lines) == 1 and lines[0].startswith(start), lines
    return lines[0].removeprefix(start)


def may(driver, target):
    included = target.partition("/include/")[2] or target
    return why(f"drivers/{driver}/made_up.cpp", included, target)


class IncludeRules(unittest.TestCase):
    def test_the_program_fails_with_what_is_broken(self):
        with tempfile.TemporaryDirectory() as folder:
            tree(pathlib.Path(folder), {"rtsync/a.cpp": '#include "config/node.hpp"\n'})
            done = subprocess.run([sys.executable, "-B", include_rules.__file__, folder],
                                  capture_output=True, text=True, check=False)
        self.assertEqual(done.stdout, "rtsync/a.cpp:1: includes config/node.hpp; an include only points down: "
                                      "drivers > executive > config > rtsync\n")
        self.assertEqual(done.stderr, "1 broken; the rules are in docs/architecture.md\n")
        self.assertEqual(done.returncode, 1)

    def test_a_layer_knows_none_above_it(self):
        for upper, lower in zip(include_rules.LAYERS[1:], include_rules.LAYERS):
            self.assertEqual(why(f"{lower}/a.cpp", f"{upper}/b.hpp"),
                             "an include only points down: drivers > executive > config > rtsync")
        self.assertIsNone(why("executive/a.cpp", "rtsync/b.hpp", "rtsync/b.hpp"))

    def test_a_folder_knows_none_above_it_or_beside_it(self):
        for outer, rows in include_rules.FOLDERS.items():
            driver = outer.startswith("drivers/")
            for lower, upper in zip(rows, rows[1:]):
                here, there = lower.split()[0], upper.split()[0]
                self.assertEqual(why(f"{outer}/{here}/a.cpp", f"{outer}/{there}/b.hpp"),
                                 f"in {outer}/ {here} is below {there} or beside it")
                if not driver:
                    self.assertIsNone(why(f"{outer}/{there}/a.cpp", f"{outer}/{here}/b.hpp"))
        self.assertEqual(why("rtsync/facts/a.cpp", "rtsync/wait/b.hpp"),
                         "in rtsync/ facts is below wait or beside it")

    def test_the_rules_of_a_folder_hold_for_the_folders_in_it(self):
        rows = {"executive": ["frame", "many", "run"], "executive/many": ["one two", "three"]}
        with mock.patch.object(include_rules, "FOLDERS", rows):
            self.assertEqual(why("executive/many/one/a.cpp", "executive/many/two/b.hpp"),
                             "in executive/many/ one is below two or beside it")
            self.assertEqual(why("executive/many/three/a.cpp", "executive/run/b.hpp"),
                             "in executive/ many is below run or beside it")
            self.assertEqual(why("executive/frame/a.cpp", "executive/many/one/b.hpp"),
                             "in executive/ frame is below many or beside it")
            self.assertIsNone(why("executive/many/three/a.cpp", "executive/many/one/b.hpp"))
            self.assertIsNone(why("executive/many/one/a.cpp", "executive/frame/b.hpp"))
            self.assertIsNone(why("executive/run/a.cpp", "executive/many/two/b.hpp"))
            self.assertEqual(said_of({"executive/many/four/a.cpp": ""}),
                             ["executive/many/four/a.cpp: executive/many/ has no folder four; FOLDERS of "
                              "tests/install/include_rules.py lists its folders"])

    def test_the_settings_of_a_capability_are_on_the_level_of_the_plan(self):
        self.assertIsNone(why("executive/plan/a.cpp", "executive/capability/link/settings.hpp"))
        self.assertIsNone(why("executive/capability/link/settings.cpp", "executive/plan/b.hpp"))
        self.assertIsNone(why("executive/capability/record/run.cpp", "executive/capability/link/settings.hpp"))
        self.assertEqual(why("executive/capability/link/settings.hpp", "executive/frame/b.hpp"),
                         "in executive/ plan is below frame or beside it")
        self.assertEqual(why("executive/plan/a.cpp", "executive/capability/link/run.hpp"),
                         "in executive/ plan is below capability or beside it")

    def test_text_reaches_a_terminal_through_the_door_alone(self):
        for printed in ('std::fprintf(stderr, "%s", what);', "printf(text);", 'std::cerr << what;', "std::fputs(a, stdout);"):
            lines = said_of({"executive/app/a.cpp": printed + "\n"})
            self.assertEqual(len(lines), 1, printed)
            self.assertIn("executive/app/a.cpp:1: prints by ", lines[0])
        self.assertEqual(said_of({"executive/app/a.cpp": 'print_plain(stderr, "%s", what);  // not printf()\n'
                                                         "std::snprintf(a, b, c);\n"}), [])
        for door in include_rules.DOORS:
            self.assertEqual(said_of({door: 'std::fputs("x", stdout);\n'}), [])

    def test_a_folder_without_a_row_is_named(self):
        self.assertEqual(said_of({"executive/attic/a.cpp": ""}),
                         ["executive/attic/a.cpp: executive/ has no folder attic; FOLDERS of "
                          "tests/install/include_rules.py lists its folders"])

    def test_no_driver_knows_another_unless_its_row_says_so(self):
        for driver, row in include_rules.DRIVERS.items():
            for other in include_rules.DRIVERS:
                if other.split("/")[0] == driver.split("/")[0] == "silkit" or other == driver:
                    continue  # the folders of silkit are judged as folders
                refused = may(driver, f"drivers/{other}/made_up.hpp")
                if f"drivers/{other}" in row.split():
                    self.assertIsNone(refused)
                else:
                    self.assertEqual(refused.partition(" may include ")[0], f"drivers/{driver}/")

    def test_a_driver_of_the_installed_headers_knows_nothing_else(self):
        broken = "this driver is written against the installed headers, and that is none of them"
        for target in ("config/node.hpp", "rtsync/host/descriptor.hpp"):
            self.assertEqual(may("record/trk", target), broken)
        self.assertIsNone(may("record/trk", "executive/include/tactus/driver.hpp"))
        own = "drivers/record/common/bytes.hpp"
        for included, complaint in (("config/node.hpp", broken), ("rtsync/rt.hpp", None)):
            lines = said_of({"drivers/record/trk/a.cpp": f'#include "{own}"\n', own: f'#include "{included}"\n',
                             included: ""})
            self.assertEqual([line.partition("; ")[2] for line in lines], [complaint] if complaint else [])

    def test_a_driver_knows_the_folders_of_its_row(self):
        for driver, row in include_rules.DRIVERS.items():
            for allowed in row.split():
                header = allowed if "." in allowed else allowed + "/made_up.hpp"
                self.assertIsNone(may(driver, header))
            self.assertIn(" may include ", may(driver, "executive/frame/executive.hpp"))
            if not include_rules.is_outside(f"drivers/{driver}/made_up.cpp"):
                self.assertIsNone(may(driver, "config/node.hpp"))

    def test_a_driver_knows_nothing_of_another_but_the_headers_of_its_row(self):
        self.assertIsNone(may("link", "drivers/silkit/include/tactus/silkit.h"))
        self.assertIsNone(may("models/servo", "drivers/models/check.hpp"))
        for driver, target in [("link", "drivers/silkit/core/engine.hpp"),
                               ("link", "drivers/silkit/include/tactus/silkit_lin.h"),
                               ("link", "drivers/can/model/can_model.hpp"),
                               ("gpio", "drivers/silkit/include/tactus/silkit.h"),
                               ("gpio", "drivers/live/http/routes.hpp"),
                               ("models/servo", "drivers/models/vehicle/gear.hpp")]:
            self.assertEqual(may(driver, target).partition(" may include ")[0], f"drivers/{driver}/")

    def test_a_header_is_found_as_models_spell_it(self):
        self.assertIn("drivers/models/servo/ may include",
                      why("drivers/models/servo/a.cpp", "models/vehicle/gear.hpp", "drivers/models/vehicle/gear.hpp"))

    def test_a_driver_without_a_row_is_named(self):
        self.assertEqual(said_of({"drivers/lin/a.cpp": ""}),
                         ["drivers/lin/a.cpp: this driver has no row in DRIVERS of tests/install/include_rules.py"])

    def test_a_library_is_known_to_its_owners_only(self):
        spelled = {"asio[./]*": ["asio.hpp", "asio/ip/tcp.hpp"], "H5*": ["H5public.h", "H5Cpp.h"],
                   "gpiod.*": ["gpiod.h", "gpiod.hpp"], "hdf5*": ["hdf5.h", "hdf5_hl.h"]}
        for library, owners in include_rules.OWNERS.items():
            for header in spelled.get(library, [library.replace("/*", "/made_up.h").replace("*", ".h")]):
                for owner in owners:
                    self.assertIsNone(why(f"{owner}a.cpp", header))
                for folder in ["executive/plan/", "rtsync/thread/", "drivers/record/csv/", "config/"]:
                    if folder not in owners:
                        self.assertEqual(why(f"{folder}a.cpp", header),
                                         f"only {' and '.join(owners)} may, so that the library stays replaceable")

    def test_a_library_without_an_owner_is_refused(self):
        for header in ["fmt/format.h", "Eigen/Dense", "zlib.h"]:
            self.assertIn("no folder owns this library", why("executive/plan/a.cpp", header))
        for header in ["vector", "sys/mman.h", "unistd.h", "linux/futex.h"]:
            self.assertIsNone(why("executive/plan/a.cpp", header))

    def test_a_header_brings_its_own_cstdint(self):
        self.assertEqual(said_of({"config/a.hpp": "\nstd::uint8_t a;\n"}),
                         ["config/a.hpp:2: std::uint8_t without #include <cstdint>"])

    def test_what_a_frame_calls_is_not_outside_of_frames(self):
        for text in ["tactus_folder(executive\n  SOURCES\n    b.cpp\n  OUTSIDE_FRAMES\n    in/a.cpp\n  HEADERS\n    a.hpp)\n",
                     "tactus_part(plan OUTSIDE_FRAMES SOURCES in/a.cpp)\n"]:
            files = {"config/CMakeLists.txt": text, "config/in/a.cpp": "void a() TACTUS_RT {}\n",
                     "config/b.cpp": "void b() TACTUS_RT {}\n"}
            self.assertEqual(said_of(files),
                             ["config/in/a.cpp: has TACTUS_RT, and stands behind OUTSIDE_FRAMES in "
                              "config/CMakeLists.txt; it belongs behind SOURCES"])
            self.assertEqual(said_of({**files, "config/in/a.cpp": "void a() {}\n"}), [])

    def test_the_top_level_has_its_entries(self):
        self.assertTrue(said_of({"notes.txt": ""})[0].startswith("notes.txt: not one of the top level's entries"))


unittest.main()
