/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of FMI 3.0 for co-simulation with event mode: x grows by u and loses 1 whenever it reaches 1, which is an event
 * inside of a step; each quarter of a second is a time event; a discrete input, an input clock, an output clock. What is
 * illegal in its state is answered by Error. */
#include "unit3.h"

enum {
  NO_FAULT,
  NEVER_ENDS,
  NEVER_ADVANCES,
  ENDS_IN_EVENT,
  FAILS_IN_EVENT,
  GOES_BACK,
  SAYS_NOTHING,
  DIES_AT_ONCE,
  LAGS_ONCE
};
enum { MODE = 2, U = 10, X, D, D_SEEN, V, W, WHEN, CROSSINGS, TIMED, CLOCK_IN = 30, CLOCK_OUT };

typedef struct {
  double x, u, v, w, when, time;
  int32_t d, d_seen, crossings, timed, mode;
  int phase, crossed, out, in, first;
} Data;
#define UNIT_EVENTS
#define UNIT_TOKEN "{events}"
#include "unit3_common.h"

static void set_defaults(Unit* u) { memset(&u->d, 0, sizeof u->d); }
EXPORT int fmi3EnterInitializationMode(void* c, bool has_tolerance, double tolerance, double start,
                                       bool has_stop, double stop) {
  Unit* u = c;
  (void)has_tolerance, (void)tolerance, (void)stop, (void)has_stop;
  if (u->d.phase != MADE) return refuse(u, "EnterInitializationMode");
  u->d.time = start;
  u->d.phase = INITIALIZING;
  return OK;
}
EXPORT int fmi3ExitInitializationMode(void* c) {
  Unit* u = c;
  if (u->d.phase != INITIALIZING) return refuse(u, "ExitInitializationMode");
  u->d.phase = u->event_mode ? EVENT : READY;
  u->d.first = 1;
  return OK;
}
EXPORT int fmi3EnterStepMode(void* c) {
  Unit* u = c;
  return go_on(u, EVENT, READY, "EnterStepMode");
}
static double next_timed(const Unit* u) { return 0.25 * (u->d.timed + 1); }

EXPORT int fmi3UpdateDiscreteStates(void* c, bool* again, bool* terminate, bool* nominals, bool* values,
                                    bool* has_next, double* next) {
  Unit* u = c;
  if (u->d.phase != EVENT) return refuse(u, "UpdateDiscreteStates");
  *nominals = *values = *terminate = false;
  if (u->d.mode == DIES_AT_ONCE) return FATAL;
  *again = u->d.first || u->d.mode == NEVER_ENDS;
  u->d.first = u->d.in = u->d.out = 0;
  if (u->d.crossed) {
    u->d.crossed = 0;
    u->d.x -= 1;
    ++u->d.crossings;
    u->d.out = 1;
    u->d.when = u->d.time;
    *again = true; /* the output clock ticks now */
    if (u->d.mode == ENDS_IN_EVENT) *terminate = true;
    if (u->d.mode == FAILS_IN_EVENT) return refuse(u, "the event went wrong");
  }
  if (u->d.time >= next_timed(u) - 1e-9) ++u->d.timed;
  u->d.d_seen = 10 * u->d.d;
  *has_next = true;
  *next = next_timed(u);
  return OK;
}

