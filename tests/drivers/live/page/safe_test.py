# SPDX-License-Identifier: Apache-2.0
"""The page under careless hands: stray keys, rows that come while one reads, a rig that is silent or behind a proxy.

    safe_test.py --source CHECKOUT [CLASS ...]
"""
import string
import unittest

from page_test import VIEWS, Case

ASKED = "return document.querySelector('[data-dialog=ask]').open"


class Keys(Case):
    """Keys look. What commands the rig is a button that is seen."""

    def test_no_single_key_commands_the_rig_in_any_view(self):
        for state in ("Run", "Pause"):
            rig = self.fake(outputs=False)
            rig.state = "StepEnd" if state == "Run" else "Pause"
            rig.checkpoints = ["a"]
            self.open(state=state)
            for view in VIEWS:
                self.browser.run("location.hash = args[0]", view)
                self.browser.until("return !document.querySelector(args[0]).hidden", f"#view-{view}")
                keys = [*string.ascii_lowercase, *string.ascii_uppercase, *string.digits, *"/?.,-+ ", "Delete", "Home"]
                self.browser.run("""for (const key of args[0]) {
                    document.activeElement.blur();
                    document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
                    await new Promise((done) => setTimeout(done));  // a question comes a moment later
                    for (const dialog of document.querySelectorAll('dialog[open]'))
                      if (dialog.dataset.dialog === 'ask') window.asked = key; else dialog.close();
                    if (location.hash !== `#${args[1]}`) location.hash = args[1];
                  }""", keys, view)
            self.browser.press("p", "s", "0", "Shift+S", "c", "u", "o", "r")
            self.assertEqual(self.browser.run("return window.asked ?? ''"), "")
            self.assertEqual((rig.commands, rig.set, rig.forced), ([], {}, {}))

    def test_what_is_typed_behind_a_click_on_a_row_goes_into_its_field(self):
        rig = self.fake(outputs=False)
        self.open("signals")
        for name in ("controller.speed_limit", "motor.speed", "rt.late"):
            self.browser.type('[data-act="search"]', name)
            self.browser.click(f'[data-name="{name}"]')
            self.assertTrue(self.browser.run("return document.activeElement.closest('.inspect form') !== null"), name)
            rig.note("set", variable=name, value=1)  # what happens meanwhile takes nothing from under the fingers
            self.browser.press("0", ".", "5")
            self.browser.until("return document.activeElement.closest('.inspect form') !== null")
            typed = self.browser.run("return document.activeElement.value")
            self.assertEqual(typed.endswith("0.5"), name != "rt.late", (name, typed))
        self.browser.type('[data-act="search"]', "controller.speed_limit")
        self.browser.click('[data-name="controller.speed_limit"]')
        self.browser.press("0", ".", "5", "Enter")
        self.until(lambda: rig.set.get("controller.speed_limit") == 0.5)
        self.assertEqual(rig.commands, [])

    def test_what_was_not_typed_is_not_rounded(self):
        rig = self.fake()
        rig.set["controller.speed_limit"] = 1.23456789
        self.open("signals")
        self.browser.type('[data-act="search"]', "controller.speed_limit")
        self.browser.click('[data-name="controller.speed_limit"]')
        self.browser.until("return document.querySelector('.inspect form input').value.startsWith('1.23')")
        self.browser.click(".inspect .force")
        self.until(lambda: rig.forced)
        self.assertEqual(rig.forced["controller.speed_limit"]["value"], 1.23456789)

    def test_a_whole_number_keeps_all_its_digits(self):
        rig = self.fake()
        rig.by_name["controller.speed_limit"]["type"] = "int64"
        rig.set["controller.speed_limit"] = 9007199254740993
        self.open("signals")
        self.browser.type('[data-act="search"]', "controller.speed_limit")
        self.browser.click('[data-name="controller.speed_limit"]')
        self.browser.until("return document.querySelector('.inspect form input').value === '9007199254740993'")
        self.browser.until("return document.querySelector('[data-var=\"controller.speed_limit\"]').textContent === '9007199254740993'")
        self.browser.type(".inspect form input", "9007199254740995")
        self.browser.press("Enter")
        self.until(lambda: rig.set["controller.speed_limit"] == "9007199254740995")

    def test_what_is_forced_and_the_journal_keep_all_digits_too(self):
        rig = self.fake()
        before, after = 9007199254740993, [-9007199254740995, 1]
        rig.post_values({"force": {"controller.speed_limit": before}})
        self.open("bench")
        self.browser.until_text(".safety .forced", f"controller.speed_limit = {before} A")
        self.browser.until_text('[data-list="journal"]', f"= {before} ")
        rig.post_values({"force": {"controller.current_limit": after}})  # it comes as an event, and not by a list
        self.browser.until_text(".safety .forced", "controller.current_limit = -9007199254740995, 1 A")
        self.browser.until_text('[data-list="journal"]', "= -9007199254740995, 1 ")

    def test_pause_and_stop_are_always_there_and_stay_in_their_places(self):
        rig = self.fake()
        places = {}
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        for width in (390, 768, 1000, 1280, 1440):
            self.browser.size(width, 800, phone=width < 500)
            for state in ("StepEnd", "Pause"):
                rig.state = state
                self.open(state={"StepEnd": "Run", "Pause": "Pause"}[state])
                for name in ("pause", "stop", "reset"):
                    self.assertTrue(self.browser.visible(f'[data-command="{name}"]'), (width, state, name))
                    box = self.browser.run("""
                        const node = document.querySelector(args[0]), b = node.getBoundingClientRect();
                        const at = document.elementFromPoint(b.left + b.width / 2, b.top + b.height / 2);
                        return [Math.round(b.left), Math.round(b.top), b.left >= 0 && b.right <= innerWidth,
                          node.contains(at), [...document.querySelectorAll('.top *')].every((other) =>
                          other === node || node.contains(other) || other.contains(node) || other.dataset.list
                          || ((c) => !c.width || c.right <= b.left + 1 || c.left >= b.right - 1
                            || c.bottom <= b.top + 1 || c.top >= b.bottom - 1)(other.getBoundingClientRect()))]""",
                                           f'[data-command="{name}"]')
                    self.assertEqual(box[2:], [True, True, True], (width, state, name))
                    self.assertEqual(places.setdefault((width, name), box[:2]), box[:2], (width, name))

    def test_pause_never_asks_and_what_breaks_a_run_off_does(self):
        rig = self.fake(outputs=False)
        self.open()
        self.give("pause")
        self.until(lambda: rig.state == "Pause")
        self.assertEqual(rig.commands, [{"command": "pause"}])
        rig.change(lambda: setattr(rig, "state", "StepEnd"))
        self.browser.until_text(".pill", "Run")
        self.browser.run("tactus.rig.now.allowed.step = ''")  # a rig that takes it in Run, too
        for name in ("reset", "step"):
            self.give_and_be_asked(name)
            self.assertIn("the rig is running", self.browser.text('[data-dialog="ask"]'))
            self.assertEqual(self.browser.run("return document.activeElement.dataset.v"), "ask-no")
            self.escape()
        self.assertEqual(rig.commands, [{"command": "pause"}])
        self.give_and_be_asked("reset")
        self.browser.click('[data-v="ask-yes"]')
        self.until(lambda: rig.commands[-1] == {"command": "reset"})


