/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TACTUS_MODEL_H
#define TACTUS_MODEL_H
/** What a model library offers to tactus: a C ABI, checked by version when the library is loaded.
 *
 *  A library exports one function, `tactus_models`, that lists its models. C++ authors do not see any of
 * this: they derive from tactus::Model and write TACTUS_MODEL (tactus/model.hpp). C authors write a pair of
 * functions and TACTUS_C_MODEL (at the end of this page).
 *
 *  Every struct begins with its size: fields are only ever added at the end.
 */
#if defined(__SIZEOF_POINTER__) && __SIZEOF_POINTER__ != 8
#error "tactus has 64 bits: compile the model without -m32 and -mx32"
#endif
#if defined(__x86_64__) && !defined(__SSE2__)
#error \
    "tactus takes floating-point numbers in SSE registers: compile the model without -mno-sse and -mno-sse2"
#endif
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TACTUS_ABI_VERSION 1u
#if defined(__GNUC__)
#define TACTUS_EXPORT __attribute__((visibility("default")))
#else
#define TACTUS_EXPORT
#endif

typedef enum tactus_type {
  TACTUS_BOOL = 1, /**< one byte, 0 or 1 */
  TACTUS_INT8,
  TACTUS_UINT8,
  TACTUS_INT16,
  TACTUS_UINT16,
  TACTUS_INT32,
  TACTUS_UINT32,
  TACTUS_INT64,
  TACTUS_UINT64,
  TACTUS_FLOAT,
  TACTUS_DOUBLE
} tactus_type;

typedef enum tactus_role {
  TACTUS_PARAMETER = 1, /**< set from the rig file before the initialization jobs; constant afterwards */
  TACTUS_INPUT,         /**< written by a connection, read by the model */
  TACTUS_OUTPUT,        /**< written by the model */
  TACTUS_STATE          /**< written by the model, what it must remember from frame to frame */
} tactus_role;

/** When a job runs. Inside an instant the order is: class (by these numbers), phase, declaration. */
typedef enum tactus_job_class {
  TACTUS_DEFAULT_DATA = 100,   /**< once, before the parameters of the rig file are set */
  TACTUS_INITIALIZATION = 200, /**< after the parameters, before the first frame; again after a reset */
  TACTUS_TOP_OF_FRAME = 300,   /**< at the start of every frame, before anything else */
  /** At the first instant of a frame before which an action `on_event` asked for it, before the cyclic classes;
   *  once, however often it was asked for. It has no cycle of its own: cycle_num is 0. */
  TACTUS_ON_EVENT = 350,
  /* The cyclic classes, in this order at each instant. */
  TACTUS_ENVIRONMENT = 400,
  TACTUS_SENSOR = 500,
  TACTUS_SENSOR_EMITTER = 510,
  TACTUS_SENSOR_REFLECTOR = 520,
  TACTUS_SENSOR_RECEIVER = 530,
  TACTUS_SCHEDULED = 600,
  TACTUS_CONTROLLER = 700,
  TACTUS_EFFECTOR = 800,
  TACTUS_EFFECTOR_EMITTER = 810,
  TACTUS_EFFECTOR_RECEIVER = 820,
  TACTUS_LOGGING = 900,
  TACTUS_DATA_RECORD = 1000,
  /* Part of an integration loop (`integrate:` in the rig file), at the loop's cycle. */
  TACTUS_PRE_INTEGRATION = 1010,
  TACTUS_DERIVATIVE = 1020,  /**< computes derivatives from states: at every stage of the stepper */
  TACTUS_INTEGRATION = 1030, /**< once per cycle, after the stepper: a model that integrates by itself */
  TACTUS_POST_INTEGRATION = 1040,
  TACTUS_END_OF_FRAME = 1100,       /**< at the end of every frame, before it waits */
  TACTUS_FREEZE_INIT = 1110,        /**< when the rig freezes */
  TACTUS_FREEZE_SCHEDULED = 1120,   /**< while frozen, at a cycle of the freeze time */
  TACTUS_FREEZE_AUTOMATIC = 1130,   /**< while frozen, at freeze times that the job chooses with call_at */
  TACTUS_FREEZE = 1140,             /**< at the end of every freeze frame */
  TACTUS_UNFREEZE = 1150,           /**< when the rig leaves the freeze */
  TACTUS_CHECKPOINT = 1160,         /**< before the state is copied for a checkpoint */
  TACTUS_POST_CHECKPOINT = 1170,    /**< after it was copied */
  TACTUS_PRELOAD_CHECKPOINT = 1180, /**< before a checkpoint is loaded, or the rig is reset */
  TACTUS_RESTART = 1190,            /**< after a checkpoint was loaded, or the rig was reset */
  TACTUS_SHUTDOWN = 1200            /**< once, after the last frame */
} tactus_job_class;

