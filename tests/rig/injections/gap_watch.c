/* SPDX-License-Identifier: Apache-2.0 */
/* A second judge of a CPU: a real-time thread above a rig's, which wakes often, and says when it could not.
 *
 *     gap_watch CPU EVERY_US SECONDS
 *
 * One line on stdout for each wake that came too late by more than a quarter of EVERY_US: CLOCK_MONOTONIC in nanoseconds of the time when it
 * was due, and of the time when it came. No thread of the rig, and no ordinary one, keeps it from its CPU: then the machine
 * stood still, or the kernel was in an interrupt, or in a thread above all. The first and the last line have its beginning
 * and its end, twice each.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

typedef long long ns_t;

static ns_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 4 || atoi(argv[2]) < 100 || atoi(argv[3]) < 1) {
    fprintf(stderr, "gap_watch: CPU EVERY_US (at least 100) SECONDS\n");
    return 2;
  }
  const ns_t every = atoll(argv[2]) * 1000;
  const ns_t end = now_ns() + atoll(argv[3]) * 1000000000;
  alarm((unsigned)atoi(argv[3]) + 30);
  const struct rlimit half = {500000, 500000};
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET((size_t)atoi(argv[1]), &one);
  const struct sched_param param = {.sched_priority = 97};
  if (setrlimit(RLIMIT_RTTIME, &half) != 0 || mlockall(MCL_CURRENT | MCL_FUTURE) != 0 ||
      sched_setaffinity(0, sizeof one, &one) != 0 || sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
    perror("gap_watch");
    return 1;
  }
  printf("%lld %lld\n", now_ns(), now_ns());
  for (ns_t due = now_ns() + every; due < end;) {
    const struct timespec at = {due / 1000000000LL, due % 1000000000LL};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) != 0) {
    }
    const ns_t now = now_ns();
    if (now - due > every / 4) {
      printf("%lld %lld\n", due, now);
      fflush(stdout);
    }
    due = now - due > every ? now + every : due + every;
  }
  printf("%lld %lld\n", now_ns(), now_ns());
  return 0;
}
