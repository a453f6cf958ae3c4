// SPDX-License-Identifier: Apache-2.0
/// Requests to a station by ISO-TP, on a simulated bus whose other station is a double of the tests.
#include <functional>
#include <optional>

#include "drivers/can/port/iso_tp.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/can/model/bus_test.hpp"

namespace tactus::drivers::can::diagnostics_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

enum State { idle, waiting, answered, refused, timed_out, failed };

class CanStation : public test::BusTest {
 protected:
  CanStation() { database("BO_ 1 M: 1 A\n SG_ X : 0|8@1+ (1,0) [0|0] \"\" B\n"); }
  void ask(const std::string& requests, const std::string& more = "") {
    start("stations: { ECU: { request: 0x7E0, response: 0x7E8, timeout: 100 ms, " + more + "requests: { " +
          requests + " } } }");
  }
  /// Runs frames of the rig and of the station.
  void run(int frames) {
    PortEvent event;
    for (int i = 0; i < frames; ++i) {
      ASSERT_TRUE(host_->frame()) << host_->failure();
      peer_->begin(host_->time(), 1'000'000);
      while (peer_->receive(event, false)) {
        if (event.kind != PortEvent::Kind::received) continue;
        wire_.push_back(Bytes(event.frame.data.at, event.frame.data.at + event.frame.length));
        (void)ecu_.receive(event.frame, host_->time());
      }
      IsoTpEvent came;
      while (ecu_.take(came, host_->time()))
        if (came.kind == IsoTpEvent::Kind::answer) {
          asked_.emplace_back(came.data.begin(), came.data.end());
          if (const auto reply = reply_(asked_.back())) ecu_.send(*reply, host_->time());
        }
      CanFrame frame;
      while (ecu_.next(frame, host_->time())) ASSERT_TRUE(peer_->send(frame, 0, -900'000));
    }
  }

  std::function<std::optional<Bytes>(const Bytes&)> reply_ = [](const Bytes&) { return std::nullopt; };
  FramedIsoTp ecu_{{.request = 0x7E8, .response = 0x7E0, .extended = false, .padding = 0xAA}};
  std::vector<Bytes> asked_, wire_;
};

TEST_F(CanStation, ReadsFaultCodes) {
  ask("faults: 19 02 FF, clear: 14 FF FF FF");
  reply_ = [](const Bytes& asked) -> std::optional<Bytes> {
    if (asked[0] == 0x14) return Bytes{0x54};
    return Bytes{0x59, 0x02, 0xFF, 0x01, 0x23, 0x45, 0x08, 0xC1, 0x00, 0x11, 0x09, 0x9A, 0xBC, 0xDE, 0x2F};
  };
  run(3);
  EXPECT_EQ(host_->get("ECU.faults.state"), idle);
  EXPECT_TRUE(asked_.empty()) << "nobody has asked";
  host_->set("ECU.faults.send", 1);
  run(1);
  EXPECT_EQ(host_->get("ECU.faults.state"), waiting);
  run(12);
  EXPECT_EQ(host_->get("ECU.faults.state"), answered);
  EXPECT_EQ(host_->get("ECU.faults.codes"), 3);
  EXPECT_EQ(host_->get("ECU.faults.first_code"), 0x012345);
  EXPECT_EQ(host_->get("ECU.faults.length"), 15);
  EXPECT_EQ(host_->get("ECU.faults.answers"), 1);
  EXPECT_GT(host_->get("ECU.faults.time"), 0.001);
  EXPECT_THAT(asked_, ElementsAre(Bytes{0x19, 0x02, 0xFF}));
  ASSERT_EQ(wire_.size(), 2U);
  EXPECT_EQ(wire_[0], (Bytes{3, 0x19, 2, 0xFF, 0xCC, 0xCC, 0xCC, 0xCC}));
  EXPECT_EQ(wire_[1], (Bytes{0x30, 0, 0, 0xCC, 0xCC, 0xCC, 0xCC, 0xCC})) << "its flow control";
  EXPECT_EQ(host_->get("ECU.clear.state"), idle);
  EXPECT_EQ(host_->get("bus.unknown"), 0) << "a dialogue is no unknown message";
}

TEST_F(CanStation, FindsFaultCodesWhereTheAnswerToTheSubfunctionHasThem) {
  struct Case {
    std::string request;
    Bytes answer;
    int codes, first;
  };
  const std::vector<Case> all{
      {"19 01 FF", {0x59, 0x01, 0xFF, 0x01, 0x01, 0x02}, 258, 0},
      {"19 12 FF", {0x59, 0x12, 0xFF, 0x01, 0x00, 0x03}, 3, 0},
      {"19 0A", {0x59, 0x0A, 0xFF}, 0, 0},
      {"19 14", {0x59, 0x14, 1, 2, 3, 0x7F, 4, 5, 6, 0x10}, 2, 0x010203},
      {"19 06 01 02 03 FF", {0x59, 0x06, 1, 2, 3, 0x2F, 0x01, 9, 9}, 1, 0x010203},
      {"19 08 FF FF", {0x59, 0x08, 0xFF, 0x20, 0x10, 1, 2, 3, 0x2F, 0x40, 0x10, 4, 5, 6, 0x2F}, 2, 0x010203},
      {"19 17 FF 01", {0x59, 0x17, 0x01, 0xFF, 1, 2, 3, 0x2F}, 1, 0x010203},
      {"19 42 33 FF FF", {0x59, 0x42, 0x33, 0xFF, 0xE0, 0x04, 0x20, 1, 2, 3, 0x2F}, 1, 0x010203},
      {"19 05 01", {0x59, 0x05, 0x01, 1, 2, 3, 0x2F}, 1, 0x010203},
      {"19 16 01", {0x59, 0x16, 0x01, 1, 2, 3, 0x2F, 7, 4, 5, 6, 0x2F}, 0, 0},  // entries are of any length
  };
  std::string requests;
  for (std::size_t i = 0; i < all.size(); ++i)
    requests += (i > 0 ? ", r" : "r") + std::to_string(i) + ": '" + all[i].request + "'";
  ask(requests);
  std::size_t next = 0;
  reply_ = [&](const Bytes&) { return all.at(next).answer; };
  for (; next < all.size(); ++next) {
    const std::string of = "ECU.r" + std::to_string(next) + ".";
    host_->set(of + "send", 1);
    run(20);
    EXPECT_EQ(host_->get(of + "state"), answered) << all[next].request;
    EXPECT_EQ(host_->get(of + "codes"), all[next].codes) << all[next].request;
    EXPECT_EQ(host_->get(of + "first_code"), all[next].first) << all[next].request;
  }
}

TEST_F(CanStation, TakesNoAnswerToAnotherRequestOfTheSameService) {
  ask("one: 22 F1 90, two: 22 F1 91, faults: 19 82 FF");
  std::optional<Bytes> late;
  reply_ = [&](const Bytes& asked) -> std::optional<Bytes> {
    if (asked[0] == 0x19) return Bytes{0x59, 0x02, 0xFF};
    if (asked[2] == 0x90) return std::nullopt;  // in time
    return Bytes{0x62, 0xF1, 0x90, 1, 2};       // but now
  };
  host_->set("ECU.one.send", 1);
  run(120);
  EXPECT_EQ(host_->get("ECU.one.state"), timed_out);
  host_->set("ECU.two.send", 1);
  run(20);
  EXPECT_EQ(host_->get("ECU.two.state"), waiting);
  EXPECT_EQ(host_->get("ECU.two.answers"), 0);
  ecu_.send(Bytes{0x62, 0xF1, 0x91, 3}, host_->time());
  run(5);
  EXPECT_EQ(host_->get("ECU.two.state"), answered);
  host_->set("ECU.faults.send", 1);
  run(10);
  EXPECT_EQ(host_->get("ECU.faults.state"), answered) << "without the bit that asks for no answer";
}

TEST_F(CanStation, RequestsTimeOutWhileTheControllerIsBusOff) {
  ask("faults: 19 02 FF");
  run(3);
  const auto all = host_->model().faults();
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (all[i].kind == "bus_off") host_->model().disturb(i, true, 0);
  run(2);
  host_->set("ECU.faults.send", 1);
  run(110);
  EXPECT_EQ(host_->get("ECU.faults.state"), timed_out);
  EXPECT_TRUE(wire_.empty());
}

TEST_F(CanStation, HasIdsOfItsOwn) {
  const std::string requests = "requests: { faults: 19 02 FF } }";
  EXPECT_THAT(
      problems("receive: { M: {} }\nstations: { ECU: { request: 0x7E0, response: 1, " + requests + " }"),
      HasSubstr("stations.ECU.response: is the id of message M, which is received"));
  EXPECT_THAT(problems("send: { M: {} }\nstations: { ECU: { request: 1, response: 0x7E8, " + requests + " }"),
              HasSubstr("stations.ECU.request: is the id of message M, which is sent"));
  EXPECT_THAT(problems("stations: { ECU: { request: 0x7E0, response: 0x7E8, " + requests +
                       ", TCU: { request: 0x7E1, response: 0x7E8, " + requests + " }"),
              HasSubstr("stations.TCU.response: is an id of station ECU"));
}

TEST_F(CanStation, SendsLongRequestsAsTheFlowControlSays) {
  std::string text = "2E";
  Bytes all{0x2E};
  for (int i = 1; i < 40; ++i) {
    char hex[8];
    (void)std::snprintf(hex, sizeof hex, " %02X", i);
    text += hex;
    all.push_back(static_cast<std::uint8_t>(i));
  }
  ask("write: '" + text + "'", "padding: -1, ");
  reply_ = [](const Bytes&) { return Bytes{0x6E, 1, 2}; };
  host_->set("ECU.write.send", 7);
  run(12);
  EXPECT_EQ(host_->get("ECU.write.state"), answered);
  EXPECT_THAT(asked_, ElementsAre(all));
  ASSERT_EQ(wire_.size(), 6U) << "6 bytes, then 7 each";
  EXPECT_EQ(wire_[0], (Bytes{0x10, 40, 0x2E, 1, 2, 3, 4, 5}));
  EXPECT_EQ(wire_[1][0], 0x21);
  EXPECT_EQ(wire_[5].size(), 7U) << "the last one is short without padding";
}

TEST_F(CanStation, WaitsForAnAnswerThatIsPendingAndTellsARefusal) {
  ask("unlock: 27 01, other: 3E 00");
  int asked = 0;
  reply_ = [&](const Bytes& request) -> std::optional<Bytes> {
    if (request[0] == 0x3E) return Bytes{0x7E, 0x00};
    ++asked;
    return Bytes{0x7F, 0x27, 0x78};
  };
  host_->set("ECU.unlock.send", 1);
  host_->set("ECU.other.send", 1);
  run(300);
  EXPECT_EQ(host_->get("ECU.unlock.state"), waiting)
      << "longer than the time-out: it said that it takes time";
  EXPECT_EQ(host_->get("ECU.other.state"), waiting) << "one at a time";
  ecu_.send(Bytes{0x7F, 0x27, 0x35}, host_->time());
  run(10);
  EXPECT_EQ(host_->get("ECU.unlock.state"), refused);
  EXPECT_EQ(host_->get("ECU.unlock.refusal"), 0x35);
  EXPECT_EQ(host_->get("ECU.unlock.answers"), 0);
  run(10);
  EXPECT_EQ(host_->get("ECU.other.state"), answered);
  EXPECT_EQ(asked, 1);
}

TEST_F(CanStation, TimesOutAndTakesNoLateAnswerForTheNextRequest) {
  ask("a: 22 F1 90, b: 3E 00");
  host_->set("ECU.a.send", 1);
  run(110);
  EXPECT_EQ(host_->get("ECU.a.state"), timed_out);
  EXPECT_NEAR(host_->get("ECU.a.time"), 0.101, 1e-9);
  host_->set("ECU.b.send", 1);
  run(2);
  ecu_.send(Bytes{0x62, 0xF1, 0x90, 1}, host_->time());
  run(5);
  EXPECT_EQ(host_->get("ECU.b.state"), waiting);
  ecu_.send(Bytes{0x7E, 0}, host_->time());
  run(5);
  EXPECT_EQ(host_->get("ECU.b.state"), answered);
  EXPECT_EQ(host_->get("ECU.a.answers"), 0);
}

TEST_F(CanStation, AMissingFrameFailsAndAMissingFlowControlTimesOut) {
  ask("faults: 19 02 FF");
  host_->set("ECU.faults.send", 1);
  run(2);
  send(0x7E8, {0x10, 20, 0x59, 2, 0xFF, 1, 2, 3});
  run(2);
  send(0x7E8, {0x22, 1, 2, 3, 4, 5, 6, 7});
  run(2);
  EXPECT_EQ(host_->get("ECU.faults.state"), failed);
  FramedIsoTp alone({.request = 1, .response = 2, .extended = false, .padding = -1});
  const Bytes message(20, 7);
  alone.send(message, 0);
  CanFrame frame;
  IsoTpEvent event;
  ASSERT_TRUE(alone.next(frame, 0));
  EXPECT_FALSE(alone.next(frame, 0)) << "it waits";
  EXPECT_FALSE(alone.take(event, FramedIsoTp::kTimeout));
  ASSERT_TRUE(alone.take(event, FramedIsoTp::kTimeout + 1));
  EXPECT_EQ(event.error, ETIMEDOUT);
}

TEST_F(CanStation, KeepsGapsAndBlocksOfTheReceiver) {
  FramedIsoTp sender({.request = 1, .response = 2, .extended = false, .padding = -1});
  const Bytes message(30, 7);
  sender.send(message, 0);
  CanFrame frame, flow;
  ASSERT_TRUE(sender.next(frame, 0));
  flow.id = 2;
  flow.length = 3;
  flow.data.at[0] = 0x30;
  flow.data.at[1] = 2;   // frames, then ask again
  flow.data.at[2] = 10;  // ms
  ASSERT_TRUE(sender.receive(flow, 1'000'000));
  ASSERT_TRUE(sender.next(frame, 1'000'000));
  EXPECT_FALSE(sender.next(frame, 10'999'999));
  ASSERT_TRUE(sender.next(frame, 11'000'000));
  EXPECT_FALSE(sender.next(frame, 30'000'000)) << "the block is over";
  flow.data.at[0] = 0x31;  // wait
  ASSERT_TRUE(sender.receive(flow, 30'000'000));
  EXPECT_FALSE(sender.next(frame, 31'000'000));
  flow.data.at[0] = 0x30;
  flow.data.at[2] = 0xF3;  // 300 us
  ASSERT_TRUE(sender.receive(flow, 40'000'000));
  ASSERT_TRUE(sender.next(frame, 40'000'000));
  EXPECT_FALSE(sender.next(frame, 40'299'999));
  ASSERT_TRUE(sender.next(frame, 40'300'000));
  IsoTpEvent event;
  ASSERT_TRUE(sender.take(event, 40'300'000));
  EXPECT_EQ(event.kind, IsoTpEvent::Kind::sent);
}

TEST_F(CanStation, CostsNoHeapInAFrame) {
  ask("faults: 19 02 FF");
  host_->set("ECU.faults.send", 1);
  run(1);
  const rtsync::HeapWatch heap;
  for (int i = 0; i < 120; ++i) {
    (void)host_->run("receive");
    (void)host_->run("send");
    host_->go_to(2 + i);
  }
  EXPECT_EQ(heap.calls(), 0U);
}

TEST_F(CanStation, RefusesWhatIsNoRequest) {
  const auto wrong = [this](const std::string& keys) {
    return problems("stations: { ECU: { " + keys + " } }");
  };
  EXPECT_THAT(
      wrong("request: 0x7E0, response: 0x7E8, requests: { a: 19 2 }"),
      HasSubstr("stations.ECU.requests.a: '19 2' is not a row of bytes; write two hexadecimal digits each"));
  EXPECT_THAT(wrong("request: 0x7E0, response: 0x7E0, requests: { a: 19 }"),
              HasSubstr("is the id of the request"));
  EXPECT_THAT(wrong("request: hello, response: 0x7E8"), HasSubstr("stations.ECU.request"));
  EXPECT_THAT(wrong("response: 0x7E8"), HasSubstr("request"));
}

}  // namespace
}  // namespace tactus::drivers::can::diagnostics_test
