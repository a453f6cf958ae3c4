// SPDX-License-Identifier: Apache-2.0
/// Participants that no stream can be opened to are asked to connect themselves.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/drivers/silkit/net/support/hidden.hpp"

namespace tactus::silkit::detour_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using namespace test;
using namespace std::chrono_literals;
using Detour = Hidden;
using Status = RemoteConnect::Status;

TEST_F(Detour, WhoCannotBeConnectedToConnectsItself) {
  const auto a = joined("A", hidden("A"));
  const auto b = joined("B", open());
  EXPECT_THAT(b->peers(), UnorderedElementsAre("A")) << "known when join() returns";
  EXPECT_TRUE(eventually([&] { return a->sees("B"); }));
  EXPECT_FALSE(is_relayed(*a, "B") || is_relayed(*b, "A")) << a->said.warnings() << b->said.warnings();
  registry_.reset();
  EXPECT_TRUE(eventually([&] { return !a->mesh.reaches_registry() && !b->mesh.reaches_registry(); }));
  EXPECT_TRUE(a->sees("B") && b->sees("A")) << "they have a stream of their own";
  a->mesh.leave();
  EXPECT_TRUE(eventually([&] { return !b->sees("A"); }));
}

TEST_F(Detour, AnnouncesWhatItTakes) {
  const auto all = joined("All", open());
  MeshSettings settings = open();
  settings.remote_connect = false;
  settings.registry_relays = false;
  const auto none = joined("None", settings);
  KnownParticipants known;
  const RawStream other = registered(uri_, announcement_of("Other"), &known);
  ASSERT_EQ(known.peers.size(), 2U);
  for (const PeerInfo& peer : known.peers) {
    EXPECT_TRUE(has_capability(peer.capabilities, "autonomous-synchronous"));
    EXPECT_EQ(has_capability(peer.capabilities, "proxy-message"), peer.name == "All");
    EXPECT_EQ(has_capability(peer.capabilities, "request-participant-connection-v2"), peer.name == "All");
  }
}

TEST_F(Detour, GoesOnToTheRelayWhenTheOtherCannotConnectEither) {
  RawStream target = registered(uri_, able("Target", nobody()));
  Joiner joiner("A", open());
  RemoteConnect request = next_request(target);
  EXPECT_EQ(request.status, Status::request);
  EXPECT_EQ(request.origin.name, "A");
  EXPECT_THAT(request.origin.acceptors, testing::Contains(joiner.player.mesh.acceptors().front()));
  request.status = Status::connecting;
  target.say(request);
  request.status = Status::failed;
  target.say(request);
  const RelayedMessage announcement = next_relayed(target);
  EXPECT_EQ(announcement.source, "A");
  EXPECT_TRUE(is_announcement(announcement.payload));
  target.say(ProxyMessage{0, "Target", "A", encoded(AnnouncementReply{})});
  EXPECT_TRUE(joiner.wait()) << joiner.why;
  EXPECT_TRUE(joiner.player.sees("Target"));
}

TEST_F(Detour, GoesOnToTheRelayWhenTheOtherDoesNotAnswer) {
  RawStream target = registered(uri_, able("Target", nobody()));
  MeshSettings settings = open();
  settings.connect_timeout = 300ms;
  Joiner joiner("A", settings);
  EXPECT_EQ(next_request(target).status, Status::request);
  EXPECT_TRUE(is_announcement(next_relayed(target).payload));
}

TEST_F(Detour, GoesOnToTheRelayWhenTheOtherPromisesAndDoesNotConnect) {
  RawStream target = registered(uri_, able("Target", nobody()));
  MeshSettings settings = open();
  settings.connect_timeout = 200ms;
  Joiner joiner("A", settings);
  RemoteConnect request = next_request(target);
  request.status = Status::connecting;
  target.say(request);
  EXPECT_TRUE(is_announcement(next_relayed(target).payload));
}

TEST_F(Detour, TakesTheStreamOfWhoWasAsked) {
  RawStream target = registered(uri_, able("Target", nobody()));
  Joiner joiner("A", open());
  RemoteConnect request = next_request(target);
  RawStream stream(request.origin.acceptors.front());
  request.status = Status::announcement;
  stream.say(request);
  const auto announcement = stream.next();
  ASSERT_TRUE(announcement);
  EXPECT_EQ(announcement->kind, Kind::registry);
  stream.say(AnnouncementReply{});
  EXPECT_TRUE(joiner.wait()) << joiner.why;
  EXPECT_TRUE(joiner.player.sees("Target"));
  EXPECT_FALSE(is_relayed(joiner.player, "Target"));
}

TEST_F(Detour, RefusesAStreamThatNobodyAskedFor) {
  const auto a = joined("A", open());
  for (const Status status : {Status::announcement, Status::request, Status::failed}) {
    RawStream stream(a->mesh.acceptors().front());
    stream.say(RemoteConnect{{}, {"A", hash64("A"), {}, ""}, {"Evil", 1, {}, ""}, status});
    EXPECT_TRUE(stream.ends());
  }
  EXPECT_THAT(a->peers(), IsEmpty());
  EXPECT_GE(a->said.warnings_with("was not requested"), 1U);
}

