// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Live access: how programs outside see and change a rig while it runs.
///
///     server (driver of kind "live") ──► LiveRig ──► rings and cells ──► frames
///
/// Everything that is read comes from one snapshot: a copy of all variables that the frames make at the end
/// of a frame, in the slack, and only on request. Everything that is written waits for a StepBegin.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/json.hpp"
#include "config/node.hpp"
#include "config/place.hpp"
#include "executive/driver/command.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/live_knowledge.hpp"
#include "executive/driver/statistics.hpp"
#include "executive/model/variable.hpp"
#include "rtsync/interface.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// Rights on a variable from outside.
enum class LiveRights : std::uint8_t {
  full,        ///< set, forced, released
  force_only,  ///< it is written in every frame: a value that is set would not last
  read_only,   ///< the executive's own
};

struct LiveVariable {
  const Variable* variable = nullptr;
  const ModelInstance* model = nullptr;  ///< nullptr: the executive's own
  LiveRights rights = LiveRights::full;
  /// Reason why rights are not full: "is fed by 'controller.torque'; force it instead"
  std::string reason{};
  std::size_t offset = 0;  ///< offset in LiveSnapshot::bytes
};

/// All variables as they stood at the end of one frame (or freeze frame).
struct LiveSnapshot {
  std::int64_t sequence = 0;     ///< counts up with every snapshot
  std::int64_t frame = -1;       ///< the last frame that was run; -1 before the first
  std::int64_t sim_time_ns = 0;  ///< simulated time at which that frame began; 0 before the first
  RigFigures rig{};              ///< state and statistics at the same moment
  std::vector<std::byte> bytes{};
};
using LiveSnapshotPtr = std::shared_ptr<const LiveSnapshot>;

/// One change of one variable.
struct LiveWrite {
  enum class Kind : std::uint8_t {
    set,          ///< once
    force,        ///< write again after every other writer, until it is released
    release,      ///< the end of a force; the value stays until it is written
    release_all,  ///< release all forces; `ref` and `bytes` mean nothing
  };
  Kind kind = Kind::set;
  LiveRef ref{};
  std::vector<std::byte> bytes{};  ///< values of all elements of `ref`; none to release
};
/// "set", "force", "release", "release_all".
std::string_view name_of(LiveWrite::Kind kind);

/// Result of a batch.
struct LiveDone {
  bool applied = false;
  std::int64_t frame = -1;  ///< frame at whose StepBegin it happened
  std::string problem{};    ///< reason of a failure: its frame had begun already, or the run ended before it
};

/// The reason of a run that a client has stopped.
inline constexpr const char* kStoppedByClient = "stopped by a client (live)";

/// Changes that take effect together, before any job of a frame, or not at all; or a command.
struct LiveBatch {
  std::vector<LiveWrite> writes{};
  std::optional<std::int64_t> frame{};  ///< nothing: the next one that begins
  std::string who{};                    ///< client, for the journal
  /// First frame in which it may happen if `frame` is not set; while the rig is paused it is not waited for.
  std::int64_t not_before = 0;
  /// Instead of writes: a command that the frames take (but no pause at a time), given in that frame and taken
  /// at its end.
  std::optional<CommandCall> command{};
};

/// A value with the type of its variable.
struct LiveValue {
  LiveRef ref{};
  std::vector<std::byte> bytes{};
};

/// An entity (model), one of its descriptors (variables), and a date (ISO 8601 with zone). `type` and
/// `count`, if the client says that it knows them, must be those of the variable.
struct EpisodeItem {
  std::string entity;
  std::string descriptor;
  std::optional<std::string> date{};
  bool typed = false;
  tactus_type type = TACTUS_DOUBLE;
  std::uint32_t count = 0;  ///< 0: a scalar
};
/// A value for a variable: `value` as JSON, or `data` if it is typed: the client's memory, which is read in the call
/// that gives the request, once `type` and `count` are known to be those of the variable.
struct EpisodeInput : EpisodeItem {
  config::Json value{};
  const std::byte* data = nullptr;
};

