/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of FMI 3.0 for scheduled execution: six partitions, one of each kind of clock. It answers Error to what the
 * standard forbids: a clock that is activated twice for one time or goes back, a value of a wrong phase, a question about
 * clocks outside of a clock update. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { MADE, INITIALIZING, ACTIVE, TERMINATED, FAILED };
enum { NO_FAULT, DOES_DISCARD, DOES_ERROR, DOES_FATAL };
enum { FAST = 1001, SLOW = 1002, TRIG = 1003, ONCE = 1004, OUT = 1005, LATER = 1006, AGAIN = 1007 };
enum {
  MODE = 2,
  AT,
  U = 10,
  Y,
  N,
  V,
  W,
  GAIN,
  T_FAST,
  T_ONCE,
  T_AGAIN,
  TRIGS,
  DELAY,
  ORDER,
  T_SLOW,
  T_LATER
};
typedef void Log(void*, int, const char*, const char*);
typedef void Update(void*);
typedef void Lock(void);

typedef struct {
  double real[32], last[6], interval[2], slow;
  int32_t whole[32];
  int64_t order;
  int qualifier[2];
  bool out;
  int phase, updating;
} Data;
typedef struct {
  Data d;
  void* environment;
  Log* log;
  Update* update;
  Lock *lock, *unlock;
} Unit;

static int refuse(Unit* u, const char* what) {
  u->d.phase = FAILED;
  u->log(u->environment, ERROR, "logStatusError", what);
  return ERROR;
}
static void set_defaults(Unit* u) {
  int i;
  memset(&u->d, 0, sizeof u->d);
  u->d.real[GAIN] = 2;
  u->d.whole[AT] = 3;
  for (i = 0; i < 6; ++i) u->d.last[i] = -1;
  u->d.slow = 0.002;
  u->d.interval[1] = 0.001;
  u->d.qualifier[1] = 2; /* a changing clock has an interval from the beginning */
}

EXPORT const char* fmi3GetVersion(void) { return "3.0"; }
EXPORT void* fmi3InstantiateScheduledExecution(const char* name, const char* token, const char* resources,
                                               bool visible, bool logging, void* environment, Log* log,
                                               Update* update, Lock* lock, Lock* unlock) {
  Unit* u;
  (void)name, (void)visible, (void)logging, (void)resources;
  if (strcmp(token, "{parts}") != 0 || update == NULL || lock == NULL || unlock == NULL) return NULL;
  u = calloc(1, sizeof(Unit));
  if (u == NULL) return NULL;
  u->environment = environment;
  u->log = log;
  u->update = update;
  u->lock = lock;
  u->unlock = unlock;
  set_defaults(u);
  return u;
}
EXPORT void fmi3FreeInstance(void* c) { free(c); }
EXPORT int fmi3EnterInitializationMode(void* c, bool has_tolerance, double tolerance, double start,
                                       bool has_stop, double stop) {
  Unit* u = c;
  (void)has_tolerance, (void)tolerance, (void)stop, (void)start;
  if (u->d.phase != MADE || has_stop) return refuse(u, "EnterInitializationMode");
  u->d.phase = INITIALIZING;
  return OK;
}
EXPORT int fmi3ExitInitializationMode(void* c) {
  Unit* u = c;
  if (u->d.phase != INITIALIZING) return refuse(u, "ExitInitializationMode");
  u->d.phase = ACTIVE;
  return OK;
}
EXPORT int fmi3Terminate(void* c) {
  Unit* u = c;
  if (u->d.phase != ACTIVE) return refuse(u, "Terminate");
  u->d.phase = TERMINATED;
  return OK;
}
EXPORT int fmi3Reset(void* c) {
  set_defaults(c);
  return OK;
}