EXPORT int fmi3SetInt32(void* c, const uint32_t* vr, size_t n, const int32_t* v, size_t m) {
  Unit* u = c;
  if (n != 1 || m != 1) return refuse(u, "SetInt32");
  if (vr[0] == MODE && u->d.phase <= INITIALIZING) {
    u->d.mode = v[0];
    return OK;
  }
  if (vr[0] != D || (u->d.phase > INITIALIZING && u->d.phase != EVENT && u->event_mode))
    return refuse(u, "a discrete input is set outside of event mode");
  u->d.d = v[0];
  return OK;
}
EXPORT int fmi3GetInt32(void* c, const uint32_t* vr, size_t n, int32_t* v, size_t m) {
  Unit* u = c;
  size_t i;
  if (n != m || u->d.phase == MADE || u->d.phase == SET) return refuse(u, "GetInt32");
  for (i = 0; i < n; ++i)
    v[i] = vr[i] == D_SEEN ? u->d.d_seen : vr[i] == CROSSINGS ? u->d.crossings : u->d.timed;
  return OK;
}
EXPORT int fmi3SetFloat64(void* c, const uint32_t* vr, size_t n, const double* v, size_t m) {
  Unit* u = c;
  if (n != 1 || m != 1) return refuse(u, "SetFloat64");
  if (vr[0] == V) {
    if (u->d.phase > INITIALIZING && !u->d.in) return refuse(u, "an input of a clock that does not tick");
    u->d.v = v[0];
    if (u->d.in) u->d.w = 2 * v[0];
    return OK;
  }
  if (u->d.phase == EVENT) return refuse(u, "a continuous input is set in event mode");
  if (u->d.phase == READY) u->d.phase = SET;
  u->d.u = v[0];
  return OK;
}
EXPORT int fmi3GetFloat64(void* c, const uint32_t* vr, size_t n, double* v, size_t m) {
  Unit* u = c;
  size_t i;
  if (n != m || u->d.phase == MADE || u->d.phase == SET) return refuse(u, "GetFloat64");
  for (i = 0; i < n; ++i) {
    if ((vr[i] == W && !u->d.in) || (vr[i] == WHEN && !u->d.out))
      return refuse(u, "an output of a clock that does not tick");
    v[i] = vr[i] == W ? u->d.w : vr[i] == WHEN ? u->d.when : u->d.x;
  }
  return OK;
}
EXPORT int fmi3SetClock(void* c, const uint32_t* vr, size_t n, const bool* v) {
  Unit* u = c;
  if (n != 1 || vr[0] != CLOCK_IN || u->d.phase != EVENT) return refuse(u, "SetClock");
  u->d.in = v[0];
  return OK;
}
EXPORT int fmi3GetClock(void* c, const uint32_t* vr, size_t n, bool* v) {
  Unit* u = c;
  if (n != 1 || vr[0] != CLOCK_OUT || u->d.phase != EVENT) return refuse(u, "GetClock");
  v[0] = u->d.out != 0;
  return OK;
}

EXPORT int fmi3DoStep(void* c, double t, double h, bool no_set_before, bool* event, bool* end, bool* early,
                      double* last) {
  Unit* u = c;
  const double to = t + h, cross = u->d.u > 0 ? t + (1 - u->d.x) / u->d.u : INFINITY;
  (void)no_set_before;
  *event = *end = *early = false;
  if (u->d.phase != READY && u->d.phase != SET) return refuse(u, "DoStep");
  if (fabs(t - u->d.time) > 1e-9) return refuse(u, "another communication point is expected");
  if (u->event_mode && to > next_timed(u) + 1e-9) return refuse(u, "a step over a time event");
  if (u->d.crossed) return refuse(u, "a step over an event");
  u->d.phase = READY;
  if (u->d.mode == NEVER_ADVANCES || u->d.mode == GOES_BACK) {
    *event = *early = true;
    *last = u->d.mode == GOES_BACK ? t - 0.01 : t;
    return OK;
  }
  if (cross < to - 1e-12) {
    u->d.x = 1;
    u->d.time = *last = cross;
    u->d.crossed = 1;
    *event = *early = true;
    return OK;
  }
  u->d.x += u->d.u * h;
  u->d.time = *last = to;
  if (u->d.mode == LAGS_ONCE && fabs(to - 0.6) < 1e-9) *last = to - 0.01;
  *event = u->event_mode && u->d.mode != SAYS_NOTHING && to >= next_timed(u) - 1e-9;
  return OK;
}
