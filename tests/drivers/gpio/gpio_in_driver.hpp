// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "drivers/gpio/gpio_in.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/sdk_driver.hpp"

namespace tactus::test {

/// The driver gpio_in as the executive sees it, behind the C ABI of drivers, at chips of a test.
class __attribute__((visibility("hidden"))) GpioIn final : public executive::ModelDriver {
 public:
  explicit GpioIn(std::shared_ptr<const drivers::gpio::Gpio> gpio) {
    chips_ = std::move(gpio);
    entry_.make = [](const tactus_settings* settings, void** self, tactus_failure* failure) {
      return tactus::detail::make_driver<AtTheseChips, Model>(settings, self, failure);
    };
    driver_ = executive::make_sdk_driver(entry_, "libtactus-model-gpio_in.so");
  }

  std::shared_ptr<const config::Section> section() const override { return driver_->section(); }
  std::unique_ptr<executive::DrivenModel> make(const config::Node& settings, const std::string& path,
                                               config::Problems& problems) override {
    return static_cast<executive::ModelDriver&>(*driver_).make(settings, path, problems);
  }

 private:
  struct AtTheseChips : drivers::gpio::GpioIn {
    AtTheseChips() : drivers::gpio::GpioIn(chips_) {}
  };

  static inline std::shared_ptr<const drivers::gpio::Gpio> chips_;
  tactus_driver entry_ = *drivers::gpio::gpio_in_entry();
  std::unique_ptr<executive::Driver> driver_;
};

}  // namespace tactus::test
