#!/bin/busybox sh
# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=dash
# The first process of the guest: makes an ordinary Linux out of the bare kernel, runs the command, says how it ended.
#
# To the outside lead four virtio-serial ports: 1 what happens (one line each), 2 stdout, 3 stderr, 4 a tar of what
# is to be fetched. All but the first end with $RTVM_END. /rtvm holds what is made for the one run: modules/list
# (module and parameters, in order; "--ports" once the ports can be there), env (shell), command (shell).
/bin/busybox mkdir -p /bin /sbin /proc /sys /dev /tmp /run /root /usr/bin /var
/bin/busybox --install -s /bin 2>/dev/null
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export HOME=/root TERM=dumb
[ -e /usr/bin/env ] || ln -s /bin/busybox /usr/bin/env
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm /var/tmp
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs run /run
mount -t debugfs debugfs /sys/kernel/debug
mount -t tracefs tracefs /sys/kernel/tracing
mount -t cgroup2 cgroup2 /sys/fs/cgroup
ln -s /proc/self/fd /dev/fd
ln -s /proc/self/fd/0 /dev/stdin
ln -s /proc/self/fd/1 /dev/stdout
ln -s /proc/self/fd/2 /dev/stderr
hostname rtvm
ip link set lo up

ctl=
warn() {
    echo "<3>rtvm: $*" >/dev/kmsg
    [ -z "$ctl" ] || echo "warn $*" >&7
}
fail() {
    warn "$*"
    if [ "$ctl" ]; then
        echo fail >&7
        sleep 10 # whoever listens ends the guest
    fi
    poweroff -f
    sleep 10
}

open_ports() {
    for n in 1 2 3 4; do
        i=0
        while [ ! -c /dev/vport0p$n ] && [ $i -lt 1000 ]; do
            usleep 5000
            i=$((i + 1))
        done
    done
    exec 7>/dev/vport0p1 8>/dev/vport0p2 9>/dev/vport0p3
    ctl=1
}
while read -r name parameters; do
    if [ "$name" = --ports ]; then
        open_ports
    else
        # shellcheck disable=SC2086 # several parameters
        insmod "/rtvm/modules/$name.ko" $parameters || fail "cannot load module $name"
    fi
done </rtvm/modules/list
[ ! -d /sys/kernel/config ] || mount -t configfs configfs /sys/kernel/config 2>/dev/null
. /rtvm/env

if [ "$RTVM_GPIO_LINES" ]; then
    chip=/sys/kernel/config/gpio-sim/rtvm
    # Writing 0 to `live` takes the chip away at once, also while somebody holds a line. For the holder, SET, GET and
    # read then fail with ENODEV and poll says POLLERR | POLLHUP; but a poll that waits already is not woken, it needs a
    # timeout. A read that waits holds up the removal itself, until it ends (Linux 6.1). A new chip has the next number.
    if ! { mkdir -p $chip/bank0 && echo "$RTVM_GPIO_LINES" >$chip/bank0/num_lines &&
        echo rtvm >$chip/bank0/label && echo 1 >$chip/live; }; then
        fail "cannot make a gpio-sim chip"
    fi
    name=$(cat $chip/bank0/chip_name)
    device=$(cat $chip/dev_name)
    export RTVM_GPIO_CHIP="/dev/$name" RTVM_GPIO_DIR="/sys/devices/platform/$device/$name" RTVM_GPIO_LIVE=$chip/live
fi

dmesg -n 5 # warnings to the console, where rtvm looks for them
echo "<3>rtvm: start" >/dev/kmsg
exec 2>/dev/null # the shell's own "Killed" and the like
mkfifo /run/o /run/e
cat /run/o >&8 7>&- 9>&- &
out=$!
cat /run/e >&9 7>&- 8>&- &
err=$!
read -r up _ </proc/uptime
echo "boot $up" >&7
setsid sh /rtvm/command </dev/null >/run/o 2>/run/e 7>&- 8>&- 9>&- &
wait $!
status=$?
i=0 # a process left behind may hold the pipes: it gets two seconds
while [ $i -lt 200 ] && { kill -0 $out || kill -0 $err; }; do
    usleep 10000
    i=$((i + 1))
done
kill -9 $out $err
wait
if type fetch >/dev/null; then
    exec 6>/dev/vport0p4
    fetch >&6 || warn "not all of --fetch is there"
    printf %s "$RTVM_END" >&6
fi
printf %s "$RTVM_END" >&8
printf %s "$RTVM_END" >&9
echo "exit $status" >&7
sleep 600 # whoever listens ends the guest; on a busy machine it may take a while to hear all
poweroff -f
