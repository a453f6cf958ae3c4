# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: what a person would click is clicked, and what comes of it is looked at.

    page_test.py --source CHECKOUT [--tactus PROGRAM] [CLASS ...]

Most of it asks a control port without a rig (fake_port.py), whose frames go on when the test says so;
  the class RealRig
runs a rig. Skipped, with the reason, where there is no Chromium.
"""
import argparse
import base64
import contextlib
import json
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True, type=pathlib.Path)
parser.add_argument("--tactus")
parser.add_argument("--drivers", help="a folder of drivers for tests: tape, an output without hardware")
args, sys.argv[1:] = parser.parse_known_args()
SOURCE = args.source.resolve()
PAGE = SOURCE / "drivers" / "live" / "http" / "page"
sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(__file__).parent), str(SOURCE / "scripts")]

import fake_port  # noqa: E402  (the paths to these are made above)
from tactus_client import Rig as Client  # noqa: E402
from webdriver import PATIENCE, Browser, Shared, WebDriverError, missing  # noqa: E402

VIEWS = ("overview", "timing", "signals", "desk", "bench", "tests")


class Case(unittest.TestCase):
    """One browser for all tests; each has a port and a page of its own."""

    width, height = 1440, 900
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        if why := missing():
            raise unittest.SkipTest(why)
        unittest.addModuleCleanup(Shared.close)
        cls.browser = Shared.get(cls.width, cls.height)

    @classmethod
    def another(cls, **size):
        browser = Browser(Shared.driver, **({"width": cls.width, "height": cls.height} | size))
        cls.addClassCleanup(browser.close)
        return browser

    def tearDown(self):
        """Nothing was refused by the policy, and no script has failed."""
        # A refusal of the port, which the page says in words; and that this test looks at pixels.
        expected = ("Failed to load resource", "net::ERR", "willReadFrequently")
        said = [line["message"] for line in self.browser.log()
                if not any(text in line["message"] for text in expected)]
        self.assertEqual(said, [])

    def fake(self, **options):
        rig = fake_port.Rig(**options)
        server, address = fake_port.serve(rig, PAGE)

        def close():
            rig.cut = True
            server.shutdown()
            server.server_close()
        self.addCleanup(close)
        self.address = address
        return rig

    def open(self, view="overview", browser=None, state="Run"):
        browser = browser or self.browser
        browser.open("about:blank")
        browser.open(f"{self.address}/#{view}")
        browser.run("sessionStorage.clear(); localStorage.clear()")
        self.reload(browser)
        browser.until("return window.tactus?.rig.info !== null && window.tactus !== undefined")
        # What is said goes after some seconds, however late the test looks.
        browser.run("""window.said = []; const line = document.querySelector('.said');
            new MutationObserver(() => line.textContent && window.said.push(line.textContent)).observe(line,
              {childList: true});""")
        browser.until_text(".pill", state)
        return browser

    def reload(self, browser):
        """Ends when the old page is gone: what is asked next, the new one answers."""
        browser.run("window.old = true; location.reload()")
        browser.until("return !window.old && document.readyState === 'complete'")

    def said(self, browser, pattern):
        try:
            browser.until("return window.said.some((text) => new RegExp(args[0]).test(text))", pattern,
                          what=f"said: {pattern}")
        except WebDriverError as error:
            raise AssertionError(f"{error}; it has said {browser.run('return window.said')}") from None

    def go(self, view):
        self.browser.press(str(VIEWS.index(view) + 1))
        self.browser.until("return !document.querySelector(args[0]).hidden", f"#view-{view}")

    def escape(self):
        """Ends when the question is gone: it closes behind the key."""
        self.browser.press("Escape")
        self.browser.until("return !document.querySelector('[data-dialog=ask]').open")

    def give(self, name, browser=None):
        """A command, as a person gives it: by its button."""
        (browser or self.browser).click(f'[data-command="{name}"]')

    def give_and_be_asked(self, name):
        self.give(name)
        self.browser.until("return document.querySelector('[data-dialog=ask]').open", what=f"{name} is asked back")

    def is_asked(self):
        return self.browser.run("return document.querySelector('[data-dialog=ask]').open")

    def until(self, what):
        end = time.monotonic() + PATIENCE
        while not (value := what()):
            self.assertLess(time.monotonic(), end, f"never came true; the page says {self.browser.text('.said')!r}")
            time.sleep(0.01)
        return value


class Functions(Case):
    """What the page works out, without a rig."""

    def setUp(self):
        self.fake()
        self.browser.open(f"{self.address}/uplot/LICENSE")  # the same origin, and nothing that runs

    def module(self, name, script, *arguments):
        return self.browser.run(f"const m = await import('/{name}'); {script}", *arguments)

    def test_a_spike_of_one_frame_is_a_column_at_every_zoom(self):
        found = self.module("track.js", """
            const track = new m.Track(600000), spike = 123457, problems = [];
            for (let frame = 0; frame < 600000; frame++) track.put(frame,
              frame === spike ? 1000 : Math.sin(frame / 50));
            for (const frames of [10, 1000, 5000, 15000, 60000, 333333, 600000])
              for (const count of [1, 7, 80, 240, 1000, 1900])
                for (const before of [0, 1, 3, 500, frames - 1]) {
                  if (before >= frames) continue;
                  const from = Math.max(0, spike - before), [xs, [line]] = m.columns([track], from, from + frames,
                    count);
                  const at = new Set(xs.filter((x, i) => line[i] === 1000));
                  const [bx, , high] = m.bands(track, from, from + frames, count);
                  const bands = bx.filter((x, i) => high[i] === 1000);
                  if (at.size !== 1 || bands.length !== 1) problems.push([frames, count, before, at.size,
                    bands.length]);
                }
            return problems;""")
        self.assertEqual(found, [])

    def test_a_spike_keeps_its_column_while_the_chart_scrolls(self):
        columns = self.module("track.js", """
            const track = new m.Track(100000), seen = new Set();
            for (let frame = 0; frame < 60000; frame++) track.put(frame, frame === 30011 ? 9 : 0);
            for (let end = 31000; end < 45000; end += 137) {
              const [xs, , high] = m.bands(track, end - 15000, end, 1000);
              xs.forEach((x, i) => high[i] === 9 && seen.add(x));
            }
            return [...seen];""")
        self.assertEqual(len(columns), 1)

    def test_least_and_greatest_are_those_of_all_frames(self):
        wrong = self.module("track.js", """
            let seed = 1;
            const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;
            const track = new m.Track(50000), all = [], problems = [];
            for (let frame = 0; frame < 20000; frame++) {
              all.push(random() < 0.1 ? NaN : Math.fround(random() * 200 - 100));
              if (!Number.isNaN(all[frame])) track.put(frame, all[frame]);
            }
            for (let n = 0; n < 2000; n++) {
              const from = Math.floor(random() * 20000), to = from + Math.floor(random() * (20000 - from)) + 1;
              const part = all.slice(from, to).filter((v) => !Number.isNaN(v));
              track.extremes(from, to);
              const low = part.length ? Math.min(...part) : NaN, high = part.length ? Math.max(...part) : NaN;
              if (!Object.is(track.low, low) || !Object.is(track.high, high)) problems.push([from, to, track.low,
                low]);
            }
            return problems;""")
        self.assertEqual(wrong, [])

    def test_frames_that_never_came_are_a_gap(self):
        line = self.module("track.js", """
            const track = new m.Track(10000);
            for (let frame = 0; frame < 3000; frame++) if (frame < 1000 || frame >= 2000) track.put(frame, 1);
            return m.columns([track], 0, 3000, 30)[1][0];""")
        self.assertEqual(line, [1] * 20 + [None] * 20 + [1] * 20)

    def test_only_the_newest_frames_are_kept(self):
        kept = self.module("track.js", """
            const track = new m.Track(10000);
            for (let frame = 0; frame < 100000; frame++) track.put(frame, frame);
            track.put(5, 7);
            return [track.blocks.size, track.at(99999), Number.isNaN(track.at(100)), track.end];""")
        self.assertLessEqual(kept[0], 4)
        self.assertEqual(kept[1:], [99999, True, 100000])

    def test_the_trigger_finds_each_crossing_once(self):
        for edge, expected in (("rise", [100, 300, 500]), ("fall", [200, 400, 600]),
                               ("both", [100, 200, 300, 400, 500, 600])):
            for piece in (1, 7, 64, 1000):
                found = self.module("trigger.js", """
                    const {Track} = await import('/track.js'), track = new Track(5000),
                      trigger = new m.Trigger({level: 0.5, edge: args[0]}), found = [];
                    const value = (frame) => Math.floor(frame / 100) % 2;
                    track.put(0, 0); trigger.look(track);
                    for (let frame = 1; frame < 700; frame += args[1]) {
                      for (let i = frame; i < Math.min(frame + args[1], 700); i++) track.put(i, value(i));
                      found.push(...trigger.look(track));
                    }
                    return found;""", edge, piece)
                self.assertEqual(found, expected, (edge, piece))

    def test_a_gap_is_no_crossing(self):
        found = self.module("trigger.js", """
            return [m.crossing(NaN, 1, 0.5), m.crossing(0, NaN, 0.5), m.crossing(0, 1, 0.5), m.crossing(1, 0, 0.5),
              m.crossing(0.5, 0.6, 0.5)];""")
        self.assertEqual(found, [None, None, "rise", "fall", None])

    def test_blocks_come_in_pieces_of_any_size(self):
        import struct
        head = json.dumps({"columns": [{"name": "a", "format": "f32"}, {"name": "b", "format": "f64"}]}).encode()
        rows = struct.pack("<3f", 1, 2, 3) + bytes(4) + struct.pack("<3d", 4, 5, 6)
        stream = (fake_port.block("head", len(head), 7, payload=head) + fake_port.block("rows", 3, 10, payload=rows)
                  + fake_port.block("gap", 1, 13, 5) + fake_port.block("beat", 1, 18)
                  + fake_port.block("end", 2, 18, payload=b"{}"))
        for size in (1, 3, 8, 33, len(stream)):
            blocks = self.module("blocks.js", """
                const bytes = Uint8Array.from(atob(args[0]), (c) => c.charCodeAt(0)), reader = new m.BlockReader(),
                  found = [];
                for (let at = 0; at < bytes.length; at += args[1])
                  for (const block of reader.feed(bytes.subarray(at, at + args[1])))
                    found.push([block.kind, block.frame, block.count, block.missing,
                      (block.columns ?? []).map((c) => [...c])]);
                return found;""", base64.b64encode(stream).decode(), size)
            self.assertEqual([block[0] for block in blocks], ["head", "rows", "gap", "beat", "end"])
            self.assertEqual(blocks[1], ["rows", 10, 3, 0, [[1, 2, 3], [4, 5, 6]]])
            self.assertEqual(blocks[2][1:4], [13, 1, 5])

    def test_what_is_no_stream_is_refused(self):
        said = self.module("blocks.js",
                           "try { [...new m.BlockReader().feed(new Uint8Array(64))]; } catch (error) { return error.message; }")
        self.assertIn("TSB1", said)

    def test_durations_have_three_digits_and_a_unit(self):
        rows = {8: "8 ns", 999: "999 ns", 17200: "17.2 µs", 999_400: "999 µs", 999_900: "1.00 ms",
                3_970_000: "3.97 ms", -1_170_000: "−1.17 ms", 2_500_000_000: "2.50 s"}
        self.assertEqual(self.module("text.js", "return args[0].map(m.spanText)", list(rows)), list(rows.values()))

    def test_no_label_of_the_ruler_lies_over_another(self):
        for at in range(300_000, 1_400_000, 20_000):  # p99.9 and max to both sides of the deadline, and at it
            said = self.module("canvas.js", """
                const canvas = document.createElement('canvas');
                canvas.style.cssText = 'display: block; width: 1080px; height: 150px';
                document.body.append(canvas);
                const kept = CanvasRenderingContext2D.prototype.fillText, said = [];
                CanvasRenderingContext2D.prototype.fillText = function(text, x, y) {
                  const wide = this.measureText(text).width, left = x - (this.textAlign === 'right' ? wide : 0);
                  if (y < 75 && /^(p50|p99.9|max|deadline)/.test(text)) said.push([left, left + wide, text]);
                };
                const histogram = {count: 9, p50_ns: 26, p99_9_ns: args[0], max_ns: args[0] * args[1], buckets: [[20, 30, 9]]};
                m.ruler(canvas, [{name: 'woken', colour: 'red', histogram}, {name: 'done', colour: 'red', histogram}], 1e6);
                CanvasRenderingContext2D.prototype.fillText = kept;
                canvas.remove();
                return said.sort((a, b) => a[0] - b[0]);""", at, 1 + at % 3)
            self.assertTrue(any(text.startswith("max") for *_, text in said), said)
            for (_, end, one), (begin, _, other) in zip(said, said[1:]):
                self.assertLessEqual(end, begin, (at, one, other))

    def test_planned_durations_are_as_a_person_says_them(self):
        rows = {0: "0 s", 5: "5 ns", 24_000_000: "24 ms", 100_500_000: "0.1005 s", 500_000_000: "0.5 s", 1_000_500_000: "1.0005 s", 1_500: "1.5 µs", 10**9: "1 s", 1_500_000_000: "1.5 s", 60 * 10**9: "1 min",
                90 * 10**9: "90 s", 125 * 10**9: "2 min 5 s", 600_016_683_350: "10 min 0.017 s", 600 * 10**9: "10 min", 3_600 * 10**9: "1 h",
                5_400 * 10**9: "1 h 30 min", 3_661_250_000_000: "1 h 1 min 1.25 s", 86_400 * 10**9: "24 h",
                7 * 86_400 * 10**9: "7 d"}
        self.assertEqual(self.module("text.js", "return args[0].map(m.plannedText)", list(rows)), list(rows.values()))

    def test_figures_of_a_variable_keep_their_form(self):
        shown = self.module("text.js",
                            "const f = new m.Figures(); return [123.456, 0.5, -0.0001, 99].map((v) => f.text(v, 'a')).concat(f.text(7, 'b'))")
        self.assertEqual(shown, ["123.5", "0.5", "0.0", "99.0", "7"])

    def test_the_search_knows_patterns_roles_and_forces(self):
        found = self.module("text.js", """
            const all = [{name: 'motor.speed', role: 'output', about: 'of the shaft'}, {name: 'motor.on',
              role: 'input', forced: true}, {name: 'gate.en', role: 'input', drives: true}];
            return args[0].map((text) => all.filter(m.searcher(text)).map((v) => v.name));""",
                            ["motor.*", "role:input", "forced", "drives", "SHAFT", "motor role:in", "*.en", "m.s"])
        self.assertEqual(found, [["motor.speed", "motor.on"], ["motor.on", "gate.en"], ["motor.on"], ["gate.en"],
                                 ["motor.speed"], ["motor.on"], ["gate.en"], []])

    def test_what_is_typed_becomes_a_value(self):
        typed = self.module("text.js", "return args[0].map(([text, type]) => m.typed(text, type))",
                            [["2.5", "double"], ["−3", "double"], ["yes", "bool"], ["0", "bool"],
                             ["600 rpm", "double"], ["[1, 2]", "double"]])
        self.assertEqual(typed, [2.5, -3, True, False, "600 rpm", [1, 2]])

    def test_what_a_number_of_the_page_cannot_be_stays_text(self):
        rows = {"9007199254740993": "int64", "-9223372036854775808": "int64", "[9007199254740993, 1]": "int64",
                "Infinity": "double", "1e999": "double"}
        typed = self.module("text.js", "return args[0].map(([text, type]) => m.typed(text, type))", list(rows.items()))
        self.assertEqual(typed, list(rows))
        self.assertEqual(self.module("text.js", "return [m.typed('9007199254740991', 'int64'), m.typed('1e20', 'double')]"),
                         [9007199254740991, 1e20])

    def test_when_frames_were_done_follows_from_their_slack(self):
        done = self.module("timing_data.js", """
            const slack = {count: 100, min_ns: -500, p50_ns: 975, max_ns: 995, buckets: [[-500, -400, 1], [900, 950,
              9], [950, 1000, 90]]};
            return m.done(slack, 1000, 10);""")
        self.assertEqual(done["max_ns"], 1500)
        self.assertEqual(done["buckets"], [[10, 50, 90], [50, 100, 9], [1400, 1500, 1]])
        self.assertEqual((done["p50_ns"], done["p99_ns"], done["p99_9_ns"]), (25, 100, 1500))


class Looks(Case):
    """Every view, both themes, three widths."""

    def test_nothing_scrolls_sideways_and_nothing_is_without_a_name(self):
        self.fake()
        for width, height in ((1440, 900), (1000, 800), (390, 844)):
            self.browser.size(width, height, phone=width < 500)
            self.open()
            for view in VIEWS:
                for theme in ("dark", "light"):
                    with self.subTest(view=view, theme=theme, width=width):
                        self.browser.run("document.documentElement.dataset.theme = args[0]; location.hash = args[1]",
                                         theme, view)
                        self.browser.until("return !document.querySelector(args[0]).hidden", f"#view-{view}")
                        self.look()
        self.browser.size(self.width, self.height)

    def test_at_twice_the_size_nothing_is_cut_off(self):
        """As a browser of 1440 x 900 shows the page at 200 %."""
        rig = self.fake()
        rig.checkpoints = ["a"]
        rig.entry("overruns", frame=990, over_ns=1000, cause="computed", who="a.b")
        rig.post_values({"force": {"motor.speed": 60}})
        rig.expect("has a name of some length", "inconclusive", why="reset", requirement="REQ-12")
        self.browser.size(720, 450, ratio=2)
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        self.open()
        for view in VIEWS:
            with self.subTest(view=view):
                self.go(view)
                self.look()
                outside = self.browser.run("""
                    return [...document.querySelectorAll('.top *, .safety button, .rail a, main button, main select')]
                      .filter((node) => node.checkVisibility() && !node.closest('.scroll, .unseen, .rows'))
                      .filter((node) => ((box) => box.width && (box.left < -0.5
                        || box.right > innerWidth + 0.5))(node.getBoundingClientRect()))
                      .map((node) => node.outerHTML.slice(0, 90))""")
                self.assertEqual(outside, [])
                cut = self.browser.run("""
                    return [...document.querySelectorAll('button, h1, h2, th, dt, .pill, .verdict')]
                      .filter((node) => node.checkVisibility() && node.scrollWidth > node.clientWidth + 1
                        && node.clientWidth && getComputedStyle(node).overflow !== 'visible'
                        && getComputedStyle(node).textOverflow !== 'ellipsis' && !node.closest('.unseen'))
                      .map((node) => node.outerHTML.slice(0, 90))""")
                self.assertEqual(cut, [])
        self.assertTrue(self.browser.visible(".outputs"), "what is forced does not push out the real outputs")
        left = self.browser.run("return innerHeight - document.querySelector('.safety').getBoundingClientRect().bottom")
        self.assertGreater(left, 225, "half of the window is the view's")
        for name, act in (("help", lambda: self.browser.press("?")), ("ask", lambda: self.give("stop"))):
            act()
            self.browser.until("return document.querySelector(args[0]).open", f'[data-dialog="{name}"]')
            box = self.browser.run("""
                const dialog = document.querySelector(args[0]), box = dialog.getBoundingClientRect();
                const whole = dialog.scrollHeight <= dialog.clientHeight + 1
                  || /auto|scroll/.test(getComputedStyle(dialog).overflowY);
                return [box.left >= 0, box.right <= innerWidth, box.top >= 0, box.bottom <= innerHeight,
                  whole]""", f'[data-dialog="{name}"]')
            self.assertEqual(box, [True] * 5, name)
            self.browser.press("Escape")
            self.browser.until("return !document.querySelector('dialog[open]')")

    def test_forced_colors_leave_nothing_invisible(self):
        """The colours of the system in place of the page's, whichever theme the page has."""
        rig = self.fake()
        rig.lates[990] = 2_170_000
        rig.entry("overruns", frame=990, over_ns=1000, cause="computed", who="a.b")
        self.addCleanup(lambda: self.browser.theme("dark"))
        for theme in ("dark", "light"):
            self.browser.cdp("Emulation.setEmulatedMedia", features=[
                {"name": "forced-colors", "value": "active"}, {"name": "prefers-color-scheme", "value": "light"}])
            self.open()
            self.assertTrue(self.browser.run("return matchMedia('(forced-colors: active)').matches"))
            self.browser.run("if (document.documentElement.dataset.theme !== args[0]) document.querySelector('[data-act=theme]').click()", theme)
            rig.advance(3000)
            for view in VIEWS:
                with self.subTest(view=view, theme=theme):
                    self.go(view)
                    self.browser.until("""
                        return [...document.querySelectorAll('canvas')].filter((node) => node.checkVisibility())
                          .every((node) => node.width && node.getContext('2d').getImageData(0, 0, node.width,
                            node.height).data.some((v) => v))""")
                    self.until_nothing_is_faint()
            now = self.browser.run("""
                const edge = (node) => getComputedStyle(node).borderLeftColor;
                const [on, off] = [document.querySelector('.rail [aria-current]'),
                  document.querySelector('.rail a:not([aria-current])')];
                return [edge(on), edge(off)]""")
            self.assertNotEqual(*now, "the view that is open is marked")

    def until_nothing_is_faint(self):
        faint = []

        def nothing_is():
            faint[:] = self.browser.run(self.FAINT)
            return not faint

        try:
            self.until(nothing_is)
        except AssertionError as error:
            raise AssertionError(f"{error}; faint: {faint}") from None

    # Canvases whose strongest pixel has less contrast to the ground than 4.5, and keys of curves that cannot be seen.
    FAINT = """
        const probe = document.createElement('span');
        probe.style.cssText = 'forced-color-adjust: none; color: Canvas';
        document.body.append(probe);
        const numbers = (text) => text.match(/[0-9.]+/g).map(Number);
        const light = ([r, g, b]) => [r, g,
          b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
          .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
        const ground = light(numbers(getComputedStyle(probe).color));
        probe.remove();
        const contrast = (color) => ((a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05))(light(color),
          ground);
        const faint = [];
        for (const canvas of document.querySelectorAll('canvas')) {
          if (!canvas.checkVisibility() || !canvas.width) continue;
          const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          let best = 1;
          for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200) best = Math.max(best,
            contrast(data.subarray(i, i + 3)));
          if (best < 4.5) faint.push(`${canvas.outerHTML.slice(0, 80)} ${best}`);
        }
        for (const key of document.querySelectorAll('.key'))
          if (key.checkVisibility() && contrast(numbers(getComputedStyle(key).backgroundColor)) < 3) faint.push(key.outerHTML);
        // Text stands on a plate of the ground's colour.
        for (const node of document.querySelectorAll('body *')) {
          const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
          if (!own || !node.checkVisibility({visibilityProperty: true})) continue;
          if (contrast(numbers(getComputedStyle(node).color)) < 4.5) faint.push(node.outerHTML.slice(0, 90));
        }
        return faint;"""

    def look(self):
        self.assertEqual(self.browser.run("return document.documentElement.scrollWidth - innerWidth"), 0)
        nameless = self.browser.run("""
            const name = (node) => node.getAttribute('aria-label') || node.textContent.trim()
              || node.labels?.[0]?.textContent || node.title || node.getAttribute('aria-labelledby');
            return [...document.querySelectorAll('button, a, input, select, canvas, [role=region], [tabindex="0"]')]
              .filter((node) => node.checkVisibility() && !name(node)).map((node) => node.outerHTML.slice(0, 100))""")
        self.assertEqual(nameless, [])
        small = self.browser.run("""
            return [...document.querySelectorAll('button, select, input, .rail a')]
              .filter((node) => node.checkVisibility() && node.getBoundingClientRect().height < 23.5)
              .map((node) => `${node.outerHTML.slice(0, 80)} ${node.getBoundingClientRect().height}`)""")
        self.assertEqual(small, [])
        headings = self.browser.run("return [...document.querySelectorAll('h1')].filter((node) => node.checkVisibility()).length")
        self.assertEqual(headings, 1)
        inline = self.browser.run("return [...document.scripts].filter((script) => !script.src).length")
        self.assertEqual(inline, 0)

    def test_letters_stand_out_from_their_ground(self):
        self.fake()
        self.open()
        for theme in ("dark", "light"):
            self.browser.run("document.documentElement.dataset.theme = args[0]", theme)
            low = self.browser.run("""
                const style = getComputedStyle(document.documentElement),
                  token = (name) => style.getPropertyValue(`--${name}`).trim();
                const light = (hex) => { const [r, g, b] = [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2),
                  16) / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
                  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
                const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p);
                  return (x + 0.05) / (y + 0.05); };
                const rows = [...['ink', 'soft', 'late', 'work', 'slack', 's4', 's5', 's6', 'alarm', 'warn',
                  'forced'].map((name) => [name, 4.5]), ['edge-strong', 3], ['focus', 3]];
                return rows.filter(([name, least]) => contrast(token(name),
                  token('panel')) < least).map(([name]) => name);""")
            self.assertEqual(low, [], theme)

    def test_the_bars_keep_their_heights(self):
        rig = self.fake()
        self.open()
        heights = "return ['.top', '.safety', '.pill'].map((s) => document.querySelector(s).getBoundingClientRect().height)"
        before = self.browser.run(heights)
        rig.leave_out(1_000_000)
        rig.advance()
        self.browser.until_text('[data-v="frame"]', "^1 001 000$")
        rig.post_values({"force": {"motor.speed": 60}})
        self.browser.until_text(".safety", "FORCED 1")
        self.assertEqual(self.browser.run(heights), before)

    def test_dark_or_light_is_the_systems_until_it_is_chosen(self):
        self.fake()
        self.browser.theme("light")
        self.open()
        self.assertEqual(self.browser.attribute("html", "data-theme"), "light")
        self.browser.press("t")
        self.assertEqual(self.browser.attribute("html", "data-theme"), "dark")
        self.reload(self.browser)
        self.browser.until_text(".pill", "Run")
        self.assertEqual(self.browser.attribute("html", "data-theme"), "dark")
        self.browser.theme("dark")

    def test_everything_is_reached_by_keys(self):
        self.fake()
        self.open()
        for view in reversed(VIEWS):
            self.go(view)
            self.assertEqual(self.browser.run("return document.querySelector('.rail [aria-current]').hash"),
                             f"#{view}")
        self.browser.press("?")
        self.assertTrue(self.browser.visible('[data-dialog="help"]'))
        self.browser.press("Escape")
        self.browser.until("return !document.querySelector('[data-dialog=help]').open")
        self.browser.press("/")
        self.browser.until("return document.activeElement === document.querySelector('[data-act=search]')")
        self.browser.press("1", "p")  # typed, not obeyed
        self.assertEqual(self.browser.run("return [location.hash, document.activeElement.value]"), ["#signals", "1p"])
        self.browser.run("document.activeElement.blur(); scrollTo(0, 0)")
        self.browser.open(f"{self.address}/#overview")
        self.reload(self.browser)
        self.browser.until_text(".pill", "Run")
        self.browser.press("Tab")
        self.assertEqual(self.browser.run("return document.activeElement.className"), "skip")


