// SPDX-License-Identifier: Apache-2.0
// Faults of the machine and of links that are switched while the rig runs: frame by frame, in the journal, and the same
// each time, also from a checkpoint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "rig_command.hpp"

namespace tactus::test::live_switch_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

/// A rig that is told frame by frame what to do.
class Stepped {
 public:
  explicit Stepped(const Command& command, std::string out = "out")
      : folder_(command.cwd), out_(std::move(out)), rig_(command) {
    EXPECT_TRUE(wait_for_text(folder_ / out_ / "log.txt", "listens on")) << rig_.err();
    EXPECT_TRUE(wait_for_text(folder_ / out_ / "log.txt", "paused after ")) << "a step is for Pause";
  }
  Finished tell(const Arguments& words) const { return run(tactus(words, folder_)); }
  void step(std::int64_t frames) {
    ASSERT_EQ(tell({"step", out_, std::to_string(frames)}).status, 0);
    std::int64_t now = -1;
    for (Tries tries; now != next_ + frames - 1 && tries.another();)
      now = Json::parse(tell({"get", out_, "rt.frame", "--json"}).out).value("frame", std::int64_t{-1});
    ASSERT_EQ(now, next_ + frames - 1);
    next_ += frames;
  }
  void turn(const std::string& fault, bool on) const {
    const Finished done = tell({"switch", out_, "fault", fault, on ? "on" : "off"});
    ASSERT_EQ(done.status, 0) << done;
  }
  /// Writes a checkpoint; returns its path.
  std::string checkpoint(const std::string& name) const {
    EXPECT_EQ(tell({"checkpoint", out_, name}).status, 0);
    EXPECT_TRUE(wait_for_text(folder_ / out_ / "log.txt", name));
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / out_))
      if (entry.path().filename() == name) return entry.path().string();
    ADD_FAILURE() << "there is no " << name;
    return "";
  }
  /// The first frame is another one.
  void begin_at(std::int64_t frame) { next_ = frame; }
  std::int64_t next() const { return next_; }
  void stop() {
    EXPECT_EQ(tell({"stop", out_}).status, 0);
    EXPECT_EQ(rig_.wait().status, 0) << rig_.out() << rig_.err();
  }
  fs::path out() const { return folder_ / out_; }

 private:
  fs::path folder_;
  std::string out_;
  Process rig_;
  std::int64_t next_ = 0;
};

/// Frames of a recording of 1 ms frames in which a fault acts.
std::vector<std::int64_t> frames_of(const fs::path& table, const std::string& fault, std::int64_t first = 0) {
  std::vector<std::int64_t> frames;
  const auto column = read_table(table).column("fault." + fault);
  for (std::size_t i = 0; i < column.size(); ++i)
    if (column[i] == "1" || column[i] == "true") frames.push_back(first + static_cast<std::int64_t>(i));
  return frames;
}
std::vector<std::int64_t> frames_from(std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> frames;
  for (; first < end; ++first) frames.push_back(first);
  return frames;
}

