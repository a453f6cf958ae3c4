/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of FMI 3.0 for scheduled execution: six partitions, one of each kind of clock. It answers Error to what the
 * standard forbids: a clock that is activated twice for one time or goes back, a value of a wrong phase, a question about
 * clocks outside of a clock update. */
#include "unit3.h"

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

typedef struct {
  double real[32], last[6], interval[2], slow;
  int32_t whole[32];
  int64_t order;
  int qualifier[2];
  bool out;
  int phase, updating;
} Data;
#define UNIT_SCHEDULED
#define UNIT_TOKEN "{parts}"
#include "unit3_common.h"

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

EXPORT int fmi3EnterInitializationMode(void* c, bool has_tolerance, double tolerance, double start,
                                       bool has_stop, double stop) {
  Unit* u = c;
  (void)has_tolerance, (void)tolerance, (void)stop, (void)start;
  if (u->d.phase != MADE || has_stop) return refuse(u, "EnterInitializationMode");
  u->d.phase = INITIALIZING;
  return OK;
}
EXPORT int fmi3ExitInitializationMode(void* c) {
  return go_on(c, INITIALIZING, ACTIVE, "ExitInitializationMode");
}
EXPORT int fmi3Terminate(void* c) { return go_on(c, ACTIVE, TERMINATED, "Terminate"); }
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
