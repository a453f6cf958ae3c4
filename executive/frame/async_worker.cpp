// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/async_worker.hpp"

namespace tactus::executive {

void AsyncWorker::prepare(std::int64_t k, std::int64_t sim_time_ns, std::int64_t end_ns) TACTUS_RT {
  const std::int64_t next = frames == 0 ? period + 1 : k / frames;
  if (schedule != nullptr && next != period + 1) schedule->seek(next, true);  // what was missed stays missed
  period = next;
  lane.begin_frame(k);
  call.sim_time_ns = sim_time_ns;
  call.frame = frames == 0 ? k : period;
  end_call = {end_ns, period, call.dt};
}

bool AsyncWorker::run() TACTUS_RT {
  bool good = true;
  if (schedule == nullptr) {
    good = lane.run_list(top) && lane.run_list(all) && lane.run_list(end);
  } else {
    LaneVisitor visitor{lane, entries};
    good = lane.run_list(top);
    lane.begin();
    while (good && schedule->next(period)) {
      schedule->start(0);
      good = schedule->run(0, visitor) == LaneEnd::done;
      schedule->close();
    }
    good = good && lane.run_list(end);
  }
  lane.set_running(kNoPlanJob);
  lane.count();
  lane.book_frame();
  return good;
}

}  // namespace tactus::executive
