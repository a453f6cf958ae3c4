// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "executive/campaign/store/store.hpp"

namespace tactus::campaign {

/// A column of the results.
struct ResultColumn {
  enum class Kind { drawn, margin, measured };
  Kind kind;
  std::string name, unit;
  std::string test;    ///< test of the expectation, where it is a margin
  bool words = false;  ///< values that were drawn are words
};

/// A case that has a result.
struct ResultRow {
  std::int64_t number = 0;
  int attempt = 0, version = 0;
  std::string rig, test, line, verdict, says, folder;
  double seconds = 0;
  std::vector<double> values;  ///< one for each column; NaN: it has none
  std::vector<std::string>
      texts;  ///< one for each column: what was drawn as it was set, or the verdict of a margin
};

/// The results of a campaign, one case after the other: no number of cases takes memory. Where the
/// file has no log, as on a network, they are those of a copy, so that a runner goes on (Database::read_apart()).
///
/// Threads  any one. All functions throw DatabaseError.
class Results {
 public:
  explicit Results(const std::filesystem::path& folder);
  ~Results();
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;

  const std::vector<ResultColumn>& columns() const { return columns_; }
  const CampaignFacts& facts() const { return facts_; }
  /// Reads the next case; false after the last one.
  bool next(ResultRow& row);

 private:
  struct Cursors;
  void read_columns();

  Database database_;
  CampaignFacts facts_;
  std::vector<ResultColumn> columns_;
  std::map<std::string, std::size_t> places_;
  std::unique_ptr<Cursors> cursors_;
};

}  // namespace tactus::campaign
