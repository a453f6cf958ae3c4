// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/lifecycle_end.hpp"

#include <map>
#include <utility>

#include "drivers/silkit/api/participant.hpp"

namespace tactus::silkit {
namespace {

struct Ends {
  std::mutex mutex;
  std::map<const SilKit_LifecycleService*, std::shared_ptr<LifecycleEnd>> by_service;
};

/// Never freed: detached threads may ask for an end while the process exits.
Ends& ends() {
  static Ends& all = *new Ends;
  return all;
}

}  // namespace

void LifecycleEnd::expect() {
  const std::scoped_lock held(mutex_);
  expected_ = true;
}

void LifecycleEnd::reach(ParticipantState state) {
  const std::scoped_lock held(mutex_);
  if (last_) return;
  last_ = state;
  changed_.notify_all();
}

void LifecycleEnd::abandon() {
  const std::scoped_lock held(mutex_);
  participant_ = nullptr;
  changed_.notify_all();
}

ParticipantState LifecycleEnd::wait() {
  std::unique_lock held(mutex_);
  if (participant_ != nullptr && participant_->on_io_thread())
    throw Refusal(Code::logic,
                  "a handler cannot wait for the end of the lifecycle: it would wait for itself");
  if (!expected_)
    throw Refusal(Code::bad_parameter, "the lifecycle has not been started: there is nothing to wait for");
  if (told_) throw Refusal(Code::bad_parameter, "the end of the lifecycle has been waited for already");
  changed_.wait(held, [this] { return last_ || participant_ == nullptr; });
  if (!last_) throw Refusal(Code::unspecified, "the participant was destroyed before its lifecycle ended");
  told_ = true;
  return *last_;
}

void keep_end(const SilKit_LifecycleService* service, std::shared_ptr<LifecycleEnd> end) {
  const std::scoped_lock held(ends().mutex);
  ends().by_service[service] = std::move(end);
}

std::shared_ptr<LifecycleEnd> end_of(const SilKit_LifecycleService* service) {
  const std::scoped_lock held(ends().mutex);
  const auto found = ends().by_service.find(service);
  if (found == ends().by_service.end())
    throw Refusal(Code::bad_parameter, "service is not a lifecycle service");
  return found->second;
}

}  // namespace tactus::silkit
