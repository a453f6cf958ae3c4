// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "drivers/gpio/clock.hpp"
#include "executive/driver/clock_driver.hpp"
#include "executive/driver/sdk_driver.hpp"

namespace tactus::test {

/// The clock gpio as the executive sees it, behind the C ABI of drivers, at chips of a test.
class __attribute__((visibility("hidden"))) GpioClock final : public executive::ClockDriver {
 public:
  explicit GpioClock(std::shared_ptr<const drivers::gpio::Gpio> gpio) {
    chips_ = std::move(gpio);
    entry_.make = [](const tactus_settings* settings, void** self, tactus_failure* failure) {
      return tactus::detail::make_clock<AtTheseChips>(settings, self, failure);
    };
    driver_ = executive::make_sdk_driver(entry_, "libtactus-clock-gpio.so");
  }

  std::shared_ptr<const config::Section> section() const override { return driver_->section(); }
  void read(const config::Node& settings, const std::string& path, config::Problems& problems) override {
    clock().read(settings, path, problems);
  }
  config::Node resolved() const override { return clock().resolved(); }
  std::unique_ptr<rtsync::EdgeSource> open(const executive::OpenRequest& request) override {
    return clock().open(request);
  }
  std::vector<rtsync::Fact> facts(const executive::EdgeWatch& watch) override { return clock().facts(watch); }

 private:
  struct AtTheseChips : drivers::gpio::GpioClock {
    AtTheseChips() : drivers::gpio::GpioClock(chips_) {}
  };
  executive::ClockDriver& clock() const { return static_cast<executive::ClockDriver&>(*driver_); }

  static inline std::shared_ptr<const drivers::gpio::Gpio> chips_;
  tactus_driver entry_ = *drivers::gpio::gpio_clock_entry();
  std::unique_ptr<executive::Driver> driver_;
};

}  // namespace tactus::test
