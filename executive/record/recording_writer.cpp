// SPDX-License-Identifier: Apache-2.0
#include "executive/record/recording_writer.hpp"

#include <algorithm>
#include <iterator>

#include "rtsync/thread/left_behind.hpp"

namespace tactus::executive {

using namespace std::chrono_literals;

void RecordingWriter::start(const rtsync::ThreadSettings& helper) {
  thread_ = std::make_unique<rtsync::PinnedThread>(helper, [self = shared_from_this()] {
    self->write_until_stopped();
    self->busy_with_.store(nullptr);
    self->done_.store(true);
  });
}

void RecordingWriter::join() {
  if (!thread_) return;
  thread_->join();
  thread_.reset();
}

void RecordingWriter::leave() { rtsync::leave_behind(std::move(thread_)); }

std::chrono::nanoseconds RecordingWriter::hangs() {
  const auto now = std::chrono::steady_clock::now();
  if (const std::uint64_t turns = turns_.load(); turns != turns_seen_ || !thread_ || done_.load()) {
    turns_seen_ = turns;
    seen_at_ = now;
  }
  return now - seen_at_;
}

std::vector<Recording*> RecordingWriter::give_away() {
  const std::scoped_lock lock(guarding_);
  Recording* const busy = busy_with_.load();
  if (busy == nullptr) return {};  // in no file: it waits for a CPU
  std::vector<Recording*> others;
  std::copy_if(recordings_.begin(), recordings_.end(), std::back_inserter(others),
               [busy](const Recording* each) { return each != busy; });
  std::erase_if(recordings_, [busy](const Recording* each) { return each != busy; });
  return others;
}

/// Returns the ith recording, which is busy from now on; nullptr: there are no more.
Recording* RecordingWriter::turn(std::size_t i) {
  const std::scoped_lock lock(guarding_);
  Recording* const recording = i < recordings_.size() ? recordings_[i] : nullptr;
  busy_with_.store(recording);
  turns_.fetch_add(1);
  return recording;
}

void RecordingWriter::write_until_stopped() {
  auto flushed = std::chrono::steady_clock::now();
  while (true) {
    const bool last = stopping_.requested();  // before draining: what was recorded before it is written
    bool idle = true;
    for (std::size_t i = 0; Recording* const recording = turn(i); ++i) idle = recording->drain() == 0 && idle;
    if (const auto now = std::chrono::steady_clock::now(); now - flushed >= flush_every_) {
      for (std::size_t i = 0; Recording* const recording = turn(i); ++i) recording->flush();
      flushed = now;
    }
    if (!idle) continue;
    if (last) break;
    stopping_.sleep(std::min<rtsync::Nanoseconds>(5ms, flush_every_));
  }
  while (Recording* const recording = turn(0)) {
    recording->close();
    const std::scoped_lock lock(guarding_);
    std::erase(recordings_, recording);  // another thread that takes over closes the rest
  }
}

}  // namespace tactus::executive
