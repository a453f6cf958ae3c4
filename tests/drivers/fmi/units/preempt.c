/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of FMI 3.0 for scheduled execution whose partitions notice whether and where they preempt each other. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { FAST = 1001, SLOW, TRIG, ONCE };
enum { MODE = 2, N_FAST = 10, BROKEN, N_SLOW, PREEMPTED, INSIDE, N_TRIG, T_ONCE, U_SLOW, Y_SLOW, W, BEGUN };
/* Of the slow partition: waits for the third fast one of its ten, locks sections, forgets to unlock, fails after a
 * lock. HOLDS_FRAMES, of another instance: its fast partition waits until the slow one of the former has begun. */
enum { WAITS = 1, LOCKS, FORGETS, FAILS, HOLDS_FRAMES };
typedef void Log(void*, int, const char*, const char*);
typedef void Update(void*);
typedef void Lock(void);

typedef struct {
  int64_t whole[32];
  double real[32], interval;
  int qualifier, in_section, fast_is_active, mode;
  void* environment;
  int64_t* begun; /* of another instance, in another copy of this library */
  Log* log;
  Update* update;
  Lock *lock, *unlock;
} Unit;

static int refuse(Unit* u, const char* what) {
  u->log(u->environment, ERROR, "logStatusError", what);
  return ERROR;
}
static int64_t read_of(int64_t* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
static int flag(int* at) { return __atomic_load_n(at, __ATOMIC_SEQ_CST); }
static void put(int* at, int value) { __atomic_store_n(at, value, __ATOMIC_SEQ_CST); }

EXPORT const char* fmi3GetVersion(void) { return "3.0"; }
EXPORT void* fmi3InstantiateScheduledExecution(const char* name, const char* token, const char* resources,
                                               bool visible, bool logging, void* environment, Log* log,
                                               Update* update, Lock* lock, Lock* unlock) {
  Unit* u = calloc(1, sizeof(Unit));
  (void)name, (void)token, (void)visible, (void)logging, (void)resources;
  if (u == NULL) return NULL;
  u->environment = environment;
  u->log = log;
  u->update = update;
  u->lock = lock;
  u->unlock = unlock;
  return u;
}
EXPORT void fmi3FreeInstance(void* c) { free(c); }
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
  if (u->mode == WAITS) {
    (void)snprintf(text, sizeof text, "%p", (void*)&u->whole[BEGUN]);
    (void)setenv("PREEMPT_BEGUN", text, 1);
  }
  if (u->mode == HOLDS_FRAMES && (other = getenv("PREEMPT_BEGUN")) != NULL) {
    void* at = NULL;
    if (sscanf(other, "%p", &at) == 1) u->begun = at;
  }
  return OK;
}
EXPORT int fmi3Terminate(void* c) { return c == NULL ? ERROR : OK; }
EXPORT int fmi3Reset(void* c) {
  Unit* u = c;
  memset(u->whole, 0, sizeof u->whole);
  memset(u->real, 0, sizeof u->real);
  u->qualifier = 0;
  return OK;
}
EXPORT int fmi3SetInt32(void* c, const uint32_t* vr, size_t n, const int32_t* v, size_t m) {
  if (n != 1 || m != 1 || vr[0] != MODE) return ERROR;
  ((Unit*)c)->mode = v[0];
  return OK;
}
EXPORT int fmi3GetInt64(void* c, const uint32_t* vr, size_t n, int64_t* v, size_t m) {
  size_t i;
  for (i = 0; i < n && i < m; ++i) v[i] = read_of(&((Unit*)c)->whole[vr[i]]);
  return OK;
}
EXPORT int fmi3SetFloat64(void* c, const uint32_t* vr, size_t n, const double* v, size_t m) {
  size_t i;
  for (i = 0; i < n && i < m; ++i) ((Unit*)c)->real[vr[i]] = v[i];
  return OK;
}
EXPORT int fmi3GetFloat64(void* c, const uint32_t* vr, size_t n, double* v, size_t m) {
  size_t i;
  for (i = 0; i < n && i < m; ++i) v[i] = ((Unit*)c)->real[vr[i]];
  return OK;
}
EXPORT int fmi3GetIntervalDecimal(void* c, const uint32_t* vr, size_t n, double* v, int* qualifiers) {
  Unit* u = c;
  size_t i;
  if (vr[0] != ONCE)
    return refuse(u, "it knows no interval of another clock"); /* of the unit with two of them */
  for (i = 0; i < n; ++i) {
    qualifiers[i] = vr[i] == ONCE ? u->qualifier : 0;
    v[i] = u->interval;
  }
  if (u->qualifier == 2) u->qualifier = 1;
  return OK;
}

