// SPDX-License-Identifier: Apache-2.0
/// What the registry does for participants that cannot connect to each other.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "drivers/silkit/net/registry.hpp"
#include "drivers/silkit/wire/proxy_message.hpp"
#include "tests/drivers/silkit/net/support/relay_talk.hpp"
#include "tests/drivers/silkit/net/support/said.hpp"

namespace tactus::silkit::registry_relay_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace test;
using Status = RemoteConnect::Status;

constexpr std::size_t kMostQueued = 1U << 20;
const std::string kSomewhere = "tcp://0.0.0.0:4711";

Announcement in(const std::string& simulation, Announcement announcement) {
  announcement.simulation = simulation;
  return announcement;
}

/// A whole message with this number in it.
Bytes numbered(std::uint64_t number, std::size_t size = 0) {
  Bytes bytes;
  encode(bytes, Subscriber{number, std::string(size, 'x'), "T", 1});
  return bytes;
}

std::uint64_t number_in(const RelayedMessage& heard) {
  return decode<Subscriber>(frame_of_payload(heard.payload).body).index;
}

class RegistryRelay : public testing::Test {
 protected:
  RawStream join(const std::string& name, const std::string& simulation = "") const {
    return registered(uri_, in(simulation, able(name, kSomewhere)));
  }

  Said said_;
  const std::unique_ptr<Registry> registry_ =
      make_registry({.domain_sockets = false,
                     .backlog = {.bytes = kMostQueued, .patience = std::chrono::milliseconds(300)},
                     .io_thread = {.name = "registry"}},
                    said_);
  const std::string uri_ = registry_->listen("silkit://127.0.0.1:0");
};

TEST_F(RegistryRelay, PassesMessagesOnInTheirOrder) {
  RawStream a = join("A");
  RawStream b = join("B");
  std::mt19937 random(7);  // the same every time
  for (std::uint64_t i = 0; i < 500; ++i) {
    const Bytes payload = numbered(i, random() % 3000);
    a.say(ProxyMessage{0, "A", "B", payload});
    if (i % 50 != 0) continue;
    b.say(ProxyMessage{0, "B", "A", payload});
  }
  for (std::uint64_t i = 0; i < 500; ++i) {
    const RelayedMessage heard = next_relayed(b);
    ASSERT_EQ(number_in(heard), i);
    EXPECT_EQ(heard.source, "A");
    EXPECT_EQ(heard.destination, "B");
  }
  for (std::uint64_t i = 0; i < 500; i += 50) ASSERT_EQ(number_in(next_relayed(a)), i);
}

TEST_F(RegistryRelay, TellsEachOfTheOthersEnd) {
  RawStream a = join("A");
  RawStream c = join("C");
  {
    RawStream b = join("B");
    const Bytes payload = numbered(1);
    b.say(ProxyMessage{0, "B", "A", payload});  // A has said nothing
    c.say(ProxyMessage{0, "C", "B", payload});  // B has said nothing
    EXPECT_EQ(number_in(next_relayed(b)), 1U);
  }
  EXPECT_EQ(number_in(next_relayed(a)), 1U);
  for (RawStream* stream : {&a, &c}) {
    const RelayedMessage end = next_relayed(*stream);
    EXPECT_EQ(end.source, "B");
    EXPECT_THAT(end.payload, IsEmpty());
  }
}

TEST_F(RegistryRelay, ForgetsThePairsOfWhoHasLeft) {
  RawStream a = join("A");
  for (std::uint64_t turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(eventually([&] { return registry_->participants().size() == 1; }));
    RawStream b = join("B");
    b.say(ProxyMessage{0, "B", "A", numbered(turn)});
    EXPECT_EQ(number_in(next_relayed(a)), turn);
    b = RawStream(Descriptor());
    EXPECT_THAT(next_relayed(a).payload, IsEmpty()) << "once per life";
  }
}

TEST_F(RegistryRelay, AnswersWhoBeginsToTalkToNobody) {
  RawStream a = join("A");
  RawStream other = join("B", "elsewhere");
  const RawStream unable = registered(uri_, announcement_of("Unable"));
  for (const char* nobody : {"B", "Nobody", "Unable"}) {
    a.say(ProxyMessage{0, "A", nobody, encoded(able("A", kSomewhere))});
    const RelayedMessage end = next_relayed(a);
    EXPECT_EQ(end.source, nobody);
    EXPECT_EQ(end.destination, "A");
    EXPECT_THAT(end.payload, IsEmpty());
    a.say(ProxyMessage{0, "A", nobody, numbered(1)});  // no answer: it was under way
  }
  a.say(Subscriber{9, "", "T", 1});
  EXPECT_EQ(a.next()->kind, Kind::acknowledge) << "nothing came before it";
  other.say(Subscriber{9, "", "T", 1});
  EXPECT_EQ(other.next()->kind, Kind::acknowledge) << "simulations stay apart";
}

