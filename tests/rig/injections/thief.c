/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the thread of a rig late from outside, again and again, and says when.
 *
 *     thief WAY CPU EVERY_US FOR_US TIMES [PID TID [FREEZER]]
 *
 * Every EVERY_US to twice that it does for FOR_US what WAY says, on that CPU. One line on stdout for each time:
 * CLOCK_MONOTONIC in nanoseconds before and after, and the longest time between two of its own looks at the clock, by which
 * one sees that the machine took part of it; 0 for what does not compute. A time that it spent elsewhere has no line.
 *
 * It ends by itself: an alarm, and the kernel's limit for real-time threads that do not sleep, see to that.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef long long ns_t;

struct burst {
  ns_t begin, end, gap;
  int elsewhere;
};

/* What the command line says; and one burst, in memory that children share. */
static int cpu;
static ns_t length;
static pid_t pid, tid;
static const char* freezer;
static struct burst* now_done;

static ns_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleep_until(ns_t ns) {
  const struct timespec at = {ns / 1000000000LL, ns % 1000000000LL};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) {
  }
}

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static void stay_on(int one) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET((size_t)one, &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) fail("thief: affinity");
}

static void become(pid_t thread, int policy, int priority) {
  const struct sched_param param = {.sched_priority = priority};
  if (sched_setscheduler(thread, policy, &param) != 0) fail("thief: policy");
}

/* Computes until then, in the kernel if wanted. */
static void compute_until(ns_t end, int in_kernel) {
  static char bytes[16384];
  ns_t looked = now_ns();
  now_done->begin = looked;
  now_done->gap = 0;
  now_done->elsewhere = sched_getcpu() != cpu;
  while (looked < end) {
    if (in_kernel && getrandom(bytes, sizeof bytes, 0) < 0) fail("thief: getrandom");
    const ns_t now = now_ns();
    if (now - looked > now_done->gap) now_done->gap = now - looked;
    looked = now;
  }
  now_done->end = looked;
  now_done->elsewhere |= sched_getcpu() != cpu;
}
static void compute(void) { compute_until(now_ns() + length, 0); }

static void in_kernel(void) { compute_until(now_ns() + length, 1); }

/* A thread that is made for one burst, and ends with it. */
static void young(void) {
  static int made;
  const pid_t child = fork();
  if (child == 0) {
    char name[16];
    snprintf(name, sizeof name, "fresh%d", made);
    prctl(PR_SET_NAME, name);
    stay_on(cpu);
    become(0, SCHED_FIFO, 97);
    compute();
    _exit(0);
  }
  ++made;
  if (child < 0 || waitpid(child, NULL, 0) != child) fail("thief: fork");
}

/* An ordinary thread that is real-time for one burst. */
static void promoted(void) {
  become(0, SCHED_FIFO, 97);
  compute();
  become(0, SCHED_OTHER, 0);
}

/* The same, but it is one until it sleeps. */
static void promoted_last(void) {
  become(0, SCHED_FIFO, 97);
  compute();
  sleep_until(now_ns() + 1000000);
  become(0, SCHED_OTHER, 0);
}

/* Four of them, one after the other without a gap. */
static void relay(void) {
  enum { RUNNERS = 4 };
  const ns_t begin = now_ns() + 1000000;
  pid_t runners[RUNNERS];
  for (int i = 0; i < RUNNERS; ++i) {
    runners[i] = fork();
    if (runners[i] < 0) fail("thief: fork");
    if (runners[i] > 0) continue;
    char name[16];
    snprintf(name, sizeof name, "relay%d", i);
    prctl(PR_SET_NAME, name);
    become(0, SCHED_FIFO, 97);
    sleep_until(begin + i * length / RUNNERS);
    compute_until(begin + (i + 1) * length / RUNNERS, 0);
    if (i == 0) now_done->begin = begin; /* the others overwrite it */
    _exit(0);
  }
  for (int i = 0; i < RUNNERS; ++i) (void)waitpid(runners[i], NULL, 0);
  now_done->begin = begin;
}

/* The kernel does not let such a thread be bound to a CPU: it stays where it was bound before. */
static void become_deadline(void) {
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } of = {.size = 48, .policy = SCHED_DEADLINE};
  of.runtime = (uint64_t)length + 2000000;
  of.deadline = of.period = of.runtime * 4;
  cpu_set_t all;
  memset(&all, 0xff, sizeof all);
  if (sched_setaffinity(0, sizeof all, &all) != 0) fail("thief: affinity");
  if (syscall(SYS_sched_setattr, 0, &of, 0) != 0) fail("thief: SCHED_DEADLINE");
}

/* Takes the rig's thread's priority away, for the burst of another that is between and a while longer. */
static void lowered(void) {
  become(tid, SCHED_FIFO, 5);
  compute();
  sleep_until(now_ns() + 20000000);
  become(tid, SCHED_FIFO, 80);
}
static void demoted(void) {
  become(tid, SCHED_OTHER, 0);
  compute();
  sleep_until(now_ns() + 20000000);
  become(tid, SCHED_FIFO, 80);
}

static void hold(void) {
  now_done->begin = now_ns();
  now_done->gap = now_done->elsewhere = 0;
  sleep_until(now_done->begin + length);
  now_done->end = now_ns();
}

