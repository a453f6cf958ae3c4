# SPDX-License-Identifier: Apache-2.0
"""Rigs that a program starts, the plug-in of pytest and the environment of Gymnasium, on the servo without real time.

    pytest_plugin_test.py --source CHECKOUT --tactus PROGRAM [CLASS ...]

pytest runs in a temporary folder. Skipped, with the reason, where no Python of this machine has it.
"""
import argparse
import functools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

parser = argparse.ArgumentParser()
parser.add_argument("--source", required=True, type=pathlib.Path)
parser.add_argument("--tactus", required=True, type=pathlib.Path)
args, sys.argv[1:] = parser.parse_known_args()
SOURCE, TACTUS = args.source.resolve(), args.tactus.resolve()
SERVO = SOURCE / "config" / "rigs" / "servo.yaml"
SCRIPTS = tempfile.TemporaryDirectory(prefix="tactus-pytest-")  # a copy, so that they are compiled once for all runs
for file in (SOURCE / "scripts").glob("*.py"):
    shutil.copy(file, SCRIPTS.name)


@functools.cache
def python_with(module, path=""):
    """A Python that has the module, also in a folder; None: there is none."""
    for python in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(python) and subprocess.run([python, "-c", f"import {module}"], capture_output=True,
                                                     env={**os.environ, "PYTHONPATH": path}).returncode == 0:
            return python
    return None


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tactus-pytest-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_python(self, python, *words, path=""):
        paths = os.pathsep.join(filter(None, [SCRIPTS.name, path]))
        environment = {**os.environ, "PYTHONPATH": paths, "TACTUS": str(TACTUS), "PYTHONDONTWRITEBYTECODE": ""}
        return subprocess.run([python, *words], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=900)


