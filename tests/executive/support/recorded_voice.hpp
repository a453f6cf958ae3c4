// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A RunVoice whose lines a test can read.
#include <string>
#include <vector>

#include "executive/run_base/run_observer.hpp"
#include "tests/executive/support/test_namespaces.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::test {

/// What a run says: to who watches, and to its log.
class RecordedVoice final : public RunObserver {
 public:
  void started(const RigRun&) override {}
  void tick(RigRun&, std::chrono::nanoseconds) override {}
  void say(const std::string& line) override { said_.push_back(line); }

  RunVoice& voice() { return voice_; }
  RunLog& run_log() { return log_; }
  /// What who watches was told since the last time.
  std::vector<std::string> take() { return std::exchange(said_, {}); }
  /// The log so far.
  std::string log() {
    log_.flush();
    return tactus::test::read_file(dir_ / "log.txt");
  }

 private:
  const tactus::test::TempDir dir_;
  RunLog log_{dir_ / "log.txt", 1'000'000};
  RunVoice voice_{log_, *this};
  std::vector<std::string> said_;
};

}  // namespace tactus::executive::test
