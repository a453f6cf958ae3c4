/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of FMI 2.0 for tests. It passes its inputs on, has one state (dx/dt = -k x), and obeys the standard to the letter:
 * a call that is illegal in its state is answered by Error and counted. Integer `mode` asks for a fault at step `at`. */
#define _GNU_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hostile.h"

#define EXPORT __attribute__((visibility("default")))
#ifndef INNER_STEP
#define INNER_STEP 0.0 /* 0: that of the importer */
#endif
typedef struct {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocate)(size_t, size_t);
  void (*free_it)(void*);
  void (*finished)(void*, int);
  void* environment;
} Callbacks;

enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING };
enum { MADE, INITIALIZING, READY, TERMINATED, FAILED };
enum {
  NO_FAULT,
  DOES_DISCARD,
  DOES_ERROR,
  DOES_FATAL,
  GIVES_NAN,
  ASKS_FOR_END,
  LOGS_MUCH,
  WARNS,
  FAILS_INIT,
  IS_PENDING
};

typedef struct {
  double real[12];
  int integer[10];
  int boolean[3];
  char name[64];
  double time, start;
  int phase, steps;
} Data;
typedef struct {
  Data d;
  const Callbacks* callbacks;
  char instance[64];
} Unit;

static int refuse(Unit* u, const char* what) {
  u->d.phase = FAILED;
  u->callbacks->logger(u->callbacks->environment, u->instance, ERROR, "logStatusError",
                       "%s is illegal in phase %d", what, u->d.phase);
  return ERROR;
}

EXPORT const char* fmi2GetVersion(void) { return "2.0"; }
EXPORT const char* fmi2GetTypesPlatform(void) { return "default"; }

static void set_defaults(Unit* u) {
  memset(&u->d, 0, sizeof u->d);
  u->d.real[3] = 1;
  u->d.real[4] = 1;
  u->d.real[5] = 1;
  u->d.integer[4] = 3;
  u->d.integer[5] = 2;
  strcpy(u->d.name, "plain");
}

EXPORT void* fmi2Instantiate(const char* name, int kind, const char* guid, const char* resources,
                             const Callbacks* callbacks, int visible, int logging) {
  Unit* u;
  (void)visible, (void)logging;
  if (kind != 1 || strcmp(guid, "{two}") != 0) {
    callbacks->logger(callbacks->environment, name, ERROR, "logStatusError", "wrong guid %s", guid);
    return NULL;
  }
  if (resources == NULL || strncmp(resources, "file:///", 8) != 0) return NULL;
  u = callbacks->allocate(1, sizeof(Unit));
  if (u == NULL) return NULL;
  u->callbacks = callbacks;
  snprintf(u->instance, sizeof u->instance, "%s", name);
  set_defaults(u);
  return u;
}
EXPORT void fmi2FreeInstance(void* c) {
  Unit* u = c;
  if (u != NULL) u->callbacks->free_it(u);
}
EXPORT int fmi2SetupExperiment(void* c, int has_tolerance, double tolerance, double start, int has_stop,
                               double stop) {
  Unit* u = c;
  (void)has_tolerance, (void)tolerance, (void)stop;
  if (u->d.phase != MADE || has_stop) return refuse(u, "SetupExperiment");
  u->d.start = u->d.time = start;
  return OK;
}
EXPORT int fmi2EnterInitializationMode(void* c) {
  Unit* u = c;
  ANSWER_IF_TOLD(u->d.integer[3], IN_ENTER, 1);
  if (u->d.phase != MADE) return refuse(u, "EnterInitializationMode");
  if (u->d.integer[3] == FAILS_INIT) return refuse(u, "everything");
  u->d.phase = INITIALIZING;
  return OK;
}
static void compute(Unit* u) {
  u->d.real[2] = u->d.real[3] * u->d.real[1];
  u->d.real[6] = 20 + u->d.real[5];
  u->d.real[8] = u->d.real[7] * 0.10471975511965977;
  u->d.real[10] = u->d.real[9];
  u->d.integer[2] = u->d.integer[1];
  u->d.integer[6] = u->d.integer[5];
  u->d.boolean[2] = u->d.boolean[1];
  u->d.integer[8] = (int)strlen(u->d.name);
}
EXPORT int fmi2ExitInitializationMode(void* c) {
  Unit* u = c;
  ANSWER_IF_TOLD(u->d.integer[3], IN_EXIT, 1);
  if (u->d.phase != INITIALIZING) return refuse(u, "ExitInitializationMode");
  u->d.phase = READY;
  compute(u);
  return OK;
}
EXPORT int fmi2Terminate(void* c) {
  Unit* u = c;
  ANSWER_IF_TOLD(u->d.integer[3], IN_TERMINATE, 1);
  if (u->d.phase != READY) return refuse(u, "Terminate");
  u->d.phase = TERMINATED;
  return OK;
}
EXPORT int fmi2Reset(void* c) {
  set_defaults(c);
  return OK;
}

