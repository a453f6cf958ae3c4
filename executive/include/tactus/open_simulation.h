/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TACTUS_OPEN_SIMULATION_H
#define TACTUS_OPEN_SIMULATION_H
/** A rig in this process, run in episodes: the C API of libtactus.so. docs/episodes.md has the words, and
 * what becomes of each date.
 *
 *      tactus_open_simulation* rig = NULL;
 *      if (tactus_open_simulation_create("servo.yaml", NULL, &rig) != TACTUS_OK) complain();
 *      while (tactus_open_simulation_run_open(rig, next_stop(), in, 1, out, 1) == TACTUS_OK &&
 *             !tactus_open_simulation_over(rig))
 *        regulate(in, out);
 *      tactus_open_simulation_destroy(rig);
 *
 *  Every function that can fail returns a tactus_result; tactus_open_simulation_last_error() has the words.
 * No C++ exception comes out, and NULL where something is needed is TACTUS_ERROR_ARGUMENT. One simulation at
 * a time in a process; what it changes for the process stands in docs/episodes.md. Destroy it before exit().
 *
 *  Texts that are returned are valid until the same thread asks the same again.
 *
 *  Threads: run_open and run: one thread at a time, else TACTUS_ERROR_ARGUMENT. The others: any. destroy ends
 * the calls that are under way in other threads; none may begin once it was called.
 */
#include <stddef.h>
#include <tactus/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tactus_open_simulation tactus_open_simulation;

typedef enum tactus_result {
  TACTUS_OK = 0,
  TACTUS_ERROR_ARGUMENT, /**< an argument is NULL or of no use, or another thread is in a call */
  TACTUS_ERROR_RIG_FILE, /**< the rig file or an option; nothing was started */
  TACTUS_ERROR_MACHINE,  /**< the machine cannot do what the rig requires; nothing was started */
  TACTUS_ERROR_EPISODE,  /**< a date, a name or a type, a line for each; nothing has run */
  TACTUS_ENDED,          /**< the run is over: with run_open, since an earlier call */
  TACTUS_ERROR_INTERNAL  /**< anything else: no memory, no thread ... */
} tactus_result;

/** All zero, or no options at all: as `tactus run` without options, in real time unless the rig says no. */
typedef struct tactus_simulation_options {
  uint32_t size;          /**< sizeof(tactus_simulation_options) */
  int no_realtime;        /**< not 0: as fast as it can; refused with real outputs, but see drive_outputs */
  const char* out;        /**< the run folder, new or empty; NULL: runs/<rig>-<start time> */
  const char* until;      /**< simulated time, "10 s"; NULL: as the rig says */
  const char* const* set; /**< changes of the rig file: "path=value" */
  size_t set_count;
  /** Told what a person would want to see at once; on a thread of the simulation's. It must not call it. */
  void (*log)(void* context, const char* line);
  void* context;
  int drive_outputs; /**< not 0: with no_realtime, drive real outputs all the same. Since 0.1.0 */
} tactus_simulation_options;

/** A descriptor (variable) of an entity (model), at a date. */
typedef struct tactus_episode_item {
  uint32_t size;          /**< sizeof(tactus_episode_item); of all items of an array the same */
  const char* entity;     /**< "motor" */
  const char* descriptor; /**< "speed", or one element of an array: "force[2]" */
  const char* date;       /**< ISO 8601 with zone; NULL, in: the first frame of the episode; out: the last */
  tactus_type type;       /**< of the values; has to be the variable's */
  uint32_t count;         /**< of an array; 0: a scalar, or one element. Has to be the variable's */
  void* values;           /**< in: is read only. out: room for as many values */
  int filled;             /**< out: not 0 when the value was written; 0: the run ended before its date */
} tactus_episode_item;

/** Loads a rig file. `*made` is NULL when that fails. */
TACTUS_EXPORT tactus_result tactus_open_simulation_create(const char* rig_file,
                                                          const tactus_simulation_options* options,
                                                          tactus_open_simulation** made);

