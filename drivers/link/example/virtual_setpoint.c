/* SPDX-License-Identifier: Apache-2.0 */
/// A virtual participant, as a first example of one: it moves a set-point between 0 and 20 rad, one message
/// in each virtual step, and watches what becomes of it. config/rigs/linked.yaml is its counterpart.
///
///     tactus-virtual-setpoint [--registry URI] [--name NAME] [--step MS] [--seconds S] [--quiet]
///
///     publishes   setpoint   rad   a double in SIL Kit's own serialization: 8 bytes, little-endian
///     subscribes  position   rad   the same
///
/// Ends when the simulation does, after that many virtual seconds (0: never), or by SIGINT or SIGTERM, which
/// stop the simulation; the second one ends it at once. Exit status: 0 the simulation ran and was stopped, 1
/// it failed or never ran, 2 wrong arguments.
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/silkit.h>
#include <unistd.h>

static const char* const kMediaType = "application/vnd.vector.silkit.data; protocolVersion=1";
static const double kFar = 20;     // rad
static const double kMove = 1;     // s
static const double kDwell = 0.5;  // s, at each end

struct Setpoint {
  SilKit_LifecycleService* lifecycle;
  SilKit_DataPublisher* setpoint;
  double position;   ///< the last one that came; not a number before
  uint64_t end_ns;   ///< virtual; UINT64_MAX: none
  uint64_t tell_ns;  ///< virtual time of the next line
  int quiet;
};

static _Atomic(SilKit_LifecycleService*) running;  // what a signal stops

static void must(SilKit_ReturnCode code, const char* what) {
  if (code == SilKit_ReturnCode_SUCCESS) return;
  fprintf(stderr, "tactus-virtual-setpoint: %s: %s\n", what, SilKit_GetLastErrorString());
  _exit(1);  // also from a handler, where exit() would wait for itself
}

/// There and back for ever; speed and acceleration are 0 at both ends of a move.
static double setpoint_at(double t) {
  const double half = kMove + kDwell;
  const double phase = fmod(t, 2 * half);
  const double x = fmin(fmod(phase, half) / kMove, 1);
  const double y = x * x * x * (10 + x * (6 * x - 15));
  return kFar * (phase < half ? y : 1 - y);
}

static void write_double(uint8_t* bytes, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  for (int i = 0; i < 8; ++i) bytes[i] = (uint8_t)(bits >> (8 * i));
}

