// SPDX-License-Identifier: Apache-2.0
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "config/text.hpp"
#include "executive/app/trial.hpp"
#include "executive/driver/record_sink.hpp"
#include "rtsync/text.hpp"

namespace tactus::app {
namespace format_trial {  // files of this folder are compiled together
namespace {

namespace fs = std::filesystem;
using executive::RecordColumn;
using executive::RecordDriver;
using executive::RecordedFile;
using executive::RecordingHead;
using executive::RecordSink;
using executive::RecordsLost;
using Record = std::vector<std::byte>;

/// A recording of made-up values: all types, labels, and a gap in the record.
class Sample {
 public:
  explicit Sample(std::size_t more = 0) {
    static constexpr tactus_type kTypes[] = {TACTUS_BOOL,   TACTUS_INT8,  TACTUS_UINT8,  TACTUS_INT16,
                                             TACTUS_UINT16, TACTUS_INT32, TACTUS_UINT32, TACTUS_INT64,
                                             TACTUS_UINT64, TACTUS_FLOAT, TACTUS_DOUBLE};
    head_.name = "trial";
    std::size_t offset = sizeof(std::int64_t);
    for (const tactus_type type : kTypes) {
      RecordColumn column{"plant." + std::string(executive::name_of(type)), "m/s", type, offset};
      column.about = "one of each type";
      offset += executive::size_of(type);
      head_.columns.push_back(std::move(column));
    }
    offset += 5;  // what a filter keeps for itself
    RecordColumn gear{"plant.gear", "", TACTUS_INT32, offset};
    gear.labels = {{"park", 0}, {"drive", 1}};
    gear.as_words = true;
    offset += sizeof(std::int32_t);
    head_.columns.push_back(std::move(gear));
    for (std::size_t i = 0; i < more; ++i, offset += sizeof(double))
      head_.columns.push_back({"plant.more[" + std::to_string(i) + "]", "N m", TACTUS_DOUBLE, offset});
    bytes_ = offset;
  }

  const RecordingHead& head() const { return head_; }
  Record record(std::uint64_t row) const {
    Record made(bytes_, std::byte{0xEE});
    const auto time = static_cast<std::int64_t>(row) * 1'000'000;
    std::memcpy(made.data(), &time, sizeof time);
    for (std::size_t i = 0; i < head_.columns.size(); ++i) {
      const RecordColumn& column = head_.columns[i];
      const std::uint64_t number = row * 7 + i;
      std::byte* const to = made.data() + column.offset;
      const auto put = [&](auto value) { std::memcpy(to, &value, sizeof value); };
      if (column.type == TACTUS_FLOAT)
        put(static_cast<float>(number) * 0.25F);
      else if (column.type == TACTUS_DOUBLE)
        put(static_cast<double>(number) * 0.1);
      else if (column.type == TACTUS_BOOL || !column.labels.empty())
        std::memset(to, 0, executive::size_of(column.type)), *to = static_cast<std::byte>(number % 2);
      else
        std::memcpy(to, &number, executive::size_of(column.type));
    }
    return made;
  }

 private:
  RecordingHead head_;
  std::size_t bytes_ = 0;
};

/// Hands a record to a driver, and looks at what it leaves of it.
void write_record(RecordSink& sink, const Record& record) {
  static std::optional<GuardedRoom> room;  // of this process, which makes one trial
  if (!room || room->size() != record.size()) room.emplace(record.size());
  std::memcpy(room->data(), record.data(), record.size());
  sink.write(room->data());
  room->expect_kept();
  if (std::memcmp(room->data(), record.data(), record.size()) != 0)
    throw Mistake("changes the record that it is given to write");
}

/// The driver, loaded, with what a trial asks of it.
class Format {
 public:
  explicit Format(const TriedDriver& driver)
      : driver_(driver), library_(driver.load()), format_(library_.make<RecordDriver>()) {}

  RecordDriver* operator->() const { return format_.get(); }
  fs::path file(const std::string& recording = "trial") const {
    return fs::absolute(format_->file_name(recording));
  }
  std::unique_ptr<RecordSink> sink() const {
    config::Problems problems;
    auto made = format_->make(driver_.keys, "keys", problems);
    if (made == nullptr) throw_not_made(problems);
    return made;
  }
  /// Writes a whole file.
  void write(const Sample& sample, std::uint64_t rows, const fs::path& to) const {
    const auto made = sink();
    made->open(to, sample.head());
    for (std::uint64_t row = 0; row < rows; ++row) write_record(*made, sample.record(row));
    made->flush();
    made->close();
  }
  RecordedFile examine(const fs::path& of) const {
    try {
      return format_->examine(of);
    } catch (const std::exception& error) {
      if (std::string(error.what()).find("cannot say how far a file is whole") != std::string::npos)
        throw NotTried("it examines no files, so `tactus recover` cannot repair them");
      throw;
    }
  }