class Commands(Case):
    """Allowed, refused, asked back: yes, no, Escape after a yes."""

    def test_what_moves_an_output_is_asked_back(self):
        rig = self.fake()
        self.open()
        self.give("pause")
        self.until(lambda: rig.state == "Pause")
        self.assertFalse(self.is_asked(), "outputs keep their values in Pause")
        self.browser.until_text(".pill", "Pause")
        for name in ("resume", "step", "reset", "run_until"):
            given = len(rig.commands)
            self.give_and_be_asked(name)
            self.assertIn("gate.drive_en: line 17", self.browser.text('[data-dialog="ask"]'))
            if name != "run_until":
                self.assertEqual(self.browser.run("return document.activeElement.dataset.v"), "ask-no",
                                 "the answer at hand is no")
            self.escape()
            self.assertEqual(len(rig.commands), given, f"{name} was not to be given")
        self.give_and_be_asked("step")
        self.browser.click('[data-v="ask-yes"]')
        self.until(lambda: rig.commands[-1]["command"] == "step")
        self.give_and_be_asked("reset")
        self.escape()  # after a yes it is still a no
        self.give_and_be_asked("reset")
        self.browser.click('[data-v="ask-no"]')
        self.assertEqual(rig.commands[-1]["command"], "step")

    def test_a_question_about_one_run_is_not_answered_to_the_next(self):
        rig = self.fake()
        rig.switch("fault", "slip", "off")

        def another_run():
            rig.cut = True
            self.browser.until("return document.body.hasAttribute('data-stale')")
            rig.run, rig.frame = f"{rig.run} again", 10
            rig.cut = False
            self.browser.until("return !document.querySelector('[data-dialog=ask]').open", what="the question is gone")
            self.said(self.browser, "Another run has begun; nothing was done")

        self.open()
        self.give_and_be_asked("stop")
        another_run()
        self.browser.run("location.hash = 'tests'")
        self.browser.until("return document.querySelector('[data-turn=slip]') !== null", what="the switch is there")
        self.browser.click('[data-turn="slip"]')
        self.browser.until("return document.querySelector('[data-dialog=ask]').open", what="the switch is asked back")
        another_run()
        self.assertEqual((rig.commands, rig.set, rig.forced), ([], {}, {}))
        self.assertEqual([row["state"] for row in rig.switches], ["off"])

    def test_a_key_is_obeyed_although_the_focus_is_still_in_a_dialog_that_was_closed(self):
        rig = self.fake()
        rig.state = "Pause"
        self.open(state="Pause")
        self.give("reset")
        self.browser.until("return document.querySelector('[data-dialog=ask]').open", what="reset is asked back")
        self.browser.run("""const dialog = document.querySelector('[data-dialog=ask]'), no = document.activeElement;
            dialog.close();
            no.dispatchEvent(new KeyboardEvent('keydown', {key: '?', bubbles: true, cancelable: true}));""")
        self.browser.until("return document.querySelector('[data-dialog=help]').open", what="the keys are shown")

    def test_a_checkpoint_is_chosen_asked_back_and_loaded(self):
        rig = self.fake()
        rig.state = "Pause"
        rig.checkpoints = ["newest", "older"]
        self.open(state="Pause")
        dialog = '[data-dialog="ask"]'
        self.give("load")
        self.browser.until("return document.querySelector(args[0]).open", dialog)
        self.assertIn("gate.drive_en: line 17", self.browser.text(dialog))
        options = "return [...document.querySelectorAll('[data-dialog=ask] option')].map((one) => one.value)"
        self.assertEqual(self.browser.run(options), ["newest", "older"])
        self.browser.press("Escape")
        self.browser.until("return !document.querySelector(args[0]).open", dialog)
        self.assertEqual(rig.commands, [], "a no is a no")
        self.give("load")
        self.browser.until("return document.querySelector(args[0]).open", dialog)
        self.browser.run("document.querySelector('[data-dialog=ask] select').value = 'older'")
        self.browser.click('[data-v="ask-yes"]')
        self.until(lambda: rig.commands)
        self.assertEqual(rig.commands, [{"command": "load", "file": "older"}])
        self.browser.until_text('[data-v="frame"]', "^500$")

    def test_a_checkpoint_that_is_not_listed_is_typed_and_none_is_said(self):
        rig = self.fake(outputs=False)
        rig.state = "Pause"
        self.open(state="Pause")
        self.give("load")
        self.said(self.browser, "Load: there is no checkpoint in /runs/fake/checkpoints")
        rig.missing["/v1/checkpoints"] = (404, "there is no /v1/checkpoints")
        self.give("load")
        self.browser.until("return document.querySelector('[data-dialog=ask]').open")
        self.browser.type('[data-list="ask-fields"] input', "here")
        self.browser.press("Enter")
        self.until(lambda: rig.commands)
        self.assertEqual(rig.commands, [{"command": "load", "file": "here"}])

    def test_a_checkpoint_is_loaded_in_pause_alone(self):
        rig = self.fake()
        self.open()
        self.assertFalse(self.browser.visible('[data-command="load"]'))
        self.browser.run("document.querySelector('[data-command=load]').click()")
        self.said(self.browser, "Load: the rig is not in Pause")
        self.assertEqual(rig.commands, [])

    def test_stop_has_yes_at_hand_and_says_what_it_is_not(self):
        rig = self.fake()
        self.open()
        self.give_and_be_asked("stop")
        self.assertIn("not an emergency stop", self.browser.text('[data-dialog="ask"]'))
        self.assertEqual(self.browser.run("return document.activeElement.dataset.v"), "ask-yes")
        self.browser.press("Enter")
        self.until(lambda: rig.commands)
        self.assertEqual(rig.commands, [{"command": "stop"}])

    def test_without_outputs_nothing_is_asked_in_pause(self):
        rig = self.fake(outputs=False)
        rig.state = "Pause"
        self.open(state="Pause")
        self.browser.until_text(".outputs", "no real output")
        self.give("reset")
        self.until(lambda: rig.commands)
        self.assertEqual(rig.commands, [{"command": "reset"}])

    def test_run_until_takes_a_time(self):
        rig = self.fake(outputs=False)
        self.open()
        self.give_and_be_asked("run_until")
        self.browser.type('[data-list="ask-fields"] input', "2.5 s")
        self.browser.press("Enter")
        self.until(lambda: rig.commands)
        self.assertEqual(rig.commands, [{"command": "run_until", "until": "2.5 s"}])

    def test_what_is_not_allowed_says_why(self):
        rig = self.fake()
        self.open()
        self.browser.until("const step = document.querySelector('[data-command=step]');"
                           "return step.getAttribute('aria-disabled') === 'true' && step.title === 'the rig is not in Pause'")
        self.browser.click('[data-command="step"]')
        self.said(self.browser, "Step: the rig is not in Pause")
        self.assertEqual(rig.commands, [])

    def test_what_the_rig_refuses_is_said_in_its_words(self):
        rig = self.fake()
        self.open()
        rig.missing["/v1/commands"] = (409, "the rig is in its start-up")
        self.give("checkpoint")
        self.said(self.browser, "Checkpoint: the rig is in its start-up")

    def test_the_state_machine_shows_where_it_is_and_where_it_can_go(self):
        rig = self.fake()
        self.open()
        shown = """return document.querySelector('.machine [aria-current]')?.dataset.s === args[0]
            && [...document.querySelectorAll('.machine [data-can]')].map((n) => n.dataset.s).sort().join() === args[1]"""
        self.browser.until(shown, "Run", "Pause,Reset,Stop")
        rig.change(lambda: setattr(rig, "state", "Pause"))
        self.browser.until_text(".pill", "Pause")
        self.browser.until(shown, "Pause", "Reset,Run,Stop")
        self.assertIn("Resume", self.browser.text('[data-list="commands"]'))

    def test_a_step_is_one_frame(self):
        rig = self.fake(outputs=False)
        rig.state = "Pause"
        self.open(state="Pause")
        self.browser.until_text('[data-v="frame"]', "^999$")
        self.give("step")
        self.browser.until_text('[data-v="frame"]', "^1 000$")

    def test_at_a_phones_width_stop_is_in_reach(self):
        rig = self.fake()
        rig.state = "Pause"
        self.browser.size(390, 844, phone=True)
        self.open(state="Pause")
        self.assertLess(self.browser.run("return document.querySelector('.pill').getBoundingClientRect().height"), 40)
        box = self.browser.run("const b = document.querySelector('[data-command=stop]').getBoundingClientRect(); return [b.left, b.right, b.height]")
        self.assertGreaterEqual(box[0], 0)
        self.assertLessEqual(box[1], 390)
        self.assertGreaterEqual(box[2], 44)
        rig.state = "Run"
        self.open(state="Run")
        rows = self.browser.run("""return [...document.querySelectorAll('[data-command]')].map((b) => b.getBoundingClientRect())
            .map((box) => [Math.round(box.top), Math.round(box.width)])""")
        self.assertEqual(len(rows), 8)
        self.assertEqual(len({top for top, _ in rows}), 2, "two rows of four, without a gap")
        self.assertLess(max(wide for _, wide in rows) - min(wide for _, wide in rows), 3)
        self.browser.size(self.width, self.height)