TEST_F(RegistryRelay, RelaysNothingInAnothersName) {
  RawStream a = join("A");
  RawStream b = join("B");
  RawStream evil = join("Evil");
  evil.say(ProxyMessage{0, "A", "B", numbered(1)});
  evil.say(ProxyMessage{0, "A", "B", {}});
  evil.say(ProxyMessage{0, "", "B", numbered(2)});
  evil.say(ProxyMessage{0, "Evil", "Evil", numbered(3)});
  evil.say(ProxyMessage{0, "SilKitRegistry", "B", numbered(4)});
  evil.say(
      ProxyMessage{1, "Evil", "B", numbered(5)});  // of a version that is not known: nothing but that is read
  evil.say(ProxyMessage{0, "Evil", "B", numbered(6)});
  const RelayedMessage heard = next_relayed(b);
  EXPECT_EQ(heard.source, "Evil");
  EXPECT_EQ(number_in(heard), 6U);
  EXPECT_GE(said_.warnings_with("'Evil' sends a message of 'A' to 'B', which is not its to send"), 1U);
}

TEST_F(RegistryRelay, DropsTheOneThatSaysMoreThanItSends) {
  RawStream a = join("A");
  RawStream b = join("B");
  Bytes bytes;
  encode(bytes, ProxyMessage{0, "A", "B", numbered(1)});
  const std::uint32_t many = 1U << 31;
  std::memcpy(bytes.data() + 16, &many, sizeof many);  // the size of the payload
  a.send(bytes);
  EXPECT_TRUE(a.ends());
  EXPECT_EQ(said_.warnings_with("participant 'A' is disconnected"), 1U);
  b.say(Subscriber{9, "", "T", 1});
  EXPECT_EQ(b.next()->kind, Kind::acknowledge);
}

