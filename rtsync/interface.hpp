// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::rtsync {

/// Base of classes that others implement: not copied, and destroyed through a pointer to the base.
class Interface {
 public:
  Interface() = default;
  Interface(const Interface&) = delete;
  Interface& operator=(const Interface&) = delete;
  virtual ~Interface() = default;
};

}  // namespace tactus::rtsync
