// SPDX-License-Identifier: Apache-2.0
// Bytes from the network: every decoder reads them or throws WireError, and what it read stays what it is.
#include <cstddef>
#include <cstdint>

#include "tests/drivers/silkit/wire/support/every_decoder.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tactus::silkit::sample::read_everything(std::as_bytes(std::span(data, size)));
  return 0;
}
