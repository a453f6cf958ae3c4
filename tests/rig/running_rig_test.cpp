// SPDX-License-Identifier: Apache-2.0
// Commands to a running rig from another terminal: tactus ps, get, set, force, release, pause, resume, step, reset,
// checkpoint, load, stop.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>

#include "rig_command.hpp"

namespace tactus::test::running_rig_test {
namespace {

using namespace std::chrono_literals;

/// A rig that waits in Pause before its first frame, and commands to it.
class RunningRig : public ::testing::Test {
 protected:
  void start(const Arguments& more = {}) {
    rig_.emplace(run_rig("servo",
                         Arguments{"--live", "unix:live.sock", "--no-realtime", "--paused", "--out", "out",
                                   "--set", "rig=" + name_, "--set", "until=stopped"} +
                             more,
                         dir_.path()));
    ASSERT_TRUE(wait_for_text(dir_ / "out/log.txt", "listens on"));
    while (frame() < 0) {
      ASSERT_EQ(tell({"step", "out"}).status, 0);
    }
  }
  Finished tell(const Arguments& words) const { return run(tactus(words, dir_.path())); }
  std::int64_t frame() const {
    return Json::parse(tell({"get", "out", "rt.frame", "--json"}).out).value("frame", std::int64_t{-1});
  }

