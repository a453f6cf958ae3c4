// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config/document.hpp"
#include "config/place.hpp"
#include "drivers/can/model/can_model.hpp"
#include "executive/driver/model_driver.hpp"
#include "executive/driver/sdk_driver.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test {

/// The driver can as the executive sees it, behind the C ABI of drivers, at a port of a test where one is given.
class __attribute__((visibility("hidden"))) CanDriver {
 public:
  explicit CanDriver(drivers::can::CanModel::OpenPort open = nullptr) {
    open_ = std::move(open);
    if (open_)
      entry_.make = [](const tactus_settings* settings, void** self, tactus_failure* failure) {
        return tactus::detail::make_driver<AtThisPort, Model>(settings, self, failure);
      };
    driver_ = executive::make_sdk_driver(entry_, "libtactus-model-can.so");
  }
  executive::ModelDriver& get() { return static_cast<executive::ModelDriver&>(*driver_); }

 private:
  struct AtThisPort : drivers::can::CanModel {
    AtThisPort() : CanModel(CanDriver::open_) {}
  };
  static inline drivers::can::CanModel::OpenPort open_;
  tactus_driver entry_ = *drivers::can::can_entry();
  std::unique_ptr<executive::Driver> driver_;
};

/// What the executive is to a model of a bus: takes its variables and jobs, and runs frames.
class BusHost {
 public:
  /// Throws ConfigError with what is wrong with the section.
  BusHost(CanDriver& driver, const std::string& yaml, std::int64_t period = 1'000'000) : period_(period) {
    config::Problems problems;
    const config::Document document = config::Document::from_text("rig.yaml", yaml);
    model_ = driver.get().make(document.root(), "models.bus", problems);
    if (!problems.empty()) throw config::ConfigError(problems);
    host_.size = sizeof host_;
    host_.abi_version = TACTUS_ABI_VERSION;
    host_.context = this;
    host_.instance = "bus";
    host_.declare_variable = [](void* self, const tactus_variable* variable) {
      Variable& made = static_cast<BusHost*>(self)->variables_[variable->name];
      made = {variable->role, variable->type, variable->data, variable->unit, {}};
      for (std::uint32_t i = 0; i < variable->label_count; ++i)
        made.labels[variable->labels[i].name] = variable->labels[i].value;
      return 0;
    };
    host_.declare_job = [](void* self, const tactus_job* job) {
      static_cast<BusHost*>(self)->jobs_[job->name] = job->run;
      return 0;
    };
    host_.command = [](void* self, tactus_command command, std::int64_t) {
      static_cast<BusHost*>(self)->commands_.push_back(command);
      return 0;
    };
    host_.fail = [](void* self, const char* message) { static_cast<BusHost*>(self)->failure_ = message; };
    if (model_->face().declare(&host_, model_->face().self) != 0) throw std::runtime_error(failure_);
    model_->planned("send", rtsync::Period{period, 1});
    model_->open({.rig = "test"});
  }

  struct Variable {
    tactus_role role;
    tactus_type type;
    void* data;
    std::string unit;
    std::map<std::string, std::int64_t> labels;
  };
  const std::map<std::string, Variable>& all() const { return variables_; }
  const Variable& variable(const std::string& name) const {
    const auto at = variables_.find(name);
    if (at == variables_.end()) throw std::runtime_error("no variable " + name);
    return at->second;
  }

  double get(const std::string& name) const {
    const Variable& of = variable(name);
    switch (of.type) {
      case TACTUS_BOOL:
        return *static_cast<const bool*>(of.data) ? 1 : 0;
      case TACTUS_INT32:
        return *static_cast<const std::int32_t*>(of.data);
      case TACTUS_UINT32:
        return *static_cast<const std::uint32_t*>(of.data);
      case TACTUS_INT64:
        return static_cast<double>(*static_cast<const std::int64_t*>(of.data));
      case TACTUS_UINT64:
        return static_cast<double>(*static_cast<const std::uint64_t*>(of.data));
      default:
        return *static_cast<const double*>(of.data);
    }
  }
  void set(const std::string& name, double value) {
    const Variable& of = variable(name);
    if (of.role != TACTUS_INPUT) throw std::runtime_error(name + " is not an input");
    switch (of.type) {
      case TACTUS_BOOL:
        *static_cast<bool*>(of.data) = value != 0;
        return;
      case TACTUS_INT32:
        *static_cast<std::int32_t*>(of.data) = static_cast<std::int32_t>(value);
        return;
      case TACTUS_UINT32:
        *static_cast<std::uint32_t*>(of.data) = static_cast<std::uint32_t>(value);
        return;
      case TACTUS_DOUBLE:
        *static_cast<double*>(of.data) = value;
        return;
      default:
        throw std::runtime_error(name + ": not a type of these tests");
    }
  }

  /// Runs a job at the time of the present frame. Returns its status.
  int run(const std::string& job) {
    const tactus_call call{frame_ * period_, frame_, static_cast<double>(period_) * 1e-9};
    return jobs_.at(job)(model_->face().self, &call);
  }
  /// Runs one frame. Returns false if a job failed.
  bool frame() {
    const bool good = run("receive") == 0 && run("send") == 0;
    ++frame_;
    return good;
  }
  void go_to(std::int64_t frame) { frame_ = frame; }
  std::int64_t time() const { return frame_ * period_; }
  executive::DrivenModel& model() { return *model_; }
  const std::string& failure() const { return failure_; }
  /// What the model has asked the rig for.
  const std::vector<tactus_command>& commands() const { return commands_; }
  std::string messages() {
    std::string all;
    while (const auto message = model_->take_message())
      all += (message->warning ? "! " : "") + message->text + "\n";
    return all;
  }

 private:
  std::int64_t period_;
  std::int64_t frame_ = 0;
  std::unique_ptr<executive::DrivenModel> model_;
  tactus_host host_{};
  std::map<std::string, Variable> variables_;
  std::map<std::string, tactus_job_function> jobs_;
  std::string failure_;
  std::vector<tactus_command> commands_;
};

/// What is wrong with a section.
inline std::string problems_of(CanDriver& driver, const std::string& yaml) {
  config::Problems problems;
  const config::Document document = config::Document::from_text("rig.yaml", yaml);
  const bool made = driver.get().make(document.root(), "models.bus", problems) != nullptr;
  if (made == problems.empty()) return problems.text();
  return made ? "a model was made in spite of: " + problems.text() : "no model, and no problem";
}

}  // namespace tactus::test
