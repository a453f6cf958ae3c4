/* SPDX-License-Identifier: Apache-2.0 */
/* Models below the C++ header: what only a C author, or a library of another age, can get wrong. */
#include <stddef.h>
#include <tactus/model.h>

static double cell[4];

static int job(void* self, const tactus_call* call) {
  (void)self;
  (void)call;
  return 0;
}

static tactus_variable good_variable(void) {
  const tactus_variable v = {
      sizeof(tactus_variable), TACTUS_INPUT, TACTUS_DOUBLE, 0, cell, "u", "V", NULL, NULL, 0, 0};
  return v;
}
static tactus_job good_job(void) {
  const tactus_job j = {sizeof(tactus_job), "step", TACTUS_SCHEDULED, 60000, job, 0, 1};
  return j;
}

#define VARIABLE_MODEL(name, spoil)                      \
  static int name(const tactus_host* host, void* self) { \
    tactus_variable v = good_variable();                 \
    (void)self;                                          \
    spoil;                                               \
    return host->declare_variable(host->context, &v);    \
  }
#define JOB_MODEL(name, spoil)                           \
  static int name(const tactus_host* host, void* self) { \
    tactus_job j = good_job();                           \
    (void)self;                                          \
    spoil;                                               \
    return host->declare_job(host->context, &j);         \
  }

VARIABLE_MODEL(fine, (void)0)
VARIABLE_MODEL(misaligned, v.data = (char*)cell + 1)
VARIABLE_MODEL(no_memory, v.data = NULL)
VARIABLE_MODEL(old_variable, v.size = sizeof v - 16)
VARIABLE_MODEL(former_variable, (v.size = sizeof v - 8, v.columns = 7))
VARIABLE_MODEL(ragged, (v.count = 5, v.columns = 2))
VARIABLE_MODEL(bad_type, v.type = (tactus_type)99)
VARIABLE_MODEL(bad_role, v.role = (tactus_role)9)
VARIABLE_MODEL(no_name, v.name = NULL)
VARIABLE_MODEL(no_unit, v.unit = NULL)
JOB_MODEL(old_job, j.size = 4)
JOB_MODEL(bad_class, j.job_class = (tactus_job_class)99999)
JOB_MODEL(no_function, j.run = NULL)
JOB_MODEL(negative_cycle, j.cycle_num = -2)
JOB_MODEL(tiny_cycle, (j.cycle_num = 1, j.cycle_den = 1000))

static int silent(const tactus_host* host, void* self) {
  (void)host;
  (void)self;
  return 3;
}
static int null_declarations(const tactus_host* host, void* self) {
  (void)self;
  return host->declare_variable(host->context, NULL) + host->declare_job(host->context, NULL);
}

static int live;
static int make(const tactus_host* host, void** self) {
  (void)host;
  ++live;
  *self = &live;
  return 0;
}
static int refuse(const tactus_host* host, void** self) {
  host->fail(host->context, "no licence");
  *self = NULL;
  return 1;
}
static void destroy(void* self) { --*(int*)self; }

/* How many objects are alive; the tests look it up by name. */
TACTUS_EXPORT int raw_live(void);
int raw_live(void) { return live; }

#define MODEL(name)                          \
  static const tactus_model model_##name = { \
      TACTUS_ABI_VERSION, sizeof(tactus_model), #name, NULL, NULL, name, NULL}
MODEL(fine);
MODEL(misaligned);
MODEL(no_memory);
MODEL(old_variable);
MODEL(bad_type);
MODEL(bad_role);
MODEL(former_variable);
MODEL(ragged);
MODEL(no_name);
MODEL(no_unit);
MODEL(old_job);
MODEL(bad_class);
MODEL(no_function);
MODEL(negative_cycle);
MODEL(tiny_cycle);
MODEL(silent);
MODEL(null_declarations);
static const tactus_model model_counted = {
    TACTUS_ABI_VERSION, sizeof(tactus_model), "counted", NULL, make, fine, destroy};
static const tactus_model model_half = {
    TACTUS_ABI_VERSION, sizeof(tactus_model), "half", NULL, make, silent, destroy};
static const tactus_model model_refused = {
    TACTUS_ABI_VERSION, sizeof(tactus_model), "refused", NULL, refuse, fine, destroy};

static const tactus_model* const all[] = {&model_fine,
                                          &model_misaligned,
                                          &model_no_memory,
                                          &model_old_variable,
                                          &model_bad_type,
                                          &model_bad_role,
                                          &model_no_name,
                                          &model_no_unit,
                                          &model_old_job,
                                          &model_no_function,
                                          &model_bad_class,
                                          &model_negative_cycle,
                                          &model_tiny_cycle,
                                          &model_silent,
                                          &model_null_declarations,
                                          &model_former_variable,
                                          &model_ragged,
                                          &model_counted,
                                          &model_half,
                                          &model_refused};

const tactus_model* const* tactus_models(uint32_t* count) {
  *count = sizeof all / sizeof all[0];
  return all;
}
