// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/mesh.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <latch>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include "drivers/silkit/core/error.hpp"
#include "drivers/silkit/net/registry.hpp"
#include "tests/drivers/silkit/net/support/player.hpp"
#include "tests/drivers/silkit/net/support/raw_stream.hpp"
#include "tests/drivers/silkit/net/support/said.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::mesh_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using namespace test;
using namespace std::chrono_literals;

constexpr std::int64_t kMs = 1'000'000;

Bytes bytes_of(std::string_view text) {
  const ByteView view = std::as_bytes(std::span(text));
  return {view.begin(), view.end()};
}

Uri tcp_at_loopback() { return parse_uri("tcp://127.0.0.1:0"); }

class MeshTest : public testing::Test, protected Joining {
 protected:
  using Joining::joined;
  std::unique_ptr<Player> joined(const std::string& name) { return joined(name, at(uri_)); }
  /// A participant at the registry that accepts at this listener, and whose streams are the test's to play.
  RawStream listening(const std::string& name, const Listener& listener) const {
    Announcement announcement = announcement_of(name);
    announcement.peer.acceptors = {listener.uri().text()};
    return registered(uri_, announcement);
  }
  /// A stream to a player that has let this one in.
  static RawStream let_in(Player& player, const std::string& name) {
    RawStream stream(player.mesh.acceptors().front());
    stream.say(announcement_of(name));
    const AnnouncementReply reply = stream.next_reply();
    if (!reply.success) throw std::runtime_error(reply.diagnostic);
    return stream;
  }

  Said said_;
  std::unique_ptr<Registry> registry_ =
      make_registry({.domain_sockets = false, .io_thread = {.name = "registry"}}, said_);
  const std::string uri_ = registry_->listen("silkit://127.0.0.1:0");
};

TEST_F(MeshTest, ConnectsEverybodyWithEverybody) {
  const auto a = joined("A");
  EXPECT_THAT(a->peers(), IsEmpty());
  const auto b = joined("B");
  const auto c = joined("C");
  const auto d = joined("D");
  for (Player* player : {a.get(), b.get(), c.get(), d.get()})
    EXPECT_TRUE(eventually([&] { return player->peers().size() == 3; }));
  EXPECT_THAT(d->peers(), UnorderedElementsAre("A", "B", "C")) << "known when join() returns";
  b->mesh.leave();
  EXPECT_TRUE(eventually([&] { return !a->sees("B") && !c->sees("B") && !d->sees("B"); }));
  EXPECT_TRUE(a->sees("C"));
  EXPECT_EQ(a->said.warnings(), "") << "who leaves in order is nothing to warn of";
}

TEST_F(MeshTest, LetsANameJoinAgain) {
  const auto a = joined("A");
  for (int turn = 0; turn < 20; ++turn) {
    // The registry may still know the one who has just left: that is its own affair, and waited for.
    EXPECT_TRUE(eventually([&] { return registry_->participants().size() == 1; }));
    const auto again = joined("Again");
    EXPECT_TRUE(again->sees("A"));
  }
}

