// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/codec/e2e.hpp"
#include "executive/driver/device_error.hpp"
#include "tests/drivers/can/model/bus_test.hpp"

namespace tactus::drivers::can::end_test {
namespace {

using testing::HasSubstr;

/// A port of a real interface that keeps what is sent.
struct KeepingPort final : Port {
  void begin(std::int64_t, std::int64_t) TACTUS_RT override {}
  bool receive(PortEvent& event, bool) TACTUS_RT override {
    if (events.empty()) return false;
    event = events.front();
    events.erase(events.begin());
    return true;
  }
  bool send(const CanFrame& frame, std::uint32_t tag, std::int64_t offset) TACTUS_RT override {
    offsets[tag] = offset;
    sent.push_back(frame);
    return !closed;
  }
  int send_at_once(const CanFrame& frame) TACTUS_RT override {
    ++tries;
    if (full > 0 && tries % full != 0) return ENOBUFS;
    if (error != 0) return error;
    at_once.push_back(frame);
    return 0;
  }
  void discard() TACTUS_RT override { discarded_at = static_cast<int>(at_once.size()); }
  void close() TACTUS_RT override { closed = true; }

  static inline std::vector<PortEvent> events;
  static inline std::vector<CanFrame> sent, at_once;
  static inline std::map<std::uint32_t, std::int64_t> offsets;
  static inline bool closed = false, with_fd = false;
  static inline int discarded_at = -1;  // frames that were sent at once before
  static inline int tries = 0, error = 0;
  static inline int full = 0;  // a frame is taken at each so many tries
};

class CanEnd : public testing::Test {
 protected:
  CanEnd() {
    KeepingPort::events.clear();
    KeepingPort::sent.clear();
    KeepingPort::at_once.clear();
    KeepingPort::offsets.clear();
    KeepingPort::closed = false;
    KeepingPort::discarded_at = -1;
    KeepingPort::tries = KeepingPort::error = KeepingPort::full = 0;
    (void)dir_.write("bus.dbc",
                     "VERSION \"\"\nBU_: A B\nBO_ 1 M: 8 A\n SG_ X : 40|8@1+ (1,0) [0|0] \"bar\" B\n"
                     "BO_ 2 N: 1 A\n SG_ Y : 0|8@1+ (1,0) [0|0] \"\" B\nBO_ 3 R: 1 B\n SG_ Z : 0|8@1+ (1,0) "
                     "[0|0] \"\" A\n");
  }
  void start(const std::string& keys) {
    host_ = std::make_unique<test::BusHost>(
        driver_, "interface: can0\ndatabase: " + (dir_ / "bus.dbc").string() + "\n" + keys);
  }
  PortEvent event(PortEvent::Kind kind) const {
    PortEvent made;
    made.kind = kind;
    return made;
  }
  test::TempDir dir_;
  test::CanDriver driver_{[](const Settings&, const BitRates&, bool fd) {
    KeepingPort::with_fd = fd;
    return std::make_unique<KeepingPort>();
  }};
  std::unique_ptr<test::BusHost> host_;
};

TEST_F(CanEnd, DrivesSafeValuesWithCounterAndChecksumContinued) {
  start(
      "send: { M: { cycle: 1 ms, start: { X: 7 }, safe: { X: 2 bar }, safe_times: 4, checksum: { profile: "
      "e2e_5, data_id: 7 } }, "
      "N: { cycle: 1 ms } }");
  ASSERT_NE(host_->model().safe_output(), nullptr);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(host_->frame());
  EXPECT_TRUE(host_->model().safe_output()->drive_safe());
  E2eSettings settings;
  settings.profile = E2eProfile::p5;
  settings.data_id = 7;
  const E2e e2e(settings);
  E2eReceiver receiver(e2e);
  int normal = 0;
  for (const CanFrame& each : KeepingPort::sent)
    if (each.id == 1) {
      EXPECT_EQ(receiver.receive(each.data.at, 8), normal++ == 0 ? E2eResult::first : E2eResult::ok);
      EXPECT_EQ(each.data.at[5], 7);
    }
  EXPECT_EQ(normal, 3);
  ASSERT_EQ(KeepingPort::at_once.size(), 5U)
      << "N has no safe values; once more for those that were thrown away";
  EXPECT_EQ(KeepingPort::discarded_at, 0) << "what waits is not sent behind the safe values";
  for (const CanFrame& each : KeepingPort::at_once) {
    EXPECT_EQ(receiver.receive(each.data.at, 8), E2eResult::ok);
    EXPECT_EQ(each.data.at[5], 2);
  }
  EXPECT_FALSE(KeepingPort::closed) << "the rig is not at its end";
}

TEST_F(CanEnd, StartAndSafeValuesOf64BitsKeepAllOfThem) {
  (void)dir_.write("bus.dbc",
                   "VERSION \"\"\nBU_: A B\nBO_ 1 M: 8 A\n SG_ X : 0|64@1+ (1,0) [0|0] \"\" B\n"
                   "BO_ 2 N: 8 A\n SG_ Y : 7|64@0- (1,0) [0|0] \"\" B\n");
  start(
      "send: { M: { cycle: 1 ms, start: { X: 9007199254740993 }, safe: { X: 18446744073709551615 } }, "
      "N: { cycle: 1 ms, start: { Y: 9223372036854775807 }, safe_times: 1, safe: { Y: -9007199254740993 } } "
      "}");
  ASSERT_TRUE(host_->frame());
  EXPECT_TRUE(host_->model().safe_output()->drive_safe());
  const auto bytes = [](const std::vector<CanFrame>& all, std::uint32_t id) {
    for (const CanFrame& each : all)
      if (each.id == id) return std::vector<int>(each.data.at, each.data.at + 8);
    return std::vector<int>();
  };
  using testing::ElementsAre;
  EXPECT_THAT(bytes(KeepingPort::sent, 1), ElementsAre(1, 0, 0, 0, 0, 0, 0x20, 0));
  EXPECT_THAT(bytes(KeepingPort::at_once, 1), ElementsAre(255, 255, 255, 255, 255, 255, 255, 255));
  EXPECT_THAT(bytes(KeepingPort::sent, 2), ElementsAre(127, 255, 255, 255, 255, 255, 255, 255));
  EXPECT_THAT(bytes(KeepingPort::at_once, 2), ElementsAre(255, 0xDF, 255, 255, 255, 255, 255, 255));
  const auto refused = [&](const char* safe) {
    return test::problems_of(driver_, "interface: can0\ndatabase: " + (dir_ / "bus.dbc").string() +
                                          "\nsend: { M: { cycle: 1 ms, safe: { " + safe + " } } }");
  };
  EXPECT_THAT(refused("X: 18446744073709551616"), HasSubstr("does not fit the bits of signal X"));
  EXPECT_THAT(refused("X: -1"), HasSubstr("does not fit the bits of signal X"));
}

TEST_F(CanEnd, AnEndOfTheRigClosesTheBus) {
  start("send: { M: { cycle: 1 ms, safe: { X: 1 } } }");
  const auto outputs = host_->model().outputs();
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(outputs[0].what, "message M on can0");
  EXPECT_THAT(outputs[0].safe.dump(), HasSubstr("X 1"));
  auto* const output = host_->model().safe_output();
  EXPECT_TRUE(output->end_safe());
  EXPECT_TRUE(KeepingPort::closed);
  EXPECT_EQ(KeepingPort::at_once.size(), 3U);
  EXPECT_TRUE(output->end_safe());
  EXPECT_EQ(KeepingPort::at_once.size(), 3U) << "nothing was sent since";
}

TEST_F(CanEnd, SafeValuesWaitForAFullQueue) {
  start("send: { M: { cycle: 1 ms, safe: { X: 1 } }, N: { cycle: 1 ms, safe: { Y: 2 } } }");
  KeepingPort::full = 4;
  EXPECT_TRUE(host_->model().safe_output()->drive_safe());
  EXPECT_EQ(KeepingPort::at_once.size(), 6U);
  KeepingPort::tries = 0;
  KeepingPort::full = 1'000'000;
  EXPECT_FALSE(host_->model().safe_output()->drive_safe());
  EXPECT_EQ(KeepingPort::tries, 56) << "6 frames, and 50 more tries in all";
  KeepingPort::tries = KeepingPort::full = 0;
  KeepingPort::error = ENETDOWN;
  EXPECT_FALSE(host_->model().safe_output()->drive_safe());
  EXPECT_EQ(KeepingPort::tries, 6) << "this one does not pass by itself";
}

TEST_F(CanEnd, ASimulatedBusIsNoOutput) {
  test::CanDriver simulated;
  const test::BusHost host(simulated, "interface: simulated:none\ndatabase: " + (dir_ / "bus.dbc").string() +
                                          "\nsend: { M: { cycle: 1 ms } }");
  EXPECT_EQ(const_cast<test::BusHost&>(host).model().safe_output(), nullptr);
}

TEST_F(CanEnd, HandsOverAtTheOffsetOfTheMessageOrTheModel) {
  start("at: 300 us\nsend: { M: { cycle: 1 ms }, N: { cycle: 1 ms, at: 0 us } }");
  ASSERT_TRUE(host_->frame());
  EXPECT_EQ(KeepingPort::offsets[0], 300'000);
  EXPECT_EQ(KeepingPort::offsets[1], 0);
  start("send: { M: { cycle: 1 ms } }");
  ASSERT_TRUE(host_->frame());
  EXPECT_EQ(KeepingPort::offsets[0], 500'000) << "half of the frame";
}

TEST_F(CanEnd, ShowsTheStateOfTheBus) {
  start("receive: { R: {} }");
  PortEvent passive = event(PortEvent::Kind::status);
  passive.status = {BusState::passive, 130, 4};
  PortEvent off = event(PortEvent::Kind::status);
  off.status.state = BusState::bus_off;
  KeepingPort::events = {passive};
  ASSERT_TRUE(host_->frame());
  EXPECT_EQ(host_->get("bus.state"), host_->variable("bus.state").labels.at("passive"));
  EXPECT_EQ(host_->get("bus.transmit_errors"), 130);
  PortEvent lost = event(PortEvent::Kind::lost);
  lost.count = 5;
  KeepingPort::events = {off, lost, event(PortEvent::Kind::restarted)};
  ASSERT_TRUE(host_->frame()) << "on_bus_off: wait";
  EXPECT_EQ(host_->get("bus.overflow"), 5);
  EXPECT_EQ(host_->get("bus.restarts"), 1);
  EXPECT_THAT(host_->messages(),
              testing::AllOf(HasSubstr("can0 is bus-off: nothing is sent until the interface restarts"),
                             HasSubstr("'sudo ip link set can0 up type can restart-ms 100' the kernel")));
  PortEvent down = event(PortEvent::Kind::status);
  down.status.state = BusState::down;
  KeepingPort::events = {down};
  ASSERT_TRUE(host_->frame());
  EXPECT_THAT(host_->messages(),
              HasSubstr("can0 is down: nothing is sent until it is up (sudo ip link set can0 up)"));
  start("receive: { R: {} }\non_bus_off: terminate");
  KeepingPort::events = {off};
  EXPECT_FALSE(host_->frame());
  EXPECT_THAT(host_->failure(), HasSubstr("CAN can0: the controller is bus-off"));
}

TEST_F(CanEnd, SaysHowAControllerIsRestartedThatItMayNotRestart) {
  PortEvent failed = event(PortEvent::Kind::restart_failed);
  const std::pair<int, const char*> rows[] = {
      {EPERM,
       "that needs CAP_NET_ADMIN. Restart it by 'sudo ip link set can0 type can restart', or let the kernel"},
      {EINVAL, "its restart-ms is not 0"},
      {EOPNOTSUPP, "its driver in the kernel has no restart: sudo ip link set can0 down"},
      {ENODEV, "its restart failed: No such device; try 'sudo ip link set can0 type can restart'"}};
  for (const auto& [error, text] : rows) {
    start("receive: { R: {} }\non_bus_off: { restart_after: 10 ms }");
    failed.error = error;
    KeepingPort::events = {failed, failed};
    ASSERT_TRUE(host_->frame());
    const std::string said = host_->messages();
    EXPECT_THAT(said, HasSubstr(text));
    EXPECT_EQ(said.find("bus-off", said.find("bus-off") + 8), std::string::npos) << "once: " << said;
  }
}

TEST_F(CanEnd, ALoadedCheckpointDoesNotChangeTheStateOfTheBus) {
  start("receive: { R: {} }");
  PortEvent passive = event(PortEvent::Kind::status);
  passive.status = {BusState::passive, 130, 4};
  KeepingPort::events = {passive};
  ASSERT_TRUE(host_->frame());
  *static_cast<std::int32_t*>(host_->variable("bus.state").data) = 0;  // as its image has it
  *static_cast<std::uint32_t*>(host_->variable("bus.receive_errors").data) = 0;
  ASSERT_EQ(host_->run("restart"), 0);
  ASSERT_TRUE(host_->frame());
  EXPECT_EQ(host_->get("bus.state"), static_cast<int>(BusState::passive));
  EXPECT_EQ(host_->get("bus.receive_errors"), 4);
}

TEST_F(CanEnd, FramesThatTheControllerLostHaveNoEcho) {
  start("send: { M: { cycle: 1 ms } }");
  const auto at = [&](PortEvent::Kind kind, std::int64_t stamp) {
    PortEvent made = event(kind);
    made.planned = made.stamp = stamp;
    if (kind == PortEvent::Kind::echo) made.tag = PortEvent::kNoTag;
    made.frame.id = 1;
    return made;
  };
  KeepingPort::events = {at(PortEvent::Kind::taken, 1'000'000), at(PortEvent::Kind::taken, 2'000'000),
                         at(PortEvent::Kind::taken, 51'000'000), at(PortEvent::Kind::restarted, 50'000'000),
                         at(PortEvent::Kind::echo, 51'300'000)};
  ASSERT_TRUE(host_->frame());
  EXPECT_NEAR(host_->get("M.bus_time"), 300e-6, 1e-12) << "lost in bus-off";
  PortEvent down = at(PortEvent::Kind::status, 60'000'000);
  down.status.state = BusState::down;
  KeepingPort::events = {at(PortEvent::Kind::taken, 59'000'000), down, at(PortEvent::Kind::taken, 71'000'000),
                         at(PortEvent::Kind::echo, 71'200'000)};
  ASSERT_TRUE(host_->frame());
  EXPECT_NEAR(host_->get("M.bus_time"), 200e-6, 1e-12) << "lost while it was down";
}

TEST_F(CanEnd, EchoesOfSafeValuesAndLostOnesShiftNoTimes) {
  start("send: { M: { cycle: 1 ms } }");
  const auto at = [&](PortEvent::Kind kind, std::int64_t stamp) {
    PortEvent made = event(kind);
    made.planned = made.stamp = stamp;
    if (kind == PortEvent::Kind::echo) made.tag = PortEvent::kNoTag;
    made.frame.id = 1;
    return made;
  };
  ASSERT_EQ(host_->run("restart"), 0);
  // Three safe frames of the reset: they have echoes, and nothing else.
  for (const std::int64_t stamp : {1'000'000, 2'000'000, 3'000'000})
    KeepingPort::events.push_back(at(PortEvent::Kind::echo, stamp));
  KeepingPort::events.push_back(at(PortEvent::Kind::taken, 10'000'000));
  KeepingPort::events.push_back(at(PortEvent::Kind::echo, 10'300'000));
  ASSERT_TRUE(host_->frame());
  EXPECT_NEAR(host_->get("M.bus_time"), 300e-6, 1e-12);
  KeepingPort::events = {at(PortEvent::Kind::taken, 20'000'000), at(PortEvent::Kind::echo, 3'100'000),
                         at(PortEvent::Kind::echo, 20'200'000)};
  ASSERT_TRUE(host_->frame());
  EXPECT_NEAR(host_->get("M.bus_time"), 200e-6, 1e-12) << "one that is read late";
  // An echo is lost.
  KeepingPort::events = {at(PortEvent::Kind::taken, 30'000'000), event(PortEvent::Kind::lost),
                         at(PortEvent::Kind::taken, 40'000'000), at(PortEvent::Kind::echo, 40'100'000),
                         at(PortEvent::Kind::taken, 50'000'000), at(PortEvent::Kind::echo, 50'100'000)};
  ASSERT_TRUE(host_->frame());
  EXPECT_NEAR(host_->get("M.bus_time"), 100e-6, 1e-12);
  ASSERT_EQ(host_->model().histograms().size(), 2U);
  EXPECT_LT(host_->model().histograms()[1].longest, 400e-6);
}

TEST_F(CanEnd, AReplayOfCanFdAsksForItAndSaysWhatCannotBeSent) {
  (void)dir_.write("classic.log", "(5.000) c 123#01\n");
  (void)dir_.write("fd.log", "(5.000) c 123##1112233\n");
  start("replay: { file: " + (dir_ / "classic.log").string() + " }");
  EXPECT_FALSE(KeepingPort::with_fd);
  start("replay: { file: " + (dir_ / "fd.log").string() + " }");
  EXPECT_TRUE(KeepingPort::with_fd);
  ASSERT_TRUE(host_->frame());
  ASSERT_EQ(KeepingPort::offsets.size(), 1U);
  PortEvent failed = event(PortEvent::Kind::failed);
  failed.tag = KeepingPort::offsets.begin()->first;
  failed.error = EINVAL;
  KeepingPort::events = {failed, failed};
  ASSERT_TRUE(host_->frame());
  EXPECT_THAT(host_->messages(),
              HasSubstr("a frame of the replay or of a station cannot be sent on can0: Invalid"));
}

TEST_F(CanEnd, CountsWhatGaveWayToSafeValues) {
  start("send: { M: { cycle: 1 ms } }");
  KeepingPort::events = {event(PortEvent::Kind::discarded)};
  ASSERT_TRUE(host_->frame());
  EXPECT_EQ(host_->get("M.not_sent"), 1);
}

TEST_F(CanEnd, TellsHowLateMessagesWere) {
  start("send: { M: { cycle: 1 ms } }");
  for (int i = 0; i < 10; ++i) {
    PortEvent taken = event(PortEvent::Kind::taken);
    taken.planned = i * 1'000'000;
    taken.stamp = taken.planned + (i == 9 ? 80'000 : 10'000);
    PortEvent echo = taken;
    echo.kind = PortEvent::Kind::echo;
    echo.stamp += 300'000;
    echo.tag = PortEvent::kNoTag;
    echo.frame.id = 1;
    KeepingPort::events = {taken, echo};
    if (i % 3 == 0) std::swap(KeepingPort::events[0], KeepingPort::events[1]);  // it was read first
    ASSERT_TRUE(host_->frame());
  }
  EXPECT_NEAR(host_->get("M.late"), 80e-6, 1e-12);
  EXPECT_NEAR(host_->get("M.bus_time"), 300e-6, 1e-12);
  ASSERT_EQ(host_->run("end"), 0);
  const std::string log = host_->messages();
  EXPECT_THAT(log, HasSubstr("message M: sent 10; late half below"));
  EXPECT_THAT(log, HasSubstr("longest 80 us; bus time half below"));
}

TEST_F(CanEnd, TellsApartWhoMadeMessagesTooLate) {
  start("send: { M: { cycle: 10 ms, late_after: 1 ms } }");
  ASSERT_TRUE(host_->frame());
  const auto one = [this](std::int64_t planned, std::int64_t taken, std::int64_t echoed) {
    PortEvent made = event(PortEvent::Kind::taken);
    made.planned = planned;
    made.stamp = taken;
    KeepingPort::events.push_back(made);
    made.kind = PortEvent::Kind::echo;
    made.stamp = echoed;
    KeepingPort::events.push_back(made);
    ASSERT_TRUE(host_->frame());
  };
  one(1'000'000, 1'100'000, 1'400'000);  // in time
  one(2'000'000, 2'100'000, 4'400'000);  // 2.3 ms for the bus
  one(5'000'000, 7'100'000, 7'400'000);  // 2.1 ms for us
  one(8'000'000, 8'600'000, 9'250'000);  // 0.6 ms of us and 0.38 ms of waiting: 0.27 ms is the frame itself
  one(10'000'000, 10'600'000, 11'300'000);
  EXPECT_EQ(host_->get("M.too_late"), 3);
  const auto all = host_->model().histograms();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name, "M.late");
  EXPECT_EQ(all[0].limit, 0.001);
  EXPECT_EQ(all[0].not_measured, "") << "can0 is a real bus";
  EXPECT_EQ(all[0].shares[0].cause, "bus");
  EXPECT_EQ(all[0].shares[0].count, 1U);
  EXPECT_EQ(all[0].shares[1].cause, "rig");
  EXPECT_EQ(all[0].shares[1].count, 2U);
  EXPECT_EQ(all[0].shares[2].count, 0U);
  EXPECT_EQ(all[0].count, 5U);
  EXPECT_NEAR(all[0].longest, 0.0021, 1e-12);
  EXPECT_NEAR(all[1].longest, 0.0023, 1e-12);
}

TEST_F(CanEnd, AFullQueueOfTheControllerHasAPolicy) {
  start("send: { M: { cycle: 1 ms } }");
  KeepingPort::events = {event(PortEvent::Kind::full)};
  ASSERT_TRUE(host_->frame());
  EXPECT_EQ(host_->get("bus.queue_full"), 1);
  EXPECT_EQ(host_->get("M.not_sent"), 0) << "it is tried again";
  start("on_full: terminate\nsend: { M: { cycle: 1 ms } }");
  KeepingPort::events = {event(PortEvent::Kind::full)};
  EXPECT_FALSE(host_->frame());
}

}  // namespace
}  // namespace tactus::drivers::can::end_test
