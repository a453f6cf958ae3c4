/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TACTUS_DRIVER_H
#define TACTUS_DRIVER_H
/** What a driver's library offers to tactus: a C ABI, checked by version when the library is loaded.
 *
 *  The library is libtactus-<kind>-<name>.so and exports one function, `tactus_driver_entry`. C++ authors do not see
 *  any of this: they derive from a class of tactus/model_driver.hpp, tactus/record_driver.hpp or
 *  tactus/clock_driver.hpp.
 *
 *  Every struct begins with its size: fields are only ever added at the end. Texts are UTF-8. What tactus hands to a
 *  function is valid until that function returns, unless said otherwise; what a driver describes (its entry, keys,
 *  functions) is constant and stays.
 */
#include <tactus/model.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TACTUS_DRIVER_ABI_VERSION 1u

/** How a function says why it failed. It writes at most `room` bytes, with the final zero, and returns non-zero. */
typedef struct tactus_failure {
  uint32_t size; /**< sizeof(tactus_failure) */
  uint32_t room; /**< bytes of `text` */
  char* text;    /**< one sentence: what, and how it is mended. Empty on entry */
  /** A format: records that it took earlier, without an error, and that are in no file. Without the one that is being
   *  written. 0 on entry */
  uint64_t records_lost;
} tactus_failure;

/* ---- The keys of a driver in the rig file ------------------------------------------------------------------- */

typedef enum tactus_key_type {
  TACTUS_KEY_YES_NO = 1, /**< yes, off, true: tactus_value::whole is 1 or 0 */
  TACTUS_KEY_WHOLE,      /**< a whole number, low .. high: whole */
  TACTUS_KEY_NUMBER,     /**< a number in `unit`, low .. high: number. Without unit a bare number */
  TACTUS_KEY_TIME,       /**< "250 us", low .. high in nanoseconds: whole, nanoseconds */
  TACTUS_KEY_TEXT,       /**< a text of low .. high bytes: text */
  TACTUS_KEY_WORD,       /**< one of `words`: whole is its value, text the word */
  TACTUS_KEY_SECTION,    /**< a map with `keys`: values, in the order of the keys */
  TACTUS_KEY_NAMED       /**< a map from names to sections with `keys`: values, a section each, in order */
} tactus_key_type;

/** A word that a key understands. */
typedef struct tactus_word {
  const char* word;
  int64_t value;
  const char* meaning;
} tactus_word;

/** One key. tactus reads it from the rig file, refuses what does not fit with place and value, and shows it in
 *  `tactus check --reference` and `--schema`. */
typedef struct tactus_key {
  uint32_t size; /**< sizeof(tactus_key) */
  tactus_key_type type;
  const char* name;    /**< letters, digits, '_' */
  const char* meaning; /**< one line for people */
  uint32_t required;   /**< not 0: the rig file must have it */
  uint32_t list;       /**< not 0: a list of such values; `values` holds them. Not of NAMED */
  uint64_t at_least;   /**< entries that a list or NAMED must have */
  /** What holds without the key, as a rig file writes it: "comma", "250 us". NULL: 0, no, an empty text, the first word.
   *  Not of a list, a SECTION or NAMED. */
  const char* fallback;
  double low, high; /**< both 0: any number, time or length */
  /** NUMBER: "V"; NULL or "": none. TEXT: "file" for a file whose relative path begins in the folder of the rig file: the
   *  rig.yaml of a run folder has it whole. */
  const char* unit;
  const tactus_word* words;
  uint32_t word_count;
  uint32_t key_count;
  const struct tactus_key* const* keys; /**< of SECTION and NAMED */
  const char* noun;                     /**< NAMED: what a name stands for, "variable" */
  const char* about;                    /**< SECTION, NAMED: a sentence on the section; may be NULL */
  /** Short forms of a SECTION, and of the entries of NAMED: `door: 4` for `door: { line: 4 }` with "line", and
   *  `door: [4, 5]` for `door: { lines: [4, 5] }` with "lines"; NULL: none. */
  const char* short_value;
  const char* short_list;
  /** Not NULL: there is no such key, and a rig file that has it is refused with this sentence: "a clock is not debounced;
   *  clean the signal in hardware". Only `name` is read then. Added to version 1 later: a tactus
   *  that does not know it takes the key for one of `type`. */
  const char* refused;
} tactus_key;

