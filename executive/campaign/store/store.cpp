// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/store/store.hpp"

#include <sys/utsname.h>
#include <time.h>

#include <array>

#include "executive/campaign/store/tables.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::campaign {
namespace {

std::string host_name() {
  utsname name{};
  return ::uname(&name) == 0 ? std::string(static_cast<const char*>(name.nodename)) : "";
}

/// A database that was made before cases had sets of CPUs gets the column.
void add_cpus(Database& database) {
  Statement columns(database.get(), "SELECT count(*) FROM pragma_table_info('attempts') WHERE name = 'cpus'");
  if (columns.find_integer() == 0)
    database.run("ALTER TABLE attempts ADD COLUMN cpus TEXT NOT NULL DEFAULT ''");
}

}  // namespace

std::string utc_now() {
  timespec now{};
  (void)::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  (void)::gmtime_r(&now.tv_sec, &parts);
  std::array<char, 40> day{};
  const std::size_t size = ::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  return rtsync::format_text("%.*s.%03dZ", static_cast<int>(size), day.data(),
                             static_cast<int>(now.tv_nsec / 1'000'000));
}

std::int64_t& Counts::of(const std::string& verdict) {
  if (verdict == "pass") return pass;
  if (verdict == "untested") return untested;
  if (verdict == "inconclusive") return inconclusive;
  return verdict == "fail" ? fail : error;
}

struct Store::Statements {
  explicit Statements(sqlite3* database)
      : claim_case(database,
                   "INSERT INTO cases VALUES (?1, ?2, ?3, ?4, 'running', ?5, ?6, NULL, NULL, NULL, ?7) "
                   "ON CONFLICT (number) DO UPDATE SET rig = ?2, test = ?3, line = ?4, state = 'running', "
                   "attempt = ?5, version = ?6, folder = ?7"),
        claim_attempt(database,
                      "INSERT INTO attempts (number, attempt, version, state, begun, machine, cpus) "
                      "VALUES (?1, ?2, ?3, 'running', ?4, ?5, ?6)"),
        drop_drawn(database, "DELETE FROM drawn WHERE number = ?1"),
        draw(database, "INSERT OR REPLACE INTO drawn VALUES (?1, ?2, ?3, ?4, ?5)"),
        end_attempt(database,
                    "UPDATE attempts SET state = ?3, begun = ?4, seconds = ?5, cpu_s = ?6, memory_kb = ?7, "
                    "status = ?8, signal = ?9, timed_out = ?10, verdict = ?11, says = ?12, spoiled = ?13, "
                    "version = ifnull(?14, version) "
                    "WHERE number = ?1 AND attempt = ?2"),
        end_case(database,
                 "UPDATE cases SET state = ?2, verdict = ?3, says = ?4, seconds = ?5, "
                 "version = ifnull(?6, version) WHERE number = ?1"),
        verdict(database, "INSERT OR REPLACE INTO verdicts VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"),
        measured(database, "INSERT OR REPLACE INTO measured VALUES (?1, ?2, ?3, ?4, ?5)"),
        attempts(database, "SELECT max(attempt) FROM attempts WHERE number = ?1"),
        line(database, "SELECT line FROM cases WHERE number = ?1"),
        state(database, "UPDATE cases SET state = ?2 WHERE number = ?1"),
        spoiled(database, "SELECT count(*) FROM attempts WHERE number = ?1 AND state = 'spoiled'") {}

  Statement claim_case, claim_attempt, drop_drawn, draw, end_attempt, end_case, verdict, measured, attempts,
      line, state, spoiled;
  std::string machine = host_name();
};

