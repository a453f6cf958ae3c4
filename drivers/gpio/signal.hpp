// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <tactus/model.hpp>
#include <vector>

#include "drivers/gpio/gpio.hpp"
#include "rtsync/rt.hpp"

namespace tactus::drivers::gpio {

/// Lines for which one variable stands.
struct LineGroup {
  std::string name{};
  std::vector<std::string> lines{};  ///< numbers or names, the lowest bit first
  bool single = false;               ///< one line, a yes or no; else a number
  bool active_low = false;
};

/// A model's variable and the bits of a request that it stands for: a bool for one line, for several an
/// unsigned number as wide as need be, whose lowest bit is the first line.
///
/// Threads  as the model it belongs to. Its address must not change once it is declared.
class Signal {
 public:
  /// `first`: the bit of its first line.
  Signal(const LineGroup& group, const std::string& chip, unsigned first);

  void declare_input(Declare& d);
  void declare_output(Declare& d);

  const std::string& name() const { return name_; }
  unsigned width() const { return width_; }
  std::uint64_t largest() const TACTUS_RT {
    return width_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width_) - 1;
  }
  std::uint64_t value() const TACTUS_RT;
  void set(std::uint64_t value) TACTUS_RT;

  /// The wire's levels for a value that fits, in the bits of the request; and back.
  std::uint64_t levels_of(std::uint64_t value) const TACTUS_RT { return (value ^ invert_) << first_; }
  std::uint64_t value_of(std::uint64_t levels) const TACTUS_RT {
    return ((levels >> first_) ^ invert_) & largest();
  }

 private:
  template <class Visit>
  void with_data(Visit visit);

  std::string name_;
  std::string about_;
  unsigned first_;
  unsigned width_;
  bool single_;
  std::uint64_t invert_;
  bool flag_ = false;
  std::uint8_t u8_ = 0;
  std::uint16_t u16_ = 0;
  std::uint32_t u32_ = 0;
  std::uint64_t u64_ = 0;
};

/// Finds the lines of all signals, in the order of their bits. Throws GpioError: not there, or one of
/// them twice. @when setup
std::vector<unsigned> find_lines(const Chip& chip, const std::vector<LineGroup>& all);

/// "no such device" and the like, without allocation. @when any
const char* error_text(int error) TACTUS_RT;

}  // namespace tactus::drivers::gpio
