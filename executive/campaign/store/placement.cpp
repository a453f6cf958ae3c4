// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/store/placement.hpp"

#include "executive/campaign/store/store.hpp"

namespace tactus::campaign {
namespace {

constexpr const char* kPlacementTables = R"(
CREATE TABLE IF NOT EXISTS arrays (
  array INTEGER PRIMARY KEY, name TEXT NOT NULL, job TEXT, state TEXT NOT NULL, tasks INTEGER NOT NULL,
  cpus INTEGER NOT NULL, memory_mb INTEGER NOT NULL, time_limit_s REAL NOT NULL, bench INTEGER NOT NULL,
  begun TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS placed (
  number INTEGER NOT NULL, attempt INTEGER NOT NULL, array INTEGER NOT NULL, task INTEGER NOT NULL, says TEXT,
  node TEXT, PRIMARY KEY (number, attempt)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS placed_in ON placed (array, task);
)";

/// Makes the tables before statements are prepared that need them.
sqlite3* with_tables(Database& database) {
  database.run(kPlacementTables);
  return database.get();
}

}  // namespace

Placement::Placement(Database& database)
    : database_(database),
      place_(with_tables(database), "INSERT OR REPLACE INTO placed VALUES (?1, ?2, ?3, ?4, NULL, NULL)"),
      says_(database.get(),
            "UPDATE placed SET says = CASE WHEN ?3 = '' THEN says ELSE ?3 END, node = ?4 "
            "WHERE number = ?1 AND attempt = ?2"),
      machine_(database.get(), "UPDATE attempts SET machine = ?3 WHERE number = ?1 AND attempt = ?2") {}

int Placement::add_array(const std::string& name_begin, std::int64_t tasks, const ArrayNeeds& needs) {
  Transaction all(database_);
  Statement last(database_.get(), "SELECT max(array) FROM arrays");
  const int array = static_cast<int>(last.find_integer()) + 1;
  database_.run("INSERT INTO arrays VALUES (?1, ?2, NULL, 'claimed', ?3, ?4, ?5, ?6, ?7, ?8)", array,
                name_begin + std::to_string(array), tasks, needs.cpus, needs.memory_mb, needs.time_limit_s,
                needs.bench ? 1 : 0, utc_now());
  all.commit();
  return array;
}

void Placement::place(int array, std::int64_t task, std::int64_t number, int attempt) {
  place_.run(number, attempt, array, task);
}

void Placement::ready(int array, std::int64_t tasks) {
  database_.run("UPDATE arrays SET state = 'ready', tasks = ?2 WHERE array = ?1", array, tasks);
}

void Placement::ended(int array) {
  database_.run("UPDATE arrays SET state = 'ended' WHERE array = ?1", array);
}

void Placement::submitted(int array, const std::string& job) {
  database_.run("UPDATE arrays SET state = 'submitted', job = ?2 WHERE array = ?1", array, job);
}

void Placement::says(std::int64_t number, int attempt, const std::string& state, const std::string& node) {
  says_.run(number, attempt, state, node);
  if (!node.empty()) machine_.run(number, attempt, node);
}

std::vector<Placement::Array> Placement::open_arrays() {
  std::vector<Array> all;
  Statement rows(database_.get(),
                 "SELECT array, name, job, state, tasks, cpus, memory_mb, time_limit_s, bench FROM arrays "
                 "WHERE state <> 'ended' ORDER BY array");
  while (rows.next())
    all.push_back(
        {static_cast<int>(rows.integer(0)), rows.text(1), rows.text(2), rows.text(3), rows.integer(4),
         ArrayNeeds{static_cast<int>(rows.integer(5)), rows.integer(6), rows.real(7), rows.integer(8) != 0}});
  return all;
}

std::vector<Placement::Placed> Placement::placed(int array) {
  std::vector<Placed> all;
  Statement rows(
      database_.get(),
      "SELECT p.task, p.number, p.attempt, a.state = 'running' FROM placed p LEFT JOIN attempts a "
      "ON a.number = p.number AND a.attempt = p.attempt WHERE p.array = ?1 ORDER BY p.task, p.number");
  rows.bind(array);
  while (rows.next())
    all.push_back(
        {rows.integer(0), rows.integer(1), static_cast<int>(rows.integer(2)), rows.integer(3) != 0});
  return all;
}

bool Placement::has(std::int64_t number, int attempt) {
  Statement rows(database_.get(),
                 "SELECT count(*) FROM placed p JOIN arrays a ON a.array = p.array "
                 "WHERE p.number = ?1 AND p.attempt = ?2 AND a.state <> 'ended'");
  return rows.find_integer(number, attempt) > 0;
}

std::string Placement::begun() {
  return Statement(database_.get(), "SELECT begun FROM campaign").find_text();
}

std::int64_t Placement::times(double& mean_s) {
  Statement rows(database_.get(),
                 "SELECT count(*), avg(seconds) FROM cases WHERE state = 'done' AND seconds > 0");
  std::int64_t count = 0;
  while (rows.next()) {
    count = rows.integer(0);
    mean_s = count > 0 ? rows.real(1) : 0;
  }
  return count;
}

}  // namespace tactus::campaign
