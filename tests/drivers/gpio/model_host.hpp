// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tactus/model.hpp>
#include <vector>

#include "config/document.hpp"
#include "config/place.hpp"
#include "executive/driver/model_driver.hpp"

namespace tactus::test {

/// What the executive is to a driven model: takes its variables and jobs, runs them, hears its complaint.
class ModelHost {
 public:
  explicit ModelHost(executive::DrivenModel& model) : model_(model) {
    host_.size = sizeof host_;
    host_.abi_version = TACTUS_ABI_VERSION;
    host_.context = this;
    host_.instance = "under_test";
    host_.declare_variable = [](void* self, const tactus_variable* variable) {
      static_cast<ModelHost*>(self)->variables_[variable->name] = {variable->role, variable->type,
                                                                   variable->data, variable->about};
      return 0;
    };
    host_.declare_job = [](void* self, const tactus_job* job) {
      static_cast<ModelHost*>(self)->jobs_[job->name] = {job->job_class, job->run};
      return 0;
    };
    host_.fail = [](void* self, const char* message) { static_cast<ModelHost*>(self)->failure_ = message; };
    if (model_.face().declare(&host_, model_.face().self) != 0) throw std::runtime_error(failure_);
  }

  struct Variable {
    tactus_role role;
    tactus_type type;
    void* data;
    std::string about;
  };
  struct Job {
    tactus_job_class job_class;
    tactus_job_function run;
  };

  const Variable& variable(const std::string& name) const { return variables_.at(name); }
  const Job& job(const std::string& name) const { return jobs_.at(name); }
  const std::map<std::string, Variable>& all() const { return variables_; }

  std::uint64_t get(const std::string& name) const {
    const Variable& of = variables_.at(name);
    std::uint64_t value = 0;
    std::memcpy(&value, of.data, size(of.type));  // little end first, as on all machines that tactus knows
    return value;
  }
  void set(const std::string& name, std::uint64_t value) {
    const Variable& of = variables_.at(name);
    std::memcpy(of.data, &value, size(of.type));
  }
  /// What the job returned.
  int run(const std::string& name) {
    const tactus_call call{};
    return jobs_.at(name).run(model_.face().self, &call);
  }
  const std::string& failure() const { return failure_; }

 private:
  static std::size_t size(tactus_type type) {
    switch (type) {
      case TACTUS_BOOL:
      case TACTUS_UINT8:
        return 1;
      case TACTUS_UINT16:
        return 2;
      case TACTUS_UINT32:
        return 4;
      case TACTUS_UINT64:
        return 8;
      default:
        throw std::logic_error("not a type of a GPIO variable");
    }
  }

  executive::DrivenModel& model_;
  tactus_host host_{};
  std::map<std::string, Variable> variables_;
  std::map<std::string, Job> jobs_;
  std::string failure_;
};

/// A model of this section; throws ConfigError with what is wrong with it.
inline std::unique_ptr<executive::DrivenModel> make_model(executive::ModelDriver& driver,
                                                          const std::string& yaml) {
  config::Problems problems;
  const config::Document document = config::Document::from_text("rig.yaml", yaml);
  std::unique_ptr<executive::DrivenModel> model = driver.make(document.root(), "models.under_test", problems);
  if (!problems.empty()) throw config::ConfigError(problems);
  return model;
}

/// What is wrong with it.
inline std::string problems_of(executive::ModelDriver& driver, const std::string& yaml) {
  config::Problems problems;
  const config::Document document = config::Document::from_text("rig.yaml", yaml);
  const bool made = driver.make(document.root(), "models.under_test", problems) != nullptr;
  if (made == problems.empty()) return problems.text();
  return made ? "a model was made in spite of: " + problems.text() : "no model, and no problem";
}

}  // namespace tactus::test
