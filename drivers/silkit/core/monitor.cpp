// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/monitor.hpp"

#include <utility>

#include "drivers/silkit/core/links.hpp"

namespace tactus::silkit {

void Monitor::create() {
  if (std::exchange(created_, true))
    throw Refusal(Code::unspecified, "participant " + host_.participant() + " has a system monitor already");
}

void Monitor::create_controller() {
  if (std::exchange(controls_, true))
    throw Refusal(Code::unspecified,
                  "participant " + host_.participant() + " has a system controller already");
}

void Monitor::announce_controller() { controller_ = host_.services().announce_internal("SystemController"); }

void Monitor::take(const Status& said) {
  const ParticipantState before = system_.state();
  if (!system_.take(said)) return;
  status_handlers_.tell(host_, Call::What::status, "participant status", said);
  note_system_state(before);
}

void Monitor::set_required(std::vector<std::string> names) {
  const ParticipantState before = system_.state();
  system_.set_required(std::move(names));
  note_system_state(before);
}

void Monitor::peer_came(const std::string& name) const {
  host_.log(LogTopic::system_state, LogSink::Level::info, "participant " + name + " is connected");
  connected_.tell(host_, Call::What::connected, "participant connected", name);
}

void Monitor::peer_left(const std::string& name, bool expected) {
  if (!expected) {
    const Status* const last = system_.status_of(name);
    if (last != nullptr && last->state != ParticipantState::invalid &&
        last->state != ParticipantState::shutdown) {
      host_.log(LogTopic::system_state, LogSink::Level::warn,
                "participant " + name + " was lost in state " + std::string(name_of(last->state)));
      take({name, ParticipantState::error, "Connection Lost", host_.settings().wall_us(), last->enter_us});
    }
    const ParticipantState before = system_.state();
    system_.remove(name);
    note_system_state(before);
  }
  if (disconnected_)
    host_.call(
        "participant disconnected",
        [this, name]() -> std::function<void()> {
          return [handler = disconnected_, name] { (*handler)(name); };
        },
        false);
}

void Monitor::tell_required(const std::vector<std::string>& names) {
  host_.senders().tell_all(message_type::kWorkflowConfiguration, controller_, WorkflowMessage{names});
}

void Monitor::tell_abort() {
  host_.senders().tell_all(message_type::kSystemCommand, controller_, SystemCommand{1});
}

void Monitor::note_system_state(ParticipantState before) {
  if (system_.state() == before) return;
  host_.log(LogTopic::system_state, LogSink::Level::info,
            "the system is in state " + std::string(name_of(system_.state())));
  system_handlers_.tell(host_, Call::What::system_state, "system state", system_.state());
}

void Monitor::on_disconnected(ConnectionHandler handler) { disconnected_ = wanted(std::move(handler)); }

bool Monitor::has_handler(Call::What what, std::uint64_t id) const {
  if (what == Call::What::status) return status_handlers_.contains(id);
  if (what == Call::What::system_state) return system_handlers_.contains(id);
  return what == Call::What::connected && connected_.contains(id);
}

RemovedHandler Monitor::remove_handler(Call::What what, std::uint64_t id) {
  if (what == Call::What::status) return status_handlers_.remove(id);
  if (what == Call::What::system_state) return system_handlers_.remove(id);
  return what == Call::What::connected ? connected_.remove(id) : nullptr;
}

}  // namespace tactus::silkit
