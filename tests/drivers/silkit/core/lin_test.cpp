// SPDX-License-Identifier: Apache-2.0
// LIN controllers: one participant among scripted ones.
#include "drivers/silkit/core/lin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drivers/silkit/wire/uri.hpp"
#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::lin_test {
namespace {

using test::at;
using test::bytes_of;
using test::handler;
using test::kMs;
using test::Stage;
using test::text_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

LinFrame frame(std::uint8_t id, const std::string& text, LinChecksum checksum = LinChecksum::enhanced) {
  LinFrame made{id, checksum, static_cast<std::uint8_t>(text.size())};
  std::copy(text.begin(), text.end(), made.data.begin());
  return made;
}
LinResponse sends(std::uint8_t id, const std::string& text) {
  return {frame(id, text), LinResponseMode::send};
}
LinResponse hears(std::uint8_t id, std::uint8_t length, LinChecksum checksum = LinChecksum::enhanced) {
  return {{id, checksum, length}, LinResponseMode::receive};
}
constexpr std::string_view kTypes[] = {message_type::kLinTransmission,     message_type::kLinWakeupPulse,
                                       message_type::kLinControllerConfig, message_type::kLinStatusUpdate,
                                       message_type::kLinFrameHeader,      message_type::kLinResponseUpdate};
const LinFrame kSleep{0x3C, LinChecksum::classic, 8, {0, 255, 255, 255, 255, 255, 255, 255}};

/// P has the controllers under test, Q and R speak for others.
class LinBus : public testing::Test {
 protected:
  LinBus() {
    stage.join();
    q = stage.newcomer("Q");
    r = stage.newcomer("R");
    stage.take(q);
  }
  LinController& controller(const std::string& name = "lin", const std::string& network = "bus") {
    LinController& made = lin().create(name, network);
    made.frames.add(handler<LinFrameEvent>([this, name](const LinFrameEvent& event) {
      const auto bytes = std::as_bytes(std::span(event.frame.data));
      const std::size_t length = std::min<std::size_t>(event.frame.length, bytes.size());
      stage.note(name + " " + std::to_string(event.frame.id) + " " + text_of(bytes.first(length)) + " " +
                 std::to_string(static_cast<int>(event.status)) + " " + at(event.time_ns));
    }));
    made.sleeps.add(handler<LinSleepEvent>(
        [this, name](const LinSleepEvent& event) { stage.note(name + " sleep " + at(event.time_ns)); }));
    made.wakeups.add(handler<LinWakeupEvent>([this, name](const LinWakeupEvent& event) {
      stage.note(name + " wakeup " + std::to_string(static_cast<int>(event.direction)) + " " +
                 at(event.time_ns));
    }));
    made.headers.add(handler<LinHeaderEvent>([this, name](const LinHeaderEvent& event) {
      stage.note(name + " header " + std::to_string(event.id) + " " + at(event.time_ns));
    }));
    stage.run();
    return made;
  }
  LinController& initialised(LinMode mode, std::vector<LinResponse> responses = {},
                             const std::string& name = "lin", bool dynamic = false) {
    LinController& made = controller(name);
    user([&](Lin& lin) { lin.init(made, {mode, 20'000, std::move(responses), dynamic}); });
    return made;
  }
  LinController& master(std::vector<LinResponse> responses = {}) {
    return initialised(LinMode::master, std::move(responses));
  }
  LinController& slave(std::vector<LinResponse> responses = {}) {
    return initialised(LinMode::slave, std::move(responses));
  }
  void user(const std::function<void(Lin&)>& what) {
    stage.user([&](Engine& engine) { what(engine.lin()); });
  }
  void send(LinController& from, const LinFrame& sent, LinResponseType type) {
    user([&](Lin& lin) { lin.send_frame(from, sent, type); });
  }
  void header(LinController& from, std::uint8_t id) {
    user([&](Lin& lin) { lin.send_header(from, id); });
  }
  Code refusal(const std::function<void(Lin&)>& what) {
    try {
      user(what);
    } catch (const Refusal& refused) {
      return refused.code;
    }
    return Code::success;
  }

  void q_listens() {
    std::uint64_t index = 600;
    for (const std::string_view type : kTypes) stage.subscribe(q, {index++, "bus", std::string(type), 1});
    stage.take(q);
  }
  std::vector<std::string> q_hears() { return stage.take(q, {"lin"}); }
  void transmission(const LinFrame& sent, LinFrameStatus status = LinFrameStatus::received) {
    stage.tell(q, message_type::kLinTransmission, LinTransmission{kNoTime, sent, status}, "bus");
  }
  void slave_at(PeerId peer, std::vector<LinResponse> responses, bool dynamic = false) {
    stage.tell(peer, message_type::kLinControllerConfig,
               LinControllerConfig{LinMode::slave, 20'000, std::move(responses), dynamic}, "bus");
  }
  void responses_of(PeerId peer, std::vector<LinResponse> responses) {
    stage.tell(peer, message_type::kLinResponseUpdate, LinResponseUpdate{std::move(responses)}, "bus");
  }
  void status_of(PeerId peer, LinStatus status) {
    stage.tell(peer, message_type::kLinStatusUpdate, LinStatusUpdate{kNoTime, status}, "bus");
  }
  void header_of(PeerId peer, std::uint8_t id) {
    stage.tell(peer, message_type::kLinFrameHeader, LinFrameHeader{kNoTime, id}, "bus");
  }
  Lin& lin() { return stage.engine().lin(); }

  Stage stage;
  PeerId q = 0;
  PeerId r = 0;
};

TEST_F(LinBus, AControllerSubscribesToItsNetworkAndIsAnnounced) {
  controller("lin", "bus");
  EXPECT_THAT(
      stage.take(q),
      ElementsAre("subscribe TRANSMISSION bus", "subscribe WAKEUPPULSE bus", "subscribe CONTROLLERCONFIG bus",
                  "subscribe CONTROLLERSTATUSUPDATE bus", "subscribe SENDFRAMEHEADERREQUEST bus",
                  "subscribe FRAMERESPONSEUPDATE bus", "created lin"));
  const ServiceDescriptor& service = stage.services.at("lin");
  EXPECT_EQ(service.type, ServiceType::controller);
  EXPECT_EQ(service.network, "bus");
  EXPECT_EQ(service.network_type, NetworkType::lin);
  EXPECT_EQ(service.attributes, (std::map<std::string, std::string>{{"controller.type", "LIN"}}));
  EXPECT_THROW(controller("lin", "other"), Refusal);
  EXPECT_THROW(controller(""), Refusal);
}

TEST_F(LinBus, ASlaveSaysWhatItAnswersAndAMasterDoesNot) {
  q_listens();
  master({sends(1, "a")});
  EXPECT_THAT(q_hears(), IsEmpty());
  LinController& one = initialised(LinMode::slave, {sends(2, "b"), hears(3, 4)}, "slave");
  EXPECT_THAT(q_hears(), ElementsAre("lin config 2 2:2 3:1"));
  EXPECT_EQ(stage.last_header->service, one.service);
  user([&](Lin& lin) { lin.set_response(one, sends(4, "d")); });
  EXPECT_THAT(q_hears(), ElementsAre("lin responses 4:2"));
}

TEST_F(LinBus, WhoComesLaterHearsTheLastConfiguration) {
  slave({sends(2, "b")});
  q_listens();
  const PeerId late = stage.newcomer("S");
  stage.subscribe(late, {600, "bus", std::string(message_type::kLinControllerConfig), 1});
  EXPECT_THAT(stage.take(late, {"lin"}), ElementsAre("lin config 2 2:2"));
}

TEST_F(LinBus, InitIsForOnceAndForMastersAndSlaves) {
  LinController& one = controller();
  EXPECT_EQ(one.status, LinStatus::unknown);
  EXPECT_EQ(refusal([&](Lin& lin) { lin.init(one, {}); }), Code::wrong_state);
  EXPECT_EQ(one.status, LinStatus::unknown);
  user([&](Lin& lin) { lin.init(one, {LinMode::slave, 0, {}, 0}); });
  EXPECT_EQ(one.status, LinStatus::operational);
  EXPECT_EQ(refusal([&](Lin& lin) { lin.init(one, {LinMode::slave, 0, {}, 0}); }), Code::wrong_state);
}

TEST_F(LinBus, WhatTakesAnInitialisedControllerIsRefusedBefore) {
  LinController& one = controller();
  const std::function<void(Lin&)> calls[] = {
      [&](Lin& lin) { lin.send_frame(one, {}, LinResponseType::master); },
      [&](Lin& lin) { lin.send_header(one, 1); },
      [&](Lin& lin) { lin.set_response(one, {}); },
      [&](Lin& lin) { lin.update_response(one, {}); },
      [&](Lin& lin) { lin.go_to_sleep(one); },
      [&](Lin& lin) { lin.wake_up(one); },
      [&](Lin& lin) { lin.set_status(one, LinStatus::sleep); },
  };
  for (const auto& call : calls) EXPECT_EQ(refusal(call), Code::wrong_state);
  EXPECT_EQ(refusal([&](Lin& lin) { (void)lin.answered(one); }), Code::unspecified);
}

TEST_F(LinBus, WhatTakesAMasterIsRefusedToSlaves) {
  LinController& one = slave();
  EXPECT_EQ(refusal([&](Lin& lin) { lin.send_frame(one, {}, LinResponseType::master); }), Code::unspecified);
  EXPECT_EQ(refusal([&](Lin& lin) { lin.send_header(one, 1); }), Code::unspecified);
  EXPECT_EQ(refusal([&](Lin& lin) { lin.go_to_sleep(one); }), Code::unspecified);
  EXPECT_EQ(refusal([&](Lin& lin) { (void)lin.answered(one); }), Code::unspecified);
}

TEST_F(LinBus, WhatDynamicOnesDoNotDoIsRefusedToThem) {
  LinController& one = initialised(LinMode::master, {}, "lin", true);
  EXPECT_EQ(refusal([&](Lin& lin) { lin.send_frame(one, {}, LinResponseType::master); }), Code::unspecified);
  EXPECT_EQ(refusal([&](Lin& lin) { lin.set_response(one, {}); }), Code::unspecified);
  EXPECT_EQ(refusal([&](Lin& lin) { lin.update_response(one, {}); }), Code::unspecified);
}

TEST_F(LinBus, IdentifiersThatCannotBeAreRefusedWhereTheyWouldBeSent) {
  LinController& one = master();
  EXPECT_EQ(refusal([&](Lin& lin) { lin.send_header(one, 64); }), Code::bad_parameter);
  EXPECT_EQ(refusal([&](Lin& lin) { lin.send_frame(one, frame(64, "x"), LinResponseType::master); }),
            Code::bad_parameter);
  EXPECT_EQ(refusal([&](Lin& lin) { lin.update_response(one, frame(255, "x")); }), Code::bad_parameter);
  EXPECT_EQ(refusal([&](Lin& lin) { (void)lin.send_response(one, frame(64, "x")); }), Code::bad_parameter);
  EXPECT_THAT(stage.heard(), IsEmpty());
  send(one, frame(64, "x"), LinResponseType::slave);  // nobody answers: nothing is sent
  EXPECT_THAT(stage.heard(), ElementsAre("lin 64 x 8 never"));
}

// ---- frames of a master

TEST_F(LinBus, AMasterSendsItsOwnResponse) {
  LinController& one = master();
  q_listens();
  send(one, frame(17, "data"), LinResponseType::master);
  EXPECT_THAT(q_hears(), ElementsAre("lin header 17 never", "lin 17 data 5 never"));
  EXPECT_THAT(stage.heard(), ElementsAre("lin 17 data 1 never"));
  send(one, frame(17, "new"), LinResponseType::master);
  header(one, 17);
  EXPECT_THAT(stage.heard(), ElementsAre("lin 17 new 1 never", "lin 17 new 1 never"));
}

TEST_F(LinBus, AMasterAsksASlaveAndHearsItsResponse) {
  LinController& one = master();
  slave_at(q, {sends(17, "data")});
  q_listens();
  send(one, frame(17, "????"), LinResponseType::slave);
  EXPECT_THAT(q_hears(), ElementsAre("lin header 17 never"));
  transmission(frame(17, "data"));
  EXPECT_THAT(stage.heard(), ElementsAre("lin 17 data 5 never"));
}

TEST_F(LinBus, WhatASlaveTellsAnotherIsSentForTheMaster) {
  LinController& one = master();
  slave_at(q, {sends(17, "data")});
  q_listens();
  send(one, frame(17, "????"), LinResponseType::slave_to_slave);
  EXPECT_THAT(q_hears(), ElementsAre("lin header 17 never"));
  transmission(frame(17, "data"));
  EXPECT_THAT(stage.heard(), ElementsAre("lin 17 ???? 1 never")) << "the master does not listen";
}

TEST_F(LinBus, AFrameThatNobodyAnswersIsToldToTheMasterAlone) {
  LinController& one = master();
  q_listens();
  for (const LinResponseType type : {LinResponseType::slave, LinResponseType::slave_to_slave})
    send(one, frame(17, "data"), type);
  EXPECT_THAT(q_hears(), IsEmpty());
  EXPECT_THAT(stage.heard(), ElementsAre("lin 17 data 8 never", "lin 17 data 8 never"));
  EXPECT_THAT(stage.journal.back(),
              HasSubstr("LIN controller lin: no slave has a response for LIN identifier 17"));
}

TEST_F(LinBus, AMasterThatHasTheResponseItselfDoesNotAskASlaveForIt) {
  LinController& one = master({sends(17, "mine")});
  slave_at(q, {sends(17, "data")});
  q_listens();
  send(one, frame(17, "data"), LinResponseType::slave);
  EXPECT_THAT(q_hears(), IsEmpty());
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_THAT(stage.journal.back(), HasSubstr("the master itself has the response for LIN identifier 17"));
}

// ---- headers

TEST_F(LinBus, AHeaderThatNobodyAnswersIsToldToAll) {
  LinController& one = master({hears(17, 2)});
  q_listens();
  header(one, 17);
  EXPECT_THAT(q_hears(), ElementsAre("lin 17  8 never"));
  EXPECT_THAT(stage.heard(), ElementsAre("lin 17  8 never"));
}

TEST_F(LinBus, AHeaderThatTwoWouldAnswerIsAnErrorForAll) {
  LinController& one = master();
  slave_at(q, {sends(17, "q")});
  slave_at(r, {sends(17, "r")});
  q_listens();
  header(one, 17);
  EXPECT_THAT(q_hears(), ElementsAre(testing::AnyOf("lin 17 q 7 never", "lin 17 r 7 never")));
  EXPECT_THAT(stage.heard(), ElementsAre(testing::AnyOf("lin 17 q 7 never", "lin 17 r 7 never")));
  user([&](Lin& lin) { lin.set_response(one, sends(17, "m")); });
  header(one, 17);
  EXPECT_THAT(stage.heard(), ElementsAre(testing::EndsWith(" 4 never"))) << "the master takes part in it";
}

TEST_F(LinBus, ParticipantsThatNameTheSameIdAreToldApart) {
  const PeerId s = stage.newcomer("S", {.id = 7});
  const PeerId t = stage.newcomer("T", {.id = 7});
  LinController& one = master();
  slave_at(s, {sends(17, "s")});
  slave_at(t, {sends(17, "t")});
  header(one, 17);
  EXPECT_THAT(stage.heard(), ElementsAre(testing::AnyOf("lin 17 s 7 never", "lin 17 t 7 never")));
}

TEST_F(LinBus, SlavesOfOneParticipantAreToldApart) {
  LinController& one = master();
  stage.peer_service = 11;
  slave_at(q, {sends(17, "first")});
  header(one, 17);
  EXPECT_THAT(stage.heard(), IsEmpty()) << "one answers";
  stage.peer_service = 12;
  slave_at(q, {sends(17, "other")});
  header(one, 17);
  EXPECT_THAT(stage.heard(), ElementsAre("lin 17 other 7 never"));
}

TEST_F(LinBus, WhoSleepsIsNotCountedOn) {
  LinController& one = master();
  slave_at(q, {sends(17, "q")});
  slave_at(r, {sends(17, "r")});
  q_listens();
  status_of(r, LinStatus::sleep);
  header(one, 17);
  EXPECT_THAT(q_hears(), ElementsAre("lin header 17 never"));
  status_of(q, LinStatus::sleep);
  header(one, 17);
  EXPECT_THAT(q_hears(), ElementsAre("lin 17  8 never"));
  status_of(q, LinStatus::operational);
  header(one, 17);
  EXPECT_THAT(q_hears(), ElementsAre("lin header 17 never"));
}

TEST_F(LinBus, ASlaveThatHasLeftStaysInTheTable) {
  LinController& one = master();
  slave_at(r, {sends(17, "r")});
  stage.leaves(r);
  q_listens();
  header(one, 17);
  EXPECT_THAT(q_hears(), ElementsAre("lin header 17 never"));
  EXPECT_THAT(stage.heard(), IsEmpty());
}

TEST_F(LinBus, ASlaveAnswersTheHeaderOfItsIdentifier) {
  LinController& one = slave({sends(17, "data"), hears(18, 4)});
  q_listens();
  for (const int id : {17, 18, 19, 64, 255}) header_of(q, static_cast<std::uint8_t>(id));
  EXPECT_THAT(q_hears(), ElementsAre("lin 17 data 5 never"));
  EXPECT_THAT(stage.heard(), ElementsAre("lin 17 data 1 never"));
  user([&](Lin& lin) { lin.update_response(one, frame(17, "DATAplus")); });
  header_of(q, 17);
  EXPECT_THAT(q_hears(), ElementsAre("lin 17 DATA 5 never")) << "the length stays";
}

TEST_F(LinBus, AResponseWithoutALengthIsNotSent) {
  LinController& one = slave({{{17, LinChecksum::enhanced, LinFrame::kAnyLength}, LinResponseMode::send}});
  q_listens();
  header_of(q, 17);
  EXPECT_THAT(q_hears(), IsEmpty());
  EXPECT_THAT(stage.journal.back(), HasSubstr("the response for LIN identifier 17 has no length"));
  EXPECT_FALSE(lin().send_response(one, {18, LinChecksum::enhanced, LinFrame::kAnyLength}));
}

// ---- what is received

TEST_F(LinBus, AResponseIsHeardWhereLengthAndChecksumFit) {
  slave({hears(1, 4), hears(2, LinFrame::kAnyLength), hears(3, 4, LinChecksum::unknown), sends(4, "mine")});
  struct Row {
    LinFrame sent;
    LinFrameStatus status;
    std::vector<std::string> heard;
    const char* why;
  };
  using enum LinFrameStatus;
  const Row rows[] = {
      {frame(1, "data"), received, {"lin 1 data 5 never"}, "it fits"},
      {frame(1, "dat"), received, {"lin 1 dat 7 never"}, "another length"},
      {frame(1, "data", LinChecksum::classic), received, {"lin 1 data 7 never"}, "another checksum model"},
      {frame(1, "data", LinChecksum::unknown), received, {"lin 1 data 5 never"}, "an unknown one"},
      {frame(2, "d"), received, {"lin 2 d 5 never"}, "any length"},
      {frame(3, "data", LinChecksum::classic), received, {"lin 3 data 5 never"}, "any checksum model"},
      {frame(1, "data"), no_response, {"lin 1 data 8 never"}, "the status of the sender counts"},
      {frame(1, "data"), receive_error, {"lin 1 data 7 never"}, "likewise"},
      {frame(4, "mine"), receive_error, {"lin 4 mine 4 never"}, "of its own response it is a sender"},
      {frame(4, "mine"), received, {"lin 4 mine 1 never"}, "likewise"},
      {frame(4, "mine"), receive_busy, {"lin 4 mine 2 never"}, "likewise"},
      {frame(4, "mine"), no_response, {"lin 4 mine 8 never"}, "but for this status"},
      {frame(5, "data"), received, {}, "it does not listen to this one"},
      {frame(64, "data"), received, {}, "no identifier"},
      {{1, LinChecksum::enhanced, 9}, received, {}, "no length"},
  };
  for (const Row& row : rows) {
    transmission(row.sent, row.status);
    EXPECT_EQ(stage.heard(), row.heard) << row.why;
  }
}

TEST_F(LinBus, WhoIsNotInitialisedOrSleepsHearsNoFrames) {
  LinController& one = controller();
  transmission(kSleep);
  EXPECT_THAT(stage.journal.back(),
              HasSubstr("a transmission is ignored: the controller is not initialised"));
  stage.steady_ns += 2'000'000'000;
  user([&](Lin& lin) { lin.init(one, {LinMode::slave, 0, {hears(1, 1)}, 0}); });
  user([&](Lin& lin) { lin.set_status(one, LinStatus::sleep); });
  transmission(frame(1, "x"));
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_THAT(stage.journal.back(), HasSubstr("a transmission is ignored: the controller is asleep"));
  user([&](Lin& lin) { lin.set_status(one, LinStatus::operational); });
  transmission(frame(1, "x"));
  EXPECT_THAT(stage.heard(), ElementsAre("lin 1 x 5 never"));
}

// ---- sleep and wake-up

TEST_F(LinBus, AMasterSendsItsSlavesToSleepAndSleeps) {
  LinController& one = master();
  slave_at(q, {sends(17, "data")});
  q_listens();
  user([&](Lin& lin) { lin.go_to_sleep(one); });
  EXPECT_EQ(one.status, LinStatus::sleep);
  EXPECT_THAT(q_hears(), ElementsAre(testing::StartsWith("lin 60 "), "lin status 2 never"));
  EXPECT_THAT(stage.heard(),
              ElementsAre(testing::AllOf(testing::StartsWith("lin 60 "), HasSubstr(" 1 never"))));
  send(one, frame(17, "data"), LinResponseType::slave);
  EXPECT_THAT(q_hears(), IsEmpty());
  EXPECT_THAT(stage.journal.back(), HasSubstr("a frame was not sent: the controller is asleep"));
}

TEST_F(LinBus, OnlySlavesAreToldToSleepWhateverTheyListenTo) {
  LinController& one = slave();
  transmission(kSleep);
  EXPECT_THAT(stage.heard(), ElementsAre("lin sleep never"));
  EXPECT_EQ(one.status, LinStatus::operational) << "its user decides";
  LinFrame other = kSleep;
  other.data[7] = 0;
  transmission(other);
  EXPECT_THAT(stage.heard(), IsEmpty());
}

TEST_F(LinBus, AMasterIsNotToldToSleep) {
  master({hears(0x3C, 8, LinChecksum::classic)});
  transmission(kSleep);
  EXPECT_THAT(stage.heard(), ElementsAre(testing::StartsWith("lin 60 ")));
}

TEST_F(LinBus, AWakeupIsToldToAllInTheirDirection) {
  LinController& one = slave();
  q_listens();
  user([&](Lin& lin) { lin.set_status(one, LinStatus::sleep); });
  stage.tell(q, message_type::kLinWakeupPulse, LinWakeupPulse{kNoTime, 2}, "bus");
  EXPECT_EQ(one.status, LinStatus::sleep) << "its user decides";
  user([&](Lin& lin) { lin.wake_up(one); });
  EXPECT_EQ(one.status, LinStatus::operational);
  EXPECT_THAT(q_hears(), ElementsAre("lin status 2 never", "lin wakeup 2 never", "lin status 1 never"));
  EXPECT_THAT(stage.heard(), ElementsAre("lin wakeup 2 never", "lin wakeup 1 never"));
  user([&](Lin& lin) { lin.set_status(one, LinStatus::operational); });
  EXPECT_THAT(stage.journal.back(), HasSubstr("the controller is awake already"));
}

// ---- responses

TEST_F(LinBus, AResponseThatIsThereStays) {
  LinController& one = slave({sends(17, "old")});
  q_listens();
  user([&](Lin& lin) { lin.set_response(one, sends(17, "new")); });
  EXPECT_THAT(stage.journal.back(), HasSubstr("there is one for LIN identifier 17 already"));
  user([&](Lin& lin) { lin.set_response(one, sends(64, "x")); });
  EXPECT_THAT(stage.journal.back(), HasSubstr("LIN identifiers are 0 .. 63"));
  user([&](Lin& lin) { lin.set_response(one, {frame(18, "x"), LinResponseMode::unused}); });
  EXPECT_THAT(stage.journal.back(), HasSubstr("its mode is Unused"));
  EXPECT_THAT(q_hears(), IsEmpty());
  header_of(q, 17);
  EXPECT_THAT(stage.heard(), ElementsAre("lin 17 old 1 never"));
  EXPECT_EQ(refusal([&](Lin& lin) { lin.update_response(one, frame(18, "x")); }), Code::configuration);
}

TEST_F(LinBus, AMasterKnowsWhatSlavesAnswerAndIsToldWhenItChanges) {
  LinController& one = master();
  slave_at(q, {sends(1, "a"), hears(2, 1), sends(70, "ignored")});  // told to the handler that comes
  EXPECT_EQ(lin().answered(one).to_ullong(), 0b10U);
  ASSERT_TRUE(one.untold.has_value());
  one.untold.reset();
  one.slaves.add(handler<LinSlavesEvent>([this](const LinSlavesEvent&) { stage.note("slaves"); }));
  responses_of(q, {sends(3, "c")});
  slave_at(r, {});
  EXPECT_THAT(stage.heard(), ElementsAre("slaves", "slaves"));
  EXPECT_EQ(lin().answered(one).to_ullong(), 0b1010U);
  EXPECT_FALSE(one.untold.has_value());
}

TEST_F(LinBus, ResponsesOfNobodyKnownAreNotASlaves) {
  LinController& one = master();
  responses_of(q, {sends(3, "c")});
  EXPECT_TRUE(lin().answered(one).none());
}

TEST_F(LinBus, AParticipantWithTooManyNodesIsRefused) {
  master();
  const auto add = [&] {
    for (stage.peer_service = 1; stage.peer_service <= 2 * LinNodes::kMostPerParticipant;
         ++stage.peer_service)
      status_of(q, LinStatus::operational);
  };
  EXPECT_THROW(add(), WireError);
  EXPECT_EQ(stage.peer_service, LinNodes::kMostPerParticipant + 1);
  EXPECT_NO_THROW(status_of(r, LinStatus::operational)) << "the others are not to blame";
}

TEST_F(LinBus, APeerSpeaksForItsOwnNodesOnly) {
  LinController& one = master();
  slave_at(q, {sends(17, "q")});
  Bytes body;
  encode_body(body, LinStatusUpdate{kNoTime, LinStatus::sleep});
  Bytes message;
  encode_service(message, {stage.index_of(message_type::kLinStatusUpdate, "bus"), hash64("Q"), 0}, body);
  stage.receive(r, message);
  q_listens();
  header(one, 17);
  EXPECT_THAT(q_hears(), ElementsAre("lin header 17 never")) << "Q does not sleep";
}

TEST_F(LinBus, AMessageThatIsCutOffIsRefused) {
  controller();
  for (const std::string_view type : kTypes)
    EXPECT_THROW(stage.tell_body(q, type, bytes_of("cut"), "bus"), WireError) << type;
}

// ---- several controllers, and dynamic ones

TEST_F(LinBus, ControllersOfOneParticipantHearEachOther) {
  LinController& one = master();
  initialised(LinMode::slave, {sends(1, "a"), hears(2, 1)}, "slave");
  controller("idle");
  controller("far", "other bus");
  send(one, frame(1, "?"), LinResponseType::slave);
  EXPECT_THAT(stage.heard(), ElementsAre("slave 1 a 1 never", "lin 1 a 5 never"));
  send(one, frame(2, "b"), LinResponseType::master);
  EXPECT_THAT(stage.heard(), ElementsAre("lin 2 b 1 never", "slave 2 b 5 never"));
  user([&](Lin& lin) { lin.go_to_sleep(one); });
  EXPECT_THAT(stage.heard(), ElementsAre(testing::StartsWith("lin 60 "), "slave sleep never"));
}

TEST_F(LinBus, ADynamicSlaveIsAskedAndAnswersWhenItLikes) {
  LinController& one = initialised(LinMode::slave, {}, "lin", true);
  q_listens();
  header_of(q, 17);
  EXPECT_THAT(stage.heard(), ElementsAre("lin header 17 never"));
  EXPECT_THAT(q_hears(), IsEmpty());
  user([&](Lin& lin) { EXPECT_TRUE(lin.send_response(one, frame(17, "data"))); });
  EXPECT_THAT(q_hears(), ElementsAre("lin responses 17:2", "lin 17 data 5 never"));
  EXPECT_THAT(stage.heard(), ElementsAre("lin 17 data 1 never"));
  transmission(frame(33, "any"));
  EXPECT_THAT(stage.heard(), ElementsAre("lin 33 any 5 never")) << "it hears everything";
}

TEST_F(LinBus, AHeaderGoesOutWhenADynamicNodeMayAnswerIt) {
  LinController& one = master();
  slave_at(q, {}, true);
  q_listens();
  EXPECT_THAT(q_hears(), IsEmpty());
  header(one, 17);
  send(one, frame(18, "???"), LinResponseType::slave);
  EXPECT_THAT(q_hears(), ElementsAre("lin header 17 never", "lin header 18 never"));
  transmission(frame(18, "yes"));
  EXPECT_THAT(stage.heard(), ElementsAre("lin 18 yes 5 never"));
}

class LinTime : public LinBus {
 protected:
  LinTime() {
    stage.time_sync_of(q);
    stage.lifecycle(OperationMode::autonomous);
    stage.time_sync();
    stage.start();
    stage.heard();
    stage.take(q);
  }
};

TEST_F(LinTime, FramesCarryTheTimeOfTheStepAndTheStepEndsBehindWhatTheyCause) {
  LinController& one = master();
  q_listens();
  one.frames.add(handler<LinFrameEvent>([&](const LinFrameEvent& event) {
    if (event.frame.id < 2) lin().send_frame(one, frame(2, "on"), LinResponseType::master);
  }));
  stage.inside = [&](std::string_view) {
    stage.inside = nullptr;
    lin().send_frame(one, frame(1, "first"), LinResponseType::master);
  };
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.take(q), ElementsAre("lin header 1 0", "lin 1 first 5 0", "lin header 2 0",
                                         "lin 2 on 5 0", "next 1000000 1000000"));
}

TEST_F(LinTime, WhatComesWithoutATimeGetsThatOfTheStepInWhichItIsHeard) {
  slave({hears(1, 1)});
  stage.next(q, 0, kMs);
  stage.next(q, kMs, kMs);
  stage.heard();
  transmission(frame(1, "x"));
  stage.tell(q, message_type::kLinTransmission, LinTransmission{5, frame(1, "y"), LinFrameStatus::received},
             "bus");
  EXPECT_THAT(stage.heard(), ElementsAre("lin 1 x 5 1000000", "lin 1 y 5 5"));
}

}  // namespace
}  // namespace tactus::silkit::lin_test
