/* SPDX-License-Identifier: Apache-2.0 */
/* A unit of FMI 2.0 for measuring: ten inputs, ten outputs, and next to no work between them. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
enum { OK, ERROR = 3 };
typedef struct {
  double in[10], out[10];
} Unit;

EXPORT const char* fmi2GetVersion(void) { return "2.0"; }
EXPORT void* fmi2Instantiate(const char* name, int kind, const char* guid, const char* resources,
                             const void* callbacks, int visible, int logging) {
  (void)name, (void)kind, (void)resources, (void)callbacks, (void)visible, (void)logging;
  return strcmp(guid, "{twenty}") == 0 ? calloc(1, sizeof(Unit)) : NULL;
}
EXPORT void fmi2FreeInstance(void* c) { free(c); }
EXPORT int fmi2SetupExperiment(void* c, int has_tolerance, double tolerance, double start, int has_stop,
                               double stop) {
  (void)c, (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
  return OK;
}
EXPORT int fmi2EnterInitializationMode(void* c) { return c == NULL ? ERROR : OK; }
EXPORT int fmi2ExitInitializationMode(void* c) { return c == NULL ? ERROR : OK; }
EXPORT int fmi2Terminate(void* c) { return c == NULL ? ERROR : OK; }
EXPORT int fmi2Reset(void* c) {
  memset(c, 0, sizeof(Unit));
  return OK;
}
EXPORT int fmi2SetReal(void* c, const unsigned* vr, size_t n, const double* v) {
  Unit* u = c;
  size_t i;
  for (i = 0; i < n; ++i) {
    if (vr[i] >= 10) return ERROR;
    u->in[vr[i]] = v[i];
  }
  return OK;
}
EXPORT int fmi2GetReal(void* c, const unsigned* vr, size_t n, double* v) {
  Unit* u = c;
  size_t i;
  for (i = 0; i < n; ++i) {
    if (vr[i] >= 20) return ERROR;
    v[i] = vr[i] < 10 ? u->in[vr[i]] : u->out[vr[i] - 10];
  }
  return OK;
}
EXPORT int fmi2DoStep(void* c, double t, double h, int no_set_before) {
  Unit* u = c;
  int i;
  (void)no_set_before;
  for (i = 0; i < 10; ++i) u->out[i] += h * (u->in[i] - u->out[i]) + 0 * t;
  return OK;
}

/* What other masters look for before they load a unit. */
#define REFUSE(name, nothing) \
  EXPORT int name(nothing) { return ERROR; }
EXPORT const char* fmi2GetTypesPlatform(void) { return "default"; }
EXPORT int fmi2SetDebugLogging(void* c, int on, size_t n, const char* const* categories) {
  (void)c, (void)on, (void)n, (void)categories;
  return OK;
}
REFUSE(fmi2GetInteger, void)
REFUSE(fmi2GetBoolean, void)
REFUSE(fmi2GetString, void)
REFUSE(fmi2SetInteger, void)
REFUSE(fmi2SetBoolean, void)
REFUSE(fmi2SetString, void)
REFUSE(fmi2GetFMUstate, void)
REFUSE(fmi2SetFMUstate, void)
REFUSE(fmi2FreeFMUstate, void)
REFUSE(fmi2SerializedFMUstateSize, void)
REFUSE(fmi2SerializeFMUstate, void)
REFUSE(fmi2DeSerializeFMUstate, void)
REFUSE(fmi2GetDirectionalDerivative, void)
REFUSE(fmi2SetRealInputDerivatives, void)
REFUSE(fmi2GetRealOutputDerivatives, void)
REFUSE(fmi2CancelStep, void)
REFUSE(fmi2GetStatus, void)
REFUSE(fmi2GetRealStatus, void)
REFUSE(fmi2GetIntegerStatus, void)
REFUSE(fmi2GetBooleanStatus, void)
REFUSE(fmi2GetStringStatus, void)
