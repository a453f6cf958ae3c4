// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "config/fields.hpp"
#include "drivers/gpio/gpio.hpp"
#include "executive/driver/clock_driver.hpp"
#include "executive/driver/driver_with_fields.hpp"

namespace tactus::drivers::gpio {

struct ClockSettings {
  std::string chip{};
  std::string line{};
  Edges edge = Edges::rising;
  Bias bias = Bias::as_is;
  bool active_low = false;

  /// Edge on the wire: with active_low, the opposite of the configured one.
  Edges wire_edge() const;
};
const config::Fields<ClockSettings>& clock_fields();

/// `clock: { driver: gpio }`: the edges of one line clock the frames.
class GpioClock final : public executive::DriverWithFields<executive::ClockDriver, clock_fields> {
 public:
  explicit GpioClock(std::shared_ptr<const Gpio> gpio = system_gpio()) : gpio_(std::move(gpio)) {}

  void read(const config::Node& settings, const std::string& path, config::Problems& problems) override;
  config::Node resolved() const override;
  std::unique_ptr<rtsync::EdgeSource> open(const executive::OpenRequest& request) override;
  std::vector<rtsync::Fact> facts(const executive::EdgeWatch& watch) override;

 private:
  std::shared_ptr<const Gpio> gpio_;
  std::optional<ClockSettings> settings_;
};

/// Returns true if a kernel of this release ("6.1.0-18-rt-amd64") stamps edges in CLOCK_MONOTONIC: Linux 5.7
/// and later.
bool stamps_monotonic(const std::string& release);

}  // namespace tactus::drivers::gpio
