# SPDX-License-Identifier: Apache-2.0
"""A rig on an isolated CPU of a PREEMPT_RT kernel: what tactus says of its threads, memory and machine against what
/proc says while it runs. Nothing here depends on being punctual: the guest's processors are emulated."""
import json
import re

from guest import RIG_OF, Checks, Guest

ISOLATED = "isolcpus=1 nohz_full=1 rcu_nocbs=1"
SCHED_OTHER, SCHED_FIFO = 0, 1

# Runs rigs that would run for hours, looks at them from outside once frames run, and stops them: on a loaded machine
# minutes pass before the guest's shell gets to look.
SCRIPT = RIG_OF + """
MOST=1500  # looks: more than 75 s
stuck() {  # stuck WHAT: says how it stands with the rig, and ends the guest
    echo "$name: $1"
    tail -n 20 $name/log.txt $name/frames.csv
    for task in /proc/$witness/task/* /proc/${pid:-self}/task/*; do
        cat $task/comm $task/wchan $task/stack $task/stat
        echo
    done
    cat /proc/interrupts
    exit 1
}
watch() {  # watch NAME COMMAND...: what it was like goes to seen/NAME
    name=$1
    shift
    echo "$name at $(cut -d ' ' -f 1 /proc/uptime) s"
    mkdir -p seen/$name
    "$@" >seen/$name/out 2>seen/$name/err &
    witness=$!
    pid=$(rig_of $witness)
    # A tenth of a second has been simulated, and written.
    looks=0
    until grep -q '^0\\.1' $name/frames.csv 2>/dev/null || ! alive ${pid:-ended}; do
        usleep 50000
        looks=$((looks + 1))
        if [ $looks -gt $MOST ]; then stuck "no frame at 0.1 s"; fi
    done
    cat /proc/$pid/status >seen/$name/status
    for task in /proc/$pid/task/*; do
        mkdir -p seen/$name/task/${task##*/}
        cat $task/stat >seen/$name/task/${task##*/}/stat
        cat $task/status >seen/$name/task/${task##*/}/status
    done
    ls -l /proc/$pid/fd >seen/$name/fd
    cat /proc/$witness/status >seen/$name/witness.status
    cat /proc/$witness/stat >seen/$name/witness.stat
    kill -INT $witness
    looks=0
    while alive $witness; do
        usleep 50000
        looks=$((looks + 1))
        if [ $looks -gt $MOST ]; then stuck "SIGINT does not end it"; fi
    done
    wait $witness
    echo $? >seen/$name/exit
}
mkdir seen
for file in /sys/kernel/realtime /sys/devices/system/cpu/isolated /sys/devices/system/cpu/nohz_full \\
    /proc/sys/kernel/sched_rt_runtime_us /proc/sys/kernel/sched_rt_period_us; do
    cat $file >seen/${file##*/}
done
tactus doctor --no-measure --json >seen/doctor.json 2>seen/doctor.err
echo $? >seen/doctor.status

rig="tactus run servo.yaml --until 10h --set realtime.max_overrun=60s --set threads.stuck_after=30s"
rig="$rig --set realtime.max_consecutive_overruns=1000000 --set flight_recorder.traces=0"
watch default $rig --out default --set privileges=require
# One is enough with the kernel's events, whose signs of life such a processor hardly keeps up with.
rig="$rig --set kernel_events=no"
both="/usr/bin/taskset -c 0-1 $rig"
watch both_cpus $both --out both_cpus --set privileges=require --set threads.main.priority=42 \\
    --set realtime.sleeper=nanosleep
watch unlocked $both --out unlocked --set memory.lock=no
watch ordinary $both --out ordinary --set threads.main.policy=other --set threads.main.cpus=[1]
# By its path: otherwise the shell takes its own, which knows none of these.
watch nobody /usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all \\
    $rig --out /tmp/nobody --set privileges=require
true
"""


class Seen:
    """What the guest saw of one run."""

    def __init__(self, guest, name):
        self.folder = guest.work / "seen" / name
        self.summary = {}
        summary = guest.work / name / "summary.json"
        if summary.exists():
            self.summary = json.loads(summary.read_text(encoding="utf-8"))
        self.status = int(self.text("exit") or -1)
        self.threads = [Thread(self.text(f"task/{path.name}/stat"), self.text(f"task/{path.name}/status"))
                        for path in sorted((self.folder / "task").glob("*"))]

    def text(self, name):
        path = self.folder / name
        return path.read_text(encoding="utf-8", errors="replace").strip() if path.exists() else ""

    def thread(self, name):
        found = [thread for thread in self.threads if thread.name == name]
        return found[0] if found else None

    def others(self, name):
        return [thread for thread in self.threads if thread.name != name]

    def kilobytes(self, key):
        match = re.search(rf"^{key}:\s+(\d+) kB", self.text("status"), re.M)
        return int(match[1]) if match else None

    def __str__(self):
        return "\n".join([f"status {self.status}", self.text("out"), self.text("err"), *map(str, self.threads)])


class Thread:
    def __init__(self, stat, status):
        self.name = re.search(r"\((.*)\)", stat)[1].partition("@")[0] if stat else ""
        fields = stat.rpartition(")")[2].split()
        # proc(5) counts from 1, and the first two fields are gone.
        self.priority, self.policy, self.cpu = (int(fields[n - 3]) for n in (40, 41, 39)) if fields else (None,) * 3
        match = re.search(r"^Cpus_allowed_list:\s+(\S+)", status, re.M)
        self.cpus = match[1] if match else None

    def __str__(self):
        return f"thread {self.name}: policy {self.policy}, priority {self.priority}, on CPU {self.cpu} of {self.cpus}"


