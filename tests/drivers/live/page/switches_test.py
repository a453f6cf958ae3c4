# SPDX-License-Identifier: Apache-2.0
"""Switches of stimuli and faults, and marks of what happened in the charts.

    switches_test.py --source CHECKOUT [CLASS ...]      as page_test.py
"""
import unittest

from page_test import Case


class Switches(Case):
    """A rig with a fault and a stimulus."""

    STUCK = '[data-turn="encoder_stuck"]'

    def rig(self, **options):
        rig = self.fake(**options)
        rig.switch("fault", "encoder_stuck", target="encoder.angle")
        rig.switch("stimulus", "load", "waiting", target="motor.load_torque")
        self.open("tests")
        self.browser.until_text('[data-v="switches-on"]', "0 of 2 on")
        return rig

    def test_one_is_turned_and_shows_what_the_rig_says(self):
        rig = self.rig(outputs=False)
        self.browser.until_text('[data-state="load"]', "waits for its time")
        self.assertEqual(self.browser.attribute(self.STUCK, "aria-checked"), "false")
        self.browser.click(self.STUCK)
        self.browser.until_text('[data-state="encoder_stuck"]', "on since frame 1 000")
        self.assertFalse(self.is_asked(), "no output is real")
        self.assertEqual(self.browser.attribute(self.STUCK, "aria-checked"), "true")
        self.browser.until_text(".safety .forced", "FAULT 1.*encoder_stuck")
        self.assertEqual(rig.commands, [{"kind": "fault", "name": "encoder_stuck", "on": True}])
        self.browser.click(self.STUCK)
        self.browser.until_text('[data-state="encoder_stuck"]', "off since frame")
        self.browser.until_text(".safety .forced", "Nothing is forced")

    def test_where_outputs_are_real_it_asks_back_and_no_is_at_hand(self):
        rig = self.rig()
        self.browser.until_text('[data-v="switches-note"]', "each switch asks for confirmation")
        for answer in ("Escape", "Enter"):
            self.browser.click(self.STUCK)
            self.browser.until_text("[data-dialog=ask]", r"may move[\s\S]*gate.drive_en: line 17")
            self.browser.press(answer)
            self.browser.until("return !document.querySelector('[data-dialog=ask]').open")
        self.assertEqual(rig.commands, [])
        self.browser.click(self.STUCK)
        self.browser.until_text("[data-dialog=ask]", "encoder.angle")
        self.browser.click('[data-v="ask-yes"]')
        self.browser.until_text('[data-state="encoder_stuck"]', "on since frame")

    def test_when_the_run_is_over_no_fault_is_said_to_act(self):
        rig = self.rig(outputs=False)
        rig.switch("fault", "encoder_stuck", "on", 1234, target="encoder.angle")
        self.browser.until_text(".safety .forced", "FAULT 1.*encoder_stuck")
        self.browser.run("tactus.rig.over = 'stopped'; tactus.rig.tell('state')")  # as the event `end` does
        self.browser.until_text('[data-state="encoder_stuck"]', "^on from frame 1 234 to the end$")
        self.browser.until_text('[data-state="load"]', "never began")
        self.browser.until_text('[data-v="switches-on"]', "1 of 2 on when it ended")
        self.browser.until_text('[data-v="switches-note"]', "The run is over")
        self.browser.until_text(".safety .forced", "^Nothing is forced$")
        self.assertEqual(self.browser.attribute(self.STUCK, "aria-disabled"), "true")

    def test_another_client_is_seen_and_the_focus_stays(self):
        rig = self.rig()
        self.browser.run("document.querySelector(args[0]).focus()", self.STUCK)
        rig.switch("fault", "encoder_stuck", "on", 1234, target="encoder.angle")
        self.browser.until_text('[data-state="encoder_stuck"]', "on since frame 1 234")
        self.assertTrue(self.browser.run("return document.activeElement.matches(args[0])", self.STUCK))

    def test_a_refusal_is_said_in_the_words_of_the_rig(self):
        rig = self.rig(outputs=False)
        rig.missing["/v1/switches"] = (409, "too many things are switched at once; try again")
        self.browser.click(self.STUCK)
        self.said(self.browser, "encoder_stuck on was refused: too many things")
        self.assertEqual(self.browser.attribute(self.STUCK, "aria-checked"), "false")

    def test_no_key_turns_one(self):
        rig = self.rig(outputs=False)
        for key in "abcdefgijknopqrsuvwxyz67890":
            self.browser.press(key)
        self.go("tests")
        self.assertEqual(rig.commands, [])

    def test_names_are_those_that_a_screen_reader_hears(self):
        self.rig()
        label = self.browser.run("""const at = document.querySelector(args[0]);
            return [at.getAttribute('role'), document.getElementById(at.getAttribute('aria-labelledby')).textContent]""",
                                 self.STUCK)
        self.assertEqual(label, ["switch", "Fault encoder_stuck"])

    def test_a_phone_has_them_without_scrolling_sideways(self):
        self.rig()
        phone = self.another(width=390, height=844)
        self.open("tests", phone)
        phone.until_text('[data-v="switches-on"]', "0 of 2 on")
        self.assertEqual(phone.run("return document.documentElement.scrollWidth - innerWidth"), 0)


