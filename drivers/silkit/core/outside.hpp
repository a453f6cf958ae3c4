// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Surroundings of an engine: the places its messages and its log lines go to, and its settings.
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "drivers/silkit/core/log_topic.hpp"
#include "drivers/silkit/wire/bytes.hpp"
#include "drivers/silkit/wire/log_message.hpp"
#include "drivers/silkit/wire/metrics_message.hpp"

namespace tactus::silkit {

/// A stream of this participant; never used twice.
using PeerId = std::uint32_t;
inline constexpr PeerId kRegistryPeer = 0;

/// Takes messages to be sent. What is given for one peer stays in order.
class Outbox {
 public:
  virtual ~Outbox() = default;
  /// A whole message. A peer that is gone swallows it. `is_step`: the peer has no use for it until it waits for this
  /// participant, as for the next step.
  virtual void send(PeerId peer, const Pieces& message, bool is_step = false) = 0;
  /// Bytes that wait until the peer reads.
  virtual std::size_t queued(PeerId) const { return 0; }
};

/// Says what happens, for the log.
class LogSink {
 public:
  enum class Level : std::uint32_t { trace = 0, debug = 1, info = 2, warn = 3, error = 4, critical = 5 };
  virtual ~LogSink() = default;
  virtual void say(Level level, const std::string& text) = 0;
  virtual void say_about(LogTopic, Level level, const std::string& text) { say(level, text); }
};

/// Returns the time that a clock shows.
template <class Clock, class Unit>
std::int64_t time_of() {
  return std::chrono::duration_cast<Unit>(Clock::now().time_since_epoch()).count();
}

struct EngineSettings {
  std::string name;                    ///< name of the participant; not empty
  std::optional<bool> dynamic_step{};  ///< TimeSynchronization.DynamicSimulationStep
  double animation_factor = 0;  ///< virtual time is not faster than wall clock / factor; 0: as it comes
  /// Time since 1970.
  std::function<std::int64_t()> wall_us = time_of<std::chrono::system_clock, std::chrono::microseconds>;
  /// Monotonic.
  std::function<std::int64_t()> steady_ns = time_of<std::chrono::steady_clock, std::chrono::nanoseconds>;
  bool sends_log = false;                             ///< lines of this participant go to others: send_log()
  std::function<void(const LogMessage&)> take_log{};  ///< lines of others come here; empty: they do not come
  std::int64_t metrics_every_ns = 0;  ///< interval at which metrics are sent; 0: nothing is measured
  std::string simulation{};           ///< simulation of the registry's URI; "": the default one
  bool sends_metrics = false;         ///< true: sends its metrics to all that collect them
  bool collects_metrics = false;      ///< true: collects the metrics of all that send them
  /// Metrics of this participant and of those that are collected come here.
  std::function<void(const std::string& participant, const MetricsUpdate&)> put_metrics{};
};

}  // namespace tactus::silkit
