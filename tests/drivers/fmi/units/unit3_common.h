/* SPDX-License-Identifier: Apache-2.0 */
/* Instance and state of a unit of FMI 3.0 of the tests. Its Data has a member `phase`. UNIT_SCHEDULED: for scheduled
 * execution; UNIT_EVENTS: for co-simulation with event mode. BEFORE_GET_STATE, BEFORE_SET_STATE: what comes first. */
#ifndef TACTUS_TEST_UNIT3_COMMON_H
#define TACTUS_TEST_UNIT3_COMMON_H

typedef struct {
  Data d; /* its state */
  void* environment;
  Log* log;
  Update* update;
  Lock *lock, *unlock;
  bool event_mode;
  int64_t* begun; /* of another instance, in another copy of the library */
} Unit;

#ifndef BEFORE_GET_STATE
#define BEFORE_GET_STATE(u) (void)(u)
#define BEFORE_SET_STATE(u) (void)(u)
#endif

static void set_defaults(Unit* u);

static inline int refuse(Unit* u, const char* what) {
  u->d.phase = FAILED;
  u->log(u->environment, ERROR, "logStatusError", what);
  return ERROR;
}
static inline Unit* new_unit(void* environment, Log* log) {
  Unit* u = calloc(1, sizeof(Unit));
  if (u == NULL) return NULL;
  u->environment = environment;
  u->log = log;
  set_defaults(u);
  return u;
}
/* Goes from one phase to another, if it is in the first. */
static inline int go_on(Unit* u, int from, int to, const char* what) {
  if (u->d.phase != from) return refuse(u, what);
  u->d.phase = to;
  return OK;
}

EXPORT const char* fmi3GetVersion(void) { return "3.0"; }
EXPORT void fmi3FreeInstance(void* c) { free(c); }

#ifdef UNIT_SCHEDULED
EXPORT void* fmi3InstantiateScheduledExecution(const char* name, const char* token, const char* resources,
                                               bool visible, bool logging, void* environment, Log* log,
                                               Update* update, Lock* lock, Lock* unlock) {
  Unit* u;
  (void)name, (void)visible, (void)logging, (void)resources;
  if (strcmp(token, UNIT_TOKEN) != 0 || update == NULL || lock == NULL || unlock == NULL) return NULL;
  u = new_unit(environment, log);
  if (u == NULL) return NULL;
  u->update = update;
  u->lock = lock;
  u->unlock = unlock;
  return u;
}
#endif

#ifdef UNIT_EVENTS
EXPORT void* fmi3InstantiateCoSimulation(const char* name, const char* token, const char* resources,
                                         bool visible, bool logging, bool event_mode, bool early,
                                         const uint32_t* intermediate, size_t n, void* environment, Log* log,
                                         void* update) {
  Unit* u;
  (void)name, (void)resources, (void)visible, (void)logging, (void)intermediate;
  if (strcmp(token, UNIT_TOKEN) != 0 || n != 0 || update != NULL || early != event_mode) return NULL;
  u = new_unit(environment, log);
  if (u != NULL) u->event_mode = event_mode;
  return u;
}
EXPORT int fmi3Reset(void* c) {
  set_defaults(c);
  return OK;
}
EXPORT int fmi3Terminate(void* c) {
  Unit* u = c;
  if (u->d.phase != READY && u->d.phase != EVENT && u->d.phase != SET) return refuse(u, "Terminate");
  u->d.phase = TERMINATED;
  return OK;
}
EXPORT int fmi3EnterEventMode(void* c) {
  Unit* u = c;
  if (!u->event_mode || (u->d.phase != READY && u->d.phase != SET)) return refuse(u, "EnterEventMode");
  u->d.phase = EVENT;
  return OK;
}
#endif

EXPORT int fmi3GetFMUState(void* c, void** s) {
  BEFORE_GET_STATE((Unit*)c);
  if (*s == NULL) *s = malloc(sizeof(Data));
  memcpy(*s, &((Unit*)c)->d, sizeof(Data));
  return OK;
}
EXPORT int fmi3SetFMUState(void* c, void* s) {
  BEFORE_SET_STATE((Unit*)c);
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
#endif
