// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/metrics.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/drivers/silkit/api/support/simulation.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::metrics_api_test {
namespace {

using testing::HasSubstr;

/// What the files of a folder hold, once it holds all of these; else what there is after half a minute.
std::string files_with(const test::TempDir& dir, const std::vector<std::string>& words) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  for (;;) {
    std::string all;
    for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
      all += test::read_file(entry.path());
    const bool whole = std::all_of(words.begin(), words.end(), [&](const std::string& word) {
      return all.find(word) != std::string::npos;
    });
    if (whole || std::chrono::steady_clock::now() > end) return all;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST(SilkitMetrics, AreWrittenALineEach) {
  EXPECT_EQ(json_line("P", {42, "SimStepCount", MetricKind::counter, "7"}),
            "{\"ts\":42,\"pn\":\"P\",\"mn\":\"SimStepCount\",\"mk\":\"COUNTER\",\"mv\":7}\n");
  EXPECT_EQ(json_line("P", {1, "a", MetricKind::attribute, "x\"y"}),
            "{\"ts\":1,\"pn\":\"P\",\"mn\":\"a\",\"mk\":\"ATTRIBUTE\",\"mv\":\"x\\\"y\"}\n");
  EXPECT_THAT(json_line("P", {1, "a", MetricKind::statistic, "[1,2,3,4]"}),
              HasSubstr(R"("STATISTIC","mv":[1,2,3,4]})"));
}

TEST(SilkitMetrics, OfAParticipantAreCollectedByAnother) {
  const test::TempDir dir;
  test::RegistryHere registry;
  const std::string file = "{Type: JsonFile, Name: '" + (dir / "collected").string() + "'}";
  test::ParticipantHere collector(
      registry.uri(), "Collector",
      "Experimental: {Metrics: {CollectFromRemote: true, UpdateInterval: 0, Sinks: [" + file + "]}}");
  test::ParticipantHere sender(
      registry.uri(), "Sender",
      "Experimental: {Metrics: {UpdateInterval: 0, Sinks: [{Type: Remote, Name: r}]}}");
  test::ParticipantHere silent(registry.uri(), "Silent");
  const std::string lines =
      files_with(dir, {R"("pn":"Sender","mn":"Peer//Collector/rx_bytes/[bytes]","mk":"COUNTER")",
                       R"("pn":"Sender","mn":"SilKit/System/Hostname","mk":"ATTRIBUTE")",
                       R"("pn":"Collector","mn":"SilKit/Participant/JsonConfig","mk":"ATTRIBUTE")",
                       R"("pn":"Sender","mn":"TcpAcceptors","mk":"STRING_LIST","mv":["tcp://)"});
  EXPECT_THAT(lines, HasSubstr(R"("pn":"Sender","mn":"Peer//Collector/rx_bytes/[bytes]","mk":"COUNTER")"));
  EXPECT_THAT(lines, HasSubstr(R"("pn":"Sender","mn":"SilKit/System/Hostname","mk":"ATTRIBUTE")"));
  EXPECT_THAT(lines, HasSubstr(R"("pn":"Collector","mn":"SilKit/Participant/JsonConfig","mk":"ATTRIBUTE")"));
  EXPECT_THAT(lines, HasSubstr(R"("mn":"TcpAcceptors","mk":"STRING_LIST","mv":["tcp://)"));
  EXPECT_THAT(lines, testing::Not(HasSubstr(R"("pn":"Silent")"))) << "it has no sink";
}

TEST(SilkitMetrics, NeedAFileThatCanBeMade) {
  test::RegistryHere registry;
  test::Config config("Experimental: {Metrics: {Sinks: [{Type: JsonFile, Name: /no/such/folder/m}]}}");
  SilKit_Participant* participant = nullptr;
  EXPECT_EQ(SilKit_Participant_Create(&participant, config.get(), "P", registry.uri().c_str()),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr("the metrics file /no/such/folder/m_"));
}

}  // namespace
}  // namespace tactus::silkit::metrics_api_test
