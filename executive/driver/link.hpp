// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
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
#include "executive/driver/driver.hpp"
#include "executive/model/variable.hpp"
#include "rtsync/interface.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/time/period.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

class LiveRig;

/// Dependence of the frames and virtual time on each other.
enum class LinkMode {
  paced,   ///< the rig is in real time and paces the others; it never waits for them
  follow,  ///< no real time: a frame runs when virtual time is granted
  free,    ///< no virtual time
};
/// "paced".
constexpr std::string_view name_of(LinkMode mode) {
  return mode == LinkMode::paced ? "paced" : mode == LinkMode::follow ? "follow" : "free";
}

/// Commands that a link may give to its rig; taken at the next end of a frame or freeze frame. Reasons are
/// kept as pointers: they have to stay. @when any
class LinkCommands {
 public:
  virtual ~LinkCommands() = default;
  virtual void request_stop(const char* reason) TACTUS_RT = 0;
  virtual void request_abort(const char* reason) TACTUS_RT = 0;
  /// Keeps the rig frozen for as long as it lasts, beside any other cause of a freeze.
  virtual void set_peer_pause(bool yes) TACTUS_RT = 0;
};

/// A frame at its StepBegin.
struct FrameStart {
  std::int64_t frame = 0;
  rtsync::TimePoint<rtsync::RigTime>
      slot;  ///< time at which it should have started; that of the wake if it is not paced
  rtsync::TimePoint<rtsync::MonotonicTime> now;  ///< time at which it started
  rtsync::Nanoseconds late{0};                   ///< wake minus slot; 0 where it is not paced
  bool paced = false;                            ///< the rig is in real time
  rtsync::Nanoseconds work{0};                   ///< work of the frame before
};

/// Verdict of a link on the frame that begins.
enum class LinkVerdict : std::uint8_t {
  go_on,
  freeze,     ///< freeze at the end of this frame
  terminate,  ///< terminate at once: this frame is not run
};

/// End of a rig, as the other participants of the federation learn it.
struct LinkEnd {
  bool in_order = true;  ///< completed or stopped; else it was an error
  std::string reason;
};

/// Answers with the place of a model's memory, or nullptr.
using Redirection = std::function<const void*(const ModelInstance*, const void*, std::size_t)>;

/// A signal of a link: the variables that one message carries.
struct LinkSignal {
  std::string name{};
  bool sent = false;       ///< the rig sends it; else it receives it
  std::size_t number = 0;  ///< its place among those that are sent, or received
  std::string peer{};      ///< participant that sends it, where the rig file says that
  std::vector<VariableRef> variables{};
};

/// The frames' side of a link. It overrides the hooks it needs.
///
/// Threads  the rig's main thread, but where a function says something else.
/// RT       everything but what is said to be for setup: no lock, no allocation, no exception, no system call; wait() alone sleeps,
///          and is called only where the rig is not in real time.
class LinkFrames : public rtsync::Interface {
 public:
  /// Reads published variables elsewhere from here on. @when setup
  virtual void redirect(const Redirection& /*where*/) {}
  /// Frame `first` will be the first one: it stands for the virtual time at which the others begin.
  virtual void start(std::int64_t /*first*/) TACTUS_RT {}
  /// The federation runs, and frame k may. A paced one is asked for its first frame alone; `paced`: the rig
  /// is in real time now.
  virtual bool may_begin(std::int64_t /*k*/, bool /*paced*/) TACTUS_RT { return true; }
  /// Waits until may_begin(), or until the deadline. Not for frames in real time.
  virtual bool wait(std::int64_t k, bool paced, rtsync::TimePoint<rtsync::MonotonicTime>) TACTUS_RT {
    return may_begin(k, paced);
  }
  /// StepBegin: what came in is applied, lateness is judged.
  virtual LinkVerdict begin_frame(const FrameStart& frame) TACTUS_RT = 0;
  /// StepEnd: what goes out is taken.
  virtual void end_frame(std::int64_t /*k*/) TACTUS_RT {}
  /// The rig freezes, or is still frozen, and why (a text that stays; empty: for LinkCommands::hold alone);
  /// or continues.
  virtual void freeze(const char* /*why*/) TACTUS_RT {}
  virtual void unfreeze() TACTUS_RT {}
  /// Reason why the last verdict was not go_on; a text that stays.
  virtual const char* verdict_reason() const TACTUS_RT { return ""; }

