// SPDX-License-Identifier: Apache-2.0
/// Raw frames of a bus: written to a file, sent again from one; and messages of J1939 by their names.
#include <sys/resource.h>

#include <algorithm>
#include <csignal>

#include "executive/driver/device_error.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/can/model/bus_test.hpp"
#include "tests/support/process.hpp"

namespace tactus::drivers::can::raw_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class CanRaw : public test::BusTest {
 protected:
  CanRaw() {
    database(
        "BO_ 1 M: 2 A\n SG_ X : 0|8@1+ (1,0) [0|0] \"\" B\nBO_ 3 R: 1 B\n SG_ Z : 0|8@1+ (1,0) [0|0] \"\" A\n"
        "BO_ 2364540158 EEC1: 8 B\n SG_ Speed : 24|16@1+ (0.125,0) [0|8031] \"rpm\" A\n");
  }
  std::string log(const std::string& text) { return dir_.write("drive.log", text).string(); }
};

TEST_F(CanRaw, WritesAllFramesThatItSeesAndItsOwn) {
  const std::string file = (dir_ / "bus.log").string();
  start("receive: { R: {} }\nsend: { M: { cycle: 5 ms, start: { X: 7 } } }\nraw: { file: " + file + " }");
  frames(3);
  send(3, {9});
  frames(1);
  send(0x555, {1, 2});
  frames(4);
  EXPECT_THAT(host_->messages(), testing::Not(HasSubstr("raw log"))) << "at the end alone";
  (void)host_->run("end");
  EXPECT_THAT(host_->messages(), HasSubstr(" frames, 0 lost"));
  host_.reset();
  const std::string text = test::read_file(file);
  EXPECT_THAT(text, HasSubstr(" 001#0700\n"));
  EXPECT_THAT(text, HasSubstr(" 003#09\n"));
  EXPECT_THAT(text, HasSubstr(" 555#0102\n"));
  EXPECT_THAT(text, StartsWith("(0.000650) " + interface_ + " 001#0700\n"));
}

/// Files of this process grow no further than this while it lives, as on a full disk.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t most) {
    (void)::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{most, before_.rlim_max};
    (void)::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() {
    (void)::setrlimit(RLIMIT_FSIZE, &before_);
    (void)std::signal(SIGXFSZ, handler_);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
  rlimit before_{};
};

TEST_F(CanRaw, AFileThatTakesNoMoreEndsInAWholeLineAndTheLossIsSaid) {
  constexpr rlim_t kMost = 500;
  const std::string file = (dir_ / "bus.log").string();
  start("send: { M: { cycle: 1 ms, start: { X: 7 } } }\nraw: { file: " + file + " }");
  {
    const SmallFiles small(kMost);
    frames(50);
    (void)host_->run("end");
  }
  const std::string text = test::read_file(file);
  EXPECT_LE(text.size(), kMost);
  EXPECT_THAT(text, testing::EndsWith(" 001#0700\n"));
  const auto lines = std::count(text.begin(), text.end(), '\n');
  const std::string said = host_->messages();
  EXPECT_THAT(said, HasSubstr("! raw log " + file + ": frames from here on are missing: File too large"));
  EXPECT_THAT(said, HasSubstr("\nraw log " + file + ": " + std::to_string(lines) + " frames, "));
  EXPECT_THAT(said, testing::Not(HasSubstr(" frames, 0 lost")));
}

TEST_F(CanRaw, TouchesNoFileThatIsThere) {
  const std::string file = log("mine\n");
  try {
    start("send: { M: { cycle: 5 ms } }\nraw: { file: " + file + " }");
    FAIL();
  } catch (const executive::DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("it is not written over"));
  }
  EXPECT_EQ(test::read_file(file), "mine\n");
}

TEST_F(CanRaw, SendsALogAgainAtItsTimes) {
  const std::string file =
      log("(100.000000) can0 123#0102\n(100.002500) can0 00000124#03\n(100.002600) can0 003#04\n(100.007000) "
          "can0 123#05\n");
  start("receive: { R: {} }\nreplay: { file: " + file + ", at: 2 ms }");
  frames(12);
  ASSERT_EQ(seen_.size(), 3U) << "R is received by the rig, and so not sent";
  EXPECT_EQ(seen_[0].stamp / 1000, 2150);  // at 2 ms, and 75 bits
  EXPECT_EQ(seen_[0].frame.id, 0x123U);
  EXPECT_TRUE(seen_[1].frame.extended);
  EXPECT_EQ(seen_[1].stamp / 1'000'000, 4);
  EXPECT_EQ(seen_[2].stamp / 1'000'000, 9);
  EXPECT_EQ(host_->get("replay.sent"), 3);
  EXPECT_EQ(host_->get("bus.unknown"), 0);
}

