// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "executive/capability/judge/judge_part.hpp"
#include "executive/capability/judge/verdict_file.hpp"
#include "executive/driver/record_formats.hpp"
#include "executive/run_base/live_history.hpp"
#include "executive/run_base/run_context.hpp"

namespace tactus::executive {

/// Judges a run by the expectations of its test, and writes the verdicts.
class RunJudge final : public Capability {
 public:
  explicit RunJudge(RunContext& run);
  /// Changes of verdicts go into that list from here on.
  void tell(LiveHistory& changes) { changes_ = &changes; }
  static bool is_needed(const RunContext& run);

  void poll(RunVoice& voice) override;
  void ended() override;
  void finish() override;
  void report(LiveReport which, config::Json& body) override;
  void summarize(config::Json& all, Summary what) const override;

 private:
  void write(const std::filesystem::path& file, const std::string& text);
  void keep_failures(TestResult& result);
  const char* cut_short() const;
  TestResult result_of(std::span<const Standing> standings, std::int64_t frames, bool over) const;
  TestResult last_result();
  void measure();
  void tell(TestResult result, std::int64_t frame, bool ended);

  RunContext& run_;
  std::shared_ptr<const CompiledTest> test_;
  JudgePart part_;
  config::Json sources_;  // as they were before the first frame
  std::unique_ptr<const RecordFormat>
      format_;  // of what is kept around failures; nullptr: it is not installed
  config::Json verdict_;
  config::Json measured_;           // null: nothing is measured
  LiveHistory* changes_ = nullptr;  // of verdicts, for clients; nullptr: there are none
  config::Json told_;               // what clients know
};

}  // namespace tactus::executive
