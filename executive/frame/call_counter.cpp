// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/call_counter.hpp"

namespace tactus::executive {

namespace {

constexpr std::uint64_t kMedianEvery = 16;  // pages: what is usual changes slowly

std::vector<Lane*> lanes_of(const Program& program) {
  std::vector<Lane*> lanes;
  for (std::size_t i = 0; i < program.lanes(); ++i) lanes.push_back(&program.lane(i));
  return lanes;
}

}  // namespace

CallCounter::CallCounter(const JobClock& clock, JobTimes& times, const std::vector<Lane*>& lanes)
    : clock_(clock), times_(times) {
  times_.make_helper();
  for (Lane* const lane : lanes) lane->pass_calls_on(pages_.emplace_back(lane->room()));
}

CallCounter::CallCounter(Program& program)
    : CallCounter(program.job_clock(), program.times_to_count(), lanes_of(program)) {}

bool CallCounter::count() {
  bool some = false;
  for (CallPages& pages : pages_) {
    const auto page = pages.next();
    if (!page) continue;
    count(*page, pages.number_counted() % kMedianEvery == 0);
    pages.counted();
    some = true;
  }
  return some;
}

void CallCounter::count(const CallPages::Page& page, bool medians) {
  std::uint64_t began = page.began;
  for (const JobEnd& end : page.ends) {
    if (end.job != kNoPlanJob) {
      times_.add_beside(end.job, clock_.to_time(end.ticks - began));
      if (medians) times_.show_median(end.job);
    }
    began = end.ticks;
  }
}

std::vector<std::uint64_t> CallCounter::passed() const {
  std::vector<std::uint64_t> passed;
  for (const CallPages& pages : pages_) passed.push_back(pages.number_passed());
  return passed;
}

bool CallCounter::has_counted(const std::vector<std::uint64_t>& passed) const {
  for (std::size_t i = 0; i < pages_.size(); ++i)
    if (pages_[i].number_counted() < passed[i]) return false;
  return true;
}

}  // namespace tactus::executive
