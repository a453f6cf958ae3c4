// SPDX-License-Identifier: Apache-2.0
#include "executive/record/recorder.hpp"

#include <algorithm>
#include <stdexcept>

#include "rtsync/crash/witness_page.hpp"

namespace tactus::executive {

Recorder::~Recorder() { (void)stop(); }

void Recorder::start(const rtsync::ThreadSettings& helper) {
  helper_ = helper;
  for (Recording* recording : recordings_) {
    try {
      const rtsync::Doing doing("the file of recording '" + recording->name() + "' was made");
      recording->open(folder_);
    } catch (const std::exception& error) {
      throw std::runtime_error("recording '" + recording->name() + "': " + error.what());
    }
  }
  if (recordings_.empty()) return;
  writers_.push_back(std::make_shared<RecordingWriter>(recordings_, flush_every_));
  writers_.back()->start(helper_);
}

std::vector<const Recording*> Recorder::hanging() {
  std::vector<const Recording*> all;
  for (const auto& writer : writers_)
    if (writer->hangs() >= kHangs)
      if (const Recording* const busy = writer->busy_with()) all.push_back(busy);
  return all;
}

void Recorder::take_over() {
  for (std::size_t i = 0, writers = writers_.size(); i < writers; ++i) {
    if (writers_[i]->hangs() < kHangs) continue;
    std::vector<Recording*> others = writers_[i]->give_away();
    if (others.empty()) continue;
    auto writer = std::make_shared<RecordingWriter>(std::move(others), flush_every_);
    if (stopping_) writer->stop();
    writer->start(helper_);
    writers_.push_back(std::move(writer));
  }
}

bool Recorder::done() const {
  return std::ranges::all_of(writers_, [](const auto& each) { return each->done(); });
}

void Recorder::give_up() {
  for (const auto& writer : writers_) {
    Recording* const busy = writer->done() ? nullptr : writer->busy_with();
    if (busy != nullptr && !busy->ended())
      busy->give_up("a call on its file did not return" + busy->present_call());
  }
  const Recording* const busy = busy_with();
  for (Recording* recording : recordings_)
    if (!recording->ended())
      recording->give_up(
          "the recorder did not return from a call on the file of " +
          (busy == nullptr ? "another recording" : "recording " + busy->name() + busy->present_call()));
  for (const auto& writer : writers_) writer->leave();
  writers_.clear();
}

bool Recorder::stop(const std::function<bool(std::chrono::nanoseconds)>& wait) {
  stopping_ = true;
  for (const auto& writer : writers_) writer->stop();
  (void)hangs();
  while (wait && !done()) {
    take_over();
    if (wait(hangs())) continue;
    if (done()) break;
    give_up();
    return false;
  }
  for (const auto& writer : writers_) writer->join();
  writers_.clear();
  return true;
}

std::chrono::nanoseconds Recorder::hangs() {
  std::chrono::nanoseconds longest{0};
  for (const auto& writer : writers_) longest = std::max(longest, writer->hangs());
  return longest;
}

const Recording* Recorder::busy_with() const {
  const auto longest = std::ranges::max_element(
      writers_, [](const auto& one, const auto& two) { return one->hangs() < two->hangs(); });
  return longest == writers_.end() ? nullptr : (*longest)->busy_with();
}

std::vector<rtsync::Provision> Recorder::provisions() const {
  return writers_.empty() ? std::vector<rtsync::Provision>{} : writers_.front()->thread()->provisions();
}

bool Recorder::owns(pid_t tid) const {
  return std::ranges::any_of(writers_, [tid](const auto& each) {
    return each->thread() != nullptr && each->thread()->tid() == tid;
  });
}

}  // namespace tactus::executive
