// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <concepts>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "config/fields.hpp"
#include "executive/driver/safe_output.hpp"
#include "executive/integration/integrator.hpp"
#include "executive/isolation/on_crash.hpp"
#include "executive/plan/capability_settings.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/clock/edge_clock_settings.hpp"
#include "rtsync/thread/gate.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/time/period.hpp"
#include "rtsync/wait/overrun_policy.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"

/// Settings of a rig file: plain structs, filled and checked by the tables of rig_settings.cpp. Those of a capability
/// are in its folder, and found by RigSettings::of(). The reference
/// page (docs/rig-file.md) and the JSON Schema (tactus check --schema) are printed from the same tables.
namespace tactus::executive {

using config::Located;
using config::Origin;
using rtsync::Period;

enum class ClockKind { monotonic, tsc };
enum class Privileges { prefer, require };

struct FrameSettings {
  Period period{1'000'000, 1};
  bool operator==(const FrameSettings&) const = default;
};

/// A step of an escalation.
struct EscalationSettings : EscalationStep {
  Origin origin;
  bool operator==(const EscalationSettings&) const = default;
};
using EscalationSection = std::vector<EscalationSettings>;

/// The `realtime` section: how frames are paced, by which clock, and how it is waited for.
struct RealtimeSection : rtsync::RealtimeSettings {
  Located<bool> enabled{true};  ///< hides that of rtsync, which settings() gives this value
  ClockKind clock = ClockKind::monotonic;
  rtsync::SleeperKind sleeper = rtsync::SleeperKind::hybrid;
  std::optional<Nanoseconds> margin;
  EscalationSection escalation;
  std::int64_t restore_after = 1000;  ///< frames
  bool operator==(const RealtimeSection&) const = default;

  rtsync::RealtimeSettings settings() const {
    rtsync::RealtimeSettings all = *this;
    all.enabled = enabled.value;
    return all;
  }
};

/// The `clock` section: how the edges are followed, and the driver with its own keys.
struct ClockSection : rtsync::EdgeClockSettings {
  Origin origin;
  Located<std::string> driver{"internal"};
  config::Node device = config::Node::map({});  ///< the driver's own keys

  ClockSection();
  bool operator==(const ClockSection&) const = default;

  bool external() const { return driver.value != "internal"; }
  rtsync::EdgeClockSettings settings(const Period& rig_frame) const;
};

/// Longest time that something may take, if one is given.
using Budget = std::optional<Located<Nanoseconds>>;

struct MainThreadSection {
  std::vector<int> cpus;  ///< empty: one is chosen
  rtsync::SchedPolicy policy = rtsync::SchedPolicy::fifo;
  int priority = 80;
  std::int64_t stack = 512 << 10;
  Budget budget{};  ///< budget of its jobs in a frame
  EscalationSection escalation{};
  bool operator==(const MainThreadSection&) const = default;
};

struct HelperThreadsSection {
  std::vector<int> cpus;  ///< empty: all that the rig's real-time threads leave
  bool operator==(const HelperThreadsSection&) const = default;
};

/// A thread beside main that runs jobs.
struct WorkerSettings {
  std::string name;
  Origin origin;
  ThreadKind kind = ThreadKind::scheduled;
  std::optional<Period> period;  ///< asynchronous kinds: a whole number of frames
  std::vector<int> cpus;         ///< empty: chosen
  rtsync::SchedPolicy policy = rtsync::SchedPolicy::fifo;
  int priority = 80;
  std::int64_t stack = 512 << 10;
  std::optional<rtsync::WaitMode> trigger;  ///< nothing: adaptive in real time, futex outside of it
  Budget budget{};                          ///< budget of its jobs in a frame, or in its period
  EscalationSection escalation{};
  bool operator==(const WorkerSettings&) const = default;
};

struct ThreadsSection {
  MainThreadSection main;
  HelperThreadsSection helpers;
  std::vector<WorkerSettings> workers;
  Nanoseconds stuck_after{1'000'000'000};
  bool operator==(const ThreadsSection&) const = default;
};

struct MemorySection {
  bool lock = true;
  std::int64_t heap = 1 << 20;
  bool operator==(const MemorySection&) const = default;
};

struct JobSettings {
  std::string name;
  Origin origin;
  std::optional<Period> cycle;
  std::optional<int> phase;
  Period offset;
  Period start;
  std::optional<Period> stop;
  bool enabled = true;
  std::optional<Located<std::string>> thread;  ///< nothing: its model's
  std::vector<Located<std::string>> depends_on;
  Budget budget{};  ///< budget of a call
  EscalationSection escalation{};
  Budget hard_budget{};                               ///< budget of a call that still runs
  std::optional<Located<StepAction>> on_hard_budget;  ///< nothing: count
  std::optional<Located<std::int64_t>> optional;      ///< nothing: it is never left out
  std::optional<Located<std::int64_t>> demote;        ///< nothing: it is never called less often
  bool operator==(const JobSettings&) const = default;
};

/// Settings for all models of a library.
struct LibrarySettings {
  Origin origin;
  Located<std::string> library;
  bool isolated = false;
  std::optional<Located<OnCrash>> on_crash;
  bool operator==(const LibrarySettings&) const = default;
};

struct ModelSettings {
  std::string name;
  Origin origin;
  Located<std::string> model;
  Located<std::string> library;
  Located<std::string> driver;
  config::Node device = config::Node::map({});  ///< the driver's own keys
  Located<std::string> thread{"main"};
  config::Node parameters;
  config::Node limits{};                     ///< limits of its inputs: its jobs are given no more
  std::optional<Located<bool>> isolated;     ///< nothing: as its library
  std::optional<Located<OnCrash>> on_crash;  ///< nothing: abort
  std::vector<JobSettings> jobs;
  bool operator==(const ModelSettings&) const = default;
};

struct ConnectionSettings {
  Origin origin;
  Located<std::string> from;
  Located<std::string> to;
  bool direct = false;
  bool delayed = false;
  std::optional<double> scale;
  std::optional<double> offset;
  bool operator==(const ConnectionSettings&) const = default;
};

/// An integration loop: how it integrates, and whose states.
struct LoopSettings : IntegratorSettings {
  std::string name;
  Origin origin;
  std::vector<Located<std::string>> models;
  std::optional<Period> cycle;  ///< nothing: the frame
  Budget budget{};              ///< budget of a pass
  bool operator==(const LoopSettings&) const = default;

