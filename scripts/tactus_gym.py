# SPDX-License-Identifier: Apache-2.0
"""A rig as an environment of Gymnasium, which is had by `pip install gymnasium`.

    env = tactus.gym.RigEnv("servo.yaml", actions=["motor.load_torque"], observations=["motor.speed", "motor.angle"],
                            step=0.01, time_limit=2.0, bounds={"motor.load_torque": (-0.02, 0.02)},
                            reward=lambda now, action: -abs(now["motor.speed"] - 50))
    observation, info = env.reset()

Spaces are boxes of float32 in the order of the names; `env.units` has the unit of each. Bounds are those that the rig
file or the model declares (`range` of a variable), or `bounds`; an action must have them. An action of a variable that
is a bool is 0 or 1, of an integer a whole number.
"""
from __future__ import annotations

import math
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

try:
    import gymnasium
    import numpy
except ImportError as error:
    raise ImportError("tactus.gym needs the package gymnasium, which is not here: pip install gymnasium") from error

if __package__:  # installed: python3-tactus
    from tactus.client import Episode
    from tactus.process import OwnFolder, RigProcess
else:
    from tactus_client import Episode
    from tactus_process import OwnFolder, RigProcess

Named = Mapping[str, float]


class RigEnv(gymnasium.Env):
    """One rig, and one process of it at a time. A step writes the actions before its first frame, runs `step` simulated
    seconds, and returns the observations of its last frame. `reset` takes the rig back to its beginning, in the same
    process; without real time neither waits for a clock. A run that ends by itself truncates, and `info` says why.

    file: the rig file. actions, observations: variables that are single numbers. step: seconds, rounded up to frames.
    time_limit: simulated seconds until `truncated`. reward, terminated: functions of the observations and the actions by
    name. overrides, realtime, tactus: as of RigProcess. folder: run folders are made in it; None: they are temporary.
    Raises NoRig, RigError, and ValueError for variables that fit no space.
    """

    metadata = {"render_modes": []}

    def __init__(self, file: str | os.PathLike[str], actions: Sequence[str], observations: Sequence[str], step: float,
                 reward: Callable[[Named, Named], float] = lambda now, action: 0.0,
                 terminated: Callable[[Named, Named], bool] = lambda now, action: False,
                 time_limit: float = math.inf, bounds: Mapping[str, tuple[float, float]] | None = None,
                 overrides: Mapping[str, Any] | None = None, realtime: bool = False,
                 folder: str | os.PathLike[str] | None = None, tactus: str | None = None) -> None:
        self.actions, self.observations, self.step_s = list(actions), list(observations), step
        if not 0 <= step < math.inf:
            raise ValueError(f"step={step!r} is no time in seconds from 0 on")
        if unknown := set(bounds or {}) - {*self.actions, *self.observations}:
            raise ValueError(f"bounds: {', '.join(sorted(unknown))} is no action and no observation")
        self.reward, self.is_terminated, self.time_limit = reward, terminated, time_limit
        self._start = (file, overrides, realtime, tactus)
        self._temporary = OwnFolder(prefix="tactus-gym-") if folder is None else None
        self._folder = pathlib.Path(folder if self._temporary is None else self._temporary.name)
        self._runs, self._begun, self._frames, self._closed = 0, False, 0, False
        self.rig: RigProcess | None = None
        self._seen = numpy.zeros(len(self.observations), numpy.float32)
        try:
            rig = self._started()
            about = {name: rig.describe(name) for name in [*self.actions, *self.observations]}
            self.units = {name: one["unit"] for name, one in about.items()}
            self._bools = {name for name, one in about.items() if one["type"] == "bool"}
            self.action_space = _box(self.actions, about, bounds or {}, True)
            self.observation_space = _box(self.observations, about, bounds or {}, False)
        except BaseException:
            self.close()
            raise

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self._expect_open()
        if self.rig is not None and self.rig.ended() is not None:  # it has crashed
            self._end()
        rig = self._started()
        if self._begun:
            rig.reset()
            rig.wait_for("Pause", 60.0)
        self._begun, self._frames = False, 0
        values = rig.get(self.observations)
        self._seen = self._vector(values.values)
        return self._seen.copy(), {"frame": rig.state()["frame"]}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        self._expect_open()
        rig = self.rig
        if rig is None:
            raise RuntimeError("the run is over: reset() begins another")
        values = numpy.asarray(action).reshape(-1)
        if len(values) != len(self.actions):
            raise ValueError(f"an action has {len(values)} values; these are wanted: {', '.join(self.actions) or 'none'}")
        given = {name: float(value) for name, value in zip(self.actions, values)}
        given.update({name: bool(given[name]) for name in self._bools & set(given) if given[name] in (0, 1)})
        episode = self._run(rig, given)
        now = {name: episode[tuple(name.split(".", 1))] for name in self.observations}
        info: dict[str, Any] = {"frame": episode.frame, "date": episode.date}
        if episode.ended:
            info.update(outcome=episode.outcome, reason=episode.reason)
            self._end()
            if any(value is None for value in now.values()):
                return self._seen.copy(), 0.0, False, True, info  # nothing was seen since
        over = self._frames * rig.period >= self.time_limit - 1e-9 or episode.ended
        self._seen = self._vector(now)
        return (self._seen.copy(), float(self.reward(now, given)), bool(self.is_terminated(now, given)), over, info)

    def _run(self, rig: RigProcess, given: Named) -> Episode:
        """A step; the last one of a run is as long as the run is."""
        self._begun = True
        if rig.planned is not None and self._frames + rig.frames_in(self.step_s) > rig.planned:
            episode = rig.run_to_end(given, self.observations)
        else:
            episode = rig.run_for(self.step_s, given, self.observations)
        self._frames = 0 if episode.frame is None else episode.frame + 1
        return episode

    def close(self) -> None:
        self._closed = True
        self._end()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _expect_open(self) -> None:
        if self._closed:
            raise RuntimeError("the environment is closed; make another RigEnv")

    def _vector(self, values: Mapping[str, Any]) -> Any:
        return numpy.array([values[name] for name in self.observations], numpy.float32)

    def _started(self) -> RigProcess:
        if self.rig is None:
            file, overrides, realtime, tactus = self._start
            self._runs += 1
            self.rig = RigProcess(file, self._folder / f"run-{self._runs}", overrides, None, realtime, tactus)
            self._begun = False
        return self.rig

    def _end(self) -> None:
        if self.rig is not None:
            self.rig.end()
        self.rig = None


