// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/page/results.hpp"

#include <limits>

namespace tactus::campaign {
namespace {

std::string key_of(ResultColumn::Kind kind, const std::string& test, const std::string& name) {
  return std::to_string(static_cast<int>(kind)) + "\n" + test + "\n" + name;
}

bool begins_as_a_number(const std::string& text) {
  return !text.empty() && text.find_first_of("0123456789") <= text.find_first_not_of("+-.");
}

}  // namespace

/// All rows of each table, in the order of the cases.
struct Results::Cursors {
  explicit Cursors(sqlite3* database)
      : cases(database,
              "SELECT number, attempt, version, rig, test, line, verdict, says, folder, seconds FROM cases "
              "WHERE state = 'done' ORDER BY number"),
        drawn(database, "SELECT number, key, text, value FROM drawn ORDER BY number"),
        verdicts(database,
                 "SELECT number, attempt, expectation, verdict, margin FROM verdicts ORDER BY number"),
        measured(database, "SELECT number, attempt, quantity, value FROM measured ORDER BY number") {}

  struct Cursor {
    Cursor(sqlite3* database, const char* sql) : rows(database, sql) {}

    /// Calls `take` with each row of the case, and steps over those of cases before it.
    template <class Take>
    void rows_of(std::int64_t number, Take take) {
      for (; has && rows.integer(0) <= number; has = rows.next())
        if (rows.integer(0) == number) take(rows);
    }

    Statement rows;
    bool has = rows.next();
  };
  Statement cases;
  Cursor drawn, verdicts, measured;
};

Results::Results(const std::filesystem::path& folder)
    : database_(folder / Store::kFile, Database::Use::read) {
  database_.read_apart();
  database_.run("BEGIN");  // all tables as of one moment, while a runner goes on
  Statement facts(database_.get(), "SELECT name, file, cases, realtime, machine, format FROM campaign");
  if (facts.next()) {
    if (facts.integer(5) > Store::kFormat)
      throw DatabaseError((folder / Store::kFile).string() + ": a later tactus wrote it; use that one");
    facts_ = {facts.text(0), facts.text(1), facts.integer(2), facts.integer(3) != 0, facts.text(4)};
  }
  read_columns();
  cursors_ = std::make_unique<Cursors>(database_.get());
}

Results::~Results() = default;

void Results::read_columns() {
  const auto add = [&](ResultColumn column) {
    if (places_.try_emplace(key_of(column.kind, column.test, column.name), columns_.size()).second)
      columns_.push_back(std::move(column));
  };
  using Of = ResultColumn::Kind;
  Statement drawn(database_.get(),
                  "SELECT key, unit, min(text), min(number) FROM drawn GROUP BY key ORDER BY 4");
  while (drawn.next()) add({Of::drawn, drawn.text(0), drawn.text(1), "", !begins_as_a_number(drawn.text(2))});
  Statement margins(database_.get(),
                    "SELECT c.test, v.expectation, max(v.unit) FROM verdicts v JOIN cases c USING (number) "
                    "GROUP BY 1, 2 ORDER BY min(v.number)");
  while (margins.next()) add({Of::margin, margins.text(1), margins.text(2), margins.text(0)});
  Statement measured(database_.get(),
                     "SELECT quantity, max(unit) FROM measured GROUP BY 1 ORDER BY min(number)");
  while (measured.next()) add({Of::measured, measured.text(0), measured.text(1), ""});
}

bool Results::next(ResultRow& row) {
  Cursors& from = *cursors_;
  if (!from.cases.next()) return false;
  const Statement& one = from.cases;
  row.number = one.integer(0);
  row.attempt = static_cast<int>(one.integer(1));
  row.version = static_cast<int>(one.integer(2));
  row.rig = one.text(3);
  row.test = one.text(4);
  row.line = one.text(5);
  row.verdict = one.text(6);
  row.says = one.text(7);
  row.folder = one.text(8);
  row.seconds = one.real(9);
  row.values.assign(columns_.size(), std::numeric_limits<double>::quiet_NaN());
  row.texts.assign(columns_.size(), "");
  const auto put = [&](ResultColumn::Kind kind, const std::string& test, const std::string& name,
                       double value, std::string text) {
    const auto at = places_.find(key_of(kind, test, name));
    if (at == places_.end()) return;
    row.values[at->second] = value;
    row.texts[at->second] = std::move(text);
  };
  using Of = ResultColumn::Kind;
  from.drawn.rows_of(row.number, [&](const Statement& rows) {
    put(Of::drawn, "", rows.text(1), rows.real(3), rows.text(2));
  });
  from.verdicts.rows_of(row.number, [&](const Statement& rows) {
    if (rows.integer(1) == row.attempt) put(Of::margin, row.test, rows.text(2), rows.real(4), rows.text(3));
  });
  from.measured.rows_of(row.number, [&](const Statement& rows) {
    if (rows.integer(1) == row.attempt) put(Of::measured, "", rows.text(2), rows.real(3), "");
  });
  return true;
}

}  // namespace tactus::campaign