class Nothing(Case):
    """What is not known is not claimed."""

    CLAIMS = ("Nothing is forced", "no real output", "no overrun", "On time", "No frame", "none seen", "no changes yet",
              "nothing yet", "has no desk", "uses no driver", "is not linked")

    def claims(self, browser=None):
        text = (browser or self.browser).run("""return [...document.querySelectorAll('body *')].filter((node) =>
            node.checkVisibility() && !node.children.length).map((node) => node.textContent).join('\\n')""")
        return [claim for claim in self.CLAIMS if claim in text]

    def look(self):
        """Every view claims nothing."""
        for view in VIEWS:
            self.browser.run("location.hash = args[0]", view)
            self.browser.until("return !document.querySelector(args[0]).hidden", f"#view-{view}")
            self.browser.run("return new Promise((done) => setTimeout(done, 700))")  # all that is drawn by itself
            with self.subTest(view=view):
                self.assertEqual(self.claims(), [])

    def load(self):
        self.browser.open("about:blank")
        self.browser.open(f"{self.address}/#overview")
        self.browser.run("sessionStorage.clear()")
        self.reload(self.browser)
        self.browser.until("return window.tactus !== undefined")

    def test_before_the_state_has_come(self):
        rig = self.fake()
        rig.muted = {"/v1/state", "/v1/overruns", "/v1/timing", "/v1/panels", "/v1/drivers", "/v1/link", "/v1/log",
                     "/v1/journal"}
        self.load()
        self.browser.until("return tactus.rig.info !== null")
        self.look()
        self.assertRegex(self.browser.text('[data-list="facts"]'), "Frames–")
        sign = "return getComputedStyle(document.querySelector('.line'), '::before').content"
        self.assertNotEqual(self.browser.run(sign), '"●"', "that the line lives is not known, either")
        rig.muted = set()
        self.browser.run("location.hash = 'overview'")
        self.browser.until_text(".safety", "Nothing is forced")
        self.browser.until_text(".verdict", "On time")
        self.browser.until(f"{sign} === '\"●\"'")

    def test_before_the_first_frame(self):
        rig = self.fake()
        nothing = {"count": 0, "min_ns": 0, "p50_ns": 0, "p99_ns": 0, "p99_9_ns": 0, "max_ns": 0, "buckets": []}
        usual = rig.timing
        rig.timing = lambda: {**usual(), **{name: nothing for name in ("late", "work", "slack", "behind")},
                              "totals": {**usual()["totals"], "frames_run": 0}}
        rig.state = "Pause"
        self.load()
        self.browser.until("return tactus.views.overview.timing !== null")
        self.browser.until_text(".verdict", "In Pause")
        for name in ("late", "work", "slack"):
            self.browser.until_text(f'[data-list="q-{name}"]', "^(p50|p1|p99|max|min|–)+$")
        self.browser.until_text('[data-v="ruler-note"]', "No frame has been measured yet")
        for name in ("overruns", "causes", "promises"):
            self.browser.until_text(f'[data-list="{name}"]', "[Nn]o frame has run yet")
        self.assertEqual(self.browser.text('[data-v="overruns"]'), "")
        apart = """const sign = document.querySelector('.verdict .sign'), range = document.createRange();
            range.selectNodeContents(sign);
            return range.getBoundingClientRect().right <= sign.getBoundingClientRect().right"""
        self.assertTrue(self.browser.run(apart), "the sign reaches into the words beside it")
        self.browser.run("location.hash = 'timing'")
        self.browser.until_text('[data-v="hist-late"]', "nothing measured yet")
        rig.timing = usual
        rig.state = "StepEnd"
        self.browser.run("location.hash = 'overview'")
        for name in ("overruns", "causes"):
            self.browser.until_text(f'[data-list="{name}"]', "^No frame has overrun.$")
        self.browser.until_text('[data-list="promises"]', "none seen")

    def test_behind_the_question_for_the_token(self):
        self.fake(token="0123456789abcdef")
        self.load()
        self.browser.until("return document.querySelector('[data-dialog=token]').open")
        self.look()

    def test_a_rig_that_does_not_answer(self):
        rig = self.fake()
        rig.cut = True
        self.load()
        self.browser.until("return document.body.hasAttribute('data-stale')")
        self.look()
        self.browser.run("location.hash = 'overview'")
        self.browser.until_text(".safety", "Not known: the rig does not answer")
        self.browser.until_text(".verdict", "Not known")

    def test_a_rig_that_answers_no_more(self):
        rig = self.fake()
        self.open()
        self.browser.until_text(".verdict", "On time")
        rig.post_values({"force": {"motor.speed": 60}})
        self.browser.until_text(".safety", "FORCED 1")
        rig.cut = True
        self.browser.until("return document.body.hasAttribute('data-stale')")
        self.browser.until_text(".safety", "Not known now; last known:.*FORCED 1")
        self.browser.until_text(".outputs", r"1 real output \(last known\)")
        self.browser.until_text(".verdict", "Not known: no answer from the rig")
        self.assertEqual([claim for claim in self.claims() if claim in self.CLAIMS[:4]], [], "what is grey was heard")

    def test_below_a_folder_of_a_proxy(self):
        rig = self.fake()
        rig.prefix = "/bench/left"
        self.address += rig.prefix
        self.open()
        self.browser.until_text(".verdict", "On time")
        self.browser.until("return tactus.rig.streamed > 0 && !tactus.rig.streamProblem")
        self.give("pause")
        self.until(lambda: rig.state == "Pause")
        for view in VIEWS:
            self.go(view)
        self.assertEqual([path for path in rig.requests if not path.startswith(rig.prefix) and "favicon" not in path], [])


