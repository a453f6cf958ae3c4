// SPDX-License-Identifier: Apache-2.0
/// What is relayed arrives as if it had come by a stream of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/drivers/silkit/net/support/hidden.hpp"

namespace tactus::silkit::relayed_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using namespace test;
using namespace std::chrono_literals;
using Relayed = Hidden;
using Status = RemoteConnect::Status;

constexpr std::int64_t kMs = 1'000'000;

Bytes number_bytes(std::uint64_t number) {
  Bytes bytes;
  Writer(bytes).value(number);
  return bytes;
}

TEST_F(Relayed, TheRegistryRelaysForThoseThatCannotConnectAtAll) {
  const auto a = joined("A", hidden("A"));
  const auto b = joined("B", open_relayed());
  EXPECT_THAT(b->peers(), UnorderedElementsAre("A")) << "known when join() returns";
  EXPECT_TRUE(eventually([&] { return a->sees("B"); }));
  EXPECT_TRUE(is_relayed(*a, "B") && is_relayed(*b, "A"));
  a->mesh.leave();
  EXPECT_TRUE(eventually([&] { return !b->sees("A"); }));
  EXPECT_EQ(b->said.warnings_with("disconnected"), 0U) << "who leaves in order is nothing to warn of";
}

TEST_F(Relayed, ALostRelayIsTheEndOfThoseBehindItAndIsSaid) {
  const auto a = joined("A", hidden("A"));
  const auto b = joined("B", open_relayed());
  const auto c = joined("C", open());
  registry_.reset();
  EXPECT_TRUE(eventually([&] { return !a->sees("B") && !b->sees("A"); }));
  EXPECT_EQ(b->said.warnings_with("'A' is disconnected: the registry, which relayed, is gone"), 1U)
      << b->said.warnings();
  EXPECT_TRUE(b->sees("C")) << "who has a stream stays";
}

TEST_F(Relayed, ARelayedNameJoinsAgain) {
  const auto a = joined("A", hidden("A"));
  for (int turn = 0; turn < 10; ++turn) {
    EXPECT_TRUE(eventually([&] { return registry_->participants().size() == 1; }));
    const auto again = joined("Again", open_relayed());
    EXPECT_TRUE(again->sees("A"));
    EXPECT_TRUE(eventually([&] { return a->sees("Again"); }));
  }
}

/// A and C are hidden and see each other's sockets; B is relayed to both.
TEST_F(Relayed, ALockStepSimulationOverARelayLosesNothing) {
  static constexpr std::size_t kPlayers = 3;
  constexpr std::int64_t kSteps = 300;
  struct Role {
    std::unique_ptr<Player> player;
    DataPublisher* publisher = nullptr;
    std::array<std::vector<std::uint64_t>, kPlayers> heard;  ///< by sender; the I/O thread's
    std::atomic<bool> out_of_step{false};
    std::atomic<std::uint64_t> steps{0};
  };
  std::array<Role, kPlayers> roles;
  const std::vector<std::string> names{"A", "C", "B"};
  for (std::size_t i = 0; i < kPlayers; ++i) {
    Role& role = roles[i];
    role.player = joined(names[i], i == 2 ? open_relayed() : hidden(names[i]));
    role.player->with_engine([&](Engine& engine) {
      engine.lifecycle().create(OperationMode::coordinated);
      engine.create_time_sync();
      role.publisher = &engine.pubsub().create_publisher("out", {"T" + names[i], "", {}}, false);
      for (std::size_t from = 0; from < kPlayers; ++from)
        if (from != i)
          engine.pubsub().create_subscriber(
              "in" + names[from], {"T" + names[from], "", {}},
              handler<ByteView, std::int64_t>([&role, from](ByteView data, std::int64_t stamp) {
                std::uint64_t number = 0;
                std::memcpy(&number, data.data(), sizeof number);
                role.heard[from].push_back(number);
                if (stamp != static_cast<std::int64_t>(number) * kMs) role.out_of_step = true;
              }));
      engine.virtual_time().on_step(
          handler<std::int64_t, std::int64_t>([&role, i](std::int64_t now, std::int64_t) {
            for (std::size_t from = 0; from < kPlayers; ++from)
              if (from != i && role.heard[from].size() + 1 < role.steps) role.out_of_step = true;
            ++role.steps;
            role.player->with_engine([&](Engine& inside) {
              inside.pubsub().publish(*role.publisher, number_bytes(static_cast<std::uint64_t>(now / kMs)));
              if (now == kSteps * kMs && i == 1) inside.stop("enough");
            });
          }),
          kMs, false);
    });
  }
  EXPECT_TRUE(is_relayed(*roles[2].player, "A") && is_relayed(*roles[2].player, "C"));
  EXPECT_FALSE(is_relayed(*roles[1].player, "A"));
  roles[0].player->with_engine([&](Engine& engine) {
    engine.monitor().create_controller();
    engine.set_required(names);
  });
  for (Role& role : roles) role.player->with_engine([](Engine& engine) { engine.lifecycle().start(); });
  for (Role& role : roles)
    EXPECT_TRUE(eventually([&] {
      return role.player->with_engine([](Engine& engine) { return engine.complete(); });
    })) << role.player->engine().name();
  for (Role& role : roles) role.player->mesh.leave();
  for (const Role& role : roles) {
    EXPECT_FALSE(role.out_of_step);
    EXPECT_GE(role.steps, static_cast<std::uint64_t>(kSteps));
    for (std::size_t from = 0; from < kPlayers; ++from) {
      if (&roles[from] == &role) continue;
      EXPECT_GE(role.heard[from].size() + 1, roles[from].steps) << "all but what came after the stop";
      for (std::size_t i = 0; i < role.heard[from].size(); ++i) ASSERT_EQ(role.heard[from][i], i);
    }
  }
}