TEST_F(MeshTest, RunsACoordinatedSimulationOfFourWithData) {
  constexpr int kPlayers = 4;
  constexpr std::int64_t kSteps = 200;
  struct Role {
    std::unique_ptr<Player> player;
    DataPublisher* publisher = nullptr;
    std::atomic<int> received{0};
    std::atomic<int> steps{0};
  };
  std::array<Role, kPlayers> roles;
  std::vector<std::string> names;
  for (int i = 0; i < kPlayers; ++i) names.push_back("P" + std::to_string(i));
  for (std::size_t i = 0; i < kPlayers; ++i) {
    Role& role = roles[i];
    role.player = joined(names[i]);
    role.player->with_engine([&](Engine& engine) {
      engine.lifecycle().create(OperationMode::coordinated);
      engine.create_time_sync();
      role.publisher = &engine.pubsub().create_publisher("out", {"T" + std::to_string(i), "", {}}, false);
      engine.pubsub().create_subscriber(
          "in", {"T" + std::to_string((i + 1) % kPlayers), "", {}},
          handler<ByteView, std::int64_t>([&](ByteView, std::int64_t) { ++role.received; }));
      engine.virtual_time().on_step(handler<std::int64_t, std::int64_t>([&](std::int64_t now, std::int64_t) {
                                      ++role.steps;
                                      role.player->with_engine([&](Engine& inside) {
                                        inside.pubsub().publish(*role.publisher, bytes_of("data"));
                                        if (now == kSteps * kMs && &role == &roles.front())
                                          inside.stop("enough");
                                      });
                                    }),
                                    kMs, false);
    });
  }
  roles[0].player->with_engine([&](Engine& engine) {
    engine.monitor().create_controller();
    engine.set_required(names);
  });
  for (Role& role : roles) role.player->with_engine([](Engine& engine) { engine.lifecycle().start(); });
  for (Role& role : roles) {
    EXPECT_TRUE(eventually([&] {
      return role.player->with_engine([](Engine& engine) { return engine.complete(); });
    })) << role.player->engine().name();
    EXPECT_GT(role.steps, kSteps - 2);
    EXPECT_GT(role.received, kSteps - 4);
  }
  for (Role& role : roles) role.player->mesh.leave();
}

TEST_F(MeshTest, WakesItsOwnerWhenTheEngineWantsTo) {
  MeshSettings settings = at(uri_);
  Player player("Paced", settings, 0.5);  // twice as fast as the wall clock
  player.mesh.join();
  std::atomic<int> steps{0};
  player.with_engine([&](Engine& engine) {
    engine.lifecycle().create(OperationMode::autonomous);
    engine.create_time_sync();
    engine.virtual_time().on_step(handler<std::int64_t, std::int64_t>([&](std::int64_t, std::int64_t) {
                                    if (++steps == 100)
                                      player.with_engine([](Engine& inside) { inside.stop("enough"); });
                                  }),
                                  kMs, false);
    engine.lifecycle().start();
  });
  EXPECT_TRUE(eventually([&] { return steps >= 100; }));
  EXPECT_FALSE(player.mesh.on_io_thread());
}

TEST_F(MeshTest, StreamsGoOnWhenTheRegistryDies) {
  const auto a = joined("A");
  std::atomic<int> received{0};
  a->with_engine([&](Engine& engine) {
    engine.pubsub().create_subscriber(
        "in", {"T", "", {}}, handler<ByteView, std::int64_t>([&](ByteView, std::int64_t) { ++received; }));
    engine.lifecycle().create(OperationMode::autonomous);
    engine.lifecycle().start();
  });
  const auto b = joined("B");
  DataPublisher* publisher = nullptr;
  b->with_engine([&](Engine& engine) {
    publisher = &engine.pubsub().create_publisher("out", {"T", "", {}}, true);
  });
  registry_.reset();
  EXPECT_TRUE(eventually([&] { return b->said.warnings_with("the registry at " + uri_ + " is gone") == 1; }));
  b->with_engine([&](Engine& engine) { engine.pubsub().publish(*publisher, bytes_of("still here")); });
  EXPECT_TRUE(eventually([&] { return received > 0; }));
  EXPECT_TRUE(a->sees("B"));
}

TEST_F(MeshTest, SaysWhereNoRegistryIsAndWhatToDo) {
  std::string uri;
  {
    const Listener listener(tcp_at_loopback(), {});
    uri = "silkit://127.0.0.1:" + std::to_string(listener.uri().port);
  }
  MeshSettings settings = at(uri);
  settings.connect_attempts = 2;
  const Refusal refusal = refused("A", settings);
  EXPECT_EQ(refusal.code, Code::unspecified);
  EXPECT_THAT(refusal.what(), AllOf(HasSubstr(uri), HasSubstr("2 attempts"), HasSubstr("Connection refused"),
                                    HasSubstr("tactus registry -u " + uri)));
}