class List(Case):
    """The list of overruns: what a person looks at stays where it is."""

    def start(self, entries, first=200_000, **more):
        rig = self.fake()
        rig.frame = first + 1000
        for i in range(entries):
            self.add(rig, first + i, **more)
        self.open()
        self.browser.until("return document.querySelectorAll('.overruns details').length === args[0]", min(entries, 200))
        return rig

    def add(self, rig, frame, over_ns=1_170_000, **more):
        rig.entry("overruns", frame=frame, over_ns=over_ns, cause="preempted", who="python3 4127", text="it ran", **more)

    def rows(self):
        return self.browser.run("""return [...document.querySelectorAll('.overruns details')].map((row) =>
            [row.dataset.id, row.getBoundingClientRect().top - row.parentNode.getBoundingClientRect().top])""")

    def known(self, count):
        self.browser.until("return tactus.rig.overruns.all.length === args[0]", count)
        self.browser.run("tactus.views.overview.draw(true)")

    def test_a_row_that_is_open_stays_where_it_is_and_what_it_says(self):
        rig = self.start(30)
        self.browser.run("document.querySelectorAll('.overruns details')[3].open = true")
        before = self.rows()
        for i in range(12):
            self.add(rig, 200_100 + i)
        self.known(42)
        self.assertEqual(self.rows(), before)
        self.browser.until_text('[data-act="newer"]', "^12 newer$")
        self.assertEqual(self.browser.run("return document.querySelector('[data-act=newer]').tagName"), "BUTTON")
        self.browser.click('[data-act="newer"]')
        self.browser.until("return document.querySelectorAll('.overruns details').length === 42")
        self.assertFalse(self.browser.visible('[data-act="newer"]'))
        self.assertEqual(self.rows()[0][0], "42")

    def test_nothing_moves_under_the_pointer_nor_under_the_focus_nor_where_one_has_scrolled(self):
        host = "const host = document.querySelector('[data-list=overruns]');"
        for name, come, go in (
                ("pointer", "host.dispatchEvent(new PointerEvent('pointerenter'))",
                 "host.dispatchEvent(new PointerEvent('pointerleave'))"),
                ("focus", "host.querySelectorAll('summary')[2].focus()", "document.activeElement.blur()"),
                ("scroll", "host.scrollTop = 150", "host.scrollTop = 0")):
            with self.subTest(name):
                rig = self.start(30)
                self.browser.run(host + come)
                before = self.rows()
                for i in range(3):
                    self.add(rig, 200_100 + i)
                self.known(33)
                self.assertEqual(self.rows(), before)
                self.browser.until_text('[data-act="newer"]', "^3 newer$")
                self.browser.run(host + go)
                self.browser.until("return document.querySelectorAll('.overruns details').length === 33")
                self.browser.until("return document.querySelector('[data-act=newer]').hidden")

    def test_frame_numbers_are_whole_and_a_row_is_read_on_a_phone(self):
        rig = self.start(3, first=123_456_789)
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        for width in (390, 768, 1000, 1280, 1440):
            self.browser.size(width, 844, phone=width < 500)
            cut = self.browser.run("""return [...document.querySelectorAll('.overruns summary')[0].children].map((node) => {
                const range = document.createRange();
                range.selectNodeContents(node);
                const text = range.getBoundingClientRect(), box = node.getBoundingClientRect(),
                  row = node.parentNode.getBoundingClientRect();
                return [node.textContent, node.checkVisibility(), text.width <= box.width + 1 && text.right <= row.right + 1];
              })""")
            with self.subTest(width=width):
                self.assertEqual([(seen, whole) for _, seen, whole in cut], [(True, True)] * 5, cut)
                self.assertIn("frame 123456791", [text for text, _, _ in cut])
        del rig

    def test_who_it_was_is_whole(self):
        rig = self.fake()
        rig.frame = 12_345_678
        for cause in ("computed", "machine_stopped"):
            rig.entry("overruns", frame=12_345_600, over_ns=700_000, cause=cause, who="load.step_of_a_model", followers=12,
                      beside={"cause": "machine_stopped", "share_ns": 945_000, "text": "the machine stood"})
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        for width in (360, 390, 768, 1000, 1280, 1440, 1600):
            self.browser.size(width, 740, phone=width < 500)
            self.open()
            self.browser.until("return document.querySelector('.overruns summary')")
            cut = self.browser.run("""return [...document.querySelectorAll('.overruns summary')].flatMap((row) => {
                const range = document.createRange(), who = row.children[3], box = who.getBoundingClientRect();
                range.selectNodeContents(who);
                const text = range.getBoundingClientRect();
                return who.scrollWidth > who.clientWidth + 1 || text.right > box.right + 1
                  || text.bottom > row.getBoundingClientRect().bottom + 1 ? [who.textContent] : []; })""")
            self.assertEqual(cut, [], width)
            wide = self.browser.run("const host = document.querySelector('.overruns'); return host.scrollWidth - host.clientWidth")
            self.assertLessEqual(wide, 0, f"rows reach over the edge at {width}")
            over = width < 500 and self.browser.run("""const link = document.querySelector('.rail a'), sides = (at) => link.querySelector(at).getBoundingClientRect();
                return sides('i').right > sides('em').left + 0.5""")
            self.assertFalse(over, "the count covers the sign of its view")

    def test_counts_agree_with_each_other(self):
        """More overran than the list has: every place says the same."""
        rig = self.fake()
        rig.totals = {"overruns": 5495}
        rig.period = "16.7 ms (60000/1001 Hz)"
        for i in range(10):
            self.add(rig, 900 + 5 * i, followers=2)
        self.open()
        self.browser.until_text(".verdict", "5 495 overruns")
        self.browser.until_text('[data-v="overruns"]', "^30 of 5 495 in 10 episodes, the rest is not listed$")
        self.browser.until_text('[data-list="facts"]', r"Frame16.7 ms \(60000/1001 Hz\), real time.*Overruns5 495")
        self.assertEqual(self.browser.text('[data-v="badge-overview"]'), "999+")
        self.assertIn("of the 10 episodes", self.browser.text('[data-v="causes-of"]'))

    def test_this_frame_holds_only_what_happened(self):
        figure = lambda name, value, unit="ns", usual=None: {  # noqa: E731
            "figure": name, "value": value, "unit": unit, "usual": usual}
        self.start(1, evidence=[figure("took", 2_170_000, usual=17), figure("in heap calls", 0), figure("heap calls", 0, ""),
                                figure("interrupts", 3, ""), figure("CPU", 0, "")])
        self.browser.run("document.querySelector('.overruns details').open = true")
        names = self.browser.run("return [...document.querySelectorAll('.evidence td:first-child')].map((n) => n.textContent)")
        self.assertEqual(names, ["took", "interrupts", "CPU"])
        self.assertIn("Examined, none found: in heap calls, heap calls.", self.browser.text(".evidence"))

    def test_what_was_stands_beside_what_is(self):
        rig = self.start(1, first=500, over_ns=700_000_000)
        rig.advance(5000)
        self.browser.until_text(".verdict", "On time again.*1 overrun in .*the last [0-9.]+ s ago: preempted, python3 4127, over by 700 ms")
        self.assertFalse(self.browser.run("return document.querySelector('.verdict .sign').classList.contains('good')"))

    def test_a_late_rig_whose_list_has_not_come_is_not_on_time(self):
        rig = self.fake()
        rig.totals = {"overruns": 5}
        rig.times = {frame: (0, 1_700_000, -700_000, 400) for frame in range(rig.frame - 50, rig.frame + 1)}
        self.open()
        self.browser.until_text(".verdict", "Late by 700 µs; the cause is not listed.*5 overruns in")
        rig.advance(5000)
        self.browser.until_text(".verdict", "On time now.*5 overruns in")
        self.assertFalse(self.browser.run("return document.querySelector('.verdict .sign').classList.contains('good')"))

    def test_a_worst_frame_that_the_recorder_holds_no_more_takes_its_trace_file(self):
        rig = self.fake()
        rig.traces[900] = b"the file of frame 900"
        self.add(rig, 900)
        self.open("timing")
        self.browser.until_text('[data-v="trace-title"]', "the worst frame is not available: there is no /v1/trace")
        self.browser.run("""window.files = []; const real = URL.createObjectURL;
            URL.createObjectURL = (blob) => { blob.text().then((text) => window.files.push(text)); return real.call(URL, blob); };""")
        self.browser.click('[data-act="download"]')
        self.browser.until("return window.files.length === 1")
        self.assertEqual(self.browser.run("return window.files"), ["the file of frame 900"])
        self.browser.press("1")
        self.browser.until("return document.querySelector('.overruns details')")
        self.browser.run("""document.querySelector('.overruns details').open = true;
            [...document.querySelectorAll('.evidence button')].find((b) => /Perfetto/.test(b.textContent)).click()""")
        self.browser.until("return window.files.length === 2 && window.files[1] === window.files[0]")


