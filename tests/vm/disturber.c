/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that takes the CPU away from others again and again.
 *
 *     disturber NAME PRIORITY EVERY_MS FOR_MS TIMES
 *
 * Calls itself NAME, becomes SCHED_FIFO, and every EVERY_MS computes for FOR_MS, TIMES times. One line on stdout for
 * each: CLOCK_MONOTONIC in nanoseconds before and after.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

static long long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char** argv) {
  if (argc != 6) {
    fprintf(stderr, "disturber: NAME PRIORITY EVERY_MS FOR_MS TIMES\n");
    return 2;
  }
  const struct rlimit second = {1000000, 1000000}; /* of SCHED_FIFO without a sleep */
  const struct sched_param param = {.sched_priority = atoi(argv[2])};
  prctl(PR_SET_NAME, argv[1]);
  if (setrlimit(RLIMIT_RTTIME, &second) != 0 || sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
    perror("disturber");
    return 1;
  }
  const long long every = atoll(argv[3]) * 1000000LL, length = atoll(argv[4]) * 1000000LL;
  long long next = now_ns() + every;
  for (int times = atoi(argv[5]); times > 0; --times, next += every) {
    const struct timespec at = {next / 1000000000LL, next % 1000000000LL};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
    const long long begin = now_ns();
    while (now_ns() < begin + length) {
    }
    printf("%lld %lld\n", begin, now_ns());
  }
  return 0;
}