TEST_F(Relayed, ALostPeerIsAnErrorForTheOther) {
  const auto a = joined("A", hidden("A"));
  std::atomic<ParticipantState> state_of_b{ParticipantState::invalid};
  a->with_engine([&](Engine& engine) {
    engine.monitor().create();
    (void)engine.monitor().on_status(
        handler<const tactus::silkit::Status&>([&](const tactus::silkit::Status& status) {
          if (status.participant == "B") state_of_b = status.state;
        }));
  });
  RawStream b = relayed_to("A", "B");
  Bytes body;
  encode_body(body, StatusMessage{"B", static_cast<std::int16_t>(ParticipantState::running), "", 1, 1});
  b.say(ProxyMessage{0, "B", "A",
                     encoded(Subscriber{1, std::string(kDefaultNetwork), "PARTICIPANTSTATUS", 1})});
  std::optional<std::uint64_t> index;  // of A's subscription to states
  a->with_engine([&](Engine& engine) {
    for (const Subscriber& each : engine.subscriptions())
      if (each.type == message_type::kParticipantStatus) index = each.index;
  });
  ASSERT_TRUE(index);
  Bytes status;
  encode_service(status, {*index, hash64("B"), 1}, body);
  b.say(ProxyMessage{0, "B", "A", status});
  EXPECT_TRUE(eventually([&] { return state_of_b == ParticipantState::running; }));
  b = RawStream(Descriptor());
  EXPECT_TRUE(eventually([&] { return state_of_b == ParticipantState::error; }));
  EXPECT_FALSE(a->sees("B"));
}

TEST_F(Relayed, WhatIsQueuedIsRelayedBeforeOneLeaves) {
  constexpr std::uint64_t kMessages = 3000;
  const auto a = joined("A", hidden("A"));
  std::atomic<std::uint64_t> heard{0};
  std::atomic<bool> in_order{true};
  a->with_engine([&](Engine& engine) {
    engine.pubsub().create_subscriber("in", {"T", "", {}},
                                      handler<ByteView, std::int64_t>([&](ByteView data, std::int64_t) {
                                        std::uint64_t number = 0;
                                        std::memcpy(&number, data.data(), sizeof number);
                                        if (number != heard) in_order = false;
                                        ++heard;
                                      }));
    engine.lifecycle().create(OperationMode::autonomous);
    engine.lifecycle().start();
  });
  const auto b = joined("B", open_relayed());
  DataPublisher* publisher = nullptr;
  b->with_engine([&](Engine& engine) {
    publisher = &engine.pubsub().create_publisher("out", {"T", "", {}}, false);
  });
  std::uint64_t warm = 0;  // until the subscription has come
  EXPECT_TRUE(eventually([&] {
    b->with_engine([&](Engine& engine) { engine.pubsub().publish(*publisher, number_bytes(0)); });
    ++warm;
    return heard > 0;
  }));
  // Of those before nobody knows how many had a receiver.
  EXPECT_TRUE(eventually([&] {
    const std::uint64_t before = heard;
    std::this_thread::sleep_for(20ms);
    return before == heard;
  }));
  heard = 0;
  in_order = true;
  for (std::uint64_t i = 0; i < kMessages; ++i)
    b->with_engine([&](Engine& engine) { engine.pubsub().publish(*publisher, number_bytes(i)); });
  b->mesh.leave();
  EXPECT_TRUE(eventually([&] { return !a->sees("B"); }));
  EXPECT_EQ(heard, kMessages);
  EXPECT_TRUE(in_order);
}

