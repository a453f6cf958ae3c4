// SPDX-License-Identifier: Apache-2.0
/// What a kill can leave of an HDF5 file: it cuts a write where pages of memory meet, so that the beginning is new and the
/// end is old.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/record/hdf5/hdf5_sink.hpp"
#include "drivers/record/hdf5/hdf5_source.hpp"
#include "drivers/record/hdf5/shortened_sink.hpp"
#include "tests/drivers/record/sample.hpp"
#include "tests/drivers/record/seen_writes.hpp"
#include "tests/support/temp_dir.hpp"

#ifdef TACTUS_SANITIZED
/// libhdf5 1.10 loses some hundred bytes with each header that it cannot read.
extern "C" const char* __lsan_default_suppressions();  // NOLINT(bugprone-reserved-identifier): its name
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
#endif

namespace tactus::test::hdf5_kill_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

/// What libhdf5 writes again while a file grows, by its signature; raw values have none.
struct Writes {
  std::map<std::string, int> of;
  std::vector<std::string> across;  // those on two pages

  Writes() {
    seen_write = [this](std::string_view bytes, std::uint64_t at) {
      if (bytes.size() < 4) return;
      const std::string name(bytes.substr(0, 4));
      if (name != "OHDR" && name != "OCHK" && name != "EAHD" && name != "EAIB" && name != "EASB" &&
          name != "EADB" && name != "\x89HDF")
        return;
      ++of[name];
      if (!stands_in_one_page(bytes, at))
        across.push_back(name + " of " + std::to_string(bytes.size()) + " bytes at " + std::to_string(at));
    };
  }
  ~Writes() { seen_write = nullptr; }
};

TEST(Hdf5Kill, NoHeaderAndNoListOfChunksIsWrittenAcrossPages) {
  for (const std::size_t columns : {3U, 40U, 300U}) {
    const TempDir folder;
    RecordSample sample(7, columns);
    executive::RecordColumn& wordy = sample.head.columns[2];  // longer than a page
    for (int i = 0; i < 250; ++i)
      wordy.labels.push_back({"a rather long name of a value " + std::to_string(i), i});
    const auto sink = drivers::record::hdf5_sink(true);
    sink->open(folder / "tape.h5", sample.head);
    Writes writes;
    // Five chunks and more: from then on there is a list of chunks beside the first.
    constexpr std::size_t kPage = 4096;
    const std::size_t least = (4U << 20U) / executive::record_bytes(sample.head);  // rows of a chunk
    const std::size_t rows =
        columns == 3 ? 5 * 65536 + 1 : 5 * ((least + kPage - 1) / kPage * kPage) + 99;  // of bytes, too
    const auto record = sample.record(0);
    for (std::size_t row = 1; row <= rows; ++row) {
      sink->write(record.data());
      if (row % 16384 == 0 || row == 7 || (columns == 300 && row % 2000 == 0)) sink->flush();
    }
    sink->flush();
    EXPECT_THAT(writes.across, ::testing::IsEmpty()) << columns << " columns";
    EXPECT_GE(writes.of["OHDR"], static_cast<int>(4 * columns)) << columns;
    EXPECT_GE(writes.of["EADB"], static_cast<int>(columns)) << columns;
    EXPECT_GE(writes.of["EAIB"], static_cast<int>(columns)) << columns;
    sink->close();
  }
}

/// Bytes of a file for each value in it, with so many columns of doubles.
double bytes_of_a_value(std::size_t columns, std::size_t rows) {
  const TempDir folder;
  executive::RecordingHead head;
  head.name = "tape";
  std::size_t offset = sizeof(std::int64_t);
  for (std::size_t i = 0; i < columns; ++i, offset += sizeof(double))
    head.columns.push_back({"v[" + std::to_string(i) + "]", "V", TACTUS_DOUBLE, offset});
  const auto sink = drivers::record::hdf5_sink(true);
  sink->open(folder / "tape.h5", head);
  std::vector<std::byte> record(executive::record_bytes(head));
  for (std::size_t row = 0; row < rows; ++row) {
    const auto time = static_cast<std::int64_t>(row) * 1'000'000;
    std::memcpy(record.data(), &time, sizeof time);
    for (std::size_t i = 0; i < columns; ++i) {
      const double value = 1e-3 * static_cast<double>(row * i);
      std::memcpy(record.data() + head.columns[i].offset, &value, sizeof value);
    }
    sink->write(record.data());
  }
  sink->close();
  return static_cast<double>(fs::file_size(folder / "tape.h5")) / static_cast<double>(rows * columns);
}

TEST(Hdf5Size, IsHardlyMoreThanThatOfTheValues) {
  // 8 bytes each, and the times. A chunk that needs a little of one more page has it to itself.
  EXPECT_LT(bytes_of_a_value(1000, 2048), 8.6);
  EXPECT_LT(bytes_of_a_value(300, 4096), 8.6);
  // Mostly headers of columns; the chunks are short and share pages.
  EXPECT_LT(bytes_of_a_value(4000, 100), 25);
}

