// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/store/database.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::campaign {
namespace {

[[noreturn]] void refuse(sqlite3* database, const std::string& what) {
  const char* const file = database == nullptr ? nullptr : ::sqlite3_db_filename(database, "main");
  const int error = database == nullptr ? SQLITE_NOMEM : ::sqlite3_extended_errcode(database);
  std::string text = std::string(file == nullptr || *file == '\0' ? "campaign.sqlite" : file) + ": " + what +
                     ": " + (database == nullptr ? "no memory" : ::sqlite3_errmsg(database));
  switch (error & 0xFF) {
    case SQLITE_FULL:
      text += "; make room on that disk and start the campaign again: it continues where it stopped";
      break;
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      text += "; give this user write access to the folder, or name another one with --out";
      break;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      text += "; move the file away and start the campaign again: run folders that are whole are taken in";
      break;
    case SQLITE_PROTOCOL:
      text +=
          "; its file system does not lock as SQLite needs it: name a folder on a disk of this machine with "
          "--out";
      break;
    case SQLITE_IOERR:
      if (error == SQLITE_IOERR_LOCK || error == SQLITE_IOERR_RDLOCK || error == SQLITE_IOERR_SHMLOCK ||
          error == SQLITE_IOERR_SHMMAP || error == SQLITE_IOERR_CHECKRESERVEDLOCK)
        text +=
            "; its file system has no locks, as NFS without lockd: name a folder on a disk of "
            "this machine with --out";
      break;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      text +=
          "; another program has locked it: end that program (such as a pager that shows a table), and start "
          "the campaign again: it continues where it stopped";
      break;
    default:
      break;
  }
  throw DatabaseError(text);
}

/// Returns true while a runner has the folder (campaign.lock), or where that cannot be told.
bool has_runner(const std::filesystem::path& folder) {
  const rtsync::Descriptor lock(
      ::open((folder / "campaign.lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (lock.get() < 0) return errno != ENOENT;
  return ::flock(lock.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// Returns true for a file that is not written: its folder cannot be written by us, it has no log and no journal beside
/// it, and no runner has it. To read one with a log SQLite would make files there.
bool is_still(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  std::error_code error;
  return ::access(folder.c_str(), W_OK) != 0 &&
         std::filesystem::file_size(file.string() + "-wal", error) + 1 <= 1 &&
         !std::filesystem::exists(file.string() + "-journal", error) && !has_runner(folder);
}

/// Its name for SQLite, by which it reads the file as it is.
std::string still_name(const std::filesystem::path& file) {
  std::string name = "file:";
  for (const char each : file.string()) {
    const auto byte = static_cast<unsigned char>(each);
    if (each == '%' || each == '?' || each == '#' || byte < ' ') {
      name += rtsync::format_text("%%%02X", byte);
    } else {
      name += each;
    }
  }
  return name + "?immutable=1";
}

}  // namespace

Statement::Statement(sqlite3* database, std::string_view sql) : database_(database) {
  if (::sqlite3_prepare_v3(database, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT,
                           &statement_, nullptr) != SQLITE_OK)
    refuse(database, std::string(sql));
}

Statement::~Statement() { (void)::sqlite3_finalize(statement_); }

void Statement::put(int place, std::int64_t value) {
  if (::sqlite3_bind_int64(statement_, place, value) != SQLITE_OK) refuse(database_, "bind");
}

void Statement::put(int place, std::string_view text) {
  // SQLite's own marker for a text that it has to copy is a cast to a pointer.
  if (::sqlite3_bind_text64(statement_, place, text.data() == nullptr ? "" : text.data(), text.size(),
                            SQLITE_TRANSIENT, SQLITE_UTF8) != SQLITE_OK)  // NOLINT
    refuse(database_, "bind");
}

void Statement::put(int place, double value) {
  if (std::isnan(value)) return put_null(place);
  if (::sqlite3_bind_double(statement_, place, value) != SQLITE_OK) refuse(database_, "bind");
}

void Statement::put_null(int place) {
  if (::sqlite3_bind_null(statement_, place) != SQLITE_OK) refuse(database_, "bind");
}

bool Statement::next() {
  const int result = ::sqlite3_step(statement_);
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) {
    const char* const sql = ::sqlite3_sql(statement_);
    try {
      refuse(database_, sql == nullptr ? "" : sql);
    } catch (...) {
      (void)::sqlite3_reset(statement_);
      throw;
    }
  }
  (void)::sqlite3_reset(statement_);
  return false;
}

std::int64_t Statement::integer(int column) const { return ::sqlite3_column_int64(statement_, column); }

double Statement::real(int column) const {
  return is_null(column) ? std::numeric_limits<double>::quiet_NaN()
                         : ::sqlite3_column_double(statement_, column);
}

std::string Statement::text(int column) const {
  const void* const text = ::sqlite3_column_blob(statement_, column);
  const int size = ::sqlite3_column_bytes(statement_, column);
  return text == nullptr ? "" : std::string(static_cast<const char*>(text), static_cast<std::size_t>(size));
}

bool Statement::is_null(int column) const { return ::sqlite3_column_type(statement_, column) == SQLITE_NULL; }

/// Opens it; what went wrong is in `result`, and the handle knows why.
Database::Handle Database::opened(const std::filesystem::path& file, int flags, int& result) {
  sqlite3* made = nullptr;
  result = ::sqlite3_open_v2(file.c_str(), &made, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  return {made, &::sqlite3_close_v2};
}

Database::Database(const std::filesystem::path& file, Use use, Journal journal)
    : database_(nullptr, nullptr) {
  const bool reads = use == Use::read;
  int result = SQLITE_OK;
  database_ = reads && is_still(file)
                  ? opened(still_name(file), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, result)
                  : opened(file, SQLITE_OPEN_READWRITE | (reads ? 0 : SQLITE_OPEN_CREATE), result);
  if (result != SQLITE_OK && reads)  // of another user, or on a medium that cannot be written
    database_ = opened(file, SQLITE_OPEN_READONLY, result);
  if (result != SQLITE_OK) refuse(get(), "cannot be opened");
  (void)::sqlite3_busy_timeout(get(), 60'000);
  if (reads) {
    run("PRAGMA query_only=ON");
    return;
  }
  run(journal == Journal::log ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=TRUNCATE");
  run(journal == Journal::log ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL");
  run("PRAGMA foreign_keys=OFF");
}

void Database::run(const char* sql) {
  if (::sqlite3_exec(get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) refuse(get(), sql);
}

void Database::read_apart() {
  if (Statement(get(), "PRAGMA journal_mode").find_text() == "wal") return;
  int result = SQLITE_OK;
  // Without a name it is a file of this process alone, which takes memory first.
  Handle copy = opened("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, result);
  sqlite3_backup* const backup =
      result == SQLITE_OK ? ::sqlite3_backup_init(copy.get(), "main", get(), "main") : nullptr;
  if (backup == nullptr) refuse(copy.get(), "a copy of it to read");
  (void)::sqlite3_backup_step(backup, -1);
  if (::sqlite3_backup_finish(backup) != SQLITE_OK) refuse(copy.get(), "a copy of it to read");
  database_ = std::move(copy);
  run("PRAGMA query_only=ON");
}

Transaction::Transaction(Database& database)
    : database_(database), inside_(::sqlite3_get_autocommit(database.get()) == 0) {
  if (!inside_) database_.run("BEGIN IMMEDIATE");
}

Transaction::~Transaction() {
  if (inside_ || done_ || ::sqlite3_get_autocommit(database_.get()) != 0) return;
  (void)::sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  if (inside_) return;
  database_.run("COMMIT");
  done_ = true;
}

}  // namespace tactus::campaign
