// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/service.hpp"

namespace tactus::silkit {

void check_service_name(const std::string& name, const char* what, bool taken) {
  if (name.empty())
    throw Refusal(Code::configuration, std::string("the name of a ") + what + " must not be empty");
  if (taken)
    throw Refusal(Code::configuration,
                  std::string("there is a ") + what + " of the name " + name + " already");
}

}  // namespace tactus::silkit
