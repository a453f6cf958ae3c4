// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <tactus/model.hpp>

#include "drivers/can/model/names.hpp"
#include "drivers/can/model/signal_value.hpp"

namespace tactus::drivers::can {

/// Declares the variables of a bus, whose names, types and labels are known only when the database was read. @when setup
class Declaring {
 public:
  explicit Declaring(const tactus_host& host) : host_(host) {}

  void signal(tactus_role role, const std::string& name, const Signal& signal, SignalValues& values,
              std::size_t number) {
    std::string unit = values.type(number) == SignalValues::Type::number ? rig_unit(signal.unit) : "";
    std::string about = signal.comment;
    if (unit.empty() && !signal.unit.empty() && signal.unit != "-")
      about = "in '" + signal.unit + "'" + (about.empty() ? "" : ": " + about);
    const auto labels = values.labels(number, signal);
    declare(role, names_.add(name), values.rig_type(number), values.data(number), unit, about, labels);
  }
  void output(const std::string& name, double& data, const char* unit, const char* about) {
    declare(TACTUS_OUTPUT, names_.add(name), TACTUS_DOUBLE, &data, unit, about);
  }
  template <class T>
  void output(const std::string& name, T& data, const char* about) {
    declare(TACTUS_OUTPUT, names_.add(name), detail::type_of<T>(), &data, "", about);
  }
  template <class T>
  void input(const std::string& name, T& data, const char* about) {
    declare(TACTUS_INPUT, names_.add(name), detail::type_of<T>(), &data, "", about);
  }
  void bytes(const std::string& name, std::uint8_t* data, std::uint32_t count, const char* about) {
    declare(TACTUS_OUTPUT, names_.add(name), TACTUS_UINT8, data, "", about, {}, count);
  }
  void words(const std::string& name, std::int32_t& data, const char* about,
             std::span<const tactus_label> labels) {
    declare(TACTUS_OUTPUT, names_.add(name), TACTUS_INT32, &data, "", about, labels);
  }

 private:
  void declare(tactus_role role, const std::string& name, tactus_type type, void* data,
               const std::string& unit, const std::string& about, std::span<const tactus_label> labels = {},
               std::uint32_t elements = 0) {
    const tactus_variable declared{sizeof(tactus_variable),
                                   role,
                                   type,
                                   elements,
                                   data,
                                   name.c_str(),
                                   unit.c_str(),
                                   about.c_str(),
                                   labels.data(),
                                   static_cast<std::uint32_t>(labels.size()),
                                   0};
    if (host_.declare_variable(host_.context, &declared) != 0)
      throw std::runtime_error("tactus refused variable '" + name + "'");
  }

  const tactus_host& host_;
  Names names_;
};

}  // namespace tactus::drivers::can
