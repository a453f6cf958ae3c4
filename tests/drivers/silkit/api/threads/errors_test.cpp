// SPDX-License-Identifier: Apache-2.0
/// One test per row of the table of mistakes, and what holds for every error.
#include <chrono>
#include <future>
#include <string>
#include <thread>

#include "tactus/silkit.h"
#include "tests/drivers/silkit/api/support/simulation.hpp"

namespace tactus::test::errors_test {
namespace {

using testing::HasSubstr;

// An out-parameter that must be left alone.
template <class T>
T* untouched() {
  static char somewhere = 0;
  return static_cast<T*>(static_cast<void*>(&somewhere));
}

SilKit_ReturnCode create(const std::string& uri, const std::string& name, const std::string& config = "") {
  SilKit_Participant* participant = untouched<SilKit_Participant>();
  const SilKit_ReturnCode code =
      SilKit_Participant_Create(&participant, Config(config).get(), name.c_str(), uri.c_str());
  if (code == SilKit_ReturnCode_SUCCESS) {
    (void)SilKit_Participant_Destroy(participant);
  } else {
    EXPECT_EQ(participant, untouched<SilKit_Participant>());
  }
  return code;
}

SilKit_ReturnCode read_configuration(const std::string& text) {
  SilKit_ParticipantConfiguration* made = untouched<SilKit_ParticipantConfiguration>();
  const SilKit_ReturnCode code = SilKit_ParticipantConfiguration_FromString(&made, text.c_str());
  if (code == SilKit_ReturnCode_SUCCESS) {
    (void)SilKit_ParticipantConfiguration_Destroy(made);
  } else {
    EXPECT_EQ(made, untouched<SilKit_ParticipantConfiguration>());
  }
  return code;
}

TEST(SilkitErrors, EveryCodeHasAText) {
  for (SilKit_ReturnCode code = 0; code <= 16; ++code) {
    const char* text = nullptr;
    EXPECT_EQ(SilKit_ReturnCodeToString(&text, code), SilKit_ReturnCode_SUCCESS);
    ASSERT_NE(text, nullptr);
    EXPECT_NE(std::string(text), "");
  }
  const char* text = "as it was";
  EXPECT_EQ(SilKit_ReturnCodeToString(&text, 17), SilKit_ReturnCode_BADPARAMETER);
  EXPECT_EQ(SilKit_ReturnCodeToString(&text, -1), SilKit_ReturnCode_BADPARAMETER);
  EXPECT_EQ(std::string(text), "as it was");
}

TEST(SilkitErrors, TextIsOfTheThreadAndOutlivesSuccesses) {
  std::thread([] {
    EXPECT_STREQ(SilKit_GetLastErrorString(), "");
    EXPECT_EQ(SilKit_Version_Major(nullptr), SilKit_ReturnCode_BADPARAMETER);
    EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr("outMajor"));
    std::uint32_t major = 0;
    EXPECT_EQ(SilKit_Version_Major(&major), SilKit_ReturnCode_SUCCESS);
    EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr("outMajor"));
    std::thread([] { EXPECT_STREQ(SilKit_GetLastErrorString(), ""); }).join();
  }).join();
}

TEST(SilkitErrors, VersionIsTheLevelOfTheApi) {
  std::uint32_t major = 0;
  std::uint32_t minor = 9;
  std::uint32_t patch = 0;
  std::uint32_t build = 9;
  const char* text = nullptr;
  const char* suffix = nullptr;
  const char* hash = nullptr;
  ok(SilKit_Version_Major(&major));
  ok(SilKit_Version_Minor(&minor));
  ok(SilKit_Version_Patch(&patch));
  ok(SilKit_Version_BuildNumber(&build));
  ok(SilKit_Version_String(&text));
  ok(SilKit_Version_VersionSuffix(&suffix));
  ok(SilKit_Version_GitHash(&hash));
  EXPECT_EQ(std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch), text);
  EXPECT_STREQ(text, "5.0.7");
  EXPECT_STREQ(suffix, "tactus");
  EXPECT_EQ(build, 0U);
  EXPECT_NE(std::string(hash), "");
}

