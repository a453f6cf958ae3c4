// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "drivers/silkit/core/states.hpp"
#include "drivers/silkit/wire/bytes.hpp"

namespace tactus::silkit {

/// Status that a participant has published.
struct Status {
  std::string participant;
  ParticipantState state = ParticipantState::invalid;
  std::string reason;
  std::int64_t enter_us = 0;  ///< wall clock, since 1970
  std::int64_t refresh_us = 0;
};

inline constexpr std::int64_t kNoTime = INT64_MIN;  ///< no virtual time: not synchronised, or not begun

/// Times come from others: a sum out of range stays at the end of time.
inline std::int64_t later_time(std::int64_t time_ns, std::int64_t wait_ns) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(time_ns, wait_ns, &sum) ? INT64_MAX : sum;
}

/// A user's function; shared, so that it can be replaced while it is being called. Null: none.
template <class... Args>
using Handler = std::shared_ptr<const std::function<void(Args...)>>;

/// A handler that was removed; it may still be called for as long as another holder has it. Null: there was
/// none.
using RemovedHandler = std::shared_ptr<const void>;

using PlainHandler = Handler<>;
using AbortHandler = Handler<ParticipantState>;           ///< the state before
using StepHandler = Handler<std::int64_t, std::int64_t>;  ///< now, duration in ns
using SystemStateHandler = Handler<ParticipantState>;
using StatusHandler = Handler<const Status&>;
using ConnectionHandler = Handler<const std::string&>;  ///< name of the participant
using DataHandler = Handler<ByteView, std::int64_t>;    ///< data, time stamp in ns

/// Asked under the engine's lock, when the turn of a call has come: what to call without it. Null: the call is not to be
/// made any more.
using Due = std::function<std::function<void()>()>;

/// A call of a user's function that is due.
///
/// The owner of an engine takes it with next_call(), makes it without holding any lock, and gives it back to
/// call_ended() with what it threw.
struct Call {
  enum class What : std::uint8_t {
    communication_ready,
    communication_ready_async,
    starting,
    stop,
    shutdown,
    abort,
    step,
    step_async,
    system_state,
    status,
    connected,
    other,
  };
  What what = What::other;
  const char* name = "";             ///< name of the handler, for errors
  std::uint64_t handler_id = 0;      ///< handler whose calls can be held back
  Due due{};                         ///< all but steps
  std::function<void()> function{};  ///< function that `due` returned
  bool own = false;                  ///< caused by the user, not by a peer
  bool begun = false;                ///< step: the step is taken already
  StepHandler step{};                ///< step
  std::int64_t now_ns = kNoTime;     ///< step
  std::int64_t duration_ns = 0;      ///< step

  /// Calls the user's function, if there is one; what it threw, as text, else "".
  std::string make() const;
};

}  // namespace tactus::silkit
