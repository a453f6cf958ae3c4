// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/link_variables.hpp"

namespace tactus::drivers::link {

LinkVariables::LinkVariables(const Signals& signals) {
  add("frame", TACTUS_INT64, &status.frame, "", "number of the frame");
  add("slot", TACTUS_INT64, &status.slot_ns, "ns", "when the frame should have started, in rig time");
  add("virtual_time", TACTUS_INT64, &status.virtual_time_ns, "ns", "virtual time of the frame");
  add("step", TACTUS_INT64, &status.step, "", "the step that the frame belongs to, from 0");
  add("grant_arrival", TACTUS_INT64, &status.grant_arrival_ns, "ns",
      "when the grant of the step came, on CLOCK_MONOTONIC; 0: it has not");
  add("lateness", TACTUS_INT64, &status.lateness_ns, "ns", "lateness of the oldest missing grant");
  add("late", TACTUS_INT64, &status.late, "", "steps that began before their grant came");
  add("consecutive_late", TACTUS_INT64, &status.consecutive_late, "", "late steps in a row up to now");
  add("behind", TACTUS_INT64, &status.behind, "", "steps by which virtual time is behind");
  add("messages", TACTUS_INT64, &status.messages, "", "messages applied so far");
  add("messages_late", TACTUS_INT64, &status.messages_late, "",
      "messages applied after the frame that they were meant for");
  add("state", TACTUS_INT32, &status.state, "", "state of the federation").labels = {
      {"assembling", 0}, {"running", 1}, {"left", 2}};

  std::size_t words = 0;
  for (const Subscription& subscription : signals.subscriptions)
    for (const executive::VariableRef& ref : subscription.variables) words += (bytes_of(ref) + 7) / 8;
  memory_.assign(words, 0);

  std::size_t word = 0;
  for (const Subscription& subscription : signals.subscriptions) {
    Input& input = inputs.emplace_back();
    const std::string name = subscription.name + ".";
    add(name + "age", TACTUS_INT64, &input.age_ns, "ns", "virtual time since the newest message");
    add(name + "messages", TACTUS_INT64, &input.messages, "", "messages applied so far");
    add(name + "source", TACTUS_INT32, &input.source, "", "where the values come from").labels = {
        {"nothing", 0}, {"message", 1}, {"held", 2}, {"default", 3}, {"extrapolated", 4}};
    for (const executive::VariableRef& ref : subscription.variables) {
      const executive::Variable& variable = *ref.variable;
      void* const memory = memory_.data() + word;
      word += (bytes_of(ref) + 7) / 8;
      input.values.push_back(static_cast<std::byte*>(memory));
      executive::Variable& shown =
          add(name + ref.name(), variable.type, memory, "", "what the input is given at this StepBegin");
      shown.count = ref.indexed ? 0 : variable.count;
      shown.unit_text = variable.unit_text;
      shown.unit = variable.unit;
      shown.labels = variable.labels;
    }
  }
  for (const CanNetwork& network : signals.networks) {
    CanStatus& made = networks.emplace_back();
    const std::string name = network.name + ".";
    add(name + "to_virtual", TACTUS_INT64, &made.to_virtual, "", "frames of the bus for the peers so far");
    add(name + "to_real", TACTUS_INT64, &made.to_real, "", "frames of peers given to the bus so far");
    add(name + "lost", TACTUS_INT64, &made.lost, "", "frames of both ways that found no room");
    add(name + "state", TACTUS_INT32, &made.state, "", "state of the controller").labels = {
        {"uninit", 0}, {"stopped", 1}, {"started", 2}, {"sleep", 3}};
    add(name + "error_state", TACTUS_INT32, &made.error_state, "", "error state of the controller").labels = {
        {"not_available", 0}, {"active", 1}, {"passive", 2}, {"bus_off", 3}};
  }
}

executive::Variable& LinkVariables::add(const std::string& name, tactus_type type, void* data,
                                        const char* unit, const std::string& about) {
  executive::Variable& made = variables_.emplace_back();
  made.name = "link." + name;
  made.role = TACTUS_OUTPUT;
  made.type = type;
  made.data = data;
  made.unit_text = unit;
  made.unit = config::Unit::parse(unit);
  made.about = about;
  return made;
}

}  // namespace tactus::drivers::link
