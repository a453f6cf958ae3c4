/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of FMI 3.0 for co-simulation whose clocks have intervals. It answers Error where a clock ticks at another time
 * than its own, where a step passes a tick, and where an interval that it has to be asked for is not asked for. */
#include "unit3.h"

enum { EVERY, SHIFTED, FIXED, TUNED, OWN, OFTEN, ONCE, PACED, CLOCKS };
enum { FIRST_CLOCK = 30, MODE = 2, PACE = 3, START = 10, DELAY, IN, GOT, T = 20, N = 40, X, OUT = 50 };
enum { NO_FAULT, NEGATIVE_INTERVAL, NO_TICK, NO_INTERVAL, FIRST_INTERVAL_ZERO };
#ifndef PASSES_TICKS
#define PASSES_TICKS 0 /* its steps cannot be cut: a clock ticks where the next step begins */
#endif

typedef struct {
  double time, in, got, pace, paced, delay, interval[CLOCKS], next[CLOCKS], t[CLOCKS];
  int32_t mode, start, started, n;
  int phase, active[CLOCKS], to_ask[CLOCKS], out, once_is_new;
} Data;
#define UNIT_EVENTS
#define UNIT_TOKEN "{clocked}"
#include "unit3_common.h"

static void set_defaults(Unit* u) {
  static const double kIntervals[CLOCKS] = {0.03, 0.05, 0.04, 0.1, 0.07, 0.01, 0, 0.06};
  int i;
  memset(&u->d, 0, sizeof u->d);
  memcpy(u->d.interval, kIntervals, sizeof kIntervals);
  for (i = 0; i < CLOCKS; ++i) u->d.t[i] = -1;
  u->d.pace = u->d.paced = 0.06;
  u->d.next[ONCE] = INFINITY;
}
EXPORT int fmi3EnterInitializationMode(void* c, bool has_tolerance, double tolerance, double start,
                                       bool has_stop, double stop) {
  Unit* u = c;
  (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
  u->d.time = start;
  u->d.to_ask[OWN] = u->d.to_ask[OFTEN] = u->d.to_ask[ONCE] = u->d.to_ask[PACED] = u->event_mode;
  return go_on(u, MADE, INITIALIZING, "EnterInitializationMode");
}
static int all_asked(Unit* u, const char* where) {
  int i;
  for (i = 0; i < CLOCKS; ++i)
    if (u->d.to_ask[i]) return refuse(u, where);
  return OK;
}
EXPORT int fmi3ExitInitializationMode(void* c) {
  Unit* u = c;
  int i;
  for (i = 0; i < CLOCKS; ++i)
    u->d.next[i] = i == SHIFTED ? 0.02 : i == OWN ? 0.01 : i == OFTEN ? u->d.interval[OFTEN] : 0;
  u->d.next[ONCE] = INFINITY;
  if (all_asked(u, "an interval was not asked for in initialization") != OK) return ERROR;
  return go_on(u, INITIALIZING, u->event_mode ? EVENT : READY, "ExitInitializationMode");
}
EXPORT int fmi3EnterStepMode(void* c) {
  Unit* u = c;
  int i;
  if (all_asked(u, "an interval was not asked for in an event") != OK) return ERROR;
  for (i = 0; i < CLOCKS; ++i)
    if (u->d.next[i] <= u->d.time + 1e-9) return refuse(u, "a clock did not tick at its time");
  return go_on(u, EVENT, READY, "EnterStepMode");
}

EXPORT int fmi3SetClock(void* c, const uint32_t* vr, size_t n, const bool* v) {
  Unit* u = c;
  const uint32_t i = vr[0] - FIRST_CLOCK;
  const double late = u->d.time - u->d.next[i < CLOCKS ? i : 0];
  if (n != 1 || i >= CLOCKS || !v[0] || u->d.phase != EVENT || u->d.active[i])
    return refuse(u, "SetClock of a clock that does not tick");
  if (u->d.mode == NO_TICK && u->d.time > 0.025) return refuse(u, "the clock is broken");
  if (late < -1e-9 || (late > 1e-9 && !PASSES_TICKS))
    return refuse(u, "a clock ticks at another time than its own");
  u->d.active[i] = 1;
  u->d.t[i] = u->d.time;
  ++u->d.n;
  u->d.next[i] += u->d.interval[i]; /* a sum of its own, as many units have it */
  if (i == ONCE) {
    u->d.next[i] = INFINITY;
    if (u->d.delay == 0 && u->d.start > 0) --u->d.start; /* again at once */
  }
  if (i == OFTEN) u->d.interval[i] = u->d.interval[i] < 0.02 ? 0.03 : 0.01;
  if (i == OFTEN) u->d.next[i] = u->d.time + u->d.interval[i];
  u->d.to_ask[i] = i == OFTEN;
  if (i == EVERY) u->d.out = 1;
  return OK;
}
EXPORT int fmi3GetClock(void* c, const uint32_t* vr, size_t n, bool* v) {
  Unit* u = c;
  if (n != 1 || vr[0] != OUT || u->d.phase != EVENT) return refuse(u, "GetClock");
  v[0] = u->d.out != 0;
  return OK;
}
EXPORT int fmi3UpdateDiscreteStates(void* c, bool* again, bool* terminate, bool* nominals, bool* values,
                                    bool* has_next, double* next) {
  Unit* u = c;
  if (u->d.phase != EVENT) return refuse(u, "UpdateDiscreteStates");
  *again = *terminate = *nominals = *values = *has_next = false;
  *next = 0;
  memset(u->d.active, 0, sizeof u->d.active);
  u->d.out = 0;
  u->d.to_ask[ONCE] = 1; /* in every event */
  if (u->d.start != u->d.started) {
    u->d.started = u->d.start;
    u->d.once_is_new = 1;
    u->d.next[ONCE] = u->d.mode == NEGATIVE_INTERVAL ? INFINITY : u->d.time + u->d.delay;
  }
  if (u->d.pace != u->d.paced) {
    u->d.paced = u->d.interval[PACED] = u->d.pace;
    u->d.next[PACED] = u->d.time + u->d.pace;
    u->d.to_ask[PACED] = 2;
  }
  return OK;
}
#ifndef WITHOUT_INTERVALS
EXPORT int fmi3GetIntervalDecimal(void* c, const uint32_t* vr, size_t n, double* v, int* qualifiers) {
  Unit* u = c;
  const uint32_t i = vr[0] - FIRST_CLOCK;
  const int was_to_ask = i < CLOCKS ? u->d.to_ask[i] : 0;
  if (n != 1 || i < OWN || i >= CLOCKS || (u->d.phase != INITIALIZING && u->d.phase != EVENT))
    return refuse(u, "GetInterval");
  if (u->d.mode == NO_INTERVAL && u->d.time > 0.005) return refuse(u, "the interval is lost");
  u->d.to_ask[i] = 0;
  v[0] = u->d.interval[i];
  qualifiers[0] = was_to_ask ? 2 : 1;
  if (i == OWN && u->d.mode == FIRST_INTERVAL_ZERO) v[0] = 0;
  if (i != ONCE) return OK;
  qualifiers[0] = u->d.once_is_new ? 2 : u->d.next[ONCE] < INFINITY ? 1 : 0;
  v[0] = u->d.mode == NEGATIVE_INTERVAL ? -1 : u->d.delay;
  u->d.once_is_new = 0;
  return OK;
}
#endif
#ifndef WITHOUT_SHIFTS
EXPORT int fmi3GetShiftDecimal(void* c, const uint32_t* vr, size_t n, double* v) {
  Unit* u = c;
  if (n != 1 || (vr[0] != FIRST_CLOCK + OWN && vr[0] != FIRST_CLOCK + PACED) || u->d.phase != INITIALIZING)
    return refuse(u, "GetShift");
  v[0] = vr[0] == FIRST_CLOCK + OWN ? 0.01 : 0;
  return OK;
}
#endif
#ifndef KEEPS_INTERVALS
EXPORT int fmi3SetIntervalDecimal(void* c, const uint32_t* vr, size_t n, const double* v) {
  Unit* u = c;
  const uint32_t i = vr[0] - FIRST_CLOCK;
  if (n != 1 || !(u->d.phase == INITIALIZING ? i == FIXED || i == TUNED : u->d.phase == EVENT && i == TUNED))
    return refuse(u, "SetInterval");
  u->d.interval[i] = v[0];
  if (u->d.phase == EVENT) u->d.next[i] = u->d.time + v[0];
  return OK;
}
#endif

EXPORT int fmi3SetInt32(void* c, const uint32_t* vr, size_t n, const int32_t* v, size_t m) {
  Unit* u = c;
  if (n != 1 || m != 1) return refuse(u, "SetInt32");
  if (vr[0] == MODE && u->d.phase <= INITIALIZING)
    u->d.mode = v[0];
  else if (vr[0] == START && (u->d.phase == EVENT || !u->event_mode))
    u->d.start = v[0];
  else
    return refuse(u, "SetInt32 of this variable now");
  return OK;
}
EXPORT int fmi3GetInt32(void* c, const uint32_t* vr, size_t n, int32_t* v, size_t m) {
  Unit* u = c;
  if (n != 1 || m != 1 || vr[0] != N || u->d.phase == SET) return refuse(u, "GetInt32");
  v[0] = u->d.n;
  return OK;
}
EXPORT int fmi3SetFloat64(void* c, const uint32_t* vr, size_t n, const double* v, size_t m) {
  Unit* u = c;
  if (n != 1 || m != 1) return refuse(u, "SetFloat64");
  if (vr[0] == PACE) {
    u->d.pace = v[0];
    if (u->d.phase <= INITIALIZING) u->d.paced = u->d.interval[PACED] = v[0];
  } else if (vr[0] == DELAY && (u->d.phase == EVENT || !u->event_mode)) {
    u->d.delay = v[0];
  } else if (vr[0] == IN && (u->d.active[EVERY] || u->d.phase <= INITIALIZING)) {
    u->d.in = v[0];
    u->d.got = 2 * v[0];
  } else {
    return refuse(u, "SetFloat64 of this variable now");
  }
  return OK;
}
EXPORT int fmi3GetFloat64(void* c, const uint32_t* vr, size_t n, double* v, size_t m) {
  Unit* u = c;
  const uint32_t i = vr[0] - T;
  if (m != n || u->d.phase == SET) return refuse(u, "GetFloat64");
  if (vr[0] == X) {
    v[0] = u->d.time;
  } else if (vr[0] == GOT ? u->d.active[EVERY] : i < CLOCKS && u->d.active[i]) {
    size_t k;
    for (k = 0; k < n; ++k) v[k] = vr[k] == GOT ? u->d.got : u->d.t[vr[k] - T];
  } else {
    return refuse(u, "an output of a clock that does not tick");
  }
  return OK;
}

EXPORT int fmi3DoStep(void* c, double t, double h, bool no_set_before, bool* event, bool* end, bool* early,
                      double* last) {
  Unit* u = c;
  int i;
  (void)no_set_before;
  *event = *end = *early = false;
  if (u->d.phase != READY && u->d.phase != SET) return refuse(u, "DoStep");
  if (fabs(t - u->d.time) > 1e-9) return refuse(u, "another communication point is expected");
  for (i = 0; i < CLOCKS && u->event_mode && !PASSES_TICKS; ++i)
    if (u->d.next[i] < t + h - 1e-9) return refuse(u, "a step over a tick");
  u->d.time = *last = t + h;
  u->d.phase = READY;
  return OK;
}