class Values(Case):
    """Set, force, release; by another browser, too."""

    def choose(self, name, browser=None):
        browser = browser or self.browser
        browser.type('[data-act="search"]', name)
        browser.click(f'[data-name="{name}"]')
        browser.until("return document.querySelector('.inspect').dataset.name === args[0]", name)

    def test_a_value_is_set_once(self):
        rig = self.fake()
        self.open("signals")
        self.choose("controller.speed_limit")
        self.browser.type(".inspect input", "7.5")
        self.browser.press("Enter")
        self.until(lambda: rig.set.get("controller.speed_limit") == 7.5)
        self.browser.until_text('[data-var="controller.speed_limit"]', "^7.5")
        self.browser.until_text('[data-name="controller.speed_limit"]', "set 127.0.0.1:1")

    def test_what_is_written_in_every_frame_can_only_be_forced(self):
        rig = self.fake()
        self.open("signals")
        self.choose("motor.speed")
        self.assertEqual(self.browser.attribute(".inspect form button", "aria-disabled"), "true")
        self.assertIn("is written in every frame", self.browser.text(".inspect"))
        self.browser.type(".inspect input", "60")
        self.browser.press("Enter")
        self.browser.click(".inspect .force")
        self.until(lambda: "motor.speed" in rig.forced)
        self.assertEqual(rig.set, {}, "Enter does not set what cannot be set")

    def test_a_force_is_seen_from_every_view_and_by_everybody(self):
        rig = self.fake()
        other = self.another()
        self.open("bench", other)
        self.open("signals")
        self.choose("motor.speed")
        self.browser.type(".inspect input", "60")
        self.browser.click(".inspect .force")
        for view in VIEWS:
            self.browser.run("document.activeElement.blur()")
            self.go(view)
            self.browser.until_text(".safety", "FORCED 1.*motor.speed = 60 rad/s")
        other.until_text(".safety", "FORCED 1.*motor.speed = 60 rad/s")
        other.until("return document.title.startsWith('⚠ forced')")
        other.until_text('[data-list="journal"]', "force.*motor.speed = 60.*127.0.0.1:1")
        self.go("signals")
        self.assertIn("FORCED", self.browser.text('[data-name="motor.speed"]'))
        other.click('[data-act="release-all"]')
        self.until(lambda: not rig.forced)
        self.browser.until_text(".safety", "Nothing is forced")
        self.browser.until("return !document.querySelector('[data-name=\"motor.speed\"]').hasAttribute('data-forced')")

    def test_a_variable_of_a_real_output_is_asked_back(self):
        rig = self.fake()
        self.open("signals")
        self.choose("gate.drive_en")
        self.browser.type(".inspect input", "no")
        self.browser.press("Enter")
        self.browser.until("return document.querySelector('[data-dialog=ask]').open", what="it is asked back")
        self.browser.press("Escape")
        self.browser.until("return !document.querySelector('[data-dialog=ask]').open")
        self.assertEqual(rig.set, {})
        self.browser.click(".inspect .force")
        self.browser.click('[data-v="ask-yes"]')
        self.until(lambda: rig.forced.get("gate.drive_en", {}).get("value") is False)

    def test_what_is_refused_is_said(self):
        rig = self.fake()
        self.open("signals")
        self.choose("controller.speed_limit")
        rig.missing["/v1/values"] = (400, "set.controller.speed_limit: 70 is outside 0 .. 10")
        self.browser.type(".inspect input", "70")
        self.browser.press("Enter")
        self.said(self.browser, "70 is outside 0 .. 10")

    def test_a_token_is_asked_for_and_kept_in_the_tab(self):
        rig = self.fake(token="0123456789abcdef")
        self.browser.open(f"{self.address}/#signals")
        self.browser.until("return document.querySelector('[data-dialog=token]').open")
        self.browser.type('[data-dialog="token"] input', "wrong")
        self.browser.press("Enter")
        self.browser.until_text('[data-v="token-wrong"]', "token is wrong")
        self.browser.type('[data-dialog="token"] input', rig.token)
        self.browser.press("Enter")
        self.browser.until_text(".pill", "Run")
        self.reload(self.browser)
        self.browser.until_text(".pill", "Run")
        self.assertFalse(any(rig.token in path for path in rig.requests), "never in an address")
        self.assertEqual(self.browser.run("return Object.keys(localStorage).length"), 0)