TEST(SilkitErrors, EmptyNameAndMalformedUriAreConfigurationErrors) {
  const RegistryHere registry;
  EXPECT_EQ(create(registry.uri(), ""), SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(create(registry.uri(), "SilKitRegistry"), SilKit_ReturnCode_CONFIGURATIONERROR);
  for (const char* uri : {"", "localhost", "http://localhost:8500", "silkit://localhost:99999", "silkit://"})
    EXPECT_EQ(create(uri, "A"), SilKit_ReturnCode_CONFIGURATIONERROR) << uri;
}

TEST(SilkitErrors, RegistryThatIsNotThereIsUnspecified) {
  std::string uri;
  { uri = RegistryHere().uri(); }
  EXPECT_EQ(create(uri, "A"), SilKit_ReturnCode_UNSPECIFIEDERROR);
  EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr(uri));
}

TEST(SilkitErrors, NameThatIsTakenIsAProtocolError) {
  const RegistryHere registry;
  const ParticipantHere first(registry.uri(), "A");
  EXPECT_EQ(create(registry.uri(), "A"), SilKit_ReturnCode_PROTOCOLERROR);
  EXPECT_EQ(create(registry.uri(), "B"), SilKit_ReturnCode_SUCCESS);
}

TEST(SilkitErrors, ConfigurationMistakesAreConfigurationErrors) {
  for (const char* text : {"{", "a: b: c", "just text", "[a, list]", "Middleware: {ConnectAttempts: many}"})
    EXPECT_EQ(read_configuration(text), SilKit_ReturnCode_CONFIGURATIONERROR) << text;
  SilKit_ParticipantConfiguration* made = untouched<SilKit_ParticipantConfiguration>();
  EXPECT_EQ(SilKit_ParticipantConfiguration_FromFile(&made, "/no/such/file.yaml"),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr("/no/such/file.yaml"));
  EXPECT_EQ(made, untouched<SilKit_ParticipantConfiguration>());
  EXPECT_EQ(read_configuration("NoSuchKey: 1"), SilKit_ReturnCode_SUCCESS);
}

TEST(SilkitErrors, SecondServicesAreRefused) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  SilKit_LifecycleConfiguration configuration = tactus_silkit_LifecycleConfiguration();
  SilKit_LifecycleService* lifecycle = untouched<SilKit_LifecycleService>();
  EXPECT_EQ(SilKit_LifecycleService_Create(&lifecycle, a.get(), &configuration),
            SilKit_ReturnCode_CONFIGURATIONERROR)
      << "operation mode 0";
  (void)a.lifecycle();
  configuration.operationMode = SilKit_OperationMode_Autonomous;
  EXPECT_EQ(SilKit_LifecycleService_Create(&lifecycle, a.get(), &configuration),
            SilKit_ReturnCode_UNSPECIFIEDERROR);
  EXPECT_EQ(lifecycle, untouched<SilKit_LifecycleService>());

  (void)a.time_sync();
  SilKit_TimeSyncService* time_sync = untouched<SilKit_TimeSyncService>();
  EXPECT_EQ(SilKit_TimeSyncService_Create(&time_sync, a.lifecycle()), SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(time_sync, untouched<SilKit_TimeSyncService>());

  (void)a.monitor();
  SilKit_SystemMonitor* monitor = untouched<SilKit_SystemMonitor>();
  EXPECT_EQ(SilKit_SystemMonitor_Create(&monitor, a.get()), SilKit_ReturnCode_UNSPECIFIEDERROR);
  EXPECT_EQ(monitor, untouched<SilKit_SystemMonitor>());

  a.require({"A"});
  SilKit_Experimental_SystemController* controller = untouched<SilKit_Experimental_SystemController>();
  EXPECT_EQ(SilKit_Experimental_SystemController_Create(&controller, a.get()),
            SilKit_ReturnCode_UNSPECIFIEDERROR);
  EXPECT_EQ(controller, untouched<SilKit_Experimental_SystemController>());
}

TEST(SilkitErrors, OtherOperationModesAreTaken) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  EXPECT_NE(a.lifecycle(77), nullptr);
}

