/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of FMI 3.0 for scheduled execution whose partitions notice whether and where they preempt each other. */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#include "unit3.h"

enum { FAST = 1001, SLOW, TRIG, ONCE };
enum { MODE = 2, N_FAST = 10, BROKEN, N_SLOW, PREEMPTED, INSIDE, N_TRIG, T_ONCE, U_SLOW, Y_SLOW, W, BEGUN };
/* Of the slow partition: waits for the third fast one of its ten, locks sections, forgets to unlock, fails after a
 * lock. HOLDS_FRAMES, of another instance: its fast partition waits until the slow one of the former has begun. */
enum { WAITS = 1, LOCKS, FORGETS, FAILS, HOLDS_FRAMES };

typedef struct {
  int64_t whole[32];
  double real[32], interval;
  int qualifier, in_section, fast_is_active, mode, phase;
} Data;
#define UNIT_SCHEDULED
#define UNIT_TOKEN "{preempt}"
#include "unit3_common.h"

static void set_defaults(Unit* u) {
  const int mode = u->d.mode; /* stays after a reset */
  memset(&u->d, 0, sizeof u->d);
  u->d.mode = mode;
}

static int64_t read_of(int64_t* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
static int flag(int* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
static void put(int* at, int value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }

EXPORT int fmi3EnterInitializationMode(void* c, bool has_tolerance, double tolerance, double start,
                                       bool has_stop, double stop) {
  Unit* u = c;
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop, (void)start;
  u->lock(); /* outside of an activation: nothing is there to lock out */
  u->unlock();
  return OK;
}
EXPORT int fmi3ExitInitializationMode(void* c) {
  Unit* u = c;
  char text[40];
  const char* other;
  if (u->d.mode == WAITS) {
    (void)snprintf(text, sizeof text, "%p", (void*)&u->d.whole[BEGUN]);
    (void)setenv("PREEMPT_BEGUN", text, 1);
  }
  if (u->d.mode == HOLDS_FRAMES && (other = getenv("PREEMPT_BEGUN")) != NULL) {
    void* at = NULL;
    if (sscanf(other, "%p", &at) == 1) u->begun = at;
  }
  return OK;
}
EXPORT int fmi3Terminate(void* c) { return c == NULL ? ERROR : OK; }
EXPORT int fmi3Reset(void* c) {
  set_defaults(c);
  return OK;
}
EXPORT int fmi3SetInt32(void* c, const uint32_t* vr, size_t n, const int32_t* v, size_t m) {
  if (n != 1 || m != 1 || vr[0] != MODE) return ERROR;
  ((Unit*)c)->d.mode = v[0];
  return OK;
}
EXPORT int fmi3GetInt64(void* c, const uint32_t* vr, size_t n, int64_t* v, size_t m) {
  size_t i;
  for (i = 0; i < n && i < m; ++i) v[i] = read_of(&((Unit*)c)->d.whole[vr[i]]);
  return OK;
}
EXPORT int fmi3SetFloat64(void* c, const uint32_t* vr, size_t n, const double* v, size_t m) {
  size_t i;
  for (i = 0; i < n && i < m; ++i) ((Unit*)c)->d.real[vr[i]] = v[i];
  return OK;
}
EXPORT int fmi3GetFloat64(void* c, const uint32_t* vr, size_t n, double* v, size_t m) {
  size_t i;
  for (i = 0; i < n && i < m; ++i) v[i] = ((Unit*)c)->d.real[vr[i]];
  return OK;
}
EXPORT int fmi3GetIntervalDecimal(void* c, const uint32_t* vr, size_t n, double* v, int* qualifiers) {
  Unit* u = c;
  size_t i;
  if (vr[0] != ONCE)
    return refuse(u, "it knows no interval of another clock"); /* of the unit with two of them */
  for (i = 0; i < n; ++i) {
    qualifiers[i] = vr[i] == ONCE ? u->d.qualifier : 0;
    v[i] = u->d.interval;
  }
  if (u->d.qualifier == 2) u->d.qualifier = 1;
  return OK;
}

static void count(int64_t* at) { (void)__atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST); }

static int slow(Unit* u, double t) {
  const int64_t number = read_of(&u->d.whole[BEGUN]);
  int i;
  count(&u->d.whole[BEGUN]);
  u->d.real[Y_SLOW] = 2 * u->d.real[U_SLOW];
  switch (u->d.mode) {
    case WAITS: /* for ever, if it is not preempted */
      while (read_of(&u->d.whole[N_FAST]) < 10 * number + 3) (void)usleep(100);
      count(&u->d.whole[PREEMPTED]);
      break;
    case LOCKS:
      for (i = 0; i < 3; ++i) {
        u->lock();
        u->lock(); /* sections may be in each other */
        put(&u->d.in_section, 1);
        if (flag(&u->d.fast_is_active)) count(&u->d.whole[INSIDE]);
        (void)usleep(3000);
        if (read_of(&u->d.whole[N_FAST]) < 0) count(&u->d.whole[INSIDE]);
        put(&u->d.in_section, 0);
        u->unlock();
        u->unlock();
        (void)usleep(300);
      }
      break;
    case FORGETS:
      u->lock();
      break;
    case FAILS:
      u->lock();
      u->log(u->environment, ERROR, "logStatusError", "the slow partition gave up");
      return ERROR;
    default:
      break;
  }
  u->d.interval = 0.0125 + 0 * t;
  u->d.qualifier = 2;
  u->update(u->environment);
  count(&u->d.whole[N_SLOW]);
  return OK;
}
EXPORT int fmi3ActivateModelPartition(void* c, uint32_t clock, double t) {
  Unit* u = c;
  switch (clock) {
    case FAST:
      while (u->begun != NULL && read_of(u->begun) <= read_of(&u->d.whole[N_FAST]) / 10) (void)usleep(100);
      put(&u->d.fast_is_active, 1);
      if (flag(&u->d.in_section)) count(&u->d.whole[BROKEN]);
      if (u->d.mode == LOCKS) (void)usleep(100);
      if (flag(&u->d.in_section)) count(&u->d.whole[BROKEN]);
      count(&u->d.whole[N_FAST]);
      put(&u->d.fast_is_active, 0);
      return OK;
    case SLOW:
      return slow(u, t);
    case TRIG:
      count(&u->d.whole[N_TRIG]);
      return OK;
    case ONCE:
      u->d.real[T_ONCE] = t;
      return OK;
    default:
      return ERROR;
  }
}
