/* SPDX-License-Identifier: Apache-2.0 */
/* The signal source of the GPIO tests: drives a line of a simulated chip (gpio-sim) as a square wave, by
 * writing pull-up and pull-down to the line's "pull" attribute at absolute times. Pulse k begins at start + k
 * * period, multiplied, never summed; faults are put in on purpose and never move the grid, but for `phase`.
 *
 *     gpio_pulse PULL_FILE FREQUENCY_HZ PULSES [OPTION=VALUE ...]
 *
 *     duty=0.5          share of the period that the line is high
 *     delay=0.1         seconds before the first pulse
 *     drift=0           parts per million by which the period is longer
 *     jitter=0          each pulse begins late by a random 0 .. jitter seconds
 *     seed=1            of these random numbers
 *     drop=N            every Nth pulse is left out
 *     double=N          every Nth pulse is followed at once by a second one
 *     glitch=N          in every Nth period there is a rising edge more, of a short pulse behind the proper
 * one, or of glitch_at=0.3     a short dip in it: at this share of the period gap=START:COUNT   COUNT pulses
 * from pulse START on are left out (pulses count from 0) phase=0           all pulses after the gap come so
 * many seconds later stop_after=N      no pulse after the Nth; the program ends, the line stays low (0: all
 * PULSES) prio=0            SCHED_FIFO priority; 0 leaves the scheduling alone cpu=-1            the
 * processor to run on; -1: any
 *
 * At its end one line on stdout says what was sent and how late the writes were:
 *
 *     gpio_pulse: 995 pulses, 10 doubles, 0 glitches, 5 left out in 1.000123 s; late by 3.1 us on
 * average, 5.4 us at most
 *
 * Exit status 0; 1 when the machine refuses something; 2 for wrong arguments.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef long long ns;

struct options {
  double duty, delay, drift, jitter, seed, drop, twice, glitch, glitch_at, phase, stop_after, prio, cpu;
  long gap_start, gap_count;
};

struct tally {
  long pulses, doubles, glitches, left_out;
  ns late_sum, late_max;
};

static const double kShort = 0.02; /* of the period: how long second pulses, glitches and dips are */

static bool read_number(const char* text, double* number) {
  char* end = NULL;
  *number = strtod(text, &end);
  return end != text && *end == '\0' && isfinite(*number);
}

static bool read_gap(const char* text, struct options* into) {
  char* end = NULL;
  into->gap_start = strtol(text, &end, 10);
  if (end == text || *end != ':') return false;
  const char* count = end + 1;
  into->gap_count = strtol(count, &end, 10);
  return end != count && *end == '\0' && into->gap_start >= 0 && into->gap_count >= 0;
}

static bool read_option(const char* word, struct options* into) {
  const struct {
    const char* name;
    double* value;
  } numbers[] = {
      {"duty", &into->duty},
      {"delay", &into->delay},
      {"drift", &into->drift},
      {"jitter", &into->jitter},
      {"seed", &into->seed},
      {"drop", &into->drop},
      {"double", &into->twice},
      {"glitch", &into->glitch},
      {"glitch_at", &into->glitch_at},
      {"phase", &into->phase},
      {"stop_after", &into->stop_after},
      {"prio", &into->prio},
      {"cpu", &into->cpu},
  };
  const char* const equals = strchr(word, '=');
  if (equals == NULL) return false;
  const size_t length = (size_t)(equals - word);
  if (length == 3 && strncmp(word, "gap", length) == 0) return read_gap(equals + 1, into);
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i)
    if (strlen(numbers[i].name) == length && strncmp(word, numbers[i].name, length) == 0)
      return read_number(equals + 1, numbers[i].value);
  return false;
}

static ns now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void sleep_until(ns at) {
  const struct timespec until = {.tv_sec = at / 1000000000LL, .tv_nsec = at % 1000000000LL};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
  }
}

/* Sets the line at a time, and notes how late that was. */
static void set_at(ns at, int line, const char* pull, struct tally* tally) {
  sleep_until(at);
  const ns late = now() - at;
  if (pwrite(line, pull, strlen(pull), 0) < 0) {
    perror("gpio_pulse: writing the line");
    exit(1);
  }
  tally->late_sum += late;
  if (late > tally->late_max) tally->late_max = late;
}

