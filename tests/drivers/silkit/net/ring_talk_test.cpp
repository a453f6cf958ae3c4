// SPDX-License-Identifier: Apache-2.0
// Participants agree to go on in memory that they share, and who cannot or will not goes on as before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "drivers/silkit/net/registry.hpp"
#include "drivers/silkit/net/shared_rings.hpp"
#include "tests/drivers/silkit/net/support/player.hpp"
#include "tests/drivers/silkit/net/support/raw_stream.hpp"
#include "tests/drivers/silkit/net/support/said.hpp"

namespace tactus::silkit::ring_talk_test {
namespace {

using namespace test;
using Step = RingMessage::Step;

/// How many memories of rings this process has mapped.
std::size_t mapped() {
  std::ifstream maps("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(maps, line);)
    count += line.find("memfd:tactus-silkit") != line.npos ? 1U : 0U;
  return count;
}

class RingTalk : public testing::Test, protected Joining {
 protected:
  using Joining::joined;
  std::unique_ptr<Player> joined(const std::string& name, bool shared_memory = true) {
    MeshSettings settings = at(uri_);
    settings.shared_memory = shared_memory;
    return joined(name, settings);
  }
  /// A stream to a player, by hand, of one who says that it takes rings.
  static RawStream let_in(Player& player, const std::string& name) {
    RawStream stream(player.mesh.acceptors().front());
    Announcement announcement = announcement_of(name);
    announcement.peer.capabilities = capabilities_text({std::string(kTakesRings)});
    stream.say(announcement);
    if (!stream.next_reply().success) throw std::runtime_error("not let in");
    return stream;
  }
  static RingMessage next_of_rings(RawStream& stream) {
    for (;;) {
      const auto message = stream.next();
      if (!message) throw std::runtime_error("the stream has ended");
      if (message->kind == Kind::ring) return decode_ring_message(message->body);
    }
  }
  static std::unique_ptr<SharedRings> opened(const RingMessage& offer) {
    std::string why;
    auto rings = SharedRings::open(offer, why);
    if (rings == nullptr) throw std::runtime_error(why);
    return rings;
  }
  Said said_;
  std::optional<Registry> registry_{
      std::in_place, RegistrySettings{.domain_sockets = false, .io_thread = {.name = "registry"}}, said_};
  const std::string uri_ = registry_->listen("silkit://127.0.0.1:0");
};

TEST_F(RingTalk, EveryTwoThatBothWantItShareMemory) {
  const auto a = joined("A");
  const auto b = joined("B");
  EXPECT_TRUE(eventually([] { return mapped() == 2; })) << "both are in this process";
  const auto c = joined("C");
  EXPECT_TRUE(eventually([] { return mapped() == 6; }));
  EXPECT_THAT(a->peers(), testing::UnorderedElementsAre("B", "C"));
}

TEST_F(RingTalk, NothingIsLeftOfThoseWhoHaveGone) {
  const auto a = joined("A");
  {
    const auto b = joined("B");
    EXPECT_TRUE(eventually([] { return mapped() == 2; }));
  }
  EXPECT_TRUE(eventually([&] { return !a->sees("B") && mapped() == 0; }));
  EXPECT_EQ(a->said.warnings(), "");
}

TEST_F(RingTalk, WhoWantsNoneIsOfferedNone) {
  const auto a = joined("A");
  const auto b = joined("B", false);
  const auto c = joined("C", false);
  EXPECT_EQ(mapped(), 0U);
  RawStream raw = let_in(*b, "Raw");
  raw.say(RingMessage{.step = Step::offer});
  EXPECT_EQ(next_of_rings(raw).step, Step::refuse);
}

TEST_F(RingTalk, WhoKnowsNothingOfItIsToldNothing) {
  const auto a = joined("A");
  RawStream raw(a->mesh.acceptors().front());
  raw.say(announcement_of("Raw"));
  ASSERT_TRUE(raw.next_reply().success);
  raw.say(Subscriber{1, "n", "T", 1});
  for (;;) {
    const auto message = raw.next();
    ASSERT_TRUE(message);
    EXPECT_NE(message->kind, Kind::ring);
    if (message->kind == Kind::acknowledge) break;
  }
  EXPECT_EQ(mapped(), 0U);
}

TEST_F(RingTalk, GoesOnBehindTheLastMessageOfTheSocket) {
  const auto a = joined("A");
  RawStream raw = let_in(*a, "Raw");
  const auto rings = opened(next_of_rings(raw));
  raw.say(RingMessage{.step = Step::accept});
  EXPECT_EQ(next_of_rings(raw).step, Step::switched);
  Bytes question;
  encode(question, Subscriber{1, "n", "T", 1});
  EXPECT_EQ(rings->out().write(question), question.size());
  if (rings->out().has_to_wake(true)) raw.send(Bytes(1));
  Bytes answer(1000);
  std::size_t got = 0;
  EXPECT_TRUE(eventually([&] { return (got = rings->in().read(answer)) > 0; }));
  std::size_t used = 0;
  const auto frame = next_frame(ByteView(answer).first(got), used);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->kind, Kind::acknowledge);
}

TEST_F(RingTalk, WhoCannotOpenWhatIsOfferedIsAskedForHisOwn) {
  const auto a = joined("A");
  RawStream raw = let_in(*a, "Raw");
  (void)next_of_rings(raw);
  const auto own = SharedRings::make();
  raw.say(own->offer(Step::counter_offer));
  EXPECT_EQ(next_of_rings(raw).step, Step::accept);
  raw.say(RingMessage{.step = Step::switched});
  Bytes question;
  encode(question, Subscriber{1, "n", "T", 1});
  (void)own->out().write(question);
  raw.send(Bytes(1));
  EXPECT_TRUE(eventually([&] { return own->in().has_bytes(); }));
}

TEST_F(RingTalk, WithoutAnyMemoryThatBothCanOpenTheStreamGoesOn) {
  const auto a = joined("A");
  RawStream raw = let_in(*a, "Raw");
  RingMessage offer = next_of_rings(raw);
  ++offer.nonce[0];
  offer.step = Step::counter_offer;
  raw.say(offer);
  EXPECT_EQ(next_of_rings(raw).step, Step::refuse);
  raw.say(Subscriber{1, "n", "T", 1});
  while (raw.next()->kind != Kind::acknowledge) {
  }
  EXPECT_EQ(mapped(), 0U);
  EXPECT_EQ(a->said.warnings(), "");
}

TEST_F(RingTalk, WhoEndsInTheMiddleIsHeardToTheEndAndGone) {
  const auto a = joined("A");
  std::unique_ptr<SharedRings> rings;
  {
    RawStream raw = let_in(*a, "Raw");
    rings = opened(next_of_rings(raw));
    raw.say(RingMessage{.step = Step::accept});
    (void)next_of_rings(raw);
    Bytes questions;
    for (std::uint64_t n = 0; n < 100; ++n) encode(questions, Subscriber{n, "n", "T", 1});
    questions.resize(questions.size() + 3);  // the beginning of another one
    (void)rings->out().write(questions);
  }
  EXPECT_TRUE(eventually([&] { return !a->sees("Raw"); }));
  Bytes answers(1 << 20);
  EXPECT_GT(rings->in().read(answers), 100 * 20U) << "all are acknowledged";
}

TEST_F(RingTalk, ADamagedRingEndsTheStreamAndNothingElse) {
  const auto a = joined("A");
  const auto b = joined("B");
  RawStream raw = let_in(*a, "Raw");
  const auto own = SharedRings::make();
  raw.say(own->offer(Step::counter_offer));
  EXPECT_EQ(next_of_rings(raw).step, Step::offer);
  EXPECT_EQ(next_of_rings(raw).step, Step::accept);
  raw.say(RingMessage{.step = Step::switched});
  (void)own->out().write(Bytes(4096));  // messages of 0 bytes
  raw.send(Bytes(1));
  EXPECT_TRUE(raw.ends());
  EXPECT_TRUE(eventually([&] { return !a->sees("Raw"); }));
  EXPECT_TRUE(eventually([&] { return a->said.warnings_with("'Raw' is disconnected") == 1; }));
  EXPECT_TRUE(a->sees("B"));
}

TEST_F(RingTalk, WhatIsSaidOutOfTurnEndsTheStream) {
  const auto a = joined("A");
  const std::vector<Step> rows[] = {
      {Step::switched},
      {Step::offer},
      {Step::invalid},
      {static_cast<Step>(77)},
      {Step::refuse, Step::accept},
      {Step::refuse, Step::refuse},
      {Step::accept, Step::accept},
  };
  int n = 0;
  for (const auto& steps : rows) {
    RawStream raw = let_in(*a, "Raw" + std::to_string(++n));
    (void)next_of_rings(raw);
    for (const Step step : steps) raw.say(RingMessage{.step = step});
    if (steps.front() != Step::accept) {
      EXPECT_TRUE(raw.ends()) << n;
    } else {
      raw.send(Bytes(1));  // behind the first one only wakes are due
    }
  }
  EXPECT_TRUE(eventually([&] { return a->peers().size() <= 1; }));
}

TEST_F(RingTalk, WhoHasManyPeersSharesMemoryWithSomeOfThem) {
  const auto a = joined("A");
  std::vector<RawStream> all;
  for (int n = 0; n < 40; ++n) {
    all.push_back(let_in(*a, "Raw" + std::to_string(n)));
    if (n < 32) {
      EXPECT_EQ(next_of_rings(all.back()).step, Step::offer) << n;
    }
  }
  all.back().say(Subscriber{1, "n", "T", 1});
  for (auto message = all.back().next(); message->kind != Kind::acknowledge; message = all.back().next())
    EXPECT_NE(message->kind, Kind::ring);
}

}  // namespace
}  // namespace tactus::silkit::ring_talk_test
