// SPDX-License-Identifier: Apache-2.0
/// A library whose own start throws what nobody catches.
#include <stdexcept>

namespace {

struct Throws {
  Throws() noexcept(false) { throw std::runtime_error("no table of this axis"); }
};
const Throws throws;

}  // namespace
