// SPDX-License-Identifier: Apache-2.0
/// Rigs with virtual buses, by the command: with a peer of our library, with one of a genuine SIL Kit, and with its demos
/// CanWriter and CanReader. TACTUS_SILKIT_ROOT names the genuine one.
#include "tests/drivers/link/can/rig/can_rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tactus/silkit_can.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace tactus::drivers::link::can_rig_test {
namespace {

namespace fs = std::filesystem;
using config::Json;
using test::CanPeer;
using test::CanRig;
using test::genuine;
using test::kCanDatabase;
using test::Pair;
using test::pair_name;
using test::read_file;
using ::testing::HasSubstr;

TEST_P(CanRig, SharesItsBusWithAVirtualControlUnit) {
  CanPeer peer(library, uri(), "CAN1");
  const test::Finished run = test::run(command({"--out", "out"}));
  ASSERT_EQ(run.status, 0) << run;
  const Json link = summary("out");
  const Json can = link["can"]["body"];

  // Cyclic, 5 ms: on the simulated bus before the next frame, and with its step to the peer, which hears it in the next.
  const std::vector<CanPeer::Heard> heard = peer.heard();
  ASSERT_GE(heard.size(), 38U) << link;
  for (const CanPeer::Heard& each : heard) {
    EXPECT_EQ(each.id, 0x100U) << "the peer never hears what it sent itself";
    EXPECT_EQ(each.data, (std::vector<std::uint8_t>{0x67, 0x12}));
    EXPECT_EQ(each.stamp % 5'000'000, 1'000'000U) << "sent in each fifth frame, over before the one after it";
  }
  EXPECT_EQ(can["to_virtual"], heard.size()) << link;
  EXPECT_EQ(can["acknowledged"], heard.size()) << link;
  EXPECT_EQ(can["lost"], 0) << link;
  EXPECT_EQ(can["mismatched"], 0) << link;

  // 0x200 in each step and 0x201 in each tenth: all of what was stamped before the last frame.
  EXPECT_GE(can["to_real"], 199 + 19) << link;
  EXPECT_LE(can["to_real"], peer.sent()) << link;
  EXPECT_EQ(peer.acknowledged(), peer.sent());
  const std::string bus = read_file(dir_ / "out/bus.csv");
  // What step 10 sent is given to the bus in frame 11, after 0x201 of step 10 or before, and received before frame 12.
  EXPECT_THAT(bus, HasSubstr("\n0.012,10,11,")) << bus;
  EXPECT_THAT(bus, HasSubstr("\n0.199,197,198,")) << bus;
  EXPECT_EQ(counts_of_last_row("out"), counts_of_summary("out"));
}

TEST_P(CanRig, RunsTheSameEachTime) {
  std::set<std::string> runs;
  for (const char* const out : {"one", "two"}) {
    CanPeer peer(library, uri(), "CAN1");
    const test::Finished run = test::run(command({"--out", out}));
    ASSERT_EQ(run.status, 0) << run;
    runs.insert(read_file(dir_ / (std::string(out) + "/bus.csv")));
  }
  EXPECT_EQ(runs.size(), 1U);
}

TEST_P(CanRig, LetsGoWhatItsRulesSay) {
  CanPeer peer(library, uri(), "CAN1");
  const test::Finished run =
      test::run(command({"--out", "out", "--set", "link.can.body.forward.to_real=[not PeerStatus]", "--set",
                         "link.can.body.forward.to_virtual=[0x200-0x2FF]"}));
  ASSERT_EQ(run.status, 0) << run;
  const Json can = summary("out")["can"]["body"];
  EXPECT_TRUE(peer.heard().empty());
  EXPECT_EQ(can["to_virtual"], 0) << can;
  EXPECT_GE(can["to_real"], 19) << can;
  EXPECT_LE(can["to_real"], 21) << "0x201 alone; " << can;
}

TEST_P(CanRig, KnowsMessagesOfJ1939FromAnySource) {
  CanPeer peer(library, uri(), "CAN1");
  peer.also_send(0x0CF00421, SilKit_CanFrameFlag_ide, 8);
  const test::Finished run =
      test::run(command({"--out", "out", "--set", "link.can.body.forward.to_real=['EEC1@*']"}));
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_GE(summary("out")["can"]["body"]["to_real"], 195);
}

TEST_P(CanRig, RefusesOtherSourcesOfJ1939) {
  CanPeer peer(library, uri(), "CAN1");
  peer.also_send(0x0CF00421, SilKit_CanFrameFlag_ide, 8);
  const test::Finished run = test::run(command(
      {"--out", "out", "--set", "link.can.body.forward.to_real=[EEC1, 'EEC1@0x22', 'PGN61444@0x23']"}));
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_EQ(summary("out")["can"]["body"]["to_real"], 0);
}

TEST_P(CanRig, CallsNoFrameAMismatchThatItsRulesRefuse) {
  CanPeer peer(library, uri(), "CAN1");
  peer.also_send(0x300, SilKit_CanFrameFlag_fdf, 12);
  const test::Finished run =
      test::run(command({"--out", "out", "--set", "link.can.body.forward.to_real=[PeerStatus]"}));
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_EQ(summary("out")["can"]["body"]["mismatched"], 0);
  EXPECT_THAT(run.out + run.err, ::testing::Not(HasSubstr("CAN FD")));
}

TEST_P(CanRig, SaysHowManyFramesDidNotFit) {
  CanPeer peer(library, uri(), "CAN1");
  peer.also_send(0x300, SilKit_CanFrameFlag_fdf, 12);
  const test::Finished run = test::run(command({"--out", "out"}));
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_GE(summary("out")["can"]["body"]["mismatched"], 195);
  EXPECT_THAT(run.out + run.err, HasSubstr(" CAN frames that did not fit"));
}

TEST_P(CanRig, SaysHowManyFramesWereLost) {
  CanPeer peer(library, uri(), "CAN1");
  const test::Finished run = test::run(command({"--out", "out", "--set", "models.car.queue=1"}));
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_GE(summary("out")["can"]["body"]["lost"], 19) << "0x201 finds the place taken by 0x200";
  EXPECT_EQ(counts_of_last_row("out"), counts_of_summary("out"));
  EXPECT_THAT(run.out + run.err, HasSubstr(" CAN frames lost"));
}

TEST_P(CanRig, RefusesAll) {
  CanPeer peer(library, uri(), "CAN1");
  const test::Finished run =
      test::run(command({"--out", "out", "--set", "link.can.body.forward.to_real=[PeerStatus, not all]"}));
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_EQ(summary("out")["can"]["body"]["to_real"], 0);
}

TEST_P(CanRig, IsOnItsOwnNetworkAlone) {
  CanPeer peer(library, uri(), "CAN2");
  const test::Finished run = test::run(command({"--out", "out"}));
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_TRUE(peer.heard().empty());
  EXPECT_EQ(summary("out")["can"]["body"]["to_real"], 0);
}

INSTANTIATE_TEST_SUITE_P(All, CanRig, ::testing::Values(Pair::ours, Pair::genuine_peer, Pair::genuine_both),
                         pair_name);

/// Runs for seconds, as the log says what was lost once a second.
class CanRigLogNightly : public CanRig {};
TEST_P(CanRigLogNightly, SaysWhileTheRigRunsHowManyFramesWereLost) {
  CanPeer peer(library, uri(), "CAN1");
  const test::Finished run =
      test::run(command({"--out", "out", "--until", "20 s", "--set", "models.car.queue=1"}));
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_THAT(read_file(dir_ / "out/log.txt"), HasSubstr(" CAN frames were lost so far: "));
}
INSTANTIATE_TEST_SUITE_P(Only, CanRigLogNightly, ::testing::Values(Pair::ours), pair_name);

class CanRigFile : public CanRig {};
TEST_P(CanRigFile, NamesWhatIsWrong) {
  const auto problem = [&](const std::string& set) {
    const test::Finished check =
        test::run({.argv = {LINK_TACTUS, "check", "rig.yaml", "--set", set}, .cwd = dir_.path()});
    EXPECT_EQ(check.status, 2) << check;
    return check.err;
  };
  EXPECT_THAT(problem("link.can.body.bus=cart"), HasSubstr("there is no model 'cart'"));
  EXPECT_THAT(problem("link.can.body.forward.to_real=[PeerState]"), HasSubstr("did you mean 'PeerStatus'?"));
  EXPECT_THAT(problem("link.can.body.forward.to_virtual=[0x900-0x100]"),
              HasSubstr("link.can.body.forward.to_virtual[0]"));
  EXPECT_THAT(problem("link.can.again={bus: car, network: CAN1}"),
              HasSubstr("frames would go round for ever"));
  EXPECT_THAT(problem("link.can.again={bus: car, network: CAN2, controller: body}"),
              HasSubstr("link.can.again.controller: the rig has a controller 'body' already"));
  EXPECT_THAT(problem("link.can.body.to=[]"), HasSubstr("unknown"));
}

INSTANTIATE_TEST_SUITE_P(Only, CanRigFile, ::testing::Values(Pair::ours), pair_name);

/// The demos of a genuine SIL Kit, with our registry.
class CanDemo : public CanRig {
 protected:
  void SetUp() override {
    CanRig::SetUp();
    if (IsSkipped()) return;
    for (const char* const demo : {"bin/SilKitDemoCanWriter", "bin/SilKitDemoCanReader"})
      if (!fs::exists(genuine(demo))) GTEST_SKIP() << genuine(demo) << " was not built";
    (void)dir_.write("bus.dbc", std::string(kCanDatabase) +
                                    "BO_ 3 Demo: 8 PEER\n SG_ Text : 0|32@1+ (1,0) [0|0] \"\" RIG\n"
                                    "BA_DEF_ BO_ \"VFrameFormat\" ENUM \"StandardCAN\",\"StandardCAN_FD\";\n"
                                    "BA_DEF_DEF_ \"VFrameFormat\" \"StandardCAN\";\n"
                                    "BA_ \"VFrameFormat\" BO_ 3 1;\n");
  }
  test::Command demo(const std::string& which) {
    return {.argv = {genuine("bin/SilKitDemoCan" + which).string(), "--registry-uri", uri(), "--name", which,
                     "--log", "info", "--fast"},
            .env = {{"LD_LIBRARY_PATH", genuine("lib").string()}},
            .cwd = dir_.path()};
  }
  test::Command workflow(const std::string& which) {
    return {.argv = {LINK_TACTUS, "workflow", "-u", uri(), which, "Rig"}, .cwd = dir_.path()};
  }
};

TEST_P(CanDemo, ReadsWhatTheRigSends) {
  test::Process reader(demo("Reader"));
  test::Process controller(workflow("Reader"));
  const test::Finished run = test::run(command({"--out", "out"}));
  ASSERT_EQ(run.status, 0) << run << reader.out() << reader.err();
  EXPECT_EQ(reader.wait().status, 0) << reader.out();
  EXPECT_THAT(reader.out(), HasSubstr("Receive CAN frame: canId=256, data='g\x12'"));
  EXPECT_GE(summary("out")["can"]["body"]["acknowledged"], 35);
}

TEST_P(CanDemo, WritesWhatTheRigReceives) {
  test::Process writer(demo("Writer"));
  test::Process controller(workflow("Writer"));
  const test::Finished run =
      test::run(command({"--out", "out", "--set", "record.bus.variables=[car.Demo.Text, car.Demo.count]"}));
  ASSERT_EQ(run.status, 0) << run << writer.out() << writer.err();
  EXPECT_EQ(writer.wait().status, 0) << writer.out();
  EXPECT_THAT(writer.out(), HasSubstr("Sending CAN FD frame, canId=3, data='CAN 30'"));
  EXPECT_THAT(writer.out(), HasSubstr("Receive CAN frame: canId=256")) << "it hears the rig, too";
  // "CAN " as the demo writes it, in each 5 ms.
  const std::string bus = read_file(dir_ / "out/bus.csv");
  EXPECT_THAT(bus, HasSubstr("," + std::to_string(0x204E4143) + ",3")) << bus;
}
INSTANTIATE_TEST_SUITE_P(All, CanDemo, ::testing::Values(Pair::genuine_peer, Pair::genuine_both), pair_name);

}  // namespace
}  // namespace tactus::drivers::link::can_rig_test