TEST_F(MeshTest, RefusesSettingsThatCannotBe) {
  MeshSettings no_uri = at("tcp://127.0.0.1:1");
  EXPECT_EQ(refused("A", no_uri).code, Code::configuration);
  MeshSettings no_attempt = at(uri_);
  no_attempt.connect_attempts = 0;
  EXPECT_EQ(refused("A", no_attempt).code, Code::configuration);
  MeshSettings no_patience = at(uri_);
  no_patience.connect_timeout = 1ms;
  EXPECT_EQ(refused("A", no_patience).code, Code::configuration);
  MeshSettings no_acceptor = at(uri_);
  no_acceptor.acceptors = {"http://127.0.0.1:0"};
  EXPECT_EQ(refused("A", no_acceptor).code, Code::configuration);
  const Listener taken(tcp_at_loopback(), {});
  MeshSettings taken_acceptor = at(uri_);
  taken_acceptor.acceptors = {taken.uri().text()};
  const Refusal refusal = refused("A", taken_acceptor);
  EXPECT_EQ(refusal.code, Code::unspecified);
  EXPECT_THAT(refusal.what(), HasSubstr(taken.uri().text()));
}

TEST_F(MeshTest, TellsWhyTheRegistryRefusesAName) {
  const auto first = joined("Same");
  const Refusal refusal = refused("Same", at(uri_));
  EXPECT_EQ(refusal.code, Code::protocol);
  EXPECT_THAT(refusal.what(), AllOf(HasSubstr(uri_), HasSubstr("'Same' is there already")));
  EXPECT_THAT(registry_->participants(), testing::ElementsAre("Same"));
}

TEST_F(MeshTest, DoesNotWaitForeverForARegistryThatIsNone) {
  const Listener silent(tcp_at_loopback(), {});
  MeshSettings settings = at("silkit://127.0.0.1:" + std::to_string(silent.uri().port));
  settings.connect_timeout = 150ms;
  const Refusal refusal = refused("A", settings);
  EXPECT_EQ(refusal.code, Code::protocol);
  EXPECT_THAT(refusal.what(), HasSubstr("did not answer for 150 ms"));
}

TEST_F(MeshTest, KeepsSimulationsApart) {
  const auto one = joined("Same", at(uri_ + "/one"));
  const auto two = joined("Same", at(uri_ + "/two"));
  const auto three = joined("Other", at(uri_ + "/two"));
  EXPECT_THAT(one->peers(), IsEmpty());
  EXPECT_THAT(three->peers(), UnorderedElementsAre("Same"));
  RawStream lost(one->mesh.acceptors().front());
  lost.say(announcement_of("Lost", "two"));
  const AnnouncementReply reply = lost.next_reply();
  EXPECT_FALSE(reply.success);
  EXPECT_THAT(reply.diagnostic, AllOf(HasSubstr("'Lost'"), HasSubstr("'two'"), HasSubstr("'one'")));
  EXPECT_TRUE(lost.ends());
}

TEST_F(MeshTest, NamesWhoDoesNotAnswer) {
  const Listener listener(tcp_at_loopback(), {});
  const RawStream silent = listening("Silent", listener);
  MeshSettings settings = at(uri_);
  std::optional<Refusal> refusal;
  for (const auto timeout : {150ms, 10'000ms}) {  // a busy machine's registry may take longer than the first
    EXPECT_TRUE(eventually([&] { return registry_->participants().size() == 1; }));
    settings.connect_timeout = timeout;
    refusal.emplace(refused("A", settings));
    if (std::string_view(refusal->what()).find("'Silent'") != std::string_view::npos) break;
  }
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->code, Code::protocol);
  EXPECT_THAT(refusal->what(), AllOf(HasSubstr("'Silent'"), HasSubstr(listener.uri().text())));
}

TEST_F(MeshTest, NamesWhoCannotBeReached) {
  std::optional<Listener> listener(std::in_place, tcp_at_loopback(), SocketOptions{});
  const RawStream gone = listening("Gone", *listener);
  const std::string where = listener->uri().text();
  listener.reset();
  const Refusal refusal = refused("A", at(uri_));
  EXPECT_EQ(refusal.code, Code::protocol);
  EXPECT_THAT(refusal.what(), AllOf(HasSubstr("'Gone'"), HasSubstr(where)));
}

