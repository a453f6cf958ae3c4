// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/rig_settings.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <system_error>
#include <utility>

#include "config/number.hpp"
#include "config/rules.hpp"
#include "executive/plan/capability_section.hpp"
#include "executive/plan/setting_rules.hpp"
#include "rtsync/time/frame_clock.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;
using namespace setting;

/// A simulated time: written like a period, but 0 s is one too.
struct SimTimeRule {
  template <class V>
  requires std::same_as<V, Period> config::Type<V> type()
  const {
    config::Type<Period> type = any_period().base();
    config::Shape shape = *type.shape;
    shape.allowed = "at least 0 s";
    type.shape = std::make_shared<const config::Shape>(std::move(shape));
    type.reads([whole = type](const config::Node& node, const config::Context& context, Period& time) {
      if (const auto zero = config::parse_duration(node.text()); zero && zero.value->count() == 0) {
        time = Period{};
        return true;
      }
      return whole.read(node, context, time);
    });
    return type;
  }
};

Fields<FrameSettings> frame_fields() {
  return {
      "The frame: one cycle of the executive. Its period is the step of simulated time and the spacing of "
      "slots.",
      {
          required("period", &FrameSettings::period,
                   CountedPeriodRule{range(Period{1'000, 1}, Period{10'000'000'000, 1})},
                   "length of a frame; exact, also for rates such as 60 Hz and fractions such as 1/3 ms"),
      }};
}

Fields<MemorySection> memory_fields() {
  return {"Memory that is made available before it is needed.",
          {
              optional("lock", &MemorySection::lock, "keep all memory in RAM (mlockall)"),
              optional("heap", &MemorySection::heap, config::bytes(0, std::int64_t{1} << 40),
                       "heap to touch before the first frame, for jobs that allocate"),
          }};
}

Fields<JobSettings> job_fields() {
  using J = JobSettings;
  return {
      "Changes to a job that its model declared.",
      {
          located(&J::origin),
          optional("cycle", &J::cycle, or_word("declared", any_period(), "as the model has it"),
                   "time from one call to the next; may be shorter or longer than the frame"),
          optional("phase", &J::phase, or_word("declared", range(0, 65535), "as the model has it"),
                   "order within its class; low phases run first"),
          optional("offset", &J::offset, SimTimeRule{}, "delay of the first call after `start`"),
          optional("start", &J::start, SimTimeRule{},
                   "simulated time of the first call, before `offset` is added"),
          optional("stop", &J::stop, or_word("never", SimTimeRule{}, "to the end"),
                   "simulated time of the last call"),
          optional("enabled", &J::enabled, "off: keep its schedule, but do not call it"),
          optional("thread", &J::thread, name(),
                   "thread of this job alone: main or a worker; by default its model's"),
          list("depends_on", &J::depends_on, length(1, 1000),
               "jobs of other threads (model.job) to wait for when both are due at the same instant"),
          budget(&J::budget,
                 "time a call may take; longer calls are counted and reported, and `tactus check` adds "
                 "budgets up"),
          escalation(&J::escalation, "what to do when calls exceed the budget too often"),
          optional("hard_budget", &J::hard_budget, or_word("none", range(1us, 3600s)),
                   "report a call that exceeds this time while it still runs"),
          optional(
              "on_hard_budget", &J::on_hard_budget,
              choices<StepAction>(
                  {{"count", StepAction::count, "count it, and log it"},
                   {"freeze", StepAction::freeze,
                    "freeze the rig at the end of the frame; it ends when it is resumed"},
                   {"safe_state", StepAction::safe_state,
                    "drive the outputs safe at once, and freeze the rig; it ends when it is resumed"},
                   {"terminate", StepAction::terminate, "drive the outputs safe at once, and end the rig"}}),
              "what to do about a call that exceeds hard_budget; by default count"),
          left_out(&J::optional,
                   "1 .. 1000: allow an escalation's `shed` to leave it out, lower numbers first"),
          optional(
              "demote", &J::demote, or_word("no", range(2, 1000)),
              "n: allow an escalation's `demote` to make only every nth call, with `call.dt` of n cycles"),
      }};
}

Fields<ConnectionSettings> connection_fields() {
  using C = ConnectionSettings;
  return {
      "A connection from an output (or state) to an input of the same type, size and unit.",
      {
          located(&C::origin),
          required("from", &C::from, length(1, 1000), "model.variable, or one element: model.variable[2]"),
          required("to", &C::to, length(1, 1000), "model.variable, or one element"),
          optional("direct", &C::direct,
                   "yes: between scheduled threads, the later of two jobs due at one instant waits for the "
                   "earlier, as on one thread"),
          optional("delayed", &C::delayed,
                   "yes: the input gets the value from before the present instant; every loop needs one such "
                   "connection"),
          optional("scale", &C::scale, or_word("none", range(-1e300, 1e300)), "to = from * scale + offset"),
          optional("offset", &C::offset, or_word("none", range(-1e300, 1e300)), "to = from * scale + offset"),
      }};
}

