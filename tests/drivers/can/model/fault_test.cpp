// SPDX-License-Identifier: Apache-2.0
/// Faults of messages and of the bus, as another station sees them.
#include "drivers/can/codec/e2e.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/can/model/bus_test.hpp"

namespace tactus::drivers::can::fault_test {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CanFault : public test::BusTest {
 protected:
  CanFault() {
    database(
        "BO_ 1 M: 8 A\n SG_ X : 40|8@1+ (1,0) [0|0] \"\" B\nBO_ 2 N: 2 A\n SG_ Y : 0|8@1+ (1,0) [0|0] \"\" "
        "B\n"
        " SG_ Cnt : 8|4@1+ (1,0) [0|0] \"\" B\nBO_ 3 R: 1 B\n SG_ Z : 0|8@1+ (1,0) [0|0] \"\" A\n");
    start(
        "receive: { R: {} }\nsend: { M: { cycle: 2 ms, start: { X: 7 }, checksum: { profile: e2e_5, data_id: "
        "7 } }, "
        "N: { cycle: 4 ms, counter: Cnt } }");
  }
  std::uint32_t number(const std::string& target, const std::string& kind) {
    const auto all = host_->model().faults();
    for (std::uint32_t i = 0; i < all.size(); ++i)
      if (all[i].target == target && all[i].kind == kind) return i;
    throw std::runtime_error("no fault " + kind + " of " + target);
  }
  void fault(const std::string& target, const std::string& kind, bool acts, double amount = 0) {
    host_->model().disturb(number(target, kind), acts, amount);
  }
  /// What a receiver of M finds in what has come since the last time; "3 bytes" of another length.
  std::vector<std::string> found() {
    std::vector<std::string> all;
    for (; looked_ < seen_.size(); ++looked_) {
      const CanFrame& each = seen_[looked_].frame;
      if (each.id != 1) continue;
      if (each.length != 8) {
        all.push_back(std::to_string(each.length) + " bytes");
        continue;
      }
      switch (receiver_.receive(each.data.at, each.length)) {
        case E2eResult::first:
        case E2eResult::ok:
          all.emplace_back("ok");
          break;
        case E2eResult::ok_some_lost:
          all.emplace_back("lost");
          break;
        case E2eResult::repeated:
          all.emplace_back("repeated");
          break;
        case E2eResult::wrong_checksum:
          all.emplace_back("wrong");
          break;
        default:
          all.emplace_back("else");
      }
    }
    return all;
  }

