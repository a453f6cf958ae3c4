// SPDX-License-Identifier: Apache-2.0
// Rig files as users write them: one is read, or refused with problems that say where; and what was read says
// the same once it is written, as the run folder's rig.yaml is. No library is loaded.
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "config/document.hpp"
#include "config/place.hpp"
#include "executive/plan/rig_settings.hpp"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tactus;
  const auto& fields = executive::rig_fields();
  config::Problems problems;
  executive::RigSettings read;
  try {
    read = fields.load(config::Document::from_text("rig.yaml", std::string(data, data + size)), problems);
  } catch (const config::ConfigError& refused) {
    if (std::string(refused.what()).empty()) throw std::logic_error("refused without a word");
    return 0;
  }
  if (!problems.empty()) {
    if (problems.text().empty()) throw std::logic_error("refused without a word");
    return 0;
  }
  const std::string written = fields.write(read);
  if (written.size() > config::Limits::kFileBytes) return 0;  // aliases and defaults make it longer
  executive::RigSettings again;
  try {
    again = fields.load(config::Document::from_text("written", written), problems);
  } catch (const config::ConfigError& refused) {
    throw std::logic_error(std::string("what was written cannot be read: ") + refused.what());
  }
  if (!problems.empty()) throw std::logic_error("what was written is refused: " + problems.text());
  if (!(again == read)) throw std::logic_error("a rig changes when it is written: " + written);
  return 0;
}