class Processes(Case):
    def outcome(self, folder):
        """How a rig has ended; "" while it runs."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                ended = json.loads((folder / "summary.json").read_text())
                if ended["outcome"] == "stopped":
                    return ended["outcome"]
            except (OSError, ValueError):
                pass
            time.sleep(0.05)
        return ""

    def test_a_rig_ends_with_its_program_however_that_ends(self):
        for number, end in enumerate(("pass", "1 / 0", "os.kill(os.getpid(), signal.SIGKILL)", "os._exit(3)")):
            folder = self.folder / f"out-{number}"
            (self.folder / "use.py").write_text(
                "import os, signal\nfrom tactus_process import RigProcess\n"
                f"rig = RigProcess({str(SERVO)!r}, {str(folder)!r})\nassert rig.run_for(0.01).frame == 9\n{end}\n")
            self.run_python(sys.executable, "use.py")
            self.assertEqual(self.outcome(folder), "stopped", end)

    def test_a_rig_that_another_thread_has_started_outlives_that_thread(self):
        (self.folder / "use.py").write_text(textwrap.dedent(f"""
            import threading, time
            from tactus_process import RigProcess
            made = []
            thread = threading.Thread(target=lambda: made.append(RigProcess({str(SERVO)!r}, "out")))
            thread.start()
            thread.join()
            time.sleep(0.5)
            assert made[0].run_for(0.01).frame == 9
            """))
        done = self.run_python(sys.executable, "use.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.outcome(self.folder / "out"), "stopped")


    def test_a_copy_of_the_program_that_ends_leaves_its_rig_alone(self):
        (self.folder / "use.py").write_text(textwrap.dedent(f"""
            import os, sys
            from tactus_process import RigProcess
            with RigProcess({str(SERVO)!r}, "out") as rig:
                if (copy := os.fork()) == 0:
                    sys.exit(0)
                assert os.waitpid(copy, 0)[1] == 0
                assert rig.run_for(0.01).frame == 9
                folder = rig._socket.name
            assert not os.path.exists(folder)
            """))
        done = self.run_python(sys.executable, "use.py")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_call_after_the_run_says_how_it_ended(self):
        (self.folder / "use.py").write_text(textwrap.dedent(f"""
            from tactus_client import NoRig
            from tactus_process import RigProcess
            with RigProcess({str(SERVO)!r}, "out", overrides={{"until": "20 ms"}}) as rig:
                assert rig.run_to_end().outcome == "completed"
                rig._process.wait()
                for call in (lambda: rig.value("motor.speed"), lambda: rig.run_for(0.1), rig.reset):
                    try:
                        call()
                    except NoRig as error:
                        assert str(error).startswith("the rig has ended, with status 0: servo: completed after 20 "), error
                    else:
                        raise SystemExit("it was answered")
            """))
        done = self.run_python(sys.executable, "use.py")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_rig_that_refuses_its_program_is_not_all_that_it_has_said(self):
        (self.folder / "token").write_text("0123456789abcdef")
        (self.folder / "token").chmod(0o600)
        (self.folder / "servo.yaml").write_text(SERVO.read_text() + "live: { http: { token_file: token } }\n")
        done = self.run_python(sys.executable, "-c", "import tactus_process; tactus_process.RigProcess('servo.yaml', 'out')")
        self.assertIn("NoRig: servo.yaml did not start: ", done.stderr)
        self.assertIn("give the rig's token: token or token_file of Rig, or TACTUS_TOKEN in the environment", done.stderr)
        self.assertEqual(done.stderr.split("The above exception")[1].count("a token is needed"), 1, done.stderr)

    def test_a_time_is_as_many_frames_however_many_these_are(self):
        (self.folder / "use.py").write_text(textwrap.dedent(f"""
            from tactus_process import RigProcess
            with RigProcess({str(SERVO)!r}, "whole") as rig:
                for frames in (1, 3, 100, 33156656, 86400001):
                    assert rig.frames_in(frames / 1000) == frames, frames
                assert (rig.frames_in(0), rig.frames_in(0.0011)) == (1, 2)
            thirds = {{"frame.period": "1/3 ms", "models.motor.jobs": {{}}}}
            with RigProcess({str(SERVO)!r}, "thirds", overrides=thirds) as rig:
                for frames in (1, 2, 3, 100, 10000001):
                    assert rig.frames_in(frames / 3000) == frames, frames
            """))
        done = self.run_python(sys.executable, "use.py")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_kill_ends_a_rig_that_hangs_and_its_witness_says_so(self):
        (self.folder / "hangs.yaml").write_text(
            "rig: hangs\nframe: { period: 1 ms }\nuntil: 1 s\nthreads: { stuck_after: 10 min }\nmodels:\n"
            "  wrong: { model: fault, library: test_load, parameters: { in: scheduled, how: hang } }\n")
        (self.folder / "use.py").write_text(textwrap.dedent("""
            import json
            from tactus_client import RigError
            from tactus_process import RigProcess
            rig = RigProcess("hangs.yaml", "out")
            pid = rig._process.pid
            with open(f"/proc/{pid}/task/{pid}/children") as file:
                child = file.read().split()[0]
            try:
                rig.run_open(timeout=0.5)
            except RigError:
                pass
            rig.kill()
            try:
                with open(f"/proc/{child}/stat") as file:
                    assert file.read().rpartition(")")[2].split()[0] in "ZX", "the rig still runs"
            except FileNotFoundError:
                pass
            assert rig.status not in (None, 0), rig.status
            with open("out/summary.json") as file:
                assert "SIGKILL" in json.load(file)["reason"]
            """))
        done = self.run_python(sys.executable, "use.py")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_what_a_rig_says_is_whole_while_somebody_reads_it(self):
        (self.folder / "tactus").write_text(
            f"#!{sys.executable}\nimport os\nfor line in range(20000):\n    os.write(1, b'%08d\\n' % line)\n")
        (self.folder / "tactus").chmod(0o755)
        (self.folder / "use.py").write_text(textwrap.dedent("""
            from tactus_process import RigProcess
            class Watched(RigProcess):
                def wait_until_ready(self, timeout, gone):
                    while gone() is None:
                        self.said()
                    return super().wait_until_ready(timeout, gone)
            try:
                Watched("rig.yaml", "out", tactus="./tactus")
            except Exception as error:
                said = str(error).split(" did not start: ")[1]
            assert said.split() == ["%08d" % line for line in range(20000)], said[:90]
            """))
        done = self.run_python(sys.executable, "use.py")
        self.assertEqual(done.returncode, 0, done.stderr)


class Pytest(Case):
    def setUp(self):
        super().setUp()
        self.python = python_with("pytest")
        if self.python is None:
            self.skipTest("there is no pytest (Debian: python3-pytest)")

    def pytest(self, text, *words):
        (self.folder / "test_rig.py").write_text("import pytest\n\n" + textwrap.dedent(text).replace("SERVO", repr(str(SERVO))))
        return self.run_python(self.python, "-m", "pytest", "-p", "tactus_pytest", "-p", "no:cacheprovider", "-q", *words)

    def test_each_test_has_a_rig_of_its_own_with_its_overrides(self):
        done = self.pytest("""
            @pytest.mark.rig(SERVO, overrides={"models.trajectory.parameters.max_speed": "20 rad/s"})
            def test_is_slow(rig):
                assert rig.state()["frame"] is None
                for seconds in (-0.1, float("nan"), float("inf")):
                    with pytest.raises(ValueError):
                        rig.run_for(seconds)
                rig.run_for(0.5)
                assert rig.state()["frame"] == 499
                assert rig.value("trajectory.speed") <= 20.001

            @pytest.mark.rig(SERVO)
            def test_begins_anew(rig):
                episode = rig.run_for(0.1, {"motor.load_torque": 0.001}, ["motor.load_torque"])
                assert episode.frame == 99
                assert episode["motor", "load_torque"] == 0.001

            def test_without_a_rig():
                pass
            """, "--strict-markers")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("3 passed", done.stdout)

    def test_the_example_of_the_page_passes_word_for_word(self):
        page = (SOURCE / "docs" / "python.md").read_text()
        example = next(box for box in page.split("```text\n") if box.startswith("import pytest")).split("```")[0]
        (self.folder / "test_rig.py").write_text(example)
        for name in ("rigs/servo.yaml", "tests/follows.test.yaml"):
            (self.folder / pathlib.Path(name).name).write_text((SOURCE / "config" / name).read_text())
        done = self.run_python(self.python, "-m", "pytest", "-p", "tactus_pytest", "-p", "no:cacheprovider", "-q")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 passed", done.stdout)

    def test_overrides_are_a_dict(self):
        done = self.pytest("""
            @pytest.mark.rig(SERVO, overrides=["until=5 s"])
            def test_list(rig):
                pass
            """)
        self.assertIn("overrides of @pytest.mark.rig is a dict of values by path", done.stdout)

    def test_a_failure_shows_journal_plot_and_where_the_files_are(self):
        done = self.pytest("""
            @pytest.mark.rig(SERVO)
            def test_fails(rig):
                rig.run_for(0.5)
                rig.set({"motor.load_torque": 0.002})
                assert rig.value("rt.frame") == 7
            """, "--basetemp", "base")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for text in ("rig: files", "report.html", "rig: journal", '"variable":"motor.load_torque"', "rig: plot", "motor.speed"):
            self.assertIn(text, done.stdout)
        reports = list((self.folder / "base").rglob("report.html"))
        self.assertEqual(len(reports), 1, done.stdout)
        self.assertIn("tactus report", reports[0].read_text())

    def test_a_failure_is_shown_without_numpy_too(self):
        (self.folder / "conftest.py").write_text("import sys\nsys.modules['numpy'] = None\n")
        done = self.pytest("""
            @pytest.mark.rig(SERVO)
            def test_fails(rig):
                rig.run_for(0.5)
                assert rig.value("rt.frame") == 7

            def test_after_it():
                pass
            """)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("1 failed, 1 passed", done.stdout)
        self.assertRegex(done.stdout, "motor.speed +[▁-█]+")

    def test_a_test_file_is_judged_when_the_rig_ends(self):
        (self.folder / "slow.test.yaml").write_text("expect:\n  slow: { never: motor.speed > 20 rad/s }\n")
        done = self.pytest("""
            @pytest.mark.rig(SERVO, test="slow.test.yaml")
            def test_expectations(rig):
                rig.run_for(0.5)
                assert rig.verdicts()["expectations"][0]["name"] == "slow"
            """)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("rig: verdicts", done.stdout)
        self.assertRegex(done.stdout, "fail +slow: failed in frame")

    def test_what_is_wrong_is_said_in_a_sentence(self):
        (self.folder / "broken.yaml").write_text("rig: broken\nframe: { period: 1 lightyear }\n")
        done = self.pytest("""
            def test_without_marker(rig):
                pass

            @pytest.mark.rig("broken.yaml")
            def test_broken(rig):
                pass

            @pytest.mark.rig(SERVO, realtme=True)
            def test_unknown_word(rig):
                pass
            """)
        self.assertNotEqual(done.returncode, 0)
        for text in ("the fixture 'rig' wants @pytest.mark.rig", "broken.yaml:2:", "takes overrides, realtime and test, not realtme"):
            self.assertIn(text, done.stdout)


# As much of Gymnasium as tactus.gym uses, for machines that do not have it.
STUB = """
class Env:
    def reset(self, *, seed=None, options=None):
        self.seed = seed