def check_realtime_rig(checks, title, seen, priority):
    checks.equal(f"{title}: it ran, and ended when it was told to", seen.status, 0, seen)
    main = seen.thread("main")
    if not checks.that(f"{title}: there is a thread main", main, seen):
        return
    checks.equal(f"{title}: thread main is SCHED_FIFO {priority}", (main.policy, main.priority),
                 (SCHED_FIFO, priority), main)
    checks.equal(f"{title}: thread main may run on CPU 1 only", main.cpus, "1", main)
    checks.equal(f"{title}: thread main last ran on CPU 1", main.cpu, 1, main)
    others = seen.others("main")
    checks.that(f"{title}: there are threads beside it", others, seen)
    guard = seen.thread("watchdog")
    checks.equal(f"{title}: the guard is one above it", guard and (guard.policy, guard.priority),
                 (SCHED_FIFO, priority + 1), guard)
    checks.that(f"{title}: all other threads are SCHED_OTHER",
                all(each.policy == SCHED_OTHER for each in others if each.name != "watchdog"), *others)
    checks.that(f"{title}: no other thread may run on CPU 1", all(each.cpus == "0" for each in others), *others)
    rt = seen.summary.get("rt", {})
    checks.equal(f"{title}: summary.json says what /proc says of thread main",
                 (rt.get("realtime"), rt.get("policy"), rt.get("priority"), rt.get("cpus")),
                 (True, "SCHED_FIFO", priority, "1"), rt)
    checks.equal(f"{title}: summary.json says what /proc says of memory", rt.get("memory_locked"),
                 seen.kilobytes("VmLck") > 0, rt)
    checks.equal(f"{title}: nothing was refused", rt.get("refused"), [])
    witness = Thread(seen.text("witness.stat"), seen.text("witness.status"))
    checks.equal(f"{title}: its witness is SCHED_OTHER, on CPU 0 only", (witness.policy, witness.cpus),
                 (SCHED_OTHER, "0"), witness)
    checks.that(f"{title}: and locks no memory", re.search(r"^VmLck:\s+0 kB", seen.text("witness.status"), re.M),
                seen.text("witness.status"))


def check_machine(checks, guest):
    def said(name):
        return (guest.work / "seen" / name).read_text(encoding="utf-8").strip()

    checks.equal("the kernel is PREEMPT_RT", said("realtime"), "1")
    checks.equal("CPU 1 is isolated", said("isolated"), "1")
    checks.equal("CPU 1 is tickless", said("nohz_full"), "1")
    checks.equal("doctor ends with 0", said("doctor.status"), "0", said("doctor.err"))
    facts = {fact["name"]: fact for fact in json.loads(said("doctor.json"))["facts"]}
    for name in ("kernel preemption", "real-time scheduling", "memory lock"):
        checks.equal(f"doctor finds {name} good", facts[name]["grade"], "ok", facts[name])
    checks.that("doctor says PREEMPT_RT", "PREEMPT_RT" in facts["kernel preemption"]["found"], facts["kernel preemption"])
    for name in ("isolated CPUs", "tickless CPUs", "RCU callbacks"):
        checks.equal(f"doctor finds {name} good: it looks at the isolated CPU", facts[name]["grade"], "ok", facts[name])
    runtime, period = int(said("sched_rt_runtime_us")), int(said("sched_rt_period_us"))
    throttle = facts["real-time throttle"]["found"]
    checks.that("doctor knows the kernel's real-time throttle",
                str(runtime) in throttle and str(period) in throttle, throttle)


def main():
    guest = Guest.from_arguments(__doc__, needs="kernel")
    script = guest.write("realtime.sh", SCRIPT)
    done = guest.run("sh", "realtime.sh", tactus=True, files=[script, guest.source / "config" / "rigs" / "servo.yaml"],
                     copy=["/usr/bin/setpriv", "/usr/bin/taskset"],
                     fetch=["seen", "default", "both_cpus", "unlocked", "ordinary"],
                     options=["--append", ISOLATED], timeout=560)
    print(f"guest: status {done.status}, {done.took:.1f} s")
    checks = Checks()
    if not checks.equal("the guest ran to its end", done.status, 0, done):
        checks.finish()
    check_machine(checks, guest)
    check_realtime_rig(checks, "a rig that names no CPU", Seen(guest, "default"), 80)
    both = Seen(guest, "both_cpus")
    check_realtime_rig(checks, "a rig started on both CPUs", both, 42)
    checks.that("a rig started on both CPUs: /dev/cpu_dma_latency is held", "cpu_dma_latency" in both.text("fd"),
                both.text("fd"))

    unlocked = Seen(guest, "unlocked")
    checks.equal("a rig with memory.lock: no locks none", unlocked.kilobytes("VmLck"), 0, unlocked)
    checks.equal("and its summary says so", unlocked.summary.get("rt", {}).get("memory_locked"), False)
    ordinary = Seen(guest, "ordinary")
    main_thread = ordinary.thread("main")
    checks.that("a rig with policy: other is SCHED_OTHER on its CPU",
                main_thread and (main_thread.policy, main_thread.cpus) == (SCHED_OTHER, "1"), ordinary)
    nobody = Seen(guest, "nobody")
    checks.equal("a user without privileges is refused what the rig requires", nobody.status, 3, nobody)
    checks.that("and told what is missing", "SCHED_FIFO" in nobody.text("err"), nobody)
    checks.finish()


main()
