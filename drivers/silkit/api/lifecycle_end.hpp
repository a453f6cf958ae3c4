// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The end of a lifecycle, and the threads that wait for it.
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

#include "drivers/silkit/core/states.hpp"
#include "tactus/silkit.h"

namespace tactus::silkit {

class Participant;

/// Outlives its participant: a program may destroy that while threads wait, and even before they begin. The
/// C++ API of SIL Kit waits on a thread that it detaches.
///
/// Threads  any.
class LifecycleEnd {
 public:
  explicit LifecycleEnd(const Participant& participant) : participant_(&participant) {}

  /// The lifecycle has started.
  void expect();
  /// It has ended. Later calls change nothing.
  void reach(ParticipantState last);
  /// The participant is being destroyed: wakes all threads in wait().
  void abandon();
  /// Blocks until the end is reached, and returns the last state. Throws Refusal: Code::logic on the I/O
  /// thread, Code::bad_parameter when the lifecycle has not started or an earlier call has got the state,
  /// Code::unspecified when the participant is destroyed before.
  ParticipantState wait();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const Participant* participant_;  // null: destroyed
  bool expected_ = false;
  bool told_ = false;
  std::optional<ParticipantState> last_;
};

/// Lets end_of() find `end` from now on. It stays until another service has that address.
void keep_end(const SilKit_LifecycleService* service, std::shared_ptr<LifecycleEnd> end);
/// Reads nothing of the service, whose participant may be gone. Throws Refusal with Code::bad_parameter when
/// the service is unknown.
std::shared_ptr<LifecycleEnd> end_of(const SilKit_LifecycleService* service);

}  // namespace tactus::silkit
