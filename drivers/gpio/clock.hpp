// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tactus/clock_driver.hpp>
#include <utility>
#include <vector>

#include "drivers/gpio/edge_line_source.hpp"
#include "drivers/gpio/gpio.hpp"

namespace tactus::drivers::gpio {

/// `clock: { driver: gpio }`: the edges of one line clock the frames.
class __attribute__((visibility("hidden"))) GpioClock : public ClockDriver {
 public:
  /// `gpio`: nullptr: this machine's.
  explicit GpioClock(std::shared_ptr<const Gpio> gpio = nullptr) : gpio_(std::move(gpio)) {}

  void keys(Keys& k) override;
  void open(const OpenRequest& request) override;
  tactus::Edges wait(std::int64_t deadline_ns, std::span<std::int64_t> stamps) noexcept override;
  std::string what() const override;
  std::vector<ClockFact> facts(const ClockQuestion& question) override;

 private:
  /// Edge on the wire: with active_low, the opposite of the configured one.
  Edges wire_edge() const;
  const Gpio& gpio();
  std::unique_ptr<EdgeLineSource> open_line(const std::string& rig);
  void add_line_facts(const ClockQuestion& question, std::vector<ClockFact>& facts);

  std::shared_ptr<const Gpio> gpio_;
  std::string chip_;
  std::string line_;
  Edges edge_ = Edges::rising;
  Bias bias_ = Bias::as_is;
  bool active_low_ = false;
  std::unique_ptr<EdgeLineSource> source_;
};

/// Returns true if a kernel of this release ("6.1.0-18-rt-amd64") stamps edges in CLOCK_MONOTONIC: Linux 5.7
/// and later.
bool stamps_monotonic(const std::string& release);

/// Its entry, for the plug-in and for tests.
const tactus_driver* gpio_clock_entry();

}  // namespace tactus::drivers::gpio
