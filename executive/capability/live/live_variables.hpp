// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "executive/capability/live/live_port.hpp"
#include "executive/driver/live.hpp"
#include "executive/plan/rig.hpp"

namespace tactus::executive {

/// The variables of a rig as clients name them, and what clients may do with each.
///
/// Threads  immutable after place(): any.
class LiveVariables {
 public:
  /// Both must outlive it. @when setup
  LiveVariables(const Rig& rig, const Plan& plan);
  /// Sources from which the port copies each variable. @when setup
  std::vector<LivePort::Source> sources() const;
  /// Takes over the places that the port has given to each. @when setup
  void place(const LivePort& port);

  const std::vector<LiveVariable>& all() const { return all_; }
  const LiveVariable& of(const LiveRef& ref) const { return all_[ref.variable]; }
  bool has_model(const std::string& name) const { return by_model_.contains(name); }
  /// The variable or element of a name. Nothing, and why: with what was probably meant, which takes its time.
  std::optional<LiveRef> find(std::string_view name, std::string& problem) const;
  /// The same without that: takes the same time whatever the name.
  std::optional<LiveRef> lookup(std::string_view name, std::string& problem) const;
  /// "; did you mean ...", or nothing.
  std::string model_meant(const std::string& text) const;

  /// Writer of the variable, as long as no client sets it.
  const LiveWriter& writer_of(std::size_t variable) const { return writers_[variable]; }
  /// Outputs that the rig drives outside.
  const std::vector<LiveOutput>& outputs() const { return outputs_; }

  std::string name_of(const LiveRef& ref) const;
  void* memory(const LiveRef& ref) const;
  std::size_t bytes_of(const LiveRef& ref) const;
  /// Source that feeds any of these elements: "'controller.torque'", "the link"; empty: none.
  std::string feeder_of(const LiveRef& ref) const;

 private:
  struct Span {
    std::size_t begin = 0, end = 0;  // in all_
  };

  void add(const Variable& variable, const ModelInstance* model);
  void judge_rights(LiveVariable& variable) const;
  void find_writers(const Rig& rig);
  void find_outputs(const Rig& rig);

  const Plan& plan_;
  std::vector<LiveVariable> all_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::unordered_map<std::string, Span> by_model_;
  std::vector<VariableRef> linked_;  // inputs that the link writes
  std::vector<LiveWriter> writers_;  // as all_
  std::vector<LiveOutput> outputs_;
};

}  // namespace tactus::executive