Store::Store(const std::filesystem::path& file, Database::Journal journal)
    : database_(file, Database::Use::write, journal) {
  {
    Transaction all(database_);
    database_.run(kTables);
    Statement format(database_.get(), "SELECT format FROM campaign");
    if (format.next() && format.integer(0) != kFormat) {
      throw DatabaseError(file.string() + ": its format is " + std::to_string(format.integer(0)) +
                          ", and this tactus writes " + std::to_string(kFormat) +
                          "; use the version of tactus that made it, or name another folder with --out");
    }
    while (format.next()) {
    }
    add_cpus(database_);
    all.commit();
  }
  statements_ = std::make_unique<Statements>(database_.get());
}

Store::~Store() = default;

void Store::begin(const CampaignFacts& facts) {
  database_.run(
      "INSERT INTO campaign VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (one) DO UPDATE SET "
      "name = ?2, file = ?3, cases = ?4, realtime = ?5, machine = ?6",
      kFormat, facts.name, facts.file, facts.count, facts.realtime ? 1 : 0, facts.machine, utc_now());
}

std::vector<SourceRow> Store::sources(int version) {
  std::vector<SourceRow> all;
  Statement rows(database_.get(), "SELECT kind, file, sha256 FROM sources WHERE version = ?1");
  rows.bind(version);
  while (rows.next()) all.push_back({rows.text(0), rows.text(1), rows.text(2)});
  return all;
}

int Store::version() {
  return static_cast<int>(Statement(database_.get(), "SELECT max(version) FROM versions").find_integer());
}

int Store::add_version(const std::vector<SourceRow>& sources) {
  Transaction all(database_);
  const int version = this->version() + 1;
  database_.run("INSERT INTO versions VALUES (?1, ?2)", version, utc_now());
  add_sources(version, sources);
  all.commit();
  return version;
}

void Store::add_sources(int version, const std::vector<SourceRow>& sources) {
  Statement insert(database_.get(), "INSERT OR IGNORE INTO sources VALUES (?1, ?2, ?3, ?4)");
  for (const SourceRow& row : sources) insert.run(version, row.kind, row.file, row.sha256);
}

CaseStates Store::states(std::int64_t count) {
  CaseStates all(count);
  Statement rows(
      database_.get(),
      "SELECT number, state FROM cases WHERE number < ?1 AND state IN ('done', 'running') ORDER BY number");
  rows.bind(count);
  while (rows.next()) all.set(rows.integer(0), rows.text(1) == "done" ? CaseState::done : CaseState::running);
  return all;
}

Counts Store::counts() {
  Counts counts;
  Statement rows(database_.get(),
                 "SELECT verdict, count(*) FROM cases WHERE state = 'done' GROUP BY verdict");
  while (rows.next()) counts.of(rows.text(0)) += rows.integer(1);
  return counts;
}

int Store::attempts(std::int64_t number) {
  return static_cast<int>(statements_->attempts.find_integer(number));
}

std::vector<Store::Open> Store::open_attempts() {
  std::vector<Open> all;
  Statement rows(database_.get(), "SELECT number, attempt FROM attempts WHERE state = 'running'");
  while (rows.next()) all.push_back({rows.integer(0), static_cast<int>(rows.integer(1))});
  return all;
}

std::string Store::line(std::int64_t number) { return statements_->line.find_text(number); }

VerdictReader::VerdictReader(Database& database, const std::string& expectation)
    : expectation_(expectation),
      rows_(database.get(), expectation.empty()
                                ? "SELECT verdict FROM cases WHERE number = ?1 AND state = 'done'"
                                : "SELECT coalesce(v.verdict, CASE c.verdict WHEN 'error' THEN 'error' ELSE "
                                  "'' END) FROM cases c "
                                  "LEFT JOIN verdicts v ON v.number = c.number AND v.attempt = c.attempt AND "
                                  "v.expectation = ?2 "
                                  "WHERE c.number = ?1 AND c.state = 'done'") {}

std::string VerdictReader::of(std::int64_t number) {
  return expectation_.empty() ? rows_.find_text(number) : rows_.find_text(number, expectation_);
}