static double read_double(const uint8_t* bytes) {
  uint64_t bits = 0;
  for (int i = 0; i < 8; ++i) bits |= (uint64_t)bytes[i] << (8 * i);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// Handlers come one at a time, on the library's thread: nothing here needs a lock.

static void on_position(void* context, SilKit_DataSubscriber* subscriber,
                        const SilKit_DataMessageEvent* message) {
  (void)subscriber;
  struct Setpoint* const self = context;
  if (message->data.size == 8) self->position = read_double(message->data.data);
}

static void on_step(void* context, SilKit_TimeSyncService* time, SilKit_NanosecondsTime now,
                    SilKit_NanosecondsTime duration) {
  (void)time;
  (void)duration;
  struct Setpoint* const self = context;
  const double t = (double)now * 1e-9;
  const double setpoint = setpoint_at(t);
  uint8_t bytes[8];
  write_double(bytes, setpoint);
  const SilKit_ByteVector data = {bytes, sizeof bytes};
  must(SilKit_DataPublisher_Publish(self->setpoint, &data), "publish");
  if (!self->quiet && now >= self->tell_ns) {
    printf("virtual time %7.3f s   setpoint %7.3f rad   position %7.3f rad\n", t, setpoint, self->position);
    self->tell_ns = (now / 1000000000U + 1) * 1000000000U;
  }
  if (now >= self->end_ns) SilKit_LifecycleService_Stop(self->lifecycle, "the time is over");
}

static void* on_signals(void* set) {
  int signal = 0;
  for (int count = 1; sigwait(set, &signal) == 0; ++count) {
    SilKit_LifecycleService* const lifecycle = atomic_load(&running);
    SilKit_ParticipantState state = SilKit_ParticipantState_Invalid;
    if (lifecycle != NULL) SilKit_LifecycleService_State(&state, lifecycle);
    const int runs = state == SilKit_ParticipantState_Running || state == SilKit_ParticipantState_Paused;
    if (count > 1 || !runs) _exit(1);
    SilKit_LifecycleService_Stop(lifecycle, "stopped by the user");
  }
  return NULL;
}

/// Blocks these signals before any other thread exists: all of them inherit that.
static void listen_for_signals(void) {
  static sigset_t set;
  pthread_t listener;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  if (pthread_create(&listener, NULL, on_signals, &set) != 0) exit(1);
  pthread_detach(listener);
}

static SilKit_DataSpec double_on(const char* topic) {
  SilKit_DataSpec spec = tactus_silkit_DataSpec();
  spec.topic = topic;
  spec.mediaType = kMediaType;
  return spec;
}

/// The number that an option was given; ends the program when it is none.
static double number(const char* option, const char* text, double least, double most) {
  char* end = NULL;
  const double value = text == NULL ? NAN : strtod(text, &end);
  if (text != NULL && end != text && *end == '\0' && value >= least && value <= most) return value;
  fprintf(stderr, "tactus-virtual-setpoint: %s wants a number from %g to %g\n", option, least, most);
  exit(2);
}

int main(int argc, char** argv) {
  const char* registry = "silkit://localhost:8500";
  const char* name = "Setpoint";
  double step_ms = 1;
  double seconds = 0;
  struct Setpoint self = {.position = NAN, .end_ns = UINT64_MAX};
  for (int i = 1; i < argc; ++i) {
    const char* const option = argv[i];
    if (strcmp(option, "--quiet") == 0) {
      self.quiet = 1;
      continue;
    }
    const char* const value = argv[++i];  // argv[argc] is null
    if (value != NULL && strcmp(option, "--registry") == 0) {
      registry = value;
    } else if (value != NULL && strcmp(option, "--name") == 0) {
      name = value;
    } else if (strcmp(option, "--step") == 0) {
      step_ms = number(option, value, 1e-6, 1e6);
    } else if (strcmp(option, "--seconds") == 0) {
      seconds = number(option, value, 0, 1e9);
    } else {
      fprintf(stderr, "usage: %s [--registry URI] [--name NAME] [--step MS] [--seconds S] [--quiet]\n",
              argv[0]);
      return strcmp(option, "--help") == 0 ? 0 : 2;
    }
  }
  if (seconds > 0) self.end_ns = (uint64_t)llround(seconds * 1e9);
  setvbuf(stdout, NULL, _IOLBF, 0);
  listen_for_signals();

  // Join. The library's own log goes to stdout unless it is told otherwise.
  SilKit_ParticipantConfiguration* configuration = NULL;
  SilKit_Participant* participant = NULL;
  must(SilKit_ParticipantConfiguration_FromString(&configuration, "Logging: { Sinks: [] }"), "configuration");
  must(SilKit_Participant_Create(&participant, configuration, name, registry), "cannot join");

  // Lifecycle and virtual time: coordinated, so that all begin together.
  SilKit_LifecycleConfiguration coordinated = tactus_silkit_LifecycleConfiguration();
  coordinated.operationMode = SilKit_OperationMode_Coordinated;
  SilKit_TimeSyncService* time = NULL;
  must(SilKit_LifecycleService_Create(&self.lifecycle, participant, &coordinated), "lifecycle");
  must(SilKit_TimeSyncService_Create(&time, self.lifecycle), "time");
  must(SilKit_TimeSyncService_SetSimulationStepHandler(time, &self, on_step,
                                                       (SilKit_NanosecondsTime)llround(step_ms * 1e6)),
       "step handler");

  // Signals.
  SilKit_DataSpec setpoint = double_on("setpoint");
  SilKit_DataSpec position = double_on("position");
  SilKit_DataSubscriber* subscriber = NULL;
  must(SilKit_DataPublisher_Create(&self.setpoint, participant, "setpoint", &setpoint, 0), "setpoint");
  must(SilKit_DataSubscriber_Create(&subscriber, participant, "position", &position, &self, on_position),
       "position");

  // Run, until somebody stops the simulation.
  SilKit_ParticipantState last = SilKit_ParticipantState_Invalid;
  must(SilKit_LifecycleService_StartLifecycle(self.lifecycle), "start");
  atomic_store(&running, self.lifecycle);
  if (!self.quiet) printf("%s has joined %s\n", name, registry);
  must(SilKit_LifecycleService_WaitForLifecycleToComplete(self.lifecycle, &last), "end");
  if (!self.quiet)
    printf(last == SilKit_ParticipantState_Shutdown ? "the simulation was stopped\n"
                                                    : "the simulation failed\n");
  atomic_store(&running, NULL);
  SilKit_Participant_Destroy(participant);
  SilKit_ParticipantConfiguration_Destroy(configuration);
  return last == SilKit_ParticipantState_Shutdown ? 0 : 1;
}
