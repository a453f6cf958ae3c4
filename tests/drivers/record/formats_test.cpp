// SPDX-License-Identifier: Apache-2.0
/// What each format keeps, what a torn or damaged file of it says, and how it is mended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "drivers/record/common/mapped_file.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/driver/record_sink.hpp"
#include "tests/drivers/record/sample.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test::record_formats_test {
namespace {

namespace fs = std::filesystem;
using executive::DriverLibrary;
using executive::RecordColumn;
using executive::RecordDriver;
using executive::RecordedFile;
using executive::RecordSink;
using executive::RecordSource;
using ::testing::HasSubstr;

struct Format {
  std::string name;
  DriverLibrary library{RecordDriver::kKind, name};
  std::unique_ptr<RecordDriver> driver = library.make<RecordDriver>();

  explicit Format(std::string of) : name(std::move(of)) {}
  std::unique_ptr<RecordSink> sink(bool exported = false) const {
    config::Problems problems;
    return exported ? driver->make_for_export()
                    : driver->make(config::Node::map({}), "record.tape", problems);
  }
  fs::path file(const TempDir& folder) const { return folder / driver->file_name("tape"); }
};

std::vector<std::string> formats() {
  std::vector<std::string> all{"csv", "mdf4", "mcap", "trk"};
  if (TACTUS_HDF5) all.emplace_back("hdf5");
  return all;
}

void write(const Format& format, const fs::path& file, const RecordSample& sample, std::uint64_t rows,
           std::uint64_t flush_every = 50, bool exported = false) {
  const auto sink = format.sink(exported);
  sink->open(file, sample.head);
  for (std::uint64_t row = 0; row < rows; ++row) {
    sink->write(sample.record(row).data());
    if (row % flush_every == flush_every - 1) sink->flush();
  }
  sink->flush();
  sink->close();
}

bool same_element(tactus_type type, const std::byte* a, const std::byte* b) {
  return executive::with_type(type, [&](auto zero) {
    const auto x = executive::load_element<decltype(zero)>(a);
    const auto y = executive::load_element<decltype(zero)>(b);
    if (std::isnan(static_cast<double>(x)) && std::isnan(static_cast<double>(y))) return true;
    return std::memcmp(a, b, executive::size_of(type)) == 0;
  });
}

/// How many records a file holds, which are the first of the sample.
std::uint64_t read_back(const Format& format, const fs::path& file, const RecordSample& sample) {
  const auto source = format.driver->read(file);
  const auto& head = source->head();
  EXPECT_EQ(head.columns.size(), sample.head.columns.size());
  if (head.columns.size() != sample.head.columns.size()) return 0;
  std::vector<std::byte> record(executive::record_bytes(head));
  std::uint64_t row = 0;
  for (; source->next(record.data()); ++row) {
    const auto wanted = sample.record(row);
    EXPECT_EQ(std::memcmp(record.data(), wanted.data(), sizeof(std::int64_t)), 0) << "time of " << row;
    for (std::size_t i = 0; i < head.columns.size(); ++i)
      if (!same_element(head.columns[i].type, record.data() + head.columns[i].offset,
                        wanted.data() + sample.head.columns[i].offset)) {
        ADD_FAILURE() << format.name << ": " << head.columns[i].name << " of record " << row;
        return row;
      }
  }
  return row;
}

TEST(RecordFormats, KeepEachValueTimeAndUnit) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (const std::string& name : formats())
    for (const bool exported : {false, true})
      for (const auto& [rows, columns] :
           {std::pair<std::uint64_t, std::size_t>{0, 12}, {1, 1}, {1300, 25}, {3, 1000}}) {
        SCOPED_TRACE(name + ", " + std::to_string(rows) + " records");
        const Format format(name);
        const TempDir folder;
        const RecordSample sample(seed, columns);
        write(format, format.file(folder), sample, rows, 100, exported);
        EXPECT_EQ(read_back(format, format.file(folder), sample), rows);
        const auto source = format.driver->read(format.file(folder));
        for (std::size_t i = 0; i < columns; ++i) {
          const RecordColumn& got = source->head().columns[i];
          const RecordColumn& wanted = sample.head.columns[i];
          EXPECT_EQ(got.name, wanted.name);
          EXPECT_EQ(got.type, wanted.type) << got.name;
          EXPECT_EQ(got.unit == "1" ? "" : got.unit, wanted.unit == "1" ? "" : wanted.unit) << got.name;
          if (name == "trk") continue;
          EXPECT_EQ(got.about, wanted.about) << got.name;
          ASSERT_EQ(got.labels.size(), wanted.labels.size()) << got.name;
          for (std::size_t k = 0; k < got.labels.size(); ++k) {
            EXPECT_EQ(got.labels[k].name, wanted.labels[k].name);
            EXPECT_EQ(got.labels[k].value, wanted.labels[k].value);
          }
        }
        EXPECT_EQ(source->head().name, "tape");
        if (name != "trk") {
          EXPECT_EQ(source->head().epoch_ns, sample.head.epoch_ns);
        }
        const RecordedFile found = format.driver->examine(format.file(folder));
        EXPECT_EQ(found.records, rows);
        EXPECT_EQ(found.whole, found.bytes);
        EXPECT_EQ(found.damage + found.unended, "");
        EXPECT_EQ(found.last_ns.has_value(), rows > 0);
      }
}

