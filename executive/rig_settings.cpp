#include "executive/rig_settings.hpp"

#include <chrono>
#include <concepts>
#include <memory>
#include <utility>

#include "config/number.hpp"
#include "config/rules.hpp"
#include "rtsync/frame_clock.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using config::choices;
using config::count;
using config::Fields;
using config::list;
using config::located;
using config::named;
using config::optional;
using config::or_word;
using config::range;
using config::required;
using rtsync::AtMaximum;
using rtsync::OnOverrun;
using rtsync::SchedPolicy;
using rtsync::SleeperKind;

// About 292 years: what a signed 64-bit count of nanoseconds holds.
constexpr Nanoseconds kEver = Nanoseconds::max();
constexpr std::int64_t kManyFrames = 1'000'000'000'000;

/// A simulated time: written like a period, but 0 s is one too.
struct SimTimeRule {
  template <class V>
  requires std::same_as<V, Period> config::Type<V> type()
  const {
    config::Type<Period> type = config::type_of<Period>(range(Period{1, 1}, Period{kEver}));
    config::Shape shape = *type.shape;
    shape.allowed = "at least 0 s";
    type.shape = std::make_shared<const config::Shape>(std::move(shape));
    type.read = [read = type.read](const config::Node& node, const config::Context& context, Period& time) {
      if (const auto zero = config::parse_duration(node.text()); zero && zero.value->count() == 0) {
        time = Period{};
        return true;
      }
      return read(node, context, time);
    };
    return type;
  }
};

const Fields<FrameSettings>& frame_fields() {
  static const Fields<FrameSettings> fields{
      "The frame: one turn of the executive, and the grid on which real time and simulated time meet.",
      {
          required("period", &FrameSettings::period, range(Period{1'000, 1}, Period{10'000'000'000, 1}),
                   "how long a frame is; exact, also for rates such as 60 Hz and fractions such as 1/3 ms"),
      }};
  return fields;
}