static void count(int64_t* at) { (void)__atomic_fetch_add(at, 1, __ATOMIC_SEQ_CST); }

static int slow(Unit* u, double t) {
  const int64_t number = read_of(&u->whole[BEGUN]);
  int i;
  count(&u->whole[BEGUN]);
  u->real[Y_SLOW] = 2 * u->real[U_SLOW];
  switch (u->mode) {
    case WAITS: /* for ever, if it is not preempted */
      while (read_of(&u->whole[N_FAST]) < 10 * number + 3) (void)usleep(100);
      count(&u->whole[PREEMPTED]);
      break;
    case LOCKS:
      for (i = 0; i < 3; ++i) {
        u->lock();
        u->lock(); /* sections may be in each other */
        put(&u->in_section, 1);
        if (flag(&u->fast_is_active)) count(&u->whole[INSIDE]);
        (void)usleep(3000);
        if (read_of(&u->whole[N_FAST]) < 0) count(&u->whole[INSIDE]);
        put(&u->in_section, 0);
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
  u->interval = 0.0125 + 0 * t;
  u->qualifier = 2;
  u->update(u->environment);
  count(&u->whole[N_SLOW]);
  return OK;
}
EXPORT int fmi3ActivateModelPartition(void* c, uint32_t clock, double t) {
  Unit* u = c;
  switch (clock) {
    case FAST:
      while (u->begun != NULL && read_of(u->begun) <= read_of(&u->whole[N_FAST]) / 10) (void)usleep(100);
      put(&u->fast_is_active, 1);
      if (flag(&u->in_section)) count(&u->whole[BROKEN]);
      if (u->mode == LOCKS) (void)usleep(100);
      if (flag(&u->in_section)) count(&u->whole[BROKEN]);
      count(&u->whole[N_FAST]);
      put(&u->fast_is_active, 0);
      return OK;
    case SLOW:
      return slow(u, t);
    case TRIG:
      count(&u->whole[N_TRIG]);
      return OK;
    case ONCE:
      u->real[T_ONCE] = t;
      return OK;
    default:
      return ERROR;
  }
}

EXPORT int fmi3GetFMUState(void* c, void** s) {
  if (*s == NULL) *s = malloc(sizeof(Unit));
  memcpy(*s, c, sizeof(Unit));
  return OK;
}
EXPORT int fmi3SetFMUState(void* c, void* s) {
  memcpy(c, s, sizeof(Unit));
  return OK;
}
EXPORT int fmi3FreeFMUState(void* c, void** s) {
  (void)c;
  free(*s);
  *s = NULL;
  return OK;
}
EXPORT int fmi3SerializedFMUStateSize(void* c, void* s, size_t* n) {
  (void)c, (void)s;
  *n = offsetof(Unit, environment);
  return OK;
}
EXPORT int fmi3SerializeFMUState(void* c, void* s, uint8_t* b, size_t n) {
  (void)c;
  if (n != offsetof(Unit, environment)) return ERROR;
  memcpy(b, s, n);
  return OK;
}
EXPORT int fmi3DeserializeFMUState(void* c, const uint8_t* b, size_t n, void** s) {
  if (n != offsetof(Unit, environment)) return ERROR;
  if (*s == NULL) *s = malloc(sizeof(Unit));
  memcpy(*s, c, sizeof(Unit)); /* where its functions are does not change */
  memcpy(*s, b, n);
  return OK;
}