/** tactus_job::cycle_num of a job that chooses its own next time: called first at its start, and then
 *  whenever call_at said so; not again if it did not. Cyclic classes and TACTUS_FREEZE_AUTOMATIC. */
#define TACTUS_DYNAMIC (-1)

/** What a model may ask of the rig, as from outside; taken at the end of the frame. */
typedef enum tactus_command {
  TACTUS_PAUSE = 1, /**< freeze */
  TACTUS_RESUME,
  TACTUS_STEP,      /**< run `value` frames (from now, or from the freeze), then freeze */
  TACTUS_RUN_UNTIL, /**< run until the simulated time `value` (nanoseconds), then freeze */
  TACTUS_STOP,      /**< end in order */
  TACTUS_RESET,     /**< back to the initial state, and on from there */
  TACTUS_ABORT,
  TACTUS_SAFE_STATE /**< drive all outputs of the rig to their safe values, then freeze */
} tactus_command;

/** A name for one value of an enumeration. */
typedef struct tactus_label {
  const char* name;
  int64_t value;
} tactus_label;

/** One variable of a model. Texts are copied; `data` must stay valid until the model is destroyed. */
typedef struct tactus_variable {
  uint32_t size; /**< sizeof(tactus_variable) */
  tactus_role role;
  tactus_type type;
  uint32_t count;             /**< 0: a scalar; otherwise a fixed array of that many elements in all */
  void* data;                 /**< aligned for its type */
  const char* name;           /**< letters, digits, '_' and '.'; unique in the model */
  const char* unit;           /**< "N m", "rad/s", "1" or "" for a pure number */
  const char* about;          /**< one line for people; may be NULL */
  const tactus_label* labels; /**< the names of an enumeration (integer types only); may be NULL */
  uint32_t label_count;
  uint64_t columns; /**< of a two-dimensional array, `double r[2][3]`: 3, and count is 6; 0: it has one
                         dimension or none */
} tactus_variable;

/** What a job is told when it is called. */
typedef struct tactus_call {
  int64_t
      sim_time_ns; /**< the time this call stands for; 0 in the first frame. Freeze classes: freeze time */
  int64_t frame;   /**< number of the frame, from 0; -1 outside the frames. Freeze classes: of the freeze
                        frame. On an asynchronous thread with a period: of the period */
  double dt;       /**< the job's cycle in seconds; 0 for a job that runs once */
} tactus_call;

/** Returns 0 to go on; anything else ends the rig (Abort), which names the job. Called inside a frame: it
 * must not block, allocate or lock. */
typedef int (*tactus_job_function)(void* self, const tactus_call* call);

/** One job of a model. The rig file may set cycle, offset, phase, start and stop; what stands here is the
 * default. */
typedef struct tactus_job {
  uint32_t size;    /**< sizeof(tactus_job) */
  const char* name; /**< unique in the model */
  tactus_job_class job_class;
  uint32_t phase; /**< 0 .. 65535, low runs first; 60000 if you do not care */
  tactus_job_function run;
  int64_t cycle_num; /**< cycle = cycle_num / cycle_den nanoseconds; 0 / 1: once every frame; or
                          TACTUS_DYNAMIC */
  int64_t cycle_den;
} tactus_job;