TEST(SilkitErrors, HeadersAreLookedAt) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  const struct {
    std::uint64_t version;
    bool good;
    const char* why;
  } rows[] = {
      {0, false, "not set"},
      {0x534B070201000000U, true, "the right one"},
      {0x534B070209000000U, true, "a later version"},
      {0x534B010101000000U, true, "of another structure"},
      {0x534B090101000000U, false, "service 9"},
      {0x534B000101000000U, false, "service 0"},
      {0x534B070001000000U, false, "type 0"},
      {0x534B070100000000U, false, "version 0"},
      {0x544B070101000000U, false, "not S"},
      {0x534C070101000000U, false, "not K"},
  };
  for (const auto& row : rows) {
    SilKit_ParticipantStatus status{};
    status.structHeader.version = row.version;
    EXPECT_EQ(SilKit_LifecycleService_Status(&status, a.lifecycle()),
              row.good ? SilKit_ReturnCode_SUCCESS : SilKit_ReturnCode_BADPARAMETER)
        << row.why;
    EXPECT_EQ(status.participantName != nullptr, row.good) << row.why;
    EXPECT_EQ(SilKit_SystemMonitor_GetParticipantStatus(&status, a.monitor(), "Nobody"),
              row.good ? SilKit_ReturnCode_UNSPECIFIEDERROR : SilKit_ReturnCode_BADPARAMETER)
        << row.why;
    if (row.good) continue;
    ParticipantHere b(registry.uri(), "B");
    SilKit_LifecycleConfiguration configuration{};
    configuration.structHeader.version = row.version;
    configuration.operationMode = SilKit_OperationMode_Coordinated;
    SilKit_LifecycleService* lifecycle = untouched<SilKit_LifecycleService>();
    EXPECT_EQ(SilKit_LifecycleService_Create(&lifecycle, b.get(), &configuration),
              SilKit_ReturnCode_BADPARAMETER);
    EXPECT_EQ(lifecycle, untouched<SilKit_LifecycleService>());
  }
}

void no_step(void*, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {}

TEST(SilkitErrors, StepOfNothingIsUnspecified) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  EXPECT_EQ(SilKit_TimeSyncService_SetSimulationStepHandler(a.time_sync(), nullptr, no_step, 0),
            SilKit_ReturnCode_UNSPECIFIEDERROR);
  EXPECT_EQ(SilKit_TimeSyncService_SetSimulationStepHandler(a.time_sync(), nullptr, no_step, UINT64_MAX),
            SilKit_ReturnCode_UNSPECIFIEDERROR);
  EXPECT_EQ(SilKit_TimeSyncService_SetSimulationStepHandlerAsync(a.time_sync(), nullptr, no_step, 1),
            SilKit_ReturnCode_SUCCESS);
}

