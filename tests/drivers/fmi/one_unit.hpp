// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "drivers/fmi/model/fmi_model.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/sdk_driver.hpp"
#include "executive/model/model_instance.hpp"

namespace tactus::test {

/// A unit of the tests as the driver makes a model of it, behind the C ABI of drivers, and a rig in small around it.
class OneUnit {
 public:
  /// `keys`: beside `unit`, "on_error: hold". Throws config::ConfigError, or what the model or its device objects to.
  /// `parameters`: what a rig file has under `parameters:`, "size: 3".
  explicit OneUnit(const std::string& unit, const std::string& keys = "", double dt = 0.1,
                   const std::string& parameters = "")
      : dt_(dt) {
    driver_ = executive::make_sdk_driver(*drivers::fmi::fmi_entry(), "libtactus-model-fmi.so");
    config::Problems problems;
    const config::Document document =
        config::Document::from_text("rig.yaml", "unit: " + path(unit) + "\n" + keys);
    const config::Document given =
        config::Document::from_text("rig.yaml", parameters.empty() ? "{}" : parameters);
    model_ = static_cast<executive::ModelDriver&>(*driver_).make(
        executive::with_parameters(document.root(), given.root()), "models.unit", problems);
    if (!problems.empty()) throw config::ConfigError(problems);
    description_ = {
        TACTUS_ABI_VERSION, sizeof(tactus_model), "fmi", "", nullptr, model_->face().declare, nullptr};
    instance_ = std::make_unique<executive::ModelInstance>(description_, "unit", model_->face().self);
  }

  static std::string path(const std::string& unit) {
    return unit.find('/') == std::string::npos ? std::string(FMI_UNITS) + "/" + unit + ".fmu" : unit;
  }

  executive::ModelInstance& instance() { return *instance_; }
  executive::DrivenModel& model() { return *model_; }
  void open() { model_->open({.rig = "test"}); }
  /// 0, or what the job returned; failure() has its reason.
  int run(const std::string& job, double sim_time = 0) {
    const auto at = std::find_if(instance_->jobs().begin(), instance_->jobs().end(),
                                 [&](const executive::DeclaredJob& each) { return each.name == job; });
    if (at == instance_->jobs().end()) throw std::logic_error("no job " + job);
    const bool cyclic = job != "initialize" && job != "end" && job != "save" && job != "restore";
    const tactus_call call{static_cast<std::int64_t>(std::round(sim_time * 1e9)), 0, cyclic ? dt_ : 0};
    return at->run(instance_->self(), &call);
  }
  /// Opens, initializes, and makes the first call of the step.
  void start() {
    open();
    if (run("initialize") != 0 || run("step") != 0) throw std::runtime_error(failure());
  }
  std::string failure() { return instance_->take_failure(); }
  /// But for that which says what the unit is.
  std::vector<std::string> messages() {
    std::vector<std::string> all;
    while (const auto message = model_->take_message())
      if (!message->text.starts_with("[unit] "))
        all.push_back((message->warning ? "W " : "") + message->text);
    return all;
  }
  const executive::Variable& variable(const std::string& name) const {
    const executive::Variable* const found = instance_->find_variable(name);
    if (found == nullptr) throw std::logic_error("no variable " + name);
    return *found;
  }
  template <class T>
  T& value(const std::string& name) const {
    return *static_cast<T*>(variable(name).data);
  }
  /// Copies all variables, as a checkpoint does, and back.
  std::vector<std::string> image() const {
    std::vector<std::string> all;
    for (const executive::Variable& each : instance_->variables())
      all.emplace_back(static_cast<const char*>(each.data), each.elements() * executive::size_of(each.type));
    return all;
  }
  void put(const std::vector<std::string>& image) {
    std::size_t i = 0;
    for (const executive::Variable& each : instance_->variables()) {
      std::copy(image[i].begin(), image[i].end(), static_cast<char*>(each.data));
      ++i;
    }
  }

 private:
  double dt_;
  std::unique_ptr<executive::Driver> driver_;
  std::unique_ptr<executive::DrivenModel> model_;
  tactus_model description_{};
  std::unique_ptr<executive::ModelInstance> instance_;
};

/// Reason why a unit is refused; empty: it is not.
inline std::string refusal_of(const std::string& unit, const std::string& keys = "",
                              const std::string& parameters = "") {
  try {
    OneUnit one(unit, keys, 0.1, parameters);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

/// Runs that many steps, each of which has to be answered well.
inline void steps(OneUnit& unit, int count) {
  for (int i = 0; i < count; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
}

}  // namespace tactus::test
