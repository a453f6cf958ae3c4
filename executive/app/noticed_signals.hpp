// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <signal.h>

#include <atomic>
#include <iterator>

namespace tactus::app {

/// Notices SIGINT, SIGTERM and SIGHUP where they are not ignored, so that what runs can end in order. Afterwards they are
/// as they were.
///
/// Threads  one object at a time.
class NoticedSignals {
 public:
  /// `ends`: the process ends by the last one that came, once this is destroyed.
  explicit NoticedSignals(bool ends = false) : ends_(ends) {
    struct sigaction noticed {};
    noticed.sa_handler = [](int signal) {
      last_.store(signal);
      came_.store(true);
    };
    noticed.sa_flags = SA_RESTART;
    came_.store(false);
    for (std::size_t i = 0; i < std::size(kSignals); ++i) {
      (void)::sigaction(kSignals[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) (void)::sigaction(kSignals[i], &noticed, nullptr);
    }
  }
  ~NoticedSignals() {
    for (std::size_t i = 0; i < std::size(kSignals); ++i)
      (void)::sigaction(kSignals[i], &before_[i], nullptr);
    if (ends_ && came_.load()) (void)::raise(last_.load());
  }
  NoticedSignals(const NoticedSignals&) = delete;
  NoticedSignals& operator=(const NoticedSignals&) = delete;

  /// One of them has come.
  static const std::atomic<bool>& came() { return came_; }

 private:
  static constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  static inline std::atomic<bool> came_{false};
  static inline std::atomic<int> last_{0};
  const bool ends_;
  struct sigaction before_[3]{};
};

}  // namespace tactus::app