static int may_set(Unit* u, int is_input) { return u->d.phase < READY || (u->d.phase == READY && is_input); }
EXPORT int fmi2SetReal(void* c, const unsigned* vr, size_t n, const double* v) {
  Unit* u = c;
  size_t i;
  ANSWER_IF_TOLD(u->d.integer[3], IN_SET, u->d.phase >= READY && u->d.steps >= u->d.integer[4]);
  for (i = 0; i < n; ++i) {
    if (vr[i] == 0 || vr[i] > 11 || !may_set(u, vr[i] != 4)) return refuse(u, "SetReal");
    u->d.real[vr[i]] = v[i];
  }
  return OK;
}
EXPORT int fmi2SetInteger(void* c, const unsigned* vr, size_t n, const int* v) {
  Unit* u = c;
  size_t i;
  for (i = 0; i < n; ++i) {
    if (vr[i] == 0 || vr[i] > 9 || !may_set(u, vr[i] == 1 || vr[i] == 5)) return refuse(u, "SetInteger");
    u->d.integer[vr[i]] = v[i];
  }
  return OK;
}
EXPORT int fmi2SetBoolean(void* c, const unsigned* vr, size_t n, const int* v) {
  Unit* u = c;
  size_t i;
  for (i = 0; i < n; ++i) {
    if (vr[i] != 1 || (v[i] != 0 && v[i] != 1) || !may_set(u, 1)) return refuse(u, "SetBoolean");
    u->d.boolean[1] = v[i];
  }
  return OK;
}
EXPORT int fmi2SetString(void* c, const unsigned* vr, size_t n, const char* const* v) {
  Unit* u = c;
  if (n != 1 || vr[0] != 1 || !may_set(u, 0)) return refuse(u, "SetString");
  snprintf(u->d.name, sizeof u->d.name, "%s", v[0]);
  return OK;
}
EXPORT int fmi2GetReal(void* c, const unsigned* vr, size_t n, double* v) {
  Unit* u = c;
  size_t i;
  ANSWER_IF_TOLD(u->d.integer[3], IN_GET, u->d.phase >= READY && u->d.steps >= u->d.integer[4]);
  if (u->d.phase == MADE) return refuse(u, "GetReal");
  if (u->d.phase == READY || u->d.phase == INITIALIZING) compute(u);
  for (i = 0; i < n; ++i) v[i] = u->d.real[vr[i]];
  if (u->d.integer[3] == GIVES_NAN && u->d.steps >= u->d.integer[4]) v[0] = NAN;
  return OK;
}
EXPORT int fmi2GetInteger(void* c, const unsigned* vr, size_t n, int* v) {
  Unit* u = c;
  size_t i;
  if (u->d.phase == MADE) return refuse(u, "GetInteger");
  compute(u);
  for (i = 0; i < n; ++i) v[i] = u->d.integer[vr[i]];
  return OK;
}
EXPORT int fmi2GetBoolean(void* c, const unsigned* vr, size_t n, int* v) {
  Unit* u = c;
  size_t i;
  compute(u);
  for (i = 0; i < n; ++i) v[i] = u->d.boolean[vr[i]];
  return OK;
}

