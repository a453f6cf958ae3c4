# SPDX-License-Identifier: Apache-2.0
"""A watchdog that is not kicked takes the machine down; one that was closed in the proper way does not. The kernel's
softdog stands for the bench's. And the same with a rig that has one."""
from guest import GUEST_DIED, RIG_OF, Checks, Guest

MARGIN_S = 2
LONG_ENOUGH_S = 3 * MARGIN_S
STEP_S = 0.25
STEPS = int(LONG_ENOUGH_S / STEP_S)

# What holds /dev/watchdog (fd 3): each waits LONG_ENOUGH_S, counting its steps aloud.
OPEN = "exec 3>/dev/watchdog"
CLOSE = "exec 3>&-"
MAGIC = "printf V >&3"  # "I mean to close it": without that a close does not stop the watchdog


def wait(every_step=":"):
    return f"i=0; while [ $i -lt {STEPS} ]; do {every_step}; echo $i; i=$((i + 1)); usleep {int(STEP_S * 1e6)}; done"


DIES = {"opened and never kicked": [OPEN, wait()],
        "closed without the magic character": [OPEN, CLOSE, wait()],
        "kicked, and then no more": [OPEN, "printf k >&3", wait()]}
LIVES = {"closed with the magic character": [OPEN, MAGIC, CLOSE, wait()],
         "kicked in time": [OPEN, wait("printf k >&3"), MAGIC, CLOSE]}


# The same with a rig: `watchdog: { device: /dev/watchdog }`.
RIG = f"""
rig: watched
frame: {{ period: 10 ms }}
realtime: {{ enabled: yes, sleeper: nanosleep }}
watchdog: {{ device: /dev/watchdog, timeout: {MARGIN_S} s }}
models:
  wrong: {{ model: misbehave, library: test_load, parameters: {{ at_frame: 100 }} }}
  load: {{ model: late, library: test_load, parameters: {{ from_frame: 100, every: 1 }} }}
"""
START = "tactus run watched.yaml --quiet --out out"
RUNS = (f"{RIG_OF}{START} $more & witness=$!; rig=$(rig_of $witness)\n"
        "until grep -q '^0\\.5' out/frames.csv 2>/dev/null; do usleep 100000; done")
# The countdown starts anew with the rig's last kick, at most a quarter of the margin before its end.
RIG_DIES = {"is killed": [RUNS, "kill -KILL $rig", wait()],
            "has found its watchdog by itself, and is killed": ["more='--set watchdog.device=auto'", RUNS,
                                                                "kill -KILL $rig", wait()],
            "stands still": [RUNS, "kill -STOP $rig", wait()],
            "hangs in a job": [START + " --set models.wrong.parameters.what=sleep "
                               "--set 'models.wrong.parameters.sleep_for=1000 s' &", "sleep 1", wait()],
            "ends by an overrun": [START + " --set 'realtime.max_overrun=100 ms' "
                                   "--set 'models.load.parameters.busy=300 ms'; [ $? = 1 ] || exit 8", wait()]}
RIG_LIVES = [RUNS, wait(), "kill -USR1 $rig", wait(), "kill -INT $rig", "wait $witness", "[ $? = 0 ] || exit 8", wait()]


def boot(guest, *commands, **more):
    """Time in the guest is its own (--icount): the margin means the same on a loaded machine."""
    script = guest.write("watchdog.sh", "\n".join(["[ -c /dev/watchdog ] || exit 9", *commands]) + "\n")
    return guest.run("sh", "watchdog.sh", files=[script, guest.write("watched.yaml", RIG)], timeout=120, **more,
                     options=["--modules", f"softdog:soft_margin={MARGIN_S}", "--icount", "2"])


def steps(done):
    return [int(line) for line in done.out.split()]


def main():
    guest = Guest.from_arguments(__doc__, needs="kernel")
    checks = Checks()
    for what, commands in DIES.items():
        done = boot(guest, *commands)
        checks.equal(f"a watchdog {what}: the machine goes down ({done.took:.1f} s)", done.status, GUEST_DIED, done)
        lived = STEP_S * len(steps(done))
        checks.that(f"a watchdog {what}: it bit after {MARGIN_S} s, give or take half a second (after {lived} s)",
                    abs(lived - MARGIN_S) <= 0.5, done)
    # All in one guest: a watchdog that one of them left armed would bite during the next.
    done = boot(guest, *(command for commands in LIVES.values() for command in commands))
    checks.equal(f"a watchdog {', or '.join(LIVES)}: nothing happens ({done.took:.1f} s)", done.status, 0, done)
    checks.equal("and all of it ran", steps(done), 2 * list(range(STEPS)), done)
    for what, commands in RIG_DIES.items():
        done = boot(guest, *commands, tactus=True)
        checks.equal(f"a rig that {what}: the machine goes down ({done.took:.1f} s)", done.status, GUEST_DIED, done)
        lived = STEP_S * len(steps(done))
        checks.that(f"a rig that {what}: within the margin, and not at once (after {lived} s)",
                    MARGIN_S / 2 <= lived <= MARGIN_S + 0.5, done)
    done = boot(guest, *RIG_LIVES, tactus=True)
    checks.equal(f"a rig that runs, is frozen, and is stopped: nothing happens ({done.took:.1f} s)", done.status, 0, done)
    checks.equal("and all of it ran", steps(done), 3 * list(range(STEPS)), done)
    checks.finish()


main()