 private:
  const TriedDriver& driver_;
  executive::DriverLibrary library_;
  std::unique_ptr<RecordDriver> format_;
};

/// Reads a file, and returns the number of records. Throws Mistake for a value that is another.
std::uint64_t read_back(const Format& format, const Sample& sample, const fs::path& of) {
  std::unique_ptr<executive::RecordSource> source;
  try {
    source = format->read(of);
  } catch (const std::exception& error) {
    if (std::string(error.what()).find("cannot be read back") != std::string::npos)
      throw NotTried("it reads no files, so neither reports nor `tactus convert` know them");
    throw Mistake(std::string("does not read its own file: ") + error.what());
  }
  const auto& columns = source->head().columns;
  const auto& written = sample.head().columns;
  if (columns.size() != written.size())
    throw Mistake("reads " + rtsync::counted(columns.size(), "column") + " of " +
                  std::to_string(written.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name != written[i].name)
      throw Mistake("reads column " + config::show(written[i].name) + " as " + config::show(columns[i].name));
    if (columns[i].type != written[i].type)
      throw Mistake("reads column " + config::show(written[i].name) + " of type " +
                    std::string(executive::name_of(written[i].type)) + " as " +
                    std::string(executive::name_of(columns[i].type)));
  }
  GuardedRoom record(executive::record_bytes(source->head()));
  std::uint64_t rows = 0;
  for (; source->next(record.data()); ++rows) {
    record.expect_kept();
    const Record expected = sample.record(rows);
    if (std::memcmp(record.data(), expected.data(), sizeof(std::int64_t)) != 0)
      throw Mistake("reads a time in record " + std::to_string(rows) + " that was not written");
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (std::memcmp(record.data() + columns[i].offset, expected.data() + written[i].offset,
                      executive::size_of(columns[i].type)) != 0)
        throw Mistake("reads a value of column " + config::show(columns[i].name) + " in record " +
                      std::to_string(rows) + " that was not written");
  }
  return rows;
}

void expect_rows(const std::string& where, std::uint64_t found, std::uint64_t expected) {
  if (found != expected)
    throw Mistake(where + " " + rtsync::counted(found, "record") + ", and " + std::to_string(expected) +
                  " were written");
}

void expect_whole(const RecordedFile& found, std::uint64_t rows) {
  if (found.bytes != fs::file_size(found.path))
    throw Mistake("counts " + std::to_string(found.bytes) + " bytes of a file that has " +
                  std::to_string(fs::file_size(found.path)));
  if (!found.damage.empty()) throw Mistake("finds damage in a file of its own: " + found.damage);
  if (found.whole != found.bytes)
    throw Mistake("finds " + std::to_string(found.whole) + " of " + std::to_string(found.bytes) +
                  " bytes whole in a file that was closed");
  expect_rows("finds", found.records, rows);
}

void try_round_trip(const TriedDriver& driver, std::uint64_t rows, std::size_t more) {
  const Format format(driver);
  const Sample sample(more);
  format.write(sample, rows, format.file());
  if (!fs::exists(format.file())) throw Mistake("makes no file " + format.file().filename().string());
  expect_rows("reads", read_back(format, sample, format.file()), rows);
  const RecordedFile found = format.examine(format.file());
  expect_whole(found, rows);
  const auto last = static_cast<std::int64_t>(rows - 1) * 1'000'000;
  if (rows > 0 && found.last_ns && *found.last_ns != last)
    throw Mistake("finds " + std::to_string(*found.last_ns) +
                  " ns as the time of the last record, and it is " + std::to_string(last));
}

std::string contents(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void put(const fs::path& file, const std::string& text) { std::ofstream(file, std::ios::binary) << text; }

/// Expects that a file cannot be opened, for a reason.
void expect_refused(RecordSink& sink, const fs::path& file, const char* because, const char* mistake) {
  try {
    sink.open(file, Sample().head());
  } catch (const std::exception& error) {
    return expect_reason(error.what(), because);
  }
  throw Mistake(mistake);
}

void try_file_that_is_there(const TriedDriver& driver) {
  const Format format(driver);
  put(format.file(), "mine");
  expect_refused(
      *format.sink(), format.file(), "the file is there already",
      "opens a file that is there already; open it with O_CREAT | O_EXCL (tactus::RecordFile does)");
  if (contents(format.file()) != "mine")
    throw Mistake("writes over a file that is there, and then refuses it");
}

void try_no_folder(const TriedDriver& driver) {
  const Format format(driver);
  const auto sink = format.sink();
  expect_refused(*sink, fs::absolute("none") / format->file_name("trial"), "its folder is not there",
                 "opens a file in a folder that is not there");
  sink->close();
}

void try_closing(const TriedDriver& driver) {
  const Format format(driver);
  const Sample sample;
  format.sink()->close();  // never opened
  const auto sink = format.sink();
  sink->open(format.file(), sample.head());
  write_record(*sink, sample.record(0));
  sink->close();
  sink->close();
  expect_rows("closed without a flush, it keeps", format.examine(format.file()).records, 1);
  const auto left = format.sink();
  left->open(format.file("left"), sample.head());
  write_record(*left, sample.record(0));  // never closed
}

void try_many(const TriedDriver& driver) {
  const Format format(driver);
  const Sample sample;
  format.write(sample, 3, format.file("first"));
  const Holdings before;
  for (int i = 0; i < 30; ++i) format.write(sample, 3, format.file("f" + std::to_string(i)));
  before.expect_same("30 files were written and closed");
}

/// Runs `work` in a process that ends by SIGKILL after it.
template <class Work>
void kill_after(Work work) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      work();
    } catch (...) {  // the file shows it
    }
    (void)::raise(SIGKILL);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
    throw Mistake("ends the process before it is killed");
}

void try_kill(const TriedDriver& driver, std::uint64_t flushed, std::uint64_t more) {
  const Format format(driver);
  const Sample sample;
  kill_after([&] {
    const auto sink = format.sink();
    sink->open(format.file(), sample.head());
    for (std::uint64_t row = 0; row < flushed; ++row) write_record(*sink, sample.record(row));
    sink->flush();
    for (std::uint64_t row = 0; row < more; ++row) write_record(*sink, sample.record(flushed + row));
  });
  RecordedFile found = format.examine(format.file());
  if (found.records < flushed)
    throw Mistake("has " + rtsync::counted(found.records, "record") + " in its file of " +
                  std::to_string(flushed) + " that were flushed before a kill");
  if (!found.damage.empty()) throw Mistake("finds damage in its file after a kill: " + found.damage);
  format->mend(found);
  expect_rows("reads after a kill", read_back(format, sample, format.file()), found.records);
}

/// Writes until the file may not grow any more. Returns the number of records that were taken and not said to be lost.
std::uint64_t fill(const Format& format, const Sample& sample, const fs::path& to, std::uint64_t limit) {
  (void)::signal(SIGXFSZ, SIG_IGN);
  const Limited small(RLIMIT_FSIZE, limit);
  std::uint64_t taken = 0;
  std::uint64_t lost = 0;
  bool failed = false;
  std::string odd;
  const auto sink = format.sink();
  const auto tried = [&](auto work) {
    try {
      work();
    } catch (const Mistake&) {
      throw;
    } catch (const std::exception& error) {
      if (const auto* const known = dynamic_cast<const RecordsLost*>(&error); known != nullptr && !failed)
        lost = known->records();
      failed = true;
      if (std::string(error.what()).size() < 5) odd = error.what();
    }
    return !failed;
  };
  if (tried([&] { sink->open(to, sample.head()); })) {
    for (std::uint64_t row = 0; row < 2000 && !failed; ++row)
      if (tried([&] { write_record(*sink, sample.record(row)); })) ++taken;
    if (!failed) (void)tried([&] { sink->flush(); });
  }
  (void)tried([&] { sink->close(); });
  if (!failed)
    throw Mistake("reports no error when a full disk takes only " + std::to_string(limit) +
                  " bytes of its file; look at what write(2) returns");
  if (!odd.empty()) expect_reason(odd, "the disk is full");
  if (lost > taken)  // not the record that is being written: it is not taken
    throw Mistake("says that " + rtsync::counted(lost, "record") + " are lost of " + std::to_string(taken) +
                  " that it took");
  return taken - std::min(lost, taken);
}

void try_full_disk(const TriedDriver& driver) {
  const Format format(driver);
  const Sample sample;
  format.write(sample, 2000, format.file("whole"));
  std::error_code none;
  const std::uint64_t size = fs::file_size(format.file("whole"), none);
  if (none || size == 0) throw Mistake("leaves no file, or an empty one, after 2000 records");
  int number = 0;
  for (const std::uint64_t limit : {std::uint64_t{1}, size / 10, size / 3, size / 2, size - 1}) {
    const fs::path to = format.file("full" + std::to_string(number++));
    const std::uint64_t kept = fill(format, sample, to, limit);
    if (!fs::exists(to)) continue;
    RecordedFile found = format.examine(to);
    if (found.records == 0 && kept == 0) continue;
    if (found.records < kept)
      throw Mistake("says that " + rtsync::counted(kept, "record") +
                    " are in a file on a full disk, which has " + std::to_string(found.records) +
                    "; throw tactus::RecordsLost with the number of those taken earlier");
    format->mend(found);
    expect_rows("reads from a full disk", read_back(format, sample, to), found.records);
  }
}

/// Reads whatever is there. What matters is that it ends.
void read_any(const Format& format, const fs::path& file) {
  try {
    (void)format->examine(file);
  } catch (const std::runtime_error&) {  // refused with a reason
  }
  try {
    const auto source = format->read(file);
    const std::size_t bytes = executive::record_bytes(source->head());
    if (bytes > (std::size_t{1} << 28)) return;
    GuardedRoom record(bytes);
    for (std::uint64_t rows = 0; source->next(record.data()); ++rows, record.expect_kept())
      if (rows > 1'000'000)
        throw Mistake("reads more than a million records from a file of " +
                      std::to_string(fs::file_size(file)) + " bytes");
  } catch (const std::runtime_error& error) {
    if (dynamic_cast<const Mistake*>(&error) != nullptr) throw;
  }
}

void try_torn(const TriedDriver& driver) {
  const Format format(driver);
  const Sample sample;
  format.write(sample, 20, format.file("whole"));
  const std::string whole = contents(format.file("whole"));
  const std::size_t step = whole.size() / 300 + 1;
  for (std::size_t size = 0; size <= whole.size(); size += step) {
    const fs::path file = format.file("whole");  // what else belongs to it is beside it
    put(file, whole.substr(0, size));
    read_any(format, file);
    RecordedFile found = format.examine(file);
    if (found.records > 20)
      throw Mistake("finds " + rtsync::counted(found.records, "record") + " in a part of 20");
    if (found.records == 0 || !found.damage.empty()) continue;
    format->mend(found);
    expect_rows("reads from a file that was cut after " + std::to_string(size) + " bytes",
                read_back(format, sample, file), found.records);
  }
}

void try_strange(const TriedDriver& driver) {
  const Format format(driver);
  format.write(Sample(), 20, format.file("whole"));
  const std::string whole = contents(format.file("whole"));
  if (whole.empty()) throw Mistake("leaves no file, or an empty one, after 20 records");
  const fs::path file = format.file("whole");
  std::uint32_t seed = 1;
  const auto chance = [&seed] { return (seed = seed * 1664525U + 1013904223U) >> 8U; };
  for (const std::size_t size : {0U, 1U, 3U, 100U, 10'000U}) {
    std::string bytes;
    for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(chance());
    put(file, bytes);
    read_any(format, file);
  }
  for (int i = 0; i < 500; ++i) {
    std::string bytes = whole;
    bytes[chance() % bytes.size()] = static_cast<char>(chance());
    bytes[chance() % std::min<std::size_t>(bytes.size(), 200)] = static_cast<char>(chance());
    put(file, bytes);
    read_any(format, file);
  }
}

}  // namespace
}  // namespace format_trial

std::vector<Trial> format_trials() {
  using namespace format_trial;
  return {
      {"1000 records, written and read back", [](const TriedDriver& d) { try_round_trip(d, 1000, 0); }},
      {"a file without records", [](const TriedDriver& d) { try_round_trip(d, 0, 0); }},
      {"3000 columns", [](const TriedDriver& d) { try_round_trip(d, 5, 3000); }},
      {"a file that is there already", &try_file_that_is_there},
      {"a folder that is not there", &try_no_folder},
      {"closed twice, never opened, never closed", &try_closing},
      {"many files", &try_many},
      {"killed right after a flush", [](const TriedDriver& d) { try_kill(d, 500, 0); }},
      {"killed between two flushes", [](const TriedDriver& d) { try_kill(d, 300, 777); }},
      {"a full disk", &try_full_disk},
      {"files that were cut anywhere", &try_torn},
      {"files with strange bytes", &try_strange},
  };
}

}  // namespace tactus::app
