// SPDX-License-Identifier: Apache-2.0
/// Configurations that include others.
#include <filesystem>
#include <string>

#include "config/place.hpp"
#include "drivers/silkit/api/configuration.hpp"
#include "tests/drivers/silkit/api/support/simulation.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::includes_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Includes : public testing::Test {
 protected:
  void file(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(dir / name).parent_path());
    dir.write(name, text);
  }
  Configuration read(const std::string& text) {
    return configuration_from_file(dir.write("root.yaml", text));
  }
  std::string problems_of(const std::string& text) {
    try {
      (void)read(text);
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return "";
  }
  const test::TempDir dir;
};

TEST_F(Includes, AllComesTogether) {
  file("a.yaml", R"(
Description: is not taken
SchemaVersion: 1
Includes: { Files: [b.yaml] }
ParticipantName: Plant
Middleware: { RegistryUri: "silkit://example.com:1234" }
DataPublishers: [{ Name: Q, Topic: T }]
Logging: { Sinks: [{ Type: File, LogName: a }], FlushLevel: Warn }
)");
  file("b.yaml", R"(
Middleware: { TcpSendBufferSize: 3456 }
DataPublishers: [{ Name: R, Topic: T }]
Logging: { Sinks: [{ Type: Remote }, { Type: File, LogName: b }] }
Experimental: { TimeSynchronization: { AnimationFactor: 2 } }
HealthCheck: { SoftResponseTimeout: 5 }
)");
  const Configuration all = read(R"(
Description: mine
Includes: { Files: [a.yaml] }
Middleware: { ConnectAttempts: 9, TcpQuickAck: true }
DataPublishers: [{ Name: P, Topic: T }]
Logging: { Sinks: [{ Type: Stdout }] }
)");
  EXPECT_THAT(all.warnings, IsEmpty());
  EXPECT_EQ(all.participant, "Plant");
  EXPECT_EQ(all.registry_uri, "silkit://example.com:1234");
  EXPECT_EQ(all.mesh.connect_attempts, 9);
  EXPECT_EQ(all.mesh.sockets.send_buffer, 3456);
  ASSERT_EQ(all.publishers.size(), 3U);
  EXPECT_EQ(all.publishers[0].name + all.publishers[1].name + all.publishers[2].name, "PQR");
  EXPECT_EQ(all.logging.sinks.size(), 4U);
  EXPECT_EQ(all.logging.flush_level, 3U);
  EXPECT_EQ(all.animation_factor, 2);
  EXPECT_EQ(all.soft_timeout, std::chrono::milliseconds(5));
  const Configuration again = configuration_from_text(all.json);
  EXPECT_EQ(again.json, all.json) << "as one document, which includes nothing any more";
  EXPECT_THAT(all.json, HasSubstr(R"("Description":"mine")"));
}

TEST_F(Includes, AreLookedForInTheWorkingFolderTheHintsAndBesideTheFile) {
  file("hinted/a.yaml", "Includes: { SearchPathHints: [deeper], Files: [b.yaml] }");
  file("deeper/b.yaml", "ParticipantName: Found\nIncludes: { Files: [beside.yaml] }");
  file("deeper/beside.yaml", "Middleware: { ConnectAttempts: 3 }");
  EXPECT_EQ(read("Includes: { SearchPathHints: [hinted], Files: [a.yaml] }").participant, "Found");
  EXPECT_EQ(
      configuration_from_text("Includes: {Files: ['" + (dir / "deeper/b.yaml").string() + "']}").participant,
      "Found");
  EXPECT_EQ(read("Includes: { Files: [deeper/b.yaml] }").mesh.connect_attempts, 3);
  const std::string said = problems_of("Includes: { SearchPathHints: [hinted], Files: [nowhere.yaml] }");
  EXPECT_THAT(said, HasSubstr("'nowhere.yaml' is in none of these folders: the working folder, hinted"));
  EXPECT_THAT(said, HasSubstr("root.yaml:1:"));
}

