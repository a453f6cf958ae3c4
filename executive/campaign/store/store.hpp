// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "executive/campaign/case.hpp"
#include "executive/campaign/store/case_states.hpp"
#include "executive/campaign/store/database.hpp"
#include "executive/campaign/store/outcome.hpp"

namespace tactus::campaign {

/// Facts of a campaign that its database begins with.
struct CampaignFacts {
  std::string name, file;
  std::int64_t count = 0;  ///< cases
  bool realtime = false;
  std::string machine;  ///< host name, kernel, CPUs
};

/// Cases by their verdict.
struct Counts {
  std::int64_t pass = 0, untested = 0, inconclusive = 0, fail = 0, error = 0;
  std::int64_t& of(const std::string& verdict);
  std::int64_t all() const { return pass + untested + inconclusive + fail + error; }
};

class VerdictReader;

/// campaign.sqlite: the results of a campaign (tables: docs/campaigns.md). One process writes it, that of the runner;
/// others may read meanwhile.
///
///     store.claim(one, attempt, version, folder)    before its process starts: a row `running`
///     store.end(number, attempt, outcome)           one transaction: the attempt, its verdicts, and the case
///
/// Threads  any one. All functions throw DatabaseError.
class Store {
 public:
  static constexpr int kFormat = 1;
  static constexpr const char* kFile = "campaign.sqlite";

  /// Opens the file, or makes it. Throws DatabaseError for one of a later format.                @when service
  explicit Store(const std::filesystem::path& file, Database::Journal journal = Database::Journal::log);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  Database& database() { return database_; }

  /// Writes what is known of the campaign.
  void begin(const CampaignFacts& facts);
  /// Sources of a version; empty: there is no such version.
  std::vector<SourceRow> sources(int version);
  /// Number of the newest version; 0: none.
  int version();
  /// Begins a version: the files of which the cases are made from now on. Returns its number.
  int add_version(const std::vector<SourceRow>& sources);
  /// Adds sources that were not known before a run, as recordings.
  void add_sources(int version, const std::vector<SourceRow>& sources);

  /// Returns the states of the cases below `count`.
  CaseStates states(std::int64_t count);
  Counts counts();
  /// Number of the last attempt of a case; 0: none.
  int attempts(std::int64_t number);
  /// Number of attempts of a case that do not count, as the machine spoiled them.
  int spoiled(std::int64_t number);
  /// Attempts of a case whose end is not known.
  struct Open {
    std::int64_t number;
    int attempt;
  };
  std::vector<Open> open_attempts();
  /// The command line that a case was run by; empty: never.
  std::string line(std::int64_t number);

  /// The verdict of a case or of an expectation in it: see VerdictReader.
  std::string verdict(std::int64_t number, const std::string& expectation);

  /// Claims an attempt of a case, before its process starts.
  /// `cpus`: the set that it is pinned to, as "2-3"; empty: none.
  void claim(const Case& one, const std::string& line, int attempt, int version, const std::string& folder,
             const std::string& cpus = "");
  /// Takes back the claim of an attempt whose process was not started.
  void unclaim(std::int64_t number, int attempt);
  /// Takes in how an attempt ended. `again`: it does not count, and another one follows.
  void end(std::int64_t number, int attempt, const Outcome& outcome, bool again);
  /// An attempt whose process was killed with its runner: it does not count.
  void lose(std::int64_t number, int attempt);
  /// Opens the cases again whose verdict is fail, error or inconclusive. Returns how many.
  std::int64_t open_failed();
  /// Opens a case again: its command line is another one now.
  void open(std::int64_t number);
  /// Marks cases from that number on as dropped: the campaign has fewer now. Their results stay.
  void drop_from(std::int64_t number);
  /// Copies the log into the file, which is then whole without other files.
  void close();

 private:
  struct Statements;
  void take_case(std::int64_t number, int attempt, const Outcome& outcome, bool again);

  Database database_;
  std::unique_ptr<Statements> statements_;
  std::unique_ptr<VerdictReader> verdicts_;
};

/// Reads verdicts of cases that have a result, of one expectation; an empty one is the verdict of the case.
///
/// Threads  any one. All functions throw DatabaseError.
class VerdictReader {
 public:
  VerdictReader(Database& database, const std::string& expectation);
  /// "error" where the case ended before it was judged; empty: it does not have that expectation, or no result.
  std::string of(std::int64_t number);
  const std::string& expectation() const { return expectation_; }

 private:
  std::string expectation_;
  Statement rows_;
};

/// Now, as a date-time: "2026-11-28T04:20:11.123Z".
std::string utc_now();

}  // namespace tactus::campaign