static void stop(void) {
  if (kill(pid, SIGSTOP) != 0) fail("thief: SIGSTOP");
  hold();
  (void)kill(pid, SIGCONT);
}

static void set_freezer(const char* state) {
  const int file = open(freezer, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, state, strlen(state)) < 0) fail(freezer);
  close(file);
}
static void freeze(void) {
  const int is_unified = strstr(freezer, "cgroup.freeze") != NULL;
  set_freezer(is_unified ? "1" : "FROZEN");
  hold();
  set_freezer(is_unified ? "0" : "THAWED");
}

static void trace(pid_t thread) {
  if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0 || ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) != 0)
    fail("thief: ptrace");
}
/* Threads stop one after the other, as they come to run. */
static void trace_one(void) {
  const ns_t begin = now_ns();
  trace(tid);
  (void)waitpid(tid, NULL, __WALL);
  hold();
  now_done->begin = begin;
  (void)ptrace(PTRACE_DETACH, tid, NULL, NULL);
}
static void trace_all(void) {
  pid_t threads[256];
  int count = 0;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR* const folder = opendir(path);
  if (folder == NULL) fail(path);
  for (const struct dirent* entry; (entry = readdir(folder)) != NULL && count < 256;)
    if (atoi(entry->d_name) > 0) threads[count++] = atoi(entry->d_name);
  closedir(folder);
  const ns_t begin = now_ns();
  for (int i = 0; i < count; ++i) trace(threads[i]);
  for (int i = 0; i < count; ++i) (void)waitpid(threads[i], NULL, __WALL);
  hold();
  now_done->begin = begin;
  for (int i = 0; i < count; ++i) (void)ptrace(PTRACE_DETACH, threads[i], NULL, NULL);
}

/* Where it is bound, what it is from the start, and what it does each time. */
static const struct way {
  const char* name;
  int on_cpu, policy, priority, nice;
  void (*once)(void);
} ways[] = {
    {"fifo", 1, SCHED_FIFO, 97, 0, compute},
    {"rr", 1, SCHED_RR, 97, 0, compute},
    {"equal", 1, SCHED_FIFO, 80, 0, compute},
    {"kernel", 1, SCHED_FIFO, 97, 0, in_kernel},
    {"young", 0, SCHED_OTHER, 0, 0, young},
    {"promoted", 1, SCHED_OTHER, 0, 0, promoted},
    {"promoted_last", 1, SCHED_OTHER, 0, 0, promoted_last},
    {"relay", 1, SCHED_OTHER, 0, 0, relay},
    {"deadline", 1, SCHED_DEADLINE, 0, 0, compute},
    {"lowered", 1, SCHED_FIFO, 50, 0, lowered},
    {"demoted", 1, SCHED_OTHER, 0, -20, demoted},
    {"hog", 1, SCHED_OTHER, 0, -20, compute},
    {"stop", 0, SCHED_OTHER, 0, -20, stop},
    {"freeze", 0, SCHED_OTHER, 0, -20, freeze},
    {"trace_one", 0, SCHED_OTHER, 0, -20, trace_one},
    {"trace_all", 0, SCHED_OTHER, 0, -20, trace_all},
};

int main(int argc, char** argv) {
  if (argc != 6 && argc != 8 && argc != 9) {
    fprintf(stderr, "thief: WAY CPU EVERY_US FOR_US TIMES [PID TID [FREEZER]]\n");
    return 2;
  }
  cpu = atoi(argv[2]);
  const ns_t every = atoll(argv[3]) * 1000;
  length = atoll(argv[4]) * 1000;
  const int times = atoi(argv[5]);
  pid = argc > 7 ? atoi(argv[6]) : 0;
  tid = argc > 7 ? atoi(argv[7]) : 0;
  freezer = argc > 8 ? argv[8] : "";
  const struct way* way = NULL;
  for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i)
    if (strcmp(ways[i].name, argv[1]) == 0) way = &ways[i];
  if (way == NULL || every <= 0 || length <= 0 || length > 200000000 || times <= 0) {
    fprintf(stderr, "thief: no such way, or not at most 200 ms again and again: %s\n", argv[1]);
    return 2;
  }
  alarm((unsigned)(times * (2 * every + length) / 1000000000) + 30);
  const struct rlimit half = {500000, 500000};
  if (setrlimit(RLIMIT_RTTIME, &half) != 0) fail("thief: limit");
  now_done = mmap(NULL, sizeof *now_done, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (now_done == MAP_FAILED) fail("thief: memory");
  if (way->on_cpu) stay_on(cpu);
  if (way->nice != 0 && setpriority(PRIO_PROCESS, 0, way->nice) != 0) fail("thief: nice");
  if (way->policy == SCHED_DEADLINE)
    become_deadline();
  else
    become(0, way->policy, way->priority);
  srandom((unsigned)now_ns());
  for (int i = 0; i < times; ++i) {
    sleep_until(now_ns() + every + random() % every);
    way->once();
    if (now_done->elsewhere) continue;
    printf("%lld %lld %lld\n", now_done->begin, now_done->end, now_done->gap);
    fflush(stdout);
  }
  return 0;
}
