// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/trace_writer.hpp"

#include <exception>
#include <utility>

namespace tactus::executive {

TraceWriter::TraceWriter(const FlightFile& file, const rtsync::ThreadSettings& helper)
    : file_(file), thread_(helper, [this] { serve(); }) {}

TraceWriter::~TraceWriter() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
}

void TraceWriter::write(TraceRequest request) {
  {
    const std::lock_guard lock(mutex_);
    wanted_.push_back(std::move(request));
  }
  changed_.notify_all();
}

std::deque<TraceWriter::Written> TraceWriter::take_written() {
  const std::lock_guard lock(mutex_);
  return std::exchange(written_, {});
}

bool TraceWriter::wait(std::chrono::steady_clock::time_point until) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, until, [this] { return wanted_.empty(); });
}

void TraceWriter::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ended_ || !wanted_.empty(); });
    if (ended_) return;
    const TraceRequest request = wanted_.front();
    lock.unlock();
    TraceResult result;
    try {
      result = write_trace(FlightView(file_), request);
    } catch (const std::exception& error) {
      result.failure = error.what();
    }
    lock.lock();
    written_.push_back({request.why, std::move(result)});
    wanted_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace tactus::executive