/** The value of a key, checked. Valid while make() runs. */
typedef struct tactus_value {
  uint32_t size;
  tactus_key_type type;
  const char*
      name; /**< the key, the name of an entry of NAMED, "" of an entry of a list and of the driver's section */
  uint32_t given; /**< not 0: the rig file has it */
  uint32_t value_count;
  int64_t whole;
  double number;
  const char* text;                         /**< never NULL */
  const struct tactus_value* const* values; /**< of a list, SECTION and NAMED */
} tactus_value;

/** A parameter of a model in the rig file: `parameters: { size: 3 }`. tactus reads it when the model has declared a
 *  variable of its name. */
typedef struct tactus_given_parameter {
  const char* name;
  const char* text; /**< as the rig file has it, "3", "2 l"; never NULL */
} tactus_given_parameter;

/** What a driver is made of. Valid while make() runs. */
typedef struct tactus_settings {
  uint32_t size;
  uint32_t abi_version;
  const tactus_value* section; /**< a SECTION with the driver's keys */
  void* context;
  /** Says what no table of keys can say, at a place of the rig file: `path` is "chip", "lines.door.line",
   *  "lines.address.lines[1]", "" for the driver's section. The driver is then not used, whatever make() returns. */
  void (*problem)(void* context, const char* path, const char* message);
  /** Folder of the rig file, where relative paths of keys begin; "": not known. Added to version 1 later: look at `size`
   *  first. */
  const char* folder;
  /** A model: its parameters that are no lists, for one whose variables depend on them. Added to version 1 later. */
  const tactus_given_parameter* parameters;
  uint64_t parameter_count;
} tactus_settings;

/* ---- Devices ------------------------------------------------------------------------------------------------- */

/** What a device is told when it is opened. */
typedef struct tactus_open_request {
  uint32_t size;
  const char* rig; /**< name of the rig, by which other programs see what holds a device */
  /** 0: a process of the driver's own shall drive the safe values when this one is killed, if it can; not 0: the rig file
   *  wants none (`safe_outputs: process`). Added to version 1 later: look at `size` first. */
  uint32_t unguarded;
  /** A model: folder of the run, where it may make files of its own; "": there is none. Added to version 1 later. */
  const char* folder;
} tactus_open_request;

/* ---- Models of hardware -------------------------------------------------------------------------------------- */

/** An output outside of the process that one of the model's variables drives. */
typedef struct tactus_driven_output {
  uint32_t size;
  const char* variable; /**< as the model declares it */
  const char* what;     /**< "line 17 of /dev/gpiochip0" */
  const char* safe;     /**< its safe value as text; NULL: it has none */
} tactus_driven_output;

/** Importance of a message. */
#define TACTUS_MESSAGE_INFO 0
#define TACTUS_MESSAGE_WARNING 1

/** A message of a model for the rig's log. */
typedef struct tactus_message {
  uint32_t size;
  uint32_t room;  /**< bytes of `text` */
  char* text;     /**< one line; empty on entry */
  uint32_t level; /**< TACTUS_MESSAGE_...; INFO on entry */
} tactus_message;

/** A disturbance that a model offers: something of its device, and what happens to it there. The rig file has it as
 *  `faults: { NAME: { on: MODEL.TARGET, does: KIND, amount: AMOUNT } }`. Constant. */
