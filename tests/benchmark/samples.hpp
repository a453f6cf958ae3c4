// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Variables to be recorded, and a recording that ends nowhere.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "executive/model/variable.hpp"
#include "executive/record/recording.hpp"

namespace tactus::benchmark {

class NullSink final : public executive::RecordSink {
 public:
  std::string file_name(const std::string& recording) const override { return recording; }
  void open(const std::filesystem::path&, const executive::RecordingHead&) override {}
  void write(const std::byte*) override {}
  void flush() override {}
  void close() override {}
};

/// Doubles, each on a cache line of its own, as those of ten models would be.
class SampledVariables {
 public:
  explicit SampledVariables(int count) {
    for (int i = 0; i < count; ++i) {
      executive::Variable variable;
      variable.name = "v" + std::to_string(i);
      variable.data = &values_.emplace_back().value;
      variables_.push_back(variable);
    }
  }
  std::unique_ptr<executive::Recording> recording(const std::string& name) const {
    std::vector<executive::VariableRef> refs;
    for (const executive::Variable& variable : variables_) {
      executive::VariableRef ref;
      ref.variable = &variable;
      refs.push_back(ref);
    }
    auto made = std::make_unique<executive::Recording>(name, refs, std::make_unique<NullSink>());
    made->make_present();  // as a rig does before its first frame
    return made;
  }

 private:
  struct alignas(64) Value {
    double value = 1.5;
  };
  std::deque<Value> values_;
  std::deque<executive::Variable> variables_;
};

}  // namespace tactus::benchmark