const Fields<RealtimeSection>& realtime_fields() {
  using R = RealtimeSection;
  static const Fields<R> fields{
      "Real-time synchronization: when frames start, and what happens when one is late.",
      {
          optional("enabled", &R::enabled, "pace the frames with the clock; off: as fast as they can"),
          optional(
              "clock", &R::clock,
              choices<ClockKind>({{"monotonic", ClockKind::monotonic, "CLOCK_MONOTONIC"},
                                  {"tsc", ClockKind::tsc, "the time-stamp counter, if it can be trusted"}}),
              "the rig's clock"),
          optional("sleeper", &R::sleeper,
                   choices<SleeperKind>(
                       {{"nanosleep", SleeperKind::nanosleep, "sleep to the slot"},
                        {"timerfd", SleeperKind::timerfd, "wait for a timer on the grid of slots"},
                        {"spin", SleeperKind::spin, "read the clock until the slot; uses the whole CPU"},
                        {"hybrid", SleeperKind::hybrid, "sleep until a margin before the slot, then spin"}}),
                   "how the rig waits for a slot"),
          optional("margin", &R::margin, or_word("measured", range(0ns, 1s), "measured at the start"),
                   "hybrid only: how long before the slot it stops sleeping"),
          optional("sleep_timer", &R::sleep_timer, "off: wait by reading the clock, whatever the sleeper is"),
          optional("on_overrun", &R::on_overrun,
                   choices<OnOverrun>(
                       {{"catch_up", OnOverrun::catch_up, "run the missed frames back to back"},
                        {"skip", OnOverrun::skip, "drop the missed slots, wake on the next of the same grid"},
                        {"reanchor", OnOverrun::reanchor, "start at once and lay the grid anew from there"}}),
                   "what happens to the grid when work is still going at the next slot"),
          optional("max_catch_up", &R::max_catch_up,
                   or_word("all", count("frames", 0, kManyFrames), "without bound"),
                   "catch_up only: how many missed frames are run back to back; slots beyond are lost"),
          optional("max_consecutive_overruns", &R::max_consecutive_overruns, count("frames", 1, kManyFrames),
                   "so many overruns in a row are too many"),
          optional("max_overrun", &R::max_overrun, range(1ns, kEver),
                   "a single overrun of this length is too long"),
          optional(
              "at_maximum", &R::at_maximum,
              choices<AtMaximum>({{"terminate", AtMaximum::terminate, "end the rig"},
                                  {"freeze", AtMaximum::freeze, "freeze it; it ends when it is unfrozen"}}),
              "what happens when one of the two maxima is reached"),
          optional("grace", &R::grace, count("frames", 0, kManyFrames),
                   "overruns of so many first frames are counted apart and reach no maximum"),
          optional("leak", &R::leak, config::or_value<std::int64_t>("off", 0, count("frames", 1, 1'000'000)),
                   "so many good frames pay back one overrun; off: one pays back all"),
          optional("ratio", &R::ratio, config::ratio(0.001, 1000), "simulated seconds per real second"),
          optional("late_limit", &R::late_limit,
                   or_word("tenth", range(1ns, 10s), "a tenth of the frame's real time"),
                   "a wake later than this after its slot is counted as a late wake"),
          optional("freeze_frame", &R::freeze_frame, range(Period{1'000'000, 1}, Period{1'000'000'000, 1}),
                   "how often a frozen rig looks for commands"),
      }};
  return fields;
}

const Fields<MainThreadSection>& main_thread_fields() {
  using T = MainThreadSection;
  static const Fields<T> fields{
      "The thread that runs the frames.",
      {
          optional("cpus", &T::cpus,
                   "where it runs; by default the last isolated CPU, or else the last one allowed"),
          optional(
              "policy", &T::policy,
              choices<SchedPolicy>({{"fifo", SchedPolicy::fifo, "SCHED_FIFO"},
                                    {"rr", SchedPolicy::rr, "SCHED_RR"},
                                    {"other", SchedPolicy::other, "SCHED_OTHER: no real-time scheduling"}}),
              "scheduling policy"),
          optional("priority", &T::priority, range(1, 99), "SCHED_FIFO or SCHED_RR priority"),
          optional("stack", &T::stack, config::bytes(64 << 10, 1 << 30),
                   "stack, touched before the first frame"),
      }};
  return fields;
}

const Fields<HelperThreadsSection>& helper_threads_fields() {
  using T = HelperThreadsSection;
  static const Fields<T> fields{
      "The ordinary threads beside the frames: service and recorder. Always SCHED_OTHER.",
      {optional("cpus", &T::cpus,
                "where they run; by default every allowed CPU that no real-time thread has")}};
  return fields;
}

const Fields<ThreadsSection>& threads_fields() {
  using T = ThreadsSection;
  static const Fields<T> fields{
      "Threads and where they run.",
      {
          optional("main", &T::main, main_thread_fields(), "the thread that runs the frames"),
          optional("helpers", &T::helpers, helper_threads_fields(), "all others"),
      }};
  return fields;
}

const Fields<MemorySection>& memory_fields() {
  using M = MemorySection;
  static const Fields<M> fields{"Memory that is there before it is needed.",
                                {
                                    optional("lock", &M::lock, "keep all memory in RAM (mlockall)"),
                                    optional("heap", &M::heap, config::bytes(0, std::int64_t{1} << 40),
                                             "heap touched before the first frame"),
                                }};
  return fields;
}

const Fields<JobSettings>& job_fields() {
  using J = JobSettings;
  static const Fields<J> fields{
      "What the rig changes of a job that its model declared.",
      {
          located(&J::origin),
          optional("cycle", &J::cycle,
                   or_word("declared", range(Period{1, 1}, Period{kEver}), "as the model has it"),
                   "how often it is called; shorter or longer than the frame"),
          optional("phase", &J::phase, or_word("declared", range(0, 65535), "as the model has it"),
                   "order within its class, low runs first"),
          optional("offset", &J::offset, SimTimeRule{},
                   "added to start: the first call is at start + offset"),
          optional("start", &J::start, SimTimeRule{}, "simulated time from which it is called"),
          optional("stop", &J::stop, or_word("never", SimTimeRule{}, "to the end"),
                   "simulated time after which it is not called any more; a call exactly then is made"),
          optional("enabled", &J::enabled, "off: it keeps its times but is not called"),
      }};
  return fields;
}

const Fields<ModelSettings>& model_fields() {
  using M = ModelSettings;
  static const Fields<M> fields{
      "A model: an instance of something in a shared library.",
      {
          located(&M::origin),
          required("model", &M::model, config::length(1, 200), "what the library calls it"),
          required("library", &M::library, config::length(1, 4096),
                   "a name (lib/tactus/lib<name>.so, $TACTUS_PLUGIN_PATH), or a path relative to this file "
                   "if it has a '/'"),
          optional("parameters", &M::parameters,
                   "values of parameters, and first values of inputs and states, each with its unit"),
          named("jobs", &M::jobs, job_fields(), "job", "changes to its jobs"),
      }};
  return fields;
}

const Fields<ConnectionSettings>& connection_fields() {
  using C = ConnectionSettings;
  static const Fields<C> fields{
      "A wire from an output (or state) to an input of the same type, size and unit.",
      {
          located(&C::origin),
          required("from", &C::from, config::length(1, 1000),
                   "model.variable, or one element: model.variable[2]"),
          required("to", &C::to, config::length(1, 1000), "model.variable, or one element"),
          optional("delayed", &C::delayed,
                   "yes: the input gets what stood there before the present instant; every loop needs one "
                   "such wire"),
          optional("scale", &C::scale, or_word("none", range(-1e300, 1e300)), "to = from * scale + offset"),
          optional("offset", &C::offset, or_word("none", range(-1e300, 1e300)), "to = from * scale + offset"),
      }};
  return fields;
}

const Fields<RecordingSettings>& recording_fields() {
  using R = RecordingSettings;
  static const Fields<R> fields{
      "A recording: chosen variables at a chosen rate in a file of the run folder.",
      {
          located(&R::origin),
          optional("driver", &R::driver, config::name(), "the file format: csv"),
          optional("every", &R::every, or_word("frame", range(Period{1, 1}, Period{kEver}), "once a frame"),
                   "time between two records"),
          required("variables", &R::variables, config::length(1, 1000),
                   "what is recorded: model.variable, model.variable[2], model.* or rt.late and its kin")
              .at_least(1),
      }};
  return fields;
}

}  // namespace

const Fields<RigSettings>& rig_fields() {
  using R = RigSettings;
  static const Fields<R> fields{
      "A rig: everything one file describes, and the process that runs it.",
      {
          required("rig", &R::rig, config::name(), "the name of the rig"),
          required("frame", &R::frame, frame_fields(), "the frame"),
          optional("until", &R::until, or_word("stopped", range(1ns, kEver), "until somebody ends it"),
                   "simulated time at which the run ends; --until and --frames change it"),
          optional("privileges", &R::privileges,
                   choices<Privileges>(
                       {{"prefer", Privileges::prefer, "go on without what the machine refuses, and say so"},
                        {"require", Privileges::require, "do not start without it (exit status 3)"}}),
                   "what a refused privilege means"),
          optional("realtime", &R::realtime, realtime_fields(), "real-time synchronization"),
          optional("threads", &R::threads, threads_fields(), "threads"),
          optional("memory", &R::memory, memory_fields(), "memory"),
          optional("dma_latency", &R::dma_latency, or_word("off", range(0ns, 1s), "leave it alone"),
                   "deepest sleep of the CPUs while running (/dev/cpu_dma_latency), in whole microseconds"),
          named("models", &R::models, model_fields(), "model", "the models, in their order"),
          list("connect", &R::connect, connection_fields(), "wires between models"),
          named("record", &R::record, recording_fields(), "recording", "recordings"),
          optional("frame_log", &R::frame_log, "write every real-time frame's times to frames.csv"),
          optional("job_times", &R::job_times, "measure every job, at one clock read each"),
      }};
  return fields;
}

rtsync::RealtimeSettings RealtimeSection::settings() const {
  rtsync::RealtimeSettings made;
  made.enabled = enabled;
  made.sleep_timer = sleep_timer;
  made.overrun = {on_overrun, max_catch_up, max_consecutive_overruns, max_overrun, at_maximum, grace, leak};
  made.ratio = ratio;
  made.late_limit = late_limit;
  made.freeze_frame = freeze_frame;
  return made;
}

}  // namespace tactus::executive