class Streams(Case):
    """Every frame: charts, trigger, gaps."""

    def chart(self):
        """What the strip chart has: [x, y] of its first curve."""
        return self.browser.run("const p = tactus.views.signals.plot; return [p.data[0], p.data[1]]")

    def streamed(self, frame):
        self.browser.until("return tactus.rig.streamed >= args[0]", frame)

    def chart_only(self, name):
        self.browser.run("const s = tactus.views.signals; for (const n of [...s.names]) s.toggle(n); s.toggle(args[0])", name)
        self.browser.until("return tactus.rig.streaming.includes(args[0]) && tactus.rig.stream", name)

    def test_a_spike_of_one_frame_is_seen_at_every_span(self):
        rig = self.fake()
        self.open("signals")
        self.chart_only("motor.speed")
        rig.spikes[1500] = 5000
        rig.advance(20_000)
        self.streamed(20_999)
        for span in ("1", "5", "30", "120", "600"):
            self.browser.click(f'[data-seg="strip-span"] [data-value="{span}"]')
            self.browser.until("tactus.views.signals.draw(); const d = tactus.views.signals.plot.data; return args[0] === '1' || args[0] === '5' || d[1].includes(5000)", span)
        xs, ys = self.chart()
        at = {x for x, y in zip(xs, ys) if y == 5000}
        self.assertEqual(len(at), 1)
        self.assertLess(abs(at.pop() - 1.5), 1)

    def test_what_was_missed_stays_a_gap(self):
        rig = self.fake()
        self.open("signals")
        self.chart_only("motor.speed")
        rig.advance(500)
        self.streamed(1499)
        rig.leave_out(1000)
        rig.advance(500)
        self.streamed(2999)
        values = self.browser.run("const t = tactus.rig.track('motor.speed'); return [1499, 1500, 2499, 2500].map((f) => Number.isNaN(t.at(f)))")
        self.assertEqual(values, [False, True, True, False])
        self.browser.run("tactus.views.signals.draw()")
        xs, ys = self.chart()
        self.assertTrue(all(y is None for x, y in zip(xs, ys) if 1.51 < x < 2.49), "no line leads over it")

    def test_a_reset_begins_the_charts_anew(self):
        rig = self.fake(outputs=False)
        self.open("signals")
        self.chart_only("motor.speed")
        rig.advance(500)
        self.streamed(1499)
        self.give_and_be_asked("reset")
        self.browser.click('[data-v="ask-yes"]')
        self.until(lambda: rig.frame == 0)
        rig.advance(50)
        self.browser.until("return tactus.rig.streamed === 50 && Number.isNaN(tactus.rig.track('motor.speed').at(1400))")
        self.browser.until_text('[data-v="frame"]', "^50$")
        self.browser.run("tactus.rig.sawFrame(1499, 'StepEnd')")
        self.assertEqual(self.browser.run("return tactus.rig.frame"), 50, "an event of before was still on its way")

    def test_a_state_that_comes_late_takes_nothing_away(self):
        """It was on its way while the stream brought seconds of frames."""
        rig = self.fake()
        self.open("signals")
        self.chart_only("motor.speed")
        old = rig.state_now()
        rig.advance(3000)
        self.streamed(3999)
        self.browser.run("tactus.rig.takeState(args[0])", old)
        now = self.browser.run("return [tactus.rig.frame, Number.isNaN(tactus.rig.track('motor.speed').at(3500))]")
        self.assertEqual(now, [3999, False])

    def test_the_oscilloscope_waits_triggers_and_holds(self):
        rig = self.fake()
        self.open("signals")
        self.chart_only("motor.speed")
        self.browser.click('[data-seg="mode"] [data-value="normal"]')
        self.browser.type('[data-act="level"]', "1000")
        self.browser.until_text(".lamp", "waiting")
        rig.advance(1000)
        self.streamed(1999)
        self.assertEqual(self.browser.text(".lamp"), "waiting")
        self.assertIsNone(self.browser.run("return tactus.views.signals.scope.at"))
        rig.spikes[2500] = 4000
        rig.advance(1500)
        self.browser.until("return tactus.views.signals.scope.at === 2500")
        self.browser.click('[data-seg="mode"] [data-value="single"]')
        rig.spikes |= {4000: 4000, 5000: 4000}
        rig.advance(3000)
        self.browser.until_text(".lamp", "held")
        self.streamed(6499)
        self.assertEqual(self.browser.run("return tactus.views.signals.scope.at"), 4000, "the first one is held")
        self.browser.click('[data-act="arm"]')
        self.browser.until_text(".lamp", "waiting")

    def test_edges_pre_trigger_and_cursors(self):
        rig = self.fake()
        self.open("signals")
        self.chart_only("motor.speed")
        self.browser.click('[data-seg="mode"] [data-value="normal"]')
        self.browser.click('[data-seg="edge"] [data-value="fall"]')
        self.browser.run("const pre = document.querySelector('[data-act=pre]'); pre.value = 50; pre.dispatchEvent(new Event('input'))")
        self.browser.type('[data-act="level"]', "1000")
        rig.spikes |= dict.fromkeys(range(2000, 2100), 3000)
        rig.advance(3000)
        self.browser.until("return tactus.views.signals.scope.at === 2100")
        window = self.browser.run("const x = tactus.views.signals.scope.plot.scales.x; return [x.min, x.max]")
        self.assertEqual([round(v, 3) for v in window], [-0.2, 0.2])
        self.browser.run("const s = tactus.views.signals.scope; s.cursors = [-0.05, 0.05]; s.drawCursors()")
        cursors = self.browser.run("return [...document.querySelectorAll('.cursors tbody tr')].map((r) => [...r.cells].map((c) => c.textContent))")
        self.assertEqual([row[0] for row in cursors], ["A", "B", "B − A"])
        self.assertEqual(cursors[0][2], "3000")
        self.assertIn("10.00 Hz", cursors[2][1])

    def test_one_variable_over_another(self):
        rig = self.fake()
        self.open("signals")
        rig.advance(3000)
        self.streamed(3999)
        self.browser.click('[data-seg="mode"] [data-value="xy"]')
        inked = "const c = document.querySelector('[data-draw=xy]'); return c.width > 0 && c.toDataURL().length > 5000"
        self.browser.until(inked)
        self.assertFalse(self.browser.visible('[data-plot="scope"]'))

    def test_held_charts_stand_while_the_rig_goes_on(self):
        rig = self.fake()
        self.open("signals")
        self.chart_only("motor.speed")
        rig.advance(500)
        self.streamed(1499)
        self.browser.press("h")
        held = self.browser.run("return tactus.views.signals.held")
        rig.advance(5000)
        self.streamed(6499)
        self.browser.run("tactus.views.signals.draw()")
        self.assertLessEqual(max(x for x in self.chart()[0]), (held + 60) / 1000)
        self.assertEqual(self.browser.attribute('[data-act="hold-signals"]', "aria-pressed"), "true")

    def test_twenty_curves_and_not_one_more(self):
        self.fake()
        self.open("signals")
        self.browser.run("const s = tactus.views.signals; for (const n of [...s.names]) s.toggle(n); for (let i = 0; i < 21; i++) s.toggle(`many.v${i}`)")
        self.said(self.browser, "At most 20")
        self.assertEqual(self.browser.run("return tactus.views.signals.plot.series.length"), 21)
        self.browser.until("return tactus.rig.streaming.length >= 23 && tactus.rig.stream && !tactus.rig.streamProblem")

    def test_a_hidden_tab_reads_nothing(self):
        rig = self.fake()
        self.open("signals")
        self.browser.run("Object.defineProperty(document, 'hidden', {value: true, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))")
        self.browser.until("return !tactus.rig.stream")
        rig.advance(100)
        self.browser.run("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
        self.streamed(1099)


class Overruns(Case):
    """The answer first, and its evidence."""

    def test_an_overrun_is_said_listed_and_leads_to_its_trace(self):
        rig = self.fake()
        self.open()
        self.browser.until_text(".verdict", "On time")
        rig.lates[1500] = 2_170_000
        rig.advance(800)
        rig.entry("overruns", frame=1500, over_ns=1_170_000, cause="preempted", who="python3 4127",
                  text="CPU 1 was given to python3 (pid 4127).",
                  evidence=[{"figure": "woken after its slot", "value": 2170000, "unit": "ns", "usual": 17}])
        self.browser.until_text(".verdict", "Late: preempted, python3 4127")
        self.browser.until_text('[data-list="overruns"]', "frame 1500.*preempted.*python3 4127.*over 1.17")
        self.said(self.browser, "Overrun in frame 1500")
        self.browser.click(".overruns summary")
        self.browser.until("return document.querySelector('.overruns .evidence button').checkVisibility()")
        self.assertIn("2.17 ms", self.browser.text(".overruns .evidence"))
        self.browser.until_text('[data-list="causes"]', "preempted.*1 ×")
        self.browser.click(".overruns .evidence button")
        self.browser.until("return location.hash === '#timing'")
        self.browser.until_text('[data-v="trace-title"]', "frame 1500: preempted")
        tracks = self.browser.run("return tactus.views.timing.timeline.tracks.map((t) => t.name)")
        self.assertEqual(tracks, ["main: jobs", "frames", "CPU 1", "slack"])
        arrows = self.browser.run("return tactus.views.timing.timeline.arrows.map((a) => a.name)")
        self.assertEqual(arrows, ["preempted"])
        self.browser.focus(".trace")
        view = "return tactus.views.timing.timeline.view"
        before = self.browser.run(view)
        self.browser.press("w")
        self.browser.until("const [from, to] = tactus.views.timing.timeline.view; "
                           f"return to - from < {before[1] - before[0]}")
        self.browser.press("ArrowRight")
        self.browser.until_text('[data-v="trace-selected"]', "motor.step|frame")
        self.browser.press("f")
        self.browser.until(f"return String(tactus.views.timing.timeline.view) === '{before[0]},{before[1]}'")
        rig.advance(5000)
        self.browser.press("1")
        self.browser.until_text(".verdict", "On time.*1 overrun.*the last 5.* s ago")

    def test_what_is_looked_at_stays_where_it_is_when_figures_come(self):
        rig = self.fake()
        usual, nothing = rig.timing, {"count": 0, "min_ns": 0, "p50_ns": 0, "p99_ns": 0, "p99_9_ns": 0, "max_ns": 0, "buckets": []}
        never = {name: nothing for name in ("late", "slack", "behind")}  # of a rig without real time
        for view, seen, drawn, realtime in (("overview", ".overruns", ".ruler", True),
                                            ("timing", ".trace", '[data-draw="hist-behind"]', True),
                                            ("timing", ".trace", '[data-draw="hist-work"]', False)):
            rig.realtime, rig.timing = realtime, lambda: {**usual(), **never, "work": nothing}
            self.open(view)
            self.browser.until("return tactus.views.overview.timing !== null")
            place = f"document.querySelector('{seen}').getBoundingClientRect().top + document.scrollingElement.scrollTop"
            self.browser.until(f"const before = window.place; window.place = {place}; return before === window.place")
            self.assertTrue(self.browser.run(f"return document.querySelector('{drawn}').hidden"))
            rig.timing = lambda more={} if realtime else never: {**usual(), **more}
            self.browser.until(f"return !document.querySelector('{drawn}').hidden")
            self.assertEqual(self.browser.run(f"return {place}"), self.browser.run("return window.place"), f"{view} {realtime}")

    def test_what_is_asked_for_now_and_then_is_no_better_than_what_was_seen_since(self):
        rig = self.fake()
        stale = rig.timing()
        stale["totals"]["longest_overrun_ns"] = 910_000
        rig.timing = lambda: stale
        self.open()
        self.browser.until_text('[data-list="q-late"]', "max[0-9]")
        rig.lates[1500] = 2_170_000
        rig.advance(800)
        rig.entry("overruns", frame=1500, over_ns=1_170_000, cause="preempted", who="python3 4127", text="", evidence=[])
        self.browser.until_text(".verdict", r"over by 1\.17 ms\. Worst 1\.17 ms")
        self.browser.until_text('[data-v="big-late"]', r"2\.17 ?ms")
        self.browser.until_text('[data-list="q-late"]', r"max2\.17 ?ms")
        self.browser.until_text('[data-list="q-slack"]', r"min−1\.[0-9]+ ?ms")

    def test_an_entry_that_comes_again_takes_the_place_of_the_first(self):
        rig = self.fake()
        self.open()
        rig.entry("overruns", id=7, frame=990, over_ns=1000, cause="computed", who="a.b", followers=0)
        rig.entry("overruns", id=7, frame=990, over_ns=1000, cause="computed", who="a.b", followers=3)
        self.browser.until_text('[data-list="overruns"]', "\\+ 3 catching up")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.overruns details').length"), 1)

    def test_histograms_and_ruler_have_their_figures_as_text(self):
        self.fake()
        self.open()
        self.browser.until("return /p50 .* p99.9 .* max/.test(document.querySelector('.ruler').getAttribute('aria-label'))")
        self.go("timing")
        self.browser.until_text('[data-v="hist-late"]', "p50 .* p99.9 .* max")
        self.browser.until_text('[data-list="jobs"]', "motor.step.*scheduled")
        self.browser.until_text('[data-list="histograms"]', "car.EngineData.late.*bus 3")
        self.browser.until_text('[data-v="histograms-note"]', "car: vcan0 is a virtual interface")

    def test_a_trace_that_was_not_answered_is_asked_for_again(self):
        self.fake()
        self.open()
        self.browser.run("""const real = window.fetch; window.lost = 0;
            const late = () => new Response('{"error": "not answered in time"}', {status: 503});
            window.fetch = (path, ...more) => !String(path).startsWith('/v1/trace') || window.lost++ > 1 ? real(path, ...more)
                : window.lost > 1 ? Promise.resolve(late()) : Promise.reject(new TypeError('no answer'));""")
        self.go("timing")
        self.browser.until("return tactus.views.timing.timeline.tracks.length > 0")
        self.assertEqual(self.browser.run("return window.lost"), 3)

    def test_the_last_frames_are_asked_for_again_where_the_recorder_has_the_overrun_no_more(self):
        rig = self.fake()
        rig.entry("overruns", frame=990, over_ns=1000, cause="computed", who="a.b")
        self.open()
        self.browser.until("return document.querySelector('.overruns details')")
        self.browser.run("""const real = window.fetch; window.asked = [];
            const gone = () => new Response('{"error": "frame 990 is not there"}', {status: 404});
            window.fetch = (path, ...more) => {
              if (!String(path).startsWith('/v1/trace')) return real(path, ...more);
              window.asked.push(String(path).split('?')[1].split('&')[0]);
              if (String(path).includes('frame=990')) return Promise.resolve(gone());
              return window.asked.length > 2 ? real(path, ...more) : Promise.reject(new TypeError('no answer'));
            };""")
        self.go("timing")
        self.browser.until("return tactus.views.timing.timeline.tracks.length > 0")
        # A line that breaks on a busy machine asks once more.
        self.assertEqual(self.browser.run("return window.asked.slice(0, 4)"), ["frame=990", "before=11", "frame=990", "before=11"])

    def test_frames_that_the_recorder_has_no_more_are_not_downloaded_and_the_last_ones_are(self):
        self.fake()
        self.open("timing")
        self.browser.until("return tactus.views.timing.timeline.tracks.length > 0")
        self.browser.run("""const real = window.fetch; window.asked = [];
            const gone = () => new Response('{"error": "frame 7 is not there; it holds frames 900 to 950"}', {status: 404});
            window.fetch = (path, ...more) => {
              if (String(path).includes('perfetto')) window.asked.push(path);
              return String(path).includes('frame=7&') ? Promise.resolve(gone()) : real(path, ...more);
            };
            tactus.views.timing.shown = 7;
            document.querySelector('[data-act="download"]').click();""")
        self.said(self.browser, "trace is downloaded.*It has the last frames: frame 7 is not there; it holds frames 900 to 950")
        self.assertEqual([path.split("?")[1].split("before")[0] for path in self.browser.run("return window.asked")],
                         ["frame=7&", ""])

    def test_what_is_not_in_real_time_says_so(self):
        rig = self.fake()
        told = rig.timing
        rig.realtime, rig.timing = False, lambda: {**told(), "behind": None}
        self.open()
        self.browser.until_text(".verdict", "Running as fast as possible")
        self.browser.until_text('[data-v="ruler-note"]', "does not run in real time")
        self.assertFalse(self.browser.visible(".ruler"))
        self.go("timing")
        self.browser.until_text('[data-v="hist-behind"]', "nothing measured yet")
        self.assertFalse(self.browser.visible('[data-draw="hist-behind"]'), "an empty place for what never comes")


class Bench(Case):
    def test_what_fails_is_open_with_its_fix_and_counted_on_the_rail(self):
        self.fake()
        self.open("bench")
        self.browser.until_text('[data-list="doctor"]', "kernel preemption.*apt install linux-image-rt-amd64")
        self.assertEqual(self.browser.run("return [...document.querySelectorAll('.doctor details')].map((d) => d.open)"), [True, False, False])
        self.assertEqual(self.browser.text('[data-v="badge-bench"]'), "✕1")
        for name, pattern in (("clock", "hybrid, margin 60 us"), ("link", "not linked"),
                              ("drivers", "gpio-out.*line 17"), ("threads", "main.*SCHED_FIFO 80")):
            self.browser.until_text(f'[data-list="{name}"]', pattern)

    def test_a_linked_rig_shows_its_link_and_what_it_counts(self):
        rig = self.fake()
        rig.link = {"linked": True, "driver": "silkit", "mode": "paced", "status": "linked, 3 late",
                    "about": ["joined as Servo"]}
        rig.variables.append(rig.variable("link.late_by", "int64", "ns", "state", "read_only", "the link", "link",
                                          about="how late the newest value was"))
        rig.set["link.late_by"] = 212_000
        self.open("bench")
        self.browser.until_text('[data-v="link-note"]', "paced; linked, 3 late")
        self.browser.until_text('[data-list="link"]', "joined as Servo.*how late the newest value was.*212 µs")

    def test_an_external_clock_says_what_faults_did_to_its_edges(self):
        rig = self.fake()
        rig.external = {"state": "holdover", "edges": 41234, "missing": 3, "glitches": 0, "injected": 3,
                        "faults": {"jitter": 0, "late": 2}, "relocks": 1, "phase_error_ns": None,
                        "frequency_ppm": 0.5, "frames_locked": 41000, "frames_free": 3}
        self.open("bench")
        for pattern in ("▲ holdover", "41 234, 3 missing", "Faultslate 2", "Injected▲ 3 edges disturbed by faults of the rig"):
            self.browser.until_text('[data-list="clock"]', pattern)

    def test_a_linked_rig_names_its_peers_with_their_states(self):
        rig = self.fake()
        peer = lambda name, state, reason="", connected=True: {  # noqa: E731
            "name": name, "state": state, "reason": reason, "entered": None, "connected": connected}
        rig.link = {"linked": True, "driver": "silkit", "mode": "paced", "status": "linked",
                    "about": ["joined as Servo"],
                    "participant": "Servo", "state": "Running", "federation": "running", "error": "",
                    "peers": [peer("Plant", "Paused", "a person looks"), peer("Scope", None),
                              peer("Setpoint", "Running", connected=False)],
                    "grants": {"step_ns": 1_000_000, "granted": 41234, "done": 41236, "behind": 2, "age_ns": 300_000,
                               "late": 3, "worst_lateness_ns": 212_000},
                    "messages": {"in": 5, "out": 6, "mismatched": 0, "too_old": 1, "withheld": 1200, "lost_in": 2, "lost_out": 0},
                    "commands": {"calls": 0, "refused": 0}}
        self.open("bench")
        self.browser.until_text('[data-list="peers"]', r"Servo \(this rig\)✓ Running")
        peers = self.browser.text('[data-list="peers"]')
        for pattern in ("Plant▲ Pauseda person looks", "Scopehas published no state", "Setpoint✕ left, was Running"):
            self.assertRegex(peers, pattern)
        for pattern in ("41 234 of 1.00 ms", "▲ 2 steps", "300 µs ago", "▲ 3, worst 212 µs",
                        "2 lost, 1 mismatched or too old", "Injected▲ 1 200 messages withheld"):
            self.browser.until_text('[data-list="federation"]', pattern)

    def test_the_log_grows_and_shows_warnings_alone(self):
        rig = self.fake()
        self.open("bench")
        rig.entry("log", time="2026-11-23T02:20:00.123+00:00", level="info", text="the first")
        rig.entry("log", time="2026-11-23T02:20:01.123+00:00", level="warning", text="the second")
        self.browser.until_text('[data-list="log"]', "the second.*the first")
        self.browser.click('[data-seg="level"] [data-value="warning"]')
        self.browser.until_text('[data-list="log"]', "^((?!the first).)*the second((?!the first).)*$")

    def test_what_the_rig_does_not_tell_is_said_and_nothing_is_made_up(self):
        rig = self.fake()
        paths = ("timing", "stream", "jobs", "trace", "overruns", "journal", "log", "clock", "link", "drivers",
                 "threads", "doctor", "panels")
        rig.missing = {f"/v1/{path}": (404, f"this rig has no {path}") for path in paths}
        self.open("overview")
        self.browser.until_text('[data-v="ruler-note"]', "this rig has no timing")
        self.browser.until_text('[data-list="overruns"]', "this rig has no overruns")
        figures = self.browser.run("return [...document.querySelectorAll('.tile dd, .tile .big')].map((n) => n.textContent)")
        self.assertEqual(set(figures), {"–"})
        self.go("timing")
        self.browser.until_text('[data-v="timing-note"]', "this rig has no stream")
        self.browser.until_text('[data-v="trace-title"]', "this rig has no (trace|jobs)")
        self.browser.until_text('[data-v="hist-late"]', "this rig has no timing")
        self.go("signals")
        self.browser.until_text('[data-v="strip-note"]', "this rig has no stream")
        self.go("desk")
        self.browser.until_text('[data-list="desk-empty"]', "this rig has no panels")
        self.go("bench")
        for name in ("doctor", "clock", "link", "drivers", "threads", "log", "journal"):
            self.browser.until_text(f'[data-list="{name}"]', f"this rig has no {name}")


class Line(Case):
    """The connection is cut, and comes back."""

    def test_old_is_not_live(self):
        rig = self.fake()
        self.open("signals")
        rig.advance(50)
        self.browser.until("return tactus.rig.streamed >= 1049")
        rig.cut = True
        self.browser.until("return document.body.hasAttribute('data-stale')")
        self.assertTrue(self.browser.visible(".stale"))
        self.assertRegex(self.browser.text(".stale"), "The page shows frame 1 049")
        self.assertNotIn("Nothing is forced", self.browser.text(".safety"))
        state = self.browser.run("return Object.fromEntries([...document.querySelectorAll('[data-command]')].map((b) => [b.dataset.command, b.getAttribute('aria-disabled')]))")
        self.assertIsNone(state["stop"])
        self.assertEqual({name for name, off in state.items() if off}, set(state) - {"stop"})
        rig.frame += 5000
        rig.cut = False
        self.browser.until("return !document.body.hasAttribute('data-stale')")
        rig.advance(10)
        self.browser.until("return tactus.rig.streamed >= 6059")
        self.browser.until_text(".pill", "Run")
        self.assertFalse(self.browser.visible(".stale"))

    def test_what_was_missed_is_read_when_it_is_back(self):
        rig = self.fake()
        self.open()
        rig.cut = True
        self.browser.until("return document.body.hasAttribute('data-stale')")
        rig.entry("overruns", frame=990, over_ns=1000, cause="computed", who="a.b")
        rig.cut = False
        self.browser.until_text('[data-list="overruns"]', "computed")

    def test_another_run_begins_anew(self):
        rig = self.fake()
        self.open()
        rig.entry("overruns", frame=990, over_ns=1000, cause="computed", who="a.b")
        self.browser.until_text('[data-list="overruns"]', "computed")
        rig.cut = True
        self.browser.until("return document.body.hasAttribute('data-stale')")
        rig.run, rig.frame = "run 2", 10
        rig.entries["overruns"].clear()
        rig.cut = False
        self.browser.until_text('[data-list="overruns"]', "No frame has overrun")
        self.browser.until_text('[data-v="frame"]', "^10$")


class Many(Case):
    def test_ten_thousand_variables_cost_as_much_as_forty(self):
        rig = self.fake(variables=10_000)
        self.open("signals")
        self.browser.until_text('[data-v="tree-count"]', "^10011 of 10011$")
        rows = "return document.querySelectorAll('.rows .row').length"
        self.assertLess(self.browser.run(rows), 60)
        self.browser.run("const t = document.querySelector('.rows'); t.scrollTop = t.scrollHeight")
        self.browser.until("return document.querySelector('[data-name=\"many.v9999\"]')")
        self.assertLess(self.browser.run(rows), 60)
        self.until(lambda: any("values" in path and "many.v9999" in path for path in rig.requests))
        asked = [path for path in rig.requests if path.startswith("/v1/values")][-1]
        self.assertLess(asked.count(","), 60, "only the seen rows are read")
        self.browser.type('[data-act="search"]', "many.v123?")
        self.browser.until_text('[data-v="tree-count"]', "^10 of 10011$")
        took = self.browser.run("const t = performance.now(); for (let i = 0; i < 10; i++) tactus.views.signals.tree.fill(); return (performance.now() - t) / 10")
        print(f"a search through 10 010 variables takes {took:.1f} ms")

    def test_arrows_walk_through_the_tree(self):
        self.fake(variables=300)
        self.open("signals")
        self.browser.focus('[data-list="tree"]')
        self.browser.run("tactus.views.signals.tree.choose('rt.frame')")
        for _ in range(3):
            self.browser.press("ArrowDown")
        self.assertEqual(self.browser.run("return document.querySelector('.inspect').dataset.name"), "rt.slack")
        for _ in range(15):
            self.browser.press("PageDown")
        self.browser.until("return document.querySelector('.rows [aria-selected=true]')")
        box = self.browser.run("const r = document.querySelector('.rows').getBoundingClientRect(), s = document.querySelector('.rows [aria-selected=true]').getBoundingClientRect(); return [s.top >= r.top - 1, s.bottom <= r.bottom + 25]")
        self.assertEqual(box, [True, True])


class Desk(Case):
    """Locked, so that no sleeve moves a motor."""

    WIDGETS = [{"kind": "knob", "variable": "controller.speed_limit", "at": [0, 0, 3, 3]},
               {"kind": "slider", "variable": "controller.current_limit", "at": [3, 0, 3, 1], "from": 0, "to": 20},
               {"kind": "switch", "variable": "motor.on", "at": [6, 0, 2, 1]},
               {"kind": "switch", "variable": "gate.drive_en", "at": [8, 0, 2, 1]},
               {"kind": "number", "variable": "motor.speed", "at": [3, 1, 3, 1]},
               {"kind": "lamps", "variables": ["motor.on", "gate.drive_en"], "at": [6, 1, 3, 2]},
               {"kind": "plot", "variables": ["motor.speed", "motor.current"], "at": [0, 3, 8, 3]},
               {"kind": "xy", "variables": ["motor.speed", "motor.current"], "at": [8, 3, 4, 3]},
               {"kind": "button", "variable": "controller.speed_limit", "at": [9, 1, 2, 1], "value": 3},
               {"kind": "text", "text": "the left axis", "at": [0, 6, 3, 1]}]

    def desk(self, widgets=None, browser=None):
        rig = self.fake()
        rig.panels = {"bench": json.loads(json.dumps(widgets or self.WIDGETS))}
        self.open("desk", browser)
        (browser or self.browser).until("return document.querySelector('.widget')")
        return rig

    def test_a_locked_desk_moves_nothing(self):
        rig = self.desk()
        for _ in range(3):
            self.browser.focus('[data-control="knob"]')
            self.browser.press("ArrowUp", "PageUp", "Home", "End")
            self.browser.drag('[data-control="knob"]', (0, -40))
            self.browser.drag('[data-control="slider"]', (60, 0))
            self.browser.click('[data-switch="motor.on"]')
            self.browser.click(".push")
        self.said(self.browser, "locked")
        self.assertEqual((rig.set, rig.entries["journal"]), ({}, []))

    def test_unlocked_controls_turn_by_keys_and_by_dragging(self):
        rig = self.desk()
        self.browser.press("l")
        self.browser.focus('[data-control="knob"]')
        self.browser.press("ArrowUp", "ArrowUp", "PageUp")
        self.until(lambda: rig.set.get("controller.speed_limit") == 5.12)  # a thousandth a key, ten for PageUp
        self.browser.until("return document.querySelector('[data-control=knob]').getAttribute('aria-valuenow') === '5.12'")
        self.browser.press("End")
        self.until(lambda: rig.set.get("controller.speed_limit") == 10)
        self.browser.drag('[data-control="slider"]', (40, 0))
        self.until(lambda: rig.set.get("controller.current_limit", 5) > 10)
        self.browser.click('[data-switch="motor.on"]')
        self.until(lambda: rig.set.get("motor.on") is False)
        self.browser.click(".push")
        self.until(lambda: rig.set.get("controller.speed_limit") == 3)

    def test_only_the_left_button_and_plain_keys_turn_a_control(self):
        rig = self.desk()
        self.browser.press("l")
        for button in (1, 2):
            for kind, by in (("slider", (60, 0)), ("knob", (0, -40))):
                self.browser.drag(f'[data-control="{kind}"]', by, button)
        self.browser.focus('[data-control="knob"]')
        self.browser.press("Meta+ArrowUp")
        self.browser.press("ArrowUp")
        self.until(lambda: rig.set)
        self.assertEqual(rig.set, {"controller.speed_limit": 5.01})

    def test_a_control_of_a_real_output_asks_once(self):
        rig = self.desk()
        self.browser.press("l")
        self.browser.click('[data-switch="gate.drive_en"]')
        self.browser.until("return document.querySelector('[data-dialog=ask]').open", what="it is asked back")
        self.browser.press("Escape")
        self.browser.until("return !document.querySelector('[data-dialog=ask]').open")
        self.assertEqual(rig.set, {})
        self.browser.click('[data-switch="gate.drive_en"]')
        self.browser.click('[data-v="ask-yes"]')
        self.until(lambda: rig.set.get("gate.drive_en") is False)
        self.browser.until_text('[data-switch="gate.drive_en"]', "off")
        self.browser.click('[data-switch="gate.drive_en"]')
        self.until(lambda: rig.set.get("gate.drive_en") is True)

    def test_another_run_finds_the_desk_locked_and_what_was_not_kept_there(self):
        rig = self.desk()
        self.browser.press("l")
        self.browser.click('[data-switch="gate.drive_en"]')
        self.browser.click('[data-v="ask-yes"]')
        self.until(lambda: rig.set.get("gate.drive_en") is False)
        self.browser.press("e")
        self.browser.focus('[data-kind="number"]')
        self.browser.press("Delete", "e")
        rig.cut = True
        self.browser.until("return document.body.hasAttribute('data-stale')")
        rig.run, rig.frame = "run 2", 10
        rig.set.clear()
        rig.cut = False
        self.browser.until_text('[data-v="frame"]', "^10$")
        self.assertEqual(self.browser.attribute('[data-act="unlock"]', "aria-pressed"), "false")
        self.assertFalse(self.browser.run("return document.querySelector('[data-kind=number]') !== null"), "not kept yet")
        self.browser.click('[data-switch="gate.drive_en"]')
        self.said(self.browser, "locked")
        self.browser.press("l")
        self.browser.click('[data-switch="gate.drive_en"]')
        self.browser.until("return document.querySelector('[data-dialog=ask]').open", what="it is asked back again")
        self.browser.press("Escape")
        self.assertEqual(rig.set, {})

    def test_what_is_forced_does_not_turn(self):
        rig = self.desk()
        self.browser.press("l")
        rig.post_values({"force": {"controller.speed_limit": 1}})
        self.browser.until("return document.querySelector('[data-kind=knob]').hasAttribute('data-forced')")
        self.browser.focus('[data-control="knob"]')
        self.browser.press("ArrowUp")
        self.said(self.browser, "is forced: release it first")
        self.assertEqual(rig.set, {})

    def test_a_control_follows_another_browser(self):
        rig = self.desk()
        rig.post_values({"set": {"controller.speed_limit": 8}})
        self.browser.until("return document.querySelector('[data-control=knob]').getAttribute('aria-valuenow') === '8'")

    def test_a_desk_is_arranged_by_keys_and_kept(self):
        rig = self.desk()
        self.browser.press("e")
        self.browser.focus('[data-kind="number"]')
        self.browser.press("ArrowRight", "ArrowDown", "Shift+ArrowRight")
        self.assertEqual(self.browser.run("return document.activeElement.dataset.kind"), "number", "the focus stays")
        self.browser.click('[data-act="keep"]')
        self.until(lambda: rig.panels["bench"][4]["at"] == [4, 2, 4, 1])
        self.said(self.browser, "Kept in fake.panels.yaml")
        self.browser.focus('[data-kind="text"]')
        self.browser.press("Delete")
        self.browser.click('[data-act="keep"]')
        self.until(lambda: len(rig.panels["bench"]) == 9)

    def test_a_widget_is_added(self):
        rig = self.desk()
        self.browser.press("e")
        self.browser.run("const k = document.querySelector('[data-act=widget-kind]'); k.value = 'plot'; k.dispatchEvent(new Event('input'))")
        self.browser.type('[data-form="widget"] [name="variables"]', "motor.speed nothing.there")
        self.browser.click('[data-form="widget"] button')
        self.said(self.browser, "no variable nothing.there")
        self.browser.type('[data-form="widget"] [name="variables"]', "motor.speed, motor.current")
        self.browser.click('[data-form="widget"] button')
        self.browser.click('[data-act="keep"]')
        self.until(lambda: rig.panels["bench"][-1]["kind"] == "plot" and len(rig.panels["bench"]) == 11)
        self.assertEqual(rig.panels["bench"][-1], {"kind": "plot", "at": [0, 7, 6, 3],
                                                   "variables": ["motor.speed", "motor.current"]})

    def test_two_browsers_never_overwrite_each_other(self):
        rig = self.desk()
        other = self.another()
        self.open("desk", other)
        other.until("return document.querySelector('.widget')")
        for browser in (self.browser, other):
            browser.press("e")
        other.focus('[data-kind="text"]')
        other.press("ArrowRight")
        other.click('[data-act="keep"]')
        self.until(lambda: rig.panels_tag == 2)
        self.browser.focus('[data-kind="text"]')
        self.browser.press("ArrowDown")
        self.browser.click('[data-act="keep"]')
        self.browser.until("return document.querySelector('[data-dialog=ask]').open")
        self.assertIn("client has changed the desks", self.browser.text('[data-dialog="ask"]'))
        self.assertEqual(rig.panels["bench"][-1]["at"], [1, 6, 3, 1])
        self.browser.press("Escape")
        self.browser.until("return tactus.views.desk.widgets.at(-1).at.join() === '1,6,3,1'")

    def test_a_rig_without_a_desk_gets_one_suggested(self):
        rig = self.fake()
        self.open("desk")
        self.browser.until_text('[data-list="desk-empty"]', "no desk yet")
        self.browser.click('[data-list="desk-empty"] button')
        self.browser.until("return document.querySelectorAll('.widget').length > 3")
        self.assertEqual(rig.panels, {}, "kept only by the person")
        self.browser.click('[data-act="keep"]')
        self.until(lambda: "fake" in rig.panels)

    def test_a_variable_that_is_gone_is_said(self):
        self.desk([{"kind": "number", "variable": "gone.away", "at": [0, 0, 3, 1]}])
        self.browser.until_text(".widget", "no variable gone.away")


class Cut:
    """Stands between a browser and a rig; cuts all connections when the test says so, and lets none in meanwhile."""

    def __init__(self, address):
        host, port = address.removeprefix("http://").split(":")
        self.to = (host, int(port))
        self.open = set()
        self.closed = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                if self.closed:
                    client.close()
                    continue
                server = socket.create_connection(self.to)
                self.open |= {client, server}
                for ends in ((client, server), (server, client)):
                    threading.Thread(target=self.carry, args=ends, daemon=True).start()

    @staticmethod
    def carry(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)  # which ends the other direction, too
        source.close()

    def cut(self, yes):
        self.closed = yes
        for end in self.open if yes else ():
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


class Started(Case):
    """A rig that runs."""

    # No lateness of the machine ends the run.
    SETTINGS = {"realtime.max_overrun": "9e9 s", "realtime.max_consecutive_overruns": "100000000 frames",
                "threads.stuck_after": "30 s"}

    def start(self, token=None, models="", environment=None, **settings):
        if not args.tactus:
            self.skipTest("no --tactus PROGRAM is given")
        # The next rig of this user, in another test, may write the trace of one that was killed meanwhile.
        folder = tempfile.TemporaryDirectory(prefix="tactus-page-", ignore_cleanup_errors=True)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        rig = self.folder / "servo.yaml"
        live = {"listen": "127.0.0.1:0"}
        if token:
            file = self.folder / "token"
            file.touch(mode=0o600)
            file.write_text(token + "\n")
            live["token_file"] = str(file)
        text = (SOURCE / "config" / "rigs" / "servo.yaml").read_text().replace("\nmodels:\n", f"\nmodels:\n{models}")
        rig.write_text(text + "\nlive: { http: " + json.dumps(live) + " }\n")
        out = self.folder / "out"
        command = [args.tactus, "run", rig, "--out", out, "--no-witness"]  # a kill is then one of the rig itself
        for key, value in {**self.SETTINGS, "until": "1 h", **settings}.items():
            command += ["--set", f"{key}={value}"]
        said = open(self.folder / "said.txt", "wb")
        self.addCleanup(said.close)
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                        env={**os.environ, **(environment or {})})
        self.addCleanup(self.kill)
        log = out / "log.txt"
        self.until(lambda: self.process.poll() is not None or (log.exists() and "listens on http" in log.read_text()))
        self.assertIsNone(self.process.poll(), (self.folder / "said.txt").read_text(errors="replace"))
        self.address = re.search(r"listens on (http://[^/\s]+)", log.read_text())[1]
        self.rig = Client(self.address, token=token, timeout=PATIENCE)
        self.rig.wait_until_ready(PATIENCE, gone=self.process.poll)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def value(self, name):
        return self.rig.get(name).values[name]

    def state(self):
        return self.rig.state()["state"]

    def choose(self, name, browser=None):
        (browser or self.browser).type('[data-act="search"]', name)
        (browser or self.browser).click(f'[data-name="{name}"]')


