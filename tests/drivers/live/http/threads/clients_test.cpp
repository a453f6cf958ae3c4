// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/clients.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace tactus::drivers::live_http::clients_test {
namespace {

using namespace std::chrono_literals;
using Phase = Client::Phase;

/// Both ends of a connection.
class Pair {
 public:
  Pair() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_.data()), 0); }
  ~Pair() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  int ours() const { return ends_[0]; }
  bool is_dropped() const {
    char byte = 0;
    return ::recv(ends_[1], &byte, 1, MSG_DONTWAIT) == 0;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

class HttpClients : public testing::Test {
 protected:
  Client::Clock::time_point at(std::chrono::seconds passed) const { return start_ + passed; }
  std::size_t drop(std::chrono::seconds passed) { return clients_.drop_overdue(at(passed), who_); }

  const Client::Clock::time_point start_ = Client::Clock::now();
  Clients clients_{2, 5s};
  std::string who_;
};

TEST_F(HttpClients, ARequestHasItsTimeFromItsFirstByteOrTheConnection) {
  const Pair pair;
  Client* const client = clients_.add(pair.ours(), at(0s));
  clients_.enter(client, Phase::reading, at(4s));
  EXPECT_EQ(drop(4s), 0U);
  EXPECT_FALSE(pair.is_dropped());
  EXPECT_EQ(drop(5s), 1U) << "a first byte after four seconds does not lengthen it";
  EXPECT_TRUE(pair.is_dropped());
  EXPECT_EQ(who_, client->who);
  EXPECT_EQ(drop(99s), 0U) << "once";
}

TEST_F(HttpClients, AConnectionWithoutRequestsLastsAMinute) {
  const Pair pair;
  Client* const client = clients_.add(pair.ours(), at(0s));
  clients_.enter(client, Phase::reading, at(1s));
  clients_.enter(client, Phase::asking, at(2s));
  (void)drop(1000s);
  EXPECT_FALSE(pair.is_dropped()) << "the rig may take its time";
  clients_.enter(client, Phase::writing, at(1000s));
  clients_.enter(client, Phase::idle, at(1001s));
  EXPECT_EQ(drop(1060s), 0U);
  EXPECT_FALSE(pair.is_dropped());
  EXPECT_EQ(drop(1061s), 0U) << "nobody is to blame";
  EXPECT_TRUE(pair.is_dropped());
}

TEST_F(HttpClients, AReplyThatNobodyTakesIsGivenUpAfterAMinute) {
  const Pair pair;
  Client* const client = clients_.add(pair.ours(), at(0s));
  clients_.enter(client, Phase::writing, at(2s));
  (void)drop(61s);
  EXPECT_FALSE(pair.is_dropped());
  (void)drop(62s);
  EXPECT_TRUE(pair.is_dropped());
}

TEST_F(HttpClients, TheOldestWithoutARequestMakesRoom) {
  const Pair busy, old, younger, next;
  clients_.enter(clients_.add(busy.ours(), at(0s)), Phase::stream, at(0s));
  (void)clients_.add(old.ours(), at(0s));
  EXPECT_FALSE(clients_.add(younger.ours(), at(1s))->above);
  EXPECT_TRUE(old.is_dropped());
  EXPECT_FALSE(busy.is_dropped());
  EXPECT_FALSE(younger.is_dropped());
}

TEST_F(HttpClients, OneThatAsksNowAndThenKeepsItsPlaceBeforeASilentOne) {
  const Pair asking, silent, next;
  Client* const client = clients_.add(asking.ours(), at(0s));
  (void)clients_.add(silent.ours(), at(1s));
  for (const Phase phase : {Phase::reading, Phase::asking, Phase::writing, Phase::idle})
    clients_.enter(client, phase, at(2s));
  clients_.enter(client, Phase::reading, at(3s));
  EXPECT_FALSE(clients_.add(next.ours(), at(3s))->above);
  EXPECT_TRUE(silent.is_dropped());
  EXPECT_FALSE(asking.is_dropped());
}

TEST_F(HttpClients, WhenAllAreBusyOneMoreIsAboveTheLimit) {
  const Pair one, two, three;
  clients_.enter(clients_.add(one.ours(), at(0s)), Phase::stream, at(0s));
  clients_.enter(clients_.add(two.ours(), at(0s)), Phase::asking, at(0s));
  Client* const client = clients_.add(three.ours(), at(0s));
  EXPECT_TRUE(client->above);
  EXPECT_EQ(clients_.busy(), 2U);
  clients_.remove(client);
  EXPECT_EQ(clients_.count(), 2U);
}

/// A descriptor that goes with its scope.
struct Socket {
  explicit Socket(int made) : fd(made) {}
  ~Socket() {
    if (fd >= 0) ::close(fd);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd;
};

TEST(HttpClientNames, WhoComesByVersion4ToASocketOfBothIsNamedByVersion4) {
  const Socket listener(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in6 all{};
  all.sin6_family = AF_INET6;
  socklen_t size = sizeof all;
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): how sockets take addresses
  const int no = 0;
  if (listener.fd < 0 || ::setsockopt(listener.fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no) != 0 ||
      ::bind(listener.fd, reinterpret_cast<const sockaddr*>(&all), size) != 0 ||
      ::listen(listener.fd, 1) != 0)
    GTEST_SKIP() << "this machine has no IPv6";
  ASSERT_EQ(::getsockname(listener.fd, reinterpret_cast<sockaddr*>(&all), &size), 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = all.sin6_port;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const Socket peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::connect(peer.fd, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  const Socket ours(::accept(listener.fd, nullptr, nullptr));
  Client client;
  client.fd = ours.fd;
  identify(client);
  EXPECT_EQ(client.reached, "127.0.0.1");
  EXPECT_EQ(client.payer, "127.0.0.1");
  EXPECT_TRUE(client.who.starts_with("127.0.0.1:")) << client.who;
}

}  // namespace
}  // namespace tactus::drivers::live_http::clients_test
