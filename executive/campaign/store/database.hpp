// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace tactus::campaign {

/// Thrown with the file, what was done, and what SQLite says of it.
class DatabaseError : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// A prepared statement, which is used again and again.
///
///     Statement insert(database, "INSERT INTO drawn VALUES (?, ?)");
///     insert.run(number, key);
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql);
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  /// Gives ?1, ?2, ... these values: numbers, texts, or optional ones. NaN, which SQL does not know, becomes NULL.
  template <class... Values>
  void bind(const Values&... values) {
    int place = 0;
    (put(++place, values), ...);
  }
  /// Steps to the next row; false after the last one, and the statement can be bound anew.
  bool next();
  /// Runs it to its end with these values.
  template <class... Values>
  void run(const Values&... values) {
    bind(values...);
    while (next()) {
    }
  }
  /// Runs it likewise. Returns the first column of its last row; 0 or empty: there is none.
  template <class... Values>
  std::int64_t find_integer(const Values&... values) {
    bind(values...);
    std::int64_t found = 0;
    while (next()) found = integer(0);
    return found;
  }
  template <class... Values>
  std::string find_text(const Values&... values) {
    bind(values...);
    std::string found;
    while (next()) found = text(0);
    return found;
  }

  std::int64_t integer(int column) const;
  double real(int column) const;  ///< NaN where it is NULL
  std::string text(int column) const;
  bool is_null(int column) const;

 private:
  void put(int place, std::int64_t value);
  void put(int place, int value) { put(place, std::int64_t{value}); }
  void put(int place, std::string_view text);
  void put(int place, double value);
  void put_null(int place);
  template <class Value>
  void put(int place, const std::optional<Value>& value) {
    value ? put(place, *value) : put_null(place);
  }

  sqlite3* database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// An SQLite file. A kill of the process loses no commit. With the log (synchronous=NORMAL) a loss of power may lose the
/// last ones, and never the file. The log needs memory that all readers share, so on a file system of a network there is
/// a rollback journal instead (synchronous=FULL), which needs locks alone.
///
/// Threads  any one. All functions throw DatabaseError.
class Database {
 public:
  enum class Use { read, write };
  enum class Journal { log, rollback };
  Database(const std::filesystem::path& file, Use use, Journal journal = Journal::log);

  sqlite3* get() const { return database_.get(); }
  void run(const char* sql);
  /// One statement, with these values.
  template <class... Values>
  void run(const char* sql, const Values&... values) {
    Statement(get(), sql).run(values...);
  }
  /// Lets go of a file that is read and has no log, since its runner could not write as long as a reader is in it:
  /// reads a copy of it from here on, in memory, or in a temporary file where it is large. A file with a log stays: its
  /// readers hold nobody up. No Statement may use it yet.
  void read_apart();

 private:
  using Handle = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;
  static Handle opened(const std::filesystem::path& file, int flags, int& result);

  Handle database_;
};

/// All or nothing: what was written since its beginning is undone unless commit() was called. One inside another is part of
/// that.
class Transaction {
 public:
  explicit Transaction(Database& database);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();
  void commit();

 private:
  Database& database_;
  bool inside_ = false, done_ = false;
};

}  // namespace tactus::campaign