/// Between semicolons a number has a decimal comma. Times are read, and files are mended, as of each format.
TEST(RecordFormats, CsvWithADecimalCommaKeepsEachValue) {
  const Format format("csv");
  const TempDir folder;
  const RecordSample sample(12, 25);
  config::Problems problems;
  const auto settings = config::Node::map({{"separator", {}, config::Node::scalar("semicolon")}});
  const auto sink = format.driver->make(settings, "", problems);
  ASSERT_NE(sink, nullptr) << problems.text();
  const fs::path file = format.file(folder);
  sink->open(file, sample.head);
  for (std::uint64_t row = 0; row < 300; ++row) sink->write(sample.record(row).data());
  sink->close();
  const std::string text = read_file(file);
  EXPECT_EQ(text.find('.', text.find('\n')), std::string::npos) << "a point is left in a number";
  EXPECT_EQ(read_back(format, file, sample), 300U);
  std::int64_t last = 0;
  std::memcpy(&last, sample.record(299).data(), sizeof last);
  EXPECT_EQ(format.driver->examine(file).last_ns, last);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text.substr(0, text.size() - 3);
  const RecordedFile torn = format.driver->examine(file);
  EXPECT_EQ(torn.records, 299U);
  format.driver->mend(torn);
  EXPECT_EQ(read_back(format, file, sample), 299U);
}

TEST(RecordFormats, AColumnThatStandsTwiceIsReadTwice) {
  for (const std::string& name : formats()) {
    SCOPED_TRACE(name);
    const Format format(name);
    const TempDir folder;
    RecordSample sample(3, 3);
    sample.head.columns.push_back(sample.head.columns[1]);
    write(format, format.file(folder), sample, 5);
    const auto source = format.driver->read(format.file(folder));
    ASSERT_EQ(source->head().columns.size(), 4U);
    std::vector<std::byte> record(executive::record_bytes(source->head()));
    while (source->next(record.data()))
      EXPECT_EQ(record[source->head().columns[1].offset], record[source->head().columns[3].offset]);
  }
}

TEST(RecordFormats, ABooleanIsZeroOrOneWhateverAModelWrote) {
  for (const std::string& name : formats()) {
    SCOPED_TRACE(name);
    const Format format(name);
    const TempDir folder;
    const RecordSample sample(3, 1);
    ASSERT_EQ(sample.head.columns[0].type, TACTUS_BOOL);
    const auto sink = format.sink();
    sink->open(format.file(folder), sample.head);
    for (const int byte : {0, 1, 2, 255}) {
      auto record = sample.record(0);
      record.back() = static_cast<std::byte>(byte);
      sink->write(record.data());
    }
    sink->close();
    const auto source = format.driver->read(format.file(folder));
    std::vector<std::byte> record(executive::record_bytes(source->head()));
    for (const int byte : {0, 1, 1, 1}) {
      ASSERT_TRUE(source->next(record.data()));
      EXPECT_EQ(record.back(), static_cast<std::byte>(byte));
    }
  }
}

