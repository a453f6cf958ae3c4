// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/watch/run_witness.hpp"

#include <algorithm>

namespace tactus::executive {

void RunWitness::watch(Executive& executive, const rtsync::CpuSet& helpers) {
  if (page_ == nullptr) return;
  (void)rtsync::set_affinity(page_->witness, helpers);  // it sleeps, wherever it may
  executive.add(part_.emplace(*page_));
  for (std::size_t i = 0; i < std::min(executive.plan().threads.size() + 1, page_->kMostThreads); ++i)
    executive.jobs().keep_running_in(i, page_->running[i]);
}

void RunWitness::finish() {
  if (page_ == nullptr || run_ == nullptr || !run_->stuck) return;
  // The memory of the flight recorder is gone from here on.
  const JobRunner& jobs = run_->executive->jobs();
  for (std::size_t i = 0; i < std::min(run_->rig.plan().threads.size() + 1, page_->kMostThreads); ++i)
    page_->running[i].job.store(jobs.running_job_index(i));
}

}  // namespace tactus::executive
