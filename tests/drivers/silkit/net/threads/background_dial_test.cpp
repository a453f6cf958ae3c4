// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/background_dial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/silkit/net/relay_pairs.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::background_dial_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using namespace std::chrono_literals;

Listener at_loopback() { return {parse_uri("tcp://127.0.0.1:0"), {}}; }
std::string closed_port() { return at_loopback().uri().text(); }

std::vector<Uri> uris_of(const std::vector<std::string>& texts) {
  std::vector<Uri> uris;
  for (const std::string& text : texts) uris.push_back(parse_uri(text));
  return uris;
}

/// What comes of it; nothing: it has told of no end.
std::optional<bool> dialled(const std::vector<std::string>& texts, std::chrono::nanoseconds timeout = 120s) {
  asio::io_context io;
  std::optional<bool> connected;
  const auto dial = std::make_shared<BackgroundDial>(io, uris_of(texts), timeout, SocketOptions{},
                                                     [&](const Descriptor& got, const std::string&) {
                                                       EXPECT_FALSE(connected) << "once";
                                                       connected = got.get() >= 0;
                                                     });
  dial->start();
  io.run();
  return connected;
}

TEST(BackgroundDial, TakesTheFirstUriThatAnswers) {
  const Listener listener = at_loopback();
  const std::string port = std::to_string(listener.uri().port);
  EXPECT_EQ(dialled({"local:///nowhere/x", closed_port(), listener.uri().text()}), true);
  EXPECT_EQ(dialled({"tcp://localhost:" + port}), true) << "a name is looked up";
  const tactus::test::TempDir folder;
  const Listener local(parse_uri("local://" + (folder / "x").string()), {});
  EXPECT_EQ(dialled({local.uri().text()}), true);
}

TEST(BackgroundDial, SaysThatAllWasInVain) {
  EXPECT_EQ(dialled({}), false);
  EXPECT_EQ(dialled({"local:///nowhere/x", closed_port()}), false);
  EXPECT_EQ(dialled({"local:///" + std::string(200, 'x')}), false) << "a path that is too long";
}

TEST(BackgroundDial, WaitsForRoomInAFullBacklogAndNoLongerThanAllowed) {
  constexpr rlim_t kDescriptors = 1300;
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  if (limit.rlim_max < kDescriptors)
    GTEST_SKIP() << "a full backlog takes " << kDescriptors << " descriptors";
  limit.rlim_cur = std::max(limit.rlim_cur, kDescriptors);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  const tactus::test::TempDir folder;
  const std::string path = "local://" + (folder / "full").string();
  const Listener listener(parse_uri(path), {});
  std::vector<Descriptor> waiting;
  const std::vector<std::vector<Address>> many(1100, {addresses_of(parse_uri(path)).front()});
  (void)dial(many, 50ms, {}, [&](std::size_t, Descriptor got) { waiting.push_back(std::move(got)); });
  EXPECT_EQ(dialled({path}, 100ms), false);

  asio::io_context io;
  std::optional<bool> connected;
  const auto dial = std::make_shared<BackgroundDial>(
      io, uris_of({path}), 40s, SocketOptions{},
      [&](const Descriptor& got, const std::string&) { connected = got.get() >= 0; });
  dial->start();
  EXPECT_FALSE(connected);
  for (std::size_t i = 0; i < 3; ++i) (void)Descriptor(::accept(listener.number(), nullptr, nullptr));
  io.run();
  EXPECT_EQ(connected, true);
}

TEST(BackgroundDial, TellsNothingOnceItIsCancelled) {
  const Listener listener = at_loopback();
  for (const std::string& uri : {closed_port(), "tcp://localhost:" + std::to_string(listener.uri().port)}) {
    asio::io_context io;
    bool told = false;
    const auto dial =
        std::make_shared<BackgroundDial>(io, uris_of({uri, uri}), 40s, SocketOptions{},
                                         [&](const Descriptor&, const std::string&) { told = true; });
    dial->start();
    dial->cancel();
    io.run();
    EXPECT_FALSE(told) << uri;
  }
}

TEST(RelayPairs, KnowWhoHasTalkedWithWhom) {
  RelayPairs pairs;
  EXPECT_TRUE(pairs.note("A", "B"));
  EXPECT_FALSE(pairs.note("B", "A")) << "the same pair";
  EXPECT_TRUE(pairs.note("A", "C"));
  EXPECT_TRUE(pairs.note("C", "D"));
  EXPECT_THAT(pairs.leave("A"), ElementsAre("B", "C"));
  EXPECT_THAT(pairs.leave("A"), IsEmpty());
  EXPECT_THAT(pairs.leave("B"), IsEmpty());
  EXPECT_THAT(pairs.leave("C"), ElementsAre("D"));
  EXPECT_TRUE(pairs.empty());
}

TEST(RelayPairs, SayWhatBecomesOfAMessage) {
  RelayPairs pairs;
  Bytes greeting;
  encode(greeting, Announcement{});
  Bytes other;
  encode(other, Subscriber{1, "", "T", 1});
  EXPECT_EQ(pairs.take({0, "A", "B", greeting}, true), RelayFate::begins);
  EXPECT_EQ(pairs.take({0, "B", "A", other}, true), RelayFate::passed_on);
  EXPECT_EQ(pairs.take({0, "A", "B", greeting}, false), RelayFate::answered_end);
  EXPECT_EQ(pairs.take({0, "A", "B", other}, false), RelayFate::dropped);
  EXPECT_EQ(pairs.take({0, "A", "B", {}}, false), RelayFate::dropped);
  EXPECT_EQ(pairs.take({0, "A", "B", {}}, true), RelayFate::passed_on);
  EXPECT_TRUE(pairs.empty()) << "its end parts them";
}

TEST(RelayPairs, MayPartAndMeetAgain) {
  RelayPairs pairs;
  EXPECT_TRUE(pairs.note("A", "B"));
  pairs.part("B", "A");
  pairs.part("B", "A");
  EXPECT_TRUE(pairs.empty());
  EXPECT_TRUE(pairs.note("A", "B"));
}

}  // namespace
}  // namespace tactus::silkit::background_dial_test
