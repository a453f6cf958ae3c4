// SPDX-License-Identifier: Apache-2.0
// What peers, and the user's own functions, may do without harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::robustness_test {
namespace {

using test::kMs;
using test::Stage;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kStatus = message_type::kParticipantStatus;
constexpr int kRunning = 50;
constexpr int kShutdown = 110;

class Robust : public testing::Test {
 protected:
  void SetUp() override {
    stage.join();
    q = stage.newcomer("Q");
  }
  Stage stage;
  PeerId q = 0;
};

TEST_F(Robust, AHandlerThatIsRemovedIsNotCalledAnyMore) {
  int calls = 0;
  std::uint64_t id = 0;
  id = stage.engine().monitor().on_status(
      std::make_shared<const std::function<void(const Status&)>>([&](const Status&) {
        ++calls;
        stage.engine().monitor().remove_handler(Call::What::status, id);
      }));
  stage.lifecycle(OperationMode::autonomous);
  stage.start();  // goes through five states
  EXPECT_EQ(calls, 1);
}

TEST_F(Robust, DataGoesToTheHandlerOfTheMomentItIsDelivered) {
  const TopicSpec topic{"speed", "", {}};
  std::vector<std::string> heard;
  DataSubscriber* subscriber = nullptr;
  const auto second = std::make_shared<const std::function<void(ByteView, std::int64_t)>>(
      [&](ByteView, std::int64_t) { heard.emplace_back("second"); });
  const auto first =
      std::make_shared<const std::function<void(ByteView, std::int64_t)>>([&](ByteView, std::int64_t) {
        heard.emplace_back("first");
        stage.engine().pubsub().on_data(*subscriber, second);
      });
  subscriber = &stage.engine().pubsub().create_subscriber("s", topic, first);
  DataPublisher& publisher = stage.engine().pubsub().create_publisher("p", topic, false);
  stage.user([&](Engine& engine) {
    engine.pubsub().publish(publisher, test::bytes_of("1"));
    engine.pubsub().publish(publisher, test::bytes_of("2"));
  });
  EXPECT_THAT(heard, ElementsAre("first", "second"));
}

TEST_F(Robust, NobodySpeaksOfAnothersState) {
  stage.tell(q, kStatus, StatusMessage{"R", kShutdown, "a lie", 1, 0});
  stage.tell(q, kStatus, StatusMessage{"P", kShutdown, "a lie", 1, 0});
  EXPECT_EQ(stage.engine().status_of("R"), nullptr);
  const PeerId r = stage.newcomer("R");
  stage.status(r, kRunning);
  EXPECT_EQ(stage.engine().status_of("R")->state, ParticipantState::running);
  stage.lifecycle(OperationMode::autonomous);
  stage.start();
  EXPECT_EQ(stage.engine().status_of("P")->state, ParticipantState::running);
}

TEST_F(Robust, WhatAHandlerMissedWhileItWasHeldComesBeforeWhatIsNew) {
  std::vector<std::string> heard;
  const std::uint64_t id = stage.engine().monitor().on_status(
      std::make_shared<const std::function<void(const Status&)>>([&](const Status& status) {
        if (status.participant == "Q") heard.emplace_back(name_of(status.state));
      }));
  stage.lifecycle(OperationMode::autonomous);
  stage.engine().hold(Call::What::status, id);
  stage.status(q, kRunning);
  EXPECT_THAT(heard, IsEmpty());
  stage.inside = [&](std::string_view) {
    stage.inside = {};
    stage.status(q, kShutdown);  // is due when this handler has returned
    stage.engine().release(Call::What::status, id);
  };
  stage.start();
  EXPECT_THAT(heard, ElementsAre("Running", "Shutdown"));
}

TEST_F(Robust, AnErrorInTheAbortHandlerEndsAllTheSame) {
  stage.lifecycle(OperationMode::autonomous);
  stage.start();
  stage.inside = [&](std::string_view handler) {
    if (handler == "abort") stage.engine().report_error("too late");
  };
  stage.user([](Engine& engine) { engine.abort_simulation(); });
  EXPECT_EQ(stage.state(), kShutdown);
  EXPECT_TRUE(stage.engine().complete());
}

TEST_F(Robust, AnAbortOutOfAStopHandlerThatFailsIsNotLost) {
  stage.lifecycle(OperationMode::autonomous);
  stage.start();
  stage.inside = [&](std::string_view handler) {
    if (handler != "stop") return;
    stage.engine().abort_simulation();
    throw std::runtime_error("and it fails");
  };
  stage.user([](Engine& engine) { engine.stop("enough"); });
  EXPECT_EQ(stage.state(), kShutdown);
}

TEST_F(Robust, PublishersThatComeAndGoLeaveNothingBehind) {
  (void)stage.engine().pubsub().create_subscriber("s", {"speed", "", {}}, {});
  stage.take(q);
  std::size_t indexes = 0;
  for (int i = 0; i < 100; ++i) {
    const PeerId peer = stage.newcomer("R");
    (void)stage.publisher_of(peer, {"speed", "", {}});
    indexes = std::max(indexes, stage.engine().subscriptions().size());
    stage.leaves(peer);
  }
  EXPECT_LE(indexes, 9U);
  EXPECT_EQ(stage.engine().subscriptions().size(), 7U);
  const std::vector<std::string> removed = stage.take(q, {"removed"});
  EXPECT_EQ(removed.size(), 100U);
}

TEST_F(Robust, TimeThatGoesBackAgainAndAgainIsSaidOncePerSecond) {
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync(kMs);
  stage.time_sync_of(q);
  stage.time_sync_of(stage.newcomer("R"));  // who never says anything, and holds the time
  stage.start();
  const auto said = [&] {
    std::vector<std::string> lines;
    for (const std::string& line : stage.journal)
      if (line.find("went back") != std::string::npos) lines.push_back(line.substr(line.find("virtual")));
    stage.journal.clear();
    return lines;
  };
  const auto back = [&](int times) {
    for (int i = 0; i < times; ++i) {
      stage.next(q, 9 * kMs, kMs);
      stage.next(q, 8 * kMs, kMs);
    }
  };
  back(5);
  EXPECT_THAT(said(), ElementsAre("virtual time of Q went back"));
  stage.steady_ns += 999 * kMs;
  back(2);
  EXPECT_THAT(said(), IsEmpty());
  stage.steady_ns += kMs;
  back(4);
  EXPECT_THAT(said(), ElementsAre("virtual time of Q went back (6 lines like this were left out)"));
  stage.leaves(q);
  EXPECT_THAT(said(), ElementsAre("virtual time of Q went back 3 times more"));
}

TEST_F(Robust, AStepIsTakenWhenTheSystemLeavesItsError) {
  stage.lifecycle(OperationMode::coordinated);
  stage.time_sync(kMs);
  stage.time_sync_of(q);
  stage.start();
  stage.required(q, {"P", "Q"});
  for (const int state : {10, 20, 30, 40, 50}) stage.status(q, state);
  ASSERT_EQ(stage.state(), kRunning);
  stage.status(q, 90);
  stage.heard();
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty()) << "nobody goes on in Error";
  stage.required(q, {"P"});
  EXPECT_THAT(stage.heard(), Contains("step 0 1000000"));
}

TEST_F(Robust, StepsAtTheEndOfTimeAreRefused) {
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync(kMs);
  stage.time_sync_of(q);
  for (const NextSimTask& task : {NextSimTask{INT64_MAX, 1}, NextSimTask{INT64_MIN, 1}, NextSimTask{0, -1}})
    EXPECT_THROW(stage.tell(q, message_type::kNextSimTask, task), WireError) << task.time_ns;
}

TEST_F(Robust, ARefusedStepHandlerChangesNothing) {
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync(kMs, true);
  stage.start();
  const auto handler = std::make_shared<const std::function<void(std::int64_t, std::int64_t)>>(
      [](std::int64_t, std::int64_t) {});
  EXPECT_THROW(stage.engine().virtual_time().on_step(handler, 7, false), Refusal);
  stage.take(q);
  stage.user([](Engine& engine) { engine.virtual_time().complete_step(); });
  stage.user([](Engine& engine) { engine.virtual_time().complete_step(); });
  EXPECT_THAT(stage.take(q, {"next"}), Contains("next 2000000 1000000"));
}

}  // namespace
}  // namespace tactus::silkit::robustness_test