config::Choices<IntegrationMethod> methods() {
  config::Choices<IntegrationMethod> all;
  for (const MethodFacts& each : kMethods)
    all.words.push_back({each.name, static_cast<std::int64_t>(each.method), each.about});
  return all;
}

Fields<LoopSettings> loop_fields() {
  using L = LoopSettings;
  return {
      "An integration loop: continuous states of some models, integrated together at a cycle, right before "
      "the jobs that are due at that time.",
      {
          located(&L::origin),
          required("models", &L::models, length(1, 64),
                   "models whose states are integrated, with their jobs of the integration classes; all on "
                   "one thread")
              .at_least(1),
          optional("cycle", &L::cycle, or_word("frame", any_period(), "once a frame"),
                   "time from one integration to the next"),
          optional("method", &L::method, methods(), "integration method"),
          optional("absolute_tolerance", &L::absolute_tolerance, range(1e-300, 1e300),
                   "dopri5 only: largest error of a step, in the unit of the state"),
          optional("relative_tolerance", &L::relative_tolerance, range(0.0, 1.0),
                   "dopri5 only: added to absolute_tolerance, as a fraction of the state"),
          optional("max_steps", &L::max_steps, count("steps", 1, 1'000'000),
                   "dopri5 only: largest number of steps in a cycle; the rest becomes one unchecked step, "
                   "which is counted"),
          budget(&L::budget, "time an integration may take, as a job's budget"),
      }};
}

Fields<GuardSection> guard_fields() {
  return {"Checks after every job that end the rig if they fail.",
          {
              optional("nan", &GuardSection::nan,
                       "end the rig if an output or state is infinite or not a number"),
              optional("ranges", &GuardSection::ranges,
                       "end the rig if a variable leaves the range that its model declared"),
          }};
}

Fields<LogSection> log_fields() {
  constexpr std::int64_t kLeast = 64 << 10, kMost = std::int64_t{1} << 40;
  return {
      "Size limits of the log and the journal of a run. Further lines are left out, counted in summary.json, "
      "and reported once in the log.",
      {
          optional("max_size", &LogSection::max_size, config::bytes(kLeast, kMost), "size of log.txt"),
          optional("max_journal", &LogSection::max_journal, config::bytes(kLeast, kMost),
                   "size of journal.jsonl, the changes by clients of live access"),
      }};
}

/// A text that is not written when there is none.
config::Field<ModelSettings> unless_empty(config::Field<ModelSettings> field) {
  field.value.write_at = [write = field.value.write_at](const void* text) {
    const config::Node node = write(text);
    return node.text().empty() ? config::Node() : node;
  };
  return field;
}

constexpr const char* kIsolated =
    "run each model in a process of its own: it reaches the rig only through its declared variables";
constexpr const char* kOnCrash =
    "isolated models only: what to do if the process ends, or a job exceeds half of threads.stuck_after; by "
    "default abort";
auto on_crash() {
  return choices<OnCrash>({{"abort", OnCrash::abort, "end the rig, outputs safe, as after a failed job"},
                           {"safe_state", OnCrash::safe_state,
                            "drive the outputs safe and freeze the rig; it ends when it is resumed"},
                           {"freeze", OnCrash::freeze, "freeze the rig; it ends when it is resumed"},
                           {"replace", OnCrash::replace,
                            "keep the last values of its variables, and do not call its jobs again"}});
}

}  // namespace

const Fields<LibrarySettings>& library_fields() {
  using L = LibrarySettings;
  static const Fields<L> fields{
      "Settings for all models of a library; a model's own settings override them.",
      {
          located(&L::origin),
          required("library", &L::library, length(1, 4096), "the library, as the models name it"),
          optional("isolated", &L::isolated, kIsolated),
          optional("on_crash", &L::on_crash, on_crash(), kOnCrash),
      }};
  return fields;
}

