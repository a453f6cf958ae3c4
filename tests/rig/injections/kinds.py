# SPDX-License-Identifier: Apache-2.0
"""The kinds of causes that are injected: what is done, and what the rig is to say of it."""
import dataclasses
import re

PERIOD_US = 2000


@dataclasses.dataclass(frozen=True)
class Kind:
    """`causes`: each of these words is right. `text`: a pattern for the lines about those frames. `deed`: of the model in
    every 25th call. `way`: of the program `thief`. `during`: what is done for some seconds, in which frames late by
    `least_us` count."""
    name: str
    causes: tuple
    text: str = ""
    deed: str = "nothing"
    time_us: int = 8000
    way: str = ""
    every_us: int = 60_000
    for_us: int = 8000
    during: str = ""
    least_us: int = 1000
    work_us: int = 0  # what each call of the model computes
    sleep_us: int = 0  # how long each call of the model sleeps
    after_late_us: int = 0  # what a call computes that is late
    unseen: bool = False  # no record may show it: it may be unknown
    beside: str = ""  # a cause beside, of a frame that began late
    jobs: int = 1
    thread: str = ""  # kind of the model's thread; nothing: main
    main: str = "priority: 80"
    model: str = ""  # keys of the model
    lock: bool = False
    unified: bool = False  # by cgroup v2
    hog: bool = False  # an ordinary thread has the CPU whenever the rig leaves it
    prefix: tuple = ()  # words before the command


def by(name, policy):
    """That thread as the culprit. The kernel's record of a switch has a priority, which those two policies share."""
    shared = re.sub(r"SCHED_(FIFO|RR) ", r"SCHED_(\1|FIFO or SCHED_RR) ", policy)
    return rf"by '{name}' \(tid \d+, {shared}\)"


PREEMPTED, COMPUTED, BLOCKED, FAULTED = ("preempted",), ("computed",), ("blocked",), ("faulted",)
IN_JOB = 1200
FULL = 1800
STOP = 4000  # it may begin late: a process stops as its threads come to run
QUOTA = r"by the limit of control group /tactus-injections-\d+ \(cpu\.max: 20\.0 ms of each 100 ms\)"
WORKER = "scheduled"
MUST_FINISH = "asynchronous_must_finish, period: 8 ms"

