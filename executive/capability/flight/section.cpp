// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "config/rules.hpp"
#include "executive/capability/flight/settings.hpp"
#include "executive/plan/draft.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;

Fields<FlightSection> flight_fields() {
  using F = FlightSection;
  return {
      "The flight recorder: the latest frames and jobs with their times, in memory that survives the rig's "
      "process; written out around an overrun, and at an end that is not in order (flight-recorder.md).",
      {
          optional("enabled", &F::enabled, "keep a flight recorder"),
          optional("size", &F::size, config::bytes(1 << 20, std::int64_t{4} << 30),
                   "largest size of its memory; it takes what `before` and `after` need"),
          optional("before", &F::before, range(1ms, 1h), "time to keep before an overrun, if it fits"),
          optional("after", &F::after, range(1ms, 60s), "time to write after an overrun"),
          optional("traces", &F::traces, range(0, 1000), "write at most this many overruns of a run"),
          optional("variables", &F::variables, length(1, 1000),
                   "variables to keep at the end of each frame and draw in the trace: model.variable, "
                   "model.variable[2] or rt.*; at most 64 values"),
      }};
}

std::vector<config::Field<RigSettings>> flight_keys() {
  return {rig_key(whole_section("flight_recorder", flight_fields(), "the flight recorder"))};
}

void choose_flight_variables(Draft& draft) {
  constexpr std::size_t kMostValues = 64;
  std::size_t values = 0;
  for (const Located<std::string>& name : draft.settings.of<FlightSection>().variables) {
    const std::optional<VariableRef> ref = draft.find_variable(name);
    if (!ref) continue;
    values += ref->elements;
    if (values > kMostValues)
      return draft.problems.add(name, "'" + name.value + "', " + describe(*ref) + ", makes " +
                                          std::to_string(values) + " values; at most " +
                                          std::to_string(kMostValues) +
                                          " are kept; each element of an array counts, so name only some");
    draft.rig.flight_variables.push_back(*ref);
  }
}

}  // namespace

const CapabilitySection kFlightSection{&flight_keys, nullptr, &choose_flight_variables};

}  // namespace tactus::executive
