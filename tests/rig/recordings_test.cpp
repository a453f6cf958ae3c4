// SPDX-License-Identifier: Apache-2.0
/// Recordings of whole rigs in each format: what is written, converted, and left by a kill.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "executive/driver/record_formats.hpp"
#include "rig_command.hpp"

namespace tactus::test::recordings_test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormats[] = {"csv", "mdf4", "mcap", "trk"};

std::string file_of(const std::string& format, const std::string& name) {
  if (format == "trk") return "log_" + name + ".trk";
  return name + (format == "mdf4" ? ".mf4" : format == "hdf5" ? ".h5" : "." + format);
}

std::vector<std::string> formats() {
  std::vector<std::string> all(std::begin(kFormats), std::end(kFormats));
  if (TACTUS_HDF5) all.emplace_back("hdf5");
  return all;
}

/// The example rig, with other recordings.
void write_rig(const TempDir& dir, const std::string& record) {
  std::string text = read_file(example("servo"));
  text.erase(text.find("\nrecord:\n") + 1);
  dir.write("rig.yaml", text + "record:\n" + record);
}
std::string one_of_each(const std::string& more = "") {
  std::string record;
  for (const std::string& format : formats())
    record += "  " + format + ": { driver: " + format + ", variables: [motor.*, controller.*, motor.speed]" +
              more + " }\n";
  return record;
}

Finished run_file(const TempDir& dir, const Arguments& more) {
  return run(tactus(Arguments{"run", "rig.yaml"} + patient() + more, dir.path()));
}

bool says(const Finished& done, const std::string& text) {
  return (done.out + done.err).find(text) != std::string::npos;
}

/// Until the file has so many bytes; false at the time limit.
bool wait_for_bytes(const fs::path& file, std::uintmax_t bytes) {
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  std::error_code missing;
  while (!fs::exists(file) || fs::file_size(file, missing) < bytes) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

/// By night from each format to each; by day from each to one, so that each is written and read.
bool is_tried(std::size_t from, std::size_t to, std::size_t formats) {
  return by_night() || to == (from + 1) % formats;
}

TEST(RecordingsNightly, EachFormatBecomesTheSameTextAgain) {
  const TempDir dir;
  write_rig(dir, one_of_each());
  ASSERT_EQ(run_file(dir, {"--no-realtime", "--frames", "700", "--out", "out"}).status, 0);
  const std::string text = read_file(dir / "out/csv.csv");
  const std::vector<std::string> all = formats();
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j) {
      if (!is_tried(i, j, all.size())) continue;
      const std::string& from = all[i];
      const std::string& to = all[j];
      const std::string made = file_of(to, from + "_as_" + to);
      const Finished done =
          run(tactus({"convert", "out/" + file_of(from, from), "--to", to, "-o", made}, dir.path()));
      ASSERT_EQ(done.status, 0) << done;
      EXPECT_TRUE(says(done, "700 records of 23 columns, as " + to + " in " + made)) << done;
      EXPECT_EQ(says(done, "cannot hold "), to == "trk" && from != "trk") << done;
      const std::string back = "back_" + from + "_" + to + ".csv";
      const Finished again = run(tactus({"convert", made, "-o", back}, dir.path()));
      ASSERT_EQ(again.status, 0) << again;
      EXPECT_EQ(read_file(dir / back), text) << from << " as " << to;
    }
}

TEST(Recordings, ADateIsThatOfTheRunWhereItIsInRealTimeAndHasNoOther) {
  const executive::RecordFormats known;
  const auto now = [] {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  };
  struct Row {
    const char* out;
    Arguments more;
    bool dated;
    std::int64_t otherwise;
  };
  const Row rows[] = {
      {"fast", {"--no-realtime"}, false, 0},
      {"real", {}, true, 0},
      {"epoch", {"--set", "epoch=2005-02-15T00:00:00Z"}, false, 1'108'425'600'000'000'000},
  };
  for (const Row& row : rows) {
    const TempDir dir;
    write_rig(dir, one_of_each());
    const std::int64_t before = now();
    ASSERT_EQ(run_file(dir, row.more + Arguments{"--frames", "20", "--out", row.out}).status, 0);
    const std::int64_t after = now();
    for (const std::string& format : formats()) {
      if (format == "trk") continue;  // has no place for a date
      const std::int64_t epoch =
          known.named(format)->driver->read(dir / row.out / file_of(format, format))->head().epoch_ns;
      if (row.dated && format != "csv") {
        EXPECT_GE(epoch, before) << row.out << " " << format;
        EXPECT_LE(epoch, after) << row.out << " " << format;
      } else {
        EXPECT_EQ(epoch, row.otherwise) << row.out << " " << format;
      }
    }
  }
}

