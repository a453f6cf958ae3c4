#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command as root in the system of a folder: scripts/lib/in_chroot.sh FOLDER COMMAND...
#
# To be started in mount and process namespaces of its own (unshare --mount --pid --fork --kill-child): what it mounts
# and what it starts is gone with it, however it ends. It stays beside the command and reaps what that leaves behind.
set -euo pipefail

folder=$1
shift
mount --make-rprivate /
mount -t proc proc "$folder/proc"
mount --rbind /sys "$folder/sys"
mount --make-rslave "$folder/sys"
mount -t tmpfs -o mode=755,size=1m dev "$folder/dev"
for device in null zero full random urandom tty kvm cpu_dma_latency; do
  if [[ -e /dev/$device ]]; then
    touch "$folder/dev/$device"
    mount --bind "/dev/$device" "$folder/dev/$device"
  fi
done
mkdir "$folder/dev/pts" "$folder/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts "$folder/dev/pts"
mount -t tmpfs -o mode=1777 shm "$folder/dev/shm"
ln -s pts/ptmx "$folder/dev/ptmx"
ln -s /proc/self/fd "$folder/dev/fd"
for stream in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${stream%:*}" "$folder/dev/${stream#*:}"; done

# Whoever started this in the background had it ignore SIGINT and SIGQUIT; tests send those.
status=0
env --default-signal=INT,QUIT chroot "$folder" "$@" || status=$?
exit "$status"