class Expressions(Case):
    """Expressions on the charts of the view Signals."""

    def add(self, text):
        self.browser.run("""const form = document.querySelector('form.expression');
            form.querySelector('input').value = args[0]; form.requestSubmit()""", text)

    def test_an_expression_is_a_curve_with_its_unit_and_can_be_triggered_on(self):
        rig = self.fake()
        self.open("signals")
        self.add("2 * motor.current")
        self.browser.until_text('[data-list="chips"]', "2 \\* motor.current.*rad/s\\^2")
        self.browser.until("return tactus.rig.streaming.includes('2 * motor.current') && tactus.rig.flows")
        rig.advance(50)
        self.browser.until("return tactus.rig.track('2 * motor.current').end > 0")
        same = """const {rig} = tactus, at = rig.track('2 * motor.current').end - 1, one = rig.track('motor.current').at(at);
            return Number.isNaN(one) || Math.abs(rig.track('2 * motor.current').at(at) - 2 * one) < 1e-5"""
        self.assertTrue(self.browser.run(same))
        self.browser.until("return [...document.querySelectorAll('[data-act=trig-var] option')]"
                           ".some((option) => option.value === '2 * motor.current')")
        self.browser.until("return /[0-9]/.test(document.querySelector('[data-chip=\"2 * motor.current\"]').textContent)")
        self.reload(self.browser)
        self.browser.until_text('[data-list="chips"]', "2 \\* motor.current")

    def test_a_mistake_is_said_beside_the_field_with_its_place(self):
        self.fake()
        self.open("signals")
        self.add("3 + motor.sped")
        self.browser.until_text("#expression-why", "^'3 . motor.sped', character 5: there is no variable 'motor.sped'")
        self.assertEqual(self.browser.run("return document.querySelector('form.expression input').value"), "3 + motor.sped")
        self.assertNotIn("sped", self.browser.text('[data-list="chips"]'))
        self.browser.type("form.expression input", "x")
        self.browser.until_text("#expression-why", "^$")


class Marks(Case):
    """What the journal has is seen in every chart over time."""

    def test_events_and_faults_are_marks_at_their_frames(self):
        rig = self.fake()
        rig.note("event", who="rig file", name="moving")
        rig.advance(1500)
        rig.note("fault on", who="rig", name="encoder_stuck")
        rig.advance(1500)
        self.open("signals")
        self.browser.until("const marked = window.tactus.views.signals.plot?.marked ?? [];"
                           "return marked.map(({text}) => text).join() === 'moving,encoder_stuck'")
        self.assertEqual(self.browser.run("return window.tactus.marks.all.map(({x, sign}) => [x, sign])"),
                         [[0.999, "◆"], [2.499, "▼"]])
        self.go("timing")
        self.browser.until("return window.tactus.views.timing.plots.late?.marked?.length === 2")
        self.go("overview")
        self.browser.until("return /encoder_stuck, frame 2 499/.test(document.querySelector("
                           "'[data-draw=\"spark-late\"]').title)")
        rig.note("reset")
        self.browser.until("return window.tactus.marks.all.length === 0", what="charts begin anew")

    def test_one_is_drawn_while_no_frame_comes(self):
        rig = self.fake()
        rig.advance(100)
        self.open("signals")
        self.browser.until("return window.tactus.views.signals.drawn && window.tactus.views.signals.plot?.marked?.length === 0")
        # Until nothing is left to be drawn, however slow the machine is.
        self.browser.run("""for (let turns = 0; turns < 10; turns++)
            await new Promise((done) => setTimeout(() => requestAnimationFrame(done), 100))""")
        rig.note("event", name="late")
        self.browser.until("return window.tactus.views.signals.plot.marked.map(({text}) => text).join() === 'late'")

    def test_many_are_gathered_and_not_drawn_over_one_another(self):
        rig = self.fake()
        for i in range(300):
            rig.note("event", name=f"e{i % 3}")
            rig.advance(10)
        self.open("signals")
        self.browser.until("return window.tactus.marks.all.length === 300")
        self.browser.until("const all = window.tactus.views.signals.plot?.marked ?? [];"
                           "return all.reduce((sum, {count}) => sum + count, 0) === 300")
        near = self.browser.run("""const {marked} = window.tactus.views.signals.plot;
            return marked.some(({at}, i) => i && at - marked[i - 1].at < 18)""")
        self.assertFalse(near)
        self.assertRegex(self.browser.run("return window.tactus.views.signals.plot.marked[0].text"), r"\d+ × e0, …")


if __name__ == "__main__":
    unittest.main(verbosity=2)
