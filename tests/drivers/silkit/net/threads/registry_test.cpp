// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/registry.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <vector>

#include "drivers/silkit/core/error.hpp"
#include "tests/drivers/silkit/net/support/raw_stream.hpp"
#include "tests/drivers/silkit/net/support/said.hpp"

namespace tactus::silkit::registry_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using namespace test;

std::vector<std::string> names_of(const KnownParticipants& known) {
  std::vector<std::string> names;
  for (const PeerInfo& peer : known.peers) names.push_back(peer.name);
  return names;
}

class RegistryTest : public testing::Test {
 protected:
  std::vector<std::string> participants() const { return registry_->participants(); }
  /// The registry goes on as if nothing had been.
  void expect_alive() {
    KnownParticipants known;
    const RawStream another = registered(uri_, announcement_of("StillServed"), &known);
    EXPECT_THAT(participants(), testing::Contains("StillServed"));
  }

  Said said_;
  std::atomic<std::int64_t> now_ns_{0};
  std::atomic<std::int64_t> pace_ns_{1'000'000'000};  ///< the clock goes on by this when it is looked at
  const std::unique_ptr<Registry> registry_ =
      make_registry({.domain_sockets = false,
                     .steady_ns = [this] { return now_ns_ += pace_ns_; },
                     .io_thread = {.name = "registry"}},
                    said_);
  const std::string uri_ = registry_->listen("silkit://127.0.0.1:0");
};

TEST_F(RegistryTest, SaysWhereItListens) {
  const Uri uri = parse_registry_uri(uri_);
  EXPECT_EQ(uri.host, "127.0.0.1");
  EXPECT_NE(uri.port, 0);
  EXPECT_EQ(said_.warnings(), "") << "loopback is nothing to warn of";
}

TEST_F(RegistryTest, RefusesAPortOfLocalhostThatAnotherHas) {
  const std::string port = std::to_string(parse_registry_uri(uri_).port);
  const auto second = make_registry({.domain_sockets = false}, said_);
  try {
    const std::string where = second->listen("silkit://localhost:" + port);
    FAIL() << "a federation would be split: " << where;
  } catch (const Refusal& refusal) {
    EXPECT_THAT(refusal.what(), HasSubstr("choose another port"));
  }
}

TEST_F(RegistryTest, TellsEachParticipantOfThoseBefore) {
  KnownParticipants known;
  const RawStream a = registered(uri_, announcement_of("A"), &known);
  EXPECT_THAT(known.peers, IsEmpty());
  const RawStream b = registered(uri_, announcement_of("B"), &known);
  EXPECT_THAT(names_of(known), ElementsAre("A"));
  const RawStream c = registered(uri_, announcement_of("C"), &known);
  EXPECT_THAT(names_of(known), UnorderedElementsAre("A", "B"));
  EXPECT_THAT(participants(), ElementsAre("A", "B", "C"));
}

TEST_F(RegistryTest, RewritesAddressesThatCatchAll) {
  Announcement first = announcement_of("First");
  first.peer.acceptors = {"tcp://0.0.0.0:4711", "local:///tmp/first.silkit", "tcp://192.0.2.1:12"};
  first.peer.capabilities = R"([{"name":"x"}])";
  const RawStream stream = registered(uri_, first);
  KnownParticipants known;
  const RawStream other = registered(uri_, announcement_of("Other"), &known);
  ASSERT_EQ(known.peers.size(), 1U);
  EXPECT_THAT(known.peers[0].acceptors,
              ElementsAre("local:///tmp/first.silkit", "tcp://127.0.0.1:4711", "tcp://192.0.2.1:12"));
  EXPECT_EQ(known.peers[0].capabilities, first.peer.capabilities);
  EXPECT_EQ(known.peers[0].id, hash64("First"));
}

TEST_F(RegistryTest, RefusesANameThatIsThere) {
  const RawStream first = registered(uri_, announcement_of("Same"));
  RawStream second(uri_);
  second.say(announcement_of("Same"));
  const AnnouncementReply reply = second.next_reply();
  EXPECT_FALSE(reply.success);
  EXPECT_THAT(reply.diagnostic, HasSubstr("'Same'"));
  second = RawStream(Descriptor());
  EXPECT_THAT(participants(), ElementsAre("Same")) << "the end of a refused stream is not the first one's";
  expect_alive();
}

TEST_F(RegistryTest, RefusesNamesThatCannotBe) {
  for (const char* name : {"", "SilKitRegistry"}) {
    RawStream stream(uri_);
    stream.say(announcement_of(name));
    EXPECT_FALSE(stream.next_reply().success) << name;
  }
}

TEST_F(RegistryTest, KeepsSimulationsApart) {
  KnownParticipants known;
  const RawStream a = registered(uri_, announcement_of("Same", "one"), &known);
  const RawStream b = registered(uri_, announcement_of("Same", "two"), &known);
  EXPECT_THAT(known.peers, IsEmpty());
  const RawStream c = registered(uri_, announcement_of("Third", "one"), &known);
  EXPECT_THAT(names_of(known), ElementsAre("Same"));
}

TEST_F(RegistryTest, GivesANameAwayAgainWhenItsOwnerHasLeft) {
  std::atomic<int> empty{0};
  registry_->on_all_disconnected([&] { ++empty; });
  for (int turn = 1; turn <= 3; ++turn) {
    { const RawStream stream = registered(uri_, announcement_of("Again")); }
    EXPECT_TRUE(eventually([&] { return empty == turn; }));
    EXPECT_THAT(participants(), IsEmpty());
  }
}

TEST_F(RegistryTest, AcknowledgesSubscriptionsAndIgnoresServices) {
  RawStream stream = registered(uri_, announcement_of("A"));
  Bytes bytes;
  encode_service(bytes, {7, hash64("A"), 1}, {});
  const Subscriber subscriber{3, "default", "NEXTSIMTASK", 1};
  encode(bytes, subscriber);
  stream.send(bytes);
  const auto message = stream.next();
  ASSERT_TRUE(message && message->kind == Kind::acknowledge);
  const Acknowledge acknowledge = decode<Acknowledge>(message->body);
  EXPECT_TRUE(acknowledge.success);
  EXPECT_EQ(acknowledge.subscriber, subscriber);
}

TEST_F(RegistryTest, SkipsMessagesOfAnUnknownKind) {
  RawStream stream = registered(uri_, announcement_of("A"));
  Bytes bytes;
  Writer(bytes).value(std::uint32_t{6});
  Writer(bytes).value(std::uint8_t{99});
  Writer(bytes).value(std::uint8_t{1});
  encode(bytes, Subscriber{1, "default", "X", 1});
  stream.send(bytes);
  EXPECT_EQ(stream.next()->kind, Kind::acknowledge);
}

TEST_F(RegistryTest, TakesAnAnnouncementByteByByte) {
  RawStream stream(uri_);
  Bytes bytes;
  encode(bytes, announcement_of("Slow"));
  for (const std::byte byte : bytes) stream.send({byte});
  EXPECT_THAT(stream.next_known().peers, IsEmpty());
  EXPECT_TRUE(stream.next_reply().success);
}

TEST_F(RegistryTest, RefusesAnotherProtocolVersionWithAText) {
  RawStream stream(uri_);
  Announcement old = announcement_of("Old");
  old.version = {2, 0};
  stream.say(old);
  const AnnouncementReply reply = stream.next_reply();
  EXPECT_FALSE(reply.success);
  EXPECT_THAT(reply.diagnostic, HasSubstr("2.0"));
}

TEST_F(RegistryTest, DropsWhoSendsGarbage) {
  struct Row {
    const char* what;
    std::vector<std::uint8_t> bytes;
  };
  const Row rows[] = {
      {"size 0", {0, 0, 0, 0, 5}},
      {"a size below its own header", {4, 0, 0, 0, 5}},
      {"4 GiB", {0xff, 0xff, 0xff, 0xff, 5}},
      {"more than anybody announces", {0, 0, 0, 0x20, 5}},
      {"a browser", {'G', 'E', 'T', ' ', '/', ' ', 'H', 'T', 'T', 'P'}},
      {"an announcement that ends early", {10, 0, 0, 0, 5, 1, 0x56, 0x49, 0x42, 0x2d}},
      {"an announcement with a wrong preamble", {14, 0, 0, 0, 5, 1, 1, 2, 3, 4, 3, 0, 1, 0}},
      {"a service message first", {5, 0, 0, 0, 3}},
  };
  for (const Row& row : rows) {
    RawStream stream(uri_);
    Bytes bytes;
    for (const std::uint8_t value : row.bytes) bytes.push_back(std::byte{value});
    stream.send(bytes);
    EXPECT_TRUE(stream.ends()) << row.what;
  }
  EXPECT_EQ(said_.warnings_with("a stream from 127.0.0.1 is disconnected"), std::size(rows));
  expect_alive();
}

TEST_F(RegistryTest, SaysOncePerSecondThatStreamsAreBad) {
  pace_ns_ = 300'000'000;
  for (int count = 0; count < 9; ++count) {  // at 0.3 s, 0.6 s ... 2.7 s
    RawStream stream(uri_);
    stream.send(Bytes(8, std::byte{0}));
    EXPECT_TRUE(stream.ends());
  }
  EXPECT_EQ(said_.warnings_with("a stream from 127.0.0.1 is disconnected"), 3U) << said_.warnings();
  EXPECT_EQ(said_.warnings_with("(3 lines like this were left out)"), 2U) << said_.warnings();
}

TEST_F(RegistryTest, NamesTheParticipantThatSendsGarbage) {
  RawStream stream = registered(uri_, announcement_of("Broken"));
  stream.send(Bytes(8, std::byte{0}));
  EXPECT_TRUE(stream.ends());
  EXPECT_TRUE(eventually([&] { return said_.warnings_with("participant 'Broken' is disconnected") == 1; }));
  EXPECT_THAT(participants(), IsEmpty());
}

TEST_F(RegistryTest, DropsWhoAnnouncesItselfTwice) {
  RawStream stream = registered(uri_, announcement_of("Twice"));
  stream.say(announcement_of("Thrice"));
  EXPECT_TRUE(stream.ends());
}

TEST_F(RegistryTest, OutlivesManyConnectionsWithoutAWord) {
  std::vector<RawStream> silent;
  for (int count = 0; count < 300; ++count) silent.emplace_back(uri_);
  expect_alive();
  EXPECT_TRUE(silent.front().ends()) << "the oldest has to make room";
}

TEST_F(RegistryTest, OutlivesConnectionsThatEndAtOnce) {
  for (int count = 0; count < 200; ++count) {
    RawStream stream(uri_);
    const linger reset{1, 0};
    ASSERT_EQ(::setsockopt(stream.number(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset), 0);
    if (count % 2 == 0) stream.say(announcement_of("Gone" + std::to_string(count)));
  }
  expect_alive();
  EXPECT_TRUE(eventually([&] { return participants().empty(); }));
}

TEST_F(RegistryTest, DropsWhoDoesNotRead) {
  Said said;
  const auto registry =
      make_registry({.domain_sockets = false,
                     .backlog = {.bytes = 1 << 16, .patience = std::chrono::milliseconds(50)},
                     .io_thread = {}},
                    said);
  RawStream stream = registered(registry->listen("silkit://127.0.0.1:0"), announcement_of("Deaf"));
  Bytes bytes;
  for (int count = 0; count < 1000; ++count) encode(bytes, Subscriber{1, std::string(1000, 'x'), "X", 1});
  while (said.warnings_with("'Deaf' is disconnected: it does not read") == 0) {
    const ssize_t sent = ::send(stream.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && errno != EAGAIN) break;
    // A message that was cut is mended by the rest of it.
    if (sent > 0 && static_cast<std::size_t>(sent) < bytes.size())
      stream.send(Bytes(bytes.begin() + sent, bytes.end()));
  }
  EXPECT_TRUE(eventually([&] { return said.warnings_with("it does not read") == 1; })) << said.warnings();
}

TEST_F(RegistryTest, SaysThatItHasNoDescriptorLeftAndGoesOnWhenItHas) {
  const RawStream elder = registered(uri_, announcement_of("Elder"));
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const Descriptor caller(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const rlimit none{static_cast<rlim_t>(caller.get() + 1), limit.rlim_max};
  std::vector<Descriptor> all;  // the numbers below it that are free
  for (int number = 0; number >= 0 && number < caller.get();) {
    number = ::fcntl(caller.get(), F_DUPFD_CLOEXEC, 0);
    all.emplace_back(number);
  }
  Uri door = parse_registry_uri(uri_);
  door.scheme = Uri::Scheme::tcp;
  const Address to = addresses_of(door).front();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_EQ(::connect(caller.get(), reinterpret_cast<const sockaddr*>(&to.storage), to.size), 0);
  EXPECT_TRUE(eventually([&] {
    return said_.warnings_with("Too many open files; this process may have ") > 0;
  })) << said_.warnings();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  all.clear();
  expect_alive();
}

TEST_F(RegistryTest, ServesManyParticipantsAtOnce) {
  std::vector<RawStream> streams;
  KnownParticipants known;
  for (int count = 0; count < 200; ++count)
    streams.push_back(registered(uri_, announcement_of("P" + std::to_string(count)), &known));
  EXPECT_EQ(known.peers.size(), 199U);
  EXPECT_EQ(participants().size(), 200U);
}

TEST(Registry, KeepsToItsMostParticipants) {
  Said said;
  const auto registry =
      make_registry({.domain_sockets = false, .most_participants = 2, .io_thread = {}}, said);
  const std::string uri = registry->listen("silkit://127.0.0.1:0");
  const RawStream a = registered(uri, announcement_of("A"));
  const RawStream b = registered(uri, announcement_of("B"));
  RawStream c(uri);
  c.say(announcement_of("C"));
  EXPECT_THAT(c.next_reply().diagnostic, HasSubstr("no room"));
}

TEST(Registry, SaysAtItsEndHowManyBadStreamsItDidNotMention) {
  Said said;
  {
    const auto registry =
        make_registry({.domain_sockets = false, .steady_ns = [] { return 0; }, .io_thread = {}}, said);
    const std::string uri = registry->listen("silkit://127.0.0.1:0");
    for (const char* name : {"", "SilKitRegistry", ""}) {
      RawStream stream(uri);
      stream.say(announcement_of(name));
      EXPECT_FALSE(stream.next_reply().success);
    }
  }
  EXPECT_EQ(said.warnings_with("refused: "), 1U) << said.warnings();
  EXPECT_EQ(said.warnings_with("registry: 2 streams more were refused"), 1U) << said.warnings();
}

TEST(Registry, ListensOnADomainSocketWhosePathCanBeGuessed) {
  Said said;
  std::string path;
  {
    const auto registry = make_registry({.io_thread = {}}, said);
    const std::string uri = registry->listen("silkit://localhost:0");
    path = socket_path(kRegistryName, 0, uri, std::filesystem::current_path());
    KnownParticipants known;
    const RawStream a = registered("local://" + path, announcement_of("A"));
    const RawStream b = registered(uri, announcement_of("B"), &known);
    EXPECT_THAT(names_of(known), ElementsAre("A"));
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0770));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Registry, ListensOnIpv6) {
  Said said;
  const auto registry = make_registry({.domain_sockets = false, .io_thread = {}}, said);
  std::string uri;
  try {
    uri = registry->listen("silkit://[::1]:0");
  } catch (const Refusal& refusal) {
    GTEST_SKIP() << "no IPv6 here: " << refusal.what();
  }
  KnownParticipants known;
  Announcement first = announcement_of("A");
  first.peer.acceptors = {"tcp://[::]:5"};
  const RawStream a = registered(uri, first);
  const RawStream b = registered(uri, announcement_of("B"), &known);
  EXPECT_THAT(known.peers.at(0).acceptors, ElementsAre("tcp://[::1]:5"));
}

TEST(Registry, SaysWhatKeepsItFromListening) {
  Said said;
  const auto first = make_registry({.domain_sockets = false, .io_thread = {}}, said);
  const std::string uri = first->listen("silkit://127.0.0.1:0");
  const auto second = make_registry({.domain_sockets = false, .io_thread = {}}, said);
  try {
    (void)second->listen(uri);
    FAIL() << "the port is taken";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.code, Code::unspecified);
    EXPECT_THAT(refusal.what(), HasSubstr(uri));
    EXPECT_THAT(refusal.what(), HasSubstr("in use"));
  }
  try {
    (void)second->listen("http://x");
    FAIL() << "no such URI";
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.code, Code::configuration);
  }
}

}  // namespace
}  // namespace tactus::silkit::registry_test
