// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdarg>
#include <cstddef>
#include <cstdio>

#include "drivers/link/settings.hpp"
#include "rtsync/rt.hpp"

namespace tactus::drivers::link {

/// The frames' last decision and its reason. Reasons stay while their receivers may still read them: a text
/// is written over by the eighth after it.
class Decision {
 public:
  void clear() TACTUS_RT { action_ = Action::none; }
  Action action() const TACTUS_RT { return action_; }
  const char* reason() const TACTUS_RT { return reason_; }

  /// A reason counts when none before it weighs as much.
  [[gnu::format(printf, 3, 4)]] void consider(Action action, const char* format, ...) TACTUS_RT {
    if (action <= action_) return;
    if (action_ == Action::none) next_ = (next_ + 1) % texts_.size();
    action_ = action;
    std::va_list values;
    va_start(values, format);
    (void)std::vsnprintf(texts_[next_].data(), texts_[next_].size(), format, values);
    va_end(values);
    reason_ = texts_[next_].data();
  }

 private:
  Action action_ = Action::none;
  const char* reason_ = "";
  std::size_t next_ = 0;
  std::array<std::array<char, 256>, 8> texts_{};
};

}  // namespace tactus::drivers::link