TEST_F(CanRaw, SendsWhatIsNamedAndInALoopAndNotWhileItIsOff) {
  const std::string file = log("(5.000) c 003#01\n(5.001) c 123#02\n(5.004) c 003#03\n");
  start("send: { M: { cycle: 100 ms } }\nreplay: { file: " + file +
        ", messages: [ R, '0x200' ], loop: yes }");
  frames(6);
  EXPECT_THAT(times_of(3), ElementsAre(0, 4, 4)) << "the second round begins where the first ends";
  host_->set("replay.enabled", 0);
  frames(4);
  host_->set("replay.enabled", 1);
  frames(4);
  EXPECT_THAT(times_of(3), ElementsAre(0, 4, 4, 12, 12));
  EXPECT_TRUE(times_of(0x123).empty());
}

TEST_F(CanRaw, SaysWhichFramesOfALogFoundNoRoomAndEndsTheRigWhereOnFullSaysSo) {
  const std::string file =
      log("(5.000) c 123#01\n(5.000) c 123#02\n(5.000) c 123#03\n(5.000) c 123#04\n(5.000) c 123#05\n");
  start("queue: 2\nreplay: { file: " + file + " }");
  frames(6);
  EXPECT_EQ(times_of(0x123).size(), 2U);
  EXPECT_EQ(host_->get("replay.sent"), 2);
  EXPECT_EQ(host_->get("bus.queue_full"), 3);
  EXPECT_THAT(host_->messages(), HasSubstr("! the queue of " + interface_ +
                                           " was full for a frame of the replay or of a station"));
  start("queue: 2\nreplay: { file: " + file + " }");
  frames(1);
  EXPECT_THAT(host_->messages(),
              HasSubstr("counted in bus.queue_full. Is the bus overloaded, or `queue` too small?"));
  start("queue: 2\non_full: terminate\nreplay: { file: " + file + " }");
  EXPECT_FALSE(host_->frame());
  EXPECT_THAT(host_->failure(), HasSubstr("the queue is full: `queue` messages wait"));
}

TEST_F(CanRaw, SendsNothingAgainThatIsReceivedFromAnySource) {
  // EEC1 from two other sources and with another priority, and one of another group.
  const std::string file = log("(5.000) c 0CF00421#01\n(5.001) c 00F00422#02\n(5.002) c 0CF00533#03\n");
  start("receive: { any: { message: 'EEC1@*' } }\nreplay: { file: " + file + " }");
  frames(6);
  ASSERT_EQ(seen_.size(), 1U);
  EXPECT_EQ(seen_[0].frame.id, 0x0CF00533U);
}

TEST_F(CanRaw, RefusesToSendAgainByIdWhatTheRigSends) {
  const std::string file = log("(5.000) c 001#01\n(5.001) c 0CF00430#01\n");
  EXPECT_THAT(problems("send: { M: { cycle: 1 ms } }\nreplay: { file: " + file + ", messages: [ '0x1' ] }"),
              HasSubstr("message M is sent by the rig, too"));
  EXPECT_THAT(problems("send: { pto: { message: EEC1@0x30, cycle: 2 ms } }\nreplay: { file: " + file +
                       ", messages: [ '0x0CF00430' ] }"),
              HasSubstr("message pto is sent by the rig, too"));
}

TEST_F(CanRaw, AResetBeginsTheLogAnew) {
  const std::string file = log("(5.000) c 123#01\n(5.003) c 123#02\n");
  start("replay: { file: " + file + " }");
  frames(6);
  EXPECT_EQ(times_of(0x123).size(), 2U);
  host_->go_to(0);
  (void)host_->run("restart");
  frames(6);
  EXPECT_EQ(times_of(0x123).size(), 4U);
}