/** What tactus offers to a model while it declares itself. */
typedef struct tactus_host {
  uint32_t size;
  uint32_t abi_version;
  void* context;
  const char* instance; /**< the name of this model in the rig */
  /** 0, or not 0 when the variable or job is refused; the reason is kept and reported by tactus. */
  int (*declare_variable)(void* context, const tactus_variable* variable);
  int (*declare_job)(void* context, const tactus_job* job);
  /** Says why the function that is about to return non-zero did so. Copies at most 255 bytes; may be called
   *  inside a frame. */
  void (*fail)(void* context, const char* message);
  /** Real-time synchronization on (not 0) or off, from the end of the present frame on; at any time, from any
   * thread. Without effect under --no-realtime. */
  void (*set_realtime)(void* context, int on);
  /** Switches a job of a cyclic class ("model.job") on or off, from the next time it comes up; at any time
   * from the initialization jobs on. Not 0 when there is no such job. */
  int (*enable_job)(void* context, const char* job, int on);
  /** Names a double variable as a continuous state and another of the same size as its derivative; an
   * `integrate:` loop of the rig file integrates them. Only while the model declares itself. */
  int (*declare_integrated)(void* context, const char* state, const char* derivative);
  /** A variable that leaves low .. high ends the rig (see `guard:`); NaN: no bound on that side. Only while
   * the model declares itself. */
  int (*declare_range)(void* context, const char* variable, double low, double high);
  /** Says that the model remembers what its variables do not hold, so that the rig can neither be reset nor
   * continued from a checkpoint; `why` is told. Only while the model declares itself. */
  int (*cannot_restart)(void* context, const char* why);
  /** The next simulated time of a dynamic job of this model (without the model's name), in nanoseconds; it
   * has to lie after the present instant. From a job of the same model. Not 0 when there is no such job. */
  int (*call_at)(void* context, const char* job, int64_t sim_time_ns);
  /** Asks for something, from any thread at any time. Not 0 when the number is no command. */
  int (*command)(void* context, tactus_command command, int64_t value);
  /** Says why the value of a variable cannot be set from outside once the model is initialized: "is a fixed
   * parameter: ..." (a predicate that tells when it can). A parameter can then not be forced either. Only while the
   * model declares itself; look at `size` first, older tactus has no such function. */
  int (*declare_fixed)(void* context, const char* variable, const char* why);
} tactus_host;

typedef struct tactus_model {
  uint32_t abi_version; /**< TACTUS_ABI_VERSION */
  uint32_t size;        /**< sizeof(tactus_model) */
  const char* name;     /**< what `model:` in a rig file says */
  const char* about;
  /** Makes an instance. NULL when the model keeps its data in static storage: then a rig can have one of it.
   */
  int (*create)(const tactus_host* host, void** self);
  /** Declares the variables and jobs of an instance. */
  int (*declare)(const tactus_host* host, void* self);
  void (*destroy)(void* self); /**< may be NULL */
} tactus_model;

/* Options that change where fields lie, or how functions are called, are refused where the compiler can say it. */
#ifdef __cplusplus
#define TACTUS_NEEDS(condition, name, text) static_assert(condition, text)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define TACTUS_NEEDS(condition, name, text) _Static_assert(condition, text)
#else /* the name of a type that cannot be is what the compiler shows */
#define TACTUS_NEEDS(condition, name, text) \
  typedef char compile_the_model_without_##name[(condition) ? 1 : -1]
#endif
TACTUS_NEEDS(sizeof(tactus_role) == 4, fshort_enums,
             "tactus reads enumerations of 4 bytes: compile the model without -fshort-enums");
TACTUS_NEEDS(
    sizeof(tactus_variable) % sizeof(void*) == 0 && sizeof(tactus_job) % sizeof(void*) == 0, fpack_struct,
    "tactus reads structures that are not packed: compile the model without -fpack-struct, and close "
    "#pragma pack before this header");
#if defined(__x86_64__) && defined(__GNUC__)
TACTUS_NEEDS(sizeof(__builtin_va_list) == 24, mabi_ms,
             "tactus calls functions as Linux does: compile the model without -mabi=ms");
#endif
#undef TACTUS_NEEDS

/** The one exported symbol of a model library. */
typedef const tactus_model* const* (*tactus_models_function)(uint32_t* count);
TACTUS_EXPORT const tactus_model* const* tactus_models(uint32_t* count);

/** A model from a pair of functions: `int declare(const tactus_host*)` and `int step(void* self, const
 * tactus_call*)`. The step becomes a job "step" of class scheduled, once every frame. Once per library. */
#define TACTUS_C_MODEL(model_name, declare_function, step_function)                                     \
  static int tactus_c_declare(const tactus_host* host, void* self) {                                    \
    const tactus_job job = {sizeof(tactus_job), "step", TACTUS_SCHEDULED, 60000u, step_function, 0, 1}; \
    (void)self;                                                                                         \
    if (declare_function(host) != 0) return 1;                                                          \
    return host->declare_job(host->context, &job);                                                      \
  }                                                                                                     \
  static const tactus_model tactus_c_model = {                                                          \
      TACTUS_ABI_VERSION, sizeof(tactus_model), model_name, "", 0, tactus_c_declare, 0};                \
  static const tactus_model* const tactus_c_models[] = {&tactus_c_model};                               \
  TACTUS_EXPORT const tactus_model* const* tactus_models(uint32_t* count) {                             \
    *count = 1;                                                                                         \
    return tactus_c_models;                                                                             \
  }                                                                                                     \
  typedef int tactus_c_model_needs_a_semicolon

#ifdef __cplusplus
}
#endif
#endif