TEST(RecordFormats, KeepTimesBeforeZeroAndWholeTensOfSeconds) {
  for (const std::string& name : formats()) {
    SCOPED_TRACE(name);
    const Format format(name);
    const TempDir folder;
    const RecordSample sample(3, 1);
    const std::int64_t times[] = {-1'500'000'000, -500'000'000,     -1, 0, 500'000'000,
                                  10'000'000'000, 1'000'000'000'000};
    const auto sink = format.sink();
    sink->open(format.file(folder), sample.head);
    for (const std::int64_t time : times) {
      auto record = sample.record(0);
      std::memcpy(record.data(), &time, sizeof time);
      sink->write(record.data());
    }
    sink->close();
    const auto source = format.driver->read(format.file(folder));
    std::vector<std::byte> record(executive::record_bytes(source->head()));
    for (const std::int64_t time : times) {
      ASSERT_TRUE(source->next(record.data()));
      EXPECT_EQ(std::memcmp(record.data(), &time, sizeof time), 0);
    }
  }
}

TEST(RecordFormats, RefuseToWriteOverAFile) {
  for (const std::string& name : formats()) {
    const Format format(name);
    const TempDir folder;
    const RecordSample sample(1, 2);
    folder.write(format.driver->file_name("tape"), "mine");
    EXPECT_THROW(format.sink()->open(format.file(folder), sample.head), std::runtime_error) << name;
    EXPECT_EQ(read_file(format.file(folder)), "mine");
  }
}

/// A file that is cut off anywhere says so, and is one again when it was mended.
TEST(RecordFormats, AFileThatIsCutAnywhereIsMended) {
  for (const std::string& name : formats()) {
    if (name == "hdf5") continue;  // its own rules: see below
    SCOPED_TRACE(name);
    const Format format(name);
    const TempDir folder;
    const RecordSample sample(11, 4);
    const fs::path file = format.file(folder);
    write(format, file, sample, 40, 5);
    fs::copy_file(file, folder / "whole");
    const std::string whole = read_file(file);
    std::uint64_t last = 0;
    const std::size_t step = ::tactus::test::by_night() ? 1 : 3;
    for (std::size_t bytes = (whole.size() - 1) % step + 1; bytes <= whole.size(); bytes += step) {
      std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, bytes);
      RecordedFile found = format.driver->examine(file);
      EXPECT_EQ(found.bytes, bytes);
      if (found.whole == 0) {
        EXPECT_NE(found.damage, "") << bytes;
        EXPECT_EQ(last, 0U) << "what was readable stays so";
        EXPECT_EQ(read_file(file).size(), bytes);
        continue;
      }
      ASSERT_EQ(found.damage, "") << bytes;
      ASSERT_LE(found.whole, bytes);
      EXPECT_GE(found.records, last) << "of more bytes there are not fewer records";
      last = found.records;
      if (found.whole < bytes || !found.unended.empty()) format.driver->mend(found);
      const RecordedFile mended = format.driver->examine(file);
      ASSERT_EQ(mended.damage + mended.unended, "") << bytes;
      ASSERT_EQ(mended.whole, mended.bytes) << bytes;
      ASSERT_EQ(mended.records, found.records) << bytes;
      ASSERT_EQ(read_back(format, file, sample), found.records) << bytes;
    }
    EXPECT_EQ(last, 40U);
    if (name == "mcap") {  // a file that was cut behind its data is mended to what it was
      const RecordedFile all = format.driver->examine(folder / "whole");
      EXPECT_EQ(all.whole, whole.size());
      std::ofstream(file, std::ios::binary | std::ios::trunc) << whole.substr(0, whole.size() - 1);
      format.driver->mend(format.driver->examine(file));
      EXPECT_EQ(read_file(file), whole);
    }
  }
}

