// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/checkpoint/checkpoint_part.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "executive/frame/frame_services.hpp"

namespace tactus::executive {

void CheckpointPart::note_wanted(std::int64_t k) TACTUS_RT {
  while (const TimedCommand* const command = services_->next_checkpoint(k)) {
    if (named_count_ < named_.size())
      named_[named_count_++] = command;
    else
      miss();
  }
  bool periodic = every_ > 0 && k > first_frame_ && k % every_ == 0 && k != last_periodic_;
  if (periodic) last_periodic_ = k;
  if (asked_.load(std::memory_order_relaxed))
    periodic = asked_.exchange(false, std::memory_order_relaxed) || periodic;
  if (periodic && unnamed_) miss();
  unnamed_ = unnamed_ || periodic;
}

void CheckpointPart::keep_state(std::int64_t k, Slack& slack) TACTUS_RT {
  note_wanted(k);
  if (writer_.gradual() != nullptr && writer_.gradual()->under_way()) allow(slack);
  while (wanted() && services_->state_complete(k)) {
    const GradualCopy* const gradual = writer_.gradual();
    while (!writer_.ready() && (gradual == nullptr || !gradual->ready())) {
      if (services_->hurried()) return count_waiting(k);
      services_->nap();  // outside of real time nothing is lost: the one before is waited for
      if (gradual != nullptr && gradual->under_way()) allow(slack);
    }
    if (!take_next(k, slack)) break;
  }
  count_waiting(k);
}

/// Counts for how long a checkpoint is wanted that was not taken before frame k.
void CheckpointPart::count_waiting(std::int64_t k) TACTUS_RT {
  if (!wanted()) {
    waits_since_ = -1;
    waiting_.store(0, std::memory_order_relaxed);
    return;
  }
  if (waits_since_ < 0 || waits_since_ > k) waits_since_ = k;
  const std::int64_t waiting = k - waits_since_ + 1;
  waiting_.store(waiting, std::memory_order_relaxed);
  if (waiting > most_waited_.load(std::memory_order_relaxed))
    most_waited_.store(waiting, std::memory_order_relaxed);
}

/// Those of the rig file first, then the one that was asked for by name. False: not now, or a job failed.
bool CheckpointPart::take_next(std::int64_t k, Slack& slack) TACTUS_RT {
  const bool named = named_count_ > 0;
  const std::size_t length = named ? 0 : asked_length_.load(std::memory_order_acquire);
  const std::string_view name =
      named ? std::string_view(named_[0]->call.name) : std::string_view(asked_name_.data(), length);
  bool good = false;
  if (is_gradual(slack))
    good = take_gradually(name, k, slack);
  else if (!slack.spend(cost_, [&]() TACTUS_RT { good = take(name, k); }))
    return false;
  if (!good) return false;
  if (named) {
    std::shift_left(named_.begin(), named_.begin() + static_cast<std::ptrdiff_t>(named_count_--), 1);
  } else if (length > 0) {
    asked_length_.store(0, std::memory_order_relaxed);
    filling_.store(false, std::memory_order_release);
  } else {
    unnamed_ = false;
  }
  return true;
}

/// False: a job around it failed.
bool CheckpointPart::take(std::string_view name, std::int64_t k) TACTUS_RT {
  if (writer_.request(path_of(name, k)) != CheckpointWriter::Request::accepted) {
    miss();
    return true;
  }
  return save(k, nullptr);
}

bool CheckpointPart::is_gradual(const Slack& slack) const TACTUS_RT {
  const GradualCopy* const gradual = writer_.gradual();
  if (gradual == nullptr || gradual->failed()) return false;
  return gradual->under_way() || !slack.fits(cost_);
}

/// Takes a checkpoint step by step. True: it is taken. Else it has only begun, is not ready, does not fit, or
/// a job around it failed.
bool CheckpointPart::take_gradually(std::string_view name, std::int64_t k, Slack& slack) TACTUS_RT {
  GradualCopy& gradual = *writer_.gradual();
  if (!gradual.under_way()) {
    if (path_of(name, k).empty()) {
      miss();
      return true;
    }
    short_frames_ = 0;
    allow(slack);
    gradual.begin();
  }
  if (!gradual.ready()) return false;
  bool taken = false;
  (void)slack.spend(stand_cost_, [&]() TACTUS_RT {
    if (writer_.request(path_of(name, k)) != CheckpointWriter::Request::accepted) return;
    taken = save(k, &slack);
    if (taken)
      gradual_.fetch_add(1, std::memory_order_relaxed);
    else
      writer_.withdraw();
  });
  return taken;
}

/// The copy, and the jobs around it. `gradually`: what is left of one. False: a job failed, or there was no
/// time for it.
bool CheckpointPart::save(std::int64_t k, Slack* gradually) TACTUS_RT {
  const tactus_call call{services_->plan().frame.times(k).count(), k, 0};
  if (!services_->run_jobs(TACTUS_CHECKPOINT, call)) return false;
  services_->save_state(k);
  bool taken = true;
  if (gradually == nullptr)
    (void)writer_.take(k - 1, call.sim_time_ns);
  else
    taken = stand(call, *gradually);
  return services_->run_jobs(TACTUS_POST_CHECKPOINT, call) && taken;
}

/// Waits while the helper copies what is left, for three quarters of the slack. A rig that is not paced or is
/// in Pause waits a tenth of a second.
bool CheckpointPart::stand(const tactus_call& call, Slack& slack) TACTUS_RT {
  if (const auto left = slack.left())
    return writer_.take_gradually(call.frame - 1, call.sim_time_ns,
                                  [&]() TACTUS_RT { return *slack.left() < *left / 4; });
  int naps = 0;
  return writer_.take_gradually(call.frame - 1, call.sim_time_ns, [&]() TACTUS_RT {
    services_->nap();
    return ++naps >= 1000;
  });
}

/// Allows a gradual copy a quarter of the slack before the next frame ends, for its page faults. When eight
/// frames in a row have less than an eighth of a frame left, none is allowed.
void CheckpointPart::allow(const Slack& slack) TACTUS_RT {
  GradualCopy& gradual = *writer_.gradual();
  const auto left = slack.left();
  if (!left) return gradual.allow(GradualCopy::kNoLimit, std::chrono::seconds(1));
  short_frames_ = *left < services_->plan().frame.floor() / 8 ? short_frames_ + 1 : 0;
  if (short_frames_ >= 8) return gradual.allow(0, rtsync::Nanoseconds{0});
  const std::int64_t pages = *left / 4 / gradual.fault_cost();
  gradual.allow(std::max<std::int64_t>(pages, 1), *left / 4 * 3);
}

/// Path in the folder; without a name it is named after frame k. Too long: empty.
std::string_view CheckpointPart::path_of(std::string_view name, std::int64_t k) TACTUS_RT {
  std::array<char, 24> number{};
  const auto end = std::to_chars(number.data(), number.data() + number.size(), k);
  const std::string_view digits{number.data(), static_cast<std::size_t>(end.ptr - number.data())};
  const bool unnamed = name.empty();
  std::size_t length = 0;
  for (const std::string_view piece :
       {std::string_view(folder_), std::string_view("/"), unnamed ? std::string_view("frame-") : name,
        unnamed ? digits : std::string_view(), unnamed ? std::string_view(".tck") : std::string_view()}) {
    if (piece.empty()) continue;
    if (piece.size() > path_.size() - length) return {};
    std::memcpy(path_.data() + length, piece.data(), piece.size());
    length += piece.size();
  }
  return {path_.data(), length};
}

}  // namespace tactus::executive
