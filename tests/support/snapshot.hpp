// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tactus::test {

/// Texts of the product that a test pins without having them in its source: tests/messages/texts/SUITE.TEST.expected,
/// an entry for each. The test fails at its end where they differ from those it has seen.
///
///     Snapshot texts;
///     texts.add(text_of(finding, plan), "two jobs");
///
/// TACTUS_WRITE_MESSAGES=1 PROGRAM --gtest_filter=SUITE.TEST writes the file anew; `git diff tests/messages` then shows
/// every sentence that changed.
///
/// Threads  that of the test.
class Snapshot {
 public:
  Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

  /// `what`: heads the entry.
  void add(std::string_view text, std::string_view what = {});
  void add(const std::vector<std::string>& lines, std::string_view what = {});

 private:
  std::string seen_;
};

}  // namespace tactus::test
