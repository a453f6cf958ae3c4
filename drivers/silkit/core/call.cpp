// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/call.hpp"

#include <exception>

namespace tactus::silkit {

std::string Call::make() const {
  const auto call = [](const auto& handler, const auto&... values) {
    if (handler && *handler) (*handler)(values...);
  };
  try {
    switch (what) {
      case What::communication_ready:
      case What::communication_ready_async:
      case What::starting:
      case What::stop:
      case What::shutdown:
      case What::other_steps_completed:
        call(plain);
        break;
      case What::abort:
        call(abort, state);
        break;
      case What::step:
      case What::step_async:
        call(step, now_ns, duration_ns);
        break;
      case What::system_state:
        call(system_state, state);
        break;
      case What::status:
        call(status_handler, status);
        break;
      case What::connected:
      case What::disconnected:
        call(connection, name);
        break;
      case What::data:
        call(data_handler, ByteView(data), now_ns);
        break;
      case What::service:
        if (function) function();
        break;
      case What::step_end:
        break;
    }
  } catch (const std::exception& error) {
    return *error.what() == '\0' ? "an exception without a text" : error.what();
  } catch (...) {
    return "something that is no std::exception";
  }
  return "";
}

}  // namespace tactus::silkit