  const TempDir dir_;
  // A name that no other rig of this machine has.
  const std::string name_ = "running-" + std::to_string(::getpid());
  std::optional<Process> rig_;
};

using RunningRigNightly = RunningRig;

TEST_F(RunningRigNightly, IsFoundByNameFolderSocketAndByItselfInItsFolder) {
  start();
  for (const std::string& where : {name_, std::string("out"), std::string("out/live.sock"),
                                   (dir_ / "out").string(), "unix:" + (dir_ / "out/live.sock").string()}) {
    const Finished done = tell({"get", where, "motor.angle"});
    EXPECT_EQ(done.status, 0) << where << done;
    EXPECT_TRUE(done.out.starts_with("motor.angle  ")) << done;
    EXPECT_EQ(tell({"get", "--rig", where, "motor.angle"}).out, done.out);
  }
  const Finished nobody = tell({"get", "nobody-of-this-name", "motor.angle"});
  EXPECT_EQ(nobody.status, 1);
  EXPECT_NE(
      nobody.err.find("'nobody-of-this-name' is not a rig: no rig of that name runs here (`tactus ps` lists"),
      std::string::npos)
      << nobody;
}

TEST_F(RunningRigNightly, IsListed) {
  start();
  const Finished done = tell({"ps", "--json"});
  ASSERT_EQ(done.status, 0) << done;
  Json mine;
  std::istringstream lines(done.out);
  for (std::string line; std::getline(lines, line);)
    if (const Json row = Json::parse(line); row["rig"] == name_) mine = row;
  ASSERT_TRUE(mine.is_object()) << done;
  EXPECT_EQ(mine["folder"], std::filesystem::canonical(dir_ / "out").string());
  EXPECT_EQ(mine["state"], "Pause");
  EXPECT_GE(mine["frame"], 0);
  EXPECT_FALSE(mine["cpus"].get<std::string>().empty());
  EXPECT_NE(mine["priority"].get<std::string>().find("OTHER"), std::string::npos) << "--no-realtime " << mine;
  EXPECT_TRUE(mine["overruns"].is_number_integer()) << mine;
  EXPECT_NE(tell({"ps"}).out.find(name_), std::string::npos);
}

TEST_F(RunningRigNightly, BeforeItsFirstFrameHasNone) {
  rig_.emplace(run_rig(
      "servo",
      {"--live", "unix:live.sock", "--no-realtime", "--paused", "--out", "out", "--set", "rig=" + name_},
      dir_.path()));
  ASSERT_TRUE(wait_for_text(dir_ / "out/log.txt", "listens on"));
  const Finished done = tell({"ps", "--json"});
  const std::size_t mine = done.out.find("\"rig\":\"" + name_);
  ASSERT_NE(mine, std::string::npos) << done;
  EXPECT_NE(tell({"ps"}).out.find(name_), std::string::npos);
  const std::string line = done.out.substr(done.out.rfind('{', mine), done.out.find('\n', mine));
  EXPECT_EQ(Json::parse(line.substr(0, line.find('\n')))["frame"], nullptr) << line;
}

TEST_F(RunningRig, StepsPausesRunsAndResets) {
  start();
  const std::int64_t before = frame();
  EXPECT_EQ(tell({"step", name_}).status, 0);
  EXPECT_EQ(frame(), before + 1);
  EXPECT_EQ(tell({"step", name_, "5"}).status, 0);
  EXPECT_EQ(frame(), before + 6);
  EXPECT_EQ(tell({"step", "5", "--rig", name_}).status, 0);
  EXPECT_EQ(frame(), before + 11);
  EXPECT_EQ(tell({"run_until", name_, "50 ms"}).status, 0);
  while (frame() < 49) {
  }
  const Finished resumed = tell({"resume", name_});
  EXPECT_EQ(resumed.status, 0) << resumed;
  EXPECT_TRUE(resumed.out.starts_with(name_ + ": resume was taken")) << resumed;
  const Finished paused = tell({"pause", name_});
  EXPECT_EQ(paused.status, 0) << paused;
  EXPECT_NE(paused.out.find(": pause was taken, Pause, frame "), std::string::npos) << paused;
  EXPECT_GT(frame(), 49);
  EXPECT_EQ(tell({"reset", name_}).status, 0);
  EXPECT_EQ(tell({"step", name_, "nothing"}).status, 2);
  EXPECT_EQ(tell({"step", name_, "0"}).status, 2);
  EXPECT_EQ(tell({"pause", name_, "now"}).status, 2);
}

TEST_F(RunningRig, AListThatIsNotWholeIsNoSuccess) {
  start();
  const std::string program = tactus({"ps"}, dir_.path()).argv.front();
  const auto into_full_disk = [&](const std::string& words) {
    return run(
        {.argv = {"sh", "-c", "exec '" + program + "' " + words + " > /dev/full"}, .cwd = dir_.path()});
  };
  const Finished listed = into_full_disk("switch out");
  EXPECT_EQ(listed.status, 1) << listed;
  EXPECT_NE(listed.err.find("stdout: cannot be written"), std::string::npos) << listed;
  EXPECT_EQ(into_full_disk("switch out record motion off").status, 0) << "it is off";
}

TEST_F(RunningRig, TakesValuesWithUnitsForcesAndReleases) {
  start();
  const auto value = [&] {
    return Json::parse(tell({"get", name_, "motor.load_torque", "--json"}).out)["values"]["motor.load_torque"]
        .get<double>();
  };
  const Finished set = tell({"set", name_, "motor.load_torque=2 mN m"});
  EXPECT_EQ(set.status, 0) << set;
  EXPECT_NE(set.out.find(": set took effect in frame "), std::string::npos) << set;
  ASSERT_EQ(tell({"step", name_, "2"}).status, 0);
  EXPECT_EQ(value(), 0.002);
  EXPECT_EQ(tell({"force", name_, "motor.load_torque=0.001"}).status, 0);
  const Finished forced = tell({"set", name_, "motor.load_torque=0.003"});
  EXPECT_EQ(forced.status, 1) << "a set of a forced variable is refused" << forced;
  EXPECT_EQ(tell({"release", name_, "all"}).status, 0);
  const Finished bare = tell({"set", name_, "motor.load_torque=0.003"});
  EXPECT_EQ(bare.status, 0);
  EXPECT_NE(bare.out.find("note: motor.load_torque: 0.003 is a number of N m, the unit of the variable"),
            std::string::npos)
      << bare;
  EXPECT_EQ(set.out.find("note: "), std::string::npos) << "a unit was written: " << set;
  ASSERT_EQ(tell({"step", name_, "2"}).status, 0);
  EXPECT_EQ(value(), 0.003);
  const Finished five = tell({"set", name_, "motor.load_torque=0.003", "motor.friction=1e-5",
                              "motor.supply=24", "motor.resistance=0.5", "trajectory.dwell=0.2 s"});
  EXPECT_NE(five.out.find("note: 4 numbers are of the unit of their variable, as 0.003 of N m;"),
            std::string::npos)
      << five;
  EXPECT_EQ(five.out.find("friction"), std::string::npos) << "one stands for all: " << five;
  const Finished wrong = tell({"set", name_, "motor.load_tork=1"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_NE(wrong.err.find("motor.load_torque"), std::string::npos) << wrong;
  EXPECT_EQ(tell({"set", name_, "motor.load_torque"}).status, 2);
  EXPECT_EQ(tell({"set", name_}).status, 2);
  EXPECT_EQ(tell({"get", name_}).status, 2);
  const Finished many = tell({"get", name_, "motor.*", "controller.voltage"});
  EXPECT_EQ(many.status, 0) << many;
  EXPECT_NE(many.out.find("\ncontroller.voltage"), std::string::npos) << many;
  const Finished product = tell({"get", name_, "motor.load_torque*2"});
  EXPECT_EQ(product.status, 0) << "no variable has this pattern: " << product;
  EXPECT_EQ(product.out, "motor.load_torque * 2  0.006 N m\n");
  const Finished neither = tell({"get", name_, "motor.load_tork*2"});
  EXPECT_EQ(neither.status, 1);
  EXPECT_NE(neither.err.find("no variable of rig " + name_ +
                             " matches 'motor.load_tork*2'; nor is it an expression: "),
            std::string::npos)
      << neither;
  EXPECT_NE(neither.err.find("did you mean 'motor.load_torque'"), std::string::npos) << neither;
}

TEST(RunningRigs, ARigOfALongerNameIsNotCommandedInsteadOfOneThatIsNotThere) {
  const TempDir dir;
  const std::string name = "named-" + std::to_string(::getpid());
  const std::string folder = "runs/" + name + "-left-20260101-120000";
  dir.write("named.yaml", "rig: " + name + "\n");
  dir.write("left.yaml", "rig: " + name + "-left\n");
  Process rig(run_rig("servo",
                      {"--live", "unix:live.sock", "--no-realtime", "--paused", "--out", folder, "--set",
                       "rig=" + name + "-left", "--set", "until=stopped"},
                      dir.path()));
  ASSERT_TRUE(wait_for_text(dir / folder / "log.txt", "listens on"));
  const Finished other = run(tactus({"stop", "named.yaml"}, dir.path()));
  EXPECT_EQ(other.status, 1) << other;
  const Finished own = run(tactus({"stop", "left.yaml"}, dir.path()));
  EXPECT_EQ(own.status, 0) << own;
  EXPECT_EQ(rig.wait().status, 0);
}

TEST(RunningRigs, WithoutANameTheOneThatBeganLastIsCommanded) {
  const TempDir dir;
  const auto line = [&](const std::string& name) {
    return run_rig("servo",
                   {"--live", "unix:live.sock", "--no-realtime", "--paused", "--out", "runs/" + name, "--set",
                    "rig=" + name, "--set", "until=stopped"},
                   dir.path());
  };
  Process first(line("first"));
  ASSERT_TRUE(wait_for_text(dir / "runs/first/log.txt", "listens on"));
  Process second(line("second"));
  ASSERT_TRUE(wait_for_text(dir / "runs/second/log.txt", "listens on"));
  dir.write("runs/first/later.txt", "as summary.json is made every few seconds");
  for (const char* const name : {"second", "first"}) {
    const Finished done = run(tactus({"stop"}, dir.path()));
    EXPECT_TRUE(done.out.starts_with(std::string(name) + ": ")) << done;
    EXPECT_EQ((name == std::string("second") ? second : first).wait().status, 0);
  }
}

TEST(RunningRigs, WithoutANameOneThatListensAtTcpIsFoundWhileItRuns) {
  const TempDir dir;
  const auto line = [&](const std::string& name, const std::string& live) {
    return run_rig("servo",
                   {"--live", live, "--no-realtime", "--paused", "--out", "runs/" + name, "--set",
                    "rig=" + name, "--set", "until=stopped"},
                   dir.path());
  };
  Process first(line("first", "unix:live.sock"));
  ASSERT_TRUE(wait_for_text(dir / "runs/first/log.txt", "listens on"));
  Process second(line("second", "127.0.0.1:0"));
  ASSERT_TRUE(wait_for_text(dir / "runs/second/log.txt", "listens on"));
  for (const char* const name : {"second", "first"}) {
    const Finished done = run(tactus({"stop"}, dir.path()));
    EXPECT_TRUE(done.out.starts_with(std::string(name) + ": ")) << done;
    EXPECT_EQ((name == std::string("second") ? second : first).wait().status, 0);
  }
}

TEST(RunningRigs, WithoutANameOneThatWasKilledHidesNoOther) {
  const TempDir dir;
  const auto line = [&](const std::string& name) {
    return run_rig("servo",
                   {"--live", "unix:live.sock", "--no-realtime", "--paused", "--no-witness", "--out",
                    "runs/" + name, "--set", "rig=" + name, "--set", "until=stopped"},
                   dir.path());
  };
  Process first(line("first"));
  ASSERT_TRUE(wait_for_text(dir / "runs/first/log.txt", "listens on"));
  Process second(line("second"));
  ASSERT_TRUE(wait_for_text(dir / "runs/second/log.txt", "listens on"));
  second.signal(SIGKILL);
  EXPECT_EQ(second.wait().signal, SIGKILL);
  ASSERT_TRUE(std::filesystem::is_socket(dir / "runs/second/live.sock"));
  const Finished done = run(tactus({"stop"}, dir.path()));
  EXPECT_TRUE(done.out.starts_with("first: ")) << done;
  EXPECT_EQ(first.wait().status, 0);
  const Finished nobody = run(tactus({"stop"}, dir.path()));
  EXPECT_EQ(nobody.status, 1);
  EXPECT_NE(nobody.err.find("no rig with a control port was found"), std::string::npos) << nobody;
}

TEST(RunningRigs, AnotherRigAtTheAddressOfAFileIsNotCommanded) {
  const TempDir dir;
  const std::string name = "named-" + std::to_string(::getpid());
  Process rig(run_rig("servo",
                      {"--live", "127.0.0.1:0", "--no-realtime", "--paused", "--out", "out", "--set",
                       "rig=" + name, "--set", "until=stopped"},
                      dir.path()));
  ASSERT_TRUE(wait_for_text(dir / "out/log.txt", "listens on"));
  const std::string log = read_file(dir / "out/log.txt");
  const std::string before = "http: listens on http://";
  const std::size_t at = log.find(before);
  ASSERT_NE(at, std::string::npos) << log;
  const std::size_t begin = at + before.size();
  const std::string address = log.substr(begin, log.find('/', begin) - begin);
  const auto write = [&](const char* file, const std::string& of) {
    dir.write(file, "rig: " + of + "\nlive: { http: { listen: \"" + address + "\" } }\n");
  };
  write("other.yaml", name + "-other");
  write("own.yaml", name);
  const Finished other = run(tactus({"stop", "other.yaml"}, dir.path()));
  EXPECT_EQ(other.status, 1) << other;
  EXPECT_NE(other.err.find("another rig listens at " + address), std::string::npos) << other;
  EXPECT_EQ(run(tactus({"stop", "own.yaml"}, dir.path())).status, 0);
  EXPECT_EQ(rig.wait().status, 0);
}

TEST(EndedRig, SaysHowItEndedToWhoeverCommandsIt) {
  const TempDir dir;
  const std::string name = "ended" + std::to_string(::getpid());
  const std::string folder = "runs/" + name + "-20260101-120000";
  ASSERT_EQ(run(run_rig("servo", {"--no-realtime", "--frames", "20", "--set", "rig=" + name, "--out", folder},
                        dir.path()))
                .status,
            0);
  for (const std::string& where : {name, folder}) {
    for (const char* const verb : {"stop", "pause"}) {
      const Finished late = run(tactus({verb, where}, dir.path()));
      EXPECT_EQ(late.status, 1) << late;
      EXPECT_NE(late.err.find("has ended: completed after 20 frames, exit status 0"), std::string::npos)
          << late;
    }
  }
}

TEST_F(RunningRigNightly, WritesAndLoadsACheckpointAndStops) {
  start({"--set", "checkpoint.enabled=yes"});
  const std::int64_t before = frame();
  const Finished asked = tell({"checkpoint", name_, "here.tck"});
  EXPECT_EQ(asked.status, 0);
  EXPECT_TRUE(asked.out.starts_with(name_ + ": checkpoint was accepted, ")) << asked;
  ASSERT_EQ(tell({"step", name_, "10"}).status, 0);
  while (!std::filesystem::exists(dir_ / "out/checkpoints/here.tck"))
    ASSERT_EQ(tell({"step", name_}).status, 0);
  EXPECT_GT(frame(), before);
  const Finished loaded = tell({"load", name_, "here.tck"});
  EXPECT_EQ(loaded.status, 0) << loaded;
  const Finished missing = tell({"load", name_, "there.tck"});
  EXPECT_EQ(missing.status, 1) << missing;
  const Finished stopped = tell({"stop", name_});
  EXPECT_EQ(stopped.status, 0) << stopped;
  EXPECT_EQ(rig_->wait().status, 0) << rig_->wait();
  rig_.reset();
  EXPECT_EQ(tell({"pause", "out"}).status, 1) << "the run is over";
}

}  // namespace
}  // namespace tactus::test::running_rig_test