/** Runs every frame whose date is not after `stop_date` (NULL: to the end of the run), and returns when the
 *  rig is in Pause. The call that meets the end of the run returns TACTUS_OK too: see _over. */
TACTUS_EXPORT tactus_result tactus_open_simulation_run_open(tactus_open_simulation* simulation,
                                                            const char* stop_date,
                                                            const tactus_episode_item* in, size_t in_count,
                                                            tactus_episode_item* out, size_t out_count);
/** Without a stop date and without items: to the end of the run. */
TACTUS_EXPORT tactus_result tactus_open_simulation_run(tactus_open_simulation* simulation);

/** Goes on from a checkpoint of this run, by its name in the run's folder for checkpoints. The rig stands in
 *  Pause between two episodes; the next one begins behind the frame of the checkpoint. */
TACTUS_EXPORT tactus_result tactus_open_simulation_load_checkpoint(tactus_open_simulation* simulation,
                                                                   const char* name);

/** Back to the state before the initialization jobs, which run again. Returns when the rig is in Pause before
 *  frame 0: the next episode begins there, _frame is -1 and _date "". TACTUS_ERROR_EPISODE when it cannot be, with
 *  the reason: refused, and the rig stands where it stood; or the run ended on the way, see _over. */
TACTUS_EXPORT tactus_result tactus_open_simulation_reset(tactus_open_simulation* simulation);

/** Type, count (0: a scalar) and unit of a variable or one of its elements. Each of the three may be NULL. */
TACTUS_EXPORT tactus_result tactus_open_simulation_describe(const tactus_open_simulation* simulation,
                                                            const char* entity, const char* descriptor,
                                                            tactus_type* type, uint32_t* count,
                                                            const char** unit);

/** Ends the run in order, also one that has not begun, and wakes run_open; a second stop aborts. */
TACTUS_EXPORT tactus_result tactus_open_simulation_stop(tactus_open_simulation* simulation);

/** "Connect", "Pause", "StepEnd" ..., "Disconnect" when it is over. "" of no simulation. */
TACTUS_EXPORT const char* tactus_open_simulation_state(const tactus_open_simulation* simulation);
/** The last frame that was run, and its date, as of the last run_open; -1 and "" before the first. */
TACTUS_EXPORT int64_t tactus_open_simulation_frame(const tactus_open_simulation* simulation);
TACTUS_EXPORT const char* tactus_open_simulation_date(const tactus_open_simulation* simulation);
/** Not 0 when the run is over and has been reported. */
TACTUS_EXPORT int tactus_open_simulation_over(const tactus_open_simulation* simulation);
/** "completed", "stopped", "overrun", "clock_lost", "link_lost", "failed" or "aborted", and why; "" as long
 * as it is not over. A run that could not be started has failed. */
TACTUS_EXPORT const char* tactus_open_simulation_outcome(const tactus_open_simulation* simulation);
TACTUS_EXPORT const char* tactus_open_simulation_reason(const tactus_open_simulation* simulation);
/** As of `tactus run`: 0 completed or stopped, else 1; 1 as long as it is not over. */
TACTUS_EXPORT int tactus_open_simulation_exit_status(const tactus_open_simulation* simulation);

/** Stops a rig that still runs, waits for its end and frees it. NULL is nothing to do. A run_open or run that
 *  is under way in another thread ends as with _stop (after 5 s with an abort), and destroy waits until it
 * and all other calls have returned. The handle is no good from then on: whoever is in a loop has to know
 * that it ends before he asks the handle anything else. */
TACTUS_EXPORT void tactus_open_simulation_destroy(tactus_open_simulation* simulation);

/** What went wrong in the last call of this thread that returned a tactus_result; "" if nothing has. */
TACTUS_EXPORT const char* tactus_open_simulation_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