std::string Store::verdict(std::int64_t number, const std::string& expectation) {
  if (verdicts_ == nullptr || verdicts_->expectation() != expectation)
    verdicts_ = std::make_unique<VerdictReader>(database_, expectation);
  return verdicts_->of(number);
}

void Store::claim(const Case& one, const std::string& line, int attempt, int version,
                  const std::string& folder, const std::string& cpus) {
  Transaction all(database_);
  Statements& s = *statements_;
  s.claim_case.run(one.number, one.rig, one.test, line, attempt, version, folder);
  s.claim_attempt.run(one.number, attempt, version, utc_now(), s.machine, cpus);
  if (attempt > 1) s.drop_drawn.run(one.number);
  for (const Drawn& drawn : one.drawn) s.draw.run(one.number, drawn.key, drawn.text, drawn.value, drawn.unit);
  all.commit();
}

void Store::unclaim(std::int64_t number, int attempt) {
  Transaction all(database_);
  database_.run("DELETE FROM attempts WHERE number = ?1 AND attempt = ?2", number, attempt);
  const int before = attempts(number);
  if (before > 0) {
    database_.run(
        "UPDATE cases SET state = 'open', attempt = ?2, folder = replace(folder || '/', ?3, ?4) "
        "WHERE number = ?1",
        number, before, "-" + std::to_string(attempt) + "/", "-" + std::to_string(before));
  } else {
    for (const char* const sql :
         {"DELETE FROM drawn WHERE number = ?1", "DELETE FROM cases WHERE number = ?1"})
      database_.run(sql, number);
  }
  all.commit();
}

void Store::end(std::int64_t number, int attempt, const Outcome& outcome, bool again) {
  Transaction all(database_);
  Statements& s = *statements_;
  for (const ExpectationRow& row : outcome.expectations)
    s.verdict.run(number, attempt, row.name, row.verdict, row.margin, row.unit, row.severity, row.frame,
                  row.says);
  for (const MeasuredRow& row : outcome.measured)
    s.measured.run(number, attempt, row.name, row.value, row.unit);
  take_case(number, attempt, outcome, again);
  all.commit();
}

void Store::take_case(std::int64_t number, int attempt, const Outcome& outcome, bool again) {
  Statements& s = *statements_;
  const std::optional<int> version = outcome.version > 0 ? std::optional(outcome.version) : std::nullopt;
  s.end_attempt.run(number, attempt, again ? "spoiled" : "done", outcome.end.begun, outcome.end.seconds,
                    outcome.end.cpu_s, outcome.end.memory_kb, outcome.end.status, outcome.end.signal,
                    outcome.end.timed_out ? 1 : 0, outcome.verdict, outcome.says, outcome.spoiled, version);
  s.end_case.run(number, again ? "open" : "done", outcome.verdict, outcome.says, outcome.end.seconds,
                 version);
}

void Store::lose(std::int64_t number, int attempt) {
  Transaction all(database_);
  database_.run("UPDATE attempts SET state = 'lost' WHERE number = ?1 AND attempt = ?2", number, attempt);
  open(number);
  all.commit();
}

std::int64_t Store::open_failed() {
  Transaction all(database_);
  database_.run(
      "UPDATE cases SET state = 'open' "
      "WHERE state = 'done' AND verdict IN ('fail', 'error', 'inconclusive')");
  const std::int64_t number = Statement(database_.get(), "SELECT changes()").find_integer();
  all.commit();
  return number;
}

void Store::open(std::int64_t number) { statements_->state.run(number, "open"); }

void Store::drop_from(std::int64_t number) {
  database_.run("UPDATE cases SET state = 'dropped' WHERE number >= ?1", number);
}

int Store::spoiled(std::int64_t number) {
  return static_cast<int>(statements_->spoiled.find_integer(number));
}

void Store::close() { database_.run("PRAGMA wal_checkpoint(TRUNCATE)"); }

}  // namespace tactus::campaign