class _Box:
    def __init__(self, low, high, dtype=None):
        self.low, self.high, self.dtype, self.shape = low, high, dtype, low.shape
    def contains(self, x):
        return x.shape == self.shape and x.dtype == self.dtype and bool(((x >= self.low) & (x <= self.high)).all())

class spaces:
    Box = _Box
"""

USE = """
import math, tactus_client, tactus_gym
env = tactus_gym.RigEnv(SERVO, ["motor.load_torque"], ["motor.speed", "motor.angle"], step=0.01, time_limit=0.05,
                        bounds={"motor.load_torque": (-0.01, 0.01)}, reward=lambda now, action: now["motor.speed"],
                        overrides={"until": "200 ms"})
assert env.units["motor.speed"] == "rad/s", env.units
assert list(env.action_space.high) == [env.action_space.dtype(0.01)]
first = []
for turn in range(2):
    seen, info = env.reset(seed=3)
    assert info["frame"] is None and env.observation_space.contains(seen), (seen, info)
    rows = []
    for k in range(5):
        seen, reward, terminated, truncated, info = env.step([0.001])
        assert info["frame"] == 10 * k + 9 and not terminated and reward == float(seen[0]) or abs(reward - seen[0]) < 1e-3
        assert truncated == (k == 4), (k, truncated)
        rows.append(list(seen))
    first = first or rows
    assert rows == first, "each episode is the same"
