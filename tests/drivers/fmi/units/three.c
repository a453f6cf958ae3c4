/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of FMI 3.0 for tests: all types pass through it, y = 2 u for an array whose size is structural, one state. A call
 * that is illegal in its state, such as a Get after a Set between two steps, is answered by Error. */
#define _GNU_SOURCE

#include "hostile.h"
#include "unit3.h"

#ifndef INNER_STEP
#define INNER_STEP 0.0
#endif
enum { NO_FAULT, DOES_DISCARD, DOES_ERROR, DOES_FATAL, GIVES_NAN, ASKS_FOR_END };

typedef struct {
  double f64, x, k, u[8], y[8];
  float f32;
  int8_t i8;
  uint8_t u8;
  int16_t i16;
  uint16_t u16;
  int32_t i32, mode, at;
  uint32_t u32;
  int64_t i64, e;
  uint64_t u64, size;
  bool b;
  size_t letters, bytes;
  double time, start;
  int phase, steps;
} Data;
#define BEFORE_GET_STATE(u) ANSWER_IF_TOLD((u)->d.mode, IN_GET_STATE, (u)->d.phase >= READY)
#define BEFORE_SET_STATE(u) ANSWER_IF_TOLD((u)->d.mode, IN_SET_STATE, 1)
#include "unit3_common.h"

static void set_defaults(Unit* u) {
  memset(&u->d, 0, sizeof u->d);
  u->d.x = u->d.k = 1;
  u->d.at = 3;
  u->d.e = 2;
  u->d.size = 2;
}

EXPORT void* fmi3InstantiateCoSimulation(const char* name, const char* token, const char* resources,
                                         bool visible, bool logging, bool event_mode, bool early,
                                         const uint32_t* intermediate, size_t n, void* environment, Log* log,
                                         void* update) {
  (void)name, (void)visible, (void)logging, (void)intermediate;
  if (strcmp(token, "{three}") != 0 || event_mode || early || n != 0 || update != NULL) return NULL;
  if (resources != NULL && resources[strlen(resources) - 1] != '/') return NULL;
  return new_unit(environment, log);
}
EXPORT int fmi3EnterConfigurationMode(void* c) {
  return go_on(c, MADE, CONFIGURING, "EnterConfigurationMode");
}
EXPORT int fmi3ExitConfigurationMode(void* c) { return go_on(c, CONFIGURING, MADE, "ExitConfigurationMode"); }
EXPORT int fmi3EnterInitializationMode(void* c, bool has_tolerance, double tolerance, double start,
                                       bool has_stop, double stop) {
  Unit* u = c;
  ANSWER_IF_TOLD(u->d.mode, IN_ENTER, 1);
  (void)has_tolerance, (void)tolerance, (void)stop;
  if (u->d.phase != MADE || has_stop) return refuse(u, "EnterInitializationMode");
  u->d.start = u->d.time = start;
  u->d.phase = INITIALIZING;
  return OK;
}
EXPORT int fmi3ExitInitializationMode(void* c) {
  Unit* u = c;
  ANSWER_IF_TOLD(u->d.mode, IN_EXIT, 1);
  if (u->d.phase != INITIALIZING) return refuse(u, "ExitInitializationMode");
  u->d.phase = READY;
  return OK;
}
EXPORT int fmi3Terminate(void* c) {
  Unit* u = c;
  ANSWER_IF_TOLD(u->d.mode, IN_TERMINATE, 1);
  if (u->d.phase != READY && u->d.phase != SET) return refuse(u, "Terminate");
  u->d.phase = TERMINATED;
  return OK;
}
EXPORT int fmi3Reset(void* c) {
  set_defaults(c);
  return OK;
}

static int may_set(Unit* u, uint32_t vr) {
  if (vr == 1) return u->d.phase == CONFIGURING;
  if (u->d.phase == MADE || u->d.phase == INITIALIZING) return 1;
  if ((u->d.phase == READY || u->d.phase == SET) && vr >= 10) {
    u->d.phase = SET;
    return 1;
  }
  return 0;
}
static int may_get(Unit* u) { return u->d.phase != MADE && u->d.phase != CONFIGURING && u->d.phase != SET; }

