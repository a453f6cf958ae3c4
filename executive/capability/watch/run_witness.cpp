// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/watch/run_witness.hpp"

#include <algorithm>

#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

void RunWitness::watch(Executive& executive, const rtsync::CpuSet& helpers) {
  if (page_ == nullptr) return;
  (void)rtsync::set_affinity(page_->witness, helpers);  // it sleeps, wherever it may
  executive.add(part_.emplace(*page_));
  for (std::size_t i = 0; i < std::min(executive.plan().threads.size() + 1, page_->kMostThreads); ++i)
    executive.jobs().keep_running_in(i, page_->running[i].job);
}

}  // namespace tactus::executive
