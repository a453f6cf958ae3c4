// SPDX-License-Identifier: Apache-2.0
#include "executive/state/gradual_copy.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <functional>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

namespace tactus::executive {

using rtsync::Pages;
using rtsync::WriteTracker;
using std::chrono::microseconds;

namespace {

constexpr std::size_t kGap = 16 * 1024;            // bytes between two runs that are watched together
constexpr std::size_t kPortion = 512;              // pages at a time, so that nothing is held up for long
constexpr std::chrono::milliseconds kNoFrame{10};  // without one: the rig ends, or its frames are longer

std::byte* end_of(const StateImage::Run& run) { return run.memory + run.bytes; }

/// Calls `see(first, last, bytes)` for runs that lie close to each other.
template <class See>
void for_clusters(const StateImage& image, See see) {
  const std::vector<StateImage::Run>& runs = image.memory();
  for (std::size_t first = 0, last = 0; first < runs.size(); first = last) {
    while (++last < runs.size() && runs[last].memory <= end_of(runs[last - 1]) + kGap) {
    }
    see(first, last, static_cast<std::size_t>(end_of(runs[last - 1]) - runs[first].memory));
  }
}

/// Copies memory that other threads may be writing: then it is copied once more.
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
__attribute__((no_sanitize("thread"))) void copy_shared(std::byte* to, const std::byte* from,
                                                        std::size_t bytes) {
  const volatile std::byte* const shared = from;
  for (std::size_t i = 0; i < bytes; ++i) to[i] = shared[i];
}
#else
void copy_shared(std::byte* to, const std::byte* from, std::size_t bytes) { std::memcpy(to, from, bytes); }
#endif

}  // namespace

std::vector<Pages> GradualCopy::pages_of(const StateImage& image) {
  const std::size_t page = rtsync::page_bytes();
  std::vector<Pages> spans;
  for_clusters(image, [&](std::size_t first, std::size_t last, std::size_t bytes) {
    if (bytes < kLeastTracked) return;
    std::byte* const begin = image.memory()[first].memory;
    std::byte* const end = end_of(image.memory()[last - 1]);
    Pages pages{begin - reinterpret_cast<std::uintptr_t>(begin) % page, end};
    if (const std::size_t over = reinterpret_cast<std::uintptr_t>(end) % page; over > 0)
      pages.end += page - over;
    if (!spans.empty() && !std::less<>{}(spans.back().end, pages.begin))
      spans.back().end = pages.end;
    else
      spans.push_back(pages);
  });
  return spans;
}

std::vector<StateImage::Run> GradualCopy::small_runs_of(const StateImage& image) {
  std::vector<StateImage::Run> small;
  for_clusters(image, [&](std::size_t first, std::size_t last, std::size_t bytes) {
    if (bytes >= kLeastTracked) return;
    for (std::size_t i = first; i < last; ++i) small.push_back(image.memory()[i]);
  });
  return small;
}

GradualCopy::GradualCopy(const StateImage& image, std::byte* to, WriteTracker& tracker)
    : image_(image),
      to_(to),
      tracker_(tracker),
      spans_(pages_of(image)),
      small_(small_runs_of(image)),
      fault_cost_(tracker.fault_cost()) {}

microseconds GradualCopy::work() {
  switch (state_.load(std::memory_order_acquire)) {
    case State::copying:
      if (resting_) {
        if (!frame_ended()) return microseconds(100);
        resting_ = !release_portion();
        return microseconds(0);
      }
      if (Clock::now() < resume_at_) return microseconds(1000);
      if (!take_allowance()) return microseconds(100);
      pass_ == 0 ? copy_first() : copy_written();
      return microseconds(0);
    case State::ready: {
      const auto waits = Clock::now() - ready_since_;
      State found = State::ready;
      if (waits > kLinger) (void)state_.compare_exchange_strong(found, State::copying);
      return microseconds(waits < std::chrono::milliseconds(2) ? 0 : 50);
    }
    case State::standing:
      copy_rest();
      return microseconds(0);
    case State::idle:
    case State::taken:
    case State::failed:
      break;
  }
  return microseconds(50);
}

/// False: nothing may be watched before the next frame has ended.
bool GradualCopy::take_allowance() {
  const std::int64_t allowed = allowed_.exchange(-1, std::memory_order_relaxed);
  if (allowed == 0) rest();
  if (allowed >= 0) allowance_ = static_cast<std::size_t>(allowed);
  return allowance_ > 0;
}

/// Copies some pages in the first pass, whatever is known of them.
void GradualCopy::copy_first() {
  if (span_ < spans_.size()) {
    if (at_ == nullptr) at_ = spans_[span_].begin;
    const auto left = static_cast<std::size_t>(spans_[span_].end - at_) / rtsync::page_bytes();
    const std::size_t pages = std::min({left, allowance_, kPortion});
    const Pages portion{at_, at_ + pages * rtsync::page_bytes()};
    tracker_.watch(portion);  // first: what is written from here on is found
    copy(portion);
    allowance_ -= pages;
    at_ = portion.end;
    if (at_ != spans_[span_].end) return;
    at_ = nullptr;
    ++span_;
  }
  if (span_ == spans_.size()) end_pass();
}

/// Copies, in the later passes, some pages that were written since.
void GradualCopy::copy_written() {
  if (span_ < spans_.size()) {
    Pages left{at_ == nullptr ? spans_[span_].begin : at_, spans_[span_].end};
    tracker_.written(left, true, std::min(allowance_, kPortion), found_);
    for (const Pages& pages : found_) {
      const std::size_t many = pages.bytes() / rtsync::page_bytes();
      copy(pages);
      allowance_ -= std::min(allowance_, many);
      faults_.fetch_add(static_cast<std::int64_t>(many), std::memory_order_relaxed);
    }
    at_ = left.begin;
    if (left.bytes() > 0) return;
    at_ = nullptr;
    ++span_;
  }
  if (span_ == spans_.size()) end_pass();
}

/// Computes how long a frame would have to stand still for what has been written by now, and whether one can.
void GradualCopy::end_pass() {
  ++pass_;
  span_ = 0;
  const auto begin = Clock::now();
  std::size_t bytes = 0;
  for (Pages span : spans_) {
    tracker_.written(span, false, WriteTracker::kAll, found_);
    for (const Pages& pages : found_) bytes += pages.bytes();
  }
  // A helper that was without a CPU for a while says nothing of the next time, and a try costs no frame more
  // than it can spare.
  look_ = std::min<Nanoseconds>(look_, Clock::now() - begin);
  const auto pages = static_cast<std::int64_t>(bytes / rtsync::page_bytes() + 2 * small_.size());
  const Nanoseconds needed = look_ + page_cost_ * pages;
  needed_.store(needed.count(), std::memory_order_relaxed);
  if (needed <= Nanoseconds{stand_.load(std::memory_order_relaxed)}) {
    ready_since_ = Clock::now();
    State found = State::copying;
    (void)state_.compare_exchange_strong(found, State::ready, std::memory_order_acq_rel);
  } else if (pass_ >= kMostPasses) {
    rest();
  }
}

/// Copies, while a frame stands still, what was written since it was copied last, and what is never watched.
void GradualCopy::copy_rest() {
  std::int64_t faults = 0;
  for (Pages span : spans_) {
    // Not watched again: if the frame does not wait for the end of it, they are found once more.
    tracker_.written(span, false, WriteTracker::kAll, found_);
    for (const Pages& pages : found_) {
      copy(pages);
      faults += static_cast<std::int64_t>(pages.bytes() / rtsync::page_bytes());
    }
  }
  for (const StateImage::Run& run : small_) copy_shared(to_ + run.offset, run.memory, run.bytes);
  State found = State::standing;
  if (state_.compare_exchange_strong(found, State::taken, std::memory_order_acq_rel))
    faults_.fetch_add(faults, std::memory_order_relaxed);
}

/// Too much is written, or watching costs the frames too much: for a while they are left alone.
void GradualCopy::rest() {
  begin_anew();
  rests_.fetch_add(1, std::memory_order_relaxed);
  resting_ = !release_portion();
  resume_at_ = Clock::now() + kRest;
}

void GradualCopy::begin_anew() {
  pass_ = 0;
  span_ = 0;
  at_ = nullptr;
  allowance_ = 0;
}

/// A frame has ended since the last time, or none does for a while.
bool GradualCopy::frame_ended() {
  const auto now = Clock::now();
  if (allowed_.exchange(-1, std::memory_order_relaxed) < 0 && now - frame_seen_ < kNoFrame) return false;
  frame_seen_ = now;
  return true;
}

/// Releases the next pages. True: those were the last ones.
bool GradualCopy::release_portion() {
  for (std::size_t left = kPortion * rtsync::page_bytes(); left > 0 && released_spans_ < spans_.size();) {
    const Pages& span = spans_[released_spans_];
    std::byte* const begin = released_to_ == nullptr ? span.begin : released_to_;
    const std::size_t bytes = std::min(left, static_cast<std::size_t>(span.end - begin));
    tracker_.release({begin, begin + bytes});
    left -= bytes;
    released_to_ = begin + bytes;
    if (released_to_ != span.end) continue;
    released_to_ = nullptr;
    ++released_spans_;
  }
  if (released_spans_ < spans_.size()) return false;
  released_spans_ = 0;
  return true;
}

bool GradualCopy::release_some() {
  if (!under_way()) return true;
  if (!frame_ended()) return false;
  try {
    if (!release_portion()) return false;
  } catch (const std::exception&) {
    fail();
    return true;
  }
  begin_anew();
  resting_ = false;
  resume_at_ = {};
  allowed_.store(-1, std::memory_order_relaxed);
  state_.store(State::idle, std::memory_order_release);
  return true;
}

void GradualCopy::release() {
  while (under_way()) {
    frame_seen_ = {};  // none is waited for
    (void)release_some();
  }
}

void GradualCopy::fail() { state_.store(State::failed, std::memory_order_release); }

/// Copies the part of the state that lies in these pages.
void GradualCopy::copy(Pages pages) {
  const auto begin = Clock::now();
  const std::vector<StateImage::Run>& runs = image_.memory();
  auto run = std::partition_point(runs.begin(), runs.end(), [&](const StateImage::Run& each) {
    return !std::less<>{}(pages.begin, end_of(each));
  });
  for (; run != runs.end() && std::less<>{}(run->memory, pages.end); ++run) {
    std::byte* const from = std::max(run->memory, pages.begin);
    const std::byte* const to = std::min(end_of(*run), pages.end);
    copy_shared(to_ + run->offset + (from - run->memory), from, static_cast<std::size_t>(to - from));
  }
  const auto many = static_cast<std::int64_t>(pages.bytes() / rtsync::page_bytes());
  page_cost_ = std::min<Nanoseconds>(page_cost_, (Clock::now() - begin) / many);
}

}  // namespace tactus::executive