OUTSIDE = [
    Kind("burst at wake", PREEMPTED, by("thief", "SCHED_FIFO 97"), way="fifo"),
    Kind("burst in job", PREEMPTED, by("thief", "SCHED_FIFO 97"), way="fifo", work_us=IN_JOB),
    Kind("burst in the kernel", PREEMPTED, by("thief", "SCHED_FIFO 97"), way="kernel", work_us=IN_JOB),
    Kind("burst of SCHED_RR", PREEMPTED, by("thief", "SCHED_RR 97"), way="rr"),
    Kind("burst of equal priority", PREEMPTED, by("thief", "SCHED_FIFO 80"), way="equal"),
    Kind("young thread at wake", PREEMPTED, by(r"fresh\d+", "SCHED_FIFO 97"), way="young"),
    Kind("young thread in job", PREEMPTED, by(r"fresh\d+", "SCHED_FIFO 97"), way="young", work_us=IN_JOB),
    # It is an ordinary one as it comes and as it leaves: no record tells it from a rig that could not run, or, where the
    # kernel may not interrupt system calls of ordinary threads, from one that made such a call.
    Kind("thread promoted for a while", ("unknown", "preempted"), r"'thief' \(tid \d+, SCHED_OTHER\)", way="promoted"),
    Kind("promoted thread", PREEMPTED, by("thief", "SCHED_FIFO 97"), way="promoted_last"),
    Kind("four in a row", PREEMPTED, by("relay[0-3]", "SCHED_FIFO 97"), way="relay"),
    Kind("deadline thread at wake", PREEMPTED, by("thief", "SCHED_DEADLINE"), way="deadline"),
    Kind("deadline thread in job", PREEMPTED, by("thief", "SCHED_DEADLINE"), way="deadline", work_us=IN_JOB),
    Kind("rig's priority lowered", PREEMPTED, by("thief", "SCHED_FIFO 50"), way="lowered", unseen=True),
    Kind("rig made ordinary", PREEMPTED, way="demoted", every_us=100_000, for_us=60_000, unseen=True),
    Kind("ordinary rig", PREEMPTED, way="hog", every_us=100_000, for_us=60_000, main="policy: other"),
    Kind("worker's CPU taken", ("preempted", "waited"), by("thief", "SCHED_FIFO 97"), way="fifo", thread=WORKER, work_us=IN_JOB),
    Kind("SIGSTOP between jobs", ("machine_stopped",), "signal", way="stop", least_us=STOP),
    Kind("SIGSTOP in job", ("machine_stopped",), "signal", way="stop", work_us=IN_JOB, least_us=STOP),
    Kind("debugger, all threads", ("suspended",), way="trace_all", least_us=STOP),
    Kind("debugger, in job", ("suspended",), way="trace_all", work_us=IN_JOB, least_us=STOP),
    Kind("debugger, one thread", ("suspended",), way="trace_one", work_us=IN_JOB, least_us=STOP),
    Kind("freezer between jobs", ("unknown",), way="freeze", for_us=30_000, least_us=STOP),
    Kind("short freezer between jobs", ("unknown",), way="freeze", for_us=4000, least_us=1500),
    Kind("freezer beside a hog", ("unknown",), way="freeze", for_us=30_000, hog=True, least_us=STOP),
    Kind("freezer in job beside a hog", ("unknown",), way="freeze", work_us=IN_JOB, for_us=30_000, hog=True, least_us=STOP),
    # Real-time threads have nearly all of the CPU, as before a stop by the kernel's limit for them.
    Kind("freezer in a full CPU", ("unknown",), way="freeze", work_us=FULL, for_us=30_000, hog=True, least_us=STOP),
    Kind("long freezer in a full CPU", ("unknown",), way="freeze", work_us=FULL, for_us=48_000, hog=True, least_us=STOP),
    Kind("debugger beside a hog", ("suspended",), way="trace_all", work_us=IN_JOB, hog=True, least_us=STOP),
    Kind("SIGSTOP beside a hog", ("machine_stopped",), "signal", way="stop", work_us=IN_JOB, hog=True, least_us=STOP),
    Kind("burst beside a hog", PREEMPTED, by("thief", "SCHED_FIFO 97"), way="fifo", work_us=IN_JOB, hog=True),
    Kind("freezer in job", ("unknown",), way="freeze", work_us=IN_JOB, for_us=30_000, least_us=STOP),
    Kind("freezer over a sleeping job", ("unknown",), way="freeze", sleep_us=IN_JOB, for_us=30_000, least_us=STOP),
    Kind("short freezer over a sleeping job", ("unknown",), way="freeze", sleep_us=IN_JOB, for_us=4000, least_us=2000),
    # Main is not in that freezer: it may wait for the worker, and say so.
    Kind("freezer over a sleeping worker", ("unknown", "waited"), "unknown: .*freezer", way="freeze", sleep_us=IN_JOB,
         for_us=30_000, least_us=STOP, thread=WORKER),
    Kind("freezer of v2 between jobs", ("unknown",), way="freeze", unified=True, for_us=30_000, least_us=STOP),
    Kind("freezer of v2 in job", ("unknown",), way="freeze", unified=True, work_us=IN_JOB, for_us=30_000, least_us=STOP),
    Kind("freezer of v2 over a sleeping job", ("unknown",), way="freeze", unified=True, sleep_us=IN_JOB, for_us=30_000, least_us=STOP),
    Kind("freezer of v2 over a sleeping worker", ("unknown",), way="freeze", unified=True, sleep_us=IN_JOB, for_us=30_000,
         least_us=STOP, thread=WORKER),
    Kind("debugger over a sleeping job", ("suspended",), way="trace_all", sleep_us=IN_JOB, least_us=STOP),
    Kind("SIGSTOP over a sleeping job", ("machine_stopped",), "signal", way="stop", sleep_us=IN_JOB, least_us=STOP),
    Kind("job that sleeps in a freezer", BLOCKED, deed="sleep", during="freezer"),
    Kind("burst, then work", PREEMPTED, by("thief", "SCHED_FIFO 97"), way="fifo", for_us=14_000, after_late_us=2000,
         beside="computed"),
    Kind("limit of a group, real-time", ("throttled",), during="rt_group", work_us=IN_JOB, least_us=8000,
         unseen=True),
    Kind("limit of a group", ("throttled",), QUOTA, during="quota", work_us=IN_JOB, least_us=5000, main="policy: other"),
    Kind("limit of a group beside a hog", ("throttled",), QUOTA, during="quota", work_us=IN_JOB, least_us=5000, hog=True,
         main="policy: other"),
    Kind("strace", ("suspended", "unknown"), during="strace", least_us=300),
]

IN_A_JOB = [
    Kind("computes", COMPUTED, deed="compute"),
    Kind("computes in the kernel", COMPUTED, "in getrandom", deed="kernel"),
    Kind("reads zeros", COMPUTED, deed="zeros"),
    Kind("40 jobs share it", COMPUTED, "jobs together took", deed="compute", time_us=200, jobs=40),
    Kind("sleeps", BLOCKED, "slept", deed="sleep"),
    Kind("waits for a condition", BLOCKED, deed="condition"),
    Kind("selects", BLOCKED, deed="select"),
    Kind("reads a pipe", BLOCKED, deed="pipe"),
    Kind("locks a file", BLOCKED, deed="lock_file"),
    Kind("runs a program", BLOCKED, deed="spawn"),
    Kind("uses the heap", ("heap",), deed="heap"),
]
for lock in (False, True):
    for deed in ("memory", "protect", "grow", "segment", "populate", "remap", "discard"):
        IN_A_JOB.append(Kind(f"{deed}{', locked' if lock else ''}", FAULTED, deed=deed, lock=lock))
# The next thread's stack waits until the last one's is given back.
IN_A_JOB.append(Kind("stack of a thread, locked", ("faulted", "blocked"), deed="stack", lock=True))
for deed, causes in (("compute", COMPUTED), ("sleep", BLOCKED), ("memory", FAULTED), ("protect", FAULTED)):
    IN_A_JOB.append(Kind(f"worker: {deed}", causes, deed=deed, thread=WORKER, lock=True))
    IN_A_JOB.append(Kind(f"own period: {deed}", ("waited",), f"there {causes[0]}", deed=deed, time_us=24_000, thread=MUST_FINISH,
                         least_us=8000, lock=True))
    IN_A_JOB.append(Kind(f"isolated: {deed}", ("waited",), f"there {causes[0]}", deed=deed, model=", isolated: yes", lock=True))
for deed, causes in (("compute", COMPUTED), ("sleep", BLOCKED)):
    IN_A_JOB.append(Kind(f"time namespace: {deed}", causes, deed=deed, prefix=("unshare", "-T", "--monotonic", "1000")))

ALL = OUTSIDE + IN_A_JOB