env.time_limit = math.inf
env.reset()
for k in range(20):
    seen, _, _, truncated, info = env.step([0.0])
assert truncated and info["outcome"] == "completed", info
env.reset()
assert env.step([0.0])[4]["frame"] == 9
env.close()

def steps_of(**more):
    env = tactus_gym.RigEnv(SERVO, ["motor.load_torque"], ["motor.speed"], bounds={"motor.load_torque": (-0.01, 0.01)},
                            **more)
    env.reset()
    frames, truncated = [], False
    while not truncated:
        _, _, _, truncated, info = env.step([0.0])
        frames.append(info["frame"])
    env.close()
    return frames, info.get("outcome")

assert steps_of(step=0.01, overrides={"until": "25 ms"}) == ([9, 19, 24], "completed"), "the last step is shorter"
assert steps_of(step=0.0011, time_limit=0.01) == ([1, 3, 5, 7, 9], None), "simulated time, not that of steps"
class Crash(tactus_gym.RigEnv):
    def _run(self, rig, given):
        rig.kill()
        return super()._run(rig, given)

env = Crash(SERVO, ["motor.load_torque"], ["motor.speed"], step=0.01, bounds={"motor.load_torque": (-0.01, 0.01)})
for turn in range(2):
    seen, info = env.reset()
    assert info["frame"] is None, "another process, from its beginning"
    try:
        env.step([0.0])
    except tactus_client.NoRig as error:
        assert "the rig has ended, with status" in str(error), error
    else:
        raise SystemExit("a rig that was killed has run a step")
