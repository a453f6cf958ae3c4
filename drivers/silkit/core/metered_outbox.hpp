// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <string>

#include "drivers/silkit/core/metrics.hpp"
#include "drivers/silkit/core/outside.hpp"
#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

/// Counts what goes to each peer, and comes from it.
class MeteredOutbox final : public Outbox {
 public:
  MeteredOutbox(Outbox& to, Metrics& metrics) : to_(to), metrics_(metrics) {}
  void send(PeerId peer, const Pieces& message, bool is_step = false) override;
  void add(PeerId peer, const std::string& simulation, const std::string& participant);
  void received(PeerId peer, const Frame& frame);
  void measure_queues();

 private:
  void count(const std::string& name, std::size_t bytes);
  void measure_queue(PeerId peer, const std::string& name);

  Outbox& to_;
  Metrics& metrics_;
  std::map<PeerId, std::string> names_;   // what the names of its metrics begin with
  std::map<PeerId, std::size_t> queued_;  // bytes, as measured last
};

}  // namespace tactus::silkit