class Turning(Case):
    """A desk that is suggested: around the present values, in small steps, never a limit, and back again."""

    def rig(self):
        rig = self.fake(variables=0)
        wide = {"range": {"low": 1e-12, "high": 1e12}}
        rig.variables += [rig.variable("trajectory.max_speed", "double", "rad/s", "parameter", "full", "x", "parameter", **wide),
                          rig.variable("guard.trip", "double", "A", "parameter", "full", "x", "parameter",
                                       about="greatest current that it lets pass"),
                          rig.variable("motor.inertia", "double", "kg m^2", "parameter", "full", "x", "parameter", **wide),
                          rig.variable("motor.load_torque", "double", "N m", "input", "full", "x", "parameter")]
        rig.by_name = {v["name"]: v for v in rig.variables}
        rig.set |= {"motor.inertia": 1.2e-05, "trajectory.max_speed": 100.0, "motor.load_torque": 0.0}
        return rig

    def test_ranges_lie_around_the_present_values_and_limits_have_no_slider(self):
        self.rig()
        self.open("desk")
        self.browser.until("return document.querySelector('[data-list=desk-empty] button')")
        self.browser.click('[data-list="desk-empty"] button')
        self.browser.until("return document.querySelector('.widget')")
        made = {w["variable"]: w for w in self.browser.run("return tactus.views.desk.widgets") if w["kind"] == "slider"}
        self.assertEqual(sorted(made), ["motor.inertia", "motor.load_torque"])
        self.assertAlmostEqual(made["motor.inertia"]["from"], 0.6e-5)
        self.assertAlmostEqual(made["motor.inertia"]["to"], 1.8e-5)
        self.assertEqual([made["motor.load_torque"][key] for key in ("from", "to")], [-1, 1])

    def test_an_arrow_is_a_thousandth_of_a_range_that_stays_and_undo_leads_back(self):
        rig = self.rig()
        rig.panels = {"bench": [{"kind": "slider", "variable": "trajectory.max_speed", "at": [0, 0, 3, 1]}]}
        self.open("desk")
        self.browser.until("return document.querySelector('[role=slider]')?.getAttribute('aria-valuenow') === '100'")
        self.browser.press("l")
        self.browser.focus('[role="slider"]')
        self.browser.press("ArrowRight")
        self.until(lambda: rig.set["trajectory.max_speed"] != 100)
        self.assertAlmostEqual(rig.set["trajectory.max_speed"], 100.1)
        self.browser.press("End", "End", "PageUp", "ArrowUp")
        self.until(lambda: rig.set["trajectory.max_speed"] == 150)
        self.browser.press("End")
        self.browser.until_text('[data-act="undo"]', "Undo: trajectory.max_speed back to 100")
        self.browser.click('[data-act="undo"]')
        self.until(lambda: rig.set["trajectory.max_speed"] == 100)
        self.browser.until("return document.querySelector('[data-act=undo]').hidden")

    def test_a_range_of_its_own_is_kept_where_the_value_is_not_lost_in_it(self):
        self.fake()
        self.browser.open(f"{self.address}/uplot/LICENSE")
        found = self.browser.run("""const m = await import('/panels.js');
            return args[0].map(([value, range, type]) => m.around(value, {range, type: type ?? 'double'}))""",
                                 [[5, {"low": 0, "high": 10}], [100, {"low": 1e-12, "high": 1e12}], [-4, {}], [0, {}],
                                  [3, {}, "int32"], [0, {"low": -2, "high": 2}]])
        self.assertEqual(found, [[0, 10], [50, 150], [-6, -2], [-1, 1], [1, 5], [-2, 2]])
        limits = self.browser.run("const m = await import('/panels.js'); return args[0].map((name) => m.isLimit({name}))",
                                  ["a.max_speed", "a.speed_limit", "a.v_min", "guard.upper_bound", "a.gain", "a.minutes", "max.gain"])
        self.assertEqual(limits, [True] * 4 + [False] * 3)