/// The library would look for ever for what it had written; at the end of a rig, where nobody waits for it.
TEST(Hdf5Abandon, LeavesAFileThatWasCutAsItIs) {
  for (const off_t bytes : {0, 100, 3000}) {
    const TempDir folder;
    const fs::path file = folder / "tape.h5";
    const pid_t child = ::fork();
    if (child == 0) {
      (void)::alarm(60);
      RecordSample sample(7, 20);
      {
        const auto sink = drivers::record::shortened_hdf5_sink();
        sink->open(file, sample.head);
        for (std::uint64_t row = 0; row < 5000; ++row) sink->write(sample.record(row).data());
        sink->flush();
        if (::truncate(file.c_str(), bytes) != 0) ::_exit(2);
        sink->abandon();
      }
      std::error_code error;
      ::_exit(fs::file_size(file, error) == static_cast<std::uintmax_t>(bytes) ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << bytes;
  }
}

/// A file of 20 columns before and after a flush, and its headers that differ.
struct Growing {
  static constexpr std::uint64_t kBefore = 255, kAfter = 256;  // in both bytes of the count

  TempDir folder;
  RecordSample sample{5, 20};
  std::string before, after;
  std::vector<std::size_t> headers;  // the first is that of the times

  Growing() {
    const auto sink = drivers::record::hdf5_sink(true);
    sink->open(folder / "growing.h5", sample.head);
    for (std::uint64_t row = 0; row < kAfter; ++row) {
      if (row == kBefore) {
        sink->flush();
        before = read_file(folder / "growing.h5");
      }
      sink->write(sample.record(row).data());
    }
    sink->flush();
    after = read_file(folder / "growing.h5");
    sink->close();
    for (std::size_t at = after.find("OHDR"); at != std::string::npos; at = after.find("OHDR", at + 1))
      if (after.compare(at, 200, before, at, 200) != 0) headers.push_back(at);
  }

  /// Its end, which begins so many bytes behind the header, is the old one. The next chunk follows 284 bytes behind
  /// it at the least, and so does the next header.
  fs::path torn(std::size_t header, std::size_t cut) {
    std::string bytes = after;
    const std::size_t size = static_cast<unsigned char>(bytes[header + 22]) +
                             256U * static_cast<unsigned char>(bytes[header + 23]) + 28U;
    bytes.replace(header + cut, size - cut, before, header + cut, size - cut);
    return folder.write("torn.h5", bytes);
  }
};

std::uint64_t read_back(const fs::path& path, const RecordSample& sample) {
  const auto source = drivers::record::read_hdf5(path);
  std::vector<std::byte> record(executive::record_bytes(sample.head));
  std::uint64_t rows = 0;
  while (source->next(record.data())) {
    EXPECT_EQ(record, sample.record(rows)) << rows;
    ++rows;
  }
  return rows;
}

TEST(Hdf5Kill, AHeaderThatIsHalfNewAndHalfOldIsNamedAndPutRight) {
  Growing file;
  ASSERT_EQ(file.headers.size(), file.sample.head.columns.size() + 1);
  struct Cut {
    std::size_t header, at;
  };
  // Between both bytes of the count, behind it, in the checksum's place.
  for (const Cut cut : {Cut{4, 33}, Cut{4, 40}, Cut{20, 200}, Cut{0, 33}, Cut{0, 100}}) {
    SCOPED_TRACE("header " + std::to_string(cut.header) + ", cut at " + std::to_string(cut.at));
    const fs::path path = file.torn(file.headers[cut.header], cut.at);
    const executive::RecordedFile found = drivers::record::examine_hdf5(path);
    EXPECT_EQ(found.damage, "");
    EXPECT_EQ(found.records, Growing::kAfter);  // the others are newer
    EXPECT_THAT(found.unended, MatchesRegex("its end and the header of column '.*', which the kill tore,"));
    const std::string name = found.unended.substr(34, found.unended.rfind('\'') - 34);
    EXPECT_EQ(name == "time", cut.header == 0) << name;
    try {
      (void)drivers::record::read_hdf5(path);
      ADD_FAILURE() << "was read";
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr(path.string()), HasSubstr("column '" + name + "'"),
                                      HasSubstr("tactus recover")));
    }
    drivers::record::mend_hdf5(found);
    EXPECT_EQ(read_back(path, file.sample), Growing::kAfter);
    const executive::RecordedFile mended = drivers::record::examine_hdf5(path);
    EXPECT_EQ(mended.damage + mended.unended, "");
  }
}

TEST(Hdf5Kill, TwoTornHeadersAreDamageThatIsLeft) {
  Growing file;
  const std::string first = read_file(file.torn(file.headers[3], 100));
  file.after = first;
  const fs::path path = file.torn(file.headers[9], 100);
  const executive::RecordedFile found = drivers::record::examine_hdf5(path);
  EXPECT_THAT(found.damage, HasSubstr("torn.h5: column "));
  EXPECT_THROW(drivers::record::mend_hdf5(found), std::runtime_error);
  EXPECT_EQ(read_file(path).size(), file.after.size());
}

}  // namespace
}  // namespace tactus::test::hdf5_kill_test