/// "fault on 10" for each line of the journal on that fault.
std::vector<std::string> journal_of(const fs::path& out, const std::string& fault) {
  std::vector<std::string> said;
  std::istringstream lines(read_file(out / "journal.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const Json entry = Json::parse(line);
    if (entry.value("name", "") == fault)
      said.push_back(entry["what"].get<std::string>() + " " +
                     (entry.contains("frame") ? entry["frame"].dump() : "-"));
  }
  return said;
}

/// What follows the header of a recording from a row on.
std::string rows_from(const fs::path& table, std::int64_t row) {
  const std::string text = read_file(table);
  std::size_t at = text.find('\n') + 1;
  for (std::int64_t i = 0; i < row; ++i) at = text.find('\n', at) + 1;
  return text.substr(at);
}

class LiveSwitch : public ::testing::Test {
 protected:
  Command servo(const std::string& out, const Arguments& more = {}) const {
    Arguments arguments{"--live", "unix:" + out + ".sock", "--no-realtime", "--paused", "--out", out};
    const Arguments settings = {"rig=switched-" + std::to_string(::getpid()),
                                "until=stopped",
                                "clock={ driver: sim, period: 1 ms }",
                                "faults.late={ on: clock, late_edge: 300 us }",
                                "faults.missing={ on: clock, missing_edge: yes }",
                                "faults.longer={ on: job controller.outer, longer: 20 us }",
                                "faults.slips={ on: encoder.angle, offset: 100 mrad }",
                                "record.faults={ variables: [fault.*, motor.angle, encoder.angle] }"};
    for (const std::string& each : settings) arguments = arguments + Arguments{"--set", each};
    Command command = run_rig("servo", arguments + more, dir_.path());
    command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
    return command;
  }
  const TempDir dir_;
};

const std::map<std::string, std::int64_t> kBegins = {
    {"late", 10}, {"missing", 20}, {"longer", 30}, {"slips", 40}};

TEST_F(LiveSwitch, EachKindActsInTheFramesBetween) {
  std::string from;
  for (const std::string out : {"one", "two"}) {
    Stepped rig(servo(out), out);
    rig.step(10);
    for (const char* const fault : {"late", "missing", "longer", "slips"}) {
      rig.turn(fault, true);
      rig.step(5);
      if (fault == std::string("longer") && out == "one") from = rig.checkpoint("mid.tck");
      rig.step(5);
      rig.turn(fault, false);
    }
    rig.step(10);
    rig.stop();
    for (const auto& [fault, begin] : kBegins) {
      EXPECT_EQ(frames_of(dir_ / out / "faults.csv", fault), frames_from(begin, begin + 10)) << fault;
      // What is asked and what has happened is written by two threads: each line says its frame.
      EXPECT_THAT(journal_of(dir_ / out, fault),
                  UnorderedElementsAre("fault on asked " + std::to_string(begin - 1),
                                       "fault on " + std::to_string(begin),
                                       "fault off asked " + std::to_string(begin + 9),
                                       "fault off " + std::to_string(begin + 10)));
    }
    const Json faults = summary_of(dir_ / out)["faults"];
    for (const Json& row : faults) {
      EXPECT_EQ(row["frames"], 10) << row;
      EXPECT_EQ(row["first_frame"], kBegins.at(row["name"])) << row;
    }
  }
  for (const char* const file : {"faults.csv", "motion.csv"})
    EXPECT_EQ(read_file(dir_ / "one" / file), read_file(dir_ / "two" / file)) << file;

  Stepped rest(servo("rest", {"--from", from}), "rest");
  rest.begin_at(35);
  rest.step(5);
  rest.turn("longer", false);
  rest.turn("slips", true);
  rest.step(10);
  rest.turn("slips", false);
  rest.step(10);
  rest.stop();
  EXPECT_EQ(frames_of(dir_ / "rest/faults.csv", "longer", 35), frames_from(35, 40)) << "it was on there";
  for (const char* const file : {"faults.csv", "motion.csv"})
    EXPECT_EQ(rows_from(dir_ / "rest" / file, 0), rows_from(dir_ / "one" / file, 35)) << file;
}

TEST_F(LiveSwitch, AStepThatComesBeforeTheRigPausesIsTaken) {
  for (int round = 0; round < 3; ++round) {
    const std::string out = "early" + std::to_string(round);
    Process rig(servo(out));
    ASSERT_TRUE(wait_for_text(dir_ / out / "log.txt", "listens on")) << rig.err();
    ASSERT_EQ(run(tactus({"step", out, "3"}, dir_.path())).status, 0);
    std::int64_t now = -1;
    for (Tries tries; now != 2 && tries.another();)
      now = Json::parse(run(tactus({"get", out, "rt.frame", "--json"}, dir_.path())).out)
                .value("frame", std::int64_t{-1});
    EXPECT_EQ(now, 2);
    EXPECT_EQ(run(tactus({"stop", out}, dir_.path())).status, 0);
    EXPECT_EQ(rig.wait().status, 0) << rig.err();
    EXPECT_EQ(summary_of(dir_ / out)["frames"]["run"], 3);
  }
}

TEST_F(LiveSwitch, TheVerbSaysWhatIsSoAlready) {
  Stepped rig(servo("out"));
  ASSERT_EQ(rig.tell({"resume", "out"}).status, 0);
  std::int64_t now = -1;
  for (Tries tries; now < 0 && tries.another();)
    now = Json::parse(rig.tell({"get", "out", "rt.frame", "--json"}).out).value("frame", std::int64_t{-1});
  ASSERT_GE(now, 0) << "it runs";
  EXPECT_THAT(rig.tell({"switch", "out", "fault", "slips", "off"}).out,
              HasSubstr("fault slips is off already"));
  EXPECT_THAT(rig.tell({"switch", "out", "record", "motion", "on"}).out,
              HasSubstr("record motion is on already"));
  EXPECT_THAT(rig.tell({"switch", "out", "fault", "slips", "on"}).out,
              HasSubstr("fault slips is on from frame "));
  rig.stop();
}

TEST_F(LiveSwitch, ACheckpointKeepsWhatAClientDidToARecordingAfterAnAction) {
  const auto with = [&](const std::string& out, const Arguments& more = {}) {
    return servo(
        out,
        Arguments{"--set", "commands=[{ at: 10 ms, do: [ record motion off, record faults off ] }]"} + more);
  };
  std::string from;
  {
    Stepped rig(with("first"), "first");
    rig.step(20);
    ASSERT_EQ(rig.tell({"switch", "first", "record", "motion", "on"}).status, 0);
    rig.step(5);
    from = rig.checkpoint("mid.tck");
    rig.step(5);
    rig.stop();
  }
  Stepped rest(with("rest", {"--from", from}), "rest");
  rest.begin_at(25);
  rest.step(5);
  rest.stop();
  EXPECT_EQ(rows_from(dir_ / "rest/motion.csv", 0), rows_from(dir_ / "first/motion.csv", 15))
      << "10 rows before the action, 5 before the checkpoint";
  EXPECT_NE(rows_from(dir_ / "rest/motion.csv", 0), "");
  EXPECT_EQ(rows_from(dir_ / "rest/faults.csv", 0), "") << "that one is still off";
}

TEST_F(LiveSwitch, TheVerbListsAndSaysWhatIsWrong) {
  Stepped rig(servo("out"));
  rig.step(3);
  const Finished listed = rig.tell({"switch", "out"});
  EXPECT_EQ(listed.status, 0) << listed;
  EXPECT_THAT(listed.out, HasSubstr("fault     late     off      clock"));
  EXPECT_THAT(listed.out, HasSubstr("record    motion"));
  const Finished wrong = rig.tell({"switch", "out", "fault", "lat", "on"});
  EXPECT_EQ(wrong.status, 1) << wrong;
  EXPECT_THAT(wrong.err, HasSubstr("'late'")) << "what was probably meant";
  EXPECT_EQ(rig.tell({"switch", "out", "falut", "late", "on"}).status, 2);
  EXPECT_EQ(rig.tell({"switch", "out", "fault", "late", "maybe"}).status, 2);
  EXPECT_EQ(rig.tell({"switch", "out", "fault", "late"}).status, 2);
  EXPECT_EQ(rig.tell({"switch", "out", "record", "motion", "off"}).status, 0);
  rig.step(4);
  EXPECT_THAT(rig.tell({"switch", "out"}).out, HasSubstr("since frame 3"));
  rig.stop();
  EXPECT_EQ(read_table(dir_ / "out/motion.csv").rows.size(), 3U);
}

/// A registry, a workflow, a virtual set-point and config/rigs/linked.yaml in virtual time, told frame by frame.
struct Federation {
  explicit Federation(const TempDir& dir, const std::string& out, const Arguments& more = {}) {
    const std::string where = out + ".json";
    registry.emplace(tactus({"registry", "-u", "silkit://127.0.0.1:0", "-g", where}, dir.path()));
    EXPECT_TRUE(wait_for_text(dir / where, "RegistryUri")) << registry->err();
    const std::string uri = Json::parse(read_file(dir / where))["Middleware"]["RegistryUri"];
    workflow.emplace(tactus({"workflow", "-u", uri, "Setpoint", "Servo"}, dir.path()));
    Command peer;
    peer.argv = {(fs::path(TACTUS_COMMAND).parent_path() / "tactus-virtual-setpoint").string(), "--registry",
                 uri};
    peer.cwd = dir.path();
    setpoint.emplace(peer);
    Arguments arguments{"--registry", uri, "--link", "follow", "--paused", "--live", "unix:" + out + ".sock",
                        "--out",      out};
    for (const std::string& each :
         {std::string("until=stopped"), std::string("link.max_late=1000 s"),
          std::string("faults.quiet={ on: peer Setpoint, silent: yes }"),
          std::string("faults.wrong={ on: link position, stuck: 7 rad }"),
          std::string("record.faults={ variables: [fault.*, link.setpoint.messages, "
                      "controller.position_reference] }")})
      arguments = arguments + Arguments{"--set", each};
    rig.emplace(run_rig("linked", arguments + more, dir.path()), out);
  }
  std::optional<Process> registry, workflow, setpoint;
  std::optional<Stepped> rig;
};

TEST(LinkSwitch, ASilentPeerAndASentSignalActInTheFramesBetween) {
  const TempDir dir;
  std::string from;
  for (const std::string out : {"one", "two"}) {
    Federation all(dir, out);
    Stepped& rig = *all.rig;
    rig.step(100);
    rig.turn("quiet", true);
    rig.step(50);
    rig.turn("quiet", false);
    rig.step(840);
    rig.turn("wrong", true);
    rig.step(5);
    if (out == "one") from = rig.checkpoint("mid.tck");
    rig.step(15);
    rig.turn("wrong", false);
    rig.step(10);
    rig.stop();
    (void)all.setpoint->wait();
    EXPECT_THAT(all.setpoint->out(), HasSubstr("position   7.000 rad")) << "at 1 s";
    const fs::path table = dir / out / "faults.csv";
    // What frame 100 takes in has come before clients are heard.
    EXPECT_EQ(frames_of(table, "quiet"), frames_from(101, 151));
    EXPECT_EQ(frames_of(table, "wrong"), frames_from(990, 1010));
    const auto messages = read_table(table).integers("link.setpoint.messages");
    ASSERT_EQ(messages.size(), 1020U);
    EXPECT_LT(messages[99], messages[100]);
    for (std::size_t k = 101; k < 151; ++k) ASSERT_EQ(messages[k], messages[100]) << k;
    EXPECT_LT(messages[150], messages[151]);
    EXPECT_THAT(journal_of(dir / out, "quiet"), UnorderedElementsAre("fault on asked 99", "fault on 101",
                                                                     "fault off asked 149", "fault off 151"));
    EXPECT_EQ(summary_of(dir / out)["link"]["messages"]["withheld"], 50);
  }
  for (const char* const file : {"faults.csv", "motion.csv"})
    EXPECT_EQ(read_file(dir / "one" / file), read_file(dir / "two" / file)) << file;
  Federation rest(dir, "rest", {"--from", from});
  rest.rig->begin_at(995);
  rest.rig->step(15);
  rest.rig->turn("wrong", false);
  rest.rig->step(10);
  rest.rig->stop();
  EXPECT_EQ(frames_of(dir / "rest/faults.csv", "wrong", 995), frames_from(995, 1010));
}

}  // namespace
}  // namespace tactus::test::live_switch_test
