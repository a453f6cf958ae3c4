# SPDX-License-Identifier: Apache-2.0
"""Where the verdicts of a test are shown when its run is over, or runs: the report, JUnit files, `tactus watch`.

    verdicts_shown_test.py --source CHECKOUT --tactus PROGRAM [CLASS ...]

The rules for JUnit files are what three readers want, in the words of this file: the plug-in xunit of Jenkins (its schema
junit-10), GitLab, and the actions of GitHub, which read what Maven's Surefire writes. TACTUS_JUNIT_SCHEMAS=DIR asks xmllint,
too, with each schema (.xsd) of that folder.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True, type=pathlib.Path)
parser.add_argument("--tactus", required=True, type=pathlib.Path)
args, sys.argv[1:] = parser.parse_known_args()
SOURCE, TACTUS = args.source.resolve(), args.tactus.resolve()
sys.path.append(str(SOURCE / "scripts"))
from tactus_client import Rig  # noqa: E402  (its path is made above)

SERVO = str(SOURCE / "config" / "rigs" / "servo.yaml")
BAD = """test: is "bad" <&>
until: 300 ms
expect:
  slow: { never: motor.speed > 20 rad/s, requirement: REQ-7 }
  follows: { always: motor.angle within 0.5 rad of trajectory.position, requirement: REQ-12 }
  close: { always: "abs(motor.speed - trajectory.speed) < 500 rad/s" }
  warm: { always: motor.speed < 1 rad/s, severity: warn }
  never comes: { after: motor.speed > 1000 rad/s, within: 5 ms, holds: motor.speed < 1 rad/s }
  open: { after: motor.speed > 1 rad/s, within: 10 s, holds: motor.speed > 1000 rad/s }