  const IntegratorSettings& settings() const { return *this; }
};

/// Work at a simulated time: one of the commands, or actions.
struct TimedDo {
  Command command = Command::pause;
  config::Node actions{};  ///< actions, as they are in the file; null: it is the command
  bool operator==(const TimedDo&) const = default;
};

/// A command at a simulated time; which of the other keys belong to it depends on `what`.
struct CommandSettings {
  Origin origin;
  Nanoseconds at{0};
  TimedDo what{};
  std::optional<Located<std::int64_t>> frames;
  std::optional<Located<Nanoseconds>> until;
  std::optional<Located<Nanoseconds>> rest;  ///< `for`
  std::optional<Located<std::string>> file;
  std::optional<Located<std::string>> job;
  bool operator==(const CommandSettings&) const = default;
};

/// The `guard` section: what ends the rig when a model's variables go wrong.
struct GuardSection {
  bool nan = true;
  bool ranges = true;
  bool operator==(const GuardSection&) const = default;
};

/// The `log` section: how large what a run writes for people may become.
struct LogSection {
  std::int64_t max_size = 100 << 20;     ///< bytes of log.txt
  std::int64_t max_journal = 100 << 20;  ///< bytes of journal.jsonl
  bool operator==(const LogSection&) const = default;
};

struct RigSettings {
  Located<std::string> rig;
  Located<std::string> epoch{"1970-01-01T00:00:00Z"};  ///< the date of simulated time 0; config/date.hpp
  FrameSettings frame;
  std::optional<Nanoseconds> until;
  Privileges privileges = Privileges::prefer;
  RealtimeSection realtime;
  ClockSection clock;
  SafeOutputs safe_outputs = SafeOutputs::guardian;
  Nanoseconds guardian_timeout{200'000'000};
  ThreadsSection threads;
  MemorySection memory;
  std::optional<Nanoseconds> dma_latency = Nanoseconds{0};
  std::vector<LibrarySettings> libraries;
  std::vector<ModelSettings> models;
  std::vector<ConnectionSettings> connect;
  std::vector<LoopSettings> integrate;
  std::vector<CommandSettings> commands;
  GuardSection guard;
  LogSection log;
  bool job_times = true;
  CapabilitySettings capabilities;
  bool operator==(const RigSettings&) const = default;

  /// Settings of a capability, as its folder declares them.
  template <class S>
  const S& of() const {
    return capabilities.of<S>();
  }
  template <class S>
  S& of() {
    return capabilities.of<S>();
  }
};

/// Rule for writing the escalation of a rig, a thread or a job: as a list of steps, or in short.
struct EscalationRule {
  config::Type<EscalationSection> base() const;

  template <class V>
  requires std::same_as<V, EscalationSection> config::Type<V> type()
  const { return base(); }
};

/// A number of frames that no run reaches.
inline constexpr std::int64_t kManyFrames = 1'000'000'000'000;

/// The table of one model; for keys that its driver should know, and has not got.
const config::Fields<ModelSettings>& model_fields();
/// Table of the clock section.
const config::Fields<ClockSection>& clock_fields();
/// Table of the realtime section.
const config::Fields<RealtimeSection>& realtime_fields();
/// The table of the whole rig file: the keys of the rig itself, and those of its capabilities.
const config::Fields<RigSettings>& rig_fields();
/// The file that names the rig; where `--set` names it, that of its first model; empty: it came as a text.
std::filesystem::path file_of(const RigSettings& settings);

}  // namespace tactus::executive
