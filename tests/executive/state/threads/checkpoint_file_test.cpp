// SPDX-License-Identifier: Apache-2.0
#include "executive/state/checkpoint_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <numeric>
#include <random>
#include <set>
#include <thread>

#include "config/json.hpp"
#include "executive/state/crc64.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/process.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::checkpoint_file_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using config::Json;
using tactus::test::FullDisk;
using tactus::test::read_file;
using tactus::test::TempDir;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr rtsync::Period kFrame{1'000'000, 1};

CheckpointHead head(std::int64_t frame = 1234) {
  return {.rig = "pendulum",
          .frame = frame,
          .sim_time_ns = (frame + 1) * 1'000'000,
          .period = kFrame,
          .version = "0.1.0",
          .created = "2024-02-29T12:34:56Z"};
}

std::vector<std::byte> block_of(const StateImage& image) {
  std::vector<std::byte> bytes(image.bytes());
  image.copy_to(bytes.data());
  return bytes;
}

void write(const fs::path& file, const StateImage& image, const CheckpointHead& with = head()) {
  const std::uint64_t size = write_checkpoint(file, with, image, block_of(image));
  EXPECT_EQ(size, fs::file_size(file));
}

/// What the reading of a file is refused with; empty when it is read.
std::string refusal(const fs::path& file) {
  try {
    (void)read_checkpoint(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

/// A file that is new each time: emptying one that is there waits for the disk.
fs::path bad_file(const TempDir& folder, const std::string& text) {
  fs::remove(folder / "bad");
  return folder.write("bad", text);
}

template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

struct Memory {
  double speed = 12.5;
  float force[3] = {1, 2, 3};
  std::int64_t frame = 1234;
  bool on = true;
  std::uint16_t mode = 7;

  StateImage image() {
    return StateImage({own_piece("motor.speed", speed, "rad/s"),
                       own_piece("axis.force", std::span(force), "N"), own_piece("valve.on", on),
                       own_piece("valve.mode", mode), own_piece("@frame", frame)});
  }
};

// ---- the format

TEST(Crc64, IsThatOfXz) {
  const std::string check = "123456789";
  const auto bytes = std::as_bytes(std::span(check));
  EXPECT_EQ(crc64(bytes), 0x995DC9BBDF1939FAU);
  EXPECT_EQ(crc64({}), 0U);
  std::mt19937 engine(3);
  std::vector<std::byte> all(300);
  for (std::byte& b : all) b = static_cast<std::byte>(engine());
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    const auto whole = std::span<const std::byte>(all);
    ASSERT_EQ(crc64(whole.subspan(cut), crc64(whole.first(cut))), crc64(whole)) << cut;
  }
}

TEST(CheckpointFile, IsByteForByteWhatThePageSays) {
  const TempDir folder;
  Memory memory;
  const StateImage image = memory.image();
  const fs::path file = folder / "a.ckpt";
  write(file, image);
  const std::string text = read_file(file);
  EXPECT_EQ(text.substr(0, 8), "tactusCK");
  std::uint32_t format = 0;
  std::uint32_t header_bytes = 0;
  std::uint64_t data_bytes = 0;
  std::memcpy(&format, &text[8], 4);
  std::memcpy(&header_bytes, &text[12], 4);
  std::memcpy(&data_bytes, &text[16], 8);
  EXPECT_EQ(format, 1U);
  EXPECT_EQ(header_bytes % 8, 0U);
  EXPECT_EQ(data_bytes, 8U + 12 + 1 + 2 + 8);
  ASSERT_EQ(text.size(), 24U + header_bytes + data_bytes + 8);
  EXPECT_EQ(Json::parse(text.substr(24, header_bytes)).dump(),
            R"({"rig":"pendulum","frame":1234,"sim_time_ns":1235000000,"period_ns":{"num":1000000,"den":1},)"
            R"("tactus":"0.1.0","created":"2024-02-29T12:34:56Z","pieces":[)"
            R"({"name":"motor.speed","type":"double","count":0,"unit":"rad/s","offset":0,"bytes":8},)"
            R"({"name":"axis.force","type":"float","count":3,"unit":"N","offset":8,"bytes":12},)"
            R"({"name":"valve.on","type":"bool","count":0,"unit":"","offset":20,"bytes":1},)"
            R"({"name":"valve.mode","type":"uint16","count":0,"unit":"","offset":21,"bytes":2},)"
            R"({"name":"@frame","type":"int64","count":0,"unit":"","offset":23,"bytes":8}]})");
  std::string data(31, '\0');
  std::memcpy(&data[0], &memory.speed, 8);
  std::memcpy(&data[8], memory.force, 12);
  std::memcpy(&data[20], &memory.on, 1);
  std::memcpy(&data[21], &memory.mode, 2);
  std::memcpy(&data[23], &memory.frame, 8);
  EXPECT_EQ(text.substr(24 + header_bytes, data_bytes), data);
  std::uint64_t checksum = 0;
  std::memcpy(&checksum, &text[text.size() - 8], 8);
  EXPECT_EQ(checksum, crc64(std::as_bytes(std::span(text)).first(text.size() - 8)));
  EXPECT_FALSE(fs::exists(folder / "a.ckpt.partial"));
}

TEST(CheckpointFile, SameStateSameBytes) {
  const TempDir folder;
  const auto first = std::make_unique<Memory>();
  const auto second = std::make_unique<Memory>();
  write(folder / "1", first->image());
  write(folder / "2", second->image());
  EXPECT_EQ(read_file(folder / "1"), read_file(folder / "2"));
}

TEST(CheckpointFile, HasItsHeaderInUtf8) {
  const TempDir folder;
  double angle = 0;
  write(folder / "a", StateImage({own_piece("axis.angle", angle, "\xC2\xB0")}));
  EXPECT_THAT(read_file(folder / "a"), HasSubstr("\"unit\":\"\xC2\xB0\""));
}

/// The program of the page reads what we write.
TEST(CheckpointFile, ThePageReadsItInPython) {
  const std::string page = read_file(fs::path(DOCS_FOLDER) / "checkpoint-file.md");
  const std::string fence = "```python\n";
  const std::size_t begin = page.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = page.find("```", begin + fence.size());
  const TempDir folder;
  Memory memory;
  write(folder / "a", memory.image());
  const fs::path program =
      folder.write("read.py", page.substr(begin + fence.size(), end - begin - fence.size()));
  const tactus::test::Finished done =
      tactus::test::run({.argv = {"python3", program.string(), (folder / "a").string()}});
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(
      done.out,
      "motor.speed 12.5 rad/s\naxis.force 1.0 2.0 3.0 N\nvalve.on True \nvalve.mode 7 \n@frame 1234 \n");
}

TEST(CheckpointFile, TellsTheTimeInUtc) {
  EXPECT_THAT(utc_now(), MatchesRegex("20..-[01].-[0-3].T[0-2].:[0-5].:[0-6].Z"));
}

TEST(CheckpointFile, ComesBack) {
  const TempDir folder;
  Memory memory;
  const StateImage image = memory.image();
  CheckpointHead with = head();
  with.period = rtsync::Period{1'000'000'000, 60};
  with.rig =
      "Pr\xC3\xBC"
      "fstand \"3\"";
  with.frame = -1;
  with.sim_time_ns = 0;
  write(folder / "a", image, with);
  const Checkpoint found = read_checkpoint(folder / "a");
  EXPECT_EQ(found.head.rig, with.rig);
  EXPECT_EQ(found.head.frame, -1);
  EXPECT_EQ(found.head.sim_time_ns, 0);
  EXPECT_EQ(found.head.period, with.period);
  EXPECT_EQ(found.head.version, "0.1.0");
  EXPECT_EQ(found.head.created, "2024-02-29T12:34:56Z");
  ASSERT_EQ(found.pieces.size(), 5U);
  EXPECT_THAT(mismatches(found, image, with.period), IsEmpty());
  EXPECT_EQ(image_for(found, image), block_of(image));
}

TEST(CheckpointFile, OfNothingIsAFileToo) {
  const TempDir folder;
  write(folder / "empty", StateImage{});
  const Checkpoint found = read_checkpoint(folder / "empty");
  EXPECT_TRUE(found.pieces.empty());
  EXPECT_THAT(mismatches(found, StateImage{}, kFrame), IsEmpty());
}

/// The same names in other memory, in another order: what a rig is after its file was rearranged.
TEST(CheckpointFile, RandomStatesLoadByNameIntoAnyOrder) {
  std::mt19937_64 engine(11);
  const auto below = [&](std::uint64_t limit) { return engine() % limit; };
  const TempDir folder;
  for (int turn = 0; turn < 60; ++turn) {
    struct Cell {
      std::string name;
      tactus_type type;
      std::uint32_t count;
    };
    std::vector<Cell> cells;
    const std::size_t many = below(60);
    for (std::size_t i = 0; i < many; ++i)
      cells.push_back({"m" + std::to_string(below(5)) + ".v" + std::to_string(i),
                       static_cast<tactus_type>(TACTUS_BOOL + below(11)),
                       static_cast<std::uint32_t>(below(3) == 0 ? below(400) : 0)});
    const auto image_in = [&](std::vector<std::byte>& arena) {
      std::shuffle(cells.begin(), cells.end(), engine);
      std::vector<Piece> pieces;
      std::size_t at = 0;
      for (const Cell& cell : cells) {
        at += below(2) * below(9);
        const std::size_t bytes = std::max<std::size_t>(cell.count, 1) * size_of(cell.type);
        pieces.push_back({cell.name, std::string(name_of(cell.type)), cell.count, "V", &arena[at], bytes});
        at += bytes;
      }
      std::shuffle(pieces.begin(), pieces.end(), engine);
      return StateImage(pieces);
    };
    std::vector<std::byte> one(60 * 3300);
    std::vector<std::byte> other(60 * 3300);
    for (std::byte& b : one) b = static_cast<std::byte>(engine());
    const StateImage from = image_in(one);
    for (const Piece& piece : from.pieces())  // a bool holds 0 or 1
      if (piece.type == "bool")
        for (std::size_t i = 0; i < piece.bytes; ++i) static_cast<std::byte*>(piece.data)[i] &= std::byte{1};
    write(folder / "a", from);
    const StateImage to = image_in(other);
    const Checkpoint found = read_checkpoint(folder / "a");
    ASSERT_THAT(mismatches(found, to, kFrame), IsEmpty());
    to.copy_from(image_for(found, to).data());
    for (const Piece& piece : from.pieces()) {
      const Piece& there = to.pieces()[to.find(piece.name)];
      ASSERT_EQ(std::memcmp(piece.data, there.data, piece.bytes), 0) << piece.name;
    }
  }
}

// ---- what is refused

TEST(CheckpointFile, SaysEveryDifferenceInOneGo) {
  const TempDir folder;
  Memory memory;
  write(folder / "a", memory.image());
  const Checkpoint found = read_checkpoint(folder / "a");
  float speed = 0;
  float force[4] = {};
  bool on = false;
  std::uint16_t mode = 0;
  double fresh = 0;
  const StateImage image({own_piece("motor.speed", speed, "rad/s"),
                          own_piece("axis.force", std::span(force), "N"), own_piece("valve.on", on),
                          own_piece("valve.mode", mode, "counts"), own_piece("motor.fresh", fresh)});
  tactus::test::Snapshot texts;
  for (const std::string& each : mismatches(found, image, rtsync::Period{50'000'000, 3})) texts.add(each);
  EXPECT_THROW((void)image_for(found, image), std::logic_error);
}

TEST(CheckpointFile, AUnitWrittenInAnotherWayIsTheSame) {
  const TempDir folder;
  double x = 1;
  const StateImage joule({own_piece("m.work", x, "J")});
  write(folder / "a", joule);
  const Checkpoint found = read_checkpoint(folder / "a");
  const auto with = [&](const char* unit) {
    return mismatches(found, StateImage({own_piece("m.work", x, unit)}), kFrame);
  };
  EXPECT_THAT(with("N m"), IsEmpty());
  EXPECT_THAT(with("kJ"), ElementsAre("m.work: double in kJ here, double in J in the checkpoint"));
  EXPECT_THAT(with("("), ElementsAre("m.work: double in ( here, double in J in the checkpoint"));
}

TEST(CheckpointFile, ABoolIsTrueOrFalseWhateverStandsInTheFile) {
  const TempDir folder;
  std::uint8_t raw[3] = {0, 1, 200};
  Piece piece = own_piece("c.flags", std::span(raw));
  piece.type = "bool";
  const StateImage image({piece});
  write(folder / "a", image);
  EXPECT_THAT(image_for(read_checkpoint(folder / "a"), image),
              ElementsAre(std::byte{0}, std::byte{1}, std::byte{1}));
}

TEST(CheckpointFile, RefusesForeignFilesAndSaysWhy) {
  const TempDir folder;
  Memory memory;
  write(folder / "good", memory.image());
  const std::string good = read_file(folder / "good");
  const auto with = [&](std::size_t at, std::string bytes) {
    std::string changed = good;
    changed.replace(at, bytes.size(), bytes);
    return changed;
  };
  const struct {
    const char* what;
    std::string text;
  } rows[] = {
      {"nothing", ""},
      {"a part of its first word", "tactus"},
      {"a rig file", "rig: { name: pendulum }\n"},
      {"a letter", "x"},
      {"another first word", with(0, "T")},
      {"format 2", with(8, "\x02")},
      {"format 0", with(8, std::string(4, '\0'))},
      {"less than its first numbers", good.substr(0, 23)},
      {"no more than its first numbers", good.substr(0, 24)},
      {"without its last byte", good.substr(0, good.size() - 1)},
      {"three bytes more", good + "abc"},
      {"a header without end", with(12, "\xff\xff\xff\xff")},
      {"data without end", with(16, std::string(8, '\xff'))},
      {"another header", with(30, "!")},
      {"another checksum", with(good.size() - 1, std::string(1, static_cast<char>(~good.back())))},
  };
  tactus::test::Snapshot texts;
  for (const auto& row : rows) {
    const fs::path file = bad_file(folder, row.text);
    const std::string said = refusal(file);
    ASSERT_THAT(said, StartsWith(file.string())) << row.what;
    texts.add(said.substr(file.string().size()), row.what);
  }
  EXPECT_THAT(refusal(folder / "nothing"), EndsWith("nothing: No such file or directory"));
  EXPECT_THAT(refusal(folder.path()), EndsWith(": is a folder"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(refusal(folder / "pipe"), EndsWith(": is not a file"));
  EXPECT_THAT(error_of([&] { (void)read_checkpoint(folder / "good", 100); }),
              HasSubstr("more than the 100 that are read at most"));
}

TEST(CheckpointFile, DoesNotAskForTheMemoryOfAGiant) {
  const TempDir folder;
  std::string preamble = "tactusCK";
  const std::uint32_t format = 1;
  const std::uint32_t header = 8;
  const std::uint64_t size = std::uint64_t{1} << 40;
  const std::uint64_t data = size - 24 - 8 - 8;
  for (const auto part : {std::as_bytes(std::span(&format, 1)), std::as_bytes(std::span(&header, 1)),
                          std::as_bytes(std::span(&data, 1))})
    for (const std::byte b : part) preamble.push_back(static_cast<char>(b));
  const fs::path file = folder.write("giant", preamble);
  if (::truncate(file.c_str(), static_cast<off_t>(size)) != 0)
    GTEST_SKIP() << "no sparse files of a TiB here";
  EXPECT_THAT(refusal(file), HasSubstr("more than the 1073741824 that are read at most"));
}

TEST(CheckpointFile, EveryDamagedByteIsFound) {
  const TempDir folder;
  double x = 1;
  write(folder / "good", StateImage({own_piece("m.x", x, "V")}));
  const std::string good = read_file(folder / "good");
  std::mt19937 engine(5);
  for (std::size_t at = 0; at < good.size(); ++at) {
    const auto flip = static_cast<unsigned char>(1U << engine() % 8);
    const auto mix = static_cast<unsigned char>(1 + engine() % 255);
    for (const unsigned char change : {flip, mix, static_cast<unsigned char>(0xFF)}) {
      std::string bad = good;
      bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ change);
      ASSERT_NE(refusal(bad_file(folder, bad)), "") << "byte " << at << " changed by " << int{change};
    }
  }
  for (std::size_t size = 0; size < good.size(); ++size)
    ASSERT_THAT(refusal(bad_file(folder, good.substr(0, size))), HasSubstr("cut off")) << size;
}

/// A file with this header and a right checksum: somebody meant it.
std::string forged(const std::string& header, const std::string& data) {
  std::string text = "tactusCK";
  const auto put = [&text](const auto& value) {
    for (const std::byte b : std::as_bytes(std::span(&value, 1))) text.push_back(static_cast<char>(b));
  };
  put(std::uint32_t{1});
  put(static_cast<std::uint32_t>(header.size()));
  put(static_cast<std::uint64_t>(data.size()));
  text += header + data;
  put(crc64(std::as_bytes(std::span(text))));
  return text;
}

TEST(CheckpointFile, AForgedHeaderIsNotBelieved) {
  const TempDir folder;
  Memory memory;
  write(folder / "good", memory.image());
  const std::string good = read_file(folder / "good");
  std::uint32_t header_bytes = 0;
  std::memcpy(&header_bytes, &good[12], 4);
  const Json header = Json::parse(good.substr(24, header_bytes));
  const std::string data = good.substr(24 + header_bytes, 31);
  ASSERT_EQ(refusal(folder.write("same", forged(header.dump(), data))), "");
  const auto edited = [&](const char* pointer, const Json& value) {
    Json changed = header;
    changed[Json::json_pointer(pointer)] = value;
    return changed.dump();
  };
  const auto without = [&](const char* key) {
    Json changed = header;
    changed.erase(key);
    return changed.dump();
  };
  const struct {
    std::string header;
    const char* reason;
  } rows[] = {
      {"", "is not JSON"},
      {"{", "is not JSON"},
      {"{\"rig\":\"\xff\"}", "is not JSON"},
      {"[]", "'rig' is missing"},
      {"null", "'rig' is missing"},
      {std::string(1'000'000, '['), "is nested too deep"},
      {without("rig"), "'rig' is missing"},
      {without("frame"), "'frame' is missing"},
      {without("pieces"), "'pieces' is missing"},
      {edited("/rig", 5), "'rig' is not a text"},
      {edited("/rig", "\x1b[2J"), "'rig' is not a text"},
      {edited("/frame", 1.5), "'frame' is not a whole number"},
      {edited("/frame", UINT64_MAX), "'frame' is not a whole number"},
      {edited("/frame", "1"), "'frame' is not a whole number"},
      {edited("/frame", -2), "'frame' is below -1"},
      {edited("/frame", INT64_MAX),
       "'frame' is 9223372036854775807, which ends after 9223372036.854775807 s, the longest simulated time"},
      {edited("/frame", 9'223'372'036'854),
       "'frame' is 9223372036854, which ends after 9223372036.854775807 s"},
      {edited("/frame", 1233), "'sim_time_ns' is 1235000000, but frame 1233 ends at 1234000000"},
      {edited("/sim_time_ns", 1'234'999'999),
       "'sim_time_ns' is 1234999999, but frame 1234 ends at 1235000000"},
      {edited("/sim_time_ns", -1), "'sim_time_ns' is -1, but frame 1234 ends at 1235000000"},
      {edited("/period_ns", 1), "'num' is missing"},
      {edited("/period_ns/num", 0), "'period_ns' is not a fraction greater than zero"},
      {edited("/period_ns/den", 0), "'period_ns' is not a fraction greater than zero"},
      {edited("/period_ns/den", -1), "'period_ns' is not a fraction greater than zero"},
      {edited("/pieces", "many"), "'pieces' is not a list"},
      {edited("/pieces", Json::array()), "its pieces are 0 bytes, the data 31"},
      {edited("/pieces/0", 5), "pieces[0]: 'name' is missing"},
      {edited("/pieces/0/name", ""), "pieces[0]: it has no name"},
      {edited("/pieces/1/name", "motor.speed"), "pieces[1]: there is one of that name already"},
      {edited("/pieces/0/type", "complex"), "pieces[0]: there is no type 'complex'"},
      {edited("/pieces/0/type", "float"), "pieces[0]: type, 'count' and 'bytes' do not agree"},
      {edited("/pieces/0/count", -1), "pieces[0]: 'count' is negative"},
      {edited("/pieces/0/count", 4294967296), "pieces[0]: 'count' is too large"},
      {edited("/pieces/0/bytes", 7), "pieces[0]: type, 'count' and 'bytes' do not agree"},
      {edited("/pieces/1/offset", 0), "pieces[1]: it does not begin where the one before it ends"},
      {edited("/pieces/1/offset", -8), "pieces[1]: 'offset' is negative"},
      {edited("/pieces/4", {{"name", "x"},
                            {"type", "double"},
                            {"count", 4294967295},
                            {"unit", ""},
                            {"offset", 23},
                            {"bytes", 34359738360}}),
       "pieces[4]: it reaches beyond the data"},
  };
  for (const auto& row : rows)
    EXPECT_THAT(refusal(bad_file(folder, forged(row.header, data))),
                AllOf(HasSubstr("its header is wrong: "), HasSubstr(row.reason)));
  EXPECT_EQ(refusal(folder.write("more", forged(edited("/later", "a key of the future"), data))), "");
}

/// Whatever the header says, reading ends with a checkpoint that holds together or with a reason.
TEST(CheckpointFile, RandomHeaderEditsNeverCrash) {
  const TempDir folder;
  Memory memory;
  const StateImage image = memory.image();
  write(folder / "good", image);
  const std::string good = read_file(folder / "good");
  std::uint32_t header_bytes = 0;
  std::memcpy(&header_bytes, &good[12], 4);
  const std::string header = good.substr(24, header_bytes);
  const std::string data = good.substr(24 + header_bytes, 31);
  const std::array<std::string, 16> words = {
      "0",    "-1",   "18446744073709551615", "1e400", "\"\"", "[]",
      "{}",   "null", "9223372036854775808",  "true",  "31",   "\\u0000",
      "\xC3", ",",    "\"offset\":",          "}]"};
  std::mt19937_64 engine(13);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(engine() % limit); };
  std::size_t read = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    std::string text = header;
    for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
      const std::size_t at = below(text.size());
      switch (below(5)) {
        case 0:
          text[at] = static_cast<char>(engine());
          break;
        case 1:
          text.erase(at, 1 + below(8));
          break;
        case 2:
          text.insert(at, words[below(words.size())]);
          break;
        case 3:
          if (const std::size_t digit = text.find_first_of("0123456789", at); digit != std::string::npos)
            text.replace(digit, 1, words[below(words.size())]);
          break;
        default:
          text.insert(at, text.substr(below(text.size()), below(200)));
      }
      if (text.empty()) text = " ";
    }
    const fs::path file = bad_file(folder, forged(text, data));
    try {
      const Checkpoint found = read_checkpoint(file);
      ++read;
      if (mismatches(found, image, kFrame).empty()) {
        ASSERT_EQ(image_for(found, image).size(), image.bytes());
      }
    } catch (const std::runtime_error& error) {
      ASSERT_THAT(error.what(), HasSubstr(file.string()));
    }
  }
  EXPECT_GT(read, 0U) << "some edits are harmless: another rig's name, more blanks";
}

// ---- disks and folders

TEST(CheckpointFile, AFullDiskLeavesTheOldFileAndNoRubbish) {
  const TempDir folder;
  std::vector<double> values(1'000'000, 1.0);
  const StateImage image({own_piece("m.x", std::span(values))});
  const std::vector<std::byte> block = block_of(image);
  write(folder / "a", image);
  values[0] = 2;
  {
    const FullDisk disk(3'000'000);
    EXPECT_EQ(error_of([&] { write_checkpoint(folder / "a", head(), image, block_of(image)); }),
              (folder / "a").string() + ": File too large");
  }
  EXPECT_FALSE(fs::exists(folder / "a.partial"));
  EXPECT_EQ(image_for(read_checkpoint(folder / "a"), image), block) << "the old one is still there";
  if (::access("/dev/full", W_OK) == 0) {
    EXPECT_THAT(error_of([&] { write_checkpoint("/dev/full/x", head(), image, block); }),
                HasSubstr("Not a directory"));
  }
}

TEST(CheckpointFile, NamesThePathAndTheReason) {
  const TempDir folder;
  Memory memory;
  const StateImage image = memory.image();
  const auto error = [&](const fs::path& file) {
    return error_of([&] { write_checkpoint(file, head(), image, block_of(image)); });
  };
  EXPECT_THAT(error(folder / "no/such/folder/a"),
              EndsWith("/no/such/folder/a.partial: No such file or directory"));
  EXPECT_THAT(error(folder.path() / ""), EndsWith(": is not the name of a file"));
  fs::create_directory(folder / "taken");
  EXPECT_THAT(error(folder / "taken"), EndsWith("/taken: Is a directory"));
  EXPECT_FALSE(fs::exists(folder / "taken.partial"));
  EXPECT_THAT(error(folder / std::string(300, 'x')), EndsWith("x.partial: File name too long"));
  fs::create_directory(folder / "b.partial");
  EXPECT_THAT(error(folder / "b"), EndsWith("b.partial: Is a directory"));
  ASSERT_EQ(::mkfifo((folder / "c.partial").c_str(), 0600), 0);
  EXPECT_NE(error(folder / "c"), "") << "and it does not hang";
  fs::create_symlink(folder / "elsewhere", folder / "d.partial");
  EXPECT_NE(error(folder / "d"), "");
  EXPECT_FALSE(fs::exists(folder / "elsewhere"));
  if (::geteuid() != 0) {
    fs::create_directory(folder / "locked");
    fs::permissions(folder / "locked", fs::perms::owner_read | fs::perms::owner_exec);
    EXPECT_THAT(error(folder / "locked/a"), EndsWith("locked/a.partial: Permission denied"));
    fs::permissions(folder / "locked", fs::perms::owner_all);
  }
}

TEST(CheckpointFile, WorksBesideTheRubbishOfAKilledWriter) {
  const TempDir folder;
  folder.write("a.partial", std::string(100'000, 'x'));
  Memory memory;
  write(folder / "a", memory.image());
  EXPECT_EQ(refusal(folder / "a"), "");
  EXPECT_FALSE(fs::exists(folder / "a.partial"));
}

TEST(CheckpointFile, ARelativeNameIsOneOfTheCurrentFolder) {
  const TempDir folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  Memory memory;
  write("here.ckpt", memory.image());
  EXPECT_EQ(refusal("here.ckpt"), "");
  fs::current_path(before);
}

TEST(CheckpointFile, ManyWritersOfOneNameLeaveAWholeFile) {
  const TempDir folder;
  std::vector<std::thread> writers;
  std::atomic<int> written{0};
  std::atomic<int> refused{0};
  for (int w = 0; w < 4; ++w)
    writers.emplace_back([&, w] {
      std::vector<std::int64_t> values(20'000, w);
      const StateImage image({own_piece("m.x", std::span(values))});
      for (int i = 0; i < 25; ++i) {
        try {
          write_checkpoint(folder / "a", head(), image, block_of(image));
          ++written;
        } catch (const std::runtime_error& error) {
          EXPECT_THAT(error.what(), EndsWith("a.partial: another process is writing it"));
          ++refused;
        }
      }
    });
  for (int i = 0; i < 100; ++i) {
    if (fs::exists(folder / "a")) {
      EXPECT_EQ(refusal(folder / "a"), "");
    }
    std::this_thread::sleep_for(1ms);
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_GT(written.load(), 0);
  EXPECT_EQ(written.load() + refused.load(), 100);
  EXPECT_EQ(refusal(folder / "a"), "");
}

// ---- kills

/// Writes checkpoint after checkpoint of one name until it is killed. Every word of one is its number.
[[noreturn]] void write_forever(const fs::path& file) {
  std::vector<std::uint64_t> values(40'000);
  for (std::uint64_t number = 0;; ++number) {
    const std::size_t size = 1000 + number * 7919 % (values.size() - 1000);
    const auto used = std::span(values).first(size);
    std::fill(used.begin(), used.end(), number);
    const StateImage image({own_piece("m.x", used)});
    const CheckpointHead with = head(static_cast<std::int64_t>(number));
    try {
      write_checkpoint(file, with, image, block_of(image));
    } catch (const std::exception& error) {
      (void)std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
  }
}

/// The number of the checkpoint, which must be whole.
std::int64_t number_of(const fs::path& file) {
  const Checkpoint found = read_checkpoint(file);
  std::vector<std::uint64_t> values(found.pieces.at(0).count);
  const StateImage image({own_piece("m.x", std::span(values))});
  EXPECT_THAT(mismatches(found, image, kFrame), IsEmpty());
  image.copy_from(image_for(found, image).data());
  EXPECT_TRUE(std::all_of(values.begin(), values.end(), [&](std::uint64_t value) {
    return value == static_cast<std::uint64_t>(found.head.frame);
  }));
  return found.head.frame;
}

TEST(CheckpointKill, AtAnyMomentLeavesAWholeFile) {
  const TempDir folder;
  const fs::path file = folder / "a";
  std::mt19937 engine(17);
  std::uniform_int_distribution<int> moment(0, 25'000);
  const auto end = std::chrono::steady_clock::now() + 15s;
  int kills = 0;
  int found = 0;
  int caught = 0;
  for (; kills < ::tactus::test::trials(400) && (kills < 5 || std::chrono::steady_clock::now() < end);
       ++kills) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) write_forever(file);
    std::this_thread::sleep_for(std::chrono::microseconds(moment(engine)));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "it ended by itself";
    caught += fs::exists(folder / "a.partial") ? 1 : 0;
    if (!fs::exists(file)) continue;  // killed before the first
    ++found;
    ASSERT_GE(number_of(file), 0) << "kill " << kills;
  }
  RecordProperty("kills", kills);
  RecordProperty("caught_while_writing", caught);
  RecordProperty("files", found);
}

/// The same without luck: stopped before every system call of one writing, in turn, and killed there.
TEST(CheckpointKill, BeforeEverySystemCallLeavesTheOldFileOrTheNew) {
  const TempDir folder;
  const fs::path file = folder / "a";
  std::vector<std::uint64_t> values(300'000, 1);  // several writes
  const StateImage image({own_piece("m.x", std::span(values))});
  const std::vector<std::byte> old_block = block_of(image);
  const CheckpointHead old_head = head(1);
  std::set<std::int64_t> seen;
  bool finished = false;
  int stops = 0;
  for (; !finished && stops < 400; ++stops) {
    write_checkpoint(file, old_head, image, old_block);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(77);
      (void)::raise(SIGSTOP);
      std::fill(values.begin(), values.end(), 2);
      write_checkpoint(file, head(2), image, block_of(image));
      ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    if (WIFEXITED(status)) GTEST_SKIP() << "this machine lets nobody be watched";
    for (int stop = 0; stop <= stops && !finished; ++stop) {
      ASSERT_EQ(::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr), 0);
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      finished = WIFEXITED(status);
    }
    if (!finished) {
      ASSERT_EQ(::kill(child, SIGKILL), 0);
      ASSERT_EQ(::waitpid(child, &status, 0), child);
    } else {
      EXPECT_EQ(WEXITSTATUS(status), 0);
    }
    const std::int64_t number = number_of(file);
    ASSERT_TRUE(number == 1 || number == 2);
    seen.insert(number);
  }
  EXPECT_TRUE(finished);
  EXPECT_THAT(seen, ElementsAre(1, 2));
  RecordProperty("moments", stops);
}

}  // namespace
}  // namespace tactus::executive::checkpoint_file_test