TEST(RecordFormats, FlippedBitsAreReportedOrReadButHurtNothing) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (const std::string& name : formats()) {
    if (name == "hdf5") continue;  // the library's
    const Format format(name);
    const TempDir folder;
    const RecordSample sample(11, 5);
    const fs::path file = format.file(folder);
    write(format, file, sample, 30, 7);
    const std::string whole = read_file(file);
    for (int i = 0; i < 400; ++i) {
      std::string bad = whole;
      for (auto flips = 1 + random() % 3; flips > 0; --flips)
        bad[random() % bad.size()] ^= static_cast<char>(1 << random() % 8);
      std::ofstream(file, std::ios::binary | std::ios::trunc) << bad;
      try {
        (void)format.driver->examine(file);
        const auto source = format.driver->read(file);
        std::vector<std::byte> record(executive::record_bytes(source->head()));
        for (int rows = 0; rows < 1000 && source->next(record.data());) ++rows;
      } catch (const std::runtime_error& error) {
        EXPECT_THAT(error.what(), HasSubstr(file.filename().string()));
      }
    }
  }
}

TEST(RecordFormats, AChunkOfMcapThatIsDamagedInTheMiddleIsNamedAndLeft) {
  const Format format("mcap");
  const TempDir folder;
  const RecordSample sample(11, 4);
  write(format, format.file(folder), sample, 40, 10);
  std::string bytes = read_file(format.file(folder));
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(format.file(folder), std::ios::binary) << bytes;
  const RecordedFile found = format.driver->examine(format.file(folder));
  EXPECT_THAT(found.damage, HasSubstr("is not what was written"));
  EXPECT_EQ(found.whole, found.bytes) << "nothing is cut";
  EXPECT_EQ(found.records, 30U);
  EXPECT_THROW((void)format.driver->read(format.file(folder)), std::runtime_error);
}

