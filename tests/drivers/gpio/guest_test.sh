#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The GPIO drivers on a kernel with a simulated chip (gpio-sim), as root, in a virtual machine:
#
#   guest_test.sh GPIO_GUEST_RIG GPIO_PULSE CONFIGFS_DEVICE
#
# The program, with tactus-guardian in ../lib/tactus beside it; the pulse generator; the simulator's folder in
# configfs with an 8 line bank0, which is set up anew. Prints TAP; ends with 1 when something is not ok. Times are
# printed, and asserted only by what no load can change.
rig=$1
pulse=$2
sim=$3
count=0
failed=0
cd "$(mktemp -d)" || exit 1

# is WHAT VALUE EXPECTED: EXPECTED is a pattern of the shell.
is() {
  count=$((count + 1))
  case $2 in
    $3) echo "ok $count - $1" ;;
    *)
      failed=1
      echo "not ok $count - $1"
      echo "# is:       $2"
      echo "# expected: $3"
      ;;
  esac
}
chip() {
  echo 0 > "$sim/live" 2> /dev/null
  mkdir -p "$sim/bank0/line4" "$sim/bank0/line7"
  echo DOOR > "$sim/bank0/line4/name"
  echo MOTOR_EN > "$sim/bank0/line7/name"
  echo 1 > "$sim/live"
  lines=$(ls -d "/sys/devices/platform/$(cat "$sim/dev_name")"/gpiochip*)
  label=$(cat "$sim/bank0/label")
}
pull() { echo "pull-$2" > "$lines/sim_gpio$1/pull"; }
levels() { for i in 0 1 2 3 4 5 6 7; do printf %s "$(cat "$lines/sim_gpio$i/value")"; done; }
# wait_for COMMAND PATTERN: for 20 s at most.
wait_for() {
  for i in $(seq 400); do
    case $($1) in $2) return 0 ;; esac
    usleep 50000
  done
  return 1
}
output() { cat out.log; }
guardians() { for g in $(pidof tactus-guardian); do tr '\0' ' ' < "/proc/$g/cmdline" | sed 's/ *$//'; done; }
nobody() { test -z "$(pidof tactus-guardian)" && echo nobody; }
start_out() {
  "$rig" out servo out.yaml enable=1 brake=0 torque=5 > out.log 2>&1 &
  pid=$!
  wait_for output '*running*' || cat out.log
}
live=10100011
safe=01000000

chip
cat > out.yaml << Y
chip: $label
lines:
  enable: { line: MOTOR_EN, safe: no }
  brake: { line: 6, active_low: yes, safe: yes }
  torque: { lines: [0, 1, 2], safe: 2 }
Y
cat > in.yaml << Y
chip: $label
lines:
  door: { line: DOOR, active_low: yes }
  pair: { lines: [3, 5] }
Y
cat > clock.yaml << Y
chip: $label
line: 3
Y

# Outputs, and who drives them safe.
start_out
is "frames drive the lines" "$(levels)" $live
is "a line in use names rig and process" "$("$rig" out other out.yaml)" \
  "device: line 7 of gpiochip* (MOTOR_EN) is held by rig servo, process $pid; to stop it: kill $pid; so is line 6, 0, 1, 2"
kill -9 $pid
wait $pid
wait_for levels $safe
is "a killed rig's lines are safe" "$(levels)" $safe
guardian=$(pidof tactus-guardian)
is "the guardian says so" "$(guardians)" "tactus-guardian servo $pid [[]outputs safe]"
is "a held line names the guardian" "$("$rig" out other out.yaml)" \
  "device: line 7 of gpiochip* (MOTOR_EN) is held at its safe value by process $guardian, the guardian of rig servo, process $pid, which has ended; to release the line: kill $guardian*"
kill "$guardian"
is "it ends when told so" "$(wait_for nobody nobody && echo yes)" yes

start_out
kill -TERM $pid
wait $pid
is "a clean end" "$? $(tail -n 1 out.log)" "0 ended"
is "leaves no guardian" "$(nobody)" nobody

start_out
kill -STOP $pid
wait_for levels $safe
is "the lines of a rig that stands still are safe" "$(levels)" $safe
kill -CONT $pid
wait $pid
is "and it is told so" "$? $(tail -n 1 out.log)" "5 aborted: the guardian drove the outputs safe: no frame for 200 ms"
is "and leaves no guardian either" "$(wait_for nobody nobody && echo yes)" yes