typedef struct tactus_offered_fault {
  uint32_t size;
  uint32_t has_amount; /**< not 0: `amount` belongs to it */
  const char* target;  /**< "EngineData"; not the name of a variable */
  const char* kind;    /**< "wrong_checksum" */
  const char* meaning; /**< one line for people */
  const char* unit;    /**< of the amount, "s"; "": a bare number */
  double least, most;  /**< limits of the amount */
  double fallback;     /**< the amount where the rig file has none; NaN: it must have one */
  const char* refused; /**< not NULL: it cannot be had, with this reason: "message X has no counter" */
} tactus_offered_fault;

/** A class of a histogram: values up to `end`, above the end of the class before it. */
typedef struct tactus_class {
  double end;
  uint64_t count;
} tactus_class;

/** A part of the values of a histogram that was too large, and why: "bus", "rig", "injected". */
typedef struct tactus_share {
  const char* cause;
  uint64_t count;
} tactus_share;

/** A distribution that a model has measured. */
typedef struct tactus_histogram {
  uint32_t size;
  uint32_t class_count;
  const char* name;            /**< "EngineData.late"; unique, constant */
  const char* about;           /**< one line for people; constant */
  const char* unit;            /**< "s" */
  const char* not_measured;    /**< not NULL: a reason to doubt it: "the bus is simulated"; constant */
  uint64_t count;              /**< of all values */
  double longest;              /**< 0 without any */
  const tactus_class* classes; /**< those that are not empty, the smallest end first */
  double limit;                /**< values above it are too large; 0: none are */
  uint32_t share_count;        /**< of those too large, by cause */
  const tactus_share* shares;
} tactus_histogram;

/** Receiver of what tactus_model_functions::examine finds, line by line. */
typedef struct tactus_examination {
  uint32_t size;
  void* context;
  void (*line)(void* context, const char* text);
  /** A line about something wrong with the file. */
  void (*finding)(void* context, const char* text);
  /** The value of an option of the command, "bit-rate"; NULL: it is not given. An option that no driver asks for is
   *  refused. Added to version 1 later: look at `size` first. */
  const char* (*option)(void* context, const char* name);
} tactus_examination;

/** Receiver of the names that keys of a driver's section can have, for completion and for the schema of a rig file. */
typedef struct tactus_key_names {
  uint32_t size;
  void* context;
  /** A name that a key can have, with one line for people, which may be "". `path` is the key: "receive" of NAMED ones,
   *  "rest_of" of a list, "receive.EngineData.counter" of a text inside of an entry, which need not be in the rig file. A
   *  name of NAMED has no '.'. */
  void (*name)(void* context, const char* path, const char* name, const char* about);
  /** Says that a key can have no other names. `unless`: of NAMED, a key with which an entry may have any name; NULL or
   *  "": there is none. */
  void (*only)(void* context, const char* path, const char* unless);
} tactus_key_names;

/** tactus_driver::functions of kind "model". An instance is a model of the rig: declare() and its jobs are those of
 *  tactus/model.h. */