TEST_F(RegistryRelay, DropsWhoDoesNotReadAndTellsTheOther) {
  RawStream a = join("A");
  RawStream slow = join("Slow");
  RawStream quick = join("Quick");
  const Bytes payload = numbered(1, 60'000);
  const auto dropped = [&] { return said_.warnings_with("participant 'Slow' is disconnected") == 1; };
  for (int i = 0; i < 2000 && !dropped(); ++i) {
    a.say(ProxyMessage{0, "A", "Slow", payload});
    a.say(ProxyMessage{0, "A", "Quick", payload});
    (void)next_relayed(quick);
  }
  EXPECT_TRUE(eventually(dropped));
  const RelayedMessage end = next_relayed(a);
  EXPECT_EQ(end.source, "Slow");
  EXPECT_THAT(end.payload, IsEmpty());
  EXPECT_EQ(said_.warnings_with("'Quick'"), 0U) << "nobody else suffers: " << said_.warnings();
}

TEST_F(RegistryRelay, TakesAMessageLargerThanItsQueueMayBe) {
  RawStream a = join("A");
  RawStream b = join("B");
  a.say(ProxyMessage{0, "A", "B", numbered(1, 3 * kMostQueued)});
  EXPECT_EQ(number_in(next_relayed(b)), 1U);
}

TEST_F(RegistryRelay, GoesOnAfterAnythingAtAll) {
  RawStream a = join("A");
  std::mt19937 random(11);  // the same every time
  for (int turn = 0; turn < 300; ++turn) {
    ASSERT_TRUE(eventually([&] { return registry_->participants() == std::vector<std::string>{"A"}; }));
    RawStream liar = join("Liar");
    Bytes bytes;
    for (int several = 0; several < 4; ++several) {
      const char* const names[] = {"A", "Liar", "", "Nobody"};
      encode(bytes, ProxyMessage{static_cast<std::uint8_t>(random() % 8 == 0), names[random() % 4],
                                 names[random() % 4], numbered(random(), random() % 40)});
      encode(bytes, RemoteConnect{{},
                                  {names[random() % 4], 0, {"tcp://127.0.0.1:1"}, ""},
                                  {names[random() % 4], 0, {}, "[["},
                                  static_cast<Status>(random() % 6)});
    }
    for (int change = 0; change < 3; ++change)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    liar.send(bytes);
  }
  ASSERT_TRUE(eventually([&] { return registry_->participants() == std::vector<std::string>{"A"}; }));
  RawStream b = join("B");
  b.say(ProxyMessage{0, "B", "A", numbered(4711)});
  for (;;) {  // behind whatever the liars got through
    const auto message = a.next();
    ASSERT_TRUE(message);
    if (message->kind != Kind::proxy) continue;
    const ProxyMessage proxy = decode<ProxyMessage>(message->body);
    if (proxy.source == "B") break;
  }
}

// ---- connect requests

TEST_F(RegistryRelay, PassesARequestOnWithWhatItKnowsItself) {
  Announcement origin = able("Origin", kSomewhere);
  origin.peer.acceptors = {"tcp://0.0.0.0:4711", "tcp://192.0.2.1:12"};
  RawStream a = registered(uri_, origin);
  RawStream b = join("Target");
  a.say(
      RemoteConnect{{}, {"Somebody", 1, {"tcp://192.0.2.9:1"}, "x"}, {"Target", 2, {}, ""}, Status::request});
  const RemoteConnect request = next_request(b);
  EXPECT_EQ(request.status, Status::request);
  EXPECT_EQ(request.origin.name, "Origin");
  EXPECT_THAT(request.origin.acceptors, ElementsAre("tcp://127.0.0.1:4711", "tcp://192.0.2.1:12"));
  EXPECT_EQ(request.target.name, "Target");
  for (const Status status : {Status::connecting, Status::failed}) {
    RemoteConnect answer = request;
    answer.status = status;
    b.say(answer);
    const RemoteConnect passed_on = next_request(a);
    EXPECT_EQ(passed_on.status, status);
    EXPECT_EQ(passed_on.origin.name, "Origin");
    EXPECT_EQ(passed_on.target.name, "Target");
  }
}

TEST_F(RegistryRelay, AnswersARequestThatNobodyCanMeet) {
  RawStream a = join("A");
  const RawStream elsewhere = join("Elsewhere", "other");
  const RawStream unable = registered(uri_, announcement_of("Unable"));
  for (const char* target : {"Nobody", "Elsewhere", "Unable", "A"}) {
    a.say(RemoteConnect{{}, {"A", 1, {}, ""}, {target, 2, {}, ""}, Status::request});
    const RemoteConnect answer = next_request(a);
    EXPECT_EQ(answer.status, Status::failed);
    EXPECT_EQ(answer.origin.name, "A");
    EXPECT_EQ(answer.target.name, target);
  }
}

TEST_F(RegistryRelay, PassesNoAnswerOnThatIsAnothersToGive) {
  RawStream a = join("A");
  RawStream evil = join("Evil");
  for (const Status status : {Status::connecting, Status::failed, Status::announcement, Status::invalid})
    evil.say(RemoteConnect{{}, {"A", 1, {}, ""}, {"B", 2, {}, ""}, status});
  evil.say(Subscriber{9, "", "T", 1});
  EXPECT_EQ(evil.next()->kind, Kind::acknowledge) << "it has been heard";
  a.say(Subscriber{9, "", "T", 1});
  EXPECT_EQ(a.next()->kind, Kind::acknowledge) << "nothing came before it";
  EXPECT_GE(said_.warnings_with("'Evil' sends a connect request that is not its to send"), 1U);
}

TEST(RegistryWithoutRelay, NeitherRelaysNorPassesRequestsOn) {
  Said said;
  const auto registry = make_registry(
      {.domain_sockets = false, .passes_requests = false, .relays = false, .io_thread = {}}, said);
  const std::string uri = registry->listen("silkit://127.0.0.1:0");
  RawStream a = registered(uri, able("A", kSomewhere));
  RawStream b = registered(uri, able("B", kSomewhere));
  a.say(RemoteConnect{{}, {"A", 1, {}, ""}, {"B", 2, {}, ""}, Status::request});
  EXPECT_EQ(next_request(a).status, Status::failed);
  a.say(ProxyMessage{0, "A", "B", numbered(1)});
  a.say(Subscriber{9, "", "T", 1});
  EXPECT_EQ(a.next()->kind, Kind::acknowledge);
  b.say(Subscriber{9, "", "T", 1});
  EXPECT_EQ(b.next()->kind, Kind::acknowledge) << "nothing came before it";
  EXPECT_EQ(said.warnings_with("Middleware.RegistryAsFallbackProxy is false"), 1U);
}

}  // namespace
}  // namespace tactus::silkit::registry_relay_test
