// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/states.hpp"

#include "rtsync/word_of.hpp"

namespace tactus::silkit {

std::string_view name_of(ParticipantState state) {
  using enum ParticipantState;
  static constexpr rtsync::Worded<ParticipantState> kWords[] = {
      {invalid, "Invalid"},
      {services_created, "ServicesCreated"},
      {communication_initializing, "CommunicationInitializing"},
      {communication_initialized, "CommunicationInitialized"},
      {ready_to_run, "ReadyToRun"},
      {running, "Running"},
      {paused, "Paused"},
      {stopping, "Stopping"},
      {stopped, "Stopped"},
      {error, "Error"},
      {shutting_down, "ShuttingDown"},
      {shutdown, "Shutdown"},
      {aborting, "Aborting"}};
  return rtsync::word_of(kWords, state, "?");
}

}  // namespace tactus::silkit