env.close()

def refused(does):
    try:
        does()
    except ValueError as error:
        return str(error)
    raise SystemExit("it was taken")

def made(actions=("motor.load_torque",), step=0.01, **bounds):
    return tactus_gym.RigEnv(SERVO, actions, ["motor.speed"], step, bounds={name.replace("__", "."): each for name, each in bounds.items()})

assert "the action motor.load_torque has no range: give bounds=" in refused(made)
assert "bounds: motor.sped is no action and no observation" in refused(lambda: made(motor__sped=(0, 1)))
assert "bounds of motor.load_torque: 1 .. -1 is no range" in refused(lambda: made(motor__load_torque=(1, -1)))
assert "step=nan is no time" in refused(lambda: made(step=math.nan))
env = made(["motor.supply", "encoder.started"], encoder__started=(0, 1))  # a range that no float32 begins with; a bool
env.reset()
for action in (env.action_space.low, env.action_space.high):
    assert env.step(action)[4]["frame"] in (9, 19)
assert "an action has 1 values; these are wanted: motor.supply, encoder.started" in refused(lambda: env.step([24.0]))
env.close()
print("all of it")
"""


# What check_env of Gymnasium asks of an environment, in the words of this file.
RULES = """
import numpy, tactus_gym
env = tactus_gym.RigEnv(SERVO, ["motor.load_torque"], ["motor.speed", "motor.angle"], step=0.01, time_limit=0.1,
                        bounds={"motor.load_torque": (-0.01, 0.01)}, reward=lambda now, action: now["motor.speed"],
                        overrides={"commands": "[{ at: 65 ms, do: abort }]"})

def is_seen(seen):
    assert isinstance(seen, numpy.ndarray) and seen.dtype == numpy.float32 == env.observation_space.dtype, seen
    assert seen.shape == env.observation_space.shape and env.observation_space.contains(seen), seen

for space in (env.action_space, env.observation_space):
    assert space.low.shape == space.high.shape == space.shape and (space.low <= space.high).all()
    assert not numpy.isnan(space.low).any() and not numpy.isnan(space.high).any()

episodes = []
for seed, options in ((7, None), (7, {}), (None, {"unused": 1}), (8, None)):
    begun = env.reset(seed=seed, options=options)
    assert isinstance(begun, tuple) and len(begun) == 2 and isinstance(begun[1], dict), begun
    seen = begun[0]
    is_seen(seen)
    rows, truncated = [seen.tolist()], False
    action = numpy.array([0.002], numpy.float32)
    while not truncated:
        before, kept = seen, seen.copy()
        stepped = env.step(action)
        assert isinstance(stepped, tuple) and len(stepped) == 5, stepped
        seen, reward, terminated, truncated, info = stepped
        is_seen(seen)
        assert (before == kept).all() and before is not seen, "what was returned stays as it was"
        assert action.tolist() == numpy.array([0.002], numpy.float32).tolist(), "the action is the caller's"
        assert type(reward) is float and numpy.isfinite(reward), reward
        assert type(terminated) is bool and type(truncated) is bool and isinstance(info, dict), stepped
        rows.append(seen.tolist())
    assert info["outcome"] and len(rows) < 11, info
    episodes.append(rows)
