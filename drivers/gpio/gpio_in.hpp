// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "drivers/gpio/gpio.hpp"
#include "executive/driver/model_driver.hpp"

namespace tactus::drivers::gpio {

/// `driver: gpio_in`: lines as output variables, read at the top of every frame in one system call.
class GpioIn final : public executive::ModelDriver {
 public:
  explicit GpioIn(std::shared_ptr<const Gpio> gpio = system_gpio()) : gpio_(std::move(gpio)) {}

  std::shared_ptr<const config::Section> section() const override;
  std::unique_ptr<executive::DrivenModel> make(const config::Node& settings, const std::string& path,
                                               config::Problems& problems) override;

 private:
  std::shared_ptr<const Gpio> gpio_;
};

}  // namespace tactus::drivers::gpio
