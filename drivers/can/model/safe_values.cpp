// SPDX-License-Identifier: Apache-2.0
/// Drives the safe values of a bus, in the rig's process or in that of its guardian.
#include <time.h>

#include <algorithm>

#include "drivers/can/model/can_model.hpp"
#include "drivers/can/port/can_socket.hpp"

namespace tactus::drivers::can {
namespace {

constexpr timespec kBetweenSafe{0, 1'000'000};
constexpr int kMostPauses = 50;  // of 1 ms, for a full queue of the controller

}  // namespace

bool CanModel::drive_safe(bool for_good) noexcept {
  Port* const port = open_.load(std::memory_order_acquire);
  if (port == nullptr) return true;
  if (for_good)
    port->close();
  else
    port->discard();  // what waits is older than the safe values
  shared_.silence(for_good);
  if (is_safe_for_good_->load(std::memory_order_relaxed)) return true;
  unsigned rounds = 0;
  for (const SentMessage& each : sent_) rounds = std::max(rounds, each.safe_times());
  bool all = true;
  int pauses = 0;
  CanFrame frame;
  for (unsigned round = 0; round < rounds; ++round) {
    if (round > 0) (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &kBetweenSafe, nullptr);
    for (SentMessage& each : sent_)
      if (each.safe_times() > round) {
        each.make_safe(frame);
        int error = port->send_at_once(frame);
        for (; is_queue_full(error) && pauses < kMostPauses; ++pauses) {
          (void)::clock_nanosleep(CLOCK_MONOTONIC, 0, &kBetweenSafe, nullptr);
          error = port->send_at_once(frame);
        }
        all = error == 0 && all;
      }
  }
  if (for_good && all) is_safe_for_good_->store(true, std::memory_order_relaxed);
  return all;
}

std::vector<DrivenOutput> CanModel::outputs() const {
  std::vector<DrivenOutput> all;
  if (settings_.is_simulated()) return all;
  for (const SentMessage& each : sent_)
    all.push_back({each.message().name + ".sent",
                   "message " + each.message().name + " on " + settings_.interface,
                   each.has_safe_values() ? each.safe_text() : ""});
  return all;
}

}  // namespace tactus::drivers::can
