// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "drivers/silkit/core/call.hpp"
#include "drivers/silkit/core/states.hpp"

namespace tactus::silkit {

/// The state of the system, as one participant computes it from what the required ones say of themselves: it
/// follows lazily (all of them have to be there) but for Error, Aborting, Paused and Stopping, for which one
/// is enough.
///
/// Threads  a value; one thread at a time.
class SystemView {
 public:
  /// Takes over a participant's status. False: it has been shut down before, so nothing counts any more.
  bool take(const Status& status);
  void set_required(std::vector<std::string> names);
  /// The participant has disconnected.
  void remove(const std::string& name);

  ParticipantState state() const { return state_; }
  const Status* status_of(const std::string& name) const;
  const std::map<std::string, Status>& statuses() const { return statuses_; }
  bool has_required() const { return known_; }  ///< true: the required participants are known
  bool requires_participant(const std::string& name) const;
  /// Each required participant has been ready to run, whatever it does now: some may have ended before the
  /// last one was heard of. False while the required participants are not known.
  bool has_started() const;
  /// Some required participants are past Running, and none is before it.
  bool is_ending() const;

 private:
  bool all_were_in(std::span<const ParticipantState> states) const;
  std::optional<ParticipantState> state_for(ParticipantState changed_to) const;
  bool all_in(std::span<const ParticipantState> states) const;
  void evaluate_all();

  bool known_ = false;
  std::vector<std::string> required_;  // sorted
  std::map<std::string, Status> statuses_;
  std::set<std::string> ended_;  // had shut down when they left
  ParticipantState state_ = ParticipantState::invalid;
};

}  // namespace tactus::silkit
