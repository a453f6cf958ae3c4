// SPDX-License-Identifier: Apache-2.0
// NASA Trick's frame log, of its own sources, around a job of ours: the two calls that Trick inserts before and behind each
// job while frame_log_on() is in force. What else its sources refer to is never called, and left unresolved.
#include <array>
#include <cstdint>

#include "tests/benchmark/trick_peer.h"
#include "trick/FrameLog.hh"
#include "trick/GetTimeOfDayClock.hh"
#include "trick/JobData.hh"
#include "trick/exec_proto.h"

namespace Trick {
class MemoryManager;
}
Trick::MemoryManager* trick_MM = nullptr;

extern "C" SIM_MODE exec_get_mode() { return Run; }

namespace {

/// The log of one thread, and the job that Trick instruments.
class Log {
 public:
  Log() {
    Trick::JobData::set_time_tic_value(1'000'000);
    log_.timeline = lines_.data();
    log_.timeline_other = lines_.data();
    log_.tl_count = log_.tl_other_count = &count_;
    target_.thread = 0;
    instrument_.sup_class_data = &target_;
  }
  void begin() { (void)log_.frame_clock_start(&instrument_); }
  void end() {
    (void)log_.frame_clock_stop(&instrument_);
    if (count_ == static_cast<int>(samples_.size())) count_ = 0;  // Trick stops logging there
  }

 private:
  Trick::GetTimeOfDayClock clock_;
  Trick::FrameLog log_{clock_};
  Trick::JobData target_, instrument_;
  std::array<Trick::timeline_t, 100'000> samples_{};
  std::array<Trick::timeline_t*, 1> lines_{samples_.data()};
  int count_ = 0;
};

}  // namespace

int tactus_trick_job(void* self, const tactus_call* /*call*/) {
  static Log log;
  log.begin();
  ++*static_cast<std::int64_t*>(self);
  log.end();
  return 0;
}
