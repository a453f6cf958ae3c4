# SPDX-License-Identifier: Apache-2.0
"""Adds up ctest's JUnit reports: prints each failed test with the end of what it said, and as the last line
`N passed, N failed, N skipped`.

Exit status 0 when something passed and nothing failed. A report that is not there counts as one failed: its
suite was not built, or ctest broke down.
"""
import sys
import xml.etree.ElementTree as ElementTree

LINES = 40  # of a failed test's output; the whole of it stands where the test ran

passed = failed = skipped = 0


def tell(report, name, output):
    print(f"failed in {report}: {name}")
    for line in output.splitlines()[-LINES:]:
        print(f"    {line}")


for path in sys.argv[1:]:
    try:
        suite = ElementTree.parse(path).getroot()
    except (OSError, ElementTree.ParseError):
        failed += 1
        tell(path, "not built, or ctest broke down", "")
        continue
    for case in suite.iter("testcase"):
        status = case.get("status")
        reason = case.find("skipped")
        if status == "run":
            passed += 1
        elif status == "disabled":
            skipped += 1
        # ctest also calls a test whose program is missing "not run"; that one did not ask to be skipped.
        elif status == "notrun" and reason is not None and reason.get("message", "").startswith("SKIP_"):
            skipped += 1
        else:
            failed += 1
            tell(path, case.get("name"), case.findtext("system-out") or "")

print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(0 if passed > 0 and failed == 0 else 1)