TEST_F(Includes, EachFileOnce) {
  file("a.yaml", "Includes: { Files: [a.yaml, b.yaml] }\nParticipantName: A");
  file("b.yaml", "Includes: { Files: [a.yaml] }");
  const Configuration all = read("Includes: { Files: [a.yaml, b.yaml] }");
  EXPECT_EQ(all.participant, "A");
  EXPECT_THAT(all.warnings, ElementsAre(HasSubstr("'a.yaml' is included already"),
                                        HasSubstr("'b.yaml' is included already"),
                                        HasSubstr("'a.yaml' is included already")));
}

TEST_F(Includes, OfSingleValuesOneMayDifferFromTheDefault) {
  const struct {
    const char* root;
    const char* included;
    const char* said;
  } rows[] = {
      {"Middleware: {ConnectAttempts: 1}", "Middleware: {ConnectAttempts: 7}", ""},
      {"Middleware: {ConnectAttempts: 7}", "Middleware: {ConnectAttempts: 1}", ""},
      {"Middleware: {ConnectAttempts: 7}", "Middleware: {ConnectAttempts: 7}", ""},
      {"Middleware: {ConnectAttempts: 7}", "Middleware: {ConnectAttempts: 8}",
       "Middleware.ConnectAttempts: '8' contradicts what is said at"},
      {"Middleware: {TcpNoDelay: True}", "Middleware: {TcpNoDelay: false}", ""},
      {"Middleware: {RegistryUri: 'silkit://a'}", "Middleware: {RegistryUri: 'silkit://b'}",
       "Middleware.RegistryUri: 'silkit://b' contradicts"},
      {"Middleware: {AcceptorUris: ['tcp://a:1']}", "Middleware: {AcceptorUris: ['tcp://b:1']}",
       "Middleware.AcceptorUris: this contradicts"},
      {"ParticipantName: A", "ParticipantName: A", "ParticipantName: 'A' contradicts"},
      {"Logging: {Sinks: [{Type: Stdout}]}", "Logging: {Sinks: [{Type: Stdout}]}",
       "there is a sink of this type already"},
      {"Logging: {LogFromRemotes: true}", "Logging: {LogFromRemotes: false}", ""},
      {"Experimental: {TimeSynchronization: {DynamicSimulationStep: true}}",
       "Experimental: {TimeSynchronization: {DynamicSimulationStep: false}}", "'false' contradicts"},
      {"HealthCheck: {SoftResponseTimeout: 5}", "HealthCheck: {SoftResponseTimeout: 6}", ""},
      {"CanControllers: [{Name: C, Network: A}]", "CanControllers: [{Name: C, Network: A}]", ""},
      {"CanControllers: [{Name: C, Network: A}]", "CanControllers: [{Name: C, Network: B}]",
       "CanControllers: 'C' is given twice with different settings"},
      {"Middleware: {}", "Middleware: []", "Middleware: this contradicts"},
  };
  for (const auto& row : rows) {
    file("a.yaml", row.included);
    const std::string said = problems_of("Includes: {Files: [a.yaml]}\n" + std::string(row.root));
    if (*row.said == '\0')
      EXPECT_EQ(said, "") << row.root << " and " << row.included;
    else
      EXPECT_THAT(said, HasSubstr(row.said)) << row.root << " and " << row.included;
  }
}

TEST_F(Includes, WhatIsWrongInThemIsSaidWithItsPlace) {
  file("a.yaml", "\nMiddleware: {ConnectAttempts: x}");
  EXPECT_THAT(problems_of("Includes: {Files: [a.yaml]}"), HasSubstr("a.yaml:2:"));
  file("a.yaml", "Middleware: {");
  EXPECT_THAT(problems_of("Includes: {Files: [a.yaml]}"), HasSubstr("a.yaml:1:"));
  EXPECT_THAT(problems_of("Includes: [a.yaml]"), HasSubstr("Includes: a list is not a map"));
  EXPECT_THAT(problems_of("Includes: {Files: a.yaml}"), HasSubstr("Includes.Files: 'a.yaml' is not a list"));
}

}  // namespace
}  // namespace tactus::silkit::includes_test
