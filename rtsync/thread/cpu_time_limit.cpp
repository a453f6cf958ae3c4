// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/cpu_time_limit.hpp"

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>

#include "rtsync/time/duration_text.hpp"

namespace tactus::rtsync {
namespace {

constexpr rlim_t kFromSignalToKillUs = 1'000'000;

std::string text_of(rlim_t us) {
  return us == RLIM_INFINITY ? "no limit" : duration_text(static_cast<std::int64_t>(us) * 1'000);
}

std::string text_of(const rlimit& limit) {
  return "SIGXCPU after " + text_of(limit.rlim_cur) + ", SIGKILL after " + text_of(limit.rlim_max);
}

}  // namespace

CpuTimeLimit::CpuTimeLimit(Nanoseconds most_without_sleep, CpuTimeKernel kernel)
    : kernel_(std::move(kernel)) {
  if (!kernel_.get)
    kernel_.get = [](rlimit& limit) { return ::getrlimit(RLIMIT_RTTIME, &limit) == 0 ? 0 : errno; };
  if (!kernel_.set)
    kernel_.set = [](const rlimit& limit) { return ::setrlimit(RLIMIT_RTTIME, &limit) == 0 ? 0 : errno; };
  provision_ = apply(most_without_sleep);
}

CpuTimeLimit::~CpuTimeLimit() {
  if (!before_ || kernel_.set(*before_) == 0) return;
  rlimit now{};
  if (kernel_.get(now) != 0) return;
  now.rlim_cur = std::min(before_->rlim_cur, now.rlim_max);
  (void)kernel_.set(now);  // always allowed: the hard limit stays
}

Provision CpuTimeLimit::apply(Nanoseconds most_without_sleep) {
  const auto us = static_cast<rlim_t>(std::max<std::int64_t>(1, (most_without_sleep.count() + 999) / 1'000));
  const std::string what =
      "an end for a real-time thread that runs for " + text_of(us) + " without ever sleeping";
  rlimit before{};
  if (const int error = kernel_.get(before); error != 0)
    return refused(what, "unknown",
                   {"getrlimit(RLIMIT_RTTIME) answered " + error_words(error), "see getrlimit(2)"});
  rlimit wanted{us, us + kFromSignalToKillUs};
  int error = kernel_.set(wanted);
  if (error == EPERM && us < before.rlim_max) {
    wanted.rlim_max = before.rlim_max;  // killed sooner, but warned in time
    error = kernel_.set(wanted);
  }
  if (error == 0) {
    before_ = before;
    return granted(what, text_of(wanted));
  }
  if (error == EPERM)
    return refused(what, text_of(before),
                   {"the hard limit RLIMIT_RTTIME is " + text_of(before.rlim_max) +
                        " and CAP_SYS_RESOURCE, which could raise it, is missing",
                    "ulimit -HR unlimited in the shell that root starts it from; a systemd unit: "
                    "LimitRTTIME=infinity"});
  return refused(what, text_of(before),
                 {"setrlimit(RLIMIT_RTTIME) answered " + error_words(error), "see setrlimit(2)"});
}

}  // namespace tactus::rtsync