#define SCALAR(Name, type, field, number)                                                         \
  EXPORT int fmi3Set##Name(void* c, const uint32_t* vr, size_t n, const type* v, size_t m) {      \
    Unit* u = c;                                                                                  \
    if (n != 1 || m != 1 || vr[0] != number || !may_set(u, vr[0])) return refuse(u, "Set" #Name); \
    u->d.field = v[0];                                                                            \
    return OK;                                                                                    \
  }                                                                                               \
  EXPORT int fmi3Get##Name(void* c, const uint32_t* vr, size_t n, type* v, size_t m) {            \
    Unit* u = c;                                                                                  \
    if (n != 1 || m != 1 || vr[0] != number + 20 || !may_get(u)) return refuse(u, "Get" #Name);   \
    v[0] = u->d.field;                                                                            \
    return OK;                                                                                    \
  }
SCALAR(Float32, float, f32, 10)
SCALAR(Int8, int8_t, i8, 11)
SCALAR(UInt8, uint8_t, u8, 12)
SCALAR(Int16, int16_t, i16, 13)
SCALAR(UInt16, uint16_t, u16, 14)
SCALAR(UInt32, uint32_t, u32, 16)
SCALAR(Boolean, bool, b, 20)

EXPORT int fmi3SetInt32(void* c, const uint32_t* vr, size_t n, const int32_t* v, size_t m) {
  Unit* u = c;
  size_t i;
  if (n != m) return refuse(u, "SetInt32");
  for (i = 0; i < n; ++i) {
    if (!may_set(u, vr[i])) return refuse(u, "SetInt32");
    *(vr[i] == 15 ? &u->d.i32 : vr[i] == 2 ? &u->d.mode : &u->d.at) = v[i];
  }
  return OK;
}
EXPORT int fmi3GetInt32(void* c, const uint32_t* vr, size_t n, int32_t* v, size_t m) {
  Unit* u = c;
  if (n != 1 || m != 1 || vr[0] != 35 || !may_get(u)) return refuse(u, "GetInt32");
  v[0] = u->d.i32;
  return OK;
}
EXPORT int fmi3SetInt64(void* c, const uint32_t* vr, size_t n, const int64_t* v, size_t m) {
  Unit* u = c;
  size_t i;
  if (n != m) return refuse(u, "SetInt64");
  for (i = 0; i < n; ++i) {
    if (!may_set(u, vr[i])) return refuse(u, "SetInt64");
    *(vr[i] == 17 ? &u->d.i64 : &u->d.e) = v[i];
  }
  return OK;
}
EXPORT int fmi3GetInt64(void* c, const uint32_t* vr, size_t n, int64_t* v, size_t m) {
  Unit* u = c;
  size_t i;
  if (n != m || !may_get(u)) return refuse(u, "GetInt64");
  for (i = 0; i < n; ++i) v[i] = vr[i] == 37 ? u->d.i64 : u->d.e;
  return OK;
}
EXPORT int fmi3SetUInt64(void* c, const uint32_t* vr, size_t n, const uint64_t* v, size_t m) {
  Unit* u = c;
  if (n != 1 || m != 1 || !may_set(u, vr[0])) return refuse(u, "SetUInt64");
  *(vr[0] == 1 ? &u->d.size : &u->d.u64) = v[0];
  return OK;
}
EXPORT int fmi3GetUInt64(void* c, const uint32_t* vr, size_t n, uint64_t* v, size_t m) {
  Unit* u = c;
  if (n != 1 || m != 1 || vr[0] != 38 || !may_get(u)) return refuse(u, "GetUInt64");
  v[0] = u->d.u64;
  return OK;
}
EXPORT int fmi3SetFloat64(void* c, const uint32_t* vr, size_t n, const double* v, size_t m) {
  Unit* u = c;
  size_t i, at = 0;
  ANSWER_IF_TOLD(u->d.mode, IN_SET, u->d.phase >= READY && u->d.steps >= u->d.at);
  for (i = 0; i < n; ++i) {
    if (!may_set(u, vr[i])) return refuse(u, "SetFloat64");
    if (vr[i] == 18) {
      u->d.f64 = v[at++];
    } else if (vr[i] == 5) {
      u->d.k = v[at++];
    } else if (vr[i] == 6) {
      if (u->d.phase > INITIALIZING) return refuse(u, "an output is set between steps");
      u->d.x = v[at++];
    } else {
      memcpy(u->d.u, v + at, u->d.size * sizeof *v);
      at += u->d.size;
    }
  }
  return at == m ? OK : refuse(u, "SetFloat64: a wrong number of values");
}
EXPORT int fmi3GetFloat64(void* c, const uint32_t* vr, size_t n, double* v, size_t m) {
  Unit* u = c;
  size_t i, k, at = 0;
  ANSWER_IF_TOLD(u->d.mode, IN_GET, u->d.phase >= READY && u->d.steps >= u->d.at);
  if (!may_get(u)) return refuse(u, "GetFloat64 after a Set");
  for (i = 0; i < n; ++i) {
    if (vr[i] == 58) {
      v[at++] = u->d.f64;
    } else if (vr[i] == 6) {
      v[at++] = u->d.mode == GIVES_NAN && u->d.steps >= u->d.at ? NAN : u->d.x;
    } else if (vr[i] == 7) {
      v[at++] = (double)u->d.letters + 1000 * (double)u->d.bytes;
    } else {
      for (k = 0; k < u->d.size; ++k) v[at++] = 2 * u->d.u[k];
    }
  }
  return at == m ? OK : refuse(u, "GetFloat64: a wrong number of values");
}
EXPORT int fmi3SetString(void* c, const uint32_t* vr, size_t n, const char* const* v, size_t m) {
  Unit* u = c;
  if (n != 1 || m != 1 || vr[0] != 8 || !may_set(u, 2)) return refuse(u, "SetString");
  u->d.letters = strlen(v[0]);
  return OK;
}
EXPORT int fmi3SetBinary(void* c, const uint32_t* vr, size_t n, const size_t* sizes, const uint8_t* const* v,
                         size_t m) {
  Unit* u = c;
  (void)v;
  if (n != 1 || m != 1 || vr[0] != 9 || !may_set(u, 2)) return refuse(u, "SetBinary");
  u->d.bytes = sizes[0];
  return OK;
}

EXPORT int fmi3DoStep(void* c, double t, double h, bool no_set_before, bool* event, bool* end, bool* early,
                      double* last) {
  Unit* u = c;
  (void)no_set_before;
  *event = *end = *early = false;
  if (u->d.phase != READY && u->d.phase != SET) return refuse(u, "DoStep");
  if (t != u->d.start + u->d.steps * h) return refuse(u, "another communication point is expected");
  if (u->d.steps >= u->d.at) switch (u->d.mode) {
      case DOES_DISCARD:
        u->d.phase = FAILED;
        return DISCARD;
      case DOES_ERROR:
        return refuse(u, "the solver gave up");
      case DOES_FATAL:
        return FATAL;
      case ASKS_FOR_END:
        *end = true;
        break;
      default:
        do_harm(u->d.mode);
        break;
    }
  if (INNER_STEP > 0) {
    while (u->d.time + INNER_STEP <= t + h + 1e-9) {
      u->d.x -= INNER_STEP * u->d.k * u->d.x;
      u->d.time += INNER_STEP;
    }
  } else {
    u->d.x -= h * u->d.k * u->d.x;
    u->d.time = t + h;
  }
  *last = u->d.time;
  ++u->d.steps;
  u->d.phase = READY;
  return OK;
}
