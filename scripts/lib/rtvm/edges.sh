#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=dash
# Edges on a line of the guest's simulated GPIO chip, at a given period: the clock of a rig, say.
#
#   edges LINE PERIOD [COUNT] [OPTION=VALUE ...]
#
#   edges 0 1ms                  a rising edge each millisecond, until it is killed
#   edges 0 1ms 500              500 of them
#   edges 0 500us duty=0.2 jitter=0.00001 drop=100
#
# PERIOD is a number with s, ms, us or ns. Options are those of gpio_pulse: duty, delay, drift, jitter, seed, drop,
# double, glitch, glitch_at, gap, phase, stop_after, prio (90 here), cpu. At its end it prints what it has sent.
# Exit status 0; 1: the machine refuses something; 2: the command line is wrong.
wrong() {
    echo "edges: $*; usage: edges LINE PERIOD [COUNT] [OPTION=VALUE ...], as in: edges 0 1ms 500" >&2
    exit 2
}
[ "$RTVM_GPIO_DIR" ] || wrong "there is no simulated GPIO chip; start the guest with scripts/rtvm --gpio LINES"
[ $# -ge 2 ] || wrong "a line and a period are wanted"
line=$1 period=$2
shift 2
pull=$RTVM_GPIO_DIR/sim_gpio$line/pull
[ -e "$pull" ] || wrong "'$line' is not a line of the chip, which has 0 to $((RTVM_GPIO_LINES - 1))"
hertz=$(echo "$period" | awk '
    match($0, /^[0-9]+(\.[0-9]+)?(s|ms|us|ns)$/) {
        unit = $0; sub(/^[0-9.]+/, "", unit); number = $0 + 0
        scale = unit == "s" ? 1 : unit == "ms" ? 1e3 : unit == "us" ? 1e6 : 1e9
        if (number > 0) printf "%.17g\n", scale / number
    }')
[ "$hertz" ] || wrong "'$period' is no period; a number above 0 with s, ms, us or ns is wanted"
count=1e15
case $1 in
    '' | *=*) ;;
    *[!0-9]*) wrong "'$1' is not a number of edges" ;;
    *) count=$1; shift ;;
esac
exec /usr/local/lib/rtvm/gpio_pulse "$pull" "$hertz" "$count" prio=90 delay=0 "$@"
