# SPDX-License-Identifier: Apache-2.0
"""The signal source of the GPIO tests sends what its options say: its edges as the kernel stamps them. And what becomes
of a line whose chip is taken away. In a guest with its own time: the figures do not depend on this machine's load."""
import re
import shutil
import subprocess
import sys

from guest import SKIPPED, Checks, Guest

HZ, PULSES = 1000, 20
PERIOD_US = 1e6 / HZ
TOLERANCE_US = 25  # from the source's timer to the kernel's time stamp, and what that varies
LINE = 3


def grid(*left_out, upto=PULSES, scale=1.0):
    return [k * scale for k in range(upto) if k not in left_out]


# Options, and when rising edges are due, in periods after the first.
CASES = [
    ("", grid()),
    ("drop=5", grid(4, 9, 14, 19)),
    ("drift=100000", grid(scale=1.1)),
    ("duty=0.2 double=5", sorted(grid() + [k + 0.22 for k in (4, 9, 14, 19)])),
    ("glitch=5", sorted(grid() + [k + 0.3 for k in (4, 9, 14, 19)])),
    ("duty=0.2 glitch=10 glitch_at=0.7", sorted(grid() + [k + 0.7 for k in (9, 19)])),
    ("gap=10:3", grid(10, 11, 12)),
    ("gap=10:3 phase=0.0004", [k if k < 10 else k + 0.4 for k in grid(10, 11, 12)]),
    ("stop_after=7", grid(upto=7)),
    ("prio=90 cpu=0", grid()),
]
# The command that scripts/rtvm puts into each guest with --gpio: a period with its unit, and how many edges.
EDGES = [
    (f"1ms {PULSES}", grid()),
    ("2000us 10", grid(upto=10, scale=2.0)),
    (f"0.001s {PULSES} drop=5", grid(4, 9, 14, 19)),
]
SCRIPT = """
pull=$RTVM_GPIO_DIR/sim_gpio{line}/pull
seen() {{  # seen NUMBER COMMAND...
    number=$1
    shift
    {gpiomon} >edges/$number &
    sleep .2
    "$@" || echo "$* ended with $?"
    sleep .1
    kill $!
    wait $!
}}
mkdir edges
"""
# The rising edges of the line, each as its seconds and nanoseconds: by the tool of either major version of libgpiod.
GPIOMON = {"1": f"gpiomon -r -F '%s %n' ${{RTVM_GPIO_CHIP#/dev/}} {LINE}",
           "2": f"gpiomon -e rising -F %S -c $RTVM_GPIO_CHIP {LINE}"}
# A chip that goes while a line of it is held: the kernel lets it go at once, and says so to the next who asks.
GONE = """
{gpiomon} >gone.txt 2>&1 &
sleep .2
kill -0 $! && echo held
echo 0 >$RTVM_GPIO_LIVE && echo taken away
[ -e $RTVM_GPIO_CHIP ] || echo no chip
[ -e $pull ] || echo no line
kill $! # unless it has ended: Linux 6.12 wakes it, and 6.1 does not
wait $!
:
"""
WRONG = ["", "1000", "1000 20 dutty=1", "1000 20 duty=x", "1000 20 gap=3", "0 20"]


def main():
    guest = Guest.from_arguments(__doc__, "--gpio-pulse", needs="modules")
    if not shutil.which("gpiomon"):
        print("skipped: this machine has no gpiomon (Debian: apt-get install gpiod)")
        sys.exit(SKIPPED)
    version = subprocess.run(["gpiomon", "--version"], capture_output=True, text=True, check=True).stdout
    gpiomon = GPIOMON[re.search(r" v(\d+)\.", version)[1]]
    script = SCRIPT.format(line=LINE, hz=HZ, pulses=PULSES, gpiomon=gpiomon)
    commands = [(f"gpio_pulse $pull {HZ} {PULSES} {options}", expected) for options, expected in CASES]
    commands += [(f"edges {LINE} {words}", expected) for words, expected in EDGES]
    script += "".join(f"seen {number} {command}\n" for number, (command, _) in enumerate(commands))
    script += "".join(f"gpio_pulse $pull {words} 2>/dev/null; echo wrong $?\n" for words in WRONG)
    script += GONE.replace("{gpiomon}", gpiomon)
    done = guest.run("sh", "edges.sh", files=[guest.write("edges.sh", script)],
                     copy=["gpiomon", f"{guest.options.gpio_pulse}:/usr/local/bin/gpio_pulse"], fetch=["edges"],
                     options=["--icount", "0", "--gpio", "8"], timeout=280)
    print(f"guest: {done.took:.1f} s")
    checks = Checks()
    if not checks.equal("the guest ran to its end", done.status, 0, done):
        checks.finish()
    for number, (command, expected) in enumerate(commands):
        lines = (guest.work / "edges" / str(number)).read_text(encoding="utf-8").splitlines()
        stamps = [int(seconds) * 10**6 + int(rest) / 1000 for seconds, rest in (line.replace(".", " ").split() for line in lines)]
        found = [round((stamp - stamps[0]) / PERIOD_US, 3) for stamp in stamps]
        checks.that(f"{command}: {len(expected)} rising edges where they belong",
                    len(found) == len(expected)
                    and all(abs(a - b) * PERIOD_US <= TOLERANCE_US for a, b in zip(found, expected)), found, expected)
    out = done.out.splitlines()
    checks.equal("wrong arguments are refused with status 2", [line for line in out if line.startswith("wrong")],
                 ["wrong 2"] * len(WRONG), done)
    checks.equal("a chip can be taken away while a line of it is held", out[-4:],
                 ["held", "taken away", "no chip", "no line"], done)
    checks.finish()


main()
