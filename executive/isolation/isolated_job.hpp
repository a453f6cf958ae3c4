// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "executive/isolation/call_page.hpp"
#include "rtsync/exchange/latest_cell.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Effects of a job of an isolated model in the model's process.
///
/// Threads  add(): the thread that calls it. sum(): one other.
/// RT       all of it.
class IsolatedJob {
 public:
  /// `process`: the place of its model among Isolation::models().
  explicit IsolatedJob(std::size_t process) : process_(process) {}

  std::size_t process() const TACTUS_RT { return process_; }
  void add(const CallPage::Use& use) TACTUS_RT {
    sum_.heap.calls += use.heap.calls;
    sum_.heap.took += use.heap.took;
    sum_.maps.calls += use.maps.calls;
    sum_.maps.bytes += use.maps.bytes;
    sum_.maps.faults += use.maps.faults;
    sum_.maps.took += use.maps.took;
    sum_.faults += use.faults;
    sum_.switches += use.switches;
    sum_.floating += use.floating;
    sum_.taken = use.taken;
    sum_.answered = use.answered;
    told_.write(sum_);
  }
  /// Sum over all calls so far; the times are those of the last call.
  const CallPage::Use& sum() TACTUS_RT { return told_.read(); }

 private:
  const std::size_t process_;
  CallPage::Use sum_;
  rtsync::LatestCell<CallPage::Use> told_;
};

}  // namespace tactus::executive