typedef struct tactus_model_functions {
  uint32_t size;
  /** Declares variables and jobs. Opens nothing: `tactus check` calls it, too. The host stays valid until destroy(). */
  int (*declare)(const tactus_host* host, void* self);
  /** Opens the device, before any job runs. A failure ends the rig with exit status 3, before the first frame. */
  int (*open)(void* self, const tactus_open_request* request, tactus_failure* failure);
  /** Drives the declared safe values at once; `for_good` not 0: whatever a frame that still runs writes, the outputs end
   *  up safe. Any thread, also inside of a signal handler, any number of times: async-signal-safe. Not 0: the device
   *  refused. NULL: the model drives no outputs. */
  int (*drive_safe)(void* self, int for_good);
  /** The outputs that it drives, for people who are about to move them; constant. NULL: none. It answers NULL with *count
   *  above 0 when it fails. */
  const tactus_driven_output* const* (*outputs)(void* self, uint32_t* count);
  /** Looks at the cycle that a job of a cyclic class has in the rig, cycle_num / cycle_den nanoseconds. After declare(),
   *  also for `tactus check`, and in a process of its own. A failure refuses the rig with its text. NULL: any cycle will
   *  do. This and what follows was added to version 1 later. */
  int (*planned)(void* self, const char* job, int64_t cycle_num, int64_t cycle_den, tactus_failure* failure);
  /** Takes the oldest message that waits for the rig's log. Not 0: there is none. On a thread that is not real-time,
   *  while jobs run, and after the last of them; one call at a time. NULL: it has none. */
  int (*take_message)(void* self, tactus_message* message);
  /** End of the names of files that such models are made of, ".fmu": `tactus check FILE` examines them. NULL: none. */
  const char* extension;
  /** Describes a file, without a rig. A failure: it cannot be read. NULL beside NULL of `extension`. */
  int (*examine)(const char* file, const tactus_examination* examination, tactus_failure* failure);
  /** Not 0: this model has outputs that drive_safe() drives; constant. NULL: each model of the driver has, if there is a
   *  drive_safe(). */
  int (*has_safe_values)(void* self);
  /** The disturbances that it offers; constant after declare(). NULL: none. Asked when a rig file has a fault with `does:`.
   *  A model in a process of its own is not asked. It answers NULL with *count above 0 when it fails. */
  const tactus_offered_fault* const* (*faults)(void* self, uint32_t* count);
  /** Begins the disturbance with this place in faults(), or ends it. On the thread of the frames, before the jobs of a
   *  frame run, but asynchronous ones may; the same may be said again. Inside a frame. NULL beside NULL of `faults`. */
  void (*disturb)(void* self, uint32_t number, int acts, double amount);
  /** How often it has had its effect: messages that were disturbed. After the last frame. NULL: it does not count. */
  uint64_t (*disturbed)(void* self, uint32_t number);
  /** The histogram with this number, from 0 on; NULL: there are no more. While jobs run, on a thread that is not
   *  real-time, and after the last of them; one call at a time. Valid until the next call. Not in a process of its own.
   *  NULL: the model measures nothing. */
  const tactus_histogram* (*histogram)(void* self, uint32_t number);
  /** Says which names keys of a section can have, for a rig file that is being written: keys that it lacks, or has wrong,
   *  have their defaults. It opens no device, makes no instance, and calls no problem(). A failure: they cannot be known.
   *  NULL: the driver knows none. */
  int (*names)(const tactus_settings* settings, const tactus_key_names* to, tactus_failure* failure);
  /** Says what a person should know before this model runs: one line for each call of `remark`, TACTUS_MESSAGE_WARNING of
   *  what will go wrong. For `tactus check`, after declare(), on an instance that is never opened. It opens no device. Not
   *  in a process of its own. NULL: there is nothing to say. */
  int (*remarks)(void* self, void* context, void (*remark)(void* context, uint32_t level, const char* text),
                 tactus_failure* failure);
} tactus_model_functions;

/* ---- Formats of recordings ----------------------------------------------------------------------------------- */

/** One column. Every record begins with the simulated time (int64, nanoseconds); `offset` counts from there. */
typedef struct tactus_column {
  uint32_t size;
  tactus_type type;
  const char* name;  /**< "motor.speed" */
  const char* unit;  /**< "": a pure number */
  const char* about; /**< one line for people; may be "" */
  uint64_t offset;   /**< not aligned */
  const tactus_label* labels;
  uint32_t label_count;
  uint32_t as_words; /**< not 0, an int32 with labels: text holds the names, not the numbers */
} tactus_column;

typedef struct tactus_recording {
  uint32_t size;
  uint32_t column_count;
  const char* name;
  int64_t epoch_ns;      /**< date of simulated time 0, since 1970-01-01T00:00:00Z */
  uint64_t record_bytes; /**< bytes of a record */
  const tactus_column* const* columns;
} tactus_recording;

