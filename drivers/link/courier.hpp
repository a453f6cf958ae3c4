// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/link/api.hpp"
#include "drivers/link/ledger.hpp"
#include "drivers/link/peer_commands.hpp"

namespace tactus::drivers::link {

/// Makes all calls of the library, on one thread: joins, completes the steps that the rig has done, pauses,
/// leaves.
///
/// Threads  run(): the courier's own. on_step(): the library's. The rest: the owner's.
class Courier {
 public:
  /// `ledger` and `commands` must stay for ever, as this: the library may call back, or come back, at any time.
  Courier(Ledger& ledger, PeerCommands& commands, Exchange& exchange, const rtsync::Period& frame,
          const rtsync::Period& real_frame);
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;

  /// The thread's body. Never throws.
  void run() noexcept;

  /// Waits until it has joined, has failed or `cancelled`. True: joined.
  bool wait_for_join(const bool& cancelled);
  /// Reason why it has not joined.
  std::string failure();
  /// Asks it to end the participant. Once.
  void leave(const executive::LinkEnd& end);
  /// Waits until run() is at its end; "" then. Else the call that has not come back within its time, and
  /// nothing that was given to the constructors will be touched any more.
  std::string wait_for_end(std::chrono::milliseconds longest_call, std::chrono::milliseconds longest);

 private:
  struct Abandoned {};
  struct Refused {
    std::string what;
  };
  /// Context of handlers, one per subscription, function or CAN network.
  template <class Of>
  struct Context {
    Of* of;
    std::size_t index;
  };

  /// Handler of the library's that passes what it is told on to `function` of its context, an Of.
  template <auto function, class Of = Ledger>
  static constexpr auto kTells =
      [](void* context, auto*, auto... said) { (static_cast<Of*>(context)->*function)(said...); };
  /// The same where its context is a Context<Of>, with the index.
  template <auto function, class Of = Ledger>
  static constexpr auto kTellsOf = [](void* context, auto*, auto* event) {
    const auto& to = *static_cast<Context<Of>*>(context);
    (to.of->*function)(to.index, event);
  };

  // The library.
  template <class Signature, class... Arguments>
  SilKit_ReturnCode call(const ApiFunction<Signature>& function, Arguments... arguments);
  template <class Signature, class... Arguments>
  void must(const ApiFunction<Signature>& function, Arguments... arguments);
  void begin_call(const char* name);
  void end_call(const char* name, SilKit_ReturnCode code, const std::string& words);

  // The life of a participant.
  void fail(const std::string& why);
  void join();
  std::string configured_registry();
  void create_services();
  void create_signals();
  void create_functions();
  void create_controllers();
  void carry();
  void leave_now();
  void leave_in_order();
  void leave_in_error(const std::string& why);
  void degrade();
  void destroy();

  // While it runs.
  void complete_ready();
  void complete_steps();
  void publish_step(std::int64_t step);
  void publish_all();
  void start_controllers();
  void send_frames(std::int64_t step);
  void publish(const std::byte* blocks);
  void answer_calls();
  void answer_all();
  void on_step(SilKit_NanosecondsTime now, SilKit_NanosecondsTime duration) noexcept;
  void tell_pause();
  void rest();
  bool wait_for_state(std::chrono::milliseconds limit, bool (*reached)(SilKit_ParticipantState));
  bool asked_to_leave();

  Ledger& ledger_;
  PeerCommands& commands_;
  Exchange& exchange_;
  const Nanoseconds frame_;
  const Nanoseconds step_;  ///< length of a step, as the library is asked for it
  const Nanoseconds real_frame_;
  const bool timed_;

  std::unique_ptr<Api> api_;
  SilKit_ParticipantConfiguration* configuration_ = nullptr;
  SilKit_Participant* participant_ = nullptr;
  SilKit_LifecycleService* lifecycle_ = nullptr;
  SilKit_TimeSyncService* time_ = nullptr;
  SilKit_SystemMonitor* monitor_ = nullptr;
  std::vector<SilKit_DataPublisher*> publishers_;
  std::vector<Context<Ledger>> ears_;
  std::vector<SilKit_CanController*> controllers_;  // by network
  std::vector<Context<Ledger>> networks_;
  std::vector<SilKit_RpcServer*> servers_;
  std::vector<Context<PeerCommands>> functions_;

  bool started_ = false;
  bool ready_told_ = false;
  bool pause_told_ = false;
  bool pause_refused_ = false;
  std::int64_t completed_ = 0;
  std::vector<std::uint8_t> payload_;
  std::vector<const char*> told_;  // functions whose refusal was noted

  // With the ledger's mutex.
  const char* in_call_ = nullptr;
  Steady::time_point call_began_;
  bool joined_ = false;
  bool ended_ = false;
  bool abandoned_ = false;
  bool failed_ = false;
  std::string failure_;
  std::optional<executive::LinkEnd> end_;
};

}  // namespace tactus::drivers::link
