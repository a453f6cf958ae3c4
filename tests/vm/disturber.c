/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that takes the CPU away from others again and again.
 *
 *     disturber NAME PRIORITY EVERY_MS FOR_MS TIMES
 *     disturber --mix EVERY_MS FOR_MS TIMES
 *
 * Calls itself NAME, becomes SCHED_FIFO, and every EVERY_MS computes for FOR_MS, TIMES times. One line on stdout for
 * each: CLOCK_MONOTONIC in nanoseconds before and after.
 *
 * --mix: does so in four ways, one after the other: SCHED_FIFO 97, SCHED_FIFO 99, SCHED_DEADLINE, each with a name of its
 * own that it has for that burst alone; and as timers of others that end all at once, which the kernel serves in softirqs
 * of its thread for timers (SCHED_FIFO 98 from then on). Each line begins with the name of the thread that has the CPU, and
 * ends with CLOCK_REALTIME before.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TIMERS = 45000 };

struct deadline { /* sched_setattr(2) */
  uint32_t size, policy;
  uint64_t flags;
  int32_t nice;
  uint32_t priority;
  uint64_t runtime, deadline, period;
};

static long long clock_ns(clockid_t clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
static long long now_ns(void) { return clock_ns(CLOCK_MONOTONIC); }

static struct timespec time_of(long long ns) {
  const struct timespec at = {ns / 1000000000LL, ns % 1000000000LL};
  return at;
}

static void sleep_until(long long ns) {
  const struct timespec at = time_of(ns);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void compute(long long length) {
  const long long begin = now_ns();
  while (now_ns() < begin + length) {
  }
}

static int policy(int which, int priority) {
  const struct sched_param param = {.sched_priority = priority};
  return sched_setscheduler(0, which, &param);
}

/* The kernel's thread that serves timers of ordinary threads, made stronger than a rig; "": there is none. */
static const char* find_timer_thread(void) {
  static char name[32];
  DIR* const folder = opendir("/proc");
  for (const struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
    char path[300];
    snprintf(path, sizeof path, "/proc/%s/comm", entry->d_name);
    FILE* const file = atoi(entry->d_name) > 0 ? fopen(path, "r") : NULL;
    if (file == NULL) continue;
    const int known = fscanf(file, "%31s", name) == 1 && strncmp(name, "ktimers/", 8) == 0;
    fclose(file);
    const struct sched_param param = {.sched_priority = 98};
    if (known && sched_setscheduler(atoi(entry->d_name), SCHED_FIFO, &param) == 0) {
      closedir(folder);
      return name;
    }
  }
  if (folder != NULL) closedir(folder);
  return "";
}

static timer_t timers[TIMERS];

static int make_timers(void) {
  const struct rlimit enough = {2 * TIMERS, 2 * TIMERS};
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  if (setrlimit(RLIMIT_SIGPENDING, &enough) != 0) return 0;
  signal(SIGUSR1, SIG_IGN);
  for (int i = 0; i < TIMERS; ++i)
    if (timer_create(CLOCK_MONOTONIC, &event, &timers[i]) != 0) return 0;
  return 1;
}

static int mix(long long every, long long length, int times) {
  static const char* const names[] = {"culprit-a", "other-thief", "deadline-thief"};
  const char* const of_timers = find_timer_thread();
  const int ways = *of_timers != '\0' && make_timers() ? 4 : 3;
  long long next = now_ns() + every;
  for (int i = 0; i < times; ++i, next += every) {
    const int way = i % ways;
    const char* name = way < 3 ? names[way] : of_timers;
    int failed = 0;
    if (way < 3) prctl(PR_SET_NAME, names[way]);
    if (way < 2) failed = policy(SCHED_FIFO, way == 0 ? 97 : 99);
    if (way == 2) {
      struct deadline attributes = {sizeof attributes, SCHED_DEADLINE, 0, 0, 0, 0, 0, 0};
      attributes.runtime = (uint64_t)length + 10000000;
      attributes.deadline = attributes.period = 2 * attributes.runtime;
      failed = (int)syscall(SYS_sched_setattr, 0, &attributes, 0);
    }
    if (failed != 0) {
      perror("disturber: policy");
      return 1;
    }
    if (way == 3) { /* it arms them as an ordinary thread, long before */
      const struct itimerspec at = {{0, 0}, time_of(next)};
      for (int k = 0; k < TIMERS; ++k) timer_settime(timers[k], TIMER_ABSTIME, &at, NULL);
    }
    sleep_until(next);
    const long long begin = way == 3 ? next : now_ns();
    const long long wall = clock_ns(CLOCK_REALTIME) - (now_ns() - begin);
    if (way < 3) compute(length);
    printf("%s %lld %lld %lld\n", name, begin, now_ns(), wall);
    fflush(stdout);
    if (policy(SCHED_OTHER, 0) != 0) return 1;
    prctl(PR_SET_NAME, "disturber");
  }
  return 0;
}

int main(int argc, char** argv) {
  const struct rlimit second = {1000000, 1000000}; /* of SCHED_FIFO without a sleep */
  if (setrlimit(RLIMIT_RTTIME, &second) != 0) {
    perror("disturber");
    return 1;
  }
  if (argc == 5 && strcmp(argv[1], "--mix") == 0)
    return mix(atoll(argv[2]) * 1000000LL, atoll(argv[3]) * 1000000LL, atoi(argv[4]));
  if (argc != 6) {
    fprintf(stderr, "disturber: NAME PRIORITY EVERY_MS FOR_MS TIMES, or --mix EVERY_MS FOR_MS TIMES\n");
    return 2;
  }
  prctl(PR_SET_NAME, argv[1]);
  if (policy(SCHED_FIFO, atoi(argv[2])) != 0) {
    perror("disturber");
    return 1;
  }
  const long long every = atoll(argv[3]) * 1000000LL, length = atoll(argv[4]) * 1000000LL;
  long long next = now_ns() + every;
  for (int times = atoi(argv[5]); times > 0; --times, next += every) {
    sleep_until(next);
    const long long begin = now_ns();
    compute(length);
    printf("%lld %lld\n", begin, now_ns());
  }
  return 0;
}
