// SPDX-License-Identifier: Apache-2.0
/// What a handler publishes is on its way before the handler returns.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "tests/drivers/silkit/api/support/simulation.hpp"

namespace tactus::silkit::answers_test {
namespace {

using test::ParticipantHere;
using test::Watched;
using Texts = Watched<std::vector<std::string>>;

bool holds(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

void note(void* texts, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* event) {
  static_cast<Texts*>(texts)->change([&](auto& list) { list.push_back(test::text_of(*event)); });
}

/// Publishes, and does not return before the listener has it. Asked again until it has subscribed.
struct Answerer {
  SilKit_DataPublisher* publisher = nullptr;
  Texts* heard = nullptr;
  Watched<int> in_time;

  void answer() {
    if (in_time.get() != 0) return;
    if (heard->get().empty()) {
      test::publish(publisher, "are you there?");
      return std::this_thread::sleep_for(std::chrono::milliseconds(1));  // not as fast as steps can be
    }
    test::publish(publisher, "answer");
    const bool arrived = heard->wait([](const auto& list) { return holds(list, "answer"); });
    in_time.change([&](int& value) { value = arrived ? 1 : -1; });
  }
};

class Answers : public testing::TestWithParam<const char*> {
 protected:
  test::RegistryHere registry_;
  Texts heard_;
  Answerer answerer_{nullptr, &heard_, {}};
};

TEST_P(Answers, OfADataHandlerArriveWhileItRuns) {
  ParticipantHere a(registry_.uri(), "A", GetParam());
  ParticipantHere b(registry_.uri(), "B", GetParam());
  (void)a.subscriber("In", "Answer", &heard_, note);
  SilKit_DataPublisher* const question = a.publisher("Out", "Question");
  answerer_.publisher = b.publisher("Out", "Answer");
  (void)b.subscriber("In", "Question", &answerer_,
                     [](void* self, SilKit_DataSubscriber*, const SilKit_DataMessageEvent*) {
                       static_cast<Answerer*>(self)->answer();
                     });
  while (heard_.get().empty()) {
    test::publish(question, "question");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  test::publish(question, "question");
  EXPECT_TRUE(answerer_.in_time.wait([](int value) { return value != 0; }));
  EXPECT_EQ(answerer_.in_time.get(), 1) << "it waited for the end of the handler";
}

TEST_P(Answers, OfAnAsynchronousStepArriveWhileItRuns) {
  ParticipantHere a(registry_.uri(), "A", GetParam());
  ParticipantHere b(registry_.uri(), "B", GetParam());
  (void)a.subscriber("In", "Answer", &heard_, note);
  answerer_.publisher = b.publisher("Out", "Answer");
  (void)b.lifecycle(SilKit_OperationMode_Autonomous);
  test::ok(SilKit_TimeSyncService_SetSimulationStepHandlerAsync(
      b.time_sync(), &answerer_,
      [](void* self, SilKit_TimeSyncService* time, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {
        static_cast<Answerer*>(self)->answer();
        test::ok(SilKit_TimeSyncService_CompleteSimulationStep(time));
      },
      1'000'000));
  b.start();
  EXPECT_TRUE(answerer_.in_time.wait([](int value) { return value != 0; }));
  EXPECT_EQ(answerer_.in_time.get(), 1) << "it waited for the end of the handler";
}

INSTANTIATE_TEST_SUITE_P(
    EachWay, Answers,
    testing::Values("Tactus: {SharedMemory: true}", "Tactus: {SharedMemory: false}",
                    "{Tactus: {SharedMemory: false}, Middleware: {EnableDomainSockets: false}}"));

}  // namespace
}  // namespace tactus::silkit::answers_test
