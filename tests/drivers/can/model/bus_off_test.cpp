// SPDX-License-Identifier: Apache-2.0
/// A controller that leaves the bus: when it is restarted, and what follows when that does not help.
#include "drivers/can/model/bus_off.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "drivers/can/port/can_socket.hpp"
#include "tests/drivers/can/model/bus_test.hpp"

namespace tactus::drivers::can::bus_off_test {
namespace {

using testing::AnyOf;
using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;
using Step = BusOffPolicy::Step;

constexpr std::int64_t kMs = 1'000'000;
constexpr int kBusOff = static_cast<int>(BusState::bus_off), kActive = static_cast<int>(BusState::active);

BusOffSettings settings(AfterRestarts then, unsigned at_most = 2) {
  BusOffSettings made;
  made.restart_after = 100ms;
  made.at_most = at_most;
  made.then = then;
  return made;
}

TEST(CanBusOffPolicy, RestartsAfterItsTimeSoManyTimesInARow) {
  const BusOffSettings of = settings(AfterRestarts::terminate);
  BusOffPolicy policy(of);
  EXPECT_EQ(policy.left(), 2);
  EXPECT_EQ(policy.look(10 * kMs, BusState::bus_off), Step::none);
  EXPECT_EQ(policy.look(109 * kMs, BusState::bus_off), Step::none);
  EXPECT_EQ(policy.look(110 * kMs, BusState::bus_off), Step::restart);
  policy.restarted();
  EXPECT_EQ(policy.left(), 1);
  EXPECT_EQ(policy.look(120 * kMs, BusState::active), Step::none);
  EXPECT_EQ(policy.look(130 * kMs, BusState::bus_off), Step::none);
  EXPECT_EQ(policy.look(230 * kMs, BusState::bus_off), Step::restart) << "a second one";
  EXPECT_EQ(policy.look(329 * kMs, BusState::bus_off), Step::none) << "which did not help";
  EXPECT_EQ(policy.look(330 * kMs, BusState::bus_off), Step::then);
  EXPECT_EQ(policy.look(900 * kMs, BusState::bus_off), Step::none) << "once";
}

TEST(CanBusOffPolicy, DoesWhatFollowsAtTheNextBusOffWhenNoRestartIsLeft) {
  const BusOffSettings of = settings(AfterRestarts::terminate, 1);
  BusOffPolicy policy(of);
  (void)policy.look(0, BusState::bus_off);
  EXPECT_EQ(policy.look(100 * kMs, BusState::bus_off), Step::restart);
  policy.restarted();
  EXPECT_EQ(policy.look(101 * kMs, BusState::active), Step::none);
  EXPECT_EQ(policy.look(102 * kMs, BusState::bus_off), Step::then);
}

TEST(CanBusOffPolicy, CountsAnewAfterASteadySecondErrorActive) {
  const BusOffSettings of = settings(AfterRestarts::terminate);
  BusOffPolicy policy(of);
  (void)policy.look(0, BusState::bus_off);
  EXPECT_EQ(policy.look(100 * kMs, BusState::bus_off), Step::restart);
  policy.restarted();
  (void)policy.look(200 * kMs, BusState::active);
  (void)policy.look(1100 * kMs, BusState::warning);
  (void)policy.look(1200 * kMs, BusState::active);
  (void)policy.look(2199 * kMs, BusState::active);
  EXPECT_EQ(policy.left(), 1) << "the warning began the second anew";
  (void)policy.look(2200 * kMs, BusState::active);
  EXPECT_EQ(policy.left(), 2);
}

TEST(CanBusOffPolicy, CountsRestartsThatTheInterfaceMakesByItself) {
  const BusOffSettings of = settings(AfterRestarts::terminate, 1);
  BusOffPolicy policy(of);
  policy.fell_off();
  policy.restarted();  // both in one frame
  EXPECT_EQ(policy.look(1 * kMs, BusState::active), Step::none);
  EXPECT_EQ(policy.left(), 0);
  policy.fell_off();
  policy.restarted();
  EXPECT_EQ(policy.look(2 * kMs, BusState::active), Step::then);
}

TEST(CanBusOffPolicy, HasNoLimitWithoutOne) {
  const BusOffSettings of = settings(AfterRestarts::wait, 0);
  BusOffPolicy policy(of);
  EXPECT_EQ(policy.left(), -1);
  (void)policy.look(0, BusState::bus_off);
  for (int i = 1; i <= 1000; ++i) EXPECT_EQ(policy.look(i * 100 * kMs, BusState::bus_off), Step::restart);
}

TEST(CanBusOffPolicy, CountsAnewWhenAPausedRigIsResumed) {
  const BusOffSettings of = settings(AfterRestarts::safe_state, 1);
  BusOffPolicy policy(of);
  (void)policy.look(0, BusState::bus_off);
  EXPECT_EQ(policy.look(100 * kMs, BusState::bus_off), Step::restart);
  EXPECT_EQ(policy.look(200 * kMs, BusState::bus_off), Step::then);
  EXPECT_EQ(policy.look(201 * kMs, BusState::bus_off), Step::none) << "resumed";
  EXPECT_EQ(policy.left(), 1);
  EXPECT_EQ(policy.look(301 * kMs, BusState::bus_off), Step::restart);
}

TEST(CanBusOffPolicy, SeesABusOffThatIsOverInTheSameFrame) {
  BusOffSettings of;
  of.then = AfterRestarts::terminate;
  BusOffPolicy policy(of);
  policy.fell_off();
  EXPECT_EQ(policy.look(0, BusState::active), Step::then);
  EXPECT_EQ(policy.left(), 0) << "the driver restarts nothing";
}

TEST(CanRestart, AsksTheKernelInAFormThatItUnderstands) {
  // The loopback interface is no CAN controller, and index 0 is no interface at all.
  EXPECT_THAT(restart_interface(1), AnyOf(Eq(EOPNOTSUPP), Eq(EPERM)));
  EXPECT_NE(restart_interface(0x7FFF'FFF0), 0);
}

TEST(CanInterfaceKind, IsReadFromWhatTheKernelSays) {
  EXPECT_EQ(link_facts_of("lo").kind, "");
  EXPECT_EQ(link_facts_of("lo").qdisc, "noqueue");
  EXPECT_EQ(link_facts_of("can_none0").qdisc, "");
  std::vector<std::uint8_t> said(32, 0);  // header and interface
  const auto attribute = [](std::uint8_t type, std::vector<std::uint8_t> value) {
    std::vector<std::uint8_t> made{static_cast<std::uint8_t>(value.size() + 4), 0, type, 0};
    made.insert(made.end(), value.begin(), value.end());
    made.resize((made.size() + 3) / 4 * 4);
    return made;
  };
  const auto add = [&](const std::vector<std::uint8_t>& more) {
    said.insert(said.end(), more.begin(), more.end());
  };
  add(attribute(3, {'b', 'u', 's', 0}));                      // IFLA_IFNAME
  add(attribute(6, {'f', 'q', 0}));                           // IFLA_QDISC
  add(attribute(18, attribute(1, {'v', 'c', 'a', 'n', 0})));  // IFLA_LINKINFO, IFLA_INFO_KIND
  said[0] = static_cast<std::uint8_t>(said.size());
  said[4] = 16;  // RTM_NEWLINK
  EXPECT_EQ(link_facts_in(said.data(), said.size()).kind, "vcan");
  EXPECT_EQ(link_facts_in(said.data(), said.size()).qdisc, "fq");
  for (std::size_t size = 0; size + 8 < said.size(); ++size)
    EXPECT_EQ(link_facts_in(said.data(), size).kind, "");
  said[4] = 2;  // NLMSG_ERROR
  EXPECT_EQ(link_facts_in(said.data(), said.size()).kind, "");
}

class CanBusOff : public test::BusTest {
 protected:
  CanBusOff() {
    database(
        "BO_ 1 M: 8 A\n SG_ X : 24|8@1+ (1,0) [0|0] \"\" B\n"
        "BO_ 3 R: 1 B\n SG_ Z : 0|8@1+ (1,0) [0|0] \"\" A\n");
  }
  void begin(const std::string& policy) {
    start("send: { M: { cycle: 2 ms } }\nreceive: { R: {} }\non_bus_off: " + policy);
  }
  void fault(const std::string& kind, bool acts, double amount = 0) {
    const auto all = host_->model().faults();
    for (std::uint32_t i = 0; i < all.size(); ++i)
      if (all[i].target == "bus" && all[i].kind == kind) host_->model().disturb(i, acts, amount);
  }
  int state() const { return static_cast<int>(host_->get("bus.state")); }
  double left() const { return host_->get("bus.restarts_left"); }
};

TEST_F(CanBusOff, StaysOffTheSimulatedBusUntilTheDriverRestartsIt) {
  begin("{ restart_after: 50 ms, at_most: 5, then: safe_state }");
  EXPECT_EQ(left(), 5);
  fault("error_frames", true, 255);
  frames(14);
  ASSERT_EQ(state(), kBusOff) << "32 errors of 8";
  fault("error_frames", false, 255);
  frames(40);
  EXPECT_EQ(state(), kBusOff) << "128 times 11 bits are over, but nothing has restarted it";
  EXPECT_EQ(left(), 5);
  seen_.clear();
  frames(20);
  EXPECT_EQ(state(), kActive);
  EXPECT_EQ(host_->get("bus.restarts"), 1);
  EXPECT_EQ(left(), 4);
  EXPECT_FALSE(seen_.empty());
  EXPECT_THAT(host_->commands(), IsEmpty());
  frames(1000);
  EXPECT_EQ(left(), 5) << "a second error active";
  EXPECT_THAT(host_->messages(), HasSubstr("after bus-off at 0.0"));
}

TEST_F(CanBusOff, AsksForTheSafeStateOfTheRigAfterTheLastRestart) {
  begin("{ restart_after: 20 ms, at_most: 2, then: safe_state }");
  fault("error_frames", true, 255);
  for (int i = 0; i < 300 && host_->commands().empty(); ++i) frames(1);
  EXPECT_THAT(host_->commands(), ElementsAre(TACTUS_SAFE_STATE));
  EXPECT_EQ(host_->get("bus.restarts"), 2);
  EXPECT_EQ(left(), 0);
  EXPECT_THAT(host_->messages(),
              HasSubstr("after 2 restarts in a row: all outputs of the rig are driven safe"));
  frames(1);  // the rig was resumed
  EXPECT_EQ(left(), 2);
}

TEST_F(CanBusOff, EndsTheRigAfterTheLastRestart) {
  begin("{ restart_after: 20 ms, at_most: 1, then: terminate }");
  fault("error_frames", true, 255);
  int i = 0;
  while (i < 300 && host_->frame()) ++i;
  EXPECT_LT(i, 300);
  EXPECT_THAT(host_->failure(), HasSubstr("bus-off after 1 restart in a row (on_bus_off: terminate)"));
}

TEST_F(CanBusOff, FaultsObeyIt) {
  begin("{ restart_after: 20 ms, at_most: 3, then: safe_state }");
  frames(5);
  fault("bus_off", true);
  frames(30);
  EXPECT_EQ(state(), kBusOff);
  EXPECT_EQ(left(), 2) << "one in vain";
  fault("bus_off", false);
  frames(5);
  EXPECT_EQ(state(), kBusOff) << "the cause is gone, and the controller waits for its restart";
  frames(10);
  EXPECT_EQ(state(), kActive);
  EXPECT_EQ(host_->get("bus.restarts"), 1);
  EXPECT_EQ(left(), 1);
  fault("bus_off", true);
  for (int i = 0; i < 100 && host_->commands().empty(); ++i) frames(1);
  EXPECT_THAT(host_->commands(), ElementsAre(TACTUS_SAFE_STATE));
  EXPECT_THAT(host_->messages(), HasSubstr("injected by a fault of the rig, after 3 restarts"));
}

TEST_F(CanBusOff, OneWordIsEnough) {
  begin("safe_state");
  frames(2);
  fault("bus_off", true);
  frames(3);
  EXPECT_THAT(host_->commands(), ElementsAre(TACTUS_SAFE_STATE)) << "at once, and once";
  fault("bus_off", false);
  frames(2);
  EXPECT_EQ(state(), kActive);
}

TEST_F(CanBusOff, GoesBackWithTheRig) {
  begin("{ restart_after: 20 ms, at_most: 3 }");
  frames(5);
  fault("bus_off", true);
  frames(30);
  EXPECT_EQ(left(), 2);
  fault("bus_off", false);
  host_->go_to(0);
  EXPECT_EQ(host_->run("restart"), 0);
  frames(1);
  EXPECT_EQ(left(), 3);
  EXPECT_EQ(state(), kActive);
}

TEST_F(CanBusOff, NamesWhatDoesNotFitTogether) {
  const auto wrong = [this](const std::string& policy) { return problems("on_bus_off: " + policy); };
  EXPECT_THAT(wrong("{ at_most: 5 }"), HasSubstr("on_bus_off.at_most: nothing is restarted without"));
  EXPECT_THAT(wrong("{ restart_after: 100 ms, then: terminate }"), HasSubstr("write at_most: 5"));
  EXPECT_THAT(wrong("restart"), HasSubstr("terminate"));
  EXPECT_THAT(wrong("{ restart_after: 100 }"), HasSubstr("restart_after"));
}

TEST_F(CanBusOff, CyclesAreCountedInWords) {
  for (const char* const after : {"3 cycles", "1 cycle", "3", "1000000"})
    start("receive: { R: { cycle: 10 ms, after: " + std::string(after) + " } }");
  for (const char* const after : {"0", "3 cycle s", "2 ms", "-1", "1000001", "three", "2 cycle"})
    EXPECT_THAT(problems("receive: { R: { cycle: 10 ms, after: " + std::string(after) + " } }"),
                HasSubstr("receive.R.after: '" + std::string(after) + "' is not a number of cycles"))
        << after;
}

}  // namespace
}  // namespace tactus::drivers::can::bus_off_test