start_out
kill -SEGV $pid
wait $pid
wait_for levels $safe
is "a crashed rig's lines are safe" "$(levels)" $safe
kill $(pidof tactus-guardian)
wait_for nobody nobody

"$rig" late servo out.yaml "$lines/sim_gpio7/value" 5 9 enable=1 | sed -n 's/^safe/# killed: safe/p'
"$rig" late servo out.yaml "$lines/sim_gpio7/value" 5 19 enable=1 | sed -n 's/^safe/# stopped, guardian_timeout 200 ms: safe/p'

# Inputs.
pull 3 up
pull 4 up
is "inputs, the first line lowest" "$("$rig" in servo in.yaml 1)" "door=0 pair=1 "
pull 3 down
pull 4 down
pull 5 up
is "inputs, active low" "$("$rig" in servo in.yaml 1)" "door=1 pair=2 "
pull 5 down
pull 3 down

# The clock line.
(sleep 2 && exec "$pulse" "$lines/sim_gpio3/pull" 100 20 prio=95 > /dev/null) &
"$rig" edges servo clock.yaml 24 > edges.log
wait
# The simulator itself merges pulses when the machine is busy.
is "edges are read, no more than there were" \
  "$(awk '/^edges/ {n += $3} END {print (n >= 1 && n <= 20) ? "yes" : "no: " n}' edges.log)" yes
is "the line has a name" "$(head -n 1 edges.log)" "open: gpiochip* line 3, rising"
awk '/^edges/ {n += $3; a[m++] = $11} END {print "# " n " of 20 edges; stamp to user, last: " a[m - 1] " us"}' edges.log

# 100 edges 5 ms apart, then 50 that are 20 ms apart.
("$pulse" "$lines/sim_gpio3/pull" 200 100 > /dev/null && exec "$pulse" "$lines/sim_gpio3/pull" 50 50 > /dev/null) &
"$rig" edges servo clock.yaml 1 4000 > edges.log
wait
is "of all edges that nobody read 16 are there" "$(tail -n 1 edges.log)" "edges count 16 overflowed 1 *"
kept=first
grep -q 'libgpiod[.]so[.]3' "$rig" && kept=last
is "the first ones with libgpiod 1, the last ones with libgpiod 2" \
  "$(awk '/^edges/ {print ($NF < 200000) ? "first" : "last"}' edges.log)" $kept

(exec "$pulse" "$lines/sim_gpio3/pull" 100 400 prio=95 > /dev/null) &
"$rig" facts clock.yaml 1000 > facts.log
is "doctor counts the edges" "$(tail -n 1 facts.log)" "* | gpio clock edges | * edges in 1.00 s (gpiochip* line 3, rising), * Hz; *"
sed 's/^/# /' facts.log
wait
is "doctor misses edges" "$("$rig" facts clock.yaml 100 | tail -n 1)" "fail | gpio clock edges | 0 edges in 100 ms *"

is "a frame writes, reads and takes edges by one system call each, without heap" \
  "$("$rig" calls "$label" "$lines/sim_gpio3/pull" 100)" "ioctl 200 read 100 others 0 heap 0 error 0 edges yes"

# The chip goes away under way. The kernel complains of it, and keeps its number as long as it is held.
(sleep 1 && echo 0 > "$sim/live") &
"$rig" edges servo clock.yaml 6 > edges.log
wait
is "an unplugged clock line is gone" "$(tail -n 1 edges.log)" "gone count 0 overflowed 0 error 19 *"
chip
(sleep 1 && echo 0 > "$sim/live") &
"$rig" in servo in.yaml 40 > in.log
is "unplugged inputs fail the job" "$? $(tail -n 1 in.log)" "5 aborted: cannot read the lines of GPIO chip $label: No such device"
wait
chip
(sleep 1 && echo 0 > "$sim/live") &
"$rig" out servo out.yaml > out.log
is "unplugged outputs fail the job" "$? $(tail -n 1 out.log)" "5 aborted: cannot write the lines of GPIO chip $label: No such device"
wait
is "and their guardian ends" "$(wait_for nobody nobody && echo yes)" yes
is "no chip" "$("$rig" in servo in.yaml 1)" "device: there is no GPIO chip '$label'; this machine has no GPIO chip at all*"

echo "1..$count"
exit $failed
