// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "drivers/link/can_bridge.hpp"
#include "drivers/link/port_status.hpp"
#include "drivers/link/signals.hpp"
#include "executive/model/variable.hpp"

namespace tactus::drivers::link {

/// Source of the value of an input: link.<subscription>.source.
enum class Source : std::int32_t { nothing, message, held, default_value, extrapolated };

/// The variables link.* and the memory behind them: the same whether the link is live or replayed.
///
/// Threads  constructor, all(): setup. The memory belongs to the rig's main thread.
class LinkVariables {
 public:
  /// Variables of a subscription.
  struct Input {
    std::int64_t age_ns = 0;
    std::int64_t messages = 0;
    std::int32_t source = 0;         ///< Source
    std::vector<std::byte*> values;  ///< values, as Subscription::variables
  };

  explicit LinkVariables(const Signals& signals);
  LinkVariables(const LinkVariables&) = delete;
  LinkVariables& operator=(const LinkVariables&) = delete;

  const std::deque<executive::Variable>& all() const { return variables_; }

  PortStatus status;
  std::deque<Input> inputs;        ///< inputs, as Signals::subscriptions
  std::deque<CanStatus> networks;  ///< state of the virtual buses, as Signals::networks

 private:
  executive::Variable& add(const std::string& name, tactus_type type, void* data, const char* unit,
                           const std::string& about);

  std::vector<std::uint64_t> memory_;  // of the values, each aligned for any type
  std::deque<executive::Variable> variables_;
};

/// Bytes of a variable as it was chosen.
inline std::size_t bytes_of(const executive::VariableRef& ref) {
  return ref.elements * executive::size_of(ref.variable->type);
}

}  // namespace tactus::drivers::link