static int may_get(Unit* u) { return u->d.phase != MADE; }
static int may_set(Unit* u, int input) {
  return u->d.phase == MADE || u->d.phase == INITIALIZING || (u->d.phase == ACTIVE && input);
}
EXPORT int fmi3SetFloat64(void* c, const uint32_t* vr, size_t n, const double* v, size_t m) {
  Unit* u = c;
  size_t i;
  for (i = 0; i < n; ++i) {
    if (n != m || !may_set(u, 1)) return refuse(u, "SetFloat64");
    u->d.real[vr[i]] = v[i];
  }
  return OK;
}
EXPORT int fmi3GetFloat64(void* c, const uint32_t* vr, size_t n, double* v, size_t m) {
  Unit* u = c;
  size_t i;
  if (n != m || !may_get(u)) return refuse(u, "GetFloat64");
  for (i = 0; i < n; ++i) v[i] = u->d.real[vr[i]];
  return OK;
}
EXPORT int fmi3SetInt32(void* c, const uint32_t* vr, size_t n, const int32_t* v, size_t m) {
  Unit* u = c;
  size_t i;
  for (i = 0; i < n; ++i) {
    if (n != m || !may_set(u, 0)) return refuse(u, "SetInt32");
    u->d.whole[vr[i]] = v[i];
  }
  return OK;
}
EXPORT int fmi3GetInt32(void* c, const uint32_t* vr, size_t n, int32_t* v, size_t m) {
  Unit* u = c;
  size_t i;
  if (n != m || !may_get(u)) return refuse(u, "GetInt32");
  for (i = 0; i < n; ++i) v[i] = u->d.whole[vr[i]];
  return OK;
}
EXPORT int fmi3GetInt64(void* c, const uint32_t* vr, size_t n, int64_t* v, size_t m) {
  Unit* u = c;
  if (n != 1 || m != 1 || vr[0] != ORDER || !may_get(u)) return refuse(u, "GetInt64");
  v[0] = u->d.order;
  return OK;
}
EXPORT int fmi3GetClock(void* c, const uint32_t* vr, size_t n, bool* v) {
  Unit* u = c;
  if (n != 1 || vr[0] != OUT || !u->d.updating) return refuse(u, "GetClock");
  v[0] = u->d.out;
  u->d.out = false;
  return OK;
}
EXPORT int fmi3GetIntervalDecimal(void* c, const uint32_t* vr, size_t n, double* v, int* qualifiers) {
  Unit* u = c;
  size_t i;
  if (!u->d.updating && u->d.phase != INITIALIZING) return refuse(u, "GetIntervalDecimal");
  for (i = 0; i < n; ++i) {
    const int at = vr[i] == ONCE ? 0 : 1;
    if (vr[i] != ONCE && vr[i] != AGAIN) return refuse(u, "GetIntervalDecimal of another clock");
    qualifiers[i] = u->d.qualifier[at];
    if (qualifiers[i] == 2) v[i] = u->d.interval[at];
    if (qualifiers[i] == 2) u->d.qualifier[at] = 1;
  }
  return OK;
}
EXPORT int fmi3SetIntervalDecimal(void* c, const uint32_t* vr, size_t n, const double* v) {
  Unit* u = c;
  if (n != 1 || vr[0] != SLOW || u->d.phase != INITIALIZING) return refuse(u, "SetIntervalDecimal");
  u->d.slow = v[0];
  return OK;
}

static void update(Unit* u) {
  u->d.updating = 1;
  u->update(u->environment);
  u->d.updating = 0;
}
EXPORT int fmi3ActivateModelPartition(void* c, uint32_t clock, double t) {
  Unit* u = c;
  const uint32_t at = clock > OUT ? clock - FAST - 1 : clock - FAST;
  if (u->d.phase != ACTIVE) return refuse(u, "ActivateModelPartition");
  if (at >= 6 || clock == OUT) return refuse(u, "no such clock");
  if (u->d.last[at] >= t) return refuse(u, "a clock is activated twice for one time");
  u->d.last[at] = t;
  u->d.order = (u->d.order * 10 + at + 1) % 1000000000;
  u->lock();
  u->d.real[W] = u->d.real[V] * 10;
  u->unlock();
  switch (clock) {
    case FAST:
      u->d.real[Y] = u->d.real[GAIN] * u->d.real[U];
      u->d.real[T_FAST] = t;
      if (++u->d.whole[N] >= u->d.whole[AT]) switch (u->d.whole[MODE]) {
          case DOES_DISCARD:
            return DISCARD;
          case DOES_ERROR:
            return refuse(u, "the partition gave up");
          case DOES_FATAL:
            return FATAL;
          default:
            break;
        }
      break;
    case SLOW:
      u->d.real[T_SLOW] = t + 100 * u->d.slow;
      u->d.out = true;
      update(u);
      break;
    case TRIG:
      ++u->d.whole[TRIGS];
      u->d.interval[0] = u->d.real[DELAY];
      u->d.qualifier[0] = 2;
      update(u);
      break;
    case ONCE:
      u->d.real[T_ONCE] = t;
      break;
    case LATER:
      u->d.real[T_LATER] = t;
      break;
    case AGAIN:
      u->d.real[T_AGAIN] = t;
      u->d.interval[1] = t < 0.0035 ? 0.001 : 0.003;
      u->d.qualifier[1] = 2;
      update(u);
      break;
    default:
      break;
  }
  return OK;
}

EXPORT int fmi3GetFMUState(void* c, void** s) {
  if (*s == NULL) *s = malloc(sizeof(Data));
  memcpy(*s, &((Unit*)c)->d, sizeof(Data));
  return OK;
}
EXPORT int fmi3SetFMUState(void* c, void* s) {
  memcpy(&((Unit*)c)->d, s, sizeof(Data));
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
  *n = sizeof(Data);
  return OK;
}
EXPORT int fmi3SerializeFMUState(void* c, void* s, uint8_t* b, size_t n) {
  (void)c;
  if (n < sizeof(Data)) return ERROR;
  memcpy(b, s, sizeof(Data));
  return OK;
}
EXPORT int fmi3DeserializeFMUState(void* c, const uint8_t* b, size_t n, void** s) {
  (void)c;
  if (n != sizeof(Data)) return ERROR;
  if (*s == NULL) *s = malloc(sizeof(Data));
  memcpy(*s, b, sizeof(Data));
  return OK;
}