EXPORT int fmi2DoStep(void* c, double t, double h, int no_set_before) {
  Unit* u = c;
  int i;
  (void)no_set_before;
  if (u->d.phase != READY) return refuse(u, "DoStep");
  if (t != u->d.start + u->d.steps * h) {
    u->callbacks->logger(u->callbacks->environment, u->instance, ERROR, "logStatusError",
                         "expected %.17g, got %.17g", u->d.start + u->d.steps * h, t);
    u->d.phase = FAILED;
    return ERROR;
  }
  if (u->d.steps >= u->d.integer[4]) switch (u->d.integer[3]) {
      case DOES_DISCARD:
        u->d.phase = FAILED;
        return DISCARD;
      case DOES_ERROR:
        u->callbacks->logger(u->callbacks->environment, u->instance, ERROR, "logStatusError",
                             "the solver gave up at %g", t);
        u->d.phase = FAILED;
        return ERROR;
      case DOES_FATAL:
        return FATAL;
      case ASKS_FOR_END:
        return DISCARD;
      case IS_PENDING:
        return PENDING;
      case WARNS:
        u->callbacks->logger(u->callbacks->environment, u->instance, WARNING, "logWarning", "step %d",
                             u->d.steps);
        break;
      case LOGS_MUCH:
        for (i = 0; i < 1000; ++i)
          u->callbacks->logger(u->callbacks->environment, u->instance, OK, "logAll", "line %d", i);
        break;
      default:
        do_harm(u->d.integer[3]);
        break;
    }
  if (INNER_STEP > 0) {
    while (u->d.time + INNER_STEP <= t + h + 1e-9) {
      u->d.real[5] -= INNER_STEP * u->d.real[4] * u->d.real[5];
      u->d.time += INNER_STEP;
    }
  } else {
    u->d.real[5] -= h * u->d.real[4] * u->d.real[5];
    u->d.time = t + h;
  }
  ++u->d.steps;
  compute(u);
  return OK;
}
EXPORT int fmi2GetRealStatus(void* c, int kind, double* v) {
  if (kind != 2) return DISCARD;
  *v = ((Unit*)c)->d.time;
  return OK;
}
EXPORT int fmi2GetBooleanStatus(void* c, int kind, int* v) {
  if (kind != 3) return DISCARD;
  *v = ((Unit*)c)->d.integer[3] == ASKS_FOR_END;
  return OK;
}

EXPORT int fmi2GetFMUstate(void* c, void** s) {
  ANSWER_IF_TOLD(((Unit*)c)->d.integer[3], IN_GET_STATE, ((Unit*)c)->d.phase >= READY);
  if (*s == NULL) *s = malloc(sizeof(Data));
  memcpy(*s, &((Unit*)c)->d, sizeof(Data));
  return OK;
}
EXPORT int fmi2SetFMUstate(void* c, void* s) {
  ANSWER_IF_TOLD(((Unit*)c)->d.integer[3], IN_SET_STATE, 1);
  memcpy(&((Unit*)c)->d, s, sizeof(Data));
  return OK;
}
EXPORT int fmi2FreeFMUstate(void* c, void** s) {
  (void)c;
  free(*s);
  *s = NULL;
  return OK;
}
EXPORT int fmi2SerializedFMUstateSize(void* c, void* s, size_t* n) {
  (void)c, (void)s;
  *n = sizeof(Data);
  return OK;
}
EXPORT int fmi2SerializeFMUstate(void* c, void* s, char* b, size_t n) {
  (void)c;
  if (n < sizeof(Data)) return ERROR;
  memcpy(b, s, sizeof(Data));
  return OK;
}
EXPORT int fmi2DeSerializeFMUstate(void* c, const char* b, size_t n, void** s) {
  (void)c;
  if (n != sizeof(Data)) return ERROR;
  if (*s == NULL) *s = malloc(sizeof(Data));
  memcpy(*s, b, sizeof(Data));
  return OK;
}
