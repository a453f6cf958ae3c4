// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/witness_facts.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <system_error>

#include "config/json_of.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::executive {

using config::Json;

void tell_witness(const std::function<Json()>& facts, RunLog& log, rtsync::WitnessPage* page) {
  if (page == nullptr) return;
  const std::string text = facts().dump(-1, ' ', false, Json::error_handler_t::replace);
  const int other = page->told.load() == 0 ? 1 : 0;
  const int file = page->facts[static_cast<std::size_t>(other)];
  int error = rtsync::write_whole(file, text);
  if (error == 0 && ::ftruncate(file, static_cast<off_t>(text.size())) != 0) error = errno;
  if (error != 0)
    return log.warn("the witness could not be informed of the rig: " +
                    std::generic_category().message(error) + "; a kill leaves an unfinished summary.json");
  page->told.store(other);
}

Json told_facts(const rtsync::WitnessPage& page) {
  const int told = page.told.load();
  if (told != 0 && told != 1) return Json::object();
  std::string text;
  char part[4096];
  for (ssize_t bytes = 0; (bytes = ::pread(page.facts[static_cast<std::size_t>(told)], part, sizeof part,
                                           static_cast<off_t>(text.size()))) > 0;)
    text.append(part, static_cast<std::size_t>(bytes));
  Json facts = config::json_of(text);
  return facts.is_object() ? facts : Json::object();
}

}  // namespace tactus::executive