TEST_F(Relayed, IgnoresWhatIsRelayedWhenItsSettingsSaySo) {
  MeshSettings settings = open();
  settings.registry_relays = false;
  const auto a = joined("A", settings);
  // A registry that does not know would pass it on; here the stream of a peer stands for it.
  RawStream peer(a->mesh.acceptors().front());
  peer.say(announcement_of("Peer"));
  EXPECT_TRUE(peer.next_reply().success);
  peer.say(ProxyMessage{0, "X", "A", encoded(able("X", nobody()))});
  EXPECT_TRUE(eventually([&] { return a->said.warnings_with("relayed messages are ignored") == 1; }));
  EXPECT_THAT(a->peers(), UnorderedElementsAre("Peer"));
}

TEST_F(Relayed, DoesNotWaitForARelayedOneThatHasLeft) {
  std::optional<RawStream> gone = registered(uri_, able("Gone", nobody()));
  RawStream stays = registered(uri_, able("Stays", nobody()));
  Joiner joiner("A", open_relayed());
  EXPECT_TRUE(is_announcement(next_relayed(*gone).payload));
  gone.reset();
  EXPECT_TRUE(is_announcement(next_relayed(stays).payload));
  stays.say(ProxyMessage{0, "Stays", "A", encoded(AnnouncementReply{})});
  EXPECT_TRUE(joiner.wait()) << joiner.why;
  EXPECT_THAT(joiner.player.peers(), UnorderedElementsAre("Stays"));
}

TEST_F(Relayed, RefusesARelayedOneWithAText) {
  const auto a = joined("A", open());
  RawStream b = registered(uri_, able("B", nobody()));
  struct Row {
    Announcement announcement;
    std::string part;
  };
  Announcement other_simulation = able("B", nobody());
  other_simulation.simulation = "x";
  for (const Row& row :
       {Row{able("C", nobody()), "it is relayed as 'B'"}, Row{other_simulation, "simulation 'x'"}}) {
    b.say(ProxyMessage{0, "B", "A", encoded(row.announcement)});
    const RelayedMessage reply = next_relayed(b);
    ByteView body = frame_of_payload(reply.payload).body;
    ASSERT_EQ(registry_kind(body), RegistryKind::reply);
    EXPECT_FALSE(decode<AnnouncementReply>(body).success);
    EXPECT_THAT(decode<AnnouncementReply>(body).diagnostic, HasSubstr(row.part));
    EXPECT_THAT(next_relayed(b).payload, IsEmpty()) << "that was the end of it";
  }
  EXPECT_THAT(a->peers(), IsEmpty());
  EXPECT_TRUE(a->mesh.reaches_registry());
}

TEST_F(Relayed, DropsAndNamesARelayedOneThatSendsGarbage) {
  const auto a = joined("A", open());
  RawStream good = relayed_to("A", "Good");
  for (int turn = 0; turn < 3; ++turn) {
    ASSERT_TRUE(eventually([&] { return registry_->participants().size() == 2; }));
    RawStream bad = relayed_to("A", "Bad");
    switch (turn) {
      case 0:  // no message
        bad.say(ProxyMessage{0, "Bad", "A", Bytes(3)});
        break;
      case 1: {  // an acknowledge that ends too early
        Bytes cut = encoded(Acknowledge{});
        cut.resize(8);
        cut[0] = std::byte{8};
        bad.say(ProxyMessage{0, "Bad", "A", cut});
        break;
      }
      default:  // once is enough
        bad.say(ProxyMessage{0, "Bad", "A", encoded(able("Bad", nobody()))});
    }
    RelayedMessage last = next_relayed(bad);
    while (!last.payload.empty()) last = next_relayed(bad);
    EXPECT_TRUE(eventually([&] { return !a->sees("Bad"); }));
    bad.say(ProxyMessage{0, "Bad", "A", encoded(Subscriber{})});  // was under way, and is nobody's any more
  }
  EXPECT_GE(a->said.warnings_with("'Bad' is disconnected"), 1U);
  EXPECT_TRUE(a->sees("Good"));
  EXPECT_TRUE(a->mesh.reaches_registry());
}

