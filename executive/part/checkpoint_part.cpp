#include "executive/part/checkpoint_part.hpp"

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

void CheckpointPart::at_boundary(std::int64_t k, Slack& slack) TACTUS_RT {
  note_wanted(k);
  while ((named_count_ > 0 || unnamed_ || asked_length_.load(std::memory_order_acquire) > 0) &&
         services_->state_complete(k)) {
    while (!writer_.ready()) {
      if (services_->hurried()) return;
      services_->nap();  // outside of real time nothing is lost: the one before is waited for
    }
    if (!take_next(k, slack)) return;
  }
}

/// Those of the rig file first, then the one that was asked for by name. False: not now, or a job failed.
bool CheckpointPart::take_next(std::int64_t k, Slack& slack) TACTUS_RT {
  const bool named = named_count_ > 0;
  const std::size_t length = named ? 0 : asked_length_.load(std::memory_order_acquire);
  const std::string_view name =
      named ? std::string_view(named_[0]->text) : std::string_view(asked_name_.data(), length);
  bool good = true;
  if (!slack.spend(cost_, [&]() TACTUS_RT { good = take(name, k); })) return false;
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
  const tactus_call call{services_->plan().frame.times(k).count(), k, 0};
  if (writer_.request(path_of(name, k)) != CheckpointWriter::Request::accepted) {
    miss();
    return true;
  }
  if (!services_->run_jobs(TACTUS_CHECKPOINT, call)) return false;
  services_->save_state(k);
  (void)writer_.take(k - 1, call.sim_time_ns);
  return services_->run_jobs(TACTUS_POST_CHECKPOINT, call);
}

/// In the folder; without a name it is named after frame k. Too long: empty.
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
