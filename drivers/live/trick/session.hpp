// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Dialogue of one client and the rig: Trick's protocol without sockets and without a clock.
///
///     bytes in ──► received() ──► lines ──► calls ──► output() ──► bytes out
///                                             │ ▲
///                                             ▼ │ snapshot(), written()
///                                             SessionBackend (the rig)
///
/// Calls are taken in order; the next one waits until the one before has its answer, and as long as the
/// client leaves its answers lying around. So a session needs little memory whatever is sent to it.
///
/// Units    now: nanoseconds of any clock that never goes back.
/// Threads  one.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/live/trick/call.hpp"
#include "drivers/live/trick/entry.hpp"
#include "drivers/live/trick/message.hpp"
#include "drivers/live/trick/run_ratio.hpp"
#include "executive/driver/live.hpp"
#include "rtsync/interface.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::drivers::trick {

/// Services that a session needs; answers come back with the ticket, after the call.
class SessionBackend : public rtsync::Interface {
 public:
  /// Answered by Session::snapshot(). `every`: of a frame whose number is a multiple of it; 0: of the next.
  virtual void ask_snapshot(std::uint64_t ticket, std::int64_t every) = 0;
  /// Answered by Session::written(), unless problems are returned.
  virtual std::vector<std::string> write(executive::LiveBatch batch, std::uint64_t ticket) = 0;
  virtual std::string command(const executive::CommandCall& call, const std::string& who) = 0;
  /// A line for the rig's log, which bounds them.
  virtual void report(std::string line) = 0;
};

struct SessionLimits {
  std::size_t variables = 10'000;
  bool writes = true;
  bool exit_status = false;  ///< exec_terminate_with_return says the exit status of the run
};

class Session {
 public:
  static constexpr std::size_t kLongestBlock = 200'000;     ///< bytes without a newline
  static constexpr std::size_t kBacklog = 64 * 1024;        ///< bytes of output above which commands wait
  static constexpr std::size_t kBuffer = 1024 * 1024;       ///< above which cyclic messages are left out
  static constexpr std::size_t kLongestMessage = 16 << 20;  ///< bytes; soft by one variable
  static constexpr Nanoseconds kShortestCycle{1'000'000};
  static constexpr Nanoseconds kAnswer{5'000'000'000};  ///< time within which the rig has to make a snapshot
  static constexpr Nanoseconds kEffect{1'000'000'000};  ///< time that a read waits for writes before it

  /// `rig` is only looked at. `peer`: "127.0.0.1:40000".
  Session(const executive::LiveRig& rig, SessionBackend& backend, SessionLimits limits, std::string peer,
          Nanoseconds now);

  /// Number of bytes that may be received now.
  std::size_t room() const;
  void received(std::string_view bytes);
  /// The client sends no more; what it has sent is answered.
  void ended() { ended_ = true; }
  /// Passes the rig's answer on. A ticket for which no call waits any more is ignored.
  void snapshot(std::uint64_t ticket, const executive::LiveSnapshotPtr& made, Nanoseconds now);
  void written(std::uint64_t ticket, const executive::LiveDone& done);
  /// Does what can be done now. To be called after each of the above and sent(), and at wake_at().
  void advance(Nanoseconds now);
  /// Time at which there will be work without a call; nothing: only after one of the above.
  std::optional<Nanoseconds> wake_at() const;

  std::string_view output() const { return std::string_view(output_).substr(sent_); }
  void sent(std::size_t bytes);
  /// Nothing more will come: to be closed when the output is sent.
  bool over() const { return over_; }
  /// Cyclic messages that were left out.
  std::int64_t missed() const { return missed_; }
  /// "trick 127.0.0.1:40000 (tag)".
  std::string who() const;
  /// "127.0.0.1:40000 (tag)".
  std::string client() const;

 private:
  struct Command;
  struct RigCommand;
  static const std::vector<Command>& commands();
  static const std::vector<RigCommand>& rig_commands();

  /// An on-demand answer that waits for its snapshot. Calls after it wait too.
  struct Reading {
    Kind kind = Kind::list;
    std::vector<Entry> once{};  ///< entries of Kind::once
    std::uint64_t ticket = 0;   ///< 0: not asked yet, writes before it have no effect yet
    Nanoseconds since{0};
    std::string text{};  ///< text of the call
  };
  /// Time at which values are copied.
  enum class CopyMode { any_time, multiples_of_cycle, multiples_of_frame };
  struct FrameRule {
    std::int64_t multiple = 1, offset = 0;
    std::optional<std::int64_t> last{};  ///< multiples that had come before
    /// A frame of the rule, or the first one after it that was seen.
    bool due(std::int64_t frame);
  };

  bool has_line() const { return input_.find('\n', scanned_) != std::string::npos; }
  void next_line();
  void run_calls();
  void run(const Call& call);
  void give_rig_command(const Call& call, const RigCommand& command);
  void refuse(const std::string& text, const std::string& reason);
  void emit(std::string_view message) { output_ += message; }

  bool writes_in_the_way() const;
  void start_reading(Kind kind, std::vector<Entry> once, const Call& call);
  void advance_reading();
  void answer_reading(const executive::LiveSnapshotPtr& made);
  bool is_cyclic() const;
  void advance_cycle();
  bool copy_is_due(const executive::LiveSnapshot& made);
  bool is_near() const;
  std::int64_t cycle_frames() const;
  void send_cycle(const executive::LiveSnapshot& made);
  std::string list(Kind kind, const std::vector<Entry>& entries, const executive::LiveSnapshot& made);

  // The commands, in session_commands.cpp. Their values have the types of their table.
  void var_add(const Call& call);
  void var_remove(const Call& call);
  void var_units(const Call& call);
  void var_send(const Call& call);
  void var_send_once(const Call& call);
  void var_exists(const Call& call);
  void var_get_stl_size(const Call& call);
  void var_cycle(const Call& call);
  void var_set_copy_mode(const Call& call);
  void var_set_write_mode(const Call& call);
  void var_sync(const Call& call);
  void var_set_client_tag(const Call& call);
  void var_set(const Call& call);
  void set_copy_mode(CopyMode mode);
  void set_frame_rule(const Call& call, std::int64_t FrameRule::*part, FrameRule& rule);

  const executive::LiveRig& rig_;
  SessionBackend& backend_;
  const SessionLimits limits_;
  const std::string peer_;
  std::string tag_;
  Nanoseconds now_;

  std::string input_;
  std::size_t taken_ = 0;    // of input_: lines that were run
  std::size_t scanned_ = 0;  // of input_: no newline between taken_ and it
  std::deque<Call> calls_;   // of the line that is being run
  bool more_ = false;        // calls could be run at once
  bool ended_ = false;
  bool over_ = false;
  std::string output_;
  std::size_t sent_ = 0;

  Format format_;
  RunRatio run_ratio_;
  std::int64_t last_frame_ = -1;  // that is known
  std::vector<Entry> entries_;
  std::uint64_t tickets_ = 0;
  std::optional<Reading> reading_;

  bool paused_ = false;
  Nanoseconds cycle_{100'000'000};
  Nanoseconds due_;
  std::uint64_t cyclic_ticket_ = 0;  // 0: none is asked for
  bool rig_ended_ = false;
  std::int64_t missed_ = 0;
  std::size_t last_size_ = 0;  // of a cyclic message
  bool skips_told_ = false;    // of this list
  CopyMode copy_mode_ = CopyMode::any_time;
  FrameRule frames_, freeze_frames_;

  std::vector<std::pair<std::uint64_t, std::string>> writing_;  // tickets and texts of writes under way
};

}  // namespace tactus::drivers::trick