/// One call of OpenSimulation::run_open.
struct EpisodeRequest {
  std::optional<std::string> stop{};  ///< the last date whose frame is run; nothing: to the end of the run
  std::vector<EpisodeInput> in{};
  std::vector<EpisodeItem> out{};
  std::string who{};
};

struct EpisodeEnd {
  /// All that is wrong with the request, and nothing has run; or, with `date`, what went wrong while it ran.
  std::vector<std::string> problems{};
  bool conflict = false;  ///< the request is right, but the rig is not in the state for it
  bool ended = false;     ///< the run is over
  std::string outcome{};  ///< then: "completed" ...; see RunEnd
  std::string reason{};
  std::int64_t frame = -1;  ///< the last one that was run
  std::string date{};       ///< its date
  std::vector<LiveValue>
      out{};  ///< one for each of the request's; without bytes when the run ended before it
};

/// Facts that do not change while a rig runs.
struct LiveFacts {
  std::string rig;
  std::filesystem::path folder;  ///< folder of the run
  rtsync::Period frame;
  std::int64_t epoch_ns = 0;        ///< date of simulated time 0, since 1970-01-01T00:00:00Z
  std::int64_t frames = INT64_MAX;  ///< planned; INT64_MAX: no end
  bool realtime = false;
  bool linked = false;
  std::int64_t max_journal = INT64_MAX;  ///< bytes of the journal
  std::string run{};                     ///< another in every run
  std::filesystem::path file{};          ///< the rig file; empty: there is none
};

/// A rig as servers see it.
///
/// Threads  any but the frames'. Callbacks come from a thread of the rig's own ("live"), one at a time, never
///          from inside the call that asked for them; they must be short, and may ask again. After close()
///          none comes any more.
class LiveRig : public rtsync::Interface {
 public:
  virtual const LiveFacts& facts() const = 0;
  /// All variables of all models and the executive's own, in the order of the rig file. Does not change.
  virtual const std::vector<LiveVariable>& variables() const = 0;
  /// Finds a variable by name, with an index or not; nothing if there is none: `problem` then explains it,
  /// with the name that was probably meant.
  virtual std::optional<LiveRef> find(std::string_view name, std::string& problem) const = 0;
  /// State of the rig at this moment, whether or not frames end.
  virtual State state() const = 0;

  /// The last frame that was run; -1: none since the start or the last reset. Cheap.
  virtual std::int64_t last_frame() const { return -1; }
  /// Reports on the run: passes `then` a JSON object, or null when the run is over. `then` is called by any
  /// thread of the rig.
  virtual void report(LiveReport, std::function<void(config::Json)> then) { then({}); }
  /// Writes a trace and passes `then` its file. `then` is called by any thread of the rig.
  virtual void trace(const LiveTraceCall&, std::function<void(LiveTrace)> then) {
    then({LiveTrace::Outcome::no_recorder, "this rig has no flight recorder", {}, {}, 0});
  }
  /// Entries of a list after number `after`, the oldest `most` of them.
  virtual LiveEntries entries(LiveList, std::int64_t /*after*/, std::size_t /*most*/) const { return {}; }
  /// The greatest number of a list so far; cheap.
  virtual std::int64_t last_entry(LiveList) const { return 0; }
  /// Counts up whenever another thing is forced; cheap.
  virtual std::int64_t forces_changed() const { return 0; }
  /// Forces that are active at this moment.
  virtual std::vector<LiveForce> forces() const { return {}; }
  /// Explains why a command would be refused at this moment, as far as that does not depend on its details;
  /// empty: it would be taken.
  virtual std::string command_problem(Command) const { return ""; }
  /// Returns the writer of a variable at this moment; of an array: that of any of its elements.
  virtual LiveWriter writer_of(std::size_t /*variable*/) const { return {}; }
  /// Outputs that the rig drives outside. They do not change.
  virtual const std::vector<LiveOutput>& outputs() const;

