// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "executive/capability/judge/judge_part.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Judges a run by the expectations of its test, and writes the verdicts.
class RunJudge final : public Capability {
 public:
  explicit RunJudge(RunContext& run);
  static bool is_needed(const RunContext& run);

  void finish() override;
  void summarize(config::Json& all, Summary what) const override;

 private:
  void write(const std::filesystem::path& file, const std::string& text);
  const char* cut_short() const;

  RunContext& run_;
  std::shared_ptr<const CompiledTest> test_;
  JudgePart part_;
  config::Json verdict_;
};

}  // namespace tactus::executive