/** How much of a file is whole. All 0 on entry. */
typedef struct tactus_examined {
  uint32_t size;
  uint32_t has_last;    /**< not 0: last_ns holds */
  uint64_t bytes;       /**< size of the file */
  uint64_t whole;       /**< up to the end of its last whole record; `tactus recover` cuts what is after it */
  uint64_t records;     /**< whole ones */
  int64_t last_ns;      /**< simulated time of the last of them */
  uint32_t damage_room; /**< bytes of `damage` */
  char* damage;         /**< damage before the last whole record; stays empty without any */
  uint32_t unended_room; /**< bytes of `unended`. Added to version 1 later: look at `size` first */
  char*
      unended; /**< what mend() adds to an ended file, beside cutting, "its index"; stays empty without any */
} tactus_examined;

/** Result of tactus_record_functions::mend. */
#define TACTUS_MENDED 0
#define TACTUS_MEND_FAILED 1
#define TACTUS_MEND_BY_CUTTING 2 /**< nothing more is needed than the cut after `whole`, which tactus makes */

/** Result of tactus_record_functions::next. */
#define TACTUS_NEXT_RECORD 0
#define TACTUS_NEXT_END 1
#define TACTUS_NEXT_DAMAGED 2 /**< this record cannot be read, the next call goes on with the one after it */
#define TACTUS_NEXT_FAILED 3

/** tactus_driver::functions of kind "record". An instance is the file of one recording. All calls come from one thread
 *  that is not real-time; they may block. After a failure tactus calls nothing but close(), counts what follows as lost
 *  and continues. */
typedef struct tactus_record_functions {
  uint32_t size;
  uint32_t has_dates;    /**< not 0: its files say when they were recorded */
  const char* prefix;    /**< file of recording "motion": prefix motion extension; may be "" */
  const char* extension; /**< ".ndjson"; shows the format, so that each has its own */
  /** Makes the file; one that is there is a failure. `recording` stays valid until close() or destroy(). */
  int (*open)(void* self, const char* file, const tactus_recording* recording, tactus_failure* failure);
  /** Takes one record. It may keep some for a while; what it hands to the operating system are whole records. */
  int (*write)(void* self, const void* record, tactus_failure* failure);
  /** Hands all records to the operating system: what was written until now survives a kill. */
  int (*flush)(void* self, tactus_failure* failure);
  /** Flushes and closes; also after a failure, also twice, also without open(). */
  int (*close)(void* self, tactus_failure* failure);
  /** Reads how far a file is whole, whatever ended the rig; changes nothing. NULL: this format cannot say. */
  int (*examine)(const char* file, tactus_examined* examined, tactus_failure* failure);
  /** Opens a file to read it back, also one that is still written. NULL: this format is never read. */
  int (*read)(const char* file, void** reader, tactus_failure* failure);
  /** The recording that a reader reads; valid until end_read(). Its columns come one after another, without gaps. */
  const tactus_recording* (*recording)(void* reader);
  int (*next)(void* reader, void* record, tactus_failure* failure); /**< TACTUS_NEXT_... */
  void (*end_read)(void* reader);
  /** Says which parts of such a recording its file does not keep, once each: "the enumerations". NULL: it keeps all. */
  int (*omits)(const tactus_recording* recording, void* context,
               void (*part)(void* context, const char* text), tactus_failure* failure);
  /** Makes an ended file of one that was examined, for `tactus recover`: TACTUS_MEND_... What was whole stays whole. The
   *  texts of `examined` are NULL. NULL: by cutting. Added to version 1 later. */
  int (*mend)(const char* file, const tactus_examined* examined, tactus_failure* failure);
} tactus_record_functions;

/* ---- Clocks of frames ---------------------------------------------------------------------------------------- */

typedef enum tactus_edge_status {
  TACTUS_EDGES = 0,     /**< one edge or more */
  TACTUS_NO_EDGE = 1,   /**< the deadline came, and no edge */
  TACTUS_CLOCK_GONE = 2 /**< the device is no more there, and there will be no edge any more */
} tactus_edge_status;

