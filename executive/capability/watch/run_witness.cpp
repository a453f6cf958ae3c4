// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/watch/run_witness.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

void RunWitness::tell(const std::function<config::Json()>& facts, RunLog& log) const {
  if (page_ == nullptr) return;
  const std::string text = facts().dump(-1, ' ', false, config::Json::error_handler_t::replace);
  if (::pwrite(page_->facts, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(page_->facts, static_cast<off_t>(text.size())) != 0)
    log.warn("the witness was not told of the rig: " + std::generic_category().message(errno) +
             "; a kill leaves an unfinished summary.json");
}

void RunWitness::watch(Executive& executive, const rtsync::CpuSet& helpers) {
  if (page_ == nullptr) return;
  (void)rtsync::set_affinity(page_->witness, helpers);  // it sleeps, wherever it may
  executive.add(part_.emplace(*page_));
  for (std::size_t i = 0; i < std::min(executive.plan().threads.size() + 1, page_->kMostThreads); ++i)
    executive.jobs().keep_running_in(i, page_->running[i].job);
}

}  // namespace tactus::executive