TEST_F(CanRaw, AfterALoadOfALaterTimeNothingComesThatWasOnItsWay) {
  start("receive: { R: {} }\nsend: { M: { type: on_write } }");
  frames(1);
  host_->set("M.send", 1);
  ASSERT_EQ(host_->run("send"), 0);
  host_->go_to(50);
  (void)host_->run("restart");
  frames(3);
  EXPECT_TRUE(times_of(1).empty()) << "it waited for the bus";
  send(3, {9});
  peer_->begin(host_->time() + 500'000, 1'000'000);  // it has come, and waits for the next frame
  host_->go_to(100);
  (void)host_->run("restart");
  frames(3);
  EXPECT_EQ(host_->get("R.count"), 0);
}

TEST_F(CanRaw, RefusesLogsThatAreNone) {
  const auto wrong = [this](const std::string& keys) { return problems("replay: { " + keys + " }"); };
  EXPECT_THAT(wrong("file: /nowhere.log"), HasSubstr("replay.file: /nowhere.log: cannot be read"));
  const std::string bad = log("(5.000) c 123#01\n(5.001) c 12Z#01\n");
  EXPECT_THAT(wrong("file: " + bad), HasSubstr("line 2 is not a line of candump -L or of ASC"));
  const std::string good = log("(5.000) c 123#01\n");
  EXPECT_THAT(wrong("file: " + good + ", channel: d"), HasSubstr("has no frames of channel 'd'"));
  EXPECT_THAT(wrong("file: " + good + ", messages: [ Nope ]"), HasSubstr("no message that fits 'Nope'"));
  EXPECT_THAT(problems("send: { M: { cycle: 1 ms } }\nreplay: { file: " + good + ", messages: [ M ] }"),
              HasSubstr("message M is sent by the rig, too"));
}

TEST_F(CanRaw, CostsNoHeapInAFrame) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "(5." + std::to_string(1000 + i).substr(1) + ") c 123#01\n";
  start("send: { M: { cycle: 1 ms } }\nraw: { file: " + (dir_ / "x.asc").string() +
        ", format: asc }\nreplay: { file: " + log(text) + " }");
  frames(2);
  const rtsync::HeapWatch heap;
  for (int i = 0; i < 50; ++i) (void)host_->frame();
  EXPECT_EQ(heap.calls(), 0U);
}

TEST_F(CanRaw, NamesMessagesOfJ1939BySourceAndGroup) {
  // EEC1 in the database: priority 3, group 61444, source 0xFE.
  start(
      "receive: { engine: { message: EEC1@0x21 }, other: { message: PGN61444@0 } }\nsend: { M: { cycle: 100 "
      "ms } }");
  const std::vector<int> rpm800{0, 0, 0, 0x00, 0x19, 0, 0, 0}, rpm1600{0, 0, 0, 0x00, 0x32, 0, 0, 0};
  send(0x0CF00421, rpm800, true);
  frames(1);
  EXPECT_EQ(host_->get("engine.Speed"), 0) << "comes with the next frame";
  send(0x18F00400, rpm1600, true);  // another priority
  frames(2);
  EXPECT_EQ(host_->get("engine.Speed"), 800);
  EXPECT_EQ(host_->get("other.Speed"), 1600);
  send(0x0CF00422, rpm1600, true);
  frames(2);
  EXPECT_EQ(host_->get("engine.Speed"), 800);
  EXPECT_EQ(host_->get("bus.unknown"), 1);
}

TEST_F(CanRaw, SendsAMessageOfJ1939FromASourceAndReceivesFromAny) {
  start("receive: { any: { message: 'EEC1@*' } }\nsend: { M: { cycle: 100 ms } }");
  send(0x18F00455, {0, 0, 0, 0x00, 0x19, 0, 0, 0}, true);
  frames(3);
  EXPECT_EQ(host_->get("any.Speed"), 800);
  host_.reset();
  start("send: { pto: { message: EEC1@0x30, cycle: 2 ms } }");
  seen_.clear();
  frames(4);
  ASSERT_FALSE(seen_.empty());
  EXPECT_EQ(seen_[0].frame.id, 0x0CF00430U);
  EXPECT_THAT(problems("send: { x: { message: M@1 } }"),
              HasSubstr("has an id of 11 bits, so it is not a J1939 message"));
  EXPECT_THAT(problems("receive: { x: { message: EEC1@300 } }"),
              HasSubstr("receive.x.message: '300' is not a whole number from 0 to 0xFF"));
  EXPECT_THAT(problems("receive: { x: { message: PGN5 } }"), HasSubstr("no message of parameter group '5'"));
}

}  // namespace
}  // namespace tactus::drivers::can::raw_test
