/* SPDX-License-Identifier: Apache-2.0 */
/* Writes down when a file's first character changes: the level of a line of the simulated chip, seen from outside.
 *
 *     line_log VALUE_FILE MILLISECONDS
 *     line_log --kill PID...             sends SIGKILL to each; on stdout when, by CLOCK_MONOTONIC in nanoseconds
 *
 * SCHED_FIFO before the rig: a weaker one would stand for whole frames in the middle of its kill(), or see the line
 * only when the kernel has taken the dead rig apart. Looks every 500 us for so long (each look costs an emulated machine
 * more than the rig's frame); one line per change on stdout: CLOCK_MONOTONIC in nanoseconds, and the character. The first
 * line is what stood there at the beginning.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char** argv) {
  const struct sched_param before_the_rig = {.sched_priority = 89};
  if (sched_setscheduler(0, SCHED_FIFO, &before_the_rig) != 0) perror("sched_setscheduler");
  if (argc > 2 && strcmp(argv[1], "--kill") == 0) {
    const long long now = now_ns();
    for (int i = 2; i < argc; ++i)
      if (kill(atoi(argv[i]), SIGKILL) != 0) perror(argv[i]);
    printf("%lld\n", now);
    return 0;
  }
  if (argc != 3) {
    fprintf(stderr, "line_log: VALUE_FILE MILLISECONDS\n");
    return 2;
  }
  const int file = open(argv[1], O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    perror(argv[1]);
    return 1;
  }
  const long long end = now_ns() + atoll(argv[2]) * 1000000LL;
  char before = 0;
  for (long long now = now_ns(); now < end; now = now_ns()) {
    char level = 0;
    if (pread(file, &level, 1, 0) == 1 && level != before) {
      printf("%lld %c\n", now, level);
      fflush(stdout);
      before = level;
    }
    const struct timespec pause = {0, 500000};
    nanosleep(&pause, NULL);
  }
  return 0;
}
