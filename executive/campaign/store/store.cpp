// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/store/store.hpp"

#include <sys/utsname.h>
#include <time.h>

#include <array>
#include <cstdio>

#include "executive/campaign/store/tables.hpp"

namespace tactus::campaign {
namespace {

std::string host_name() {
  utsname name{};
  return ::uname(&name) == 0 ? std::string(static_cast<const char*>(name.nodename)) : "";
}

/// A database that was made before cases had sets of CPUs gets the column.
void add_cpus(Database& database) {
  Statement columns(database.get(), "SELECT count(*) FROM pragma_table_info('attempts') WHERE name = 'cpus'");
  const bool has = columns.next() && columns.integer(0) > 0;
  while (columns.next()) {
  }
  if (!has) database.run("ALTER TABLE attempts ADD COLUMN cpus TEXT NOT NULL DEFAULT ''");
}

}  // namespace

std::string utc_now() {
  timespec now{};
  (void)::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  (void)::gmtime_r(&now.tv_sec, &parts);
  std::array<char, 40> day{}, text{};
  const std::size_t size = ::strftime(day.data(), day.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  (void)std::snprintf(text.data(), text.size(), "%.*s.%03dZ", static_cast<int>(size), day.data(),
                      static_cast<int>(now.tv_nsec / 1'000'000));
  return text.data();
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
  Statement(database_.get(),
            "INSERT INTO campaign VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (one) DO UPDATE SET "
            "name = ?2, file = ?3, cases = ?4, realtime = ?5, machine = ?6")
      .bind(1, kFormat)
      .bind(2, facts.name)
      .bind(3, facts.file)
      .bind(4, facts.count)
      .bind(5, facts.realtime ? 1 : 0)
      .bind(6, facts.machine)
      .bind(7, utc_now())
      .run();
}

std::vector<SourceRow> Store::sources(int version) {
  std::vector<SourceRow> all;
  Statement rows(database_.get(), "SELECT kind, file, sha256 FROM sources WHERE version = ?1");
  rows.bind(1, version);
  while (rows.next()) all.push_back({rows.text(0), rows.text(1), rows.text(2)});
  return all;
}

int Store::version() {
  Statement newest(database_.get(), "SELECT max(version) FROM versions");
  const int version = newest.next() ? static_cast<int>(newest.integer(0)) : 0;
  while (newest.next()) {
  }
  return version;
}

int Store::add_version(const std::vector<SourceRow>& sources) {
  Transaction all(database_);
  const int version = this->version() + 1;
  Statement(database_.get(), "INSERT INTO versions VALUES (?1, ?2)")
      .bind(1, version)
      .bind(2, utc_now())
      .run();
  add_sources(version, sources);
  all.commit();
  return version;
}

void Store::add_sources(int version, const std::vector<SourceRow>& sources) {
  Statement insert(database_.get(), "INSERT OR IGNORE INTO sources VALUES (?1, ?2, ?3, ?4)");
  for (const SourceRow& row : sources)
    insert.bind(1, version).bind(2, row.kind).bind(3, row.file).bind(4, row.sha256).run();
}

CaseStates Store::states(std::int64_t count) {
  CaseStates all(count);
  Statement rows(
      database_.get(),
      "SELECT number, state FROM cases WHERE number < ?1 AND state IN ('done', 'running') ORDER BY number");
  rows.bind(1, count);
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
  Statement& rows = statements_->attempts;
  rows.bind(1, number);
  int last = 0;
  while (rows.next()) last = static_cast<int>(rows.integer(0));
  return last;
}

std::vector<Store::Open> Store::open_attempts() {
  std::vector<Open> all;
  Statement rows(database_.get(), "SELECT number, attempt FROM attempts WHERE state = 'running'");
  while (rows.next()) all.push_back({rows.integer(0), static_cast<int>(rows.integer(1))});
  return all;
}

std::string Store::line(std::int64_t number) {
  Statement& rows = statements_->line;
  rows.bind(1, number);
  std::string line;
  while (rows.next()) line = rows.text(0);
  return line;
}

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
  rows_.bind(1, number);
  if (!expectation_.empty()) rows_.bind(2, expectation_);
  std::string verdict;
  while (rows_.next()) verdict = rows_.text(0);
  return verdict;
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
  s.claim_case.bind(1, one.number)
      .bind(2, one.rig)
      .bind(3, one.test)
      .bind(4, line)
      .bind(5, attempt)
      .bind(6, version)
      .bind(7, folder)
      .run();
  s.claim_attempt.bind(1, one.number)
      .bind(2, attempt)
      .bind(3, version)
      .bind(4, utc_now())
      .bind(5, s.machine)
      .bind(6, cpus)
      .run();
  if (attempt > 1) s.drop_drawn.bind(1, one.number).run();
  for (const Drawn& drawn : one.drawn)
    s.draw.bind(1, one.number)
        .bind(2, drawn.key)
        .bind(3, drawn.text)
        .bind(4, drawn.value)
        .bind(5, drawn.unit)
        .run();
  all.commit();
}

void Store::unclaim(std::int64_t number, int attempt) {
  Transaction all(database_);
  Statement(database_.get(), "DELETE FROM attempts WHERE number = ?1 AND attempt = ?2")
      .bind(1, number)
      .bind(2, attempt)
      .run();
  const int before = attempts(number);
  if (before > 0) {
    Statement(database_.get(),
              "UPDATE cases SET state = 'open', attempt = ?2, folder = replace(folder || '/', ?3, ?4) "
              "WHERE number = ?1")
        .bind(1, number)
        .bind(2, before)
        .bind(3, "-" + std::to_string(attempt) + "/")
        .bind(4, "-" + std::to_string(before))
        .run();
  } else {
    for (const char* const sql :
         {"DELETE FROM drawn WHERE number = ?1", "DELETE FROM cases WHERE number = ?1"})
      Statement(database_.get(), sql).bind(1, number).run();
  }
  all.commit();
}

void Store::end(std::int64_t number, int attempt, const Outcome& outcome, bool again) {
  Transaction all(database_);
  Statements& s = *statements_;
  for (const ExpectationRow& row : outcome.expectations)
    s.verdict.bind(1, number)
        .bind(2, attempt)
        .bind(3, row.name)
        .bind(4, row.verdict)
        .bind(5, row.margin)
        .bind(6, row.unit)
        .bind(7, row.severity)
        .bind(8, row.frame)
        .bind(9, row.says)
        .run();
  for (const MeasuredRow& row : outcome.measured)
    s.measured.bind(1, number).bind(2, attempt).bind(3, row.name).bind(4, row.value).bind(5, row.unit).run();
  take_case(number, attempt, outcome, again);
  all.commit();
}

void Store::take_case(std::int64_t number, int attempt, const Outcome& outcome, bool again) {
  Statements& s = *statements_;
  const std::optional<int> version = outcome.version > 0 ? std::optional(outcome.version) : std::nullopt;
  s.end_attempt.bind(1, number)
      .bind(2, attempt)
      .bind(3, std::string_view(again ? "spoiled" : "done"))
      .bind(4, outcome.end.begun)
      .bind(5, outcome.end.seconds)
      .bind(6, outcome.end.cpu_s)
      .bind(7, outcome.end.memory_kb)
      .bind(8, outcome.end.status)
      .bind(9, outcome.end.signal)
      .bind(10, outcome.end.timed_out ? 1 : 0)
      .bind(11, outcome.verdict)
      .bind(12, outcome.says)
      .bind(13, outcome.spoiled)
      .bind(14, version)
      .run();
  s.end_case.bind(1, number)
      .bind(2, std::string_view(again ? "open" : "done"))
      .bind(3, outcome.verdict)
      .bind(4, outcome.says)
      .bind(5, outcome.end.seconds)
      .bind(6, version)
      .run();
}

void Store::lose(std::int64_t number, int attempt) {
  Transaction all(database_);
  Statement(database_.get(), "UPDATE attempts SET state = 'lost' WHERE number = ?1 AND attempt = ?2")
      .bind(1, number)
      .bind(2, attempt)
      .run();
  open(number);
  all.commit();
}

std::int64_t Store::open_failed() {
  Transaction all(database_);
  Statement(database_.get(),
            "UPDATE cases SET state = 'open' "
            "WHERE state = 'done' AND verdict IN ('fail', 'error', 'inconclusive')")
      .run();
  Statement changed(database_.get(), "SELECT changes()");
  const std::int64_t number = changed.next() ? changed.integer(0) : 0;
  while (changed.next()) {
  }
  all.commit();
  return number;
}

void Store::open(std::int64_t number) {
  statements_->state.bind(1, number).bind(2, std::string_view("open")).run();
}

void Store::drop_from(std::int64_t number) {
  Statement(database_.get(), "UPDATE cases SET state = 'dropped' WHERE number >= ?1").bind(1, number).run();
}

int Store::spoiled(std::int64_t number) {
  Statement& rows = statements_->spoiled;
  rows.bind(1, number);
  int count = 0;
  while (rows.next()) count = static_cast<int>(rows.integer(0));
  return count;
}

void Store::close() { database_.run("PRAGMA wal_checkpoint(TRUNCATE)"); }

}  // namespace tactus::campaign
