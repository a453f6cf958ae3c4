// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "drivers/gpio/gpio.hpp"
#include "executive/driver/model_driver.hpp"

namespace tactus::drivers::gpio {

/// `driver: gpio_out`: lines from input variables, written at the end of every frame in one system call. Each
/// has a safe value, which it has before the first frame and after the last, and which a guardian
/// (guardian.hpp) drives when this process cannot.
class GpioOut final : public executive::ModelDriver {
 public:
  explicit GpioOut(std::shared_ptr<const Gpio> gpio = system_gpio()) : gpio_(std::move(gpio)) {}

  std::shared_ptr<const config::Section> section() const override;
  std::unique_ptr<executive::DrivenModel> make(const config::Node& settings, const std::string& path,
                                               config::Problems& problems) override;

 private:
  std::shared_ptr<const Gpio> gpio_;
};

}  // namespace tactus::drivers::gpio