TEST_F(Relayed, StandsAnythingThatIsRelayed) {
  const auto a = joined("A", open());
  RawStream good = relayed_to("A", "Good");
  std::mt19937 random(5);  // the same every time
  for (int turn = 0; turn < 200; ++turn) {
    ASSERT_TRUE(eventually([&] { return registry_->participants().size() == 2; }));
    RawStream liar = registered(uri_, able("Liar", nobody()));
    if (turn % 4 != 0) liar.say(ProxyMessage{0, "Liar", "A", encoded(able("Liar", nobody()))});
    for (int several = 0; several < 5; ++several) {
      Bytes payload;
      switch (random() % 5) {
        case 0:
          payload = encoded(Subscriber{random(), "default", "NEXTSIMTASK", 1});
          break;
        case 1:
          payload = encoded(KnownParticipants{{}, {{"X", 1, {}, ""}}});
          break;
        case 2:
          payload = encoded(AnnouncementReply{});
          break;
        case 3:
          payload = encoded(ProxyMessage{0, "Liar", "A", encoded(Subscriber{})});
          break;
        default:
          payload = encoded(RemoteConnect{{}, {"Liar", 1, {}, ""}, {"A", 1, {}, ""}, Status::request});
      }
      if (random() % 2 == 0) payload[random() % payload.size()] = static_cast<std::byte>(random());
      liar.say(ProxyMessage{0, "Liar", "A", payload});
    }
  }
  EXPECT_TRUE(eventually([&] { return !a->sees("Liar"); }));
  EXPECT_TRUE(a->sees("Good"));
  EXPECT_TRUE(a->mesh.reaches_registry());
  good.say(ProxyMessage{0, "Good", "A", encoded(Subscriber{77, "default", "NEXTSIMTASK", 1})});
  RelayedMessage answer = next_relayed(good);
  while (answer.kind() != Kind::acknowledge) answer = next_relayed(good);
}

TEST_F(Relayed, AParticipantRelaysForTwoThatAreConnectedToIt) {
  const auto between = joined("Between", open());
  const auto a = joined("A", open());
  RawStream x(between->mesh.acceptors().front());
  x.say(able("X", nobody()));
  EXPECT_TRUE(x.next_reply().success);
  x.say(ProxyMessage{0, "X", "A", encoded(able("X", nobody()))});
  const RelayedMessage reply = next_relayed(x);
  EXPECT_EQ(reply.source, "A");
  EXPECT_EQ(reply.handshake(), RegistryKind::reply);
  EXPECT_TRUE(eventually([&] { return a->sees("X"); }));
  x.say(ProxyMessage{0, "A", "A", encoded(Subscriber{})});  // in another's name
  EXPECT_TRUE(eventually([&] { return between->said.warnings_with("which is not its to send") == 1; }));
  x.say(ProxyMessage{0, "X", "Nobody", encoded(able("X", nobody()))});
  RelayedMessage end = next_relayed(x);
  while (!end.payload.empty()) end = next_relayed(x);
  EXPECT_EQ(end.source, "Nobody");
  x = RawStream(Descriptor());
  EXPECT_TRUE(eventually([&] { return !a->sees("X") && !between->sees("X"); }));
  EXPECT_TRUE(a->sees("Between"));
}

TEST_F(Relayed, TheEndOfAParticipantBetweenIsTheEndOfThoseBehindIt) {
  const auto a = joined("A", open());
  auto between = joined("Between", open());
  RawStream x(between->mesh.acceptors().front());
  x.say(able("X", nobody()));
  EXPECT_TRUE(x.next_reply().success);
  x.say(ProxyMessage{0, "X", "A", encoded(able("X", nobody()))});
  EXPECT_TRUE(eventually([&] { return a->sees("X"); }));
  between->mesh.leave();
  EXPECT_TRUE(eventually([&] { return !a->sees("X") && !a->sees("Between"); }));
  EXPECT_EQ(a->said.warnings_with("'X' is disconnected: participant 'Between', which relayed, is gone"), 1U);
}

TEST_F(Relayed, NobodySpeaksThroughTwoRelays) {
  const auto a = joined("A", open());
  RawStream b = relayed_to("A", "B");
  RawStream peer(a->mesh.acceptors().front());
  peer.say(announcement_of("Peer"));
  EXPECT_TRUE(peer.next_reply().success);
  peer.say(ProxyMessage{0, "B", "A", {}});  // "B is gone"
  EXPECT_TRUE(eventually(
      [&] { return a->said.warnings_with("'B' is ignored: that one is relayed by another") == 1; }));
  EXPECT_TRUE(a->sees("B"));
}
}  // namespace
}  // namespace tactus::silkit::relayed_test