assert episodes[0] == episodes[1] == episodes[2] == episodes[3], "nothing of a rig is drawn anew"
try:
    env.step(action)
except RuntimeError as error:
    assert "reset() begins another" in str(error)
else:
    raise SystemExit("a step after the end was taken")
env.close()
env.close()
for call in (env.reset, lambda: env.step(action)):
    try:
        call()
    except RuntimeError as error:
        assert "the environment is closed" in str(error), error
    else:
        raise SystemExit("an environment that is closed has begun a rig")
print("all of it")
"""


# The package's own check; what it warns of is no rule: spaces without ends, as speeds have them.
CHECK_ENV = """
import warnings
import gymnasium, numpy, tactus_gym
from gymnasium.utils.env_checker import check_env

def made(**more):
    return tactus_gym.RigEnv(SERVO, ["motor.load_torque"], ["motor.speed", "motor.angle"], step=0.01,
                             bounds={"motor.load_torque": (-0.01, 0.01)}, reward=lambda now, action: now["motor.speed"], **more)

env = made(time_limit=0.1)
assert isinstance(env, gymnasium.Env) and isinstance(env.observation_space, gymnasium.spaces.Box)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    check_env(env, skip_render_check=True)
for each in said:
    text = str(each.message)
    assert "infinity" in text or "normalized" in text or "env.spec" in text or "render mode" in text, text

gymnasium.register("Servo-v0", entry_point=made, max_episode_steps=4)
wrapped = gymnasium.make("Servo-v0")
seen, info = wrapped.reset(seed=5)
for k in range(4):
    seen, reward, terminated, truncated, info = wrapped.step(wrapped.action_space.sample())
    assert wrapped.observation_space.contains(seen) and truncated == (k == 3), (seen, truncated)
wrapped.close()

many = gymnasium.vector.SyncVectorEnv([lambda: made(time_limit=0.02)] * 2)
seen, _ = many.reset(seed=[1, 2])
for k in range(5):  # episodes end and begin in it by themselves
    seen, reward, terminated, truncated, info = many.step(many.action_space.sample())
    assert seen.shape == (2, 2) and numpy.isfinite(seen).all(), seen
many.close()
print("all of it")
"""


class Gym(Case):
    def test_check_env_of_the_package_has_nothing_to_say(self):
        folder = os.environ.get("TACTUS_GYMNASIUM", "")
        python = python_with("gymnasium, numpy", folder)
        if python is None:
            self.skipTest("there is no gymnasium; TACTUS_GYMNASIUM=DIR names a folder of pip install --target DIR gymnasium")
        (self.folder / "use.py").write_text(CHECK_ENV.replace("SERVO", repr(str(SERVO))))
        done = self.run_python(python, "use.py", path=folder)
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "all of it"), done.stderr)

    def test_without_the_package_there_is_a_sentence(self):
        (self.folder / "gymnasium.py").write_text("raise ImportError('not here')\n")
        done = self.run_python(sys.executable, "-c", f"import sys; sys.path.insert(0, {str(self.folder)!r}); import tactus_gym")
        self.assertIn("tactus.gym needs the package gymnasium, which is not here: pip install gymnasium", done.stderr)

    def test_an_environment_keeps_the_rules_of_check_env(self):
        self.use(RULES)

    def test_episodes_have_spaces_with_units_and_are_the_same_again(self):
        self.use(USE)

    def use(self, program):
        python = python_with("numpy")
        if python is None:
            self.skipTest("there is no numpy (Debian: python3-numpy)")
        if python_with("gymnasium") != python:
            (self.folder / "gymnasium.py").write_text(STUB)
        (self.folder / "use.py").write_text(program.replace("SERVO", repr(str(SERVO))))
        done = self.run_python(python, "use.py")
        self.assertEqual((done.returncode, done.stdout.strip()), (0, "all of it"), done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