class Room(Case):
    """At 1280 x 800 with DejaVu Sans, and at the other sizes: nothing is cut, covered or in two lines."""

    def test_nothing_is_cut_or_covered(self):
        rig = self.fake()
        rig.frame = 12_345_678
        rig.variables += [rig.variable("trajectory.max_acceleration", "double", "rad/s^2", "parameter", "full", "x", "parameter"),
                          rig.variable("trajectory.friction", "double", "N m s/rad", "parameter", "full", "x", "parameter")]
        rig.by_name = {v["name"]: v for v in rig.variables}
        for i in range(3):
            rig.entry("overruns", frame=12_345_600 + i, over_ns=1_170_000, cause="machine_stopped", who="the machine")
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        for width, height in ((320, 640), (360, 740), (390, 844), (768, 1024), (1000, 800), (1280, 800), (1440, 900)):
            self.browser.size(width, height, phone=width < 500)
            self.open()
            self.browser.run("""document.documentElement.style.setProperty('--sans', '"DejaVu Sans"');
                document.documentElement.style.setProperty('--mono', '"DejaVu Sans Mono"')""")
            for view in VIEWS:
                self.browser.run("location.hash = args[0]", view)
                self.browser.until("return !document.querySelector(args[0]).hidden", f"#view-{view}")
                if view == "signals":
                    self.browser.type('[data-act="search"]', "trajectory")
                    self.browser.until("return document.querySelector('[data-name=\"trajectory.friction\"]')")
                with self.subTest(width=width, view=view):
                    cut = self.browser.run("""return [...document.querySelectorAll(`.clock, .pill, .tile dd, .tile dt, .tile .big,
                        .phases span, .rows .whole, .rows .leaf, .rows .row > :nth-child(3), .commands button, .verdict`)].filter((node) => node.checkVisibility()
                        && node.clientWidth && (node.scrollWidth > node.clientWidth + 1
                          || (node.matches('.clock, .pill, .commands button') && node.scrollHeight > 46)))
                        .map((node) => node.textContent)""")
                    self.assertEqual(cut, [])
                    out = self.browser.run("""return [...document.querySelectorAll('.panel')].filter((n) => n.checkVisibility())
                        .flatMap((panel) => [...panel.querySelectorAll('canvas, dl, .big, h2, button, select, input')].filter((node) =>
                          node.checkVisibility() && !node.closest('.scroll, .rows, .plot')
                          && node.getBoundingClientRect().right > panel.getBoundingClientRect().right + 0.5)
                          .map((node) => node.outerHTML.slice(0, 80)))""")
                    self.assertEqual(out, [])

    def test_what_was_found_of_the_machine_is_whole(self):
        rig = self.fake()
        found = "no PREEMPT_RT; preemption model 'none' (/proc/config.gz), and /sys/devices/system/cpu/cpu1/cpufreq/scaling_governor"
        rig.found = dict.fromkeys(("kernel preemption", "governor", "memory lock"), found)
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        for width in (360, 768, 1280, 1600):
            self.browser.size(width, 740, phone=width < 500)
            self.open("bench")
            self.browser.until_text('[data-list="doctor"]', "governor")
            wrong = self.browser.run("""for (const fine of document.querySelectorAll('.fine')) fine.open = true;
                return [...document.querySelectorAll('.doctor details')].flatMap((details) => [true, false].flatMap((open) => {
                  details.open = open;
                  const text = details.querySelector('summary span:last-child'), range = document.createRange();
                  range.selectNodeContents(text);
                  const shown = range.getBoundingClientRect(), row = details.querySelector('summary').getBoundingClientRect();
                  const times = [...details.querySelectorAll('small, p')].filter((node) => node.checkVisibility() && node.textContent.includes(args[0]));
                  return text.scrollWidth > text.clientWidth + 1 || shown.right > row.right + 1 || shown.bottom > row.bottom + 1
                    || times.length !== 1 ? [[details.textContent, open]] : []; }))""", found)
            self.assertEqual(wrong, [], width)

    def test_all_that_is_forced_and_the_real_outputs_are_whole_on_a_narrow_screen(self):
        rig = self.fake()
        for name in ("controller.current_limit", "controller.speed_limit", "motor.current", "motor.speed"):
            rig.forced[name] = {"value": 60.25, "who": "127.0.0.1:1", "frame": 1}
        rig.switch("fault", "encoder_stuck_for_a_while", "on")
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        for width in (360, 390, 768, 900):
            self.browser.size(width, 800, phone=width < 500)
            self.open()
            self.browser.until_text(".safety", "FAULT 1.*FORCED 4")
            cut = self.browser.run("""const line = document.querySelector('.safety'), box = line.getBoundingClientRect();
                const forced = line.querySelector('.forced'), host = forced.getBoundingClientRect();
                return [...line.querySelectorAll('.forced > *, button, .outputs')].filter((node) => {
                  const range = document.createRange();
                  range.selectNodeContents(node);
                  const text = range.getBoundingClientRect(), within = forced.contains(node) ? host : box;
                  return !node.checkVisibility() || text.right > within.right + 1 || text.bottom > within.bottom + 1 || text.top < within.top - 1
                    || node.getBoundingClientRect().bottom > box.bottom; }).map((node) => node.textContent)""")
            self.assertEqual(cut, [], width)
            self.assertFalse(self.browser.run("""const main = document.querySelector('.verdict').getBoundingClientRect();
                scrollTo(0, 0);
                return main.top < document.querySelector('.safety').getBoundingClientRect().bottom"""), f"the view lies below it at {width}")

    def test_names_of_expectations_are_whole(self):
        rig = self.fake()
        expects = "after moving, within 100 ms: abs(motor.speed - trajectory.speed) < 5 rad/s, holds for 2 s"
        for verdict in ("pass", "fail", "untested"):
            rig.expect(f"is {verdict} with a name that needs much room, and an_identifier_of_forty_letters_without_end", verdict,
                       final=verdict == "fail", frame=12_345_678, time_s=12_345.678, expects=expects)
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        for width in (360, 768, 1000, 1280, 1600):
            self.browser.size(width, 800, phone=width < 500)
            self.open("tests")
            self.browser.until("return document.querySelectorAll('.expect button').length === 3")
            cut = self.browser.run("""return [...document.querySelectorAll('.expect button > *')].filter((node) => {
                const range = document.createRange(), row = node.parentNode.getBoundingClientRect(), box = node.getBoundingClientRect();
                range.selectNodeContents(node.firstChild ?? node);  // what a screen reader hears is elsewhere
                const text = range.getBoundingClientRect();
                return node.checkVisibility() && node.textContent && (node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).overflowX !== 'visible'
                  || text.right > row.right || text.width > box.width + 1 || text.bottom > row.bottom + 1); }).map((node) => node.textContent)""")
            self.assertEqual(cut, [], width)

    def test_both_ends_of_a_slider_are_whole_on_a_phone(self):
        rig = self.fake()
        rig.set["controller.current_limit"] = 0.0017
        rig.panels = {"bench": [{"kind": "slider", "variable": "controller.current_limit", "at": [3 * i, 0, 3, 1], "from": low, "to": high}
                                for i, (low, high) in enumerate(((0.00085, 0.00255), (-12345.6, 12345.6)))]}
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        self.browser.size(360, 740, phone=True)
        self.open("desk")
        self.browser.until("return document.querySelectorAll('.ends b').length === 2 && document.querySelector('.ends b').textContent")
        ends = self.browser.run("""return [...document.querySelectorAll('.ends')].map((ends) => [ends.firstChild.textContent, ends.lastChild.textContent,
            ends.scrollWidth > ends.clientWidth + 1 || ends.closest('.widget').scrollHeight > ends.closest('.widget').clientHeight + 1])""")
        self.assertEqual(ends, [["0.00085", "0.00255", False], ["−12345.6", "12345.6", False]])

    def test_every_key_of_a_colour_has_its_colour(self):
        self.fake()
        self.open("timing")
        colours = self.browser.run("""return [...document.querySelectorAll('.key')].map((key) =>
            [key.className, getComputedStyle(key).backgroundColor])""")
        self.assertEqual([name for name, colour in colours if colour == "rgba(0, 0, 0, 0)"], [])
        self.assertGreater(len(colours), 3)

    def test_the_count_beside_a_view_stays_in_its_link(self):
        self.fake()
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        for width in (390, 1000, 1280, 1440):
            self.browser.size(width, 800, phone=width < 500)
            self.open()
            self.browser.run("""document.documentElement.style.setProperty('--sans', '"DejaVu Sans"');
                document.documentElement.style.setProperty('--mono', '"DejaVu Sans Mono"')""")
            over = self.browser.run("""return [...document.querySelectorAll('.rail a')].map((link) => {
                const count = link.querySelector('em'), was = count.textContent;
                count.textContent = '999+';
                const range = document.createRange();
                range.selectNodeContents(count);
                const sides = (node) => node.getBoundingClientRect(), text = sides(range), box = sides(count);
                const right = Math.max(text.right - box.right, box.right - sides(link).right);
                const left = Math.max(box.left - text.left, width > 500 ? sides(link.querySelector('span')).right - box.left : 0);
                count.textContent = was;
                return [link.textContent, left, right]; }).filter(([, left, right]) => left > 0 || right > 0)""".replace("width", str(width)))
            self.assertEqual(over, [], width)

    def test_names_of_a_desk_are_whole_on_a_phone(self):
        names = ["controller.speed_limit", "controller.current_limit"]
        rig = self.fake()
        rig.panels = {"bench": [{"kind": "slider", "variable": name, "at": [3 * i, 0, 3, 1], "from": 0, "to": 20}
                                for i, name in enumerate(names)]}
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        self.browser.size(390, 844, phone=True)
        self.open("desk")
        self.browser.until("return document.querySelectorAll('.widget h2 span').length > 1")
        cut = self.browser.run("""return [...document.querySelectorAll('.widget h2 span')].map((node) => {
            const was = node.textContent;
            node.textContent = 'controller.current_reference';
            const cut = node.scrollWidth > node.clientWidth + 1 || node.closest('.widget').scrollWidth > node.closest('.widget').clientWidth;
            node.textContent = was;
            return cut; })""")
        self.assertTrue(cut)
        self.assertNotIn(True, cut)

    def test_what_is_forced_is_whole_on_a_phone(self):
        long = "controller.current_reference"
        rig = self.fake()
        rig.panels = {"bench": [{"kind": kind, "variable": "controller.current_limit", "at": [3 * i, 0, 3, 1], "from": 0, "to": 20}
                                for i, kind in enumerate(("slider", "number"))]}
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        self.browser.size(390, 844, phone=True)
        self.open("desk")
        self.browser.until("return document.querySelectorAll('.widget h2').length > 1")
        rig.change(lambda: rig.forced.update({"controller.current_limit": {"value": 1, "who": "127.0.0.1:1", "frame": 1}}))
        self.browser.until("return document.querySelectorAll('.widget h2 .tag-forced').length > 1")
        tags = self.browser.run("""return [...document.querySelectorAll('.widget h2')].map((head) => {
            head.querySelector('span').textContent = args[0];
            const tag = head.querySelector('.tag-forced'), range = document.createRange();
            range.selectNodeContents(tag);
            return [range.getClientRects().length, tag.scrollWidth > tag.clientWidth + 1]; })""", long)
        self.assertEqual(tags, [[1, False]] * 2, "one line, not cut")
        cut = self.browser.run("""return [...document.querySelectorAll('.widget')].map((widget) => {
            widget.querySelector('h2 span').textContent = args[0].repeat(3);
            return widget.scrollHeight > widget.clientHeight + 1; })""", long)
        self.assertEqual(cut, [False, False], "a name of several lines leaves the value its room")

    def test_how_old_the_figures_are_fits_beside_the_theme(self):
        self.fake()
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        self.open("overview")
        self.browser.until_text(".line", "live")
        covered = """Object.defineProperty(tactus.rig, 'heard', {get: () => performance.now() - args[0], set() {}, configurable: true});
            const range = document.createRange(), line = document.querySelector('[data-v="line"]');
            // It is written ten times in a second, on a machine that has the time.
            for (let tries = 0; !new RegExp(args[1]).test(line.textContent) && tries < 300; tries++)
              await new Promise((done) => setTimeout(done, 100));
            range.selectNodeContents(line);
            const theme = document.querySelector('[data-act="theme"]').getBoundingClientRect();
            return [line.textContent, range.getBoundingClientRect().right <= theme.left + 1]"""
        for width in (390, 768, 1280):
            self.browser.size(width, 844, phone=width < 500)
            for age, said in ((20, "live 2\\d ms"), (1900, "live (1.9|2.0) s")):
                text, fits = self.browser.run(covered, age, f"^{said}$")
                self.assertRegex(text, said)
                self.assertTrue(fits, f"{text} at {width}")

    def test_the_bar_above_is_one_line_and_its_buttons_on_a_phone(self):
        rig = self.fake()
        rig.frame = 3_599_123
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        for width in (360, 390, 480):
            self.browser.size(width, 740, phone=True)
            self.open()
            for state, name, age in (("Run", "servo", "live 234 ms"), ("❙❙ Pause", "servo", "live 1.6 s"),
                                     ("❙❙ Pause", "a_rig_of_twenty_eight_letter", "2.3 s old")):
                wrong = self.browser.run("""const top = document.querySelector('.top'), put = (at, text) => document.querySelector(at).textContent = text;
                    put('.pill', args[0]); put('[data-v="rig"]', args[1]); put('.line', args[2]);
                    const box = (node) => node.getBoundingClientRect(), all = box(top);
                    const parts = ['.who b', '.pill', '.clock', '.line', '.commands button'].flatMap((at) => [...top.querySelectorAll(at)]).filter((n) => n.checkVisibility());
                    const line = parts.filter((n) => !n.closest('.commands')), below = box(top.querySelector('.commands')).top;
                    return [...parts.filter((n) => box(n).top < all.top - 0.5 || box(n).bottom > all.bottom + 0.5 || box(n).right > all.right),
                            ...line.filter((n) => box(n).bottom > below + 0.5 || n.matches('.pill, .line') && n.scrollWidth > n.clientWidth + 1)].map((n) => n.textContent)""",
                                         state, name, age)
                self.assertEqual(wrong, [], (width, state, name))

    def test_frame_numbers_above_the_timeline_are_whole(self):
        rig = self.fake()
        rig.frame = 12_345_678
        self.open("timing")
        self.browser.until("return tactus.views.timing.timeline.tracks.length > 0")
        seen = self.browser.run("""const line = tactus.views.timing.timeline, seen = [], real = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
              if (/^[0-9]{4,}$/.test(text)) seen.push([text, x + this.measureText(text).width - this.canvas.clientWidth]);
              return real.call(this, text, x, y); };
            line.draw();
            CanvasRenderingContext2D.prototype.fillText = real;
            return seen""")
        self.assertTrue(seen)
        self.assertEqual([text for text, over in seen if over > 0], [])

    def test_the_name_of_a_limit_covers_no_new_data(self):
        self.fake()
        self.open("timing")
        self.browser.run("""window.named = {}; const real = CanvasRenderingContext2D.prototype.fillText;
            CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
              window.named[text] = (this.textAlign === 'left' ? x + this.measureText(text).width : x) / this.canvas.width;
              return real.call(this, text, x, y); };""")
        for name in ("frame 1.00 ms", "overrun below"):
            self.browser.until("return args[0] in window.named", name)
            self.assertLess(self.browser.run("return window.named[args[0]]", name), 0.6)

    def test_what_is_said_covers_no_data(self):
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        for width in (390, 1280):
            self.fake()  # one that runs: the rig of the round before is paused
            self.browser.size(width, 800, phone=width < 500)
            self.open()
            self.browser.run("document.querySelector('[data-command=pause]').click()")
            self.said(self.browser, "Pause")
            # One script: no figure that arrives can make the page longer between the scroll and the look.
            free = self.browser.run("""scrollTo(0, document.documentElement.scrollHeight);
                const said = document.querySelector('.said').getBoundingClientRect();
                return [...document.querySelectorAll('#view-overview .panel')].every((panel) =>
                  panel.getBoundingClientRect().bottom <= said.top)""")
            self.assertTrue(free, width)

    def test_that_nothing_is_heard_covers_no_data(self):
        self.addCleanup(lambda: self.browser.size(self.width, self.height))
        rig = self.fake()
        self.open()
        self.browser.until_text(".verdict", "On time")
        rig.cut = True
        self.browser.until("return document.body.hasAttribute('data-stale')")
        for width in (360, 768, 1280):
            self.browser.size(width, 740, phone=width < 500)
            free = self.browser.run("""document.querySelector('.said').textContent = '';
                scrollTo(0, document.documentElement.scrollHeight);
                const bar = document.querySelector('.stale').getBoundingClientRect();
                return bar.height > 0 && [...document.querySelectorAll('#view-overview .panel')].every((panel) =>
                  panel.getBoundingClientRect().bottom <= bar.top)""")
            self.assertTrue(free, width)

    def test_twenty_curves_are_twenty_kinds_of_line(self):
        self.fake()
        self.open("signals")
        self.browser.run("const s = tactus.views.signals; for (const n of [...s.names]) s.toggle(n); for (let i = 0; i < 20; i++) s.toggle(`many.v${i}`)")
        kinds = self.browser.run("return tactus.views.signals.plot.series.slice(1).map((s) => `${s.stroke()} ${s.dash}`)")
        keys = self.browser.run("return [...document.querySelectorAll('.chips i')].map((i) => i.style.background)")
        self.assertEqual((len(set(kinds)), len(set(keys))), (20, 20))

    def test_the_counts_beside_a_histogram_are_whole(self):
        self.fake()
        self.open("timing")
        texts = self.browser.run("""
            const m = await import('/canvas.js'), host = document.querySelector('[data-draw=hist-work]'), seen = [];
            host.hidden = false;
            const c = host.getContext('2d'), real = c.fillText.bind(c);
            c.fillText = (text, x, y) => { seen.push([text, c.textAlign === 'right' ? x - c.measureText(text).width : x]); real(text, x, y); };
            m.histogramPlot(host, {count: 3e7, max_ns: 8.3e9, buckets: [[10, 12, 25000000], [8e9, 9e9, 1]]}, '#000', 1e6);
            return seen;""")
        self.assertIn("1 M", [text for text, _ in texts])
        self.assertTrue({"1 s", "10 s"} & {text for text, _ in texts}, "the axis reaches the greatest")
        self.assertEqual([text for text, x in texts if x < 0], [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
