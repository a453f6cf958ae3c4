// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/states.hpp"

namespace tactus::silkit {

std::string_view name_of(ParticipantState state) {
  switch (state) {
    case ParticipantState::invalid:
      return "Invalid";
    case ParticipantState::services_created:
      return "ServicesCreated";
    case ParticipantState::communication_initializing:
      return "CommunicationInitializing";
    case ParticipantState::communication_initialized:
      return "CommunicationInitialized";
    case ParticipantState::ready_to_run:
      return "ReadyToRun";
    case ParticipantState::running:
      return "Running";
    case ParticipantState::paused:
      return "Paused";
    case ParticipantState::stopping:
      return "Stopping";
    case ParticipantState::stopped:
      return "Stopped";
    case ParticipantState::error:
      return "Error";
    case ParticipantState::shutting_down:
      return "ShuttingDown";
    case ParticipantState::shutdown:
      return "Shutdown";
    case ParticipantState::aborting:
      return "Aborting";
  }
  return "?";
}

}  // namespace tactus::silkit