  /// The next snapshot, made after this call: at the end of the frame that runs, or of the next freeze frame.
  /// nullptr: the run has ended, and with it the frames.
  virtual void next_snapshot(std::function<void(LiveSnapshotPtr)> then) = 0;
  /// The next snapshot of a frame whose number is a multiple of `every` (at least 1), or of a freeze frame.
  /// The frames decide which one that is: it is never one after.
  virtual void next_snapshot_of_multiple(std::int64_t every, std::function<void(LiveSnapshotPtr)> then) = 0;
  /// Values after every frame from now on. nullptr, and why: the rig has no room for it.
  virtual std::unique_ptr<LiveFrames> follow(const std::vector<LiveRef>& /*refs*/, std::string& problem) {
    problem = "this rig hands out no frames";
    return nullptr;
  }
  /// Writes a batch. What is wrong with it, all of it; then nothing happens and `then` is not called.
  [[nodiscard]] virtual std::vector<std::string> write(LiveBatch batch,
                                                       std::function<void(const LiveDone&)> then) = 0;
  /// Gives a command, which is taken at the end of the frame. Why it was refused; empty: it was not.
  [[nodiscard]] virtual std::string give(const CommandCall& call, const std::string& who) = 0;
  /// The same; `then` is called when it has taken effect, as far as a command says so: a reset when the rig
  /// is at frame 0 again, with its initialization jobs after it, a load when the checkpoint is in place, in
  /// the state in which the rig continues; any other at once. Or why it never did (the run has ended). Not
  /// when it was refused.
  [[nodiscard]] virtual std::string give_until_done(const CommandCall& call, const std::string& who,
                                                    std::function<void(const std::string& problem)> then);
  [[nodiscard]] std::string command(Command command, std::int64_t value, const std::string& who) {
    return give({command, value, {}}, who);
  }
  /// Returns what can be switched by name, by kind ("fault", "stimulus"), in the order of the file.
  virtual std::vector<LiveSwitch> switches() const { return {}; }
  /// Returns why there is no such thing, with the name that was probably meant; empty: there is one.
  std::string switch_problem(const std::string& kind, const std::string& name) const;
  /// Switches such a thing from the next frame on. Why not; empty: it is on its way. `name`: one of switches().
  [[nodiscard]] virtual std::string turn(const std::string& kind, const std::string& name, bool on,
                                         const std::string& who);
  /// Runs an episode; the rig has to be in Pause. One at a time.
  virtual void episode(EpisodeRequest request, std::function<void(const EpisodeEnd&)> then) = 0;
};

/// Arguments with which a live server is made.
struct LiveContext {
  std::string rig;
  std::filesystem::path base;  ///< folder to which files are relative: that of the rig file
};

/// Serves a LiveRig to the world: made from one entry of the `live:` section by a driver of kind "live".
///
/// Threads  the service thread; it has threads of its own.
class LiveServer : public rtsync::Interface {
 public:
  /// Description, a line each, for `tactus check`.
  virtual std::vector<std::string> describe() const = 0;
  /// The section with all values, for the run folder's rig.yaml.
  virtual config::Node resolved() const = 0;
  /// Begins to serve. `helper`: how its threads are to run. State Connect. Throws DeviceError (an address
  /// that is taken ...) with cause and fix.
  virtual void open(LiveRig& rig, const rtsync::ThreadSettings& helper) = 0;
  /// Lines for the log and the terminal: where it listens, which clients it refused; none when nothing
  /// happened.
  virtual std::vector<std::string> take_log_lines() = 0;
  /// Ends all connections and its threads; bounded. Only the first call counts, and none without an open().
  virtual void close() = 0;
};

/// A driver of kind "live", named by the key of its entry in `live:`.
///
/// Threads  one thread at setup.
class LiveDriver : public Driver {
 public:
  static constexpr const char* kKind = "live";

  /// Makes a server from its section. What is wrong is added to `problems`, and the server is then nullptr.
  /// Opens nothing. @when setup
  virtual std::unique_ptr<LiveServer> make(const config::Node& settings, const std::string& path,
                                           const LiveContext& context, config::Problems& problems) = 0;
};

}  // namespace tactus::executive