const Fields<ModelSettings>& model_fields() {
  using M = ModelSettings;
  static const Fields<M> fields{
      "A model: an instance of something in a shared library, or what a driver makes.",
      {
          located(&M::origin),
          unless_empty(optional("model", &M::model, length(0, 200), "name of the model in its library")),
          unless_empty(optional("library", &M::library, length(0, 4096),
                                "its name (lib/tactus/lib<name>.so, $TACTUS_PLUGIN_PATH), or a path with a "
                                "'/', relative to this file")),
          unless_empty(optional(
              "driver", &M::driver, length(0, 64),
              "instead of model and library: driver that makes the model from its keys here, e.g. gpio_in")),
          optional("thread", &M::thread, name(), "thread of its cyclic jobs: main or a worker"),
          optional("isolated", &M::isolated, kIsolated),
          optional("on_crash", &M::on_crash, on_crash(), kOnCrash),
          optional("parameters", &M::parameters,
                   "values of parameters, and initial values of inputs and states, each with its unit"),
          optional("limits", &M::limits,
                   "limits of inputs that drive real outputs: { valve: [ 0 V, 5 V ], motor: { "
                   "least, most, "
                   "max_rate } } (output-safety.md)"),
          named("jobs", &M::jobs, job_fields(), "job", "changes to its jobs"),
          rest(&M::device, "with a driver: its own"),
      }};
  return fields;
}

std::filesystem::path file_of(const RigSettings& settings) {
  std::vector<std::filesystem::path> places{settings.rig.place.file};
  if (!settings.models.empty()) places.emplace_back(settings.models.front().origin.place.file);
  std::error_code error;
  for (const std::filesystem::path& file : places)
    if (std::filesystem::is_regular_file(file, error)) return std::filesystem::absolute(file, error);
  return {};
}

namespace {

/// The keys that every rig has, whatever it can do beside its frames.
std::vector<config::Field<RigSettings>> own_keys() {
  using R = RigSettings;
  return {
      required("rig", &R::rig, name(), "the name of the rig"),
      required("frame", &R::frame, frame_fields(), "the frame"),
      optional("epoch", &R::epoch,
               "date of simulated time 0: ISO 8601 with zone, e.g. 2005-02-15T00:00:00+00:00"),
      optional("until", &R::until, or_word("stopped", range(1ns, kEver), "until it is ended"),
               "simulated time at which the run ends, rounded up to whole frames; --until and --frames "
               "override it"),
      optional("privileges", &R::privileges,
               choices<Privileges>({{"prefer", Privileges::prefer, "continue without it, and report it"},
                                    {"require", Privileges::require, "do not start (exit status 3)"}}),
               "what to do if the machine refuses a privilege"),
      optional("realtime", &R::realtime, realtime_fields(), "real-time synchronization"),
      optional("clock", &R::clock, clock_fields(), "the frame clock, if it comes from outside"),
      optional("safe_outputs", &R::safe_outputs,
               choices<SafeOutputs>(
                   {{"guardian", SafeOutputs::guardian,
                     "the rig's process, and a separate process if the rig's is killed or hangs"},
                    {"process", SafeOutputs::process, "the rig's process alone, at its end or crash"}}),
               "what drives the outputs to their safe values"),
      optional(
          "guardian_timeout", &R::guardian_timeout, range(1ms, 60s),
          "let the guardian drive the outputs safe if no frame ends for this long; more than two frames"),
      optional("threads", &R::threads, threads_fields(), "threads"),
      optional("memory", &R::memory, memory_fields(), "memory"),
      optional("dma_latency", &R::dma_latency, or_word("off", range(0ns, 1s), "do not change it"),
               "limit the wake-up latency of sleeping CPUs (/dev/cpu_dma_latency), in whole microseconds"),
      list("libraries", &R::libraries, library_fields(), "settings for all models of a library"),
      named("models", &R::models, model_fields(), "model", "the models, in their order"),
      list("connect", &R::connect, connection_fields(), "connections between models"),
      named("integrate", &R::integrate, loop_fields(), "loop", "integration loops"),
      list("commands", &R::commands, commands_fields(), "commands at simulated times"),
      optional("guard", &R::guard, guard_fields(), "guards of the variables"),
      optional("log", &R::log, log_fields(), "size limits of the log and the journal"),
      optional("job_times", &R::job_times, "measure every job, at the cost of one clock read per call"),
  };
}

}  // namespace

const Fields<RigSettings>& rig_fields() {
  static std::mutex mutex;
  static std::map<std::vector<const CapabilitySection*>, const Fields<RigSettings>> tables;
  std::vector<const CapabilitySection*> sections = capability_sections();
  const std::lock_guard lock(mutex);
  if (const auto made = tables.find(sections); made != tables.end()) return made->second;
  std::vector<config::Field<RigSettings>> keys = own_keys();
  for (const CapabilitySection* const section : sections)
    if (section->keys != nullptr)
      for (config::Field<RigSettings>& key : section->keys()) keys.push_back(std::move(key));
  return tables
      .try_emplace(std::move(sections),
                   "A rig: everything one file describes, and the process that runs it. Further keys `x-...` "
                   "hold parts that its sections use by an alias.",
                   keys)
      .first->second;
}

}  // namespace tactus::executive
