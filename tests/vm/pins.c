/* SPDX-License-Identifier: Apache-2.0 */
/* Measures from an edge of an input line to the edge of the output line that answers it, on the simulated chip.
 *
 *     pins PULL_FILE VALUE_FILE COUNT [CLOCK_PULL_FILE]
 *
 * Waits until the rig answers, then changes the input COUNT times and watches the output without a pause; one line each on
 * stdout: nanoseconds of CLOCK_MONOTONIC, or `lost` after 20 ms. Each edge falls elsewhere in a frame of 1 ms. With
 * CLOCK_PULL_FILE an edge of that line follows each change of the input, on a grid of 1 ms, and the time is from that edge
 * on; there `lost` comes after 0.7 ms. Status 1 when there was no answer for 30 s.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000LL

static int input, output, clock_line = -1;

static long long now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000 * MS + t.tv_nsec;
}

static void sleep_until(long long ns) {
  const struct timespec at = {ns / (1000 * MS), ns % (1000 * MS)};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static int open_or_end(const char* path, int how) {
  const int file = open(path, how | O_CLOEXEC);
  if (file < 0) fail(path);
  return file;
}

static void pull(int file, int up) {
  const char* const word = up ? "pull-up" : "pull-down";
  if (pwrite(file, word, strlen(word), 0) < 0) fail("pins: a line could not be pulled");
}

static int is_answered(int up) {
  char level = 0;
  if (pread(output, &level, 1, 0) != 1) fail("pins: the output could not be read");
  return level == '0' + up;
}

/* Asks up, then down, and so on: returns when the asked edge begins. */
static long long ask(int up) {
  const long long begin = now_ns();
  pull(input, up);
  if (clock_line < 0) return begin;
  const long long edge = now_ns();
  pull(clock_line, 1);
  return edge;
}

/* Returns when the next edge is due: the grid goes on. */
static long long wait_for_the_rig(void) {
  const long long end = now_ns() + 30000 * MS;
  long long next = now_ns();
  int answers = 0;
  for (int up = 0; answers < 20 || !up; up = !up) {
    if (next > end) {
      fprintf(stderr, "pins: the rig did not answer for 30 s\n");
      exit(1);
    }
    ask(up);
    if (clock_line >= 0) {
      sleep_until(next + MS / 2);
      pull(clock_line, 0);
    }
    sleep_until(next += clock_line < 0 ? 5 * MS : MS);
    answers = is_answered(up) ? answers + 1 : 0;
  }
  return next;
}

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    fprintf(stderr, "pins: PULL_FILE VALUE_FILE COUNT [CLOCK_PULL_FILE]\n");
    return 2;
  }
  input = open_or_end(argv[1], O_WRONLY);
  output = open_or_end(argv[2], O_RDONLY);
  if (argc == 5) clock_line = open_or_end(argv[4], O_WRONLY);
  /* Above all ordinary threads, which would keep it from looking, and below the rig's. */
  const struct sched_param above = {.sched_priority = 10};
  if (sched_setscheduler(0, SCHED_FIFO, &above) != 0) fail("pins: no real-time priority");
  long long next = wait_for_the_rig();
  const long long longest = clock_line < 0 ? 20 * MS : MS * 7 / 10;
  /* The wait ended with the input down: an even number of changes. */
  for (int i = 1; i <= atoi(argv[3]); ++i) {
    const int up = i % 2;
    sleep_until(next);
    const long long begin = ask(up);
    long long now;
    int answered;
    do {
      answered = is_answered(up);
      now = now_ns();
    } while (!answered && now < begin + longest);
    if (answered)
      printf("%lld\n", now - begin);
    else
      printf("lost\n");
    if (clock_line >= 0) {
      pull(clock_line, 0);
      next += MS;
    } else {
      next = now + 2 * MS + (i * 7919LL) % 1000 * 1000;
    }
  }
  return 0;
}