static void pulse(ns from, ns to, int line, struct tally* tally) {
  set_at(from, line, "pull-up", tally);
  set_at(to, line, "pull-down", tally);
}

static bool every(double n, long k) { return n >= 1 && (k + 1) % (long)n == 0; }

static bool become_real_time(const struct options* options) {
  if (options->cpu >= 0) {
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)options->cpu, &cpus);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) return false;
  }
  if (options->prio < 1) return true;
  const struct sched_param priority = {.sched_priority = (int)options->prio};
  return mlockall(MCL_CURRENT | MCL_FUTURE) == 0 && sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
}

static struct tally send(int line, double period, long pulses, const struct options* options) {
  struct tally tally = {0};
  const long gap_end = options->gap_start + options->gap_count;
  const ns start = now() + (ns)(1e9 * options->delay);
  for (long k = 0; k < pulses; ++k) {
    const bool behind_gap = options->gap_count > 0 && k >= gap_end;
    const bool in_gap = k >= options->gap_start && k < gap_end;
    if (in_gap || every(options->drop, k)) {
      ++tally.left_out;
      continue;
    }
    const ns slot = start + (ns)((double)k * period) + (behind_gap ? (ns)(1e9 * options->phase) : 0);
    const ns rise = slot + (ns)(1e9 * options->jitter * drand48());
    const ns fall = slot + (ns)(period * options->duty);
    const ns length = (ns)(period * kShort);
    const ns glitch = slot + (ns)(period * options->glitch_at);
    const bool glitches = every(options->glitch, k);
    const bool dips = glitches && glitch < fall;
    set_at(rise, line, "pull-up", &tally);
    if (dips) {
      set_at(glitch - length, line, "pull-down", &tally);
      set_at(glitch, line, "pull-up", &tally);
    }
    set_at(fall, line, "pull-down", &tally);
    ++tally.pulses;
    if (every(options->twice, k)) {
      pulse(fall + length, fall + 2 * length, line, &tally);
      ++tally.doubles;
    }
    if (glitches) {
      if (!dips) pulse(glitch, glitch + length, line, &tally);
      ++tally.glitches;
    }
    if (options->stop_after >= 1 && tally.pulses >= (long)options->stop_after) break;
  }
  return tally;
}

static int usage(const char* wrong) {
  fprintf(stderr, "gpio_pulse: %s\nusage: gpio_pulse PULL_FILE FREQUENCY_HZ PULSES [OPTION=VALUE ...]\n",
          wrong);
  return 2;
}

int main(int argc, char** argv) {
  struct options options = {.duty = 0.5, .delay = 0.1, .seed = 1, .glitch_at = 0.3, .cpu = -1};
  double frequency = 0;
  double pulses = 0;
  if (argc < 4 || !read_number(argv[2], &frequency) || !read_number(argv[3], &pulses) || frequency <= 0 ||
      pulses < 0)
    return usage("a file, a frequency and a number of pulses are wanted");
  for (int i = 4; i < argc; ++i)
    if (!read_option(argv[i], &options)) return usage(argv[i]);
  const int line = open(argv[1], O_WRONLY | O_CLOEXEC);
  if (line < 0) {
    perror(argv[1]);
    return 1;
  }
  if (!become_real_time(&options)) {
    perror("gpio_pulse: real-time scheduling");
    return 1;
  }
  srand48((long)options.seed);
  const ns begin = now();
  const double period = 1e9 / frequency * (1 + options.drift * 1e-6);
  const struct tally sent = send(line, period, (long)pulses, &options);
  const long writes = 2 * (sent.pulses + sent.doubles + sent.glitches);
  printf(
      "gpio_pulse: %ld pulses, %ld doubles, %ld glitches, %ld left out in %.6f s; "
      "late by %.1f us on average, %.1f us at most\n",
      sent.pulses, sent.doubles, sent.glitches, sent.left_out, (double)(now() - begin) / 1e9,
      writes > 0 ? (double)sent.late_sum / 1e3 / (double)writes : 0, (double)sent.late_max / 1e3);
  return 0;
}
