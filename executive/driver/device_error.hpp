// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>

namespace tactus::executive {

/// A device that a rig needs cannot be had: not there, not permitted, held by another program. what() is a
/// whole sentence with the cause and the fix. Ends with exit status 3, before the first frame.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tactus::executive