/// A process that accepts one stream, tells the pipe of the first byte, and waits for its end.
class AcceptingProcess {
 public:
  explicit AcceptingProcess(const Listener& listener) {
    if (::pipe(pipe_.data()) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ != 0) return;
    pollfd incoming{listener.number(), POLLIN, 0};
    (void)::poll(&incoming, 1, 40'000);
    const int stream = ::accept(listener.number(), nullptr, nullptr);
    char byte = 0;
    if (::read(stream, &byte, 1) == 1) (void)!::write(pipe_[1], &byte, 1);
    for (;;) (void)::pause();
  }
  ~AcceptingProcess() {
    kill();
    (void)::waitpid(pid_, nullptr, 0);
    for (const int end : pipe_) (void)::close(end);
  }
  AcceptingProcess(const AcceptingProcess&) = delete;
  AcceptingProcess& operator=(const AcceptingProcess&) = delete;
  void await_byte() const {
    char byte = 0;
    (void)!::read(pipe_[0], &byte, 1);
  }
  void kill() const { (void)::kill(pid_, SIGKILL); }

 private:
  std::array<int, 2> pipe_{};
  pid_t pid_ = -1;
};

TEST_F(MeshTest, JoinsWithoutAParticipantThatIsKilledInTheHandshake) {
  std::optional<Listener> listener(std::in_place, tcp_at_loopback(), SocketOptions{});
  const AcceptingProcess victim(*listener);
  const RawStream registration = listening("Victim", *listener);
  listener.reset();
  std::thread killer([&] {
    victim.await_byte();
    victim.kill();
  });
  Player player("A", at(uri_));
  EXPECT_NO_THROW(player.mesh.join());
  killer.join();
  EXPECT_THAT(player.peers(), IsEmpty());
  EXPECT_TRUE(
      eventually([&] { return player.said.warnings_with("'Victim' left while this one was joining") == 1; }));
}

TEST_F(MeshTest, SeesThatAParticipantWasKilled) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const auto a = joined("A");
  const pid_t child = ::fork();
  if (child == 0) {
    const RawStream stream = let_in(*a, "Victim");
    (void)!::write(pipe[1], "x", 1);
    for (;;) (void)::pause();
  }
  char byte = 0;
  ASSERT_EQ(::read(pipe[0], &byte, 1), 1);
  EXPECT_TRUE(a->sees("Victim"));
  (void)::kill(child, SIGKILL);
  (void)::waitpid(child, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return !a->sees("Victim"); }));
  for (const int end : pipe) (void)::close(end);
}

TEST_F(MeshTest, OutlivesManyConnectionsWithoutAWord) {
  const auto a = joined("A");
  std::vector<RawStream> silent;
  for (int count = 0; count < 300; ++count) silent.emplace_back(a->mesh.acceptors().front());
  EXPECT_TRUE(silent.front().ends());
  EXPECT_TRUE(joined("B")->sees("A"));
}

