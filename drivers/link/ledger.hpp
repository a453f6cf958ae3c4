// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/silkit.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/link/exchange.hpp"
#include "drivers/link/participant.hpp"

namespace tactus::drivers::link {

using Steady = std::chrono::steady_clock;

/// Knowledge about the federation: written by the library's handlers, which come on any thread, several at
/// once, and at any time; read by the courier. Draws the conclusions: grants, commands to the rig, pauses.
///
/// Threads  any. Nothing is called with its mutex held but the orders, which are wait-free.
class Ledger {
 public:
  /// `signals` is copied: an abandoned thread may still look at it. @when setup
  Ledger(const LinkSettings& settings, std::string name, const Signals& signals, Exchange& exchange);
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // ---- the library's handlers; after close() they do nothing

  void on_communication_ready() noexcept;
  /// Handles the start where there is no virtual time: Running follows.
  void on_starting() noexcept;
  /// Handles the stop, the shutdown and the abort: this state begins.
  void on_end(SilKit_ParticipantState state) noexcept;
  void on_step(std::uint64_t now_ns, std::uint64_t duration_ns) noexcept;
  /// The step that was granted last; nothing: the rig is gone.
  std::optional<std::int64_t> last_step() noexcept;
  void on_system_state(SilKit_SystemState state) noexcept;
  /// `entered_ns`: of the wall clock, when it took this state.
  void on_status(const char* participant, SilKit_ParticipantState state, const char* reason,
                 std::uint64_t entered_ns) noexcept;
  void on_connected(const char* participant) noexcept;
  void on_disconnected(const char* participant) noexcept;
  void on_message(std::size_t subscription, const SilKit_DataMessageEvent* event) noexcept;
  /// A frame of the virtual bus `network` for the real one; those that may not go are left out.
  void on_can_frame(std::size_t network, const SilKit_CanFrameEvent* event) noexcept;
  void on_can_transmit(std::size_t network, const SilKit_CanFrameTransmitEvent* event) noexcept;
  void on_can_state(std::size_t network, const SilKit_CanStateChangeEvent* event) noexcept;
  void on_can_error_state(std::size_t network, const SilKit_CanErrorStateChangeEvent* event) noexcept;

  // ---- the courier

  /// Its name may be another than was asked for: a configuration wins.
  void own_name(std::string name);
  void own_state(SilKit_ParticipantState state);
  SilKit_ParticipantState own_state();
  /// Draws conclusions for which only time had to pass.
  void tick();
  /// Returns true if the rig is paused, and not for a peer: the peers are to be informed.
  bool wants_pause();
  /// Marks the end as the rig's own: from here on no commands are given because of it.
  void begin_leaving();
  /// Notes that the federation is left: frames need no grant any more.
  void leave_federation();
  void abort_rig(const std::string& why);
  void note(std::string text);

  // ---- the owner

  void give_commands_to(executive::LinkCommands* commands);
  /// The initialization jobs are done.
  void ready();
  /// Returns true if they are, and so is the communication: the federation may start.
  bool may_start();
  std::vector<std::string> take_notes();
  std::vector<PeerFacts> peers();
  /// Notes that the last frame has run: a message that still comes has no receiver, and is not lost.
  void end_frames();
  /// Nothing that is given to the constructor is touched any more.
  void close();

  // ---- what the courier and the owner share beside

  const LinkSettings settings;
  const Signals signals;
  std::mutex mutex;
  std::condition_variable changed;  ///< signal, with the mutex: something was written down
  rtsync::Gate woken;               ///< gate of a courier that waits for a grant
  ParticipantFacts facts;           ///< facts; access with the mutex

 private:
  using Held = std::unique_lock<std::mutex>;
  struct Peer {
    SilKit_ParticipantState state = SilKit_ParticipantState_Invalid;
    std::string reason{};
    std::uint64_t entered_ns = 0;
  };
  struct Cause {
    std::string who;
    std::string reason;
    std::uint64_t entered_ns = 0;  // of the wall clock; who was first is the cause
    bool is_error = false;         // nothing that others did
    Steady::time_point when = Steady::now();
    std::string text() const;
  };

  // All with the mutex held.
  void state_is(SilKit_ParticipantState state, const std::string& reason);
  void begin_running();
  void judge_pauses();
  void hold_rig(bool yes);
  void judge_loss(const std::string& who, SilKit_ParticipantState state);
  static void consider(std::optional<Cause>& cause, Cause other);
  void stop_is_due();
  void abort_is_due();
  void end_if_all_are_heard();
  void suspend_lateness();
  void order_stop();
  /// `instead`: the whole text, where the cause is no participant.
  void order_abort(const std::string& cause, const std::string& instead = "");
  void remember(std::string text);
  void wake();
  bool federation_is(Federation which) const;
  /// Hands a message to the frames: `block` after its head.
  void hand_over(std::uint32_t subscription, std::int64_t stamp_ns, std::span<const std::byte> block);

  Exchange& exchange_;
  executive::LinkCommands* commands_ = nullptr;
  bool closed_ = false;
  bool frames_ended_ = false;
  bool leaving_ = false;
  bool ready_ = false;
  bool communication_ready_ = false;
  std::optional<Steady::time_point> start_before_;
  std::string name_;
  SilKit_ParticipantState state_ = SilKit_ParticipantState_Invalid;
  std::map<std::string, Peer> peers_;
  std::map<std::string, Peer> gone_;  // the last state of those that are there no more

  std::optional<std::uint64_t> next_ns_;  // when the next step is expected to begin
  bool odd_step_told_ = false;

  std::string paused_peer_;
  bool holding_ = false;  // the rig stands still for it

  std::optional<Cause> stopper_;
  std::optional<Cause> failer_;
  std::optional<Steady::time_point> stop_at_;  // by then somebody is to blame, or nobody
  std::optional<Steady::time_point> abort_at_;
  bool stop_ordered_ = false;
  bool abort_ordered_ = false;

  std::int64_t sequence_ = 0;
  std::vector<bool> mismatch_told_;  // by subscription, then by network
  bool loss_told_ = false;
  std::deque<std::string> notes_;
  std::int64_t notes_lost_ = 0;
};

/// A text that is never freed: commands keep pointers. @when service
const char* kept_for_ever(std::string text);

}  // namespace tactus::drivers::link
