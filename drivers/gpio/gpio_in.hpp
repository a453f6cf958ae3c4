// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <tactus/model_driver.hpp>
#include <utility>
#include <vector>

#include "drivers/gpio/gpio.hpp"
#include "drivers/gpio/signal.hpp"

namespace tactus::drivers::gpio {

/// `driver: gpio_in`: lines as output variables, read at the top of every frame in one system call.
///
/// Remembers nothing but its outputs. After a reset or a load they are as they were then, as for every other
/// model, until the next read at the top of the frame that follows.
class __attribute__((visibility("hidden"))) GpioIn : public ModelDriver {
 public:
  explicit GpioIn(std::shared_ptr<const Gpio> gpio = nullptr) : gpio_(std::move(gpio)) {}

  void keys(Keys& k) override;
  void check(const Problems& problems) override;
  void declare(Declare& d) override;
  void open(const OpenRequest& request) override;

 private:
  /// An entry of `lines`, as the rig file has it.
  struct Entry {
    std::string name{};
    std::string line{};
    std::vector<std::string> lines{};
    bool active_low = false;
  };

  int read();
  int fail_with(const char* why) const;

  std::shared_ptr<const Gpio> gpio_;  // nullptr: this machine's
  std::string chip_;
  Bias bias_ = Bias::as_is;
  std::vector<Entry> entries_;
  std::vector<LineGroup> groups_;
  std::vector<Signal> signals_;
  std::unique_ptr<Inputs> inputs_;
};

/// Its entry, for the plug-in and for tests.
const tactus_driver* gpio_in_entry();

}  // namespace tactus::drivers::gpio
