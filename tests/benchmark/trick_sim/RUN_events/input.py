# SPDX-License-Identifier: Apache-2.0
"""Events whose conditions never hold: TRICK_SIM_EVENTS of the kind TRICK_SIM_KIND, over TRICK_SIM_FRAMES frames."""
import os

kind = os.environ.get("TRICK_SIM_KIND", "text")
for number in range(int(os.environ.get("TRICK_SIM_EVENTS", "0"))):
    event = trick.new_event("event_%d" % number)
    event.set_cycle(0.001)
    if kind == "text":
        event.condition(0, "drive.motor.current > 1e6")
    elif kind == "variable":
        event.condition_var(0, "drive.motor.never")
    else:
        event.condition_job(0, "drive.motor.is_over")
    event.action(0, "print('never')")
    event.activate()
    trick.add_event(event)
trick.stop(0.001 * (int(os.environ.get("TRICK_SIM_FRAMES", "1000")) + 200))
