// SPDX-License-Identifier: Apache-2.0
/// Files of other programs, byte by byte, and what is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "drivers/record/common/bytes.hpp"
#include "drivers/record/common/columns_json.hpp"
#include "drivers/record/common/crc32.hpp"
#include "drivers/record/csv/csv_source.hpp"
#include "drivers/record/mcap/mcap_source.hpp"
#include "drivers/record/mdf4/blocks.hpp"
#include "drivers/record/mdf4/mdf4_source.hpp"
#include "tests/drivers/record/trk.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test::foreign_recordings_test {
namespace {

using namespace drivers::record;
using executive::RecordSource;
using ::testing::HasSubstr;

template <class T>
T value(const RecordSource& source, const std::vector<std::byte>& record, std::size_t column) {
  T got;
  std::memcpy(&got, record.data() + source.head().columns[column].offset, sizeof got);
  return got;
}
std::int64_t time_of(const std::vector<std::byte>& record) {
  std::int64_t time = 0;
  std::memcpy(&time, record.data(), sizeof time);
  return time;
}
template <class Read>
std::string refusal(Read read) {
  try {
    const auto source = read();
    std::vector<std::byte> record(executive::record_bytes(source->head()));
    while (source->next(record.data())) {
    }
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(Crc32, IsThatOfZlib) {
  EXPECT_EQ(crc32("123456789"), 0xcbf43926U);
  EXPECT_EQ(crc32("6789", crc32("12345")), 0xcbf43926U);
  EXPECT_EQ(crc32(""), 0U);
  std::string bytes;
  for (std::size_t i = 0; i < 1000; ++i) {
    bytes += static_cast<char>(i * 7);
    const std::string first = bytes.substr(0, i / 2), second = bytes.substr(i / 2);
    ASSERT_EQ(crc32(bytes), crc32(second, crc32(first)));
    ASSERT_EQ(crc32(bytes), joined_crc32(crc32(first), crc32(second), second.size()));
  }
}

TEST(ForeignCsv, OfTrickIsReadWithItsBlanks) {
  const TempDir folder;
  folder.write("log_a.csv",
               "sys.exec.out.time {s},tr.x.d1 {m},tr.x.i1 {--},plain\n"
               "                   0,                 0.5,-3,  1e-05\n"
               "               0.001,                -nan,7,-0\n"
               "1e-05,1,2,3\n"
               "0.5,1,2");
  const auto source = read_csv(folder / "log_a.csv");
  ASSERT_EQ(source->head().columns.size(), 3U);
  EXPECT_EQ(source->head().columns[0].name, "tr.x.d1");
  EXPECT_EQ(source->head().columns[0].unit, "m");
  EXPECT_EQ(source->head().columns[1].unit, "");
  EXPECT_EQ(source->head().columns[2].name, "plain");
  std::vector<std::byte> record(executive::record_bytes(source->head()));
  ASSERT_TRUE(source->next(record.data()));
  EXPECT_EQ(time_of(record), 0);
  EXPECT_EQ(value<double>(*source, record, 0), 0.5);
  EXPECT_EQ(value<double>(*source, record, 1), -3.0);
  EXPECT_EQ(value<double>(*source, record, 2), 1e-05);
  ASSERT_TRUE(source->next(record.data()));
  EXPECT_EQ(time_of(record), 1'000'000);
  EXPECT_TRUE(std::signbit(value<double>(*source, record, 2)));
  ASSERT_TRUE(source->next(record.data()));
  EXPECT_EQ(time_of(record), 10'000);
  EXPECT_FALSE(source->next(record.data())) << "a torn end is no record";
}

TEST(ForeignCsv, WithoutTypesIsExactAllTheSame) {
  const TempDir folder;
  folder.write("a.csv",
               "sys.exec.out.time {s};big;low;words;small\n"
               "0;18446744073709551615;-9223372036854775808;none;9007199254740992\n"
               "0.000000001;1;2;steal;1\n");
  const auto source = read_csv(folder / "a.csv");
  const auto& columns = source->head().columns;
  EXPECT_EQ(columns[0].type, TACTUS_UINT64);
  EXPECT_EQ(columns[1].type, TACTUS_INT64);
  EXPECT_EQ(columns[2].type, TACTUS_INT32);
  EXPECT_EQ(columns[3].type, TACTUS_DOUBLE);
  ASSERT_EQ(columns[2].labels.size(), 2U);
  EXPECT_EQ(columns[2].labels[1].name, "steal");
  std::vector<std::byte> record(executive::record_bytes(source->head()));
  ASSERT_TRUE(source->next(record.data()));
  EXPECT_EQ(value<std::uint64_t>(*source, record, 0), UINT64_MAX);
  EXPECT_EQ(value<std::int64_t>(*source, record, 1), INT64_MIN);
  ASSERT_TRUE(source->next(record.data()));
  EXPECT_EQ(value<std::int32_t>(*source, record, 2), 1);
}

TEST(ForeignCsv, ADamagedRowIsNamedAndTheOneAfterItIsRead) {
  const TempDir folder;
  folder.write("a.csv",
               "sys.exec.out.time {s},state,x {m}\n0,on,1\n0.001,on\nsoon,on,2\n0.002,off,much\n0.003,7,2\n"
               "0.004,off,3\n0.005,off,-nan\n0.006,of");
  const auto source = read_csv(folder / "a.csv");
  EXPECT_EQ(source->head().columns[0].type, TACTUS_INT32);
  EXPECT_EQ(source->head().columns[1].type, TACTUS_DOUBLE) << "a word among numbers is damage";
  std::vector<std::byte> record(executive::record_bytes(source->head()));
  std::vector<std::int64_t> times;
  std::vector<std::string> problems;
  for (bool more = true; more;) {
    try {
      more = source->next(record.data());
      if (more) times.push_back(time_of(record));
    } catch (const executive::DamagedRecord& error) {
      problems.emplace_back(error.what());
    }
  }
  EXPECT_THAT(times, ::testing::ElementsAre(0, 4'000'000, 5'000'000)) << "a torn end is no record";
  EXPECT_THAT(problems, ::testing::ElementsAre(HasSubstr("a.csv:3: has 2 columns, the header has 3"),
                                               HasSubstr("a.csv:4: 'soon' is not a time in seconds"),
                                               HasSubstr("a.csv:5: 'much' of x is not of type double"),
                                               HasSubstr("a.csv:6: '7' of state is not a word")));
}

TEST(ForeignCsv, ANumberWithAPlusAndOneThatIsTooLargeAreNotWords) {
  const TempDir folder;
  folder.write("a.csv", "sys.exec.out.time {s},x,n,word\n+0.5,+1.5,+9007199254740993,+-1\n1,+2,7,++2\n");
  const auto source = read_csv(folder / "a.csv");
  EXPECT_EQ(source->head().columns[0].type, TACTUS_DOUBLE);
  EXPECT_EQ(source->head().columns[1].type, TACTUS_INT64);
  EXPECT_EQ(source->head().columns[2].labels.size(), 2U);
  std::vector<std::byte> record(executive::record_bytes(source->head()));
  ASSERT_TRUE(source->next(record.data()));
  EXPECT_EQ(time_of(record), 500'000'000);
  EXPECT_EQ(value<double>(*source, record, 0), 1.5);
  EXPECT_EQ(value<std::int64_t>(*source, record, 1), 9007199254740993);
  folder.write("a.csv", "sys.exec.out.time {s},x\n0,1e999\n1,-1e999\n");
  EXPECT_THAT(refusal([&] { return read_csv(folder / "a.csv"); }),
              HasSubstr("a.csv:2: '1e999' of x is not of type double"));
}

TEST(ForeignCsv, OfAFileThatIsStillWrittenAllIsReadThatIsThere) {
  const TempDir folder;
  const auto file = folder.write("a.csv", "sys.exec.out.time {s},x {m}\n0,1\n0.001,");
  const auto source = read_csv(file);
  std::vector<std::byte> record(executive::record_bytes(source->head()));
  ASSERT_TRUE(source->next(record.data()));
  std::ofstream(file, std::ios::app) << "2\n";
  ASSERT_TRUE(source->next(record.data())) << "the row has become whole";
  EXPECT_EQ(value<double>(*source, record, 0), 2.0);
  EXPECT_FALSE(source->next(record.data()));
  std::filesystem::resize_file(file, 20);
  EXPECT_FALSE(source->next(record.data())) << "and one that was cut meanwhile has no more";
}

TEST(ForeignCsv, SaysWhereItIsWrong) {
  const TempDir folder;
  const auto of = [&](const std::string& text) {
    folder.write("a.csv", text);
    return refusal([&] { return read_csv(folder / "a.csv"); });
  };
  EXPECT_THAT(of("time,x\n1,2\n"), HasSubstr("does not begin with the header of a recording"));
  EXPECT_THAT(of("sys.exec.out.time {s},x {--}\n1,2,3\n"),
              HasSubstr("a.csv:2: has 3 columns, the header has 2"));
  EXPECT_THAT(of("sys.exec.out.time {s},x {--}\nsoon,2\n"),
              HasSubstr("a.csv:2: 'soon' is not a time in seconds"));
  EXPECT_THAT(of("sys.exec.out.time {s},x {--}\n99999999999,2\n"), HasSubstr("is not a time in seconds"));
}

std::string trk(const std::string& mark, bool big) {
  std::string bytes = mark;
  const auto number = [&](std::int32_t value) {
    std::string four;
    put(four, value);
    if (big) std::reverse(four.begin(), four.end());
    bytes += four;
  };
  const auto column = [&](const std::string& name, const std::string& unit, int code, int size) {
    number(static_cast<std::int32_t>(name.size()));
    bytes += name;
    number(static_cast<std::int32_t>(unit.size()));
    bytes += unit;
    number(code);
    number(size);
  };
  const int older = mark[6] == '1' ? 0 : 1;
  number(4);
  column("sys.exec.out.time", "s", 11 - older, 8);
  column("a.long", "--", 8 - older, 8);
  column("a.mode", "--", older == 0 ? 21 : 102, 4);
  column("a.x", "m", 10 - older, 4);
  const auto value = [&](auto v) {
    std::string raw;
    put(raw, v);
    if (big) std::reverse(raw.begin(), raw.end());
    bytes += raw;
  };
  value(0.25);
  value(std::int64_t{-5});
  value(std::int32_t{2});
  value(1.5F);
  return bytes;
}

/// Without its columns file: points as earlier versions wrote them, and commas as spreadsheets do.
TEST(ForeignCsv, BetweenSemicolonsAPointAndACommaAreDecimalSigns) {
  const TempDir folder;
  for (const char* const separator : {";", "\t"}) {
    SCOPED_TRACE(separator);
    const std::string by(separator);
    const std::string mark = by == ";" ? "\xEF\xBB\xBF" : "";  // as spreadsheets begin UTF-8
    folder.write("a.csv", mark + "sys.exec.out.time {s}" + by + "a {m}" + by + "w {--}" + by +
                              "n {--}\n0,25" + by + "-1,5e-3" + by + "1,2,3" + by + "7\n1.5" + by + "2.5" +
                              by + "1.000,5" + by + "8\n");
    const auto source = read_csv(folder / "a.csv");
    std::vector<std::byte> record(executive::record_bytes(source->head()));
    ASSERT_TRUE(source->next(record.data()));
    EXPECT_EQ(time_of(record), 250'000'000);
    EXPECT_EQ(value<double>(*source, record, 0), -1.5e-3);
    EXPECT_EQ(value<double>(*source, record, 2), 7.0);
    ASSERT_EQ(source->head().columns[1].labels.size(), 2U) << "two signs are not a number";
    EXPECT_EQ(source->head().columns[1].labels[0].name, "1,2,3");
    ASSERT_TRUE(source->next(record.data()));
    EXPECT_EQ(time_of(record), 1'500'000'000);
    EXPECT_EQ(value<double>(*source, record, 0), 2.5);
  }
  executive::RecordingHead whole;
  whole.columns.push_back({"n", "", TACTUS_INT64, 8});
  folder.write("a.columns.json", head_json(whole).dump());
  folder.write("a.csv", "sys.exec.out.time {s};n {--}\n0;1,5\n");
  EXPECT_THAT(refusal([&] { return read_csv(folder / "a.csv"); }),
              HasSubstr("'1,5' of n is not of type int64"));
}

TEST(ForeignTrk, IsReadInBothByteOrdersAndThreeVersions) {
  const TempDir folder;
  for (const char* const mark : {"Trick-10-L", "Trick-10-B", "Trick-07-L", "Trick-07-B", "Trick-05-L"}) {
    SCOPED_TRACE(mark);
    folder.write("log_a.trk", trk(mark, std::string(mark).back() == 'B') + "torn");
    const auto source = read_trk(folder / "log_a.trk");
    EXPECT_EQ(source->head().name, "a");
    EXPECT_EQ(source->head().columns[2].unit, "m");
    std::vector<std::byte> record(executive::record_bytes(source->head()));
    ASSERT_TRUE(source->next(record.data()));
    EXPECT_EQ(time_of(record), 250'000'000);
    EXPECT_EQ(value<std::int64_t>(*source, record, 0), -5);
    EXPECT_EQ(value<std::int32_t>(*source, record, 1), 2);
    EXPECT_EQ(value<float>(*source, record, 2), 1.5F);
    EXPECT_FALSE(source->next(record.data()));
  }
}

TEST(ForeignTrk, SaysWhatItDoesNotKnow) {
  const TempDir folder;
  const auto of = [&](const std::string& text) {
    folder.write("a.trk", text);
    return refusal([&] { return read_trk(folder / "a.trk"); });
  };
  EXPECT_THAT(of("Trick-99-L"), HasSubstr("is of version 99; 05, 07 and 10 are known"));
  EXPECT_THAT(of("Track-10-L"), HasSubstr("does not begin as a file of Trick"));
  EXPECT_THAT(of(trk("Trick-10-L", false).substr(0, 30)), HasSubstr("is cut off"));
  std::string text = trk("Trick-10-L", false);
  text[14 + 4 + 17 + 4 + 1] = 3;  // a text
  EXPECT_THAT(of(text), HasSubstr("column sys.exec.out.time is of type 3 with 8 bytes"));
}

/// What is unusual of a channel of an MDF file.
struct Unusual {
  std::string channel{};
  std::uint32_t flags = 0, invalid_bit = 0;
  std::uint64_t parts = 0;  ///< link to them
  std::uint8_t master_of = 1;
};

/// An MDF file as another tool writes it: one DT, a time in seconds, a linear conversion, a bit in a byte.
std::string mdf(bool second_group = false, bool compressed = false, std::uint8_t conversion = 1,
                const Unusual& unusual = {}) {
  MdfBlocks blocks(kMdfHeadAt + kMdfHeadBytes);
  const auto channel = [&](std::uint64_t next, const char* name, std::uint8_t kind, std::uint8_t type,
                           std::uint8_t bit, std::uint32_t at, std::uint32_t bits, std::uint64_t cc) {
    std::string data;
    const Unusual own = unusual.channel == name ? unusual : Unusual{};
    put(data, kind, kind == 2 ? own.master_of : std::uint8_t{0}, type, bit, at, bits, own.flags,
        own.invalid_bit);
    data.resize(72, '\0');
    return blocks.add("CN", {next, own.parts, blocks.text(name), 0, cc, 0, blocks.text("V"), 0}, data);
  };
  std::string linear;
  put(linear, conversion, std::uint8_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{2}, 0.0, 0.0,
      -40.0, 0.5);
  const std::uint64_t cc = blocks.add("CC", {0, 0, 0, 0}, linear);
  std::uint64_t next = channel(0, "flag", 0, 0, 3, 10, 1, 0);
  next = channel(next, "temp", 0, 0, 0, 8, 16, cc);
  next = channel(next, "t", 2, 4, 0, 0, 64, 0);
  std::string records;
  for (int i = 0; i < 3; ++i) {
    put(records, i * 0.25, static_cast<std::uint16_t>(100 + i), static_cast<std::uint8_t>(i == 1 ? 8 : 0xf7));
    records += i == 1 ? '\5' : '\1';  // an invalidation byte
  }
  std::string data;
  put(data, std::uint64_t{0}, std::uint64_t{3}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0},
      std::uint32_t{11}, std::uint32_t{1});
  const std::uint64_t group = blocks.add("CG", {0, next, 0, 0, 0, 0}, data);
  const std::uint64_t dt = blocks.add(compressed ? "DZ" : "DT", {}, records);
  const std::uint64_t dg = blocks.add("DG", {0, group, dt, 0}, std::string(8, '\0'));
  const std::uint64_t first = second_group ? blocks.add("DG", {dg, group, dt, 0}, std::string(8, '\0')) : dg;
  std::string head;
  put(head, std::uint64_t{5'000'000'000});
  head.resize(32, '\0');
  std::string file = "MDF     4.10    another ";
  file.resize(kMdfHeadAt, '\0');
  return file + mdf_block("HD", {first, 0, 0, 0, 0, 0}, head) + blocks.bytes();
}

TEST(ForeignMdf4, IsReadAsFarAsItIsNumbers) {
  const TempDir folder;
  folder.write("a.mf4", mdf());
  const auto source = read_mdf4(folder / "a.mf4");
  EXPECT_EQ(source->head().epoch_ns, 5'000'000'000);
  EXPECT_EQ(source->head().name, "a");
  ASSERT_EQ(source->head().columns.size(), 2U);
  EXPECT_EQ(source->head().columns[0].name, "temp");
  EXPECT_EQ(source->head().columns[1].type, TACTUS_BOOL);
  std::vector<std::byte> record(executive::record_bytes(source->head()));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(source->next(record.data()));
    EXPECT_EQ(time_of(record), i * 250'000'000);
    EXPECT_EQ(value<double>(*source, record, 0), -40.0 + 0.5 * (100 + i));
    EXPECT_EQ(value<std::uint8_t>(*source, record, 1), i == 1 ? 1 : 0);
  }
  EXPECT_FALSE(source->next(record.data()));
}

TEST(ForeignMdf4, AValueThatIsMarkedAsInvalidIsNone) {
  const TempDir folder;
  const auto temps = [&](const Unusual& unusual) {
    folder.write("a.mf4", mdf(false, false, 1, unusual));
    const auto source = read_mdf4(folder / "a.mf4");
    std::vector<std::byte> record(executive::record_bytes(source->head()));
    std::string valid;
    while (source->next(record.data())) valid += std::isnan(value<double>(*source, record, 0)) ? '-' : 'v';
    return valid;
  };
  EXPECT_EQ(temps({"temp", 0, 0}), "vvv") << "the bit is no mark of it";
  EXPECT_EQ(temps({"temp", 2, 0}), "---");
  EXPECT_EQ(temps({"temp", 2, 1}), "vvv");
  EXPECT_EQ(temps({"temp", 2, 2}), "v-v");
  EXPECT_EQ(temps({"temp", 1, 1}), "---");
  const auto of = [&](const Unusual& unusual) {
    folder.write("a.mf4", mdf(false, false, 1, unusual));
    return refusal([&] { return read_mdf4(folder / "a.mf4"); });
  };
  EXPECT_THAT(of({"flag", 2, 2}), HasSubstr("record 2 has no valid value of 'flag'"));
  EXPECT_THAT(of({"t", 2, 2}), HasSubstr("record 2 has no valid value of 't'"));
  EXPECT_THAT(of({"temp", 2, 8}), HasSubstr("channel 'temp' has its mark outside of the records"));
}

TEST(ForeignMdf4, SaysWhatItDoesNotKnow) {
  const TempDir folder;
  const auto of = [&](const std::string& text) {
    folder.write("a.mf4", text);
    return refusal([&] { return read_mdf4(folder / "a.mf4"); });
  };
  EXPECT_THAT(of("UnFinMF 4.10    "), HasSubstr("is not finalised"));
  EXPECT_THAT(of("MDF     3.30    "), HasSubstr("does not begin as MDF 4"));
  EXPECT_THAT(of(mdf(true)), HasSubstr("holds more than one group; export one of them"));
  EXPECT_THAT(of(mdf(false, true)), HasSubstr("its data are compressed; save it without compression"));
  EXPECT_THAT(of(mdf(false, false, 3)), HasSubstr("channel 'temp' has a conversion of type 3"));
  EXPECT_THAT(of(mdf(false, false, 1, {"temp", 0, 0, kMdfHeadAt})), HasSubstr("channel 'temp' has parts"));
  EXPECT_THAT(of(mdf(false, false, 1, {"t", 0, 0, 0, 2})), HasSubstr("'t', is not a time"));
  EXPECT_THAT(of(mdf().substr(0, 300)), HasSubstr("cut off"));
}

TEST(ForeignMcap, IsRefusedInWords) {
  const TempDir folder;
  folder.write("a.mcap", std::string("\x89MCAP0\r\n", 8));
  EXPECT_THAT(refusal([&] { return read_mcap(folder / "a.mcap"); }), HasSubstr("was not written by tactus"));
  folder.write("a.mcap", "PK");
  EXPECT_THAT(refusal([&] { return read_mcap(folder / "a.mcap"); }), HasSubstr("does not begin as MCAP"));
}

}  // namespace
}  // namespace tactus::test::foreign_recordings_test
