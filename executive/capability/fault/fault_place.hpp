// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executive/driver/model_driver.hpp"
#include "executive/plan/draft.hpp"

namespace tactus::executive {

/// Place of a variable in what the link sends.
struct SentVariable {
  std::size_t signal = 0;  ///< number of the sent signal
  std::size_t index = 0;   ///< index of the variable in it
  VariableRef whole{};     ///< the variable as it is sent
};

/// Says why the rig's clock can have no fault; empty: it can. `late`: of late_edge, nothing for missing_edge.
///                                                                                                 @when setup
std::string clock_problem(const Draft& draft, std::optional<rtsync::Nanoseconds> late);

/// Finds the signals that a peer of the link sends, by their numbers. Says why there are none; empty: there are.
///                                                                                                 @when setup
std::string find_peer(const Draft& draft, std::string_view name, std::vector<std::size_t>& received);

/// Finds a variable that the link sends, by the name "SIGNAL" or "SIGNAL.model.variable". Says why not; empty: `ref` is
/// the variable in the rig, and `at` says where it is sent.                                         @when setup
std::string find_sent(const Draft& draft, std::string_view name, VariableRef& ref, SentVariable& at);

/// A fault that a driver's model offers.
struct OfferedPlace {
  DrivenModel* model = nullptr;
  std::uint32_t number = 0;  ///< its place among those that the model offers
  OfferedFault offer{};
  bool is_kind = false;  ///< the kind is what is wrong, and not the place
};

/// Finds the fault of this kind on "MODEL.TARGET". Says why there is none; empty: there is.         @when setup
std::string find_offered(const Draft& draft, const std::string& name, const std::string& kind,
                         OfferedPlace& to);

/// Limits of the amount of a fault, "1e-06 .. 10 s".                                              @when setup
std::string amount_text(const OfferedFault& offer);

}  // namespace tactus::executive