TEST_F(MeshTest, TellsWhyAParticipantRefusesIt) {
  const Listener listener(tcp_at_loopback(), {});
  const RawStream registration = listening("Host", listener);
  std::thread host([&] {
    pollfd incoming{listener.number(), POLLIN, 0};
    (void)::poll(&incoming, 1, 40'000);
    RawStream stream{Descriptor(::accept(listener.number(), nullptr, nullptr))};
    (void)stream.next();
    stream.say(AnnouncementReply{{}, false, {}, "not today"});
    (void)stream.ends();
  });
  const Refusal refusal = refused("A", at(uri_));
  host.join();
  EXPECT_EQ(refusal.code, Code::protocol);
  EXPECT_THAT(refusal.what(), AllOf(HasSubstr("'Host'"), HasSubstr("not today")));
}

TEST_F(MeshTest, DoesNotJoinWithAParticipantThatAnswersGarbage) {
  const Listener listener(tcp_at_loopback(), {});
  const RawStream registration = listening("Host", listener);
  std::thread host([&] {
    pollfd incoming{listener.number(), POLLIN, 0};
    (void)::poll(&incoming, 1, 40'000);
    RawStream stream{Descriptor(::accept(listener.number(), nullptr, nullptr))};
    (void)stream.next();
    stream.send(Bytes(8, std::byte{0}));
    (void)stream.ends();
  });
  const Refusal refusal = refused("A", at(uri_));
  host.join();
  EXPECT_EQ(refusal.code, Code::protocol);
  EXPECT_THAT(refusal.what(), AllOf(HasSubstr("'Host'"), HasSubstr("cannot be read")));
}

TEST_F(MeshTest, TakesMessagesThatComeBeforeTheReply) {
  const Listener listener(tcp_at_loopback(), {});
  const RawStream registration = listening("Early", listener);
  std::atomic<bool> acknowledged{false};
  std::thread host([&] {
    pollfd incoming{listener.number(), POLLIN, 0};
    (void)::poll(&incoming, 1, 40'000);
    RawStream stream{Descriptor(::accept(listener.number(), nullptr, nullptr))};
    (void)stream.next();
    stream.say(Subscriber{5, "default", "NEXTSIMTASK", 1});
    acknowledged = stream.next()->kind == Kind::acknowledge;
    stream.say(AnnouncementReply{});
    (void)stream.ends();
  });
  auto player = joined("A");
  EXPECT_TRUE(acknowledged);
  player.reset();
  host.join();
}

TEST_F(MeshTest, RefusesAtTheDoorWithAText) {
  const auto a = joined("A");
  const auto b = joined("B");
  Announcement old = announcement_of("Old");
  old.version = {2, 0};
  struct Row {
    Announcement announcement;
    const char* says;
  };
  const Row rows[] = {{old, "2.0"},
                      {announcement_of("A"), "'A' is taken"},
                      {announcement_of("B"), "'B' is there already"},
                      {announcement_of(""), "needs a name"},
                      {announcement_of("SilKitRegistry"), "taken"}};
  for (const Row& row : rows) {
    RawStream stream(a->mesh.acceptors().front());
    stream.say(row.announcement);
    const AnnouncementReply reply = stream.next_reply();
    EXPECT_FALSE(reply.success) << row.says;
    EXPECT_THAT(reply.diagnostic, HasSubstr(row.says));
    EXPECT_TRUE(stream.ends());
  }
  EXPECT_THAT(a->peers(), UnorderedElementsAre("B"));
}

TEST_F(MeshTest, AnswersTheDoorWithItsSubscriptions) {
  const auto a = joined("A");
  RawStream stream(a->mesh.acceptors().front());
  stream.say(announcement_of("Newcomer"));
  const AnnouncementReply reply = stream.next_reply();
  EXPECT_TRUE(reply.success);
  EXPECT_EQ(reply.subscribers, a->with_engine([](Engine& engine) { return engine.subscriptions(); }));
  EXPECT_TRUE(a->sees("Newcomer"));
}

TEST_F(MeshTest, LetsTheSuccessorInBeforeTheEndOfItsPredecessorWasRead) {
  std::latch held(1);
  std::atomic<int> connected{0};
  const auto a = joined("A");
  a->with_engine([&](Engine& engine) {
    engine.monitor().on_connected(handler<const std::string&>([&](const std::string&) {
      if (++connected == 1) held.wait();  // meanwhile nothing is read
    }));
  });
  std::optional<RawStream> first(std::in_place, a->mesh.acceptors().front());
  first->say(announcement_of("Twin"));
  RawStream second(a->mesh.acceptors().front());
  second.say(announcement_of("Twin"));
  EXPECT_TRUE(eventually([&] { return connected == 1; }));
  // Whichever of the two was let in: it goes, and the other one may come instead.
  first.reset();
  held.count_down();
  EXPECT_TRUE(second.next_reply().success);
  EXPECT_TRUE(eventually([&] { return a->sees("Twin"); }));
}

TEST_F(MeshTest, DropsAndNamesWhoSendsGarbage) {
  const auto a = joined("A");
  RawStream stream = let_in(*a, "Broken");
  Bytes bytes;
  Writer(bytes).value(std::uint32_t{7});
  Writer(bytes).value(std::uint8_t{3});  // a service message that is too short for its header
  Writer(bytes).value(std::uint16_t{0});
  stream.send(bytes);
  EXPECT_TRUE(stream.ends());
  EXPECT_TRUE(eventually([&] { return a->said.warnings_with("participant 'Broken' is disconnected") == 1; }));
  EXPECT_FALSE(a->sees("Broken"));
}

TEST_F(MeshTest, ClosesStreamsThatSaySomethingElseFirstOrNothing) {
  const auto a = joined("A");
  RawStream rude(a->mesh.acceptors().front());
  rude.say(Subscriber{1, "default", "X", 1});
  EXPECT_TRUE(rude.ends());
  EXPECT_TRUE(eventually([&] { return a->said.warnings_with("a message before the announcement") == 1; }));
  MeshSettings settings = at(uri_);
  settings.connect_timeout = 200ms;
  std::unique_ptr<Player> b;
  EXPECT_TRUE(eventually([&] {  // on a busy machine joining may take longer than that
    try {
      b = joined("B", settings);
    } catch (const Refusal&) {
      return false;
    }
    return true;
  }));
  ASSERT_TRUE(b);
  RawStream silent(b->mesh.acceptors().front());
  EXPECT_TRUE(silent.ends());
  EXPECT_TRUE(eventually([&] { return b->said.warnings_with("sent no announcement for 200 ms") == 1; }));
}

TEST_F(MeshTest, CountsBadStreamsInsteadOfNamingEachOfThem) {
  const auto a = joined("A");
  for (int count = 0; count < 100; ++count) {
    RawStream rude(a->mesh.acceptors().front());
    rude.say(Subscriber{1, "default", "X", 1});
    EXPECT_TRUE(rude.ends());
  }
  a->mesh.leave();
  const std::size_t lines = a->said.warnings_with("a stream without a name is disconnected");
  EXPECT_GE(lines, 1U);
  EXPECT_LT(lines, 100U) << "not even one per second: a hundred take less";
  EXPECT_TRUE(a->said.warnings_with("lines like this were left out") +
                  a->said.warnings_with("streams more were refused or disconnected") >
              0)
      << a->said.warnings();
}

TEST_F(MeshTest, KnowsWhetherTheRegistryIsThere) {
  const auto a = joined("A");
  EXPECT_TRUE(a->mesh.reaches_registry());
  registry_.reset();
  EXPECT_TRUE(eventually([&] { return !a->mesh.reaches_registry(); }));
}

TEST_F(MeshTest, DropsWhoDoesNotReadAndSaysHowMuchWaits) {
  MeshSettings settings = at(uri_);
  settings.backlog = {.bytes = 1 << 20, .patience = 100ms};
  const auto a = joined("A", settings);
  const RawStream deaf = let_in(*a, "Deaf");
  const auto b = joined("B");
  Bytes message;
  encode_service(message, {99, 1, 1}, Bytes(100'000));
  EXPECT_TRUE(eventually([&] {
    const auto lock = a->lock();
    if (a->mesh.queued(1) < 4 << 20) a->mesh.send(1, message);
    a->mesh.flush();
    return a->said.warnings_with("'Deaf' is disconnected: it does not read: ") == 1;
  })) << a->said.warnings();
  EXPECT_TRUE(eventually([&] { return !a->sees("Deaf"); }));
  EXPECT_TRUE(a->sees("B"));
}

TEST_F(MeshTest, KeepsTheOrderForWhoReadsSlowly) {
  const auto a = joined("A");
  RawStream slow = let_in(*a, "Slow");
  constexpr std::uint64_t kMessages = 3000;
  std::thread sender([&] {
    for (std::uint64_t count = 0; count < kMessages; ++count) {
      Bytes message;
      encode_service(message, {count, 1, 1}, Bytes(8000));
      const auto lock = a->lock();
      a->mesh.send(1, message);
      a->mesh.flush();
    }
  });
  std::uint64_t expected = 0;
  while (expected < kMessages) {
    const auto message = slow.next();
    ASSERT_TRUE(message);
    ByteView body = message->body;
    if (message->kind != Kind::service) continue;
    ASSERT_EQ(take_service_header(body).index, expected);
    ++expected;
  }
  sender.join();
}

TEST_F(MeshTest, WritesWhatIsQueuedBeforeItLeaves) {
  Bytes message;
  constexpr std::size_t kBytes = std::size_t{::tactus::test::kSanitized ? 6 : 16}
                                 << 20;  // more than a socket takes
  encode_service(message, {1, 1, 1}, Bytes(kBytes));
  // It waits for a second, which a busy machine may use up: then once more.
  std::size_t received = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  for (int attempt = 0; received <= kBytes && std::chrono::steady_clock::now() < until; ++attempt) {
    const auto a = joined("A" + std::to_string(attempt));
    RawStream stream = let_in(*a, "Reader");
    {
      const auto lock = a->lock();
      a->mesh.send(1, message);
    }
    received = 0;
    std::thread reader([&] {
      while (const auto got = stream.next()) received += got->body.size();
    });
    a->mesh.leave();
    reader.join();
  }
  EXPECT_GT(received, kBytes);
}

TEST_F(MeshTest, LeavesThoughSomebodyDoesNotRead) {
  const auto a = joined("A");
  const RawStream deaf = let_in(*a, "Deaf");
  Bytes message;
  encode_service(message, {1, 1, 1}, Bytes(32 << 20));
  {
    const auto lock = a->lock();
    a->mesh.send(1, message);
    a->mesh.flush();
  }
  a->mesh.leave();
  EXPECT_TRUE(eventually([&] { return registry_->participants().empty(); }));
}

TEST_F(MeshTest, IsWrittenToByManyThreads) {
  const auto a = joined("A");
  RawStream stream = let_in(*a, "Reader");
  constexpr int kThreads = 4;
  constexpr int kEach = 500;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      Bytes message;
      encode_service(message, {1, 1, 1}, Bytes(2000));
      for (int count = 0; count < kEach; ++count) {
        const auto lock = a->lock();
        a->mesh.send(1, message);
        a->mesh.flush();
        a->mesh.wake();
      }
    });
  }
  int received = 0;
  while (received < kThreads * kEach) {
    const auto message = stream.next();
    ASSERT_TRUE(message);
    if (message->kind == Kind::service) ++received;
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(MeshTest, JoinsOverIpv6) {
  MeshSettings settings = at(uri_);
  settings.acceptors = {"tcp://[::1]:0"};
  std::unique_ptr<Player> a;
  try {
    a = joined("A", settings);
  } catch (const Refusal& refusal) {
    GTEST_SKIP() << "no IPv6 here: " << refusal.what();
  }
  EXPECT_THAT(a->mesh.acceptors(), testing::ElementsAre(testing::StartsWith("tcp://[::1]:")));
  const auto b = joined("B");
  EXPECT_TRUE(b->sees("A"));
}

TEST_F(MeshTest, JoinsOverAnAcceptorOfItsSettings) {
  const tactus::test::TempDir folder;
  const std::string path = (folder / "a.silkit").string();
  MeshSettings settings = at(uri_);
  settings.domain_sockets = true;
  settings.acceptors = {"local://" + path};
  auto a = joined("A", settings);
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0770));
  MeshSettings other = at(uri_);
  other.domain_sockets = true;
  const auto b = joined("B", other);
  EXPECT_TRUE(b->sees("A"));
  a->mesh.leave();
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_TRUE(eventually([&] { return !b->sees("A"); }));
}

TEST(MeshOverDomainSockets, NeedsNoTcp) {
  Said said;
  const auto registry = make_registry({.io_thread = {}}, said);
  const std::string uri = registry->listen("silkit://127.0.0.1:0");
  MeshSettings settings = at(uri);
  settings.domain_sockets = true;
  Player a("A", settings);
  a.mesh.join();
  EXPECT_THAT(a.mesh.acceptors().front(), testing::StartsWith("local://"));
  Player b("B", settings);
  b.mesh.join();
  EXPECT_TRUE(b.sees("A"));
  const std::string path = a.mesh.acceptors().front().substr(8);
  EXPECT_TRUE(std::filesystem::exists(path));
  Player same("A", settings);
  EXPECT_THROW(same.mesh.join(), Refusal);
  EXPECT_TRUE(std::filesystem::exists(path)) << "a refused namesake does not take the socket away";
  a.mesh.leave();
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace tactus::silkit::mesh_test