  /// Sends the bytes at `from` as variable `index` of sent signal `number` from here on. Returns where it read them
  /// before. After redirect(). @when setup
  virtual const void* send_from(std::size_t /*number*/, std::size_t /*index*/, const void* from) {
    return from;
  }
  /// Withholds the messages of received signal `number`, as if its sender had stopped; or no more. From the next
  /// begin_frame() on.
  virtual void silence(std::size_t /*number*/, bool /*on*/) TACTUS_RT {}
  /// Number of messages withheld so far.                                                             @when any
  virtual std::int64_t withheld(std::size_t /*number*/) const { return 0; }
};

/// A connection to virtual-time participants, on the side of the run: made from the `link:` section of a rig file by a
/// driver of kind "link".
///
/// Threads  every group of functions says which.
class Link : public rtsync::Interface {
 public:
  // ---- one thread at setup

  virtual LinkMode mode() const = 0;
  /// Description, a line each, for `tactus check`.
  virtual std::vector<std::string> describe() const = 0;
  /// Everything that it takes in is to be recorded, as recording `link` of all its variables.
  virtual bool records() const { return false; }
  /// The section with all values, for the run folder's rig.yaml.
  virtual config::Node resolved() const = 0;
  /// link.*: the relation of the times, lateness, ages, and what came in. Their addresses stay.
  virtual const std::deque<Variable>& variables() const = 0;
  /// Inputs that the link alone may write.
  virtual std::vector<VariableRef> inputs() const { return {}; }
  /// Lists what it sends and receives.
  virtual std::vector<LinkSignal> signals() const { return {}; }
  /// Name under which the others know the rig; empty: it has none.
  virtual std::string own_name() const { return ""; }
  /// Its side in the frames, which it owns.
  virtual LinkFrames& frames() = 0;

  /// It gives the rig commands of its peers: serve() is called before join().
  virtual bool takes_commands() const { return false; }

  // ---- the service thread, or one thread that runs for it

  /// Takes the folder of the run, where a link that records() may make files of its own. Before join(). Throws DeviceError.
  virtual void record_to(const std::filesystem::path& folder) { (void)folder; }
  /// Sets the receiver of commands, which answers them. It stays until leave().
  virtual void serve(LiveRig&) {}
  /// Joins the federation; blocks until it has, or is cancelled. `helper`: how its own threads are to run;
  /// `first`: the frame that will be the first. State Connect. Throws DeviceError.
  virtual void join(LinkCommands& commands, const rtsync::ThreadSettings& helper, std::int64_t first) = 0;
  /// Lets a join() that still waits throw.                                                         @when any
  virtual void cancel() {}
  /// The initialization jobs are done: the rig is ready to run.
  virtual void ready() {}
  /// Lines for the log and the terminal; none when nothing happened.
  virtual std::vector<std::string> take_log_lines() { return {}; }
  /// "linked, 3 late": for the status line, and for the last line what became of it; empty: nothing to be
  /// said.
  virtual std::string status() const { return ""; }
  virtual std::string ending() const { return ""; }
  /// Present knowledge of the link and of its peers: a JSON object whose keys are in docs/http-api.md. After
  /// join(), until the end.
  virtual config::Json knowledge() const { return config::Json::object(); }
  /// Leaves the federation, with the reason; bounded, whatever they do. After the last frame; only the first
  /// call counts, and none without a join().
  virtual void leave(const LinkEnd& /*end*/) {}
  /// The `link` section of summary.json. After leave(). `stuck`: the frames never ended, and may still write.
  virtual config::Json summary(bool stuck) const = 0;
  /// Kernel ids of its own threads.
  virtual std::vector<pid_t> threads() const { return {}; }
};

/// Arguments with which a link's section is made.
struct LinkContext {
  std::string rig;
  std::filesystem::path base;  ///< folder to which files are relative: that of the rig file
  rtsync::Period frame;        ///< frame in simulated time
  rtsync::Period real_frame;   ///< frame in real time
  bool realtime = true;        ///< false: a paced link follows instead
  std::string replay{};        ///< a run folder: what its link took in is taken in again; there are no others
  /// Finds a variable of the rig. Complains and answers nothing when there is none.
  std::function<std::optional<VariableRef>(const config::Located<std::string>&)> find;
};

/// A driver of kind "link", named by `link: { driver: ... }`.
///
/// Threads  one thread at setup.
class LinkDriver : public Driver {
 public:
  static constexpr const char* kKind = "link";

  /// Makes a link from its section. What is wrong is added to `problems`, and the link is then nullptr. Opens
  /// nothing. @when setup
  virtual std::unique_ptr<Link> make(const config::Node& settings, const std::string& path,
                                     const LinkContext& context, config::Problems& problems) = 0;
  /// The variables link.* that its rigs have, without values, for the page of variables. Of a subscription, which a rig
  /// names, the name is written <subscription>. @when setup
  virtual std::vector<Variable> variables() const { return {}; }
};

}  // namespace tactus::executive
