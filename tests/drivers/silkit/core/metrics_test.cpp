// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/metrics.hpp"

#include <gtest/gtest.h>

#include "drivers/silkit/core/metered_outbox.hpp"
#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::metrics_test {
namespace {

std::map<std::string, std::string> by_name(const MetricsUpdate& update) {
  std::map<std::string, std::string> values;
  for (const Metric& metric : update.metrics) values[metric.name] = metric.value;
  return values;
}

TEST(Metrics, SayWhatHasChangedSinceTheLastTimeAndWhen) {
  std::int64_t now = 5;
  Metrics metrics([&] { return now; });
  metrics.count("a", 2);
  metrics.attribute("b", "text");
  now = 7;
  metrics.count("a", 3);
  const std::vector<Metric> both{{7, "a", MetricKind::counter, "5"}, {5, "b", MetricKind::attribute, "text"}};
  EXPECT_EQ(metrics.take_changed().metrics, both);
  EXPECT_TRUE(metrics.take_changed().metrics.empty());
  metrics.list("l", {"x\"y", "z"});
  EXPECT_EQ(by_name(metrics.take_changed())["l"], R"(["x\"y","z"])");
}

TEST(Metrics, OldValuesWeighHalfAsMuchWithEachNewOne) {
  Metrics metrics([] { return 0; });
  metrics.measure("m", 1);
  EXPECT_EQ(by_name(metrics.take_changed())["m"], "[0.5,0.5,1,1]");
  metrics.measure("m", -1);
  EXPECT_EQ(by_name(metrics.take_changed())["m"], "[-0.25,0.82915619758885,-1,1]");
}

TEST(Metrics, SayHowManyBytesWaitForAPeerUntilNoneDo) {
  struct Full final : Outbox {
    std::size_t waiting = 0;
    void send(PeerId, const Pieces& message, bool) override { waiting += message.size(); }
    std::size_t queued(PeerId) const override { return waiting; }
  } full;
  Metrics metrics([] { return 0; });
  MeteredOutbox metered(full, metrics);
  metered.add(1, "", "A");
  const auto waiting = [&] { return by_name(metrics.take_changed())["Peer//A/tx_queue_size/[bytes]"]; };
  EXPECT_EQ(waiting(), "");
  metered.send(1, Bytes(100));
  EXPECT_EQ(waiting(), "[50,50,100,100]");
  metered.measure_queues();
  EXPECT_EQ(waiting(), "[75,43.30127018922193,100,100]");
  full.waiting = 0;
  metered.measure_queues();
  EXPECT_EQ(waiting(), "[37.5,48.41229182759271,0,100]");
  metered.measure_queues();
  EXPECT_EQ(waiting(), "") << "nothing is new";
}

/// A participant with virtual time and a peer, whose metrics are due every second.
TEST(Metrics, OfAParticipantAreSentWhenTheyAreDueToThoseWhoCollectThem) {
  std::vector<std::map<std::string, std::string>> own, others;
  EngineSettings settings = test::named("P");
  settings.metrics_every_ns = 1000 * test::kMs;
  settings.sends_metrics = true;
  settings.collects_metrics = true;
  settings.put_metrics = [&](const std::string& participant, const MetricsUpdate& update) {
    (participant == "P" ? own : others).push_back(by_name(update));
  };
  test::Stage stage(settings);
  const PeerId peer = stage.elder("A");
  stage.join();
  EXPECT_TRUE(stage.is_subscribed(message_type::kMetricsUpdate));
  EXPECT_EQ(stage.services["MetricsSender"].attribute("controller.type"), "MetricsSender");
  EXPECT_EQ(stage.services["MetricsReceiver"].attribute("controller.type"), "MetricsReceiver");
  stage.subscribe(peer, {7, std::string(kDefaultNetwork), std::string(message_type::kMetricsUpdate), 1});
  (void)stage.take(peer);

  stage.user([](Engine& engine) { engine.tick(); });
  EXPECT_TRUE(own.empty()) << "not due";
  stage.steady_ns += 1000 * test::kMs;
  EXPECT_LE(stage.engine().wake_at().value_or(INT64_MAX), stage.steady_ns);
  stage.user([](Engine& engine) { engine.tick(); });
  ASSERT_EQ(own.size(), 1U);
  EXPECT_GT(std::stoi(own[0]["Peer//A/tx_packets/[count]"]), 3);
  EXPECT_GT(std::stoi(own[0]["Peer//A/tx_bytes/[bytes]"]), 40);
  EXPECT_GT(std::stoi(own[0]["Peer//A/rx_packets/[count]"]), 3);
  ASSERT_TRUE(stage.last_header);
  EXPECT_EQ(stage.last_header->index, 7U) << "the update itself";

  stage.tell(peer, message_type::kMetricsUpdate, MetricsUpdate{{{1, "x", MetricKind::counter, "4"}}});
  ASSERT_EQ(others.size(), 1U);
  EXPECT_EQ(others[0]["x"], "4");
}

TEST(Metrics, CountStepsAndHowLongTheyTake) {
  std::map<std::string, std::string> seen;
  EngineSettings settings = test::named("P");
  settings.metrics_every_ns = 1000 * test::kMs;
  settings.put_metrics = [&](const std::string&, const MetricsUpdate& update) {
    for (const auto& [name, value] : by_name(update)) seen[name] = value;
  };
  test::Stage stage(settings);
  stage.join();
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  int steps = 0;
  stage.inside = [&](std::string_view handler) {
    if (!handler.starts_with("step")) return;
    stage.steady_ns += 2 * test::kMs;
    if (++steps == 4) stage.engine().stop("enough");
  };
  stage.start();
  stage.steady_ns += 1000 * test::kMs;
  stage.user([](Engine& engine) { engine.tick(); });
  EXPECT_EQ(seen["SimStepCount"], std::to_string(steps));
  EXPECT_NE(seen["SimStep/execution_duration/[s]"].find(",0.002,0.002]"), std::string::npos)
      << seen["SimStep/execution_duration/[s]"];
  EXPECT_EQ(seen["SimStep/waiting_duration/[s]"], "[0,0,0,0]");
}

}  // namespace
}  // namespace tactus::silkit::metrics_test
