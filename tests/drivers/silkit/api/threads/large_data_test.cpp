// SPDX-License-Identifier: Apache-2.0
/// More is published at once than sockets, rings and MaxQueuedBytes take.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/drivers/silkit/api/support/simulation.hpp"

namespace tactus::silkit::large_data_test {
namespace {

constexpr std::size_t kSize = 25'000'000;
constexpr int kMessages = 4;

/// Publishes 100 MB in the handler of its first step, and waits for as much of each of the others.
struct Twin {
  test::ParticipantHere participant;
  SilKit_DataPublisher* publisher;
  std::string out;
  std::chrono::milliseconds reads_for{0};  ///< each message
  std::atomic<std::size_t> received{0};

  Twin(const std::string& uri, const std::string& name, const std::vector<std::string>& others,
       const std::string& config)
      : participant(uri, name, config),
        publisher(participant.publisher("Out", name)),
        out(kSize, name.front()) {
    for (const std::string& other : others)
      participant.subscriber("From" + other, other, this,
                             [](void* context, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* event) {
                               auto& self = *static_cast<Twin*>(context);
                               std::this_thread::sleep_for(self.reads_for);
                               self.received += event->data.size;
                             });
    test::ok(SilKit_TimeSyncService_SetSimulationStepHandler(
        participant.time_sync(), this,
        [](void* context, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
          static_cast<Twin*>(context)->step(now);
        },
        1'000'000));
  }
  void step(SilKit_NanosecondsTime now) {
    if (now == 0)
      for (int i = 0; i < kMessages; ++i) test::publish(publisher, out);
    if (now == 2'000'000) test::ok(SilKit_LifecycleService_Stop(participant.lifecycle(), "enough"));
  }
};

class LargeData : public testing::TestWithParam<const char*> {};
class LargeDataNightly : public LargeData {};

TEST_P(LargeData, OfTwoThatPublishAHundredMegabytesAtEachOtherInTheirHandlersArrives) {
  test::RegistryHere registry;
  Twin a(registry.uri(), "A", {"B"}, GetParam());
  Twin b(registry.uri(), "B", {"A"}, GetParam());
  test::ParticipantHere controller(registry.uri(), "Controller");
  controller.require({"A", "B"});
  a.participant.start();
  b.participant.start();
  EXPECT_EQ(a.participant.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(b.participant.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(a.received, kSize * kMessages);
  EXPECT_EQ(b.received, kSize * kMessages) << "what a step sends arrives before the step after it";
}

TEST_P(LargeDataNightly, OfThreeOfWhichOneReadsSlowlyArrives) {
  test::RegistryHere registry;
  Twin a(registry.uri(), "A", {"B", "C"}, GetParam());
  Twin b(registry.uri(), "B", {"A", "C"}, GetParam());
  Twin c(registry.uri(), "C", {"A", "B"}, GetParam());
  c.reads_for = std::chrono::milliseconds(50);
  test::ParticipantHere controller(registry.uri(), "Controller");
  controller.require({"A", "B", "C"});
  for (Twin* each : {&a, &b, &c}) each->participant.start();
  for (Twin* each : {&a, &b, &c}) {
    EXPECT_EQ(each->participant.wait(), SilKit_ParticipantState_Shutdown);
    EXPECT_EQ(each->received, 2 * kSize * kMessages);
  }
}

const auto kWays =
    testing::Values("Tactus: {SharedMemory: true}",
                    "{Tactus: {SharedMemory: false}, Middleware: {EnableDomainSockets: false}}");
INSTANTIATE_TEST_SUITE_P(EachWay, LargeData, kWays);
INSTANTIATE_TEST_SUITE_P(EachWay, LargeDataNightly, kWays);

}  // namespace
}  // namespace tactus::silkit::large_data_test
