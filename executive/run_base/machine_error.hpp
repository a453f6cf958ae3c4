// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

namespace tactus::executive {

/// The machine cannot do what the rig requires (exit status 3). what() holds every refusal with cause and
/// fix.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

inline MachineError not_started(const std::string& why) {
  return MachineError(why + "\nnothing was started");
}

}  // namespace tactus::executive