TEST(RecordFormats, AFullDiskCostsNothingOfBefore) {
  for (const std::string& name : formats()) {
    SCOPED_TRACE(name);
    const Format format(name);
    const TempDir folder;
    const RecordSample sample(5, 20);
    // HDF5 has holes, 4 MiB for the next records of all columns; it is full among the records behind those.
    const bool holes = name == "hdf5";
    const std::uint64_t room = 300'000 + (holes ? std::uint64_t{4} << 20 : 0);
    const auto sink = format.sink();
    sink->open(format.file(folder), sample.head);
    const std::uint64_t header = fs::file_size(format.file(folder));
    std::uint64_t taken = 0;
    std::uint64_t lost = 0;
    std::string why;
    {
      const FullDisk full(header + room);
      try {
        for (; taken < (holes ? 100'000 : 5000); ++taken) {
          sink->write(sample.record(taken).data());
          if (taken % (holes ? 500 : 20) == 19) sink->flush();
        }
        ADD_FAILURE() << "the disk never was full";
      } catch (const executive::RecordsLost& error) {
        lost = error.records();
        why = error.what();
      }
    }
    EXPECT_THAT(why, HasSubstr("File too large")) << "the kernel's reason";
    EXPECT_THAT(why, HasSubstr(format.driver->file_name("tape")));
    try {
      sink->close();
    } catch (const std::runtime_error&) {  // the reason stays
    }
    // The record that write() was asked to take is not counted as taken before; the flush may come after it.
    const RecordedFile found = format.driver->examine(format.file(folder));
    EXPECT_EQ(found.damage, "");
    EXPECT_GT(found.records, 0U);
    EXPECT_GE(found.records + lost, taken);
    EXPECT_LE(found.records + lost, taken + 1);
    EXPECT_EQ(read_back(format, format.file(folder), sample), found.records);
  }
}

#if TACTUS_HDF5
TEST(RecordFormats, AnHdf5FileThatHasEndedHoldsLittleBesideItsValues) {
  const Format format("hdf5");
  for (const std::size_t columns : {3U, 40U}) {
    for (const std::uint64_t rows : {1U, 30'000U, 70'000U}) {
      const TempDir folder;
      const RecordSample sample(5, columns);
      const fs::path file = format.file(folder);
      write(format, file, sample, rows, 5'000);
      const std::uint64_t values = rows * executive::record_bytes(sample.head);
      EXPECT_LE(fs::file_size(file), values + values / 30 + 5'000 * (columns + 10))
          << columns << " columns, " << rows << " rows";
      EXPECT_EQ(read_back(format, file, sample), rows);
      EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "nothing is left beside it";
    }
  }
}

TEST(RecordFormats, AnHdf5FileThatCannotBeginLeavesNothing) {
  const Format format("hdf5");
  const TempDir folder;
  RecordSample sample(5, 3);
  sample.head.columns.back().name = "no/name";
  for (const bool exported : {false, true})
    EXPECT_THROW(format.sink(exported)->open(format.file(folder), sample.head), std::runtime_error);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

/// Copies of a file that is being written, as a kill would leave it.
TEST(RecordFormats, AnHdf5FileThatNobodyClosedIsReadAndMended) {
  const Format format("hdf5");
  const TempDir folder;
  const RecordSample sample(5, 20);
  const auto sink = format.sink();
  sink->open(folder / "growing.h5", sample.head);
  for (std::uint64_t row = 0; row < 1000; ++row) {
    sink->write(sample.record(row).data());
    if (row % 100 != 99) continue;
    sink->flush();
    const fs::path file = format.file(folder);
    fs::copy_file(folder / "growing.h5", file, fs::copy_options::overwrite_existing);
    const RecordedFile found = format.driver->examine(file);
    ASSERT_EQ(found.records, row + 1);
    EXPECT_EQ(found.unended, "its end");
    EXPECT_EQ(read_back(format, file, sample), row + 1);
    format.driver->mend(found);
    const RecordedFile mended = format.driver->examine(file);
    EXPECT_EQ(mended.damage + mended.unended, "");
    EXPECT_EQ(read_back(format, file, sample), row + 1);
    EXPECT_FALSE(fs::exists(file.string() + ".mended"));
  }
  sink->close();
}
#endif

/// What files of this process take of its memory.
std::size_t mapped_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "RssFile:") {
      std::size_t kib = 0;
      status >> kib;
      return kib;
    }
  return 0;
}

TEST(MappedFile, GivesMemoryBackBehindAReaderWhoMayReadItAgain) {
  constexpr std::size_t kBytes = std::size_t{32} << 20;
  const TempDir folder;
  const fs::path path = folder.write("long", "x");
  fs::resize_file(path, kBytes);
  drivers::record::MappedFile file(path);
  const std::size_t before = mapped_kib();
  for (int again = 0; again < 2; ++again) {
    std::size_t most = 0;
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < kBytes; at += 512) {
      sum += static_cast<unsigned char>(file.bytes()[at]);
      file.passed(at);
      if (at % (1U << 20U) == 0) most = std::max(most, mapped_kib());
    }
    EXPECT_EQ(sum, static_cast<std::uint64_t>('x'));
    EXPECT_LT(most, before + (16U << 10U));
  }
}

TEST(RecordFormats, TakeNoMoreMemoryOfALongerFileThatWasFlushedOften) {
  constexpr std::uint64_t kRows = 8'000;
  const RecordSample sample(5, 1100);
  const std::vector<std::byte> record = sample.record(1);
  ASSERT_GT(kRows * record.size(), std::size_t{32} << 20);
  for (const std::string name : {"mdf4", "mcap", "trk"}) {  // those that are mapped
    const Format format(name);
    const TempDir folder;
    const auto sink = format.sink();
    sink->open(format.file(folder), sample.head);
    for (std::uint64_t row = 0; row < kRows; ++row) {
      sink->write(record.data());
      if (row % 10 == 9) sink->flush();
    }
    sink->close();
    const std::size_t before = mapped_kib();
    const auto source = format.driver->read(format.file(folder));
    std::size_t most = mapped_kib();
    std::vector<std::byte> read(record.size());
    std::uint64_t rows = 0;
    for (; source->next(read.data()); ++rows)
      if (rows % 500 == 0) most = std::max(most, mapped_kib());
    EXPECT_EQ(rows, kRows) << name;
    EXPECT_LT(most, before + (16U << 10U)) << name;
  }
}

TEST(RecordFormats, SayWhatTheyHaveNoPlaceFor) {
  const RecordSample sample(1, 22);
  for (const std::string& name : formats())
    if (name != "trk") {
      EXPECT_TRUE(Format(name).driver->omits(sample.head).empty()) << name;
    }
  EXPECT_THAT(Format("trk").driver->omits(sample.head),
              ::testing::ElementsAre("the descriptions of 8 columns", "the names of values of 6 columns",
                                     "the date of simulated time 0"));
}

}  // namespace
}  // namespace tactus::test::record_formats_test
