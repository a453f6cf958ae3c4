// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/backlog.hpp"

#include <algorithm>

namespace tactus::silkit {
namespace {

using Seconds = std::chrono::duration<double>;

std::string tenths(double value) {
  const auto rounded = static_cast<std::uint64_t>(value * 10 + 0.5);
  return std::to_string(rounded / 10) + "." + std::to_string(rounded % 10);
}

}  // namespace

Backlog::Verdict Backlog::look(const BacklogLimits& limits, Clock::time_point now, std::uint64_t taken,
                               std::size_t waiting) {
  Verdict verdict;
  if (waiting == 0) {
    *this = {};
    return verdict;
  }
  if (looked_) served_ += std::min(now - *looked_, 2 * pause(limits));
  looked_ = now;
  looks_.push_back({served_, taken, taken + waiting});
  while (looks_.size() > 1 && served_ - looks_[1].served >= limits.patience) looks_.pop_front();

  const bool many = waiting > limits.bytes;
  verdict.is_news = many && !is_known_;
  is_known_ = many || (is_known_ && waiting > limits.bytes / 2);
  const Look& then = looks_.front();
  const Seconds waited = served_ - then.served;
  const auto read = static_cast<double>(taken - then.taken);
  // What had been sent by then, and still waits, has waited ever since.
  verdict.is_stuck = many && served_ - then.served >= limits.patience && taken < then.end &&
                     read < waited.count() * BacklogLimits::kLeast;
  if (verdict.is_stuck)
    verdict.words = "does not read: " + std::to_string(waiting) + " bytes wait for it, the oldest for " +
                    tenths(waited.count()) + " s, in which it took " + std::to_string(taken - then.taken);
  else if (verdict.is_news)
    verdict.words = "reads more slowly than it is sent to: " + std::to_string(waiting) +
                    " bytes wait for it, and take memory; MaxQueuedBytes is " + std::to_string(limits.bytes);
  return verdict;
}

}  // namespace tactus::silkit