  static E2eSettings settings() {
    E2eSettings made;
    made.profile = E2eProfile::p5;
    made.data_id = 7;
    made.most_lost = 4;
    return made;
  }
  const E2e e2e_{settings()};
  E2eReceiver receiver_{e2e_};
  std::size_t looked_ = 0;
};

TEST_F(CanFault, SpoilsTheChecksumOnTheWireWhileItActs) {
  frames(4);
  EXPECT_THAT(found(), ElementsAre("ok", "ok"));
  fault("M", "wrong_checksum", true);
  frames(4);
  EXPECT_THAT(found(), ElementsAre("wrong", "wrong"));
  EXPECT_EQ(seen_.back().frame.data.at[5], 7) << "the signals stay as they are";
  fault("M", "wrong_checksum", false);
  frames(4);
  EXPECT_THAT(found(), ElementsAre("lost", "ok")) << "the counter went on";
  EXPECT_EQ(host_->model().disturbed(number("M", "wrong_checksum")), 2U);
}

TEST_F(CanFault, StopsTheCounterWithARightChecksum) {
  frames(4);
  fault("M", "stuck_counter", true);
  frames(6);
  fault("M", "stuck_counter", false);
  frames(4);
  EXPECT_THAT(found(), ElementsAre("ok", "ok", "repeated", "repeated", "repeated", "ok", "ok"));
}

TEST_F(CanFault, StopsTheCounterOfAMessageWithoutAProfile) {
  frames(7);
  fault("N", "stuck_counter", true);
  frames(8);
  std::vector<int> counters;
  for (const Seen& each : seen_)
    if (each.frame.id == 2) counters.push_back(each.frame.data.at[1]);
  EXPECT_THAT(counters, ElementsAre(0, 1, 1, 1));
}

TEST_F(CanFault, LeavesMessagesOutAndGoesOnCounting) {
  frames(4);
  fault("M", "missing", true);
  frames(4);
  EXPECT_THAT(found(), ElementsAre("ok", "ok"));
  fault("M", "missing", false);
  frames(2);
  EXPECT_THAT(found(), ElementsAre("lost"));
  EXPECT_EQ(receiver_.lost(), 2U);
  EXPECT_EQ(host_->get("M.sent"), 3);
  EXPECT_EQ(host_->get("M.not_sent"), 0) << "nothing went wrong";
}

TEST_F(CanFault, SendsItLaterAndSaysSo) {
  frames(3);
  fault("M", "late", true, 0.0045);
  frames(1);  // frame 3: none is due
  frames(1);  // frame 4 is: it is sent at 9.0 ms
  fault("M", "late", false, 0.0045);
  frames(8);
  std::vector<std::int64_t> stamps;
  for (const Seen& each : seen_)
    if (each.frame.id == 1) stamps.push_back(each.stamp / 1'000'000);
  EXPECT_THAT(stamps, ElementsAre(0, 2, 6, 8, 9, 10, 12)) << "4 is sent at 9, behind those of 6 and 8";
}

TEST_F(CanFault, SendsItTwiceAndOutsideOfItsSchedule) {
  frames(2);
  fault("M", "twice", true);
  frames(2);
  fault("M", "twice", false);
  EXPECT_THAT(found(), ElementsAre("ok", "ok", "repeated"));
  fault("M", "extra", true);
  frames(4);
  EXPECT_THAT(found(), ElementsAre("ok", "ok", "ok", "ok")) << "one in each frame, with its own counter";
  EXPECT_EQ(host_->model().disturbed(number("M", "extra")), 2U);
}

TEST_F(CanFault, RoundsAnAmountAndSaysSoOnce) {
  fault("M", "wrong_length", true, 2.75);
  EXPECT_EQ(host_->messages(), "")
      << "job 'send' puts it into the log, whose other entries are of its thread";
  frames(2);
  EXPECT_THAT(found(), ElementsAre("3 bytes"));
  fault("M", "wrong_length", true, 2.8);
  frames(2);
  const std::string said = host_->messages();
  EXPECT_THAT(said,
              testing::HasSubstr("fault wrong_length of M is rounded to 3: its amount is a whole number"));
  EXPECT_EQ(said.find("rounded"), said.rfind("rounded")) << said;
  fault("bus", "error_frames", true, 2.5);
  frames(1);
  EXPECT_THAT(host_->messages(), testing::HasSubstr("fault error_frames of the bus is rounded to 3"));
}

TEST_F(CanFault, SendsAnotherLength) {
  fault("M", "wrong_length", true, 7);
  frames(2);
  EXPECT_THAT(found(), ElementsAre("7 bytes"));
  EXPECT_EQ(host_->model().faults()[number("M", "wrong_length")].fallback, 7);
  EXPECT_EQ(shorter(12), 8U);
  EXPECT_EQ(shorter(64), 48U);
  EXPECT_EQ(shorter(0), 0U);
}

TEST_F(CanFault, NeitherSendsNorReceivesWhileBusOff) {
  frames(3);
  const auto before = seen_.size();
  send(3, {9});
  fault("bus", "bus_off", true);
  frames(6);
  EXPECT_EQ(seen_.size(), before);
  EXPECT_EQ(host_->get("bus.state"), static_cast<int>(BusState::bus_off));
  EXPECT_EQ(host_->get("R.count"), 0);
  EXPECT_GT(host_->get("M.not_sent"), 0);
  fault("bus", "bus_off", false);
  frames(4);
  EXPECT_GT(seen_.size(), before);
  EXPECT_EQ(host_->get("bus.state"), static_cast<int>(BusState::active));
  EXPECT_THAT(host_->messages(), HasSubstr("is bus-off at 0.003 s: injected by a fault of the rig"));
}

TEST_F(CanFault, DestroysFramesByErrorFramesThatAllStationsCount) {
  frames(2);
  fault("bus", "error_frames", true, 1);
  unsigned peer_errors = 0;
  host_->frame();
  host_->frame();
  peer_->begin(host_->time(), 1'000'000);
  PortEvent event;
  std::int64_t came = 0;
  while (peer_->receive(event, false)) {
    if (event.kind == PortEvent::Kind::status)
      peer_errors = std::max(peer_errors, event.status.receive_errors);
    if (event.kind == PortEvent::Kind::received && event.frame.id == 1) came = event.stamp;
  }
  EXPECT_EQ(peer_errors, 1U);
  EXPECT_EQ(came, 2'500'000 + 2 * 270'000 + 46'000) << "twice the frame of 135 bits, and an error frame";
  EXPECT_EQ(host_->model().disturbed(number("bus", "error_frames")), 1U);
  frames(1);
  EXPECT_EQ(host_->get("bus.transmit_errors"), 7)
      << "8 for the error, less one for the frame that came through";
}

TEST_F(CanFault, ErrorFramesOfTwoStationsEndEachByItself) {
  frames(2);
  peer_->disturb(2);
  fault("bus", "error_frames", true, 1);
  frames(3);
  fault("bus", "error_frames", false, 1);
  frames(4);
  EXPECT_TRUE(peer_->is_disturbed()) << "by the other one";
  EXPECT_GT(peer_->disturbed(), host_->model().disturbed(number("bus", "error_frames")));
  peer_->disturb(0);
  frames(2);
  EXPECT_FALSE(peer_->is_disturbed());
}

TEST_F(CanFault, CountsNoLengthThatIsTheMessagesOwn) {
  fault("M", "wrong_length", true, 8);
  frames(5);
  EXPECT_EQ(host_->model().disturbed(number("M", "wrong_length")), 0U);
}

TEST_F(CanFault, ErrorFramesWithoutEndMakeTheSenderBusOffAndItComesBack) {
  frames(2);
  fault("bus", "error_frames", true, 255);
  frames(13);  // an attempt takes 316 us
  EXPECT_EQ(host_->get("bus.state"), static_cast<int>(BusState::bus_off)) << "32 errors of 8";
  EXPECT_EQ(host_->get("bus.transmit_errors"), 256);
  fault("bus", "error_frames", false, 255);
  seen_.clear();
  frames(20);
  EXPECT_EQ(host_->get("bus.state"), static_cast<int>(BusState::active));
  EXPECT_EQ(host_->get("bus.restarts"), 1);
  EXPECT_FALSE(seen_.empty());
}

TEST_F(CanFault, SaysWhichCannotBeHad) {
  const auto all = host_->model().faults();
  EXPECT_THAT(all[number("N", "wrong_checksum")].refused, HasSubstr("message N has no checksum"));
  EXPECT_THAT(all[number("N", "stuck_counter")].refused, IsEmpty());
  EXPECT_THAT(all[number("R", "missing")].refused, HasSubstr("message R is received"));
  EXPECT_THAT(all[number("bus", "error_frames")].refused, IsEmpty());
}

TEST_F(CanFault, CostsNoHeapInAFrame) {
  frames(4);
  for (const char* const kind : {"wrong_checksum", "stuck_counter", "late", "twice", "extra", "wrong_length"})
    fault("M", kind, true, 0.001);
  const std::uint32_t errors = number("bus", "error_frames"), off = number("bus", "bus_off");
  const rtsync::HeapWatch heap;
  for (int i = 0; i < 20; ++i) {
    host_->model().disturb(errors, i % 2 == 0, 40);
    host_->model().disturb(off, i > 15, 0);
    (void)host_->run("receive");
    (void)host_->run("send");
    host_->go_to(5 + i);
  }
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::drivers::can::fault_test
