// SPDX-License-Identifier: Apache-2.0
// Participants agree to go on in memory that they share, and who cannot or will not goes on as before.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <thread>

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
      if (message->kind == Kind::ring) return decode<RingMessage>(message->body);
    }
  }
  static std::unique_ptr<SharedRings> opened(const RingMessage& offer) {
    std::string why;
    auto rings = SharedRings::open(offer, why);
    if (rings == nullptr) throw std::runtime_error(why);
    return rings;
  }
  /// A pipe of the test's, and its place in a message.
  struct OwnPipe {
    OwnPipe() {
      int ends[2];
      if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) throw std::runtime_error("no pipe");
      reader = Descriptor(ends[0]);
      writer = Descriptor(ends[1]);
    }
    void name_in(RingMessage& message) const {
      struct stat is {};
      (void)::fstat(writer.get(), &is);
      message.pipe.descriptor = static_cast<std::uint32_t>(writer.get());
      message.pipe.inode = is.st_ino;
    }
    void fill() const {
      while (::write(writer.get(), "", 1) == 1) {
      }
    }
    /// How many bytes came; waits for the first one.
    ssize_t take() const {
      pollfd waited{reader.get(), POLLIN, 0};
      if (::poll(&waited, 1, 40'000) <= 0) return 0;
      std::array<char, 100> bytes;
      return ::read(reader.get(), bytes.data(), bytes.size());
    }
    Descriptor reader, writer;
  };
  /// The other end of the rings of a player, by hand.
  struct ByHand {
    RawStream raw;
    RingMessage offer = next_of_rings(raw);
    std::unique_ptr<SharedRings> rings = opened(offer);
    Descriptor pipe{::open(("/proc/self/fd/" + std::to_string(offer.pipe.descriptor)).c_str(),
                           O_RDWR | O_CLOEXEC | O_NONBLOCK)};  // both are in this process
    std::uint64_t asked = 0;

    /// Something that is to be acknowledged, from one who sleeps from then on. Wakes the player by its pipe.
    void ask() {
      EXPECT_TRUE(rings->in().fall_asleep(false));
      Bytes question;
      encode(question, Subscriber{++asked, "n", "T", 1});
      EXPECT_EQ(rings->out().write(question), question.size());
      if (rings->out().has_to_wake(true)) (void)!::write(pipe.get(), "", 1);
    }
    bool is_answered() {
      Bytes answer(1000);
      const std::size_t got = rings->in().read(answer);
      std::size_t used = 0;
      const auto frame = next_frame(ByteView(answer).first(got), used);
      return frame && frame->kind == Kind::acknowledge && used == got;
    }
    /// How many bytes stand in the socket.
    ssize_t in_socket() const {
      std::array<char, 100> bytes;
      return ::recv(raw.number(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_PEEK);
    }
  };

  Said said_;
  std::unique_ptr<Registry> registry_ =
      make_registry({.domain_sockets = false, .io_thread = {.name = "registry"}}, said_);
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

TEST_F(RingTalk, WhoSleepsIsWokenByItsPipeAndTheSocketIsSilent) {
  const auto a = joined("A");
  ByHand other{let_in(*a, "Raw")};
  const OwnPipe pipe;
  RingMessage accept = other.rings->offer(Step::accept);
  pipe.name_in(accept);
  other.raw.say(accept);
  ASSERT_EQ(next_of_rings(other.raw).step, Step::switched);
  for (int turn = 0; turn < 50; ++turn) {
    other.ask();
    do {
      ASSERT_GE(pipe.take(), 1);
    } while (other.rings->in().fall_asleep(false));
    ASSERT_TRUE(other.is_answered()) << turn;
    if (turn % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));  // A may sleep, too
  }
  EXPECT_EQ(other.in_socket(), -1);
  EXPECT_EQ(errno, EAGAIN);
}

TEST_F(RingTalk, APipeThatIsFullHoldsNobodyUp) {
  const auto a = joined("A");
  ByHand other{let_in(*a, "Raw")};
  const OwnPipe pipe;
  pipe.fill();
  RingMessage accept = other.rings->offer(Step::accept);
  pipe.name_in(accept);
  other.raw.say(accept);
  ASSERT_EQ(next_of_rings(other.raw).step, Step::switched);
  EXPECT_GT(::write(other.pipe.get(), Bytes(64U << 10).data(), 64U << 10), 0)
      << "nor does that of the player";
  other.ask();
  EXPECT_TRUE(eventually([&] { return other.rings->in().has_bytes(); }));
  EXPECT_TRUE(other.is_answered());
  EXPECT_EQ(other.in_socket(), -1);
}

TEST_F(RingTalk, WithoutAPipeTheSocketWakes) {
  const auto a = joined("A");
  const OwnPipe pipe;
  struct Row {
    std::uint32_t process_off, inode_off;
    std::uint32_t size;
  };
  for (const Row& row :
       {Row{1U << 30U, 0, 42}, Row{0, 1, 42}, Row{0, 0, 30}}) {  // 30: who knows nothing of pipes
    const std::string n = std::to_string(row.size) + "-" + std::to_string(row.inode_off);
    ByHand other{let_in(*a, "Raw" + n)};
    RingMessage accept = other.rings->offer(Step::accept);
    pipe.name_in(accept);
    accept.process += row.process_off;
    accept.pipe.inode += row.inode_off;
    Bytes bytes;
    encode(bytes, accept);
    bytes.resize(row.size);
    bytes[0] = static_cast<std::byte>(row.size);
    other.raw.send(bytes);
    ASSERT_EQ(next_of_rings(other.raw).step, Step::switched);
    for (int turn = 0; turn < 5; ++turn) {
      other.ask();
      ASSERT_TRUE(eventually([&] { return other.rings->in().has_bytes(); })) << n;
      EXPECT_TRUE(other.is_answered()) << n;
    }
    // One for what could not be said before the switch may have been read with the message about it.
    EXPECT_TRUE(eventually([&] { return other.in_socket() >= 5; })) << n;
    EXPECT_LE(other.in_socket(), 6) << n;
  }
  pollfd untouched{pipe.reader.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&untouched, 1, 0), 0);
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
