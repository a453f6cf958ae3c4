// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/silkit/core/numbered_handlers.hpp"
#include "drivers/silkit/core/service.hpp"
#include "drivers/silkit/core/system_view.hpp"

namespace tactus::silkit {

/// Keeps the states of all participants, reports them to the user, and sends commands of the system controller.
///
/// Threads  one at a time.
class Monitor {
 public:
  explicit Monitor(EngineHost& host) : host_(host) {}

  /// Throw Refusal for a second one.
  void create();
  void create_controller();
  void announce_controller();

  /// Takes what a participant, this one too, has said of itself.
  void take(const Status& said);
  void set_required(std::vector<std::string> names);
  void peer_came(const std::string& name) const;
  /// Takes note that the participant has disconnected; `expected`: its last state does not matter.
  void peer_left(const std::string& name, bool expected);
  void tell_required(const std::vector<std::string>& names);
  void tell_abort();

  const SystemView& system() const { return system_; }

  std::uint64_t on_system_state(SystemStateHandler handler) {
    return system_handlers_.add(std::move(handler));
  }
  std::uint64_t on_status(StatusHandler handler) { return status_handlers_.add(std::move(handler)); }
  /// Replaces the handler; returns the number of the new one.
  std::uint64_t on_connected(ConnectionHandler handler) { return connected_.replace(std::move(handler)); }
  void on_disconnected(ConnectionHandler handler);
  bool has_handler(Call::What what, std::uint64_t id) const;
  /// Null: there is none of that number.
  RemovedHandler remove_handler(Call::What what, std::uint64_t id);

 private:
  void note_system_state(ParticipantState before);

  EngineHost& host_;
  SystemView system_;
  bool created_ = false;
  bool controls_ = false;
  std::uint64_t controller_ = 0;  // the service
  NumberedHandlers<SystemStateHandler> system_handlers_;
  NumberedHandlers<StatusHandler> status_handlers_;
  NumberedHandlers<ConnectionHandler> connected_;  // one at most
  ConnectionHandler disconnected_;
};

}  // namespace tactus::silkit