TEST_F(Detour, ConnectsToWhoAsksForIt) {
  const auto a = joined("A", open());
  const Listener listener(tcp_at_loopback(), {});
  const std::string port = std::to_string(listener.uri().port);
  // An address that refuses, a name that has to be looked up, and a socket that is not used here.
  Announcement origin = able("Origin", nobody());
  origin.peer.acceptors.insert(origin.peer.acceptors.end(), {"local:///tmp/none", "tcp://localhost:" + port});
  RawStream registry = registered(uri_, origin);
  registry.say(RemoteConnect{{}, origin.peer, {"A", 1, {}, ""}, Status::request});
  EXPECT_EQ(next_request(registry).status, Status::connecting);
  RawStream stream = accepted(listener);
  const RemoteConnect announcement = next_request(stream);
  EXPECT_EQ(announcement.status, Status::announcement);
  EXPECT_EQ(announcement.origin.name, "Origin");
  EXPECT_EQ(announcement.target.name, "A");
  stream.say(origin);
  EXPECT_TRUE(stream.next_reply().success);
  EXPECT_TRUE(eventually([&] { return a->sees("Origin"); }));
}

TEST_F(Detour, SaysThatItCannotConnectToWhoAsks) {
  const auto a = joined("A", open());
  Announcement origin = able("Origin", nobody());
  origin.peer.acceptors.emplace_back("tcp://no-such-host.invalid:1");
  RawStream registry = registered(uri_, origin);
  registry.say(RemoteConnect{{}, origin.peer, {"A", 1, {}, ""}, Status::request});
  EXPECT_EQ(next_request(registry).status, Status::connecting);
  const RemoteConnect answer = next_request(registry);
  EXPECT_EQ(answer.status, Status::failed);
  EXPECT_EQ(answer.origin.name, "Origin");
  EXPECT_EQ(answer.target.name, "A");
}

TEST_F(Detour, LeavesWhileItConnectsForOthers) {
  auto a = joined("A", open());
  const Listener silent(tcp_at_loopback(), {});
  RawStream registry = registered(uri_, able("Origin", silent.uri().text()));
  for (int turn = 0; turn < 20; ++turn)
    registry.say(RemoteConnect{{}, {"Origin", 1, {}, ""}, {"A", 1, {}, ""}, Status::request});
  EXPECT_EQ(next_request(registry).status, Status::connecting);
  a.reset();
}

TEST_F(Detour, TellsWhyThereIsNoOtherWay) {
  const RawStream unable = registered(uri_, [] {
    Announcement announcement = announcement_of("Unable");
    announcement.peer.acceptors = {nobody()};
    return announcement;
  }());
  EXPECT_THAT(refused("A", open()).what(), AllOf(HasSubstr("'Unable'"), HasSubstr("Connection refused"),
                                                 HasSubstr("it takes no relayed messages")));
}

TEST_F(Detour, TellsThatTheSettingsAllowNoOtherWay) {
  const auto a = joined("A", hidden("A"));
  MeshSettings settings = open_relayed();
  settings.registry_relays = false;
  const Refusal refusal = refused("B", settings);
  EXPECT_EQ(refusal.code, Code::protocol);
  EXPECT_THAT(refusal.what(), AllOf(HasSubstr("'A'"), HasSubstr("RegistryAsFallbackProxy is false")));
}

TEST_F(Detour, AcceptsAtAllAddressesOfAHost) {
  MeshSettings settings = open();
  settings.acceptors = {"tcp://localhost:0", "local://" + (folder_ / "unused").string()};
  const auto a = joined("A", settings);
  const std::size_t addresses = addresses_of(parse_uri("tcp://localhost:1")).size();
  EXPECT_EQ(a->mesh.acceptors().size(), addresses);
  for (const std::string& uri : a->mesh.acceptors()) {
    RawStream stream(uri);
    stream.say(announcement_of("At" + uri));
    EXPECT_TRUE(stream.next_reply().success) << uri;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "unused"));
  EXPECT_EQ(a->said.warnings_with("EnableDomainSockets is false"), 1U);
}

/// On two hosts with the same configuration both accept at the same address.
TEST_F(Detour, DoesNotConnectToItselfAtTheAddressOfAnother) {
  const std::string address = nobody();
  RawStream other = registered(uri_, able("Other", address));
  MeshSettings settings = open();
  settings.acceptors = {address};
  Joiner joiner("A", settings);
  EXPECT_EQ(next_request(other).status, Status::request);
  other.say(RemoteConnect{{}, {"A", 1, {}, ""}, {"Other", 2, {}, ""}, Status::failed});
  EXPECT_TRUE(is_announcement(next_relayed(other).payload));
  other.say(ProxyMessage{0, "Other", "A", encoded(AnnouncementReply{})});
  EXPECT_TRUE(joiner.wait()) << joiner.why;
}

TEST_F(Detour, AnnouncesDomainSocketsFirst) {
  MeshSettings settings = open();
  settings.domain_sockets = true;
  settings.acceptors = {"tcp://127.0.0.1:0", "local://" + (folder_ / "a").string()};
  const auto a = joined("A", settings);
  EXPECT_THAT(a->mesh.acceptors(),
              testing::ElementsAre(testing::StartsWith("local://"), testing::StartsWith("tcp://127.0.0.1:")));
}
}  // namespace
}  // namespace tactus::silkit::detour_test
