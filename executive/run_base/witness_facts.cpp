// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/witness_facts.hpp"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace tactus::executive {

void tell_witness(const std::function<config::Json()>& facts, RunLog& log, const rtsync::WitnessPage* page) {
  if (page == nullptr) return;
  const std::string text = facts().dump(-1, ' ', false, config::Json::error_handler_t::replace);
  if (::pwrite(page->facts, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(page->facts, static_cast<off_t>(text.size())) != 0)
    log.warn("the witness could not be informed of the rig: " + std::generic_category().message(errno) +
             "; a kill leaves an unfinished summary.json");
}

}  // namespace tactus::executive