class RealRig(Started):
    """What is clicked happens in a rig that runs, and what happens in it is seen."""

    def test_a_rig_is_paused_stepped_resumed_and_stopped(self):
        self.start()
        self.open()
        self.browser.until("return tactus.rig.streamed > 100 && !tactus.rig.streamProblem")
        self.browser.until_text('[data-v="big-work"]', "[0-9] ?[nµm]?s")
        self.give("pause")
        self.browser.until_text(".pill", "Pause")
        self.until(lambda: self.state() == "Pause")
        frame = self.rig.state()["frame"]
        self.browser.until("return tactus.rig.frame === args[0]", frame)
        self.give("step")
        self.browser.until("return tactus.rig.frame === args[0]", frame + 1)
        self.until(lambda: self.rig.state()["frame"] == frame + 1)
        self.give("resume")
        self.browser.until_text(".pill", "Run")
        self.browser.until("return tactus.rig.streamed > args[0]", frame + 100)
        self.give_and_be_asked("run_until")
        self.browser.type('[data-list="ask-fields"] input', "1 ms")
        self.browser.press("Enter")
        self.said(self.browser, "Run until")
        self.browser.run("window.anew = 0; tactus.rig.addEventListener('backwards', () => window.anew++)")
        self.give("reset")
        self.browser.until("return document.querySelector('[data-dialog=ask]').open || window.anew > 0")
        if self.is_asked():  # it may have come to its Pause by now
            self.browser.click('[data-v="ask-yes"]')
        self.browser.until("return window.anew > 0 && tactus.rig.streamed >= 0")
        self.give("stop")
        self.browser.until_text(".verdict", "The run is over")
        self.assertEqual(self.process.wait(PATIENCE), 0)

    def test_what_is_written_is_seen_in_the_rig_and_in_another_browser(self):
        self.start()
        other = self.another()
        self.open("bench", other)
        self.open("signals")
        self.choose("motor.load_torque")
        self.browser.type(".inspect input", "0.004")
        self.browser.press("Enter")
        self.until(lambda: self.value("motor.load_torque") == 0.004)
        other.until_text('[data-list="journal"]', "set.*motor.load_torque")
        self.choose("motor.speed")
        self.browser.type(".inspect input", "60")
        self.browser.click(".inspect .force")
        self.until(lambda: self.value("motor.speed") == 60)
        for browser in (self.browser, other):
            browser.until_text(".safety", "FORCED 1.*motor.speed = 60")
        other.click('[data-act="release-all"]')
        self.browser.until_text(".safety", "Nothing is forced")
        self.until(lambda: self.value("motor.speed") != 60)
        self.choose("encoder.shaft_angle")
        self.browser.until_text(".inspect", "motor.angle")

    def test_every_view_shows_what_this_rig_tells(self):
        # What a full machine, and a build without optimisation, can look through in the time of an answer.
        self.start(**{"flight_recorder.before": "1 s"})
        self.open()
        self.browser.until("return /p50/.test(document.querySelector('.ruler').getAttribute('aria-label')) || !tactus.rig.info.realtime")
        self.browser.until_text('[data-list="facts"]', "servo.yaml.*Frames")
        self.go("timing")
        self.browser.until_text('[data-list="jobs"]', "controller.current_loop")
        self.browser.until("return tactus.views.timing.timeline.tracks.length >= 2")
        self.assertIn("main: jobs", self.browser.run("return tactus.views.timing.timeline.tracks.map((t) => t.name)"))
        def asked_for():  # the recorder of a busy machine may not answer in time, and the page says so
            self.browser.run("window.said = []")
            self.browser.click('[data-act="download"]')
            self.said(self.browser, "[Tt]race|flight recorder")
            return self.browser.run("return window.said.some((text) => /trace is downloaded/.test(text))")
        self.until(asked_for)
        self.go("signals")
        self.browser.until("const s = tactus.views.signals; return s.names.length > 0 && s.plot?.data[1]?.some((v) => v !== null)")
        self.browser.until_text('[data-v="tree-count"]', "^[0-9]+ of [0-9]+$")
        self.go("desk")
        self.browser.until_text('[data-list="desk-empty"]', "no desk yet")
        self.browser.click('[data-list="desk-empty"] button')
        self.browser.click('[data-act="keep"]')
        self.said(self.browser, "Kept in")
        self.assertTrue(list(self.folder.glob("*panels*")), "beside the rig file")
        self.go("bench")
        self.browser.until_text('[data-list="threads"]', "main")
        self.browser.until_text('[data-list="clock"]', "Waits by")
        self.browser.until_text('[data-list="log"]', "listens on")
        self.browser.until_text('[data-v="doctor-sum"]', "fail.*warn.*ok")
        first = self.browser.run("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
        print(f"first contentful paint after {first} ms")

    def test_a_short_loss_of_the_connection_leaves_no_hole_in_a_chart(self):
        self.start()
        line = Cut(self.address)
        self.addCleanup(line.listener.close)
        self.address = line.address
        self.open("signals")
        self.choose("motor.speed")
        has = "return [...args[0]].every((frame) => !Number.isNaN(tactus.rig.track('rt.late').at(frame)))"
        self.browser.until("return tactus.rig.streamed > 300 && !tactus.rig.streamProblem")
        before = self.browser.run("return tactus.rig.streamed")
        line.cut(True)
        self.until(lambda: self.rig.state()["frame"] > before + 1000)
        line.cut(False)
        self.browser.until("return tactus.rig.streamed > args[0]", before + 1500)
        frames = list(range(before - 100, before + 1500))
        self.assertTrue(self.browser.run(has, frames), "frames are missing")

    def test_outputs_that_are_driven_are_asked_back_and_go_where_the_page_said(self):
        if not args.drivers:
            self.skipTest("no --drivers FOLDER is given")
        tape = pathlib.Path(tempfile.mkdtemp(prefix="tactus-tape-"))
        self.addCleanup(shutil.rmtree, tape)
        driven = f"  drive: {{ driver: tape, file: {tape}/tape, safe: -42, parameters: {{ value: 7 }} }}\n"
        output = lambda: struct.unpack_from("<dqq",
                                            (tape / "tape").read_bytes())  # noqa: E731  value, writes, times safe
        self.start(models=driven, environment={"TACTUS_PLUGIN_PATH": args.drivers})
        self.open("signals")
        self.browser.until_text(".outputs", "1 real output")
        self.until(lambda: output()[0] == 7)

        def asked(*patterns):
            self.browser.until("return document.querySelector('[data-dialog=ask]').open")
            for pattern in patterns:
                self.assertRegex(self.browser.text('[data-dialog="ask"]'), pattern)

        self.choose("drive.value")
        self.browser.type(".inspect input", "9")
        self.browser.press("Enter")
        asked("drive.value: a real output moves", "7.* → 9")
        self.escape()
        writes = output()[1]
        self.until(lambda: output()[1] > writes + 20)
        self.assertEqual(output()[0], 7, "a no moves nothing")
        self.browser.type(".inspect input", "9")
        self.browser.press("Enter")
        asked("→ 9")
        self.browser.click('[data-v="ask-yes"]')
        self.until(lambda: output()[0] == 9)
        self.browser.run("document.activeElement.blur()")
        self.give("reset")
        asked("Reset: 1 real output moves", "tape", "-42|−42")
        self.escape()
        self.assertEqual(output()[2], 0, "never driven safe so far")
        self.give("reset")
        asked("Reset")
        self.browser.click('[data-v="ask-yes"]')
        self.until(lambda: output()[2] >= 1)
        self.until(lambda: output()[0] == 7)
        self.give("stop")
        asked("Stop: 1 real output moves", "not an emergency stop")
        self.browser.press("Enter")
        self.assertEqual(self.process.wait(PATIENCE), 0)
        self.assertEqual(output()[0], -42)

    def test_a_checkpoint_is_taken_and_loaded(self):
        self.start()
        self.open()
        self.browser.until("return tactus.rig.streamed > 100")
        self.give("pause")
        self.browser.until_text(".pill", "Pause")
        frame = self.rig.state()["frame"]
        self.give("checkpoint")
        self.until(lambda: self.rig.report("checkpoints")["checkpoints"])
        self.give("resume")
        self.browser.until("return tactus.rig.streamed > args[0]", frame + 300)
        self.give("pause")
        self.browser.until_text(".pill", "Pause")
        self.give("load")
        self.browser.until("return document.querySelector('[data-dialog=ask]').open")
        self.browser.press("Enter")
        self.until(lambda: self.rig.state()["frame"] == frame)
        self.browser.until("return tactus.rig.frame === args[0]", frame)

    def test_a_kill_is_seen(self):
        self.start()
        self.open()
        self.browser.until("return tactus.rig.streamed > 50")
        self.process.kill()
        self.process.wait()
        self.browser.until("return document.body.hasAttribute('data-stale')")
        self.assertTrue(self.browser.visible(".stale"))
        self.assertIsNone(self.browser.attribute('[data-command="stop"]', "aria-disabled"))
        self.assertEqual(self.browser.attribute('[data-command="pause"]', "aria-disabled"), "true")

    def test_the_token_of_the_rig_file(self):
        self.start(token="0123456789abcdef")
        self.browser.open(f"{self.address}/#bench")
        self.browser.until("return document.querySelector('[data-dialog=token]').open")
        self.browser.type('[data-dialog="token"] input', "0123456789abcdef")
        self.browser.press("Enter")
        self.browser.until_text(".pill", "Run")
        self.browser.until("return tactus.rig.streamed > 10")


class Axe(Case):
    """axe-core finds no fault at any size; it is had by npm for the time of the test, and not kept."""

    def test_no_fault(self):
        if shutil.which("npm") is None:
            self.skipTest("there is no npm")
        folder = tempfile.TemporaryDirectory(prefix="tactus-axe-")
        self.addCleanup(folder.cleanup)
        got = subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder.name,
                              "axe-core@4"], capture_output=True, text=True)
        if got.returncode:
            self.skipTest(f"npm cannot get axe-core: {got.stderr.strip()[:200]}")
        axe = (pathlib.Path(folder.name) / "node_modules" / "axe-core" / "axe.min.js").read_text()
        rig = self.fake()
        rig.panels = {"bench": json.loads(json.dumps(Desk.WIDGETS))}
        rig.entry("overruns", frame=990, over_ns=1000, cause="computed", who="a.b")
        rig.post_values({"force": {"motor.speed": 60}})
        for verdict in ("pass", "fail", "untested", "inconclusive"):
            rig.expect(f"is {verdict}", verdict, final=verdict == "fail", why="reset")
        for state in ("on", "off", "waiting"):
            rig.switch("fault", f"is_{state}", state)
        faults = []
        for width, height in ((1920, 1080), (1440, 900), (1280, 800), (820, 1180), (390, 844)):
            self.browser.size(width, height, phone=width < 500)
            self.open()
            for theme in ("dark", "light"):
                for view in VIEWS:
                    self.browser.run("document.documentElement.dataset.theme = args[0]; location.hash = args[1]",
                                     theme, view)
                    self.browser.until("return !document.querySelector(args[0]).hidden && tactus.rig.streamed > 0 || true", f"#view-{view}")
                    self.browser.cdp("Runtime.evaluate", expression=axe)
                    found = self.browser.run("return (await axe.run()).violations.map((v) => [v.impact, v.id, v.nodes[0].target.join(' '), v.nodes[0].failureSummary])")
                    faults += [[view, theme, width, *fault] for fault in found]
        self.assertEqual(faults, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
