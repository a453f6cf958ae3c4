// SPDX-License-Identifier: Apache-2.0
// Participant configurations as users write them: one is read, or refused with ConfigError; and what was read
// says the same once it is JSON.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "config/document.hpp"
#include "config/place.hpp"
#include "drivers/silkit/api/configuration.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  try {
    const silkit::Configuration read = silkit::configuration_from_text(std::string(data, data + size));
    if (read.json.size() > config::Limits::kFileBytes) return 0;  // aliases and escapes make it longer
    try {
      if (silkit::configuration_from_text(read.json).json == read.json) return 0;
    } catch (const config::ConfigError& refused) {
      throw std::logic_error(std::string("its JSON is refused: ") + refused.what());
    }
    throw std::logic_error("a configuration changes when it is passed on: " + read.json);
  } catch (const config::ConfigError&) {
  }
  return 0;
}