"""
GOOD = "test: is good\nuntil: 100 ms\nexpect:\n  a: { always: motor.speed < 1000 rad/s }\n"
PATIENCE = 120  # s


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tactus-shown-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bad.test.yaml").write_text(BAD)
        (self.folder / "good.test.yaml").write_text(GOOD)

    def tactus(self, *words, status=0):
        done = subprocess.run([TACTUS, *words], cwd=self.folder, capture_output=True, text=True, timeout=600)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def run_bad(self):
        self.tactus("run", SERVO, "--test", "bad.test.yaml", "--no-realtime", "--out", "out", "--quiet", status=4)


class Report(Case):
    def test_the_verdicts_come_first_with_margin_frame_and_requirement(self):
        self.run_bad()
        text = self.tactus("report", "out", "--text")
        self.assertRegex(text, 'Test is "bad" <&>: fail\\.')
        text = " ".join(text.split())
        for words in (r"✕ fail Expectation slow; Expects never motor.speed > 20 rad/s; Requirement REQ-7; Margin over by \S+ rad/s #+; "
                      r"Frame \d+; At 0\.\d+ s", r"✓ pass Expectation follows; .* Margin \S+ rad left", r"▲ fail, warn only",
                      r"○ untested", r"\? inconclusive \(the end came before\)", r"trajectory.speed was not recorded"):
            self.assertRegex(text, words)

    def test_the_page_draws_what_failed_with_its_band_and_a_mark(self):
        self.run_bad()
        self.tactus("report", "out", "--to", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn('class="sign f', re.sub(r'class="f sign', 'class="sign f', page))
        plots = re.findall(r"<svg[^>]*><title>(.*?)</title>(.*?)</svg>", page, re.S)
        slow = next(body for title, body in plots if title.startswith("slow: motor.speed"))
        self.assertRegex(slow, "20(.0)? rad/s")
        self.assertRegex(slow, "✕ frame")
        follows = next(body for title, body in plots if title.startswith("follows: motor.angle"))
        self.assertGreaterEqual(follows.count("dash"), 3, "the reference, and both ends of the band around it")
        self.assertIn("trajectory.position + 0.5", page)
        self.assertFalse([title for title, _ in plots if title.startswith(("never comes", "open"))])

    def test_what_was_kept_around_a_failure_is_drawn_where_nothing_else_was_recorded(self):
        self.run_bad()
        out = self.folder / "out"
        (out / "verdicts").mkdir(exist_ok=True)
        (out / "motion.csv").rename(out / "verdicts" / "kept-1.csv")
        summary = json.loads((out / "summary.json").read_text())
        for row in summary["test"]["expectations"]:
            row["recording"] = "verdicts/kept-1.csv" if row["name"] == "slow" else None
        (out / "summary.json").write_text(json.dumps(summary))
        self.tactus("report", "out", "--to", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn("<title>slow: motor.speed</title>", page)
        self.assertNotIn("<title>warm: motor.speed</title>", page)

    def test_a_reference_in_another_unit_has_no_band_where_its_conversion_is_not_known(self):
        self.run_bad()
        out = self.folder / "out"
        for file in (out / "motion.csv", out / "motion.columns.json"):
            if file.exists():
                text = file.read_text().replace("trajectory.position {rad}", "trajectory.position {deg}")
                file.write_text(re.sub(r'("trajectory.position"[^}]*?)"rad"', r'\1"deg"', text))
        words = "trajectory.position is in deg, so no band is drawn"
        self.assertNotIn(words, " ".join(self.tactus("report", "out", "--text").split()))
        summary = json.loads((out / "summary.json").read_text())
        for row in summary["test"]["expectations"]:
            for key in ("gain", "offset"):
                (row.get("chart") or {}).pop(key, None)
        (out / "summary.json").write_text(json.dumps(summary))
        self.assertIn(words, " ".join(self.tactus("report", "out", "--text").split()))
        self.tactus("report", "out", "--to", "page.html")
        page = (self.folder / "page.html").read_text()
        self.assertIn("<title>follows: motor.angle</title>", page)
        self.assertNotIn("trajectory.position + 0.5", page)

    def test_a_run_without_a_test_says_nothing_of_one(self):
        self.tactus("run", SERVO, "--set", "until=100 ms", "--no-realtime", "--out", "out", "--quiet")
        self.assertNotIn("Test", self.tactus("report", "out", "--text").splitlines()[0])


# What each element may have in all of them: attributes that must be there, that may be, and what may stand in it, in this
# order.
COMMON = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, ["testsuite"]),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped", "time"}, set(), ["properties", "testcase"]),
    "properties": (set(), set(), ["property"]),
    "property": ({"name", "value"}, set(), []),
    "testcase": ({"classname", "name", "time"}, set(), ["failure", "skipped", "error", "system-out"]),
    **dict.fromkeys(("failure", "error"), ({"type", "message"}, set(), [])),
    **dict.fromkeys(("skipped", "system-out"), (set(), set(), [])),
}
HOSTILE = r'''"a\u0001 \uFFFE ]]> <![CDATA[ \U0001F980 \"x\" & \u0085 -->"'''  # as YAML has it
RESULTS = {"failure", "error", "skipped"}


def mistakes(root):
    """What one of the readers would stumble over."""
    found = []
    names = set()
    for node in root.iter():
        if node.tag not in COMMON:
            found.append(f"<{node.tag}> is not known")
            continue
        must, may, inside = COMMON[node.tag]
        found += [f"<{node.tag}> lacks {name}" for name in must - set(node.attrib)]
        found += [f"<{node.tag}> has {name}" for name in set(node.attrib) - must - may]
        found += [f"<{child.tag}> stands in <{node.tag}>" for child in node if child.tag not in inside]
        places = [inside.index(child.tag) for child in node if child.tag in inside]
        if places != sorted(places) or node.tag == "testcase" and len(set(places)) < len(places):
            found.append(f"<{node.tag}> {node.get('name')}: {[child.tag for child in node]} is not their order")
        if "time" in node.attrib and not re.fullmatch(r"[0-9]+(\.[0-9]{1,3})?", node.attrib["time"]):
            found.append(f"time {node.attrib['time']}")
        if node.tag in RESULTS and not (node.text or "").strip():
            found.append(f"<{node.tag}> says nothing: GitLab shows its text")
        if not node.get("message", "it").strip():
            found.append(f"<{node.tag}> has no message: an action of GitHub shows that first")
        if "name" in node.attrib and node.tag != "property" and not node.get("name").strip():
            found.append(f"<{node.tag}> has a blank name: an action of GitHub takes the blanks away")
        if node.tag == "properties" and not len(node):
            found.append("<properties> has none")
        if node.tag == "testcase":
            name = (node.get("classname"), (node.get("name") or "").strip())
            if not all(name):
                found.append(f"{name}: GitLab and the actions of GitHub want classname and name")
            if name in names:
                found.append(f"{name} is there twice: GitLab counts the first alone")
            names.add(name)
            if len([child for child in node if child.tag in RESULTS]) > 1:
                found.append(f"{name} has two results")
    for suite in [root, *root.iter("testsuite")]:
        cases = list(suite.iter("testcase"))
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            count = len([case for case in cases if case.find(tag) is not None])
            if int(suite.get(attribute, count)) != count:
                found.append(f"{attribute}={suite.get(attribute)} of {suite.get('name')}, but there are {count}")
        if int(suite.get("tests")) != len(cases):
            found.append(f"tests of {suite.get('name')}")
    total = sum(float(suite.get("time", 0)) for suite in root)
    if abs(total - float(root.get("time", total))) > 0.0006 * max(1, len(root)):
        found.append(f"the suites take {total} s together, and not {root.get('time')}")
    return found


def schema_mistakes(file, schema):
    """What xmllint says of a file: as a whole, or suite by suite where the schema knows no other root."""
    whole = "testsuites" in {each.get("name") for each in ElementTree.parse(schema).getroot()}
    texts = [file.read_bytes()] if whole else [ElementTree.tostring(each, "utf-8", xml_declaration=True)
                                               for each in ElementTree.parse(file).getroot()]
    done = [subprocess.run(["xmllint", "--noout", "--schema", schema, "-"], input=text, capture_output=True) for text in texts]
    return "".join(each.stderr.decode() for each in done if each.returncode)


class Junit(Case):
    def test_a_file_of_many_keeps_the_rules_of_three_readers(self):
        (self.folder / "other.test.yaml").write_text(BAD)
        (self.folder / "broken.test.yaml").write_text("expect:\n  c: { finally: motor.sped > 1 rad/s }\n")
        self.tactus("test", SERVO, "good.test.yaml", "bad.test.yaml", "other.test.yaml", "broken.test.yaml",
                    "--no-realtime", "--out", "all", "--junit", "all.xml", status=2)
        root = ElementTree.parse(self.folder / "all.xml").getroot()
        self.assertEqual(mistakes(root), [])
        self.assertEqual([suite.get("name") for suite in root],
                         ["is good", 'is "bad" <&>', 'is "bad" <&> (2)', "broken.test.yaml"])
        bad = root[1]
        self.assertEqual({each.get("name"): each.get("value") for each in bad.iter("property")},
                         {"requirement: slow": "REQ-7", "requirement: follows": "REQ-12"})
        results = {case.get("name"): [child.tag for child in case if child.tag in RESULTS] for case in bad.iter("testcase")}
        self.assertEqual(results, {"slow": ["failure"], "follows": [], "close": [], "warm": [], "never comes": ["skipped"],
                                   "open": ["error"]})
        self.assertEqual(root[3].find("testcase/error") is not None, True)

    def test_a_case_that_did_not_pass_has_the_report_and_one_that_passed_has_none(self):
        self.tactus("test", SERVO, "good.test.yaml", "bad.test.yaml", "--no-realtime", "--out", "all", "--junit", "all.xml",
                    status=4)
        root = ElementTree.parse(self.folder / "all.xml").getroot()
        attached = {case.get("name"): re.findall(r"^\[\[ATTACHMENT\|(.*)\]\]$", case.findtext("system-out"), re.M)
                    for case in root.iter("testcase")}
        self.assertEqual(attached["slow"], ["all/bad/report.html", "all/bad/verdict.json"])
        for place in attached["slow"]:
            self.assertTrue((self.folder / place).is_file(), place)
        self.assertEqual((attached["a"], attached["follows"]), ([], []))

    def test_a_file_of_one_run_keeps_them_too(self):
        self.tactus("run", SERVO, "--test", "bad.test.yaml", "--no-realtime", "--out", "out", "--quiet", "--junit", "one.xml",
                    status=4)
        root = ElementTree.parse(self.folder / "one.xml").getroot()
        self.assertEqual(mistakes(root), [])
        self.assertIn("\n[[ATTACHMENT|out/verdict.json]]\n", root.find("testsuite/testcase/system-out").text)

    def test_a_broken_test_says_why_and_one_that_did_not_run_is_there(self):
        (self.folder / "broken.test.yaml").write_text("expect:\n  c: { finally: motor.sped > 1 rad/s }\n  d: { finaly: 1 }\n")
        for name in ("later", "last"):
            (self.folder / f"{name}.test.yaml").write_text(BAD)
        self.tactus("test", SERVO, "broken.test.yaml", "later.test.yaml", "last.test.yaml", "-x", "--no-realtime", "--out", "all",
                    "--junit", "all.xml", status=2)
        root = ElementTree.parse(self.folder / "all.xml").getroot()
        self.assertEqual(mistakes(root), [])
        self.assertEqual([suite.get("name") for suite in root], ["broken.test.yaml", "later.test.yaml", "last.test.yaml"])
        for text in (root[0].find("testcase/error").get("message"), root[0].findtext("testcase/system-out")):
            self.assertIn("motor.sped", text)
            self.assertIn("finaly", text)
            self.assertIn("broken.test.yaml:2:", text)
        self.assertEqual(root[2].findtext("testcase/skipped"), "not run")

    def test_an_allowed_inconclusive_verdict_is_no_error(self):
        (self.folder / "open.test.yaml").write_text(
            "until: 300 ms\nexpect:\n  open: { after: motor.speed > 1 rad/s, within: 10 s, holds: motor.speed > 1000 rad/s }\n")
        for words in (["test", SERVO, "open.test.yaml"], ["run", SERVO, "--test", "open.test.yaml", "--quiet"]):
            out = f"out-{words[0]}"
            self.tactus(*words, "--no-realtime", "--out", out, "--junit", "one.xml", status=5)
            root = ElementTree.parse(self.folder / "one.xml").getroot()
            self.assertEqual((root.get("errors"), mistakes(root)), ("1", []))
            self.tactus(*words, "--no-realtime", "--out", out + "2", "--junit", "one.xml", "--allow", "inconclusive", status=0)
            root = ElementTree.parse(self.folder / "one.xml").getroot()
            self.assertEqual((root.get("errors"), mistakes(root)), ("0", []))
            self.assertIn("allowed", root.findtext("testsuite/testcase/skipped"))

    def hostile(self):
        """A file with every kind of result, and names that no XML takes as they are."""
        (self.folder / "hostile.test.yaml").write_text(
            BAD.replace('is "bad" <&>', HOSTILE) + "  ']]> & <b>': { always: motor.speed < 1 rad/s, requirement: '\"<&>' }\n",
            encoding="utf-8")
        for each in ("broken", "later"):
            (self.folder / f"{each}.test.yaml").write_text("expect:\n  '<c>': { finally: motor.sped > 1 rad/s }\n")
        self.tactus("test", SERVO, "good.test.yaml", "hostile.test.yaml", "bad.test.yaml", "broken.test.yaml", "later.test.yaml",
                    "-x", "--no-realtime", "--out", "few", "--junit", "few.xml", status=4)
        self.tactus("test", SERVO, "good.test.yaml", "hostile.test.yaml", "bad.test.yaml", "broken.test.yaml",
                    "--no-realtime", "--out", "all", "--junit", "all.xml", status=2)
        self.tactus("run", SERVO, "--test", "hostile.test.yaml", "--no-realtime", "--out", "one", "--quiet", "--junit", "one.xml",
                    status=4)
        return [self.folder / f"{each}.xml" for each in ("few", "all", "one")]

    def test_no_name_breaks_a_file(self):
        for file in self.hostile():
            root = ElementTree.parse(file).getroot()
            self.assertEqual(mistakes(root), [], file.name)
            self.assertIn("]]> & <b>", [case.get("name") for case in root.iter("testcase")], file.name)
            results = {child.tag for case in root.iter("testcase") for child in case}
            self.assertLessEqual({"failure", "error", "skipped", "system-out"}, results, file.name)

    def test_a_blank_name_is_refused_and_a_time_that_ends_with_the_run_is_over(self):
        (self.folder / "blank.test.yaml").write_text("test: ' '\nexpect:\n  '  ': always motor.speed < 1000 rad/s\n"
                                                     "sequence:\n  - step: ' '\n    for: 1 ms\n")
        done = subprocess.run([TACTUS, "check", SERVO, "--test", "blank.test.yaml"], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("its name is blank")), (2, 2), done.stderr)
        (self.folder / "end.test.yaml").write_text("test: '  '\nuntil: 50 ms\nexpect:\n  a: 'between 10 ms and 50 ms: motor.speed < 1000 rad/s'\n")
        self.tactus("run", SERVO, "--test", "end.test.yaml", "--no-realtime", "--out", "end", "--quiet", "--junit", "end.xml")
        self.assertEqual(mistakes(ElementTree.parse(self.folder / "end.xml").getroot()), [])

    def test_files_are_valid_by_the_published_schemas(self):
        folder = os.environ.get("TACTUS_JUNIT_SCHEMAS")
        if not folder:
            self.skipTest("TACTUS_JUNIT_SCHEMAS names no folder with schemas (.xsd)")
        if not shutil.which("xmllint"):
            self.fail("TACTUS_JUNIT_SCHEMAS needs xmllint: apt install libxml2-utils")
        schemas = sorted(pathlib.Path(folder).glob("*.xsd"))
        self.assertTrue(schemas, f"no .xsd in {folder}")
        for file in self.hostile():
            for schema in schemas:
                with self.subTest(file=file.name, schema=schema.name):
                    self.assertEqual(schema_mistakes(file, schema), "")

    def test_a_signal_to_the_whole_group_ends_the_tests_in_order(self):
        (self.folder / "long.test.yaml").write_text("until: 24 h\nexpect:\n  a: always motor.speed < 1000 rad/s\n")
        command = subprocess.Popen([TACTUS, "test", SERVO, "long.test.yaml", "good.test.yaml", "--no-realtime", "--out", "all",
                                    "--junit", "all.xml"], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                                   start_new_session=True)
        self.addCleanup(command.stdout.close)
        self.addCleanup(command.kill)
        until = time.monotonic() + PATIENCE
        while not (self.folder / "all" / "long" / "motion.csv").exists():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)
        os.killpg(command.pid, signal.SIGINT)
        out = command.communicate(timeout=PATIENCE)[0]
        self.assertEqual(command.returncode, 5)
        self.assertIn("inconclusive (stopped before its end)", out)
        self.assertIn("2 tests: 1 inconclusive, 1 not run; all", out)
        root = ElementTree.parse(self.folder / "all.xml").getroot()
        self.assertEqual((mistakes(root), len(root)), ([], 2))

    def test_the_rules_find_what_breaks_them(self):
        good = ('<testsuites tests="1" failures="0"><testsuite name="a" tests="1" failures="0" errors="0" skipped="0" time="1">'
                '<testcase classname="c" name="n" time="0"/></testsuite></testsuites>')
        self.assertEqual(mistakes(ElementTree.fromstring(good)), [])
        for old, new in (('skipped="0" time="1"', 'skipped="0"'), ('name="n"', 'name=" "'),
                         ('time="0"/>', 'time="0"><error type="a" message=" ">b</error></testcase>'),
                         ('time="0"', 'time="1e-05"'), ('time="0"', 'time="0.0001"'), ('classname="c" ', ""), ('errors="0"', ""), ('name="n"', ""),
                         ('<testsuites ', '<testsuites skipped="0" '), ('tests="1" failures="0" errors', 'tests="2" failures="0" errors'),
                         ('time="0"/>', 'time="0"><properties/></testcase>'),
                         ('failures="0">', 'failures="0" time="2">'), ('skipped="0"', 'skipped="1"'), ('skipped="0" ', ""),
                         ('time="0"/>', 'time="0"><system-out>a</system-out><skipped>b</skipped></testcase>'),
                         ('time="0"/>', 'time="0"/><properties><property name="a" value="b"/></properties>'),
                         ('time="0"/>', 'time="0"/><testcase classname="c" name="n" time="0"/>')):
            self.assertNotEqual(mistakes(ElementTree.fromstring(good.replace(old, new, 1))), [], new)


class Watch(Case):
    def test_each_verdict_and_event_that_comes_is_a_line(self):
        (self.folder / "a.test.yaml").write_text(
            "until: 10 min\nevents:\n  moving: { when: motor.speed > 10 rad/s }\n"
            "faults:\n  slips: { on: encoder.angle, offset: 5 mrad, at: 20 ms, for: 10 ms }\n"
            "expect:\n  slow: { never: motor.speed > 20 rad/s }\n")
        rig = subprocess.Popen([TACTUS, "run", SERVO, "--test", "a.test.yaml", "--no-realtime", "--paused", "--out", "out",
                                "--live", "unix:live.sock", "--quiet"], cwd=self.folder)
        self.addCleanup(rig.wait)
        self.addCleanup(rig.kill)
        until = time.monotonic() + PATIENCE
        while not (self.folder / "out" / "live.sock").exists():
            self.assertLess(time.monotonic(), until)
            time.sleep(0.02)
        watch = subprocess.Popen([TACTUS, "watch", "out", "motor.speed", "--every", "1s"], cwd=self.folder, text=True,
                                 stdout=subprocess.PIPE)
        self.addCleanup(watch.stdout.close)
        watch.stdout.readline()  # it follows
        Rig(f"unix:{self.folder}/out/live.sock").wait_for("Pause", PATIENCE)
        self.tactus("step", "out", "1000")
        wanted = {"fail ": r"^fail +slow: failed in frame \d+ \(.* s\), by .* rad/s$",
                  "event": r"^event +moving: frame \d+$",
                  "fault on": r"^fault on +slips: frame 20$", "fault off": r"^fault off +slips: frame 30$"}
        while wanted:  # in whichever order they come
            line = watch.stdout.readline()
            self.assertTrue(line, f"it ended without {list(wanted)}")
            for kind in [kind for kind in wanted if line.startswith(kind)]:
                self.assertRegex(line, wanted.pop(kind))
        self.tactus("stop", "out")
        watch.wait(PATIENCE)
        self.assertEqual(rig.wait(PATIENCE), 4)


if __name__ == "__main__":
    os.environ.pop("TACTUS_SUPERVISED", None)
    unittest.main(verbosity=2)