TEST(SilkitErrors, BadPublishersAreConfigurationErrors) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  SilKit_Label label{"Key", "Value", SilKit_LabelKind_Optional};
  SilKit_DataSpec spec = tactus_silkit_DataSpec();
  spec.topic = "T";
  spec.mediaType = "";
  const auto create_publisher = [&](const char* name, std::uint8_t history) {
    SilKit_DataPublisher* made = untouched<SilKit_DataPublisher>();
    const SilKit_ReturnCode code = SilKit_DataPublisher_Create(&made, a.get(), name, &spec, history);
    EXPECT_EQ(made == untouched<SilKit_DataPublisher>(), code != SilKit_ReturnCode_SUCCESS);
    return code;
  };
  EXPECT_EQ(create_publisher("Twice", 0), SilKit_ReturnCode_SUCCESS);
  EXPECT_EQ(create_publisher("Twice", 0), SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(create_publisher("", 0), SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(create_publisher("History", 2), SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(create_publisher("History", 1), SilKit_ReturnCode_SUCCESS);
  spec.labelList = {1, &label};
  for (const SilKit_LabelKind kind : {0U, 3U, 0xFFFFFFFFU}) {
    label.kind = kind;
    EXPECT_EQ(create_publisher("Label", 0), SilKit_ReturnCode_CONFIGURATIONERROR) << kind;
  }
  label.kind = SilKit_LabelKind_Mandatory;
  EXPECT_EQ(create_publisher("Label", 0), SilKit_ReturnCode_SUCCESS);
}

TEST(SilkitErrors, StatusOfNobodyIsUnspecified) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  SilKit_ParticipantStatus status = tactus_silkit_ParticipantStatus();
  EXPECT_EQ(SilKit_SystemMonitor_GetParticipantStatus(&status, a.monitor(), "Nobody"),
            SilKit_ReturnCode_UNSPECIFIEDERROR);
  EXPECT_EQ(status.participantName, nullptr);
}

TEST(SilkitErrors, WaitingWorksOncePerStartAndStartingOnce) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  SilKit_ParticipantState state = 55;
  EXPECT_EQ(SilKit_LifecycleService_WaitForLifecycleToComplete(a.lifecycle(SilKit_OperationMode_Autonomous),
                                                               &state),
            SilKit_ReturnCode_BADPARAMETER);
  a.start();
  EXPECT_EQ(SilKit_LifecycleService_StartLifecycle(a.lifecycle()), SilKit_ReturnCode_LOGICERROR);
  EXPECT_EQ(state, 55);
  for (SilKit_ParticipantState now = 0; now != SilKit_ParticipantState_Running;) {
    ok(SilKit_LifecycleService_State(&now, a.lifecycle()));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ok(SilKit_LifecycleService_Stop(a.lifecycle(), "enough"));
  EXPECT_EQ(a.wait(), SilKit_ParticipantState_Shutdown);
  state = 55;
  EXPECT_EQ(SilKit_LifecycleService_WaitForLifecycleToComplete(a.lifecycle(), &state),
            SilKit_ReturnCode_BADPARAMETER);
  EXPECT_EQ(state, 55);
}

TEST(SilkitErrors, UnknownHandlersMayBeRemoved) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  EXPECT_EQ(SilKit_SystemMonitor_RemoveSystemStateHandler(a.monitor(), 77), SilKit_ReturnCode_SUCCESS);
  EXPECT_EQ(SilKit_SystemMonitor_RemoveParticipantStatusHandler(a.monitor(), 77), SilKit_ReturnCode_SUCCESS);
  EXPECT_EQ(SilKit_Experimental_TimeSyncService_RemoveOtherSimulationStepsCompletedHandler(a.time_sync(), 77),
            SilKit_ReturnCode_SUCCESS);
}

TEST(SilkitErrors, RegistryCannotListenWhereItCannot) {
  const RegistryHere registry;
  const char* actual = nullptr;
  EXPECT_EQ(SilKit_Vendor_Vector_SilKitRegistry_StartListening(registry.get(), "tcp://localhost:0", &actual),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  const RegistryHere other;
  EXPECT_EQ(SilKit_Vendor_Vector_SilKitRegistry_StartListening(other.get(), registry.uri().c_str(), &actual),
            SilKit_ReturnCode_UNSPECIFIEDERROR)
      << "in use";
  EXPECT_EQ(actual, nullptr);
}

TEST(SilkitErrors, CallsThatWouldWaitForThemselvesAreRefusedInHandlers) {
  struct Answers {
    SilKit_Participant* participant = nullptr;
    SilKit_ReturnCode destroy = 0;
    SilKit_ReturnCode wait = 0;
    SilKit_ReturnCode completed = 0;
    SilKit_ParticipantState state = 55;
    std::promise<void> done;
  } answers;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  answers.participant = a.get();
  ok(SilKit_LifecycleService_SetCommunicationReadyHandlerAsync(
      a.lifecycle(SilKit_OperationMode_Autonomous), &answers,
      [](void* context, SilKit_LifecycleService* lifecycle) {
        auto& to = *static_cast<Answers*>(context);
        to.destroy = SilKit_Participant_Destroy(to.participant);
        to.wait = SilKit_LifecycleService_WaitForLifecycleToComplete(lifecycle, &to.state);
        to.completed = SilKit_LifecycleService_CompleteCommunicationReadyHandlerAsync(lifecycle);
        to.done.set_value();
      }));
  a.start();
  answers.done.get_future().wait();
  EXPECT_EQ(answers.destroy, SilKit_ReturnCode_LOGICERROR);
  EXPECT_EQ(answers.wait, SilKit_ReturnCode_LOGICERROR);
  EXPECT_EQ(answers.completed, SilKit_ReturnCode_LOGICERROR);
  EXPECT_EQ(answers.state, 55);
}

}  // namespace
}  // namespace tactus::test::errors_test