typedef struct tactus_edges {
  uint32_t size;
  uint32_t room;       /**< stamps that fit */
  int64_t* stamps_ns;  /**< CLOCK_MONOTONIC, oldest first, none before that of an earlier wait */
  uint32_t count;      /**< stamps written; 0 on entry */
  uint32_t overflowed; /**< not 0: edges may have been lost */
  int32_t error;       /**< errno value with TACTUS_CLOCK_GONE; 0 on entry */
} tactus_edges;

typedef enum tactus_grade { TACTUS_FACT_OK = 0, TACTUS_FACT_WARN = 1, TACTUS_FACT_FAIL = 2 } tactus_grade;

/** A row of `tactus doctor`. */
typedef struct tactus_fact {
  uint32_t size;
  tactus_grade grade;
  const char *name, *found, *needed, *why, *fix; /**< none is NULL */
} tactus_fact;

/** What `tactus doctor` asks of a clock. */
typedef struct tactus_clock_question {
  uint32_t size;
  uint32_t
      configured; /**< not 0: of the clock of a rig; 0: of this machine, as make() was called with defaults */
  int64_t measure_ns;    /**< watch the edges for this long; 0: do not */
  double edge_period_ns; /**< nominal time between two edges; 0: not known */
  void* context;
  void (*fact)(void* context, const tactus_fact* fact);
} tactus_clock_question;

/** tactus_driver::functions of kind "clock". */
typedef struct tactus_clock_functions {
  uint32_t size;
  /** Opens the device. A failure ends the rig with exit status 3. */
  int (*open)(void* self, const tactus_open_request* request, tactus_failure* failure);
  /** Waits until there are edges or the deadline (CLOCK_MONOTONIC, nanoseconds) has come, and writes the stamps of the
   *  edges that are there, as many as fit. A deadline in the past takes what is there, without waiting. A signal does not
   *  end the wait. On the thread of the frames: no lock, no allocation; system calls to wait and read alone. */
  tactus_edge_status (*wait)(void* self, int64_t deadline_ns, tactus_edges* edges);
  /** Name of what was opened, for messages: "gpiochip0 line 3, rising"; once the clock is gone also why. Valid until the
   * next call on the same thread; another thread than that of wait() may call it. */
  const char* (*what)(void* self);
  /** Adds rows to `tactus doctor`. NULL: none. Not on an opened clock. */
  int (*facts)(void* self, const tactus_clock_question* question, tactus_failure* failure);
} tactus_clock_functions;

/* ---- The driver ---------------------------------------------------------------------------------------------- */

typedef struct tactus_driver {
  uint32_t abi_version; /**< TACTUS_DRIVER_ABI_VERSION */
  uint32_t size;        /**< sizeof(tactus_driver) */
  const char* kind;     /**< "model", "record" or "clock": of what `functions` are */
  const char* name;     /**< what `driver:` in a rig file says */
  const char* about;    /**< a sentence for the reference page */
  const tactus_key* const* keys;
  uint64_t key_count;
  /** Makes an instance from its keys; opens nothing. */
  int (*make)(const tactus_settings* settings, void** self, tactus_failure* failure);
  /** Ends an instance, opened or not; what it holds is released. NULL: there is nothing to end. */
  void (*destroy)(void* self);
  const void* functions; /**< tactus_model_functions, tactus_record_functions or tactus_clock_functions */
  /** Not NULL: the driver cannot be used, and why; `kind` and `name` alone are read then. Added to version 1 later. */
  const char* failure;
} tactus_driver;

/** The one exported symbol of a driver's library. */
typedef const tactus_driver* (*tactus_driver_entry_function)(void);
TACTUS_EXPORT const tactus_driver* tactus_driver_entry(void);

#ifdef __cplusplus
}
#endif
#endif