def _box(names: Sequence[str], about: Mapping[str, Any], bounds: Mapping[str, tuple[float, float]],
         is_action: bool) -> Any:
    low, high = [], []
    for name in names:
        if about[name]["count"] and "[" not in name:
            raise ValueError(f"{name} is an array: name its elements, {name}[0] ...")
        declared = about[name]["range"]
        least, most = bounds.get(name, (declared.get("low", -math.inf), declared.get("high", math.inf)))
        if not least <= most:
            raise ValueError(f"bounds of {name}: {least} .. {most} is no range; give (LEAST, GREATEST)")
        if is_action and not (math.isfinite(least) and math.isfinite(most)):
            unit = about[name]["unit"]
            raise ValueError(f"the action {name} has no range: give bounds={{{name!r}: (LEAST, GREATEST)}}, in "
                             f"{unit or 'its own numbers'}")
        low.append(least)
        high.append(most)
    ends = numpy.array(low, numpy.float32), numpy.array(high, numpy.float32)
    if is_action:  # what is rounded to the outside is refused by the rig
        up, down = numpy.float32(math.inf), numpy.float32(-math.inf)
        ends = (numpy.where(ends[0].astype(float) < low, numpy.nextafter(ends[0], up), ends[0]),
                numpy.where(ends[1].astype(float) > high, numpy.nextafter(ends[1], down), ends[1]))
    return gymnasium.spaces.Box(*ends, dtype=numpy.float32)