TEST(Recordings, OfAnyFormatLeaveTheMistakesOfTheRigFileToBeRead) {
  const TempDir dir;
  for (const std::string& format : formats()) {
    write_rig(
        dir, "  a: { driver: " + format + ", variables: [motor.speed] }\n  b: { variables: [motor.sped] }\n");
    const Finished done = run_file(dir, {"--no-realtime", "--frames", "1", "--out", "out"});
    EXPECT_EQ(done.status, 2) << format << done;
    EXPECT_TRUE(says(done, "'motor.sped': model 'motor' has no such variable")) << format << done;
  }
}

TEST(RecordingsNightly, ARunIsConvertedAsAWhole) {
  const TempDir dir;
  write_rig(dir, one_of_each());
  ASSERT_EQ(run_file(dir, {"--no-realtime", "--frames", "50", "--out", "out"}).status, 0);
  const Finished done = run(tactus({"convert", "out", "--to", "mcap", "-o", "all"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  for (const std::string& format : formats())
    EXPECT_TRUE(fs::exists(dir / ("all/" + format + ".mcap"))) << format;
  const Finished here = run(tactus({"convert", "out", "--to", "trk"}, dir.path()));
  EXPECT_EQ(here.status, 0) << here;
  EXPECT_TRUE(says(here, "out/log_trk.trk is trk already")) << here;
  EXPECT_TRUE(fs::exists(dir / "out/log_mcap.trk"));
}

TEST(Recordings, OfARunAreConvertedThoughOneBeforeThemIsDamaged) {
  const TempDir dir;
  write_rig(dir, "  a: { variables: [motor.speed] }\n  b: { variables: [motor.speed] }\n");
  ASSERT_EQ(run_file(dir, {"--no-realtime", "--frames", "5", "--out", "out"}).status, 0);
  dir.write("out/a.csv", read_file(dir / "out/a.csv") + "1,2,3\n");
  const Finished done = run(tactus({"convert", "out", "--to", "mcap"}, dir.path()));
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_TRUE(says(done, "out/a.csv:7: has 3 columns, the header has 2")) << done;
  EXPECT_FALSE(fs::exists(dir / "out/a.mcap"));
  EXPECT_TRUE(fs::exists(dir / "out/b.mcap")) << done;
}

TEST(RecordingsNightly, ConvertSaysWhatItCannotDo) {
  const TempDir dir;
  write_rig(dir, "  motion: { variables: [motor.speed] }\n");
  ASSERT_EQ(run_file(dir, {"--no-realtime", "--frames", "5", "--out", "out"}).status, 0);
  struct Row {
    Arguments arguments;
    const char* expected;
  };
  dir.write("late.csv", "sys.exec.out.time {s},x {--}\n50000000.000000001,1\n");
  dir.write("bad.csv", "sys.exec.out.time {s},x {--}\n0,1\n0.1,1,2\n");
  dir.write("twice.csv", "sys.exec.out.time {s},x {--},x {--}\n0,1,1\n1,1,2\n");
  dir.write("note.txt", "");
  dir.write("mine.columns.json", "mine");
  const Row rows[] = {
      {{"nothing.csv"}, "nothing.csv is not there"},
      {{"note.txt"}, "note.txt: its name says no format; there are .csv (csv), "},
      {{"out/motion.csv"}, "out/motion.csv is csv already; give --to another format"},
      {{"out/motion.csv", "--to", "mdf"}, "there is no format 'mdf'; did you mean 'mdf4'?"},
      {{"out/motion.csv", "--to", "mdf4", "-o", "x.mcap"},
       "x.mcap would be mdf4, whose files end in .mf4; name a file that ends so"},
      {{"out/motion.csv", "-o", "late.csv"}, "late.csv is there already; remove it, or give -o another name"},
      {{"out/motion.csv", "-o", "mine.csv"}, "mine.columns.json is there already; remove it, or give -o"},
      {{"out/motion.csv", "-o", "no/where.mcap"}, "no is not a folder"},
      {{"bad.csv", "--to", "mcap"}, "bad.csv:3: has 3 columns, the header has 2"},
      {{"twice.csv", "--to", "mcap"}, "twice.csv as mcap: the new file cannot hold x of record 2"},
      {{"late.csv", "--to", "trk"},
       "late.csv as trk: the new file cannot hold the time of record 1: 50000000000000001 ns became "},
  };
  for (const Row& row : rows) {
    const Finished done = run(tactus(Arguments{"convert"} + row.arguments, dir.path()));
    EXPECT_NE(done.status, 0) << done;
    EXPECT_TRUE(says(done, row.expected)) << row.expected << "\n" << done;
  }
  const Finished twice = run(tactus({"convert", "twice.csv", "-o", "twice.mf4"}, dir.path()));
  EXPECT_TRUE(says(twice, "twice.csv: 2 records of 2 columns, as mdf4 in twice.mf4")) << twice;
  dir.write("torn.csv", "sys.exec.out.time {s},x {--}\n0,1\n1,2\n2,3");
  const Finished torn = run(tactus({"convert", "torn.csv", "-o", "torn.mf4"}, dir.path()));
  EXPECT_EQ(torn.status, 0) << torn;
  EXPECT_TRUE(says(torn, "torn.csv: 2 records of ")) << torn;
  EXPECT_TRUE(says(torn, "the last line of torn.csv has no end, and was left out")) << torn;
  EXPECT_EQ(read_file(dir / "mine.columns.json"), "mine");
  EXPECT_FALSE(fs::exists(dir / "mine.csv"));
  EXPECT_FALSE(fs::exists(dir / "bad.mcap"));
  EXPECT_FALSE(fs::exists(dir / "log_late.trk")) << "nothing is left of what would not be the same";
  for (const auto& entry : fs::directory_iterator(dir.path()))
    EXPECT_NE(entry.path().filename().string().substr(0, 8), ".tactus-") << entry.path();
}

TEST(Recordings, AConversionThatIsInterruptedLeavesNothing) {
  const TempDir dir;
  std::string text = "sys.exec.out.time {s},x {--}\n";
  for (int i = 0; i < 500'000; ++i) text += std::to_string(i) + ",1.5\n";
  dir.write("long.csv", text);
  const auto has_folder = [&] {
    for (const auto& entry : fs::directory_iterator(dir.path()))
      if (entry.path().filename().string().starts_with(".tactus-")) return true;
    return false;
  };
  Process convert(tactus({"convert", "long.csv", "-o", "long.mf4"}, dir.path()));
  const auto until = std::chrono::steady_clock::now() + kTimeout;
  while (!has_folder() && !fs::exists(dir / "long.mf4") && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  convert.signal(SIGTERM);
  const Finished& done = convert.wait();
  if (done.status == 0) GTEST_SKIP() << "it was over before the signal came";
  EXPECT_EQ(done.signal, SIGTERM) << done;
  EXPECT_FALSE(has_folder());
  EXPECT_FALSE(fs::exists(dir / "long.mf4"));
}

TEST(Recordings, OfARigThatRunsAreConvertedAsFarAsTheyAre) {
  const TempDir dir;
  write_rig(dir, one_of_each());
  const Arguments growing{"--set", "until=stopped", "--set", "flush_every=10 ms"};
  Process rig(tactus(Arguments{"run", "rig.yaml", "--out", "out"} + growing + patient(), dir.path()));
  for (const std::string& format : formats()) {
    if (format == "hdf5") continue;  // its library gives up where the rig writes in the wrong moment
    const std::string file = "out/" + file_of(format, format);
    ASSERT_TRUE(wait_for_bytes(dir / file, 200'000)) << format << rig.err();
    const Finished done = run(tactus({"convert", file, "-o", format + "_is.mf4"}, dir.path()));
    EXPECT_EQ(done.status, 0) << format << done;
  }
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 0) << rig.err();
}

TEST(Recordings, AKilledRigLeavesFilesThatAreMended) {
  const TempDir dir;
  write_rig(dir, one_of_each());
  // In real time: without it, the files of a slow machine grow while they are looked at.
  Process rig(
      tactus(Arguments{"run", "rig.yaml", "--set", "until=stopped", "--out", "out"} + patient(), dir.path()));
  for (const std::string& format : formats())
    ASSERT_TRUE(wait_for_bytes(dir / ("out/" + file_of(format, format)), 200'000)) << format << rig.err();
  // HDF5 makes room for many records with the first. The recorder takes 1024 of each recording in turn, text first.
  const fs::path text_file = dir / "out/csv.csv";
  ASSERT_TRUE(wait_for_text(text_file, "\n", kTimeout, count_in(text_file, "\n") + 4096));
  rig.signal(SIGKILL);
  EXPECT_EQ(rig.wait().signal, SIGKILL);
  const Finished look = run(tactus({"recover", "out", "--dry-run"}, dir.path()));
  EXPECT_EQ(look.status, 1) << look;
  EXPECT_TRUE(says(look, "without its index and end")) << look;
  const Finished done = run(tactus({"recover", "out"}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_TRUE(says(done, "its index and end were written")) << done;
  const Finished again = run(tactus({"recover", "out", "--dry-run"}, dir.path()));
  EXPECT_EQ(again.status, 0) << again;
  const std::string text = read_file(dir / "out/csv.csv");
  for (const std::string& format : formats()) {
    if (format == "csv") continue;
    const Finished made =
        run(tactus({"convert", "out/" + file_of(format, format), "-o", format + "_is.csv"}, dir.path()));
    ASSERT_EQ(made.status, 0) << made;
    const std::string is = read_file(dir / (format + "_is.csv"));
    EXPECT_GT(is.size(), 1000U) << format << "\n" << done << made;
    const std::size_t both = std::min(is.size(), text.size());
    EXPECT_EQ(is.compare(0, both, text, 0, both), 0) << format;
  }
}

TEST(Recordings, AreWrittenOnChangeAroundATriggerOrDecimated) {
  const TempDir dir;
  write_rig(dir,
            "  all: { variables: [motor.speed, trajectory.position] }\n"
            "  change: { variables: [trajectory.position], on_change: yes }\n"
            "  around: { variables: [motor.speed], trigger: { when: 'trajectory.position changes', before: 3 "
            "ms, after: "
            "2 ms } }\n"
            "  few: { variables: [motor.speed], decimate: { to: 10 ms } }\n"
            "  last: { variables: [motor.speed], decimate: { to: 10 ms, keep: last } }\n");
  ASSERT_EQ(run_file(dir, {"--no-realtime", "--frames", "1005", "--out", "out"}).status, 0);
  const Table all = read_table(dir / "out/all.csv");
  ASSERT_EQ(all.rows.size(), 1005U);
  std::vector<std::vector<std::string>> change, around;
  std::vector<bool> near(all.rows.size());
  for (std::size_t i = 0; i < all.rows.size(); ++i) {
    const bool changed = i > 0 && all.rows[i][2] != all.rows[i - 1][2];
    if (i == 0 || changed) change.push_back({all.rows[i][0], all.rows[i][2]});
    for (std::size_t k = i < 3 ? 0 : i - 3; changed && k <= std::min(i + 2, all.rows.size() - 1); ++k)
      near[k] = true;
  }
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    if (near[i]) around.push_back({all.rows[i][0], all.rows[i][1]});
  EXPECT_EQ(read_table(dir / "out/change.csv").rows, change);
  EXPECT_EQ(read_table(dir / "out/around.csv").rows, around);
  EXPECT_GT(around.size(), 5U);
  EXPECT_LT(around.size(), 1005U);

  const Table few = read_table(dir / "out/few.csv");
  EXPECT_EQ(few.header[1], "motor.speed.min {rad/s}");
  EXPECT_EQ(few.header[2], "motor.speed.max {rad/s}");
  const Table last = read_table(dir / "out/last.csv");
  ASSERT_EQ(few.rows.size(), 101U);
  ASSERT_EQ(last.rows.size(), 101U);
  for (std::size_t bucket = 0; bucket < 101; ++bucket) {
    double low = std::stod(all.rows[bucket * 10][1]);
    double high = low;
    for (std::size_t i = bucket * 10; i < std::min<std::size_t>(bucket * 10 + 10, 1005); ++i) {
      low = std::min(low, std::stod(all.rows[i][1]));
      high = std::max(high, std::stod(all.rows[i][1]));
      if (i % 10 == 9) {
        EXPECT_EQ(last.rows[bucket][1], all.rows[i][1]);
      }
    }
    EXPECT_EQ(few.rows[bucket][0], all.rows[bucket * 10][0]);
    EXPECT_EQ(std::stod(few.rows[bucket][1]), low);
    EXPECT_EQ(std::stod(few.rows[bucket][2]), high);
  }
  const Json summary = summary_of(dir / "out");
  for (const Json& each : summary["recordings"]) {
    EXPECT_EQ(each["sampled"], 1005) << each;
    EXPECT_EQ(each["lost"], 0) << each;
  }
  EXPECT_EQ(run(tactus({"recover", "out"}, dir.path())).status, 0) << "as many records as the rig wrote";
}

}  // namespace
}  // namespace tactus::test::recordings_test
