// SPDX-License-Identifier: Apache-2.0
#include "executive/state/checkpoint_writer.hpp"

#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

#include "rtsync/thread/left_behind.hpp"

namespace tactus::executive {

using namespace std::chrono_literals;

CheckpointWriter::CheckpointWriter(std::string rig, rtsync::Period period, std::string version)
    : head_{.rig = std::move(rig), .period = period, .version = std::move(version), .created = {}} {}

CheckpointWriter::~CheckpointWriter() { (void)stop(); }

void CheckpointWriter::reserve(const StateImage& image, rtsync::WriteTracker* tracker) {
  if (image_ != nullptr) throw std::logic_error("a checkpoint writer has one image");
  buffer_.assign(image.bytes(), std::byte{0});
  image_ = &image;
  if (tracker != nullptr) gradual_ = std::make_unique<GradualCopy>(image, buffer_.data(), *tracker);
}

void CheckpointWriter::start(const rtsync::ThreadSettings& helper) {
  if (image_ == nullptr) return;
  thread_ = std::make_unique<rtsync::PinnedThread>(helper, [this] {
    write_until_stopped();
    done_.store(true);
  });
  slot_.store(Slot::open, std::memory_order_release);
}

bool CheckpointWriter::stop(const std::function<bool(std::chrono::nanoseconds)>& wait) {
  if (!thread_) return true;
  // Somebody may be `filling` right now: he finds the slot closed when he is done, and nothing is lost.
  const Slot before = slot_.exchange(Slot::closed, std::memory_order_acq_rel);
  stopping_.request();
  const auto began = std::chrono::steady_clock::now();
  bool stopped = true;
  while (wait && stopped && !done_.load())
    stopped = wait(std::chrono::steady_clock::now() - began) || done_.load();
  if (stopped) {
    thread_->join();
    thread_.reset();
  } else {
    rtsync::leave_behind(std::move(thread_));  // it may never end
    add({.path = std::string(path_.view()), .error = "a call on its file did not return"});
  }
  if (before == Slot::asked)
    add({.path = std::string(asked_.view()),
         .error = "the rig ended before the end of a frame could take it"});
  return stopped;
}

CheckpointWriter::Request CheckpointWriter::request(std::string_view path) TACTUS_RT {
  if (path.empty() || path.size() > kLongestPath) return Request::too_long;
  Slot found = Slot::open;
  if (!slot_.compare_exchange_strong(found, Slot::filling, std::memory_order_acquire))
    return found == Slot::closed ? Request::closed : Request::busy;
  std::memcpy(asked_.text.data(), path.data(), path.size());
  asked_.length = path.size();
  found = Slot::filling;
  return slot_.compare_exchange_strong(found, Slot::asked, std::memory_order_release) ? Request::accepted
                                                                                      : Request::closed;
}

bool CheckpointWriter::take(std::int64_t frame, std::int64_t sim_time_ns) TACTUS_RT {
  if (slot_.load(std::memory_order_acquire) != Slot::asked || full_.load(std::memory_order_acquire))
    return false;
  if (!close_request()) return false;
  image_->copy_to(buffer_.data());
  return hand_over(frame, sim_time_ns);
}

/// Another one may be asked for. False: the writer is stopped.
bool CheckpointWriter::close_request() TACTUS_RT {
  std::memcpy(path_.text.data(), asked_.text.data(), asked_.length);
  path_.length = asked_.length;
  Slot found = Slot::asked;
  return slot_.compare_exchange_strong(found, Slot::open, std::memory_order_release);
}

/// The buffer is full.
bool CheckpointWriter::hand_over(std::int64_t frame, std::int64_t sim_time_ns) TACTUS_RT {
  frame_ = frame;
  sim_time_ns_ = sim_time_ns;
  full_.store(true, std::memory_order_release);
  return true;
}

std::vector<CheckpointResult> CheckpointWriter::poll() {
  const std::lock_guard lock(results_lock_);
  return std::exchange(results_, {});
}

std::vector<rtsync::Provision> CheckpointWriter::provisions() const {
  return thread_ ? thread_->provisions() : std::vector<rtsync::Provision>{};
}

void CheckpointWriter::add(CheckpointResult result) {
  const std::lock_guard lock(results_lock_);
  results_.push_back(std::move(result));
}

void CheckpointWriter::write_one() {
  CheckpointResult result{.path = std::string(path_.view()), .frame = frame_, .sim_time_ns = sim_time_ns_};
  const auto began = std::chrono::steady_clock::now();
  try {
    CheckpointHead head = head_;
    head.frame = frame_;
    head.sim_time_ns = sim_time_ns_;
    head.created = utc_now();
    result.bytes = write_checkpoint(result.path, head, *image_, buffer_);
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  result.took = std::chrono::steady_clock::now() - began;
  add(std::move(result));
}

/// The frames go on meanwhile.
void CheckpointWriter::release_gradually() {
  while (!gradual_->release_some()) {
    if (stopping_.requested()) return gradual_->release();
    std::this_thread::sleep_for(50us);
  }
}

/// Works, and returns for how long there is nothing to do then.
std::chrono::microseconds CheckpointWriter::work_gradually() {
  try {
    return gradual_->work();
  } catch (const std::exception& error) {
    gradual_->fail();
    add({.path = "in pieces", .error = error.what()});
    return 0us;
  }
}

void CheckpointWriter::write_until_stopped() {
  while (true) {
    const bool last = stopping_.requested();  // before looking: what was taken is written
    if (full_.load(std::memory_order_acquire)) {
      if (gradual_ != nullptr) release_gradually();
      write_one();
      full_.store(false, std::memory_order_release);
    } else if (last) {
      if (gradual_ != nullptr) gradual_->release();
      return;
    } else if (gradual_ != nullptr && gradual_->under_way()) {
      const std::chrono::microseconds pause = work_gradually();
      pause > 0us ? std::this_thread::sleep_for(pause) : std::this_thread::yield();
    } else {
      stopping_.sleep(5ms);
    }
  }
}

}  // namespace tactus::executive
